"""Items that stand or fall together: which group each is in, and how sure their mean
is.

The mean of n items in G groups varies as its groups do. The sandwich variance, which
sums the squared deviations of the groups, is too small where they are few or unequal,
and has fewer than G - 1 degrees of freedom. What mends both is known: CR2 divides each
group's part by one minus the group's share, so that the variance is unbiased for
independent items, and Bell and McCaffrey's degrees of freedom are Satterthwaite's.
"""

import numpy as np
import pandas as pd

from evalkit._checks import as_array, check_labels, check_same_length
from evalkit._limits import FEWEST_EFFECTIVE, FEWEST_GROUPS


def check_groups(groups, scores, name="scores"):
    """Return the number of each item's group, from 0.

    Parameters
    ----------
    groups : array_like, shape (n,)
    scores : ndarray, shape (n,)
    name : str, default "scores"
        The caller's name for them.

    Returns
    -------
    ndarray of int, shape (n,)
    """
    array = as_array(
        groups, "groups", "one-dimensional, a name or number for each item"
    )
    if array.ndim != 1 or array.dtype.kind == "c":
        raise ValueError(
            "groups must be one-dimensional, a name or number for each item; got shape"
            f" {array.shape} ({array.dtype})"
        )
    # Numbers as NumPy reads them, tensors too; but unlike it pandas keeps a missing
    # group missing among strings. Sorted, so that the order of the items does not
    # matter.
    given = pd.Series(array) if array.dtype.kind in "biuf" else pd.Series(list(groups))
    try:
        members = pd.factorize(given.replace([np.inf, -np.inf], np.nan), sort=True)[0]
    except (ArithmeticError, NotImplementedError, TypeError, ValueError) as error:
        raise ValueError(
            f"groups must be one-dimensional, a name or number for each item: {error}"
        ) from None
    check_same_length(scores, members, name, "groups")
    if missing := np.count_nonzero(members < 0):
        raise ValueError(
            f"groups must name a group for each item, but {missing} are missing, NaN or"
            " infinite"
        )
    if members.max() < 1:
        raise ValueError("groups must hold at least two groups: one group cannot vary")
    return members


def effective_groups(members, weights=None):
    """Return how many equal groups would make a mean as sure as these do, if items of
    one are alike.

    Parameters
    ----------
    members : ndarray of int, shape (n,)
    weights : ndarray of float, shape (n,), optional
        Of each item; without them all weigh the same.

    Returns
    -------
    float
        The square of the whole weight over the sum of the groups' squared weights
        (Kish): the number of groups if they are equal, fewer if not.
    """
    sizes = np.bincount(members, weights=weights).astype(float)
    return float(sizes.sum() ** 2 / np.sum(sizes**2))


def check_enough(members, weights=None, name="groups"):
    """Raise a ValueError where groups are so few, or so unequal, that no interval would
    hold.

    Parameters
    ----------
    members : ndarray of int, shape (n,)
    weights : ndarray of float, shape (n,), optional
        As for `effective_groups`; a group of no weight does not count.
    name : str, default "groups"
        The caller's name for what is too few.
    """
    n_groups = np.count_nonzero(np.bincount(members, weights=weights))
    effective = effective_groups(members, weights)
    if n_groups < FEWEST_GROUPS or effective < FEWEST_EFFECTIVE:
        raise ValueError(
            f"{name} must be at least {FEWEST_GROUPS}, and count as {FEWEST_EFFECTIVE}"
            f" equal ones, got {n_groups} that count as {effective:.1f}: what holds for"
            " so few is not known. Collect more groups, or report each group on"
            " its own"
        )


