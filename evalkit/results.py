"""What the statistics return: small frozen objects that print well and unpack.

What `print` shows is for readers, with the minus sign and the percentages of the book;
to copy a number into code, take the attribute or the `repr`, which are plain ASCII.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy import special

from evalkit._checks import check_int
from evalkit._numbers import count, number, percent, places, typeset
from evalkit._numbers import pvalue as write_p
from evalkit._score import score, score_ends, separate_ends, separate_score
from evalkit._shown import _about, _level, _shares, _with_level
from evalkit._ties import ratio
from evalkit._trials import TRIAL_COLUMNS, Trials  # noqa: F401

# Of a split, in the order in which they are used.
PARTS = ("train", "dev", "test")
Trials.__module__ = __name__  # where readers find it


@dataclass(frozen=True)
class Interval:
    """A confidence interval; `low, high = interval` unpacks it.

    Attributes
    ----------
    low, high : float
    confidence_level : float
    method : str
        How it was made, and of what.
    effective_groups : float or None
        Where items come in groups: how many groups of equal size would do as well as
        these.
    """

    low: float
    high: float
    confidence_level: float
    method: str
    effective_groups: float | None = None

    def __iter__(self):
        return iter((self.low, self.high))

    def __contains__(self, value):
        return bool(self.low <= value <= self.high)

    def __str__(self):
        return self._written(places(self))

    def _written(self, digits):
        spread = "" if self.low < self.high else "; no spread was seen"
        spec = f".{digits}f" if self.low < self.high else ".10g"
        low, high = (number(end, spec) for end in self)
        return (
            f"[{low}, {high}] ({_level(self.confidence_level)}, {self.method}{spread})"
        )

    @property
    def width(self):
        """The length of the interval."""
        return self.high - self.low


@dataclass(frozen=True, kw_only=True)
class Difference(Interval):
    """The difference of two systems: an interval and a test, both by Student's t.

    `low, high = difference` unpacks it.

    Attributes
    ----------
    difference : float
        A minus B.
    se : float
        Its standard error.
    df : float
        Degrees of freedom; Satterthwaite's where the variance has several parts.
    """

    difference: float
    se: float
    df: float

    @classmethod
    def from_parts(cls, difference, parts, level, method, **more):
        """Make one from the parts of its variance.

        Parameters
        ----------
        difference : float
        parts : sequence of (float, float)
            For each part of the variance of the difference its estimate, with a minus
            sign if it is taken off, and the degrees of freedom of that; infinitely
            many where it is known.
        level : float
        method : str
        **more
            Other attributes.

        Returns
        -------
        Difference
        """
        variance = sum(part for part, _ in parts)
        squares = sum(part**2 / df for part, df in parts)
        df = variance**2 / squares if squares else float(sum(df for _, df in parts))
        se = math.sqrt(variance)
        half = -float(special.stdtrit(df, (1 - level) / 2)) * se if se else 0.0
        return cls(
            low=float(difference) - half,
            high=float(difference) + half,
            confidence_level=level,
            method=method,
            difference=float(difference),
            se=se,
            df=float(df),
            **more,
        )

    @property
    def statistic(self):
        """The difference in standard errors."""
        return ratio(self.difference, self.se)

    @property
    def pvalue(self):
        """The two-sided p-value of no difference."""
        return float(2 * special.stdtr(self.df, -abs(self.statistic)))

    def one_sided(self, low, high, *, cautious=True):
        """Test that the difference is above `low`, and that it is below `high`.

        Parameters
        ----------
        low, high : float
        cautious : bool, default True
            Whether to keep the level of counts, which Student's t has not.

        Returns
        -------
        below, above : float
            The p-values of the hypotheses that it is `low` or less, and `high` or more.
        """
        steps = self.difference - low, high - self.difference
        below, above = (special.stdtr(self.df, -ratio(x, self.se)) for x in steps)
        return float(below), float(above)

    def at(self, level):
        """Return the interval of another level that agrees with the tests of
        `one_sided`.

        Parameters
        ----------
        level : float

        Returns
        -------
        Interval
        """
        half = -float(special.stdtrit(self.df, (1 - level) / 2)) * self.se
        ends = self.difference - half, self.difference + half
        return Interval(*ends, level, self.method, self.effective_groups)

    def __str__(self):
        digits = places(self, self.difference)
        about = _about(self.pvalue, self.confidence_level)
        shown = number(self.difference, f"+.{digits}f")
        return f"{shown} {self._written(digits)}, {about}"


@dataclass(frozen=True, kw_only=True)
class PairedProportions(Difference):
    """The difference of two shares of the same items, by Tango's score instead of
    Student's t.

    Attributes
    ----------
    n10, n01 : float
        Items on which A alone is right, and B alone. Where items are not independent,
        come in several answers or are graded, the counts of independent items that
        would say as much.
    n_items : float
        All items, counted in the same way.
    unit : float
        By how much A and B differ on one of these items: 1 for right and wrong.
    """

    n10: float
    n01: float
    n_items: float
    unit: float = 1.0

    @classmethod
    def from_counts(cls, n10, n01, n_items, level, method, *, unit=1.0, **more):
        """Make one from counts, which need not be whole.

        Parameters
        ----------
        n10, n01, n_items : float
        level : float
        method : str
        unit : float, default 1.0
        **more
            `se` and `df`, and other attributes.

        Returns
        -------
        PairedProportions
        """
        counts = {
            "n10": float(n10),
            "n01": float(n01),
            "n_items": float(n_items),
            "unit": float(unit),
        }
        ends = (
            float(unit * end)
            for end in score_ends((n10, n01, n_items), (1 - level) / 2)
        )
        difference = float(unit * (n10 - n01) / n_items)
        return cls(*ends, level, method, difference=difference, **counts, **more)

    @property
    def statistic(self):
        """The score of no difference: in its square McNemar's chi-squared."""
        return score((self.n10, self.n01, self.n_items), 0.0)

    @property
    def pvalue(self):
        """The two-sided p-value of no difference."""
        return float(2 * special.ndtr(-abs(self.statistic)))

    def one_sided(self, low, high, *, cautious=True):
        """Test as `Difference.one_sided` does; cautious is corrected for continuity.

        Parameters
        ----------
        low, high : float
        cautious : bool, default True

        Returns
        -------
        below, above : float
        """
        counts, half = (self.n10, self.n01, self.n_items), 0.5 if cautious else 0.0
        below = special.ndtr(-score(counts, low / self.unit, -half))
        above = special.ndtr(score(counts, high / self.unit, half))
        return float(below), float(above)

    def at(self, level):
        """Return the interval of another level that agrees with the tests of
        `one_sided`.

        Parameters
        ----------
        level : float

        Returns
        -------
        Interval
        """
        low, high = score_ends((self.n10, self.n01, self.n_items), (1 - level) / 2, 0.5)
        ends = float(self.unit * low), float(self.unit * high)
        return Interval(
            *ends, level, f"{self.method}, corrected", self.effective_groups
        )


