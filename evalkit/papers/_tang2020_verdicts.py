"""What the simulations say of each printed figure and each claim of Tang et al. (2020).

The claims, with what would confirm and what would refute each, stand in `data/published/claims.csv`
and were committed before the simulations ran.
"""

import inspect
from fractions import Fraction
from itertools import product
from math import comb, lgamma, log, pi

import numpy as np
import pandas as pd

from evalkit import released
from evalkit.expected_maximum import expected_max, expected_max_band, expected_max_bootstrap
from evalkit.intervals import proportion_interval

PAPERS = ("mlp", "lstm")
OTHERS = ("deberta", "deberta-v3", "vampire", "own mlp", "own lstm")


class Simulated:
    """The recorded simulations, put together by pool.

    Parameters
    ----------
    rows : list of dict
        As `evalkit.runs.Store.rows` returns them.
    """

    def __init__(self, rows):
        self.truths, self.failures, self.densities, blocks = {}, {}, {}, {}
        for row in rows:
            unit, result = row["unit"], row["result"]
            if unit["table"] == "truths":
                self.truths[unit["pool"]] = result
            elif unit["table"] == "densities":
                self.densities[unit["pool"]] = result
            elif unit["table"] == "failures":
                self.failures[unit["size"]] = result
            elif unit["table"] == "samples":
                blocks.setdefault(unit["pool"], []).append(result)
        self.samples = {pool: sum(b["samples"] for b in found) for pool, found in blocks.items()}
        self._blocks = blocks

    def truth(self, pool, column="truth"):
        """Return a column of `truths`, one value for each n."""
        return _numbers(self.truths[pool][column])

    def total(self, pool, column):
        """Return the sum of a column over the blocks of a pool: counts of samples."""
        return sum(_numbers(block[column]) for block in self._blocks[pool])

    def mean(self, pool, column):
        """Return the mean of a column over the blocks of a pool, which are equally large."""
        return self.total(pool, column) / len(self._blocks[pool])

    def share(self, pool, column, n, *, confidence_level=0.95):
        """Return a share of samples at one n, and its Clopper-Pearson interval."""
        count, samples = int(self.total(pool, column)[n - 1]), self.samples[pool]
        return count / samples, proportion_interval(count, samples, confidence_level=confidence_level)


def _numbers(cell):
    return np.array(str(cell).split(), dtype=float)


def computed(rows):
    """Compute what the paper prints.

    Parameters
    ----------
    rows : list of dict

    Returns
    -------
    pandas.DataFrame
        Columns `id`, `value`, `note`.
    """
    of = Simulated(rows)
    found = {}
    bins = {of.densities[pool]["values"] for pool in PAPERS}
    found["bins"] = (float(*bins), "of the two pools that were released")
    found["samples"] = (float(min(of.samples[pool] for pool in PAPERS)), "as in the paper: ours has as many")
    from evalkit.papers.tang2020 import MONTE_CARLO

    found["mc_truth"] = (float(MONTE_CARLO), "as in the paper; the exact truth lies within its error: "
                         f"at most {max(_gap(of, pool) for pool in PAPERS):.1e} away")  # fmt: skip
    level = inspect.signature(expected_max_bootstrap).parameters["confidence_level"].default
    found["nominal"] = (100 * level, "the level of our intervals too")
    for name, column in (("biased", "v"), ("unbiased", "u")):
        pool, n = "truncated normal", 30
        fresh, _ = of.share(pool, f"below_fresh_{column}", n)
        true, _ = of.share(pool, f"below_{column}", n)
        found[f"readme/{name}"] = (
            100 * fresh,
            f"below the best of a fresh sample, as the released code asks; below the truth: "
            f"{100 * true:.0f} %. "
            "The truncated normal is ours, as its parameters are not given",
        )
    judged = {row["id"]: row for row in verdicts(rows).to_dict("records")}
    for name, claims in {
        "fig2": ["failure-case"], "fig3": ["estimator-negative"], "fig4": ["coverage-fails"],
        "theorem1": ["theorem-1", "theorem-1-strict"], "theorem2": ["theorem-2"],
    }.items():  # fmt: skip
        of_figure = [judged[f"tang2020/{claim}"] for claim in claims]
        held = all(row["verdict"] == "replicated" for row in of_figure)
        found[name] = (float(held), " ".join(row["evidence"] for row in of_figure))
    return pd.DataFrame([(name, value, note) for name, (value, note) in found.items()],
                        columns=["id", "value", "note"])  # fmt: skip


