"""How often intervals miss at the edges that users meet: tables of `error_rates`, with
a known truth.

- `near_one`: two models on the same items that few of them tell apart: Student's t,
  Tango's score as `crossed_difference` takes it, and the claim that they are as good as
  each other;
- `few_of_seeds`: the same with several seeds of each;
- `group_rates`: one accuracy on items in groups: Student's t on CR2, and Korn and
  Graubard's interval;
- `group_differences`: the difference of two accuracies on items in groups;
- `rounded`: two systems with few runs each, whose scores, or means and spreads, were
  rounded, wherever their true means lie between two digits;
- `conditions`: what nobody would notice in the scores: runs that share an
  initialisation, losses with unequal tails, families that are harder the larger;
- `tied`: the best of n runs that succeed or fail, or tie at the best;
- `rank_sets`: the ranks of systems that are all as good as each other;
- `skewed_pairs`: two systems declared as good as each other from skewed paired
  differences;
- `failing_seeds`: seeds of which some fail altogether;
- `success_rates`: BCa for the mean of right and wrong, and for the median of rounded
  scores;
- `bands`: the Kolmogorov-Smirnov band of the expected maximum, of scores without ties.
"""

from collections import ChainMap
from itertools import product

import numpy as np
from scipy import stats

from evalkit._groups import mean_variance
from evalkit.expected_maximum import (
    expected_max_band,
    expected_max_interval,
    gaussian_expected_max,
)
from evalkit.intervals import (
    bootstrap_interval,
    difference_interval,
    equivalence,
    from_summary,
    group_interval,
    t_interval,
)
from evalkit.leaderboards import rank_intervals
from evalkit.results import Difference
from evalkit.seeds import crossed_difference

SAMPLES = {
    "near_one": 1000,
    "few_of_seeds": 500,
    "group_rates": 800,
    "group_differences": 500,
}
SAMPLES |= {"rounded": 2000, "skewed_pairs": 2000, "failing_seeds": 500}
SAMPLES |= {"success_rates": 500, "bands": 500, "conditions": 2000, "tied": 2000}
SAMPLES |= {"rank_sets": 2000}

ITEMS = (20, 30, 50, 100, 300, 500, 1000)
# Shares of the items on which A alone is right, and B alone.
APART = (
    (0.01, 0.0),
    (0.03, 0.0),
    (0.03, 0.01),
    (0.02, 0.02),
    (0.1, 0.02),
    (0.1, 0.1),
    (0.2, 0.1),
)
# Items in groups; the last two have a group with half of all items, and sizes from 2 to
# 125.
N_GROUPS = (5, 8, 12, 20, 30, 50)
SIZES = {f"{n} equal": (20,) * n for n in N_GROUPS}
SIZES |= {f"{n}, half in one": (20 * (n - 1), *(20,) * (n - 1)) for n in N_GROUPS}
# Below twelve such groups there are fewer than three effective ones, or nearly so.
SIZES |= {
    f"{n} uneven": tuple(np.geomspace(2, 125, n).round().astype(int).tolist())
    for n in N_GROUPS
    if n > 5
}
RATES = (0.5, 0.8, 0.9, 0.95, 0.99)
RESEMBLANCES = (0.02, 0.1, 0.2, 0.4)
GAPS = ((0.5, 0.0), (0.8, 0.05), (0.95, 0.0), (0.95, 0.02), (0.99, 0.0), (0.99, 0.02))
SPREADS = (0.02, 0.1, 0.2, 0.4, 0.7, 1.0, 2.0)  # in units of the last digit
# Of the variance of a run the share of its initialisation; how heavy the tails of two
# losses with one mean are, on how many items; families that are harder the larger.
CONDITIONS = {
    **{f"9 runs, 3 initialisations, share {x}": ("runs", x) for x in (0.5, 0.85, 1.0)},
    **{
        f"3 means of initialisations, share {x}": ("means", x) for x in (0.5, 0.85, 1.0)
    },
    **{f"tails, {n} items": ("tails", n) for n in (30, 100, 300, 1000)},
    **{f"families, {n} of them": ("families", n) for n in (20, 50, 200)},
}
TIED = {
    **{f"success rate {p}": ("binomial", 1, p) for p in (0.02, 0.05, 0.2, 0.5)},
    "accuracy of 20 items, 0.8": ("binomial", 20, 0.8),
    "accuracy of 20 items, 0.95": ("binomial", 20, 0.95),
    "accuracy of 100 items, 0.8": ("binomial", 100, 0.8),
    "accuracy of 100 items, 0.95": ("binomial", 100, 0.95),
    "two in five at a ceiling": ("ceiling", 0, 0.6),
    "one in ten at a ceiling": ("ceiling", 0, 0.9),
    "no ties": ("ceiling", 0, 1.0),
    "three in five train, the others collapse": ("collapse", 0.003, 0.6),
}
# Systems and items, or groups of ten items each.
BOARDS = {
    "5 on 5 items": (5, 5, 1),
    "10 on 10 items": (10, 10, 1),
    "10 on 20 items": (10, 20, 1),
    "25 on 300 items": (25, 300, 1),
    "40 on 100 items": (40, 100, 1),
    "5 in 8 groups": (5, 8, 10),
    "10 in 8 groups": (10, 8, 10),
}


