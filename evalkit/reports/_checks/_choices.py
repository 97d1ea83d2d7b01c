"""What was chosen before the scores were compared: what a file shows of it, and what no
file does.
"""

import re

import numpy as np

from evalkit.reports._faults import Fault, listed, shown
from evalkit.reports._recognition import _metrics
from evalkit.reports.schema import role_of

BY_FOLDS = (
    "The folds that compare the systems chose the setting of each: see the note at the"
    " top."
)
_PASS_AT = re.compile(r"(?<![a-z])pass(?:@|\^|_at_|_hat_)0*(\d+)", re.IGNORECASE)
PASSES = "`evalkit.leaderboards.pass_at_k` and `pass_hat_k`, on the page of chapter 9"
_CHOSEN = frozenset({"best", "max", "peak", "oracle", "top"})


def way_of_validation(frame, table, higher, bench):
    """Find out which way the score that chooses is better, and say how that is
    known.
    """
    if "validation" not in frame:
        return False, None
    validation = table.roles["validation"]
    name = shown(validation)
    by_name = {"higher": True, "lower": False}.get(_metrics.direction(validation))
    known = table.facts.get("higher", {}).get(validation, by_name)
    if known is None and _metrics.are_one(validation, table.roles["score"]):
        known = higher
    way = "higher" if higher else "lower"
    if known is None and "direction" in bench.options.accepted:
        return False, ("note", f"A {way} {name} is better too, as you said.")
    if known is None and bench.kind == "search":
        same = (
            f"--accept direction, if the {way} is better, as of the score that is"
            " compared."
        )
        bench.found(
            "direction",
            f"Nothing says whether a higher or a lower {name} is better.",
            f"{name} chooses the trial of each search: read the wrong way, it would"
            " choose the worst.",
            same,
            "call the column so that its name says it, such as val_loss or"
            " val_accuracy.",
            "--map validation=COLUMN, if another column chose.",
        )
    if known is None:
        return False, (
            "note",
            f"Nothing says whether a higher or a lower {name} is better.",
        )
    is_said = validation in table.facts.get("higher", {})
    how = (
        "by its name."
        if known == by_name
        else "as the format says."
        if is_said
        else "as of the score."
    )
    return known != higher, (
        "fine",
        f"Of {name} the {'higher' if known else 'lower'} is the better, {how}",
    )


def chosen_by_test(frame, table, bench, *, search, by_folds=False, by_validation=None):
    """Check what the file shows of choices that were made by the test scores."""
    metric = table.roles.get("score", "")
    words = {*_metrics.tokens(metric)}
    same = "validation" in frame and np.array_equal(
        frame.validation, frame.score, equal_nan=True
    )
    why = (
        "The best of several scores is too good, and most for the system that was tried"
        " most often."
    )
    # Which chose: no other score is known.
    is_objective = table.facts.get("trials") and metric == "value"
    chose = ["--map validation=COLUMN names the score that chose."] * (not is_objective)
    if words & _CHOSEN and (
        words & _metrics.PARTS["test"] or "validation" not in frame
    ):
        what = (
            f"The score is called {shown(metric)}: the best over a run, or over"
            " several."
        )
    elif same:
        both = f"{shown(table.roles['validation'])}, {shown(metric)}"
        what = f"Validation and test scores ({both}) are the same in every row."
    elif search and "validation" not in frame:
        what = (
            "The settings vary, and no other score is known: the one that is compared"
            " chose as well."
        )
    elif words & _metrics.PARTS["validation"]:
        what = (
            f"The scores, {shown(metric)}, are of a validation set, by their name: if"
            " it chose the epoch "
        )
        what += "or the settings, they are too good."
        why = "If they chose nothing, they are as good as those of a test set."
        chose = chose * search
    elif search:
        judged = (
            "Each search is judged by the test score of the trial that the validation"
            " score chose."
        )
        return bench.say("test-chose", by_validation[0], f"{judged} {by_validation[1]}")
    elif (
        by_folds
    ):  # a fault of its own, which stands in the way until somebody accepts it
        return bench.say("test-chose", "decided", BY_FOLDS)
    elif {"val_loss", f"val_{metric}"} <= {*table.frame}:  # as Keras writes them
        words = (
            f"{shown(metric)} may be of the training part: val_{shown(metric)} stands"
            " beside it."
        )
        return bench.say("test-chose", "note", words)
    else:
        words = (
            "A file of scores does not show on which data epochs and settings were"
            " chosen."
        )
        return bench.unchecked("test-chose", words)
    other = "--metric COLUMN names a score that chose nothing."
    where = [
        "--where COLUMN=VALUE compares at one setting, which nothing chose."
    ] * search
    is_set = any(role_of(name) == "setting" for name in table.roles.get("setting", ()))
    where += ["--unit seed, if nothing but the seed varies."] * (
        search and "seed" in table.roles and not is_set
    )
    bench.found("test-chose", what, why, other, *chose, *where)


def never_in_a_file(bench, *, train=None, tried=None):
    """Write down what no file of results shows."""
    if train is None:
        bench.unchecked(
            "train-items",
            "The training data are not in the file: look for the test items in them.",
        )
    words = "The file does not say how many settings of each system were tried."
    if tried is not None:
        sizes = listed([f"{name} {n:,}" for name, n in tried.items()])
        words = f"Settings that are compared: {sizes}. More may have been tried."
    bench.unchecked("tuned", words)
    words = (
        "Other metrics, data sets and variants that were tried belong to the family."
    )
    if bench.looks:
        words += (
            f" One value is compared, and in the file {listed(bench.looks)}: each that"
            " was looked at counts."
        )
    bench.unchecked("told", words)


def best_of_several(metric):
    """Return the fault that pass@k, or pass^k, is asked of several answers to an item,
    or None.
    """
    found = _PASS_AT.search(metric or "")
    if not found or int(found[1]) < 2:
        return None
    return Fault(
        "metric",
        f"{shown(metric)} is asked: whether one of {found[1]} answers to an item is"
        " right, or all are.",
        f"A mean of such columns over answers is another number. See {PASSES}.",
        (
            (
                "give the answers themselves, right 1 or wrong 0, and compare how often"
                " they are right."
            ),
            (
                "or one row for each item, with its own estimate from c of n: then the"
                " items are what varies."
            ),
        ),
    )
