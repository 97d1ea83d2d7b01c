"""The sentences of a report: what was found, in what it holds, and what to write
down.
"""

import math

from evalkit.reports._faults import count, shown


def number(value, width):
    """Return a number with as many digits as its interval leaves."""
    if not math.isfinite(value):
        return "?"
    if not width or not math.isfinite(width):
        return f"{value:.4g}"
    digits = max(0, 1 - math.floor(math.log10(abs(width) / 2)))
    if digits > 8:
        return f"{value:.3g}".replace("-", "\u2212")
    # An end near 0 keeps a digit more: -0.000 hides on which side it lies.
    text = next(
        (t for d in range(3) if float(t := f"{value:.{digits + d}f}")),
        f"{0:.{digits}f}",
    )
    return text.replace("-", "\u2212")


def pvalue(p):
    """Return a p-value as it is printed."""
    text = f"{p:.2g}" if p >= 0.0001 else "< 0.0001"
    return f"{p:.4g}" if text == "0.05" else text  # on which side of it?


def p_is(p):
    """Return a p-value as a sentence has it."""
    text = pvalue(p)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def interval(one):
    """Return the interval of a contrast in words."""
    return "none" if math.isnan(one.low) else ends(one)


def ends(pair):
    """Return an interval in words."""
    low, high = pair.low, pair.high
    return f"{number(low, high - low)} to {number(high, high - low)}"


def finding(one, evidence, n_family, quantity, *, is_whole):
    """Say what was found of one system; and how, where the sentence before has not said
    it.
    """
    name, base, metric = (
        shown(one.system),
        shown(evidence.baseline),
        shown(evidence.metric),
    )
    at = " at equal budgets" if evidence.kind == "search" else ""
    of = f"{metric}{at}" + f" ({quantity})" * is_whole
    words = {"name": name, "base": base, "of": of}
    if one.difference:
        gap = number(abs(one.difference), one.high - one.low)
        what = SAID["higher" if one.difference > 0 else "lower"].format(
            gap=gap, **words
        )
    else:
        what = SAID["same"].format(**words)
    p, by = p_is(one.pvalue), f"{one.test}, {one.sizes}"
    if n_family > 1:
        family = f" for {count(n_family, 'comparison')}" * is_whole
        is_same = pvalue(one.adjusted) == pvalue(one.pvalue)
        p += (
            f", also when adjusted{family}"
            if is_same
            else f", adjusted{family} {p_is(one.adjusted)}"
        )
    if math.isnan(one.low):
        return f"{what}: {p}" + f" ({by})" * is_whole + f"; {NO_INTERVAL}."
    words = {
        "what": what,
        "ends": interval(one),
        "p": p,
        "by": by,
        "method": one.method,
    }
    how = "found by two" if one.method != one.test else "found by one"
    return SAID[how if is_whole else "found"].format(**words)


# What a comparison says: in a report, and on the book's page that takes scores.
SAID = {
    "higher": "{name} scores {gap} higher than {base} in {of}",
    "lower": "{name} scores {gap} lower than {base} in {of}",
    "same": "{name} and {base} score the same in {of}",
    "found": "{what}: 95 % interval of the difference {ends}; {p}.",
    "found by one": (
        "{what}: 95 % interval of the difference {ends}; {p} (both by {by})."
    ),
    "found by two": (
        "{what}: 95 % interval of the difference {ends} ({method}); {p} ({by})."
    ),
    "better": "{name} is better than {base}{more}.",
    "worse": "{name} is worse than {base}{more}.",
    "within": (
        "{name} is {way} than {base}, and not shown to be so by more than the margin of"
        " {margin:g}."
    ),
    "cannot": "This does not tell {name} and {base} apart",
    "throughout": "{cannot}: their scores are the same throughout.",
    "either way": (
        "{cannot}: {name} may be better by up to {good}, or worse by up to {bad}."
        " {equal}"
    ),
    "equal": "That does not prove that they are equal.",
    "disagree": "the interval excludes 0, but the test does not reject at 0.05.",
}
NO_INTERVAL = "there is no interval, for none is known to hold for overlapping splits"


def line(one):
    """Return a contrast in one line."""
    held = "" if math.isnan(one.low) else f" ({interval(one)})"
    p = "" if math.isnan(one.adjusted) else f", adjusted {p_is(one.adjusted)}"
    verdict = f", {one.verdict}" * bool(one.verdict)
    return (
        f"  {shown(one.system)}:"
        f" {number(one.difference, one.high - one.low)}{held}{p}{verdict}"
    )


