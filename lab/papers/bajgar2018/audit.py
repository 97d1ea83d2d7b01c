"""The released pools of Bajgar et al. (2018), estimators on many samples of them at
once, printed figures.

Scores are in percent, and the runs of a pool stand in the order of their scores:
nothing hangs on the order of a file.
"""

import functools
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import special, stats

from evalkit.expected_maximum import boo, gaussian_expected_max
from lab.data import DATA, released
from lab.papers.judging import MissingRunsError
from lab.record.tables import LACKING

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
NAMES = {
    "resnet": "ResNet",
    "asreader_fixed": "AS Reader",
    "asreader_random": "AS Reader under search",
    "deberta": "DeBERTa",
    "deberta_v3": "DeBERTa V3",
}


# --------------------------------------------------------------------------------------
# Pools
# --------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Runs:
    """The runs of a pool, in the order of their validation scores, then of their test
    scores.

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
        validation, test = (
            np.asarray(validation, dtype=float),
            np.asarray(test, dtype=float),
        )
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
        """Return the test score of the best-validation run of each sample; ties are
        broken at random.

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
        below = np.prod(
            [np.maximum(below - i, 0) / (total - i) for i in range(n)], axis=0
        )
    means = np.divide(sums, counts, out=np.zeros_like(sums), where=counts > 0)
    return (np.diff(below, axis=-1, prepend=0) * means).sum(axis=-1)


def gaussian_boo_of(validation, test, n):
    """Compute the Gaussian estimate of Boo_n, Equation 6, of many samples:
    `boo_gaussian`, all at once.

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
    """Compute the statistic of Anderson and Darling for normality with estimated mean
    and SD.

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
    # Its logarithm is exact enough here: no score is eight SDs from the mean.
    below = special.ndtr(z)
    return -n - (weights * (np.log(below) + np.log1p(-below)[..., ::-1])).sum(axis=-1)


def critical_values(n):
    """Return the tabled 5 % critical values of that statistic for a sample of n.

    Parameters
    ----------
    n : int

    Returns
    -------
    dict of str to float
        The older table, Stephens (1974), and the newer one, D'Agostino and Stephens
        (1986), each with its own correction for small samples.
    """
    return {
        "1974": 0.787 / (1 + 4 / n - 25 / n**2),
        "1986": 0.752 / (1 + 0.75 / n + 2.25 / n**2),
    }


