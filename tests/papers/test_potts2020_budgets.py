"""Judges of what searches cost and of the ways to save, on made-up runs whose verdict is known."""

import datetime
import functools
import math

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestRegressor

from evalkit import recorded
from evalkit.papers.judging import MissingRunsError, Resampled
from evalkit.papers.potts2020.claims import budgets
from evalkit.papers.potts2020.tasks import systems, tuned
from evalkit.papers.rows import Rows
from evalkit.recorded import pack

REPLICATED, NOT, OPEN = "replicated", "not replicated", "inconclusive"


def row(table, result, **unit):
    return {"unit": {"table": table, **unit}, "result": result}


def verdict(claim, rows=()):
    return budgets.JUDGES[claim](Rows(list(rows))).verdict


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    """Draws enough for verdicts that are made to be clear."""
    monkeypatch.setattr(budgets, "steps", functools.partial(budgets.steps, draws=100))
    monkeypatch.setattr(
        budgets, "Resampled", lambda *args, **options: Resampled(*args, **{"draws": 200} | options)
    )


@pytest.fixture
def tables(monkeypatch):
    """The recorded tables, by experiment and name; those that a test puts in."""
    found = {}
    monkeypatch.setattr(recorded, "load_recorded", lambda *name: found[name])
    return found


def pools(**systems_):
    """Runs of two networks, the columns of each as arrays."""
    frames = [
        pd.DataFrame(columns).assign(system=system, draw=range(len(next(iter(columns.values())))), seed=0)
        for system, columns in systems_.items()
    ]
    return pd.concat(frames).assign(**{c: 0.5 for c in ("validation", "test") if c not in frames[0]})


# ---------------------------------------------------------------------------------------------
# What a search costs
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lstm", "linear", "expected"),
    [
        (30.0, 0.2, REPLICATED),
        (5.0, 0.2, NOT),
        (17.3, 0.2, OPEN),  # 5,000 of them are a day, and a little
        (30.0, 0.8, OPEN),  # more than an hour, which refutes nothing
    ],
)
def test_ideal_too_dear(tables, lstm, linear, expected):
    scatter = np.linspace(0.8, 1.2, 40)
    tables["pools", "search"] = pools(lstm={"seconds": lstm * scatter})
    tables["pools", "baselines"] = pd.DataFrame({"system": "linear", "seconds": [0.1, 0.1, 0.1]})
    tables["resplits", "splits"] = pd.DataFrame(
        {"scheme": "stratified", "system": "linear", "seconds": linear * scatter}
    )
    assert verdict("ideal-too-dear") == expected


def spread(n=200, centre=0.60, sd=0.01, seed=0):
    return centre + sd * np.random.default_rng(seed).standard_normal(n)


@pytest.mark.parametrize(
    ("grid", "scores", "expected"),
    [
        (0.62, spread(sd=0.005, centre=0.611), REPLICATED),
        (0.62, np.full(200, 0.62), REPLICATED),  # all the same
        (0.80, spread(), NOT),
        (0.55, spread(), OPEN),  # better than the grid by far: not like it
    ],
)
def test_random_search_like_grid(tables, grid, scores, expected):
    tables["pools", "search"] = pools(mlp={"validation": scores, "test": scores})
    low = np.linspace(0.2, 0.5, 63)
    tables["searches", "grid"] = pd.DataFrame({"validation": [*low, 0.9], "test": [*low, grid]})
    counts = np.tile(np.arange(81), (2, 1))
    tables["grids", "truth"] = pd.DataFrame(
        {"task": "docstrings", "sample": range(2), "items": 100, "right": map(pack, counts)}
    )
    tables["grids", "partitions"] = tables["grids", "truth"].assign(k=5, partition=0)
    found = budgets.JUDGES["random-search-like-grid"](None)
    assert found.verdict == expected
    # The best of 20 of 0, 1 ... 80 is 20 / 21 of 81, minus 1, in expectation.
    assert f"{20 / 21 * 82 - 1 - 80:.2f} (" in found.evidence


