"""Judges of baselines and of single settings on made-up rows, for each word that they can say."""

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor

from evalkit import recorded
from evalkit.papers import judging
from evalkit.papers.judging import MissingRunsError, Resampled
from evalkit.papers.potts2020 import tasks
from evalkit.papers.potts2020.claims import baselines
from evalkit.papers.potts2020.claims.baselines import JUDGES
from evalkit.papers.rows import Rows
from evalkit.recorded import pack

REPLICATED, NOT, OPEN = "replicated", "not replicated", "inconclusive"


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    monkeypatch.setitem(Resampled.__init__.__kwdefaults__, "draws", 300)
    monkeypatch.setattr(judging, "MOST_DRAWS", 1)


@pytest.fixture
def put(monkeypatch):
    """A function that puts made-up tables in the place of recorded ones, their rows in another order."""

    def put(**tables):
        def load(experiment, table):
            return tables[f"{experiment}_{table}"][::-1].reset_index(drop=True)

        monkeypatch.setattr(recorded, "load_recorded", load)

    return put


def around(middle, sd, count=100, seed=0):
    return middle + sd * np.random.default_rng(seed).standard_normal(count)


# ---------------------------------------------------------------------------------------------
# Scores alone, and the network beside its baselines
# ---------------------------------------------------------------------------------------------


def nine(*scores, n_classes=10):
    """Scores of the best system and of the dummy, a pair for each data set."""
    return pd.DataFrame(
        [
            {"dataset": f"data {i}", "system": system, "accuracy": score, "classes": n_classes}
            for i, (best, dummy) in enumerate(scores)
            for system, score in (("dummy", dummy), ("linear", best), ("tree", best / 2))
        ]
    )


HARD, SURE = (0.6, 0.2), [(0.7 + 0.03 * i, 0.2) for i in range(8)]


@pytest.mark.parametrize(
    ("easy", "hard", "n_classes", "verdict", "shown"),
    [
        (0.9, HARD, 10, REPLICATED, "it reaches 0.900; on 1 of the nine"),
        (0.89, HARD, 10, NOT, "none reaches 0.9"),  # the higher the score, the larger the gain
        (0.95, (0.6, 0.45), 10, NOT, "(none)"),
        (0.95, HARD, 2, NOT, "(none)"),  # who guesses among two classes gets one half
        (0.89, (0.95, 0.94), 10, OPEN, "none reaches 0.9"),
    ],
)
def test_a_number_alone(monkeypatch, put, easy, hard, n_classes, verdict, shown):
    monkeypatch.setattr(baselines, "easy_scores", lambda: {"it": easy, "that": 0.3})
    put(nine_datasets_scores=nine(hard, *SURE, n_classes=n_classes))
    finding = JUDGES["numbers-need-context"](None)
    assert finding.verdict == verdict, finding.evidence
    assert shown in finding.evidence
    assert "human score is out of reach" in finding.evidence


def test_easy_tasks_are_scored_on_the_data_themselves():
    found = baselines.easy_scores()
    assert list(found) == [
        "one feature on breast cancer",
        "one feature on wine",
        "a dummy on whether a digit is 8",
    ]
    assert found["a dummy on whether a digit is 8"] == pytest.approx(1 - 174 / 1797)
    assert 0.85 < found["one feature on breast cancer"] < 0.95


def central(network, linear, other=None, sd=0.005):
    seeds = {"mlp": around(network, sd), "lstm": around(network if other is None else other, sd, seed=1)}
    return {
        "pools_baselines": pd.DataFrame(
            {
                "system": ["dummy", "dummy", "linear", "linear"],
                "strategy": ["most_frequent", "uniform", "", ""],
                "validation": [0.2, 0.1, 0.5, 0.6],
                # What is better on test alone is not chosen.
                "test": [0.2, 0.4, 0.9, linear],
            }
        ),
        "pools_seeds": pd.concat(
            pd.DataFrame({"system": name, "seed": range(100), "test": test}) for name, test in seeds.items()
        ),
        "pools_test_items": pd.DataFrame({"package": ["a"] * 3000}),
    }


