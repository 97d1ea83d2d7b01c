"""What pages share: checks of answers, and commands."""

import re
from collections import defaultdict

import pytest
from grids import grid

from lab import arguments, cli, pages


@grid("scale", [1, -1, 0.01])
@grid("answer", [0, 0.5, 41, 1234.5678])
def test_an_answer_is_right_within_its_unit_and_wrong_two_away(answer, scale, capsys):
    answer, unit = answer * scale, 0.1 * abs(scale)
    sealed = pages.seal(answer, unit)
    for off in (0, 0.99, -0.99):
        pages.check_answer(answer + off * unit, sealed, within=unit, hint="Look again.")
    assert capsys.readouterr().out == "Right.\n" * 3
    for wrong in (
        answer + 2.01 * unit,
        answer - 2.01 * unit,
        float("nan"),
        float("inf"),
    ):
        with pytest.raises(AssertionError, match="Not yet. Look again."):
            pages.check_answer(wrong, sealed, within=unit, hint="Look again.")


def test_a_word_is_right_or_wrong():
    pages.check_answer("grouped", pages.seal("grouped"), hint="Look again.")
    with pytest.raises(AssertionError, match="Look again."):
        pages.check_answer("random", pages.seal("grouped"), hint="Look again.")


def test_a_sentence_is_about_one_row():
    row = pages.recorded_row(
        "twelve_models", "expected_maximum", choice="as in the text", n=2
    )
    assert (row.choice, row.n) == ("as in the text", 2)
    with pytest.raises(ValueError, match="4 rows have .*; name one"):
        pages.recorded_row("twelve_models", "expected_maximum", choice="as in the text")
    with pytest.raises(ValueError, match="0 rows have"):
        pages.recorded_row("twelve_models", "expected_maximum", choice="luck")


@grid("paper", sorted(cli.PAPERS))
def test_the_commands_of_a_page_are_commands(paper):
    parser = arguments.command_line(defaultdict(object), cli.EXPERIMENTS, cli.PAPERS)
    lines = re.findall(r"^lab (.*)$", pages.command(paper).data, re.MULTILINE)
    run, check = (parser.parse_args(line.split()) for line in lines)
    assert run.name == check.paper == paper
    assert check.check