def _gap(of, pool):
    return float(np.abs(of.truth(pool) - of.truth(pool, "monte_carlo")).max())


def verdicts(rows):
    """Judge each claim.

    Parameters
    ----------
    rows : list of dict

    Returns
    -------
    pandas.DataFrame
        Columns `id`, `verdict`, `data`, `evidence`.
    """
    of = Simulated(rows)
    judges = {name.removeprefix("_claim_").replace("_", "-"): judge
              for name, judge in globals().items() if name.startswith("_claim_")}  # fmt: skip
    lines = []
    for name, judge in judges.items():
        verdict, data, evidence = judge(of)
        if isinstance(verdict, (bool, np.bool_)):
            verdict = "replicated" if verdict else "not replicated"
        lines.append((f"tang2020/{name}", verdict, data, evidence))
    return pd.DataFrame(lines, columns=["id", "verdict", "data", "evidence"])


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


def _small_cases():
    for chances in _small_distributions():
        for size in range(1, 5):
            for n in range(1, size + 1):
                yield chances, n, _expectations(chances, size, n)


def _claim_theorem_1(of):
    cases = [(u, v, truth) for _, _, (u, v, truth) in _small_cases()]
    good = sum(u == truth and v <= u for u, v, truth in cases)
    return good == len(cases), "exact", (
        f"In {good} of {len(cases)} cases E[U] is the expected maximum and E[V] at most it, in fractions."
    )  # fmt: skip


def _claim_theorem_1_strict(of):
    equal = [(chances, n) for chances, n, (u, v, _) in _small_cases() if u == v]
    expected = sum(n == 1 or max(chances) == 1 for chances, n in equal)
    return len(equal) == expected, "exact", (
        f"E[V] equals E[U] in {len(equal)} cases; in {expected} of them n is 1 or all scores are equal."
    )  # fmt: skip


def _claim_theorem_2(of):
    held, cases = 0, 0
    for chances in _small_distributions():
        below = np.array([float(sum(chances[: k + 1])) for k in range(3)])
        for size in range(1, 5):
            for sample in product(range(2), repeat=size):  # the highest grade is not in the sample
                if not chances[2] or any(not chances[grade] for grade in sample):
                    continue
                empirical = np.array([np.mean(np.array(sample) <= k) for k in range(3)])
                budgets = np.arange(1, 31)[:, None]
                distance = np.abs(empirical**budgets - below**budgets).max(axis=1)
                rest = below[max(sample)] ** budgets[:, 0]  # falls geometrically, for it is below 1
                cases += 1
                held += bool((distance >= 1 - rest - 1e-12).all() and rest[-1] < rest[0])
    return held == cases, "exact", (
        f"In {held} of {cases} small samples without the highest score, 1 less the distance is at most "
        f"F(best seen)^n."
    )  # fmt: skip


# ---------------------------------------------------------------------------------------------
# The simulations
# ---------------------------------------------------------------------------------------------


def _claim_estimator_negative(of):
    held, told = [], []
    for pool in PAPERS:
        early, early_interval = of.share(pool, "below_v", 5)
        late, interval = of.share(pool, "below_v", 50)
        held.append(interval.low > max(0.5, early_interval.high))
        told.append(f"{pool.upper()}: {early:.1%} at n = 5, {late:.1%} at n = 50")
    return all(held), "released data", f"Below the truth: {'; '.join(told)}."


