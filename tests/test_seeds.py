"""Seeds: global states, tables of runs, failure rates, components of variance and
sample sizes.
"""

import math
import random

import numpy as np
import pandas as pd
import pytest
from grids import grid
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats
from whole import reported

from evalkit import (
    crossed_difference,
    failure_rate,
    group_interval,
    proportion_interval,
    seeded,
    seeds_needed,
    variance_components,
)
from evalkit.results import VarianceComponents

NAN = float("nan")

# --------------------------------------------------------------------------------------
# Global random states
# --------------------------------------------------------------------------------------


torch = pytest.importorskip("torch")  # before any `seeded`, which does not import it


def draw_all():
    """One number from each global generator."""
    return random.random(), np.random.random(), torch.rand(1).item()  # noqa: NPY002


def test_seeded_sets_what_the_libraries_own_seeds_set():
    with seeded(11):
        drawn = draw_all()
    assert drawn == (
        random.Random(11).random(),
        np.random.RandomState(11).random(),
        torch.rand(1, generator=torch.Generator().manual_seed(11)).item(),
    )


def whole_draws(start, n):
    with seeded(start):
        return [draw_all() for _ in range(n)]


def test_states_come_back_from_a_block_in_itself_and_from_an_exception():
    block, (first, second) = seeded(7), whole_draws(7, 2)
    with seeded(0):
        before = draw_all()
        with block:
            assert draw_all() == first
            with pytest.raises(ZeroDivisionError), block:
                1 / (draw_all() != first)  # by 0, if the draws are the first
            assert draw_all() == second
        assert [before, draw_all()] == whole_draws(0, 2)


# --------------------------------------------------------------------------------------
# Tables of runs
# --------------------------------------------------------------------------------------


# --------------------------------------------------------------------------------------
# Failure rates
# --------------------------------------------------------------------------------------


def test_failures_lie_below_the_threshold():
    found = failure_rate([0.5, 0.9, 0.7, 0.69], 0.7)
    assert (found.rate, found.failures, found.n_runs) == (0.5, 2, 4)
    assert found.interval == proportion_interval(2, 4)


@grid("minimize", [True, False])
def test_nan_fails_only_when_asked(minimize):
    scores = [0.5, NAN, 0.5, NAN, 0.5]
    with pytest.raises(ValueError, match=r"scores\[1\] = nan"):
        failure_rate(scores, 0.5, minimize=minimize)
    assert failure_rate(scores, 0.5, minimize=minimize, nan_fails=True).failures == 2


def test_every_run_may_fail():
    assert (
        str(failure_rate([NAN] * 3, 0, nan_fails=True))
        == "3 of 3 runs failed: 100.0\xa0% (29.2\xa0% to 100.0\xa0%)"
    )
    assert failure_rate([1.0] * 10_000, 1).interval.low == 0


@grid("scores", [[], 0.5, "ab", [[NAN]], [0.5, None], [0.5, math.inf], [[1], [1, 2]]])
def test_nan_fails_excuses_nothing_else(scores):
    with pytest.raises((TypeError, ValueError), match="^scores"):
        failure_rate(scores, 0.5, nan_fails=True)


@given(reported(st.tuples(st.integers(1, 9))), st.data(), st.booleans())
def test_failures_are_those_of_the_whole_numbers(scores, data, minimize):
    scores, whole, unit = scores
    limit = data.draw(st.sampled_from(whole.tolist()) | st.integers(0, unit))
    failures = int(sum(whole > limit) if minimize else sum(whole < limit))
    for given_scores in (scores, torch.tensor(scores), pd.Series(scores), list(scores)):
        for threshold in (limit / unit, scores.dtype.type(limit / unit)):
            assert (
                failure_rate(given_scores, threshold, minimize=minimize).failures
                == failures
            )
    missing = np.append(scores, scores.dtype.type(NAN))
    assert (
        failure_rate(missing, limit / unit, minimize=minimize, nan_fails=True).failures
        == failures + 1
    )


def test_a_score_of_float32_is_compared_as_float32():
    scores = np.array([0.7, math.inf, 0.7], dtype=np.float32)
    with pytest.raises(ValueError, match="scores"):
        failure_rate(scores, 0.7)
    scores[1] = NAN
    assert failure_rate(scores, 0.7, nan_fails=True).failures == 1


