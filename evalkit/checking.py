"""Deriving the record again: every verdict, computed figure and extra table, from the recorded rows.

The rows are runs, which take hours; what is said of them takes minutes, and so it is never trusted.
`differences` computes it again, from rows in whatever order, and from released data where they are
at hand, and returns a line for each cell that does not come out as it stands in the file.
"""

import csv
import io
import math

from evalkit import recorded
from evalkit.runs import extra_csv
from evalkit.sources import SourceError

# Another kind of machine rounds the last digits differently; a sentence holds what it shows.
_RELATIVE = 1e-9
# What takes longer is checked by slice (`evalkit run NAME --scale slice`).
_SECONDS = 2.0


def _equal(one, other):
    if one == other:
        return True
    try:
        return math.isclose(float(one), float(other), rel_tol=_RELATIVE, abs_tol=1e-15)
    except (TypeError, ValueError):
        return False


def _table_differences(name, here, there):
    """Yield a line for each cell in which two CSV texts differ."""
    (header, *lines), (other_header, *other_lines) = (
        list(csv.reader(io.StringIO(content.decode(), newline=""))) for content in (here, there)
    )
    if header != other_header or len(lines) != len(other_lines):
        was, now = (
            f"{len(rows)} rows of {', '.join(names)}"
            for names, rows in ((other_header, other_lines), (header, lines))
        )
        yield f"{name}: recorded are {was}, now {now}"
        return
    for line, other in zip(lines, other_lines, strict=True):
        for column, now, was in zip(header, line, other, strict=True):
            if not _equal(now, was):
                yield f"{name}, {other[0]}, {column}: recorded {was!r}, now {now!r}"


def differences(experiment, *, rows=None, folder=None):
    """Derive what follows from an experiment's rows again, and compare it with what is recorded.

    Parameters
    ----------
    experiment : evalkit.experiment.Experiment
    rows : list of dict, optional
        By default those that are recorded; their order does not matter.
    folder : path-like, optional
        Where they are recorded; by default `data/recorded/<name>`.

    Yields
    ------
    str
        A line for each difference, or for what could not be derived here and why.
    """
    folder = recorded.recorded_folder(experiment.name, folder)
    rows = recorded.in_order(recorded.recorded_rows(experiment.name, folder=folder) if rows is None else rows)
    provenance = recorded.load_provenance(experiment.name, folder=folder)
    extras = experiment.extras(rows)
    if {name: len(frame) for name, frame in extras.items()} != provenance["extras"]:
        yield f"{experiment.name}: the provenance names the extra tables {provenance['extras']}"
    for name, frame in extras.items():
        there = recorded.recorded_content(folder, name)
        if there is None:
            yield f"{experiment.name}/{name}: not recorded"
        else:
            yield from _table_differences(f"{experiment.name}/{name}", extra_csv(frame), there)
    for row in rows:
        unit, result = row["unit"], row["result"]
        if unit["table"] not in experiment.derived or recorded.recorded_number(row, "seconds") > _SECONDS:
            continue
        again = experiment.run(unit)
        for column in sorted((set(result) | set(again)) - {"seconds"}):
            if not _equal(again.get(column), result.get(column)):
                label = " ".join(str(value) for value in unit.values())
                yield (
                    f"{experiment.name}, {label}, {column}: recorded {result.get(column)!r}, now "
                    f"{again.get(column)!r}"
                )


def check(experiment, **options):
    """Derive what follows from an experiment's rows again, as far as its data are at hand.

    Parameters
    ----------
    experiment : evalkit.experiment.Experiment
    **options
        As for `differences`.

    Returns
    -------
    lines : list of str
        One for each difference.
    missing : str
        What could not be derived for lack of upstream data; empty if nothing.
    """
    lines = []
    try:
        lines.extend(differences(experiment, **options))
    except SourceError as error:
        return lines, f"{experiment.name}: not derived to its end: {error}"
    return lines, ""
