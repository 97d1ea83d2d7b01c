"""Intervals of the bootstrap for Boo_5 and for a gain, and two teams with a few runs each."""

import functools

import numpy as np

from evalkit.expected_maximum import gaussian_expected_max
from evalkit.papers.bajgar2018.audit import Runs, boo_of, median_gap, runs
from evalkit.papers.bajgar2018.tasks.kept import TAILS, generator, over_pools
from evalkit.papers.bajgar2018.tasks.samples import N, normal_like, rank_weights, subsets

TRIALS, RESAMPLES = 500, 1000


def _resampled_boo(validation, test, rng, n_resamples):
    """Return Boo_5 and mean on bootstrap samples of one sample, whose runs are ordered by validation."""
    m = len(test)
    sample = Runs(validation, test)
    index = rng.integers(m, size=(n_resamples, m))
    counts, sums = sample.tally(index)
    return boo_of(counts, sums, N), sums.sum(axis=1) / m


def intervals(pool, m, block):
    """Draw pairs of samples from a pool, and an interval by percentiles of the bootstrap for each.

    Parameters
    ----------
    pool : str
    m, block : int

    Returns
    -------
    dict
        How many `samples` and `pairs`; how many intervals of Boo_5 and of the mean hold what they are
        of the whole pool (`held_boo`, `held_mean`), and how many of the gain of one sample over the
        other leave zero out (`excluded`); the median width for Boo_5 (`width`), and the length of the range
        that holds 95 % of the estimates (`span`).
    """
    whole, rng = runs(pool), generator("intervals", pool, m, block)
    truths = (boo_of(*whole.tally(np.arange(len(whole))[None]), N)[0], whole.test.mean())
    held, excluded, widths, estimates = np.zeros(2, dtype=int), 0, [], []
    for _ in range(TRIALS):
        resamples = []
        for _ in range(2):
            index = np.sort(rng.integers(len(whole), size=m))  # the pool is in order
            values = _resampled_boo(whole.validation[index], whole.test[index], rng, RESAMPLES)
            resamples.append(values[0])
            ends = [np.quantile(value, TAILS) for value in values]
            held += [low <= truth <= high for (low, high), truth in zip(ends, truths, strict=True)]
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


def normal_intervals(m, block):
    """Hold intervals from a fitted normal beside bootstrap ones, for scores that are normal.

    Parameters
    ----------
    m, block : int

    Returns
    -------
    dict
        How many `samples`, in how many the interval for Boo_5 held the truth, by draws from the fitted
        normal (`held_fitted`) and by the bootstrap (`held_bootstrap`), and how many different values the
        two distributions have on average.
    """
    pool, rng = runs("asreader_fixed"), generator("normal intervals", m, block)
    correlation = np.corrcoef(pool.pairs.T)[0, 1]
    truth = pool.test.mean() + correlation * pool.sd * gaussian_expected_max(N)
    held, different = np.zeros(2, dtype=int), np.zeros(2)
    weights = rank_weights(m, N)
    for pairs in normal_like(pool, rng, (TRIALS, m)):
        sample = Runs.of(*pairs.T)
        drawn = normal_like(sample, rng, (RESAMPLES, m))
        order = drawn[..., 0].argsort(axis=1)
        fitted = np.take_along_axis(drawn[..., 1], order, axis=1) @ weights
        resampled, _ = _resampled_boo(sample.validation, sample.test, rng, RESAMPLES)
        for i, values in enumerate((fitted, resampled)):
            low, high = np.quantile(values, TAILS)
            held[i] += low <= truth <= high
            different[i] += len(np.unique(values.round(9)))
    return {
        "samples": TRIALS,
        "held_fitted": int(held[0]),
        "held_bootstrap": int(held[1]),
        "different_fitted": float(different[0] / TRIALS),
        "different_bootstrap": float(different[1] / TRIALS),
    }


def convergence(statistic, m):
    """Hold the bootstrap distribution of an estimate against the distribution of single runs.

    Parameters
    ----------
    statistic : {"mean", "boo"}
    m : int

    Returns
    -------
    dict
        Means over 50 subsets of the pool with fixed hyperparameters: the largest distance of the two
        distribution functions (`distance`), the `sd` of the bootstrap distribution, and, both centred, its
        distance to the distribution of the estimate over samples (`centred`).
    """
    pool, rng = runs("asreader_fixed"), generator("convergence", statistic, m)
    index = rng.integers(len(pool), size=(4000, m))
    estimates = boo_of(*pool.tally(index), N) if statistic == "boo" else pool.test[index].mean(axis=1)
    found = []
    for _ in range(50):
        chosen = np.sort(subsets(len(pool), m, 1, rng)[0])
        values = _resampled_boo(pool.validation[chosen], pool.test[chosen], rng, RESAMPLES)
        drawn = values[0 if statistic == "boo" else 1]
        centred = _distance(drawn - drawn.mean(), estimates - estimates.mean())
        found.append((_distance(drawn, pool.test), drawn.std(), centred))
    return dict(zip(("distance", "sd", "centred"), np.mean(found, axis=0).tolist(), strict=True))


def _distance(one, other):
    """Return the largest distance between two empirical distribution functions."""
    grid = np.sort(np.concatenate([one, other]))
    below = [np.searchsorted(np.sort(x), grid, side="right") / len(x) for x in (one, other)]
    return float(np.abs(below[0] - below[1]).max())


def teams(pool):
    """Draw two teams of five runs each from one pool.

    Parameters
    ----------
    pool : str
        One with fixed hyperparameters.

    Returns
    -------
    dict
        How often, of `draws`, their values of Boo_5 differ by more than half the median published gap
        (`apart`).
    """
    whole, rng = runs(pool), generator("teams", pool)
    apart, count = 0, 0
    for _ in range(50):
        index = subsets(len(whole), 2 * N, 1000, rng)
        one, other = (boo_of(*whole.tally(index[:, part]), N) for part in (slice(N), slice(N, None)))
        apart += int((abs(one - other) > median_gap(pool) / 2).sum())
        count += len(index)
    return {"draws": count, "apart": apart}


def _orders(pool, rng, count, gap, runs_each=10):
    one, other = (rng.integers(len(pool), size=(count, runs_each)) for _ in range(2))
    by_mean = pool.test[one].mean(axis=1) + gap - pool.test[other].mean(axis=1)
    by_best = pool.best(one, rng) + gap - pool.best(other, rng)
    right = {name: np.mean((x > 0) + (x == 0) / 2) for name, x in (("mean", by_mean), ("best", by_best))}
    return {**right, "mean_less_best": right["mean"] - right["best"]}


def orders(pool):
    """Ask how often two systems one published gap apart are ordered rightly, with ten runs each.

    Parameters
    ----------
    pool : str

    Returns
    -------
    dict
        The share by `mean`, by the `best`-validation run, and the one less the other, as `Kept`.
    """
    statistics = functools.partial(_orders, gap=median_gap(pool))
    return over_pools(runs(pool), statistics, generator("orders", pool))
