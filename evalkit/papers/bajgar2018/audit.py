"""The released pools of Bajgar et al. (2018), estimators on many samples of them at once, printed figures.

Scores are in percent, and the runs of a pool stand in the order of their scores: nothing hangs on the
order of a file.
"""

import functools
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import special, stats

from evalkit import released
from evalkit._data import DATA
from evalkit.expected_maximum import boo, gaussian_expected_max
from evalkit.recorded import pack

# As the printed figures call them, and as the files do.
PAPERS = {
    "resnet": "resnet",
    "asreader_fixed": "as-reader-fixed",
    "asreader_random": "as-reader-search",
}
FIXED = ("resnet", "asreader_fixed")
SEARCH = "asreader_random"
# A second, larger pool: matched scores choose, mismatched ones are reported.
OTHERS = {"deberta": "deberta-base", "deberta_v3": "deberta-v3-base"}
POOLS = (*PAPERS, *OTHERS)
# Fewer steps than this, and a run of the ResNet had ended before it learned anything.
STEPS = 35_000
BINS = 24  # of a histogram, and of either side of a scatter


# ---------------------------------------------------------------------------------------------
# Pools
# ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Runs:
    """The runs of a pool, in the order of their validation scores, then of their test scores.

    Attributes
    ----------
    validation, test : ndarray of float, shape (N,)
    """

    validation: np.ndarray
    test: np.ndarray

    @classmethod
    def of(cls, validation, test):
        """Put runs in order.

        Parameters
        ----------
        validation, test : array_like of float, shape (N,)

        Returns
        -------
        Runs
        """
        validation, test = np.asarray(validation, dtype=float), np.asarray(test, dtype=float)
        order = np.lexsort((test, validation))
        return cls(validation[order], test[order])

    def __len__(self):
        return len(self.test)

    @property
    def pairs(self):
        """Validation and test score of each run, shape (N, 2)."""
        return np.c_[self.validation, self.test]

    @functools.cached_property
    def level(self):
        """The place of each run's validation score among the different ones."""
        return np.unique(self.validation, return_inverse=True)[1]

    @functools.cached_property
    def sd(self):
        """The SD of the test score."""
        return float(self.test.std(ddof=1))

    def tally(self, index):
        """Count the runs of samples, and add up their test scores, by validation score.

        Parameters
        ----------
        index : ndarray of int, shape (R, m)
            Which runs, one sample a row.

        Returns
        -------
        counts, sums : ndarray of float, shape (R, L)
        """
        n_levels = self.level[-1] + 1
        flat = (np.arange(len(index))[:, None] * n_levels + self.level[index]).ravel()
        size = len(index) * n_levels
        counts = np.bincount(flat, minlength=size)
        sums = np.bincount(flat, weights=self.test[index].ravel(), minlength=size)
        return counts.reshape(-1, n_levels).astype(float), sums.reshape(-1, n_levels)

    def best(self, index, rng):
        """Return the test score of the best-validation run of each sample; ties are broken at random.

        Parameters
        ----------
        index : ndarray of int, shape (R, m)
        rng : numpy.random.Generator

        Returns
        -------
        ndarray of float, shape (R,)
        """
        # Less than one, so that levels, which are integers, keep their order.
        place = (self.level[index] + rng.random(index.shape)).argmax(axis=1)
        return self.test[np.take_along_axis(index, place[:, None], axis=1)[:, 0]]


@functools.cache
def runs(pool):
    """Return a pool.

    Parameters
    ----------
    pool : str
        One of `POOLS`.

    Returns
    -------
    Runs
    """
    if pool in PAPERS:
        table = released.bajgar2018(PAPERS[pool])
        return Runs.of(100 * table.validation, 100 * table.test)
    table = released.opda_deberta(OTHERS[pool])
    return Runs.of(100 * table.matched, 100 * table.mismatched)


def _power(x, n):
    """Raise to an integer power by squaring: NumPy's own takes five times as long."""
    result = np.ones_like(x) if n % 2 == 0 else x
    while n := n // 2:
        x = x * x
        if n % 2:
            result = result * x
    return result


