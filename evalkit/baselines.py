"""Chapter 2: the floor and the ceiling that a score stands between."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Set

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import clone
from sklearn.dummy import DummyClassifier, DummyRegressor

from evalkit._checks import (
    _show,
    check_aligned,
    check_choice,
    check_int,
    check_items,
    check_labels,
    check_level,
    check_rng,
    check_scores,
    check_work,
)
from evalkit._ties import rounding
from evalkit.proportions import proportion_interval
from evalkit.results import Ceiling
from evalkit.splits import is_classification

# --------------------------------------------------------------------------------------
# Metrics of many resamples at once; the tests hold each against scikit-learn's
# --------------------------------------------------------------------------------------


def _divide(a, b):
    return np.divide(a, b, out=np.zeros(np.broadcast(a, b).shape), where=b > 0)


# Of labels: how many items of each class are right, are of it, and were predicted to be
# of it.


def _accuracy(right, true, predicted):
    return right.sum(axis=1) / true.sum(axis=1)


def _balanced_accuracy(right, true, predicted):
    return _divide(right, true).sum(axis=1) / (true > 0).sum(axis=1)


def _f1_macro(right, true, predicted):
    either = true + predicted
    return 2 * _divide(right, either).sum(axis=1) / (either > 0).sum(axis=1)


def _r2(true, guess):
    left = ((true - guess) ** 2).sum(axis=-1)
    total = ((true - true.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1)
    # Where the truth is constant, scikit-learn's convention: 1 for a right guess, else
    # 0. The mean of equal numbers differs from them by rounding.
    same = np.abs(true - guess).max(axis=-1) <= rounding() * np.abs(guess)
    return np.where(
        np.ptp(true, axis=-1) > 0, 1 - _divide(left, total), np.where(same, 1.0, 0.0)
    )


def _mae(true, guess):
    return np.abs(true - guess).mean(axis=-1)


def _rmse(true, guess):
    return np.sqrt(((true - guess) ** 2).mean(axis=-1))


# By scikit-learn's names, errors without the sign that makes a scorer of them.
_LABEL_METRICS = {
    "accuracy": _accuracy,
    "balanced_accuracy": _balanced_accuracy,
    "f1_macro": _f1_macro,
}
_TARGET_METRICS = {
    "r2": _r2,
    "mean_absolute_error": _mae,
    "root_mean_squared_error": _rmse,
}

# Of the test items. With the two limits below they stay within the time and memory
# that `benchmarks/bounds.py` measures.
_N_RESAMPLES = 2000
_MOST_CLASSES, _MOST_TARGETS = 150, 50_000
_MOST_GUESSES = 200_000_000  # items by classes, over all repeats
_CONSTANT = 25  # repeats, in whose time a dummy is made that always says the same


def dummy_table(
    y_train, y_test, *, scoring=None, n_repeats=200, confidence_level=0.95, rng=None
):
    """Score every dummy on a task: what can be had without a look at the input.

    Parameters
    ----------
    y_train, y_test : array_like
        Labels (as scikit-learn's `type_of_target` tells them), or continuous targets.
    scoring : str or sequence of str, optional
        "accuracy", "balanced_accuracy", "f1_macro" for labels; "r2",
        "mean_absolute_error", "root_mean_squared_error" for targets. By default all
        three.
    n_repeats : int, default 200
        How often a dummy that guesses at random guesses anew.
    confidence_level : float, default 0.95
    rng : None, int or numpy.random.Generator

    Returns
    -------
    pandas.DataFrame
        A row for each strategy and metric: `strategy`, `metric`, `score` (of a random
        strategy the mean over the repeats), `low`, `high`, and `varies`: what the
        interval speaks of.

    Notes
    -----
    Strategies are scikit-learn's: "most_frequent", "stratified", "uniform" and
    "constant" for each other class; "mean", "median" and the quartiles as "quantile".
    ("prior" predicts what "most_frequent" does.) For the accuracy of a strategy that
    does not guess, the interval is Clopper and Pearson's. Otherwise it is a percentile
    bootstrap over the test items; where the strategy guesses at random, each resample
    has its guesses too, so the interval holds for one run of it.

    Size: up to 150 classes, or 50,000 continuous test targets, in 90 s and 2 GB; test
    labels times classes times `n_repeats` plus 25 up to 200 million.

    Examples
    --------
    >>> from evalkit import dummy_table
    >>> labels = [0] * 95 + [1] * 5
    >>> table = dummy_table(labels, labels, scoring="accuracy", rng=0)
    >>> print(table.strategy[0], table.score[0])
    most_frequent 0.95
    """
    y_train, y_test = check_labels(y_train, "y_train"), check_labels(y_test, "y_test")
    labels = is_classification(y_train)
    metrics = _LABEL_METRICS if labels else _TARGET_METRICS
    if labels != is_classification(y_test):
        raise ValueError(
            f"y_test must be of the same kind as y_train: {y_test.dtype} against"
            f" {y_train.dtype}"
        )
    _check_same_kind(y_train, y_test)
    if not labels:
        y_train, y_test = (
            check_scores(y, name, squared=True)
            for y, name in ((y_train, "y_train"), (y_test, "y_test"))
        )
    if scoring is None:
        scoring = list(metrics)
    elif isinstance(scoring, str):
        scoring = [scoring]
    if not isinstance(scoring, (list, tuple)):
        raise TypeError(
            f"scoring must be a name or a list of names, got {_show(scoring)}"
        )
    if not scoring:
        raise ValueError("scoring must name at least one metric, got none")
    for name in scoring:
        check_choice(name, "scoring", tuple(metrics))
    n_repeats = check_int(n_repeats, "n_repeats")
    level = check_level(confidence_level)
    _check_size(y_train, y_test, labels, n_repeats)
    rng = check_rng(rng)
    dummies = (
        _dummy_labels(y_train, y_test, n_repeats, rng)
        if labels
        else _dummy_targets(y_train, y_test, rng)
    )
    rows = []
    for strategy, runs, resampled in dummies:
        drawn = np.concatenate(
            [[metrics[name](*sample) for name in scoring] for sample in resampled],
            axis=1,
        )
        ends = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=1)
        at_random = len(runs[0]) > 1
        for name, low, high in zip(scoring, *ends, strict=True):
            score = float(np.mean(metrics[name](*runs)))
            if name == "accuracy" and not at_random:
                low, high = proportion_interval(
                    round(score * len(y_test)), len(y_test), confidence_level=level
                )
            varies = "test items and guesses" if at_random else "test items"
            rows.append((strategy, name, score, float(low), float(high), varies))
    return pd.DataFrame(
        rows, columns=["strategy", "metric", "score", "low", "high", "varies"]
    )


def _check_same_kind(y_train, y_test):
    if (y_train.dtype.kind in "biuf") != (y_test.dtype.kind in "biuf"):
        raise ValueError(
            f"y_test must hold numbers or names as y_train does: {y_test.dtype} against"
            f" {y_train.dtype}"
        )


def _check_size(y_train, y_test, labels, n_repeats):
    n_test = len(y_test)
    if not labels:
        check_work(
            n_test,
            _MOST_TARGETS,
            f"y_test has {n_test:,} targets",
            "take a random part of them",
        )
        return
    n = len(np.union1d(y_train, y_test))
    check_work(
        n,
        _MOST_CLASSES,
        f"y_train and y_test have {n:,} classes",
        "merge the rare ones",
    )
    check_work(
        n_test * n * (n_repeats + _CONSTANT),
        _MOST_GUESSES,
        f"n_repeats is {n_repeats:,} for y_test of {n_test:,} items and {n:,} classes",
        "so many items need few repeats",
    )


def _chunks(width):
    """Yield the numbers of the resamples, so few at a time that a table of them fits
    into memory.
    """
    return np.array_split(
        np.arange(_N_RESAMPLES), max(1, _N_RESAMPLES * width // 4_000_000)
    )


def _dummy_labels(y_train, y_test, n_repeats, rng):
    """Yield, for each strategy, what the metrics take: counts of (true, guessed), and
    of resamples.
    """
    codes, names = pd.factorize(np.concatenate([y_train, y_test]), sort=True)
    train, test, size = codes[: len(y_train)], codes[len(y_train) :], len(names)
    classes, counts = np.unique(train, return_counts=True)
    strategies = [("most_frequent", None), ("stratified", None), ("uniform", None)]
    strategies += [("constant", code) for code in np.delete(classes, counts.argmax())]
    for strategy, constant in strategies:
        # One generator for all the repeats: an integer would give every repeat the same
        # guesses.
        draws = np.random.RandomState(rng.integers(2**32))
        dummy = DummyClassifier(
            strategy=strategy, constant=constant, random_state=draws
        )
        dummy.fit(np.zeros((len(train), 1)), train)
        repeats = n_repeats if strategy in ("stratified", "uniform") else 1
        guesses = [dummy.predict(np.zeros((len(test), 1))) for _ in range(repeats)]
        pairs = [
            np.unique(test * size + guess, return_counts=True) for guess in guesses
        ]
        # Pairs (true, predicted) that never occur are drawn never, without a random
        # number: only the rest are held, and the last of all, which is drawn for what
        # is left.
        last = np.array([size**2 - 1])
        cells = np.unique(np.concatenate([pair for pair, _ in pairs] + [last]))
        counts = np.zeros((repeats, len(cells)), dtype=np.int64)
        for row, (pair, count) in zip(counts, pairs, strict=True):
            row[np.searchsorted(cells, pair)] = count
        sums = _count_by_class(cells, size)
        resampled = (
            sums(rng.multinomial(len(test), counts[i % repeats] / len(test)))
            for i in _chunks(len(cells))
        )
        name = strategy if constant is None else f"constant: {names[constant]}"
        yield name, sums(counts), resampled


def _count_by_class(cells, size):
    """Return a function from counts of (true, predicted) pairs to right, true and
    predicted ones by class.
    """
    true, predicted = np.divmod(cells, size)
    rows, shape, ones = np.arange(len(cells)), (len(cells), size), np.ones(len(cells))
    right = np.where(true == predicted, 1.0, 0.0)
    to_right = sparse.csr_array((right, (rows, true)), shape)
    to_true = sparse.csr_array((ones, (rows, true)), shape)
    to_predicted = sparse.csr_array((ones, (rows, predicted)), shape)
    return lambda counts: (counts @ to_right, counts @ to_true, counts @ to_predicted)


def _dummy_targets(y_train, y_test, rng):
    """Yield, for each strategy, what the metrics take: targets and the guess, and those
    of resamples.
    """
    for strategy, quantile in [
        ("mean", None),
        ("median", None),
        ("quantile", 0.25),
        ("quantile", 0.75),
    ]:
        dummy = DummyRegressor(strategy=strategy, quantile=quantile)
        guess = dummy.fit(np.zeros((len(y_train), 1)), y_train).predict([[0]])[0]
        resampled = (
            (rng.choice(y_test, size=(len(i), len(y_test))), guess)
            for i in _chunks(len(y_test))
        )
        name = strategy if quantile is None else f"{strategy} {quantile:g}"
        yield name, (y_test[None, :], guess), resampled


def partial_inputs(estimator, inputs, y_train, y_test, *, full, confidence_level=0.95):
    """Score an estimator on parts of its input, beside the whole input and the best
    dummy.

    Parameters
    ----------
    estimator : object
        A scikit-learn classifier; a clone is fitted for each input.
    inputs : dict of str to (X_train, X_test)
        The whole input and parts of it.
    y_train, y_test : array_like
        Labels.
    full : str
        The name in `inputs` of the whole input.
    confidence_level : float, default 0.95

    Returns
    -------
    pandas.DataFrame
        A row for the best dummy (always the most frequent label) and one for each
        input: `accuracy`, `low` and `high` (Clopper and Pearson; what varies is the
        test items), `gain` over the dummy, and `share_of_gain`: the gain over that of
        the whole input (NaN if that has none).

    Notes
    -----
    Series and DataFrames are paired by position only where their labels agree.

    Size: that of the fits.
    """
    of_train, of_test = y_train, y_test
    y_train, y_test = check_labels(y_train, "y_train"), check_labels(y_test, "y_test")
    for y, name in ((y_train, "y_train"), (y_test, "y_test")):
        if not is_classification(y):
            raise ValueError(f"{name} must hold labels, got {_show(y)}")
    _check_same_kind(y_train, y_test)
    if isinstance(estimator, type) or not (
        hasattr(estimator, "fit") and hasattr(estimator, "predict")
    ):
        raise TypeError(f"estimator must have fit and predict, got {_show(estimator)}")
    if not isinstance(inputs, Mapping) or not inputs:
        raise TypeError(
            "inputs must be a dict from names to pairs (X_train, X_test), got"
            f" {_show(inputs)}"
        )
    if "best dummy" in inputs:
        raise ValueError(
            "inputs must not be called 'best dummy': a row of the table has that name"
        )
    if not isinstance(full, Hashable) or full not in inputs:
        raise ValueError(
            f"full must be one of {', '.join(map(repr, inputs))}, got {_show(full)}"
        )
    for name, pair in inputs.items():
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise TypeError(
                f"inputs must hold pairs (X_train, X_test), but inputs[{name!r}] is"
                " none"
            )
        for part, y, of_part in ((0, "y_train", of_train), (1, "y_test", of_test)):
            check_aligned(0, **{y: of_part, f"inputs[{name!r}][{part}]": pair[part]})
        check_items(pair[0], f"inputs[{name!r}]", y_train, "y_train")
        check_items(pair[1], f"inputs[{name!r}]", y_test, "y_test")
    level = check_level(confidence_level)
    nothing = np.zeros((len(y_train), 1)), np.zeros((len(y_test), 1))
    systems = {"best dummy": (DummyClassifier(strategy="most_frequent"), nothing)}
    systems |= {name: (clone(estimator), pair) for name, pair in inputs.items()}
    rows, right = {}, {}
    for name, (system, (X_train, X_test)) in systems.items():
        right[name] = _count_right(system, name, X_train, y_train, X_test, y_test)
        interval = proportion_interval(right[name], len(y_test), confidence_level=level)
        rows[name] = {
            "accuracy": right[name] / len(y_test),
            "low": interval.low,
            "high": interval.high,
        }
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("input")
    gain = pd.Series(right) - right["best dummy"]  # of items, in whole numbers
    table["gain"] = gain / len(y_test)
    table["share_of_gain"] = gain / gain[full] if gain[full] > 0 else np.nan
    return table


def _count_right(system, name, X_train, y_train, X_test, y_test):
    try:
        predicted = system.fit(X_train, y_train).predict(X_test)
    except Exception as error:
        raise ValueError(
            f"inputs must be what estimator can be fitted to, but inputs[{name!r}] is"
            f" not: {type(error).__name__}: {error}"
        ) from error
    try:
        predicted = check_labels(predicted, "predictions")
        check_items(predicted, "predictions", y_test, "y_test")
    except (TypeError, ValueError) as error:
        raise type(error)(
            f"estimator must predict a label for each item: {error}"
        ) from None
    if (predicted.dtype.kind in "biuf") != (y_test.dtype.kind in "biuf"):
        raise ValueError(
            f"estimator must predict labels as in y_train, got {_show(predicted)}"
        )
    return int(np.count_nonzero(predicted == y_test))


def duplicate_ceiling(inputs, y):
    """Compute the highest accuracy that any function of the input can reach on these
    items.

    Parameters
    ----------
    inputs : sequence, or ndarray of shape (n, ...)
        What a system is shown of each item.
    y : array_like, shape (n,)
        Its label.

    Returns
    -------
    Ceiling

    Notes
    -----
    A function gives one answer to one input; the best it can do is the input's most
    frequent label. That is an upper bound for these items, and no estimate of what can
    be reached: a function that reaches it has seen the labels.

    Series are paired by position only where their labels agree.

    Size: linear; 1 million items take 5 s and 1 GB.

    Examples
    --------
    >>> from evalkit.baselines import duplicate_ceiling
    >>> words = ["bank", "bank", "bank", "tree"]
    >>> print(duplicate_ceiling(words, ["river", "money", "money", "plant"]).n_lost)
    1
    """
    check_aligned(inputs=inputs, y=y)
    y = check_labels(y, "y")
    if isinstance(inputs, (str, bytes, Mapping, Set, pd.DataFrame)) or not np.iterable(
        inputs
    ):
        raise TypeError(
            "inputs must be a sequence or an array, an entry for each item; got"
            f" {_show(inputs)}"
        )
    if np.ma.is_masked(inputs):
        raise ValueError("inputs must not be masked: evalkit drops no item in silence")
    check_items(inputs, "inputs", y)
    keys = [
        tuple(np.ravel(item).tolist()) if isinstance(item, np.ndarray) else item
        for item in inputs
    ]
    if not all(isinstance(key, Hashable) for key in keys):
        raise TypeError(
            "inputs must hold hashable entries (strings, numbers, tuples) or be one"
            " array"
        )
    if any(
        value != value
        for key in keys
        for value in (key if isinstance(key, tuple) else (key,))
    ):
        raise ValueError("inputs must not be NaN: no input equals it, itself included")
    labels = defaultdict(Counter)
    for key, label in zip(keys, y.tolist(), strict=True):
        labels[key][label] += 1
    of_input = list(labels.values())
    right = sum(max(counts.values()) for counts in of_input)
    return Ceiling(
        accuracy=right / len(y),
        n_items=len(y),
        n_repeated=sum(counts.total() for counts in of_input if counts.total() > 1),
        n_contested=sum(counts.total() for counts in of_input if len(counts) > 1),
        n_lost=len(y) - right,
    )
