"""The schema of a report: one long table, in which a row is a score.

What a column is for is said by its name, exactly as it stands here, or by
`columns={role: name}`; nothing looks at values to find it out. All that is listed or
limited in a report stands here.
"""

import re

from evalkit import _ways as to
from evalkit import _ways_of_runs as of_runs
from evalkit._limits import FEWEST_SEEDS, FEWEST_TRIALS

# What tells the rows of a system apart, and what such a table is. A key that is the
# same in every row tells nothing apart.
KINDS = {
    ("seed",): "seeds",
    ("item",): "items",
    ("item", "seed"): "items",
    ("item", "attempt"): "items",
    ("fold",): "folds",
    ("dataset",): "datasets",
    ("trial",): "search",
}
KEYS = ("item", "dataset", "trial", "fold", "seed", "attempt")
ROLES = {
    "system": "what is compared: one spelling each",
    "seed": "of a training run",
    "item": "what every system answers, by its name and never by the number of a row",
    "attempt": "the number of an answer, where a model answers an item several times",
    "fold": "of a cross-validation, or a random split of one data set",
    "dataset": "on which systems are scored, once each",
    "trial": "of a random search; needs validation",
    "validation": "the score that chose",
    "setting": "what was set before a run; several columns may be",
    "group": "items that belong together: a document, a speaker, a repository",
    "part": "train, validation or test: test rows are compared",
    "prediction": "what a system says of an item, where there is no score",
    "label": "the right answer to it",
}
SEVERAL = ("setting",)
# Columns that another call is for.
ELSEWHERE = {
    "rater": to.RATERS,
    "numerator": to.SUMS,
    "denominator": to.SUMS,
    "size": of_runs.SIZES,
}
PARTS = ("train", "validation", "test")

# Metrics, each also with test_ in front: every other asks for a direction.
SHARES = (
    "accuracy", "acc", "balanced_accuracy", "f1", "precision", "recall", "auc", "auroc",
    "exact_match", "correct",
)  # fmt: skip
HIGHER = (*SHARES, "bleu", "chrf", "rouge", "rouge_l", "r2", "reward", "win_rate")
LOWER = (
    "loss", "error", "error_rate", "perplexity", "rmse", "mse", "mae", "wer", "cer",
    "log_loss", "bits_per_byte",
)  # fmt: skip
# What stands for no score, in any case.
GAPS = ("", "nan", "na", "n/a", "null", "none", "inf", "-inf", "infinity", "-infinity")
SUMMARIES = ("mean", "average", "avg", "median", "std", "sd", "total", "overall", "all")

# Keys below which no answer is given; a search needs trials.
FEWEST = {"seeds": 2, "items": 5, "folds": 3, "datasets": 2, "search": FEWEST_TRIALS}
FEWEST_RUNS = FEWEST_SEEDS  # where items and seeds vary at once
FAR = 20  # times: typical scores that lie so far apart may have two scales
BACKWARDS = -0.3  # rank correlation of validation and test scores of a system
FEWEST_ALIKE = 4  # scores of which all are equal, or all those of another system
MOST_BYTES, MOST_CELLS = 300_000_000, 20_000_000  # of a file, and of all of them

# Codes of refusals, and what goes wrong if nothing is done. A contradiction has to be
# mended; a suspicion is confirmed.
CONTRADICTIONS = {
    "unreadable": "So nothing was read: a part may say something else than the whole.",
    "columns": "A column has a role by its exact name, or because it is said; what else"
    " varies within a system changes what a row is.",
    "metric": "What is compared is fixed before the scores are seen.",
    "direction": "Read the wrong way, the worse system would be called the better.",
    "unit": "A row is one score, and what tells rows apart says of what it is one.",
    "baseline": "A comparison needs two systems, and one of them is named.",
    "words": "A word has no place here: another column was meant, or these rows are"
    " none.",
    "gaps": "Left out in silence, what failed flatters its system.",
    "range": "No share lies outside of 0 and 1, or 0 and 100 %.",
    "duplicates": "Counted twice, a row makes the interval too short.",
    "unmatched": "Scores are compared pair by pair: left out in silence, the hard ones"
    " may be gone.",
    "spelling": "Written in two ways, what is the same counts as different.",
    "key": "Two systems would be held to two answers, or to none.",
    "groups": "Items that belong together are one unit, so each lies in one group.",
    "train-items": "Whoever has seen the answer shows memory, and no skill.",
    "test-chose": "The best of several scores is too good: what chose must not judge.",
    "search": "The expected best of n trials needs independent draws, and the scatter"
    " of a search is not that of seeds.",
    "grid": "A grid is the same each time, and no random draw.",
    "sizes": "By how much the training parts overlap decides the p-value; only the"
    " ratio counts.",
    "one-run": "One run does not show how far another would lie.",
    "few": "Of so few, or so equal ones, nobody can say how far another would lie.",
    "margin": "Equivalence needs an interval to hold against the margin.",
}
SUSPICIONS = {
    "names": "If they are one system, it is compared with itself.",
    "copies": "A file may have been read twice, under two names.",
    "constant": "A baseline without chance does so; so does a network whose seed is not"
    " used.",
    "scale": "Shares beside per cents, or two metrics? The largest decides every mean.",
    "mean-row": "A mean of the others counts every score twice.",
    "missing-runs": "A run that failed and left no row flatters its system.",
    "swapped": "Nearly all splits test on the smaller part.",
    "validation": "What chooses is read the same way as what is compared: of a loss"
    " beside an accuracy the worst trial would be chosen.",
}


def direction(metric):
    """Return which way a metric is better, by its exact name.

    Parameters
    ----------
    metric : str

    Returns
    -------
    {"higher", "lower"} or None
    """
    name = re.sub("^(test|val|valid|validation|dev)_", "", metric)
    return {**dict.fromkeys(HIGHER, "higher"), **dict.fromkeys(LOWER, "lower")}.get(
        name
    )
