"""One dialect for all verdicts: a judge measures, and limits that stand as data turn it
into a word.

A judge is a function from what was recorded to `Evidence`: quantities with their
intervals, by name, and the sentence that holds them. Which end of which interval must
lie on which side of which limit stands in `data/published/limits.csv`, once for the
criterion as it was first written and once for each amendment, so that every verdict can
be read by the first rule as by the last. Nothing else decides; a judge that needs more
says why. Where the Monte Carlo error of an end could turn a word, more is drawn.
"""

import functools
import math
import operator
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy import stats

from evalkit.expected_maximum import boo
from evalkit.proportions import proportion_interval
from lab.data import DATA, DataError
from lab.data.sources import SourceError
from lab.papers.published import FIRST, claims, limits
from lab.record.tables import LACKING
from lab.samples import jackknife_ends, left_out

OUT_OF_REACH = "out of reach"
COPY = "cannot say from our copy"  # what a verdict needs is lost in the text at hand
# What it is called, by kind of claim, when a claim is confirmed, confirmed and yet
# smaller than it says, refuted, or neither.
WORDS = {
    "experiments": (
        "replicated",
        "replicated, smaller",
        "not replicated",
        "inconclusive",
    ),
    "itself": ("consistent", "consistent", "not consistent", "cannot say"),
    "advice": ("supported", "supported", "not supported", "cannot say"),
}

TAILS = (0.025, 0.975)
MOST_DRAWS = 16  # times as many as at first; what is still undecided then says so
_AT_ONCE = 250  # draws: their arrays still fit into a processor's cache


class MissingRunsError(LookupError):
    """The runs that would judge a claim are not recorded yet."""


# --------------------------------------------------------------------------------------
# Quantities
# --------------------------------------------------------------------------------------


@dataclass
class Quantity:
    """A number that was measured, with its 95 % interval.

    Attributes
    ----------
    estimate, low, high : float
        All three the same where the number is exact.
    """

    estimate: float
    low: float
    high: float

    @classmethod
    def exact(cls, value):
        """Return a number that has no interval: a count, a sum, True (1) or False (0).

        Parameters
        ----------
        value : float

        Returns
        -------
        Quantity
        """
        return cls(float(value), float(value), float(value))

    @classmethod
    def from_interval(cls, estimate, interval):
        """Return an estimate with an interval that evalkit computed.

        Parameters
        ----------
        estimate : float
        interval : evalkit.results.Interval

        Returns
        -------
        Quantity
        """
        return cls(float(estimate), float(interval.low), float(interval.high))

    def __format__(self, spec):
        """Write the estimate, and its interval in brackets."""
        return with_interval(self, spec)

    def settle(self, *limits):
        """Draw more where the draws could turn a verdict; nothing was drawn for this
        one.

        Parameters
        ----------
        *limits : float
        """


def with_interval(quantity, spec=".3g"):
    """Write an estimate, and its interval in brackets.

    Parameters
    ----------
    quantity : Quantity or Resampled
    spec : str
        How each number is formatted.

    Returns
    -------
    str
    """
    number = format(quantity.estimate, spec)
    if quantity.low == quantity.high:
        return number
    return f"{number} ({quantity.low:{spec}} to {quantity.high:{spec}})"


class Share(Quantity):
    """How often something was the case among random trials, with the interval of
    Clopper and Pearson.

    Parameters
    ----------
    cases, count : int
    confidence_level : float, default 0.95
        Higher where several shares are looked at together.
    """

    def __init__(self, cases, count, confidence_level=0.95):
        interval = proportion_interval(
            int(cases), int(count), confidence_level=confidence_level
        )
        super().__init__(cases / count, interval.low, interval.high)
        self._wider = proportion_interval(int(cases), int(count), confidence_level=0.99)
        self.count, self.undecided = int(count), False

    @property
    def error(self):
        """Half the length of the interval that holds the share 99 times in 100."""
        return (self._wider.high - self._wider.low) / 2

    def settle(self, *limits):
        """Note whether a limit lies where the share may lie: no trial can be added.

        Parameters
        ----------
        *limits : float
        """
        self.undecided = any(limit in self._wider for limit in limits)


