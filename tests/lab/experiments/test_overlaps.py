"""The corrected t over splits that overlap: how they are drawn, and whether the record
is as written.
"""

import numpy as np
import pytest
from grids import grid
from sklearn.neighbors import NearestCentroid

from lab.data import datasets
from lab.experiments import overlaps
from lab.record.tables import load_recorded


@grid("design", overlaps.DESIGNS)
def test_a_design_divides_a_sample_as_it_says(design):
    items, (times, parts, folds) = np.arange(200, 260), overlaps.DESIGNS[design]
    found = list(overlaps.divisions(items, design, np.random.default_rng(0)))
    assert len(found) == times * (parts if folds else 1)
    for train, test in found:
        assert len(test) == 60 // parts
        assert sorted([*train, *test]) == items.tolist()
    if folds:
        tested = np.concatenate([test for _, test in found[:parts]])
        assert sorted(tested) == items.tolist()


def test_the_correlation_is_that_of_the_scores():
    rng = np.random.default_rng(1)
    scores = 0.3**0.5 * rng.normal(size=(20_000, 1)) + 0.7**0.5 * rng.normal(
        size=(20_000, 8)
    )
    assert overlaps.correlation(scores) == pytest.approx(0.3, abs=0.015)
    assert overlaps.correlation(rng.normal(size=(20_000, 8))) == pytest.approx(
        0, abs=0.01
    )


def test_the_nearest_mean_is_scikit_learn_s():
    digits, names = datasets.load_bundled("digits")
    digits, names = (
        np.ascontiguousarray(digits, dtype=np.float32),
        names.to_numpy().astype(int),
    )
    order = np.random.default_rng(2).permutation(len(digits))
    train, test = order[:60], order[60:]
    with pytest.warns(UserWarning, match="within_class_std_dev_"):
        theirs = (
            NearestCentroid()
            .fit(digits[train], names[train])
            .score(digits[test], names[test])
        )
    assert overlaps.MODELS["nearest mean"](digits, names, train, test) == pytest.approx(
        theirs
    )


def test_what_the_docstring_of_corrected_t_says():
    found = load_recorded("error_rates", "resampled").set_index(
        ["scores", "items", "design"]
    )
    rates = found.rejected / found.samples
    on_texts = [
        rates[name, 300, "20 splits, a fifth"] for name in ("docstrings", "sst2")
    ]
    assert [f"{rate:.1%}" for rate in on_texts] == ["0.2%", "0.6%"]
    correlations = [
        found.correlation[name, 300, "20 splits, a fifth"]
        for name in ("docstrings", "sst2")
    ]
    assert [f"{value:.2f}" for value in correlations] == ["0.10", "0.10"]
    of_trees = [
        rates["tree of depth 4", 300, design]
        for design in ("20 splits, a tenth", "10 x 10 folds")
    ]
    assert [f"{rate:.0%}" for rate in of_trees] == ["15%", "19%"]
