"""The simulations of Tang et al.: the distribution and its exact truths against plain
calculations.
"""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from grids import grid
from scipy import integrate, stats

from evalkit import expected_max
from lab.data import released
from lab.papers.tang2020 import EXPERIMENT, audit, tasks
from lab.papers.tang2020.audit import (
    Distribution,
    discretised_density,
    normal_reference_bandwidth,
)
from lab.record import tables

DICE = Distribution(np.array([0.1, 0.4, 0.9]), np.array([0.5, 0.3, 0.2]))


@grid("n", [1, 2, 5])
def test_truth_is_the_mean_over_every_draw(n):
    truth = sum(
        np.prod(DICE.chances[list(draw)]) * max(DICE.values[list(draw)])
        for draw in product(range(3), repeat=n)
    )
    assert DICE.expected_max([n]) == pytest.approx([truth])


@grid("n", [1, 2, 4, 9])
def test_expectation_of_v_is_the_mean_over_every_sample(n):
    expected = sum(
        np.prod(DICE.chances[list(s)])
        * expected_max(DICE.values[list(s)], n, estimator="v")
        for s in product(range(3), repeat=4)
    )
    assert DICE.expected_v([n], 4) == pytest.approx([expected])


def test_bandwidth_is_the_rule():
    scores = np.random.default_rng(0).normal(0.7, 0.1, 150)
    spread = min(scores.std(ddof=1), stats.iqr(scores) / 1.349)
    assert normal_reference_bandwidth(scores) == pytest.approx(
        1.0592 * spread * 150**-0.2, rel=1e-4
    )


def test_density_keeps_mean_and_adds_its_bandwidth():
    scores = np.random.default_rng(1).beta(5, 2, 200)
    density = discretised_density(scores)
    assert len(density.values) == 511
    # A left edge.
    assert density.values[0] == pytest.approx(
        scores.min() - 3 * normal_reference_bandwidth(scores)
    )
    step = density.values[1] - density.values[0]
    mean = density.chances @ density.values
    assert mean == pytest.approx(scores.mean() - step / 2, abs=1e-4)
    variance = density.chances @ (density.values - mean) ** 2
    # Tails are cut at 3.
    assert variance == pytest.approx(
        scores.var() + normal_reference_bandwidth(scores) ** 2, rel=0.02
    )


def test_a_block_has_the_means_and_shares_of_its_distribution(monkeypatch):
    monkeypatch.setattr(tasks, "distribution", lambda pool: DICE)
    monkeypatch.setattr(tasks, "SAMPLES", 4000)
    monkeypatch.setattr(tasks, "RESAMPLES", 20)
    monkeypatch.setitem(audit.POOLS, "mlp", 3)
    found = EXPERIMENT.run({"table": "samples", "pool": "mlp", "block": 1})
    columns = {
        name: tables.unpack(value)
        for name, value in found.items()
        if isinstance(value, str)
    }
    mean = DICE.chances @ DICE.values
    variance = DICE.chances @ (DICE.values - mean) ** 2
    # Of four standard errors, for a mean of 400 at most.
    error = 4 * np.sqrt(variance / 400)
    assert columns["mean_u"] == pytest.approx(DICE.expected_max([1, 2, 3]), abs=error)
    assert columns["mean_v"] == pytest.approx(DICE.expected_v([1, 2, 3], 3), abs=error)
    # At n = 1 all are means, of three scores or of the first alone.
    assert columns["square_error_u"][0] == pytest.approx(variance / 3, rel=0.27)
    assert columns["square_error_v"][0] == columns["square_error_u"][0]
    assert columns["square_error_first"][0] == pytest.approx(variance, rel=0.27)
    # The first score is below the mean, 0.35, when it is the lowest, and below another
    # in half of what is no tie.
    share = 4 * np.sqrt(0.25 / 400)
    ties = DICE.chances @ DICE.chances
    assert columns["below_first"][0] / 400 == pytest.approx(DICE.chances[0], abs=share)
    assert columns["below_fresh_first"][0] / 400 == pytest.approx(
        (1 - ties) / 2, abs=share
    )
    # At n = 3 U is the highest of three.
    highest = np.diff(np.cumsum(DICE.chances) ** 3, prepend=0)
    assert columns["below_fresh_u"][2] / 400 == pytest.approx(
        (1 - highest @ highest) / 2, abs=share
    )
    assert columns["below_u"][2] / 400 == pytest.approx(highest[:2].sum(), abs=share)
    # A sample without the highest score has no bootstrap interval that reaches the
    # truth at n = 3.
    assert columns["held_boot_u"][2] <= 400 - columns["below_u"][2]
    assert found["held_all_boot_v"] <= columns["held_boot_v"].min()
    assert found["held_all_ks"] <= columns["held_ks"].min()
    assert (columns["width_ks"] <= columns["width_dkw"] + 1e-9).all()
    assert found["held_one"] == columns["held_boot_v"][0]
    # Conservative for so few.
    assert columns["held_dkw"].min() == 400 == found["held_all_dkw"]


