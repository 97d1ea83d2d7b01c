"""Chapter 6: how much a result depends on the seed.

A seed is not a setting. What differs between two seeds is chance, so a result is the
distribution over seeds, or a summary of it with an interval.
"""

import random
import sys
from numbers import Real

import numpy as np
import pandas as pd
from scipy import stats

from evalkit._checks import (
    as_array,
    check_aligned,
    check_bool,
    check_choice,
    check_int,
    check_labels,
    check_level,
    check_number,
    check_same_length,
    check_scores,
    check_table,
    join,
)
from evalkit._groups import check_enough, check_groups, effective_groups, mean_variance
from evalkit._limits import FEWEST_GROUPS, FEWEST_SEEDS
from evalkit._paired import paired_difference
from evalkit._scores import describe
from evalkit._ties import rounding
from evalkit.proportions import proportion_interval
from evalkit.results import Difference, FailureRate, VarianceComponents

_MAX_SEED = 2**32 - 1  # what NumPy's global generator takes
_TIED = 1 - 1e-9  # of variances that are equal on paper
_WAY_ROUND = "a and b must have a row for each run and a column for each item"


def _global_states():
    """Return (function that sets it, state) for every global generator."""
    states = [
        (random.setstate, random.getstate()),
        (np.random.set_state, np.random.get_state()),  # noqa: NPY002
    ]
    if torch := sys.modules.get("torch"):
        states += [
            (torch.set_rng_state, torch.get_rng_state()),
            (torch.cuda.set_rng_state_all, torch.cuda.get_rng_state_all()),
        ]
    return states


class _Seeded:
    def __init__(self, seed):
        self.seed = seed
        # one entry for each block that is open: a block may stand in another
        self._outside = []

    def __repr__(self):
        return f"seeded({self.seed})"

    def __enter__(self):
        self._outside.append(_global_states())
        random.seed(self.seed)
        np.random.seed(self.seed)  # noqa: NPY002
        if torch := sys.modules.get("torch"):
            torch.manual_seed(self.seed)
        return self

    def __exit__(self, *_):
        for put, state in self._outside.pop():
            put(state)


def seeded(seed):
    """Set every global random state for the length of a `with` block, and give it back
    afterwards.

    Parameters
    ----------
    seed : int
        From 0 to 2**32 - 1.

    Returns
    -------
    context manager

    Notes
    -----
    Sets Python's `random`, NumPy's legacy global state, and torch's (on all devices) if
    torch has been imported by then: import it before the block, not in it. The old
    states come back after an exception, too. Generators that code has made for itself
    (`numpy.random.default_rng()`) are out of its reach: give those a seed. Nor does it
    order the sums of several threads. It is not safe for threads: a process has one
    global state for all of them, so blocks that overlap draw from, and give back, each
    other's.

    Size: a block takes 10 ms and 1 MB, whatever stands in it.

    Examples
    --------
    >>> import random
    >>> from evalkit import seeded
    >>> with seeded(3):
    ...     first = random.random()
    >>> with seeded(3):
    ...     assert random.random() == first
    """
    return _Seeded(check_int(seed, "seed", low=0, high=_MAX_SEED))


