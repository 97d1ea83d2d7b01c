"""Databases of SQLite, opened to be read alone.

All queries of one file take at most 500 million steps of SQLite's machine, some ten
seconds, and 5 million cells in memory, some 2 GiB.
"""

import contextlib
from urllib.parse import quote

import pandas as pd

from evalkit.reports._faults import shown, unreadable
from evalkit.reports._formats import _limits

_MAGIC = b"SQLite format 3\0"
_AT_ONCE = 100_000  # steps between two looks at the clock, and rows taken at once


@contextlib.contextmanager
def opened(path, upgrade=None):
    """Open a database for reading; one that is broken, of another form or endless is
    refused.

    Parameters
    ----------
    path : pathlib.Path
    upgrade : str, optional
        The command by which an old database gets the form that is read here.

    Yields
    ------
    callable
        From SQL to a DataFrame.
    """
    import sqlite3  # only where there is a database

    base, looks = (
        sqlite3.connect(f"file:{quote(str(path.resolve()))}?mode=ro", uri=True),
        [],
    )

    def is_too_long():
        looks.append(True)
        return len(looks) * _AT_ONCE > _limits.STEPS

    def query(sql):
        found, rows = base.execute(sql), []
        while some := found.fetchmany(_AT_ONCE):
            rows += some
            _limits.check_table(path, len(rows), len(found.description))
        return pd.DataFrame(rows, columns=[entry[0] for entry in found.description])

    try:
        # Nothing that its schema names is run.
        base.execute("pragma trusted_schema = off")
        base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 2**24)  # of one value
        base.set_progress_handler(is_too_long, _AT_ONCE)
        yield query
    except (sqlite3.Error, sqlite3.Warning, OverflowError, UnicodeDecodeError) as error:
        if len(looks) * _AT_ONCE > _limits.STEPS:
            raise unreadable(
                path, "its queries take longer than any results do", _limits.LESS
            ) from None
        if upgrade and str(error).startswith("no such "):
            what = (
                "it has not the tables that are read, as an old version wrote it"
                f" ({shown(error)})"
            )
            raise unreadable(path, what, upgrade) from None
        raise unreadable(
            path, f"it is not a whole SQLite database ({shown(error)})"
        ) from None
    finally:
        base.close()


def holds(path, head, *tables):
    """Tell whether a file is a database with these tables."""
    if not head.startswith(_MAGIC):
        return False
    with opened(path) as query:
        return set(tables) <= set(
            query("select name from sqlite_master where type = 'table'").name
        )
