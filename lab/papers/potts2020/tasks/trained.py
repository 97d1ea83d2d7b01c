"""Runs that differ by their seed, and linear models with more iterations or fewer."""

import warnings

import numpy as np
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning

from lab.papers.potts2020.tasks import systems
from lab.papers.potts2020.tasks.data import Items, divide, generator, load
from lab.papers.potts2020.tasks.tuned import settings_parts
from lab.record.tables import pack

CURVES = {"artificial": 100}  # how many epochs
CURVE_SEEDS = 50
LINEAR_KINDS = ("linear", "svm", "perceptron", "sgd")
CONVERGENCE = (
    "docstrings",
    "sst2",
    "tweets",
    "reuters",
    "digits",
    "breast-cancer",
    "wine",
)
# Further ones, where the default fits warn.
CONVERGENCE_TABLES, DIVISIONS = (
    CONVERGENCE[4:],
    20,
)
# The notebook trains its own classifier so.
CELLS = {"hidden": 10}


def artificial():
    """Return the artificial data of the notebook's cell 5.

    Returns
    -------
    Items
    """
    X, y = make_classification(
        class_sep=0.5, n_samples=5000, n_features=200, random_state=42
    )
    return Items(X, y, as_is=True)


def _parts(data):
    """Return items and their training, dev and test part."""
    if data != "artificial":
        train, dev, first, second = settings_parts(data, 0)
        return load(data), train, dev, np.concatenate([first, second])
    items, rng = artificial(), generator("curves", data, 0)
    # A quarter for test, then a quarter of the rest for dev: the defaults of cell 5.
    train, test = divide(items, 0.25, rng, stratify=False)
    return items, *divide(items, 0.25, rng, stratify=False, among=train), test


def curves(data, seed):
    """Train the shallow classifier to the limit on one split, and look after every
    epoch.

    Parameters
    ----------
    data : {"artificial"}
    seed : int

    Returns
    -------
    dict
        By epoch the training `error` in nats, macro F1 on the `dev` part, and on the
        test part both macro F1 (`test_f1`) and accuracy (`test`).
    """
    items, train, dev, test = _parts(data)
    run = systems.Shallow(items, train, dev, test).train(
        seed, epochs=CURVES[data], **CELLS
    )
    return {
        "error": pack(run.error, ".5f"),
        "dev": pack(run.curves[0, 1], ".4f"),
        "test_f1": pack(run.curves[1, 1], ".4f"),
        "test": pack(run.curves[1, 0], ".4f"),
        "final": round(float(run.curves[1, 0, -1]), 6),
    }


def reseeded(data, system, seed):
    """Train the shallow classifier on the split of `curves`, and keep its best epoch.

    Parameters
    ----------
    data : {"sst2", "docstrings", "tweets"}
    system : "shallow"
    seed : int

    Returns
    -------
    dict
    """
    items, train, dev, test = _parts(data)
    run = systems.Shallow(items, train, dev, test).train(seed)
    return {"test": round(float(run.curves[1, 0, run.best_epoch - 1]), 6)}


def convergence(data, system, division=0):
    """Fit a linear model with its default settings, and with ten times as many
    iterations.

    Parameters
    ----------
    data : str
    system : {"linear", "svm", "perceptron", "sgd"}
    division : int, default 0
        Which division into train and test items.

    Returns
    -------
    dict
        Whether it warned each time, and both accuracies on a fifth of the items.
    """
    items = load(data)
    train, test = divide(
        items, 0.2, generator("convergence", data, *filter(None, [division]))
    )
    if items.is_text:
        X, asked = systems.features(items, train, test)
    else:
        # As they come: not scaled.
        X, asked = (
            items.features[train],
            items.features[test],
        )
    results = {}
    default = {"linear": 100}.get(system, 1000)
    for name, times in (("default", 1), ("tenfold", 10)):
        model = systems.linear(system, C=1.0, max_iter=default * times)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit(X, items.labels[train])
        results[f"warned_{name}"] = any(
            issubclass(w.category, ConvergenceWarning) for w in caught
        )
        results[name] = round(float(model.score(asked, items.labels[test])), 6)
    return results
