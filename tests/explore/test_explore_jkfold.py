"""Chapter 8's explorer against choices counted anew: every group of few partitions,
fresh groups of many.
"""

import itertools
import re

import numpy as np
import pytest
from by_hand import recorded
from chapter_explorers import chapter_explorer
from grids import grid

from evalkit import explore

GROUPS = 10_000
TASKS = {
    "docstring lines": ("docstrings", 6 * 70),
    "handwritten digits": ("digits", 10 * 30),
}


def right_answers(task, k):
    """Of each partition and setting."""
    rows = recorded("grids/partitions.csv", task=task, k=k, sample=0)
    return np.array([[int(count) for count in row["right"].split()] for row in rows])


def near(share, n=GROUPS):
    """A share of random groups, within four standard errors of two draws and the
    rounding of a sentence.
    """
    return pytest.approx(share, abs=4 * np.sqrt(2 * share * (1 - share) / n) + 0.006)


def deal(right, j, n_deals, rng):
    """Choices of groups that share no partition within a deal, by sorting random
    numbers; a row a deal.
    """
    dealt = len(right) // j
    order = np.argsort(rng.random((n_deals, len(right))), axis=1)[:, : dealt * j]
    # Deals, groups, settings.
    return right[order.reshape(n_deals, dealt, j)].sum(axis=2)


def agreement_of(chosen):
    """How often two groups of one deal choose alike, pair by pair."""
    pairs = itertools.combinations(range(chosen.shape[1]), 2)
    return np.mean([chosen[:, one] == chosen[:, other] for one, other in pairs])


def truth_of(name):
    (row,) = recorded("grids/truth.csv", task=name, sample=0)
    return np.array([int(count) for count in row["right"].split()]) / int(row["items"])


SENTENCE = re.compile(
    r"Averaged over (\d+) partitions? into (\d+) folds, a search chooses a setting that"
    r" is worth "
    r"([\d.]+)\xa0% on new items(?:, ([+−]?[\d.]+) ± ([\d.]+) points compared with one"
    r" partition)?\. The "
    r"best of the grid, ringed, is worth ([\d.]+)\xa0%\. Two searches that share no"
    r" partition choose the "
    r"same setting ([\d.]+) ± ([\d.]+)\xa0% of the time(?: \(([\d.]+)\xa0% with one"
    r" partition each\))?\. "
    r"In (\d+)\xa0% of the searches several settings tie for the best score; the first"
    r" of them counts as "
    r"chosen\. The score that a search reports has a standard deviation of ([\d.]+)"
    r" points\. A search costs "
    r"([\d,]+) fits on ([\d,]+) items in all\. "
    r"\(±: a standard error, as the (\d+) recorded partitions leave it\.\)"
)


def numbers_of(sentence):
    found = SENTENCE.fullmatch(sentence).groups()
    return [
        None if n is None else float(n.replace(",", "").replace("−", "-"))
        for n in found
    ]


