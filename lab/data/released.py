"""What authors released of their runs, as tables: one score a run, nothing aggregated.

The files come through `lab.data.sources`; what each holds, and its licence, is in
`data/registry.csv`.
"""

import ast
import json

import numpy as np
import pandas as pd

from evalkit._checks import check_choice
from lab.data.sources import SourceError, load_pickle, opened

# --------------------------------------------------------------------------------------
# Tang et al. 2020
# --------------------------------------------------------------------------------------


def tang2020():
    """Return the runs that Tang et al. (2020) released: two systems, many seeds.

    Returns
    -------
    pandas.DataFrame
        One row per run, in the order of the file: `system` ("reg_lstm", 152 runs, or
        "mlp", 145), `seed`, and `f1` on the development set of Reuters.
    """
    with opened("tang2020/hedwig.tsv") as path:
        table = pd.read_csv(path, sep="\t")
        if set(table.set_type) != {"dev"} or set(table.dataset_name) != {"Reuters"}:
            raise SourceError(
                f"{path} holds more than the development scores on Reuters"
            )
        return table.rename(columns={"model_name": "system", "--seed": "seed"})[
            ["system", "seed", "f1"]
        ]


# --------------------------------------------------------------------------------------
# Moss et al. 2018
# --------------------------------------------------------------------------------------

_MOSS_FILES = {
    "rf": {
        5: "IMDB/MoviesRF_differentpartitions_1000_5_folds",
        10: "IMDB/MoviesRF_differentpartitions_1000_10_folds",
        20: "IMDB/MoviesRF_differentpartitions_500_20_folds",
    },
    "pos": {
        5: "POS/POSLR_differentpartitions_1000_5_folds",
        10: "POS/POSLR_differentpartitions_1000_10_folds",
    },
    "reuters": {
        5: "REUTERS/REUTERSSVM_differentpartitions_1000_5_folds",
        10: "REUTERS/REUTERSSVM_differentpartitions_1000_10_folds",
    },
    "lstm": {
        5: "LSTM/LSTM_differentpartitions_514_5_folds.txt",
        10: "LSTM/LSTM_differentpartitions_283_10_folds.txt",
    },
    "lstm-reg": {
        5: "LSTM/LSTM_differentpartitions_reg_1200_5_folds.txt",
        10: "LSTM/LSTM_differentpartitions_reg_566_10_folds.txt",
    },
}
_PENALTIES = [1e-5, 1e-3, 1e-1]
# The values of each hyperparameter; in the columns of a matrix the last one varies
# fastest.
_MOSS_GRIDS = {
    "rf": {"max_features": [i / 100 for i in range(1, 50)]},
    "pos": {"C": [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 50, 100]},
    "reuters": {
        "C": [1, 5, 10, 50, 100, 500, 1000, 5000, 10000],
        "gamma": [i / 100 for i in range(5, 50, 5)],
    },
    "lstm": {"width": list(range(10, 100, 10))},
    "lstm-reg": {"bias": _PENALTIES, "input": _PENALTIES},
}


def _moss(file):
    return opened(f"moss2018/{file}")


def _lines(path):
    return path.read_text(encoding="utf-8").split("\n")


def moss2018_accuracy(task, folds):
    """Return a matrix of cross-validated accuracies that Moss et al. (2018) released.

    Parameters
    ----------
    task : {"rf", "pos", "reuters", "lstm", "lstm-reg"}
        A random forest on film reviews, logistic regression on parts of speech, a
        support vector machine on Reuters, and an LSTM on tweets, tuned over its width
        or its penalties.
    folds : {5, 10, 20}
        Of the cross-validation; 20 for "rf" only.

    Returns
    -------
    ndarray of shape (n_partitions, n_settings)
        A row per random partition, in the order of the file; a column per row of
        `moss2018_grid`.
    """
    files = _MOSS_FILES[check_choice(task, "task", tuple(_MOSS_FILES))]
    if folds not in files:
        raise ValueError(
            f"folds must be one of {', '.join(map(str, files))} for {task}, got"
            f" {folds!r}"
        )
    with _moss(files[folds]) as path:
        if task.startswith("lstm"):
            rows = [
                ast.literal_eval(line.removesuffix("text"))
                for line in _lines(path)
                if line
            ]
        else:
            rows = load_pickle(path)
        matrix = np.array(rows, dtype=float)
        if matrix.ndim != 2 or matrix.shape[1] != len(moss2018_grid(task)):
            raise SourceError(f"{path} holds {matrix.shape}, not a column per setting")
        return matrix