# --------------------------------------------------------------------------------------
# What is printed
# --------------------------------------------------------------------------------------


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
    """Compute the steps from one published result to the next, sorted by score, as they
    were released.

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
SURVEY = "the texts of the papers were not released with the counts"
# Statements whose figure is 1 where the claim on them is replicated.
STATEMENTS = {
    "boo/less_variable": "boo-less-variable-than-mean",
    "estimator/parametric": "parametric-varies-less",
}


def _of_pool(pool, quantity):
    """Return a printed figure of a pool, and a note."""
    released = runs(pool)
    if quantity == "median_gap":
        return (
            median_gap(pool),
            "from the published scores that the released notebook lists",
        )
    if quantity not in QUANTITIES:
        n = int(quantity.rpartition("/")[2])
        printed, free = (
            boo(released.validation, released.test, n=n, estimator=name)
            for name in ("v", "u")
        )
        return printed, f"Equation 7; without replacement {free:.2f}"
    value = float(QUANTITIES[quantity](released))
    if quantity.startswith("range"):
        # Of the pairs of quantiles and of multiples of the SD this one fits all three
        # pools.
        name, tail = ("lowest", 5) if quantity == "range_low" else ("highest", 95)
        return (
            value,
            (
                f"the {name} score; by 5 % and 95 %:"
                f" {np.percentile(released.test, tail):.2f}"
            ),
        )
    if quantity == "n_runs":
        return value, _counted(pool)
    return value, (
        "the released pool is not quite the printed one" if pool == "resnet" else ""
    )


def _counted(pool):
    """Say by which rule of the authors the runs of a pool are counted."""
    rows = released.bajgar2018_rows(PAPERS[pool])
    if pool == "resnet":
        below = rows.steps[rows.steps < STEPS].max()
        above = rows.steps[rows.steps >= STEPS].min()
        return (
            f"by the authors' rule those of {STEPS:,} steps or more, of {len(rows)} in"
            f" the file; any limit from {below + 1:,.0f} to {above:,.0f} leaves as many"
        )
    if pool == SEARCH:
        return (
            "by the authors' rule those with an iteration done, of"
            f" {rows.run.nunique()} that were begun"
        )
    begun = rows.run.str.contains("/cbt-dist/").sum()
    return f"by the authors' rule those with an epoch done, of {begun} that were begun"


def _normality(record, pool):
    """Return whether a pool is what the paper says of it, normal or skewed, and a
    note.
    """
    rows = record.table("normality", pool=pool)
    statistic, draws = float(rows.statistic.iloc[0]), rows.draws.sum()
    share = rows.beyond.sum() / draws
    if pool == SEARCH:
        skewness = float(stats.skew(runs(pool).test))
        return (
            float(skewness < 0 and share < 0.05),
            f"skewness {skewness:.2f}, A-squared {statistic:.2f}",
        )
    tables = critical_values(len(runs(pool)))
    beyond = (
        " and ".join(year for year, value in tables.items() if statistic >= value)
        or "neither"
    )
    note = f"A-squared {statistic:.4f}, p = {share:.4f} of {draws:,} simulated samples"
    return float(share >= 0.05), f"{note}; beyond the tabled 5 % value of {beyond}"


def _statement(claim, verdicts):
    """Return whether a claim is replicated, and its evidence; an error if its draws are
    missing.
    """
    judged = verdicts.set_index("id")
    if claim not in judged.index:
        raise MissingRunsError(
            verdicts.attrs[LACKING].get(claim, "its draws are not recorded yet")
        )
    verdict, evidence = judged.loc[claim, ["verdict", "evidence"]]
    return float(verdict == "replicated"), f"{verdict}: {evidence}"


def _three_results():
    """Return how many published results, a median gap apart, lie within four SDs, and a
    note.
    """
    fits = {pool: 1 + np.floor(4 * runs(pool).sd / median_gap(pool)) for pool in FIXED}
    phrases = ", ".join(f"{NAMES[pool]} {count:.0f}" for pool, count in fits.items())
    return float(min(fits.values())), f"within four SDs, a median gap apart: {phrases}"


def _figure(record, verdicts, name):
    """Return a printed figure, None where it is out of reach, and a note."""
    first, _, quantity = name.partition("/")
    if first in PAPERS:
        return _of_pool(first, quantity)
    if first == "gaussian":
        return (
            gaussian_expected_max(int(quantity.removeprefix("boo"))),
            "by integration",
        )
    if first == "iclr2017":
        return None, SURVEY
    if first == "normality":
        return _normality(record, quantity)
    if name in STATEMENTS:
        return _statement(f"bajgar2018/{STATEMENTS[name]}", verdicts)
    return _three_results()


def computed(record, verdicts):
    """Compute what the paper prints.

    Parameters
    ----------
    record : lab.papers.rows.Rows
    verdicts : pandas.DataFrame
        As `Judges.findings` returns them.

    Returns
    -------
    pandas.DataFrame
        Columns `id`, `value` (absent for what is out of reach) and `note`. What the
        authors took over from other papers is not among them.
    """
    figures, lacking = [], {}
    for name in published().index:
        if "_published/" in name:
            continue
        try:
            figures.append((name, *_figure(record, verdicts, name)))
        except MissingRunsError as error:
            lacking[name] = str(error)
    table = pd.DataFrame(figures, columns=["id", "value", "note"])
    table.attrs[LACKING] = lacking
    return table
