"""Statistics of pools that several judges ask for, and their words."""

import numpy as np

from evalkit.papers.bajgar2018 import audit

NAMES = {
    "resnet": "ResNet",
    "asreader_fixed": "AS Reader",
    "asreader_random": "AS Reader under search",
    "deberta": "DeBERTa",
    "deberta_v3": "DeBERTa V3",
}


def words(found, digits=2):
    """Write a statistic with its interval.

    Parameters
    ----------
    found : Resampled or Kept
    digits : int, default 2

    Returns
    -------
    str
    """
    return f"{found.estimate:.{digits}f} ({found.low:.{digits}f} to {found.high:.{digits}f})"


def by_pool(found, digits=2):
    """Write a statistic of several pools, each with its interval.

    Parameters
    ----------
    found : dict of str to Resampled or Kept
    digits : int, default 2

    Returns
    -------
    str
    """
    return "; ".join(f"{NAMES.get(name, name)} {words(x, digits)}" for name, x in found.items())


def sd(pairs):
    """Return the SD of the test scores.

    Parameters
    ----------
    pairs : ndarray of float, shape (m, 2)

    Returns
    -------
    float
    """
    return pairs[:, 1].std(ddof=1)


def gain(pairs, n):
    """Return by how many SDs the best-validation run of n is expected to beat the mean on test.

    Parameters
    ----------
    pairs : ndarray of float, shape (m, 2)
    n : int

    Returns
    -------
    float
    """
    return (audit.boo_pairs(pairs, n) - pairs[:, 1].mean()) / sd(pairs)


def rise(pairs, low, high):
    """Return by how many points Boo_n rises from one n to another.

    Parameters
    ----------
    pairs : ndarray of float, shape (m, 2)
    low, high : int

    Returns
    -------
    float
    """
    return audit.boo_pairs(pairs, high) - audit.boo_pairs(pairs, low)


def on_itself(scores):
    """Return pairs in which a score chooses and is reported.

    Parameters
    ----------
    scores : ndarray of float, shape (m,)

    Returns
    -------
    ndarray of float, shape (m, 2)
    """
    return np.c_[scores, scores]