def moss2018_grid(task, *, as_run=False):
    """Return the settings behind the columns of `moss2018_accuracy`.

    Parameters
    ----------
    task : {"rf", "pos", "reuters", "lstm", "lstm-reg"}
    as_run : bool, default False
        In "lstm-reg", the last column was run with the setting of the one before it;
        True says so, False gives the full grid, as the paper's analysis decodes it. The
        other tasks were run as their grids say.

    Returns
    -------
    pandas.DataFrame
        One row per column of the matrix, one column per hyperparameter.
    """
    grid = _MOSS_GRIDS[check_choice(task, "task", tuple(_MOSS_GRIDS))]
    table = pd.MultiIndex.from_product(grid.values(), names=grid).to_frame(index=False)
    if as_run and task == "lstm-reg":
        table.iloc[8] = table.iloc[7]
    return table


def moss2018_truth():
    """Return the random forests' accuracy on 49,000 held-out reviews.

    Returns
    -------
    ndarray of shape (49,)
        One value per row of `moss2018_grid("rf")`.
    """
    with _moss("IMDB/MoviesRF_Truth") as path:
        return np.array(load_pickle(path), dtype=float)


# --------------------------------------------------------------------------------------
# Bajgar et al. 2018
# --------------------------------------------------------------------------------------


def bajgar2018(pool):
    """Return the runs that Bajgar et al. (2018) released.

    Parameters
    ----------
    pool : {"as-reader-fixed", "as-reader-search", "resnet"}
        370 runs of the AS Reader with fixed hyperparameters, 197 of a random search
        over them, and 74 of a ResNet on CIFAR-100.

    Returns
    -------
    pandas.DataFrame
        One row per run: `run` (the authors' name for it), and the accuracies
        `validation` and `test`. Runs that ended before they learned anything are left
        out, as the authors do: in the first two pools those without a finished epoch or
        iteration, in the third those of fewer than 35,000 steps. A searched run counts
        with its best validation accuracy.
    """
    check_choice(pool, "pool", ("as-reader-fixed", "as-reader-search", "resnet"))
    if pool == "as-reader-fixed":
        with opened("bajgar2018/cbt_fixed_hyppar.csv") as path:
            table = pd.read_csv(path)
            table = table[(table.epoch > 0) & table.log_path.str.contains("/cbt-dist/")]
            table = table[["log_path", "valid.accuracy", "accuracy"]]
    elif pool == "as-reader-search":
        with opened("bajgar2018/cbtrs_results.csv") as path:
            table = pd.read_csv(path).sort_values(["valid_accuracy", "iterations_done"])
            table = table.groupby("log").tail(1).sort_index()
            table = table[table.iterations_done > 0]
            table = table[
                ["log", "valid_accuracy", "cbtest_CN_test_2500ex.txt_accuracy"]
            ]
    else:
        with opened("bajgar2018/cifar100-resnet-oct17.csv") as path:
            table = pd.read_csv(path)
            table = table[table.iloc[:, 0] >= 35_000][
                ["path", "Precision_valid", "Precision_test"]
            ]
    return table.set_axis(["run", "validation", "test"], axis=1).reset_index(drop=True)


