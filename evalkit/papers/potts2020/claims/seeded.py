"""Claims about seeds: which matter, what initialisation does, XOR, and what one run can say."""

import functools
import itertools
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import optimize, stats

from evalkit import datasets
from evalkit.experiments.pools import unpack_predictions
from evalkit.papers.judging import TAILS, Finding, Jackknifed, Judges, Resampled, Trials, either, held
from evalkit.papers.potts2020 import tasks
from evalkit.papers.potts2020.claims.statistics import NAMES, by_data, words
from evalkit.papers.potts2020.tasks import simulated, trained, tuned
from evalkit.proportions import proportion_interval
from evalkit.recorded import load_recorded
from evalkit.seeds import variance_components
from evalkit.significance import holm

JUDGES = Judges("potts2020")

NETWORKS = {"mlp": "MLP", "lstm": "LSTM"}


def _by_network(found, digits=2):
    return "; ".join(f"{NETWORKS[name]} {words(x, digits)}" for name, x in found.items())


def _pools(column="test"):
    """Return what the recorded seeds of each network scored on the test lines, in points."""
    table = load_recorded("pools", "seeds").sort_values("seed")
    return {name: 100 * table[table.system == name][column].to_numpy() for name in NETWORKS}


# ---------------------------------------------------------------------------------------------
# Which seeds matter
# ---------------------------------------------------------------------------------------------


@JUDGES.judge("seeds-that-matter")
def _seeds_that_matter(record):
    # The course's helper seeds Python's and NumPy's generators where it says "system".
    fixed = {
        "none": "python+numpy+torch",
        "Python's": "numpy+torch",
        "NumPy's": "python+torch",
        "torch's": "python+numpy",
    }
    names = ("splits", "errors", "dev_curves")
    found = {}
    for left_out, sources in fixed.items():
        row = record.table("notebook", 1, fixed=sources).iloc[0]
        found[left_out] = [int(row[name]) for name in names]
    same = {left_out: counts == [1, 1, 1] for left_out, counts in found.items()}
    reading = "holds, too" if same["NumPy's"] else "fails"
    source = "do not depend on" if found["NumPy's"][0] == 1 else "come from"
    counts = "; ".join(f"{left_out} {', '.join(map(str, n))}" for left_out, n in found.items())
    return Finding(
        held(same["none"]),
        "own run",
        f"Different splits, final errors and dev curves among {int(row.times)} fresh processes, by the seed "
        f"that is left unfixed: {counts}. The splits {source} NumPy's global state. By 'system' the "
        f"notebook's helper means Python's and NumPy's generators; read as Python's alone, the claim "
        f"{reading}.",
    )


# ---------------------------------------------------------------------------------------------
# Initialisation
# ---------------------------------------------------------------------------------------------


@JUDGES.judge("initialisation-matters")
def _initialisation_matters(record):
    spreads = {}
    for name, test in _pools().items():
        spreads[name] = Resampled(lambda x: np.subtract(*np.quantile(x, (0.95, 0.05))), test)
        spreads[name].settle(2)
    orders = load_recorded("crossed", "orders")
    parts = variance_components(100 * orders.test, orders.seed, orders.order_seed).truncated
    return Finding(
        either(all(x.low > 2 for x in spreads.values()), all(x.high < 2 for x in spreads.values())),
        "own run",
        f"Out of reach for the systems of Reimers and Gurevych: their scores are needed. Test accuracy on "
        f"the docstrings from the 5 % to the 95 % quantile, over seeds, in points: {_by_network(spreads)}. "
        f"These seeds set the order of the data, too; where both are crossed, initialisation alone gives the "
        f"MLP an SD of {np.sqrt(parts.seed):.2f}, the order {np.sqrt(parts.split):.2f}, and what is left "
        f"{np.sqrt(parts.rest):.2f}.",
        tuple(spreads.values()),
    )


