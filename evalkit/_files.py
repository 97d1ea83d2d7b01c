"""Files that are whole or not there."""

import hashlib
import io
import os
import stat
import tempfile
from pathlib import Path

import pandas as pd

from evalkit._data import DataError

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def no_file(path):
    """Say what stands at a place instead of a file: a pipe or a device has no end, or never begins.

    Parameters
    ----------
    path : path-like
        Of a link it is asked what it leads to.

    Returns
    -------
    str or None
        Such as "a pipe"; None where it is a file, or nothing is there.
    """
    try:
        mode = os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    return next((words for is_kind, words in _KINDS if is_kind(mode)), None)


def identities(path):
    """Return what two names of one file have in common, be they links, hard links or other spellings.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    set
        Its real path and, where it is there, its number on its disk: one of them in common is enough.
    """
    real = os.path.normcase(os.path.realpath(path))
    if not os.path.exists(real):
        return {real}
    found = os.stat(real)
    return {real, (found.st_dev, found.st_ino)}


def write_atomically(path, content):
    """Write bytes to `path` so that a reader sees the old file or the new one, never a part.

    Parameters
    ----------
    path : path-like
        Its folder is made if it is missing. A file that is there keeps its mode; behind a link, the file
        that it points to is replaced.
    content : bytes
    """
    path = Path(os.path.realpath(path))
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o644
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _waiting(path, sha256):
    return path.with_name(f"{path.name}.{sha256[:8]}.new")


def write_together(folder, contents, index):
    """Write files so that, whenever this is cut off, `read_checked` finds all of the old or all of the new.

    All but the index are first written beside their places; the new index, which holds their hashes, makes
    them count; then they move to their places.

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
    moves = {_waiting(paths[name], sha256(contents[name])): name for name in contents if name != index}
    made = [path for path in moves if not path.exists()]  # others are what an earlier one left to be moved
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
    for path in Path(folder).glob("*.????????.new"):  # of one that was killed before its index was there
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
    """Return the SHA-256 of bytes in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def read_csv(path, columns, content=None):
    """Read a table as text; a ValueError names the file if it is no CSV or lacks a column.

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
            path if content is None else io.BytesIO(content), dtype=str, keep_default_na=False
        )
    except ValueError as error:  # pandas names no file
        raise DataError(f"{path} cannot be read as CSV ({str(error).strip()})") from None
    if missing := sorted(set(columns) - set(table.columns)):
        raise DataError(f"{path} must have the columns {', '.join(columns)}; it lacks {', '.join(missing)}")
    return table