@dataclass
class Drawn(Quantity):
    """What is recorded of an interval whose draws take too long to be drawn again.

    Attributes
    ----------
    count : int
        How many draws there were.
    share : float
        As `monte_carlo_share` returns it.
    undecided : bool
        Whether a limit lies within the error of an end.
    """

    count: int = 0
    share: float = 0.0
    undecided: bool = field(default=False, compare=False)

    def settle(self, *limits):
        """Note whether a limit lies within the error of an end.

        Parameters
        ----------
        *limits : float
        """
        error = self.share * (self.high - self.low)
        near = any(
            abs(end - limit) <= error
            for end in (self.low, self.high)
            for limit in limits
        )
        self.undecided = bool(error and near)


def end_range(values, tail):
    """Return between which values the end of endlessly many draws lies, 99 times in
    100.

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
    return np.ptp(values) > 0 and any(
        low <= limit <= high for low, high in ranges for limit in limits
    )


def monte_carlo_share(values):
    """Return the Monte Carlo error of the worse end, as a share of the length of the
    interval.

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
        # What is negative here is rounding: a covariance that is written with four
        # digits.
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
    """A statistic, and what it is on resampled data: the interval is that of
    percentiles.

    Parameters
    ----------
    statistic : callable
        From one array for each sample to a number.
    *samples : ndarray, shape (n_i, ...), or Measured
        Rows are drawn with replacement, each sample on its own; what was measured gets
        another error.
    draws : int, default 2000
    seed : int, default 2018
    estimate : float, optional
        The statistic of the samples themselves, where it is known better than from one
        call, which draws groups at random. What the groups of a draw add to its noise
        stays in the interval.

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
            estimate = statistic(
                *(s.values if isinstance(s, Measured) else s for s in samples)
            )
        self.estimate = float(estimate)
        self.values = np.empty(0)
        self._draw(draws)

    def _draw(self, count):
        drawn = [
            self._statistic(*map(self._redrawn, self._samples)) for _ in range(count)
        ]
        self.values = np.append(self.values, drawn)

    def _redrawn(self, sample):
        if isinstance(sample, Measured):
            return sample.redrawn(self._rng)
        return sample[self._rng.integers(len(sample), size=len(sample))]

    def __format__(self, spec):
        """Write the estimate, and its interval in brackets."""
        return with_interval(self, spec)

    @property
    def low(self):
        """The lower end of the 95 % interval."""
        return float(np.quantile(self.values, TAILS[0]))

    @property
    def high(self):
        """The upper end of the 95 % interval."""
        return float(np.quantile(self.values, TAILS[1]))

    def error(self, tail):
        """Return between which values the end of endlessly many draws lies, 99 times in
        100.

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
    def drew_more(self):
        """Whether more was drawn than at first."""
        return self.count > self._first

    @property
    def share(self):
        """The Monte Carlo error of the worse end, as a share of the length of the
        interval.
        """
        return monte_carlo_share(self.values)

    def settle(self, *limits):
        """Draw until no end of the interval is within its Monte Carlo error of a limit,
        or long enough.

        Parameters
        ----------
        *limits : float
        """
        while (
            near := near_a_limit(self.values, *limits)
        ) and self.count < MOST_DRAWS * self._first:
            self._draw(self.count)
        self.undecided |= near


class AtOnce(Resampled):
    """Resampled, by a statistic of many draws at once: NumPy then counts them all in a
    fraction of the time, and draws the same.

    Parameters
    ----------
    statistic : callable
        From one array for each sample, of which the first axis is the draws, to an
        array of numbers, shape (draws,).
    *samples, **how
        As `Resampled` takes them.
    """

    def __init__(self, statistic, *samples, **how):
        if "estimate" not in how:
            whole = (s.values if isinstance(s, Measured) else s for s in samples)
            (how["estimate"],) = statistic(*(sample[None] for sample in whole))
        super().__init__(statistic, *samples, **how)

    def _draw(self, count):
        for start in range(0, count, _AT_ONCE):
            draws = range(start, min(start + _AT_ONCE, count))
            drawn = [[*map(self._redrawn, self._samples)] for _ in draws]
            values = self._statistic(*map(np.array, zip(*drawn, strict=True)))
            self.values = np.append(self.values, values)


