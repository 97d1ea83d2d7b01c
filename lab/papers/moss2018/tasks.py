"""The four tasks of Moss et al. (2018), trained again: each scores a whole grid on one
partition.

The features, the shuffling of sentences and the seeds of forests are those of the
released scripts; what departs from them is a variant beside. A task knows its items,
its grid and which answers of every setting are right. What is run is the same for all:
the functions of `TABLES`.
"""

import functools
import itertools
import random
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from lab import models
from lab.data import corpora, datasets
from lab.papers.judging import Measured
from lab.papers.rows import Rows
from lab.record import tables
from lab.record.tables import pack

# The share of the features that a tree of the one forest sees, of which there are many
# estimates.
FIXED = 0.1


class Task:
    """One training set of a task, and what its partitions need to know.

    Attributes
    ----------
    SAMPLES : int
        How many training sets there are to choose from.
    SEED : int or None
        What every model is seeded with; None for a seed of its own for each fold.
    grid : pandas.DataFrame
        One row for each setting, one column for each hyperparameter.
    labels : ndarray, shape (n_all,)
        Of all items that can be trained on or held out.
    items, held_out : ndarray of int
        What is trained on, and what plays the truth.
    families : ndarray, shape (n_all,), or None
        Items of one family stand or fall together; None where each item stands alone.
    """

    SAMPLES = 1
    SEED: int | None = None
    grid: pd.DataFrame
    labels: np.ndarray
    items: np.ndarray
    held_out: np.ndarray = np.arange(0)
    families = None

    def right(self, train, test, seed):
        """Fit every setting on some items; return which others each of them gets right.

        Parameters
        ----------
        train, test : ndarray of int
        seed : int

        Returns
        -------
        ndarray of bool, shape (n_settings, n_test)
        """
        raise NotImplementedError

    def baselines(self, train, test):
        """Return how many items the best dummy gets right, and how many a simple model
        does.

        The simple one is linear, on tf-idf, with nothing tuned.

        Parameters
        ----------
        train, test : ndarray of int

        Returns
        -------
        dict of str to int
            `dummy` and `simple`.
        """
        simple = make_pipeline(
            TfidfVectorizer(), LogisticRegression(C=10, max_iter=2000)
        )
        simple.fit(self.texts[train], self.labels[train])
        return self._count(train, test, simple.predict(self.texts[test]))

    def _count(self, train, test, simple):
        dummy = DummyClassifier(strategy="most_frequent").fit(
            train[:, None], self.labels[train]
        )
        return {
            "dummy": int((dummy.predict(test[:, None]) == self.labels[test]).sum()),
            "simple": int((simple == self.labels[test]).sum()),
        }


def documents_about(*topics):
    """Return the used documents of Reuters on each topic; one on two topics stands
    under both.

    Parameters
    ----------
    *topics : str

    Returns
    -------
    dict of str to pandas.DataFrame
    """
    documents = corpora.reuters_documents()
    documents = documents[documents.split != "unused"]
    return {
        topic: documents[[topic in named for named in documents.topics]]
        for topic in topics
    }


# What documents and reviews become: the 300 commonest words, pairs and triples of
# words, as released, or, as a variant, all single words.
FEATURES = {"released": {"ngram_range": (1, 3), "max_features": 300}, "all words": {}}


