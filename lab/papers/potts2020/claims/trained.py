"""Claims about training: what tuning is worth, what must not choose, convergence, and
random starts.
"""

import itertools
import math

import numpy as np
from scipy import special, stats

from evalkit.expected_maximum import boo
from evalkit.seeds import variance_components
from lab.papers.judging import (
    AtOnce,
    Drawn,
    Evidence,
    Jackknifed,
    Judges,
    Quantity,
    Share,
)
from lab.papers.potts2020.claims import common
from lab.papers.potts2020.claims.common import NAMES, NETWORKS, exactly, listed, sd
from lab.papers.potts2020.tasks import RANDOM_SEEDS, trained
from lab.papers.potts2020.tasks.tuned import SETTINGS_DATA, SETTINGS_SPLITS, WIDE
from lab.record import tables
from lab.samples import boo_of_samples, counted

JUDGES = Judges("potts2020")

TRIALS = 20
# So that the SD of what other settings would give is known to 1 %.
DRAWS = 10_000


def _searches():
    """Return validation and test scores of the recorded searches, in percent, (draws,
    2).
    """
    return [
        common.pool("search", system)[["validation", "test"]].to_numpy()
        for system in NETWORKS
    ]


def _defaults(only=None):
    """Return for each network the test scores, in percent, of each setting that one
    would call default.
    """
    table = tables.load_recorded("searches", "defaults").sort_values("seed")
    table = table if only is None else table[table.default == only]
    return [
        [
            100 * rows.test.to_numpy()
            for _, rows in table[table.system == system].groupby("default")
        ]
        for system in NETWORKS
    ]


DEFAULTS = ("faster", "smaller", "tutorial")


def _settings(record, data):
    """Return dev scores (splits, settings) of the shallow classifier, and those of test
    halves in percent.
    """
    table = record.table("settings", WIDE * SETTINGS_SPLITS, data=data, space="wide")
    dev, *halves = (
        table.pivot_table(index="split", columns="number", values=name).to_numpy()
        for name in ("dev", "first", "second")
    )
    return dev, 100 * np.array(halves)


# --------------------------------------------------------------------------------------
# What tuning is worth
# --------------------------------------------------------------------------------------


def _chances(validation, drawn, n):
    """Return how likely each run is the best of n different ones on validation, by how
    it was drawn; equals share.
    """
    levels, level = np.unique(validation, return_inverse=True)
    counts, size = counted(drawn, len(validation)), drawn.shape[1]
    of_level = counts @ np.eye(len(levels))[level]
    up_to = special.comb(np.arange(size + 1), n) / special.comb(size, n)
    chances = np.diff(up_to[of_level.cumsum(axis=1).astype(int)], prepend=0)
    return counts * (chances / np.maximum(of_level, 1))[:, level]


def _gain(searched, defaults, n=TRIALS):
    """Return by how much the best of n settings on validation is ahead of the mean
    default.
    """

    def gain(drawn, *x):
        best = boo_of_samples(*searched.T, drawn, [n])[:, 0]
        return best - np.mean([scores.mean(axis=1) for scores in x], axis=0)

    return AtOnce(gain, np.arange(len(searched)), *defaults)


def _spread(searched, seeds):
    """Return how much more settings move the test score than seeds do."""
    return AtOnce(lambda scores, runs: sd(scores) / sd(runs), searched[:, 1], seeds)


@JUDGES.judge("tuning-matters")
def _tuning_matters(record):
    def gains(n=TRIALS, only=None):
        both = zip(NETWORKS.values(), _searches(), _defaults(only), strict=True)
        return {
            f"gain, {name}": _gain(searched, defaults, n)
            for name, searched, defaults in both
        }

    seeds = {
        system: common.pool("seeds", system).test.to_numpy() for system in NETWORKS
    }
    ratios = {
        f"settings over seeds, {NETWORKS[system]}": _spread(searched, seeds[system])
        for system, searched in zip(NETWORKS, _searches(), strict=True)
    }
    shallow = {}
    for data in SETTINGS_DATA:
        dev, halves = _settings(record, data)
        pairs = np.c_[dev[0], halves.mean(axis=0)[0]]
        runs = (
            100
            * record.table(
                "reseeded", RANDOM_SEEDS, data=data, system="shallow"
            ).test.to_numpy()
        )
        shallow[f"shallow gain, {NAMES[data]}"] = _gain(pairs, [runs])
        shallow[f"shallow ratio, {NAMES[data]}"] = _spread(pairs, runs)
    quantities = gains()
    return Evidence(
        "own run",
        lambda: (
            f"Docstrings, the best of {TRIALS} random settings on validation minus the"
            " mean over three defaults, in points of test accuracy:"
            f" {listed(quantities)}. SD over random settings over that over seeds:"
            f" {listed(ratios)}."
        ),
        {**quantities, **ratios},
        {
            **{f"the {name} default alone": gains(only=name) for name in DEFAULTS},
            "the best of 5": gains(5),
            "the best of 40": gains(40),
            "the best of 60": gains(60),
            "half a point, not one": {},
            "2 points": {},
            "the shallow network on three corpora": shallow,
        },
    )


