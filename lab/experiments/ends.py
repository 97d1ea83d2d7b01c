"""How often the answers of "Which test do I need?" are wrong at the sizes of its users,
with a known truth.

One table, `missed`: for each situation, case and way of answering, of how many samples
the interval leaves out the truth, or the test rejects what is true, and how many are
refused. All ways of a case see the same samples. `share` is that of the answered, and 0
where none was answered; `error` is its Monte Carlo error.
"""

from functools import cache, partial

import numpy as np
from scipy import signal, stats

from evalkit.intervals import (
    difference_interval,
    group_interval,
    t_interval,
    time_blocks,
)
from evalkit.proportions import proportion_difference, ratio_difference
from evalkit.seeds import crossed_difference
from evalkit.significance import holm, mcnemar, spending_bounds
from lab.record.experiment import Experiment

SAMPLES = 2000
# Bootstraps of quantiles take a tenth of a second each.
SAMPLES_OF = {"quantiles, separate": 500, "quantiles, paired": 500}
LEVEL, N_RESAMPLES = 0.05, 999

UNEVEN = {
    n: tuple(np.geomspace(3, 60, n).round().astype(int).tolist()) for n in (8, 12, 20)
}


# --------------------------------------------------------------------------------------
# Separate items, and separate groups of items
# --------------------------------------------------------------------------------------


def _two_shares(rng, n_a, rate_a, n_b, rate_b):
    """Return counts, and by how much the rates differ."""
    counts = int(rng.binomial(n_a, rate_a)), n_a, int(rng.binomial(n_b, rate_b)), n_b
    return counts, rate_a - rate_b


def _by_newcombe(counts, truth):
    return truth not in proportion_difference(*counts)


def _by_standard_error(counts, truth):
    a, b = counts[0] / counts[1], counts[2] / counts[3]
    se = np.sqrt(a * (1 - a) / counts[1] + b * (1 - b) / counts[3])
    return abs(a - b - truth) > stats.norm.isf(LEVEL / 2) * se


def _by_fisher(counts, truth):
    x_a, n_a, x_b, n_b = counts
    return stats.fisher_exact([[x_a, n_a - x_a], [x_b, n_b - x_b]]).pvalue <= LEVEL


_RATED = (0.05, 0.1, 0.15, 0.3, 0.4)
# Scores of one item, and their mean.
KINDS = {
    "normal": (lambda rng, n: rng.normal(size=n), 0.0),
    "lognormal": (lambda rng, n: rng.lognormal(size=n), np.exp(0.5)),
    "ratings": (
        lambda rng, n: rng.choice(5, p=[0.05, 0.1, 0.15, 0.3, 0.4], size=n),
        2.9,
    ),
}


def _two_samples(rng, kind, n_a, n_b, spread):
    """Return scores of A and B about one mean; those of B scatter more."""
    draw, mean = KINDS[kind]
    a, b = draw(rng, n_a) - mean, spread * (draw(rng, n_b) - mean)
    return (a + 0.0, b + 0.0), 0.0


def _by_welch(scores, truth):
    return truth not in difference_interval(*scores, paired=False)


def _by_equal_spread(scores, truth):
    return stats.ttest_ind(*scores).pvalue <= LEVEL


def _two_sets_of_groups(rng, sizes_a, sizes_b, icc, rate):
    """Return right and wrong answers in groups of either system, equally good."""
    found = []
    for sizes in (sizes_a, sizes_b):
        members = np.repeat(np.arange(len(sizes)), sizes)
        rates = rng.beta(rate * (1 / icc - 1), (1 - rate) * (1 / icc - 1), len(sizes))
        found.append(((rng.random(members.size) < rates[members]) * 1.0, members))
    return found, 0.0


def _by_group_means(samples, truth):
    means = [np.bincount(m, weights=x) / np.bincount(m) for x, m in samples]
    return truth not in difference_interval(*means, paired=False)


def _by_ratios_over_groups(samples, truth):
    (a, groups_a), (b, groups_b) = samples
    none_a, none_b = np.zeros(a.size), np.zeros(b.size)
    found = ratio_difference(
        np.r_[a, none_b],
        np.r_[none_a + 1, none_b],
        np.r_[none_a, b],
        np.r_[none_a, none_b + 1],
        np.r_[groups_a, groups_b + groups_a.max() + 1],
    )
    return truth not in found


def _by_items_of_groups(samples, truth):
    return _by_welch([x for x, _ in samples], truth)


# --------------------------------------------------------------------------------------
# Order in time, and early looks
# --------------------------------------------------------------------------------------


