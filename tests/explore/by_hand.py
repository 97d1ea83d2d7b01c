"""What the tests of explorers share: the record read as plain CSV."""

import csv
import functools
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@functools.cache
def _table(path):
    with (ROOT / "data" / "recorded" / path).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def recorded(path, **wanted):
    """The rows of a recorded table whose cells are the wanted ones, as text."""
    rows = [
        r
        for r in _table(path)
        if all(r[name] == str(value) for name, value in wanted.items())
    ]
    assert rows, (path, wanted)
    return rows
