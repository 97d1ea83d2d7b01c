"""Intervals of the bootstrap for Boo_5 and for a gain, and two systems compared by a
few runs each.
"""

import functools

import numpy as np

from lab.papers.bajgar2018.audit import Runs, boo_of, median_gap, runs
from lab.papers.bajgar2018.tasks.kept import TAILS, generator, over_pools
from lab.papers.bajgar2018.tasks.samples import N

TRIALS, RESAMPLES = 500, 1000


def _resampled_boo(validation, test, rng, n_resamples):
    """Return Boo_5 and mean on bootstrap samples of one sample, whose runs are ordered
    by validation.
    """
    m = len(test)
    sample = Runs(validation, test)
    index = rng.integers(m, size=(n_resamples, m))
    counts, sums = sample.tally(index)
    return boo_of(counts, sums, N), sums.sum(axis=1) / m


def intervals(pool, m, block):
    """Draw pairs of samples from a pool, and an interval by percentiles of the
    bootstrap for each.

    Parameters
    ----------
    pool : str
    m, block : int

    Returns
    -------
    dict
        How many `samples` and `pairs`; how many intervals of Boo_5 and of the mean hold
        what they are of the whole pool (`held_boo`, `held_mean`), and how many of the
        gain of one sample over the other leave zero out (`excluded`); the median width
        for Boo_5 (`width`), and the length of the range that holds 95 % of the
        estimates (`span`).
    """
    whole, rng = runs(pool), generator("intervals", pool, m, block)
    truths = (
        boo_of(*whole.tally(np.arange(len(whole))[None]), N)[0],
        whole.test.mean(),
    )
    held, excluded, widths, estimates = np.zeros(2, dtype=int), 0, [], []
    for _ in range(TRIALS):
        resamples = []
        for _ in range(2):
            index = np.sort(rng.integers(len(whole), size=m))  # the pool is in order
            values = _resampled_boo(
                whole.validation[index], whole.test[index], rng, RESAMPLES
            )
            resamples.append(values[0])
            ends = [np.quantile(value, TAILS) for value in values]
            held += [
                low <= truth <= high
                for (low, high), truth in zip(ends, truths, strict=True)
            ]
            widths.append(np.ptp(ends[0]))
            estimates.append(boo_of(*whole.tally(index[None]), N)[0])
        low, high = np.quantile(resamples[1] - resamples[0], TAILS)
        excluded += not low <= 0 <= high
    return {
        "samples": 2 * TRIALS,
        "pairs": TRIALS,
        "held_boo": int(held[0]),
        "held_mean": int(held[1]),
        "excluded": int(excluded),
        "width": float(np.median(widths)),
        "span": float(np.ptp(np.quantile(estimates, TAILS))),
    }


def order_shares(pool, rng, count, gap, runs_each=10):
    """Draw the runs of two systems from one pool, a gap apart, and order the systems in
    two ways.

    Parameters
    ----------
    pool : Runs
    rng : numpy.random.Generator
    count : int
        How often.
    gap : float
    runs_each : int, default 10

    Returns
    -------
    dict of str to float
        How often they are ordered rightly, by `mean`, by the `best`-validation run, and
        the one less the other; ties count half.
    """
    one, other = (rng.integers(len(pool), size=(count, runs_each)) for _ in range(2))
    by_mean = pool.test[one].mean(axis=1) + gap - pool.test[other].mean(axis=1)
    by_best = pool.best(one, rng) + gap - pool.best(other, rng)
    right = {
        name: np.mean((x > 0) + (x == 0) / 2)
        for name, x in (("mean", by_mean), ("best", by_best))
    }
    return {**right, "mean_less_best": right["mean"] - right["best"]}


def orders(pool):
    """Ask how often two systems one published gap apart are ordered rightly, with ten
    runs each.

    Parameters
    ----------
    pool : str

    Returns
    -------
    dict
        The share by `mean`, by the `best`-validation run, and the one less the other,
        as `Kept`.
    """
    statistics = functools.partial(order_shares, gap=median_gap(pool))
    return over_pools(runs(pool), statistics, generator("orders", pool))
