"""The four tasks of Moss et al. (2018), trained again: each scores a whole grid on one partition.

A task knows its items, its grid and how to count the right answers of every setting. What is run is
the same for all: the functions of `TABLES`. `Record` reads back what they made.
"""

import functools
import itertools
import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, ShuffleSplit, StratifiedKFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from evalkit import corpora, datasets, models, recorded
from evalkit.papers.judging import MissingRunsError
from evalkit.recorded import pack

# Figure 1 of the paper: the share of the words that a tree of the one forest sees.
FIXED = 0.1


class Task:
    """What the partitions need to know of a task.

    Attributes
    ----------
    grid : pandas.DataFrame
        One row for each setting, one column for each hyperparameter.
    labels : ndarray, shape (n_items,)
        Of all items that can be trained on or held out.
    """

    grid: pd.DataFrame
    labels: np.ndarray

    def sample(self, number):
        """Return the items of a training set: by default all that the task trains on.

        Parameters
        ----------
        number : int

        Returns
        -------
        ndarray of int
        """
        raise NotImplementedError

    def held_out(self, number):
        """Return the items that play the truth for a training set, or None.

        Parameters
        ----------
        number : int

        Returns
        -------
        ndarray of int or None
        """
        return None

    def count_right(self, train, test, seed):
        """Fit every setting on some items; return how many others each of them gets right.

        Parameters
        ----------
        train, test : ndarray of int
        seed : int

        Returns
        -------
        ndarray of int, shape (n_settings,)
        """
        raise NotImplementedError

    def baselines(self, train, test):
        """Return how many items the best dummy gets right, and how many a simple model does.

        The simple one is linear, on tf-idf, with nothing tuned.

        Parameters
        ----------
        train, test : ndarray of int

        Returns
        -------
        dict of str to int
            `dummy` and `simple`.
        """
        simple = make_pipeline(TfidfVectorizer(), LogisticRegression(C=10, max_iter=2000))
        simple.fit(self.texts[train], self.labels[train])
        return self._count(train, test, simple.predict(self.texts[test]))

    def _count(self, train, test, simple):
        dummy = DummyClassifier(strategy="most_frequent").fit(train[:, None], self.labels[train])
        return {
            "dummy": int((dummy.predict(test[:, None]) == self.labels[test]).sum()),
            "simple": int((simple == self.labels[test]).sum()),
        }


def documents_about(*topics):
    """Return the used documents of Reuters on each topic; one on two topics stands under both.

    Parameters
    ----------
    *topics : str

    Returns
    -------
    dict of str to pandas.DataFrame
    """
    documents = corpora.reuters_documents()
    documents = documents[documents.split != "unused"]
    return {topic: documents[[topic in named for named in documents.topics]] for topic in topics}


class Reuters(Task):
    """Corn or wheat: a support vector machine with an RBF kernel on tf-idf.

    As released, the task lists the documents about corn, then those about wheat, so that the 81 about
    both stand in it twice; whether "wheat" is a topic is the label.

    Parameters
    ----------
    once : bool
        Keep one copy of each document.
    """

    C = (1, 5, 10, 50, 100, 500, 1000, 5000, 10000)
    GAMMA = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45)
    grid = pd.DataFrame(list(itertools.product(C, GAMMA)), columns=["C", "gamma"])

    def __init__(self, *, once):
        listed = pd.concat(documents_about("corn", "wheat").values())
        if once:
            listed = listed.drop_duplicates("newid")
        self.labels = np.array(["wheat" in topics for topics in listed.topics])
        self.texts = (listed.title + " " + listed.body).to_numpy()
        # Words are weighted over all documents, without their labels, so that one matrix of distances
        # serves every fold of every partition.
        words = TfidfVectorizer().fit_transform(self.texts)
        distances = np.maximum(2 - 2 * (words @ words.T).toarray(), 0)
        self.kernels = [np.exp(-gamma * distances) for gamma in self.GAMMA]

    def sample(self, number):
        return np.arange(len(self.labels))

    def count_right(self, train, test, seed):
        right = np.empty((len(self.C), len(self.GAMMA)), dtype=int)
        for j, kernel in enumerate(self.kernels):
            fitted, asked = kernel[np.ix_(train, train)], kernel[np.ix_(test, train)]
            bound = False
            for i, c in enumerate(self.C):
                if not bound:
                    model = SVC(C=c, kernel="precomputed").fit(fitted, self.labels[train])
                    count = int((model.predict(asked) == self.labels[test]).sum())
                    # C is an upper bound of the dual coefficients. Where none reaches it, a larger C
                    # changes nothing.
                    bound = np.abs(model.dual_coef_).max() < c * (1 - 1e-6)
                right[i, j] = count
        return right.ravel()


