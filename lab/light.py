"""The book without torch, or without its text: a cell that needs them shows what it
showed where they were.

The corpus is the docstrings of six packages: without one of them no sample of the lines
can be drawn, and another sample would have other numbers. So a page that reads the
corpus calls `use_record`. A cell that fails for want of torch or of a text shows its
recorded outputs, and so does each later cell that needs a name from such a cell. All
other cells run. A notebook says so; on a page the build marks these cells.
"""

import ast
import contextlib
import dis
import hashlib
import json
import os
import sys
from types import ModuleType

from evalkit._extras import MissingExtraError, lacking
from lab.data import DATA
from lab.data.docstrings import CorpusError

PAGES = DATA / "pages"  # a file for each page: by the hash of a cell, its outputs
stood_in = []  # the keys of the cells of this kernel that showed theirs
_LACKS = "torch"
NOTE = "torch is not installed here: cells that need it show what was recorded."
_HINT = (
    "What this cell asks for comes from a cell that needs torch or the book's text: pip"
    " install -r requirements.txt"
)


def use_record(page):
    """Let the cells of a notebook that need torch, or the corpus, show what was
    recorded, where these are not to be had.

    Parameters
    ----------
    page : str
        Whose record: "splits", say.
    """
    from IPython import get_ipython

    if shell := get_ipython():
        recorded = json.loads((PAGES / f"{page}.json").read_text(encoding="utf-8"))[
            "cells"
        ]
        _Stand(shell, recorded)
        if lacking([_LACKS]) and not _is_page():
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


def _is_page():
    """Tell whether the book is built: it marks what stands in."""
    return "EVALKIT_BOOK" in os.environ


def _is_want(error):
    """Tell whether an error says that torch, or a text, is not there."""
    if isinstance(error, ModuleNotFoundError):
        return error.name == _LACKS
    is_extra = isinstance(error, MissingExtraError) and _LACKS in str(error)
    return is_extra or isinstance(error, CorpusError)


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
        shell.set_custom_exc((ImportError, CorpusError, NameError), self._fail)

    def _begin(self, info):
        self.source, self.before, self.settled = (
            info.raw_cell,
            dict(self.shell.user_ns),
            None,
        )

    def _fail(self, shell, kind, error, trace, tb_offset=None):
        known = isinstance(error, NameError) and error.name in self.missing
        outputs = self.recorded.get(cell_key(self.source))
        if outputs is None or not (known or _is_want(error)):
            shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
            if known or _is_want(error):
                print(_HINT, file=sys.stderr)
            return
        if isinstance(error, CorpusError) and not _is_page():
            print(f"This cell shows what was recorded: {error}")
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
