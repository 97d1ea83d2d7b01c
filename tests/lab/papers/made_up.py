"""Made-up rows of Moss et al.: scores whose spread and whose choices are known by
construction.
"""

import numpy as np
import pandas as pd
from scipy import stats

from lab.record import tables

ITEMS = 100_000

# --------------------------------------------------------------------------------------
# Scores, partitions by settings
# --------------------------------------------------------------------------------------


def choosing(chosen, n_settings, best=0.6, rest=0.5):
    """Scores of partitions of which each has one best setting."""
    scores = np.full((len(chosen), n_settings), rest)
    scores[np.arange(len(chosen)), chosen] = best
    return scores


def spread(middle, sd, count):
    """Numbers like those of a normal distribution, with this SD to the digit."""
    values = stats.norm.ppf((np.arange(count) + 0.5) / count)
    return middle + sd * values / values.std(ddof=1)


def one_setting(values):
    """Scores where the first setting is always the best."""
    return np.c_[values, np.full((len(values), 3), 0.1)]


def torn(share, count, first=0, other=1, n_settings=4, margins=(0.035, 0.01)):
    """Scores where a share of the partitions prefers one setting, the rest another, by
    these margins.
    """
    scores = np.full((count, n_settings), 0.1)
    scores[:, [first, other]] = 0.5
    prefer = np.arange(count) < share * count
    scores[prefer, first] += margins[0]
    scores[~prefer, other] += margins[1]
    return scores


# --------------------------------------------------------------------------------------
# Rows
# --------------------------------------------------------------------------------------


def rows_of(table, results, **unit):
    return [
        {"unit": {"table": table, **unit, **own}, "result": result}
        for own, result in results
    ]


def counted(scores, items, seconds=126.0):
    right = np.round(np.atleast_2d(scores) * items).astype(int)
    took = np.broadcast_to(seconds, len(right))
    return [
        {"items": items, "right": tables.pack(row), "seconds": float(s)}
        for row, s in zip(right, took, strict=True)
    ]


def partitions(task, k, scores, sample=0, items=ITEMS, seconds=126.0):
    """Recorded partitions; their rows come in another order than they were run."""
    numbered = [
        ({"partition": p}, result)
        for p, result in enumerate(counted(scores, items, seconds))
    ]
    return rows_of("partitions", numbered[::-1], task=task, k=k, sample=sample)


def truth(task, *fits, items=ITEMS, sample=0, variance=0.0):
    """Held-out counts; with other items each accuracy varies on its own, by this much
    in percent squared.
    """
    upper = variance * np.eye(len(fits[0]))[np.triu_indices(len(fits[0]))]
    numbered = [
        ({"fit": f}, {**result, "covariance": tables.pack(upper, ".4g")})
        for f, (result,) in enumerate(counted(fit, items) for fit in fits)
    ]
    return rows_of("truth", numbered, task=task, sample=sample)


def estimates(kinds, **samples):
    """Estimates of one forest, 200 of each kind; by default with an SD of 0.01."""
    found = []
    for by, k in kinds:
        values = samples.get(f"{by}_{k}", spread(0.7, 0.01, 200))
        numbered = [
            ({"partition": p}, {"estimate": value}) for p, value in enumerate(values)
        ]
        found += rows_of("estimates", numbered, by=by, k=k)
    return found


GRIDS = {
    # The second is the fixed one.
    "imdb": pd.DataFrame({"max_features": np.arange(1, 22) / 20}),
    "treebank": pd.DataFrame({"C": [1, 10, 50, 100]}),
    "reuters": pd.DataFrame({"C": [1, 1, 100, 100], "gamma": [0.1, 0.3, 0.1, 0.3]}),
}
# As the released files are called.
GRIDS |= {
    "rf": GRIDS["imdb"],
    "pos": GRIDS["treebank"],
}
