"""Tests of pairs against full enumeration, SciPy where it is exact, and formulas
written out.
"""

import dataclasses
import functools
import itertools
import math
import time
from fractions import Fraction
from itertools import accumulate, product

import mpmath
import numpy as np
import pandas as pd
import pytest
from grids import grid
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from evalkit import (
    agreement,
    compare_systems,
    contingency,
    corrected_t,
    holm,
    mcnemar,
    mcnemar_range,
    possible_counts,
    power,
    proportion_interval,
    sign_flip,
    wilcoxon,
)

ALTERNATIVES = ["two-sided", "less", "greater"]
every_alternative = grid("alternative", ALTERNATIVES)
every_form = grid("method", ["exact", "mid-p", "chi2", "chi2-corrected"])
every_zero_method = grid("zero_method", ["wilcox", "pratt", "zsplit"])

RNG = np.random.default_rng(2020)
A, B = RNG.normal(size=(2, 20))

# --------------------------------------------------------------------------------------
# The contingency table
# --------------------------------------------------------------------------------------

TRUTH = ["a", "b", "b", "c", "a", "a", "c"]
SAYS_A = ["a", "b", "b", "a", "b", "a", "c"]
SAYS_B = ["a", "a", "c", "a", "a", "c", "c"]


def test_contingency_counts_each_cell():
    table = contingency(TRUTH, SAYS_A, SAYS_B)
    # Both right: items 0 and 6. A alone: 1, 2 and 5. B alone: 4. Neither: 3.
    assert tuple(table) == (2, 3, 1, 1)
    assert (table.n11, table.n10, table.n01, table.n00) == (2, 3, 1, 1)


@given(st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=1, max_size=40))
def test_contingency_adds_up(items):
    truth, a, b = map(np.array, zip(*items, strict=True))
    table = contingency(truth, a, b)
    assert sum(table) == len(truth)
    assert table.n11 + table.n10 == np.sum(a == truth)
    assert table.n11 + table.n01 == np.sum(b == truth)
    assert table.difference == pytest.approx(
        np.mean(a == truth) - np.mean(b == truth), abs=1e-15
    )


@given(
    items=st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=1, max_size=20),
    names=st.permutations("xyz"),
    data=st.data(),
)
def test_contingency_knows_neither_names_nor_order(items, names, data):
    renamed = [
        [names[label] for label in item] for item in data.draw(st.permutations(items))
    ]
    assert contingency(*zip(*renamed, strict=True)) == contingency(
        *zip(*items, strict=True)
    )


def test_exchanging_the_models_exchanges_the_off_diagonal():
    forth, back = contingency(TRUTH, SAYS_A, SAYS_B), contingency(TRUTH, SAYS_B, SAYS_A)
    assert (forth.n10, forth.n01) == (back.n01, back.n10)
    assert forth.difference == -back.difference == pytest.approx(2 / 7)


def test_contingency_prints_right_captions():
    rows = str(contingency(TRUTH, SAYS_A, SAYS_B)).splitlines()
    assert [row.split() for row in rows] == [
        ["B", "right", "B", "wrong"],
        ["A", "right", "2", "3"],
        ["A", "wrong", "1", "1"],
    ]
    assert len({len(row) for row in rows}) == 1
    large = str(
        contingency(np.zeros(10**6, int), np.zeros(10**6, int), np.ones(10**6, int))
    ).splitlines()
    assert len({len(row) for row in large}) == 1
    assert "1,000,000" in large[1]


@grid(
    "convert",
    [np.array, pd.Series, pd.Categorical, tuple, lambda v: np.array(v, object)],
)
def test_labels_come_in_any_container(convert):
    assert contingency(convert(TRUTH), convert(SAYS_A), SAYS_B) == contingency(
        TRUTH, SAYS_A, SAYS_B
    )


def test_booleans_are_numbers():
    assert tuple(contingency([True, False], [1, 1], [1.0, 0.0])) == (1, 0, 1, 0)


def test_predictions_in_float32_are_those_in_float64():
    truth, a, b = ([0.7, 0.1, 0.3], [0.7, 0.1, 0.3], [0.7, 0.3, 0.3])
    assert contingency(truth, np.float32(a), b) == contingency(truth, a, b)


@grid(
    ("one", "other"),
    [
        ([2**63 + 1, -1, 3], [2**63 + 2, -1, 3]),  # no type of 64 bits holds a column
        (np.uint64([2**53 + 1, 1, 3]), np.int64([2**53, 1, 3])),
        ([2**53 + 1, 1, 3], [2.0**53, 1, 3]),
    ],
)
def test_large_whole_numbers_are_equal_to_themselves_alone(one, other):
    assert tuple(contingency(one, other, one)) == (2, 0, 1, 0)
    assert agreement(one, other).share == pytest.approx(2 / 3)


@grid(("truth", "said"), [(["007", "008"], ["7", "8"]), (["pos", "neg"], ["1", "0"])])
def test_labels_without_one_in_common_are_refused(truth, said):
    message = "^predictions_b and y_true must have a label in common.*'{}'.*'{}'"
    with pytest.raises(ValueError, match=message.format(said[0], truth[0])):
        contingency(truth, truth, said)
    # What the error says to give; and one label throughout may be wrong throughout.
    assert tuple(contingency([True] * 2, [True] * 2, [False] * 2)) == (0, 2, 0, 0)
    assert tuple(contingency(truth, truth, [truth[0] + "x"] * 2)) == (0, 2, 0, 0)


# --------------------------------------------------------------------------------------
# McNemar
# --------------------------------------------------------------------------------------

COUNTS = [(0, 1), (1, 0), (1, 1), (0, 5), (3, 9), (15, 5), (6, 7), (40, 60), (220, 180)]
counts = grid(("n10", "n01"), COUNTS)


def coin(k, n):
    return Fraction(math.comb(n, k), 2**n)


def coin_pvalue(n10, n01, alternative, weight):
    """The p-value in exact fractions; what was seen counts with a weight."""
    n = n10 + n01
    greater = sum(coin(k, n) for k in range(n10 + 1, n + 1)) + weight * coin(n10, n)
    less = sum(coin(k, n) for k in range(n10)) + weight * coin(n10, n)
    both = min(1, 2 * min(greater, less))
    # Fagerland, Lydersen and Laake (2013): the middle, half of it.
    if weight != 1 and n10 == n01 > 0:
        both = 1 - coin(n10, n) / 2
    return {"greater": greater, "less": less, "two-sided": both}[alternative]


coin_forms = grid(("method", "weight"), [("exact", 1), ("mid-p", Fraction(1, 2))])


