"""Reading the record: tables of runs in `data/recorded/`, each with its provenance,
verified when read.

`lab.record.runs` makes it; pages, explorers and judges read it here, and need neither a
store nor a cluster for that. Rows have one order, by table and parameters, whoever
wrote them and however.
"""

import csv
import io
import json
import operator
from pathlib import Path

import numpy as np
import pandas as pd

from evalkit._checks import check_rng
from evalkit._extras import MissingExtraError
from lab import _extras
from lab.data import DATA, DataError
from lab.data.files import read_checked
from lab.record.environment import environment, same_machine_kind

RECORDED = DATA / "recorded"
PROVENANCE = "provenance.json"
# The last two columns of every recorded table.
ORIGIN = ("finished", "environment")
# In `attrs` of a table that follows from the rows: which of its ids are not in it, and
# what they lacked.
LACKING = "lacking"

# --------------------------------------------------------------------------------------
# Cells, and the order of rows
# --------------------------------------------------------------------------------------


def pack(values, digits=None):
    """Write a vector into a cell.

    Parameters
    ----------
    values : iterable of number
        At least one: an empty cell says that a row does not have this result.
    digits : str, optional
        How numbers are written, in Python's words: ".6f" has six decimals, ".12g"
        twelve significant digits. By default they must be integers, which stand as they
        are.

    Returns
    -------
    str
        The numbers with a space between; `unpack` reads it.
    """
    values = list(values)
    if not values:
        raise ValueError("values must hold at least one number, got none")
    if digits is not None:
        return " ".join(format(value, digits) for value in values)
    try:
        return " ".join(str(operator.index(value)) for value in values)
    except TypeError:
        raise TypeError(
            "values must be integers unless digits says how numbers are written"
        ) from None


def unpack(cell):
    """Read a vector from a cell.

    Parameters
    ----------
    cell : str or number
        As `pack` wrote it; a vector of one number may have been read as that number.

    Returns
    -------
    ndarray of float, shape (n,)
        With the digits that were written; integers up to 2**53 are exact.
    """
    try:
        return np.array([float(number) for number in str(cell).split()])
    except ValueError:
        raise ValueError(
            f"cell must hold numbers with spaces between, got {cell!r}"
        ) from None


def to_cell(value):
    """Write one value as text that reads back as the same value.

    Parameters
    ----------
    value : object
        A JSON value.

    Returns
    -------
    str
    """
    # A string stands as it is, unless it would read back as something else.
    if isinstance(value, str) and value.isprintable() and value:
        try:
            json.loads(value)
        except ValueError:
            return value
    return json.dumps(value)


def from_cell(cell):
    """Read a value as `to_cell` wrote it.

    Parameters
    ----------
    cell : str

    Returns
    -------
    object
    """
    try:
        return json.loads(cell)
    except ValueError:
        return cell


def by_size(cell):
    """Return what cells are sorted by.

    Parameters
    ----------
    cell : str

    Returns
    -------
    tuple
    """
    # Numbers by size, words by letter, and a column without a value first.
    value = from_cell(cell)
    return (1, value, "") if type(value) in (int, float) else (0, 0, cell)


def in_order(rows):
    """Sort rows by table, then by parameters, so that no sum and no draw depends on how
    they came.

    Parameters
    ----------
    rows : list of dict
        As `recorded_rows` returns them.

    Returns
    -------
    list of dict
    """

    def place(row):
        unit = row["unit"]
        return unit["table"], [
            (name, by_size(to_cell(unit[name]))) for name in sorted(unit)
        ]

    return sorted(rows, key=place)


# --------------------------------------------------------------------------------------
# Tables and their provenance
# --------------------------------------------------------------------------------------

# What makes a provenance file one, and how to get it back.
_KEYS = {
    "command": str,
    "tables": dict,
    "extras": dict,
    "seconds": dict,
    "environments": dict,
    "sha256": dict,
}
_LAYOUT = {"rows": int, "parameters": list, "results": list}
_ENVIRONMENT = {"python": str, "packages": dict, "cpu": str, "system": str}
_RESTORE = (
    "restore it (from git, for example), or remove the folder and export it again from"
    " its store"
)


def _has(described, kinds):
    return isinstance(described, dict) and all(
        isinstance(described.get(k), t) for k, t in kinds.items()
    )


