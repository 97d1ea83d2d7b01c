"""Searches for settings: a grid for support vector machines, and random settings of the shallow classifier.

Each setting is tried on every split of every corpus, so that whatever a search would have done, on this split
or another one, on this corpus or another one, is looked up.
"""

import functools

import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.svm import SVC

from evalkit import corpora, datasets, models
from evalkit.experiments import grids, searches
from evalkit.papers.potts2020.tasks import systems
from evalkit.papers.potts2020.tasks.data import divide, generator, load
from evalkit.recorded import pack
from evalkit.splits import tokenize, train_dev_test
from evalkit.tuning import search

# ---------------------------------------------------------------------------------------------
# The grid of support vector machines
# ---------------------------------------------------------------------------------------------

# Samples of each task; the tasks of `experiments.grids` have their samples and held-out items from there.
GRID_SAMPLES = {"docstrings": 10, "digits": 3, "sst2": 10}
GRID_SPLITS, MODULE_SPLITS = 8, 4
SST2_SAMPLE = 420
HELD_OUT = 1500
K = 5


@functools.cache
def _sst2():
    """Return SST-2 as the docstrings are in `experiments.grids`: which words stand in a sentence, hashed."""
    table = corpora.sst2_sentences()
    hashing = HashingVectorizer(analyzer=tokenize, n_features=2**16, alternate_sign=False, binary=True)
    words = hashing.transform(table.sentence)
    return grids.Data(
        table.label.to_numpy(), lambda a, b: np.maximum(2 - 2 * (words[a] @ words[b].T).toarray(), 0)
    )


