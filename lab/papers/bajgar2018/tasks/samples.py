"""Samples of runs from a pool, aggregated in three ways: Figures 2 and 3, and what
hangs on them.
"""

import functools

import numpy as np

from evalkit.expected_maximum import gaussian_expected_max
from lab.papers.bajgar2018.audit import boo_of, gaussian_boo_of, runs
from lab.papers.bajgar2018.tasks.kept import (
    INNER,
    POOL_DRAWS,
    TAILS,
    generator,
    keep,
    over_pools,
    resampled,
)
from lab.record.tables import pack

N = 5  # the paper's choice
FIGURE_SAMPLES = 40_000
MOST_FOR_BEST = 50


def kernel(pool):
    """Return the root of the covariance of a Gaussian kernel for a pool, by Scott's
    rule.

    Parameters
    ----------
    pool : Runs

    Returns
    -------
    ndarray of float, shape (2, 2)
        N^(-1/6) times a root of the covariance of validation and test.
    """
    covariance = np.cov(pool.pairs.T) * len(pool) ** (-1 / 3)
    values, vectors = np.linalg.eigh(covariance)
    return vectors * np.sqrt(np.maximum(values, 0))


def _smoothed(pool, index, rng):
    """Return samples of runs with a Gaussian kernel on each run drawn, ordered by
    validation.
    """
    pairs = pool.pairs[index] + rng.standard_normal((*index.shape, 2)) @ kernel(pool).T
    order = pairs[..., 0].argsort(axis=1)
    return np.take_along_axis(pairs[..., 1], order, axis=1)


def rank_weights(m, n):
    """Return the weights of Equation 7, from the worst run of m to the best.

    Parameters
    ----------
    m, n : int

    Returns
    -------
    ndarray of float, shape (m,)
    """
    return np.diff((np.arange(m + 1) / m) ** n)


def aggregated(pool, m, sampling, count, rng, n=N, estimator="v"):
    """Draw samples of runs, and aggregate each in three ways.

    Parameters
    ----------
    pool : Runs
    m : int
        Runs in a sample.
    sampling : {"plain", "smoothed"}
        With or without a Gaussian kernel on each run drawn.
    count : int
    rng : numpy.random.Generator
    n : int, default 5
    estimator : {"v", "u"}, default "v"
        Of plain samples: Equation 7, or draws without replacement.

    Returns
    -------
    dict of str to ndarray of float, shape (count,)
        `mean`, `boo` and `best`, the test score of the best-validation run.
    """
    index = rng.integers(len(pool), size=(count, m))
    if sampling == "smoothed":
        ordered = _smoothed(pool, index, rng)
        return {
            "mean": ordered.mean(axis=1),
            "boo": ordered @ rank_weights(m, n),
            "best": ordered[:, -1],
        }
    return {
        "mean": pool.test[index].mean(axis=1),
        "boo": boo_of(*pool.tally(index), n, estimator),
        "best": pool.best(index, rng),
    }


