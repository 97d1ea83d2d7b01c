"""Explorers without a browser: what their page holds, what a kernel gets, what is
refused.
"""

import base64
import json
import re

import ipywidgets
import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from chapter_explorers import NAMES, OTHERS, ROOT, chapter_of, plays
from grids import grid

from evalkit import explore, plots
from evalkit.explore import _words
from evalkit.explore._luck import Luck
from lab.record import tables

EVERY = [*NAMES, *OTHERS]
every = grid("name", EVERY)
SCORES = np.linspace(0.6, 0.8, 12)
# What JavaScript computes for sentences, by game.
COMPUTED = {
    "best": {"truth"},
    "boards": {"crowned"},
    "coins": {"exact", "mid-p", "chi2", "chi2-corrected"},
    "grid": {"cost"},
    "papers": {"n_a", "n_b"},
    "pairs": {"first", "second"},
    "seeds": {"first", "second"},
    "classes": {"floor", "half"},
}


def figure_of(name):
    return BeautifulSoup(plays(name).page(), "html.parser").figure


def content(play):
    return json.loads(
        BeautifulSoup(play.page(), "html.parser")
        .find("script", type="application/json")
        .string
    )


@every
def test_a_page_is_light_and_needs_nothing_from_elsewhere(name):
    page = plays(name).page()
    assert len(page.encode()) <= 240_000
    assert "http" not in re.sub(r'="http://www.w3.org/[^"]*"', "", page)
    assert page.count("<script") == page.count("</script") == 1


@every
def test_each_field_has_a_label_and_the_guess_a_question(name):
    figure = figure_of(name)
    fields = figure.find_all(["input", "select"])
    assert [field["id"] for field in fields] == [
        label["for"] for label in figure.find_all("label")
    ]
    assert figure.find(class_="play-guess").label.text.startswith("Guess")


@every
def test_its_words_are_there_for_all_that_they_name(name):
    play = plays(name)
    named = set(re.findall(r"\{([\w-]+)\}", json.dumps(content(play)["words"])))
    known = {control.name for control in play.controls} | COMPUTED.get(play.game, set())
    assert named <= known
    told = content(play)["guess"]
    said = {*re.findall(r"\{([\w-]+)\}", told["says"])}
    assert {"truth"} <= said <= known | {"truth"}
    for series in play.law.series:
        assert series.lane in play.words["lanes"]
        assert series.kind is None or series.kind in play.words["kinds"]


@every
def test_its_picture_is_there_before_any_script(name):
    figure = figure_of(name)
    for part in ("picture", "law"):
        box = figure.find(class_=f"play-{part}")
        assert box.svg["aria-hidden"] == "true"
        assert box["role"] == "img"
        assert box["aria-label"]
    play = plays(name)
    sentence = figure.find(class_="play-sentence").text
    assert sentence == play.sentence(play.start, play.drawn())
    assert "nan" not in sentence


@every
def test_its_colours_are_the_books(name):
    held = content(plays(name))
    assert {*held["colours"].values(), *held["law"]["colours"]} <= set(
        plots.COLOURS.values()
    )


@every
def test_every_word_and_number_is_written_as_the_book_does(name):
    words = content(plays(name))["words"]
    words.pop("cells", None)  # a reader's own names
    assert not re.search(r"\d%| -\d|nan", json.dumps(words, ensure_ascii=False))


@every
def test_what_to_do_is_one_line(name):
    assert len(plays(name).ask) <= 78


@every
def test_the_chart_runs_along_a_control_or_where_the_game_says(name):
    play = plays(name)
    law = play.law
    if law.x is None:
        assert set(law.free) <= set(play.start)
        assert play.place(play.start) in {x for x, _ in play.path(play.start)}
        return
    (control,) = (control for control in play.controls if control.name == law.x)
    assert law.stops == tuple(control.values)
    assert play.guess.at in law.stops
    if law.by:
        (by,) = (control for control in play.controls if control.name == law.by)
        assert len(law.by_names) == len(by.values)


@every
def test_a_kernel_gets_a_form_for_any_value_and_the_book_a_page(name, monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda what, **_: shown.append(what))
    monkeypatch.delenv("EVALKIT_BOOK", raising=False)
    plays(name)._ipython_display_()
    # Who only reads the notebook has the picture.
    assert shown[0]["image/png"][:4] == b"\x89PNG"
    assert "application/vnd.jupyter.widget-view+json" in shown[0]
    monkeypatch.setenv("EVALKIT_BOOK", "1")
    plays(name)._ipython_display_()
    assert shown[1].data == plays(name).page()


def form_of(play):
    from evalkit.explore._form import form

    *fields, buttons, figure = form(play).children
    names = [control.name for control in play.controls]
    acts = {button.description: button for button in buttons.children}
    return dict(zip(names, fields, strict=True)), acts, figure


