"""Chapter 8: J and K against what a search chooses, what that is worth, and what it
costs.
"""

import functools

import numpy as np
import pandas as pd

from evalkit._checks import as_array, check_work
from evalkit._numbers import count, percent, typeset
from evalkit.explore._controls import Control
from evalkit.explore._core import (
    DATA,
    INK,
    Explorer,
    View,
    bars,
    check_drawable,
    layered,
)
from evalkit.explore._tables import check_recorded
from evalkit.explore._words import signed
from evalkit.jkfold import choice_variability, jk_cost
from evalkit.plots import COLOURS

__all__ = ["jkfold"]

TASKS = {"docstring lines": "docstrings", "handwritten digits": "digits"}
SIZES = range(1, 17)
N_GROUPS = 10_000
_BARS = 10  # settings that have a bar of their own
_NEEDED = {
    "searches": [
        "task",
        "k",
        "j",
        "items",
        "partitions",
        "groups",
        "worth",
        "worth_of_one",
        "gain_error",
        "agreement",
        "agreement_of_one",
        "agreement_error",
        "tied",
        "sd_estimate",
        "chosen",
    ],
    "truth": ["task", "sample", "items", "right"],
    "settings": ["task", "C", "gamma"],
}


def _counts(cell):
    """Return the numbers in a cell: words with spaces between, one for each setting."""
    return np.array(cell.split(), dtype=int)


def show(recorded, *, task, j, k):
    """Return how often J-K-fold cross-validation chooses each setting of a grid.

    Parameters
    ----------
    recorded : dict of str to DataFrame
        As `jkfold` takes it.
    task : {"docstring lines", "handwritten digits"}
    j : int
        Partitions, 1 to 16.
    k : {5, 10}

    Returns
    -------
    View
        A row for each setting, with its `C` and `gamma`, the share of searches that
        choose it, and whether it is the `best` on new items.
    """
    searches, on_new, settings = (recorded[name] for name in _NEEDED)
    settings = settings.loc[settings.task == TASKS[task], ["C", "gamma"]].reset_index(
        drop=True
    )
    (held_out,) = on_new[
        (on_new.task == TASKS[task]) & (on_new["sample"] == 0)
    ].itertuples()
    truth = _counts(held_out.right) / held_out.items
    of_task = searches[searches.task == TASKS[task]]
    (search,) = of_task[(of_task.k == k) & (of_task.j == j)].itertuples()
    # Groups are drawn from few partitions, so their means scatter too little.
    sd = search.sd_estimate / np.sqrt(1 - j / search.partitions)
    gain = (
        f"{signed(100 * (search.worth - search.worth_of_one), 2)} ±"
        f" {100 * search.gain_error:.2f}"
    )
    cost = jk_cost(j, k, n_items=search.items, n_settings=len(settings))
    agreement = f"{100 * search.agreement:.1f} ± {100 * search.agreement_error:.1f}%"
    gained = before = ""  # of one partition, what one gains
    if j > 1:
        gained = f", {gain} points compared with one partition"
        before = f" ({percent(search.agreement_of_one, 1)} with one partition each)"
    sentence = (
        f"Averaged over {count(j, 'partition')} into {k} folds, a search chooses a"
        f" setting that is worth {percent(search.worth, 1)} on new"
        f" items{gained}. The best of the grid, ringed, is worth"
        f" {percent(truth.max(), 1)}. Two searches that share no partition choose the"
        f" same setting {typeset(agreement)} of the time{before}. In"
        f" {percent(search.tied)} of the searches several settings tie for the best"
        " score; the first of them counts as chosen. The score that a search reports"
        f" has a standard deviation of {100 * sd:.2f} points. A search costs {cost}."
        f" (±: a standard error, as the {search.partitions} recorded partitions leave"
        " it.)"
    )
    shares = _counts(search.chosen) / search.groups
    return View(settings.assign(share=shares, best=truth == truth.max()), sentence)


