"""The packages as their readers see them: what they offer, say of themselves and
import.
"""

import ast
import dataclasses
import functools
import graphlib
import importlib.util
import inspect
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpydoc.docscrape import NumpyDocString
from numpydoc.validate import validate
from test_api import ROOT
from test_cells import cells
from valid_calls import VALID

import evalkit
import lab
from evalkit import decision, results

OF_EVALKIT, OF_LAB = (
    sorted(
        info.name
        for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    )
    for package in (evalkit, lab)
)
MODULES = OF_EVALKIT + OF_LAB

# --------------------------------------------------------------------------------------
# Names
# --------------------------------------------------------------------------------------


# What a reader can survey. A name that would make it more takes another's place.
MOST_NAMES = 50


def test_the_top_level_stays_small():
    assert len(evalkit.__all__) <= MOST_NAMES, (
        f"evalkit offers {len(evalkit.__all__)} names, and {MOST_NAMES} at most: keep"
        " the new one in its chapter's module, or take away the one that fewest pages"
        " call (a line of book/changes.md says where its work is done now)"
    )


def test_every_public_name_is_used():
    """By a chapter or its further page, the notebook of a paper, or another page."""
    pages = [*(ROOT / "book").rglob("*.md"), *(ROOT / "notebooks").glob("*.ipynb")]
    used = {
        name
        for page in pages
        for _, tree in cells(page)
        for node in ast.walk(tree)
        for name in names_of_evalkit(node)
    }
    unused = sorted(set(evalkit.__all__) - used)
    assert not unused, (
        f"no page calls {', '.join(unused)}: write the page that needs it first, or"
        " take it out of evalkit/_api.py and say in book/changes.md where its work is"
        " done"
    )


def names_of_evalkit(node):
    """Return what a node of a syntax tree takes from the top of evalkit."""
    match node:
        case ast.Attribute(ast.Name("ek" | "evalkit"), name):
            return [name]
        case ast.ImportFrom("evalkit", names):
            return [alias.name for alias in names]
    return []


def test_results_are_in_their_own_module():
    kinds = {
        name for name, kind in vars(results).items() if dataclasses.is_dataclass(kind)
    }
    assert len(kinds) >= 20
    assert not kinds & set(dir(evalkit))
    made = {
        value.__name__
        for name, value in documented()
        if dataclasses.is_dataclass(value)
        and name.startswith("evalkit.")
        and floor(name) <= STATISTICS
    }
    assert made == kinds


def test_what_was_found_cannot_be_changed():
    own = [
        kind
        for module in OF_EVALKIT
        for kind in vars(importlib.import_module(module)).values()
        if inspect.isclass(kind)
        and dataclasses.is_dataclass(kind)
        and kind.__module__ == module
    ]
    changeable = {
        f"{kind.__module__}.{kind.__name__}"
        for kind in own
        if not kind.__dataclass_params__.frozen
    }
    assert not changeable, "write @dataclass(frozen=True) above each"


def test_no_module_shares_its_name_with_a_public_function():
    assert not {name.removeprefix("evalkit.") for name in OF_EVALKIT} & set(
        evalkit.__all__
    )


def read_only(values):
    array = np.array(values)
    array.flags.writeable = False
    return array


def reversed_index(values):
    # Of another part of a table than what has its numbers from 0.
    return pd.Series(values, index=range(1000 + len(values), 1000, -1))


def shown(result):
    """What two equal calls have in common: some also hold seconds by the clock."""
    table = result.table if isinstance(result, results.Trials) else result
    if isinstance(table, pd.DataFrame):
        return repr(table.drop(columns="seconds", errors="ignore"))
    return repr(result({})) if inspect.isfunction(result) else repr(result)


def writable(value):
    """The same argument, with an array wherever numbers stand in a row: also in tables
    and in dicts.
    """
    if isinstance(value, dict):
        return {name: writable(entry) for name, entry in value.items()}
    if isinstance(value, (list, tuple)):
        try:
            return np.array(value)
        except ValueError:  # ragged
            return tuple(map(writable, value))
    return value


