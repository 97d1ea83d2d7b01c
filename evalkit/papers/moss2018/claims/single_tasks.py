"""What is claimed of single tasks: the tagger, the document classifier, the LSTM."""

import numpy as np
from scipy import stats

from evalkit import released
from evalkit.papers.judging import (
    INCONCLUSIVE,
    OUT_OF_REACH,
    Finding,
    Judges,
    Resampled,
    as_large,
    either,
    everywhere,
    held,
)
from evalkit.papers.moss2018 import audit
from evalkit.papers.moss2018.groups import (
    DEPENDENT_ROWS,
    choice_shares,
    commonest_share,
    middle_span,
    random_groups,
    two_groups,
)

JUDGES = Judges("moss2018")


@JUDGES.judge("k-variance-not-general")
def _k_variance(record):
    lines, falls = [], []
    for task in ("pos", "reuters"):
        spread = released.moss2018_by_folds(task).groupby("folds").accuracy.std()
        correlation = stats.spearmanr(spread.index, spread).statistic
        falls.append(correlation < -0.5)
        lines.append(f"{task}: rank correlation of SD and K {correlation:.2f}")
    table = released.moss2018_by_folds("lstm")
    groups = [group.to_numpy() for k, group in table.groupby("folds").accuracy if k >= 4]
    pvalue = stats.levene(*groups).pvalue
    lines.append(f"LSTM, K of 4 to 15: Levene's test p = {pvalue:.2f}")
    return Finding(held(all(falls) and pvalue > 0.05), "released data", f"{'; '.join(lines)}.")


def _ten_folds(task):
    """Return the released estimates of one setting by ten folds, from the file that has all K."""
    table = released.moss2018_by_folds(task)
    return table.accuracy[table.folds == 10].to_numpy()


@JUDGES.judge("reuters-worse", criterion="2026-11-23")
def _reuters_worse(record):
    shuffles = [scores.max(axis=1) for scores in record.shuffles(10)]
    # Deviations within the shuffles, as long as those of as many independent values.
    spared = np.sqrt(1 - len(shuffles) / sum(map(len, shuffles)))
    tagger = np.concatenate([values - values.mean() for values in shuffles]) / spared
    ratios, verdicts = {}, []
    for name, document, tag in (
        ("released", _ten_folds("reuters"), _ten_folds("pos")),
        ("own", record.scores("reuters", 10, at_least=500).max(axis=1), tagger),
    ):
        ratio = ratios[name] = Resampled(lambda one, other: one.std() / other.std(), document, tag)
        ratio.settle(1, 3)
        verdicts.append(as_large(ratio.low, ratio.high, 3, none=1))
    lines = [f"{name} {r.estimate:.1f} ({r.low:.1f} to {r.high:.1f})" for name, r in ratios.items()]
    return Finding(
        everywhere(verdicts),
        "own run",
        f"SD of the estimate at 1-10, document classifier over tagger: {'; '.join(lines)}. (Released: of one "
        f"setting each. Own tagger: over the partitions of each of {len(shuffles)} shuffles.)",
        tuple(ratios.values()),
    )


def _entropy_falls(scores, grid):
    """Return by how much the entropy of the chosen C and gamma falls from J = 1 to 8, in nats."""
    shares = [choice_shares(scores, j) for j in (1, 8)]
    falls = {}
    for name, column in grid.items():
        _, place = np.unique(column, return_inverse=True)
        before, after = (stats.entropy(np.bincount(place, weights=of_setting)) for of_setting in shares)
        falls[name] = float(before - after)
    return falls


def _sd_falls(scores, grid):
    """Return by which share the SD of the chosen C and gamma falls from J = 1 to 8."""
    chosen = [means.argmax(axis=1) for means in two_groups(scores, 1, scores, 8)]
    falls = {}
    for name, column in grid.items():
        before, after = (column.to_numpy()[settings].std(ddof=1) for settings in chosen)
        falls[name] = float(1 - after / before) if before else 0.0
    return falls


@JUDGES.judge("reuters-gamma-c", criterion="2026-11-23")
def _reuters_gamma_c(record):
    grid = released.moss2018_grid("reuters")
    files = {"released": audit.scores("reuters", 5), "own": record.scores("reuters", 5, at_least=500)}
    found, lines, words = [], [], set()
    for measure, falls_of in (("entropy", _entropy_falls), ("SD", _sd_falls)):

        def ahead(scores, falls_of=falls_of):
            falls = falls_of(scores, grid)
            return falls["gamma"] - falls["C"]

        differences = {name: Resampled(ahead, scores, draws=300) for name, scores in files.items()}
        words.add(everywhere([difference.beyond(0) for difference in differences.values()]))
        found += differences.values()
        for name, difference in differences.items():
            falls = falls_of(files[name], grid)
            lines.append(
                f"{measure}, {name}: gamma {falls['gamma']:.2f}, C {falls['C']:.2f}, a difference of "
                f"{difference.estimate:+.2f} ({difference.low:+.2f} to {difference.high:+.2f})"
            )
    return Finding(
        words.pop() if len(words) == 1 else INCONCLUSIVE,
        "own run",
        "From J = 1 to 8 at K = 5 the choice is steadied by, in nats of its entropy and as a share of its "
        f"SD: {'; '.join(lines)}.",
        tuple(found),
    )


