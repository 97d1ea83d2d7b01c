"""One grid of settings on many partitions: support vector machines on digits and on
docstrings.

What chapters 3 and 8 ask of a search by cross-validation needs its whole table: every
setting, on every partition, beside what the setting is truly worth. Each *sample* is a
training set of its own; all that is not in any sample is held out, and its score plays
the truth.

- `partitions`: the number of right answers of each setting in one K-fold partition of a
  sample;
- `truth`: the same on the held-out items, for a model that was fitted on the whole
  sample;
- `nested`: on small samples, the best score of a search, its nested estimate, and the
  truth.

Kernels are shared by the folds and by all values of C, so that a grid of 81 settings
takes seconds.
"""

import functools
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

from evalkit.splits import tokenize
from lab.data import datasets
from lab.record import tables
from lab.record.experiment import Experiment
from lab.record.tables import pack

# Items of each class in a sample, and the grid; the same number in every fold of 5 and
# of 10.
TASKS = {
    "digits": {
        "per_class": 30,
        "samples": 3,
        "C": (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0),
        "gamma": (0.003, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0),
    },
    "docstrings": {
        "per_class": 70,
        "samples": 10,
        "C": (0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 20.0, 50.0),
        "gamma": (0.03, 0.07, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5),
    },
    # Another task for the same features and the same grid: which part of scipy is a
    # line from?
    "scipy": {
        "per_class": 70,
        "samples": 1,
        "C": (0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 20.0, 50.0),
        "gamma": (0.03, 0.07, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5),
    },
}

# (task, sample, K) to the number of partitions.
PARTITIONS = {
    ("docstrings", 0, 5): 256,
    ("docstrings", 0, 10): 128,
    ("digits", 0, 5): 256,
    ("digits", 0, 10): 128,
    # Fewer, for the explorer; what is right is counted over all items, for folds of 3
    # and 20 are not of one size.
    **{(task, 0, k): 64 for task in ("docstrings", "digits") for k in (2, 3, 20)},
    **{("docstrings", sample, 5): 16 for sample in range(1, 10)},
    ("scipy", 0, 5): 16,
}

NESTED_PER_CLASS = 15
NESTED_SAMPLES = 60
NESTED_K = 5


@dataclass(frozen=True, eq=False)
class Data:
    """The items of a task, so that kernels are one step away.

    Attributes
    ----------
    labels : ndarray of int, shape (n_items,)
    squared_distances : callable
        From two index arrays to the matrix of squared Euclidean distances.
    """

    labels: np.ndarray
    squared_distances: object


def settings(task):
    """Return the grid of a task, in the order of the recorded scores.

    Parameters
    ----------
    task : {"digits", "docstrings", "scipy"}

    Returns
    -------
    pandas.DataFrame
        Columns `C` and `gamma`, one row for each setting.
    """
    grid = TASKS[task]
    return pd.DataFrame(
        [{"C": c, "gamma": gamma} for gamma in grid["gamma"] for c in grid["C"]]
    )


def recorded_scores(task, *, k=5, sample=0):
    """Read the recorded accuracies of a task.

    Parameters
    ----------
    task : {"digits", "docstrings", "scipy"}
    k : int, default 5
    sample : int, default 0

    Returns
    -------
    estimates : ndarray of float, shape (n_partitions, n_settings)
        By K-fold cross-validation on the sample.
    truth : ndarray of float, shape (n_settings,)
        On all held-out items.
    """
    partitions, truth = (
        tables.load_recorded("grids", table) for table in ("partitions", "truth")
    )
    rows = partitions[
        (partitions.task == task)
        & (partitions.k == k)
        & (partitions["sample"] == sample)
    ]
    if rows.empty:
        raise ValueError(
            f"nothing is recorded for k = {k} on sample {sample} of {task}"
        )
    held_out = truth[(truth.task == task) & (truth["sample"] == sample)]
    return tables.accuracies(rows), tables.accuracies(held_out)[0]


def _lines(task):
    if task == "docstrings":
        parts = datasets.package_task()
        return pd.concat([parts.train, parts.validation, parts.test], ignore_index=True)
    lines = datasets.load_docstrings()
    lines = lines[
        (lines.package == "scipy") & (lines.summary.str.split().str.len() >= 3)
    ]
    lines = lines.drop_duplicates("duplicate")
    part = lines.module.str.split(".").str[1]
    largest = part.value_counts().nlargest(6).index
    lines, part = lines[part.isin(largest)], part[part.isin(largest)]
    return pd.DataFrame(
        {"text": lines.summary.to_numpy(), "label": pd.factorize(part, sort=True)[0]}
    )


@functools.lru_cache(maxsize=1)
def load(task):
    """Load the items of a task.

    Parameters
    ----------
    task : {"digits", "docstrings", "scipy"}

    Returns
    -------
    Data
    """
    if task == "digits":
        X, y = datasets.load_bundled("digits")
        X, labels = X.to_numpy() / 16, y.astype(int).to_numpy()
        norms = (X**2).sum(axis=1)

        def squared_distances(a, b):
            return np.maximum(norms[a][:, None] + norms[b][None] - 2 * X[a] @ X[b].T, 0)

        return Data(labels, squared_distances)
    lines = _lines(task)
    # Hashed words need no vocabulary, so no fold lends another its words.
    hashing = HashingVectorizer(
        analyzer=tokenize, n_features=2**16, alternate_sign=False, binary=True
    )
    words = hashing.transform(lines.text)
    return Data(
        lines.label.to_numpy(),
        lambda a, b: np.maximum(2 - 2 * (words[a] @ words[b].T).toarray(), 0),
    )