@functools.cache
def of_lists(function):
    return shown(function(**VALID[function]))


# An array that cannot be written to shows that no function changes its input; but it
# stands for lists alone, and what can be written to might be changed and the result be
# the same.
def test_functions_take_any_container_and_leave_it_alone():
    faults = [
        f"{function.__name__}, {container.__name__}: {fault}"
        for function in VALID
        for container in (tuple, read_only, pd.Series, reversed_index, writable)
        if (fault := fault_with(function, container))
    ]
    assert not faults, "\n".join(
        ["as_array of evalkit/_checks.py takes all of these and copies none:", *faults]
    )


def fault_with(function, container):
    """Say what goes wrong when lists come in another container; empty if nothing."""
    arguments = {
        name: (
            container(value)
            if container is writable or isinstance(value, list)
            else value
        )
        for name, value in VALID[function].items()
    }
    before = repr(arguments)
    try:
        result = function(**arguments)
        if container is writable and inspect.isfunction(result):
            result({})  # an objective keeps its data and uses them when called
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if container is not writable and shown(result) != of_lists(function):
        return "another result than of lists"
    return "" if repr(arguments) == before else "its input has changed"


# --------------------------------------------------------------------------------------
# Docstrings
# --------------------------------------------------------------------------------------

CHECKED = {
    "GL03": "no double blank line",
    "GL06": "no unknown section",
    "GL07": "sections in order",
    "GL08": "a docstring at all",
    "PR01": "every parameter is documented",
    "PR02": "no unknown parameter",
    "PR03": "parameters in order",
    "PR05": "no full stop after a type",
    "PR10": "a space before the colon",
    "RT01": "what it returns",
    "YD01": "what it yields",
    "SS01": "a summary",
    "SS02": "which begins with a capital letter",
    "SS03": "and ends with a full stop",
    "SS04": "without leading spaces",
    "SS05": "in the imperative",
}


def needs_words(kind, member, method):
    """Whether a method is public, and not one that overrides another, whose words hold
    for it too.
    """
    overrides = any(hasattr(base, member) for base in kind.__mro__[1:])
    fields = getattr(kind, "__dataclass_fields__", {})
    public = (
        inspect.isfunction(method)
        and not member.startswith("_")
        and member not in fields
    )
    return public and bool(method.__doc__ or not overrides)


def documented():
    """Yield (dotted name, object) of all that is public in any module, with the public
    methods.
    """
    for module in MODULES:
        for name, value in vars(importlib.import_module(module)).items():
            own = callable(value) and getattr(value, "__module__", None) == module
            public = name in evalkit.__all__ or not (
                name.startswith("_") or "._" in module
            )
            if own and public:
                yield f"{module}.{name}", value
                if inspect.isclass(value):
                    yield from (
                        (f"{module}.{name}.{member}", method)
                        for member, method in vars(value).items()
                        if needs_words(value, member, method)
                    )


def has_attributes(value):
    """Whether a class is documented by its attributes."""
    return dataclasses.is_dataclass(value)


def test_docstrings_are_complete():
    incomplete = {}
    for name, value in documented():
        codes = set(CHECKED) - ({"PR01"} if has_attributes(value) else set())
        if missed := [
            message for code, message in validate(name)["errors"] if code in codes
        ]:
            incomplete[name] = missed
    assert not incomplete, (
        "write numpydoc docstrings, as evalkit/seeds.py does:\n"
        + "\n".join(
            f"{name}: {' '.join(missed)}" for name, missed in incomplete.items()
        )
    )


def test_attributes_are_documented_in_order():
    unlike = []
    for dotted, value in documented():
        if has_attributes(value):
            section = NumpyDocString(inspect.getdoc(value))["Attributes"]
            named = [
                name for parameter in section for name in parameter.name.split(", ")
            ]
            if named != list(inspect.get_annotations(value)):
                unlike.append(dotted)
    assert not unlike, "let Attributes name the fields, in their order"


