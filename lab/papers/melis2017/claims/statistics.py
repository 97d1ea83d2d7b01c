"""Statistics that several judges ask for: what searches of a pool find, and how runs
scatter.
"""

import functools
from dataclasses import dataclass

import numpy as np
from scipy import stats

from lab.papers.judging import AtOnce, MissingRunsError, Quantity, best_of
from lab.papers.melis2017.tasks.stages import RERUNS, SEARCHES, SEEDS
from lab.samples import counted

NAMES = {"lstm": "LSTM", "rhn": "RHN", "nas": "NAS"}
CELLS = tuple(NAMES)
PAIRS = (("lstm", "rhn"), ("lstm", "nas"), ("rhn", "nas"))


# --------------------------------------------------------------------------------------
# Searches, resampled from a pool
# --------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Pool:
    """Independent random trials, of which searches are drawn with replacement.

    Attributes
    ----------
    validation, test : ndarray of float, shape (N,)
        Losses, in the order of the trials.
    seconds : ndarray of float, shape (N,)
        Of the processor.
    diverged : ndarray of bool, shape (N,)
    """

    validation: np.ndarray
    test: np.ndarray
    seconds: np.ndarray
    diverged: np.ndarray

    def __len__(self):
        return len(self.test)

    @functools.cached_property
    def _order(self):
        return np.lexsort((self.test, self.validation))

    @functools.cached_property
    def rank(self):
        """The place of each trial among all, the best by validation first."""
        return np.argsort(self._order)

    @functools.cached_property
    def by_rank(self):
        """The test losses in that order."""
        return self.test[self._order]

    @functools.cached_property
    def _by_test(self):
        return np.argsort(self.test, kind="stable")

    def only(self, kept):
        """Return some of the trials.

        Parameters
        ----------
        kept : ndarray of bool, shape (N,)

        Returns
        -------
        Pool
        """
        return Pool(
            self.validation[kept],
            self.test[kept],
            self.seconds[kept],
            self.diverged[kept],
        )

    def by_validation(self):
        """Return a pool in which the validation loss stands for the test loss.

        Returns
        -------
        Pool
        """
        return Pool(self.validation, self.validation, self.seconds, self.diverged)

    def weights(self, counts, n):
        """Return with what chance each trial is the best by validation of n.

        Parameters
        ----------
        counts : ndarray of float, shape (..., N)
            How often each trial stands in the pool.
        n : float, or ndarray of float, shape (..., 1)
            At least 1; a part of a trial counts as that part of its exponent.

        Returns
        -------
        ndarray of float, shape (..., N)
            Equation 7 of Bajgar et al. (2018), for losses: `evalkit.boo` by "v" takes
            these for one pool, here they are taken for thousands of resampled ones.
        """
        ordered = counts[..., self._order]
        left = 1 - np.cumsum(ordered, axis=-1) / ordered.sum(axis=-1, keepdims=True)
        chances = np.empty(counts.shape)
        chances[..., self._order] = -np.diff(
            np.maximum(left, 0) ** n, prepend=1, axis=-1
        )
        return chances

    def chosen(self, counts, n):
        """Return the expected test loss of the best by validation of n.

        Parameters
        ----------
        counts : ndarray of float, shape (..., N)
        n : float, or ndarray of float, shape (..., 1)

        Returns
        -------
        float or ndarray of float, shape (...)
        """
        return self.weights(counts, n) @ self.test

    def bought(self, counts, seconds):
        """Return how many trials some seconds buy, at least one.

        Parameters
        ----------
        counts : ndarray of float, shape (..., N)
        seconds : float

        Returns
        -------
        ndarray of float, shape (..., 1)
        """
        return np.maximum(seconds / (counts @ self.seconds / counts.sum(axis=-1)), 1)[
            ..., None
        ]

    def beaten(self, counts, n, other, others=None):
        """Return how often a search finds a higher test loss than one of another pool.

        Parameters
        ----------
        counts : ndarray of float, shape (..., N)
            The same for both pools.
        n : int
        other : Pool
        others : int, optional
            Trials of the other search; by default as many.

        Returns
        -------
        ndarray of float, shape (...)
            Equal losses count half.
        """
        chances, theirs = self.weights(counts, n), other.weights(counts, others or n)
        ordered = other.test[other._by_test]
        sums = np.cumsum(theirs[..., other._by_test], axis=-1)
        sums = np.insert(sums, 0, 0, axis=-1)
        below, up_to = (
            sums[..., np.searchsorted(ordered, self.test, side)]
            for side in ("left", "right")
        )
        return (chances * (below + up_to)).sum(axis=-1) / 2


