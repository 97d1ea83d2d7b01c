"""What the released pools, draws from them and our own runs say of the claims of Bajgar
et al. (2018).

A judge measures. What would confirm and what would refute a claim stands in
`data/published/claims.csv` and `limits.csv`. Unless a name says otherwise, Boo_n is the
paper's Equation 7.
"""

import functools
import itertools
from fractions import Fraction

import numpy as np
import pandas as pd
from scipy import integrate, special, stats
from scipy.special import comb

from evalkit.expected_maximum import boo, gaussian_expected_max
from evalkit.seeds import variance_components
from lab.data.sources import SourceError
from lab.papers.bajgar2018 import audit
from lab.papers.bajgar2018.audit import (
    FIXED,
    NAMES,
    OTHERS,
    PAPERS,
    POOLS,
    SEARCH,
    Runs,
)
from lab.papers.bajgar2018.tasks import FIGURE_3
from lab.papers.bajgar2018.tasks.kept import generator, kept
from lab.papers.bajgar2018.tasks.samples import N, rank_weights, subsets
from lab.papers.bajgar2018.tasks.training import RUNS
from lab.papers.judging import (
    AtOnce,
    Evidence,
    Judges,
    Quantity,
    Resampled,
    best_of,
    best_of_covers,
)
from lab.record import tables
from lab.record.tables import unpack
from lab.samples import counted

JUDGES = Judges("bajgar2018")

NETWORKS = ("digits", "reader")


# --------------------------------------------------------------------------------------
# Pools and statistics
# --------------------------------------------------------------------------------------


def own(record, network, hyperparameters):
    """Return our own runs of a network, in percent; an error if too few are there.

    Parameters
    ----------
    record : lab.papers.rows.Rows
    network : {"digits", "reader"}
    hyperparameters : {"fixed", "random"}

    Returns
    -------
    Runs
    """
    least = RUNS[network, hyperparameters]
    table = record.table(
        "trained", least, network=network, hyperparameters=hyperparameters
    )
    return Runs.of(100 * table.validation, 100 * table.test)


def _own_pools(record):
    """Return all four pools of our own, by name."""
    return {f"{network}, {kind}": own(record, network, kind) for network, kind in RUNS}


def _own_pairs(record):
    """Return for each of our networks the scores with fixed and with random
    hyperparameters.
    """
    return {
        name: [own(record, name, kind).pairs for kind in ("fixed", "random")]
        for name in NETWORKS
    }


def _pairs(pool):
    return audit.runs(pool).pairs


def spearmans(pairs):
    """Compute Spearman's correlation in many draws.

    Parameters
    ----------
    pairs : ndarray of float, shape (draws, m, 2)

    Returns
    -------
    ndarray of float, shape (draws,)
    """
    ranks = stats.rankdata(pairs, axis=1)
    ranks -= ranks.mean(axis=1, keepdims=True)
    squares = (ranks**2).sum(axis=1)
    return ranks.prod(axis=2).sum(axis=1) / np.sqrt(squares.prod(axis=1))


def _listed(quantities, spec=".2f"):
    return "; ".join(
        f"{name} {quantity:{spec}}" for name, quantity in quantities.items()
    )


def _agreeing(rows):
    """Return the share of pairs of rows that are equal."""
    counts = pd.DataFrame(rows).value_counts().to_numpy()
    return Quantity.exact((counts * (counts - 1)).sum() / (len(rows) * (len(rows) - 1)))


# --------------------------------------------------------------------------------------
# Training is random
# --------------------------------------------------------------------------------------


@JUDGES.judge("training-is-stochastic")
def _training_is_stochastic(record):
    def shares(of):
        return {NAMES[pool]: _agreeing(of(_pairs(pool))) for pool in FIXED}

    quantities = shares(lambda pairs: pairs)
    answers = record.table("trained", hyperparameters="fixed").groupby("network").right
    return Evidence(
        "released data",
        "Pairs of runs that agree in both validation and test accuracy:"
        f" {_listed(quantities, '.2%')}.",
        quantities,
        {
            "test accuracy alone": shares(lambda pairs: pairs[:, 1]),
            "1 % of the pairs, not 5 %": {},
            "test accuracy to a tenth of a point": shares(
                lambda pairs: pairs[:, 1].round(1)
            ),
            "our two networks": {
                name: _agreeing(own(record, name, "fixed").pairs) for name in NETWORKS
            },
            "our two networks, item by item": {
                name: _agreeing(cells) for name, cells in answers
            },
        },
    )