@pytest.mark.parametrize(
    ("tables", "verdict"),
    [
        (central(0.6, 0.58), REPLICATED),
        (central(0.6, 0.64), REPLICATED),
        (central(0.6, 0.3), NOT),
        (central(0.6, 0.58, other=0.99), NOT),  # 2 of 40 points in the one, 41 of 79 in the other
        (central(0.6, 0.58, other=0.9), OPEN),  # 32 of 70 points in the other
        (central(0.35, 0.34), OPEN),  # too little over the dummy
        (central(0.6, 0.45), OPEN),
        (central(0.6, 0.6, sd=0.0), REPLICATED),
    ],
)
def test_the_baseline_decides(put, tables, verdict):
    put(**tables)
    finding = JUDGES["baselines-central"](None)
    assert finding.verdict == verdict, finding.evidence
    assert "on the same 3,000 test items" in finding.evidence


# ---------------------------------------------------------------------------------------------
# Dummies, and parts of the input
# ---------------------------------------------------------------------------------------------


def dummies(best=None, share=0.6, n_splits=baselines.DUMMY_SPLITS):
    """Rows whose best strategy is given by data set and metric; else it is the commonest class everywhere."""
    found = []
    for number, data in enumerate(baselines.DUMMY_DATA):
        for split in range(n_splits):
            scores = {name: [0.1, 0.1, 0.1] for name in baselines.STRATEGIES} | {"linear": [0.8] * 3}
            for metric in range(3):
                leading = (best or {}).get((number, metric), "most_frequent")
                # The scatter over splits is larger than what one leads by.
                wave = 0.2 * (-1) ** split
                for name in ("most_frequent", "prior") if leading == "most_frequent" else (leading,):
                    scores[name][metric] = 0.8 * share + wave
            result = {name: pack(values, ".6f") for name, values in scores.items()}
            found.append({"unit": {"table": "dummies", "data": data, "split": split}, "result": result})
    return found


def test_random_baselines_are_useful():
    finding = JUDGES["random-baselines-useful"](Rows(dummies({(3, 1): "uniform"})[::-1]))
    assert finding.verdict == REPLICATED
    assert "in 24 of 24 cases, at most 60%" in finding.evidence
    assert "2 of 5 strategies of the classifier and 0 of 4 strategies of the regressor" in finding.evidence
    assert "most_frequent 38.0, prior 38.0, stratified 38.0, uniform 38.0" in finding.evidence


@pytest.mark.parametrize(
    "rows",
    [
        dummies(),  # "prior" answers what "most_frequent" does: equal, and yet one is best for all
        dummies({(3, 1): "uniform"}, share=0.45),
        dummies({(3, 1): "uniform"}, share=0.5),
    ],
)
def test_random_baselines_may_be_of_no_use(rows):
    assert JUDGES["random-baselines-useful"](Rows(rows)).verdict == NOT


def test_too_few_random_strategies_would_refute(monkeypatch):
    monkeypatch.setattr(
        baselines, "random_strategies", lambda: {"DummyClassifier": ["uniform"], "DummyRegressor": []}
    )
    assert JUDGES["random-baselines-useful"](Rows(dummies({(0, 0): "uniform"}))).verdict == NOT


def test_all_strategies_of_scikit_learn_are_tried():
    for kind, tried in ((DummyClassifier, baselines.CLASSIFIER), (DummyRegressor, baselines.REGRESSOR)):
        assert set(tried) == kind._parameter_constraints["strategy"][0].options
    found = baselines.random_strategies()
    assert found == {"DummyClassifier": ["stratified", "uniform"], "DummyRegressor": []}


def partial(**gains):
    """The right answers of each part above the dummy's 500 of 3,000."""
    return [
        {
            "unit": {"table": "partial", "part": part},
            "result": {"right": 500 + gains.get(part, 0), "dummy": 500, "items": 3000},
        }
        for part in tasks.divided.PARTS
    ]


