"""Chapter 6: the number of seeds and the size of a difference against how often the wrong system wins."""

import functools

import numpy as np
import pandas as pd

from evalkit._checks import check_scores, check_work
from evalkit._ties import levels, rounding
from evalkit.explore._core import DATA, Control, Explorer, View, layered
from evalkit.explore._tables import NETWORKS, check_recorded, runs_of_networks
from evalkit.explore._words import decimal, plural
from evalkit.plots import COLOURS

__all__ = ["seeds"]

COUNTS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 25, 30)
GAINS = (0.0, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)
DRAWS = 20_000
N_EDGES = 33  # an odd number, so that zero is one of them
_MOST_SEEDS = 100_000
SIDES = ("B ahead", "A ahead")  # B is the better one, if there is one


@functools.cache
def _difference(scores, count):
    """Return differences of two means of so many seeds of the *same* system."""
    rng = np.random.default_rng(6)
    means = [rng.choice(scores, (DRAWS, count)).mean(axis=1) for _ in range(2)]
    return means[0] - means[1]


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
    View
        A bin a row; columns `low`, `high`, `share` and `winner`. Of a tie, half stands on each side.
    """
    edges = np.linspace(-1, 1, N_EDGES)  # in units of `end`
    differences = gain + _difference(scores, count)
    places = np.round(differences / end, 12)  # what only rounding tells from a tie is one
    counts = np.histogram(np.clip(places, -1, 1), edges)[0].astype(float)
    ties = np.count_nonzero(places == 0)
    counts[N_EDGES // 2 - 1] += ties / 2
    counts[N_EDGES // 2] -= ties / 2
    winner = np.where(edges[:-1] < 0, *SIDES[::-1])
    rows = pd.DataFrame(
        {"low": end * edges[:-1], "high": end * edges[1:], "share": counts / DRAWS, "winner": winner}
    )
    low, high = np.quantile(differences, [0.025, 0.975])
    n_seeds, spread = plural(count, "seed"), float(np.std(differences))
    if gain:
        error_rate = rows.share[winner == SIDES[1]].sum()
        lead = (
            f"With {n_seeds} of each system, and B truly better by {decimal(gain, 10 * gain)}, A is ahead in "
            f"{error_rate:.1%} of the comparisons."
        )
    else:
        margin = decimal(np.quantile(abs(differences), 0.95), spread)
        lead = (
            f"With {n_seeds} of each and no true difference, one is ahead by {margin} or more 5 times in 100."
        )
    bounds = f"between {decimal(low, spread, sign='+')} and {decimal(high, spread, sign='+')}"
    return View(rows, f"{lead} The measured difference lies {bounds} in 95 of 100.")


def _show_network(points, *, network, **setting):
    return show(points[network], 4.0, **setting)


def seeds(scores=None, *, recorded=None):
    """Explore seeds: how many it takes to see a difference.

    Parameters
    ----------
    scores : array_like of float, shape (n_seeds,), optional
        Of many seeds of one of your own systems: from few, the figure knows little.
    recorded : DataFrame, optional
        The chapter's table instead: `test`, a share, of each seed of each network, its `system`.

    Returns
    -------
    Explorer

    Notes
    -----
    Size: up to 100,000 seeds of your own, a page of them in 10 s and 200 MB.
    """
    title = "Measured difference of two systems"
    count = Control("count", "Seeds of each system", COUNTS, 3, range(1, 101))
    recorded = check_recorded(recorded, ("system", "test"), scores, "scores")
    if recorded is not None:
        points = {name: tuple(100 * runs.test) for name, runs in runs_of_networks(recorded).items()}
        network = Control("network", "Whose seeds", tuple(NETWORKS), "LSTM")
        gain = Control("gain", "True difference, points", GAINS, 0.5, (0.0, 4.0, 0.05))
        show_network = functools.partial(_show_network, points)
        return Explorer("seeds", title, (network, count, gain), show_network, _chart)
    own = levels(check_scores(scores, "scores", min_size=2, squared=True), rounding(scores))
    check_work(len(own), _MOST_SEEDS, f"scores has {len(own):,} values", "take a random part of them")
    if not np.ptp(own):
        raise ValueError(f"scores must differ from seed to seed, got {len(own)} times {own[0]:g}")
    end = 4 * float(np.std(own, ddof=1))
    # Draws from n scores scatter less than the scores of new seeds do; stretched, their SD is the right one.
    own = tuple(own.mean() + (own - own.mean()) * np.sqrt(len(own) / (len(own) - 1)))
    gain = Control("gain", "True difference", (0.0, end / 8), end / 8, (0.0, end, end / 80), "{:.3g}".format)
    return Explorer("seeds", title, (count, gain), functools.partial(show, own, end), _chart)


def _chart():
    import altair as alt

    data = alt.Chart(alt.NamedData(DATA))
    return layered(
        data.mark_bar().encode(
            x=alt.X(
                "low:Q", bin="binned", title=["measured difference", "B minus A (the ends hold the rest)"]
            ),
            x2="high:Q",
            y=alt.Y("share:Q", title="share of comparisons", axis=alt.Axis(format="%")),
            color=alt.Color(
                "winner:N", scale=alt.Scale(domain=SIDES, range=[COLOURS["one"], COLOURS["two"]])
            ),
        )
    )