def told(play, setting, seed=0, draws=100):
    """The sentence of a form, computed afresh."""
    ends = play.point(setting, seed=seed, draws=draws)
    drawn = play.drawn(setting, seed=seed, draws=draws)
    first = next(iter(ends.values()))
    return f"{first[0]:.4g} ({first[1]:.4g} to {first[2]:.4g})", play.sentence(
        setting, drawn
    )


@every
def test_the_form_says_what_a_fresh_call_returns_between_the_stops_too(name):
    play = plays(name)
    fields, acts, figure = form_of(play)
    for control in play.controls:
        field = fields[control.name]
        assert (field.value, field.description) == (control.start, control.label)
        if control.is_slider or control.typed:
            ends = control.live or (control.values[0], control.values[-1], 1)
            low, high, step = ends
            assert (field.min, field.max) == (low, high)
            assert min(control.values) >= low
            between = low + step * round(0.43 * (high - low) / step)
            field.value = min(between, 60) if isinstance(step, int) else between
        else:
            assert isinstance(field, ipywidgets.RadioButtons)
            field.value = field.options[-1][1]
    setting = {control: field.value for control, field in fields.items()}
    assert told(play, setting, play.seed)[0] in figure.value
    acts["Draw 100"].click()
    text = BeautifulSoup(figure.value, "html.parser").text
    for part in told(play, setting, play.seed, 200):
        assert part in text
    acts["New luck"].click()
    text = BeautifulSoup(figure.value, "html.parser").text
    for part in told(play, setting, play.seed + 1, 200):
        assert part in text
    assert figure.value.count("<img") == 2


def test_a_form_shows_its_curve_and_forgets_its_points():
    fields, acts, figure = form_of(plays("expected_maximum"))
    seen = [figure.value]
    for label in ("Curve", "Clear", "Curve"):
        acts[label].click()
        seen.append(figure.value)
    fields["n"].value = 17
    seen.append(figure.value)
    acts["Clear"].click()
    seen.append(figure.value)
    assert len(set(seen)) == 4 + 0  # begun, with a curve, at 17, and 17 alone


def test_ones_own_scores_are_what_is_drawn_from():
    assert explore.intervals(SCORES).data["scores"] == SCORES.tolist()
    best = explore.expected_maximum(SCORES).data["pools"][""]
    assert best["scores"] == pytest.approx(SCORES)
    own = np.array(explore.seeds(SCORES).data["pools"]["your system"]["scores"])
    assert own.std() == pytest.approx(SCORES.std(ddof=1))  # as far apart as new seeds
    assert own.mean() == pytest.approx(SCORES.mean())
    assert explore.seeds([0.6, 0.7]).controls  # two are enough
    assert explore.mcnemar(a_only=9, b_only=3).start == {"a_only": 9, "b_only": 3}
    assert explore.baselines([*"aaab"]).start["share"] == 75
    searches = explore.tuning({"old": SCORES, "new": SCORES[:5]})
    assert searches.data["pools"]["a"]["validation"] == SCORES.tolist()


def test_the_dearer_of_two_searches_is_the_one_whose_trials_are_counted():
    pools = {"cheap": SCORES, "dear": SCORES}
    play = explore.tuning(pools, seconds={"cheap": 1.0, "dear": 2.5})
    assert play.controls[0].label == "Trials of dear"
    words = play.drawn({"trials": 4, "unit": "seconds"}).words
    assert (words["n_a"], words["n_b"]) == (4, 10)


def test_a_table_of_ones_own_goes_from_its_last_system_to_its_first():
    # 1, 2, 2 and 3 of 4; the second is ahead.
    table = [
        [0, 1, 1, 1],
        [0, 1, 0, 1],
        [1, 0, 1, 1],
        [0, 0, 0, 0],
    ]
    play = explore.leaderboards(table)
    own = play.data["own"]
    bits = np.unpackbits(
        np.frombuffer(base64.b64decode(own["correct"]), np.uint8), count=16
    )
    assert own["truths"] == [25, 50, 50, 75]
    assert bits.reshape(own["rows"], 4).tolist() == [
        [row[i] for i in (0, 2, 1, 3)] for row in table
    ]
    (items,) = play.controls
    assert (items.values, items.start) == ((1, 2, 4, 8, 16), 4)


def test_the_twin_has_the_numbers_of_the_script():
    # evalkitGames.chance(3, 2), three times, in a browser.
    wanted = [0.8874403206864372, 0.07755992433521897, 0.8873850227100775]
    assert Luck(3, 1, first=2).take(3)[0] == pytest.approx(wanted, abs=1e-15)
    assert Luck(3, 5).take(3)[1] == pytest.approx(wanted, abs=1e-15)


