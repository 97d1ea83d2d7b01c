"""The recorded corners of other packages: evalkit's side of each, and SciPy's, which is
installed anyway.
"""

import warnings

import numpy as np
import pandas as pd
import pytest
from grids import grid

import evalkit
from lab.record import tables

CORNERS = pd.read_csv(
    tables.RECORDED.parent / "measured" / "corners.csv", keep_default_na=False
)


def evaluate(row, question, *, load=False):
    first, data, _ = row.lines.strip().split("\n")
    names = {"np": np, "ek": evalkit}
    exec(f"{first}\n{data}" if load else data, names)
    return eval(question, names)


def numbers(text):
    return [float(part) for part in text.strip("()").split(",")]


@grid("row", list(CORNERS.itertuples()))
def test_evalkit_is_right_in_each_corner(row):
    if row.exact.endswith("Error"):
        with pytest.raises(ValueError, match="must"):
            evaluate(row, row.ours)
    else:
        found = np.atleast_1d(np.array(evaluate(row, row.ours), dtype=float))
        assert found == pytest.approx(numbers(row.exact), rel=1e-12)


SCIPY = CORNERS[CORNERS.package == "scipy"]


@grid("row", list(SCIPY.itertuples()))
def test_scipy_still_answers_as_recorded(row):
    """When this fails, SciPy has mended it: run `make bench`, and say so on the
    page.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = evaluate(row, row.lines.strip().split("\n")[2], load=True)
    found = np.atleast_1d(np.array(found, dtype=float))
    assert found == pytest.approx(numbers(row.answer), nan_ok=True)
    assert found != pytest.approx(numbers(row.exact), abs=0)
