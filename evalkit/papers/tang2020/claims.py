"""What the simulations say of each printed figure and each claim of Tang et al. (2020).

The claims, with what would confirm and what would refute each, stand in `data/published/claims.csv`
and were committed before the simulations ran.
"""

import functools
from fractions import Fraction
from itertools import product
from math import comb, log, pi

import numpy as np
import pandas as pd

from evalkit import released
from evalkit.expected_maximum import expected_max, expected_max_band
from evalkit.papers.judging import OUT_OF_REACH, REPLICATED, Finding, Judges, Trials, either, held
from evalkit.papers.tang2020.audit import OTHERS, PAPERS
from evalkit.proportions import proportion_interval
from evalkit.recorded import LACKING

JUDGES = Judges("tang2020")

# Figures and theorems that are held up by the verdicts on these claims.
FIGURES = {
    "fig2": ["failure-case"],
    "fig3": ["estimator-negative"],
    "fig4": ["coverage-fails"],
    "theorem1": ["theorem-1", "theorem-1-strict"],
    "theorem2": ["theorem-2"],
}


def computed(simulated, verdicts):
    """Compute what the paper prints.

    Parameters
    ----------
    simulated : evalkit.papers.tang2020.tasks.Simulated
    verdicts : pandas.DataFrame
        As `JUDGES.findings` returns them.

    Returns
    -------
    pandas.DataFrame
        Columns `id`, `value`, `note`.
    """
    found = {}
    pool, budgets = "truncated normal", range(25, 31)
    for name, column in (("biased", "v"), ("unbiased", "u")):
        shares = []
        for n in budgets:
            below, count = simulated.trials(pool, f"below_fresh_{column}", n)
            tied, _ = simulated.trials(pool, f"tied_fresh_{column}", n)
            shares.append(100 * below / (count - tied))
        truly = [100 * np.divide(*simulated.trials(pool, f"below_{column}", n)) for n in budgets]
        found[f"readme/{name}"] = (
            float(shares[-1]),
            f"at n = {budgets[-1]}; from n = {budgets[0]} on {min(shares):.1f} to {max(shares):.1f}: below "
            "the best of a fresh sample, as the released code asks, of all that are not equal to it; below "
            f"the truth: {min(truly):.1f} to {max(truly):.1f}",
        )
    judged, lacking = verdicts.set_index("id"), {}
    for name, claims in FIGURES.items():
        if without := [claim for claim in claims if f"tang2020/{claim}" not in judged.index]:
            lacking[name] = verdicts.attrs[LACKING][f"tang2020/{without[0]}"]
            continue
        of_figure = judged.loc[[f"tang2020/{claim}" for claim in claims]]
        found[name] = (float((of_figure.verdict == REPLICATED).all()), " ".join(of_figure.evidence))
    table = pd.DataFrame(
        [(name, value, note) for name, (value, note) in found.items()], columns=["id", "value", "note"]
    )
    table.attrs[LACKING] = lacking
    return table


# ---------------------------------------------------------------------------------------------
# The theorems, on every small case
# ---------------------------------------------------------------------------------------------


def _small_distributions():
    """Yield every distribution on the grades 0, 1, 2 whose chances are sixths."""
    for a, b in product(range(7), repeat=2):
        if a + b <= 6:
            yield tuple(Fraction(c, 6) for c in (a, b, 6 - a - b))


def _expectations(chances, size, n):
    """Return (E[U], E[V], the expected maximum of n draws), each over every sample of a size."""
    u, v = Fraction(0), Fraction(0)
    for sample in product(range(3), repeat=size):
        chance = Fraction(1)
        for grade in sample:
            chance *= chances[grade]
        if chance:
            ordered = sorted(sample)
            u += chance * Fraction(sum(comb(k, n - 1) * x for k, x in enumerate(ordered)), comb(size, n))
            v += chance * Fraction(sum(((k + 1) ** n - k**n) * x for k, x in enumerate(ordered)), size**n)
    truth = 2 - chances[0] ** n - (chances[0] + chances[1]) ** n
    return u, v, truth


@functools.cache
def _small_cases():
    return [
        (chances, n, _expectations(chances, size, n))
        for chances in _small_distributions()
        for size in range(1, 6)
        for n in range(1, size + 1)
    ]


