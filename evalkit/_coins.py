"""What coin throws decide: under the null hypothesis each pair has its sign by one."""

import math

import numpy as np
from scipy import special


def coin_cdf(k, n):
    """P(at most k heads in n throws), accurate far into the tail."""
    if k < 0:
        return 0.0
    return float(special.betainc(n - k, k + 1, 0.5)) if k < n else 1.0


def _flip_tail(weights, at_most):
    """P(sum of the weights of the heads <= at_most), one fair coin for each positive whole weight.

    Counts are only ever added, so the smallest tail keeps its digits.
    """
    if at_most < 0:
        return 0.0
    ways, after = np.zeros(at_most + 1), np.zeros(at_most + 1)  # two, so that nothing is copied
    reach = halvings = 0
    ways[0] = 1
    for number, weight in enumerate(np.sort(weights), start=1):
        if weight <= at_most:
            reach = min(reach + weight, at_most)
            np.add(ways[weight : reach + 1], ways[: reach + 1 - weight], out=after[weight : reach + 1])
            after[:weight] = ways[:weight]
            ways, after = after, ways
        if number % 512 == 0:  # before the counts outgrow a float
            ways *= 2.0**-512
            halvings += 512
    return math.ldexp(float(ways.sum()), halvings - len(weights))


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
    other = total - plus if alternative == "greater" else plus
    if 2 * other <= total:
        return _flip_tail(weights, other)
    return 1 - _flip_tail(weights, total - other - 1)


def all_flips(now, n_pairs):
    """Return a slice of the table of all 2^n_pairs ways to exchange."""
    return np.arange(now.start, now.stop)[:, np.newaxis] >> np.arange(n_pairs) & 1


def random_flips(count, n_pairs, rng):
    """Return random ways to exchange, eight pairs drawn with each byte."""
    drawn = rng.integers(256, size=(count, -(-n_pairs // 8)), dtype=np.uint8)
    return np.unpackbits(drawn, axis=1, count=n_pairs)
