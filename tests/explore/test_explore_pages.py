"""What all explorers share: the page that stores every setting, the widgets of a
kernel, what is refused.
"""

import functools
import json
import re

import ipywidgets
import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from chapter_explorers import chapter_explorer
from grids import grid

from evalkit import explore
from evalkit._numbers import count
from evalkit.explore import _core, _jkfold, _words

LOOKED_UP = [
    name
    for name in explore.__all__
    if isinstance(chapter_explorer(name), _core.Explorer)
]
explorers = grid("name", LOOKED_UP)
SCORES = np.linspace(0.6, 0.8, 12)
SEARCH = pd.DataFrame(
    {
        "system": ["lstm", "mlp"],
        "validation": [0.6, 0.5],
        "test": [0.5, 0.4],
        "seconds": [9.0, 2.0],
    }
)
GRIDS = {
    name: SEARCH.assign(**dict.fromkeys(columns, 1))
    for name, columns in _jkfold._NEEDED.items()
}
OWN = {
    "baselines": lambda: explore.baselines(["a", "b"]),
    "tuning": lambda: explore.tuning({"old": SCORES, "new": SCORES[:5]}),
    "jkfold": lambda: explore.jkfold(np.random.default_rng(0).random((20, 5))),
}


@functools.cache
def page_of(name):
    return BeautifulSoup(chapter_explorer(name).page(), "html.parser")


def stored(page):
    return json.loads(page.find("script", type="application/json").string)


def as_stored(value):
    """A cell as a page stores it: four digits of a number, nothing where there is
    none.
    """
    if isinstance(value, str):
        return value
    return None if np.isnan(value) else pytest.approx(float(value), rel=5.1e-4)


@explorers
def test_a_page_stores_what_a_fresh_call_returns(name):
    explorer, data = chapter_explorer(name), stored(page_of(name))
    sizes = [len(control.values) for control in explorer.controls]
    assert len(data["states"]) == len(data["sentences"]) == np.prod(sizes) >= 20
    for i in np.random.default_rng(0).permutation(np.prod(sizes))[:40]:
        # The script counts through the controls' values, the last fastest.
        places = np.unravel_index(i, sizes)
        shown = explorer.show(
            **{
                c.name: c.values[place]
                for c, place in zip(explorer.controls, places, strict=True)
            }
        )
        assert data["sentences"][i] == shown.sentence
        assert data["columns"] == list(shown.rows)
        for column, place in zip(data["columns"], data["states"][i], strict=True):
            assert data["arrays"][place] == [
                as_stored(value) for value in shown.rows[column]
            ]
    # Each once.
    assert len({json.dumps(array) for array in data["arrays"]}) == len(data["arrays"])


@explorers
def test_a_page_begins_at_the_start(name):
    explorer, page = chapter_explorer(name), page_of(name)
    figure = page.figure
    assert (figure["id"], figure["data-name"]) == (
        f"explorer-{explorer.name}",
        explorer.name,
    )
    sentence = explorer.show(**explorer.start).sentence
    assert figure.find(class_="explorer-start").p.text == sentence
    (at_start,) = (i for i, s in enumerate(explorer.settings()) if s == explorer.start)
    assert stored(page)["sentences"][at_start] == sentence
    described = figure.find(attrs={"aria-describedby": True})["aria-describedby"]
    assert figure.find(id=described)["class"] == ["explorer-sentence"]
    assert figure.svg is not None


@explorers
def test_a_page_is_light_and_self_contained(name):
    page = str(page_of(name))
    assert len(page.encode()) < 300_000
    assert "http" not in re.sub(
        r"https?://(vega\.github\.io|www\.w3\.org)/[^\"']*", "", page
    )


@explorers
def test_every_control_has_a_label_of_its_own(name):
    fields = [field["id"] for field in page_of(name).find_all(["input", "select"])]
    assert fields == [label["for"] for label in page_of(name).find_all("label")]
    assert len(set(fields)) == len(fields) == len(chapter_explorer(name).controls)


@explorers
def test_sentences_differ_where_the_settings_do(name):
    sentences = stored(page_of(name))["sentences"]
    assert len(set(sentences)) == len(sentences)
    assert not any(
        "nan" in sentence.split() or "  " in sentence for sentence in sentences
    )


def widgets(explorer):
    *fields, figure = explorer.live().children
    return (
        dict(zip((control.name for control in explorer.controls), fields, strict=True)),
        figure,
    )