def _main_effects(table, score):
    """Return the variance of each factor's own effect over that of the rest, with the
    interval of F.
    """
    components, effects = (
        variance_components(100 * table[score], table.seed, table.order_seed),
        {},
    )
    n, m = components.n_seeds, components.n_splits
    for name, part, levels, others in (
        ("initialisation", components.seed, n, m),
        ("data order", components.split, m, n),
    ):
        quantiles = stats.f.isf([0.025, 0.975], levels - 1, (levels - 1) * (others - 1))
        low, high = ((1 + others * part / components.rest) / quantiles - 1) / others
        effects[f"effect of {name}"] = Quantity(
            part / components.rest, float(low), float(high)
        )
    return effects


@JUDGES.judge("both-factors-count")
def _both_factors(record):
    table = tables.load_recorded("crossed", "orders")

    def alone(columns):
        quantities = {}
        for name, shared in (("initialisation", "order_seed"), ("data order", "seed")):
            shares = [
                _agreeing(rows[columns]).estimate for _, rows in table.groupby(shared)
            ]
            quantities[name] = Quantity.exact(np.mean(shares))
        return quantities

    both = alone(["validation", "test"])
    return Evidence(
        "own run",
        f"A small network on docstrings, from {table.seed.nunique()} initialisations in"
        f" each of {table.order_seed.nunique()} data orders (which decide the dropout,"
        " too): pairs of runs that differ in one alone and agree in validation and"
        f" test accuracy, {_listed(both, '.2%')}.",
        both,
        {
            "1 % of the pairs, not 5 %": {},
            "test accuracy alone": alone(["test"]),
            "validation accuracy alone": alone(["validation"]),
            "item by item": alone(["test_predictions"]),
            "own effect on test accuracy": _main_effects(table, "test"),
            "own effect on validation accuracy": _main_effects(table, "validation"),
        },
    )


def far_apart(test, gap):
    """Return a statistic: in what share of the pairs of different runs the scores are
    farther apart.

    Parameters
    ----------
    test : ndarray of float, shape (N,)
    gap : float

    Returns
    -------
    callable
        From the places of runs, shape (draws, n), drawn with replacement, to the
        shares; two copies of a run are no pair.
    """
    apart = (abs(test[:, None] - test) > gap + 1e-9).astype(float)

    def share(index):
        counts = counted(index, len(test))
        pairs = index.shape[1] ** 2 - (counts**2).sum(axis=1)
        return ((counts @ apart) * counts).sum(axis=1) / pairs

    return share


def _best_apart(pool, n):
    """Return how often the best-validation runs of two teams of n are farther apart
    than the median gap.
    """
    rng, gap = generator("teams", n), audit.median_gap(pool)

    def share(pairs, count=1000):
        drawn = Runs.of(*pairs.T)
        one, other = (
            drawn.best(rng.integers(len(drawn), size=(count, n)), rng) for _ in range(2)
        )
        return np.mean(abs(one - other) > gap + 1e-9)

    return Resampled(
        share, _pairs(pool), draws=500, estimate=share(_pairs(pool), 40_000)
    )


@JUDGES.judge("population-variance")
def _population_variance(record):
    def share(pool, gap):
        return AtOnce(far_apart(pool.test, gap), np.arange(len(pool)))

    quantities = {
        NAMES[pool]: share(audit.runs(pool), audit.median_gap(pool)) for pool in FIXED
    }
    by_mean = {
        NAMES[pool]: share(audit.runs(pool), audit.gaps(pool).mean()) for pool in FIXED
    }
    ours = {
        name: share(own(record, name, "fixed"), audit.median_gap("resnet"))
        for name in NETWORKS
    }
    return Evidence(
        "released data",
        "Share of pairs of runs farther apart than the median published gap:"
        f" {_listed(quantities)}.",
        quantities,
        {
            "half of the pairs, not a quarter": {},
            "a tenth of the pairs": {},
            "the mean gap, not the median": by_mean,
            "teams' best of 5 on validation": {
                NAMES[pool]: _best_apart(pool, 5) for pool in FIXED
            },
            "our two networks, the ResNet's gap": ours,
        },
    )


