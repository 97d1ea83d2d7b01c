"""Judges of searches on made-up rows whose verdict is known by construction, for each word they can say."""

import numpy as np
import pandas as pd
import pytest

from evalkit import recorded
from evalkit.experiments import grids
from evalkit.intervals import t_interval
from evalkit.papers import judging
from evalkit.papers.judging import MissingRunsError, Resampled
from evalkit.papers.potts2020 import tasks
from evalkit.papers.potts2020.claims import searched
from evalkit.papers.potts2020.claims.searched import JUDGES
from evalkit.papers.potts2020.tasks.tuned import (
    GRID_SAMPLES,
    GRID_SPLITS,
    MODULE_SPLITS,
    SETTINGS_DATA,
    SETTINGS_SPLITS,
    WIDE,
)
from evalkit.papers.rows import Rows
from evalkit.recorded import pack

REPLICATED, NOT, OPEN = "replicated", "not replicated", "inconclusive"
HELD_OUT = 1000


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    monkeypatch.setitem(Resampled.__init__.__kwdefaults__, "draws", 300)
    monkeypatch.setattr(judging, "MOST_DRAWS", 1)
    monkeypatch.setattr(searched, "DRAWS", 300)


# ---------------------------------------------------------------------------------------------
# Made-up rows
# ---------------------------------------------------------------------------------------------


def best(*settings):
    """The right answers of four settings, of which these are equally good and the best."""
    return [200 if i in settings else 100 for i in range(4)]


def grid(task, make, scheme="items"):
    """Rows of a grid; `make` gives train, folds, dev and the points on held-out items of a split."""
    n_splits = GRID_SPLITS if scheme == "items" else MODULE_SPLITS
    found = []
    for sample in range(GRID_SAMPLES[task]):
        for split in range(n_splits):
            *counts, worth = make(sample, split)
            result = dict(zip(("train", "folds", "dev"), map(pack, counts), strict=True))
            result |= {
                "n_train": 300,
                "n_held_out": HELD_OUT,
                "held_out": pack(round(HELD_OUT * x / 100) for x in worth),
            }
            unit = {"table": "grid", "task": task, "scheme": scheme, "sample": sample, "split": split}
            found.append({"unit": unit, "result": result})
    return found


def ways(train, dev, scatter=0.0):
    """The setting chosen by folds is worth 60, the others as many points more, which vary by sample."""

    def make(sample, split):
        more = scatter * (sample % 3 - 1)
        return best(1), best(0), best(2), [60, 60 + train + more, 60 + dev + more, 0]

    return make


def by_split(loss, scatter=0.0, chosen=2):
    """Splits choose among some settings in turn; each loses as many points on the splits of others."""

    def make(sample, split):
        own = split % chosen
        less = loss + scatter * (sample % 3 - 1)
        worth = [60 - (chosen > 1) * less * (i != own) for i in range(4)]
        return best(own), best(own), best(own), worth

    return make


def tried(data, train=None, dev=None, first=None, second=None):
    """Rows of 64 settings on each split, percent; what is not given is 50 everywhere."""
    values = {"train_accuracy": train, "dev": dev, "first": first, "second": second}
    shape = SETTINGS_SPLITS, WIDE
    values = {n: np.broadcast_to(50.0 if v is None else v, shape) / 100 for n, v in values.items()}
    return [
        {
            "unit": {"table": "settings", "data": data, "split": s, "space": "wide", "number": i},
            "result": {name: float(v[s, i]) for name, v in values.items()},
        }
        for s in range(shape[0])
        for i in range(shape[1])
    ]


def ramp(points):
    """Scores of the settings that rise by so many points from the first to the last."""
    return 50 + points * np.arange(WIDE) / (WIDE - 1)


def as_good(data, scores, train=None):
    """Settings that are as good on the test part as on the dev part."""
    return tried(data, scores if train is None else train, scores, scores, scores)


def noise(sd, seed):
    return 50 + sd * np.random.default_rng(seed).standard_normal((SETTINGS_SPLITS, WIDE))


def rows_of(make, tasks=tuple(GRID_SAMPLES), **other):
    """Rows of all tasks by one rule, but for some."""
    return [row for task in tasks for row in grid(task, other.get(task, make))]


# ---------------------------------------------------------------------------------------------
# Intervals
# ---------------------------------------------------------------------------------------------


def test_of_one_factor_it_is_the_t_interval():
    values = np.random.default_rng(0).normal(size=7)
    found = searched.interval(values)
    assert (found.low, found.high) == pytest.approx((t_interval(values).low, t_interval(values).high))
    assert found.estimate == pytest.approx(values.mean())


