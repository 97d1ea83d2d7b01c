"""What is computed for the course's printed figures."""

import numpy as np
import pandas as pd
import pytest
from potts_rows import row

from lab import scorecard
from lab.papers.potts2020 import audit
from lab.papers.potts2020.tasks import trained
from lab.papers.rows import Rows
from lab.record.tables import LACKING, pack


def computed(final, count=trained.CURVE_SEEDS):
    errors = np.broadcast_to(final, count)
    rows = [
        row(
            "curves", {"error": pack([0.7, error], ".5f")}, data="artificial", seed=seed
        )
        for seed, error in enumerate(errors)
    ]
    return audit.computed(Rows(rows))


def test_every_printed_figure_is_computed_or_says_what_is_missing():
    table = computed(0.02).set_index("id")
    printed = scorecard.printed().query("paper == 'potts2020'").set_index("id").printed
    advice = {"wilcoxon/min_splits", "wilcoxon/good_splits"}
    assert {*table.index} | advice == {*printed.index}
    assert all(table.note)
    assert list(table.index[table.value.isna()]) == [
        "storycloze/full",
        "storycloze/ending_only",
    ]
    for name in printed.index:
        if name.startswith(("grid", "kfold", "practical")):
            assert scorecard.judge(printed[name], table.value[name]) == "reproduced"


def test_the_course_adds_up_the_losses_of_its_batches():
    table = computed(np.linspace(0.01, 0.03, trained.CURVE_SEEDS)).set_index("id")
    assert table.value["mlp/final_error"] == pytest.approx(3 * 0.02, abs=1e-5)
    assert "from 0.0300 to 0.0900" in table.note["mlp/final_error"]


def test_one_seed_too_few_is_waited_for():
    table = computed(0.02, trained.CURVE_SEEDS - 1)
    assert "mlp/final_error" not in set(table.id)
    assert list(table.attrs[LACKING]) == ["mlp/final_error"]


@pytest.mark.parametrize(("share", "draw"), [(0.8, "an ordinary"), (0.3, "a rare")])
def test_ten_trials_of_xor(monkeypatch, share, draw):
    cell = {
        "labels": "same",
        "activation": "tanh",
        "hidden": 2,
        "seeds": 1000,
        "learned_500": share,
    }
    other = {**cell, "labels": "xor", "learned_500": 0.5}
    monkeypatch.setattr(
        "lab.record.tables.load_recorded", lambda *name: pd.DataFrame([other, cell])
    )
    correct, incorrect = audit._xor().values()
    assert (correct[0], incorrect[0]) == pytest.approx((10 * share, 10 - 10 * share))
    assert f"the printed draw is {draw} one" in correct[1]
