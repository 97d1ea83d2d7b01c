"""Five simple systems on nine data sets: the table that a test over several data sets
needs.

Three data sets are scikit-learn's; six are lines of documentation, one set for each
package: from which of its submodules does a line come? The score is the mean accuracy
over five folds, the same folds for every system; whole modules stay in one fold. Ten
shuffles make ten scores of each, whose mean counts.
"""

import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    StratifiedGroupKFold,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from evalkit._checks import check_choice
from evalkit.splits import tokenize
from lab.data import datasets
from lab.record.experiment import Experiment

TABLES = ("digits", "breast-cancer", "wine")
DATASETS = (*TABLES, *datasets.PACKAGES)
SYSTEMS = ("dummy", "naive Bayes", "linear", "5 neighbours", "tree")
FOLDS = 5

# A submodule is a class if its lines can fill every fold; then at most so many lines
# and classes, so that no class swamps the others.
MAX_LINES, MAX_CLASSES = 150, 6


def load(name):
    """Load one of the nine data sets.

    Parameters
    ----------
    name : str
        One of `DATASETS`.

    Returns
    -------
    X : DataFrame or Series
        Features, or lines of text.
    y : Series
    groups : Series or None
        The module of each line.
    """
    check_choice(name, "name", DATASETS)
    if name in TABLES:
        return *datasets.load_bundled(name), None
    lines = datasets.load_docstrings()
    lines = lines[(lines.package == name) & (lines.summary.str.split().str.len() >= 3)]
    lines = lines.drop_duplicates("near_duplicate").sort_values(
        ["module", "name", "summary"]
    )
    lines = lines.assign(submodule=lines.module.str.split(".").str[1])
    sizes = lines.groupby("submodule").module.agg(["size", "nunique"])
    sizes = sizes[sizes["nunique"] >= FOLDS].sort_values(
        "size", ascending=False, kind="stable"
    )
    rng = np.random.default_rng(2020)
    chosen = [
        pool.iloc[
            np.sort(rng.choice(len(pool), min(len(pool), MAX_LINES), replace=False))
        ]
        for submodule in sizes.index[:MAX_CLASSES]
        for pool in [lines[lines.submodule == submodule]]
    ]
    rows = np.concatenate([pool.index for pool in chosen])
    lines = lines.loc[rows]
    return lines.summary, lines.submodule, lines.module


def build(system, *, text, seed=0):
    """Return an untrained system for text or for a table, at scikit-learn's settings.

    Parameters
    ----------
    system : str
        One of `SYSTEMS`.
    text : bool
    seed : int, default 0
        By which a tree decides between features that are equally good.

    Returns
    -------
    scikit-learn pipeline
    """
    check_choice(system, "system", SYSTEMS)
    model = {
        "dummy": DummyClassifier(strategy="most_frequent"),
        "naive Bayes": MultinomialNB() if text else GaussianNB(),
        "linear": LogisticRegression(max_iter=2000),
        "5 neighbours": KNeighborsClassifier(5),
        "tree": DecisionTreeClassifier(random_state=seed),
    }[system]
    features = (
        TfidfVectorizer(analyzer=tokenize, sublinear_tf=True)
        if text
        else StandardScaler()
    )
    return make_pipeline(features, model)


def _plan(scale, rows):
    """Return the units, each system on each data set, by several shuffles into five
    folds.
    """
    return [
        {"table": "scores", "dataset": name, "system": system, "seed": seed}
        for seed in range({"recorded": 10, "full": 100}[scale])
        for name in DATASETS
        for system in SYSTEMS
    ]


def _scores(dataset, system, seed):
    X, y, groups = load(dataset)
    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    folds = kind(FOLDS, shuffle=True, random_state=seed)
    model = build(system, text=groups is not None, seed=seed)
    scores = cross_val_score(model, X, y, groups=groups, cv=folds, scoring="accuracy")
    return {
        "accuracy": round(float(scores.mean()), 6),
        "items": len(y),
        "classes": int(y.nunique()),
    }


EXPERIMENT = Experiment(
    name="nine_datasets",
    # Nothing here is random but the folds and the tree, which have fixed seeds; another
    # CPU may break a tie.
    compared={"accuracy": 0.01},
    plan=_plan,
    tables={"scores": _scores},
    seconds="clock",
)
