"""Other ways to search for the MLP's setting than the pools' random search, on the same task.

- `defaults`: both networks with settings that somebody would call default, over seeds;
- `grid`: two values of each of the MLP's six hyperparameters, all 64 combinations;
- `narrow`: a random search over the MLP's learning rate alone, all else fixed;
- `guided`: restarts of a guided search over the space that the pools draw from.
"""

import itertools
import time
from typing import ClassVar

import numpy as np
from scipy import stats

from evalkit import datasets, models
from evalkit.tuning import search

# The space of `pools.draw_settings`, as distributions.
SPACE = {
    "learning_rate": stats.loguniform(1e-4, 1e-1),
    "embedding": stats.loguniform(16, 128),
    "hidden": stats.loguniform(16, 128),
    "dropout": stats.uniform(0, 0.7),
    "weight_decay": stats.loguniform(1e-7, 1e-3),
    "batch_size": [16, 32, 64, 128],
}

# A value in the lower and in the upper half of each range.
GRID = {
    "learning_rate": (6e-4, 2e-2),
    "embedding": (27, 76),
    "hidden": (27, 76),
    "dropout": (0.17, 0.52),
    "weight_decay": (1e-6, 1e-4),
    "batch_size": (32, 64),
}

# Adam's own default learning rate and round numbers, as found in tutorials; and the same in a hurry.
_PLAIN = {
    "learning_rate": 1e-3,
    "embedding": 64,
    "hidden": 64,
    "dropout": 0.0,
    "weight_decay": 0.0,
    "batch_size": 32,
}
DEFAULTS = {
    "tutorial": _PLAIN,
    "faster": {**_PLAIN, "learning_rate": 1e-2, "dropout": 0.5, "batch_size": 64},
    "smaller": {**_PLAIN, "learning_rate": 3e-3, "embedding": 16, "hidden": 16, "dropout": 0.2},
}
LSTM_OF = {"mlp": {}, "lstm": {"bidirectional": False, "pooling": "last"}}
DEFAULT_SEEDS = {"mlp": 10, "lstm": 4}

# The middle of each range but that of the learning rate.
FIXED = {"embedding": 45, "hidden": 45, "dropout": 0.35, "weight_decay": 1e-5, "batch_size": 32}
NARROW_DRAWS = {"recorded": 60, "full": 200}

RESTARTS = {"recorded": 12, "full": 100}
TRIALS = 30


class Searches:
    """The experiment, as `evalkit.runs` runs it."""

    name = "searches"
    # As for the pools: between kinds of machine, five standard deviations of what a seed does. A whole
    # guided search takes another path once one score differs.
    compared: ClassVar = {"validation": 0.05, "test": 0.05, "best": 0.05}

    def plan(self, scale, rows):
        """Return the units; none depends on another.

        Parameters
        ----------
        scale : {"recorded", "full"}
        rows : list of dict
            Not used.

        Returns
        -------
        list of dict
        """
        guided = [
            {"table": "guided", "system": "mlp", "restart": i, "trials": TRIALS}
            for i in range(RESTARTS[scale])
        ]
        grid = [
            {"table": "grid", "system": "mlp", "seed": 0, **dict(zip(GRID, values, strict=True))}
            for values in itertools.product(*GRID.values())
        ]
        narrow = [
            {"table": "narrow", "system": "mlp", "draw": draw, "seed": draw, "learning_rate": rate, **FIXED}
            for draw, rate in enumerate(_learning_rates(NARROW_DRAWS[scale]))
        ]
        defaults = [
            {
                "table": "defaults",
                "system": system,
                "default": default,
                "seed": seed,
                **setting,
                **LSTM_OF[system],
            }
            for system, n_seeds in DEFAULT_SEEDS.items()
            for default, setting in DEFAULTS.items()
            for seed in range(n_seeds)
        ]
        return grid + narrow + guided + defaults

    def run(self, unit):
        """Train one network, or make one guided search.

        Parameters
        ----------
        unit : dict
            As `plan` returns them.

        Returns
        -------
        dict
            Accuracies and seconds of processor time; for a search, those of all its trials as text.
        """
        start = time.process_time()
        if unit["table"] == "guided":
            result = _guided(unit)
        else:
            settings = {
                k: v for k, v in unit.items() if k not in ("table", "system", "seed", "default", "draw")
            }
            run = models.train_network(datasets.package_task(), unit["system"], settings, unit["seed"])
            result = {
                "validation": round(run.validation, 6),
                "test": round(run.test, 6),
                "best_epoch": run.best_epoch,
                "validation_curve": " ".join(f"{v:.4f}" for v in run.validation_curve),
            }
        return {**result, "seconds": round(time.process_time() - start, 2)}


def _learning_rates(n):
    drawn = SPACE["learning_rate"].rvs(size=n, random_state=np.random.default_rng(2017))
    return [float(f"{rate:.3g}") for rate in drawn]


def _guided(unit):
    task, tests = datasets.package_task(), []

    def objective(setting):
        setting = {**setting, "embedding": round(setting["embedding"]), "hidden": round(setting["hidden"])}
        # Each trial has its own seed, as in the pools.
        run = models.train_network(task, unit["system"], setting, 1000 * (unit["restart"] + 1) + len(tests))
        tests.append(run.test)
        return run.validation

    trials = search(objective, SPACE, method="guided", n_trials=unit["trials"], rng=unit["restart"])
    return {
        "best": round(float(trials.best.score), 6),
        "validations": " ".join(f"{v:.6f}" for v in trials.table.score),
        "tests": " ".join(f"{v:.6f}" for v in tests),
        "learning_rates": " ".join(f"{v:.3g}" for v in trials.table.learning_rate),
        "trial_seconds": " ".join(f"{v:.2f}" for v in trials.table.seconds),
    }


EXPERIMENT = Searches()