def agreements(first, second, drawn, defaults, n=TRIALS, order=None):
    """Return how often two systems come out in their order, after searches and at a
    default setting each.

    Parameters
    ----------
    first, second : ndarray of float, shape (draws, 2)
        Validation, which chooses, and test, which is compared.
    drawn : pair of ndarray of int, shape (draws, n_runs)
        The places of the runs of each in so many draws.
    defaults : list of ndarray of float, shape (draws, n_seeds)
        Test scores of as many default settings of the first, then of the second.
    n : int, default 20
    order : float, optional
        First minus second; by default after all trials. Equal scores agree with no
        order.

    Returns
    -------
    tuned, fixed : ndarray of float, shape (draws,)
    """
    both = list(zip((first, second), drawn, strict=True))
    if order is None:
        order = np.subtract(
            *(boo_of_samples(*p.T, d, [d.shape[1]])[:, 0] for p, d in both)
        )
    order, half = np.sign(order) * np.ones(len(drawn[0])), len(defaults) // 2
    fixed = [
        (order[:, None, None] * (a[:, :, None] - b[:, None]) > 0).mean(axis=(1, 2))
        for a in defaults[:half]
        for b in defaults[half:]
    ]
    ahead = np.sign(np.subtract.outer(first[:, 1], second[:, 1]))
    one, other = (_chances(p[:, 0], d, n) for p, d in both)
    in_order = [((one @ (ahead == way)) * other).sum(axis=1) for way in (1, -1)]
    tuned = np.select([order > 0, order < 0], in_order, 0.0)
    return tuned, np.mean(fixed, axis=0)


@JUDGES.judge("tune-every-system")
def _tune_every(record):
    mlp, lstm = _searches()

    def more(only=None, **options):
        def gain(one, other, *defaults):
            drawn = one, other
            return np.subtract(*agreements(mlp, lstm, drawn, defaults, **options))

        return {
            "more often in order": AtOnce(
                gain, *every, *itertools.chain(*_defaults(only))
            )
        }

    every = [np.arange(len(pairs)) for pairs in (mlp, lstm)]
    quantities = more()
    once = [places[None] for places in (*every, *itertools.chain(*_defaults()))]
    (tuned,), (fixed,) = agreements(mlp, lstm, once[:2], once[2:])
    after = [boo(*pairs.T, n=len(pairs)) for pairs in (mlp, lstm)]
    of_seeds = np.subtract(
        *(common.pool("seeds", system).test.mean() for system in NETWORKS)
    )
    return Evidence(
        "own run",
        lambda: (
            f"Docstrings: after {len(mlp)} trials each the MLP has {after[0]:.1f} % and"
            f" the LSTM {after[1]:.1f} % on test. With {TRIALS} trials each the order"
            f" is that one in {tuned:.1%}, with a default setting each in {fixed:.1%}"
            f" of cases: {quantities['more often in order']:.1%} more."
        ),
        quantities,
        {
            **{f"{n} trials": more(n=n) for n in (5, 40, 60)},
            **{f"the {name} default alone": more(name) for name in DEFAULTS},
            "the order of 100 seeds of each best setting": more(order=of_seeds),
        },
    )


# --------------------------------------------------------------------------------------
# What must not choose
# --------------------------------------------------------------------------------------


