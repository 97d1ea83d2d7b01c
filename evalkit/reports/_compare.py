"""Each kind of results has one call here that answers it, and a verdict."""

import math
from dataclasses import dataclass, replace

import numpy as np

import evalkit
from evalkit._limits import TRIALS_PER_RUN
from evalkit.reports._calls import call, groups, scores
from evalkit.reports._refused import RefusedError, Say, count, refusal, shown
from evalkit.results import Difference, PairedProportions

ALPHA = 0.05
WELCH = "Welch's t"
MCNEMAR = "McNemar's exact test"
HEURISTIC = "the corrected resampled t-test, a heuristic"
TANGO = "Tango's score over items"
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
    adjusted: float = math.nan  # by Holm, over all systems
    equivalence: object = (
        None  # where a margin was given and the difference has a standard error
    )
    verdict: str = ""  # "better", "worse", "equivalent" or "undecided"

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
    sizes = f"{len(a):,} and {count(len(b), 'run')}"
    return Contrast(system, found, found.pvalue, WELCH, sizes, (asked,), _means(a, b))


def _items(evidence, system):
    a, b = _pair(evidence, system)
    if evidence.is_binary and a.ndim == 1 and evidence.group is None:
        return _right_or_wrong(evidence, system)
    named = {"groups": groups()} if evidence.group else {}
    crossed, rows = "", ""
    if a.ndim == 2:
        is_seeds = evidence.keys[1] == "seed"
        named |= {} if is_seeds else {"rows": "answers"}
        crossed = "seeds and " * is_seeds
        noun = "run" if is_seeds else "answer"
        rows = f", {len(a):,} and {count(len(b), noun)}" + " to each" * (not is_seeds)
    asked = call(
        "ek.crossed_difference", scores(system), scores(evidence.baseline), **named
    )
    found = asked.run(evidence)
    over, sizes = _sample(evidence, found)
    test = f"{_way_of(found)} over {crossed}{over}"
    return Contrast(
        system, found, found.pvalue, test, sizes + rows, (asked,), _means(a, b)
    )


def _sample(evidence, found):
    """Say what is drawn, items or groups of them, and how many there are."""
    frame = evidence.used
    sizes = count(frame["item"].nunique(), "item")
    if evidence.group is None:
        return "items", sizes
    equal = f"as good as {found.effective_groups:.3g} equal ones"
    n_groups = count(frame["group"].nunique(), "group")
    return "groups of items (CR2)", f"{sizes} in {n_groups}, {equal}"


def _right_or_wrong(evidence, system):
    """Compare two systems by four counts of independent items."""
    a, b = _pair(evidence, system)
    n11, n10, n01 = (int(k.sum()) for k in (a * b, a * (1 - b), (1 - a) * b))
    asked = call(
        "ek.paired_proportion_interval", n11, n10, n01, len(a) - n11 - n10 - n01
    )
    exact = call("ek.mcnemar", n10, n01)
    sizes = count(len(a), "item")
    return Contrast(
        *(system, asked.run(evidence), exact.run(evidence).pvalue, MCNEMAR, sizes),
        *((asked, exact), _means(a, b), TANGO),
    )


def _folds(evidence, system):
    sizes = {name: getattr(evidence.options, name) for name in ("n_train", "n_test")}
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
    names, n = (system, evidence.baseline), budget(evidence)
    minimize = evidence.direction == "lower"
    of = [len(one) for one in _pair(evidence, system)]
    pools = [
        [scores(name, column) for column in ("validation", "score")] for name in names
    ]
    asked = call("ek.budget_difference", *pools[0], *pools[1], n, minimize=minimize)
    found = asked.run(evidence)
    words = f"the best of {n:,}, from {of[0]:,} and {count(of[1], 'trial')}"
    # By U: pools may differ in size.
    best = [
        call("ek.boo", *pool, n=n, minimize=minimize, estimator="u") for pool in pools
    ]
    means = tuple(float(one.run(evidence)) for one in best)
    return Contrast(system, found, found.pvalue, GAP, words, (asked,), means)


def budget(evidence):
    """Return the one budget of all searches: what was said, or the largest whose
    interval is known to hold.
    """
    fewest = int(evidence.used["system"].value_counts().min())
    most, n = fewest // TRIALS_PER_RUN, evidence.options.n
    if n is not None and n > most:
        what = f"A budget of {n:,}, from a search of {fewest:,} trials."
        raise refusal("few", what, Say({"n": most}), "or search longer.")
    return n or most


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
    "seeds": _seeds,
    "items": _items,
    "folds": _folds,
    "datasets": _datasets,
    "search": _search,
}


# --------------------------------------------------------------------------------------
# The family
# --------------------------------------------------------------------------------------


def contrasts(evidence):
    """Compare every system with the baseline, and adjust for how many there are."""
    _check_margin(evidence)
    found = [_contrast(evidence, system) for system in evidence.systems]
    adjusted = evalkit.holm([one.pvalue for one in found]).tolist()
    pairs = zip(found, adjusted, strict=True)
    return tuple(_with_verdict(evidence, one, p) for one, p in pairs)


def _check_margin(evidence):
    margin, scores = evidence.options.margin, evidence.used["score"]
    if margin and evidence.kind == "folds":
        what = "Of overlapping splits no interval is known to hold."
        way = "leave the margin away, or give the answers to the items."
        raise refusal("margin", what, way)
    if margin and margin >= scores.abs().max():
        what = (
            f"The scores go from {scores.min():.4g} to {scores.max():.4g}, and within a"
            f" margin of {margin:g} any two systems are as good."
        )
        raise refusal("margin", what, "say it on the scale of the scores.")


def _contrast(evidence, system):
    """Return what the call of the kind finds; what it refuses is said with the names of
    the systems.
    """
    try:
        return _CALLS[evidence.kind](evidence, system)
    except RefusedError:
        raise
    except ValueError as error:
        names = f"{shown(system)} and {shown(evidence.baseline)}"
        what, way = f"{names}: {str(error).rstrip('.')}.", "collect more."
        if _CONSTANT in what:
            what, way = f"{names}: nothing varies in the digits written.", "write more."
        alone = Say({"ignore": [evidence.group]}, "if its items do not belong together")
        ways = [way, *[alone] * (evidence.group is not None)]
        raise refusal("few", what, *ways) from None


def _with_verdict(evidence, one, adjusted):
    margin = evidence.options.margin
    one = replace(one, adjusted=adjusted, method=one.method or one.test)
    if margin and isinstance(one.interval, Difference):
        calls = (*one.calls, call("ek.equivalence", one.calls[0], margin))
        equal = evalkit.equivalence(one.interval, margin)
        one = replace(one, calls=calls, equivalence=equal)
    return replace(one, verdict=_verdict(evidence, one, margin or 0))


def _verdict(evidence, one, margin):
    is_sure = one.adjusted <= ALPHA
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
