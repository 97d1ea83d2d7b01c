"""Shares and ratios: differences of sums, and what a test set can show."""

import math

import numpy as np
import pytest
from grids import grid
from scipy import special, stats
from sklearn.metrics import f1_score

from evalkit import (
    crossed_difference,
    detectable_difference,
    equivalence,
    mcnemar,
    paired_proportion_interval,
    proportion_difference,
    ratio_difference,
)
from evalkit._score import separate_ends

approx = pytest.approx

# --------------------------------------------------------------------------------------
# Ratios of sums
# --------------------------------------------------------------------------------------


def spoken(rng, sizes, rate=0.15, apart=0.0, unlike=0.4):
    """Errors of two systems and words, of items in groups: longer in some groups,
    easier in others.
    """
    members = np.repeat(np.arange(len(sizes)), sizes)
    words = 1 + rng.poisson(rng.lognormal(2, 0.6, len(sizes))[members])
    hard, own = (
        rng.normal(0, unlike, len(sizes)),
        rng.normal(0, unlike / 2, (2, len(sizes))),
    )
    odds = np.log(rate / (1 - rate)) + (hard + own)[:, members] + [[apart], [0]]
    return *rng.binomial(words, 1 / (1 + np.exp(-odds))), words, members


ERRORS_A, ERRORS_B, WORDS, SPEAKERS = spoken(
    np.random.default_rng(0), [3, 12, 7, 20, 5, 9, 30, 4, 11]
)


def rate_of(errors, words, kept):
    return errors[kept].sum() / words[kept].sum()


