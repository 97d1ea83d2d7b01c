"""How far two raters agree: against scikit-learn and the textbook variance."""

import itertools

import numpy as np
import pytest
from grids import grid
from scipy import stats
from sklearn.metrics import cohen_kappa_score

import evalkit
from evalkit import (
    agreement,
    crossed_difference,
    group_interval,
    judged_difference,
    proportion_interval,
    t_interval,
)

approx = pytest.approx


def labels_of(table):
    """Two lists of labels that a table counts."""
    cells = itertools.product(range(len(table)), repeat=2)
    pairs = np.repeat(list(cells), np.ravel(table), axis=0)
    return pairs[:, 0], pairs[:, 1]


def textbook(table, n):
    """The variance of kappa as Fleiss, Cohen and Everitt (1969) print it."""
    a, b, kappa = table.sum(axis=1), table.sum(axis=0), kappa_of(table)
    chance = a @ b
    same = np.diag(table) @ (1 - (a + b) * (1 - kappa)) ** 2
    other = table * (b[:, None] + a[None, :]) ** 2
    other = (1 - kappa) ** 2 * (other.sum() - np.trace(other))
    return (same + other - (kappa - chance * (1 - kappa)) ** 2) / (
        n * (1 - chance) ** 2
    )


def kappa_of(table):
    chance = table.sum(axis=1) @ table.sum(axis=0)
    return (np.trace(table) - chance) / (1 - chance)


def between(a, b, kappa):
    """The table with the raters' shares whose kappa is given: independence and most
    agreement, mixed.
    """
    both = np.minimum(a, b)
    most = np.diag(both)
    if both.sum() < 1 - 1e-12:
        most = most + np.outer(a - both, b - both) / (1 - both.sum())
    low, high = a @ b, np.trace(most)
    weight = min(max(kappa * (1 - low) / (high - low), 0), 1)
    return (1 - weight) * np.outer(a, b) + weight * most


def drawn(shares, kappa, size, rng):
    """Labels of two raters with equal shares: the same with probability kappa, else
    independent.
    """
    a, other = rng.choice(len(shares), size=(2, size), p=shares)
    return a, np.where(rng.random(size) < kappa, a, other)


RANDOM = [
    drawn([0.5, 0.3, 0.2], 0.4, 80, np.random.default_rng(seed)) for seed in range(3)
]
RANDOM += [labels_of([[42, 3], [7, 8]]), labels_of([[9, 8, 1], [2, 20, 1], [1, 9, 9]])]
# In every other group they hardly agree.
MEMBERS = np.random.default_rng(1).integers(0, 14, 120)
MANY = drawn(
    [0.7, 0.2, 0.1], np.where(MEMBERS % 2, 0.9, 0.1), 120, np.random.default_rng(9)
)


# --------------------------------------------------------------------------------------
# The two numbers
# --------------------------------------------------------------------------------------


@grid(("a", "b"), RANDOM)
def test_share_and_kappa_are_what_scikit_learn_counts(a, b):
    found = agreement(a, b)
    assert found.share == np.mean(a == b)
    assert found.kappa == approx(cohen_kappa_score(a, b), abs=1e-12)
    assert [*found.share_interval] == [
        *proportion_interval(int(np.sum(a == b)), len(a))
    ]
    assert found.note == ""


@grid(("a", "b"), RANDOM)
def test_what_labels_are_called_and_in_which_order_items_come_does_not_matter(a, b):
    expected, order = agreement(a, b), np.random.default_rng(5).permutation(len(a))
    names = np.array(["good", "bad", "neither"])
    for pair in (
        (a[order], b[order]),
        (names[a], names[b]),
        (a - 7.5, b - 7.5),
        (b, a),
    ):
        found = agreement(*pair)
        assert found.kappa == approx(expected.kappa)
        assert [*found.kappa_interval] == approx([*expected.kappa_interval])
    assert agreement(a > 0, b > 0) == agreement((a > 0) * 1, (b > 0) * 1.0)


def test_labels_in_float32_are_the_labels_in_float64():
    a, b = (np.array([0.1, 0.7, 0.3])[labels] for labels in RANDOM[0])
    assert agreement(a.astype(np.float32), b) == agreement(a, b)


