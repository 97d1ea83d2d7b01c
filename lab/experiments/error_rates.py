"""How often intervals miss and tests err, where it depends on what one has: simulations
with a known truth.

- `groups`: items in few or unequal groups. Student's t with one degree of freedom fewer
  than groups, and CR2 with its own; no difference is there;
- `seeds_and_items`: two methods that are equally good, each with its own seeds, on the
  same items: tests over seeds, over items, and over both at once;
- `answers`: one model each, several answers to an item: tests over the samples and over
  the items' means;
- `unpaired`: two systems with few runs each: Welch's interval of the difference and
  bootstraps;
- `unlike`: the same, where the scores of the two differ in spread or in shape;
- `next_run`: how often an interval holds the next run;
- `budgets`: how often an interval holds the expected best of n runs;
- `budget_differences`: how often an interval holds the difference of two systems at
  equal budgets;
- `folds`: Student's interval of the scores of one cross-validation, of a stable model
  and of another;
- those at the edges that users meet: see `lab.experiments.edges`;
- the corrected t-test, over splits that overlap: see `lab.experiments.overlaps`.
"""

import warnings

import numpy as np
from scipy import stats
from sklearn.model_selection import KFold, cross_val_score
from sklearn.neighbors import NearestCentroid
from sklearn.tree import DecisionTreeClassifier

from evalkit.expected_maximum import boo, budget_difference, expected_max_interval
from evalkit.intervals import (
    difference_interval,
    group_interval,
    prediction_interval,
    t_interval,
)
from evalkit.seeds import crossed_difference
from lab.data import datasets, released
from lab.experiments import edges, overlaps
from lab.experiments.explorers import SHAPES, draw_scores
from lab.experiments.percentile import expected_max_bootstrap
from lab.record import tables
from lab.record.experiment import Experiment

SAMPLES = {"groups": 4000, "seeds_and_items": 2000, "answers": 2000, "unpaired": 4000}
SAMPLES |= {
    "unlike": 4000,
    "next_run": 10_000,
    "budgets": 2000,
    "budget_differences": 2000,
    "folds": 1000,
}

GROUPS = {
    **{f"{n} equal": (20,) * n for n in (3, 5, 8, 12, 20, 40)},
    "6, half in one": (100, *(20,) * 5),
    "12, half in one": (220, *(20,) * 11),
    "12, a third in one": (110, *(20,) * 11),
    "20, half in two": (180, 180, *(20,) * 18),
    # From 2 to 125 items, evenly spaced on a logarithmic scale.
    **{
        f"{n} uneven": tuple(np.geomspace(2, 125, n).round().astype(int).tolist())
        for n in (8, 12, 20, 40)
    },
}
KINDS = ("normal", "skewed", "right or wrong")
SHARES = (0.0, 0.1, 0.5)  # of the variance of an item that its group has

# Seeds of each system, items, groups of items, and standard deviations of what varies
# in a run's answers.
DESIGNS = {
    "3 seeds": (3, 3, 200, None),
    "5 seeds": (5, 5, 200, None),
    "20 seeds": (20, 20, 200, None),
    "3 and 10 seeds": (3, 10, 200, None),
    "5 seeds, 1,000 items": (5, 5, 1000, None),
    "5 seeds, 20 items": (5, 5, 20, None),
    "3 seeds, 12 uneven groups": (3, 3, None, "12 uneven"),
    "5 seeds, 12 groups, half in one": (5, 5, None, "12, half in one"),
    "5 seeds, 40 uneven groups": (5, 5, None, "40 uneven"),
}
# What varies: by item for a method, by seed, and the rest; items differ among
# themselves by 1.
SOURCES = {
    "items and seeds": (0.3, 0.1, 0.5),
    "items": (0.5, 0.0, 0.5),
    "seeds": (0.0, 0.2, 0.5),
    "neither": (0.0, 0.0, 0.5),
}

