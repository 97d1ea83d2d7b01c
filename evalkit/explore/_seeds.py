"""Chapter 6: the number of seeds and the size of a difference against how often the wrong system wins."""

import functools

import numpy as np
import pandas as pd

from evalkit import runs
from evalkit.explore._core import DATA, Control, Explorer, Shown, layered

NETWORKS = {"LSTM": "lstm", "bag-of-words MLP": "mlp"}
COUNTS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30)
GAINS = (0.0, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)
DRAWS = 20_000
EDGES = np.linspace(-4, 4, 33)


@functools.cache
def _scores(network):
    table = runs.load_recorded("pools", "seeds")
    return 100 * table.test[table.system == NETWORKS[network]].to_numpy()


@functools.cache
def _difference(network, count):
    """Return differences of two means of so many seeds of the *same* system, in points."""
    scores, rng = _scores(network), np.random.default_rng(6)
    one, other = (rng.choice(scores, (DRAWS, count)).mean(axis=1) for _ in range(2))
    return one - other


def show(*, network, count, gain):
    """Return how the measured difference of two systems scatters, one better than the other by a gain.

    Parameters
    ----------
    network : {"LSTM", "bag-of-words MLP"}
        Whose seeds scatter.
    count : int
        Seeds of each system.
    gain : float
        True difference, in points of accuracy.

    Returns
    -------
    Shown
        Columns `difference` (the middle of a bin), `share` and `wrong`.
    """
    found = gain + _difference(network, count)
    share = np.histogram(np.clip(found, EDGES[0], EDGES[-1]), EDGES)[0] / DRAWS
    middle = (EDGES[1:] + EDGES[:-1]) / 2
    wrong = float((found < 0).mean())
    low, high = np.quantile(found, [0.025, 0.975])
    told = f"the worse system wins {wrong:.1%} of the time" if gain else f"one of two equal systems wins by {high:.1f} points or more 5 % of the time"
    sentence = (
        f"With {count} seed{'s' * (count > 1)} of each, and one system truly better by {gain:g} points, {told}. The measured "
        f"difference lies between {low:+.1f} and {high:+.1f} in 95 of 100 comparisons."
    )
    return Shown(pd.DataFrame({"difference": middle, "share": share, "wrong": np.where(middle < 0, "the worse wins", "the better wins")}), sentence)


def seeds():
    """Explore seeds: how many it takes to see a difference.

    Returns
    -------
    Explorer
    """
    controls = (
        Control("network", "Whose seeds", tuple(NETWORKS), "LSTM"),
        Control("count", "Seeds of each system", COUNTS, 3),
        Control("gain", "True difference, points", GAINS, 0.5),
    )
    return Explorer("seeds", "Measured difference of two systems", controls, show, _chart)


def _chart():
    import altair as alt

    sides = ["the better wins", "the worse wins"]
    return layered(
        alt.Chart(alt.NamedData(DATA)).mark_bar(width=12).encode(
            x=alt.X("difference:Q", title="measured difference, points (the ends collect what lies beyond)"),
            y=alt.Y("share:Q", title="share of comparisons", axis=alt.Axis(format="%")),
            color=alt.Color("wrong:N", title=None, scale=alt.Scale(domain=sides, range=["#0072B2", "#D55E00"])),
        )
    )  # fmt: skip
