"""What evalkit and lab need beyond their dependencies, and what they say where it is
missing.
"""

import ast
import contextlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
from importlib import metadata
from pathlib import Path

import pytest
from grids import grid
from packaging.requirements import Requirement

import evalkit
from evalkit import _extras
from lab import _extras as lab_extras

ROOT = Path(evalkit.__file__).parents[1]
NAME = re.compile(r"[\w.-]+")


def project(folder):
    """What a pyproject.toml says of its project."""
    return tomllib.loads(
        (ROOT / folder / "pyproject.toml").read_text(encoding="utf-8")
    )["project"]


EVALKIT, LAB = project("."), project("lab")
EXTRAS = {
    "evalkit": EVALKIT["optional-dependencies"],
    "lab": LAB["optional-dependencies"],
}
NEEDED = {
    "evalkit": {NAME.match(line).group() for line in EVALKIT["dependencies"]},
    "lab": (
        {NAME.match(line).group() for line in LAB["dependencies"]} - {EVALKIT["name"]}
    ),
}
# What comes with a package of an extra, imported under a name of its own.
COMES_WITH = {
    "requests": "pooch",
    "urllib3": "pooch",
    "cloudpickle": "distributed",
    "IPython": "ipywidgets",
}
IMPORTED_AS = {
    "sklearn": "scikit-learn",
    "yaml": "PyYAML",
    "matplotlib_inline": "matplotlib-inline",
}


def pinned(file):
    """The names that a file of requirements pins."""
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    return {
        NAME.match(line).group() for line in lines if NAME.match(line) and "==" in line
    }


def parsed(package):
    for path in sorted((ROOT / package).rglob("*.py")):
        yield path, ast.parse(path.read_text(encoding="utf-8"))


