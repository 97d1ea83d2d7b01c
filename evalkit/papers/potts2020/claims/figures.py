"""What the course prints, what it was computed from, and what reading or released scores would decide."""

import math

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.model_selection import KFold, ParameterGrid, ShuffleSplit

from evalkit import recorded
from evalkit._data import DATA
from evalkit.papers.judging import OUT_OF_REACH, Finding, Judges, MissingRunsError
from evalkit.papers.potts2020.tasks import systems, trained
from evalkit.recorded import LACKING, unpack

JUDGES = Judges("potts2020")

OUT = {
    "demsar-recommends": (
        "Reading his paper would decide, and it is not among the registered files. The course cites it for "
        "10 splits or more of one data set; by its title, it is about several data sets."
    ),
    "mittens-curves": (
        "The scores behind the figure, run by run, are not at hand, nor runs beyond its end: the course "
        "shows a picture."
    ),
}
for _claim, _missing in OUT.items():
    JUDGES.judge(_claim, _missing)(lambda record, missing: Finding(OUT_OF_REACH, "printed figures", missing))


# ---------------------------------------------------------------------------------------------
# What is printed
# ---------------------------------------------------------------------------------------------


def published():
    """Return what the course prints, by id.

    Returns
    -------
    pandas.Series of str
    """
    path = DATA / "published" / "potts2020.csv"
    return pd.read_csv(path, dtype=str, keep_default_na=False).set_index("id").printed


def models(name):
    """Count what the course's grid asks for, by scikit-learn's own classes.

    Parameters
    ----------
    name : {"grid/50", "grid/100", "grid/500", "grid/5000"}

    Returns
    -------
    float
    str
        A note.
    """
    two = {"h1": range(5), "h2": range(10)}
    three = {**two, "h3": range(2)}
    if name == "grid/50":
        return float(len(ParameterGrid(two))), "by ParameterGrid"
    fits = len(ParameterGrid(three))
    if name == "grid/100":
        return float(fits), "by ParameterGrid"
    fits *= KFold(5).get_n_splits()
    if name == "grid/500":
        return float(fits), "without training the best setting again on all training data, which is one more"
    splits = ShuffleSplit(10).get_n_splits()
    return float(fits * splits), f"without training again on all training data, which is {splits} more"


# Trials of the course's cell.
TRIALS = 10


def xor(name):
    """Return how many of ten trials are expected to learn XOR, or not to, from 1,000 networks.

    Parameters
    ----------
    name : {"xor/correct", "xor/incorrect"}

    Returns
    -------
    float
    str
        A note.
    """
    cells = recorded.load_recorded("xor", "learned")
    # The cell's own: label 1 where the inputs are the same, two hidden units, tanh, 500 steps at 0.01.
    cell = cells.query("labels == 'same' and activation == 'tanh' and hidden == 2").iloc[0]
    share = float(cell.learned_500)
    printed = int(published()["xor/correct"])
    at_least = stats.binom.sf(printed - 1, TRIALS, share)
    note = (
        f"expected of {TRIALS}: {share:.1%} of {cell.seeds:,} networks of that cell learn it; {printed} or "
        f"more of {TRIALS} do in {at_least:.0%} of such cells, so that the printed draw is "
        f"{'an ordinary' if at_least > 0.05 else 'a rare'} one"
    )
    return TRIALS * (share if name == "xor/correct" else 1 - share), note


def folds(name):
    """Return the share of the items that one of k folds leaves for training, in percent.

    Parameters
    ----------
    name : {"kfold/train_share_3", "kfold/train_share_10"}

    Returns
    -------
    float
    str
        A note.
    """
    k, n = int(name.rpartition("_")[2]), 30
    train, _ = next(KFold(k).split(np.zeros(n)))
    return 100 * len(train) / n, f"by KFold, of {n} items"


def final_error(record):
    """Return the training error that the course's cell prints, as the median of our seeds.

    Parameters
    ----------
    record : evalkit.papers.rows.Rows

    Returns
    -------
    float
    str
        A note.
    """
    rows = record.table("curves", trained.CURVE_SEEDS, data="artificial")
    # A quarter of 5,000 is for test, a quarter of the rest for dev. The course adds up the mean losses of
    # the batches of an epoch, of which ours is the mean.
    batches = math.ceil(5000 * 0.75**2 / systems.SETTING["batch_size"])
    errors = batches * np.array([unpack(cell)[-1] for cell in rows.error])
    return float(np.median(errors)), (
        f"median of {len(errors)} seeds on one split, from {errors.min():.4f} to {errors.max():.4f}; the "
        f"error of an epoch is the sum of the mean losses of its {batches} batches, as the course's code "
        f"has it, here {batches} times the mean; split and seed of the printed run are not known"
    )


STORYCLOZE = (
    "taken over from Schwartz et al. (2017), whose data are not among the registered files and whose system "
    "was not run"
)


def computed(record, verdicts):
    """Compute what the course prints.

    Parameters
    ----------
    record : evalkit.papers.rows.Rows
    verdicts : pandas.DataFrame
        As `JUDGES.findings` returns them; none of the figures rests on a verdict.

    Returns
    -------
    pandas.DataFrame
        Columns `id`, `value` (absent for what is out of reach) and `note`; in `attrs`, what lacks its runs.
    """
    found, lacking = {}, {}
    ways = {"grid": models, "xor": xor, "kfold": folds}
    for name in published().index:
        first, _, rest = name.partition("/")
        if first == "wilcoxon":
            continue  # advice, not a result
        if first in ways:
            found[name] = ways[first](name)
        elif first == "practical":
            found[name] = (
                int(rest) / 100,
                "net: systems that differ on more items in either direction may be as far apart",
            )
        elif first == "storycloze":
            found[name] = None, STORYCLOZE
        else:
            try:
                found[name] = final_error(record)
            except MissingRunsError as error:
                lacking[name] = str(error)
    table = pd.DataFrame(
        [(name, value, note) for name, (value, note) in found.items()], columns=["id", "value", "note"]
    )
    table.attrs[LACKING] = lacking
    return table
