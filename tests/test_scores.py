"""What scores are is said once: what does not vary shows nothing, whole numbers are
exact, and what was rounded is a little less certain.
"""

import functools
import math
from itertools import product

import numpy as np
import pytest
from grids import grid
from scipy import stats

from evalkit import (
    budget_difference,
    corrected_t,
    crossed_difference,
    difference_interval,
    equivalence,
    from_summary,
    group_interval,
    mcnemar,
)
from evalkit._scores import describe
from evalkit.results import PairedProportions

DRAWN = {"n_resamples": 99, "rng": 0}
FEW_GROUPS = np.arange(10) // 2


def rows(scores):
    return np.tile(scores, (3, 1))


def compared(paired, method="t", statistic=np.mean):
    options = {"paired": paired, "method": method, **DRAWN}
    return lambda a, b: difference_interval(a, b, statistic, **options)


# Every function that compares, for ten scores of each system.
PAIRED = {
    "paired t": compared(True),
    "paired bca": compared(True, "bca"),
    "paired percentile": compared(True, "percentile"),
    "paired basic": compared(True, "basic"),
    "paired median": compared(True, "bca", np.median),
    "items": crossed_difference,
    "grouped items": lambda a, b: crossed_difference(a, b, FEW_GROUPS),
    "seeds x items": lambda a, b: crossed_difference(rows(a), rows(b)),
    "paired rows": lambda a, b: crossed_difference(rows(a), rows(b), rows="paired"),
    "answers": lambda a, b: crossed_difference(rows(a), rows(b), rows="answers"),
    "corrected t": lambda a, b: corrected_t(a, b, n_train=90, n_test=10),
}
UNPAIRED = {
    "unpaired t": compared(False),
    "unpaired bca": compared(False, "bca"),
    "unpaired percentile": compared(False, "percentile"),
    "unpaired basic": compared(False, "basic"),
    "unpaired median": compared(False, "bca", np.median),
    "budget": lambda a, b: budget_difference([*a] * 3, None, [*b] * 3, None, 2),
}
COUNTED = ("paired t", "items", "grouped items", "seeds x items", "answers")
# Of scores that do not vary, the difference that the refusal names.
CONSTANT = {
    "shares": ([0.91] * 10, [0.9] * 10, "+0.01"),
    "percent": ([91.0] * 10, [90.0] * 10, "+1"),
    "equal": ([0.91] * 10, [0.91] * 10, "+0"),
    "float noise": ([0.1 + 0.2, 0.3] * 5, [0.7] * 10, "-0.4"),
    "float32": (np.float32([0.3] * 10), np.float32([0.7] * 10), "-0.4"),
}
# Scores that vary, and what they have in common does not: no evidence in pairs.
MIXED = np.array([0.8, 0.9, 0.7, 0.3, 0.1, 0.2, 0.8, 0.5, 0.3, 0.4])
SHIFTED = {
    "the same": (MIXED, MIXED, "+0"),
    "shifted": (MIXED, MIXED - 0.1, "+0.1"),
    "shifted float32": (np.float32(MIXED), np.float32(MIXED) - np.float32(0.1), "+0.1"),
}


def refusal(function, *arguments, **named):
    """Return what a call is refused with; empty if it answers."""
    try:
        function(*arguments, **named)
    except ValueError as error:
        return str(error)
    return ""


# --------------------------------------------------------------------------------------
# What does not vary
# --------------------------------------------------------------------------------------


@grid(
    ("name", "case"),
    [*product(PAIRED | UNPAIRED, CONSTANT), *product(PAIRED, SHIFTED)],
)
def test_what_does_not_vary_is_no_evidence_and_the_error_names_the_difference(
    name, case
):
    a, b, difference = (CONSTANT | SHIFTED)[case]
    told = refusal((PAIRED | UNPAIRED)[name], a, b)
    assert "must vary for an interval" in told
    assert f"is {difference}, " in told


def test_unpaired_they_say_what_they_scatter():
    assert all(
        difference_interval(a, b, paired=False).width > 0.3
        for a, b, _ in SHIFTED.values()
    )


