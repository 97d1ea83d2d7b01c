"""Chapter 8: J and K against what a search chooses."""

import base64
import functools

import numpy as np

from evalkit._checks import as_array, check_work
from evalkit.explore._controls import Control
from evalkit.explore._drawn import Drawn
from evalkit.explore._play import Guess, Law, Play, Series
from evalkit.explore._tables import check_recorded

__all__ = ["jkfold"]

TASKS = {"docstring lines": "docstrings", "handwritten digits": "digits"}
SIZES = (1, 2, 3, 4, 6, 8, 12, 16)
_TYPICAL = 3  # the first seed whose two tallies are near those of the long run
_APART = 80  # right answers by which a setting is too bad to be chosen
_NEEDED = {
    "partitions": ["task", "sample", "k", "partition", "right"],
    "truth": ["task", "sample", "items", "right"],
    "settings": ["task", "C", "gamma"],
}


def jkfold(scores=None, *, recorded=None, settings=None):
    """Explore J-K-fold cross-validation: which setting a search chooses, and whether
    another search chooses it, too.

    Parameters
    ----------
    scores : array_like of float, shape (n_partitions, n_settings), optional
        Your own, the K-fold estimate of each partition for each setting; higher is
        better.
    recorded : dict of str to DataFrame, optional
        The chapter's tables instead: `partitions`, the right answers of each setting in
        each partition, `truth`, the same on new items, and `settings`, the grid.
    settings : list of dict or str, optional
        What to call the columns of your scores, as `cv_results_["params"]` holds them.

    Returns
    -------
    Play

    Notes
    -----
    Size: partitions of your own times settings, up to 100,000, and 1,000 settings: a
    page of them in 5 s and 300 MB.
    """
    recorded = check_recorded(recorded, _NEEDED, scores, "scores")
    if recorded is None:
        return _own(scores, settings)
    if settings is not None:
        raise ValueError(
            "settings name the columns of your own scores; give scores, too"
        )
    tasks = {name: _task(recorded, key) for name, key in TASKS.items()}
    folds = sorted(int(k) for k in tasks[next(iter(TASKS))]["folds"])
    controls = (
        Control("j", "J, shuffles averaged", SIZES, 1, live=(1, 32, 1), short="J"),
        Control("k", "K, folds", tuple(map(str, folds)), "5", short="K"),
        Control("task", "Task", tuple(TASKS), "docstring lines"),
    )
    return _play(
        {"tasks": tasks},
        controls,
        ["C", "\N{GREEK SMALL LETTER GAMMA}"],
        {
            "kinds": {
                "same": "both choose the same setting",
                "tied": "several tie for the best",
                "worth": "right on new items",
            },
            "unit": "\u00a0%",
            "tally": ["same", "tied"],
            "told": 3,
            "sentence": (
                "Ring and square are what two searches of the same data choose. Each"
                " averages over {j} of the shuffles into {k} folds, none of them"
                " shared, and fits {cost} models a setting. Small circles tie with the"
                " ring (the first counts); the line is how it moved as shuffles were"
                " added. \u2605: best on new items."
            ),
        },
        by="k",
        by_names=tuple(f"K = {k}" for k in folds),
        seed=_TYPICAL,
    )


def _numbers(cells):
    return np.array([cell.split() for cell in cells], dtype=int)


def _task(recorded, key):
    partitions, truth, settings = (
        table[table.task == key] for table in (recorded[name] for name in _NEEDED)
    )
    (held_out,) = truth[truth["sample"] == 0].itertuples()
    folds = {}
    for k, rows in partitions[partitions["sample"] == 0].groupby("k"):
        right = _numbers(rows.sort_values("partition").right)
        # The best few of a row decide: what is far below counts as equally bad.
        kept = np.clip(right - right.max() + _APART, 0, None).astype(np.uint8)
        folds[str(k)] = {"packed": base64.b64encode(kept.tobytes()).decode()}
    worth = 100 * _numbers([held_out.right])[0] / held_out.items
    return {
        "x": settings.C.tolist(),
        "y": settings.gamma.tolist(),
        "worth": worth.round(2).tolist(),
        "folds": folds,
    }


