"""Released scores of systems that are trained: AutoML on 39 tasks, BERT from 100 seeds,
random searches.
"""

import functools
import io

import numpy as np
import pandas as pd

from evalkit._checks import check_choice
from lab.data.boards._files import json_lines, no_doubles, recorded, tabs, upstream

_BUDGETS = ("1h", "4h")
_SECONDS = "_seconds"


def _commas(text):
    return pd.read_csv(io.StringIO(text))


def automl(budget):
    """Return the first AutoML benchmark's scores: seven systems, ten folds of each
    task.

    Parameters
    ----------
    budget : {"1h", "4h"}
        What each system may spend on a fold: one hour, 35 tasks, or four, the same and
        four more.

    Returns
    -------
    items : pandas.DataFrame
        One row a fold: `task`, `type` ("binary" or "multiclass") and `fold`, 0 to 9.
        Folds of a task share its data, and are no tasks of their own.
    scores : pandas.DataFrame of float, shape (n_folds, 7)
        The higher the better: the area under the curve of a binary task, minus the log
        loss of another (in nats). NaN where the system crashed.
    seconds : pandas.DataFrame of float, shape (n_folds, 7)
        How long it took; NaN where nothing is known.

    Notes
    -----
    34 of 2,450 results are missing with one hour, 47 of 2,730 with four. The authors'
    tables put the "randomforest" of the same fold there, unless a system has no result
    on a task at all: there they leave the task out, two of Auto-WEKA's with one hour,
    and four of three systems' with four. In the tables of four hours one log loss, of
    "h2oautoml" on the fourth fold of "jungle_chess_2pcs_raw_endgame_complete", counts
    as an area under the curve; here it has its minus sign. A log loss has no bound:
    TPOT's reaches 34 on a fold, and a constant guess has 6 at most. The
    "constantpredictor" of the four hours is that of the one hour, copied. A fold took
    more than one and a half times the time allowed 43 times with one hour, and 19 times
    with four.

    References
    ----------
    Gijsbers et al. (2019), "An open source AutoML benchmark".
    """
    table = recorded(f"automl_{check_choice(budget, 'budget', _BUDGETS)}")
    facts = ["task", "type", "fold"]
    seconds = [name for name in table if name.endswith(_SECONDS)]
    return (
        table[facts],
        table.drop(columns=[*facts, *seconds]),
        table[seconds].rename(columns=lambda name: name.removesuffix(_SECONDS)),
    )


def _automl(rows):
    no_doubles(rows, ["framework", "task", "fold"])
    if not np.allclose(rows.result.abs(), rows.score.abs(), equal_nan=True):
        raise ValueError("a score is not its result, with or without a minus sign")
    if not rows["info"].notna().equals(rows.result.isna()):
        raise ValueError(
            "a result is missing without a reason, or there in spite of one"
        )
    # Not the file's `score`: one log loss lies in the column of the areas under curves,
    # and has no minus.
    rows = rows.assign(
        score=rows.result * rows.type.map({"binary": 1, "multiclass": -1})
    )
    facts = ["task", "type", "fold"]
    wide = rows.pivot_table(
        index=facts, columns="framework", values=["score", "duration"]
    )
    parts = wide["score"], wide["duration"].add_suffix(_SECONDS)
    return pd.concat(parts, axis=1).reset_index().to_csv(index=False)


def _make_automl(budget):
    return _automl(upstream(f"automlbenchmark/{budget}_all_results.csv", _commas))


_MNLI = 9815
_CASE = 1000


def hans():
    """Return how 100 BERTs that differ in their seed alone do on MNLI and on HANS.

    Returns
    -------
    runs : pandas.DataFrame of float, shape (100, 31)
        The accuracy of each run: `mnli`, on 9,815 items of its development set, then
        the 30 cases of HANS, 1,000 items each. A case's name begins with its heuristic
        ("l" lexical overlap, "s" subsequence, "c" constituent) and with "e" where
        entailment is right or "n" where it is not.
    items : pandas.DataFrame
        One row an item of MNLI, in its order: `premise`, a number that items with the
        same premise share (3,334 of them, nearly all with three items), and `right`,
        how many of the 100 runs were right.

    Notes
    -----
    The two files agree: both count 827,790 right answers. The file of runs goes on
    after its last run with their minimum, maximum, mean and standard deviation, as if
    these were runs 101 to 104. In the file of items quotation marks are text: a reader
    that takes them for CSV's loses 101 items.

    References
    ----------
    McCoy, Min and Linzen (2020), "BERTs of a feather do not generalize together: Large
    variability in generalization across models with similar test set performance".
    """
    right = recorded("hans_runs", index_col="run")
    return right / np.where(right.columns == "mnli", _MNLI, _CASE), recorded(
        "hans_items"
    )


