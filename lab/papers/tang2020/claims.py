"""What the simulations say of each printed figure and each claim of Tang et al. (2020).

A judge returns quantities; what they must be to confirm or refute a claim stands in
`data/published/limits.csv`.
"""

import functools
from fractions import Fraction
from itertools import product
from math import comb, prod

import numpy as np
import pandas as pd

from lab.papers.judging import WORDS, Evidence, Judges, Quantity, Share
from lab.papers.tang2020.audit import OTHERS, PAPERS, POOLS, UNSMOOTHED

JUDGES = Judges("tang2020")

# Figures and theorems that are held up by the verdicts on these claims.
FIGURES = {
    "fig2": "failure-case",
    "fig3": "estimator-negative",
    "fig4": "coverage-fails",
    "theorem1": "theorem-1",
    "theorem2": "theorem-2",
}
# What can stand in the place of the paper's two pools, the MLP's and the LSTM's.
PAIRS = {
    "DeBERTa and DeBERTa v3": ("deberta", "deberta-v3"),
    "our MLP and our LSTM": ("own mlp", "own lstm"),
}
STAND_INS = {**PAIRS, "VAMPIRE, the README's normal": ("vampire", "truncated normal")}
NO_KERNEL, FRESH = "the runs, without a kernel", "below a fresh best, as in the code"
EARLIER = {"n = 10, a fifth of the runs": 10, "n = 25, half of the runs": 25}
PLACES = ("first pool", "second pool")


def computed(simulated, verdicts):
    """Compute what the paper prints.

    Parameters
    ----------
    simulated : lab.papers.tang2020.tasks.Simulated
    verdicts : pandas.DataFrame
        As `JUDGES.findings` returns them.

    Returns
    -------
    pandas.DataFrame
        Columns `id`, `value`, `note`.
    """
    figures = []
    budgets = range(25, 31)
    for name, column in (("biased", "v"), ("unbiased", "u")):
        fresh, truly = (
            [
                100
                * np.divide(
                    *simulated.trials(
                        "truncated normal", f"{what}_{column}", n, "shares"
                    )
                )
                for n in budgets
            ]
            for what in ("below_fresh", "below")
        )
        note = (
            f"at n = {budgets[-1]}; from n = {budgets[0]} on {min(fresh):.1f} to"
            f" {max(fresh):.1f}: below the best of a fresh sample, as the released code"
            f" asks, of all that are not equal to it; below the truth: {min(truly):.1f}"
            f" to {max(truly):.1f}"
        )
        figures.append((f"readme/{name}", float(fresh[-1]), note))
    # What is open is no value: it holds as little as it does not.
    values = {
        word: value
        for yes, *_, no, _ in WORDS.values()
        for word, value in ((yes, 1.0), (no, 0.0))
    }
    for name, claim in FIGURES.items():
        judged = verdicts.set_index("id").loc[f"tang2020/{claim}"]
        figures.append((name, values.get(judged.verdict), judged.evidence))
    return pd.DataFrame(figures, columns=["id", "value", "note"])


# --------------------------------------------------------------------------------------
# The theorems, on every small case
# --------------------------------------------------------------------------------------


def _small_distributions():
    """Yield every distribution on the grades 0, 1, 2 whose chances are sixths."""
    for a, b in product(range(7), repeat=2):
        if a + b <= 6:
            yield tuple(Fraction(c, 6) for c in (a, b, 6 - a - b))


def _expectations(chances, size, n):
    """Return (E[U], E[V], the expected maximum of n draws), each over every sample of a
    size.
    """
    u, v = Fraction(0), Fraction(0)
    for sample in product(range(3), repeat=size):
        chance, ordered = prod(chances[grade] for grade in sample), sorted(sample)
        u += chance * Fraction(
            sum(comb(k, n - 1) * x for k, x in enumerate(ordered)), comb(size, n)
        )
        v += chance * Fraction(
            sum(((k + 1) ** n - k**n) * x for k, x in enumerate(ordered)), size**n
        )
    return u, v, 2 - chances[0] ** n - (chances[0] + chances[1]) ** n


@functools.cache
def _small_cases():
    """Return the chances, n and expectations of every small case."""
    return [
        (chances, n, _expectations(chances, size, n))
        for chances in _small_distributions()
        for size in range(1, 6)
        for n in range(1, size + 1)
    ]


def _share(cases):
    """Return in which share of exact cases something holds."""
    return Quantity.exact(sum(cases) / len(cases))


