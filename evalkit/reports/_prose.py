"""The sentences of a report: what was found, in what it holds, and what to write down."""

import math

from evalkit.reports._faults import count, listed, shown

_WAYS = {"higher": ("higher", "lower"), "lower": ("lower", "higher")}


def number(value, width):
    """Return a number with as many digits as its interval leaves.

    Parameters
    ----------
    value : float
    width : float
        Of the interval: two of its digits are kept.

    Returns
    -------
    str
    """
    if not math.isfinite(value):
        return "?"
    if not width or not math.isfinite(width):
        return f"{value:.4g}"
    digits = max(0, 1 - math.floor(math.log10(abs(width) / 2)))
    if digits > 8:
        return f"{value:.3g}".replace("-", "\u2212")
    # An end near 0 keeps a digit more: -0.000 hides on which side it lies.
    text = next((t for d in range(3) if float(t := f"{value:.{digits + d}f}")), f"{0:.{digits}f}")
    return text.replace("-", "\u2212")


def pvalue(p):
    """Return a p-value as it is printed.

    Parameters
    ----------
    p : float

    Returns
    -------
    str
    """
    text = f"{p:.2g}" if p >= 0.0001 else "< 0.0001"
    return f"{p:.4g}" if text == "0.05" else text  # on which side of it?


def _p(p):
    text = pvalue(p)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def interval(one):
    """Return the interval of a contrast in words.

    Parameters
    ----------
    one : Contrast

    Returns
    -------
    str
    """
    if math.isnan(one.low):
        return "none"
    width = one.high - one.low
    return f"{number(one.low, width)} to {number(one.high, width)}"


def finding(one, evidence, n_family, quantity="", *, is_whole=True):
    """Say what was found of one system.

    Parameters
    ----------
    one : Contrast
    evidence : Evidence
    n_family : int
    quantity : str, default ""
        The name of what is compared.
    is_whole : bool, default True
        Whether to say how, which the sentence before may have done.

    Returns
    -------
    str
    """
    name, base, metric = shown(one.system), shown(evidence.baseline), shown(evidence.metric)
    if evidence.kind == "summary" and evidence.facts["by_items"]:
        return (
            f"{name}: {one.difference:+.4g} in {metric} against {base} on {one.sizes}; whatever the "
            f"predictions were, McNemar's exact test gives {_p(one.pvalue)} at most."
        )
    at = " at equal budgets" if evidence.kind == "search" else ""
    p = f"{_p(one.pvalue)}{_adjusted(one, n_family, is_whole)}"
    of = f"{metric}{at}" + f" ({quantity})" * bool(quantity and is_whole)
    if evidence.facts.get("metrics"):
        won, lost = one.more
        what = f"{name} is better than {base} on {won} data sets and worse on {lost}"
    elif one.difference:
        how = "higher" if one.difference > 0 else "lower"
        what = f"{name} scores {number(abs(one.difference), one.high - one.low)} {how} than {base} in {of}"
    else:
        what = f"{name} and {base} score the same in {of}"
    if math.isnan(one.low):
        return f"{what}: {p}" + f" ({one.test}, {one.sizes})" * is_whole + f"; {NO_INTERVAL[evidence.kind]}."
    ends = f"95 % interval of the difference {interval(one)}"
    if not is_whole:
        return f"{what}: {ends}; {p}."
    if one.method == one.test:
        return f"{what}: {ends}; {p} (both by {one.test}, {one.sizes})."
    return f"{what}: {ends} ({one.method}); {p} ({one.test}, {one.sizes})."


NO_INTERVAL = {
    "folds": "there is no interval, for none is known to hold for overlapping splits",
    "datasets": "there is no interval, for the data sets have several metrics, and their differences no mean",
}


def _adjusted(one, n_family, is_whole):
    if n_family < 2:
        return ""
    family = f" for {count(n_family, 'comparison')}" * is_whole
    if pvalue(one.adjusted) == pvalue(one.pvalue):
        return f", the same adjusted{family}"
    return f", adjusted{family} {_p(one.adjusted)}"


def line(one):
    """Return a contrast in one line.

    Parameters
    ----------
    one : Contrast

    Returns
    -------
    str
    """
    ends = "" if math.isnan(one.low) else f" ({interval(one)})"
    rest = "".join(
        f", {word}" for word in (not math.isnan(one.adjusted) and _p(one.adjusted), one.verdict) if word
    )
    return f"  {shown(one.system)}: {number(one.difference, one.high - one.low)}{ends}{rest}"


def summary(evidence, found, margin, is_open, quantity):
    """Say in one paragraph what was found of many systems.

    Parameters
    ----------
    evidence : Evidence
    found : sequence of Contrast
    margin : float or None
    is_open : bool
    quantity : str

    Returns
    -------
    str
    """
    base, of, why = shown(evidence.baseline), {}, {}
    for one in found:
        of.setdefault(one.verdict, []).append(one.system)
        if one.verdict == "undecided" and (words := _why(one, evidence, margin, is_open)):
            why.setdefault(words, []).append(one.system)
    ways = {
        "better": f"better than {base}",
        "worse": f"worse than {base}",
        "equivalent": f"as good as {base}, up to the margin",
        "undecided": f"not told apart from {base}",
    }
    parts = [
        f"{len(of[key]):,} {'is' if len(of[key]) == 1 else 'are'} {words} ({listed(of[key], 12)})"
        for key, words in ways.items()
        if key in of
    ]
    of = f"in {shown(evidence.metric)} ({quantity})"
    out = f"Of {count(len(found), 'system')}, {of}, {'; '.join(parts)}."
    if "undecided" in of:
        out += " Not being told apart is no proof of being equal."
    return " ".join([out, *(f"{listed(names, 12)}: {words}" for words, names in why.items())])


