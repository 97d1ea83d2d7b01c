"""The book's own pools of runs: two networks and two baselines on the docstring task.

Four tables, one after the other:

- `baselines`: dummies, and a linear model at several strengths of regularisation;
- `search`: a random search for each network, every draw independent of the others;
- `seeds`: the setting with the best validation score of each search, only the seed
  changed;
- `test_items`: the class and the module of every test item, in the order of the
  predictions.
"""

import base64
from itertools import zip_longest

import numpy as np
import pandas as pd

from evalkit._checks import check_choice, check_int
from lab import models
from lab.data import datasets
from lab.record.experiment import Experiment, unit_key
from lab.record.tables import pack, unpack

DRAWS = {"recorded": 200, "full": 1000}
SEEDS = {"recorded": 100, "full": 500}
STRATEGIES = ("most_frequent", "stratified", "uniform")
STRENGTHS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)

# Three bits hold a class of six.
_BITS = 3


def draw_settings(system, rng):
    """Draw one setting of a network at random.

    Parameters
    ----------
    system : {"mlp", "lstm"}
    rng : numpy.random.Generator

    Returns
    -------
    dict
        The settings that `lab.models.train_network` takes. The learning rate is
        log-uniform over three decades and is the same for both networks, as are sizes
        and dropout: neither search is narrowed by what we know of one of them.
    """
    check_choice(system, "system", models.SYSTEMS)

    def log_uniform(low, high):
        return float(np.exp(rng.uniform(np.log(low), np.log(high))))

    settings = {
        "learning_rate": float(f"{log_uniform(1e-4, 1e-1):.3g}"),
        "embedding": round(log_uniform(16, 128)),
        "hidden": round(log_uniform(16, 128)),
        "dropout": round(float(rng.uniform(0, 0.7)), 2),
        "weight_decay": float(f"{log_uniform(1e-7, 1e-3):.3g}"),
        "batch_size": int(rng.choice([16, 32, 64, 128])),
    }
    if system == "lstm":
        settings["bidirectional"] = bool(rng.integers(2))
        settings["pooling"] = str(rng.choice(["last", "max"]))
    return settings


def pack_predictions(predictions):
    """Pack predicted classes into text, three bits each.

    Parameters
    ----------
    predictions : array_like of int, shape (n,)
        Classes from 0 to 7.

    Returns
    -------
    str
        Base64; `unpack_predictions` reads it.
    """
    try:
        classes = np.asarray(predictions)
    except (
        ValueError
    ) as error:  # NumPy's message for ragged lists does not name the argument
        raise ValueError(f"predictions must be one-dimensional: {error}") from None
    if classes.ndim != 1 or classes.size == 0:
        raise ValueError(
            f"predictions must be one-dimensional, not empty; got shape {classes.shape}"
        )
    if classes.dtype.kind not in "iu":
        raise TypeError(f"predictions must hold integers, got {classes.dtype}")
    if classes.min() < 0 or classes.max() >= 2**_BITS:
        raise ValueError(
            f"predictions must lie in 0..{2**_BITS - 1}, got"
            f" {classes.min()}..{classes.max()}"
        )
    planes = (classes.astype(np.uint8)[:, None] >> np.arange(_BITS, dtype=np.uint8)) & 1
    return base64.b64encode(np.packbits(planes)).decode()


