"""The judges on how data are divided, on made-up rows whose verdict is known, for each word they can say."""

import functools
import math

import numpy as np
import pandas as pd
import pytest
from made_up import spread
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import StratifiedShuffleSplit, train_test_split

from evalkit import recorded
from evalkit.papers.judging import MissingRunsError
from evalkit.papers.potts2020.claims import divided
from evalkit.papers.potts2020.claims.divided import JUDGES, chance_of_repeat, scale
from evalkit.papers.potts2020.tasks import SIZES, UNSTRATIFIED
from evalkit.papers.potts2020.tasks.data import STANDARD, TABLES, TEXTS
from evalkit.papers.rows import Rows

REPLICATED, NOT, OPEN = "replicated", "not replicated", "inconclusive"


def row(table, result, **unit):
    return {"unit": {"table": table, **unit}, "result": result}


def found(claim, rows=()):
    return JUDGES[claim](Rows(list(rows)))


# ---------------------------------------------------------------------------------------------
# An SD and a ratio
# ---------------------------------------------------------------------------------------------


def sd(values):
    return values.std(ddof=1)


def test_an_interval_of_an_sd_holds_the_truth_as_often_as_it_says():
    rng = np.random.default_rng(0)
    made = [scale(sd, rng.standard_normal(50)) for _ in range(400)]
    assert 0.91 < np.mean([x.low < 1 < x.high for x in made]) < 0.98


def test_an_interval_of_a_ratio_takes_in_what_both_samples_vary():
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((2, 60))
    alone = scale(sd, a)
    both = scale(lambda x, y: sd(x) / sd(y), a, 2 * b)
    assert both.estimate == pytest.approx(sd(a) / sd(b) / 2)
    widths = [np.log(x.high / x.low) for x in (alone, scale(sd, b))]
    assert np.log(both.high / both.low) == pytest.approx(np.hypot(*widths))


@pytest.mark.parametrize(
    ("statistic", "samples", "expected"),
    [
        (sd, ([0.5] * 20,), (0, 0, 0)),
        (sd, ([0.5] * 19 + [0.7],), (0.2 / math.sqrt(20), 0, math.inf)),
        (lambda a, b: sd(a) / sd(b), ([0.5] * 20, [0.5] * 20), (math.nan, 0, math.inf)),
    ],
    ids=["constant", "one that differs", "both constant"],
)
def test_scores_that_hardly_vary_say_what_they_can(statistic, samples, expected):
    x = scale(statistic, *samples)
    assert (x.estimate, x.low, x.high) == pytest.approx(expected, nan_ok=True)


# ---------------------------------------------------------------------------------------------
# Fixed parts
# ---------------------------------------------------------------------------------------------


