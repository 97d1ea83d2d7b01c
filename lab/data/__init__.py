"""Where the book's data are, and what is said when they cannot be had or are not what
they should be.
"""

import os
from pathlib import Path

# The repository's data folder: lab is installed from a checkout (pip install -e), never
# alone.
DATA = Path(__file__).resolve().parents[2] / "data"


class DataError(ValueError):
    """Data are missing, changed or damaged: a record, an upstream file, or the frozen
    corpus.
    """


def cache_folder():
    """Return the folder for files that can be made again; `EVALKIT_CACHE` overrides it.

    Returns
    -------
    pathlib.Path
    """
    if folder := os.environ.get("EVALKIT_CACHE"):
        return Path(folder)
    return (
        Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "evalkit-book"
    )