def _there_and_elsewhere(halves, among):
    """Return how much better the best setting of a half is there than on the other
    half, split by split, for each row of settings: which of them are searched.
    """
    ahead = halves[0] - halves[1]
    first, second = (
        np.take_along_axis(
            ahead,
            np.where(among[:, None], half, -np.inf).argmax(axis=2).T,
            axis=1,
        ).T
        for half in halves
    )
    return (first - second) / 2


def surplus(halves, n_settings=WIDE, corpora=1):
    """Return the mean surplus of choosing on test items, with an interval over splits
    and settings.

    Parameters
    ----------
    halves : ndarray of float, shape (2, splits, settings)
        The splits of each corpus together.
    n_settings : int, default 64
        How many of the settings are searched, in the order in which they were drawn.
    corpora : int, default 1
        These, and no others.

    Returns
    -------
    Drawn
        t with Welch and Satterthwaite's degrees of freedom. The errors of splits and
        settings are added up, so that what the two do together counts twice: too wide
        rather than too narrow.
    """
    halves, rng = halves[:, :, :n_settings], np.random.default_rng(2018)
    (values,) = _there_and_elsewhere(halves, np.ones((1, n_settings), dtype=bool))
    searched = counted(rng.integers(n_settings, size=(DRAWS, n_settings)), n_settings)
    others = [
        _there_and_elsewhere(halves, among).mean(axis=1)
        for among in np.array_split(searched > 0, math.ceil(DRAWS / 200))
    ]
    within = values.reshape(corpora, -1).var(axis=1, ddof=1).mean() / len(values)
    variances = np.array([within, np.var(np.concatenate(others))])
    ways = len(values) - corpora, n_settings - 1
    freedom = variances.sum() ** 2 / (variances**2 / ways).sum()
    middle, reach = (
        values.mean(),
        stats.t.ppf(0.975, freedom) * math.sqrt(variances.sum()),
    )
    # The drawn part is known to so much 99 times in 100, and an end moves with half of
    # it.
    share = variances[1] / variances.sum() * 2.576 / math.sqrt(2 * DRAWS) / 4
    return Drawn(middle, middle - reach, middle + reach, count=DRAWS, share=share)


@JUDGES.judge("test-set-untouched")
def _untouched(record):
    def of(n_settings=WIDE):
        halves = [_settings(record, data)[1] for data in SETTINGS_DATA]
        joined = np.concatenate(halves, axis=1)
        return {"mean surplus": surplus(joined, n_settings, len(SETTINGS_DATA))}

    quantities = of()
    each = {
        f"surplus, {NAMES[data]}": surplus(_settings(record, data)[1])
        for data in SETTINGS_DATA
    }
    return Evidence(
        "own run",
        "Accuracy of the setting that is best on one half of the test items, there"
        " minus on the other half, in points, as a mean over three corpora:"
        f" {quantities['mean surplus']:.2f} (the interval counts what splits and"
        " settings do together twice: too wide rather than too narrow). As the halves"
        " are drawn at random, no surplus is expected below 0: above 0 is no test.",
        quantities,
        {
            **{f"{n} settings": of(n) for n in (16, 32)},
            "a quarter of a point, not half": {},
            "1 point": {},
            "each of the three corpora": each,
        },
        no_first=(
            "no predictions of the pools' searches are recorded, and no half of the"
            " items can be asked."
        ),
    )


# --------------------------------------------------------------------------------------
# Convergence
# --------------------------------------------------------------------------------------