def sized(few=(0.04,) * 3, most=(0.005,) * 3):
    rows = []
    for i, ((data, size), count) in enumerate(SIZES.items()):
        width = (few if size == 300 else most)[i // 2]
        values = spread(0.7, width, count) if width else np.full(count, 0.7)
        rows += [
            row("sizes", {"accuracy": a, "tuned": a}, data=data, size=size, split=split)
            for split, a in enumerate(values)
        ]
    return rows


@pytest.mark.parametrize(
    ("few", "most", "verdict"),
    [
        ((0.04, 0.04, 0.04), (0.005, 0.005, 0.005), REPLICATED),
        ((0.04, 0.04, 0.04), (0.005, 0.005, 0.0), REPLICATED),
        ((0.04, 0.04, 0.02), (0.005, 0.005, 0.005), OPEN),
        ((0.04, 0.04, 0.01), (0.005, 0.005, 0.005), OPEN),
        ((0.04, 0.0, 0.01), (0.005, 0.005, 0.005), NOT),
        ((0.04, 0.04, 0.01), (0.005, 0.03, 0.005), NOT),
        ((0.04, 0.04, 0.01), (0.005, 0.005, 0.03), OPEN),
    ],
)
def test_fixed_splits_need_much_data(few, most, verdict):
    judged = found("fixed-splits-need-much-data", sized(few, most))
    assert judged.verdict == verdict
    assert judged.intervals == 6


def splits(data, system, values, scheme="stratified", **more):
    return [
        row(
            "splits",
            {"accuracy": a, **{name: column[i] for name, column in more.items()}},
            data=data,
            scheme=scheme,
            split=i,
            system=system,
        )
        for i, a in enumerate(values)
    ]


def odd_sets(shares, ties=0):
    """The linear model leads by 2 points; on this many of 100 splits naive Bayes leads by 1."""
    rows = []
    for data, changed in zip(TEXTS, shares, strict=True):
        linear = np.r_[np.full(changed, 0.78), np.full(ties, 0.79), np.full(100 - changed - ties, 0.81)]
        # Rows come in any order.
        rows += splits(data, "linear", linear)[::-1]
        rows += splits(data, "naive_bayes", np.full(100, 0.79))
        rows += splits(data, "shallow", np.full(100, 0.5))
    for data in STANDARD:
        rows += splits(data, "linear", [0.80], "standard") + splits(data, "naive_bayes", [0.79], "standard")
    return rows


@pytest.mark.parametrize(
    ("shares", "ties", "verdict"),
    [
        ((30, 30, 30, 0, 0), 0, REPLICATED),
        ((30, 30, 5, 0, 0), 0, OPEN),
        ((0, 0, 0, 30, 30), 0, NOT),
        ((0, 0, 0, 0, 0), 30, NOT),
    ],
    ids=["three of five", "two of five", "three without", "ties are no change"],
)
def test_one_test_set_is_fair_but_odd(shares, ties, verdict):
    judged = found("one-test-set-fair-but-odd", odd_sets(shares, ties))
    assert judged.verdict == verdict
    assert f"SST-2 {shares[1]} of 100" in judged.evidence
    below = shares[1] + ties  # naive Bayes leads there, or nobody does
    assert f"(+1.00 on the standard split, more than on {below} of the others)" in judged.evidence
    assert "(no standard split)" in judged.evidence


def test_of_three_systems_the_two_that_lie_nearest_are_asked():
    rows = [r for r in odd_sets((30,) * 5) if r["unit"]["system"] != "shallow"]
    for data in TEXTS:
        rows += splits(data, "shallow", np.full(100, 0.7905))
    for data in STANDARD:
        rows += splits(data, "shallow", np.resize([0.80, 0.82], 20), "standard")
    judged = found("one-test-set-fair-but-odd", rows)
    assert judged.verdict == NOT  # the shallow classifier always leads naive Bayes by half a tenth of a point
    assert "the shallow classifier leads naive Bayes by 0.05 points (+2.00 on" in judged.evidence


def pairs(kind):
    """Scores of two systems that go together, against each other, each for itself, or not at all."""
    first, noise = spread(0.7, 0.02, 100), np.random.default_rng(2).permutation(spread(0, 0.02, 100))
    second = {"together": first + noise / 4, "against": 1.4 - first, "apart": 0.7 + noise}.get(kind)
    return (np.full(100, 0.7), np.full(100, 0.7)) if second is None else (first, second)


SAME = ("docstrings", "sst2", "tweets", *TABLES)


def same_splits(kinds):
    return [
        r
        for data, kind in zip(SAME, kinds, strict=True)
        for system, values in zip(("naive_bayes", "linear"), pairs(kind), strict=True)
        for r in splits(data, system, values)
    ]


@pytest.mark.parametrize(
    ("kinds", "verdict"),
    [
        (("together",) * 4 + ("apart",) * 2, REPLICATED),
        (("together",) * 3 + ("apart",) * 3, OPEN),
        (("together",) * 3 + ("constant",) * 3, OPEN),
        (("together",) * 3 + ("against",) * 2 + ("apart",), NOT),
        (("together",) * 3 + ("against",) + ("apart",) * 2, OPEN),
    ],
)
def test_same_splits_for_all(kinds, verdict):
    assert found("same-splits-for-all", same_splits(kinds)).verdict == verdict


def locked(values):
    return [
        row("sizes", {"accuracy": 0.1, "tuned": a}, data="all_docstrings", size=20_000, split=i)
        for i, a in enumerate(values)
    ]


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        ([0.80] * 25 + [0.82] * 25, REPLICATED),  # all exactly 1 point off
        ([0.80] * 48 + [0.77, 0.83], REPLICATED),
        ([0.80] * 46 + [0.77, 0.83] * 2, OPEN),
        ([0.80] * 44 + [0.77, 0.83] * 3, NOT),
        ([0.80] * 50, REPLICATED),
    ],
)
def test_a_locked_split_of_large_data(values, verdict):
    assert found("locked-split-for-large-data", locked(values)).verdict == verdict


