"""Cells as numbers or words: the same for every format.

A column that can be read in one way alone says which decimal mark its file has. One
that can be read in two ways, and has not that mark, stays words, and is named among the
facts.
"""

import functools
import json
import re
import unicodedata
from dataclasses import dataclass

import numpy as np
import pandas as pd

from evalkit.reports import schema
from evalkit.reports._faults import shown, unreadable
from evalkit.reports._formats import _limits
from evalkit.reports._recognition._table import as_name

MISSING = frozenset(
    {"", "nan", "na", "n/a", "null", "none", ".", "-", "\u2013", "\u2014", "?", "#n/a"}
)
# 91.3, 91,3, 1,234.5, **91.3**, \textbf{91.3}, 91.3 %, %91,3, 91.3 ± 0.4, 91.3 (0.4),
# 91.3*; by `one_spaced`
_PRINTED = re.compile(
    r"(?:\*\*|\\textbf\{|\\underline\{|_|%)?"
    r" ?(?P<number>[-+\u2212]?\d+(?:[.,\u066b]\d+)*(?:[eE][-+]?\d+)?) ?"
    r"(?P<percent>\\?%)? ?(?:\*\*|\}|_)?(?P<spread> ?(?:\u00b1|\+/-|\+-|\$?\\pm\$?|\()"
    r" ?[\d.,]+ ?\\?%?\)?)?"
    r" ?[*\u2020\u2021]*\}?"
)
LONGEST = 200  # characters of a cell that may be a printed number: longer ones are text
_CODE = re.compile(r"[-+]?0\d+")
# May be an identifier, of which a number keeps 15 digits.
_DIGITS = re.compile(r"[-+]?\d+")
_EXACT = 2**53
_SHAPE = (
    r"[-+]?(?:[1-9]\d{{0,2}}(?:{group}\d{{3}})+(?:{point}\d+)?|(?:\d+(?:{point}\d*)?|{point}\d+)"
    r"(?:[eE][-+]?\d+)?)"
)
_BY_MARK = {
    p: re.compile(_SHAPE.format(group=re.escape(g), point=re.escape(p)))
    for g, p in (",.", ".,")
}
_AROUND = re.compile(r"[-+]?(?:\d{1,3}|[1-9]\d{0,2}[.,]\d{3})")  # a thousand


def one_spaced(text):
    """Return a text with one space for every run of white space: patterns for it need
    no unbounded runs.
    """
    return " ".join(text.split())


def one_form(text):
    """Return a text in the one form of its letters: \u00ef is one sign, or i with two
    points.
    """
    return (
        unicodedata.normalize("NFC", text)
        if isinstance(text, str) and not text.isascii()
        else text
    )


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


def is_code(cell):
    """Tell whether a cell of digits is an identifier: as a number it would lose its
    zeros.
    """
    return _CODE.fullmatch(cell) is not None


@dataclass(frozen=True)
class _Column:
    """The words of a column, those that differ, and their numbers as text where all are
    printed numbers.
    """

    words: pd.Series
    filled: pd.Series
    numbers: pd.Series
    texts: pd.Series | None
    is_trimmed: bool
    has_spreads: bool = False

    @functools.cached_property
    def is_marked(self):
        """Which numbers have a point or a comma; there are none where a column holds
        words.
        """
        texts = self.filled[:0] if self.texts is None else self.texts
        return texts.map(lambda text: "." in text or "," in text).astype(bool)

    @functools.cached_property
    def marked(self):
        """The numbers with a point or a comma."""
        return self.filled[:0] if self.texts is None else self.texts[self.is_marked]

    @functools.cached_property
    def marks(self):
        """The decimal marks by which all of these can be read."""
        return _readable(self.marked)

    @property
    def is_split(self):
        """Whether 984 stands beside 1.003, and no other form: the mark may part
        thousands in any file.
        """
        if (
            self.is_marked.all()
            or self.marked.empty
            or not self.texts.str.fullmatch(_AROUND).all()
        ):
            return False
        return any(len(text.lstrip("+-")) == 3 for text in self.texts[~self.is_marked])


def _is_reworded(column):
    """Tell whether numbers would be written otherwise than they are: 1.0, 7.10."""
    pairs = zip(column.filled, column.numbers, strict=True)
    return any(as_name(float(number)) != text for text, number in pairs)


def _readable(texts):
    return frozenset(
        mark
        for mark, form in _BY_MARK.items()
        if len(texts) and all(map(form.fullmatch, texts))
    )


