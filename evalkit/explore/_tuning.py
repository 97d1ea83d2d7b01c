"""Chapter 3: the budget of a search, in trials or seconds, against who wins, and how
surely.
"""

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy import special

from evalkit._checks import _show, as_array, check_scores, check_work
from evalkit._limits import MOST_PLAYED
from evalkit._numbers import count, percent
from evalkit._ties import coarsest
from evalkit.expected_maximum import boo, expected_max_interval
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
from evalkit.explore._words import decimal, enumeration
from evalkit.plots import COLOURS
from evalkit.tuning import winner_by_budget

__all__ = ["tuning"]

_FEWEST = 30  # runs, for an interval
UNITS = ("trials", "seconds")
SCORES = ("test", "validation")
# In the time of 15 of the LSTM, the MLP uses up its pool.
TRIALS = (
    1,
    2,
    3,
    4,
    5,
    6,
    8,
    10,
    12,
    15,
)


@dataclass(frozen=True)
class _Searches:
    """The scores of two searches on validation and test, by name; the trials of the
    first are counted.
    """

    pools: dict
    tests: dict = field(default_factory=dict)
    seconds: dict | None = None
    minimize: bool = False
    article: str = ""  # before the name of a system


def _curves(pools, tests, seconds, end, minimize, unit, scores):
    """Return the expected best of both searches at every budget, and its interval where
    there is one.
    """
    costs = seconds if unit == "seconds" else dict.fromkeys(pools, 1.0)
    first = next(iter(pools))
    curves = []
    for system, cost in costs.items():
        validation, test = pools[system], tests[system] if scores == "test" else None
        paid = math.floor(end * costs[first] / cost + 1e-9)  # 6 x 0.7 / 0.7 is 6
        budgets = np.arange(1, min(paid, len(validation)) + 1)
        if not len(budgets):
            continue
        best = boo(validation, test, n=budgets, minimize=minimize)
        low, high = np.full((2, len(budgets)), np.nan)
        # Between them the band is straight.
        held = np.array(stops(min(_fifth(validation), len(budgets))))
        if len(held) and np.ptp(validation if test is None else test):
            ends = expected_max_interval(validation, held, test=test, minimize=minimize)
            low[held - 1], high[held - 1] = ends
        curve = {
            "budget": cost * budgets,
            "system": system,
            "best": best,
            "low": low,
            "high": high,
        }
        curves.append(pd.DataFrame(curve))
    return pd.concat(curves, ignore_index=True)


def _fifth(scores):
    """Return the largest budget that has an interval: a fifth of the runs, if they are
    many.
    """
    return len(scores) // 5 if len(scores) >= _FEWEST else 0


def _chance(validation, n):
    """Return with what chance each run is the best of n on validation; equals share
    it.
    """
    _, level, counts = np.unique(validation, return_inverse=True, return_counts=True)
    below = special.comb(np.cumsum(np.append(0, counts)), n) / special.comb(
        len(validation), n
    )
    return (np.diff(below) / counts)[level]


def _wins(pools, tests, bought):
    """Return how often the first wins on test, where the best on validation is taken of
    each.
    """
    (first, a), (other, b) = (
        (tests[name], _chance(pools[name], bought[name])) for name in pools
    )
    return float(a @ (np.sign(np.subtract.outer(first, other)) + 1) @ b / 2)


def show(searches, curves, *, trials, unit="trials", scores="validation"):
    """Return the expected best of two searches, and who wins at a budget.

    Parameters
    ----------
    searches : _Searches
    curves : callable
        From `unit` and `scores` to `_curves` of them.
    trials : int
        Of the first; with "seconds", the other gets as many as fit into the same time.
    unit : {"trials", "seconds"}
        What the two get equally much of.
    scores : {"validation", "test"}
        With "test", what the run scores there that is the best on validation.

    Returns
    -------
    View
        Columns `budget`, `system`, `best`, `low` and `high`, the interval of `best`
        where there is one, and `cursor`, the budget that is compared at.
    """
    pools, article = searches.pools, searches.article
    costs = searches.seconds if unit == "seconds" else dict.fromkeys(pools, 1.0)
    first, other = pools
    budget = trials * costs[first]
    rows = curves(unit, scores).assign(cursor=budget)
    line = winner_by_budget(
        pools, [budget], seconds=costs, minimize=searches.minimize
    ).iloc[0]
    bought = {system: int(line[f"n {system}"]) for system in pools}
    amount = f"{count(trials, 'trial')} each"
    if unit == "seconds":
        counts = [f"{n} of {article}{system}" for system, n in bought.items()]
        amount = f"{budget:.3g} seconds each, enough for {enumeration(counts)}"
    for system, n in bought.items():
        if n < 1:
            return View(
                rows, f"With {amount}: {article}{system} cannot pay for one trial."
            )
        if n > len(pools[system]):
            there = count(len(pools[system]), "run")
            return View(rows, f"With {amount}: {article}{system} has only {there}.")
    best, chance, what = (
        [line[f"best {system}"] for system in pools],
        line.probability,
        "the expected best is",
    )
    shown = pools
    if scores == "test":
        shown, what = (
            searches.tests,
            "the best on validation is expected to score, on test,",
        )
        best = [boo(pools[system], shown[system], n=n) for system, n in bought.items()]
        chance = _wins(pools, shown, bought)
    elif line.ahead != first:
        chance = 1 - chance
    write = functools.partial(
        decimal, spread=float(np.ptp(np.concatenate(list(shown.values()))))
    )
    winner = first if round(chance, 12) >= 0.5 else other
    sentence = (
        f"With {amount}, {what} {write(best[0])} for {article}{first} and"
        f" {write(best[1])} for {article}{other}. In one comparison of that size"
        f" {article}{winner} wins with probability {percent(max(chance, 1 - chance))}."
        f" {_bands(searches, bought)}"
    )
    return View(rows, sentence)


