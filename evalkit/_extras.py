"""What evalkit needs beyond its four dependencies: the extras of pyproject.toml.

The lists stand there alone; an installed package knows them from its metadata. Each
place that goes beyond the four asks for its extra by name before it imports anything of
it. lab does the same with its own.
"""

import functools
import re
from importlib import metadata
from pathlib import Path

# Extras are installed from the checkout, where there is one.
_IN_CHECKOUT = (Path(__file__).resolve().parents[1] / "pyproject.toml").is_file()


class MissingExtraError(ImportError):
    """Something was asked for that an extra brings, and the extra is not installed."""


@functools.cache
def packages(distribution, extra):
    """Return the names of the packages of an extra.

    Parameters
    ----------
    distribution, extra : str

    Returns
    -------
    tuple of str
        Empty if the distribution is not installed, but found in a checkout: then
        nothing is known of it.
    """
    try:
        requirements = metadata.requires(distribution) or []
    except metadata.PackageNotFoundError:
        return ()
    belongs = re.compile(rf"""extra\s*==\s*["']{extra}["']""")
    return tuple(
        re.match(r"[\w.-]+", line).group()
        for line in requirements
        if belongs.search(line)
    )


def _is_installed(package):
    try:
        metadata.distribution(package)
    except metadata.PackageNotFoundError:
        return False
    return True


def lacking(names):
    """Return those of some packages that are not installed.

    Parameters
    ----------
    names : iterable of str

    Returns
    -------
    list of str
    """
    return [name for name in names if not _is_installed(name)]


def need(extra, what, *, distribution="evalkit-book", folder="."):
    """Raise an error unless the packages of an extra are installed.

    Parameters
    ----------
    extra : str
        As in pyproject.toml.
    what : str
        What needs it: the subject of the message.
    distribution : str
    folder : str
        That of its pyproject.toml, in a checkout.

    Raises
    ------
    MissingExtraError
        With the packages that are missing, and the command that installs them.
    """
    if missing := lacking(packages(distribution, extra)):
        install = (
            f'-e "{folder}[{extra}]" in the checkout'
            if _IN_CHECKOUT
            else f'"{distribution}[{extra}]"'
        )
        raise MissingExtraError(
            f"{what} needs {', '.join(missing)}, which the extra"
            f" {distribution}[{extra}] brings: python -m pip install {install}"
        )
