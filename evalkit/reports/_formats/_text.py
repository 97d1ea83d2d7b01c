"""Text with columns: CSV, TSV, or with semicolons, as spreadsheets write it where the
comma is decimal.
"""

import csv
import io
import itertools
import re
from collections import Counter

import pandas as pd

from evalkit.reports._faults import count, unreadable
from evalkit.reports._formats import _limits

_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
_MONITOR, _ENV = '#{"t_start"', re.compile(r'"env_id": "([^"]+)"')
_RULE = re.compile(r"[\s|:+-]+")  # of a table in Markdown, beneath its head
_NUMBER = re.compile(r"[-+]?[\d.,]+ ?%?")
_OF_TABLES = 0.8  # lines of a table with a fault that have as many values all the same
_TRIED = 200  # lines by which the mark between columns is known


def lines(head):
    """Return the whole lines among the first bytes of a file with commas; of a long
    first line its start.
    """
    text = head.decode("utf-8-sig", errors="replace")
    rows = list(_rows(text, ",")) if "\0" not in text else []
    if len(rows) < 2:
        return [row if b"\n" in head else row[:-1] for row in rows] or [[]]
    return rows[:-1]


def _rows(text, mark):
    """Yield the cells of each line, as far as they can be read."""
    try:
        yield from csv.reader(io.StringIO(text, newline=""), delimiter=mark)
    except csv.Error:
        return


def _mark(text):
    """Return what stands between columns: what gives most lines the same number of
    them; None for nothing.
    """
    best, chosen = (0, 0), None
    for mark in "\t,;|":
        widths = Counter(
            len(row) for row in itertools.islice(_rows(text, mark), _TRIED) if any(row)
        )
        width, lines_of_it = max(
            widths.items(),
            key=lambda item: (item[0] > 1, item[1], item[0]),
            default=(1, 0),
        )
        if width > 1 and (lines_of_it / widths.total(), width) > best:
            best, chosen = (lines_of_it / widths.total(), width), mark
    return chosen


def read(path):
    """Read text with columns.

    Parameters
    ----------
    path : pathlib.Path

    Returns
    -------
    frame : pandas.DataFrame
        Of strings.
    kind : str
    n_empty : int
        Lines without a filled cell, which are left out.
    """
    _limits.check_bytes(path, path.stat().st_size)
    text, env = _without_first(_decoded(path))
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise unreadable(
            path,
            f"there is a zero byte in line {line:,}, which no text has",
            "take it out.",
        )
    as_csv = (
        "save it as CSV, with a first line that names the columns: system, seed and a"
        " metric, say."
    )
    if any(
        "|" in line and "-" in line and _RULE.fullmatch(line)
        for line in text.splitlines()[:_TRIED]
    ):
        raise unreadable(
            path, "it holds a table with bars and dashes, as Markdown has", as_csv
        )
    is_tsv = path.suffix.lower() == ".tsv"
    mark = ("\t" if "\t" in text else None) if is_tsv else _mark(text)
    if mark is None:  # what stands there is not said: it may be anything
        marks = "tab" if is_tsv else "comma, tab, semicolon or bar"
        raise unreadable(
            path, f"it has one column at most: no {marks} parts its lines", as_csv
        )
    body, numbers, n_empty = _body(path, text, mark)
    kind = {"\t": "TSV", ";": "CSV with semicolons"}.get(mark, "CSV")
    if not body:
        raise unreadable(path, "all its lines are empty")
    body = _without_empty_ends(body)
    _check_title(path, body, numbers)
    names = [name.strip() or f"unnamed {k}" for k, name in enumerate(body[0])]
    _check_head(path, body, numbers)
    return (
        pd.DataFrame(body[1:], columns=names, dtype=object).assign(**env),
        kind,
        n_empty,
    )


def _without_first(text):
    """Return text without the line that a monitor of Stable-Baselines3 begins with, and
    its env.
    """
    if not text.startswith(_MONITOR):
        return text, {}
    first, _, rest = text.partition("\n")
    env = _ENV.search(first)
    return rest, {"env_id": env[1]} if env else {}


def _decoded(path):
    """Return the text of a file: UTF-8, or what a mark at its beginning says; nothing
    is guessed.
    """
    data = path.read_bytes()
    encoding = next(
        (name for mark, name in _MARKS.items() if data.startswith(mark)), "utf-8"
    )
    try:
        return io.StringIO(data.decode(encoding), newline=None).read()
    except UnicodeError as error:
        what = f"byte {getattr(error, 'start', 0):,} is not {encoding.upper()} text"
        raise unreadable(
            path, what, "save it as UTF-8 (in a spreadsheet: CSV UTF-8)."
        ) from None


def _without_empty_ends(body):
    """Return rows without last columns that have neither a name nor a value: a comma
    ends each line.
    """
    width = len(body[0])
    while width > 1 and all(
        len(row) == len(body[0]) and not row[width - 1].strip() for row in body
    ):
        width -= 1
    return [row[:width] for row in body] if width < len(body[0]) else body


