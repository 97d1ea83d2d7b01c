"""What chance alone decides: signs, orders of ranks, and the least of many p-values."""

import itertools
import math

import numpy as np
from scipy import special

_MOST_ORDERS = 5_000_000  # followed by `friedman_tail`, in some two seconds


def coin_cdf(k, n):
    """P(at most k heads in n throws), accurate far into the tail."""
    if k < 0:
        return 0.0
    return float(special.betainc(n - k, k + 1, 0.5)) if k < n else 1.0


def _flip_tail(weights, at_most):
    """P(sum of the weights of the heads <= at_most), one fair coin for each positive
    whole weight.

    Counts are only ever added, so the smallest tail keeps its digits.
    """
    if at_most < 0:
        return 0.0
    # How many ways lead to each sum, before and after the next coin: two arrays, so
    # that nothing is copied.
    counts, after = np.zeros(at_most + 1), np.zeros(at_most + 1)
    reach = halvings = 0
    counts[0] = 1
    for number, weight in enumerate(np.sort(weights), start=1):
        if weight <= at_most:
            reach = min(reach + weight, at_most)
            np.add(
                counts[weight : reach + 1],
                counts[: reach + 1 - weight],
                out=after[weight : reach + 1],
            )
            after[:weight] = counts[:weight]
            counts, after = after, counts
        if number % 512 == 0:  # before the counts outgrow a float
            counts *= 2.0**-512
            halvings += 512
    return math.ldexp(float(counts.sum()), halvings - len(weights))


def flip_pvalue(weights, plus, alternative):
    """Return the exact p-value of a sum of weights whose signs are coin throws."""
    if weights.size == 0:
        return 1.0
    unit = np.gcd.reduce(weights)
    weights, plus = weights // unit, int(plus // unit)
    total = int(weights.sum())
    # The distribution is symmetric about total / 2, so one tail serves both sides.
    if alternative == "two-sided":
        return 2 * _flip_tail(weights, min(plus, total - plus))
    below = total - plus if alternative == "greater" else plus
    if 2 * below <= total:
        return _flip_tail(weights, below)
    return 1 - _flip_tail(weights, total - below - 1)


def all_flips(block, n_pairs):
    """Return a slice of the table of all 2^n_pairs ways to exchange: the bits of the
    number of each.
    """
    numbers = np.arange(block.start, block.stop)[:, np.newaxis]
    return (numbers >> np.arange(n_pairs)) & 1


def random_flips(count, n_pairs, rng):
    """Return random ways to exchange, eight pairs drawn with each byte."""
    drawn = rng.integers(256, size=(count, math.ceil(n_pairs / 8)), dtype=np.uint8)
    return np.unpackbits(drawn, axis=1, count=n_pairs)


def friedman_tail(ranks):
    """Return the exact chance of rank sums as far apart as these, or None.

    Under the null hypothesis every order of a data set's ranks has the same chance.

    Parameters
    ----------
    ranks : ndarray of float, shape (data sets, systems)
        Midranks.

    Returns
    -------
    float or None
        None where there are too many orders to follow.
    """
    doubled = np.round(2 * ranks).astype(np.int64)
    n_sets, k = doubled.shape
    largest = int(doubled.sum(axis=1)[0]) * n_sets + 1
    if k > 8 or k * math.log2(largest) > 62:
        return None
    sums, chances, done = np.zeros((1, k), dtype=np.int64), np.ones(1), 0
    places = largest ** np.arange(k)
    for row in doubled:
        orders = np.array(list(itertools.permutations(row)))
        done += len(sums) * len(orders)
        if done > _MOST_ORDERS:
            return None
        # No system is like another before its ranks are known: sums may be sorted.
        sums = np.sort((sums[:, None] + orders).reshape(-1, k))
        chances = np.repeat(chances / len(orders), len(orders))
        first, same = np.unique(sums @ places, return_index=True, return_inverse=True)[
            1:
        ]
        sums, chances = sums[first], np.bincount(same, weights=chances)
    seen = (doubled.sum(axis=0) ** 2).sum()
    return float(chances[(sums**2).sum(axis=1) >= seen].sum())


def step_down(pvalues):
    """Return p-values adjusted by Holm's step-down method, in their order."""
    order = np.argsort(pvalues, kind="stable")
    adjusted = np.empty_like(pvalues)
    steps = pvalues[order] * np.arange(pvalues.size, 0, -1)
    adjusted[order] = np.maximum.accumulate(steps)
    return np.minimum(adjusted, 1)