@dataclass(frozen=True, kw_only=True)
class SeparateProportions(Difference):
    """The difference of two shares of separate items, by Newcombe's score instead of
    Student's t.

    Attributes
    ----------
    counts : tuple of int
        The successes and the trials of A, then those of B.
    """

    counts: tuple

    @property
    def statistic(self):
        """The z at which an end of the interval is 0."""
        return separate_score(self.counts, 0.0)

    @property
    def pvalue(self):
        """The two-sided p-value of no difference: 1 minus the level at which an end of
        the interval is 0.
        """
        return float(2 * special.ndtr(-abs(self.statistic)))

    def one_sided(self, low, high, *, cautious=True):
        """Test as `Difference.one_sided` does, by the ends of the interval.

        Parameters
        ----------
        low, high : float
        cautious : bool, default True
            Has no effect.

        Returns
        -------
        below, above : float
        """
        below = special.ndtr(-separate_score(self.counts, low))
        above = special.ndtr(separate_score(self.counts, high))
        return float(below), float(above)

    def at(self, level):
        """Return the interval of another level.

        Parameters
        ----------
        level : float

        Returns
        -------
        Interval
        """
        ends = separate_ends(self.counts, -float(special.ndtri((1 - level) / 2)))
        return Interval(*ends, level, self.method)