def unpack_predictions(packed, n):
    """Unpack what `pack_predictions` packed.

    Parameters
    ----------
    packed : str
    n : int
        How many predictions there are.

    Returns
    -------
    ndarray of uint8, shape (n,)
    """
    check_int(n, "n")
    if not isinstance(packed, str):
        raise TypeError(f"packed must be a string, got {type(packed).__name__}")
    try:
        data = np.frombuffer(base64.b64decode(packed, validate=True), dtype=np.uint8)
    except ValueError as error:
        raise ValueError(f"packed must be base64 text: {error}") from None
    if len(data) != -(-n * _BITS // 8):
        raise ValueError(
            f"packed holds {len(data)} bytes, but {n} predictions take"
            f" {-(-n * _BITS // 8)}"
        )
    planes = np.unpackbits(data, count=n * _BITS).reshape(n, _BITS)
    return (planes << np.arange(_BITS, dtype=np.uint8)).sum(axis=1, dtype=np.uint8)


def _plan(scale, rows):
    """Return the units: baselines and searches first, then the seeds of the best
    settings.
    """
    units = [
        {"table": "baselines", "system": "dummy", "strategy": strategy, "seed": 0}
        for strategy in STRATEGIES
    ] + [
        {"table": "baselines", "system": "linear", "C": c, "seed": 0} for c in STRENGTHS
    ]
    searches = {}
    for number, system in enumerate(models.SYSTEMS):
        searches[system] = [
            # A generator for each draw: draw 7 is the same in a search of any length.
            {"table": "search", "system": system, "draw": draw, "seed": draw}
            | draw_settings(system, np.random.default_rng([2020, number, draw]))
            for draw in range(DRAWS[scale])
        ]
    seeds = [
        _seed_units(search[: DRAWS["recorded"]], scale, rows)
        for search in searches.values()
    ]
    # In turn, not one network after the other: else the time to go is that of the
    # faster one.
    for alternating in (zip(*searches.values(), strict=True), zip_longest(*seeds)):
        units += [unit for turn in alternating for unit in turn if unit is not None]
    return units


def _seed_units(search, scale, rows):
    """Return the seed runs of the best recorded setting, once its whole search is
    there.
    """
    validation = {unit_key(row["unit"]): row["result"]["validation"] for row in rows}
    if any(unit_key(unit) not in validation for unit in search):
        return []
    # The first of equals.
    best = max(search, key=lambda unit: validation[unit_key(unit)])
    # Seeds from 10,000: none of them took part in choosing the setting.
    return [{**best, "table": "seeds", "seed": 10_000 + i} for i in range(SEEDS[scale])]


def _accuracies(run):
    return {"validation": round(run.validation, 6), "test": round(run.test, 6)}


def _baselines(system, seed, **settings):
    run = models.train_baseline(datasets.package_task(), system, settings, seed)
    return {**_accuracies(run), "test_predictions": pack_predictions(run.predictions)}


def _train(system, settings, seed):
    """Return a network's run, and what is recorded of it in every table."""
    run = models.train_network(datasets.package_task(), system, settings, seed)
    curve = pack(run.validation_curve, ".4f")
    return run, {
        **_accuracies(run),
        "best_epoch": run.best_epoch,
        "validation_curve": curve,
    }


# A draw is known by its number; what was drawn is in the settings.
def _search(system, draw, seed, **settings):
    _, result = _train(system, settings, seed)
    return result


def _seeds(system, draw, seed, **settings):
    run, result = _train(system, settings, seed)
    return {**result, "test_predictions": pack_predictions(run.predictions)}


def _extras(rows):
    """Return the test items that the packed predictions speak of."""
    test = datasets.package_task().test
    classes = np.array(datasets.PACKAGES)
    return {
        "test_items": pd.DataFrame(
            {"package": classes[test.label], "module": test.group}
        )
    }


def allowed(result):
    """Return how far another kind of CPU may lead a network, in accuracy.

    It rounds differently, and training amplifies that. A good network may be off by
    five standard deviations of what the seed alone does to it, 0.05; one whose
    validation accuracy jumps from epoch to epoch, by five of its own jumps.

    Parameters
    ----------
    result : dict
        A recorded row's. Without a validation curve, 0.05 are allowed.

    Returns
    -------
    float
    """
    curve = unpack(result.get("validation_curve", "0"))
    steps = np.diff(curve[len(curve) // 2 :])
    return max(0.05, 5 * float(steps.std())) if len(steps) else 0.05


EXPERIMENT = Experiment(
    name="pools",
    compared={"validation": allowed, "test": allowed},
    plan=_plan,
    tables={"baselines": _baselines, "search": _search, "seeds": _seeds},
    extras=_extras,
    seconds="clock",
)
