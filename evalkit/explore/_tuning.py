"""Chapter 3: the budget of a search, in trials or seconds, against who wins, and how surely."""

import functools

import numpy as np
import pandas as pd

from evalkit import runs
from evalkit._checks import check_scores
from evalkit.expected_maximum import expected_max
from evalkit.explore._core import BLUE, DASHED, DATA, RED, Control, Explorer, Shown, layered
from evalkit.plots import NAMES
from evalkit.tuning import winner_by_budget

SYSTEMS = ("lstm", "mlp")
UNITS = ("trials", "seconds")
TRIALS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15)  # in the time of 15 of the LSTM, the MLP uses up its pool


@functools.cache
def _searches():
    table = runs.load_recorded("pools", "search")
    by = {NAMES[key]: table[table.system == key] for key in SYSTEMS}
    return {n: t.validation.to_numpy() for n, t in by.items()}, {n: t.seconds.mean() for n, t in by.items()}


def show(pools, seconds, end, *, trials, unit="trials"):
    """Return the expected best of two searches, and who wins at a budget.

    Parameters
    ----------
    pools : dict of str to ndarray of float
        The scores of both searches; the first is the one whose trials are counted.
    seconds : dict of str to float
        What one trial of each costs.
    end : int
        The trials of the first up to which the curves go.
    trials : int
        Of the first; with "seconds", the other gets as many as fit into the same time.
    unit : {"trials", "seconds"}
        What the two get equally much of.

    Returns
    -------
    Shown
        Columns `budget`, `system`, `best` and `at`, the budget.
    """
    costs = seconds if unit == "seconds" else dict.fromkeys(pools, 1.0)
    first, other = pools
    at = trials * costs[first]
    curves = []
    for system, cost in costs.items():
        budgets = np.arange(1, min(int(end * costs[first] / cost), len(pools[system])) + 1)
        best = expected_max(pools[system], budgets)
        curves.append(pd.DataFrame({"budget": cost * budgets, "system": system, "best": best}))
    rows = pd.concat(curves, ignore_index=True)
    rows["at"] = at
    line = winner_by_budget(pools, [at], seconds=costs).iloc[0]
    told = f"{trials} trial{'s' * (trials > 1)} each"
    if unit == "seconds":
        counts = [f"{line[f'n {system}']} of the {system}" for system in pools]
        told = f"{at:.3g} seconds each, enough for {' and '.join(counts)}"
    if not pd.notna(line.probability):
        return Shown(
            rows, f"With {told}, one of the two has too few runs, or none, to say what its best would be."
        )
    sentence = (
        f"With {told}, the expected best is {line[f'best {first}']:.3f} for the {first} and "
        f"{line[f'best {other}']:.3f} for the {other}. In one comparison of that size the {line.ahead} "
        f"wins with probability {line.probability:.0%}."
    )
    return Shown(rows, sentence)


def tuning(pools=None, *, seconds=None):
    """Explore budgets: who wins a comparison, and how surely.

    Parameters
    ----------
    pools : dict of str to array_like of float, optional
        The validation scores of your own two searches by name; without them, those of the chapter.
    seconds : dict of str to float, optional
        What one trial of each of them costs.

    Returns
    -------
    Explorer
    """
    title = "Expected best of two searches"
    unit = Control("unit", "Equal budgets of", UNITS, "trials")
    if pools is None:
        of, price = _searches()
        trials = Control("trials", "Trials of the LSTM", TRIALS, 5, range(1, TRIALS[-1] + 1))
        return Explorer(
            "tuning", title, (unit, trials), functools.partial(show, of, price, TRIALS[-1]), _chart
        )
    if len(pools) != 2:
        raise ValueError(f"pools must hold the scores of two systems, got {len(pools)}")
    pools = {str(name): check_scores(scores, f"pools[{name!r}]") for name, scores in pools.items()}
    first = next(iter(pools))
    end = len(pools[first]) if seconds else min(map(len, pools.values()))
    every = range(1, end + 1)
    trials = Control("trials", f"Trials of the {first}", tuple(every), 1, every)
    of = functools.partial(show, pools, seconds, end)
    of(trials=1, unit="seconds" if seconds else "trials")  # complains now of what it cannot take
    return Explorer("tuning", title, (unit, trials) if seconds else (trials,), of, _chart)


def _chart():
    import altair as alt

    data = alt.Chart(alt.NamedData(DATA))
    color = alt.Color("system:N", sort=None, scale=alt.Scale(range=[RED, BLUE]))
    dash = alt.StrokeDash("system:N", sort=None, scale=alt.Scale(range=[[6, 3], [1, 0]]))
    lines = data.mark_line().encode(
        x=alt.X(
            "budget:Q",
            title=["budget of each system,", "in trials or in seconds"],
            scale=alt.Scale(nice=False),
        ),
        y=alt.Y("best:Q", title="expected best validation accuracy", scale=alt.Scale(zero=False)),
        color=color,
        strokeDash=dash,
    )
    return layered(lines, data.mark_rule(**DASHED).encode(x="max(at):Q"))
