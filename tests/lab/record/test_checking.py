"""Deriving the record again: nothing differs from an honest record, in any order, and
each edit is named.
"""

import numpy as np
import pandas as pd
import pytest
from faults.toy import N_UNITS, TABLES, UNITS, reseal, toy
from grids import grid

from lab import cli
from lab.data import DataError
from lab.data.sources import SourceError
from lab.record import checking, runs, tables


def extras(rows):
    """A sum and a draw, which the order of the rows would change."""
    scores = np.array([row["result"]["score"] for row in rows])
    drawn = np.random.default_rng(0).choice(scores, 5)
    total = 0.0
    for score in scores:
        total = total / 3 + score
    return {
        "verdicts": pd.DataFrame({"id": ["sum", "draw"], "value": [total, drawn.sum()]})
    }


@pytest.fixture
def experiment():
    return toy(extras=extras, derived=(TABLES[0],))


@pytest.fixture
def folder(tmp_path, experiment):
    with runs.Store(tmp_path / "toy.sqlite") as store:
        runs.execute(experiment, UNITS, store, runs.Work(jobs=1, progress=False))
        runs.export(experiment, store.rows(), tmp_path / "toy")
    return tmp_path / "toy"


def test_an_honest_record_comes_out_in_any_order_of_rows(experiment, folder):
    rows = tables.recorded_rows("toy", folder=folder)
    for seed in range(5):
        np.random.default_rng(seed).shuffle(rows)
        assert checking.check(experiment, rows=rows, folder=folder) == ([], "")


def edit(folder, name, old, new):
    path = folder / name
    content = path.read_text()
    assert content.count(old) >= 1
    path.write_text(content.replace(old, new, 1))
    reseal(folder)


def test_an_edited_verdict_is_named(experiment, folder):
    value = pd.read_csv(folder / "verdicts.csv", dtype=str).value[0]
    edit(folder, "verdicts.csv", value, "0.123")
    (line,), _ = checking.check(experiment, folder=folder)
    assert line == f"toy/verdicts, sum, value: recorded '0.123', now '{value}'"


def test_an_edited_derived_figure_is_named_and_what_follows_from_it(experiment, folder):
    edit(folder, "first.csv", ",0.1,", ",0.7,")
    lines = checking.check(experiment, folder=folder)[0]
    assert any(
        line.startswith("toy, first 1 ") and "recorded 0.7, now 0.1" in line
        for line in lines
    )
    assert any(line.startswith("toy/verdicts, sum") for line in lines)


def test_a_lost_verdict_is_named(experiment, folder):
    shorter = toy(extras=lambda rows: {"verdicts": extras(rows)["verdicts"][:1]})
    lines = checking.check(shorter, folder=folder)[0]
    assert (
        "toy/verdicts: recorded are 2 rows of id, value, now 1 rows of id, value"
        in lines
    )
    assert any(
        "provenance names the extra tables {'verdicts': 2}" in line for line in lines
    )


def test_an_extra_table_that_nobody_recorded_is_named(experiment, folder):
    more = toy(extras=lambda rows: {**extras(rows), "other": pd.DataFrame({"a": [1]})})
    assert "toy/other: not recorded" in checking.check(more, folder=folder)[0]


def test_the_last_digit_of_another_machine_is_no_difference(experiment, folder):
    value = pd.read_csv(folder / "verdicts.csv", dtype=str).value[1]
    edit(folder, "verdicts.csv", value, repr(float(value) * (1 + 1e-13)))
    assert checking.check(experiment, folder=folder)[0] == []


def test_an_edited_word_is_named(experiment, folder):
    edit(folder, "verdicts.csv", "draw", "a draw")
    (line,), _ = checking.check(experiment, folder=folder)
    assert line == "toy/verdicts, a draw, id: recorded 'a draw', now 'draw'"


def test_a_figure_that_is_gone_and_one_that_is_new_are_named(folder):
    def another(number, label):
        return {"spread": float(number)}

    other = toy(extras=extras, derived=(TABLES[0],), tables={TABLES[0]: another})
    lines = checking.check(other, folder=folder)[0]
    assert "toy, first 1 first 1, score: recorded 0.1, now None" in lines
    assert "toy, first 1 first 1, spread: recorded None, now 1.0" in lines
    assert len(lines) == 2 * N_UNITS  # and nothing of their seconds


