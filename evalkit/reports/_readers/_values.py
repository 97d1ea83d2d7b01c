"""Cells as numbers or words: the same for every format."""

import json
import re

import numpy as np
import pandas as pd

from evalkit.reports._faults import shown, unreadable

MISSING = frozenset({"", "nan", "na", "n/a", "null", "none", "-", "\u2013", "\u2014", "?", "#n/a"})
# 91.3, 91,3, 1,234.5, **91.3**, \textbf{91.3}, 91.3 %, 91.3 ± 0.4, 91.3 (0.4), 91.3*; by `one_spaced`
_PRINTED = re.compile(
    r"(?:\*\*|\\textbf\{|\\underline\{|_)? ?(?P<number>[-+\u2212]?\d+(?:[.,]\d+)*(?:[eE][-+]?\d+)?) ?"
    r"(?P<percent>\\?%)? ?(?:\*\*|\}|_)?(?P<spread> ?(?:\u00b1|\+/-|\+-|\$?\\pm\$?|\() ?[\d.,]+ ?\\?%?\)?)?"
    r" ?[*\u2020\u2021]*\}?"
)
LONGEST = 200  # characters of a cell that may be a printed number: longer ones are text
_CODE = re.compile(r"[-+]?0\d+")  # an identifier: as a number it would lose its zeros
_DIGITS = re.compile(r"[-+]?\d+")  # may be an identifier, of which a number keeps 15 digits
_EXACT = 2**53
_SHAPE = r"[-+]?(?:[1-9]\d{{0,2}}(?:{group}\d{{3}})+|\d+)(?:{point}\d+)?(?:[eE][-+]?\d+)?"
_ENGLISH, _GERMAN = (re.compile(_SHAPE.format(group=g, point=p)) for g, p in ((",", r"\."), (r"\.", ",")))


def one_spaced(text):
    """Return a text with one space for every run of white space: patterns for it need no unbounded runs.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
    """
    return " ".join(text.split())


def as_printed(cell):
    """Return the match of a cell that is a number as it is printed, or None.

    Parameters
    ----------
    cell : str

    Returns
    -------
    re.Match or None
        With the groups number, percent and spread.
    """
    return _PRINTED.fullmatch(one_spaced(cell)) if len(cell) <= LONGEST else None


def columns(frame, *, decimal_comma=False):
    """Return a frame of strings with columns of numbers as floats, and what had to be read into them.

    Parameters
    ----------
    frame : pandas.DataFrame
        Of str, numbers, bool, None and NaN.
    decimal_comma : bool, default False
        How 1,234 is meant where a column says neither way; else it stays words.

    Returns
    -------
    frame : pandas.DataFrame
    notes : list of str
    """
    notes, out = [], {}
    for name in frame.columns:
        out[name], note = _column(frame[name], decimal_comma)
        notes += [f"column {name}: {note}"] if note else []
    return pd.DataFrame(out, index=frame.index), notes


def _column(values, decimal_comma):
    if values.dtype.kind in "iuf":
        return values.astype(float), None
    if values.dtype.kind == "b":
        return values.astype(float), None
    as_text = values.astype(object)
    written = as_text.where(as_text.map(lambda v: isinstance(v, str)), as_text.map(_written))
    words = written.str.strip()
    distinct = pd.Series(words.dropna().unique(), dtype=object)
    note = "spaces around its words left out" if written.nunique() > len(distinct) else None
    filled = distinct[~distinct.str.lower().isin(MISSING)]
    empty = words.isin(["", None]) | words.isna()
    if filled.empty:
        return pd.Series(np.nan, index=values.index, dtype=float), None
    numbers = pd.to_numeric(filled, errors="coerce")
    if numbers.isna().any():
        found = filled.map(as_printed)
        if found[numbers.isna()].isna().any():
            return words.mask(empty, None), note
        read = _read(found.dropna().map(lambda m: m["number"].replace("\u2212", "-")), decimal_comma)
        if read is None:
            return words.mask(empty, None), note
        odd = numbers.index[numbers.isna()]
        numbers = read.reindex(numbers.index).fillna(numbers)
        note = "read as numbers, " + ", ".join(f"{shown(filled[i])} as {numbers[i]:.10g}" for i in odd[:3])
    is_long = filled.str.fullmatch(_DIGITS) & (numbers.abs() >= _EXACT)
    if filled.str.fullmatch(_CODE).any() or is_long.any():
        return words.mask(empty, None), None
    lookup = dict(zip(filled, numbers.astype(float), strict=True))
    return words.map(lookup).astype(float), note