def pool(record, table, count, **where):
    """Return the first trials of a pool.

    Parameters
    ----------
    record : lab.papers.rows.Rows
    table : str
    count : int
    **where
        A value for each of some columns, such as the cell.

    Returns
    -------
    Pool
    """
    rows = record.table(table, count, **where)
    rows = rows[rows.trial < count].sort_values("trial")
    if len(rows) < count:
        raise MissingRunsError(
            f"{len(rows)} of the first {count} rows of {table} with {where}"
        )
    losses = (
        rows[name].to_numpy(float) for name in ("validation", "test", "processor")
    )
    return Pool(*losses, rows.diverged.to_numpy() == 1)


def pools(record, table, count, cells=CELLS):
    """Return the first trials of the pool of each cell, which have the same settings.

    Parameters
    ----------
    record : lab.papers.rows.Rows
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
        From how often each setting was drawn, ndarray of float, shape (draws, size),
        to a number for each draw.
    size : int
    **how
        As `Resampled` takes them.

    Returns
    -------
    AtOnce
    """
    return AtOnce(lambda index: statistic(counted(index, size)), np.arange(size), **how)


def ahead(pools, better, worse, n):
    """Return by how much the best of n of a cell loses less than that of another.

    Parameters
    ----------
    pools : dict of str to Pool
        With the same settings.
    better, worse : str
    n : int
        At most a fifth of the pool.

    Returns
    -------
    Quantity
        Of test loss, over the settings.
    """
    both = [(-pools[cell].validation, -pools[cell].test) for cell in (better, worse)]
    return best_of(lambda one, other: one - other, *both, one=(0, n), other=(1, n))


def differences(pools, n, pairs=PAIRS):
    """Return by how much the first cell of each pair is ahead of the second.

    Parameters
    ----------
    pools : dict of str to Pool
    n : int
    pairs : tuple of (str, str), optional

    Returns
    -------
    dict of (str, str) to Quantity
        As `ahead` has it.
    """
    return {(a, b): ahead(pools, a, b, n) for a, b in pairs}


# --------------------------------------------------------------------------------------
# Runs again
# --------------------------------------------------------------------------------------


def reruns(record, cell, of="pool", count=SEEDS):
    """Return the reruns of a chosen setting.

    Parameters
    ----------
    record : lab.papers.rows.Rows
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


def of_searches(record, cell, quantity):
    """Return the reruns of what each guided search of a cell chose.

    Parameters
    ----------
    record : lab.papers.rows.Rows
    cell : str
    quantity : {"validation", "test"}

    Returns
    -------
    ndarray of float, shape (searches, reruns)
    """
    return np.array(
        [
            reruns(record, cell, f"search {number}", RERUNS)[quantity]
            for number in range(SEARCHES)
        ],
        float,
    )


def searches(record, cell):
    """Return the guided searches of a cell.

    Parameters
    ----------
    record : lab.papers.rows.Rows
    cell : str

    Returns
    -------
    pandas.DataFrame
    """
    rows = record.table("guided", SEARCHES, cell=cell)
    return rows[rows.search_number < SEARCHES].sort_values("search_number")


def pooled_sd(groups):
    """Return the SD within groups of normal values, with the interval that follows from
    chi-squared.

    Parameters
    ----------
    groups : list of array_like of float

    Returns
    -------
    Quantity
    """
    squares = sum(
        ((np.asarray(values) - np.mean(values)) ** 2).sum() for values in groups
    )
    freedom = sum(len(values) - 1 for values in groups)
    ends = (np.sqrt(squares / stats.chi2.ppf(tail, freedom)) for tail in (0.975, 0.025))
    return Quantity(float(np.sqrt(squares / freedom)), *map(float, ends))


# --------------------------------------------------------------------------------------
# Words
# --------------------------------------------------------------------------------------


def listed(quantities, spec=".3f"):
    """Write several quantities, each with its name and interval.

    Parameters
    ----------
    quantities : dict of str, or pair of cells, to Quantity
    spec : str, default ".3f"

    Returns
    -------
    str
    """
    return "; ".join(f"{named(name)} {x:{spec}}" for name, x in quantities.items())


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