@dataclass(frozen=True)
class Equivalence:
    """Whether two systems are as good as each other, up to a margin.

    Attributes
    ----------
    equivalent : bool
        Whether it is shown: `interval` lies inside the margin, or on the side that was
        asked about does not reach it.
    margin : float
    interval : Interval
        Of the difference, at the level 1 - 2 alpha.
    pvalue : float
        Of the two one-sided tests, or the one; at most alpha where `equivalent`.
    better, same, worse : float
        The chances that A is better by more than the margin, within it, or worse by
        more.
    alternative : {"two-sided", "greater", "less"}
        What was to be shown: that they are equivalent, that A is not lower by more
        than the margin, or that it is not higher.
    """

    equivalent: bool
    margin: float
    interval: Interval
    pvalue: float
    better: float
    same: float
    worse: float
    alternative: str = "two-sided"

    def __str__(self):
        shown = {
            "two-sided": ("not shown to be equivalent up to", "equivalent up to"),
            "greater": ("may be lower by more than", "not lower by more than"),
            "less": ("may be higher by more than", "not higher by more than"),
        }[self.alternative][self.equivalent]
        alpha = (1 - self.interval.confidence_level) / 2
        return (
            f"{shown} {self.margin:g}: {self.interval}, "
            f"{_about(self.pvalue, 1 - alpha)}; better {percent(self.better)}, "
            f"same {percent(self.same)}, worse {percent(self.worse)}"
        )


@dataclass(frozen=True, eq=False)  # arrays have no single truth value to compare by
class Band:
    """A confidence band over budgets; `low, high = band` unpacks it.

    Attributes
    ----------
    n : ndarray of int, shape (m,)
        The budgets.
    low, high : ndarray of float, shape (m,)
    confidence_level : float
    method : str
        How it was made, and of what.
    simultaneous : bool
        True if all budgets are covered at once with the confidence level; False if each
        is covered on its own.
    """

    n: np.ndarray
    low: np.ndarray
    high: np.ndarray
    confidence_level: float
    method: str
    simultaneous: bool

    def __iter__(self):
        return iter((self.low, self.high))

    def __str__(self):
        kind = "all n at once" if self.simultaneous else "each n alone"
        return (
            f"band over n = {self.n.min()}..{self.n.max()} "
            f"({_level(self.confidence_level)}, {kind}, {self.method})"
        )

    @property
    def width(self):
        """The length of the band at each budget."""
        return self.high - self.low


@dataclass(frozen=True)
class Significance:
    """What a test found; `statistic, pvalue = result` unpacks it.

    Attributes
    ----------
    statistic : float
    pvalue : float
    test : str
        Which test, in which form.
    alternative : str or None
        "two-sided"; "greater" if the question was whether A is better; "less". None for
        a test that has no sides, such as Friedman's.
    df : int or None
        Degrees of freedom, of a test that has them.
    n_zero : int or None
        How many pairs did not differ, for a test that treats them specially.
    """

    statistic: float
    pvalue: float
    test: str
    alternative: str | None = "two-sided"
    df: int | None = None
    n_zero: int | None = None

    def __iter__(self):
        return iter((self.statistic, self.pvalue))

    def __str__(self):
        name = f"{self.test}, {self.alternative}" if self.alternative else self.test
        text = (
            f"{name}: statistic {number(self.statistic, '.4g')}, {write_p(self.pvalue)}"
        )
        df = f"{self.df:.4g}" if isinstance(self.df, float) else self.df
        text += "" if df is None else f", df = {df}"
        return text + (f", {self.n_zero} equal" if self.n_zero else "")


@dataclass(frozen=True)
class Contingency:
    """How often two models are right and wrong together; unpacks into its four counts.

    Attributes
    ----------
    n11, n10, n01, n00 : int
        Items where both are right; A right and B wrong; A wrong and B right; both
        wrong.
    """

    n11: int
    n10: int
    n01: int
    n00: int

    def __iter__(self):
        return iter((self.n11, self.n10, self.n01, self.n00))

    def __str__(self):
        width = max(7, *(len(f"{cell:,}") for cell in self))
        rows = [
            ("", "B right", "B wrong"),
            ("A right", f"{self.n11:,}", f"{self.n10:,}"),
            ("A wrong", f"{self.n01:,}", f"{self.n00:,}"),
        ]
        return "\n".join(
            f"{name:<7}  {left:>{width}}  {right:>{width}}"
            for name, left, right in rows
        )

    @property
    def difference(self):
        """The accuracy of A minus that of B."""
        return (self.n10 - self.n01) / sum(self)


