"""What the tests of explorers share: the record read as plain CSV, and an expectation
summed by hand.
"""

import csv
import functools
import math
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


def expected_best(scores, n):
    """The expected maximum of n draws, from the probability that each score in order is
    the highest.
    """
    scores, total = sorted(scores), len(scores)
    chances = [math.comb(i, n - 1) / math.comb(total, n) for i in range(total)]
    assert math.isclose(sum(chances), 1)
    return sum(chance * score for chance, score in zip(chances, scores, strict=True))
