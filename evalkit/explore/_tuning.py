"""Chapter 3: the budget of a search, in trials or seconds, against who wins, and how surely."""

import functools

import numpy as np
import pandas as pd

from evalkit import runs
from evalkit.expected_maximum import expected_max
from evalkit.explore._core import DATA, Control, Explorer, Shown, layered
from evalkit.tuning import winner_by_budget

SYSTEMS = {"bag-of-words MLP": "mlp", "LSTM": "lstm"}
UNITS = ("trials", "seconds")
TRIALS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15)  # in the time of 15 of the LSTM, the MLP uses up its pool


@functools.cache
def _searches():
    table = runs.load_recorded("pools", "search")
    by = {name: table[table.system == key] for name, key in SYSTEMS.items()}
    return {n: t.validation.to_numpy() for n, t in by.items()}, {n: float(t.seconds.mean()) for n, t in by.items()}


def show(*, unit, trials):
    """Return the expected best of both searches, and who wins at a budget.

    Parameters
    ----------
    unit : {"trials", "seconds"}
        What the two get equally much of.
    trials : int
        Of the LSTM; with "seconds", the MLP gets as many as fit into the same time.

    Returns
    -------
    Shown
        Columns `budget`, `system`, `best` and `at`, the budget.
    """
    pools, seconds = _searches()
    costs = seconds if unit == "seconds" else dict.fromkeys(SYSTEMS, 1.0)
    at = trials * costs["LSTM"]
    end = TRIALS[-1] * costs["LSTM"]
    curves = []
    for system, cost in costs.items():
        budgets = np.arange(1, int(end / cost) + 1)
        best = expected_max(pools[system], budgets, estimator="u")
        curves.append(pd.DataFrame({"budget": cost * budgets, "system": system, "best": best}))
    rows = pd.concat(curves, ignore_index=True)
    rows["at"] = at
    line = winner_by_budget(pools, [at + 1e-9 * at], seconds=costs).iloc[0]
    counts = {system: int(line[f"n {system}"]) for system in SYSTEMS}
    told = (
        f"{trials} trial{'s' * (trials > 1)} each" if unit == "trials"
        else f"{at:.0f} seconds each, {counts['LSTM']} of the LSTM's trials and {counts['bag-of-words MLP']} of the MLP's"
    )  # fmt: skip
    sentence = (
        f"With {told}, the expected best is {line['best LSTM']:.3f} for the LSTM and "
        f"{line['best bag-of-words MLP']:.3f} for the MLP. In one comparison of that size the {line.ahead} "
        f"wins with probability {line.probability:.0%}."
    )
    return Shown(rows, sentence)


def tuning():
    """Explore budgets: who wins a comparison, and how surely.

    Returns
    -------
    Explorer
    """
    controls = (Control("unit", "Equal budgets of", UNITS, "trials"), Control("trials", "Trials of the LSTM", TRIALS, 5))
    return Explorer("tuning", "Expected best of two searches", controls, show, _chart)


def _chart():
    import altair as alt

    systems = list(SYSTEMS)
    lines = alt.Chart(alt.NamedData(DATA)).mark_line().encode(
        x=alt.X("budget:Q", title="budget of each system (trials or seconds)", scale=alt.Scale(nice=False)),
        y=alt.Y("best:Q", title="expected best validation accuracy", scale=alt.Scale(zero=False)),
        color=alt.Color("system:N", title=None, scale=alt.Scale(domain=systems, range=["#0072B2", "#D55E00"])),
        strokeDash=alt.StrokeDash("system:N", legend=None, scale=alt.Scale(domain=systems, range=[[1, 0], [6, 3]])),
    )  # fmt: skip
    rule = alt.Chart(alt.NamedData(DATA)).mark_rule(color="#666666", strokeDash=[3, 3]).encode(x="max(at):Q")
    return layered(lines, rule)
