"""Tests of pairs against full enumeration, SciPy where it is exact, and formulas
written out.
"""

import functools
import itertools
import math
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest
from grids import grid
from hypothesis import given
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
    spending_bounds,
    wilcoxon,
)
from evalkit.results import Contingency

every_alternative = grid("alternative", ["two-sided", "less", "greater"])
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
    assert (table.n11, table.n10, table.n01, table.n00) == tuple(table) == (2, 3, 1, 1)
    assert table.difference == pytest.approx(2 / 7)


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


def test_contingency_prints_right_captions():
    rows = str(contingency(TRUTH, SAYS_A, SAYS_B)).splitlines()
    assert [row.split() for row in rows] == [
        ["B", "right", "B", "wrong"],
        ["A", "right", "2", "3"],
        ["A", "wrong", "1", "1"],
    ]
    large = str(Contingency(10**6, 0, 0, 0)).splitlines()
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


@grid(("n10", "n01"), [*COUNTS, (0, 0), (1000, 1000), (1300, 700), (0, 1000)])
@every_alternative
@grid(("method", "weight"), [("exact", 1), ("mid-p", Fraction(1, 2))])
def test_mcnemar_is_a_coin_in_exact_fractions(n10, n01, alternative, method, weight):
    found = mcnemar(n10, n01, method=method, alternative=alternative)
    assert found.pvalue == pytest.approx(
        float(coin_pvalue(n10, n01, alternative, weight)), rel=1e-12
    )
    assert found.statistic == (min(n10, n01) if alternative == "two-sided" else n10)


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
def test_without_a_disagreement_p_is_one(method):
    assert tuple(mcnemar(0, 0, method=method)) == (0, 1)


@every_form
@every_alternative
def test_mcnemar_never_says_impossible(method, alternative):
    for n10, n01 in [(10**6, 0), (0, 10**6), (2**53, 0), (0, 0)]:
        assert 0 < mcnemar(n10, n01, method=method, alternative=alternative).pvalue <= 1


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


@every_alternative
@grid("n", [1, 5, 50, 1000])
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


@grid("n", [1, 5, 60, 1000])
def test_the_smallest_pvalue_keeps_its_digits(n):
    found = wilcoxon(np.arange(1, n + 1), np.zeros(n))
    assert found.pvalue == min(1, math.ldexp(2, -n))
    assert wilcoxon(
        np.arange(1, n + 1), np.zeros(n), alternative="greater"
    ).pvalue == math.ldexp(1, -n)
    assert wilcoxon(np.arange(1, n + 1), np.zeros(n), alternative="less").pvalue == 1


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


# --------------------------------------------------------------------------------------
# Sign flips
# --------------------------------------------------------------------------------------


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


# --------------------------------------------------------------------------------------
# Many comparisons, several data sets
# --------------------------------------------------------------------------------------


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


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_rejects_as_the_step_down_rule_says(pvalues):
    for alpha in (0.01, 0.05, 0.2):
        rejected = set()
        for step, i in enumerate(sorted(range(len(pvalues)), key=lambda i: pvalues[i])):
            if pvalues[i] * (len(pvalues) - step) > alpha:
                break
            rejected.add(i)
        assert set(np.flatnonzero(holm(pvalues) <= alpha)) == rejected


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


def test_power_of_mcnemar_is_a_binomial_sum_and_repeats_with_its_seed():
    chances = stats.binom.pmf(range(31), 30, 0.7)
    truth = sum(c for k, c in enumerate(chances) if mcnemar(k, 30 - k).pvalue <= 0.05)
    found, again, other = (
        power(
            lambda k: mcnemar(k, 30 - k),
            lambda rng: int(rng.binomial(30, 0.7)),
            n_simulations=1000,
            rng=seed,
        )
        for seed in (0, 0, 1)
    )
    assert truth in found.interval
    assert found == again != other


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


def test_a_range_of_p_of_a_million_million_items():
    low, high = mcnemar_range("91.3", "91.2", 2**40)
    # Whatever so coarse a rounding leaves open.
    assert (low, high) == (
        pytest.approx(0),
        1,
    )


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
    with pytest.warns(UserWarning, match="name the axes"):  # as a pivot has it
        compare_systems(hard.rename_axis(index="system", columns="dataset"))
    compare_systems(hard.T)
    compare_systems(hard.rename_axis(index="data set"))  # as the warning says
    compare_systems(hard.rename_axis(columns="system"))
    compare_systems(hard, control="task 0")
    with pytest.raises(ValueError, match=r"one of its rows: give scores\.T"):
        compare_systems(hard, control="a")


# --------------------------------------------------------------------------------------
# Looking early
# --------------------------------------------------------------------------------------

FIFTHS = np.arange(1, 6) / 5


@grid(
    ("spending", "published"),
    [
        ("obrien-fleming", [4.877, 3.357, 2.680, 2.290, 2.031]),
        ("pocock", [2.438, 2.427, 2.410, 2.397, 2.386]),
    ],
)
def test_bounds_are_those_of_the_tables(spending, published):
    found = spending_bounds(FIFTHS, spending=spending)
    assert found.z.round(3).tolist() == published
    assert found.pvalue == pytest.approx(2 * stats.norm.sf(found.z))
    assert found.spent[-1] == pytest.approx(0.05)


@grid("spending", ["obrien-fleming", "pocock"])
@grid("fractions", [[0.3, 1.0], [0.1, 0.15, 0.8], [0.5, 0.501, 1.0]])
def test_by_each_look_as_much_is_used_as_was_to_be_spent(spending, fractions):
    """By the multivariate normal distribution of the sums at the looks."""
    level = 0.9
    found = spending_bounds(fractions, spending=spending, confidence_level=level)
    covariance = np.minimum.outer(fractions, fractions)
    for look in range(1, len(fractions) + 1):
        ends = (found.z * np.sqrt(fractions))[:look]
        joint = stats.multivariate_normal(
            np.zeros(look), covariance[:look, :look], abseps=1e-8, releps=1e-8, seed=0
        )
        inside = joint.cdf(ends, lower_limit=-ends)
        assert 1 - inside == pytest.approx(found.spent[look - 1], abs=2e-6)


def test_one_look_is_the_ordinary_test_and_a_part_is_a_part():
    assert spending_bounds([1]).z == pytest.approx(stats.norm.isf(0.025))
    whole, part = spending_bounds(FIFTHS), spending_bounds(FIFTHS[:3])
    assert part.z == pytest.approx(whole.z[:3], abs=1e-9)
    assert part.spent[-1] < 0.02


def test_a_look_that_has_nothing_to_spend_does_not_stop():
    found = spending_bounds([0.001, 1])
    assert found.z[0] == math.inf
    assert found.z[1] == pytest.approx(stats.norm.isf(0.025))
    assert str(found).splitlines()[1:] == [
        "at 0.1\xa0%: no stop",
        "at 100\xa0%: stop if |z| >= 1.960, p <= 0.05",
    ]


def test_all_looks_together_err_as_often_as_one():
    rng = np.random.default_rng(20261130)
    fractions = np.array([0.13, 0.4, 0.47, 0.9, 1.0])
    steps = np.sqrt(np.diff(fractions, prepend=0)) * rng.normal(size=(40_000, 5))
    z = np.abs(steps.cumsum(axis=1)) / np.sqrt(fractions)
    for spending in ("obrien-fleming", "pocock"):
        found = spending_bounds(fractions, spending=spending)
        so_far = np.logical_or.accumulate(z >= found.z, axis=1).mean(axis=0)
        assert np.abs(so_far - found.spent).max() < 4 * (0.05 * 0.95 / 40_000) ** 0.5
