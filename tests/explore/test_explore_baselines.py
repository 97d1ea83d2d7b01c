"""Chapter 2's explorer against scikit-learn's metrics, with every pair of class and
answer at its weight.
"""

import functools
import itertools

import numpy as np
from chapter_explorers import chapter_explorer
from grids import grid
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score

from evalkit import explore

DUMMIES = ("most frequent", "stratified", "uniform", "always the rarest")


def scores(shares, metric):
    """What each dummy scores on endlessly many items."""
    classes = range(len(shares))
    answers = [
        np.eye(len(shares))[0],
        shares,
        np.full(len(shares), 1 / len(shares)),
        np.eye(len(shares))[-1],
    ]
    of_metric = {
        "accuracy": accuracy_score,
        "balanced accuracy": balanced_accuracy_score,
        "macro F1": lambda *y, **weights: f1_score(
            *y, average="macro", zero_division=0, **weights
        ),
        "F1 of the rarest class": lambda *y, **weights: f1_score(
            *y, average=None, zero_division=0, **weights
        )[-1],
    }[metric]
    true, answered = zip(*itertools.product(classes, classes), strict=True)
    return [
        of_metric(true, answered, sample_weight=np.outer(shares, given).ravel())
        for given in answers
    ]


def sentence(percent, metric, found, best):
    return (
        f"With {percent}\xa0% of the items in one class, always naming it scores"
        f" {found[0]:.3f} in {metric}. The best dummy scores {max(found):.3f}"
        f" ({best}). "
    )


@grid(
    ("share", "percent", "metric", "best"),
    [
        (0.777, "77.7", "accuracy", '"most frequent"'),
        (
            0.999,
            "99.9",
            "balanced accuracy",
            '"most frequent", "stratified", "uniform" and "always the rarest"',
        ),
        (0.94, "94", "macro F1", '"stratified"'),
        (0.94, "94", "F1 of the rarest class", '"always the rarest"'),
        (
            0.5,
            "50",
            "accuracy",
            '"most frequent", "stratified", "uniform" and "always the rarest"',
        ),
        (0.5, "50", "macro F1", '"stratified" and "uniform"'),
    ],
)
def test_dummies_score_what_scikit_learn_says(share, percent, metric, best):
    found = scores(np.array([share, 1 - share]), metric)
    shown = chapter_explorer("baselines").show(share=share, metric=metric, own=0.35)
    assert shown.rows.dummy.tolist() == list(DUMMIES)
    np.testing.assert_allclose(shown.rows.score, found)
    against = (
        "above that: now ask if it is more than chance."
        if max(found) < 0.35
        else "below that."
    )
    gap = f"{abs(0.35 - max(found)):.3f}"
    assert (
        shown.sentence
        == f"{sentence(percent, metric, found, best)}Your score of 0.35 is {gap}"
        f" {against}"
    )
    assert shown.rows.own.tolist() == [0.35] * 4


@grid("metric", ["accuracy", "balanced accuracy", "macro F1", "F1 of the rarest class"])
def test_so_they_do_on_classes_of_ones_own(metric):
    explorer = explore.baselines(["b"] * 3 + ["a"] * 2 + ["c"] * 7)
    found = scores(np.array([7, 3, 2]) / 12, metric)
    shown = explorer.show(metric=metric, own=0.6)
    np.testing.assert_allclose(shown.rows.score, found)
    best = [
        f'"{d}"'
        for d, s in zip(DUMMIES, found, strict=True)
        if np.isclose(s, max(found))
    ]
    best = " and ".join(filter(None, [", ".join(best[:-1]), best[-1]]))
    assert shown.sentence.startswith(sentence("58.33", metric, found, best))


def test_a_score_that_reads_as_the_floor_is_not_above_it():
    show = functools.partial(
        chapter_explorer("baselines").show, share=0.9, metric="accuracy"
    )
    for own, said in [
        (0.9, "Your score of 0.9 is no more than that."),
        (0.9004, "Your score of 0.9004 is no more than that."),
        (0.85, "Your score of 0.85 is 0.050 below that."),
        (
            0.95,
            (
                "Your score of 0.95 is 0.050 above that: now ask if it is more than"
                " chance."
            ),
        ),
    ]:
        assert show(own=own).sentence.endswith(said)
