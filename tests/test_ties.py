"""Scores that are equal on paper are equal, whatever their last bits: wherever scores
are compared.
"""

import numpy as np
import pandas as pd
import pytest
from grids import grid

import evalkit
from evalkit._ties import merge_ties, ratio

RNG = np.random.default_rng(0)
# Accuracies on 12 items, so that many are equal, and what is reported of each run.
COARSE, OTHERS = RNG.integers(3, 11, size=(2, 60)) / 12
REPORTED = RNG.integers(0, 900, size=60) / 1000
# The same, added up in other orders.
HIDDEN = COARSE + np.spacing(COARSE) * RNG.integers(-4, 5, size=60)
HIDDEN_OTHERS = OTHERS + np.spacing(OTHERS) * RNG.integers(-4, 5, size=60)

# From scores of two systems, which may be off by a few units in the last place, and
# others of each run.
COMPARING = {
    "boo, u": lambda a, b, of_run: evalkit.boo(a, of_run, n=[1, 2, 7]),
    "boo, v": lambda a, b, of_run: evalkit.boo(a, of_run, n=[1, 2, 70], estimator="v"),
    "boo, of losses": lambda a, b, of_run: evalkit.boo(
        a, of_run, n=[1, 2, 7], minimize=True
    ),
    "boo_gaussian": lambda a, b, of_run: evalkit.boo_gaussian(a, of_run, n=[1, 2, 7]),
    "expected_max_interval": lambda a, b, of_run: [
        *evalkit.expected_max_interval(a, 7, test=of_run)
    ],
    "budget_difference": lambda a, b, of_run: [
        *evalkit.budget_difference(a, of_run, b, of_run, 7)
    ],
    "failure_rate": lambda a, b, of_run: evalkit.failure_rate(a, 7 / 12).rate,
    "failure_rate, of losses": (
        lambda a, b, of_run: evalkit.failure_rate(a, 7 / 12, minimize=True).rate
    ),
    "wilcoxon": lambda a, b, of_run: [*evalkit.wilcoxon(a, b)],
    "compare_systems": lambda a, b, of_run: (
        evalkit.compare_systems(pd.DataFrame({"a": a, "b": b, "c": of_run})).mean_ranks
    ),
}
every_comparison = grid("compare", COMPARING.values())


@every_comparison
def test_what_rounding_hides_is_equal(compare):
    expected = np.asarray(compare(COARSE, OTHERS, REPORTED), dtype=float)
    assert np.asarray(compare(HIDDEN, HIDDEN_OTHERS, REPORTED), float) == pytest.approx(
        expected, rel=1e-9
    )
    as_float32 = compare(HIDDEN.astype(np.float32), HIDDEN_OTHERS, REPORTED)
    assert np.asarray(as_float32, float) == pytest.approx(expected, rel=1e-5)


@every_comparison
def test_what_rounding_does_not_hide_is_not(compare):
    """A difference of a thousandth of a millionth counts as any other."""
    smaller = OTHERS - 1e-9 * np.arange(60)
    assert np.asarray(compare(smaller, COARSE, REPORTED), float) == pytest.approx(
        np.asarray(compare(OTHERS - 1e-6 * np.arange(60), COARSE, REPORTED), float),
        rel=1e-3,
        abs=1e-3,
    )


@every_comparison
def test_scores_in_half_precision_are_refused(compare):
    with pytest.raises(ValueError, match="half precision"):
        compare(COARSE.astype(np.float16), OTHERS, REPORTED)


@grid("estimator", ["u", "v"])
def test_two_runs_that_tie_share_what_is_reported(estimator):
    for validation in (
        [0.1 + 0.2, 0.3],
        [0.3, 0.1 + 0.2],
        np.float32([0.1 + 0.2, 0.3]),
        [1e300, 1e300],
    ):
        assert evalkit.boo(validation, [1, 0], n=2, estimator=estimator) == 0.5
    assert evalkit.boo([1e300, 0, -1e300], [1, 2, 3], n=3) == 1
    assert evalkit.boo([1e300, 0, -1e300], [1, 2, 3], n=3, minimize=True) == 3


def test_where_all_runs_tie_the_choice_is_a_random_one():
    assert evalkit.boo_gaussian([0.1 + 0.2, 0.3], [1, 0], n=9) == 0.5


def test_pools_that_are_equal_do_not_differ():
    one, other = np.full(40, 0.1 + 0.2), np.full(40, 0.3)
    with pytest.raises(ValueError, match=r"the difference is \+0, "):
        evalkit.budget_difference(one, None, other, None, 5)
    low, high = evalkit.expected_max_interval(np.r_[one, other], 5)
    assert low == high


def test_a_run_at_the_threshold_has_not_failed():
    assert evalkit.failure_rate([0.3, 0.2], 0.1 + 0.2).failures == 1
    assert evalkit.failure_rate([0.1 + 0.2, 0.4], 0.3, minimize=True).failures == 1
    assert evalkit.failure_rate([1e300, 0], 1.7e308).failures == 2


# --------------------------------------------------------------------------------------
# The functions below them
# --------------------------------------------------------------------------------------


def test_what_is_wider_than_rounding_is_no_tie():
    """Differences that are small beside their scores stand side by side in float32, and
    their signed ranks are no mere signs.
    """
    a = 0.75 + RNG.permutation(np.linspace(-1e-4, 2e-4, 3000))
    found, exact = (
        evalkit.wilcoxon(one, np.full(3000, 0.75, one.dtype))
        for one in (a.astype(np.float32), a)
    )
    assert found.statistic == pytest.approx(exact.statistic, rel=1e-2)


def test_ties_among_numbers_of_different_noise():
    values, noise = (
        np.array([1.0, 1.0625, 1.25, 5.0, 5.0]),
        np.array([0.0, 0.125, 0.125, 0.0, 1.0]),
    )
    assert merge_ties(values, noise).tolist() == [1, 1, 1.25, 5, 5]


def test_without_scatter_a_difference_is_no_evidence_or_all():
    assert [ratio(top, 0.0) for top in (-1.0, 0.0, 2.0)] == [-np.inf, 0.0, np.inf]
