"""The mean of paired differences of which many are 0: right and wrong answers, and what is nearly so."""

import math

import numpy as np
from scipy import special, stats

from evalkit._groups import effective_groups
from evalkit.results import Difference, PairedProportions

# Where fewer effective groups than this tell two systems apart, or err at all, what another would show is not
# known, and each group counts as one item; of few groups half are enough. With 3 and 4 the worst coverage in
# the tables `group_differences` and `group_rates` of `error_rates` is that of the docstrings, without 85 and
# 80 %.
_FEWEST_TELLING, _FEWEST_ERRING = 3, 4


def right_or_wrong(*tables):
    """Tell whether all scores are 0 or 1."""
    return all(bool(((table == 0) | (table == 1)).all()) for table in tables)


def paired_difference(differences, parts, level, method, *, members=None, counted, independent=True, **more):
    """Return the interval of the mean of paired differences: by Student's t, or by Tango's score.

    Student's t takes its standard error from the items that differ. Of two models that disagree on few it
    knows too little. The score does not, and says the same where they disagree on many.

    Parameters
    ----------
    differences : ndarray of float, shape (n,)
        Of each item; 0 where only rounding makes one.
    parts : sequence of (float, float)
        Of the variance of their mean, as `Difference.of` takes them.
    level : float
    method : str
    members : ndarray of int, shape (n,), optional
        The group of each item.
    counted : bool
        Whether every score is right or wrong.
    independent : bool, default True
        Whether each item has one score of each system, and no group: then the counts are whole.
    **more
        Other attributes of the result.

    Returns
    -------
    Difference
    """
    by_t = Difference.of(differences.mean(), parts, level, method, **more)
    if not counted and np.mean(differences == 0) <= 0.5:
        return by_t
    n, total = differences.size, float(np.abs(differences).sum())
    # Of one size, the items that differ would have the same mean and the same mean square.
    unit = float(np.sum(differences**2)) / total if total else 1.0
    n10, n01 = (float(np.maximum(side * differences, 0).sum()) / unit for side in (1, -1))
    worth = float(n)
    if not (counted and independent):
        worth = _worth(differences, by_t, level, members)
    name = f"{method}, Tango's score"
    counts = n10 * worth / n, n01 * worth / n, worth
    more = {**more, "se": by_t.se, "df": by_t.df}
    by_score = PairedProportions.of_counts(*counts, level, name, unit=unit, **more)
    # Right and wrong differ by 1 at most; other scores by more than they did here.
    return by_score if counted or by_score.width > by_t.width else by_t


def _worth(differences, by_t, level, members):
    """Return how many independent items would make the mean as sure as these do."""
    n, mean = differences.size, differences.mean()
    alone = max(float(np.mean(differences**2) - mean**2), 0.0) / (n - 1)
    most = n if members is None else effective_groups(members)
    if not (alone and by_t.se):
        return float(most)
    tail = (1 - level) / 2
    worth = n * min(alone / by_t.se**2, 1.0) * (special.ndtri(tail) / stats.t.ppf(tail, by_t.df)) ** 2
    if members is not None and too_few(np.abs(differences), members, _FEWEST_TELLING):
        worth = min(worth, most)
    return float(worth)


def too_few(amounts, members, fewest):
    """Tell whether amounts lie in fewer effective groups than `fewest`, or than half of all.

    Parameters
    ----------
    amounts : ndarray of float, shape (n,)
        Of each item, none below 0.
    members : ndarray of int, shape (n,)
    fewest : float

    Returns
    -------
    bool
    """
    of_groups = np.bincount(members, weights=amounts)
    effective = of_groups.sum() ** 2 / np.sum(of_groups**2)
    return bool(effective < min(fewest, effective_groups(members) / 2))


def clustered_share(scores, members, parts, level):
    """Return Korn and Graubard's interval of a share of items in groups.

    Clopper and Pearson's, on as many independent items as would have the same variance, and fewer where that
    is known from few degrees of freedom.

    Parameters
    ----------
    scores : ndarray of float, shape (n,)
        Each 0 or 1.
    members : ndarray of int, shape (n,)
        The group of each item, from 0.
    parts : sequence of (float, float)
        Of the variance of the share, as `Difference.of` takes them.
    level : float

    Returns
    -------
    low, high : float
    """
    by_t = Difference.of(scores.mean(), parts, level, "")
    share, tail, most = by_t.difference, (1 - level) / 2, effective_groups(members)
    worth = most
    if by_t.se:
        worth = share * (1 - share) / by_t.se**2
        worth = min(worth * (special.ndtri(tail) / stats.t.ppf(tail, by_t.df)) ** 2, float(scores.size))
        if too_few(scores if share <= 0.5 else 1 - scores, members, _FEWEST_ERRING):
            worth = min(worth, most)
    return clopper_pearson(share * worth, worth, level)


def clopper_pearson(successes, trials, level):
    """Return the ends of Clopper and Pearson's interval; the counts need not be whole."""
    tail, failures = (1 - level) / 2, trials - successes
    tiny = 1e-9 * trials
    low = stats.beta.ppf(tail, successes, failures + 1) if successes > tiny else 0.0
    high = stats.beta.isf(tail, successes + 1, failures) if failures > tiny else 1.0
    return float(low), float(high if math.isfinite(high) else 1.0)
