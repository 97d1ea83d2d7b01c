"""The setting that a cross-validation chooses, and what it is worth on held-out items."""

from dataclasses import replace

import numpy as np
import pandas as pd

from evalkit import released
from evalkit.papers.judging import (
    INCONCLUSIVE,
    Finding,
    Jackknifed,
    Judges,
    Measured,
    Resampled,
    either,
    everywhere,
)
from evalkit.papers.moss2018 import audit
from evalkit.papers.moss2018.groups import (
    choice_shares,
    commonest_share,
    gain_of_choice,
    middle_span,
)
from evalkit.papers.moss2018.tasks import Treebank
from evalkit.proportions import proportion_interval

JUDGES = Judges("moss2018")

OWN = 30  # partitions of our own forest, at least
TAGGER = "own tagger"
DRAWS = 500  # at first, of a statistic that groups thousands of partitions


def _scatter(scores, grid):
    """Return the choices of single partitions, over what share of the grid they reach, and both in words."""
    chosen = scores.argmax(axis=1)
    reach = np.ptp(chosen) / (len(grid) - 1)
    values = grid.max_features.to_numpy()[chosen]
    low, high = np.quantile(values, [0.025, 0.975])
    return (
        chosen,
        reach,
        f"{len(chosen)} partitions choose from {values.min():.2f} to {values.max():.2f}, {reach:.0%} of the "
        f"grid, the middle 95 % from {low:.2f} to {high:.2f}; the commonest choice has "
        f"{commonest_share(chosen):.0%}",
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


def _chosen(scores, tie):
    """Return the best setting of each partition: of equally good ones the first, the last or any."""
    best = scores >= scores.max(axis=1, keepdims=True) - 1e-9
    if tie == "last":
        return scores.shape[1] - 1 - best[:, ::-1].argmax(axis=1)
    if tie == "any":
        return (best * (1 + np.random.default_rng(0).random(best.shape))).argmax(axis=1)
    return best.argmax(axis=1)


def _places(scores, grid, name, tie):
    """Return the chosen place on the axis of one hyperparameter, tuned with the other and with it fixed."""
    _, place = np.unique(grid[name], return_inverse=True)
    (other,) = grid.columns.drop(name)
    best = grid[other][scores.mean(axis=0).argmax()]
    kept = np.flatnonzero(grid[other] == best)
    return np.c_[place[_chosen(scores, tie)], place[kept[_chosen(scores[:, kept], tie)]]]


@JUDGES.judge("more-settings-vary-more", criterion="2026-11-23")
def _more_settings_vary_more(record):
    ratios, verdicts, lines = [], [], []
    for owner, scores, grid in (
        ("released, 1-5,", audit.scores("reuters", 5), released.moss2018_grid("reuters")),
        ("own, 1-10,", record.scores("reuters", 10, at_least=500), record.grids["reuters"]),
    ):
        for name in grid:
            by_tie = {
                tie: Resampled(
                    lambda drawn: np.divide(*drawn.std(axis=0, ddof=1)), _places(scores, grid, name, tie)
                )
                for tie in ("first", "last", "any")
            }
            words = {ratio.beyond(1) for ratio in by_tie.values()}
            verdicts.append(words.pop() if len(words) == 1 else INCONCLUSIVE)
            ratios += by_tie.values()
            found = ", ".join(
                f"{t} {r.estimate:.2f} ({r.low:.2f} to {r.high:.2f})" for t, r in by_tie.items()
            )
            lines.append(f"{owner} {name}: {found}")
    return Finding(
        everywhere(verdicts),
        "own run",
        "SD of the SVM's chosen place with both tuned, over that with the other one fixed, by which of "
        f"equally good settings is taken: {'; '.join(lines)}.",
        tuple(ratios),
    )


def _as_released(truth):
    return np.eye(len(truth.values)) @ truth


def _smooth(truth):
    """Return a truth over the forest's grid, smoothed."""
    # Each smoothed value is a weighted sum of the raw ones.
    return audit.smoothed(np.eye(len(truth.values))) @ truth


def _forests(record, *folds, smooth=_smooth):
    """Return, for the released forest and our own, the partitions by K and the smoothed truth in percent.

    With ten folds our own has too few partitions to be asked.
    """
    own = record.truth("imdb")
    raw = 100 * released.moss2018_truth()
    # The released truth has errors as ours has, with one forest fitted for each setting.
    error = record.held_out_covariance("imdb") + record.luck("imdb") * np.eye(len(raw))
    forests = {
        "released forest": ({k: audit.scores("rf", k) for k in folds}, smooth(Measured(raw, error))),
    }
    if set(folds) == {5}:
        forests["own forest"] = ({5: record.scores("imdb", 5, at_least=OWN)}, smooth(own))
    return forests


def _span(chosen, truth):
    return middle_span(truth[chosen])


@JUDGES.judge("choice-costs", criterion="2026-11-22")
def _choice_costs(record):
    spans, lines = {}, []
    for name, (scores, truth) in _forests(record, 5).items():
        span = spans[name] = Resampled(_span, scores[5].argmax(axis=1), truth)
        span.settle(0.5, 1)
        lines.append(
            f"{name}, {len(scores[5])} partitions: {span.estimate:.2f} points ({span.low:.2f} to "
            f"{span.high:.2f})"
        )
    decides = spans["released forest"]
    return Finding(
        either(decides.low >= 1, decides.high < 0.5),
        "released data",
        f"On held-out reviews the middle 95 % of what single partitions choose spans, {'; '.join(lines)}.",
        tuple(spans.values()),
        intervals=1,  # that of our own forest decides nothing
    )


def _low_tail(scores, j, truth):
    """Return the 5 % quantile of what the choice is worth."""
    order = truth.argsort()
    shares = choice_shares(scores, j)[order].cumsum()
    return truth[order[np.searchsorted(shares, 0.05)]]


@JUDGES.judge("worst-improves", criterion="2026-11-22")
def _worst_improves(record):
    gains, lines = [], []
    for name, (scores, truth) in _forests(record, 5).items():
        gain = Resampled(
            lambda rows, worth: (_low_tail(rows, 10, worth) - _low_tail(rows, 1, worth)).round(9),
            scores[5],
            truth,
            draws=DRAWS,
        )
        gain.settle(0)
        gains.append(gain)
        lines.append(
            f"{name} {_low_tail(scores[5], 1, truth.values):.2f} % at J = 1, "
            f"{_low_tail(scores[5], 10, truth.values):.2f} % at J = 10, a gain of {_interval(gain)}"
        )
    return Finding(
        everywhere([gain.beyond(0) for gain in gains]),
        "own run",
        f"One choice in twenty is worth at most, on held-out reviews, {'; '.join(lines)}.",
        tuple(gains),
    )


def _interval(gain):
    return f"{gain.estimate:+.2f} points ({gain.low:+.2f} to {gain.high:+.2f})"


def _worth_of_forests(record, before, after, *, smooth=_smooth, draws=DRAWS):
    """Return what the choice of each forest gains on held-out reviews from one procedure to another."""

    def gain(rows, worth):
        return gain_of_choice(rows[:, 0], before[0], rows[:, 1], after[0], worth)

    gains = {}
    for name, (scores, truth) in _forests(record, before[1], after[1], smooth=smooth).items():
        # Partition i has one seed whatever its K, so that both sides are drawn together.
        both = np.stack([scores[before[1]], scores[after[1]]], axis=1)
        gains[name] = Resampled(gain, both, truth, draws=draws)
    return gains


def _worth(record, before, after):
    """Return what the choice gains on held-out items from one procedure, (J, K), to another, by model."""
    shuffles = [record.shuffles(k) for k in (before[1], after[1])]
    gains = _worth_of_forests(record, before, after)
    by_shuffle, errors = [], []
    for sample, (one, other) in enumerate(zip(*shuffles, strict=True)):
        truth = record.truth("treebank", sample=sample)
        by_shuffle.append(gain_of_choice(one, before[0], other, after[0], truth.values))
        moved = choice_shares(other, after[0]) - choice_shares(one, before[0])
        errors.append(moved @ truth.covariance @ moved)
    # Shuffles share most of their held-out words, and so most of that error.
    gains[TAGGER] = Jackknifed(np.mean, by_shuffle, variance=np.mean(errors))
    return gains


def _worth_finding(comparisons, words):
    """Judge gains that are claimed to be above zero: all those of forests; the tagger stands beside."""
    resampled, lines, beside = [], [], []
    for label, gains in comparisons.items():
        forests = {name: gain for name, gain in gains.items() if isinstance(gain, Resampled)}
        for gain in forests.values():
            gain.settle(0)
        resampled += forests.values()
        lines.append(label + ", ".join(f"{name} {_interval(gain)}" for name, gain in forests.items()))
        beside.append(label + _interval(gains[TAGGER]))
    own = any("own forest" in gains for gains in comparisons.values())
    return Finding(
        everywhere([gain.beyond(0) for gain in resampled]),
        "own run" if own else "released data",
        f"{words} {'; '.join(lines)}. Beside them our tagger, for which the paper says that it is not "
        f"always necessary: {'; '.join(beside)} (t over five shuffles of its sentences).",
        tuple(resampled),
    )


@JUDGES.judge("stable-is-better", criterion="2026-11-23")
def _stable_is_better(record):
    return _worth_finding(
        {"": _worth(record, (1, 5), (8, 5))}, "From J = 1 to 8 at K = 5 the choice gains on held-out items:"
    )


@JUDGES.judge("recommendation-jk", criterion="2026-11-23")
def _recommendation(record):
    pairs = {
        f"{a[0]}-{a[1]} to {b[0]}-{b[1]} ": (a, b)
        for a, b in (((1, 10), (2, 5)), ((2, 10), (4, 5)), ((4, 10), (8, 5)))
    }
    finding = _worth_finding(
        {label: _worth(record, *pair) for label, pair in pairs.items()},
        "At equal cost the choice gains on held-out items, from",
    )
    raw = [
        label
        + ", ".join(map(_interval, _worth_of_forests(record, *pair, smooth=_as_released, draws=200).values()))
        for label, pair in pairs.items()
    ]
    words = f" By the truth as it was released, without smoothing: {'; '.join(raw)}."
    return replace(finding, evidence=finding.evidence + words)


@JUDGES.judge("variance-first", criterion="2026-11-23")
def _variance_first(record):
    # Both savings are counted from 1-5, so that their difference is that of the two choices.
    return _worth_finding(
        {"": _worth(record, (1, 10), (8, 5))},
        "The choice at 8-5 is worth more on held-out items than that at 1-10, by",
    )


@JUDGES.judge("tagger-safe", criterion="2026-11-22")
def _tagger_safe(record):
    losses = {}
    for sample, scores in enumerate(record.shuffles(10)):
        truth = record.truth("treebank", sample=sample)
        best = truth.values.argmax()
        for chosen in np.unique(scores.argmax(axis=1)):
            lost = truth.values[best] - truth.values[chosen]
            apart = np.eye(len(truth.values))[best] - np.eye(len(truth.values))[chosen]
            error = 1.96 * np.sqrt(max(0.0, apart @ truth.covariance @ apart))
            losses[sample, chosen] = (lost, lost - error, lost + error)
    grid = record.grids["treebank"].C
    (_, chosen), (lost, low, high) = max(losses.items(), key=lambda item: item[1][2])
    lows, highs = np.array(list(losses.values()))[:, 1:].T
    return Finding(
        either((highs <= 0.1).all(), (lows > 0.5).any()),
        "own run",
        f"{len(losses)} different choices by single 10-fold cross-validations, over {Treebank.SAMPLES} "
        f"shuffles; the one that may lose most, C = {grid[chosen]:g}, loses {lost:.3f} points on about "
        f"{record.held_out('treebank'):,} other words ({low:.3f} to {high:.3f}, sentences drawn anew).",
        intervals=len(losses),
    )


def _made_again(record):
    """Say how many accuracies on the authors' own words come out as they released them."""
    apart = []
    for k, count in ((5, 12), (10, 8)):
        ours = record.scores("treebank", k, at_least=count)
        # The seeds of their partitions count from 1, ours from 0.
        apart.append(np.abs(ours[1:] - audit.scores("pos", k)[: len(ours) - 1]))
    values = np.concatenate(apart)
    return (
        f"Of {values.size} accuracies of {len(values)} partitions of the authors' own words "
        f"{(values < 1e-9).sum()} are the released ones, the others within {100 * values.max():.2f} points."
    )


def _shares(chosen, grid):
    """Return how often each value of C is chosen, and that in words."""
    shares = pd.Series(grid.C.to_numpy()[chosen]).value_counts(normalize=True)
    return shares, ", ".join(f"{share:.0%} choose C = {c:g}" for c, share in shares.items())


@JUDGES.judge("tagger-choices", criterion="2026-11-23")
def _tagger_choices(record):
    grid = record.grids["treebank"]
    by_shuffle = [scores.argmax(axis=1) for scores in record.shuffles(10)]
    theirs = audit.scores("pos", 10).argmax(axis=1)
    verdicts, lines = [], []
    for chosen, intro in (
        (theirs, f"Of the released {len(theirs)} single 10-fold cross-validations, all of one shuffle"),
        (
            np.concatenate(by_shuffle),
            f"of our own {sum(map(len, by_shuffle))}, over {len(by_shuffle)} shuffles",
        ),
    ):
        shares, words = _shares(chosen, grid)
        smaller = (grid.C.to_numpy() < 10)[chosen]
        low, high = proportion_interval(smaller.sum(), len(chosen))
        if chosen is not theirs:  # partitions of one shuffle are alike
            over = Jackknifed(np.mean, [(grid.C.to_numpy() < 10)[c].mean() for c in by_shuffle], least=0.0)
            low, high = min(low, over.low), max(high, over.high)
        often = len(shares) == 1 or low > 0.1
        named = all(c in shares for c in (10, 50, 100))
        verdicts.append(either(named and smaller.mean() <= 0.1, often))
        lines.append(
            f"{intro}, {words}: less than 10, {smaller.mean():.1%} ({100 * low:.1f} to {100 * high:.1f})"
        )
    return Finding(
        everywhere(verdicts), "own run", f"{'; '.join(lines)}. {_made_again(record)}", intervals=len(verdicts)
    )


@JUDGES.judge("bias-constant")
def _bias_constant(record):
    samples = range(Treebank.SAMPLES)
    tagger = [
        scores.mean(axis=0) - record.truth("treebank", sample=sample).values / 100
        for sample, scores in zip(samples, record.shuffles(5), strict=True)
    ]
    forest = record.scores("imdb", 5, at_least=12).mean(axis=0) - record.truth("imdb").values / 100
    verdicts, lines = [], []
    for task, bias in (("imdb", 100 * forest), ("treebank", 100 * np.mean(tagger, axis=0))):
        ratio = bias.std(ddof=1) / abs(bias.mean())
        verdicts.append(either(ratio < 0.25, ratio > 1))
        lines.append(f"{task}: mean {bias.mean():+.2f}, SD over the grid {bias.std(ddof=1):.2f} points")
    return Finding(everywhere(verdicts), "own run", f"Estimate minus truth, {'; '.join(lines)}.")
