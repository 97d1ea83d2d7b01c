"""The command line: what it prints, what it writes, and how it ends."""

import errno
import io
import os
import shlex
import sqlite3
import subprocess
import sys

import pandas as pd
import pytest
from faults import toy

import evalkit
from evalkit import _arguments, _extras, cli
from lab import scorecard
from lab.data import sources
from lab.record import runs
from lab.record import tables as reader


@pytest.fixture(autouse=True)
def toy_command(tmp_path, monkeypatch):
    """Make `lab run toy` a command, with stores and records in a temporary folder."""
    monkeypatch.setattr(cli, "EXPERIMENTS", {"toy": "faults.toy"})
    monkeypatch.setattr(reader, "RECORDED", tmp_path / "recorded")
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
        (["walk"], "'walk' is unknown; there are: report, init, run, data, scorecard"),
        (["rum"], "'rum' is unknown; did you mean run?"),
        (["--versoin"], "'--versoin' is unknown; did you mean --version?"),
        (["data", "lst"], "'lst' is unknown; did you mean list?"),
        (["data", "list", "toy"], "'toy' is one word too many"),
        (["data", "fetch"], "required: KEY"),
        (["run"], "required: NAME"),
        (["run", "toys"], "'toys' is unknown; did you mean toy?"),
        (["run", "toy", "--scale", "record"], "'record' is unknown; did you mean recorded?"),
        (["run", "toy", "--backend", "threads"], "'threads' is unknown; there are: loky, dask"),
        (["run", "toy", "--sede=3"], "'--sede' is unknown; did you mean --seed"),
        (["run", ""], "'' is unknown; there are: toy"),
        *(
            (
                ["run", "toy", "--jobs", jobs],
                f"--jobs: must be a whole number from 1 to 1,024, or -1: one a core, got '{jobs}'",
            )
            for jobs in ("many", "0", "-2", "1025", "9" * 23)
        ),
        *(
            (
                ["run", "toy", "--units", units],
                f"--units: must be a whole number from 1 to 1,000,000, got '{units}'",
            )
            for units in ("0", "9" * 26)
        ),
        *(
            ([*command, ""], f"{command[-1]}: must be a place, got ''")
            for command in (
                ["run", "toy", "--scale", "recorded", "--export", "--folder"],
                ["run", "toy", "--store"],
                ["scorecard", "--data"],
            )
        ),
        (["run", "toy", "--seed", "-1"], "--seed: must be a whole number from 0, got '-1'"),
        (["run", "toy", "--longest", "nan"], "--longest: must be seconds above 0, got 'nan'"),
        (["run", "toy", "--export"], "--export would do nothing: a slice is compared"),
        *(
            (["run", "toy", "--scale", scale, option, "1"], f"{option} would do nothing: it chooses a slice")
            for scale in ("recorded", "full")
            for option in ("--units", "--longest", "--seed")
        ),
        (["run", "toy", "--scheduler", "tcp://a:1"], "--scheduler would do nothing: it needs --backend dask"),
        (["run", "toy", "--backend", "dask"], "--backend dask needs --scheduler"),
        (
            ["run", "toy", "--backend", "dask", "--scheduler", "tcp://a:1", "--jobs", "2"],
            "--jobs would do nothing: it is for processes of this machine",
        ),
    ],
)
def test_wrong_words_are_usage_errors(capsys, arguments, message):
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert message in told
    assert told.startswith("evalkit")
    assert told.count("\n") == 1


def test_words_of_the_command_line_are_those_of_the_runner():
    assert (_arguments.SCALES, _arguments.BACKENDS, _arguments.MOST_JOBS) == (
        runs.SCALES,
        runs.BACKENDS,
        runs.MOST_JOBS,
    )


@pytest.mark.parametrize("arguments", [[], ["data"]])
def test_no_command_is_answered_with_help(capsys, arguments):
    assert cli.main(arguments) == 0
    assert capsys.readouterr().out.startswith("usage: evalkit")


