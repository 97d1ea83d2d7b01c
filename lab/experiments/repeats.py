"""What pages show of one division of the data, over more of them than a page has the
seconds for.

A page runs the first of them live and reads the others here. Of the chapter on
J-K-fold:

- `searches`: what a search that averages J partitions chooses in a recorded grid, and
  what that is worth;
- `worths`: the same by both ends of a tie, with standard errors.

Of the chapter on splits:

- `relatives`: the lines of a test set that an SVM gets right, without their relatives
  in train or without as many lines at random;
- `kinds`: how well an SVM tells lines on classes from lines on functions, with more or
  less of their package in train;
- `losses`: what it loses on a package of which it has seen nothing.

Of the chapter on baselines, about the docstring sample:

- `by_lines`: how many lines more than the dummy an SVM gets right, where a module may
  have lines on both sides;
- `lengths`: the errors of a ridge regression that predicts the length of a docstring
  from its first line;
- `parts`: the accuracy of an SVM that sees a part of each line alone.
"""

import functools

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import RidgeCV
from sklearn.metrics import f1_score, r2_score
from sklearn.model_selection import (
    KFold,
    LeavePGroupsOut,
    StratifiedGroupKFold,
    StratifiedKFold,
    cross_val_predict,
)
from sklearn.pipeline import make_pipeline

from evalkit.intervals import group_interval
from evalkit.jkfold import choice_variability
from evalkit.splits import near_duplicate_groups, tokenize, train_dev_test
from lab.data import datasets
from lab.experiments import grids, resplits
from lab.record.experiment import Experiment
from lab.record.tables import pack

SPLITS = 12

J = range(1, 17)
K = (5, 10)
GROUPS = 10_000
COMPARED = {10: (1, 2, 4), 5: (2, 4, 8)}  # J, by K: as many models each way
LEFT_OUT = (
    16  # parts of the partitions, each of which is left out once for a standard error
)

REMOVALS = {0: 20, 1: 5, 2: 5, 3: 5}  # at random, by split; -1 is that of the relatives

KIND_FOLDS, KIND_SHUFFLES = 6, 4
# Of one interval, and of all six at once.
LEVELS = (
    0.95,
    1 - 0.05 / len(datasets.PACKAGES),
)


def _plan(scale, rows):
    """Return the units; none depends on another."""
    return [
        *(
            {"table": "searches", "task": task, "k": k, "j": j}
            for task in ("docstrings", "digits")
            for k in K
            for j in J
        ),
        *(
            {"table": "worths", "task": task, "k": k, "j": j}
            for task in ("docstrings", "digits")
            for k, sizes in COMPARED.items()
            for j in sizes
        ),
        *(
            {"table": "relatives", "split": split, "removal": removal}
            for split, removals in REMOVALS.items()
            for removal in (-1, *range(removals))
        ),
        {"table": "kinds", "known": "nothing", "seed": 0},
        *(
            {"table": "kinds", "known": known, "seed": seed}
            for known in ("package", "module")
            for seed in range(KIND_SHUFFLES)
        ),
        *(
            {"table": "losses", "package": package, "level": level}
            for package in datasets.PACKAGES
            for level in LEVELS
        ),
        *(
            {"table": table, "split": split}
            for table in ("by_lines", "lengths", "parts")
            for split in range(SPLITS)
        ),
    ]