def test_what_never_varies_is_known():
    for values in (np.full(4, 0.25), np.full((4, 4), 0.25)):
        assert (searched.interval(values).low, searched.interval(values).high) == (0.25, 0.25)
    assert searched._over_settings(lambda among: np.full(4, 0.25)).high == 0.25


def test_an_interval_over_two_factors_covers():
    rng, covers = np.random.default_rng(0), 0
    for _ in range(1000):
        values = rng.normal(size=(4, 1)) + rng.normal(size=4) + rng.normal(size=(4, 4))
        found = searched.interval(values)
        covers += found.low <= 0 <= found.high
    assert covers >= 940  # over the rows alone it would be 919


def test_an_interval_over_settings_has_their_error():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=WIDE)
    found = searched._over_settings(lambda among: np.full(4, scores[among].mean()))
    assert found.estimate == pytest.approx(scores.mean())
    assert found.high - found.low == pytest.approx(4 * scores.std() / np.sqrt(WIDE), rel=0.2)


# ---------------------------------------------------------------------------------------------
# By what to choose
# ---------------------------------------------------------------------------------------------

FLAT = [row for data in SETTINGS_DATA for row in tried(data)]


def shallow(**changed):
    return [row for data in SETTINGS_DATA for row in changed.get(data, tried(data))]


@pytest.mark.parametrize(
    ("rows", "verdict", "shown"),
    [
        (rows_of(ways(0, 0)) + FLAT, REPLICATED, "SVM, digits 0.00 (0.00 to 0.00)"),
        (rows_of(ways(0.5, 0)) + FLAT, REPLICATED, "SVM, SST-2 -0.50"),
        (rows_of(ways(0, 0), digits=ways(-3, 0)) + FLAT, NOT, "SVM, digits 3.00"),
        (rows_of(ways(0, 0), digits=ways(3, 0)) + FLAT, OPEN, "SVM, digits -3.00"),  # better, beyond 1 point
        (rows_of(ways(0, 0), sst2=ways(-1, 0, 3)) + FLAT, OPEN, "SVM, SST-2 1.30 ("),
        (
            rows_of(ways(0, 0)) + shallow(tweets=as_good("tweets", ramp(10), ramp(-10))),
            NOT,
            "shallow classifier, tweets 10.00",
        ),
        (
            rows_of(ways(0, 0)) + shallow(tweets=as_good("tweets", ramp(1), ramp(-1))),
            OPEN,
            "shallow classifier, tweets 1.00",
        ),
        # All are trained without error: the first of equals is chosen, which is the worst.
        (
            rows_of(ways(0, 0)) + shallow(sst2=as_good("sst2", ramp(10), 100)),
            NOT,
            "shallow classifier, SST-2 10.00",
        ),
    ],
)
def test_choosing_by_training_score(rows, verdict, shown):
    finding = JUDGES["choose-on-train-or-dev"](Rows(rows[::-1]))
    assert (finding.verdict, finding.intervals) == (verdict, 6), finding.evidence
    assert shown in finding.evidence


@pytest.mark.parametrize(
    ("rows", "verdict", "shown"),
    [
        (rows_of(ways(0, -2)), REPLICATED, "docstrings 2.00 (2.00 to 2.00)"),
        (rows_of(ways(0, -2), sst2=ways(0, 0)), REPLICATED, "SST-2 0.00"),
        (rows_of(ways(0, -2), sst2=ways(0, 2)), OPEN, "SST-2 -2.00"),  # below 0 on one
        (rows_of(ways(0, 0), sst2=ways(0, -2)), NOT, "digits 0.00"),  # within 0.1 points of 0 on two
        (rows_of(ways(0, 0.5), sst2=ways(0, -2)), NOT, "digits -0.50"),
        (rows_of(ways(0, 0, 9), sst2=ways(0, -2)), OPEN, "digits 0.00 (-22.36 to 22.36)"),
    ],
)
def test_the_ideal_regime(rows, verdict, shown):
    finding = JUDGES["ideal-regime"](Rows(rows[::-1]))
    assert (finding.verdict, finding.intervals) == (verdict, 3), finding.evidence
    assert shown in finding.evidence
    assert "10 of docstrings, 3 of digits, 10 of SST-2" in finding.evidence


# ---------------------------------------------------------------------------------------------
# On other splits
# ---------------------------------------------------------------------------------------------


def tied(sample, split):
    """On half of the splits two settings are equally good, and on all of them the second is."""
    folds = best(0, 1) if split % 2 else best(1)
    return folds, folds, folds, [60, 60, 60, 60]


