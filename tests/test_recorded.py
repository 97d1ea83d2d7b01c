"""Vectors in a cell: what is written reads back, digit for digit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit import recorded
from evalkit.recorded import pack, unpack


@given(st.lists(st.integers(-(2**53), 2**53), min_size=1))
def test_integers_read_back(values):
    assert unpack(pack(values)).tolist() == values
    assert pack(np.array(values)) == pack(values) == " ".join(map(repr, values))


@given(st.lists(st.floats(-1e6, 1e6), min_size=1))
def test_floats_read_back_with_the_digits_written(values):
    assert unpack(pack(values, ".17g")).tolist() == values
    assert unpack(pack(values, ".6f")) == pytest.approx(values, abs=5.1e-7)
    assert pack(unpack(pack(values, ".6f")), ".6f") == pack(values, ".6f")


def test_a_cell_of_one_number_reads_back_whatever_pandas_made_of_it():
    for cell in ("12", 12, np.int64(12), 12.0):
        assert unpack(cell).tolist() == [12]


@pytest.mark.parametrize(
    ("act", "error", "message"),
    [
        (lambda: pack([]), ValueError, "values must hold at least one number"),
        (lambda: pack([0.5, 1]), TypeError, "values must be integers unless digits"),
        (lambda: unpack("0.5, 0.6"), ValueError, "cell must hold numbers .* got '0.5, 0.6'"),
    ],
)
def test_what_would_be_lost_is_refused(act, error, message):
    with pytest.raises(error, match=message):
        act()


@pytest.mark.parametrize(
    ("name", "table", "column", "digits"),
    [
        ("explorers", "bootstrap", "held", None),
        ("grids", "partitions", "right", None),
        ("pools", "search", "validation_curve", ".4f"),
        ("resplits", "kfold", "fold_scores", ".6f"),
        ("searches", "guided", "learning_rates", ".3g"),
        ("searches", "guided", "tests", ".6f"),
        ("searches", "guided", "trial_seconds", ".2f"),
        ("tang2020", "samples", "mean_u", ".12g"),
    ],
)
def test_recorded_cells_are_written_again_as_they_stand(name, table, column, digits):
    for cell in recorded.load_recorded(name, table)[column]:
        values = unpack(cell)
        assert pack(values if digits else values.astype(int), digits) == cell
