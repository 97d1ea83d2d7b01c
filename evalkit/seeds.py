"""Chapter 6: how much a result depends on the seed.

A seed is not a setting. What differs between two seeds is chance, so a result is the distribution
over seeds, or a summary of it with an interval.
"""

import contextlib
import dataclasses
import random
import sys
import time
from numbers import Real

import numpy as np
import pandas as pd
from scipy import stats

from evalkit._checks import (
    check_bool,
    check_choice,
    check_int,
    check_level,
    check_number,
    check_same_length,
    check_scores,
)
from evalkit._results import Interval
from evalkit.intervals import proportion_interval

_MAX_SEED = 2**32 - 1  # what NumPy's global generator takes
_COLUMNS = ("seed", "seconds", "error")


class _Seeded(contextlib.ContextDecorator):
    def __init__(self, seed):
        self.seed = seed
        self._restore = contextlib.ExitStack()

    def __repr__(self):
        return f"seeded({self.seed})"

    def __enter__(self):
        self._restore.callback(random.setstate, random.getstate())
        self._restore.callback(np.random.set_state, np.random.get_state())  # noqa: NPY002
        random.seed(self.seed)
        np.random.seed(self.seed)  # noqa: NPY002
        if torch := sys.modules.get("torch"):
            # Named devices: torch would otherwise warn that it copies the state of all of them.
            devices = range(torch.cuda.device_count())
            self._restore.enter_context(torch.random.fork_rng(devices=devices))
            torch.manual_seed(self.seed)
        return self

    def __exit__(self, *_):
        self._restore.close()


def seeded(seed):
    """Set every global random state for the length of a `with` block, and give it back afterwards.

    Parameters
    ----------
    seed : int
        From 0 to 2**32 - 1.

    Returns
    -------
    context manager
        Also usable as a decorator.

    Notes
    -----
    Sets Python's `random`, NumPy's legacy global state, and torch's (on all devices) if torch has
    been imported by then: import it before the block, not in it. The old states come back after an
    exception, too. Generators that code has made for itself (`numpy.random.default_rng()`) are out
    of its reach: give those a seed. Nor does it order the sums of several threads.

    Examples
    --------
    >>> import random
    >>> from evalkit import seeded
    >>> with seeded(3):
    ...     first = random.random()
    >>> with seeded(3):
    ...     assert random.random() == first
    """
    return _Seeded(check_int(seed, "seed", low=0, high=_MAX_SEED))


def _check_seeds(seeds):
    try:
        seeds = [check_int(seed, "seeds", low=0, high=_MAX_SEED) for seed in seeds]
    except TypeError as error:
        raise TypeError(f"seeds must hold integers: {error}") from None
    if not seeds:
        raise ValueError("seeds needs at least one value, got none")
    if len(set(seeds)) < len(seeds):
        raise ValueError("seeds must differ: a seed that comes twice gives one run twice")
    return seeds


def _named_scores(value):
    """Return what a run returned as a dict of floats."""
    named = value if isinstance(value, dict) else {"score": value}
    if not named or any(not isinstance(v, Real) for v in named.values()):
        raise TypeError(f"function must return a number or a dict of numbers, got {value!r:.60}")
    if taken := [str(name) for name in named if name in _COLUMNS]:
        raise ValueError(f"function must not call a score {', '.join(taken)}: the table has that column")
    return {name: float(v) for name, v in named.items()}


def run_over_seeds(function, seeds, *, on_error="raise"):
    """Run a function once for each seed and tabulate what it scores.

    Parameters
    ----------
    function : callable
        From a seed to a number, or to a dict of numbers (with the same names every time). It is
        called inside `seeded(seed)`.
    seeds : iterable of int
        All different.
    on_error : {"raise", "record"}, default "raise"
        With "record" a run that raises becomes a row with its error and NaN for every score.

    Returns
    -------
    pandas.DataFrame
        `seed`, `score` or the names of the dict, `seconds`, and with "record" also `error`. A NaN
        that the function returns stays in the table: see `failure_rate`.

    Examples
    --------
    >>> import random
    >>> from evalkit import run_over_seeds
    >>> run_over_seeds(lambda seed: random.random(), [0, 1]).score.round(3).tolist()
    [0.844, 0.134]
    """
    if not callable(function):
        raise TypeError(f"function must be a function of a seed, got {function!r:.60}")
    seeds = _check_seeds(seeds)
    check_choice(on_error, "on_error", ("raise", "record"))
    rows, errors, names = [], [], None
    for seed in seeds:
        error = ""
        try:
            with seeded(seed):
                start = time.perf_counter()
                value = function(seed)
        except Exception as raised:
            if on_error == "raise":
                raise
            error, scores = f"{type(raised).__name__}: {raised}", {}
        seconds = time.perf_counter() - start
        if not error:
            scores = _named_scores(value)
            names = names or list(scores)
            if set(scores) != set(names):
                raise ValueError(f"function must return {', '.join(names)} for every seed, got {value!r:.60}")
        rows.append({"seed": seed, **scores, "seconds": round(seconds, 2)})
        errors.append(error)
    table = pd.DataFrame(rows, columns=["seed", *(names or ["score"]), "seconds"])
    return table.assign(error=errors) if on_error == "record" else table


