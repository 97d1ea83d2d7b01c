"""The crossed experiment: what it plans, how it divides the lines, and that orders are
a factor.
"""

import numpy as np
import pandas as pd
import pytest

from lab import models
from lab.data import datasets
from lab.experiments import crossed
from lab.record.runs import recorded_rows

pytestmark = pytest.mark.slow  # it trains

NETWORK = {
    "embedding": 16,
    "hidden": 16,
    "dropout": 0.3,
    "learning_rate": 0.01,
    "weight_decay": 1e-6,
    "batch_size": 32,
}


def test_plan_uses_the_best_setting_and_fresh_seeds():
    pools = [row["unit"] for row in recorded_rows("pools")]
    best = next(u for u in pools if u["table"] == "seeds" and u["system"] == "mlp")
    units = crossed.EXPERIMENT.plan("full", [])
    assert all(u[name] == best[name] for u in units for name in models.SETTINGS["mlp"])
    used = {u["seed"] for u in pools}
    assert not used & {
        u[name] for u in units for name in ("seed", "order_seed") if name in u
    }
    assert not {u["seed"] for u in units} & {u.get("order_seed") for u in units}


@pytest.mark.parametrize("split", [0, 7])
def test_a_split_divides_the_same_lines_by_whole_modules(split):
    task, own = crossed.split_task(split), datasets.package_task()
    lines = pd.concat([task.train, task.validation])
    expected = pd.concat([own.train, own.validation])
    assert sorted(lines.text) == sorted(expected.text)
    assert not set(task.train.group) & set(task.validation.group)
    assert task.test is own.test
    assert abs(len(task.validation) - len(own.validation)) <= 3
    assert np.ptp(task.validation.label.value_counts()) <= 3


def test_splits_differ_and_repeat():
    first, again, other = (crossed.split_task.__wrapped__(split) for split in (1, 1, 2))
    assert first.train.equals(again.train)
    assert not first.validation.equals(other.validation)


@pytest.mark.parametrize("system", models.SYSTEMS)
def test_initialisation_and_order_have_seeds_of_their_own(
    small_task, monkeypatch, system
):
    monkeypatch.setattr(models, "MAX_EPOCHS", 2)
    settings = NETWORK | (
        {"bidirectional": False, "pooling": "last"} if system == "lstm" else {}
    )

    def curve(seed, order_seed):
        return models.train_network(
            small_task, system, settings, seed, order_seed=order_seed
        ).validation_curve

    assert curve(3, 5) == curve(3, 5)
    assert len({curve(3, 5), curve(3, 6), curve(4, 5), curve(3, None)}) == 4
