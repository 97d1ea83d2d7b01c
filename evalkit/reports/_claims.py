"""A claim in some settings, and the results held to it: `evalkit report --check`.

What a claim fixed stays fixed: metric, direction, unit, margin and files by the
settings, kind and systems by the claim itself. What is gone, or is something else now,
is refused and never exchanged.
"""

import math
import sys
from pathlib import Path

from evalkit import reports
from evalkit.reports import _document, _page, _sentences, _settings
from evalkit.reports._refused import RefusedError, listed, shown

# Nothing was compared at all.
_UNCHECKED = ("unreadable", "baseline", "metric", "direction", "unit", "columns")


def made(found):
    """Return the claim that results make: the systems that are better, if any are, and
    what was compared.
    """
    better = [one.system for one in found.findings.contrasts if one.verdict == "better"]
    if not better:
        return {}
    systems = [one.system for one in found.findings.contrasts]
    return {"better": better, "kind": found.evidence.kind, "systems": systems}


def check(path):
    """Hold the results to the claim in some settings, and print what came of it as
    Markdown.

    Parameters
    ----------
    path : str
        The settings. Files in them are looked for beside it, and nothing outside its
        folder is opened: its answer stands in public, and whoever asks for a change of
        the settings may not be trusted.

    Returns
    -------
    int
        0 if the claim stands, 1 if it does not, 2 if the settings or the results could
        not be read, or are no longer those of the claim.
    """
    try:
        folder = Path(path).parent
        settings = _settings.load(path, within=folder)
        files, options, claim = _settings.parsed(settings, folder, path)
        wanted = _wanted(claim)
        found = reports.of_files(files, options, within=folder)
        changes = _changes(found, claim)
    except RefusedError as error:
        sys.stdout.write(_refused(error))
        return 2 if any(fault.code in _UNCHECKED for fault in error.faults) else 1
    except (TypeError, ValueError, OSError) as error:
        told = (
            _document.block("title", "Nothing was checked"),
            _document.block("code", body=str(error)),
        )
        sys.stdout.write(_document.to_markdown(told))
        return 2
    held = _held(found, wanted)
    stands = all(ok for _, ok, _ in held)
    out = [
        _document.block(
            "title", "The claim stands" if stands else "The claim does not stand"
        )
    ]
    out.append(
        _document.block(
            "ticks", rows=[(ok, f"{claim}: {words}") for claim, ok, words in held]
        )
    )
    if changes:
        out += [_document.block("heading", "Other than when the claim was made")]
        out += [_document.block("list", rows=changes)]
    out += _page.blocks(found)[1:]  # all that a report shows
    sys.stdout.write(_document.to_markdown(out))
    return 0 if stands else 1


def _changes(found, claim):
    """Refuse results of another kind than those of the claim; return what else is other
    than it was.
    """
    kind = claim.get("kind", found.evidence.kind)
    if kind != found.evidence.kind:
        raise ValueError(
            f"The claim is about {shown(kind)}, and the files hold"
            f" {found.evidence.kind} now: what varied in the interval of the claim is"
            " not what varies here. Make the report again, and look at it."
        )
    there = [one.system for one in found.findings.contrasts]
    gone = [name for name in claim.get("systems", ()) if name not in there]
    if gone:
        raise ValueError(
            f"{listed(gone)}: compared when the claim was made, and not in the files"
            " now. With fewer comparisons p-values are adjusted less. Give the"
            " results, or make the report again."
        )
    new = [name for name in there if name not in claim.get("systems", there)]
    return (
        [f"{listed(new)}: not there when the claim was made; every comparison counts."]
        if new
        else []
    )


def _wanted(claim):
    """Return what is claimed as (system, verdict) pairs."""
    verdicts = [verdict for verdict in _settings.VERDICTS if verdict in claim]
    if not verdicts:
        raise ValueError(
            "The settings make no claim, and a report writes one only where a system"
            " came out better.\nTo have one checked, write it at their end, such"
            ' as:\n\n[claim]\nnot_worse = ["NAME"]\n\nThe words are'
            f" {', '.join(_settings.VERDICTS)}."
        )
    return [(name, verdict) for verdict in verdicts for name in claim[verdict]]


def broken(found, claim):
    """Return what results do not show of a claim that was made before them, in
    words.
    """
    held = _held(found, _wanted(claim)) if set(claim) & {*_settings.VERDICTS} else ()
    return [f"{what}: {words}" for what, stands, words in held if not stands]


def _held(found, wanted):
    of = {one.system: one for one in found.findings.contrasts}
    margin, sign = found.evidence.options.margin or 0.0, found.evidence.sign
    out = []
    for system, claim in wanted:
        said = f"{shown(system)} is {claim.replace('_', ' ')}"
        if system not in of:
            out.append((said, False, "there are no results of it."))
            continue
        one = of[system]
        low = one.low if sign > 0 else -one.high
        stands = low > -margin if claim == "not_worse" else one.verdict == claim
        p = _sentences.pvalue(one.adjusted)
        words = f"adjusted p {p}."
        if not math.isnan(one.low):
            words = (
                f"95 % interval of the difference {_sentences.interval(one)}, {words}"
            )
        out.append((said, stands, words))
    return out


def _refused(error):
    parts = [_document.block("title", "The results cannot be compared as they are")]
    for fault in error.faults:  # to be copied as they are
        parts.append(_document.block("heading", fault.what.partition("\n")[0]))
        parts.append(_document.block("code", body=fault.words(shell=True)))
    return _document.to_markdown(parts)
