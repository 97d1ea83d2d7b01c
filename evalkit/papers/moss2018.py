"""Moss, Leslie and Rayson (2018), Using J-K-fold Cross Validation to Reduce Variance When Tuning NLP Models.

What they print, from the matrices they released:

- `computed`: each printed figure; `choices` and `by_folds`: what the printed figures draw;
- `orderings`, `optimism`, `as_run`, `exchangeable`: what the tables do not show: which orderings
  survive other partitions, what choosing does to an estimate, a setting that was decoded as another
  one, and rows that are not independent;
- `adaptive`: a step beyond: repeat until another shuffle would not choose anything better by much.

And their four tasks, trained again with code of our own, to judge what the paper claims:

- `partitions`: how many answers each setting of the grid has right in one K-fold cross-validation;
- `truth`: the same on held-out items, for models that were fitted on the whole training set;
- `baselines`: the best dummy and a simple model in the same cross-validation;
- `estimates`: one setting of the forest, estimated by single splits and by K-fold cross-validation;
- `forests`: the same again with the forest's own seed apart from the partition;
- `larger`: the same with forests of ten times as many trees; `reseeded`: those on one partition;
- `shortcut`: what shared kernels save, beside scikit-learn's own grid search.

An own run judges claims, never the printed numbers of other data.
"""

import time
from typing import ClassVar

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV, KFold, ShuffleSplit, StratifiedKFold
from sklearn.svm import SVC

from evalkit import runs
from evalkit.datasets import DATA
from evalkit.papers import _moss2018_released as audit
from evalkit.papers import _moss2018_tasks as tasks
from evalkit.papers import _moss2018_verdicts as judging

# (task, sample, K) to the number of partitions, in the order in which they are run.
PARTITIONS = {
    ("reuters", 0, 5): 1000, ("reuters", 0, 10): 1000,
    ("reuters-once", 0, 5): 400, ("reuters-once", 0, 10): 200,
    ("treebank", 0, 5): 30, ("twitter", 0, 5): 6, ("imdb", 0, 5): 60,
    ("treebank-lbfgs", 0, 5): 2, ("treebank", 0, 10): 30,
    **{("imdb", sample, 5): 4 for sample in range(1, tasks.Imdb.SAMPLES)},
    ("imdb", 0, 10): 10,
}  # fmt: skip
BASELINES = 20  # partitions, fewer where a task has fewer

# Forests and networks are random themselves: the truth of a setting is a mean over this many.
TRUTHS = {"treebank": 1, "twitter": 3, "imdb": 2}

# Figure 1 of the paper: one forest, estimated in many ways.
FIXED = 0.1
FOLDS = (2, 5, 10, 20)
ESTIMATES = 200

# The partition and the forest's own seed, crossed; and forests with less randomness of their own.
FORESTS = 20
LARGER, TREES = 40, 1000


def grid(task):
    """Return the settings of a task, in the order of the recorded counts.

    Parameters
    ----------
    task : str
        A key of `TASKS`.

    Returns
    -------
    pandas.DataFrame
        One row for each setting, one column for each hyperparameter.
    """
    settings = runs.load_recorded("moss2018", "settings")
    return settings[settings.task == task].drop(columns="task").dropna(axis="columns").reset_index(drop=True)


def recorded_scores(task, *, k=5, sample=0):
    """Read the recorded accuracies of a task.

    Parameters
    ----------
    task : str
    k : int, default 5
    sample : int, default 0

    Returns
    -------
    ndarray of float, shape (n_partitions, n_settings)
        In the order of the partitions' seeds.
    """
    table = runs.load_recorded("moss2018", "partitions")
    rows = table[(table.task == task) & (table.k == k) & (table["sample"] == sample)].sort_values("partition")
    if rows.empty:
        raise ValueError(f"nothing is recorded for k = {k} on sample {sample} of {task}")
    return runs.accuracies(rows)


def recorded_truth(task, *, sample=0):
    """Read the recorded accuracy of each setting on held-out items.

    Parameters
    ----------
    task : str
    sample : int, default 0

    Returns
    -------
    ndarray of float, shape (n_fits, n_settings)
    """
    table = runs.load_recorded("moss2018", "truth")
    rows = table[(table.task == task) & (table["sample"] == sample)]
    if rows.empty:
        raise ValueError(f"no truth is recorded for sample {sample} of {task}")
    return runs.accuracies(rows)