def failure_rate(
    scores, threshold, *, minimize=False, nan_fails=False, confidence_level=0.95
):
    """Compute the share of runs that failed, with its interval.

    Parameters
    ----------
    scores : array_like of float, shape (n,)
        One for each seed.
    threshold : float
        A run with a lower score has failed. Fix it before you look.
    minimize : bool, default False
        True for losses: a run with a higher score has failed.
    nan_fails : bool, default False
        True if NaN, which often stands for a run that crashed, counts as a failure.
        NaN is refused otherwise.
    confidence_level : float, default 0.95

    Returns
    -------
    FailureRate

    Notes
    -----
    A score that differs from the threshold by rounding alone, in the coarsest type in
    which either came, is equal to it: 0.7 in float32 is not below 0.7, and 0.3 is not
    below 0.1 + 0.2.

    Size: linear; 10 million scores take 1 s and 500 MB.

    Examples
    --------
    >>> from evalkit import failure_rate
    >>> print(failure_rate([1, 1, 0.5, 1, 1, 1, 0.75, 1, 1, 1], 1))
    2 of 10 runs failed: 20.0 % (2.5 % to 55.6 %)
    """
    limit = check_number(threshold, "threshold")
    minimize, nan_fails = (
        check_bool(minimize, "minimize"),
        check_bool(nan_fails, "nan_fails"),
    )
    scores = as_array(scores, "scores")
    missing = np.zeros(scores.shape, dtype=bool)
    if nan_fails and scores.dtype.kind in "fO":
        missing = np.array(
            [isinstance(s, Real) and s != s for s in scores.flat]
        ).reshape(scores.shape)
    given = scores
    scores = check_scores(
        np.where(missing, 0.0, scores) if missing.any() else scores, "scores"
    )
    noise = rounding(given, threshold) * np.maximum(np.abs(scores), abs(limit))
    beyond = scores - limit if minimize else limit - scores
    failed = missing | (beyond > noise)
    failures, n_runs = int(failed.sum()), len(scores)
    interval = proportion_interval(failures, n_runs, confidence_level=confidence_level)
    return FailureRate(failures / n_runs, failures, n_runs, interval)


def _check_factor(values, name, scores):
    codes, levels = pd.factorize(check_labels(values, name))
    check_same_length(scores, codes, "scores", name)
    if len(levels) < 2:
        raise ValueError(f"{name} must hold at least two levels: one cannot vary")
    return codes, len(levels)


def variance_components(scores, seeds, splits):
    """Divide the variance of a run among seed, split and the rest.

    Parameters
    ----------
    scores : array_like of float, shape (n,)
        One run for each pair of a seed and a split, in any order.
    seeds, splits : array_like, shape (n,)
        The seed and the split of each run; or any two crossed factors, such as
        initialisation and data order.

    Returns
    -------
    VarianceComponents

    Notes
    -----
    The model is mean + seed effect + split effect + rest, all independent, the levels
    drawn at random. The estimates set the mean squares of the two-way table equal to
    their expectations: unbiased, and therefore negative now and then when a component
    is small. With one run a cell, what seed and split do only together is part of the
    rest. A component known from eight levels is known roughly. Series are paired by
    position only where their labels agree.

    Size: linear; 1 million runs take 2 s and 500 MB.

    References
    ----------
    Searle, Casella and McCulloch (1992), Variance Components, Wiley.

    Examples
    --------
    >>> from evalkit import variance_components
    >>> seeds, splits = [0, 0, 0, 1, 1, 1], [0, 1, 2, 0, 1, 2]
    >>> parts = variance_components([1, 2, 3, 5, 6, 7], seeds, splits)
    >>> round(parts.seed, 12), round(parts.split, 12), round(parts.rest, 12)
    (8.0, 1.0, 0.0)
    """
    check_aligned(scores=scores, seeds=seeds, splits=splits)
    scores = check_scores(scores, "scores", min_size=4, squared=True)
    rows, n_seeds = _check_factor(seeds, "seeds", scores)
    columns, n_splits = _check_factor(splits, "splits", scores)
    cells = rows * n_splits + columns
    n_filled = np.unique(cells).size
    if not len(scores) == n_filled == n_seeds * n_splits:
        raise ValueError(
            f"scores must hold one run for each of {n_seeds} seeds x {n_splits} splits"
            f" = {n_seeds * n_splits} cells, got {len(scores)} runs in {n_filled} cells"
        )
    table = scores[np.argsort(cells)].reshape(n_seeds, n_splits)
    of_seed, of_split = (
        table.mean(axis=1, keepdims=True),
        table.mean(axis=0, keepdims=True),
    )
    residual = table - of_seed - of_split + table.mean()
    rest = float((residual**2).sum() / ((n_seeds - 1) * (n_splits - 1)))
    return VarianceComponents(
        seed=float(of_seed.var(ddof=1)) - rest / n_splits,
        split=float(of_split.var(ddof=1)) - rest / n_seeds,
        rest=rest,
        n_seeds=n_seeds,
        n_splits=n_splits,
    )