def test_constants_that_were_rounded_are_known_but_for_that():
    """Where the caller says so; of what was read off, the refusal names the call."""
    a, b = [0.91] * 5, [0.9] * 5
    told = refusal(difference_interval, a, b, paired=False)
    assert "decimals=2 says so" in told
    for paired in (False, True):
        found = difference_interval(a, b, paired=paired, decimals=2)
        half = stats.norm.isf(0.025) * math.sqrt(2 / 3) * 0.005
        assert [*found] == pytest.approx([0.01 - half, 0.01 + half])
    of_splits = corrected_t(a, b, n_train=9, n_test=1, decimals=2)
    assert of_splits.pvalue == pytest.approx(found.pvalue)
    assert "decimals=0 says so" in refusal(
        difference_interval, [91] * 5, [90] * 5, paired=False
    )
    thirds = refusal(difference_interval, [1 / 3] * 5, [2 / 3] * 5, paired=False)
    assert "decimals" not in thirds  # they have too many digits to be rounded


@grid("spread", ["sd", "se"])
def test_spreads_that_are_printed_as_0_are_no_evidence(spread):
    for a, b, shown in ((0.913, 0.91, 0.003), (91.3, 91.2, 0.1), (91, 90, 1)):
        told = refusal(from_summary, (a, 0, 5), (b, 0, 3), spread=spread)
        assert "must vary for an interval" in told
        assert f"is +{shown}, " in told
    said = from_summary((91.3, 0, 5), (91.2, 0, 3), spread=spread, decimals=1)
    assert said.width > 0.1


def test_right_and_wrong_answers_have_an_interval_without_scatter():
    ones, zeros = np.ones(10), np.zeros(10)
    for name in COUNTED:
        apart, alike = PAIRED[name](ones, zeros), PAIRED[name](ones, ones)
        items = 5 if name == "grouped items" else 10
        assert isinstance(apart, PairedProportions)
        assert [apart.n10, apart.n01, apart.n_items, apart.high] == [items, 0, items, 1]
        assert apart.pvalue == pytest.approx(mcnemar(items, 0, method="chi2").pvalue)
        assert 0 < apart.low < 0.5
        assert (alike.difference, alike.pvalue, alike.high) == (0, 1, -alike.low)
        assert alike.high > 0.25
        assert not equivalence(alike, 0.1).equivalent


def test_scores_of_0_or_1_of_whole_runs_are_refused_as_others_are():
    for name in ("unpaired t", "paired bca", "unpaired percentile", "corrected t"):
        told = refusal((PAIRED | UNPAIRED)[name], np.ones(10), np.zeros(10))
        assert "difference is +1, and needs neither" in told


# --------------------------------------------------------------------------------------
# What the scores are
# --------------------------------------------------------------------------------------


def test_the_description_is_of_both_systems_together_and_printed():
    wanted = {
        ", right or wrong": ([1, 0, 1, 1], [True, False, True, True]),
        ", right or wrong, per cent": ([100, 0, 100.0], [0, 0, 100]),
        ", whole numbers": ([3, 4, 1], [1, 0, 1]),
        ", whole numbers, per cent": ([99, 0, 100], [0, 0, 100]),
        "": ([0.9, 0.8, 0.7], [0.8712, 0.8745, 0.8701]),
    }
    for words, given in wanted.items():
        what = describe(*given)
        assert what.words() == words.removesuffix(", per cent")
        assert what.top == (
            100 if words.endswith("right or wrong, per cent") else what.top
        )
    assert describe([0.9, 0.8], [0.8712]).digits == 4
    assert describe([1 / 3, 0.8]).digits is None
    assert describe([9.9, 0.8]).words(rounded=True) == (
        ", rounded to 1 decimal (read off)"
    )
    assert describe(np.float32([0.7, 0.31]), [0.5]).digits == 2
    assert describe([3, 4, 1], decimals=0).words() == ", rounded to 0 decimals"


def test_scores_have_no_more_decimals_than_are_said():
    for call in (
        functools.partial(difference_interval, paired=True),
        functools.partial(corrected_t, n_train=9, n_test=1),
    ):
        told = refusal(call, [0.911, 0.902], [0.85, 0.81], decimals=2)
        assert "decimals must be as many as the scores have, got 2 for 0.911" in told


