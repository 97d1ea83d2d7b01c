"""Chapter 8: J and K against the spread of the estimate, the choice, and the cost."""

import functools

import numpy as np
import pandas as pd

from evalkit import recorded
from evalkit._checks import as_array, check_work
from evalkit._ties import first_best, rounding
from evalkit.experiments import grids
from evalkit.explore._core import DATA, Control, Explorer, View, layered
from evalkit.explore._words import plural
from evalkit.jkfold import _draw_groups, choice_variability, jk_cost
from evalkit.plots import COLOURS

__all__ = ["jkfold"]

TASKS = {"docstring lines": "docstrings", "handwritten digits": "digits"}
SIZES = range(1, 17)
BARS = 10  # settings that have a bar of their own
N_GROUPS = 10_000
_BLOCK = 1_000_000  # scores that are added up at once


@functools.cache
def _recorded(task, k):
    scores, truth = grids.recorded_scores(TASKS[task], k=k)
    return choice_variability(scores, SIZES, n_groups=N_GROUPS, rng=0), truth


@functools.cache
def _items(task):
    # From the record: to make the sample itself takes ten seconds, and the frozen packages.
    table = recorded.load_recorded("grids", "partitions")
    return int(table["items"][(table.task == TASKS[task]) & (table["sample"] == 0)].iloc[0])


def _bars(variability, j):
    """Return the shares of the settings that one partition chooses most often, and of all others."""
    order = variability.shares.iloc[0].sort_values(ascending=False, kind="stable").index
    shares = variability.shares.loc[j, order].to_numpy()
    rows = pd.DataFrame(
        {"setting": [str(i + 1) for i in range(min(BARS, shares.size))], "share": shares[:BARS]}
    )
    if shares.size > BARS:
        rows.loc[BARS] = ("rest", shares[BARS:].sum())
    return rows


def show(*, task, j, k):
    """Return how often J-K-fold cross-validation chooses each setting of a grid.

    Parameters
    ----------
    task : {"docstring lines", "handwritten digits"}
    j : int
        Partitions, 1 to 16.
    k : {5, 10}

    Returns
    -------
    View
        A row for each of the settings that one partition chooses most often, and one for all others.
    """
    variability, truth = _recorded(task, k)
    line, shares = variability.table.loc[j], variability.shares.loc[j].to_numpy()
    cost = jk_cost(j, k, n_items=_items(task), n_settings=shares.size)
    sentence = (
        f"With {plural(j, 'partition')} into {k} folds, two searches choose the same setting "
        f"{line.agreement:.0%} of the time. What they report has a standard deviation of "
        f"{100 * line.sd_estimate:.2f} points. What they choose is worth {shares @ truth:.3f} on new items, "
        f"where the best of the grid has {truth.max():.3f}. A search costs {cost}."
    )
    return View(_bars(variability, j), sentence)


def _compare_apart(scores, j):
    """Return how often two groups of j partitions that share none choose the same setting."""
    # Groups that share partitions agree too often, and somebody's own partitions are few.
    order = _draw_groups(len(scores), 2 * j, N_GROUPS, np.random.default_rng(0))
    tolerance, agreements = rounding(scores), 0
    for groups in np.array_split(order, max(1, order.size * scores.shape[1] // _BLOCK)):
        chosen = [
            first_best(scores[half].sum(axis=1), np.abs(scores[half]).sum(axis=1), tolerance)
            for half in np.split(groups, 2, axis=1)
        ]
        agreements += np.count_nonzero(chosen[0] == chosen[1])
    return agreements / N_GROUPS


def _show_own(scores, variability, *, j):
    sd = variability.table.sd_estimate[j] / np.sqrt(1 - j / len(scores))  # drawn without replacement from few
    sentence = (
        f"From your {len(scores)} partitions: two searches with {plural(j, 'partition')} each choose the "
        f"same setting {_compare_apart(scores, j):.0%} of the time; what they report has a standard "
        f"deviation of {sd:.3g}."
    )
    return View(_bars(variability, j), sentence)


def jkfold(scores=None):
    """Explore J-K-fold cross-validation: how often each setting is chosen.

    Parameters
    ----------
    scores : array_like of float, shape (n_partitions, n_settings), optional
        Your own, as `JKFoldSearchCV.partition_scores_` holds them; higher is better. Without them, those of
        the chapter.

    Returns
    -------
    Explorer

    Notes
    -----
    Size: partitions of your own times settings, up to 1 million, and 1,000 settings: a page of them in 60 s
    and 1 GB.
    """
    partitions = Control("j", "J, partitions", tuple(SIZES), 1, SIZES)
    if scores is None:
        task = Control("task", "Task", tuple(TASKS), "docstring lines")
        controls = (task, partitions, Control("k", "K, folds", (5, 10), 5))
        return Explorer("jk-fold", "How often each setting of the grid is chosen", controls, show, _chart)
    own = as_array(scores, "scores", "a matrix of numbers, partitions by settings")
    if own.ndim != 2 or len(own) < 2:
        raise ValueError(f"scores must hold at least two partitions as rows, got shape {own.shape}")
    size = f"scores are {len(own):,} partitions of {own.shape[1]:,} settings"
    for work, limit in ((own.size, 1_000_000), (own.shape[1], 1000)):
        check_work(work, limit, size, "leave out the settings that nobody would choose")
    sizes = range(1, min(len(own) // 2, SIZES[-1]) + 1)
    variability = choice_variability(own, sizes, n_groups=N_GROUPS, rng=0)
    partitions = Control("j", "J, partitions", tuple(sizes), 1, sizes)
    show_j = functools.partial(_show_own, own, variability)
    return Explorer("jk-fold", "How often each of your settings is chosen", (partitions,), show_j, _chart)


def _chart():
    import altair as alt

    title = ["setting, most often chosen", "by one partition first"]
    bars = (
        alt.Chart(alt.NamedData(DATA))
        .mark_bar(color=COLOURS["one"])
        .encode(
            x=alt.X("setting:N", sort=None, title=title, axis=alt.Axis(labelAngle=0)),
            y=alt.Y(
                "share:Q", scale=alt.Scale(domain=[0, 1]), title="chosen by", axis=alt.Axis(format=".0%")
            ),
        )
    )
    return layered(bars)