@JUDGES.judge("theorem-1")
def _theorem_1(simulated):
    cases = [expectations for _, _, expectations in _small_cases()]
    good = sum(u == truth and v <= u for u, v, truth in cases)
    return Finding(
        held(good == len(cases)),
        "exact",
        f"In {good} of {len(cases)} cases E[U] is the expected maximum and E[V] at most it, in fractions.",
    )


@JUDGES.judge("theorem-1-strict")
def _theorem_1_strict(simulated):
    equal = [(chances, n) for chances, n, (u, v, _) in _small_cases() if u == v]
    expected = sum(n == 1 or max(chances) == 1 for chances, n in equal)
    return Finding(
        held(len(equal) == expected),
        "exact",
        f"E[V] equals E[U] in {len(equal)} of {len(_small_cases())} cases; in {expected} of the "
        f"{len(equal)}, n is 1 or all scores are equal.",
    )


@JUDGES.judge("theorem-2")
def _theorem_2(simulated):
    good, cases = 0, 0
    budgets = np.arange(1, 31)[:, None]
    for chances in _small_distributions():
        below = np.array([float(sum(chances[: k + 1])) for k in range(3)])
        for size in range(1, 5):
            for sample in product(range(2), repeat=size):  # the highest grade is not in the sample
                if not chances[2] or any(not chances[grade] for grade in sample):
                    continue
                empirical = np.array([np.mean(np.array(sample) <= k) for k in range(3)])
                distance = np.abs(empirical**budgets - below**budgets).max(axis=1)
                rest = below[max(sample)] ** budgets[:, 0]  # falls geometrically, for it is below 1
                cases += 1
                good += bool((distance >= 1 - rest - 1e-12).all() and rest[-1] < rest[0])
    return Finding(
        held(good == cases),
        "exact",
        f"In {good} of {cases} small samples without the highest score, 1 minus the distance is at most "
        "F(best seen)^n.",
    )


# ---------------------------------------------------------------------------------------------
# The simulations
# ---------------------------------------------------------------------------------------------


def _trials(simulated, pools, column, budgets=(5, 50)):
    """Return how often something was the case among the samples of some pools, at some budgets."""
    return tuple(
        Trials(simulated.samples[pool], int(simulated.total(pool, column)[n - 1]))
        for pool in pools
        for n in budgets
    )


@JUDGES.judge("estimator-negative")
def _estimator_negative(simulated):
    good, shares = [], []
    for pool in PAPERS:
        early, early_interval = simulated.share(pool, "below_v", 5)
        late, interval = simulated.share(pool, "below_v", 50)
        good.append(interval.low > max(0.5, early_interval.high))
        shares.append(f"{pool.upper()}: {early:.1%} at n = 5, {late:.1%} at n = 50")
    drawn = _trials(simulated, PAPERS, "below_v")
    return Finding(held(all(good)), "released data", f"Below the truth: {'; '.join(shares)}.", drawn)


@JUDGES.judge("unbiased-neither", criterion="2026-11-22")
def _unbiased_neither(simulated):
    good, lines, drawn = [], [], []
    level = 1 - 0.05 / 50  # fifty looks at once
    for pool in PAPERS:
        trials = [simulated.trials(pool, "below_u", n) for n in range(1, 51)]
        shares = [cases / count for cases, count in trials]
        intervals = [proportion_interval(*counts, confidence_level=level) for counts in trials]
        outside = sum(0.5 not in interval for interval in intervals)
        good.append(not outside)
        lines.append(
            f"{pool.upper()}: from {min(shares):.1%} to {max(shares):.1%}, other than a half at "
            f"{outside} of 50 n"
        )
        drawn += [Trials(count, cases) for cases, count in trials]
    return Finding(
        held(all(good)),
        "released data",
        f"Below the truth: {'; '.join(lines)}. Unbiased is a statement on the mean; where estimates are "
        "skewed the median differs.",
        tuple(drawn),
        intervals=len(PAPERS),  # families of fifty
    )


