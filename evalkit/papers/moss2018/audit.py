"""What Moss et al. (2018) print, computed from the matrices they released.

Their procedure, found by trying: groups of J are consecutive disjoint blocks of rows in the order of
the file, the last block is left out, a group's scores are the mean of its rows, the first maximum is
chosen, and SDs have ddof = 1. The number of blocks follows the number of partitions the paper speaks
of (1,000, or 500 for 20 folds) and not the one that was released (999, 499), except for the LSTM.
"""

import functools
import itertools

import numpy as np
import pandas as pd
from scipy import stats

from evalkit import released
from evalkit._data import DATA
from evalkit.papers.moss2018.groups import resampled_ratio
from evalkit.papers.moss2018.tasks import documents_about, load
from evalkit.recorded import pack

# As the published figures call them, and as the released files do.
TASKS = {
    "imdb_rf": "rf",
    "pos_lr": "pos",
    "reuters_svm": "reuters",
    "lstm_width": "lstm",
    "lstm_reg": "lstm-reg",
}
NOMINAL = {
    ("rf", 5): 1000,
    ("rf", 10): 1000,
    ("rf", 20): 500,
    ("pos", 5): 1000,
    ("pos", 10): 1000,
    ("reuters", 5): 1000,
    ("reuters", 10): 1000,
}
# The file of this task that is named for so many folds holds other 5-fold cross-validations: `two_files`.
MISNAMED = ("reuters", 10)
# The one setting of the released runs by all K.
SETTING = {"reuters": {"C": 10, "gamma": 0.25}, "pos": {"C": 1}}
# Row i of these files has the seed i for every K, as the correlation of their rows shows.
SAME_SEEDS = ("rf", "pos")
OVERLAPS = 200
WORKERS = 10  # of each job that made that file
WIDTH_ROWS = 514  # in the file of the LSTM's width with five folds, as its name says
DRAWS = 1000
PERMUTATIONS = 400
ORDERS = 200  # of the partitions, for the rule that decides when to stop
BY_FOLDS = {"pos": range(2, 15), "reuters": range(2, 15), "lstm": range(2, 16)}

# At equal cost; each pair as the paper's tables set it side by side.
PAIRS = [("1-10", "2-5"), ("2-10", "4-5"), ("4-10", "8-5")]
FOREST_PAIRS = [*PAIRS[:2], ("1-20", "2-10"), ("1-20", "4-5")]

CONFERENCE = "coling2016"  # figures on its papers


@functools.cache
def scores(task, k):
    """Return the released accuracies of a task, partitions by settings.

    Parameters
    ----------
    task : str
    k : int

    Returns
    -------
    ndarray of float
    """
    return released.moss2018_accuracy(task, k)


def grouped(rows, j, n_groups):
    """Average consecutive blocks of rows.

    Parameters
    ----------
    rows : ndarray of float, shape (n_partitions, n_settings)
    j, n_groups : int

    Returns
    -------
    ndarray of float, shape (n_groups, n_settings)
    """
    return rows[: j * n_groups].reshape(n_groups, j, -1).mean(axis=1)


def _n_groups(task, j, k):
    return NOMINAL.get((task, k), len(scores(task, k))) // j - 1


def statistic(task, quantity, means):
    """Compute a printed quantity from the scores of groups.

    Parameters
    ----------
    task : str
    quantity : str
        As in the last part of the published ids.
    means : ndarray of float, shape (n_groups, n_settings)

    Returns
    -------
    float
    """
    values = per_group(task, quantity, means)
    if "global" in quantity:
        return values.max() if quantity.endswith("high") else values.min()
    kind = quantity.partition("_")[0]
    return values.std(ddof=1) if kind == "sd" else getattr(values, kind)()


def per_group(task, quantity, means):
    """Return what a printed quantity summarizes: of each group its best mean, its choice or that one's worth.

    Parameters
    ----------
    task, quantity : str
    means : ndarray of float, shape (n_groups, n_settings)

    Returns
    -------
    ndarray of float, shape (n_groups,)
        Accuracies in percent.
    """
    if quantity == "sd_accuracy":
        return 100 * means.max(axis=1)
    chosen = means.argmax(axis=1)
    if "global" in quantity:
        return 100 * released.moss2018_truth()[chosen]
    grid = released.moss2018_grid(task)
    name = quantity.rpartition("_")[2]
    return grid[name if name in grid else grid.columns[0]].to_numpy()[chosen]


