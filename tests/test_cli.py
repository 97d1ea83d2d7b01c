"""The command line `evalkit`: its words, and how it ends. What it compares is tested in
tests/reports.
"""

import programs
import pytest
from grids import grid

import evalkit
from evalkit import _program, cli


@grid(
    ("arguments", "message"),
    [
        (["walk"], "'walk' is unknown; there are: report, init"),
        (["reprot"], "'reprot' is unknown; did you mean report?"),
        (["--versoin"], "'--versoin' is unknown; did you mean --version?"),
        (["init"], "required: FOLDER"),
        (["init", "mine", "yours"], "'yours' is one word too many"),
        (["init", ""], "FOLDER: must be a place, got ''"),
        (["report", ""], "FILE: must be a place, got ''"),
        (["report", "--confrim=few"], "'--confrim' is unknown; did you mean --confirm"),
        (
            ["report", "--direction", "hihger"],
            "'hihger' is unknown; did you mean higher",
        ),
        (["report", "--map", "seed"], "--map: must be NAME=VALUE, got 'seed'"),
        (["report", "--margin", "nan"], "--margin: must be a number, got 'nan'"),
        (
            ["report", "--n-test", "0"],
            "--n-test: must be a whole number from 1, got '0'",
        ),
    ],
)
def test_wrong_words_are_usage_errors(capsys, arguments, message):
    told = programs.usage_error(capsys, cli.main, *arguments)
    assert message in told
    assert told.startswith("evalkit")


def test_no_command_is_answered_with_help(capsys):
    assert cli.main([]) == 0
    assert capsys.readouterr().out.startswith("usage: evalkit")


def test_version(capsys):
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"evalkit {evalkit.__version__}\n"


@grid("arguments", [[], ["--help"], ["--version"], ["report", "--help"], ["rum"]])
def test_what_needs_no_statistics_loads_none(arguments):
    assert programs.loaded("evalkit", *arguments) == []


@programs.POSIX
@pytest.mark.parametrize("arguments", [["init", "mine"], ["--help"]])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_closed_pipe_is_silent(arguments, unbuffered, tmp_path):
    ended = programs.end_of_closed_pipe(
        "evalkit", *arguments, unbuffered=unbuffered, cwd=tmp_path
    )
    assert ended == (141, "")


@programs.POSIX
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_stop_nothing(closed, tmp_path):
    assert (
        programs.end_without_streams(
            "evalkit", "init", "a", closed=closed, cwd=tmp_path
        ).returncode
        == 0
    )
    assert (tmp_path / "a" / "train.py").is_file()
    done = programs.end_without_streams("evalkit", "rum", closed=closed, cwd=tmp_path)
    assert done.returncode == 2
    assert not done.stdout  # what goes to standard error goes nowhere else


@programs.FULL_DEVICE
def test_full_output_is_one_sentence(tmp_path):
    assert programs.end_on_a_full_disk("evalkit", "init", "mine", cwd=tmp_path) == (
        1,
        "evalkit: the disk is full; make room, and the same command goes on\n",
    )


@pytest.mark.parametrize(
    ("error", "is_gone", "status"),
    [
        (BrokenPipeError("no reader"), True, 141),
        (BrokenPipeError("of another pipe"), False, 1),
        (ValueError("of our own"), True, 1),
        (ImportError("of a package"), False, 1),
    ],
)
def test_a_reader_who_left_is_no_error_and_every_other_error_is_one(
    error, is_gone, status, monkeypatch, capsys
):
    monkeypatch.setattr(_program, "_reader_gone", lambda: is_gone)
    monkeypatch.setattr(_program, "_drop_output", lambda: None)
    assert _program._failed("evalkit", error) == status
    assert capsys.readouterr().err == f"evalkit: {error}\n" * (status == 1)


def test_an_error_of_ours_is_raised():
    with pytest.raises(KeyError):
        _program._failed("evalkit", KeyError("x"))
