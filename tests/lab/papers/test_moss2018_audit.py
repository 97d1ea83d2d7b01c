"""What is computed from the released files of Moss et al., on made-up files, by pandas,
SciPy or by hand.
"""

import numpy as np
import pandas as pd
import pytest
from made_up import choosing, one_setting
from scipy import stats

from lab.data import released
from lab.papers.moss2018 import EXPERIMENT, audit
from lab.record import tables

SIZES = {
    ("rf", 5): 999,
    ("rf", 10): 999,
    ("rf", 20): 499,
    ("reuters", 10): 999,
    ("pos", 10): 1000,
}
N_SETTINGS = {"rf": 49, "pos": 11, "reuters": 81, "lstm": 9, "lstm-reg": 9}
TRUTH = 0.7 + 0.001 * np.arange(49) + 0.002 * (-1.0) ** np.arange(49)


def file(task, k, count=None):
    """A made-up file of independent partitions; in 256ths, so that what is shared is so
    exactly.
    """
    rng = np.random.default_rng([k, *task.encode()])
    scores = rng.normal(
        0.7, 0.02, size=(count or SIZES.get((task, k), 200), N_SETTINGS[task])
    )
    return np.round(256 * scores) / 256


@pytest.fixture(autouse=True)
def made_up_files(monkeypatch):
    monkeypatch.setattr(audit, "scores", file)
    monkeypatch.setattr(audit, "DRAWS", 400)
    monkeypatch.setattr(released, "moss2018_truth", lambda: TRUTH)


