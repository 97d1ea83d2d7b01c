"""What is computed: public functions of evalkit, called on what was left after all checks.

Each kind of results has one line here that says which call answers it, what varies, and what the answer
does not speak of.
"""

import math
from dataclasses import dataclass, field, replace

import numpy as np
from scipy import stats

import evalkit
from evalkit._limits import FEWEST_SEEDS, TRIALS_PER_RUN
from evalkit._spread import hidden_by_rounding
from evalkit._ties import merge_ties, rounding
from evalkit.reports import _detectable, _way
from evalkit.reports._calls import Groups, Scores, call
from evalkit.reports._detectable import ALPHA
from evalkit.reports._faults import Fault, RefusedError, count, shown
from evalkit.results import Difference, Interval, PairedProportions

# Items on which one system alone is right: where 5 are to be expected, the t interval over all items holds in
# 90 % of cases, where 2 are, in 80 %. Below, two exact intervals stand in, together at 95 % at least.
_FEWEST_APART = 10
_MCNEMAR = "McNemar's exact test"
_TWO_SHARES = "two Clopper-Pearson intervals put together"


@dataclass(frozen=True)
class Contrast:
    """One system against the baseline.

    Attributes
    ----------
    system : str
    means : tuple of float
        Of the system and of the baseline.
    difference, low, high : float
        System minus baseline.
    se, df : float or None
        Of the difference, where it has them.
    test, method : str
        What gives the p-value, and what the interval.
    pvalue, adjusted : float
        The second by Holm, over all systems.
    sizes : str
        How much each side rests on.
    verdict : str
        "better", "worse", "equivalent" or "undecided".
    calls : tuple of Call
    interval : Interval
        As it was found.
    """

    system: str
    means: tuple
    difference: float
    low: float
    high: float
    se: float | None
    df: float | None
    test: str
    method: str
    pvalue: float
    adjusted: float
    sizes: str
    verdict: str
    calls: tuple
    interval: object


@dataclass(frozen=True)
class Findings:
    """What came of a comparison.

    Attributes
    ----------
    contrasts : tuple of Contrast
    way : Way
        Where "Which test do I need?" leads.
    answers : tuple of str
        To its questions, on the way there.
    varies : str
        What the intervals speak of: "other seeds, on these test items".
    cannot : tuple of str
        What they do not speak of.
    sensitivity : tuple of (str, tuple of Contrast)
        What comes out if something is done otherwise; nothing where too little is left for an interval.
    detectable : tuple of str
    cites : tuple of str
        Keys of the sources of what was called.
    margins : dict of str to Equivalence
        Where a margin was given and the difference has a standard error.
    curves : dict of str to list of (int, float)
        The expected test score of the best of n trials, for a search.
    ranks : dict of str to float
        The mean rank of each system over the data sets, 1 the best.
    """

    contrasts: tuple
    way: object
    answers: tuple
    varies: str
    cannot: tuple
    sensitivity: tuple = ()
    detectable: tuple = ()
    cites: tuple = ()
    margins: dict = field(default_factory=dict)
    curves: dict = field(default_factory=dict)
    ranks: dict = field(default_factory=dict)


# ---------------------------------------------------------------------------------------------
# One call for each kind
# ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Found:
    """An interval with its test, before the family is known."""

    interval: object
    pvalue: float
    test: str
    sizes: str
    calls: tuple
    means: tuple
    method: str = ""  # of the interval, where it is not that of the test


def _seeds(evidence, frame, system):
    asked = call("difference_interval", Scores(system), Scores(evidence.baseline), paired=False)
    found = asked.run(evidence, frame)
    a, b = (evidence.scores(name, "score", frame) for name in (system, evidence.baseline))
    return _Found(
        found, found.pvalue, "Welch's t", f"{len(a)} and {count(len(b), 'run')}", (asked,), _means(a, b)
    )


