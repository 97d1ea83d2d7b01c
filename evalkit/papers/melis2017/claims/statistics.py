"""Statistics that several judges ask for: what searches of a pool find, and intervals of few runs."""

import functools
from dataclasses import dataclass

import numpy as np
from scipy import stats

from evalkit.papers.judging import MissingRunsError, Resampled
from evalkit.papers.melis2017.tasks.stages import SEEDS
from evalkit.proportions import proportion_interval
from evalkit.recorded import unpack

NAMES = {"lstm": "LSTM", "rhn": "RHN", "nas": "NAS"}
CELLS = tuple(NAMES)
PAIRS = (("lstm", "rhn"), ("lstm", "nas"), ("rhn", "nas"))
# When the criteria were fitted to one pool, before any run.
AMENDED = "2026-11-23"


def percent(share):
    """Return so many percent of perplexity as a difference of losses.

    Parameters
    ----------
    share : float

    Returns
    -------
    float
    """
    return float(np.log1p(share / 100))


# ---------------------------------------------------------------------------------------------
# Searches, resampled from a pool
# ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Pool:
    """Independent random trials, of which searches are drawn with replacement.

    Attributes
    ----------
    validation, test : ndarray of float, shape (N,)
        Losses, in the order of the trials.
    seconds : ndarray of float, shape (N,)
        Of the processor.
    """

    validation: np.ndarray
    test: np.ndarray
    seconds: np.ndarray

    def __len__(self):
        return len(self.test)

    @functools.cached_property
    def _order(self):
        return np.lexsort((self.test, self.validation))

    @functools.cached_property
    def _by_test(self):
        return np.argsort(self.test, kind="stable")

    def weights(self, counts, n):
        """Return with what chance each trial is the best by validation of n.

        Parameters
        ----------
        counts : ndarray of float, shape (N,)
            How often each trial stands in the pool.
        n : float
            At least 1; a part of a trial counts as that part of its exponent.

        Returns
        -------
        ndarray of float, shape (N,)
            Equation 7 of Bajgar et al. (2018), for losses.
        """
        ordered = counts[self._order]
        left = 1 - np.cumsum(ordered) / ordered.sum()
        chances = np.empty(len(self))
        chances[self._order] = -np.diff(np.maximum(left, 0) ** n, prepend=1)
        return chances

    def chosen(self, counts, n):
        """Return the expected test loss of the best by validation of n.

        Parameters
        ----------
        counts : ndarray of float, shape (N,)
        n : int

        Returns
        -------
        float
        """
        return float(self.weights(counts, n) @ self.test)

    def best(self, counts, n):
        """Return the expected lowest validation loss of n.

        Parameters
        ----------
        counts : ndarray of float, shape (N,)
        n : int

        Returns
        -------
        float
        """
        return float(self.weights(counts, n) @ self.validation)

    def scatter(self, counts, n):
        """Return the SD, over searches of n, of the test loss of the best by validation.

        Parameters
        ----------
        counts : ndarray of float, shape (N,)
        n : int

        Returns
        -------
        float
        """
        chances = self.weights(counts, n)
        return float(np.sqrt(chances @ (self.test - chances @ self.test) ** 2))

    def beaten(self, counts, n, other, other_counts):
        """Return how often a search finds a higher test loss than one of another pool, of as many trials.

        Parameters
        ----------
        counts : ndarray of float, shape (N,)
        n : int
        other : Pool
        other_counts : ndarray of float, shape (M,)

        Returns
        -------
        float
            Equal losses count half.
        """
        chances, others = self.weights(counts, n), other.weights(other_counts, n)
        ordered = other.test[other._by_test]
        sums = np.append(0, np.cumsum(others[other._by_test]))
        below, up_to = (sums[np.searchsorted(ordered, self.test, side)] for side in ("left", "right"))
        return float(chances @ (below + up_to) / 2)

    def median_trials(self, counts, limit):
        """Return how many trials a random search needs at the median for a validation loss within a limit.

        Parameters
        ----------
        counts : ndarray of float, shape (N,)
        limit : float

        Returns
        -------
        float
        """
        return median_trials(counts @ (self.validation <= limit) / counts.sum())


def median_trials(share):
    """Return how many trials are needed at the median until one succeeds.

    Parameters
    ----------
    share : float
        That succeed.

    Returns
    -------
    float
        At least 1; infinite where none does.
    """
    if share >= 0.5:
        return 1.0
    return float(np.log(0.5) / np.log1p(-share)) if share > 0 else np.inf


def counted(index, size):
    """Return how often each place was drawn.

    Parameters
    ----------
    index : ndarray of int
    size : int

    Returns
    -------
    ndarray of float, shape (size,)
    """
    return np.bincount(index, minlength=size).astype(float)


