"""Each limit where it lies: the last input that is answered, and the first that is
refused.
"""

import numpy as np
import pandas as pd
import pytest
from grids import grid

import evalkit as ek

SCORES = np.linspace(0.5, 0.7, 40)


def nested(seeds, items):
    return np.random.default_rng(0).normal(size=(seeds, items))


def in_groups(*sizes):
    """Right and wrong answers in groups of these sizes."""
    n = sum(sizes)
    return np.arange(n) % 3 > 0, np.repeat(np.arange(len(sizes)), sizes)


def group_interval(*sizes):
    scores, groups = in_groups(*sizes)
    return ek.group_interval(scores, groups)


EDGES = {
    "five groups": (
        lambda: group_interval(3, 3, 3, 3, 3),
        lambda: group_interval(4, 4, 4, 4),
        "at least 5",
    ),
    "as many as three equal ones": (
        lambda: group_interval(10, 10, 3, 3, 3),
        lambda: group_interval(10, 4, 1, 1, 1),
        "count as 3 equal ones",
    ),
    "three seeds": (
        lambda: ek.crossed_difference(nested(3, 9), nested(3, 9)),
        lambda: ek.crossed_difference(nested(2, 9), nested(3, 9)),
        "at least 3 rows",
    ),
    "thirty trials": (
        lambda: ek.expected_max_interval(SCORES[:30], 6),
        lambda: ek.expected_max_interval(SCORES[:29], 5),
        "at least 30 runs",
    ),
    "five trials for one of the budget": (
        lambda: ek.expected_max_interval(SCORES, 8),
        lambda: ek.expected_max_interval(SCORES[:39], 8),
        "5 times the budget",
    ),
    "whole numbers": (
        lambda: ek.expected_max(SCORES, 2**53, estimator="v"),
        lambda: ek.expected_max(SCORES, 2**53 + 1, estimator="v"),
        "n must",
    ),
    "sums of squares": (
        lambda: ek.t_interval([1.1e-75, 1e75]),
        lambda: ek.t_interval([0.9e-75, 1e75]),
        "between 1e-75 and 1e\\+75",
    ),
}


@grid("edge", EDGES)
def test_a_limit_lies_where_it_is_said(edge):
    answered, refused, sentence = EDGES[edge]
    answered()
    with pytest.raises(ValueError, match=sentence):
        refused()


def test_ten_million_resamples_are_the_most():
    with pytest.raises(ValueError, match="10,?000,?000"):
        ek.bootstrap_interval(SCORES, n_resamples=10_000_001, rng=0)


def test_ranks_have_no_squares_that_could_be_lost():
    table = pd.DataFrame(np.random.default_rng(0).random((8, 3)), columns=list("abc"))
    assert (
        ek.compare_systems(table * 1e80).friedman == ek.compare_systems(table).friedman
    )
