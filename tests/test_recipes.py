"""The page of recipes: its small exports are what their script writes of the recorded
runs, its cells run, and what it says is refused is.
"""

import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import evalkit as ek
from evalkit.reports import RefusedError

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "book" / "_tools"))
import recipe_samples  # noqa: E402

PAGE = (ROOT / "book" / "recipes.md").read_text(encoding="utf-8")
CELL = re.compile(r"^```\{code-cell\}.*\n((?:.*\n)*?)^```$", re.MULTILINE)
RECIPES = PAGE.split("(report-refusals)=")[0]
CELLS = [re.sub(r"^:tags:.*\n", "", found) for found in CELL.findall(RECIPES)]


def test_the_samples_are_what_their_script_writes():
    there = {
        path.relative_to(recipe_samples.FOLDER).as_posix(): path.read_bytes()
        for path in recipe_samples.FOLDER.rglob("*")
        if path.is_file()
    }
    written = {k: text.encode() for k, text in recipe_samples.contents().items()}
    assert there == written
    assert max(map(len, there.values())) < 6_000


def test_each_recipe_is_a_short_cell_that_ends_with_a_report(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    spoken, space = [], {}
    for code in CELLS:
        lines = [line for line in code.splitlines() if line.strip()]
        assert len(lines) <= 9  # of the set-up; a recipe has 8
        assert max(map(len, lines)) <= 78
        exec(code, space)
        spoken += capsys.readouterr().out.splitlines()[-1:]
    assert len(spoken) == PAGE.count("(recipe-")
    assert all("scores " in line or "score the same" in line for line in spoken)


def cell(anchor):
    """Return the last cell of a recipe."""
    (found,) = re.findall(
        rf"\(recipe-{anchor}\)=(.*?)(?=\n\(recipe-|\Z)", RECIPES, re.DOTALL
    )
    return CELL.findall(found)[-1]


def dropped(table):
    return table.iloc[1:]


def empty(column):
    return lambda table: table.assign(**{column: table[column].where(table.index > 0)})


@pytest.mark.parametrize(
    ("anchor", "file", "fault", "code"),
    [
        ("files", "runs_lstm.csv", lambda t: t.set_axis(["seed", "acc"], axis=1), "metric"),
        ("key", "gold.csv", dropped, "key"),
        ("key", "answers.csv", lambda t: t[t["item"] != "line-0003"], "gaps"),
        ("key", "answers.csv", dropped, "unmatched"),
        ("steps", "steps.csv", empty("seed"), "gaps"),
        ("optuna", "optuna_lstm.csv", empty("value"), "gaps"),
        ("mlflow", "mlflow.csv", empty("params.seed"), "gaps"),
        (
            "wandb",
            "wandb.csv",
            lambda t: t.assign(learning_rate=np.arange(len(t)) / 100),
            "columns",
        ),
    ],
)  # fmt: skip
def test_what_a_recipe_leaves_to_the_report_is_refused(
    anchor, file, fault, code, monkeypatch
):
    def read(path, **options):
        table = pd_read(path, **options)
        return fault(table) if str(path) == file else table

    pd_read = pd.read_csv
    monkeypatch.chdir(recipe_samples.FOLDER)
    monkeypatch.setattr(pd, "read_csv", read)
    space = {"pd": pd, "ek": ek, "first": str}
    with pytest.raises(RefusedError) as refused:
        exec(cell(anchor), space)
    assert refused.value.code == code


def test_means_over_other_repeats_stop(monkeypatch):
    pd_read = pd.read_csv
    monkeypatch.chdir(recipe_samples.FOLDER)
    monkeypatch.setattr(pd, "read_csv", lambda path: pd_read(path).iloc[1:])
    with pytest.raises(ValueError, match="over other runs"):
        exec(cell("repeats"), {"pd": pd, "ek": ek, "first": str})
