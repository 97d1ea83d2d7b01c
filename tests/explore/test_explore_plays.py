"""Explorers that draw, without a browser: what their page holds, what a notebook gets,
what is refused.
"""

import base64
import json
import re

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from chapter_explorers import NAMES as PLAYS
from chapter_explorers import OWN_ANSWERS, chapter_explorer
from grids import grid

from evalkit import explore, plots
from evalkit.explore._play import ASSETS, SCRIPTS

SCORES = np.linspace(0.6, 0.8, 12)
OWN = {
    "expected_maximum": lambda: explore.expected_maximum(SCORES),
    "intervals": lambda: explore.intervals(SCORES),
    "leaderboards": lambda: explore.leaderboards(OWN_ANSWERS),
    "mcnemar": lambda: explore.mcnemar(9, 3),
    "seeds": lambda: explore.seeds(SCORES),
}
EVERY = [
    *((name, chapter_explorer(name)) for name in PLAYS),
    *((f"own {name}", call()) for name, call in OWN.items()),
]
every = grid("play", [play for _, play in EVERY])


def content(play):
    return json.loads(
        BeautifulSoup(play.page(), "html.parser")
        .find("script", type="application/json")
        .string
    )


@every
def test_a_page_is_light_and_needs_nothing_from_elsewhere(play):
    page = play.page()
    assert len(page.encode()) <= 150_000
    assert "http" not in page
    assert page.count("<script") == page.count("</script") == 1


@every
def test_each_field_has_a_label(play):
    figure = BeautifulSoup(play.page(), "html.parser").figure
    fields = figure.find_all(["input", "select"])
    assert [field["id"] for field in fields] == [
        label["for"] for label in figure.find_all("label")
    ]
    assert (figure.find(class_="play-guess") is None) == (play.guess is None)


@every
def test_its_sentences_have_words_for_all_that_they_name(play):
    words = content(play)["words"]
    computed = {
        "best": {"truth"},
        "boards": {"crowned"},
        "coins": {"exact", "mid-p", "chi2", "chi2-corrected"},
    }.get(play.game, set())
    named = set(re.findall(r"\{([\w-]+)\}", words["sentence"] + words.get("later", "")))
    assert named <= {control.name for control in play.controls} | computed | {"draws"}
    if play.guess and play.guess.of != "mark":
        assert play.guess.of in words["kinds"]


@every
def test_its_colours_are_the_books(play):
    assert set(content(play)["colours"].values()) <= set(plots.COLOURS.values())


@every
def test_every_word_and_number_is_written_as_the_book_does(play):
    text = json.dumps(content(play)["words"], ensure_ascii=False)
    assert not re.search(r"\d%| -\d|nan", text)


def test_a_document_holds_its_scripts_and_its_style():
    document = explore.mcnemar().document()
    for name in (*SCRIPTS, "play.css"):
        assert (ASSETS / name).read_text(encoding="utf-8").replace(
            "</", "<\\/"
        ) in document
    assert not re.search(r"""(?:src|href)=["']""", document)


