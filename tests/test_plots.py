"""The look of figures, and the tables of a page: what is a name stays a name."""

import itertools
import re
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from grids import grid
from matplotlib import pyplot as plt

from evalkit import plots

HOSTILE = "<!--<script>"


def test_a_table_shows_words_as_they_are_written():
    frame = pd.DataFrame(
        {HOSTILE: [HOSTILE, None], "x": [0.5, 0.25]}, index=[HOSTILE, "b"]
    )
    for shown in (frame, frame[HOSTILE]):
        page = plots.table(shown).to_html()
        assert "<!--" not in page
        assert "<script" not in page
        assert page.count("&lt;!--&lt;script&gt;") == 3


def test_a_table_shows_the_columns_that_are_html_as_such():
    frame = pd.DataFrame({"said": ["<b>yes</b>"], "name": ["<b>no</b>"], "x": [0.5]})
    page = plots.table(frame, html=["said"], x="{:.0%}").to_html()
    assert "<b>yes</b>" in page
    assert "<b>no</b>" not in page
    assert "50\xa0%" in page


def test_a_table_shows_three_digits():
    assert "0.123<" in plots.table(pd.DataFrame({"x": [0.12345]})).to_html()


def head_of(table):
    return re.findall(
        r"<t[dh]\b[^>]*>(.*?)</t[dh]>", table.to_html().partition("</thead>")[0]
    )


def test_a_table_has_one_head_with_the_names_of_its_index():
    frame = pd.DataFrame(
        {"x": [1, 2], "y": [3, 4]}, index=pd.Index(["a", "b"], name="system")
    )
    assert head_of(plots.table(frame)) == ["system", "x", "y"]
    assert head_of(plots.table(frame.rename_axis(None))) == ["&nbsp;", "x", "y"]
    assert head_of(plots.table(frame).hide()) == ["x", "y"]
    deep = frame.set_index(
        pd.MultiIndex.from_tuples([("a", 1), ("a", 2)], names=["system", "n"])
    )
    assert head_of(plots.table(deep).format("{:.1f}")) == ["system", "n", "x", "y"]
    assert head_of(plots.table(deep.rename_axis(columns="score"))) == [
        "",
        "",
        "score",
        "system",
        "n",
        "x",
        "y",
    ]


def test_words_stand_on_the_left_and_numbers_on_the_right():
    numbers = {
        "a": [0.1, 2.0],
        "b": ["63%", None],
        "c": ["0.61 (0.02)", "-3 to 5"],
        "d": ["1e-05", "< 0.1"],
    }
    words = {
        "e": ["LSTM", "MLP"],
        "f": ["5 runs", "6 runs"],
        "g": ["-", "-"],
        "h": [True, False],
    }
    frame = pd.DataFrame({**numbers, **words})
    left = {
        int(i)
        for i in re.findall(
            r"\.col(\d) \{\s*text-align: left", plots.table(frame).to_html()
        )
    }
    assert left == {frame.columns.get_loc(name) for name in words}


def test_figures_have_the_type_that_is_named_or_that_of_matplotlib(monkeypatch):
    fonts = Path(mpl.get_data_path(), "fonts/ttf")
    with mpl.rc_context():
        monkeypatch.delenv("EVALKIT_FONT", raising=False)
        plots.use_style()
        assert mpl.rcParams["font.family"] == ["DejaVu Sans"]
        monkeypatch.setenv("EVALKIT_FONT", str(fonts / "DejaVuSerif.ttf"))
        plots.use_style()
        assert mpl.rcParams["font.family"] == ["DejaVu Serif", "DejaVu Sans"]


# Linear RGB as people without the cones for green, or for red, see it (Machado,
# Oliveira and Fernandes 2009).
NO_GREEN = [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.011820, 0.042940, 0.968881],
]
NO_RED = [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
]
TO_XYZ = np.array(
    [[0.4125, 0.3576, 0.1804], [0.2127, 0.7152, 0.0722], [0.0193, 0.1192, 0.9503]]
)


def linear(colour):
    channels = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(
        channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4
    )


def distance(one, other, seen=((1, 0, 0), (0, 1, 0), (0, 0, 1))):
    """The distance of two colours in CIELAB, where 2 is just noticeable side by
    side.
    """
    places = []
    for colour in (one, other):
        x, y, z = np.cbrt(
            TO_XYZ
            @ np.clip(np.asarray(seen) @ linear(colour), 0.009, 1)
            / (0.9505, 1, 1.0888)
        )
        places.append(np.array([116 * y, 500 * (x - y), 200 * (y - z)]))
    return np.linalg.norm(places[0] - places[1])


def test_no_colour_comes_near_another():
    for one, other in itertools.combinations(plots.COLOURS, 2):
        assert distance(plots.COLOURS[one], plots.COLOURS[other]) > 25, (one, other)


@grid(
    "shown", [("mlp", "lstm", "linear"), ("u", "v", "truth"), ("one", "two", "three")]
)
def test_what_stands_in_one_figure_is_told_apart_without_red_or_green(shown):
    for seen in (NO_GREEN, NO_RED):
        for one, other in itertools.combinations(shown, 2):
            assert distance(plots.COLOURS[one], plots.COLOURS[other], seen) > 10
    assert len({str(plots.LINES[name]) for name in shown}) == 3


def test_a_colour_can_be_seen_on_the_page():
    for colour in plots.COLOURS.values():
        assert 1.05 / (TO_XYZ[1] @ linear(colour) + 0.05) >= 2.9  # of white