@JUDGES.judge("search-adds-variance")
def _search_adds_variance(record):
    def ratios(fixed, searched, column=1):
        measures = {
            "SDs": functools.partial(np.std, ddof=1, axis=1),
            "interquartile ranges": functools.partial(stats.iqr, axis=1),
        }
        return {
            name: AtOnce(
                lambda a, b, of=of: of(b) / of(a), fixed[:, column], searched[:, column]
            )
            for name, of in measures.items()
        }

    quantities = ratios(_pairs("asreader_fixed"), _pairs(SEARCH))
    return Evidence(
        "released data",
        "Random search over fixed hyperparameters, ratio of the"
        f" {_listed(quantities)}.",
        quantities,
        {
            "validation accuracy": ratios(
                _pairs("asreader_fixed"), _pairs(SEARCH), column=0
            ),
            **{
                f"our {name}": ratios(*pools)
                for name, pools in _own_pairs(record).items()
            },
        },
    )


# --------------------------------------------------------------------------------------
# Choosing on validation
# --------------------------------------------------------------------------------------


COVERED = ("best of n", "rise from 1 to n", "surplus")


def _rise(after, before=0.0):
    return after - before


@JUDGES.judge("budgets-not-comparable")
def _budgets(record):
    def moved(pool, low=1, high=20):
        pair = _pairs(pool).T
        return {"rise": best_of(_rise, pair, before=(0, low), after=(0, high))}

    quantities, beside = moved(SEARCH), moved(SEARCH, low=5)
    return Evidence(
        "released data",
        "From 1 to 20 runs the expected test accuracy of the best-validation run moves"
        f" by {quantities['rise']:.2f} points, from 5 to 20 by {beside['rise']:.2f};"
        f" the median published gap is {audit.median_gap(SEARCH):.2f}.",
        quantities,
        {
            "5 against 20 runs": beside,
            "the mean gap, not the median": {},
            "seeds alone, AS Reader": moved("asreader_fixed"),
            "seeds alone, ResNet, 14 runs": moved("resnet", high=14),
        },
    )


