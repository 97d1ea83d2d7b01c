"""How far runs scatter, and what that means beside the steps between published results."""

import numpy as np
from scipy import stats

from evalkit.expected_maximum import gaussian_expected_max
from evalkit.papers.bajgar2018 import audit
from evalkit.papers.bajgar2018.audit import FIXED, PAPERS, SEARCH
from evalkit.papers.bajgar2018.claims.statistics import NAMES, by_pool, words
from evalkit.papers.judging import REPLICATED, Finding, Judges, Resampled, Trials, either, everywhere, held
from evalkit.proportions import proportion_interval

JUDGES = Judges("bajgar2018")


@JUDGES.judge("give-setup-details")
def _give_setup_details(record):
    found = {pool: audit.matches(pool, audit.runs(pool)) for pool in PAPERS}
    good = [all(match[name] for name in ("n_runs", "mean", "sd")) for match in found.values()]
    lines = [
        f"{NAMES[pool]} {len(audit.runs(pool))} runs, mean {audit.runs(pool).test.mean():.2f}, SD "
        f"{audit.runs(pool).sd:.2f} (printed "
        f"{', '.join(audit.published()[f'{pool}/{name}'] for name in names)})"
        for pool, names in dict.fromkeys(PAPERS, ("n_runs", "mean", "sd")).items()
    ]
    drawn = audit.how_drawn()
    scales = "; ".join(
        f"{row.Index} {row.uniform:.2g} if uniform, {row.logarithm:.2g} if its logarithm is"
        for row in drawn.itertuples()
    )
    return Finding(
        held(all(good)),
        "released data",
        f"From the released files: {'; '.join(lines)}. How the hyperparameters of the search were drawn, by "
        f"the names of its runs (p-values of Kolmogorov and Smirnov): {scales}.",
    )


@JUDGES.judge("training-is-stochastic")
def _training_is_stochastic(record):
    shares = {}
    for pool in FIXED:
        _, counts = np.unique(audit.runs(pool).pairs, axis=0, return_counts=True)
        n = counts.sum()
        shares[pool] = (counts * (counts - 1)).sum() / (n * (n - 1))
    lines = [f"{NAMES[pool]} {share:.2%}" for pool, share in shares.items()]
    return Finding(
        held(max(shares.values()) < 0.05),
        "released data",
        f"Pairs of runs that agree in both validation and test accuracy: {'; '.join(lines)}.",
    )


def pair_share(test, gap):
    """Return a statistic: in what share of the pairs of different runs the scores are farther apart.

    Parameters
    ----------
    test : ndarray of float, shape (N,)
    gap : float

    Returns
    -------
    callable
        From the places of runs, drawn with replacement, to the share; two copies of a run are no pair.
    """
    apart = (abs(test[:, None] - test) > gap + 1e-9).astype(float)

    def share(index):
        counts = np.bincount(index, minlength=len(test)).astype(float)
        return counts @ apart @ counts / (counts.sum() ** 2 - (counts**2).sum())

    return share


@JUDGES.judge("population-variance")
def _population_variance(record):
    shares = {}
    for pool in FIXED:
        test = audit.runs(pool).test
        shares[pool] = Resampled(pair_share(test, audit.median_gap(pool)), np.arange(len(test)))
    verdict = everywhere([share.beyond(0.25) for share in shares.values()])
    return Finding(
        verdict,
        "released data",
        f"Share of pairs of runs farther apart than the median published gap: {by_pool(shares)}.",
        tuple(shares.values()),
    )


def quartile_range(scores):
    """Return the interquartile range, in a tenth of the time that SciPy's takes.

    Parameters
    ----------
    scores : ndarray of float, shape (N,)

    Returns
    -------
    float
    """
    place = np.array([0.25, 0.75]) * (len(scores) - 1)
    low = place.astype(int)
    ordered = np.partition(scores, [*low, *(low + 1)])
    ends = ordered[low] + (place - low) * (ordered[low + 1] - ordered[low])
    return ends[1] - ends[0]


@JUDGES.judge("variation-not-negligible")
def _variation_not_negligible(record):
    ranges = {pool: Resampled(quartile_range, audit.runs(pool).test) for pool in FIXED}
    verdict = everywhere([found.beyond(audit.median_gap(pool)) for pool, found in ranges.items()])
    gaps = " and ".join(f"{audit.median_gap(pool):.2f}" for pool in FIXED)
    return Finding(
        verdict,
        "released data",
        f"Interquartile range in points: {by_pool(ranges)}; the median gaps are {gaps}.",
        tuple(ranges.values()),
    )