class Reuters(Task):
    """Wheat or corn: a support vector machine with an RBF kernel on tf-idf.

    As released, the task lists the documents about wheat, then those about corn, so
    that the 81 about both stand in it twice, and says wheat of either copy.

    Parameters
    ----------
    sample : int
    once : bool
        Keep one copy of each document.
    features : str
        A key of `FEATURES`.
    """

    C = (1, 5, 10, 50, 100, 500, 1000, 5000, 10000)
    GAMMA = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45)
    grid = pd.DataFrame(list(itertools.product(C, GAMMA)), columns=["C", "gamma"])

    def __init__(self, sample, *, once=False, features="released"):
        listed = pd.concat(documents_about("wheat", "corn").values())
        if once:
            listed = listed.drop_duplicates("newid")
        self.labels = np.array(["wheat" in topics for topics in listed.topics])
        self.texts = (listed.title + " " + listed.body).to_numpy()
        self.items = np.arange(len(self.labels))
        # Words are chosen and weighted over all documents, without their labels, so
        # that one matrix of distances serves every fold of every partition.
        self.weights = TfidfVectorizer(**FEATURES[features]).fit_transform(self.texts)
        distances = np.maximum(2 - 2 * (self.weights @ self.weights.T).toarray(), 0)
        self.kernels = [np.exp(-gamma * distances) for gamma in self.GAMMA]

    def right(self, train, test, seed):
        right = np.empty((len(self.C), len(self.GAMMA), len(test)), dtype=bool)
        for j, kernel in enumerate(self.kernels):
            fitted, asked = kernel[np.ix_(train, train)], kernel[np.ix_(test, train)]
            bound = False
            for i, c in enumerate(self.C):
                if not bound:
                    model = SVC(C=c, kernel="precomputed").fit(
                        fitted, self.labels[train]
                    )
                    answers = model.predict(asked) == self.labels[test]
                    # C is an upper bound of the dual coefficients. Where none reaches
                    # it, a larger C changes nothing.
                    bound = np.abs(model.dual_coef_).max() < c * (1 - 1e-6)
                right[i, j] = answers
        return right.reshape(len(self.grid), len(test))


class Treebank(Task):
    """Parts of speech: logistic regression on the word, its parts and the words beside
    it.

    The 10,000 words of each training set are the first ones of all sentences in random
    order, as released; the first set is the authors' own, and partition p of it the row
    p - 1 of their matrix.

    Parameters
    ----------
    sample : int
    """

    TRAINED = 10_000
    SAMPLES = 5
    SHUFFLE = 1234
    grid = pd.DataFrame({"C": [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 50, 100]})

    def __init__(self, sample):
        sentences = [words for _, words in _treebank().groupby("sentence", sort=False)]
        random.Random(self.SHUFFLE + sample).shuffle(sentences)
        words = pd.concat(sentences)
        self.labels = words.tag.to_numpy()
        self.words = words.word.to_numpy()
        self.families = words.sentence.to_numpy()
        self.items = np.arange(self.TRAINED)
        self.held_out = np.arange(self.TRAINED, len(self.labels))
        features = [
            _describe(sentence, i)
            for sentence in (words.word.tolist() for words in sentences)
            for i in range(len(sentence))
        ]
        # A word outside the 10,000 adds no feature: the held-out words are new to the
        # model.
        self.features = (
            DictVectorizer().fit(features[: self.TRAINED]).transform(features)
        )

    def right(self, train, test, seed):
        fitted, asked = self.features[train], self.features[test]
        # The default of the authors' scikit-learn: one class against the rest, by
        # liblinear.
        models = (
            OneVsRestClassifier(LogisticRegression(C=c, solver="liblinear"))
            for c in self.grid.C
        )
        return (
            np.array([m.fit(fitted, self.labels[train]).predict(asked) for m in models])
            == self.labels[test]
        )

    def baselines(self, train, test):
        # The model itself is linear here; simpler is the commonest tag of each word.
        tags = (
            pd.Series(self.labels[train])
            .groupby(self.words[train])
            .agg(lambda t: t.value_counts().index[0])
        )
        commonest = pd.Series(self.labels[train]).value_counts().index[0]
        of_word = pd.Series(self.words[test]).map(tags).fillna(commonest).to_numpy()
        return self._count(train, test, of_word)


@functools.cache
def _treebank():
    return corpora.treebank_words()


def _describe(sentence, i):
    # As released: what has no case, a full stop or a number, is in capitals and in
    # small letters at once.
    word = sentence[i]
    return {
        "word": word,
        "first": i == 0,
        "last": i == len(sentence) - 1,
        "capitalised": word[0].upper() == word[0],
        "capitals": word.upper() == word,
        "lower": word.lower() == word,
        "inner capital": word[1:].lower() != word[1:],
        "hyphen": "-" in word,
        "number": word.isdigit(),
        **{f"prefix {n}": word[:n] for n in (1, 2, 3)},
        **{f"suffix {n}": word[-n:] for n in (1, 2, 3)},
        "before": sentence[i - 1] if i else "",
        "after": sentence[i + 1] if i + 1 < len(sentence) else "",
    }