def _by_t(differences, level=0.95):
    """Return Student's interval of a mean of paired differences, as it is without the
    score.
    """
    variance, df = mean_variance(differences, np.arange(differences.size))
    return Difference.from_parts(
        differences.mean(), [(float(variance), df)], level, "t"
    )


def _near_one(items, alone_a, alone_b):
    rng = np.random.default_rng([21, items, int(1000 * alone_a), int(1000 * alone_b)])
    held, width, wrongly = (
        dict.fromkeys(("t", "score"), 0),
        dict.fromkeys(("t", "score"), 0.0),
        0,
    )
    truth, samples = alone_a - alone_b, SAMPLES["near_one"]
    shares = [
        0.7 * (1 - alone_a - alone_b),
        alone_a,
        alone_b,
        0.3 * (1 - alone_a - alone_b),
    ]
    for counts in rng.multinomial(items, shares, size=samples):
        a, b = (
            np.repeat(cells, counts).astype(float)
            for cells in ((1, 1, 0, 0), (1, 0, 1, 0))
        )
        intervals = {"t": _by_t(a - b), "score": crossed_difference(a, b)}
        for name, interval in intervals.items():
            held[name] += interval.low - 1e-12 <= truth <= interval.high + 1e-12
            width[name] += interval.width / samples
        wrongly += truth > 0 and equivalence(intervals["score"], truth).equivalent
    return {
        "samples": samples,
        "held_t": int(held["t"]),
        "held": int(held["score"]),
        "width_t": round(width["t"], 6),
        "width": round(width["score"], 6),
        "equivalent": int(wrongly) if truth else None,
    }


def _few_of_seeds(seeds, items, alone_a, alone_b, noise):
    rng = np.random.default_rng(
        [22, seeds, items, int(1000 * alone_a), int(1000 * alone_b), int(1000 * noise)]
    )
    held, samples = 0, SAMPLES["few_of_seeds"]
    truth = (alone_a - alone_b) * (1 - 2 * noise)
    for _ in range(samples):
        place, easy = rng.random(items), rng.random(items) < 0.9
        a = np.where(
            place < alone_a, True, np.where(place < alone_a + alone_b, False, easy)
        )
        b = np.where(
            place < alone_a, False, np.where(place < alone_a + alone_b, True, easy)
        )
        slips = rng.random((2, seeds, items)) < noise  # a run's own, whatever the item
        interval = crossed_difference(
            (a ^ slips[0]).astype(float), (b ^ slips[1]).astype(float)
        )
        held += interval.low - 1e-12 <= truth <= interval.high + 1e-12
    return {"samples": samples, "held": int(held)}


def draw_rates(rate, resemblance, shape, rng):
    """Draw the rate of each group, so that two items of a group have this intraclass
    correlation.

    Parameters
    ----------
    rate, resemblance : float
    shape : int or tuple of int
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of float
    """
    weight = 1 / resemblance - 1
    return rng.beta(rate * weight, (1 - rate) * weight, size=shape)