def test_version(capsys):
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"evalkit {evalkit.__version__}\n"


def program(*arguments, **more):
    """Start `python -m evalkit` in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "evalkit", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        **more,
    )


@pytest.mark.parametrize("arguments", [[], ["--help"], ["--version"], ["run", "--help"], ["rum"]])
def test_what_needs_no_statistics_loads_none(arguments):
    code = f"""
import sys
sys.argv = ["evalkit", *{arguments!r}]
try:
    from evalkit.__main__ import main
    main()
except SystemExit:
    pass
loaded = {{"numpy", "scipy", "pandas", "sklearn", "joblib", "torch", "asyncio"}} & set(sys.modules)
sys.exit(", ".join(loaded) or None)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="pipes end otherwise there")
@pytest.mark.parametrize("arguments", [["data", "list"], ["scorecard", "--csv"], ["--help"], ["scorecard"]])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_closed_pipe_is_silent(arguments, unbuffered):
    process = program(*arguments, env={**os.environ, "PYTHONUNBUFFERED": unbuffered})
    process.stdout.close()  # as `head` does once it has its lines
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait(60) == 141


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell closes them")
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_stop_nothing(closed):
    # The slice has workers, which inherit the streams.
    for command in ("data list", "rum", "run xor --units 2 --jobs 2 --longest 0.1"):
        line = f"{shlex.quote(sys.executable)} -m evalkit {command} {closed}"
        done = subprocess.run(["sh", "-c", line], capture_output=True, text=True)
        assert done.returncode == (2 if command == "rum" else 0), done
        assert "Traceback" not in done.stderr
        if command == "rum":
            assert not done.stdout  # what goes to standard error goes nowhere else


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full device")
def test_full_output_is_one_sentence():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "evalkit", "data", "list"], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 1
    assert done.stderr == "evalkit: the disk is full; make room, and the same command goes on\n"


def test_run_says_what_it_did_and_goes_on_from_there(capsys, tmp_path, monkeypatch):
    ran = []
    monkeypatch.setattr(toy, "EXPERIMENT", toy.toy(ran=ran))
    assert run("--scale", "recorded") == 0
    path = tmp_path / "runs" / "toy.sqlite"
    assert capsys.readouterr().out == (
        f"toy: 12 units run, 0 taken from the record, 0 were there; {path} holds 12\n"
    )
    assert run("--scale", "recorded") == 0
    assert "toy: 0 units run, 0 taken from the record, 12 were there;" in capsys.readouterr().out
    assert ran == toy.UNITS
    assert not reader.RECORDED.exists()  # without --export nothing is recorded


def test_export_writes_the_record(capsys):
    record()
    folder = reader.RECORDED / "toy"
    names = ["first.csv", "second.csv", "third.csv", "provenance.json"]
    assert capsys.readouterr().out.splitlines()[1:] == [f"wrote {folder / name}" for name in names]
    assert sorted(p.name for p in folder.iterdir()) == sorted(names)
    assert len(reader.load_recorded("toy", "second")) == 4


def test_fresh_store_goes_on_from_the_record(capsys, tmp_path):
    record()
    assert run("--scale", "recorded", "--store", tmp_path / "new.sqlite") == 0
    assert "toy: 0 units run, 12 taken from the record, 0 were there;" in capsys.readouterr().out


def test_folder_holds_the_record(capsys, tmp_path):
    record("--folder", tmp_path / "elsewhere")
    assert not reader.RECORDED.exists()
    assert len(reader.recorded_rows("toy", folder=tmp_path / "elsewhere")) == 12
    assert run("--scale", "slice", "--folder", tmp_path / "elsewhere") == 0
    assert "6 of 6 values agree with the record" in capsys.readouterr().out


