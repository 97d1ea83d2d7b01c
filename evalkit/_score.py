"""Tango's score for the difference of two paired proportions, and Newcombe's for that
of two separate ones.

A standard error that is estimated from few disagreements is too small, or 0. The score
takes the one that a difference of this size would have, which is never 0 but for a
difference of 0 or 1. The counts need not be whole: those of grouped items are the
counts of independent items that would say as much.
"""

import math

from scipy import optimize, special


def score(counts, delta, correction=0.0):
    """Return how many standard errors n10 - n01 lies above what a true difference
    `delta` makes it.

    Parameters
    ----------
    counts : (float, float, float)
        n10, n01, and the number of all items.
    delta : float
    correction : float, default 0.0
        Added to n10 - n01: half an item, against the side that is tested, keeps the
        level.

    Returns
    -------
    float
        Infinite where `delta` is impossible.
    """
    n10, n01, n = counts
    if abs(delta) >= 1:
        return math.copysign(math.inf, -delta)
    if delta < 0:  # the other way round, so that both ways lose as few digits
        return -score((n01, n10, n), -delta, -correction)
    # The likeliest share q of items that B alone gets right, if the difference is
    # delta.
    linear = (2 * n - n10 + n01) * delta - n10 - n01
    rest = -n01 * delta * (1 - delta)
    root = math.sqrt(max(linear**2 - 8 * n * rest, 0.0))
    q = (root - linear) / (4 * n) if linear <= 0 else -2 * rest / (root + linear)
    lead, variance = (
        n10 - n01 - n * delta + correction,
        n * (2 * q + delta * (1 - delta)),
    )
    if variance <= 0:
        return math.copysign(math.inf, lead) if lead else 0.0
    return lead / math.sqrt(variance)


def score_ends(counts, tail, correction=0.0):
    """Return between which differences the score is no further out than the quantile of
    a tail.

    Parameters
    ----------
    counts : (float, float, float)
    tail : float
        On either side.
    correction : float, default 0.0

    Returns
    -------
    low, high : float
    """
    furthest, estimate = -special.ndtri(tail), (counts[0] - counts[1]) / counts[2]
    ends = []
    for side in (-1, 1):

        def beyond(delta, side=side):
            return -side * score(counts, delta, side * correction) - furthest

        limit = math.nextafter(side, 0)
        start = min(max(estimate, -abs(limit)), abs(limit))  # where the score is finite
        if estimate == side or beyond(limit) <= 0:
            ends.append(float(side))
        elif beyond(start) >= 0:  # no further than the last bit
            ends.append(estimate)
        else:
            ends.append(
                optimize.brentq(
                    beyond, start, limit, xtol=min(1e-15, 1e-13 / counts[2])
                )
            )
    return tuple(ends)


def _below_and_above(successes, trials, z):
    """Return how far the ends of Wilson's interval lie from the share of successes."""
    share, wide = successes / trials, z**2 / trials
    half = z * math.sqrt(share * (1 - share) / trials + wide / (4 * trials))
    shift = (share - 0.5) * wide
    return (half + shift) / (1 + wide), (half - shift) / (1 + wide)


def separate_ends(counts, z):
    """Return Newcombe's hybrid of the Wilson intervals of two shares: the ends of an
    interval for A minus B.

    Parameters
    ----------
    counts : (float, float, float, float)
        Successes and trials of A, and those of B.
    z : float
        The quantile of the normal distribution on either side.

    Returns
    -------
    low, high : float
    """
    difference = counts[0] / counts[1] - counts[2] / counts[3]
    (below_a, above_a), (below_b, above_b) = (
        _below_and_above(*pair, z) for pair in (counts[:2], counts[2:])
    )
    return (
        difference - math.hypot(below_a, above_b),
        difference + math.hypot(above_a, below_b),
    )


def separate_score(counts, delta):
    """Return the z at which an end of that interval is `delta`: above 0 where A minus B
    is larger.

    Parameters
    ----------
    counts : (float, float, float, float)
    delta : float

    Returns
    -------
    float
        Infinite where no interval reaches so far.
    """
    lead = counts[0] / counts[1] - counts[2] / counts[3] - delta
    end, most = (1, 1e9) if lead < 0 else (0, 1e9)

    def short(z):
        return abs(separate_ends(counts, z)[end] - delta - lead) - abs(lead)

    if not lead or short(most) < 0:
        return math.copysign(math.inf, lead) if lead else 0.0
    return math.copysign(optimize.brentq(short, 0.0, most, xtol=1e-14), lead)
