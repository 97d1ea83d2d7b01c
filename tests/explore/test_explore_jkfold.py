"""Chapter 8's explorer against choices counted anew: every group of few partitions, fresh groups of many."""

import itertools
import re

import numpy as np
import pytest
from by_hand import Figure, recorded

from evalkit import explore

GROUPS = 10_000
TASKS = {"docstring lines": ("docstrings", 6 * 70), "handwritten digits": ("digits", 10 * 30)}


def right_answers(task, k):
    """Of each partition and setting."""
    rows = recorded("grids/partitions.csv", task=task, k=k, sample=0)
    return np.array([[int(count) for count in row["right"].split()] for row in rows])


def near(share, n=GROUPS):
    """A share of random groups, within four standard errors of two draws and the rounding of a sentence."""
    return pytest.approx(share, abs=4 * np.sqrt(2 * share * (1 - share) / n) + 0.006)


@pytest.mark.parametrize(
    ("task", "j", "k"), [("docstring lines", 1, 10), ("handwritten digits", 3, 5), ("docstring lines", 16, 5)]
)
def test_choices_are_those_of_the_recorded_partitions(task, j, k):
    name, items = TASKS[task]
    right = right_answers(name, k)
    if j == 1:
        sums, exact = right, True
    else:  # groups of partitions that are drawn once each
        order = np.argsort(np.random.default_rng(1).random((GROUPS, len(right))), axis=1)[:, :j]
        sums, exact = right[order].sum(axis=1), False
    chosen = sums.argmax(axis=1)  # the first of equals: whole numbers tie exactly
    shares = np.bincount(chosen, minlength=81) / len(chosen)
    alone = np.bincount(right.argmax(axis=1), minlength=81) / len(right)
    shown = explore.jkfold().show(task=task, j=j, k=k)
    assert shown.rows.setting.tolist() == [*map(str, range(1, 11)), "rest"]
    assert shown.rows.share.sum() == pytest.approx(1)
    # Settings that one partition chooses about equally often may change places; so may they here.
    places = np.argsort(-alone, kind="stable")
    for i, share in enumerate(shown.rows.share[:10]):
        like = places[abs(alone[places] - alone[places[i]]) < 0.02]
        assert any(share == near(shares[setting]) for setting in like)
    if exact:
        np.testing.assert_allclose(shown.rows.share[:10], np.sort(shares)[::-1][:10], atol=0.02)
    numbers = re.fullmatch(
        rf"With {j} partitions? into {k} folds, two searches choose the same setting (\d+)% of the time\. "
        r"What they report has a standard deviation of ([\d.]+) points\. What they choose is worth ([\d.]+) "
        r"on new items, where the best of the grid has ([\d.]+)\. A search costs ([\d,]+) fits on ([\d,]+) "
        r"items in all\.",
        shown.sentence,
    ).groups()
    assert ("1 partition " in shown.sentence) == (j == 1)
    agreement, sd, worth, best = map(float, numbers[:4])
    assert agreement / 100 == near((shares**2).sum())
    assert sd == pytest.approx(100 * np.std(sums.max(axis=1) / j / items, ddof=1), rel=0.05, abs=0.006)
    (row,) = recorded("grids/truth.csv", task=name, sample=0)
    truth = np.array([int(count) for count in row["right"].split()]) / int(row["items"])
    assert worth == pytest.approx(shares @ truth, abs=0.002)
    assert best == pytest.approx(truth.max(), abs=0.0005)
    assert [number.replace(",", "") for number in numbers[4:]] == [
        str(j * k * 81),
        str(j * (k - 1) * items * 81),
    ]


def test_every_recorded_k_can_be_set():
    assert explore.jkfold().start == {"task": "docstring lines", "j": 1, "k": 5}
    task, j, k = explore.jkfold().controls
    assert task.values == tuple(TASKS)
    rows = [row for row in recorded("grids/partitions.csv", sample=0) if row["task"] != "scipy"]
    assert {(name, fold) for name, _ in TASKS.values() for fold in k.values} == {
        (row["task"], int(row["k"])) for row in rows
    }
    assert (j.values, j.live, j.start) == (tuple(range(1, 17)), range(1, 17), 1)


OWN = np.array([[7, 5, 6], [5, 7, 6], [7, 4, 6], [6, 6, 6], [3, 7, 6], [8, 5, 6]]) / 10


