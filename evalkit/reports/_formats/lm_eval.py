"""Samples of lm-evaluation-harness: samples_TASK_DATE.jsonl, one row per item, filter
and repeat.

They are read line by line, up to 5 million cells: about a minute and 3 GiB of memory.
"""

import hashlib
import re

from evalkit.reports._faults import unreadable
from evalkit.reports._formats import _limits, _values, lm_eval_results
from evalkit.reports._recognition._reading import Reading

FORMAT = "samples of lm-evaluation-harness"
PATTERNS = ("samples_*.jsonl",)
_NAME = re.compile(r"^samples_(?P<task>.+?)(?:_\d{4}-\d\d-\d\dT[\d.:-]+)?\.jsonl")
_STAMP = re.compile(r"_(\d{4}-\d\d-\d\dT[\d.:-]+)\.jsonl$")
_LONG = 80  # characters: what is longer is told apart, and not kept
# Not of the format: what whoever joins such files writes beside.
_ADDED = (
    "model",
    "task",
    "repeat",
)
_HASHES = ("doc_hash", "prompt_hash", "target_hash")


def beside(path):
    """Return the file of results that belongs to samples, whether or not it is
    there.
    """
    stamp = _STAMP.search(path.name)
    return [path.with_name(f"results_{stamp[1]}.json" if stamp else "results.json")]


def recognise(path, head):
    """Tell whether a file has the fields of a sample."""
    return b'"doc_id"' in head and b'"filtered_resps"' in head


def read(path):
    """Read the samples of one task."""
    rows, metrics = [], {}
    for number, sample in enumerate(_values.json_lines(path), start=1):
        if "doc_id" not in sample:
            raise unreadable(path, f"line {number:,} has no doc_id")
        named = sample.get("metrics") or [
            k for k, v in sample.items() if isinstance(v, (int, float))
        ]
        if not isinstance(named, list) or not all(
            isinstance(name, str) for name in named
        ):
            raise unreadable(
                path, f"`metrics` of line {number:,} is not a list of names"
            )
        scores = {k: sample.get(k) for k in named if k not in ("doc_id", *_ADDED)}
        metrics |= dict.fromkeys(scores)
        doc = sample["doc"] if isinstance(sample.get("doc"), dict) else {}
        about = {f"doc.{k}": v for k, v in doc.items() if isinstance(v, (int, float))}
        about |= {f"doc.{k}": _short(v) for k, v in doc.items() if isinstance(v, str)}
        about |= {
            name: sample[name]
            for name in (*_HASHES, *_ADDED)
            if sample.get(name) is not None
        }
        rows.append(
            {
                "doc_id": str(sample["doc_id"]),
                "filter": sample.get("filter"),
                **scores,
                **about,
            }
        )
    frame, facts = _values.columns(_limits.frame(path, rows))
    if not rows:
        return Reading(FORMAT, frame)
    # An identifier, whatever it looks like.
    frame["doc_id"] = [row["doc_id"] for row in rows]
    named = _NAME.fullmatch(path.name)
    facts["task_by_file"] = named is None and "task" not in frame
    if "task" not in frame:
        frame["task"] = named["task"] if named else path.stem
    roles = {"item": "doc_id", "dataset": "task", "filter": "filter"}
    roles |= {
        role: name
        for role, name in zip(("text", "prompt", "key"), _HASHES, strict=True)
        if name in frame
    }
    facts |= {"items": True, "metrics": list(metrics), **_results(path)}
    names = {"model": facts.pop("model")} if "model" in facts else {}
    return Reading(FORMAT, frame, roles, names, facts)


def _short(text):
    """Return a text that stands for a long one, and for it alone."""
    return (
        text
        if len(text) < _LONG
        else f"{text[:40]}... ({hashlib.sha256(text.encode()).hexdigest()[:12]})"
    )


def _results(path):
    """Return the model, and which metrics are losses, from the results that were
    written beside it.
    """
    (results,) = beside(path)
    if not results.is_file():
        return {}
    whole = _values.as_object(results, _values.json_file(results), "what it holds")
    facts = {"higher": lm_eval_results.directions(results, whole)[0]}
    return facts | (
        {"model": str(whole["model_name"])} if whole.get("model_name") else {}
    )