def _group_rates(sizes, rate, resemblance):
    rng = np.random.default_rng(
        [23, list(SIZES).index(sizes), int(100 * rate), int(100 * resemblance)]
    )
    of_groups, samples = np.array(SIZES[sizes]), SAMPLES["group_rates"]
    members = np.repeat(np.arange(of_groups.size), of_groups)
    held, width = dict.fromkeys(("t", "kg"), 0), dict.fromkeys(("t", "kg"), 0.0)
    for _ in range(samples):
        right = (
            rng.random(members.size)
            < draw_rates(rate, resemblance, of_groups.size, rng)[members]
        )
        variance, df = mean_variance(right.astype(float), members)
        intervals = {
            "t": Difference.from_parts(right.mean(), [(float(variance), df)], 0.95, "t")
        }
        intervals["kg"] = group_interval(right, members)
        for name, interval in intervals.items():
            held[name] += rate in interval
            width[name] += interval.width / samples
    return {
        "samples": samples,
        "effective": round(intervals["kg"].effective_groups, 2),
        "held_t": int(held["t"]),
        "held": int(held["kg"]),
        "width_t": round(width["t"], 5),
        "width": round(width["kg"], 5),
    }


def _group_differences(sizes, rate, gap, resemblance):
    rng = np.random.default_rng(
        [
            24,
            list(SIZES).index(sizes),
            int(100 * rate),
            int(100 * gap),
            int(100 * resemblance),
        ]
    )
    of_groups, samples = np.array(SIZES[sizes]), SAMPLES["group_differences"]
    members = np.repeat(np.arange(of_groups.size), of_groups)
    held, width = dict.fromkeys(("t", "score"), 0), dict.fromkeys(("t", "score"), 0.0)
    weight = 1 / resemblance - 1
    for _ in range(samples):
        # Four groups in five are as hard for the one as for the other, and of items
        # seven in ten.
        hard = rng.random(of_groups.size)
        others = np.where(rng.random(hard.size) < 0.8, hard, rng.random(hard.size))
        chances = [
            stats.beta.ppf(ranks, of * weight, (1 - of) * weight)[members]
            for ranks, of in ((hard, rate), (others, rate - gap))
        ]
        luck = rng.random(members.size)
        other = np.where(rng.random(luck.size) < 0.7, luck, rng.random(luck.size))
        a, b = (luck < chances[0]).astype(float), (other < chances[1]).astype(float)
        variance, df = mean_variance(a - b, members)
        intervals = {
            "t": Difference.from_parts(
                (a - b).mean(), [(float(variance), df)], 0.95, "t"
            )
        }
        intervals["score"] = crossed_difference(a, b, members)
        for name, interval in intervals.items():
            held[name] += interval.low - 1e-12 <= gap <= interval.high + 1e-12
            width[name] += interval.width / samples
    return {
        "samples": samples,
        "held_t": int(held["t"]),
        "held": int(held["score"]),
        "width_t": round(width["t"], 5),
        "width": round(width["score"], 5),
    }


def _rounded(runs, spread, what):
    rng = np.random.default_rng([26, runs, int(100 * spread), len(what)])
    held, width, refused, samples = 0, 0.0, 0, SAMPLES["rounded"]
    for _ in range(samples):
        means = rng.random((2, 1))  # the last digit is the unit
        scores = 80 + means + spread * rng.normal(size=(2, runs))
        if what == "pairs":  # of what moves both
            scores += 2 * rng.normal(size=runs)
        try:
            if what == "summaries":
                interval = from_summary(
                    *((round(x.mean()), round(x.std(ddof=1)), runs) for x in scores),
                    spread="sd",
                    decimals=0,
                )
            else:
                a, b = np.round(scores)
                paired = what == "pairs"
                interval = difference_interval(a, b, paired=paired, decimals=0)
        except ValueError:
            refused += 1
            continue
        held += interval.low <= means[0, 0] - means[1, 0] <= interval.high
        width += interval.width
    return {
        "samples": samples,
        "held": int(held),
        "refused": int(refused),
        "width": round(width / max(samples - refused, 1), 6),
    }


def _conditions(condition):
    kind, amount = CONDITIONS[condition]
    rng = np.random.default_rng([31, list(CONDITIONS).index(condition)])
    held, samples = 0, SAMPLES["conditions"]
    for _ in range(samples):
        if kind in ("runs", "means"):
            shared = np.sqrt(amount) * rng.normal(size=(3, 1))
            scores = shared + np.sqrt(1 - amount) * rng.normal(size=(3, 3))
            scores = scores.ravel() if kind == "runs" else scores.mean(axis=1)
            held += 0 in t_interval(scores)
        elif kind == "tails":  # logarithms with SDs of 1 and 2; both means are 1
            a, b = (np.exp(s * rng.normal(size=amount) - s * s / 2) for s in (1, 2))
            held += 0 in crossed_difference(a, b)
        else:
            sizes = np.maximum(rng.geometric(0.15, size=amount), 1)
            harder = np.log(sizes) - _LOG_SIZE  # weighted by size its mean is 0
            groups = np.repeat(np.arange(amount), sizes)
            own = harder + 0.3 * rng.normal(size=amount)
            scores = own[groups] + rng.normal(size=groups.size)
            held += 0 in group_interval(scores, groups)
    return {"samples": samples, "held": int(held)}


