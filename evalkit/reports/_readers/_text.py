"""Text with columns: CSV, TSV, or with semicolons, as spreadsheets write it where the comma is decimal."""

import csv
import io

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
    first = text.lstrip().split("\n", 1)[0]
    mark = max("\t,;|", key=first.count) if path.suffix.lower() != ".tsv" else "\t"
    if "\0" in text or not first.count(mark):
        raise unreadable(path, "it has no columns: its first line is " + repr(first[:60]), "save it as CSV.")
    try:  # pandas would fill a row that is too short in silence
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
        heads = [name.strip() for name in next(row for row in rows if row)]
        body = []
        for row in rows:
            if len(row) != len(heads) and row:
                what = f"line {rows.line_num:,} has {len(row)} values, and the header {len(heads)} columns"
                raise unreadable(path, what)
            if row:
                body.append(row)
    except csv.Error as error:
        raise unreadable(path, f"near line {rows.line_num:,} it is no CSV ({error})") from None
    return pd.DataFrame(body, columns=heads, dtype=object), {"\t": "TSV"}.get(mark, "CSV")