@pytest.mark.parametrize("j", [1, 3])
def test_partitions_of_ones_own_are_compared_in_groups_that_share_none(j):
    whole = np.round(10 * OWN)
    groups = [whole[list(group)].sum(axis=0) for group in itertools.combinations(range(6), j)]
    shares = np.bincount([group.argmax() for group in groups], minlength=3) / len(groups)
    pairs = [
        (whole[list(one)].sum(axis=0).argmax(), whole[list(other)].sum(axis=0).argmax())
        for one in itertools.combinations(range(6), j)
        for other in itertools.combinations(sorted(set(range(6)) - set(one)), j)
    ]
    agreement = np.mean([one == other for one, other in pairs])
    # Drawn without replacement from six, a mean of j scatters too little by the factor 1 - j/6.
    sd = np.std([group.max() / j / 10 for group in groups]) / np.sqrt(1 - j / 6)
    shown = explore.jkfold(OWN).show(j=j)
    assert shown.rows.setting.tolist() == ["1", "2", "3"]
    # One partition chooses the first most often, and the third never: they stand in order as they are.
    np.testing.assert_allclose(shown.rows.share, shares, atol=0.02)
    same, found = re.fullmatch(
        rf"From your 6 partitions: two searches with {j} partitions? each choose the same setting (\d+)% of "
        r"the time; what they report has a standard deviation of ([\d.]+)\.",
        shown.sentence,
    ).groups()
    assert int(same) / 100 == near(agreement)
    assert float(found) == pytest.approx(sd, rel=0.03)


@pytest.mark.parametrize(("partitions", "last"), [(2, 1), (7, 3), (40, 16)])
def test_a_group_takes_at_most_half_of_ones_own_partitions(partitions, last):
    explorer = explore.jkfold(np.random.default_rng(0).random((partitions, 12)))
    (j,) = explorer.controls
    assert (j.values, j.live, j.start) == (tuple(range(1, last + 1)), range(1, last + 1), 1)
    assert explorer.show(j=last).rows.setting.tolist()[-2:] == ["10", "rest"]


def test_ten_settings_all_have_a_bar_of_their_own():
    rows = explore.jkfold(np.random.default_rng(0).random((9, 10))).show(j=2).rows
    assert rows.setting.tolist() == [str(i) for i in range(1, 11)]
    assert rows.share.sum() == pytest.approx(1)


@pytest.mark.parametrize("matrix", [np.eye(4), np.eye(2)])
def test_partitions_that_all_choose_another_setting_never_agree(matrix):
    assert "same setting 0% of the time" in explore.jkfold(matrix).show(j=1).sentence


def test_partitions_of_ones_own_tie_as_whole_numbers_do():
    thousandths = np.random.default_rng(0).integers(800, 804, (12, 3))
    sentences = {
        explore.jkfold(scores).show(j=3).sentence.split(";")[0]
        for scores in (thousandths / 1000, (thousandths / 1000).astype(np.float32), thousandths.astype(float))
    }
    assert len(sentences) == 1


def test_many_partitions_are_added_up_in_blocks():
    # Ten settings in 4,000 partitions are more scores than one block.
    scores = np.random.default_rng(2).random((4000, 10))
    same = re.search(r"setting (\d+)% of the time", explore.jkfold(scores).show(j=16).sentence)[1]
    assert int(same) / 100 == near(1 / 10)  # each is as good as the others


def test_bars_stand_where_the_axes_say():
    explorer = explore.jkfold()
    setting = {"task": "handwritten digits", "j": 4, "k": 10}
    rows, figure = explorer.show(**setting).rows, Figure(explorer, **setting)
    bars = figure.marks("rect")
    names = figure.categories("bottom", [bar["x"] + bar["width"] / 2 for bar in bars])
    heights = figure.values("left", [bar["y"] for bar in bars])
    assert dict(zip(names, heights, strict=True)) == pytest.approx(
        dict(zip(rows.setting, rows.share, strict=True)), abs=0.005
    )
    assert figure.labels("left")[-1] == "100%"
    assert figure.labels("bottom") == rows.setting.tolist()
    assert figure.colours() == Figure(explore.jkfold(OWN)).colours() == {"one"}
