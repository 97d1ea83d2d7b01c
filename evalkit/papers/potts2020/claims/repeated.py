"""Claims about small data: cross-validation, the number of folds, and a test over splits."""

import functools

import numpy as np
from sklearn.model_selection import KFold, LeaveOneOut

from evalkit.papers.judging import Finding, Jackknifed, Judges, Resampled, Trials, either
from evalkit.papers.potts2020.claims.divided import scale, spread
from evalkit.papers.potts2020.claims.statistics import NAMES, by_data, words
from evalkit.papers.potts2020.tasks import FOLD_DATA, FOLDED, SAMPLES, TESTED, divided, simulated
from evalkit.proportions import proportion_interval
from evalkit.recorded import unpack
from evalkit.significance import corrected_t, wilcoxon

JUDGES = Judges("potts2020")

PARTITIONS = 20
LEVEL = 0.05

# ---------------------------------------------------------------------------------------------
# Estimates on small data
# ---------------------------------------------------------------------------------------------


@JUDGES.judge("small-data-vary", criterion="2026-11-23")
def _small_vary(record):
    sds, shares, sizes = {}, {}, []
    for data in ("docstrings", "sst2"):
        table = record.table("small", SAMPLES, data=data)
        sds[data] = scale(spread, 100 * table.few)
        shares[data] = scale(lambda drawn: np.divide(*drawn.var(axis=0, ddof=1)), table[["many", "few"]])
        sizes.append(f"{table.n_many.max():,}")
    good = [sds[data].low > 2 and shares[data].low >= 0.5 for data in sds]
    return Finding(
        either(all(good), any(x.high < 0.5 for x in shares.values())),
        "own run",
        f"SD of accuracy over samples of {divided.SMALL} training items, each scored on {divided.SMALL} "
        f"others, in points: {by_data(sds)}. On {' and '.join(sizes)} others this share of the variance "
        f"remains: {by_data(shares)}. The intervals vary the samples, of these corpora.",
        intervals=len(sds) + len(shares),
    )


def rmse(errors):
    """Return the root of the mean square of each column.

    Parameters
    ----------
    errors : array_like of float, shape (n, m)

    Returns
    -------
    ndarray of float, shape (m,)
    """
    return np.sqrt(np.mean(np.square(errors), axis=0))


def _errors(table, *estimates):
    """Return how far estimates are off what is true, in points, one row a sample."""
    return 100 * (table[list(estimates)].to_numpy() - table[["truth"]].to_numpy())


def _rmse_difference(errors):
    """Return the RMSE of the second column minus that of the first, t interval over rows."""
    return Jackknifed(lambda rows: -np.subtract(*rmse(rows)), list(errors))


@JUDGES.judge("cross-validation-averages", criterion="2026-11-23")
def _averages(record):
    differences, ratios = {}, {}
    for data in ("docstrings", "digits", "sst2", "tweets"):
        errors = _errors(record.table("estimated", SAMPLES, data=data), "one_split", "five_folds")
        differences[data] = _rmse_difference(errors)
        ratios[data] = scale(lambda drawn: np.divide(*rmse(drawn)[::-1]), errors)
    smaller = sum(x.high < 0 for x in differences.values())
    no_gain = sum(differences[data].estimate >= 0 and ratios[data].low > 0.9 for data in ratios)
    return Finding(
        either(smaller >= 3, no_gain >= 2),
        "own run",
        f"Root mean squared error of 5-fold cross-validation minus that of one split, in points: "
        f"{by_data(differences)}; as a multiple of it: {by_data(ratios)}. The intervals vary the samples of "
        f"{divided.SAMPLE} items, which are drawn from the same corpus and overlap.",
        intervals=len(differences) + len(ratios),
    )


