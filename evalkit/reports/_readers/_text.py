"""Text with columns: CSV, TSV, or with semicolons, as spreadsheets write it where the comma is decimal."""

import csv
import io
import itertools
import re
from collections import Counter

import pandas as pd

from evalkit.reports._faults import unreadable
from evalkit.reports._readers import _limits

_RULE = re.compile(r"[\s|:-]+")  # of a table in Markdown, beneath its head
_NUMBER = re.compile(r"[-+]?[\d.,]+ ?%?")
_TRIED = 200  # lines by which the mark between columns is known


def heads(head):
    """Return the names in the first line of a file with commas, as far as its first bytes reach.

    Parameters
    ----------
    head : bytes

    Returns
    -------
    list of str
    """
    names = next(iter(lines(head)), [])
    return names if b"\n" in head else names[:-1]


def lines(head):
    """Return the whole lines among the first bytes of a file with commas.

    Parameters
    ----------
    head : bytes

    Returns
    -------
    list of list of str
    """
    text = head.decode("utf-8-sig", errors="replace")
    rows = list(_rows(text, ",")) if text and "\0" not in text else []
    return rows[:-1] if len(rows) > 1 else rows


def _rows(text, mark):
    """Yield the cells of each line, as far as they can be read."""
    try:
        yield from csv.reader(io.StringIO(text, newline=""), delimiter=mark)
    except csv.Error:
        return


def _mark(text):
    """Return what stands between columns: what gives most lines the same number of them; None for nothing."""
    best, chosen = (0, 0), None
    for mark in "\t,;|":
        widths = Counter(len(row) for row in itertools.islice(_rows(text, mark), _TRIED) if any(row))
        width, lines_of_it = max(
            widths.items(), key=lambda item: (item[0] > 1, item[1], item[0]), default=(1, 0)
        )
        if width > 1 and (lines_of_it / widths.total(), width) > best:
            best, chosen = (lines_of_it / widths.total(), width), mark
    return chosen


def read(path, encoding):
    """Read text with columns.

    Parameters
    ----------
    path : pathlib.Path
    encoding : str

    Returns
    -------
    frame : pandas.DataFrame
        Of strings.
    kind : str
    n_empty : int
        Lines without a filled cell, which are left out.
    """
    _limits.check_bytes(path, path.stat().st_size)
    text = path.read_text(encoding=encoding)
    is_tsv = path.suffix.lower() == ".tsv"
    is_markdown = text.lstrip().startswith("|")
    mark = "|" if is_markdown else "\t" if is_tsv and "\t" in text else None if is_tsv else _mark(text)
    if "\0" in text or mark is None:  # what stands there is not said: it may be anything
        marks = "tab" if is_tsv else "comma, tab, semicolon or bar"
        what = f"it has no columns: no {marks} parts its lines into them"
        raise unreadable(path, what, "let the first line name the columns, and save it as CSV.")
    if is_markdown:
        stripped = (line.strip().strip("|") for line in text.splitlines())
        text = "\n".join(line for line in stripped if not line or not _RULE.fullmatch(line))
    body, numbers, n_empty = _body(path, text, mark)
    if not body:
        raise unreadable(path, "all its lines are empty")
    _check_title(path, body, numbers)
    names = [name.strip() or f"unnamed {k}" for k, name in enumerate(body[0])]
    for row, number in zip(body[1:], numbers[1:], strict=True):
        if len(row) != len(names):
            what = f"line {number:,} has {len(row)} values, and the header {len(names)} columns"
            raise unreadable(path, what)
    kind = "Markdown" if is_markdown else {"\t": "TSV", ";": "CSV with semicolons"}.get(mark, "CSV")
    return pd.DataFrame(body[1:], columns=names, dtype=object), kind, n_empty


def _body(path, text, mark):
    """Return the rows with a filled cell, the lines in which they end, and how many are empty."""
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
                    _limits.check_table(path, len(body) - 1, max(len(row), n_cells // len(body)))
    except csv.Error as error:
        raise unreadable(path, f"near line {rows.line_num:,} it is no CSV ({error})") from None
    return body, numbers, n_lines - len(body)


def _check_title(path, body, numbers):
    """Refuse a title above the header: the names of columns are the words of the first line."""
    titles = list(itertools.takewhile(lambda row: row[0].strip() and not any(map(str.strip, row[1:])), body))
    n = len(titles)
    if not n or len(body) < n + 2 or len(body[n]) < 2 or len(body[n]) != len(body[n + 1]):
        return
    if all(cell.strip() and not _NUMBER.fullmatch(cell) for cell in body[n]):
        where = f"line {numbers[0]:,} has" if n == 1 else f"lines {numbers[0]:,} to {numbers[n - 1]:,} have"
        what = f"{where} one filled cell, line {numbers[n]:,} looks like the header"
        raise unreadable(path, what, f"take {where.rpartition(' ')[0]} out.")