class Treebank(Task):
    """Parts of speech: logistic regression on the word, its parts and its neighbours.

    Parameters
    ----------
    solver : {"liblinear", "lbfgs"}
    """

    TRAINED = 10_000
    grid = pd.DataFrame({"C": [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 50, 100]})
    # The default of the authors' scikit-learn: one class against the rest, by liblinear.
    SOLVERS: ClassVar = {
        "liblinear": lambda c: OneVsRestClassifier(LogisticRegression(C=c, solver="liblinear")),
        "lbfgs": lambda c: LogisticRegression(C=c, solver="lbfgs", max_iter=1000),
    }

    def __init__(self, *, solver="liblinear"):
        words = corpora.treebank_words()
        self.solver = self.SOLVERS[solver]
        self.labels = words.tag.to_numpy()
        self.words = words.word.to_numpy()
        features = [
            _describe(sentence, i)
            for _, sentence in words.groupby("sentence", sort=False).word
            for sentence in [sentence.tolist()]
            for i in range(len(sentence))
        ]
        # A word outside the 10,000 adds no feature: the held-out words are new to the model.
        self.features = DictVectorizer().fit(features[: self.TRAINED]).transform(features)

    def sample(self, number):
        return np.arange(self.TRAINED)

    def held_out(self, number):
        return np.arange(self.TRAINED, len(self.labels))

    def count_right(self, train, test, seed):
        fitted, asked = self.features[train], self.features[test]
        return np.array(
            [
                int(
                    (self.solver(c).fit(fitted, self.labels[train]).predict(asked) == self.labels[test]).sum()
                )
                for c in self.grid.C
            ]
        )

    def baselines(self, train, test):
        # The model itself is linear here; simpler is the commonest tag of each word.
        tags = (
            pd.Series(self.labels[train]).groupby(self.words[train]).agg(lambda t: t.value_counts().index[0])
        )
        commonest = pd.Series(self.labels[train]).value_counts().index[0]
        of_word = pd.Series(self.words[test]).map(tags).fillna(commonest).to_numpy()
        return self._count(train, test, of_word)


def _describe(sentence, i):
    word = sentence[i]
    return {
        "word": word,
        "first": i == 0,
        "last": i == len(sentence) - 1,
        "capitalised": word[0].isupper(),
        "capitals": word.isupper(),
        "lower": word.islower(),
        "inner capital": word[1:].lower() != word[1:],
        "hyphen": "-" in word,
        "number": word.isdigit(),
        **{f"prefix {n}": word[:n] for n in (1, 2, 3)},
        **{f"suffix {n}": word[-n:] for n in (1, 2, 3)},
        "before": sentence[i - 1] if i else "",
        "after": sentence[i + 1] if i + 1 < len(sentence) else "",
    }


