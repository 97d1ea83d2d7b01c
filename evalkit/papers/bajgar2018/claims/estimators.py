"""The estimators of Boo_n by draws from the pools: how they scatter, and how far they are off."""

import itertools

import numpy as np

from evalkit.papers.bajgar2018 import audit
from evalkit.papers.bajgar2018.audit import PAPERS, SEARCH
from evalkit.papers.bajgar2018.claims.statistics import NAMES, by_pool
from evalkit.papers.bajgar2018.tasks import FIGURE_3
from evalkit.papers.bajgar2018.tasks.kept import Kept, generator, keep
from evalkit.papers.bajgar2018.tasks.samples import N, rank_weights, subsets
from evalkit.papers.judging import Finding, Judges, either, everywhere
from evalkit.recorded import unpack

JUDGES = Judges("bajgar2018")

NEAR = 0.1  # of an SD, what the criteria call unbiased
ERRORS = 2.576  # standard errors that hold a simulated mean 99 times in 100


def _of_blocks(values):
    """Return the mean over blocks, and the error that holds it 99 times in 100."""
    return values.mean(), ERRORS * values.std(ddof=1) / np.sqrt(len(values))


@JUDGES.judge("more-runs-more-robust")
def _more_robust(record):
    verdicts, lines = [], []
    for pool in PAPERS:
        sds = [
            _of_blocks(unpack(record.one("errors", pool=pool, m=m, kind="subsets")["sd"]))
            for m in (5, 10, 20, 40)
        ]
        for (before, error), (after, other) in itertools.pairwise(sds):
            far = np.hypot(error, other)
            verdicts.append(either(before - after > far, after - before > far))
        lines.append(f"{NAMES[pool]} {', '.join(f'{sd:.3f}' for sd, _ in sds)}")
    return Finding(
        everywhere(verdicts),
        "released data",
        f"SD of Boo_5 over subsets of 5, 10, 20 and 40 runs, in points: {'; '.join(lines)}.",
    )


@JUDGES.judge("run-more-than-n")
def _run_more(record):
    verdicts, lines = [], []
    for kind, label in (("plain", ""), ("normal", ", normal scores")):
        for pool in PAPERS:
            squares = [
                _of_blocks(unpack(record.one("errors", pool=pool, m=m, kind=kind)["square"])) for m in (5, 20)
            ]
            ratio = np.sqrt(squares[0][0] / squares[1][0])
            error = ratio / 2 * np.hypot(*(error / value for value, error in squares))
            low = ratio + error < 1.25 and kind == "plain"
            verdicts.append(either(ratio - error >= 1.5, low))
            lines.append(f"{NAMES[pool]}{label} {ratio:.2f}")
    return Finding(
        everywhere(verdicts),
        "released data",
        f"Root mean squared error of Boo_5 from 5 runs over that from 20: {'; '.join(lines)}.",
    )


def one_set_ratio(m, count=4000):
    """Compare the estimators where one score chooses and is reported, which Figure 3 may mean.

    Parameters
    ----------
    m : int
        Runs in a subset.
    count : int, default 4000
        How many subsets.

    Returns
    -------
    float
        The variance of the Gaussian estimate over that of Equation 7.
    """
    test = audit.runs("asreader_fixed").test
    index = subsets(len(test), m, count, generator("one set", m))
    of_rank = np.sort(test[index], axis=1) @ rank_weights(m, N)
    return float(audit.gaussian_boo_of(test[index], test[index], N).var() / of_rank.var())


@JUDGES.judge("parametric-varies-less")
def _parametric_varies_less(record):
    ratios = {m: record.kept("variance_ratio", "estimators", pool="asreader_fixed", m=m) for m in FIGURE_3}
    return Finding(
        everywhere([ratio.beyond(1, above=False) for ratio in ratios.values()]),
        "released data",
        "Variance of the Gaussian estimate over that of Equation 7: "
        f"{by_pool({f'{m} runs': ratio for m, ratio in ratios.items()})}. If the test score chooses too: "
        f"{', '.join(f'{one_set_ratio(m):.2f} ({m} runs)' for m in FIGURE_3)}.",
        tuple(ratio.draws(1) for ratio in ratios.values()),
    )


@JUDGES.judge("parametric-helps-small-samples")
def _parametric_helps(record):
    def rows(m):
        return record.one("estimators", pool="asreader_fixed", m=m)

    apart = {}
    for m in (5, 10):
        estimate = Kept.read(rows(m)["square_ratio"]).estimate - Kept.read(rows(80)["square_ratio"]).estimate
        values = unpack(rows(m)["square_ratios"]) - unpack(rows(80)["square_ratios"])
        apart[f"{m} runs"] = Kept.read(keep(estimate, values))
    at = {f"{m} runs": Kept.read(rows(m)["square_ratio"]) for m in (5, 10, 80)}
    return Finding(
        either(any(x.high < 0 for x in apart.values()), all(x.low > 0 for x in apart.values())),
        "released data",
        f"Mean squared error of the Gaussian estimate over that of Equation 7: {by_pool(at)}; minus that at "
        f"80 "
        f"runs: {by_pool(apart)}.",
        tuple(found.draws(0) for found in apart.values()),
    )