def _show_own(scores, names, variability, *, j):
    shares = variability.shares.loc[j].to_numpy()
    order = np.argsort(-variability.shares.iloc[-1].to_numpy(), kind="stable")
    rows = pd.DataFrame(
        {"setting": [names[i] for i in order[:_BARS]], "share": shares[order[:_BARS]]}
    )
    if len(order) > _BARS:
        rows.loc[_BARS] = ("all others", shares[order[_BARS:]].sum())
    # Drawn without replacement from few.
    sd = variability.table.sd_estimate[j] / np.sqrt(1 - j / len(scores))
    same, tied = (
        percent(variability.table[column][j]) for column in ("agreement", "tied")
    )
    sentence = (
        f"From your {len(scores)} partitions: two searches with"
        f" {count(j, 'partition')} each, of which they share none, choose the same"
        f" setting {same} of the time. That rests on no more than {len(scores) // j}"
        f" groups that share none. In {tied} of the searches several settings tie for"
        " the best score; the first of them counts as chosen. What a search reports"
        f" has a standard deviation of {sd:.3g}."
    )
    return View(rows, sentence)


def _name_settings(settings, count):
    if settings is None:
        return [f"column {i}" for i in range(count)]
    if not isinstance(settings, (list, tuple)) or len(settings) != count:
        raise ValueError(
            f"settings must be a list, one for each of the {count} columns of scores"
        )
    names = [
        (
            ", ".join(f"{key}={value}" for key, value in setting.items())
            if isinstance(setting, dict)
            else str(setting)
        )
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
        Your own, the K-fold estimate of each partition for each setting; higher is
        better.
    recorded : dict of str to DataFrame, optional
        The chapter's tables instead: `searches`, what searches of each J and K choose
        and what that is worth, `truth`, the right answers of each setting on new items,
        and `settings`, the grid.
    settings : list of dict or str, optional
        What to call the columns of your scores, as `cv_results_["params"]` holds them.

    Returns
    -------
    Explorer

    Notes
    -----
    Size: partitions of your own times settings, up to 1 million, and 1,000 settings: a
    page of them in 60 s and 1 GB.
    """
    recorded = check_recorded(recorded, _NEEDED, scores, "scores")
    if recorded is not None:
        if settings is not None:
            raise ValueError(
                "settings name the columns of your own scores; give scores, too"
            )
        task = Control("task", "Task", tuple(TASKS), "docstring lines")
        partitions = Control("j", "J, partitions", tuple(SIZES), 1, SIZES)
        controls = (task, partitions, Control("k", "K, folds", (5, 10), 5))
        show_search = functools.partial(show, recorded)
        title = "How often each setting of the grid is chosen"
        return Explorer("jk-fold", title, controls, show_search, _chart)
    own = as_array(scores, "scores", "a matrix of numbers, partitions by settings")
    if own.ndim != 2 or len(own) < 2:
        raise ValueError(
            f"scores must hold at least two partitions as rows, got shape {own.shape}"
        )
    size = f"scores are {len(own):,} partitions of {own.shape[1]:,} settings"
    for work, limit in ((own.size, 1_000_000), (own.shape[1], 1000)):
        check_work(work, limit, size, "leave out the settings that nobody would choose")
    names = _name_settings(settings, own.shape[1])
    sizes = range(1, min(len(own) // 2, SIZES[-1]) + 1)
    variability = choice_variability(own, sizes, n_groups=N_GROUPS, rng=0)
    partitions = Control("j", "J, partitions", tuple(sizes), 1, sizes)
    show_j = functools.partial(_show_own, own, names, variability)
    return Explorer(
        "jk-fold",
        "How often each of your settings is chosen",
        (partitions,),
        show_j,
        _chart_own,
    )


def _chart():
    import altair as alt

    scale = alt.Scale(type="log", nice=False, padding=18)
    axis = alt.Axis(
        values=[0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30], format="~g", grid=False
    )
    axes = (
        channel(f"{name}:Q", scale=scale, axis=axis)
        for name, channel in (("C", alt.X), ("gamma", alt.Y))
    )
    data = alt.Chart(alt.NamedData(DATA)).encode(*axes)
    # The area is the share, on one scale for all J: what grows is chosen more often.
    area = alt.Size(
        "share:Q",
        scale=alt.Scale(domain=[0, 1], range=[0, 2600]),
        legend=alt.Legend(
            values=[0.05, 0.2],
            format=".0%",
            title="share of searches",
            titleFontWeight="normal",
        ),
    )
    return layered(
        data.mark_circle(size=10, color=INK, opacity=0.35),
        data.mark_circle(color=COLOURS["one"], opacity=0.85).encode(area),
        data.transform_filter("datum.best").mark_point(size=160, color=INK, opacity=1),
    )


def _chart_own():
    return bars("setting", "share", "share of searches")
