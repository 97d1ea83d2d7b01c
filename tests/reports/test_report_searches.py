"""Searches in a report: one budget for all, how validation chose, and trials that are
copies.
"""

import numpy as np
import pandas as pd
import pytest

import evalkit as ek
from evalkit.reports import RefusedError

SIZES = {"lstm": 60, "tcn": 40, "gru": 75}


def searches(rng, **sizes):
    """Trials as a tracker exports them: numbered, with settings that were drawn, and
    two scores.
    """
    rows = []
    for name, n in (sizes or SIZES).items():
        rate, dropout = 10 ** rng.uniform(-5, -1, n), rng.uniform(0, 0.6, n).round(3)
        score = (
            0.8
            - 0.02 * (np.log10(rate) + 3) ** 2
            + rng.normal(0, 0.006, n)
            + 0.01 * (name == "gru")
        )
        rows += [
            {
                "trial": k,
                "model": name,
                "lr": lr,
                "dropout": d,
                "val_acc": v,
                "test_acc": t,
            }
            for k, (lr, d, v, t) in enumerate(
                zip(
                    rate,
                    dropout,
                    (score + rng.normal(0, 0.005, n)).round(4),
                    (score + rng.normal(0, 0.004, n)).round(4),
                    strict=True,
                )
            )
        ]
    return pd.DataFrame(rows)


def check_of(found, code):
    return next(check for check in found.bench.checks if check.code == code)


@pytest.fixture
def table():
    return searches(np.random.default_rng(3))


def test_all_searches_are_compared_at_one_budget_and_the_table_adds_up(table):
    found = ek.report(table, baseline="lstm")
    contrasts = found.findings.contrasts
    assert {one.system for one in contrasts} == {"tcn", "gru"}
    assert all("best of 8" in one.sizes for one in contrasts)  # a fifth of 40
    assert len({one.means[1] for one in contrasts}) == 1
    for one in contrasts:
        assert one.difference == pytest.approx(one.means[0] - one.means[1])
        scores = [
            found.scores(name, column)
            for name in (one.system, "lstm")
            for column in ("validation", "score")
        ]
        assert one.difference == pytest.approx(
            ek.budget_difference(*scores, 8).difference
        )
    assert "other searches of 8 trials each" in found.findings.varies
    assert (
        "lstm 60, tcn 40, gru 75. All are compared at 8 trials"
        in check_of(found, "few").words
    )


def test_the_sizes_of_every_search_are_written_down(table):
    found = ek.report(table, baseline="lstm")
    for words in (found.paper[0], found.write("html")):
        assert "from 40 and 60 trials" in words
        assert "from 75 and 60 trials" in words
    assert "expected best" in found.write("markdown")
    assert "| mean |" not in found.write("markdown")


def test_which_way_validation_was_read_is_on_the_page(table):
    found = check_of(ek.report(table, baseline="lstm"), "test-chose")
    assert found.outcome == "fine"
    assert "Of val_acc the higher is the better, by its name." in found.words


@pytest.mark.parametrize("sign", [1, -1])
def test_a_validation_whose_name_is_silent_is_asked_about(table, sign):
    silent = table.assign(val_metric=sign * table.val_acc).drop(columns="val_acc")
    with pytest.raises(RefusedError, match="a higher or a lower val_metric is better"):
        ek.report(silent, baseline="lstm")


def test_a_validation_of_the_same_metric_is_better_the_same_way(table):
    named = table.rename(columns={"val_acc": "val_points", "test_acc": "test_points"})
    found = ek.report(named, baseline="lstm", metric="test_points", direction="higher")
    assert (
        "Of val_points the higher is the better" in check_of(found, "test-chose").words
    )
    pairs = zip(
        found.findings.contrasts,
        ek.report(table, baseline="lstm").findings.contrasts,
        strict=True,
    )
    assert all(a.difference == pytest.approx(b.difference) for a, b in pairs)


def test_the_number_of_a_trial_is_no_setting(table):
    found = ek.report(table, baseline="lstm")
    assert found.roles["setting"] == ("lr", "dropout")
    assert "trial" not in check_of(found, "settings").words
    copied = (
        table[table.model == "gru"]
        .nlargest(10, "val_acc")
        .assign(trial=range(100, 110))
    )
    with pytest.raises(
        RefusedError, match="10 rows come again with the same system and lr and dropout"
    ):
        ek.report(pd.concat([table, copied]), baseline="lstm")
    grid = [
        {"lr": lr, "dropout": d}
        for lr in (0.1, 0.01, 0.001, 0.0001)
        for d in np.arange(10) / 20
    ]
    grids = (
        table.groupby("model")
        .head(40)
        .assign(**pd.concat([pd.DataFrame(grid)] * 3).to_dict("list"))
    )
    with pytest.raises(RefusedError, match="are a grid"):
        ek.report(grids, baseline="lstm")


def test_a_search_without_its_settings_is_still_a_search(table):
    found = ek.report(table.drop(columns=["lr", "dropout"]), baseline="lstm")
    assert found.evidence.kind == "search"
    assert check_of(found, "settings").words.startswith("No setting is in the file")


def runs(rng, digits, names=("bert", "electra", "ours")):
    """Seeds of some systems, their scores rounded, as a tracker exports them."""
    n = 8 * len(names)
    score = rng.normal(0.8, 0.01, n)
    numbers = {
        "test_f1": score,
        "val_f1": score + rng.normal(0, 0.004, n),
        "val_loss": rng.normal(0.4, 0.01, n),
    }
    table = pd.DataFrame(
        {name: values.round(digits) for name, values in numbers.items()}
    )
    return table.assign(
        model=np.repeat(names, 8),
        seed=np.tile(np.arange(8), len(names)),
        runtime=rng.integers(2000, 50000, n),
    )


@pytest.mark.parametrize(
    "columns", [["test_f1"], ["test_f1", "val_f1", "val_loss", "runtime"]]
)
def test_a_system_copied_under_other_seeds_is_found(columns):
    table = runs(np.random.default_rng(1), 4)[["model", "seed", *columns]]
    own = table[table.model == "electra"].sample(frac=1, random_state=0)
    copied = own.assign(model="theirs", seed=range(100, 108))
    with pytest.raises(
        RefusedError, match="electra and theirs have the same scores throughout"
    ):
        ek.report(pd.concat([table, copied]), baseline="bert")
