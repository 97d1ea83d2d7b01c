"""Chapter 3: the budget of a search, in trials or seconds, against who wins, and how surely."""

import functools
import math
from collections.abc import Mapping

import numpy as np
import pandas as pd

from evalkit._checks import _show, as_array, check_scores, check_work
from evalkit._ties import coarsest
from evalkit.expected_maximum import expected_max
from evalkit.explore._controls import Control
from evalkit.explore._core import (
    DATA,
    REFERENCE,
    Explorer,
    View,
    check_drawable,
    layered,
    line_styles,
    stops,
)
from evalkit.explore._tables import NETWORKS, check_recorded, runs_of_networks
from evalkit.explore._words import decimal, enumeration, plural
from evalkit.tuning import winner_by_budget

__all__ = ["tuning"]

_MOST_TRIALS = 5000
UNITS = ("trials", "seconds")
TRIALS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15)  # in the time of 15 of the LSTM, the MLP uses up its pool


def show(pools, seconds, end, minimize=False, *, trials, unit="trials", article=""):
    """Return the expected best of two searches, and who wins at a budget.

    Parameters
    ----------
    pools : dict of str to ndarray of float
        The scores of both searches; the first is the one whose trials are counted.
    seconds : dict of str to float
        What one trial of each costs.
    end : int
        The trials of the first up to which the curves go.
    minimize : bool, default False
        True for losses.
    trials : int
        Of the first; with "seconds", the other gets as many as fit into the same time.
    unit : {"trials", "seconds"}
        What the two get equally much of.
    article : str, default ""
        Before the name of a system.

    Returns
    -------
    View
        Columns `budget`, `system`, `best` and `cursor`, the budget that is compared at.
    """
    costs = seconds if unit == "seconds" else dict.fromkeys(pools, 1.0)
    first, other = pools
    budget = trials * costs[first]
    curves = []
    for system, cost in costs.items():
        paid = math.floor(end * costs[first] / cost + 1e-9)  # 6 x 0.7 / 0.7 is 6
        budgets = np.arange(1, min(paid, len(pools[system])) + 1)
        if len(budgets):
            best = expected_max(pools[system], budgets, minimize=minimize)
            curves.append(pd.DataFrame({"budget": cost * budgets, "system": system, "best": best}))
    rows = pd.concat(curves, ignore_index=True)
    rows["cursor"] = budget
    line = winner_by_budget(pools, [budget], seconds=costs, minimize=minimize).iloc[0]
    bought = {system: int(line[f"n {system}"]) for system in pools}
    amount = f"{plural(trials, 'trial')} each"
    if unit == "seconds":
        counts = [f"{n} of {article}{system}" for system, n in bought.items()]
        amount = f"{budget:.3g} seconds each, enough for {enumeration(counts)}"
    for system, n in bought.items():
        if n < 1:
            return View(rows, f"With {amount}: {article}{system} cannot pay for one trial.")
        if n > len(pools[system]):
            there = plural(len(pools[system]), "run")
            return View(rows, f"With {amount}: {article}{system} has only {there}.")
    write = functools.partial(decimal, spread=float(np.ptp(np.concatenate(list(pools.values())))))
    chance = line.probability if line.ahead == first else 1 - line.probability
    winner = first if round(chance, 12) >= 0.5 else other
    sentence = (
        f"With {amount}, the expected best is {write(line[f'best {first}'])} for {article}{first} and "
        f"{write(line[f'best {other}'])} for {article}{other}. In one comparison of that size "
        f"{article}{winner} wins with probability {max(chance, 1 - chance):.0%}."
    )
    return View(rows, sentence)


def tuning(pools=None, *, recorded=None, seconds=None, minimize=False):
    """Explore budgets: who wins a comparison, and how surely.

    Parameters
    ----------
    pools : dict of str to array_like of float, optional
        The validation scores of your own two searches by name.
    recorded : DataFrame, optional
        The chapter's table instead: `validation` and `seconds` of each trial of each network, its `system`.
    seconds : dict of str to float, optional
        What one trial of each of them costs.
    minimize : bool, default False
        Whether lower is better in your scores.

    Returns
    -------
    Explorer

    Notes
    -----
    Size: up to 5,000 trials of each of your systems, a page of them in 60 s and 500 MB.
    """
    title = "Expected best of two searches"
    unit = Control("unit", "Equal budgets of", UNITS, "trials")
    recorded = check_recorded(recorded, ("system", "validation", "seconds"), pools, "pools")
    if recorded is not None:
        if seconds is not None:
            raise ValueError("seconds are those of your own pools; give pools, too")
        networks = runs_of_networks(recorded)
        pools = {name: runs.validation.to_numpy() for name, runs in networks.items()}
        price = {name: runs.seconds.mean() for name, runs in networks.items()}
        trials = Control("trials", "Trials of the LSTM", TRIALS, 5, range(1, TRIALS[-1] + 1))
        show_budget = functools.partial(show, pools, price, TRIALS[-1], article="the ")
        return Explorer("tuning", title, (unit, trials), show_budget, functools.partial(_chart, NETWORKS))
    if not isinstance(pools, Mapping) or len(pools) != 2 or len(set(map(str, pools))) != 2:
        raise ValueError(
            'pools must be a dict of two systems, as {"old": scores, "new": scores}, '
            f"with names that differ in print; got {_show(pools)}"
        )
    for name in pools:
        check_drawable(str(name), "a name in pools")
    kind = coarsest(*(as_array(scores, f"pools[{name!r}]") for name, scores in pools.items()))
    pools = {str(name): check_scores(scores, f"pools[{name!r}]") for name, scores in pools.items()}
    pools = {name: scores.astype(kind) for name, scores in pools.items()}
    most = max(map(len, pools.values()))
    check_work(most, _MOST_TRIALS, f"pools hold up to {most:,} scores", "take a random part of them")
    if isinstance(seconds, dict) and len(set(map(str, seconds))) == len(seconds):
        seconds = {str(name): seconds[name] for name in seconds}
    winner_by_budget(pools, [1], seconds=seconds, minimize=minimize)  # complains of what it cannot take
    if seconds is not None:
        seconds = {name: seconds[name] for name in pools}
    first = next(iter(pools))
    end = len(pools[first]) if seconds else min(map(len, pools.values()))
    trials = Control("trials", f"Trials of {first}", stops(end), 1, range(1, end + 1))
    show_budget = functools.partial(show, pools, seconds, end, minimize)
    chart = functools.partial(_chart, dict(zip(pools, ("one", "two"), strict=True)))
    return Explorer("tuning", title, (unit, trials) if seconds else (trials,), show_budget, chart)


def _chart(styles):
    import altair as alt

    data = alt.Chart(alt.NamedData(DATA))
    title = ["budget of each system,", "in trials or in seconds"]
    lines = data.mark_line().encode(
        *line_styles("system", styles),
        x=alt.X("budget:Q", title=title, scale=alt.Scale(nice=False)),
        y=alt.Y("best:Q", title="expected best validation score", scale=alt.Scale(zero=False)),
    )
    return layered(lines, data.mark_rule(**REFERENCE).encode(x="max(cursor):Q"))
