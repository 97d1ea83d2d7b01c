"""Claims about how a trained model is scored, and what training costs."""

import numpy as np

from evalkit.papers.judging import Finding, Judges, either
from evalkit.papers.melis2017.claims.statistics import (
    AMENDED,
    CELLS,
    NAMES,
    PAIRS,
    contrast,
    listed,
    mean_of,
    numbers,
    percent,
    words,
)
from evalkit.papers.melis2017.tasks.runs import SEQUENCES
from evalkit.papers.melis2017.tasks.stages import EVALUATED, LENGTH_SEEDS, LENGTHS, MASKED
from evalkit.papers.melis2017.tasks.training import Plan

JUDGES = Judges("melis2017")


@JUDGES.judge("tricks-orthogonal", criterion=AMENDED)
def _tricks(record):
    rows = {cell: record.table("evaluated", EVALUATED, cell=cell) for cell in CELLS}
    gains = {cell: (of.test - of.cached).to_numpy(float) for cell, of in rows.items()}
    apart, near, far = {}, [], []
    for a, b in PAIRS:
        both = [gains[a], gains[b]]
        apart[a, b] = contrast(both, [-1, 1])
        # The difference, in either direction, less a quarter of the mean of the two.
        beyond = [contrast(both, [-side - 1 / 8, side - 1 / 8]) for side in (1, -1)]
        near.append(all(x.high < 0 for x in beyond))
        far.append(any(x.low > 0 for x in beyond))
    return Finding(
        either(all(near), any(far)),
        "own run",
        f"What a cache gains in test loss: {listed({c: mean_of(of) for c, of in gains.items()}, 4)}. "
        f"Differences: {listed(apart, 4)}.",
        intervals=2 * len(PAIRS),
    )


@JUDGES.judge("test-batch-size", criterion=AMENDED)
def _batch_size(record):
    rows = record.table("evaluated", EVALUATED, cell="lstm")
    whole = (rows.many - rows.one).to_numpy(float)
    tenth = (rows.many_tenth - rows.one_tenth).to_numpy(float)
    excess, more = mean_of(whole), mean_of(whole - tenth / 2)
    return Finding(
        either(excess.low > 0 and more.high < 0, excess.high <= 0 or more.low > 0),
        "own run",
        f"As {SEQUENCES} sequences the test text has a loss higher by {words(excess, 4)} than as one, its "
        f"first tenth by {words(mean_of(tenth), 4)}; the first less half of the second {words(more, 4)}.",
        intervals=2,
    )


@JUDGES.judge("mean-field-enough", criterion=AMENDED)
def _mean_field(record):
    rows = record.table("masks", MASKED).sort_values("seed")
    counts = numbers(rows.counts.iloc[0]).astype(int).tolist()
    averaged = np.array([numbers(cell) for cell in rows.averaged])
    took = np.array([numbers(cell) for cell in rows.took])
    test = rows.test.to_numpy(float)
    gains = {f"{count} masks": mean_of(test - averaged[:, i]) for i, count in enumerate(counts)}
    gain, limit = gains["100 masks"], -percent(-2)
    times = float(took[:, counts.index(100)].sum() / took[:, counts.index(10)].sum())
    return Finding(
        either(gain.low > 0 and gain.high < limit and times >= 5, gain.low > limit or gain.high < 0),
        "own run",
        f"What averaging gains in test loss on the usual approximation: {listed(gains, 4)}; 2 % in "
        f"perplexity is {limit:.4f}. A hundred masks take {times:.1f} times as long as ten.",
        intervals=1,
    )


@JUDGES.judge("translation-too-dear", criterion=AMENDED)
def _too_dear(record):
    plan, groups = Plan(), []
    for tokens in LENGTHS:
        rows = record.table("lengths", LENGTH_SEEDS, cell="lstm", tokens=tokens, dropout=1)
        passes = rows.updates * plan.steps * plan.sequences / tokens
        groups.append(np.log((rows.learning / passes).to_numpy(float)))
    x = np.log(LENGTHS) - np.log(LENGTHS).mean()
    slope = contrast(groups, list(x / (x @ x)))
    each = ", ".join(
        f"{np.exp(np.mean(of)):.2f} at {tokens:,}" for tokens, of in zip(LENGTHS, groups, strict=True)
    )
    return Finding(
        either(slope.low >= 0.9, slope.high < 0.9),
        "own run",
        f"Seconds that a pass of the {NAMES['lstm']} takes, by tokens: {each}; slope of the logarithms "
        f"{words(slope)}. Translation systems are out of reach.",
        intervals=1,
    )
