"""Chapter 6: the number of seeds and the size of a difference against how often the wrong system wins."""

import functools

import numpy as np
import pandas as pd

from evalkit import runs
from evalkit._checks import check_scores
from evalkit.explore._core import BLUE, DATA, RED, Control, Explorer, Shown, layered
from evalkit.plots import NAMES

NETWORKS = {NAMES[key]: key for key in ("lstm", "mlp")}
COUNTS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30)
GAINS = (0.0, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)
DRAWS = 20_000
N_EDGES = 33  # an odd number, so that zero is one of them
SIDES = ("the better wins", "the worse wins")


@functools.cache
def _scores(network):
    """Return the scores of a network's seeds, in points."""
    table = runs.load_recorded("pools", "seeds")
    return tuple(100 * table.test[table.system == NETWORKS[network]])


@functools.cache
def _difference(scores, count):
    """Return differences of two means of so many seeds of the *same* system."""
    rng = np.random.default_rng(6)
    one, other = (rng.choice(scores, (DRAWS, count)).mean(axis=1) for _ in range(2))
    return one - other


def show(scores, end, *, count, gain):
    """Return how the measured difference of two systems scatters, one better than the other by a gain.

    Parameters
    ----------
    scores : tuple of float
        Of the seeds of one system; both scatter as these do.
    end : float
        Where the axis ends; differences beyond are collected there.
    count : int
        Seeds of each system.
    gain : float
        True difference, in the unit of the scores.

    Returns
    -------
    Shown
        A bin a row; columns `low`, `high`, `share` and `winner`.
    """
    edges = np.linspace(-end, end, N_EDGES)
    found = gain + _difference(scores, count)
    share = np.histogram(np.clip(found, -end, end), edges)[0] / DRAWS
    winner = np.where(edges[:-1] < 0, *SIDES[::-1])
    rows = pd.DataFrame({"low": edges[:-1], "high": edges[1:], "share": share, "winner": winner})
    low, high = np.quantile(found, [0.025, 0.975])
    seeds = f"{count} seed{'s' * (count > 1)} of each system"
    if gain:
        wrong = (np.count_nonzero(found < 0) + np.count_nonzero(found == 0) / 2) / DRAWS
        told = f"With {seeds}, one truly better by {gain:g}, the worse system wins {wrong:.1%} of the time."
    else:
        told = f"With {seeds} and no difference, one still wins, by {high:.3g} or more in 5 of 100 cases."
    return Shown(
        rows,
        f"{told} The measured difference lies between {low:+.2g} and {high:+.2g} in 95 of 100 comparisons.",
    )


def _show_network(*, network, **setting):
    return show(_scores(network), 4.0, **setting)


def seeds(scores=None):
    """Explore seeds: how many it takes to see a difference.

    Parameters
    ----------
    scores : array_like of float, shape (n_seeds,), optional
        Of many seeds of one of your own systems; without them, the networks of the chapter.

    Returns
    -------
    Explorer
    """
    title = "Measured difference of two systems"
    count = Control("count", "Seeds of each system", COUNTS, 3, range(1, 101))
    if scores is None:
        network = Control("network", "Whose seeds", tuple(NETWORKS), "LSTM")
        gain = Control("gain", "True difference, points", GAINS, 0.5, (0.0, 4.0, 0.05))
        return Explorer("seeds", title, (network, count, gain), _show_network, _chart)
    own = tuple(check_scores(scores, "scores", min_size=2))
    end = 4 * np.std(own, ddof=1)
    if not end:
        raise ValueError(f"scores must differ from seed to seed, got {len(own)} times {own[0]:g}")
    gain = Control("gain", "True difference", (0.0, end / 8), end / 8, (0.0, end, end / 80))
    return Explorer("seeds", title, (count, gain), functools.partial(show, own, end), _chart)


def _chart():
    import altair as alt

    data = alt.Chart(alt.NamedData(DATA))
    return layered(
        data.mark_bar().encode(
            x=alt.X(
                "low:Q", bin="binned", title=["measured difference", "(what lies beyond is at the ends)"]
            ),
            x2="high:Q",
            y=alt.Y("share:Q", title="share of comparisons", axis=alt.Axis(format="%")),
            color=alt.Color("winner:N", scale=alt.Scale(domain=SIDES, range=[BLUE, RED])),
        )
    )
