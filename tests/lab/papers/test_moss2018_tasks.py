"""The four tasks of Moss et al. on items so few that every right answer can be counted
by hand.
"""

import itertools
import random

import numpy as np
import pandas as pd
import pytest
from grids import grid
from made_up import GRIDS, choosing, partitions, truth
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

from lab import models
from lab.data import corpora
from lab.papers.judging import MissingRunsError
from lab.papers.moss2018 import EXPERIMENT, tasks
from lab.record import tables


def run(table, **unit):
    return {
        name: value
        for name, value in EXPERIMENT.run({"table": table, **unit}).items()
        if name != "seconds"
    }


class Counted(tasks.Task):
    """Items whose right answers are counted by their number, and that remembers what it
    was asked.
    """

    labels = np.arange(100) % 3 == 0
    items = np.arange(10, 30)
    held_out = np.arange(60, 90)

    def __init__(self):
        self.asked = []

    def right(self, train, test, seed):
        self.asked.append((train.tolist(), test.tolist(), seed))
        return np.array([test >= 0, test % 2 == 0, test < 0])

    def baselines(self, train, test):
        return {"dummy": len(test) // 2, "simple": len(train)}

    def forest(self, max_features, train, test, seed):
        self.asked.append((train.tolist(), test.tolist(), seed))
        return np.arange(len(test)) < len(test) // 2


@pytest.fixture
def counted(monkeypatch):
    task = Counted()
    monkeypatch.setattr(tasks, "load", lambda name, sample=0: task)
    return task


def test_right_answers_are_added_over_the_folds(counted):
    found = run("partitions", task="any", sample=1, k=5, partition=3)
    assert found == {"items": 20, "mean_right": 10.0, "right": "20 10 0"}
    folds = KFold(5, shuffle=True, random_state=3).split(np.arange(20))
    for (train, test, _), (in_train, in_test) in zip(counted.asked, folds, strict=True):
        assert (train, test) == ((10 + in_train).tolist(), (10 + in_test).tolist())


def test_all_folds_share_a_seed_or_each_has_its_own(counted):
    for k, partition in ((5, 0), (5, 1), (10, 0)):
        run("partitions", task="any", sample=0, k=k, partition=partition)
    seeds = [seed for *_, seed in counted.asked]
    assert len(set(seeds)) == len(seeds) == 20
    counted.asked.clear()
    counted.SEED = 42
    run("partitions", task="any", sample=0, k=5, partition=1)
    assert [seed for *_, seed in counted.asked] == [42] * 5


def test_the_truth_comes_with_how_it_varies(counted):
    found = run("truth", task="any", sample=1, fit=7)
    ((train, test, seed),) = counted.asked
    assert (train, test, seed) == ([*range(10, 30)], [*range(60, 90)], 7)
    assert (found["items"], found["right"]) == (30, "30 15 0")
    # Only the second setting varies: half of thirty are right, with a variance of 0.25
    # * 30 / 29.
    covariance = tables.unpack(found["covariance"])
    assert covariance == pytest.approx([0, 0, 0, 100**2 * 0.25 / 29, 0, 0], rel=1e-3)
    counted.SEED = 42
    run("truth", task="any", sample=1, fit=1)
    assert counted.asked[-1][-1] == 43


def test_covariance_is_that_of_families_drawn_together():
    rng = np.random.default_rng(0)
    right = rng.random((3, 400)) < 0.6
    alone = tasks.family_covariance(right)
    assert alone == pytest.approx(100**2 * np.cov(right) / 400)
    # Ten copies of forty items are as good as forty, whatever their order.
    families = np.tile(np.arange(40), 10)
    copies = right[:, :40][:, families]
    assert tasks.family_covariance(copies, families) == pytest.approx(
        100**2 * np.cov(right[:, :40]) / 40
    )


@pytest.mark.parametrize(("by", "k"), [("folds", 5), ("strata", 5), ("folds", 10)])
def test_one_forest_is_estimated_in_many_ways(counted, by, k):
    counted.SEED = 42
    found = run("estimates", by=by, k=k, partition=4)
    n_test = 20 // k
    assert found["estimate"] == n_test // 2 / n_test
    assert len(counted.asked) == k
    assert {len(test) for _, test, _ in counted.asked} == {n_test}
    assert {seed for *_, seed in counted.asked} == {42}
    if by == "strata":
        assert {counted.labels[test].sum() for _, test, _ in counted.asked} <= {1, 2}


def test_baselines_are_added_over_the_folds(counted):
    found = run("baselines", task="any", sample=0, k=5, partition=0)
    assert found == {"items": 20, "dummy": 10, "simple": 80}


def test_a_dummy_and_a_simple_model_of_texts():
    task = Counted()
    task.texts = np.array(
        ["good film", "good plot", "bad film", "bad plot", "good end", "bad end", "bad"]
    )
    task.labels = np.array([1, 1, 0, 0, 1, 0, 0])
    found = tasks.Task.baselines(task, np.array([0, 1, 2, 3, 5]), np.array([4, 6]))
    # The commonest label is that of the bad ones.
    assert found == {
        "dummy": 1,
        "simple": 2,
    }


@pytest.fixture
def documents(monkeypatch):
    """Documents on corn, on both, on wheat; of few words."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "newid": range(24),
            "topics": (
                [["corn"]] * 8
                + [["corn", "wheat"]] * 2
                + [["wheat"]] * 8
                + [["gold"]] * 6
            ),
            "split": ["train"] * 24,
            "title": [f"title{i % 3}" for i in range(24)],
            "body": [
                " ".join(rng.choice(["aa", "bb", "cc", "dd", "ee"], 6))
                for _ in range(24)
            ],
        }
    )
    monkeypatch.setattr(corpora, "reuters_documents", lambda: table)
    return table


def test_wheat_comes_first_and_what_is_on_both_stands_twice(documents):
    task = tasks.Reuters(0)
    assert task.labels.tolist() == [True] * 10 + [False] * 8 + [True] * 2
    assert task.items.tolist() == [*range(20)]
    assert tasks.Reuters(0, once=True).labels.tolist() == [True] * 10 + [False] * 8


@pytest.mark.parametrize("features", [*tasks.FEATURES])
def test_shared_kernels_give_the_right_answers_of_plain_machines(
    monkeypatch, documents, features
):
    few = {"C": (1, 50, 5000), "GAMMA": (0.05, 0.45)}
    for name, values in few.items():
        monkeypatch.setattr(tasks.Reuters, name, values)
    monkeypatch.setattr(
        tasks.Reuters, "grid", pd.DataFrame(itertools.product(*few.values()))
    )
    task = tasks.Reuters(0, features=features)
    options = {"ngram_range": (1, 3)} if features == "released" else {}
    counts = CountVectorizer(**options).fit_transform(task.texts)
    common = np.asarray(counts.sum(axis=0))[0].argsort()[::-1][
        : 10**6 if features == "all words" else 300
    ]
    words = TfidfTransformer().fit_transform(counts[:, np.sort(common)])
    (train, test), *_ = tasks.folds_of(task.items, 2, 0)
    plain = [
        SVC(C=c, gamma=gamma).fit(words[train], task.labels[train]).predict(words[test])
        == task.labels[test]
        for c, gamma in itertools.product(*few.values())
    ]
    assert task.right(train, test, 0).tolist() == np.array(plain).tolist()


WORDS = pd.DataFrame(
    [
        (sentence, word, tag)
        for sentence, words in enumerate(
            ("the/D run/N runs/V", "a/D run/V ends/V", "the/D run/N Zed/N")
        )
        for word, tag in (pair.split("/") for pair in words.split())
    ],
    columns=["sentence", "word", "tag"],
)


def test_sentences_are_shuffled_as_released(monkeypatch):
    monkeypatch.setattr(tasks, "_treebank", lambda: WORDS)
    monkeypatch.setattr(tasks.Treebank, "TRAINED", 5)
    orders = set()
    for sample in range(5):
        order = [0, 1, 2]
        random.Random(1234 + sample).shuffle(order)
        task = tasks.Treebank(sample)
        assert task.families.tolist() == np.repeat(order, 3).tolist()
        assert task.labels.tolist() == [
            tag for s in order for tag in WORDS.tag[WORDS.sentence == s]
        ]
        orders.add(tuple(order))
    assert len(orders) > 1
    assert (task.items.tolist(), task.held_out.tolist()) == (
        [0, 1, 2, 3, 4],
        [5, 6, 7, 8],
    )
    right = task.right(np.arange(5), np.arange(5, 9), 0)
    for c, answers in zip(task.grid.C, right, strict=True):
        model = OneVsRestClassifier(LogisticRegression(C=c, solver="liblinear"))
        model.fit(task.features[:5], task.labels[:5])
        assert (
            answers.tolist()
            == (model.predict(task.features[5:]) == task.labels[5:]).tolist()
        )


def test_the_tagger_s_baselines_are_the_commonest_tags(monkeypatch):
    monkeypatch.setattr(tasks, "_treebank", lambda: WORDS)
    monkeypatch.setattr(random.Random, "shuffle", lambda self, sentences: None)
    tagger = tasks.Treebank(0)
    # In training "run" is N, then V, "the" D; V is commonest, and right of neither of
    # the three.
    found = tagger.baselines(np.array([0, 1, 2, 4, 5, 7]), np.array([6, 8, 1]))
    assert found == {"dummy": 0, "simple": 2}


def test_a_word_is_described_by_itself_and_its_neighbours():
    found = tasks._describe(["The", "well-known", "McX", "."], 2)
    assert (found["word"], found["before"], found["after"]) == (
        "McX",
        "well-known",
        ".",
    )
    assert [name for name, value in found.items() if value is True] == [
        "capitalised",
        "inner capital",
    ]
    assert (found["prefix 2"], found["suffix 3"]) == ("Mc", "McX")
    assert tasks._describe(["The", "well-known"], 1)["hyphen"]
    stop = tasks._describe(["The", "."], 1)
    assert (stop["last"], stop["after"], stop["capitals"], stop["lower"]) == (
        True,
        "",
        True,
        True,
    )


def test_the_forest_sees_the_commonest_of_its_own_reviews(monkeypatch):
    rng = np.random.default_rng(0)
    texts = np.array(
        [" ".join(rng.choice(["good", "bad", "film", "plot"], 8)) for _ in range(200)]
    )
    labels = np.array(
        [text.count("good") > text.count("bad") for text in texts]
    ).astype(int)
    monkeypatch.setattr(
        tasks, "_imdb", lambda: pd.DataFrame({"label": labels, "text": texts})
    )
    monkeypatch.setattr(tasks.Imdb, "TRAINED", 30)
    samples = [tasks.Imdb(number).items for number in range(5)]
    assert len(set(np.concatenate(samples))) == 150
    monkeypatch.setitem(
        tasks.FEATURES, "released", {"ngram_range": (1, 3), "max_features": 40}
    )
    task = tasks.Imdb(3)
    assert sorted(np.r_[task.items, task.held_out]) == [*range(200)]
    counter = CountVectorizer(ngram_range=(1, 3), max_features=40).fit(
        texts[task.items]
    )
    weights = TfidfTransformer().fit(counter.transform(texts[task.items]))
    plain = weights.transform(counter.transform(texts)).toarray()
    train, test = task.items[:20], np.r_[task.items[20:], task.held_out[:30]]
    assert task.features(test) == pytest.approx(plain[test], abs=1e-6)
    model = RandomForestClassifier(100, max_depth=4, max_features=0.5, random_state=42)
    answers = (
        model.fit(plain[train].astype(np.float32), labels[train]).predict(plain[test])
        == labels[test]
    )
    assert task.forest(0.5, train, test, 42).tolist() == answers.tolist()
    task.grid = pd.DataFrame({"max_features": [0.5, 1.0]})
    assert task.right(train, test, 42)[0].tolist() == answers.tolist()


def test_a_fifth_of_the_tweets_decides_when_to_stop(monkeypatch):
    """Of thirty; what a network that stands in for the LSTM was given."""
    tweets = pd.DataFrame(
        {
            "label": np.resize([-1, 0, 1], 30),
            "sentence": [f"$T$ is {i}" for i in range(30)],
            "target": "it",
            "split": ["train"] * 20 + ["test"] * 10,
        }
    )
    monkeypatch.setattr(corpora, "dong2014_tweets", lambda kind: tweets)
    seen = []

    def train_network(task, kind, settings, seed, *, max_epochs, patience):
        assert (kind, max_epochs, patience) == ("lstm", 100, 5)
        seen.append((task, settings["hidden"], seed))
        return type(
            "Run",
            (),
            {"predictions": task.test.label.to_numpy() * (settings["hidden"] == 50)},
        )

    monkeypatch.setattr(models, "train_network", train_network)
    task = tasks.Twitter(0)
    assert task.items.tolist() == [*range(20)]
    assert task.held_out.tolist() == [*range(20, 30)]
    right = task.right(task.items, task.held_out, 1).sum(axis=1)
    # Ten labels, all right at a width of 50; elsewhere 0 is said, which is right of the
    # negative ones.
    negative = int((tweets.label[20:] == -1).sum())
    assert right.tolist() == [negative, negative, 10, negative, negative]
    assert [width for _, width, _ in seen] == [10, 30, 50, 70, 90]
    assert len({seed for *_, seed in seen}) == 5
    data = seen[0][0]
    assert (len(data.train), len(data.validation), len(data.test)) == (16, 4, 10)
    texts = [*data.train.text, *data.validation.text]
    assert sorted(texts) == sorted(
        f"targetstart it targetend is {i}" for i in range(20)
    )


@grid(("name", "sample"), [("imdb", 5), ("treebank", -1), ("reuters", 1)])
def test_a_training_set_that_there_is_not_is_refused(name, sample):
    with pytest.raises(ValueError, match=f"sample of {name} must be from 0 to "):
        tasks.load.__wrapped__(name, sample)


# --------------------------------------------------------------------------------------
# The record
# --------------------------------------------------------------------------------------


def test_the_record_gives_scores_in_the_order_of_the_partitions():
    scores = choosing([0, 1, 2, 1], 4)
    rows = partitions("imdb", 5, scores) + partitions("imdb", 5, scores[:1], sample=1)
    rows += truth("imdb", [0.5, 0.7, 0.1, 0.3], [0.6, 0.9, 0.3, 0.1], items=1000)
    record = tasks.Record(rows, GRIDS | {"imdb": GRIDS["imdb"][:4]})
    assert record.scores("imdb", 5).tolist() == scores.tolist()
    assert (
        record.scores("imdb", 5, sample=1, at_least=1).tolist() == scores[:1].tolist()
    )
    worth = record.truth("imdb")
    assert worth.values == pytest.approx([55, 80, 20, 20])
    # Of other items, as made up; and of two fits, which lie 10, 20, 20 and 20 points
    # apart, their mean's.
    luck = np.mean([10**2, 20**2, 20**2, 20**2]) / 2 / 2
    assert worth.covariance == pytest.approx(
        record.held_out_covariance("imdb") + luck * np.eye(4)
    )
    assert record.fixed_setting == 1
    assert record.table("partitions", k=5).shape[0] == 5
    with pytest.raises(MissingRunsError, match="1 of 2 rows of partitions with"):
        record.scores("imdb", 5, sample=1)


def test_recorded_accuracies_are_those_of_the_rows():
    table = tables.load_recorded("moss2018", "partitions")
    rows = table[(table.task == "imdb") & (table.k == 5) & (table["sample"] == 2)]
    scores = tasks.recorded_scores("imdb", sample=2)
    assert scores.shape == (len(rows), len(tasks.grid("imdb"))) == (4, 49)
    third = rows[rows.partition == 2].iloc[0]
    assert scores[2] == pytest.approx(
        np.array(third.right.split(), dtype=float) / third["items"]
    )
    fits = tables.load_recorded("moss2018", "truth").query("task == 'twitter'")
    assert tasks.recorded_truth("twitter").shape == (len(fits), 5) == (3, 5)
    with pytest.raises(
        ValueError, match="nothing is recorded for k = 7 on sample 0 of imdb"
    ):
        tasks.recorded_scores("imdb", k=7)
    with pytest.raises(
        ValueError, match="no truth is recorded for sample 0 of reuters"
    ):
        tasks.recorded_truth("reuters")


def test_the_recorded_settings_are_those_of_the_tasks():
    for name, settings in tasks.GRIDS.items():
        pd.testing.assert_frame_equal(tasks.grid(name), settings, check_dtype=False)