@grid(
    ("task", "j", "k"),
    [
        ("docstring lines", 1, 10),
        ("handwritten digits", 3, 5),
        ("docstring lines", 4, 5),
        ("docstring lines", 16, 5),
        ("handwritten digits", 16, 10),
    ],
)
def test_choices_are_those_of_recorded_partitions_in_groups_that_share_none(task, j, k):
    name, items = TASKS[task]
    right, truth = right_answers(name, k), truth_of(name)
    n_deals = 1 if j == 1 else 20 * j
    sums = deal(right, j, n_deals, np.random.default_rng(1))
    chosen = sums.argmax(axis=2)  # the first of equals: whole numbers tie exactly
    shares = np.bincount(chosen.ravel(), minlength=81) / chosen.size
    shown = chapter_explorer("jkfold").show(task=task, j=j, k=k)
    assert list(shown.rows) == ["C", "gamma", "share", "best"]
    grid = [
        (float(r["C"]), float(r["gamma"]))
        for r in recorded("grids/settings.csv", task=name)
    ]
    assert list(zip(shown.rows.C, shown.rows.gamma, strict=True)) == grid
    assert shown.rows.best.tolist() == (truth == truth.max()).tolist()
    np.testing.assert_allclose(shown.rows.share, shares, atol=0.03)
    found = numbers_of(shown.sentence)
    (
        of_j,
        of_k,
        worth,
        gain,
        _,
        best,
        agreement,
        _,
        alone,
        ties,
        sd,
        fits,
        trained,
        n,
    ) = found
    assert (of_j, of_k, n) == (j, k, len(right))
    assert worth == pytest.approx(100 * shares @ truth, abs=0.1)
    assert best == pytest.approx(100 * truth.max(), abs=0.05)
    # Deals of the same partitions: far closer than what other partitions would give.
    assert agreement == pytest.approx(
        100 * agreement_of(chosen), abs=0.06 if j == 1 else 2
    )
    tied = (
        np.count_nonzero(sums == sums.max(axis=2, keepdims=True), axis=2) > 1
    ).mean()
    assert ties == pytest.approx(100 * tied, abs=3)
    singles = deal(right, 1, 1, np.random.default_rng(1)).argmax(axis=2)
    if j > 1:
        one = np.bincount(singles.ravel(), minlength=81) / singles.size
        assert gain == pytest.approx(100 * (shares - one) @ truth, abs=0.05)
        assert alone == pytest.approx(100 * agreement_of(singles), abs=0.06)
    assert (gain is None, alone is None) == (j == 1, j == 1)
    scatter = np.std(sums.max(axis=2) / j / items, ddof=1) / np.sqrt(1 - j / len(right))
    assert sd == pytest.approx(100 * scatter, rel=0.05, abs=0.006)
    assert (fits, trained) == (j * k * 81, j * (k - 1) * items * 81)
    assert ("1 partition " in shown.sentence) == (j == 1)


@grid("j", [1, 4])
def test_standard_errors_leave_out_each_sixteenth_of_the_partitions(j):
    right, truth = right_answers("docstrings", 5), truth_of("docstrings")

    def without(part, j):
        rest = np.delete(right, part, axis=0)
        chosen = deal(rest, j, 1 if j == 1 else 60, np.random.default_rng(2)).argmax(
            axis=2
        )
        return agreement_of(chosen), truth[chosen].mean()

    parts = np.arange(256).reshape(16, 16)
    found = np.array([without(part, j) for part in parts])
    singles = np.array([without(part, 1) for part in parts])
    agreements, gains = found[:, 0], found[:, 1] - singles[:, 1]
    errors = [
        100 * np.sqrt(15 / 16 * np.sum((values - values.mean()) ** 2))
        for values in (agreements, gains)
    ]
    _, _, _, _, gain_error, _, _, error, *_ = numbers_of(
        chapter_explorer("jkfold").show(task="docstring lines", j=j, k=5).sentence
    )
    assert error == pytest.approx(errors[0], abs=0.06 if j == 1 else 0.35)
    if j > 1:
        assert gain_error == pytest.approx(errors[1], abs=0.02)


OWN = np.array([[7, 5, 6], [5, 7, 6], [7, 4, 6], [6, 6, 6], [3, 7, 6], [8, 5, 6]]) / 10


