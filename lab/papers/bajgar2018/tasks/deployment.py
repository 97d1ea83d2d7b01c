"""What predicts the run that is deployed."""

import numpy as np

from lab.papers.bajgar2018.audit import FIXED, boo_of, runs
from lab.papers.bajgar2018.tasks.kept import POOL_DRAWS, generator, keep, settled

HALVES = 10_000
# So many runs are put into halves for each resample of a pool: many halves of a small
# one.
RUNS_WITHIN = 40_000


def _weighted_median(test, weights):
    """Return the median of weighted scores in increasing order, for each row of
    weights.
    """
    below = weights.cumsum(axis=1)
    half = below[:, -1:] / 2
    first = (below >= half - 1e-9).argmax(axis=1)
    after = (below > half + 1e-9).argmax(axis=1)
    return (test[first] + test[after]) / 2


def predictions(pool, counts, rng, halves, budgets=(1, 5)):
    """Predict a deployed run of one half of a pool from the other, in random halves.

    Parameters
    ----------
    pool : Runs
    counts : ndarray of float, shape (N,)
        How often each run stands in the pool: all copies of a run are in one half.
    rng : numpy.random.Generator
    halves : int
    budgets : tuple of int, default (1, 5)
        Of which each is tried as a prediction for each; 1 and 5 among them.

    Returns
    -------
    dict of str to float
        Mean squared error of one prediction less that of another: "boo less mean" and
        "boo less median", of the best-validation run of 5; "mean less boo" and "median
        less boo", of any run; and "5 less 20 for 5", of Boo_5 and Boo_20 for the
        best-validation run of 5, and so on.
    """
    size, level = len(pool), pool.level
    starts = np.flatnonzero(np.diff(level, prepend=-1))
    by_test = pool.test.argsort(kind="stable")
    sums = {}
    step = 500
    for first in range(0, halves, step):
        now = min(step, halves - first)
        place = rng.random((now, size)).argpartition(size // 2, axis=1)
        one = np.zeros((now, size))
        np.put_along_axis(one, place[:, : size // 2], 1.0, axis=1)
        weights = {"from": one * counts, "for": (1 - one) * counts}
        levels = {
            side: tuple(
                np.add.reduceat(w * factor, starts, axis=1)
                for factor in (1.0, pool.test)
            )
            for side, w in weights.items()
        }
        given = {n: boo_of(*levels["from"], n) for n in budgets}
        given["mean"] = given[1]
        given["median"] = _weighted_median(
            pool.test[by_test], weights["from"][:, by_test]
        )
        deployed = {n: boo_of(*levels["for"], n, "u") for n in budgets}

        def less(a, b, n, given=given, deployed=deployed):
            # The variance of the deployed score is the same for both, and so cancels.
            return (given[a] - given[b]) * (given[a] + given[b] - 2 * deployed[n])

        estimates = {
            "boo less mean": less(5, "mean", 5),
            "boo less median": less(5, "median", 5),
            "mean less boo": less("mean", 5, 1),
            "median less boo": less("median", 5, 1),
        }
        for n in budgets:
            estimates |= {
                f"{n} less {k} for {n}": less(n, k, n) for k in budgets if k != n
            }
        for name, values in estimates.items():
            sums[name] = sums.get(name, 0.0) + values.sum()
    return {name: float(total / halves) for name, total in sums.items()}


def deployed(pool):
    """Compare what predicts a deployed run, with intervals over the runs of the pool.

    Parameters
    ----------
    pool : str

    Returns
    -------
    dict
        Each difference that `predictions` returns, as `Kept`, and the first of them as
        the `estimate`.
    """
    whole, rng = runs(pool), generator("deployed", pool)
    # Half of a pool of 74, resampled, may hold too few runs to draw 20 different ones
    # from.
    budgets = (1, 5) if pool in FIXED else (1, 5, 20)
    estimates = predictions(whole, np.ones(len(whole)), rng, HALVES, budgets)

    def draw():
        counts = np.bincount(
            rng.integers(len(whole), size=len(whole)), minlength=len(whole)
        ).astype(float)
        return predictions(whole, counts, rng, RUNS_WITHIN // len(whole), budgets)

    judged = dict.fromkeys(set(estimates) - {"median less boo"}, 0.0)
    values = settled(draw, judged, POOL_DRAWS)
    cells = {
        name.replace(" ", "_"): keep(estimate, values[name])
        for name, estimate in estimates.items()
    }
    return {"estimate": estimates["boo less mean"], **cells}
