"""What docstrings say of intervals at the edges, held to the record; truths of the
simulations, to draws.
"""

import numpy as np
import pytest

from lab.experiments import edges
from lab.record.tables import load_recorded


def held(table, *index):
    rows = load_recorded("error_rates", table)
    assert set(rows.samples) <= {edges.SAMPLES[table], edges.SAMPLES[table] // 5}
    answered = rows.samples - rows.get("refused", 0)
    rows = rows.assign(held=rows.held / answered.where(answered > 0), answered=answered)
    return rows.set_index(list(index))


def test_rounded_scores_are_covered_wherever_their_means_lie():
    rates = held("rounded", "what", "runs", "spread")
    assert rates.held["runs"].min() >= 0.94
    assert rates.held["summaries"].min() >= 0.935
    assert (rates.refused[["runs", "summaries"]] == 0).all()


def test_pairs_of_rounded_scores_are_covered_where_they_answer():
    rates = held("rounded", "what", "runs", "spread").loc["pairs"]
    assert rates.held.min() >= 0.93


def test_conditions_nobody_sees_cost_what_the_docstrings_say():
    rate = held("conditions", "condition").held
    shares = (0.5, 0.85, 1.0)
    runs = [rate[f"9 runs, 3 initialisations, share {x}"] for x in shares]
    assert runs == pytest.approx([0.82, 0.69, 0.67], abs=0.005)
    means = [rate[f"3 means of initialisations, share {x}"] for x in shares]
    assert all(0.94 <= x <= 0.955 for x in means)
    tails = [rate[f"tails, {n} items"] for n in (30, 1000)]
    assert tails == pytest.approx([0.79, 0.87], abs=0.005)
    families = [rate[f"families, {n} of them"] for n in (20, 50)]
    assert families == pytest.approx([0.92, 0.93], abs=0.006)


def test_the_best_of_n_holds_under_ties_where_it_answers():
    rates = held("tied", "scores", "runs", "best_of")
    counts = rates[rates.index.get_level_values(0).str.startswith("success")]
    assert counts.held.min() >= 0.95
    collapse = rates.held["three in five train, the others collapse"]
    assert [collapse.min(), collapse.max()] == pytest.approx([0.78, 0.97], abs=0.005)
    others = rates.drop("three in five train, the others collapse")
    assert others[others.answered > 200].held.min() >= 0.93


def test_sets_of_ranks_hold_for_all_systems_of_a_board():
    assert held("rank_sets", "board", "answers").held.min() >= 0.94


def test_the_truth_of_a_tied_pool_is_that_of_draws():
    rng, wanted = np.random.default_rng(0), {}
    wanted["accuracy of 20 items, 0.8"] = rng.binomial(20, 0.8, (200_000, 6)) / 20
    wanted["two in five at a ceiling"] = np.minimum(rng.random((200_000, 6)), 0.6)
    trained = rng.random((200_000, 6)) < 0.6
    wanted["three in five train, the others collapse"] = np.where(
        trained, 0.95, 0.1
    ) + 0.003 * rng.normal(size=(200_000, 6))
    for scores, drawn in wanted.items():
        best = drawn.max(axis=1)
        error = best.std() / np.sqrt(best.size)
        assert edges.truth_of_best(scores, 6) == pytest.approx(
            best.mean(), abs=4 * error
        )


def test_families_have_a_mean_of_0_by_item():
    sizes = np.random.default_rng(0).geometric(0.15, size=400_000)
    by_item = np.average(np.log(sizes), weights=sizes)
    assert pytest.approx(by_item, abs=0.01) == edges._LOG_SIZE
