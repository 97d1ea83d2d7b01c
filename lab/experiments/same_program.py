"""How often two runs of one program are called different, under every choice that the
pools allow.

The pools hold a hundred runs of each network that differ by the seed alone. One table,
`called`: with one run on each side, all pairs, by tests over lines or modules; with
several, lists drawn from blocks of twenty runs, their mean answers compared line by
line, or by tests in which the runs vary.
"""

from functools import cache

import numpy as np
import pandas as pd
from scipy import stats

from evalkit._checks import check_choice
from evalkit.intervals import t_interval
from evalkit.seeds import crossed_difference
from lab import models
from lab.data import datasets
from lab.experiments.pools import unpack_predictions
from lab.record import tables
from lab.record.experiment import Experiment

RUNS, BLOCK = 100, 20
DRAWS = 999  # of a bootstrap or of exchanges
SUBSETS = 20  # of the test lines
LISTS = 200  # drawn from each block
LINES = 3000
FEWER = (300, 1000)
PAIRS = np.triu_indices(RUNS, 1)


@cache
def load_right(system):
    """Return which test lines each run has right, and the module of each line.

    Parameters
    ----------
    system : {"mlp", "lstm", "linear"}
        Of a network, all runs of the chosen setting; of the linear model, the one that
        validates best.

    Returns
    -------
    right : ndarray of bool, shape (100, 3000), or (1, 3000) for the linear model
    module : ndarray of int, shape (3000,)
    """
    check_choice(system, "system", (*models.SYSTEMS, "linear"))
    items = tables.load_recorded("pools", "test_items")
    runs = tables.load_recorded("pools", "baselines" if system == "linear" else "seeds")
    label = items.package.map(datasets.PACKAGES.index).to_numpy()
    runs = runs[runs.system == system]
    if system == "linear":
        runs = runs.nlargest(1, "validation")
    right = (
        np.array(
            [unpack_predictions(text, len(label)) for text in runs.test_predictions]
        )
        == label
    )
    return right, pd.factorize(items.module)[0]


def _counts(right):
    """Return on how many lines only the first of each pair is right, and only the
    second.
    """
    hits = right.astype(float)
    only = hits @ (1 - hits).T
    return only[PAIRS].astype(int), only.T[PAIRS].astype(int)


def _sums(system):
    """Return the difference of each pair on each module, in lines."""
    right, module = load_right(system)
    of_module = right @ np.eye(module.max() + 1)[module]
    return of_module[PAIRS[0]] - of_module[PAIRS[1]]


def _exact(only_a, only_b):
    """Return p of McNemar's exact test, for arrays of counts."""
    few, n = np.minimum(only_a, only_b), only_a + only_b
    return np.minimum(1, 2 * stats.binom.cdf(few, n, 0.5))


def _mid_p(only_a, only_b):
    few, n = np.minimum(only_a, only_b), only_a + only_b
    return np.minimum(
        1, 2 * stats.binom.cdf(few, n, 0.5) - stats.binom.pmf(few, n, 0.5)
    )


def _chi_squared(only_a, only_b):
    return stats.chi2.sf((only_a - only_b) ** 2 / (only_a + only_b), 1)


def _paired_t(only_a, only_b):
    n, gap = only_a + only_b, only_a - only_b
    error = np.sqrt((n - gap**2 / LINES) * LINES / (LINES - 1))
    return 2 * stats.t.sf(np.abs(gap) / error, LINES - 1)


def _bootstrap(only_a, only_b, rng):
    """Twice the smaller share of the draws in which one of the two is not ahead."""
    a = rng.binomial(LINES, only_a / LINES, (DRAWS, len(only_a)))
    b = rng.binomial(LINES - a, only_b / (LINES - only_a))
    return 2 * np.minimum(np.mean(a <= b, axis=0), np.mean(a >= b, axis=0))


def _swapped_lines(only_a, only_b, rng):
    """McNemar's test once a coin for each line has decided which answer is whose."""
    only = rng.binomial(only_a + only_b, 0.5)
    return _exact(only, only_a + only_b - only)


ON_LINES = {
    "mcnemar exact": _exact,
    "mcnemar mid-p": _mid_p,
    "mcnemar chi2": _chi_squared,
    "paired t": _paired_t,
}
WITH_DRAWS = {"paired bootstrap": _bootstrap, "lines swapped": _swapped_lines}


def _modules_t(sums, counts, rng):
    return stats.ttest_1samp(sums, 0, axis=1).pvalue


