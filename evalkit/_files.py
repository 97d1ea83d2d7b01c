"""Files that are whole or not there."""

import os
import tempfile
from pathlib import Path


def write_atomically(path, content):
    """Write bytes to `path` so that a reader sees the old file or the new one, never a part.

    Parameters
    ----------
    path : path-like
        Its folder is made if it is missing.
    content : bytes
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
