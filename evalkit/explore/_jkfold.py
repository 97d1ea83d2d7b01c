"""Chapter 8: J and K against what a search chooses, what that is worth, and what it costs."""

import functools

import numpy as np
import pandas as pd

from evalkit import recorded
from evalkit._checks import as_array, check_work
from evalkit._ties import first_best, rounding
from evalkit.experiments import grids
from evalkit.explore._core import DATA, INK, Control, Explorer, View, bars, check_drawable, layered
from evalkit.explore._words import plural, signed
from evalkit.jkfold import _draw_groups, choice_variability, jk_cost
from evalkit.plots import COLOURS

__all__ = ["jkfold"]

TASKS = {"docstring lines": "docstrings", "handwritten digits": "digits"}
SIZES = range(1, 17)
N_GROUPS = 10_000
_PARTS = 16  # of the partitions; each is left out once
_BARS = 10  # settings that have a bar of their own
_BLOCK = 1_000_000  # scores that are added up at once


def choose_apart(right, j, n_groups, rng):
    """Deal all partitions into groups, again and again, and let each group choose a setting.

    Groups of one deal share no partition: groups that do choose alike too often.

    Parameters
    ----------
    right : ndarray of int, shape (n_partitions, n_settings)
        Right answers: whole numbers, whose sums tie exactly.
    j : int
        Partitions in a group, at most half of all.
    n_groups : int
        As many deals as make about so many groups.
    rng : numpy.random.Generator

    Returns
    -------
    agreement : float
        How often two groups of one deal choose the same.
    shares : ndarray of float, shape (n_settings,)
        How often a group chooses each setting.
    best : ndarray of int, shape (n_groups,)
        The right answers of what each group chose, added up over the group.
    """
    n_partitions, n_settings = right.shape
    dealt = n_partitions // j
    n_deals = 1 if j == 1 else -(-n_groups // dealt)  # groups of one are the same in every deal
    deals = rng.permuted(np.tile(np.arange(n_partitions), (n_deals, 1)), axis=1)
    groups = deals[:, : dealt * j].reshape(-1, j)
    # As a product of matrices it is ten times as fast; single precision holds these whole numbers.
    members = np.zeros((len(groups), n_partitions), dtype=np.float32)
    members[np.arange(len(groups))[:, np.newaxis], groups] = 1
    sums = members @ right.astype(np.float32)
    chosen = sums.argmax(axis=1)  # the first of equals
    counts = np.zeros((n_deals, n_settings))
    np.add.at(counts, (np.repeat(np.arange(n_deals), dealt), chosen), 1)
    agreement = (counts * (counts - 1)).sum() / (n_deals * dealt * (dealt - 1))
    return agreement, counts.sum(axis=0) / len(groups), sums.max(axis=1).astype(int)


@functools.cache
def _recorded(task, k):
    """Return the right answers on each partition, of how many items, and the truth."""
    scores, truth = grids.recorded_scores(TASKS[task], k=k)
    # From the record: to make the sample itself takes ten seconds, and the frozen packages.
    table = recorded.load_recorded("grids", "partitions")
    items = int(table["items"][(table.task == TASKS[task]) & (table["sample"] == 0)].iloc[0])
    return np.rint(scores * items).astype(np.int32), items, truth


@functools.cache
def _resampled(task, k, j):
    """Return what groups of j choose, and both agreement and worth without each part of the partitions."""
    right, _, truth = _recorded(task, k)
    agreement, shares, best = choose_apart(right, j, N_GROUPS, np.random.default_rng(0))
    without = []
    for part in np.array_split(np.arange(len(right)), _PARTS):
        found = choose_apart(np.delete(right, part, axis=0), j, N_GROUPS // 4, np.random.default_rng(0))
        without.append((found[0], found[1] @ truth))
    return agreement, shares, best, np.array(without).T


def _jackknife(values):
    """Return the standard error of a number, from what it is without each part of the data."""
    return float(np.sqrt((len(values) - 1) * np.var(values)))


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
        A row for each setting, with its `C` and `gamma`, the share of searches that choose it, and whether
        it is the `best` on new items.
    """
    right, items, truth = _recorded(task, k)
    agreement, shares, best, (agreements, worths) = _resampled(task, k, j)
    one = _resampled(task, k, 1)
    # Groups are dealt from few partitions, so their means scatter too little.
    sd = np.std(best, ddof=1) / j / items / np.sqrt(1 - j / len(right))
    gain, most = (
        100 * (other @ truth - one[1] @ truth) for other in (shares, _resampled(task, k, SIZES[-1])[1])
    )
    error = 100 * _jackknife(worths - one[3][1])
    gained = f", {signed(gain, 2)} ± {error:.2f} points compared with one partition"
    gained += f" ({SIZES[-1]} partitions: {signed(most, 2)})" * (j < SIZES[-1])
    cost = jk_cost(j, k, n_items=items, n_settings=truth.size)
    before = f" ({one[0]:.1%} with one partition each)"
    sentence = (
        f"Averaged over {plural(j, 'partition')} into {k} folds, a search chooses a setting that is worth "
        f"{shares @ truth:.1%} on new items{gained * (j > 1)}. The best of the grid, ringed, is worth "
        f"{truth.max():.1%}. Two searches that share no partition choose the same setting "
        f"{100 * agreement:.1f} ± {100 * _jackknife(agreements):.1f}% of the time{before * (j > 1)}. The "
        f"score that a search reports has a standard deviation of {100 * sd:.2f} points. A search costs "
        f"{cost}. (±: a standard error, as the {len(right)} recorded partitions leave it.)"
    )
    rows = grids.settings(TASKS[task]).assign(share=shares, best=truth == truth.max())
    return View(rows, sentence)


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


def _show_own(scores, names, variability, *, j):
    shares = variability.shares.loc[j].to_numpy()
    order = np.argsort(-variability.shares.iloc[-1].to_numpy(), kind="stable")
    rows = pd.DataFrame({"setting": [names[i] for i in order[:_BARS]], "share": shares[order[:_BARS]]})
    if len(order) > _BARS:
        rows.loc[_BARS] = ("all others", shares[order[_BARS:]].sum())
    sd = variability.table.sd_estimate[j] / np.sqrt(1 - j / len(scores))  # drawn without replacement from few
    sentence = (
        f"From your {len(scores)} partitions: two searches with {plural(j, 'partition')} each, of which they "
        f"share none, choose the same setting {_compare_apart(scores, j):.0%} of the time. That rests on no "
        f"more than {len(scores) // j} groups that share none. What a search reports has a standard "
        f"deviation of {sd:.3g}."
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


def jkfold(scores=None, *, settings=None):
    """Explore J-K-fold cross-validation: how often each setting is chosen.

    Parameters
    ----------
    scores : array_like of float, shape (n_partitions, n_settings), optional
        Your own, as `JKFoldSearchCV.partition_scores_` holds them; higher is better. Without them, those of
        the chapter.
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
    if scores is None:
        if settings is not None:
            raise ValueError("settings name the columns of your own scores; give scores, too")
        task = Control("task", "Task", tuple(TASKS), "docstring lines")
        partitions = Control("j", "J, partitions", tuple(SIZES), 1, SIZES)
        controls = (task, partitions, Control("k", "K, folds", (5, 10), 5))
        return Explorer("jk-fold", "How often each setting of the grid is chosen", controls, show, _chart)
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