def _log_size():
    """Return the mean logarithm of a family's size, weighted by size."""
    sizes = np.arange(1, 400)
    weights = sizes * stats.geom.pmf(sizes, 0.15)
    return float((weights * np.log(sizes)).sum() / weights.sum())


_LOG_SIZE = _log_size()


def truth_of_best(scores, best_of):
    """Return the expected best of some runs.

    Parameters
    ----------
    scores : str
        Of `TIED`.
    best_of : int

    Returns
    -------
    float
    """
    kind, items, amount = TIED[scores]
    if kind == "binomial":
        below = stats.binom.cdf(np.arange(items), items, amount) ** best_of
        return float((1 - below).sum() / items)
    if kind == "collapse":
        x = np.linspace(0, 1, 400_001)
        below = sum(
            share * stats.norm.cdf(x, mean, items)
            for mean, share in ((0.95, amount), (0.1, 1 - amount))
        )
        return float(1 - np.trapezoid(below**best_of, x))
    # Uniform scores, those above a ceiling moved there: it, less the integral below.
    return amount - amount ** (best_of + 1) / (best_of + 1)


def _tied(scores, runs, best_of):
    kind, items, amount = TIED[scores]
    rng = np.random.default_rng([32, list(TIED).index(scores), runs, best_of])
    truth = truth_of_best(scores, best_of)
    held, width, refused, samples = 0, 0.0, 0, SAMPLES["tied"]
    for _ in range(samples):
        if kind == "binomial":
            drawn = rng.binomial(items, amount, size=runs) / items
        elif kind == "collapse":
            trained = rng.random(runs) < amount
            drawn = np.where(trained, 0.95, 0.1) + items * rng.normal(size=runs)
        else:
            drawn = np.minimum(rng.random(runs), amount)
        try:
            interval = expected_max_interval(drawn, best_of)
        except ValueError:
            refused += 1
            continue
        held += interval.low - 1e-12 <= truth <= interval.high + 1e-12
        width += interval.width
    return {
        "samples": samples,
        "held": int(held),
        "refused": int(refused),
        "width": round(width / max(samples - refused, 1), 6),
    }


def _rank_sets(board, answers):
    systems, groups, size = BOARDS[board]
    rng = np.random.default_rng([33, list(BOARDS).index(board), len(answers)])
    samples = SAMPLES["rank_sets"] // (5 if systems * groups > 2000 else 1)
    members = np.repeat(np.arange(groups), size) if size > 1 else None
    held = 0
    for _ in range(samples):
        hard = np.repeat(rng.normal(size=(groups, 1)), size, axis=0)
        own = 0.5 * np.repeat(rng.normal(size=(groups, systems)), size, axis=0)
        scores = hard + own + rng.normal(size=(groups * size, systems))
        if answers == "right or wrong":
            scores = (scores > -0.8).astype(float)
        held += not rank_intervals(scores, members).apart.to_numpy().any()
    return {"samples": samples, "held": int(held)}


def _skewed_pairs(pairs):
    rng = np.random.default_rng([27, pairs])
    samples, wrongly = SAMPLES["skewed_pairs"], 0
    for _ in range(samples):
        # Their mean is the margin, a standard deviation, which the few large ones
        # carry.
        interval = difference_interval(
            rng.exponential(size=pairs), np.zeros(pairs), paired=True
        )
        wrongly += equivalence(interval, 1.0).equivalent
    return {"samples": samples, "equivalent": int(wrongly)}


def _failing_seeds(seeds, share):
    rng = np.random.default_rng([28, seeds, int(100 * share)])
    held, samples, items = 0, SAMPLES["failing_seeds"], 200
    for _ in range(samples):
        hard = rng.random(items)
        chances = np.where(hard < 0.9, 0.95, 0.1)
        a, b = (rng.random((2, seeds, items)) < chances).astype(float)
        failed = rng.random(seeds) < share
        a[failed] = rng.random((int(failed.sum()), items)) < 0.2
        truth = share * (0.2 - (0.9 * 0.95 + 0.1 * 0.1))
        held += truth in crossed_difference(a, b)
    return {"samples": samples, "held": int(held)}


