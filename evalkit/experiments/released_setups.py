"""Three tasks of Moss et al. (2018), trained again by the set-ups that they released.

The features, the shuffling of sentences and the seeds of forests are those of the released scripts; what
departs from them is a variant beside. The rows are recorded as they come, and will judge the paper's
claims once all are there; until then `papers.moss2018` has its own, first runs of the same tasks.
"""

import functools
import itertools
import random
from typing import ClassVar

import numpy as np
import pandas as pd
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from evalkit import corpora
from evalkit.experiment import Experiment
from evalkit.papers.moss2018.tasks import FIXED, documents_about, folds_of
from evalkit.recorded import pack


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


# By the name of the variant, what documents and reviews become: the 300 commonest words, pairs and
# triples of words, as released, or single words alone, all of them or as many.
FEATURES = {
    "released": {"ngram_range": (1, 3), "max_features": 300},
    "all words": {},
    "300 words": {"max_features": 300},
}


class Reuters(Task):
    """Wheat or corn: a support vector machine with an RBF kernel on tf-idf.

    As released, the task lists the documents about wheat, then those about corn, so that the 81 about
    both stand in it twice, and says wheat of either copy.

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
        # Words are chosen and weighted over all documents, without their labels, so that one matrix of
        # distances serves every fold of every partition.
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
                    model = SVC(C=c, kernel="precomputed").fit(fitted, self.labels[train])
                    answers = model.predict(asked) == self.labels[test]
                    # C is an upper bound of the dual coefficients. Where none reaches it, a larger C
                    # changes nothing.
                    bound = np.abs(model.dual_coef_).max() < c * (1 - 1e-6)
                right[i, j] = answers
        return right.reshape(len(self.grid), len(test))


class Treebank(Task):
    """Parts of speech: logistic regression on the word, its parts and the words beside it.

    The 10,000 words of each training set are the first ones of all sentences in random order, as
    released; the first set has the released order.

    Parameters
    ----------
    sample : int
    solver : {"liblinear", "lbfgs"}
    shuffled : bool
        Whether sentences are shuffled; else they come in the order of the files.
    """

    TRAINED = 10_000
    SAMPLES = 5
    SHUFFLE = 1234
    grid = pd.DataFrame({"C": [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 50, 100]})
    # The default of the authors' scikit-learn: one class against the rest, by liblinear.
    SOLVERS: ClassVar = {
        "liblinear": lambda c: OneVsRestClassifier(LogisticRegression(C=c, solver="liblinear")),
        "lbfgs": lambda c: LogisticRegression(C=c, solver="lbfgs", max_iter=1000),
    }

    def __init__(self, sample, *, solver="liblinear", shuffled=True):
        sentences = [words for _, words in _treebank().groupby("sentence", sort=False)]
        if shuffled:
            random.Random(self.SHUFFLE + sample).shuffle(sentences)
        words = pd.concat(sentences)
        self.solver = self.SOLVERS[solver]
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
        # A word outside the 10,000 adds no feature: the held-out words are new to the model.
        self.features = DictVectorizer().fit(features[: self.TRAINED]).transform(features)

    def right(self, train, test, seed):
        fitted, asked = self.features[train], self.features[test]
        return np.array(
            [
                self.solver(c).fit(fitted, self.labels[train]).predict(asked) == self.labels[test]
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


@functools.cache
def _treebank():
    return corpora.treebank_words()


def _describe(sentence, i):
    # As released: what has no case, a full stop or a number, is in capitals and in small letters at once.
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
    features : str
        A key of `FEATURES`.
    """

    TRAINED = 1000
    SAMPLES = 5
    SEED = 42
    grid = pd.DataFrame({"max_features": [i / 100 for i in range(1, 50)]})

    def __init__(self, sample, *, features="released"):
        reviews = _imdb()
        self.labels = reviews.label.to_numpy()
        self.texts = reviews.text.to_numpy()
        order = np.random.default_rng(2018).permutation(len(self.labels))
        self.items = order[sample * self.TRAINED :][: self.TRAINED]
        self.held_out = np.setdiff1d(order, self.items)
        self._words = TfidfVectorizer(**FEATURES[features]).fit(self.texts[self.items])
        self._X = np.full((len(self.texts), len(self._words.vocabulary_)), np.nan, dtype=np.float32)

    def features(self, items):
        """Return the features of some reviews, made when they are first asked for: all take a minute.

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

    def forest(self, max_features, train, test, seed, *, trees=100):
        """Return which reviews one forest gets right.

        Parameters
        ----------
        max_features : float
            The share of the features that a node of a tree sees.
        train, test : ndarray of int
        seed : int
        trees : int, default 100

        Returns
        -------
        ndarray of bool, shape (n_test,)
        """
        model = RandomForestClassifier(trees, max_depth=4, max_features=max_features, random_state=seed)
        model.fit(self.features(train), self.labels[train])
        return model.predict(self.features(test)) == self.labels[test]

    def right(self, train, test, seed):
        return np.array([self.forest(m, train, test, seed) for m in self.grid.max_features])


@functools.cache
def _imdb():
    return corpora.imdb_reviews()


# The class of each task, and with what it is made; what departs from the released set-up is a variant.
TASKS = {
    "reuters": (Reuters, {}),
    "reuters-once": (Reuters, {"once": True}),
    "reuters-words": (Reuters, {"features": "all words"}),
    "treebank": (Treebank, {}),
    "treebank-ordered": (Treebank, {"shuffled": False}),
    "treebank-lbfgs": (Treebank, {"solver": "lbfgs"}),
    "imdb": (Imdb, {}),
    "imdb-words": (Imdb, {"features": "300 words"}),
}


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
        raise ValueError(f"sample of {name} must be from 0 to {kind.SAMPLES - 1}, got {sample}")
    return kind(sample, **options)


# ---------------------------------------------------------------------------------------------
# What is run
# ---------------------------------------------------------------------------------------------


def _fold_seeds(task, k, partition):
    """Return the seed of the model of each fold."""
    if task.SEED is not None:
        return [task.SEED] * k
    return [int(seed) for seed in np.random.SeedSequence([partition, k]).generate_state(k)]


def _counts(right):
    """Return how many items of how many each setting has right."""
    return {
        "items": right.shape[1],
        "mean_right": float(right.sum(axis=1).mean()),
        "right": pack(right.sum(axis=1)),
    }


def _partitions(task, sample, k, partition):
    loaded = load(task, sample)
    folds, seeds = folds_of(loaded.items, k, partition), _fold_seeds(loaded, k, partition)
    return _counts(np.hstack([loaded.right(*fold, seed) for fold, seed in zip(folds, seeds, strict=True)]))


def family_covariance(right, families=None):
    """Estimate how the accuracies of several settings vary together over other items of the kind.

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
    return {"items": len(loaded.items), **{name: sum(fold[name] for fold in right) for name in right[0]}}