def blocks(rows, j, count):
    """The means of the first blocks of J rows, by pandas."""
    return pd.DataFrame(rows).groupby(np.arange(len(rows)) // j).mean().iloc[:count]


def chosen(means, values):
    """What each block chooses: the first of the best."""
    return pd.Series(np.asarray(values)[means.idxmax(axis=1)])


@pytest.mark.parametrize(
    ("published", "task", "j", "k", "blocks_used", "expected"),
    [
        (
            "imdb_rf/2-5/sd_chosen",
            "rf",
            2,
            5,
            499,
            lambda m, g: chosen(m, g.max_features).std(),
        ),
        (
            "imdb_rf/1-5/min_chosen",
            "rf",
            1,
            5,
            999,
            lambda m, g: chosen(m, g.max_features).min(),
        ),
        (
            "imdb_rf/4-5/max_chosen",
            "rf",
            4,
            5,
            249,
            lambda m, g: chosen(m, g.max_features).max(),
        ),
        (
            "imdb_rf/1-20/sd_accuracy",
            "rf",
            1,
            20,
            499,
            lambda m, g: 100 * m.max(axis=1).std(),
        ),
        (
            "imdb_rf/10-5/worst_global",
            "rf",
            10,
            5,
            99,
            lambda m, g: 100 * chosen(m, TRUTH).min(),
        ),
        (
            "imdb_rf/1-5/range_global_low",
            "rf",
            1,
            5,
            999,
            lambda m, g: 100 * chosen(m, TRUTH).min(),
        ),
        (
            "imdb_rf/1-5/range_global_high",
            "rf",
            1,
            5,
            999,
            lambda m, g: 100 * chosen(m, TRUTH).max(),
        ),
        ("pos_lr/2-10/sd_chosen", "pos", 2, 10, 499, lambda m, g: chosen(m, g.C).std()),
        (
            "reuters_svm/4-10/sd_chosen_C",
            "reuters",
            4,
            10,
            249,
            lambda m, g: chosen(m, g.C).std(),
        ),
        (
            "reuters_svm/4-10/sd_chosen_gamma",
            "reuters",
            4,
            10,
            249,
            lambda m, g: chosen(m, g.gamma).std(),
        ),
        # Of 200 rows that were released as they are named.
        (
            "lstm_width/8-5/sd_chosen",
            "lstm",
            8,
            5,
            24,
            lambda m, g: chosen(m, g.width).std(),
        ),
        (
            "lstm_reg/1-10/sd_chosen_bias",
            "lstm-reg",
            1,
            10,
            199,
            lambda m, g: chosen(m, g.bias).std(),
        ),
        (
            "lstm_reg/1-10/sd_chosen_input",
            "lstm-reg",
            1,
            10,
            199,
            lambda m, g: chosen(m, g.input).std(),
        ),
    ],
)
def test_a_printed_figure_by_pandas(
    monkeypatch, published, task, j, k, blocks_used, expected
):
    monkeypatch.setattr(audit, "DRAWS", 2)
    found = EXPERIMENT.run({"table": "computed", "id": published})
    value = expected(
        blocks(file(task, k), j, blocks_used), released.moss2018_grid(task)
    )
    assert found["value"] == pytest.approx(value)
    if "sd" in published:
        what = (
            "as many other partitions"
            if j == 1
            else "other groupings of the same partitions"
        )
        note = f"{what} give {found['low']:.3g} to {found['high']:.3g}"
        misnamed = "; from the file that is named for ten folds and holds five"
        assert found["note"] == note + misnamed * ((task, k) == ("reuters", 10))
    else:
        assert found["note"] == ""
        assert "low" not in found


def test_an_sd_has_the_range_of_other_partitions_or_of_other_groupings():
    rows = file("lstm", 5)
    found = audit.computed("lstm_width/1-5/sd_accuracy")
    plain = stats.bootstrap(
        [100 * rows[:199].max(axis=1)],
        lambda x: np.std(x, ddof=1),
        method="percentile",
        vectorized=False,
        n_resamples=999,
        rng=1,
    ).confidence_interval
    assert (found["low"], found["high"]) == pytest.approx(plain, rel=0.03)
    found = audit.computed("lstm_width/8-5/sd_accuracy")
    rng = np.random.default_rng(1)
    sds = [
        100 * blocks(rng.permutation(rows), 8, 24).max(axis=1).std() for _ in range(400)
    ]
    assert (found["low"], found["high"]) == pytest.approx(
        np.quantile(sds, [0.025, 0.975]), rel=0.06
    )


def test_what_is_counted(monkeypatch):
    assert audit.computed("imdb_rf/grid") == {
        "value": 49,
        "note": "0.01 to 0.49 were run",
    }
    found = audit.computed("all/partitions")
    assert found["value"] == 999
    assert found["note"].endswith("the LSTM has 200 at K = 5 and 200 at K = 10")
    assert "value" not in audit.computed("coling2016/k10")


def test_what_the_worst_choice_of_the_tagger_loses(monkeypatch):
    class Tagger:
        grid = pd.DataFrame({"C": [1, 10, 100]})
        items, held_out = np.arange(3), np.arange(3, 7)

        def right(self, train, test, seed):
            assert (train.tolist(), test.tolist()) == ([0, 1, 2], [3, 4, 5, 6])
            return np.array([[1, 1, 1, 0], [1, 1, 1, 1], [0, 0, 0, 0]], dtype=bool)

    monkeypatch.setattr(audit, "load", lambda task, sample: Tagger())
    # The worst setting of all is chosen by no partition.
    monkeypatch.setattr(
        audit, "scores", lambda task, k: np.array([[0.9, 0.8, 0.7], [0.8, 0.9, 0.7]])
    )
    assert audit.computed("pos_lr/1-10/worst_loss") == {
        "value": 25.0,
        "note": (
            "by the released set-up, on 4 other words, the chosen C lose: 1 25.00, 10"
            " 0.00"
        ),
    }


@pytest.mark.parametrize("n", [334, 27, 2])
def test_the_number_of_documents_is_the_smallest_denominator(monkeypatch, n):
    monkeypatch.setattr(
        audit,
        "scores",
        lambda task, k: np.array([[1 / n, 1 - 1 / n], [0, 1 if k == 5 else 0.5]]),
    )
    corn = pd.DataFrame(
        {"newid": [1, 2, 3, 4], "split": ["train", "test", "train", "train"]}
    )
    wheat = pd.DataFrame({"newid": [3, 4, 5], "split": ["train", "train", "test"]})
    monkeypatch.setattr(
        audit, "documents_about", lambda *topics: {"corn": corn, "wheat": wheat}
    )
    found = audit.computed("reuters_svm/instances")
    assert found["value"] == (n if n % 2 == 0 else 2 * n)
    assert (
        "has 4 on corn and 3 on wheat, with 2 among both; 3 are the different ones"
        in found["note"]
    )


def test_rows_that_are_alike_are_found_by_ljung_and_box():
    rng = np.random.default_rng(0)
    walk = one_setting(
        0.5 + 0.01 * np.convolve(rng.normal(size=120), [1, 0.5, 0.2], mode="valid")
    )
    means = walk.mean(axis=1) - walk.mean()
    lagged = np.correlate(means, means, mode="full")[len(means) - 1 :]
    correlation = (lagged / lagged[0])[1:11]
    q = (
        len(means)
        * (len(means) + 2)
        * sum(r**2 / (len(means) - lag) for lag, r in enumerate(correlation, 1))
    )
    assert audit.neighbours_alike(walk) == pytest.approx(stats.chi2(10).sf(q))


@pytest.mark.parametrize("lawless", [False, True])
def test_the_law_is_asked_of_all_files_whose_rows_are_independent(monkeypatch, lawless):
    rng = np.random.default_rng(0)
    files = {task: rng.normal(size=(160, 2)) for task in audit.TASKS.values()}
    files["lstm"] = np.cumsum(files["lstm"], axis=0)
    # What one row has too much the next has too little, at random distances.
    if lawless:
        files["pos"] = np.repeat(files["pos"][:40], 4, axis=0)
        monkeypatch.setattr(
            audit, "neighbours_alike", lambda rows: 0.5 * (rows is not files["lstm"])
        )
    monkeypatch.setattr(audit, "scores", lambda task, k: files[task])
    found = audit.computed("law/one_over_j")
    assert found["value"] == (not lawless)
    assert found["note"].endswith(
        "corrected for 4 files; without lstm_width, whose rows are alike"
    )
    for name in ("imdb_rf", "reuters_svm"):
        rows = pd.DataFrame(files[audit.TASKS[name]])
        ratio = 8 * blocks(rows, 8, 20).var() / rows.var()
        assert f"{name} {ratio.median():.2f}" in found["note"]


def test_the_choice_and_its_worth_by_pandas():
    found = EXPERIMENT.run({"table": "choices", "task": "rf", "j": 4, "k": 5})
    means = blocks(file("rf", 5), 4, 249)
    picks = means.idxmax(axis=1)
    assert found["groups"] == 249
    assert (
        tables.unpack(found["counts"]).tolist()
        == picks.value_counts().reindex(range(49), fill_value=0).tolist()
    )
    best = 100 * means.max(axis=1)
    assert tables.unpack(found["estimates"]) == pytest.approx(
        best.quantile([0.025, 0.25, 0.5, 0.75, 0.975]).to_numpy(), abs=5e-5
    )
    assert found["sd_estimate"] == pytest.approx(best.std())
    place = np.log(np.arange(1, 50))
    smooth = pd.Series(100 * TRUTH)
    for i in range(49):
        near = [k for k in range(49) if abs(k - i) <= 8]
        terms = np.array([[1, place[k], place[k] ** 2] for k in near])
        weights, *_ = np.linalg.lstsq(terms, 100 * TRUTH[near], rcond=None)
        smooth[i] = weights @ [1, place[i], place[i] ** 2]
    worth = smooth[picks]
    assert found["worst"] == pytest.approx(worth.min())
    assert found["worth"] == pytest.approx(worth.mean())
    assert found["best"] == pytest.approx(smooth.max())
    assert found["best_raw"] == pytest.approx(100 * TRUTH.max())
    # Up and down by 0.2 from a line: second differences are 0.8, whose variance is six
    # times the noise's.
    assert found["noise"] == pytest.approx(0.8 / np.sqrt(6))
    curve = EXPERIMENT.run({"table": "held_out", "task": "rf"})
    assert tables.unpack(curve["smoothed"]) == pytest.approx(
        smooth.to_numpy(), abs=5e-5
    )
    assert curve["accuracy"] == pytest.approx(smooth.max())
    assert curve["pooled"] == pytest.approx(smooth[file("rf", 5).mean(axis=0).argmax()])
    assert curve["best"] == released.moss2018_grid("rf").max_features[smooth.idxmax()]


def test_an_ordering_by_pandas(monkeypatch):
    unit = {
        "table": "orderings",
        "task": "rf",
        "quantity": "sd_accuracy",
        "a": "2-10",
        "b": "4-5",
    }
    monkeypatch.setattr(
        audit, "scores", lambda task, k: file(task, k, 120 if k == 5 else 100)
    )
    found = EXPERIMENT.run(unit)
    rng = np.random.default_rng(1)

    def ratio(one, other, n):
        def best(rows, j):
            return pd.Series(
                rows[rng.integers(len(rows), size=(n, j))].mean(axis=1).max(axis=1)
            )

        return best(other, 4).std() / best(one, 2).std()

    def again(rows):
        return rows[rng.integers(len(rows), size=len(rows))]

    one, other = file("rf", 10, 100), file("rf", 5, 120)
    assert found["ratio"] == pytest.approx(ratio(one, other, 20_000), rel=0.02)
    ratios = [ratio(again(one), again(other), 2000) for _ in range(200)]
    assert (found["low"], found["high"]) == pytest.approx(
        np.quantile(ratios, [0.025, 0.975]), rel=0.05
    )


def test_more_is_drawn_where_an_ordering_may_turn(monkeypatch):
    def ordered(ratio):
        """Two files of other partitions; in one the one setting varies so much more."""
        values = np.random.default_rng(2).normal(size=(61, 1))
        files = {
            10: values[:60] / values[:60].std(),
            5: ratio * values[::-1] / values.std(),
        }
        monkeypatch.setattr(audit, "scores", lambda task, k: files[k])
        return audit.ordering("rf", "sd_accuracy", "1-10", "1-5")

    clear = ordered(0.5)
    assert (clear["draws"], clear["undecided"]) == (audit.DRAWS, 0)
    near = ordered(1 / (clear["high"] / 0.5))
    assert near["draws"] > audit.DRAWS
    assert near["undecided"] == 0 or near["draws"] == 16 * audit.DRAWS


def test_optimism_by_pandas():
    found = EXPERIMENT.run({"table": "optimism", "task": "lstm", "j": 4, "k": 5})
    rows = file("lstm", 5)
    means, pooled = 100 * blocks(rows, 4, 50), 100 * rows.mean(axis=0)
    best = means.max(axis=1)
    assert found["groups"] == 50
    assert found["sd_maximum"] == pytest.approx(best.std())
    assert found["maximum"] == pytest.approx(best.mean())
    assert found["sd_fixed"] == pytest.approx(means[pooled.argmax()].std())
    assert found["worth"] == pytest.approx(pooled[means.idxmax(axis=1)].mean())
    rng = np.random.default_rng(1)
    sds = [
        100 * blocks(rows[rng.integers(200, size=200)], 4, 50).max(axis=1).std()
        for _ in range(400)
    ]
    assert (found["low"], found["high"]) == pytest.approx(
        np.quantile(sds, [0.025, 0.975]), rel=0.05
    )


def test_the_ninth_column_as_printed_and_as_run(monkeypatch):
    rows = choosing([8, 7, 0, 7, 4, 8, 0, 0, 0], 9)
    rows[:, 7] = np.where(
        np.arange(9) < 2, rows[:, 7], rows[:, 8] + 0.01 * np.arange(9)
    )
    rows[:, 1], rows[:, 4] = 0.55, 0.58
    monkeypatch.setattr(audit, "scores", lambda task, k: rows)
    found = EXPERIMENT.run({"table": "as_run", "j": 1, "k": 5})
    grid = released.moss2018_grid("lstm-reg")
    picks = rows[:8].argmax(axis=1)  # the last one is left out, as theirs is
    assert found["sd_printed"] == pytest.approx(grid.input[picks].std())
    assert found["sd_as_run"] == pytest.approx(
        grid.input.replace({}).where(grid.index != 8, 1e-3)[picks].std()
    )
    assert found["ninth"] == pytest.approx((picks == 8).mean())
    assert found["same"] == pytest.approx((rows[:, 7] == rows[:, 8]).mean())
    assert found["apart"] == pytest.approx(
        100 * abs(rows[:, 7].mean() - rows[:, 8].mean())
    )
    assert found["cost"] == pytest.approx(5)
