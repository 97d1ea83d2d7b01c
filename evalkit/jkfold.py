"""Chapter 8: J-K-fold cross-validation, and whether another shuffle would have chosen
another model.

One K-fold cross-validation rests on one random partition of the data. J-K-fold averages
over J of them. What that removes is the noise of the partition, and nothing else: the
data stay the same.
"""

import math

import numpy as np
import pandas as pd
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils import indexable

from evalkit._checks import (
    as_array,
    check_aligned,
    check_bool,
    check_budgets,
    check_choice,
    check_int,
    check_items,
    check_labels,
    check_rng,
    check_scores,
    check_work,
)
from evalkit._limits import DRAWN_AT_ONCE
from evalkit._ties import equals, first_best, rounding
from evalkit.results import ChoiceVariability, Cost
from evalkit.splits import is_classification

# Groups of partitions are added up in blocks of about this many numbers, which stay in
# the processor's cache: twice as fast as all at once.
_ADDED_AT_ONCE = 2**15

# Limits that the docstrings state; `benchmarks/bounds.py` holds the times to them.
_MOST_PARTITIONS = 1_000_000
_MOST_DRAWN = 20_000_000  # partitions, over all groups
_MOST_ADDED = 10_000_000_000  # scores


class JKFold:
    """A scikit-learn splitter: J independent K-fold partitions, one after the other.

    Made by `jk_fold`.

    Parameters
    ----------
    k : int
        Folds of a partition.
    seeds : sequence of int
        One for each of the J partitions. They are all that is random here, so every
        `split` of this object, or of a copy, gives the same folds.
    stratify : bool
    """

    def __init__(self, k, seeds, stratify):
        self.k = k
        self.seeds = seeds
        self.stratify = stratify

    def __repr__(self):
        return f"JKFold(j={len(self.seeds)}, k={self.k}, stratify={self.stratify})"

    def get_n_splits(self, X=None, y=None, groups=None):
        """Return J times K.

        Parameters
        ----------
        X, y, groups : object
            Not used; scikit-learn passes them.

        Returns
        -------
        int
        """
        return len(self.seeds) * self.k

    def split(self, X, y=None, groups=None):
        """Yield the splits of the first partition, then of the second, and so on.

        Parameters
        ----------
        X : array_like, shape (n_items, ...)
        y : array_like, shape (n_items,), optional
            The classes, if stratified. Series and DataFrames are paired by position
            only where their labels agree.
        groups : None
            Grouped data need `sklearn.model_selection.StratifiedGroupKFold`; this
            splitter would tear groups apart.

        Yields
        ------
        train, test : ndarray of int
        """
        if groups is not None:
            raise ValueError(
                "groups must be None: J-K-fold would tear them apart; use"
                " StratifiedGroupKFold"
            )
        check_aligned(0, X=X, y=y)
        if y is not None:
            y = check_labels(y, "y") if self.stratify else y
            check_items(X, "X", y)
        (X,) = indexable(X)
        n_items = X.shape[0] if hasattr(X, "shape") else len(X)
        if n_items < self.k:
            raise ValueError(
                f"k must be at most the number of items ({n_items}), got {self.k}"
            )
        kind = KFold
        if self.stratify:
            self._check_classes(y)
            kind = StratifiedKFold
        for seed in self.seeds:
            yield from kind(self.k, shuffle=True, random_state=seed).split(X, y)

    def _check_classes(self, y):
        if y is None or not is_classification(y):
            raise ValueError(
                "y must hold classes to be stratified; use stratify=False without them"
            )
        smallest = pd.Series(y).value_counts().min()
        if smallest < self.k:
            raise ValueError(
                f"k must be at most the size of the smallest class ({smallest}), got"
                f" {self.k}; use fewer folds, or stratify=False"
            )


def jk_fold(j, k, *, stratify=True, rng=None):
    """Make a splitter for J-K-fold cross-validation.

    Parameters
    ----------
    j : int
        Partitions, at least 1.
    k : int
        Folds of each, at least 2.
    stratify : bool, default True
        Keep the shares of the classes in every fold; needs classes.
    rng : None, int or numpy.random.Generator
        Draws one seed for each partition, now and never again: give the same splitter
        to every system, and all of them see the same folds.

    Returns
    -------
    JKFold
        For the `cv` argument of scikit-learn's functions.

    Notes
    -----
    Size: up to a million partitions, in 1 s and 100 MB. They are made one after the
    other, when they are asked for.

    References
    ----------
    Moss, Leslie and Rayson (2018), Using J-K-fold Cross Validation To Reduce Variance
    When Tuning NLP Models, COLING.

    Examples
    --------
    >>> from evalkit import jk_fold
    >>> jk_fold(4, 5, rng=0)
    JKFold(j=4, k=5, stratify=True)
    """
    j = check_int(j, "j")
    check_work(
        j,
        _MOST_PARTITIONS,
        f"j is {j:,} partitions",
        "a thousand leave no noise of the partition",
    )
    k = check_int(k, "k", low=2)
    stratify = check_bool(stratify, "stratify")
    seeds = tuple(int(seed) for seed in check_rng(rng).integers(2**31, size=j))
    return JKFold(k, seeds, stratify)


