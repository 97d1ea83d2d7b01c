"""Other ways to search for the MLP's setting than the pools' random search, on the same
task.

- `defaults`: both networks with settings that somebody would call default, over seeds;
- `grid`: two values of each of the MLP's six hyperparameters, all 64 combinations;
- `narrow`: a random search over the MLP's learning rate alone, all else fixed;
- `guided`: restarts of a guided search over the space that the pools draw from.
"""

import itertools

import numpy as np
from scipy import stats

from evalkit.tuning import search
from lab import models
from lab.data import datasets
from lab.experiments import pools
from lab.record.experiment import Experiment
from lab.record.tables import pack

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

# Adam's own default learning rate and round numbers, as found in tutorials; and the
# same in a hurry.
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
    "smaller": {
        **_PLAIN,
        "learning_rate": 3e-3,
        "embedding": 16,
        "hidden": 16,
        "dropout": 0.2,
    },
}
# What a network takes besides.
OWN_DEFAULTS = {"mlp": {}, "lstm": {"bidirectional": False, "pooling": "last"}}
DEFAULT_SEEDS = {"mlp": 10, "lstm": 4}

# The middle of each range but that of the learning rate.
FIXED = {
    "embedding": 45,
    "hidden": 45,
    "dropout": 0.35,
    "weight_decay": 1e-5,
    "batch_size": 32,
}
NARROW_DRAWS = {"recorded": 60, "full": 200}

RESTARTS = {"recorded": 12, "full": 100}
TRIALS = 30


def _plan(scale, rows):
    """Return the units; none depends on another."""
    guided = [
        {"table": "guided", "system": "mlp", "restart": restart, "trials": TRIALS}
        for restart in range(RESTARTS[scale])
    ]
    grid = [
        {
            "table": "grid",
            "system": "mlp",
            "seed": 0,
            **dict(zip(GRID, values, strict=True)),
        }
        for values in itertools.product(*GRID.values())
    ]
    narrow = [
        {
            "table": "narrow",
            "system": "mlp",
            "draw": draw,
            "seed": draw,
            "learning_rate": rate,
            **FIXED,
        }
        for draw, rate in enumerate(_learning_rates(NARROW_DRAWS[scale]))
    ]
    defaults = [
        {"table": "defaults", "system": system, "default": default, "seed": seed}
        | setting
        | OWN_DEFAULTS[system]
        for system, n_seeds in DEFAULT_SEEDS.items()
        for default, setting in DEFAULTS.items()
        for seed in range(n_seeds)
    ]
    return grid + narrow + guided + defaults


def _learning_rates(n):
    drawn = SPACE["learning_rate"].rvs(size=n, random_state=np.random.default_rng(2017))
    return [float(f"{rate:.3g}") for rate in drawn]


def _grid(system, seed, **settings):
    run = models.train_network(datasets.package_task(), system, settings, seed)
    return {
        "validation": round(run.validation, 6),
        "test": round(run.test, 6),
        "best_epoch": run.best_epoch,
        "validation_curve": pack(run.validation_curve, ".4f"),
    }


# The number of a draw and the name of a default only tell what is in the settings.
def _narrow(system, draw, seed, **settings):
    return _grid(system, seed, **settings)


def _defaults(system, default, seed, **settings):
    return _grid(system, seed, **settings)


def _guided(system, restart, trials):
    task, tests = datasets.package_task(), []

    def objective(setting):
        setting = {
            **setting,
            "embedding": round(setting["embedding"]),
            "hidden": round(setting["hidden"]),
        }
        # Each trial has its own seed, as in the pools.
        run = models.train_network(
            task, system, setting, 1000 * (restart + 1) + len(tests)
        )
        tests.append(run.test)
        return run.validation

    made = search(objective, SPACE, method="guided", n_trials=trials, rng=restart)
    return {
        "best": round(float(made.best.score), 6),
        "validations": pack(made.table.score, ".6f"),
        "tests": pack(tests, ".6f"),
        "learning_rates": pack(made.table.learning_rate, ".3g"),
        "trial_seconds": pack(made.table.seconds, ".2f"),
    }


EXPERIMENT = Experiment(
    name="searches",
    # A whole guided search takes another path once one score differs; its best score is
    # a good network's.
    compared={"validation": pools.allowed, "test": pools.allowed, "best": 0.05},
    plan=_plan,
    tables={"grid": _grid, "narrow": _narrow, "defaults": _defaults, "guided": _guided},
)