def verdict(one, evidence, margin):
    """Say what follows from it."""
    name, base = shown(one.system), shown(evidence.baseline)
    more = f" by more than the margin of {margin:g}" if margin else ""
    if one.verdict == "equivalent":
        return (
            f"{name} is as good as {base}, up to the margin of {margin:g}"
            f" ({_equivalence(one)})."
        )
    if one.verdict == "undecided":
        words = _undecided(one, evidence, margin)
    else:
        words = SAID[one.verdict].format(name=name, base=base, more=more)
    return (
        f"{words} Equivalence up to {margin:g}: {_equivalence(one)}."
        if margin
        else words
    )


def _undecided(one, evidence, margin):
    name, base = shown(one.system), shown(evidence.baseline)
    cannot = SAID["cannot"].format(name=name, base=base)
    why = _why_undecided(one, evidence)
    if margin and one.adjusted <= 0.05 and not one.low <= 0 <= one.high:
        way = "better" if one.benefit(evidence.sign)[0] > 0 else "worse"
        return SAID["within"].format(name=name, base=base, way=way, margin=margin)
    if one.low == one.high == 0:
        return SAID["throughout"].format(cannot=cannot)
    if not one.low <= 0 <= one.high:
        return f"{cannot}: {why}" if why else f"{cannot}. {SAID['equal']}"
    low, high = one.benefit(evidence.sign)
    good, bad = (number(end, high - low) for end in (high, -low))
    words = SAID["either way"].format(
        cannot=cannot, name=name, good=good, bad=bad, equal=SAID["equal"]
    )
    return words + (f" {why[0].upper()}{why[1:]}" if why else "")


def _equivalence(one):
    """Say what the test of equivalence gives, which a test of a difference does not."""
    if one.equivalence is None:
        return f"by the 95 % interval, {one.method}"
    p = p_is(one.equivalence.pvalue)
    return f"two one-sided tests, {p}; 90 % interval {ends(one.equivalence.interval)}"


def _why_undecided(one, evidence):
    """Say why nothing is decided, where the interval does not show it."""
    if math.isnan(one.low):
        return ""
    if one.low <= 0 <= one.high:
        return WHY_WIDER.get(one.method, "") if one.adjusted <= 0.05 else ""
    floor = evidence.facts.get("floor", 0)
    if floor > 0.05:
        adjusted = "adjusted " * (len(evidence.systems) > 1)
        return (
            f"with so few data sets no {adjusted}p-value can be below"
            f" {min(floor, 1):.3g}."
        )
    if one.pvalue > 0.05:
        return f"{SAID['disagree']} {WHY_SHORTER.get(one.test, '')}".strip()
    many = f"of {len(evidence.systems):,} comparisons one may exclude it by chance"
    counts = "The adjusted p-value counts them all, and decides."
    return f"the interval excludes 0, but it is not adjusted, and {many}. {counts}"


# Where interval and test are not one calculation they may disagree: why, and which
# decides.
WHY_SHORTER = {
    "McNemar's exact test": (
        "The interval takes the mean over all items to be normally distributed, which"
        " is an approximation; the test asks how the items that one system alone gets"
        " right are shared between the two, and is exact. So the test decides."
    ),
    "Wilcoxon's signed ranks": (
        "The interval takes the differences to be normally distributed; the test uses "
        "their ranks, and needs no such assumption. So the test decides."
    ),
}
_BOTH = "A verdict needs both, so here the interval decides."
WHY_WIDER = {
    "two Clopper-Pearson intervals put together": (
        "the test rejects, but the interval holds 0: put together "
        f"from two intervals that are exact, it is longer than it need be. {_BOTH}"
    ),
    "t over items": (
        "the test rejects, but the interval, which takes the mean over all items to be"
        f" normally distributed, holds 0. {_BOTH}"
    ),
    **dict.fromkeys(
        ("the paired t", "Tango's score over data sets"),
        "the test rejects, but the interval holds 0: the test uses ranks, and asks on"
        " which side most data sets lie; the interval is of the mean, which a few"
        f" large differences make unsure. {_BOTH}",
    ),
}


def unpaired(evidence):
    """Say why runs that share their seeds are not compared in pairs, where they do."""
    if evidence.kind != "seeds" or not evidence.facts["has_seed"]:
        return None
    seeds = evidence.used.groupby("system").seed.agg(set)
    if all(
        seeds[evidence.baseline].isdisjoint(seeds[system])
        for system in evidence.systems
    ):
        return None
    return (
        "Runs that share a seed are not taken as pairs: the same number does not make"
        " runs of two systems alike. (If the seed also drew the training and test"
        " parts, the rows are splits: --unit fold.)"
    )
