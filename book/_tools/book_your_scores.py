"""The words of the page that takes a reader's scores, from where evalkit has them: one
JSON, put in at build.

What `evalkit report` says of the same scores is taken from it; the rest is here, and in
the page's own text.
"""

import json
from types import SimpleNamespace

import pandas as pd

from evalkit._limits import TRIALS_PER_RUN
from evalkit.reports._contrasts import MCNEMAR, TWO_SHARES, WELCH
from evalkit.reports._faults import RefusedError
from evalkit.reports._pages import _prose, _speaks
from evalkit.reports._recognition._cells import one_reading
from evalkit.which_test import AFTERWARDS, DECISION

PAGE, MARK = "book/your_scores", "THE-WORDS-OF-THIS-PAGE"

# What each answer to "What is one row?" leads to where this page does not compute it,
# by the key of a way.
ELSEWHERE = {"group": "groups", "fold": "splits", "set": "datasets", "other": None}
OWN = {
    "right": "accuracy",
    "as": ": 1 is right and 0 is wrong",
    "about": "The answer is about {varies}.",
    "cannot": "It does not speak of:",
    "mean": (
        "{name} scores {mean} in {of}: 95 % interval {ends} (Student's t, {sizes})."
    ),
    "share": (
        "{name} has {right} of {sizes} right: 95 % interval of the share {ends}"
        " (Clopper-Pearson)."
    ),
    "constant": (
        "{name} scores {mean} in each of {sizes}. No spread was seen, which does not"
        " show that there is none."
    ),
    "alone": (
        "Of {name} there is one score, and one does not show how far another would lie."
    ),
    "best": (
        "The best of {runs} of {name} is expected to score {best} (unbiased estimate U,"
        " from {sizes})."
    ),
    "search": (
        "To compare two searches, compare their best at one budget. The interval of"
        " that difference needs 30 trials of each, and five times as many as the"
        " budget:"
    ),
    "elsewhere": (
        "This page does not compute that. On your machine, with a file of your results,"
        " it is one line:"
    ),
    "several": (
        "There are {n} columns or names, {names}, and this page compares two: paste"
        " only the two columns of scores that you want to compare. For more systems"
        " there is:"
    ),
    "apart": (
        "Right and wrong answers to different items are not compared here: each system"
        " has its own interval."
    ),
    "more": "More on this: ",
    "python": "The same in Python, with import evalkit as ek: {calls}.",
    "read": "Read: {columns}{mark}.",
    "decimal": ", with decimal commas",
    "next": "The result appears here when every question above has its answer.",
    "copied": "Copied.",
    "selected": (
        "This browser does not let the page copy: the text is selected, copy it from"
        " there."
    ),
}
FAULTS = {
    "text": (
        "Line {line} has {cell} where a score should be. Nothing is left out in"
        " silence: decide what a run without a score scores, or take the line out and"
        " say so."
    ),
    "gap": (
        "Line {line} has no score of {name}, but later lines have one. Nothing is left"
        " out in silence: decide what a run without a score scores, or take the line"
        " out and say so."
    ),
    "ragged": (
        "Line {line} has {n}, and the first line of scores has {wanted}. If one column"
        " is longer, leave the empty cells of the other between tabs or semicolons."
    ),
    "shifted": (
        "The first line has {n} and the lines below it have {wanted}, so which name"
        " belongs to which column is not certain. Paste only the columns of scores,"
        " each under its name, without a column that numbers the lines. If a name has"
        " several words, put tabs or semicolons between the cells."
    ),
    "unnamed": (
        "Column {n} has no name on the first line, and other columns have one. If it"
        " numbers the lines, paste {others} without it; if it holds scores, give it a"
        " name."
    ),
    "scales": (
        "The column {name} has {share} on line {line} and {cent} on line {other}: they"
        " look like a fraction and a percentage, and a mean over two scales says"
        " nothing. Write all of them as fractions, or all in per cent. If they are in"
        " one unit already, put a percent sign after each, or write them in a smaller"
        " unit."
    ),
    "same": (
        "{a} and {b} differ by {gap} in each of {n} pairs, to the digits written: the"
        " differences do not vary, and from no scatter nothing follows about their"
        " mean. Give more digits, or more pairs."
    ),
    "percent": (
        "Some scores have a percent sign and some have none: write all of them in one"
        " way."
    ),
    "mixed": (
        "{first} has a decimal point and {other} a decimal comma, or marks between"
        " thousands: write all scores in one way."
    ),
    "failed": (
        "Line {line} has {cell} where a name would be, and it looks like a failed run."
        " Nothing is left out in silence: decide what such a run scores and write that"
        " number, or, if it is a name, write another."
    ),
    "none": (
        "There is no score below the first line: paste the scores one on a line, under"
        " a name or alone."
    ),
    "numbered": (
        "The column {name} counts up by one from line to line. It looks like the number"
        " of a run and not like a score: paste {others} without it."
    ),
    "named": (
        "The column {name} has the number of a run or of an item by its name, and no"
        " scores: paste {others} without it."
    ),
    "others": "the scores",
    "scale": (
        "Scores on two scales cannot be compared: write both columns as fractions, or"
        " both in per cent, and paste them again."
    ),
    "count": "A count is a whole number, 0 or more, and {cell} is none.",
    "empty": (
        "All four counts are 0: none of the items was answered, and so there is nothing"
        " to compare. Count the items that each model has right."
    ),
    "many": (
        "The four counts are {n} items together, and this page takes up to 1,000,000."
    ),
    "spaces": (
        "{cell} can be read in two ways: as two scores, or as one with a space between"
        " thousands."
    ),
    "unequal": (
        "Pairs need as many scores of {a} as of {b}, and there are {n_a} and {n_b}."
    ),
    "names": "Both columns have the name {name}: give them two.",
}
CALLS = {
    "mean": "ek.t_interval(a)",
    "share": "ek.proportion_interval({right}, {n})",
    "best": "ek.expected_max(a, {n}{minimize})",
    "welch": "ek.difference_interval(a, b, paired=False)",
    "paired": "ek.difference_interval(a, b, paired=True)",
    "items": "ek.crossed_difference(a, b)",
    "mcnemar": "ek.mcnemar({n10}, {n01})",
    "shares": "ek.proportion_interval({n10}, {n}, confidence_level=0.975)",
}