def _autoregression(rng, n, rho):
    chance = rng.normal(size=n)
    chance[1:] *= np.sqrt(1 - rho**2)
    return signal.lfilter([1], [1, -rho], chance)


def _in_time(rng, kind, n, much=0.0):
    """Return values in the order of time, and their mean."""
    days, mean = np.arange(n), 0.0
    if kind == "autoregression":
        values = _autoregression(rng, n, much)
    elif kind == "slow tenth":
        values = np.sqrt(0.9) * rng.normal(size=n)
        values += np.sqrt(0.1) * _autoregression(rng, n, much)
    elif kind == "weekly":
        values = much * np.sin(2 * np.pi * (days + rng.integers(7)) / 7)
        values += rng.normal(size=n)
    elif kind == "trend":
        values = much * (days / (n - 1) - 0.5) + rng.normal(size=n)
    elif kind == "right or wrong":
        values, mean = (rng.random(n) < much) * 1.0, much
    elif kind == "slow rate":  # right and wrong, by a slowly changing rate
        hidden = _autoregression(rng, n, much) + rng.normal(size=n)
        values, mean = (hidden < np.sqrt(2)) * 1.0, stats.norm.cdf(1)
    elif kind == "paired answers":
        values = rng.choice([-1.0, 0.0, 1.0], p=[0.1, 0.8, 0.1], size=n)
    else:
        draw, mean = KINDS[kind]
        values = draw(rng, n) * 1.0
    return values, mean


def _by_blocks(values, truth):
    return truth not in group_interval(values, time_blocks(values))


def _by_t(values, truth):
    return truth not in t_interval(values)


def _looks_at_runs(rng, sizes):
    """Return the p-values of Welch's t at each look at two equal systems."""
    a, b = rng.normal(size=(2, sizes[-1]))
    pvalues = [stats.ttest_ind(a[:n], b[:n], equal_var=False).pvalue for n in sizes]
    return (np.array(pvalues), sizes), None


def _looks_at_signs(rng, sizes):
    """Return the exact p-values at each look at items on which one of two is right."""
    wins = rng.integers(2, size=sizes[-1]).cumsum()
    pvalues = [mcnemar(int(wins[n - 1]), int(n - wins[n - 1])).pvalue for n in sizes]
    return (np.array(pvalues), sizes), None


def _at_every_look(looks, truth):
    return (looks[0] <= LEVEL).any()


@cache
def _bounds(spending, sizes):
    return spending_bounds(np.array(sizes) / sizes[-1], spending=spending).pvalue


def _by_spending(spending, looks, truth):
    pvalues, sizes = looks
    return (pvalues <= _bounds(spending, sizes)).any()


# --------------------------------------------------------------------------------------
# Games, quantiles, families, several metrics
# --------------------------------------------------------------------------------------


def _games(rng, openings, each, swapped, draws):
    """Return results of games of two equal players, 1, 0.5 and 0, and the opening of
    each.

    An opening favours White, by chance. Swapped, every second game of it has the
    colours the other way round.
    """
    members = np.repeat(np.arange(openings), each)
    favours = rng.normal(0.0, 1.0, openings)[members]
    side = np.where(np.arange(members.size) % 2, -1.0, 1.0) if swapped else 1.0
    lead = side * favours + rng.normal(size=members.size)
    wide = stats.norm.isf((1 - draws) / 2, scale=np.sqrt(2))
    return (np.where(np.abs(lead) < wide, 0.5, (lead > 0) * 1.0), members), 0.5


def _by_openings(games, truth):
    return truth not in group_interval(*games)


def _by_games(games, truth):
    return truth not in t_interval(games[0])


def _quantile(share, scores, axis=-1):
    return np.quantile(scores, share, axis=axis)


def _times(rng, share, n, alike):
    """Return times of two systems, lognormal, B a tenth slower; and the difference of
    their quantiles.
    """
    shared = np.sqrt(alike) * rng.normal(size=n)
    a, b = np.exp(0.5 * (shared + np.sqrt(1 - alike) * rng.normal(size=(2, n))))
    gap = -0.1 * np.exp(0.5 * stats.norm.ppf(share))
    return (a, 1.1 * b, share, alike > 0, rng), gap


def _by_bootstrap(method, times, truth):
    a, b, share, paired, rng = times
    statistic = partial(_quantile, share)
    found = difference_interval(
        *(a, b, statistic),
        paired=paired,
        method=method,
        n_resamples=N_RESAMPLES,
        rng=rng,
    )
    return truth not in found


