"""What repetitions do: to the variance of an estimate, to its bias, and to the choice at equal cost."""

import numpy as np

from evalkit.papers.judging import (
    OUT_OF_REACH,
    Draws,
    Finding,
    Jackknifed,
    Judges,
    MissingRunsError,
    Resampled,
    Trials,
    beyond,
    either,
    everywhere,
    held,
)
from evalkit.papers.moss2018 import audit
from evalkit.papers.moss2018.audit import PAIRS, grouped
from evalkit.papers.moss2018.groups import (
    DEPENDENT,
    DEPENDENT_ROWS,
    MANY,
    pooled_sd,
    random_groups,
    resampled_ratio,
    sd_ratio,
    two_groups,
)

JUDGES = Judges("moss2018")

# A released file to the task of ours that is like it.
OWN = {"rf": "imdb", "pos": "treebank", "reuters": "reuters"}
LEAST = 20  # partitions of a task of ours: resampled, fewer give an interval that is too short


def _independent_files():
    """Yield the published name of each released file whose rows are independent, and its scores at K = 5."""
    for name, task in audit.TASKS.items():
        if task != DEPENDENT:
            yield name, audit.scores(task, 5)


@JUDGES.judge("law-fixed")
def _law_fixed(record):
    files = dict(_independent_files())
    for task in ("reuters", "imdb"):
        files[f"own {task}"] = record.scores(task, 5, at_least=30)
    found = {name: audit.law_of(rows) for name, rows in files.items()}
    level = 0.05 / len(found)
    smallest = min(pvalue for _, pvalue in found.values())
    lines = [f"{name} {ratio:.2f} (p {pvalue:.2f})" for name, (ratio, pvalue) in found.items()]
    alike = "{:.2f} (p {:.3f})".format(*audit.law_of(audit.scores(DEPENDENT, 5)))
    count = audit.PERMUTATIONS + 1  # with the order as it is
    return Finding(
        held(smallest > level),
        "own run",
        "Eight times the variance of blocks of eight over that of rows, median of the settings, and p of the "
        f"farthest setting beside rows in random order: {'; '.join(lines)}. Corrected for {len(found)} files "
        f"the smallest p is {min(1, smallest * len(found)):.2f}. Left out: the released rows of "
        f"lstm_width, which are alike, {alike}; our own tagger and LSTM, whose few rows make no two blocks "
        "of eight.",
        tuple(Trials(count, round(pvalue * count), (level,)) for _, pvalue in found.values()),
        intervals=1,  # one family of tests
    )


@JUDGES.judge("cost-in-k", criterion="2026-11-23")
def _cost_in_k(record):
    ratios = {}
    for task in ("imdb", "reuters", "treebank"):
        five, ten = (record.table("partitions", 10, task=task, k=k) for k in (5, 10))
        five = five[five["sample"].isin(ten["sample"])]  # the same training sets on either side
        five, ten = five.seconds.to_numpy(), ten.seconds.to_numpy()
        ratios[task] = Resampled(lambda five, ten: ten.mean() / five.mean(), five, ten)
    verdicts = []
    for ratio in ratios.values():
        ratio.settle(1.8, 2.5)
        verdicts.append(either(ratio.low > 1.8 and ratio.high < 2.5, ratio.low > 2.5 or ratio.high < 1.8))
    lines = [f"{task} {r.estimate:.2f} ({r.low:.2f} to {r.high:.2f})" for task, r in ratios.items()]
    return Finding(
        everywhere(verdicts),
        "own run",
        f"Seconds of a partition at K = 10 over those at K = 5, means: {'; '.join(lines)}. (Those of the SVM "
        "without its kernels, which all partitions share.)",
        tuple(ratios.values()),
    )