def guided(best, count=tuned.RESTARTS):
    return [
        row("guided", {"validations": pack([0.1] * 29 + [b], ".6f"), "tests": pack([b] * 30, ".6f")})
        | {"unit": {"table": "guided", "restart": i, "trials": 30}}
        for i, b in enumerate(np.broadcast_to(best, count))
    ]


@pytest.mark.parametrize(
    ("two", "expected"),
    [
        (0.63 + np.linspace(-0.004, 0.004, tuned.RESTARTS), REPLICATED),
        (0.63, REPLICATED),  # every restart the same: no width
        (0.66 + np.linspace(-0.004, 0.004, tuned.RESTARTS), NOT),
        (0.60, OPEN),  # six are better by far
        (0.64 + np.linspace(-0.02, 0.02, tuned.RESTARTS), OPEN),
    ],
)
def test_guided_search(tables, two, expected):
    tables["searches", "guided"] = pd.DataFrame(
        {"trials": 30, "validations": [pack([0.1] * 29 + [0.63], ".6f")] * 12}
    )
    tables["pools", "search"] = pools(mlp={"validation": spread()})
    assert verdict("guided-search-controls-growth", guided(two)) == expected
    with pytest.raises(MissingRunsError):
        verdict("guided-search-controls-growth", guided(two)[1:])


# ---------------------------------------------------------------------------------------------
# Tools
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("archived", "released", "expected"),
    [
        (budgets.SKOPT["archived"], budgets.SKOPT["released"], NOT),
        (None, datetime.date(2026, 1, 1), REPLICATED),
        (None, datetime.date(2024, 1, 1), OPEN),
    ],
)
def test_search_tools(monkeypatch, archived, released, expected):
    monkeypatch.setattr(budgets, "SKOPT", budgets.SKOPT | {"archived": archived, "released": released})
    assert verdict("search-tools") == expected


def test_both_searches_run_and_find_what_is_to_be_found():
    texts = [f"{word} {i % 7}" for i in range(30) for word in ("array", "figure")]
    labels = [0, 1] * 30
    for found in budgets.search_twice(texts, labels):
        assert found.best_score_ == 1
        assert found.cv_results_["params"]


# ---------------------------------------------------------------------------------------------
# Ways to save
# ---------------------------------------------------------------------------------------------


def curves(early, final):
    cells = [pack([0.1, first, last], ".4f") for first, last in zip(early, final, strict=True)]
    return {"validation": final, "test": final, "validation_curve": cells}


@pytest.mark.parametrize(
    ("early", "expected"),
    [
        (lambda final: final - 0.2, REPLICATED),
        (lambda final: np.random.default_rng(1).permutation(final), NOT),
        (lambda final: np.round(final, 1), NOT),  # ties: many, and the best not among the firsts
        (lambda final: final + 0.03 * np.random.default_rng(1).standard_normal(200), OPEN),
    ],
)
def test_early_predicts_final(tables, early, expected):
    final = np.random.default_rng(0).permutation(np.linspace(0.2, 0.5, 200))
    tables["pools", "search"] = pools(mlp=curves(final - 0.1, final), lstm=curves(early(final), final))
    assert verdict("early-predicts-final") == expected


NAMES = list(budgets.searches.SPACE)


def settings_of_mlp(effect, seed=0):
    drawn = np.random.default_rng(seed).random((200, len(NAMES)))
    scores = 0.6 + 0.1 * effect(dict(zip(NAMES, drawn.T, strict=True)))
    return {**dict(zip(NAMES, drawn.T, strict=True)), "validation": scores, "test": scores}


