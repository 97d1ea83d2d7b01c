"""Logs of inspect: .eval (an archive of JSON files) and .json, one row per item and
epoch.

Of a .json 128 MiB are read, of a .eval what `_archive` says: about a minute and 4 GiB
of memory.
"""

import json

from evalkit.reports._faults import unreadable
from evalkit.reports._formats import _archive, _limits, _values
from evalkit.reports._recognition._reading import Reading

FORMAT = "a log of inspect"
PATTERNS = ("*.eval", "*.json")
# As inspect's own value_to_float has them.
_GRADES = {
    "C": 1.0,
    "I": 0.0,
    "P": 0.5,
    "N": 0.0,
}
_ROLES = {
    "item": "id",
    "repeat": "epoch",
    "dataset": "task",
    "status": "state",
    "key": "key",
    "text": "text",
}


def recognise(path, head):
    """Tell whether a file is a log."""
    return _is_archive(path, head) or (
        b'"eval"' in head and b'"status"' in head and b'"run_id"' in head
    )


def _is_archive(path, head):
    """Tell an archive from text: trec_eval has files of this name as well."""
    return path.suffix == ".eval" and (head[:2] == b"PK" or b"\0" in head)


def read(path):
    """Read one log."""
    with open(path, "rb") as file:
        is_archive = _is_archive(path, file.read(4096))
    log = (
        _archive.log(path)
        if is_archive
        else _values.as_object(path, _values.json_file(path), "the log")
    )
    about = log.get("eval")
    if not isinstance(about, dict) or (
        not is_archive and not isinstance(log.get("samples"), list)
    ):
        raise unreadable(
            path, "the log holds no samples", "run inspect with --log-samples."
        )
    names, rows = {}, []
    for number, sample in enumerate(log["samples"], start=1):
        row, scores = _sample(path, sample, f"sample {number:,}")
        rows.append(row)
        names |= dict.fromkeys(scores)
    if not names:
        raise unreadable(
            path,
            f"no sample has a score; the log ended as {log.get('status')!r}",
            "run it again.",
        )
    frame, facts = _values.columns(_limits.frame(path, rows))
    if log.get("status") != "success":
        facts["notes"].append(f"{path.name}: the log ended as {log.get('status')!r}")
    facts |= {"items": True, "metrics": list(names)}
    frame = frame.assign(
        id=[row["id"] for row in rows], task=str(about.get("task", "task"))
    )
    return Reading(FORMAT, frame, _ROLES, {"model": str(about.get("model"))}, facts)


def _sample(path, sample, what):
    """Return the row of a sample, and its scores."""
    sample, scores = _values.as_object(path, sample, what), {}
    if "id" not in sample:
        raise unreadable(path, f"{what} has no id")
    for scorer, score in _part(path, sample, "scores", what).items():
        score = _values.as_object(path, score, f"the score {scorer!r} of {what}")
        scores |= _values.flat({scorer: score.get("value")})
    scores = {
        k: _GRADES.get(v, v) if isinstance(v, str) else v for k, v in scores.items()
    }
    about = _values.flat(_part(path, sample, "metadata", what))
    text = json.dumps([sample.get("input"), sample.get("target")], sort_keys=True)
    row = {
        "id": str(sample["id"]),
        "epoch": sample.get("epoch", 1),
        "key": json.dumps(sample.get("target")),
    }
    row |= {"text": text, "state": "error" if sample.get("error") else "done", **scores}
    return row | {f"metadata.{k}": v for k, v in about.items()}, scores


def _part(path, sample, name, what):
    return _values.as_object(path, sample.get(name) or {}, f"`{name}` of {what}")
