"""One dialect for all verdicts: findings, judges, and the rules that several papers share.

A judge is a function from what was recorded to a `Finding`; `Judges` keeps those of one paper under
the names of its claims. The rules turn intervals into words, and no rule says more than its interval:
where the Monte Carlo error of an end could turn the word, `Resampled` draws more before it answers.
"""

import functools
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

from evalkit.proportions import proportion_interval
from evalkit.recorded import LACKING
from evalkit.sources import SourceError

REPLICATED, NOT_REPLICATED, INCONCLUSIVE = "replicated", "not replicated", "inconclusive"
SMALLER = "replicated, smaller"
OUT_OF_REACH = "out of reach"

TAILS = (0.025, 0.975)
MOST_DRAWS = 16  # times as many as at first; what is still undecided then says so


class MissingRunsError(LookupError):
    """The runs that would judge a claim are not recorded yet."""


@dataclass(frozen=True)
class Finding:
    """What was found for a claim.

    Attributes
    ----------
    verdict : str
        One of `evalkit.scorecard.CLAIM_VERDICTS`.
    data : str
        One of `evalkit.scorecard.JUDGED_ON`.
    evidence : str
        A sentence with the numbers.
    draws : tuple of Resampled, Draws or Trials
        What was drawn for it; none where nothing was.
    intervals : int, optional
        How many intervals were held against a limit; by default as many as there are draws.
    """

    verdict: str
    data: str
    evidence: str
    draws: tuple = ()
    intervals: int | None = None

    @property
    def monte_carlo(self):
        """The draws behind the verdict and the error of their ends, in words; empty if nothing was drawn."""
        if not self.draws:
            return ""
        trials = [drawn for drawn in self.draws if isinstance(drawn, Trials)]
        resampled = [drawn for drawn in self.draws if not isinstance(drawn, Trials)]
        sentences = []
        if resampled:
            largest = max(drawn.share for drawn in resampled)
            sentences.append(
                f"{_range(resampled)} draws; an end is known to {largest:.0%} of the interval's length"
            )
        if trials:
            largest = max(drawn.error for drawn in trials)
            sentences.append(f"{_range(trials)} trials; a share is known to {100 * largest:.1f} points")
        words = "; ".join(sentences)
        if undecided := sum(drawn.undecided for drawn in self.draws):
            words += f", and in {undecided} of {len(self.draws)} comparisons the limit lies that near"
        return words


def _range(draws):
    counts = sorted({drawn.count for drawn in draws})
    return f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"


class Judges:
    """The judges of one paper, by the name of the claim, in the order in which they were added.

    Parameters
    ----------
    paper : str
        The name of the paper, which the ids of its claims begin with.
    """

    def __init__(self, paper):
        self.paper = paper
        self._judges, self._criteria = {}, {}

    def __iter__(self):
        return iter(self._judges)

    def __getitem__(self, claim):
        return self._judges[claim]

    def judge(self, claim, *arguments, criterion=""):
        """Return a decorator that makes a function the judge of a claim.

        Parameters
        ----------
        claim : str
        *arguments : object
            What the judge takes after the record.
        criterion : str, optional
            The date of the amendment that it follows; by default the criterion as it was first written.

        Returns
        -------
        callable
        """

        def add(judge):
            if claim in self._judges:
                raise ValueError(f"claim {claim} of {self.paper} has a judge already")
            self._judges[claim] = lambda record: judge(record, *arguments)
            self._criteria[claim] = criterion
            return judge

        return add

    def __or__(self, others):
        """Return these judges and then others of the same paper; no claim may have two."""
        joined = Judges(self.paper)
        for judges in (self, others):
            for claim, judge in judges._judges.items():
                joined.judge(claim, criterion=judges._criteria[claim])(judge)
        return joined

    def findings(self, record):
        """Ask every judge whose runs are there; one that lacks upstream data is named.

        Parameters
        ----------
        record : object
            Whatever the judges of this paper read.

        Returns
        -------
        pandas.DataFrame
            Columns `id`, `verdict`, `data`, `evidence`, `monte_carlo`, `intervals` and `criterion`; in
            `attrs`, which claims lack upstream data.
        """
        lines, lacking = [], {}
        for claim, judge in self._judges.items():
            try:
                found = judge(record)
            except MissingRunsError:
                continue
            except SourceError as error:
                lacking[f"{self.paper}/{claim}"] = str(error)
                continue
            intervals = len(found.draws) if found.intervals is None else found.intervals
            lines.append(
                (
                    f"{self.paper}/{claim}",
                    found.verdict,
                    found.data,
                    found.evidence,
                    found.monte_carlo,
                    intervals,
                    self._criteria[claim],
                )
            )
        columns = ["id", "verdict", "data", "evidence", "monte_carlo", "intervals", "criterion"]
        table = pd.DataFrame(lines, columns=columns)
        table.attrs[LACKING] = lacking
        return table


# ---------------------------------------------------------------------------------------------
# Rules
# ---------------------------------------------------------------------------------------------