@pytest.mark.parametrize(
    ("rows", "verdict", "shown"),
    [
        # Of the other seven splits four chose another setting.
        (rows_of(by_split(7)), REPLICATED, "docstrings 4.00 (4.00 to 4.00)"),
        (rows_of(by_split(7), digits=by_split(0)), REPLICATED, "digits 0.00"),
        (rows_of(by_split(0), digits=by_split(7)), OPEN, "docstrings 100% of samples (none"),
        (rows_of(by_split(7), digits=by_split(7, chosen=1)), OPEN, "digits 0% of samples"),
        (rows_of(by_split(7, chosen=1), digits=by_split(7)), NOT, "SST-2 0% of samples"),
        (rows_of(tied), OPEN, "SST-2 100% of samples (none is among the best of all splits in 0%)"),
        (rows_of(by_split(7), digits=tied), REPLICATED, "digits 100% of samples (none is among the best of"),
    ],
)
def test_the_optimum_by_split(rows, verdict, shown):
    finding = JUDGES["optimum-differs-by-split"](Rows(rows[::-1]))
    assert (finding.verdict, finding.intervals) == (verdict, 3), finding.evidence
    assert shown in finding.evidence


@pytest.mark.parametrize(
    ("docstrings", "sst2", "verdict", "shown"),
    [
        (by_split(0.7), by_split(0, chosen=1), REPLICATED, "docstrings 0.40 (0.40 to 0.40); SST-2 0.00"),
        (by_split(7), by_split(0), NOT, "docstrings 4.00"),
        (by_split(-7), by_split(0), REPLICATED, "docstrings -4.00"),
        (by_split(0.7, 3), by_split(0), OPEN, "docstrings 0.23 ("),
    ],
)
def test_settings_of_one_split(docstrings, sst2, verdict, shown):
    rows = grid("docstrings", docstrings) + grid("sst2", sst2) + grid("docstrings", by_split(3), "modules")
    finding = JUDGES["one-split-settings"](Rows(rows[::-1]))
    assert (finding.verdict, finding.intervals) == (verdict, 2), finding.evidence
    assert shown in finding.evidence
    # Of three others two chose another setting.
    assert "modules are held out, docstrings: 2.00 (2.00 to 2.00)" in finding.evidence


# ---------------------------------------------------------------------------------------------
# On other data
# ---------------------------------------------------------------------------------------------


def svm(monkeypatch, loss):
    """Each task prefers a setting of its own, in both of its partitions."""

    def scores(task):
        own = np.arange(2) == (task == "scipy")
        return np.array([own, own]) * 1.0, np.where(own, 0.6, 0.6 - loss / 100)

    monkeypatch.setattr(grids, "recorded_scores", scores)


@pytest.mark.parametrize(
    ("tops", "loss", "verdict", "shown"),
    [
        ((10, -10, -10), 5, REPLICATED, "above 1 in 6 and below 1 in 2 of 8"),
        ((10, 10, -10), 0, REPLICATED, "above 1 in 4 and below 1 in 4 of 8"),
        ((0, 0, 0), 5, NOT, "above 1 in 2 and below 1 in 6 of 8"),
        ((1, 1, -1), 0, OPEN, "above 1 in 0 and below 1 in 4 of 8"),
        ((1, 1, -1), 1, OPEN, "scipy's parts to packages 1.00 (1.00 to 1.00)"),
    ],
)
def test_borrowed_settings(monkeypatch, tops, loss, verdict, shown):
    svm(monkeypatch, loss)
    rows = [
        row for data, top in zip(SETTINGS_DATA, tops, strict=True) for row in as_good(data, 50 + ramp(top))
    ]
    finding = JUDGES["borrowed-settings"](Rows(rows[::-1]))
    assert (finding.verdict, finding.intervals) == (verdict, 8), finding.evidence
    assert shown in finding.evidence


def test_a_loss_is_that_of_where_the_setting_is_used(monkeypatch):
    svm(monkeypatch, 0)
    rows = as_good("docstrings", ramp(10)) + as_good("sst2", ramp(-4)) + as_good("tweets", ramp(0))
    evidence = JUDGES["borrowed-settings"](Rows(rows)).evidence
    assert "docstrings to SST-2 4.00" in evidence
    assert "SST-2 to docstrings 10.00" in evidence


def test_partitions_of_both_tasks_vary(monkeypatch):
    estimates = {"docstrings": np.array([[1.0, 0], [0, 1]]), "scipy": np.array([[1.0, 0]] * 4)}
    monkeypatch.setattr(grids, "recorded_scores", lambda task: (estimates[task], np.array([0.6, 0.5])))
    assert searched._borrowed_by_svm("docstrings", "scipy") == pytest.approx(np.array([[0, 10.0]] * 4))
    assert searched._borrowed_by_svm("scipy", "docstrings") == pytest.approx(np.array([[0] * 4, [-10.0] * 4]))


