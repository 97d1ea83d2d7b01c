"""The estimators of Boo_n where arithmetic decides: formulas, weights, and biases, exactly."""

import itertools
from fractions import Fraction

import numpy as np
from scipy import integrate, special, stats

from evalkit.expected_maximum import boo, gaussian_expected_max
from evalkit.papers.bajgar2018 import audit
from evalkit.papers.bajgar2018.audit import PAPERS, SEARCH
from evalkit.papers.bajgar2018.claims.statistics import NAMES
from evalkit.papers.bajgar2018.tasks.formulas import CORRELATIONS, FORMULA_BUDGETS, LAWS, PAIR_BUDGETS
from evalkit.papers.bajgar2018.tasks.samples import N
from evalkit.papers.judging import Finding, Judges, either, held
from evalkit.recorded import unpack

JUDGES = Judges("bajgar2018")

NEAR = 0.1  # of an SD, what the criteria call unbiased


def distinct_chances(n, m):
    """Return how likely n draws with replacement from m runs are to give 1, 2, ... n different ones.

    Parameters
    ----------
    n, m : int

    Returns
    -------
    ndarray of float, shape (n,)
    """
    chances = np.zeros(n + 1)
    chances[0] = 1.0
    d = np.arange(n + 1)
    for _ in range(n):
        fresh = np.append(0, (chances * (m - d) / m)[:-1])
        chances = chances * d / m + fresh
    return chances[1:]


def expected_plug_in(truths, m):
    """Return the expectation of Equation 7 from m runs, exactly.

    Parameters
    ----------
    truths : array_like of float, shape (n,)
        The expected test score of the best-validation run of 1, 2, ... n.
    m : int

    Returns
    -------
    float
        Equation 7 draws n times with replacement from the m runs. Given how many of them are different,
        these are a random sample of so many.
    """
    return float(distinct_chances(len(truths), m) @ truths)


def _plug_in_biases(truths, sd, sizes=(5, 10, 20, 50)):
    """Return the bias of Equation 7 in SDs, by the number of runs."""
    return {m: (expected_plug_in(truths, m) - truths[-1]) / sd for m in sizes}


def _signed(biases):
    return ", ".join(f"{bias:+.3f} (m = {m})" for m, bias in biases.items())


def _within(biases):
    """Tell whether the biases of more than n runs are near zero."""
    return all(abs(bias) <= NEAR for m, bias in biases.items() if m > N)


@JUDGES.judge("boo-unaffected-by-pool-size")
def _boo_unaffected(record):
    biases = {}
    for pool in PAPERS:
        found = audit.runs(pool)
        truths = boo(found.validation, found.test, n=np.arange(1, N + 1), estimator="u")
        biases[pool] = _plug_in_biases(truths, found.sd, (5, 10, 20, 40, 70))
    lines = [f"{NAMES[pool]} {_signed(found)}" for pool, found in biases.items()]
    return Finding(
        held(all(map(_within, biases.values()))),
        "released data",
        f"Expectation of Equation 7 over subsets of m runs minus the unbiased value, in SDs: "
        f"{'; '.join(lines)}.",
    )