def _claim_unbiased_neither(of):
    told, held = [], []
    for pool in PAPERS:
        shares = of.total(pool, "below_u") / of.samples[pool]
        # Fifty looks at once.
        outside = [n for n in range(1, 51)
                   if 0.5 not in of.share(pool, "below_u", n, confidence_level=1 - 0.05 / 50)[1]]  # fmt: skip
        held.append(not outside)
        told.append(f"{pool.upper()}: from {shares.min():.1%} to {shares.max():.1%}, other than a half at "
                    f"{len(outside)} of 50 n")  # fmt: skip
    return all(held), "released data", (
        f"Below the truth: {'; '.join(told)}. Unbiased is a statement on the mean; where estimates are "
        f"skewed the "
        "median differs."
    )  # fmt: skip


def _claim_failure_case(of):
    sizes = {size: found for size, found in sorted(of.failures.items()) if found["wrong"]}
    told = ", ".join(
        f"samples of {size}: n = {f['wrong_from']} to {f['wrong_to']}" for size, f in sizes.items()
    )
    return 50 in sizes, "released data", f"By exact expectations, the wrong order: {told}."


def _claim_u_mends_ranking(of):
    truth = of.truth("mlp") - of.truth("lstm")
    mean = of.mean("mlp", "mean_u") - of.mean("lstm", "mean_u")
    error = np.sqrt(sum(of.mean(pool, "square_error_u") / of.samples[pool] for pool in PAPERS))
    wrong = int(((np.sign(truth) != np.sign(mean)) & (np.abs(truth) > 4 * error)).sum())
    return wrong == 0, "released data", (
        f"The averaged U has the wrong order at {wrong} of 50 n, beyond four standard errors; its largest "
        f"distance from the "
        f"true difference is {np.abs(mean - truth).max():.4f}."
    )  # fmt: skip


def _claim_curves_cross(of):
    difference = of.truth("mlp") - of.truth("lstm")
    changes = np.flatnonzero(np.diff(np.sign(difference)))
    good = difference[0] > 0 > difference[-1] and len(changes) == 1
    return good, "released data", (
        f"MLP above by {difference[0]:.3f} at n = 1, LSTM by {-difference[-1]:.3f} at n = 50; "
        f"{len(changes)} crossing, after n = {changes[0] + 1}."
    )  # fmt: skip


def _claim_elmo_above_glove(of):
    return "out of reach", "released data", "The runs of the two pools were not released."


def _coverage(of, pools, column):
    held, told = [], []
    for pool in pools:
        early, early_interval = of.share(pool, column, 5)
        late, interval = of.share(pool, column, 50)
        held.append(interval.high < min(0.95, early_interval.low))
        told.append(f"{pool}: {early:.0%} at n = 5, {late:.0%} at n = 50")
    return held, "; ".join(told)


def _claim_coverage_fails(of):
    held, told = _coverage(of, PAPERS, "held_boot_v")
    return all(held), "released data", f"Coverage for V, nominally 95 %: {told}."


def _claim_coverage_other_pools(of):
    held, told = _coverage(of, OTHERS, "held_boot_v")
    return all(held), "released data", f"Coverage for V: {told}."


def _claim_remedy_is_u(of):
    inside = [0.95 in of.share(pool, "held_boot_u", 50)[1] for pool in PAPERS]
    _, told = _coverage(of, PAPERS, "held_boot_u")
    bands = "; ".join(
        f"{pool}: all n at once {of.total(pool, 'held_all_ks')[0] / of.samples[pool]:.1%}, "
        f"{of.mean(pool, 'width_ks')[49] / of.mean(pool, 'width_boot_u')[49]:.1f} times as wide at n = 50"
        for pool in PAPERS
    )
    return (
        all(inside),
        "released data",
        (
            f"Coverage for U: {told}. U mends the bias, not the intervals. A distribution-free band holds "
            f"({bands})."
        ),
    )


def _claim_mlp_worse(of):
    below = {pool: of.share(pool, "below_v", 50) for pool in PAPERS}
    bias = {pool: of.mean(pool, "mean_v")[49] - of.truth(pool)[49] for pool in PAPERS}
    sd = {pool: np.sqrt(of.mean(pool, "square_error_v")[49] - bias[pool] ** 2) for pool in PAPERS}
    (_, mlp), (_, lstm) = below["mlp"], below["lstm"]
    good = mlp.low > lstm.high and sd["mlp"] < sd["lstm"]
    if not good and mlp.high >= lstm.low and sd["mlp"] < sd["lstm"]:
        good = "inconclusive"
    return good, "released data", (
        f"Below the truth at n = 50: {below['mlp'][0]:.1%} (MLP), {below['lstm'][0]:.1%} (LSTM); "
        f"SD of V: {sd['mlp']:.4f} and {sd['lstm']:.4f}."
    )  # fmt: skip