@grid("scale", [1, 2, 20])
def test_ratings_and_counts_are_exact(scale):
    """As a comparison of items takes them, which knows nothing of rounding."""
    rng = np.random.default_rng(0)
    b = rng.integers(1, 5, 5000)
    a = b + (rng.random(5000) < 0.13)
    for x, y in ((a, b), (a * scale, b * scale), (a / 2, b / 2)):
        found = difference_interval(x, y, paired=True)
        assert [*found] == pytest.approx([*crossed_difference(x, y)], rel=1e-9)
        assert found.pvalue < 1e-9


def test_0_and_100_are_right_and_wrong():
    rng = np.random.default_rng(1)
    a, b = (rng.random((2, 40)) < [[0.95], [0.85]]).astype(float)
    groups = rng.integers(0, 12, 40)
    for call in (
        functools.partial(difference_interval, paired=True),
        crossed_difference,
        functools.partial(crossed_difference, groups=groups),
    ):
        one, hundred = call(a, b), call(100 * a, 100 * b)
        assert [100 * end for end in one] == pytest.approx([*hundred])
        assert (one.method, one.pvalue) == (
            hundred.method,
            pytest.approx(hundred.pvalue),
        )
        alike = call(a, a).high, call(100 * a, 100 * a).high
        assert alike[1] == pytest.approx(100 * alike[0])
    ends = [*group_interval(a, groups)], [*group_interval(100 * a, groups)]
    assert [100 * end for end in ends[0]] == pytest.approx(ends[1])


def test_there_is_one_p_value_whatever_the_level_and_its_interval_agrees():
    rng = np.random.default_rng(2)
    for scale in (1, 0.5, 100):
        a, b = scale * (rng.random((2, 30)) < [[0.97], [0.8]]).astype(float)
        groups = rng.integers(0, 9, 30)
        for call in (
            functools.partial(difference_interval, a, b, paired=True),
            functools.partial(crossed_difference, a, b),
            functools.partial(crossed_difference, a, b, groups),
        ):
            found = [call(confidence_level=x) for x in (0.8, 0.9, 0.95, 0.99, 0.999)]
            assert len({one.pvalue for one in found}) == 1
            for one in found:
                assert (0 in one) == (one.pvalue >= 1 - one.confidence_level)


# --------------------------------------------------------------------------------------
# What rounding adds
# --------------------------------------------------------------------------------------


def of_t(difference, parts, level=0.95):
    variance = sum(part for part, _ in parts)
    df = variance**2 / sum(part**2 / df for part, df in parts)
    half = stats.t.isf((1 - level) / 2, df) * math.sqrt(variance)
    return difference - half, difference + half


@grid(
    ("a", "b", "coarse"),
    [
        # Both scatter by less than 0.005; one does; none does.
        ([0.91] * 5, [0.90, 0.90, 0.90, 0.90, 0.91], 2),
        ([0.91] * 5, [0.90, 0.92, 0.90, 0.90, 0.91], 1),
        ([0.93, 0.91, 0.92], [0.90, 0.92, 0.93], 0),
        # Four digits are four for both, and whole numbers are exact.
        ([0.9] * 3, [0.8712, 0.8745, 0.8701], 1),
        ([91] * 5, [90, 90, 90, 90, 91], 0),
    ],
)
def test_a_coarse_mean_varies_by_a_third_of_the_square_of_half_a_digit(a, b, coarse):
    found = difference_interval(a, b, paired=False)
    square = describe(a, b).halves[0] ** 2
    parts = [(np.var(x, ddof=1) / len(x), len(x) - 1) for x in (a, b)]
    added = [max(square - np.var(x, ddof=1), 0) / 3 for x in (a, b)]
    assert np.count_nonzero(added) == coarse
    wanted = of_t(np.mean(a) - np.mean(b), [*parts, (sum(added), 1e15)])
    assert [*found] == pytest.approx(wanted, rel=1e-6)
    assert ("(read off)" in found.method) == (coarse > 0)


