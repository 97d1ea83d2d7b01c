"""The expected maximum against exact arithmetic, enumeration and simulation.

The estimators are sums over gaps between scores. The references here are not: they
enumerate every draw, or count with binomial coefficients and powers how many draws have
the k-th score as their best, in rational numbers.
"""

import functools
import math
from collections import defaultdict
from fractions import Fraction
from itertools import combinations, pairwise, product

import mpmath
import numpy as np
import pytest
from grids import grid
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from evalkit import (
    boo,
    boo_gaussian,
    budget_difference,
    expected_max,
    expected_max_band,
    expected_max_interval,
    gaussian_expected_max,
    search,
    t_interval,
)

both_estimators = grid("estimator", ["u", "v"])

# Tenths tie often; an offset makes every careless difference lose eight digits.
tenths = st.integers(-20, 20).map(lambda k: k / 10)
scores_lists = st.one_of(
    st.lists(tenths, min_size=1, max_size=5),
    st.lists(tenths.map(lambda x: x + 1e8), min_size=1, max_size=5),
    st.lists(st.floats(-1e6, 1e6, allow_subnormal=False), min_size=1, max_size=5),
)


# --------------------------------------------------------------------------------------
# References in rational arithmetic
# --------------------------------------------------------------------------------------


def mean(values):
    values = list(values)
    return sum(values, Fraction(0)) / len(values)


def draws(items, n, estimator):
    """Every equally likely draw of n: subsets for U, tuples for V."""
    return combinations(items, n) if estimator == "u" else product(items, repeat=n)


def boo_by_counting(validation, test, n, estimator):
    """Boo_n by ranks: a group of tied runs shares the draws whose best is in the
    group.
    """
    tied = defaultdict(list)
    for v, t in zip(validation, test, strict=True):
        tied[v].append(Fraction(t))
    total, rank, lower = Fraction(0), 0, 0
    for level in sorted(tied):
        rank += len(tied[level])
        # As many draws of n stay within so many items.
        within = math.comb(rank, n) if estimator == "u" else rank**n
        total += (within - lower) * mean(tied[level])
        lower = within
    return total / lower


def max_by_counting(scores, n, estimator):
    return boo_by_counting(scores, scores, n, estimator)


def budgets_up_to(scores):
    return range(1, len(scores) + 1)


def assert_exact(values, truth, scores):
    """Within 1e-12 of the range of the scores, and four units in the last place of the
    largest.
    """
    allowed = Fraction(1e-12) * (Fraction(max(scores)) - Fraction(min(scores)))
    allowed += 4 * Fraction(math.ulp(max(map(abs, scores))))
    for value, true in zip(np.ravel(values).tolist(), truth, strict=True):
        assert abs(Fraction(value) - true) <= allowed