def names_systems(name, _):
    """Tell whether a column names systems, by its documented name: its text stays as it
    is in the file.
    """
    return schema.role_of(name) == "system"


def columns(frame, *, decimal_comma=False, is_name=names_systems):
    """Return a frame of strings with columns of numbers as floats, and what had to be
    read into them.

    Parameters
    ----------
    frame : pandas.DataFrame
        Of str, numbers, bool, None and NaN.
    decimal_comma : bool, default False
        How 1,234 is meant where no column of the file says it.
    is_name : callable, default `names_systems`
        Tells of a column and its texts whether they are names: 7.1 and 7.10 are two
        systems.

    Returns
    -------
    frame : pandas.DataFrame
    facts : dict
        `notes`, a list of sentences, and `two_ways`: what columns that stay words for
        it could be.
    """
    looked = {name: _looked_at(frame[name]) for name in frame.columns}
    has_commas = decimal_comma or any(
        "," in text for c in looked.values() for text in c.marked
    )
    sure = {mark for c in looked.values() if len(c.marks) == 1 for mark in c.marks}
    out, notes, two_ways = {}, [], {}
    for name, column in looked.items():
        mark = _mark(column, sure or ({","} if decimal_comma else set()), has_commas)
        if mark is None:
            first = column.marked.iloc[0]
            read = sorted((_as_number(first, mark) for mark in ",."), reverse=True)
            ways = " or ".join(f"{number:.10g}" for number in read)
            two_ways[name] = f"{shown(first)} is {ways}"
        if is_name(name, column.filled) and _is_reworded(column):
            mark = ""
        out[name], note = _read(column, mark)
        notes += [f"column {name}: {note}"] if note else []
    facts = {"notes": notes} | ({"two_ways": two_ways} if two_ways else {})
    if means := [name for name, column in looked.items() if column.has_spreads]:
        facts["means"] = means
    return pd.DataFrame(out, index=frame.index), facts


def _looked_at(values):
    if values.dtype.kind in "iufb" and (
        values.dtype.kind not in "iu" or (values.abs() < _EXACT).all()
    ):
        empty = pd.Series([], dtype=object)
        numbers = values.to_numpy(dtype=float, na_value=np.nan)
        return _Column(pd.Series(numbers, values.index), empty, empty, None, False)
    written = values.astype(object)
    if pd.api.types.infer_dtype(written, skipna=True) not in ("string", "empty"):
        written = written.map(
            lambda value: value if isinstance(value, str) else _written(value)
        )
    # What is done for each cell is done once for each that differs.
    codes, known = pd.factorize(written)
    known = pd.Series(list(map(one_form, known)), dtype=object).str.strip()
    words = pd.Series(
        np.append(known.to_numpy(dtype=object), None)[codes], values.index, dtype=object
    )
    distinct = known.drop_duplicates().reset_index(drop=True)
    filled = distinct[~distinct.str.lower().isin(MISSING)]
    numbers, texts, has_spreads = pd.to_numeric(filled, errors="coerce"), filled, False
    if numbers.isna().any():
        printed = list(map(as_printed, filled[numbers.isna()]))
        has_spreads = all(printed) and any(found["spread"] for found in printed)
        is_all = all(printed)
        texts = (
            filled.map(lambda w: _number(found) if (found := as_printed(w)) else w)
            if is_all
            else None
        )
    return _Column(
        words, filled, numbers, texts, len(known) > len(distinct), has_spreads
    )


def _number(match):
    # The decimal mark of Arabic.
    return match["number"].replace("\u2212", "-").replace("\u066b", ".")


def _as_number(text, mark):
    return float(text.replace("," if mark == "." else ".", "").replace(",", "."))


def _mark(column, sure, has_commas):
    """Return the decimal mark of a column; None where it can be read in two ways, ""
    where in none.
    """
    marks = (
        column.marks if has_commas or column.numbers.isna().any() else frozenset(".")
    )
    if len(marks) < 2 and not column.is_split:
        return next(
            iter(marks), "" if column.texts is None or len(column.marked) else "."
        )
    own = {mark for mark in ",." if any(mark in text for text in column.marked)}
    return (
        None
        if column.is_split or (has_commas and own != sure) or len(own) > 1
        else own.pop()
    )