def _others(task, j, k, quantity, rng, *, resampled):
    """Return the quantity for other groupings of the partitions, or for other partitions."""
    rows, n_groups = scores(task, k), _n_groups(task, j, k)
    found = []
    for _ in range(DRAWS):
        order = rng.integers(len(rows), size=len(rows)) if resampled else rng.permutation(len(rows))
        found.append(statistic(task, quantity, grouped(rows[order], j, n_groups)))
    return np.array(found)


def computed(id):
    """Compute one printed figure.

    Parameters
    ----------
    id : str
        As in `data/published/moss2018.csv`.

    Returns
    -------
    dict
        `value`, absent if it is out of reach, and `note`; for an SD also `low` and `high`: 95 % of what
        other groupings of the same partitions give, or, with J = 1, other partitions.
    """
    parts = id.split("/")
    if parts[0] == CONFERENCE:
        return {"note": "out of reach: the proceedings were not counted again"}
    if id == "pos_lr/1-10/worst_loss":
        return _worst_loss()
    if id == "law/one_over_j":
        return _law()
    if id == "reuters_svm/instances":
        n, about = _denominator(), documents_about("corn", "wheat")
        both = len(set(about["corn"].newid) & set(about["wheat"].newid))
        training = {newid for part in about.values() for newid in part.newid[part.split == "train"]}
        parts = " and ".join(f"{len(documents)} on {topic}" for topic, documents in about.items())
        note = f"every accuracy is a multiple of 1 / {n}; the corpus has {parts}, with {both} among both; "
        note += f"{len(training)} are the different ones of its training part"
        return {"value": float(n), "note": note}
    if id == "imdb_rf/grid":
        grid = released.moss2018_grid("rf").iloc[:, 0]
        note = f"{grid.min():.2f} to {grid.max():.2f} were run"
        return {"value": float(scores("rf", 5).shape[1]), "note": note}
    if id == "all/partitions":
        fewer = " and ".join(f"{len(scores('lstm', k))} at K = {k}" for k in (5, 10))
        return {
            "value": float(len(scores("rf", 5))),
            "note": f"rows of the forest's file; the LSTM has {fewer}",
        }
    task, quantity = TASKS[parts[0]], parts[2]
    j, k = map(int, parts[1].split("-"))
    value = statistic(task, quantity, grouped(scores(task, k), j, _n_groups(task, j, k)))
    if not quantity.startswith("sd"):
        return {"value": float(value), "note": ""}
    rng = np.random.default_rng([2018, *id.encode()])
    others = _others(task, j, k, quantity, rng, resampled=j == 1)
    low, high = np.quantile(others, [0.025, 0.975])
    what = "as many other partitions" if j == 1 else "other groupings of the same partitions"
    note = f"{what} give {low:.3g} to {high:.3g}"
    if (task, k) == MISNAMED:
        note += "; from the file that is named for ten folds and holds five"
    return {"value": float(value), "low": float(low), "high": float(high), "note": note}


