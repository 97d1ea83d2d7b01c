"""Every word of the command line as `evalkit.cli` is given it."""

import pytest

from evalkit._arguments import REPORT_CHOICES, command_line

WORDS = {
    "--baseline": "base",
    "--output": "page.md",
    "--metric": "f1",
    "--map": "seed=run",
    "--where": "split=a=b",
    "--unit": "item",
    "--margin": "0.01",
    "--n-train": "1",
    "--n-test": "30",
    "--failed": "0",
    "--names": "{system}_{seed}",
    "--right": "yes",
    "--gold": "key.csv",
    "--accept": "few_runs",
    "--config": "mine.toml",
    "--check": "theirs.toml",
}
READ = {
    "output": ["page.md"],
    "map": [("seed", "run")],
    "where": [("split", "a=b")],
    "margin": 0.01,
    "n_train": 1,
    "n_test": 30,
    "accept": ["few_runs"],
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
    choices = {f"--{name}": words[-1] for name, words in REPORT_CHOICES.items()}
    given = WORDS | choices
    options = report(
        "a.csv",
        "b=c.csv",
        "--as-proposed",
        *(part for pair in given.items() for part in pair),
    )
    wanted = {
        name.lstrip("-").replace("-", "_"): value for name, value in given.items()
    } | READ
    assert options == wanted | {
        "files": ["a.csv", "b=c.csv"],
        "as_proposed": True,
        "version": False,
    }


def test_of_a_report_without_options_nothing_is_assumed():
    given = {name: value for name, value in report().items() if value}
    assert given == {}


@pytest.mark.parametrize("text", ["a", "a=", "=a", "="])
def test_a_pair_needs_both_its_ends(capsys, text):
    with pytest.raises(SystemExit):
        report("--map", text)
    assert f"must be NAME=VALUE, got '{text}'" in capsys.readouterr().err