# --------------------------------------------------------------------------------------
# Components of variance
# --------------------------------------------------------------------------------------


def crossed(table):
    """The runs of a table as three Series, in any order, the levels by any names."""
    runs = pd.DataFrame(table).melt(ignore_index=False).reset_index()
    runs = runs.sample(frac=1, random_state=0, ignore_index=True)
    return runs.value, "s" + runs["index"].astype(str), runs.variable * 0.5


def parts(found):
    return found.seed, found.split, found.rest


@grid("shape", [(2, 2), (4, 3), (3, 7)])
def test_components_are_the_squares_of_a_two_way_anova(shape):
    table = np.random.default_rng(0).normal(size=shape)
    a, b = shape
    grand = table.mean()
    # Sums of squares written out cell by cell.
    ss_a = b * sum((row.mean() - grand) ** 2 for row in table)
    ss_b = a * sum((column.mean() - grand) ** 2 for column in table.T)
    ss_rest = ((table - grand) ** 2).sum() - ss_a - ss_b
    ms_a, ms_b, ms_rest = ss_a / (a - 1), ss_b / (b - 1), ss_rest / ((a - 1) * (b - 1))
    expected = (ms_a - ms_rest) / b, (ms_b - ms_rest) / a, ms_rest
    assert parts(variance_components(*crossed(table))) == pytest.approx(expected)


def test_a_negative_estimate_stays_until_it_is_truncated():
    found = variance_components(*crossed([[0, 1], [1, 0]]))
    assert parts(found) == (-0.5, -0.5, 1)
    assert parts(found.truncated) == (0, 0, 1)


def test_constant_scores_have_no_components():
    assert parts(variance_components(*crossed(np.full((3, 4), 0.7)))) == pytest.approx(
        (0, 0, 0)
    )


@grid(
    ("scores", "seeds", "splits", "message"),
    [
        (
            [1, 2, 3, 4],
            [0, 0, 1, 1],
            [0, 1, 0, 0],
            "^scores must hold one run .* 4 runs in 3 cells",
        ),
        (
            [1, 2, 3, 4, 5],
            [0, 0, 1, 1, 1],
            [0, 1, 0, 1, 1],
            "^scores must hold one run .* 5 runs in 4 cells",
        ),
        ([1, 2, 3, 4], [0, 0, 0, 0], [0, 1, 2, 3], "^seeds must hold at least two"),
        ([1, 2, 3, 4], [0, 1, 2, 3], [0, 0, 0, 0], "^splits must hold at least two"),
    ],
)
def test_a_design_that_is_not_crossed_is_refused(scores, seeds, splits, message):
    with pytest.raises(ValueError, match=message):
        variance_components(scores, seeds, splits)


def test_variance_of_a_mean_divides_each_part_by_what_it_is_drawn_over():
    found = VarianceComponents(seed=4.0, split=9.0, rest=12.0, n_seeds=5, n_splits=4)
    assert found.of_mean(2, 3, 6) == 4 / 2 + 9 / 3 + 12 / 6


@grid(
    ("difference", "sd", "alpha", "name"),
    [
        (1, 1, 1e-300, "alpha"),
        (1e-320, 1, 0.05, "difference"),
        (1e300, 1e-300, 0.05, "difference"),
    ],
)
def test_what_no_number_of_seeds_can_promise_is_refused(difference, sd, alpha, name):
    with pytest.raises(ValueError, match=f"^{name}"):
        seeds_needed(difference, sd, alpha=alpha)


@grid("n_runs", [2, 7])
def test_variance_of_a_mean_needs_a_design_that_can_be(n_runs):
    found = variance_components(*crossed([[0, 1], [1, 0]]))
    with pytest.raises(ValueError, match="^n_runs must lie between 3 and 6"):
        found.of_mean(3, 2, n_runs)


# --------------------------------------------------------------------------------------
# How many seeds
# --------------------------------------------------------------------------------------


@grid(
    ("effect", "paired", "n"),
    # Two-sided level 0.05, power 0.8: Cohen (1988), table 2.4.1, and G*Power for pairs.
    [
        (0.2, False, 394),
        (0.5, False, 64),
        (0.8, False, 26),
        (0.5, True, 34),
        (0.2, True, 199),
    ],
)
def test_seeds_needed_are_those_of_the_textbook(effect, paired, n):
    assert seeds_needed(effect, 1, paired=paired) == n
    assert seeds_needed(-3 * effect, 3, paired=paired) == n