def test_lines_are_named_where_they_end_and_no_name_covers_another():
    figure, axes = plt.subplots()
    for key, end in (("mlp", 0.5), ("lstm", 0.51), ("u", 0.9)):
        plots.plot_curve(
            axes, [1, 2, 3], [0, end, np.nan], key, band=([0, 0, 0], [1, 1, 1])
        )
    plots.label_lines(axes)
    figure.canvas.draw()
    names = {text.get_text(): text for text in axes.texts}
    assert set(names) == {plots.NAMES[key] for key in ("mlp", "lstm", "u")}
    assert {text.xy[0] for text in axes.texts} == {2}
    boxes = [
        names[plots.NAMES[key]].get_window_extent() for key in ("mlp", "lstm", "u")
    ]
    assert all(low.y1 < high.y0 for low, high in itertools.pairwise(boxes))
    plt.close(figure)


@grid("key", plots.COLOURS)
def test_a_name_on_a_figure_can_be_read(key):
    figure, axes = plt.subplots()
    plots.plot_reference(axes, 0.5, "dummy")
    axes.plot([0, 1], [0, 1], **{**plots.line_style(key), "label": "name"})
    plots.label_lines(axes)
    for text in axes.texts:
        assert (
            1.05 / (TO_XYZ[1] @ linear(mpl.colors.to_hex(text.get_color())) + 0.05)
            >= 4.5
        )
    plt.close(figure)


def choice_table(*rows):
    return pd.DataFrame(
        rows, columns=["choice", "option", "value", "low", "high", "told"]
    )


SOME = choice_table(
    ("seeds", "first ten", 0.4, 0.1, 0.7, True),
    ("seeds", "second ten", 0.2, -0.1, 0.5, False),
    ("ties", "first", 0.3, np.nan, np.nan, False),
    ("ties", "at random", -0.02, np.nan, np.nan, False),
    ("ties", "shared", 0.0, np.nan, np.nan, False),
)


def test_a_choice_on_the_other_side_or_on_the_line_turns_the_result():
    words = ["told", "open", "same", "turned", "turned"]
    assert list(plots.turns(SOME, 0)) == words
    # Of a loss, below the line is the side of the text.
    flipped = SOME.assign(value=-SOME.value, low=-SOME.high, high=-SOME.low)
    assert list(plots.turns(flipped, 0)) == words
    assert list(plots.turns(SOME.drop(columns=["low", "high"]), 0.25))[1] == "turned"


def test_a_mark_means_the_same_on_both_sides_of_the_line():
    both = choice_table(
        ("seeds", "first", 0.4, 0.1, 0.7, True),
        ("seeds", "this side", 0.2, -0.1, 0.5, False),
        ("seeds", "other side", -0.2, -0.5, 0.1, False),
        ("seeds", "other side, clearly", -0.4, -0.7, -0.1, False),
    )
    assert list(plots.turns(both, 0)) == ["told", "open", "open", "turned"]


@grid(
    ("changed", "message"),
    [
        ({"told": False}, "the one of the text.*got 0"),
        ({"told": [True, True, False, False, False]}, "the one of the text.*got 2"),
        ({"value": np.nan}, "a value is missing"),
    ],
)
def test_one_choice_is_the_one_of_the_text_and_each_has_a_value(changed, message):
    with pytest.raises(ValueError, match=message):
        plots.choices(SOME.assign(**changed), reference=0, label="points")


def test_a_figure_of_choices_has_a_row_for_each_kind_and_a_mark_for_each_option():
    figure = plots.choices(SOME, reference=0, label="points")
    axes = figure.axes[0]
    kinds = [tick.get_text() for tick in axes.get_yticklabels()]
    assert kinds == ["seeds", "ties"]
    marks = [line for line in axes.get_lines() if line.get_marker() != "None"]
    drawn = {
        (kinds[round(y)], float(x)) for line in marks for x, y in line.get_xydata()
    }
    assert drawn == set(zip(SOME.choice, SOME.value, strict=True))
    bars = [line.get_xdata() for line in axes.get_lines() if line.get_linewidth() == 12]
    assert [list(bar) for bar in bars] == [[0.2, 0.4], [-0.02, 0.3]]
    shown = {text.get_text() for text in figure.legends[0].get_texts()}
    assert shown == {
        "in the text",
        "same answer",
        "interval includes the line",
        "other answer",
    }
    plt.close(figure)


def test_no_mark_of_a_figure_of_choices_hides_another():
    equal = pd.concat([SOME.head(1), SOME.iloc[[1, 1, 1]].assign(value=0.4)])
    figure = plots.choices(equal, reference=0, label="points")
    marks = [line for line in figure.axes[0].get_lines() if line.get_marker() != "None"]
    heights = [y for line in marks for _, y in line.get_xydata()]
    assert np.diff(np.sort(heights)).min() > 0.1
    assert np.abs(heights).max() < 0.5
    plt.close(figure)


def test_a_figure_of_choices_has_eight_rows_at_most():
    many = pd.concat([SOME.assign(choice=f"kind {i}", told=i == 0) for i in range(9)])
    many["told"] &= ~many.told.duplicated()
    with pytest.raises(ValueError, match="at most, got 9"):
        plots.choices(many, reference=0, label="points")


def test_the_list_of_choices_has_each_with_its_answer():
    page = plots.all_choices(SOME, reference=0).to_html()
    for words in (*SOME.option, "0.1 to 0.7", "same answer", "other answer"):
        assert words in page
    assert (
        "interval"
        not in plots.all_choices(
            SOME.drop(columns=["low", "high"]), reference=0
        ).to_html()
    )