class Imdb(Task):
    """Sentiment of film reviews: a random forest on the 300 heaviest words of 1,000 reviews."""

    TRAINED = 1000
    WORDS = 300
    grid = pd.DataFrame({"max_features": [i / 100 for i in range(1, 51)]})
    SAMPLES = 5

    def __init__(self):
        reviews = corpora.imdb_reviews()
        self.labels = reviews.label.to_numpy()
        self.texts = reviews.text.to_numpy()
        # A word in fewer than 20 of all 50,000 reviews never is among the 300 heaviest of 1,000.
        self.counts = CountVectorizer(min_df=20).fit_transform(self.texts)
        self.order = np.random.default_rng(2018).permutation(len(self.labels))

    def sample(self, number):
        if not 0 <= number < self.SAMPLES:
            raise ValueError(f"sample must be from 0 to {self.SAMPLES - 1}, got {number}")
        return self.order[number * self.TRAINED :][: self.TRAINED]

    def held_out(self, number):
        return np.setdiff1d(np.arange(len(self.labels)), self.sample(number))

    @functools.lru_cache(maxsize=1)  # noqa: B019 - one task lives as long as its process
    def _features(self, number):
        """Return the tf-idf of the words that weigh most in a training set, for all reviews."""
        weights = TfidfTransformer().fit(self.counts[self.sample(number)])
        heaviest = np.argsort(-np.asarray(weights.transform(self.counts[self.sample(number)]).sum(axis=0))[0])
        kept = np.sort(heaviest[: self.WORDS])
        return weights.transform(self.counts)[:, kept].toarray().astype(np.float32)

    def _number_of(self, train):
        where = np.flatnonzero(np.isin(self.order[: self.SAMPLES * self.TRAINED], train))
        return where[0] // self.TRAINED

    def forest(self, max_features, train, test, seed, *, trees=100):
        """Return how many reviews one forest gets right.

        Parameters
        ----------
        max_features : float
            The share of the words that a node of a tree sees.
        train, test : ndarray of int
        seed : int
        trees : int, default 100

        Returns
        -------
        int
        """
        X = self._features(self._number_of(train))
        model = RandomForestClassifier(trees, max_depth=4, max_features=max_features, random_state=seed)
        return int((model.fit(X[train], self.labels[train]).predict(X[test]) == self.labels[test]).sum())

    def count_right(self, train, test, seed):
        return np.array([self.forest(m, train, test, seed) for m in self.grid.max_features])


class Twitter(Task):
    """Sentiment towards a target in a tweet: an LSTM of five widths, with early stopping."""

    grid = pd.DataFrame({"width": [10, 30, 50, 70, 90]})
    SETTINGS: ClassVar = {
        "embedding": 50,
        "dropout": 0.0,
        "learning_rate": 1e-3,
        "weight_decay": 0.0,
        "batch_size": 32,
        "bidirectional": False,
        "pooling": "last",
    }

    def __init__(self):
        tweets = corpora.dong2014_tweets("tokenised")
        self.labels = tweets.label.to_numpy() + 1
        # The words of the target stay, marked, so that the network can see which sentiment is asked for.
        self.texts = np.array(
            [
                sentence.replace("$T$", f"targetstart {target} targetend")
                for sentence, target in zip(tweets.sentence, tweets.target, strict=True)
            ]
        )
        self.in_training = (tweets.split == "train").to_numpy()

    def sample(self, number):
        return np.flatnonzero(self.in_training)

    def held_out(self, number):
        return np.flatnonzero(~self.in_training)

    def count_right(self, train, test, seed):
        rng = np.random.default_rng(seed)
        shuffled = rng.permutation(train)
        fifth = len(train) // 5  # decides when to stop, as in the paper

        def frame(items):
            return pd.DataFrame({"text": self.texts[items], "label": self.labels[items]})

        task = datasets.TextTask(
            "twitter",
            ("negative", "neutral", "positive"),
            frame(shuffled[fifth:]),
            frame(shuffled[:fifth]),
            frame(test),
        )
        right = []
        for width in self.grid.width:
            settings = {**self.SETTINGS, "hidden": int(width)}
            run = models.train_network(
                task, "lstm", settings, int(rng.integers(2**31)), max_epochs=100, patience=5
            )
            right.append(int((run.predictions == self.labels[test]).sum()))
        return np.array(right)


# The class of each task, and with what it is made.
TASKS = {
    "reuters": (Reuters, {"once": False}),
    "reuters-once": (Reuters, {"once": True}),
    "treebank": (Treebank, {"solver": "liblinear"}),
    "treebank-lbfgs": (Treebank, {"solver": "lbfgs"}),
    "imdb": (Imdb, {}),
    "twitter": (Twitter, {}),
}
# The settings of each, in the order of the recorded counts.
GRIDS = {name: kind.grid for name, (kind, _) in TASKS.items()}


@functools.lru_cache(maxsize=1)  # a worker stays with a task for many units
def load(name):
    """Load a task: its items, and what all its partitions share.

    Parameters
    ----------
    name : str
        A key of `TASKS`.

    Returns
    -------
    Task
    """
    kind, options = TASKS[name]
    return kind(**options)


# ---------------------------------------------------------------------------------------------
# What is run
# ---------------------------------------------------------------------------------------------


def folds_of(items, k, partition):
    """Divide items into folds; without strata, as in the paper.

    Parameters
    ----------
    items : ndarray of int
    k, partition : int

    Returns
    -------
    list of (train, test)
        Arrays of items.
    """
    folds = KFold(k, shuffle=True, random_state=partition)
    return [(items[train], items[test]) for train, test in folds.split(items)]