def _is_provenance(read):
    if not _has(read, _KEYS):
        return False
    tables, environments = read["tables"].values(), read["environments"].values()
    if not all(_has(t, _LAYOUT) for t in tables) or not all(
        _has(e, _ENVIRONMENT) for e in environments
    ):
        return False
    words = [
        *read["sha256"].values(),
        *(w for t in tables for w in (*t["parameters"], *t["results"])),
    ]
    return all(isinstance(word, str) for word in words)


def _read_provenance(folder):
    """Return what a folder's provenance file says; None if nothing is recorded
    there.
    """
    path = folder / PROVENANCE
    if not path.exists():
        if tables := sorted(p.name for p in folder.glob("*.csv")):
            raise DataError(
                f"{path} is missing, which belongs to {', '.join(tables)}; {_RESTORE}"
            )
        return None
    try:
        provenance = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{path} cannot be read ({error}); {_RESTORE}") from None
    if not _is_provenance(provenance):
        raise DataError(f"{path} is not what this version of lab writes; {_RESTORE}")
    return provenance


def recorded_folder(name, folder=None):
    """Return where an experiment is recorded.

    Parameters
    ----------
    name : str
    folder : path-like, optional
        Another place than `data/recorded/<name>`.

    Returns
    -------
    pathlib.Path
    """
    return RECORDED / name if folder is None else Path(folder)


def recorded_content(folder, table):
    """Read a recorded file as it was written.

    Parameters
    ----------
    folder : path-like
        Where `export` wrote it.
    table : str
        Its name, without `.csv`.

    Returns
    -------
    bytes or None
        None if there is no such table.

    Raises
    ------
    DataError
        If it, or the provenance beside it, is not what `export` wrote.
    """
    path = Path(folder) / f"{table}.csv"
    expected = (_read_provenance(path.parent) or {"sha256": {}})["sha256"].get(
        path.name
    )
    if expected is None:
        if path.exists():
            raise DataError(
                f"{path} is not in {PROVENANCE} beside it, so nobody knows what made"
                " it; remove it, or export the folder again from its store"
            )
        return None
    content = read_checked(path, expected)
    if content is None:
        raise DataError(
            f"{path} is not the table that {PROVENANCE} was written with: it was cut or"
            f" edited, or is missing; {_RESTORE}"
        )
    return content


def _read_table(folder, table, provenance):
    """Yield the rows of one recorded CSV; a ValueError names the file if it is not what
    was written.
    """
    path, layout, environments = (
        folder / f"{table}.csv",
        provenance["tables"][table],
        provenance["environments"],
    )
    header = [*layout["parameters"], *layout["results"], *ORIGIN]
    split = len(layout["parameters"])
    content = recorded_content(folder, table) or b""
    rows = list(csv.reader(io.StringIO(content.decode(), newline="")))
    if not rows or rows[0] != header or len(rows) - 1 != layout["rows"]:
        raise DataError(
            f"{path} must have {layout['rows']} rows of {', '.join(header)}; it or"
            f" {PROVENANCE} was edited"
        )
    for number, line in enumerate(rows[1:], start=2):
        if len(line) != len(header) or line[-1] not in environments:
            raise DataError(
                f"{path}, line {number}, is not whole; it or {PROVENANCE} was edited"
            )
        cells = [
            (name, from_cell(cell))
            for name, cell in zip(header, line, strict=True)
            if cell != ""
        ]
        values = dict(cells)
        yield {
            "unit": {
                "table": table,
                **{n: values[n] for n in header[:split] if n in values},
            },
            "result": {n: values[n] for n in layout["results"] if n in values},
            "environment": environments[line[-1]],
            "finished": line[-2],
        }


def recorded_rows(name, *, folder=None, table=None):
    """Read the recorded rows of an experiment back, as `Store.rows` would return them.

    Parameters
    ----------
    name : str
    folder : path-like, optional
        Where `export` wrote them; by default `data/recorded/<name>`.
    table : str, optional
        Only the rows of this table.

    Returns
    -------
    list of dict
        Empty if nothing was recorded.

    Raises
    ------
    DataError
        If a file is not what `export` wrote.
    """
    folder = recorded_folder(name, folder)
    provenance = _read_provenance(folder)
    return [
        row
        for name in (provenance["tables"] if provenance else {})
        if table in (None, name)
        for row in _read_table(folder, name, provenance)
    ]


