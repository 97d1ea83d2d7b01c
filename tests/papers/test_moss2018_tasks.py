"""The four tasks of Moss et al. on items so few that every right answer can be counted by hand."""

import itertools

import numpy as np
import pandas as pd
import pytest
from made_up import GRIDS, choosing, partitions, rows_of, truth
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import KFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

from evalkit import corpora, models, recorded
from evalkit.papers.judging import MissingRunsError
from evalkit.papers.moss2018 import EXPERIMENT, tasks


class Counted(tasks.Task):
    """Items whose right answers are counted by their number, and that remembers what it was asked."""

    labels = np.arange(100, 200) % 3 == 0

    def __init__(self):
        self.asked = []

    def sample(self, number):
        return np.arange(10 * number, 10 * number + 20)

    def held_out(self, number):
        return np.arange(60, 90)

    def count_right(self, train, test, seed):
        self.asked.append((train, test, seed))
        return np.array([len(test), (test % 2 == 0).sum(), 0])

    def baselines(self, train, test):
        return {"dummy": len(test) // 2, "simple": len(train)}

    def forest(self, max_features, train, test, seed, *, trees=100):
        self.asked.append((train, test, seed))
        return len(test) * trees // 1000


@pytest.fixture
def counted(monkeypatch):
    task = Counted()
    monkeypatch.setattr(tasks, "load", lambda name: task)
    return task


def run(table, **unit):
    return {
        name: value for name, value in EXPERIMENT.run({"table": table, **unit}).items() if name != "seconds"
    }


def test_right_answers_are_added_over_the_folds(counted):
    found = run("partitions", task="any", sample=1, k=5, partition=3)
    assert found == {"items": 20, "mean_right": 10.0, "right": "20 10 0"}
    folds = KFold(5, shuffle=True, random_state=3).split(np.arange(20))
    for (train, test, _), (in_train, in_test) in zip(counted.asked, folds, strict=True):
        assert train.tolist() == (10 + in_train).tolist()
        assert test.tolist() == (10 + in_test).tolist()


def test_every_fold_of_every_partition_has_a_seed_of_its_own(counted):
    for k, partition in ((5, 0), (5, 1), (10, 0)):
        run("partitions", task="any", sample=0, k=k, partition=partition)
    seeds = [seed for _, _, seed in counted.asked]
    assert len(set(seeds)) == len(seeds) == 20
    assert all(isinstance(seed, int) for seed in seeds)


def test_the_truth_is_fitted_on_all_and_asked_of_what_is_held_out(counted):
    found = run("truth", task="any", sample=1, fit=7)
    assert found == {"items": 30, "mean_right": 15.0, "right": "30 15 0"}
    ((train, test, seed),) = counted.asked
    assert (train.tolist(), test.tolist(), seed) == ([*range(10, 30)], [*range(60, 90)], 7)


def test_baselines_are_added_over_the_folds(counted):
    assert run("baselines", task="any", sample=0, k=5, partition=0) == {
        "items": 20,
        "dummy": 10,
        "simple": 80,
    }


@pytest.mark.parametrize(("k", "n_test"), [(2, 10), (5, 4), (20, 1)])
def test_a_split_tests_on_as_many_as_one_fold(counted, k, n_test):
    assert run("estimates", by="split", k=k, partition=4)["estimate"] == n_test * 100 // 1000 / n_test
    ((train, test, seed),) = counted.asked
    assert (len(train), len(test), seed) == (20 - n_test, n_test, 4)
    assert sorted(np.r_[train, test]) == [*range(20)]


def test_folds_may_be_strata(counted):
    for by in ("folds", "strata"):
        counted.asked.clear()
        run("estimates", by=by, k=5, partition=3)
        shares = {counted.labels[test].sum() for _, test, _ in counted.asked}
        assert (shares <= {1, 2}) == (by == "strata")  # six of twenty, in five folds
        assert sorted(np.concatenate([test for _, test, _ in counted.asked])) == [*range(20)]


def test_a_forest_s_seed_is_apart_from_the_partition(counted):
    asked = {}
    for unit in ({"partition": 0, "forest": 0}, {"partition": 0, "forest": 1}, {"partition": 1, "forest": 1}):
        counted.asked.clear()
        run("forests", **unit)
        asked[tuple(unit.values())] = counted.asked.copy()
    tests = {unit: [test.tolist() for _, test, _ in found] for unit, found in asked.items()}
    seeds = {unit: [seed for *_, seed in found] for unit, found in asked.items()}
    assert tests[0, 0] == tests[0, 1] != tests[1, 1]
    assert seeds[0, 0] != seeds[0, 1] == seeds[1, 1]
    assert len(tests[0, 0]) == 5


def test_larger_forests_have_as_many_trees_as_they_say(counted):
    # A fold of four items and 500 trees gives two right answers.
    assert run("larger", trees=500, partition=2) == {"estimate": 0.5}
    larger = counted.asked.copy()
    counted.asked.clear()
    assert run("reseeded", trees=750, partition=2, forest=2) == {"estimate": 0.75}
    assert [seed for *_, seed in counted.asked] == [seed for *_, seed in larger]


# ---------------------------------------------------------------------------------------------
# The tasks themselves
# ---------------------------------------------------------------------------------------------


def test_a_dummy_and_a_simple_model_of_texts():
    task = Counted()
    task.texts = np.array(["good film", "good plot", "bad film", "bad plot", "good end", "bad end", "bad"])
    task.labels = np.array([1, 1, 0, 0, 1, 0, 0])
    found = tasks.Task.baselines(task, np.array([0, 1, 2, 3, 5]), np.array([4, 6]))
    assert found == {"dummy": 1, "simple": 2}  # the commonest label is that of the bad ones


@pytest.fixture
def documents(monkeypatch):
    """Thirty documents: ten on corn, ten on wheat, two of them on both, the rest on neither or not used."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "newid": range(30),
            "topics": [["corn"]] * 8
            + [["corn", "wheat"]] * 2
            + [["wheat"]] * 8
            + [["gold"]] * 6
            + [["corn"]] * 6,
            "split": ["train"] * 20 + ["test"] * 4 + ["unused"] * 6,
            "title": [f"title{i % 3}" for i in range(30)],
            "body": [" ".join(rng.choice(list("abcdefgh"), 6) + "x") for _ in range(30)],
        }
    )
    monkeypatch.setattr(corpora, "reuters_documents", lambda: table)
    return table


def test_documents_on_both_topics_stand_twice_unless_once(documents):
    about = tasks.documents_about("corn", "gold")
    assert {topic: part.newid.tolist() for topic, part in about.items()} == {
        "corn": [*range(10)],
        "gold": [*range(18, 24)],
    }
    task = tasks.Reuters(once=False)
    assert task.labels.tolist() == [False] * 8 + [True] * 12
    assert task.sample(0).tolist() == [*range(20)]
    assert task.texts[12] == f"{documents.title[10]} {documents.body[10]}"  # the twelfth, after the two again
    once = tasks.Reuters(once=True)
    assert once.labels.tolist() == [False] * 8 + [True] * 10


def test_shared_kernels_give_the_right_answers_of_plain_machines(monkeypatch, documents):
    few = {"C": (1, 50, 5000), "GAMMA": (0.05, 0.45)}
    for name, values in few.items():
        monkeypatch.setattr(tasks.Reuters, name, values)
    task = tasks.Reuters(once=False)
    monkeypatch.setattr(tasks, "load", lambda name: task)
    words = TfidfVectorizer().fit_transform(task.texts)
    for gamma, kernel in zip(task.GAMMA, task.kernels, strict=True):
        assert kernel == pytest.approx(rbf_kernel(words, gamma=gamma))
    (train, test), *_ = tasks.folds_of(task.sample(0), 2, 0)
    plain = [
        (
            SVC(C=c, gamma=gamma).fit(words[train], task.labels[train]).predict(words[test])
            == task.labels[test]
        ).sum()
        for c, gamma in itertools.product(*few.values())
    ]
    assert task.count_right(train, test, 0).tolist() == plain
    found = run("shortcut", partition=0)
    assert found["differ"] == 0
    assert found["shared"] > 0
    assert found["plain"] > 0


WORDS = pd.DataFrame(
    [
        (0, "the", "D"),
        (0, "run", "N"),
        (0, "runs", "V"),
        (1, "a", "D"),
        (1, "run", "V"),
        (1, "ends", "V"),
        (2, "the", "D"),
        (2, "run", "N"),
        (2, "Zed", "N"),
    ],
    columns=["sentence", "word", "tag"],
)


@pytest.fixture
def tagger(monkeypatch):
    monkeypatch.setattr(corpora, "treebank_words", lambda: WORDS)
    monkeypatch.setattr(tasks.Treebank, "TRAINED", 6)
    return tasks.Treebank()


def test_the_tagger_learns_from_its_first_words_alone(tagger):
    assert tagger.sample(0).tolist() == [0, 1, 2, 3, 4, 5]
    assert tagger.held_out(0).tolist() == [6, 7, 8]
    assert tagger.features.shape[0] == 9
    # A held-out word that is new has those features alone that it shares with known ones.
    alone = tagger.features[8].toarray()
    assert 0 < alone.sum() < tagger.features[7].toarray().sum()


def test_the_tagger_s_right_answers_are_those_of_plain_models(tagger):
    right = tagger.count_right(np.arange(6), np.arange(6, 9), 0)
    for c, count in zip(tagger.grid.C, right, strict=True):
        model = OneVsRestClassifier(LogisticRegression(C=c, solver="liblinear"))
        model.fit(tagger.features[:6], tagger.labels[:6])
        assert count == (model.predict(tagger.features[6:]) == tagger.labels[6:]).sum()


def test_the_tagger_s_baselines_are_the_commonest_tags(tagger):
    # In training "run" is N, then V, "the" D; V is commonest, and right of neither of the three.
    found = tagger.baselines(np.array([0, 1, 2, 4, 5, 7]), np.array([6, 8, 1]))
    assert found == {"dummy": 0, "simple": 2}


def test_the_forest_sees_the_heaviest_words_of_its_reviews(monkeypatch):
    rng = np.random.default_rng(0)
    common, rare = [f"common{i}" for i in range(4)], [f"rare{i}" for i in range(4)]
    texts = [" ".join([*rng.choice(common, 6), rng.choice(rare)]) for _ in range(200)]
    labels = np.array(["common0" in text for text in texts]).astype(int)
    monkeypatch.setattr(corpora, "imdb_reviews", lambda: pd.DataFrame({"label": labels, "text": texts}))
    monkeypatch.setattr(tasks.Imdb, "TRAINED", 30)
    monkeypatch.setattr(tasks.Imdb, "WORDS", 4)
    task = tasks.Imdb()
    samples = [task.sample(number) for number in range(5)]
    assert len(set(np.concatenate(samples))) == 150
    assert sorted(np.r_[samples[3], task.held_out(3)]) == [*range(200)]
    for number in (-1, 5):
        with pytest.raises(ValueError, match=f"sample must be from 0 to 4, got {number}"):
            task.sample(number)
    # Four words are kept: those that are in every review.
    X = task._features(3)
    assert X.shape == (200, 4)
    assert (X > 0).any(axis=0).all()
    assert ((X > 0).sum(axis=1) > 1).mean() > 0.9
    train, test = samples[3][:20], samples[3][20:]
    model = RandomForestClassifier(100, max_depth=4, max_features=0.5, random_state=3)
    right = (model.fit(X[train], labels[train]).predict(X[test]) == labels[test]).sum()
    assert task.forest(0.5, train, test, 3) == right
    task.grid = pd.DataFrame({"max_features": [0.5, 1.0]})
    monkeypatch.setattr(task, "forest", lambda share, in_train, in_test, seed: int(100 * share + seed))
    assert task.count_right(train, test, 3).tolist() == [53, 103]


def test_a_fifth_of_the_tweets_decides_when_to_stop(monkeypatch):
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
        seen.append((task, settings["hidden"], seed))
        return type("Run", (), {"predictions": task.test.label.to_numpy() * (settings["hidden"] == 50)})

    monkeypatch.setattr(models, "train_network", train_network)
    task = tasks.Twitter()
    assert task.sample(0).tolist() == [*range(20)]
    assert task.held_out(0).tolist() == [*range(20, 30)]
    right = task.count_right(task.sample(0), task.held_out(0), 1)
    # Ten labels, all right at a width of 50; elsewhere 0 is said, which is right of the negative ones.
    negative = int((tweets.label[20:] == -1).sum())
    assert right.tolist() == [negative, negative, 10, negative, negative]
    assert [width for _, width, _ in seen] == [10, 30, 50, 70, 90]
    assert len({seed for *_, seed in seen}) == 5
    data = seen[0][0]
    assert (len(data.train), len(data.validation), len(data.test)) == (16, 4, 10)
    texts = [*data.train.text, *data.validation.text]
    assert sorted(texts) == sorted(f"targetstart it targetend is {i}" for i in range(20))


# ---------------------------------------------------------------------------------------------
# The record
# ---------------------------------------------------------------------------------------------


def test_the_record_gives_scores_in_the_order_of_the_partitions():
    scores = choosing([0, 1, 2, 1], 4)
    rows = partitions("imdb", 5, scores) + partitions("imdb", 5, scores[:1], sample=1)
    rows += truth("imdb", [0.5, 0.7, 0.1, 0.3], [0.6, 0.9, 0.3, 0.1], items=1000)
    record = tasks.Record(rows, GRIDS)
    assert record.scores("imdb", 5).tolist() == scores.tolist()
    assert record.scores("imdb", 5, sample=1, at_least=1).tolist() == scores[:1].tolist()
    assert record.truth("imdb") == pytest.approx([0.55, 0.8, 0.2, 0.2])
    assert record.held_out("imdb") == 1000
    assert record.fixed_setting == 1
    assert record.table("partitions", k=5).shape[0] == 5
    with pytest.raises(MissingRunsError, match="1 of 2 rows of partitions with"):
        record.scores("imdb", 5, sample=1)
    with pytest.raises(MissingRunsError):
        record.table("no such table")
    with pytest.raises(MissingRunsError):
        tasks.Record([], GRIDS).table("partitions")


def test_columns_that_a_table_lacks_are_not_in_it():
    rows = rows_of("one", [({}, {"a": 1})]) + rows_of("other", [({}, {"b": 2})])
    assert list(tasks.Record(rows, {}).table("one").columns) == ["table", "a"]


def test_recorded_accuracies_are_those_of_the_rows():
    table = recorded.load_recorded("moss2018", "partitions")
    rows = table[(table.task == "imdb") & (table.k == 5) & (table["sample"] == 2)]
    scores = tasks.recorded_scores("imdb", sample=2)
    assert scores.shape == (len(rows), len(tasks.grid("imdb"))) == (4, 50)
    third = rows[rows.partition == 2].iloc[0]
    assert scores[2] == pytest.approx(np.array(third.right.split(), dtype=float) / third["items"])
    fits = recorded.load_recorded("moss2018", "truth").query("task == 'twitter'")
    assert tasks.recorded_truth("twitter").shape == (len(fits), 5) == (3, 5)
    with pytest.raises(ValueError, match="nothing is recorded for k = 7 on sample 0 of imdb"):
        tasks.recorded_scores("imdb", k=7)
    with pytest.raises(ValueError, match="no truth is recorded for sample 0 of reuters"):
        tasks.recorded_truth("reuters")


def test_the_recorded_settings_are_those_of_the_tasks():
    for name, grid in tasks.GRIDS.items():
        pd.testing.assert_frame_equal(tasks.grid(name), grid, check_dtype=False)