def aggregates(pool, m, sampling):
    """Compute what Figure 2 draws at one number of runs.

    Parameters
    ----------
    pool : str
    m : int
    sampling : {"plain", "smoothed"}

    Returns
    -------
    dict
        For the `mean`, `boo` (n = 5) and the `best`-validation run: the average over
        samples, the ends of the range that holds 95 % of them, and their SD. The
        average of `boo` alone is the `estimate`.
    """
    rng = generator("aggregates", pool, m, sampling)
    parts = [
        aggregated(runs(pool), m, sampling, 1000, rng)
        for _ in range(FIGURE_SAMPLES // 1000)
    ]
    summaries = {}
    for name in ("mean", "boo", "best"):
        values = np.concatenate([part[name] for part in parts])
        summaries[name] = pack(
            [values.mean(), *np.quantile(values, TAILS), values.std()], ".8g"
        )
    average = float(summaries["boo"].split()[0])
    return {"samples": FIGURE_SAMPLES, "estimate": average, **summaries}


def normal_like(pool, rng, size):
    """Draw scores of a bivariate normal with the moments of a pool.

    Parameters
    ----------
    pool : Runs
    rng : numpy.random.Generator
    size : tuple of int

    Returns
    -------
    ndarray of float, shape (*size, 2)
    """
    values, vectors = np.linalg.eigh(np.cov(pool.pairs.T))
    drawn = (
        rng.standard_normal((*size, 2)) @ (vectors * np.sqrt(np.maximum(values, 0))).T
    )
    return pool.pairs.mean(axis=0) + drawn


def spread_ratios(pool, rng, count, m, kind, estimator="v"):
    """Compare how much three ways of aggregating vary over samples from a pool.

    Parameters
    ----------
    pool : Runs
    rng : numpy.random.Generator
    count : int
        Of samples.
    m : int
        Runs in a sample.
    kind : {"plain", "smoothed"}
    estimator : {"v", "u"}, default "v"
        Of plain samples.

    Returns
    -------
    dict of str to float
        The SD of Boo_5 over that of the mean and, of 50 runs or fewer, over that of the
        best-validation run.
    """
    drawn = aggregated(pool, m, kind, count, rng, estimator=estimator)
    sd = {name: values.std() for name, values in drawn.items()}
    ratios = {"boo_over_mean": sd["boo"] / sd["mean"]}
    # Of very many runs the best is nearly always the pool's own, and does not vary at
    # all.
    return (
        ratios
        if m > MOST_FOR_BEST
        else {**ratios, "boo_over_best": sd["boo"] / sd["best"]}
    )


def spreads(pool, m, kind):
    """Compare how much three ways of aggregating vary, with intervals over the runs of
    the pool.

    Parameters
    ----------
    pool : str
    m : int
    kind : {"plain", "smoothed"}
        How samples are drawn.

    Returns
    -------
    dict
        The SD of Boo_5 over that of the mean and, of 50 runs or fewer, over that of the
        best-validation run, as `Kept`.
    """
    statistics = functools.partial(spread_ratios, m=m, kind=kind)
    equal = {"boo_over_mean": 1.0, "boo_over_best": 1.0}
    return over_pools(
        runs(pool), statistics, generator("spreads", pool, m, kind), limits=equal
    )


def subsets(size, m, count, rng):
    """Draw random subsets.

    Parameters
    ----------
    size : int
        Of the whole.
    m, count : int
        How many of it, and how often.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of int, shape (count, m)
    """
    return rng.random((count, size)).argpartition(m - 1, axis=1)[:, :m]


def _estimates(pool, index):
    return {
        "rank": boo_of(*pool.tally(index), N),
        "gaussian": gaussian_boo_of(pool.validation[index], pool.test[index], N),
    }


def _compared(pool, rng, m, count=INNER):
    drawn = _estimates(pool, subsets(len(pool), m, count, rng))
    counts, sums = pool.tally(np.arange(len(pool))[None])
    truth = boo_of(counts, sums, N, "u")[0]
    variance = {name: values.var() for name, values in drawn.items()}
    square = {name: ((values - truth) ** 2).mean() for name, values in drawn.items()}
    return {
        "variance_ratio": variance["gaussian"] / variance["rank"],
        "square_ratio": square["gaussian"] / square["rank"],
    }


def estimators(pool, m):
    """Compare Equation 7 with the Gaussian estimate on random subsets: Figure 3.

    Parameters
    ----------
    pool : str
    m : int

    Returns
    -------
    dict
        The variances (`variance_rank`, `variance_gaussian`) and biases of both; the
        ratio of the Gaussian's variance to the other, and of the mean squared errors,
        as `Kept`; and the latter on each resample of the pool (`square_ratios`), which
        are the same for every m.
    """
    whole, rng = runs(pool), generator("estimators", pool, m)
    parts = [
        _estimates(whole, subsets(len(whole), m, 1000, rng))
        for _ in range(FIGURE_SAMPLES // 1000)
    ]
    truth = boo_of(*whole.tally(np.arange(len(whole))[None]), N, "u")[0]
    results = {}
    for name in ("rank", "gaussian"):
        values = np.concatenate([part[name] for part in parts])
        results[f"variance_{name}"] = float(values.var())
        results[f"bias_{name}"] = float(values.mean() - truth)
    pools = generator("estimators", pool)
    values = [_compared(resampled(whole, pools), rng, m) for _ in range(POOL_DRAWS)]
    for name, estimate in _compared(whole, rng, m, FIGURE_SAMPLES).items():
        results[name] = keep(estimate, [v[name] for v in values])
    results["square_ratios"] = pack([v["square_ratio"] for v in values], ".5g")
    return results


def errors(pool, m, kind):
    """Measure the error of Boo_5 from m runs against the truth.

    Parameters
    ----------
    pool : str
    m : int
    kind : {"plain", "normal", "subsets"}
        Drawn with replacement; from a normal with the pool's moments; or without
        replacement.

    Returns
    -------
    dict
        The `truth`; for each of 40 blocks of samples the mean squared error (`square`)
        and the SD of the estimate (`sd`), of subsets corrected for the finite pool.
    """
    whole, rng = runs(pool), generator("errors", pool, m, kind)
    all_runs = whole.tally(np.arange(len(whole))[None])
    truth = boo_of(*all_runs, N, "u" if kind == "subsets" else "v")[0]
    if kind == "normal":
        correlation = np.corrcoef(whole.pairs.T)[0, 1]
        truth = whole.test.mean() + correlation * whole.sd * gaussian_expected_max(N)
    square, sd = [], []
    for _ in range(40):
        if kind == "normal":
            pairs = normal_like(whole, rng, (1000, m))
            order = pairs[..., 0].argsort(axis=1)
            values = np.take_along_axis(pairs[..., 1], order, axis=1) @ rank_weights(
                m, N
            )
        else:
            index = (
                subsets(len(whole), m, 1000, rng)
                if kind == "subsets"
                else rng.integers(len(whole), size=(1000, m))
            )
            values = boo_of(*whole.tally(index), N)
        finite = np.sqrt(1 - m / len(whole)) if kind == "subsets" else 1.0
        square.append(((values - truth) ** 2).mean())
        sd.append(values.std(ddof=1) / finite)
    return {"truth": float(truth), "square": pack(square, ".8g"), "sd": pack(sd, ".8g")}