def _read(texts, decimal_comma):
    """Return numbers with commas as numbers, all by one reading; None where two are possible, or none."""
    if not texts.str.contains(",").any():
        return pd.to_numeric(texts, errors="coerce") if texts.str.count("[.]").max() < 2 else None
    english, german = (texts.map(form.fullmatch).notna().all() for form in (_ENGLISH, _GERMAN))
    if german and (decimal_comma or not english):
        return pd.to_numeric(texts.str.replace(".", "").str.replace(",", "."))
    return pd.to_numeric(texts.str.replace(",", "")) if english and not german else None


def printed(words):
    """Return words as numbers where they can be read: NaN for others, and for a comma among points.

    Parameters
    ----------
    words : pandas.Series of str

    Returns
    -------
    pandas.Series of float
    """
    plain = words.mask(words.str.fullmatch(_CODE))
    found = plain.map(as_printed, na_action="ignore").dropna()
    texts = found.map(lambda match: match["number"].replace("\u2212", "-"))
    read = _read(texts, False) if len(texts) else None
    if read is None:
        texts = texts[~texts.astype(str).str.contains(",")]
        read = pd.to_numeric(texts, errors="coerce")
    return pd.to_numeric(plain, errors="coerce").fillna(read.reindex(words.index)).astype(float)


def _written(value):
    """Return a cell as text: whole numbers without a point, nothing for what is missing."""
    if value is None or (isinstance(value, float) and value != value):
        return None
    if isinstance(value, bool):
        return str(float(value))
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return str(int(value))
    return value if isinstance(value, str) else json.dumps(value, default=str, ensure_ascii=False)


def by_name(table, row, name):
    """Return values of (row, name) pairs as a table with a column for each name.

    Parameters
    ----------
    table : pandas.DataFrame
        With a column `value`.
    row, name : str
        Its columns.

    Returns
    -------
    pandas.DataFrame
    """
    return table.pivot_table(index=row, columns=name, values="value", aggfunc="first", dropna=False)


def flat(record, prefix="", depth=4):
    """Return a nested dict as one of plain values, keys joined by points.

    Parameters
    ----------
    record : dict
    prefix : str, default ""
    depth : int, default 4
        What is nested deeper stays as it is.

    Returns
    -------
    dict
    """
    out = {}
    for key, value in record.items():
        if isinstance(value, dict) and depth > 1:
            out |= flat(value, f"{prefix}{key}.", depth - 1)
        else:
            out[f"{prefix}{key}"] = value
    return out


def json_lines(path):
    """Yield the objects of a file of JSON lines; a bad line is named.

    Parameters
    ----------
    path : pathlib.Path

    Yields
    ------
    dict
    """
    with open(path, encoding="utf-8-sig") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except ValueError as error:
                raise unreadable(path, f"line {number:,} is no JSON ({error})") from None
            if not isinstance(record, dict):
                raise unreadable(path, f"line {number:,} is no object with named values")
            yield record


def json_file(path):
    """Return what a JSON file holds.

    Parameters
    ----------
    path : pathlib.Path

    Returns
    -------
    object
    """
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError:
        raise
    except ValueError as error:
        raise unreadable(path, f"it is no whole JSON ({error})") from None
