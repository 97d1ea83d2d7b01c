"""What the released matrices and our own runs say of each claim of Moss et al. (2018).

The claims, with what would confirm and what would refute each, stand in `data/published/claims.csv`
and were committed before our runs. A claim whose runs are not there yet has no finding.
"""

import numpy as np
import pandas as pd
from scipy import stats

from evalkit import released
from evalkit.papers.judging import (
    INCONCLUSIVE,
    OUT_OF_REACH,
    REPLICATED,
    Finding,
    Judges,
    MissingRunsError,
    Resampled,
    either,
    everywhere,
    held,
)
from evalkit.papers.moss2018 import audit
from evalkit.papers.moss2018.audit import PAIRS, grouped
from evalkit.papers.moss2018.tasks import FIXED
from evalkit.seeds import variance_components

JUDGES = Judges("moss2018")

# A released file to the task of ours that is like it.
OWN = {"rf": "imdb", "pos": "treebank", "reuters": "reuters"}
# The file whose neighbouring rows are alike: no resampling of rows speaks of it.
DEPENDENT = "lstm"


def _span(values):
    """Return the length of the middle 95 % of some values."""
    return np.subtract(*np.quantile(values, [0.975, 0.025]))


def _sd_ratio(one, other):
    return other.std(ddof=1) / one.std(ddof=1)


def _random_groups(scores, j, n_groups=300):
    """Average random groups of J partitions.

    With replacement, so that J of few partitions vary as J of endlessly many would.
    """
    rng = np.random.default_rng(0)
    return scores[rng.integers(len(scores), size=(n_groups, j))].mean(axis=1)


def _two_groups(before, j_before, after, j_after, n_groups=300):
    """Average random groups of two sizes, one generator after the other."""
    rng = np.random.default_rng(0)
    return [
        scores[rng.integers(len(scores), size=(n_groups, j))].mean(axis=1)
        for scores, j in ((before, j_before), (after, j_after))
    ]


# ---------------------------------------------------------------------------------------------
# One setting, many estimates
# ---------------------------------------------------------------------------------------------


def _fixed(record):
    return int(np.flatnonzero(np.isclose(record.grids["imdb"].max_features, FIXED))[0])


def _estimates(record, by, k):
    record.table("estimates", 1600)
    return record.table("estimates", by=by, k=k).estimate.to_numpy()


@JUDGES.of("estimates-vary")
def _estimates_vary(record):
    estimates = record.scores("imdb", 5, at_least=60)[:, _fixed(record)]
    span = Resampled(lambda drawn: 100 * _span(drawn), estimates)
    verdict = span.beyond(1)
    return Finding(
        verdict,
        "own run",
        f"95 % of {len(estimates)} estimates by 5-fold cross-validation span {span.estimate:.1f} points "
        f"({span.low:.1f} to {span.high:.1f}).",
        (span,),
    )


@JUDGES.of("splits-vary-more")
def _splits_vary_more(record):
    ratios = {
        k: Resampled(
            lambda split, folds: _sd_ratio(folds, split),
            _estimates(record, "split", k),
            _estimates(record, "folds", k),
        )
        for k in (2, 5, 10, 20)
    }
    verdict = everywhere([ratio.beyond(1) for ratio in ratios.values()])
    lines = [f"K = {k}: {r.estimate:.1f} ({r.low:.1f} to {r.high:.1f})" for k, r in ratios.items()]
    return Finding(
        verdict,
        "own run",
        f"SD of single splits over that of cross-validation: {'; '.join(lines)}.",
        tuple(ratios.values()),
    )


@JUDGES.of("k5-enough")
def _k5_enough(record):
    five, twenty = _estimates(record, "folds", 5), _estimates(record, "folds", 20)
    gain = Resampled(lambda a, b: 100 * (b.mean() - a.mean()), five, twenty)
    ratio = Resampled(_sd_ratio, five, twenty)
    gain.settle(-0.5, 0.5)
    ratio.settle(0.75, 1.25)
    within = gain.low > -0.5 and gain.high < 0.5 and ratio.low > 0.75 and ratio.high < 1.25
    outside = gain.high < -0.5 or gain.low > 0.5 or ratio.high < 0.75 or ratio.low > 1.25
    return Finding(
        either(within, outside),
        "own run",
        f"From K = 5 to 20 the mean moves by {gain.estimate:+.2f} points ({gain.low:+.2f} to "
        f"{gain.high:+.2f}), and the SD by a factor of {ratio.estimate:.2f} ({ratio.low:.2f} to "
        f"{ratio.high:.2f}).",
        (gain, ratio),
    )


# ---------------------------------------------------------------------------------------------
# The choice, and what it is worth
# ---------------------------------------------------------------------------------------------