def recorded_orderings():
    """Read how the lower K compares with the higher one at equal cost, in the released matrices.

    Left out are comparisons that those matrices cannot bear: of the LSTM's width, whose neighbouring
    rows are alike, and of its penalty on the input, where a choice was decoded as a setting that was
    never run.

    Returns
    -------
    pandas.DataFrame
        One row for each pair of procedures `a` and `b` and `quantity`: the `ratio` of SDs, b over a, and
        its 95 % interval (`low`, `high`) over resampled partitions.
    """
    table = runs.load_recorded("moss2018", "orderings")
    kept = (table.task != "lstm") & (table.quantity != "sd_chosen_input") & (table.a != "1-20")
    return table[kept].reset_index(drop=True)


def _folds(items, k, partition):
    """Return the (train, test) pairs of one partition; without strata, as in the paper."""
    folds = KFold(k, shuffle=True, random_state=partition)
    return [(items[train], items[test]) for train, test in folds.split(items)]


AUDIT = {
    "computed": lambda id: audit.computed(id),
    "choices": audit.choices,
    "by_folds": audit.by_folds,
    "orderings": audit.ordering,
    "optimism": audit.optimism,
    "exchangeable": audit.exchangeable,
    "adaptive": audit.adaptive,
    "as_run": audit.as_run,
}


def _procedures(task):
    """Return the (J, K) that the tables and figures on a task show."""
    if task == "rf":
        return [*((j, 5) for j in range(1, 11)), (1, 10), (2, 10), (1, 20)]
    return [(1, 5), (1, 10), (2, 5), (2, 10), (4, 5), (4, 10), (8, 5)]


def _audit():
    """Return the units that need no training."""
    published = pd.read_csv(DATA / "published" / "moss2018.csv")
    units = [{"table": "computed", "id": name} for name in published.id]
    for task in audit.TASKS.values():
        columns = {
            "reuters": ("sd_chosen_C", "sd_chosen_gamma"),
            "lstm-reg": ("sd_chosen_bias", "sd_chosen_input"),
        }
        for a, b in audit.FOREST_PAIRS if task == "rf" else audit.PAIRS:
            units += [
                {"table": "orderings", "task": task, "quantity": quantity, "a": a, "b": b}
                for quantity in (*columns.get(task, ("sd_chosen",)), "sd_accuracy")
            ]
        units += [{"table": "optimism", "task": task, "j": j, "k": k} for k in (5, 10) for j in (1, 2, 4, 8)]
        units += [{"table": "exchangeable", "task": task, "k": k} for k in (5, 10)]
        units += [{"table": "choices", "task": task, "j": j, "k": k} for j, k in _procedures(task)]
        units += [{"table": "by_folds", "task": task, "folds": k} for k in audit.BY_FOLDS.get(task, ())]
        units += [{"table": "adaptive", "task": task, "k": 5, "tolerance": t} for t in (0.1, 0.25, 0.5, 1.0)]
    return units + [{"table": "as_run", "j": j, "k": k} for j in (1, 2, 4, 8) for k in (5, 10)]