def held(holds):
    """Return the verdict on a statement that holds or does not.

    Parameters
    ----------
    holds : bool

    Returns
    -------
    {"replicated", "not replicated"}
    """
    return REPLICATED if holds else NOT_REPLICATED


def either(confirmed, refuted):
    """Return the verdict where one condition confirms a claim and another refutes it.

    Parameters
    ----------
    confirmed, refuted : bool

    Returns
    -------
    {"replicated", "not replicated", "inconclusive"}
        "inconclusive" where neither condition holds.
    """
    return REPLICATED if confirmed else NOT_REPLICATED if refuted else INCONCLUSIVE


def sized(confirmed, refuted):
    """Return the verdict where an effect may be there and yet smaller than is claimed.

    Parameters
    ----------
    confirmed, refuted : bool
        Whether an interval excludes that there is no effect, and whether one excludes an effect as large.

    Returns
    -------
    {"replicated", "replicated, smaller", "not replicated", "inconclusive"}
    """
    return SMALLER if confirmed and refuted else either(confirmed, refuted)


def beyond(low, high, limit, *, above=True):
    """Return the verdict on "above a limit", or below it, from an interval.

    Parameters
    ----------
    low, high : float
    limit : float
    above : bool, default True

    Returns
    -------
    {"replicated", "not replicated", "inconclusive"}
        "inconclusive" where the limit lies within the interval.
    """
    return either(low > limit, high < limit) if above else either(high < limit, low > limit)


def as_large(low, high, size, *, none=0):
    """Return the verdict on an effect that is claimed to be larger than some size, from an interval.

    Parameters
    ----------
    low, high : float
        Of the effect.
    size : float
    none : float, default 0
        What it would be without an effect; below the size.

    Returns
    -------
    {"replicated", "replicated, smaller", "not replicated", "inconclusive"}
        "replicated, smaller" where the interval excludes both the size and that there is no effect.
    """
    verdict = beyond(low, high, size)
    return SMALLER if verdict == NOT_REPLICATED and low > none else verdict


def everywhere(verdicts):
    """Return the verdict on a claim that must hold everywhere.

    Parameters
    ----------
    verdicts : list of str

    Returns
    -------
    {"replicated", "replicated, smaller", "not replicated", "inconclusive"}
        The worst of them.
    """
    for verdict in (NOT_REPLICATED, INCONCLUSIVE, SMALLER):
        if verdict in verdicts:
            return verdict
    return REPLICATED


def end_range(values, tail):
    """Return between which values the end of endlessly many draws lies, 99 times in 100.

    Parameters
    ----------
    values : ndarray of float, shape (draws,)
        A statistic on resampled data.
    tail : float
        0.025 or 0.975.

    Returns
    -------
    ndarray of float, shape (2,)
        By order statistics: the rank of a quantile is binomial.
    """
    reach = 2.576 * np.sqrt(tail * (1 - tail) / len(values))
    return np.quantile(values, np.clip([tail - reach, tail + reach], 0, 1))


def near_a_limit(values, *limits):
    """Tell whether a limit lies where the end of endlessly many draws may lie.

    Parameters
    ----------
    values : ndarray of float, shape (draws,)
    *limits : float

    Returns
    -------
    bool
    """
    ranges = [end_range(values, tail) for tail in TAILS]
    # What never varies is known, on the limit too.
    return np.ptp(values) > 0 and any(low <= limit <= high for low, high in ranges for limit in limits)


def monte_carlo_share(values):
    """Return the Monte Carlo error of the worse end, as a share of the length of the interval.

    Parameters
    ----------
    values : ndarray of float, shape (draws,)

    Returns
    -------
    float
    """
    length = np.subtract(*np.quantile(values, TAILS[::-1]))
    errors = [np.ptp(end_range(values, tail)) / 2 for tail in TAILS]
    return float(max(errors) / length) if length else 0.0


@dataclass(frozen=True)
class Draws:
    """What is recorded of draws that take too long to be drawn again.

    Attributes
    ----------
    count : int
    share : float
        As `monte_carlo_share` returns it.
    undecided : bool
        Whether a limit lies within the error of an end.
    """

    count: int
    share: float
    undecided: bool


@dataclass(frozen=True)
class Trials:
    """How often something was the case among random trials.

    Attributes
    ----------
    count : int
    cases : int
    limits : tuple of float
        Shares that a verdict turns at.
    """

    count: int
    cases: int
    limits: tuple = ()

    @property
    def error(self):
        """Half the length of the interval, by Clopper and Pearson, that holds the share 99 times in 100."""
        return (self._interval.high - self._interval.low) / 2

    @property
    def undecided(self):
        """Whether a limit lies in that interval."""
        return any(limit in self._interval for limit in self.limits)

    @property
    def _interval(self):
        return proportion_interval(self.cases, self.count, confidence_level=0.99)