@dataclass(frozen=True)
class PValueRange:
    """Between which p-values a test must lie whose data are known in part; `low, high =
    result` unpacks it.

    Attributes
    ----------
    low, high : float
    counts_low, counts_high : tuple of int
        The (n10, n01) that give them.
    """

    low: float
    high: float
    counts_low: tuple
    counts_high: tuple

    def __iter__(self):
        return iter((self.low, self.high))

    def __str__(self):
        return (
            f"p from {self.low:.3g} (n10, n01 = {self.counts_low}) to {self.high:.3g}"
            f" {self.counts_high}"
        )


@dataclass(frozen=True, eq=False)  # tables have no single truth value to compare by
class Comparison:
    """Several systems on several data sets.

    Attributes
    ----------
    friedman : Significance
        Whether the systems differ at all.
    mean_ranks : pandas.Series
        Per system, 1 is the best.
    pairs : pandas.DataFrame
        Per pair of systems, or per system with the control: the mean `difference`,
        above 0 where `a` is better, on how many data sets `a` `wins` and `loses`,
        Wilcoxon's `pvalue` and that `adjusted` by Holm.
    n_datasets : int
        How many data sets were compared.
    dropped : tuple
        The data sets that were left out, for a score was missing.
    """

    friedman: Significance
    mean_ranks: pd.Series
    pairs: pd.DataFrame
    n_datasets: int
    dropped: tuple = ()

    def __str__(self):
        ordered = self.mean_ranks.sort_values(kind="stable")
        ranks = ", ".join(f"{name} {rank:.2f}" for name, rank in ordered.items())
        out = f", without {', '.join(map(str, self.dropped))}" if self.dropped else ""
        pairs = self.pairs.to_string(float_format=lambda value: number(value, ".4f"))
        return (
            f"{self.n_datasets} data sets{out}; {self.friedman}\nmean ranks:"
            f" {ranks}\n{pairs}"
        )


@dataclass(frozen=True)
class Power:
    """How often a test rejected in a simulation.

    Attributes
    ----------
    rate : float
    interval : Interval
        Clopper-Pearson interval of `rate`.
    n_simulations : int
    alpha : float
        The level at which it was to reject.
    """

    rate: float
    interval: Interval
    n_simulations: int
    alpha: float

    def __str__(self):
        return (
            f"{percent(self.rate, 1)} of {self.n_simulations:,} simulations reject at"
            f" {self.alpha:g} ({_with_level(self.interval)})"
        )


@dataclass(frozen=True, eq=False)  # arrays have no single truth value to compare by
class SpendingBounds:
    """How far out a result must be at each look for all looks to err as often as one.

    Attributes
    ----------
    fractions : ndarray of float, shape (n_looks,)
        Of the information, at each look.
    z : ndarray of float, shape (n_looks,)
        How far out, on either side, a look stops; infinite where it has nothing to
        spend.
    pvalue : ndarray of float, shape (n_looks,)
        The same as a two-sided p-value, at most which it stops.
    spent : ndarray of float, shape (n_looks,)
        How much of the level all looks so far have used.
    confidence_level : float
        1 minus the level of all looks together.
    spending : str
    """

    fractions: np.ndarray
    z: np.ndarray
    pvalue: np.ndarray
    spent: np.ndarray
    confidence_level: float
    spending: str

    def __str__(self):
        head = f"{self.spending} spending, two-sided, {_level(self.confidence_level)}"
        lines = [f"{head} in all:"]
        for share, z, p in zip(self.fractions, self.z, self.pvalue, strict=True):
            stops = f"stop if |z| >= {z:.3f}, p <= {p:.3g}" if p else "no stop"
            lines.append(f"at {typeset(f'{100 * share:.4g}%')}: {stops}")
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class Split:
    """One division of the items into three parts; `train, dev, test = split` unpacks
    it.

    Attributes
    ----------
    train, dev, test : ndarray of int
        The indices of the items, in increasing order; no item is in two parts.
    """

    train: np.ndarray
    dev: np.ndarray
    test: np.ndarray

    def __iter__(self):
        return iter((self.train, self.dev, self.test))

    def __str__(self):
        total = sum(map(len, self))
        sizes = {name: len(part) for name, part in zip(PARTS, self, strict=True)}
        return ", ".join(
            f"{name} {size:,} ({percent(size / total, 1)})"
            for name, size in sizes.items()
        )


