"""Intervals against formulas written out, SciPy called directly, and naive loops."""

import dataclasses
import functools
import math

import numpy as np
import pandas as pd
import pytest
from grids import grid
from scipy import signal, stats

from evalkit import (
    bootstrap_interval,
    difference_interval,
    equivalence,
    from_summary,
    group_interval,
    mcnemar,
    possible_counts,
    prediction_interval,
    proportion_interval,
    t_interval,
    time_blocks,
)
from evalkit._groups import correlation_time
from evalkit.results import Band, Difference, Interval

every_method = grid("method", ["bca", "percentile", "basic"])

RNG = np.random.default_rng(2020)
SKEWED = RNG.lognormal(size=25)
OTHER = 0.8 * SKEWED + RNG.normal(size=25)
GROUPS = np.repeat(list("abcdefghij"), np.arange(1, 11))
CLUSTERED = RNG.normal(size=10)[
    np.repeat(np.arange(10), np.arange(1, 11))
] + 0.1 * RNG.normal(size=55)
SHUFFLED = RNG.permutation(55)


def median_of_three(sample):
    """A statistic without an `axis` argument, and with jumps."""
    return float(np.sort(sample)[[0, len(sample) // 2, -1]].sum())


def approx(interval):
    """The ends of another interval, but for rounding."""
    return pytest.approx([*interval], rel=1e-12)


# --------------------------------------------------------------------------------------
# Student's t
# --------------------------------------------------------------------------------------


@grid("level", [0.5, 0.95, 0.999])
@grid("size", [2, 3, 25])
def test_t_is_its_formula(size, level):
    scores = SKEWED[:size]
    half = stats.t.isf((1 - level) / 2, size - 1) * math.sqrt(
        sum((scores - scores.mean()) ** 2) / (size - 1) / size
    )
    interval = t_interval(scores, confidence_level=level)
    assert [*interval] == pytest.approx(
        [scores.mean() - half, scores.mean() + half], rel=1e-12
    )
    assert interval.confidence_level == level


# --------------------------------------------------------------------------------------
# The bootstrap of one sample and of two
# --------------------------------------------------------------------------------------


def scipy_interval(samples, statistic, method, level, **options):
    result = stats.bootstrap(
        samples,
        statistic,
        method=method,
        confidence_level=level,
        n_resamples=999,
        rng=np.random.default_rng(7),
        **options,
    )
    return result.confidence_interval


@every_method
@grid("statistic", [np.mean, np.median, np.std, median_of_three])
def test_bootstrap_is_that_of_scipy(statistic, method):
    interval = bootstrap_interval(
        SKEWED, statistic, method=method, confidence_level=0.9, n_resamples=999, rng=7
    )
    assert [*interval] == approx(scipy_interval((SKEWED,), statistic, method, 0.9))
    assert (interval.method, interval.confidence_level) == (method, 0.9)


@every_method
@grid("paired", [True, False])
@grid("statistic", [np.mean, np.median, median_of_three])
def test_difference_is_that_of_scipy(statistic, paired, method):
    vectorized = statistic is not median_of_three
    options = {"axis": -1} if vectorized else {}

    def difference(a, b, axis=-1):
        return statistic(a, **options) - statistic(b, **options)

    interval = difference_interval(
        SKEWED,
        OTHER,
        statistic,
        paired=paired,
        method=method,
        confidence_level=0.9,
        n_resamples=999,
        rng=7,
    )
    expected = scipy_interval(
        (SKEWED, OTHER), difference, method, 0.9, paired=paired, vectorized=vectorized
    )
    assert [*interval] == approx(expected)


# Sums of whole numbers are exact, so there every resample that ties with the estimate
# is seen to.
@grid("kind", [np.float64, np.float32])
@grid("digits", [1, 2, 3, 4])
@grid("size", [5, 8, 20])
def test_a_resample_that_ties_with_the_estimate_counts_as_a_tie(kind, digits, size):
    unit, options = 10**digits, {"method": "bca", "n_resamples": 499, "rng": 1}
    whole = np.random.default_rng(digits).integers(unit // 2, unit // 2 + 5, (2, size))
    rounded = np.divide(whole, unit).astype(kind)
    rel = 1e-12 if kind is np.float64 else 1e-5
    for interval in (
        lambda a, b: bootstrap_interval(a, **options),
        functools.partial(difference_interval, paired=True, **options),
        functools.partial(difference_interval, paired=False, **options),
    ):
        expected = [end / unit for end in interval(*whole)]
        assert [*interval(*rounded)] == pytest.approx(expected, rel=rel, abs=1e-7)


def test_an_end_past_the_pole_of_bca_is_the_last_resample():
    outlier = np.r_[np.zeros(200), 1.0]  # skewed as much as a mean can be
    low, high = bootstrap_interval(
        outlier, confidence_level=1 - 1e-12, n_resamples=199, rng=0
    )
    drawn = bootstrap_interval(
        outlier, method="percentile", confidence_level=1 - 1e-12, n_resamples=199, rng=0
    )
    assert 0 <= low < high == pytest.approx(drawn.high)


def test_more_than_can_be_done_is_refused_with_a_way_on():
    many = np.zeros(100_001)
    many[0] = 1
    for interval in (
        functools.partial(bootstrap_interval, many),
        functools.partial(difference_interval, many, many, paired=True, method="bca"),
        functools.partial(group_interval, many, np.arange(many.size), method="bca"),
    ):
        with pytest.raises(ValueError, match="t_interval"):
            interval(n_resamples=10_000)
    with pytest.raises(ValueError, match="percentile"):
        bootstrap_interval(many, np.median, n_resamples=99)


# --------------------------------------------------------------------------------------
# Whole groups
# --------------------------------------------------------------------------------------


def resample_groups(scores, groups, statistic, n_resamples, seed):
    rng = np.random.default_rng(seed)
    names = sorted(set(groups))
    return [
        statistic(
            np.concatenate(
                [
                    scores[groups == names[i]]
                    for i in rng.integers(len(names), size=len(names))
                ]
            )
        )
        for _ in range(n_resamples)
    ]


@grid("statistic", [np.mean, np.median, median_of_three])
def test_groups_equal_a_naive_loop(statistic):
    drawn = resample_groups(CLUSTERED, GROUPS, statistic, 400, 7)
    interval = group_interval(
        CLUSTERED[SHUFFLED],
        GROUPS[SHUFFLED],
        statistic,
        method="percentile",
        confidence_level=0.9,
        n_resamples=400,
        rng=7,
    )
    assert [*interval] == approx(np.quantile(drawn, [0.05, 0.95]))


@every_method
@grid("statistic", [np.mean, np.median])
def test_groups_of_one_are_the_items(statistic, method):
    options = {"method": method, "n_resamples": 499, "rng": 7}
    grouped = group_interval(SKEWED, np.arange(25), statistic, **options)
    assert [*grouped] == approx(bootstrap_interval(SKEWED, statistic, **options))


@every_method
def test_any_mean_of_groups_is_the_fast_mean_of_groups(method):
    fast, slow = (
        group_interval(
            CLUSTERED, GROUPS, statistic, method=method, n_resamples=499, rng=7
        )
        for statistic in (np.mean, lambda sample: sum(sample) / len(sample))
    )
    assert [*slow] == approx(fast)


@grid(
    "rename",
    [
        lambda groups: groups.tolist(),
        lambda groups: groups.astype(object),
        lambda groups: np.char.add("module.", groups),
        lambda groups: groups.view(np.int32),
        lambda groups: groups.view(np.int32) / 7,
    ],
)
def test_names_of_groups_do_not_matter(rename):
    expected = group_interval(CLUSTERED, GROUPS, n_resamples=99, rng=0)
    assert group_interval(CLUSTERED, rename(GROUPS), n_resamples=99, rng=0) == expected


# --------------------------------------------------------------------------------------
# What all bootstraps have in common
# --------------------------------------------------------------------------------------

BOOTSTRAPS = {
    "one": bootstrap_interval,
    "paired": lambda s, *args, **options: difference_interval(
        s, OTHER[: len(s)], *args, paired=True, **{"method": "bca", **options}
    ),
    "unpaired": lambda s, *args, **options: difference_interval(
        s, OTHER, *args, paired=False, **{"method": "bca", **options}
    ),
    "groups": lambda s, *args, **options: group_interval(
        s, np.arange(len(s)) // 2, *args, **{"method": "bca", **options}
    ),
}
every_bootstrap = grid("bootstrap", BOOTSTRAPS.values())


@every_bootstrap
@grid("generator", [np.random.default_rng, lambda seed: seed])
def test_repeats_with_its_seed(bootstrap, generator):
    first, again, other = (
        bootstrap(SKEWED, n_resamples=99, rng=generator(seed)) for seed in (7, 7, 8)
    )
    assert first == again
    assert first != other


@every_bootstrap
def test_a_statistic_may_reorder_its_sample(bootstrap):
    def sorting(sample):
        sample.sort()
        return median_of_three(sample)

    options = {"method": "percentile", "n_resamples": 99, "rng": 0}
    scores = CLUSTERED[SHUFFLED][:25]
    expected = bootstrap(scores, median_of_three, **options)
    assert bootstrap(scores, sorting, **options) == expected


@every_method
@grid("c", [0.1, -3.7, 1e8 + 0.1])
@grid("size", [2, 7])
def test_constant_scores_give_the_constant_twice(size, c, method):
    constant = [c] * size
    options = {"method": method, "n_resamples": 99}
    assert [*t_interval(constant)] == [c, c]
    assert [*bootstrap_interval(constant, np.median, **options)] == [c, c]
    assert [*group_interval(constant, range(size), np.median, **options)] == [c, c]


@every_method
@grid("right", [0, 1])
def test_right_or_wrong_alone_is_no_sample_for_a_bootstrap(right, method):
    with pytest.raises(
        ValueError,
        match=rf"got {right} 7 times.* proportion_interval\({7 * right}, 7\)",
    ):
        bootstrap_interval([right] * 7, method=method)


@grid(
    ("scores", "statistic", "low", "high"),
    [
        ([1, 2, 3, 3], np.max, 2, 3),  # leave one out, and the maximum is still 3
        ([1, 1, 1, 10], np.median, 1, 5.5),
        ([1, 1, 2, 2, 2, 2], np.min, 1, 2),
        ([1, 2, 3, 4, 5], lambda sample: float(np.max(sample) > 3), 0, 1),
        ([1, 2, 3, 4, 5], lambda sample: 0.1 + 0.2, 0.1 + 0.2, 0.1 + 0.2),
    ],
)
def test_bca_without_variation_in_the_jackknife(scores, statistic, low, high):
    assert [*bootstrap_interval(scores, statistic, rng=0)] == [low, high]


@every_bootstrap
@every_method
def test_a_statistic_undefined_on_some_resamples_is_refused(bootstrap, method):
    # With three scores, one resample in nine holds one score three times.
    def undefined_for_constants(sample):
        return np.mean(sample) if np.ptp(sample) else math.nan

    with pytest.raises(ValueError, match=r"^statistic"):
        bootstrap(
            [1.0, 2.0, 4.0],
            undefined_for_constants,
            method=method,
            n_resamples=99,
            rng=0,
        )


# --------------------------------------------------------------------------------------
# Proportions
# --------------------------------------------------------------------------------------

proportions = grid(
    ("successes", "trials"),
    [(0, 1), (1, 1), (0, 20), (20, 20), (1, 20), (7, 20), (10, 20), (905, 1000)],
)
levels = grid("level", [0.5, 0.95, 0.999])


@proportions
@levels
def test_clopper_pearson_is_two_beta_quantiles(successes, trials, level):
    tail, failures = (1 - level) / 2, trials - successes
    low = stats.beta.ppf(tail, successes, failures + 1) if successes else 0
    high = stats.beta.isf(tail, successes + 1, failures) if failures else 1
    assert [
        *proportion_interval(successes, trials, confidence_level=level)
    ] == pytest.approx([low, high])


@proportions
@levels
def test_wilson_is_its_formula(successes, trials, level):
    z, p = stats.norm.isf((1 - level) / 2), successes / trials
    centre = (p + z**2 / (2 * trials)) / (1 + z**2 / trials)
    half = (
        z
        / (1 + z**2 / trials)
        * math.sqrt(p * (1 - p) / trials + z**2 / (4 * trials**2))
    )
    interval = proportion_interval(
        successes, trials, method="wilson", confidence_level=level
    )
    assert [*interval] == pytest.approx([centre - half, centre + half], abs=1e-14)


# --------------------------------------------------------------------------------------
# What comes back
# --------------------------------------------------------------------------------------

INTERVAL = Interval(0.25, 0.5, 0.95, "t")
BAND = Band(
    np.array([1, 5]), np.array([0.1, 0.2]), np.array([0.4, 0.3]), 0.9, "ks", True
)


def test_intervals_and_bands_unpack_and_an_interval_holds():
    assert np.array_equal([*BAND], [BAND.low, BAND.high])
    assert BAND.width == pytest.approx([0.3, 0.1])
    low, high = INTERVAL
    assert (low, high, INTERVAL.width) == (0.25, 0.5, 0.25)
    assert 0.25 in INTERVAL
    assert 0.5 in INTERVAL
    assert 0.51 not in INTERVAL
    assert math.nan not in INTERVAL


@grid(
    ("result", "text"),
    [
        (INTERVAL, "[0.25, 0.50] (95\xa0%, t)"),
        (dataclasses.replace(INTERVAL, low=-0.25), "[−0.25, 0.50] (95\xa0%, t)"),
        (BAND, "band over n = 1..5 (90\xa0%, all n at once, ks)"),
        (
            dataclasses.replace(BAND, simultaneous=False),
            "band over n = 1..5 (90\xa0%, each n alone, ks)",
        ),
    ],
)
def test_results_print_well(result, text):
    assert str(result) == text


@grid("level", [0.9545, 0.999, 0.9999])
def test_an_interval_prints_its_level_unrounded(level):
    assert f"{100 * level:g}\xa0%" in str(Interval(0.1, 0.2, level, "t"))


# --------------------------------------------------------------------------------------
# The next run
# --------------------------------------------------------------------------------------


@grid("size", [2, 3, 25])
def test_a_prediction_by_t_is_its_formula(size):
    scores = SKEWED[:size]
    half = stats.t.isf(0.05, size - 1) * math.sqrt(scores.var(ddof=1) * (1 + 1 / size))
    found = prediction_interval(scores, confidence_level=0.9, method="t")
    assert [*found] == pytest.approx(
        [scores.mean() - half, scores.mean() + half], rel=1e-12
    )


def test_a_prediction_by_order_takes_the_scores_themselves():
    scores = RNG.permutation(99.0 + np.arange(99))
    # Ranks 2 and 98: 100 gaps, of which 2 lie outside on each side.
    assert [*prediction_interval(scores, confidence_level=0.96)] == [
        scores.min() + 1,
        scores.max() - 1,
    ]
    assert prediction_interval(scores).method.startswith("order")


@grid(("level", "needed"), [(0.5, 3), (0.9, 19), (0.95, 39), (0.99, 199)])
def test_order_needs_so_many_scores(level, needed):
    options = {"confidence_level": level}
    assert prediction_interval(np.arange(needed), **options).method.startswith("order")
    assert prediction_interval(np.arange(needed - 1), **options).method.startswith("t,")
    with pytest.raises(ValueError, match=f"needs at least {needed} values"):
        prediction_interval(np.arange(needed - 1), method="order", **options)


@grid("size", [2, 39])
def test_a_constant_predicts_itself(size):
    assert [*prediction_interval([0.1] * size)] == [0.1, 0.1]


# --------------------------------------------------------------------------------------
# Differences by t
# --------------------------------------------------------------------------------------


def test_a_difference_of_means_is_welch_s_or_the_paired_t_of_scipy():
    unpaired = difference_interval(
        SKEWED, OTHER[:4], paired=False, confidence_level=0.9
    )
    expected = stats.ttest_ind(SKEWED, OTHER[:4], equal_var=False)
    assert (unpaired.statistic, unpaired.pvalue, unpaired.df) == pytest.approx(
        (expected.statistic, expected.pvalue, expected.df), rel=1e-12
    )
    assert [*unpaired] == approx(expected.confidence_interval(0.9))
    paired = difference_interval(SKEWED, OTHER, paired=True)
    expected = stats.ttest_rel(SKEWED, OTHER)
    assert (paired.statistic, paired.pvalue, paired.df) == pytest.approx(
        (expected.statistic, expected.pvalue, expected.df), rel=1e-12
    )
    assert [*paired] == approx(expected.confidence_interval())


def test_another_statistic_is_bca_and_needs_ten():
    options = {"paired": False, "n_resamples": 199, "rng": 3}
    auto, bca = (
        difference_interval(SKEWED, OTHER, np.median, method=m, **options)
        for m in ("auto", "bca")
    )
    assert auto == bca
    assert auto.method == "unpaired bca"
    with pytest.raises(ValueError, match=r"must hold at least 10 values .* got 9"):
        difference_interval(SKEWED, OTHER[:9], np.median, **options)
    with pytest.raises(ValueError, match="method must be a bootstrap"):
        difference_interval(SKEWED, OTHER, np.median, method="t", **options)


def test_of_one_constant_the_scatter_of_the_other_is_left():
    found = difference_interval([5] * 9, [1, 2, 4], paired=False)
    other = t_interval([1, 2, 4])
    assert found.df == 2
    assert [*found] == pytest.approx([5 - other.high, 5 - other.low])


def test_ends_have_the_digits_that_the_width_bears():
    shown = {
        "[123454.5, 123459.5] (95\xa0%, t)": t_interval([123456.0, 123457, 123458]),
        "[123457, 123457] (95\xa0%, t; no spread was seen)": t_interval([123457] * 3),
        "[0.999982, 0.999995] (95\xa0%, clopper-pearson)": proportion_interval(
            999_990, 1_000_000
        ),
        "[−0.0002, 0.0501] (95\xa0%, t)": Interval(-0.0002, 0.0501, 0.95, "t"),
    }
    for text, interval in shown.items():
        assert str(interval) == text


def test_a_printed_p_value_is_on_the_side_of_its_interval():
    """A printed "0.05" beside an interval that excludes 0 is read against it."""
    parts, df = [(1.0, 30)], 30
    for level in (0.95, 0.9, 0.99):
        edge = stats.t.isf((1 - level) / 2, df)
        for factor in (1 - 1e-4, 1 + 1e-4):
            found = Difference.from_parts(factor * edge, parts, level, "t")
            printed = float(str(found).split("p = ")[1])
            assert (printed >= round(1 - level, 9)) == (0 in found)
    assert str(mcnemar(2000, 0)).endswith("p < 1e-300")


def test_a_summary_gives_what_the_scores_give():
    for a, b in ((SKEWED, OTHER[:4]), (SKEWED[:2], OTHER[:2])):
        whole = difference_interval(a, b, paired=False, confidence_level=0.8)
        for spread, root in (("sd", (1, 1)), ("se", (len(a) ** 0.5, len(b) ** 0.5))):
            triples = (
                (s.mean(), s.std(ddof=1) / r, len(s))
                for s, r in zip((a, b), root, strict=True)
            )
            found = from_summary(*triples, spread=spread, confidence_level=0.8)
            assert [*found, found.pvalue, found.df] == pytest.approx(
                [*whole, whole.pvalue, whole.df], rel=1e-12
            )
            assert "summaries" in found.method


# --------------------------------------------------------------------------------------
# Equivalence
# --------------------------------------------------------------------------------------


SHOWN = {  # where it is not shown, and where it is
    "two-sided": ("not shown to be equivalent up to", "equivalent up to"),
    "greater": ("may be lower by more than", "not lower by more than"),
    "less": ("may be higher by more than", "not higher by more than"),
}


@grid("paired", [True, False])
@grid("margin", [0.2, 0.9, 3])
def test_equivalence_is_two_one_sided_tests_or_the_one_asked_for(paired, margin):
    test = functools.partial(stats.ttest_rel if paired else stats.ttest_ind)
    options = {} if paired else {"equal_var": False}
    pvalues = {
        "greater": test(SKEWED + margin, OTHER, alternative="greater", **options)[1],
        "less": test(SKEWED - margin, OTHER, alternative="less", **options)[1],
    }
    pvalues["two-sided"] = max(pvalues.values())
    difference = difference_interval(SKEWED, OTHER, paired=paired)
    narrow = difference_interval(SKEWED, OTHER, paired=paired, confidence_level=0.9)
    for alternative, pvalue in pvalues.items():
        found = equivalence(difference, margin, alternative=alternative)
        assert found.pvalue == pytest.approx(pvalue, rel=1e-9)
        assert found.equivalent == (pvalue <= 0.05)
        assert [*found.interval] == approx(narrow)
        assert str(found).startswith(f"{SHOWN[alternative][found.equivalent]} {margin}")


def test_chances_are_the_share_of_posterior_draws():
    # Flat prior on the mean and on the logarithm of the standard deviation of paired
    # differences.
    rng, differences = np.random.default_rng(0), SKEWED - OTHER
    n = differences.size
    sd = np.sqrt((n - 1) * differences.var(ddof=1) / rng.chisquare(n - 1, 200_000))
    mean = rng.normal(differences.mean(), sd / np.sqrt(n))
    found = equivalence(difference_interval(SKEWED, OTHER, paired=True), 0.8)
    shares = [(mean > 0.8).mean(), (np.abs(mean) <= 0.8).mean(), (mean < -0.8).mean()]
    assert [found.better, found.same, found.worse] == pytest.approx(shares, abs=0.005)


# --------------------------------------------------------------------------------------
# Printed scores
# --------------------------------------------------------------------------------------


@grid("n", [1, 7, 30, 300, 1000])
@grid("digits", [0, 1, 2])
def test_possible_counts_are_those_that_print_so(n, digits):
    counts = np.arange(n + 1)
    for places in range(0, 100 * 10**digits + 1, 7):
        printed = f"{places / 10**digits:.{digits}f}%"
        # In whole numbers: 100 k / n is within half a unit of what is printed.
        near = counts[abs(2 * (100 * 10**digits * counts - places * n)) <= n]
        assert list(possible_counts(printed, n)) == near.tolist()


@grid(
    ("printed", "n", "counts"),
    [
        ("0.913", 1000, [913]),
        ("91.3", 1000, [913]),
        ("91.30", 1000, [913]),
        ("91.37", 300, []),
        (" 50 % ", 2, [1]),
        ("1", 3, [2, 3]),
        ("1.0", 3, [3]),
        ("100", 3, [3]),
        (".5", 4, [2]),
        ("5.", 100, [5]),
    ],
)
def test_printed_as_a_share_or_in_per_cent(printed, n, counts):
    assert list(possible_counts(printed, n)) == counts


# --------------------------------------------------------------------------------------
# Groups by CR2
# --------------------------------------------------------------------------------------


def cr2_by_matrices(scores, members):
    """The variance and the degrees of freedom as Bell and McCaffrey write them, matrix
    by matrix.
    """
    n = len(scores)
    X = np.ones((n, 1))
    bread = np.linalg.inv(X.T @ X)
    residual = np.eye(n) - X @ bread @ X.T
    meat, contrasts = np.zeros((1, 1)), []
    for group in np.unique(members):
        rows = members == group
        values, vectors = np.linalg.eigh(residual[np.ix_(rows, rows)])
        adjust = vectors @ np.diag(values**-0.5) @ vectors.T
        part = X[rows].T @ adjust @ (residual @ scores)[rows]
        meat += np.outer(part, part)
        contrasts.append(residual[:, rows] @ adjust @ X[rows] @ bread)
    inner = np.hstack(contrasts)
    values = np.linalg.eigvalsh(inner.T @ inner)
    return (bread @ meat @ bread).item(), values.sum() ** 2 / (values**2).sum()


@grid("sizes", [range(1, 11), [4] * 6, [30, 2, 2, 2, 2, 2, 20, 20], [1] * 12])
def test_the_interval_of_groups_is_cr2_with_its_own_degrees_of_freedom(sizes):
    members = np.repeat(np.arange(len(sizes)), sizes)
    scores = np.random.default_rng(3).normal(size=members.size) + members % 3
    variance, df = cr2_by_matrices(scores, members)
    found = group_interval(scores, members, confidence_level=0.9)
    half = stats.t.isf(0.05, df) * math.sqrt(variance)
    assert [*found] == pytest.approx(
        [scores.mean() - half, scores.mean() + half], rel=1e-9
    )
    assert found.effective_groups == pytest.approx(
        members.size**2 / sum(s**2 for s in sizes)
    )


@grid(
    ("sizes", "got"),
    [([5] * 4, "4 that count as 4.0"), ([90, 2, 2, 2, 2, 2], "6 that count as 1.2")],
)
def test_groups_too_few_or_too_unequal_are_refused(sizes, got):
    members = np.repeat(np.arange(len(sizes)), sizes)
    scores = np.random.default_rng(0).random(members.size)
    with pytest.raises(ValueError, match=f"^groups must be at least 5.* got {got}"):
        group_interval(scores, members)
    with pytest.raises(
        ValueError, match="^groups must hold at least 10 effective groups"
    ):
        group_interval(scores, members, np.median)
    assert group_interval(scores, members, method="percentile", rng=0).width > 0


# --------------------------------------------------------------------------------------
# Pairs by id
# --------------------------------------------------------------------------------------


def test_pairs_are_joined_by_id_whatever_their_order():
    ids = [f"q{i}" for i in range(25)]
    expected = difference_interval(SKEWED, OTHER, paired=True)
    shuffled = RNG.permutation(25)
    found = difference_interval(
        list(SKEWED),
        OTHER[shuffled],
        paired=True,
        ids=(ids, [ids[i] for i in shuffled]),
    )
    assert found == expected
    with pytest.raises(ValueError, match="ids must be left out"):
        difference_interval(SKEWED, OTHER, paired=False, ids=(ids, ids))


@grid(
    ("ids_b", "message"),
    [
        (
            ["a", "b", "b", "b"],
            (
                "ids of scores_b must name each item once, but 1 of 2 come more than"
                " once: 'b'"
            ),
        ),
        (
            ["a", "b", "c", "x"],
            r"1 of 4 are only in the first \('d'\), 1 of 4 only in the second \('x'\)",
        ),
        (
            [1, 2, 3, 4],
            (
                r"4 of 4 are only in the first \('a', 'b', 'c', ...\), 4 of 4 .* \(1,"
                r" 2, 3, ...\)"
            ),
        ),
        (["a", "b", "c"], "one id for each item of scores_b"),
    ],
)
def test_duplicates_and_strangers_are_refused_with_examples(ids_b, message):
    with pytest.raises(ValueError, match=message):
        difference_interval(
            [1, 2, 3, 4], [1, 3, 2, 5], paired=True, ids=(list("abcd"), ids_b)
        )


# --------------------------------------------------------------------------------------
# Order in time
# --------------------------------------------------------------------------------------


def autoregression(rng, n, rho):
    """Values each of which is rho times the one before, and chance; variance 1."""
    chance = rng.normal(size=n)
    chance[1:] *= (1 - rho**2) ** 0.5
    return signal.lfilter([1], [1, -rho], chance)


def test_a_correlation_time_by_hand():
    values = np.array([3.0, 1, 2, 5, 4, 6, 9, 7, 8, 8, 6, 7, 3, 4])
    around = values - values.mean()
    rho = [around[k:] @ around[: 14 - k] / (around @ around) for k in range(14)]
    total, k = 0.0, 0
    last = math.inf
    while k < 14 and (pair := rho[k] + rho[k + 1]) > 0:
        last = min(last, pair)
        total, k = total + last, k + 2
    first = rho[1] + (1 + 3 * rho[1]) / 14
    assert 2 < k < 12
    expected = max(2 * total - 1, (1 + first) / (1 - first))
    assert correlation_time(values) == pytest.approx(expected)


@grid(("rho", "time"), [(0.0, 1), (0.5, 3), (0.9, 19), (-0.5, 1)])
def test_a_correlation_time_is_that_of_an_autoregression(rho, time):
    values = autoregression(np.random.default_rng(1), 200_000, rho)
    assert correlation_time(values) == pytest.approx(time, rel=0.1)


def test_blocks_follow_each_other_and_are_as_long_as_each_other():
    rng = np.random.default_rng(2)
    for n in (40, 61, 500):
        blocks = time_blocks(rng.normal(size=n))
        assert (np.diff(blocks) >= 0).all()
        assert np.ptp(np.bincount(blocks)) <= 1
        assert 8 <= blocks.max() + 1 <= 12
    values = rng.normal(size=1000)
    assert time_blocks(values, n_blocks=40).max() == 39
    assert (time_blocks(values + 5) == time_blocks(values)).all()
    dated = pd.Series(values, pd.date_range("2026-01-01", periods=1000))
    assert (time_blocks(dated) == time_blocks(values)).all()


KINDS_OVER_TIME = {
    "right and wrong": lambda rng, n: rng.integers(2, size=n),
    "nearly all right": lambda rng, n: np.r_[0, rng.random(n - 1) < 0.97],
    "paired": lambda rng, n: rng.choice([-1, 0, 1], p=[0.05, 0.85, 0.1], size=n),
    "ratings": lambda rng, n: rng.integers(1, 6, size=n),
    "counts": lambda rng, n: rng.poisson(2, size=n),
    "losses": lambda rng, n: rng.lognormal(size=n),
    "rounded": lambda rng, n: rng.normal(0.8, 0.05, size=n).round(2),
}


@grid("kind", KINDS_OVER_TIME)
def test_what_is_independent_is_nearly_always_answered(kind):
    rng, answered = np.random.default_rng(3), 0
    for _ in range(200):
        try:
            blocks = time_blocks(KINDS_OVER_TIME[kind](rng, 40))
        except ValueError:
            continue
        answered += blocks.size == 40
    assert answered >= 188
    values = KINDS_OVER_TIME[kind](rng, 200)
    found = group_interval(values, time_blocks(values))
    assert found.low < values.mean() < found.high


@grid(
    ("values", "words"),
    [
        (np.linspace(0, 3, 300), "or more, got 300: each is like those around it"),
        (autoregression(np.random.default_rng(4), 100, 0.95), "a trend does the same"),
        (np.full(60, 0.1) + 0.2 - 0.3, "must vary, got"),
        (np.ones(60), r"must vary, got 1 60 times"),
    ],
)
def test_a_window_that_is_too_short_is_refused_in_words(values, words):
    with pytest.raises(ValueError, match=f"^differences .*{words}"):
        time_blocks(values)


def test_a_window_is_answered_from_eight_blocks_of_three_and_a_half_times_on():
    rng, outcomes = np.random.default_rng(6), set()
    for n in rng.integers(100, 900, size=60):
        values = autoregression(rng, n, 0.85)
        time = correlation_time(values)
        answered = time <= 2.5 or n >= 8 * 3.5 * time
        outcomes.add(answered)
        if answered:
            n_blocks = min(12, max(8, int(n / (3.5 * time))))
            assert time_blocks(values).max() + 1 == n_blocks
        else:
            with pytest.raises(ValueError, match="must reach over"):
                time_blocks(values)
    assert outcomes == {True, False}


@grid(("rho", "n"), [(0.0, 60), (0.5, 300), (0.9, 1000)])
def test_intervals_over_blocks_cover(rho, n):
    rng, held, answers = np.random.default_rng(5), 0, 0
    for _ in range(600):
        values = autoregression(rng, n, rho)
        try:
            blocks = time_blocks(values)
        except ValueError:
            continue
        answers += 1
        held += 0 in group_interval(values, blocks)
    assert answers > 500
    assert held / answers > 0.95 - 3.5 * (0.95 * 0.05 / answers) ** 0.5 - 0.01
