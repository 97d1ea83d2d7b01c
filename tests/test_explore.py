"""The explorers: what a page stores is what a fresh call returns, and the numbers are right."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from sklearn.dummy import DummyClassifier
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score

from evalkit import expected_max, explore, mcnemar, recorded, t_interval
from evalkit.experiments import grids
from evalkit.explore import _baselines, _core, _jkfold, _seeds

NAMES = sorted(name for name in explore.__all__ if name != "VEGALITE")
explorers = pytest.mark.parametrize("name", NAMES)


@pytest.fixture(scope="module")
def pages():
    return {name: getattr(explore, name)().page() for name in NAMES}


def stored(page):
    return json.loads(re.search(r'<script type="application/json">(.*?)</script>', page).group(1))


@explorers
def test_a_page_stores_what_a_fresh_call_returns(name, pages):
    explorer, data = getattr(explore, name)(), stored(pages[name])
    settings = list(explorer.settings())
    assert len(settings) == len(data["states"]) == len(data["sentences"]) >= 20
    for i in np.random.default_rng(0).permutation(len(settings))[:40]:
        shown = explorer.show(**settings[i])
        assert data["sentences"][i] == shown.sentence
        for column, place in zip(data["columns"], data["states"][i], strict=True):
            assert data["arrays"][place] == [_core.rounded(v) for v in shown.rows[column]]


@explorers
def test_a_page_is_light_and_self_contained(name, pages):
    page = pages[name]
    assert len(page.encode()) < 300_000
    assert "http" not in re.sub(r"https?://(vega\.github\.io|www\.w3\.org)/[^\"']*", "", page)


def test_a_name_ends_no_script_and_opens_no_tag():
    name = "<!--<script></script><b> & co"
    page = explore.tuning({name: np.linspace(0, 1, 30), "B": np.linspace(0, 1, 20)}).page()
    assert name in str(stored(page)["arrays"])
    assert "<!--" not in page
    assert "<b>" not in page
    assert page.count("<script") == page.count("</script") == 1


@pytest.mark.parametrize("character", ["\x07", "\x00", "\x0b", "\ud800", "\ufffe", "\uffff"])
def test_a_character_that_no_image_holds_is_refused(character):
    # vl-convert would end the process.
    with pytest.raises(ValueError, match="^a name in pools must have characters that can be drawn"):
        explore.tuning({f"a{character}": [0.1, 0.2], "b": [0.2, 0.3]})
    rows = pd.DataFrame({"dummy": [character], "score": [0.5]})
    explorer = explore.baselines()
    with pytest.raises(ValueError, match="^dummy must have"):
        explorer.spec(rows)


def test_every_other_character_is_drawn():
    explorer = explore.tuning({"a\x7f\x85\ufdd0\t\r\n": [0.1, 0.2], "\U0010ffff": [0.2, 0.3]})
    assert "<svg" in explorer.page()


def test_what_stands_beside_a_slider_is_what_the_control_says():
    control = _core.Control("n", "n", (1, 2), 1, text=lambda n: f"{n} < 3")
    field = BeautifulSoup(explore.mcnemar()._field(control), "html.parser")
    assert field.output.text == field.input["aria-valuetext"] == "1 < 3"
    assert json.loads(field.input["data-texts"]) == ["1 < 3", "2 < 3"]


@explorers
def test_every_control_has_a_label_of_its_own(name, pages):
    fields = re.findall(r'<(?:input|select)[^>]* id="([^"]+)"', pages[name])
    assert sorted(fields) == sorted(re.findall(r'<label for="([^"]+)"', pages[name]))
    assert len(set(fields)) == len(fields) == len(getattr(explore, name)().controls)


@explorers
def test_sentences_differ_where_the_settings_do(name):
    explorer = getattr(explore, name)()
    said = [explorer.show(**setting).sentence for setting in explorer.settings()]
    assert len(set(said)) == len(said)
    assert not any("nan" in s.split() or "  " in s for s in said)


@explorers
def test_the_live_form_moves(name):
    pytest.importorskip("ipywidgets")
    box = getattr(explore, name)().live()
    *fields, figure = box.children
    before = figure.value
    for field in fields:
        top = field.max if hasattr(field, "max") else field.options[-1][1]
        if field.value != top:
            field.value = top
            assert "<svg" in figure.value
            assert figure.value != before
            before = figure.value


@pytest.mark.parametrize("p", [(0.85, 0.15), (0.5, 0.3, 0.2)])
def test_dummies_score_what_scikit_learn_says(p):
    rng, shares = np.random.default_rng(0), np.array(p)
    y = rng.choice(len(p), 200_000, p=p)
    strategies = {
        "most frequent": DummyClassifier(strategy="most_frequent"),
        "stratified": DummyClassifier(strategy="stratified", random_state=0),
        "uniform": DummyClassifier(strategy="uniform", random_state=0),
        "always the rarest": DummyClassifier(strategy="constant", constant=len(p) - 1),
    }
    scorers = {
        "accuracy": accuracy_score, "balanced accuracy": balanced_accuracy_score,
        "macro F1": lambda t, p: f1_score(t, p, average="macro", zero_division=0),
        "F1 of the rarest class": lambda t, p: f1_score(t, p, average=None, zero_division=0)[-1],
    }  # fmt: skip
    assert set(scorers) == set(_baselines.METRICS)
    for metric, scorer in scorers.items():
        shown = _baselines.show(shares, metric=metric).rows.set_index("dummy").score
        for strategy, dummy in strategies.items():
            predicted = dummy.fit(y[:, None], y).predict(y[:, None])
            assert shown[strategy] == pytest.approx(scorer(y, predicted), abs=0.005)


def test_p_values_are_those_of_the_tests():
    shown = explore.mcnemar().show(a_only=8, b_only=2)
    methods = ("exact", "mid-p", "chi2", "chi2-corrected")
    assert shown.rows.pvalue.tolist() == [mcnemar(8, 2, method=method).pvalue for method in methods]


def test_more_seeds_err_less():
    scores = _seeds._scores("LSTM")
    for count in (1, 5, 30):
        spread = np.std(scores) * np.sqrt(2 / count)
        assert np.std(_seeds._difference(scores, count)) == pytest.approx(spread, rel=0.03)
    wrong = [float((0.5 + _seeds._difference(scores, count) < 0).mean()) for count in (1, 5, 30)]
    assert wrong == sorted(wrong, reverse=True)


def test_what_lies_beyond_the_axis_is_collected_at_its_ends():
    rows = explore.seeds().show(network="LSTM", count=1, gain=3.0).rows
    assert rows.share.sum() == pytest.approx(1)
    assert set(rows.winner[rows.high <= 0]) == {"A ahead"}
    assert set(rows.winner[rows.low >= 0]) == {"B ahead"}


@pytest.mark.parametrize(("name", "task"), _jkfold.TASKS.items())
def test_a_search_costs_what_the_items_of_a_sample_cost(name, task):
    fits = len(grids.sample_items(task, 0)) * 4 * 81  # of 5 folds, each model sees 4, in each setting
    shown = explore.jk_fold().show(task=name, j=1, k=5)
    assert f"405 fits on {fits:,} items" in shown.sentence


def test_u_has_no_answer_above_the_size():
    shown = explore.expected_max().show(pool="LSTM", size=10, n=15)
    assert "no answer" in shown.sentence
    assert shown.rows.u.isna().tolist() == [False] * 10 + [True] * 5
    assert len(shown.rows) == 15


def test_a_kernel_takes_settings_between_those_of_the_page():
    assert "N = 33" in explore.expected_max().show(pool="LSTM", size=33, n=7).sentence
    assert "on 7 items" in explore.mcnemar().show(a_only=7, b_only=333).sentence
    assert "11 trials each" in explore.tuning().show(unit="trials", trials=11).sentence


def test_own_runs_take_the_place_of_ours():
    scores = np.linspace(0.6, 0.8, 12)
    shown = explore.expected_max(scores).show(n=4)
    assert shown.rows.u.iloc[3] == pytest.approx(expected_max(scores, 4))
    assert "your 12 runs" in shown.sentence
    matrix = np.random.default_rng(0).random((20, 5))
    assert explore.jk_fold(matrix).show(j=2).rows.share.sum() == pytest.approx(1)
    shown = explore.intervals(scores).show(level=0.9).rows.set_index("interval")
    assert tuple(shown.loc["t", ["low", "high"]]) == pytest.approx(
        tuple(t_interval(scores, confidence_level=0.9))
    )
    shown = explore.baselines(["yes"] * 9 + ["no"]).show(metric="accuracy").rows
    assert shown.score.tolist() == pytest.approx([0.9, 0.82, 0.5, 0.1])
    assert "B truly better by 0.50" in explore.seeds(100 * scores).show(count=2, gain=0.5).sentence
    pools = {"old": scores, "new": scores + 0.1}
    shown = explore.tuning(pools, seconds={"old": 1, "new": 3}).show(unit="seconds", trials=6)
    assert "6 of old and 2 of new" in shown.sentence
    assert (
        "new cannot pay"
        in explore.tuning(pools, seconds={"old": 1, "new": 3}).show(unit="seconds", trials=1).sentence
    )


def test_losses_are_judged_as_losses():
    pools = {"good": [0.1, 0.11, 0.12], "bad": [0.5, 0.6, 0.7]}
    said = explore.tuning(pools, minimize=True).show(trials=2).sentence
    assert "good wins with probability 100%" in said


def test_own_seeds_scatter_as_new_seeds_would():
    scores = np.random.default_rng(0).normal(size=5)
    explorer = explore.seeds(scores)
    found = np.std(_seeds._difference(explorer.show.args[0], 1)) / np.sqrt(2)
    assert found == pytest.approx(np.std(scores, ddof=1), rel=0.03)


def test_partitions_of_ones_own_are_compared_apart():
    # Four partitions that choose four settings never agree.
    assert "same setting 0% of the time" in explore.jk_fold(np.eye(4)).show(j=1).sentence
    # And independent ones agree as often as their choices coincide.
    matrix = np.random.default_rng(1).random((400, 3))
    assert _jkfold._compare_apart(matrix, 1) == pytest.approx(1 / 3, abs=0.02)


def test_digits_that_differ_are_said():
    said = explore.intervals([1000.01, 1000.02, 1000.03]).show(level=0.95).sentence
    assert "mean of your 3 runs is 1,000.0200" in said
    said = explore.expected_max([12346.1, 12346.2, 12346.4], bounds=[0, 20_000]).show(n=2).sentence
    assert "12,346.333 by U and 12,346.300 by V" in said


def test_own_runs_are_drawn():
    scores = np.linspace(0.6, 0.8, 12)
    own = [
        explore.expected_max(scores), explore.intervals(scores), explore.baselines(["a", "b"]),
        explore.seeds(scores), explore.tuning({"old": scores, "new": scores[:5]}),
        explore.jk_fold(np.random.default_rng(0).random((20, 5))),
    ]  # fmt: skip
    for explorer in own:
        assert "<svg" in explorer.live().children[-1].value


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: explore.expected_max([0.5, np.nan]), "scores"),
        (lambda: explore.expected_max([0.5, 1.5]), "bounds"),
        (lambda: explore.intervals([0.5]), "scores"),
        (lambda: explore.seeds([0.5, 0.5]), "scores"),
        (lambda: explore.tuning({"a": [1.0]}), "two systems"),
        (lambda: explore.tuning([[1.0], [2.0]]), "two systems"),
        (lambda: explore.tuning(seconds={"a": 1.0}), "pools"),
        (lambda: explore.tuning({"a": [1.0], "b": [2.0]}, seconds={"a": 0.0, "b": 1.0}), "seconds"),
        (lambda: explore.seeds([0.7, 0.7, 0.7]), "scores"),
        (lambda: explore.jk_fold([[0.5, 0.6]]), "two partitions"),
        (lambda: explore.baselines(["a", "a"]), "two classes"),
        (lambda: explore.tuning({"a": [1.0], "b": [2.0]}, seconds={"a": 1.0}), "seconds"),
        (lambda: explore.jk_fold([0.5, 0.6]), "scores"),
        (lambda: explore.baselines([]), "labels"),
    ],
)
def test_own_runs_that_cannot_be_taken_are_refused(call, named):
    with pytest.raises(ValueError, match=named):
        call()


def test_a_start_must_be_one_of_the_values():
    with pytest.raises(ValueError, match="start of n"):
        _core.Control("n", "n", (1, 2), 3)


def test_recorded_simulations_agree_with_theory():
    table = recorded.load_recorded("explorers", "intervals").set_index(["shape", "size"])
    for size in (2, 5, 50):
        line = table.loc["normal", size]
        assert abs(line.held_t / line.samples - 0.95) < 4 * np.sqrt(0.95 * 0.05 / line.samples)


def test_a_slider_over_many_runs_stops_at_some_of_them():
    assert _core.stops(60) == tuple(range(1, 61))
    many = _core.stops(5000)
    assert (many[0], many[-1], len(many) <= 60) == (1, 5000, True)
    control = explore.expected_max(np.random.default_rng(0).random(500)).controls[0]
    assert control.live == range(1, 501)
    assert control.start in control.values == _core.stops(500)


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: explore.expected_max(np.zeros(5001)), "scores has 5,001"),
        (lambda: explore.intervals(np.arange(5001.0)), "scores has 5,001"),
        (lambda: explore.seeds(np.arange(100_001.0)), "scores has 100,001"),
        (lambda: explore.tuning({"a": np.zeros(5001), "b": [0.5]}), "pools hold up to 5,001"),
        (lambda: explore.jk_fold(np.zeros((1001, 1000))), "scores are 1,001 partitions"),
        (lambda: explore.baselines(range(5001)), "labels have 5,001 classes"),
        (lambda: explore.tuning({1: [0.5], "1": [0.6]}), "pools must be a dict of two systems"),
        (lambda: explore.jk_fold(iter([[0.5]])), "scores must be a matrix"),
    ],
)
def test_what_a_page_cannot_hold_is_refused(call, named):
    with pytest.raises((TypeError, ValueError), match=f"^{named}"):
        call()


def test_partitions_of_ones_own_tie_as_whole_numbers_do():
    thousandths = np.random.default_rng(0).integers(800, 804, (12, 3))
    for scores in (thousandths / 1000, (thousandths / 1000).astype(np.float32)):
        assert _jkfold._compare_apart(scores, 3) == _jkfold._compare_apart(thousandths.astype(float), 3)