def _estimate(folds, forest, **trees):
    """Return the accuracy of one forest by cross-validation; all folds have one seed, as released."""
    task = load("imdb")
    right = [task.forest(FIXED, *fold, task.SEED + forest, **trees) for fold in folds]
    return {"estimate": float(np.concatenate(right).mean())}


def _estimates(by, k, partition):
    task = load("imdb")
    items = task.items
    if by == "split":
        split = ShuffleSplit(1, test_size=1 / k, random_state=partition)
    elif by == "strata":
        split = StratifiedKFold(k, shuffle=True, random_state=partition)
    else:
        split = KFold(k, shuffle=True, random_state=partition)
    return _estimate([(items[a], items[b]) for a, b in split.split(items, task.labels[items])], 0)


def _forests(partition, forest, **trees):
    return _estimate(folds_of(load("imdb").items, 5, partition), forest, **trees)


def _larger(trees, partition):
    return _forests(partition, 0, trees=trees)


TABLES = {
    "partitions": _partitions,
    "truth": _truth,
    "baselines": _baselines,
    "estimates": _estimates,
    "forests": _forests,
    "larger": _larger,
    "reseeded": _forests,
}

# ---------------------------------------------------------------------------------------------
# The experiment
# ---------------------------------------------------------------------------------------------

