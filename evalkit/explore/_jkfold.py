"""Chapter 8: J and K against what a search chooses, what that is worth, and what it costs."""

import functools
from dataclasses import dataclass

import numpy as np
import pandas as pd

from evalkit._checks import as_array, check_work
from evalkit.explore._core import DATA, INK, Control, Explorer, View, bars, check_drawable, layered
from evalkit.explore._tables import check_recorded
from evalkit.explore._words import plural, signed
from evalkit.jkfold import choice_variability, jk_cost
from evalkit.plots import COLOURS

__all__ = ["jkfold"]

TASKS = {"docstring lines": "docstrings", "handwritten digits": "digits"}
SIZES = range(1, 17)
N_GROUPS = 10_000
_PARTS = 16  # of the partitions; each is left out once
_BARS = 10  # settings that have a bar of their own
_COUNTS = ("task", "sample", "items", "right")
_NEEDED = {"partitions": (*_COUNTS, "k"), "truth": _COUNTS, "settings": ("task", "C", "gamma")}


@dataclass(frozen=True, eq=False)
class Grid:
    """What is known of the settings of a grid on one training set.

    Attributes
    ----------
    scores : ndarray of float, shape (n_partitions, n_settings)
        By cross-validation.
    items : int
        In the training set.
    truth : ndarray of float, shape (n_settings,)
        On new items.
    settings : DataFrame
        `C` and `gamma` of each.
    """

    scores: np.ndarray
    items: int
    truth: np.ndarray
    settings: pd.DataFrame


def _read_grids(tables):
    """Return the grid of each task and K, on the first training set of the task."""
    partitions, truth, settings = (tables[name] for name in _NEEDED)
    partitions, truth = (counts[counts["sample"] == 0] for counts in (partitions, truth))
    return {
        (task, k): Grid(
            scores=_accuracies(of_search),
            items=int(of_search["items"].iloc[0]),
            truth=_accuracies(truth[truth.task == task])[0],
            settings=settings.loc[settings.task == task, ["C", "gamma"]].reset_index(drop=True),
        )
        for (task, k), of_search in partitions.groupby(["task", "k"])
    }


def _accuracies(table):
    """Return the accuracy of each setting, from the counts in a row: words with spaces between."""
    counts = np.array([cell.split() for cell in table.right], dtype=float)
    return counts / table["items"].to_numpy()[:, np.newaxis]


