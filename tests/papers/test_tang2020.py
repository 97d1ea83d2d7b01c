"""The simulations of Tang et al.: the distribution and its exact truths against plain calculations."""

from itertools import product

import numpy as np
import pytest
from scipy import stats
from upstream import needs

from evalkit import expected_max, recorded, released
from evalkit.papers.tang2020 import EXPERIMENT, audit, claims, tasks
from evalkit.papers.tang2020.audit import Distribution, discretised_density, normal_reference_bandwidth

DICE = Distribution(np.array([0.1, 0.4, 0.9]), np.array([0.5, 0.3, 0.2]), 0.0, 3)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_truth_is_the_mean_over_every_draw(n):
    truth = sum(
        np.prod(DICE.chances[list(draw)]) * max(DICE.values[list(draw)])
        for draw in product(range(3), repeat=n)
    )
    assert DICE.expected_max([n]) == pytest.approx([truth])


@pytest.mark.parametrize("n", [1, 2, 4, 9])
def test_expectation_of_v_is_the_mean_over_every_sample(n):
    expected = sum(
        np.prod(DICE.chances[list(s)]) * expected_max(DICE.values[list(s)], n, estimator="v")
        for s in product(range(3), repeat=4)
    )
    assert DICE.expected_v([n], 4) == pytest.approx([expected])


def test_draws_follow_the_chances():
    drawn = DICE.draw(np.random.default_rng(0), 20_000)
    counts = [(drawn == value).sum() for value in DICE.values]
    assert stats.chisquare(counts, 20_000 * DICE.chances).pvalue > 0.001


def test_bandwidth_is_the_rule():
    scores = np.random.default_rng(0).normal(0.7, 0.1, 150)
    spread = min(scores.std(ddof=1), stats.iqr(scores) / 1.349)
    assert normal_reference_bandwidth(scores) == pytest.approx(1.0592 * spread * 150**-0.2, rel=1e-4)


def test_density_keeps_mean_and_adds_its_bandwidth():
    scores = np.random.default_rng(1).beta(5, 2, 200)
    density = discretised_density(scores)
    assert len(density.values) == 511
    mean = density.chances @ density.values
    assert mean == pytest.approx(scores.mean(), abs=1e-4)
    variance = density.chances @ (density.values - mean) ** 2
    assert variance == pytest.approx(scores.var() + density.bandwidth**2, rel=0.02)  # tails are cut at 3


def test_a_block_agrees_with_a_plain_loop(monkeypatch):
    monkeypatch.setattr(tasks, "distribution", lambda pool: DICE)
    monkeypatch.setattr(tasks, "SAMPLES", 200)
    monkeypatch.setattr(tasks, "RESAMPLES", 99)
    monkeypatch.setitem(audit.POOLS, "mlp", 6)
    found = EXPERIMENT.run({"table": "samples", "pool": "mlp", "block": 0})
    again = EXPERIMENT.run({"table": "samples", "pool": "mlp", "block": 0})
    assert {k: v for k, v in found.items() if k != "seconds"} == {
        k: v for k, v in again.items() if k != "seconds"
    }
    columns = {name: recorded.unpack(value) for name, value in found.items() if isinstance(value, str)}
    assert all(len(column) == 6 for column in columns.values())
    assert found["samples"] == 20
    # U is unbiased, V is not; one run is the mean for both; a band that holds everywhere holds at each n.
    assert columns["mean_u"][0] == pytest.approx(columns["mean_v"][0])
    assert (columns["mean_v"][1:] < columns["mean_u"][1:]).all()
    assert columns["mean_first"][-1] == pytest.approx(columns["mean_v"][-1])
    assert found["held_all_ks"] <= columns["held_ks"].min()
    assert (columns["width_ks"] <= columns["width_dkw"] + 1e-9).all()


@needs("tang2020/hedwig.tsv")
def test_the_paper_s_densities():
    scores = released.tang2020()
    assert audit.distribution("mlp").n_runs == (scores.system == "mlp").sum() == 145
    outside = EXPERIMENT.run({"table": "densities", "pool": "lstm"})["outside"]
    assert 0.04 < outside < 0.05  # impossible scores


@needs("tang2020/hedwig.tsv")
def test_the_failure_case_is_there_for_samples_of_fifty():
    found = EXPERIMENT.run({"table": "failures", "size": 50})
    assert found["wrong_from"] == 20
    assert found["wrong"] == found["wrong_to"] - found["wrong_from"] + 1


@pytest.mark.parametrize("claim", ["theorem-1", "theorem-1-strict", "theorem-2"])
def test_theorems_hold_on_every_small_case(claim):
    finding = claims.JUDGES[claim](None)
    assert (finding.verdict, finding.data) == ("replicated", "exact")


def test_stirling_is_good_enough_and_not_exact():
    finding = claims.JUDGES["stirling"](None)
    assert finding.verdict == "replicated"
    assert "1e-07" in finding.evidence


@needs("tang2020/hedwig.tsv")
def test_the_record_comes_out_of_the_released_pools():
    for row in recorded.recorded_rows("tang2020"):
        if row["unit"]["table"] in EXPERIMENT.derived:
            again = EXPERIMENT.run(row["unit"])
            assert {k: v for k, v in again.items() if k != "seconds"} == pytest.approx(
                {k: v for k, v in row["result"].items() if k != "seconds"}
            )
