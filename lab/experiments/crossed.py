"""Where the scatter comes from: the best recorded MLP setting, with two things varied
at a time.

Two tables, each a full cross with one run in every cell:

- `orders`: initialisation x data order (with dropout), on the book's own split;
- `splits`: seed x split. The test items stay; train and validation are divided anew.
"""

import dataclasses
import functools

import pandas as pd
from sklearn.model_selection import StratifiedGroupKFold

from evalkit._checks import check_int
from lab import models
from lab.data import datasets
from lab.experiments.pools import pack_predictions
from lab.record.experiment import Experiment
from lab.record.tables import recorded_rows

# Initialisations x orders, and seeds x splits.
CELLS = {
    "recorded": {"orders": (12, 12), "splits": (12, 8)},
    "full": {"orders": (30, 30), "splits": (30, 20)},
}


@functools.cache
def split_task(split):
    """Return the docstring task with its training and validation lines divided anew.

    Parameters
    ----------
    split : int
        From 0.

    Returns
    -------
    lab.data.datasets.TextTask
        One line in five validates, as before; whole modules stay together and each
        package keeps its share, as far as whole modules allow. The test lines are the
        same for every split.
    """
    check_int(split, "split", low=0)
    task = datasets.package_task()
    lines = pd.concat([task.train, task.validation], ignore_index=True)
    folds = StratifiedGroupKFold(n_splits=5, shuffle=True, random_state=split)
    train, validation = next(folds.split(lines, lines.label, lines.group))
    return dataclasses.replace(
        task,
        train=lines.iloc[train].reset_index(drop=True),
        validation=lines.iloc[validation].reset_index(drop=True),
    )


def _plan(scale, rows):
    """Return the units, those of one split together."""
    best = next(
        row["unit"]
        for row in recorded_rows("pools")
        if row["unit"]["table"] == "seeds" and row["unit"]["system"] == "mlp"
    )
    setting = {name: best[name] for name in models.SETTINGS["mlp"]}
    (inits, orders), (seeds, splits) = (
        CELLS[scale][table] for table in ("orders", "splits")
    )
    # Seeds that neither the search nor the pools have used, and no number twice: the
    # same number for both factors would draw weights and order from one stream.
    return [
        {"table": "splits", "seed": 20_000 + i, "split": j} | setting
        for j in range(splits)
        for i in range(seeds)
    ] + [
        {"table": "orders", "seed": 20_000 + i, "order_seed": 30_000 + j} | setting
        for j in range(orders)
        for i in range(inits)
    ]


def _train(task, settings, seed, order_seed=None):
    run = models.train_network(task, "mlp", settings, seed, order_seed=order_seed)
    return {
        "validation": round(run.validation, 6),
        "test": round(run.test, 6),
        "best_epoch": run.best_epoch,
        "test_predictions": pack_predictions(run.predictions),
    }


def _orders(seed, order_seed, **settings):
    return _train(datasets.package_task(), settings, seed, order_seed)


def _splits(seed, split, **settings):
    return _train(split_task(split), settings, seed)


EXPERIMENT = Experiment(
    name="crossed",
    # As for the pools: five standard deviations of what the seed alone does.
    compared={"validation": 0.05, "test": 0.05},
    plan=_plan,
    tables={"orders": _orders, "splits": _splits},
    seconds="clock",
)
