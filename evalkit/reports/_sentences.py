"""The sentences of a report: what was found, in what it holds, and what to write
down.
"""

import math

from evalkit.reports._compare import ALPHA, NO_METHOD
from evalkit.reports._refused import count, listed, shown
from evalkit.reports._scope import floor


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
    if text != "0.05":
        return text
    more = (f"{p:.{digits}g}" for digits in range(4, 18))  # on which side of it?
    return next(text for text in more if (float(text) <= ALPHA) == (p <= ALPHA))


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


def verdict(one, evidence):
    """Say what follows from it."""
    margin = evidence.options.margin
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
    if (least := floor(evidence)) > ALPHA:
        adjusted = "adjusted " * (len(evidence.systems) > 1)
        return (
            f"with so few data sets no {adjusted}p-value can be below"
            f" {min(least, 1):.3g}."
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
        "The interval is of McNemar's test without a correction, an approximation; the"
        " exact test is a little more careful. So the test decides."
    ),
    "Wilcoxon's signed ranks": (
        "The interval takes the differences to be normally distributed; the test uses "
        "their ranks, and needs no such assumption. So the test decides."
    ),
}
_BOTH = "A verdict needs both, so here the interval decides."
WHY_WIDER = {
    **dict.fromkeys(
        ("the paired t", "Tango's score over data sets"),
        "the test rejects, but the interval holds 0: the test uses ranks, and asks on"
        " which side most data sets lie; the interval is of the mean, which a few"
        f" large differences make unsure. {_BOTH}",
    ),
}


# --------------------------------------------------------------------------------------
# For a paper
# --------------------------------------------------------------------------------------

MOST = 3  # comparisons that have a sentence each


def paragraphs(evidence, findings, version):
    """Return the paragraphs for a paper."""
    words = [methods(evidence, findings, version)]
    if len(findings.contrasts) > MOST:
        words.append(f"{summary(evidence, findings)} The table has each difference.")
    else:
        words.append(" ".join(" ".join(pair) for pair in answers(evidence, findings)))
    looked = " ".join(
        f"{fault.what} We left it as it is." for fault in evidence.confirmed
    )
    return [*words, *filter(None, [looked])]


def methods(evidence, findings, version):
    """Say what was compared and how."""
    found, margin = findings.contrasts, evidence.options.margin
    names, base = listed([one.system for one in found], 12), shown(evidence.baseline)
    metric, better = shown(evidence.metric), f"{evidence.direction} is better"
    of = f"{metric} ({findings.quantity}; {better})"
    first = f"We compared {names} with {base} in {of}: {sizes(found)}."
    parts = [first, _statistics(found)]
    if margin:
        parts.append(f"A difference of up to {margin:g} was taken not to matter.")
    parts.append(
        f"The answer is about {findings.varies}. Computed with evalkit {version}."
    )
    return " ".join(parts)


def sizes(found):
    """Say how much the comparisons rest on, of each system if it is not the same for
    all.
    """
    of = {}
    for one in found:
        of.setdefault(one.sizes, []).append(one.system)
    return "; ".join(
        f"{listed(names, 12)}: {size}" if len(of) > 1 else size
        for size, names in of.items()
    )


def _statistics(found):
    tests, ways = (
        list(dict.fromkeys(getattr(one, of) for one in found))
        for of in ("test", "method")
    )
    by, none = listed(tests), NO_INTERVAL
    intervals = "Confidence intervals of the difference (95 %)"
    if ways == [NO_METHOD]:
        out = f"{none[0].upper()}{none[1:]}; p-values are two-sided, by {by}."
    elif ways == tests:
        out = f"{intervals} and two-sided p-values are by {by}."
    else:
        out = f"{intervals} are by {listed(ways)}, two-sided p-values by {by}."
    if len(found) == 1:
        return out
    family = count(len(found), "comparison") + "; the intervals are not" * (
        ways != [NO_METHOD]
    )
    return f"{out} The p-values are adjusted by Holm's method for {family}."


_VERDICTS = {
    "better": "better than {}",
    "worse": "worse than {}",
    "equivalent": "as good as {}, up to the margin",
    "undecided": "not told apart from {}",
}


def summary(evidence, findings):
    """Return in one paragraph what was found of many systems."""
    of, parts = {}, []
    for one in findings.contrasts:
        of.setdefault(one.verdict, []).append(one.system)
    for verdict, words in _VERDICTS.items():
        if names := of.get(verdict):
            are = f"{len(names):,} {'is' if len(names) == 1 else 'are'}"
            parts.append(
                f"{are} {words.format(shown(evidence.baseline))} ({listed(names, 12)})"
            )
    lead = f"Of {count(len(findings.contrasts), 'system')}, in {shown(evidence.metric)}"
    equal = " Not to tell two systems apart does not prove that they are equal." * (
        "undecided" in of
    )
    split = [
        c.system
        for c in findings.contrasts
        if c.verdict == "undecided" and c.adjusted <= ALPHA
    ]
    both = (
        f" For {listed(split)} the test rejects, but the interval holds 0; a verdict"
        " needs both."
    )
    return (
        f"{lead} ({findings.quantity}), {'; '.join(parts)}.{equal}{both * bool(split)}"
    )


def answers(evidence, findings):
    """Return what was found of each system, and what follows from it."""
    found, out, said = findings.contrasts, [], None
    for one in found:
        how = one.method, one.test, one.sizes
        lead = finding(
            one, evidence, len(found), findings.quantity, is_whole=how != said
        )
        out.append((lead, verdict(one, evidence)))
        said = how
    return out


# --------------------------------------------------------------------------------------
# What was understood
# --------------------------------------------------------------------------------------


def understood(evidence):
    """Return what each column was taken for, and what is in it, as pairs of words."""
    frame, names = evidence.used, evidence.names
    of = frame.groupby("system", sort=False)["score"].agg(["size", "min", "max"])
    rows = [
        (f"system {shown(name)}", f"{count(n, 'row')}, scores {low:.6g} to {high:.6g}")
        for name, n, low, high in of.head(12).itertuples()
    ]
    rows += [("and more", count(len(of) - 12, "system"))] * (len(of) > 12)
    for role in (*evidence.keys, *("group",) * (evidence.group is not None)):
        values = frame[role].drop_duplicates()
        ends = f"{shown(values.iloc[0])} to {shown(values.iloc[-1])}"
        rows.append(
            (f"{role}: {shown(names[role])}", f"{count(len(values), 'value')}, {ends}")
        )
    better = f"{evidence.direction} is better"
    rows.append(("score", f"{shown(evidence.metric)}, {better}"))
    if "validation" in frame:
        rows.append(("validation", shown(names["validation"])))
    if evidence.kind == "search":
        settings = listed(names.get("setting", ()), 12)
        rows.append(("trials", f"drawn at random, settings {settings or 'not named'}"))
    if evidence.kind == "items":
        of = frame.pivot_table("score", "item", "system")
        shared = of.corrwith(of[evidence.baseline])[[*evidence.systems]].dropna()
        ends = dict.fromkeys(f"{end:.2f}" for end in (shared.min(), shared.max()))
        words = f"correlate with the baseline's by {' to '.join(ends)}"
        rows += [("scores of an item", words)] * (shared.size > 0)
    rows += [tuple(map(shown, fact.split(": ", 1))) for fact in evidence.facts]
    ignored = listed(evidence.options.ignore, 12)
    return [*rows, *[("ignored", ignored)] * bool(ignored)]
