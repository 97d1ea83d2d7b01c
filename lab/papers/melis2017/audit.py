"""The printed tables of Melis et al. (2017), as they were passed on, held against what
their own text says.

No scores by run were released, and the tables at hand are transcriptions: that they
agree with each other says nothing of the results. What can be asked is whether the text
follows from them, by the authors' own rule that a gap of 1.0 in perplexity is robust.
"""

import functools
import itertools

import numpy as np
import pandas as pd
from scipy import stats

from lab.data import DATA

BUDGETS = ("10M", "24M")
# Cell to the depths that were trained.
DEPTHS = {"LSTM": (1, 2, 4), "RHN": (5,), "NAS": (1,)}
# The authors' limit of a robust difference.
ROBUST = 1.0
GRID_VALUES, GRID_HYPERPARAMETERS = 5, 6


@functools.cache
def published():
    """Return what the paper prints, as text by id.

    Returns
    -------
    pandas.Series
    """
    table = pd.read_csv(
        DATA / "published" / "melis2017.csv", dtype=str, keep_default_na=False
    )
    return table.set_index("id").printed


def printed(name):
    """Return a printed number.

    Parameters
    ----------
    name : str
        Its id.

    Returns
    -------
    float
    """
    return float(published()[name])


def perplexity(cell, budget, depth, part="test"):
    """Return a perplexity of Table 1.

    Parameters
    ----------
    cell : {"LSTM", "RHN", "NAS"}
    budget : {"10M", "24M"}
    depth : int
    part : {"validation", "test"}, default "test"

    Returns
    -------
    float
    """
    return printed(f"ptb/{cell}/{budget}/depth{depth}/{part}")


def ablated(variant, budget, part="test"):
    """Return a perplexity of Table 4.

    Parameters
    ----------
    variant : str
        As the table has it, such as "LSTM, untied gates".
    budget : {"10M", "24M"}
    part : {"validation", "test"}, default "test"

    Returns
    -------
    float
    """
    return printed(f"ablation/{variant}/{budget}/{part}")


def best_depth(budget):
    """Return the depth of the LSTM with the lowest validation perplexity of Table 1.

    Parameters
    ----------
    budget : {"10M", "24M"}

    Returns
    -------
    int
    """
    return min(
        DEPTHS["LSTM"],
        key=lambda depth: perplexity("LSTM", budget, depth, "validation"),
    )


def three(budget, part="test", depth=None):
    """Return the perplexities of the LSTM, the RHN and NAS.

    Parameters
    ----------
    budget : {"10M", "24M"}
    part : {"validation", "test"}, default "test"
    depth : int, optional
        Of the LSTM; by default the one with the best validation.

    Returns
    -------
    tuple of float
    """
    lstm = perplexity("LSTM", budget, depth or best_depth(budget), part)
    return lstm, *(
        perplexity(cell, budget, *DEPTHS[cell], part) for cell in ("RHN", "NAS")
    )


def rise(cell, change, budget):
    """Return by how much test perplexity rises when a feature of Table 4 is changed.

    Parameters
    ----------
    cell : {"LSTM", "RHN"}
    change : str
    budget : {"10M", "24M"}

    Returns
    -------
    float
    """
    return ablated(f"{cell}, {change}", budget) - ablated(cell, budget)


def models():
    """Return the ten models of Table 1.

    Returns
    -------
    pandas.DataFrame
        One row for each: `cell`, `budget`, `depth`, `validation` and `test`.
    """
    return pd.DataFrame(
        [
            (
                cell,
                budget,
                depth,
                *(
                    perplexity(cell, budget, depth, part)
                    for part in ("validation", "test")
                ),
            )
            for cell, depths in DEPTHS.items()
            for budget in BUDGETS
            for depth in depths
        ],
        columns=["cell", "budget", "depth", "validation", "test"],
    )


def pairs_within(limit):
    """Count the pairs of different models at one budget of Table 1 that differ by less
    in test perplexity.

    Parameters
    ----------
    limit : float

    Returns
    -------
    within, pairs : int
    """
    table = models()
    apart = [
        abs(a - b)
        for _, group in table.groupby("budget")
        for a, b in itertools.combinations(group.test, 2)
    ]
    return sum(gap < limit for gap in apart), len(apart)


def chances_of_a_gap(sets=2):
    """Return how often two equal models differ by more than 1.0, under each reading of
    the printed noise.

    Parameters
    ----------
    sets : {0, 1, 2}
        How often the noise of the finite sets counts in the difference: for each model;
        once, if what is printed holds that of both sets; or never, if it cancels.

    Returns
    -------
    dict of str to float
        The noise of a seed is an SD, or the mean absolute difference of two runs; that
        of the finite sets is a variance, or an SD. Errors are normal and independent.
    """
    chances = {}
    for data, finite in (("ptb", "low"), ("wikitext2", "high")):
        seed, gap = printed(f"noise/{data}_seed"), printed(f"noise/gap_{finite}")
        # The mean absolute difference of two normal runs is 2 / sqrt(pi) SDs.
        for one, sd in (("SD", seed), ("difference", seed * np.sqrt(np.pi) / 2)):
            for other, variance in (("variance", gap), ("SD", gap**2)):
                of_both = np.sqrt(2 * sd**2 + sets * variance)
                name = f"{seed} as {one}, {gap} as {other}"
                chances[name] = float(
                    2 * stats.norm.sf(printed("noise/robust_gap") / of_both)
                )
    return chances