# --------------------------------------------------------------------------------------
# Imports
# --------------------------------------------------------------------------------------

# Of evalkit, from the ground up. The three BASICS are what the other statistics build
# on: a module that offers a public name and is not listed is one of these.
CELLAR, CHECKS, GROUND, TRIALS, RESULTS, PAIRS, BASICS, STATISTICS, ROOMS, TOP = range(
    10
)
FLOORS = {
    **dict.fromkeys(
        ["_coins", "_extras", "_files", "_limits", "_looks", "_numbers", "_score"],
        CELLAR,
    ),
    **dict.fromkeys(["_checks", "_program", "_shown"], CHECKS),
    **dict.fromkeys(["_groups", "_ties"], GROUND),
    "_trials": TRIALS,
    **dict.fromkeys(["results", "_scores"], RESULTS),
    **dict.fromkeys(["_labels", "_paired"], PAIRS),
    **dict.fromkeys(["splits", "proportions", "expected_maximum"], BASICS),
    "_api": STATISTICS,
    **dict.fromkeys(
        ["plots", "explore", "decision", "_ways", "_ways_of_order", "_ways_of_runs"],
        ROOMS,
    ),
    **dict.fromkeys(["reports", "_arguments", "cli", "__main__"], TOP),
}
OFFERED = {getattr(evalkit, name).__module__.split(".")[1] for name in evalkit.__all__}
FLOORS = dict.fromkeys(OFFERED, STATISTICS) | FLOORS
RECORDED, EXPERIMENTS, JUDGED = range(3)
FLOORS_OF_LAB = {
    **dict.fromkeys(
        ["_extras", "clusters", "data", "light", "record", "samples"], RECORDED
    ),
    **dict.fromkeys(["models", "experiments", "papers"], EXPERIMENTS),
    **dict.fromkeys(["history", "effects", "claim_pages"], JUDGED),
    **dict.fromkeys(["scorecard", "pages", "arguments", "cli", "__main__"], JUDGED),
}


def floor(name):
    """Return the floor of a module, or of what is in it; a package offers what is at
    its top.
    """
    package, _, inside = name.partition(".")
    floors = FLOORS if package == "evalkit" else FLOORS_OF_LAB
    return floors.get(inside.split(".")[0], max(floors.values()))


def test_every_module_has_a_floor():
    for modules, floors in ((OF_EVALKIT, FLOORS), (OF_LAB, FLOORS_OF_LAB)):
        unlike = {name.split(".")[1] for name in modules} ^ set(floors)
        assert not unlike, f"give a floor to each module, and to no other: {unlike}"


def syntax(module):
    """Return the syntax tree of a module, which is not imported for it."""
    return ast.parse(
        Path(importlib.util.find_spec(module).origin).read_text(encoding="utf-8")
    )


