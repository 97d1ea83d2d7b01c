"""The package as it is installed: with its four dependencies alone, and what it says of the rest."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest

import evalkit
from evalkit import _extras
from lab.experiments import peers

ROOT = Path(evalkit.__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
NAME = re.compile(r"[\w.-]+")
# What comes with a package of an extra, imported under a name of its own.
COMES_WITH = {"requests": "pooch", "urllib3": "pooch", "cloudpickle": "distributed", "IPython": "ipywidgets"}
IMPORTED_AS = {
    "sklearn": "scikit-learn",
    "vl_convert": "vl-convert-python",
    "matplotlib_inline": "matplotlib-inline",
}


def pinned(file):
    """The names that a file of requirements pins."""
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    return {NAME.match(line).group() for line in lines if NAME.match(line) and "==" in line}


def parsed():
    for path in sorted((ROOT / "evalkit").rglob("*.py")):
        yield path, ast.parse(path.read_text(encoding="utf-8"))


def test_extras_name_what_is_pinned_and_pin_nothing():
    assert set(EXTRAS["cluster"]) == pinned("requirements-cluster.txt")
    named = {package for name, extra in EXTRAS.items() if name != "cluster" for package in extra}
    assert named <= pinned("requirements.txt")
    needed = {NAME.match(line).group() for line in PROJECT["dependencies"]}
    assert needed <= pinned("requirements.txt")
    assert not named & needed


def test_the_readme_names_the_pythons_that_are_tested():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    workflow = (ROOT / ".github/workflows/book.yml").read_text(encoding="utf-8")
    told = re.search(r"tested on (3\.\d+(?:(?:, | and )3\.\d+)*)", readme)[1]
    assert re.findall(r"3\.\d+", told) == re.findall(r"3\.\d+", re.search(r"python: (\[.*\])", workflow)[1])


def test_every_extra_is_asked_for_and_no_other():
    asked = {
        node.args[0].value
        for _, tree in parsed()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "_extras.need"
    }
    assert asked == set(EXTRAS)


def test_what_is_imported_is_a_dependency_or_in_an_extra():
    imported = {
        name.partition(".")[0]
        for _, tree in parsed()
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    } - {"evalkit", *sys.stdlib_module_names}
    packages = {COMES_WITH.get(name, IMPORTED_AS.get(name, name)) for name in imported}
    needed = {NAME.match(line).group() for line in PROJECT["dependencies"]}
    # What builds the book is nobody's need: without it lab.pages keeps nothing. With the peers one
    # experiment compares, and asks for them by name.
    compared = {name for unit in peers.EXPERIMENT.plan("full", []) for name in peers.EXPERIMENT.needs(unit)}
    assert packages - {"myst_nb"} - compared <= needed.union(*EXTRAS.values())


def test_peers_are_imported_where_they_are_compared_and_nowhere_else():
    compared = {name for unit in peers.EXPERIMENT.plan("full", []) for name in peers.EXPERIMENT.needs(unit)}
    for path, tree in parsed():
        names = {
            name.partition(".")[0]
            for node in ast.walk(tree)
            for name in (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module]
                if isinstance(node, ast.ImportFrom)
                else []
            )
        }
        assert names & compared == (compared if path.stem == "_packages" else set()), path


def test_the_message_names_the_file_that_pins_a_peer(monkeypatch):
    monkeypatch.setattr(_extras, "_is_installed", lambda name: name == "arch")
    assert _extras.lacking(["arch", "opda"]) == ["opda"]
    with pytest.raises(ImportError, match="^this needs opda, which requirements-bench"):
        _extras.need_peers(["arch", "opda"], "this")
    _extras.need_peers(["arch"], "this")


def test_the_message_names_what_is_missing_and_the_way_on(monkeypatch):
    monkeypatch.setattr(_extras, "packages", {"run": ("torch", "joblib", "tqdm")}.get)
    monkeypatch.setattr(_extras, "_is_installed", lambda name: name == "joblib")
    with pytest.raises(ImportError) as caught:
        _extras.need("run", "this")
    assert str(caught.value) == (
        "this needs torch, tqdm, which the extra evalkit-book[run] brings: "
        'python -m pip install -e ".[run]" in the checkout'
    )
    monkeypatch.setattr(_extras, "_is_installed", lambda name: True)
    _extras.need("run", "this")


# ---------------------------------------------------------------------------------------------
# In an empty environment
# ---------------------------------------------------------------------------------------------

NEEDS_FILES = "needs the book's files"
NEEDS_RUN = "which the extra evalkit-book[run] brings"


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    """A function that runs a program of an environment with NumPy, SciPy, pandas and scikit-learn."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True)
    programs = folder / ("Scripts" if sys.platform == "win32" else "bin")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {"EVALKIT_MIRROR": "", "EVALKIT_CACHE": str(folder / "cache")}

    def run(program, *arguments):
        # Not in the checkout, which would be found without being installed.
        return subprocess.run(
            [programs / program, *arguments], cwd=folder, env=environment, capture_output=True, text=True
        )

    four = [NAME.match(line).group() for line in PROJECT["dependencies"]]
    done = run("python", "-m", "pip", "install", "--quiet", "-c", ROOT / "constraints.txt", *four)
    assert done.returncode == 0, done.stderr
    return run


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy, for pip builds where the sources are."""
    folder = tmp_path_factory.mktemp("checkout")
    for name in ("evalkit", "data"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    return folder


@pytest.fixture(scope="module", params=["wheel", "editable"])
def installed(request, empty, checkout):
    """The same with evalkit, and whether the book's files are at hand."""
    is_editable = request.param == "editable"
    how = ["--no-deps", "--force-reinstall", *["-e"] * is_editable, str(checkout)]
    done = empty("python", "-m", "pip", "install", "--quiet", *how)
    assert done.returncode == 0, done.stderr
    return empty, is_editable


