"""The simulations behind the explorers: what takes too long while a page is built.

- `intervals`: coverage and width of intervals for a mean, by shape of the scores and
  number of runs;
- `repeated`: how often tests over the splits of one data set call two equal systems
  different, and two unequal ones.
"""

import numpy as np
from scipy import stats

from evalkit.intervals import bootstrap_interval, t_interval
from evalkit.significance import corrected_t, wilcoxon
from lab.record.experiment import Experiment

SAMPLES = 4000

SHAPES = ("normal", "skewed", "some runs fail")
RUNS = (2, 3, 5, 7, 10, 20, 50)
KINDS = ("t", "t0", "percentile", "bca")  # t0 is t with ddof = 0

SPLITS = (5, 10, 20, 30)
EFFECTS = (0.0, 0.25, 0.5, 1.0, 2.0)
TESTS = ("wilcoxon", "paired t", "corrected t")


def draw_scores(shape, rng, size):
    """Draw scores of a shape; their mean is 0 and their standard deviation 1.

    Parameters
    ----------
    shape : {"normal", "skewed", "some runs fail"}
        Normal; exponential, with its long tail upwards; nine runs of ten alike, one far
        below.
    rng : numpy.random.Generator
    size : int

    Returns
    -------
    ndarray of float, shape (size,)
    """
    if shape == "normal":
        return rng.normal(size=size)
    if shape == "skewed":
        return rng.exponential(size=size) - 1
    fails = rng.random(size) < 0.1
    scores = rng.normal(size=size) * 0.2 - 10 * fails + 1
    return scores / np.sqrt(0.04 + 100 * 0.09)


def draw_differences(splits, effect, rng, test_share=0.1):
    """Draw the differences of two systems over random splits of one data set.

    Parameters
    ----------
    splits : int
    effect : float
        The true difference, in standard deviations of one split's difference.
    rng : numpy.random.Generator
    test_share : float, default 0.1
        By Nadeau and Bengio's rule of thumb also the correlation of two splits.

    Returns
    -------
    ndarray of float, shape (splits,)
    """
    shared, own = rng.normal(), rng.normal(size=splits)
    return effect + np.sqrt(test_share) * shared + np.sqrt(1 - test_share) * own


def _plan(scale, rows):
    """Return the units; none depends on another."""
    return [
        *(
            {"table": "intervals", "shape": shape, "size": size}
            for shape in SHAPES
            for size in RUNS
        ),
        *(
            {"table": "repeated", "splits": j, "effect": effect}
            for j in SPLITS
            for effect in EFFECTS
        ),
    ]


def _intervals(shape, size):
    rng = np.random.default_rng([4, SHAPES.index(shape), size])
    counts, widths = dict.fromkeys(KINDS, 0), dict.fromkeys(KINDS, 0.0)
    for _ in range(SAMPLES):
        scores = draw_scores(shape, rng, size)
        low, high = t_interval(scores)
        half = (high - low) / 2 * np.sqrt((size - 1) / size)
        made = {
            "t": (low, high),
            "t0": (scores.mean() - half, scores.mean() + half),
            "percentile": bootstrap_interval(
                scores, method="percentile", n_resamples=999, rng=rng
            ),
            "bca": bootstrap_interval(scores, method="bca", n_resamples=999, rng=rng),
        }
        for kind, (low, high) in made.items():
            counts[kind] += low <= 0 <= high
            widths[kind] += (high - low) / SAMPLES
    return {
        "samples": SAMPLES,
        **{f"held_{kind}": int(count) for kind, count in counts.items()},
        **{f"width_{kind}": float(width) for kind, width in widths.items()},
    }


def _repeated(splits, effect):
    rng = np.random.default_rng([5, splits, int(100 * effect)])
    rejected = dict.fromkeys(TESTS, 0)
    zeros = np.zeros(splits)
    for _ in range(SAMPLES):
        difference = draw_differences(splits, effect, rng)
        pvalues = {
            "wilcoxon": wilcoxon(difference, zeros).pvalue,
            "paired t": stats.ttest_1samp(difference, 0).pvalue,
            "corrected t": (
                corrected_t(difference, zeros, n_train=900, n_test=100).pvalue
            ),
        }
        for name, pvalue in pvalues.items():
            rejected[name] += pvalue < 0.05
    return {
        "samples": SAMPLES,
        **{
            f"rejected_{name.replace(' ', '_')}": int(count)
            for name, count in rejected.items()
        },
    }


EXPERIMENT = Experiment(
    name="explorers",
    compared={"held_t": 0, "rejected_wilcoxon": 0},
    plan=_plan,
    tables={
        "intervals": _intervals,
        "repeated": _repeated,
    },
)
