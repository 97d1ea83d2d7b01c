"""What is computed: every comparison, what comes out if something is done otherwise, and whom to cite."""

from dataclasses import dataclass, field, replace

import numpy as np

from evalkit._ties import levels, rounding
from evalkit.reports._contrasts import GAP, HEURISTIC, MCNEMAR, budget, contrasts
from evalkit.reports._faults import count, refusal, shown
from evalkit.reports._pages import _detectable, _speaks


@dataclass(frozen=True)
class Findings:
    """What came of a comparison."""

    contrasts: tuple  # of Contrast
    way: object  # where "Which test do I need?" leads
    answers: tuple  # to its questions, on the way there
    quantity: str  # of what is compared: "mean over items"
    varies: str  # what the answer speaks of: "other seeds, on these test items"
    cannot: tuple  # what it does not speak of
    sensitivity: tuple = ()  # what is done otherwise, and its contrasts: none if too little is left
    detectable: tuple = ()
    cites: tuple = ()  # keys of the sources of what was called
    ranks: dict = field(default_factory=dict)  # the mean rank of each system over the data sets, 1 the best


_CITES = {
    "Welch's t": "welch1947generalization",
    MCNEMAR: "mcnemar1947note",
    HEURISTIC: "nadeau2003inference",
    "Wilcoxon's signed ranks": "wilcoxon1945individual",
    "t over seeds and items": "owen2007pigeonhole",
    "CR2": "bell2002bias",
    GAP: "tang2020showing",
    "Kendall's tau": "kendall1938new",
    "agreement": "cohen1960coefficient",
}


def _sources_of(name):
    """Return the keys of the sources of a test, an interval or a kind."""
    of_t = name.replace("Tango's score", "t")
    keys = _CITES.get("CR2" if "(CR2)" in name else of_t), "tango1998equivalence" if of_t != name else None
    return [key for key in keys if key]


def _sensitivity(evidence, margin, own):
    out, facts = [], evidence.facts

    def add(what, frame=evidence.used, **options):
        try:
            out.append((what, contrasts(evidence, frame, margin, **options)))
        except ValueError:  # what is done otherwise leaves too little for an interval
            out.append((what, ()))

    for what, frame in evidence.ways.items():
        add(what, frame, **own)
    if evidence.kind == "items":
        if facts["ratio"]:
            add("the mean over items of their own rates", rows="answers", **own)
        if facts["raters"]:
            add("for these raters only", rows="answers", **own)
        if facts["group"]:
            add("items taken one by one")
        for name in facts["groups"][:3]:
            add(f"by groups of {shown(name)}", group=name)
    if evidence.kind == "datasets":
        add("tested by t, as the intervals are", by_t=True)
    if evidence.kind == "search":
        largest = budget(evidence.used)
        for n in sorted({1, max(1, largest // 2)} - {largest}):
            add(f"a budget of {count(n, 'trial')}", n=n)
        if facts["cost"]:
            add("a budget in seconds", n=max(1, largest // 2), seconds=True)
    if evidence.kind == "summary" and not facts["by_items"] and not facts["spread"]:
        add("the \u00b1 is a standard deviation", spread="sd")
        add("the \u00b1 is a standard error", spread="se")
    return tuple(out)


def analyse(evidence, options, open_ways):
    """Compute everything that the page says."""
    own = {"group": evidence.facts["group"]} if evidence.kind in ("items", "agreement") else {}
    try:
        found = contrasts(evidence, evidence.used, options.margin, **own)
    except ValueError as error:
        why = "No interval is known to hold for data such as these."
        rounded = "write scores that were rounded with more digits."
        ways = "collect more, or take another unit (--unit).", rounded
        raise refusal("few", f"{str(error).rstrip('.')}.", why, *ways) from None
    if options.margin and evidence.kind != "agreement" and np.isnan([one.low for one in found]).any():
        what, why = "A margin was given, and there is no interval to hold against it.", _NO_INTERVAL
        answers = "or give each system's answers to the items: for them there is an interval."
        raise refusal("margin", what, why, "leave --margin away.", answers)
    sensitivity = _sensitivity(evidence, options.margin, own)
    if open_ways:
        found = tuple(_unless_turned(one, sensitivity) for one in found)
    varies, cannot = _speaks.scope(evidence)
    if options.failed == "drop" and evidence.ways:
        cannot = ("runs that fail: they are left out, as you said.", *cannot)
    answers, way = _speaks.way_to_test(evidence)
    names = dict.fromkeys([evidence.kind, *(name for one in found for name in (one.test, one.method))])
    cites = [key for name in names for key in _sources_of(name)]
    cites += ["holm1979simple"] * (len(found) > 1 and evidence.kind != "agreement")
    cites += ["schuirmann1987comparison"] * any(one.equivalence is not None for one in found)
    return Findings(
        contrasts=found,
        way=way,
        answers=answers,
        quantity=_speaks.quantity(evidence),
        varies=varies,
        cannot=cannot,
        sensitivity=sensitivity,
        detectable=_detectable.sentences(evidence, found, options.margin),
        cites=tuple(cites),
        ranks=_mean_ranks(evidence) if evidence.kind == "datasets" else {},
    )


_NO_INTERVAL = (
    "For such scores no interval is known to hold, and a large p-value does not prove that two are as good."
)


def _unless_turned(one, sensitivity):
    """Return a contrast with its verdict, if it is the same whichever way an open question is decided."""
    others = {other.verdict for _, found in sensitivity for other in found if other.system == one.system}
    return one if others <= {one.verdict} else replace(one, verdict="undecided")


def _mean_ranks(evidence):
    wide = evidence.used.pivot(index="dataset", columns="system", values="score")
    merged = wide.apply(levels, axis=1, raw=True, share=rounding(evidence.used.score))
    return merged.rank(axis=1, ascending=evidence.sign < 0).mean().to_dict()
