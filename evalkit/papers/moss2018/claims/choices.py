"""The setting that a cross-validation chooses, and what it is worth on held-out items."""

import numpy as np
import pandas as pd

from evalkit import released
from evalkit.papers.judging import Finding, Judges, Resampled, either, everywhere, held
from evalkit.papers.moss2018 import audit
from evalkit.papers.moss2018.audit import grouped
from evalkit.papers.moss2018.claims.statistics import commonest_share, random_groups, sd_ratio, two_groups

JUDGES = Judges("moss2018")


def _scatter(scores, grid):
    """Return the choices of single partitions, over what share of the grid they reach, and both in words."""
    chosen = scores.argmax(axis=1)
    reach = np.ptp(chosen) / (len(grid) - 1)
    values = grid.max_features.to_numpy()[chosen]
    return (
        chosen,
        reach,
        f"{len(chosen)} partitions choose from {values.min():.2f} to {values.max():.2f}, {reach:.0%} of the "
        f"grid; the commonest choice has {commonest_share(chosen):.0%}",
    )


@JUDGES.judge("choice-scatters", criterion="2026-11-22")
def _choice_scatters(record):
    grid = released.moss2018_grid("rf")
    chosen, reach, words = _scatter(audit.scores("rf", 5), grid)
    _, _, own_words = _scatter(record.scores("imdb", 5, at_least=60), record.grids["imdb"])
    middle = np.subtract(*np.quantile(chosen, [0.95, 0.05])) / (len(grid) - 1)
    commonest = Resampled(commonest_share, chosen)
    commonest.settle(0.25)
    return Finding(
        either(reach > 0.5 and commonest.high < 0.25, middle < 0.1),
        "released data",
        f"Released forest: {words} ({commonest.low:.0%} to {commonest.high:.0%}). Own forest: {own_words}.",
        (commonest,),
    )


@JUDGES.judge("mean-choice-near")
def _mean_choice_near(record):
    values = released.moss2018_grid("rf").max_features.to_numpy()
    truth = released.moss2018_truth()
    # Each smoothed value is a weighted sum of the raw ones, so that a matrix smooths thousands of truths.
    smooth = audit.smoothed(np.eye(len(truth)))
    level = smooth @ truth

    def best(residuals):
        return values[(smooth @ (level + residuals)).argmax()]

    chosen = values[audit.scores("rf", 5).argmax(axis=1)]
    ahead = Resampled(lambda drawn, residuals: drawn.mean() - best(residuals), chosen, truth - level)
    sd = chosen.std(ddof=1)
    ahead.settle(-sd, sd)
    return Finding(
        either(ahead.low > -sd and ahead.high < sd, ahead.low > sd or ahead.high < -sd),
        "released data",
        f"{len(chosen)} single partitions choose {chosen.mean():.3f} on average, with an SD of {sd:.3f}; by "
        f"the smoothed truth {values[level.argmax()]:.2f} is best. The mean is off by {ahead.estimate:+.3f} "
        f"({ahead.low:+.3f} to {ahead.high:+.3f}).",
        (ahead,),
    )


@JUDGES.judge("more-settings-vary-more")
def _more_settings_vary_more(record):
    places = {}
    for task, model in (("rf", "the forest"), ("pos", "the tagger"), ("reuters", "the SVM")):
        chosen = audit.scores(task, 10).argmax(axis=1)
        for name, column in released.moss2018_grid(task).items():
            axis, numbers = np.unique(column, return_inverse=True)
            places[model, name] = numbers[chosen] / (len(axis) - 1)
    several = {name: drawn for (model, name), drawn in places.items() if model == "the SVM"}
    single = {model: drawn for (model, _), drawn in places.items() if model != "the SVM"}
    ratios = {
        f"{name} over {model}": Resampled(sd_ratio, of_one, of_several)
        for name, of_several in several.items()
        for model, of_one in single.items()
    }
    verdict = everywhere([ratio.beyond(1) for ratio in ratios.values()])
    sds = [f"{name} of {model} {drawn.std(ddof=1):.3f}" for (model, name), drawn in places.items()]
    lines = [f"{name} {r.estimate:.2f} ({r.low:.2f} to {r.high:.2f})" for name, r in ratios.items()]
    return Finding(
        verdict,
        "released data",
        f"SD of the chosen place at 1-10, as a share of its axis: {'; '.join(sds)}. Ratios: "
        f"{'; '.join(lines)}.",
        tuple(ratios.values()),
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