@JUDGES.judge("parametric-may-be-biased")
def _parametric_biased(record):
    sd, confirmed, refuted, lines = audit.runs(SEARCH).sd, [], [], []
    for n in (5, 20):
        found = record.one("biases", pool=SEARCH, m=40, n=n)
        gaussian, rank = abs(found["gaussian"]) / sd, abs(found["rank"]) / sd
        error = ERRORS * found["error_gaussian"] / sd
        both = np.hypot(error, ERRORS * found["error_rank"] / sd)
        confirmed.append(gaussian - rank > both and gaussian - error > NEAR)
        refuted.append(gaussian < rank or gaussian < NEAR)
        lines.append(f"n = {n}: {found['gaussian'] / sd:+.2f} against {found['rank'] / sd:+.2f}")
    return Finding(
        either(all(confirmed), all(refuted)),
        "released data",
        f"Bias in SDs on samples of 40, Gaussian estimate against Equation 7: {'; '.join(lines)}.",
    )


def _spreads(record, name, places):
    return {
        f"{NAMES[pool]}, {m} runs, {kind}": record.kept(name, "spreads", pool=pool, m=m, kind=kind)
        for pool, m, kind in places
    }


@JUDGES.judge("boo-less-noisy-than-best")
def _less_noisy(record):
    places = itertools.product(("resnet", SEARCH), (10, 20, 50), ("smoothed", "plain"))
    ratios = _spreads(record, "boo_over_best", places)
    confirmed = all(found.estimate < 0.8 and found.high < 1 for found in ratios.values())
    beside = []
    for pool in ("deberta", "deberta_v3"):
        rows = [record.one("aggregates", pool=pool, m=m, sampling="plain") for m in (10, 20, 50)]
        sds = [[unpack(row[name])[-1] for name in ("boo", "best")] for row in rows]
        beside.append(f"{NAMES[pool]} {', '.join(f'{boo / best:.1f}' for boo, best in sds)}")
    return Finding(
        either(confirmed, any(found.low >= 1 for found in ratios.values())),
        "released data",
        f"SD of Boo_5 over that of the best-validation run: {by_pool(ratios)}. Pools of which the paper does "
        f"not speak, m = 10, 20, 50, plain: {'; '.join(beside)}.",
        tuple(found.draws(1) for found in ratios.values()),
    )


@JUDGES.judge("boo-less-variable-than-mean")
def _less_variable(record):
    ratios = _spreads(record, "boo_over_mean", [(SEARCH, m, "plain") for m in (10, 20, 50, 100, 197)])
    confirmed = all(found.high < 1 for found in ratios.values())
    return Finding(
        either(confirmed, any(found.low >= 1 for found in ratios.values())),
        "released data",
        f"SD of Boo_5 over that of the mean: {by_pool(ratios)}.",
        tuple(found.draws(1) for found in ratios.values()),
    )


@JUDGES.judge("skew-is-the-reason")
def _skew(record):
    kinds = ("plain", "normal", "mirrored")
    found = {
        (m, kind): record.kept("boo_over_mean", "spreads", pool=SEARCH, m=m, kind=kind)
        for m in (20, 50)
        for kind in kinds
    }
    reversed_ = all(found[m, "mirrored"].estimate > 1 for m in (20, 50))
    between = all(
        found[m, "plain"].estimate < found[m, "normal"].estimate < found[m, "mirrored"].estimate
        for m in (20, 50)
    )
    refuted = any(found[m, "mirrored"].high < 1 for m in (20, 50))
    lines = {f"{m} runs, {kind}": ratio for (m, kind), ratio in found.items()}
    return Finding(
        either(reversed_ and between, refuted),
        "released data",
        f"SD of Boo_5 over that of the mean, random-search pool: {by_pool(lines)}.",
        tuple(ratio.draws(1) for (_, kind), ratio in found.items() if kind == "mirrored"),
    )


@JUDGES.judge("smoothing-needed")
def _smoothing(record):
    few, ratios, lines = [], {"mean": [], "boo": [], "best": []}, []
    for pool in ("resnet", SEARCH):
        found = audit.runs(pool)
        carry = runs_that_carry(found, 50, 0.95)
        few.append(carry < 10)
        cells = [
            record.one("aggregates", pool=pool, m=50, sampling=sampling) for sampling in ("smoothed", "plain")
        ]
        for name, values in ratios.items():
            widths = [np.subtract(*unpack(found[name])[[2, 1]]) for found in cells]
            values.append(widths[0] / widths[1] - 1)
        raised = np.subtract(*(unpack(found["best"])[0] for found in cells))
        changes = ", ".join(f"{name} {values[-1]:+.0%}" for name, values in ratios.items())
        lines.append(
            f"{NAMES[pool]}: {carry} runs carry 95 %, smoothing changes the width of {changes} and the "
            f"average of the best by {raised:+.2f} points"
        )
    changed = {name: np.abs(values) for name, values in ratios.items()}
    others = np.concatenate([changed["mean"], changed["boo"]])
    return Finding(
        either(
            all(few) and changed["best"].min() > 0.1 and others.max() < 0.1,
            changed["best"].max() < 0.05 or others.max() > 0.1,
        ),
        "released data",
        f"Best of 50: {'; '.join(lines)} (Gaussian kernel, Scott's rule).",
    )


def runs_that_carry(pool, n, share):
    """Return how few runs are the best of n of a pool in so large a share of draws.

    Parameters
    ----------
    pool : evalkit.papers.bajgar2018.audit.Runs
    n : int
    share : float

    Returns
    -------
    int
    """
    counts, _ = pool.tally(np.arange(len(pool))[None])
    below = np.append(0, counts[0].cumsum() / len(pool)) ** n
    weights = np.repeat(np.diff(below) / counts[0], counts[0].astype(int))
    return int(np.searchsorted(np.sort(weights)[::-1].cumsum(), share) + 1)