def crossed_difference(
    a, b, groups=None, *, rows="nested", ids=None, confidence_level=0.95
):
    """Compare two systems over training seeds and test items at once.

    Parameters
    ----------
    a, b : array_like of float, shapes (n_seeds_a, n_items) and (n_seeds_b, n_items)
        A row for each training run, a column for each test item: 1 for a right answer,
        0 for a wrong one, or any score of an item. At least three rows each, and five
        items. One-dimensional, shape (n_items,): one fitted model of each, or a mean
        for each item.
    groups : array_like, shape (n_items,), optional
        The group of each item (its document, its module), if items come in groups.
    rows : {"nested", "paired", "answers"}, default "nested"
        What the rows are. "nested": training runs of each system, with seeds of their
        own. "paired": row i of both shares what it was made with, such as a seed that
        fixes the split or the prompt, or a rater. "answers": several answers of one
        model to each item; they are averaged and add nothing.
    ids : pair of array_like, optional
        The ids of the items of `a` and of `b`: they are joined by id, whatever their
        order. Groups are in the order of `a`.
    confidence_level : float, default 0.95

    Returns
    -------
    Difference
        Of the means. `effective_groups` says how many equal groups would say as much.

    Raises
    ------
    ValueError
        Also where there are too few seeds or items, or groups too few or too unequal,
        for the interval to be known to hold, and where nothing varies in scores that
        are not right or wrong.

    Notes
    -----
    For training runs the answer is about the method on this kind of items: another seed
    and other items. A score is taken for mean + seed + item + rest, seeds and items
    drawn at random. The variance of the difference is that of the items' mean
    differences over items (or groups, by CR2), plus that of each system's run means
    over its seeds, minus what both count, the rest of each two-way table; it is never
    taken below either of the two. The degrees of freedom are Satterthwaite's.
    One-dimensional scores and "answers" speak of these fitted models and other items.

    Student's t knows too little of models that few items tell apart. Where fewer than
    20 do (or groups, or 60 % of them if that is fewer), of answers that are right or
    wrong, or of scores that are equal on more than half of the items, the interval is
    Tango's score interval (`paired_proportion_interval`), on the number of independent
    items that would have this variance; and where fewer than three effective groups do,
    each group counts as one item. Simulated (`lab.experiments.error_rates`, tables
    `near_one`, `few_of_seeds` and `group_differences`), it covers 92 % or more of
    independent items, and 90 % or more of groups; 88 % where half of the items lie in
    one of 50 groups and nearly all are right.

    Losses with heavy tails need many items where one tail is heavier: of two lognormal
    losses with one mean, whose logarithms have SDs of 1 and 2, it covers 79 % on 30
    items and 87 % on 1,000 (table `conditions`). Compare medians, or logarithms.

    A seed that fails altogether is no such draw: where one in ten does, this covers far
    less than it says (table `failing_seeds`). Report `failure_rate` as well.

    Series are paired by position only where their labels agree, and so are the columns
    of DataFrames and, if "paired", their rows. Items in rows and runs in columns are
    refused where labels, or the number of groups, show it; of bare arrays nobody can
    tell.

    Size: seeds times items up to 10 million, in 20 s and 2 GB.

    References
    ----------
    Tango (1998), Equivalence Test and Confidence Interval for the Difference in
    Proportions for the Paired-Sample Design; Owen (2007), The Pigeonhole Bootstrap,
    Annals of Applied Statistics; Cameron, Gelbach and Miller (2011), Robust Inference
    with Multiway Clustering; Bell and McCaffrey (2002), Bias Reduction in Standard
    Errors for Linear Regression with Multi-Stage Samples, Survey Methodology.

    Examples
    --------
    >>> import numpy as np
    >>> from evalkit import crossed_difference
    >>> right = np.random.default_rng(0).random((2, 5, 400)) < [[[0.8]], [[0.7]]]
    >>> print(crossed_difference(*right))
    +0.087 [0.053, 0.122] (95 %, seeds x items, right or wrong), p < 0.001
    """
    check_choice(rows, "rows", ("nested", "paired", "answers"))
    level = check_level(confidence_level)
    _check_rows(a, b, groups, rows)
    given = a, b = join(ids, groups=groups, a=a, b=b)
    a, b = check_table(a, "a", squared=True), check_table(b, "b", squared=True)
    if a.ndim != b.ndim or a.ndim not in (1, 2):
        raise ValueError(
            "a and b must both have a row for each seed and a column for each item, or"
            f" both one score for each item; got shapes {a.shape} and {b.shape}"
        )
    _check_way_round(a, b, groups)
    what, single = describe(*given), a.ndim == 1
    a, b = (
        table.mean(axis=0) if rows == "answers" and table.ndim == 2 else table
        for table in (a, b)
    )
    check_same_length(a.T, b.T, "a", "b")
    members = (
        np.arange(a.shape[-1]) if groups is None else check_groups(groups, a.T, "items")
    )
    _check_crossed(a, b, rows, members, groups is None)
    blur = rounding(*given) * max(np.abs(a).max(), np.abs(b).max())
    differences = np.atleast_2d(a).mean(axis=0) - np.atleast_2d(b).mean(axis=0)
    differences[np.abs(differences) <= blur] = 0.0
    if a.ndim == 1:
        name, tables = "items", []
    elif rows == "paired":
        name, tables = "paired rows x items", [a - b]
    else:
        name, tables = "seeds x items", [a, b]
    parts, of_items = _crossed_parts(differences, tables, members, blur)
    if not what.counted and not sum(part for part, _ in parts):
        unit = "differences of items and of runs"
        what.refuse_constant(("a", "b"), differences.mean(), unit, ask=False)
    return paired_difference(
        differences,
        parts,
        level,
        name + (" in groups" if groups is not None else "") + what.words(),
        members=None if groups is None else members,
        what=what,
        independent=single and groups is None,
        of_items=of_items,
        effective_groups=None if groups is None else effective_groups(members),
    )