def degrees_of_freedom(shares):
    """Return Bell and McCaffrey's degrees of freedom of a mean of groups with these
    shares.

    Parameters
    ----------
    shares : ndarray of float, shape (n_groups,)
        Their sum is 1, and none is 1.

    Returns
    -------
    float
        n_groups - 1 if they are equal.
    """
    # With w = shares, the matrix of the quadratic form is diag(a) - b b', a = w / (1 -
    # w), b^2 = a w; its trace is 1, so the degrees of freedom are one over the trace of
    # its square.
    a = shares / (1 - shares)
    return float(
        1 / (np.sum(a**2) - 2 * np.sum(a**2 * shares) + np.sum(a * shares) ** 2)
    )


def mean_variance(rows, members):
    """Return the CR2 variance of the mean of each row, and its degrees of freedom.

    Parameters
    ----------
    rows : ndarray of float, shape (..., n)
    members : ndarray of int, shape (n,)
        The group of each item, from 0; a group each for independent items.

    Returns
    -------
    variance : ndarray of float, shape (...)
    df : float
        Bell and McCaffrey's; n - 1 if each item is a group.
    """
    size = members.size
    shares = np.bincount(members) / size
    deviations = (rows - rows.mean(axis=-1, keepdims=True)).reshape(-1, size)
    parts = np.array([np.bincount(members, weights=row) for row in deviations]) / size
    variance = (parts**2 / (1 - shares)).sum(axis=1)
    return variance.reshape(rows.shape[:-1]), degrees_of_freedom(shares)


def mean_variance_parts(scores, members, classes):
    """Return the parts of the CR2 variance of a mean whose shares of classes are fixed.

    Parameters
    ----------
    scores : ndarray of float, shape (n,)
    members, classes : ndarray of int, shape (n,)
        The group of each item, and its class, from 0; one class if none is fixed.

    Returns
    -------
    list of (float, float)
        For each class its variance and degrees of freedom, as `Difference.from_parts`
        takes them.
    """
    parts = []
    for number in range(classes.max() + 1):
        inside = classes == number
        variance, df = mean_variance(
            scores[inside], np.unique(members[inside], return_inverse=True)[1]
        )
        parts.append((float(variance) * float(inside.mean()) ** 2, df))
    return parts


def check_strata(strata, members):
    """Return the number of each item's class, from 0: classes that hold whole groups,
    at least two each.
    """
    labels = check_labels(strata, "strata")
    check_same_length(members, labels, "groups", "strata")
    classes = np.unique(labels, return_inverse=True)[1]
    pairs = np.unique(np.stack([members, classes]), axis=1)
    if pairs.shape[1] > members.max() + 1:
        crossing = pairs.shape[1] - members.max() - 1
        raise ValueError(
            "strata must hold whole groups, but groups lie in several of them,"
            f" {crossing} times over: the share of a class is not fixed, then. Leave"
            " strata out"
        )
    fewest = np.bincount(pairs[1]).min()
    if fewest < 2:
        raise ValueError(
            "strata must hold at least two groups each: one group cannot vary. Merge"
            " classes"
        )
    return classes


def correlation_time(values):
    """Estimate over how many positions values in the order of time hang together.

    Parameters
    ----------
    values : ndarray of float, shape (n,)
        Not all equal.

    Returns
    -------
    float
        The integrated autocorrelation time, 1 for independent values: as many times
        larger is the variance of their mean. Of two estimates the larger: Geyer's sum
        of autocorrelations, up to where pairs of them are no longer above 0 and
        falling, and that of an autoregression of order one, corrected for bias.
    """
    n, around = values.size, values - values.mean()
    spectrum = np.abs(np.fft.rfft(around, 2 * n)) ** 2
    rho = np.fft.irfft(spectrum)[:n]
    rho /= rho[0]
    pairs = rho[: n // 2 * 2].reshape(-1, 2).sum(axis=1)
    ends = np.flatnonzero(pairs <= 0)
    window = np.minimum.accumulate(pairs[: ends[0] if ends.size else None])
    first = min(rho[1] + (1 + 3 * rho[1]) / n, 1 - 1 / n)
    return float(max(1.0, 2 * window.sum() - 1, (1 + first) / (1 - first)))
