"""What boards released, and what follows from it: tables of `leaderboards`.

- `swebench`: SWE-bench's systems, their printed and their recorded scores, and the
  ranks that they may have;
- `resemblances`: how alike the items of a repository or of a problem are to systems,
  and to pairs of them;
- `apart`: how many pairs of its systems, and how many neighbours, differ at the usual
  level.

Nothing of SWE-bench's file is recorded but what was computed from it; these units need
that file.
"""

import functools

import numpy as np
from scipy import stats

from evalkit.leaderboards import rank_intervals
from lab.data import boards

RECORDED_RUNS = 25  # of SWE-bench's board that have records
RANKED = 24
IN_FAMILIES = ("SWE-bench", "SWE-bench Pro", "execution")


@functools.cache
def released(table):
    """Return the scores of LiveCodeBench's systems on its items, and the problem of
    each item.

    Parameters
    ----------
    table : {"generation", "execution"}

    Returns
    -------
    scores : ndarray of float, shape (n_items, n_systems)
    problems : ndarray of int, shape (n_items,)
    """
    items, shares = boards.livecodebench(table)
    return shares.to_numpy(), np.unique(items.question_id, return_inverse=True)[1]


def paired_pvalues(scores):
    """Return the p-value of Student's t for every pair of systems on the same items.

    Parameters
    ----------
    scores : ndarray of float, shape (n_items, n_systems)

    Returns
    -------
    pvalues : ndarray of float, shape (n_pairs,)
        1 where no item differs.
    first, second : ndarray of int, shape (n_pairs,)
    """
    n = len(scores)
    first, second = np.triu_indices(scores.shape[1], 1)
    covariance = np.cov(scores, rowvar=False)
    variance = (
        covariance.diagonal()[first]
        + covariance.diagonal()[second]
        - 2 * covariance[first, second]
    )
    error = np.sqrt(np.maximum(variance, 0) / n)
    gap = scores.mean(axis=0)[first] - scores.mean(axis=0)[second]
    differ = error > 1e-9
    pvalues = np.ones(first.size)
    pvalues[differ] = 2 * stats.t.sf(np.abs(gap[differ]) / error[differ], n - 1)
    return pvalues, first, second


# --------------------------------------------------------------------------------------
# SWE-bench
# --------------------------------------------------------------------------------------


@functools.cache
def _swebench_board():
    """Return the runs with records in the board's order, their answers, and those whose
    records agree.

    A printed score may be the mean of several runs, so that it is no count of 500;
    records that are further than one instance from it are not of the run that it is the
    score of.
    """
    runs, items, resolved = boards.swebench("bash-only")
    runs = runs[runs.records > 0]
    off = (
        runs.resolved
        - runs.printed.str.removesuffix(" %").astype(float) / 100 * runs.records
    )
    runs = runs.assign(off=off, agrees=off.abs() < 1).reset_index(drop=True)
    return runs, items.repository.to_numpy(), resolved, resolved[runs.run[runs.agrees]]


@functools.cache
def _swebench_ranks():
    _, repositories, _, agreeing = _swebench_board()
    return [rank_intervals(agreeing, groups).table for groups in (None, repositories)]


def _swebench(place):
    runs, *_ = _swebench_board()
    run, (alone, grouped) = runs.loc[place], _swebench_ranks()
    found = {
        "system": run.system,
        "printed": run.printed,
        "right": int(run.resolved),
        "items": int(run.records),
    }
    found |= {"off": round(float(run.off), 2), "ranked": int(run.agrees)}
    ranks = dict.fromkeys(
        ("rank", "best", "worst", "best_repositories", "worst_repositories")
    )
    if run.agrees:
        ranks = {name: int(alone[name][run.run]) for name in ("rank", "best", "worst")}
        ranks |= {
            f"{name}_repositories": int(grouped[name][run.run])
            for name in ("best", "worst")
        }
    return found | ranks


def _apart(board):
    scores = _swebench_board()[3].to_numpy()
    scores = scores[:, np.argsort(-scores.mean(axis=0), kind="stable")]
    pvalues, first, second = paired_pvalues(scores)
    return {
        "neighbours": scores.shape[1] - 1,
        "neighbours_apart": int((pvalues[second == first + 1] < 0.05).sum()),
        "pairs": int(pvalues.size),
        "pairs_apart": int((pvalues < 0.05).sum()),
    }


# --------------------------------------------------------------------------------------
# Families of items
# --------------------------------------------------------------------------------------


def resemblance(scores, members):
    """Estimate the intraclass correlation of each column, from the mean squares between
    and within groups.

    Parameters
    ----------
    scores : ndarray of float, shape (n_items, n_columns)
    members : ndarray of int, shape (n_items,)
        The group of each item, from 0.

    Returns
    -------
    ndarray of float, shape (n_columns,)
        Below 0 where groups differ by less than chance makes them.
    """
    sizes = np.bincount(members)
    n, n_groups = members.size, sizes.size
    means = (
        np.array([np.bincount(members, weights=column) for column in scores.T]).T
        / sizes[:, None]
    )
    between = (sizes[:, None] * (means - scores.mean(axis=0)) ** 2).sum(axis=0) / (
        n_groups - 1
    )
    within = ((scores - means[members]) ** 2).sum(axis=0) / (n - n_groups)
    typical = (n - (sizes**2).sum() / n) / (n_groups - 1)
    return (between - within) / (between + (typical - 1) * within)


def _board_in_families(board):
    if board == "execution":
        return released(board)
    if board == "SWE-bench":
        _, repositories, _, agreeing = _swebench_board()
        return agreeing.to_numpy(), np.unique(repositories, return_inverse=True)[1]
    items, resolved = boards.swebench_pro()
    # One system lacks 168 instances.
    resolved = resolved.loc[:, resolved.isna().sum() < 10]
    known = resolved.notna().all(axis=1)
    return (
        resolved[known].to_numpy(),
        np.unique(items.repository[known], return_inverse=True)[1],
    )


def _resemblances(board):
    scores, members = _board_in_families(board)
    first, second = np.triu_indices(scores.shape[1], 1)
    of_scores = resemblance(scores, members)
    of_pairs = resemblance(scores[:, first] - scores[:, second], members)
    found = {
        "systems": scores.shape[1],
        "items": members.size,
        "families": int(members.max() + 1),
    }
    for name, values in (("score", of_scores), ("difference", of_pairs)):
        for part, share in (("low", 0.1), ("median", 0.5), ("high", 0.9)):
            found[f"{name}_{part}"] = round(float(np.quantile(values, share)), 4)
    return found


def plan():
    """Return the units of these tables.

    Returns
    -------
    list of dict
    """
    return [
        *({"table": "swebench", "place": place} for place in range(RECORDED_RUNS)),
        *({"table": "resemblances", "board": board} for board in IN_FAMILIES),
        {"table": "apart", "board": "SWE-bench"},
    ]


TABLES = {
    "swebench": _swebench,
    "resemblances": _resemblances,
    "apart": _apart,
}