@grid(("n10", "n01"), [*COUNTS, (0, 0), (3, 3), (1000, 1000)])
@every_alternative
@coin_forms
def test_mcnemar_is_a_coin_in_exact_fractions(n10, n01, alternative, method, weight):
    found = mcnemar(n10, n01, method=method, alternative=alternative)
    assert found.pvalue == pytest.approx(
        float(coin_pvalue(n10, n01, alternative, weight)), rel=1e-12
    )
    assert found.statistic == (min(n10, n01) if alternative == "two-sided" else n10)


@counts
@every_alternative
def test_exact_mcnemar_is_the_binomial_test_of_scipy(n10, n01, alternative):
    expected = stats.binomtest(n10, n10 + n01, alternative=alternative).pvalue
    assert mcnemar(n10, n01, alternative=alternative).pvalue == pytest.approx(
        expected, rel=1e-11
    )


@counts
@grid(("method", "correction"), [("chi2", 0), ("chi2-corrected", 1)])
def test_chi2_is_its_formula(n10, n01, method, correction):
    found = mcnemar(n10, n01, method=method)
    statistic = max(abs(n10 - n01) - correction, 0) ** 2 / (n10 + n01)
    assert found.statistic == pytest.approx(statistic, rel=1e-12, abs=0)
    assert found.pvalue == pytest.approx(stats.chi2.sf(statistic, 1), rel=1e-10)


@counts
@grid(("method", "correction"), [("chi2", 0), ("chi2-corrected", 1)])
def test_one_sided_chi2_is_the_normal_tail_of_the_count(n10, n01, method, correction):
    n = n10 + n01
    below = stats.norm.cdf((n10 + correction / 2 - n / 2) / (math.sqrt(n) / 2))
    above = stats.norm.sf((n10 - correction / 2 - n / 2) / (math.sqrt(n) / 2))
    assert mcnemar(n10, n01, method=method, alternative="less").pvalue == pytest.approx(
        below, rel=1e-10
    )
    assert mcnemar(
        n10, n01, method=method, alternative="greater"
    ).pvalue == pytest.approx(above, rel=1e-10)


@every_form
@grid("count", [0, 1, 2, 3, 500, 1000, 500_000])
def test_equal_counts_say_nothing(method, count):
    found = mcnemar(count, count, method=method)
    if method == "mid-p" and count:
        assert 0.74 < found.pvalue < 1  # 1 - f / 2, and f is at most a half
    else:
        assert found.pvalue == 1
    if method.startswith("chi2"):
        assert found.statistic == 0
    if method in ("mid-p", "chi2"):  # these count what was seen half, or not at all
        assert mcnemar(
            count, count, method=method, alternative="less"
        ).pvalue == pytest.approx(1 / 2)


@every_form
@given(n=st.integers(1, 60), data=st.data())
def test_more_wins_are_more_evidence(method, n, data):
    fewer, more = sorted(
        data.draw(st.lists(st.integers(0, n), min_size=2, max_size=2, unique=True))
    )
    weak, strong = (
        mcnemar(k, n - k, method=method, alternative="greater").pvalue
        for k in (fewer, more)
    )
    assert strong < weak


@every_form
@grid(("n10", "n01"), COUNTS)
def test_exchanging_the_models_exchanges_the_sides(method, n10, n01):
    for alternative, mirrored in zip(
        ALTERNATIVES, ["two-sided", "greater", "less"], strict=True
    ):
        forth = mcnemar(n10, n01, method=method, alternative=alternative)
        back = mcnemar(n01, n10, method=method, alternative=mirrored)
        assert forth.pvalue == back.pvalue


@grid("method", ["exact", "mid-p"])
def test_the_forms_agree_with_a_million_pairs(method):
    for n10, n01 in [(501_000, 499_000), (500_100, 499_900), (505_000, 495_000)]:
        approximate = mcnemar(n10, n01, method="chi2").pvalue
        assert mcnemar(n10, n01, method=method).pvalue == pytest.approx(
            approximate, rel=2e-2
        )
    expected = stats.binomtest(499_000, 1_000_000).pvalue
    assert mcnemar(499_000, 501_000).pvalue == pytest.approx(expected, rel=1e-9)


@functools.cache
def coin_to_50_digits(k, n):
    """P(fewer than k heads in n throws) and P(k heads), by a sum from the largest term
    down.
    """
    log_ways = (
        mpmath.loggamma(n + 1) - mpmath.loggamma(k + 1) - mpmath.loggamma(n - k + 1)
    )
    seen = mpmath.exp(log_ways - n * mpmath.log(2))
    below, term = mpmath.mpf(0), seen
    while k and term > mpmath.eps * below:
        term *= mpmath.mpf(k) / (n - k + 1)  # C(n, k - 1) / C(n, k)
        below, k = below + term, k - 1
    return below, seen


# The last: 1e-197.
@grid("n10", [500_000, 499_999, 499_000, 490_000, 485_000])
@every_alternative
@coin_forms
def test_a_million_pairs_to_50_digits(n10, alternative, method, weight):
    with mpmath.workdps(50):
        below, seen = coin_to_50_digits(n10, 10**6)
        weight = mpmath.mpf(weight.numerator) / weight.denominator
        less, greater = below + weight * seen, 1 - below - (1 - weight) * seen
        two_sided = min(mpmath.mpf(1), 2 * min(less, greater))
        if weight != 1 and 2 * n10 == 10**6:
            two_sided = 1 - seen / 2
        truth = {"less": less, "greater": greater, "two-sided": two_sided}[alternative]
    found = mcnemar(n10, 10**6 - n10, method=method, alternative=alternative)
    assert found.pvalue == pytest.approx(float(truth), rel=1e-11)


@every_form
@every_alternative
def test_mcnemar_never_says_impossible(method, alternative):
    for n10, n01 in [(10**6, 0), (0, 10**6), (2**53, 0), (0, 0)]:
        assert 0 < mcnemar(n10, n01, method=method, alternative=alternative).pvalue <= 1


def test_mid_p_lies_between_and_exact_never_rejects_too_often():
    for n in range(1, 60):
        chances = stats.binom.pmf(range(n + 1), n, 0.5)
        exact, mid = (
            np.array([mcnemar(k, n - k, method=method).pvalue for k in range(n + 1)])
            for method in ("exact", "mid-p")
        )
        assert np.all(mid <= exact + 1e-15)
        assert chances[exact <= 0.05].sum() <= 0.05


# --------------------------------------------------------------------------------------
# Wilcoxon
# --------------------------------------------------------------------------------------