class Imdb(Task):
    """Sentiment of film reviews: a random forest on 300 features of 1,000 reviews.

    Every forest has the seed 42, as released.

    Parameters
    ----------
    sample : int
        Which 1,000; no two sets share a review.
    """

    TRAINED = 1000
    SAMPLES = 5
    SEED = 42
    grid = pd.DataFrame({"max_features": [i / 100 for i in range(1, 50)]})

    def __init__(self, sample):
        reviews = _imdb()
        self.labels = reviews.label.to_numpy()
        self.texts = reviews.text.to_numpy()
        order = np.random.default_rng(2018).permutation(len(self.labels))
        self.items = order[sample * self.TRAINED :][: self.TRAINED]
        self.held_out = np.setdiff1d(order, self.items)
        self._words = TfidfVectorizer(**FEATURES["released"]).fit(
            self.texts[self.items]
        )
        self._X = np.full(
            (len(self.texts), len(self._words.vocabulary_)), np.nan, dtype=np.float32
        )

    def features(self, items):
        """Return the features of some reviews, made when they are first asked for: all
        take a minute.

        Parameters
        ----------
        items : ndarray of int

        Returns
        -------
        ndarray of float32, shape (n, n_features)
        """
        new = items[np.isnan(self._X[items, 0])]
        if len(new):
            self._X[new] = self._words.transform(self.texts[new]).toarray()
        return self._X[items]

    def forest(self, max_features, train, test, seed):
        """Return which reviews one forest gets right.

        Parameters
        ----------
        max_features : float
            The share of the features that a node of a tree sees.
        train, test : ndarray of int
        seed : int

        Returns
        -------
        ndarray of bool, shape (n_test,)
        """
        model = RandomForestClassifier(
            100, max_depth=4, max_features=max_features, random_state=seed
        )
        model.fit(self.features(train), self.labels[train])
        return model.predict(self.features(test)) == self.labels[test]

    def right(self, train, test, seed):
        return np.array(
            [self.forest(m, train, test, seed) for m in self.grid.max_features]
        )


@functools.cache
def _imdb():
    return corpora.imdb_reviews()


class Twitter(Task):
    """Sentiment towards a target in a tweet: an LSTM of five widths, with early
    stopping.

    Parameters
    ----------
    sample : int
        There is one.
    """

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

    def __init__(self, sample):
        tweets = corpora.dong2014_tweets("tokenised")
        self.labels = tweets.label.to_numpy() + 1
        # The words of the target stay, marked, so that the network can see which
        # sentiment is asked for.
        self.texts = np.array(
            [
                sentence.replace("$T$", f"targetstart {target} targetend")
                for sentence, target in zip(tweets.sentence, tweets.target, strict=True)
            ]
        )
        self.items = np.flatnonzero(tweets.split == "train")
        self.held_out = np.flatnonzero(tweets.split != "train")

    def _given(self, shuffled, test):
        """Return what a network is given: the first fifth decides when to stop, as in
        the paper.
        """
        fifth = len(shuffled) // 5
        parts = (shuffled[fifth:], shuffled[:fifth], test)
        return datasets.TextTask(
            "twitter",
            ("negative", "neutral", "positive"),
            *(
                pd.DataFrame({"text": self.texts[items], "label": self.labels[items]})
                for items in parts
            ),
        )

    def _network(self, given, width, seed):
        settings = {**self.SETTINGS, "hidden": int(width)}
        run = models.train_network(
            given, "lstm", settings, seed, max_epochs=100, patience=5
        )
        return run.predictions == given.test.label.to_numpy()

    def right(self, train, test, seed):
        rng = np.random.default_rng(seed)
        given = self._given(rng.permutation(train), test)
        return np.array(
            [
                self._network(given, width, int(rng.integers(2**31)))
                for width in self.grid.width
            ]
        )


# The class of each task, and with what it is made; what departs from the released
# set-up is a variant.
TASKS = {
    "reuters": (Reuters, {}),
    "reuters-once": (Reuters, {"once": True}),
    "reuters-words": (Reuters, {"features": "all words"}),
    "treebank": (Treebank, {}),
    "imdb": (Imdb, {}),
    "twitter": (Twitter, {}),
}
# The settings of each, in the order of the recorded counts.
GRIDS = {name: kind.grid for name, (kind, _) in TASKS.items()}