def test_what_a_setting_of_the_grid_is_worth_is_the_share_right_on_new_items():
    truth = tables.load_recorded("grids", "truth").query("`sample` == 0")
    for name, key in (
        ("docstring lines", "docstrings"),
        ("handwritten digits", "digits"),
    ):
        (row,) = truth[truth.task == key].itertuples()
        counts = [int(count) for count in row.right.split()]
        worth = plays("jkfold").data["tasks"][name]["worth"]
        assert worth == pytest.approx([100 * n / row.items for n in counts], abs=0.005)


def test_rows_on_an_axis_of_their_own_have_its_numbers_once():
    picture = figure_of("papers").find(class_="play-picture")
    texts = [text.text.strip() for text in picture.find_all("text")]
    assert [texts.count(number) for number in ("30", "50", "70")] == [1, 1, 1]


SAID = {
    "baselines": ("95 % of the common ones right and 45 %", {"common": 95, "rare": 45}),
    "leaderboards": (
        "Ten systems, half a point from one to the next, and 500 items",
        {"systems": 10, "gap": 0.5, "items": 500},
    ),
    "mcnemar": (
        "A alone gets 15 of them right, B alone 6",
        {"a_only": 15, "b_only": 6},
    ),
}


def test_what_a_page_says_of_the_first_setting_is_so():
    for name, (words, setting) in SAID.items():
        page = (ROOT / "book" / f"{chapter_of(name)}.md").read_text(encoding="utf-8")
        assert words in " ".join(page.split())
        assert setting.items() <= plays(name).start.items()
    runs = plays("expected_maximum").data["pools"]["LSTM"]["scores"]
    assert len(runs) == 200  # "All 200 runs"


def test_first_draws_are_chosen_where_the_book_says_so_and_nowhere_else():
    chosen = {"mcnemar", "jkfold", "leaderboards"}
    assert {n for n in NAMES if plays(n).seed} == chosen


def test_constants_have_axes_too():
    for play in (explore.intervals([0.7] * 5), explore.expected_maximum([0.7] * 5)):
        low, high = play.drawn().axis
        assert low < high
    assert explore.tuning({"a": [0.5, 0.5], "b": [0.5, 0.5]}).page()


def test_decimals_show_three_digits_of_a_spread():
    assert [_words.decimals(spread) for spread in (1, 0.02, 10_000, 0, 1e-40)] == [
        2,
        4,
        0,
        6,
        15,
    ]


def test_a_name_ends_no_script_and_opens_no_tag():
    name = "<!--<script></script><b> & co"
    page = explore.tuning({name: SCORES, "B": SCORES[:5]}).page()
    assert "<!--" not in page
    assert "<b>" not in page
    assert page.count("<script") == page.count("</script") == 1