@JUDGES.judge("failure-case")
def _failure_case(simulated):
    sizes = {
        size: found
        for (*pools, size), found in sorted(simulated.failures.items())
        if tuple(pools) == ("mlp", "lstm") and found["wrong"]
    }
    where = ", ".join(
        f"samples of {size}: n = "
        + (f"{found['wrong_from']} to {found['wrong_to']}" if found["wrong"] > 1 else f"{found['wrong_to']}")
        for size, found in sizes.items()
    )
    return Finding(held(50 in sizes), "released data", f"By exact expectations, the wrong order: {where}.")


@JUDGES.judge("u-mends-ranking")
def _u_mends_ranking(simulated):
    truth = simulated.truth("mlp") - simulated.truth("lstm")
    mean = simulated.mean("mlp", "mean_u") - simulated.mean("lstm", "mean_u")
    error = np.sqrt(sum(simulated.mean(pool, "square_error_u") / simulated.samples[pool] for pool in PAPERS))
    wrong = int(((np.sign(truth) != np.sign(mean)) & (np.abs(truth) > 4 * error)).sum())
    return Finding(
        held(wrong == 0),
        "released data",
        f"The averaged U has the wrong order at {wrong} of 50 n, beyond four standard errors; its largest "
        f"distance from the true difference is {np.abs(mean - truth).max():.4f}.",
    )


@JUDGES.judge("curves-cross")
def _curves_cross(simulated):
    difference = simulated.truth("mlp") - simulated.truth("lstm")
    changes = np.flatnonzero(np.diff(np.sign(difference)))
    good = difference[0] > 0 > difference[-1] and len(changes) == 1
    where = f"{len(changes)} crossing, after n = {changes[0] + 1}" if len(changes) else "no crossing"
    return Finding(
        held(good),
        "released data",
        f"MLP above by {difference[0]:.3f} at n = 1, LSTM by {-difference[-1]:.3f} at n = 50; {where}.",
    )


@JUDGES.judge("elmo-above-glove")
def _elmo_above_glove(simulated):
    return Finding(OUT_OF_REACH, "released data", "The runs of the two pools were not released.")


def _coverage(simulated, pools, column):
    """Return, for each pool, whether coverage falls below what is promised, and the shares in words."""
    falls, shares = [], []
    for pool in pools:
        (early, early_interval), (midway, _), (late, interval) = (
            simulated.share(pool, column, n) for n in (5, 20, 50)
        )
        falls.append(interval.high < min(0.95, early_interval.low))
        shares.append(f"{pool}: {early:.0%} at n = 5, {midway:.0%} at n = 20, {late:.0%} at n = 50")
    return falls, "; ".join(shares)


@JUDGES.judge("coverage-fails")
def _coverage_fails(simulated):
    falls, shares = _coverage(simulated, PAPERS, "held_boot_v")
    return Finding(
        held(all(falls)),
        "released data",
        f"Coverage for V, nominally 95 %: {shares}.",
        _trials(simulated, PAPERS, "held_boot_v"),
    )


@JUDGES.judge("coverage-other-pools")
def _coverage_other_pools(simulated):
    falls, shares = _coverage(simulated, OTHERS, "held_boot_v")
    return Finding(
        held(all(falls)),
        "released data",
        f"Coverage for V: {shares}. (The last two are our own runs.)",
        _trials(simulated, OTHERS, "held_boot_v"),
    )


@JUDGES.judge("remedy-is-u")
def _remedy_is_u(simulated):
    inside = [0.95 in simulated.share(pool, "held_boot_u", 50)[1] for pool in PAPERS]
    _, shares = _coverage(simulated, PAPERS, "held_boot_u")
    bands = []
    for pool in PAPERS:
        held_all = simulated.total(pool, "held_all_ks")[0] / simulated.samples[pool]
        wider = simulated.mean(pool, "width_ks")[49] / simulated.mean(pool, "width_boot_u")[49]
        bands.append(f"{pool}: all n at once {held_all:.1%}, {wider:.1f} times as wide at n = 50")
    return Finding(
        held(all(inside)),
        "released data",
        f"Coverage for U: {shares}. U mends the bias, not the intervals. A distribution-free band holds "
        f"({'; '.join(bands)}).",
        _trials(simulated, PAPERS, "held_boot_u", (50,)),
    )


