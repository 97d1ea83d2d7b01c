"""Every judge of Tang et al. on made-up simulations whose verdict is known, for each word that it can say."""

import functools
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from evalkit import expected_max, recorded, released
from evalkit.papers.tang2020 import audit, claims, tasks

SAMPLES, N = 400, np.arange(1, 51)


def at(rest, other=()):
    """One value for each n: the same everywhere, but for some n."""
    values = np.full(50, float(rest))
    for n, value in dict(other).items():
        values[n - 1] = value
    return values


def cells(name, values):
    """A column in two blocks: counts add up to what they should, means are those of both."""
    values = np.broadcast_to(values, 50)
    if name.startswith("sd"):  # of equal blocks, whose variances have this mean
        return [recorded.pack(values * share, ".17g") for share in (np.sqrt(0.5), np.sqrt(1.5))]
    if name.startswith(("below", "tied", "held")):
        return [recorded.pack((values // 2).astype(int)), recorded.pack((values - values // 2).astype(int))]
    return [recorded.pack(values * share, ".17g") for share in (0.9, 1.1)]


def simulated(columns=(), truths=(), densities=(), failures=(), shares=(), biases=()):
    """Simulations of 400 samples a pool; each argument is a dict of pools, of sizes for the failures."""
    rows = [
        {"unit": {"table": "failures", "first": "mlp", "second": "lstm", "size": k}, "result": v}
        for k, v in dict(failures).items()
    ]
    # Those of another pair, which no claim of the paper speaks of.
    wrong = {"wrong": 9, "wrong_from": 1, "wrong_to": 9}
    rows.append({"unit": {"table": "failures", "first": "b", "second": "a", "size": 50}, "result": wrong})
    for pool, found in dict(shares).items():
        for block in (0, 1):
            result = {name: cells(name, values)[block] for name, values in found.items()}
            unit = {"table": "shares", "pool": pool, "block": block}
            rows.append({"unit": unit, "result": {"samples": SAMPLES // 2, **result}})
    for pool, found in dict(biases).items():
        for size, bias in found.items():
            unit = {"table": "biases", "pool": pool, "n": 10, "size": size}
            rows.append({"unit": unit, "result": {"bias": bias}})
    rows += [{"unit": {"table": "densities", "pool": k}, "result": v} for k, v in dict(densities).items()]
    for pool, found in dict(truths).items():
        curves = {k: recorded.pack(np.broadcast_to(v, 50), ".17g") for k, v in found.items()}
        rows.append({"unit": {"table": "truths", "pool": pool}, "result": curves})
    for pool, found in dict(columns).items():
        for block in (0, 1):
            result = {name: cells(name, values)[block] for name, values in found.items()}
            unit = {"table": "samples", "pool": pool, "block": block}
            rows.append({"unit": unit, "result": {"samples": SAMPLES // 2, **result}})
    return tasks.Simulated(rows)


def pair(mlp, lstm):
    return {"mlp": mlp, "lstm": lstm}


@functools.cache
def interval(count, level=0.95):
    return stats.binomtest(count, SAMPLES).proportion_ci(level, method="exact")


# The counts of 400 where the interval just leaves a share, on either side.
def above(limit, level=0.95):
    return next(k for k in range(SAMPLES + 1) if interval(k, level).low > limit)


def below(limit, level=0.95):
    return next(k for k in range(SAMPLES, -1, -1) if interval(k, level).high < limit)


def rising(early, late):
    return {"below_v": at(200, {5: early, 50: late})}


def negative(early, late):
    return pair(rising(220, 320), rising(early, late))


def covering(column, early, late):
    return {column: at(380, {5: early, 50: late})}


def falling(early, late, pools=("mlp", "lstm")):
    """The last pool as told, the others clearly falling."""
    sure = dict.fromkeys(pools, covering("held_boot_v", 376, 200))
    return sure | {[*pools][-1]: covering("held_boot_v", early, late)}


def remedied(count):
    found = {"held_all_ks": 392, "width_ks": at(9, {50: 0.6}), "width_boot_u": at(1, {50: 0.2})}
    return pair(covering("held_boot_u", 372, 380) | found, covering("held_boot_u", 372, count) | found)


def under(count, sd, fresh=None):
    """V at n = 50: how often it lies below the truth, and below a fresh best, as often by default; its SD."""
    fresh = count if fresh is None else fresh
    return {"below_v": at(200, {50: count}), "below_fresh_v": at(9, {50: fresh}), "sd_v": at(9, {50: sd})}


def precise(sd):
    """The averaged U at n = 7 has this SD around a mean that is 0.1 off; elsewhere all are steadier."""
    columns = {}
    for pool in ("mlp", "lstm"):
        wide = sd if pool == "lstm" else 0.001
        columns[pool] = {
            "mean_u": at(0.7),
            "square_error_u": at(0.1**2, {7: wide**2 + 0.1**2}),
            "mean_v": at(0.8),
            "square_error_v": at(0.001**2),
        }
    return {"columns": columns, "truths": pair({"truth": 0.8}, {"truth": 0.8})}


def shrinking(*biases):
    """The LSTM's bias by the size of the sample; the MLP's clearly falls."""
    return {
        "biases": pair({50: -0.02, 800: -0.0001, 100: -0.01}, {50 * k: -b for k, b in enumerate(biases, 1)})
    }


def unbiased(count):
    return {"shares": pair({"below_u": at(200)}, {"below_u": at(200, {1: 190, 7: count})})}


def ranked(difference):
    """The true difference, negative at n = 3 alone, where the averaged U says 0.05; four errors are 0.12."""
    columns = pair({"mean_u": at(0.85), "square_error_u": 0.16}, {"mean_u": at(0.8), "square_error_u": 0.2})
    return {"columns": columns, "truths": pair({"truth": at(0.85, {3: 0.8 + difference})}, {"truth": 0.8})}


def crossing(*lstm):
    """The LSTM's truth in equal stretches, the MLP's 0.5."""
    return {"truths": pair({"truth": 0.5}, {"truth": np.repeat(lstm, 50 // len(lstm))})}


def reaching(mlp, lstm):
    """E[V] rises by so much with each n, the truth by 0.01."""
    return {
        "truths": {
            pool: {"truth": 0.01 * N, "expected_v": slope * N}
            for pool, slope in (("mlp", mlp), ("lstm", lstm))
        }
    }


def variant(other):
    first = {"square_error_first": at(0.06), "square_error_v": at(0.02)}
    return pair(first, first | {"square_error_first": at(0.06, other)})


def gaps(lstm, other=0.01 * N):
    """The LSTM's gaps and those of the last pool that the claim is not about; the rest rise throughout."""
    rising = {"truth": 0.02 * N, "expected_v": 0.01 * N}
    told = {"lstm": lstm, [*audit.OTHERS][-1]: other}
    pools = dict.fromkeys(("mlp", *audit.OTHERS), rising)
    return {"truths": pools | {pool: {"truth": 1, "expected_v": 1 - gap} for pool, gap in told.items()}}


EARLY_HIGH, EARLY_LOW, LOOKS = interval(220).high, interval(360).low, 1 - 0.05 / 50
WIDE, NARROW = above(EARLY_HIGH), below(EARLY_LOW)
REPLICATED, NOT, OPEN = "replicated", "not replicated", "inconclusive"

CASES = [
    (
        "estimator-negative",
        {"columns": negative(220, WIDE)},
        REPLICATED,
        "MLP: 55.0% at n = 5, 80.0% at n = 50",
    ),
    ("estimator-negative", {"columns": negative(220, WIDE - 1)}, NOT, f"{(WIDE - 1) / 4:.1f}% at n = 50."),
    ("estimator-negative", {"columns": negative(100, above(0.5))}, REPLICATED, "LSTM: 25.0% at n = 5"),
    ("estimator-negative", {"columns": negative(100, above(0.5) - 1)}, NOT, ""),
    ("estimator-negative", {"columns": pair(rising(320, 220), rising(220, 320))}, NOT, ""),
    (
        "unbiased-neither",
        unbiased(above(0.5, LOOKS) - 1),
        REPLICATED,
        "from 50.0% to 50.0%, other",
    ),
    ("unbiased-neither", unbiased(above(0.5, LOOKS)), NOT, "a half at 1 of 50 n"),
    (
        "unbiased-neither",
        unbiased(below(0.5, LOOKS)),
        NOT,
        "to 50.0%, other than a half at 1 of",
    ),
    ("unbiased-neither", unbiased(below(0.5, LOOKS) + 1), REPLICATED, "MLP: from 50.0%"),
    ("unbiased-neither", unbiased(300), NOT, "LSTM: from 47.5% to 75.0%"),
    (
        "failure-case",
        {
            "failures": {
                75: {"wrong": 2, "wrong_from": 30, "wrong_to": 31},
                50: {"wrong": 5, "wrong_from": 20, "wrong_to": 24},
                10: {"wrong": 0, "wrong_from": 0, "wrong_to": 0},
            }
        },
        REPLICATED,
        "wrong order: samples of 50: n = 20 to 24, samples of 75: n = 30 to 31.",
    ),
    (
        "failure-case",
        {
            "failures": {
                10: {"wrong": 1, "wrong_from": 9, "wrong_to": 9},
                50: {"wrong": 0, "wrong_from": 0, "wrong_to": 0},
            }
        },
        NOT,
        "wrong order: samples of 10: n = 9.",
    ),
    ("u-mends-ranking", ranked(-0.119), REPLICATED, "at 0 of 50 n, beyond four standard errors; its"),
    ("u-mends-ranking", ranked(-0.121), NOT, "at 1 of 50 n, beyond four standard errors; its"),
    ("u-mends-ranking", ranked(-0.121), NOT, "distance from the true difference is 0.1710."),
    ("u-mends-ranking", ranked(0.5), REPLICATED, "distance from the true difference is 0.4500."),
    (
        "curves-cross",
        crossing(0.4, 0.7),
        REPLICATED,
        "by 0.100 at n = 1, LSTM by 0.200 at n = 50; 1 crossing",
    ),
    ("curves-cross", crossing(0.4, 0.7, 0.7, 0.7, 0.7), REPLICATED, "1 crossing, after n = 10."),
    ("curves-cross", crossing(0.7, 0.4), NOT, "MLP above by -0.200 at n = 1, LSTM by -0.100 at n = 50"),
    ("curves-cross", crossing(0.4, 0.7, 0.3, 0.8, 0.8), NOT, "3 crossing"),
    ("curves-cross", crossing(0.4, 0.5), NOT, "LSTM by -0.000 at n = 50"),
    ("curves-cross", crossing(0.5, 0.6), NOT, "MLP above by 0.000 at n = 1"),
    ("curves-cross", crossing(0.4, 0.4), NOT, "LSTM by -0.100 at n = 50; no crossing."),
    ("elmo-above-glove", {}, "out of reach", ""),
    (
        "coverage-fails",
        {"columns": falling(360, NARROW)},
        REPLICATED,
        "mlp: 94% at n = 5, 95% at n = 20, 50% at n = 50; lstm: 90%",
    ),
    ("coverage-fails", {"columns": falling(360, NARROW + 1)}, NOT, ""),
    ("coverage-fails", {"columns": falling(399, below(0.95))}, REPLICATED, "lstm: 100% at n = 5"),
    ("coverage-fails", {"columns": falling(399, below(0.95) + 1)}, NOT, ""),
    ("coverage-fails", {"columns": pair(*reversed(falling(360, NARROW + 1).values()))}, NOT, ""),
    ("coverage-other-pools", {"columns": falling(360, NARROW, audit.OTHERS)}, REPLICATED, "own lstm: 90% at"),
    ("coverage-other-pools", {"columns": falling(360, NARROW + 1, audit.OTHERS)}, NOT, "vampire: 94% at"),
    (
        "remedy-is-u",
        {"columns": remedied(below(0.95) + 1)},
        REPLICATED,
        "mlp: 93% at n = 5, 95% at n = 20, 95% at n = 50",
    ),
    ("remedy-is-u", {"columns": remedied(below(0.95))}, NOT, "mlp: all n at once 98.0%, 3.0 times as wide"),
    ("remedy-is-u", {"columns": remedied(above(0.95) - 1)}, REPLICATED, ""),
    ("remedy-is-u", {"columns": remedied(above(0.95))}, NOT, ""),
    (
        "mlp-worse",
        {"shares": pair(under(WIDE, 0.01), under(220, 0.02))},
        REPLICATED,
        "its SD is 0.0100 and 0.0200.",
    ),
    ("mlp-worse", {"shares": pair(under(WIDE - 1, 0.01), under(220, 0.02))}, OPEN, ""),
    # One rule says so, the other the opposite.
    ("mlp-worse", {"shares": pair(under(320, 0.01, 220), under(220, 0.02, 320))}, OPEN, "sample 55.00% (MLP"),
    (
        "mlp-worse",
        {"shares": pair(under(220, 0.01, 320), under(320, 0.02, 220))},
        OPEN,
        "truth 55.00% (MLP, ",
    ),
    ("mlp-worse", {"shares": pair(under(320, 0.02), under(220, 0.01))}, NOT, "80.00% (MLP, "),
    ("mlp-worse", {"shares": pair(under(320, 0.02), under(220, 0.02))}, NOT, ""),
    ("mlp-worse", {"shares": pair(under(220, 0.02), under(220, 0.01))}, NOT, ""),
    ("mlp-worse", {"shares": pair(under(220, 0.01), under(320, 0.02))}, NOT, ""),
    ("mlp-worse", {"shares": pair(under(220, 0.01), under(WIDE - 1, 0.02))}, OPEN, ""),
    ("wasted-compute", reaching(0.00801, 0.001), REPLICATED, "n = 20: MLP at n = 25, LSTM at no n to 50."),
    ("wasted-compute", reaching(0.00999, 0.00401), REPLICATED, "n = 20: MLP at n = 21, LSTM at n = 50."),
    ("wasted-compute", reaching(0.00801, 0.01001), NOT, "MLP at n = 25, LSTM at n = 20."),
    ("wrong-variant", {"columns": variant({4: 0, 5: 0.04001, 46: 0})}, REPLICATED, "LSTM: 2.0 to 3.0 times."),
    ("wrong-variant", {"columns": variant({5: 0.03999})}, NOT, "MLP: 3.0 to 3.0 times; LSTM: 2.0 to 3.0"),
    (
        "wrong-variant",
        {"columns": variant({45: 0.02, 20: 0.1})},
        NOT,
        "n = 5 to 45: MLP: 3.0 to 3.0 times; LSTM: 1.0 to 5.0",
    ),
    ("u-v-gap", gaps(0.01 * N), REPLICATED, "MLP: 0.1000 at n = 10, 0.5000 at n = 50, largest at n = 50"),
    (
        "u-v-gap",
        gaps(0.01 * np.minimum(N, 40)),
        NOT,
        "LSTM: 0.1000 at n = 10, 0.4000 at n = 50, largest at n = 40.",
    ),
    # One pool of seven is enough.
    ("u-v-gap", gaps(0.01 * N, 1 / N), NOT, "1 (own lstm). It falls somewhere on 1 of 7 pools."),
    ("u-v-gap", gaps(0.01 * np.maximum(N, 2)), NOT, ""),
    # Of 400 samples, a standard error of 0.001 is an SD of 0.02.
    ("curves-precise", precise(0.0199), REPLICATED, "MLP, V: 5.00e-05; LSTM, U: 9.95e-04"),
    ("curves-precise", precise(0.0201), NOT, ""),
    ("tasks-alike", {}, "out of reach", ""),
    ("dodge-code", {}, REPLICATED, "Read, not run"),
]


@pytest.mark.parametrize(("claim", "made_up", "verdict", "shown"), CASES)
def test_each_word_of_a_judge(claim, made_up, verdict, shown):
    finding = claims.JUDGES[claim](simulated(**made_up))
    assert (finding.verdict, finding.data) == (verdict, "released data")
    assert shown in finding.evidence


def test_every_judge_has_its_words():
    words = {claim: {verdict for other, _, verdict, _ in CASES if other == claim} for claim in claims.JUDGES}
    below = {"theorem-1", "theorem-1-strict", "theorem-2", "stirling", "smooth-truth"}
    below.add("v-asymptotically-unbiased")
    assert {claim for claim, said in words.items() if not said} == below
    one_word = {"elmo-above-glove", "tasks-alike", "dodge-code"}
    assert {claim for claim, said in words.items() if len(said) == 1} == one_word
    assert words["mlp-worse"] == {REPLICATED, NOT, OPEN}


# ---------------------------------------------------------------------------------------------
# The theorems and the formulas: what is enumerated is made up
# ---------------------------------------------------------------------------------------------

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
SURE, SPREAD = (Fraction(1), Fraction(0), Fraction(0)), (THIRD, THIRD, THIRD)
GOOD = (SPREAD, 2, (HALF, THIRD, HALF))  # E[U], E[V] and the truth


def test_expectations_are_means_over_every_sample():
    chances = (Fraction(1, 6), THIRD, HALF)
    u, v, truth = claims._expectations(chances, 3, 2)
    grades = np.indices((3, 3, 3)).reshape(3, -1).T
    weights = np.prod(np.array(chances, dtype=float)[grades], axis=1)
    for value, estimator in ((u, "u"), (v, "v")):
        every = [expected_max(sample, 2, estimator=estimator) for sample in grades]
        assert float(value) == pytest.approx(weights @ every)
    pairs = np.outer(*[np.array(chances, dtype=float)] * 2)
    assert float(truth) == pytest.approx((pairs * np.maximum(*np.indices((3, 3)))).sum())


@pytest.mark.parametrize(
    ("cases", "plain", "strict"),
    [
        ([GOOD, GOOD], REPLICATED, REPLICATED),
        ([GOOD, (SPREAD, 2, (HALF, THIRD, THIRD))], NOT, REPLICATED),  # U misses the truth
        ([GOOD, (SPREAD, 2, (THIRD, HALF, THIRD))], NOT, REPLICATED),  # V is above U
        ([GOOD, (SPREAD, 2, (HALF, HALF, HALF))], REPLICATED, NOT),  # equal without a reason
        ([GOOD, (SPREAD, 1, (HALF, HALF, HALF))], REPLICATED, REPLICATED),  # n is 1
        ([GOOD, (SURE, 2, (HALF, HALF, HALF))], REPLICATED, REPLICATED),  # all scores are equal
    ],
)
def test_each_word_on_the_first_theorem(monkeypatch, cases, plain, strict):
    monkeypatch.setattr(claims, "_small_cases", lambda: cases)
    found = [claims.JUDGES[claim](None) for claim in ("theorem-1", "theorem-1-strict")]
    assert [finding.verdict for finding in found] == [plain, strict]
    assert f"In {1 + (plain == REPLICATED)} of 2 cases" in found[0].evidence
    equal = sum(u == v for _, _, (u, v, _) in cases)
    assert f"in {equal} of 2 cases; in {equal - (strict == NOT)} of the {equal}, n is 1" in found[1].evidence


def test_every_small_case_is_enumerated():
    # 28 ways to share six sixths among three grades; for each, n up to sizes of 1 to 5.
    every = 28 * (1 + 2 + 3 + 4 + 5)
    # n = 1 once a size, and the three sure distributions with n from 2 on.
    equal = 28 * 5 + 3 * (0 + 1 + 2 + 3 + 4)
    # Ten have all grades, and 2, 4, 8 or 16 samples without the highest; ten lack one of the lower two.
    unseen = 10 * (2 + 4 + 8 + 16) + 10 * 4
    found = [claims.JUDGES[claim](None) for claim in ("theorem-1", "theorem-1-strict", "theorem-2")]
    assert {(finding.verdict, finding.data) for finding in found} == {(REPLICATED, "exact")}
    assert f"In {every} of {every} cases" in found[0].evidence
    assert f"in {equal} of {every} cases; in {equal} of the {equal}, n" in found[1].evidence
    assert f"In {unseen} of {unseen} small" in found[2].evidence


def test_each_word_on_the_second_theorem(monkeypatch):
    # No distribution can refute it: this is none, and its powers rise.
    none = (HALF, Fraction(2, 3), -Fraction(1, 6))
    monkeypatch.setattr(claims, "_small_distributions", lambda: [(HALF, Fraction(0), HALF), none])
    finding = claims.JUDGES["theorem-2"](None)
    assert (finding.verdict, finding.data) == (NOT, "exact")
    # Four samples of the first; of the other, with which 1 is the best seen in all but four, 30.
    assert "In 8 of 34 small samples" in finding.evidence


def test_stirling_s_formula_errs_by_a_twelfth_of_one_over_m():
    assert claims.log_factorial(0) == 0
    for m in (1, 10, 1000):
        assert math.lgamma(m + 1) - claims.log_factorial(m) == pytest.approx(1 / (12 * m), rel=0.09)


@pytest.mark.parametrize(("error", "verdict"), [(0.9e-6, REPLICATED), (1.1e-6, NOT)])
def test_each_word_on_stirling_s_formula(monkeypatch, error, verdict):
    scores = np.random.default_rng(0).normal(size=1030)
    # One wrong factor for all but the last chance moves the estimate towards the best score.
    gap = (scores.max() - scores.mean()) / np.ptp(scores)  # n = 1 has the largest
    wrong = math.log1p(-error / gap)
    monkeypatch.setattr(claims, "log_factorial", lambda m: math.lgamma(m + 1) - wrong * (m == 1030))
    finding = claims.JUDGES["stirling"](None)
    assert (finding.verdict, finding.data) == (verdict, "exact")
    assert f"up to {error:.1e} of the range, at n = 1;" in finding.evidence


def test_stirling_s_coefficients_are_those_of_the_paper_s_sum():
    def choose(m, n):
        approximate = {k: math.sqrt(2 * math.pi * k) * (k / math.e) ** k if k else 1.0 for k in (m, n, m - n)}
        return approximate[m] / (approximate[n] * approximate[m - n])

    one, two, ten = (sum(choose(k - 1, n - 1) for k in range(n, 51)) / choose(50, n) for n in (1, 2, 10))
    said = f"add up to {one:.3f} at n = 1, {two:.3f} at n = 2 and {ten:.4f} at n = 10."
    assert said in claims.JUDGES["stirling"](None).evidence


# ---------------------------------------------------------------------------------------------
# What asks for the released runs
# ---------------------------------------------------------------------------------------------

# Forty runs of each system.
RUNS = pd.DataFrame(
    {"system": ["mlp"] * 40 + ["reg_lstm"] * 40, "f1": np.r_[0.5 + N[:40] / 100, N[:40] / 50]}
)


HALF_WIDTH = stats.kstwo.ppf(0.95, 40)


def edge(scores, n, side):
    """The expected best of n runs, or an end of its band, as an integral of F^n over [0, 1]."""
    grid = np.linspace(0, 1, 5_001)
    steps = np.searchsorted(np.sort(scores), grid[:-1], side="right") / len(scores)
    shifted = np.clip(steps - side * HALF_WIDTH, 0, 1)
    return 1 - (shifted**n).mean()


@pytest.mark.parametrize(
    ("outside", "inwards", "at_n", "side", "verdict", "shown"),
    [
        (0, 1e-3, 30, 1, REPLICATED, "MLP within, LSTM within"),
        (0, 1e-3, 30, -1, REPLICATED, "MLP within, LSTM within"),
        (0, -1e-3, 30, 1, NOT, "MLP within, LSTM outside"),
        (0, -1e-3, 50, -1, NOT, "MLP within, LSTM outside"),
        (0, -1e-3, 1, 1, NOT, "MLP within, LSTM outside"),
        (0.0625, 1e-3, 30, 1, NOT, "gives 6.2% to F1 scores outside [0, 1]; its best scores go to 1.25."),
    ],
)
def test_each_word_on_densities(monkeypatch, outside, inwards, at_n, side, verdict, shown):
    monkeypatch.setattr(released, "tang2020", lambda: RUNS)
    truths = {}
    for pool, system in (("mlp", "mlp"), ("lstm", "reg_lstm")):
        scores = RUNS.f1[RUNS.system == system].to_numpy()
        truths[pool] = {"truth": np.array([edge(scores, n, 0) for n in N])}
    truths["lstm"]["truth"][at_n - 1] = edge(scores, at_n, side) - side * inwards
    densities = {"lstm": {"outside": outside, "high": 1.25}}
    finding = claims.JUDGES["smooth-truth"](simulated(truths=truths, densities=densities))
    assert (finding.verdict, finding.data) == (verdict, "released data")
    assert shown in finding.evidence


# ---------------------------------------------------------------------------------------------
# The printed figures
# ---------------------------------------------------------------------------------------------


def test_computed_figures_follow_from_simulations_and_verdicts():
    # Of 400 samples 20 are tied, 247 of the others are below: 65 %, at all n but the last.
    readme = {
        "below_u": at(200),
        "below_v": at(300),
        "below_fresh_v": at(247, {30: 304}),
        "tied_fresh_v": at(20),
        "below_fresh_u": at(209),
        "tied_fresh_u": at(20),
    }
    judged = dict.fromkeys(claims.JUDGES, REPLICATED) | {"theorem-1-strict": OPEN, "coverage-fails": NOT}
    verdicts = pd.DataFrame(
        [(f"tang2020/{claim}", verdict, f"{claim} is so.") for claim, verdict in judged.items()],
        columns=["id", "verdict", "evidence"],
    )
    table = claims.computed(simulated(shares={"truncated normal": readme}), verdicts).set_index("id")
    assert table.value.to_dict() == pytest.approx(
        {
            "readme/biased": 80,
            "readme/unbiased": 55,
            "fig2": 1,
            "fig3": 1,
            "fig4": 0,
            "theorem1": 0,
            "theorem2": 1,
        }
    )
    assert "at n = 30; from n = 25 on 65.0 to 80.0: below the best" in table.note["readme/biased"]
    assert table.note["readme/biased"].endswith("below the truth: 75.0 to 75.0")
    assert table.note["readme/unbiased"].endswith("below the truth: 50.0 to 50.0")
    assert table.note["theorem1"] == "theorem-1 is so. theorem-1-strict is so."
    assert table.attrs == {recorded.LACKING: {}}


def test_a_figure_whose_claim_lacks_its_data_is_not_computed():
    readme = dict.fromkeys(("below_u", "below_v", "below_fresh_u", "below_fresh_v"), at(200))
    readme |= {"tied_fresh_u": at(0), "tied_fresh_v": at(0)}
    claim = "tang2020/failure-case"
    verdicts = pd.DataFrame(
        [(f"tang2020/{name}", REPLICATED, "") for name in claims.JUDGES if name != "failure-case"],
        columns=["id", "verdict", "evidence"],
    )
    verdicts.attrs[recorded.LACKING] = {claim: "far/away.csv is not here"}
    table = claims.computed(simulated(shares={"truncated normal": readme}), verdicts)
    assert "fig2" not in set(table.id)
    assert table.attrs == {recorded.LACKING: {"fig2": "far/away.csv is not here"}}


@pytest.mark.parametrize(
    ("biases", "verdict"),
    [
        ((0.02, 0.01, 0.001), REPLICATED),
        ((0.02, 0.01, 0.00101), OPEN),  # more than a twentieth is left
        ((0.02, 0.011, 0.0099), OPEN),
        ((0.02, 0.011, 0.0101), NOT),  # more than half is left
        ((0.02, 0.0005, 0.0005), NOT),  # it does not fall
        ((0.02, 0.0004, 0.0005), NOT),
    ],
)
def test_each_word_on_the_bias_of_ever_larger_samples(biases, verdict):
    finding = claims.JUDGES["v-asymptotically-unbiased"](simulated(**shrinking(*biases)))
    assert (finding.verdict, finding.data) == (verdict, "exact")
    assert "MLP: 2.0e-02 (50), 1.0e-02 (100), 1.0e-04 (800); LSTM: 2.0e-02 (50)" in finding.evidence