SEARCH = pd.DataFrame(
    {"system": ["lstm", "mlp"], "validation": [0.6, 0.5], "seconds": [9.0, 2.0]}
)
BOTH = SEARCH.assign(test=0.5)
TABLE = pd.DataFrame({"x": [True, False]})
REFUSED = {
    "scores must be finite": [lambda: explore.expected_maximum([0.5, np.nan])],
    "minimize": [lambda: explore.expected_maximum([0.5], minimize="no")],
    "scores has 5,001": [
        lambda: explore.expected_maximum(np.zeros(5001)),
        lambda: explore.intervals(np.arange(5001.0)),
        lambda: explore.seeds(np.arange(5001.0)),
    ],
    "scores": [lambda: explore.intervals([0.5]), lambda: explore.seeds([0.5])],
    "scores must be 0 or between": [lambda: explore.intervals([1e80, 1.0])],
    "scores must differ from seed to seed, got 3 times 0.7": [
        lambda: explore.seeds([0.7, 0.7, 0.7])
    ],
    "recorded must be a DataFrame": [
        lambda: explore.expected_maximum(recorded=SCORES),
        lambda: explore.splits(recorded=SCORES),
    ],
    "recorded must be the table with columns": [
        explore.expected_maximum,
        explore.papers,
        explore.splits,
        explore.tuning,
    ],
    "recorded must have the columns system, test; it lacks test": [
        lambda: explore.seeds(recorded=SEARCH)
    ],
    "recorded must have rows, got none": [lambda: explore.tuning(recorded=BOTH[:0])],
    "recorded must have the systems lstm and mlp, got": [
        lambda: explore.tuning(recorded=BOTH.assign(system="lstm"))
    ],
    "recorded must be a dict with the tables partitions": [
        lambda: explore.jkfold(recorded=SEARCH)
    ],
    "give either scores or recorded": [lambda: explore.seeds(SCORES, recorded=SEARCH)],
    r"correct\['lstm'\] must have a row for each of the 1 seeds": [
        lambda: explore.seeds(
            recorded=BOTH, correct={"lstm": [[True], [True]], "mlp": [[True]]}
        )
    ],
    "correct goes with recorded": [lambda: explore.seeds(SCORES, correct={})],
    "correct must hold True and False": [lambda: explore.leaderboards([[1, 0.5]])],
    "correct must be finite": [lambda: explore.leaderboards([[np.nan, 1]])],
    "correct must have a row .* got shape": [
        lambda: explore.leaderboards([[1], [0]]),
        lambda: explore.leaderboards([1, 0]),
    ],
    "correct has 200,010 answers": [
        lambda: explore.leaderboards(np.ones((20_001, 10)))
    ],
    "correct must be a dict of two tables": [
        explore.templates,
        lambda: explore.templates({"a": TABLE}),
    ],
    r"correct\['b'\] must have the rows and columns": [
        lambda: explore.templates({"a": TABLE, "b": TABLE[:1]})
    ],
    "start must be two of the models": [
        lambda: explore.templates({"a": TABLE, "b": TABLE}, start=("a", "c")),
        lambda: explore.templates({"a": TABLE, "b": TABLE}, start="a"),
    ],
    "a_only": [
        lambda: explore.mcnemar(1001, 0),
        lambda: explore.mcnemar(0.5, 1),
    ],
    "b_only": [lambda: explore.mcnemar(0, -1)],
    "pools must be a dict of two searches": [
        lambda: explore.tuning({"a": [1.0]}),
        lambda: explore.tuning({"a": [1.0], "b": [1.0], "c": [1.0]}),
        lambda: explore.tuning([[1.0], [2.0]]),
        lambda: explore.tuning({1: [0.5], "1": [0.6]}),
    ],
    "pools hold up to 5,001": [
        lambda: explore.tuning({"a": np.zeros(5001), "b": [0.5]})
    ],
    "seconds are those of your own pools": [
        lambda: explore.tuning(recorded=BOTH, seconds={"a": 1.0})
    ],
    "seconds": [
        lambda: explore.tuning({"a": [1.0], "b": [2.0]}, seconds={"a": 0.0, "b": 1.0}),
        lambda: explore.tuning({"a": [1.0], "b": [2.0]}, seconds={"a": 1.0}),
        lambda: explore.tuning({"a": [1.0], "b": [2.0]}, seconds={1: 1.0, "1": 2.0}),
    ],
    "scores must hold at least two partitions": [
        lambda: explore.jkfold([[0.5, 0.6]]),
        lambda: explore.jkfold([0.5, 0.6]),
    ],
    "scores must be a matrix": [lambda: explore.jkfold(iter([[0.5]]))],
    "scores must be finite numbers": [lambda: explore.jkfold([[0.5, np.nan]] * 2)],
    "scores are 1,001 partitions": [lambda: explore.jkfold(np.zeros((1001, 1000)))],
    "scores are 2 partitions of 1,001": [lambda: explore.jkfold(np.zeros((2, 1001)))],
    "settings must be a list": [
        lambda: explore.jkfold(np.eye(3), settings=["a", "b"]),
        lambda: explore.jkfold(np.eye(2), settings="ab"),
    ],
    "settings must have names that differ": [
        lambda: explore.jkfold(np.eye(2), settings=["a", "a"])
    ],
    "settings name the columns of your own scores": [
        lambda: explore.jkfold(
            recorded={
                "partitions": SEARCH.assign(
                    task="digits", sample=0, k=5, partition=0, right="1"
                ),
                "truth": SEARCH.assign(task="digits", sample=0, items=1, right="1"),
                "settings": SEARCH.assign(task="digits", C=1, gamma=1),
            },
            settings=["a"],
        )
    ],
    "labels must hold at least two classes": [lambda: explore.baselines(["a", "a"])],
    "labels": [lambda: explore.baselines([])],
}


@grid(("named", "calls"), REFUSED.items())
def test_what_cannot_be_shown_is_refused(named, calls):
    for call in calls:
        with pytest.raises((TypeError, ValueError), match=f"^{named}"):
            call()


def test_as_much_as_it_says_is_taken():
    for call in (explore.expected_maximum, explore.intervals, explore.seeds):
        assert call(np.linspace(0, 1, 5000)).controls
    assert explore.leaderboards(np.ones((20_000, 10), bool)).controls
    assert explore.tuning({"a": np.zeros(5000), "b": [0.5]}).controls
    assert explore.jkfold(np.zeros((100, 1000))).controls
    many = explore.baselines([*range(5000)])
    assert many.start["share"] == 1
    assert np.isfinite(many.point(many.start)["balanced"]).all()
