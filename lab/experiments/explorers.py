"""The simulations behind the explorers: what takes too long while a page is built.

- `intervals`: coverage and width of intervals for a mean, by shape of the scores and
  number of runs;
- `repeated`: how often tests over the splits of one data set call two equal systems
  different, and two unequal ones;
- `draws`: how well cross-validation of 1,000 lines agrees with what a model of them is
  worth on other lines, for many draws of the lines;
- `divided`: the 1,000 lines of a typical draw divided again and again, by single splits
  and by cross-validation;
- `outside`: what a model of all these lines is worth on other lines.
"""

import numpy as np
from scipy import stats
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    ShuffleSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
)

from evalkit.intervals import bootstrap_interval, t_interval
from evalkit.significance import corrected_t, wilcoxon
from lab.experiments import resplits
from lab.record.experiment import Experiment

SAMPLES = 4000

SHAPES = ("normal", "skewed", "some runs fail")
RUNS = (2, 3, 5, 7, 10, 20, 50)
KINDS = ("t", "t0", "percentile", "bca")  # t0 is t with ddof = 0

SPLITS = (5, 10, 20, 30)
EFFECTS = (0.0, 0.25, 0.5, 1.0, 2.0)
TESTS = ("wilcoxon", "paired t", "corrected t")

SCHEMES = ("random", "stratified", "grouped")
FOLDS = (2, 3, 4, 5, 7, 10, 15, 20)
SHUFFLES = 200
LINES = 1000
DRAWS = 25
# Of the recorded draws, the one whose difference between `accuracy` and `outside` is
# the median: with one training size, nearly, what is left is the luck of the lines.
TYPICAL = 8
DRAW_SHUFFLES = 5


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
        *(
            {"table": "divided", "scheme": scheme, "folds": k, "shuffle": i}
            for i in range(SHUFFLES)
            for scheme in SCHEMES
            for k in FOLDS
        ),
        {"table": "outside"},
        *({"table": "draws", "draw": draw} for draw in range(DRAWS)),
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


def _draw_lines(draw=TYPICAL):
    """Return the lines that are divided, and all others."""
    lines = resplits.draw_lines()
    order = np.random.default_rng(draw).permutation(len(lines))
    return tuple(
        lines.iloc[part].reset_index(drop=True)
        for part in (order[:LINES], order[LINES:])
    )


def _fit(lines):
    return resplits.build_system("naive_bayes").fit(lines.summary, lines.package)


def _right(model, lines):
    return model.predict(lines.summary) == lines.package.to_numpy()


def _estimate(splitter, lines, groups=None):
    right = [
        _right(_fit(lines.iloc[train]), lines.iloc[test])
        for train, test in splitter.split(lines.summary, lines.package, groups)
    ]
    return round(float(np.concatenate(right).mean()), 6)


def _divided(scheme, folds, shuffle):
    lines, _ = _draw_lines()
    seed = int(np.random.default_rng([1, shuffle, folds]).integers(2**31))
    cross_validation, single_split = {
        "random": (KFold, ShuffleSplit),
        "stratified": (StratifiedKFold, StratifiedShuffleSplit),
        "grouped": (GroupKFold, GroupShuffleSplit),
    }[scheme]
    groups = lines.module if scheme == "grouped" else None
    return {
        "accuracy": _estimate(
            cross_validation(folds, shuffle=True, random_state=seed), lines, groups
        ),
        "one_split": _estimate(
            single_split(1, test_size=1 / folds, random_state=seed), lines, groups
        ),
    }


def _outside():
    lines, others = _draw_lines()
    right = _right(_fit(lines), others)
    new = ~others.module.isin(lines.module).to_numpy()
    return {
        "lines": len(others),
        "accuracy": round(float(right.mean()), 6),
        "new_lines": int(new.sum()),
        "new_accuracy": round(float(right[new].mean()), 6),
    }


def _draws(draw):
    lines, others = _draw_lines(draw)
    estimates = [
        _estimate(
            StratifiedKFold(max(FOLDS), shuffle=True, random_state=shuffle), lines
        )
        for shuffle in range(DRAW_SHUFFLES)
    ]
    return {
        "accuracy": round(float(np.mean(estimates)), 6),
        "outside": round(float(_right(_fit(lines), others).mean()), 6),
    }


EXPERIMENT = Experiment(
    name="explorers",
    compared={"held_t": 0, "rejected_wilcoxon": 0, "accuracy": 0.01, "new_lines": 0},
    plan=_plan,
    tables={
        "intervals": _intervals,
        "repeated": _repeated,
        "divided": _divided,
        "outside": _outside,
        "draws": _draws,
    },
)
