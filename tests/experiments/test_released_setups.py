"""Three tasks of Moss et al. by the released set-ups, on items so few that right answers can be counted."""

import itertools
import random

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC
from upstream import needs

from evalkit import corpora, recorded, released
from evalkit.experiment import unit_key
from evalkit.experiments import released_setups
from evalkit.experiments.released_setups import EXPERIMENT


def run(table, **unit):
    return {
        name: value for name, value in EXPERIMENT.run({"table": table, **unit}).items() if name != "seconds"
    }


class Counted(released_setups.Task):
    """Items whose right answers are counted by their number, and that remembers what it was asked."""

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

    def forest(self, max_features, train, test, seed, *, trees=100):
        self.asked.append((train.tolist(), test.tolist(), seed))
        return np.arange(len(test)) < len(test) * trees // 1000


@pytest.fixture
def counted(monkeypatch):
    task = Counted()
    monkeypatch.setattr(released_setups, "load", lambda name, sample=0: task)
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
    # Only the second setting varies: half of thirty are right, with a variance of 0.25 * 30 / 29.
    covariance = recorded.unpack(found["covariance"])
    assert covariance == pytest.approx([0, 0, 0, 100**2 * 0.25 / 29, 0, 0], rel=1e-3)
    counted.SEED = 42
    run("truth", task="any", sample=1, fit=1)
    assert counted.asked[-1][-1] == 43


def test_covariance_is_that_of_families_drawn_together():
    rng = np.random.default_rng(0)
    right = rng.random((3, 400)) < 0.6
    alone = released_setups.family_covariance(right)
    assert alone == pytest.approx(100**2 * np.cov(right) / 400)
    # Ten copies of forty items are as good as forty, whatever their order.
    families = np.tile(np.arange(40), 10)
    copies = right[:, :40][:, families]
    assert released_setups.family_covariance(copies, families) == pytest.approx(
        100**2 * np.cov(right[:, :40]) / 40
    )


@pytest.mark.parametrize(
    ("by", "k"), [("split", 5), ("folds", 5), ("strata", 5), ("split", 2), ("folds", 20)]
)
def test_one_forest_is_estimated_in_many_ways(counted, by, k):
    counted.SEED = 42
    found = run("estimates", by=by, k=k, partition=4)
    n_test = 20 // k
    assert found["estimate"] == n_test * 100 // 1000 / n_test
    assert len(counted.asked) == (1 if by == "split" else k)
    assert {len(test) for _, test, _ in counted.asked} == {n_test}
    assert {seed for *_, seed in counted.asked} == {42}
    if by == "strata":
        assert {counted.labels[test].sum() for _, test, _ in counted.asked} <= {1, 2}


def test_a_forest_s_seed_is_apart_from_the_partition(counted):
    counted.SEED = 42
    asked = {}
    for partition, forest in ((0, 0), (0, 1), (1, 1)):
        counted.asked.clear()
        run("forests", partition=partition, forest=forest)
        asked[partition, forest] = counted.asked.copy()
    tests = {unit: [test for _, test, _ in found] for unit, found in asked.items()}
    assert tests[0, 0] == tests[0, 1] != tests[1, 1]
    assert [{seed for *_, seed in found} for found in asked.values()] == [{42}, {43}, {43}]
    assert run("larger", trees=500, partition=2) == {"estimate": 0.5}
    assert run("reseeded", trees=750, partition=2, forest=2) == {"estimate": 0.75}