RUNS = (2, 3, 5, 10, 20, 50)
# The shapes of both systems' scores, and the SD of the second as a share of that of the
# first.
UNLIKE = (
    ("normal", "normal", 0.2),
    ("skewed", "normal", 0.3),
    ("some runs fail", "normal", 0.2),
    ("some runs fail", "normal", 1.0),
)
PREDICTED = (3, 5, 10, 20, 39, 50, 100)
POOL_SIZES = (30, 50, 100, 200)
PARTS = (2, 3, 5, 10, 20)  # the best of one in so many
POOLS = ("mlp", "lstm", "mlp seeds", "lstm seeds", "tang mlp", "tang lstm")
# What is reported of the chosen run is its test score, or the score that chose it, as
# for Tang's runs.
BUDGETED = (*POOLS, *(f"{pool} validation" for pool in POOLS[:4]))
# Against itself a pool has a difference of 0, and what misses it is a false alarm.
COMPARED = (
    ("lstm", "mlp"),
    ("tang lstm", "tang mlp"),
    ("lstm", "lstm"),
    ("mlp", "mlp"),
)

MODELS = {
    "nearest mean": NearestCentroid(),
    "tree of depth 4": DecisionTreeClassifier(max_depth=4, random_state=0),
    "tree of any depth": DecisionTreeClassifier(random_state=0),
}
FOLDED = (100, 300)  # items that are cross-validated
FOLDS = 10


def draw_items(sizes, kind, share, rng):
    """Draw differences of two equal systems on items in groups.

    Parameters
    ----------
    sizes : sequence of int
        Items of each group.
    kind : {"normal", "skewed", "right or wrong"}
        The effects of the groups: normal, or exponential; or items that are right or
        wrong.
    share : float
        Of the variance of an item that its group has; for "right or wrong" of the
        chance to be right.
    rng : numpy.random.Generator

    Returns
    -------
    differences : ndarray of float, shape (n_items,)
        Their expectation is 0.
    members : ndarray of int, shape (n_items,)
    """
    members = np.repeat(np.arange(len(sizes)), sizes)
    if kind == "right or wrong":
        # How good both are on a group, and by how much the one is better there.
        level = np.clip(0.75 + 0.1 * rng.normal(size=len(sizes)), 0.3, 0.95)
        apart = np.clip(0.4 * share * rng.normal(size=len(sizes)), -0.25, 0.25)
        chances = [
            np.clip(level + side * apart / 2, 0.0, 1.0)[members] for side in (1, -1)
        ]
        one, other = (rng.random(members.size) < chance for chance in chances)
        return one.astype(float) - other, members
    effects = (
        rng.normal(size=len(sizes))
        if kind == "normal"
        else rng.exponential(size=len(sizes)) - 1
    )
    return (
        np.sqrt(share) * effects[members]
        + np.sqrt(1 - share) * rng.normal(size=members.size),
        members,
    )


def _groups(sizes, kind, share):
    rng = np.random.default_rng(
        [11, list(GROUPS).index(sizes), KINDS.index(kind), int(100 * share)]
    )
    rejected = dict.fromkeys(("items", "t", "cr2"), 0)
    enough = len(GROUPS[sizes]) >= 5
    for _ in range(SAMPLES["groups"]):
        differences, members = draw_items(GROUPS[sizes], kind, share, rng)
        if np.ptp(differences) == 0:
            continue
        n_groups, mean = members[-1] + 1, differences.mean()
        sums = np.bincount(members, weights=differences - mean) / members.size
        error = np.sqrt((sums**2).sum() * n_groups / (n_groups - 1))
        rejected["items"] += stats.ttest_1samp(differences, 0).pvalue <= 0.05
        rejected["t"] += abs(mean) >= stats.t.isf(0.025, n_groups - 1) * error
        rejected["cr2"] += enough and 0 not in group_interval(differences, members)
    interval = group_interval(differences, members) if enough else None
    return {
        "samples": SAMPLES["groups"],
        "effective": (
            round(interval.effective_groups, 2) if enough else float(len(GROUPS[sizes]))
        ),
        "rejected_items": int(rejected["items"]),
        "rejected_t": int(rejected["t"]),
        "rejected_cr2": int(rejected["cr2"]) if enough else None,
    }


