"""The command line `lab`: what it prints, what it writes, and how it ends."""

import errno
import io
import re

import programs
import pytest
from faults import toy
from grids import grid

import evalkit
from evalkit import _extras
from lab import cli, scorecard
from lab.data import sources
from lab.record import runs
from lab.record import tables as reader


@pytest.fixture(autouse=True)
def toy_command(tmp_path, monkeypatch):
    """Make `lab run toy` a command, with stores and records in a temporary folder."""
    monkeypatch.setattr(cli, "EXPERIMENTS", {"toy": "faults.toy"})
    monkeypatch.setattr(reader, "RECORDED", tmp_path / "recorded")
    monkeypatch.setenv("EVALKIT_RUNS", str(tmp_path / "runs"))
    # main() sets these for its workers; set beforehand, they are taken back after the
    # test.
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.setenv(variable, "1")


def run(*arguments):
    return cli.main(["run", "toy", "--quiet", "--jobs", "1", *map(str, arguments)])


def check(*arguments):
    return cli.main(["check", "toy", "--quiet", "--jobs", "1", *map(str, arguments)])


def record(*arguments):
    assert run("--export", *arguments) == 0


@grid(
    "arguments, message",
    [
        (["walk"], "'walk' is unknown; there are: run, check, scorecard, data"),
        (["rum"], "'rum' is unknown; did you mean run?"),
        (["--versoin"], "'--versoin' is unknown; did you mean --version?"),
        (["data", "lst"], "'lst' is unknown; did you mean list?"),
        (["data", "list", "toy"], "'toy' is one word too many"),
        (["data", "fetch"], "required: KEY"),
        (["run"], "required: NAME"),
        (["run", "toys"], "'toys' is unknown; did you mean toy?"),
        (["run", ""], "'' is unknown; there are: toy"),
        (["check", "toy", "toys"], "'toys' is unknown; did you mean toy?"),
        (
            ["run", "toy", "--scale", "record"],
            "'record' is unknown; did you mean recorded?",
        ),
        (
            ["run", "toy", "--backend", "threads"],
            "'threads' is unknown; there are: loky, dask",
        ),
        (["check", "toy", "--sede=3"], "'--sede' is unknown; did you mean --seed"),
        (["check", "toy", "--export"], "'--export' is unknown"),
        *(
            (
                ["run", "toy", "--jobs", jobs],
                (
                    "--jobs: must be a whole number from 1 to 1,024, or -1: one a"
                    f" core, got '{jobs}'"
                ),
            )
            for jobs in ("many", "0", "-2", "1025", "9" * 23)
        ),
        *(
            (
                ["check", "toy", "--units", units],
                f"--units: must be a whole number from 1 to 1,000,000, got '{units}'",
            )
            for units in ("0", "9" * 26)
        ),
        *(
            ([*command, ""], f"{command[-1]}: must be a place, got ''")
            for command in (
                ["run", "toy", "--export", "--folder"],
                ["check", "toy", "--store"],
            )
        ),
        (
            ["check", "toy", "--seed", "-1"],
            "--seed: must be a whole number from 0, got '-1'",
        ),
        (
            ["check", "toy", "--longest", "nan"],
            "--longest: must be seconds above 0, got 'nan'",
        ),
        *(
            (
                [*command, option, "a"],
                f"{option} is of one experiment: it needs one NAME",
            )
            for command in (["check"], ["check", "toy", "toy"])
            for option in ("--store", "--folder")
        ),
        *(
            (
                [command, "toy", "--scheduler", "tcp://a:1"],
                "--scheduler would do nothing: it needs --backend dask",
            )
            for command in ("run", "check")
        ),
        (["run", "toy", "--backend", "dask"], "--backend dask needs --scheduler"),
        (
            [
                "run",
                "toy",
                "--backend",
                "dask",
                "--scheduler",
                "tcp://a:1",
                "--jobs",
                "2",
            ],
            "--jobs would do nothing: it is for processes of this machine",
        ),
        (
            ["check", "toy", "--settle", "--folder", "a"],
            "--settle is of data/recorded: leave --folder out",
        ),
        (["scorecard", "--check", "--csv"], "--check prints no CSV"),
        (["scorecard", "--paper", "tang2020"], "--paper goes with --check"),
    ],
)
def test_wrong_words_are_usage_errors(capsys, arguments, message):
    told = programs.usage_error(capsys, cli.main, *arguments)
    assert message in told
    assert told.startswith("lab")


@pytest.mark.parametrize("arguments", [[], ["data"]])
def test_no_command_is_answered_with_help(capsys, arguments):
    assert cli.main(arguments) == 0
    assert capsys.readouterr().out.startswith("usage: lab")


def test_version(capsys):
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"lab {evalkit.__version__}\n"


