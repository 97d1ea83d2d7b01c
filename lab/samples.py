"""The best of n in many samples of one pool of runs at once, for a bootstrap of whole
curves.
"""

import numpy as np
from scipy import special


def _chances(size, budgets):
    """Return how probable each rank, from the best, is to be the best of n, for each
    n.
    """
    worse = np.arange(size)[::-1]
    return (
        special.comb(worse, budgets[:, np.newaxis] - 1)
        / special.comb(size, budgets)[:, np.newaxis]
    )


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
    test, budgets = np.asarray(test), np.asarray(n)
    place = np.unique(validation, return_inverse=True)[1][drawn]
    # Runs of one sample that tie have a cell in common, and the mean of their tests.
    cell = place + len(test) * np.arange(len(drawn))[:, np.newaxis]
    summed = np.bincount(cell.ravel(), test[drawn].ravel())
    means = (summed / np.maximum(1, np.bincount(cell.ravel())))[cell]
    ranked = np.take_along_axis(means, np.argsort(-place, axis=1), axis=1)
    size = ranked.shape[1]
    best = ranked @ _chances(size, budgets).T
    if not variance:
        return best
    variances = np.empty_like(best)
    for i, chance in enumerate(_chances(size - 1, budgets)):
        before = np.cumsum(chance * ranked[:, :-1], axis=1)
        after = np.cumsum((chance * ranked[:, 1:])[:, ::-1], axis=1)[:, ::-1]
        without = np.pad(before, [(0, 0), (1, 0)]) + np.pad(after, [(0, 0), (0, 1)])
        variances[:, i] = (size - 1) * without.var(axis=1)
    return best, variances


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