@JUDGES.judge("leave-one-out-for-tiny-data")
def _leave_one_out(record):
    differences, lines = {}, []
    for data in ("docstrings", "digits"):
        for size in divided.TINY:
            table = record.table("tiny", SAMPLES, data=data, size=size)
            differences[data, size] = _rmse_difference(_errors(table, "five_folds", "leave_one_out"))
            lines.append(
                f"{NAMES[data]}, {size}: {words(differences[data, size])}, model "
                f"{100 * table.truth.mean():.1f} %, dummy {100 * table.dummy.mean():.1f} %"
            )
    same = all(
        np.array_equal(one[1], fold[1])
        for size in divided.TINY
        for one, fold in zip(
            LeaveOneOut().split(np.zeros(size)), KFold(size).split(np.zeros(size)), strict=True
        )
    )
    smaller = all(x.high < 0 for x in differences.values())
    larger = any(
        all(differences[data, size].low > 0 for size in divided.TINY) for data in ("docstrings", "digits")
    )
    return Finding(
        either(same and smaller, larger),
        "own run",
        f"Root mean squared error of leave-one-out minus that of stratified 5-fold, in points, over "
        f"samples, and what is right on other items: {'; '.join(lines)}. LeaveOneOut "
        f"{'makes' if same else 'does not make'} the folds of KFold with as many folds as items.",
        intervals=len(differences),
    )


# ---------------------------------------------------------------------------------------------
# How many folds
# ---------------------------------------------------------------------------------------------


@JUDGES.judge("k-sets-the-scenario", criterion="2026-11-23")
def _scenario(record):
    found = {}
    for data, size in FOLD_DATA:
        three, ten = (
            100 * record.table("folds", PARTITIONS, data=data, size=size, k=k).set_index("partition").accuracy
            for k in (3, 10)
        )
        # A partition's number is its seed for either K: they belong together.
        name = f"{NAMES[data]} ({size})" if size else NAMES[data]
        found[name] = Jackknifed(np.mean, list((ten - three).dropna()))
    return Finding(
        either(sum(x.low > 1 for x in found.values()) >= 3, sum(x.high < 1 for x in found.values()) >= 6),
        "own run",
        f"Mean accuracy of the linear model with 10 folds minus that with 3, in points: {by_data(found)}. "
        f"The intervals vary the partition, of the same items.",
        intervals=len(found),
    )


def _verdict(differences):
    """Return who wins by the signed-rank test at 5 %: 1, -1, or 0 for nobody."""
    significant = wilcoxon(differences, np.zeros(len(differences))).pvalue <= LEVEL
    return np.sign(differences.mean()) if significant else 0


@JUDGES.judge("k-changes-tests")
def _k_changes(record):
    table = record.table("over_folds", FOLDED)
    three, ten = (
        np.array([_verdict(unpack(cell)) for cell in table[f"folds_{k}"]]) for k, _ in divided.FOLDINGS
    )
    differ, n = int(np.sum(three != ten)), len(three)
    low, high = proportion_interval(differ, n)
    return Finding(
        either(differ / n > 0.1, differ / n < 0.05 and high < 0.1),
        "own run",
        f"On {differ} of {n} samples ({100 * low:.0f} to {100 * high:.0f} %) the signed-rank test over the "
        f"scores of 30 fits says something else with ten partitions into 3 folds than with three into 10; "
        f"it tells the systems apart on {int(np.sum(three != 0))} and {int(np.sum(ten != 0))}. The "
        f"criterion confirms by the share itself.",
        intervals=1,
    )


# ---------------------------------------------------------------------------------------------
# A test over splits
# ---------------------------------------------------------------------------------------------

NUMBERS = (10, 20)
# Where the differences are centred, in standard errors from their mean: a drawn set has another mean.
CENTRES = np.arange(-2, 3)