@pytest.fixture
def documents(monkeypatch):
    """Documents on corn, on both, on wheat; of few words."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "newid": range(24),
            "topics": [["corn"]] * 8 + [["corn", "wheat"]] * 2 + [["wheat"]] * 8 + [["gold"]] * 6,
            "split": ["train"] * 24,
            "title": [f"title{i % 3}" for i in range(24)],
            "body": [" ".join(rng.choice(["aa", "bb", "cc", "dd", "ee"], 6)) for _ in range(24)],
        }
    )
    monkeypatch.setattr(corpora, "reuters_documents", lambda: table)
    return table


def test_wheat_comes_first_and_what_is_on_both_stands_twice(documents):
    task = released_setups.Reuters(0)
    assert task.labels.tolist() == [True] * 10 + [False] * 8 + [True] * 2
    assert task.items.tolist() == [*range(20)]
    assert released_setups.Reuters(0, once=True).labels.tolist() == [True] * 10 + [False] * 8


@pytest.mark.parametrize("features", [*released_setups.FEATURES])
def test_shared_kernels_give_the_right_answers_of_plain_machines(monkeypatch, documents, features):
    few = {"C": (1, 50, 5000), "GAMMA": (0.05, 0.45)}
    for name, values in few.items():
        monkeypatch.setattr(released_setups.Reuters, name, values)
    monkeypatch.setattr(released_setups.Reuters, "grid", pd.DataFrame(itertools.product(*few.values())))
    task = released_setups.Reuters(0, features=features)
    options = {"ngram_range": (1, 3)} if features == "released" else {}
    counts = CountVectorizer(**options).fit_transform(task.texts)
    common = np.asarray(counts.sum(axis=0))[0].argsort()[::-1][: 10**6 if features == "all words" else 300]
    words = TfidfTransformer().fit_transform(counts[:, np.sort(common)])
    (train, test), *_ = released_setups.folds_of(task.items, 2, 0)
    plain = [
        SVC(C=c, gamma=gamma).fit(words[train], task.labels[train]).predict(words[test]) == task.labels[test]
        for c, gamma in itertools.product(*few.values())
    ]
    assert task.right(train, test, 0).tolist() == np.array(plain).tolist()


WORDS = pd.DataFrame(
    [
        (sentence, word, tag)
        for sentence, words in enumerate(("the/D run/N runs/V", "a/D run/V ends/V", "the/D run/N Zed/N"))
        for word, tag in (pair.split("/") for pair in words.split())
    ],
    columns=["sentence", "word", "tag"],
)


def test_sentences_are_shuffled_as_released(monkeypatch):
    monkeypatch.setattr(released_setups, "_treebank", lambda: WORDS)
    monkeypatch.setattr(released_setups.Treebank, "TRAINED", 5)
    orders = set()
    for sample in range(5):
        order = [0, 1, 2]
        random.Random(1234 + sample).shuffle(order)
        task = released_setups.Treebank(sample)
        assert task.families.tolist() == np.repeat(order, 3).tolist()
        assert task.labels.tolist() == [tag for s in order for tag in WORDS.tag[WORDS.sentence == s]]
        orders.add(tuple(order))
    assert len(orders) > 1
    plain = released_setups.Treebank(0, shuffled=False)
    assert plain.families.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert (plain.items.tolist(), plain.held_out.tolist()) == ([0, 1, 2, 3, 4], [5, 6, 7, 8])
    right = plain.right(np.arange(5), np.arange(5, 9), 0)
    for c, answers in zip(plain.grid.C, right, strict=True):
        model = OneVsRestClassifier(LogisticRegression(C=c, solver="liblinear"))
        model.fit(plain.features[:5], plain.labels[:5])
        assert answers.tolist() == (model.predict(plain.features[5:]) == plain.labels[5:]).tolist()


def test_a_word_is_described_by_itself_and_its_neighbours():
    found = released_setups._describe(["The", "well-known", "McX", "."], 2)
    assert (found["word"], found["before"], found["after"]) == ("McX", "well-known", ".")
    assert [name for name, value in found.items() if value is True] == ["capitalised", "inner capital"]
    assert (found["prefix 2"], found["suffix 3"]) == ("Mc", "McX")
    assert released_setups._describe(["The", "well-known"], 1)["hyphen"]
    stop = released_setups._describe(["The", "."], 1)
    assert (stop["last"], stop["after"], stop["capitals"], stop["lower"]) == (True, "", True, True)


@needs("treebank/treebank.zip", "moss2018/POS/POSLR_differentpartitions_1000_5_folds")
def test_the_tagger_s_first_sample_is_the_authors_own():
    tagger, model = released_setups.Treebank(0), released_setups.Treebank.SOLVERS["liblinear"](0.01)
    right = 0
    for train, test in released_setups.folds_of(tagger.items, 5, partition=1):
        model.fit(tagger.features[train], tagger.labels[train])
        right += (model.predict(tagger.features[test]) == tagger.labels[test]).sum()
    # Seeds count from 1 in the released script.
    released_row = released.moss2018_accuracy("pos", 5)[0]
    assert right / tagger.TRAINED == pytest.approx(released_row[tagger.grid.C == 0.01].item(), abs=1e-9)


def test_the_forest_sees_the_commonest_of_its_own_reviews(monkeypatch):
    rng = np.random.default_rng(0)
    texts = np.array([" ".join(rng.choice(["good", "bad", "film", "plot"], 8)) for _ in range(200)])
    labels = np.array([text.count("good") > text.count("bad") for text in texts]).astype(int)
    monkeypatch.setattr(released_setups, "_imdb", lambda: pd.DataFrame({"label": labels, "text": texts}))
    monkeypatch.setattr(released_setups.Imdb, "TRAINED", 30)
    samples = [released_setups.Imdb(number).items for number in range(5)]
    assert len(set(np.concatenate(samples))) == 150
    monkeypatch.setitem(released_setups.FEATURES, "released", {"ngram_range": (1, 3), "max_features": 40})
    task = released_setups.Imdb(3)
    assert sorted(np.r_[task.items, task.held_out]) == [*range(200)]
    counter = CountVectorizer(ngram_range=(1, 3), max_features=40).fit(texts[task.items])
    weights = TfidfTransformer().fit(counter.transform(texts[task.items]))
    plain = weights.transform(counter.transform(texts)).toarray()
    train, test = task.items[:20], np.r_[task.items[20:], task.held_out[:30]]
    assert task.features(test) == pytest.approx(plain[test], abs=1e-6)
    model = RandomForestClassifier(100, max_depth=4, max_features=0.5, random_state=42)
    answers = model.fit(plain[train].astype(np.float32), labels[train]).predict(plain[test]) == labels[test]
    assert task.forest(0.5, train, test, 42).tolist() == answers.tolist()
    task.grid = pd.DataFrame({"max_features": [0.5, 1.0]})
    assert task.right(train, test, 42)[0].tolist() == answers.tolist()


@pytest.mark.parametrize(("name", "sample"), [("imdb", 5), ("treebank", -1), ("reuters", 1)])
def test_a_training_set_that_there_is_not_is_refused(name, sample):
    with pytest.raises(ValueError, match=f"sample of {name} must be from 0 to "):
        released_setups.load.__wrapped__(name, sample)


def test_what_is_recorded_is_of_the_plan():
    planned = {unit_key(unit) for unit in EXPERIMENT.plan("recorded", [])}
    rows = recorded.recorded_rows("released_setups")
    assert {unit_key(row["unit"]) for row in rows} <= planned
    assert planned < {unit_key(unit) for unit in EXPERIMENT.plan("full", [])}
    sizes = {name: len(kind.grid) for name, (kind, _) in released_setups.TASKS.items()}
    for row in rows:
        if "right" in row["result"]:
            assert len(recorded.unpack(row["result"]["right"])) == sizes[row["unit"]["task"]]
