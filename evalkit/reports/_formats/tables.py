"""Tables: CSV and its relatives, Parquet, JSON lines, a JSON list of objects or an
object of columns.

Of text and JSON 128 MiB are read at most, 2,000 columns and 5 million cells; of Parquet
as many cells, and 1 GiB unpacked: about a minute and 4 GiB of memory.
"""

from dataclasses import replace

from evalkit.reports._faults import examples, unreadable
from evalkit.reports._formats import _json, _parquet, _text, _values
from evalkit.reports._recognition._reading import Reading

FORMAT = "a table"


def recognise(path, head):
    """Tell whether a file is a table: text, or Parquet."""
    # With a zero byte it is said where that is.
    is_text = path.suffix.lower() in (
        ".csv",
        ".tsv",
        ".txt",
    )
    is_text &= head[:2] != b"\x1f\x8b"
    return (
        head[:4] == b"PAR1"
        or b"\0" not in head
        or head[:2] in (b"\xff\xfe", b"\xfe\xff")
        or is_text
    )


def fits(names):
    """Tell whether columns are those of a `trials_dataframe()` of Optuna."""
    return {"number", "value", "state"} <= {*names} and any(
        name.startswith("params_") for name in names
    )


def shape(reading, _=None):
    """Return a table as it is, or with what the columns of Optuna's trials are for."""
    if not fits(reading.frame):
        return reading
    aside = [
        n
        for n in ("datetime_start", "datetime_complete", "duration")
        if n in reading.frame
    ]
    roles = {"trial": "number", "status": "state", "note": tuple(aside)}
    return replace(reading, roles=roles, facts={**reading.facts, "trials": True})


def table(path, is_name=_values.names_systems):
    """Read a table."""
    with open(path, "rb") as file:
        start = file.read(64)
    n_empty, notes = 0, []
    if start.startswith(b"PAR1"):
        frame, others = _parquet.read(path)
        kind = "Parquet"
        notes = [f"columns of bytes are not read: {examples(others)}"] if others else []
    elif start.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        frame, kind = _json.read(path)
    else:
        frame, kind, n_empty = _text.read(path)
    frame = frame.rename(columns=_values.one_form)
    if twice := frame.columns[frame.columns.duplicated()].tolist():
        what, way = (
            f"more than one column is called {examples(dict.fromkeys(twice))}",
            "give each its own name.",
        )
        below = "".join(map(str, frame.loc[:, twice].iloc[:1].to_numpy().ravel()))
        if any(map(str.isalpha, below)):
            what += ": the header has several lines, it seems"
            way = (
                "write them in one line, such as accuracy_base and accuracy_ours, and"
                " take the others out."
            )
        raise unreadable(path, what, way)
    frame, facts = _values.columns(
        frame, decimal_comma="semicolons" in kind, is_name=is_name
    )
    facts["notes"] += notes
    left = ((n_empty, "empty lines"),) if n_empty else ()
    return Reading(f"{FORMAT} ({kind})", frame, facts=facts, left_out=left)
