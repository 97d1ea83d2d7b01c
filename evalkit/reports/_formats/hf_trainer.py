"""The trainer_state.json of Hugging Face's Trainer: a file is a run, after reading one
row an evaluation.

In its `log_history` rows with `eval_...` are evaluations, all others logs of training.
`best_metric`, the best of them, is not read. 128 MiB are read at most.
"""

import re

from evalkit.reports._faults import unreadable
from evalkit.reports._formats import _limits, _values
from evalkit.reports._recognition._reading import Reading

FORMAT = "a trainer_state.json of Hugging Face"
PATTERNS = ("trainer_state.json",)
_TIMES = (
    "_runtime",
    "_samples_per_second",
    "_steps_per_second",
    "_model_preparation_time",
)
_CHECKPOINT = re.compile(r"checkpoint-(\d+)")


def chosen(paths):
    """Return of each run the last state: that of an earlier checkpoint is the beginning
    of it.
    """
    last = {}
    for path in paths:
        number = _CHECKPOINT.fullmatch(path.parent.name)
        run = path.parent.parent if number else path.parent
        rank = int(number[1]) if number else float("inf")
        last[run] = max(last.get(run, (-1, path)), (rank, path))
    return [path for _, path in last.values()]


def recognise(path, head):
    """Tell whether a file has the fields of such a state."""
    return b'"log_history"' in head and b'"global_step"' in head


def read(path):
    """Read one run."""
    whole = _values.as_object(path, _values.json_file(path), "what it holds")
    log = whole.get("log_history")
    if not isinstance(log, list):
        raise unreadable(path, "`log_history` is not a list")
    rows, n_other = {}, 0
    for number, entry in enumerate(log, start=1):
        entry = _values.as_object(path, entry, f"entry {number:,} of its log")
        scores = {
            name: value for name, value in entry.items() if name.startswith("eval_")
        }
        n_other += not scores
        if scores:  # several sets of items are evaluated at one step
            at = {name: entry.get(name) for name in ("step", "epoch")}
            rows.setdefault(str(at["step"]), {}).update(at | scores)
    if not rows:
        way = (
            "give all_results.json of each run, if it is there; or train with"
            " eval_strategy='epoch'."
        )
        raise unreadable(path, "no entry of its log is an evaluation", way)
    frame, facts = _values.columns(_limits.frame(path, rows.values()))
    notes = [name for name in frame.columns if name == "epoch" or name.endswith(_TIMES)]
    facts |= {"metrics": [n for n in frame if n != "step" and n not in notes]}
    left = (
        ((n_other, "entries of the log that are not evaluations"),) if n_other else ()
    )
    return Reading(
        FORMAT,
        frame,
        {"step": "step", "note": tuple(notes)},
        facts=facts,
        left_out=left,
    )
