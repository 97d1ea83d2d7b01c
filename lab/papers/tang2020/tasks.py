"""The simulations of Tang et al. (2020), at their scale.

Samples are drawn from a distribution whose expected maximum is known, and the
estimators are held against it. In all columns of text a value stands for each n = 1, 2,
..., the size of a sample.
"""

import numpy as np

from evalkit.expected_maximum import expected_max, expected_max_band
from lab.experiments.percentile import expected_max_bootstrap
from lab.papers.tang2020.audit import POOLS, distribution
from lab.record.tables import pack, unpack

SAMPLES, RESAMPLES, BLOCKS = 5000, 5000, 10
# Where only estimates are asked for, and no intervals, many more samples cost little.
MANY, MANY_BLOCKS = 400_000, 4
MONTE_CARLO = 1_000_000


def truths(pool):
    """Compute the expected maximum of a pool, exactly and by Monte Carlo, and the
    expectation of V.

    Parameters
    ----------
    pool : str

    Returns
    -------
    dict
        `truth_1`, of one run; `truth`, `monte_carlo` and `expected_v`, one value for
        each n.
    """
    density, budgets = distribution(pool), np.arange(1, POOLS[pool] + 1)
    truth = density.expected_max(budgets)
    rng = np.random.default_rng([2020, list(POOLS).index(pool)])
    sums, step = np.zeros(len(budgets)), 20_000
    for _ in range(MONTE_CARLO // step):
        # The running maximum of one row is the maximum of its first n draws, for every
        # n.
        sums += np.maximum.accumulate(
            density.draw(rng, (step, len(budgets))), axis=1
        ).sum(axis=0)
    return {
        "truth_1": float(truth[0]),
        "truth": pack(truth, ".12g"),
        "monte_carlo": pack(sums / MONTE_CARLO, ".12g"),
        "expected_v": pack(density.expected_v(budgets, POOLS[pool]), ".12g"),
    }


def failures(first, second, size):
    """Find where E[V] of one pool is above that of another, though the truth is the
    other way round.

    Parameters
    ----------
    first, second : str
        Pools; "mlp runs" is that of the runs themselves, without a kernel.
    size : int
        Of a sample of each.

    Returns
    -------
    dict
        At how many n the order is `wrong`, and from which n to which (`wrong_from`,
        `wrong_to`; 0 if none).
    """
    budgets = np.arange(1, size + 1)
    one, other = distribution(first), distribution(second)
    wrong = (one.expected_v(budgets, size) > other.expected_v(budgets, size)) & (
        one.expected_max(budgets) < other.expected_max(budgets)
    )
    where = budgets[wrong]
    return {
        "wrong": int(wrong.sum()),
        "wrong_from": int(where[0]) if len(where) else 0,
        "wrong_to": int(where[-1]) if len(where) else 0,
    }


def _tail_weights(size, estimator):
    """Return, for each order statistic but the first, how much of the gap below it an
    estimate takes in.
    """
    budgets, ranks = np.arange(1, size + 1), np.arange(size)
    return np.array(
        [expected_max(ranks >= k, budgets, estimator=estimator) for k in range(1, size)]
    )


def shares(pool, block):
    """Draw very many samples, and count how often U and V are below the truth, and
    below a fresh best.

    Parameters
    ----------
    pool : str
    block : int

    Returns
    -------
    dict
        How many `samples`, and for U and V at each n how many estimates are below the
        truth (`below_u`), below the best of n fresh scores (`below_fresh_u`) or equal
        to it (`tied_fresh_u`), and their `sd_u`.
    """
    density, size, count = distribution(pool), POOLS[pool], MANY // MANY_BLOCKS
    truth = density.expected_max(np.arange(1, size + 1))
    rng = np.random.default_rng([2020, 1, list(POOLS).index(pool), block])
    weights = {name: _tail_weights(size, name) for name in ("u", "v")}
    counts = {
        f"{what}_{name}": np.zeros(size)
        for what in ("below", "below_fresh", "tied_fresh", "sum", "square")
        for name in weights
    }
    for _ in range(count // 10_000):
        ordered = np.sort(density.draw(rng, (10_000, size)), axis=1)
        fresh = np.maximum.accumulate(density.draw(rng, (10_000, size)), axis=1)
        for name, weight in weights.items():
            estimates = ordered[:, :1] + np.diff(ordered, axis=1) @ weight
            counts[f"below_{name}"] += (estimates < truth).sum(axis=0)
            # A single score equals the fresh one on paper, and not always in floats.
            tied = np.isclose(estimates, fresh, rtol=0, atol=1e-12)
            counts[f"tied_fresh_{name}"] += tied.sum(axis=0)
            counts[f"below_fresh_{name}"] += ((estimates < fresh) & ~tied).sum(axis=0)
            counts[f"sum_{name}"] += (estimates - truth).sum(axis=0)
            counts[f"square_{name}"] += ((estimates - truth) ** 2).sum(axis=0)
    result = {"samples": count}
    for name in weights:
        for what in ("below", "below_fresh", "tied_fresh"):
            result[f"{what}_{name}"] = pack(counts[f"{what}_{name}"].astype(int))
        variance = (
            counts[f"square_{name}"] / count - (counts[f"sum_{name}"] / count) ** 2
        )
        result[f"sd_{name}"] = pack(np.sqrt(variance), ".8g")
    return result


def _bounds(density):
    """Return bounds that the scores keep: [0, 1], or further where a density leaves
    it.
    """
    return min(0.0, density.values[0]), max(1.0, density.values[-1])


def samples(pool, block):
    """Draw a block of samples, and hold every estimate and every interval against the
    truth.

    Parameters
    ----------
    pool : str
    block : int

    Returns
    -------
    dict
        For U, V and the variant that looks at the first n scores alone (`first`): the
        mean, the mean squared error, and how often the estimate is below the truth, and
        below the best of a fresh sample, which is what the released code asks. For
        bootstrap intervals of U and V and for the two distribution-free bands: how
        often they hold at each n, at all n at once, and their mean width.
    """
    density, size = distribution(pool), POOLS[pool]
    budgets = np.arange(1, size + 1)
    truth = density.expected_max(budgets)
    rng = np.random.default_rng([2020, list(POOLS).index(pool), block])
    count = SAMPLES // BLOCKS
    estimates = {name: np.empty((count, size)) for name in ("u", "v", "first")}
    fresh = np.empty((count, size))
    bands = {
        name: np.empty((2, count, size)) for name in ("boot_u", "boot_v", "ks", "dkw")
    }
    for i in range(count):
        sample = density.draw(rng, size)
        fresh[i] = np.maximum.accumulate(density.draw(rng, size))
        for name in ("u", "v"):
            estimates[name][i] = expected_max(sample, budgets, estimator=name)
            bands[f"boot_{name}"][:, i] = [
                *expected_max_bootstrap(
                    sample, budgets, estimator=name, n_resamples=RESAMPLES, rng=rng
                )
            ]
        # The variant that Appendix A warns of: for a budget of n, the first n scores
        # alone.
        estimates["first"][i] = [
            expected_max(sample[:n], int(n), estimator="v") for n in budgets
        ]
        for name in ("ks", "dkw"):
            bands[name][:, i] = [
                *expected_max_band(
                    sample, budgets, bounds=_bounds(density), method=name
                )
            ]
    result = {"samples": count}
    for name, values in estimates.items():
        result[f"mean_{name}"] = pack(values.mean(axis=0), ".12g")
        result[f"square_error_{name}"] = pack(
            ((values - truth) ** 2).mean(axis=0), ".8g"
        )
        result[f"below_{name}"] = pack((values < truth).sum(axis=0))
        result[f"below_fresh_{name}"] = pack((values < fresh).sum(axis=0))
    for name, (low, high) in bands.items():
        held = (low <= truth) & (truth <= high)
        result[f"held_{name}"] = pack(held.sum(axis=0))
        result[f"held_all_{name}"] = int(held.all(axis=1).sum())
        result[f"width_{name}"] = pack((high - low).mean(axis=0), ".6g")
    result["held_one"] = int(unpack(result["held_boot_v"])[0])
    return result


class Simulated:
    """The recorded simulations, put together by pool.

    Parameters
    ----------
    rows : list of dict
        As `lab.record.tables.recorded_rows` returns them.

    Attributes
    ----------
    truths, failures : dict
        Recorded results, by pool; and by two pools and a size.
    samples : dict of str to int
        How many samples with intervals each pool has.
    """

    def __init__(self, rows):
        self.truths, self.failures = {}, {}
        self._blocks = {"samples": {}, "shares": {}}
        for row in rows:
            unit, result = row["unit"], row["result"]
            if unit["table"] == "truths":
                self.truths[unit["pool"]] = result
            elif unit["table"] == "failures":
                self.failures[unit["first"], unit["second"], unit["size"]] = result
            else:
                self._blocks[unit["table"]].setdefault(unit["pool"], []).append(result)
        blocks = self._blocks["samples"]
        self.samples = {
            pool: sum(block["samples"] for block in blocks[pool]) for pool in blocks
        }

    def truth(self, pool, column="truth"):
        """Return a column of `truths`, one value for each n.

        Parameters
        ----------
        pool : str
        column : str, default "truth"

        Returns
        -------
        ndarray of float
        """
        return unpack(self.truths[pool][column])

    def total(self, pool, column, table="samples"):
        """Return the sum of a column over the blocks of a pool: counts of samples.

        Parameters
        ----------
        pool, column : str
        table : {"samples", "shares"}

        Returns
        -------
        ndarray of float
            One value for each n.
        """
        return sum(unpack(block[column]) for block in self._blocks[table][pool])

    def mean(self, pool, column):
        """Return the mean of a column over the blocks of a pool, which are equally
        large.

        Parameters
        ----------
        pool, column : str

        Returns
        -------
        ndarray of float
            One value for each n.
        """
        return self.total(pool, column) / len(self._blocks["samples"][pool])

    def trials(self, pool, column, n, table="samples"):
        """Return in how many samples something was the case at one n, and how many
        there were.

        Parameters
        ----------
        pool, column : str
        n : int
        table : {"samples", "shares"}
            The samples with intervals; or the many without, where an estimate that
            equals the best of a fresh sample is left out, as the released code does.

        Returns
        -------
        cases, count : int
        """
        count = sum(block["samples"] for block in self._blocks[table][pool])
        if table == "shares" and "fresh" in column:
            count -= int(
                self.total(pool, column.replace("below", "tied"), table)[n - 1]
            )
        return int(self.total(pool, column, table)[n - 1]), count
