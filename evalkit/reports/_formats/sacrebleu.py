"""The JSON that sacreBLEU writes: a file is a run, a column each for BLEU, chrF2 and
TER.

Its objects begin with `name`, `score` and `signature`. 128 MiB are read at most.
"""

import re

from evalkit.reports._faults import shown, unreadable
from evalkit.reports._formats import _limits, _values
from evalkit.reports._recognition._reading import Reading

FORMAT = "scores of sacreBLEU"
_START = re.compile(
    rb'\s*\[?\s*\{\s*"name"\s*:\s*"[^"]*",\s*"score"\s*:\s*[-\d.eE+]+,\s*"signature"\s*:\s*"[^"]*version:'
)
_HIGHER = {"BLEU": True, "chrF2": True, "chrF2++": True, "TER": False}


def recognise(path, head):
    """Tell whether a file begins as sacreBLEU's JSON does."""
    return bool(_START.match(head))


def read(path):
    """Read the scores of one file."""
    whole, scores, notes = _values.json_file(path), {}, []
    for found in whole if isinstance(whole, list) else [whole]:
        found = _values.as_object(path, found, "one of its scores")
        name = str(found.get("name"))
        if name in scores or "score" not in found:
            raise unreadable(path, f"{shown(name)} is in it without a score, or twice")
        scores[name] = found["score"]
        notes.append(f"{name}: {found.get('signature')}")
    frame, facts = _values.columns(_limits.frame(path, [scores]))
    _values.check_numbers(path, frame, frame.columns)
    facts |= {"notes": [*facts["notes"], *notes], "metrics": list(scores)}
    facts["higher"] = {name: _HIGHER[name] for name in scores if name in _HIGHER}
    return Reading(FORMAT, frame, facts=facts)
