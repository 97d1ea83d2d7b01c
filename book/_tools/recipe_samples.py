"""Write the small exports of "Make it long" from the recorded runs: `python
book/_tools/recipe_samples.py`.

Without it nobody could say where they are from. They are committed, to be opened and
downloaded; a test says when they are out of date. Each has the layout that its tool
writes: names, order and form of its columns. Of JSON, fields that nobody reads are left
out. What crashed, crashed here and nowhere else.
"""

import csv
import hashlib
import json
from pathlib import Path

import numpy as np
import optuna
import pandas as pd

from lab.data import boards, datasets
from lab.experiments.pools import unpack_predictions
from lab.record import tables

FOLDER = Path(__file__).resolve().parents[2] / "data" / "samples" / "recipes"
CRASHED = ("lstm-10012", "lstm-10017")
SEARCHED = ["learning_rate", "hidden", "dropout"]


def _csv(frame, **form):
    return frame.to_csv(**{"index": False, "float_format": "%.6g", **form})


def _json(value):
    return json.dumps(value) + "\n"


def _of(table, rows):
    """Return some rows of each network."""
    recorded = tables.load_recorded("pools", table)
    parts = [recorded[recorded["system"] == s].iloc[rows] for s in ("mlp", "lstm")]
    names = {"validation": "val_accuracy", "test": "test_accuracy"}
    return pd.concat(parts, ignore_index=True).rename(columns=names)


def _answers():
    """Return what the first run of each network answers, of each module one line."""
    items, parts = tables.load_recorded("pools", "test_items"), []
    items["item"] = [f"line-{i:04d}" for i in range(len(items))]
    for run in _of("seeds", slice(1)).itertuples():
        said = unpack_predictions(run.test_predictions, len(items))
        part = items.rename(columns={"package": "label"}).assign(
            system=run.system, prediction=np.array(datasets.PACKAGES)[said]
        )
        parts.append(part.drop_duplicates("module").head(200))
    table = pd.concat(parts, ignore_index=True)
    return table.assign(correct=(table["prediction"] == table["label"]).astype(int))


def _of_items(answers):
    """Yield files whose rows are items."""
    wide = answers.pivot_table("correct", "item", "system", sort=False).astype(int)
    yield "wide.csv", _csv(wide.reset_index())
    of_system = answers.groupby("system", sort=False)
    yield "answers.csv", _csv(of_system.head(100)[["system", "item", "prediction"]])
    gold = answers[["item", "label"]].drop_duplicates().head(100)
    yield "gold.csv", _csv(gold.sample(frac=1, random_state=0))
    for system, rows in of_system:
        rows = [*rows.itertuples()]
        yield f"inspect/{system}.json", _json(_inspect(system, rows[:40]))
        stats = [*map(_helm, rows[:24])]
        yield f"helm/{system}/per_instance_stats.json", _json(stats)
        name = "samples_packages_2026-11-20T12-56-20.000000.jsonl"
        yield f"lm_eval/{system}/{name}", "".join(map(_lm_eval, range(20), rows))


def _inspect(system, rows):
    return {
        "version": 2,
        "status": "success",
        "eval": {"task": "packages", "model": f"book/{system}"},
        "samples": [
            {
                "id": r.item,
                "epoch": 1,
                "target": r.label,
                "scores": {"match": {"value": "IC"[r.correct], "answer": r.prediction}},
            }
            for r in rows
        ],
    }


def _helm(row):
    means = {"num_references": 6.0, "exact_match": float(row.correct)}
    return {
        "instance_id": row.item,
        "train_trial_index": 0,
        "stats": [
            {"name": {"name": name, "split": "test"}, "count": 1, "mean": mean}
            for name, mean in means.items()
        ],
    }


def _lm_eval(doc_id, row):
    return _json(
        {
            "doc_id": doc_id,
            "doc": {"line": row.item},
            "target": row.label,
            "filtered_resps": [row.prediction],
            "filter": "none",
            "metrics": ["acc"],
            "doc_hash": hashlib.sha256(row.item.encode()).hexdigest(),
            "acc": float(row.correct),
        }
    )


