"""What repetitions do: to the variance of an estimate, to its bias, and to the choice at equal cost."""

import numpy as np

from evalkit.papers.judging import (
    OUT_OF_REACH,
    Draws,
    Finding,
    Judges,
    MissingRunsError,
    Resampled,
    Trials,
    either,
    everywhere,
    held,
)
from evalkit.papers.moss2018 import audit
from evalkit.papers.moss2018.audit import PAIRS, grouped
from evalkit.papers.moss2018.claims.statistics import (
    DEPENDENT,
    DEPENDENT_ROWS,
    random_groups,
    sd_ratio,
    two_groups,
)

JUDGES = Judges("moss2018")

# A released file to the task of ours that is like it.
OWN = {"rf": "imdb", "pos": "treebank", "reuters": "reuters"}


def _independent_files():
    """Yield the published name of each released file whose rows are independent, and its scores at K = 5."""
    for name, task in audit.TASKS.items():
        if task != DEPENDENT:
            yield name, audit.scores(task, 5)


@JUDGES.judge("law-fixed", criterion="2026-11-22")
def _law_fixed(record):
    files = dict(_independent_files())
    for task in ("reuters", "treebank", "imdb"):
        files[f"own {task}"] = record.scores(task, 5, at_least=30)
    found = {name: audit.law_of(rows) for name, rows in files.items()}
    level = 0.05 / len(found)
    smallest = min(pvalue for _, pvalue in found.values())
    lines = [f"{name} {ratio:.2f} (p {pvalue:.2f})" for name, (ratio, pvalue) in found.items()]
    count = audit.PERMUTATIONS + 1  # with the order as it is
    return Finding(
        held(smallest > level),
        "own run",
        "Eight times the variance of blocks of eight over that of rows, median of the settings, and p of the "
        f"farthest setting beside rows in random order: {'; '.join(lines)}. Corrected for {len(found)} files "
        f"the smallest p is {min(1, smallest * len(found)):.2f}; the released rows of lstm_width are "
        "alike, and left out.",
        tuple(Trials(count, round(pvalue * count), (level,)) for _, pvalue in found.values()),
        intervals=1,  # one family of tests
    )


@JUDGES.judge("cost-in-k")
def _cost_in_k(record):
    ratios = {}
    for task in ("imdb", "reuters", "treebank"):
        five, ten = (
            record.table("partitions", 10, task=task, k=k, sample=0).seconds.to_numpy() for k in (5, 10)
        )
        ratios[task] = Resampled(lambda five, ten: ten.mean() / five.mean(), five, ten)
    verdicts = []
    for ratio in ratios.values():
        ratio.settle(1.8, 2.5)
        verdicts.append(either(ratio.low > 1.8 and ratio.high < 2.5, ratio.low > 2.5 or ratio.high < 1.8))
    lines = [f"{task} {r.estimate:.2f} ({r.low:.2f} to {r.high:.2f})" for task, r in ratios.items()]
    return Finding(
        everywhere(verdicts),
        "own run",
        f"Seconds of a partition at K = 10 over those at K = 5, means: {'; '.join(lines)}.",
        tuple(ratios.values()),
    )


@JUDGES.judge("law-maximum")
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


@JUDGES.judge("no-bias-from-j")
def _no_bias_from_j(record):
    def fall(rows):
        return rows.max(axis=1).mean() - grouped(rows, 8, len(rows) // 8).max(axis=1).mean()

    def fall_of_own(rows):
        return rows.max(axis=1).mean() - random_groups(rows, 8).max(axis=1).mean()

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
        groups = two_groups(before, j_a, after, j_b)
        if quantity == "sd_accuracy":
            return sd_ratio(*(means.max(axis=1) for means in groups))
        return sd_ratio(*(grid[column].to_numpy()[means.argmax(axis=1)] for means in groups))

    return Resampled(ratio, before, after, draws=200)


def _lower_k(record, task, quantity, pairs):
    """Judge whether the lower K varies less at equal cost, in the released file and in our own run."""
    verdicts, lines, released, drawn = [], [], [], []
    for a, b in pairs:
        row = record.table("orderings", task=task, quantity=quantity, a=a, b=b).iloc[0]
        verdicts.append(either(row.high < 1, row.low > 1))
        released.append(Draws(int(row.draws), row.error, bool(row.undecided)))
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
        (*released, *drawn),
    )


for _claim, _task, _quantity, _pairs in (
    ("lower-k-forest", "rf", "sd_chosen", audit.FOREST_PAIRS[:2]),
    ("lower-k-tagger", "pos", "sd_chosen", PAIRS),
    ("lower-k-reuters-c", "reuters", "sd_chosen_C", PAIRS),
    ("lower-k-reuters-gamma", "reuters", "sd_chosen_gamma", PAIRS),
):
    JUDGES.judge(_claim, _task, _quantity, _pairs)(_lower_k)


@JUDGES.judge("lower-k-lstm")
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


@JUDGES.judge("lower-k-estimate", criterion="2026-11-22")
def _lower_k_estimate(record):
    findings = {
        name: _lower_k(record, task, "sd_accuracy", audit.FOREST_PAIRS[:2] if task == "rf" else PAIRS)
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
    )


JUDGES.judge("k-adds-range", "rf", "sd_chosen", audit.FOREST_PAIRS[2:])(_lower_k)


@JUDGES.judge("choice-gains")
def _choice_gains(record):
    ratios = {}
    for task, names in {"reuters": ("C", "gamma"), "treebank": ("C",), "imdb": ("max_features",)}.items():
        scores = record.scores(task, 5, at_least=30)
        for name in names:
            values = record.grids[task][name].to_numpy()

            def fall(rows, values=values):
                return sd_ratio(*(values[means.argmax(axis=1)] for means in two_groups(rows, 1, rows, 8)))

            ratios[f"{task} {name}"] = Resampled(fall, scores, draws=200)
    verdict = everywhere([ratio.beyond(1, above=False) for ratio in ratios.values()])
    lines = [f"{name} {r.estimate:.2f} ({r.low:.2f} to {r.high:.2f})" for name, r in ratios.items()]
    return Finding(
        verdict,
        "own run",
        f"SD of the choice at J = 8 over that at J = 1: {'; '.join(lines)}.",
        tuple(ratios.values()),
    )
