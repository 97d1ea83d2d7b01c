"""Statistics of a pool with intervals over its runs, as they are drawn and as they are
recorded.

The pool itself is resampled, and the statistic computed on each resample.
"""

from types import MappingProxyType

import numpy as np

from lab.papers.bajgar2018.audit import Runs
from lab.papers.judging import (
    MOST_DRAWS,
    TAILS,
    Drawn,
    end_range,
    monte_carlo_share,
    near_a_limit,
)
from lab.record.tables import pack, unpack

# Resamples of a pool, and samples from each; and from the pool itself.
POOL_DRAWS, INNER, WHOLE = 1000, 500, 40_000


def generator(*key):
    """Return a generator for a unit: its words as numbers, so that no two share their
    draws.

    Parameters
    ----------
    *key : object

    Returns
    -------
    numpy.random.Generator
    """
    return np.random.default_rng([2018, *" ".join(map(str, key)).encode()])


def keep(estimate, values):
    """Write a statistic and what it is on resamples of the pool into a cell.

    Parameters
    ----------
    estimate : float
    values : array_like of float, shape (draws,)

    Returns
    -------
    str
        The statistic, both ends of the 95 % interval, the number of draws, their error
        as a share of the interval's length, and between which values each end lies.
    """
    values = np.asarray(values)
    ends = [end_range(values, tail) for tail in TAILS]
    numbers = [
        estimate,
        *np.quantile(values, TAILS),
        len(values),
        monte_carlo_share(values),
    ]
    return pack([*numbers, *np.concatenate(ends)], ".8g")


def read(cell):
    """Read a statistic with its interval from a cell.

    Parameters
    ----------
    cell : str
        As `keep` wrote it.

    Returns
    -------
    lab.papers.judging.Drawn
    """
    estimate, low, high, count, share, *_ = map(float, unpack(cell))
    return Drawn(estimate, low, high, int(count), share)


def kept(record, name, table, **unit):
    """Return a recorded statistic with its interval; an error if its row is not there.

    Parameters
    ----------
    record : lab.papers.rows.Rows
    name : str
        The column.
    table : str
    **unit

    Returns
    -------
    lab.papers.judging.Drawn
    """
    return read(record.table(table, **unit)[name].iloc[0])


def resampled(pool, rng):
    """Draw the runs of a pool from another one, with replacement.

    Parameters
    ----------
    pool : Runs
    rng : numpy.random.Generator

    Returns
    -------
    Runs
    """
    index = np.sort(rng.integers(len(pool), size=len(pool)))
    return Runs(pool.validation[index], pool.test[index])


def settled(draw, limits, first):
    """Draw until no end of an interval is within its Monte Carlo error of a limit, or
    long enough.

    Parameters
    ----------
    draw : callable
        Returns a dict of numbers.
    limits : dict of str to float
        What the interval of each is held against.
    first : int
        How many draws at first; they are doubled, up to sixteen times as many.

    Returns
    -------
    dict of str to ndarray of float
        All that was drawn.
    """
    drawn = [draw() for _ in range(first)]
    while True:
        values = {name: np.array([one[name] for one in drawn]) for name in drawn[0]}
        near = any(
            near_a_limit(values[name], limit)
            for name, limit in limits.items()
            if name in values
        )
        if not near or len(drawn) >= MOST_DRAWS * first:
            return values
        drawn += [draw() for _ in range(len(drawn))]


def over_pools(pool, statistics, rng, draws=POOL_DRAWS, limits=MappingProxyType({})):
    """Compute statistics of a pool and of resamples of it.

    Parameters
    ----------
    pool : Runs
    statistics : callable
        From a pool, a generator and a number of samples to a dict of numbers.
    rng : numpy.random.Generator
    draws : int, default 1000
        More where the interval of a statistic ends near its limit.
    limits : dict of str to float, optional

    Returns
    -------
    dict
        Each as `keep` writes it; and of the first, as a number, the `estimate` for the
        pool itself.
    """
    estimates = statistics(pool, rng, WHOLE)
    values = settled(
        lambda: statistics(resampled(pool, rng), rng, INNER), limits, draws
    )
    cells = {name: keep(estimate, values[name]) for name, estimate in estimates.items()}
    return {"estimate": float(next(iter(estimates.values()))), **cells}
