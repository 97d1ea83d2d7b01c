"""Chapter 5: counts against the p values of McNemar's test; splits against the errors of three tests."""

import functools

import pandas as pd

from evalkit import runs
from evalkit.experiments.explorers import EFFECTS, SPLITS, TESTS
from evalkit.explore._core import DATA, Control, Explorer, Shown, layered
from evalkit.significance import mcnemar as test

COUNTS = (0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100)
METHODS = ("exact", "mid-p", "chi2", "chi2-corrected")


def show_counts(*, a_only, b_only):
    """Return McNemar's four p values.

    Parameters
    ----------
    a_only, b_only : int
        Items that only the one system has right, and only the other.

    Returns
    -------
    Shown
        Columns `method` and `pvalue`.
    """
    pvalues = [float(test(a_only, b_only, method=method).pvalue) for method in METHODS]
    below = [method for method, p in zip(METHODS, pvalues, strict=True) if p < 0.05]
    agree = (
        "all four stay above 0.05" if not below else "all four fall below 0.05" if len(below) == len(METHODS)
        else f"only {' and '.join(below)} {'falls' if len(below) == 1 else 'fall'} below 0.05"
    )  # fmt: skip
    sentence = (
        f"A alone is right on {a_only} items, B alone on {b_only}: p is {pvalues[0]:.3g} by the exact test, "
        f"{pvalues[1]:.3g} by mid-p, {pvalues[2]:.3g} by chi-squared, and {pvalues[3]:.3g} with the continuity correction; {agree}."
    )
    return Shown(pd.DataFrame({"method": METHODS, "pvalue": pvalues, "drawn": [max(p, 1e-6) for p in pvalues]}), sentence)


def mcnemar():
    """Explore McNemar's test: two counts, four p values.

    Returns
    -------
    Explorer
    """
    controls = (
        Control("a_only", "Items that only A has right", COUNTS, 15),
        Control("b_only", "Items that only B has right", COUNTS, 6),
    )
    return Explorer("mcnemar", "p values of McNemar's test", controls, show_counts, _chart_counts)


def _chart_counts():
    import altair as alt

    scale = alt.Scale(type="log", domain=[1e-6, 1], clamp=True)
    dots = alt.Chart(alt.NamedData(DATA)).mark_point(filled=True, size=160, color="#0072B2").encode(
        y=alt.Y("method:N", sort=None, title=None, axis=alt.Axis(labelLimit=220)),
        x=alt.X("drawn:Q", scale=scale, title="p (at least 0.000001)", axis=alt.Axis(format="~g", tickCount=7)),
    )  # fmt: skip
    rule = alt.Chart(alt.NamedData(DATA)).mark_rule(color="#666666", strokeDash=[3, 3]).encode(x=alt.datum(0.05))
    return layered(dots, rule)


@functools.cache
def _recorded():
    return runs.load_recorded("explorers", "repeated").set_index(["splits", "effect"])


def show_splits(*, splits, effect):
    """Return how often tests over the splits of one data set call two systems different.

    Parameters
    ----------
    splits : int
        Random splits, one in ten items for test.
    effect : float
        The true difference, in standard deviations of one split's difference.

    Returns
    -------
    Shown
        Columns `test` and `rejected`.
    """
    line = _recorded().loc[splits, effect]
    shares = [float(line[f"rejected_{test.replace(' ', '_')}"] / line.samples) for test in TESTS]
    told = "; ".join(f"{test} {share:.1%}" for test, share in zip(TESTS, shares, strict=True))
    truth = "two equal systems" if effect == 0 else f"a difference of {effect:g} standard deviations"
    sentence = (
        f"{splits} random splits of one data set, {truth}: called different at the 5 % level by {told}. "
        + ("Every one of these is an error." if effect == 0 else "This is power, and where errors are too many it is not earned.")
    )
    return Shown(pd.DataFrame({"test": TESTS, "rejected": shares}), sentence)


def repeated_splits():
    """Explore tests over repeated splits: their error rate and power.

    Returns
    -------
    Explorer
    """
    controls = (
        Control("splits", "Number of splits", SPLITS, 10),
        Control("effect", "True difference, in SDs", EFFECTS, 0.0),
    )
    return Explorer("repeated-splits", "How often tests call two systems different", controls, show_splits, _chart_splits)


def _chart_splits():
    import altair as alt

    bars = alt.Chart(alt.NamedData(DATA)).mark_bar(color="#0072B2").encode(
        y=alt.Y("test:N", sort=None, title=None, axis=alt.Axis(labelLimit=220)),
        x=alt.X("rejected:Q", scale=alt.Scale(domain=[0, 1]), title="called different", axis=alt.Axis(format="%")),
    )  # fmt: skip
    rule = alt.Chart(alt.NamedData(DATA)).mark_rule(color="#000000", strokeDash=[3, 3]).encode(x=alt.datum(0.05))
    return layered(bars, rule)