def _items(evidence, frame, system, group=None):
    pair = Scores(system), Scores(evidence.baseline)
    a, b = (evidence.scores(name, "score", frame) for name in (system, evidence.baseline))
    named = {} if group is None else {"groups": Groups(group)}
    if a.ndim == 2 and min(len(a), len(b)) < FEWEST_SEEDS:
        named["rows"] = "answers"
    n_items, sizes = a.shape[-1], count(a.shape[-1], "item")
    right_or_wrong = evidence.facts["binary"] and evidence.facts["answers"] == 1
    is_counted = right_or_wrong and a.ndim == 1 and group is None
    apart = (int((a > b).sum()), int((a < b).sum())) if is_counted else ()
    if is_counted and sum(apart) < _FEWEST_APART:
        return _counted(evidence, frame, apart, n_items, _means(a, b))
    asked = call("crossed_difference", *pair, **named)
    found = asked.run(evidence, frame)
    calls, pvalue, method = (asked,), found.pvalue, ""
    crossed = a.ndim == 2 and "rows" not in named
    test = f"{_way_of(found)} over {'seeds and ' if crossed else ''}items"
    if group is not None:
        n_groups = frame[group].nunique()
        sizes += f" in {count(n_groups, 'group')}, as good as {found.effective_groups:.3g} equal ones"
        test = test.replace("items", "groups of items") + " (CR2)"
    if a.ndim == 2:
        sizes += f", {len(a)} and {count(len(b), 'run')}"
    if is_counted:
        method, test, asked = test, _MCNEMAR, call("mcnemar", *apart)
        calls, pvalue = (*calls, asked), asked.run(evidence, frame).pvalue
    return _Found(found, pvalue, test, sizes, calls, _means(a, b), method)


def _counted(evidence, frame, apart, n_items, means):
    """Compare two systems that few items tell apart by counts alone: a t interval does not hold there."""
    level = 1 - ALPHA / 2
    exact = [call("proportion_interval", n, n_items, confidence_level=level) for n in apart]
    alone_a, alone_b = (one.run(evidence, frame) for one in exact)
    low, high = alone_a.low - alone_b.high, alone_a.high - alone_b.low
    asked = call("mcnemar", *apart)
    sizes = f"{count(n_items, 'item')}, of which {sum(apart)} told them apart"
    return _Found(
        Interval(low, high, 1 - ALPHA, _TWO_SHARES),
        asked.run(evidence, frame).pvalue,
        _MCNEMAR,
        sizes,
        (*exact, asked),
        means,
        _TWO_SHARES,
    )


def _folds(evidence, frame, system):
    sizes = {"n_train": evidence.facts["n_train"], "n_test": evidence.facts["n_test"]}
    asked = call("corrected_t", Scores(system), Scores(evidence.baseline), **sizes)
    found = asked.run(evidence, frame)
    a, b = (evidence.scores(name, "score", frame) for name in (system, evidence.baseline))
    d = a - b
    # The interval that belongs to the test: the same standard error and leeway, turned round.
    error = d.var(ddof=1) * (1 / d.size + sizes["n_test"] / sizes["n_train"])
    hidden, _ = hidden_by_rounding((a, b), [float(d.std(ddof=1))])
    interval = Difference.from_parts(
        d.mean(), [(float(error), d.size - 1)], 1 - ALPHA, "corrected resampled t", rounding=hidden
    )
    words = f"{count(d.size, 'split')} into {sizes['n_train']:,} and {sizes['n_test']:,} items"
    return _Found(interval, found.pvalue, "the corrected resampled t", words, (asked,), _means(a, b))


def _datasets(evidence, frame, system, by_t=False):
    pair = Scores(system), Scores(evidence.baseline)
    asked = call("wilcoxon", *pair), call("difference_interval", *pair, paired=True)
    test, interval = (one.run(evidence, frame) for one in asked)
    a, b = (evidence.scores(name, "score", frame) for name in (system, evidence.baseline))
    sizes = count(len(a), "data set")
    method = "the paired t" if _way_of(interval) == "t" else "Tango's score over data sets"
    if by_t:
        return _Found(
            interval, interval.pvalue, method.removeprefix("the "), sizes, asked, _means(a, b), method
        )
    return _Found(interval, test.pvalue, "Wilcoxon's signed ranks", sizes, asked, _means(a, b), method)


