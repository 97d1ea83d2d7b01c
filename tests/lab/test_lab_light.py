"""Cells that need torch, where there is none: they show what was recorded, and nothing
half done is left.
"""

import json
import re
import sys
from pathlib import Path
from types import ModuleType

import jupytext
import pytest
from IPython.core.displaypub import CapturingDisplayPublisher
from IPython.core.interactiveshell import InteractiveShell

from lab import light

ROOT = Path(__file__).resolve().parents[2]
CALL = re.compile(r"use_record\(\"([\w/]+)\"\)")

SETUP = "from lab.light import use_record\nuse_record('page')"
NEEDS = "import torch\nscore = 1\nprint(score)"
SHOWS = "print(score + 1)"
RECORD = {
    NEEDS: [{"output_type": "stream", "name": "stdout", "text": "1\n"}],
    SHOWS: [
        {"output_type": "display_data", "metadata": {}, "data": {"text/plain": "2"}}
    ],
}


@pytest.fixture
def shell(monkeypatch, tmp_path):
    """A kernel without torch, that has run the set-up of a page with a record."""
    cells = {light.cell_key(source): outputs for source, outputs in RECORD.items()}
    (tmp_path / "page.json").write_text(json.dumps({"cells": cells}))
    monkeypatch.setattr(light, "PAGES", tmp_path)
    monkeypatch.setattr(light, "stood_in", [])
    monkeypatch.setattr(light, "lacking", list)
    monkeypatch.setitem(sys.modules, "torch", None)
    InteractiveShell.clear_instance()  # one that another test displayed something in
    shell = InteractiveShell.instance(display_pub_class=CapturingDisplayPublisher)
    assert shell.run_cell(SETUP).success
    yield shell
    InteractiveShell.clear_instance()


@pytest.mark.parametrize("is_page", [False, True])
def test_a_notebook_says_once_that_it_has_a_record(shell, capsys, monkeypatch, is_page):
    monkeypatch.delenv("EVALKIT_BOOK", raising=False)
    if is_page:  # where the build says so
        monkeypatch.setenv("EVALKIT_BOOK", "1")
    light.use_record("page")
    assert capsys.readouterr().out == (light.NOTE + "\n") * (not is_page)


def test_a_cell_that_needs_torch_shows_its_record(shell, capsys):
    capsys.readouterr()
    assert shell.run_cell("score = 'old'").success
    assert shell.run_cell(NEEDS).success
    assert capsys.readouterr().out.endswith("\r1\n")  # and says no more
    assert "score" not in shell.user_ns  # not the old one either
    assert shell.run_cell(SHOWS).success  # it needs what the other could not bind
    assert [output["data"] for output in shell.display_pub.outputs] == [
        {"text/plain": "2"}
    ]
    assert light.stood_in == [light.cell_key(NEEDS), light.cell_key(SHOWS)]


def test_another_cell_runs_and_its_own_faults_are_told(shell, capsys):
    assert shell.run_cell(NEEDS).success
    assert shell.run_cell("twice = 2").success
    assert shell.user_ns["twice"] == 2
    for source in ("unknown", "1 / 0"):
        assert not shell.run_cell(source).success
    assert light.stood_in == [light.cell_key(NEEDS)]


@pytest.mark.parametrize("source", [NEEDS + "\n# edited", SHOWS.replace("1", "2")])
def test_a_cell_that_was_edited_says_what_to_install(shell, capsys, source):
    assert shell.run_cell(NEEDS).success
    assert not shell.run_cell(source).success
    assert "requirements.txt" in capsys.readouterr().err


def test_what_a_cell_defined_stays_and_what_it_would_have_defined_goes(
    shell, monkeypatch
):
    source = "def first():\n    return 1\nimport torch\ndef second():\n    return 2"
    (stand,) = {
        call.__self__
        for call in shell.events.callbacks["pre_run_cell"]
        if hasattr(call, "__self__")
    }
    stand.recorded[light.cell_key(source)] = []
    assert shell.run_cell("def second():\n    return 'old'").success
    assert shell.run_cell(source).success
    assert "second" not in shell.user_ns
    assert shell.user_ns["first"]() == 1


def test_where_torch_is_cells_run_and_a_text_that_is_not_here_shows_its_record(
    shell, capsys, monkeypatch
):
    """Another numpy is installed, and its docstrings are not those of the book."""
    monkeypatch.delenv("EVALKIT_BOOK", raising=False)
    monkeypatch.setattr(light, "lacking", lambda names: [])
    capsys.readouterr()
    light.use_record("page")
    assert capsys.readouterr().out == ""
    source = (
        "from lab.data.docstrings import CorpusError\nraise CorpusError('Fetch it.')"
    )
    stand = shell.events.callbacks["pre_run_cell"][-1].__self__
    stand.recorded[light.cell_key(source)] = RECORD[NEEDS]
    assert shell.run_cell(source).success
    said = "This cell shows what was recorded: Fetch it.\n"
    assert capsys.readouterr().out.startswith(said)
    monkeypatch.setitem(sys.modules, "torch", ModuleType("torch"))
    assert shell.run_cell(NEEDS).success
    assert shell.user_ns["score"] == 1


def test_every_record_is_of_cells_that_are_there():
    """A cell that changed has none: `make light RECORD=1` writes it anew."""
    files = [*ROOT.glob("book/**/*.md"), *ROOT.glob("notebooks/*.ipynb")]
    pages = {}
    for file in files:
        cells = [cell for cell in jupytext.read(file).cells if cell.cell_type == "code"]
        # What checks an answer is told by no record.
        keys = {
            light.cell_key(cell.source)
            for cell in cells
            if "check" not in cell.metadata.get("tags", ())
        }
        for cell in cells:
            pages |= dict.fromkeys(CALL.findall(cell.source), keys)
    assert len(pages) > 5
    recorded = {
        path.relative_to(light.PAGES).with_suffix("").as_posix(): set(
            json.loads(path.read_text(encoding="utf-8"))["cells"]
        )
        for path in light.PAGES.rglob("*.json")
    }
    assert recorded.keys() == pages.keys()
    assert {
        name: keys - pages[name]
        for name, keys in recorded.items()
        if keys - pages[name]
    } == {}
