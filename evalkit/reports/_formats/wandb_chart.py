"""A chart of Weights & Biases, exported as CSV: one row a run and step.

Its first column is what the chart has below it (`Step`), and every run has three: `NAME
- METRIC`, and with `__MIN` and `__MAX` the least and the greatest of what was drawn at
one place. A name may be that of a group of runs (`Group: NAME`), whose mean it is.
Bounds are those of a table.
"""

import pandas as pd

from evalkit.reports._faults import examples
from evalkit.reports._formats import _text, _values
from evalkit.reports._recognition._reading import Reading

FORMAT = "a chart of Weights & Biases"
_ENDS = ("__MIN", "__MAX")
RUN = "run"


def _drawn(names):
    """Return the columns of values: beside each there are its least and its
    greatest.
    """
    return [name for name in names if all(name + end in {*names} for end in _ENDS)]


def fits(names):
    """Tell whether columns are those of a chart."""
    return (
        len(names) > 3
        and not names[0].endswith(_ENDS)
        and len(names) == 1 + 3 * len(_drawn(names))
    )


def recognise(path, head):
    """Tell whether the first line of a file, or what is seen of it, has the columns of
    a chart.
    """
    names = _text.lines(head)[0]
    return fits(names[: 1 + (len(names) - 1) // 3 * 3])


def shape(reading, place="the chart"):
    """Return a chart as one row for each run and step.

    Parameters
    ----------
    reading : Reading
        Of a table.
    place : path-like
        The file, for who reads a refusal.

    Returns
    -------
    Reading
    """
    frame, facts = reading.frame, {**reading.facts}
    step, drawn = frame.columns[0], _drawn(list(frame.columns))
    _values.check_numbers(place, frame, frame.columns)
    parts, is_range = {}, []
    for name in drawn:
        run, _, metric = name.rpartition(" - ")
        if not metric.startswith("_"):  # W&B's own, such as _step
            column = frame[name].rename(
                metric if metric not in (step, RUN) else f"{metric}_"
            )
            parts.setdefault(run, []).append(column)
            is_range += [name] * bool(
                (frame[f"{name}__MIN"] < frame[f"{name}__MAX"]).any()
            )
    long = pd.concat(
        [
            pd.concat([frame[step], *columns], axis=1).assign(**{RUN: run})
            for run, columns in parts.items()
        ]
    )
    metrics = [name for name in long.columns if name not in (step, RUN)]
    long = long.dropna(subset=metrics, how="all").reset_index(drop=True)
    facts["notes"] = [
        *facts["notes"],
        "columns that end in __MIN or __MAX are not read",
    ]
    if is_range:
        words = "each may be the mean of several runs, or of several steps"
        facts["notes"].append(
            f"the least and the greatest of {examples(is_range)} differ: {words}"
        )
    facts["metrics"] = metrics
    roles = {"run": RUN, "step": step} | (
        {"score": metrics[0]} if len(metrics) == 1 else {}
    )
    if set(parts) == {""}:
        return Reading(FORMAT, long.drop(columns=RUN), {"step": step}, facts=facts)
    return Reading(FORMAT, long, roles, facts=facts, left_out=reading.left_out)
