"""The book's own experiment: what it plans, what it packs, and what a seed decides."""

import json
from contextlib import nullcontext

import numpy as np
import pytest
from grids import grid
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from lab import models
from lab.data import datasets
from lab.experiments import pools

pytestmark = pytest.mark.slow  # it trains

every_network = pytest.mark.parametrize("system", models.SYSTEMS)

# --------------------------------------------------------------------------------------
# Packed predictions
# --------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 7), min_size=1, max_size=50))
def test_unpacking_gives_back_what_was_packed(predictions):
    packed = pools.pack_predictions(predictions)
    assert packed.isascii()
    assert pools.unpack_predictions(packed, len(predictions)).tolist() == predictions


@grid("dtype", [np.uint8, np.int8, np.int64])
def test_packing_takes_any_integer_type(dtype):
    predictions = np.arange(8, dtype=dtype)
    assert pools.unpack_predictions(
        pools.pack_predictions(predictions), 8
    ).tolist() == list(range(8))


def test_packing_takes_three_bits_each():
    assert len(pools.pack_predictions([5] * 3000)) == 3000 * 3 / 8 / 3 * 4


# --------------------------------------------------------------------------------------
# Settings
# --------------------------------------------------------------------------------------


def drawn(system, n):
    return [
        pools.draw_settings(system, np.random.default_rng([1, i])) for i in range(n)
    ]


@every_network
def test_settings_stay_in_their_ranges(system):
    for settings in drawn(system, 300):
        assert 1e-4 <= settings["learning_rate"] <= 1e-1
        assert 1e-7 <= settings["weight_decay"] <= 1e-3
        assert 0 <= settings["dropout"] <= 0.7
        assert settings["batch_size"] in {16, 32, 64, 128}
        assert 16 <= settings["embedding"] <= 128
        assert 16 <= settings["hidden"] <= 128
        if system == "lstm":
            assert settings["bidirectional"] in (True, False)
            assert settings["pooling"] in ("last", "max")
        assert json.loads(json.dumps(settings)) == settings


@every_network
def test_learning_rates_are_log_uniform(system):
    logs = np.log10([settings["learning_rate"] for settings in drawn(system, 500)])
    assert stats.kstest(logs, stats.uniform(-4, 3).cdf).pvalue > 0.01


# --------------------------------------------------------------------------------------
# The plan
# --------------------------------------------------------------------------------------


def in_table(units, table, system=None):
    return [u for u in units if u["table"] == table and system in (None, u["system"])]


def rows_of(units, best=()):
    """Rows as a store has them; only the units in `best` score above the others."""
    return [
        {"unit": unit, "result": {"validation": 0.8 if unit in best else 0.7}}
        for unit in units
    ]


@pytest.fixture(scope="module")
def plan():
    return pools.EXPERIMENT.plan


@every_network
def test_seeds_wait_for_the_whole_search_of_their_network(plan, system):
    search = in_table(plan("recorded", []), "search")
    assert not in_table(plan("recorded", []), "seeds")
    own = in_table(search, "search", system)
    for missing in (own[0], own[-1]):
        units = plan("recorded", rows_of([u for u in search if u is not missing]))
        assert {u["system"] for u in in_table(units, "seeds")} == set(
            models.SYSTEMS
        ) - {system}


@every_network
@pytest.mark.parametrize("winners", [[0], [199], [57, 58, 199]])
def test_seeds_repeat_the_first_best_setting(plan, system, winners):
    search = in_table(plan("recorded", []), "search", system)
    rows = rows_of(search, best=[search[i] for i in winners])
    seeds = in_table(plan("recorded", rows[::-1]), "seeds")  # rows come in any order
    best = search[winners[0]]
    assert [{**unit, "table": "search", "seed": best["seed"]} for unit in seeds] == [
        best
    ] * len(seeds)


def test_seeds_took_no_part_in_the_choice(plan):
    units = plan("full", rows_of(plan("full", [])))
    assert not {u["seed"] for u in in_table(units, "search")} & {
        u["seed"] for u in in_table(units, "seeds")
    }


# --------------------------------------------------------------------------------------
# Training
# --------------------------------------------------------------------------------------

NETWORK = {
    "embedding": 16,
    "hidden": 16,
    "dropout": 0.3,
    "learning_rate": 0.01,
    "weight_decay": 1e-6,
    "batch_size": 32,
}
SETTINGS = {
    "mlp": NETWORK,
    "lstm": {**NETWORK, "bidirectional": True, "pooling": "max"},
}
every_kind_of_network = pytest.mark.parametrize(
    ("system", "changed"),
    [("mlp", {}), ("lstm", {}), ("lstm", {"bidirectional": False, "pooling": "last"})],
)


@pytest.fixture
def two_epochs(monkeypatch):
    monkeypatch.setattr(models, "MAX_EPOCHS", 2)