def boo_of(counts, sums, n, estimator="v"):
    """Compute Boo_n of many samples, from their counts and sums by validation score.

    Parameters
    ----------
    counts, sums : ndarray of float, shape (..., L)
        As `Runs.tally` returns them; the counts need not be integers for "v".
    n : int
    estimator : {"v", "u"}, default "v"
        Equation 7, or draws without replacement.

    Returns
    -------
    ndarray of float, shape (...)
    """
    below = counts.cumsum(axis=-1)
    total = below[..., -1:]
    if estimator == "v":
        below = _power(below / total, n)
    else:
        below = np.prod([np.maximum(below - i, 0) / (total - i) for i in range(n)], axis=0)
    means = np.divide(sums, counts, out=np.zeros_like(sums), where=counts > 0)
    return (np.diff(below, axis=-1, prepend=0) * means).sum(axis=-1)


def boo_pairs(pairs, n):
    """Compute Equation 7 of one sample.

    Parameters
    ----------
    pairs : ndarray of float, shape (m, 2)
        Validation and test.
    n : int

    Returns
    -------
    float
    """
    _, level = np.unique(pairs[:, 0], return_inverse=True)
    counts = np.bincount(level).astype(float)
    return float(boo_of(counts, np.bincount(level, weights=pairs[:, 1]), n))


def gaussian_boo_of(validation, test, n):
    """Compute the Gaussian estimate of Boo_n, Equation 6, of many samples.

    Parameters
    ----------
    validation, test : ndarray of float, shape (R, m)
    n : int

    Returns
    -------
    ndarray of float, shape (R,)
        The mean where all validation scores are equal.
    """
    v = validation - validation.mean(axis=1, keepdims=True)
    mean = test.mean(axis=1)
    covariance = (v * (test - mean[:, None])).sum(axis=1) / (v.shape[1] - 1)
    sd = v.std(axis=1, ddof=1)
    slope = np.divide(covariance, sd, out=np.zeros_like(sd), where=sd > 1e-12)
    return mean + slope * gaussian_expected_max(n)


def spearman(pairs):
    """Compute Spearman's correlation of two columns.

    Parameters
    ----------
    pairs : ndarray of float, shape (m, 2)

    Returns
    -------
    float
    """
    return float(np.corrcoef(stats.rankdata(pairs, axis=0).T)[0, 1])


def anderson_darling(scores):
    """Compute the statistic of Anderson and Darling for normality with estimated mean and SD.

    Parameters
    ----------
    scores : ndarray of float, shape (..., N)

    Returns
    -------
    ndarray of float, shape (...)
    """
    n = scores.shape[-1]
    z = np.sort(scores, axis=-1)
    z = (z - z.mean(axis=-1, keepdims=True)) / z.std(axis=-1, ddof=1, keepdims=True)
    weights = (2 * np.arange(1, n + 1) - 1) / n
    below = special.ndtr(z)  # its logarithm is exact enough here: no score is eight SDs from the mean
    return -n - (weights * (np.log(below) + np.log1p(-below)[..., ::-1])).sum(axis=-1)


def critical_values(n):
    """Return the tabled 5 % critical values of that statistic for a sample of n.

    Parameters
    ----------
    n : int

    Returns
    -------
    dict of str to float
        The older table, Stephens (1974), and the newer one, D'Agostino and Stephens (1986), each with its
        own correction for small samples.
    """
    return {"1974": 0.787 / (1 + 4 / n - 25 / n**2), "1986": 0.752 / (1 + 0.75 / n + 2.25 / n**2)}


# ---------------------------------------------------------------------------------------------
# What is printed
# ---------------------------------------------------------------------------------------------


@functools.cache
def published():
    """Return what the paper prints, by id.

    Returns
    -------
    pandas.Series of str
    """
    path = DATA / "published" / "bajgar2018.csv"
    return pd.read_csv(path, dtype=str, keep_default_na=False).set_index("id").printed


def gaps(pool):
    """Compute the steps from one published result to the next, sorted by score, as they were released.

    Parameters
    ----------
    pool : str
        A key of `PAPERS`.

    Returns
    -------
    ndarray of float, shape (n_published - 1,)
        In points; in the order of the scores, not of the papers.
    """
    name = "cifar100_published" if pool == "resnet" else "cbtcn_published"
    scores = published()
    scores = scores[scores.index.str.startswith(f"{name}/")].astype(float)
    return np.diff(np.sort(scores))


