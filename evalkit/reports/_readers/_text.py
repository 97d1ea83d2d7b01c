"""Text with columns: CSV, TSV, or with semicolons, as spreadsheets write it where the comma is decimal."""

import csv
import io
import re

import pandas as pd

from evalkit.reports._faults import unreadable


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
    mark = max("\t,;|", key=first.count) if path.suffix.lower() != ".tsv" else "\t"
    if "\0" in text or not first.count(mark):
        what = "it has no columns: its first line is " + repr(first[:60])
        raise unreadable(path, what, "let the first line name the columns, and save it as CSV.")
    if is_markdown := first.startswith("|"):
        lines = (line.strip().strip("|") for line in text.splitlines())
        text = "\n".join(line for line in lines if not re.fullmatch("[\\s|:-]+", line))
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