@JUDGES.judge("initialisation-of-simple-models")
def _simple_models(record):
    table = pd.concat([record.table("starts", len(trained.SCALES), data=d) for d in trained.START_DATA])
    lines = [
        f"{NAMES[row.data]} ({row.scale:g}) {row.separated} of {trained.STARTS}, {100 * row.differ:.2f} %"
        for row in table.sort_values(["data", "scale"]).itertuples()
    ]
    return Finding(
        either(
            (table.separated == trained.STARTS).all() and (table.differ >= 0.005).all(),
            (table.differ_most == 0).all(),
        ),
        "own run",
        f"Starts that reach no training error, and the share of test items that two of them answer "
        f"differently on average, by the SD of the first weights in brackets: {'; '.join(lines)}. (The "
        f"perceptron's steps, one split; of the docstrings two packages.)",
    )


@JUDGES.judge("report-failure-rate")
def _failure_rate(record):
    cell = _recorded_xor().query("labels == 'same' and activation == 'tanh' and hidden == 2").iloc[0]
    learned = int(cell.learned_500)
    search = load_recorded("pools", "search")
    outcomes = {"XOR": np.repeat([100.0, 0.0], [learned, int(cell.seeds) - learned])}
    outcomes |= {NETWORKS[n]: 100 * search[search.system == n].test.to_numpy() for n in NETWORKS}
    gaps, lines = [], []
    for name, scores in outcomes.items():
        middle = scores.mean()
        near = np.mean(np.abs(scores - middle) <= np.ptp(scores) / 10)
        gaps.append(near < 0.05)
        rate = _share(np.sum(scores < middle), len(scores))
        failed = f", {rate} fail" if gaps[-1] else ""
        lines.append(f"{name} {100 * near:.1f} % of {len(scores):,} (mean {middle:.1f} %{failed})")
    return Finding(
        either(all(gaps), not any(gaps)),
        "own run",
        f"Runs whose accuracy lies within a tenth of the range around the mean: {'; '.join(lines)}. XOR "
        f"counts as learned or not, over seeds of the cell's network; the runs of MLP and LSTM are random "
        f"searches.",
    )


def _share(cases, count):
    """Write a share with its interval by Clopper and Pearson, in percent."""
    low, high = proportion_interval(int(cases), int(count))
    return f"{100 * cases / count:.1f} % ({100 * low:.1f} to {100 * high:.1f})"


# ---------------------------------------------------------------------------------------------
# XOR
# ---------------------------------------------------------------------------------------------

# What the notebook's cell calls XOR.
CELL = {(1, 1): 1, (1, 0): 0, (0, 1): 0, (0, 0): 1}
STEPS = ("learned_500", "learned_1000", "learned_2000", "learned_5000")


def _recorded_xor():
    """Return how many of the recorded networks have learned either labelling after each number of steps."""
    table = load_recorded("xor", "learned").sort_values(["labels", "activation", "hidden"])
    return table.assign(**{step: (table[step] * table.seeds).round().astype(int) for step in STEPS})


@JUDGES.judge("xor-definition")
def _xor_definition(record):
    truth = {arguments: int(arguments[0] != arguments[1]) for arguments in CELL}
    equal, complement = truth == CELL, all(truth[a] == 1 - CELL[a] for a in CELL)
    table = _recorded_xor().set_index(["labels", "activation", "hidden"])
    xor, same = (table.loc[labels] for labels in ("xor", "same"))
    pvalues = []
    for network in xor.index:
        counts = [(both.learned_500[network], both.seeds[network]) for both in (xor, same)]
        pvalues.append(stats.fisher_exact([[k, n - k] for k, n in counts]).pvalue)
    cell = ("tanh", 2)
    shares = [_share(both.learned_500[cell], both.seeds[cell]) for both in (xor, same)]
    return Finding(
        either(equal, complement),
        "exact",
        f"Exclusive or is true where its arguments differ: on {sum(truth[a] != CELL[a] for a in CELL)} of 4 "
        f"rows the cell says the opposite. Of {int(xor.seeds[cell]):,} seeds {shares[0]} learn the one and "
        f"{shares[1]} the other with two tanh units; of {len(pvalues)} networks the smallest p-value of "
        f"Fisher's test, adjusted by Holm, is {min(holm(pvalues)):.2f}.",
    )


