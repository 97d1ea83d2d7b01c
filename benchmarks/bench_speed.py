"""How fast evalkit is beside its peers: `make bench` runs both in one process and
prints the ratios.

Benchmarks and not tests: they fail only if something does not run, or the results do
not agree.
"""

import tracemalloc
import warnings

import numpy as np
import pytest
from arch.bootstrap import IIDBootstrap
from opda.nonparametric import EmpiricalDistribution
from scikits import bootstrap as scikits_bootstrap
from scipy import stats

import evalkit as ek
from lab.experiments.percentile import expected_max_bootstrap

RNG = np.random.default_rng(0)
HUNDRED = RNG.normal(size=100)
FIFTY = np.arange(1, 51)


def best_of(n, size):
    """Return V as a statistic, for one budget or for all of them at once: what a
    general bootstrap takes.
    """
    weights = np.diff((np.arange(size + 1) / size) ** np.asarray(n)[..., None]).T
    if weights.ndim == 1:
        return lambda sample, axis=-1: np.sort(sample, axis=axis) @ weights
    return lambda sample, axis=-1: np.moveaxis(
        np.sort(sample, axis=axis) @ weights, -1, 0
    )


best_of_20 = best_of(20, 100)


def timed(
    benchmark, function, *, group, who, target, rounds=3, scale=1, memory_of=None
):
    """Run a benchmark with what the table of ratios needs to know, and return its
    result.

    `scale` says how many times the whole work is that of `function`; `memory_of` is a
    function whose peak is that of the whole, where measuring the whole would take too
    long.
    """
    benchmark.group = group
    benchmark.extra_info.update(who=who, target=target, scale=scale)
    result = benchmark.pedantic(
        function, rounds=rounds, warmup_rounds=min(1, rounds - 1)
    )
    if who == "evalkit":
        tracemalloc.start()
        (memory_of or function)()
        benchmark.extra_info["peak_mb"] = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
    return result


# --------------------------------------------------------------------------------------
# Whole curves of the expected maximum, against opda
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("estimator", "size", "target"),
    [("v", 1000, 30), ("v", 10_000, 100), ("u", 1000, 12), ("u", 10_000, 100)],
)
@pytest.mark.parametrize("who", ["evalkit", "opda"])
def bench_curve(benchmark, estimator, size, target, who):
    """All n = 1..N."""
    scores, budgets = (
        np.random.default_rng(size).normal(size=size),
        np.arange(1, size + 1),
    )
    peer = getattr(EmpiricalDistribution(scores), f"{estimator}_tuning_curve")
    with warnings.catch_warnings():
        # Opda's U overflows beyond 1,029: see the values.
        warnings.simplefilter("ignore", RuntimeWarning)
        curve = timed(
            benchmark,
            (
                (lambda: ek.expected_max(scores, budgets, estimator=estimator))
                if who == "evalkit"
                else lambda: peer(budgets)
            ),
            group=f"{estimator.upper()} curve, N = {size:,}",
            who=who,
            target=target,
            rounds=5 if who == "evalkit" else 1 + (size == 1000),
        )
    if who == "opda":
        ours = ek.expected_max(scores, budgets, estimator=estimator)
        benchmark.extra_info["nan"] = int(np.isnan(curve).sum())
        there = ~np.isnan(curve)
        assert curve[there] == pytest.approx(ours[there], abs=1e-9)


# --------------------------------------------------------------------------------------
# The bootstrap of a curve
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize("who", ["evalkit", "scipy, all n at once", "scipy once per n"])
def bench_bootstrap_curve(benchmark, who):
    """A percentile band over n = 1..100 from 10,000 resamples of 100 scores."""
    budgets = np.arange(1, 101)

    def scipy(statistic):
        return stats.bootstrap(
            (HUNDRED,),
            statistic,
            n_resamples=10_000,
            method="percentile",
            vectorized=True,
            rng=0,
        )

    all_at_once = best_of(budgets, 100)
    calls = {
        "evalkit": lambda: expected_max_bootstrap(
            HUNDRED, budgets, n_resamples=10_000, rng=0
        ),
        "scipy, all n at once": lambda: scipy(all_at_once),
        "scipy once per n": lambda: scipy(best_of_20),
    }
    once = who == "scipy once per n"
    timed(
        benchmark,
        calls[who],
        group="bootstrapped curve",
        who=who,
        target=30 if once else None,
        scale=100 if once else 1,
        rounds=5,
    )


@pytest.mark.parametrize(
    "who", ["evalkit", "arch", "scikits.bootstrap", "scipy, vectorised"]
)
def bench_bootstrap_point(benchmark, who):
    """The same for one n."""
    calls = {
        "evalkit": lambda: expected_max_bootstrap(
            HUNDRED, 20, n_resamples=10_000, rng=0
        ),
        "arch": (
            lambda: IIDBootstrap(HUNDRED, seed=0).conf_int(
                best_of_20, 10_000, method="percentile"
            )
        ),
        "scikits.bootstrap": lambda: scikits_bootstrap.ci(
            HUNDRED, best_of_20, n_samples=10_000, method="pi"
        ),
        "scipy, vectorised": lambda: stats.bootstrap(
            (HUNDRED,),
            best_of_20,
            n_resamples=10_000,
            method="percentile",
            vectorized=True,
            rng=0,
        ),
    }
    target = {"arch": 5, "scikits.bootstrap": 5, "scipy, vectorised": 1}.get(who)
    timed(
        benchmark,
        calls[who],
        group="bootstrapped point",
        who=who,
        target=target,
        rounds=5,
    )