def coverage():
    """Count how often the intervals of the best of n, its rise and its surplus hold the
    truth, for teams that are drawn from the pools.

    Returns
    -------
    pandas.DataFrame
        `id`, `held` and `samples`; in `attrs`, which pools are lacking.
    """
    rows, lacking = [], {}
    for pool in PAPERS:
        try:
            runs = audit.runs(pool)
        except SourceError as error:
            lacking |= {f"{NAMES[pool]}, {name}": str(error) for name in COVERED}
            continue
        n, pair = min(20, len(runs) // 5), runs.pairs.T
        by_test = runs.pairs[:, [1, 1]].T
        asked = {
            "best of n": ((pair,), {"after": (0, n)}),
            "rise from 1 to n": ((pair,), {"before": (0, 1), "after": (0, n)}),
            "surplus": ((pair, by_test), {"before": (0, n), "after": (1, n)}),
        }
        for name, (pools, budgets) in asked.items():
            covered = best_of_covers(_rise, *pools, **budgets)
            rows.append((f"{NAMES[pool]}, {name}", n, *covered))
    table = pd.DataFrame(rows, columns=["id", "n", "held", "samples"])
    table.attrs[tables.LACKING] = lacking
    return table


@JUDGES.judge("search-raises-correlation")
def _search_raises_correlation(record):
    def apart(fixed, searched):
        return {
            "search minus fixed": AtOnce(
                lambda a, b: spearmans(b) - spearmans(a), fixed, searched
            )
        }

    quantities = apart(_pairs("asreader_fixed"), _pairs(SEARCH))
    searched = {
        NAMES[pool]: AtOnce(spearmans, _pairs(pool)) for pool in (SEARCH, *OTHERS)
    }
    return Evidence(
        "released data",
        f"Spearman's correlation, {_listed(quantities)}. Under search:"
        f" {_listed(searched, '.3f')}.",
        {**quantities, **searched},
        {
            f"our {name}": {**apart(*pools), "search": AtOnce(spearmans, pools[1])}
            for name, pools in _own_pairs(record).items()
        },
    )


@JUDGES.judge("keep-validation-and-test-apart")
def _keep_apart(record):
    def surplus(runs, n=20):
        n = min(n, len(runs) // 5)
        pools = runs.pairs.T, runs.pairs[:, [1, 1]].T
        gain = best_of(_rise, *pools, before=(0, n), after=(1, n))
        return Quantity(*(x / runs.sd for x in (gain.estimate, gain.low, gain.high)))

    quantities = {NAMES[pool]: surplus(audit.runs(pool)) for pool in PAPERS}
    ours = {name: surplus(runs) for name, runs in _own_pools(record).items()}
    said = (
        "Choosing the best of 20 (or of a fifth of a smaller pool) by test accuracy"
        " reports more than choosing it by validation, in SDs"
    )
    return Evidence(
        "released data",
        f"{said}: {_listed(quantities)}.",
        quantities,
        {
            "best of 5": {NAMES[pool]: surplus(audit.runs(pool), 5) for pool in PAPERS},
            "our four pools": ours,
        },
    )


# --------------------------------------------------------------------------------------
# Boo_n
# --------------------------------------------------------------------------------------


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
        Equation 7 draws n times with replacement from the m runs. Given how many of
        them are different, these are a random sample of so many.
    """
    different = np.arange(1, len(truths) + 1)
    ways = special.stirling2(len(truths), different) * special.perm(m, different)
    return float(ways / float(m) ** len(truths) @ truths)


def _biases(sizes, **truths):
    """Return how far the expectation of Equation 7 lies from the truth, by the number
    of runs.
    """
    return {
        f"{name}, {m} runs": Quantity.exact(expected_plug_in(truth, m) - truth[-1])
        for name, truth in truths.items()
        for m in sizes
    }


def _drift(pool):
    """Return how far the mean over subsets of a pool lies at most from the unbiased
    value, in SDs.
    """
    truths = (
        boo(pool.validation, pool.test, n=np.arange(1, N + 1), estimator="u") / pool.sd
    )
    return Quantity.exact(
        max(
            abs(bias.estimate)
            for bias in _biases((10, 20, 40, 70), pool=truths).values()
        )
    )


def noise(runs, estimator="v", m=10, draws=500):
    """Compare the spread of Boo_5 with that of the best-validation run, over samples.

    Parameters
    ----------
    runs : Runs
    estimator : {"v", "u"}, default "v"
    m : int, default 10
        Runs in a sample.
    draws : int, default 500
        Of the pool; the samples have the same places in each.

    Returns
    -------
    Resampled
        The ratio of the SDs, as `spread_ratios` has it of one pool.
    """
    rng = np.random.default_rng(2018)
    samples = rng.integers(len(runs), size=(400, m))
    order_of_ties = rng.random(samples.shape)
    up_to = np.arange(m + 1)
    chance = (up_to / m) ** N if estimator == "v" else comb(up_to, N) / comb(m, N)

    def ratio(index):
        sample = np.sort(index)[samples]
        level, test = runs.level[sample].astype(np.int16), runs.test[sample]
        below, above = (
            compare(level[:, :, None], level[:, None]).sum(axis=2)
            for compare in (np.greater, np.greater_equal)
        )
        best = (level + order_of_ties).argmax(axis=1)[:, None]
        shares = (chance[above] - chance[below]) / (above - below)
        spread = (shares * test).sum(axis=1).std()
        return spread / np.take_along_axis(test, best, axis=1).std()

    return Resampled(ratio, np.arange(len(runs)), draws=draws)


def _spreads(record, other, pools, sizes, kinds=("plain",)):
    """Return the recorded SD of Boo_5 over that of another summary, and its
    interval.
    """
    return {
        f"{m} runs, {NAMES[pool]}, {kind}": kept(
            record, other, "spreads", pool=pool, m=m, kind=kind
        )
        for pool, m, kind in itertools.product(pools, sizes, kinds)
    }


@JUDGES.judge("boo-corrects-the-flaws")
def _corrects(record):
    def both(pools):
        drifts = {f"drift, {name}": _drift(pool) for name, pool in pools.items()}
        return drifts | {f"noise, {name}": noise(pool) for name, pool in pools.items()}

    two = ("resnet", SEARCH)
    noises = _spreads(record, "boo_over_best", two, (10, 20, 50), ("smoothed", "plain"))
    quantities = {f"drift, {NAMES[pool]}": _drift(audit.runs(pool)) for pool in PAPERS}
    largest = max(quantities.values(), key=lambda drift: drift.estimate)
    quantities |= {f"noise, {name}": ratio for name, ratio in noises.items()}
    ten = [ratio for name, ratio in noises.items() if name.startswith("10 runs")]
    weakest = max(ten, key=lambda ratio: ratio.high)
    return Evidence(
        "released data",
        "The mean of Boo_5 over subsets of 10 to 70 runs lies at most"
        f" {largest.estimate:.2f} SDs from the unbiased value. From ten runs, its SD is"
        f" at most {weakest:.2f} of that of the best-validation run. On DeBERTa's"
        " searches, where many runs fail, it is larger than that.",
        quantities,
        {
            "SD at most 0.8 of it": {},
            "SD at most half of it": {},
            "a drift of 0.05 SD, not a tenth": {},
            "20 and 50 runs, beyond a fifth of the pool": {},
            "draws without replacement": {
                f"noise, without replacement, {NAMES[pool]}": noise(
                    audit.runs(pool), "u"
                )
                for pool in two
            },
            "the third pool": both(
                {NAMES["asreader_fixed"]: audit.runs("asreader_fixed")}
            ),
            "DeBERTa's searches": both(
                {NAMES[pool]: audit.runs(pool) for pool in OTHERS}
            ),
            "our four pools": both(_own_pools(record)),
        },
    )


@JUDGES.judge("boo-less-variable-than-mean")
def _less_variable(record):
    quantities = _spreads(record, "boo_over_mean", (SEARCH,), (10, 20, 50, 100, 197))
    return Evidence(
        "released data",
        f"SD of Boo_5 over that of the mean: {_listed(quantities)}.",
        quantities,
        {
            "smoothed": _spreads(
                record, "boo_over_mean", (SEARCH,), (10, 20, 50), ("smoothed",)
            ),
            "seeds alone, ResNet": _spreads(
                record, "boo_over_mean", ("resnet",), (10, 20, 50)
            ),
        },
    )


@JUDGES.judge("boo-predicts-deployed")
def _predicts(record):
    quantities = {
        f"{NAMES[pool]}, {name}": kept(
            record, name.replace(" minus ", "_less_"), "deployed", pool=pool
        )
        for pool in POOLS
        for name in ("boo minus mean", "boo minus median")
    }
    return Evidence(
        "released data",
        "Mean squared error, in points squared, of predicting the best-validation run"
        f" of 5: {_listed(quantities, '.3f')}.",
        quantities,
        {"searches alone": {}, "seeds alone": {}, "against the mean alone": {}},
        no_first="it cannot be computed, for absolute errors were not recorded.",
    )


@JUDGES.judge("run-more-than-n")
def _run_more(record):
    def errors(pool, m, kind, name):
        values = unpack(record.table("errors", pool=pool, m=m, kind=kind)[name].iloc[0])
        # So many standard errors hold a simulated mean 99 times in 100.
        return values.mean(), 2.576 * values.std(ddof=1) / np.sqrt(len(values))

    def ratio(few, many, kind, pool):
        (few, off), (many, other) = (
            errors(pool, m, kind, "square") for m in (few, many)
        )
        value = np.sqrt(few / many)
        error = value / 2 * np.hypot(off / few, other / many)
        return Quantity(value, value - error, value + error)

    quantities = {
        f"runs of {NAMES[pool]}": ratio(N, 20, "plain", pool) for pool in PAPERS
    }
    quantities |= {
        f"normal scores of {NAMES[pool]}": ratio(N, 20, "normal", pool)
        for pool in PAPERS
    }

    def left(m, kind="plain"):
        def error(pool):
            return np.sqrt(errors(pool, m, kind, "square")[0]) / audit.runs(pool).sd

        return {f"error, {NAMES[p]}": Quantity.exact(error(p)) for p in PAPERS}

    twenty = left(20)
    return Evidence(
        "released data",
        "Root mean squared error of Boo_5 from 20 runs, in SDs of a run:"
        f" {_listed(twenty)}. That it is about half of what it is from 5 runs is"
        " arithmetic.",
        quantities | twenty,
        {
            "a quarter of an SD, not half": {},
            "normal scores": left(20, "normal"),
            "from 5 runs, as many as n": left(N),
            "the error from 5 runs, at least 1.5 times that from 20": {},
        },
    )


def _bent(n, share):
    """Return the expected test score of the best of 1 to n if it is highest in the
    middle of validation.
    """

    # (1 - v^2) / sqrt(2) has mean 0 and variance 1 for a normal v.
    def square(k):
        return integrate.quad(
            lambda v: stats.norm.cdf(v) ** (k - 1) * k * stats.norm.pdf(v) * v**2,
            -12,
            12,
        )

    return share * np.array([(1 - square(k)[0]) / np.sqrt(2) for k in range(1, n + 1)])


@JUDGES.judge("plug-in-with-test-set")
def _plug_in(record):
    best = gaussian_expected_max(np.arange(1, N + 1))

    def biases(slope):
        truths = {
            "rising": slope * best,
            "flat": 0 * best,
            "falling": -slope * best,
            "bent": _bent(N, slope),
        }
        return _biases((10, 20, 50), **truths)

    quantities = biases(float(audit.published()[f"{SEARCH}/spearman"]))
    return Evidence(
        "exact",
        "Expectation of Equation 7 for n = 5 minus the truth, in SDs, by how the mean"
        f" test score goes with validation: {_listed(quantities, '+.3f')}. It lies on"
        " the side of fewer runs.",
        quantities,
        {
            "one set of scores": _biases((10, 20, 50), **{"one set": best}),
            "the correlation of seeds, 0.18": biases(0.18),
            "from 20 runs on": {},
        },
        no_first="it cannot be computed, for it left the slopes open.",
    )


@JUDGES.judge("equation-7-exact")
def _equation_7(record):
    good = []
    for m, n in itertools.product(range(1, 6), repeat=2):
        # Every way in which m runs can tie: where the next level begins.
        for begins in itertools.product((0, 1), repeat=m - 1):
            level = np.cumsum((0, *begins))
            computed = [
                boo(level, weights, n=n, estimator="v") for weights in np.eye(m)
            ]
            # All are multiples of 1 / (60 x 5^5): what is so near is equal.
            good.append(
                np.allclose(
                    computed,
                    np.array(listed_weights(level, n), float),
                    rtol=0,
                    atol=1e-12,
                )
            )
    return Evidence(
        "exact",
        f"In {sum(good)} of {len(good)} cases the weights of Equation 7, as evalkit"
        " computes them, are those of all ordered draws with replacement, in"
        " fractions.",
        {"share of the cases": Quantity.exact(np.mean(good))},
    )


def listed_weights(level, n):
    """Return how often each run is the best of n draws, over every ordered draw; ties
    share evenly.

    Parameters
    ----------
    level : ndarray of int, shape (m,)
        The order of the validation scores.
    n : int

    Returns
    -------
    list of Fraction
    """
    weights = [Fraction(0)] * len(level)
    for draw in itertools.product(range(len(level)), repeat=n):
        best = max(level[run] for run in draw)
        ties = [run for run in draw if level[run] == best]
        for run in ties:
            weights[run] += Fraction(1, len(ties) * len(level) ** n)
    return weights


def one_set_ratio(m, count=4000):
    """Compare the estimators where one score chooses and is reported, which Figure 3
    may mean.

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
    return float(
        audit.gaussian_boo_of(test[index], test[index], N).var() / of_rank.var()
    )


@JUDGES.judge("parametric-varies-less")
def _parametric(record):
    def ratios(name):
        return {
            f"{m} runs": kept(record, name, "estimators", pool="asreader_fixed", m=m)
            for m in FIGURE_3
        }

    by_size = ratios("variance_ratio")
    one_set = {m: one_set_ratio(m) for m in FIGURE_3}
    return Evidence(
        "released data",
        "Variance of the Gaussian estimate over that of Equation 7:"
        f" {_listed(by_size)}. If the test score chooses too:"
        f" {', '.join(f'{ratio:.2f} ({m} runs)' for m, ratio in one_set.items())}.",
        by_size,
        {
            "mean squared error": ratios("square_ratio"),
            "one set of scores": {
                f"{m} runs": Quantity.exact(ratio) for m, ratio in one_set.items()
            },
        },
    )


# --------------------------------------------------------------------------------------
# Comparing
# --------------------------------------------------------------------------------------
