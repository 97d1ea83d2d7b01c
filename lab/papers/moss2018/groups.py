"""Groups of partitions, what they choose, and statistics of that."""

import functools

import numpy as np

from lab.papers.judging import Resampled

MANY = 20_000  # groups, of which an SD is known to half a percent
TIE = 1e-9  # means that differ by less are equal: they were added up in another order


def in_words(quantities, spec=".2f"):
    """Write quantities one after the other, each after what its name says behind the
    comma.

    Parameters
    ----------
    quantities : dict of str to lab.papers.judging.Quantity
    spec : str
        How each number is formatted.

    Returns
    -------
    str
    """
    return "; ".join(
        f"{name.partition(', ')[2]} {quantity:{spec}}"
        for name, quantity in quantities.items()
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


def random_groups(scores, j, rng=0, *, n_groups=3000):
    """Average random groups of J partitions.

    Parameters
    ----------
    scores : ndarray of float, shape (n_partitions, n_settings)
    j : int
    rng : int or numpy.random.Generator, default 0
    n_groups : int, default 3000

    Returns
    -------
    ndarray of float, shape (n_groups, n_settings)
        Drawn with replacement, so that J of few partitions vary as J of endlessly many
        would. Single partitions are not drawn: all come as often, but for one time.
    """
    if j == 1:
        return scores[np.arange(n_groups) % len(scores)]
    drawn = np.random.default_rng(rng).integers(len(scores), size=(n_groups, j))
    return scores[drawn].mean(axis=1)


@functools.cache
def _members(n_groups, *sizes):
    """Return which partitions the groups of `random_groups` have, a row for each place
    in a group, for several (partitions, J) one after the other by one generator.
    """
    rng = np.random.default_rng(0)
    return [
        np.arange(n_groups)[None] % size
        if j == 1
        else np.ascontiguousarray(rng.integers(size, size=(n_groups, j)).T)
        for size, j in sizes
    ]


def means_of(n_groups, *samples):
    """Average random groups of resampled partitions, as `random_groups` does and
    `two_groups`, but the same groups are drawn once.

    Parameters
    ----------
    n_groups : int
    *samples : (ndarray of float, shape (n_partitions, n_settings), int)
        With the J of each.

    Returns
    -------
    list of ndarray of float, shape (n_groups, n_settings)
    """
    averages = []
    sizes = [(len(rows), j) for rows, j in samples]
    for (rows, j), members in zip(samples, _members(n_groups, *sizes), strict=True):
        total = rows.take(members[0], axis=0)
        for places in members[1:]:
            total += rows.take(places, axis=0)
        averages.append(total / j)
    return averages


def two_groups(before, j_before, after, j_after, *, n_groups=3000):
    """Average random groups of two sizes, one after the other by one generator.

    Parameters
    ----------
    before : ndarray of float, shape (n_partitions, n_settings)
    j_before : int
    after : ndarray of float, shape (n_partitions, n_settings)
    j_after : int
    n_groups : int, default 3000

    Returns
    -------
    list of ndarray of float, shape (n_groups, n_settings)
    """
    rng = np.random.default_rng(0)
    sizes = ((before, j_before), (after, j_after))
    return [random_groups(rows, j, rng, n_groups=n_groups) for rows, j in sizes]


def resampled_ratio(statistic, before, j_before, after, j_after, *, shared, draws):
    """Resample partitions for the SD of a quantity by one procedure over that by
    another.

    Parameters
    ----------
    statistic : callable
        From the scores of groups to the quantity of each.
    before : ndarray of float, shape (n_partitions, n_settings)
    j_before : int
    after : ndarray of float, shape (m_partitions, n_settings)
    j_after : int
    shared : int
        So many rows of either, from the first on, have the same seed as the other's:
        their items were shuffled alike, and they are drawn together.
    draws : int
        At first.

    Returns
    -------
    lab.papers.judging.Resampled
    """

    def ratio(before, after, n_groups=2000):
        one, other = map(
            statistic, two_groups(before, j_before, after, j_after, n_groups=n_groups)
        )
        return other.std(ddof=1) / one.std(ddof=1)

    def of_drawn(both, before_alone, after_alone):
        pair = np.split(both, [before.shape[1]], axis=1)
        return ratio(
            *(
                np.concatenate(rows)
                for rows in zip(pair, (before_alone, after_alone), strict=True)
            )
        )

    both = np.hstack([before[:shared], after[:shared]])
    return Resampled(
        of_drawn,
        both,
        before[shared:],
        after[shared:],
        draws=draws,
        estimate=ratio(before, after, MANY),
    )


def choices(means):
    """Return the best setting of each group, by which of equally good ones is taken.

    Parameters
    ----------
    means : ndarray of float, shape (n_groups, n_settings)

    Returns
    -------
    dict of str to ndarray of int, shape (n_groups,)
        By "first", "last" and "any": at random, the same way each time.
    """
    best = means >= means.max(axis=1, keepdims=True) - TIE
    first = best.argmax(axis=1)
    last, any_ = means.shape[1] - 1 - best[:, ::-1].argmax(axis=1), first.copy()
    tied = np.flatnonzero(first < last)
    any_[tied] = (best[tied] * _random(best.shape)[tied]).argmax(axis=1)
    return {"first": first, "last": last, "any": any_}


def choose(means, tie="first"):
    """Return the best setting of each group.

    Parameters
    ----------
    means : ndarray of float, shape (n_groups, n_settings)
    tie : {"first", "last", "any"}
        As `choices` names them.

    Returns
    -------
    ndarray of int, shape (n_groups,)
    """
    return choices(means)[tie]


@functools.cache
def _random(shape):
    return 1 + np.random.default_rng(0).random(shape)


def choice_shares(scores, j, tie="first"):
    """Return how often each setting is chosen by the mean of J partitions.

    Parameters
    ----------
    scores : ndarray of float, shape (n_partitions, n_settings)
    j : int
    tie : {"first", "last", "any"}

    Returns
    -------
    ndarray of float, shape (n_settings,)
        Of single partitions all are counted; of more, random groups.
    """
    means = scores if j == 1 else means_of(2000, (scores, j))[0]
    return np.bincount(choose(means, tie), minlength=scores.shape[1]) / len(means)


def pooled_sd(groups):
    """Return the SD within groups.

    Parameters
    ----------
    groups : list of ndarray of float

    Returns
    -------
    float
        Each group has as many degrees of freedom as values less one.
    """
    squares = sum(((values - values.mean()) ** 2).sum() for values in groups)
    return float(np.sqrt(squares / (sum(map(len, groups)) - len(groups))))