def test_a_notebook_has_a_frame_and_the_book_a_figure(monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", shown.append)
    monkeypatch.delenv("EVALKIT_BOOK", raising=False)
    play = explore.mcnemar(9, 3)
    play._ipython_display_()
    monkeypatch.setenv("EVALKIT_BOOK", "1")
    play._ipython_display_()
    frame = BeautifulSoup(shown[0].data, "html.parser").iframe
    assert frame["srcdoc"] == play.document()
    assert frame["title"] == play.title
    assert shown[1].data == play.page()


def test_ones_own_scores_are_what_is_drawn_from():
    assert content(explore.intervals(SCORES))["data"]["scores"] == SCORES.tolist()
    assert content(explore.expected_maximum(SCORES))["data"]["pools"][""][
        "scores"
    ] == pytest.approx(SCORES)
    own = np.array(content(explore.seeds(SCORES))["data"]["networks"][""]["scores"])
    assert own.std() == pytest.approx(SCORES.std(ddof=1))  # as far apart as new seeds
    assert own.mean() == pytest.approx(SCORES.mean())
    assert content(explore.seeds([0.6, 0.7]))["data"]["networks"]  # two are enough
    start = explore.mcnemar(a_only=9, b_only=3).start
    assert start == {"a_only": 9, "b_only": 3}


def test_a_table_of_ones_own_goes_from_its_last_system_to_its_first():
    # 1, 2, 2 and 3 of 4; the second is ahead.
    table = [
        [0, 1, 1, 1],
        [0, 1, 0, 1],
        [1, 0, 1, 1],
        [0, 0, 0, 0],
    ]
    play = explore.leaderboards(table)
    own = content(play)["data"]["own"]
    bits = np.unpackbits(
        np.frombuffer(base64.b64decode(own["correct"]), np.uint8), count=16
    )
    assert own["truths"] == [25, 50, 50, 75]
    assert bits.reshape(own["n_items"], 4).tolist() == [
        [row[i] for i in (0, 2, 1, 3)] for row in table
    ]
    (items,) = play.controls
    assert (items.values, items.start) == ((1, 2, 4, 8, 16), 4)


def test_constants_have_axes_too():
    for play in (explore.intervals([0.7] * 5), explore.expected_maximum([0.7] * 5)):
        data = content(play)["data"]
        low, high = data["axis"] if "axis" in data else data["pools"][""]["axis"]
        assert low < high


SEARCH = pd.DataFrame({"system": ["lstm", "mlp"], "validation": [0.6, 0.5]})


@grid(
    ("call", "named"),
    [
        (lambda: explore.expected_maximum([0.5, np.nan]), "scores"),
        (lambda: explore.expected_maximum([0.5], minimize="no"), "minimize"),
        (lambda: explore.expected_maximum(np.zeros(5001)), "scores has 5,001"),
        (
            lambda: explore.expected_maximum(recorded=SCORES),
            "recorded must be a DataFrame",
        ),
        (
            explore.expected_maximum,
            "recorded must be the table with columns system, validation",
        ),
        (lambda: explore.intervals([0.5]), "scores"),
        (lambda: explore.intervals(np.arange(5001.0)), "scores has 5,001"),
        (lambda: explore.seeds([0.5]), "scores"),
        (
            lambda: explore.seeds([0.7, 0.7, 0.7]),
            "scores must differ from seed to seed, got 3 times 0.7",
        ),
        (lambda: explore.seeds(np.arange(5001.0)), "scores has 5,001"),
        (
            lambda: explore.seeds(SCORES, recorded=SEARCH),
            "give either scores or recorded",
        ),
        (
            lambda: explore.seeds(recorded=SEARCH),
            "recorded must have the columns system, test; it lacks test",
        ),
        (
            lambda: explore.seeds(
                recorded=SEARCH.assign(test=0.5),
                correct={"lstm": [[True], [True]], "mlp": [[True]]},
            ),
            r"correct\['lstm'\] must have a row for each of the 1 seeds",
        ),
        (lambda: explore.seeds(SCORES, correct={}), "correct goes with recorded"),
        (explore.splits, "recorded must be the tables divided, outside"),
        (
            explore.papers,
            "recorded must be the table with columns system, validation, test",
        ),
        (lambda: explore.leaderboards([[1, 0.5]]), "correct must hold True and False"),
        (lambda: explore.leaderboards([[np.nan, 1]]), "correct must be finite"),
        (
            lambda: explore.leaderboards([[1], [0]]),
            r"correct must have a row .* got shape \(2, 1\)",
        ),
        (
            lambda: explore.leaderboards([1, 0]),
            r"correct must have a row .* got shape \(2,\)",
        ),
        (
            lambda: explore.leaderboards(np.ones((20_001, 10))),
            "correct has 200,010 answers",
        ),
        (lambda: explore.intervals([1e80, 1.0]), "scores must be 0 or between"),
        (lambda: explore.mcnemar(1001, 0), "a_only"),
        (lambda: explore.mcnemar(0, -1), "b_only"),
        (lambda: explore.mcnemar(0.5, 1), "a_only"),
    ],
)
def test_what_cannot_be_drawn_is_refused(call, named):
    with pytest.raises((TypeError, ValueError), match=f"^{named}"):
        call()


@grid("call", [explore.expected_maximum, explore.intervals, explore.seeds])
def test_as_much_as_it_says_is_taken(call):
    assert call(np.linspace(0, 1, 5000)).controls


def test_as_many_answers_as_it_says_are_taken():
    assert (
        len(explore.leaderboards(np.ones((20_000, 10), bool)).page().encode()) < 150_000
    )