def _search(grid, j):
    """Return what searches find, and both agreement and gain without each part of the partitions."""
    scores, truth, sizes = grid.scores, grid.truth, sorted({1, j})
    without = []
    for part in np.array_split(np.arange(len(scores)), _PARTS):
        rest = choice_variability(np.delete(scores, part, axis=0), sizes, n_groups=N_GROUPS // 8, rng=0)
        worth = rest.shares @ truth
        without.append((rest.table.agreement[j], worth[j] - worth[1]))
    return choice_variability(scores, sizes, n_groups=N_GROUPS, rng=0), np.array(without).T


def _jackknife(values):
    """Return the standard error of a number, from what it is without each part of the data."""
    return float(np.sqrt((len(values) - 1) * np.var(values)))


def show(grids, *, task, j, k):
    """Return how often J-K-fold cross-validation chooses each setting of a grid.

    Parameters
    ----------
    grids : dict of (str, int) to Grid
        By the table's name of a task, and K.
    task : {"docstring lines", "handwritten digits"}
    j : int
        Partitions, 1 to 16.
    k : {5, 10}

    Returns
    -------
    View
        A row for each setting, with its `C` and `gamma`, the share of searches that choose it, and whether
        it is the `best` on new items.
    """
    grid = grids[TASKS[task], k]
    found, (agreements, gains) = _search(grid, j)
    truth, n_partitions = grid.truth, len(grid.scores)
    worth, of_j = found.shares @ truth, found.table.loc[j]
    # Groups are drawn from few partitions, so their means scatter too little.
    sd = of_j.sd_estimate / np.sqrt(1 - j / n_partitions)
    gain = f"{signed(100 * (worth[j] - worth[1]), 2)} ± {100 * _jackknife(gains):.2f}"
    gained = f", {gain} points compared with one partition"
    cost = jk_cost(j, k, n_items=grid.items, n_settings=truth.size)
    before = f" ({found.table.agreement[1]:.1%} with one partition each)"
    sentence = (
        f"Averaged over {plural(j, 'partition')} into {k} folds, a search chooses a setting that is worth "
        f"{worth[j]:.1%} on new items{gained * (j > 1)}. The best of the grid, ringed, is worth "
        f"{truth.max():.1%}. Two searches that share no partition choose the same setting "
        f"{100 * of_j.agreement:.1f} ± {100 * _jackknife(agreements):.1f}% of the time{before * (j > 1)}. "
        f"In {of_j.tied:.0%} of the searches several settings share the best score; the first is chosen. "
        f"The score that a search reports has a standard deviation of {100 * sd:.2f} points. A search costs "
        f"{cost}. (±: a standard error, as the {n_partitions} recorded partitions leave it.)"
    )
    rows = grid.settings.assign(share=found.shares.loc[j].to_numpy(), best=truth == truth.max())
    return View(rows, sentence)


def _show_own(scores, names, variability, *, j):
    shares = variability.shares.loc[j].to_numpy()
    order = np.argsort(-variability.shares.iloc[-1].to_numpy(), kind="stable")
    rows = pd.DataFrame({"setting": [names[i] for i in order[:_BARS]], "share": shares[order[:_BARS]]})
    if len(order) > _BARS:
        rows.loc[_BARS] = ("all others", shares[order[_BARS:]].sum())
    sd = variability.table.sd_estimate[j] / np.sqrt(1 - j / len(scores))  # drawn without replacement from few
    sentence = (
        f"From your {len(scores)} partitions: two searches with {plural(j, 'partition')} each, of which they "
        f"share none, choose the same setting {variability.table.agreement[j]:.0%} of the time. That rests "
        f"on no more than {len(scores) // j} groups that share none. In {variability.table.tied[j]:.0%} of "
        "the searches several settings share the best score; the first is chosen. What a search reports has "
        f"a standard deviation of {sd:.3g}."
    )
    return View(rows, sentence)


def _name_settings(settings, count):
    if settings is None:
        return [f"column {i}" for i in range(count)]
    if not isinstance(settings, (list, tuple)) or len(settings) != count:
        raise ValueError(f"settings must be a list, one for each of the {count} columns of scores")
    names = [
        ", ".join(f"{key}={value}" for key, value in setting.items())
        if isinstance(setting, dict)
        else str(setting)
        for setting in settings
    ]
    if len(set(names)) != count:
        raise ValueError("settings must have names that differ in print")
    for name in names:
        check_drawable(name, "a name in settings")
    return names


def jkfold(scores=None, *, recorded=None, settings=None):
    """Explore J-K-fold cross-validation: how often each setting is chosen.

    Parameters
    ----------
    scores : array_like of float, shape (n_partitions, n_settings), optional
        Your own, as `JKFoldSearchCV.partition_scores_` holds them; higher is better.
    recorded : dict of str to DataFrame, optional
        The chapter's tables instead: `partitions`, the right answers of each setting on each partition,
        `truth`, those on new items, and `settings`, the grid.
    settings : list of dict or str, optional
        What to call the columns of your scores, as `cv_results_["params"]` holds them.

    Returns
    -------
    Explorer

    Notes
    -----
    Size: partitions of your own times settings, up to 1 million, and 1,000 settings: a page of them in 60 s
    and 1 GB.
    """
    recorded = check_recorded(recorded, _NEEDED, scores, "scores")
    if recorded is not None:
        if settings is not None:
            raise ValueError("settings name the columns of your own scores; give scores, too")
        task = Control("task", "Task", tuple(TASKS), "docstring lines")
        partitions = Control("j", "J, partitions", tuple(SIZES), 1, SIZES)
        controls = (task, partitions, Control("k", "K, folds", (5, 10), 5))
        show_search = functools.partial(show, _read_grids(recorded))
        title = "How often each setting of the grid is chosen"
        return Explorer("jk-fold", title, controls, show_search, _chart)
    own = as_array(scores, "scores", "a matrix of numbers, partitions by settings")
    if own.ndim != 2 or len(own) < 2:
        raise ValueError(f"scores must hold at least two partitions as rows, got shape {own.shape}")
    size = f"scores are {len(own):,} partitions of {own.shape[1]:,} settings"
    for work, limit in ((own.size, 1_000_000), (own.shape[1], 1000)):
        check_work(work, limit, size, "leave out the settings that nobody would choose")
    names = _name_settings(settings, own.shape[1])
    sizes = range(1, min(len(own) // 2, SIZES[-1]) + 1)
    variability = choice_variability(own, sizes, n_groups=N_GROUPS, rng=0)
    partitions = Control("j", "J, partitions", tuple(sizes), 1, sizes)
    show_j = functools.partial(_show_own, own, names, variability)
    return Explorer("jk-fold", "How often each of your settings is chosen", (partitions,), show_j, _chart_own)


def _chart():
    import altair as alt

    scale = alt.Scale(type="log", nice=False, padding=18)
    axis = alt.Axis(values=[0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30], format="~g", grid=False)
    axes = (
        channel(f"{name}:Q", scale=scale, axis=axis) for name, channel in (("C", alt.X), ("gamma", alt.Y))
    )
    data = alt.Chart(alt.NamedData(DATA)).encode(*axes)
    # The area is the share, on one scale for all J: what grows is chosen more often.
    area = alt.Size(
        "share:Q",
        scale=alt.Scale(domain=[0, 1], range=[0, 2600]),
        legend=alt.Legend(
            values=[0.05, 0.2], format=".0%", title="share of searches", titleFontWeight="normal"
        ),
    )
    return layered(
        data.mark_circle(size=10, color=INK, opacity=0.35),
        data.mark_circle(color=COLOURS["one"], opacity=0.85).encode(area),
        data.transform_filter("datum.best").mark_point(size=160, color=INK, opacity=1),
    )


def _chart_own():
    return bars("setting", "share", "share of searches")