# ---------------------------------------------------------------------------------------------
# Random splits
# ---------------------------------------------------------------------------------------------


def stratified(ratios, off=0.5):
    rows = []
    for data, ratio in zip(UNSTRATIFIED, ratios, strict=True):
        for scheme, width in (("stratified", 0.01 * ratio), ("random", 0.01)):
            f1 = spread(0.8, width, 100)
            away = np.full(100, off if scheme == "stratified" else 20.0)
            rows += splits(data, "linear", f1, scheme, macro_f1=f1, off_share=away)
    return rows


@pytest.mark.parametrize(
    ("ratios", "off", "verdict"),
    [
        ((0.5,) * 3 + (1,) * 3, 1.0, REPLICATED),
        ((0.5,) * 2 + (1,) * 4, 1.0, OPEN),
        ((0.5,) * 6, 1.5, OPEN),
        ((2,) * 4 + (0.5,) * 2, 0.5, NOT),
        ((2,) * 3 + (1,) * 3, 0.5, OPEN),
    ],
)
def test_stratify(ratios, off, verdict):
    judged = found("stratify", stratified(ratios, off))
    assert judged.verdict == verdict
    assert f"at most {off} items off its share in stratified test parts, and up to 20" in judged.evidence


def test_the_default_split_is_not_stratified(monkeypatch):
    assert found("split-default-not-stratified").verdict == REPLICATED
    labels = divided.load("wine").labels
    always = functools.partial(train_test_split, stratify=labels)
    monkeypatch.setattr(divided, "train_test_split", lambda items, random_state, stratify=None: always(items))
    assert found("split-default-not-stratified").verdict == NOT
    monkeypatch.setattr(
        divided,
        "train_test_split",
        lambda items, random_state, stratify=None: always(items, random_state=random_state),
    )
    # Now the items of ShuffleSplit are others, and class shares stay as they are.
    judged = found("split-default-not-stratified")
    assert judged.verdict == NOT
    assert "100 of 200" in judged.evidence


class Splitter:
    """A splitter that tests these items."""

    def __init__(self, *parts):
        self._parts = parts

    def __call__(self, *args, **kwargs):
        return self

    def split(self, items):
        return [(None, np.array(part)) for part in self._parts]


@pytest.mark.parametrize(
    ("splitter", "verdict"),
    [
        (None, REPLICATED),
        (Splitter(range(569), range(569)), NOT),
        (Splitter(range(300), range(269, 569)), OPEN),
        (Splitter(range(569), range(100), range(100)), OPEN),
        (Splitter(range(300), range(300)), REPLICATED),
    ],
    ids=["drawn", "evenly", "twice as often", "of other sizes", "some never"],
)
def test_random_splits_use_items_unevenly(splitter, verdict, monkeypatch):
    if splitter:
        monkeypatch.setattr(divided, "ShuffleSplit", splitter)
    assert found("random-splits-use-items-unevenly").verdict == verdict


def test_a_likely_repeat_refutes(monkeypatch):
    monkeypatch.setattr(divided, "chance_of_repeat", lambda *counts: 2e-6)
    assert found("random-splits-use-items-unevenly").verdict == NOT


@pytest.mark.parametrize(
    ("counts", "chance"), [((4, 2, 2), 1 / 6), ((4, 2, 1), 0), ((2, 1, 3), 1), ((3, 1, 3), 1 - 2 / 9)]
)
def test_the_chance_that_two_splits_are_one(counts, chance):
    assert chance_of_repeat(*counts) == pytest.approx(chance)


# ---------------------------------------------------------------------------------------------
# Folds
# ---------------------------------------------------------------------------------------------


@pytest.fixture
def few_lines(monkeypatch):
    """Four thousand classes without their lines, which would have to be read from five packages."""
    labels = divided._labels
    made_up = np.repeat([0, 1, 2], (2000, 1500, 503))
    monkeypatch.setattr(divided, "_labels", lambda data: made_up if data == "docstrings" else labels(data))