def imports(module):
    """Yield the dotted name of everything that a module's source imports, wherever it
    does.
    """
    for node in ast.walk(syntax(module)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide the floor they reach for"
            for alias in (alias for alias in node.names if alias.name != "__version__"):
                # Of a package, the module in it that is meant, where there is one.
                inside = f"{node.module}.{alias.name}"
                yield (
                    inside
                    if inside in MODULES or node.module in ("evalkit", "lab")
                    else node.module
                )


def test_no_import_points_upwards():
    upwards = []
    for module in MODULES:
        package = module.split(".")[0]
        # The ground and the statistics know nothing of their neighbours.
        apart = package == "evalkit" and floor(module) <= STATISTICS
        highest = floor(module) - (apart and module != "evalkit._api")
        upwards += [
            f"{module} imports {name}"
            for name in imports(module)
            if name.split(".")[0] == package and floor(name) > highest
        ]
    assert not upwards, (
        "what both need goes into a module of a lower floor (FLOORS, above)"
    )


def test_evalkit_never_imports_the_laboratory():
    """Nor does what it shows: examples in docstrings, calls of the decision, templates,
    a report's code.
    """
    texts = {
        path: path.read_text(encoding="utf-8")
        for path in Path(evalkit.__file__).parent.rglob("*")
        if path.suffix in {".py", ".md", ".yml"}
    }
    assert {path.suffix for path in texts} == {".py", ".md", ".yml"}
    ways = (*decision.DECISION.ways(), *decision.AFTERWARDS.ways())
    texts |= {way.key: way.data + way.code for _, way in ways}
    report = evalkit.report(**VALID[evalkit.report])
    texts |= {"the page of a report": str(report), "the code of a report": report.code}
    # In whatever stands before it: a prompt, the indent of an example, a quotation
    # mark.
    importing = re.compile(
        r"(?m)^\W*(?:from|import)\s+lab\b|\bimport_module\(\W*lab\b|-m lab\b"
    )
    assert not [place for place, text in texts.items() if importing.search(text)]
    assert not [
        module
        for module in OF_EVALKIT
        for name in imports(module)
        if name.split(".")[0] == "lab"
    ]


def test_what_is_run_does_not_know_what_runs_it():
    """A page may import an experiment, and must not load the store and the workers with
    it.
    """
    modules = [name for name in OF_LAB if floor(name) == EXPERIMENTS and name != LAYERS]
    assert not {"lab.record.runs", "lab.record.store", "lab.clusters"} & set(
        loaded_by(*modules)
    )


def test_no_import_leads_back():
    reached = {module: set(imports(module)) & set(MODULES) for module in MODULES}
    assert sum(map(len, reached.values())) > 100
    # A CycleError names the circle.
    assert list(graphlib.TopologicalSorter(reached).static_order())


def test_statistics_need_four_packages():
    allowed = {
        "evalkit",
        "numpy",
        "scipy",
        "pandas",
        "sklearn",
        *sys.stdlib_module_names,
    }
    others = [
        f"{module} imports {name}"
        for module in OF_EVALKIT
        if floor(module) <= STATISTICS
        for name in imports(module)
        # Guided search is Optuna's; it is imported when a search asks for it.
        if name.split(".")[0]
        not in allowed | ({"optuna"} if "tuning" in module else set())
    ]
    assert not others, "do without, or import it where an extra is asked for"


def loaded_by(*modules):
    """The names of all modules in a fresh process that imported some."""
    code = f"import sys, {', '.join(modules)}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def refused(code, folder):
    """Import, in a process of its own, with a folder before all others, and return what
    it was told.
    """
    environment = os.environ | {"PYTHONPATH": str(folder)}
    result = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 1
    return result.stderr


def test_other_project_of_that_name_in_the_same_environment(tmp_path):
    copied = tmp_path / "evalkit"
    copied.mkdir()
    (copied / "__init__.py").write_bytes(Path(evalkit.__file__).read_bytes())
    (tmp_path / "evalkit-0.2.dist-info").mkdir()
    told = refused("import evalkit", tmp_path)
    assert (
        "another project, evalkit-0.2, shares its environment with evalkit-book" in told
    )
    assert "pip uninstall evalkit evalkit-book" in told


def test_lab_beside_another_evalkit(tmp_path):
    (tmp_path / "evalkit").mkdir()
    (tmp_path / "evalkit" / "__init__.py").write_text("")
    told = refused("import lab", tmp_path)
    assert (
        "lab needs the evalkit of this book, and found another project of that name"
        in told
    )


def test_import_loads_the_statistics_and_nothing_else():
    before = set(loaded_by("evalkit"))  # before a name of it is used
    assert "numpy" not in before
    assert {name for name in before if name.startswith("evalkit")} == {"evalkit"}
    loaded = loaded_by("evalkit._api")
    assert not {"torch", "matplotlib", "optuna"} & set(loaded)
    assert all(
        floor(name) <= STATISTICS for name in loaded if name.startswith("evalkit.")
    )


def test_rooms_are_opened_when_they_are_asked_for():
    code = (
        "import evalkit; print(*(getattr(evalkit, name).__name__ for name in"
        " evalkit._ROOMS))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [
        "evalkit.decision",
        "evalkit.explore",
        "evalkit.results",
    ]


def test_names_are_there_for_who_lists_or_takes_them_all():
    taken = {}
    exec("from evalkit import *", taken)
    assert set(evalkit.__all__) <= set(taken) & set(dir(evalkit))
    with pytest.raises(
        AttributeError, match="module 'evalkit' has no attribute 'expected_min'"
    ):
        evalkit.expected_min  # noqa: B018


# Its classes are torch's own, so that torch comes with it: it is loaded where it is
# used.
LAYERS = "lab.papers.melis2017.tasks.networks"


def test_no_module_loads_what_is_slow_before_it_is_used():
    modules = set(MODULES) - {LAYERS}
    assert not {"torch", "matplotlib", "optuna", "pooch", LAYERS} & set(
        loaded_by(*modules)
    )


def is_statement(node):
    """Tell whether a node is a statement, and no docstring."""
    return isinstance(node, ast.stmt) and not (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def statements(node, lines):
    """Return how many statements a syntax tree has; one of over 400 characters is two.

    Unlike lines, they do not change when a line is broken or joined.
    """
    found = [part for part in ast.walk(node) if is_statement(part)]
    simple = [part for part in found if not hasattr(part, "body")]
    long = (
        sum(len(line.strip()) for line in lines[part.lineno - 1 : part.end_lineno])
        for part in simple
        if not isinstance(part, ast.Match)
    )
    return len(found) + sum(size // 400 for size in long)


@functools.cache
def sizes(module):
    """Return how many statements a module has, and each function in it."""
    source = Path(importlib.util.find_spec(module).origin).read_text(encoding="utf-8")
    tree, lines = ast.parse(source), source.splitlines()
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return statements(tree, lines), {
        node.name: statements(node, lines) for node in functions
    }


def test_modules_and_functions_stay_small():
    """The limits of the design."""
    large = [
        f"{module} ({sizes(module)[0]} statements)"
        for module in MODULES
        if sizes(module)[0] > (310 if "papers" in module else 300)
    ]
    assert not large, "300 statements at most: drop what serves nobody, or divide it"
    large = [
        f"{module}.{name} ({size} statements)"
        for module in MODULES
        for name, size in sizes(module)[1].items()
        if size > (60 if "papers" in module else 46)
    ]
    assert not large, "46 statements at most: a part of it deserves a name"


def test_the_top_level_and_reports_stay_small():
    """The limits of the design."""
    top = [name for name in OF_EVALKIT if name.count(".") == 1]
    packages = {"evalkit.explore", "evalkit.reports"}
    alone = ["evalkit", *(name for name in top if name not in packages)]
    reports = [name for name in OF_EVALKIT if "reports" in name]
    for what, modules, most in (
        ("the top level of evalkit", alone, 4050),
        ("evalkit/reports", reports, 2000),
    ):
        size = sum(sizes(module)[0] for module in modules)
        assert size <= most, (
            f"{what} has {size} statements, and {most} at most: something leaves for"
            " what came"
        )
    chapters = {getattr(evalkit, name).__module__ for name in evalkit.__all__}
    beside = {"evalkit.decision", *packages}
    assert len(chapters - beside) <= 11, "a function goes into its chapter's module"


def test_functions_say_what_size_they_take():
    silent = [
        function.__name__
        for function in VALID
        if " Size: " not in " ".join(inspect.getdoc(function).split())
    ]
    assert not silent, (
        'let the Notes end with "Size: ...", and benchmarks/bounds.py measure it'
    )