def _summary(evidence, frame, system, spread=None):
    of = {row.system: row for row in frame.itertuples()}
    one, other = of[system], of[evidence.baseline]
    if evidence.facts["by_items"]:
        asked = call("mcnemar_range", one.printed, other.printed, int(one.items))
        found = asked.run(evidence, frame)
        difference = one.mean - other.mean
        nothing = Difference.from_parts(difference, [(math.nan, 1)], 1 - ALPHA, "none")
        return _Found(
            nothing,
            found.high,
            "McNemar's exact test, at its worst",
            count(int(one.items), "item"),
            (asked,),
            (one.mean, other.mean),
        )
    triples = [(row.mean, row.spread, int(row.n)) for row in (one, other)]
    asked = call("from_summary", *triples, spread=spread or evidence.facts["spread"] or "se")
    found = asked.run(evidence, frame)
    sizes = f"{int(one.n)} and {count(int(other.n), 'run')}"
    return _Found(found, found.pvalue, "Welch's t", sizes, (asked,), (one.mean, other.mean))


def _search(evidence, frame, system, n=None, seconds=False):
    names = system, evidence.baseline
    of = [len(evidence.scores(name, "score", frame)) for name in names]
    n, named = n or budget(frame), {}
    if seconds:
        cost = tuple(float(np.mean(evidence.scores(name, "cost", frame))) for name in names)
        n, named = n * max(cost), {"seconds": cost}
    pools = [Scores(name, column) for name in names for column in (_chooser(frame), "score")]
    asked = call("budget_difference", *pools, n, minimize=evidence.direction == "lower", **named)
    found = asked.run(evidence, frame)
    words = f"the best of {n:,}, from {of[0]:,} and {count(of[1], 'trial')}"
    if seconds:
        words = f"the best of {n:.3g} seconds"
        return _Found(found, found.pvalue, _GAP, words, (asked,), (found.difference, 0.0))
    means = tuple(float(_boo(evidence, frame, name, n)) for name in names)
    return _Found(found, found.pvalue, _GAP, words, (asked,), means)


def _boo(evidence, frame, name, n):
    """Return the expected test score of the best of n trials, by U: pools may differ in size."""
    pools = [evidence.scores(name, column, frame) for column in (_chooser(frame), "score")]
    return evalkit.boo(*pools, n=n, minimize=evidence.direction == "lower", estimator="u")


def _chooser(frame):
    return "validation" if "validation" in frame else "score"