@every_kind_of_network
@pytest.mark.usefixtures("two_epochs")
def test_a_seed_decides_the_whole_run(small_task, system, changed):
    first, again, other = (
        models.train_network(small_task, system, SETTINGS[system] | changed, seed)
        for seed in (3, 3, 4)
    )
    assert (first.predictions == again.predictions).all()
    assert first.validation_curve == again.validation_curve
    assert first.validation_curve != other.validation_curve


@every_kind_of_network
def test_a_run_reports_its_best_epoch(small_task, system, changed):
    run = models.train_network(small_task, system, SETTINGS[system] | changed, seed=0)
    curve = run.validation_curve
    assert run.validation == max(curve)
    assert run.best_epoch == curve.index(max(curve)) + 1
    assert len(curve) in (models.MAX_EPOCHS, run.best_epoch + models.PATIENCE)
    assert run.test == np.mean(run.predictions == small_task.test.label)
    assert run.validation > 1 / 6


@every_network
def test_predictions_are_those_of_the_best_epoch(small_task, monkeypatch, system):
    settings = {**SETTINGS[system], "learning_rate": 0.03}
    run = models.train_network(small_task, system, settings, seed=0)
    assert run.best_epoch < len(run.validation_curve)
    monkeypatch.setattr(models, "MAX_EPOCHS", run.best_epoch)
    stopped_there = models.train_network(small_task, system, settings, seed=0)
    assert (run.predictions == stopped_there.predictions).all()
    assert run.test == stopped_there.test


def interrupt(*_):
    raise KeyboardInterrupt


@pytest.fixture
def torch_on_two_threads():
    torch = pytest.importorskip("torch")
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    yield torch
    torch.set_num_threads(threads)


@every_network
@pytest.mark.parametrize("interrupted", [False, True])
@pytest.mark.usefixtures("two_epochs")
def test_training_leaves_torch_as_it_was(
    small_task, torch_on_two_threads, monkeypatch, system, interrupted
):
    torch = torch_on_two_threads
    torch.manual_seed(11)
    state = torch.get_rng_state()
    if interrupted:
        monkeypatch.setattr(torch.nn.functional, "cross_entropy", interrupt)
    with pytest.raises(KeyboardInterrupt) if interrupted else nullcontext():
        models.train_network(small_task, system, SETTINGS[system], seed=0)
    assert torch.get_num_threads() == 2
    assert torch.equal(torch.get_rng_state(), state)


@every_network
@pytest.mark.usefixtures("two_epochs")
def test_the_state_of_torch_does_not_matter(small_task, torch_on_two_threads, system):
    predictions = []
    for seed in (1, 2):
        torch_on_two_threads.manual_seed(seed)
        predictions.append(
            models.train_network(
                small_task, system, SETTINGS[system], seed=0
            ).predictions
        )
    assert (predictions[0] == predictions[1]).all()


@pytest.mark.parametrize("strategy", pools.STRATEGIES)
def test_a_dummy_is_right_once_in_six(task, strategy):
    run = models.train_baseline(task, "dummy", {"strategy": strategy}, seed=0)
    assert run.test == pytest.approx(1 / 6, abs=0.03)
    assert run.test == np.mean(run.predictions == task.test.label)


def test_a_linear_model_beats_the_dummy(small_task):
    runs = [
        models.train_baseline(small_task, "linear", {"C": 3.0}, seed) for seed in (0, 1)
    ]
    assert (runs[0].predictions == runs[1].predictions).all()
    assert runs[0].test > 0.3


def test_a_unit_has_the_row_it_should(task):
    unit = in_table(pools.EXPERIMENT.plan("recorded", []), "baselines")[0]
    result = pools.EXPERIMENT.run(unit)
    assert set(pools.EXPERIMENT.compared) <= set(result)
    assert json.loads(json.dumps(result)) == result
    predictions = pools.unpack_predictions(result["test_predictions"], len(task.test))
    assert np.mean(predictions == task.test.label) == pytest.approx(
        result["test"], abs=1e-6
    )


def test_test_items_stand_in_the_order_of_the_predictions(task):
    items = pools.EXPERIMENT.extras([])["test_items"]
    assert (
        items.package.map(datasets.PACKAGES.index).to_numpy() == task.test.label
    ).all()
    assert (items.module.to_numpy() == task.test.group).all()


@grid(
    "result, allowed",
    [
        # Steps of 0.1, -0.1, 0.1 ... in the second half: a standard deviation of 0.1.
        ({"validation_curve": "0.1 0.9 0.1 0.9 0.5 0.6 0.5 0.6 0.5"}, 0.5),
        # It settled.
        (
            {"validation_curve": "0.1 0.9 0.1 0.9 0.600 0.601 0.600 0.601 0.600"},
            0.05,
        ),
        ({"validation_curve": "0.3"}, 0.05),
        # One number in a file may be read as a number.
        (
            {"validation_curve": 0.3},
            0.05,
        ),
        ({}, 0.05),  # a baseline
    ],
)
def test_a_network_that_jumps_may_be_farther_off(result, allowed):
    assert pools.allowed(result) == pytest.approx(allowed)