@explorers
def test_the_live_form_is_set_by_its_widgets(name):
    explorer = chapter_explorer(name)
    fields, figure = widgets(explorer)
    for control in explorer.controls:
        field = fields[control.name]
        assert (field.value, field.description) == (control.start, control.label)
        assert isinstance(field, ipywidgets.RadioButtons) != control.is_slider
        if hasattr(field, "options"):
            texts = [(control.text(value), value) for value in control.values]
            assert list(field.options) == texts
        elif isinstance(control.live, range):
            assert (field.min, field.max) == (control.live[0], control.live[-1])
        else:
            assert (field.min, field.max, field.step) == control.live
        # A kernel draws once, at the end of a move.
        assert getattr(field, "continuous_update", False) is False
    for field in fields.values():
        field.value = field.max if hasattr(field, "max") else field.options[-1][1]
    last = {name: field.value for name, field in fields.items()}
    shown = BeautifulSoup(figure.value, "html.parser")
    assert shown.p.text == explorer.show(**last).sentence
    assert str(shown.svg.g) == str(
        BeautifulSoup(explorer.svg(**last), "html.parser").svg.g
    )
    assert shown.find(attrs={"role": "img"})["aria-label"] == explorer.title


@grid("name", OWN)
def test_runs_of_ones_own_have_widgets_and_a_page(name):
    explorer = OWN[name]()
    fields, figure = widgets(explorer)
    assert {control: field.value for control, field in fields.items()} == explorer.start
    assert figure.value.count("<svg") == 1
    # A link to the one opens the other.
    assert explorer.name == chapter_explorer(name).name


