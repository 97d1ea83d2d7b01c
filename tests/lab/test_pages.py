"""What pages show of the scorecard is what the scorecard says."""

import re
from collections import defaultdict

import matplotlib
import pytest
from grids import grid

from lab import arguments, cli, pages, scorecard

matplotlib.use("agg")


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


def texts(html):
    return re.sub(r"<[^>]*>", "\0", html).split("\0")


@grid("paper", [None, *sorted(cli.PAPERS)])
def test_each_main_claim_is_a_row_with_its_answers(paper):
    table = scorecard.main_claims()
    table = table[table.paper == paper] if paper else table
    html = pages.main_claims(paper).data
    assert html.count("<tr data-paper=") == len(table) > 0
    shown = texts(html)
    for row in table.itertuples():
        assert pages.escape(row.says) in shown
        assert row.first_verdict in ("", *shown)
        assert row.verdict in shown


def test_the_picture_has_a_square_for_each_answer():
    figure = pages.draw_main_claims()
    table = scorecard.main_claims()
    for ax, (_, own) in zip(
        figure.axes, table.groupby("paper", sort=False), strict=True
    ):
        frames = [p for p in ax.patches if p.get_facecolor()[3] == 0]
        assert len(frames) == 3 * len(own)
        signs = [text.get_text() for text in ax.texts]
        words = [word for word in [*own.first_verdict, *own.verdict] if word]
        for sign in "✓✗?–":
            assert signs.count(sign) >= sum(
                pages.LOOKS[word][1] == sign for word in words
            )


@grid("paper", sorted(cli.PAPERS))
def test_the_figure_of_other_analyses_has_a_row_for_each(paper):
    others = scorecard.analyses()
    mains = set(scorecard.main_claims().query("paper == @paper").id)
    sizes = others[others.id.isin(mains)].groupby("id").analysis.nunique()
    assert (sizes > 1).any(), (
        "no main claim has another analysis, of which the page could draw a figure"
    )
    panels = [len(ax.get_yticks()) for ax in pages.draw_analyses(paper).axes]
    assert sorted(panels) == sorted(sizes[sizes > 1])


def test_what_is_shown_is_escaped():
    figures = scorecard.printed()[:1].assign(quantity="a <b>", note="<script>")
    html = pages.folds(scorecard.verdicts()[:1], figures)
    assert html.count("<details class") == 2
    assert "<script>" not in html
    assert "a &lt;b&gt;" in html


@grid("paper", sorted(cli.PAPERS))
def test_the_commands_of_a_page_are_commands(paper):
    parser = arguments.command_line(defaultdict(object), cli.EXPERIMENTS, cli.PAPERS)
    lines = re.findall(r"^lab (.*)$", pages.command(paper).data, re.MULTILINE)
    run, check = (parser.parse_args(line.split()) for line in lines)
    assert run.name == check.paper == paper
    assert check.check
