"""Runs that differ by their seed: the shallow classifier, linear models, and the notebook's own cells."""

import hashlib
import json
import random
import subprocess
import sys
import warnings

import numpy as np
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split

from evalkit.papers.potts2020.tasks import systems
from evalkit.papers.potts2020.tasks.data import Items, divide, generator, load
from evalkit.papers.potts2020.tasks.tuned import settings_parts
from evalkit.recorded import pack

CURVES = {"artificial": 100, "sst2": 60, "docstrings": 60}
CURVE_SEEDS = 50
CROSSED = ("sst2", "docstrings")
CROSSED_SEEDS, CROSSED_SPLITS = 10, 10
SHUFFLED, SHUFFLED_LINES, SHUFFLED_EPOCHS = ("sst2", "docstrings"), 2000, 400
START_DATA, STARTS = ("breast-cancer", "docstrings"), 50
# SD of the first weights: nearly none, and as wide as the inputs.
SCALES = (0.01, 1.0)
LINEAR_KINDS = ("linear", "svm", "perceptron", "sgd")
CONVERGENCE = ("docstrings", "sst2", "tweets", "reuters", "digits", "breast-cancer", "wine")
# The notebook trains its own classifier so.
CELLS = {"hidden": 10}
SOURCES = ("python", "numpy", "torch")


def artificial():
    """Return the artificial data of the notebook's cell 5.

    Returns
    -------
    Items
    """
    X, y = make_classification(class_sep=0.5, n_samples=5000, n_features=200, random_state=42)
    return Items(X, y, as_is=True)


def _parts(data, split=0):
    """Return items and their training, dev and test part."""
    if data != "artificial":
        train, dev, first, second = settings_parts(data, split)
        return load(data), train, dev, np.concatenate([first, second])
    items, rng = artificial(), generator("curves", data, split)
    # A quarter for test, then a quarter of the rest for dev: the defaults of cell 5.
    train, test = divide(items, 0.25, rng, stratify=False)
    return items, *divide(items, 0.25, rng, stratify=False, among=train), test


def curves(data, seed):
    """Train the shallow classifier to the limit on one split, and look after every epoch.

    Parameters
    ----------
    data : {"artificial", "sst2", "docstrings"}
    seed : int

    Returns
    -------
    dict
        By epoch the training `error` in nats, macro F1 on the `dev` part, and on the test part both macro F1
        (`test_f1`) and accuracy (`test`).
    """
    items, train, dev, test = _parts(data)
    settings = CELLS if data == "artificial" else {}
    run = systems.Shallow(items, train, dev, test).train(seed, epochs=CURVES[data], **settings)
    return {
        "error": pack(run.error, ".5f"),
        "dev": pack(run.curves[0, 1], ".4f"),
        "test_f1": pack(run.curves[1, 1], ".4f"),
        "test": pack(run.curves[1, 0], ".4f"),
        "final": round(float(run.curves[1, 0, -1]), 6),
    }


def crossed(data, split, seed):
    """Train the shallow classifier with a seed on a split, and keep its best epoch.

    Parameters
    ----------
    data : {"sst2", "docstrings"}
    split, seed : int

    Returns
    -------
    dict
    """
    items, train, dev, test = _parts(data, split)
    run = systems.Shallow(items, train, dev, test).train(10_000 + seed)
    return {"test": round(float(run.curves[1, 0, run.best_epoch - 1]), 6)}


def reseeded(data, system, seed):
    """Fit a linear model with a random part on the split of `curves`, dev part unused.

    Parameters
    ----------
    data : {"sst2", "docstrings", "tweets"}
    system : {"perceptron", "sgd", "shallow"}
    seed : int

    Returns
    -------
    dict
    """
    items, train, dev, test = _parts(data)
    if system == "shallow":
        run = systems.Shallow(items, train, dev, test).train(seed)
        return {"test": round(float(run.curves[1, 0, run.best_epoch - 1]), 6)}
    predicted = systems.predict(system, items, train, test, seed=seed)[0]
    return {"test": round(float(np.mean(predicted == items.labels[test])), 6)}


def shuffled(data, seed):
    """Train the shallow classifier on labels that were shuffled.

    Parameters
    ----------
    data : {"sst2", "docstrings"}
    seed : int

    Returns
    -------
    dict
        Accuracy on the training and on the test part, what the best dummy gets there, and the epochs.
    """
    items, rng = load(data), generator("shuffled", data, seed)
    order = rng.permutation(len(items))
    train, test = order[:SHUFFLED_LINES], order[SHUFFLED_LINES:][:SHUFFLED_LINES]
    labels = rng.permutation(items.labels[train])
    # The last test part serves as dev part, too: nothing is chosen by it.
    run = systems.Shallow(items, train, test, test, labels=labels).train(
        seed, epochs=SHUFFLED_EPOCHS, until=0.995
    )
    counts = np.bincount(items.labels[test])
    return {
        "train": round(run.train_accuracy, 6),
        "test": round(float(run.curves[1, 0, -1]), 6),
        "dummy": round(float(counts.max() / len(test)), 6),
        "epochs": len(run.error),
    }