@JUDGES.judge("theorem-1")
def _v_is_biased(simulated):
    weak, strict, equal = [], [], []
    for chances, n, (u, v, truth) in _small_cases():
        alike = n == 1 or max(chances) == 1
        weak.append(u == truth and v <= u)
        strict.append(v == truth if alike else v < truth)
        equal += [alike] * (u == v)
    return Evidence(
        "exact",
        f"In {sum(weak)} of {len(weak)} cases E[U] is the expected maximum and E[V] at"
        f" most it, in fractions. E[V] equals E[U] in {len(equal)} of {len(weak)}"
        f" cases; in {sum(equal)} of the {len(equal)}, n is 1 or all scores are equal.",
        {
            "E[V] at most the truth": _share(weak),
            "share of the cases": _share(strict),
        },
    )


@JUDGES.judge("u-unbiased")
def _u_is_unbiased(simulated):
    good = [u == truth for _, _, (u, _, truth) in _small_cases()]
    return Evidence(
        "exact",
        f"In {sum(good)} of {len(good)} cases E[U] is the expected maximum, in"
        " fractions.",
        {"share of the cases": _share(good)},
    )


@JUDGES.judge("theorem-2")
def _distance_goes_to_one(simulated):
    good = []
    budgets = np.arange(1, 31)[:, None]
    for chances in _small_distributions():
        below = np.cumsum([float(chance) for chance in chances])
        # The highest grade exists, and is not in the sample.
        grades = [grade for grade in (0, 1) if chances[grade] and chances[2]]
        for size in range(1, 5):
            for sample in product(grades, repeat=size):
                empirical = np.mean(np.array(sample)[:, None] <= np.arange(3), axis=0)
                distance = np.abs(empirical**budgets - below**budgets).max(axis=1)
                # Falls geometrically, for it is below 1.
                rest = below[max(sample)] ** budgets[:, 0]
                good.append(
                    bool((distance >= 1 - rest - 1e-12).all() and rest[-1] < rest[0])
                )
    return Evidence(
        "exact",
        f"In {sum(good)} of {len(good)} small samples without the highest score, 1"
        " minus the distance is at most F(best seen)^n.",
        {"1 minus the distance bounded": _share(good)},
        verdict="cannot say" if all(good) else "not consistent",
        why=(
            "That is for n alone. The theorem lets a second quantity grow, whose symbol"
            " is lost in the text at hand. If it is the number of runs, and n grows"
            " with it, then for continuous scores F(best seen)^n is uniform between 0"
            " and 1, however many there are, and the bound does not go to 1."
        ),
    )


# --------------------------------------------------------------------------------------
# The simulations
# --------------------------------------------------------------------------------------


def _from_five_on(what, simulated, pools, column, n=None, table="samples"):
    """Return a share at n, by default the size of a sample, and its change since n = 5,
    for two pools.
    """
    quantities = {}
    for place, pool in zip(PLACES, pools, strict=True):
        early, late = (
            Share(*simulated.trials(pool, column, at, table))
            for at in (5, n or POOLS[pool])
        )
        quantities[f"{what}, {place}"] = late
        # Beyond zero where the two intervals do not touch.
        ends = late.low - early.high, late.high - early.low
        quantities[f"change from n = 5, {place}"] = Quantity(
            late.estimate - early.estimate, *ends
        )
    return quantities


def _at(simulated, pool, column, budgets, spec):
    """Write the share of a pool at some n."""
    return ", ".join(
        f"{np.divide(*simulated.trials(pool, column, n)):{spec}} at n = {n}"
        for n in budgets
    )


@JUDGES.judge("estimator-negative")
def _estimator_negative(simulated):
    too_low = functools.partial(_from_five_on, "too low", simulated)
    phrases = [
        f"{pool.upper()}: {_at(simulated, pool, 'below_v', (5, 50), '.1%')}"
        for pool in PAPERS
    ]
    return Evidence(
        "released data",
        f"Below the truth: {'; '.join(phrases)}.",
        too_low(PAPERS, "below_v"),
        {
            FRESH: too_low(PAPERS, "below_fresh_v", table="shares"),
            "400,000 samples": too_low(PAPERS, "below_v", table="shares"),
            "U in place of V": too_low(PAPERS, "below_u", table="shares"),
            NO_KERNEL: too_low(UNSMOOTHED, "below_v", table="shares"),
            **{
                name: too_low(PAPERS, "below_v", n, table="shares")
                for name, n in EARLIER.items()
            },
            **{name: too_low(pools, "below_v") for name, pools in STAND_INS.items()},
        },
    )


