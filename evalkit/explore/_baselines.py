"""Chapter 2: class imbalance against what each dummy scores, by metric, and against a
score of one's own.
"""

import functools

import numpy as np
import pandas as pd

from evalkit._checks import check_labels, check_work
from evalkit._numbers import percent, typeset
from evalkit.explore._controls import Control
from evalkit.explore._core import DATA, REFERENCE, Explorer, View, bars
from evalkit.explore._words import enumeration

__all__ = ["baselines"]

# Few: a page has a sentence for each of OWN, too.
SHARES = (
    0.5,
    0.6,
    0.7,
    0.8,
    0.9,
    0.95,
    0.99,
)
# The score of a system of one's own.
OWN = tuple(round(0.05 * i, 2) for i in range(1, 21))
_MOST_CLASSES = 5000  # of which a dummy's answers are a square table
METRICS = ("accuracy", "balanced accuracy", "macro F1", "F1 of the rarest class")


def score(metric, shares, answers):
    """Return what a dummy scores on endlessly many items.

    Parameters
    ----------
    metric : str
        One of `METRICS`.
    shares : ndarray of float, shape (n_classes,)
        How often each class occurs, the rarest last; none is 0.
    answers : ndarray of float, shape (n_classes,)
        How often the dummy answers with each class, whatever the item.

    Returns
    -------
    float
    """
    f1 = 2 * shares * answers / (shares + answers)
    return float(
        {
            "accuracy": shares @ answers,
            "balanced accuracy": answers.mean(),
            "macro F1": f1.mean(),
            "F1 of the rarest class": f1[-1],
        }[metric]
    )


def _dummies(shares, metric):
    """Return what each dummy scores."""
    first, last = np.zeros((2, len(shares)))
    first[0] = last[-1] = 1
    answers = {
        "most frequent": first,
        "stratified": shares,
        "uniform": np.full(len(shares), 1 / len(shares)),
        "always the rarest": last,
    }
    return {name: score(metric, shares, answer) for name, answer in answers.items()}


def show(common, dummies, *, metric, own):
    """Return what each dummy scores, beside a score of the reader's.

    Parameters
    ----------
    common : float
        The share of the most frequent class.
    dummies : dict of str to float
        The score of each dummy.
    metric : str
    own : float

    Returns
    -------
    View
        Columns `dummy`, `score` and `own`.
    """
    rows = pd.DataFrame(
        {"dummy": list(dummies), "score": list(dummies.values()), "own": own}
    )
    top = rows.score.max()
    best = [f'"{name}"' for name in rows.dummy[np.isclose(rows.score, top)]]
    sentence = (
        f"With {typeset(f'{100 * common:.4g}%')} of the items in one class, always"
        f" naming it scores {rows.score[0]:.3f} in {metric}. The best dummy scores"
        f" {top:.3f} ({enumeration(best)}). {_against(own, top)}"
    )
    return View(rows, sentence)


def _against(own, floor):
    """Say how a score stands to the best dummy's."""
    gap = f"{abs(own - floor):.3f}"
    if not float(gap):
        return f"Your score of {own:.4g} is no more than that."
    if own < floor:
        return f"Your score of {own:.4g} is {gap} below that."
    return (
        f"Your score of {own:.4g} is {gap} above that: now ask if it is more than"
        " chance."
    )


def _show_two(*, share, metric, own):
    return show(
        share, _dummies(np.array([share, 1 - share]), metric), metric=metric, own=own
    )


def baselines(labels=None):
    """Explore the dummies: what they score on imbalanced classes.

    Parameters
    ----------
    labels : array_like, shape (n_items,), optional
        The classes of your own items; without them, two classes whose shares can be
        set.

    Returns
    -------
    Explorer

    Notes
    -----
    Size: linear in your items; 1 million take 5 s and 500 MB.
    """
    metric = Control("metric", "Metric", METRICS, "accuracy")
    own = Control("own", "Your score", OWN, 0.85, (0.0, 1.0, 0.001), "{:.4g}".format)
    title = "What each dummy scores"
    if labels is None:
        share = Control(
            "share",
            "Share of the common class",
            SHARES,
            0.9,
            (0.5, 0.999, 0.001),
            percent,
        )
        return Explorer("baselines", title, (share, metric, own), _show_two, _chart)
    counts = np.sort(np.unique(check_labels(labels, "labels"), return_counts=True)[1])[
        ::-1
    ]
    check_work(
        len(counts),
        _MOST_CLASSES,
        f"labels have {len(counts):,} classes",
        "merge the rare ones",
    )
    if len(counts) < 2:
        raise ValueError(
            "labels must hold at least two classes; with one there is nothing to tell"
            " apart"
        )
    shares = counts / counts.sum()
    dummies = functools.cache(functools.partial(_dummies, shares))

    def show_own(*, metric, own):
        return show(shares[0], dummies(metric), metric=metric, own=own)

    return Explorer("baselines", title, (metric, own), show_own, _chart)


def _chart():
    import altair as alt

    chart = bars("dummy", "score", "score (dashed: yours)", style="dummy", format=".1f")
    own = alt.Chart(alt.NamedData(DATA)).encode(x="max(own):Q")
    # Upon a dark bar it would be lost without its white edge.
    return (
        chart
        + own.mark_rule(color="#ffffff", strokeWidth=4)
        + own.mark_rule(**REFERENCE)
    )
