"""The build of the book: when a page runs again, and what a failing cell leaves behind."""

import importlib.util
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

PAGE = """\
---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
    format_version: 0.13
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---

# {title}

```{{code-cell}} ipython3
{code}
```
"""


def load_extension():
    spec = importlib.util.spec_from_file_location("book_extension", ROOT / "book/_tools/extension.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def checkout(tmp_path):
    """A small copy of the repository: two pages, the real package, tools and settings."""
    for name in ("_config.yml", "requirements.txt", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    for folder in ("evalkit", "book/_tools", "book/_assets"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "book/references.bib", tmp_path / "book")
    (tmp_path / "data").mkdir()
    shutil.copy(ROOT / "data/docstrings.csv", tmp_path / "data")
    (tmp_path / "data/facts.csv").write_text("a\n1\n")
    (tmp_path / "_toc.yml").write_text(
        "format: jb-book\nroot: book/first\nchapters:\n  - file: book/second\n", encoding="utf-8"
    )
    write(tmp_path, "first", "print(1)")
    write(tmp_path, "second", "print(2)")
    return tmp_path


def write(checkout, name, code):
    page = PAGE.format(title=f"The {name} page", code=code)
    (checkout / f"book/{name}.md").write_text(page, encoding="utf-8")


def build(checkout):
    """Build and return (exit status, names of the pages whose cells were run, all output)."""
    done = subprocess.run(
        [sys.executable, "book/_tools/build.py"], cwd=checkout, capture_output=True, text=True, check=False
    )
    log = (checkout / "_build/build.log").read_text(encoding="utf-8")
    return (
        done.returncode,
        set(re.findall(r"book/(\w+)\.md: Executed notebook", log)),
        done.stdout + done.stderr,
    )


@pytest.mark.parametrize("changed", ["evalkit/intervals.py", "data/facts.csv", "requirements.txt"])
def test_the_cache_key_sees_code_data_and_requirements(checkout, changed):
    fingerprint = load_extension().fingerprint
    before = fingerprint(checkout)
    (checkout / "book/first.md").write_text("other prose", encoding="utf-8")
    assert fingerprint(checkout) == before
    (checkout / changed).write_text((checkout / changed).read_text() + "\n# changed\n")
    assert fingerprint(checkout) != before


def test_the_cache_key_sees_which_upstream_files_are_here(monkeypatch, tmp_path):
    extension = load_extension()
    key = "tang2020/hedwig.tsv"
    monkeypatch.setenv("EVALKIT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("EVALKIT_MIRROR", str(tmp_path))
    assert key not in extension._upstream_here(ROOT)
    before = extension.fingerprint()
    (tmp_path / key).parent.mkdir()
    (tmp_path / key).touch()
    assert key in extension._upstream_here(ROOT)
    assert extension.fingerprint() != before


@pytest.mark.parametrize("path", sorted(ROOT.glob("notebooks/*.ipynb")), ids=lambda path: path.stem)
def test_notebooks_in_git_have_no_outputs(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert [cell["source"] for cell in code if cell["outputs"] or cell["execution_count"] is not None] == []


@pytest.mark.slow
def test_pages_run_again_when_they_must_and_only_then(checkout):
    assert build(checkout)[:2] == (0, {"first", "second"})
    assert build(checkout)[:2] == (0, set())
    write(checkout, "second", "print(3)")
    assert build(checkout)[:2] == (0, {"second"})
    with open(checkout / "book/_assets/book.css", "a", encoding="utf-8") as sheet:
        sheet.write("/* changed */\n")
    assert build(checkout)[:2] == (0, set())
    assert "/* changed */" in (checkout / "_build/html/_static/book.css").read_text(encoding="utf-8")
    (checkout / "data/facts.csv").write_text("a\n2\n")
    assert build(checkout)[:2] == (0, {"first", "second"})


@pytest.mark.slow
def test_a_failing_cell_is_named_and_leaves_the_last_good_book(checkout):
    assert build(checkout)[0] == 0
    write(checkout, "second", "nonsense = 1 / 0")
    status, _, output = build(checkout)
    assert status != 0
    assert "book/second.md" in output
    assert "nonsense = 1 / 0" in output
    assert "ZeroDivisionError" in output
    assert "the last good book is still in _build/html" in output
    assert "print" in (checkout / "_build/html/book/second.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_broken_reference_fails_the_build_and_leaves_the_last_good_book(checkout):
    assert build(checkout)[0] == 0
    page = checkout / "book/second.md"
    page.write_text(page.read_text(encoding="utf-8") + "\nSee {ref}`nowhere`.\n", encoding="utf-8")
    status, _, output = build(checkout)
    assert status != 0
    assert "nowhere" in output
    assert "nowhere" not in (checkout / "_build/html/book/second.html").read_text(encoding="utf-8")
