"""The best of n in many samples of one pool of runs at once, for a bootstrap of whole
curves.
"""

import numpy as np
from scipy import special, stats


def _chances(size, budgets):
    """Return how probable each rank, from the best, is to be the best of n, for each
    n.
    """
    worse = np.arange(size)[::-1]
    return (
        special.comb(worse, budgets[:, np.newaxis] - 1)
        / special.comb(size, budgets)[:, np.newaxis]
    )


def _ranked(validation, test, drawn):
    """Return the mean test score of the runs that tie with each, the best by
    validation first, how far each lies below it, and where each stood; and the first
    and the last place of those that tie with it.
    """
    test = np.asarray(test)
    place = np.unique(validation, return_inverse=True)[1][drawn]
    # Runs of one sample that tie have a cell in common, and the mean of their tests.
    cell = place + len(test) * np.arange(len(drawn))[:, np.newaxis]
    summed = np.bincount(cell.ravel(), test[drawn].ravel())
    means = (summed / np.maximum(1, np.bincount(cell.ravel())))[cell]
    order = np.argsort(-place, axis=1)
    ranked, below, place = (
        np.take_along_axis(x, order, axis=1)
        for x in (means, means - test[drawn], place)
    )
    steps, count = place[:, 1:] != place[:, :-1], np.arange(place.shape[1])
    first = np.where(np.pad(steps, [(0, 0), (1, 0)]), count, 0)
    last = np.where(np.pad(steps, [(0, 0), (0, 1)]), count, count[-1])
    last = np.minimum.accumulate(last[:, ::-1], axis=1)[:, ::-1]
    return ranked, (below, np.maximum.accumulate(first, axis=1), last), order


def _without_each(ranked, ties, chance):
    """Return the best of n without each run, from the chances of one run fewer."""
    below, first, last = ties
    before = np.cumsum(chance * ranked[:, :-1], axis=1)
    after = np.cumsum((chance * ranked[:, 1:])[:, ::-1], axis=1)[:, ::-1]
    # Without one run the mean of those that tie with it is another.
    total = np.append(0, np.cumsum(chance))
    moved = below * (total[last] - total[first]) / np.maximum(1, last - first)
    return np.pad(before, [(0, 0), (1, 0)]) + np.pad(after, [(0, 0), (0, 1)]) + moved


def boo_of_samples(validation, test, drawn, n, *, variance=False):
    """Compute what `evalkit.boo` gives in each of many samples of the same runs.

    Parameters
    ----------
    validation, test : array_like of float, shape (n_runs,)
        What a run is chosen by, higher being better, and what is reported of it.
    drawn : ndarray of int, shape (n_samples, size)
        The places of the runs in each sample.
    n : array_like of int, shape (m,)
        The budgets, in runs: at most `size`, and less for the variance.
    variance : bool, default False
        Whether to return the jackknife's estimate of the variance of each, too.

    Returns
    -------
    best : ndarray of float, shape (n_samples, m)
        By the unbiased estimate U; runs that tie on validation share their weight.
    variances : ndarray of float, shape (n_samples, m)
        Only with `variance`.

    Notes
    -----
    Time is n_samples * size * m; a call with ten thousand samples of two hundred runs
    holds some 16 MB for each of a few arrays.
    """
    ranked, ties, _ = _ranked(validation, test, drawn)
    size, budgets = ranked.shape[1], np.asarray(n)
    best = ranked @ _chances(size, budgets).T
    if not variance:
        return best
    variances = np.empty_like(best)
    for i, chance in enumerate(_chances(size - 1, budgets)):
        variances[:, i] = (size - 1) * _without_each(ranked, ties, chance).var(axis=1)
    return best, variances


def left_out(validation, test, drawn, n):
    """Compute U of the best of n in each sample, and what it is without each run.

    Parameters
    ----------
    validation, test : array_like of float, shape (n_runs,)
        As `boo_of_samples` takes them.
    drawn : ndarray of int, shape (n_samples, size)
    n : int
        Less than `size`.

    Returns
    -------
    best : ndarray of float, shape (n_samples,)
    without : ndarray of float, shape (n_samples, size)
        Without the run that was drawn first, second and so on, so that the jackknife
        can take two systems together that have the same settings.
    """
    ranked, ties, order = _ranked(validation, test, drawn)
    size = ranked.shape[1]
    (chances,), (fewer,) = (_chances(m, np.array([n])) for m in (size, size - 1))
    without = np.empty_like(ranked)
    np.put_along_axis(without, order, _without_each(ranked, ties, fewer), axis=1)
    return ranked @ chances, without


def jackknife_ends(estimate, without, level=0.95):
    """Return the ends of the jackknife's interval, as `evalkit.expected_max_interval`
    has it.

    Parameters
    ----------
    estimate : ndarray of float, shape (...)
    without : ndarray of float, shape (..., size)
    level : float, default 0.95

    Returns
    -------
    low, high : ndarray of float, shape (...)
        By Student's t with as many degrees of freedom as runs carry the variance.
    """
    squares = (without - without.mean(axis=-1, keepdims=True)) ** 2
    total, size = squares.sum(axis=-1), without.shape[-1]
    freedom = np.divide(
        total**2, (squares**2).sum(axis=-1), out=np.ones_like(total), where=total > 0
    )
    reach = stats.t.ppf((1 + level) / 2, freedom) * np.sqrt((size - 1) / size * total)
    return estimate - reach, estimate + reach


def counted(drawn, size):
    """Return how often each place was drawn, sample by sample.

    Parameters
    ----------
    drawn : ndarray of int, shape (n_samples, n)
        Places from 0.
    size : int
        How many places there are.

    Returns
    -------
    ndarray of float, shape (n_samples, size)
    """
    flat = (drawn + size * np.arange(len(drawn))[:, None]).ravel()
    counts = np.bincount(flat, minlength=size * len(drawn))
    return counts.reshape(-1, size).astype(float)