def starts(data, scale):
    """Train a linear classifier without regularisation from 50 random starts, on separable training items.

    Steps follow the gradient of the perceptron's loss over all items, which ends without training error in
    a finite number of steps wherever there is such an end; that of the logistic loss needs too many near it.

    Parameters
    ----------
    data : {"breast-cancer", "docstrings"}
    scale : float
        SD of the first weights.

    Returns
    -------
    dict
        How many starts reach no training error; of two starts, the mean and largest share of test items they
        answer differently; the range of their accuracies.
    """
    items, rng = load(data), generator("starts", data, scale)
    chosen = np.arange(len(items))
    if items.is_text:
        # Two packages of the six, and few lines: separable, as the breast cancer data are.
        chosen = np.flatnonzero(np.isin(items.labels, (3, 4)))
    train, test = divide(items, 0.5, rng, among=chosen)
    X, asked = systems.features(items, train, test)
    y = np.where(items.labels[train] == items.labels[chosen].max(), 1.0, -1.0)
    true = np.where(items.labels[test] == items.labels[chosen].max(), 1.0, -1.0)
    weights = scale * rng.standard_normal((X.shape[1], STARTS))
    bias = scale * rng.standard_normal(STARTS)
    for _ in range(20_000):
        wrong = y[:, None] * (X @ weights + bias) <= 0
        if not wrong.any():
            break
        pull = y[:, None] * wrong  # a start without errors stays where it is
        weights += X.T @ pull
        bias += pull.sum(axis=0)
    done = ~wrong.any(axis=0)
    answers = np.sign(asked @ weights + bias)[:, done]
    differ = [np.mean(answers[:, i] != answers[:, j]) for i in range(answers.shape[1]) for j in range(i)]
    right = (answers == true[:, None]).mean(axis=0)
    return {
        "separated": int(done.sum()),
        "differ": round(float(np.mean(differ)), 6),
        "differ_most": round(float(np.max(differ)), 6),
        "lowest": round(float(right.min()), 6),
        "highest": round(float(right.max()), 6),
    }


def convergence(data, system):
    """Fit a linear model with its default settings, and with ten times as many iterations.

    Parameters
    ----------
    data : str
    system : {"linear", "svm", "perceptron", "sgd"}

    Returns
    -------
    dict
        Whether it warned each time, and both accuracies on a fifth of the items.
    """
    items = load(data)
    train, test = divide(items, 0.2, generator("convergence", data))
    if items.is_text:
        X, asked = systems.features(items, train, test)
    else:
        X, asked = items.features[train], items.features[test]  # as they come: not scaled
    found = {}
    default = {"linear": 100}.get(system, 1000)
    for name, times in (("default", 1), ("tenfold", 10)):
        model = systems.linear(system, C=1.0, max_iter=default * times)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit(X, items.labels[train])
        found[f"warned_{name}"] = any(issubclass(w.category, ConvergenceWarning) for w in caught)
        found[name] = round(float(model.score(asked, items.labels[test])), 6)
    return found


def _cells(sources, seed):
    """Run cells 5 to 9 with some sources of random numbers fixed, and return what came out."""
    import torch

    if "python" in sources:
        random.seed(seed)
    if "numpy" in sources:
        np.random.seed(seed)  # noqa: NPY002 - the notebook's cells draw from it
    if "torch" in sources:
        torch.manual_seed(seed)
    X, y = make_classification(class_sep=0.5, n_samples=5000, n_features=200, random_state=42)
    train, test = train_test_split(np.arange(len(y)))  # from NumPy's global state, as in the notebook
    train, dev = train_test_split(train)
    # The classifier takes its seed from torch, and torch's from what is fixed.
    run = systems.Shallow(Items(X, y, as_is=True), train, dev, test).train(
        int(torch.randint(2**31, ())), epochs=20, **CELLS
    )
    digest = hashlib.sha256(np.concatenate([train, dev, test]).tobytes()).hexdigest()[:12]
    return digest, round(float(run.error[-1]), 6), pack(run.curves[0, 1], ".4f")


def notebook(fixed, times):
    """Run cells 5 to 9 in fresh processes with some sources fixed, and compare what comes out.

    Parameters
    ----------
    fixed : str
        Names from `SOURCES`, joined by "+"; empty for none.
    times : int

    Returns
    -------
    dict
        How many different splits, final errors and dev curves there were.
    """
    command = f"import json; from {__name__} import _cells; print(json.dumps(_cells({fixed.split('+')}, 42)))"
    found = [
        json.loads(subprocess.run([sys.executable, "-c", command], capture_output=True, check=True).stdout)
        for _ in range(times)
    ]
    splits, errors, dev_curves = (len(set(column)) for column in zip(*found, strict=True))
    return {"splits": splits, "errors": errors, "dev_curves": dev_curves}