def choice_variability(
    scores, j, *, values=None, n_groups=1000, ties="first", rng=None
):
    """Measure how the choice of a setting, and its score, vary with the partition of
    the data.

    Parameters
    ----------
    scores : array_like of float, shape (n_partitions, n_settings)
        The K-fold estimate of each setting on each partition; higher is better.
    j : int or array_like of int
        Sizes of the groups that are averaged, each at most the number of partitions.
    values : dict of str to array_like of float, shape (n_settings,), optional
        Hyperparameters of the settings, to say how widely their chosen values spread.
        Series are paired with the columns by position only where their labels agree.
    n_groups : int, default 1000
        Random groups of partitions, each drawn without replacement. A group for a
        larger J is one for a smaller J with partitions added.
    ties : {"first", "last", "random"}, default "first"
        Which of several settings with the same best score a group chooses.
    rng : None, int or numpy.random.Generator
        The same seed draws the same groups, whatever `ties` is.

    Returns
    -------
    ChoiceVariability

    Notes
    -----
    Groups share partitions, so all numbers speak of these partitions of this data set:
    of internal variability. A group is drawn without replacement from P partitions, so
    variances are too small by the factor 1 - J/P; have many more partitions than the
    largest J. Groups that share partitions also choose alike too often. So for
    `agreement` the partitions are dealt into groups anew, as often as makes `n_groups`
    of them, and only groups of one deal are compared; however often they are dealt, it
    rests on P/J groups that have nothing in common.

    Accuracies on few items are often equal, and a search takes the first of the best
    settings without a word. `tied` says how often that happens. If it is not rare, see
    how agreement and spread change with `ties="random"` and "last": they speak of the
    order of the grid, too. Sums that differ by rounding, as of the type in which the
    scores came, are equal.

    Size: up to 20 million partitions drawn (`n_groups` times the sum of all J, and of
    the largest once more), and 10 billion scores added up (times the settings), in 60 s
    and 2 GB.
    """
    slack = rounding(
        as_array(scores, "scores", "a matrix of numbers, partitions by settings")
    )
    rows = list(scores) if isinstance(scores, pd.Series) else scores
    of_settings = values if isinstance(values, dict) else {}
    check_aligned(
        scores=rows,
        **{f"values[{name!r}]": given for name, given in of_settings.items()},
    )
    scores = _check_matrix(scores)
    n_partitions, n_settings = scores.shape
    high_name = f"the number of partitions ({n_partitions})"
    sizes = check_budgets(j, "j", high=n_partitions, high_name=high_name)[0].tolist()
    values = _check_values(values, n_settings)
    n_groups = check_int(n_groups, "n_groups", low=2)
    ties = check_choice(ties, "ties", ("first", "last", "random"))
    drawn = n_groups * (max(sizes) + sum(sizes))
    what = f"n_groups is {n_groups:,} for j up to {max(sizes):,}"
    check_work(
        max(drawn, n_groups * len(sizes)), _MOST_DRAWN, what, "take fewer groups"
    )
    check_work(drawn * n_settings, _MOST_ADDED, what, "take fewer groups")
    rng = check_rng(rng)
    pick = _Pick(scores, slack, ties, rng)
    chosen, estimates, fixed, tied = _choose(scores, sizes, n_groups, rng, pick)
    counts = np.array(
        [np.bincount(of_size, minlength=n_settings) for of_size in chosen]
    )
    index = pd.Index(sizes, name="J")
    table = {
        "settings_chosen": np.count_nonzero(counts, axis=1),
        "most_frequent": counts.max(axis=1) / n_groups,
        "agreement": [_agreement(scores, size, n_groups, rng, pick) for size in sizes],
        "tied": tied.mean(axis=1),
        "estimate": estimates.mean(axis=1),
        "sd_estimate": estimates.std(axis=1, ddof=1),
        "sd_fixed": fixed.std(axis=1, ddof=1),
        **{
            f"sd_{name}": of_setting[chosen].std(axis=1, ddof=1)
            for name, of_setting in values.items()
        },
    }
    return ChoiceVariability(
        pd.DataFrame(table, index=index), pd.DataFrame(counts / n_groups, index=index)
    )