def _hans_runs(table):
    table = table.dropna(how="all").rename(
        columns={"Run": "run", "MNLI dev acc.": "mnli"}
    )
    table = no_doubles(table[table.run.str.fullmatch(r"Run \d+")], ["run"])
    cases = [
        name for name in table if name[:3] in ("ln_", "le_", "sn_", "se_", "cn_", "ce_")
    ]
    if len(cases) != 30:
        raise ValueError(f"there are 30 cases of HANS, and the file has {len(cases)}")
    exact = table[["mnli", *cases]].astype(float) * [_MNLI, *[_CASE] * len(cases)]
    counts = exact.round().astype(int)
    if (exact - counts).abs().gt(0.001).any(axis=None):
        raise ValueError("an accuracy is not a count of its items")
    counts.insert(0, "run", table.run.str.removeprefix("Run ").astype(int))
    return counts.to_csv(index=False)


def _make_hans_runs():
    return _hans_runs(
        upstream("hans/berts_of_a_feather_accuracies_by_run.csv", _commas)
    )


def _hans_items(table):
    if not table["index"].equals(pd.Series(range(len(table)))):
        raise ValueError("the items are not in the order of their index")
    right = table["number of correct responses (out of 100)"]
    return pd.DataFrame(
        {"premise": pd.factorize(table.premise)[0], "right": right}
    ).to_csv(index=False)


def _make_hans_items():
    return _hans_items(
        upstream("hans/mnli_development_set_number_of_correct_responses.txt", tabs)
    )


_IMAGES = 50_000
_POOLS = ("alexnet", "convnext-tiny")
_SEARCHED = [
    "epochs",
    "batch_size",
    "lr",
    "lr_peak_epoch",
    "momentum",
    "weight_decay",
    "label_smoothing",
]


def opda(pool):
    """Return a random search of 512 runs on ImageNet.

    Parameters
    ----------
    pool : {"alexnet", "convnext-tiny"}

    Returns
    -------
    pandas.DataFrame
        One row a run, in the order of the search: `iteration`; the hyperparameters, of
        which `epochs` is how long it was to train; `finished`, the epochs that it did;
        `diverged`, whether its training loss became NaN, which ended it; and the
        accuracies on the 50,000 images of the validation set after the last epoch
        (`last`) and after the best (`best`), NaN where no epoch was finished.

    Notes
    -----
    147 runs of AlexNet diverged and 224 of ConvNeXt, 49 and 71 of them in their first
    epoch: to leave out what has no score is to search a space without its bad part. Not
    all failures are marked: 171 runs of AlexNet trained to the end and do no better
    than a guess, one image in a thousand. `best` is chosen on the images that it is
    scored on.

    References
    ----------
    Lourie, He and Cho (2025), "Hyperparameter loss surfaces are simple near their
    optima".
    """
    table = recorded(f"opda_{check_choice(pool, 'pool', _POOLS)}")
    return table.assign(last=table["last"] / _IMAGES, best=table.best / _IMAGES)


def _opda(runs):
    rows = []
    for run in runs:
        right = [round(epoch["top_1"] * _IMAGES) for epoch in run["learning_curve"]]
        row = {name: run[name] for name in ["iteration", *_SEARCHED]} | {
            "finished": len(right)
        }
        row["diverged"] = run["nan_train_loss"]
        if row["diverged"] == (row["finished"] == row["epochs"]):
            raise ValueError(
                f"run {run['iteration']} ended early without a reason, or the other way"
                " round"
            )
        rows.append(
            row
            | {
                "last": right[-1] if right else None,
                "best": max(right, default=None),
            }
        )
    counts = {"last": "Int64", "best": "Int64"}
    return no_doubles(pd.DataFrame(rows).astype(counts), ["iteration"]).to_csv(
        index=False
    )


def _make_opda(pool):
    return _opda(upstream(f"opda/{pool}_tuning.results.jsonl", json_lines))


MAKERS = {
    f"automl_{budget}": functools.partial(_make_automl, budget) for budget in _BUDGETS
}
MAKERS |= {"hans_runs": _make_hans_runs, "hans_items": _make_hans_items}
MAKERS |= {f"opda_{pool}": functools.partial(_make_opda, pool) for pool in _POOLS}
