"""What does not vary shows nothing, and what varies by less than its last digit shows
little.
"""

import functools
import math

import numpy as np
import pytest
from scipy import stats

from evalkit import (
    budget_difference,
    corrected_t,
    crossed_difference,
    difference_interval,
    equivalence,
    from_summary,
    mcnemar,
    sign_flip,
    t_interval,
    wilcoxon,
)
from evalkit.results import PairedProportions

DRAWN = {"n_resamples": 99, "rng": 0}


def rows(scores):
    return np.tile(scores, (3, 1))


# Every function that compares, for ten scores of each system.
PAIRED = {
    **{
        f"paired {method}": functools.partial(
            difference_interval, paired=True, method=method, **DRAWN
        )
        for method in ("t", "bca", "percentile", "basic")
    },
    "paired median": lambda a, b: difference_interval(
        a, b, np.median, paired=True, **DRAWN
    ),
    "items": crossed_difference,
    "grouped items": lambda a, b: crossed_difference(a, b, np.arange(10) // 2),
    "seeds x items": lambda a, b: crossed_difference(rows(a), rows(b)),
    "seeds x items in groups": lambda a, b: crossed_difference(
        rows(a), rows(b), np.arange(10) // 2
    ),
    "paired rows": lambda a, b: crossed_difference(rows(a), rows(b), rows="paired"),
    "answers": lambda a, b: crossed_difference(rows(a), rows(b), rows="answers"),
    "corrected t": lambda a, b: corrected_t(a, b, n_train=90, n_test=10),
    "equivalence": lambda a, b: equivalence(
        difference_interval(a, b, paired=True), 0.5
    ),
}
UNPAIRED = {
    **{
        f"unpaired {method}": functools.partial(
            difference_interval, paired=False, method=method, **DRAWN
        )
        for method in ("t", "bca", "percentile", "basic")
    },
    "unpaired median": lambda a, b: difference_interval(
        a, b, np.median, paired=False, **DRAWN
    ),
    "budget": lambda a, b: budget_difference([*a] * 3, None, [*b] * 3, None, 2),
    "unpaired equivalence": lambda a, b: equivalence(
        difference_interval(a, b, paired=False), 0.5
    ),
}
EVERY = PAIRED | UNPAIRED
NOT_VARYING = {
    "constants": (
        [0.91] * 10,
        [0.9] * 10,
        r"to 2 decimals.* is \+0.01, give or take 0.01,",
    ),
    "percent": ([91.0] * 10, [90.0] * 10, r"to 0 decimals.* is \+1, give or take 1,"),
    "equal": ([0.91] * 10, [0.91] * 10, r"to 2 decimals.* is \+0, give or take 0.01,"),
    "float noise": (
        [0.1 + 0.2, 0.3] * 5,
        [0.7] * 10,
        r"to 1 decimals.* is -0.4, give or take 0.1,",
    ),
    "float32": (np.float32([0.3] * 10), np.float32([0.7] * 10), r"is -0.4\b"),
}
# Scores that vary, and what they have in common does not: no evidence in pairs.
MIXED = np.array([0.8, 0.9, 0.7, 0.3, 0.1, 0.2, 0.8, 0.5, 0.3, 0.4])
SHIFTED = {
    "the same": (MIXED, MIXED, r"to 1 decimals.* is \+0, give or take 0.1,"),
    "shifted": (MIXED, MIXED - 0.1, r"to 1 decimals.* is \+0.1, give or take 0.1,"),
    "shifted float32": (
        MIXED.astype(np.float32),
        MIXED.astype(np.float32) - np.float32(0.1),
        r"is \+0.1\b",
    ),
}


@pytest.mark.parametrize(
    ("compare", "case"),
    [
        *((compare, case) for compare in PAIRED | UNPAIRED for case in NOT_VARYING),
        *((compare, case) for compare in PAIRED for case in SHIFTED),
    ],
)
def test_what_does_not_vary_is_no_evidence_and_the_error_gives_the_digits(
    compare, case
):
    a, b, words = (NOT_VARYING | SHIFTED)[case]
    with pytest.raises(
        ValueError, match=rf"must vary for an interval or a test .* do not.* {words}"
    ):
        (PAIRED | UNPAIRED)[compare](a, b)


@pytest.mark.parametrize("case", SHIFTED)
def test_unpaired_they_say_what_they_scatter(case):
    a, b, _ = SHIFTED[case]
    assert difference_interval(a, b, paired=False).width > 0.3


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("method", ["t", "bca", "percentile", "basic"])
def test_digits_that_are_said_not_to_count_do_not(paired, method):
    """What a program printed with three digits was measured with two."""
    a, b = [0.911, 0.909, 0.911] * 4, [0.902, 0.899, 0.898] * 4
    options = {"paired": paired, "method": method, **DRAWN}
    with pytest.raises(
        ValueError, match=r"as given to 2 decimals.* is \+0.01, give or take 0.01,"
    ):
        difference_interval(a, b, decimals=2, **options)
    assert difference_interval(a, b, **options).width > 0


def test_neither_do_those_of_splits_and_summaries():
    a, b = [0.911, 0.909, 0.911] * 4, [0.902, 0.899, 0.898] * 4
    with pytest.raises(ValueError, match="as given to 2 decimals"):
        corrected_t(a, b, n_train=90, n_test=10, decimals=2)
    assert corrected_t(a, b, n_train=90, n_test=10).pvalue < 0.01
    with pytest.raises(ValueError, match="as given to 2 decimals"):
        from_summary((0.911, 0.001, 5), (0.901, 0.002, 5), spread="sd", decimals=2)
    assert from_summary((0.911, 0.001, 5), (0.901, 0.002, 5), spread="sd").pvalue < 0.01


@pytest.mark.parametrize("spread", ["sd", "se"])
@pytest.mark.parametrize(
    ("a", "b", "shown"), [(0.913, 0.91, 0.003), (91.3, 91.2, 0.1), (91, 90, 1)]
)
def test_spreads_that_are_printed_as_0_are_no_evidence(a, b, shown, spread):
    words = (
        rf"the spreads of a and the spreads of b must vary .* is \+{shown}, give or"
        r" take"
    )
    with pytest.raises(ValueError, match=words):
        from_summary((a, 0, 5), (b, 0, 3), spread=spread)


# --------------------------------------------------------------------------------------
# What needs no scatter
# --------------------------------------------------------------------------------------

COUNTED = {
    name: PAIRED[name]
    for name in ("paired t", "items", "grouped items", "seeds x items", "answers")
}


@pytest.mark.parametrize("compare", COUNTED)
def test_right_and_wrong_answers_have_an_interval_without_scatter(compare):
    ones, zeros = np.ones(10), np.zeros(10)
    apart, alike = COUNTED[compare](ones, zeros), COUNTED[compare](ones, ones)
    items = 5 if compare == "grouped items" else 10
    assert isinstance(apart, PairedProportions)
    assert (apart.n10, apart.n01, apart.n_items, apart.high) == (items, 0, items, 1)
    assert apart.pvalue == pytest.approx(mcnemar(items, 0, method="chi2").pvalue)
    assert 0 < apart.low < 0.5
    assert (alike.difference, alike.pvalue, alike.high) == (0, 1, -alike.low)
    assert alike.high > 0.25
    assert not equivalence(alike, 0.1).equivalent


@pytest.mark.parametrize(
    "compare",
    ["unpaired t", "paired bca", "unpaired percentile", "corrected t"],
)
def test_scores_of_0_or_1_of_whole_runs_are_refused_as_others_are(compare):
    with pytest.raises(
        ValueError,
        match="must vary .* do not: .* difference is [+]1, and needs neither",
    ):
        (PAIRED | UNPAIRED)[compare](np.ones(10), np.zeros(10))


@pytest.mark.parametrize("method", ["exact", "mid-p", "chi2", "chi2-corrected"])
def test_without_a_difference_the_tests_of_signs_say_1(method):
    assert mcnemar(0, 0, method=method).pvalue == 1
    for test in (wilcoxon, sign_flip):
        assert test(MIXED, MIXED).pvalue == 1
        assert test([0.1 + 0.2] * 5, [0.3] * 5).pvalue == 1


def test_an_interval_of_equal_scores_says_that_it_saw_no_spread():
    assert [*t_interval([0.9] * 5)] == [0.9, 0.9]
    assert str(t_interval([0.9] * 5)) == "[0.9, 0.9] (95\xa0%, t; no spread was seen)"
    assert "spread" not in str(t_interval([0.9, 0.8]))


# --------------------------------------------------------------------------------------
# What rounding hides
# --------------------------------------------------------------------------------------


def of_t(difference, variance, df, level=0.95):
    half = stats.t.isf((1 - level) / 2, df) * math.sqrt(variance)
    return difference - half, difference + half


@pytest.mark.parametrize(
    ("a", "b", "leeway"),
    [
        # Both scatter by less than 0.005.
        (
            [0.91] * 5,
            [0.90, 0.90, 0.90, 0.90, 0.91],
            0.01,
        ),
        ([0.91] * 5, [0.90, 0.92, 0.90, 0.90, 0.91], 0.005),  # one does
        ([0.93, 0.91, 0.92], [0.90, 0.92, 0.93], 0.0),
        # Four digits are four for both.
        (
            [0.91, 0.92, 0.91],
            [0.9123, 0.9151, 0.9182],
            0.0,
        ),
        ([91, 91, 91, 91, 91], [90, 90, 90, 90, 91], 1.0),
    ],
)
def test_an_interval_is_longer_by_what_rounding_hides(a, b, leeway):
    found, exact = (
        difference_interval(a, b, paired=False, decimals=d) for d in (None, 9)
    )
    assert (found.rounding, exact.rounding) == pytest.approx((leeway, 0), abs=1e-8)
    parts = [np.var(scores, ddof=1) / len(scores) for scores in (a, b)]
    df = sum(parts) ** 2 / sum(
        part**2 / (len(scores) - 1) for part, scores in zip(parts, (a, b), strict=True)
    )
    assert [*exact] == pytest.approx(of_t(np.mean(a) - np.mean(b), sum(parts), df))
    assert [*found] == pytest.approx([exact.low - leeway, exact.high + leeway])
    assert ("decimals" in found.method) == (leeway > 0)
    beyond = max(abs(found.difference) - leeway, 0)
    assert found.pvalue == pytest.approx(2 * stats.t.sf(beyond / exact.se, exact.df))
    # Of equivalence both tests allow for it, and the interval agrees.
    within = equivalence(found, 2 * leeway + 0.03)
    assert [*within.interval] == pytest.approx(
        [
            end + sign * leeway
            for end, sign in zip(
                of_t(found.difference, exact.se**2, exact.df, 0.9), (-1, 1), strict=True
            )
        ]
    )
    assert within.equivalent == (within.pvalue <= 0.05)


def test_of_pairs_two_scores_are_rounded():
    a, b = (
        np.array([0.91, 0.83, 0.75, 0.89, 0.95]),
        np.array([0.90, 0.82, 0.74, 0.88, 0.93]),
    )
    found = difference_interval(a, b, paired=True)
    expected = of_t(0.012, (a - b).var(ddof=1) / 5, 4)
    assert found.rounding == pytest.approx(0.01)
    assert [*found] == pytest.approx([expected[0] - 0.01, expected[1] + 0.01])
    t = (0.012 - 0.01) / math.sqrt((1 / 5 + 1 / 9) * (a - b).var(ddof=1))
    of_splits = corrected_t(a, b, n_train=90, n_test=10)
    assert tuple(of_splits) == pytest.approx((t, 2 * stats.t.sf(t, 4)))
    assert "scores to 2 decimals" in of_splits.test


@pytest.mark.parametrize(
    ("a", "b"), [((91.3, 0, 5), (90.2, 0.2, 3)), ((91.3, 0.4, 9), (90.2, 0.2, 9))]
)
def test_printed_means_are_half_a_digit_off_and_a_spread_of_0_is_half_a_digit(a, b):
    found = from_summary(a, b, spread="sd")
    parts = [max(sd, 0.05) ** 2 / n for _, sd, n in (a, b)]
    df = sum(parts) ** 2 / sum(
        part**2 / (n - 1) for part, (_, _, n) in zip(parts, (a, b), strict=True)
    )
    low, high = of_t(1.1, sum(parts), df)
    assert (found.df, found.rounding) == pytest.approx((df, 0.1))
    assert [*found] == pytest.approx([low - 0.1, high + 0.1])
    assert "to 1 decimals" in found.method


# Means on a grid over one unit of the last digit, whose scores scatter by a 25th of it
# to one whole.
GAPS, PLACES = (0.0, 0.1, 0.25, 0.5, 1.0), np.arange(0, 1, 0.1)


def covered(n_runs, sd, gaps, places, n_samples, *, paired=False):
    """Of intervals for scores of two decimals: how many there are, and how many hold
    the true gap.
    """
    rng = np.random.default_rng(0)

    @functools.cache
    def interval(a, b):
        try:
            found = difference_interval(
                np.divide(a, 100), np.divide(b, 100), paired=paired
            )
        except ValueError:  # nothing varies
            return None
        return found.low - 1e-9, found.high + 1e-9

    counts = {}
    for gap in gaps:
        for place in places:
            runs = (
                87
                + place
                + sd * rng.normal(size=(n_samples, 2, n_runs))
                + [[gap], [0.0]]
            )
            if paired:  # what a pair shares, so that it is rounded here and there
                runs += rng.normal(0, 3, size=(n_samples, 1, n_runs))
            runs = np.rint(runs).astype(int)
            pairs = (runs if paired else np.sort(runs)).tolist()
            given = [ends for a, b in pairs if (ends := interval(tuple(a), tuple(b)))]
            counts[gap, place] = (
                len(given),
                sum(low <= gap / 100 <= high for low, high in given),
            )
    return counts


def rate(counts):
    given, held = np.sum([*counts], axis=0)
    return held / given if given else 1.0


@pytest.mark.parametrize("n_runs", [3, 5, 10])
def test_rounded_scores_have_intervals_that_hold(n_runs):
    given = {}
    for sd in (0.04, 0.2, 0.5, 1.0):
        counts = covered(n_runs, sd, (0.0, 0.1, 0.5, 1.0), PLACES[::2], 60).values()
        given[sd] = sum(n for n, _ in counts) / (60 * len(counts))
        assert rate(counts) >= 0.93, sd
    # Refused where all scores of both are the same; seldom where they scatter by a
    # digit.
    assert given[0.04] < 0.25
    assert given[1.0] > 0.97


@pytest.mark.slow
@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("n_runs", [3, 5, 10])
@pytest.mark.parametrize("sd", [0.04, 0.1, 0.2, 0.3, 0.5, 1.0])
def test_so_they_have_wherever_the_means_lie(n_runs, sd, paired):
    counts = covered(n_runs, sd, GAPS, PLACES, 200, paired=paired)
    assert rate(counts.values()) >= 0.93
    for design, (given, held) in counts.items():
        # At 99.9 %: chance alone takes one of some hundred designs below.
        assert (
            given < 50 or stats.binomtest(held, given).proportion_ci(0.999).high >= 0.95
        ), design


@pytest.mark.parametrize("spread", ["sd", "se"])
@pytest.mark.parametrize("n_runs", [3, 10, 30])
def test_printed_means_and_spreads_have_intervals_that_hold(n_runs, spread):
    """Many runs of small scatter: half a digit of each mean is more than its standard
    error.
    """
    rng, root = np.random.default_rng(0), 1 if spread == "sd" else math.sqrt(n_runs)
    for sd in (0.06, 0.1, 0.2):
        counts = []
        for means in 91 + rng.random((250, 2)):
            printed = []
            for runs in means[:, None] + root * sd * rng.normal(size=(2, n_runs)):
                printed.append(
                    (round(runs.mean(), 1), round(runs.std(ddof=1) / root, 1), n_runs)
                )
            if any(width for _, width, _ in printed):
                low, high = from_summary(*printed, spread=spread, decimals=1)
                counts.append((1, low <= means[0] - means[1] <= high))
        assert rate(counts) >= 0.93, sd


def test_the_digits_of_each_system_are_its_own():
    finer = [
        91.2603,
        91.2580,
        91.2611,
        91.2544,
        91.2597,
        91.2620,
        91.2575,
        91.2592,
        91.2608,
        91.2566,
    ]
    found = difference_interval([91.3] * 10, finer, paired=False)
    assert 0 in found
    assert found.rounding == pytest.approx(0.05)
    assert "1 decimals" in found.method
    stated = difference_interval([91.3] * 10, finer, paired=False, decimals=4)
    assert stated.rounding == pytest.approx(0.00005)
