"""Every judge of Bajgar et al. on made-up pools and rows whose verdict is known, for each word it can say."""

import functools

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from evalkit import gaussian_expected_max, recorded, released
from evalkit.papers import judging
from evalkit.papers.bajgar2018 import audit, tasks
from evalkit.papers.bajgar2018.audit import POOLS, SEARCH, Runs
from evalkit.papers.bajgar2018.claims import JUDGES, exact, figures, own_runs
from evalkit.papers.bajgar2018.tasks import FIGURE_3, training
from evalkit.papers.bajgar2018.tasks.formulas import CORRELATIONS, FORMULA_BUDGETS, LAWS, PAIR_BUDGETS
from evalkit.papers.judging import MissingRunsError, Resampled
from evalkit.recorded import pack

REPLICATED, SMALLER, NOT, OPEN = "replicated", "replicated, smaller", "not replicated", "inconclusive"
OUT = "out of reach"
PAPERS, FIXED = ("resnet", "asreader_fixed", SEARCH), ("resnet", "asreader_fixed")
OTHERS = ("deberta", "deberta_v3")

# ---------------------------------------------------------------------------------------------
# Made-up pools
# ---------------------------------------------------------------------------------------------


@functools.cache
def normal(size=300, correlation=0.1, sd=1.0, mean=60.0, seed=0):
    """Scores like those of a bivariate normal, with these moments to the digit."""
    rng = np.random.default_rng(seed)
    quantiles = stats.norm.ppf((np.arange(size) + 0.5) / size)
    v, e = rng.permutation(quantiles), rng.permutation(quantiles)
    v = v / v.std(ddof=1)
    e = e - v * (e @ v) / (v @ v)
    e = e / e.std(ddof=1)
    return Runs.of(v, mean + sd * (correlation * v + np.sqrt(1 - correlation**2) * e))


def skewed(size=300, correlation=1.0, sign=-1):
    """Scores with a long tail to one side, the test score that of validation or one drawn apart."""
    scores = sign * stats.expon.ppf((np.arange(size) + 0.5) / size)
    other = np.random.default_rng(1).permutation(scores)
    return Runs.of(scores, 60 + (scores if correlation else other))


DEFAULT = {
    "resnet": normal(74),
    "asreader_fixed": normal(370),
    SEARCH: normal(197, 0.8, 3.0),
    "deberta": normal(300, 0.95, 5.0),
    "deberta_v3": normal(300, 0.95, 5.0),
}


# ---------------------------------------------------------------------------------------------
# Made-up rows
# ---------------------------------------------------------------------------------------------


def cell(estimate, low, high):
    """A statistic as `keep` writes it, whose ends are known."""
    return pack([estimate, low, high, 1000, 0.05, low, low, high, high], ".8g")


HALF, ONE_TO_ONE = cell(0.5, 0.4, 0.6), cell(1.0, 0.9, 1.1)
YES, NO, UNSURE, LITTLE = cell(2, 1.5, 2.5), cell(-2, -2.5, -1.5), cell(0.1, -1, 1), cell(0.2, 0.1, 0.3)


def row(table, result, **unit):
    return {"unit": {"table": table, **unit}, "result": result}


def deployed(changed=None, value=NO):
    """Every prediction that is claimed to be better is so, but for one."""
    names = ["boo less mean", "boo less median", "mean less boo", "median less boo"]
    names += [f"{n} less {k} for {n}" for n in (1, 5, 20) for k in (1, 5, 20) if k != n]
    rows = []
    for pool in POOLS:
        result = {name.replace(" ", "_"): NO for name in names}
        if changed and pool == changed[0]:
            result[changed[1]] = value
        rows.append(row("deployed", result, pool=pool))
    return rows


def narrowed(last):
    return [
        row("narrowed", {"gain": value}, pool=pool) for pool, value in zip(OTHERS, (YES, last), strict=True)
    ]


def null(**shares):
    """How many of 100,000 normal samples have a statistic as large, by pool; and the statistics."""
    rows = []
    for pool, (statistic, beyond) in shares.items():
        for block in (0, 1):
            result = {
                "statistic": statistic,
                "draws": 50_000,
                "beyond": beyond // 2,
                "five": 0.75,
                "one": 1.0,
            }
            rows.append(row("normality", result, pool=pool, block=block))
    return rows


def gaussian_null(statistic, beyond):
    return null(resnet=(0.3, 60_000), asreader_fixed=(statistic, beyond))


def formulas(law, errors):
    """Means of draws that are so many standard errors off, in one place."""
    rows = []
    for name in LAWS:
        result = {}
        for side, closed in zip(("best", "worst"), exact._CLOSED[name], strict=True):
            off = errors * 1e-4 if name == law and side == "worst" else 0
            means = [closed(n) + (off if n == FORMULA_BUDGETS[-1] else 0) for n in FORMULA_BUDGETS]
            result |= {side: pack(means, ".15g"), f"error_{side}": pack([1e-4] * len(means), ".6g")}
        rows.append(row("maxima", result, law=name))
    return rows


def chosen(errors):
    rows = []
    for block in range(10):
        result = {"draws": 1000}
        for n in PAIR_BUDGETS:
            mean = np.array(CORRELATIONS) * gaussian_expected_max(n)
            if n == PAIR_BUDGETS[-1]:
                mean = mean + errors / np.sqrt(10_000)  # of a variance of 1
            result |= {f"mean_{n}": pack(mean, ".15g"), f"square_{n}": pack(mean**2 + 1, ".15g")}
        rows.append(row("chosen", result, block=block))
    return rows


def blocks(value, scatter):
    return pack(value + scatter * np.resize([-1, 1], 40), ".12g")


def sds(*values, scatter=0.001):
    """The SD of Boo_5 by the number of runs; those of one pool are given."""
    rows = []
    for pool in PAPERS:
        found = values if pool == SEARCH else (0.8, 0.6, 0.4, 0.2)
        for m, sd in zip((5, 10, 20, 40), found, strict=True):
            rows.append(row("errors", {"sd": blocks(sd, scatter)}, pool=pool, m=m, kind="subsets"))
    return rows


