"""Train the systems, one row a run: `python train.py --seeds 10`. A skeleton that runs:
put your own in.

Every run is appended to runs.csv when it ends, whichever way it ends, and its answers
to the test items go into predictions/. What was there before stays, and a run that is
there is not made again.
"""

import argparse
import csv
import subprocess
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

HERE = Path(__file__).parent
COLUMNS = (
    "system", "setting", "seed", "status", "validation_accuracy", "test_accuracy", "seconds", "code",
)  # fmt: skip
# The baselines stand beside your system from the first day: the best dummy, and a
# linear model. For accuracy the best dummy is the most frequent class; for macro-F1 it
# is another one.
SYSTEMS = {
    "dummy": (
        "strategy=most_frequent",
        lambda seed: DummyClassifier(strategy="most_frequent"),
    ),
    "linear": (
        "alpha=0.001",
        lambda seed: make_pipeline(
            StandardScaler(), SGDClassifier(alpha=0.001, random_state=seed)
        ),
    ),
    "network": (
        "hidden=32",
        lambda seed: make_pipeline(
            StandardScaler(), MLPClassifier((32,), max_iter=400, random_state=seed)
        ),
    ),
}


def data():
    """Return training, validation and test parts as (inputs, labels, ids); the division
    never changes.
    """
    inputs, labels = load_digits(return_X_y=True)
    ids = np.array([f"digit-{i}" for i in range(len(labels))])
    rest, test = train_test_split(
        np.arange(len(labels)), test_size=0.25, random_state=0, stratify=labels
    )
    train, validation = train_test_split(
        rest, test_size=0.25, random_state=0, stratify=labels[rest]
    )
    return [
        (inputs[part], labels[part], ids[part]) for part in (train, validation, test)
    ]


def run(system, seed, parts):
    """Train once; return the scores and the predictions, or none if it fails."""
    (x, y, _), (x_val, y_val, _), (x_test, y_test, ids) = parts
    # What varies from seed to seed is the model's own chance and the order of its data,
    # not the split.
    order = np.random.default_rng(seed).permutation(len(y))
    model = SYSTEMS[system][1](seed).fit(x[order], y[order])
    said = model.predict(x_test)
    return (
        np.mean(model.predict(x_val) == y_val),
        np.mean(said == y_test),
        list(zip(ids, y_test, said, strict=True)),
    )


def code_version():
    """Return the commit of this folder, marked if code has changed since; "unknown"
    outside a repository.
    """

    def git(*asked):
        return subprocess.run(
            ["git", *asked], cwd=HERE, capture_output=True, text=True, check=True
        ).stdout

    try:
        changed = git("status", "--porcelain", "--", "*.py").strip()
        return git("rev-parse", "--short", "HEAD").strip() + (
            "-changed" if changed else ""
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def main():
    """Make the runs that are not there yet."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--seeds", type=int, default=10, help="how many of each system (default: 10)"
    )
    n_seeds = parser.parse_args().seeds
    table = HERE / "runs.csv"
    with open(table, encoding="utf-8", newline="") as file:
        done = {(row["system"], row["seed"]) for row in csv.DictReader(file)}
    parts, code = data(), code_version()
    for system, (setting, _) in SYSTEMS.items():
        for seed in range(n_seeds):
            if (system, str(seed)) in done:
                continue
            start = time.perf_counter()
            try:
                validation, test, predictions = run(system, seed, parts)
                scores, status = (f"{validation:.6f}", f"{test:.6f}"), "finished"
            except (
                Exception
            ) as error:  # a run that crashes is a result, and keeps its row
                print(f"{system}, seed {seed}: {error!r}")
                scores, status, predictions = ("", ""), "crashed", []
            seconds = f"{time.perf_counter() - start:.2f}"
            print(
                f"{system}, seed {seed}: {status}, test accuracy {scores[1] or 'none'}",
                flush=True,
            )
            if predictions:
                with open(
                    HERE / "predictions" / f"{system}_{seed}.csv",
                    "w",
                    encoding="utf-8",
                    newline="",
                ) as file:
                    csv.writer(file).writerows(
                        [("system", "seed", "id", "label", "prediction")]
                    )
                    csv.writer(file).writerows(
                        (system, seed, *row) for row in predictions
                    )
            with open(table, "a", encoding="utf-8", newline="") as file:
                csv.writer(file).writerow(
                    (system, setting, seed, status, *scores, seconds, code)
                )


if __name__ == "__main__":
    main()