def draw_runs(design, sources, kind, rng):
    """Draw the answers of two methods that are equally good, run by run and item by
    item.

    Parameters
    ----------
    design : str
        Of `DESIGNS`.
    sources : str
        Of `SOURCES`: what makes runs and methods differ.
    kind : {"score", "right or wrong"}
    rng : numpy.random.Generator

    Returns
    -------
    a, b : ndarray of float, shapes (n_seeds_a, n_items) and (n_seeds_b, n_items)
    members : ndarray of int, or None
        The group of each item.
    """
    seeds_a, seeds_b, n_items, groups = DESIGNS[design]
    members = (
        None
        if groups is None
        else np.repeat(np.arange(len(GROUPS[groups])), GROUPS[groups])
    )
    n_items = n_items if members is None else members.size
    by_item, by_seed, rest = SOURCES[sources]
    items = rng.normal(size=n_items)
    tables = []
    for n_seeds in (seeds_a, seeds_b):
        own = rng.normal(size=n_items)
        # Half of what a method has of its own on an item is its group's.
        if members is not None:
            own = (
                np.sqrt(0.5) * own
                + np.sqrt(0.5) * rng.normal(size=members[-1] + 1)[members]
            )
        table = items + by_item * own + rest * rng.normal(size=(n_seeds, n_items))
        table += by_seed * rng.normal(size=(n_seeds, 1))
        tables.append(table if kind == "score" else (table + 1 > 0).astype(float))
    return *tables, members


def _seeds_and_items(design, sources, kind):
    rng = np.random.default_rng(
        [12, list(DESIGNS).index(design), list(SOURCES).index(sources), len(kind)]
    )
    rejected = dict.fromkeys(("seeds", "items", "both"), 0)
    for _ in range(SAMPLES["seeds_and_items"]):
        a, b, members = draw_runs(design, sources, kind, rng)
        pvalues = {
            "seeds": (
                difference_interval(a.mean(axis=1), b.mean(axis=1), paired=False).pvalue
            ),
            "items": crossed_difference(a, b, members, rows="answers").pvalue,
            "both": crossed_difference(a, b, members).pvalue,
        }
        for name, pvalue in pvalues.items():
            rejected[name] += pvalue <= 0.05
    counts = {f"rejected_{name}": int(count) for name, count in rejected.items()}
    return {"samples": SAMPLES["seeds_and_items"], **counts}


def _answers(items, answers, spread):
    rng = np.random.default_rng([13, items, answers, int(100 * spread)])
    rejected = dict.fromkeys(("samples_of_all", "item_means"), 0)
    for _ in range(SAMPLES["answers"]):
        # Two models, equally good on this kind of items: each has its own chance to be
        # right on each.
        chances = stats.norm.cdf(
            0.7 + rng.normal(size=items) + spread * rng.normal(size=(2, items))
        )
        a, b = (
            rng.binomial(1, chance, size=(answers, items)).astype(float)
            for chance in chances
        )
        rejected["samples_of_all"] += (
            difference_interval(a.mean(axis=1), b.mean(axis=1), paired=False).pvalue
            <= 0.05
        )
        rejected["item_means"] += (
            crossed_difference(a, b, rows="answers").pvalue <= 0.05
        )
    counts = {f"rejected_{name}": int(count) for name, count in rejected.items()}
    return {"samples": SAMPLES["answers"], **counts}


def _unpaired(shape, size):
    rng = np.random.default_rng([14, SHAPES.index(shape), size])
    return _two_samples(shape, shape, 1.0, size, rng, SAMPLES["unpaired"])


def _unlike(shape, other, ratio, size):
    rng = np.random.default_rng(
        [19, SHAPES.index(shape), SHAPES.index(other), int(100 * ratio), size]
    )
    return _two_samples(shape, other, ratio, size, rng, SAMPLES["unlike"])