def tried(id):
    """Compute a printed SD in all the other ways that the same file allows, and ask which fit.

    Parameters
    ----------
    id : str
        Of an SD, as in `data/published/moss2018.csv`.

    Returns
    -------
    dict
        For blocks that begin at each of the first J rows, of one row fewer to one more than J, for as many
        of them as the file has or up to three fewer, and for both divisors: how many `ways` there are;
        the SD nearest to the printed one (`nearest`); and in how many ways it has the printed digits
        (`fit`), or does once it is cut to one or two digits and filled up with zeros (`padded`).
    """
    name, procedure, quantity = id.split("/")
    task, (j, k) = TASKS[name], map(int, procedure.split("-"))
    text = _printed().printed[id]
    values = []
    for size, start in itertools.product(range(max(1, j - 1), j + 2), range(j)):
        rows = scores(task, k)[start:]
        for n_groups in range(len(rows) // size - 3, len(rows) // size + 1):
            sd = statistic(task, quantity, grouped(rows, size, n_groups))
            values += [sd, sd * np.sqrt((n_groups - 1) / n_groups)]
    values, printed = np.array(values), float(text)
    digits = len(text.replace(".", "").lstrip("0"))
    return {
        "ways": len(values),
        "nearest": float(values[np.abs(values - printed).argmin()]),
        "fit": sum(float(f"{value:.{digits}g}") == printed for value in values),
        "padded": sum(
            any(float(f"{value:.{few}g}") == printed for few in range(1, digits)) for value in values
        ),
    }


def printed_lower(name, quantity):
    """Return the pairs at equal cost of which the paper prints less for the lower K.

    Parameters
    ----------
    name : str
        Of a task, as the published figures call it.
    quantity : str

    Returns
    -------
    list of tuple of str
        Without pairs that are not printed, or printed alike.
    """
    printed = _printed().printed.reindex([f"{name}/{j_k}/{quantity}" for pair in PAIRS for j_k in pair])
    values = printed.astype(float).to_numpy().reshape(-1, 2)
    return [pair for pair, (a, b) in zip(PAIRS, values, strict=True) if b < a]


@functools.cache
def _printed():
    return pd.read_csv(DATA / "published" / "moss2018.csv", dtype=str).set_index("id")


def _denominator():
    """Return the smallest number of items that every released accuracy of the SVM is a share of."""
    values = np.unique(np.concatenate([scores("reuters", k).ravel() for k in (5, 10)]))
    return next(n for n in range(2, 5000) if np.abs(values * n - np.round(values * n)).max() < 1e-6)


def exchangeable(task, k):
    """Test whether neighbouring rows of a file are alike, as independent partitions are not.

    Parameters
    ----------
    task : str
    k : int

    Returns
    -------
    dict
        `lag_1`: the autocorrelation of the rows' means; `near`: its mean over forty lags; `pvalue`: Ljung
        and Box, ten lags. `contrasts`: the correlation over ten lags of what is left of a row without its
        mean and those of the settings, which is what a choice hangs on; `contrasts_pvalue`, beside rows in
        random order.
    """
    rows = scores(task, k)
    means = rows.mean(axis=1)
    correlation = autocorrelation(means)
    n, lags = len(means), np.arange(1, 11)
    statistic = n * (n + 2) * np.sum(correlation[:10] ** 2 / (n - lags))
    return {
        "lag_1": float(correlation[0]),
        "near": float(correlation.mean()),
        "pvalue": float(stats.chi2.sf(statistic, len(lags))),
        **contrasts(rows, rng=np.random.default_rng([2018, k, *task.encode()])),
    }


def contrasts(rows, *, rng):
    """Test whether the differences between settings are alike on neighbouring rows.

    Parameters
    ----------
    rows : ndarray of float, shape (n_partitions, n_settings)
    rng : numpy.random.Generator

    Returns
    -------
    dict
        `contrasts` and `contrasts_pvalue`, as `exchangeable` says.
    """
    left = rows - rows.mean(axis=1, keepdims=True)
    left -= left.mean(axis=0)
    products = left @ left.T  # of each two rows; another order of rows is another order of these
    n, total = len(rows), np.trace(products)

    def correlation(order):
        return sum(products[order[:-lag], order[lag:]].sum() for lag in range(1, 11)) / 10 / total

    found = correlation(np.arange(n))
    others = np.array([correlation(rng.permutation(n)) for _ in range(PERMUTATIONS)])
    farther = np.abs(others - others.mean()) >= np.abs(found - others.mean())
    return {"contrasts": float(found), "contrasts_pvalue": float((1 + farther.sum()) / (PERMUTATIONS + 1))}


def autocorrelation(values, lags=40):
    """Correlate a series with itself, some places on.

    Parameters
    ----------
    values : ndarray of float, shape (n,)
    lags : int, default 40

    Returns
    -------
    ndarray of float, shape (lags,)
        Of 1, 2, ... places.
    """
    centred = values - values.mean()
    products = [centred[:-lag] @ centred[lag:] for lag in range(1, lags + 1)]
    return np.array(products) / (centred @ centred)


def overlap(jobs, apart):
    """Simulate the seeding of the released script for the LSTM's width, and how alike it makes rows.

    The seed of a row is (job + row) * 100 for the 99 rows of each job, so that jobs one apart share nearly
    all seeds. A job runs ten rows at a time, each of which takes some tenths longer or shorter than
    another, and all jobs write into one file as rows end.

    Parameters
    ----------
    jobs : int
    apart : float
        How long after a job the next one begins, in the length of a row.

    Returns
    -------
    dict
        Among as many rows as the file has: how many `partitions` are different, on average; and, if a row
        were its partition and nothing else, its autocorrelation over forty lags, the mean (`near`) and
        the 97.5 % quantile (`near_high`).
    """
    rng = np.random.default_rng([2018, jobs, round(100 * apart)])
    seeds = np.arange(1, jobs + 1)[:, None] + np.arange(1, 100)
    near, partitions = [], []
    for _ in range(OVERLAPS):
        lengths = np.exp(rng.normal(0, 0.1, (jobs, 1)) + rng.normal(0, 0.1, seeds.shape))
        free = np.repeat(apart * np.arange(jobs, dtype=float)[:, None], WORKERS, axis=1)
        ends = np.empty(seeds.shape)
        for row in range(seeds.shape[1]):  # the next row goes to the worker that is free first
            worker = free.argmin(axis=1)
            ends[:, row] = free[np.arange(jobs), worker] + lengths[:, row]
            free[np.arange(jobs), worker] = ends[:, row]
        written = seeds.ravel()[np.argsort(ends, axis=None)][:WIDTH_ROWS]
        near.append(autocorrelation(rng.normal(size=written.max() + 1)[written]).mean())
        partitions.append(len(np.unique(written)))
    return {
        "partitions": float(np.mean(partitions)),
        "near": float(np.mean(near)),
        "near_high": float(np.quantile(near, 0.975)),
    }


def law_of(rows, *, n_permutations=PERMUTATIONS):
    """Test the law of one over J: blocks of 2, 4 and 8 rows must vary as any such groups of rows do.

    Parameters
    ----------
    rows : ndarray of float, shape (n_partitions, n_settings)
        In the order in which they were drawn. A setting that never varies is left out.
    n_permutations : int, default 400

    Returns
    -------
    ratio : float
        Eight times the variance of blocks of eight over the variance of rows, the median of the
        settings; 1 by the law.
    pvalue : float
        Of the setting and J that are farthest from the law, among as many rows in random order.
    """
    rows = rows[:, np.ptp(rows, axis=0) > 0]
    variance = rows.var(axis=0, ddof=1)

    def ratios(ordered):
        return np.array(
            [j * grouped(ordered, j, len(rows) // j).var(axis=0, ddof=1) / variance for j in (2, 4, 8)]
        )

    def farthest(ordered):
        return np.abs(np.log(np.maximum(ratios(ordered), 1e-12))).max()

    rng = np.random.default_rng(2018)
    others = [farthest(rows[rng.permutation(len(rows))]) for _ in range(n_permutations)]
    pvalue = (1 + np.sum(np.array(others) >= farthest(rows))) / (n_permutations + 1)
    return float(np.median(ratios(rows)[-1])), float(pvalue)


def _worst_loss():
    """Train the tagger on the authors' own words, and ask for the others: their answers were not released."""
    tagger = load("treebank", 0)
    worth = 100 * tagger.right(tagger.items, tagger.held_out, 0).mean(axis=1)
    chosen = np.unique(scores("pos", 10).argmax(axis=1))
    losses = worth.max() - worth[chosen]
    named = [f"{c:g} {loss:.2f}" for c, loss in zip(tagger.grid.C[chosen], losses, strict=True)]
    return {
        "value": float(losses.max()),
        "note": f"by the released set-up, on {len(tagger.held_out):,} other words, the chosen C lose: "
        + ", ".join(named),
    }


def _law():
    """Test the law of one over J on all released files but those whose rows are not independent."""
    found, dependent = {}, []
    for name, task in TASKS.items():
        if exchangeable(task, 5)["pvalue"] < 0.001:
            dependent.append(name)
        else:
            found[name] = law_of(scores(task, 5))
    ratios_shown = ", ".join(f"{name} {ratio:.2f}" for name, (ratio, _) in found.items())
    smallest = min(pvalue for _, pvalue in found.values()) * len(found)
    return {
        "value": float(smallest > 0.05),
        "note": "eight times the variance of blocks of eight over that of rows, median of the settings: "
        f"{ratios_shown}; the farthest setting beside rows in random order: smallest p "
        f"{min(1, smallest):.2f}, corrected for {len(found)} files; without {' and '.join(dependent)}, "
        "whose rows are alike",
    }


def smoothed(truth, reach=8):
    """Fit a parabola to each setting and its neighbours, over the logarithm; return what it says there.

    The truth of a setting is the accuracy of a forest or a few, whose own luck is not the setting's. A
    straight line would cut off the steep end of the curve, by more than half a point. This reach was
    taken because one of our five forests, smoothed so, predicts the mean of the four others within a
    quarter of a point, with no setting off by more than 0.2 on average; unsmoothed the error is 0.34.

    Parameters
    ----------
    truth : ndarray of float, shape (n_settings,) or (n_settings, n)
        Of settings at equal distances, the first at one such distance from zero.
    reach : int, default 8
        Neighbours on either side, fewer at the ends.

    Returns
    -------
    ndarray of float, shape of `truth`
    """
    places = np.log(np.arange(1, len(truth) + 1))
    values = np.empty(np.shape(truth))
    for i, place in enumerate(places):
        near = slice(max(i - reach, 0), i + reach + 1)
        values[i] = np.polyfit(places[near] - place, truth[near], 2)[-1]
    return values


def roughness(truth):
    """Estimate the SD of the noise from one setting to the next, by second differences.

    Parameters
    ----------
    truth : ndarray of float, shape (n_settings,)

    Returns
    -------
    float
    """
    return float(np.sqrt(np.mean(np.diff(truth, 2) ** 2) / 6))


def held_out(task):
    """Smooth what the settings of the forest are worth on held-out reviews.

    Parameters
    ----------
    task : {"rf"}
        The one task whose held-out accuracies were released.

    Returns
    -------
    dict
        `smoothed`, in percent, as text; where it is highest: `best`, a setting, and its `accuracy`; and
        the accuracy of the setting that has the best mean of all partitions with five folds (`pooled`).
    """
    truth = smoothed(100 * released.moss2018_truth())
    best = truth.argmax()
    return {
        "pooled": float(truth[scores(task, 5).mean(axis=0).argmax()]),
        "smoothed": pack(truth, ".4f"),
        "best": float(released.moss2018_grid(task).iloc[best, 0]),
        "accuracy": float(truth[best]),
    }


def choices(task, j, k):
    """Count what groups of J partitions choose, and what the chosen setting scored in its group.

    Parameters
    ----------
    task : str
    j, k : int

    Returns
    -------
    dict
        `groups`; `counts` of each setting, as text; `estimates`: the 2.5, 25, 50, 75 and 97.5 %
        quantiles of the best mean, in percent, and `sd_estimate`; for the forest, the `worst`, the
        mean (`worth`) and the `best` possible accuracy of the choice on the held-out reviews, all from
        the smoothed truth; the best as released (`best_raw`), and the noise of that (`noise`).
    """
    rows = scores(task, k)
    means = grouped(rows, j, len(rows) // j)
    chosen, estimates = means.argmax(axis=1), 100 * means.max(axis=1)
    quantiles = np.quantile(estimates, [0.025, 0.25, 0.5, 0.75, 0.975])
    result = {
        "groups": len(means),
        "counts": pack(np.bincount(chosen, minlength=rows.shape[1])),
        "estimates": pack(quantiles, ".4f"),
        "sd_estimate": float(estimates.std(ddof=1)),
    }
    if task == "rf":
        raw = 100 * released.moss2018_truth()
        truth = smoothed(raw)
        worth = {
            "worst": truth[chosen].min(),
            "worth": truth[chosen].mean(),
            "best": truth.max(),
            "best_raw": raw.max(),
            "noise": roughness(raw),
        }
        result |= {name: float(value) for name, value in worth.items()}
    return result


def by_folds(task, folds):
    """Describe the estimates of one setting by K-fold cross-validation, in percent.

    Parameters
    ----------
    task : str
    folds : int

    Returns
    -------
    dict
        `partitions`, `mean`, `sd` and the 95 % interval of the SD by resampled partitions (`low`, `high`).
    """
    table = released.moss2018_by_folds(task)
    estimates = 100 * table.accuracy[table.folds == folds].to_numpy()
    rng = np.random.default_rng([2018, folds, *task.encode()])
    others = estimates[rng.integers(len(estimates), size=(DRAWS, len(estimates)))].std(axis=1, ddof=1)
    low, high = np.quantile(others, [0.025, 0.975])
    return {
        "partitions": len(estimates),
        "mean": float(estimates.mean()),
        "sd": float(estimates.std(ddof=1)),
        "low": float(low),
        "high": float(high),
    }


def ordering(task, quantity, a, b):
    """Compare a quantity at equal cost, with the noise of the partitions and of how they are grouped.

    Parameters
    ----------
    task, quantity : str
    a, b : str
        "J-K".

    Returns
    -------
    dict
        `ratio`, b over a, over random groups of partitions, and its 95 % interval (`low`, `high`) by
        resampled partitions. More are drawn where 1 may lie on either side of an end: how many there were
        (`draws`), the Monte Carlo `error` of the worse end as a share of the interval's length, and
        whether 1 still lies that near (`undecided`).
    """
    (j_a, k_a), (j_b, k_b) = (map(int, name.split("-")) for name in (a, b))
    before, after = scores(task, k_a), scores(task, k_b)
    shared = min(len(before), len(after)) if task in SAME_SEEDS else 0
    found = functools.partial(per_group, task, quantity)
    ratio = resampled_ratio(found, before, j_a, after, j_b, shared=shared, draws=DRAWS)
    ratio.settle(1)
    return {
        "ratio": ratio.estimate,
        "low": ratio.low,
        "high": ratio.high,
        "draws": ratio.count,
        "error": ratio.share,
        "undecided": int(ratio.undecided),
    }


def two_files(task):
    """Compare the released file with ten folds to that with five: more folds train on more items.

    Parameters
    ----------
    task : str

    Returns
    -------
    dict
        `apart`: how far the means of a setting lie apart at most, in points; `z`: the same in standard
        errors, for the setting that is farthest in these; `sd_ratio`: the SD with ten folds over that
        with five, the median of the settings; `same`: how many rows both have. Of the setting that was
        also run by all K, where it is known: its `mean_5`, `sd_5`, `mean_10` and `sd_10`, in percent.
    """
    five, ten = (100 * scores(task, k) for k in (5, 10))
    moved = ten.mean(axis=0) - five.mean(axis=0)
    error = np.sqrt(sum(rows.var(axis=0, ddof=1) / len(rows) for rows in (five, ten)))
    varies = error > 0  # a setting may give one answer whatever the partition
    known = {}
    if task in SETTING:
        (column,) = np.flatnonzero(
            np.isclose(released.moss2018_grid(task), [*SETTING[task].values()]).all(axis=1)
        )
        for k, rows in ((5, five[:, column]), (10, ten[:, column])):
            known |= {f"mean_{k}": float(rows.mean()), f"sd_{k}": float(rows.std(ddof=1))}
    return {
        "apart": float(np.abs(moved).max()),
        "z": float(np.abs(moved[varies] / error[varies]).max()),
        "sd_ratio": float(np.median(ten.std(axis=0)[varies] / five.std(axis=0)[varies])),
        "same": len({row.tobytes() for row in five} & {row.tobytes() for row in ten}),
        **known,
    }


def optimism(task, j, k):
    """Measure what choosing the best setting does to its estimate.

    Parameters
    ----------
    task : str
    j, k : int

    Returns
    -------
    dict
        Over blocks of J rows: SD of the maximum and of the setting that is best on all rows, mean of
        the maximum, and the mean over all partitions of the settings chosen (`worth`), in percent;
        `low` and `high` for the SD of the maximum by resampled partitions.
    """
    rows = scores(task, k)
    n_groups = len(rows) // j
    means = grouped(rows, j, n_groups)
    pooled = rows.mean(axis=0)
    rng = np.random.default_rng([2018, j, k, *task.encode()])
    others = [
        grouped(rows[rng.integers(len(rows), size=len(rows))], j, n_groups).max(axis=1).std(ddof=1)
        for _ in range(DRAWS)
    ]
    low, high = np.quantile(others, [0.025, 0.975])
    return {
        "groups": n_groups,
        "sd_maximum": float(100 * means.max(axis=1).std(ddof=1)),
        "low": float(100 * low),
        "high": float(100 * high),
        "sd_fixed": float(100 * means[:, pooled.argmax()].std(ddof=1)),
        "maximum": float(100 * means.max(axis=1).mean()),
        "worth": float(100 * pooled[means.argmax(axis=1)].mean()),
    }


def as_run(j, k):
    """Decode the choices of the LSTM's penalties as printed and as they were run.

    Parameters
    ----------
    j, k : int

    Returns
    -------
    dict
        SD of the chosen penalty on the input, both ways, and the share of groups that choose the `ninth`
        column, whose setting was that of the eighth. How that shows: the share of partitions on which
        the two are the `same` to the last digit, how far `apart` their means are, and the `cost` of an
        input penalty of 0.1 beside 0.001 under the other penalties on the bias, in points.
    """
    rows = 100 * scores("lstm-reg", k)
    eighth, ninth = rows[:, 7], rows[:, 8]
    evidence = {
        "same": (eighth == ninth).mean(),
        "apart": abs(eighth.mean() - ninth.mean()),
        "cost": min(rows[:, 1].mean() - rows[:, 2].mean(), rows[:, 4].mean() - rows[:, 5].mean()),
    }
    chosen = grouped(scores("lstm-reg", k), j, _n_groups("lstm-reg", j, k)).argmax(axis=1)
    sds = {
        name: released.moss2018_grid("lstm-reg", as_run=way).input.to_numpy()[chosen].std(ddof=1)
        for name, way in (("sd_printed", False), ("sd_as_run", True))
    }
    evidence["ninth"] = (chosen == 8).mean()
    return {name: float(value) for name, value in (sds | evidence).items()}


def stops(rows, tolerance, *, at_most=30, alpha=0.05):
    """Repeat a cross-validation until another shuffle would not choose anything better by much.

    Parameters
    ----------
    rows : ndarray of float, shape (n_partitions, n_settings)
        Partitions in the order in which they are run.
    tolerance : float
        A rival that is better by less does not matter.
    at_most : int, default 30
        Partitions, after which it stops in any case.
    alpha : float, default 0.05
        The probability of stopping although some rival is better by the tolerance or more; shared by
        all looks and all pairs of settings, for at each look another setting may lead.

    Returns
    -------
    j : int
        Partitions run.
    chosen : int
    settled : bool
        Whether the rule stopped, and not the limit.

    Notes
    -----
    Settings are compared on the same partitions, by paired differences and Student's t. What it
    answers is whether another shuffle *of these data* would choose otherwise, and no more.
    """
    n_settings = rows.shape[1]
    looks = range(2, at_most + 1)
    level = alpha / (len(looks) * n_settings * (n_settings - 1))
    for j in looks:
        seen = rows[:j]
        leader = int(seen.mean(axis=0).argmax())
        ahead = seen - seen[:, [leader]]  # how far each rival is ahead
        error = ahead.std(axis=0, ddof=1) / np.sqrt(j)
        upper = ahead.mean(axis=0) + stats.t.isf(level, j - 1) * error
        if (np.delete(upper, leader) < tolerance).all():
            return j, leader, True
    return at_most, leader, False


def adaptive(task, k, tolerance):
    """Compare the adaptive rule with a fixed number of repetitions, over random orders of the partitions.

    Parameters
    ----------
    task : str
    k : int
    tolerance : float
        In points of accuracy.

    Returns
    -------
    dict
        `mean_j`: repetitions run; `settled`: share of orders in which the rule stopped; `lost`: mean of
        what the choice lacks to the best setting over all partitions, in points, and `beyond` the share
        that lacks more than the tolerance; `lost_eight` and `beyond_eight` for always eight.
    """
    rows = 100 * scores(task, k)
    pooled = rows.mean(axis=0)
    rng = np.random.default_rng([2018, k, *task.encode()])
    found = []
    for _ in range(ORDERS):
        order = rng.permutation(len(rows))
        j, chosen, settled = stops(rows[order[:30]], tolerance)
        eight = rows[order[:8]].mean(axis=0).argmax()
        found.append((j, settled, pooled.max() - pooled[chosen], pooled.max() - pooled[eight]))
    j, settled, lost, lost_eight = np.array(found).T
    return {
        "mean_j": float(j.mean()),
        "settled": float(settled.mean()),
        "lost": float(lost.mean()),
        "beyond": float((lost > tolerance).mean()),
        "lost_eight": float(lost_eight.mean()),
        "beyond_eight": float((lost_eight > tolerance).mean()),
    }


# What needs no training, by table: each unit takes seconds, given the released matrices.
TABLES = {
    "computed": computed,
    "tried": tried,
    "held_out": held_out,
    "choices": choices,
    "by_folds": by_folds,
    "orderings": ordering,
    "optimism": optimism,
    "two_files": two_files,
    "exchangeable": exchangeable,
    "overlap": overlap,
    "adaptive": adaptive,
    "as_run": as_run,
}
