"""Caveats and ways on: seeds, training sets, strata, other searches, a number of repetitions that adapts."""

import numpy as np
from scipy import stats

from evalkit.papers.judging import (
    OUT_OF_REACH,
    Finding,
    Jackknifed,
    Judges,
    Resampled,
    Trials,
    either,
    everywhere,
)
from evalkit.papers.moss2018 import audit
from evalkit.papers.moss2018.groups import sd_ratio
from evalkit.papers.moss2018.tasks import Imdb
from evalkit.seeds import variance_components

JUDGES = Judges("moss2018")

SEARCHES = 100  # random sets of settings


def _seed_ratio(rows):
    """Return the SD over partitions with one seed over that with another seed each time."""
    square = np.array(rows)
    # Half the mean squared difference of two partitions is their variance; the mean over all pairs of
    # cells with the same seed, and over all pairs with two.
    one = square.var(axis=0, ddof=1).mean()
    apart = (square[:, None, :, None] - square[None, :, None, :]) ** 2 / 2
    others = ~np.eye(len(square), dtype=bool)[:, :, None, None] & ~np.eye(square.shape[1], dtype=bool)
    return np.sqrt(one / apart[others].mean())


@JUDGES.judge("forest-seed", criterion="2026-11-23")
def _forest_seed(record):
    table = record.table("forests", 400)
    parts = variance_components(table.estimate, table.forest, table.partition)
    square = 100 * table.pivot_table(index="partition", columns="forest", values="estimate").to_numpy()
    # Leaving out each partition and each seed in turn: drawn with replacement, a cell would be held
    # against itself. What the two add up to is too much rather than too little.
    of_seeds = Jackknifed(lambda columns: _seed_ratio(np.array(columns).T), list(square.T))
    ratio = Jackknifed(_seed_ratio, list(square), variance=of_seeds.error**2)
    seed, partition, rest = 100 * np.sqrt(np.maximum(0, [parts.seed, parts.split, parts.rest]))
    return Finding(
        either(ratio.low > 0.9 and ratio.high < 1.1, ratio.high < 0.9),
        "own run",
        f"The SD over partitions with one seed is {ratio.estimate:.2f} ({ratio.low:.2f} to {ratio.high:.2f}) "
        f"of that with another seed each time, over all pairs of {len(square)} partitions by "
        f"{square.shape[1]} seeds. Crossed, the SD of the seed is {seed:.2f}, of the partition "
        f"{partition:.2f}, of both together {rest:.2f} points.",
        intervals=1,
    )


@JUDGES.judge("one-training-set", criterion="2026-11-22")
def _one_training_set(record):
    n_sets, n_partitions, fixed = Imdb.SAMPLES, 4, record.fixed_setting
    estimates = [
        100 * record.scores("imdb", 5, sample=sample, at_least=n_partitions)[:n_partitions, fixed]
        for sample in range(n_sets)
    ]
    pvalue = stats.f_oneway(*estimates).pvalue
    within = np.mean([scores.var(ddof=1) for scores in estimates])
    of_means = np.var([scores.mean() for scores in estimates], ddof=1)
    # The mean square between sets, n (between + within / n), is chi-squared.
    most = of_means * (n_sets - 1) / stats.chi2.ppf(0.025, n_sets - 1) - within / n_partitions
    between = np.sqrt(np.maximum(0, [of_means - within / n_partitions, most]))
    return Finding(
        either(pvalue < 0.05, between[1] < np.sqrt(within)),
        "own run",
        f"Between {n_sets} training sets the estimate varies by an SD of {between[0]:.2f} points (at most "
        f"{between[1]:.2f}), between partitions of one by {np.sqrt(within):.2f}; F test, p = {pvalue:.2g}.",
        intervals=1,
    )


@JUDGES.judge("early-stopping", criterion="2026-11-22")
def _early_stopping(record):
    n = 20
    table = 100 * record.table("stopping", 2 * n - 1).pivot_table(
        index="partition", columns="stop", values="estimate"
    )
    ratio = Resampled(sd_ratio, table[0].to_numpy(), table.loc[0].to_numpy())
    ratio.settle(0.25)
    return Finding(
        either(ratio.low >= 0.25, ratio.high < 0.25),
        "own run",
        f"With partition and network seed fixed, {n} sets for stopping give 5-fold estimates with an SD of "
        f"{table.loc[0].std():.2f} points; {n} partitions, each with a set of its own, {table[0].std():.2f}. "
        f"Their ratio is {ratio.estimate:.2f} ({ratio.low:.2f} to {ratio.high:.2f}). (Another set leaves "
        "other tweets to train on, in another order: what any such change does to a network is in both.)",
        (ratio,),
    )


@JUDGES.judge("one-split-common")
def _one_split_common(record):
    return Finding(
        OUT_OF_REACH,
        "released data",
        "What is missing is how each paper of the conference divides its data: the registered files hold no "
        "such list, and the proceedings were not read again.",
    )


@JUDGES.judge("stratification-not-enough")
def _stratification(record):
    ratio = Resampled(sd_ratio, record.forest_estimates("folds", 5), record.forest_estimates("strata", 5))
    ratio.settle(0.5, 0.75)
    return Finding(
        either(ratio.low > 0.75, ratio.high < 0.5),
        "own run",
        f"SD of 5-fold estimates with strata over that without: {ratio.estimate:.2f} ({ratio.low:.2f} to "
        f"{ratio.high:.2f}).",
        (ratio,),
    )


@JUDGES.judge("single-grid", criterion="2026-11-23")
def _single_grid(record):
    scores, grid = record.scores("reuters", 5, at_least=500), record.grids["reuters"]
    rng = np.random.default_rng(0)
    # In the order of the grid, so that of equal scores either search takes the one that comes first.
    tried = [np.sort(rng.permutation(len(grid))[:30]) for _ in range(SEARCHES)]
    searched = [settings[scores[:, settings].argmax(axis=1)] for settings in tried]
    choices = np.column_stack([scores.argmax(axis=1), *searched])

    def ratio(values):
        # Over partitions, for the same settings each time; then over searches.
        variances = values.var(axis=0, ddof=1)
        return np.sqrt(variances[1:].mean() / variances[0])

    ratios = {name: Resampled(ratio, np.log10(grid[name].to_numpy())[choices], draws=1000) for name in grid}
    verdicts = [ratio.beyond(0.75) for ratio in ratios.values()]
    lines = [f"log10 {name} {r.estimate:.2f} ({r.low:.2f} to {r.high:.2f})" for name, r in ratios.items()]
    return Finding(
        everywhere(verdicts),
        "own run",
        f"SD of the choice over partitions, random search among {len(tried[0])} settings over the grid's, "
        f"root mean square of {SEARCHES} such searches: {'; '.join(lines)}.",
        tuple(ratios.values()),
    )


@JUDGES.judge("adaptive-j")
def _adaptive(record):
    record.table("adaptive", 20)
    half = record.table("adaptive", tolerance=0.5)
    fewer = (half.mean_j < 8) & (half.beyond <= half.beyond_eight)
    lines = [
        f"{row.task}: J of {row.mean_j:.1f}, {row.beyond:.1%} of choices lack more than half a point (always "
        f"eight: {row.beyond_eight:.1%})"
        for row in half.itertuples()
    ]
    orders = [
        Trials(audit.ORDERS, round(share * audit.ORDERS)) for share in (*half.beyond, *half.beyond_eight)
    ]
    return Finding(
        either(fewer.all(), not fewer.any()), "released data", f"{'; '.join(lines)}.", tuple(orders)
    )
