"""What the course prints, and what was computed for it."""

import math

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.model_selection import KFold, ParameterGrid, ShuffleSplit

from lab.papers.judging import MissingRunsError
from lab.papers.potts2020.tasks import systems, trained
from lab.record import tables
from lab.record.tables import LACKING, unpack

# Trials of the course's cell, and how many of them it prints as correct.
TRIALS, LEARNED = 10, 8
STORYCLOZE = (
    "taken over from Schwartz et al. (2017), whose data are not among the registered"
    " files and whose system was not run"
)
NET = "net: systems that differ on more items in either direction may be as far apart"
AGAIN = (
    "without training the best setting again on all training data, which is one more"
)
AGAIN_EACH = "without training again on all training data, which is {} more"


def _grid():
    """Count what the course's grid asks for, by scikit-learn's own classes."""
    two = {"h1": range(5), "h2": range(10)}
    pairs, fits = len(ParameterGrid(two)), len(ParameterGrid({**two, "h3": range(2)}))
    folds, splits = KFold(5).get_n_splits(), ShuffleSplit(10).get_n_splits()
    return {
        "grid/50": (float(pairs), "by ParameterGrid"),
        "grid/100": (float(fits), "by ParameterGrid"),
        "grid/500": (float(fits * folds), AGAIN),
        "grid/5000": (float(fits * folds * splits), AGAIN_EACH.format(splits)),
    }


def _xor():
    """Return how many of ten trials are expected to learn XOR, and not to, from 1,000
    networks.
    """
    cells = tables.load_recorded("xor", "learned")
    # The cell's own: label 1 where the inputs are the same, two hidden units, tanh, 500
    # steps at 0.01.
    cell = cells.query(
        "labels == 'same' and activation == 'tanh' and hidden == 2"
    ).iloc[0]
    share = float(cell.learned_500)
    at_least = stats.binom.sf(LEARNED - 1, TRIALS, share)
    note = (
        f"expected of {TRIALS}: {share:.1%} of {cell.seeds:,} networks of that cell"
        f" learn it; {LEARNED} or more of {TRIALS} do in {at_least:.0%} of such cells,"
        " so that the printed draw is"
        f" {'an ordinary' if at_least > 0.05 else 'a rare'} one"
    )
    return {
        "xor/correct": (TRIALS * share, note),
        "xor/incorrect": (TRIALS * (1 - share), note),
    }


def _final_error(record):
    """Return the training error that the course's cell prints, as the median of our
    seeds.
    """
    rows = record.table("curves", trained.CURVE_SEEDS, data="artificial")
    # A quarter of 5,000 is for test, a quarter of the rest for dev. The course adds up
    # the mean losses of the batches of an epoch, of which ours is the mean.
    batches = math.ceil(5000 * 0.75**2 / systems.SETTING["batch_size"])
    errors = batches * np.array([unpack(cell)[-1] for cell in rows.error])
    return (
        float(np.median(errors)),
        (
            f"median of {len(errors)} seeds on one split, from {errors.min():.4f} to"
            f" {errors.max():.4f}; the error of an epoch is the sum of the mean losses"
            f" of its {batches} batches, as the course's code has it, here {batches}"
            " times the mean; split and seed of the printed run are not known"
        ),
    )


def computed(record):
    """Compute what the course prints; its numbers of splits are advice, and no result.

    Parameters
    ----------
    record : lab.papers.rows.Rows

    Returns
    -------
    pandas.DataFrame
        Columns `id`, `value` (absent for what is out of reach) and `note`; in `attrs`,
        what lacks its runs.
    """
    figures, lacking = {**_grid(), **_xor()}, {}
    folds = {k: len(next(KFold(k).split(np.zeros(30)))[0]) for k in (3, 10)}
    figures |= {
        f"kfold/train_share_{k}": (100 * n / 30, "by KFold, of 30 items")
        for k, n in folds.items()
    }
    try:
        figures["mlp/final_error"] = _final_error(record)
    except MissingRunsError as error:
        lacking["mlp/final_error"] = str(error)
    figures |= {
        f"storycloze/{name}": (None, STORYCLOZE) for name in ("full", "ending_only")
    }
    figures |= {f"practical/{n}": (n / 100, NET) for n in (1000, 1_000_000)}
    table = pd.DataFrame(
        [(name, *pair) for name, pair in figures.items()],
        columns=["id", "value", "note"],
    )
    table.attrs[LACKING] = lacking
    return table