@dataclass(frozen=True, eq=False)
class SplitReport:
    """What a split looks like, and what stands on both sides of it.

    Attributes
    ----------
    sizes : pandas.DataFrame
        For each part `items` and `share`, of all items.
    class_shares : pandas.DataFrame or None
        The share of each class (rows) in each part; None for continuous targets.
    largest_difference : float or None
        The largest difference between two parts in the share of one class.
    leaks : pandas.DataFrame
        For dev and test, and for each kind of leak that was looked for: `items` with a
        relative in train, and their `share` of the part. Kinds: "same group",
        "duplicate" (the same tokens in the same order) and "near-duplicate" (not that,
        but alike).
    shared_groups : tuple
        The groups that stand in two parts or more.
    pairs : pandas.DataFrame
        For each duplicate and near-duplicate: its `part`, `kind`, `item` (an index),
        the most alike `train_item`, and their `similarity`.
    """

    sizes: pd.DataFrame
    class_shares: pd.DataFrame | None
    largest_difference: float | None
    leaks: pd.DataFrame
    shared_groups: tuple
    pairs: pd.DataFrame

    def __str__(self):
        sizes = self.sizes.itertuples(name="row")
        sentences = [
            ", ".join(
                f"{row.Index} {row.items:,} ({percent(row.share, 1)})" for row in sizes
            )
        ]
        if self.class_shares is not None:
            sentences.append(
                f"class shares differ by at most {100 * self.largest_difference:.1f}"
                " points"
            )
        for (part, kind), row in self.leaks.astype(object).iterrows():
            one = row["items"] == 1
            relative = ("its" if one else "their") + " group"
            relative = relative if kind == "same group" else f"a {kind}"
            items = f"{count(row['items'], 'item')} ({percent(row['share'], 1)})"
            held = "has" if one else "have"
            sentences.append(f"{part}: {items} {held} {relative} in train")
        return "\n".join(sentences)


@dataclass(frozen=True)
class Ceiling:
    """The highest accuracy that any function of the input can reach on some items.

    Attributes
    ----------
    accuracy : float
    n_items : int
    n_repeated : int
        Items whose input is also that of another item.
    n_contested : int
        Items whose input is also that of an item with another label.
    n_lost : int
        Items that must be wrong, whatever the function says of each input.
    """

    accuracy: float
    n_items: int
    n_repeated: int
    n_contested: int
    n_lost: int

    def __str__(self):
        return (
            f"at most {self.accuracy:.4f}: of {self.n_items:,} items"
            f" {self.n_repeated:,} repeat an input, {self.n_contested:,} of them with"
            f" another label, and {self.n_lost:,} must be wrong"
        )


@dataclass(frozen=True, eq=False)
class ChoiceVariability:
    """What many groups of J partitions choose, and what they promise.

    Attributes
    ----------
    table : pandas.DataFrame
        One row for each J. `settings_chosen`: how many different settings are ever
        chosen; `most_frequent`: the share of the commonest choice; `agreement`: how
        often two groups that share no partition choose the same, NaN where two such
        groups need more partitions than there are; `tied`: the share of groups whose
        best score several settings share; `estimate` and `sd_estimate`: mean and SD
        (ddof = 1) of the score that the chosen setting got from the group that chose
        it; `sd_fixed`: the SD of the score of the setting that is best on all
        partitions; `sd_<name>` for each of the `values`.
    shares : pandas.DataFrame
        The share of groups that choose each setting (columns), for each J (rows).
    """

    table: pd.DataFrame
    shares: pd.DataFrame

    def __str__(self):
        return str(self.table)


