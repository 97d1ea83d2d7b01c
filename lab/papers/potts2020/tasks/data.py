"""The data that the experiments run on: five corpora and three tables, as rows that any
split can take.

- `docstrings`: 4,000 summary lines, the package is the class; the same lines as in
  `experiments.resplits`;
- `sst2`: the sentences of the binary Stanford Sentiment Treebank, with their standard
  parts;
- `imdb`: 10,000 reviews, 5,000 of each of the standard halves, drawn once;
- `reuters`: documents of ModApte's training and test part with one of the eight largest
  topics alone;
- `tweets`: those of Dong et al. (2014), as written, with their standard parts; the
  target is not told;
- `digits`, `breast-cancer` and `wine`: scikit-learn's tables.

`all_docstrings` has all lines instead of 4,000. Words are counted once for a corpus;
which of them a system sees, and how they are weighted, follows from its training part
alone.
"""

import functools
from dataclasses import dataclass

import numpy as np
import scipy.sparse
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.model_selection import train_test_split

from evalkit.splits import tokenize
from lab.data import corpora, datasets
from lab.experiments.resplits import draw_lines

TEXTS = ("docstrings", "sst2", "imdb", "reuters", "tweets")
TABLES = ("digits", "breast-cancer", "wine")
STANDARD = ("sst2", "imdb", "reuters", "tweets")
IMDB_HALF = 5000
TOPICS = 8


@dataclass(frozen=True, eq=False)
class Items:
    """The items of a data set.

    Attributes
    ----------
    features : ndarray or scipy.sparse.csr_array, shape (n, d)
        Numbers of a table, or counts of words.
    labels : ndarray of int, shape (n,)
    groups : ndarray or None
        Of the docstrings, the module of each line.
    standard : ndarray of bool or None
        Whether an item is in the standard test part; None where there is none.
    as_is : bool
        Whether the numbers of a table go to the systems unscaled.
    """

    features: object
    labels: np.ndarray
    groups: np.ndarray | None = None
    standard: np.ndarray | None = None
    as_is: bool = False

    def __len__(self):
        return len(self.labels)

    @property
    def is_text(self):
        """Whether the features are counts of words."""
        return scipy.sparse.issparse(self.features)


def _texts(name):
    """Return texts, classes, groups, and which are in the standard test part."""
    if name in ("docstrings", "all_docstrings"):
        lines = draw_lines() if name == "docstrings" else _all_lines()
        return lines.summary, lines.package, lines.module.to_numpy(), None
    if name == "sst2":
        table = corpora.sst2_sentences()
        return table.sentence, table.label, None, table.split == "test"
    if name == "tweets":
        table = corpora.dong2014_tweets()
        return table.sentence, table.label, None, table.split == "test"
    if name == "imdb":
        table = corpora.imdb_reviews()
        rng = np.random.default_rng(2020)
        chosen = np.concatenate(
            [
                rng.choice(
                    np.flatnonzero(table.split == part), IMDB_HALF, replace=False
                )
                for part in ("train", "test")
            ]
        )
        table = table.iloc[np.sort(chosen)]
        return table.text, table.label, None, table.split == "test"
    table = corpora.reuters_documents()
    table = table[(table.split != "unused") & (table.topics.map(len) == 1)]
    topic = table.topics.str[0]
    table = table[topic.isin(topic.value_counts().index[:TOPICS])]
    return (
        table.title + " " + table.body,
        table.topics.str[0],
        None,
        table.split == "test",
    )


def _all_lines():
    lines = datasets.load_docstrings()
    lines = lines[lines.summary.str.split().str.len() >= 3]
    lines = lines[lines.groupby("duplicate").package.transform("nunique") == 1]
    return lines.drop_duplicates("duplicate")


@functools.cache
def load(name):
    """Load a data set.

    Parameters
    ----------
    name : str
        One of `TEXTS` and `TABLES`, or "all_docstrings".

    Returns
    -------
    Items
    """
    if name in TABLES:
        table, classes = datasets.load_bundled(name)
        return Items(
            table.to_numpy(dtype=float), np.unique(classes, return_inverse=True)[1]
        )
    texts, classes, groups, standard = _texts(name)
    counts = CountVectorizer(analyzer=tokenize).fit_transform(texts)
    labels = np.unique(classes, return_inverse=True)[1]
    standard = None if standard is None else standard.to_numpy()
    return Items(scipy.sparse.csr_array(counts), labels, groups, standard)


def weighted(items, train, *tests, most=None):
    """Weight the words as the training items teach, by sublinear tf-idf.

    Parameters
    ----------
    items : Items
        Of a corpus.
    train : ndarray of int
    *tests : ndarray of int
    most : int, optional
        Keep only as many of the commonest words of the training items.

    Returns
    -------
    list of scipy.sparse.csr_array
        For the training items and for each of the others.
    """
    seen = items.features[train]
    frequency = np.asarray(seen.sum(axis=0)).ravel()
    columns = np.flatnonzero(frequency)
    if most is not None and len(columns) > most:
        columns = np.sort(
            columns[np.argsort(-frequency[columns], kind="stable")[:most]]
        )
    weigh = TfidfTransformer(sublinear_tf=True).fit(seen[:, columns])
    return [
        weigh.transform(items.features[part][:, columns]) for part in (train, *tests)
    ]


def counted(items, train, *tests):
    """Return the counts of the words that the training items have, for them and for
    other items.

    Parameters
    ----------
    items : Items
        Of a corpus.
    train : ndarray of int
    *tests : ndarray of int

    Returns
    -------
    list of scipy.sparse.csr_array
    """
    columns = np.flatnonzero(np.asarray(items.features[train].sum(axis=0)).ravel())
    return [items.features[part][:, columns] for part in (train, *tests)]


def divide(items, test, rng, *, stratify=True, among=None):
    """Divide items at random into a training and a test part.

    Parameters
    ----------
    items : Items
    test : int or float
        How many items, or which share of them, are tested.
    rng : numpy.random.Generator
    stratify : bool, default True
        By class.
    among : ndarray of int, optional
        Only these.

    Returns
    -------
    train, test : ndarray of int
    """
    among = np.arange(len(items)) if among is None else among
    state = int(rng.integers(2**32))
    return train_test_split(
        among,
        test_size=test,
        stratify=items.labels[among] if stratify else None,
        random_state=state,
    )


def generator(*key):
    """Return a generator for a unit: its words as numbers, so that no two share their
    draws.

    Parameters
    ----------
    *key : object
        What names the unit.

    Returns
    -------
    numpy.random.Generator
    """
    return np.random.default_rng([2020, *" ".join(map(str, key)).encode()])