@dataclass(frozen=True, eq=False)
class Measured:
    """Values that were measured with an error, of which the covariance is known.

    Attributes
    ----------
    values : ndarray of float, shape (n,)
    covariance : ndarray of float, shape (n, n)
    """

    values: np.ndarray
    covariance: np.ndarray

    def __rmatmul__(self, matrix):
        return Measured(matrix @ self.values, matrix @ self.covariance @ matrix.T)

    # NumPy would otherwise take the product apart by itself.
    __array_ufunc__ = None

    @functools.cached_property
    def _root(self):
        # What is negative here is rounding: a covariance that is written with four digits.
        values, vectors = np.linalg.eigh(self.covariance)
        return vectors * np.sqrt(np.maximum(values, 0))

    def redrawn(self, rng):
        """Return the values with another error: a normal one of that covariance.

        Parameters
        ----------
        rng : numpy.random.Generator

        Returns
        -------
        ndarray of float, shape (n,)
        """
        return self.values + self._root @ rng.standard_normal(len(self.values))


class Resampled:
    """A statistic, and what it is on resampled data: the interval is that of percentiles.

    Parameters
    ----------
    statistic : callable
        From one array for each sample to a number.
    *samples : ndarray, shape (n_i, ...), or Measured
        Rows are drawn with replacement, each sample on its own; what was measured gets another error.
    draws : int, default 2000
    seed : int, default 2018
    estimate : float, optional
        The statistic of the samples themselves, where it is known better than from one call, which draws
        groups at random. What the groups of a draw add to its noise stays in the interval.

    Attributes
    ----------
    estimate : float
        The statistic of the samples themselves.
    values : ndarray of float, shape (draws,)
    undecided : bool
        Whether a limit lies within the error of an end, when no more was drawn.
    """

    def __init__(self, statistic, *samples, draws=2000, seed=2018, estimate=None):
        self._statistic, self._samples = statistic, samples
        self._rng = np.random.default_rng(seed)
        self._first = draws
        self.undecided = False
        if estimate is None:
            estimate = statistic(*(s.values if isinstance(s, Measured) else s for s in samples))
        self.estimate = float(estimate)
        self.values = np.empty(0)
        self._draw(draws)

    def _draw(self, count):
        drawn = [self._statistic(*map(self._redrawn, self._samples)) for _ in range(count)]
        self.values = np.append(self.values, drawn)

    def _redrawn(self, sample):
        if isinstance(sample, Measured):
            return sample.redrawn(self._rng)
        return sample[self._rng.integers(len(sample), size=len(sample))]

    def __iter__(self):
        return iter((self.estimate, self.low, self.high))

    @property
    def low(self):
        """The lower end of the 95 % interval."""
        return float(np.quantile(self.values, TAILS[0]))

    @property
    def high(self):
        """The upper end of the 95 % interval."""
        return float(np.quantile(self.values, TAILS[1]))

    def error(self, tail):
        """Return between which values the end of endlessly many draws lies, 99 times in 100.

        Parameters
        ----------
        tail : float
            0.025 or 0.975.

        Returns
        -------
        low, high : float
        """
        return tuple(end_range(self.values, tail))

    @property
    def count(self):
        """How many draws there were."""
        return len(self.values)

    @property
    def share(self):
        """The Monte Carlo error of the worse end, as a share of the length of the interval."""
        return monte_carlo_share(self.values)

    def beyond(self, limit, *, above=True):
        """Return the verdict on "above a limit", or below it; draw more where the draws could turn it.

        Parameters
        ----------
        limit : float
        above : bool, default True

        Returns
        -------
        {"replicated", "not replicated", "inconclusive"}
        """
        self.settle(limit)
        return beyond(self.low, self.high, limit, above=above)

    def settle(self, *limits):
        """Draw until no end of the interval is within its Monte Carlo error of a limit, or long enough.

        Parameters
        ----------
        *limits : float
        """
        while (near := near_a_limit(self.values, *limits)) and self.count < MOST_DRAWS * self._first:
            self._draw(self.count)
        self.undecided |= near


class Jackknifed:
    """A statistic of few groups, with a t interval from leaving out each of them.

    Parameters
    ----------
    statistic : callable
        From a list of groups to a number.
    groups : list
        Of whatever the statistic takes.
    variance : float, default 0.0
        Of an error that all groups share, which leaving one out does not show.
    least : float, optional
        What the statistic cannot fall below, nor its interval.

    Attributes
    ----------
    estimate, low, high : float
        The statistic of all groups, and the ends of its 95 % interval, t with as many degrees of freedom as
        there are groups less one: resampling five groups would give one that is much too narrow.
    error : float
        The standard error.
    """

    def __init__(self, statistic, groups, *, variance=0.0, least=-np.inf):
        n = len(groups)
        self.estimate = float(statistic(groups))
        without = [statistic(groups[:i] + groups[i + 1 :]) for i in range(n)]
        self.error = float(np.sqrt((n - 1) * np.var(without) + variance))
        reach = stats.t.ppf(TAILS[1], n - 1) * self.error
        self.low, self.high = max(float(self.estimate - reach), least), float(self.estimate + reach)