def linear_labellings(points):
    """Return every way in which a line divides points, by linear programming.

    Parameters
    ----------
    points : list of tuple of float
        In the plane.

    Returns
    -------
    list of tuple of int
        0 or 1 for each point.
    """
    found = []
    for labels in itertools.product((0, 1), repeat=len(points)):
        sides = 2 * np.array(labels) - 1
        # Weights, bias, and the margin that is made as large as it can be.
        rows = np.c_[-sides[:, None] * np.c_[points, np.ones(len(points))], np.ones(len(points))]
        best = optimize.linprog([0, 0, 0, -1], rows, np.zeros(len(points)), bounds=[(-1, 1)] * 4)
        if -best.fun > 1e-9:
            found.append(labels)
    return found


@JUDGES.judge("xor-not-linear")
def _xor_not_linear(record):
    lines = linear_labellings(list(CELL))
    right = max(sum(a == b for a, b in zip(labels, CELL.values(), strict=True)) for labels in lines)
    return Finding(
        either(right == 3, right == 4),
        "exact",
        f"Of the {2 ** len(CELL)} ways to label the four points a line makes {len(lines)}; the best of them "
        f"labels {right} of 4 as the cell does.",
    )


def two_units(points):
    """Return what a network with two tanh units and weights that are written down says of points.

    Parameters
    ----------
    points : list of tuple of float

    Returns
    -------
    ndarray of int
        1 where both arguments are the same.
    """
    layer = np.tanh(4 * (np.sum(points, axis=1)[:, None] - [0.5, 1.5]))
    return (layer @ [-1, 1] + 1 > 0).astype(int)


@JUDGES.judge("xor-one-hidden-layer")
def _xor_one_hidden(record):
    right = int(np.sum(two_units(list(CELL)) == list(CELL.values())))
    cell = _recorded_xor().query("labels == 'same' and activation == 'tanh' and hidden == 2").iloc[0]
    return Finding(
        either(right == 4 and cell.learned_500 > 0, cell.learned_500 == 0),
        "own run",
        f"Two tanh units with weights that are written down label {right} of 4 points rightly, and of "
        f"{int(cell.seeds):,} seeds of the cell's network {_share(cell.learned_500, cell.seeds)} learn it.",
    )


def _xor_cells(record):
    """Return how many networks have learned XOR, by activation, units, learning rate and steps."""
    there = _recorded_xor().query("labels == 'xor'").assign(learning_rate=0.01)
    new = record.table("xor", 2 * len(simulated.XOR)).assign(seeds=simulated.XOR_SEEDS)
    names = ["activation", "learning_rate", "hidden"]
    cells = pd.concat([there, new]).melt([*names, "seeds"], STEPS, "steps", "learned")
    cells["steps"] = cells.steps.str.removeprefix("learned_").astype(int)
    return cells.sort_values([*names, "steps"])


@JUDGES.judge("xor-rarely-perfect")
def _xor_rarely_perfect(record):
    cells = _xor_cells(record)
    ten = (cells.learned / cells.seeds) ** 10
    pairs = zip(cells.learned, cells.seeds, strict=True)
    likely = cells[[proportion_interval(int(k), int(n)).low ** 10 > 0.5 for k, n in pairs]]
    listed = []
    for (activation, rate), group in likely.groupby(["activation", "learning_rate"], sort=False):
        units = [
            f"{hidden}" + ("" if len(rows) == len(STEPS) else f" ({', '.join(map(str, rows.steps))} steps)")
            for hidden, rows in group.groupby("hidden")
        ]
        listed.append(f"{activation}, learning rate {rate:g}: {', '.join(units)} units")
    return Finding(
        either((ten < 0.5).all(), len(likely) > 0),
        "own run",
        f"In {(ten < 0.5).sum()} of {len(cells)} cells ten runs all learn XOR with a chance below a half, in "
        f"{len(likely)} above it, lower end of the interval over seeds included"
        f"{': ' if listed else ''}{'; '.join(listed)}.",
        intervals=len(cells),
    )


# ---------------------------------------------------------------------------------------------
# One run, several runs
# ---------------------------------------------------------------------------------------------