@JUDGES.judge("reuters-close-models", criterion="2026-11-23")
def _reuters_close(record):
    own = record.scores("reuters", 10, at_least=500).max(axis=1)
    estimates = {"released, one setting,": _ten_folds("reuters"), "own": own}
    spans = {name: Resampled(middle_span, 100 * values) for name, values in estimates.items()}
    verdicts = []
    for span in spans.values():
        span.settle(1, 2)
        verdicts.append(either(span.low > 2, span.high < 1))
    lines = [f"{name} {s.estimate:.1f} points ({s.low:.1f} to {s.high:.1f})" for name, s in spans.items()]
    return Finding(
        everywhere(verdicts),
        "own run",
        f"95 % of the estimates at 1-10 span: {'; '.join(lines)}.",
        tuple(spans.values()),
    )


@JUDGES.judge("lstm-uniform", criterion="2026-11-22")
def _lstm_uniform(record):
    chosen = audit.scores("lstm", 10).argmax(axis=1)
    counts = np.bincount(chosen, minlength=9)[2:]
    return Finding(
        OUT_OF_REACH,
        "released data",
        f"{DEPENDENT_ROWS} In the file, widths of 30 to 90 are {counts.sum() / len(chosen):.0%} of the "
        f"choices, chosen {counts.min()} to {counts.max()} times each.",
    )


def _share_of_choice(rows, settings):
    """Return which share of random groups of eight partitions chooses one of some settings."""
    return float(np.isin(random_groups(rows, 8).argmax(axis=1), settings).mean())


def _resampled_share(task, settings):
    return Resampled(lambda rows: _share_of_choice(rows, settings), audit.scores(task, 5), draws=300)


@JUDGES.judge("lstm-seventy", criterion="2026-11-23")
def _lstm_seventy(record):
    rows = audit.scores("lstm", 5)
    n_groups = len(rows) // 8
    of_seventy = int((audit.grouped(rows, 8, n_groups).argmax(axis=1) == 6).sum())
    return Finding(
        held(of_seventy > n_groups / 2),
        "released data",
        f"Of the {n_groups} groups in the file {of_seventy} choose a width of 70 "
        f"({of_seventy / n_groups:.0%}); of random groups of its rows, "
        f"{_share_of_choice(rows, [6]):.0%}.",
    )


@JUDGES.judge("lstm-reg-choice", criterion="2026-11-23")
def _lstm_reg_choice(record):
    wanted = released.moss2018_grid("lstm-reg", as_run=True) == 1e-3
    shares = {name: _resampled_share("lstm-reg", np.flatnonzero(wanted[name])) for name in wanted}
    pair = _resampled_share("lstm-reg", np.flatnonzero(wanted.all(axis=1)))
    verdict = pair.beyond(0.5)
    lines = [f"on the {name} {s.estimate:.0%} ({s.low:.0%} to {s.high:.0%})" for name, s in shares.items()]
    return Finding(
        verdict,
        "released data",
        f"Over random groups of eight partitions at K = 5 the penalty is 0.001 in so many choices: "
        f"{'; '.join(lines)}; on both {pair.estimate:.0%} ({pair.low:.0%} to {pair.high:.0%}).",
        (pair,),
    )


@JUDGES.judge("lstm-reg-scatter")
def _lstm_reg_scatter(record):
    grid = released.moss2018_grid("lstm-reg", as_run=True)
    pairs = grid.groupby(list(grid)).ngroup().to_numpy()  # two columns that were run alike are one
    chosen = pairs[audit.scores("lstm-reg", 10).argmax(axis=1)]
    commonest = grid[pairs == np.bincount(chosen).argmax()].iloc[0]
    share = Resampled(commonest_share, chosen)
    verdict = share.beyond(0.5, above=False)
    return Finding(
        verdict,
        "released data",
        f"Of {len(chosen)} choices at 1-10 the commonest, {commonest.bias:g} on the bias and "
        f"{commonest.input:g} on the input, has {share.estimate:.0%} ({share.low:.0%} to {share.high:.0%}).",
        (share,),
    )