def test_a_ratio_is_of_the_sums_and_not_a_mean_of_rates():
    """A short sentence with one error has the rate of a long one with ten."""
    words = np.array([2, 40] * 6)
    new, base = np.array([0, 6] * 5 + [1, 6]), np.array([1, 5] * 5 + [1, 4])
    found = ratio_difference(new, words, base, words, np.arange(12) // 2)
    assert found.difference == approx(
        new.sum() / words.sum() - base.sum() / words.sum()
    )
    assert found.difference > 0 > np.mean(new / words - base / words)
    assert str(found).endswith(
        f"(95\xa0%, ratios of sums over groups), p = {found.pvalue:.3g}"
    )


def test_with_one_speaker_left_out_after_the_other():
    """What a group's error is divided by: leaving it out moves the ratio by error / (1
    - share).
    """
    speakers = np.unique(SPEAKERS)
    found = ratio_difference(ERRORS_A, WORDS, ERRORS_B, WORDS, SPEAKERS)
    without = [
        rate_of(ERRORS_A, WORDS, s != SPEAKERS)
        - rate_of(ERRORS_B, WORDS, s != SPEAKERS)
        for s in speakers
    ]
    shares = np.array([WORDS[s == SPEAKERS].sum() for s in speakers]) / WORDS.sum()
    moves = np.array(without) - found.difference
    assert found.se**2 == approx(np.sum(moves**2 * (1 - shares)))
    assert found.effective_groups == approx(1 / np.sum(shares**2))
    # Satterthwaite's, of the quadratic form in groups whose variances are as their
    # words.
    move = (np.eye(shares.size) - shares[:, None]) * np.sqrt(shares)
    form = move.T @ np.diag(1 / (1 - shares)) @ move
    assert found.df == approx(np.trace(form) ** 2 / np.trace(form @ form))


def test_with_equal_denominators_it_is_the_difference_of_means():
    rng = np.random.default_rng(2)
    a, b, members = rng.random(80), rng.random(80), rng.integers(0, 9, 80)
    for groups in (members, None):
        found = ratio_difference(a, np.full(80, 3.0), b, np.full(80, 3.0), groups)
        expected = crossed_difference(a / 3, b / 3, groups)
        assert (found.difference, found.se, found.df) == approx(
            (expected.difference, expected.se, expected.df)
        )
        assert found.effective_groups == (
            groups if groups is None else approx(expected.effective_groups)
        )


def test_groups_weigh_by_their_words_in_both_systems():
    words_a, words_b, members = (
        np.tile([3, 1], 5),
        np.repeat([2, 1], 5),
        np.arange(10).repeat(10),
    )
    errors = np.random.default_rng(0).random((2, 100))
    found = ratio_difference(
        errors[0], words_a.repeat(10), errors[1], words_b.repeat(10), members
    )
    assert found.effective_groups == approx(
        1 / np.sum((words_a / 40 + words_b / 30) ** 2)
    )


def test_f1_is_such_a_ratio():
    rng = np.random.default_rng(3)
    gold = rng.random(300) < 0.3
    says_a, says_b = (
        np.where(rng.random(300) < right, gold, ~gold) for right in (0.9, 0.8)
    )
    documents, counts = rng.integers(0, 25, 300), []
    for says in (says_a, says_b):
        # 2 TP, 2 TP + FP + FN.
        counts += [
            2 * (gold & says),
            2 * (gold & says) + (gold ^ says),
        ]
    found = ratio_difference(*counts, documents)
    assert found.difference == approx(f1_score(gold, says_a) - f1_score(gold, says_b))


@grid("errors", [ERRORS_A, np.zeros(len(WORDS)), WORDS * 0.1])
def test_a_ratio_where_nothing_varies_is_refused(errors):
    with pytest.raises(
        ValueError, match="^numerators_a and numerators_b must differ on some items"
    ):
        ratio_difference(errors, WORDS, errors, WORDS, SPEAKERS)
    ones = np.ones(len(WORDS))
    with pytest.raises(ValueError, match="nothing varies"):
        ratio_difference(WORDS * 0.3, WORDS, ones * 0.1, ones, SPEAKERS)


LONG = np.where(SPEAKERS == 3, 500, WORDS)


@grid(
    ("changed", "words"),
    [
        ({"numerators_b": -ERRORS_B}, "numerators_b must be at least 0, got -"),
        ({"denominators_b": 0 * WORDS}, "denominators_b must not all be 0"),
        ({"groups": SPEAKERS % 3}, "denominators_a, group by group, must be at least"),
        (
            {"denominators_a": LONG},
            "denominators_a, group by group, must be at least 5, and",
        ),
        (
            {"denominators_b": LONG},
            "denominators_b, group by group, .* got 9 that count as 1.2",
        ),
        # Nine groups, of which four say something.
        (
            {"denominators_a": np.where(SPEAKERS < 5, 0, WORDS)},
            "denominators_a, group by group, .* got 4 that",
        ),
        (
            {
                "denominators_a": WORDS + 10**6 * (np.arange(len(WORDS)) == 0),
                "groups": None,
            },
            "denominators_a, item by item, must",
        ),
        (
            {"numerators_b": np.where(SPEAKERS == 3, ERRORS_B, ERRORS_A)},
            "numerators_a and numerators_b must differ on more .* count as 1.0 that",
        ),
    ],
)
def test_sums_that_say_too_little_are_refused(changed, words):
    given = {
        "numerators_a": ERRORS_A,
        "denominators_a": WORDS,
        "numerators_b": ERRORS_B,
        "denominators_b": WORDS,
        "groups": SPEAKERS,
    }
    with pytest.raises(ValueError, match=f"^{words}"):
        ratio_difference(**{**given, **changed})


def test_a_ratio_asks_for_its_groups():
    with pytest.raises(TypeError, match="groups"):
        ratio_difference(ERRORS_A, WORDS, ERRORS_B, WORDS)


# --------------------------------------------------------------------------------------
# What a test set can show
# --------------------------------------------------------------------------------------


def answers(rng, n, rate, correlation, gap, size):
    """How often each of n items has A alone right, or B alone, in many test sets."""
    a, b = rate + gap / 2, rate - gap / 2
    both = a * b + correlation * np.sqrt(a * (1 - a) * b * (1 - b))
    return rng.multinomial(n, [a - both, b - both, 1 - a - b + 2 * both], size)[:, :2].T


@grid(
    ("n", "rate", "correlation", "alpha", "power"),
    [
        (100, 0.5, 0.3, 0.05, 0.8),
        (200, 0.9, 0.0, 0.05, 0.8),
        (500, 0.8, 0.5, 0.05, 0.9),
        (1000, 0.7, 0.8, 0.01, 0.8),
        (2000, 0.95, 0.3, 0.05, 0.8),
    ],
)
def test_a_difference_that_can_be_shown_is_found_that_often(
    n, rate, correlation, alpha, power
):
    options = {"rate": rate, "correlation": correlation, "alpha": alpha, "power": power}
    gap = detectable_difference(n, **options)
    n10, n01 = answers(np.random.default_rng(0), n, rate, correlation, gap, 2000)
    found = [
        mcnemar(int(a), int(b), method="mid-p").pvalue <= alpha
        for a, b in zip(n10, n01, strict=True)
    ]
    assert np.mean(found) == approx(power, abs=0.035)


def test_the_formula_in_full():
    quantiles = stats.t.isf(0.025, 999) + stats.t.isf(0.2, 999)
    assert detectable_difference(1000, rate=0.8) == approx(
        quantiles * np.sqrt(0.32 / 1000)
    )
    assert detectable_difference(1000, rate=0.2, correlation=0.75) == approx(
        quantiles * np.sqrt(0.08 / 1000)
    )
    quantiles = stats.t.isf(0.025, 99) + stats.t.isf(0.2, 99)
    grouped = detectable_difference(1000, rate=0.8, icc=0.1, group_size=10)
    assert grouped == approx(quantiles * np.sqrt(0.32 * 1.9 / 1000))


@grid(
    ("n", "options", "words"),
    [
        (
            100,
            {"rate": 0.95, "correlation": 0.5},
            "n must be at least 422 .* alone is right on 4.75",
        ),
        (421, {"rate": 0.95, "correlation": 0.5}, "n must be at least 422 "),
        (300, {"rate": 0.8, "icc": 0.5, "group_size": 20}, "n must be at least 657 "),
        (63, {"rate": 0.5, "alpha": 0.001, "power": 0.99}, "n must be at least"),
        (19, {"rate": 0.5}, "n must be at least 20"),
        (1000, {"rate": 1.0}, "rate must lie strictly between 0 and 1"),
        (
            1000,
            {"rate": 0.8, "correlation": 1},
            "correlation must be at least -0.25, .* got 1",
        ),
        (
            1000,
            {"rate": 0.8, "correlation": -0.3},
            "correlation must be at least -0.25, .* got -0.3",
        ),
        (1000, {"rate": 0.8, "icc": 1.1}, "icc must lie between 0 and 1, got 1.1"),
        (
            1000,
            {"rate": 0.8, "group_size": 300},
            "group_size must lie between 1 and 200, for 1,000 items",
        ),
        (1000, {"rate": 0.8, "group_size": 0.5}, "group_size must lie between"),
        (
            1000,
            {"rate": 0.8, "alpha": 0.8},
            "alpha must be at least 1e-9, and below power",
        ),
        (1000, {"rate": 0.8, "alpha": 1e-12}, "alpha must be at least 1e-9"),
    ],
)
def test_what_no_formula_says_is_refused(n, options, words):
    with pytest.raises(ValueError, match=f"^{words}"):
        detectable_difference(n, **options)
    if words.startswith("n must be at least 422"):
        assert detectable_difference(422, **options) < 0.64 * 0.0475


# --------------------------------------------------------------------------------------
# Two proportions of the same items
# --------------------------------------------------------------------------------------

Z = stats.norm.isf(0.025)


def tango(n10, n01, n, difference, correction=0.0):
    """The score of Tango (1998), equations 24 to 26, of arrays of counts."""
    linear = (2 * n - n10 + n01) * difference - n10 - n01
    q = (np.sqrt(linear**2 + 8 * n * n01 * difference * (1 - difference)) - linear) / (
        4 * n
    )
    lead, variance = (
        n10 - n01 - n * difference + correction,
        n * (2 * q + difference * (1 - difference)),
    )
    return np.divide(
        lead, np.sqrt(variance), out=np.zeros(np.shape(q)), where=np.abs(lead) > 1e-9
    )


@grid("level", [0.8, 0.95, 0.999])
@grid(
    "counts",
    [
        (10, 4, 2, 9),
        (0, 7, 7, 0),
        (80, 15, 5, 100),
        (3, 1, 20, 0),
        (500, 2, 1, 0),
        (40, 3, 1, 1),
    ],
)
def test_at_both_ends_the_score_of_the_likeliest_shares_is_the_quantile(counts, level):
    found, z = (
        paired_proportion_interval(*counts, confidence_level=level),
        stats.norm.isf((1 - level) / 2),
    )
    for end, quantile in zip(found, (z, -z), strict=True):
        assert tango(*counts[1:3], sum(counts), end) == approx(quantile, abs=1e-9)
    assert found.pvalue == approx(mcnemar(*counts[1:3], method="chi2").pvalue)


@grid(
    ("counts", "level", "low", "high", "digits"),
    [
        # Tango (1998), Table V: the lower limit alone is printed.
        ((43, 0, 1, 0), 0.9, -0.096, None, 3),
        # Cavo and others (2012), in Fagerland, Lydersen and Laake (2017), Chapter 8.
        ((59, 6, 16, 80), 0.95, -0.1240, -0.0054, 4),
        # R: PropCIs::scoreci.mp(25, 28, 618, 0.9).
        ((565, 28, 25, 0), 0.9, -0.0148, 0.0247, 4),
    ],
)
def test_published_intervals(counts, level, low, high, digits):
    found = paired_proportion_interval(*counts, confidence_level=level)
    assert round(found.low, digits) == low
    assert high is None or round(found.high, digits) == high


def test_a_published_test_of_not_being_worse():
    # Tango (1998), Section 6.1: Z = 1.709, p = 0.044 for a margin of 0.1, without
    # correction.
    below, _ = paired_proportion_interval(43, 0, 1, 0).one_sided(
        -0.1, 0.1, cautious=False
    )
    assert (round(stats.norm.isf(below), 3), round(below, 3)) == (1.709, 0.044)


def test_no_item_or_every_item_tells_them_apart():
    none, every = (
        paired_proportion_interval(30, 0, 0, 70),
        paired_proportion_interval(0, 9, 0, 0),
    )
    assert (none.high, none.low) == approx(
        (Z**2 / (100 + Z**2), -(Z**2) / (100 + Z**2))
    )
    assert (none.difference, none.pvalue) == (0, 1)
    assert (every.low, every.high) == (approx((9 - Z**2) / (9 + Z**2)), 1)
    assert not equivalence(every, 0.5).equivalent


@grid("n", [10**6, 10**9, 10**12])
def test_of_many_items_of_which_few_count_the_number_does_not_matter(n):
    found, smaller = (paired_proportion_interval(of - 7, 5, 2, 0) for of in (n, 10**5))
    assert [n * end for end in found] == approx(
        [10**5 * end for end in smaller], rel=1e-3
    )
    assert paired_proportion_interval(n, n, n, n).width == approx(
        2 * Z * math.sqrt(0.5 / (4 * n)), rel=1e-5
    )


def all_counts(n):
    n10, n01 = np.indices((n + 1, n + 1)).reshape(2, -1)
    return np.stack([n10, n01])[:, n10 + n01 <= n]


def trinomial(counts, n, p10, p01):
    parts = [*counts, n - counts.sum(axis=0)]
    shares = p10, p01, 1 - p10 - p01
    logs = (
        special.xlogy(part, p) - special.gammaln(part + 1)
        for part, p in zip(parts, shares, strict=True)
    )
    return np.exp(special.gammaln(n + 1) + sum(logs))


SHARES = [
    (p10, p01)
    for p10 in (0, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3, 0.5)
    for p01 in (0, 0.01, 0.02, 0.05, 0.1, 0.3, 0.5)
    if p01 <= p10
]


@grid("n", [20, 30, 50, 100, 300])
def test_it_covers_93_percent_by_exact_summation(n):
    counts = all_counts(n)
    if n == 20:  # what is summed is what the function gives
        found = np.array(
            [[*paired_proportion_interval(n - i - j, i, j, 0)] for i, j in counts.T]
        )
        for difference in (0.0, 0.03, 0.2):
            inside = (found[:, 0] <= difference) & (difference <= found[:, 1])
            assert np.array_equal(inside, np.abs(tango(*counts, n, difference)) <= Z)
    covered = {
        (p10, p01): (
            trinomial(counts, n, p10, p01)[
                np.abs(tango(*counts, n, p10 - p01)) <= Z + 1e-9
            ].sum()
        )
        for p10, p01 in SHARES
    }
    assert min(covered.values()) > 0.9295, min(covered, key=covered.get)
    assert np.mean([*covered.values()]) > 0.95


@grid("margin", [0.01, 0.05, 0.1, 0.2])
def test_equivalence_is_found_wrongly_in_5_percent_at_most(margin):
    for n in (20, 50, 100, 300):
        counts = all_counts(n)
        found = stats.norm.sf(tango(*counts, n, -margin, -0.5)) <= 0.05
        found &= stats.norm.cdf(tango(*counts, n, margin, 0.5)) <= 0.05
        if n == 20:
            cells = ((n - i - j, i, j, 0) for i, j in counts.T.tolist())
            called = [
                equivalence(paired_proportion_interval(*cell), margin).equivalent
                for cell in cells
            ]
            assert called == found.tolist()
        for p01 in (0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.3):
            assert trinomial(counts, n, p01 + margin, p01)[found].sum() <= 0.05, (
                n,
                p01,
            )


def test_where_student_s_t_holds_it_is_hardly_longer():
    score = paired_proportion_interval(480, 15, 5, 0)
    t = stats.t.interval(
        0.95, 499, loc=0.02, scale=stats.sem(np.repeat([1, -1, 0], [15, 5, 480]))
    )
    assert 1 < score.width / (t[1] - t[0]) < 1.1


# --------------------------------------------------------------------------------------
# Separate items
# --------------------------------------------------------------------------------------


@grid(
    ("counts", "published"),
    [
        ((56, 70, 48, 80), (0.0524, 0.3339)),
        ((9, 10, 3, 10), (0.1705, 0.8090)),
        ((6, 7, 2, 7), (0.0582, 0.8062)),
        ((5, 56, 0, 29), (-0.0381, 0.1926)),
        ((0, 10, 0, 20), (-0.1611, 0.2775)),
        ((0, 10, 0, 10), (-0.2775, 0.2775)),
        ((10, 10, 0, 20), (0.6791, 1.0)),
        ((10, 10, 0, 10), (0.6075, 1.0)),
    ],
)
def test_separate_shares_have_the_interval_of_the_paper(counts, published):
    """Newcombe's table of eight contrasts, method 10."""
    found = proportion_difference(*counts)
    assert [round(end, 4) + 0.0 for end in found] == list(published)
    turned = proportion_difference(*counts[2:], *counts[:2])
    assert tuple(turned) == approx((-found.high, -found.low))
    assert turned.pvalue == approx(found.pvalue)


def test_separate_ends_are_those_of_two_wilson_intervals():
    rng = np.random.default_rng(5)
    for n_a, n_b in rng.integers(1, 200, size=(30, 2)).tolist():
        x_a, x_b = int(rng.integers(n_a + 1)), int(rng.integers(n_b + 1))
        found = proportion_difference(x_a, n_a, x_b, n_b, confidence_level=0.9)
        (low_a, high_a), (low_b, high_b) = (
            stats.binomtest(x, n).proportion_ci(0.9, method="wilson")
            for x, n in ((x_a, n_a), (x_b, n_b))
        )
        a, b = x_a / n_a, x_b / n_b
        assert tuple(found) == approx(
            (
                a - b - math.hypot(a - low_a, high_b - b),
                a - b + math.hypot(high_a - a, b - low_b),
            )
        )


@grid(
    "counts", [(56, 70, 48, 80), (19, 20, 20, 20), (279, 300, 450, 500), (3, 9, 0, 4)]
)
def test_the_p_of_separate_shares_is_where_an_end_meets_zero(counts):
    found = proportion_difference(*counts)
    at_p = found.at(1 - found.pvalue)
    assert min(abs(at_p.low), abs(at_p.high)) == approx(0, abs=1e-12)
    for delta in (-0.04, 0.07):
        below, above = found.one_sided(delta, delta)
        assert below + above == approx(1)
        side = found.at(1 - 2 * min(below, above))
        assert min(abs(side.low - delta), abs(side.high - delta)) == approx(0, abs=1e-9)


def test_equal_shares_and_those_that_no_interval_reaches():
    assert proportion_difference(20, 20, 20, 20).pvalue == 1
    assert proportion_difference(1, 3, 3, 9).pvalue == 1
    assert 0 < proportion_difference(20, 20, 0, 20).pvalue < 1e-6
    assert equivalence(proportion_difference(45, 50, 46, 50), 1).pvalue < 1e-9
    large = proportion_difference(2**52, 2**53, 2**52 - 10**8, 2**53)
    assert large.difference == approx(10**8 / 2**53)
    assert large.pvalue == approx(2 * special.ndtr(-(10**8) / 2**26), rel=1e-6)


def coverage_of_separate(n_a, n_b, rate_a, rate_b):
    """Sum the chances of all pairs of counts whose interval holds the difference."""
    held = 0.0
    of_b = stats.binom.pmf(np.arange(n_b + 1), n_b, rate_b)
    for x_a, chance in enumerate(stats.binom.pmf(np.arange(n_a + 1), n_a, rate_a)):
        for x_b in np.flatnonzero(chance * of_b > 1e-7).tolist():
            ends = separate_ends((x_a, n_a, x_b, n_b), stats.norm.isf(0.025))
            held += chance * of_b[x_b] * (ends[0] <= rate_a - rate_b <= ends[1])
    return held


def test_the_interval_of_separate_shares_covers():
    worst = min(
        coverage_of_separate(*sizes, rate + apart, rate)
        for sizes in ((20, 20), (20, 50), (10, 100))
        for rate in (0.05, 0.3, 0.5, 0.9)
        for apart in (0, 0.05, 0.1)
    )
    assert 0.935 < worst < 0.95
