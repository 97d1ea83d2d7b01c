"""Logs of inspect: .eval (an archive of JSON files) and .json, one row per item and epoch."""

import json

import pandas as pd

from evalkit.reports._faults import unreadable
from evalkit.reports._readers import _archive, _values
from evalkit.reports._reading import Reading

FORMAT = "a log of inspect"
_GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}  # as inspect's own value_to_float has them


def find(folder, head):
    """Return the logs of a folder, however deep."""
    return [p for p in folder.rglob("*") if p.suffix in (".eval", ".json") and recognise(p, head(p))]


def recognise(path, head):
    """Tell whether a file is a log."""
    return path.suffix == ".eval" or (b'"eval"' in head and b'"status"' in head and b'"run_id"' in head)


def read(path):
    """Read one log."""
    log = _archive.log(path) if path.suffix == ".eval" else _values.json_file(path)
    if not isinstance(log.get("samples"), list) or not isinstance(log.get("eval"), dict):
        raise unreadable(path, "the log holds no samples", "run inspect with --log-samples.")
    rows, names = [], {}
    for sample in log["samples"]:
        scores = {}
        for scorer, score in (sample.get("scores") or {}).items():
            scores |= _values.flat({scorer: score.get("value")})
        scores = {k: _GRADES.get(v, v) if isinstance(v, str) else v for k, v in scores.items()}
        about = {f"metadata.{k}": v for k, v in _values.flat(sample.get("metadata") or {}).items()}
        state = "error" if sample.get("error") else "done"
        text = json.dumps([sample.get("input"), sample.get("target")], sort_keys=True)
        key = {"key": json.dumps(sample.get("target")), "text": text, "state": state}
        rows.append({"id": str(sample["id"]), "epoch": sample.get("epoch", 1), **key, **scores, **about})
        names |= dict.fromkeys(scores)
    if not names:
        raise unreadable(
            path, f"no sample has a score; the log ended as {log.get('status')!r}", "run it again."
        )
    frame, notes = _values.columns(pd.DataFrame(rows))
    if log.get("status") != "success":
        notes.append(f"{path.name}: the log ended as {log.get('status')!r}")
    facts = {"items": True, "metrics": list(names), "notes": notes}
    roles = {
        "item": "id",
        "repeat": "epoch",
        "dataset": "task",
        "status": "state",
        "key": "key",
        "text": "text",
    }
    frame = frame.assign(id=[row["id"] for row in rows], task=log["eval"].get("task", "task"))
    return Reading(FORMAT, frame, roles, {"model": str(log["eval"].get("model"))}, facts)
