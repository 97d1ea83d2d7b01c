"""Every word of the command line as `evalkit.cli` is given it."""

import inspect

import pytest
from grids import grid

import evalkit
from evalkit._arguments import REPORT_OPTIONS, command_line

WORDS = {
    "--baseline": "base",
    "--metric": "f1",
    "--direction": "lower",
    "--map": "seed=run",
    "--ignore": "date",
    "--margin": "0.01",
    "--n-train": "1",
    "--n-test": "30",
    "--n": "5",
    "--output": "page.md",
    "--check": "theirs.toml",
    "--confirm": "scale",
}
READ = {
    "map": [("seed", "run")],
    "ignore": ["date"],
    "margin": 0.01,
    "n_train": 1,
    "n_test": 30,
    "n": 5,
    "output": ["page.md"],
    "confirm": ["scale"],
}


def report(*arguments):
    options = vars(
        command_line("report it", "begin").parse_args(["report", *arguments])
    )
    assert (options.pop("action"), options.pop("parser").prog) == (
        "report it",
        "evalkit report",
    )
    return options


def test_every_option_of_a_report_is_read():
    given = [part for pair in WORDS.items() for part in pair]
    options = report("a.csv", "b.csv", "--random", *given)
    words = {name[2:].replace("-", "_"): value for name, value in WORDS.items()}
    assert options == words | READ | {
        "files": ["a.csv", "b.csv"],
        "random": True,
        "version": False,
    }
    of_call = {*inspect.signature(evalkit.report).parameters} - {"table", "columns"}
    assert {*REPORT_OPTIONS} == of_call


def test_of_a_report_without_options_nothing_is_assumed():
    given = {name: value for name, value in report().items() if value}
    assert given == {}


@grid("text", ["a", "a=", "=a", "="])
def test_a_pair_needs_both_its_ends(capsys, text):
    with pytest.raises(SystemExit):
        report("--map", text)
    assert f"must be NAME=VALUE, got '{text}'" in capsys.readouterr().err
