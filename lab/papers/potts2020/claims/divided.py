"""Claims about how data are divided, what a score says alone, and what is estimated
over splits.
"""

import functools
import itertools

import numpy as np
from scipy import stats
from sklearn.metrics import f1_score

from evalkit.intervals import t_interval
from evalkit.significance import corrected_t, wilcoxon
from lab.data import datasets
from lab.papers.judging import AtOnce, Evidence, Judges, Quantity, pooled
from lab.papers.potts2020.claims.common import (
    NAMES,
    exactly,
    kth,
    listed,
    ratio,
    sd,
)
from lab.papers.potts2020.tasks import SPLITS, TESTED, UNSTRATIFIED, divided
from lab.record import tables
from lab.record.tables import unpack

JUDGES = Judges("potts2020")

# --------------------------------------------------------------------------------------
# Stratified splits
# --------------------------------------------------------------------------------------

SCHEMES = ("stratified", "random")


def _sds(stratified, plain):
    return sd(stratified) / sd(plain)


def _middle_halves(stratified, plain):
    return stats.iqr(stratified, axis=-1) / stats.iqr(plain, axis=-1)


@JUDGES.judge("stratify")
def _stratify(record):
    tables = {
        (data, scheme): record.table(
            "splits", SPLITS, data=data, scheme=scheme, system="linear"
        )
        for data in UNSTRATIFIED
        for scheme in SCHEMES
    }

    def of(statistic=_sds, interval=ratio, score="macro_f1"):
        quantities = {
            d: interval(statistic, *(tables[d, s][score].to_numpy() for s in SCHEMES))
            for d in UNSTRATIFIED
        }
        # The tables and the docstrings.
        first = dict(itertools.islice(quantities.items(), 4))
        return quantities, {
            "ratio of SDs, all six": pooled(quantities),
            "second smallest of the first four": kth(first, 2),
            "third largest of the first four": kth(first, 3, from_above=True),
        }

    quantities, ends = of()
    off, plain = (
        max(tables[data, scheme].off_share.max() for data in UNSTRATIFIED)
        for scheme in SCHEMES
    )
    return Evidence(
        "own run",
        "SD over stratified splits, over plain ones:"
        f" {ends['ratio of SDs, all six']:.2f}. The course promises like shares, not a"
        " smaller SD; these it has, within"
        f" {off:.1f} items (plain splits: {plain:.0f}).",
        {**ends, **exactly({"items off the share": off})},
        {
            "each of the six": {f"on {NAMES[d]}": x for d, x in quantities.items()},
            "a fall of 5 % at least": {},
            "accuracy": of(score="accuracy")[1],
            "range of the middle half of the splits": of(_middle_halves, AtOnce)[1],
            "percentiles of resampled splits": of(interval=AtOnce)[1],
        },
    )


# --------------------------------------------------------------------------------------
# What a score says alone
# --------------------------------------------------------------------------------------


@JUDGES.judge("numbers-need-context")
def _context(record):
    table = tables.load_recorded("nine_datasets", "scores")
    scores = table.pivot_table(index="dataset", columns="system", values="accuracy")
    commonest = scores.pop("dummy")
    # Where whole modules change sides, a guess among all classes may beat the commonest
    # class.
    dummy = np.maximum(commonest, 1 / table.groupby("dataset").classes.first())
    labels = datasets.load_bundled("digits")[1]
    best, digits = scores.max(axis=1), labels.value_counts(normalize=True)
    digits_are = labels == digits.idxmin()
    gain = best - dummy
    easy = 1 - digits.min()
    of_easy = f1_score(digits_are, [False] * len(digits_are), average="macro")

    def asked(score, dummy, below=0.7):
        gain = score - dummy
        return {
            "gain of a hard task": Quantity.exact(gain[score < below].max()),
            "rank correlation": _rank_correlation(score, gain),
        }

    quantities = {"score of an easy task": Quantity.exact(easy)} | asked(best, dummy)
    return Evidence(
        "own run",
        f"On whether a digit is {digits.idxmin()} a dummy reaches {easy:.3f} (accuracy;"
        f" its macro F1 is {of_easy:.2f}); on {np.sum((best < 0.7) & (gain > 0.2))} of"
        f" the book's nine data sets the best of {scores.shape[1]} systems stays below"
        " 0.7 and beats the dummy by more than 0.2. Rank correlation of score and gain"
        f" {quantities['rank correlation']:.2f}. What humans score is not known: nobody"
        " labelled these data.",
        quantities,
        {
            "the linear model in place of the best": asked(scores.linear, dummy),
            "the commonest class in place of the best guess": asked(best, commonest),
            "the course's own numbers, 0.95 and 0.60": asked(best, dummy, 0.6),
            "a gain of 0.3, not 0.2": {},
            "a rank correlation below a half": {},
        },
    )