def _choose(scores, sizes, n_groups, rng, pick):
    """Return, for each size and group, the setting chosen, its mean score, that of the
    best of all, and ties.

    A larger group is a smaller one with more partitions added: any size alone is a
    random group, and two sizes differ by the size, not by the luck of the draw.
    """
    groups = _draw_partitions(len(scores), max(sizes), n_groups, rng)
    chosen, estimates, tied = _best_of_groups(scores, groups, sizes, pick)
    means, means_of_sizes = (
        table.mean(axis=0, keepdims=True) for table in (scores, pick.without_signs)
    )
    best_of_all = first_best(means, means_of_sizes, pick.slack).item()
    sums_of_best = (
        scores[:, best_of_all][groups].cumsum(axis=1).T[np.subtract(sizes, 1)]
    )
    column = np.array(sizes)[:, np.newaxis]
    return chosen, estimates / column, sums_of_best / column, tied


def _agreement(scores, size, n_groups, rng, pick):
    """Return how often two groups choose the same, if they share no partition."""
    n_partitions, n_settings = scores.shape
    dealt = n_partitions // size
    if dealt < 2:
        return math.nan
    # Groups of one are the same in every deal.
    n_deals = 1 if size == 1 else math.ceil(n_groups / dealt)
    same = 0
    step = max(1, DRAWN_AT_ONCE // max(n_partitions, n_settings))
    for start in range(0, n_deals, step):
        deals = np.tile(np.arange(n_partitions), (min(step, n_deals - start), 1))
        groups = rng.permuted(deals, axis=1)[:, : dealt * size].reshape(-1, size)
        (chosen,), _, _ = _best_of_groups(scores, groups, [size], pick)
        # How many groups of each deal chose each setting; only pairs of one deal are
        # compared.
        deal = np.repeat(np.arange(len(deals)), dealt)
        counts = np.bincount(
            deal * n_settings + chosen, minlength=len(deals) * n_settings
        )
        same += (counts * (counts - 1)).sum()
    return same / (n_deals * dealt * (dealt - 1))


def _best_of_groups(scores, groups, sizes, pick):
    """Return, for each size and group, the best by the sum over its first partitions,
    that sum, and ties.
    """
    n_groups, n_settings = len(groups), scores.shape[1]
    chosen = np.empty((len(sizes), n_groups), dtype=int)
    sums_of_chosen = np.empty(chosen.shape)
    tied = np.zeros(chosen.shape, dtype=bool)
    step = max(1, _ADDED_AT_ONCE // n_settings)
    sums_of_block, added_of_block = np.empty((2, min(step, n_groups), n_settings))
    for start in range(0, n_groups, step):
        block = slice(start, min(start + step, n_groups))
        members = groups[block]
        sums, added = sums_of_block[: len(members)], added_of_block[: len(members)]
        for size, of_size in enumerate(members.T[: max(sizes)], start=1):
            out = added if size > 1 else sums
            # "clip" needs no copy.
            np.take(scores, of_size, axis=0, out=out, mode="clip")
            if size > 1:
                sums += added
            for i, wanted in enumerate(sizes):
                if wanted == size:
                    chosen[i, block], tied[i, block] = pick(sums, members[:, :size])
                    sums_of_chosen[i, block] = sums[
                        np.arange(len(sums)), chosen[i, block]
                    ]
    return chosen, sums_of_chosen, tied


class _Pick:
    """Which of the settings whose sums are equal is chosen: the first of them, the
    last, or any.

    What was added up to a sum, without signs, says by how much it may be off, and takes
    as long to add up. So the largest score bounds it, and it is added up only where
    something is within that bound.
    """

    def __init__(self, scores, slack, ties, rng):
        self.slack = slack
        self.ties = ties
        self.without_signs = np.abs(scores)
        self._signed = scores.min() < 0 < scores.max()
        self._largest = self.without_signs.max()
        # A stream of its own: the groups are the same, whatever is done with ties.
        self._rng = rng.spawn(1)[0] if ties == "random" else None

    def __call__(self, sums, groups):
        """Return the choice of each group, and whether others are equal to it."""
        rows, best = np.arange(len(sums)), sums.argmax(axis=1)
        tied = np.zeros(len(sums), dtype=bool)
        top = sums[rows, best]
        near = sums >= (top - 2 * self.slack * self._largest * groups.shape[1])[:, None]
        if np.count_nonzero(near) == len(sums):
            return best, tied
        close = np.flatnonzero(np.count_nonzero(near, axis=1) > 1)
        equal = equals(sums[close], self._add_sizes(sums, groups, close), self.slack)
        tied[close] = np.count_nonzero(equal, axis=1) > 1
        best[close] = self._take(equal)
        return best, tied

    def _add_sizes(self, sums, groups, close):
        """Return sums without signs, of some of the groups."""
        if not self._signed:
            return np.abs(sums[close])
        sizes = np.zeros((len(close), sums.shape[1]))
        for members in groups[close].T:
            sizes += self.without_signs[members]
        return sizes

    def _take(self, equal):
        if self.ties == "last":
            return equal.shape[1] - 1 - equal[:, ::-1].argmax(axis=1)
        if self.ties == "random":
            nth = self._rng.integers(np.count_nonzero(equal, axis=1))
            return (equal.cumsum(axis=1) > nth[:, None]).argmax(axis=1)
        return equal.argmax(axis=1)


def _draw_partitions(n_partitions, size, n_groups, rng):
    """Draw groups of different partitions, each in random order; shape (n_groups,
    size).
    """
    if size**2 <= n_partitions:
        # A small group seldom draws a partition twice: draw those that do again.
        groups = rng.integers(n_partitions, size=(n_groups, size))
        again = np.arange(n_groups)
        while again.size:
            ordered = np.sort(groups[again], axis=1)
            again = again[(ordered[:, 1:] == ordered[:, :-1]).any(axis=1)]
            groups[again] = rng.integers(n_partitions, size=(again.size, size))
        return groups
    groups = np.empty((n_groups, size), dtype=int)
    step = max(1, DRAWN_AT_ONCE // n_partitions)
    for start in range(0, n_groups, step):
        some = groups[start : start + step]
        some[:] = rng.permuted(
            np.tile(np.arange(n_partitions), (len(some), 1)), axis=1
        )[:, :size]
    return groups


def _check_matrix(scores):
    try:
        matrix = as_array(scores, "scores")
        if matrix.ndim == 1 and matrix.dtype == object:  # a Series of rows
            matrix = as_array(list(matrix), "scores")
        clean = check_scores(matrix.ravel(), "scores", squared=True)
    except TypeError:
        raise TypeError(
            "scores must be a matrix of real numbers, partitions by settings"
        ) from None
    except ValueError as error:
        raise ValueError(
            f"scores must be a finite matrix, partitions by settings: {error}"
        ) from None
    if matrix.ndim != 2 or len(matrix) < 2:
        raise ValueError(
            "scores must have at least two partitions as rows, got shape"
            f" {matrix.shape}"
        )
    return clean.reshape(matrix.shape)


def _check_values(values, n_settings):
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise TypeError(
            f"values must be a dict of hyperparameters, got {type(values).__name__}"
        )
    clean = {}
    for name, of_setting in values.items():
        try:
            clean[name] = check_scores(of_setting, f"values[{name!r}]", squared=True)
        except ValueError as error:
            raise ValueError(f"values must be finite numbers: {error}") from None
        except TypeError as error:
            raise TypeError(f"values must be numbers: {error}") from None
        if clean[name].size != n_settings:
            raise ValueError(
                f"values must hold {n_settings} numbers, one for each setting; {name}"
                f" has {clean[name].size}"
            )
    return clean


def jk_cost(j, k, *, n_items, n_settings=1):
    """Count what J-K-fold cross-validation of a number of settings costs.

    Parameters
    ----------
    j, k : int
        Partitions and folds.
    n_items : int
        At least k.
    n_settings : int, default 1

    Returns
    -------
    Cost

    Notes
    -----
    Size: any, at once.

    Examples
    --------
    One partition into ten folds takes as many fits as two into five, on more items
    each.

    >>> from evalkit.jkfold import jk_cost
    >>> print(jk_cost(1, 10, n_items=1000))
    10 fits on 9,000 items in all
    >>> print(jk_cost(2, 5, n_items=1000))
    10 fits on 8,000 items in all
    """
    j = check_int(j, "j")
    k = check_int(k, "k", low=2)
    n_items = check_int(n_items, "n_items", low=k)
    n_settings = check_int(n_settings, "n_settings")
    # Each partition leaves every item out once, whatever the sizes of the folds.
    return Cost(j * k * n_settings, j * (k - 1) * n_items * n_settings)