@dataclass(frozen=True)
class Cost:
    """What a cross-validation costs.

    Attributes
    ----------
    fits : int
        Models to be trained.
    items : int
        Items that pass through training, over all of them: each item counts once for
        each model that is trained on it.
    """

    fits: int
    items: int

    def __str__(self):
        return f"{count(self.fits, 'fit')} on {count(self.items, 'item')} in all"


@dataclass(frozen=True)
class Agreement:
    """How far two raters agree, label by label.

    Attributes
    ----------
    share : float
        Of the items, those to which both give the same label.
    share_interval : Interval
    kappa : float or None
        Cohen's: 1 if they always agree, 0 if as often as by chance.
    kappa_interval : Interval or None
    n_items : int
    note : str
        Why kappa, or its interval, is None.
    """

    share: float
    share_interval: Interval
    kappa: float | None
    kappa_interval: Interval | None
    n_items: int
    note: str = ""

    def __str__(self):
        share, ends = _shares(self.share_interval, self.share).split(" ", 1)
        text = f"the same label on {share} of {count(self.n_items, 'item')} {ends}"
        if self.kappa is not None:
            text += f"; kappa {number(self.kappa, '.2f')}"
        if self.kappa_interval:
            text += " ({} to {})".format(
                *(number(end, ".2f") for end in self.kappa_interval)
            )
        return text + (f"; {self.note}" if self.note else "")


@dataclass(frozen=True)
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
        shares = _shares(self.interval, self.rate)
        return f"{self.failures:,} of {count(self.n_runs, 'run')} failed: {shares}"


@dataclass(frozen=True)
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
        """The same with 0 for a negative estimate: no longer unbiased, but a
        variance.
        """
        return replace(
            self,
            seed=max(self.seed, 0.0),
            split=max(self.split, 0.0),
            rest=max(self.rest, 0.0),
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
        n_seeds, n_splits, n_runs = (
            check_int(value, name) for name, value in counts.items()
        )
        if not max(n_seeds, n_splits) <= n_runs <= n_seeds * n_splits:
            raise ValueError(
                f"n_runs must lie between {max(n_seeds, n_splits)} and"
                f" {n_seeds * n_splits} for {n_seeds} seeds and {n_splits} splits, got"
                f" {n_runs}"
            )
        return self.seed / n_seeds + self.split / n_splits + self.rest / n_runs


@dataclass(frozen=True, kw_only=True)
class PassRate(Interval):
    """How often one of k answers to a problem is right, or all of them; `low, high =
    result` unpacks it.

    Attributes
    ----------
    rate : float
    k : int
    kind : {"pass@", "pass^"}
        At least one right answer, or all right.
    n_problems : int
    """

    rate: float
    k: int
    kind: str
    n_problems: int

    def __str__(self):
        return (
            f"{self.kind}{self.k} {_shares(self, self.rate)},"
            f" {self.n_problems:,} problems"
        )


@dataclass(frozen=True, eq=False)
class Ranks:
    """Which ranks the systems of a board may have, for all of them at once.

    Attributes
    ----------
    table : pandas.DataFrame
        One row a system, in the order in which they came: `score`, the mean over items;
        `rank`, 1 for the best, shared by equals; `best` and `worst`, the ends of the
        set of ranks.
    apart : pandas.DataFrame of bool, shape (n_systems, n_systems)
        Whether the system of the row is shown to be better than that of the column.
    may_be_best : list
        The systems that may be the first, if that alone was asked: none of the others
        is shown to beat them. The best score first.
    confidence_level : float
        Of all sets together, and of `may_be_best`.
    n_items : int
    effective_groups : float or None
        Where items come in groups: how many groups of equal size would do as well as
        these.
    """

    table: pd.DataFrame
    apart: pd.DataFrame
    may_be_best: list
    confidence_level: float
    n_items: int
    effective_groups: float | None = None

    @property
    def first(self):
        """The systems that may be the first, the best score first."""
        return (
            self.table[self.table.best == 1]
            .sort_values("rank", kind="stable")
            .index.tolist()
        )

    def __str__(self):
        shown = self.table.sort_values("rank", kind="stable").round({"score": 4})
        n_first = len(self.first)
        may = "1 system may" if n_first == 1 else f"{n_first} systems may"
        return (
            f"{shown}\n{may} be the first ({_level(self.confidence_level)}, all sets at"
            " once)"
        )