def _two_samples(shape, other, ratio, size, rng, samples):
    """Count how often intervals of a difference hold 0, for scores with means of 0."""
    held = dict.fromkeys(("t", "bca", "percentile"), 0)
    for _ in range(samples):
        a, b = draw_scores(shape, rng, size), ratio * draw_scores(other, rng, size)
        for method in held:
            options = {} if method == "t" else {"n_resamples": 999, "rng": rng}
            # Two runs have no skewness to see, and few resamples.
            if method == "bca" and size < 3:
                continue
            held[method] += 0 in difference_interval(
                a, b, paired=False, method=method, **options
            )
    return {
        "samples": samples,
        "held_t": held["t"],
        "held_bca": held["bca"] if size >= 3 else None,
        "held_percentile": held["percentile"],
    }


def load_pool(pool):
    """Return the runs of a pool: what they are chosen by, and what is reported of them.

    Parameters
    ----------
    pool : str
        Of `BUDGETED`: trials of our random searches, seeds of our chosen settings, the
        runs of Tang et al.

    Returns
    -------
    validation, test : ndarray of float
    """
    if pool.startswith("tang"):
        runs = released.tang2020()
        scores = runs.f1[
            runs.system == {"tang mlp": "mlp", "tang lstm": "reg_lstm"}[pool]
        ].to_numpy()
        return scores, scores
    name, *words = pool.split()
    table = tables.load_recorded("pools", "seeds" if "seeds" in words else "search")
    runs = table[table.system == name]
    validation = runs.validation.to_numpy()
    return validation, validation if "validation" in words else runs.test.to_numpy()


def _next_run(pool, size):
    _, scores = load_pool(pool)
    rng = np.random.default_rng([15, POOLS.index(pool), size])
    held = dict.fromkeys(("t", "order"), 0.0)
    for _ in range(SAMPLES["next_run"]):
        sample = rng.choice(scores, size)
        for method in held if size >= 39 else ("t",):
            low, high = prediction_interval(sample, method=method)
            held[method] += (
                np.mean((scores >= low) & (scores <= high)) / SAMPLES["next_run"]
            )
    order = round(float(held["order"]), 5) if size >= 39 else None
    return {
        "samples": SAMPLES["next_run"],
        "share_t": round(float(held["t"]), 5),
        "share_order": order,
    }