def _success_rates(scores, size):
    rng = np.random.default_rng([29, size, len(scores)])
    samples, held, refused = SAMPLES["success_rates"], 0, 0
    for _ in range(samples):
        if scores == "median, to 2 decimals":
            truth, statistic = 0.9, np.median
            sample = np.round(0.9 + 0.01 * rng.normal(size=size), 2)
        else:
            truth, statistic = float(scores), np.mean
            sample = (rng.random(size) < truth).astype(float)
        try:
            low, high = bootstrap_interval(sample, statistic, n_resamples=999, rng=rng)
            held += low - 1e-9 <= truth <= high + 1e-9
        except ValueError:
            refused += 1
    return {"samples": samples, "held": int(held), "refused": int(refused)}


def _bands(runs):
    rng = np.random.default_rng([30, runs])
    samples, held = SAMPLES["bands"], 0
    budgets = np.array([1, 2, 5, 10, 20, 50])
    # Normal scores, of which one in 10^15 would lie outside the bounds: the truth is
    # exact for all that.
    truth = gaussian_expected_max(budgets)
    for _ in range(samples):
        band = expected_max_band(
            np.clip(rng.normal(size=runs), -8, 8), budgets, bounds=(-8, 8)
        )
        held += bool(np.all((band.low <= truth) & (truth <= band.high)))
    return {"samples": samples, "held": int(held)}


TABLES = {
    "near_one": _near_one,
    "few_of_seeds": _few_of_seeds,
    "group_rates": _group_rates,
    "group_differences": _group_differences,
    "rounded": _rounded,
    "conditions": _conditions,
    "tied": _tied,
    "rank_sets": _rank_sets,
    "skewed_pairs": _skewed_pairs,
    "failing_seeds": _failing_seeds,
    "success_rates": _success_rates,
    "bands": _bands,
}


def _each(**named):
    """Return a dict for each value of a parameter, or for each tuple of several."""
    ((names, values),) = named.items()
    return [
        dict(zip(names.split("__"), v if "__" in names else (v,), strict=True))
        for v in values
    ]


def _units(table, *parameters):
    return [
        {"table": table, **dict(ChainMap(*reversed(some)))}
        for some in product(*parameters)
    ]


def plan():
    """Return the units of these tables.

    Returns
    -------
    list of dict
    """
    few = ((0.02, 0.0), (0.05, 0.02), (0.2, 0.1))
    return [
        *_units("near_one", _each(items=ITEMS), _each(alone_a__alone_b=APART)),
        *_units(
            "few_of_seeds",
            _each(seeds=(3, 5)),
            _each(items=(30, 100, 300)),
            _each(alone_a__alone_b=few),
            _each(noise=(0.0, 0.02)),
        ),
        *_units(
            "group_rates",
            _each(sizes=SIZES),
            _each(rate=RATES),
            _each(resemblance=RESEMBLANCES),
        ),
        *_units(
            "group_differences",
            _each(sizes=SIZES),
            _each(rate__gap=GAPS),
            _each(resemblance=(0.02, 0.2, 0.4)),
        ),
        *_units(
            "rounded",
            _each(runs=(3, 5, 10)),
            _each(spread=SPREADS),
            _each(what=("runs", "pairs", "summaries")),
        ),
        *_units("conditions", _each(condition=CONDITIONS)),
        *_units(
            "tied",
            _each(scores=TIED),
            _each(runs__best_of=((30, 3), (30, 6), (100, 6), (100, 20))),
        ),
        *_units(
            "rank_sets",
            _each(board=BOARDS),
            _each(answers=("graded", "right or wrong")),
        ),
        *_units("skewed_pairs", _each(pairs=(5, 10, 20, 50, 100))),
        *_units(
            "failing_seeds", _each(seeds=(3, 5, 10)), _each(share=(0.05, 0.1, 0.3))
        ),
        *_units(
            "success_rates",
            _each(scores=("0.8", "0.95", "0.99", "median, to 2 decimals")),
            _each(size=(10, 20, 50, 100)),
        ),
        *_units("bands", _each(runs=(10, 30, 100))),
    ]