def _rank_correlation(one, other):
    """Return Spearman's correlation, with the interval of Bonett and Wright (2000)."""
    rho = stats.spearmanr(one, other).statistic
    reach = stats.norm.ppf(0.975) * np.sqrt((1 + rho**2 / 2) / (len(one) - 3))
    with np.errstate(divide="ignore"):  # of 1 the logarithm is infinite
        ends = np.tanh(np.arctanh(rho) + reach * np.array([-1, 1]))
    return Quantity(float(rho), *map(float, ends))


# --------------------------------------------------------------------------------------
# Tests and estimates
# --------------------------------------------------------------------------------------

NUMBERS = (10, 20)
# Where the differences are centred, in standard errors from their mean: a drawn set has
# another mean.
CENTRES, ONCE = np.arange(-2, 3), np.zeros(1)
TEST_LINES = round(divided.TEST_SHARE * divided.TESTED)


def _signed_rank(row, method="exact"):
    # The test knows of the differences their signs and the order of their sizes.
    sizes = np.unique(np.append(0, np.abs(row).round(9)), return_inverse=True)[1][1:]
    return _of_ranks(tuple(np.sort(np.sign(row) * sizes).tolist()), method)


@functools.cache
def _of_ranks(signed, method):
    return wilcoxon(signed, np.zeros(len(signed)), method=method).pvalue


def _corrected(row):
    # Where nothing varies the test has no answer, and raises no alarm.
    sizes = {"n_train": divided.TESTED - TEST_LINES, "n_test": TEST_LINES}
    return corrected_t(row, 0 * row, **sizes).pvalue if np.ptp(row) else 1.0


def _alarms(record, pvalue=_signed_rank, level=0.05, centres=ONCE):
    """Return in what percentage of samples a test over splits rejects, differences
    centred at 0.
    """
    quantities = {}
    for data, n in itertools.product(TESTED, NUMBERS):
        table = record.table("over_splits", TESTED[data], data=data)
        scores = [
            np.array([unpack(cell) for cell in table[name]])
            for name in ("linear", "naive_bayes")
        ]
        # Whole items: equal differences are equal, whatever six digits of an accuracy
        # make of them.
        differences = np.round(TEST_LINES * np.subtract(*scores))
        means = differences.mean(axis=1)
        at = means.mean() + centres * sd(means) / np.sqrt(len(means))
        drawn = differences[:, :n]
        rejected = np.array(
            [
                [100.0 * (pvalue(row) <= level) for row in drawn - centre]
                for centre in at
            ]
        )

        def share(samples, rejected=rejected, means=means, at=at):
            middles = means[samples].mean(axis=1)
            nearest = np.abs(at - middles[:, None]).argmin(axis=1)
            return rejected[nearest[:, None], samples].mean(axis=1)

        quantities[f"{NAMES[data]}, {n} splits"] = AtOnce(share, np.arange(len(means)))
    return quantities


@JUDGES.judge("wilcoxon-valid-over-splits")
def _valid(record):
    rates = _alarms(record, centres=CENTRES)
    beside = ", ".join(
        f"{rate.estimate:.1f}" for rate in _alarms(record, _corrected).values()
    )
    return Evidence(
        "own run",
        lambda: (
            "Between systems whose difference is centred at 0 the signed-rank test at"
            f" 5 % rejects in percent of samples: {listed(rates, '.1f')}. The corrected"
            f" resampled t test rejects {beside}. Intervals over the samples of"
            f" {divided.TESTED} items, and the centre with them."
        ),
        rates,
        {
            "the normal approximation": _alarms(
                record, functools.partial(_signed_rank, method="approx")
            ),
            "centred once and for all": _alarms(record),
            "the test at 1 %, against 1.5 %": _alarms(record, level=0.01),
        },
    )


@JUDGES.judge("cross-validation-simulates-lock")
def _simulates_lock(record):
    table = (
        100 * tables.load_recorded("grids", "nested").set_index("sample").sort_index()
    )
    off, surplus = (
        (table.nested - table.truth).to_numpy(),
        (table.plain - table.nested).to_numpy(),
    )

    def of(rows=slice(None), interval=lambda x: AtOnce(lambda d: d.mean(axis=1), x)):
        return {
            "nested minus truth": interval(off[rows]),
            "plain minus nested": interval(surplus[rows]),
        }

    quantities = of()
    return Evidence(
        "own run",
        lambda: (
            f"{len(table)} samples of docstrings, 15 of each package, in points:"
            f" {listed(quantities)} (nested estimate, truth, best score of the plain"
            " search). Intervals over samples; truths share most items."
        ),
        quantities,
        {
            "the t interval": of(
                interval=lambda values: Quantity.from_interval(
                    values.mean(), t_interval(values)
                )
            ),
            "every other sample": of(slice(0, None, 2)),
            "the samples between": of(slice(1, None, 2)),
            "1.5 points in place of 1": {},
            "2 points": {},
            "3 points": {},
        },
    )
