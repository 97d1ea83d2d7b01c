"""The distribution as somebody else gets it: alone, without the checkout and without
the laboratory.
"""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import textwrap
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest
from grids import grid

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "data" / "samples" / "honest.csv"
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]["version"]


@grid(
    ("file", "written"),
    [
        ("lab/pyproject.toml", f'version = "{VERSION}"'),
        ("CITATION.cff", f"version: {VERSION}"),
        (
            "book/about.md",
            (
                f"  note   = {{Version {VERSION}. Executable book with the package"
                " evalkit}"
            ),
        ),
    ],
)
def test_what_names_the_version_names_that_of_pyproject(file, written):
    assert written in (ROOT / file).read_text(encoding="utf-8").splitlines()


def test_the_changes_begin_with_this_version():
    page = (ROOT / "book" / "changes.md").read_text(encoding="utf-8")
    before = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest, last = (
        re.search(r"(?m)^## Version (\d[\d.]*\d)", text)[1] for text in (page, before)
    )
    assert newest == VERSION
    # What came before is in the other file alone.
    assert [*map(int, last.split("."))] < [*map(int, VERSION.split("."))]
    assert f"## Version {last}" not in page


def done(*command, cwd, **environment):
    """Run a command in a folder that is not the checkout, and return what it
    printed.
    """
    variables = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("PYTHON", "EVALKIT"))
    }
    result = subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env=variables | environment,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    folder, source = tmp_path_factory.mktemp("sdist"), tmp_path_factory.mktemp("source")
    # A copy: what an earlier build left beside the sources would be taken into it.
    for name in ("evalkit", "tests"):
        shutil.copytree(
            ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__")
        )
    for name in ("pyproject.toml", "setup.py", "MANIFEST.in", "LICENSE"):
        shutil.copy(ROOT / name, source)
    code = f"from setuptools import build_meta; build_meta.build_sdist({str(folder)!r})"
    done(sys.executable, "-c", code, cwd=source)
    return next(folder.glob("*.tar.gz"))


@pytest.fixture(scope="module")
def wheel(sdist, tmp_path_factory):
    """Return the wheel, made from the sources as they are released."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
    ]
    to = ["--no-build-isolation", "-w", folder, sdist]
    done(*pip, *to, cwd=folder, EVALKIT_REPOSITORY="https://example.org/e")
    return next(folder.glob("*.whl"))


@pytest.mark.slow
def test_sources_as_released_hold_evalkit_and_no_test(sdist):
    with tarfile.open(sdist) as archive:
        names = {
            name.partition("/")[2].partition("/")[0] for name in archive.getnames()
        } - {""}
    made = {"PKG-INFO", "setup.cfg", "evalkit_book.egg-info"}
    assert names - made == {
        "evalkit",
        "pyproject.toml",
        "setup.py",
        "MANIFEST.in",
        "LICENSE",
    }


@pytest.mark.slow
def test_wheel_holds_evalkit_alone_and_says_where_it_comes_from(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        about = archive.read(
            next(name for name in names if name.endswith("METADATA"))
        ).decode()
    assert {name.partition("/")[0] for name in names} == {
        "evalkit",
        f"evalkit_book-{VERSION}.dist-info",
    }
    assert "Project-URL: Source, https://example.org/e\n" in about
    for field in ("Author", "Keywords", "Classifier", "License-Expression"):
        assert f"\n{field}: " in about
    # A link into the checkout would lead nowhere on a package index.
    assert "](" not in about


@pytest.mark.slow
def test_wheel_in_an_environment_with_its_four_dependencies(wheel, tmp_path):
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    done(*pip, "-c", ROOT / "constraints.txt", wheel, cwd=tmp_path)
    command = python.with_name("evalkit")
    assert f"evalkit {VERSION}" in done(command, "--version", cwd=tmp_path)
    done(
        command, "report", SAMPLE, "--baseline", "mlp", "--ignore", "rest", cwd=tmp_path
    )
    assert "<html" in (tmp_path / "report.html").read_text(encoding="utf-8")
    done(command, "init", "mine", cwd=tmp_path)
    assert (tmp_path / "mine" / "train.py").is_file()
    # What its docstrings print comes out, and none of them needs what stays behind in
    # the checkout.
    examples = """
        import doctest, importlib, pkgutil, evalkit
        from importlib.util import find_spec
        assert find_spec("lab") is None
        tried = failed = 0
        for module in pkgutil.walk_packages(evalkit.__path__, "evalkit."):
            if not module.name.startswith(("evalkit.reports.folder", "evalkit.explore", "evalkit.__main__")):
                result = doctest.testmod(importlib.import_module(module.name))
                tried, failed = tried + result.attempted, failed + result.failed
        print(tried, failed)
    """
    tried, failed = map(
        int, done(python, "-c", textwrap.dedent(examples), cwd=tmp_path).split()[-2:]
    )
    assert tried > 40
    assert failed == 0
