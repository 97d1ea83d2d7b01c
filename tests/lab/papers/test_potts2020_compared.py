"""What is judged of two classifiers: items that differ, intervals of a few runs, and
McNemar's test.
"""

import numpy as np
import pytest
from grids import grid
from potts_rows import analysed, judged, pools, put, row
from scipy import stats
from sklearn.metrics import f1_score

from evalkit import mcnemar
from lab.papers.judging import MissingRunsError, Resampled
from lab.papers.potts2020.claims import common, compared
from lab.papers.potts2020.tasks import simulated

YES, NO, OPEN = "consistent", "not consistent", "cannot say"


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    monkeypatch.setitem(Resampled.__init__.__kwdefaults__, "draws", 60)
    monkeypatch.setattr("lab.papers.judging.MOST_DRAWS", 1)


def wrong(n, *blocks):
    """Seeds that answer 1 instead of 0 on a block of items each."""
    return np.array(
        [[first <= i < last for i in range(n)] for first, last in blocks]
    ).astype(int)


def test_predictions_come_in_the_order_of_the_seeds(monkeypatch):
    runs = wrong(100, (0, 5), (0, 10))
    put(monkeypatch, pools(runs, runs, linear=wrong(100, (0, 7))[0]))
    assert common.answers("mlp").sum(axis=1).tolist() == [5, 10]
    # The best on validation.
    assert common.answers("linear").sum(axis=1).tolist() == [7]


def network(common, own, start=0):
    """Six seeds that answer 1 on items that all share, and on as many of their own."""
    answers = np.zeros((6, 1000), int)
    answers[:, start : start + common] = 1
    for seed, one in enumerate(answers):
        one[start + 200 + own * seed :][:own] = 1
    return answers


@pytest.mark.parametrize(
    ("mlp", "lstm", "verdict"),
    [
        (network(100, 30), network(100, 30, 500), "supported"),
        (network(0, 60), network(0, 0), "cannot say"),
        (network(100, 2), network(100, 2, 500), "not supported"),
    ],
)
def test_count_differing_items(monkeypatch, mlp, lstm, verdict):
    put(monkeypatch, pools(mlp, lstm, network(50, 0, 900)[0]))
    said, evidence, by_first = judged("count-differing-items")
    assert said == by_first == verdict, evidence


def test_a_run_beside_itself_is_no_pair():
    matrix = np.array([[5.0, 1, 2], [1, 5, 3], [2, 3, 5]])
    assert common.mean_over_pairs(matrix, np.array([[0, 1, 2]])) == 2
    assert common.mean_over_pairs(matrix, np.array([[0, 0, 1]])) == 1
    found = compared.seeds_over_systems(network(0, 10), network(0, 50, 300))
    assert found.estimate == pytest.approx(20 / 60)


def test_answers_needed_are_those_that_scikit_learn_sees():
    rng = np.random.default_rng(3)
    true = np.repeat([0, 1, 2], [500, 300, 200])
    predicted = np.where(rng.random(1000) < 0.2, rng.integers(0, 3, 1000), true)
    needed = compared.answers_needed(true, predicted)
    assert needed["accuracy"] == [10.0] * 6
    place = 2  # from class 1 to class 0
    right = np.flatnonzero((true == 1) & (predicted == 1))

    def scores(k):
        answers = predicted.copy()
        answers[right[:k]] = 0
        return [
            *f1_score(true, answers, average=None),
            f1_score(true, answers, average="macro"),
        ]

    counts = needed["F1 of a class"][2 * place : 2 * place + 2]
    for which, k in zip((1, 0, -1), [*counts, needed["macro F1"][place]], strict=True):
        assert (
            scores(0)[which] - scores(int(k))[which]
            >= 0.01
            > scores(0)[which] - scores(int(k) - 1)[which]
        )


def test_a_score_that_cannot_fall_so_far_needs_endless_answers():
    needed = compared.answers_needed(np.array([0, 0, 1, 1]), np.array([1, 1, 1, 1]))
    assert needed["accuracy"] == [np.inf, 250.0]


