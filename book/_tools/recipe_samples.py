"""Write the small exports of "Make it long" from the recorded runs: `python
book/_tools/recipe_samples.py`.

They are committed, to be opened and downloaded; a test says when they are out of date.
Each has the layout that its tool writes; fields that the page does not use are left
out. What crashed, crashed here and nowhere else.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd

from lab.data import datasets
from lab.experiments.pools import unpack_predictions
from lab.record import tables

FOLDER = Path(__file__).resolve().parents[2] / "data" / "samples" / "recipes"
SYSTEMS = ("mlp", "lstm")
N_RUNS, N_TRIALS, CRASHED = 10, 40, (2, 7)


def _csv(frame):
    return frame.to_csv(index=False, float_format="%.6g")


def _json(value):
    return json.dumps(value) + "\n"


def _of(table, n):
    """Return the first rows of each network."""
    recorded = tables.load_recorded("pools", table)
    rows = [recorded[recorded["system"] == name].head(n) for name in SYSTEMS]
    return pd.concat(rows, ignore_index=True)


def _answers(runs):
    """Return what the first runs of each network answer, of each module one line."""
    items = tables.load_recorded("pools", "test_items")
    names, parts = np.array(datasets.PACKAGES), []
    for row in runs.groupby("system", sort=False).head(3).itertuples():
        answers = unpack_predictions(row.test_predictions, len(items))
        part = items.assign(system=row.system, seed=row.seed, prediction=names[answers])
        part["item"] = [f"line-{i:04d}" for i in range(len(items))]
        parts.append(
            part.drop_duplicates("module").rename(columns={"package": "label"})
        )
    table = pd.concat(parts, ignore_index=True)
    return table.assign(correct=(table["prediction"] == table["label"]).astype(int))


def _of_items(answers):
    """Yield files whose rows are items."""
    first = answers.groupby(["system", "item"], sort=False).head(1)
    wide = first.pivot_table("correct", "item", "system").astype(int).reset_index()
    yield "wide.csv", _csv(wide.head(200))
    of_system = first.groupby("system", sort=False)
    yield "answers.csv", _csv(of_system.head(100)[["system", "item", "prediction"]])
    gold = first.drop_duplicates("item").head(100)
    yield "gold.csv", _csv(gold.sample(frac=1, random_state=0)[["item", "label"]])
    tau = answers[answers["item"].isin(gold["item"].head(30))]
    trial = tau.groupby(["system", "item"]).cumcount()
    rows = {"model": tau["system"], "task_id": tau["item"], "trial": trial}
    yield "tau_bench.csv", _csv(pd.DataFrame({**rows, "reward": tau["correct"]}))
    for system, rows in of_system:
        samples = [
            {"id": r.item, "epoch": 1, "scores": {"match": {"value": "IC"[r.correct]}}}
            for r in rows.head(40).itertuples()
        ]
        about = {"task": "packages", "model": f"book/{system}"}
        log = {"version": 2, "status": "success", "eval": about, "samples": samples}
        yield f"inspect/{system}.json", _json(log)
        stats = [
            {"instance_id": r.item, "train_trial_index": 0,
             "stats": [{"name": {"name": "exact_match", "split": "test"}, "count": 1,
                        "mean": float(r.correct)}]}
            for r in rows.head(24).itertuples()
        ]  # fmt: skip
        yield f"helm/{system}/per_instance_stats.json", _json(stats)
        samples = [
            _json({"doc_id": k, "target": r.label, "filtered_resps": [r.prediction],
                   "filter": "none", "metrics": ["acc"], "acc": float(r.correct)})
            for k, r in enumerate(rows.head(24).itertuples())
        ]  # fmt: skip
        name = "samples_packages_2026-11-20T12-56-20.000000.jsonl"
        yield f"lm_eval/{system}/{name}", "".join(samples)


def _of_runs(runs):
    """Yield files whose rows are runs, or their steps."""
    plain = runs.rename(columns={"test": "test_accuracy", "validation": "val_accuracy"})
    for system, rows in plain.groupby("system", sort=False):
        yield f"runs_{system}.csv", _csv(rows[["seed", "test_accuracy"]])
    is_crashed = plain.index.isin([N_RUNS + k for k in CRASHED])
    state = np.where(is_crashed, "crashed", "finished")
    score = plain["test_accuracy"].mask(is_crashed)
    names = plain["system"] + "-" + plain["seed"].astype(str)
    board = {"Name": names, "State": state, "model": plain["system"]}
    wandb = pd.DataFrame({**board, "seed": plain["seed"], "test/accuracy": score})
    yield "wandb.csv", _csv(wandb)
    run_ids = [f"{k:032x}" for k in range(len(plain))]
    mlflow = {"run_id": run_ids, "status": "FINISHED", "params.model": plain["system"]}
    mlflow |= {"params.seed": plain["seed"], "metrics.test_acc": plain["test_accuracy"]}
    yield "mlflow.csv", _csv(pd.DataFrame(mlflow))
    steps = plain.assign(value=runs["validation_curve"].map(tables.unpack))
    steps = steps.groupby("system", sort=False).head(5).explode("value")
    steps["step"] = steps.groupby(["system", "seed"]).cumcount() + 1
    for (system, seed), rows in steps.groupby(["system", "seed"], sort=False):
        scalars = {"Wall time": rows["step"], "Step": rows["step"]}
        scalars = pd.DataFrame({**scalars, "Value": rows["value"].astype(float)})
        yield f"tensorboard/{system}_{seed}.csv", _csv(scalars)


def _of_trials(trials):
    """Yield a study of each network, as `study.trials_dataframe()` has it."""
    for system, rows in trials.groupby("system", sort=False):
        study = {"number": range(len(rows)), "value": rows["validation"]}
        study |= {"params_learning_rate": rows["learning_rate"]}
        study |= {"params_hidden": rows["hidden"], "user_attrs_test": rows["test"]}
        yield f"optuna_{system}.csv", _csv(pd.DataFrame({**study, "state": "COMPLETE"}))


def contents():
    """Return the files by name, as text."""
    runs = _of("seeds", N_RUNS)
    trials = _of_trials(_of("search", N_TRIALS))
    return dict([*_of_items(_answers(runs)), *_of_runs(runs), *trials])


if __name__ == "__main__":
    for name, text in contents().items():
        path = FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    print(f"wrote {len(contents())} files to {FOLDER}")
