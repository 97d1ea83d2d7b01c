"""The simulations of Tang et al.: the distribution and its exact truths against plain calculations."""

from itertools import product

import numpy as np
import pytest
from scipy import stats
from upstream import needs

from evalkit import expected_max, released, runs
from evalkit.papers import _tang2020_verdicts as judging
from evalkit.papers import tang2020
from evalkit.papers.tang2020 import Distribution, discretised_density, normal_reference_bandwidth

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
    of = discretised_density(scores)
    assert len(of.values) == 511
    mean = of.chances @ of.values
    assert mean == pytest.approx(scores.mean(), abs=1e-4)
    variance = of.chances @ (of.values - mean) ** 2
    assert variance == pytest.approx(scores.var() + of.bandwidth**2, rel=0.02)  # tails are cut at 3


def test_a_block_agrees_with_a_plain_loop(monkeypatch):
    monkeypatch.setattr(tang2020, "distribution", lambda pool: DICE)
    monkeypatch.setattr(tang2020, "SAMPLES", 200)
    monkeypatch.setattr(tang2020, "RESAMPLES", 99)
    monkeypatch.setitem(tang2020.POOLS, "mlp", 6)
    found = tang2020.EXPERIMENT.run({"table": "samples", "pool": "mlp", "block": 0})
    again = tang2020.EXPERIMENT.run({"table": "samples", "pool": "mlp", "block": 0})
    assert {k: v for k, v in found.items() if k != "seconds"} == {
        k: v for k, v in again.items() if k != "seconds"
    }
    columns = {name: tang2020.by_budget(value) for name, value in found.items() if isinstance(value, str)}
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
    assert tang2020.distribution("mlp").n_runs == (scores.system == "mlp").sum() == 145
    outside = tang2020.EXPERIMENT.run({"table": "densities", "pool": "lstm"})["outside"]
    assert 0.04 < outside < 0.05  # impossible scores


@needs("tang2020/hedwig.tsv")
def test_the_failure_case_is_there_for_samples_of_fifty():
    found = tang2020.EXPERIMENT.run({"table": "failures", "size": 50})
    assert found["wrong_from"] == 20
    assert found["wrong"] == found["wrong_to"] - found["wrong_from"] + 1


def test_theorems_hold_on_every_small_case():
    for claim in (judging._claim_theorem_1, judging._claim_theorem_1_strict, judging._claim_theorem_2):
        verdict, data, evidence = claim(None)
        assert verdict, evidence
        assert data == "exact"


def test_stirling_is_good_enough_and_not_exact():
    verdict, _, evidence = judging._claim_stirling(None)
    assert verdict, evidence
    assert "1e-07" in evidence


@needs("tang2020/hedwig.tsv")
def test_the_record_comes_out_of_the_released_pools_and_its_own_rows():
    rows = runs.recorded_rows("tang2020")
    for row in rows:
        if row["unit"]["table"] in ("densities", "failures"):
            again = tang2020.EXPERIMENT.run(row["unit"])
            assert {k: v for k, v in again.items() if k != "seconds"} == pytest.approx(
                {k: v for k, v in row["result"].items() if k != "seconds"}
            )
    recorded = runs.load_recorded("tang2020", "computed").set_index("id")
    for line in judging.computed(rows).itertuples():
        assert line.value == pytest.approx(recorded.value[line.id])
