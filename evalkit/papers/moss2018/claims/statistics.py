"""Statistics of choices and estimates that several judges ask for."""

import numpy as np

# The published name of the file whose neighbouring rows are alike, with five folds.
DEPENDENT = "lstm"
DEPENDENT_ROWS = (
    "With five folds the rows of the file are alike, so that no interval over them speaks of new shuffles; "
    "independent ones were not released."
)


def middle_span(values):
    """Return the length of the middle 95 % of some values.

    Parameters
    ----------
    values : array_like of float

    Returns
    -------
    float
    """
    return np.subtract(*np.quantile(values, [0.975, 0.025]))


def sd_ratio(before, after):
    """Return the SD of one sample over that of the one before it.

    Parameters
    ----------
    before, after : ndarray of float

    Returns
    -------
    float
    """
    return after.std(ddof=1) / before.std(ddof=1)


def commonest_share(chosen):
    """Return the share of the commonest of some choices.

    Parameters
    ----------
    chosen : ndarray of int

    Returns
    -------
    float
    """
    return np.bincount(chosen).max() / len(chosen)


def random_groups(scores, j, rng=0, *, n_groups=300):
    """Average random groups of J partitions.

    Parameters
    ----------
    scores : ndarray of float, shape (n_partitions, n_settings)
    j : int
    rng : int or numpy.random.Generator, default 0
    n_groups : int, default 300

    Returns
    -------
    ndarray of float, shape (n_groups, n_settings)
        Drawn with replacement, so that J of few partitions vary as J of endlessly many would.
    """
    drawn = np.random.default_rng(rng).integers(len(scores), size=(n_groups, j))
    return scores[drawn].mean(axis=1)


def two_groups(before, j_before, after, j_after):
    """Average random groups of two sizes, one after the other by one generator.

    Parameters
    ----------
    before : ndarray of float, shape (n_partitions, n_settings)
    j_before : int
    after : ndarray of float, shape (n_partitions, n_settings)
    j_after : int

    Returns
    -------
    list of ndarray of float, shape (n_groups, n_settings)
    """
    rng = np.random.default_rng(0)
    return [random_groups(before, j_before, rng), random_groups(after, j_after, rng)]
