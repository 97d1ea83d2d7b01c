"""The percentile bootstrap against a naive loop; that it fails is in
`test_coverage.py`.
"""

import numpy as np
import pytest
from grids import grid
from valid_calls import SCORES

from evalkit import expected_max, search
from lab.experiments.percentile import expected_max_bootstrap

both_estimators = pytest.mark.parametrize("estimator", ["u", "v"])


def pool(kind, size):
    scores = np.random.default_rng([size, 0]).beta(5, 2, size)
    return (scores if kind == "continuous" else scores.round(2)).tolist()


def edges(scores, n, *, rng=5, **options):
    return np.stack([*expected_max_bootstrap(scores, n, rng=rng, **options)])


def naive_bootstrap(
    scores, budgets, n_resamples, seed, *, minimize=False, estimator="v"
):
    rng = np.random.default_rng(seed)
    size = len(scores)
    # The stream draws ranks, from the worst score to the best.
    ranked = np.array(sorted(scores, reverse=minimize))
    curves = [
        expected_max(
            ranked[rng.integers(size, size=size)],
            budgets,
            minimize=minimize,
            estimator=estimator,
        )
        for _ in range(n_resamples)
    ]
    return np.quantile(curves, [0.05, 0.95], axis=0)


@both_estimators
@pytest.mark.parametrize("minimize", [False, True])
@pytest.mark.parametrize("kind", ["continuous", "ties"])
def test_equals_a_naive_loop(kind, minimize, estimator):
    scores, options = pool(kind, 12), {"estimator": estimator, "minimize": minimize}
    found = edges(scores, [1, 3, 12], confidence_level=0.9, n_resamples=200, **options)
    assert found == pytest.approx(
        naive_bootstrap(scores, [1, 3, 12], 200, 5, **options), rel=1e-12
    )


def test_a_pool_larger_than_a_batch():
    scores = pool("continuous", 90_000)
    found = edges(scores, [2, 9], confidence_level=0.9, n_resamples=50)
    assert found == pytest.approx(naive_bootstrap(scores, [2, 9], 50, 5), rel=1e-12)


@both_estimators
def test_of_constants_it_is_the_constant(estimator):
    assert (
        edges([0.1] * 9, [1, 4, 9], estimator=estimator, n_resamples=99) == 0.1
    ).all()


@grid(
    "changed, message",
    [
        ({"n": 6, "estimator": "u"}, "^n must be at most"),
        ({"n": 0}, "^n must"),
        ({"scores": []}, "^scores"),
        ({"estimator": "w"}, "^estimator"),
        ({"confidence_level": 95}, "^confidence_level"),
        ({"n_resamples": 0}, "^n_resamples"),
        ({"rng": -1}, "^rng"),
        ({"scores": np.arange(20_000.0)}, "scores times n_resamples"),
    ],
)
def test_names_what_is_wrong(changed, message):
    with pytest.raises(ValueError, match=message):
        expected_max_bootstrap(**{"scores": SCORES, "n": 2, **changed})


def test_trials_are_their_scores_where_they_are_independent():
    def trials(**options):
        return search(lambda s: s["x"], {"x": [0.1, 0.2, 0.4, 0.7]}, rng=0, **options)

    drawn = trials(method="random", n_trials=12)
    assert (
        edges(drawn, 3, n_resamples=9) == edges(drawn.table.score, 3, n_resamples=9)
    ).all()
    with pytest.raises(
        ValueError, match="trials of a grid search, and no independent draws"
    ):
        edges(trials(method="grid"), 3)