def _fold_seeds(seed, k, folds):
    return map(int, np.random.SeedSequence([seed, k]).generate_state(len(folds)))


def _counts(scored, right):
    return {"items": len(scored), "mean_right": float(right.mean()), "right": pack(right)}


def _partitions(task, sample, k, partition):
    loaded = load(task)
    items = loaded.sample(sample)
    folds = folds_of(items, k, partition)
    seeds = _fold_seeds(partition, k, folds)
    return _counts(
        items, sum(loaded.count_right(*fold, seed) for fold, seed in zip(folds, seeds, strict=True))
    )


def _truth(task, sample, fit):
    loaded = load(task)
    scored = loaded.held_out(sample)
    return _counts(scored, loaded.count_right(loaded.sample(sample), scored, fit))


def _baselines(task, sample, k, partition):
    loaded = load(task)
    items = loaded.sample(sample)
    right = [loaded.baselines(*fold) for fold in folds_of(items, k, partition)]
    return {"items": len(items), **{name: sum(fold[name] for fold in right) for name in right[0]}}


def _estimate(folds, forest, k, **trees):
    """Return the accuracy of one forest by cross-validation, with a seed of its own for each fold."""
    seeds = _fold_seeds(forest, k, folds)
    right = [
        load("imdb").forest(FIXED, *fold, seed, **trees) for fold, seed in zip(folds, seeds, strict=True)
    ]
    return {"estimate": sum(right) / sum(len(test) for _, test in folds)}


def _estimates(by, k, partition):
    task = load("imdb")
    items = task.sample(0)
    if by == "split":
        ((train, test),) = ShuffleSplit(1, test_size=1 / k, random_state=partition).split(items)
        return {"estimate": task.forest(FIXED, items[train], items[test], partition) / len(test)}
    folds = folds_of(items, k, partition)
    if by == "strata":
        strata = StratifiedKFold(k, shuffle=True, random_state=partition)
        folds = [(items[a], items[b]) for a, b in strata.split(items, task.labels[items])]
    return _estimate(folds, partition, k)


def _forests(partition, forest, **trees):
    return _estimate(folds_of(load("imdb").sample(0), 5, partition), forest, 5, **trees)


def _larger(trees, partition):
    return _forests(partition, partition, trees=trees)


def _shortcut(partition):
    """Time one 5-fold search with shared kernels and as a plain grid search; both must agree."""
    task = load("reuters")
    folds = folds_of(task.sample(0), 5, partition)
    start = time.process_time()
    right = sum(task.count_right(*fold, 0) for fold in folds)
    middle = time.process_time()
    grid = {"C": list(task.C), "gamma": list(task.GAMMA)}
    search = GridSearchCV(SVC(), grid, cv=folds, scoring="accuracy", refit=False)
    search.fit(TfidfVectorizer().fit_transform(task.texts), task.labels)
    end = time.process_time()
    # The folds are equally large, so that their mean is the share of all.
    differ = np.abs(search.cv_results_["mean_test_score"] * len(task.labels) - right).max()
    return {
        "shared": round(middle - start, 3),
        "plain": round(end - middle, 3),
        "differ": int(np.round(differ)),
    }


TABLES = {
    "partitions": _partitions,
    "truth": _truth,
    "baselines": _baselines,
    "estimates": _estimates,
    "forests": _forests,
    "larger": _larger,
    "reseeded": _forests,
    "shortcut": _shortcut,
}


# ---------------------------------------------------------------------------------------------
# What was recorded
# ---------------------------------------------------------------------------------------------


def grid(task):
    """Return the settings of a task, in the order of the recorded counts.

    Parameters
    ----------
    task : str
        A key of `TASKS`.

    Returns
    -------
    pandas.DataFrame
        One row for each setting, one column for each hyperparameter.
    """
    settings = recorded.load_recorded("moss2018", "settings")
    return settings[settings.task == task].drop(columns="task").dropna(axis="columns").reset_index(drop=True)


