"""The sentences of a report: what was found, in what it holds, and what to write down."""

import math

from evalkit.reports._faults import count, examples, shown

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
    width = one.high - one.low
    return f"{number(one.low, width)} to {number(one.high, width)}"


def finding(one, evidence, n_family):
    """Say what was found of one system.

    Parameters
    ----------
    one : Contrast
    evidence : Evidence
    n_family : int

    Returns
    -------
    str
    """
    name, base, metric = shown(one.system), shown(evidence.baseline), shown(evidence.metric)
    if math.isnan(one.low):
        return (
            f"{name}: {one.difference:+.4g} in {metric} against {base} on {one.sizes}; whatever the "
            f"predictions were, McNemar's exact test gives {_p(one.pvalue)} at most."
        )
    width = one.high - one.low
    at = " at equal budgets" if evidence.kind == "search" else ""
    adjusted = f", {_p(one.adjusted)} adjusted for {count(n_family, 'comparison')}" if n_family > 1 else ""
    if one.difference:
        how = "higher" if one.difference > 0 else "lower"
        what = f"{name} scores {number(abs(one.difference), width)} {how} than {base} in {metric}{at}"
    else:
        what = f"{name} and {base} score the same in {metric}{at}"
    return (
        f"{what}: 95 % interval of the difference {interval(one)} ({one.test}, {one.sizes}; "
        f"{_p(one.pvalue)}{adjusted})."
    )


def verdict(one, evidence, margin, open_words=()):
    """Say what follows from it.

    Parameters
    ----------
    one : Contrast
    evidence : Evidence
    margin : float or None
    open_words : sequence of str
        Why nothing may follow although the interval looks so.

    Returns
    -------
    str
    """
    name, base = shown(one.system), shown(evidence.baseline)
    more = f" by more than the margin of {margin:g}" if margin else ""
    if one.verdict == "better":
        return f"{name} is better than {base}{more}."
    if one.verdict == "worse":
        return f"{name} is worse than {base}{more}."
    if one.verdict == "equivalent":
        return f"{name} is as good as {base}, up to the margin of {margin:g}."
    cannot = f"This does not tell {name} and {base} apart"
    if math.isnan(one.low):
        return f"{cannot}: with other predictions of the same accuracy the p-value may be above 0.05."
    if margin and one.low * one.high > 0 and one.adjusted <= 0.05:
        return (
            f"{cannot} by more than the margin of {margin:g}, although the interval excludes no difference."
        )
    if one.low == one.high == 0:
        return f"{cannot}: their scores are the same throughout."
    if one.low <= 0 <= one.high:
        width = one.high - one.low
        good = one.high if evidence.sign > 0 else -one.low
        bad = one.low if evidence.sign > 0 else -one.high
        return (
            f"{cannot}: {name} may be better by up to {number(max(good, 0), width)}, or worse by up to "
            f"{number(max(-bad, 0), width)}. That is no proof that they are equal."
        )
    if open_words:
        return f"{cannot}, for it does not hold both ways: {' '.join(open_words)}"
    if (floor := evidence.facts.get("floor", 0)) > 0.05:
        adjusted = "adjusted " * (len(evidence.systems) > 1)
        return f"{cannot}: with so few data sets no {adjusted}p-value can be below {min(floor, 1):.3g}."
    if one.pvalue > 0.05:
        return f"{cannot}: the test does not reject at 0.05."
    return f"{cannot}: of several comparisons one may look like this by chance."


def methods(evidence, findings, bench, version):
    """Return the paragraph for a paper.

    Parameters
    ----------
    evidence : Evidence
    findings : Findings
    bench : Bench
    version : str

    Returns
    -------
    str
    """
    first = findings.contrasts[0]
    systems = examples([one.system for one in findings.contrasts], 6)
    tests = list(dict.fromkeys(one.test for one in findings.contrasts))
    names = {"items": "test items", "seeds": "training runs", "search": "trials of searches"}
    what = names.get(
        evidence.kind, {"folds": "splits", "datasets": "data sets"}.get(evidence.kind, "printed runs")
    )
    parts = [
        f"We compared {systems} with {shown(evidence.baseline)} in {shown(evidence.metric)} "
        f"({evidence.direction} is better) over {what} ({first.sizes}).",
        "Differences are given with 95 % confidence intervals; p-values are two-sided, by "
        f"{' and '.join(tests)}.",
    ]
    if len(findings.contrasts) > 1:
        parts.append(f"They are adjusted by Holm's method for {len(findings.contrasts)} comparisons.")
    if evidence.kind == "search":
        n = first.sizes.split(" trials")[0]
        parts.append(
            f"Searches were compared at equal budgets, by the test score of {n} that validation chose."
        )
    if bench.options.margin:
        parts.append(f"A difference of up to {bench.options.margin:g} was taken not to matter.")
    left = [f"{n:,} rows ({why})" for n, why in bench.left_out]
    if left:
        parts.append(f"Left out were {'; '.join(left)}.")
    parts.append(f"The intervals speak of {findings.varies}. Computed with evalkit {version}.")
    return " ".join(parts)