@functools.lru_cache(maxsize=1)  # a worker stays with a training set for many units
def load(name, sample=0):
    """Load a training set of a task, and what all its partitions share.

    Parameters
    ----------
    name : str
        A key of `TASKS`.
    sample : int, default 0

    Returns
    -------
    Task
    """
    kind, options = TASKS[name]
    if not 0 <= sample < kind.SAMPLES:
        raise ValueError(
            f"sample of {name} must be from 0 to {kind.SAMPLES - 1}, got {sample}"
        )
    return kind(sample, **options)


# --------------------------------------------------------------------------------------
# What is run
# --------------------------------------------------------------------------------------


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


def _fold_seeds(task, k, partition):
    """Return the seed of the model of each fold."""
    if task.SEED is not None:
        return [task.SEED] * k
    return [
        int(seed) for seed in np.random.SeedSequence([partition, k]).generate_state(k)
    ]


def _counts(right):
    """Return how many items of how many each setting has right."""
    return {
        "items": right.shape[1],
        "mean_right": float(right.sum(axis=1).mean()),
        "right": pack(right.sum(axis=1)),
    }


def _partitions(task, sample, k, partition):
    loaded = load(task, sample)
    folds, seeds = (
        folds_of(loaded.items, k, partition),
        _fold_seeds(loaded, k, partition),
    )
    return _counts(
        np.hstack(
            [loaded.right(*fold, seed) for fold, seed in zip(folds, seeds, strict=True)]
        )
    )


def family_covariance(right, families=None):
    """Estimate how the accuracies of several settings vary together over other items of
    the kind.

    Parameters
    ----------
    right : ndarray of bool, shape (n_settings, n_items)
    families : ndarray, shape (n_items,), optional
        Items of one family are drawn together.

    Returns
    -------
    ndarray of float, shape (n_settings, n_settings)
        Of accuracies in percent.
    """
    n_items = right.shape[1]
    off = right - right.mean(axis=1, keepdims=True)
    if families is not None:
        _, place = np.unique(families, return_inverse=True)
        off = np.array([np.bincount(place, weights=row) for row in off])
    n_families = off.shape[1]
    return 100**2 * (off @ off.T) * n_families / (n_families - 1) / n_items**2


def _truth(task, sample, fit):
    loaded = load(task, sample)
    right = loaded.right(loaded.items, loaded.held_out, fit + (loaded.SEED or 0))
    families = None if loaded.families is None else loaded.families[loaded.held_out]
    covariance = family_covariance(right, families)[np.triu_indices(len(right))]
    return {**_counts(right), "covariance": pack(covariance, ".4g")}


def _baselines(task, sample, k, partition):
    loaded = load(task, sample)
    right = [loaded.baselines(*fold) for fold in folds_of(loaded.items, k, partition)]
    return {
        "items": len(loaded.items),
        **{name: sum(fold[name] for fold in right) for name in right[0]},
    }


def _estimates(by, k, partition):
    """Return the accuracy of one forest; all folds have one seed, as released."""
    task = load("imdb")
    items, split = task.items, StratifiedKFold if by == "strata" else KFold
    folds = split(k, shuffle=True, random_state=partition).split(
        items, task.labels[items]
    )
    right = [
        task.forest(FIXED, items[train], items[test], task.SEED)
        for train, test in folds
    ]
    return {"estimate": float(np.concatenate(right).mean())}


TABLES = {
    "partitions": _partitions,
    "truth": _truth,
    "baselines": _baselines,
    "estimates": _estimates,
}


# --------------------------------------------------------------------------------------
# What was recorded
# --------------------------------------------------------------------------------------


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
    settings = tables.load_recorded("moss2018", "settings")
    return (
        settings[settings.task == task]
        .drop(columns="task")
        .dropna(axis="columns")
        .reset_index(drop=True)
    )


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
    table = tables.load_recorded("moss2018", "partitions")
    rows = table[
        (table.task == task) & (table.k == k) & (table["sample"] == sample)
    ].sort_values("partition")
    if rows.empty:
        raise ValueError(
            f"nothing is recorded for k = {k} on sample {sample} of {task}"
        )
    return tables.accuracies(rows)


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
    table = tables.load_recorded("moss2018", "truth")
    rows = table[(table.task == task) & (table["sample"] == sample)]
    if rows.empty:
        raise ValueError(f"no truth is recorded for sample {sample} of {task}")
    return tables.accuracies(rows)


