"""The summary of OpenCompass, a CSV: one row a data set and system.

Its first columns are `dataset`, `version`, `metric` and `mode`, and every other one is a model's. Rows such
as `--- Exam ---` part it into sections. A row whose metric is an average is left out where data sets that it
may be of stand beside it: they would be counted twice. Bounds are those of a table.
"""

from dataclasses import replace

from evalkit.reports._faults import count, examples
from evalkit.reports._formats import _text, _values
from evalkit.reports._recognition import _metrics

FORMAT = "a summary of OpenCompass"
_COLUMNS = ["dataset", "version", "metric", "mode"]
_AVERAGES = ("naive_average", "weighted_average", "harmonic_mean", "standard_deviation", "sum")


def fits(names):
    """Tell whether columns are those of a summary."""
    return names[:4] == _COLUMNS and len(names) > 4


def recognise(path, head):
    """Tell whether a file has the columns of a summary."""
    return fits(_text.lines(head)[0])


def shape(reading, place="the summary"):
    """Return a summary as one row for each data set and system.

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
    frame, facts, left = reading.frame, {**reading.facts}, list(reading.left_out)
    models = [name for name in frame.columns if name not in _COLUMNS]
    _values.check_numbers(place, frame, models)
    is_empty = frame[models].isna().all(axis=1)
    is_section = is_empty & frame.dataset.astype(str).str.startswith("--")
    frame = frame[~is_section]
    is_average = frame.metric.isin(_AVERAGES)
    averages, others = frame.dataset[is_average].astype(str), frame.dataset[~is_average].astype(str)
    are_there = any(others.str.contains(name, regex=False).any() for name in averages)
    left += [(int(is_section.sum()), "titles of sections")] if is_section.any() else []
    if are_there:
        left.append((len(averages), f"averages, of data sets beside them: {examples(averages)}"))
        frame = frame[~is_average]
    elif len(averages):
        words = f"{count(len(averages), 'row is an average', 'rows are averages')} of data sets"
        facts["notes"] = [*facts["notes"], f"{words} that are not beside them: {examples(averages)}"]
    of = dict(zip(frame.dataset, frame.metric.fillna("none"), strict=True))
    if "lower" in map(_metrics.direction, of.values()):  # otherwise all are on one scale, to 100
        facts["metric_by_dataset"] = of
    system, score = (name + "_" * (name in models) for name in ("system", "score"))
    long = frame.melt(_COLUMNS, models, var_name=system, value_name=score)
    roles = {"dataset": "dataset", "system": system, "score": score, "note": ("version", "metric", "mode")}
    return replace(reading, format=FORMAT, frame=long, roles=roles, facts=facts, left_out=tuple(left))
