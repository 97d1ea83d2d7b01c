"""The form of the page "Which test do I need?", put in at build: the first question,
the fields in which a reader types or pastes, and the words of what is computed, from
where evalkit has them. Without it that page asks nothing.

What a report says of its scope, and the names of its tests, are those of small reports.
Its sentences are here once more, for a page has to put them together by itself: a test
holds them to what a report says.
"""

import json
from html import escape
from pathlib import Path

import pandas as pd

import evalkit as ek
from evalkit.decision import AFTERWARDS, DECISION, Question

PAGE, MARK = "book/which_test", "THE-FORM-OF-THIS-PAGE"
FORM = Path(__file__).with_name("which_form.html")

# What the page computes at an end of the decision, by the key of the end: from columns
# of scores (of items, runs or trials, paired or not), or from what is typed.
ENDS = {
    "models": {"kind": "columns", "row": "item", "isPaired": True, "hasCounts": True},
    "scores": {"kind": "columns", "row": "item", "isPaired": True},
    "separate": {"kind": "shares"},
    "separate-scores": {"kind": "columns", "row": "item", "isPaired": False},
    "seeds": {"kind": "columns", "row": "seed", "isPaired": False},
    "settings": {"kind": "columns", "row": "search", "isPaired": False},
    "one-run": {"kind": "accuracies"},
    "published": {"kind": "means"},
    "accuracies": {"kind": "accuracies"},
    "counts": {"kind": "counts", "hasCounts": True},
    "printed-shares": {"kind": "shares"},
    "best-of": {"kind": "best"},
    "bar": {"kind": "bar"},
    "preferences": {"kind": "votes"},
}
# What is typed, and how its fields are called.
FIELDS = {
    "means": {
        "a": "A, as printed: mean ± spread",
        "b": "B, as printed",
        "n_a": "Runs of A",
        "n_b": "Runs of B",
        "spread": True,
    },
    "accuracies": {
        "a": "Accuracy of A, with all digits that are printed",
        "b": "Accuracy of B",
        "n_a": "Test items",
    },
    "shares": {
        "a": "A: 33/2,000, or a share as printed",
        "b": "B: 53/2,000, or a share as printed",
        "n_a": "Items of A",
        "n_b": "Items of B",
    },
    "bar": {"a": "How many of how many: 3/300"},
    "votes": {
        "a": "For A: items",
        "b": "For B",
        "n_a": "Tied",
    },
    "best": {
        "a": "The best score, as printed",
        "b": "Standard deviation of one run",
        "n_a": "The best of how many runs",
    },
}
OWN = {
    "right": "accuracy",
    "votes": "votes",
    # What more looks do to an answer, by the end that they lead to.
    "looks": {
        **dict.fromkeys(
            ("several-models", "many"),
            "It is one of several comparisons: adjust all their p-values by Holm's"
            " method before any is called a difference.",
        ),
        "metrics": (
            "It is one of several metrics: adjust all their p-values by Holm's method,"
            " unless this one was named before the scores were seen."
        ),
        "early": (
            "But this was not the only look: whoever may stop at any of several looks"
            " finds a difference too often, and none is shown unless p is below the"
            " bound of its look."
        ),
    },
    "as": ": 1 is right and 0 is wrong",
    "about": "The answer is about {varies}.",
    "mean": (
        "{name} scores {mean} in {of}: 95 % interval {ends} (Student's t, {sizes})."
    ),
    "share": (
        "{name} has {right} of {sizes} right: 95 % interval of the share {ends}"
        " (Clopper-Pearson)."
    ),
    "sides": (
        "Where one side alone matters: with 95 % confidence the share is at most"
        " {high}; or, for the other side, at least {low}."
    ),
    "part": (
        "{name} has {right} of {sizes}: 95 % interval of the share {ends}"
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
    "normal": (
        "If runs are about normally distributed with a standard deviation of {sd}, the"
        " best of {sizes} is expected to score {gain} {side} the mean of all. Then,"
        " with a best of {best}, a typical run scores about {mean} (95 % interval"
        " {ends})."
    ),
    "above": "above",
    "below": "below",
    "sd": "from printed means and standard deviations, with the rounding of the means",
    "se": "from printed means and standard errors, with the rounding of the means",
    "range": (
        "From the two accuracies on {sizes}, the exact McNemar test lies between {low}"
        " and {high}. In points, the 95 % interval of the difference is then {few} and"
        " {many} (Tango's score)."
    ),
    "equal": (
        "{name} and {base} are as good as each other up to {margin}: the 90 % interval"
        " of the difference, {ends}, lies inside (two one-sided tests at 0.05)."
    ),
    "no worse": (
        "{name} is no worse than {base} by more than {margin}: the 90 % interval of the"
        " difference is {ends} (a one-sided test at 0.05). That they are as good as"
        " each other up to {margin} is not shown."
    ),
    "unequal": (
        "That {name} is as good as {base} up to {margin} is not shown: the 90 %"
        " interval of the difference, {ends}, reaches beyond it."
    ),
    "surely": "Whatever the single answers were, it rejects at 0.05.",
    "never": (
        "Whatever the single answers were, it does not reject at 0.05: this does not"
        " tell A and B apart."
    ),
    "perhaps": (
        "It may reject at 0.05 or not: ask on how many items A alone is right, and on"
        " how many B alone."
    ),
    "possible": (
        "For {name}, {printed} of {sizes} may be any count from {low} to {high}: 95 %"
        " interval of the share {ends} (Clopper-Pearson)."
    ),
    "impossible": (
        "For {name}, no count of {sizes} rounds to {printed}. It may be a mean over"
        " runs, or weighted, or of another number of items: then no test of counts"
        " holds for it."
    ),
    "case": "Your case: ",
    "then": "And then: ",
    "read": "Read: {columns}{mark}.",
    "decimal": ", with decimal commas",
    "next": "The result appears here when all that is asked for above is filled in.",
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
    "pair": (
        "Line {line} has two numbers, and there is no other: are they two scores of one"
        " system, or one score of each of two? Write the scores of a system one below"
        " the other, or its name before them."
    ),
    "labels": (
        "Each line begins with a name, {cell} on line {line}, and more than one number"
        " follows. Paste only the columns of scores, each under the name of its system,"
        " without the column of names."
    ),
    "spread": (
        "These are printed means with their spread, and not the scores of single runs."
        " Above, choose printed numbers: there is a place for each of them."
    ),
    "nested": (
        "There are brackets in brackets, and nothing says whether the inner ones are"
        " rows or columns. Paste one list for each system: ours = [0.81, 0.79]."
    ),
    "printed": (
        "{cell} is not read as a printed number. Write it as 91.3, as 91.3 ± 0.4, with"
        " the number of runs after it in brackets, 91.3 ± 0.4 (5), or as a count,"
        " 913/1000."
    ),
    "ends": (
        "{cell} seems to have the ends of an interval. Whether they are those of the"
        " runs or of the items, and at which level, is not certain: look in the paper"
        " for the standard deviation, or the standard error, and write 91.3 ± 0.4."
    ),
    "inside": (
        "In {cell}, the whole number in brackets may be a spread, a number of runs, or"
        " the error of the last digits. Write ± before a spread, and n = before a"
        " number of runs."
    ),
    "digits": "{cell} has more than 15 digits after the point: write fewer.",
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
    "twice": (
        "{name} has {cell} after its mean, and another number in the field below: leave"
        " the wrong one out."
    ),
    "bare": (
        "{name} is {cell}, without a spread. Write it behind ±, as in 91.3 ± 0.4; if"
        " none is printed, nothing can be said of how the runs scatter."
    ),
    "apart": (
        "The two numbers of items differ, and so these are not the same items: go back"
        " to the questions, and say that the items are separate."
    ),
    "share": (
        "{cell} is not a count of so many, nor a share that a count of {n} items rounds"
        " to: write it as 33/2,000, or as 91.3 % with the number of items below."
    ),
    "whole": (
        "Whether {cell} is a count or a percentage is not certain: write {cell}/{n}, or"
        " {cell} %."
    ),
    "rounded": (
        "{cell} of {n} items may be any count from {low} to {high}: write the count, as"
        " in 33/2,000, or more digits."
    ),
    "sd": "A standard deviation is above 0, and {cell} is not.",
    "margin": "The margin is a number above 0.",
    "several": (
        "There are {n} columns or names, {names}, and this page compares two: paste"
        " only the two columns of scores that you want to compare."
    ),
    "empty": (
        "All four counts are 0: none of the items was answered, and so there is nothing"
        " to compare. Count the items that each model has right."
    ),
    "spaces": (
        "{cell} can be read in two ways: as two scores, or as one with a space between"
        " thousands."
    ),
    "unequal": (
        "Pairs need as many scores of {a} as of {b}, and there are {n_a} and {n_b}."
    ),
    "names": "Both columns have the name {name}: give them two.",
    "two ways": (
        "Numbers can be read in two ways: column {name}: {ways}. Nothing says whether"
        " the mark stands before decimals or between thousands: one reading is a"
        " thousand times the other. To go on: write them without a mark between"
        " thousands, and with a point before decimals."
    ),
}
CALLS = {
    "mean": "ek.t_interval({letter})",
    "share": "ek.proportion_interval({right}, {n})",
    "best": "ek.expected_max({letter}, {n}{minimize})",
    "welch": "ek.difference_interval(a, b, paired=False)",
    "paired": "ek.difference_interval(a, b, paired=True)",
    "items": "ek.crossed_difference(a, b)",
    "cells": "ek.paired_proportion_interval({n11}, {n10}, {n01}, {n00})",
    "mcnemar": "ek.mcnemar({n10}, {n01})",
    "sides": "ek.proportion_interval({right}, {n}, confidence_level=0.9)",
    "equal": "ek.equivalence({asked}, {margin})",
    "separate": "ek.proportion_difference({a}, {n_a}, {b}, {n_b})",
    "summary": (
        'ek.from_summary(({a}), ({b}), spread="{spread}", decimals=({decimals}))'
    ),
    "possible": 'list(ek.possible_counts("{printed}", {n}))',
    "range": "ek.mcnemar_range({a}, {b}, {n})",
    "normal": "{best} {sign} {sd} * ek.gaussian_expected_max({n})",
    "typical": (
        "{best} {sign} {sd} * stats.norm.ppf(np.array([0.975, 0.025]) ** (1 / {n}))"
    ),
}


SAID = {
    "higher": "{name} scores {gap} higher than {base} in {of}",
    "lower": "{name} scores {gap} lower than {base} in {of}",
    "same": "{name} and {base} score the same in {of}",
    "found by one": (
        "{what}: 95 % interval of the difference {ends}; {p} (both by {by})."
    ),
    "found by two": (
        "{what}: 95 % interval of the difference {ends} ({method}); {p} ({by})."
    ),
    "better": "{name} is better than {base}{more}.",
    "worse": "{name} is worse than {base}{more}.",
    "cannot": "This does not tell {name} and {base} apart",
    "either way": (
        "{cannot}: {name} may be better by up to {good}, or worse by up to {bad}."
        " {equal}"
    ),
    "equal": "That does not prove that they are equal.",
    "disagree": "the interval excludes 0, but the test does not reject at 0.05.",
}
WHY = {
    "shorter": (
        "The interval is of McNemar's test without a correction, an approximation; the"
        " exact test is a little more careful. So the test decides."
    ),
}
# Where no report has the words.
SCOPES = {
    "search": {"varies": "other searches in these ranges, on these test items"},
    "printed": {
        "varies": "whatever varied from run to run, which the paper should say",
        "of": "mean over runs",
    },
}


def _found(unit, a, b):
    """Return what a report finds of two lists of scores."""
    frames = [
        pd.DataFrame({"system": name, unit: range(len(scores)), "accuracy": scores})
        for name, scores in (("a", a), ("b", b))
    ]
    return ek.report(pd.concat(frames), baseline="b").findings


def words():
    """Return the words of the page.

    Returns
    -------
    dict
        Texts with the names of what is put in between braces.
    """
    runs = _found("seed", [0.8, 0.9, 0.7], [0.6, 0.5, 0.7])
    items = _found("item", [1, 1, 1, 0, 0, 1], [1, 0, 1, 0, 1, 0])
    (of_runs,), (of_items,) = runs.contrasts, items.contrasts
    scopes = {
        name: {"varies": found.varies, "of": found.quantity}
        for name, found in (("run", runs), ("item", items))
    }
    return {
        "said": SAID,
        "own": OWN,
        "faults": FAULTS,
        "tests": {
            "welch": of_runs.test,
            "paired": "the paired t",
            "items": "t over items",
            "score": "Tango's score over {unit}s",
            "mcnemar": of_items.test,
            "separate": "Newcombe's score",
        },
        "why": WHY,
        "scopes": scopes | SCOPES,
        "calls": CALLS,
        **asked(),
        "ends": ENDS,
        "fields": FIELDS,
    }


def asked():
    """Return what is asked, and the call of each end, as a reader fills it in.

    Returns
    -------
    dict
        `first` and `last`, questions: their text, and of each answer its name, its
        words, and the question or the key of the end that follows. `code` by key.
    """

    def told(question):
        answers = [
            {
                "name": name,
                "said": said,
                "to": told(to) if isinstance(to, Question) else to and to.key,
            }
            for name, (said, to) in question.answers.items()
        ]
        return {"text": question.text, "answers": answers}

    ways = (way for part in (DECISION, AFTERWARDS) for _, way in part.ways())
    code = {way.key: way.code.rstrip() for way in ways}
    return {"first": told(DECISION), "last": told(AFTERWARDS), "code": code}


def first_question(question=DECISION):
    """Return the first question as its script writes the others: it is in the page, so
    that nothing moves when the script runs.

    Parameters
    ----------
    question : Question

    Returns
    -------
    str
    """
    labels = []
    for name, (said, _) in question.answers.items():
        radio = f'<input type="radio" name="which-0" value="{name}">'
        labels.append(f"<label>{radio} {escape(said)}</label>")
    legend = f"<legend>{escape(question.text)}</legend>"
    return "\n".join(["<fieldset>", legend, *labels, "</fieldset>"])


def _put_form_in(app, docname, source):
    if docname == PAGE:
        # Else a word may end the script, or open a comment in it.
        said = json.dumps(words(), ensure_ascii=False).replace("<", "\\u003c")
        form = FORM.read_text(encoding="utf-8")
        form = form.replace("FIRST-QUESTION", first_question()).replace("WORDS", said)
        source[0] = source[0].replace(MARK, form)


def setup(app):
    """Register with Sphinx."""
    app.connect("source-read", _put_form_in)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