def test_truths_by_every_draw_and_by_many(monkeypatch):
    monkeypatch.setattr(tasks, "distribution", lambda pool: DICE)
    monkeypatch.setattr(tasks, "MONTE_CARLO", 40_000)
    monkeypatch.setitem(audit.POOLS, "lstm", 4)
    found = EXPERIMENT.run({"table": "truths", "pool": "lstm"})
    truth = DICE.expected_max([1, 2, 3, 4])
    assert found["truth_1"] == pytest.approx(truth[0])
    assert tables.unpack(found["truth"]) == pytest.approx(truth)
    assert tables.unpack(found["monte_carlo"]) == pytest.approx(
        truth, abs=4 * 0.31 / 200
    )
    assert tables.unpack(found["expected_v"]) == pytest.approx(
        DICE.expected_v([1, 2, 3, 4], 4)
    )
    assert tables.unpack(found["expected_v"])[1] < truth[1]


@pytest.mark.parametrize(("mlp", "size"), [(0.5, 10), (0.999999, 10), (0.5, 5)])
def test_where_the_averaged_v_ranks_wrongly_by_binomial_samples(monkeypatch, mlp, size):
    # The MLP always scores the same, the LSTM 1 in a tenth of its runs and else 0.
    sure = Distribution(np.array([mlp]), np.array([1.0]))
    rare = Distribution(np.array([0.0, 1.0]), np.array([0.9, 0.1]))
    monkeypatch.setattr(tasks, "distribution", {"mlp": sure, "lstm": rare}.get)
    found = EXPERIMENT.run(
        {"table": "failures", "first": "mlp", "second": "lstm", "size": size}
    )
    hits, n = np.arange(size + 1), np.arange(1, size + 1)
    v = 1 - stats.binom.pmf(hits, size, 0.1) @ (1 - hits[:, None] / size) ** n
    wrong = n[(mlp > v) & (mlp < 1 - 0.9**n)]
    expected = (len(wrong), wrong[0], wrong[-1]) if len(wrong) else (0, 0, 0)
    assert (found["wrong"], found["wrong_from"], found["wrong_to"]) == expected
    assert (len(wrong) > 0) == (mlp == 0.5 and size == 10)