class Moss:
    """The experiment, as `evalkit.runs` runs it."""

    name = "moss2018"
    # Counts may move by a few items on another kind of machine, a network's by many.
    compared: ClassVar = {
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
    }

    def plan(self, scale, rows):
        """Return the units; none depends on another.

        Parameters
        ----------
        scale : {"recorded", "full"}
            "full" has 1,000 partitions of every task, as the paper has.
        rows : list of dict
            Not used.

        Returns
        -------
        list of dict
        """
        units = _audit() + [{"table": "shortcut", "partition": p} for p in range(3)]
        units += [
            {"table": "forests", "partition": p, "forest": f} for p in range(FORESTS) for f in range(FORESTS)
        ]
        units += [{"table": "larger", "trees": TREES, "partition": p} for p in range(LARGER)]
        units += [{"table": "reseeded", "trees": TREES, "partition": 0, "forest": f} for f in range(FORESTS)]
        units += [
            {"table": "estimates", "by": by, "k": k, "partition": p}
            for p in range(1000 if scale == "full" else ESTIMATES)
            for k in FOLDS
            for by in ("split", "folds")
        ]
        units += [{"table": "estimates", "by": "strata", "k": 5, "partition": p} for p in range(ESTIMATES)]
        for (task, sample, k), n in PARTITIONS.items():
            of_task = {"task": task, "sample": sample, "k": k}
            n = 1000 if scale == "full" else n
            units += [{"table": "partitions", **of_task, "partition": p} for p in range(n)]
            if task != "treebank-lbfgs":
                units += [{"table": "baselines", **of_task, "partition": p} for p in range(min(n, BASELINES))]
            if k == 5 and task in TRUTHS:
                units += [
                    {"table": "truth", "task": task, "sample": sample, "fit": f} for f in range(TRUTHS[task])
                ]
        return units

    def run(self, unit):
        """Score one grid on one partition, or what else the table holds.

        Parameters
        ----------
        unit : dict
            As `plan` returns them.

        Returns
        -------
        dict
        """
        if unit["table"] in AUDIT:
            start = time.process_time()
            result = AUDIT[unit["table"]](**{key: value for key, value in unit.items() if key != "table"})
            return {**result, "seconds": round(time.process_time() - start, 2)}
        task = tasks.load(unit.get("task", "imdb"))
        start = time.process_time()
        items = task.sample(unit.get("sample", 0))
        if unit["table"] == "shortcut":
            return self._shortcut(unit["partition"])
        if unit["table"] in ("forests", "larger", "reseeded", "estimates"):
            result = {"estimate": self._estimate(task, items, unit)}
        elif unit["table"] == "baselines":
            rights = [task.baselines(*fold) for fold in _folds(items, unit["k"], unit["partition"])]
            result = {"items": len(items), **{name: sum(r[name] for r in rights) for name in rights[0]}}
        elif unit["table"] == "truth":
            scored = task.held_out(unit["sample"])
            result = self._counts(scored, task.count_right(items, scored, unit["fit"]))
        else:
            folds = _folds(items, unit["k"], unit["partition"])
            seeds = np.random.SeedSequence([unit["partition"], unit["k"]]).generate_state(len(folds))
            right = [task.count_right(*fold, int(s)) for fold, s in zip(folds, seeds, strict=True)]
            result = self._counts(items, sum(right))
        return {**result, "seconds": round(time.process_time() - start, 2)}

    def _counts(self, scored, right):
        return {
            "items": len(scored),
            "mean_right": float(right.mean()),
            "right": " ".join(map(str, right)),
        }

    def _estimate(self, task, items, unit):
        """Return the accuracy of one forest, by one split or by cross-validation."""
        forest = unit.get("forest", unit["partition"])
        k = unit.get("k", 5)
        if unit.get("by") == "split":
            ((train, test),) = ShuffleSplit(1, test_size=1 / k, random_state=unit["partition"]).split(items)
            return task.forest(FIXED, items[train], items[test], forest) / len(test)
        folds = _folds(items, k, unit["partition"])
        if unit.get("by") == "strata":
            strata = StratifiedKFold(k, shuffle=True, random_state=unit["partition"])
            folds = [(items[a], items[b]) for a, b in strata.split(items, task.labels[items])]
        seeds = np.random.SeedSequence([forest, k]).generate_state(len(folds))
        trees = {"trees": unit["trees"]} if "trees" in unit else {}
        right = [task.forest(FIXED, *fold, int(s), **trees) for fold, s in zip(folds, seeds, strict=True)]
        return sum(right) / len(items)

    def _shortcut(self, partition):
        """Time one 5-fold search with shared kernels and as a plain grid search; both must agree."""
        task = tasks.load("reuters")
        folds = _folds(task.sample(0), 5, partition)
        start = time.process_time()
        right = sum(task.count_right(*fold, 0) for fold in folds)
        middle = time.process_time()
        grid = {"C": list(task.C), "gamma": list(task.GAMMA)}
        search = GridSearchCV(SVC(), grid, cv=folds, scoring="accuracy", refit=False)
        search.fit(TfidfVectorizer().fit_transform(task.texts), task.labels)
        end = time.process_time()
        # The folds are equally large, so that their mean is the share of all.
        differ = np.abs(search.cv_results_["mean_test_score"] * len(task.labels) - right).max()
        return {
            "shared": round(middle - start, 3),
            "plain": round(end - middle, 3),
            "differ": int(np.round(differ)),
            "seconds": round(end - start, 2),
        }

    def extra_tables(self, rows):
        """Return the grids of settings, in the order of the counts, and what follows for each claim.

        Parameters
        ----------
        rows : list of dict
            All of them.

        Returns
        -------
        dict of str to pandas.DataFrame
        """
        names = sorted({task for task, _, _ in PARTITIONS})
        grids = {name: tasks.load(name).grid for name in names}
        settings = pd.concat([of_task.assign(task=name) for name, of_task in grids.items()])
        return {
            "settings": settings[["task", *settings.columns.drop("task")]],
            "verdicts": judging.verdicts(rows, grids),
        }


EXPERIMENT = Moss()
