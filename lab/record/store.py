"""Where finished units are kept: an SQLite file, whole at every moment."""

import contextlib
import copy
import hashlib
import json
import sqlite3
from pathlib import Path

import filelock

from lab import _extras
from lab.record.experiment import unit_key


def short_hash(text):
    """Return eight hexadecimal digits that name a text.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
    """
    return hashlib.sha256(text.encode()).hexdigest()[:8]


# The rows of runs, and beside them those of a slice that is not done: neither ever
# touches the other's.
_TABLES = ("rows", "slice")
_SCHEMA = [
    "CREATE TABLE IF NOT EXISTS environments (id TEXT PRIMARY KEY, json TEXT NOT NULL)",
    *(
        f"CREATE TABLE IF NOT EXISTS {table} (key TEXT PRIMARY KEY, unit TEXT NOT NULL,"
        " result TEXT NOT NULL, environment TEXT NOT NULL REFERENCES environments,"
        " finished TEXT NOT NULL)"
        for table in _TABLES
    ),
]
# SQLite's names for what is no fault of the file itself, and what helps.
_OUTSIDE = {
    "SQLITE_FULL": "make room on its disk",
    "SQLITE_IOERR": "make room on its disk, or give --store a file on another",
    "SQLITE_READONLY": "allow writing there, or give --store another file",
    "SQLITE_CANTOPEN": "allow writing there, or give --store another file",
    "SQLITE_BUSY": "close the other program that has it open",
}


class Store:
    """The rows of one experiment, in an SQLite file that only one run may write at a
    time.

    Parameters
    ----------
    path : path-like
        Made if it is missing, with its folder.

    Raises
    ------
    RuntimeError
        If another process holds it, the file is not such a store, or it cannot be read
        or written.
    """

    def __init__(self, path):
        # Whether it trains or not: each row names the version of torch.
        _extras.need("run", "running an experiment")
        self.path = Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # Held through an open file, so the system gives it back however the process
        # ends.
        self._lock = filelock.FileLock(f"{self.path}.lock", timeout=0)
        self._database = None
        self._table = "rows"
        try:
            self._lock.acquire()
        except filelock.Timeout:
            raise RuntimeError(
                f"another run is writing {self.path}; wait for it, or give --store"
                " another file"
            ) from None
        try:
            with self._named():
                # Absolute, for SQLite takes `:memory:` and some of `file:` for no
                # files.
                self._database = sqlite3.connect(
                    self.path.absolute(), isolation_level=None
                )
                self._make_tables()
        except BaseException:
            self.close()
            raise

    def _make_tables(self):
        query = (
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE"
            " 'sqlite_%'"
        )
        there = {name for (name,) in self._database.execute(query)}
        # All of them or none. Some without the others are a store whose making was cut
        # off, or an older one.
        if there - {"environments", *_TABLES}:
            raise sqlite3.DatabaseError(
                f"it holds the tables {', '.join(sorted(there))}"
            )
        with self._transaction():
            for statement in _SCHEMA:
                self._database.execute(statement)
            for table in _TABLES:
                self._database.execute(
                    f"SELECT key, unit, result, environment, finished FROM {table}"
                    " LIMIT 0"
                )

    @contextlib.contextmanager
    def _named(self):
        """Turn what SQLite and JSON say into a sentence that names the file and what to
        do.
        """
        try:
            yield
        except (sqlite3.Error, ValueError) as error:
            # The name of the kind is its first two words: SQLITE_IOERR_WRITE is an
            # SQLITE_IOERR.
            kind = "_".join(getattr(error, "sqlite_errorname", "").split("_")[:2])
            if kind in _OUTSIDE:
                message = (
                    f"{self.path} cannot be used ({error}): {_OUTSIDE[kind]}, then call"
                    " again to go on"
                )
            else:
                message = (
                    f"{self.path} is not a store of runs, or damaged ({error}); move it"
                    " away, or give --store another file"
                )
            raise RuntimeError(message) from None

    @contextlib.contextmanager
    def _transaction(self):
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._database.execute("COMMIT")
        except BaseException:
            if self._database.in_transaction:  # SQLite may have taken it back itself
                self._database.execute("ROLLBACK")
            raise

    def of_slice(self):
        """Return the same store with the rows of a slice in place of those of runs.

        Returns
        -------
        Store
            Open for as long as this one.
        """
        other = copy.copy(self)
        other._table = "slice"
        return other

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Close the file and let other runs write."""
        if self._database is not None:
            self._database.close()
        self._lock.release()

    def __len__(self):
        with self._named():
            return self._database.execute(
                f"SELECT count(*) FROM {self._table}"
            ).fetchone()[0]

    def keys(self):
        """Return the keys of the units that are done.

        Returns
        -------
        set of str
        """
        with self._named():
            return {
                key
                for (key,) in self._database.execute(f"SELECT key FROM {self._table}")
            }

    def add(self, unit, result, made_in, finished):
        """Commit one row; a unit that is there already stays as it is.

        Parameters
        ----------
        unit, result : dict of JSON values
        made_in : dict
            As `environment` returns it.
        finished : str
            UTC time, ISO 8601.

        Returns
        -------
        bool
            Whether the row is new.
        """
        described = json.dumps(made_in, sort_keys=True)
        made_in_id = short_hash(described)
        # All that can fail comes before the transaction.
        values = (
            unit_key(unit),
            json.dumps(unit),
            json.dumps(result, allow_nan=False),
            made_in_id,
            finished,
        )
        with self._named(), self._transaction():
            self._database.execute(
                "INSERT OR IGNORE INTO environments VALUES (?, ?)",
                (made_in_id, described),
            )
            cursor = self._database.execute(
                f"INSERT OR IGNORE INTO {self._table} VALUES (?, ?, ?, ?, ?)", values
            )
        return cursor.rowcount == 1

    def clear(self):
        """Remove every row."""
        with self._named():
            self._database.execute(f"DELETE FROM {self._table}")

    def rows(self):
        """Return every row, in an order that does not depend on when it was made.

        Returns
        -------
        list of dict
            With `unit`, `result`, `environment` (a dict) and `finished`.
        """
        query = (
            f"SELECT unit, result, json, finished FROM {self._table} LEFT JOIN"
            " environments "
            # left: a row without its environment is damage, not nothing
            "ON environment = id ORDER BY key"
        )
        with self._named():
            return [
                # A row without its environment is damage, and not to be left out in
                # silence.
                {
                    "unit": json.loads(u),
                    "result": json.loads(r),
                    "environment": json.loads(e or ""),
                    "finished": f,
                }
                for u, r, e, f in self._database.execute(query)
            ]