def budget(frame):
    """Return the one budget at which all searches are compared: the largest whose interval is known to hold.

    Parameters
    ----------
    frame : pandas.DataFrame
        A row for each trial, with its `system`.

    Returns
    -------
    int
        In trials: a fifth of the smallest search.
    """
    return max(1, int(frame.system.value_counts().min()) // TRIALS_PER_RUN)


def _way_of(found):
    """Return by what an interval of paired scores is: where few tell two systems apart no t holds."""
    return "Tango's score" if isinstance(found, PairedProportions) else "t"


def _means(a, b):
    return float(np.mean(a)), float(np.mean(b))


_GAP = "a jackknife t"
_CONSTANT = "must vary for an interval or a test"  # of every refusal for want of scatter
_CALLS = {
    "seeds": _seeds,
    "items": _items,
    "folds": _folds,
    "datasets": _datasets,
    "summary": _summary,
    "search": _search,
}


# ---------------------------------------------------------------------------------------------
# The family
# ---------------------------------------------------------------------------------------------


def contrasts(evidence, frame, margin=None, **options):
    """Compare every system with the baseline, and adjust for how many there are.

    Parameters
    ----------
    evidence : Evidence
    frame : pandas.DataFrame
        The rows to compare.
    margin : float, optional
    **options
        For the call of the kind.

    Returns
    -------
    tuple of Contrast
    """
    found = [_asked(evidence, frame, system, options) for system in evidence.systems]
    adjusted = evalkit.holm([one.pvalue for one in found])
    out = []
    for system, one, p in zip(evidence.systems, found, adjusted.tolist(), strict=True):
        low, high = one.interval
        error = getattr(one.interval, "se", None)
        verdict = _verdict(evidence.sign, low, high, p, margin, one.interval)
        out.append(
            Contrast(
                system,
                one.means,
                getattr(one.interval, "difference", one.means[0] - one.means[1]),
                low,
                high,
                error,
                getattr(one.interval, "df", None),
                one.test,
                one.method or one.test,
                one.pvalue,
                p,
                one.sizes,
                verdict,
                one.calls,
                one.interval,
            )
        )
    return tuple(out)


def _asked(evidence, frame, system, options):
    """Return what the call of the kind finds; what it refuses is said with the names of the systems."""
    try:
        return _CALLS[evidence.kind](evidence, frame, system, **options)
    except ValueError as error:
        names = f"{shown(system)} and {shown(evidence.baseline)}"
        if _CONSTANT in str(error):
            raise ValueError(f"{names}: nothing varies in what is compared, to the digits written") from None
        raise ValueError(f"{names}: {error}") from None


def _verdict(sign, low, high, pvalue, margin, interval):
    good, bad = (low, high) if sign > 0 else (-high, -low)
    if math.isnan(low):  # from printed accuracies the p-value alone is known, at its largest
        return ("better" if sign * interval.difference > 0 else "worse") if pvalue <= ALPHA else "undecided"
    if pvalue <= ALPHA and good > (margin or 0):
        return "better"
    if pvalue <= ALPHA and bad < -(margin or 0):
        return "worse"
    if not isinstance(interval, Difference):
        return "equivalent" if margin and -margin < low and high < margin else "undecided"
    if margin and evalkit.equivalence(interval, margin).equivalent:
        return "equivalent"
    return "undecided"


# ---------------------------------------------------------------------------------------------
# What the answer speaks of
# ---------------------------------------------------------------------------------------------


def _speaks(evidence):
    """Return what varies, and what the answer does not speak of."""
    facts = evidence.facts
    if evidence.kind == "seeds":
        varies = "other runs with other seeds, on these test items and this split"
        cannot = [
            "other test items: every run was scored on the same ones.",
            "other data, tasks or settings.",
        ]
    elif evidence.kind == "search":
        trials = count(budget(evidence.used), "trial")
        varies = f"other searches of {trials} each, in these ranges, on these test items"
        cannot = [
            "other ranges of the settings.",
            "other test items or data.",
            "the seeds of one chosen setting.",
        ]
    elif evidence.kind == "items":
        unit = f"other values of {shown(facts['group'])}" if facts["group"] else "other items of this kind"
        crossed = facts["runs"] and min(facts["runs"].values()) >= FEWEST_SEEDS
        varies = (
            f"other training seeds and {unit}, at once" if crossed else f"{unit}, answered by these models"
        )
        cannot = (
            []
            if crossed
            else [
                "other seeds, prompts or versions of the same systems: they were not varied, or too little."
            ]
        )
        cannot += ["other tasks.", "items of another kind."]
        if facts["group"]:
            cannot.append(
                f"{shown(facts['group'])} of equal weight: each item counts alike, so large ones count more."
            )
    elif evidence.kind == "folds":
        varies = "other random splits of this data set"
        cannot = ["other data: all splits are of one data set.", "models trained on all of it."]
    elif evidence.kind == "datasets":
        varies = "other data sets like these"
        cannot = ["any one of the data sets.", "kinds of data that are not among them."]
    elif facts["by_items"]:
        varies = "other items of this kind, answered by these models"
        cannot = ["other seeds.", "how large the difference is: the predictions would say it."]
    else:
        varies = "whatever varied in the runs behind the \u00b1: seeds, it is hoped"
        cannot = [
            "anything, if the runs were splits or folds of one data set: they are not independent.",
            "other test items.",
        ]
    return varies, tuple(cannot)


_CITES = {
    "Welch's t": "welch1947generalization",
    "McNemar's exact test": "mcnemar1947note",
    "the corrected resampled t": "nadeau2003inference",
    "Wilcoxon's signed ranks": "wilcoxon1945individual",
    "t over seeds and items": "owen2007pigeonhole",
    "t over groups of items (CR2)": "bell2002bias",
    "t over seeds and groups of items (CR2)": "bell2002bias",
    _GAP: "tang2020showing",
}


def _cited(name):
    """Return the keys of the sources of a test or an interval."""
    of_t = name.replace("Tango's score", "t")
    return [key for key in (_CITES.get(of_t), None if of_t == name else "tango1998equivalence") if key]


def _sensitivity(evidence, margin):
    out = []

    def add(what, *, margin=margin, **options):
        frame = options.pop("frame", evidence.used)
        try:
            out.append((what, contrasts(evidence, frame, margin, **options)))
        except ValueError:  # what is done otherwise leaves too little for an interval
            out.append((what, ()))

    for what, frame in evidence.ways.items():
        add(what, frame=frame)
    if evidence.kind == "items":
        if evidence.facts["group"]:
            add("items taken one by one")
        for name in evidence.facts["groups"][:3]:
            add(f"by groups of {shown(name)}", group=name)
    if evidence.kind == "datasets":
        add("tested by t, as the intervals are", by_t=True)
    if evidence.kind == "search":
        largest = budget(evidence.used)
        for n in sorted({1, max(1, largest // 2)} - {largest}):
            add(f"a budget of {count(n, 'trial')}", n=n)
        if evidence.facts["cost"]:
            add("a budget in seconds", n=max(1, largest // 2), seconds=True)
    if evidence.kind == "summary" and not evidence.facts["by_items"] and not evidence.facts["spread"]:
        add("the \u00b1 is a standard deviation", spread="sd")
        add("the \u00b1 is a standard error", spread="se")
    if margin and evidence.kind != "summary":
        options = {"group": evidence.facts["group"]} if evidence.kind == "items" else {}
        for factor in (0.5, 2):
            add(f"a margin of {factor * margin:g}", margin=factor * margin, **options)
    return tuple(out)


def analyse(evidence, options, open_ways):
    """Compute everything that the page says.

    Parameters
    ----------
    evidence : Evidence
    options : Options
    open_ways : bool
        Whether something is open that nobody has decided: a verdict must then hold all ways.

    Returns
    -------
    Findings
    """
    own = {"group": evidence.facts["group"]} if evidence.kind == "items" else {}
    try:
        found = contrasts(evidence, evidence.used, options.margin, **own)
    except ValueError as error:
        fault = Fault(
            "few",
            f"{str(error).rstrip('.')}.",
            "No interval is known to hold for data such as these.",
            (
                "collect more, or take another unit (--unit).",
                "write scores that were rounded with more digits.",
            ),
        )
        raise RefusedError(fault) from None
    sensitivity = _sensitivity(evidence, options.margin)
    if open_ways:
        found = tuple(_held(one, sensitivity) for one in found)
    varies, cannot = _speaks(evidence)
    if options.failed == "drop" and evidence.ways:
        cannot = ("runs that fail: they are left out, as you said.", *cannot)
    answers, way = _way.of(evidence)
    cites = [
        key
        for name in dict.fromkeys(n for one in found for n in (one.test, one.method))
        for key in _cited(name)
    ]
    cites += ["holm1979simple"] if len(found) > 1 else []
    margins = {
        one.system: evalkit.equivalence(one.interval, options.margin)
        for one in found
        if options.margin and isinstance(one.interval, Difference) and math.isfinite(one.low)
    }
    cites += ["schuirmann1987comparison"] if margins else []
    return Findings(
        contrasts=found,
        way=way,
        answers=answers,
        varies=varies,
        cannot=cannot,
        sensitivity=sensitivity,
        detectable=_detectable.lines(evidence, found, options.margin),
        cites=tuple(cites),
        margins=margins,
        curves=_curves(evidence) if evidence.kind == "search" else {},
        ranks=_ranks(evidence) if evidence.kind == "datasets" else {},
    )


def _held(one, sensitivity):
    """Return a contrast with its verdict, if it is the same whichever way an open question is decided."""
    ways = [found for what, found in sensitivity if not what.startswith("a margin")]
    others = {other.verdict for found in ways for other in found if other.system == one.system}
    return one if others <= {one.verdict} else replace(one, verdict="undecided")


def _ranks(evidence):
    table = evidence.used.pivot(index="dataset", columns="system", values="score") * -evidence.sign
    noise = rounding(evidence.used.score) * table.abs().to_numpy()
    ranks = [stats.rankdata(merge_ties(*row)) for row in zip(table.to_numpy(), noise, strict=True)]
    return dict(zip(table, np.mean(ranks, axis=0).tolist(), strict=True))


def _curves(evidence):
    out = {}
    for name in (evidence.baseline, *evidence.systems):
        budgets = np.unique(np.geomspace(1, len(evidence.scores(name)) // 2, 12).round().astype(int))
        best = _boo(evidence, evidence.used, name, budgets)
        out[name] = list(zip(budgets.tolist(), best.tolist(), strict=True))
    return out