def ratios_of_errors(ratio, kind="plain", scatter=0.001):
    rows = []
    for pool in PAPERS:
        for k in ("plain", "normal"):
            of_five = (ratio if (pool, k) == (SEARCH, kind) else 2.0) ** 2
            for m, square in ((5, of_five), (20, 1.0)):
                rows.append(row("errors", {"square": blocks(square, scatter)}, pool=pool, m=m, kind=k))
    return rows


def estimators(variance=NO, **squares):
    """Ratios of the estimators by the number of runs; mean squared errors around 1 unless given."""
    rows = []
    for m in FIGURE_3:
        square = squares.get(f"of_{m}", 1.0)
        values = square + 0.01 * np.linspace(-1, 1, 200) * (1 if m == 80 else -1)
        result = {
            "variance_ratio": variance if m == 20 else cell(0.8, 0.7, 0.9),
            "square_ratio": cell(square, square - 0.01, square + 0.01),
            "square_ratios": pack(values, ".8g"),
        }
        rows.append(row("estimators", result, pool="asreader_fixed", m=m))
    return rows


def biased(gaussian, rank, error=0.001):
    """Biases in SDs of the random-search pool, whose SD is 3."""
    result = {"gaussian": 3 * gaussian, "rank": 3 * rank, "error_gaussian": error, "error_rank": error}
    sure = {"gaussian": 3.0, "rank": 0.03, "error_gaussian": error, "error_rank": error}
    if gaussian < rank or gaussian < 0.1:
        sure = result
    return [row("biases", found, pool=SEARCH, m=40, n=n) for n, found in ((5, sure), (20, result))]


def spreads(name, value, kind="plain", m=50, rest=HALF, **kinds):
    rows = []
    for pool in ("resnet", SEARCH):
        for size in (10, 20, 50, 100, 197):
            for k in ("plain", "smoothed", "mirrored", "normal"):
                changed = (pool, k, size) == (SEARCH, kind, m)
                rows.append(
                    row(
                        "spreads", {name: value if changed else kinds.get(k, rest)}, pool=pool, m=size, kind=k
                    )
                )
    return rows


def noises(*args, **kinds):
    """The same, and for each pool beside them SDs of 3 and 2 of Boo_5 and the best."""
    beside = [
        row("aggregates", {"boo": "90 85 95 3", "best": "91 87 95 2"}, pool=pool, m=m, sampling="plain")
        for pool in ("deberta", "deberta_v3")
        for m in (10, 20, 50)
    ]
    return spreads("boo_over_best", *args, **kinds) + beside


def skew(mirrored, between=ONE_TO_ONE):
    return spreads("boo_over_mean", mirrored, "mirrored", 50, normal=between, mirrored=cell(1.4, 1.2, 1.6))


def smoothed(best, boo):
    """How much wider smoothing makes the range of the best run and of Boo_5, of the second pool."""
    rows = []
    for pool in ("resnet", SEARCH):
        changes = {
            "mean": 1.05,
            "boo": boo if pool == SEARCH else 1.05,
            "best": best if pool == SEARCH else 1.5,
        }
        for sampling in ("plain", "smoothed"):
            result = {
                name: pack([0, -1, -1 + 2 * (change if sampling == "smoothed" else 1), 1], ".8g")
                for name, change in changes.items()
            }
            rows.append(row("aggregates", result, pool=pool, m=50, sampling=sampling))
    return rows


def teams(*shares):
    return [
        row("teams", {"draws": 10_000, "apart": int(10_000 * share)}, pool=pool)
        for pool, share in zip(FIXED, shares, strict=True)
    ]


def intervals(name, share, m=20, **other):
    """Shares of 10,000 samples and 5,000 pairs, those of one pool and size given; and widths."""
    usual = {"excluded": 0.05, "held_boo": 0.95, "held_mean": 0.95, "width": 1.0}
    rows = []
    for pool in PAPERS:
        for size in (5, 10, 20, 40, 50):
            found = usual | ({name: share} if (pool, size) == (SEARCH, m) else {}) | other
            width = found["width"] / np.sqrt(size)
            for block in (0, 1):
                result = {
                    "samples": 5000,
                    "pairs": 2500,
                    "excluded": int(2500 * found["excluded"]),
                    "held_boo": int(5000 * found["held_boo"]),
                    "held_mean": int(5000 * found["held_mean"]),
                    "width": width,
                    "span": 1 / np.sqrt(size),
                }
                rows.append(row("intervals", result, pool=pool, m=size, block=block))
    return rows


def fitted(share, plain=0.85, different=900.0):
    rows = []
    for m, repeated in zip((5, 10, 20), np.broadcast_to(different, 3), strict=True):
        result = {
            "samples": 4000,
            "held_fitted": int(4000 * (share if m == 10 else 0.95)),
            "held_bootstrap": int(4000 * (plain if m == 10 else 0.85)),
            "different_fitted": 1000.0,
            "different_bootstrap": float(repeated),
        }
        rows.append(row("normal_intervals", result, m=m, block=0))
    return rows


def converging(*distances, sd=(4, 3, 2, 1)):
    rows = []
    for statistic in ("mean", "boo"):
        found = distances if statistic == "boo" else distances[:4]
        for i, m in enumerate((10, 40, 160, 370)):
            result = {"distance": found[i], "sd": sd[i], "centred": 0.1 / (i + 1)}
            rows.append(row("convergence", result, statistic=statistic, m=m))
    return rows


def orders(apart):
    return [row("orders", {"mean": YES, "best": YES, "mean_less_best": apart}, pool="asreader_fixed")]


def trained(network, kind, count, pool, **columns):
    """Our own runs, in the order of the pool unless it is shuffled."""
    found = []
    for i in range(count):
        result = {"validation": pool.validation[i] / 100, "test": pool.test[i] / 100}
        result |= {name: values[i] for name, values in columns.items()}
        found.append(row("trained", result, network=network, hyperparameters=kind, run=i))
    return found


def shuffled(pool, seed=0):
    order = np.random.default_rng(seed).permutation(len(pool))
    return Runs(pool.validation[order], pool.test[order])