def _crossed_parts(differences, tables, members, blur):
    """Return the parts of the variance of the mean difference, and whether items make
    most of it.

    Parameters
    ----------
    differences : ndarray of float, shape (n_items,)
    tables : list of ndarray of float, shape (n_runs, n_items)
        Whose rows are drawn too: none, one of paired differences, or one of each
        system.
    members : ndarray of int, shape (n_items,)
    blur : float
        What the rounding of the scores may hide.
    """
    variance, df = mean_variance(differences, members)
    by_items, by_runs, both = [(float(variance), df)], [], []
    for table in tables:
        n_runs, runs = len(table), table.mean(axis=1)
        rest = table - runs[:, None] - table.mean(axis=0) + table.mean()
        by_runs.append((float(runs.var(ddof=1)) / n_runs, n_runs - 1))
        shared = mean_variance(rest, members)[0].sum() / (n_runs * (n_runs - 1))
        both.append((-float(shared), (n_runs - 1) * df))
    # What is taken off may be overestimated; no part of a sum of variances is larger
    # than the sum.
    candidates = [
        [(part if abs(part) > blur**2 else 0.0, df) for part, df in parts]
        for parts in (by_items + by_runs + both, by_items, by_runs)
        if parts
    ]
    sums = [sum(part for part, _ in parts) for parts in candidates]
    # Of those that are the largest but for the rounding of floats, the least sure.
    largest = [
        p for p, s in zip(candidates, sums, strict=True) if s >= max(sums) * _TIED
    ]
    parts = min(
        largest, key=lambda parts: Difference.from_parts(0.0, parts, 0.95, "").df
    )
    return parts, 2 * by_items[0][0] >= sum(part for part, _ in parts)


def _check_rows(a, b, groups, rows):
    """Raise a ValueError where labels say that items stand in rows, or may, or that
    rows are not pairs.
    """
    tables = [table for table in (a, b) if isinstance(table, pd.DataFrame)]
    of_groups = groups.index if isinstance(groups, pd.Series) else pd.RangeIndex(0)
    if any(
        of_groups.equals(table.index)
        and not of_groups.equals(table.columns)
        and not isinstance(table.index, pd.RangeIndex)
        for table in tables
    ):
        raise ValueError(
            f"{_WAY_ROUND}, and the labels of groups are those of rows: give a.T"
            " and b.T"
        )
    # Rows that are not paired and have the same labels may be seeds of one number, or
    # the items, which both systems share: there are seldom more seeds than items.
    if (
        rows != "paired"
        and len(tables) == 2
        and not isinstance(a.index, pd.RangeIndex)
        and a.index.equals(b.index)
        and len(a) > len(a.columns)
    ):
        raise ValueError(
            f"{_WAY_ROUND}, got {len(a)} rows with the same labels in both, and"
            f" {len(a.columns)} columns: if rows are items, give a.T and b.T; if they"
            " are runs, give a.to_numpy() and b.to_numpy()"
        )
    if rows == "paired":
        check_aligned(0, a=a, b=b)


