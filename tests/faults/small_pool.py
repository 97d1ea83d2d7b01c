"""The pools of the book in small, for killing: real networks, a real second stage, a
few seconds.

Called as a program it is `lab` with this one experiment. `SMALL_TASK` names a pickled
task, and `SMALL_LOG` a file that gets a line for each unit that starts: the session of
its run, and its key.
"""

import functools
import os
import signal
import sys

import joblib
import numpy as np

from lab import cli, models
from lab.experiments import pools
from lab.record.experiment import Experiment, unit_key

DRAWS, SEEDS = 26, 14


@functools.cache
def _task():
    return joblib.load(os.environ["SMALL_TASK"])


def _draw(number):
    rng = np.random.default_rng([7, number])
    return {
        "learning_rate": float(10 ** rng.uniform(-4, -1)),
        "embedding": int(rng.integers(16, 128)),
        "hidden": int(rng.integers(16, 128)),
        "dropout": float(rng.uniform(0, 0.7)),
        "weight_decay": float(10 ** rng.uniform(-7, -3)),
        "batch_size": int(rng.choice([16, 32, 64])),
    }


def plan(scale, rows):
    """Return a random search over the MLP, then seeds of its best setting."""
    search = [
        {"table": "search", "draw": i, "seed": i, **_draw(i)} for i in range(DRAWS)
    ]
    found = [row for row in rows if row["unit"]["table"] == "search"]
    if len(found) < DRAWS:
        return search
    best = max(
        found, key=lambda row: (row["result"]["validation"], -row["unit"]["draw"])
    )["unit"]
    return search + [{**best, "table": "seeds", "seed": 100 + i} for i in range(SEEDS)]


def _train(table, draw, seed, **settings):
    # One write of a few bytes at the end of a file is not torn, whoever else is
    # writing.
    unit = {"table": table, "draw": draw, "seed": seed, **settings}
    log = os.open(os.environ["SMALL_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(log, f"{os.getsid(0)} {unit_key(unit)}\n".encode())
    os.close(log)
    run = models.train_network(_task(), "mlp", settings, seed)
    return {
        "validation": run.validation,
        "test": run.test,
        "best_epoch": run.best_epoch,
        "test_predictions": pools.pack_predictions(run.predictions),
    }


EXPERIMENT = Experiment(
    name="small_pool",
    compared={},
    plan=plan,
    tables={table: functools.partial(_train, table) for table in ("search", "seeds")},
)

if __name__ == "__main__":
    # A shell starts its background jobs with this signal ignored; the tests send it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    cli.EXPERIMENTS["small_pool"] = "small_pool"
    sys.exit(cli.main())