def _searches(task, k, j):
    """Return how often groups of J partitions choose each setting, and the worth of
    what they choose.
    """
    scores, truth = grids.recorded_scores(task, k=k)
    sizes = sorted({1, j})
    without = []
    for part in np.array_split(np.arange(len(scores)), LEFT_OUT):
        others = np.delete(scores, part, axis=0)
        rest = choice_variability(others, sizes, n_groups=GROUPS // 8, rng=0)
        worth = rest.shares @ truth
        without.append((rest.table.agreement[j], worth[j] - worth[1]))
    found = choice_variability(scores, sizes, n_groups=GROUPS, rng=0)
    worth, of_j = found.shares @ truth, found.table.loc[j]
    # The jackknife: from what a number is without each part of the partitions.
    agreement_error, gain_error = np.sqrt((LEFT_OUT - 1) * np.var(without, axis=0))
    return {
        "items": len(grids.sample_items(task, 0)),
        "partitions": len(scores),
        "groups": GROUPS,
        "worth": float(worth[j]),
        "worth_of_one": float(worth[1]),
        "gain_error": float(gain_error),
        "agreement": float(of_j.agreement),
        "agreement_of_one": float(found.table.agreement[1]),
        "agreement_error": float(agreement_error),
        "tied": float(of_j.tied),
        "sd_estimate": float(of_j.sd_estimate),
        "chosen": pack(np.rint(GROUPS * found.shares.loc[j].to_numpy()).astype(int)),
    }


def measure(scores, truth, j, n_groups):
    """Return what a search is worth by both ends of a tie, and how much what it reports
    scatters.

    Parameters
    ----------
    scores : ndarray of float, shape (n_partitions, n_settings)
    truth : ndarray of float, shape (n_settings,)
    j : int
        Partitions that a search averages.
    n_groups : int
        Searches.

    Returns
    -------
    dict of str to float
        `first` and `last`, the worth where the first or the last of equals is chosen,
        and `log_sd`, the logarithm of the standard deviation of the score that is
        reported.
    """
    first, last = (
        choice_variability(scores, j, n_groups=n_groups, ties=ties, rng=1)
        for ties in ("first", "last")
    )
    worth = [found.shares.loc[j].to_numpy() @ truth for found in (first, last)]
    return {
        "first": float(worth[0]),
        "last": float(worth[1]),
        "log_sd": float(np.log(first.table.sd_estimate[j])),
    }


def _worths(task, k, j):
    """Return what is measured, each with its standard error by the jackknife."""
    scores, truth = grids.recorded_scores(task, k=k)
    without = [
        list(measure(np.delete(scores, part, axis=0), truth, j, 4000).values())
        for part in np.array_split(np.arange(len(scores)), LEFT_OUT)
    ]
    measured = measure(scores, truth, j, GROUPS)
    errors = np.sqrt((LEFT_OUT - 1) * np.var(without, axis=0))
    return measured | {
        f"{name}_error": float(e) for name, e in zip(measured, errors, strict=True)
    }


@functools.cache
def _with_relatives():
    """Return lines of the corpus as it comes, repetitions and all, their words and who
    is alike.
    """
    lines = datasets.load_docstrings()
    lines = lines[lines.summary.str.split().str.len() >= 3]
    lines = lines.sample(10_000, random_state=0).reset_index(drop=True)
    return lines, lines.summary.map(tokenize), near_duplicate_groups(lines.summary)


def _relatives(split, removal):
    """Return which test lines are right without their relatives (-1), or without as
    many lines at random.
    """
    lines, words, alike = _with_relatives()
    train, _, test = train_dev_test(lines.package, dev=0, test=0.2, rng=split)
    kept = train[~np.isin(alike[train], alike[test])]
    if removal >= 0:
        # One for all removals: that of each follows from those before it.
        rng = np.random.default_rng(split)
        for _ in range(removal + 1):
            kept_at_random = rng.choice(train, len(kept), replace=False)
        kept = kept_at_random
    system = resplits.build_system("svm").set_params(tfidfvectorizer__analyzer=list)
    right = (
        system.fit(words[kept], lines.package[kept]).predict(words[test])
        == lines.package[test]
    )
    return {
        "n_train": len(kept),
        "accuracy": float(right.mean()),
        "right": pack(right.astype(int)),
    }


@functools.cache
def _described():
    """Return the lines that describe a class or a function, and whether each is a
    class.
    """
    lines = resplits.draw_lines()
    lines = lines[lines.kind != "module"]
    return lines, lines.kind.eq("class")


@functools.cache
def _says_class(known, seed):
    """Return what an SVM says of each of these lines that it was not trained on."""
    lines, is_class = _described()
    shuffled = {"shuffle": True, "random_state": seed}
    folds, groups = {
        "nothing": (LeavePGroupsOut(1), lines.package),
        "package": (StratifiedGroupKFold(KIND_FOLDS, **shuffled), lines.module),
        "module": (StratifiedKFold(KIND_FOLDS, **shuffled), None),
    }[known]
    return cross_val_predict(
        resplits.build_system("svm"), lines.summary, is_class, cv=folds, groups=groups
    )


def _kinds(known, seed):
    """Return F1 on the lines of each package, in the order of the alphabet."""
    lines, is_class = _described()
    says = _says_class(known, seed)
    packages = [lines.package == package for package in sorted(lines.package.unique())]
    scores = [
        float(f1_score(is_class[lines_of], says[lines_of])) for lines_of in packages
    ]
    return {"mean_f1": float(np.mean(scores)), "f1": pack(scores, ".17g")}


def _losses(package, level):
    """Return how much F1 is lost where a package is unseen, and an interval over its
    modules.
    """
    lines, is_class = _described()
    truth = is_class.to_numpy()
    says = np.column_stack(
        [
            *(_says_class("package", seed) for seed in range(KIND_SHUFFLES)),
            _says_class("nothing", 0),
        ]
    )

    def loss(rows):
        right, called = truth[rows.astype(int), None], says[rows.astype(int)]
        hits = np.sum(right & called, axis=0)
        f1 = 2 * hits / np.maximum(right.sum() + called.sum(axis=0), 1)
        return f1[:-1].mean() - f1[-1]

    rows = np.flatnonzero(lines.package == package)
    interval = group_interval(
        rows,
        lines.module.iloc[rows],
        loss,
        method="percentile",
        confidence_level=level,
        n_resamples=2999,
        rng=0,
    )
    return {"lost": float(loss(rows)), "low": interval.low, "high": interval.high}


@functools.cache
def _sample():
    """Return the docstring sample and its words."""
    lines = resplits.draw_lines()
    return lines, lines.summary.map(tokenize)


def _divide(split, *, by_module=True):
    lines, _ = _sample()
    groups = lines.module if by_module else None
    train, _, test = train_dev_test(
        lines.package, dev=0, test=0.25, groups=groups, rng=split
    )
    return train, test


def _by_lines(split):
    """Return how many lines an SVM gets right beyond the dummy's "other", asked whether
    they are numpy's.
    """
    lines, words = _sample()
    answer = lines.package.eq("numpy").map({True: "numpy", False: "other"})
    train, test = _divide(split, by_module=False)
    system = resplits.build_system("svm").set_params(tfidfvectorizer__analyzer=list)
    says = system.fit(words[train], answer[train]).predict(words[test])
    return {
        "gained": int((says == answer[test]).sum() - (answer[test] == "other").sum())
    }


def _lengths(split):
    """Return the errors of a prediction of length in 1,000 characters, and those of two
    constants.
    """
    lines, words = _sample()
    length = lines.text.str.len().to_numpy() / 1000
    train, test = _divide(split)
    ridge = make_pipeline(
        TfidfVectorizer(analyzer=list, sublinear_tf=True),
        RidgeCV(np.logspace(-1, 2, 13), cv=KFold(5, shuffle=True, random_state=0)),
    )
    predicted = ridge.fit(words[train], length[train]).predict(words[test])
    return {
        "r2": r2_score(length[test], predicted),
        "mae": float(np.abs(length[test] - predicted).mean()),
        "mse": float(np.mean((length[test] - predicted) ** 2)),
        "mae_of_mean": float(np.abs(length[test] - length[train].mean()).mean()),
        "mse_of_mean": float(np.mean((length[test] - length[train].mean()) ** 2)),
        "mae_of_median": float(np.abs(length[test] - np.median(length[train])).mean()),
    }


def _parts(split):
    """Return the accuracy of an SVM that sees a whole line, or one part of each, and
    that of a dummy.
    """
    lines, words = _sample()
    in_words = lines.summary.str.split()
    texts = {
        "line": words,
        "name": lines.name.where(lines.name != "", "module"),
        "first_word": in_words.str[0],
        "number_of_words": "n" + in_words.str.len().astype(str),
    }
    train, test = _divide(split)
    found = {"dummy": float(lines.package[test].eq("torch").mean())}
    for name, text in texts.items():
        system = resplits.build_system("svm")
        if name == "line":
            system.set_params(tfidfvectorizer__analyzer=list)
        says = system.fit(text[train], lines.package[train]).predict(text[test])
        found[name] = float(np.mean(says == lines.package[test]))
    return found


EXPERIMENT = Experiment(
    name="repeats",
    # Another kind of CPU may turn a line or two, and break a tie between settings
    # otherwise.
    compared={
        "agreement": 0.02,
        "worth": 0.002,
        "first": 0.002,
        "accuracy": 0.002,
        "mean_f1": 0.01,
        "lost": 0.02,
        "gained": 2,
        "r2": 0.001,
        "line": 0.004,
    },
    plan=_plan,
    tables={
        "searches": _searches,
        "worths": _worths,
        "relatives": _relatives,
        "kinds": _kinds,
        "losses": _losses,
        "by_lines": _by_lines,
        "lengths": _lengths,
        "parts": _parts,
    },
)