def _of_runs(runs):
    """Return files whose rows are runs, and those of trackers, the latest run first."""
    names = runs["system"] + "-" + runs["seed"].astype(str)
    is_crashed = names.isin(CRASHED)
    crashed = runs[["system", "seed"]].assign(
        state=np.where(is_crashed, "crashed", "finished"),
        test_accuracy=runs["test_accuracy"].mask(is_crashed),
    )
    end = pd.to_datetime(runs["finished"])
    start = end - pd.to_timedelta(runs["seconds"], "s")
    board = {
        "Name": names,
        "State": "finished",
        "Notes": "-",
        "User": "book",
        "Tags": "",
        "Created": start.dt.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
        "Runtime": runs["seconds"].round().astype(int),
        "Sweep": "",
        "learning_rate": runs["learning_rate"],
        "model": runs["system"],
        **runs[["seed", "test_accuracy", "val_accuracy"]],
    }
    ids = names.map(lambda name: hashlib.md5(name.encode()).hexdigest())
    store = {
        "run_id": ids,
        "experiment_id": 1,
        "status": "FINISHED",
        "artifact_uri": "mlflow-artifacts:/1/" + ids + "/artifacts",
        "start_time": start,
        "end_time": end,
        "metrics.test_accuracy": runs["test_accuracy"],
        "params.model": runs["system"],
        "params.seed": runs["seed"],
        "tags.mlflow.runName": names,
    }
    plain = ["seed", "test_accuracy"]
    return {
        "runs_mlp.csv": _csv(runs.loc[runs["system"] == "mlp", plain]),
        "runs_lstm.csv": _csv(runs.loc[runs["system"] == "lstm", plain]),
        "no_seed.csv": _csv(runs[["system", "test_accuracy"]]),
        "crashed.csv": _csv(crashed),
        "wandb.csv": _csv(pd.DataFrame(board)[::-1], quoting=csv.QUOTE_ALL),
        "mlflow.csv": _csv(pd.DataFrame(store)[::-1]),
    }


def _of_steps(runs):
    """Yield files whose rows are the epochs of runs."""
    curves = runs["validation_curve"].map(tables.unpack).map(np.ndarray.tolist)
    steps = runs.assign(val_accuracy=curves, time=pd.to_datetime(runs["finished"]))
    steps = steps.explode("val_accuracy")
    steps["epoch"] = steps.groupby(["system", "seed"]).cumcount() + 1
    yield "steps.csv", _csv(steps[["system", "seed", "epoch", "val_accuracy"]])
    for (system, seed), rows in steps.groupby(["system", "seed"]):
        ahead = (1 - rows["epoch"] / len(rows)) * rows["seconds"]
        wall = (rows["time"].map(pd.Timestamp.timestamp) - ahead).round(3)
        scalars = {"Wall time": wall, "Step": rows["epoch"]}
        scalars = pd.DataFrame({**scalars, "Value": rows["val_accuracy"]})
        name = f"tensorboard/run-{system}_{seed}-tag-val_accuracy.csv"
        yield name, _csv(scalars, float_format=None)


def _of_search(trials):
    """Yield the random search of each network, as Optuna itself writes it."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    for system, rows in trials.groupby("system", sort=False):
        study = optuna.create_study(direction="maximize")
        study.add_trials(map(_optuna, range(len(rows)), rows.to_dict("records")))
        table = _csv(study.trials_dataframe(), index=True, float_format=None)
        yield f"optuna_{system}.csv", table


def _optuna(number, row):
    end = pd.Timestamp(row["finished"]).tz_localize(None)
    start = end - pd.Timedelta(row["seconds"], "s")
    axis = optuna.distributions.FloatDistribution(0, 1000)
    return optuna.trial.FrozenTrial(
        number=number,
        trial_id=number,
        state=optuna.trial.TrialState.COMPLETE,
        value=row["val_accuracy"],
        datetime_start=start.to_pydatetime(),
        datetime_complete=end.to_pydatetime(),
        params={name: row[name] for name in SEARCHED},
        distributions=dict.fromkeys(SEARCHED, axis),
        user_attrs={"test_accuracy": row["test_accuracy"]},
        system_attrs={},
        intermediate_values={},
    )


def _of_others():
    """Yield files of data sets, of folds and of attempts."""
    scores = tables.load_recorded("nine_datasets", "scores")
    scores = scores.query("seed < 5 & system in ['naive Bayes', 'linear']")
    yield "repeats.csv", _csv(scores[["dataset", "system", "seed", "accuracy"]])
    folds = tables.load_recorded("resplits", "kfold")
    folds = folds.query("folds == 5 & shuffle < 5 & system in ['svm', 'linear']")
    folds = folds.assign(accuracy=folds["fold_scores"].map(tables.unpack))
    folds = folds.explode("accuracy").rename(columns={"shuffle": "repeat"})
    folds["fold"] = folds.groupby(["system", "repeat"]).cumcount()
    yield "folds.csv", _csv(folds[["system", "repeat", "fold", "accuracy"]])
    rewards = boards.taubench()[1].rename_axis("task_id").reset_index()
    tried = rewards.melt("task_id", var_name="trial", value_name="reward")
    for name, trials in (("gpt-4o-a", (0, 1)), ("gpt-4o-b", (2, 3))):
        own = tried.loc[tried["trial"].isin(trials), ["task_id", "reward", "trial"]]
        yield f"tau_bench/{name}.json", _json(own.to_dict("records"))


def contents():
    """Return the files by name, as text."""
    runs, steps = _of("seeds", slice(10, 20)), _of("seeds", slice(10, 15))
    search = _of_search(_of("search", slice(40)))
    files = {**_of_runs(runs), **dict(_of_steps(steps)), **dict(search)}
    return {**files, **dict(_of_items(_answers())), **dict(_of_others())}


if __name__ == "__main__":
    for name, text in contents().items():
        (FOLDER / name).parent.mkdir(parents=True, exist_ok=True)
        (FOLDER / name).write_text(text, encoding="utf-8", newline="")