# ---------------------------------------------------------------------------------------------
# The test set
# ---------------------------------------------------------------------------------------------


def peeked(sd, number, ahead=0.0):
    """Settings that are all as good, on halves of the test part with errors of their own."""
    first, second = noise(sd, number), noise(sd, 10 + number)
    return {"dev": noise(1, 20 + number), "first": first + ahead, "second": second}


def halves(*sds, ahead=0.0):
    return [
        row
        for number, (data, sd) in enumerate(zip(SETTINGS_DATA, sds, strict=True))
        for row in tried(data, **peeked(sd, number, ahead))
    ]


@pytest.mark.parametrize(
    ("rows", "verdict"),
    [
        (halves(1, 1, 1), REPLICATED),
        (halves(1, 1, 0), REPLICATED),
        (halves(0, 0, 0), NOT),
        (halves(1, 0, 0.05), NOT),
        (halves(1, 0.2, 0), OPEN),
        (halves(0.2, 0.2, 0.2, ahead=3.0), OPEN),  # one half is easier, whatever was chosen
        (halves(1, 1, 1, ahead=5.0), OPEN),
    ],
)
def test_a_test_set_that_chose(rows, verdict):
    finding = JUDGES["test-set-untouched"](Rows(rows[::-1]))
    assert (finding.verdict, finding.intervals) == (verdict, 6), finding.evidence


def test_the_surplus_is_that_of_either_half():
    # The last is best on the first half and 3 points worse on the second, where the first is 1 point ahead.
    first, second = np.full((4, WIDE), 50.0), np.full((4, WIDE), 50.0)
    first[:, -1], second[:, -1] = 52, 49
    second[:, 0] = 51
    evidence = JUDGES["test-set-untouched"](
        Rows([row for data in SETTINGS_DATA for row in tried(data, first=first, second=second)])
    ).evidence
    assert "tweets 2.00 (" in evidence
    assert "first half minus second: docstrings -1.00" in evidence  # of equals on dev, the first


@pytest.mark.parametrize(
    ("nested", "plain", "sd", "verdict"),
    [
        (0.0, 0.03, 0.01, REPLICATED),
        (-0.005, 0.0, 0.001, REPLICATED),
        (0.03, 0.05, 0.01, NOT),
        (-0.03, 0.05, 0.01, NOT),
        (0.0, 0.03, 0.2, OPEN),  # the interval holds a point and more
        (0.0, 0.0, 0.0, OPEN),  # no optimism at all
        (0.0, -0.03, 0.001, OPEN),
    ],
)
def test_the_lock_is_simulated(monkeypatch, nested, plain, sd, verdict):
    errors = sd * np.linspace(-1, 1, 60)
    table = pd.DataFrame(
        {"sample": range(60), "truth": 0.3, "nested": 0.3 + nested + errors, "plain": 0.3 + plain + errors}
    )
    monkeypatch.setattr(recorded, "load_recorded", lambda *names: table[::-1])
    finding = JUDGES["cross-validation-simulates-lock"](None)
    assert finding.verdict == verdict, finding.evidence
    assert finding.evidence.startswith("60 samples of docstrings, 15 of each package")


# ---------------------------------------------------------------------------------------------
# Rows that are missing
# ---------------------------------------------------------------------------------------------

MODULES = grid("docstrings", by_split(1), "modules")


@pytest.mark.parametrize(
    ("claim", "rows"),
    [
        ("choose-on-train-or-dev", rows_of(ways(0, 0)) + FLAT),
        ("ideal-regime", rows_of(ways(0, 0))),
        ("optimum-differs-by-split", rows_of(by_split(1))),
        ("one-split-settings", rows_of(by_split(1)) + MODULES),
        ("borrowed-settings", FLAT),
        ("test-set-untouched", FLAT),
    ],
)
def test_runs_that_are_missing(claim, rows):
    JUDGES[claim](Rows(rows))
    for missing in (rows[0], rows[-1]):
        with pytest.raises(MissingRunsError):
            JUDGES[claim](Rows([row for row in rows if row is not missing]))


def test_as_many_rows_are_asked_for_as_are_planned():
    plan = pd.DataFrame([unit for unit in tasks.plan() if unit["table"] in ("grid", "settings")])
    counts = plan[plan.table == "grid"].groupby(["task", "scheme"]).size().to_dict()
    assert counts == {
        **{(task, "items"): n * GRID_SPLITS for task, n in GRID_SAMPLES.items()},
        ("docstrings", "modules"): GRID_SAMPLES["docstrings"] * MODULE_SPLITS,
    }
    wide = plan[plan.space == "wide"].groupby("data").size()
    assert wide.to_dict() == dict.fromkeys(SETTINGS_DATA, WIDE * SETTINGS_SPLITS)
