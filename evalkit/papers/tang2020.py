"""Tang et al. (2020), Showing Your Work Doesn't Always Work: their simulations, at their scale.

A pool of released scores becomes a distribution with a known truth, samples are drawn from it, and
the estimators are held against that truth:

- `densities`: the distribution made of each pool;
- `truths`: its expected maximum, exactly and by Monte Carlo, and the exact expectation of V;
- `samples`: 5,000 samples in ten blocks: how U and V average, how often they lie below the truth (and
  below the best of a fresh sample, which is what the released code asks), how often percentile
  bootstrap intervals and distribution-free bands hold, and how wide they are;
- `failures`: for samples of several sizes, where the averaged V ranks the two systems wrongly;
- `computed` and `verdicts`: what follows for each printed figure and each claim.

In all columns of text a value stands for each n = 1, 2, ..., the size of a sample.
"""

import functools
import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import stats

from evalkit import released, runs
from evalkit.expected_maximum import expected_max, expected_max_band, expected_max_bootstrap
from evalkit.papers import _tang2020_verdicts

# Pool to the size of a sample. The paper's two; what stands in for the two that were never released;
# and the truncated normal of the authors' README.
POOLS = {
    "mlp": 50, "lstm": 50,
    "deberta": 50, "deberta-v3": 50, "vampire": 50, "own mlp": 50, "own lstm": 50,
    "truncated normal": 30,
}  # fmt: skip
SAMPLES, RESAMPLES, BLOCKS = 5000, 5000, 10
MONTE_CARLO = 1_000_000
GRID, CUT = 512, 3  # statsmodels' defaults for a univariate kernel density
FAILURE_SIZES = (10, 20, 30, 50, 75, 100, 145)


@dataclass(frozen=True, eq=False)
class Distribution:
    """A distribution on finitely many values.

    Attributes
    ----------
    values : ndarray of float, shape (m,)
        In increasing order.
    chances : ndarray of float, shape (m,)
    bandwidth : float
        Of the kernel density; 0 where the distribution is that of the runs themselves.
    n_runs : int
    """

    values: np.ndarray
    chances: np.ndarray
    bandwidth: float
    n_runs: int

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
        return self.values[np.searchsorted(np.cumsum(self.chances)[:-1], rng.random(shape), side="right")]

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
            V is a weighted sum of order statistics, and the k-th of a sample lies at or below a value
            when at least k draws do.
        """
        ranks = np.arange(1, size + 1)
        below = stats.binom.sf(ranks[:, None] - 1, size, np.minimum(np.cumsum(self.chances)[:-1], 1))
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
        (4 / 3)^(1/5) * min(SD, interquartile range / 1.349) * N^(-1/5), as statsmodels computes it.
    """
    scores = np.asarray(scores)
    spread = min(scores.std(ddof=1), np.subtract(*np.percentile(scores, [75, 25])) / 1.349)
    return (4 / 3) ** 0.2 * spread * len(scores) ** -0.2


def discretised_density(scores):
    """Make a distribution of runs by a kernel density on a grid.

    Parameters
    ----------
    scores : array_like of float, shape (N,)

    Returns
    -------
    Distribution
        On the middles of the 511 bins between 512 points, from three bandwidths below the lowest score
        to three above the highest.
    """
    scores = np.asarray(scores)
    bandwidth = normal_reference_bandwidth(scores)
    points = np.linspace(scores.min() - CUT * bandwidth, scores.max() + CUT * bandwidth, GRID)
    below = stats.norm.cdf((points[:, None] - scores) / bandwidth).mean(axis=1)
    chances = np.diff(below)
    return Distribution((points[1:] + points[:-1]) / 2, chances / chances.sum(), bandwidth, len(scores))