def test_a_large_difference_needs_two_and_a_small_one_very_many():
    assert seeds_needed(100, 1) == seeds_needed(100, 1, paired=True) == 2
    # Far out, the normal approximation is exact: n = 2 (z + z)^2 / d^2.
    z = stats.norm.isf([0.025, 0.2]).sum()
    assert seeds_needed(0.002, 1) == pytest.approx(2 * z**2 / 0.002**2, rel=1e-5)


def power_by_integration(n, effect, alpha, paired):
    """P(|t| above its critical value): normal numerator, chi denominator, no noncentral
    distribution.
    """
    df, shift = (
        (n - 1, effect * n**0.5) if paired else (2 * n - 2, effect * (n / 2) ** 0.5)
    )
    critical = stats.t.isf(alpha / 2, df)

    def rejected(s):
        sides = stats.norm.sf(critical * s - shift) + stats.norm.sf(
            critical * s + shift
        )
        return sides * stats.chi.pdf(s * df**0.5, df) * df**0.5

    return integrate.quad(rejected, 0, 12, points=[0.1, 1, 3], limit=200)[0]


@grid("paired", [False, True])
@grid(
    ("effect", "power", "alpha"),
    [
        (0.7, 0.8, 0.05),
        (3.25, 0.99, 0.05),
        (4, 0.8, 0.05),
        (5.0625, 0.9, 0.01),
        (6.25, 0.9, 0.05),
        (9, 0.8, 0.05),
    ],
)
def test_seeds_needed_are_the_fewest_with_the_power(effect, power, alpha, paired):
    n = seeds_needed(effect, 1, power=power, alpha=alpha, paired=paired)
    assert power_by_integration(n, effect, alpha, paired) >= power
    assert n == 2 or power_by_integration(n - 1, effect, alpha, paired) < power


# --------------------------------------------------------------------------------------
# Seeds and items at once
# --------------------------------------------------------------------------------------

RNG = np.random.default_rng(2020)
RUNS_A = RNG.normal(size=(4, 30)) + RNG.normal(size=30) + 0.2 * RNG.normal(size=(4, 1))
RUNS_B = RNG.normal(size=(6, 30)) + 0.2 * RNG.normal(size=(6, 1))
PAIRED_B = RUNS_B[:4] + np.arange(4)[:, None] / 2
FAMILIES = np.repeat(np.arange(8), [2, 3, 4, 5, 6, 4, 3, 3])


def mean_squares(table):
    """Those of seeds, items and rest of a two-way table, as every textbook has them,
    and their degrees.
    """
    n_seeds, n_items = table.shape
    total = table.mean()
    of_seeds = n_items * sum((row.mean() - total) ** 2 for row in table) / (n_seeds - 1)
    rest = sum(
        (table[i, j] - table[i].mean() - table[:, j].mean() + total) ** 2
        for i in range(n_seeds)
        for j in range(n_items)
    ) / ((n_seeds - 1) * (n_items - 1))
    return of_seeds, rest


@grid(
    ("rows", "b", "tables"),
    [
        ("nested", RUNS_B, (RUNS_A, RUNS_B)),
        ("paired", PAIRED_B, (RUNS_A - PAIRED_B,)),
    ],
)
def test_crossed_difference_is_its_mean_squares(rows, b, tables):
    found = crossed_difference(RUNS_A, b, rows=rows, confidence_level=0.9)
    differences = RUNS_A.mean(axis=0) - b.mean(axis=0)
    parts = [(differences.var(ddof=1) / 30, 29)]
    for table in tables:
        of_seeds, rest = mean_squares(table)
        parts += [
            (of_seeds / table.size, len(table) - 1),
            (-rest / table.size, 29 * (len(table) - 1)),
        ]
    variance = sum(part for part, _ in parts)
    df = variance**2 / sum(part**2 / df for part, df in parts)
    assert variance > parts[0][0]
    assert found.difference == pytest.approx(RUNS_A.mean() - b.mean())
    assert (found.se, found.df) == pytest.approx((variance**0.5, df), rel=1e-9)
    half = stats.t.isf(0.05, df) * variance**0.5
    assert [*found] == pytest.approx([found.difference - half, found.difference + half])