@pytest.mark.parametrize(
    ("gains", "verdict"),
    [
        ({"first_word": 300, "whole": 900}, REPLICATED),
        ({"whole": 900}, NOT),  # the whole line is no part
        ({"length": 180}, OPEN),
        ({"length": -100}, NOT),
    ],
)
def test_a_part_of_the_input(gains, verdict):
    finding = JUDGES["partial-input-baselines"](Rows(partial(**gains)[::-1]))
    assert (finding.verdict, finding.intervals) == (verdict, 4)
    assert "SNLI and the story task are out of reach" in finding.evidence


@pytest.mark.parametrize(
    ("claim", "rows"),
    [("random-baselines-useful", dummies()), ("partial-input-baselines", partial())],
)
def test_runs_that_are_missing(claim, rows):
    with pytest.raises(MissingRunsError):
        JUDGES[claim](Rows(rows[1:]))


def test_as_many_rows_are_asked_for_as_are_planned():
    planned = [unit for unit in tasks.plan() if unit["table"] == "dummies"]
    assert len(planned) == baselines.DUMMY_SPLITS * len(baselines.DUMMY_DATA)
    assert {unit["data"] for unit in planned} == set(baselines.DUMMY_DATA)


# ---------------------------------------------------------------------------------------------
# Settings and searches
# ---------------------------------------------------------------------------------------------


def pool(mlp, lstm):
    """Searches whose validation and test scores are given, in percent."""
    return pd.concat(
        pd.DataFrame({"system": name, "draw": range(len(v)), "validation": v / 100, "test": t / 100})
        for name, (v, t) in (("mlp", mlp), ("lstm", lstm))
    )


def settings_pool(mlp, lstm, linear, dummy=0.2):
    rows = [("dummy", dummy), *(("linear", score) for score in linear)]
    return {
        "pools_search": pool(*(2 * (100 * np.array(scores),) for scores in (mlp, lstm))),
        "pools_baselines": pd.DataFrame(rows, columns=["system", "test"]).assign(validation=0.5),
        "pools_test_items": pd.DataFrame({"package": ["a"] * 3000}),
    }


@pytest.mark.parametrize(
    ("scores", "verdict", "shown"),
    [
        (((0.3, 0.4, 0.6), (0.3, 0.4, 0.6), (0.35, 0.5)), REPLICATED, "6 of 6 orders occur, 6 of them"),
        # The linear model is above whatever the LSTM gets.
        (((0.3, 0.4, 0.6), (0.3, 0.4), (0.5, 0.55)), NOT, "3 of 6 orders occur"),
        # All orders, but the linear model is below both by less than an interval.
        (((0.3, 0.4, 0.42), (0.3, 0.4, 0.41), (0.395, 0.5)), OPEN, "all but "),
        (((0.5,), (0.5,), (0.5,)), NOT, "0 of 6 orders occur"),  # equal scores have no order
    ],
)
def test_settings_for_every_outcome(put, scores, verdict, shown):
    put(**settings_pool(*scores))
    finding = JUDGES["defaults-tell-nothing"](None)
    assert finding.verdict == verdict, finding.evidence
    assert shown in finding.evidence


def test_a_score_at_the_dummy_s_does_not_count(put):
    put(**settings_pool((0.2, 0.6), (0.2, 0.6), (0.2, 0.6)))
    finding = JUDGES["defaults-tell-nothing"](None)
    assert (finding.verdict, finding.intervals) == (NOT, 12)
    assert "0 of 6 orders occur" in finding.evidence


def test_the_agreement_of_searches_is_that_of_all_choices():
    rng = np.random.default_rng(0)
    first, second = np.round(rng.normal(size=(6, 2)), 1), np.round(rng.normal(size=(5, 2)), 1)
    first[0, 0] = first[1, 0]

    def tests(pairs):
        return [
            [p[1] for p in some if p[0] == max(some)[0]] for some in itertools.combinations(pairs.tolist(), 3)
        ]

    order = np.sign(baselines._top(first) - baselines._top(second))
    by_hand = np.mean(
        [
            np.mean([np.sign(a - b) == order for a in x for b in y])
            for x in tests(first)
            for y in tests(second)
        ]
    )
    assert baselines.agreement(first, second, 3) == (pytest.approx(by_hand), order)
    assert baselines._top(first, 3) == pytest.approx(np.mean([np.mean(x) for x in tests(first)]))