def _runs_themselves(scores):
    values, counts = np.unique(scores, return_counts=True)
    return Distribution(values, counts / counts.sum(), 0.0, len(scores))


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
        The kernel density of the paper's two pools; the runs themselves of the large ones.
    """
    if pool in ("mlp", "lstm"):
        table = released.tang2020()
        return discretised_density(table.f1[table.system == {"mlp": "mlp", "lstm": "reg_lstm"}[pool]])
    if pool.startswith("deberta"):
        name = {"deberta": "deberta-base", "deberta-v3": "deberta-v3-base"}[pool]
        return _runs_themselves(released.opda_deberta(name).matched)
    if pool == "vampire":
        return _runs_themselves(released.dodge2019().npmi)
    if pool.startswith("own"):
        table = runs.load_recorded("pools", "search")
        return _runs_themselves(table.validation[table.system == pool.removeprefix("own ")])
    points = np.linspace(0, 1, GRID)
    chances = np.diff(stats.truncnorm.cdf(points, -2, 2, loc=0.5, scale=0.25))
    return Distribution((points[1:] + points[:-1]) / 2, chances / chances.sum(), 0.0, 0)


def _text(values, digits=None):
    return " ".join(f"{value:.{digits}g}" if digits else str(int(value)) for value in values)


def by_budget(cell):
    """Read a column of text.

    Parameters
    ----------
    cell : str

    Returns
    -------
    ndarray of float
        One value for each n.
    """
    return np.array(cell.split(), dtype=float)


def _bounds(of):
    """Return bounds that the scores keep: [0, 1], or further where a density leaves it."""
    return min(0.0, of.values[0]), max(1.0, of.values[-1])


class Tang:
    """The experiment, as `evalkit.runs` runs it."""

    name = "tang2020"
    compared: ClassVar = {"bandwidth": 1e-12, "wrong_from": 0, "wrong_to": 0, "truth_1": 1e-12, "held_one": 3}

    def plan(self, scale, rows):
        """Return the units; none depends on another.

        Parameters
        ----------
        scale : {"recorded", "full"}
            The paper's own scale is the recorded one; "full" has ten times as many samples.
        rows : list of dict
            Not used.

        Returns
        -------
        list of dict
        """
        blocks = BLOCKS * (10 if scale == "full" else 1)
        return [
            *({"table": "densities", "pool": pool} for pool in POOLS),
            *({"table": "truths", "pool": pool} for pool in POOLS),
            *({"table": "failures", "size": size} for size in FAILURE_SIZES),
            *(
                {"table": "samples", "pool": pool, "block": block}
                for pool in POOLS
                for block in range(blocks)
            ),
        ]

    def run(self, unit):
        """Run one unit.

        Parameters
        ----------
        unit : dict
            As `plan` returns them.

        Returns
        -------
        dict
        """
        start = time.process_time()
        result = getattr(self, f"_{unit['table']}")(**{k: v for k, v in unit.items() if k != "table"})
        return {**result, "seconds": round(time.process_time() - start, 2)}

    def _densities(self, pool):
        of = distribution(pool)
        outside = of.chances[(of.values < 0) | (of.values > 1)].sum()
        return {
            "runs": of.n_runs, "bandwidth": float(of.bandwidth), "values": len(of.values),
            "low": float(of.values[0]), "high": float(of.values[-1]), "outside": float(outside),
        }  # fmt: skip

    def _truths(self, pool):
        of, budgets = distribution(pool), np.arange(1, POOLS[pool] + 1)
        truth = of.expected_max(budgets)
        rng = np.random.default_rng([2020, list(POOLS).index(pool)])
        sums, step = np.zeros(len(budgets)), 20_000
        for _ in range(MONTE_CARLO // step):
            # The running maximum of one row is the maximum of its first n draws, for every n.
            sums += np.maximum.accumulate(of.draw(rng, (step, len(budgets))), axis=1).sum(axis=0)
        return {
            "truth_1": float(truth[0]),
            "truth": _text(truth, 12),
            "monte_carlo": _text(sums / MONTE_CARLO, 12),
            "expected_v": _text(of.expected_v(budgets, POOLS[pool]), 12),
        }

    def _failures(self, size):
        """Find where E[V] of the MLP is above that of the LSTM, though the truth is the other way round."""
        budgets = np.arange(1, size + 1)
        mlp, lstm = distribution("mlp"), distribution("lstm")
        wrong = (mlp.expected_v(budgets, size) > lstm.expected_v(budgets, size)) & (
            mlp.expected_max(budgets) < lstm.expected_max(budgets)
        )
        where = budgets[wrong]
        return {
            "wrong": int(wrong.sum()), "wrong_from": int(where[0]) if len(where) else 0,
            "wrong_to": int(where[-1]) if len(where) else 0,
        }  # fmt: skip

    def _samples(self, pool, block):
        of, size = distribution(pool), POOLS[pool]
        budgets = np.arange(1, size + 1)
        truth = of.expected_max(budgets)
        rng = np.random.default_rng([2020, list(POOLS).index(pool), block])
        count = SAMPLES // BLOCKS
        estimates = {name: np.empty((count, size)) for name in ("u", "v", "first")}
        fresh = np.empty((count, size))
        bands = {name: np.empty((2, count, size)) for name in ("boot_u", "boot_v", "ks", "dkw")}
        for i in range(count):
            sample = of.draw(rng, size)
            fresh[i] = np.maximum.accumulate(of.draw(rng, size))
            for name in ("u", "v"):
                estimates[name][i] = expected_max(sample, budgets, estimator=name)
                bands[f"boot_{name}"][:, i] = [
                    *expected_max_bootstrap(sample, budgets, estimator=name, n_resamples=RESAMPLES, rng=rng)
                ]
            # The variant that Appendix A warns of: for a budget of n, the first n scores alone.
            estimates["first"][i] = [expected_max(sample[:n], int(n), estimator="v") for n in budgets]
            for name in ("ks", "dkw"):
                bands[name][:, i] = [*expected_max_band(sample, budgets, bounds=_bounds(of), method=name)]
        result = {"samples": count}
        for name, found in estimates.items():
            result[f"mean_{name}"] = _text(found.mean(axis=0), 12)
            result[f"square_error_{name}"] = _text(((found - truth) ** 2).mean(axis=0), 8)
            result[f"below_{name}"] = _text((found < truth).sum(axis=0))
            result[f"below_fresh_{name}"] = _text((found < fresh).sum(axis=0))
        for name, (low, high) in bands.items():
            held = (low <= truth) & (truth <= high)
            result[f"held_{name}"] = _text(held.sum(axis=0))
            result[f"held_all_{name}"] = int(held.all(axis=1).sum())
            result[f"width_{name}"] = _text((high - low).mean(axis=0), 6)
        result["held_one"] = int(by_budget(result["held_boot_v"])[0])
        return result

    def extra_tables(self, rows):
        """Return what the simulations say of the printed figures and of the claims.

        Parameters
        ----------
        rows : list of dict
            All of them.

        Returns
        -------
        dict of str to pandas.DataFrame
        """
        return {
            "computed": _tang2020_verdicts.computed(rows),
            "verdicts": _tang2020_verdicts.verdicts(rows),
        }


EXPERIMENT = Tang()


def recorded():
    """Put the recorded simulations together by pool.

    Returns
    -------
    evalkit.papers._tang2020_verdicts.Simulated
    """
    return _tang2020_verdicts.Simulated(runs.recorded_rows(EXPERIMENT.name))