def fixed_runs(digits, reader):
    """Seeds in turn right on the first and on the last half of the items."""
    halves = [training.pack_answers(np.repeat(half, 200)) for half in ([1, 0], [0, 1])]
    return [
        line
        for network, count, pool in (("digits", 300, digits), ("reader", 75, reader))
        for line in trained(network, "fixed", count, pool, right=np.resize(halves, count))
    ]


def searches(digits, reader):
    return trained("digits", "random", 200, digits) + trained("reader", "random", 75, reader)


def nested(noise):
    """Seeds of the reader, scored on ever larger sets; `noise` is that of the largest."""
    rng = np.random.default_rng(0)
    true = rng.permutation(stats.norm.ppf((np.arange(75) + 0.5) / 75))
    sizes = np.array([3.0, 2.0, 1.0, 0.5, noise])
    sets = true[:, None] + sizes * rng.standard_normal((75, 5))
    cells = [pack(line, ".8g") for line in sets]
    return trained("reader", "fixed", 75, Runs(sets[:, -1], 60 + true), nested=cells)


def answers(share, each=4):
    """Runs that answer items alike, but for a share of them that are right on many more.

    The reader's items stand in families of so many, which go alike.
    """
    rng = np.random.default_rng(0)
    rows = []
    for network, count, size in (("digits", 300, 1), ("reader", 75, each)):
        right = np.tile(rng.integers(2, size=400), (count, 1))
        better = np.arange(count) < round(share * count)
        right[better] |= np.repeat(rng.integers(2, size=(int(better.sum()), 400 // size)), size, axis=1)
        cells = [training.pack_answers(line) for line in right]
        rows += trained(network, "fixed", count, normal(count), right=cells)
        rows.append(row("baselines", {"families": pack([size] * (400 // size))}, network=network))
    return rows


def representative(fixed, searched):
    return fixed_runs(fixed[0], fixed[1]) + searches(searched[0], searched[1])


# ---------------------------------------------------------------------------------------------
# Cases: claim, word, what the evidence shows, pools and rows
# ---------------------------------------------------------------------------------------------

CASES = []


def add(claim, verdict, shown="", rows=(), **pools):
    CASES.append((claim, verdict, shown, list(rows), pools))


PRINTED = {
    "resnet": normal(74, 0.1, 0.67, 68.41),
    "asreader_fixed": normal(370, 0.1, 0.94, 63.16),
    SEARCH: normal(197, 0.8, 2.48, 61.26),
}
add(
    "give-setup-details",
    REPLICATED,
    "ResNet 74 runs, mean 68.41, SD 0.67 (printed 74, 68.41, 0.67)",
    **PRINTED,
)
add("give-setup-details", REPLICATED, "hidden 0.5 if uniform, 1e-20 if its logarithm is", **PRINTED)
add("give-setup-details", NOT, "196 runs", **PRINTED | {SEARCH: normal(196, 0.8, 2.48, 61.26)})
add("give-setup-details", NOT, "mean 63.20", **PRINTED | {"asreader_fixed": normal(370, 0.1, 0.94, 63.2)})
ALIKE = Runs.of(np.repeat([1.0, 2.0], [3, 7]), np.repeat([1.0, 2.0], [3, 7]))
add("training-is-stochastic", REPLICATED, "ResNet 0.00%; AS Reader 0.00%")
add("training-is-stochastic", NOT, "AS Reader 53.33%", asreader_fixed=ALIKE)

for claim, edge in (
    ("population-variance", 0.86 / (np.sqrt(2) * stats.norm.ppf(0.875))),
    ("variation-not-negligible", 0.86 / 1.349),
    ("three-results-in-one-interval", 0.43),
):
    wide, narrow = normal(sd=3.0), normal(sd=0.1)
    add(claim, REPLICATED, "ResNet", resnet=wide, asreader_fixed=wide)
    add(claim, NOT, "AS Reader", resnet=wide, asreader_fixed=narrow)
    add(claim, OPEN, "AS Reader", resnet=normal(74, 0.1, edge), asreader_fixed=wide)

add("search-adds-variance", REPLICATED, "ratio of the SDs 3.00 (")
add("search-adds-variance", NOT, "", **{SEARCH: normal(197, 0.8, 0.3)})
add("search-adds-variance", OPEN, "SDs 1.00 (", **{SEARCH: normal(197, 0.8, 1.0)})

add("best-possible-undefined", REPLICATED, "each tenfold step adds 0.48 to 0.97 SDs", **{SEARCH: skewed(197)})
add("best-possible-undefined", NOT, "ResNet 1.0e-01", resnet=Runs.of(np.arange(10), [0.0] * 9 + [9.0]))

add(
    "fixed-pools-gaussian",
    REPLICATED,
    "AS Reader 0.3000, 5 % values 0.7787 (1974)",
    gaussian_null(0.3, 60_000),
)
add("fixed-pools-gaussian", NOT, "p = 0.0100", gaussian_null(0.9, 1_000))
add("fixed-pools-gaussian", OPEN, "p = 0.0600", gaussian_null(0.76, 6_000))  # between the two tables
add("fixed-pools-gaussian", OPEN, "p = 0.0500", gaussian_null(0.7, 5_000))
add(
    "random-pool-skewed",
    REPLICATED,
    "in 0 of 100,000",
    null(asreader_random=(5.0, 0)),
    **{SEARCH: skewed(197)},
)
add("random-pool-skewed", NOT, "", null(asreader_random=(5.0, 0)), **{SEARCH: skewed(197, sign=1)})
add("random-pool-skewed", NOT, "", null(asreader_random=(5.0, 0)))
add("random-pool-skewed", OPEN, "", null(asreader_random=(0.7, 6_000)), **{SEARCH: skewed(197)})

NONE, STRONG = normal(3000, 0.0), normal(3000, 0.9)
add("selection-nearly-random", REPLICATED, "", resnet=NONE, asreader_fixed=NONE)
add("selection-nearly-random", NOT, "AS Reader 0.89", resnet=NONE, asreader_fixed=STRONG)
add("selection-nearly-random", OPEN, "", resnet=normal(40, 0.2), asreader_fixed=NONE)
add("search-raises-correlation", REPLICATED, "DeBERTa V3 0.9")
add("search-raises-correlation", NOT, "", asreader_fixed=normal(370, 0.8))
add("search-raises-correlation", NOT, "", deberta=normal(300, 0.2))
add("search-raises-correlation", OPEN, "", deberta_v3=normal(300, 0.52))

for claim, n in (("best-rises-with-n", 20), ("budgets-not-comparable", 20), ("publish-number-of-runs", 50)):
    best = gaussian_expected_max(n)
    add(claim, REPLICATED, "", **{SEARCH: normal(500, 0.9, 3.0)})
    # A rise that is there and too small: the rule of the first alone has a word for it.
    small = SMALLER if claim == "best-rises-with-n" else NOT
    add(claim, small, "", **{SEARCH: normal(2000, 0.9, 0.2)})
    add(claim, NOT, "", **{SEARCH: normal(500, -0.9, 3.0)})
    if claim == "best-rises-with-n":
        add(claim, OPEN, "", **{SEARCH: normal(100, 0.0, 20.0)})
    else:
        add(claim, OPEN, "median published gap is 1.15", **{SEARCH: normal(60, 0.9, 1.15 / (0.9 * best))})

add("rise-needs-correlation", REPLICATED, "", resnet=NONE, asreader_fixed=NONE)
add("rise-needs-correlation", NOT, "", resnet=NONE, asreader_fixed=STRONG)
add("rise-needs-correlation", OPEN, "", resnet=NONE, asreader_fixed=normal(3000, 0.5))
# So few runs rise by 0.4 SDs, and may rise by more than half a one.
add("rise-needs-correlation", OPEN, "ResNet 0.4", resnet=normal(60, 0.15), asreader_fixed=NONE)
add("selection-metric-rises-most", REPLICATED, "validation minus test")
add("selection-metric-rises-most", NOT, "", **{SEARCH: normal(197, 1.0)})
add("keep-validation-and-test-apart", REPLICATED, "", **{SEARCH: normal(197, 0.0)})
add("keep-validation-and-test-apart", NOT, "", **{SEARCH: normal(197, 1.0)})
# Surely there, and surely below half an SD: by the letter of the criterion that refutes.
add("keep-validation-and-test-apart", NOT, "search 0.22 (0.16 to", **{SEARCH: normal(500, 0.9)})
add("keep-validation-and-test-apart", OPEN, "", **{SEARCH: normal(60, 0.76)})
add("more-runs-win", REPLICATED, "")
add("more-runs-win", NOT, "", **{SEARCH: normal(197, -0.9)})
add("more-runs-win", OPEN, "", **{SEARCH: normal(100, 0.05)})
BIG = normal(1500, 0.5)
add("characterise-fully", REPLICATED, "ResNet, n = 20: ", resnet=BIG, asreader_fixed=BIG, **{SEARCH: BIG})
add("characterise-fully", NOT, "", resnet=BIG, asreader_fixed=BIG, **{SEARCH: skewed(2000)})
add("characterise-fully", OPEN, "", resnet=normal(30, 0.5, 4.0), asreader_fixed=BIG, **{SEARCH: BIG})
add("one-number-not-enough", REPLICATED, "")
add("one-number-not-enough", NOT, "", **{SEARCH: normal(400, 0.1)})
add("one-number-not-enough", OPEN, "", **{SEARCH: normal(60, 0.1, 1.9)})

add("boo-predicts-deployed", REPLICATED, "DeBERTa V3, boo minus median: -2.000", deployed())
add("boo-predicts-deployed", NOT, "", deployed(("deberta", "boo_less_median"), YES))
add("boo-predicts-deployed", OPEN, "", deployed(("resnet", "boo_less_mean"), UNSURE))
add("mean-right-for-one-model", REPLICATED, "The median minus Boo_5: ResNet -2.000", deployed())
add("mean-right-for-one-model", NOT, "", deployed((SEARCH, "mean_less_boo"), YES))
add("mean-right-for-one-model", OPEN, "", deployed((SEARCH, "mean_less_boo"), UNSURE))
add("n-as-practitioner-trains", REPLICATED, "20 minus 5 for 20", deployed())
add("n-as-practitioner-trains", NOT, "", deployed(("deberta_v3", "20_less_5_for_20"), YES))
add("n-as-practitioner-trains", OPEN, "", deployed((SEARCH, "1_less_20_for_1"), UNSURE))
add("tuning-not-compensated", REPLICATED, "DeBERTa V3 2.000", narrowed(YES))
add("tuning-not-compensated", SMALLER, "", narrowed(LITTLE))
add("tuning-not-compensated", NOT, "", narrowed(NO))
add("tuning-not-compensated", OPEN, "", narrowed(UNSURE))

add("boo-unaffected-by-pool-size", REPLICATED, "(m = 70)", **{SEARCH: normal(197, 0.5)})
add("boo-unaffected-by-pool-size", NOT, "", resnet=normal(74, 1.0))
GRADES = {share: Runs.of(np.arange(100), np.r_[np.zeros(share), np.ones(100 - share)]) for share in (51, 60)}
add("mean-and-median-unaffected", REPLICATED, "")
add("mean-and-median-unaffected", NOT, "", resnet=GRADES[60])
add("mean-and-median-unaffected", OPEN, "", resnet=GRADES[51])
# 9 x 370^8 is the first difference of two powers that is beyond 2^63.
add("package-computes-equation-7", NOT, "up to n = 8 and is off from n = 9 on")
add(
    "package-computes-equation-7",
    REPLICATED,
    "for every n up to 50",
    asreader_fixed=Runs.of([1, 2], [60, 61]),
)
add("no-assumption-on-distribution", REPLICATED, "exponential -0.0981")
add("maximum-of-n-formulas", REPLICATED, "lie up to 3.9 standard errors", formulas("uniform", 3.9))
add("maximum-of-n-formulas", NOT, "lie up to 4.1 standard errors", formulas("exponential", 4.1))
add("validation-test-formula", REPLICATED, "at most 3.9", chosen(3.9))
add("validation-test-formula", NOT, "at most 4.1", chosen(-4.1))

add("more-runs-more-robust", REPLICATED, "search 0.900, 0.700, 0.500, 0.300", sds(0.9, 0.7, 0.5, 0.3))
add("more-runs-more-robust", NOT, "", sds(0.9, 0.7, 0.5, 0.6))
add("more-runs-more-robust", OPEN, "", sds(0.9, 0.7, 0.5, 0.5, scatter=0.01))
add("run-more-than-n", REPLICATED, "search 1.60", ratios_of_errors(1.6))
add("run-more-than-n", NOT, "search 1.20", ratios_of_errors(1.2))
add("run-more-than-n", OPEN, "", ratios_of_errors(1.4))
add("run-more-than-n", OPEN, "", ratios_of_errors(1.2, "normal"))  # a pool refutes, not what is made up
add("parametric-varies-less", REPLICATED, "20 runs 0.90", estimators(cell(0.9, 0.85, 0.95)))
add("parametric-varies-less", NOT, "20 runs 1.20", estimators(cell(1.2, 1.1, 1.3)))
add("parametric-varies-less", OPEN, "", estimators(cell(1.0, 0.9, 1.1)))
add("parametric-helps-small-samples", REPLICATED, "minus that at 80", estimators(of_5=0.8, of_10=1.2))
add("parametric-helps-small-samples", NOT, "", estimators(of_5=1.2, of_10=1.2))
add("parametric-helps-small-samples", OPEN, "", estimators(of_5=1.2))
add("parametric-may-be-biased", REPLICATED, "n = 20: +0.20 against +0.05", biased(0.2, 0.05))
add("parametric-may-be-biased", NOT, "", biased(0.05, 0.01))
add("parametric-may-be-biased", NOT, "", biased(0.2, 0.3))
add("parametric-may-be-biased", OPEN, "", biased(0.2, 0.05, error=1.0))
add(
    "boo-less-noisy-than-best",
    REPLICATED,
    "search, 50 runs, plain 0.70",
    noises(cell(0.7, 0.5, 0.9)),
)
add("boo-less-noisy-than-best", NOT, "", noises(cell(1.2, 1.1, 1.3), "smoothed", 10))
add("boo-less-noisy-than-best", OPEN, "", noises(cell(0.85, 0.7, 0.9)))
add("boo-less-noisy-than-best", OPEN, "", noises(cell(0.7, 0.5, 1.1)))
add(
    "boo-less-variable-than-mean",
    REPLICATED,
    "197 runs, plain 0.90",
    spreads("boo_over_mean", cell(0.9, 0.8, 0.99), m=197),
)
add("boo-less-variable-than-mean", NOT, "", spreads("boo_over_mean", cell(1.2, 1.1, 1.3), m=197))
add("boo-less-variable-than-mean", OPEN, "", spreads("boo_over_mean", cell(1.0, 0.9, 1.1), m=100))
add("skew-is-the-reason", REPLICATED, "50 runs, mirrored 1.30", skew(cell(1.3, 1.1, 1.5)))
add("skew-is-the-reason", NOT, "", skew(cell(0.9, 0.8, 0.99)))
add("skew-is-the-reason", OPEN, "", skew(cell(0.98, 0.9, 1.1)))
add("skew-is-the-reason", OPEN, "", skew(cell(1.3, 1.1, 1.5), between=cell(0.4, 0.3, 0.5)))
RISING = Runs.of(np.arange(197), np.arange(197))
FEW = {
    "resnet": Runs.of(np.arange(74), np.arange(74)),
    SEARCH: Runs.of(np.r_[np.zeros(150), np.arange(1, 48)], np.arange(197)),
}
add("smoothing-needed", OPEN, "search: 12 runs carry 95 %", smoothed(1.2, 1.05), **FEW | {SEARCH: RISING})
add("smoothing-needed", REPLICATED, "best +20%", smoothed(1.2, 1.05), **FEW | {SEARCH: FEW["resnet"]})
add("smoothing-needed", OPEN, "", smoothed(1.08, 1.05), **FEW | {SEARCH: FEW["resnet"]})
add("smoothing-needed", NOT, "boo +15%", smoothed(1.2, 1.15), **FEW)

add("always-compare-with-statistics", REPLICATED, "ResNet 30.0%; AS Reader 6.0%", teams(0.3, 0.06))
add("always-compare-with-statistics", NOT, "", teams(0.04, 0.01))
add("always-compare-with-statistics", OPEN, "", teams(0.3, 0.05))
add("always-compare-with-statistics", OPEN, "", teams(0.3, 0.01))
add("zero-outside-is-significant", REPLICATED, "6.0% (m = 20)", intervals("excluded", 0.06))
add("zero-outside-is-significant", NOT, "", intervals("excluded", 0.1))
add("zero-outside-is-significant", NOT, "", intervals("excluded", 0.01, 40))
add("zero-outside-is-significant", OPEN, "", intervals("excluded", 0.075))
add("bootstrap-interval-covers", REPLICATED, "with five runs", intervals("held_boo", 0.94))
add("bootstrap-interval-covers", NOT, "", intervals("held_boo", 0.9, 50))
add("bootstrap-interval-covers", OPEN, "", intervals("held_boo", 0.931, 10))
add("bootstrap-interval-covers", REPLICATED, "50.0%", intervals("held_boo", 0.5, 5))
add("bootstrap-converges-to-performance", REPLICATED, "", converging(0.4, 0.3, 0.2, 0.1))
add("bootstrap-converges-to-performance", NOT, "single runs 0.10, 0.20", converging(0.1, 0.2, 0.3, 0.4))
add("bootstrap-converges-to-performance", OPEN, "", converging(0.1, 0.2, 0.3, 0.4, sd=(4, 3, 2, 5)))
add("interval-shows-enough-runs", REPLICATED, "", intervals("width", 1.0))
add("interval-shows-enough-runs", NOT, "", intervals("width", 0.7, 20))
add("interval-shows-enough-runs", OPEN, "", intervals("width", 0.7, 5))
add("interval-shows-enough-runs", OPEN, "", intervals("width", 1.3, 20))
add("monte-carlo-smoother", REPLICATED, "m = 10: 94.0% against 85.0%", fitted(0.94))
add("monte-carlo-smoother", NOT, "", fitted(0.8, 0.94))
add("monte-carlo-smoother", OPEN, "", fitted(0.86, 0.85))
add("monte-carlo-smoother", OPEN, "", fitted(0.94, different=1000.0))
# With twenty runs hardly two resamples are alike: there a tie says nothing.
add("monte-carlo-smoother", REPLICATED, "", fitted(0.94, different=(900.0, 900.0, 1000.0)))
add("spend-runs-on-repeats", REPLICATED, "", orders(YES))
add("spend-runs-on-repeats", NOT, "", orders(NO))
add("spend-runs-on-repeats", OPEN, "", orders(UNSURE))

for claim in figures.NOT_RELEASED:
    add(claim, OUT, "")

ENDS = {
    "resnet": Runs.of(np.arange(9), np.linspace(67.31, 69.41, 9)),
    "asreader_fixed": Runs.of(np.arange(9), np.linspace(61.52, 64.6, 9)),
    SEARCH: Runs.of(np.arange(9), np.linspace(56.61, 64.01, 9)),
}
add("range-is-lowest-to-highest", REPLICATED, "6 of 6 printed ends", **ENDS)
add("range-is-lowest-to-highest", NOT, "4 of 6 printed ends", **ENDS | {"resnet": normal()})

NOISE = normal(300, 0.1, 2.0)
# Half of all pairs, or 38 x 37 of 75 x 74 / 2, differ on all 400 items: the root of the share over 800.
add(
    "others-find-the-same",
    REPLICATED,
    "the test items alone would make it 2.50 and 2.52.",
    fixed_runs(NOISE, normal(75, 0.1, 2.0)),
)
add("others-find-the-same", NOT, "", fixed_runs(normal(300, 0.1, 0.2), normal(75, 0.1, 0.2)))
add("others-find-the-same", OPEN, "", fixed_runs(NOISE, normal(75, 0.1, 0.2)))
add("larger-validation-set", REPLICATED, "it rises by", nested(0.2))
add("larger-validation-set", NOT, "", nested(60.0))
add("larger-validation-set", OPEN, "", nested(1.0))
HOLD = shuffled(normal(200, 0.8, 2.0), 3), shuffled(normal(75, 0.8, 2.0), 2)
add("valid-for-random-search", REPLICATED, "released log", searches(*HOLD))
add(
    "valid-for-random-search", NOT, "", searches(normal(200, 0.8, 2.0), HOLD[1])
)  # in the order of their scores
add("repeats-are-needed", REPLICATED, "", answers(0.5))
add("repeats-are-needed", NOT, "digits 0.00", answers(0.0))
add("repeats-are-needed", OPEN, "", answers(0.03))
add("repeats-are-needed", OPEN, "reader 0.11", answers(0.5, each=200))  # two families tell nothing
WEAK = normal(300, 0.1), normal(75, 0.1)
GOOD = normal(200, 0.8), normal(75, 0.8)
add(
    "models-representative",
    REPLICATED,
    "reader, SD of Boo_5 over best of 20, fixed",
    representative([normal(300, 0.1, 0.3)] * 2, GOOD),
)
# Scores lie dense at the top, so that the best of twenty varies least of all: that order alone is reversed.
TOP = skewed(300).pairs[:, 0]
DENSE = Runs.of(TOP + 0.02 * np.random.default_rng(0).standard_normal(300), 60 + 0.2 * TOP)
add("models-representative", NOT, "", representative([DENSE] * 2, [normal(200, 1.0), normal(75, 1.0)]))
add("models-representative", NOT, "", representative([normal(300, 0.1, 9.0)] * 2, GOOD))
add("models-representative", OPEN, "", representative([normal(300, 0.1, 1.0)] * 2, GOOD))
TURNS = {"asreader_fixed": normal(370, 0.0, 0.5, 62.0), SEARCH: normal(400, 0.9, 3.0, 60.0)}
STAYS = {"asreader_fixed": normal(370, 0.0, 0.5, 70.0), SEARCH: normal(400, 0.9, 1.0, 60.0)}
SAME = fixed_runs(normal(300, 0.0, 0.5, 70.0), normal(75, 0.0, 0.5, 70.0)) + searches(
    normal(200, 0.5), normal(75, 0.5)
)
add("n-can-be-cherry-picked", REPLICATED, "reader -10.00", SAME, **TURNS)
add("n-can-be-cherry-picked", NOT, "reader -10.00", SAME, **STAYS)
ONE = fixed_runs(normal(300, 0.0, 0.5, 62.0), normal(75, 0.0, 0.5, 70.0)) + searches(
    normal(200, 0.9, 3.0), normal(75, 0.5)
)
add("n-can-be-cherry-picked", REPLICATED, "reader -10.00", ONE, **STAYS)
UNCLEAR = fixed_runs(normal(300, 0.0, 0.5, 60.02), normal(75, 0.0, 0.5, 70.0)) + searches(
    normal(200, 0.05, 3.0), normal(75, 0.5)
)
add("n-can-be-cherry-picked", OPEN, "", UNCLEAR, **STAYS)

OWN = {
    "others-find-the-same",
    "larger-validation-set",
    "valid-for-random-search",
    "repeats-are-needed",
    "models-representative",
    "n-can-be-cherry-picked",
    "not-for-guided-search",
}
EXACTLY = {
    "plug-in-one-set",
    "plug-in-with-test-set",
    "no-assumption-on-distribution",
    "equation-7-exact",
    "maximum-of-n-formulas",
    "validation-test-formula",
}


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    """Each verdict is a clear one: three hundred draws say it, and an open one stays open with more."""
    monkeypatch.setitem(Resampled.__init__.__kwdefaults__, "draws", 300)
    monkeypatch.setattr(judging, "MOST_DRAWS", 1)
    monkeypatch.setattr(own_runs, "TOGETHER_DRAWS", 1000)


@pytest.fixture
def made_up(monkeypatch):
    """A function that puts made-up pools in the place of the released ones."""

    def put(pools):
        monkeypatch.setattr(audit, "runs", lambda pool: (DEFAULT | pools)[pool])
        log = pd.DataFrame({"number": range(60), "steps": 1, "validation": 1.0})
        test = shuffled(normal(60)).test
        monkeypatch.setattr(audit, "evaluations", lambda: log.assign(test=test))
        drawn = pd.DataFrame({"uniform": [0.5], "logarithm": [1e-20]}, index=["hidden"])
        monkeypatch.setattr(audit, "how_drawn", lambda: drawn)
        names = [f"/{experiment}/{i}" for i, experiment in enumerate(["cbt-dist"] * 3 + ["big"])]
        steps = pd.DataFrame({"run": names, "steps": [0.0, 34_000.0, 36_000.0, 50_000.0]})
        monkeypatch.setattr(released, "bajgar2018_rows", lambda pool: steps)

    return put


@pytest.mark.parametrize(("claim", "verdict", "shown", "rows", "pools"), CASES)
def test_each_word_of_a_judge(made_up, claim, verdict, shown, rows, pools):
    made_up(pools)
    finding = JUDGES[claim](tasks.Record(rows[::-1]))
    assert finding.verdict == verdict, finding.evidence
    assert shown in finding.evidence
    assert finding.evidence.endswith((".", ")"))
    if claim not in OWN:
        assert finding.data == ("exact" if claim in EXACTLY else "released data")


# What a rule says in one word alone, here or below.
ELSEWHERE = {
    "plug-in-one-set",
    "plug-in-with-test-set",
    "equation-7-exact",
    "five-runs-overnight",
    "points-are-best-epochs",
    "released-pool-is-the-printed-one",
    "expected-best-is-equation-7",
    "not-for-guided-search",
}


def test_every_judge_has_its_words():
    said = {claim: {verdict for other, verdict, *_ in CASES if other == claim} for claim in JUDGES}
    assert {claim for claim, words in said.items() if not words} == ELSEWHERE
    single = {claim for claim, words in said.items() if len(words) == 1}
    assert single == {*figures.NOT_RELEASED, "no-assumption-on-distribution"}


def test_a_search_that_is_odd_at_95_percent_and_not_at_99_is_no_refutation(made_up, monkeypatch):
    made_up({})
    # The reader's runs in an order whose neighbours are a little alike.
    pool, rows = normal(75, 1.0, 2.0), searches(*HOLD)[:200]
    order = (np.arange(75) + 40 * np.random.default_rng(0).standard_normal(75)).argsort()
    rows += trained("reader", "random", 75, Runs(pool.validation[order], pool.test[order]))
    record = tasks.Record(rows)
    assert JUDGES["valid-for-random-search"](record).verdict == REPLICATED
    monkeypatch.setattr(own_runs, "TOGETHER", 0.95)
    assert JUDGES["valid-for-random-search"](record).verdict == NOT


def test_one_pair_that_turns_says_on_what_data(made_up):
    made_up(TURNS)
    assert JUDGES["n-can-be-cherry-picked"](tasks.Record(SAME)).data == "released data"
    made_up(STAYS)
    assert JUDGES["n-can-be-cherry-picked"](tasks.Record(ONE)).data == "own run"


@pytest.mark.parametrize(
    "claim",
    ["boo-predicts-deployed", "bootstrap-interval-covers", "others-find-the-same", "fixed-pools-gaussian"],
)
def test_a_judge_without_rows_waits(made_up, claim):
    made_up({})
    with pytest.raises(MissingRunsError):
        JUDGES[claim](tasks.Record([]))


def test_one_set_and_two_against_another_bound(monkeypatch, made_up):
    made_up({})
    for claim, least in (("plug-in-one-set", 0.2), ("plug-in-with-test-set", 0.14)):
        assert JUDGES[claim](None).verdict == NOT
        monkeypatch.setattr(exact, "NEAR", least)
        finding = JUDGES[claim](None)
        assert (finding.verdict, finding.data) == (REPLICATED, "exact")
        monkeypatch.setattr(exact, "NEAR", 0.1)
    monkeypatch.setattr(exact, "NEAR", 0.09)
    assert JUDGES["no-assumption-on-distribution"](None).verdict == NOT
    assert "rising -0.218 (m = 5)" in JUDGES["plug-in-with-test-set"](None).evidence


def test_listed_weights_can_differ(monkeypatch):
    found = JUDGES["equation-7-exact"](None)
    # For each number of runs m, 2^(m - 1) ways to tie and five budgets.
    assert (found.verdict, found.data) == (REPLICATED, "exact")
    assert f"In {5 * 31} of {5 * 31} cases" in found.evidence
    monkeypatch.setattr(exact, "_formula_weights", lambda level, n: [])
    assert JUDGES["equation-7-exact"](None).verdict == NOT


@pytest.mark.parametrize(
    ("hours", "verdict"),
    [(np.full(50, 2.0), REPLICATED), (np.full(50, 3.0), NOT), (np.linspace(0, 4.9, 50), OPEN)],
)
def test_each_word_on_hours(monkeypatch, hours, verdict):
    table = pd.DataFrame({"number": range(len(hours)), "best": hours / 2, "whole": hours, "minutes": 9.0})
    monkeypatch.setattr(audit, "hours", lambda: table)
    finding = JUDGES["five-runs-overnight"](None)
    assert (finding.verdict, finding.data) == (verdict, "released data")
    assert f"take {5 * hours.mean():.1f} (" in finding.evidence


@pytest.mark.parametrize(
    ("matching", "moved", "verdict"),
    [
        ("best", 0.0, REPLICATED),
        ("last", 0.0, NOT),
        ("both", 0.0, NOT),
        ("neither", 0.0, NOT),
        ("best", 0.5, OPEN),
    ],
)
def test_each_word_on_best_epochs(monkeypatch, matching, moved, verdict):
    # Two evaluations that tie in validation, and a last one that is worse.
    steps = pd.DataFrame({"steps": [1, 2, 3], "validation": [2.0, 2.0, 1.0], "test": [10 - moved, 10, 5.0]})
    table = pd.concat([steps.assign(number=n) for n in range(4)])
    monkeypatch.setattr(audit, "evaluations", lambda: table)
    good = {"best": {10.0}, "last": {5.0}, "both": {5.0, 10.0}, "neither": set()}[matching]
    fits = dict.fromkeys(("mean", "sd", "spearman"), True)
    monkeypatch.setattr(
        figures, "matches", lambda pool, of: dict.fromkeys(fits, set(of.test.tolist()) <= good)
    )
    finding = JUDGES["points-are-best-epochs"](None)
    assert finding.verdict == verdict
    assert "of 4 runs" in finding.evidence


@pytest.mark.parametrize(("matching", "verdict"), [(True, REPLICATED), (False, NOT)])
def test_each_word_on_the_released_pool(monkeypatch, made_up, matching, verdict):
    made_up({})
    monkeypatch.setattr(
        figures, "matches", lambda pool, of: {"mean": matching or pool != "resnet", "sd": True}
    )
    monkeypatch.setattr(audit, "other_pools", lambda: {"a": normal(73), "b": normal(75)})
    finding = JUDGES["released-pool-is-the-printed-one"](None)
    assert finding.verdict == verdict
    assert (
        f"Of 2 other ways to make the ResNet's pool from its file none matches more than {1 + matching}"
        in (finding.evidence)
    )


@pytest.mark.parametrize(("five", "verdict"), [("61.0", REPLICATED), ("99.0", NOT)])
def test_each_word_on_the_expected_best(monkeypatch, made_up, five, verdict):
    constant = Runs.of(np.arange(30), np.full(30, 61.0))
    made_up({SEARCH: constant})
    printed = {f"{SEARCH}/expected_best/{n}": "61.0" for n in (1, 20)} | {f"{SEARCH}/expected_best/5": five}
    monkeypatch.setattr(figures, "published", lambda: printed)
    finding = JUDGES["expected-best-is-equation-7"](None)
    assert finding.verdict == verdict
    assert "every n from 1 to 200" in finding.evidence
    assert ("no n to 200" in finding.evidence) == (verdict == NOT)


@pytest.mark.parametrize(
    ("trend", "scatter", "verdict"), [(5.0, 0.1, REPLICATED), (0.0, 0.1, NOT), (0.0, 5.0, OPEN)]
)
def test_each_word_on_guided_search(monkeypatch, trend, scatter, verdict):
    rng = np.random.default_rng(0)
    # Guided searches get better from trial to trial, so that the first n are worse than any n.
    trials = [60 + trend * np.arange(30) / 30 + scatter * rng.standard_normal(30) for _ in range(12)]
    table = pd.DataFrame({"restart": range(12), "validations": [pack(t / 100, ".8f") for t in trials]})
    monkeypatch.setattr(recorded, "load_recorded", lambda *names: table[::-1])
    finding = JUDGES["not-for-guided-search"](None)
    assert (finding.verdict, finding.data, finding.intervals) == (verdict, "own run", 3)
    assert "pooled trials of 12 guided searches" in finding.evidence


# ---------------------------------------------------------------------------------------------
# The printed figures
# ---------------------------------------------------------------------------------------------


def test_computed_figures_are_those_of_the_pools(made_up):
    made_up(PRINTED)
    rows = null(resnet=(0.3, 60_000), asreader_fixed=(0.76, 4_000), asreader_random=(5.0, 0))
    verdicts = pd.DataFrame(
        [
            ("bajgar2018/boo-less-variable-than-mean", REPLICATED, "It is so."),
            ("bajgar2018/parametric-varies-less", OPEN, "It may be so."),
        ],
        columns=["id", "verdict", "evidence"],
    )
    table = figures.computed(tasks.Record(rows), verdicts)
    found = table.set_index("id")
    ids = [name for name in audit.published().index if "_published" not in name]
    assert table.id.tolist() == ids
    assert found.value["resnet/mean"] == pytest.approx(68.41)
    rule = "of 35,000 steps or more, of 4 in the file; any limit from 34,001 to 36,000 leaves as many"
    assert found.note["resnet/n_runs"].endswith(rule)
    assert found.note["asreader_fixed/n_runs"].endswith("of 3 that were begun")
    assert found.note["asreader_random/n_runs"].endswith("of 4 that were begun")
    assert found.value["asreader_random/sd"] == pytest.approx(2.48)
    assert found.value["gaussian/boo5"] == pytest.approx(1.16296, abs=1e-5)
    assert found.value["normality/resnet"] == 1
    assert found.value["normality/asreader_fixed"] == 0
    assert "p = 0.0400" in found.note["normality/asreader_fixed"]
    assert found.note["normality/asreader_fixed"].endswith("5 % value of 1986")
    assert found.note["normality/resnet"].endswith("of neither")
    assert found.value["normality/asreader_random"] == (stats.skew(PRINTED[SEARCH].test) < 0)
    assert found.value["gap/three"] == 4  # 4 x 0.67 / 0.86 and 4 x 0.94 / 1.15 are a little above 3
    assert found.value["boo/less_variable"] == 1
    assert found.value["estimator/parametric"] == 0
    assert found.note["estimator/parametric"] == "inconclusive: It may be so."
    assert pd.isna(found.value["iclr2017/papers"])
    assert found.note["iclr2017/papers"]
    assert table.attrs == {recorded.LACKING: {}}


def test_figures_whose_draws_are_missing_are_not_computed(made_up):
    made_up(PRINTED)
    verdicts = pd.DataFrame(columns=["id", "verdict", "evidence"])
    verdicts.attrs[recorded.LACKING] = {}
    table = figures.computed(tasks.Record([]), verdicts)
    missing = {"normality/resnet", "normality/asreader_fixed", "normality/asreader_random"}
    assert set(table.attrs[recorded.LACKING]) == missing | {"boo/less_variable", "estimator/parametric"}
