"""PyTorch Lightning's metrics.csv: a file is a run, and after reading a row an epoch.

Its CSVLogger writes the columns `epoch` and `step`, and a row for each time that
something is logged, which fills the columns of that alone. Of the rows of an epoch each
metric's last value is kept. What was set stands in the hparams.yaml beside it, of which
the lines `name: value` are read and nothing below them. Bounds are those of a table.
"""

from dataclasses import replace
from pathlib import Path

from evalkit.reports._formats import _limits, _text, _values

FORMAT = "a metrics.csv of PyTorch Lightning"


_RUN = "run (by its folder)"


def recognise(path, head):
    """Tell whether a file has these columns, and its name or a hole in every row."""
    names, *rows = _text.lines(head)
    has_holes = len(rows) > 1 and all(not all(row) for row in rows)
    return (
        {"epoch", "step"} <= {*names}
        and len(names) > 2
        and (path.name == "metrics.csv" or has_holes)
    )


def beside(path):
    """Return the file of the settings of a run, whether or not it is there."""
    return [path.with_name("hparams.yaml")] if path.name == "metrics.csv" else []


def _settings(file):
    """Return what was set, a column for each."""
    row = {}
    for line in _limits.small_text(file):
        name, _, value = line.partition(": ")
        # A tag, a reference, a list.
        if name.strip("# -") == name and value.strip()[:1] not in "!&*|>{[#":
            row[f"params.{name}"] = value.strip().strip("\"'")
    return _values.columns(_limits.frame(file, [row]))[0]


def shape(reading, place):
    """Return the table of a run as one row an epoch."""
    is_of_none = reading.frame.epoch.isna()
    frame = (
        reading.frame[~is_of_none].groupby("epoch", as_index=False, sort=False).last()
    )
    frame = frame[list(reading.frame.columns)]
    note = "of each epoch the last value of a metric is read"
    metrics = [
        n
        for n in frame.columns
        if n not in ("epoch", "step") and frame[n].dtype.kind == "f"
    ]
    for file in filter(Path.is_file, beside(place)):
        known = _settings(file)
        new = known.columns.difference(frame.columns)
        frame = frame.assign(**{name: known[name].iloc[0] for name in new})
    facts = {**reading.facts, "metrics": metrics}
    facts["notes"] = [
        *facts["notes"],
        *([note] if len(frame) < len(reading.frame) else []),
    ]
    left = (
        ((int(is_of_none.sum()), "rows without an epoch"),) if is_of_none.any() else ()
    )
    # A run that was killed and started again has the settings of both.
    frame = frame.assign(**{_RUN: str(place.parent)})
    roles = {"step": "epoch", "note": ("step",), "run": _RUN}
    left = (*reading.left_out, *left)
    return replace(
        reading, format=FORMAT, frame=frame, roles=roles, facts=facts, left_out=left
    )