@JUDGES.judge("law-maximum", criterion="2026-11-23")
def _law_maximum(record):
    def fall(rows, n_groups=2000):
        eights = random_groups(rows, 8, n_groups=n_groups)
        return rows.max(axis=1).std(ddof=1) / eights.max(axis=1).std(ddof=1)

    limit = np.sqrt(8)
    least, most = 0.9 * limit, 1.1 * limit
    ratios = {
        name: Resampled(fall, rows, draws=400, estimate=fall(rows, MANY))
        for name, rows in _independent_files()
    }
    verdicts = []
    for ratio in ratios.values():
        ratio.settle(least, most)
        within = ratio.low > least and ratio.high < most
        verdicts.append(either(within, ratio.high < least or ratio.low > most))
    lines = [f"{name} {r.estimate:.2f} ({r.low:.2f} to {r.high:.2f})" for name, r in ratios.items()]
    return Finding(
        everywhere(verdicts),
        "released data",
        "SD of the best mean at J = 1 over that at J = 8, where a fixed setting has "
        f"{limit:.2f}: {'; '.join(lines)}.",
        tuple(ratios.values()),
    )


@JUDGES.judge("no-bias-from-j")
def _no_bias_from_j(record):
    def fall(rows):
        return rows.max(axis=1).mean() - grouped(rows, 8, len(rows) // 8).max(axis=1).mean()

    def fall_of_own(rows):
        return rows.max(axis=1).mean() - random_groups(rows, 8).max(axis=1).mean()

    drops = {name: Resampled(fall, 100 * rows, draws=1000) for name, rows in _independent_files()}
    for task in ("reuters", "imdb"):
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
    """Estimate the ratio of SDs, b over a, in our own run; None if it was not trained."""
    (j_a, k_a), (j_b, k_b) = (map(int, procedure.split("-")) for procedure in (a, b))
    try:
        if task == "treebank":
            shuffles = list(zip(record.shuffles(k_a), record.shuffles(k_b), strict=True))
        else:
            before, after = (record.scores(task, k, at_least=LEAST) for k in (k_a, k_b))
    except MissingRunsError:
        return None
    grid = record.grids[task]
    column = quantity.removeprefix("sd_chosen").removeprefix("_") or grid.columns[0]

    def found(means):
        if quantity == "sd_accuracy":
            return means.max(axis=1)
        return grid[column].to_numpy()[means.argmax(axis=1)]

    if task == "treebank":
        return _over_shuffles(shuffles, j_a, j_b, found)
    shared = min(len(before), len(after))
    return resampled_ratio(found, before, j_a, after, j_b, shared=shared, draws=200)


def _over_shuffles(shuffles, j_a, j_b, found):
    """Estimate a ratio of SDs within the shuffles of the tagger's sentences, b over a."""
    drawn = [tuple(map(found, two_groups(a, j_a, b, j_b))) for a, b in shuffles]
    return Jackknifed(
        lambda groups: np.divide(*map(pooled_sd, reversed(list(zip(*groups, strict=True))))),
        drawn,
        least=0.0,
    )


def _below_one(ratio):
    """Return the verdict on "below 1"; draw more where the draws could turn it."""
    if isinstance(ratio, Resampled):
        ratio.settle(1)
    return beyond(ratio.low, ratio.high, 1, above=False)


def _lower_k(record, task, quantity, pairs):
    """Judge whether the lower K varies less at equal cost, in the released file and in our own run."""
    verdicts, lines, released, drawn = [], [], [], []
    for a, b in [] if task == audit.MISNAMED[0] else pairs:
        row = record.table("orderings", task=task, quantity=quantity, a=a, b=b).iloc[0]
        verdicts.append(either(row.high < 1, row.low > 1))
        released.append(Draws(int(row.draws), row.error, bool(row.undecided)))
        lines.append(f"{b} over {a} {row.ratio:.2f} ({row.low:.2f} to {row.high:.2f})")
    for a, b in [pair for pair in PAIRS if pair in pairs and task in OWN]:
        own = _own_ratio(record, OWN[task], quantity, a, b)
        if own is None:
            lines.append(f"own {b} over {a}: too few partitions")
        else:
            verdicts.append(_below_one(own))
            drawn.append(own)
            lines.append(f"own {b} over {a} {own.estimate:.2f} ({own.low:.2f} to {own.high:.2f})")
    if not verdicts:
        raise MissingRunsError(f"no run judges {task}: {'; '.join(lines)}")
    return Finding(
        everywhere(verdicts),
        "own run" if drawn else "released data",
        f"Ratio of SDs, {'; '.join(lines)}.",
        (*released, *(own for own in drawn if isinstance(own, Resampled))),
        intervals=len(verdicts),
    )


JUDGES.judge("lower-k-forest", "rf", "sd_chosen", PAIRS[:2], criterion="2026-11-23")(_lower_k)
JUDGES.judge("lower-k-tagger", "pos", "sd_chosen", PAIRS)(_lower_k)
JUDGES.judge("lower-k-reuters-c", "reuters", "sd_chosen_C", PAIRS)(_lower_k)
JUDGES.judge("lower-k-reuters-gamma", "reuters", "sd_chosen_gamma", PAIRS, criterion="2026-11-23")(_lower_k)


@JUDGES.judge("lower-k-lstm", criterion="2026-11-22")
def _lower_k_lstm(record):
    rows = [
        record.table("orderings", task=DEPENDENT, quantity="sd_chosen", a=a, b=b).iloc[0] for a, b in PAIRS
    ]
    lines = [f"{row.b} over {row.a} {row.ratio:.2f}" for row in rows]
    return Finding(
        OUT_OF_REACH,
        "released data",
        f"{DEPENDENT_ROWS} Ratio of SDs in the file, {'; '.join(lines)}.",
    )


@JUDGES.judge("lower-k-estimate", criterion="2026-11-23")
def _lower_k_estimate(record):
    findings = {
        name: _lower_k(record, task, "sd_accuracy", audit.printed_lower(name, "sd_accuracy"))
        for name, task in audit.TASKS.items()
        if task != DEPENDENT
    }
    lines = [
        f"{name}: {f.evidence.removeprefix('Ratio of SDs, ').rstrip('.')}" for name, f in findings.items()
    ]
    return Finding(
        everywhere([finding.verdict for finding in findings.values()]),
        "own run" if any(finding.data == "own run" for finding in findings.values()) else "released data",
        f"Ratio of SDs of the best mean. {'. '.join(lines)}.",
        sum((finding.draws for finding in findings.values()), ()),
        intervals=sum(finding.intervals for finding in findings.values()),
    )


JUDGES.judge("k-adds-range", "rf", "sd_chosen", audit.FOREST_PAIRS[2:])(_lower_k)


@JUDGES.judge("choice-gains", criterion="2026-11-22")
def _choice_gains(record):
    ratios = {}
    for task, name in (("reuters", "C"), ("reuters", "gamma"), ("imdb", "max_features")):
        values = record.grids[task][name].to_numpy()

        def fall(rows, values=values):
            return sd_ratio(*(values[means.argmax(axis=1)] for means in two_groups(rows, 1, rows, 8)))

        ratios[f"{task} {name}"] = Resampled(fall, record.scores(task, 5, at_least=30), draws=200)
    values = record.grids["treebank"].C.to_numpy()
    shuffles = [(scores, scores) for scores in record.shuffles(5)]
    ratios["treebank C"] = _over_shuffles(shuffles, 1, 8, lambda means: values[means.argmax(axis=1)])
    verdicts = [_below_one(ratio) for ratio in ratios.values()]
    lines = [f"{name} {r.estimate:.2f} ({r.low:.2f} to {r.high:.2f})" for name, r in ratios.items()]
    return Finding(
        everywhere(verdicts),
        "own run",
        f"SD of the choice at J = 8 over that at J = 1: {'; '.join(lines)}. (Treebank: within shuffles, t "
        "over five of them.)",
        tuple(ratio for ratio in ratios.values() if isinstance(ratio, Resampled)),
        intervals=len(ratios),
    )
