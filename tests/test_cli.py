"""The command line: what it prints, what it writes, and how it ends."""

import io
import sqlite3
import sys

import pandas as pd
import pytest
from faults import toy

from evalkit import cli, runs, scorecard


@pytest.fixture(autouse=True)
def toy_command(tmp_path, monkeypatch):
    """Make `evalkit run toy` a command, with stores and records in a temporary folder."""
    monkeypatch.setattr(cli, "EXPERIMENTS", {"toy": "faults.toy"})
    monkeypatch.setattr(toy, "EXPERIMENT", toy.Toy())
    monkeypatch.setattr(runs, "RECORDED", tmp_path / "recorded")
    monkeypatch.setenv("EVALKIT_RUNS", str(tmp_path / "runs"))
    # main() sets these for its workers; set beforehand, they are taken back after the test.
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.setenv(variable, "1")


def run(*arguments):
    return cli.main(["run", "toy", "--quiet", "--jobs", "1", *map(str, arguments)])


def record(*arguments):
    assert run("--scale", "recorded", "--export", *arguments) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "required: command"),
        (["walk"], "invalid choice: 'walk'"),
        (["run"], "required: name"),
        (["run", "toys"], "invalid choice: 'toys'"),
        (["run", "toy", "--scale", "tiny"], "invalid choice: 'tiny'"),
        (["run", "toy", "--jobs", "many"], "invalid int value: 'many'"),
        (["run", "toy", "--backend", "threads"], "invalid choice: 'threads'"),
        (["run", "toy", "--unknown"], "unrecognized arguments: --unknown"),
    ],
)
def test_wrong_words_are_usage_errors(capsys, arguments, message):
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_run_says_what_it_did_and_goes_on_from_there(capsys, tmp_path):
    assert run("--scale", "recorded") == 0
    path = tmp_path / "runs" / "toy.sqlite"
    assert capsys.readouterr().out == (
        f"toy: 12 units run, 0 taken from the record, 0 were there; {path} holds 12\n"
    )
    assert run("--scale", "recorded") == 0
    assert "toy: 0 units run, 0 taken from the record, 12 were there;" in capsys.readouterr().out
    assert len(toy.EXPERIMENT.ran) == 12
    assert not runs.RECORDED.exists()  # without --export nothing is recorded


def test_export_writes_the_record(capsys):
    record()
    folder = runs.RECORDED / "toy"
    names = ["first.csv", "second.csv", "third.csv", "provenance.json"]
    assert capsys.readouterr().out.splitlines()[1:] == [f"wrote {folder / name}" for name in names]
    assert sorted(p.name for p in folder.iterdir()) == sorted(names)
    assert len(runs.load_recorded("toy", "second")) == 4


def test_fresh_store_goes_on_from_the_record(capsys, tmp_path):
    record()
    assert run("--scale", "recorded", "--store", tmp_path / "new.sqlite") == 0
    assert "toy: 0 units run, 12 taken from the record, 0 were there;" in capsys.readouterr().out


def test_folder_holds_the_record(capsys, tmp_path):
    record("--folder", tmp_path / "elsewhere")
    assert not runs.RECORDED.exists()
    assert len(runs.recorded_rows("toy", folder=tmp_path / "elsewhere")) == 12
    assert run("--scale", "slice", "--folder", tmp_path / "elsewhere") == 0
    assert "6 of 6 values agree with the record" in capsys.readouterr().out


def test_slice_is_the_default_and_agrees(capsys):
    record()
    capsys.readouterr()
    assert run("--units", 5, "--seed", 1) == 0
    *lines, last = capsys.readouterr().out.splitlines()
    assert len(lines) == 5
    assert all(line.startswith("agrees ") for line in lines)
    assert last == "5 of 5 values agree with the record"


def test_slice_that_differs_fails(capsys):
    record()
    path = runs.RECORDED / "toy" / "third.csv"
    path.write_text(path.read_text().replace("third 2,2.2,", "third 2,2.3,"))
    toy.reseal(path.parent)
    assert run("--units", 12) == 1
    out = capsys.readouterr().out
    assert out.count("DIFFERS") == 1
    assert "recorded 2.300000, fresh 2.200000, allowed 0" in out
    assert "11 of 12 values agree with the record" in out


def errors_of(capsys, *arguments):
    """Run, expect status 1, and return the one line on standard error."""
    assert run(*arguments) == 1
    line = capsys.readouterr().err
    assert line.startswith("evalkit: ")
    assert line.count("\n") == 1
    return line


def test_slice_of_nothing(capsys):
    assert "nothing is recorded for toy" in errors_of(capsys)


def test_slice_of_no_units(capsys):
    record()
    assert "units must be at least 1, got 0" in errors_of(capsys, "--units", 0)