def _right():
    """Return for each network which test lines each seed gets right, (seeds, lines)."""
    table = load_recorded("pools", "seeds").sort_values("seed")
    true = load_recorded("pools", "test_items").package.map(datasets.PACKAGES.index).to_numpy()
    packed = {name: table[table.system == name].test_predictions for name in NETWORKS}
    return {
        name: np.array([unpack_predictions(cell, len(true)) == true for cell in cells], dtype=float)
        for name, cells in packed.items()
    }


def called_different(right):
    """Return which pairs of runs McNemar's test calls different at 5 %.

    Parameters
    ----------
    right : ndarray of float, shape (runs, items)
        1 where a run is right on an item.

    Returns
    -------
    dict of str to ndarray of bool, shape (runs, runs)
        By the exact test and by the printed one, chi-squared with 1 subtracted.
    """
    first = np.rint(right @ (1 - right.T))
    discordant, difference = first + first.T, np.abs(first - first.T)
    exact = 2 * stats.binom.cdf(np.minimum(first, first.T), discordant, 0.5)
    printed = (difference - 1) ** 2 / np.maximum(discordant, 1)
    return {"exact": exact <= 0.05, "printed": printed >= stats.chi2.isf(0.05, 1)}


def share_of_pairs(marked):
    """Return the share of pairs of runs that are marked, with the interval over runs.

    Parameters
    ----------
    marked : ndarray of bool, shape (runs, runs)
        Symmetric.

    Returns
    -------
    Resampled
        A run that is drawn twice makes no pair with itself.
    """
    marked = np.where(np.eye(len(marked), dtype=bool), 0.0, marked)

    def share(drawn):
        counts = np.bincount(drawn, minlength=len(marked)).astype(float)
        return counts @ marked @ counts / (counts.sum() ** 2 - counts @ counts)

    return Resampled(share, np.arange(len(marked)))


def _mcnemar_shares():
    """Return the share of pairs of seeds that McNemar's test calls different, by network and test."""
    return {
        (name, test): share_of_pairs(marked)
        for name, right in _right().items()
        for test, marked in called_different(right).items()
    }


def _by_test(shares):
    return "; ".join(f"{NETWORKS[name]}, {test} {words(x, 3)}" for (name, test), x in shares.items())


RUNS, DRAWS = 10, 20_000


def welch_alarms(scores, rng):
    """Return how often Welch's test calls two groups of runs of one system different at 5 %.

    Parameters
    ----------
    scores : ndarray of float, shape (n,)
    rng : numpy.random.Generator

    Returns
    -------
    Trials
        Each with two groups of ten different runs.
    """
    groups = rng.permuted(np.tile(scores, (DRAWS, 1)), axis=1)[:, : 2 * RUNS]
    a, b = groups[:, :RUNS], groups[:, RUNS:]
    # By hand, for groups without scatter have no p-value, and are different if their means are.
    squares = [x.var(axis=1, ddof=1) / RUNS for x in (a, b)]
    error = np.sqrt(sum(squares))
    spread = np.where(error > 0, error, 1.0)
    df = (RUNS - 1) * spread**4 / np.where(error > 0, squares[0] ** 2 + squares[1] ** 2, 1.0)
    reach = stats.t.isf(0.025, df) * error
    return Trials(DRAWS, int(np.sum(np.abs(a.mean(axis=1) - b.mean(axis=1)) > reach + 1e-12)), (0.06,))


@JUDGES.judge("several-complete-runs")
def _several_runs(record):
    singles = _mcnemar_shares()
    rng = np.random.default_rng(2020)
    groups = {name: welch_alarms(test, rng) for name, test in _pools().items()}
    shares = {name: x.cases / x.count for name, x in groups.items()}
    one = [x.estimate for x in singles.values()]
    of_ten = "; ".join(f"{NETWORKS[name]} {share:.3f}" for name, share in shares.items())
    return Finding(
        either(min(one) > 0.05 and max(shares.values()) <= 0.06, max(one) <= 0.05),
        "own run",
        f"Seeds of one network against others of it, docstrings. Share of all pairs of single runs that "
        f"McNemar's test calls different (interval over seeds): {_by_test(singles)}. Share of {DRAWS:,} "
        f"random pairs of {RUNS} runs that Welch's test does: {of_ten}.",
        (*singles.values(), *groups.values()),
        intervals=0,
    )


