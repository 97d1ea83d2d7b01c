"""What lab needs beyond its dependencies: the extras of lab/pyproject.toml, and the
packages it compares.
"""

from evalkit import _extras
from evalkit._extras import MissingExtraError, lacking

# The packages that evalkit is compared with: nothing of the book needs them.
PEERS = "requirements-bench.txt"


def need(extra, what):
    """Raise an error unless the packages of an extra are installed.

    Parameters
    ----------
    extra : str
        As in lab/pyproject.toml.
    what : str
        What needs it: the subject of the message.

    Raises
    ------
    MissingExtraError
        With the packages that are missing, and the command that installs them.
    """
    _extras.need(extra, what, distribution="evalkit-book-lab", folder="./lab")


def need_peers(names, what):
    """Raise an error unless packages are installed that evalkit is compared with, and
    that no extra brings.

    Parameters
    ----------
    names : iterable of str
    what : str
        What needs them: the subject of the message.

    Raises
    ------
    MissingExtraError
        With the packages that are missing, and the file that pins them.
    """
    if missing := lacking(names):
        raise MissingExtraError(
            f"{what} needs {', '.join(missing)}, which {PEERS} in a checkout of the"
            f" book pins: python -m pip install -r {PEERS}"
        )
