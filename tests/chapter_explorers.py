"""The explorers as the pages show them, with the book's tables: their calls are read
from the pages.
"""

import ast
import functools
from pathlib import Path

import jupytext
import numpy as np

from evalkit import explore
from evalkit.explore._play import ASSETS, SCRIPTS
from lab import pages
from lab.record import tables

ROOT = Path(__file__).resolve().parents[1]
NEEDS = (
    "from evalkit import explore\nfrom lab import pages\nfrom lab.record import tables"
)
PAGES = {"cover": "intro", "twelve": "twelve_models"}  # of no chapter


def chapter_of(name):
    page = getattr(explore, name).__module__.rpartition("._")[2]
    return PAGES.get(page, page)


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
    names = {"explore": explore, "pages": pages, "tables": tables}
    return eval(chapter_call(name), names)


NAMES = list(explore.__all__)
_OWN = [71.5, 74.0, 69.25, 80.0, 77.5, 73.0, 75.5]
OWN_ANSWERS = np.random.default_rng(0).random((80, 5)) < [0.7, 0.5, 0.72, 0.6, 0.7]
# From a reader's own scores, and at an edge.
OTHERS = {
    "own baselines": lambda: explore.baselines([*"bbbaaccccccc"]),
    "own expected_maximum": lambda: explore.expected_maximum(_OWN, minimize=True),
    "own intervals": lambda: explore.intervals(_OWN),
    "own jkfold": lambda: explore.jkfold(
        np.random.default_rng(0).normal(size=(20, 5)).round(1)
    ),
    "own leaderboards": lambda: explore.leaderboards(OWN_ANSWERS),
    "own seeds": lambda: explore.seeds(_OWN),
    "own tuning": lambda: explore.tuning(
        {"old": _OWN, "new": [3 + score for score in _OWN[:4]]},
        seconds={"old": 2.0, "new": 7.0},
        minimize=True,
    ),
    "no difference": lambda: explore.mcnemar(0, 0),
}


@functools.cache
def plays(name):
    return OTHERS[name]() if name in OTHERS else chapter_explorer(name)


def document(play):
    """A page of an explorer alone, with its scripts and its style."""
    parts = {name: (ASSETS / name).read_text(encoding="utf-8") for name in SCRIPTS}
    scripts = "".join(f"<script>{script}</script>" for script in parts.values())
    style = (ASSETS / "play.css").read_text(encoding="utf-8")
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{play.title}</title><style>{style}</style>"
        f'<body>{play.page()}<p id="after">Below.</p>{scripts}</body></html>'
    )
