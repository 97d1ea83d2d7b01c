"""Tables of JSON: lines, a list of objects, an object of columns, or one by row as
pandas writes it.
"""

import pandas as pd

from evalkit.reports._faults import examples, unreadable
from evalkit.reports._formats import _limits, _values
from evalkit.reports._recognition._metrics import PARTS, direction

_SYSTEMS = (
    30  # of more objects each is a run or an item, and what is below it is not read
)


def read(path):
    """Read a table of JSON."""
    _limits.check_bytes(path, path.stat().st_size)
    with open(path, encoding="utf-8-sig") as file:
        first = next(filter(None, map(str.strip, file)), "")
        is_alone = not file.read(4096).strip()
    one_a_line = not is_alone and first[:1] == "{" and first.endswith("}")
    if one_a_line or path.suffix.lower() in (".jsonl", ".ndjson"):
        return (
            _limits.frame(path, map(_values.flat, _values.json_lines(path))),
            "JSON lines",
        )
    whole = _as_columns(path, _values.json_file(path))
    columns = list(whole.values()) if isinstance(whole, dict) else []
    if columns and all(isinstance(column, list) for column in columns):
        if len(set(map(len, columns))) > 1:
            raise unreadable(path, "its columns have different lengths")
    elif len(columns) < 2 or not all(
        isinstance(c, dict) and c.keys() == columns[0].keys() for c in columns
    ):
        records = [whole] if isinstance(whole, dict) else whole
        if not isinstance(records, list) or not all(
            isinstance(record, dict) for record in records
        ):
            raise unreadable(
                path, "it is JSON, but no list of objects", "write one object a row."
            )
        # Each with its runs below it.
        if len(records) <= _SYSTEMS and not any(map(_has_score, records)):
            of = [_as_columns(path, record) for record in records]
            records = [
                row for own in of for row in (own if isinstance(own, list) else [own])
            ]
        return _limits.frame(path, map(_values.flat, records)), "JSON"
    # Columns, or these by row as pandas writes them.
    _limits.check_table(path, len(columns[0]), len(columns))
    table = pd.DataFrame(whole)
    rows = [] if isinstance(columns[0], list) else list(columns[0])
    if any(not str(name).isdigit() for name in rows):  # the names of the rows are data
        table = table.reset_index(names="index")
    if rows and (
        nested := [
            name
            for name in table
            if table[name].map(lambda v: isinstance(v, (dict, list))).any()
        ]
    ):
        what = (
            f"below {examples(nested)} there are lists or objects, and nothing says"
            " what they number"
        )
        raise unreadable(
            path,
            what,
            'write a list of objects, one a row: {"system": ..., "seed": ...}.',
        )
    return table, "JSON"


def _has_score(record):
    """Tell whether an object has a number that is called as a metric: lists below it
    are of less.
    """
    return any(
        isinstance(value, float) and direction(name) for name, value in record.items()
    )


def _is_of_objects(value):
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(record, dict) for record in value)
    )


def _as_columns(path, whole):
    """Return JSON as pandas splits it as a table, and of an object with lists of
    objects these.

    What else an object with such lists says it says of each of them.
    """
    if not isinstance(whole, dict):
        return whole
    if len(whole) > 1 and all(map(_is_of_objects, whole.values())):
        return [
            {**record, "name of the list": name}
            for name, own in whole.items()
            for record in own
        ]
    flat = _values.flat(whole)
    lists = {name: value for name, value in flat.items() if _is_of_objects(value)}
    if not lists:
        return whole
    plain = {
        name: value
        for name, value in flat.items()
        if isinstance(value, (str, int, float, bool))
    }
    ends = {name: name.rpartition(".")[2] for name in lists}
    are_parts = {*ends.values()} <= frozenset().union(*PARTS.values())
    key, names = (
        ("part", ends)
        if are_parts
        else ("name of the list", {name: name for name in lists})
    )
    more = {
        name: {key: names[name]} if are_parts or len(lists) > 1 else {}
        for name in lists
    }
    return [
        {**plain, **record, **more[name]}
        for name, own in lists.items()
        for record in own
    ]
