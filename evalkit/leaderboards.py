"""Chapter 9: leaderboards. Which ranks a board can tell apart, and what several answers
to a problem show.
"""

import numbers

import numpy as np
import pandas as pd
from scipy import special, stats

from evalkit._checks import (
    as_array,
    check_aligned,
    check_choice,
    check_int,
    check_level,
    check_same_length,
    check_scores,
    check_table,
    check_work,
)
from evalkit._coins import step_down
from evalkit._groups import (
    check_enough,
    check_groups,
    effective_groups,
    mean_variance,
)
from evalkit._limits import DIRECTIONS
from evalkit._paired import clustered_share, few_apart, paired_difference
from evalkit._scores import describe
from evalkit._ties import rounding
from evalkit.results import PassRate, Ranks

_MAX_WORK = 5e8  # pairs of systems times items, and what each pair takes besides


def rank_intervals(scores, groups=None, *, direction="higher", confidence_level=0.95):
    """Compute which ranks each system of a board may have, for all systems at once.

    Parameters
    ----------
    scores : DataFrame or array_like of float, shape (n_items, n_systems)
        One score per item and system: 1 for a right answer, 0 for a wrong one, or the
        mean of several answers. At least five items and two systems.
    groups : array_like, shape (n_items,), optional
        The group of each item (its problem, its repository), if items come in groups. A
        Series is paired with the rows by position only where their labels agree.
    direction : {"higher", "lower"}, default "higher"
        Which scores are better.
    confidence_level : float, default 0.95
        Of all sets together: in so many benchmarks like this one, every system's true
        rank is in its set.

    Returns
    -------
    Ranks

    Raises
    ------
    ValueError
        Also where items or groups are so few, or groups so unequal, that no interval is
        known to hold.

    Notes
    -----
    What varies is the items, or the groups: these same systems, on other items of the
    kind. Every pair of systems is compared by `crossed_difference` on the same items,
    and the p-values of all pairs are adjusted by Holm's method. A system's best rank is
    one more than the number of those that are shown to be better; its worst rank leaves
    room for all that are not shown to be worse. All sets together hold if no pair is
    told apart wrongly. Simulated for equal systems, 5 to 40 on 5 to 300 items and in
    eight groups, they do in 94 % or more (`lab.experiments.error_rates`, table
    `rank_sets`).

    Who is asked about the first place alone needs fewer comparisons: `may_be_best` has
    all that none of the others is shown to beat, where p times their number is at most
    one minus the level. Whichever system is the best, it is in it with that confidence.

    A pair that no item tells apart is never told apart. Where one system beats another
    by the same on every item, each item counts as a coin throw.

    Size: 300 systems on 10,000 items take 60 s; pairs of systems times 1,000 more than
    the items up to 500,000,000.

    References
    ----------
    Mogstad, Romano, Shaikh and Wilhelm (2024), Inference for Ranks with Applications to
    Mobility across Neighbourhoods and Academic Achievement across Countries, Review of
    Economic Studies; Holm (1979), A Simple Sequentially Rejective Multiple Test
    Procedure, Scandinavian Journal of Statistics.

    Examples
    --------
    >>> from evalkit import rank_intervals
    >>> some = [[1, 1, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [1, 1, 1], [1, 1, 0]]
    >>> ranks = rank_intervals(some * 10).table
    >>> ranks[["rank", "best", "worst"]].to_numpy().tolist()
    [[1, 1, 2], [1, 1, 2], [3, 3, 3]]
    """
    table, share = _check_board(scores), rounding(scores)
    check_choice(direction, "direction", DIRECTIONS)
    level = check_level(confidence_level)
    n_items, n_systems = table.shape
    n_pairs = n_systems * (n_systems - 1) // 2
    size = f"scores: {n_pairs:,} pairs of systems on {n_items:,} items"
    check_work(n_pairs * (n_items + 1000), _MAX_WORK, size, "leave out systems")
    check_aligned(0, scores=scores, groups=groups)
    array = table.to_numpy()
    members = np.arange(n_items)
    if groups is not None:
        members = check_groups(groups, array)
    check_enough(members, name="items" if groups is None else "groups")
    lead, pvalues = _pairs(array, members, share)
    lead = lead if direction == "higher" else -lead
    told = step_down(pvalues) <= 1 - level
    apart = np.zeros((n_systems, n_systems), dtype=bool)
    better, worse = np.triu_indices(n_systems, 1)
    apart[better, worse], apart[worse, better] = told & (lead > 0), told & (lead < 0)
    difference = np.zeros((n_systems, n_systems))
    difference[better, worse], difference[worse, better] = lead, -lead
    beaten = np.where(lead > 0, worse, better)[pvalues * (n_systems - 1) <= 1 - level]
    ranks = pd.DataFrame(
        {
            "score": table.mean(),
            "rank": 1 + (difference < 0).sum(axis=1),
            "best": 1 + apart.sum(axis=0),
            "worst": n_systems - apart.sum(axis=1),
        }
    )
    apart = pd.DataFrame(apart, index=table.columns, columns=table.columns)
    kept = ranks.drop(ranks.index[beaten]).sort_values("rank", kind="stable")
    effective = None if groups is None else effective_groups(members)
    return Ranks(ranks, apart, kept.index.tolist(), level, n_items, effective)


