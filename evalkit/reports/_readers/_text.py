"""Text with columns: CSV, TSV, or with semicolons, as spreadsheets write it where the comma is decimal."""

import csv
import io
import re

import pandas as pd

from evalkit.reports._faults import unreadable

_RULE = re.compile(r"[\s|:-]+")  # of a table in Markdown, beneath its head


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
    """
    text = path.read_text(encoding=encoding)
    first = text.lstrip().split("\n", 1)[0].strip()
    is_tsv = path.suffix.lower() == ".tsv"
    mark = "\t" if is_tsv else max("\t,;|", key=first.count)
    if "\0" in text or not first.count(mark):  # what stands there is not said: it may be anything
        marks = "tab" if is_tsv else "comma, tab, semicolon or bar"
        what = f"it has no columns: its first line has no {marks}"
        raise unreadable(path, what, "let the first line name the columns, and save it as CSV.")
    if is_markdown := first.startswith("|"):
        lines = (line.strip().strip("|") for line in text.splitlines())
        text = "\n".join(line for line in lines if not _RULE.fullmatch(line))
    try:  # pandas would fill a row that is too short in silence
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
        heads = [name.strip() or f"unnamed {k}" for k, name in enumerate(next(filter(None, rows)))]
        body = []
        for row in rows:
            if len(row) != len(heads) and row:
                what = f"line {rows.line_num:,} has {len(row)} values, and the header {len(heads)} columns"
                raise unreadable(path, what)
            if row:
                body.append(row)
    except csv.Error as error:
        raise unreadable(path, f"near line {rows.line_num:,} it is no CSV ({error})") from None
    kind = "Markdown" if is_markdown else {"\t": "TSV", ";": "CSV with semicolons"}.get(mark, "CSV")
    return pd.DataFrame(body, columns=heads, dtype=object), kind
