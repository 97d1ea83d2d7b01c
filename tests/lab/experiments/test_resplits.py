"""The experiment on splits: what it plans, what its rows hold, and what its record
says.
"""

import json

import numpy as np
import pandas as pd
import pytest
from grids import grid
from sklearn.model_selection import StratifiedKFold

from evalkit import split_report
from lab.experiments import resplits
from lab.record import tables
from lab.record.tables import unpack

PLAN = resplits.EXPERIMENT.plan("recorded", [])


@pytest.fixture(scope="module")
def lines():
    return resplits.draw_lines()


def test_lines_stand_once_and_in_one_package(lines):
    assert len(lines) == resplits.N_LINES
    assert not lines.duplicate.duplicated().any()
    assert (lines.summary.str.split().str.len() >= 3).all()


@pytest.mark.parametrize("scheme", resplits.SCHEMES)
def test_a_split_keeps_its_promise(lines, scheme):
    split = resplits.draw_split(scheme, 7)
    report = split_report(split, lines.package, groups=lines.module)
    assert report.sizes.share["test"] == pytest.approx(resplits.TEST_SHARE, abs=0.002)
    assert (report.shared_groups == ()) == (scheme == "grouped")
    assert (report.largest_difference < 0.009) == (scheme != "random")
    again, other = resplits.draw_split(scheme, 7), resplits.draw_split(scheme, 8)
    assert split.test.tolist() == again.test.tolist() != other.test.tolist()


def first(table, **wanted):
    return next(
        u
        for u in PLAN
        if u["table"] == table and all(u[k] == v for k, v in wanted.items())
    )


@pytest.mark.parametrize(
    "unit",
    [
        first("splits", scheme="grouped", system="naive_bayes"),
        first("kfold", folds=3, system="naive_bayes"),
        first("curve", train_share=0.1, system="svm"),
    ],
    ids=lambda unit: unit["table"],
)
def test_a_unit_gives_its_recorded_row_again(unit):
    result = resplits.EXPERIMENT.run(unit)
    assert json.loads(json.dumps(result)) == result
    row_then = next(
        row for row in tables.recorded_rows("resplits") if row["unit"] == unit
    )
    assert set(result) == set(row_then["result"])
    assert result["accuracy"] == pytest.approx(
        row_then["result"]["accuracy"], abs=resplits.EXPERIMENT.compared["accuracy"]
    )


def test_fold_scores_are_those_of_the_folds(lines):
    unit = first("kfold", folds=5, system="dummy")
    result = resplits.EXPERIMENT.run(unit)
    scores = unpack(result["fold_scores"])
    folds = StratifiedKFold(5, shuffle=True, random_state=unit["shuffle"])
    for score, (train, test) in zip(
        scores, folds.split(lines, lines.package), strict=True
    ):
        assert score == pytest.approx(
            np.mean(lines.package[test] == lines.package[train].mode()[0]), abs=1e-6
        )
    assert result["accuracy"] == pytest.approx(
        np.mean(lines.package == "torch"), abs=1e-6
    )


def test_training_sets_of_a_curve_grow_over_the_same_test_lines():
    table = tables.load_recorded("resplits", "curve")
    sizes = table.groupby("train_share").n_train.agg(["min", "max"])
    assert (sizes["min"] == sizes["max"]).all()
    assert sizes["min"].is_monotonic_increasing
    assert (table.n_test == 400).all()


def test_every_system_beats_the_dummy():
    table = tables.load_recorded("resplits", "splits")
    wide = table.pivot_table(
        index=["scheme", "split"], columns="system", values="accuracy"
    )
    assert (wide.drop(columns="dummy").min(axis=1) > wide.dummy + 0.1).all()


def test_draw_lines_gives_a_copy():
    mine = resplits.draw_lines()
    mine.loc[0, "summary"] = "changed"
    assert resplits.draw_lines().summary[0] != "changed"
    assert isinstance(resplits.draw_lines(), pd.DataFrame)


@grid("call", [resplits.build_system, lambda name: resplits.draw_split(name, 0)])
def test_unknown_names_are_refused(call):
    with pytest.raises(ValueError, match=r"^(system|scheme) must be one of"):
        call("unknown")