def _check_board(scores):
    """Return scores as a table of floats whose columns are systems."""
    array = as_array(scores, "scores", "a table of numbers")
    if array.ndim != 2 or min(array.shape) < 2:
        raise ValueError(
            "scores must have shape (items, systems), at least two of each, got"
            f" {array.shape}"
        )
    systems = [f"system {i}" for i in range(array.shape[1])]
    index = None
    if isinstance(scores, pd.DataFrame):
        systems, index = scores.columns, scores.index
        if not systems.is_unique:
            raise ValueError(f"scores must name each system once, got {list(systems)}")
    if array.shape[1] > array.shape[0]:
        raise ValueError(
            "scores must have a row for each item and a column for each system, got"
            f" {array.shape[0]:,} rows and {array.shape[1]:,} columns: give scores.T,"
            " or more items than systems"
        )
    return pd.DataFrame(
        check_table(array, "scores", squared=True), index=index, columns=systems
    )


def _pairs(array, members, share):
    """Return by how much the first of each pair of systems leads, and the p-values.

    Parameters
    ----------
    array : ndarray of float, shape (n_items, n_systems)
    members : ndarray of int, shape (n_items,)
    share : float
        By which two equal scores may differ, of the largest of their systems.

    Returns
    -------
    lead, pvalues : ndarray of float, shape (n_pairs,)
    """
    leads, pvalues, columns = [], [], array.T
    independent = bool((np.bincount(members) == 1).all())
    how = {"members": members, "independent": independent}
    counted = [describe(column).counted for column in columns]
    largest = np.abs(columns).max(axis=1)
    for i in range(len(columns) - 1):
        gaps = columns[i] - columns[i + 1 :]
        noise = share * np.maximum(largest[i], largest[i + 1 :])
        gaps[np.abs(gaps) <= noise[:, None]] = 0.0
        lead = gaps.mean(axis=1)
        variance, df = mean_variance(gaps, members)
        with np.errstate(divide="ignore", invalid="ignore"):
            by_t = 2 * special.stdtr(df, -np.abs(lead) / np.sqrt(variance))
        for j, own in enumerate(gaps):
            both = counted[i] and counted[i + 1 + j]
            if not own.any():
                by_t[j] = 1.0
            elif not both and np.ptp(own) <= noise[j]:
                by_t[j] = 2.0 ** -int(members.max())  # of G coins all show one side
            elif few_apart(own, members, both):
                what = describe(columns[i], columns[i + 1 + j])
                parts = [(float(variance[j]), df)]
                by_t[j] = paired_difference(
                    own, parts, 0.95, "", what=what, **how
                ).pvalue
        leads.append(lead)
        pvalues.append(by_t)
    return np.concatenate(leads), np.concatenate(pvalues)


def pass_at_k(right, answers, k, groups=None, *, confidence_level=0.95):
    """Compute pass@k: how often at least one of k answers to a problem is right.

    Parameters
    ----------
    right : array_like of int, shape (n_problems,)
        How many answers to each problem are right.
    answers : int or array_like of int, shape (n_problems,)
        How many were given: one number for all problems, or one for each. At least `k`.
    k : int
    groups : array_like, shape (n_problems,), optional
        The group of each problem, if problems come in groups. Series are paired by
        position only where their labels agree.
    confidence_level : float, default 0.95

    Returns
    -------
    PassRate

    Raises
    ------
    ValueError
        Also where groups are so few or so unequal that no interval is known to hold.

    Notes
    -----
    The estimate is unbiased for any number of answers from k on: of all choices of k
    among the answers, the share that holds a right one. What varies in the interval is
    the problems, each with answers of its own. It is Korn and Graubard's: Clopper and
    Pearson's on as many single answers as would have the same variance, so that it
    stays within [0, 1] and is never empty.

    Size: linear; a million problems take 2 s.

    References
    ----------
    Chen et al. (2021), Evaluating Large Language Models Trained on Code; Korn and
    Graubard (1998), Confidence Intervals for Proportions with Small Expected Number of
    Positive Counts Estimated from Survey Data.

    Examples
    --------
    >>> from evalkit import pass_at_k
    >>> print(pass_at_k([0, 10, 3, 7, 10, 0, 1, 9] * 5, 10, 3))
    pass@3 62.5 % (47.2 % to 76.1 %), 40 problems
    """
    return _pass_rate(right, answers, k, groups, confidence_level, "pass@")


