"""The null of a test for normality, by simulation."""

import numpy as np

from lab.papers.bajgar2018.audit import anderson_darling, runs
from lab.papers.bajgar2018.tasks.kept import generator


def normality(pool, block):
    """Simulate the statistic of Anderson and Darling for as many normal scores as a
    pool has runs.

    Parameters
    ----------
    pool : str
    block : int

    Returns
    -------
    dict
        The `statistic` of the pool; how many of `draws` from a normal are as large
        (`beyond`); the 5 % and the 1 % critical value by these draws.
    """
    test, rng = runs(pool).test, generator("normality", pool, block)
    statistic = float(anderson_darling(test))
    drawn = np.concatenate(
        [anderson_darling(rng.standard_normal((2000, len(test)))) for _ in range(100)]
    )
    five, one = np.quantile(drawn, [0.95, 0.99])
    return {
        "statistic": statistic,
        "draws": len(drawn),
        "beyond": int((drawn >= statistic).sum()),
        "five": float(five),
        "one": float(one),
    }
