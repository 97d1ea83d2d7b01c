"""The explorers as a set: which there are, what they import, and that none has colours
of its own.
"""

import json
import pkgutil
import re
import subprocess
import sys

import yaml
from chapter_explorers import PAGES, ROOT, calls, chapter_explorer
from grids import grid

from evalkit import explore, plots

SHARED = {
    *("_bits", "_controls", "_drawn", "_form", "_luck", "_picture", "_play"),
    *("_searches", "_tables", "_words"),
}
MODULES = {found.name for found in pkgutil.iter_modules(explore.__path__)} - SHARED


def chapters():
    parts = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))["parts"]
    (numbered,) = (part for part in parts if part.get("numbered"))
    return [chapter["file"].removeprefix("book/") for chapter in numbered["chapters"]]


def explorers_of(chapter):
    return {
        name
        for name in explore.__all__
        if getattr(explore, name).__module__.endswith(f"._{chapter}")
    }


def test_each_chapter_has_a_module_of_explorers_and_each_module_a_chapter():
    places = [*chapters(), *PAGES]
    assert {f"_{place}" for place in places} == MODULES
    assert set().union(*map(explorers_of, places)) == set(explore.__all__)
    for chapter in chapters():  # the only one of a chapter has its name
        assert explorers_of(chapter) == {chapter} or len(explorers_of(chapter)) > 1


@grid(
    ("page", "chapter"),
    [
        *((page, of) for of, page in PAGES.items()),
        *((name, name) for name in chapters()),
    ],
)
def test_a_page_shows_the_explorers_of_its_chapter_and_no_other(page, chapter):
    assert set(calls(ROOT / "book" / f"{page}.md")) == explorers_of(chapter)


def test_what_pages_call_is_there():
    for page in (ROOT / "README.md", *(ROOT / "book").glob("*.md")):
        called = re.findall(r"\bexplore\.(\w+)\(", page.read_text(encoding="utf-8"))
        assert set(called) <= set(explore.__all__), page


def test_every_explorer_has_an_address_of_its_own_and_links_reach_it():
    explorers = [chapter_explorer(name) for name in explore.__all__]
    controls = {
        explorer.name: {c.name: c for c in explorer.controls} for explorer in explorers
    }
    assert len(controls) == len(explorers)
    links = [
        link
        for page in (ROOT / "book").glob("*.md")
        for link in re.findall(
            r"\w+\.html\?([\w-]+)\.(\w+)=(\w+)", page.read_text(encoding="utf-8")
        )
    ]
    assert links
    for name, control, value in links:
        assert value in map(str, controls[name][control].values)


TRACED = """
import builtins, json, sys
asked, original = set(), builtins.__import__
def traced(name, globals=None, *others, **named):
    if (globals or {}).get("__name__", "").startswith("evalkit"):
        asked.add(name.partition(".")[0])
    return original(name, globals, *others, **named)
builtins.__import__ = traced
from evalkit import explore
explore.mcnemar().curve(explore.mcnemar().start)
explore.jkfold([[0.1, 0.2], [0.2, 0.3]]).drawn()
print(json.dumps([sorted(asked), sorted(sys.modules)]))
"""


def test_explorers_import_nothing_of_the_laboratory_and_nothing_that_they_do_not_show():
    done = subprocess.run(
        [sys.executable, "-c", TRACED],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    asked, loaded = map(set, json.loads(done.stdout))
    for name in (
        "lab",
        "sqlite3",
        "_sqlite3",
        "dask",
        "distributed",
        "filelock",
        "torch",
        "ipywidgets",
        "matplotlib",
    ):
        assert name not in loaded
    assert "joblib" not in asked  # scikit-learn brings its own


def test_no_explorer_has_a_colour_of_its_own():
    for module in MODULES:
        source = (ROOT / "evalkit" / "explore" / f"{module}.py").read_text(
            encoding="utf-8"
        )
        assert not re.findall("#[0-9A-Fa-f]{6}", source)
    assert plots.INK.lower() not in {
        colour.lower() for colour in plots.COLOURS.values()
    }