def test_of_a_rare_class_fewer_answers_are_enough():
    """All right, one item in ten: 2 * 98 / 198 is 0.99."""
    true = np.repeat([0, 1], [900, 100])
    needed = compared.answers_needed(true, true)
    # Of answers that leave the rare class: its own F1, and the mean of both.
    assert (needed["F1 of a class"][2], needed["macro F1"][1]) == (2, 4)
    assert needed["accuracy"] == [10, 10]


@grid(
    ("changed", "first", "verdict", "turned"),
    [
        ({}, YES, YES, {}),
        ({"accuracy": 13}, OPEN, NO, {"5 to 20 items": YES}),
        ({"macro F1": 7}, NO, NO, {"5 to 20 items": YES}),
        ({"macro F1": 8.5}, YES, YES, {"9 to 11 items": NO}),
        ({"F1 of a class": np.inf}, NO, YES, {"the F1 of a class, too": NO}),
    ],
)
def test_one_percent_f1(monkeypatch, changed, first, verdict, turned):
    """Of wine the numbers that are given, of a rare class 2, and of all others 10."""
    tens = {name: [10] for name in ("accuracy", "macro F1", "F1 of a class")}
    needed = {
        "wine": {name: [10, changed.get(name, 10)] for name in tens},
        "rare": {name: [2] for name in tens},
    }
    monkeypatch.setattr(compared, "_predicted", lambda data: (data, None))
    monkeypatch.setattr(compared, "_rare_class", lambda: ("rare", None))
    monkeypatch.setattr(
        compared, "answers_needed", lambda data, _: needed.get(data, tens)
    )
    found, words = analysed("one-percent-f1")
    assert (found["first_verdict"], found["verdict"]) == (first, verdict)
    turned = {"a class of one item in ten": NO, "wine alone": verdict} | turned
    assert turned.items() <= words.items()
    assert words["docstrings alone"] == words["breast cancer alone"] == YES


def test_tables_have_every_class_predicted(monkeypatch):
    put(monkeypatch, pools(wrong(100, (0, 5)), wrong(100, (0, 5))))
    for data, n, classes in (
        ("docstrings", 100, 1),
        ("breast-cancer", 569, 2),
        ("wine", 178, 3),
    ):
        true, predicted = compared._predicted(data)
        assert len(true) == len(predicted) == n
        assert true.max() == classes - 1
        assert np.mean(true == predicted) > 0.9
    eight, predicted = compared._rare_class()
    assert (len(eight), eight.sum()) == (1797, 174)
    assert 0.9 < np.mean(eight == predicted) < 1


def coverage(**changed):
    """Intervals of Gaussian scores that cover as they should, but at some sizes."""
    return [
        row(
            "coverage",
            {"draws": 100_000, "t": 95_000}
            | {
                "get_ci": (
                    changed.get(f"n{n}", 95_000) if population == "normal" else 80_000
                )
            },
            **{"population": population, "n": n},
        )
        for population in simulated.POPULATIONS
        for n in simulated.SIZES
    ]


@grid(
    ("changed", "verdict"),
    [({}, YES), ({"n3": 92_700}, NO), ({"n20": 96_000}, NO), ({"n20": 94_500}, OPEN)],
)
def test_get_ci_is_95(changed, verdict):
    assert judged("get-ci-is-95", coverage(**changed))[0] == verdict
    with pytest.raises(MissingRunsError):
        judged("get-ci-is-95", coverage(**changed)[1:])


def test_chances_to_reject_are_enumerated():
    assert compared.rejection_chances("chi2")[4] == pytest.approx(100 * 2 / 32)
    exact = compared.rejection_chances("exact")
    assert (exact[4], exact[49]) == (
        0,
        pytest.approx(200 * stats.binom.cdf(17, 50, 0.5)),
    )


@pytest.mark.parametrize(
    ("instead", "verdict"), [("exact", YES), ("chi2-corrected", NO)]
)
def test_mcnemar_chi_squared(monkeypatch, instead, verdict):
    def renamed(n10, n01, *, method):
        return mcnemar(
            n10, n01, method=instead if method == "chi2-corrected" else method
        )

    monkeypatch.setattr(compared, "mcnemar", renamed)
    said, evidence, first = judged("mcnemar-chi-squared")
    assert (said, first) == (verdict, NO), evidence  # at 50 no test is within 4 to 6 %
    assert ("44, 67, 94" in evidence) == (instead == "chi2-corrected")