@JUDGES.of("choice-scatters")
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


@JUDGES.of("choice-costs")
def _choice_costs(record):
    worth = 100 * record.truth("imdb")[record.scores("imdb", 5, at_least=60).argmax(axis=1)]
    return Finding(
        either(np.ptp(worth) >= 1, np.ptp(worth) < 0.5),
        "own run",
        f"The chosen forests are worth {worth.min():.1f} to {worth.max():.1f} % on "
        f"{record.held_out('imdb'):,} other reviews.",
    )


@JUDGES.of("worst-improves")
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
            groups = _two_groups(samples[0], before[0], samples[-1], after[0])
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


@JUDGES.of("stable-is-better")
def _stable_is_better(record):
    return _worth(record, (1, 5), (8, 5), "From J = 1 to J = 8 at K = 5")


@JUDGES.of("recommendation-jk")
def _recommendation(record):
    return _worth(record, (1, 10), (2, 5), "From 1-10-fold to 2-5-fold, at equal cost")


@JUDGES.of("variance-first")
def _variance_first(record):
    saved, lines = [], []
    for task in ("imdb", "treebank"):
        truth = 100 * record.truth(task)

        def lost(rows, j, truth=truth):
            return truth.max() - truth[_random_groups(rows, j).argmax(axis=1)].mean()

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


@JUDGES.of("tagger-safe")
def _tagger_safe(record):
    truth = 100 * record.truth("treebank")
    lost = truth.max() - truth[record.scores("treebank", 10, at_least=30).argmax(axis=1)]
    return Finding(
        either(lost.max() <= 0.1, lost.max() > 0.5),
        "own run",
        f"The worst choice of {len(lost)} 10-fold cross-validations loses {lost.max():.2f} points on "
        f"{record.held_out('treebank'):,} other words.",
    )


@JUDGES.of("tagger-choices")
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


@JUDGES.of("bias-constant")
def _bias_constant(record):
    verdicts, lines = [], []
    for task in ("imdb", "treebank"):
        bias = 100 * (record.scores(task, 5, at_least=30).mean(axis=0) - record.truth(task))
        ratio = bias.std(ddof=1) / abs(bias.mean())
        verdicts.append(either(ratio < 0.25, ratio > 1))
        lines.append(f"{task}: mean {bias.mean():+.2f}, SD over the grid {bias.std(ddof=1):.2f} points")
    return Finding(everywhere(verdicts), "own run", f"Estimate less truth, {'; '.join(lines)}.")


# ---------------------------------------------------------------------------------------------
# J
# ---------------------------------------------------------------------------------------------


def _independent_files():
    """Yield the published name of each released file whose rows are independent, and its scores at K = 5."""
    for name, task in audit.TASKS.items():
        if task != DEPENDENT:
            yield name, audit.scores(task, 5)


@JUDGES.of("law-fixed")
def _law_fixed(record):
    law = record.table("computed", id="law/one_over_j").iloc[0]
    own = {task: audit.law_of(record.scores(task, 5, at_least=60)) for task in ("reuters", "imdb")}
    lines = [f"{task} {ratio:.2f} (p {pvalue:.2f})" for task, (ratio, pvalue) in own.items()]
    holds = law.value and min(pvalue for _, pvalue in own.values()) > 0.05 / len(own)
    return Finding(
        either(holds, True),
        "own run",
        f"{law.note[0].upper()}{law.note[1:]}. Own runs: {', '.join(lines)}.",
    )


