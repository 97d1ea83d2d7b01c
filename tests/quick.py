"""Run the tests of what the working tree has changed, the nearest first, for 45
seconds: `make quick`.

Near is a test that changed, or bears the name of a module that did; then come the
tests that import it, and those that import what imports it. A page has the tests that
read pages. What there was no time for, and what no test is known for, is named: `make
test` runs it.
"""

import ast
import functools
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SECONDS = 45  # with lint and imports, a minute
OF_PAGES = [f"tests/test_{name}.py" for name in ("style", "cells", "density")]


def changed():
    """Return the files that differ from the last commit, or are new."""
    asked = ["git", "status", "--porcelain", "--untracked-files=all", "--no-renames"]
    lines = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True)
    return [line[3:].strip('"') for line in lines.stdout.splitlines()]


def module_of(path):
    """Return the name by which a file is imported: a helper of the tests by its own."""
    parts = Path(path).with_suffix("").parts
    if parts[0] == "tests":
        return parts[-1]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@functools.cache
def places():
    """Return where each public name of evalkit is made."""
    tree = ast.parse((ROOT / "evalkit" / "_api.py").read_text("utf-8"))
    made_in = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: node.module for node in made_in for alias in node.names}


def imported(path):
    """Return the modules that a file of Python imports, each with its packages."""
    tree, found = ast.parse(path.read_text("utf-8")), set()
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                found |= {alias.name for alias in names}
            case ast.ImportFrom(module=module, names=names) if module:
                found |= {module, *(f"{module}.{alias.name}" for alias in names)}
                if module == "evalkit":
                    found |= {places().get(alias.name, module) for alias in names}
            case ast.Attribute(value=ast.Name(id="ek" | "evalkit"), attr=name):
                found.add(places().get(name, "evalkit"))
    return found


def distances(starts, graph):
    """Return, of what imports the changed modules, how many imports lie between."""
    found, edge = dict.fromkeys(starts, 0), set(starts)
    while edge:
        edge = {p for p, needs in graph.items() if needs & edge and p not in found}
        found |= dict.fromkeys(edge, max(found.values()) + 1)
    return found


@functools.cache
def read():
    """Return the file of each of our modules, and what each imports."""
    files = [
        file.relative_to(ROOT)
        for folder in ("evalkit", "lab", "tests")
        for file in (ROOT / folder).rglob("*.py")
        if not {"browser", "faults"} & {*file.parts}
    ]
    modules = {module_of(file): str(file) for file in files}
    # A package hands on everything: who imports it names what it wants.
    hands_on = {name for name, path in modules.items() if path.endswith("__init__.py")}
    return modules, {n: imported(ROOT / p) - hands_on for n, p in modules.items()}


def chosen(files):
    """Return the files with tests of what changed, the nearest first, and the changed
    files that no test is known for.
    """
    modules, graph = read()
    starts = {module_of(file) for file in files if file.endswith(".py")} & {*modules}
    near = distances(starts, graph) if starts else {}
    for start in starts:
        named = re.compile(rf"test_(\w+_)?{start.rpartition('.')[2].strip('_')}(_|$)")
        near |= {name: 0 for name in near if named.match(name)}
    tests = sorted(name for name in near if name.startswith("test_"))
    doctests = [
        modules[s] for s in sorted(starts) if not modules[s].startswith("tests")
    ]
    paths = doctests + [modules[name] for name in sorted(tests, key=near.get)]
    pages = [
        file for file in files if re.match(r"(book|notebooks)/.*\.(md|ipynb)", file)
    ]
    known = {modules[start] for start in starts}
    if pages:
        paths, known = [*OF_PAGES, *paths], known | {*pages}
    return list(dict.fromkeys(paths)), sorted({*files} - known)


class ForSeconds:
    """A plugin that starts no test after so many seconds, and says what it left."""

    def __init__(self, seconds):
        self.end, self.left = time.monotonic() + seconds, {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item):
        """Pass over a test for which there is no time."""
        if time.monotonic() < self.end:
            return None
        file = item.nodeid.partition("::")[0]
        self.left[file] = self.left.get(file, 0) + 1
        return True

    def pytest_terminal_summary(self, terminalreporter):
        """Name the files that were not run, or not to their end."""
        for file, count in self.left.items():
            terminalreporter.write_line(f"no time for {count} tests of {file}")


def main():
    """Run what is near, and say what was left."""
    tests, without = chosen(changed())
    for file in without:
        print(f"no test is known for {file}: make test, or make page")
    if not tests:
        print("nothing to test")
        return 0
    return pytest.main(["-m", "not slow", *tests], plugins=[ForSeconds(SECONDS)])


if __name__ == "__main__":
    sys.exit(main())
