"""The book without torch: a cell that needs it, or its docstrings, shows what it showed
where torch was.

The corpus is the docstrings of six packages, and one of them is torch: without it no
sample of the lines can be drawn, and another sample would have other numbers. So a page
that reads the corpus calls `use_record`. Where torch is not installed, a cell that
fails for want of it shows its recorded outputs, and so does each later cell that needs
a name from such a cell. All other cells run. A notebook says so once, where it calls
`use_record`; on a page the build marks these cells.
"""

import ast
import contextlib
import dis
import hashlib
import json
import os
import sys
from importlib import metadata
from types import ModuleType

from evalkit._extras import MissingExtraError, lacking
from lab.data import DATA

PAGES = DATA / "pages"  # a file for each page: by the hash of a cell, its outputs
stood_in = []  # the keys of the cells of this kernel that showed theirs
_LACKS = "torch"
NOTE = "torch is not installed here: cells that need it show what was recorded."
_HINT = (
    "What this cell asks for comes from a cell that needs torch: pip install -r"
    " requirements.txt"
)


def use_record(page):
    """Let the cells of a notebook that need torch show what was recorded, where torch
    is not installed.

    Parameters
    ----------
    page : str
        Whose record: "splits", say.
    """
    if not lacking([_LACKS]):
        return
    from IPython import get_ipython

    if shell := get_ipython():
        recorded = json.loads((PAGES / f"{page}.json").read_text(encoding="utf-8"))[
            "cells"
        ]
        _Stand(shell, recorded)
        if "EVALKIT_BOOK" not in os.environ:
            print(NOTE)


def cell_key(source):
    """Return the name of a cell in a record: it changes with each sign of the cell.

    Parameters
    ----------
    source : str

    Returns
    -------
    str
    """
    return hashlib.sha256(source.strip().encode()).hexdigest()[:16]


def _needs_torch(error):
    """Tell whether an error says that torch is not there."""
    if isinstance(error, metadata.PackageNotFoundError | ModuleNotFoundError):
        return error.name == _LACKS
    return isinstance(error, MissingExtraError) and _LACKS in str(error)


class _Stand:
    """What stands in for the cells of one kernel that cannot run.

    Parameters
    ----------
    shell : IPython.core.interactiveshell.InteractiveShell
    recorded : dict of str to list
        By `cell_key`, the outputs of a cell, as a notebook has them.
    """

    def __init__(self, shell, recorded):
        self.shell, self.recorded = shell, recorded
        self.missing = set()  # names that no cell could bind
        self.source, self.before, self.settled = "", {}, None
        shell.events.register("pre_run_cell", self._begin)
        shell.events.register("post_run_cell", self._end)
        # The first is all that lacks a package.
        shell.set_custom_exc((ImportError, NameError), self._fail)

    def _begin(self, info):
        self.source, self.before, self.settled = (
            info.raw_cell,
            dict(self.shell.user_ns),
            None,
        )

    def _fail(self, shell, kind, error, trace, tb_offset=None):
        known = isinstance(error, NameError) and error.name in self.missing
        outputs = self.recorded.get(cell_key(self.source))
        if outputs is None or not (known or _needs_torch(error)):
            shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
            if known or _needs_torch(error):
                print(_HINT, file=sys.stderr)
            return
        stood_in.append(cell_key(self.source))
        self._forget()
        self._show(outputs)
        self.settled = error

    def _forget(self):
        """Leave no name as a cell that failed half way left it; what it imported or
        defined is whole.
        """
        names = self.shell.user_ns
        for name in _bound(self.source):
            value = names.get(name)
            own = getattr(value, "__module__", None) == "__main__"
            defined = callable(value) and not (own and value is self.before.get(name))
            if not (defined or isinstance(value, ModuleType)):
                names.pop(name, None)
                self.missing.add(name)

    def _show(self, outputs):
        from IPython.display import clear_output, display

        clear_output()
        with contextlib.suppress(KeyError):
            sys.modules["matplotlib.pyplot"].close("all")  # what was drawn by half
        for output in outputs:
            if output["output_type"] == "stream":
                print(output["text"], end="", file=getattr(sys, output["name"]))
            else:
                display(output["data"], raw=True, metadata=output["metadata"])

    def _end(self, result):
        if result.error_in_exec is self.settled:
            result.error_in_exec = None  # the next cell runs


def _bound(source):
    """Return the names that a cell binds."""
    code = compile(ast.parse(source), "cell", "exec")
    return {
        step.argval
        for step in dis.get_instructions(code)
        if step.opname == "STORE_NAME"
    }