def pool(record, table, count, **where):
    """Return the first trials of a pool.

    Parameters
    ----------
    record : evalkit.papers.rows.Rows
    table : str
    count : int
    **where
        A value for each of some columns, such as the cell.

    Returns
    -------
    Pool
    """
    rows = record.table(table, count, **where)
    number = next(name for name in ("draw", "trial", "place") if name in rows)
    rows = rows[rows[number] < count].sort_values(number)
    if len(rows) < count:
        raise MissingRunsError(f"{len(rows)} of the first {count} rows of {table} with {where}")
    return Pool(*(rows[name].to_numpy(float) for name in ("validation", "test", "processor")))


def pools(record, table, count, cells=CELLS):
    """Return the first trials of the pool of each cell, which have the same settings.

    Parameters
    ----------
    record : evalkit.papers.rows.Rows
    table : str
    count : int
    cells : tuple of str, optional

    Returns
    -------
    dict of str to Pool
    """
    return {cell: pool(record, table, count, cell=cell) for cell in cells}


def over_settings(statistic, size, **how):
    """Resample the trials of pools that have the same settings.

    Parameters
    ----------
    statistic : callable
        From how often each setting was drawn, ndarray of float, shape (size,), to a number.
    size : int
    **how
        As `Resampled` takes them.

    Returns
    -------
    Resampled
    """
    return Resampled(lambda index: statistic(counted(index, size)), np.arange(size), **how)


def differences(found, n, pairs=PAIRS):
    """Return by how much the best of n of the second cell of each pair loses more than that of the first.

    Parameters
    ----------
    found : dict of str to Pool
        With the same settings.
    n : int
    pairs : tuple of (str, str), optional

    Returns
    -------
    dict of (str, str) to Resampled
        Of test loss; drawn until the verdict against 0 is settled.
    """
    drawn = {}
    for a, b in pairs:
        one, other = found[a], found[b]
        drawn[a, b] = over_settings(
            lambda counts, one=one, other=other: other.chosen(counts, n) - one.chosen(counts, n), len(one)
        )
        drawn[a, b].settle(0)
    return drawn


def reruns(record, cell, of="pool", count=SEEDS):
    """Return the reruns of a chosen setting.

    Parameters
    ----------
    record : evalkit.papers.rows.Rows
    cell : str
    of : str, default "pool"
        Who chose it: "pool", "docstrings" or "search 0" to "search 5".
    count : int, default 20

    Returns
    -------
    pandas.DataFrame
        One row for each seed.
    """
    return record.table("seeds", count, cell=cell, of=of).sort_values("seed")


def numbers(cell):
    """Return the numbers in a cell.

    Parameters
    ----------
    cell : str

    Returns
    -------
    ndarray of float
    """
    return np.asarray(unpack(cell), dtype=float)


# ---------------------------------------------------------------------------------------------
# Intervals of few runs
# ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Interval:
    """A statistic with its 95 % interval, where runs are too few to be resampled.

    Attributes
    ----------
    estimate, low, high : float
    """

    estimate: float
    low: float
    high: float


def added(parts):
    """Return the sum of independent estimates, with a t interval.

    Parameters
    ----------
    parts : list of (float, float, float)
        Of each its estimate, the variance of that, and the degrees of freedom of the variance.

    Returns
    -------
    Interval
        The degrees of freedom are those of Welch and Satterthwaite.
    """
    estimate = sum(part[0] for part in parts)
    variance = sum(part[1] for part in parts)
    if not variance:
        return Interval(float(estimate), float(estimate), float(estimate))
    freedom = variance**2 / sum(v**2 / df for _, v, df in parts if v)
    reach = stats.t.ppf(0.975, freedom) * np.sqrt(variance)
    return Interval(float(estimate), float(estimate - reach), float(estimate + reach))


def contrast(groups, weights):
    """Return a weighted sum of the means of groups of runs, with a t interval.

    Parameters
    ----------
    groups : list of array_like of float
        At least two runs in each.
    weights : list of float

    Returns
    -------
    Interval
    """
    parts = []
    for values, weight in zip(groups, weights, strict=True):
        values = np.asarray(values, dtype=float)
        n = len(values)
        parts.append((weight * values.mean(), weight**2 * values.var(ddof=1) / n, n - 1))
    return added(parts)


def mean_of(values):
    """Return the mean of some runs, with a t interval.

    Parameters
    ----------
    values : array_like of float

    Returns
    -------
    Interval
    """
    return contrast([values], [1.0])


def sd_of(values):
    """Return the SD of normal values, with the interval that follows from chi-squared.

    Parameters
    ----------
    values : array_like of float

    Returns
    -------
    Interval
    """
    return pooled_sd([values])


def pooled_sd(groups):
    """Return the SD within groups of normal values, with the interval that follows from chi-squared.

    Parameters
    ----------
    groups : list of array_like of float

    Returns
    -------
    Interval
    """
    squares = sum(((np.asarray(values) - np.mean(values)) ** 2).sum() for values in groups)
    freedom = sum(len(values) - 1 for values in groups)
    ends = (np.sqrt(squares / stats.chi2.ppf(tail, freedom)) for tail in (0.975, 0.025))
    return Interval(float(np.sqrt(squares / freedom)), *map(float, ends))