def sentence(done, status=1):
    """The one sentence that a command ended with."""
    assert done.returncode == status, done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith("evalkit")
    assert done.stderr.count("\n") == 1
    return done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("program", [["evalkit"], ["python", "-m", "evalkit"]], ids=" ".join)
def test_the_commands_with_four_dependencies(installed, program):
    run, has_files = installed
    for arguments in ([], ["--help"], ["run", "--help"], ["data"]):
        done = run(*program, *arguments)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith("usage: evalkit")
    assert run(*program, "--version").stdout == f"evalkit {PROJECT['version']}\n"
    assert "did you mean pools?" in sentence(run(*program, "run", "pool"), status=2)
    for arguments in (["scorecard"], ["scorecard", "--csv"], ["data", "list"]):
        done = run(*program, *arguments)
        if has_files:
            assert (done.returncode, done.stderr) == (0, "")
            assert len(done.stdout.splitlines()) > 5
        else:
            assert NEEDS_FILES in sentence(done)
    assert (NEEDS_RUN if has_files else NEEDS_FILES) in sentence(run(*program, "run", "xor"))
    done = run(*program, "data", "fetch", "tang2020/hedwig.tsv")
    assert ("evalkit-book[data]" if has_files else NEEDS_FILES) in sentence(done)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "extra"),
    [
        ("from evalkit import explore; explore.expected_maximum([.1, .2, .3])", "explore"),
        ("from evalkit import plots; plots.use_style()", "plots"),
        ("evalkit.search(lambda s: 1, {'x': [1, 2]}, method='guided', n_trials=2, rng=0)", "search"),
        ("from lab.record import runs; runs.Store('store.sqlite')", "run"),
        ("from lab.experiments import xor; xor.initial_weights(2, [0])", "run"),
    ],
)
def test_what_needs_more_names_its_extra(installed, call, extra):
    run, _ = installed
    done = run("python", "-c", f"import evalkit; print(evalkit.t_interval([.8, .82, .81])); {call}")
    assert done.returncode == 1
    assert done.stdout.startswith("[0.7852, 0.8348]")
    last = done.stderr.splitlines()[-1]
    assert "MissingExtraError: " in last
    assert f"evalkit-book[{extra}]" in last
    for package in EXTRAS[extra]:
        # joblib comes with scikit-learn.
        assert (package in last) == (package != "joblib")
