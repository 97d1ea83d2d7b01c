"""Vectors in a cell: what is written reads back, digit for digit; and rows have one
order.
"""

import dataclasses
import json

import numpy as np
import pandas as pd
import pytest
from faults.toy import TABLES, UNITS, reseal, toy
from hypothesis import given
from hypothesis import strategies as st

from lab.record import runs, tables
from lab.record.tables import pack, unpack


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
        (
            lambda: unpack("0.5, 0.6"),
            ValueError,
            "cell must hold numbers .* got '0.5, 0.6'",
        ),
    ],
)
def test_what_would_be_lost_is_refused(act, error, message):
    with pytest.raises(error, match=message):
        act()


@pytest.mark.parametrize(
    ("name", "table", "column", "digits"),
    [
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
    for cell in tables.load_recorded(name, table)[column]:
        values = unpack(cell)
        assert pack(values if digits else values.astype(int), digits) == cell


# --------------------------------------------------------------------------------------
# The order of rows
# --------------------------------------------------------------------------------------

# Words by letter, then numbers by size.
IN_ORDER = [
    {"table": "a", "n": "11"},
    {"table": "a", "n": "several"},
    {"table": "a", "n": "some"},
    {"table": "a", "n": -3},
    {"table": "a", "n": 2, "word": "b"},
    {"table": "a", "n": 2, "word": "c"},
    {"table": "a", "n": 10},
    {"table": "a", "n": 10.5, "word": "a"},
    {"table": "b", "n": "11"},
    {"table": "b", "n": 1},
]


@given(st.permutations(IN_ORDER))
def test_rows_have_one_order_however_they_came(units):
    rows = [{"unit": unit, "result": {}} for unit in units]
    assert [row["unit"] for row in tables.in_order(rows)] == IN_ORDER


# --------------------------------------------------------------------------------------
# Reading
# --------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return the folder of a recorded toy experiment, in a `data/recorded` of its
    own.
    """
    monkeypatch.setattr(tables, "RECORDED", tmp_path)
    with runs.Store(tmp_path / "toy.sqlite") as store:
        runs.execute(toy(), UNITS, store, runs.Work(jobs=1, progress=False))
        runs.export(toy(), store.rows(), tmp_path / "toy")
    return tmp_path / "toy"


def test_counts_of_right_answers_are_shares_of_the_items():
    rows = pd.DataFrame({"right": ["3 4", "1 0"], "items": [4, 2]})
    assert tables.accuracies(rows).tolist() == [[0.75, 1.0], [0.5, 0.0]]


def test_another_folder_is_taken_as_it_stands(folder):
    assert tables.recorded_folder("toy") == folder
    assert tables.recorded_folder("toy", str(folder / "there")) == folder / "there"


def test_a_number_that_a_row_lacks_is_none_to_hold_it_against():
    row = {"unit": {"table": "t"}, "result": {"score": 0.5, "n": 3, "word": "x"}}
    assert [
        tables.recorded_number(row, column) for column in ("score", "n", "seconds")
    ] == [0.5, 3, 0]
    with pytest.raises(ValueError, match=r"^t.csv must have numbers as word, got 'x'"):
        tables.recorded_number(row, "word")


@pytest.mark.parametrize("place", [1, 2, 4])
@pytest.mark.parametrize(
    "spoil", [lambda cells: cells[:-1], lambda cells: [*cells[:-1], "another"]]
)
def test_a_line_that_is_not_whole_is_named(folder, place, spoil):
    lines = (folder / "first.csv").read_text().splitlines()
    lines[place] = ",".join(spoil(lines[place].split(",")))
    (folder / "first.csv").write_text("\n".join(lines))
    reseal(folder)
    with pytest.raises(
        ValueError, match=f"first.csv, line {place + 1}, is not whole; it or prov"
    ):
        tables.recorded_rows("toy")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda lines: ["a" + lines[0], *lines[1:]],
        lambda lines: ["z" + lines[0], *lines[1:]],
        lambda lines: lines[1:],
        lambda lines: lines[:-1],
        lambda lines: [*lines, lines[-1]],
        lambda lines: [],
    ],
)
def test_a_table_of_other_columns_or_rows_is_named(folder, spoil):
    lines = (folder / "first.csv").read_text().splitlines()
    (folder / "first.csv").write_text("".join(f"{line}\n" for line in spoil(lines)))
    reseal(folder)
    columns = "number, label, score, seconds, finished, environment"
    with pytest.raises(
        ValueError,
        match=f"first.csv must have 4 rows of {columns}; it or provenance.json",
    ):
        tables.recorded_rows("toy")


def test_nothing_recorded_has_no_provenance(folder):
    assert tables.load_provenance("toy") == tables.load_provenance(
        "other", folder=folder
    )
    with pytest.raises(ValueError, match=r"^nothing is recorded in .*other"):
        tables.load_provenance("other")


@pytest.mark.parametrize(
    ("cpu", "where"),
    [
        (None, "on the same kind of machine"),
        ("another", "on another kind of machine, where the last digits may differ"),
    ],
)
def test_a_unit_run_again_is_said_to_have_been(folder, cpu, where):
    if cpu:
        provenance = tables.load_provenance("toy")
        for described in provenance["environments"].values():
            described["cpu"] = cpu
        (folder / tables.PROVENANCE).write_text(json.dumps(provenance))
    experiment = toy(compared={"score": 0.05, "elsewhere": 0.0})
    changed = {TABLES[1]: lambda number, label: {"score": 0.25, "elsewhere": 1.0}}
    fits = UNITS[4:5].__contains__
    said = tables.run_again(experiment, rng=0, fits=lambda row: fits(row["unit"]))
    unit = "table second, number 0, label second 0"
    again = (
        "One of the recorded units, run again for this page: score recorded as"
        " 1.0000, now"
    )
    assert said == f"{again} 1.0000 ({unit}; {where})."
    other = dataclasses.replace(experiment, tables=experiment.tables | changed)
    said = tables.run_again(other, rng=0, fits=lambda row: fits(row["unit"]))
    assert said == f"{again} 0.2500 ({unit}; {where})."
