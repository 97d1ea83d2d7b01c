"""The page of the reference lists what there is: each public name once, each module that others use."""

import importlib
import pkgutil
import re
from collections import Counter
from dataclasses import is_dataclass
from pathlib import Path

import pytest
from valid_calls import BESIDE

import evalkit
from evalkit import results

PAGE = (Path(__file__).resolve().parents[1] / "book" / "api.md").read_text(encoding="utf-8")


def listed():
    """Yield the dotted name of each function and class on the page."""
    module = ""
    for directive, name in re.findall(r"(?m)^\.\. (currentmodule|autofunction|autoclass):: (\S+)", PAGE):
        if directive == "currentmodule":
            module = name
        else:
            yield name if name.startswith("evalkit.") else f"{module}.{name}"


LISTED = Counter(listed())
MEMBERS = re.findall(r"(?m)^\.\. automodule:: (\S+)\n(?:   :members: (.+)\n)?", PAGE)
PUBLIC = {
    info.name
    for info in pkgutil.walk_packages(evalkit.__path__, "evalkit.")
    if not any(part.startswith("_") for part in info.name.split("."))
}
# The chapters' modules are documented by the names that evalkit itself offers, results one by one.
CHAPTERS = {f"evalkit.{path.stem}" for path in Path(evalkit.__file__).parent.glob("*.py")} & {
    "evalkit.results",
    *(getattr(evalkit, name).__module__ for name in evalkit.__all__),
}
# What a command, a page or a folder is for; none of them is called from elsewhere.
UNLISTED = {
    "evalkit.cli",
    "lab.clusters",
    "lab.experiments",
    "lab.pages",
    "lab.papers",
    "evalkit.plots",
}


def test_every_public_name_is_listed_once():
    names = [f"evalkit.{name}" for name in evalkit.__all__]
    names += [f"evalkit.results.{name}" for name, kind in vars(results).items() if is_dataclass(kind)]
    names += [f"{function.__module__}.{function.__name__}" for function in BESIDE]
    assert {name: LISTED[name] for name in names} == dict.fromkeys(names, 1)


def test_what_is_listed_by_itself_is_there():
    for name in LISTED:
        module, _, last = name.rpartition(".")
        assert getattr(importlib.import_module(module), last).__doc__, name


def test_the_explorers_are_listed_by_their_module():
    assert ("evalkit.explore", "") in MEMBERS
    assert ".. automodule:: evalkit.explore\n   :members:\n" in PAGE


def test_every_module_is_listed_or_has_a_reason_not_to_be():
    listed = {module for module, _ in MEMBERS}
    inside = {name for name in PUBLIC if re.match(r"evalkit\.papers\.\w+\d", name)}
    assert listed | UNLISTED | CHAPTERS >= PUBLIC - inside
    assert listed <= PUBLIC


@pytest.mark.parametrize(("module", "members"), MEMBERS, ids=[module for module, _ in MEMBERS])
def test_what_is_listed_is_there_and_explained(module, members):
    for name in filter(None, re.split(r",\s*", members)):
        assert getattr(importlib.import_module(module), name).__doc__, name
