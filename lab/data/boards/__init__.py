"""What boards release beside the numbers that they print: answers item by item, and
runs one by one.

The extracts in data/boards/ hold numbers alone, with the names of systems and the ids
of items. `python -m lab.data.boards` makes them again from the registered files. What
each board holds, and where it does not agree with itself, is in the docstring of its
function; the licences lie beside the extracts. SWE-bench's file may not be passed on,
so it has no extract: `swebench` opens the registered file.
"""

from lab.data.boards import _judged, _livecodebench, _systems, _trained
from lab.data.boards._judged import (
    TEMPLATES,
    gpqa,
    openqa,
    realmistake,
    realmistake_repeats,
    xstest,
)
from lab.data.boards._livecodebench import TABLES, cutoffs, livecodebench
from lab.data.boards._systems import aider, swebench, swebench_pro, taubench
from lab.data.boards._trained import automl, hans, opda

__all__ = [
    "EXTRACTS",
    "TABLES",
    "TEMPLATES",
    "aider",
    "automl",
    "cutoffs",
    "extract",
    "gpqa",
    "hans",
    "livecodebench",
    "opda",
    "openqa",
    "realmistake",
    "realmistake_repeats",
    "swebench",
    "swebench_pro",
    "taubench",
    "xstest",
]

_MAKERS = _judged.MAKERS | _livecodebench.MAKERS | _systems.MAKERS | _trained.MAKERS
EXTRACTS = tuple(_MAKERS)


def extract(name):
    """Make one extract from its registered file or files, as text.

    Parameters
    ----------
    name : str
        One of `EXTRACTS`: the name of a file in data/boards/ without its ".csv".

    Returns
    -------
    str
        A CSV file.
    """
    return _MAKERS[name]()
