"""What was chosen before the scores were compared: what a file shows of it, and what no file does."""

import numpy as np

from evalkit.reports import _seen
from evalkit.reports._columns import score_direction
from evalkit.reports._faults import listed, shown
from evalkit.reports._words import TEST, VALIDATION, parts

BY_FOLDS = "The folds that compare the systems chose the setting of each: see the note at the top."
_CHOSEN = frozenset({"best", "max", "peak", "oracle", "top"})


def chosen_by_test(frame, table, bench, *, search, by_folds=False):
    """Check what the file shows of choices that were made by the test scores."""
    metric = table.roles.get("score", "")
    words = parts(metric)
    same = "validation" in frame and np.array_equal(frame.validation, frame.score, equal_nan=True)
    if words & _CHOSEN and (words & TEST or "validation" not in frame):
        what = f"The score is called {shown(metric)}: the best over a run, or over several."
    elif same:
        both = f"{shown(table.roles['validation'])}, {shown(metric)}"
        what = f"Validation and test scores ({both}) are the same in every row."
    elif search and "validation" not in frame:
        what = "The settings vary, and there is one score: it chose the setting, and it would compare it."
    elif words & VALIDATION:
        what = f"The scores, {shown(metric)}, are of a validation set, by their name."
    else:
        if search:
            words = "Each search is judged by the test score of the trial that the validation score chose."
            found, _ = score_direction(table, bench.options)
            if _seen.is_turned(table, found == "higher"):
                way = "lower" if found == "higher" else "higher"
                words += f" Of {shown(table.roles['validation'])} the {way} is the better."
            bench.fine("test-chose", words)
        elif by_folds:  # a fault of its own, which stands in the way until somebody accepts it
            bench.say("test-chose", "decided", BY_FOLDS)
        else:
            bench.unchecked(
                "test-chose", "A file of scores does not show on which data epochs and settings were chosen."
            )
        return
    bench.found(
        "test-chose",
        what,
        "The maximum of test scores is too good, and most for the system that was tried most often.",
        (
            "--metric COLUMN names a score that chose nothing.",
            "--map validation=COLUMN names the score that chose.",
        ),
    )


def never_in_a_file(bench, *, train=None, tried=None):
    """Write down what no file of results shows.

    Parameters
    ----------
    bench : Bench
    train : bool, optional
        Whether the training part was in the file, and was looked at.
    tried : dict of str to int, optional
        How many settings of each system are in the file.
    """
    if train is None:
        bench.unchecked(
            "train-items", "The training data are not in the file: look for the test items in them."
        )
    words = "The file does not say how many settings of each system were tried."
    if tried is not None:
        sizes = listed([f"{name} {n:,}" for name, n in tried.items()])
        words = f"Settings in the file: {sizes}. What else was tried it does not say."
    bench.unchecked("tuned", words)
    bench.unchecked("told", "Other metrics, data sets and variants that were tried belong into the family.")