def test_items_are_joined_by_id():
    a, b = RANDOM[0]
    order = np.random.default_rng(2).permutation(len(a))
    ids = np.arange(len(a)), np.arange(len(a))[order]
    assert agreement(a, b[order], ids=ids) == agreement(a, b)


# --------------------------------------------------------------------------------------
# The interval of kappa
# --------------------------------------------------------------------------------------


@grid(("a", "b"), RANDOM)
@grid("level", [0.8, 0.95, 0.99])
def test_the_interval_holds_the_values_within_t_of_their_own_errors(a, b, level):
    found = agreement(a, b, confidence_level=level)
    shares = [np.bincount(labels, minlength=3) / len(a) for labels in (a, b)]
    grid = np.linspace(0, 0.999, 4000)
    errors = np.array(
        [np.sqrt(textbook(between(*shares, k), len(a) - 1)) for k in grid]
    )
    inside = grid[
        np.abs(found.kappa - grid) <= stats.t.isf((1 - level) / 2, len(a) - 1) * errors
    ]
    assert found.kappa_interval.low == approx(inside.min(), abs=3e-4)
    assert found.kappa_interval.high == approx(inside.max(), abs=3e-4)


# --------------------------------------------------------------------------------------
# Groups
# --------------------------------------------------------------------------------------


def test_with_groups_the_share_has_the_interval_of_group_interval():
    a, b = MANY
    found, expected = agreement(a, b, MEMBERS), group_interval((a == b) * 1.0, MEMBERS)
    assert found.share_interval == expected
    assert found.kappa_interval.effective_groups == expected.effective_groups
    assert "whole groups" in str(found.kappa_interval)
    assert "whole groups" not in str(agreement(a, b).kappa_interval)


def test_with_groups_kappa_s_variance_is_that_of_leaving_them_out():
    a, b = MANY
    found, alone = agreement(a, b, MEMBERS), agreement(a, b)
    left_out = [cohen_kappa_score(a[g != MEMBERS], b[g != MEMBERS]) for g in range(14)]
    jackknife = 13 / 14 * np.sum((np.array(left_out) - found.kappa) ** 2)
    a_shares, b_shares = (np.bincount(labels) / 120 for labels in (a, b))
    single = textbook(between(a_shares, b_shares, found.kappa), 119)
    effect = max(1, jackknife / single)
    assert effect > 1.05  # of this sample; else nothing is tested
    df = evalkit._groups.degrees_of_freedom(np.bincount(MEMBERS) / 120)
    grid = np.linspace(0, 0.999, 4000)
    errors = np.sqrt(
        [effect * textbook(between(a_shares, b_shares, k), 119) for k in grid]
    )
    inside = grid[np.abs(found.kappa - grid) <= stats.t.isf(0.025, df) * errors]
    assert [*found.kappa_interval] == approx([inside.min(), inside.max()], abs=3e-4)
    assert found.kappa == alone.kappa
    assert found.kappa_interval.width > alone.kappa_interval.width