def recorded_number(row, column):
    """Return a result of a recorded row that others are held against.

    Parameters
    ----------
    row : dict
        As `recorded_rows` returns it.
    column : str

    Returns
    -------
    float or int
        0 if the row does not have it.

    Raises
    ------
    DataError
        If it is something else than a number.
    """
    value = row["result"].get(column, 0)
    if not isinstance(value, (int, float)):
        table = row["unit"]["table"]
        raise DataError(
            f"{table}.csv must have numbers as {column}, got {value!r} in a row;"
            f" {_RESTORE}"
        )
    return value


def load_recorded(name, table):
    """Load one recorded table for analysis.

    Parameters
    ----------
    name : str
        The experiment, a folder of `data/recorded/`.
    table : str
        The file in it, without `.csv`.

    Returns
    -------
    pandas.DataFrame

    Raises
    ------
    DataError
        If there is none, or it is not what `export` wrote.
    """
    content = recorded_content(RECORDED / name, table)
    if content is None:
        there = sorted(
            str(p.relative_to(RECORDED).with_suffix(""))
            for p in RECORDED.rglob("*.csv")
        )
        raise DataError(
            f"no recorded table {name}/{table}; there are: {', '.join(there) or 'none'}"
        )
    # A short hash such as 12e45678 would be read as a number.
    return pd.read_csv(io.BytesIO(content), dtype={"environment": str})


def accuracies(rows):
    """Turn recorded counts of right answers into accuracies.

    Parameters
    ----------
    rows : pandas.DataFrame
        With `right`, the counts of all settings as text, and `items`, of how many.

    Returns
    -------
    ndarray of float, shape (n_rows, n_settings)
    """
    counts = np.array([[int(count) for count in unpack(text)] for text in rows.right])
    return counts / rows["items"].to_numpy()[:, None]


def load_provenance(name, *, folder=None):
    """Load the provenance of a recorded experiment.

    Parameters
    ----------
    name : str
    folder : path-like, optional
        Where `export` wrote it; by default `data/recorded/<name>`.

    Returns
    -------
    dict
        `command`, `tables` (rows and columns of each), `extras` (rows of each table
        that follows from them), `seconds` (of which clock they are) and `environments`
        (both by id) and `sha256` (by file).

    Raises
    ------
    DataError
        If there is none, or it is not what `export` wrote.
    """
    folder = recorded_folder(name, folder)
    provenance = _read_provenance(folder)
    if provenance is None:
        raise DataError(f"nothing is recorded in {folder}")
    return provenance


def run_again(experiment, *, rng, fits=lambda row: True):
    """Run one recorded unit afresh, and say in a sentence whether it agrees: for a
    page.

    Parameters
    ----------
    experiment : Experiment
    rng : None, int or numpy.random.Generator
        Which one.
    fits : callable, optional
        From a row, as `recorded_rows` returns them, to whether it may be chosen: a page
        has seconds.

    Returns
    -------
    str
    """
    rows = [row for row in recorded_rows(experiment.name) if fits(row)]
    if not rows:
        raise ValueError(
            f"fits must leave a recorded row of {experiment.name} to choose from, it"
            " left none"
        )
    recorded = rows[check_rng(rng).integers(len(rows))]
    unit = recorded["unit"]
    label = ", ".join(
        f"{k} {v:.4g}" if isinstance(v, float) else f"{k} {v}" for k, v in unit.items()
    )
    try:
        _extras.need("run", "running a unit again")
        fresh = experiment.run(unit)
    except (DataError, MissingExtraError) as error:
        return (
            f"Not run here: {str(error).rstrip('.')}. The page shows the recorded rows."
        )
    machine = (
        "on the same kind of machine"
        if same_machine_kind(recorded["environment"], environment())
        else "on another kind of machine, where the last digits may differ"
    )
    values = "; ".join(
        f"{column} recorded as {recorded_number(recorded, column):.4f}, now"
        f" {fresh[column]:.4f}"
        for column in experiment.compared
        if column in recorded["result"]
    )
    return (
        f"One of the recorded units, run again for this page: {values} ({label};"
        f" {machine})."
    )