def _body(path, text, mark):
    """Return the rows with a filled cell, the lines in which they end, and how many are
    empty.
    """
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
    body, numbers, n_lines, n_cells = [], [], 0, 0
    try:  # pandas would fill a row that is too short in silence
        for row in rows:
            n_lines += 1
            if any(map(str.strip, row)):
                body.append(row)
                numbers.append(rows.line_num)
                n_cells += len(row)
                if len(row) > _limits.COLUMNS or n_cells > _limits.CELLS + len(body[0]):
                    _limits.check_table(
                        path, len(body) - 1, max(len(row), n_cells // len(body))
                    )
    except csv.Error as error:
        what = f"near line {rows.line_num:,} it is not CSV ({error})"
        begun = numbers[-1] + 1 if numbers else 1
        if "field limit" in str(error) and rows.line_num <= begun:
            what = (
                f"line {begun:,} has a cell of more than {csv.field_size_limit():,}"
                " characters"
            )
        elif rows.line_num > begun:
            what = (
                f"a quotation mark that opens in line {begun:,}, or after it, is not"
                " closed as CSV has it"
            )
        raise unreadable(path, what) from None
    return body, numbers, n_lines - len(body)


def _check_head(path, body, numbers):
    """Refuse lines that are not as long as the first, and a first line that names no
    columns.
    """
    head, widths = body[0], Counter(map(len, body[1:]))
    odd = next(
        (
            (row, n)
            for row, n in zip(body, numbers, strict=True)
            if len(row) != len(head)
        ),
        None,
    )
    if odd and head[0].startswith("#"):
        what = (
            "its first line is a comment, and the names of columns are expected there"
        )
        raise unreadable(path, what, "take that line out.")
    if (
        odd
        and min(widths.values()) > 1
        and max(widths.values()) < _OF_TABLES * widths.total()
    ):
        what = (
            f"its lines have {min(widths)} to {max(widths)} values, as those of a log"
            " or a text have"
        )
        raise unreadable(
            path, what, "export a table: a row for each run, or for each item."
        )
    if odd:
        what = (
            f"line {odd[1]:,} has {len(odd[0])} values, and the header {len(head)}"
            " columns"
        )
        raise unreadable(path, what)
    flags = {cell.strip() for cell in body[2]} if len(body) > 3 else set()
    is_of_orange = {"class", "meta"} & flags and flags <= {
        "class",
        "meta",
        "ignore",
        "",
    }
    if is_of_orange or any(flag.startswith('{"ImportId"') for flag in flags):
        what = (
            f"lines 2 and 3, from {'Orange' if is_of_orange else 'Qualtrics'}, say what"
            " each column is"
        )
        raise unreadable(path, what, "take these two lines out.")
    # An index has no name.
    first = next((k for k, name in enumerate(head) if name.strip()), len(head))
    if bare := [
        k
        for k in range(first, len(head))
        if not head[k].strip() and any(row[k].strip() for row in body)
    ]:
        columns = count(len(bare), "column has", "columns have")
        what = (
            f"{columns} values, and no name in the first line, from column"
            f" {bare[0] + 1} on"
        )
        raise unreadable(
            path, what, "give each column a name of its own, in one line: seed1, seed2."
        )
    below = body[1] if len(body) > 2 else []
    is_unnamed = any(map(_NUMBER.fullmatch, head))
    if is_unnamed and (
        again := [
            name
            for name, cell in zip(head, below, strict=False)
            if name.strip() and name == cell
        ]
    ):
        what = (
            f"the first line says {again[0].strip()!r}, as the line below it: it names"
            " no columns"
        )
        raise unreadable(
            path,
            what,
            "write a first line that names them, such as metric, item and score.",
        )


def _check_title(path, body, numbers):
    """Refuse a title above the header, and notes below the rows: lines in which one
    cell alone is filled.
    """

    def are_alone(rows):
        return len(
            [
                *itertools.takewhile(
                    lambda r: r[0].strip() and not any(map(str.strip, r[1:])), rows
                )
            ]
        )

    n, n_below = are_alone(body), are_alone(body[::-1]) if len(body[0]) > 2 else 0
    is_title = n and len(body) > n + 1 and 1 < len(body[n]) == len(body[n + 1])
    if is_title and all(
        cell.strip() and not _NUMBER.fullmatch(cell) for cell in body[n]
    ):
        first, last, what = (
            numbers[0],
            numbers[n - 1],
            f"line {numbers[n]:,} looks like the header",
        )
    elif (
        0 < n_below < len(body) - 1
        and len({row[0] for row in body[1:]}) < len(body) - 1 - n_below
    ):
        first, last = numbers[-n_below], numbers[-1]
        what = f"{body[-n_below][0].strip()!r}: a note below the table, it seems"
    else:
        return
    where = f"line {first:,}" if first == last else f"lines {first:,} to {last:,}"
    has = "has" if first == last else "have"
    raise unreadable(
        path, f"{where} {has} one filled cell, {what}", f"take {where} out."
    )