# (task, sample, K) to the number of partitions, in the order in which they are run.
PARTITIONS = {
    ("reuters", 0, 5): 1000,
    ("reuters", 0, 10): 1000,
    ("reuters-once", 0, 5): 400,
    ("reuters-once", 0, 10): 200,
    ("reuters-words", 0, 5): 200,
    ("reuters-words", 0, 10): 200,
    **{("treebank", sample, 5): 12 for sample in range(Treebank.SAMPLES)},
    **{("treebank", sample, 10): 12 for sample in range(Treebank.SAMPLES)},
    ("imdb", 0, 5): 60,
    ("imdb", 0, 10): 10,
    **{("imdb", sample, 5): 4 for sample in range(1, Imdb.SAMPLES)},
    ("treebank-ordered", 0, 5): 12,
    ("treebank-ordered", 0, 10): 12,
    ("treebank-lbfgs", 0, 5): 2,
    ("imdb-words", 0, 5): 20,
}
BASELINES = 20  # partitions, fewer where a task has fewer

# Forests and networks are random themselves: (task, sample) to how many are fitted for the truth.
TRUTHS = {
    **{("treebank", sample): 1 for sample in range(Treebank.SAMPLES)},
    ("treebank-ordered", 0): 1,
    ("imdb", 0): 5,
    **{("imdb", sample): 1 for sample in range(1, Imdb.SAMPLES)},
    ("imdb-words", 0): 1,
}

# Figure 1 of the paper: one forest, estimated in many ways; K to the number of partitions. A claim is
# judged on four of these, beyond the figure's end too.
ESTIMATES = {**dict.fromkeys(range(2, 15), 50), **dict.fromkeys((2, 5, 10, 20), 200)}

# The partition and the forest's own seed, crossed; and forests with less randomness of their own.
FORESTS = 20
LARGER, TREES = 40, 1000


def _plan(scale, rows):
    """Return the units; "full" has 1,000 partitions of every task, as the paper has."""
    full = scale == "full"
    units = [
        {"table": "forests", "partition": p, "forest": f} for p in range(FORESTS) for f in range(FORESTS)
    ]
    units += [{"table": "larger", "trees": TREES, "partition": p} for p in range(LARGER)]
    units += [{"table": "reseeded", "trees": TREES, "partition": 0, "forest": f} for f in range(FORESTS)]
    units += [
        {"table": "estimates", "by": by, "k": k, "partition": p}
        for k, n_partitions in ESTIMATES.items()
        for p in range(1000 if full else n_partitions)
        for by in ("split", "folds")
    ]
    units += [{"table": "estimates", "by": "strata", "k": 5, "partition": p} for p in range(ESTIMATES[5])]
    for (task, sample, k), n_partitions in PARTITIONS.items():
        shared = {"task": task, "sample": sample, "k": k}
        n = 1000 if full else n_partitions
        units += [{"table": "partitions", **shared, "partition": p} for p in range(n)]
        if task != "treebank-lbfgs":
            units += [{"table": "baselines", **shared, "partition": p} for p in range(min(n, BASELINES))]
        if k == 5:
            fits = range(TRUTHS.get((task, sample), 0))
            units += [{"table": "truth", "task": task, "sample": sample, "fit": f} for f in fits]
    return units


EXPERIMENT = Experiment(
    name="released_setups",
    # Counts may move by a few items on another kind of machine.
    compared={"mean_right": 5.0, "estimate": 0.02, "dummy": 0, "simple": 3},
    plan=_plan,
    tables=TABLES,
)