@JUDGES.judge("mlp-worse", criterion="2026-11-22")
def _mlp_worse(simulated):
    drawn, sides, lines = [], [], []
    for column, rule in (("below_v", "the truth"), ("below_fresh_v", "the best of a fresh sample")):
        counts = {pool: simulated.trials(pool, column, 50) for pool in PAPERS}
        mlp, lstm = (proportion_interval(*counts[pool]) for pool in ("mlp", "lstm"))
        sides.append(1 if mlp.low > lstm.high else -1 if mlp.high < lstm.low else 0)
        drawn += [Trials(count, cases) for cases, count in counts.values()]
        shares = ", ".join(
            f"{cases / count:.2%} ({pool.upper()}, {low:.2%} to {high:.2%})"
            for (pool, (cases, count)), (low, high) in zip(counts.items(), (mlp, lstm), strict=True)
        )
        lines.append(f"below {rule} {shares}")
    sd = {pool: simulated.sd(pool, "v")[49] for pool in PAPERS}
    steadier = sd["mlp"] < sd["lstm"]
    return Finding(
        either(min(sides) == 1 and steadier, max(sides) == -1 or not steadier),
        "released data",
        f"V at n = 50: {'; '.join(lines)}; its SD is {sd['mlp']:.4f} and {sd['lstm']:.4f}.",
        tuple(drawn),
    )


@JUDGES.judge("wasted-compute")
def _wasted_compute(simulated):
    reached = {
        pool: np.searchsorted(simulated.truth(pool, "expected_v"), simulated.truth(pool)[19]) + 1
        for pool in PAPERS
    }
    where = ", ".join(
        f"{pool.upper()} at n = {n}" if n <= 50 else f"{pool.upper()} at no n to 50"
        for pool, n in reached.items()
    )
    return Finding(
        held(min(reached.values()) > 20),
        "released data",
        f"The averaged V reaches the true value of n = 20: {where}.",
    )


@JUDGES.judge("wrong-variant")
def _wrong_variant(simulated):
    ratios = {
        pool: simulated.mean(pool, "square_error_first")[4:45] / simulated.mean(pool, "square_error_v")[4:45]
        for pool in PAPERS
    }
    ranges = "; ".join(
        f"{pool.upper()}: {ratio.min():.1f} to {ratio.max():.1f} times" for pool, ratio in ratios.items()
    )
    return Finding(
        held(all(ratio.min() >= 2 for ratio in ratios.values())),
        "released data",
        f"Mean squared error of the variant over that of V, n = 5 to 45: {ranges}.",
    )


@JUDGES.judge("u-v-gap", criterion="2026-11-22")
def _u_v_gap(simulated):
    gaps = {pool: simulated.truth(pool) - simulated.truth(pool, "expected_v") for pool in (*PAPERS, *OTHERS)}
    lines = "; ".join(
        f"{pool.upper()}: {gaps[pool][9]:.4f} at n = 10, {gaps[pool][49]:.4f} at n = 50, largest at n = "
        f"{gaps[pool].argmax() + 1}"
        for pool in PAPERS
    )
    elsewhere = ", ".join(f"{gaps[pool].argmax() + 1} ({pool})" for pool in OTHERS)
    falling = [pool for pool, gap in gaps.items() if not (np.diff(gap) > 0).all()]
    return Finding(
        held(not falling),
        "released data",
        f"E[U] minus E[V], exactly: {lines}. On other pools, of 50 runs as well, it is largest at n = "
        f"{elsewhere}. It falls somewhere on {len(falling)} of {len(gaps)} pools.",
    )


def log_factorial(m):
    """Approximate the logarithm of m! by Stirling's formula, as the paper suggests.

    Parameters
    ----------
    m : int

    Returns
    -------
    float
    """
    return 0.0 if m == 0 else m * log(m) - m + 0.5 * log(2 * pi * m)