def _budgets(pool, size, part):
    validation, test = load_pool(pool)
    n = max(1, size // part)
    rng = np.random.default_rng([16, BUDGETED.index(pool), size, part])
    # Runs that tie share their chance to be chosen, so the truth is Equation 7 of the
    # whole pool.
    truth = boo(validation, test, n=n, estimator="v")
    held, width, bootstrap = 0, [], 0
    inside = part >= 5
    for _ in range(SAMPLES["budgets"]):
        drawn = rng.integers(len(test), size=size)
        if inside:
            interval = expected_max_interval(validation[drawn], n, test=test[drawn])
            held += truth in interval
            width.append(interval.width)
        if test is validation:
            (low,), (high,) = expected_max_bootstrap(
                validation[drawn], [n], estimator="u", n_resamples=499, rng=rng
            )
            bootstrap += low <= truth <= high
    return {
        "samples": SAMPLES["budgets"],
        "n": n,
        "held": int(held) if inside else None,
        "median_width": round(float(np.median(width)), 6) if inside else None,
        "held_bootstrap": int(bootstrap) if test is validation else None,
    }


def _budget_differences(pool, other, size, part):
    pools = [load_pool(pool), load_pool(other)]
    n = size // part
    rng = np.random.default_rng(
        [18, BUDGETED.index(pool), BUDGETED.index(other), size, part]
    )
    truth = np.subtract(*(boo(*scores, n=n, estimator="v") for scores in pools))
    held, width = 0, []
    for _ in range(SAMPLES["budget_differences"]):
        rows = [rng.integers(len(scores[0]), size=size) for scores in pools]
        a, b = (
            [kind[drawn] for kind in scores]
            for scores, drawn in zip(pools, rows, strict=True)
        )
        interval = budget_difference(*a, *b, n)
        held += truth in interval
        width.append(interval.width)
    return {
        "samples": SAMPLES["budget_differences"],
        "n": n,
        "truth": round(float(truth), 6),
        "held": int(held),
        "median_width": round(float(np.median(width)), 6),
    }


def _folds(model, items):
    digits, names = datasets.load_bundled("digits")
    digits, names, fitted = digits.to_numpy(), names.to_numpy(), MODELS[model]
    rng = np.random.default_rng([17, list(MODELS).index(model), items])
    intervals, fresh = [], []
    with warnings.catch_warnings():
        # Pixels that are always white.
        warnings.filterwarnings("ignore", "self.within_class_std_dev_")
        for _ in range(SAMPLES["folds"]):
            order = rng.permutation(len(digits))
            drawn, others = order[:items], order[items:]
            # Drawn in random order, so that folds one after the other are random folds.
            intervals.append(
                t_interval(
                    cross_val_score(
                        fitted, digits[drawn], names[drawn], cv=KFold(FOLDS)
                    )
                )
            )
            few = drawn[: items - items // FOLDS]  # as many as a fold trains on
            fresh.append(
                fitted.fit(digits[few], names[few]).score(digits[others], names[others])
            )
    truth = np.mean(fresh)
    return {
        "samples": SAMPLES["folds"],
        "held": int(sum(truth in interval for interval in intervals)),
        "truth": round(float(truth), 5),
        "sd_truth": round(float(np.std(fresh, ddof=1)), 5),
        "mean_width": round(
            float(np.mean([interval.width for interval in intervals])), 5
        ),
    }


def _plan(scale, rows):
    """Return the units; none depends on another."""
    return [
        *(
            {"table": "groups", "sizes": sizes, "kind": kind, "share": share}
            for sizes in GROUPS
            for kind in KINDS
            for share in SHARES
        ),
        *(
            {
                "table": "seeds_and_items",
                "design": design,
                "sources": sources,
                "kind": kind,
            }
            for design in DESIGNS
            for sources in SOURCES
            for kind in ("score", "right or wrong")
        ),
        *(
            {"table": "answers", "items": items, "answers": answers, "spread": spread}
            for items in (100, 500)
            for answers in (3, 5, 20)
            for spread in (0.0, 0.3, 0.6)
        ),
        *(
            {"table": "unpaired", "shape": shape, "size": size}
            for shape in SHAPES
            for size in RUNS
        ),
        *(
            {
                "table": "unlike",
                "shape": shape,
                "other": other,
                "ratio": ratio,
                "size": size,
            }
            for shape, other, ratio in UNLIKE
            for size in RUNS
        ),
        *(
            {"table": "next_run", "pool": pool, "size": size}
            for pool in POOLS
            for size in PREDICTED
        ),
        *(
            {"table": "budgets", "pool": pool, "size": size, "part": part}
            for pool in BUDGETED
            for size in POOL_SIZES
            for part in PARTS
        ),
        *(
            {
                "table": "budget_differences",
                "pool": pool,
                "other": other,
                "size": size,
                "part": part,
            }
            for pool, other in COMPARED
            for size in POOL_SIZES
            for part in PARTS
            if part >= 5
        ),
        *(
            {"table": "folds", "model": model, "items": items}
            for model in MODELS
            for items in FOLDED
        ),
        *edges.plan(),
        *overlaps.plan(),
    ]


EXPERIMENT = Experiment(
    name="error_rates",
    # Another machine's last bits may turn a decision or two.
    compared={
        "rejected_cr2": 3,
        "rejected_both": 3,
        "rejected_item_means": 3,
        "held_t": 3,
        "share_t": 0.001,
        "held": 3,
        "equivalent": 3,
        "refused": 3,
        "rejected": 3,
    },
    plan=_plan,
    tables={
        "groups": _groups,
        "seeds_and_items": _seeds_and_items,
        "answers": _answers,
        "unpaired": _unpaired,
        "unlike": _unlike,
        "next_run": _next_run,
        "budgets": _budgets,
        "budget_differences": _budget_differences,
        "folds": _folds,
        **edges.TABLES,
        **overlaps.TABLES,
    },
)
