"""What is computed for the course's printed figures, and the claims that only reading would decide."""

import numpy as np
import pandas as pd
import pytest

from evalkit import recorded, scorecard
from evalkit.papers.potts2020.claims import figures
from evalkit.papers.potts2020.tasks import trained
from evalkit.papers.rows import Rows
from evalkit.recorded import LACKING, pack


def curves(final, count=trained.CURVE_SEEDS):
    return [
        {
            "unit": {"table": "curves", "data": "artificial", "seed": seed},
            "result": {"error": pack([0.7, error], ".5f")},
        }
        for seed, error in enumerate(np.broadcast_to(final, count))
    ]


def computed(rows):
    return figures.computed(Rows(rows), None).set_index("id")


@pytest.mark.parametrize("claim", ["demsar-recommends", "mittens-curves"])
def test_what_only_reading_decides_is_out_of_reach(claim):
    found = figures.JUDGES[claim](Rows([]))
    assert found.verdict == "out of reach"
    assert found.evidence.endswith(".")


def test_every_printed_figure_is_computed_or_says_what_is_missing():
    table = computed(curves(np.linspace(0.01, 0.03, trained.CURVE_SEEDS)))
    advice = ["wilcoxon/min_splits", "wilcoxon/good_splits"]
    assert [*table.index, *advice] == list(figures.published().index)
    assert all(table.note)
    absent = table.index[table.value.isna()]
    assert list(absent) == ["storycloze/full", "storycloze/ending_only"]


def test_arithmetic_comes_out_as_it_is_printed():
    table, printed = computed(curves(0.02)), figures.published()
    for name in printed.index:
        if name.startswith(("grid", "kfold", "practical")):
            assert scorecard.judge(printed[name], table.value[name]) == "reproduced"


def test_the_course_adds_up_the_losses_of_its_batches():
    table = computed(curves(np.linspace(0.01, 0.03, trained.CURVE_SEEDS)))
    assert table.value["mlp/final_error"] == pytest.approx(3 * 0.02, abs=1e-5)
    assert "from 0.0300 to 0.0900" in table.note["mlp/final_error"]


def test_one_seed_too_few_is_waited_for():
    table = figures.computed(Rows(curves(0.02)[1:]), None)
    assert "mlp/final_error" not in set(table.id)
    assert list(table.attrs[LACKING]) == ["mlp/final_error"]


@pytest.mark.parametrize(("share", "draw"), [(0.8, "an ordinary"), (0.3, "a rare")])
def test_ten_trials_of_xor(monkeypatch, share, draw):
    cell = {"labels": "same", "activation": "tanh", "hidden": 2, "seeds": 1000, "learned_500": share}
    other = {**cell, "labels": "xor", "learned_500": 0.5}
    monkeypatch.setattr(recorded, "load_recorded", lambda *name: pd.DataFrame([other, cell]))
    correct, note = figures.xor("xor/correct")
    incorrect, _ = figures.xor("xor/incorrect")
    assert (correct, incorrect) == pytest.approx((10 * share, 10 - 10 * share))
    assert f"the printed draw is {draw} one" in note
