"""The setting that a cross-validation chooses, and what it is worth on held-out items."""

import numpy as np
import pandas as pd

from evalkit.papers.judging import Finding, Judges, Resampled, either, everywhere, held
from evalkit.papers.moss2018.audit import grouped
from evalkit.papers.moss2018.claims.statistics import random_groups, two_groups

JUDGES = Judges("moss2018")


@JUDGES.judge("choice-scatters")
def _choice_scatters(record):
    scores = record.scores("imdb", 5, at_least=60)
    chosen = scores.argmax(axis=1)
    reach = (chosen.max() - chosen.min()) / (scores.shape[1] - 1)
    commonest = np.bincount(chosen).max() / len(chosen)
    middle = np.subtract(*np.quantile(chosen, [0.95, 0.05])) / (scores.shape[1] - 1)
    values = record.grids["imdb"].max_features.to_numpy()[chosen]
    return Finding(
        either(reach > 0.5 and commonest <= 0.25, middle < 0.1),
        "own run",
        f"{len(chosen)} partitions choose from {values.min():.2f} to {values.max():.2f}, {reach:.0%} of the "
        f"grid; the commonest choice has {commonest:.0%}.",
    )


@JUDGES.judge("choice-costs")
def _choice_costs(record):
    worth = 100 * record.truth("imdb")[record.scores("imdb", 5, at_least=60).argmax(axis=1)]
    return Finding(
        either(np.ptp(worth) >= 1, np.ptp(worth) < 0.5),
        "own run",
        f"The chosen forests are worth {worth.min():.1f} to {worth.max():.1f} % on "
        f"{record.held_out('imdb'):,} other reviews.",
    )


@JUDGES.judge("worst-improves")
def _worst_improves(record):
    scores, truth = record.scores("imdb", 5, at_least=60), 100 * record.truth("imdb")
    worst = {j: truth[grouped(scores, j, len(scores) // j).argmax(axis=1)].min() for j in (1, 10)}
    return Finding(
        held(worst[10] > worst[1]),
        "own run",
        f"The worst choice is worth {worst[1]:.1f} % at J = 1 (of {len(scores)}) and {worst[10]:.1f} % at "
        f"J = 10 (of {len(scores) // 10}); fewer draws have a better worst one in any case.",
    )


def _worth(record, before, after, procedures):
    """Judge whether the held-out accuracy of the choice rises from one procedure, (J, K), to another."""
    gains = {}
    for task in ("imdb", "treebank"):
        truth = 100 * record.truth(task)

        def gain(*samples, truth=truth):
            groups = two_groups(samples[0], before[0], samples[-1], after[0])
            one, other = (truth[means.argmax(axis=1)].mean() for means in groups)
            return other - one

        folds = dict.fromkeys((before[1], after[1]))  # one sample of partitions where K is the same
        gains[task] = Resampled(gain, *(record.scores(task, k, at_least=10) for k in folds), draws=300)
    verdict = everywhere([gain.beyond(0) for gain in gains.values()])
    lines = [f"{task} {g.estimate:+.2f} points ({g.low:+.2f} to {g.high:+.2f})" for task, g in gains.items()]
    return Finding(
        verdict,
        "own run",
        f"{procedures} the choice gains on held-out items: {'; '.join(lines)}.",
        tuple(gains.values()),
    )


@JUDGES.judge("stable-is-better")
def _stable_is_better(record):
    return _worth(record, (1, 5), (8, 5), "From J = 1 to J = 8 at K = 5")


@JUDGES.judge("recommendation-jk")
def _recommendation(record):
    return _worth(record, (1, 10), (2, 5), "From 1-10-fold to 2-5-fold, at equal cost")


@JUDGES.judge("variance-first")
def _variance_first(record):
    saved, lines = [], []
    for task in ("imdb", "treebank"):
        truth = 100 * record.truth(task)

        def lost(rows, j, truth=truth):
            return truth.max() - truth[random_groups(rows, j).argmax(axis=1)].mean()

        five, ten = (record.scores(task, k, at_least=10) for k in (5, 10))
        gain = Resampled(lambda a, b, lost=lost: lost(b, 1) - lost(a, 8), five, ten, draws=300)
        gain.settle(0)
        saved.append(gain)
        lines.append(
            f"{task}: {lost(five, 1):.2f} points lost at 1-5, {lost(five, 8):.2f} at 8-5, {lost(ten, 1):.2f} "
            f"at 1-10 (the last two differ by {gain.low:+.2f} to {gain.high:+.2f})"
        )
    return Finding(
        everywhere([gain.beyond(0) for gain in saved]), "own run", f"{'; '.join(lines)}.", tuple(saved)
    )


@JUDGES.judge("tagger-safe")
def _tagger_safe(record):
    truth = 100 * record.truth("treebank")
    lost = truth.max() - truth[record.scores("treebank", 10, at_least=30).argmax(axis=1)]
    return Finding(
        either(lost.max() <= 0.1, lost.max() > 0.5),
        "own run",
        f"The worst choice of {len(lost)} 10-fold cross-validations loses {lost.max():.2f} points on "
        f"{record.held_out('treebank'):,} other words.",
    )


@JUDGES.judge("tagger-choices")
def _tagger_choices(record):
    chosen = record.scores("treebank", 10, at_least=30).argmax(axis=1)
    shares = pd.Series(record.grids["treebank"].C.to_numpy()[chosen]).value_counts(normalize=True)
    three = all(shares.get(c, 0) > 0 for c in (10, 50, 100))
    lines = [f"{c:g} by {share:.0%}" for c, share in shares.items()]
    return Finding(
        either(three, len(shares) == 1 or shares[shares.index < 10].sum() > 0.1),
        "own run",
        f"Single 10-fold cross-validations choose C as {', '.join(lines)}.",
    )


@JUDGES.judge("bias-constant")
def _bias_constant(record):
    verdicts, lines = [], []
    for task in ("imdb", "treebank"):
        bias = 100 * (record.scores(task, 5, at_least=30).mean(axis=0) - record.truth(task))
        ratio = bias.std(ddof=1) / abs(bias.mean())
        verdicts.append(either(ratio < 0.25, ratio > 1))
        lines.append(f"{task}: mean {bias.mean():+.2f}, SD over the grid {bias.std(ddof=1):.2f} points")
    return Finding(everywhere(verdicts), "own run", f"Estimate less truth, {'; '.join(lines)}.")