def test_slice_is_the_default_and_agrees(capsys):
    record()
    capsys.readouterr()
    assert run("--units", 5, "--seed", 1) == 0
    said, *lines, last = capsys.readouterr().out.splitlines()
    assert said == "toy: a slice, --seed 1"
    assert len(lines) == 5
    assert all(line.startswith("agrees ") for line in lines)
    assert last == "5 of 5 values agree with the record"


def test_slice_that_differs_fails(capsys):
    record()
    path = reader.RECORDED / "toy" / "third.csv"
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


def test_slice_names_the_seed_that_it_drew(capsys):
    record()
    capsys.readouterr()
    assert run("--units", 3) == 0
    unseeded = capsys.readouterr().out
    assert run("--units", 3, "--seed", unseeded.splitlines()[0].rpartition(" ")[2]) == 0
    assert capsys.readouterr().out == unseeded


def test_folder_that_is_not_there(capsys, tmp_path):
    there_is_none = f"the folder {tmp_path / 'none'} of --folder does not exist"
    assert there_is_none in errors_of(capsys, "--folder", tmp_path / "none")
    assert there_is_none in errors_of(capsys, "--folder", tmp_path / "none", "--scale", "recorded")
    assert not (tmp_path / "runs").exists()
    (tmp_path / "none").touch()
    for scale in (["slice"], ["recorded", "--export"]):  # before hours of work, not after
        told = errors_of(capsys, "--folder", tmp_path / "none", "--scale", *scale)
        assert "of --folder is not a folder" in told
    assert not (tmp_path / "runs").exists()


def test_key_that_is_not_there_stops_before_the_first_fetch(capsys, monkeypatch):
    monkeypatch.setattr(sources, "fetch", lambda key: pytest.fail("fetched"))
    known = sources.registry().key[0]
    for wrong in (known[:-1], known.partition("/")[0]):
        assert cli.main(["data", "fetch", known, wrong]) == 1
        assert f"no upstream file is called {wrong!r}; did you mean {known}" in capsys.readouterr().err
    assert cli.main(["data", "fetch", "qqq"]) == 1
    assert "'qqq'; `lab data list` names them" in capsys.readouterr().err


@pytest.mark.parametrize("missing", ["torch", "joblib"])
def test_missing_extra_is_named(capsys, monkeypatch, tmp_path, missing):
    monkeypatch.setattr(_extras, "packages", {"run": ("joblib", "torch")}.get)
    monkeypatch.setattr(_extras, "_is_installed", lambda name: name != missing)
    assert errors_of(capsys, "--scale", "recorded") == (
        f"evalkit: running an experiment needs {missing}, which the extra evalkit-book[run] brings: "
        'python -m pip install -e ".[run]" in the checkout\n'
    )
    assert not (tmp_path / "runs").exists()


def test_dask_that_is_not_installed(capsys, monkeypatch):
    monkeypatch.setattr(_extras, "packages", {"cluster": ("distributed",), "run": ()}.get)
    monkeypatch.setattr(_extras, "_is_installed", lambda name: name != "distributed")
    arguments = ["--scale", "recorded", "--backend", "dask", "--scheduler", "tcp://there:8786"]
    assert cli.main(["run", "toy", "--quiet", *arguments]) == 1
    assert "evalkit-book[cluster]" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [["run", "toy"], ["data", "list"], ["data", "fetch", "x"], ["scorecard"]]
)
def test_without_the_books_files(capsys, monkeypatch, tmp_path, arguments):
    monkeypatch.setattr(cli, "_CHECKOUT", tmp_path)
    assert cli.main(arguments) == 1
    assert "needs the book's files" in (told := capsys.readouterr().err)
    assert "pip install -e ." in told
    assert told.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_failing_unit(capsys, monkeypatch):
    def spoil(unit):
        if unit["label"] == "second 1":
            raise ZeroDivisionError("on purpose")

    monkeypatch.setattr(toy, "EXPERIMENT", toy.toy(spoil=spoil))
    message = errors_of(capsys, "--scale", "recorded", "--export")
    assert '"label": "second 1"' in message
    assert "on purpose" in message
    assert not reader.RECORDED.exists()  # half an experiment is not exported
    monkeypatch.setattr(toy, "EXPERIMENT", toy.toy())
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
    path = reader.RECORDED / "toy" / "third.csv"
    path.write_bytes(path.read_bytes()[:-5])
    assert "third.csv" in errors_of(capsys)


