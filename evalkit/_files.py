"""Files that are whole or not there."""

import os
import stat
import tempfile
from pathlib import Path


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
