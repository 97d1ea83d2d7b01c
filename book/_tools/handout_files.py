"""Write the data of the hand-outs from the recorded runs, what the code of their keys
prints, and the pages to print.

`python book/_tools/handout_files.py`. Without it nobody could say which runs a hand-out
shows. All are committed, and a test says when they are out of date.
"""

import contextlib
import io
import os
import re
from pathlib import Path

import handout_pages
import numpy as np
import pandas as pd

from lab.data import datasets
from lab.experiments import pools
from lab.record import tables

FOLDER = Path(__file__).resolve().parents[1] / "handouts"
CODE = re.compile(
    r"^```python\n(.*?)^```\n(?:\n```text\n.*?^```\n)?", re.DOTALL | re.MULTILINE
)
# Of the hundred seeds of each; the key says so.
LSTMS, MLPS = (
    slice(20, 50),
    slice(20, 25),
)
TRIALS = {"lstm": 40, "mlp": 4}


def _seeds():
    """Return thirty runs of one network, and five of another."""
    seeds = tables.load_recorded("pools", "seeds")
    parts = [
        seeds[seeds.system == name].iloc[runs]
        for name, runs in (("lstm", LSTMS), ("mlp", MLPS))
    ]
    return pd.concat(parts)[["system", "seed", "validation", "test"]]


def _splits():
    """Return two systems on a hundred random splits of one data set."""
    splits = tables.load_recorded("resplits", "splits").query("scheme == 'stratified'")
    scores = splits.pivot_table("accuracy", "split", "system")
    return scores[["linear", "naive_bayes"]].reset_index()


def _items():
    """Return which test lines a linear model and a network of either kind have
    right.
    """
    lines = tables.load_recorded("pools", "test_items")
    labels = lines.package.map(datasets.PACKAGES.index).to_numpy()
    linear = tables.load_recorded("pools", "baselines").query("system == 'linear'")
    seeds = tables.load_recorded("pools", "seeds")
    packed = {"linear": linear.loc[linear.validation.idxmax(), "test_predictions"]}
    packed |= {
        name: seeds.test_predictions[seeds.system == name].iloc[0]
        for name in ("lstm", "mlp")
    }
    right = {
        name: (pools.unpack_predictions(p, len(lines)) == labels) * 1
        for name, p in packed.items()
    }
    modules = np.unique(lines.module, return_inverse=True)[1]
    return pd.DataFrame(
        {
            "line": np.arange(len(lines)),
            "package": lines.package,
            "module": modules,
            **right,
        }
    )


def _search():
    """Return the first trials of two random searches."""
    trials = tables.load_recorded("pools", "search")
    parts = [trials[trials.system == name].head(n) for name, n in TRIALS.items()]
    return pd.concat(parts)[
        ["system", "draw", "learning_rate", "hidden", "validation", "test"]
    ]


MADE = {"seeds": _seeds, "splits": _splits, "items": _items, "search": _search}


def data(name):
    """Return the data file of a hand-out, as it is written.

    Parameters
    ----------
    name : str
        One of `MADE`; the fifth hand-out, "board", is about released answers that come
        with the book.

    Returns
    -------
    str
    """
    return MADE[name]().to_csv(index=False, float_format="%.6g")


def run(key):
    """Return a key with what its code prints, run in the folder of the hand-out.

    Parameters
    ----------
    key : pathlib.Path

    Returns
    -------
    str
    """
    scope = {}

    def printed(found):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(compile(found[1], str(key), "exec"), scope)
        return f"```python\n{found[1]}```\n\n```text\n{out.getvalue()}```\n"

    before = os.getcwd()
    os.chdir(key.parent)
    try:
        return CODE.sub(printed, key.read_text(encoding="utf-8"))
    finally:
        os.chdir(before)


if __name__ == "__main__":
    for name in MADE:
        (FOLDER / name / "data.csv").write_text(data(name), encoding="utf-8")
    for key in sorted(FOLDER.glob("*/key.md")):
        key.write_text(run(key), encoding="utf-8")
    handout_pages.write()
