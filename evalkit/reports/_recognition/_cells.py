"""Cells of a printed table that are no plain numbers: marks and notes beside a score, words for none."""

import re

import pandas as pd

from evalkit.reports._faults import Fault, RefusedError, argument, count, examples, shown
from evalkit.reports._formats import _values

_NONE = re.compile(
    r"oom|out of memory|fail(?:ed|ure)?|crash(?:ed)?|diverged|timeout|timed out|error|dnf|tbd|todo|n\.a\.|"
    r"not (?:available|run|reported)|-{2,3}|\.{3}|\u2026"
)
# $^\dagger$, ^{*}, $_{\pm 0.4}$, and a note such as (3 seeds); 10^3 is a number of its own, and no mark. For
# words with `one_spaced` spaces.
_MARK = re.compile(
    r"\$?\^(?:\{[\\*\u2020\u2021\u00a7\u00b6a-z, ]+\}|\\[a-z]+|[*\u2020\u2021\u00a7\u00b6a-z]) ?\$?"
    r"|\$?_\{ ?(?:\\pm|\u00b1) ?[\d.]+ ?\}\$?"
    r"| ?[(\[](?=[^()\[\]A-Za-z]*[A-Za-z])[^()\[\]]*[)\]]$"
    r"|[\u00a7\u00b6\u2191\u2193]|^[\u2020\u2021*](?!\*)"
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
    notes, out, strange, odd_rows = [], {}, {}, set()
    for name in names:
        if frame[name].dtype.kind != "O":
            continue
        numbers, odd = _sorted_out(frame[name])
        words = frame[name].map(lambda v: str(v).strip(), na_action="ignore")
        where = words.isin(odd)
        odd_rows |= {*where.index[where]}
        strange |= {
            f"{word!r} ({row}, {name})": name for row, word in zip(rows[where], words[where], strict=True)
        }
        out[name] = words.map(numbers).astype(float)
        read = [f"{shown(w)} as no score" for w in words.dropna().unique() if w not in numbers]
        # Marks say more than a ± does.
        marked = sorted(numbers, key=lambda w: not _MARK.search(_values.one_spaced(w)))
        read += [f"{shown(w)} as {numbers[w]:.10g}" for w in marked if pd.isna(pd.to_numeric(w, "coerce"))]
        notes += [f"column {name}: {examples(read)}"] if read else []
    if len(strange) > 1 and odd_rows == {frame.index[0]}:
        raise RefusedError(_second_header(frame, [*strange.values()]))
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


def _second_header(frame, names):
    """Return the fault that the first row goes on with the heads of the columns."""
    words = frame[names].iloc[0]
    what = (
        f"The first row has words where the others have scores: {examples(words)}, a second header perhaps."
    )
    joined = f"{names[0]}_{words.iloc[0]}"
    ways = (f"write one header, {shown(joined)} say, and one metric a file.",)
    return Fault("scale", what, "A report reads one line of names, the first.", ways)


def _unmarked(word):
    return _MARK.sub("", _values.one_spaced(word)) if len(word) <= _values.LONGEST else word


def _sorted_out(values):
    """Return the scores of the words of a column, and the words that are neither a score nor none."""
    words = pd.Series(values.dropna().astype(str).str.strip().unique(), dtype=object)
    lower = words.str.lower()
    words = words[~lower.isin(_values.MISSING) & ~lower.str.fullmatch(_NONE)]
    numbers = _values.printed(words.map(lambda word: _unmarked(word).replace("~", " ").strip()))
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
