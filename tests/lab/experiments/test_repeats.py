"""What pages repeat: the plan, the record against itself and against the grids that it
was made from.
"""

import numpy as np
import pytest

from lab.experiments import grids, repeats
from lab.record import tables


@pytest.fixture(scope="module")
def recorded():
    return {
        name: tables.load_recorded("repeats", name)
        for name in repeats.EXPERIMENT.tables
    }


@pytest.mark.parametrize(("task", "k"), [("docstrings", 5), ("digits", 10)])
def test_searches_with_one_partition_choose_as_the_recorded_partitions_do(
    recorded, task, k
):
    scores, truth = grids.recorded_scores(task, k=k)
    chosen = scores.argmax(axis=1)
    shares = np.bincount(chosen, minlength=len(truth)) / len(scores)
    pairs = [chosen[i] == chosen[j] for i in range(len(chosen)) for j in range(i)]
    table = recorded["searches"]
    search = table[(table.task == task) & (table.k == k)].set_index("j").loc[1]
    assert search.agreement == pytest.approx(np.mean(pairs), abs=1e-12)
    assert search.worth == pytest.approx(shares @ truth, abs=0.001)
    np.testing.assert_allclose(
        tables.unpack(search.chosen) / search.groups, shares, atol=0.02
    )
    assert tables.unpack(search.chosen).sum() == search.groups


def test_relatives_cost_more_than_as_many_lines_at_random(recorded):
    for _, of_split in recorded["relatives"].groupby("split"):
        assert of_split.n_train.nunique() == 1
        by_removal = of_split.set_index("removal")
        assert by_removal.accuracy.idxmin() == -1
        for row in of_split.itertuples():
            assert row.accuracy == pytest.approx(
                tables.unpack(row.right).mean(), abs=1e-12
            )
        assert by_removal.right.nunique() == len(of_split)  # other lines each time


def test_what_is_lost_is_the_difference_of_the_recorded_scores(recorded):
    scores = {
        known: np.mean([tables.unpack(cell) for cell in of_known.f1], axis=0)
        for known, of_known in recorded["kinds"].groupby("known")
    }
    for _, of_level in recorded["losses"].groupby("level"):
        found = of_level.set_index("package").sort_index()
        np.testing.assert_allclose(
            found.lost, scores["package"] - scores["nothing"], atol=1e-12
        )
    narrow, wide = (
        recorded["losses"][recorded["losses"].level == level]
        for level in repeats.LEVELS
    )
    assert (wide.low.to_numpy() <= narrow.low.to_numpy()).all()
    assert (wide.high.to_numpy() >= narrow.high.to_numpy()).all()


def test_a_constant_is_the_best_for_the_error_that_it_minimises(recorded):
    errors = recorded["lengths"]
    assert (errors.mae_of_median < errors.mae_of_mean).all()
    # The mean of the training lines is not quite that of the test lines.
    np.testing.assert_allclose(
        1 - errors.mse / errors.mse_of_mean, errors.r2, atol=0.02
    )


def test_a_part_tells_more_than_nothing_and_less_than_the_line(recorded):
    parts = recorded["parts"]
    assert (parts.dummy < parts.name).all()
    assert (
        parts[["name", "first_word", "number_of_words"]].max(axis=1) < parts.line
    ).all()