def _cells(table):
    """Return test accuracies of crossed runs in points, (seeds, splits)."""
    return 100 * table.pivot_table(index="seed", columns="split", values="test").to_numpy()


def _parts(cells):
    n_seeds, n_splits = cells.shape
    seeds, splits = np.repeat(np.arange(n_seeds), n_splits), np.tile(np.arange(n_splits), n_seeds)
    return variance_components(cells.ravel(), seeds, splits)


def over_both(statistic, cells):
    """Return a statistic of crossed runs, with an interval from leaving out each seed and each split.

    Parameters
    ----------
    statistic : callable
        From an array (seeds, splits) to a number.
    cells : ndarray of float, shape (seeds, splits)

    Returns
    -------
    Jackknifed
        What the two add up to is too much rather than too little. The t of the rarer of the two.
    """

    def along(axis, variance=0.0):
        groups = list(np.moveaxis(cells, axis, 0))
        return Jackknifed(lambda left: statistic(np.stack(left, axis=axis)), groups, variance=variance)

    rarer = int(np.argmin(cells.shape))
    return along(rarer, along(1 - rarer).error ** 2)


def more_by_splits(cells, runs):
    """Return how much larger the SD of a mean is with a new seed for each split than with two.

    Parameters
    ----------
    cells : ndarray of float, shape (seeds, splits)
    runs : int
        In either mean, so that there are half as many splits with two seeds; even.

    Returns
    -------
    float
    """
    parts = _parts(cells)
    one, two = parts.of_mean(runs, runs, runs), parts.of_mean(runs, runs // 2, runs)
    return np.sqrt(max(one, 0)) - np.sqrt(max(two, 0))


SETS = 20_000


def single_runs(cells):
    """Return the SD of runs each with a seed and a split of its own, over that of the variance components.

    Parameters
    ----------
    cells : ndarray of float, shape (seeds, splits)

    Returns
    -------
    ndarray of float, shape (SETS,)
        For random sets of as many runs as there can be; 1 where nothing varies.
    """
    cells = cells if cells.shape[0] >= cells.shape[1] else cells.T
    parts = _parts(cells)
    total = parts.seed + parts.split + parts.rest
    if total < 1e-12:
        return np.ones(SETS)
    columns = np.arange(cells.shape[1])
    return cells[_orders(len(cells))[:, columns], columns].std(axis=1, ddof=1) / np.sqrt(total)


@functools.cache
def _orders(n):
    return np.random.default_rng(2020).permuted(np.tile(np.arange(n), (SETS, 1)), axis=1)


@JUDGES.judge("new-seed-per-split", criterion="2026-11-23")
def _new_seed_per_split(record):
    n_cells = trained.CROSSED_SEEDS * trained.CROSSED_SPLITS
    crossed = {"MLP, docstrings": _cells(load_recorded("crossed", "splits"))}
    crossed |= {
        f"shallow, {NAMES[data]}": _cells(record.table("crossed", n_cells, data=data))
        for data in trained.CROSSED
    }
    gaps, ratios, sets = {}, {}, []
    for name, cells in crossed.items():
        runs = min(cells.shape) // 2 * 2
        gaps[name] = over_both(lambda left, runs=runs: more_by_splits(left, runs), cells)
        ratios[name] = over_both(lambda left: single_runs(left).mean(), cells)
        sets.append(np.mean(np.abs(single_runs(cells) - 1) > 0.1))
    found = list(zip(gaps.values(), ratios.values(), strict=True))
    return Finding(
        either(
            all(gap.low <= 0 and abs(ratio.estimate - 1) <= 0.1 for gap, ratio in found),
            any(gap.low > 0 or ratio.low > 1.1 or ratio.high < 0.9 for gap, ratio in found),
        ),
        "own run",
        f"SD of a mean over splits with a new seed each minus that over half as many splits with two seeds "
        f"each, in points, intervals over seeds and splits: {by_data(gaps)}. The SD over single runs divided "
        f"by what the components make it, mean over random sets of runs: {by_data(ratios)}; of single sets "
        f"{100 * min(sets):.0f} to {100 * max(sets):.0f} % are off by more than 10 %. (The MLP's test lines "
        f"stay the same.)",
        intervals=2 * len(found),
    )


@JUDGES.judge("mcnemar-against-seeds")
def _mcnemar_against_seeds(record):
    shares = _mcnemar_shares()
    for share in shares.values():
        share.settle(0.05)
    return Finding(
        either(all(x.low > 0.05 for x in shares.values()), all(x.high < 0.05 for x in shares.values())),
        "own run",
        f"Share of all pairs of seeds of one network that McNemar's test calls different at 5 % on one test "
        f"set of docstrings, interval over seeds: {_by_test(shares)}. The items stay the same.",
        tuple(shares.values()),
    )


@JUDGES.judge("heuristic-argument")
def _heuristic(record):
    pools = _pools()
    shares, lines = {}, []
    for name, other in (("mlp", "lstm"), ("lstm", "mlp")):
        limit, test = 2.8 * pools[other].std(ddof=1), pools[name]
        shares[name] = share_of_pairs(np.abs(test[:, None] - test) > limit)
        lines.append(f"{limit:.2f} points for the {NETWORKS[name]}")
    return Finding(
        held(all(x.estimate <= 0.1 for x in shares.values())),
        "own run",
        f"Share of pairs of seeds of one network that are farther apart in test accuracy on the docstrings "
        f"than 2.8 SDs of the other network ({' and '.join(lines)}), interval over their seeds: "
        f"{_by_network(shares, 3)}.",
        tuple(shares.values()),
        intervals=0,
    )


class Ratio(NamedTuple):
    """A ratio of two SDs.

    Parameters
    ----------
    estimate, low, high : float
        The ratio, and the ends of its 95 % interval.
    """

    estimate: float
    low: float
    high: float


def ratio_of_sds(a, b):
    """Return the SD of one sample over that of another, apart from it.

    Parameters
    ----------
    a, b : ndarray of float, shape (n,)

    Returns
    -------
    Ratio
        By the jackknife of each SD, on the scale of logarithms: drawn with replacement, an SD comes out too
        small. Without any scatter of b infinite, of neither 1.
    """
    of_a, of_b = (Jackknifed(lambda x: np.std(x, ddof=1), list(sample)) for sample in (a, b))
    if of_b.estimate < 1e-12:
        return Ratio(*3 * [np.inf if of_a.estimate > 1e-12 else 1.0])
    ratio = of_a.estimate / of_b.estimate
    if of_a.estimate < 1e-12:
        return Ratio(0.0, 0.0, 0.0)
    error = np.hypot(of_a.error / of_a.estimate, of_b.error / of_b.estimate)
    reach = np.exp(stats.t.ppf(TAILS[1], min(len(a), len(b)) - 1) * error)
    return Ratio(ratio, ratio / reach, ratio * reach)


@JUDGES.judge("runs-matter-most-for-networks", criterion="2026-11-23")
def _runs_matter_most(record):
    ratios, lines = {}, []
    for data in tuned.SETTINGS_DATA:
        test = {
            system: 100
            * record.table("reseeded", tasks.RANDOM_SEEDS, data=data, system=system)
            .sort_values("seed")
            .test.to_numpy()
            for system in ("shallow", "perceptron", "sgd")
        }
        for system in ("perceptron", "sgd"):
            ratios[f"{NAMES[data]}, {system}"] = ratio_of_sds(test["shallow"], test[system])
        lines.append(f"{NAMES[data]} {test['shallow'].std(ddof=1):.2f}")
    above, below = ([x.low > 1 for x in ratios.values()], [x.high <= 1 for x in ratios.values()])
    return Finding(
        either(sum(above) >= 5, sum(below) >= 2),
        "own run",
        f"SD of the shallow classifier's test accuracy over seeds, in points: {'; '.join(lines)}. As a "
        f"multiple of that of linear models, interval over seeds: {by_data(ratios)}. One split of each; the "
        f"linear models see all words, the network the commonest thousand.",
        intervals=len(ratios),
    )
