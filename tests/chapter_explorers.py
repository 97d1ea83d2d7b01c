"""The explorers as the chapters show them, with the book's tables: their calls are read
from the pages.
"""

import ast
import functools
from pathlib import Path

import jupytext
import numpy as np

from evalkit import explore
from evalkit.explore._play import Play
from lab import pages
from lab.experiments import explorers
from lab.record import tables

ROOT = Path(__file__).resolve().parents[1]
NEEDS = (
    "from evalkit import explore\nfrom lab import pages\nfrom lab.experiments import"
    " explorers\nfrom lab.record import tables"
)


def chapter_of(name):
    page = getattr(explore, name).__module__.rpartition("._")[2]
    return "intro" if page == "cover" else page


@functools.cache
def calls(page):
    """From the name of each explorer that a page shows to the line of code that shows
    it.
    """
    code = [
        cell.source
        for cell in jupytext.read(page).cells
        if cell.cell_type == "code" and "explore." in cell.source
    ]
    shown = [
        node.value
        for node in ast.parse("\n".join(code)).body
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    ]
    return {
        call.func.attr: ast.unparse(call)
        for call in shown
        if isinstance(call.func, ast.Attribute)
        and ast.unparse(call.func.value) == "explore"
    }


def chapter_call(name):
    return calls(ROOT / "book" / f"{chapter_of(name)}.md")[name]


@functools.cache
def chapter_explorer(name):
    return eval(
        chapter_call(name),
        {"explore": explore, "explorers": explorers, "pages": pages, "tables": tables},
    )


# Those that draw, in the chapters and on the cover; and others, from a reader's own
# scores and at an edge.
NAMES = [name for name in explore.__all__ if isinstance(chapter_explorer(name), Play)]
_OWN = [71.5, 74.0, 69.25, 80.0, 77.5, 73.0, 75.5]
OWN_ANSWERS = np.random.default_rng(0).random((80, 5)) < [0.7, 0.5, 0.72, 0.6, 0.7]
OTHERS = {
    "own expected_maximum": lambda: explore.expected_maximum(_OWN, minimize=True),
    "own intervals": lambda: explore.intervals(_OWN),
    "own leaderboards": lambda: explore.leaderboards(OWN_ANSWERS),
    "own seeds": lambda: explore.seeds(_OWN),
    "no difference": lambda: explore.mcnemar(0, 0),
}


@functools.cache
def plays(name):
    return OTHERS[name]() if name in OTHERS else chapter_explorer(name)
