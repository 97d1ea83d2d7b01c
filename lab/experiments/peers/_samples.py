"""Samples of known truth, from recorded runs; each function takes the number of a
sample and a generator.
"""

import functools

import numpy as np
import pandas as pd
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from lab.data import boards, datasets
from lab.experiments import leaderboards
from lab.experiments.pools import unpack_predictions
from lab.record.tables import load_recorded

FREQUENT = 0.95  # an item is easy if so many runs are right about it
DRAWN = 400  # data sets for splits
DIGITS = 300  # items of each
ON_BOARDS = 0.7  # how often the systems of a board are right
ANSWERS = 10  # to each problem of LiveCodeBench


@functools.cache
def _answers():
    """Return which recorded answers are right, a row per run and system, and the module
    of each item.
    """
    items = load_recorded("pools", "test_items")
    truth = items.package.map(
        {name: i for i, name in enumerate(datasets.PACKAGES)}
    ).to_numpy()
    runs = load_recorded("pools", "seeds")
    linear = load_recorded("pools", "baselines")
    linear = linear[(linear.system == "linear") & (linear.C == 0.1)].assign(
        system="linear"
    )
    right = {
        system: np.array(
            [
                unpack_predictions(text, len(truth)) == truth
                for text in rows.test_predictions
            ]
        )
        for system, rows in pd.concat([runs, linear]).groupby("system")
    }
    return right, items.module.astype("category").cat.codes.to_numpy()


@functools.cache
def _modules():
    """Return the items of each module."""
    _, module = _answers()
    return [np.flatnonzero(module == number) for number in range(module.max() + 1)]


@functools.cache
def _easy():
    """Return the items that nearly all runs get right."""
    right, _ = _answers()
    return np.flatnonzero(
        (right["mlp"].mean(axis=0) + right["lstm"].mean(axis=0)) / 2 >= FREQUENT
    )


def _centred_runs(system):
    right, _ = _answers()
    accuracies = right[system].mean(axis=1)
    return accuracies - accuracies.mean() + 0.6


def draw_runs(number, rng, systems, sizes, shift):
    a, b = (
        rng.choice(_centred_runs(system), size)
        for system, size in zip(systems, sizes, strict=True)
    )
    return {"a": a + shift, "b": b, "truth": shift}


def _two_models(rng, systems):
    """Choose a fitted model of each system, and return its right answers on all
    items.
    """
    right, _ = _answers()
    return [right[system][rng.integers(len(right[system]))] for system in systems]


def draw_items(number, rng, systems, size, exchanged, easy):
    pool = _easy() if easy else np.arange(len(_answers()[1]))
    a, b = (model[pool] for model in _two_models(rng, systems))
    truth = 0.0 if exchanged else a.mean() - b.mean()
    drawn = rng.integers(len(pool), size=size)
    a, b = a[drawn], b[drawn]
    if exchanged:
        other = rng.random(size) < 0.5
        a, b = np.where(other, b, a), np.where(other, a, b)
    return {"a": a.astype(float), "b": b.astype(float), "truth": truth}


def draw_groups(number, rng, systems, size, exchanged, smallest):
    pool = [items for items in _modules() if len(items) >= smallest]
    a, b = _two_models(rng, systems)
    every = np.concatenate(pool)
    truth = 0.0 if exchanged else a[every].mean() - b[every].mean()
    parts = []
    for group, which in enumerate(rng.integers(len(pool), size=size)):
        pair = (a[pool[which]], b[pool[which]])
        if exchanged and rng.random() < 0.5:
            pair = pair[::-1]
        parts.append((*pair, np.full(len(pool[which]), group)))
    a, b, groups = (np.concatenate(part) for part in zip(*parts, strict=True))
    return {
        "a": a.astype(float),
        "b": b.astype(float),
        "groups": groups,
        "truth": truth,
    }


def draw_answers(number, rng, size, answers):
    right, module = _answers()
    items = rng.integers(len(module), size=size)
    # Each item's answers are of one system or the other: as if two models were equally
    # good on all of them.
    other = rng.random(size) < 0.5
    drawn = {
        system: right[system][
            rng.integers(len(right[system]), size=(answers, size)), items
        ]
        for system in ("mlp", "lstm")
    }
    a, b = (
        np.where(other, drawn["lstm"], drawn["mlp"]),
        np.where(other, drawn["mlp"], drawn["lstm"]),
    )
    return {"a": a.astype(float), "b": b.astype(float), "truth": 0.0}


@functools.cache
def _family_share(icc, kind):
    return leaderboards.family_share(ON_BOARDS, icc, kind)


def draw_score(number, rng, families, icc):
    sizes, share = leaderboards.family_sizes(families), _family_share(icc, "score")
    right, groups = leaderboards.draw_answers([ON_BOARDS], sizes, share, rng, alike=0.0)
    return {"a": right[:, 0], "groups": groups, "truth": ON_BOARDS}


