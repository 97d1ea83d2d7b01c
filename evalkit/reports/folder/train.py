"""Train the systems, one row a run: `python train.py --seeds 10`. A skeleton that runs:
put your own in.

Every run is appended to runs.csv when it ends, whichever way it ends, and its answers
to the test items to predictions.csv. What was there before stays, and a run that is
there is not made again.
"""

import argparse
import subprocess
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

HERE = Path(__file__).parent
# The baselines stand beside your system from the first day: the best dummy, and a
# linear model. For accuracy the best dummy is the most frequent class; for macro-F1 it
# is another one.
SYSTEMS = {
    "dummy": lambda seed: DummyClassifier(strategy="most_frequent"),
    "linear": lambda seed: make_pipeline(
        StandardScaler(), SGDClassifier(alpha=0.001, random_state=seed)
    ),
    "network": lambda seed: make_pipeline(
        StandardScaler(), MLPClassifier((32,), max_iter=400, random_state=seed)
    ),
}


def data():
    """Return training, validation and test parts as (inputs, labels, items); the
    division never changes.
    """
    inputs, labels = load_digits(return_X_y=True)
    items = np.array([f"digit-{i}" for i in range(len(labels))])
    rest, test = train_test_split(
        np.arange(len(labels)), test_size=0.25, random_state=0, stratify=labels
    )
    train, validation = train_test_split(
        rest, test_size=0.25, random_state=0, stratify=labels[rest]
    )
    return [
        (inputs[part], labels[part], items[part]) for part in (train, validation, test)
    ]


def run(system, seed, parts):
    """Train once; return the scores, and what it says of each test item."""
    (x, y, _), (x_val, y_val, _), (x_test, y_test, items) = parts
    # What varies from seed to seed is the model's own chance and the order of its data,
    # not the split.
    order = np.random.default_rng(seed).permutation(len(y))
    model = SYSTEMS[system](seed).fit(x[order], y[order])
    said = model.predict(x_test)
    scores = {
        "validation": np.mean(model.predict(x_val) == y_val),
        "accuracy": np.mean(said == y_test),
    }
    return scores, {"item": items, "prediction": said, "label": y_test}


def append(name, system, seed, columns):
    """Append rows of one run to a table."""
    rows = pd.DataFrame({"system": system, "seed": seed, **columns})
    is_new = not (HERE / name).exists()
    rows.to_csv(HERE / name, mode="a", header=is_new, index=False, float_format="%.6g")


def code_version():
    """Return the commit of this folder, with "-dirty" if a file has changed since."""
    asked = ["git", "describe", "--always", "--dirty"]
    done = subprocess.run(asked, cwd=HERE, capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def main():
    """Make the runs that are not there yet."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--seeds", type=int, default=10, help="how many of each system (default: 10)"
    )
    n_seeds = parser.parse_args().seeds
    done, parts, code = set(), data(), code_version()
    if (HERE / "runs.csv").exists():
        runs = pd.read_csv(HERE / "runs.csv")
        done = {*zip(runs["system"], runs["seed"], strict=True)}
    for system, seed in ((s, i) for s in SYSTEMS for i in range(n_seeds)):
        if (system, seed) in done:
            continue
        start = time.perf_counter()
        try:
            scores, answers = run(system, seed, parts)
            append("predictions.csv", system, seed, answers)
        except Exception as error:  # a run that crashes is a result, and keeps its row
            print(f"{system}, seed {seed}: {error!r}")
            scores = {"validation": None, "accuracy": None}
        seconds = round(time.perf_counter() - start, 2)
        append("runs.csv", system, seed, scores | {"seconds": [seconds], "code": code})
        print(f"{system}, seed {seed}: accuracy {scores['accuracy']}", flush=True)


if __name__ == "__main__":
    main()
