"""The page "Make it long" shows every code of a refusal where it says so."""

import re
from pathlib import Path

from evalkit.reports import schema

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "book" / "recipes.md").read_text(encoding="utf-8")
CELL = re.compile(r"```\{code-cell\} ipython3\n(.*?)```", re.DOTALL)


def test_each_code_has_an_anchor_and_a_cell_in_which_it_happens(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)  # the page changes to it; this goes back
    start, *parts = re.split(r"\(report-([\w-]+)\)=\n### ", PAGE)
    assert parts[::2] == [*schema.CONTRADICTIONS, *schema.SUSPICIONS]
    scope, before = {}, CELL.findall(start)
    for code in (before[0], before[-1]):  # what the recipes begin with, and these
        exec(code, scope)
    for code, text in zip(parts[::2], parts[1::2], strict=True):
        exec(CELL.search(text)[1], scope)
        assert capsys.readouterr().out.splitlines()[-1] == f"({code})"
