"""Two systems that few items tell apart: right and wrong answers, graded ones, several
seeds, groups.
"""

import functools

import numpy as np
import pytest
from grids import grid
from scipy import stats

from evalkit import (
    crossed_difference,
    difference_interval,
    paired_proportion_interval,
    t_interval,
)
from evalkit.results import PairedProportions


def answers(n11, n10, n01, n00):
    """Right and wrong of two models, as counted."""
    return np.repeat([[1, 1, 0, 0], [1, 0, 1, 0]], [n11, n10, n01, n00], axis=1).astype(
        float
    )


# --------------------------------------------------------------------------------------
# One model each
# --------------------------------------------------------------------------------------


@grid(
    "counts",
    [
        (80, 3, 0, 17),
        (20, 0, 0, 0),
        (0, 5, 0, 0),
        (9, 6, 4, 1),
        (500, 10, 9, 0),
        (9, 6, 5, 0),  # of 20 items 12 are enough
        (7, 13, 0, 0),  # and here 7 differ from most
    ],
)
def test_of_right_and_wrong_answers_it_is_tango_s_in_any_order(counts):
    a, b = answers(*counts)
    expected = paired_proportion_interval(*counts, confidence_level=0.9)
    order = np.random.default_rng(1).permutation(a.size)
    for compare in (
        crossed_difference,
        functools.partial(difference_interval, paired=True),
    ):
        found = compare(a[order], b[order], confidence_level=0.9)
        assert [*found, found.pvalue] == pytest.approx([*expected, expected.pvalue])
        assert "Tango's score" in found.method


@grid(
    "counts",
    [(8, 6, 6, 0), (30, 13, 7, 0), (30, 20, 0, 0), (2940, 60, 0, 0), (240, 30, 30, 0)],
)
def test_where_twenty_items_or_three_in_five_differ_it_is_student_s(counts):
    found = crossed_difference(*answers(*counts))
    expected = t_interval(np.repeat([0, 1, -1], counts[:3]))
    assert [*found] == pytest.approx([*expected])


def by_score(differences, found):
    """Tango's interval of as many independent items as have this standard error, and
    fewer for its degrees of freedom.
    """
    n, of_items = differences.size, differences.var() / (differences.size - 1)
    worth = n * min(of_items / found.se**2, 1)
    worth *= (stats.norm.ppf(0.975) / stats.t.ppf(0.975, found.df)) ** 2
    unit = np.sum(differences**2) / np.abs(differences).sum()
    n10, n01 = (
        np.maximum(side * differences, 0).mean() / unit * worth for side in (1, -1)
    )
    return PairedProportions.from_counts(
        *(n10, n01, worth, 0.95, ""), unit=unit, se=found.se, df=found.df
    )


GRADED = np.zeros((2, 60))
GRADED[:, :6] = [0.25, 0.5, 0.5, 1, 0.75, 0], [0, 0, 0, 0, 0, 0.25]
RIGHT = np.ceil(GRADED)
SEEDS = np.repeat(RIGHT[:, None], 4, axis=1)
SEEDS[0, 0, 6] = 1  # one seed of A gets one more right
IN_TWENTY = np.arange(60) % 20


@grid(
    ("scores", "groups"),
    [
        (GRADED, None),
        (GRADED, IN_TWENTY),
        (SEEDS, None),
        (SEEDS, IN_TWENTY),
        (RIGHT, IN_TWENTY),
    ],
)
def test_graded_scores_seeds_and_groups_have_the_score_of_what_they_are_worth(
    scores, groups
):
    found = crossed_difference(*scores, groups)
    differences = np.atleast_2d(scores[0] - scores[1]).mean(axis=0)
    expected = by_score(differences, found)
    assert "Tango's score" in found.method
    assert [*found, found.n_items] == pytest.approx([*expected, expected.n_items])


def test_graded_scores_that_differ_have_student_s_interval():
    a, b = np.random.default_rng(0).random((2, 30))
    assert [*crossed_difference(a, b)] == pytest.approx([*t_interval(a - b)])


# --------------------------------------------------------------------------------------
# Several seeds
# --------------------------------------------------------------------------------------


@grid(("n_seeds", "n_failed"), [(3, 1), (3, 2), (5, 2), (10, 5), (10, 9)])
@grid("n", [30, 200])
def test_runs_that_fail_altogether_are_scatter_of_runs(n_seeds, n_failed, n):
    a = np.ones((n_seeds, n))
    a[:n_failed] = 0
    found, of_runs = (
        crossed_difference(a, np.zeros((n_seeds, n))),
        t_interval(a.mean(axis=1)),
    )
    assert found.low <= max(of_runs.low, -1) + 1e-9
    assert found.high >= min(of_runs.high, 1) - 1e-9


# --------------------------------------------------------------------------------------
# Groups
# --------------------------------------------------------------------------------------


def test_where_one_group_alone_differs_each_group_counts_as_one_item():
    members = np.repeat(np.arange(8), 25)
    a, b = np.zeros((2, 200))
    a[:10] = 1
    found, items = crossed_difference(a, b, members), crossed_difference(a, b)
    assert found.n_items == pytest.approx(8)
    assert found.width > 4 * items.width
    assert found.pvalue > 0.05 > items.pvalue