@dataclasses.dataclass(frozen=True)
class FailureRate:
    """How often a system fails to train; `low, high = rate.interval`.

    Attributes
    ----------
    rate : float
    failures, n_runs : int
    interval : Interval
        Clopper-Pearson; what varies is the seeds.
    """

    rate: float
    failures: int
    n_runs: int
    interval: Interval

    def __str__(self):
        low, high = self.interval
        return f"{self.failures} of {self.n_runs:,} runs failed: {self.rate:.1%} ({low:.1%} to {high:.1%})"


def failure_rate(scores, threshold, *, minimize=False, nan_fails=False, confidence_level=0.95):
    """Compute the share of runs that failed, with its interval.

    Parameters
    ----------
    scores : array_like of float, shape (n,)
        One for each seed.
    threshold : float
        A run with a lower score has failed. Fix it before you look.
    minimize : bool, default False
        True for losses: a run with a higher score has failed.
    nan_fails : bool, default False
        True if NaN, as `run_over_seeds` records it, counts as a failure. NaN is refused otherwise.
    confidence_level : float, default 0.95

    Returns
    -------
    FailureRate

    Examples
    --------
    >>> from evalkit import failure_rate
    >>> print(failure_rate([1, 1, 0.5, 1, 1, 1, 0.75, 1, 1, 1], 1))
    2 of 10 runs failed: 20.0% (2.5% to 55.6%)
    """
    threshold = check_number(threshold, "threshold")
    minimize, nan_fails = check_bool(minimize, "minimize"), check_bool(nan_fails, "nan_fails")
    missing = False
    if nan_fails and getattr(np.asarray(scores, dtype=object), "ndim", 0) == 1:
        missing = np.array([isinstance(s, Real) and s != s for s in scores])
        scores = [threshold if nan else s for s, nan in zip(scores, missing, strict=True)]
    scores = check_scores(scores, "scores")
    failed = missing | (scores > threshold if minimize else scores < threshold)
    failures, n_runs = int(failed.sum()), len(scores)
    interval = proportion_interval(failures, n_runs, confidence_level=confidence_level)
    return FailureRate(failures / n_runs, failures, n_runs, interval)


@dataclasses.dataclass(frozen=True)
class VarianceComponents:
    """What two crossed sources of chance, and the rest, add to the variance of one run.

    Attributes
    ----------
    seed, split, rest : float
        Variances. An estimate may be negative; see `truncated`.
    n_seeds, n_splits : int
        How many levels each estimate rests on.
    """

    seed: float
    split: float
    rest: float
    n_seeds: int
    n_splits: int

    @property
    def truncated(self):
        """The same with 0 for a negative estimate: no longer unbiased, but a variance."""
        return dataclasses.replace(
            self, seed=max(self.seed, 0.0), split=max(self.split, 0.0), rest=max(self.rest, 0.0)
        )

    def of_mean(self, n_seeds, n_splits, n_runs):
        """Return the variance of a mean over runs that share seeds or splits evenly.

        Parameters
        ----------
        n_seeds, n_splits : int
            How many different ones the runs use.
        n_runs : int
            How many runs, no two with the same seed and split.

        Returns
        -------
        float
        """
        counts = {"n_seeds": n_seeds, "n_splits": n_splits, "n_runs": n_runs}
        n_seeds, n_splits, n_runs = (check_int(value, name) for name, value in counts.items())
        if not max(n_seeds, n_splits) <= n_runs <= n_seeds * n_splits:
            raise ValueError(
                f"n_runs must lie between {max(n_seeds, n_splits)} and {n_seeds * n_splits} for "
                f"{n_seeds} seeds and {n_splits} splits, got {n_runs}"
            )
        return self.seed / n_seeds + self.split / n_splits + self.rest / n_runs


