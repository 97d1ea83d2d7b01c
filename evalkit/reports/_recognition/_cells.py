"""Cells of a printed table that are no plain numbers: marks and notes beside a score, words for none."""

import re

import pandas as pd

from evalkit.reports._faults import Fault, RefusedError, argument, count, examples, shown
from evalkit.reports._formats import _values

_NONE = re.compile(
    r"oom|out of memory|fail(?:ed|ure)?|crash(?:ed)?|diverged|timeout|timed out|error|dnf|tbd|todo|n\.a\.|"
    r"not (?:available|run|reported)|-{2,3}|\.{3}|\u2026"
)


def are_scores(values):
    """Tell whether at least half of the entries of a column of words are scores."""
    if values.dtype.kind != "O":
        return False
    numbers, odd = _sorted_out(values)
    alike = {word for word in odd if "," in word and _values.as_printed(word)}  # 1,234 has two readings
    cells = values.dropna().astype(str).str.strip()
    return cells.isin({*numbers, *alike}).sum() >= max(cells.isin({*odd} - alike).sum(), 1)


def read_scores(frame, names, rows):
    """Return a frame with columns of words as scores, and what had to be read into them.

    Parameters
    ----------
    frame : pandas.DataFrame
    names : list of str
        Columns of numbers, which stay as they are, and of words.
    rows : pandas.Series
        What each row is called.

    Returns
    -------
    frame : pandas.DataFrame
    notes : list of str

    Raises
    ------
    RefusedError
        With the cells that are neither a score nor a known word for none.
    """
    notes, out, strange = [], {}, {}
    for name in names:
        if frame[name].dtype.kind != "O":
            continue
        numbers, odd = _sorted_out(frame[name])
        words = frame[name].map(lambda v: str(v).strip(), na_action="ignore")
        where = words.isin(odd)
        strange |= {
            f"{word!r} ({row}, {name})": name for row, word in zip(rows[where], words[where], strict=True)
        }
        out[name] = words.map(numbers).astype(float)
        read = [f"{shown(w)} as no score" for w in words.dropna().unique() if w not in numbers]
        read += [f"{shown(w)} as {n:.10g}" for w, n in numbers.items() if pd.isna(pd.to_numeric(w, "coerce"))]
        notes += [f"column {name}: {examples(read)}"] if read else []
    if strange:
        (column, *_), are = (
            strange.values(),
            "cell is not a number" if len(strange) == 1 else "cells are not numbers",
        )
        raise RefusedError(
            Fault(
                "scale",
                f"Among the scores {count(len(strange), are, are)}: {examples(strange, 6)}.",
                "A column that is not read would take its scores out of the comparison.",
                (
                    "mend the cell; one without a score stays empty, or says -, n/a or OOM.",
                    f"--map note={argument(column)}, if that column holds no scores.",
                ),
            )
        )
    return frame.assign(**out), notes


def _sorted_out(values):
    """Return the scores of the words of a column, and the words that are neither a score nor none."""
    words = pd.Series(values.dropna().astype(str).str.strip().unique(), dtype=object)
    lower = words.str.lower()
    words = words[~lower.isin(_values.MISSING) & ~lower.str.fullmatch(_NONE)]
    numbers = _values.printed(words)
    found = numbers.notna()
    return dict(zip(words[found], numbers[found], strict=True)), list(words[~found])


def one_reading(facts, names):
    """Refuse columns of scores whose numbers can be read in two ways.

    Parameters
    ----------
    facts : dict
        What the formats said.
    names : iterable of str
        Columns that are compared.
    """
    found = {name: facts["two_ways"][name] for name in names if name in facts.get("two_ways", {})}
    if found:
        words = "; ".join(f"column {shown(name)}: {ways}" for name, ways in found.items())
        raise RefusedError(
            Fault(
                "scale",
                f"Numbers can be read in two ways: {words}.",
                "Nothing says whether the mark stands before decimals or between thousands: one reading is a "
                "thousand times the other.",
                ("write them without a mark between thousands, and with a point before decimals.",),
            )
        )