def recorded_scores(task, *, k=5, sample=0):
    """Read the recorded accuracies of a task.

    Parameters
    ----------
    task : str
    k : int, default 5
    sample : int, default 0

    Returns
    -------
    ndarray of float, shape (n_partitions, n_settings)
        In the order of the partitions' seeds.
    """
    table = recorded.load_recorded("moss2018", "partitions")
    rows = table[(table.task == task) & (table.k == k) & (table["sample"] == sample)].sort_values("partition")
    if rows.empty:
        raise ValueError(f"nothing is recorded for k = {k} on sample {sample} of {task}")
    return recorded.accuracies(rows)


def recorded_truth(task, *, sample=0):
    """Read the recorded accuracy of each setting on held-out items.

    Parameters
    ----------
    task : str
    sample : int, default 0

    Returns
    -------
    ndarray of float, shape (n_fits, n_settings)
    """
    table = recorded.load_recorded("moss2018", "truth")
    rows = table[(table.task == task) & (table["sample"] == sample)]
    if rows.empty:
        raise ValueError(f"no truth is recorded for sample {sample} of {task}")
    return recorded.accuracies(rows)


def recorded_orderings():
    """Read how the lower K compares with the higher one at equal cost, in the released matrices.

    Left out are comparisons that those matrices cannot bear: of the LSTM's width, whose neighbouring
    rows are alike, and of its penalty on the input, where a choice was decoded as a setting that was
    never run.

    Returns
    -------
    pandas.DataFrame
        One row for each pair of procedures `a` and `b` and `quantity`: the `ratio` of SDs, b over a, and
        its 95 % interval (`low`, `high`) over resampled partitions.
    """
    table = recorded.load_recorded("moss2018", "orderings")
    kept = (table.task != "lstm") & (table.quantity != "sd_chosen_input") & (table.a != "1-20")
    return table[kept].reset_index(drop=True)


@dataclass(frozen=True, eq=False)
class Record:
    """The recorded rows, as the judges ask for them.

    Attributes
    ----------
    rows : list of dict
        As `evalkit.recorded.recorded_rows` returns them.
    grids : dict of str to pandas.DataFrame
        Task to its settings, in the order of the counts.
    """

    rows: list
    grids: dict

    @functools.cached_property
    def _tables(self):
        flat = pd.DataFrame([{**row["unit"], **row["result"]} for row in self.rows])
        if flat.empty:
            return {}
        return {name: rows.dropna(axis="columns", how="all") for name, rows in flat.groupby("table")}

    def table(self, name, at_least=1, **where):
        """Return the rows of a table with given values; an error if too few are there.

        Parameters
        ----------
        name : str
        at_least : int, default 1
        **where
            A value for each of some columns.

        Returns
        -------
        pandas.DataFrame
        """
        table = self._tables.get(name, pd.DataFrame(columns=list(where)))
        for column, value in where.items():
            table = table[table[column] == value]
        if len(table) < at_least:
            raise MissingRunsError(f"{len(table)} of {at_least} rows of {name} with {where}")
        return table

    def scores(self, task, k, *, sample=0, at_least=2):
        """Return the accuracies of a task, partitions by settings; an error if too few are there.

        Parameters
        ----------
        task : str
        k : int
        sample : int, default 0
        at_least : int, default 2

        Returns
        -------
        ndarray of float, shape (n_partitions, n_settings)
        """
        rows = self.table("partitions", at_least, task=task, k=k, sample=sample)
        return recorded.accuracies(rows.sort_values("partition"))

    @property
    def fixed_setting(self):
        """Where the one forest of Figure 1 stands among the settings."""
        return int(np.flatnonzero(np.isclose(self.grids["imdb"].max_features, FIXED))[0])

    def forest_estimates(self, by, k):
        """Return the estimates of that forest; an error unless all kinds of them are there.

        Parameters
        ----------
        by : {"split", "folds", "strata"}
        k : int

        Returns
        -------
        ndarray of float, shape (n_partitions,)
        """
        self.table("estimates", 1600)
        return self.table("estimates", by=by, k=k).estimate.to_numpy()

    def truth(self, task):
        """Return the held-out accuracy of each setting, a mean over fits.

        Parameters
        ----------
        task : str

        Returns
        -------
        ndarray of float, shape (n_settings,)
        """
        return recorded.accuracies(self.table("truth", task=task, sample=0).sort_values("fit")).mean(axis=0)

    def held_out(self, task):
        """Return how many items play the truth.

        Parameters
        ----------
        task : str

        Returns
        -------
        int
        """
        return int(self.table("truth", task=task)["items"].iloc[0])