def _families(rng, sizes, icc):
    """Return scores of two equal systems by task or judge, whose families agree."""
    members = np.repeat(np.arange(len(sizes)), sizes)
    ahead = np.sqrt(icc) * rng.normal(size=len(sizes))[members]
    ahead += np.sqrt(1 - icc) * rng.normal(size=members.size)
    base = rng.normal(size=members.size)
    return (base + ahead, base, members), 0.0


def _by_families(scores, truth):
    return truth not in crossed_difference(*scores)


def _by_members(scores, truth):
    return truth not in crossed_difference(*scores[:2])


def _metrics(rng, n_metrics, correlation, n):
    """Return p-values of paired t on metrics of the same items; none differs."""
    shared = np.sqrt(correlation) * rng.normal(size=(n, 1))
    own = np.sqrt(1 - correlation) * rng.normal(size=(n, n_metrics))
    return stats.ttest_1samp(shared + own, 0).pvalue, None


def _any_metric(pvalues, truth):
    return pvalues.min() <= LEVEL


def _by_holm(pvalues, truth):
    return holm(pvalues).min() <= LEVEL


# --------------------------------------------------------------------------------------
# What is asked
# --------------------------------------------------------------------------------------

_SPENDING = {
    "p <= 0.05 at each look": _at_every_look,
    "spending_bounds": partial(_by_spending, "obrien-fleming"),
    "spending_bounds, pocock": partial(_by_spending, "pocock"),
}
_BOOTSTRAPS = {
    "difference_interval": partial(_by_bootstrap, "auto"),
    "percentile": partial(_by_bootstrap, "percentile"),
}
_QUANTILES = {
    f"p{100 * share:.0f} of {n}": (share, n)
    for share in (0.5, 0.95)
    for n in (200, 1000)
}
# For each situation what draws a sample, its cases, and the ways of answering: the call
# that the page gives comes first.
SITUATIONS = {
    "separate answers": (
        _two_shares,
        {
            **{
                f"20 and 20, {a} and {b}": (20, a, 20, b)
                for a, b in ((0.02, 0.02), (0.5, 0.5), (0.95, 0.95), (0.95, 1.0))
            },
            **{f"10 and 100, {p}": (10, p, 100, p) for p in (0.5, 0.95)},
            **{f"30 and 300, {p}": (30, p, 300, p) for p in (0.5, 0.95)},
            **{f"300 and 500, 0.9 and {p}": (300, 0.9, 500, p) for p in (0.9, 0.93)},
        },
        {
            "proportion_difference": _by_newcombe,
            "standard error": _by_standard_error,
            "Fisher's test": _by_fisher,
        },
    ),
    "separate scores": (
        _two_samples,
        {
            f"{kind}, {n_a} and {n_b}, spread {spread:g}": (kind, n_a, n_b, spread)
            for kind in KINDS
            for n_a, n_b, spread in ((10, 10, 1.0), (30, 100, 1.0), (30, 100, 0.33))
        },
        {"difference_interval": _by_welch, "t of equal spread": _by_equal_spread},
    ),
    "separate groups": (
        _two_sets_of_groups,
        {
            f"{name}, {rate} right, ICC {icc}": (a, b, icc, rate)
            for name, a, b in (
                ("8 and 8 equal", (20,) * 8, (20,) * 8),
                ("8 and 20 equal", (20,) * 8, (20,) * 20),
                ("8 and 8 uneven", UNEVEN[8], UNEVEN[8]),
                ("12 and 12 uneven", UNEVEN[12], UNEVEN[12]),
                ("8 and 20 uneven", UNEVEN[8], UNEVEN[20]),
                ("20 and 20 uneven", UNEVEN[20], UNEVEN[20]),
            )
            for rate, icc in ((0.8, 0.1), (0.8, 0.3), (0.95, 0.1))
        },
        {
            "difference_interval of group means": _by_group_means,
            "ratio_difference": _by_ratios_over_groups,
            "items as independent": _by_items_of_groups,
        },
    ),
    "in time": (
        _in_time,
        {
            **{
                f"autoregression {rho}, {n}": ("autoregression", n, rho)
                for rho in (0.0, 0.5, 0.9, 0.97)
                for n in (100, 300, 1000, 5000)
            },
            **{
                f"autoregression {rho}, {n}": ("autoregression", n, rho)
                for rho in (0.0, 0.5)
                for n in (40, 60)
            },
            **{
                f"{kind}, {n}": (kind, n)
                for kind in ("paired answers", "ratings", "lognormal")
                for n in (40, 300)
            },
            **{f"right or wrong, {n}": ("right or wrong", n, 0.9) for n in (40, 300)},
            **{f"weekly, {n}": ("weekly", n, 1.0) for n in (60, 100, 300)},
            **{f"trend of {x:g} SD, 300": ("trend", 300, x) for x in (1.0, 3.0)},
            **{
                f"{kind} {rho}, {n}": (kind, n, rho)
                for kind, rho in (("slow tenth", 0.97), ("slow rate", 0.9))
                for n in (100, 300, 1000, 5000)
            },
        },
        {"group_interval of time_blocks": _by_blocks, "as independent": _by_t},
    ),
    "looks at runs": (
        _looks_at_runs,
        {
            "10, 20, 30, 40, 50 runs": (10, 20, 30, 40, 50),
            "5, 10, 15, 20 runs": (5, 10, 15, 20),
            "10, 40, 45 runs": (10, 40, 45),
        },
        _SPENDING,
    ),
    "looks at answers": (
        _looks_at_signs,
        {
            "20, 40, 60, 80, 100 that differ": (20, 40, 60, 80, 100),
            "10, 20, 30, 40 that differ": (10, 20, 30, 40),
            "100, 150, 400 that differ": (100, 150, 400),
        },
        _SPENDING,
    ),
    "games": (
        _games,
        {
            **{
                f"{n} openings, both colours, {d:g} drawn": (n, 2, True, d)
                for n in (20, 50, 200)
                for d in (0.3, 0.7)
            },
            **{
                f"{n} openings, {each} games each": (n, each, False, 0.3)
                for n, each in ((20, 2), (20, 10), (50, 2))
            },
        },
        {"group_interval of openings": _by_openings, "games as independent": _by_games},
    ),
    "quantiles, separate": (
        _times,
        {name: (*case, 0.0) for name, case in _QUANTILES.items()},
        _BOOTSTRAPS,
    ),
    "quantiles, paired": (
        _times,
        {name: (*case, 0.6) for name, case in _QUANTILES.items()},
        _BOOTSTRAPS,
    ),
    "families": (
        _families,
        {
            f"{name}, ICC {icc}": (sizes, icc)
            for name, sizes in (
                ("20 in 8 families", (6, 4, 3, 2, 2, 1, 1, 1)),
                ("60 in 12 families", (12, 10, 8, 7, 6, 5, 4, 3, 2, 1, 1, 1)),
                ("60 in 20 families", (3,) * 20),
            )
            for icc in (0.0, 0.3, 0.7)
        },
        {"crossed_difference with groups": _by_families, "without": _by_members},
    ),
    "several metrics": (
        _metrics,
        {
            f"{n} metrics, correlation {r}": (n, r, 100)
            for n in (3, 5, 10)
            for r in (0.0, 0.5, 0.9)
        },
        {"holm": _by_holm, "the best of them": _any_metric},
    ),
}