def median_gap(pool):
    """Compute the median of `gaps`.

    Parameters
    ----------
    pool : str
        A key of `PAPERS`.

    Returns
    -------
    float
    """
    return float(np.median(gaps(pool)))


QUANTITIES = {
    "n_runs": len,
    "mean": lambda pool: pool.test.mean(),
    "sd": lambda pool: pool.sd,
    "range_low": lambda pool: pool.test.min(),
    "range_high": lambda pool: pool.test.max(),
    "iqr": lambda pool: stats.iqr(pool.test),
    "spearman": lambda pool: spearman(pool.pairs),
}


def rounds_to(value, printed):
    """Tell whether a value rounds to what is printed.

    Parameters
    ----------
    value : float
    printed : str

    Returns
    -------
    bool
    """
    digits = len(printed.partition(".")[2])
    return abs(value - float(printed)) <= 0.5 * 10.0**-digits * (1 + 1e-6)


def matches(pool, of):
    """Tell which printed figures of a pool some runs give to the digit.

    Parameters
    ----------
    pool : str
        A key of `PAPERS`.
    of : Runs

    Returns
    -------
    dict of str to bool
        By quantity, but for the ends of the "range".
    """
    return {
        name: rounds_to(float(compute(of)), published()[f"{pool}/{name}"])
        for name, compute in QUANTITIES.items()
        if not name.startswith("range")
    }


def other_pools():
    """Make the ResNet's pool in the other ways that its file allows.

    Returns
    -------
    dict of str to Runs
        With one of the runs left out that our rule takes in, with one more of those that it leaves out,
        with the best scores along the way, and with limits on the number of steps that leave 75 and 73.
    """
    rows = released.bajgar2018_rows("resnet").sort_values(["steps", "run"], ascending=False)
    within = rows[rows.steps >= STEPS]
    found = {}
    for column in ("test", "best_test"):
        for name, table in (
            ("", within),
            *((f"without {row.run}", within.drop(index=row.Index)) for row in within.itertuples()),
            *((f"with {run}", pd.concat([within, rows[rows.run == run]])) for run in rows.run[len(within) :]),
            *((f"the {count} longest", rows.head(count)) for count in (len(within) - 1, len(within) + 1)),
        ):
            label = ", ".join(filter(None, [name, column if column != "test" else ""])) or "as loaded"
            found[label] = Runs.of(100 * table.validation, 100 * table[column])
    return found


def range_candidates(pool):
    """Compute what a "range" may mean: quantiles, or so many SDs about the mean.

    Parameters
    ----------
    pool : str

    Returns
    -------
    dict of str to tuple of float
    """
    test = runs(pool).test
    tails = (0, 0.5, 1, 2.5, 5, 10, 25)
    found = {f"{tail:g} % and {100 - tail:g} %": np.percentile(test, [tail, 100 - tail]) for tail in tails}
    sd = runs(pool).sd
    found |= {f"{k:g} SDs": (test.mean() - k * sd, test.mean() + k * sd) for k in (1, 1.64, 1.96, 2, 3)}
    return {name: tuple(map(float, ends)) for name, ends in found.items()}


def named_range():
    """Name the candidate that comes closest to the printed ends, over all three pools.

    Returns
    -------
    name : str
    off : dict of str to float
        By pool, how far its farther end is off.
    """

    def off(pool, name):
        ends = [float(published()[f"{pool}/range_{end}"]) for end in ("low", "high")]
        return max(abs(np.subtract(range_candidates(pool)[name], ends)))

    worst = {name: max(off(pool, name) for pool in PAPERS) for name in range_candidates(SEARCH)}
    name = min(worst, key=worst.get)
    return name, {pool: float(off(pool, name)) for pool in PAPERS}


def budgets_that_give(printed, most=200):
    """Return the numbers of runs whose expected best under random search rounds to a printed value.

    Parameters
    ----------
    printed : str
    most : int, default 200

    Returns
    -------
    list of int
    """
    pool, n = runs(SEARCH), np.arange(1, most + 1)
    values = boo(pool.validation, pool.test, n=n, estimator="v")
    return [int(k) for k, value in zip(n, values, strict=True) if rounds_to(value, printed)]


# ---------------------------------------------------------------------------------------------
# What figures draw
# ---------------------------------------------------------------------------------------------


