"""Each kind of results has one call here that answers it, on what was left after all
checks.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

import evalkit
from evalkit._limits import TRIALS_PER_RUN
from evalkit.reports._bench import ALPHA
from evalkit.reports._calls import call, groups, scores, scores_of
from evalkit.reports._faults import count, shown
from evalkit.results import Difference, Interval, PairedProportions

# Items on which one system alone is right: where 5 are to be expected, the t interval
# over all items holds in 90 % of cases, where 2 are, in 80 %. Below, two exact
# intervals stand in, together at 95 % at least.
FEWEST_APART = 10
WELCH = "Welch's t"
MCNEMAR = "McNemar's exact test"
HEURISTIC = "the corrected resampled t-test, a heuristic"
TWO_SHARES = "two Clopper-Pearson intervals put together"
NO_METHOD = "none"  # of the interval, where none is known to hold


@dataclass(frozen=True)
class Contrast:
    """One system against the baseline."""

    system: str
    interval: object  # as it was found; its ends are NaN where none is known to hold
    pvalue: float
    test: str  # what gives the p-value
    sizes: str  # how much each side rests on
    calls: tuple  # that of the difference first
    means: tuple  # of the system and of the baseline
    method: str = ""  # what gives the interval, if it is not the test
    more: object = None  # what the kind has beside it
    adjusted: float = math.nan  # by Holm, over all systems
    equivalence: object = (
        None  # where a margin was given and the difference has a standard error
    )
    verdict: str = (
        ""  # "better", "worse", "equivalent", "undecided"; of a trend "rises", "falls"
    )

    @property
    def difference(self):
        """System minus baseline."""
        return getattr(
            self.interval, "difference", self.means[0] - np.nan_to_num(self.means[1])
        )

    def benefit(self, sign):
        """Return the ends of the interval, turned where a lower score is better."""
        return (self.low, self.high) if sign > 0 else (-self.high, -self.low)

    low = property(lambda self: self.interval.low, doc="The lower end of the interval.")
    high = property(
        lambda self: self.interval.high, doc="The upper end of the interval."
    )


# --------------------------------------------------------------------------------------
# One call for each kind
# --------------------------------------------------------------------------------------


def _pair(evidence, system):
    return tuple(map(evidence.scores, (system, evidence.baseline)))


def _seeds(evidence, system):
    asked = call(
        "ek.difference_interval",
        scores(system),
        scores(evidence.baseline),
        paired=False,
    )
    found, (a, b) = asked.run(evidence), _pair(evidence, system)
    each = evidence.facts["each"]
    sizes = f"{len(a)} and " + (
        f"{len(b)} values of {shown(each)}" if each else count(len(b), "run")
    )
    return Contrast(system, found, found.pvalue, WELCH, sizes, (asked,), _means(a, b))


def _items(evidence, system):
    facts, (a, b) = evidence.facts, _pair(evidence, system)
    if facts["ratio"]:
        return _ratio(evidence, system)
    group = facts["group"]
    is_counted = (
        facts["binary"] and facts["answers"] == 1 and a.ndim == 1 and group is None
    )
    apart = (int((a > b).sum()), int((a < b).sum())) if is_counted else ()
    if is_counted and sum(apart) < FEWEST_APART:
        return _few_discordant(evidence, system, apart)
    named, crossed, runs = {} if group is None else {"groups": groups(group)}, "", ""
    if a.ndim == 2:
        way = facts["rows"]
        named |= {} if way == "nested" else {"rows": way}
        crossed = {"nested": "seeds and ", "paired": "raters and ", "answers": ""}[way]
        runs = (
            count(len(a), "rater")
            if facts["raters"]
            else f"{len(a)} and {count(len(b), 'run')}"
        )
    asked = call(
        "ek.crossed_difference", scores(system), scores(evidence.baseline), **named
    )
    found = asked.run(evidence)
    # Whose share is then nothing, and so few cannot show that it is small.
    if facts["raters"]:
        of_items = call(
            "ek.crossed_difference", *asked.arguments, **{**named, "rows": "answers"}
        )
        runs += ", not seen to differ in this" * bool(
            np.isclose(of_items.run(evidence).low, found.low, rtol=1e-6)
        )
    over, sizes = _sample(evidence, found)
    calls, pvalue, test, method = (
        (asked,),
        found.pvalue,
        f"{_way_of(found)} over {crossed}{over}",
        "",
    )
    if is_counted:
        method, test, calls = test, MCNEMAR, (asked, call("ek.mcnemar", *apart))
        pvalue = calls[1].run(evidence).pvalue
    sizes += f", {runs}" * bool(runs)
    return Contrast(system, found, pvalue, test, sizes, calls, _means(a, b), method)


def _sample(evidence, found):
    """Say what is drawn, items or groups of them, and how many there are."""
    group, frame = evidence.facts["group"], evidence.used
    sizes = count(frame["item"].nunique(), evidence.facts["noun"])
    if group is None:
        return "items", sizes
    equal = f"as good as {found.effective_groups:.3g} equal ones"
    return (
        "groups of items (CR2)",
        f"{sizes} in {count(frame[group].nunique(), 'group')}, {equal}",
    )


def _few_discordant(evidence, system, apart):
    """Compare two systems that few items tell apart by counts alone: a t interval does
    not hold there.
    """
    a, b = _pair(evidence, system)
    exact = [
        call("ek.proportion_interval", n, len(a), confidence_level=1 - ALPHA / 2)
        for n in apart
    ]
    won, lost = (one.run(evidence) for one in exact)
    interval = Interval(won.low - lost.high, won.high - lost.low, 1 - ALPHA, TWO_SHARES)
    asked = call("ek.mcnemar", *apart)
    pvalue, calls = asked.run(evidence).pvalue, (*exact, asked)
    sizes = (
        f"{count(len(a), evidence.facts['noun'])}, of which {sum(apart)} told them"
        " apart"
    )
    return Contrast(
        system, interval, pvalue, MCNEMAR, sizes, calls, _means(a, b), TWO_SHARES
    )


def _ratio(evidence, system):
    names, group = (system, evidence.baseline), evidence.facts["group"]
    sums = [
        scores(name, column)
        for name in names
        for column in ("numerator", "denominator")
    ]
    asked = call("ek.ratio_difference", *sums, None if group is None else groups(group))
    found = asked.run(evidence)
    a, over_a, b, over_b = (float(one.run(evidence).sum()) for one in sums)
    over, sizes = _sample(evidence, found)
    test = f"linearised ratios over {over.removesuffix(' (CR2)')} (CR2)"
    return Contrast(
        system, found, found.pvalue, test, sizes, (asked,), (a / over_a, b / over_b)
    )


def _folds(evidence, system):
    sizes = {"n_train": evidence.facts["n_train"], "n_test": evidence.facts["n_test"]}
    asked = call("ek.corrected_t", scores(system), scores(evidence.baseline), **sizes)
    a, b = _pair(evidence, system)
    words = (
        f"{count(a.size, 'split')}, training to test items as {sizes['n_train']:,} to"
        f" {sizes['n_test']:,}"
    )
    pvalue = asked.run(evidence).pvalue
    nothing = Difference.from_parts(
        float(a.mean() - b.mean()), [(math.nan, 1)], 1 - ALPHA, NO_METHOD
    )
    return Contrast(
        system, nothing, pvalue, HEURISTIC, words, (asked,), _means(a, b), NO_METHOD
    )


def _datasets(evidence, system):
    pair, (a, b) = (scores(system), scores(evidence.baseline)), _pair(evidence, system)
    ranked, sizes = call("ek.wilcoxon", *pair), count(len(a), "data set")
    pvalue, test = ranked.run(evidence).pvalue, "Wilcoxon's signed ranks"
    asked = call("ek.difference_interval", *pair, paired=True)
    found = asked.run(evidence)
    method = "the paired t" if _way_of(found) == "t" else "Tango's score over data sets"
    return Contrast(
        system, found, pvalue, test, sizes, (asked, ranked), _means(a, b), method
    )


def _search(evidence, system):
    names, n = (system, evidence.baseline), budget(evidence.used)
    of, minimize = (
        [len(one) for one in _pair(evidence, system)],
        evidence.direction == "lower",
    )
    chooser = "validation" if "validation" in evidence.used else "score"
    pools = [[scores(name, column) for column in (chooser, "score")] for name in names]
    asked = call("ek.budget_difference", *pools[0], *pools[1], n, minimize=minimize)
    found = asked.run(evidence)
    words = f"the best of {n:,}, from {of[0]:,} and {count(of[1], 'trial')}"
    # By U: pools may differ in size.
    best = [
        call("ek.boo", *pool, n=n, minimize=minimize, estimator="u") for pool in pools
    ]
    means = tuple(float(one.run(evidence)) for one in best)
    return Contrast(system, found, found.pvalue, GAP, words, (asked,), means)


def _sizes(evidence, system):
    """Find out whether scores rise with size, in whatever shape; a system is compared
    with itself.
    """
    asked = call("stats.kendalltau", scores(system, "size"), scores(system))
    trend, runs = asked.run(evidence), evidence.scores(system, "size")
    sizes = np.unique(runs)
    half = len(sizes) // 2
    ends = [(">=", float(sizes[-half])), ("<=", float(sizes[half - 1]))]
    parts = [scores_of(system, *end) for end in ends]
    apart = call("ek.difference_interval", *parts, paired=False)
    means = _means(*(part.run(evidence) for part in parts))
    words = f"{count(len(runs), 'run')} of {count(len(sizes), 'size')}"
    found, more = apart.run(evidence), {"tau": float(trend.statistic), "ends": ends}
    calls, pvalue = (asked, apart), float(trend.pvalue)
    return Contrast(
        system, found, pvalue, "Kendall's tau", words, calls, means, WELCH, more
    )


def _agreement(evidence, system):
    frame, group = evidence.used, evidence.facts["group"]
    labels = scores(system, "label"), scores(evidence.baseline, "label")
    asked = call(
        "ek.agreement", *labels, **({} if group is None else {"groups": groups(group)})
    )
    found, sizes = asked.run(evidence), count(frame["item"].nunique(), "item")
    if group is not None:
        sizes += f" in {count(frame[group].nunique(), 'group')}"
    share, means = found.share_interval, (found.share, math.nan)
    return Contrast(
        system, share, math.nan, "", sizes, (asked,), means, share.method, found
    )


def budget(frame):
    """Return the one budget of all searches: the largest whose interval is known to
    hold.
    """
    return max(1, int(frame.system.value_counts().min()) // TRIALS_PER_RUN)


def _way_of(found):
    """Return by what an interval of paired scores is: where few tell two systems apart
    no t holds.
    """
    return "Tango's score" if isinstance(found, PairedProportions) else "t"


def _means(a, b):
    return float(np.mean(a)), float(np.mean(b))


GAP = "a jackknife t"
_CONSTANT = (  # of every refusal for want of scatter
    "must vary for an interval or a test"
)
_CALLS = {
    "seeds": _seeds, "items": _items, "folds": _folds, "datasets": _datasets, "search": _search,
    "sizes": _sizes, "agreement": _agreement,
}  # fmt: skip


# --------------------------------------------------------------------------------------
# The family
# --------------------------------------------------------------------------------------


def contrasts(evidence, margin=None):
    """Compare every system with the baseline, and adjust for how many there are."""
    found = [_contrast(evidence, system) for system in evidence.systems]
    pvalues = [one.pvalue for one in found]
    adjusted = pvalues if np.isnan(pvalues).any() else evalkit.holm(pvalues).tolist()
    return tuple(
        _with_verdict(evidence, one, p, margin)
        for one, p in zip(found, adjusted, strict=True)
    )


def _with_verdict(evidence, one, adjusted, margin):
    one = replace(one, adjusted=adjusted, method=one.method or one.test)
    has_margin = (
        margin and isinstance(one.interval, Difference) and math.isfinite(one.low)
    )
    if has_margin and evidence.kind != "sizes":
        calls = (*one.calls, call("ek.equivalence", one.calls[0], margin))
        one = replace(
            one, calls=calls, equivalence=evalkit.equivalence(one.interval, margin)
        )
    return replace(one, verdict=_verdict(evidence, one, margin or 0))


def _contrast(evidence, system):
    """Return what the call of the kind finds; what it refuses is said with the names of
    the systems.
    """
    try:
        return _CALLS[evidence.kind](evidence, system)
    except ValueError as error:
        names = " and ".join(dict.fromkeys((shown(system), shown(evidence.baseline))))
        if _CONSTANT in str(error):
            raise ValueError(
                f"{names}: nothing varies in what is compared, to the digits written"
            ) from None
        raise ValueError(f"{names}: {error}") from None


def _verdict(evidence, one, margin):
    is_sure = one.adjusted <= ALPHA
    if evidence.kind == "agreement":
        return ""
    if evidence.kind == "sizes":
        return ("rises" if one.more["tau"] > 0 else "falls") if is_sure else "undecided"
    good, bad = one.benefit(evidence.sign)
    if math.isnan(good):  # the p-value alone is known
        good = bad = evidence.sign * one.difference
    if is_sure and good > margin:
        return "better"
    if is_sure and bad < -margin:
        return "worse"
    if one.equivalence is not None:
        return "equivalent" if one.equivalence.equivalent else "undecided"
    return "equivalent" if -margin < good and bad < margin else "undecided"