def test_interrupt_keeps_what_was_finished(capsys, tmp_path, monkeypatch):
    def spoil(unit):
        if unit["label"] == "second 1":
            raise KeyboardInterrupt

    monkeypatch.setattr(toy, "EXPERIMENT", toy.toy(spoil=spoil))
    assert run("--scale", "recorded", "--export") == 130
    path = tmp_path / "runs" / "toy.sqlite"
    assert capsys.readouterr().err == (
        f"stopped; what was finished is in {path}; "
        "go on with: lab run toy --quiet --jobs 1 --scale recorded --export\n"
    )
    assert not reader.RECORDED.exists()
    monkeypatch.setattr(toy, "EXPERIMENT", toy.toy())
    record()
    assert "toy: 7 units run, 0 taken from the record, 5 were there;" in capsys.readouterr().out


def test_interrupted_slice_goes_on_with_the_same_units(capsys, monkeypatch):
    record()
    capsys.readouterr()
    ran = []

    def spoil(unit):
        if len(ran) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(toy, "EXPERIMENT", toy.toy(spoil=spoil, ran=ran))
    assert run("--units", 7) == 130
    said = capsys.readouterr()
    again = shlex.split(said.err.partition("; go on with: ")[2])
    assert again[0] == "evalkit"
    assert said.out == f"toy: a slice, --seed {again[-1]}\n"
    monkeypatch.setattr(toy, "EXPERIMENT", toy.toy(ran=ran))
    assert cli.main(again[1:]) == 0
    assert "7 of 7 values agree" in capsys.readouterr().out
    # Seven different units: the three that were finished were kept.
    assert len(ran) == len({unit["label"] for unit in ran}) == 7


def test_full_disk_is_a_message_and_not_a_traceback(capsys, monkeypatch, tmp_path):
    def full(*_):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(runs.Store, "add", full)
    assert run("--scale", "recorded") == 1
    path = tmp_path / "runs" / "toy.sqlite"
    assert capsys.readouterr().err == (
        f"evalkit: {path}: database or disk is full; what was finished before is in it, "
        "and the same command goes on\n"
    )


def test_places_that_cannot_be_used_are_named(capsys, monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    for wrong in (tmp_path / "file" / "a.sqlite", tmp_path / "file" / "deeper" / "a.sqlite"):
        assert str(tmp_path / "file") in (told := errors_of(capsys, "--scale", "recorded", "--store", wrong))
        assert "where a folder should be" in told

    def refused(*_):
        raise PermissionError(errno.EACCES, "Permission denied", str(tmp_path / "a.sqlite"))

    monkeypatch.setattr(runs.Store, "__init__", refused)
    assert f"{tmp_path / 'a.sqlite'}: there is no permission" in errors_of(capsys, "--scale", "recorded")


# ---------------------------------------------------------------------------------------------
# The scorecard
# ---------------------------------------------------------------------------------------------


def test_scorecard_counts(capsys):
    assert cli.main(["scorecard"]) == 0
    blocks = capsys.readouterr().out.split("\n\n")
    counts = scorecard.counts()
    for text, kind in zip(blocks, counts.columns.unique(0), strict=True):
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
    assert list(table.columns)[7:] == ["counts_as", "main", "first_verdict", "other_analyses", "power"]
    assert len(table) == len(scorecard.printed()) + len(scorecard.claims())


def test_scorecard_of_a_folder_without_papers(capsys, tmp_path):
    assert cli.main(["scorecard", "--data", str(tmp_path)]) == 1
    assert "evalkit: " in (line := capsys.readouterr().err)
    assert "must hold a CSV file for each paper" in line