def _task(task, sample):
    """Return data, grid, the items of a sample and items that are in no sample."""
    if task != "sst2":
        items, held_out = grids.sample_items(task, sample), grids.held_out_items(task)
        return grids.load(task), grids.TASKS[task], items, held_out[:: max(1, len(held_out) // HELD_OUT)]
    data = _sst2()
    order = np.random.default_rng([2020, 2]).permutation(len(data.labels))
    samples, held_out = np.split(order, [GRID_SAMPLES["sst2"] * SST2_SAMPLE])
    return (
        data,
        grids.TASKS["docstrings"],
        samples[sample * SST2_SAMPLE :][:SST2_SAMPLE],
        held_out[:HELD_OUT],
    )


def _right(data, grid, train, *tests):
    """Fit every setting, and count its right answers on each of other sets of items."""
    within = data.squared_distances(train, train)
    across = [data.squared_distances(test, train) for test in tests]
    counts = []
    for gamma in grid["gamma"]:
        fit_kernel, kernels = np.exp(-gamma * within), [np.exp(-gamma * d) for d in across]
        for c in grid["C"]:
            model = SVC(C=c, kernel="precomputed").fit(fit_kernel, data.labels[train])
            counts.append(
                [int((model.predict(k) == data.labels[t]).sum()) for k, t in zip(kernels, tests, strict=True)]
            )
    return np.array(counts).T


def grid(task, sample, scheme, split):
    """Search the grid on four fifths of a sample in three ways, and score every setting on held-out items.

    Parameters
    ----------
    task : {"docstrings", "digits", "sst2"}
    sample : int
    scheme : {"items", "modules"}
        Whether the fifth that is left out is drawn by items or, of the docstrings, by whole modules.
    split : int

    Returns
    -------
    dict
        For each setting its right answers on the training part itself (`train`), by 5-fold
        cross-validation there (`folds`), on one fifth of it (`dev`), and on `held_out` items: under
        "modules" only those whose module is not among those trained on.
    """
    data, values, items, held_out = _task(task, sample)
    seed = int(generator("grid", task, sample, scheme, split).integers(2**32))
    labels = data.labels
    if scheme == "items":
        train = train_test_split(items, test_size=0.2, stratify=labels[items], random_state=seed)[0]
    else:
        parts = datasets.package_task()
        modules = np.concatenate([part.group for part in (parts.train, parts.validation, parts.test)])
        rng = np.random.default_rng(seed)
        chosen = train_dev_test(labels[items], dev=0, test=0.2, groups=modules[items], rng=rng)
        train = items[chosen.train]
        held_out = held_out[~np.isin(modules[held_out], modules[train])]
    on_train, on_held_out = _right(data, values, train, train, held_out)
    folds = StratifiedKFold(K, shuffle=True, random_state=seed % 2**31).split(train, labels[train])
    by_fold = [_right(data, values, train[fit], train[asked])[0] for fit, asked in folds]
    return {
        "n_train": len(train),
        "n_held_out": len(held_out),
        "train": pack(on_train),
        "folds": pack(sum(by_fold)),
        # The first fold alone is one development split of a fifth.
        "dev": pack(by_fold[0]),
        "held_out": pack(on_held_out),
    }


# ---------------------------------------------------------------------------------------------
# Random settings of the shallow classifier
# ---------------------------------------------------------------------------------------------

SETTINGS_DATA = ("docstrings", "sst2", "tweets")
SETTINGS_SPLITS = 4
WIDE, NARROW = 64, 32
PARTS = {"train": 1500, "dev": 500, "test": 1800}
# What the three weakest hyperparameters are fixed at, "by hand": the course's own values.
FIXED = {"batch_size": 256, "weight_decay": 0.0, "hidden": 50}


def drawn(space, number):
    """Draw a setting of the shallow classifier.

    Parameters
    ----------
    space : {"wide", "narrow"}
        All five hyperparameters, or learning rate and dropout alone, the others at `FIXED`.
    number : int
        The same setting for every corpus and split.

    Returns
    -------
    dict
        Learning rate log-uniform from 0.0003 to 0.3, dropout uniform from 0 to 0.8, hidden units log-uniform,
        4 to 128, weight decay from 0.000001 to 0.01, batch size 64, 256 or 1,028.
    """
    rng = generator("setting", space, number)
    setting = {
        "learning_rate": float(f"{10 ** rng.uniform(-3.5, -0.5):.3g}"),
        "dropout": round(float(rng.uniform(0, 0.8)), 2),
        "hidden": round(2 ** rng.uniform(2, 7)),
        "weight_decay": float(f"{10 ** rng.uniform(-6, -2):.3g}"),
        "batch_size": int(rng.choice([64, 256, 1028])),
    }
    return {**setting, **FIXED} if space == "narrow" else setting


def settings_parts(data, split):
    """Return training, dev and test items of one split of a corpus, and the test items' halves.

    Parameters
    ----------
    data : str
    split : int

    Returns
    -------
    train, dev, first, second : ndarray of int
    """
    items, rng = load(data), generator("settings", data, split)
    chosen = divide(items, sum(PARTS.values()), rng)[1]
    train, rest = divide(items, PARTS["dev"] + PARTS["test"], rng, among=chosen)
    dev, test = divide(items, PARTS["test"], rng, among=rest)
    return train, dev, *divide(items, 0.5, rng, among=test)


def settings(data, split, space, number, **setting):
    """Train the shallow classifier once with a random setting.

    Parameters
    ----------
    data : str
    split : int
    space, number
        As `drawn` takes them.
    **setting

    Returns
    -------
    dict
        Training error and accuracy at the end; macro F1 on the dev part by epoch; of its best epoch,
        the accuracy on either half of the test part, and of the last one, its macro F1 on the whole.
    """
    items = load(data)
    train, dev, first, second = settings_parts(data, split)
    run = systems.Shallow(items, train, dev, first, second).train(1000 * split + number, **setting)
    best = run.best_epoch - 1
    sizes = np.array([len(first), len(second)])
    return {
        "error": round(float(run.error[-1]), 6),
        "train_accuracy": round(run.train_accuracy, 6),
        "dev_curve": pack(run.curves[0, 1], ".4f"),
        "best_epoch": run.best_epoch,
        "dev": round(float(run.curves[0, 1, best]), 6),
        "first": round(float(run.curves[1, 0, best]), 6),
        "second": round(float(run.curves[2, 0, best]), 6),
        "last_f1": round(float(run.curves[1:, 1, -1] @ sizes / sizes.sum()), 6),
    }


# ---------------------------------------------------------------------------------------------
# Guided search over two hyperparameters
# ---------------------------------------------------------------------------------------------

TWO = ("learning_rate", "dropout")
RESTARTS = 12


def guided(restart, trials):
    """Search by a guided sampler over the two hyperparameters of the MLP that matter most.

    Parameters
    ----------
    restart, trials : int

    Returns
    -------
    dict
        As `evalkit.experiments.searches` records its guided searches over all six.
    """
    task, tests = datasets.package_task(), []
    space = {name: searches.SPACE[name] for name in TWO}

    def objective(setting):
        whole = {**searches.FIXED, **setting}
        run = models.train_network(task, "mlp", whole, 1000 * (restart + 1) + len(tests))
        tests.append(run.test)
        return run.validation

    made = search(objective, space, method="guided", n_trials=trials, rng=restart)
    return {
        "best": round(float(made.best.score), 6),
        "validations": pack(made.table.score, ".6f"),
        "tests": pack(tests, ".6f"),
    }
