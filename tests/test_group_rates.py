"""A share of right answers in groups, and groups within classes whose shares are
fixed.
"""

import math

import numpy as np
import pytest
from grids import grid
from scipy import special, stats
from test_intervals import cr2_by_matrices

from evalkit import group_interval, proportion_interval

# --------------------------------------------------------------------------------------
# Korn and Graubard's interval
# --------------------------------------------------------------------------------------


def draw_right(sizes, rate, icc):
    """Right and wrong in groups whose rates have a beta distribution."""
    members = np.repeat(np.arange(len(sizes)), sizes)
    a, b = rate * (1 - icc) / icc, (1 - rate) * (1 - icc) / icc

    def draw(rng):
        return (
            rng.random(members.size) < rng.beta(a, b, size=len(sizes))[members]
        ).astype(float), members

    return draw


def clopper_pearson(successes, trials):
    """Of counts that need not be whole, by the root of the binomial tail's incomplete
    beta function.
    """
    low = (
        special.betaincinv(successes, trials - successes + 1, 0.025)
        if successes > 1e-9
        else 0.0
    )
    high = (
        special.betaincinv(successes + 1, trials - successes, 0.975)
        if successes < trials - 1e-9
        else 1.0
    )
    return low, high


@grid("sizes", [[10] * 12, [2, 5, 8, 11, 14, 20, 30, 7], [3] * 40])
@grid("rate", [0.3, 0.8])
def test_it_is_clopper_pearson_s_on_the_effective_size(sizes, rate):
    scores, members = draw_right(sizes, rate, 0.2)(np.random.default_rng(0))
    variance, df = cr2_by_matrices(scores, members)
    share = scores.mean()
    effective = (
        share
        * (1 - share)
        / variance
        * (stats.norm.ppf(0.975) / stats.t.ppf(0.975, df)) ** 2
    )
    assert effective < members.size
    found = group_interval(scores, members)
    assert [*found] == pytest.approx(
        clopper_pearson(share * effective, effective), rel=1e-9
    )
    assert "Korn and Graubard" in found.method
    # Wrong answers are what is left, and the order of items and the names of groups do
    # not matter.
    order = np.random.default_rng(1).permutation(scores.size)
    turned = group_interval(
        1 - scores[order], np.char.add("g", members[order].astype(str))
    )
    assert [*turned] == pytest.approx([1 - found.high, 1 - found.low])


@grid("right", [1, 12, 55, 60])
def test_of_items_that_are_no_groups_it_is_nearly_clopper_pearson_s(right):
    scores = np.arange(60) < right
    found = group_interval(scores.astype(float), np.arange(60))
    assert [*found] == pytest.approx([*proportion_interval(right, 60)], abs=0.01)


@grid("sizes", [[10] * 5, [10] * 30, [8, 9, 10, 11, 20]])
def test_all_right_is_as_many_items_as_effective_groups(sizes):
    members = np.repeat(np.arange(len(sizes)), sizes)
    effective = members.size**2 / np.sum(np.square(sizes))
    found = group_interval(np.ones(members.size), members)
    assert [*found] == pytest.approx([0.025 ** (1 / effective), 1])
    assert [*group_interval(np.zeros(members.size), members)] == pytest.approx(
        [0, 1 - found.low]
    )


@grid("top", [1, 100])
def test_where_all_errors_are_in_one_group_each_group_counts_as_one_item(top):
    scores, members = np.full(96, float(top)), np.repeat(np.arange(12), 8)
    scores[:3] = 0
    expected = clopper_pearson(12 * 93 / 96, 12)
    assert [*group_interval(scores, members)] == pytest.approx(
        [top * end for end in expected]
    )


# --------------------------------------------------------------------------------------
# Classes whose shares are fixed
# --------------------------------------------------------------------------------------

CLASSES = np.repeat([0, 1], [24, 16])
MEMBERS = np.repeat(np.arange(7), [6, 6, 6, 6, 5, 5, 6])
GRADED = (
    np.random.default_rng(5).random(40)
    + CLASSES
    + 0.3 * np.random.default_rng(6).random(7)[MEMBERS]
)


def test_each_class_has_the_variance_of_its_own_groups():
    parts = []
    for number, share in ((0, 0.6), (1, 0.4)):
        inside = number == CLASSES
        renumbered = np.unique(MEMBERS[inside], return_inverse=True)[1]
        variance, df = cr2_by_matrices(GRADED[inside], renumbered)
        parts.append((share**2 * variance, df))
    variance = sum(part for part, _ in parts)
    df = variance**2 / sum(part**2 / df for part, df in parts)
    half = stats.t.isf(0.025, df) * math.sqrt(variance)
    found = group_interval(GRADED, MEMBERS, strata=CLASSES)
    assert [*found] == pytest.approx([GRADED.mean() - half, GRADED.mean() + half])
    assert found.method == "t, whole groups in strata"
    assert found.effective_groups == group_interval(GRADED, MEMBERS).effective_groups


@grid(("rates", "least", "most"), [((0.5, 0.95), 0.5, 0.9), ((0.8, 0.8), 0.95, 1.1)])
def test_it_is_shorter_where_classes_differ_and_no_longer_where_they_do_not(
    rates, least, most
):
    rng, members, classes = (
        np.random.default_rng(0),
        np.repeat(np.arange(40), 5),
        np.arange(200) // 100,
    )
    of_items = np.array(rates)[classes]
    for scores in (
        (rng.random(200) < of_items).astype(float),
        of_items + 1.5 * rng.random(200),
    ):
        within = group_interval(scores, members, strata=np.array(["a", "b"])[classes])
        assert least < within.width / group_interval(scores, members).width < most


def test_one_class_is_none():
    for scores in (GRADED, (GRADED > 1).astype(float)):
        within = group_interval(scores, MEMBERS, strata=["x"] * 40)
        assert [*within] == [*group_interval(scores, MEMBERS)]


@grid(
    ("strata", "options", "words"),
    [
        (
            np.arange(40) % 2,
            {},
            "strata must hold whole groups, .* 7 times over: .* Leave strata out",
        ),
        (
            MEMBERS == 0,
            {},
            "strata must hold at least two groups each: .* Merge classes",
        ),
        (CLASSES[1:], {}, "strata.* 39"),
        (
            CLASSES,
            {"method": "percentile"},
            "strata must be left out for a bootstrap, got method='percentile'",
        ),
        (
            CLASSES,
            {"statistic": np.median, "method": "basic"},
            "strata must be left out for a bootstrap",
        ),
        ([None, *CLASSES[1:]], {}, "strata must "),
        ([math.nan, *CLASSES[1:]], {}, "strata must "),
    ],
)
def test_classes_that_fix_nothing_are_refused(strata, options, words):
    with pytest.raises((TypeError, ValueError), match=words):
        group_interval(GRADED, MEMBERS, strata=strata, **options)


@grid("top", [1, 100])
def test_groups_that_are_all_right_are_no_sample_for_a_bootstrap(top):
    with pytest.raises(ValueError, match="right and wrong"):
        group_interval([top] * 60, np.repeat(np.arange(12), 5), method="bca")
