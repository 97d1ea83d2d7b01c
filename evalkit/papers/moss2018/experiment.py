"""The experiment: what is run for Moss et al. (2018), and what follows from it.

What they print, from the matrices they released:

- `computed`: each printed figure; `tried`: in how many other ways its file gives an SD; `choices`,
  `held_out` and `by_folds`: what the printed figures draw;
- `orderings`, `optimism`, `two_files`, `as_run`, `exchangeable`, `overlap`: what the tables do not show:
  which orderings survive other partitions, what choosing does to an estimate, a file that has not the
  folds of its name, a setting that was decoded as another one, rows that are not independent, and
  whether their seeds can be why;
- `adaptive`: a step beyond: repeat until another shuffle would not choose anything better by much.

And their four tasks, trained again by the set-ups that they released, to judge what the paper claims:

- `partitions`: how many answers each setting of the grid has right in one K-fold cross-validation;
- `truth`: the same on held-out items, for models that were fitted on the whole training set, and how it
  varies with the items;
- `baselines`: the best dummy and a simple model in the same cross-validation;
- `estimates`: one setting of the forest, estimated by single splits and by K-fold cross-validation;
- `forests`: the same again with the forest's own seed apart from the partition;
- `larger`: the same with forests of ten times as many trees; `reseeded`: those on one partition;
- `stopping`: one LSTM, estimated with other sets that say when to stop;
- `shortcut`: what shared kernels save, beside scikit-learn's own grid search.

An own run judges claims, never the printed numbers of other data.
"""

import pandas as pd

from evalkit._data import DATA
from evalkit.experiment import Experiment
from evalkit.papers.moss2018 import audit, claims, tasks

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
    ("treebank-ordered", 0, 5): 4,
    ("treebank-lbfgs", 0, 5): 2,
    ("imdb-words", 0, 5): 4,
    ("twitter", 0, 5): 6,
}
BASELINES = 20  # partitions, fewer where a task has fewer

# Forests and networks are random themselves: (task, sample) to how many are fitted for the truth.
TRUTHS = {
    **{("treebank", sample): 1 for sample in range(tasks.Treebank.SAMPLES)},
    ("treebank-ordered", 0): 1,
    ("imdb", 0): 5,
    **{("imdb", sample): 1 for sample in range(1, tasks.Imdb.SAMPLES)},
    ("imdb-words", 0): 1,
    ("twitter", 0): 3,
}

# Figure 1 of the paper: one forest, estimated in many ways; K to the number of partitions. A claim is
# judged on four of these, beyond the figure's end too.
ESTIMATES = {**dict.fromkeys(range(2, 15), 30), **dict.fromkeys((2, 5, 10, 20), 200)}

# The partition and the forest's own seed, crossed; and forests with less randomness of their own.
FORESTS = 20
LARGER, TREES = 40, 1000

# Partitions with one set for stopping, and sets for stopping on one partition.
STOPPING = 20


def _procedures(task):
    """Return the (J, K) that the tables and figures on a task show."""
    if task == "rf":
        return [*((j, 5) for j in range(1, 11)), (1, 10), (2, 10), (1, 20)]
    return [(1, 5), (1, 10), (2, 5), (2, 10), (4, 5), (4, 10), (8, 5)]


def _audit():
    """Return the units that need no training."""
    published = pd.read_csv(DATA / "published" / "moss2018.csv")
    units = [{"table": "computed", "id": name} for name in published.id]
    units += [{"table": "tried", "id": name} for name in published.id if "/sd_" in name]
    for task in audit.TASKS.values():
        columns = {"lstm-reg": ("sd_chosen_bias", "sd_chosen_input")}
        pairs = audit.FOREST_PAIRS if task == "rf" else audit.PAIRS
        for a, b in [] if task == audit.MISNAMED[0] else pairs:
            units += [
                {"table": "orderings", "task": task, "quantity": quantity, "a": a, "b": b}
                for quantity in (*columns.get(task, ("sd_chosen",)), "sd_accuracy")
            ]
        units += [{"table": "optimism", "task": task, "j": j, "k": k} for k in (5, 10) for j in (1, 2, 4, 8)]
        units += [{"table": "two_files", "task": task}]
        units += [{"table": "exchangeable", "task": task, "k": k} for k in (5, 10)]
        units += [{"table": "choices", "task": task, "j": j, "k": k} for j, k in _procedures(task)]
        units += [{"table": "by_folds", "task": task, "folds": k} for k in audit.BY_FOLDS.get(task, ())]
        units += [{"table": "adaptive", "task": task, "k": 5, "tolerance": t} for t in (0.1, 0.25, 0.5, 1.0)]
    units += [{"table": "held_out", "task": "rf"}]
    units += [{"table": "as_run", "j": j, "k": k} for j in (1, 2, 4, 8) for k in (5, 10)]
    # At least six jobs of 99 rows have written 514.
    jobs = (6, 8, 12, 20, 40)
    return units + [{"table": "overlap", "jobs": n, "apart": a} for n in jobs for a in (0, 0.1, 0.5, 1, 2)]


def _plan(scale, rows):
    """Return the units; "full" has 1,000 partitions of every task, as the paper has."""
    full = scale == "full"
    units = _audit() + [{"table": "shortcut", "partition": p} for p in range(3)]
    units += [
        {"table": "forests", "partition": p, "forest": f} for p in range(FORESTS) for f in range(FORESTS)
    ]
    units += [{"table": "larger", "trees": TREES, "partition": p} for p in range(LARGER)]
    units += [{"table": "reseeded", "trees": TREES, "partition": 0, "forest": f} for f in range(FORESTS)]
    units += [
        {"table": "estimates", "by": by, "k": k, "partition": p}
        for k, n_partitions in ESTIMATES.items()
        for p in range(1000 if full else n_partitions)
        for by in ("split", "folds")
    ]
    units += [{"table": "estimates", "by": "strata", "k": 5, "partition": p} for p in range(ESTIMATES[5])]
    units += [{"table": "stopping", "partition": p, "stop": 0} for p in range(STOPPING)]
    units += [{"table": "stopping", "partition": 0, "stop": s} for s in range(1, STOPPING)]
    for (task, sample, k), n_partitions in PARTITIONS.items():
        shared = {"task": task, "sample": sample, "k": k}
        n = 1000 if full else n_partitions
        units += [{"table": "partitions", **shared, "partition": p} for p in range(n)]
        if task != "treebank-lbfgs":
            units += [{"table": "baselines", **shared, "partition": p} for p in range(min(n, BASELINES))]
        if k == 5:
            fits = range(TRUTHS.get((task, sample), 0))
            units += [{"table": "truth", "task": task, "sample": sample, "fit": f} for f in fits]
    return units


def _extras(rows):
    """Return the grids of settings, in the order of the counts, and what follows for each claim."""
    grids = {name: tasks.GRIDS[name] for name in sorted({task for task, _, _ in PARTITIONS})}
    settings = pd.concat([grid.assign(task=name) for name, grid in grids.items()])
    return {
        "settings": settings[["task", *settings.columns.drop("task")]],
        "verdicts": claims.JUDGES.findings(tasks.Record(rows, grids)),
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
        "sd": 1e-9,
        "accuracy": 1e-9,
    },
    plan=_plan,
    tables={**audit.TABLES, **tasks.TABLES},
    extras=_extras,
    derived=tuple(audit.TABLES),
)