def _read(column, mark):
    """Return a column as numbers, or as words, and what is to be said of it."""
    words, filled = column.words, column.filled
    if words.dtype.kind == "f":
        return words, None
    if filled.empty:
        return pd.Series(np.nan, index=words.index, dtype=float), None
    note = "spaces around its words left out" if column.is_trimmed else None
    empty = words.isin(["", None]) | words.isna()
    large = filled[column.numbers.abs() >= _EXACT]
    is_code = bool(mark) and (
        filled.str.fullmatch(_CODE).any() or large.str.fullmatch(_DIGITS).any()
    )
    if not mark or is_code:
        words = words.mask(empty, None)
        return words, None if is_code else note
    numbers = column.numbers
    odd = numbers.index[numbers.isna() | (column.is_marked & (mark == ","))]
    if len(odd):
        numbers = numbers.astype(float)
        numbers[odd] = [_as_number(text, mark) for text in column.texts[odd]]
        note = "read as numbers, " + ", ".join(
            f"{shown(filled[i])} as {numbers[i]:.10g}" for i in odd[:3]
        )
    lookup = dict(zip(filled, numbers.astype(float), strict=True))
    return words.map(lookup).astype(float), note


def check_numbers(place, frame, names):
    """Refuse words in columns that are numbers in the format of a file.

    Parameters
    ----------
    place : path-like
        Of the file, or what it is.
    frame : pandas.DataFrame
    names : iterable of str
    """
    for name in names:
        if frame[name].dtype.kind != "f":
            words = frame[name].dropna()
            odd = words[pd.to_numeric(words, errors="coerce").isna()]
            what = (
                f"column {shown(name)} holds numbers in this format, and has"
                f" {shown((*odd, *words)[0])}"
            )
            raise unreadable(place, what)


def _written(value):
    """Return a cell as text: whole numbers without a point, nothing for what is
    missing.
    """
    if isinstance(value, (dict, list, tuple, set, np.ndarray)):
        value = value.tolist() if isinstance(value, np.ndarray) else value
        return json.dumps(value, default=str, ensure_ascii=False)
    if pd.isna(value):
        return None
    if isinstance(value, (bool, np.bool_)):
        return str(float(value))
    if (
        isinstance(value, (float, np.floating))
        and float(value).is_integer()
        and abs(value) < _EXACT
    ):
        return str(int(value))
    return str(value)


def by_name(path, table, row, name):
    """Return values of (row, name) pairs as a table with a column for each name.

    Parameters
    ----------
    path : pathlib.Path
    table : pandas.DataFrame
        With a column `value`.
    row, name : str
        Its columns.

    Returns
    -------
    pandas.DataFrame
    """
    table = table.assign(**{name: table[name].astype(str)})
    _limits.check_table(path, table[row].nunique(), table[name].nunique())
    return table.pivot_table(
        index=row, columns=name, values="value", aggfunc="first", dropna=False
    )


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


def as_object(path, value, what):
    """Return a value of JSON that must be an object with named values; refuse what is
    none.

    Parameters
    ----------
    path : pathlib.Path
    value : object
    what : str
        It is, such as "line 3".

    Returns
    -------
    dict
    """
    if isinstance(value, dict):
        return value
    kind = {list: "a list", str: "text", type(None): "null", bool: "true or false"}.get(
        type(value), "a number"
    )
    raise unreadable(path, f"{what} is {kind}, and no object with named values")


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
            if line.strip():
                yield as_object(
                    path,
                    json_text(path, line, f"line {number:,} is not JSON"),
                    f"line {number:,}",
                )


def json_file(path):
    """Return what a JSON file holds."""
    _limits.check_bytes(path, path.stat().st_size)
    return json_text(path, path.read_text(encoding="utf-8-sig"), "it is not whole JSON")


def _once(pairs):
    """Return an object of JSON; of a key that stands twice Python would keep the last,
    in silence.
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise KeyError(shown(max(names, key=names.count)))
    return found


def json_text(path, text, what):
    """Return what a text of JSON holds.

    Parameters
    ----------
    path : pathlib.Path
        In which it stands.
    text : str or bytes
    what : str
        Is wrong where it is none.

    Returns
    -------
    object
    """
    try:
        return json.loads(text, object_pairs_hook=_once)
    except KeyError as error:
        what = f"an object in it has the key {error.args[0]} twice"
        raise unreadable(path, what, "give each value its own key.") from None
    except ValueError as error:
        if "int_max_str_digits" in str(error):  # Python speaks to programmers here
            raise unreadable(
                path, "it holds a whole number of thousands of digits"
            ) from None
        raise unreadable(path, f"{what} ({error})") from None
    except TypeError:
        raise unreadable(path, f"{what} (it is not text)") from None