def draw_neighbours(number, rng, families, icc):
    sizes, share = leaderboards.family_sizes(families), _family_share(icc, "difference")
    right, groups = leaderboards.draw_answers([ON_BOARDS, ON_BOARDS], sizes, share, rng)
    return {"a": right[:, 0], "b": right[:, 1], "groups": groups, "truth": 0.0}


@functools.cache
def _ten_answers():
    """Return the share of ten answers that are right, a row per problem and a column
    per system.
    """
    _, shares = boards.livecodebench("generation")
    return shares.loc[:, ~shares.columns.str.contains("n=1", regex=False)].to_numpy()


def draw_several(number, rng, size):
    pool = _ten_answers()
    system = pool[:, rng.integers(pool.shape[1])]
    chances = system[rng.integers(len(system), size=size)]
    right = rng.random((ANSWERS, size)) < chances
    return {"a": right.astype(float), "truth": system.mean()}


def draw_utterances(number, rng, systems, size, exchanged, silent):
    pool = _modules()
    a, b = _two_models(rng, systems)
    truth = 0.0 if exchanged else b.mean() - a.mean()  # of error rates
    drawn = rng.integers(len(pool), size=size)
    words = np.array([len(pool[which]) for which in drawn])
    errors = np.array(
        [[np.sum(~model[pool[which]]) for which in drawn] for model in (a, b)]
    )
    if exchanged:
        other = rng.random(size) < 0.5
        errors = np.where(other, errors[::-1], errors)
    if silent:  # no word was said, and one of the two heard one
        words = np.append(words, 0)
        errors = np.column_stack([errors, rng.permutation([1, 0])])
    return {
        "errors_a": errors[0],
        "errors_b": errors[1],
        "words": words,
        "truth": truth,
    }


@functools.cache
def _trials(system):
    runs = load_recorded("pools", "search")
    runs = runs[runs.system == system]
    return runs.validation.to_numpy(), runs.test.to_numpy()


def draw_trials(number, rng, system, sizes):
    validation, test = _trials(system)
    sample = {"truth": 0.0, "items": 3000}
    for name, size in zip("ab", sizes, strict=True):
        drawn = rng.integers(len(test), size=size)
        sample[f"validation_{name}"], sample[f"test_{name}"] = (
            validation[drawn],
            test[drawn],
        )
    return sample


@functools.cache
def _scores():
    """Return the recorded scores: data sets, systems, shuffles; the dummy is left
    out.
    """
    rows = load_recorded("nine_datasets", "scores")
    rows = rows[rows.system != "dummy"].sort_values(["dataset", "system", "seed"])
    return rows.accuracy.to_numpy().reshape(
        rows.dataset.nunique(), rows.system.nunique(), -1
    )


def draw_datasets(number, rng, size):
    scores = _scores()
    drawn = (
        np.arange(len(scores))
        if size == len(scores)
        else rng.integers(len(scores), size=size)
    )
    shuffles = rng.integers(scores.shape[2], size=(size, scores.shape[1]))
    table = scores[drawn[:, None], np.arange(scores.shape[1]), shuffles]
    # The systems' names are exchanged on each data set: none of them is better than
    # another.
    return {"table": rng.permuted(table, axis=1), "truth": 0.0}


def draw_summaries(number, rng, systems, sizes):
    sample = draw_runs(number, rng, systems, sizes, 0.0)
    for name in "ab":
        scores = 100 * sample.pop(name)
        sample[name] = (
            round(scores.mean(), 1),
            round(scores.std(ddof=1), 1),
            len(scores),
        )
    return sample


SPLITTERS = {
    "10 folds": KFold(10),  # of items in random order
    "20 random splits": ShuffleSplit(20, test_size=0.2, random_state=0),
}


@functools.cache
def _split_scores(splits):
    """Return, for each data set drawn, the scores of two systems on its splits."""
    digits, names = datasets.load_bundled("digits")
    digits, names = digits.to_numpy(), names.to_numpy()
    rng = np.random.default_rng([33, list(SPLITTERS).index(splits)])
    systems = (GaussianNB(var_smoothing=1e-2), DecisionTreeClassifier(random_state=0))
    scores = []
    for _ in range(DRAWN):
        drawn = rng.permutation(len(digits))[:DIGITS]
        X, y = digits[drawn], names[drawn]
        scores.append(
            [
                [
                    system.fit(X[train], y[train]).score(X[test], y[test])
                    for system in systems
                ]
                for train, test in SPLITTERS[splits].split(X)
            ]
        )
    return np.array(scores)


def draw_splits(number, rng, splits):
    scores = _split_scores(splits)
    a, b = scores[number].T
    n_test = DIGITS // (10 if splits == "10 folds" else 5)
    gap = np.subtract(*scores.mean(axis=(0, 1)))
    return {
        "a": a - gap,
        "b": b,
        "n_train": DIGITS - n_test,
        "n_test": n_test,
        "truth": 0.0,
    }
