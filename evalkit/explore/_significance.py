"""Chapter 5: counts against the p values of McNemar's test; splits against the errors of three tests."""

import functools

import pandas as pd

from evalkit.explore._core import DATA, REFERENCE, Control, Explorer, View, bars, layered
from evalkit.explore._tables import check_recorded
from evalkit.explore._words import enumeration, plural
from evalkit.plots import COLOURS
from evalkit.significance import mcnemar as mcnemar_test

__all__ = ["mcnemar", "repeated_splits"]

COUNTS = (0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100)
METHODS = {"exact": "exact", "mid-p": "mid-p", "chi-squared": "chi2", "corrected": "chi2-corrected"}
LOWEST = 1e-6  # p value that the chart tells apart from smaller ones
TESTS = {
    "Wilcoxon": "rejected_wilcoxon",
    "paired t": "rejected_paired_t",
    "corrected t": "rejected_corrected_t",
}


def show_counts(*, a_only, b_only):
    """Return McNemar's four p values.

    Parameters
    ----------
    a_only, b_only : int
        Items that only the one system has right, and only the other.

    Returns
    -------
    View
        Columns `method`, `pvalue` and `clipped`, to what the chart can hold.
    """
    pvalues = {
        name: float(mcnemar_test(a_only, b_only, method=method).pvalue) for name, method in METHODS.items()
    }
    below = [name for name, p in pvalues.items() if p < 0.05]
    verdict = "all four fall below 0.05" if below else "all four stay above 0.05"
    if 0 < len(below) < len(METHODS):
        verdict = f"only {enumeration(below)} fall{'s' * (len(below) == 1)} below 0.05"
    sentence = (
        f"A alone is right on {plural(a_only, 'item')}, B alone on {b_only}. The p value is "
        f"{pvalues['exact']:.4g} by the exact test, {pvalues['mid-p']:.4g} by mid-p, "
        f"{pvalues['chi-squared']:.4g} by chi-squared, and {pvalues['corrected']:.4g} with its continuity "
        f"correction: {verdict}."
    )
    clipped = [max(p, LOWEST) for p in pvalues.values()]
    return View(
        pd.DataFrame({"method": list(pvalues), "pvalue": list(pvalues.values()), "clipped": clipped}),
        sentence,
    )


def mcnemar():
    """Explore McNemar's test: two counts, four p values.

    Returns
    -------
    Explorer
    """
    controls = (
        Control("a_only", "Items that only A has right", COUNTS, 15, range(1001)),
        Control("b_only", "Items that only B has right", COUNTS, 6, range(1001)),
    )
    return Explorer("mcnemar", "p values of McNemar's test", controls, show_counts, _chart_counts)


def _chart_counts():
    import altair as alt

    data = alt.Chart(alt.NamedData(DATA))
    # Its ends are not the data's, so that a dot that moves is a p value that moves.
    scale = alt.Scale(type="log", domain=[LOWEST, 1], clamp=True)
    dots = data.mark_point(filled=True, size=160, color=COLOURS["one"], opacity=1).encode(
        y=alt.Y("method:N", sort=None, title=None),
        x=alt.X(
            "clipped:Q",
            scale=scale,
            title=["p value", "(dashed: 0.05)"],
            axis=alt.Axis(values=[LOWEST, 1e-4, 0.01, 1], format="~g"),
        ),
    )
    return layered(dots, data.mark_rule(**REFERENCE).encode(x=alt.datum(0.05)))


def show_splits(simulated, *, splits, effect):
    """Return how often tests over the splits of one data set call two systems different.

    Parameters
    ----------
    simulated : DataFrame
        By `splits` and `effect`: of so many samples, how many each test declared different.
    splits : int
        Random splits, one in ten items for test.
    effect : float
        The true difference, in standard deviations of one split's difference.

    Returns
    -------
    View
        Columns `test` and `rejected`.
    """
    line = simulated.loc[splits, effect]
    shares = {name: float(line[column] / line.samples) for name, column in TESTS.items()}
    listing = ", ".join(f"{name} in {share:.1%}" for name, share in shares.items())
    if effect:
        subject = f"Two systems whose difference is {effect:g} times the standard deviation of one split's"
        meaning = "This is power, but only a test that keeps its 5% at a difference of 0 has earned it."
    else:
        subject, meaning = "Two systems that are equal", "Every one of these is an error, and 5% are allowed."
    few = " Five differences cannot make Wilcoxon's p smaller than 0.0625." if splits == 5 else ""
    sentence = (
        f"{subject}, {splits} random splits of one data set: declared different by {listing} of the cases. "
        f"{meaning}{few}"
    )
    return View(pd.DataFrame({"test": list(shares), "rejected": list(shares.values())}), sentence)


def repeated_splits(*, recorded=None):
    """Explore tests over repeated splits: their error rate and power.

    Parameters
    ----------
    recorded : DataFrame
        The chapter's table: how often each test called two systems different.

    Returns
    -------
    Explorer
    """
    recorded = check_recorded(recorded, ("splits", "effect", "samples", *TESTS.values()))
    counts, effects = (tuple(sorted(recorded[name].unique().tolist())) for name in ("splits", "effect"))
    controls = (
        Control("splits", "Number of splits", counts, 10),
        Control("effect", "True difference, in SDs of a split", effects, 0.0),
    )
    title = "How often tests call two systems different"
    show_setting = functools.partial(show_splits, recorded.set_index(["splits", "effect"]))
    return Explorer("repeated-splits", title, controls, show_setting, _chart_splits)


def _chart_splits():
    return bars("test", "rejected", ["declared different", "(dashed: 5%)"], reference=0.05)
