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


def answers(n11, n10, n01, n00):
    """Right and wrong of two models, as counted."""
    return np.repeat([[1, 1, 0, 0], [1, 0, 1, 0]], [n11, n10, n01, n00], axis=1).astype(
        float
    )


def coverage_of(draw, truth, n_samples):
    """How often `crossed_difference` holds the truth, of samples that it takes."""
    rng, held = np.random.default_rng(0), []
    for _ in range(n_samples):
        try:
            low, high = crossed_difference(*draw(rng))
        except ValueError as error:
            assert "must vary" in str(error), error  # noqa: PT017
            continue
        held.append(low - 1e-12 <= truth <= high + 1e-12)
    assert len(held) >= n_samples / 4
    return np.mean(held)


# --------------------------------------------------------------------------------------
# One model each
# --------------------------------------------------------------------------------------


@grid(
    "counts",
    [(80, 3, 0, 17), (20, 0, 0, 0), (0, 5, 0, 0), (9, 6, 4, 1), (500, 10, 9, 0)],
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


@grid("n", [50, 300, 3000])
@grid(("n10", "n01"), [(20, 0), (13, 7), (60, 0), (30, 30)])
def test_where_twenty_items_or_more_differ_it_is_student_s_and_they_agree(n, n10, n01):
    if n10 + n01 > n:
        return
    counts = n - n10 - n01, n10, n01, 0
    found, score = (
        crossed_difference(*answers(*counts)),
        paired_proportion_interval(*counts),
    )
    expected = t_interval(np.repeat([0, 1, -1], counts[:3]))
    assert [*found] == pytest.approx([*expected])
    assert found.width / score.width == pytest.approx(1, abs=0.09)
    assert [*found] == pytest.approx([*score], abs=0.25 * score.width)


@grid(
    ("n", "p10", "p01"),
    # By Student's t it is .60, .78, .80 and .87 of the first four.
    [
        (30, 0.03, 0),
        (50, 0.03, 0),
        (300, 0.01, 0),
        (20, 0.1, 0.02),
        (20, 0, 0),
        (30, 0.3, 0),
        (100, 0.05, 0.01),
    ],
)
def test_it_covers_93_percent_by_exact_summation(n, p10, p01):
    """Tables of a probability below 1 in 100,000 count as missed."""
    tables = np.indices((n + 1, n + 1)).reshape(2, -1).T
    tables = np.c_[tables, n - tables.sum(axis=1)]
    tables = tables[tables[:, 2] >= 0]
    chances = stats.multinomial.pmf(tables, n, [p10, p01, 1 - p10 - p01])
    covered = 0.0
    for (n10, n01, rest), chance in zip(
        tables[chances > 1e-5], chances[chances > 1e-5], strict=True
    ):
        low, high = crossed_difference(*answers(rest, n10, n01, 0))
        covered += chance * (low - 1e-12 <= p10 - p01 <= high + 1e-12)
    assert covered > 0.929


def draw_sparse(n, p, size):
    """Graded scores that are equal but for a share p, where A is better by `size`."""

    def draw(rng):
        base = rng.random(n)
        return base + np.where(rng.random(n) < p, size(rng, n), 0), base

    return draw


SIZES = {
    "even": (lambda rng, n: rng.random(n), 0.5),
    "steps": (lambda rng, n: rng.integers(1, 5, n) / 4, 0.625),
}


@grid("size", SIZES)
@grid(("n", "p"), [(30, 0.03), (30, 0.1), (100, 0.03)])
def test_graded_scores_that_mostly_tie_are_covered(n, p, size):
    draw, mean = SIZES[size]
    assert coverage_of(draw_sparse(n, p, draw), p * mean, 1000) >= 0.92


def test_graded_scores_that_differ_have_student_s_interval():
    a, b = np.random.default_rng(0).random((2, 30))
    assert [*crossed_difference(a, b)] == pytest.approx([*t_interval(a - b)])


# --------------------------------------------------------------------------------------
# Several seeds
# --------------------------------------------------------------------------------------


def draw_seeds(n_seeds, n, p10, p01, sure):
    """Items on which A has an edge, or B: the one answers right with the chance `sure`,
    the other wrong.
    """

    def draw(rng):
        u, base = rng.random(n), rng.random(n) < 0.8
        edge = np.select([u < p10, u < p10 + p01], [1, -1], 0)
        runs = rng.random((2, n_seeds, n)) < sure
        return (
            np.select([edge == 1, edge == -1], [runs[0], ~runs[0]], base).astype(float),
            np.select([edge == 1, edge == -1], [~runs[1], runs[1]], base).astype(float),
        )

    return draw, (p10 - p01) * (2 * sure - 1)


@grid("n_seeds", [3, 5])
@grid("sure", [1.0, 0.8])
@grid(("n", "p10", "p01"), [(30, 0.03, 0), (50, 0.1, 0.02), (300, 0.01, 0)])
def test_seeds_that_few_items_tell_apart_are_covered(n, p10, p01, n_seeds, sure):
    assert coverage_of(*draw_seeds(n_seeds, n, p10, p01, sure), 150) >= 0.92


@grid(
    "design", [(3, 30, 0.1, 0.0, 0.8), (3, 100, 0.3, 0.1, 0.8), (5, 50, 0.1, 0.02, 0.9)]
)
@grid("grouped", [False, True])
def test_more_seeds_with_the_same_answers_never_widen_it(design, grouped):
    rng, (draw, _) = np.random.default_rng(0), draw_seeds(*design)
    groups = np.arange(design[1]) // 3 if grouped else None
    for _ in range(10):
        a, b = draw(rng)
        few, many = (
            crossed_difference(a, b, groups),
            crossed_difference(*np.tile([a, b], (1, 2, 1)), groups),
        )
        assert few.difference == pytest.approx(many.difference)
        assert few.width > 0.99 * many.width  # degrees of freedom are estimates, too


@grid(("n_seeds", "n", "p10", "p01"), [(3, 1000, 0.2, 0.1), (5, 400, 0.3, 0.2)])
def test_where_many_items_differ_few_of_seeds_agree_with_student_s(
    n_seeds, n, p10, p01
):
    """Each seed gives the same answers: then the items' own interval, or wider by the
    seeds' chance.
    """
    draw, _ = draw_seeds(n_seeds, n, p10, p01, 1.0)
    a, b = draw(np.random.default_rng(0))
    assert crossed_difference(a, b).width == pytest.approx(
        t_interval(a[0] - b[0]).width, rel=0.02
    )


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


def draw_groups(sizes, p10, p01, icc):
    """Groups whose shares of items on which one model alone is right are Dirichlet."""
    members = np.repeat(np.arange(len(sizes)), sizes)
    shares = np.array([p10, p01, 1 - p10 - p01]) * (1 - icc) / icc

    def draw(rng):
        q = rng.dirichlet(np.maximum(shares, 1e-9), size=len(sizes))[members]
        u = rng.random(members.size)
        a, b = u < q[:, 0], (u >= q[:, 0]) & (u < q[:, 0] + q[:, 1])
        return a.astype(float), b.astype(float), members

    return draw, p10 - p01


@grid("sizes", [[10] * 5, [10] * 12, [2, 4, 6, 8, 10, 14, 20, 30], [6] * 30])
@grid(("p10", "p01"), [(0.03, 0.01), (0.1, 0.0)])
@grid("icc", [0.1, 0.3])
def test_groups_that_few_items_tell_apart_are_covered(sizes, p10, p01, icc):
    assert coverage_of(*draw_groups(sizes, p10, p01, icc), 150) >= 0.9


def test_where_one_group_alone_differs_each_group_counts_as_one_item():
    members = np.repeat(np.arange(8), 25)
    a, b = np.zeros((2, 200))
    a[:10] = 1
    found, items = crossed_difference(a, b, members), crossed_difference(a, b)
    assert found.n_items == pytest.approx(8)
    assert found.width > 4 * items.width
    assert found.pvalue > 0.05 > items.pvalue