def test_what_pairs_lack_of_the_scatter_of_rounding_is_added():
    a = np.array([0.81, 0.86, 0.79, 0.83])
    found = difference_interval(a, a - 0.01, paired=True, decimals=2)
    half = stats.norm.isf(0.025) * math.sqrt(2 / 3 / 4) * 0.005
    assert [*found] == pytest.approx([0.01 - half, 0.01 + half])
    b = a - [0.01, 0.01, 0.01, 0.02]
    found = difference_interval(a, b, paired=True, decimals=2)
    of_pairs = np.var(a - b, ddof=1)
    parts = [(of_pairs / 4, 3), (max(2 * 0.005**2 / 3 - of_pairs, 0) / 4, 1e15)]
    assert [*found] == pytest.approx(of_t(0.0125, parts), rel=1e-6)


def test_shares_in_tenths_are_exact_unless_it_is_said_that_they_are_not():
    """Items with ten answers each, most of them right: no rounding, nor a refusal."""
    a = np.repeat([1.0, 0.9], [176, 24])
    for wrong in (30, 36):
        b = np.repeat([1.0, 0.9], [200 - wrong, wrong])
        found = difference_interval(a, b, paired=True)
        assert [*found] == pytest.approx([*crossed_difference(a, b)])
    assert difference_interval(a, b, paired=True, decimals=1).width > 5 * found.width


def test_each_system_may_have_been_rounded_in_its_own_way():
    """A printed to two decimals, B one's own runs: 67 % coverage if nobody says so."""
    printed, own = [0.81] * 5, [0.8213456789, 0.823456, 0.8198765, 0.82, 0.8245]
    found = difference_interval(printed, own, paired=False, decimals=(2, None))
    exact = difference_interval(printed, own, paired=False)
    added = 0.005**2 / 3
    assert found.se == pytest.approx(math.sqrt(exact.se**2 + added), rel=1e-4)
    assert found.method == "Welch t, one system rounded to 2 decimals"
    told = refusal(difference_interval, printed, own, paired=False, decimals=(2, 3))
    assert "got 3 for 0.8213456789" in told
    summary = (91.3, 0.04, 5), (91.27431, 0.0382, 5)
    widths = [
        from_summary(*summary, spread="sd", decimals=d).width
        for d in ((1, None), (None, 5), (1, 5))
    ]
    assert widths[0] == pytest.approx(widths[2], rel=1e-6)
    assert widths[0] > 1.2 * widths[1]
    # Spreads are printed with a digit more as a rule; the means' digits count.
    assert "rounded to 1 decimal" in (
        from_summary((91.3, 0.04, 5), (91.2, 0.05, 5), spread="sd").method
    )


def test_splits_and_summaries_are_rounded_alike():
    a, b = np.array([0.91] * 4 + [0.92]), np.array([0.9] * 5)
    found = corrected_t(a, b, n_train=90, n_test=10)
    added = (2 * 0.005**2 - a.var(ddof=1)) / 3
    variance = (1 / 5 + 1 / 9) * a.var(ddof=1) + added
    assert found.statistic == pytest.approx(0.012 / math.sqrt(variance))
    assert found.test == "corrected resampled t, rounded to 2 decimals (read off)"
    printed = from_summary((91.3, 0, 5), (90.2, 0.2, 3), spread="sd")
    parts = [(0.05**2 / 5, 4), (0.2**2 / 3, 2), (2 * 0.05**2 / 3, 1e15)]
    assert [*printed] == pytest.approx(of_t(1.1, parts), rel=1e-6)
    whole = from_summary((91, 2, 5), (89, 1, 5), spread="sd")
    assert [*whole] == pytest.approx(of_t(2, [(4 / 5, 4), (1 / 5, 4)]))


def test_what_was_read_off_never_decides():
    """Ten thousand pairs with a plain difference had p = 1."""
    a, b = [0.81] * 30, [0.80] * 9 + [0.81] * 21
    told = refusal(difference_interval, a, b, paired=False)
    assert "decimals must be given: the scores show 2" in told
    by = [difference_interval(a, b, paired=False, decimals=d) for d in (2, 5)]
    assert by[0].pvalue > 0.2 > 0.01 > by[1].pvalue
