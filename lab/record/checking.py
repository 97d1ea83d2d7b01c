"""Deriving the record again: every verdict, computed figure and extra table, from the
recorded rows.

The rows are runs, which take hours; what is said of them takes minutes, and so it is
never trusted. `check` computes it again, from rows in whatever order, and from released
data where they are at hand, and returns a line for each cell that does not come out as
it stands in the file.
"""

import collections
import contextlib
import csv
import io
import math

from lab.data.sources import SourceError
from lab.record import tables
from lab.record.runs import close, extra_csv, spared

# Another kind of machine rounds the last digits differently; a sentence holds what it
# shows.
_RELATIVE = 1e-9
# What takes longer is checked by slice (`lab check NAME`).
_SECONDS = 2.0


def _equal(a, b):
    """Tell whether two values are the same number, or the same text."""
    if a == b:
        return True
    try:
        return math.isclose(float(a), float(b), rel_tol=_RELATIVE, abs_tol=1e-15)
    except (TypeError, ValueError):
        return False


def _cells(content):
    """Return the header and the rows of a CSV text."""
    header, *rows = csv.reader(io.StringIO(content.decode(), newline=""))
    return header, rows


def _table_differences(name, derived, recorded, lacking):
    """Yield a line for each cell in which two CSV texts differ; rows that lack their
    data are left out.
    """
    header, rows = _cells(derived)
    recorded_header, recorded_rows = _cells(recorded)
    recorded_rows = [row for row in recorded_rows if row[0] not in lacking]
    if header != recorded_header or len(rows) != len(recorded_rows):
        was, now = (
            f"{len(members)} rows of {', '.join(names)}"
            for names, members in ((recorded_header, recorded_rows), (header, rows))
        )
        yield f"{name}: recorded are {was}, now {now}"
        return
    for row, recorded_row in zip(rows, recorded_rows, strict=True):
        for column, now, was in zip(header, row, recorded_row, strict=True):
            if not _equal(now, was):
                yield (
                    f"{name}, {recorded_row[0]}, {column}: recorded {was!r}, now"
                    f" {now!r}"
                )


def _extra_differences(experiment, extras, folder):
    """Yield a line for each difference of the tables that follow from the rows."""
    contents = {name: tables.recorded_content(folder, name) for name in extras}
    stated = tables.load_provenance(experiment.name, folder=folder)["extras"]
    lengths = {name: len(frame) for name, frame in extras.items()}
    for name, frame in extras.items():
        lacking = frame.attrs.get(tables.LACKING, {})
        # How many rows these have, only the record knows.
        if lacking and contents[name] is not None:
            lengths[name] += sum(row[0] in lacking for row in _cells(contents[name])[1])
    if lengths != stated:
        yield f"{experiment.name}: the provenance names the extra tables {stated}"
    for name, frame in extras.items():
        if contents[name] is None:
            yield f"{experiment.name}/{name}: not recorded"
        else:
            lacking = frame.attrs.get(tables.LACKING, {})
            label = f"{experiment.name}/{name}"
            yield from _table_differences(
                label, extra_csv(frame), contents[name], lacking
            )


def _unit_differences(experiment, row, again):
    """Yield a line for each result of a unit that does not come out as recorded."""
    unit, result = row["unit"], row["result"]
    for column in sorted((set(result) | set(again)) - {"seconds"}):
        if not _equal(again.get(column), result.get(column)):
            label = " ".join(str(value) for value in unit.values())
            yield (
                f"{experiment.name}, {label}, {column}: recorded"
                f" {result.get(column)!r}, now {again.get(column)!r}"
            )


def _unless_lacking(derive, *arguments):
    """Return what is derived, or the error that says which upstream data it lacks."""
    try:
        return derive(*arguments)
    except SourceError as error:
        return error


def _derive(experiment, rows, units, jobs):
    """Return what follows from all rows, and each unit's results again."""
    import joblib

    calls = [(experiment.extras, rows), *((experiment.run, unit) for unit in units)]
    with contextlib.ExitStack() as stack:
        with spared():  # this process alone stops the workers
            work = joblib.Parallel(n_jobs=jobs, batch_size=1, return_as="generator")
            arriving = work(joblib.delayed(_unless_lacking)(*call) for call in calls)
            stack.callback(close, arriving)
        extras, *again = arriving
    return extras, again


def check(experiment, *, rows=None, folder=None, jobs=1):
    """Derive what follows from an experiment's rows again, and compare it with what is
    recorded.

    Parameters
    ----------
    experiment : lab.record.experiment.Experiment
    rows : list of dict, optional
        By default those that are recorded; their order does not matter.
    folder : path-like, optional
        Where they are recorded; by default `data/recorded/<name>`.
    jobs : int, default 1
        Processes; -1 is one per core.

    Returns
    -------
    lines : list of str
        One for each difference.
    missing : str
        What could not be derived for lack of upstream data; empty if nothing.
    """
    folder = tables.recorded_folder(experiment.name, folder)
    rows = tables.in_order(
        tables.recorded_rows(experiment.name, folder=folder) if rows is None else rows
    )
    derived = [
        row
        for row in rows
        if row["unit"]["table"] in experiment.derived
        and tables.recorded_number(row, "seconds") <= _SECONDS
    ]
    extras, again = _derive(experiment, rows, [row["unit"] for row in derived], jobs)
    differences, missing, why = [], [], []
    if isinstance(extras, SourceError):
        missing.append("the tables that follow from its rows")
        why.append(extras)
    else:
        differences += _extra_differences(experiment, extras, folder)
        for name, frame in extras.items():
            lacking = frame.attrs.get(tables.LACKING, {})
            missing += [f"{identity} ({name})" for identity in lacking]
            why += lacking.values()
    lacking = collections.Counter()
    for row, result in zip(derived, again, strict=True):
        if isinstance(result, SourceError):
            lacking[row["unit"]["table"]] += 1
            why.append(result)
        else:
            differences += _unit_differences(experiment, row, result)
    missing += [f"{count} rows of {table}" for table, count in lacking.items()]
    if not missing:
        return differences, ""
    return (
        differences,
        (
            f"{experiment.name}: not derived, for lack of upstream files:"
            f" {', '.join(missing)}. {why[0]}"
        ),
    )
