"""Files: one table is read of them, and a page is never written over what was read."""

import codecs
import csv
import hashlib
import io
import json
import os
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from evalkit._files import identities, no_file
from evalkit.reports import schema
from evalkit.reports._refused import examples, placed, unreadable

FORMS = {
    ".html": "html",
    ".htm": "html",
    ".md": "markdown",
    ".py": "code",
    ".tex": "latex",
}
_SEPARATORS = {".csv": ",", ".tsv": "\t", ".jsonl": None}


@dataclass(frozen=True)
class Reading:
    """A file that was read."""

    place: str
    n_rows: int
    sha256: str


def read(places, within=None):
    """Return the rows of files with one header, put one below the other.

    Parameters
    ----------
    places : list of path-like
    within : path-like, optional
        The folder outside which nothing is opened.

    Returns
    -------
    table : DataFrame
        Cells of CSV are words, as they stand there.
    readings : tuple of Reading
    """
    tables, readings = [], []
    for place in places:
        content = _content(Path(place), within)
        separator = _SEPARATORS[Path(place).suffix.lower()]
        read_one = _json_lines if separator is None else _csv
        table = read_one(place, content, separator)
        hashed = hashlib.sha256(content).hexdigest()
        readings.append(Reading(str(place), len(table), hashed))
        first = tables[0] if tables else table
        if {*table.columns} != {*first.columns}:
            odd = examples(sorted({*table.columns} ^ {*first.columns}))
            what = f"it has other columns than {placed(places[0])} ({odd})"
            lines = ", ".join(map(in_pandas, places[:9]))
            raise unreadable(place, what, f"table = pd.concat([{lines}])")
        tables.append(table)
    table = pd.concat(tables, ignore_index=True)
    if table.size > schema.MOST_CELLS:
        what = f"{table.size:,} cells, of {schema.MOST_CELLS:,} at most"
        raise unreadable(places[0], what, "leave out columns that nobody needs.")
    return table, tuple(readings)


def _content(path, within):
    if path.suffix.lower() not in _SEPARATORS:
        read_it = f"table = pd.read_...({str(path)!r})  # then ek.report(table, ...)"
        ends = f"it must end in {', '.join(_SEPARATORS)}, or be a DataFrame in Python"
        raise unreadable(path, ends, f"# {read_it}")
    check_place(path, within)
    try:
        with open(path, "rb") as file:
            content = file.read(schema.MOST_BYTES + 1)
    except FileNotFoundError:
        raise unreadable(path, "there is no such file", "name one that is") from None
    if len(content) > schema.MOST_BYTES:
        raise unreadable(path, f"more than {schema.MOST_BYTES:,} bytes")
    return content


def check_place(path, within=None):
    """Refuse what is no file, or lies outside a folder."""
    if within is not None:
        real, root = os.path.realpath(path), os.path.realpath(within)
        if os.path.commonpath([real, root]) != root:
            raise unreadable(path, f"it lies outside of {placed(within)}")
    if what := no_file(path):
        way = "name the files in it, one by one" if what == "a folder" else ()
        raise unreadable(path, f"it is {what}, and no file", *filter(None, [way]))


def in_pandas(place, more=""):
    """Return the Python that reads a file."""
    suffix, name = Path(place).suffix.lower(), repr(str(place))
    if suffix == ".jsonl":
        return f"pd.read_json({name}, lines=True{more})"
    tabs = ", sep='\\t'" * (suffix == ".tsv")
    words = ", keep_default_na=False, na_values=['']"  # NA may be a name
    return f"pd.read_csv({name}{tabs}{words}{more})"


def _text(place, content):
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        more = f", encoding={'utf-16' if wide else 'latin-1'!r}"
        way = f"table = {in_pandas(place, more)}"
        raise unreadable(place, f"it is not UTF-8 ({error.reason})", way) from None
    if "\0" in text:
        raise unreadable(place, "it has a zero byte, and is no text")
    return text


def _csv(place, content, separator):
    reader = csv.reader(
        io.StringIO(_text(place, content), newline=""), delimiter=separator, strict=True
    )
    rows = []
    try:
        header = [name.strip() for name in next(reader, [])]
        _check_header(place, header)
        for row in filter(None, reader):
            if len(row) != len(header):
                what = f"line {reader.line_num:,} has {len(row)} cells, and the header"
                raise unreadable(place, f"{what} {len(header)}")
            rows.append(row)
    except csv.Error as error:
        what = f"line {reader.line_num:,} is no CSV ({error})"
        raise unreadable(place, what) from None
    return pd.DataFrame(rows, columns=header, dtype=object)


def _check_header(place, header):
    only = header[0] if len(header) == 1 else ""
    for mark, name in ((";", "semicolons"), ("\t", "tabs")):
        if mark in only:
            comma = ", decimal=','" * (mark == ";")
            way = f"table = pd.read_csv({str(place)!r}, sep={mark!r}{comma})"
            raise unreadable(place, f"its columns are set apart by {name}", way)


def _pairs(pairs):
    if len(names := dict(pairs)) < len(pairs):
        raise ValueError("a name comes twice")
    return names


def _json_lines(place, content, _):
    rows = []
    for number, line in enumerate(_text(place, content).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line, object_pairs_hook=_pairs)
        except (ValueError, RecursionError) as error:
            raise unreadable(place, f"line {number:,} is no JSON ({error})") from None
        if not isinstance(row, dict):
            raise unreadable(place, f"line {number:,} is no object of names and values")
        if nested := [k for k, v in row.items() if isinstance(v, (dict, list))]:
            what = f"{nested[0]!r} in line {number:,} is not one value"
            flat = f"pd.json_normalize(pd.read_json({str(place)!r}, lines=True)"
            way = f"table = {flat}.to_dict('records'))"
            raise unreadable(place, what, way)
        rows.append(row)
    return pd.DataFrame(rows, dtype=object)


# --------------------------------------------------------------------------------------
# Where a page goes
# --------------------------------------------------------------------------------------


def form(path):
    """Return the form in which a report is written to a file, by its ending."""
    path = Path(path)
    if path.suffix.lower() not in FORMS:
        raise ValueError(f"path must end in {', '.join(FORMS)}, got {path.name!r}")
    return FORMS[path.suffix.lower()]


def check_outputs(outputs, inputs):
    """Refuse places that cannot be written to without a loss."""
    taken = {
        key: f"{placed(i)}, which is read" for i in inputs for key in identities(i)
    }
    for place in outputs:
        if what := no_file(place):
            raise ValueError(
                f"{placed(place)} is {what}, where a file should be; name another place"
            )
        for key in identities(place) & taken.keys():
            over = f"{placed(place)} would be written over {taken[key]}"
            raise ValueError(f"{over}; name another place")
        written = f"{placed(place)}, which is to be written as well"
        taken |= dict.fromkeys(identities(place), written)


def check_unnamed(place, option):
    """Refuse a default that is a link: whoever calls has not named what it leads to."""
    if os.path.islink(place):
        raise ValueError(
            f"{placed(place)} is a link, and nothing is written through a link that"
            f" nobody named; take it away, or name a place by {option}"
        )
