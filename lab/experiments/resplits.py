"""The docstring lines divided anew, again and again: what one split says of four
systems.

Three tables, on the same 4,000 lines:

- `splits`: train and test drawn 100 times at random, stratified by package, and by
  whole modules;
- `kfold`: cross-validation with 2, 3, 5 and 10 folds over 20 shuffles, every fold's
  score kept;
- `curve`: one tenth of the lines for test, and more and more of the others for
  training.
"""

import functools

import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from evalkit._checks import check_choice
from evalkit.splits import tokenize, train_dev_test
from lab.data import datasets
from lab.record.experiment import Experiment
from lab.record.tables import pack

SYSTEMS = ("dummy", "naive_bayes", "linear", "svm")
SCHEMES = ("random", "stratified", "grouped")
FOLDS = (2, 3, 5, 10)
SHARES = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
N_LINES = 4000
TEST_SHARE = 0.2
CURVE_TEST_SHARE = 0.1

SPLITS = {"recorded": 100, "full": 1000}
SHUFFLES = {"recorded": 20, "full": 200}
CURVES = {"recorded": 20, "full": 200}


@functools.cache
def _sample():
    """Draw the lines once: each package has about the share that it has in the
    corpus.
    """
    lines = datasets.load_docstrings()
    lines = lines[lines.summary.str.split().str.len() >= 3]
    lines = lines[lines.groupby("duplicate").package.transform("nunique") == 1]
    lines = lines.drop_duplicates("duplicate")
    chosen = np.random.default_rng(2020).choice(len(lines), N_LINES, replace=False)
    return lines.iloc[np.sort(chosen)].reset_index(drop=True)


def draw_lines():
    """Return the 4,000 summary lines of this experiment.

    Returns
    -------
    pandas.DataFrame
        Rows of `lab.data.datasets.load_docstrings`, in its order: lines of at least
        three words that stand in one package only, each once.
    """
    return _sample().copy()


def build_system(system):
    """Return an unfitted system, from texts to packages.

    Parameters
    ----------
    system : {"dummy", "naive_bayes", "linear", "svm"}

    Returns
    -------
    object
        A scikit-learn estimator. None of its settings was chosen on these lines.
    """
    check_choice(system, "system", SYSTEMS)
    if system == "dummy":
        return DummyClassifier(strategy="most_frequent")
    if system == "naive_bayes":
        return make_pipeline(
            CountVectorizer(analyzer=tokenize), MultinomialNB(alpha=0.1)
        )
    words = TfidfVectorizer(analyzer=tokenize, sublinear_tf=True)
    if system == "linear":
        return make_pipeline(words, LogisticRegression(C=10.0, max_iter=2000))
    return make_pipeline(words, LinearSVC(random_state=0))


def draw_split(scheme, number):
    """Draw one of the splits again.

    Parameters
    ----------
    scheme : {"random", "stratified", "grouped"}
    number : int

    Returns
    -------
    evalkit.splits.Split
        Without a dev part.
    """
    check_choice(scheme, "scheme", SCHEMES)
    lines = _sample()
    return train_dev_test(
        lines.package,
        dev=0,
        test=TEST_SHARE,
        stratify=scheme != "random",
        groups=lines.module if scheme == "grouped" else None,
        rng=np.random.default_rng([SCHEMES.index(scheme), number]),
    )


def _fit_and_predict(system, train, test):
    lines = _sample()
    return (
        build_system(system)
        .fit(lines.summary[train], lines.package[train])
        .predict(lines.summary[test])
    )


def _plan(scale, rows):
    """Return the units: every split, shuffle and share with every system."""
    splits = [
        {"table": "splits", "scheme": scheme, "split": number}
        for number in range(SPLITS[scale])
        for scheme in SCHEMES
    ]
    shuffles = [
        {"table": "kfold", "folds": folds, "shuffle": number}
        for number in range(SHUFFLES[scale])
        for folds in FOLDS
    ]
    curves = [
        {"table": "curve", "train_share": share, "split": number}
        for number in range(CURVES[scale])
        for share in SHARES
    ]
    return [
        {**unit, "system": system}
        for unit in splits + shuffles + curves
        for system in SYSTEMS
    ]


def _score(system, train, test):
    """Return the row of one division into train and test."""
    items = _sample()
    predicted = _fit_and_predict(system, train, test)
    return {
        "n_train": len(train),
        "n_test": len(test),
        "accuracy": round(float(np.mean(predicted == items.package[test])), 6),
        "macro_f1": round(
            float(f1_score(items.package[test], predicted, average="macro")), 6
        ),
    }


def _splits(scheme, split, system):
    train, _, test = draw_split(scheme, split)
    return _score(system, train, test)


def _kfold(folds, shuffle, system):
    lines = _sample()
    splitter = StratifiedKFold(folds, shuffle=True, random_state=shuffle)
    scores, right = [], 0
    for train, test in splitter.split(lines.summary, lines.package):
        correct = _fit_and_predict(system, train, test) == lines.package[test]
        scores.append(correct.mean())
        right += int(correct.sum())
    return {
        "accuracy": round(right / len(lines), 6),
        "fold_scores": pack(scores, ".6f"),
    }


def _curve(train_share, split, system):
    lines = _sample()
    # The same test lines for every share, and each training set holds the smaller ones.
    rng = np.random.default_rng([99, split])
    train, _, test = train_dev_test(
        lines.package, dev=0, test=CURVE_TEST_SHARE, rng=rng
    )
    train = np.sort(rng.permutation(train)[: round(train_share * len(lines))])
    return _score(system, train, test)


EXPERIMENT = Experiment(
    name="resplits",
    # Another kind of CPU may round a close decision the other way: we allow four lines
    # in 800.
    compared={"accuracy": 0.005},
    plan=_plan,
    tables={"splits": _splits, "kfold": _kfold, "curve": _curve},
    seconds="clock",
)
