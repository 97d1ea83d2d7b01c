"""Claims about training: what tuning is worth, what must not choose, convergence, and
random starts.
"""

import itertools
import math

import numpy as np
from scipy import special, stats

from evalkit.seeds import variance_components
from lab.papers.judging import Drawn, Evidence, Jackknifed, Judges, Resampled
from lab.papers.potts2020.claims import common
from lab.papers.potts2020.claims.common import NAMES, NETWORKS, exactly, listed, sd
from lab.papers.potts2020.tasks import RANDOM_SEEDS, trained
from lab.papers.potts2020.tasks.tuned import SETTINGS_DATA, SETTINGS_SPLITS, WIDE
from lab.record import tables

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


def _chances(validation, n):
    """Return how likely each run is the best of n different ones on validation; equals
    share.
    """
    _, level, counts = np.unique(validation, return_inverse=True, return_counts=True)
    up_to = special.comb(np.cumsum(counts), n) / special.comb(len(validation), n)
    return (np.diff(up_to, prepend=0) / counts)[level]


def _best(pairs, n):
    """Return the expected test score of the best of n runs on validation, as
    `evalkit.boo` does, but fast.
    """
    return _chances(pairs[:, 0], n) @ pairs[:, 1]


def _gain(searched, defaults, n=TRIALS):
    """Return by how much the best of n settings on validation is ahead of the mean
    default.
    """
    return Resampled(
        lambda pairs, *x: _best(pairs, n) - np.mean([*map(np.mean, x)]),
        searched,
        *defaults,
    )


def _spread(searched, seeds):
    """Return how much more settings move the test score than seeds do."""
    return Resampled(
        lambda pairs, scores: sd(pairs[:, 1]) / sd(scores), searched, seeds
    )


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


def agreements(first, second, defaults, n=TRIALS, order=None):
    """Return how often two systems come out in their order, after searches and at a
    default setting each.

    Parameters
    ----------
    first, second : ndarray of float, shape (draws, 2)
        Validation, which chooses, and test, which is compared.
    defaults : list of ndarray of float
        Test scores of as many default settings of the first, then of the second.
    n : int, default 20
    order : float, optional
        First minus second; by default after all trials. Equal scores agree with no
        order.

    Returns
    -------
    tuned, fixed : float
    """
    if order is None:
        order = _best(first, len(first)) - _best(second, len(second))
    half = len(defaults) // 2
    fixed = [
        order * np.subtract.outer(a, b) > 0
        for a in defaults[:half]
        for b in defaults[half:]
    ]
    searched = order * np.subtract.outer(first[:, 1], second[:, 1]) > 0
    tuned = _chances(first[:, 0], n) @ searched @ _chances(second[:, 0], n)
    return tuned, np.mean([pairs.mean() for pairs in fixed])


@JUDGES.judge("tune-every-system")
def _tune_every(record):
    mlp, lstm = _searches()

    def more(only=None, **options):
        def gain(first, second, *defaults):
            return np.subtract(*agreements(first, second, defaults, **options))

        return {
            "more often in order": Resampled(
                gain, mlp, lstm, *itertools.chain(*_defaults(only))
            )
        }

    quantities = more()
    tuned, fixed = agreements(mlp, lstm, [*itertools.chain(*_defaults())])
    after = [_best(pairs, len(pairs)) for pairs in (mlp, lstm)]
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
    half, split by split.
    """
    ahead, rows = halves[0] - halves[1], np.arange(halves.shape[1])
    first, second = (
        ahead[rows, among[half[:, among].argmax(axis=1)]] for half in halves
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
    values, rng = (
        _there_and_elsewhere(halves, np.arange(n_settings)),
        np.random.default_rng(2018),
    )
    searched = (
        np.sort(rng.integers(n_settings, size=n_settings)) for _ in range(DRAWS)
    )
    others = [_there_and_elsewhere(halves, among).mean() for among in searched]
    variances = np.array([values.var(ddof=1) / len(values), np.var(others)])
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
        f"spread, {name}": Resampled(
            lambda drawn: np.subtract(*np.quantile(drawn, ends)), values
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
