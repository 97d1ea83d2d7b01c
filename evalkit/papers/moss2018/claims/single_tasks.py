"""What is claimed of single tasks: the tagger, the document classifier, the LSTM."""

import numpy as np
from scipy import stats

from evalkit import released
from evalkit.papers.judging import OUT_OF_REACH, Finding, Judges, Resampled, either, everywhere, held
from evalkit.papers.moss2018 import audit
from evalkit.papers.moss2018.audit import grouped
from evalkit.papers.moss2018.claims.statistics import (
    DEPENDENT_ROWS,
    commonest_share,
    middle_span,
    random_groups,
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


@JUDGES.judge("reuters-worse")
def _reuters_worse(record):
    own = {
        "reuters": record.scores("reuters", 10, at_least=500),
        "pos": record.scores("treebank", 10, at_least=30),
    }
    ratios, lines = [], []
    for name, scores in (("released", {task: audit.scores(task, 10) for task in own}), ("own", own)):
        document, tag = (100 * scores[task].max(axis=1).std(ddof=1) for task in ("reuters", "pos"))
        ratios.append(document / tag)
        lines.append(f"{name}: {document:.2f} points against {tag:.2f}, {document / tag:.1f} times")
    return Finding(held(min(ratios) > 3), "own run", f"SD of the estimate at 1-10, {'; '.join(lines)}.")


def _reuters(record, k):
    return {"released": audit.scores("reuters", k), "own": record.scores("reuters", k, at_least=500)}


def _entropy(values):
    return float(stats.entropy(np.unique(values, return_counts=True)[1]))


@JUDGES.judge("reuters-gamma-c")
def _reuters_gamma_c(record):
    verdicts, lines = [], []
    grid = released.moss2018_grid("reuters")
    for name, scores in _reuters(record, 5).items():
        fall = {}
        for quantity in ("C", "gamma"):
            one, eight = (
                grid[quantity].to_numpy()[grouped(scores, j, len(scores) // 8).argmax(axis=1)] for j in (1, 8)
            )
            fall[quantity] = _entropy(one) - _entropy(eight)
        verdicts.append(held(fall["gamma"] > fall["C"]))
        lines.append(f"{name}: gamma {fall['gamma']:.2f}, C {fall['C']:.2f} nats")
    return Finding(
        everywhere(verdicts),
        "own run",
        f"Entropy of the choice falls from J = 1 to 8 at K = 5, {'; '.join(lines)}.",
    )


@JUDGES.judge("reuters-close-models")
def _reuters_close(record):
    spans = {name: 100 * middle_span(scores.max(axis=1)) for name, scores in _reuters(record, 10).items()}
    lines = [f"{name}: {span:.1f} points" for name, span in spans.items()]
    return Finding(
        everywhere([either(span > 2, span < 1) for span in spans.values()]),
        "own run",
        f"95 % of the estimates at 1-10 span, {'; '.join(lines)}.",
    )


@JUDGES.judge("lstm-uniform")
def _lstm_uniform(record):
    chosen = audit.scores("lstm", 10).argmax(axis=1)
    counts = np.bincount(chosen, minlength=9)[2:]
    pvalue, share = stats.chisquare(counts).pvalue, counts.sum() / len(chosen)
    return Finding(
        held(pvalue > 0.01 and share >= 0.9),
        "released data",
        f"Widths of 30 to 90 are {share:.0%} of the choices, chosen {counts.min()} to {counts.max()} times "
        f"each; uniform: p = {pvalue:.2g}. (With ten folds the means of the file's rows are not seen to be "
        "alike. The differences between widths are, by a test that is not recorded yet: p is too small.)",
        intervals=1,
    )


def _share_of_choice(rows, settings):
    """Return which share of random groups of eight partitions chooses one of some settings."""
    return float(np.isin(random_groups(rows, 8).argmax(axis=1), settings).mean())


def _resampled_share(task, settings):
    return Resampled(lambda rows: _share_of_choice(rows, settings), audit.scores(task, 5), draws=300)


@JUDGES.judge("lstm-seventy")
def _lstm_seventy(record):
    share = _share_of_choice(audit.scores("lstm", 5), [6])
    return Finding(
        OUT_OF_REACH,
        "released data",
        f"{DEPENDENT_ROWS} In the file, a width of 70 has {share:.0%} of the choices of random groups of "
        "eight rows.",
    )


@JUDGES.judge("lstm-reg-choice", criterion="2026-11-22")
def _lstm_reg_choice(record):
    wanted = released.moss2018_grid("lstm-reg", as_run=True) == 1e-3
    shares = {name: _resampled_share("lstm-reg", np.flatnonzero(wanted[name])) for name in wanted}
    pair = _share_of_choice(audit.scores("lstm-reg", 5), np.flatnonzero(wanted.all(axis=1)))
    verdict = everywhere([share.beyond(0.5) for share in shares.values()])
    lines = [f"on the {name} {s.estimate:.0%} ({s.low:.0%} to {s.high:.0%})" for name, s in shares.items()]
    return Finding(
        verdict,
        "released data",
        f"Over random groups of eight partitions at K = 5 the penalty is 0.001 in so many choices: "
        f"{'; '.join(lines)}; on both {pair:.0%}.",
        tuple(shares.values()),
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