def _modules_exchanged(sums, counts, rng):
    coins = rng.choice([-1.0, 1.0], (DRAWS + 1, sums.shape[1]))
    coins[0] = 1  # the data count as one exchange
    far = np.abs(coins @ sums.T)
    return np.mean(far >= far[0] - 1e-9, axis=0)


def _modules_swapped(sums, counts, rng):
    """McNemar's test once a coin for each module has decided which answers are
    whose.
    """
    n = sum(counts)
    gap = np.rint((rng.choice([-1.0, 1.0], sums.shape) * sums).sum(axis=1)).astype(int)
    return _exact((n + gap) // 2, (n - gap) // 2)


ON_MODULES = {
    "modules t": _modules_t,
    "modules exchanged": _modules_exchanged,
    "modules swapped": _modules_swapped,
}


def over_runs(called):
    """Return the share of pairs that are called different, with an interval over runs
    by the jackknife.

    Parameters
    ----------
    called : array_like of float, shape (4950,)
        For each pair of runs, whether it is called different, or how often.

    Returns
    -------
    share, low, high : float
    """
    of_pair = np.zeros((RUNS, RUNS))
    of_pair[PAIRS] = called
    of_run = (of_pair + of_pair.T).sum(axis=1)
    share = np.mean(called)
    without = (np.sum(called) - of_run) / ((RUNS - 1) * (RUNS - 2) / 2)
    interval = t_interval(RUNS * share - (RUNS - 1) * without)
    return share, interval.low, interval.high


def _of_pairs(system, test, level, lines):
    right, _ = load_right(system)
    rng = np.random.default_rng([31, models.SYSTEMS.index(system), lines])
    if lines < LINES:
        chosen = (rng.choice(LINES, lines, replace=False) for _ in range(SUBSETS))
        p = np.array([ON_LINES[test](*_counts(right[:, some])) for some in chosen])
    elif test in ON_LINES:
        p = ON_LINES[test](*_counts(right))[None]
    elif test in WITH_DRAWS:
        p = WITH_DRAWS[test](*_counts(right), rng)[None]
    else:
        p = ON_MODULES[test](_sums(system), _counts(right), rng)[None]
    return over_runs(np.mean(p <= level, axis=0))


def _mean_answers(a, b, module):
    return stats.ttest_rel(a.mean(axis=0), b.mean(axis=0)).pvalue


def _welch(a, b, module):
    return stats.ttest_ind(a.mean(axis=1), b.mean(axis=1), equal_var=False).pvalue


def _crossed(a, b, module):
    return crossed_difference(a, b, module).pvalue


ON_LISTS = {
    "mean answers": _mean_answers,
    "welch": _welch,
    "runs and modules": _crossed,
}


def _of_lists(system, test, level, runs):
    right, module = load_right(system)
    rng = np.random.default_rng([32, models.SYSTEMS.index(system), runs])
    shares = []
    for block in right.astype(float).reshape(-1, BLOCK, LINES):
        orders = [rng.permutation(BLOCK)[: 2 * runs] for _ in range(LISTS)]
        p = [
            ON_LISTS[test](block[order[:runs]], block[order[runs:]], module)
            for order in orders
        ]
        shares.append(np.mean(np.array(p) <= level))
    interval = t_interval(shares)
    return np.mean(shares), interval.low, interval.high


def _called(system, test, level, lines, runs):
    found = (
        _of_pairs(system, test, level, lines)
        if runs == 1
        else _of_lists(system, test, level, runs)
    )
    return {
        name: round(float(value), 6)
        for name, value in zip(("share", "low", "high"), found, strict=True)
    }


def _plan(scale, rows):
    """Return the units, the same at every scale: the told choice, each other one alone,
    and all lists.
    """
    told = "mcnemar exact"
    kinds = [
        *((test, 0.05, LINES, 1) for test in (*ON_LINES, *WITH_DRAWS, *ON_MODULES)),
        *((told, level, LINES, 1) for level in (0.01, 0.1)),
        *((told, 0.05, lines, 1) for lines in FEWER),
        *((test, 0.05, LINES, runs) for test in ON_LISTS for runs in (5, 10)),
    ]
    return [
        {
            "table": "called",
            "system": system,
            "test": test,
            "level": level,
            "lines": lines,
            "runs": runs,
        }
        for system in models.SYSTEMS
        for test, level, lines, runs in kinds
    ]


EXPERIMENT = Experiment(
    name="same_program",
    # Another machine's last bits may turn the decision on a pair or two.
    compared={"share": 0.001, "low": 0.001, "high": 0.001},
    plan=_plan,
    tables={"called": _called},
)
