"""Chapter 7: the pool, how many runs one has, and n, against the curve, its estimates and its band."""

import functools

import numpy as np
import pandas as pd

from evalkit import runs
from evalkit._checks import check_scores
from evalkit.expected_maximum import expected_max as estimate
from evalkit.expected_maximum import expected_max_band
from evalkit.explore._core import DATA, Control, Explorer, Shown, layered

POOLS = {"bag-of-words MLP": "mlp", "LSTM": "lstm"}
SIZES = (10, 20, 50, 100)
BUDGETS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100)


@functools.cache
def _pool(name):
    table = runs.load_recorded("pools", "search")
    return table.validation[table.system == POOLS[name]].to_numpy()


@functools.cache
def _held(name, size):
    """Return how often the bootstrap interval of U holds the truth, for each n up to the size."""
    table = runs.load_recorded("explorers", "bootstrap")
    (row,) = table[(table.pool == POOLS[name]) & (table["size"] == size)].itertuples()
    return np.array(row.held.split(), dtype=int) / row.samples


@functools.cache
def _curves(scores, minimize, bounds):
    budgets = np.arange(1, len(scores) + 1)
    u, v = (estimate(scores, budgets, estimator=e, minimize=minimize) for e in "uv")
    low, high = expected_max_band(scores, budgets, bounds=bounds, minimize=minimize)
    return pd.DataFrame({"n": budgets, "u": u, "v": v, "low": low, "high": high})


def show(*, pool, size, n):
    """Return the curve of a pool, and what one sample of it says.

    Parameters
    ----------
    pool : {"bag-of-words MLP", "LSTM"}
    size : int
        Runs that one has. Larger samples hold the smaller ones.
    n : int
        The budget that the sentence speaks of; at most the size.

    Returns
    -------
    Shown
        Columns `n`, `truth`, `u`, `v`, `low`, `high` (the 95 % KS band) and `at`, the budget.
    """
    scores = _pool(pool)
    sample = np.random.default_rng(7).permutation(scores)[:size]
    at = min(n, size)
    rows = _curves(tuple(sample), False, (0.0, 1.0)).copy()
    rows.insert(1, "truth", estimate(scores, rows.n.to_numpy(), estimator="v"))
    rows["at"] = at
    here = rows.iloc[at - 1]
    clamped = f" (n is at most the {size} runs that there are)" if at < n else ""
    sentence = (
        f"Best of n = {at}{clamped}, from {size} runs of the {pool}: the truth is {here.truth:.3f}. This sample "
        f"says {here.u:.3f} by U and {here.v:.3f} by V; its 95 % band goes from {here.low:.3f} to {here.high:.3f}. "
        f"A percentile bootstrap interval of U holds the truth in {_held(pool, size)[at - 1]:.0%} of such samples."
    )
    return Shown(rows, sentence)


def _show_own(scores, minimize, bounds, *, n):
    rows = _curves(scores, minimize, bounds).copy()
    rows.insert(1, "truth", np.nan)
    rows["at"] = n
    here = rows.iloc[n - 1]
    sentence = (
        f"Best of n = {n}, from your {len(scores)} runs: {here.u:.4g} by U, {here.v:.4g} by V; the 95 % band goes "
        f"from {here.low:.4g} to {here.high:.4g}."
    )
    return Shown(rows, sentence)


def expected_max(scores=None, *, bounds=(0.0, 1.0), minimize=False):
    """Explore the expected maximum: the curve, U, V and the band.

    Parameters
    ----------
    scores : array_like of float, shape (N,), optional
        Your own runs; without them, samples of the pools of the chapter, whose truth is known.
    bounds : tuple of float, default (0, 1)
        Of your scores.
    minimize : bool, default False
        Whether lower is better.

    Returns
    -------
    Explorer
    """
    if scores is None:
        controls = (
            Control("pool", "Network", tuple(POOLS), "LSTM"),
            Control("size", "N, runs one has", SIZES, 50),
            Control("n", "n, runs of which the best is taken", BUDGETS, 20),
        )
        return Explorer("expected-maximum", "Expected best of n, true and estimated", controls, show, _chart)
    own = tuple(check_scores(scores, "scores"))
    _curves(own, minimize, bounds)  # complains now of what it cannot take
    controls = (Control("n", "n", tuple(range(1, len(own) + 1)), max(1, len(own) // 5)),)
    return Explorer(
        "expected-maximum", "Expected best of n of your runs", controls,
        functools.partial(_show_own, own, minimize, bounds), _chart,
    )  # fmt: skip


def _chart():
    import altair as alt

    base = alt.Chart(alt.NamedData(DATA)).encode(x=alt.X("n:Q", title="n", scale=alt.Scale(nice=False)))
    score = {"title": "expected best", "scale": alt.Scale(zero=False)}
    names = {"truth": ("truth", "#000000", [1, 0]), "u": ("U, unbiased", "#0072B2", [6, 3]), "v": ("V, biased", "#D55E00", [2, 2])}
    lines = base.transform_fold(list(names), as_=["key", "score"]).transform_filter("isValid(datum.score)").mark_line().encode(
        y=alt.Y("score:Q", **score),
        color=alt.Color("key:N", scale=alt.Scale(domain=list(names), range=[c for _, c, _ in names.values()]),
                        legend=alt.Legend(title=None, labelExpr="{'truth': 'truth', 'u': 'U, unbiased', 'v': 'V, biased'}[datum.label]")),
        strokeDash=alt.StrokeDash("key:N", scale=alt.Scale(domain=list(names), range=[d for _, _, d in names.values()]), legend=None),
    )  # fmt: skip
    band = base.mark_area(color="#0072B2", opacity=0.15).encode(y=alt.Y("low:Q", **score), y2="high:Q")
    rule = alt.Chart(alt.NamedData(DATA)).mark_rule(color="#666666", strokeDash=[3, 3]).encode(x="max(at):Q")
    return layered(band, rule, lines)
