"""The explorers: what a page stores is what a fresh call returns, and the numbers are right."""

import json
import re

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score

from evalkit import explore, expected_max, mcnemar, runs
from evalkit.explore import _baselines, _core, _seeds

NAMES = sorted(name for name in explore.__all__ if name != "VEGALITE")
explorers = pytest.mark.parametrize("name", NAMES)


@pytest.fixture(scope="module")
def pages():
    return {name: getattr(explore, name)().page() for name in NAMES}


def stored(page):
    return json.loads(re.search(r'<script type="application/json">(.*)</script>', page).group(1).replace("<\\/", "</"))


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
    field = fields[-1] if name != "jk_fold" else fields[1]
    field.value = field.options[-1][1] if field.value != field.options[-1][1] else field.options[0][1]
    assert "<svg" in figure.value
    assert figure.value != before


def test_dummies_score_what_scikit_learn_says():
    rng = np.random.default_rng(0)
    y = (rng.random(200_000) < 0.15).astype(int)
    strategies = {"most frequent": ("most_frequent", 0.0), "stratified": ("stratified", y.mean()), "uniform": ("uniform", 0.5)}
    scorers = {
        "accuracy": accuracy_score, "balanced accuracy": balanced_accuracy_score,
        "macro F1": lambda t, p: f1_score(t, p, average="macro", zero_division=0),
        "F1 of the rare class": lambda t, p: f1_score(t, p, zero_division=0),
    }  # fmt: skip
    for strategy, answers in strategies.values():
        predicted = DummyClassifier(strategy=strategy, random_state=0).fit(y[:, None], y).predict(y[:, None])
        for metric, scorer in scorers.items():
            assert _baselines.score(metric, y.mean(), answers) == pytest.approx(scorer(y, predicted), abs=0.004)


def test_p_values_are_those_of_the_tests():
    shown = explore.mcnemar().show(a_only=8, b_only=2)
    assert shown.rows.pvalue.tolist() == [mcnemar(8, 2, method=m).pvalue for m in shown.rows.method]


def test_more_seeds_err_less():
    wrong = [float((0.5 + _seeds._difference("LSTM", count) < 0).mean()) for count in (1, 5, 30)]
    assert wrong == sorted(wrong, reverse=True)
    assert float((_seeds._difference("LSTM", 5) < 0).mean()) == pytest.approx(0.5, abs=0.02)


def test_own_runs_take_the_place_of_the_pool():
    scores = np.linspace(0.6, 0.8, 12)
    shown = explore.expected_max(scores).show(n=4)
    assert shown.rows.u.iloc[3] == pytest.approx(expected_max(scores, 4))
    assert "your 12 runs" in shown.sentence
    matrix = np.random.default_rng(0).random((20, 5))
    assert explore.jk_fold(matrix).show(j=2).rows.share.sum() == pytest.approx(1)


def test_own_runs_that_cannot_be_taken_are_refused():
    with pytest.raises(ValueError, match="scores"):
        explore.expected_max([0.5, np.nan])
    with pytest.raises(ValueError, match="bounds"):
        explore.expected_max([0.5, 1.5])


def test_a_start_must_be_one_of_the_values():
    with pytest.raises(ValueError, match="start of n"):
        _core.Control("n", "n", (1, 2), 3)


def test_recorded_simulations_agree_with_theory():
    table = runs.load_recorded("explorers", "intervals").set_index(["shape", "size"])
    for size in (2, 5, 50):
        line = table.loc["normal", size]
        assert abs(line.held_t / line.samples - 0.95) < 4 * np.sqrt(0.95 * 0.05 / line.samples)
