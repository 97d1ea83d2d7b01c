"""The other searches: their spaces are those of the pools."""

import numpy as np
import pytest
from grids import grid
from scipy import stats

from lab import models
from lab.experiments import pools, searches
from lab.record.tables import unpack


def test_space_is_that_of_the_pools():
    assert set(searches.SPACE) == set(models.SETTINGS["mlp"])
    drawn = [
        pools.draw_settings("mlp", np.random.default_rng([5, i])) for i in range(2000)
    ]
    for name, values in searches.SPACE.items():
        in_pools = np.array([setting[name] for setting in drawn], dtype=float)
        if isinstance(values, list):
            assert set(in_pools) == set(values)
        elif name not in ("embedding", "hidden"):  # those are rounded to whole units
            assert stats.kstest(in_pools, values.cdf).pvalue > 0.001
        else:
            assert in_pools.min() >= values.support()[0]
            assert in_pools.max() <= values.support()[1]


@grid("name", searches.GRID)
def test_grid_has_a_value_in_each_half_of_the_range(name):
    values = searches.SPACE[name]
    if isinstance(values, list):
        assert set(searches.GRID[name]) <= set(values)
    else:
        low, high = values.cdf(searches.GRID[name])
        assert low == pytest.approx(0.25, abs=0.05)
        assert high == pytest.approx(0.75, abs=0.05)


@grid("name", searches.FIXED)
def test_fixed_values_are_in_the_middle(name):
    values = searches.SPACE[name]
    if not isinstance(values, list):
        assert values.cdf(searches.FIXED[name]) == pytest.approx(0.5, abs=0.05)


def test_runs_of_one_network(small_task, monkeypatch):
    monkeypatch.setattr(searches.datasets, "package_task", lambda: small_task)
    plan = searches.EXPERIMENT.plan("recorded", [])
    for table in ("grid", "narrow"):
        unit = next(u for u in plan if u["table"] == table)
        assert set(searches.EXPERIMENT.compared) & set(
            searches.EXPERIMENT.run(unit)
        ) == {
            "validation",
            "test",
        }


def test_guided_search_keeps_every_trial(small_task, monkeypatch):
    monkeypatch.setattr(searches.datasets, "package_task", lambda: small_task)
    result = searches.EXPERIMENT.run(
        {"table": "guided", "system": "mlp", "restart": 1, "trials": 3}
    )
    validations = unpack(result["validations"])
    assert len(validations) == len(unpack(result["tests"])) == 3
    assert result["best"] == pytest.approx(max(validations))
