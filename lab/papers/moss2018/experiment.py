"""The experiment: what is run for Moss et al. (2018), and what follows from it.

What they print, from the matrices they released:

- `computed`: each printed figure; `choices` and `held_out`: what the forest's search
  chooses, and what that is worth;
- `orderings`, `optimism`, `as_run`: what the tables do not show: which orderings
  survive other partitions, what choosing does to an estimate, and a setting that was
  decoded as another one.

And their four tasks, trained again by the set-ups that they released, to judge what the
paper claims:

- `partitions`: how many answers each setting of the grid has right in one K-fold
  cross-validation;
- `truth`: the same on held-out items, for models that were fitted on the whole training
  set, and how it varies with the items;
- `baselines`: the best dummy and a simple model in the same cross-validation;
- `estimates`: one setting of the forest, estimated with other numbers of folds, and
  with strata.

An own run judges claims, never the printed numbers of other data.
"""

import pandas as pd

from lab.data import DATA
from lab.papers.moss2018 import audit, claims, tasks
from lab.record.experiment import Experiment

# (task, sample, K) to the number of partitions, in the order in which they are run.
PARTITIONS = {
    ("reuters", 0, 5): 1000,
    ("reuters", 0, 10): 1000,
    ("reuters-once", 0, 5): 400,
    ("reuters-once", 0, 10): 200,
    ("reuters-words", 0, 5): 200,
    ("reuters-words", 0, 10): 200,
    **{("treebank", sample, 5): 12 for sample in range(tasks.Treebank.SAMPLES)},
    **{("treebank", sample, 10): 8 for sample in range(tasks.Treebank.SAMPLES)},
    ("imdb", 0, 5): 60,
    ("imdb", 0, 10): 10,
    **{("imdb", sample, 5): 4 for sample in range(1, tasks.Imdb.SAMPLES)},
    ("twitter", 0, 5): 6,
}
BASELINES = 20  # partitions, fewer where a task has fewer

# Forests and networks are random themselves: (task, sample) to how many are fitted for
# the truth.
TRUTHS = {
    **{("treebank", sample): 1 for sample in range(tasks.Treebank.SAMPLES)},
    ("imdb", 0): 5,
    **{("imdb", sample): 1 for sample in range(1, tasks.Imdb.SAMPLES)},
    ("twitter", 0): 3,
}

# One forest, estimated in many ways: so many partitions for each of these K.
FOLDS, ESTIMATES = (5, 10, 20), 200


def _audit():
    """Return the units that need no training."""
    published = pd.read_csv(DATA / "published" / "moss2018.csv")
    units = [{"table": "computed", "id": name} for name in published.id]
    for task in audit.TASKS.values():
        units += [
            {"table": "optimism", "task": task, "j": j, "k": k}
            for k in (5, 10)
            for j in (1, 2, 4, 8)
        ]
    # Of the other files some rows are alike, or one setting was decoded as another, or
    # ten folds are five.
    for task, pairs, chosen in (
        ("rf", audit.FOREST_PAIRS, "sd_chosen"),
        ("pos", audit.PAIRS, "sd_chosen"),
        ("lstm-reg", audit.PAIRS, "sd_chosen_bias"),
    ):
        units += [
            {"table": "orderings", "task": task, "quantity": quantity, "a": a, "b": b}
            for a, b in pairs
            for quantity in (chosen, "sd_accuracy")
        ]
    units += [{"table": "choices", "task": "rf", "j": j, "k": 5} for j in range(1, 11)]
    units += [{"table": "held_out", "task": "rf"}]
    return units + [
        {"table": "as_run", "j": j, "k": k} for j in (1, 2, 4, 8) for k in (5, 10)
    ]


def _plan(scale, rows):
    """Return the units; "full" has 1,000 partitions of every task, as the paper has."""
    full = scale == "full"
    units = _audit() + [
        {"table": "estimates", "by": "folds", "k": k, "partition": p}
        for k in FOLDS
        for p in range(1000 if full else ESTIMATES)
    ]
    units += [
        {"table": "estimates", "by": "strata", "k": 5, "partition": p}
        for p in range(ESTIMATES)
    ]
    for (task, sample, k), n_partitions in PARTITIONS.items():
        shared = {"task": task, "sample": sample, "k": k}
        n = 1000 if full else n_partitions
        units += [{"table": "partitions", **shared, "partition": p} for p in range(n)]
        units += [
            {"table": "baselines", **shared, "partition": p}
            for p in range(min(n, BASELINES))
        ]
        if k == 5:
            fits = range(TRUTHS.get((task, sample), 0))
            units += [
                {"table": "truth", "task": task, "sample": sample, "fit": f}
                for f in fits
            ]
    return units


def _extras(rows):
    """Return the grids of settings, in the order of the counts, and what follows for
    each claim.
    """
    grids = {
        name: tasks.GRIDS[name] for name in sorted({task for task, _, _ in PARTITIONS})
    }
    settings = pd.concat([grid.assign(task=name) for name, grid in grids.items()])
    verdicts, analyses = claims.JUDGES.findings(tasks.Record(rows, grids))
    return {
        "settings": settings[["task", *settings.columns.drop("task")]],
        "verdicts": verdicts,
        "analyses": analyses,
    }


EXPERIMENT = Experiment(
    name="moss2018",
    # Counts may move by a few items on another kind of machine, a network's by many.
    compared={
        "mean_right": 5.0,
        "dummy": 0,
        "simple": 3,
        "estimate": 0.02,
        "value": 1e-9,
        "ratio": 1e-9,
        "sd_maximum": 1e-9,
        "sd_as_run": 1e-9,
        "sd_estimate": 1e-9,
        "accuracy": 1e-9,
    },
    plan=_plan,
    tables={**audit.TABLES, **tasks.TABLES},
    extras=_extras,
    derived=tuple(audit.TABLES),
)