def pool(kind, size, seed=0):
    rng = np.random.default_rng([size, seed])
    scores = rng.beta(5, 2, size)
    return {
        "continuous": scores,
        "ties": np.round(scores, 2),
        "offset": scores + 1e8,
        "losses": -np.log(scores),
        "outlier": np.where(np.arange(size) == size // 2, 1e6, scores),
    }[kind].tolist()


# --------------------------------------------------------------------------------------
# U and V
# --------------------------------------------------------------------------------------


@both_estimators
@given(scores=scores_lists, n=st.integers(1, 4))
def test_equals_enumeration_of_every_draw(estimator, scores, n):
    n = min(n, len(scores)) if estimator == "u" else n
    truth = mean(map(max, draws([Fraction(s) for s in scores], n, estimator)))
    assert_exact(expected_max(scores, n, estimator=estimator), [truth], scores)


every_kind = grid("kind", ["continuous", "ties", "offset", "losses", "outlier"])


@both_estimators
@grid("size", [1030, 2000])
@every_kind
def test_equals_exact_arithmetic_for_many_runs(kind, size, estimator):
    scores = pool(kind, size)
    budgets = [1, 2, 17, 500, size - 1, size]
    truth = [max_by_counting(scores, n, estimator) for n in budgets]
    assert_exact(expected_max(scores, budgets, estimator=estimator), truth, scores)


# Perplexities of 29 runs, and of one that diverged.
DIVERGED = [
    *np.linspace(20, 60, 29),
    1e30,
]


@both_estimators
@grid("n", [1, 2, 14, 15, 20, 29, 30])
@grid(
    "scores",
    [
        DIVERGED,
        [-1e30, *np.arange(1, 10) / 10, *np.arange(1, 21) / 40],
        [0.0, *DIVERGED],
    ],
)
def test_one_run_that_diverged_counts_as_far_as_it_does(scores, n, estimator):
    minimize = max(scores) > 1
    sign = -1 if minimize else 1
    exact = max_by_counting([sign * s for s in scores], n, estimator)
    found = expected_max(scores, n, estimator=estimator, minimize=minimize)
    assert found == pytest.approx(float(sign * exact), rel=1e-12, abs=1e-14)


@both_estimators
@grid("c", [0.1, -0.3, 0.0, 1e8 + 0.1, 1e-300])
@grid("size", [1, 2, 7, 1030, 2000, 10_000])
def test_constant_scores_give_the_constant_exactly(c, size, estimator):
    budgets = np.arange(1, size + 1)
    assert (expected_max([c] * size, budgets, estimator=estimator) == c).all()


@grid(
    ("size", "right", "k"),
    [(5, 0, 2), (5, 5, 5), (10, 3, 4), (200, 7, 100), (200, 150, 60)],
)
def test_u_of_right_and_wrong_is_pass_at_k(size, right, k):
    answers = np.random.default_rng(0).permutation(np.arange(size) < right)
    pass_at_k = 1 - Fraction(math.comb(size - right, k), math.comb(size, k))
    assert expected_max(answers, k) == pytest.approx(
        float(pass_at_k), rel=1e-13, abs=1e-14
    )


# --------------------------------------------------------------------------------------
# Boo
# --------------------------------------------------------------------------------------

paired_scores = st.lists(
    st.tuples(tenths.map(round), tenths), min_size=1, max_size=5
).map(lambda pairs: tuple(map(list, zip(*pairs, strict=True))))


@both_estimators
@given(pair=paired_scores, n=st.integers(1, 4))
def test_boo_equals_enumeration_with_ties_shared(estimator, pair, n):
    validation, test = pair
    n = min(n, len(test)) if estimator == "u" else n

    def test_of_best(chosen):
        best = max(validation[i] for i in chosen)
        return mean(Fraction(test[i]) for i in chosen if validation[i] == best)

    truth = mean(map(test_of_best, draws(range(len(test)), n, estimator)))
    assert_exact(boo(validation, test, n=n, estimator=estimator), [truth], test)


@both_estimators
@grid(
    ("size", "budgets"),
    # Bajgar's pools, on both sides of 2**63.
    [(370, [7, 8, 9, 20, 369, 370]), (100, [9, 10, 11, 50, 99, 100])],
)
@every_kind
def test_boo_equals_exact_arithmetic_for_many_runs(kind, size, budgets, estimator):
    validation, test = pool(kind, size), pool(kind, size, seed=1)
    truth = [boo_by_counting(validation, test, n, estimator) for n in budgets]
    assert_exact(boo(validation, test, n=budgets, estimator=estimator), truth, test)


# Whole validation scores tie often.
two_sets = st.lists(st.tuples(tenths.map(round), tenths), min_size=2, max_size=9)


@grid("estimate", [boo, functools.partial(boo, estimator="v"), boo_gaussian])
@settings(max_examples=30)
@given(pairs=two_sets)
def test_boo_minimizes_the_negative_validation_and_test(estimate, pairs):
    validation, test = np.array(pairs).T
    budgets = budgets_up_to(pairs)
    expected = -estimate(-validation, -test, n=budgets)
    assert estimate(validation, test, n=budgets, minimize=True) == pytest.approx(
        expected, abs=1e-13
    )


@both_estimators
@given(scores=scores_lists)
def test_boo_of_one_set_is_the_expected_maximum(estimator, scores):
    budgets = budgets_up_to(scores)
    expected = expected_max(scores, budgets, estimator=estimator)
    assert_exact(
        boo(scores, n=budgets, estimator=estimator),
        map(Fraction, expected.tolist()),
        scores,
    )


@both_estimators
@given(validation=st.lists(tenths, min_size=1, max_size=9))
def test_boo_of_a_constant_test_score_is_that_score(estimator, validation):
    budgets = budgets_up_to(validation)
    assert (
        boo(validation, [0.1] * len(validation), n=budgets, estimator=estimator) == 0.1
    ).all()


# --------------------------------------------------------------------------------------
# Under normality
# --------------------------------------------------------------------------------------

ARC = math.asin(1 / 3) / math.pi


@grid(
    ("n", "truth"),
    [
        (1, 0),
        (2, 1 / math.sqrt(math.pi)),
        (3, 3 / (2 * math.sqrt(math.pi))),
        (4, 3 / (2 * math.sqrt(math.pi)) * (1 + 2 * ARC)),
        (5, 5 / (4 * math.sqrt(math.pi)) * (1 + 6 * ARC)),
    ],
)
def test_gaussian_closed_forms(n, truth):
    assert gaussian_expected_max(n) == pytest.approx(truth, abs=1e-10)


@grid("n", [7, 60, 1000, 10**6])
def test_gaussian_against_50_digits(n):
    with mpmath.workdps(50):
        truth = mpmath.quad(
            lambda x: n * x * mpmath.npdf(x) * mpmath.ncdf(x) ** (n - 1),
            [*range(-12, 13, 2), 20],
        )
        assert abs(gaussian_expected_max(n) - truth) < 1e-10


@grid("minimize", [False, True])
def test_boo_gaussian_is_its_formula(minimize):
    validation, test = (
        np.random.default_rng(0).multivariate_normal([0.7, 0.6], [[4, 3], [3, 9]], 30).T
    )
    shift = (
        np.corrcoef(validation, test)[0, 1]
        * np.std(test, ddof=1)
        * np.array([0, 1 / math.sqrt(math.pi)])
    )
    expected = np.mean(test) + (-shift if minimize else shift)
    assert boo_gaussian(validation, test, n=[1, 2], minimize=minimize) == pytest.approx(
        expected, rel=1e-12
    )


@grid(
    ("validation", "test", "expected"),
    [
        ([0.1, 0.1, 0.1], [0.2, 0.5, 0.8], 0.5),  # nothing to choose by
        ([0.2, 0.5, 0.8], [0.1, 0.1, 0.1], 0.1),
        ([0.1] * 7, None, 0.1),
    ],
)
def test_boo_gaussian_of_constants_is_the_mean(validation, test, expected):
    assert (boo_gaussian(validation, test, n=[1, 2, 100]) == expected).all()


# --------------------------------------------------------------------------------------
# Bands
# --------------------------------------------------------------------------------------


def half_width(size, level, method):
    """The most that F_N may differ from F, by the definition of each method."""
    if method == "dkw":
        return min(1, math.sqrt(-math.log((1 - level) / 2) / (2 * size)))
    return stats.kstwo.isf(1 - level, size)


@grid("method", ["ks", "dkw"])
@grid("kind", ["continuous", "ties"])
@grid("size", [1, 2, 15])
@grid("n", [1, 3, 40])
def test_band_edges_equal_naive_integration(method, kind, size, n):
    scores = pool(kind, size)
    a, b = -0.5, 1.25
    w = half_width(size, 0.9, method)

    def expected_best(shift):
        def integrand(x):
            return np.clip(np.mean(np.less_equal(scores, x)) + shift, 0, 1) ** n

        return b - sum(
            integrate.quad(integrand, *piece)[0]
            for piece in pairwise([a, *sorted(scores), b])
        )

    band = expected_max_band(
        scores, n, bounds=(a, b), confidence_level=0.9, method=method
    )
    assert [band.low[0], band.high[0]] == pytest.approx(
        [expected_best(w), expected_best(-w)], abs=1e-10
    )


@grid("minimize", [False, True])
@grid("bounds", [(0, math.inf), (-math.inf, 1), (-math.inf, math.inf)])
def test_an_infinite_bound_gives_an_infinite_edge(bounds, minimize):
    scores = pool("continuous", 30)
    band = expected_max_band(scores, [1, 5], bounds=bounds, minimize=minimize)
    finite = expected_max_band(scores, [1, 5], bounds=(0, 1), minimize=minimize)
    for bound, edge, finite_edge in zip(bounds, band, finite, strict=True):
        assert (edge == (finite_edge if math.isfinite(bound) else bound)).all()


# --------------------------------------------------------------------------------------
# What all curves have in common
# --------------------------------------------------------------------------------------


def band_of_wide_bounds(scores, n, **options):
    low, high = min(scores), max(scores)
    return np.stack(
        [
            *expected_max_band(
                scores, n, bounds=(2 * low - high, 2 * high - low), **options
            )
        ]
    )


CURVES = {
    "u": expected_max,
    "v": functools.partial(expected_max, estimator="v"),
    "boo": lambda scores, n, **options: boo(scores, n=n, **options),
    "boo v": lambda scores, n, **options: boo(scores, n=n, estimator="v", **options),
    "boo gaussian": lambda scores, n, **options: boo_gaussian(scores, n=n, **options),
}
some_scores = st.lists(tenths, min_size=2, max_size=10).filter(
    lambda scores: min(scores) < max(scores)
)


@grid("curve", [*CURVES.values(), band_of_wide_bounds])
@given(scores=some_scores)
def test_minimizing_is_maximizing_the_negative(curve, scores):
    budgets = budgets_up_to(scores)
    negative = -curve([-s for s in scores], budgets)
    if negative.ndim == 2:  # a band turns over: its lower edge becomes the upper one
        negative = negative[::-1]
    assert curve(scores, budgets, minimize=True) == pytest.approx(negative, abs=1e-13)


@grid("curve", CURVES.values())
@given(scores=some_scores, data=st.data())
def test_an_array_of_budgets_is_each_budget_on_its_own(curve, scores, data):
    budgets = data.draw(st.lists(st.integers(1, len(scores)), min_size=1, max_size=6))
    values = curve(scores, budgets)
    # Budgets share their products, so the last bits may differ.
    assert values == pytest.approx(
        [curve(scores, n) for n in budgets], rel=1e-14, abs=1e-14
    )
    assert isinstance(curve(scores, budgets[0]), float)


# --------------------------------------------------------------------------------------
# Types and sizes
# --------------------------------------------------------------------------------------


@given(
    whole=st.lists(st.tuples(*[st.integers(840, 845)] * 2), min_size=3, max_size=8),
    n=st.integers(1, 3),
)
def test_boo_shares_the_weight_of_ties_in_any_type(whole, n):
    validation, test = np.array(whole).T
    expected = boo(validation, test, n=n) / 1000
    for kind in (np.float32, np.float64):
        reported = (
            np.divide(scores, 1000).astype(kind) for scores in (validation, test)
        )
        assert boo(*reported, n=n) == pytest.approx(expected, rel=1e-6)


def test_more_than_can_be_done_is_refused_with_a_way_on():
    pool = np.arange(2_000_001.0)
    with pytest.raises(ValueError, match="'v'"):
        expected_max(pool, 2)
    assert expected_max(pool, 2, estimator="v") > 1e6
    with pytest.raises(ValueError, match="interpolate"):
        gaussian_expected_max(np.arange(1, 50_002))
    assert gaussian_expected_max(np.full(1_000_000, 2))[-1] == pytest.approx(
        1 / np.sqrt(np.pi)
    )


# --------------------------------------------------------------------------------------
# Intervals from the jackknife, and budgets
# --------------------------------------------------------------------------------------

POOL = np.random.default_rng(7).beta(6, 2, size=40)
# Validation scores with many ties, and test scores that do not follow them closely.
TIED = np.round(40 * POOL) / 40
REPORTED = POOL + 0.05 * np.random.default_rng(8).normal(size=40)
jackknife_cases = grid(
    ("validation", "test"),
    [(POOL, None), (POOL, REPORTED), (TIED, REPORTED), (TIED, None)],
)


def naive_jackknife(validation, test, n, minimize=False):
    """Leave out each run and estimate again, with the public function."""
    test = validation if test is None else test
    options = {"n": n, "minimize": minimize}
    left_out = [
        boo(np.delete(validation, i), np.delete(test, i), **options)
        for i in range(len(test))
    ]
    squares = (np.array(left_out) - np.mean(left_out)) ** 2
    size = len(squares)
    variance = (size - 1) / size * squares.sum()
    return (
        boo(validation, test, **options),
        variance,
        squares.sum() ** 2 / (squares**2).sum(),
    )


@jackknife_cases
@grid("minimize", [True, False])
@grid("n", [1, 2, 8])
def test_the_interval_of_u_is_the_jackknife_run_by_run(validation, test, n, minimize):
    estimate, variance, df = naive_jackknife(validation, test, n, minimize)
    half = stats.t.isf(0.05, df) * math.sqrt(variance)
    found = expected_max_interval(
        validation, n, test=test, minimize=minimize, confidence_level=0.9
    )
    assert [*found] == pytest.approx([estimate - half, estimate + half], rel=1e-9)
    band = expected_max_interval(
        validation, [1, n], test=test, minimize=minimize, confidence_level=0.9
    )
    assert (band.low[1], band.high[1]) == pytest.approx(tuple(found), rel=1e-12)
    assert not band.simultaneous


@jackknife_cases
def test_a_difference_at_a_budget_has_both_jackknives(validation, test):
    one, other = (
        naive_jackknife(validation, test, 5),
        naive_jackknife(REPORTED[:32], POOL[:32], 5),
    )
    found = budget_difference(validation, test, REPORTED[:32], POOL[:32], 5)
    variance = one[1] + other[1]
    assert found.difference == pytest.approx(one[0] - other[0], rel=1e-9)
    assert found.se == pytest.approx(variance**0.5, rel=1e-9)
    assert found.df == pytest.approx(
        variance**2 / (one[1] ** 2 / one[2] + other[1] ** 2 / other[2]), rel=1e-6
    )


@grid("seconds", [(6.0, 2.0), (0.3, 0.1), np.float32([0.3, 0.1])])
def test_seconds_buy_whole_runs_of_each(seconds):
    cost_a, cost_b = map(float, seconds)
    pools = (POOL, None, REPORTED, None)
    found = budget_difference(*pools, 2 * cost_a, seconds=seconds)
    assert found.method == "best of 2 and 6, by U"
    estimates = [expected_max(scores, n) for scores, n in ((POOL, 2), (REPORTED, 6))]
    assert found.difference == pytest.approx(estimates[0] - estimates[1])
    assert (
        budget_difference(*pools, 2 * cost_a + 0.9 * cost_b, seconds=seconds).method
        == found.method
    )


def test_losses_turn_a_budget_difference_over():
    found = budget_difference(POOL, REPORTED, REPORTED, POOL, 5)
    losses = budget_difference(-POOL, -REPORTED, -REPORTED, -POOL, 5, minimize=True)
    assert [*losses] == pytest.approx([-found.high, -found.low])


def test_equal_runs_have_no_scatter():
    assert [*expected_max_interval([0.1] * 40, 3)] == pytest.approx(
        [0.1, 0.1], abs=1e-15
    )
    with pytest.raises(ValueError, match=r"must vary .* the difference is \+0.25, "):
        budget_difference([0.5] * 30, None, [0.25] * 31, None, 3)


def test_runs_that_succeed_or_fail_have_a_transformed_exact_interval():
    """By another package's interval; what is lower better is the other way round."""
    for failures, n in ((30, 6), (29, 6), (15, 3), (0, 6)):
        runs = np.repeat([0, 1], [failures, 30 - failures])
        rate = stats.binomtest(30 - failures, 30).proportion_ci(method="exact")
        wanted = [1 - (1 - p) ** n for p in (rate.low, rate.high)]
        found = expected_max_interval(runs, n)
        assert [*found] == pytest.approx(wanted)
        assert expected_max(runs, n) in found
        if not runs.any():  # shares or per cents: nobody can tell
            continue
        percent = expected_max_interval(100.0 * runs, [n, 2])
        assert [percent.low[0], percent.high[0]] == pytest.approx(
            [*np.multiply(100, wanted)]
        )
        errors = expected_max_interval(1 - runs, n, minimize=True)
        assert [*errors] == pytest.approx([1 - wanted[1], 1 - wanted[0]])


def test_a_pool_that_ties_at_the_best_is_refused():
    rng = np.random.default_rng(0)
    ceiling = np.minimum(rng.normal(size=50), np.quantile(rng.normal(size=50), 0.6))
    for call in (
        lambda: expected_max_interval(ceiling, 10),
        lambda: expected_max_interval(-ceiling, 10, minimize=True),
        lambda: budget_difference(ceiling, None, POOL, None, 8),
        lambda: budget_difference([0] * 40 + [1] * 5, None, POOL, None, 8),
    ):
        with pytest.raises(ValueError, match=r"the same score in \d+% of cases"):
            call()
    # One that never varied may be better now and then, which is what the best is about.
    with pytest.raises(ValueError, match="must vary"):
        budget_difference([0.9] * 40, None, POOL, None, 8)
    # Three scores, each the best in a fifth to two fifths of cases, are enough.
    three = [0.6] * 50 + [0.7] * 3 + [0.8]
    assert expected_max_interval(three, 10).width > 0
    # Chosen by a score that ties, what is reported may differ, or be right or wrong.
    assert expected_max_interval(POOL, 5, test=POOL > 0.7).width > 0
    assert expected_max_interval(ceiling, 10, test=rng.normal(size=50)).width > 0


# --------------------------------------------------------------------------------------
# Trials of a search
# --------------------------------------------------------------------------------------

SPACE = {"x": np.linspace(0, 1, 50).tolist()}


def searched(minimize=False, method="random"):
    return search(
        lambda s: s["x"], SPACE, n_trials=40, method=method, minimize=minimize, rng=0
    )


TAKERS = {
    "expected_max": lambda trials, **o: expected_max(trials, 3, **o),
    "boo": lambda trials, **o: boo(trials, n=3, **o),
    "boo_gaussian": lambda trials, **o: boo_gaussian(trials, n=3, **o),
    "expected_max_interval": lambda trials, **o: [
        *expected_max_interval(trials, 3, **o)
    ],
    "expected_max_band": lambda trials, **o: [
        *expected_max_band(trials, 3, bounds=(0, 1), **o)
    ],
    "budget_difference": lambda trials, **o: [
        *budget_difference(POOL, None, trials, None, 3, **o)
    ],
}
every_taker = grid("take", TAKERS.values())


@every_taker
def test_independent_trials_are_their_scores_and_know_their_direction(take):
    trials = searched()
    assert take(trials) == take(trials.table.score)
    with pytest.raises(ValueError, match="^minimize must be True, as in the search"):
        take(searched(minimize=True))
    assert take(searched(minimize=True), minimize=True) == take(
        trials.table.score, minimize=True
    )


@every_taker
def test_trials_of_a_grid_or_a_guided_search_are_no_sample(take):
    with pytest.raises(
        ValueError, match="trials of a grid search, and no independent draws"
    ):
        take(searched(method="grid"))


@grid("convert", [np.asarray, np.array, t_interval, np.mean])
def test_no_array_is_made_of_dependent_trials(convert):
    assert convert(searched()) is not None
    with pytest.raises(ValueError, match="no independent draws"):
        convert(searched(method="grid"))
