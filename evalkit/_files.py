"""Files that are whole or not there."""

import os
import stat
import tempfile
from pathlib import Path

# What opens like a file, and then fails in other words, waits or never ends.
_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def no_file(path):
    """Say what stands at a place instead of a file: a pipe or a device has no end, or
    never begins.

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
    return next((kind for is_kind, kind in _KINDS if is_kind(mode)), None)


def identities(path):
    """Return what two names of one file have in common, be they links, hard links or
    other spellings.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    set
        Its real path and, where it is there, its number on its disk: one of them in
        common is enough.
    """
    real = os.path.normcase(os.path.realpath(path))
    if not os.path.exists(real):
        return {real}
    status = os.stat(real)
    return {real, (status.st_dev, status.st_ino)}


def write_atomically(path, content):
    """Write bytes to `path` so that a reader sees the old file or the new one, never a
    part.

    Parameters
    ----------
    path : path-like
        Its folder is made if it is missing. A file that is there keeps its mode; behind
        a link, the file that it points to is replaced.
    content : bytes
    """
    path = Path(os.path.realpath(path))
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o644
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(
        dir=path.parent, prefix=path.name, suffix=".part"
    )
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
