"""Percentile bootstrap intervals for the expected maximum, kept to show that they
fail.
"""

import itertools

import numpy as np

from evalkit._checks import (
    check_direction,
    check_int,
    check_level,
    check_rng,
    check_scores,
    check_work,
)
from evalkit.expected_maximum import _check_curve, _rank_cells, _tiny
from evalkit.results import Band

# Resamples are drawn in batches of about this many numbers, so that memory stays
# bounded.
_BATCH = 2_000_000

_MAX_DRAWN = 100_000_000  # scores x resamples, scores x budgets, budgets x resamples


def expected_max_bootstrap(
    scores,
    n,
    *,
    estimator="v",
    confidence_level=0.95,
    n_resamples=9999,
    minimize=False,
    rng=None,
):
    """Compute percentile bootstrap intervals for the expected best of n, which do not
    hold what they promise.

    Parameters
    ----------
    scores : array_like of float, shape (N,)
    n : int or array_like of int
    estimator : {"v", "u"}, default "v"
    confidence_level : float, default 0.95
    n_resamples : int, default 9999
    minimize : bool, default False
    rng : None, int or numpy.random.Generator

    Returns
    -------
    Band
        `simultaneous` is False.

    Notes
    -----
    No resample has a score above the best of the sample, so near n = N these intervals
    stop below the truth (Tang et al. 2020, Section 4). `expected_max_band` holds what
    it promises. All budgets share each resample: it is drawn once, sorted once, and
    multiplied by the weights of every n.

    Size: scores times resamples, scores times budgets and budgets times resamples up to
    100,000,000 each, in 100 s and 3 GB: 10,000 scores with `n_resamples` as it is.
    """
    minimize = check_direction(minimize, scores)
    scores = check_scores(scores, "scores")
    budgets, _ = _check_curve(scores, n, estimator)
    level = check_level(confidence_level)
    n_resamples = check_int(n_resamples, "n_resamples")
    rng = check_rng(rng)
    sizes = {"scores": scores.size, "n": len(budgets), "n_resamples": n_resamples}
    for one, other in itertools.combinations(sizes, 2):
        check_work(
            sizes[one] * sizes[other],
            _MAX_DRAWN,
            f"{one} times {other}: {sizes[one]:,} times {sizes[other]:,}",
            f"each product may be {_MAX_DRAWN:,}; take fewer of either, or"
            " expected_max_band, which needs no resamples",
        )
    if minimize:
        scores = -scores
    scores.sort()
    size = scores.size
    # The weight of the k-th smallest score is P(k) - P(k - 1).
    cumulative = np.zeros((len(budgets), size + 1))
    cumulative[:, -1] = 1
    cells = _rank_cells(np.arange(1.0, size), size, budgets, estimator, _tiny(scores))
    for positions, first, p in cells:
        cumulative[positions, first + 1 : size] = p
    weights = np.diff(cumulative, axis=1)
    # About the best score, so that equal scores give exactly that score.
    below_best = scores - scores[-1]
    curves = np.empty((len(budgets), n_resamples))
    step = max(1, _BATCH // size)
    for start in range(0, n_resamples, step):
        count = min(step, n_resamples - start)
        # Sorted positions of sorted scores: the resample comes out in order.
        drawn = rng.integers(size, size=(count, size))
        drawn.sort(axis=1)
        np.matmul(weights, below_best[drawn].T, out=curves[:, start : start + count])
    # NumPy sorts a row several times faster than it selects from one.
    curves.sort(axis=1)
    tails = [(1 - level) / 2, (1 + level) / 2]
    low, high = np.quantile(curves, tails, axis=1, overwrite_input=True) + scores[-1]
    if minimize:
        low, high = -high, -low
    return Band(
        budgets, low, high, level, f"percentile bootstrap of {estimator.upper()}", False
    )
