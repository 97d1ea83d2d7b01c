"""The mean of paired differences of which many are 0: right and wrong answers, and what
is nearly so.
"""

import math

import numpy as np
from scipy import special, stats

from evalkit._groups import effective_groups
from evalkit.results import Difference, PairedProportions

# Items, or groups, that must tell two systems apart before Student's t is trusted, and
# the share of all that is enough where there are few. By exact summation for 20 to 500
# independent items, t from 20 on and the score below cover 92.9 % or more in the worst
# case, as the score alone does.
_ENOUGH, _ENOUGH_OF_FEW = 20, 0.6
# Where fewer effective groups tell two systems apart, or err at all, what another group
# would show is not known, and each group counts as one item; of few groups three in
# four are enough, and half. Without, the worst coverage in the tables
# `group_differences` and `group_rates` of `error_rates` would be 85 and 80 %.
_FEWEST_TELLING, _FEWEST_ERRING = 3, 4
# The level at which Student's t and the score are compared: which of them is taken, and
# with it the p-value, does not depend on the level that is asked for.
_COMPARED_AT = 0.95


def paired_difference(
    differences,
    parts,
    level,
    method,
    *,
    members=None,
    what,
    independent=True,
    of_items=True,
    **more,
):
    """Return the interval of the mean of paired differences: by Student's t, or by
    Tango's score.

    Student's t takes its standard error from the items that differ, and of two models
    that disagree on few it knows too little. There the score is taken, on as many
    independent items as would have this variance.

    Parameters
    ----------
    differences : ndarray of float, shape (n,)
        Of each item; 0 where only rounding makes one.
    parts : sequence of (float, float)
        Of the variance of their mean, as `Difference.from_parts` takes them.
    level : float
    method : str
    members : ndarray of int, shape (n,), optional
        The group of each item.
    what : Scores
        What the scores of both systems are.
    independent : bool, default True
        Whether each item has one score of each system, and no group: then the counts
        are whole.
    of_items : bool, default True
        Whether items, and not runs, make most of the variance: the score knows of
        nothing else.
    **more
        Other attributes of the result.

    Returns
    -------
    Difference
    """
    mean = differences.mean()
    by_t = Difference.from_parts(mean, parts, level, method, **more)
    n, total = differences.size, float(np.abs(differences).sum())
    members = np.arange(n) if members is None else members
    if not few_apart(differences, members, what.counted) or not (what.counted or total):
        return by_t
    # Of one size, the items that differ would have the same mean and the same mean
    # square.
    unit = float(np.sum(differences**2)) / total if total else what.top
    n10, n01 = (
        float(np.maximum(side * differences, 0).sum()) / unit for side in (1, -1)
    )
    worth = float(n)
    if not (what.counted and independent):
        worth = _effective_items(differences, by_t, members)
    counts = n10 * worth / n, n01 * worth / n, worth

    def by_score(level):
        name = f"{method}, Tango's score"
        known = {"unit": unit, "se": by_t.se, "df": by_t.df}
        return PairedProportions.from_counts(*counts, level, name, **known, **more)

    # Right and wrong differ by 1 at most, other scores by more than they did here, and
    # runs by what they may.
    if what.counted and of_items:
        return by_score(level)
    t_width = Difference.from_parts(mean, parts, _COMPARED_AT, method).width
    return by_score(level) if by_score(_COMPARED_AT).width > t_width else by_t


def few_apart(differences, members, counted):
    """Tell whether so few items tell two systems apart that Student's t fails.

    Parameters
    ----------
    differences : ndarray of float, shape (n,)
    members : ndarray of int, shape (n,)
    counted : bool
        Whether every score is right or wrong.

    Returns
    -------
    bool
    """
    if not (counted or np.mean(differences == 0) > 0.5):
        return False
    enough = min(_ENOUGH, _ENOUGH_OF_FEW * effective_groups(members))
    return spread_over(np.abs(differences - np.median(differences)), members) < enough


def _effective_items(differences, by_t, members):
    """Return how many independent items would make the mean as sure as these do."""
    n, mean, n_equal = differences.size, differences.mean(), effective_groups(members)
    alone = max(float(np.mean(differences**2) - mean**2), 0.0) / (n - 1)
    if not (alone and by_t.se):
        return n_equal
    tail = (1 - _COMPARED_AT) / 2
    worth = (
        n
        * min(alone / by_t.se**2, 1.0)
        * (special.ndtri(tail) / special.stdtrit(by_t.df, tail)) ** 2
    )
    few = spread_over(np.abs(differences), members) < min(
        _FEWEST_TELLING, 0.75 * n_equal
    )
    return float(min(worth, n_equal)) if few else float(worth)


def spread_over(amounts, members):
    """Return over how many equal groups amounts are spread: the square of their sum
    over that of squares.

    Parameters
    ----------
    amounts : ndarray of float, shape (n,)
        Of each item, none below 0.
    members : ndarray of int, shape (n,)

    Returns
    -------
    float
        0 where there is nothing.
    """
    of_groups = np.bincount(members, weights=amounts)
    squares = float(np.sum(of_groups**2))
    return float(of_groups.sum()) ** 2 / squares if squares else 0.0


def clustered_share(scores, members, parts, level, *, most=None):
    """Return Korn and Graubard's interval of a share of items in groups.

    Clopper and Pearson's, on as many independent items as would have the same variance,
    and fewer where that is known from few degrees of freedom.

    Parameters
    ----------
    scores : ndarray of float, shape (n,)
        Each 0 or 1, or a share of several answers.
    members : ndarray of int, shape (n,)
        The group of each item, from 0.
    parts : sequence of (float, float)
        Of the variance of the share, as `Difference.from_parts` takes them.
    level : float
    most : float, optional
        How many independent items they are worth at most; by default as many as there
        are.

    Returns
    -------
    low, high : float
    """
    by_t = Difference.from_parts(scores.mean(), parts, level, "")
    share, tail, n_equal = by_t.difference, (1 - level) / 2, effective_groups(members)
    worth = n_equal
    if by_t.se:
        worth = share * (1 - share) / by_t.se**2
        worth = min(
            worth * (special.ndtri(tail) / special.stdtrit(by_t.df, tail)) ** 2,
            most or float(scores.size),
        )
        if spread_over(scores if share <= 0.5 else 1 - scores, members) < min(
            _FEWEST_ERRING, n_equal / 2
        ):
            worth = min(worth, n_equal)
    return clopper_pearson(share * worth, worth, level)


def clopper_pearson(successes, trials, level):
    """Return the ends of Clopper and Pearson's interval; the counts need not be
    whole.
    """
    tail, failures = (1 - level) / 2, trials - successes
    tiny = 1e-9 * trials
    low = stats.beta.ppf(tail, successes, failures + 1) if successes > tiny else 0.0
    high = stats.beta.isf(tail, successes + 1, failures) if failures > tiny else 1.0
    return float(low), float(high if math.isfinite(high) else 1.0)
