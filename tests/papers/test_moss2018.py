"""The runs of Moss et al.: shortcuts against the plain way, printed figures from the released runs."""

import functools

import numpy as np
import pandas as pd
import pytest
from sklearn.svm import SVC
from upstream import needs

from evalkit import corpora, recorded, released, scorecard, sources
from evalkit._data import DATA
from evalkit.papers.moss2018 import EXPERIMENT, audit, tasks
from evalkit.papers.moss2018.claims import statistics

PLAN = EXPERIMENT.plan("recorded", [])


@pytest.fixture(scope="module", autouse=True)
def documents_are_read_once():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(corpora, "reuters_documents", functools.cache(corpora.reuters_documents))
        yield


def test_plan_has_no_unit_twice():
    keys = [tuple(sorted(unit.items())) for unit in PLAN]
    assert len(set(keys)) == len(keys)


def test_every_printed_figure_has_a_unit():
    published = pd.read_csv(DATA / "published" / "moss2018.csv")
    assert [unit["id"] for unit in PLAN if unit["table"] == "computed"] == published.id.tolist()


def test_folds_are_a_partition():
    items = np.arange(100, 137)
    folds = tasks.folds_of(items, 5, 3)
    assert sorted(np.concatenate([test for _, test in folds])) == items.tolist()
    assert all(not set(train) & set(test) for train, test in folds)


def test_groups_are_consecutive_blocks():
    rows = np.arange(14.0).reshape(7, 2)
    assert audit.grouped(rows, 3, 2).tolist() == [[2, 3], [8, 9]]


def test_random_groups_obey_the_law_of_one_over_j():
    rows = np.random.default_rng(0).normal(size=(30, 2)) * [1, 3]
    for j in (1, 4, 16):
        means = statistics.random_groups(rows, j, n_groups=20_000)
        # With replacement, so that no factor for a finite pool comes in.
        assert means.var(axis=0, ddof=0) * j == pytest.approx(rows.var(axis=0, ddof=0), rel=0.04)


def test_the_law_holds_for_independent_rows_and_is_rejected_for_copies():
    rows = np.random.default_rng(0).normal(size=(960, 40))
    ratio, pvalue = audit.law_of(rows)
    assert ratio == pytest.approx(1, abs=0.1)
    assert pvalue > 0.05
    constant = np.c_[rows, np.full(960, 0.7)]
    assert audit.law_of(constant) == (ratio, pvalue)
    twice = np.repeat(rows[:480], 2, axis=0)  # neighbours alike: blocks average nothing away
    assert audit.law_of(twice)[0] == pytest.approx(2, abs=0.3)
    assert audit.law_of(twice)[1] < 0.01


def test_smoothing_keeps_a_line_and_takes_out_luck():
    line = np.linspace(70, 75, 49)
    assert audit.smoothed(line) == pytest.approx(line)
    assert audit.roughness(line) == pytest.approx(0, abs=1e-9)
    noisy = line + np.random.default_rng(0).normal(scale=0.3, size=49)
    assert audit.roughness(noisy) == pytest.approx(0.3, rel=0.4)
    assert np.abs(audit.smoothed(noisy) - line).mean() < 0.75 * np.abs(noisy - line).mean()


def test_orderings_that_the_matrices_cannot_bear_are_left_out():
    table = tasks.recorded_orderings()
    assert {"rf", "pos", "reuters", "lstm-reg"} == set(table.task)
    assert not set(table.quantity) & {"sd_chosen_input"}
    assert set(zip(table.a, table.b, strict=True)) == set(audit.PAIRS)


@needs("reuters/reuters21578.tar.xz")
def test_one_kernel_for_all_c_gives_what_single_machines_give():
    task = tasks.Reuters(once=False)
    assert len(task.labels) == 520
    assert task.labels.sum() == 364
    (train, test), *_ = tasks.folds_of(task.sample(0), 5, 0)
    right = task.count_right(train, test, 0)
    for setting in (0, 13, 40, 76, 80):
        c, gamma = task.grid.iloc[setting]
        kernel = task.kernels[list(task.GAMMA).index(gamma)]
        model = SVC(C=c, kernel="precomputed").fit(kernel[np.ix_(train, train)], task.labels[train])
        plain = (model.predict(kernel[np.ix_(test, train)]) == task.labels[test]).sum()
        assert right[setting] == plain


@needs("reuters/reuters21578.tar.xz")
def test_documents_stand_once_in_the_other_task():
    once = tasks.Reuters(once=True)
    assert len(once.labels) == 439
    assert len(tasks.Reuters(once=False).labels) == len(once.labels) + 81


@needs("treebank/treebank.zip")
def test_tagger_describes_a_word_by_its_parts_and_neighbours():
    described = tasks._describe(["The", "old-time", "dog"], 1)
    assert described["before"] == "The"
    assert described["after"] == "dog"
    assert described["hyphen"]
    assert described["suffix 3"] == "ime"
    assert not described["first"]


@needs("reuters/reuters21578.tar.xz")
def test_documents_on_two_topics_stand_under_both():
    about = tasks.documents_about("corn", "wheat")
    both = set(about["corn"].newid) & set(about["wheat"].newid)
    assert [len(about["corn"]), len(about["wheat"]), len(both)] == [237, 283, 81]


RELEASED = [key for key in sources.registry().key if key.startswith("moss2018/")]


@needs(*RELEASED)
def test_what_the_figures_draw_agrees_with_what_is_printed():
    found = audit.choices("rf", 1, 5)
    counts = recorded.unpack(found["counts"]).astype(int)
    assert counts.sum() == found["groups"] == 999
    values = np.repeat(released.moss2018_grid("rf").max_features, counts)
    assert values.std(ddof=1) == pytest.approx(audit.computed("imdb_rf/1-5/sd_chosen")["value"], rel=0.01)
    assert found["best_raw"] == pytest.approx(audit.computed("imdb_rf/1-5/range_global_high")["value"])
    assert found["worst"] < found["worth"] < found["best"] < found["best_raw"]
    described = audit.by_folds("lstm", 3)
    assert described["partitions"] == 105
    assert described["low"] < described["sd"] < described["high"]


@needs(*RELEASED, "reuters/reuters21578.tar.xz")
def test_every_value_in_the_record_comes_out_of_the_released_files(monkeypatch):
    monkeypatch.setattr(audit, "DRAWS", 2)  # other groupings are in the note, not in the value
    values = recorded.load_recorded("moss2018", "computed").set_index("id").value
    printed = scorecard.printed().set_index("id")
    reproduced = printed[(printed.paper == "moss2018") & (printed.verdict == "reproduced")]
    assert len(reproduced) > 70
    for name, row in reproduced.iterrows():
        value = audit.computed(name)["value"]
        assert value == pytest.approx(values[name], rel=1e-12)
        assert scorecard.judge(row.printed, value) == "reproduced"


@needs("moss2018/LSTM/LSTM_differentpartitions_reg_566_10_folds.txt")
def test_the_ninth_column_made_the_printed_spread():
    found = audit.as_run(1, 10)
    assert found["sd_printed"] > 30 * found["sd_as_run"]
    assert 0 < found["ninth"] < 0.05
    assert found["same"] > 0.5
    assert found["apart"] < 0.001 < found["cost"]