def sample_items(task, sample, *, per_class=None):
    """Return the items of a sample; samples do not overlap.

    Parameters
    ----------
    task : {"digits", "docstrings", "scipy"}
    sample : int
    per_class : int, optional
        Another size than that of the task.

    Returns
    -------
    ndarray of int
        As many of each class.
    """
    labels = load(task).labels
    per_class = per_class or TASKS[task]["per_class"]
    rng = np.random.default_rng([2018, list(TASKS).index(task)])
    shuffled = [rng.permutation(np.flatnonzero(labels == c)) for c in np.unique(labels)]
    chosen = np.concatenate(
        [members[sample * per_class :][:per_class] for members in shuffled]
    )
    if len(chosen) < per_class * len(shuffled):
        raise ValueError(
            f"sample {sample} of {task} is more than its smallest class can fill"
        )
    return chosen


def held_out_items(task):
    """Return the items that are in no sample of a task.

    Parameters
    ----------
    task : {"digits", "docstrings", "scipy"}

    Returns
    -------
    ndarray of int
    """
    used = np.concatenate(
        [sample_items(task, s) for s in range(TASKS[task]["samples"])]
    )
    return np.setdiff1d(np.arange(len(load(task).labels)), used)


def count_right(task, train, test):
    """Fit every setting on some items and count its right answers on others.

    Parameters
    ----------
    task : {"digits", "docstrings", "scipy"}
    train, test : ndarray of int

    Returns
    -------
    ndarray of int, shape (settings,)
    """
    data, grid = load(task), TASKS[task]
    within, across = (
        data.squared_distances(train, train),
        data.squared_distances(test, train),
    )
    right = []
    for gamma in grid["gamma"]:
        fit_kernel, test_kernel = np.exp(-gamma * within), np.exp(-gamma * across)
        for c in grid["C"]:
            model = SVC(C=c, kernel="precomputed").fit(fit_kernel, data.labels[train])
            right.append(int((model.predict(test_kernel) == data.labels[test]).sum()))
    return np.array(right)


def cross_validate(task, items, k, seed):
    """Count the right answers of every setting over one stratified K-fold partition.

    Parameters
    ----------
    task : {"digits", "docstrings", "scipy"}
    items : ndarray of int
    k, seed : int

    Returns
    -------
    ndarray of int, shape (settings,)
    """
    folds = StratifiedKFold(k, shuffle=True, random_state=seed)
    labels = load(task).labels[items]
    return sum(
        count_right(task, items[train], items[test])
        for train, test in folds.split(items, labels)
    )


def _plan(scale, rows):
    """Return the units; "full" has four times as many partitions."""
    times = 4 if scale == "full" else 1
    truth = [
        {"table": "truth", "task": task, "sample": sample}
        for task, sample, k in PARTITIONS
        if k == 5
    ]
    nested = [{"table": "nested", "sample": sample} for sample in range(NESTED_SAMPLES)]
    partitions = [
        {
            "table": "partitions",
            "task": task,
            "sample": sample,
            "k": k,
            "partition": partition,
        }
        for (task, sample, k), n in PARTITIONS.items()
        for partition in range(n * times)
    ]
    return truth + nested + partitions


def _counts(right, items):
    """Return the row of a whole grid: the right answers of every setting, among so many
    items.
    """
    return {"items": items, "mean_right": float(right.mean()), "right": pack(right)}


def _partitions(task, sample, k, partition):
    items = sample_items(task, sample)
    return _counts(cross_validate(task, items, k, partition), len(items))


def _truth(task, sample):
    held_out = held_out_items(task)
    return _counts(
        count_right(task, sample_items(task, sample), held_out), len(held_out)
    )


def _nested(sample):
    """Return the best score of a search, its nested estimate, and the truth of what it
    chose.
    """
    items = sample_items("docstrings", sample, per_class=NESTED_PER_CLASS)
    rest = np.setdiff1d(np.arange(len(load("docstrings").labels)), items)
    labels = load("docstrings").labels
    plain = cross_validate("docstrings", items, NESTED_K, sample)
    right = 0
    outer = StratifiedKFold(NESTED_K, shuffle=True, random_state=sample)
    for train, test in outer.split(items, labels[items]):
        inner = cross_validate("docstrings", items[train], NESTED_K, sample)
        right += count_right("docstrings", items[train], items[test])[inner.argmax()]
    truth = count_right("docstrings", items, rest)[plain.argmax()]
    return {
        "plain": float(plain.max() / len(items)),
        "nested": float(right / len(items)),
        "truth": float(truth / len(rest)),
    }


def _extras(rows):
    """Return the grids of settings, in the order of the counts."""
    grids = pd.concat([settings(task).assign(task=task) for task in TASKS])
    return {"settings": grids[["task", "C", "gamma"]]}


EXPERIMENT = Experiment(
    name="grids",
    # libsvm has nothing random; another kind of CPU may round a kernel differently,
    # which moves few answers.
    compared={"mean_right": 0.5, "plain": 0.02, "nested": 0.03, "truth": 0.02},
    plan=_plan,
    tables={"partitions": _partitions, "truth": _truth, "nested": _nested},
    extras=_extras,
)