def test_a_crossed_variance_is_never_below_that_of_items_or_seeds():
    # Runs that are alike but for the items: what is taken off is more than the seeds
    # add.
    rng = np.random.default_rng(5)
    for _ in range(50):
        a, b = rng.normal(size=(2, 3, 12))
        found = crossed_difference(a, b)
        items = crossed_difference(a, b, rows="answers").se
        seeds = (a.mean(axis=1).var(ddof=1) / 3 + b.mean(axis=1).var(ddof=1) / 3) ** 0.5
        assert found.se >= max(items, seeds) * (1 - 1e-12)


def test_groups_of_one_item_are_the_items_and_one_row_is_the_paired_t():
    assert (
        crossed_difference(RUNS_A, RUNS_B, np.arange(30)).se
        == crossed_difference(RUNS_A, RUNS_B).se
    )
    found, paired = (
        crossed_difference(RUNS_A[0], RUNS_B[0]),
        stats.ttest_rel(RUNS_A[0], RUNS_B[0]),
    )
    assert (found.statistic, found.pvalue, found.df) == pytest.approx(
        (*paired, 29), rel=1e-9
    )
    found = crossed_difference(RUNS_A[0], RUNS_B[0], FAMILIES)
    assert [*found] == pytest.approx([*group_interval(RUNS_A[0] - RUNS_B[0], FAMILIES)])
    assert found.effective_groups == pytest.approx(
        900 / sum(np.bincount(FAMILIES) ** 2)
    )


def test_answers_are_averaged_and_add_nothing():
    by_rows = crossed_difference(RUNS_A, RUNS_B, FAMILIES, rows="answers")
    assert by_rows == crossed_difference(
        RUNS_A.mean(axis=0), RUNS_B.mean(axis=0), FAMILIES
    )
    # Any number of them.
    one = crossed_difference(RUNS_A[:1], RUNS_B[:1], rows="answers")
    assert one == crossed_difference(RUNS_A[0], RUNS_B[0])


def test_items_are_joined_by_id_and_groups_go_with_the_first():
    moved = RNG.permutation(30)
    found = crossed_difference(
        RUNS_A, RUNS_B[:, moved], FAMILIES, ids=(np.arange(30), moved)
    )
    assert found == crossed_difference(RUNS_A, RUNS_B, FAMILIES)


@grid("kind", [np.float64, np.float32])
def test_what_rounding_alone_makes_vary_does_not(kind):
    a = np.array([[0.8, 0.9, 0.7, 0.3, 0.1, 0.2]] * 3, dtype=kind)
    for b, difference in ((a - kind(0.1), "0.1"), (a, "0")):
        with pytest.raises(
            ValueError,
            match=rf"must vary .* do not.* the difference is \+{difference}\b",
        ):
            crossed_difference(a, b)


@grid(
    ("a", "b", "options", "message"),
    [
        (RUNS_A[:2], RUNS_B, {}, "3 rows each, got 2 and 6.* give one run of each"),
        (RUNS_A[:, :4], RUNS_B[:, :4], {}, "at least 5 items, got 4"),
        (RUNS_A, RUNS_B, {"rows": "paired"}, "as many rows .* paired, got 4 and 6"),
        (
            RUNS_A,
            RUNS_B,
            {"groups": np.arange(30) > 25},
            "groups must be at least 5, .* got 2 that count as 1.3",
        ),
    ],
)
def test_too_few_seeds_or_items_are_refused_with_a_way_on(a, b, options, message):
    with pytest.raises(ValueError, match=message):
        crossed_difference(a, b, **options)


def test_variances_that_are_equal_on_paper_are_taken_for_equal():
    """The last bit decided which degrees of freedom a difference had."""
    a = np.ones((4, 26))
    b = a.copy()
    b[2, 5] = 0
    found = [
        crossed_difference(scale * a, scale * b[rows], rows="paired")
        for scale in (1, 100)
        for rows in ([0, 1, 2, 3], [2, 0, 1, 3])
    ]
    assert len({round(one.df, 6) for one in found}) == 1
    assert found[0].pvalue == pytest.approx(found[2].pvalue)