def pass_hat_k(right, answers, k, groups=None, *, confidence_level=0.95):
    """Compute pass^k: how often all of k answers to a problem are right.

    Parameters
    ----------
    right : array_like of int, shape (n_problems,)
        How many answers to each problem are right.
    answers : int or array_like of int, shape (n_problems,)
        How many were given: one number for all problems, or one for each. At least `k`.
    k : int
    groups : array_like, shape (n_problems,), optional
        As for `pass_at_k`.
    confidence_level : float, default 0.95

    Returns
    -------
    PassRate

    Raises
    ------
    ValueError
        Also where groups are so few or so unequal that no interval is known to hold.

    Notes
    -----
    Of all choices of k among the answers to a problem, the share in which all are
    right; unbiased, and with the interval of `pass_at_k`.

    Size: linear; a million problems take 2 s.

    References
    ----------
    Yao, Shinn, Razavi and Narasimhan (2024), tau-bench: A Benchmark for Tool-Agent-User
    Interaction in Real-World Domains.

    Examples
    --------
    >>> from evalkit import pass_hat_k
    >>> print(pass_hat_k([0, 4, 3, 2, 4, 0, 1, 4] * 5, 4, 2))
    pass^2 45.8 % (31.0 % to 61.2 %), 40 problems
    """
    return _pass_rate(right, answers, k, groups, confidence_level, "pass^")


def _pass_rate(right, answers, k, groups, confidence_level, kind):
    level, k = check_level(confidence_level), check_int(k, "k")
    check_aligned(right=right, answers=answers, groups=groups)
    of_right = _check_counts(right, "right")
    if of_right.size < 2:
        raise ValueError(
            "right must hold at least two problems: one problem cannot vary"
        )
    if isinstance(answers, numbers.Real):
        answers = [check_int(answers, "answers")] * of_right.size
    given = _check_counts(answers, "answers")
    check_same_length(of_right, given, "right", "answers")
    if (beyond := of_right > given).any():
        first = beyond.argmax()
        raise ValueError(
            f"right must be at most answers, but {beyond.sum()} of {beyond.size}"
            f" problems have more right than given; the first is problem {first}, with"
            f" {of_right[first]:g} right of {given[first]:g}"
        )
    if (given < k).any():
        raise ValueError(
            f"k must be at most the answers to each problem, but {k} is more than the"
            f" {given.min():g} of problem {given.argmin()}: give more answers, or take"
            " a smaller k"
        )
    rates = (
        _all_of(of_right, given, k)
        if kind == "pass^"
        else 1 - _all_of(given - of_right, given, k)
    )
    members = np.arange(rates.size)
    if groups is not None:
        members = check_groups(groups, rates, "right")
        check_enough(members)
    variance, df = mean_variance(rates, members)
    low, high = clustered_share(
        rates, members, [(float(variance), df)], level, most=float(given.sum())
    )
    units = "whole groups" if groups is not None else "problems"
    return PassRate(
        low,
        high,
        level,
        f"Korn and Graubard, {units}",
        None if groups is None else effective_groups(members),
        rate=float(rates.mean()),
        k=k,
        kind=kind,
        n_problems=rates.size,
    )


def _check_counts(values, name):
    counts = check_scores(values, name)
    if (counts < 0).any() or (counts != np.round(counts)).any():
        raise ValueError(
            f"{name} must be counts of answers, whole and not below 0, got {counts[:5]}"
        )
    return counts


def _all_of(part, answers, k):
    """Return, for each problem, of all choices of k answers the share that lies wholly
    in a part of them.
    """
    return stats.hypergeom.pmf(k, answers, part, k)