@JUDGES.judge("three-results-in-one-interval", criterion="2026-11-22")
def _three_results(record):
    gaps = {pool: audit.median_gap(pool) for pool in FIXED}
    ratios = {
        pool: Resampled(lambda test, gap=gap: 4 * test.std(ddof=1) / gap, audit.runs(pool).test)
        for pool, gap in gaps.items()
    }
    verdict = everywhere([ratio.beyond(2) for ratio in ratios.values()])
    return Finding(
        verdict,
        "released data",
        f"Four SDs over the median gap: {by_pool(ratios)}. Three results need 2, four need 3.",
        tuple(ratios.values()),
    )


@JUDGES.judge("search-adds-variance")
def _search_adds_variance(record):
    fixed, searched = audit.runs("asreader_fixed").test, audit.runs(SEARCH).test
    ratios = {
        "SDs": Resampled(lambda a, b: b.std(ddof=1) / a.std(ddof=1), fixed, searched),
        "interquartile ranges": Resampled(
            lambda a, b: quartile_range(b) / quartile_range(a), fixed, searched
        ),
    }
    verdict = everywhere([ratio.beyond(1) for ratio in ratios.values()])
    return Finding(
        verdict,
        "released data",
        f"Random search over fixed hyperparameters, ratio of the {by_pool(ratios)}.",
        tuple(ratios.values()),
    )


def _beats_by_a_sd(test):
    """Return the chance that a run of one half of a pool lies more than an SD above the best of the other."""
    ordered, n = np.sort(test), len(test)
    rank = np.searchsorted(ordered, ordered - test.std(ddof=1), side="left")
    above = n - 1 - rank  # other runs that the half must not hold
    half = n // 2
    # All of these must be on the run's own side; the other half is any of the n - 1 others.
    return float(stats.hypergeom.pmf(0, n - 1, above, half).mean())


@JUDGES.judge("best-possible-undefined", criterion="2026-11-22")
def _best_possible_undefined(record):
    budgets = [10**k for k in range(1, 7)]
    steps = np.diff(gaussian_expected_max(budgets))
    chances = {pool: _beats_by_a_sd(audit.runs(pool).test) for pool in PAPERS}
    lines = "; ".join(f"{NAMES[pool]} {chance:.1e}" for pool, chance in chances.items())
    return Finding(
        held(steps.min() > 0.3 and max(chances.values()) < 1e-3),
        "released data",
        f"From 10 to 1,000,000 normal draws each tenfold step adds {steps.min():.2f} to {steps.max():.2f} "
        f"SDs. "
        f"A run of one half of a pool lies more than one SD above the best of the other half with a chance "
        f"of: {lines}.",
    )


@JUDGES.judge("fixed-pools-gaussian")
def _fixed_pools_gaussian(record):
    below, beyond, lines, drawn = [], [], [], []
    for pool in FIXED:
        trials, statistic, five = null(record, pool, 0.05)
        tables = audit.critical_values(len(audit.runs(pool).test))
        below.append(all(statistic < value for value in tables.values()) and _is_above(trials, 0.05))
        beyond.append(_is_below(trials, 0.05))
        drawn.append(trials)
        lines.append(
            f"{NAMES[pool]} {statistic:.4f}, 5 % values {tables['1974']:.4f} (1974), {tables['1986']:.4f} "
            f"(1986) "
            f"and {five:.4f} (simulated, p = {trials.cases / trials.count:.4f})"
        )
    return Finding(
        either(all(below), any(beyond)),
        "released data",
        f"A-squared: {'; '.join(lines)}.",
        tuple(drawn),
    )


def null(record, pool, level):
    """Return how often normal scores have a statistic as large as a pool's, the statistic and its 5 % value.

    Parameters
    ----------
    record : evalkit.papers.bajgar2018.tasks.Record
    pool : str
    level : float
        What the share is held against.

    Returns
    -------
    trials : Trials
    statistic, five : float
    """
    rows = record.table("normality", pool=pool)
    trials = Trials(int(rows.draws.sum()), int(rows.beyond.sum()), (level,))
    return trials, float(rows.statistic.iloc[0]), float(rows.five.mean())


def _is_above(trials, level):
    return proportion_interval(trials.cases, trials.count, confidence_level=0.99).low > level


def _is_below(trials, level):
    return proportion_interval(trials.cases, trials.count, confidence_level=0.99).high < level


@JUDGES.judge("random-pool-skewed")
def _random_pool_skewed(record):
    skewness = Resampled(stats.skew, audit.runs(SEARCH).test)
    trials, statistic, _ = null(record, SEARCH, 0.01)
    side = skewness.beyond(0, above=False)
    rejected = _is_below(trials, 0.01)
    return Finding(
        either(side == REPLICATED and rejected, skewness.high >= 0),
        "released data",
        f"Skewness {words(skewness)}; A-squared is {statistic:.2f}, and as large in {trials.cases} of "
        f"{trials.count:,} samples of normal scores.",
        (skewness, trials),
    )
