"""What is computed for the course's printed figures, and the claims that only reading would decide."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import stats

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


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    monkeypatch.setattr(figures, "POWER_DRAWS", 5000)


def computed(rows):
    return figures.computed(Rows(rows), None).set_index("id")


@pytest.mark.parametrize("claim", ["demsar-recommends", "mittens-curves"])
def test_what_only_reading_decides_is_out_of_reach(claim):
    found = figures.JUDGES[claim](Rows([]))
    assert found.verdict == "out of reach"
    assert found.evidence.endswith(".")


def test_every_printed_figure_is_computed_or_says_what_is_missing():
    table = computed(curves(np.linspace(0.01, 0.03, trained.CURVE_SEEDS)))
    assert list(table.index) == list(figures.published().index)
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


@pytest.mark.parametrize("n", [5, 6, 9])
def test_the_power_of_the_signed_rank_test_without_a_difference_is_its_level(n):
    sums = [sum(signs) for signs in itertools.product(*((0, rank) for rank in range(1, n + 1)))]
    tails = stats.wilcoxon(np.ones(n), method="exact").pvalue, np.mean(np.array(sums) <= 0) * 2
    assert tails[0] == pytest.approx(tails[1])
    # The largest share of signs, in both tails, that is not above 5 %.
    shares = [2 * np.mean(np.array(sums) <= w) for w in range(max(sums) // 2)]
    level = max([share for share in shares if share <= 0.05], default=0)
    assert figures.signed_rank_power(n, shift=0.0) == pytest.approx(level, abs=0.01)


def test_the_power_of_the_signed_rank_test_is_that_of_scipys(monkeypatch):
    monkeypatch.setattr(figures, "POWER_DRAWS", 2000)
    drawn = np.random.default_rng(2006).standard_normal((25, 2000))[:12].T + 0.5
    rejected = stats.wilcoxon(drawn, axis=1, method="exact").pvalue <= 0.05
    assert figures.signed_rank_power(12, shift=0.5) == rejected.mean()


def test_more_splits_are_asked_for_more_power():
    (enough, note), (good, _) = (figures.enough_splits(name) for name in figures.POWER)
    assert 6 < enough < good <= 20
    assert "reject from 6 on" in note