def describe(pool):
    """Describe a pool, with what Figure 1 draws of it.

    Parameters
    ----------
    pool : str
        One of `POOLS`.

    Returns
    -------
    dict
        Of the test score: `mean`, `sd`, `lowest`, `highest`, `q5`, `q95`, `iqr`, `skewness`; `spearman` and
        `pearson` with the validation score; the median of it (`median`); the counts in 24 equal bins
        from the lowest to the highest (`histogram`), and in 24 x 24 of validation by test (`scatter`), from
        `validation_low` to `validation_high`; Equation 7 for n = 1, 2, ... 50 (`boo`).
    """
    found = runs(pool)
    low, median, high = np.percentile(found.test, [5, 50, 95])
    scatter, edges, _ = np.histogram2d(found.validation, found.test, bins=BINS)
    return {
        "runs": len(found),
        "mean": float(found.test.mean()),
        "sd": found.sd,
        "lowest": float(found.test.min()),
        "highest": float(found.test.max()),
        "q5": float(low),
        "median": float(median),
        "q95": float(high),
        "iqr": float(stats.iqr(found.test)),
        "skewness": float(stats.skew(found.test)),
        "spearman": spearman(found.pairs),
        "pearson": float(np.corrcoef(found.pairs.T)[0, 1]),
        "validation_low": float(edges[0]),
        "validation_high": float(edges[-1]),
        "histogram": pack(np.histogram(found.test, bins=BINS)[0]),
        "scatter": pack(scatter.astype(int).ravel()),
        "boo": pack(boo(found.validation, found.test, n=np.arange(1, 51), estimator="v"), ".10g"),
    }


def evaluations():
    """Return the released log of the random search, with the run's number.

    Returns
    -------
    pandas.DataFrame
        One row an evaluation, in order, of the runs that got beyond their first: `number`, `steps`,
        `validation`, `test` in percent and `hours`.
    """
    table = released.bajgar2018_rows("as-reader-search")
    table = table.assign(
        number=table.run.str.extract(r"/(\d+)_[^/]*$", expand=False).astype(int),
        validation=100 * table.validation,
        test=100 * table.test,
        hours=table.seconds / 3600,
    )
    table = table[table.groupby("number").steps.transform("max") > 0]
    return table.sort_values(["number", "steps"])[["number", "steps", "validation", "test", "hours"]]


def hours():
    """Return how long the runs of the random search took, by the log.

    Returns
    -------
    pandas.DataFrame
        One row a run: `number`; the hours to the evaluation that counts (`best`) and to the last one
        (`whole`), and the `minutes` that a thousand batches take. The log names no unit; with seconds, a
        thousand batches take minutes.
    """
    table = evaluations()
    table = table.assign(run=table.number)
    best = table.sort_values(["validation", "steps"]).groupby("run").tail(1).set_index("number").hours
    last = table.groupby("number")[["hours", "steps"]].max()
    minutes = 60 * last.hours / (last.steps / 1000)
    return pd.DataFrame({"best": best, "whole": last.hours, "minutes": minutes}).reset_index()


def settings():
    """Return the hyperparameters of the released random search, which the names of its runs tell.

    Returns
    -------
    pandas.DataFrame
        One row for each run that was begun: `embedding`, `hidden` and `batch size`.
    """
    names = pd.Series(released.bajgar2018_rows("as-reader-search").run.unique())
    keys = {"embedding": "sed", "hidden": "ehd", "batch size": "b"}
    found = {label: names.str.extract(rf"-{key}_(\d+)", expand=False) for label, key in keys.items()}
    return pd.DataFrame(found).astype(int)


# From where to where they were drawn, by the appendix.
DRAWN = {"embedding": (16, 512), "hidden": (16, 512), "batch size": (16, 128)}


def how_drawn():
    """Ask whether the released settings were drawn uniformly, or uniformly on a logarithmic scale.

    Returns
    -------
    pandas.DataFrame
        By hyperparameter, the p-value of Kolmogorov and Smirnov's test of either (`uniform`, `logarithm`).
    """
    found = {}
    for name, values in settings().items():
        low, high = DRAWN[name]
        scales = {"uniform": np.asarray, "logarithm": np.log}
        found[name] = {
            label: float(stats.kstest(of(values), "uniform", (of(low), of(high) - of(low))).pvalue)
            for label, of in scales.items()
        }
    return pd.DataFrame(found).T