def test_raters_who_always_agree_count_each_group_once():
    labels = np.arange(40) % 2
    single, grouped = (
        agreement(labels, labels),
        agreement(labels, labels, np.arange(40) // 4),
    )
    assert (
        single.kappa
        == grouped.kappa
        == single.kappa_interval.high
        == grouped.kappa_interval.high
        == 1
    )
    assert grouped.kappa_interval.low < single.kappa_interval.low < 1
    assert [*grouped.share_interval] == approx([*proportion_interval(10, 10)])


def test_raters_who_never_agree():
    found = agreement(np.arange(40) % 2, np.arange(1, 41) % 2)
    assert (found.share, found.kappa, found.kappa_interval.low) == (0, -1, -1)
    assert found.kappa_interval.high < 0


# --------------------------------------------------------------------------------------
# What has no answer
# --------------------------------------------------------------------------------------


def test_a_rater_with_one_label_leaves_the_share():
    found = agreement(["good"] * 20, ["good"] * 19 + ["bad"])
    assert (found.share, found.kappa, found.kappa_interval) == (0.95, None, None)
    assert [*found.share_interval] == [*proportion_interval(19, 20)]
    assert "kappa says nothing where a rater has one label only, as a here" in str(
        found
    )
    assert "as a and b here" in str(agreement([1] * 20, [1] * 20))
    assert agreement([1] * 20, [0, 1] * 10, np.arange(20) // 2).kappa is None


def test_raters_without_a_label_in_common_are_refused():
    message = r"^a and b must have a label in common.*'7'.*proportion_interval\(0, 20\)"
    with pytest.raises(ValueError, match=message):
        agreement(["007", "008"] * 10, ["7", "8"] * 10)


def test_few_items_have_a_kappa_without_interval():
    found = agreement([0, 1] * 4, [0, 1, 1, 1] * 2)
    assert found.kappa is not None
    assert found.kappa_interval is None
    assert str(found).endswith("no interval of kappa is known to hold below 10 items")
    assert agreement([0, 1] * 5, [0, 1] * 5).kappa_interval


def test_a_label_in_one_group_alone_leaves_no_interval():
    members, a, b = np.arange(44) // 4, [0] * 40 + [1] * 4, [0] * 41 + [1] * 3
    found = agreement(a, b, members)
    assert found.kappa > 0.8
    assert found.kappa_interval is None
    assert "one group alone has a second label" in str(found)


def test_scores_are_no_labels():
    scores = np.random.default_rng(0).random((2, 50))
    with pytest.raises(
        ValueError,
        match=r"^a and b must hold labels, got 100 different numbers on 50 items: .*sp",
    ):
        agreement(*scores)
    halves = np.round(2 * scores * 4.5) / 2
    assert agreement(*halves).kappa is not None
    assert agreement(*np.round(scores * 1000)).share == 0  # whole numbers may be names


def test_free_text_in_many_groups_is_too_much():
    names = np.arange(4000)
    with pytest.raises(ValueError, match="^a and b: 4,000 labels in 4,000 groups"):
        agreement(names, names, names)


# --------------------------------------------------------------------------------------
# A difference as people would see it
# --------------------------------------------------------------------------------------


def judged(n, size, errs=(0.1, 0.2), rates=(0.7, 0.6), seed=0):
    """Right and wrong answers as a judge sees them, and people on the first n."""
    rng = np.random.default_rng(seed)
    people = rng.random((2, size)) < np.reshape(rates, (2, 1))
    wrong = rng.random((2, size)) < np.reshape(errs, (2, 1))
    seen = np.where(np.arange(size) < n, people, np.nan)
    return *(people ^ wrong).astype(float), *seen


def test_a_judged_difference_is_the_line_s_value_at_the_judge_s_mean():
    judge_a, judge_b, people_a, people_b = judged(80, 400)
    all_items = judge_a - judge_b
    seen = (people_a - people_b)[:80]
    # One more item's scatter: what people's differences are where they are not 0.
    line = stats.linregress(all_items[:80] - all_items.mean(), seen)
    left = seen - line.intercept - line.slope * (all_items[:80] - all_items.mean())
    more = 1 + 1 / (left @ left)
    part = line.slope**2 * all_items.var(ddof=1) / 400
    found = judged_difference(judge_a, judge_b, people_a, people_b)
    assert found.difference == approx(line.intercept)
    assert found.se**2 == approx(more * line.intercept_stderr**2 + part)
    assert found.method.startswith("people on 80 of 400 items, worth ")


def test_a_judge_s_scale_is_no_matter_and_people_s_is():
    a, b, people_a, people_b = judged(80, 400)
    found = judged_difference(a, b, people_a, people_b)
    other = judged_difference(7 - 3 * a, 7 - 3 * b, people_a, people_b)
    assert [*other] == approx([*found])
    percent = judged_difference(a, b, 100 * people_a, 100 * people_b)
    assert [*percent] == approx([100 * end for end in found])


def test_a_judge_who_says_nothing_leaves_people_s_mean():
    *_, people_a, people_b = judged(200, 1000)
    same = np.ones(1000)
    found = judged_difference(same, same, people_a, people_b)
    alone = t_interval((people_a - people_b)[:200])
    assert found.difference == approx(np.mean([*alone]))
    assert found.width == approx(alone.width, rel=0.02)
    assert found.width > alone.width


def test_a_judge_who_errs_on_one_system_costs_no_truth():
    """The judge's own interval of the difference, .1, holds it in no sample."""
    errs, held, by_judge = (0.0, 0.3), 0, 0
    for seed in range(400):
        a, b, *people = judged(100, 1000, errs, seed=seed)
        held += 0.1 in judged_difference(a, b, *people)
        by_judge += 0.1 in t_interval(a - b)
    assert held > 0.92 * 400
    assert by_judge < 0.2 * 400


def test_groups_vary_as_groups():
    """A group each is no group; items that repeat one another say nothing more."""
    a, b, *people = judged(100, 400)
    found = judged_difference(a, b, *people)
    single = judged_difference(a, b, *people, groups=np.arange(400))
    assert [*single] == approx([*found])
    five = [np.repeat(x, 5) for x in (a, b, *people)]
    whole = judged_difference(*five, groups=np.repeat(np.arange(400), 5))
    assert whole.difference == approx(found.difference)
    assert whole.width == approx(found.width, rel=0.02)
    assert judged_difference(*five).width < 0.5 * found.width


def test_where_people_read_all_groups_the_judge_changes_nothing():
    """Its part, people's other part and what groups have in both add up."""
    rng = np.random.default_rng(3)
    groups = np.repeat(np.arange(100), 5)
    of_group = rng.normal(size=100)[groups]
    people = of_group + rng.normal(size=500)
    judge = of_group + 2 * rng.normal(size=500)
    found = judged_difference(judge, 0 * judge, people, 0 * people, groups=groups)
    alone = crossed_difference(people, 0 * people, groups=groups)
    assert found.difference == approx(alone.difference)
    assert found.se == approx(alone.se, rel=0.03)


def test_groups_of_a_prompt_s_variants_are_covered():
    """Twenty whole prompts of five variants were read; without groups 70 % hold it."""
    held, rng, truth = 0, np.random.default_rng(0), stats.norm.cdf([0.5, 0.25])
    groups = np.repeat(np.arange(200), 5)
    for _ in range(300):
        of_group = rng.normal(size=(2, 200))[:, groups]
        cause = 0.8 * of_group + 0.6 * rng.normal(size=(2, 1000))
        people = cause < np.reshape([0.5, 0.25], (2, 1))
        judge = people ^ (rng.random((2, 1000)) < 0.15)
        read = np.isin(groups, rng.permutation(200)[:20])
        seen = np.where(read, people, np.nan)
        held += truth[0] - truth[1] in judged_difference(*judge, *seen, groups=groups)
    assert held > 0.91 * 300


def test_a_constant_added_to_people_s_scores_of_one_system_is_added_and_no_more():
    a, b, people_a, people_b = judged(90, 600)
    found = judged_difference(a, b, people_a, people_b)
    moved = judged_difference(a, b, people_a + 40, people_b)
    assert [end - 40 for end in moved] == approx([*found])
    assert judged_difference(a, b, *judged(600, 600)[2:]).method == (
        "people on all 600 items"
    )


def test_a_judge_who_erred_nowhere_is_not_taken_for_one_who_never_does():
    a, b, *people = judged(60, 3000, (0, 0))
    assert judged_difference(a, b, *people).width > 1.5 * t_interval(a - b).width


@grid(
    ("change", "message"),
    [
        (
            lambda a, b, p, q: (a, b, p, np.roll(q, 1)),
            "the same items, but on 2 only one has",
        ),
        (
            lambda a, b, p, q: (a, b, p, p),
            "on some of the 80 items than on others, got [+]0",
        ),
        (
            lambda a, b, p, q: (a[:90], b[:90], p, q),
            "each of the judge's 90 items, NaN where",
        ),
        (lambda a, b, p, q: (a, b, np.full(400, np.nan), q), "50 items or more, got 0"),
        (
            lambda a, b, p, q: (a, b, *np.where(np.arange(400) < 49, [p, q], np.nan)),
            "people_a must have scores of 50 items or more, got 49",
        ),
        (lambda a, b, p, q: (a * np.nan, b, p, q), "^judge_a must be finite"),
    ],
)
def test_what_says_nothing_of_people_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        judged_difference(*change(*judged(80, 400)))