def _claim_wasted_compute(of):
    reached = {pool: np.searchsorted(of.truth(pool, "expected_v"), of.truth(pool)[19]) + 1 for pool in PAPERS}
    told = ", ".join(f"{pool.upper()} at n = {n}" if n <= 50 else f"{pool.upper()} at no n to 50"
                     for pool, n in reached.items())  # fmt: skip
    return (
        min(reached.values()) > 20,
        "released data",
        f"The averaged V reaches the true value of n = 20: {told}.",
    )


def _claim_wrong_variant(of):
    ratios = {pool: of.mean(pool, "square_error_first")[4:45] / of.mean(pool, "square_error_v")[4:45]
              for pool in PAPERS}  # fmt: skip
    told = "; ".join(f"{pool.upper()}: {r.min():.1f} to {r.max():.1f} times" for pool, r in ratios.items())
    return (
        all(r.min() >= 2 for r in ratios.values()),
        "released data",
        (f"Mean squared error of the variant over that of V, n = 5 to 45: {told}."),
    )


def _claim_u_v_gap(of):
    gaps = {pool: of.truth(pool) - of.truth(pool, "expected_v") for pool in PAPERS}
    rising = {pool: bool((np.diff(gap) > 0).all()) for pool, gap in gaps.items()}
    told = "; ".join(
        f"{pool.upper()}: {gap[9]:.4f} at n = 10, {gap[49]:.4f} at n = 50, largest at n = {gap.argmax() + 1}"
        for pool, gap in gaps.items()
    )
    return all(rising.values()), "released data", f"E[U] less E[V], exactly: {told}."


def _claim_stirling(of):
    size = 1030
    scores = np.sort(np.random.default_rng(0).normal(size=size))

    def log_factorial(m):
        return 0.0 if m == 0 else m * log(m) - m + 0.5 * log(2 * pi * m)

    exact = expected_max(scores, np.arange(1, size + 1))
    errors = []
    for n in (2, 10, 100, 500, 1000, size):
        chance = np.zeros(size)  # P(best <= x(k)) from approximate binomial coefficients
        for k in range(n, size + 1):
            chance[k - 1] = np.exp(
                log_factorial(k) - log_factorial(k - n) - log_factorial(size) + log_factorial(size - n)
            )
        estimate = chance[-1] * scores[-1] - chance[:-1] @ np.diff(scores)
        errors.append(abs(estimate - exact[n - 1]) / np.ptp(scores))
    assert abs(lgamma(11) - log_factorial(10)) < 0.01  # the formula is Stirling's
    return max(errors) < 1e-6, "exact", (
        f"For N = {size} the error is up to {max(errors):.0e} of the range. A recurrence in n is exact, and "
        "as short."
    )  # fmt: skip


def _claim_smooth_truth(of):
    outside = of.densities["lstm"]["outside"]
    table = released.tang2020()
    told, inside = [], []
    for pool, system in (("mlp", "mlp"), ("lstm", "reg_lstm")):
        band = expected_max_band(table.f1[table.system == system], np.arange(1, 51), bounds=(0, 1))
        truth = of.truth(pool)
        inside.append(bool(((band.low <= truth) & (truth <= band.high)).all()))
        told.append(f"{pool.upper()} {'within' if inside[-1] else 'outside'}")
    return (
        outside == 0 and all(inside),
        "released data",
        (
            f"The LSTM's density gives {outside:.1%} to F1 scores outside [0, 1]; its best scores go to "
            f"{of.densities['lstm']['high']:.2f}. True curves against the 95 % band of the runs: "
            f"{', '.join(told)}."
        ),
    )