def enumerate_signs(differences, zero_method, alternative):
    """The signed-rank test by every way to flip the signs, in whole numbers."""
    differences = np.asarray(differences)
    if zero_method == "wilcox":
        differences = differences[differences != 0]
    ranks = stats.rankdata(np.abs(differences))
    zero = differences == 0
    constant = ranks[zero].sum() / 2 if zero_method == "zsplit" else 0
    ranks, signs = ranks[~zero], np.sign(differences[~zero])
    seen = ranks[signs > 0].sum() + constant
    sums = np.array(
        [
            np.dot(ranks, flips) + constant
            for flips in product([0, 1], repeat=ranks.size)
        ]
    )
    greater, less = np.mean(sums >= seen), np.mean(sums <= seen)
    total = ranks.sum() + 2 * constant
    pvalue = {
        "greater": greater,
        "less": less,
        "two-sided": min(1, 2 * min(greater, less)),
    }[alternative]
    return (min(seen, total - seen) if alternative == "two-sided" else seen), pvalue


@every_zero_method
@every_alternative
@given(differences=st.lists(st.integers(-4, 4), min_size=1, max_size=9))
def test_exact_is_the_enumeration_with_ties_and_zeros(
    zero_method, alternative, differences
):
    found = wilcoxon(
        differences,
        np.zeros(len(differences)),
        method="exact",
        zero_method=zero_method,
        alternative=alternative,
    )
    statistic, pvalue = enumerate_signs(differences, zero_method, alternative)
    assert found.statistic == statistic
    assert found.pvalue == pytest.approx(pvalue, rel=1e-13)
    assert found.n_zero == differences.count(0)


@every_zero_method
@every_alternative
def test_exact_is_the_enumeration_of_twelve(zero_method, alternative):
    differences = [3, -1, 0, 2, 2, -2, 0, 5, 1, -1, 4, 2]
    found = wilcoxon(
        differences, [0] * 12, zero_method=zero_method, alternative=alternative
    )
    statistic, pvalue = enumerate_signs(differences, zero_method, alternative)
    assert tuple(found) == (statistic, pytest.approx(pvalue, rel=1e-13))