def recorded_orderings():
    """Read how the lower K compares with the higher one at equal cost, in the released
    matrices.

    Not there are comparisons that those matrices cannot bear: of the LSTM's width,
    whose neighbouring rows are alike; of its penalty on the input, where a choice was
    decoded as a setting that was never run; and of the SVM, whose file with ten folds
    holds five.

    Returns
    -------
    pandas.DataFrame
        One row for each pair of procedures `a` and `b` and `quantity`: the `ratio` of
        SDs, b over a, and its 95 % interval (`low`, `high`) over resampled partitions
        and random groups of them.
    """
    table = tables.load_recorded("moss2018", "orderings")
    return table[table.a != "1-20"].reset_index(drop=True)


@dataclass(frozen=True, eq=False)
class Record(Rows):
    """The recorded rows, and the grids of settings.

    Attributes
    ----------
    grids : dict of str to pandas.DataFrame
        Task to its settings, in the order of the counts.
    """

    grids: dict

    def scores(self, task, k, *, sample=0, at_least=2):
        """Return the accuracies of a task, partitions by settings; an error if too few
        are there.

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
        return tables.accuracies(rows.sort_values("partition"))

    def shuffles(self, k):
        """Return the accuracies of the tagger, one array for each shuffle; an error
        unless all are there.

        Parameters
        ----------
        k : int

        Returns
        -------
        list of ndarray of float, shape (n_partitions, n_settings)
        """
        samples = range(Treebank.SAMPLES)
        least = {5: 12, 10: 8}[k]
        return [
            self.scores("treebank", k, sample=sample, at_least=least)
            for sample in samples
        ]

    @property
    def fixed_setting(self):
        """Where the one forest of Figure 1 stands among the settings."""
        return int(
            np.flatnonzero(np.isclose(self.grids["imdb"].max_features, FIXED))[0]
        )

    def forest_estimates(self, by, k):
        """Return the estimates of that forest; an error if fewer than 200 are there.

        Parameters
        ----------
        by : {"folds", "strata"}
        k : int

        Returns
        -------
        ndarray of float, shape (n_partitions,)
        """
        return self.table("estimates", 200, by=by, k=k).estimate.to_numpy()

    def truth(self, task, *, sample=0):
        """Return the held-out accuracy of each setting, a mean over fits, and its
        error.

        Parameters
        ----------
        task : str
        sample : int, default 0

        Returns
        -------
        Measured
            In percent. The error is that of other held-out items, as if no fit averaged
            any of it away, and of other fits, as if each setting had its own luck.
        """
        fits = self._fits(task, sample)
        luck = self.luck(task, sample=sample) / len(fits)
        covariance = self.held_out_covariance(task, sample=sample) + luck * np.eye(
            fits.shape[1]
        )
        return Measured(fits.mean(axis=0), covariance)

    def _fits(self, task, sample):
        rows = self.table("truth", task=task, sample=sample).sort_values("fit")
        return 100 * tables.accuracies(rows)

    def luck(self, task, *, sample=0):
        """Return the variance of a held-out accuracy over fits with other seeds, a mean
        over settings.

        Parameters
        ----------
        task : str
        sample : int, default 0

        Returns
        -------
        float
            In percent squared; 0 where there is one fit, as of a model without a seed.
        """
        fits = self._fits(task, sample)
        return float(fits.var(axis=0, ddof=1).mean()) if len(fits) > 1 else 0.0

    def held_out_covariance(self, task, *, sample=0):
        """Return how held-out accuracies vary with the items, a mean over fits.

        Parameters
        ----------
        task : str
        sample : int, default 0

        Returns
        -------
        ndarray of float, shape (n_settings, n_settings)
            Of accuracies in percent.
        """
        cells = self.table("truth", task=task, sample=sample).covariance
        upper = np.zeros(2 * (len(self.grids[task]),))
        upper[np.triu_indices(len(upper))] = np.mean(
            [tables.unpack(cell) for cell in cells], axis=0
        )
        return upper + np.triu(upper, 1).T