@grid(
    "number, score, n_lines",
    [
        (0, 1e-16, 0),
        (0, -1e-16, 0),
        (0, 1e-14, 1),
        (1, 0.1 + 5e-11, 0),
        (1, 0.1 + 2e-10, 1),
    ],
)
def test_a_difference_is_one_beyond_a_billionth(folder, number, score, n_lines):
    rows = tables.recorded_rows("toy", folder=folder)
    (row,) = (row for row in rows if row["unit"] == UNITS[number])
    row["result"]["score"] = score
    verdicts = extras(tables.in_order(tables.recorded_rows("toy", folder=folder)))
    experiment = toy(extras=lambda rows: verdicts, derived=(TABLES[0],))
    assert len(checking.check(experiment, rows=rows, folder=folder)[0]) == n_lines


@grid("seconds, n_again", [(2.0, N_UNITS), (2.5, N_UNITS - 1)])
def test_what_takes_longer_than_two_seconds_is_left_to_the_slice(
    folder, seconds, n_again
):
    rows = tables.recorded_rows("toy", folder=folder)
    (row,) = (row for row in rows if row["unit"] == UNITS[0])
    row["result"]["seconds"] = seconds
    ran = []
    experiment = toy(extras=extras, derived=(TABLES[0],), ran=ran)
    assert checking.check(experiment, rows=rows, folder=folder) == ([], "")
    assert len(ran) == n_again


def test_what_lacks_its_data_is_said_and_is_no_difference(experiment, folder):
    def without(rows):
        raise SourceError("far/away.csv is not here")

    lines, missing = checking.check(toy(extras=without), folder=folder)
    assert lines == []
    assert (
        missing
        == "toy: not derived, for lack of upstream files: the tables that follow from"
        " its rows. far/away.csv is not here"
    )


def lacking(rows):
    """The verdicts without the first, whose data are not at hand."""
    frame = extras(rows)["verdicts"][1:]
    frame.attrs[tables.LACKING] = {"sum": "far/away.csv is not here"}
    return {"verdicts": frame}


def test_what_needs_no_data_is_derived_all_the_same(folder):
    def first(number, label):
        if number % 2:
            raise SourceError("far/away.csv is not here")
        return {"score": number / 10}

    experiment = toy(extras=lacking, derived=(TABLES[0],), tables={TABLES[0]: first})
    lines, missing = checking.check(experiment, folder=folder)
    odd = sum(unit["table"] == TABLES[0] and unit["number"] % 2 for unit in UNITS)
    assert (
        missing
        == f"toy: not derived, for lack of upstream files: sum (verdicts), {odd} rows"
        " of first. far/away.csv is not here"
    )
    value = pd.read_csv(folder / "verdicts.csv", dtype=str).value
    edit(folder, "verdicts.csv", value[0], "0.123")  # nobody can tell here
    assert checking.check(toy(extras=lacking), folder=folder)[0] == lines
    edit(folder, "verdicts.csv", value[1], "0.321")
    (line,), _ = checking.check(toy(extras=lacking), folder=folder)
    assert line.startswith("toy/verdicts, draw, value: recorded '0.321'")


def test_rows_of_another_number_are_named_where_data_lack_too(folder):
    assert checking.check(toy(extras=lacking), folder=folder)[0] == []
    edit(folder, "provenance.json", '"verdicts": 2', '"verdicts": 3')
    (line,), _ = checking.check(toy(extras=lacking), folder=folder)
    assert line == "toy: the provenance names the extra tables {'verdicts': 3}"


def test_a_table_that_lacks_a_row_is_not_recorded(folder):
    before = (folder / "verdicts.csv").read_bytes()
    with pytest.raises(
        DataError,
        match="verdicts.csv cannot be written without sum: far/away.csv is not",
    ):
        runs.export(
            toy(extras=lacking), tables.recorded_rows("toy", folder=folder), folder
        )
    assert (folder / "verdicts.csv").read_bytes() == before


def test_several_processes_say_the_same(experiment, folder):
    edit(folder, "first.csv", ",0.1,", ",0.7,")
    assert checking.check(experiment, folder=folder, jobs=2) == checking.check(
        experiment, folder=folder
    )


def test_the_command_line_counts_and_names(monkeypatch, capsys):
    monkeypatch.setattr(checking, "check", lambda experiment, jobs: (["a line"], ""))
    assert cli.main(["scorecard", "--check", "--paper", "tang2020"]) == 1
    assert capsys.readouterr().out == "a line\n"
    monkeypatch.setattr(checking, "check", lambda experiment, jobs: ([], ""))
    assert cli.main(["scorecard", "--check"]) == 0
    assert capsys.readouterr().out.count("all comes out as recorded") == len(
        cli.EXPERIMENTS
    )
