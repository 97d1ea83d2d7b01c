"""A judge with errors: the correction for how often it errs, and what is recorded."""

import numpy as np
import pytest
from grids import grid

from lab.experiments import judges
from lab.record.tables import load_recorded


def drawn(size, errs, rng):
    """The judge of A and B, then people of A and B: `errs` is (misses, alarms) of each
    system.
    """
    people = rng.random((size, 2)) < (0.7, 0.6)
    misses, alarms = np.transpose(errs)
    wrong = rng.random((size, 2)) < np.where(people, misses, alarms)
    return np.hstack([people ^ wrong, people]).astype(float)


@grid(
    ("errs", "pooled"),
    [
        (((0.2, 0.1), (0.2, 0.1)), True),
        (((0.2, 0.1), (0.2, 0.1)), False),
        (((0.1, 0.4), (0.3, 0.05)), False),
    ],
)
def test_the_correction_finds_the_difference_where_its_assumption_holds(errs, pooled):
    items = drawn(200_000, errs, np.random.default_rng(0))
    found, se = judges.rogan_gladen(items, 100_000, pooled=pooled)
    assert abs(found - 0.1) < 4 * se
    assert se < 0.01


def test_pooling_is_wrong_where_the_judge_errs_more_on_one_system():
    items = drawn(200_000, ((0.1, 0.4), (0.3, 0.05)), np.random.default_rng(0))
    found, se = judges.rogan_gladen(items, 100_000, pooled=True)
    assert abs(found - 0.1) > 10 * se


@grid("pooled", [True, False])
def test_the_delta_method_s_error_is_the_scatter_of_samples(pooled):
    rng, errs = np.random.default_rng(1), ((0.1, 0.3), (0.2, 0.1))
    samples = [
        judges.rogan_gladen(drawn(900, errs, rng), 300, pooled=pooled)
        for _ in range(600)
    ]
    found, se = np.transpose(samples)
    assert np.mean(se) == pytest.approx(found.std(), rel=0.1)


def test_a_pair_has_the_items_that_both_systems_answered():
    situation = ("realmistake", "gemma-7b-it 1", "gpt-4-0613", "Llama-2-70b-chat-hf")
    items = judges.of_pair(*situation)
    assert items.shape == (420, 4)
    assert set(np.unique(items)) == {0, 1}
    assert np.allclose(items[:, 2:].mean(axis=0), [262 / 420, 385 / 420])


def test_a_refusal_in_part_is_a_refusal():
    items = judges.of_pair("xstest", "strings", "GPT-4", "Mistral")
    assert items[:, 2:].sum(axis=0).tolist() == [220, 76]


def test_what_takes_the_judge_at_its_word_fails_and_the_line_holds():
    table = load_recorded("judges", "coverage")
    share = {m: table[f"held_{m}"] / table[f"answers_{m}"] for m in judges.METHODS}
    assert len(table) == 24
    assert share["line"].min() > 0.94
    assert share["people"].min() > 0.93
    assert share["by_system"].min() > 0.93
    assert (share["judge"] < 0.5).sum() >= 12
    assert (share["pooled"] < 0.6).sum() >= 12
    assert (table.answers_line > 0.99 * table.samples).all()


def test_where_the_line_holds_and_where_it_does_not():
    """What the docstring of `judged_difference` says."""
    table = load_recorded("judges", "made_up").set_index(["kind", "n"])
    share = (table.held_line / table.answers_line).unstack()
    steady = ["right and wrong", "near one", "ratings", "preferences"]
    assert share.loc[steady].min(axis=None) >= 0.945
    assert share.loc["a judge who seldom differs"].round(2).tolist()[::2] == [0.7, 0.92]
    assert round(share.loc["failures coded as -100", 50], 2) == 0.53
    longer = table.width_line / table.width_people
    assert round(longer["a judge who knows nothing", 50], 2) == 1.04
    people = (table.held_people / table.answers_people).unstack()
    losses = (share - people).loc["skewed losses"]
    assert losses.abs().max() < 0.02


@grid("kind", judges.MADE_UP)
def test_a_judge_is_made_up_for_every_answer_and_fails_where_it_is_said(kind):
    judge, people = judges.MADE_UP[kind](np.random.default_rng(0))
    assert judge.shape == people.shape == (judges.POOL, 2)
    assert ((judge == -100).mean() > 0.004) == kind.startswith("failures")