@pytest.mark.parametrize(
    ("effect", "fixed", "expected"),
    [
        (lambda h: h["learning_rate"] + h["dropout"], 0.777, REPLICATED),
        (lambda h: h["learning_rate"] + h["dropout"], 0.50, OPEN),  # fixing four costs; three might not
        (lambda h: h["hidden"] + h["embedding"] + 0.1 * h["batch_size"], 0.79, OPEN),  # others are weak
        (lambda h: sum(h.values()) / 3, 0.79, NOT),
        (lambda h: np.random.default_rng(5).standard_normal(200), 0.79, OPEN),  # nothing is explained
    ],
)
def test_few_hyperparameters(tables, monkeypatch, effect, fixed, expected):
    forest = RandomForestRegressor(n_estimators=30, min_samples_leaf=3, random_state=0)
    monkeypatch.setattr(budgets, "_forest", lambda: clone(forest))
    tables["pools", "search"] = pools(mlp=settings_of_mlp(effect))
    cell = pack([fixed] * 30, ".6f")
    rows = [
        row("guided", {"validations": cell, "tests": cell}, restart=i, trials=30)
        for i in range(tuned.RESTARTS)
    ]
    assert verdict("few-hyperparameters-matter", rows) == expected
    with pytest.raises(MissingRunsError):
        verdict("few-hyperparameters-matter", rows[1:])


def searched(second=None, third=0.66, *, same=None):
    """Settings whose five ways lose ever more, but for what is changed: the scores that a way gets.

    Half of what a setting is worth belongs to its corpus, half to the split; corpora want opposite ones.
    """
    rng, rows, worth = np.random.default_rng(0), [], np.linspace(0, 0.4, tuned.WIDE)
    of_corpus = rng.permutation(worth)
    for number, data in enumerate(tuned.SETTINGS_DATA):
        for split in range(tuned.SETTINGS_SPLITS):
            common = of_corpus if number != 1 else 0.4 - of_corpus
            scores = common + rng.permutation(worth) + 0.1
            if same is not None:
                scores = np.full(tuned.WIDE, same)
            target = second if second is not None else np.quantile(scores, 0.86)
            for i, score in enumerate(scores):
                # Early, those are best that are worth the target.
                start = 0.1 - abs(score - target) / 10
                rows.append(setting(data, split, "wide", i, start, score))
            for i in range(tuned.NARROW):
                value = third if same is None else same
                rows.append(setting(data, split, "narrow", i, 0, value + 1e-5 * i * (same is None)))
    return rows


def setting(data, split, space, number, early, score):
    curve = np.full(systems.EPOCHS, score + 0.01)
    curve[: budgets.STOP] = early
    result = {"dev_curve": pack(curve, ".6f"), "dev": score, "first": score - 0.001, "second": score + 0.001}
    return row("settings", result, data=data, split=split, space=space, number=number)


def best_of_ranks(chosen_by, reported, n):
    """Boo_n without replacement, by counting the subsets whose best is at each level."""
    member = np.unique(chosen_by, return_inverse=True)[1]
    means = np.bincount(member, weights=reported) / np.bincount(member)
    subsets = [math.comb(int(rank), n) for rank in np.cumsum(np.bincount(member))]
    return np.diff(subsets, prepend=0) @ means / math.comb(len(reported), n)


def test_searches_are_exact_on_a_pool_of_which_all_is_known():
    found = budgets.Searches(Rows(searched()).table("settings"))
    for cell in range(len(found.corpus)):
        best = found.test[cell][found.dev[cell].argmax()]
        assert best == found.test[cell].max()
    scores = found.scores()
    assert scores[-1] == pytest.approx(np.mean(found.test.max(axis=1)))
    alone = [
        budgets.boo(found.dev[cell], found.test[cell], n=budgets.WHOLE, estimator="u")
        for cell in range(len(found.corpus))
    ]
    assert scores[0] == pytest.approx(np.mean(alone))
    # As recorded, scores that differ in their last bits are no ties here; `boo` takes them for such.
    other = [
        best_of_ranks(found.dev[a], found.test[b], budgets.WHOLE)
        for a, first in enumerate(found.corpus)
        for b, second in enumerate(found.corpus)
        if first == second and a != b
    ]
    assert scores[3] == pytest.approx(np.mean(other))


def test_the_ways_are_given_as_much():
    whole = budgets.WHOLE * systems.EPOCHS
    for stop, fits in ((budgets.STOP, True), (budgets.STOP + 1, False)):
        assert (tuned.WIDE * stop + systems.EPOCHS - stop <= whole) == fits


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (lambda: searched(third=0.66), REPLICATED),
        (lambda: searched(third=0.85), NOT),  # fixing is better than stopping early
        (lambda: searched(second=0.59, third=0.59), OPEN),
        (lambda: searched(same=0.5), OPEN),  # nothing varies: equality, which reverses nothing
    ],
)
def test_compromise_order(rows, expected):
    rows = rows()
    assert verdict("compromise-order", rows) == expected
    with pytest.raises(MissingRunsError):
        verdict("compromise-order", rows[1:])