def _levels(values, name, scores):
    try:
        codes, levels = pd.factorize(pd.Series(values))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be one-dimensional, a name or number for each run: {error}") from None
    check_same_length(scores, codes, "scores", name)
    if (codes < 0).any():
        raise ValueError(f"{name} must name a level for each run, but {(codes < 0).sum()} are missing")
    if len(levels) < 2:
        raise ValueError(f"{name} must hold at least two levels: one cannot vary")
    return codes, len(levels)


def variance_components(scores, seeds, splits):
    """Divide the variance of a run among seed, split and the rest.

    Parameters
    ----------
    scores : array_like of float, shape (n,)
        One run for each pair of a seed and a split, in any order.
    seeds, splits : array_like, shape (n,)
        The seed and the split of each run; or any two crossed factors, such as initialisation and
        data order.

    Returns
    -------
    VarianceComponents

    Notes
    -----
    The model is mean + seed effect + split effect + rest, all independent, the levels drawn at
    random. The estimates set the mean squares of the two-way table equal to their expectations:
    unbiased, and therefore negative now and then when a component is small. With one run a cell,
    what seed and split do only together is part of the rest. A component known from eight levels
    is known roughly.

    References
    ----------
    Searle, Casella and McCulloch (1992), Variance Components.

    Examples
    --------
    >>> from evalkit import variance_components
    >>> found = variance_components([1, 2, 3, 5, 6, 7], [0, 0, 0, 1, 1, 1], [0, 1, 2, 0, 1, 2])
    >>> round(found.seed, 12), round(found.split, 12), round(found.rest, 12)
    (8.0, 1.0, 0.0)
    """
    scores = check_scores(scores, "scores", min_size=4)
    (rows, n_seeds), (columns, n_splits) = _levels(seeds, "seeds", scores), _levels(splits, "splits", scores)
    table = np.full((n_seeds, n_splits), np.nan)
    table[rows, columns] = scores
    if len(scores) != table.size or np.isnan(table).any():
        raise ValueError(
            f"scores must hold one run for each of {n_seeds} seeds x {n_splits} splits = {table.size} "
            f"cells, got {len(scores)} runs in {np.count_nonzero(~np.isnan(table))} cells"
        )
    of_seed, of_split = table.mean(axis=1, keepdims=True), table.mean(axis=0, keepdims=True)
    residual = table - of_seed - of_split + table.mean()
    rest = float((residual**2).sum() / ((n_seeds - 1) * (n_splits - 1)))
    return VarianceComponents(
        seed=float(of_seed.var(ddof=1)) - rest / n_splits,
        split=float(of_split.var(ddof=1)) - rest / n_seeds,
        rest=rest,
        n_seeds=n_seeds,
        n_splits=n_splits,
    )


def seeds_needed(difference, sd, *, power=0.8, alpha=0.05, paired=False):
    """Compute how many seeds per system a t test needs to find a difference.

    Parameters
    ----------
    difference : float
        Of the true means; not 0. The smallest that would matter to you.
    sd : float
        The standard deviation over seeds of each system; if paired, that of the differences.
    power : float, default 0.8
        The probability of finding it; above `alpha`.
    alpha : float, default 0.05
        The level of the two-sided test.
    paired : bool, default False
        True if score i of both systems shares what varies: a split, or the items.

    Returns
    -------
    int
        At least 2.

    Notes
    -----
    Exact for normal scores with one standard deviation, by the noncentral t distribution.

    Examples
    --------
    >>> from evalkit import seeds_needed
    >>> seeds_needed(0.5, 1)
    64
    """
    effect = abs(check_number(difference, "difference"))
    sd = check_number(sd, "sd")
    power, alpha = check_level(power, "power"), check_level(alpha, "alpha")
    paired = check_bool(paired, "paired")
    if sd <= 0:
        raise ValueError(f"sd must be above 0, got {sd}: without scatter one seed is enough")
    if power <= alpha:
        raise ValueError(f"power must be above alpha ({alpha}), got {power}")
    effect /= sd
    if effect < 1e-3:
        raise ValueError(f"difference must be at least a thousandth of sd, got {difference} for sd = {sd}")

    def enough(n):
        df, shift = (n - 1, effect * n**0.5) if paired else (2 * n - 2, effect * (n / 2) ** 0.5)
        # The square of a noncentral t, for both sides at once: far on the wrong side SciPy's
        # noncentral t is NaN, where the chance is next to nothing.
        return stats.ncf.sf(stats.f.isf(alpha, 1, df), 1, df, shift**2) >= power

    low, high = 1, 2
    while not enough(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