def imported(tree):
    """The first words of what a module imports, wherever in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module.partition(".")[0]


def test_extras_name_what_is_pinned_and_pin_nothing():
    assert set(EXTRAS["lab"]["cluster"]) == pinned("requirements-cluster.txt")
    optional = {
        package
        for extras in EXTRAS.values()
        for name, extra in extras.items()
        if name != "cluster"
        for package in extra
    }
    needed = NEEDED["evalkit"] | NEEDED["lab"]
    assert needed | optional - {"torch"} <= pinned("requirements-light.txt")
    assert "torch" in pinned("requirements.txt") & optional
    assert not needed & optional


def test_the_book_is_installed_without_torch():
    """Neither requirements-light.txt nor what it brings asks for torch, or for what only
    torch asks for.
    """
    asked, brought = [*pinned("requirements-light.txt")], set()
    while asked:
        if (name := asked.pop()) in brought:
            continue
        brought.add(name)
        with contextlib.suppress(metadata.PackageNotFoundError):  # for another system
            needs = map(Requirement, metadata.requires(name) or [])
            asked += [
                need.name
                for need in needs
                if not need.marker or need.marker.evaluate({"extra": ""})
            ]
    assert len(brought) > 80
    assert not brought & {"torch", "sympy", "networkx", "fsspec"}


def test_the_readme_names_the_pythons_that_are_tested():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    workflow = (ROOT / ".github/workflows/book.yml").read_text(encoding="utf-8")
    told = re.search(r"tested on (3\.\d+(?:(?:, | and )3\.\d+)*)", readme)[1]
    assert re.findall(r"3\.\d+", told) == re.findall(
        r"3\.\d+", re.search(r"python: (\[.*\])", workflow)[1]
    )


def asked():
    """Whose extras are asked for, and which."""
    for package in ("evalkit", "lab"):
        for _, tree in parsed(package):
            nodes = list(ast.walk(tree))
            whose = {
                node.module
                for node in nodes
                if isinstance(node, ast.ImportFrom)
                and "_extras" in [alias.name for alias in node.names]
            }
            calls = [node for node in nodes if isinstance(node, ast.Call)]
            for call in calls:
                # What is no constant is lab's own, which passes on what it was asked.
                if ast.unparse(call.func) == "_extras.need" and isinstance(
                    call.args[0], ast.Constant
                ):
                    yield from ((owner, call.args[0].value) for owner in whose)


def test_every_extra_is_asked_for_and_no_other():
    assert set(asked()) == {
        (owner, name) for owner, extras in EXTRAS.items() for name in extras
    }


@grid(("package", "beside"), [("evalkit", []), ("lab", ["evalkit"])])
def test_what_is_imported_is_a_dependency_or_in_an_extra(package, beside):
    words = {word for _, tree in parsed(package) for word in imported(tree)} - set(
        sys.stdlib_module_names
    )
    packages = {
        COMES_WITH.get(word, IMPORTED_AS.get(word, word))
        for word in words - {package, *beside}
    }
    known = set().union(
        *(NEEDED[name].union(*EXTRAS[name].values()) for name in (package, *beside))
    )
    # What builds the book is nobody's need: without it lab.pages keeps nothing.
    assert packages - {"myst_nb"} <= known


@pytest.mark.parametrize(
    ("need", "extra", "installed_by"),
    [
        (_extras.need, "evalkit-book[some]", '".[some]"'),
        (lab_extras.need, "evalkit-book-lab[some]", '"./lab[some]"'),
    ],
)
def test_the_message_names_what_is_missing_and_the_way_on(
    monkeypatch, need, extra, installed_by
):
    monkeypatch.setattr(_extras, "packages", lambda *_: ("one", "two", "three"))
    monkeypatch.setattr(_extras, "_is_installed", lambda name: name == "two")
    with pytest.raises(ImportError) as caught:
        need("some", "this")
    assert (
        str(caught.value) == f"this needs one, three, which the extra {extra} brings: "
        f"python -m pip install -e {installed_by} in the checkout"
    )
    monkeypatch.setattr(_extras, "_is_installed", lambda name: True)
    need("some", "this")


# --------------------------------------------------------------------------------------
# Both, in an environment with their dependencies and no more: there is no torch
# --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """A function that runs a program of an environment where a copy of the checkout is
    installed.
    """
    checkout, folder = (
        tmp_path_factory.mktemp("checkout"),
        tmp_path_factory.mktemp("environment"),
    )
    for name in ("evalkit", "lab", "data"):
        shutil.copytree(
            ROOT / name, checkout / name, ignore=shutil.ignore_patterns("__pycache__")
        )
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, checkout)
    venv.create(folder, with_pip=True)
    programs = folder / ("Scripts" if sys.platform == "win32" else "bin")
    environment = {
        name: value for name, value in os.environ.items() if name != "PYTHONPATH"
    }
    environment |= {"EVALKIT_MIRROR": "", "EVALKIT_CACHE": str(folder / "cache")}

    def run(program, *arguments):
        # Not in the checkout, which would be found without being installed.
        return subprocess.run(
            [programs / program, *arguments],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
        )

    both = ["-e", checkout, "-e", checkout / "lab"]
    done = run(
        "python",
        "-m",
        "pip",
        "install",
        "--quiet",
        "-c",
        ROOT / "constraints.txt",
        *both,
    )
    assert done.returncode == 0, done.stderr
    return run


@pytest.mark.slow
@grid("arguments", [["scorecard"], ["data", "list"]])
def test_what_runs_nothing_needs_no_extra(bare, arguments):
    for program in (["lab"], ["python", "-m", "lab"]):
        done = bare(*program, *arguments)
        assert (done.returncode, done.stderr) == (0, "")
        assert len(done.stdout.splitlines()) > 2


@pytest.mark.slow
def test_what_runs_something_names_its_extra_in_one_sentence(bare):
    done = bare("lab", "check", "xor", "--units", "1", "--quiet")
    assert done.returncode == 1
    assert (
        done.stderr == "lab: running an experiment needs torch, which the extra"
        ' evalkit-book-lab[run] brings: python -m pip install -e "./lab[run]" in the'
        " checkout\n"
    )


@pytest.mark.slow
@grid(
    ("call", "extra"),
    [
        ("from evalkit import explore; explore.baselines()", "explore"),
        ("from evalkit import plots; plots.use_style()", "plots"),
        (
            (
                "evalkit.search(lambda s: 1, {'x': [1, 2]}, method='guided',"
                " n_trials=2, rng=0)"
            ),
            "search",
        ),
    ],
)
def test_what_needs_more_names_its_extra(bare, call, extra):
    done = bare(
        "python",
        "-c",
        f"import evalkit; print(evalkit.t_interval([.8, .82, .81])); {call}",
    )
    assert done.returncode == 1
    assert done.stdout.startswith("[0.785, 0.835]")
    last = done.stderr.splitlines()[-1]
    assert "MissingExtraError: " in last
    assert f"evalkit-book[{extra}]" in last
    for package in EXTRAS["evalkit"][extra]:
        assert package in last