@functools.lru_cache(maxsize=4)
def _alarms(record, data):
    """Centre differences over splits, and test them for every sample.

    Parameters
    ----------
    record : evalkit.papers.rows.Rows
    data : str

    Returns
    -------
    means : ndarray of float, shape (samples,)
        Of the differences, linear model minus naive Bayes, in items of a test part.
    centres : ndarray of float, shape (centres,)
    alarms : dict of int to ndarray of float, shape (samples, centres)
        For 10 and 20 splits, 1 where the signed-rank test rejects.
    corrected : dict of int to float
        The share of samples that the corrected t test rejects, centred by the mean.
    """
    table = record.table("over_splits", TESTED[data], data=data)
    tested = round(divided.TEST_SHARE * divided.TESTED)
    linear, bayes = (np.array([unpack(cell) for cell in table[name]]) for name in ("linear", "naive_bayes"))
    # Whole items: equal differences are equal, whatever six digits of an accuracy make of them.
    differences = np.round(tested * (linear - bayes))
    means = differences.mean(axis=1)
    centres = means.mean() + CENTRES * spread(means) / np.sqrt(len(means))
    alarms, corrected = {}, {}
    for n in NUMBERS:
        zeros, drawn = np.zeros(n), differences[:, :n]
        rejected = [[wilcoxon(row, zeros).pvalue <= LEVEL for row in drawn - centre] for centre in centres]
        alarms[n] = np.array(rejected, dtype=float).T
        sizes = {"n_train": divided.TESTED - tested, "n_test": tested}
        # Where nothing varies the test has no answer, and raises no alarm.
        corrected[n] = np.mean(
            [
                np.ptp(row) > 0 and corrected_t(row, zeros, **sizes).pvalue <= LEVEL
                for row in drawn - means.mean()
            ]
        )
    return means, centres, alarms, corrected


def _over_samples(means, centres, alarms):
    """Return the mean of alarms in percent, resampled over samples and centred anew each time."""

    def share(drawn):
        return 100 * alarms[drawn, np.abs(centres - means[drawn].mean()).argmin()].mean()

    return Resampled(share, np.arange(len(means)))


@JUDGES.judge("wilcoxon-valid-over-splits", criterion="2026-11-23")
def _valid(record):
    rates, beside = {}, []
    for data in TESTED:
        means, centres, alarms, corrected = _alarms(record, data)
        for n in NUMBERS:
            name = f"{NAMES[data]}, {n} splits"
            rates[name] = _over_samples(means, centres, alarms[n])
            rates[name].settle(7.5)
            beside.append(f"{100 * corrected[n]:.1f}")
    return Finding(
        either(all(x.high <= 7.5 for x in rates.values()), any(x.low > 7.5 for x in rates.values())),
        "own run",
        f"Between systems whose difference is centred at 0 the signed-rank test at 5 % rejects in percent "
        f"of samples: {by_data(rates, 1)}. The corrected resampled t test rejects {', '.join(beside)}. The "
        f"intervals vary the samples of {divided.TESTED} items, and the centre with them.",
        tuple(rates.values()),
    )


@JUDGES.judge("ten-better-twenty")
def _ten_or_twenty(record):
    rows = {
        law: [record.table("rejections", law=law, n=n, shift=1.0).iloc[0] for n in NUMBERS]
        for law in simulated.LAWS
    }
    trials = [
        Trials(int(row.draws), int(row.wilcoxon), (least,))
        for row, least in zip(rows["normal"], (0.8, 0.95), strict=True)
    ]
    ten, twenty = (proportion_interval(trial.cases, trial.count) for trial in trials)
    rise = {}
    for data in TESTED:
        means, centres, alarms, _ = _alarms(record, data)
        rise[data] = _over_samples(means, centres, alarms[20] - alarms[10])
        rise[data].settle(0)
    enough = ten.low >= 0.8 and twenty.low >= 0.95
    rises = all(x.low > 0 for x in rise.values())
    power = "; ".join(
        f"{law.replace('_', ' ')} {' and '.join(f'{100 * row.wilcoxon / row.draws:.1f}' for row in pair)}"
        for law, pair in rows.items()
    )
    return Finding(
        either(enough and all(x.estimate <= 0 for x in rise.values()), ten.high < 0.8 or rises),
        "own run",
        f"Power in percent at a difference of one SD with 10 and 20 independent pairs: {power}; the normal "
        f"law decides. Over splits of one sample false alarms change from 10 to 20 splits by, in points: "
        f"{by_data(rise, 1)}. The intervals vary the samples, and the centre with them.",
        (*trials, *rise.values()),
    )