@every_zero_method
@grid("chances", [[0.2, 0.2, 0.2, 0.2, 0.2], [0.05, 0.1, 0.1, 0.3, 0.45]])
def test_exact_of_a_thousand_pairs_is_a_sum_of_whole_numbers(zero_method, chances):
    # Two sizes of difference have two ranks, so the flips to each rank sum are a
    # product of two counts.
    differences = np.random.default_rng(9).choice([-2, -1, 0, 1, 2], 1000, p=chances)
    zeros, ones, twos = np.bincount(np.abs(differences)).tolist()
    before = 0 if zero_method == "wilcox" else 2 * zeros
    # Midranks, doubled.
    rank_1, rank_2 = (
        before + ones + 1,
        before + 2 * ones + twos + 1,
    )
    seen = int(rank_1 * np.sum(differences == 1) + rank_2 * np.sum(differences == 2))
    within = [0, *accumulate(math.comb(ones, a) for a in range(ones + 1))]

    def flips_to(most):
        """Count the ways to flip the signs to a rank sum of at most so much."""
        room = ((most - rank_2 * b) // rank_1 + 1 for b in range(twos + 1))
        return sum(
            math.comb(twos, b) * within[min(max(0, a), ones + 1)]
            for b, a in enumerate(room)
        )

    total = 2 ** (ones + twos)
    ways = {"less": flips_to(seen), "greater": total - flips_to(seen - 1)}
    ways["two-sided"] = min(total, 2 * min(ways.values()))
    for alternative in ALTERNATIVES:
        found = wilcoxon(
            differences,
            np.zeros(1000),
            zero_method=zero_method,
            alternative=alternative,
        )
        assert "exact" in found.test
        assert found.pvalue == pytest.approx(
            float(Fraction(ways[alternative], total)), rel=1e-12
        )


@every_zero_method
@grid("n", [2, 3, 1000])
@grid("pattern", [[1], [-1], [1, -1], [1, 0, -1], [2, -1, 0]])
def test_pvalues_stay_probabilities_up_to_a_thousand_pairs(zero_method, n, pattern):
    differences, zeros = np.resize(pattern, n), np.zeros(n)
    less, greater, both = (
        wilcoxon(differences, zeros, zero_method=zero_method, alternative=side).pvalue
        for side in ("less", "greater", "two-sided")
    )
    assert min(less, greater) > 0
    assert max(less, greater) <= 1
    assert both == pytest.approx(min(1, 2 * min(less, greater)), rel=1e-12)
    assert less + greater >= 1 - 1e-12  # both count what was seen


@every_zero_method
@every_alternative
def test_exact_is_the_permutation_test_of_scipy(zero_method, alternative):
    differences = np.array([3, -1, 0, 2, 2, -2, 0, 5, 1, -1.0])
    expected = stats.wilcoxon(
        differences,
        zero_method=zero_method,
        alternative=alternative,
        method=stats.PermutationMethod(n_resamples=math.inf),
    )
    found = wilcoxon(
        differences, np.zeros(10), zero_method=zero_method, alternative=alternative
    )
    assert tuple(found) == (
        expected.statistic,
        pytest.approx(expected.pvalue, rel=1e-12),
    )


@every_alternative
@grid("n", [1, 2, 5, 20, 50, 300, 1000])
def test_exact_is_that_of_scipy_without_ties(n, alternative):
    a, b = np.random.default_rng(n).normal(0.1, 1, (2, n))
    expected = stats.wilcoxon(a, b, method="exact", alternative=alternative)
    found = wilcoxon(a, b, alternative=alternative)
    assert tuple(found) == (
        expected.statistic,
        pytest.approx(expected.pvalue, rel=1e-9),
    )
    assert "exact" in found.test


@every_zero_method
@every_alternative
def test_approx_is_that_of_scipy(zero_method, alternative):
    a, b = RNG.integers(0, 10, (2, 60))
    expected = stats.wilcoxon(
        a, b, method="asymptotic", zero_method=zero_method, alternative=alternative
    )
    found = wilcoxon(
        a, b, method="approx", zero_method=zero_method, alternative=alternative
    )
    assert tuple(found) == pytest.approx(
        (expected.statistic, expected.pvalue), rel=1e-12
    )
    assert found.n_zero == np.sum(a == b) > 0


def test_auto_is_exact_to_a_thousand_pairs():
    a, b = RNG.integers(0, 30, (2, 1001))
    assert "(exact)" in wilcoxon(a[:1000], b[:1000]).test
    assert "(approx)" in wilcoxon(a, b).test
    assert wilcoxon(a, b).pvalue == wilcoxon(a, b, method="approx").pvalue
    assert wilcoxon(a[:1000], b[:1000]).pvalue == pytest.approx(
        wilcoxon(a[:1000], b[:1000], method="approx").pvalue, rel=0.02
    )


@grid("n", [1, 5, 60, 1000])
def test_the_smallest_pvalue_keeps_its_digits(n):
    found = wilcoxon(np.arange(1, n + 1), np.zeros(n))
    assert found.pvalue == min(1, math.ldexp(2, -n))
    assert wilcoxon(
        np.arange(1, n + 1), np.zeros(n), alternative="greater"
    ).pvalue == math.ldexp(1, -n)
    assert wilcoxon(np.arange(1, n + 1), np.zeros(n), alternative="less").pvalue == 1


def test_small_tails_count_in_whole_numbers():
    # With ranks 1..n, sums of at most 6 come from 14 sets (partitions into distinct
    # parts of 0..6).
    n = 200
    differences = np.arange(1.0, n + 1)
    differences[5] *= -1  # the rank 6
    assert wilcoxon(
        differences, np.zeros(n), alternative="greater"
    ).pvalue == math.ldexp(14, -n)


def test_beyond_the_floats_it_is_still_not_zero():
    assert wilcoxon(np.arange(1, 1301), np.zeros(1300), method="exact").pvalue > 0
    assert wilcoxon(np.arange(1, 10_001), np.zeros(10_000)).pvalue > 0


@grid("method", ["auto", "exact", "approx"])
@every_zero_method
@every_alternative
@grid("n", [1, 7, 1000])
def test_equal_scores_give_one(method, zero_method, alternative, n):
    found = wilcoxon(
        [0.3] * n,
        [0.3] * n,
        method=method,
        zero_method=zero_method,
        alternative=alternative,
    )
    assert (found.pvalue, found.n_zero) == (1, n)


@every_alternative
@grid("method", ["exact", "approx"])
@given(scores=st.lists(st.tuples(*[st.integers(0, 5)] * 2), min_size=1, max_size=12))
def test_pvalues_are_probabilities_and_sides_mirror(method, alternative, scores):
    a, b = zip(*scores, strict=True)
    mirrored = {"less": "greater", "greater": "less"}.get(alternative, alternative)
    forth, back = (
        wilcoxon(a, b, method=method, alternative=alternative),
        wilcoxon(b, a, method=method, alternative=mirrored),
    )
    assert 0 < forth.pvalue <= 1
    assert forth.pvalue == pytest.approx(back.pvalue, rel=1e-12)


@given(scores=st.lists(st.tuples(*[st.integers(0, 100)] * 2), min_size=1, max_size=12))
def test_hundredths_tie_as_whole_numbers_do(scores):
    # 0.8 - 0.7 and 0.9 - 0.8 differ in the last bit; a reader sees 0.1 twice.
    whole = wilcoxon(*zip(*scores, strict=True))
    hundredths = wilcoxon(
        *([s / 100 for s in side] for side in zip(*scores, strict=True))
    )
    shifted = wilcoxon(
        *([s / 100 + 5 for s in side] for side in zip(*scores, strict=True))
    )
    assert whole == hundredths == shifted


def test_rounding_is_forgiven_and_differences_are_not():
    assert wilcoxon([0.8, 0.9], [0.7, 0.8]).statistic == 0
    assert wilcoxon([0.3], [0.1 + 0.2]).n_zero == 1
    assert wilcoxon([0.3], [0.3 + 1e-12]).n_zero == 0
    assert (
        wilcoxon([1e300, 0.5, 0.5], [0.0, 0.4, 0.2], alternative="greater").statistic
        == 6
    )
    # The ranks 1 and 2, and not 1.5 twice: 1e-9 more is more.
    assert wilcoxon([0.1, 0.0], [0.0, 0.1 + 1e-9], alternative="greater").statistic == 1


def test_pratt_and_zsplit_have_one_exact_pvalue():
    a, b = np.random.default_rng(3).integers(0, 4, (2, 40))
    pratt, zsplit, wilcox = (
        wilcoxon(a, b, zero_method=z) for z in ("pratt", "zsplit", "wilcox")
    )
    assert pratt.pvalue == zsplit.pvalue != wilcox.pvalue
    assert pratt.statistic < zsplit.statistic


@pytest.mark.slow
def test_wilcoxon_is_fast():
    a, b = np.random.default_rng(0).integers(0, 50, (2, 1000)) / 50

    def best_of(n):
        times = []
        for _ in range(5):
            start = time.process_time()
            wilcoxon(a[:n], b[:n])
            times.append(time.process_time() - start)
        return min(times)

    assert best_of(200) < 0.01
    assert best_of(1000) < 1


# --------------------------------------------------------------------------------------
# Sign flips
# --------------------------------------------------------------------------------------


@every_alternative
def test_few_pairs_are_enumerated(alternative):
    a, b = A[:9], B[:9]
    means = np.array([np.mean((a - b) * signs) for signs in product([1, -1], repeat=9)])
    seen = np.mean(a - b)
    greater, less = np.mean(means >= seen - 1e-12), np.mean(means <= seen + 1e-12)
    expected = {
        "greater": greater,
        "less": less,
        "two-sided": min(1, 2 * min(greater, less)),
    }[alternative]
    found = sign_flip(a, b, alternative=alternative)
    assert tuple(found) == pytest.approx((seen, expected), rel=1e-12)
    assert "(exact)" in found.test


def test_many_pairs_are_drawn_and_repeat_with_their_seed():
    first, again, other = (
        sign_flip(A, B, n_resamples=199, rng=seed) for seed in (7, 7, 8)
    )
    assert first == again != other
    assert "(random)" in first.test
    assert sign_flip(A + 5, B, n_resamples=199, rng=0).pvalue == pytest.approx(2 / 200)


TYPES = grid("kind", [np.float64, np.float32])

# Scores as people report them: rounded to one to four digits, and so full of ties.
rounded_pairs = st.integers(1, 4).flatmap(
    lambda digits: st.tuples(
        st.just(10**digits),
        st.lists(
            st.integers(10**digits // 2, 10**digits).flatmap(
                lambda one: st.tuples(
                    st.just(one), st.integers(max(0, one - 4), one + 4)
                )
            ),
            min_size=2,
            max_size=9,
        ),
    )
)


def in_type(pairs, unit, kind):
    return (
        np.divide(column, unit, dtype=float).astype(kind)
        for column in zip(*pairs, strict=True)
    )


def share_of_flips(differences, alternative):
    """The exact p-value in whole numbers: every sign, one by one."""
    seen = sum(differences)
    flipped = np.array(list(product((1, -1), repeat=len(differences)))) @ differences
    greater, less = (
        Fraction(int(side.sum()), len(flipped))
        for side in (flipped >= seen, flipped <= seen)
    )
    return {
        "greater": greater,
        "less": less,
        "two-sided": min(1, 2 * min(greater, less)),
    }[alternative]


def test_sign_flip_does_not_lose_ties_to_the_rounding_of_means():
    a, b = [857, 856, 858, 860, 934, 903], [857, 857, 857, 859, 933, 902]
    for scores_a, scores_b in (
        (a, b),
        np.divide((a, b), 1000),
        np.float32(np.divide((a, b), 1000)),
    ):
        assert sign_flip(scores_a, scores_b, alternative="greater").pvalue == 0.1875


@TYPES
@every_alternative
@given(rounded=rounded_pairs)
def test_sign_flip_is_right_for_rounded_scores(kind, alternative, rounded):
    unit, pairs = rounded
    a, b = in_type(pairs, unit, kind)
    truth = float(share_of_flips([i - j for i, j in pairs], alternative))
    assert sign_flip(a, b, alternative=alternative).pvalue == truth
    assert (
        sign_flip(a, b, statistic=lambda x: np.sum(x), alternative=alternative).pvalue
        == truth
    )
    assert sign_flip(a, b, statistic=np.sum, alternative=alternative).pvalue == truth


@TYPES
@every_alternative
@given(rounded=rounded_pairs)
def test_wilcoxon_is_right_for_rounded_scores(kind, alternative, rounded):
    unit, pairs = rounded
    differences = [i - j for i, j in pairs if i != j]
    ranks = 2 * stats.rankdata(np.abs(differences)) if differences else []
    signed = [
        int(rank) * (1 if d > 0 else -1)
        for rank, d in zip(ranks, differences, strict=True)
    ]
    truth = float(share_of_flips(signed, alternative)) if signed else 1
    a, b = in_type(pairs, unit, kind)
    found = wilcoxon(a, b, alternative=alternative)
    assert (found.pvalue, found.n_zero) == (
        pytest.approx(truth, rel=1e-12),
        len(pairs) - len(differences),
    )


@TYPES
@given(rounded=rounded_pairs)
def test_differences_that_are_all_the_same_are_no_evidence(kind, rounded):
    unit, pairs = rounded
    a, b = in_type([(i + 3, i) for i, _ in pairs], unit, kind)
    with pytest.raises(ValueError, match="must vary .* but the differences do not"):
        corrected_t(a, b, n_train=9, n_test=1)


@TYPES
@given(
    cells=st.lists(
        st.lists(st.integers(840, 860), min_size=4, max_size=4), min_size=2, max_size=7
    ),
)
def test_systems_are_ranked_as_whole_numbers_are(kind, cells):
    whole, reported = np.array(cells), np.divide(cells, 1000, dtype=float).astype(kind)
    found = compare_systems(reported)
    assert np.array_equal(
        found.mean_ranks, np.mean([stats.rankdata(-row) for row in whole], axis=0)
    )
    for row in found.pairs.itertuples():
        one, other = (whole[:, int(name.split()[1])] for name in (row.a, row.b))
        assert (row.wins, row.loses) == (np.sum(one > other), np.sum(one < other))
        assert row.pvalue == wilcoxon(one, other).pvalue


def test_half_precision_is_refused():
    with pytest.raises(ValueError, match="half precision"):
        wilcoxon(np.float16([0.5, 0.6]), [0.4, 0.5])


def test_more_than_can_be_done_is_refused_with_a_way_on():
    many = np.zeros(300_001)
    with pytest.raises(ValueError, match="t_interval"):
        sign_flip(many, many)
    with pytest.raises(ValueError, match="approx"):
        wilcoxon(many, many, method="exact")
    with pytest.raises(ValueError, match="control="):
        compare_systems(np.zeros((2, 1000)))


def test_sign_flip_agrees_with_the_t_test_on_normal_scores():
    a, b = np.random.default_rng(5).normal(0.15, 1, (2, 300))
    assert sign_flip(a, b, rng=0).pvalue == pytest.approx(
        stats.ttest_rel(a, b).pvalue, abs=0.02
    )


@grid("statistic", [np.median, lambda sample: float(np.sort(sample)[1])])
def test_any_statistic_is_exchanged_within_pairs(statistic):
    a, b = A[:5], B[:5]
    seen, flipped = statistic(a) - statistic(b), []
    for swap in product([False, True], repeat=5):
        flipped.append(
            statistic(np.where(swap, b, a)) - statistic(np.where(swap, a, b))
        )
    found = sign_flip(a, b, statistic=statistic)
    greater, less = (
        np.mean(sign * (np.array(flipped) - seen) >= -1e-12) for sign in (1, -1)
    )
    assert found.pvalue == pytest.approx(min(1, 2 * min(greater, less)))


def test_equal_pairs_give_one():
    assert sign_flip([0.1, 0.3, 0.5], [0.1, 0.3, 0.5]).pvalue == 1
    assert sign_flip([0.3, 0.5], [0.1 + 0.2, 0.5]).statistic == 0


# --------------------------------------------------------------------------------------
# Several splits of one data set
# --------------------------------------------------------------------------------------


@every_alternative
def test_corrected_t_is_its_formula(alternative):
    d = A - B
    t = d.mean() / math.sqrt((1 / 20 + 10 / 90) * d.var(ddof=1))
    expected = {
        "two-sided": 2 * stats.t.sf(abs(t), 19),
        "greater": stats.t.sf(t, 19),
        "less": stats.t.cdf(t, 19),
    }
    found = corrected_t(A, B, n_train=90, n_test=10, alternative=alternative)
    assert tuple(found) == pytest.approx((t, expected[alternative]), rel=1e-12)
    assert found.df == 19


def test_without_overlap_it_is_the_paired_t_test():
    found = corrected_t(A, B, n_train=2**53, n_test=1)
    expected = stats.ttest_rel(A, B)
    assert tuple(found) == pytest.approx(
        (expected.statistic, expected.pvalue), rel=1e-9
    )
    assert abs(corrected_t(A, B, n_train=9, n_test=1).statistic) < abs(found.statistic)


# --------------------------------------------------------------------------------------
# What all tests of pairs have in common
# --------------------------------------------------------------------------------------

PAIRED = {
    **{
        zero: functools.partial(wilcoxon, zero_method=zero)
        for zero in ("wilcox", "pratt", "zsplit")
    },
    "approx": functools.partial(wilcoxon, method="approx"),
    "sign flips": sign_flip,
    # Exact, not rounded.
    "corrected t": functools.partial(corrected_t, n_train=90, n_test=10, decimals=9),
}
every_paired = grid("test", PAIRED.values())
# Whole numbers, which no addition rounds.
some_pairs = st.lists(st.tuples(*[st.integers(-5, 5)] * 2), min_size=2, max_size=6)


def has_evidence(test, pairs):
    """Whether a test takes these pairs: without scatter of the differences Student's t
    has nothing to say.
    """
    return test is not PAIRED["corrected t"] or len({a - b for a, b in pairs}) > 1


@every_paired
@every_alternative
@settings(max_examples=20)
@given(pairs=some_pairs, data=st.data())
def test_only_differences_count_whatever_their_order_and_unit(
    test, alternative, pairs, data
):
    assume(has_evidence(test, pairs))
    a, b = np.array(pairs, float).T
    order = data.draw(st.permutations(range(len(pairs))))
    hard = np.array(
        data.draw(
            st.lists(st.integers(-9, 9), min_size=len(pairs), max_size=len(pairs))
        )
    )
    expected = test(a, b, alternative=alternative).pvalue
    found = test(
        8 * (a + hard)[order], 8 * (b + hard)[order], alternative=alternative
    ).pvalue
    assert found == pytest.approx(expected, rel=1e-12)


@every_paired
@settings(max_examples=20)
@given(pairs=some_pairs)
def test_exchanged_systems_exchange_the_sides(test, pairs):
    assume(has_evidence(test, pairs))
    a, b = np.array(pairs, float).T
    for alternative, mirrored in zip(
        ALTERNATIVES, ["two-sided", "greater", "less"], strict=True
    ):
        expected = test(b, a, alternative=mirrored).pvalue
        assert test(a, b, alternative=alternative).pvalue == pytest.approx(
            expected, rel=1e-12
        )


# A rank test that drops zeros need not.
@grid("name", ["sign flips", "corrected t"])
@settings(max_examples=20)
@given(pairs=some_pairs)
def test_a_better_system_has_more_evidence(name, pairs):
    assume(has_evidence(PAIRED[name], pairs))
    a, b = np.array(pairs, float).T
    worse, better = (
        PAIRED[name](a + more, b, alternative="greater").pvalue for more in (0, 1)
    )
    assert better <= worse + 1e-12


@given(
    pairs=some_pairs,
    sizes=st.lists(st.integers(1, 200), min_size=2, max_size=2, unique=True),
)
def test_more_overlap_is_less_evidence(pairs, sizes):
    assume(has_evidence(PAIRED["corrected t"], pairs))
    a, b = np.array(pairs, float).T
    small, large = (
        corrected_t(a, b, n_train=100, n_test=n, decimals=9).pvalue
        for n in sorted(sizes)
    )
    assert small < large or small == large == 1


# --------------------------------------------------------------------------------------
# Many comparisons, several data sets
# --------------------------------------------------------------------------------------

pvalue_lists = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def test_results_stand_for_what_is_taken_of_them():
    table = contingency(TRUTH, SAYS_A, SAYS_B)
    found = mcnemar(table, method="chi2"), sign_flip(A, B, rng=0)
    assert found[0] == mcnemar(table.n10, table.n01, method="chi2")
    assert [*holm(found)] == [*holm([one.pvalue for one in found])]


def test_holm_by_hand():
    # Sorted: 0.005 * 4, 0.01 * 3, 0.03 * 2, 0.04 * 1; the last must not fall below the
    # one before.
    assert holm([0.01, 0.04, 0.03, 0.005]).tolist() == pytest.approx(
        [0.03, 0.06, 0.06, 0.02]
    )
    assert holm([0.2]).tolist() == [0.2]
    assert holm([0.6, 0.7]).tolist() == [1, 1]


@given(pvalue_lists)
def test_holm_rejects_as_the_step_down_rule_says(pvalues):
    for alpha in (0.01, 0.05, 0.2):
        rejected = set()
        for step, i in enumerate(sorted(range(len(pvalues)), key=lambda i: pvalues[i])):
            if pvalues[i] * (len(pvalues) - step) > alpha:
                break
            rejected.add(i)
        assert set(np.flatnonzero(holm(pvalues) <= alpha)) == rejected


@given(pvalues=pvalue_lists, data=st.data())
def test_holm_never_falls_where_a_pvalue_rises(pvalues, data):
    i = data.draw(st.integers(0, len(pvalues) - 1))
    raised = [*pvalues[:i], data.draw(st.floats(pvalues[i], 1)), *pvalues[i + 1 :]]
    assert np.all(holm(raised) >= holm(pvalues))


@given(pvalue_lists)
def test_holm_lies_between_the_pvalues_and_bonferroni(pvalues):
    adjusted = holm(pvalues)
    assert np.all(adjusted >= pvalues)
    assert np.all(adjusted <= np.minimum(1, np.array(pvalues) * len(pvalues)) + 1e-15)
    assert np.all(np.diff(adjusted[np.argsort(pvalues, kind="stable")]) >= 0)


TABLE = pd.DataFrame(
    RNG.normal([0, 0.5, 1, 2], size=(9, 4)), columns=["w", "x", "y", "z"]
)


def test_compare_systems_is_its_parts():
    found = compare_systems(TABLE)
    friedman = stats.friedmanchisquare(*TABLE.to_numpy().T)
    assert found.friedman.statistic == pytest.approx(friedman.statistic, rel=1e-12)
    assert found.friedman.df == 3
    assert found.mean_ranks.equals(TABLE.rank(axis=1, ascending=False).mean())
    assert len(found.pairs) == 6
    for row in found.pairs.itertuples():
        a, b = TABLE[row.a], TABLE[row.b]
        assert row.difference == pytest.approx((a - b).mean())
        assert (row.wins, row.loses) == ((a > b).sum(), (a < b).sum())
        assert row.pvalue == wilcoxon(a, b).pvalue
    assert found.pairs.adjusted.tolist() == holm(found.pairs.pvalue).tolist()


def test_friedman_is_exact_by_all_orders_and_says_where_it_is_not():
    rng = np.random.default_rng(0)
    for k, n in ((3, 2), (3, 4), (4, 3)):
        table = rng.integers(0, 4, size=(n, k)) / 4
        ranks = np.array([stats.rankdata(-row) for row in table])
        spread = [
            np.var(np.sum(orders, axis=0))
            for orders in itertools.product(*map(itertools.permutations, ranks))
        ]
        seen = np.var(ranks.sum(axis=0))
        found = compare_systems(table).friedman
        assert found.pvalue == pytest.approx(np.mean(np.array(spread) >= seen - 1e-9))
        assert found.test == "Friedman (exact)"
    many = compare_systems(rng.random((300, 3))).friedman
    assert many.test == "Friedman (chi-squared)"
    assert [many.pvalue] == pytest.approx([stats.chi2.sf(many.statistic, 2)])


def test_compare_systems_takes_arrays_ties_and_rounding():
    found = compare_systems([[0.3, 0.1 + 0.2, 0.1], [0.5, 0.5, 0.2]])
    assert found.mean_ranks.tolist() == [1.5, 1.5, 3]
    assert found.mean_ranks.index.tolist() == ["system 0", "system 1", "system 2"]
    equal = compare_systems(np.ones((4, 3)))
    assert tuple(equal.friedman) == (0, 1)
    assert equal.pairs.adjusted.tolist() == [1, 1, 1]


def test_the_order_of_rows_does_not_matter_and_that_of_columns_only_renames():
    assert str(compare_systems(TABLE)) == str(compare_systems(TABLE[::-1]))
    turned = compare_systems(TABLE[["z", "y", "x", "w"]])
    assert turned.friedman.pvalue == pytest.approx(
        compare_systems(TABLE).friedman.pvalue
    )
    assert turned.mean_ranks.to_dict() == compare_systems(TABLE).mean_ranks.to_dict()


@settings(max_examples=20)
@given(
    scores=st.lists(
        st.lists(st.integers(0, 5), min_size=3, max_size=3), min_size=2, max_size=7
    ),
    data=st.data(),
)
def test_a_hard_data_set_changes_no_comparison(scores, data):
    scores = np.array(scores, float)
    n, k = scores.shape
    hard = np.array(data.draw(st.lists(st.integers(-9, 9), min_size=n, max_size=n)))[
        :, None
    ]
    order = data.draw(st.permutations(range(k)))
    found, turned = (
        compare_systems(scores),
        compare_systems((4 * (scores + hard))[:, order]),
    )
    assert tuple(turned.friedman) == pytest.approx(tuple(found.friedman), rel=1e-9)
    assert turned.mean_ranks.tolist() == found.mean_ranks.iloc[order].tolist()
    for pair in turned.pairs.itertuples():
        i, j = (order[int(name.split()[1])] for name in (pair.a, pair.b))
        sign, columns = (1, ["wins", "loses"]) if i < j else (-1, ["loses", "wins"])
        same = found.pairs.set_index(["a", "b"]).loc[
            (f"system {min(i, j)}", f"system {max(i, j)}")
        ]
        assert (pair.wins, pair.loses, pair.pvalue) == (*same[columns], same.pvalue)
        assert pair.difference == pytest.approx(4 * sign * same.difference)


# --------------------------------------------------------------------------------------
# Power
# --------------------------------------------------------------------------------------


def handing_out(pvalues):
    remaining = iter(pvalues)
    return lambda rng: next(remaining)


def test_power_counts_rejections():
    found = power(lambda p: p, handing_out([0.01, 0.05, 0.06, 1, 0]), n_simulations=5)
    assert (found.rate, found.n_simulations, found.alpha) == (3 / 5, 5, 0.05)
    assert found.interval == proportion_interval(3, 5)
    strict = power(
        lambda p: p, handing_out([0.01, 0.05, 0.06, 1, 0]), n_simulations=5, alpha=0.005
    )
    assert strict.rate == 1 / 5


def test_power_repeats_with_its_seed_and_takes_results():
    def draw(rng):
        return rng.normal(0.5, 1, (2, 10)) * [[1], [0]]

    first, again, other = (
        power(lambda s: wilcoxon(*s), draw, n_simulations=200, rng=seed)
        for seed in (7, 7, 8)
    )
    assert first == again != other


def test_power_of_mcnemar_is_a_binomial_sum():
    chances = stats.binom.pmf(range(31), 30, 0.7)
    truth = sum(c for k, c in enumerate(chances) if mcnemar(k, 30 - k).pvalue <= 0.05)
    found = power(
        lambda k: mcnemar(k, 30 - k),
        lambda rng: int(rng.binomial(30, 0.7)),
        n_simulations=2000,
        rng=0,
    )
    assert truth in found.interval


@grid("bad", [math.nan, -0.1, 1.5, [0.1, 0.2]])
def test_power_refuses_what_is_no_pvalue(bad):
    with pytest.raises(ValueError, match=r"^procedure"):
        power(lambda p: bad, lambda rng: 0, n_simulations=3)


# --------------------------------------------------------------------------------------
# What comes back
# --------------------------------------------------------------------------------------

RESULTS = [
    (mcnemar(15, 5), "McNemar (exact), two-sided: statistic 5, p = 0.0414"),
    (
        wilcoxon([1, 2, 3], [1, 0, 0], alternative="greater"),
        "Wilcoxon signed-rank (exact), greater: statistic 3, p = 0.25, 1 equal",
    ),
    (
        power(lambda p: p, handing_out([0, 1, 1, 1]), n_simulations=4),
        (
            "25.0\xa0% of 4 simulations reject at 0.05 (95\xa0% interval 0.6\xa0% to"
            " 80.6\xa0%)"
        ),
    ),
]


@grid(("result", "text"), RESULTS)
def test_results_print_well(result, text):
    assert str(result) == text


@grid(
    "result",
    [
        *(result for result, _ in RESULTS),
        compare_systems(TABLE),
        contingency([1], [1], [0]),
    ],
)
def test_results_are_frozen(result):
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(result, dataclasses.fields(result)[0].name, 0)


def test_a_comparison_prints_every_pair():
    text = str(compare_systems(TABLE))
    # A test of many systems has no sides.
    assert text.startswith("9 data sets; Friedman (exact): statistic ")
    assert compare_systems(TABLE).friedman.alternative is None
    assert (
        str(compare_systems(np.ones((3, 3))).friedman)
        == "Friedman (exact): statistic 0, p = 1, df = 2"
    )
    assert text.index("z 1.") < text.index("w ")
    assert len(text.splitlines()) == 2 + 1 + 6


# --------------------------------------------------------------------------------------
# What is rounding, and what is not
# --------------------------------------------------------------------------------------


def test_a_score_that_stands_on_a_threshold_is_no_rounding():
    a = np.array([0.6, 0.6, 1.0, 0.6, 0.7, 0.6, 0.6, 0.6])
    b = np.array([0.4, 0, 0.3, 0.1, 0.6, 0, 0.6, 0.6])
    assert sign_flip(a, b, statistic=lambda v: (v >= 0.6).mean()).pvalue == 0.0625


def test_ties_of_a_statistic_that_cancels_are_ties():
    a, b = (
        [100.03, 100.02, 100.02, 100.01, 100.01],
        [
            100.0,
            99.99,
            100.05,
            100.03,
            100.04,
        ],
    )
    assert sign_flip(a, b, statistic=np.std).pvalue == 0.125


def test_one_run_that_diverged_on_both_sides_blurs_no_other_pair():
    a, b = [0.8, 0.7, 0.9], [0.7, 0.8, 0.6]
    for giants in ((1e20, 1e20), (1e20, 1e20 * (1 + 2e-15))):
        found = corrected_t([giants[0], *a], [giants[1], *b], n_train=90, n_test=10)
        assert found.pvalue == pytest.approx(
            corrected_t([0, *a], [0, *b], n_train=90, n_test=10).pvalue
        )


def test_float32_is_seen_among_objects_and_in_mixed_lists():
    one, other = (
        np.float32([0.74, 0.25, 0.06, 0.2, 0.54]),
        np.float32([0.75, 0.26, 0.05, 0.19, 0.53]),
    )
    expected = wilcoxon(one, other).pvalue
    # Which keep their type.
    among_objects = (np.array(list(scores), dtype=object) for scores in (one, other))
    assert wilcoxon(*among_objects).pvalue == expected
    assert wilcoxon([*one[:4], float(one[4])], [*other]).pvalue == expected


# --------------------------------------------------------------------------------------
# Joined by id
# --------------------------------------------------------------------------------------

IDS = [f"q{i}" for i in range(len(A))]
ORDER = RNG.permutation(len(A))


@grid("test", [wilcoxon, functools.partial(sign_flip, rng=0)])
def test_pairs_are_joined_by_id(test):
    joined = test(A, B[ORDER], ids=(IDS, [IDS[i] for i in ORDER]))
    assert joined == test(A, B)
    assert joined != test(A, B[ORDER])


def test_predictions_are_joined_by_id():
    rng = np.random.default_rng(1)
    truth, a, b = rng.integers(3, size=(3, 300))
    ids, moved = np.arange(300), rng.permutation(300)
    expected = contingency(truth, a, b)
    assert contingency(truth, a, b[moved], ids=(ids, ids, ids[moved])) == expected
    assert contingency(truth[moved], a, b, ids=(moved, ids, ids)) == expected
    assert contingency(truth, a, b[moved]) != expected


def test_files_that_do_not_match_are_refused():
    with pytest.raises(
        ValueError,
        match=r"ids of predictions_b must name each item once.*: 2\. Average",
    ):
        contingency([0, 1], [0, 1], [1, 1], ids=([1, 2], [1, 2], [2, 2]))
    with pytest.raises(
        ValueError,
        match=r"predictions_a must be the same: 1 of 2 are only in the first \(1\)",
    ):
        contingency([0, 1], [0, 1], [1, 1], ids=([1, 2], [3, 2], [1, 2]))


# --------------------------------------------------------------------------------------
# What two accuracies leave possible
# --------------------------------------------------------------------------------------


@every_form
@grid("n", [1, 2, 5, 8])
def test_a_range_of_p_holds_every_table_and_no_more(n, method):
    tables = [(i, j) for i in range(n + 1) for j in range(n + 1 - i)]
    pvalues = {table: mcnemar(*table, method=method).pvalue for table in tables}
    for given_a, given_b in product([*range(n + 1), "50", "0.3", "66", "1"], repeat=2):
        counts = [
            [g] if isinstance(g, int) else possible_counts(g, n)
            for g in (given_a, given_b)
        ]
        if not all(counts):
            continue
        allowed = {
            (n10, n01): p
            for (n10, n01), p in pvalues.items()
            for a, b in product(*counts)
            if n10 - n01 == a - b and n10 <= min(a, n - b) and n01 <= min(b, n - a)
        }
        found = mcnemar_range(given_a, given_b, n, method=method)
        assert (found.low, found.high) == pytest.approx(
            (min(allowed.values()), max(allowed.values()))
        )
        assert (pvalues[found.counts_low], pvalues[found.counts_high]) == tuple(found)


def test_a_range_of_p_of_many_items_is_at_once():
    low, high = mcnemar_range("91.3", "91.2", 2**40)
    # Whatever so coarse a rounding leaves open.
    assert (low, high) == (
        pytest.approx(0),
        1,
    )
    assert [*mcnemar_range(913, 908, 1000)] == pytest.approx([0.0625, 0.765], abs=5e-4)


@grid("mean", [0.913, np.float64(91.3), 912.5])
def test_a_mean_over_runs_is_no_count(mean):
    with pytest.raises(TypeError, match="mean over runs is no count"):
        mcnemar_range(mean, 900, 1000)
    with pytest.raises(ValueError, match="is it a mean over runs"):
        mcnemar_range("91.37", "90", 300)


# --------------------------------------------------------------------------------------
# Systems on data sets: a control, a direction, gaps, a table on its side
# --------------------------------------------------------------------------------------


def test_a_control_is_compared_with_each_other_and_adjusted_for_those_alone():
    found, all_pairs = compare_systems(TABLE, control="y"), compare_systems(TABLE)
    assert list(zip(found.pairs.a, found.pairs.b, strict=True)) == [
        ("y", "w"),
        ("y", "x"),
        ("y", "z"),
    ]
    assert found.friedman == all_pairs.friedman
    for row in found.pairs.itertuples():
        assert row.pvalue == wilcoxon(TABLE.y, TABLE[row.b]).pvalue
        assert row.difference == pytest.approx((TABLE.y - TABLE[row.b]).mean())
    assert found.pairs.adjusted.tolist() == holm(found.pairs.pvalue).tolist()
    # Six systems on six data sets: all pairs could show nothing, a control could.
    better = np.array([0.9, 0.1, 0.2, 0.3, 0.4, 0.5]) + np.arange(7)[:, None]
    assert compare_systems(better).pairs.adjusted.min() > 0.2
    assert compare_systems(better, control="system 0").pairs.adjusted.max() < 0.1


def test_a_direction_turns_the_order_over():
    higher, lower = compare_systems(TABLE), compare_systems(-TABLE, direction="lower")
    assert str(higher) == str(lower)
    mixed = TABLE.copy()
    mixed.iloc[::2] *= -1
    ways = ["lower" if i % 2 == 0 else "higher" for i in range(len(TABLE))]
    assert str(compare_systems(mixed, direction=ways)) == str(higher)


def test_a_gap_is_refused_or_its_data_set_left_out():
    gap = TABLE.set_index(pd.Index([f"set {i}" for i in range(9)], name="data set"))
    whole = compare_systems(gap.drop(index="set 4"))
    gap.loc["set 4", "x"] = np.nan
    with pytest.raises(
        ValueError, match="but 1 of 36 are; the first is that of x on set 4"
    ):
        compare_systems(gap)
    found = compare_systems(gap, missing="drop")
    assert (found.n_datasets, found.dropped) == (8, ("set 4",))
    assert str(found).startswith("8 data sets, without set 4; Friedman")
    assert found.pairs.equals(whole.pairs)
    assert found.mean_ranks.equals(whole.mean_ranks)
    turned = compare_systems(-gap, missing="drop", direction=["lower"] * 9)
    assert turned.pairs.equals(whole.pairs)
    with pytest.raises(
        ValueError, match="two data sets or more without a missing cell, got 1"
    ):
        compare_systems([[1, 2, 3], [math.nan, 2, 3]], missing="drop")


def test_a_table_on_its_side_is_noticed():
    hard = pd.DataFrame(
        np.random.default_rng(0).normal([0.5, 0.9, 0.7, 0.2, 0.6], 0.02, (4, 5)),
        index=list("abcd"),
    )
    hard.columns = [f"task {i}" for i in range(5)]
    with pytest.warns(
        UserWarning, match="columns of scores differ far more than its rows"
    ):
        compare_systems(hard)
    compare_systems(hard.T)
    compare_systems(hard.rename_axis(index="data set"))  # whoever names them knows
    compare_systems(hard, control="task 0")
    with pytest.raises(ValueError, match=r"one of its rows: give scores\.T"):
        compare_systems(hard, control="a")