# What a report is told on its command line is the answer to a question here.
OF_REPORT = "say --map split=COLUMN."
OF_PAGE = "answer that one score is a split or a fold."


def _scope(kind, **facts):
    """Return what a report says of the scope of such results, in a page's words."""
    facts = {
        "each": None,
        "has_seed": True,
        "group": None,
        "raters": 0,
        "these raters": 0,
        "ratio": None,
        "runs": None,
        "answers": 1,
    } | facts
    evidence = SimpleNamespace(kind=kind, facts={"rows": "answers", **facts})
    varies, cannot = _speaks.scope(evidence)
    cannot = [line.replace(OF_REPORT, OF_PAGE) for line in cannot]
    return {"varies": varies, "cannot": cannot, "of": _speaks.quantity(evidence)}


def _scope_of_search():
    used = pd.DataFrame({"system": ["any"] * TRIALS_PER_RUN})
    _, cannot = _speaks.scope(SimpleNamespace(kind="search", used=used, facts={}))
    return {
        "varies": "other searches in these ranges, on these test items",
        "cannot": cannot,
    }


def _two_ways():
    """Return how a report refuses numbers that can be read in two ways."""
    try:
        one_reading({"two_ways": {"{name}": "{ways}"}}, ["{name}"])
    except RefusedError as error:
        (fault,) = error.faults
        return f"{fault.what} {fault.why} To go on: {fault.ways[0]}"


def words():
    """Return the words of the page.

    Returns
    -------
    dict
        Texts with the names of what is put in between braces.
    """
    ways = {way.key: way for _, way in DECISION.ways()} | {
        way.key: way for way in AFTERWARDS.values()
    }
    return {
        "said": _prose.SAID,
        "own": OWN,
        "faults": FAULTS | {"two ways": _two_ways()},
        "tests": {
            "welch": WELCH,
            "paired": "the paired t",
            "items": "t over items",
            "score": "Tango's score over {unit}s",
            "mcnemar": MCNEMAR,
            "shares": TWO_SHARES,
        },
        "why": {
            "shorter": _prose.WHY_SHORTER[MCNEMAR],
            "shares": _prose.WHY_WIDER[TWO_SHARES],
            "items": _prose.WHY_WIDER["t over items"],
        },
        "scopes": {
            "run": _scope("seeds"),
            "item": _scope("items"),
            "search": _scope_of_search(),
        },
        "calls": CALLS,
        "elsewhere": ELSEWHERE,
        "titles": {key: way.title for key, way in ways.items()},
    }


def _put_words_in(app, docname, source):
    if docname == PAGE:
        # Else a word may end the script, or open a comment in it.
        source[0] = source[0].replace(
            MARK, json.dumps(words(), ensure_ascii=False).replace("<", "\\u003c")
        )


def setup(app):
    """Register with Sphinx."""
    app.connect("source-read", _put_words_in)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
