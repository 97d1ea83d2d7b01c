"""HELM's per_instance_stats.json: one row per item, with a column for each statistic.

Model and task stand in the run_spec.json beside it. Of a statistic its mean is read,
which is that of one answer. Items that were changed on purpose have the name of the
change. 128 MiB are read at most: half a minute and 4 GiB of memory.
"""

import re

from evalkit.reports._faults import unreadable
from evalkit.reports._formats import _limits, _values
from evalkit.reports._recognition._reading import Reading

FORMAT = "statistics of items by HELM"
PATTERNS = ("per_instance_stats.json",)
_MODEL = re.compile(r"[,:]model=[^,]*")
_FIELDS = (b'"instance_id"', b'"train_trial_index"', b'"stats"')


def recognise(path, head):
    """Tell whether a file has the fields of such statistics."""
    return all(name in head for name in _FIELDS)


def beside(path):
    """Return the file that says what was run, whether or not it is there."""
    return [path.with_name("run_spec.json")]


def read(path):
    """Read the items of one run."""
    whole, rows = _values.json_file(path), []
    for number, entry in enumerate(
        whole if isinstance(whole, list) else [whole], start=1
    ):
        entry = _values.as_object(path, entry, f"entry {number:,}")
        if "instance_id" not in entry or not isinstance(entry.get("stats"), list):
            raise unreadable(
                path, f"entry {number:,} has no `instance_id`, or no list `stats`"
            )
        row = {
            "instance_id": str(entry["instance_id"]),
            "train_trial_index": entry.get("train_trial_index"),
        }
        row |= {
            "perturbation": _name(path, entry.get("perturbation") or {"name": "none"})
        }
        for found in entry["stats"]:
            about = _values.as_object(path, found, f"a statistic of entry {number:,}")
            row |= {
                "split": (
                    _values.as_object(path, about.get("name"), "a name").get("split")
                )
            }
            row[_name(path, about["name"])] = about.get("mean")
        rows.append(row)
    frame, facts = _values.columns(_limits.frame(path, rows))
    roles = {
        "item": "instance_id",
        "repeat": "train_trial_index",
        "part": "split",
        "filter": "perturbation",
    }
    names, (spec,) = {}, beside(path)
    if spec.is_file():
        said = _values.as_object(spec, _values.json_file(spec), "what it holds")
        adapter = _values.as_object(
            spec, said.get("adapter_spec") or {}, "`adapter_spec`"
        )
        names = {"model": str(adapter["model"])} if "model" in adapter else {}
        frame = frame.assign(task=_MODEL.sub("", str(said.get("name"))))
        roles["dataset"] = "task"
    frame = frame.assign(instance_id=[row["instance_id"] for row in rows])
    return Reading(FORMAT, frame, roles, names, {**facts, "items": True})


def _name(path, value):
    return str(_values.as_object(path, value, "what is named").get("name"))