def test_folds_use_items_evenly(few_lines, monkeypatch):
    judged = found("kfold-uses-items-evenly")
    assert judged.verdict == REPLICATED
    assert "In 64 of 64 cases" in judged.evidence

    class Random(StratifiedShuffleSplit):
        def __init__(self, k, *, shuffle, random_state):
            super().__init__(k, test_size=1 / k, random_state=random_state)

    monkeypatch.setattr(divided, "StratifiedKFold", Random)
    judged = found("kfold-uses-items-evenly")
    assert judged.verdict == NOT
    assert "In 32 of 64 cases" in judged.evidence


def splitters(wine=0.0, docstrings=0.0, f1=0.5):
    """Four means that are equal but for the last, which is lower by this much."""
    rows = []
    for data, lower in (("wine", wine), ("docstrings", docstrings), ("tweets", 0.3)):
        means = dict.fromkeys(divided.SPLITTERS, 0.7) | {"stratified": 0.7 - lower}
        rows.append(row("splitters", {**means, "f1_macro": f1}, data=data))
    return rows


@pytest.mark.parametrize(
    ("apart", "verdict"),
    [((0.02, 0.4), REPLICATED), ((0.02, 0.01), OPEN), ((0.01, 0.4), OPEN), ((0.01, 0.0), NOT)],
)
def test_pass_a_splitter(apart, verdict):
    assert found("pass-a-splitter", splitters(*apart)).verdict == verdict


class Other(DummyClassifier):
    """A classifier whose own score is not its accuracy."""

    def score(self, X, y, sample_weight=None):
        return 0.123


def test_check_scoring(monkeypatch):
    def verdict(f1):
        return found("check-scoring", splitters(f1=f1)).verdict

    assert [verdict(f1) for f1 in (0.5, 0.69, 0.695, 0.7, 0.8)] == [REPLICATED, OPEN, NOT, NOT, REPLICATED]
    monkeypatch.setattr(divided, "CLASSIFIERS", (*divided.CLASSIFIERS, Other()))
    judged = found("check-scoring", splitters(f1=0.5))
    assert judged.verdict == NOT
    assert "for 7 of 8 classifiers" in judged.evidence


@pytest.mark.parametrize(
    ("by_lines", "verdict"), [(0.75, REPLICATED), (0.71, OPEN), (0.70, NOT), (0.65, NOT)]
)
def test_groups_in_folds(by_lines, verdict, monkeypatch):
    table = pd.DataFrame(
        [
            {"scheme": scheme, "system": system, "accuracy": a}
            for scheme, middle in (("stratified", by_lines), ("grouped", 0.70), ("random", 0.1))
            for system, other in (("linear", 0), ("svm", 0.2))
            for a in spread(middle - other, 0.02, 100)
        ]
    )
    monkeypatch.setattr(recorded, "load_recorded", lambda *names: {("resplits", "splits"): table}[names])
    judged = found("groups-in-folds")
    assert judged.verdict == verdict
    assert judged.intervals == 1


# ---------------------------------------------------------------------------------------------
# What is not there yet
# ---------------------------------------------------------------------------------------------

COMPLETE = {
    "fixed-splits-need-much-data": sized(),
    "one-test-set-fair-but-odd": odd_sets((30,) * 5),
    "same-splits-for-all": same_splits(("together",) * 6),
    "locked-split-for-large-data": locked([0.8] * 50),
    "stratify": stratified((0.5,) * 6),
    "pass-a-splitter": splitters()[:2],
    "check-scoring": splitters()[1:2],
}


@pytest.mark.parametrize("claim", COMPLETE)
def test_with_one_row_too_few_nothing_is_said(claim):
    with pytest.raises(MissingRunsError):
        found(claim, COMPLETE[claim][:-1])


def test_without_rows_those_judges_answer_that_need_none():
    without = {
        "split-default-not-stratified",
        "random-splits-use-items-unevenly",
        "kfold-uses-items-evenly",
        "groups-in-folds",
    }
    assert set(JUDGES) == without | set(COMPLETE)
