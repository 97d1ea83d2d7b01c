"""Samples of lm-evaluation-harness: samples_TASK_DATE.jsonl, one row per item, filter and repeat."""

import re

import pandas as pd

from evalkit.reports._faults import unreadable
from evalkit.reports._readers import _values
from evalkit.reports._reading import Reading

FORMAT = "samples of lm-evaluation-harness"
_NAME = re.compile(r"^samples_(?P<task>.+?)(?:_\d{4}-\d\d-\d\dT[\d.:-]+)?\.jsonl")
_STAMP = re.compile(r"_(\d{4}-\d\d-\d\dT[\d.:-]+)\.jsonl$")
_ADDED = ("model", "task", "repeat")  # not of the format: what whoever joins such files writes beside
_HASHES = ("doc_hash", "prompt_hash", "target_hash")


def find(folder, _):
    """Return the files of samples in a folder, however deep."""
    return folder.rglob("samples_*.jsonl")


def beside(path):
    """Return the file of results that belongs to samples, whether or not it is there."""
    stamp = _STAMP.search(path.name)
    return [path.with_name(f"results_{stamp[1]}.json" if stamp else "results.json")]


def recognise(path, head):
    """Tell whether a file has the fields of a sample."""
    return b'"doc_id"' in head and b'"filtered_resps"' in head


def read(path):
    """Read the samples of one task."""
    rows, metrics = [], {}
    for number, sample in enumerate(_values.json_lines(path), start=1):
        named = sample.get("metrics") or [k for k, v in sample.items() if isinstance(v, (int, float))]
        scores = {k: sample.get(k) for k in named if k not in ("doc_id", *_ADDED)}
        if "doc_id" not in sample:
            raise unreadable(path, f"line {number:,} has no doc_id")
        metrics |= dict.fromkeys(scores)
        doc = sample["doc"] if isinstance(sample.get("doc"), dict) else {}
        about = {f"doc.{k}": v for k, v in doc.items() if isinstance(v, (int, float))}
        about |= {f"doc.{k}": v for k, v in doc.items() if isinstance(v, str) and len(v) < 80}
        about |= {name: sample[name] for name in (*_HASHES, *_ADDED) if sample.get(name) is not None}
        rows.append({"doc_id": str(sample["doc_id"]), "filter": sample.get("filter"), **scores, **about})
    frame, notes = _values.columns(pd.DataFrame(rows))
    frame["doc_id"] = [row["doc_id"] for row in rows]  # an identifier, whatever it looks like
    named = _NAME.fullmatch(path.name)
    if "task" not in frame:
        frame["task"] = named["task"] if named else path.stem
    roles = {"item": "doc_id", "dataset": "task", "filter": "filter"}
    roles |= dict(zip(("text", "prompt", "key"), (n if n in frame else "" for n in _HASHES), strict=True))
    facts = {"task_by_file": named is None and "task" not in rows[0]} if rows else {}
    facts |= {"items": True, "metrics": list(metrics), "notes": notes, **_results(path)}
    names = {"model": facts.pop("model")} if "model" in facts else {}
    roles = {role: column for role, column in roles.items() if column}
    return Reading(FORMAT, frame, roles, names, facts)


def _results(path):
    """Return the model, and which metrics are losses, from the results that were written beside it."""
    (results,) = beside(path)
    if not results.is_file():
        return {}
    whole = _values.json_file(results)
    ways = {k: v for task in whole.get("higher_is_better", {}).values() for k, v in task.items()}
    facts = {"higher": {name: bool(higher) for name, higher in ways.items() if higher is not None}}
    return facts | ({"model": whole["model_name"]} if whole.get("model_name") else {})
