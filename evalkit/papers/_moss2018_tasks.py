"""The four tasks of Moss et al. (2018), trained again: each scores a whole grid on one partition.

A task knows its items, its grid and how to count the right answers of every setting; partitions,
samples and records are the same for all, and stand in `evalkit.papers.moss2018`.
"""

import functools
from typing import ClassVar

import numpy as np
import pandas as pd
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from evalkit import corpora, datasets, models


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
        """Return the items of a training set: by default all that the task trains on."""
        raise NotImplementedError

    def held_out(self, number):
        """Return the items that play the truth for a training set, or None."""
        return None

    def count_right(self, train, test, seed):
        """Fit every setting on some items; return how many others each of them gets right."""
        raise NotImplementedError

    def baselines(self, train, test):
        """Return how many items the best dummy gets right, and how many a simple model does.

        The simple one is linear, on tf-idf, with nothing tuned.
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
    """Return the used documents of Reuters on each topic; one on two topics stands under both."""
    documents = corpora.reuters_documents()
    documents = documents[documents.split != "unused"]
    return {topic: documents[[topic in named for named in documents.topics]] for topic in topics}


class Reuters(Task):
    """Corn or wheat: a support vector machine with an RBF kernel on tf-idf.

    As released, the task lists the documents about corn, then those about wheat, so that the 81 about
    both stand in it twice; whether "wheat" is a topic is the label. `once` keeps one copy.
    """

    C = (1, 5, 10, 50, 100, 500, 1000, 5000, 10000)
    GAMMA = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45)

    def __init__(self, *, once):
        listed = pd.concat(documents_about("corn", "wheat").values())
        if once:
            listed = listed.drop_duplicates("newid")
        self.grid = pd.DataFrame([{"C": c, "gamma": gamma} for c in self.C for gamma in self.GAMMA])
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
    """Parts of speech: logistic regression on the word, its parts and its neighbours."""

    TRAINED = 10_000
    # The default of the authors' scikit-learn: one class against the rest, by liblinear.
    SOLVERS: ClassVar = {
        "liblinear": lambda c: OneVsRestClassifier(LogisticRegression(C=c, solver="liblinear")),
        "lbfgs": lambda c: LogisticRegression(C=c, solver="lbfgs", max_iter=1000),
    }

    def __init__(self, *, solver="liblinear"):
        words = corpora.treebank_words()
        self.solver = self.SOLVERS[solver]
        self.grid = pd.DataFrame({"C": [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 50, 100]})
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
        return np.array([
            int((self.solver(c).fit(fitted, self.labels[train]).predict(asked) == self.labels[test]).sum())
            for c in self.grid.C
        ])  # fmt: skip

    def baselines(self, train, test):
        """Return the right answers of the commonest tag, and of the commonest tag of each word.

        The model itself is linear here; a table of words is simpler.
        """
        tags = (
            pd.Series(self.labels[train]).groupby(self.words[train]).agg(lambda t: t.value_counts().index[0])
        )
        commonest = pd.Series(self.labels[train]).value_counts().index[0]
        of_word = pd.Series(self.words[test]).map(tags).fillna(commonest).to_numpy()
        return self._count(train, test, of_word)


def _describe(sentence, i):
    word = sentence[i]
    return {
        "word": word, "first": i == 0, "last": i == len(sentence) - 1,
        "capitalised": word[0].isupper(), "capitals": word.isupper(), "lower": word.islower(),
        "inner capital": word[1:].lower() != word[1:], "hyphen": "-" in word, "number": word.isdigit(),
        **{f"prefix {n}": word[:n] for n in (1, 2, 3)}, **{f"suffix {n}": word[-n:] for n in (1, 2, 3)},
        "before": sentence[i - 1] if i else "", "after": sentence[i + 1] if i + 1 < len(sentence) else "",
    }  # fmt: skip


class Imdb(Task):
    """Sentiment of film reviews: a random forest on the 300 heaviest words of 1,000 reviews."""

    TRAINED = 1000
    WORDS = 300
    SAMPLES = 5

    def __init__(self):
        reviews = corpora.imdb_reviews()
        self.grid = pd.DataFrame({"max_features": [i / 100 for i in range(1, 51)]})
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
        """Return how many reviews one forest gets right."""
        X = self._features(self._number_of(train))
        model = RandomForestClassifier(trees, max_depth=4, max_features=max_features, random_state=seed)
        return int((model.fit(X[train], self.labels[train]).predict(X[test]) == self.labels[test]).sum())

    def count_right(self, train, test, seed):
        return np.array([self.forest(m, train, test, seed) for m in self.grid.max_features])


class Twitter(Task):
    """Sentiment towards a target in a tweet: an LSTM of five widths, with early stopping."""

    SETTINGS: ClassVar = {
        "embedding": 50, "dropout": 0.0, "learning_rate": 1e-3, "weight_decay": 0.0, "batch_size": 32,
        "bidirectional": False, "pooling": "last",
    }  # fmt: skip

    def __init__(self):
        tweets = corpora.dong2014_tweets("tokenised")
        self.grid = pd.DataFrame({"width": [10, 30, 50, 70, 90]})
        self.labels = tweets.label.to_numpy() + 1
        # The words of the target stay, marked, so that the network can see which sentiment is asked for.
        self.texts = np.array([
            sentence.replace("$T$", f"targetstart {target} targetend")
            for sentence, target in zip(tweets.sentence, tweets.target, strict=True)
        ])  # fmt: skip
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

        task = datasets.TextTask("twitter", ("negative", "neutral", "positive"),
                                 frame(shuffled[fifth:]), frame(shuffled[:fifth]), frame(test))  # fmt: skip
        right = []
        for width in self.grid.width:
            settings = {**self.SETTINGS, "hidden": int(width)}
            run = models.train_network(
                task, "lstm", settings, int(rng.integers(2**31)), max_epochs=100, patience=5
            )
            right.append(int((run.predictions == self.labels[test]).sum()))
        return np.array(right)


TASKS = {
    "reuters": lambda: Reuters(once=False),
    "reuters-once": lambda: Reuters(once=True),
    "treebank": Treebank,
    "treebank-lbfgs": lambda: Treebank(solver="lbfgs"),
    "imdb": Imdb,
    "twitter": Twitter,
}


@functools.lru_cache(maxsize=1)  # a worker stays with a task for many units
def load(name):
    """Load a task: its items, and what all its partitions share."""
    return TASKS[name]()