@JUDGES.of("law-maximum")
def _law_maximum(record):
    def fall(rows):
        eights = grouped(rows, 8, len(rows) // 8)
        return rows.max(axis=1).std(ddof=1) / eights.max(axis=1).std(ddof=1)

    limit = np.sqrt(8)
    ratios = {name: Resampled(fall, rows, draws=1000) for name, rows in _independent_files()}
    verdicts = []
    for ratio in ratios.values():
        ratio.settle(limit)
        inside = ratio.low <= limit <= ratio.high
        verdicts.append(either(inside and abs(ratio.estimate / limit - 1) < 0.1, not inside))
    lines = [f"{name} {r.estimate:.2f} ({r.low:.2f} to {r.high:.2f})" for name, r in ratios.items()]
    return Finding(
        everywhere(verdicts),
        "released data",
        "SD of the best mean at J = 1 over that at J = 8, where a fixed setting has "
        f"{limit:.2f}: {'; '.join(lines)}.",
        tuple(ratios.values()),
    )


@JUDGES.of("no-bias-from-j")
def _no_bias_from_j(record):
    def fall(rows):
        return rows.max(axis=1).mean() - grouped(rows, 8, len(rows) // 8).max(axis=1).mean()

    def fall_of_own(rows):
        return rows.max(axis=1).mean() - _random_groups(rows, 8).max(axis=1).mean()

    drops = {name: Resampled(fall, 100 * rows, draws=1000) for name, rows in _independent_files()}
    for task in ("reuters", "treebank", "imdb"):
        own = 100 * record.scores(task, 5, at_least=30)
        drops[f"own {task}"] = Resampled(fall_of_own, own, draws=300)
    verdict = everywhere([drop.beyond(0.1, above=False) for drop in drops.values()])
    lines = [f"{name} {d.estimate:.2f} ({d.low:.2f} to {d.high:.2f})" for name, d in drops.items()]
    return Finding(
        verdict,
        "own run",
        f"The mean estimate of the tuned setting falls from J = 1 to 8, in points: {'; '.join(lines)}. "
        "That of a fixed setting cannot.",
        tuple(drops.values()),
    )


def _own_ratio(record, task, quantity, a, b):
    """Resample the ratio of SDs, b over a, in our own run; None if it was not trained."""
    (j_a, k_a), (j_b, k_b) = (map(int, procedure.split("-")) for procedure in (a, b))
    try:
        before, after = (record.scores(task, k, at_least=20) for k in (k_a, k_b))
    except MissingRunsError:
        return None
    grid = record.grids[task]
    column = quantity.removeprefix("sd_chosen").removeprefix("_") or grid.columns[0]

    def ratio(before, after):
        groups = _two_groups(before, j_a, after, j_b)
        if quantity == "sd_accuracy":
            return _sd_ratio(*(means.max(axis=1) for means in groups))
        return _sd_ratio(*(grid[column].to_numpy()[means.argmax(axis=1)] for means in groups))

    return Resampled(ratio, before, after, draws=200)


def _lower_k(record, task, quantity, pairs):
    """Judge whether the lower K varies less at equal cost, in the released file and in our own run."""
    verdicts, lines, drawn = [], [], []
    for a, b in pairs:
        row = record.table("orderings", task=task, quantity=quantity, a=a, b=b).iloc[0]
        verdicts.append(either(row.high < 1, row.low > 1))
        lines.append(f"{b} over {a} {row.ratio:.2f} ({row.low:.2f} to {row.high:.2f})")
    for a, b in [pair for pair in PAIRS if pair in pairs and task in OWN]:
        own = _own_ratio(record, OWN[task], quantity, a, b)
        if own is not None:
            verdicts.append(own.beyond(1, above=False))
            drawn.append(own)
            lines.append(f"own {b} over {a} {own.estimate:.2f} ({own.low:.2f} to {own.high:.2f})")
    return Finding(
        everywhere(verdicts),
        "own run" if drawn else "released data",
        f"Ratio of SDs, {'; '.join(lines)}.",
        tuple(drawn),
    )


for _claim, _task, _quantity, _pairs in (
    ("lower-k-forest", "rf", "sd_chosen", audit.FOREST_PAIRS[:2]),
    ("lower-k-tagger", "pos", "sd_chosen", PAIRS),
    ("lower-k-reuters-c", "reuters", "sd_chosen_C", PAIRS),
    ("lower-k-reuters-gamma", "reuters", "sd_chosen_gamma", PAIRS),
    ("lower-k-lstm", "lstm", "sd_chosen", PAIRS),
):
    JUDGES.of(_claim, _task, _quantity, _pairs)(_lower_k)


@JUDGES.of("lower-k-estimate")
def _lower_k_estimate(record):
    findings = {
        name: _lower_k(record, task, "sd_accuracy", audit.FOREST_PAIRS[:2] if task == "rf" else PAIRS)
        for name, task in audit.TASKS.items()
    }
    lines = [
        f"{name}: {f.evidence.removeprefix('Ratio of SDs, ').rstrip('.')}" for name, f in findings.items()
    ]
    return Finding(
        everywhere([finding.verdict for finding in findings.values()]),
        min(finding.data for finding in findings.values()),
        f"Ratio of SDs of the best mean. {'. '.join(lines)}.",
        sum((finding.draws for finding in findings.values()), ()),
    )


JUDGES.of("k-adds-range", "rf", "sd_chosen", audit.FOREST_PAIRS[2:])(_lower_k)


@JUDGES.of("choice-gains")
def _choice_gains(record):
    ratios = {}
    for task, names in {"reuters": ("C", "gamma"), "treebank": ("C",), "imdb": ("max_features",)}.items():
        scores = record.scores(task, 5, at_least=30)
        for name in names:
            values = record.grids[task][name].to_numpy()

            def fall(rows, values=values):
                return _sd_ratio(*(values[means.argmax(axis=1)] for means in _two_groups(rows, 1, rows, 8)))

            ratios[f"{task} {name}"] = Resampled(fall, scores, draws=200)
    verdict = everywhere([ratio.beyond(1, above=False) for ratio in ratios.values()])
    lines = [f"{name} {r.estimate:.2f} ({r.low:.2f} to {r.high:.2f})" for name, r in ratios.items()]
    return Finding(
        verdict,
        "own run",
        f"SD of the choice at J = 8 over that at J = 1: {'; '.join(lines)}.",
        tuple(ratios.values()),
    )


# ---------------------------------------------------------------------------------------------
# By task
# ---------------------------------------------------------------------------------------------


@JUDGES.of("k-variance-not-general")
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


@JUDGES.of("reuters-worse")
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


@JUDGES.of("reuters-gamma-c")
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


@JUDGES.of("reuters-close-models")
def _reuters_close(record):
    spans = {name: 100 * _span(scores.max(axis=1)) for name, scores in _reuters(record, 10).items()}
    lines = [f"{name}: {span:.1f} points" for name, span in spans.items()]
    return Finding(
        everywhere([either(span > 2, span < 1) for span in spans.values()]),
        "own run",
        f"95 % of the estimates at 1-10 span, {'; '.join(lines)}.",
    )


@JUDGES.of("lstm-uniform")
def _lstm_uniform(record):
    chosen = audit.scores("lstm", 10).argmax(axis=1)
    counts = np.bincount(chosen, minlength=9)[2:]
    pvalue, share = stats.chisquare(counts).pvalue, counts.sum() / len(chosen)
    return Finding(
        held(pvalue > 0.01 and share >= 0.9),
        "released data",
        f"Widths of 30 to 90 are {share:.0%} of the choices, chosen {counts.min()} to {counts.max()} times "
        f"each; uniform: p = {pvalue:.2g}.",
    )


def _share_of_choice(task, settings):
    """Resample which share of random groups of eight partitions chooses one of some settings."""
    return Resampled(
        lambda rows: float(np.isin(_random_groups(rows, 8).argmax(axis=1), settings).mean()),
        audit.scores(task, 5),
        draws=300,
    )


@JUDGES.of("lstm-seventy")
def _lstm_seventy(record):
    share = _share_of_choice("lstm", [6])
    verdict = share.beyond(0.5)
    return Finding(
        verdict,
        "released data",
        f"Over random groups of eight partitions a width of 70 has {share.estimate:.0%} of the choices "
        f"({share.low:.0%} to {share.high:.0%}).",
        (share,),
    )


@JUDGES.of("lstm-reg-choice")
def _lstm_reg(record):
    grid = released.moss2018_grid("lstm-reg", as_run=True)
    share = _share_of_choice("lstm-reg", np.flatnonzero((grid["bias"] == 1e-3) & (grid["input"] == 1e-3)))
    verdict = share.beyond(0.5)
    return Finding(
        verdict,
        "released data",
        f"(0.001, 0.001) has {share.estimate:.0%} of the choices at 8-5 ({share.low:.0%} to "
        f"{share.high:.0%}).",
        (share,),
    )


@JUDGES.of("forest-seed")
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


@JUDGES.of("one-training-set")
def _one_training_set(record):
    n_partitions, fixed = 4, _fixed(record)
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


@JUDGES.of("early-stopping")
def _early_stopping(record):
    hours = 60 * record.table("partitions", task="twitter").seconds.mean() / 3600
    return Finding(
        OUT_OF_REACH,
        "own run",
        "Thirty partitions with the set for stopping fixed, and thirty with it redrawn, were not run: about "
        f"{hours:.0f} core-hours by our Twitter runs.",
    )


@JUDGES.of("stratification-not-enough")
def _stratification(record):
    ratio = Resampled(_sd_ratio, _estimates(record, "folds", 5), _estimates(record, "strata", 5))
    ratio.settle(0.5, 0.75)
    return Finding(
        either(ratio.low > 0.75, ratio.high < 0.5),
        "own run",
        f"SD of 5-fold estimates with strata over that without: {ratio.estimate:.2f} ({ratio.low:.2f} to "
        f"{ratio.high:.2f}).",
        (ratio,),
    )


@JUDGES.of("single-grid")
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


@JUDGES.of("adaptive-j")
def _adaptive(record):
    record.table("adaptive", 20)
    half = record.table("adaptive", tolerance=0.5)
    fewer = (half.mean_j < 8) & (half.beyond <= half.beyond_eight)
    lines = [
        f"{row.task}: J of {row.mean_j:.1f}, {row.beyond:.0%} of choices lack more than half a point (always "
        f"eight: {row.beyond_eight:.0%})"
        for row in half.itertuples()
    ]
    return Finding(either(fewer.all(), not fewer.any()), "released data", f"{'; '.join(lines)}.")
