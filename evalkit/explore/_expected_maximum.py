"""Chapter 7: the pool, how many runs one has, and n, against the curve, its estimates and its band."""

import functools

import numpy as np
import pandas as pd

from evalkit import recorded
from evalkit._checks import _show, check_bool, check_scores, check_work
from evalkit.expected_maximum import expected_max, expected_max_band
from evalkit.experiments.explorers import SIZES
from evalkit.explore._core import (
    DATA,
    NETWORKS,
    REFERENCE,
    Control,
    Explorer,
    View,
    layered,
    line_styles,
    stops,
)
from evalkit.explore._words import decimal, plural
from evalkit.plots import COLOURS, NAMES
from evalkit.recorded import unpack

__all__ = ["expected_maximum"]

BUDGETS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100)
_MOST_RUNS = 5000
CURVES = ("truth", "u", "v")  # in the order of the legend


@functools.cache
def _pool(name):
    table = recorded.load_recorded("pools", "search")
    return table.validation[table.system == NETWORKS[name]].to_numpy()


@functools.cache
def _coverage(name):
    """Return how often the bootstrap interval of U holds the truth: by size, for each n up to it."""
    table = recorded.load_recorded("explorers", "bootstrap")
    table = table[table.pool == NETWORKS[name]]
    return {
        size: unpack(held) / samples
        for size, held, samples in zip(table["size"], table.held, table.samples, strict=True)
    }


@functools.cache
def _curves(scores, end, minimize, bounds):
    budgets = np.arange(1, end + 1)
    low, high = expected_max_band(scores, budgets, bounds=bounds, minimize=minimize)
    v = expected_max(scores, budgets, estimator="v", minimize=minimize)
    u = np.full(end, np.nan)  # it has no answer for more than there are
    u[: len(scores)] = expected_max(scores, budgets[: len(scores)], minimize=minimize)
    return pd.DataFrame({"n": budgets, "u": u, "v": v, "low": low, "high": high})


def _view(rows, n, sentence):
    """Cut the band where the figure ends: whole, it leaves no room for the difference of the lines."""
    curves = rows[rows.columns.intersection(CURVES)]
    bottom, top = np.nanmin(curves), np.nanmax(curves)
    margin = (top - bottom) / 3 or 0.01
    band = {"low": rows.low.clip(lower=bottom - margin), "high": rows.high.clip(upper=top + margin)}
    return View(rows.assign(cursor=n, **band), sentence)


def show(*, pool, size, n):
    """Return the curve of a pool, and what one sample of it says.

    Parameters
    ----------
    pool : {"LSTM", "bag-of-words MLP"}
    size : int
        N, the runs that one has, drawn from the pool with replacement. Larger samples hold the smaller ones.
    n : int
        The budget that the sentence speaks of.

    Returns
    -------
    View
        Columns `n`, `truth`, `u` (up to N), `v`, `low`, `high` (the 95% KS band, cut where the
        figure ends) and `cursor`, the budget.
    """
    scores = _pool(pool)
    sample = np.random.default_rng(7).choice(scores, SIZES[-1])[:size]
    rows = _curves(tuple(sample), max(n, size), False, (0.0, 1.0)).copy()
    rows.insert(1, "truth", expected_max(scores, rows.n.to_numpy(), estimator="v"))
    here = rows.iloc[n - 1]
    sentence = (
        f"Best of n = {n}, from N = {size} runs of the {pool}: the truth is {here.truth:.3f}. This sample "
        f"says {_estimates(here)}; its 95% band, for all n at once, goes from {here.low:.3f} to "
        f"{here.high:.3f}."
    )
    if n <= size and size in _coverage(pool):
        share = _coverage(pool)[size][n - 1]
        sentence += (
            f" A 95% bootstrap interval around U, for this n, holds the truth in {share:.0%} of such samples."
        )
    return _view(rows, n, sentence)


def _estimates(here, write=lambda score: f"{score:.3f}"):
    if np.isnan(here.u):
        return f"{write(here.v)} by V, and U has no answer for an n above N"
    return f"{write(here.u)} by U and {write(here.v)} by V"


def _show_own(scores, minimize, bounds, *, n):
    rows = _curves(scores, len(scores), minimize, bounds)
    here = rows.iloc[n - 1]
    write = functools.partial(decimal, spread=float(np.ptp(scores)))
    sentence = (
        f"Best of n = {n}, from your {plural(len(scores), 'run')}: {_estimates(here, write)}; the 95% band, "
        f"for all n at once, goes from {write(here.low)} to {write(here.high)}."
    )
    return _view(rows, n, sentence)


def expected_maximum(scores=None, *, bounds=(0.0, 1.0), minimize=False):
    """Explore the expected maximum: the curve, U, V and the band.

    Parameters
    ----------
    scores : array_like of float, shape (N,), optional
        Your own runs; without them, samples of the pools of the chapter, whose truth is known.
    bounds : pair of float, default (0, 1)
        The lowest and the highest of your scores that there can be; infinite where there is no end.
    minimize : bool, default False
        Whether lower is better.

    Returns
    -------
    Explorer

    Notes
    -----
    Size: up to 5,000 runs of your own, a page of them in 30 s and 500 MB.
    """
    if scores is None:
        controls = (
            Control("pool", "Network", tuple(NETWORKS), "LSTM"),
            Control("size", "N, runs one has", SIZES, 50, range(2, SIZES[-1] + 1)),
            Control("n", "n, runs of which the best is taken", BUDGETS, 20, range(1, BUDGETS[-1] + 1)),
        )
        return Explorer("expected-maximum", "Expected best of n, true and estimated", controls, show, _chart)
    own = tuple(check_scores(scores, "scores"))
    check_work(len(own), _MOST_RUNS, f"scores has {len(own):,} values", "take a random part of them")
    if not isinstance(bounds, (tuple, list)):
        raise TypeError(f"bounds must be a pair (low, high), got {_show(bounds)}")
    show_budget = functools.partial(_show_own, own, check_bool(minimize, "minimize"), tuple(bounds))
    show_budget(n=1)  # complains now of what it cannot take
    budgets = stops(len(own))
    start = max(n for n in budgets if n <= max(1, len(own) // 5))
    n = Control("n", "n, runs of which the best is taken", budgets, start, range(1, len(own) + 1))
    chart = functools.partial(_chart, ("u", "v"))
    return Explorer("expected-maximum", "Expected best of n of your runs", (n,), show_budget, chart)


def _chart(curves=CURVES):
    import altair as alt

    labels = alt.Legend(labelExpr=f"{ {key: NAMES[key] for key in curves} }[datum.label]")
    score = alt.Scale(zero=False, nice=False)
    data = alt.Chart(alt.NamedData(DATA)).encode(x=alt.X("n:Q", title="n", scale=alt.Scale(nice=False)))
    band = data.transform_filter("isValid(datum.low) && isValid(datum.high)").mark_area(
        color=COLOURS["u"], opacity=0.15
    )
    lines = data.transform_fold(curves, as_=["line", "score"]).transform_filter("isValid(datum.score)")
    return layered(
        band.encode(y=alt.Y("low:Q", scale=score, title="expected best score"), y2="high:Q"),
        alt.Chart(alt.NamedData(DATA)).mark_rule(**REFERENCE).encode(x="max(cursor):Q"),
        lines.mark_line().encode(
            *line_styles("line", {key: key for key in curves}, legend=labels),
            y=alt.Y("score:Q", scale=score),
        ),
    )