def bench_coverage_run(benchmark):
    """How often percentile intervals hold the truth.

    5,000 samples of 50, 5,000 resamples each, n = 1..50, U and V: 10,000 bootstrapped
    curves.
    """
    truth = ek.gaussian_expected_max(FIFTY)

    def run(n_samples=5000):
        rates = {}
        for estimator in ("u", "v"):
            rng = np.random.default_rng(1)

            def band(sample, estimator=estimator, rng=rng):
                return expected_max_bootstrap(
                    sample, FIFTY, estimator=estimator, n_resamples=5000, rng=rng
                )

            drawing = np.random.default_rng(0)
            bands = [band(drawing.normal(size=50)) for _ in range(n_samples)]
            held = [(low <= truth) & (truth <= high) for low, high in bands]
            rates[estimator] = np.mean(held, axis=0)
        return rates

    rates = timed(
        benchmark,
        run,
        group="coverage run",
        who="evalkit",
        target=None,
        rounds=1,
        memory_of=lambda: run(20),
    )
    assert 0.9 < rates["u"][0] < 0.96  # the mean of 50
    assert rates["u"][-1] < 0.6  # no resample goes beyond the best of its sample


@pytest.mark.parametrize(
    "who", ["scipy, all n at once", "a loop over resamples", "scipy once per n"]
)
def bench_coverage_loop(benchmark, who):
    """One sample of that run; the whole has 5,000 of them, for U and for V."""
    sample, every_n = RNG.normal(size=50), best_of(FIFTY, 50)

    def loop():
        rng = np.random.default_rng(0)
        curves = [every_n(rng.choice(sample, 50)) for _ in range(5000)]
        return np.quantile(curves, [0.025, 0.975], axis=0)

    def scipy(statistic):
        return stats.bootstrap(
            (sample,),
            statistic,
            n_resamples=5000,
            method="percentile",
            vectorized=True,
            rng=0,
        )

    calls = {
        "scipy, all n at once": lambda: scipy(every_n),
        "a loop over resamples": loop,
        "scipy once per n": lambda: [
            scipy(best_of(n, 50)) for n in (1, 11, 21, 31, 41)
        ],
    }
    scale = 5000 * 2 * (10 if who == "scipy once per n" else 1)
    timed(
        benchmark,
        calls[who],
        group="coverage run",
        who=who,
        target=None,
        rounds=3,
        scale=scale,
    )


# --------------------------------------------------------------------------------------
# Wilcoxon with ties, and the choice of a setting
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("pairs", "limit"), [(200, 0.005), (1000, 0.5)])
def bench_wilcoxon(benchmark, pairs, limit):
    """Exact with ties: SciPy's permutation route has 2^n ways to go."""
    rng = np.random.default_rng(pairs)
    a, b = rng.integers(1, 60, (2, pairs)) / 100
    timed(
        benchmark,
        lambda: ek.wilcoxon(a, b, method="exact"),
        group=f"exact Wilcoxon, {pairs:,} pairs",
        who="evalkit",
        target=None,
        rounds=5,
    )
    assert benchmark.stats.stats.min < limit


@pytest.mark.parametrize("who", ["evalkit", "a loop over groups"])
def bench_choice_variability(benchmark, who):
    """1,000 partitions x 81 settings, 1,000 random groups, J = 1, 2, 4, 8."""
    scores = np.random.default_rng(0).normal(size=(1000, 81))
    rng = np.random.default_rng(0)
    best_of_all = scores.mean(axis=0).argmax()

    def choose(group):
        mean = scores[group].mean(axis=0)
        equal = mean >= mean.max() - 1e-12  # whatever the rounding
        return equal.argmax(), equal.sum() > 1, mean

    def loop():
        """Count choices and ties, how often groups of one deal agree, and how promises
        vary.

        All that evalkit counts: agreement needs groups of its own, which share no
        partition.
        """
        rows = []
        for j in (1, 2, 4, 8):
            tied, promised, fixed = [], [], []
            for _ in range(1000):
                first, shared, mean = choose(rng.choice(1000, j, replace=False))
                tied.append(shared)
                promised.append(mean[first])
                fixed.append(mean[best_of_all])
            alike = []
            for _ in range(j):
                deal = rng.permutation(1000).reshape(-1, j)
                counts = np.bincount([choose(group)[0] for group in deal])
                alike.append(
                    (counts * (counts - 1)).sum() / (len(deal) * (len(deal) - 1))
                )
            sds = np.std(promised, ddof=1), np.std(fixed, ddof=1)
            rows.append([np.mean(alike), np.mean(tied), np.mean(promised), *sds])
        return np.array(rows)

    found = timed(
        benchmark,
        (
            (lambda: ek.choice_variability(scores, [1, 2, 4, 8], rng=0))
            if who == "evalkit"
            else loop
        ),
        group="choice variability",
        who=who,
        target=30,
        rounds=5,
    )
    if who == "evalkit":
        columns = ["agreement", "tied", "estimate", "sd_estimate", "sd_fixed"]
        # Other groups.
        assert found.table[columns].to_numpy() == pytest.approx(loop(), rel=0.1)