@grid("j", [1, 3])
def test_partitions_of_ones_own_are_compared_in_groups_that_share_none(j):
    whole = np.round(10 * OWN)
    groups = [
        whole[list(group)].sum(axis=0) for group in itertools.combinations(range(6), j)
    ]
    shares = np.bincount([group.argmax() for group in groups], minlength=3) / len(
        groups
    )
    pairs = [
        (whole[list(one)].sum(axis=0).argmax(), whole[list(other)].sum(axis=0).argmax())
        for one in itertools.combinations(range(6), j)
        for other in itertools.combinations(sorted(set(range(6)) - set(one)), j)
    ]
    agreement = np.mean([one == other for one, other in pairs])
    # Drawn without replacement from six, a mean of j scatters too little by the factor
    # 1 - j/6.
    sd = np.std([group.max() / j / 10 for group in groups]) / np.sqrt(1 - j / 6)
    shown = explore.jkfold(OWN).show(j=j)
    named = dict(zip(shown.rows.setting, shown.rows.share, strict=True))
    assert [named[f"column {i}"] for i in range(3)] == pytest.approx(
        shares.tolist(), abs=0.02
    )
    # The order is that of the largest groups, for all sizes.
    assert (
        shown.rows.setting.tolist()
        == explore.jkfold(OWN).show(j=2).rows.setting.tolist()
    )
    last = explore.jkfold(OWN).show(j=3).rows.share
    assert last.tolist() == sorted(last, reverse=True)
    tied = np.mean([np.count_nonzero(group == group.max()) > 1 for group in groups])
    same, ties, found = re.fullmatch(
        rf"From your 6 partitions: two searches with {j} partitions? each, of which"
        r" they share none, choose "
        r"the same setting (\d+)\xa0% of the time\. That rests on no more than"
        rf" {6 // j} groups that share "
        r"none\. In (\d+)\xa0% of the searches several settings tie for the best score;"
        r" the first of them "
        r"counts as chosen\. What a search reports has a standard deviation of"
        r" ([\d.]+)\.",
        shown.sentence,
    ).groups()
    assert int(same) / 100 == near(agreement)
    assert int(ties) / 100 == near(tied)
    assert float(found) == pytest.approx(sd, rel=0.03)


@grid(("partitions", "last"), [(2, 1), (7, 3), (40, 16)])
def test_a_group_takes_at_most_half_of_ones_own_partitions(partitions, last):
    explorer = explore.jkfold(np.random.default_rng(0).random((partitions, 12)))
    (j,) = explorer.controls
    assert (j.values, j.live, j.start) == (
        tuple(range(1, last + 1)),
        range(1, last + 1),
        1,
    )
    assert explorer.show(j=last).rows.setting.tolist()[-1] == "all others"
    assert explorer.show(j=last).rows.share.sum() == pytest.approx(1)


def test_ten_settings_all_have_a_bar_of_their_own():
    rows = explore.jkfold(np.random.default_rng(0).random((9, 10))).show(j=2).rows
    assert sorted(rows.setting) == [f"column {i}" for i in range(10)]
    assert rows.share.sum() == pytest.approx(1)


@grid("matrix", [np.eye(4), np.eye(2)])
def test_partitions_that_all_choose_another_setting_never_agree(matrix):
    assert (
        "same setting 0\xa0% of the time" in explore.jkfold(matrix).show(j=1).sentence
    )


def test_partitions_of_ones_own_tie_as_whole_numbers_do():
    thousandths = np.random.default_rng(0).integers(800, 804, (12, 3))
    sentences = {
        explore.jkfold(scores).show(j=3).sentence.split(" What")[0]
        for scores in (
            thousandths / 1000,
            (thousandths / 1000).astype(np.float32),
            thousandths.astype(float),
        )
    }
    assert len(sentences) == 1


def test_many_partitions_are_added_up_in_blocks():
    # Ten settings in 4,000 partitions are more scores than one block.
    scores = np.random.default_rng(2).random((4000, 10))
    same = re.search(
        r"setting (\d+)\xa0% of the time", explore.jkfold(scores).show(j=16).sentence
    )[1]
    assert int(same) / 100 == near(1 / 10)  # each is as good as the others


def test_settings_of_ones_own_can_be_named():
    named = (
        explore.jkfold(OWN, settings=[{"C": 1, "gamma": 0.1}, {"C": 2}, "linear"])
        .show(j=2)
        .rows
    )
    plain = explore.jkfold(OWN).show(j=2).rows
    names = {"column 0": "C=1, gamma=0.1", "column 1": "C=2", "column 2": "linear"}
    assert named.setting.tolist() == [names[setting] for setting in plain.setting]
    assert named.share.tolist() == plain.share.tolist()