def pooled(ratios, of=None):
    """Return the geometric mean of ratios, with its interval.

    Parameters
    ----------
    ratios : dict of str to Quantity
    of : callable, optional
        From a name to the data that its ratio is of. The errors of ratios of the same
        data may depend on each other; by default each has data of its own.

    Returns
    -------
    Quantity
        On the scale of logarithms, the lengths of the intervals of independent ratios
        add up as variances, and of others at most as they are: as wide as any
        dependence can make it.
    """
    estimates, lows, highs = np.log(
        [(x.estimate, x.low, x.high) for x in ratios.values()]
    ).T
    halves = pd.Series((highs - lows) / 2, list(ratios))
    half = np.linalg.norm(halves.groupby(of or str).sum()) / len(halves)
    middle = estimates.mean()
    return Quantity(*np.exp(middle + half * np.array([0, -1, 1])).tolist())


def best_of(statistic, *pools, **budgets):
    """Measure a statistic of the best of n of some pools, by U, with the jackknife's
    interval over their runs.

    Parameters
    ----------
    statistic : callable
        From one array for each budget, as they are named, to an array.
    *pools : (array_like of float, array_like of float)
        Validation and test scores, shape (N,); higher is better. Several have the same
        settings, run by run.
    **budgets : (int, int)
        The place of a pool, and n, at most a fifth of it.

    Returns
    -------
    Quantity
    """
    whole = np.arange(len(pools[0][0]))[None]
    found = {
        name: left_out(*pools[place], whole, n) for name, (place, n) in budgets.items()
    }
    estimate, without = (
        statistic(**{name: part[i] for name, part in found.items()}) for i in (0, 1)
    )
    return Quantity(*map(float, (*estimate, *jackknife_ends(estimate[0], without[0]))))


