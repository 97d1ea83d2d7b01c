"""The grids: samples do not overlap, shared kernels change nothing, and what is
recorded can be read.
"""

import numpy as np
import pytest
from grids import grid
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC

from lab.data import datasets
from lab.experiments import grids


@pytest.mark.parametrize("task", grids.TASKS)
def test_samples_are_balanced_and_apart(task):
    samples = [grids.sample_items(task, s) for s in range(grids.TASKS[task]["samples"])]
    labels = grids.load(task).labels
    for sample in samples:
        assert set(np.bincount(labels[sample])) == {grids.TASKS[task]["per_class"]}
    together = np.concatenate([*samples, grids.held_out_items(task)])
    assert sorted(together) == list(range(len(labels)))


@grid("task, k", [(task, k) for task in grids.TASKS for k in (5, 10)])
def test_folds_are_of_one_size(task, k):
    """So that the mean over folds is the share of right answers over all of them."""
    assert grids.TASKS[task]["per_class"] % k == 0


def test_too_many_samples():
    with pytest.raises(ValueError, match="sample 99 of digits"):
        grids.sample_items("digits", 99)


def test_shared_kernels_equal_a_plain_grid_search():
    X, y = datasets.load_bundled("digits")
    items = grids.sample_items("digits", 0)
    X, y = X.to_numpy()[items] / 16, y.astype(int).to_numpy()[items]
    listed = grids.TASKS["digits"]
    plain = GridSearchCV(
        SVC(),
        {"C": [1.0, 10.0], "gamma": [0.02, 0.2]},
        cv=StratifiedKFold(5, shuffle=True, random_state=3),
        scoring="accuracy",
    ).fit(X, y)
    right = grids.cross_validate("digits", items, 5, 3)
    grid = grids.settings("digits")
    for setting, score in zip(
        plain.cv_results_["params"], plain.cv_results_["mean_test_score"], strict=True
    ):
        ours = right[(setting["C"] == grid.C) & (grid.gamma == setting["gamma"])].item()
        assert ours / len(items) == pytest.approx(score)
    assert len(right) == len(listed["C"]) * len(listed["gamma"])


def test_truth_is_a_plain_fit():
    items, rest = grids.sample_items("digits", 0), grids.held_out_items("digits")
    X, y = datasets.load_bundled("digits")
    X, y = X.to_numpy() / 16, y.astype(int).to_numpy()
    model = SVC(C=1.0, gamma=0.02).fit(X[items], y[items])
    grid = grids.settings("digits")
    ours = grids.count_right("digits", items, rest)[
        (grid.C == 1.0) & (grid.gamma == 0.02)
    ].item()
    assert ours / len(rest) == pytest.approx(
        accuracy_score(y[rest], model.predict(X[rest]))
    )


def test_recorded_scores():
    estimates, truth = grids.recorded_scores("docstrings")
    assert estimates.shape == (
        grids.PARTITIONS["docstrings", 0, 5],
        len(grids.settings("docstrings")),
    )
    assert truth.shape == (81,)
    assert ((estimates > 0) & (estimates < 1)).all()
    items = grids.TASKS["docstrings"]["per_class"] * 6
    assert estimates * items == pytest.approx(np.round(estimates * items))
    with pytest.raises(ValueError, match="nothing is recorded for k = 7"):
        grids.recorded_scores("docstrings", k=7)


@pytest.mark.slow
def test_nested_unit():
    result = grids.EXPERIMENT.run({"table": "nested", "sample": 0})
    for name in ("plain", "nested"):
        assert result[name] * grids.NESTED_PER_CLASS * 6 == pytest.approx(
            round(result[name] * grids.NESTED_PER_CLASS * 6)
        )
    assert 1 / 6 < result["truth"] < 1
