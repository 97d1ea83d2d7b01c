"""Databases of SQLite, opened to be read alone."""

import contextlib
import sqlite3
from urllib.parse import quote

import pandas as pd

from evalkit.reports._faults import unreadable

_MAGIC = b"SQLite format 3\0"


@contextlib.contextmanager
def opened(path):
    """Open a database for reading; one that is broken is refused.

    Parameters
    ----------
    path : pathlib.Path

    Yields
    ------
    callable
        From SQL to a DataFrame.
    """
    base = sqlite3.connect(f"file:{quote(str(path.resolve()))}?mode=ro", uri=True)
    try:
        base.execute("pragma trusted_schema = off")  # nothing that its schema names is run

        def query(sql):
            found = base.execute(sql)
            return pd.DataFrame(found.fetchall(), columns=[entry[0] for entry in found.description])

        yield query
    except sqlite3.Error as error:
        raise unreadable(path, f"it is no whole SQLite database ({error})") from None
    finally:
        base.close()


def holds(path, head, *tables):
    """Tell whether a file is a database with these tables.

    Parameters
    ----------
    path : pathlib.Path
    head : bytes
    *tables : str

    Returns
    -------
    bool
    """
    if not head.startswith(_MAGIC):
        return False
    with opened(path) as query:
        return set(tables) <= set(query("select name from sqlite_master where type = 'table'").name)
