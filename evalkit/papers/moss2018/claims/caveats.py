"""Caveats and ways on: seeds, training sets, strata, other searches, a number of repetitions that adapts."""

import numpy as np

from evalkit.papers.judging import (
    INCONCLUSIVE,
    OUT_OF_REACH,
    REPLICATED,
    Finding,
    Judges,
    Resampled,
    Trials,
    either,
    everywhere,
    held,
)
from evalkit.papers.moss2018 import audit
from evalkit.papers.moss2018.claims.statistics import sd_ratio
from evalkit.seeds import variance_components

JUDGES = Judges("moss2018")


@JUDGES.judge("forest-seed")
def _forest_seed(record):
    table = record.table("forests", 400)
    parts = variance_components(table.estimate, table.forest, table.partition)
    seed, partition, rest = 100 * np.sqrt([parts.seed, parts.split, parts.rest])
    square = table.pivot_table(index="partition", columns="forest", values="estimate").to_numpy()
    fixed = 100 * square.std(axis=0, ddof=1).mean()
    shifted = (np.roll(square, shift, axis=1) for shift in range(square.shape[1]))
    free = 100 * np.mean([np.diag(cells).std(ddof=1) for cells in shifted])
    return Finding(
        held(fixed > 0.95 * free),
        "own run",
        f"The seed can be fixed. Over partitions the SD is {fixed:.2f} points with one seed and {free:.2f} "
        f"with another each time; in a crossed design, SD of the seed {seed:.2f}, of the partition "
        f"{partition:.2f}, of both together {rest:.2f}.",
    )


@JUDGES.judge("one-training-set")
def _one_training_set(record):
    n_partitions, fixed = 4, record.fixed_setting
    estimates = [
        100 * record.scores("imdb", 5, sample=sample, at_least=n_partitions)[:n_partitions, fixed]
        for sample in range(5)
    ]
    within = np.sqrt(np.mean([scores.var(ddof=1) for scores in estimates]))
    between = np.std([scores.mean() for scores in estimates], ddof=1)
    return Finding(
        REPLICATED if between > 3 * within / np.sqrt(n_partitions) else INCONCLUSIVE,
        "own run",
        f"Between five training sets the estimate varies by an SD of {between:.2f} points, between "
        f"partitions of one by {within:.2f}.",
    )


@JUDGES.judge("early-stopping")
def _early_stopping(record):
    hours = 60 * record.table("partitions", task="twitter").seconds.mean() / 3600
    return Finding(
        OUT_OF_REACH,
        "own run",
        "Thirty partitions with the set for stopping fixed, and thirty with it redrawn, were not run: about "
        f"{hours:.0f} core-hours by our Twitter runs.",
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


@JUDGES.judge("single-grid")
def _single_grid(record):
    scores, grid = record.scores("reuters", 5, at_least=500), record.grids["reuters"]
    rng = np.random.default_rng(0)
    tried = np.array([rng.permutation(len(grid))[:30] for _ in scores])
    searched = tried[np.arange(len(scores)), np.take_along_axis(scores, tried, axis=1).argmax(axis=1)]
    choices = np.c_[searched, scores.argmax(axis=1)]
    ratios = {
        name: Resampled(
            lambda values: np.divide(*values.std(axis=0, ddof=1)), np.log10(grid[name].to_numpy())[choices]
        )
        for name in grid
    }
    verdict = everywhere([ratio.beyond(1) for ratio in ratios.values()])
    lines = [f"log10 {name} {r.estimate:.2f} ({r.low:.2f} to {r.high:.2f})" for name, r in ratios.items()]
    return Finding(
        verdict,
        "own run",
        f"SD of the choice, random search over {tried.shape[1]} settings over the grid's: "
        f"{'; '.join(lines)}.",
        tuple(ratios.values()),
    )


@JUDGES.judge("adaptive-j")
def _adaptive(record):
    record.table("adaptive", 20)
    half = record.table("adaptive", tolerance=0.5)
    fewer = (half.mean_j < 8) & (half.beyond <= half.beyond_eight)
    lines = [
        f"{row.task}: J of {row.mean_j:.1f}, {row.beyond:.0%} of choices lack more than half a point (always "
        f"eight: {row.beyond_eight:.0%})"
        for row in half.itertuples()
    ]
    orders = [
        Trials(audit.ORDERS, round(share * audit.ORDERS)) for share in (*half.beyond, *half.beyond_eight)
    ]
    return Finding(
        either(fewer.all(), not fewer.any()), "released data", f"{'; '.join(lines)}.", tuple(orders)
    )
