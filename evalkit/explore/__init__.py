"""One figure for each chapter that a reader plays: on a static page, and in a live
kernel.

In a notebook, `explore.expected_maximum(scores)` shows the figure of your own runs. The
chapter's page gives it the book's table instead, as `recorded=`.
"""

import importlib
import pkgutil

# Each chapter has a module of its name here, and the module's __all__ names the
# chapter's explorers.
_MODULES = [
    importlib.import_module(f"{__name__}.{found.name}")
    for found in pkgutil.iter_modules(__path__)
]
_EXPLORERS = {
    name: getattr(module, name)
    for module in _MODULES
    for name in getattr(module, "__all__", ())
}

globals().update(_EXPLORERS)
__all__ = list(_EXPLORERS)
