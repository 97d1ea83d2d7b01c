"""Tables and sets of files that are whole or not there."""

import hashlib
import io
import os
from pathlib import Path

import pandas as pd

from evalkit._files import write_atomically
from lab.data import DataError


def _waiting(path, sha256):
    return path.with_name(f"{path.name}.{sha256[:8]}.new")


def write_together(folder, contents, index):
    """Write files so that, whenever this is cut off, `read_checked` finds all of the
    old or all of the new.

    All but the index are first written beside their places; the new index, which holds
    their hashes, makes them count; then they move to their places.

    Parameters
    ----------
    folder : path-like
    contents : dict of str to bytes
        By name.
    index : str
        The name of the file whose content holds `sha256` of each of the others.

    Returns
    -------
    list of pathlib.Path
    """
    paths = {name: Path(folder) / name for name in contents}
    moves = {
        _waiting(paths[name], sha256(contents[name])): name
        for name in contents
        if name != index
    }
    # Others are what an earlier one left to be moved.
    made = [path for path in moves if not path.exists()]
    try:
        for path, name in moves.items():
            write_atomically(path, contents[name])
        write_atomically(paths[index], contents[index])
    except BaseException:
        for path in made:
            path.unlink(missing_ok=True)
        raise
    for path, name in moves.items():
        os.replace(path, paths[name])
    # Of one that was killed before its index was there.
    for path in Path(folder).glob("*.????????.new"):
        path.unlink(missing_ok=True)
    return list(paths.values())


def read_checked(path, expected):
    """Return the content of a file that `write_together` wrote.

    Parameters
    ----------
    path : pathlib.Path
    expected : str
        Its SHA-256.

    Returns
    -------
    bytes or None
        None if it is missing or another.
    """
    for place in (path, _waiting(path, expected)):
        if place.is_file() and sha256(content := place.read_bytes()) == expected:
            return content
    return None


def sha256(content):
    """Return the SHA-256 of bytes in hexadecimal digits.

    Parameters
    ----------
    content : bytes

    Returns
    -------
    str
    """
    return hashlib.sha256(content).hexdigest()


def read_csv(path, columns, content=None):
    """Read a table as text; a ValueError names the file if it is no CSV or lacks a
    column.

    Parameters
    ----------
    path : path-like
    columns : list of str
        Those that it must have.
    content : bytes, optional
        What is in the file, where that has been read.

    Returns
    -------
    pandas.DataFrame
    """
    try:
        table = pd.read_csv(
            path if content is None else io.BytesIO(content),
            dtype=str,
            keep_default_na=False,
        )
    except ValueError as error:  # pandas names no file
        raise DataError(
            f"{path} cannot be read as CSV ({str(error).strip()})"
        ) from None
    if missing := sorted(set(columns) - set(table.columns)):
        raise DataError(
            f"{path} must have the columns {', '.join(columns)}; it lacks"
            f" {', '.join(missing)}"
        )
    return table
