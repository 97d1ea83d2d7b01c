"""Tables: CSV and its relatives, Parquet, JSON lines, a JSON list of objects or an object of columns."""

import pandas as pd

from evalkit.reports._faults import examples, unreadable
from evalkit.reports._readers import _text, _values
from evalkit.reports._reading import Reading

FORMAT = "a table"


def recognise(path, head):
    """Tell whether a file is a table: text, or Parquet."""
    return head[:4] == b"PAR1" or b"\0" not in head or head[:2] in (b"\xff\xfe", b"\xfe\xff")


def read(path):
    """Read a table."""
    with open(path, "rb") as file:
        start = file.read(4)
    if start == b"PAR1":
        frame, kind = _parquet(path), "Parquet"
    elif start.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        frame, kind = _json(path)
    else:
        frame, kind = _text.read(path, "utf-16" if start[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    if twice := frame.columns[frame.columns.duplicated()].tolist():
        raise unreadable(path, f"the column {examples(twice)} is there twice", "give each column one name.")
    frame, notes = _values.columns(frame, decimal_comma="semicolons" in kind)
    facts = {"notes": notes}
    if {"number", "value", "state"} <= set(frame) and any(name.startswith("params_") for name in frame):
        facts["trials"] = True  # Optuna's trials_dataframe
    return Reading(f"{FORMAT} ({kind})", frame, facts=facts)


def _parquet(path):
    try:
        return pd.read_parquet(path)
    except ImportError:
        ways = ("python -m pip install pyarrow", "or save the table as CSV.")
        raise unreadable(path, "a Parquet file needs the package pyarrow to be opened", *ways) from None
    except Exception as error:  # whatever pyarrow raises on a broken file
        raise unreadable(path, f"it is no whole Parquet file ({type(error).__name__})") from None


def _json(path):
    text = path.read_text(encoding="utf-8-sig").strip()
    one_a_line = "\n" in text and text[0] == "{" and text.split("\n", 1)[0].rstrip().endswith("}")
    if one_a_line or path.suffix.lower() in (".jsonl", ".ndjson"):
        return pd.DataFrame([_values.flat(record) for record in _values.json_lines(path)]), "JSON lines"
    whole = _values.json_file(path)
    if isinstance(whole, dict) and whole and all(isinstance(v, list) for v in whole.values()):
        if len({len(v) for v in whole.values()}) > 1:
            raise unreadable(path, "its columns have different lengths")
        return pd.DataFrame(whole), "JSON"
    columns = list(whole.values()) if isinstance(whole, dict) else []
    if len(columns) > 1 and all(isinstance(v, dict) and v.keys() == columns[0].keys() for v in columns):
        return pd.DataFrame(whole), "JSON"  # as pandas writes it
    records = [whole] if isinstance(whole, dict) else whole
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        raise unreadable(path, "it is JSON, but no list of objects", "write one object a row.")
    return pd.DataFrame([_values.flat(record) for record in records]), "JSON"
