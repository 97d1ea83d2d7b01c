"""What Tang et al. (2020) released, and stand-ins for the rest: pools as distributions
with a known truth.

A kernel density on a grid, as the authors make one, of each of their two pools; the
runs themselves of the large pools that others released, and of our own; the truncated
normal of their README.
"""

import functools
from dataclasses import dataclass

import numpy as np
from scipy import stats

from lab.data import released
from lab.record import tables

# Pool to the size of a sample. The paper's two; what stands in for the two that were
# never released; the truncated normal of the authors' README; and the paper's two
# without a kernel.
PAPERS = {"mlp": 50, "lstm": 50}
OTHERS = {"deberta": 50, "deberta-v3": 50, "vampire": 50, "own mlp": 50, "own lstm": 50}
UNSMOOTHED = {"mlp runs": 50, "lstm runs": 50}
POOLS = {**PAPERS, **OTHERS, "truncated normal": 30, **UNSMOOTHED}
SYSTEMS = {"mlp": "mlp", "lstm": "reg_lstm"}  # as the released table names them
GRID, CUT = 512, 3  # statsmodels' defaults for a univariate kernel density
# The normal that the released simulation draws from when it is told nothing else, and
# where it is cut.
README_NORMAL, README_CUT, README_GRID = (0.5, 0.1), (0.0, 0.6), 2**14


@dataclass(frozen=True, eq=False)
class Distribution:
    """A distribution on finitely many values.

    Attributes
    ----------
    values : ndarray of float, shape (m,)
        In increasing order.
    chances : ndarray of float, shape (m,)
    """

    values: np.ndarray
    chances: np.ndarray

    def draw(self, rng, shape):
        """Draw scores.

        Parameters
        ----------
        rng : numpy.random.Generator
        shape : int or tuple of int

        Returns
        -------
        ndarray of float
        """
        return self.values[
            np.searchsorted(
                np.cumsum(self.chances)[:-1], rng.random(shape), side="right"
            )
        ]

    def expected_max(self, budgets):
        """Compute the expected maximum of n draws, exactly.

        Parameters
        ----------
        budgets : array_like of int, shape (b,)

        Returns
        -------
        ndarray of float, shape (b,)
        """
        below = np.cumsum(self.chances)[:-1] ** np.asarray(budgets)[:, None]
        return self.values[-1] - below @ np.diff(self.values)

    def expected_v(self, budgets, size):
        """Compute the expectation of V over samples of a size, exactly.

        Parameters
        ----------
        budgets : array_like of int, shape (b,)
        size : int

        Returns
        -------
        ndarray of float, shape (b,)
            V is a weighted sum of order statistics, and the k-th of a sample lies at or
            below a value when at least k draws do.
        """
        ranks = np.arange(1, size + 1)
        below = stats.binom.sf(
            ranks[:, None] - 1, size, np.minimum(np.cumsum(self.chances)[:-1], 1)
        )
        ordered = self.values[-1] - below @ np.diff(self.values)
        levels = np.append(0, ranks / size) ** np.asarray(budgets)[:, None]
        return np.diff(levels, axis=1) @ ordered


def normal_reference_bandwidth(scores):
    """Compute the bandwidth of a Gaussian kernel by the normal reference rule.

    Parameters
    ----------
    scores : array_like of float, shape (N,)

    Returns
    -------
    float
        (4 / 3)^(1/5) * min(SD, interquartile range / 1.349) * N^(-1/5), as statsmodels
        computes it.
    """
    scores = np.asarray(scores)
    spread = min(
        scores.std(ddof=1), np.subtract(*np.percentile(scores, [75, 25])) / 1.349
    )
    return (4 / 3) ** 0.2 * spread * len(scores) ** -0.2


def discretised_density(scores):
    """Make a distribution of runs by a kernel density on a grid.

    Parameters
    ----------
    scores : array_like of float, shape (N,)

    Returns
    -------
    Distribution
        On the left edges of the 511 bins between 512 points, as released, from three
        bandwidths below the lowest score to three above the highest.
    """
    scores = np.asarray(scores)
    bandwidth = normal_reference_bandwidth(scores)
    points = np.linspace(
        scores.min() - CUT * bandwidth, scores.max() + CUT * bandwidth, GRID
    )
    below = stats.norm.cdf((points[:, None] - scores) / bandwidth).mean(axis=1)
    chances = np.diff(below)
    return Distribution(points[:-1], chances / chances.sum())


def _runs_themselves(scores):
    values, counts = np.unique(scores, return_counts=True)
    return Distribution(values, counts / counts.sum())


@functools.cache
def distribution(pool):
    """Return the distribution that stands for a pool.

    Parameters
    ----------
    pool : str
        A key of `POOLS`.

    Returns
    -------
    Distribution
        The kernel density of the paper's two pools; the runs themselves of all others.
    """
    if pool in (*PAPERS, *UNSMOOTHED):
        table = released.tang2020()
        scores = table.f1[table.system == SYSTEMS[pool.removesuffix(" runs")]]
        return (
            discretised_density(scores) if pool in PAPERS else _runs_themselves(scores)
        )
    if pool.startswith("deberta"):
        name = {"deberta": "deberta-base", "deberta-v3": "deberta-v3-base"}[pool]
        return _runs_themselves(released.opda_deberta(name).matched)
    if pool == "vampire":
        return _runs_themselves(released.dodge2019().npmi)
    if pool.startswith("own"):
        table = tables.load_recorded("pools", "search")
        return _runs_themselves(
            table.validation[table.system == pool.removeprefix("own ")]
        )
    # Cut so finely that the steps do not show.
    (mean, sd), points = README_NORMAL, np.linspace(*README_CUT, README_GRID)
    chances = np.diff(stats.norm.cdf(points, mean, sd))
    return Distribution((points[1:] + points[:-1]) / 2, chances / chances.sum())
