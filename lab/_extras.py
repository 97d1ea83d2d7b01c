"""What lab needs beyond its dependencies: the extras of lab/pyproject.toml."""

from evalkit import _extras


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