def test_many_samples_have_the_shares_of_their_distribution(monkeypatch):
    monkeypatch.setattr(tasks, "distribution", lambda pool: DICE)
    monkeypatch.setitem(audit.POOLS, "mlp", 3)
    found = EXPERIMENT.run({"table": "shares", "pool": "mlp", "block": 2})
    assert found["samples"] == tasks.MANY // tasks.MANY_BLOCKS == 100_000
    budgets, truth = np.arange(1, 4), DICE.expected_max([1, 2, 3])
    chances = dict.fromkeys(
        (f"{what}_{e}" for what in ("below", "tied", "fresh") for e in "uv"), 0.0
    )
    moments = {e: np.zeros((2, 3)) for e in "uv"}
    # Of n fresh scores.
    best = np.diff(np.cumsum(DICE.chances) ** budgets[:, None], prepend=0)
    for draw in product(range(3), repeat=3):
        weight = np.prod(DICE.chances[list(draw)])
        for e in "uv":
            estimate = np.array(
                expected_max(DICE.values[list(draw)], budgets, estimator=e)
            )
            chances[f"below_{e}"] += weight * (estimate < truth - 1e-12)
            off = DICE.values - estimate[:, None]
            chances[f"tied_{e}"] += weight * (best * (np.abs(off) < 1e-12)).sum(axis=1)
            chances[f"fresh_{e}"] += weight * (best * (off > 1e-12)).sum(axis=1)
            moments[e] += weight * np.array([estimate, estimate**2])
    error = 4 * np.sqrt(0.25 / 100_000)
    for e in "uv":
        for name, column in (
            ("below", "below"),
            ("tied", "tied_fresh"),
            ("fresh", "below_fresh"),
        ):
            share = tables.unpack(found[f"{column}_{e}"]) / 100_000
            assert share == pytest.approx(chances[f"{name}_{e}"], abs=error), (name, e)
        sd = np.sqrt(moments[e][1] - moments[e][0] ** 2)
        assert tables.unpack(found[f"sd_{e}"]) == pytest.approx(sd, rel=0.02)


def test_bounds_hold_what_a_density_gives():
    assert tasks._bounds(DICE) == (0, 1)
    assert tasks._bounds(Distribution(np.array([-0.2, 0.3, 1.4]), DICE.chances)) == (
        -0.2,
        1.4,
    )


def test_each_pool_has_its_runs(monkeypatch):
    runs = np.random.default_rng(0).normal(0.7, 0.05, 60)
    pair = pd.DataFrame({"system": ["mlp"] * 20 + ["reg_lstm"] * 40, "f1": runs})
    monkeypatch.setattr(released, "tang2020", lambda: pair)
    monkeypatch.setattr(
        released,
        "opda_deberta",
        lambda name: pd.DataFrame({"matched": [len(name), 1, 1, 1]}),
    )
    monkeypatch.setattr(
        released,
        "dodge2019",
        lambda: pd.DataFrame({"npmi": [0.2, 0.1, 0.1], "loss": 9}),
    )
    pools = {pool: audit.distribution.__wrapped__(pool) for pool in audit.POOLS}
    for pool, scores in (("mlp", runs[:20]), ("lstm", runs[20:])):
        density = discretised_density(scores)
        assert (pools[pool].values, pools[pool].chances) == (
            pytest.approx(density.values),
            pytest.approx(density.chances),
        )
        assert pools[f"{pool} runs"].values == pytest.approx(np.sort(scores))
    assert pools["deberta"].values.tolist() == [1, len("deberta-base")]
    assert pools["deberta-v3"].values.tolist() == [1, len("deberta-v3-base")]
    assert pools["deberta"].chances.tolist() == [0.75, 0.25]
    assert pools["vampire"].values.tolist() == [0.1, 0.2]
    search = tables.load_recorded("pools", "search")
    for system in ("mlp", "lstm"):
        own, scores = pools[f"own {system}"], search[search.system == system].validation
        assert own.values == pytest.approx(np.unique(scores))
        assert own.chances @ own.values == pytest.approx(scores.mean())
    # The released default: mean 0.5, SD 0.1, cut to [0, 0.6].
    normal, exact = (
        pools["truncated normal"],
        stats.truncnorm(-5, 1, loc=0.5, scale=0.1),
    )
    assert normal.chances @ normal.values == pytest.approx(exact.mean())
    assert normal.chances @ (normal.values - exact.mean()) ** 2 == pytest.approx(
        exact.var(), rel=1e-4
    )
    below, _ = integrate.quad(lambda x: exact.cdf(x) ** 1000, 0.55, 0.6)
    assert normal.expected_max([1000])[0] == pytest.approx(0.6 - below, abs=4e-5)