def test_zero_jobs(capsys):
    assert "jobs" in errors_of(capsys, "--scale", "recorded", "--jobs", 0)


def test_dask_without_a_scheduler(capsys):
    assert "needs scheduler" in errors_of(capsys, "--scale", "recorded", "--backend", "dask")


def test_scheduler_without_dask(capsys):
    message = errors_of(capsys, "--scale", "recorded", "--scheduler", "tcp://there:8786")
    assert "scheduler is for the backend dask" in message


def test_dask_that_is_not_installed(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    arguments = ["--scale", "recorded", "--backend", "dask", "--scheduler", "tcp://there:8786"]
    assert cli.main(["run", "toy", "--quiet", *arguments]) == 1
    assert "requirements-cluster.txt" in capsys.readouterr().err


def test_negative_seed(capsys):
    record()
    errors_of(capsys, "--seed", -1)


def test_failing_unit(capsys):
    def spoil(unit):
        if unit["of"] == "second 1":
            raise ZeroDivisionError("on purpose")

    toy.EXPERIMENT.spoil = spoil
    message = errors_of(capsys, "--scale", "recorded", "--export")
    assert '"of": "second 1"' in message
    assert "on purpose" in message
    assert not runs.RECORDED.exists()  # half an experiment is not exported
    toy.EXPERIMENT.spoil = None
    assert run("--scale", "recorded") == 0
    assert "toy: 7 units run, 0 taken from the record, 5 were there;" in capsys.readouterr().out


def test_store_in_use(capsys, tmp_path):
    path = tmp_path / "busy.sqlite"
    with runs.Store(path):
        assert str(path) in errors_of(capsys, "--scale", "recorded", "--store", path)


def test_store_that_is_something_else(capsys, tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("not a database at all\n" * 50)
    assert str(path) in errors_of(capsys, "--scale", "recorded", "--store", path)
    assert path.read_text() == "not a database at all\n" * 50


def test_store_that_is_a_folder(capsys, tmp_path):
    assert str(tmp_path) in errors_of(capsys, "--scale", "recorded", "--store", tmp_path)


def test_truncated_record(capsys):
    record()
    path = runs.RECORDED / "toy" / "third.csv"
    path.write_bytes(path.read_bytes()[:-5])
    assert "third.csv" in errors_of(capsys)


def test_interrupt_keeps_what_was_finished(capsys, tmp_path):
    def spoil(unit):
        if unit["of"] == "second 1":
            raise KeyboardInterrupt

    toy.EXPERIMENT.spoil = spoil
    assert run("--scale", "recorded", "--export") == 130
    path = tmp_path / "runs" / "toy.sqlite"
    assert capsys.readouterr().err == f"stopped; what was finished is in {path}, call again to go on\n"
    assert not runs.RECORDED.exists()
    toy.EXPERIMENT.spoil = None
    record()
    assert "toy: 7 units run, 0 taken from the record, 5 were there;" in capsys.readouterr().out


def test_full_disk_is_a_message_and_not_a_traceback(capsys, monkeypatch):
    def full(*_):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(runs.Store, "add", full)
    assert run("--scale", "recorded") == 1
    assert "evalkit: database or disk is full" in capsys.readouterr().err


# ---------------------------------------------------------------------------------------------
# The scorecard
# ---------------------------------------------------------------------------------------------


def test_scorecard_counts(capsys):
    assert cli.main(["scorecard"]) == 0
    figures, claims = capsys.readouterr().out.split("\n\n")
    counts = scorecard.counts()
    for text, kind in ((figures, "printed figures"), (claims, "claims")):
        header, *lines, total = [line.split() for line in text.strip().splitlines()]
        assert " ".join(header) == " ".join([kind, *counts[kind].columns, "all"])
        assert lines == [
            [paper, *map(str, row), str(sum(row))]
            for paper, row in zip(counts.index, counts[kind].to_numpy(), strict=True)
        ]
        assert total == ["all", *map(str, counts[kind].sum()), str(counts[kind].to_numpy().sum())]


def test_scorecard_as_csv_has_every_row(capsys):
    assert cli.main(["scorecard", "--csv"]) == 0
    table = pd.read_csv(io.StringIO(capsys.readouterr().out), dtype=str, keep_default_na=False)
    assert list(table.columns) == ["paper", "id", "quantity", "printed", "computed", "verdict", "note"]
    assert len(table) == len(scorecard.printed()) + len(scorecard.claims())


def test_scorecard_of_a_folder_without_papers(capsys, tmp_path):
    assert cli.main(["scorecard", "--data", str(tmp_path)]) == 1
    assert "evalkit: " in (line := capsys.readouterr().err)
    assert "must hold a CSV file for each paper" in line