@pytest.mark.parametrize(
    "arguments", [[], ["--help"], ["--version"], ["check", "--help"], ["rum"]]
)
def test_what_needs_no_statistics_loads_none(arguments):
    assert programs.loaded("lab", *arguments) == []


# Each of these runs in a folder that is not the checkout.


@programs.POSIX
@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments", [["data", "list"], ["scorecard", "--csv"], ["--help"], ["scorecard"]]
)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_closed_pipe_is_silent(arguments, unbuffered, tmp_path):
    ended = programs.end_of_closed_pipe(
        "lab", *arguments, unbuffered=unbuffered, cwd=tmp_path
    )
    assert ended == (141, "")


@programs.POSIX
@pytest.mark.slow
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_workers_inherit_closed_streams(closed, tmp_path):
    check = "check error_rates --units 2 --jobs 2 --longest 0.1"
    done = programs.end_without_streams(
        "lab", *check.split(), closed=closed, cwd=tmp_path
    )
    assert done.returncode == 0, done


def test_run_says_what_it_did_and_goes_on_from_there(capsys, tmp_path, monkeypatch):
    ran = []
    monkeypatch.setattr(toy, "EXPERIMENT", toy.toy(ran=ran))
    assert run() == 0
    path = tmp_path / "runs" / "toy.sqlite"
    assert (
        capsys.readouterr().out
        == f"toy: 12 units run, 0 taken from the record, 0 were there; {path} holds"
        " 12\n"
    )
    assert run() == 0
    assert (
        "toy: 0 units run, 0 taken from the record, 12 were there;"
        in capsys.readouterr().out
    )
    assert ran == toy.UNITS
    assert not reader.RECORDED.exists()  # without --export nothing is recorded


def test_export_writes_the_record(capsys):
    record()
    folder = reader.RECORDED / "toy"
    names = ["first.csv", "second.csv", "third.csv", "provenance.json"]
    assert capsys.readouterr().out.splitlines()[1:] == [
        f"wrote {folder / name}" for name in names
    ]
    assert sorted(p.name for p in folder.iterdir()) == sorted(names)
    assert len(reader.load_recorded("toy", "second")) == 4


def test_folder_holds_the_record(capsys, tmp_path):
    record("--folder", tmp_path / "elsewhere")
    assert not reader.RECORDED.exists()
    assert len(reader.recorded_rows("toy", folder=tmp_path / "elsewhere")) == 12
    assert check("--folder", tmp_path / "elsewhere") == 0
    assert "6 of 6 values agree with the record" in capsys.readouterr().out


def test_check_runs_a_slice_and_agrees(capsys):
    record()
    capsys.readouterr()
    assert check("--units", 5, "--seed", 1) == 0
    said, *lines, last = capsys.readouterr().out.splitlines()
    assert said == "toy: a slice, --seed 1"
    assert len(lines) == 5
    assert all(line.startswith("agrees ") for line in lines)
    assert last == "5 of 5 values agree with the record"


def test_check_without_names_takes_every_experiment_and_goes_on_after_a_difference(
    capsys, monkeypatch
):
    record()
    path = reader.RECORDED / "toy" / "third.csv"
    path.write_text(path.read_text().replace("third 2,2.2,", "third 2,2.3,"))
    toy.reseal(path.parent)
    capsys.readouterr()
    monkeypatch.setattr(
        cli, "EXPERIMENTS", {"toy": "faults.toy", "again": "faults.toy"}
    )
    assert (
        cli.main(["check", "--units", "12", "--seed", "5", "--quiet", "--jobs", "1"])
        == 1
    )
    out = capsys.readouterr().out
    assert [line for line in out.splitlines() if "slice" in line] == [
        "again: a slice, --seed 5",
        "toy: a slice, --seed 5",
    ]
    assert out.count("DIFFERS") == 2
    assert "recorded 2.300000, fresh 2.200000, allowed 0" in out
    assert out.count("11 of 12 values agree with the record") == 2


def errors_of(capsys, command, *arguments):
    """Run a command, expect status 1, and return the one line on standard error."""
    assert command(*arguments) == 1
    line = capsys.readouterr().err
    assert line.startswith("lab: ")
    assert line.count("\n") == 1
    return line


def test_folder_that_is_not_there(capsys, tmp_path):
    there_is_none = f"the folder {tmp_path / 'none'} of --folder does not exist"
    for command in (check, run):
        assert there_is_none in errors_of(
            capsys, command, "--folder", tmp_path / "none"
        )
    assert not (tmp_path / "runs").exists()
    (tmp_path / "none").touch()
    # Before hours of work, not after.
    for command, *more in (
        (check,),
        (run, "--export"),
    ):
        told = errors_of(capsys, command, "--folder", tmp_path / "none", *more)
        assert "of --folder is not a folder" in told
    assert not (tmp_path / "runs").exists()


