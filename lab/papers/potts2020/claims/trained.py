"""Claims about training: what tuning is worth, what must not choose, convergence, and
random starts.
"""

import itertools
import math

import numpy as np
from scipy import special, stats

from evalkit.expected_maximum import boo
from evalkit.seeds import variance_components
from lab.papers.judging import AtOnce, Drawn, Evidence, Jackknifed, Judges
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
            f" {listed(ratios)}. Intervals over draws and seeds, of which a default of"
            " the LSTM has four."
        ),
        {**quantities, **ratios},
        {
            **{f"the {name} default alone": gains(only=name) for name in DEFAULTS},
            "the best of 5": gains(5),
            "the best of 60": gains(60),
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
            f" of cases: {quantities['more often in order']:.1%} more. Interval over"
            " draws, with them the order after all, and the few seeds of three"
            " defaults."
        ),
        quantities,
        {
            **{f"{n} trials": more(n=n) for n in (5, 60)},
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


def surplus(halves, n_settings=WIDE):
    """Return the mean surplus of choosing on test items, with an interval over splits
    and settings.

    Parameters
    ----------
    halves : ndarray of float, shape (2, splits, settings)
    n_settings : int, default 64
        How many of the settings are searched, in the order in which they were drawn.

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
    variances = np.array(
        [values.var(ddof=1) / len(values), np.var(np.concatenate(others))]
    )
    freedom = (
        variances.sum() ** 2 / (variances**2 / [len(values) - 1, n_settings - 1]).sum()
    )
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
        quantities = {
            data: surplus(_settings(record, data)[1], n_settings)
            for data in SETTINGS_DATA
        }
        # Two exceed half a point, with intervals that exclude 0, if this one does.
        clearest = sorted(
            quantities.values(), key=lambda x: min(x.estimate - 0.5, x.low)
        )
        return quantities, {
            "second clearest surplus": clearest[-2],
            "second smallest surplus": common.kth(quantities, 2),
        }

    quantities, ends = of()
    pooled = surplus(
        np.concatenate([_settings(record, data)[1] for data in SETTINGS_DATA], axis=1)
    )
    return Evidence(
        "own run",
        "Accuracy of the setting that is best on one half of the test items, there"
        f" minus on the other half, in points: {listed(quantities)}. t over"
        f" {SETTINGS_SPLITS} splits, each with halves of its own, and {WIDE} settings."
        " As the halves are drawn at random, the mean surplus cannot be negative.",
        ends,
        {
            **{f"{n} settings": of(n)[1] for n in (16, 32)},
            "0 in place of half a point": {},
            "on all three corpora": {
                "second clearest surplus": common.kth(quantities, 1)
            },
            "one mean over the corpora": dict.fromkeys(ends, pooled),
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

    def of(rows, column="warned_default", words=""):
        ends = {
            "share that warns": rows[column].mean(),
            "largest change": rows.change.max(),
        }
        return exactly({f"{name}{words}": value for name, value in ends.items()})

    first = table[table.data.isin(("docstrings", "digits", "breast-cancer", "wine"))]
    on_text = table.data.isin(("docstrings", "sst2", "tweets", "reuters"))
    return Evidence(
        "own run",
        f"{len(warned)} of {len(table)} default fits warn that they have not converged"
        f" ({', '.join(named) or 'none'}); with ten times as many iterations"
        f" {table.warned_tenfold.sum()} do. That changes test accuracy in"
        f" {(table.change > 0).sum()} fits, by at most {table.change.max():.2f} points,"
        f" on one division of each. On {len(again)} more divisions of the tables,"
        " logistic regression alone, it changes it by more than a point in"
        f" {(again.change > 1).sum()}.",
        {**of(table), **of(first, words=", first sixteen fits")},
        {
            "corpora alone": of(table[on_text]),
            "tables alone, as they come": of(table[~on_text]),
            "logistic regression alone": of(table[table.system == "linear"]),
            "more divisions of the tables": exactly(
                {"largest change": again.change.max()}
            ),
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
    spreads = _spreads(scores)
    shown = {name: spreads[f"spread, {name}"] for name in scores}
    return Evidence(
        "own run",
        lambda: (
            "Out of reach for the systems of Reimers and Gurevych: their scores are"
            " needed. Test accuracy on the docstrings from the 5 % to the 95 %"
            f" quantile over seeds, in points: {listed(shown)}. Crossed with orders of"
            f" the data, initialisation alone spreads the MLP by {alone:.2f}."
        ),
        spreads,
        {
            "the middle 80 % of the seeds": _spreads(scores, 0.8),
            "1 point in place of 2": {},
            "initialisation alone, the MLP": {"initialisation alone": alone},
            "the shallow network on three corpora": {
                f"shallow {k}": x for k, x in _spreads(shallow).items()
            },
            "pairs of seeds that McNemar's test calls different": {
                f"called different, {name}": common.called_different(system)
                for system, name in NETWORKS.items()
            },
        },
    )
