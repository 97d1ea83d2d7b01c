"""Files that every build would make alike: made once, and kept in _build under a hash
of what went in. Without it each build cuts every font again.
"""

import hashlib
import os
import shutil
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "_build" / "kept"


def write_kept(target, parts, make, folder=FOLDER):
    """Write a file, by `make(path)` if what it is made of is new, and else from where
    it was kept.

    Parameters
    ----------
    target : Path
    parts : iterable of bytes
        All that the file depends on: the sources, the choices, the code that makes it.
    make : callable
        Writes the file at the path that it is given.
    folder : Path, optional
        Here files are kept, one under each name of a target.
    """
    digest = hashlib.sha256(
        b"".join(hashlib.sha256(part).digest() for part in parts)
    ).hexdigest()[:16]
    kept = folder / f"{target.name}.{digest}"
    if not kept.exists():
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob(f"{target.name}.*"):
            old.unlink()
        new = folder / f"new.{os.getpid()}.{target.name}"
        make(new)
        new.rename(kept)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(kept, target)