def _bands(searches, bought):
    """Say what the bands are, and which end before the budget that is compared at."""
    if not any(map(_fifth, searches.pools.values())):
        return (
            f"A band, of {percent(0.95)} intervals, takes {_FEWEST} runs of a system."
        )
    short = [
        searches.article + name
        for name, n in bought.items()
        if n > _fifth(searches.pools[name])
    ]
    ended = f"; here there is none for {enumeration(short)}" if short else ""
    return (
        f"Bands are {percent(0.95)} intervals over settings and seeds, of each budget"
        f" alone, up to a fifth of the trials{ended}."
    )


def tuning(pools=None, *, recorded=None, seconds=None, minimize=False):
    """Explore budgets: who wins a comparison, and how surely.

    Parameters
    ----------
    pools : dict of str to array_like of float, optional
        The validation scores of your own two searches by name.
    recorded : DataFrame, optional
        The chapter's table instead: `validation`, `test` and `seconds` of each trial of
        each network, and its `system`.
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
    recorded = check_recorded(
        recorded, ("system", "validation", "test", "seconds"), pools, "pools"
    )
    unit = Control("unit", "Equal budgets of", UNITS, "trials")
    if recorded is not None:
        if seconds is not None:
            raise ValueError("seconds are those of your own pools; give pools, too")
        return _of_networks(recorded, unit)
    if (
        not isinstance(pools, Mapping)
        or len(pools) != 2
        or len(set(map(str, pools))) != 2
    ):
        raise ValueError(
            'pools must be a dict of two systems, as {"old": scores, "new": scores}, '
            f"with names that differ in print; got {_show(pools)}"
        )
    for name in pools:
        check_drawable(str(name), "a name in pools")
    kind = coarsest(
        *(as_array(scores, f"pools[{name!r}]") for name, scores in pools.items())
    )
    pools = {
        str(name): check_scores(scores, f"pools[{name!r}]")
        for name, scores in pools.items()
    }
    pools = {name: scores.astype(kind) for name, scores in pools.items()}
    most = max(map(len, pools.values()))
    check_work(
        most,
        MOST_PLAYED,
        f"pools hold up to {most:,} scores",
        "take a random part of them",
    )
    if isinstance(seconds, dict) and len(set(map(str, seconds))) == len(seconds):
        seconds = {str(name): seconds[name] for name in seconds}
    # Complains of what it cannot take.
    winner_by_budget(pools, [1], seconds=seconds, minimize=minimize)
    if seconds is not None:
        seconds = {name: seconds[name] for name in pools}
    first = next(iter(pools))
    end = len(pools[first]) if seconds else min(map(len, pools.values()))
    trials = Control("trials", f"Trials of {first}", stops(end), 1, range(1, end + 1))
    searches = _Searches(pools, seconds=seconds, minimize=minimize)
    styles = dict(zip(pools, ("one", "two"), strict=True))
    return _explorer(searches, end, (unit, trials) if seconds else (trials,), styles)


def _of_networks(recorded, unit):
    """Explore the searches of the chapter."""
    networks = runs_of_networks(recorded)
    pools, tests = (
        {name: runs[part].to_numpy() for name, runs in networks.items()}
        for part in ("validation", "test")
    )
    price = {name: runs.seconds.mean() for name, runs in networks.items()}
    trials = Control(
        "trials", "Trials of the LSTM", TRIALS, 5, range(1, TRIALS[-1] + 1)
    )
    scores = Control("scores", "Scores on", SCORES, "test")
    searches = _Searches(pools, tests, price, article="the ")
    return _explorer(searches, TRIALS[-1], (unit, scores, trials), NETWORKS)


def _explorer(searches, end, controls, styles):
    of = searches.pools, searches.tests, searches.seconds, end, searches.minimize
    # The same whatever the budget.
    curves = functools.cache(functools.partial(_curves, *of))
    score = (
        "expected score of the best"
        if searches.tests
        else "expected best validation score"
    )
    return Explorer(
        "tuning",
        "Expected best of two searches",
        controls,
        functools.partial(show, searches, curves),
        functools.partial(_chart, styles, score),
    )


def _chart(styles, score):
    import altair as alt

    data = alt.Chart(alt.NamedData(DATA))
    held = data.transform_filter("isValid(datum.low)").encode(
        x="budget:Q", y="low:Q", y2="high:Q"
    )
    # a layer each: an area of the scale of colours would be what the legend shows
    bands = [
        held.transform_filter(
            alt.FieldEqualPredicate(field="system", equal=system)
        ).mark_area(color=COLOURS[key], opacity=0.15)
        for system, key in styles.items()
    ]
    title = ["budget of each system,", "in trials or in seconds"]
    lines = data.mark_line().encode(
        *line_styles("system", styles),
        x=alt.X("budget:Q", title=title, scale=alt.Scale(nice=False)),
        y=alt.Y("best:Q", title=score, scale=alt.Scale(zero=False)),
    )
    return layered(*bands, lines, data.mark_rule(**REFERENCE).encode(x="max(cursor):Q"))
