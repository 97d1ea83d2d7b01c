"""The reference and its index list what there is: each public name once, each module
that others use.
"""

import ast
import importlib
import pkgutil
import re
from collections import Counter
from dataclasses import is_dataclass
from pathlib import Path

from grids import grid
from test_cells import sources
from valid_calls import BESIDE

import evalkit
import lab
from evalkit import results

ROOT = Path(__file__).resolve().parents[1]
INDEX = (ROOT / "book" / "api.md").read_text(encoding="utf-8")
PAGES = {
    path.stem: path.read_text(encoding="utf-8")
    for path in sorted(ROOT.glob("book/api/*.md"))
}


def listed(page):
    """Yield the dotted name of each function and class that a page has by itself."""
    module = ""
    for directive, name in re.findall(
        r"(?m)^\.\. (currentmodule|autofunction|autoclass):: (\S+)", page
    ):
        if directive == "currentmodule":
            module = name
        else:
            yield name if name.startswith("evalkit.") else f"{module}.{name}"


def members(page):
    """Return (module, names) of each module that a page has with some of its names."""
    found = re.findall(
        r"(?m)^\.\. automodule:: (\S+)\n(?:   :members:(?: (.+))?\n)?", page
    )
    return [(module, re.findall(r"[^,\s]+", names)) for module, names in found]


LISTED = Counter(name for page in PAGES.values() for name in listed(page))
MEMBERS = [pair for page in PAGES.values() for pair in members(page)]
PUBLIC, OF_LAB = (
    {
        info.name
        for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        if not any(part.startswith("_") for part in info.name.split("."))
    }
    for package in (evalkit, lab)
)
# The chapters' modules are documented by the names that evalkit itself offers, results
# one by one.
CHAPTERS = {
    f"evalkit.{path.stem}" for path in Path(evalkit.__file__).parent.glob("*.py")
} & {
    "evalkit.results",
    *(getattr(evalkit, name).__module__ for name in evalkit.__all__),
}
# What a command or a page is for; neither is called from elsewhere.
UNLISTED = {"evalkit.cli", "evalkit.plots"}


def test_every_public_name_is_listed_once():
    names = [f"evalkit.{name}" for name in evalkit.__all__]
    names += [
        f"evalkit.results.{name}"
        for name, kind in vars(results).items()
        if is_dataclass(kind)
    ]
    names += [f"{function.__module__}.{function.__name__}" for function in BESIDE]
    unlike = [name for name in names if LISTED[name] != 1]
    assert not unlike, "give each one directive on a page of book/api/"


def resolved(name):
    """Return what a dotted name means."""
    module, _, last = name.rpartition(".")
    return getattr(importlib.import_module(module), last)


@grid("page", PAGES)
def test_a_page_has_what_is_in_its_modules(page):
    modules = re.findall(r"Module `(evalkit\.\w+)`", PAGES[page]) or ["lab"]
    assert modules[0] in (f"evalkit.{page}", page)
    own = [resolved(name) for name in listed(PAGES[page])]
    assert {value.__module__ for value in own} <= {*modules}
    inside = tuple(f"{module}." for module in modules)
    assert all(f"{name}.".startswith(inside) for name, _ in members(PAGES[page]))


def test_the_index_names_each_page_and_each_module_of_it():
    pages = re.findall(r"\{doc\}`(\S+) <api/(\w+)>`(.*)", INDEX)
    assert sorted(page for _, page, _ in pages) == sorted(PAGES)
    for title, page, line in pages:
        also = re.findall(r"`(evalkit\.\w+)`", line)
        modules = re.findall(r"Module `(evalkit\.\w+)`", PAGES[page])
        assert [title, *also] == (modules or ["lab"])


def test_every_module_is_listed_or_has_a_reason_not_to_be():
    listed = {module for module, _ in MEMBERS}
    assert listed | UNLISTED | CHAPTERS >= PUBLIC
    assert listed <= PUBLIC | OF_LAB


def test_every_module_of_the_laboratory_is_named_once():
    # What is inside a paper is named with the paper, and an experiment where a page
    # calls it.
    inside = re.compile(r"lab\.(papers\.\w+\d+|experiments)\.")
    outside = {name for name in OF_LAB if not inside.match(name)}
    named = [module for module, _ in MEMBERS if module in OF_LAB] + re.findall(
        r"`(lab\.[\w.]+)`", "".join(PAGES.values())
    )
    assert {name: named.count(name) for name in outside} == dict.fromkeys(outside, 1)
    assert set(named) <= OF_LAB


def called_by_pages():
    """Return the functions and classes that pages take from the laboratory, by
    module.
    """
    called = set()
    for page in [*ROOT.glob("book/**/*.md"), *ROOT.glob("notebooks/*.ipynb")]:
        code = "\n".join(code for _, code in sources(page))
        tree, modules = ast.parse(re.sub(r"(?m)^[%!].*$", "", code)), {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] == "lab":
                for alias in node.names:
                    name = f"{node.module}.{alias.name}"
                    if name in OF_LAB:
                        modules[alias.asname or alias.name] = name
                    else:
                        called.add((node.module, alias.name))
        for node in ast.walk(tree):
            first, _, rest = (
                ast.unparse(node).partition(".")
                if isinstance(node, ast.Attribute)
                else ("", "", "")
            )
            if first in modules:
                module, _, name = f"{modules[first]}.{rest}".rpartition(".")
                called |= {(module, name)} if module in OF_LAB else set()
    values = {
        (module, name): getattr(importlib.import_module(module), name, None)
        for module, name in called
    }
    return {pair for pair, value in values.items() if callable(value)}


def test_what_pages_call_of_the_laboratory_is_documented_and_nothing_else():
    documented = {
        (module, name)
        for module, names in MEMBERS
        if module in OF_LAB
        for name in names
    }
    assert len(documented) > 30
    assert documented == called_by_pages()


def test_what_is_listed_is_there_and_explained():
    of_modules = [f"{module}.{name}" for module, names in MEMBERS for name in names]
    for name in [*LISTED, *of_modules]:
        assert resolved(name).__doc__, name
