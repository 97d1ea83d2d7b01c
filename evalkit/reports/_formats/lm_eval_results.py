"""Results of lm-evaluation-harness: results_DATE.json, one row per task and filter, a
column per metric.

Its keys are `results` (task, then `metric,filter`), `group_subtasks`,
`higher_is_better` and `model_name`; before its version 0.4 a metric had no filter. A
group whose tasks stand beside it is their mean, and is left out: it would be counted
twice. 128 MiB are read at most: half a minute and 4 GiB of memory.
"""

import re

from evalkit.reports._faults import examples, listed, unreadable
from evalkit.reports._formats import _limits, _values
from evalkit.reports._recognition._reading import Reading

FORMAT = "results of lm-evaluation-harness"
PATTERNS = ("results*.json",)
_START = re.compile(rb'\s*\{\s*"results"\s*:\s*\{')
_METRIC = re.compile(rb'"[\w./-]+(?:,[\w-]+|_stderr)"\s*:')
_SPREAD = "_stderr"


def recognise(path, head):
    """Tell whether a file begins as results do."""
    return bool(_START.match(head) and _METRIC.search(head))


def read(path):
    """Read one file of results."""
    whole = _values.as_object(path, _values.json_file(path), "what it holds")
    results = _values.as_object(path, whole.get("results"), "`results`")
    members = _values.as_object(
        path, whole.get("group_subtasks") or {}, "`group_subtasks`"
    )
    means = [
        group
        for group in results
        if isinstance(members.get(group), list)
        and {*map(str, members[group])} & {*results}
    ]
    rows, metrics = {}, {}
    for task, found in results.items():
        for key, value in _values.as_object(
            path, found, f"the result of {task!r}"
        ).items():
            metric, _, kept = key.partition(",")
            is_score = isinstance(value, (int, float)) and not isinstance(value, bool)
            if task in means or metric.endswith(_SPREAD) or not is_score:
                continue
            rows.setdefault((task, kept or "none"), {})[metric] = value
            metrics[metric] = True
    if not rows:
        raise unreadable(path, "no task in it has a score", "run it again.")
    records = [
        {"task": task, "filter": kept, **scores}
        for (task, kept), scores in rows.items()
    ]
    frame, facts = _values.columns(_limits.frame(path, records))
    frame = frame.assign(
        task=[task for task, _ in rows], filter=[kept for _, kept in rows]
    )
    higher, mixed = directions(path, whole)
    facts |= {"metrics": list(metrics), "higher": higher}
    facts["notes"] += (
        [f"{listed(mixed)}: of some tasks higher is better, of others lower"]
        if mixed
        else []
    )
    left = (
        ((len(means), f"groups whose tasks stand beside them: {examples(means)}"),)
        if means
        else ()
    )
    names = {"model": str(whole["model_name"])} if whole.get("model_name") else {}
    roles = {"dataset": "task", "filter": "filter"}
    return Reading(FORMAT, frame, roles, names, facts, left_out=left)


def directions(path, whole):
    """Return for each metric whether higher is better, and the metrics of which tasks
    say different things.

    Parameters
    ----------
    path : pathlib.Path
    whole : dict
        What a file of results holds.

    Returns
    -------
    higher : dict of str to bool
    mixed : list of str
    """
    said = {}
    for task, ways in _values.as_object(
        path, whole.get("higher_is_better") or {}, "`higher_is_better`"
    ).items():
        for metric, way in _values.as_object(
            path, ways or {}, f"`higher_is_better` of {task!r}"
        ).items():
            if way is not None:
                said.setdefault(metric, set()).add(bool(way))
    higher = {metric: ways.pop() for metric, ways in said.items() if len(ways) == 1}
    return higher, [metric for metric in said if metric not in higher]