@JUDGES.judge("coverage-fails")
def _coverage_fails(simulated):
    coverage = functools.partial(_from_five_on, "coverage", simulated)
    phrases = [
        f"{pool}: {_at(simulated, pool, 'held_boot_v', (5, 20, 50), '.0%')}"
        for pool in PAPERS
    ]
    return Evidence(
        "released data",
        f"Coverage for V, nominally 95 %: {'; '.join(phrases)}.",
        coverage(PAPERS, "held_boot_v"),
        {
            "0.9 in place of 0.95": {},
            "0.8 in place of 0.95": {},
            "U in place of V": coverage(PAPERS, "held_boot_u"),
            **{name: coverage(PAPERS, "held_boot_v", n) for name, n in EARLIER.items()},
            **{
                name: coverage(pools, "held_boot_v")
                for name, pools in STAND_INS.items()
            },
        },
    )


def _furthest(simulated, pools, column="below_u", table="shares", looks=50):
    """Return the share that is furthest from a half among all n, so many looks
    together, for two pools.
    """
    quantities = {}
    for place, pool in zip(PLACES, pools, strict=True):
        trials = [
            simulated.trials(pool, column, n, table) for n in range(1, POOLS[pool] + 1)
        ]
        cases, count = max(trials, key=lambda counts: abs(np.divide(*counts) - 0.5))
        quantities[f"U too low, {place}"] = Share(
            cases, count, confidence_level=1 - 0.05 / looks
        )
    return quantities


@JUDGES.judge("unbiased-neither")
def _unbiased_neither(simulated):
    now, first = (
        _furthest(simulated, PAPERS),
        _furthest(simulated, PAPERS, table="samples", looks=1),
    )
    phrases = [
        f"{pool.upper()} {share:.1%}"
        for pool, share in zip(PAPERS, now.values(), strict=True)
    ]
    return Evidence(
        "released data",
        "U below the truth, at the n where that is furthest from a half:"
        f" {'; '.join(phrases)}. Unbiased is a statement on the mean; where estimates"
        " are skewed the median differs.",
        {**now, **{f"as first asked, {name}": share for name, share in first.items()}},
        {
            FRESH: _furthest(simulated, PAPERS, "below_fresh_u"),
            NO_KERNEL: _furthest(simulated, UNSMOOTHED),
            **{
                name: _furthest(simulated, pools, table="samples")
                for name, pools in STAND_INS.items()
            },
        },
    )


@JUDGES.judge("failure-case")
def _failure_case(simulated):
    phrases, analyses = [], {}
    names = {
        (*pair, 50): name for name, pair in {NO_KERNEL: (*UNSMOOTHED,), **PAIRS}.items()
    }
    for (*pools, size), failure in sorted(simulated.failures.items()):
        # The true curves cross at n = 20, beyond samples of 10. Other pairs are held at
        # the paper's size.
        name = (
            f"samples of {size}"
            if pools == ["mlp", "lstm"] and size > 10
            else names.get((*pools, size))
        )
        if name:
            analyses[name] = {"n in the wrong order": Quantity.exact(failure["wrong"])}
        if failure["wrong"] and pools == ["mlp", "lstm"]:
            several = f"{failure['wrong_from']} to " * (failure["wrong"] > 1)
            phrases.append(f"samples of {size}: n = {several}{failure['wrong_to']}")
    judged = analyses.pop("samples of 50")
    sentence = f"By exact expectations, the wrong order: {', '.join(phrases)}."
    return Evidence("released data", sentence, judged, analyses)


@JUDGES.judge("u-v-gap")
def _u_v_gap(simulated):
    gaps = {
        pool: simulated.truth(pool) - simulated.truth(pool, "expected_v")
        for pool in (*PAPERS, *OTHERS)
    }
    rises = {
        f"least rise, {pool}": Quantity.exact(np.diff(gap).min())
        for pool, gap in gaps.items()
    }
    ends = {
        f"least rise, {pool}": Quantity.exact(gap[-1] - gap[1])
        for pool, gap in gaps.items()
    }
    largest = ", ".join(f"{gap.argmax() + 1} ({pool})" for pool, gap in gaps.items())
    falling = sum(rise.estimate <= 0 for rise in rises.values())
    return Evidence(
        "released data",
        "E[U] minus E[V], exactly, over samples of 50 runs, is largest at n ="
        f" {largest}. It falls somewhere on {falling} of {len(gaps)} pools.",
        rises,
        {"n = 50 against n = 2 alone": ends},
    )