def test_steps_have_the_variance_of_splits_and_of_settings():
    """Of scores that differ by split alone, the interval is that of means of four, three times."""
    rows = searched(same=0.5)
    shift = {}
    for r in rows:
        unit, result = r["unit"], r["result"]
        if unit["space"] == "narrow":
            key = unit["data"], unit["split"]
            shift[key] = shift.get(key, np.random.default_rng(len(shift)).standard_normal() / 100)
            result["first"] = result["second"] = 0.5 + shift[key]
    estimate, low, high, drawn = budgets.steps(budgets.Searches(Rows(rows).table("settings")), draws=20)
    by_corpus = np.reshape([100 * shift[key] for key in sorted(shift)], (3, 4))
    error = np.sqrt((by_corpus.var(axis=1, ddof=1) / 4).sum()) / 3
    assert estimate[1] == pytest.approx(-by_corpus.mean())
    assert estimate[2] == pytest.approx(by_corpus.mean())
    # Between 3 and 9 degrees of freedom.
    assert 2.262 * error <= high[1] - estimate[1] <= 3.183 * error
    assert low[0] == high[0] == 0
    assert (drawn.count, drawn.share) == (20, 0)


def test_chances_share_among_equals_and_add_up():
    assert budgets.chances([3, 1, 3, 2], 4).tolist() == [0.5, 0, 0.5, 0]
    assert budgets.chances([1, 1, 1, 1], 2).tolist() == [0.25] * 4
    rng = np.random.default_rng(0)
    scores, tests = rng.integers(9, size=20), rng.random(20)
    weights = budgets.chances(scores, 5)
    assert weights.sum() == pytest.approx(1)
    assert weights @ tests == pytest.approx(budgets.boo(scores, tests, n=5, estimator="u"))


# ---------------------------------------------------------------------------------------------
# What is published, and what is compared
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("gap", "expected"), [(0.0005, REPLICATED), (0.05, NOT), (0.0175, OPEN)])
def test_value_all_results(tables, gap, expected):
    quantiles = np.random.default_rng(0).permutation(spread(100))
    tables["pools", "seeds"] = pools(mlp={"test": quantiles}, lstm={"test": quantiles - gap})
    assert verdict("value-all-results") == expected


def test_inflation_of_scores_that_never_vary():
    assert budgets.inflation(np.full(10, 2.0), np.full(10, 1.0)) == 0
    assert budgets.inflation(np.full(10, 1.0), np.full(10, 1.0)) == np.inf


def test_inflation_does_not_ask_which_is_named_first():
    a, b = spread(60), spread(60, centre=0.605, seed=1)
    assert budgets.inflation(a, b) == budgets.inflation(b, a)


def test_holm_steps_down_until_the_first_that_fails():
    p = np.array([[0.04, 0.01, 0.03], [0.02, 0.01, 0.05], [0.06, 0.5, 0.9]])
    assert budgets.holm(p).tolist() == [[False, True, False], [True, True, True], [False] * 3]


@pytest.mark.parametrize(("lost", "expected"), [(0.3, REPLICATED), (0.0, NOT), (0.03, OPEN)])
def test_few_related_systems(monkeypatch, lost, expected):
    power = np.full((300, 2), 0.8)
    power[:, 1] -= lost
    monkeypatch.setattr(budgets, "lost_power", lambda n: power)
    assert verdict("few-related-systems") == expected


def test_a_correction_for_more_pairs_finds_no_more(monkeypatch):
    monkeypatch.setattr(budgets, "SIMULATED", 500)
    power = budgets.lost_power(10)
    assert (power[:, 0] >= power[:, 1]).mean() > 0.99
    assert budgets.lost_power(10, shift=0.0).mean() < 0.05
