"""evalkit: the statistics behind the book on comparing machine-learning systems.

Importing it loads nothing; the first public name that is used loads the statistics, and
nothing else: no torch, no matplotlib, no data. What the functions return is in
`evalkit.results`.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:  # editors complete the names and show their docstrings
    from evalkit._api import *  # noqa: F403

# Modules that are loaded when they are asked for, as the public names of _api are.
_ROOMS = ("decision", "explore", "results")
# What stands above the statistics, and needs them all, or none.
_ABOVE = {"report": "reports", "which_test": "decision"}


def _refuse_the_other_project():
    """Raise an ImportError where the `evalkit` of the package index was installed into
    this folder too.
    """
    from pathlib import Path

    if other := sorted(Path(__file__).resolve().parents[1].glob("evalkit-*.dist-info")):
        raise ImportError(
            f"another project, {other[0].stem}, shares its environment with"
            " evalkit-book, and they write over each other's files: pip uninstall"
            " evalkit evalkit-book, then install the one you need"
        )


_refuse_the_other_project()


def __getattr__(name):
    # The command line must answer --help at once, and NumPy, SciPy, pandas and
    # scikit-learn take a second.
    from importlib import import_module, metadata

    if name == "__version__":
        try:
            value = metadata.version("evalkit-book")
        except (
            metadata.PackageNotFoundError
        ):  # run from a checkout that was not installed
            value = "unknown"
    elif name in _ABOVE:
        value = getattr(import_module(f"evalkit.{_ABOVE[name]}"), name)
    elif name in _ROOMS:
        value = import_module(f"evalkit.{name}")
    elif name == "__all__":
        offered = vars(import_module("evalkit._api"))
        # Not what Python, or pytest as "@py_builtins", puts there for itself.
        value = sorted([*_ABOVE, *(one for one in offered if one[0].isalpha())])
    elif not name.startswith("_") and name in __getattr__("__all__"):
        value = getattr(import_module("evalkit._api"), name)
    else:
        raise AttributeError(f"module 'evalkit' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *__getattr__("__all__"), *_ROOMS})
