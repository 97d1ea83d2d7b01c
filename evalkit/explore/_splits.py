"""Chapter 1: which of two systems a split prefers, and an average of several."""

import functools

import numpy as np

from evalkit.explore._controls import Control
from evalkit.explore._drawn import Drawn, Row, ahead
from evalkit.explore._play import Guess, Law, Play, Series
from evalkit.explore._tables import check_recorded

__all__ = ["splits"]

KINDS = {"stratified": "single lines", "grouped": "whole modules"}
SYSTEMS = {"naive_bayes": "naive Bayes", "svm": "SVM", "linear": "logistic"}
PAIRS = (("naive_bayes", "svm"), ("svm", "linear"), ("naive_bayes", "linear"))
COUNTS = (1, 2, 3, 5, 7, 10, 20, 30, 50)


def splits(*, recorded=None):
    """Explore splits: compare two systems on random splits of the same lines, and see
    how often which of them is ahead.

    Parameters
    ----------
    recorded : DataFrame
        The book's table: `accuracy`, a share, of each `system` on each `split` of each
        `scheme`.

    Returns
    -------
    Play
    """
    recorded = check_recorded(recorded, ("scheme", "split", "system", "accuracy"))
    accuracy = recorded.pivot(
        index=["scheme", "split"], columns="system", values="accuracy"
    )
    names, gaps = {}, {}
    for first, second in PAIRS:
        pair = f"{SYSTEMS[first]}, {SYSTEMS[second]}"
        names[pair] = [SYSTEMS[first], SYSTEMS[second]]
        gap = (100 * (accuracy[first] - accuracy[second])).round(4)
        for scheme in KINDS:
            gaps[f"{pair} {scheme}"] = gap[scheme].tolist()
    n_splits = len(gaps[f"{next(iter(names))} stratified"])
    data = {"gaps": gaps, "names": names, "axis": [-4.125, 4.125]}
    controls = (
        Control(
            "splits",
            "Splits averaged",
            COUNTS,
            1,
            live=(1, 100, 1),
            short="splits",
        ),
        Control("pair", "Systems", tuple(names), next(iter(names))),
        Control("scheme", "Held out", tuple(KINDS), "stratified", text=KINDS.get),
    )
    return Play(
        "splits",
        "Two systems on random splits of the same lines",
        "Average more splits. When is the winner sure? Then hold out whole modules.",
        "pairs",
        controls,
        data,
        {
            "axis": ["{first} minus {second}, points"],
            "digits": 2,
            "unit": " points",
            "lanes": {"difference": ""},
            "kinds": {
                "b": "{first} is ahead",
                "a": "{second} is ahead",
                "tie": "neither is ahead",
            },
            "strip": {"splits": "the splits of the last comparison"},
            "tally": ["a", "b", "tie"],
            "told": 3,
            "sentence": (
                f"Each comparison draws {{splits}} of {n_splits} recorded splits, as if"
                " those were all, and averages them. Held out: {scheme}. All are splits"
                " of the same lines; on other lines another may be ahead."
            ),
        },
        {"b": "mlp", "a": "lstm", "tie": "dummy"},
        Law(
            "splits",
            ("The first of the pair is ahead,", "comparisons in 100"),
            "splits averaged",
            COUNTS,
            (0, 100),
            (Series("first", "difference", "b"),),
            by="pair",
            by_names=("Bayes, SVM", "SVM, logistic", "Bayes, logistic"),
            log=True,
            line=50,
        ),
        Guess(
            "Guess: of 100 averages of 20 splits, how often is the first ahead?",
            20,
            says="With 20 splits {first} is ahead in {truth} of 100.",
        ),
        functools.partial(_draw, data),
        draws={"Split once": 1, "100 times": 100},
    )


def _draw(data, setting, luck):
    gaps = np.array(data["gaps"][f"{setting['pair']} {setting['scheme']}"])
    drawn = gaps[luck.places(int(setting["splits"]), len(gaps))]
    value = drawn.mean(axis=1)
    first, second = data["names"][setting["pair"]]
    return Drawn(
        {"difference": (value, ahead(value))},
        tuple(data["axis"]),
        bins=33,
        mark=0,
        rows=(Row("splits", drawn[-1]),),
        words={"first": first, "second": second},
    )