@JUDGES.judge("linear-models-converge")
def _linear_converge(record):
    table = record.table(
        "convergence", len(trained.CONVERGENCE) * len(trained.LINEAR_KINDS)
    )
    # Half a point is a limit: rounded to what is recorded, so that 0.5 is not 0.4999.
    table = table.assign(change=(100 * (table.tenfold - table.default)).abs().round(4))
    again = table[table.division.fillna(0) > 0]
    table = table[table.division.fillna(0) == 0]
    warned = table[table.warned_default.astype(bool)]
    named = sorted(f"{row.system} on {NAMES[row.data]}" for row in warned.itertuples())

    def of(rows, column="warned_default"):
        return {
            "warnings": Share(rows[column].sum(), len(rows)),
            "change": Quantity.exact(rows.change.max()),
        }

    sixteen = table[table.data.isin(("docstrings", "digits", "breast-cancer", "wine"))]
    quantities = of(table) | exactly(
        {
            "share that warns, first sixteen fits": sixteen.warned_default.mean(),
            "largest change, first sixteen fits": sixteen.change.max(),
        }
    )
    on_text = table.data.isin(("docstrings", "sst2", "tweets", "reuters"))
    return Evidence(
        "own run",
        f"{len(warned)} of {len(table)} fits warn ({', '.join(named) or 'none'}); ten"
        f" times the iterations change accuracy by {table.change.max():.2f} points at"
        f" most. On {len(again)} more divisions of the tables logistic regression warns"
        f" in {again.warned_default.sum()}, and accuracy changes by more than a point"
        f" in {(again.change > 1).sum()}.",
        quantities,
        {
            "a quarter of the fits, not a seventh": {},
            "half of the fits": {},
            "a change of 1 point, not half": {},
            "corpora alone": of(table[on_text]),
            "tables alone, as they come": of(table[~on_text]),
            "logistic regression alone": of(table[table.system == "linear"]),
            "more divisions of the tables": of(again),
            "warnings after ten times the iterations": of(table, "warned_tenfold"),
        },
    )


# --------------------------------------------------------------------------------------
# Random starts
# --------------------------------------------------------------------------------------


def _spreads(scores, share=0.9):
    """Return the range of the middle share of each system's scores over seeds, and the
    widest of them.
    """
    ends = (1 + share) / 2, (1 - share) / 2
    quantities = {
        f"spread, {name}": AtOnce(
            lambda drawn: np.subtract(*np.quantile(drawn, ends, axis=1)), values
        )
        for name, values in scores.items()
    }
    return {**quantities, "widest spread": common.kth(quantities, len(quantities))}


def _initialisation_alone(rows):
    """Return how far initialisation alone spreads the MLP, the middle 90 % of a normal
    distribution.

    The rows are first weights, the columns orders of the data.
    """
    scores = np.array(rows)
    weights, orders = np.indices(scores.shape).reshape(2, -1)
    return (
        2
        * 1.645
        * np.sqrt(variance_components(scores.ravel(), weights, orders).truncated.seed)
    )


@JUDGES.judge("initialisation-matters")
def _initialisation_matters(record):
    scores = {
        name: common.pool("seeds", system).test.to_numpy()
        for system, name in NETWORKS.items()
    }
    shallow = {
        NAMES[data]: (
            100
            * record.table(
                "reseeded", RANDOM_SEEDS, data=data, system="shallow"
            ).test.to_numpy()
        )
        for data in SETTINGS_DATA
    }
    orders = tables.load_recorded("crossed", "orders").pivot_table(
        index="seed", columns="order_seed", values="test"
    )
    alone = Jackknifed(_initialisation_alone, list(100 * orders.to_numpy()), least=0.0)
    quantities = _xor_fails() | {
        f"called different, {name}": common.called_different(system)
        for system, name in NETWORKS.items()
    }
    return Evidence(
        "own run",
        lambda: (
            "Of the course's own networks for XOR, which differ in their first weights"
            f" alone, {quantities['XOR fails']:.0%} do not learn it. Pairs of seeds of"
            " a network on the docstrings that McNemar's test calls different:"
            f" MLP {quantities['called different, MLP']:.0%},"
            f" LSTM {quantities['called different, LSTM']:.0%}; seeds set order and"
            f" dropout, too. Initialisation alone spreads the MLP by {alone:.2f}"
            " points. The scores of Reimers and Gurevych's systems are out of reach."
        ),
        quantities | _spreads(scores),
        {
            "one in four, not one in twenty": {},
            "XOR with eight hidden units": _xor_fails(8),
            "seeds span 2 points": {},
            "seeds span 1 point": {},
            "initialisation alone spans 2 points": {"initialisation alone": alone},
            "initialisation alone spans half a point": {"initialisation alone": alone},
            "the shallow network's seeds span 2 points": {
                f"shallow {k}": x for k, x in _spreads(shallow).items()
            },
        },
    )


def _xor_fails(hidden=2):
    """Return how often a network for XOR, as in the course's cell, learns nothing."""
    cells = tables.load_recorded("xor", "learned")
    cell = cells.query(
        "labels == 'same' and activation == 'tanh' and hidden == @hidden"
    ).iloc[0]
    failed = round(cell.seeds * (1 - cell.learned_500))
    return {"XOR fails": Share(failed, cell.seeds)}
