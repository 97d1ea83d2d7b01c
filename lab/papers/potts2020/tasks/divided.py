"""What one division of the data says, what many do, and what tests make of them."""

import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold

from lab.papers.potts2020.tasks import systems
from lab.papers.potts2020.tasks.data import divide, generator, load
from lab.record.tables import pack

TEST_SHARE = 0.2
# The lines of each sample that the tests are held against, and what is drawn of it.
TESTED, TEST_SPLITS = 300, 20
FOLDINGS = ((3, 10), (10, 3))
STRATEGIES = ("most_frequent", "prior", "stratified", "uniform")


def _pair(items, train, test):
    """Return the accuracies of naive Bayes and of the linear model on one division."""
    return [
        float(
            np.mean(systems.predict(name, items, train, test)[0] == items.labels[test])
        )
        for name in ("naive_bayes", "linear")
    ]


def splits(data, scheme, split, system):
    """Score a system on one division of the standard sizes.

    Parameters
    ----------
    data : str
    scheme : {"stratified", "random", "standard"}
    split : int
        Also the seed of the shallow classifier; under "standard" it is nothing else.
    system : {"dummy", "naive_bayes", "linear", "shallow"}

    Returns
    -------
    dict
        And how far, in items, a class is at most from its share of the test part.
    """
    items = load(data)
    if scheme == "standard":
        train, test = np.flatnonzero(~items.standard), np.flatnonzero(items.standard)
    else:
        size = TEST_SHARE if items.standard is None else int(items.standard.sum())
        rng = generator("splits", data, scheme, split)
        train, test = divide(items, size, rng, stratify=scheme == "stratified")
    predicted = systems.predict(system, items, train, test, seed=split)[0]
    counts = np.bincount(items.labels[test], minlength=items.labels.max() + 1)
    expected = np.bincount(items.labels) * len(test) / len(items)
    return {
        "n_test": len(test),
        "off_share": round(float(np.abs(counts - expected).max()), 3),
        **systems.scores(items, test, predicted),
    }


def _tested(data, sample):
    items = load("all_docstrings" if data == "docstrings" else data)
    return items, divide(items, TESTED, generator("tested", data, sample))[1]


def over_splits(data, sample):
    """Compare naive Bayes with the linear model over 20 random splits of a sample of
    300 items.

    Parameters
    ----------
    data : str
    sample : int

    Returns
    -------
    dict
        The accuracies of both, split by split.
    """
    items, chosen = _tested(data, sample)
    rng = generator("over_splits", data, sample)
    pairs = [
        _pair(items, *divide(items, TEST_SHARE, rng, among=chosen))
        for _ in range(TEST_SPLITS)
    ]
    first, second = np.array(pairs).T
    return {"naive_bayes": pack(first, ".6f"), "linear": pack(second, ".6f")}


def over_folds(data, sample):
    """Compare the same two over ten partitions into 3 folds and over three into 10.

    Parameters
    ----------
    data : str
    sample : int

    Returns
    -------
    dict
        The differences, linear model minus naive Bayes, fold by fold.
    """
    items, chosen = _tested(data, sample)
    results = {}
    for k, times in FOLDINGS:
        differences = []
        for partition in range(times):
            splitter = StratifiedKFold(k, shuffle=True, random_state=partition)
            for train, test in splitter.split(chosen, items.labels[chosen]):
                bayes, linear = _pair(items, chosen[train], chosen[test])
                differences.append(linear - bayes)
        results[f"folds_{k}"] = pack(differences, ".6f")
    return results


def dummies(data, split):
    """Score every strategy of scikit-learn's dummy, and the linear model, by three
    metrics.

    Parameters
    ----------
    data : str
    split : int

    Returns
    -------
    dict
        For each strategy, and "linear", its accuracy, macro F1 and weighted F1, packed.
    """
    items = load(data)
    train, test = divide(items, TEST_SHARE, generator("dummies", data, split))
    true = items.labels[test]
    answers = {
        strategy: (
            DummyClassifier(strategy=strategy, random_state=split)
            .fit(np.zeros((len(train), 1)), items.labels[train])
            .predict(np.zeros((len(test), 1)))
        )
        for strategy in STRATEGIES
    }
    answers["linear"] = systems.predict("linear", items, train, test)[0]
    return {
        name: pack(
            [
                np.mean(a == true),
                systems.macro_f1(true, a),
                f1_score(true, a, average="weighted", zero_division=0),
            ],
            ".6f",
        )
        for name, a in answers.items()
    }