def expected_median(scores, m):
    """Return the expected median of a random subset of a pool, exactly.

    Parameters
    ----------
    scores : ndarray of float, shape (N,)
    m : int

    Returns
    -------
    float
    """
    ordered, n = np.sort(scores), len(scores)
    rank = np.arange(1, n + 1)
    found = []
    for k in {(m + 1) // 2, m // 2 + 1}:
        # The k-th of m is the run of this rank if k - 1 of the others lie below it.
        chances = special.comb(rank - 1, k - 1) * special.comb(n - rank, m - k)
        found.append(chances / chances.sum() @ ordered)
    return float(np.mean(found))


@JUDGES.judge("mean-and-median-unaffected")
def _mean_and_median(record):
    lines, good, moved = [], [], []
    for pool in PAPERS:
        found = audit.runs(pool)
        medians = np.array([expected_median(found.test, m) for m in (5, 10, 20, 40)])
        off = (medians - np.median(found.test)) / found.sd
        good.append((abs(off) <= NEAR).all())
        moved.append(np.ptp(off) > NEAR)
        lines.append(f"{NAMES[pool]} {off.min():+.3f} to {off.max():+.3f}")
    return Finding(
        either(all(good), any(moved)),
        "released data",
        "The mean of the mean is that of the pool. The mean of the median of 5, 10, 20 and 40 runs minus the "
        "pool's, "
        f"in SDs: {'; '.join(lines)}.",
    )


@JUDGES.judge("equation-7-exact")
def _equation_7(record):
    good = cases = 0
    for m in range(1, 6):
        # Every way in which m runs can tie: where the next level begins.
        for begins in itertools.product((0, 1), repeat=m - 1):
            level = np.cumsum((0, *begins))
            for n in range(1, 6):
                listed = _listed_weights(level, n)
                ours = [boo(level, np.eye(m)[run], n=n, estimator="v") for run in range(m)]
                cases += 1
                good += _formula_weights(level, n) == listed and np.allclose(
                    ours, [float(weight) for weight in listed], rtol=0, atol=1e-12
                )
    return Finding(
        held(good == cases),
        "exact",
        f"In {good} of {cases} cases the weights are those of all ordered draws with replacement, in "
        f"fractions, "
        "and evalkit's are the same.",
    )


def _listed_weights(level, n):
    """Return how often each run is the best of n draws, over every ordered draw; ties share evenly."""
    m = len(level)
    weights = [Fraction(0)] * m
    for draw in itertools.product(range(m), repeat=n):
        best = max(level[i] for i in draw)
        ties = [i for i in draw if level[i] == best]
        for i in ties:
            weights[i] += Fraction(1, len(ties) * m**n)
    return weights


def _formula_weights(level, n):
    """Return the weights of Equation 7, of which runs that tie have equal shares."""
    m = len(level)
    weights = []
    for value in level:
        up_to, before = int((level <= value).sum()), int((level < value).sum())
        weights.append(Fraction(up_to**n - before**n, m**n * (up_to - before)))
    return weights


def _exponential(n):
    """Return the expected maximum of 1, 2, ... n exponential scores."""
    return np.cumsum(1 / np.arange(1, n + 1))


def _two_peaks(n):
    """Return the expected maximum of 1, 2, ... n draws from two normals four SDs apart, and the SD of one."""

    def below(x):
        return (special.ndtr(x - 2) + special.ndtr(x + 2)) / 2

    grid = np.linspace(-12, 12, 200_001)
    # By tail probabilities: E = integral of (1 - F^n) above zero less that of F^n below it.
    return np.array(
        [integrate.simpson(np.where(grid > 0, 1.0, 0.0) - below(grid) ** k, x=grid) for k in range(1, n + 1)]
    ), np.sqrt(5.0)


@JUDGES.judge("plug-in-one-set")
def _plug_in_one_set(record):
    budgets = np.arange(1, N + 1)
    biases = {
        "normal": _plug_in_biases(gaussian_expected_max(budgets), 1.0),
        "exponential": _plug_in_biases(_exponential(N), 1.0),
    }
    for pool in PAPERS:
        scores = audit.runs(pool).validation
        truths = boo(scores, n=budgets, estimator="v")
        biases[NAMES[pool]] = _plug_in_biases(truths, scores.std(ddof=1))
    lines = [f"{name} {_signed(found)}" for name, found in biases.items()]
    always = all(bias < 0 for found in biases.values() for bias in found.values())
    return Finding(
        held(all(map(_within, biases.values()))),
        "exact",
        f"Expectation of Equation 7 for n = 5 minus the truth, in SDs: {'; '.join(lines)}. It is "
        f"{'always' if always else 'not always'} too low.",
    )


def _bent(n, share):
    """Return the expected test score of the best of 1 to n if it is highest in the middle of validation."""

    # (1 - v^2) / sqrt(2) has mean 0 and variance 1 for a normal v.
    def square(k):
        density = lambda v: k * stats.norm.pdf(v) * special.ndtr(v) ** (k - 1) * v**2  # noqa: E731
        return integrate.quad(density, -12, 12, epsabs=1e-12, limit=200)[0]

    return share * np.array([(1 - square(k)) / np.sqrt(2) for k in range(1, n + 1)])


@JUDGES.judge("plug-in-with-test-set", criterion="2026-11-22")
def _plug_in_with_test_set(record):
    slope = float(audit.published()[f"{SEARCH}/spearman"])
    rising = slope * gaussian_expected_max(np.arange(1, N + 1))
    cases = {"rising": rising, "flat": 0 * rising, "falling": -rising, "bent": _bent(N, slope)}
    biases = {name: _plug_in_biases(truths, 1.0) for name, truths in cases.items()}
    lines = [f"{name} {_signed(found)}" for name, found in biases.items()]
    return Finding(
        held(all(map(_within, biases.values()))),
        "exact",
        f"Expectation of Equation 7 for n = 5 minus the truth, in SDs, mean test score {'; '.join(lines)}. "
        "It lies on the side of fewer runs: too low where the test score rises with validation, too high "
        "where it falls.",
    )


@JUDGES.judge("no-assumption-on-distribution", criterion="2026-11-22")
def _no_assumption(record):
    budgets, m = np.arange(1, N + 1), 20
    searched = audit.runs(SEARCH)
    whole = boo(searched.validation, searched.test, n=budgets, estimator="v")
    peaks, sd = _two_peaks(N)
    truths = {
        "random-search pool": (whole, searched.sd),
        "exponential": (_exponential(N), 1.0),
        "two peaks": (peaks, sd),
        "normal": (gaussian_expected_max(budgets), 1.0),
    }
    biases = {name: _plug_in_biases(truth, sd, (m,))[m] for name, (truth, sd) in truths.items()}
    normal = abs(biases["normal"])
    others = [abs(bias) for name, bias in biases.items() if name != "normal"]
    lines = ", ".join(f"{name} {bias:+.4f}" for name, bias in biases.items())
    return Finding(
        either(max(others) <= NEAR, any(bias > NEAR and bias > normal for bias in others)),
        "exact",
        f"Expectation of Equation 7 from 20 runs minus the truth, in SDs: {lines}.",
    )


@JUDGES.judge("package-computes-equation-7")
def _package(record):
    pool = audit.runs("asreader_fixed")
    m = len(pool)
    below = np.array(
        [
            np.searchsorted(pool.validation, v, side=side)
            for side in ("left", "right")
            for v in pool.validation
        ]
    )
    before, up_to = below.reshape(2, m)
    first, worst = None, 0.0
    for n in range(1, 51):
        exact = _formula_sum(pool, before, up_to, n)
        with np.errstate(over="ignore"):
            wrapped = (up_to.astype(np.int64) ** n - before.astype(np.int64) ** n) / float(m) ** n
        off = abs(float((wrapped / (up_to - before)) @ pool.test) - exact)
        if off > 1e-9:
            first, worst = first or n, max(worst, off)
    return Finding(
        held(first is None),
        "released data",
        "With ranks to the power n in 64-bit integers, Equation 7 on the 370 runs agrees with fractions "
        + (
            f"up to n = {first - 1} and is off from n = {first} on, by up to {worst:.1f} points."
            if first
            else "for every n up to 50."
        ),
    )


def _formula_sum(pool, before, up_to, n):
    """Return Equation 7 in fractions, rounded once."""
    m = len(pool)
    total = sum(
        Fraction(int(up) ** n - int(low) ** n, m**n * int(up - low)) * Fraction(float(test))
        for low, up, test in zip(before, up_to, pool.test, strict=True)
    )
    return float(total)


# ---------------------------------------------------------------------------------------------
# Formulas against ten million draws
# ---------------------------------------------------------------------------------------------

_CLOSED = {
    # Of the best, then of the worst.
    "normal": (gaussian_expected_max, lambda n: -gaussian_expected_max(n)),
    "uniform": (lambda n: n / (n + 1), lambda n: 1 / (n + 1)),
    "exponential": (lambda n: float(_exponential(n)[-1]), lambda n: 1 / n),
}
_BELOW = {
    "normal": (special.ndtr, -12, 12),
    "uniform": (lambda x: x, 0, 1),
    "exponential": (lambda x: -np.expm1(-x), 0, 60),
}


def integrated(law, n, scale=1.0, shift=0.0):
    """Return the expected best of n by numerical integration of F to the power n.

    Parameters
    ----------
    law : {"normal", "uniform", "exponential"}
    n : int
    scale, shift : float
        Of the scores.

    Returns
    -------
    float
    """
    below, low, high = _BELOW[law]
    low, high = shift + scale * low, shift + scale * high

    def at_most(x):
        return below((x - shift) / scale) ** n

    middle = np.linspace(low, high, 25)
    parts = itertools.pairwise(middle)
    return high - sum(integrate.quad(at_most, a, b, epsabs=1e-13, epsrel=1e-13)[0] for a, b in parts)


@JUDGES.judge("maximum-of-n-formulas")
def _maximum_formulas(record):
    farthest = apart = 0.0
    for law in LAWS:
        found = record.one("maxima", law=law)
        for name, closed in zip(("best", "worst"), _CLOSED[law], strict=True):
            truth = np.array([closed(n) for n in FORMULA_BUDGETS])
            errors = abs(unpack(found[name]) - truth) / unpack(found[f"error_{name}"])
            farthest = max(farthest, errors.max())
        apart = max(apart, *(abs(integrated(law, n) - _CLOSED[law][0](n)) for n in FORMULA_BUDGETS))
    pool = audit.runs("asreader_fixed")
    mean, sd = pool.test.mean(), pool.sd
    linear = max(
        abs(integrated("normal", n, sd, mean) - mean - sd * gaussian_expected_max(n)) for n in FORMULA_BUDGETS
    )
    return Finding(
        held(farthest <= 4 and apart <= 1e-9 and linear <= 1e-9),
        "exact",
        f"Three laws, n = 1 to 50: integrals and closed forms differ by at most {apart:.0e}; ten million "
        f"draws "
        f"lie up to {farthest:.1f} standard errors off, minima included; with mean {mean:.1f} and SD "
        f"{sd:.2f} "
        f"the normal one is linear to {linear:.0e}.",
    )


@JUDGES.judge("validation-test-formula")
def _validation_test(record):
    blocks = record.table("chosen", 10)
    farthest = 0.0
    for n in PAIR_BUDGETS:
        mean, square = (
            np.mean([unpack(cell) for cell in blocks[f"{name}_{n}"]], axis=0) for name in ("mean", "square")
        )
        error = np.sqrt((square - mean**2) / blocks.draws.sum())
        formula = np.array(CORRELATIONS) * gaussian_expected_max(n)
        farthest = max(farthest, (abs(mean - formula) / error).max())
    return Finding(
        held(farthest <= 4),
        "exact",
        f"Five correlations, n = 2, 5, 20, {blocks.draws.sum():,} draws each: at most {farthest:.1f} "
        f"standard "
        "errors from Equation 6.",
    )
