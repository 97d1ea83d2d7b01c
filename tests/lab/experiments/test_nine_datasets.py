"""Five systems on nine data sets: the data, and what a unit is."""

import pytest
from grids import grid

from lab.data import datasets
from lab.experiments import nine_datasets


@pytest.mark.parametrize("name", nine_datasets.TABLES)
def test_tables_are_those_of_scikit_learn(name):
    X, y, groups = nine_datasets.load(name)
    assert X.equals(datasets.load_bundled(name)[0])
    assert len(X) == len(y)
    assert groups is None


@pytest.mark.parametrize("name", datasets.PACKAGES)
def test_text_sets_are_lines_of_submodules(name):
    X, y, groups = nine_datasets.load(name)
    assert X.is_unique
    assert len(X) == len(y) == len(groups)
    assert (groups.str.split(".").str[1] == y).all()
    assert groups.str.startswith(f"{name}.").all()
    assert y.value_counts().max() <= nine_datasets.MAX_LINES
    assert 2 <= y.nunique() <= nine_datasets.MAX_CLASSES
    assert groups.groupby(y).nunique().min() >= nine_datasets.FOLDS - 1


@pytest.mark.parametrize("system", nine_datasets.SYSTEMS)
def test_a_unit_repeats_and_the_dummy_does_not_look(system):
    unit = {"table": "scores", "dataset": "wine", "system": system, "seed": 0}
    first, again = (nine_datasets.EXPERIMENT.run(unit) for _ in range(2))
    assert first["accuracy"] == again["accuracy"]
    # 71 of 178 wines are of the largest class.
    assert (first["accuracy"] < 0.5) == (system == "dummy")


def test_a_shuffle_has_a_tree_of_its_own(monkeypatch):
    build, seeds = nine_datasets.build, []
    monkeypatch.setattr(
        nine_datasets,
        "build",
        lambda *a, **more: seeds.append(more["seed"]) or build(*a, **more),
    )
    nine_datasets.EXPERIMENT.run(
        {"table": "scores", "dataset": "wine", "system": "tree", "seed": 3}
    )
    assert seeds == [3]
    assert build("tree", text=False, seed=3)[-1].random_state == 3


@grid(
    "call, name",
    [
        (lambda: nine_datasets.load("iris"), "name"),
        (lambda: nine_datasets.build("forest", text=True), "system"),
    ],
)
def test_unknown_names_are_refused(call, name):
    with pytest.raises(ValueError, match=rf"^{name}\b"):
        call()