def _missed(situation, case, way):
    draw, cases, ways = SITUATIONS[situation]
    names = list(SITUATIONS).index(situation), list(cases).index(case)
    rng = np.random.default_rng([61, *names])
    samples = SAMPLES_OF.get(situation, SAMPLES)
    parameters = cases[case] if not situation.startswith("looks") else (cases[case],)
    missed = refused = 0
    for _ in range(samples):
        # Of its own, so that what one way draws is no other way's sample.
        sample, truth = draw(np.random.default_rng(rng.integers(2**63)), *parameters)
        try:
            missed += bool(ways[way](sample, truth))
        except ValueError:
            refused += 1
    answered = samples - refused
    share = missed / answered if answered else 0.0
    error = np.sqrt(share * (1 - share) / answered) if answered else 0.0
    return {
        "samples": samples,
        "refused": refused,
        "missed": missed,
        "share": round(share, 4),
        "error": round(float(error), 4),
    }


def _plan(scale, rows):
    """Return the units; none depends on another."""
    return [
        {"table": "missed", "situation": situation, "case": case, "way": way}
        for situation, (_, cases, ways) in SITUATIONS.items()
        for case, parameters in cases.items()
        for way in ways
        # A test has no interval for a difference.
        if way != "Fisher's test" or parameters[1] == parameters[3]
    ]


EXPERIMENT = Experiment(
    name="ends",
    # Another machine's last bits may turn a decision or two.
    compared={"refused": 3, "missed": 3},
    plan=_plan,
    tables={"missed": _missed},
)
