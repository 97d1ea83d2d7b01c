"""The released pools, described: what Figure 1 draws of them."""

import numpy as np
from scipy import stats

from evalkit.expected_maximum import boo
from lab.papers.bajgar2018.audit import runs, spearman
from lab.record.tables import pack

BINS = 24  # of a histogram, and of either side of a scatter


def describe(pool):
    """Describe a pool, with what Figure 1 draws of it.

    Parameters
    ----------
    pool : str
        One of `POOLS`.

    Returns
    -------
    dict
        Of the test score: `mean`, `sd`, `lowest`, `highest`, `q5`, `q95`, `iqr`,
        `skewness`; `spearman` and `pearson` with the validation score; the median of it
        (`median`); the counts in 24 equal bins from the lowest to the highest
        (`histogram`), and in 24 x 24 of validation by test (`scatter`), from
        `validation_low` to `validation_high`; Equation 7 for n = 1, 2, ... 50 (`boo`).
    """
    released = runs(pool)
    low, median, high = np.percentile(released.test, [5, 50, 95])
    scatter, edges, _ = np.histogram2d(released.validation, released.test, bins=BINS)
    return {
        "runs": len(released),
        "mean": float(released.test.mean()),
        "sd": released.sd,
        "lowest": float(released.test.min()),
        "highest": float(released.test.max()),
        "q5": float(low),
        "median": float(median),
        "q95": float(high),
        "iqr": float(stats.iqr(released.test)),
        "skewness": float(stats.skew(released.test)),
        "spearman": spearman(released.pairs),
        "pearson": float(np.corrcoef(released.pairs.T)[0, 1]),
        "validation_low": float(edges[0]),
        "validation_high": float(edges[-1]),
        "histogram": pack(np.histogram(released.test, bins=BINS)[0]),
        "scatter": pack(scatter.astype(int).ravel()),
        "boo": pack(
            boo(released.validation, released.test, n=np.arange(1, 51), estimator="v"),
            ".10g",
        ),
    }
