"""The page "Your first report": its samples are as their script makes them, and its
story is told by them.
"""

import ast
import re
import sys
from pathlib import Path

import pandas as pd
import pytest
from faulty import refused
from grids import grid

import evalkit as ek
from lab.data import datasets
from lab.experiments.pools import unpack_predictions
from lab.record import tables

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "data" / "samples"
GROUPS = {"group": "module"}
sys.path.insert(0, str(ROOT / "book" / "_tools"))
import sample_files  # noqa: E402

CELL = re.compile(r"```\{code-cell\} ipython3\n(?::[^\n]*\n)*(.*?)```", re.DOTALL)


def test_the_samples_are_as_their_script_makes_them():
    tables = sample_files.samples()
    assert {path.stem for path in SAMPLES.glob("*.csv")} == set(tables)
    for name, table in tables.items():
        assert (SAMPLES / f"{name}.csv").read_text(
            encoding="utf-8"
        ) == sample_files.text(table)


def test_the_page_runs_and_its_assertions_hold(monkeypatch):
    monkeypatch.chdir(ROOT)  # the page changes to it; this goes back
    monkeypatch.setattr("lab.pages.keep", lambda values=None, /, **named: None)
    scope = {}
    cells = CELL.findall(
        (ROOT / "book" / "first_report.md").read_text(encoding="utf-8")
    )
    assert len(cells) > 8
    for code in cells:
        exec(compile(ast.parse(code), "first_report", "exec"), scope)


def test_no_sample_says_what_the_whole_record_does_not():
    of_system = dict(iter(tables.load_recorded("pools", "seeds").groupby("system")))
    difference = ek.difference_interval(
        of_system["lstm"].test, of_system["mlp"].test, paired=False
    )
    found = ek.report(SAMPLES / "honest.csv", baseline="mlp", ignore="rest")
    (honest,) = found.findings.contrasts
    assert (honest.difference, honest.low) == pytest.approx(
        (difference.difference, difference.low)
    )
    assert honest.verdict == "undecided"
    assert 0 in difference
    # The two networks of the leaky file, on every item.
    items = tables.load_recorded("pools", "test_items")
    label = items.package.map(datasets.PACKAGES.index).to_numpy()
    packed = of_system["mlp"].test_predictions[:2]
    old, new = (unpack_predictions(answers, len(label)) == label for answers in packed)
    assert 0 in ek.crossed_difference(new, old, items.module)


@grid(
    ("name", "code", "said"),
    [
        ("honest", "columns", {}),
        ("leaky", "columns", {}),
        ("leaky", "train-items", {"columns": GROUPS}),
        ("one_seed", "one-run", {}),
    ],
)
def test_the_planted_fault_is_the_one_that_is_found(name, code, said):
    path = SAMPLES / f"{name}.csv"
    found = refused(path, baseline=pd.read_csv(path).system[0], **said)
    assert [fault.code for fault in found.faults] == [code]
