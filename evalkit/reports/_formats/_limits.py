"""What is read of one file at most, whatever its format: no file keeps a report busy,
or fills the memory.

On a machine with 2 cores a file that reaches one of these takes about a minute, and 4
GiB.
"""

import pandas as pd

from evalkit.reports._faults import unreadable

BYTES = 2**27  # of text, of JSON or of a log, which are held whole
SMALL = 2**24  # bytes of the history of one metric
COLUMNS = 2_000  # or names in the objects of JSON
CELLS = 5_000_000  # rows times columns
FILES = 1_000  # of one folder: some ten seconds
STEPS = 500_000_000  # of SQLite's machine, for one file: some ten seconds
LESS = "export only the rows and columns that are compared."


def check_bytes(path, n):
    """Refuse what is too long to be held whole.

    Parameters
    ----------
    path : pathlib.Path
    n : int
        Bytes, unpacked.
    """
    if n > BYTES:
        what = f"{'unpacked ' * (path.stat().st_size < n)}it has {n / 2**20:,.0f} MiB"
        raise unreadable(
            path,
            f"{what}, and of its format at most {BYTES / 2**20:,.0f} are read",
            LESS,
        )


def check_table(path, n_rows, n_columns):
    """Refuse a table that is too wide or too large."""
    if n_columns > COLUMNS:
        raise unreadable(
            path,
            f"it has {n_columns:,} columns, and at most {COLUMNS:,} are read",
            LESS,
        )
    if n_rows * n_columns > CELLS:
        what = (
            f"it has {n_rows:,} rows of {n_columns:,} columns, and at most {CELLS:,}"
            " cells are read"
        )
        raise unreadable(path, what, LESS)


def check_files(path, n):
    """Refuse a folder of more files than are read."""
    if n > FILES:
        what = (
            f"the folder holds {n:,} files that would be read, and at most"
            f" {FILES:,} are"
        )
        raise unreadable(path, what, "write them as one table, a row for each.")


def frame(path, records):
    """Return objects as a table, a column for each of their names."""
    names, rows = {}, []
    for record in records:
        rows.append(record)
        names |= dict.fromkeys(record)
        if len(names) > COLUMNS or len(rows) * len(names) > CELLS:
            check_table(path, len(rows), len(names))
    return pd.DataFrame(rows, columns=list(names))


def small_text(path):
    """Return the lines of a file that is small by its nature."""
    if path.stat().st_size > SMALL:
        raise unreadable(path, f"it has more than {SMALL / 2**20:g} MiB")
    try:
        return path.read_text(encoding="utf-8").strip().splitlines()
    except UnicodeDecodeError as error:
        raise unreadable(path, f"byte {error.start:,} is not UTF-8 text") from None