def test_key_that_is_not_there_stops_before_the_first_fetch(capsys, monkeypatch):
    monkeypatch.setattr(sources, "fetch", lambda key: pytest.fail("fetched"))
    known = sources.registry().key[0]
    for wrong in (known[:-1], known.partition("/")[0]):
        assert cli.main(["data", "fetch", known, wrong]) == 1
        assert (
            f"no upstream file is called {wrong!r}; did you mean {known}"
            in capsys.readouterr().err
        )
    assert cli.main(["data", "fetch", "qqq"]) == 1
    assert "'qqq'; `lab data list` names them" in capsys.readouterr().err


def lack(monkeypatch, package):
    """Make a package of an extra look as if it were not installed."""
    packages = {"run": ("torch",), "cluster": ("dask", "distributed")}
    monkeypatch.setattr(
        _extras, "packages", lambda distribution, extra: packages[extra]
    )
    monkeypatch.setattr(_extras, "_is_installed", lambda name: name != package)


def test_missing_extra_is_named(capsys, monkeypatch, tmp_path):
    lack(monkeypatch, "torch")
    assert (
        errors_of(capsys, run)
        == "lab: running an experiment needs torch, which the extra"
        ' evalkit-book-lab[run] brings: python -m pip install -e "./lab[run]" in the'
        " checkout\n"
    )
    assert not (tmp_path / "runs").exists()


def test_dask_that_is_not_installed(capsys, monkeypatch):
    lack(monkeypatch, "distributed")
    assert (
        cli.main(
            [
                "run",
                "toy",
                "--quiet",
                "--backend",
                "dask",
                "--scheduler",
                "tcp://there:8786",
            ]
        )
        == 1
    )
    assert (
        "needs distributed, which the extra evalkit-book-lab[cluster]"
        in capsys.readouterr().err
    )


def test_store_in_use(capsys, tmp_path):
    path = tmp_path / "busy.sqlite"
    with runs.Store(path):
        assert str(path) in errors_of(capsys, run, "--store", path)


def test_store_that_is_a_folder(capsys, tmp_path):
    assert str(tmp_path) in errors_of(capsys, run, "--store", tmp_path)


def test_interrupt_keeps_what_was_finished(capsys, tmp_path, monkeypatch):
    def spoil(unit):
        if unit["label"] == "second 1":
            raise KeyboardInterrupt

    monkeypatch.setattr(toy, "EXPERIMENT", toy.toy(spoil=spoil))
    assert run("--export") == 130
    path = tmp_path / "runs" / "toy.sqlite"
    assert (
        capsys.readouterr().err
        == f"stopped; what was finished is in {path}; the same command goes on\n"
    )
    assert not reader.RECORDED.exists()
    monkeypatch.setattr(toy, "EXPERIMENT", toy.toy())
    record()
    assert (
        "toy: 7 units run, 0 taken from the record, 5 were there;"
        in capsys.readouterr().out
    )


def test_interrupted_slice_goes_on_with_the_same_units(capsys, monkeypatch):
    record()
    capsys.readouterr()
    ran = []

    def spoil(unit):
        if len(ran) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(toy, "EXPERIMENT", toy.toy(spoil=spoil, ran=ran))
    assert check("--units", 7) == 130
    said = capsys.readouterr()
    (seed,) = re.findall("; the same command with --seed (.*) goes on\n", said.err)
    assert said.out == f"toy: a slice, --seed {seed}\n"
    monkeypatch.setattr(toy, "EXPERIMENT", toy.toy(ran=ran))
    assert check("--units", 7, "--seed", seed) == 0
    assert "7 of 7 values agree" in capsys.readouterr().out
    # Seven different units: the three that were finished were kept.
    assert len(ran) == len({unit["label"] for unit in ran}) == 7


def test_places_that_cannot_be_used_are_named(capsys, monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    for wrong in (
        tmp_path / "file" / "a.sqlite",
        tmp_path / "file" / "deeper" / "a.sqlite",
    ):
        assert str(tmp_path / "file") in (
            told := errors_of(capsys, run, "--store", wrong)
        )
        assert "where a folder should be" in told

    def refused(*_):
        raise PermissionError(
            errno.EACCES, "Permission denied", str(tmp_path / "a.sqlite")
        )

    monkeypatch.setattr(runs.Store, "__init__", refused)
    assert f"{tmp_path / 'a.sqlite'}: there is no permission" in errors_of(capsys, run)


# --------------------------------------------------------------------------------------
# The scorecard
# --------------------------------------------------------------------------------------


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
        assert total == [
            "all",
            *map(str, counts[kind].sum()),
            str(counts[kind].to_numpy().sum()),
        ]


def test_scorecard_as_csv_has_every_row(capsys):
    assert cli.main(["scorecard", "--csv"]) == 0
    printed = capsys.readouterr().out
    expected = io.StringIO()
    scorecard.to_csv(expected)
    assert printed == expected.getvalue()
