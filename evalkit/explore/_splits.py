"""Chapter 1: how the data are divided against how the estimate scatters."""

import numpy as np

from evalkit._checks import check_int
from evalkit._numbers import percent
from evalkit.explore._controls import Control
from evalkit.explore._play import Guess, Play
from evalkit.explore._tables import check_recorded

__all__ = ["splits"]

KINDS = {
    "random": "at random",
    "stratified": "stratified by class",
    "grouped": "by whole modules",
}
WAYS = {"one_split": "one split", "accuracy": "cross-validation"}
_NEEDED = {
    "divided": ("scheme", "folds", "shuffle", *WAYS),
    "outside": ("lines", "accuracy", "new_lines", "new_accuracy"),
}


def splits(*, recorded=None, n_lines=None):
    """Explore splits: divide the same lines again and again, and see how the estimates
    scatter.

    Parameters
    ----------
    recorded : dict of str to DataFrame
        The chapter's tables: `divided`, estimates from many divisions of the same
        lines, and `outside`, what a model of all these lines is worth on others.
    n_lines : int
        How many lines were divided.

    Returns
    -------
    Play
    """
    given = check_recorded(recorded, _NEEDED)
    n_lines = check_int(n_lines, "n_lines", low=1)
    divided, outside = given["divided"], given["outside"].iloc[0]
    folds = tuple(sorted(divided.folds.unique().tolist()))
    controls = (
        Control("scheme", "Division", tuple(KINDS), "stratified", text=KINDS.get),
        Control(
            "folds",
            "K, parts (and share trained on)",
            folds,
            5,
            text=lambda k: f"{k} ({percent(1 - 1 / k)})",
        ),
    )
    estimates = {
        f"{scheme} {k}": {
            "one_split": (100 * rows.one_split).round(2).tolist(),
            "crossed": (100 * rows.accuracy).round(2).tolist(),
        }
        for (scheme, k), rows in divided.sort_values("shuffle").groupby(
            ["scheme", "folds"]
        )
    }
    lowest, highest = (
        100 * find(divided[list(WAYS)].to_numpy()) for find in (np.min, np.max)
    )
    truths = {scheme: 100 * float(outside.accuracy) for scheme in KINDS}
    truths["grouped"] = 100 * float(outside.new_accuracy)
    return Play(
        "splits",
        "Estimates of one model from the same lines",
        "splits",
        controls,
        {
            "divided": estimates,
            "truths": truths,
            "axis": [int(5 * (lowest // 5)), int(5 * -(-highest // 5))],
        },
        {
            "axis": [
                "estimated accuracy, in 100 lines",
                "(dashed: a model of all these lines, on others)",
            ],
            "digits": 1,
            "lanes": {
                "single": "one split: one of K parts for test",
                "crossed": "cross-validation: each part in turn",
            },
            "hidden": True,
            "sentence": (
                f"Naive Bayes on {n_lines:,} lines in {{folds}} parts, divided afresh"
                " for each mark."
            ),
            "later": (
                "In brackets: where the mean of many more divisions of these lines lies"
                " (95 %)."
            ),
            "others": {
                scheme: (
                    "lines of other modules" if scheme == "grouped" else "other lines"
                )
                for scheme in KINDS
            },
            "all": (
                f"These are all {divided.shuffle.nunique()} divisions that were"
                " recorded."
            ),
        },
        {"single": "one", "crossed": "two"},
        Guess(
            "Guess, and a dashed line shows the truth: of 100 other lines, how many"
            " will it get right?",
            "mark",
            (40, 90),
            {
                "says": (
                    "You guessed {guess}; a model of all these lines gets {truth} of"
                    " 100 {others} right."
                )
            },
        ),
        {"Divide once": 1, "Ten times": 10},
    )
