"""Chapter 2: class imbalance against what each dummy scores, by metric."""

import numpy as np
import pandas as pd

from evalkit._checks import check_labels, check_work
from evalkit.explore._controls import Control
from evalkit.explore._core import Explorer, View, bars
from evalkit.explore._words import enumeration

__all__ = ["baselines"]

SHARES = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.92, 0.94, 0.96, 0.98, 0.99)
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


def show(shares, *, metric):
    """Return what each dummy scores.

    Parameters
    ----------
    shares : ndarray of float, shape (n_classes,)
        How often each class occurs, from the most frequent to the rarest.
    metric : str

    Returns
    -------
    View
        Columns `dummy` and `score`.
    """
    n = len(shares)
    dummies = {
        "most frequent": np.eye(n)[0],
        "stratified": shares,
        "uniform": np.full(n, 1 / n),
        "always the rarest": np.eye(n)[-1],
    }
    rows = pd.DataFrame(
        {"dummy": list(dummies), "score": [score(metric, shares, a) for a in dummies.values()]}
    )
    top = rows.score.max()
    best = [f'"{name}"' for name in rows.dummy[np.isclose(rows.score, top)]]
    sentence = (
        f"With {100 * shares[0]:.4g}% of the items in one class, a dummy that always answers with it scores "
        f"{rows.score[0]:.3f} in {metric}. The best dummy scores {top:.3f} ({enumeration(best)}): a system "
        f"has to beat that, by more than chance, before its {metric} says that it has learned anything."
    )
    return View(rows, sentence)


def _show_two(*, share, metric):
    return show(np.array([share, 1 - share]), metric=metric)


def baselines(labels=None):
    """Explore the dummies: what they score on imbalanced classes.

    Parameters
    ----------
    labels : array_like, shape (n_items,), optional
        The classes of your own items; without them, two classes whose shares can be set.

    Returns
    -------
    Explorer

    Notes
    -----
    Size: linear in your items; 1 million take 5 s and 500 MB.
    """
    metric = Control("metric", "Metric", METRICS, "accuracy")
    title = "What each dummy scores"
    if labels is None:
        share = Control(
            "share", "Share of the common class", SHARES, 0.9, (0.5, 0.999, 0.001), "{:.0%}".format
        )
        return Explorer("baselines", title, (share, metric), _show_two, _chart)
    counts = np.sort(np.unique(check_labels(labels, "labels"), return_counts=True)[1])[::-1]
    check_work(len(counts), _MOST_CLASSES, f"labels have {len(counts):,} classes", "merge the rare ones")
    if len(counts) < 2:
        raise ValueError("labels must hold at least two classes; with one there is nothing to tell apart")
    shares = counts / counts.sum()
    return Explorer("baselines", title, (metric,), lambda **setting: show(shares, **setting), _chart)


def _chart():
    return bars("dummy", "score", "score", style="dummy", format=".1f")