def sd_ratio(one, other):
    """Return the ratio of the SDs of two normal samples, with the interval that follows from F.

    Parameters
    ----------
    one, other : array_like of float

    Returns
    -------
    Interval
    """
    ratio = float(np.std(one, ddof=1) / np.std(other, ddof=1))
    freedom = len(one) - 1, len(other) - 1
    low, high = (ratio / np.sqrt(stats.f.ppf(tail, *freedom)) for tail in (0.975, 0.025))
    return Interval(ratio, float(low), float(high))


def searches_over_seeds(groups):
    """Return the ratio of the SD over searches to that over seeds, with the interval that follows from F.

    Parameters
    ----------
    groups : list of list of array_like of float
        For each cell, for each of its searches as many reruns.

    Returns
    -------
    Interval
        What the seeds add to the means of reruns is taken out; 0 where nothing is left.
    """
    size = len(groups[0][0])
    means = [[np.mean(runs) for runs in searches] for searches in groups]
    between = size * pooled_sd(means).estimate ** 2
    within = pooled_sd([runs for searches in groups for runs in searches]).estimate ** 2
    freedom = sum(len(m) - 1 for m in means), sum(len(runs) - 1 for cell in groups for runs in cell)
    ends = (1.0, stats.f.ppf(0.975, *freedom), stats.f.ppf(0.025, *freedom))
    return Interval(*(float(np.sqrt(max(between / within / end - 1, 0) / size)) for end in ends))


def share_difference(one, other):
    """Return the difference of two shares, with Newcombe's interval from those of Wilson.

    Parameters
    ----------
    one, other : ndarray of bool

    Returns
    -------
    Interval
    """
    parts = []
    for cases in (one, other):
        found = proportion_interval(int(cases.sum()), len(cases), method="wilson")
        parts.append(Interval(float(cases.mean()), found.low, found.high))
    return combined(parts, (1, -1))


def combined(parts, weights):
    """Return a weighted sum of independent estimates, with an interval made from theirs.

    Parameters
    ----------
    parts : list of Interval
        Ends may be infinite.
    weights : sequence of float

    Returns
    -------
    Interval
        By the rule of Zou and Donner (2008): the distances from estimate to end add up as SDs do.
    """
    estimate = sum(w * part.estimate for part, w in zip(parts, weights, strict=True))
    below = above = 0.0
    for part, w in zip(parts, weights, strict=True):
        down, up = (abs(w) * (part.estimate - part.low), abs(w) * (part.high - part.estimate))
        below, above = (below + down**2, above + up**2) if w > 0 else (below + up**2, above + down**2)
    return Interval(float(estimate), float(estimate - np.sqrt(below)), float(estimate + np.sqrt(above)))


def log_trials_until(successes, count):
    """Return the logarithm of the median trials of a random search until one succeeds.

    Parameters
    ----------
    successes : int
    count : int
        Trials that were drawn at random.

    Returns
    -------
    Interval
        By Clopper and Pearson. Where none succeeded, the estimate is the lower end.
    """
    share = proportion_interval(successes, count)
    low, high = (float(np.log(median_trials(p))) for p in (share.high, share.low))
    return Interval(float(np.log(median_trials(successes / count))) if successes else low, low, high)


def log_median(values):
    """Return the logarithm of the median of a few positive numbers.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        At least 6.

    Returns
    -------
    Interval
        From order statistics: the inmost pair that holds the median 95 times in 100, whatever the law; of 6
        the lowest and the highest.
    """
    if len(values) < 6:
        raise ValueError(f"values must be at least 6, for an interval of 95 %; got {len(values)}")
    ordered = np.sort(np.log(values))
    inmost = int(stats.binom.ppf(0.025, len(ordered), 0.5))
    return Interval(float(np.median(ordered)), float(ordered[inmost - 1]), float(ordered[-inmost]))


def ratio(found):
    """Return a ratio from its logarithm.

    Parameters
    ----------
    found : Interval

    Returns
    -------
    Interval
    """
    return Interval(*(float(np.exp(x)) for x in (found.estimate, found.low, found.high)))


# ---------------------------------------------------------------------------------------------
# Words
# ---------------------------------------------------------------------------------------------


def words(found, digits=3):
    """Write a statistic with its interval.

    Parameters
    ----------
    found : Interval, Resampled or proportion interval
        With `estimate`, `low` and `high`.
    digits : int, default 3

    Returns
    -------
    str
    """
    return f"{found.estimate:.{digits}f} ({found.low:.{digits}f} to {found.high:.{digits}f})"


def listed(found, digits=3):
    """Write several statistics, each with its name and interval.

    Parameters
    ----------
    found : dict of str to Interval or Resampled
    digits : int, default 3

    Returns
    -------
    str
    """
    return "; ".join(f"{named(name)} {words(x, digits)}" for name, x in found.items())


def named(name):
    """Write the name of a cell, or of a pair: the second against the first.

    Parameters
    ----------
    name : str or (str, str)

    Returns
    -------
    str
    """
    if isinstance(name, tuple):
        return f"{NAMES[name[1]]} minus {NAMES[name[0]]}"
    return NAMES.get(name, name)