def _check_way_round(a, b, groups):
    """Raise a ValueError where numbers say that items stand in rows."""
    n_groups = len(groups) if hasattr(groups, "__len__") else None
    unequal = len(a) == len(b) > max(a.shape[-1], b.shape[-1]) and a.shape != b.shape
    if a.ndim == 2 and len(a) != a.shape[1] and (n_groups == len(a) or unequal):
        known = "" if n_groups is None else f" with {n_groups:,} groups"
        raise ValueError(
            f"{_WAY_ROUND}, got shapes {a.shape} and {b.shape}{known}: give a.T and b.T"
        )


def _check_crossed(a, b, rows, members, independent):
    if a.ndim == 2 and min(len(a), len(b)) < FEWEST_SEEDS:
        raise ValueError(
            f"a and b must hold at least {FEWEST_SEEDS} rows each, got {len(a)} and"
            f" {len(b)}: fewer seeds do not show how much seeds matter. Train more, or"
            " give one run of each, one-dimensional, and speak of these two models"
            " alone"
        )
    if rows == "paired" and len(a) != len(b):
        raise ValueError(
            f"a and b must have as many rows as each other if paired, got {len(a)} and"
            f" {len(b)}"
        )
    if not independent:
        check_enough(members)
    elif members.size < FEWEST_GROUPS:
        raise ValueError(
            f"a and b must hold at least {FEWEST_GROUPS} items, got {members.size}"
        )


def seeds_needed(difference, sd, *, power=0.8, alpha=0.05, paired=False):
    """Compute how many seeds per system a t test needs to find a difference.

    Parameters
    ----------
    difference : float
        Of the true means; not 0. The smallest that would matter to you.
    sd : float
        The standard deviation over seeds of each system; if paired, that of the
        differences.
    power : float, default 0.8
        The probability of finding it; above `alpha`.
    alpha : float, default 0.05
        The level of the two-sided test; at least 1e-9.
    paired : bool, default False
        True if score i of both systems shares what varies: a split, or the items.

    Returns
    -------
    int
        At least 2.

    Notes
    -----
    Exact for normal scores with one standard deviation, by the noncentral t
    distribution.

    Size: differences from a thousandth of `sd` to 10,000 times it, in 0.1 s.

    Examples
    --------
    >>> from evalkit import seeds_needed
    >>> seeds_needed(0.5, 1)
    64
    """
    effect = abs(check_number(difference, "difference"))
    sd = check_number(sd, "sd")
    power, alpha = check_level(power, "power"), check_level(alpha, "alpha")
    paired = check_bool(paired, "paired")
    if sd <= 0:
        raise ValueError(
            f"sd must be above 0, got {sd}: without scatter one seed is enough"
        )
    if power <= alpha:
        raise ValueError(f"power must be above alpha ({alpha}), got {power}")
    if alpha < 1e-9:
        raise ValueError(
            f"alpha must be at least 1e-9, got {alpha}: no scores are so exactly normal"
        )
    effect /= sd
    if not effect <= 1e4:
        raise ValueError(
            f"difference must be at most 10,000 times sd, got {difference} for sd ="
            f" {sd}"
        )
    if effect < 1e-3:
        raise ValueError(
            f"difference must be at least a thousandth of sd, got {difference} for sd ="
            f" {sd}"
        )

    def enough(n):
        df, shift = (
            (n - 1, effect * n**0.5) if paired else (2 * n - 2, effect * (n / 2) ** 0.5)
        )
        # The square of a noncentral t, for both sides at once: far on the wrong side
        # SciPy's noncentral t is NaN, where the chance is next to nothing.
        return stats.ncf.sf(stats.f.isf(alpha, 1, df), 1, df, shift**2) >= power

    low, high = 1, 2
    while not enough(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
