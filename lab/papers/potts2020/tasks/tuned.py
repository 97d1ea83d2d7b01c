"""Random settings of the shallow classifier.

Each setting is tried on every split of every corpus, so that whatever a search would
have done, on this split or another one, on this corpus or another one, is looked up.
"""

import numpy as np

from lab.papers.potts2020.tasks import systems
from lab.papers.potts2020.tasks.data import divide, generator, load
from lab.record.tables import pack

SETTINGS_DATA = ("docstrings", "sst2", "tweets")
SETTINGS_SPLITS = 4
WIDE = 64
PARTS = {"train": 1500, "dev": 500, "test": 1800}


def drawn(number):
    """Draw a setting of the shallow classifier.

    Parameters
    ----------
    number : int
        The same setting for every corpus and split.

    Returns
    -------
    dict
        Learning rate log-uniform from 0.0003 to 0.3, dropout uniform from 0 to 0.8,
        hidden units log-uniform, 4 to 128, weight decay from 0.000001 to 0.01, batch
        size 64, 256 or 1,028.
    """
    rng = generator("setting", "wide", number)
    return {
        "learning_rate": float(f"{10 ** rng.uniform(-3.5, -0.5):.3g}"),
        "dropout": round(float(rng.uniform(0, 0.8)), 2),
        "hidden": round(2 ** rng.uniform(2, 7)),
        "weight_decay": float(f"{10 ** rng.uniform(-6, -2):.3g}"),
        "batch_size": int(rng.choice([64, 256, 1028])),
    }


def settings_parts(data, split):
    """Return training, dev and test items of one split of a corpus, and the test items'
    halves.

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
    space : "wide"
        All five hyperparameters are drawn.
    number : int
    **setting
        As `drawn` returns it.

    Returns
    -------
    dict
        Training error and accuracy at the end; macro F1 on the dev part by epoch; of
        its best epoch, the accuracy on either half of the test part, and of the last
        one, its macro F1 on the whole.
    """
    items = load(data)
    train, dev, first, second = settings_parts(data, split)
    run = systems.Shallow(items, train, dev, first, second).train(
        1000 * split + number, **setting
    )
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