@JUDGES.judge("stirling")
def _stirling(simulated):
    size = 1030
    scores = np.sort(np.random.default_rng(0).normal(size=size))
    exact = expected_max(scores, np.arange(1, size + 1))
    logs = np.array([log_factorial(m) for m in range(size + 1)])
    errors = []
    for n in range(1, size + 1):
        k = np.arange(n, size + 1)
        chance = np.zeros(size)  # P(best <= x(k)) from approximate binomial coefficients
        chance[k - 1] = np.exp(logs[k] - logs[k - n] - logs[size] + logs[size - n])
        estimate = chance[-1] * scores[-1] - chance[:-1] @ np.diff(scores)
        errors.append(abs(estimate - exact[n - 1]) / np.ptp(scores))
    errors = np.array(errors)
    beyond = np.flatnonzero(errors >= 1e-6) + 1
    added = []
    for n in (1, 2, 10):
        k = np.arange(n, 51)
        chosen = logs[50] - logs[n] - logs[50 - n]
        added.append(np.exp(logs[k - 1] - logs[n - 1] - logs[k - n] - chosen).sum())
    return Finding(
        held(not len(beyond)),
        "exact",
        f"For N = {size} the error is up to {errors.max():.1e} of the range, at n = {errors.argmax() + 1}; "
        f"at {len(beyond)} of {size} n it is 1e-6 or more. (That is by cumulative chances, in which n! "
        "cancels. With each coefficient of the paper's sum by the formula, the weights of 50 scores add up "
        f"to {added[0]:.3f} at n = 1, {added[1]:.3f} at n = 2 and {added[2]:.4f} at n = 10.) A recurrence "
        "in n is exact, and as short.",
    )


@JUDGES.judge("smooth-truth")
def _smooth_truth(simulated):
    outside = simulated.densities["lstm"]["outside"]
    table = released.tang2020()
    inside = {}
    for pool, system in (("mlp", "mlp"), ("lstm", "reg_lstm")):
        band = expected_max_band(table.f1[table.system == system], np.arange(1, 51), bounds=(0, 1))
        truth = simulated.truth(pool)
        inside[pool] = bool(((band.low <= truth) & (truth <= band.high)).all())
    curves = ", ".join(
        f"{pool.upper()} {'within' if held_in else 'outside'}" for pool, held_in in inside.items()
    )
    return Finding(
        held(outside == 0 and all(inside.values())),
        "released data",
        f"The LSTM's density gives {outside:.1%} to F1 scores outside [0, 1]; its best scores go to "
        f"{simulated.densities['lstm']['high']:.2f}. True curves against the 95 % band of the runs: "
        f"{curves}.",
    )


@JUDGES.judge("curves-precise")
def _curves_precise(simulated):
    largest = {}
    for pool in PAPERS:
        for name in ("u", "v"):
            bias = simulated.mean(pool, f"mean_{name}") - simulated.truth(pool)
            variance = simulated.mean(pool, f"square_error_{name}") - bias**2
            largest[f"{pool.upper()}, {name.upper()}"] = np.sqrt(variance.max() / simulated.samples[pool])
    lines = "; ".join(f"{curve}: {error:.2e}" for curve, error in largest.items())
    return Finding(
        held(max(largest.values()) < 1e-3),
        "released data",
        f"Largest standard error of a mean curve, {lines}.",
    )


@JUDGES.judge("v-asymptotically-unbiased")
def _v_asymptotically(simulated):
    curves = {
        pool: {size: abs(bias) for (of, size), bias in sorted(simulated.biases.items()) if of == pool}
        for pool in PAPERS
    }
    sizes = {pool: np.array(list(curve.values())) for pool, curve in curves.items()}
    falls = all((np.diff(biases) < 0).all() for biases in sizes.values())
    left = {pool: biases[-1] / biases[0] for pool, biases in sizes.items()}
    lines = "; ".join(
        f"{pool.upper()}: " + ", ".join(f"{bias:.1e} ({size})" for size, bias in curve.items())
        for pool, curve in curves.items()
    )
    return Finding(
        either(falls and max(left.values()) <= 0.05, not falls or max(left.values()) > 0.5),
        "exact",
        f"Bias of V at n = 10, by the size of the sample, downwards: {lines}.",
    )


@JUDGES.judge("tasks-alike")
def _tasks_alike(simulated):
    return Finding(OUT_OF_REACH, "released data", "The runs of the second task were not released.")


@JUDGES.judge("dodge-code", criterion="2026-11-22")
def _dodge_code(simulated):
    return Finding(
        REPLICATED,
        "released data",
        "Read, not run: in allentune/commands/plot.py, at commit 6f97a56, the chance that the best of n is "
        "at most the i-th of all N sorted scores is (i / N) to the power of n. That is V. By an option, off "
        "by default, it counts subsets, which is U.",
    )