def verdict(one, evidence, margin, is_open=False):
    """Say what follows from it.

    Parameters
    ----------
    one : Contrast
    evidence : Evidence
    margin : float or None
    is_open : bool, default False
        Whether a question is open, so that nothing may follow although the interval looks so.

    Returns
    -------
    str
    """
    words = _verdict(one, evidence, margin, is_open)
    if not margin or one.verdict == "equivalent":
        return words
    return f"{words} Equivalence up to {margin:g}: {_equal(one)}."


def _verdict(one, evidence, margin, is_open):
    name, base = shown(one.system), shown(evidence.baseline)
    more = f" by more than the margin of {margin:g}" if margin else ""
    if one.verdict == "better":
        return f"{name} is better than {base}{more}."
    if one.verdict == "worse":
        return f"{name} is worse than {base}{more}."
    if one.verdict == "equivalent":
        return f"{name} is as good as {base}, up to the margin of {margin:g} ({_equal(one)})."
    cannot = f"This does not tell {name} and {base} apart"
    if evidence.kind == "summary" and math.isnan(one.low):
        return f"{cannot}: with other predictions of the same accuracy the p-value may be above 0.05."
    if math.isnan(one.low):
        return f"{cannot}. That is no proof that they are equal."
    if one.low == one.high == 0:
        return f"{cannot}: their scores are the same throughout."
    why = _why(one, evidence, margin, is_open)
    if not one.low <= 0 <= one.high:
        return f"{cannot}: {why}"
    width = one.high - one.low
    good = one.high if evidence.sign > 0 else -one.low
    bad = one.low if evidence.sign > 0 else -one.high
    words = (
        f"{cannot}: {name} may be better by up to {number(max(good, 0), width)}, or worse by up to "
        f"{number(max(-bad, 0), width)}. That is no proof that they are equal."
    )
    return f"{words} {why[0].upper()}{why[1:]}" if why else words


def _equal(one):
    """Say what the test of equivalence gives, which a test of a difference does not."""
    if one.equivalence is None:
        return f"by the 95 % interval, {one.method}"
    low, high = one.equivalence.interval
    ends = f"{number(low, high - low)} to {number(high, high - low)}"
    return f"two one-sided tests, {_p(one.equivalence.pvalue)}; 90 % interval {ends}"


def _why(one, evidence, margin, is_open):
    """Say why nothing is decided, where the interval does not show it."""
    if math.isnan(one.low):
        return ""
    if one.low <= 0 <= one.high:
        return _WHY_WIDER.get(one.method, "") if one.adjusted <= 0.05 else ""
    floor = evidence.facts.get("floor", 0)
    if floor > 0.05:
        adjusted = "adjusted " * (len(evidence.systems) > 1)
        return f"with so few data sets no {adjusted}p-value can be below {min(floor, 1):.3g}."
    if one.pvalue > 0.05:
        why = _WHY_SHORTER.get(one.test, "")
        return f"the interval excludes 0, but the test does not reject at 0.05. {why}".strip()
    if one.adjusted > 0.05:
        return (
            f"the interval excludes 0, but it is not adjusted, and of {len(evidence.systems):,} comparisons "
            "one may exclude it by chance. The adjusted p-value counts them all, and decides."
        )
    if is_open:
        return "with the open question decided otherwise the verdict is another."
    return f"the interval excludes 0, but not every difference up to the margin of {margin:g}."


# Where interval and test are not one calculation they may disagree: why, and which decides.
_WHY_SHORTER = {
    "McNemar's exact test": "The interval takes the mean over all items to be normally distributed, which is "
    "an approximation; the test asks how the items that one system alone gets right are shared between the "
    "two, and is exact. So the test decides.",
    "Wilcoxon's signed ranks": "The interval takes the differences to be normally distributed; the test uses "
    "their ranks, and needs no such assumption. So the test decides.",
}
_BOTH = "A verdict needs both, so here the interval decides."
_WHY_WIDER = {
    "two Clopper-Pearson intervals put together": "the test rejects, but the interval holds 0: put together "
    f"from two intervals that are exact, it is longer than it need be. {_BOTH}",
    "t over items": "the test rejects, but the interval, which takes the mean over all items to be normally "
    f"distributed, holds 0. {_BOTH}",
    **dict.fromkeys(
        ("the paired t", "Tango's score over data sets"),
        "the test rejects, but the interval holds 0: the test uses ranks, and asks on which side most data "
        f"sets lie; the interval is of the mean, which a few large differences make unsure. {_BOTH}",
    ),
}


def unpaired(evidence):
    """Say why runs that share their seeds are not compared in pairs, where they do.

    Parameters
    ----------
    evidence : Evidence

    Returns
    -------
    str or None
    """
    if evidence.kind != "seeds" or not evidence.facts["has_seed"]:
        return None
    seeds = evidence.used.groupby("system").seed.agg(set)
    if not any(seeds[evidence.baseline] & seeds[system] for system in evidence.systems):
        return None
    return (
        "Runs that share a seed are not taken as pairs: the same number does not by itself make the runs of "
        "two systems alike, and Welch's t needs no pairs. (If the seed also drew the training and test "
        "parts, the rows are splits: --unit fold.)"
    )