def test_equal_searches_agree_with_nothing():
    same = np.column_stack([np.arange(6.0), np.full(6, 3.0)])
    assert baselines.agreement(same, same, 2) == (0.0, 0.0)


def defaults(mlp, lstm):
    """Three defaults of each network, each with its seeds."""
    return pd.DataFrame(
        [
            {"system": system, "default": default, "seed": seed, "test": score / 100}
            for system, scores, n in (("mlp", mlp, 10), ("lstm", lstm, 4))
            for default, score in zip("abc", scores, strict=True)
            for seed in range(n)
        ]
    )


def followed(middle, spread=1.0, count=200):
    """A search whose test scores are those of validation."""
    scores = middle + spread * np.linspace(-1, 1, count)
    return scores, scores


@pytest.mark.parametrize(
    ("mlp", "lstm", "fixed", "verdict"),
    [
        (followed(60), followed(55), ((50,) * 3, (51,) * 3), REPLICATED),
        (followed(60), followed(55), ((51,) * 3, (50,) * 3), OPEN),  # both always agree
        # Of the equal best, most are bad on test and a few so good that their mean is.
        (
            (np.repeat([1.0, 2.0], [140, 60]), np.repeat([10.0, 50.0, 80.0], [140, 36, 24])),
            followed(55),
            ((51,) * 3, (50,) * 3),
            NOT,
        ),
        (followed(60), followed(60), ((50,) * 3, (50,) * 3), OPEN),
    ],
)
def test_searches_against_defaults(put, mlp, lstm, fixed, verdict):
    put(pools_search=pool(mlp, lstm), searches_defaults=defaults(*fixed))
    finding = JUDGES["tune-every-system"](None)
    assert finding.verdict == verdict, finding.evidence
    assert "after 200 trials each" in finding.evidence
    assert "the 10 or 4 seeds of each of 3 defaults" in finding.evidence


def test_the_share_of_defaults_counts_every_pair(put):
    put(
        pools_search=pool(followed(60), followed(55)),
        searches_defaults=defaults((50, 50, 52), (49, 51, 53)),
    )
    # 50 beats 49 twice, 52 beats 49 and 51.
    assert (
        "with a default setting each in 44.4% of cases: +55.6" in JUDGES["tune-every-system"](None).evidence
    )


@pytest.mark.parametrize(
    ("narrow", "wide", "lstm", "verdict", "shown"),
    [
        (60.0, 57.0, 50.0, REPLICATED, "the order stays"),
        (57.0, 60.0, 50.0, REPLICATED, "the order stays"),
        (60.4, 59.6, 60.0, REPLICATED, "the order turns"),
        (60.2, 60.0, 50.0, NOT, "the order stays"),
        (60.0, 60.0, 50.0, NOT, "the order stays"),
        (60.02, 59.98, 60.0, OPEN, "the order turns"),
    ],
)
def test_another_space(put, narrow, wide, lstm, verdict, shown):
    def searched(middle, seed, count):
        return around(50, 5, count, seed), around(middle, 0.2, count, seed + 10)

    v, t = searched(narrow, 0, 60)
    put(
        pools_search=pool(searched(wide, 1, 200), searched(lstm, 2, 200)),
        searches_narrow=pd.DataFrame({"draw": range(60), "validation": v / 100, "test": t / 100}),
    )
    finding = JUDGES["space-is-the-last-doubt"](None)
    assert finding.verdict == verdict, finding.evidence
    assert shown in finding.evidence


def test_a_large_difference_whose_interval_holds_zero_is_open(put):
    # One of sixty draws decides, so that another sample may not have it.
    v, t = np.arange(60.0), np.where(np.arange(60) == 59, 70.0, 60.0)
    put(
        pools_search=pool(followed(60, 0.01), followed(50)),
        searches_narrow=pd.DataFrame({"draw": range(60), "validation": v / 100, "test": t / 100}),
    )
    finding = JUDGES["space-is-the-last-doubt"](None)
    assert finding.verdict == OPEN, finding.evidence
