"""Write the sample files of "Your first report" from the recorded runs: `python
book/_tools/sample_files.py`.

Without it nobody could say where they are from: the fault in each is planted here. They
are committed, to be opened and downloaded; a test says when they are out of date.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from lab.data import datasets
from lab.experiments.pools import unpack_predictions
from lab.record import tables

FOLDER = Path(__file__).resolve().parents[2] / "data" / "samples"
N_ITEMS, N_TRAIN, N_LEAKED = 600, 1200, 120


def _runs():
    """Return the networks of two kinds, as a tracker of experiments would export them.

    All that were recorded: a part of them may say what the whole does not.
    """
    seeds = tables.load_recorded("pools", "seeds")
    kept = pd.concat([seeds[seeds.system == name] for name in ("lstm", "mlp")])
    table = kept[["system", "seed", "learning_rate", "validation", "test", "seconds"]]
    names = {
        "validation": "val_accuracy",
        "test": "test_accuracy",
        "seconds": "runtime",
    }
    return table.rename(columns=names)


def _predictions():
    """Return what two networks of one kind say; some items were the training data of
    the second.
    """
    seeds, items = (
        tables.load_recorded("pools", name) for name in ("seeds", "test_items")
    )
    packed = seeds.test_predictions[seeds.system == "mlp"].head(2)
    names = np.array(datasets.PACKAGES)
    ids = [f"line-{i:04d}" for i in range(len(items) + N_TRAIN)]
    parts = []
    leaked = np.random.default_rng(0).choice(N_ITEMS, N_LEAKED, replace=False)
    for system, answers in zip(("old", "new"), packed, strict=True):
        said = names[unpack_predictions(answers, len(items))][:N_ITEMS]
        if system == "new":
            said[leaked] = items.package[leaked]
        columns = {"item": ids[:N_ITEMS], "module": items.module[:N_ITEMS]}
        columns |= {"label": items.package[:N_ITEMS], "prediction": said}
        parts.append(pd.DataFrame({"system": system, "part": "test", **columns}))
    train = [
        *ids[len(items) :][: N_TRAIN - N_LEAKED],
        *(ids[i] for i in sorted(leaked)),
    ]
    parts.append(pd.DataFrame({"system": "new", "part": "train", "item": train}))
    return pd.concat(parts)


def samples():
    """Return the samples by name.

    Returns
    -------
    dict of str to pandas.DataFrame
    """
    runs = _runs()
    return {
        "honest": runs,
        "leaky": _predictions(),
        "one_seed": runs.groupby("system").head(1),
    }


def text(table):
    """Return a sample as it is written.

    Parameters
    ----------
    table : pandas.DataFrame

    Returns
    -------
    str
    """
    return table.to_csv(index=False, float_format="%.6g")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, table in samples().items():
        (FOLDER / f"{name}.csv").write_text(text(table), encoding="utf-8")