def best_of_covers(statistic, *pools, samples=4000, **budgets):
    """Count how often the interval of `best_of` holds the truth, where runs are drawn
    from the pools.

    Parameters
    ----------
    statistic, *pools
        As `best_of` takes them.
    samples : int, default 4000
        As large as the pools, drawn with replacement.
    **budgets
        As `best_of` takes them.

    Returns
    -------
    held, samples : int
    """
    rng, size, held = np.random.default_rng(2018), len(pools[0][0]), 0
    truth = statistic(
        **{
            name: boo(*pools[place], n=n, estimator="v")
            for name, (place, n) in budgets.items()
        }
    )
    for _ in range(samples // _AT_ONCE):
        drawn = rng.integers(size, size=(_AT_ONCE, size))
        found = {
            name: left_out(*pools[place], drawn, n)
            for name, (place, n) in budgets.items()
        }
        estimate, without = (
            statistic(**{name: part[i] for name, part in found.items()}) for i in (0, 1)
        )
        low, high = jackknife_ends(estimate, without)
        held += np.count_nonzero((low <= truth) & (truth <= high))
    return int(held), samples // _AT_ONCE * _AT_ONCE


class Jackknifed(Quantity):
    """A statistic of few groups, with a t interval from leaving out each of them.

    It has as many degrees of freedom as there are groups less one: resampling five
    groups would give an interval that is much too narrow.

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
    error : float
        The standard error.
    """

    error: float

    def __init__(self, statistic, groups, *, variance=0.0, least=-np.inf):
        n = len(groups)
        estimate = float(statistic(groups))
        without = [statistic(groups[:i] + groups[i + 1 :]) for i in range(n)]
        self.error = float(np.sqrt((n - 1) * np.var(without) + variance))
        reach = stats.t.ppf(TAILS[1], n - 1) * self.error
        super().__init__(
            estimate, max(float(estimate - reach), least), float(estimate + reach)
        )


# --------------------------------------------------------------------------------------
# Rules
# --------------------------------------------------------------------------------------

_COMPARE = {"<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge}


def _holds(condition, quantity):
    end, sign, number = condition
    return bool(_COMPARE[sign](getattr(quantity, end), number))


def decide(rule, quantities):
    """Tell whether quantities confirm a claim, and whether they refute it.

    Parameters
    ----------
    rule : list of Limit
    quantities : dict of str to Quantity

    Returns
    -------
    confirmed : bool
        Everything that would confirm it is so, and there is something that would.
    refuted : bool
        Anything that would refute it is so.
    """
    pairs = []
    for limit in rule:
        meant = [quantity for name, quantity in quantities.items() if limit.fits(name)]
        if not meant:
            raise KeyError(
                f"no quantity is called {limit.name!r}; there are"
                f" {', '.join(quantities)}"
            )
        pairs += [(limit, quantity) for quantity in meant]
    for quantity in {id(quantity): quantity for _, quantity in pairs}.values():
        quantity.settle(
            *(n for limit, other in pairs if other is quantity for n in limit.numbers)
        )
    confirms = [_holds(limit.confirms, q) for limit, q in pairs if limit.confirms]
    refutes = [_holds(limit.refutes, q) for limit, q in pairs if limit.refutes]
    return bool(confirms) and all(confirms), any(refutes)


def _word(kind, confirmed, refuted):
    """Return the verdict on a claim of that kind."""
    yes, smaller, no, open_ = WORDS[kind]
    if confirmed:
        return smaller if refuted else yes
    return no if refuted else open_


# --------------------------------------------------------------------------------------
# Judges
# --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Evidence:
    """What a judge found.

    Attributes
    ----------
    data : str
        What it was judged on: "own run", "released data", "exact" or "printed figures".
    sentence : str or callable
        The evidence, with its numbers; a function that writes it where its quantities
        are drawn at random, for more may be drawn before it is asked.
    quantities : dict of str to Quantity
        What the limits are held against; those of the first rule too.
    analyses : dict of str to dict of str to Quantity
        Under the name of each other analysis that one could defend, the quantities that
        it changes; None for one that it has not.
    verdict : str
        Only where no rule of limits can say it: "out of reach", or a word with its
        reason in `why`.
    why : str
        Why a verdict needs more than limits.
    no_first : str
        Why the first rule cannot be computed; empty where it can.
    """

    data: str
    sentence: object
    quantities: dict = field(default_factory=dict)
    analyses: dict = field(default_factory=dict)
    verdict: str = ""
    why: str = ""
    no_first: str = ""


class Judges:
    """The judges of one paper, by the name of the claim, in the order in which they
    were added.

    Parameters
    ----------
    paper : str
        The name of the paper, which the ids of its claims begin with.
    """

    def __init__(self, paper):
        self.paper = paper
        self._judges = {}

    def __iter__(self):
        return iter(self._judges)

    def __getitem__(self, claim):
        return self._judges[claim]

    def judge(self, claim, *arguments):
        """Return a decorator that makes a function the judge of a claim.

        Parameters
        ----------
        claim : str
        *arguments : object
            What the judge takes after the record.

        Returns
        -------
        callable
        """

        def add(judge):
            if claim in self._judges:
                raise ValueError(f"claim {claim} of {self.paper} has a judge already")
            self._judges[claim] = lambda record: judge(record, *arguments)
            return judge

        return add

    def __or__(self, others):
        """Return these judges and then others of the same paper; no claim may have
        two.
        """
        joined = Judges(self.paper)
        for judges in (self, others):
            for claim, judge in judges._judges.items():
                joined.judge(claim)(judge)
        return joined

    def findings(self, record, data=DATA):
        """Ask every judge whose runs are there; one that lacks upstream data is named.

        Parameters
        ----------
        record : object
            Whatever the judges of this paper read.
        data : path-like, optional
            The folder with `published/`.

        Returns
        -------
        verdicts, analyses : pandas.DataFrame
            As `lab.scorecard` reads them: one row for each claim, and one for each
            quantity of each analysis of it. In `attrs`, which claims lack upstream
            data.

        Raises
        ------
        DataError
            If a claim that has a judge has no row in `claims.csv`, or no limits that a
            verdict needs.
        """
        known, rules = claims(data), limits(data)
        if unknown := [
            claim for name in self if (claim := f"{self.paper}/{name}") not in known
        ]:
            raise DataError(
                f"{data}/published/claims.csv must have a row for each claim with a"
                f" judge; add {', '.join(unknown)}"
            )
        verdicts, analyses, lacking = [], [], {}
        for name, judge in self._judges.items():
            claim = f"{self.paper}/{name}"
            try:
                evidence = judge(record)
            except MissingRunsError:
                continue
            except SourceError as error:
                lacking[claim] = str(error)
                continue
            try:
                verdict, lines = judged(known[claim], rules.get(claim, {}), evidence)
            except DataError as error:
                raise DataError(f"{claim}: {error}") from None
            verdicts.append({"id": claim, **verdict})
            analyses += [{"id": claim, **line} for line in lines]
        tables = (
            pd.DataFrame(verdicts, columns=["id", *FOUND]),
            pd.DataFrame(analyses, columns=["id", *ANALYSED]),
        )
        for table in tables:
            table.attrs[LACKING] = lacking
        return tables


# The columns of `verdicts.csv` and of `analyses.csv`, after the id.
FOUND = [
    "verdict",
    "data",
    "evidence",
    "monte_carlo",
    "intervals",
    "criterion",
    "first_verdict",
]
ANALYSED = ["analysis", "quantity", "estimate", "low", "high", "verdict"]
AS_JUDGED = "as judged"


def judged(claim, rules, evidence):
    """Hold evidence against the rules of its claim.

    Parameters
    ----------
    claim : lab.papers.published.Claim
    rules : dict of str to list of Limit
        As `lab.papers.published.limits` returns them of one claim.
    evidence : Evidence

    Returns
    -------
    verdict : dict
        The columns of `verdicts.csv` but the id.
    analyses : list of dict
        Those of `analyses.csv`: the analysis that judges, then the others.
    """
    rule = rules.get(claim.amended, [])
    if not rule and not evidence.verdict:
        rule = f"amended on {claim.amended}" if claim.amended else "first written"
        raise DataError(
            f"no limits are written by the rule {rule}; add them to"
            " published/limits.csv"
        )
    changes = {AS_JUDGED: {}, **evidence.analyses} if rule else {}
    asked = {
        name: (
            rules.get(name, rule),
            {k: q for k, q in (evidence.quantities | new).items() if q is not None},
        )
        for name, new in changes.items()
    }
    first_asked = None if evidence.no_first else rules.get(FIRST)
    # All limits are held against their quantities once before any counts, for one may
    # ask for more draws.
    for held, quantities in [*asked.values(), (first_asked or [], evidence.quantities)]:
        decide(held, quantities)

    def by(rule, quantities):
        return _word(claim.kind, *decide(rule, quantities))

    word = evidence.verdict or by(rule, evidence.quantities)
    first = evidence.verdict or word
    if claim.amended:
        first = by(first_asked, evidence.quantities) if first_asked else ""
    answers = {name: by(*pair) for name, pair in asked.items()}
    no_first = f"By the first rule: {evidence.no_first}" if evidence.no_first else ""
    meant = [
        q
        for name, q in evidence.quantities.items()
        if any(limit.fits(name) for limit in rule)
    ]
    return {
        "verdict": COPY if claim.copy else OUT_OF_REACH if claim.lacks else word,
        "data": evidence.data,
        "evidence": " ".join(
            filter(None, [_sentence(evidence), evidence.why, no_first])
        ),
        "monte_carlo": _monte_carlo(meant),
        "intervals": sum(quantity.low < quantity.high for quantity in meant),
        "criterion": claim.amended,
        "first_verdict": first,
    }, list(_lines(asked, answers))


def _lines(asked, answers):
    """Yield a line for each quantity that each analysis holds against a limit."""
    for name, (held, quantities) in asked.items():
        for key, quantity in quantities.items():
            if any(limit.fits(key) for limit in held):
                ends = {
                    end: _digits(getattr(quantity, end))
                    for end in ("estimate", "low", "high")
                }
                yield {
                    "analysis": name,
                    "quantity": key,
                    **ends,
                    "verdict": answers[name],
                }


def _sentence(evidence):
    """Return the evidence in words, with the draws as they are now."""
    if callable(evidence.sentence):
        return evidence.sentence()
    if any(
        isinstance(q, Resampled) and q.drew_more for q in evidence.quantities.values()
    ):
        raise ValueError(
            "more was drawn since this was written, make it a function:"
            f" {evidence.sentence!r}"
        )
    return evidence.sentence


def _digits(value):
    """Return a number as it is recorded: ten digits; more are the noise of a
    machine.
    """
    return float(f"{value:.10g}") if math.isfinite(value) else value


def _monte_carlo(quantities):
    """Say what was drawn, and how well that is known; empty if nothing was drawn."""
    shares = [q for q in quantities if isinstance(q, Share)]
    drawn = [q for q in quantities if isinstance(q, Resampled | Drawn)]
    sentences = []
    if drawn:
        largest = max(q.share for q in drawn)
        sentences.append(
            f"{_range(drawn)} draws; an end is known to {largest:.0%} of the interval's"
            " length"
        )
    if shares:
        largest = max(q.error for q in shares)
        sentences.append(
            f"{_range(shares)} trials; a share is known to {100 * largest:.1f} points"
        )
    if undecided := sum(q.undecided for q in [*drawn, *shares]):
        sentences[-1] += (
            f", and in {undecided} of {len(drawn) + len(shares)} the limit lies that"
            " near"
        )
    return "; ".join(sentences)


def _range(drawn):
    counts = sorted({q.count for q in drawn})
    return f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"