@explorers
def test_a_notebook_shows_widgets_and_the_book_a_page(name, monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", shown.append)
    explorer = chapter_explorer(name)
    monkeypatch.setattr(type(explorer), "page", lambda self: f"<figure>{self.name}")
    monkeypatch.delenv("EVALKIT_BOOK", raising=False)
    explorer._ipython_display_()
    monkeypatch.setenv("EVALKIT_BOOK", "1")
    explorer._ipython_display_()
    assert isinstance(shown[0], ipywidgets.VBox)
    assert shown[1].data == f"<figure>{explorer.name}"


@grid(
    ("value", "as_kept"),
    [
        (0.123456, 0.1235),
        (123456.7, 123500.0),
        (1234.0, 1234),
        (np.float64(2), 2),
        (True, 1),
        (np.nan, None),
        ("a", "a"),
        (np.int64(12345), 12345),
        (1e-7, 1e-7),
    ],
)
def test_a_page_keeps_four_digits_of_a_number_and_whole_numbers_whole(value, as_kept):
    assert json.dumps(_core.round_value(value)) == json.dumps(as_kept)


def test_a_slider_over_many_runs_stops_at_some_of_them():
    assert _core.stops(60) == tuple(range(1, 61))
    for end in (61, 500, 5000):
        stops = _core.stops(end)
        assert (stops[0], stops[-1]) == (1, end)
        assert 30 < len(stops) <= 60
        # Ever further apart, but for the rounding.
        assert np.diff(np.diff(stops)).min() >= -1
    scores = np.random.default_rng(0).random(500)
    control = explore.tuning({"a": scores, "b": scores}).controls[0]
    assert (control.values, control.live) == (_core.stops(500), range(1, 501))


def test_quantities_lists_and_decimals_in_a_sentence():
    assert [count(n, "item") for n in (0, 1, 2, 1000)] == [
        "0 items",
        "1 item",
        "2 items",
        "1,000 items",
    ]
    assert [
        _words.enumeration(words) for words in (["a"], ["a", "b"], ["a", "b", "c"])
    ] == [
        "a",
        "a and b",
        "a, b and c",
    ]
    # As many decimals as show three digits of the spread.
    assert _words.decimal(1234.5678, 0.02) == "1,234.5678"
    assert _words.decimal(0.5, 1) == "0.50"
    assert _words.decimal(0.5, 0.999) == "0.500"
    assert _words.decimal(1234.4, 100) == "1,234"
    assert _words.decimal(1234.4, 10_000) == "1,234"
    assert _words.decimal(0.1, 1e-40) == f"{0.1:.15f}"
    assert [_words.decimals(spread) for spread in (1, 0.02, 10_000, 0)] == [2, 4, 0, 6]
    assert [_words.signed(x, 2) for x in (0.126, -1, 0.004, -0.004)] == [
        "+0.13",
        "−1.00",
        "0.00",
        "0.00",
    ]
    for spread in (0, np.nan, np.inf):  # nothing to tell apart
        assert _words.decimal(0.123456789, spread) == "0.123457"


def test_a_name_ends_no_script_and_opens_no_tag():
    name = "<!--<script></script><b> & co"
    page = explore.tuning(
        {name: np.linspace(0, 1, 30), "B": np.linspace(0, 1, 20)}
    ).page()
    assert name in stored(BeautifulSoup(page, "html.parser"))["arrays"][1]
    assert "<!--" not in page
    assert "<b>" not in page
    assert page.count("<script") == page.count("</script") == 1


@grid("character", ["\x07", "\x00", "\x0b", "\x1f", "\ud800", "\ufffe", "\uffff"])
def test_a_character_that_no_image_holds_is_refused(character):
    # vl-convert would end the process.
    with pytest.raises(
        ValueError, match="^a name in pools must have characters that can be drawn"
    ):
        explore.tuning({f"a{character}": [0.1, 0.2], "b": [0.2, 0.3]})
    # Pyarrow takes none.
    rows = pd.DataFrame({"dummy": pd.Series([character], dtype=object), "score": [0.5]})
    with pytest.raises(ValueError, match="^dummy must have"):
        chapter_explorer("baselines").spec(rows)


def test_every_other_character_is_drawn():
    explorer = explore.tuning(
        {
            "a\x7f\x85\ufdd0\t\r\n \ud7ff\ue000\ufffd": [0.1, 0.2],
            "\U00010000\U0010ffff": [0.2, 0.3],
        }
    )
    assert "<svg" in explorer.page()


@grid(
    ("call", "named"),
    [
        (lambda: explore.tuning({"a": [1.0]}), "pools must be a dict of two systems"),
        (
            lambda: explore.tuning({"a": [1.0], "b": [1.0], "c": [1.0]}),
            "pools must be a dict of two systems",
        ),
        (lambda: explore.tuning([[1.0], [2.0]]), "pools must be a dict of two systems"),
        (
            lambda: explore.tuning({1: [0.5], "1": [0.6]}),
            "pools must be a dict of two systems",
        ),
        (
            lambda: explore.tuning(recorded=SEARCH, seconds={"a": 1.0}),
            "seconds are those of your own pools",
        ),
        (
            lambda: explore.tuning(
                {"a": [1.0], "b": [2.0]}, seconds={"a": 0.0, "b": 1.0}
            ),
            "seconds",
        ),
        (
            lambda: explore.tuning({"a": [1.0], "b": [2.0]}, seconds={"a": 1.0}),
            "seconds",
        ),
        (
            lambda: explore.tuning(
                {"a": [1.0], "b": [2.0]}, seconds={1: 1.0, "1": 2.0}
            ),
            "seconds",
        ),
        (
            lambda: explore.jkfold([[0.5, 0.6]]),
            "scores must hold at least two partitions",
        ),
        (
            lambda: explore.jkfold(np.eye(3), settings=["a", "b"]),
            "settings must be a list, one for each of the 3",
        ),
        (lambda: explore.jkfold(np.eye(2), settings="ab"), "settings must be a list"),
        (
            lambda: explore.jkfold(np.eye(2), settings=["a", "a"]),
            "settings must have names that differ",
        ),
        (
            lambda: explore.jkfold(np.eye(2), settings=["a", "\x07"]),
            "a name in settings must have characters",
        ),
        (
            lambda: explore.jkfold(recorded=GRIDS, settings=["a", "b"]),
            "settings name the columns of your own scores",
        ),
        (
            lambda: explore.tuning(recorded=SEARCH[:0]),
            "recorded must have rows, got none",
        ),
        (
            lambda: explore.tuning(recorded=SEARCH.assign(system="lstm")),
            "recorded must have the systems lstm and mlp, got",
        ),
        (
            lambda: explore.jkfold(recorded=SEARCH),
            "recorded must be a dict with the tables searches, truth",
        ),
        (
            lambda: explore.jkfold(recorded=GRIDS | {"truth": SEARCH}),
            r"recorded\['truth'\] must have the columns",
        ),
        (
            lambda: explore.jkfold([0.5, 0.6]),
            "scores must hold at least two partitions",
        ),
        (lambda: explore.jkfold(iter([[0.5]])), "scores must be a matrix"),
        (
            lambda: explore.baselines(["a", "a"]),
            "labels must hold at least two classes",
        ),
        (lambda: explore.baselines([]), "labels"),
        (
            lambda: explore.tuning({"a": np.zeros(5001), "b": [0.5]}),
            "pools hold up to 5,001",
        ),
        (lambda: explore.jkfold(np.zeros((1001, 1000))), "scores are 1,001 partitions"),
        (
            lambda: explore.jkfold(np.zeros((2, 1001))),
            "scores are 2 partitions of 1,001 settings",
        ),
        (lambda: explore.baselines(range(5001)), "labels have 5,001 classes"),
    ],
)
def test_what_cannot_be_shown_is_refused(call, named):
    with pytest.raises((TypeError, ValueError), match=f"^{named}"):
        call()


@grid(
    "call",
    [
        lambda: explore.tuning({"a": np.zeros(5000), "b": [0.5]}),
        lambda: explore.jkfold(np.zeros((2, 1000))),
        lambda: explore.baselines([*range(5000)]),
    ],
)
def test_as_much_as_it_says_is_taken(call):
    assert call().controls
