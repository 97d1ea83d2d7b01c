"""Cells among scores that are no numbers, or may be two: they are mended in the file,
and not read.
"""

import re

from evalkit.reports._faults import argument, count, examples, refusal, shown
from evalkit.reports._formats._values import as_printed, is_code

_WORDS = 0.5  # of the cells: then all are words
_PREDICTED = (
    "If they are predictions, nothing but right answers tells which are right.",
    (
        "--right WORD: the word, or the mark, of a right answer; every other counts as"
        " wrong."
    ),
    "--map label=COLUMN: the column of the right answers.",
    "--gold FILE: the file of the right answers.",
    "without right answers there is no score: have some of the items labelled.",
)
_DATE = re.compile(
    r"(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{4})(?!\d)"
)


def is_number(word):
    """Tell whether a word is a number as it is printed.

    Parameters
    ----------
    word : str
    """
    return as_printed(word) is not None and not is_code(word)


def are_dates(values):
    """Tell whether all words of a column begin with a date, as 2024-03-11 or 11.03.2024
    does.
    """
    return values.dtype.kind == "O" and bool(
        values.dropna().astype(str).str.match(_DATE).all()
    )


def are_scores(values):
    """Tell whether at least half of the entries of a column of words are numbers as
    they are printed.
    """
    if values.dtype.kind != "O" or are_dates(values):
        return False
    words = values.dropna().astype(str)
    known = {word: is_number(word) for word in words.unique()}
    return len(words) > 0 and bool(words.map(known).mean() >= 0.5)


def check_scores(frame, names, rows):
    """Refuse columns of scores with cells that are no numbers, by their places.

    Parameters
    ----------
    frame : pandas.DataFrame
    names : list of str
    rows : pandas.Series
        What each row is called.
    """
    strange = {}
    for name in (name for name in names if frame[name].dtype.kind == "O"):
        words = frame[name].dropna().astype(str)
        odd = words[[not is_number(word) for word in words]]
        # Among decimal points.
        odd = odd if len(odd) else words[words.str.contains(",", regex=False)]
        strange |= {
            f"{word!r} ({row}, {name})": name
            for row, word in zip(rows[odd.index], odd, strict=True)
        }
    if not strange:
        return
    if len(strange) > _WORDS * sum(frame[name].count() for name in names):
        raise refusal(
            "scale",
            f"{examples(names, 4)} hold words, and no scores: {examples(strange, 3)}.",
            *_PREDICTED,
        )
    are = "cell is not a number" if len(strange) == 1 else "cells are not numbers"
    what = f"Among the scores {count(len(strange), are, are)}: {examples(strange, 6)}."
    why = "A column that is not read would take its scores out of the comparison."
    column = argument(next(iter(strange.values())))
    ways = (
        "mend the cell: the number alone, and where there is none nothing.",
        f"--map note={column}, if that column holds no scores.",
        "--map label=COLUMN, if they are predictions: the column of the right answers.",
    )
    raise refusal("scale", what, why, *ways)


def one_reading(facts, names):
    """Refuse columns of scores whose numbers can be read in two ways.

    Parameters
    ----------
    facts : dict
        What the formats said.
    names : iterable of str
        Columns that are compared.
    """
    found = {
        name: facts["two_ways"][name]
        for name in names
        if name in facts.get("two_ways", {})
    }
    if found:
        words = "; ".join(
            f"column {shown(name)}: {ways}" for name, ways in found.items()
        )
        raise refusal(
            "scale",
            f"Numbers can be read in two ways: {words}.",
            "Nothing says whether the mark stands before decimals or between thousands:"
            " one reading is a thousand times the other.",
            "write them without a mark between thousands, and with a point before"
            " decimals.",
        )