def bajgar2018_rows(pool):
    """Return every row of a file that Bajgar et al. (2018) released, before any is left
    out.

    Parameters
    ----------
    pool : {"as-reader-fixed", "as-reader-search", "resnet"}

    Returns
    -------
    pandas.DataFrame
        `run`, `validation` and `test`, and how far it was trained, in finished epochs
        (`epochs`) or in iterations (`steps`). Of the search a row is an evaluation, not
        a run, and has the `seconds` since the run began: initialisation, reading and
        training, as the log counts them. Of the ResNet there are also `best_validation`
        and `best_test`, the largest along the way.
    """
    check_choice(pool, "pool", ("as-reader-fixed", "as-reader-search", "resnet"))
    if pool == "as-reader-fixed":
        with opened("bajgar2018/cbt_fixed_hyppar.csv") as path:
            table = pd.read_csv(path)[
                ["log_path", "valid.accuracy", "accuracy", "epoch"]
            ]
        return table.set_axis(["run", "validation", "test", "epochs"], axis=1)
    if pool == "as-reader-search":
        with opened("bajgar2018/cbtrs_results.csv") as path:
            table = pd.read_csv(path)
            clock = (
                table[["time_read_data_total", "time_train_total"]]
                .fillna(0)
                .sum(axis=1)
            )
            # Only the first row of a run has the time that its initialisation took.
            first = table.groupby("log").time_initialization.transform("max").fillna(0)
            table = table.assign(seconds=clock + first)
            names = [
                "log",
                "valid_accuracy",
                "cbtest_CN_test_2500ex.txt_accuracy",
                "iterations_done",
            ]
            table = table[[*names, "seconds"]]
        return table.set_axis(["run", "validation", "test", "steps", "seconds"], axis=1)
    with opened("bajgar2018/cifar100-resnet-oct17.csv") as path:
        table = pd.read_csv(path)
        names = ["path", "Precision_valid", "Precision_test", table.columns[0]]
        table = table[[*names, "Best Precision_valid", "Best Precision_test"]]
    return table.set_axis(
        ["run", "validation", "test", "steps", "best_validation", "best_test"], axis=1
    )


# --------------------------------------------------------------------------------------
# Random searches of others
# --------------------------------------------------------------------------------------


def _json_lines(path):
    return [json.loads(line) for line in _lines(path) if line]


def opda_deberta(model="deberta-base"):
    """Return a random search of 1,024 runs on MultiNLI that Lourie et al. (2024)
    released.

    Parameters
    ----------
    model : {"deberta-base", "deberta-v3-base"}

    Returns
    -------
    pandas.DataFrame
        One row per run: `iteration`, the hyperparameters, and the accuracies `matched`
        and `mismatched` on the two validation sets at the end of training;
        `best_matched` and `best_mismatched` are the largest along the way.
    """
    check_choice(model, "model", ("deberta-base", "deberta-v3-base"))
    rows = []
    with opened(f"opda_deberta/{model}.results.jsonl") as path:
        for run in _json_lines(path):
            curves = run.pop("learning_curves")
            run |= {name: curve[-1][1] for name, curve in curves.items()}
            run |= {
                f"best_{name}": max(score for _, score in curve)
                for name, curve in curves.items()
            }
            rows.append(run)
    return pd.DataFrame(rows)


def dodge2019():
    """Return a random search of 97 runs of VAMPIRE that was released with allentune.

    Returns
    -------
    pandas.DataFrame
        One row per run, with its best validation scores `loss`, `nll`, `nkld` (the
        lower the better) and `npmi` (the higher the better), and the `epoch` they come
        from. Four runs have no finite `loss` and `nkld`.
    """
    names = {
        f"best_validation_{name}": name for name in ("loss", "nll", "nkld", "npmi")
    }
    names["best_epoch"] = "epoch"
    with opened("dodge2019/results.jsonl") as path:
        return pd.DataFrame(_json_lines(path))[list(names)].rename(columns=names)