def _own(scores, settings):
    own = as_array(scores, "scores", "a matrix of numbers, partitions by settings")
    if own.ndim != 2 or len(own) < 2:
        raise ValueError(
            f"scores must hold at least two partitions as rows, got shape {own.shape}"
        )
    if not np.isfinite(own).all():
        raise ValueError(
            "scores must be finite numbers: decide what a setting scores that failed"
        )
    size = f"scores are {len(own):,} partitions of {own.shape[1]:,} settings"
    for work, limit in ((own.size, 100_000), (own.shape[1], 1000)):
        check_work(work, limit, size, "leave out the settings that nobody would choose")
    names = _name_settings(settings, own.shape[1])
    sizes = tuple(j for j in SIZES if 2 * j <= len(own))
    task = {
        "x": list(range(1, own.shape[1] + 1)),
        "y": [0] * own.shape[1],
        "folds": {"": {"scores": own.ravel().tolist()}},
    }
    live = (1, len(own) // 2, 1)
    return _play(
        {"tasks": {"": task}},
        (Control("j", "J, shuffles averaged", sizes, 1, live=live, short="J"),),
        ["column of your scores", ""],
        {
            "cells": names,
            "kinds": {
                "same": "both choose the same setting",
                "tied": "several tie for the best",
            },
            "tally": ["same", "tied"],
            "told": 2,
            "sentence": (
                "Ring and square are what two searches choose. Each averages over"
                f" {{j}} of your {len(own)} partitions, none of them shared. Small"
                " circles tie with the ring (the first counts)."
            ),
        },
    )


def _play(data, controls, axes, words, by=None, by_names=(), seed=0):
    sizes = controls[0].values
    k = " and K = {k}" if by else ""
    return Play(
        "jk-fold",
        "Which setting of the grid two searches choose",
        "Average more shuffles. How often do two searches choose the same setting?",
        "grid",
        controls,
        data,
        {
            "digits": 2,
            "grid": axes,
            "hint": "Point, tap or use arrows for how often a setting was chosen.",
            "axis": [],
            "lanes": {"agree": "", "tied": "", "worth": ""},
            "strip": {},
            **words,
        },
        {"chosen": "one"},
        Law(
            "j",
            ("Both choose the same setting,", "pairs of searches in 100"),
            "J, shuffles averaged",
            sizes,
            (0, 100),
            (Series("same", "agree", "same"),),
            by=by,
            by_names=by_names,
            log=True,
        ),
        Guess(
            f"Guess: with J = {sizes[-1]}, how many of 100 pairs choose the same?",
            sizes[-1],
            says=f"With J = {sizes[-1]}{k} it is {{truth}} in 100.",
        ),
        functools.partial(_draw, data),
        draws={"Search twice": 1, "100 pairs more": 100},
        seed=seed,
    )


def _draw(data, setting, luck):
    task = data["tasks"][setting.get("task", "")]
    found = task["folds"][setting.get("k", "")]
    n = len(task["x"])
    if "packed" in found:
        scores = np.frombuffer(base64.b64decode(found["packed"]), np.uint8).astype(
            float
        )
    else:
        scores = np.array(found["scores"])
    scores = scores.reshape(-1, n)
    j, all_of = int(setting["j"]), len(scores)
    rows = np.arange(luck.draws)
    order = np.tile(np.arange(all_of), (luck.draws, 1))  # the first 2 J of a shuffle
    for i in range(2 * j):
        other = i + luck.places(1, all_of - i)[:, 0]
        here, there = order[rows, i].copy(), order[rows, other]
        order[rows, i], order[rows, other] = there, here
    one, other = (_choose(scores[order[:, s]]) for s in (slice(j), slice(j, 2 * j)))
    same = np.where(one[0][:, -1] == other[0][:, -1], "same", "other").astype(object)
    tied = np.where(one[1] > 1, "tied", "clear").astype(object)
    zero = np.zeros(luck.draws)
    piles = {"agree": (zero, same), "tied": (zero, tied)}
    if worth := task.get("worth"):
        value = np.array(worth)[one[0][:, -1]]
        piles["worth"] = (value, np.full(luck.draws, "worth", object))
    chosen = np.concatenate([one[0][:, -1], other[0][:, -1]])
    return Drawn(
        piles,
        (0, 1),
        cells=np.bincount(chosen, minlength=n),
        words={
            "grid": task,
            "last": (one[0][-1], other[0][-1]),
            "cost": j * int(setting.get("k") or 0),
        },
    )


def _choose(scores):
    """Return what searches choose after each of their shuffles, and how many tie at
    last.
    """
    totals = np.cumsum(scores, axis=1)
    top = totals.max(axis=2, keepdims=True)
    best = np.abs(totals - top) <= 1e-9 * np.abs(top)
    return np.argmax(best, axis=2), best[:, -1].sum(axis=1)


def _name_settings(settings, count):
    if settings is None:
        return [f"column {i}" for i in range(1, count + 1)]
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
    return names
