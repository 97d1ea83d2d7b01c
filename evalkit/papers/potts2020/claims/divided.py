"""Claims about how data are divided: fixed parts, random splits, folds, and what is set for them."""

import itertools
import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    KFold,
    ShuffleSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
    cross_val_score,
    train_test_split,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from evalkit import recorded
from evalkit.experiments.resplits import draw_lines
from evalkit.intervals import difference_interval
from evalkit.papers.judging import (
    NOT_REPLICATED,
    REPLICATED,
    TAILS,
    Finding,
    Judges,
    beyond,
    either,
    held,
)
from evalkit.papers.potts2020.claims.statistics import NAMES, by_data, count_of
from evalkit.papers.potts2020.tasks import SIZES, SPLITS, STANDARD_SEEDS, UNSTRATIFIED
from evalkit.papers.potts2020.tasks.data import STANDARD, TABLES, TEXTS, load
from evalkit.proportions import proportion_interval

JUDGES = Judges("potts2020")

SYSTEM_NAMES = {
    "naive_bayes": "naive Bayes",
    "linear": "the linear model",
    "shallow": "the shallow classifier",
}

# ---------------------------------------------------------------------------------------------
# What judges ask of splits
# ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Scale:
    """A positive statistic with its 95 % interval.

    Attributes
    ----------
    estimate, low, high : float
    """

    estimate: float
    low: float
    high: float


def scale(statistic, *samples):
    """Return an SD, or a ratio of two, with the interval over the rows of the samples.

    Parameters
    ----------
    statistic : callable
        From one array for each sample to a number that is not negative.
    *samples : array_like, shape (n_i, ...)
        Independent of each other; what belongs together is one row.

    Returns
    -------
    Scale

    Notes
    -----
    By the jackknife of the logarithm: percentiles of 50 resampled SDs hold that of a normal distribution 91
    times in 100, these ends 94 times. Scores that never vary have the interval (0, 0), and one that hangs on
    a single row from 0 to infinity.
    """
    samples = [np.asarray(sample, dtype=float) for sample in samples]
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = float(statistic(*samples))
        without = [
            np.array(
                [
                    statistic(*samples[:i], np.delete(s, row, axis=0), *samples[i + 1 :])
                    for row in range(len(s))
                ]
            )
            for i, s in enumerate(samples)
        ]
        if estimate == 0 and not any(np.any(values) for values in without):
            return Scale(0.0, 0.0, 0.0)
        variance = sum((len(values) - 1) * np.var(np.log(values)) for values in without)
    if not (np.isfinite(variance) and np.isfinite(estimate)):
        return Scale(estimate, 0.0, math.inf)
    reach = math.exp(stats.t.ppf(TAILS[1], min(map(len, samples)) - 1) * math.sqrt(variance))
    return Scale(estimate, estimate / reach, estimate * reach)


def spread(values):
    """Return the SD of some scores.

    Parameters
    ----------
    values : ndarray of float, shape (n,)

    Returns
    -------
    float
    """
    return values.std(ddof=1)


def by_split(record, data, *systems):
    """Return the accuracies of systems on the same stratified splits.

    Parameters
    ----------
    record : evalkit.papers.rows.Rows
    data : str
    *systems : str

    Returns
    -------
    pandas.DataFrame
        One row a split, one column a system, in percent.
    """
    columns = {
        name: record.table("splits", SPLITS, data=data, scheme="stratified", system=name)
        .set_index("split")
        .accuracy
        for name in systems
    }
    return 100 * pd.concat(columns, axis=1, join="inner").sort_index()


# ---------------------------------------------------------------------------------------------
# Fixed parts
# ---------------------------------------------------------------------------------------------


@JUDGES.judge("fixed-splits-need-much-data", criterion="2026-11-23")
def _much_data(record):
    few, most = {}, {}
    for (data, size), count in SIZES.items():
        table = record.table("sizes", count, data=data, size=size)
        (few if size == 300 else most)[NAMES[data]] = scale(spread, 100 * table.accuracy)
    good = [few[name].low > 2 and most[name].high < 1 for name in few]
    bad = [few[name].high < 2 or most[name].low > 1 for name in few]
    sizes = ", ".join(f"{size:,}" for _, size in SIZES if size != 300)
    return Finding(
        either(all(good), sum(bad) >= 2),
        "own run",
        f"SD of the linear model's test accuracy over splits, in points, with 300 items: {by_data(few)}; "
        f"with {sizes}: {by_data(most)}. The intervals vary the items drawn and the splits, not the corpus.",
        intervals=len(few) + len(most),
    )


def _nearest(scores):
    """Return the names of the two columns whose means lie nearest, the better one first."""
    means = scores.mean()
    pairs = itertools.combinations(scores.columns, 2)
    return sorted(
        min(pairs, key=lambda pair: abs(means[pair[0]] - means[pair[1]])), key=lambda name: -means[name]
    )


def _on_standard(record, data, better, other, differences):
    """Say where the difference on the standard split lies among those on random ones."""
    if data not in STANDARD:
        return "no standard split"
    first, second = (
        record.table(
            "splits",
            STANDARD_SEEDS if system == "shallow" else 1,
            data=data,
            scheme="standard",
            system=system,
        ).accuracy.mean()
        for system in (better, other)
    )
    standard = 100 * (first - second)
    below = int(np.sum(differences < standard - 1e-9))
    return f"{standard:+.2f} on the standard split, more than on {below} of the others"


@JUDGES.judge("one-test-set-fair-but-odd", criterion="2026-11-23")
def _odd_test_set(record):
    verdicts, lines = [], []
    for data in TEXTS:
        scores = by_split(record, data, *SYSTEM_NAMES)
        better, other = _nearest(scores)
        differences = (scores[better] - scores[other]).round(4)
        # A tie does not change the order.
        changed, ties, n = int((differences < 0).sum()), int((differences == 0).sum()), len(differences)
        low, high = proportion_interval(changed, n)
        verdicts.append(beyond(low, high, 0.05))
        lines.append(
            f"{NAMES[data]} {changed} of {n} ({100 * low:.0f} to {100 * high:.0f} %; {ties} ties), where "
            f"{SYSTEM_NAMES[better]} leads {SYSTEM_NAMES[other]} by {differences.mean():.2f} points "
            f"({_on_standard(record, data, better, other, differences)})"
        )
    return Finding(
        either(count_of(verdicts, REPLICATED) >= 3, count_of(verdicts, NOT_REPLICATED) >= 3),
        "own run",
        f"Splits on which the two systems with the nearest means change their order: {'; '.join(lines)}. "
        f"Each split has its own seed of the shallow classifier; on the standard one it is the mean of "
        f"{STANDARD_SEEDS} seeds.",
        intervals=len(verdicts),
    )


def common_over_separate(pairs):
    """Return the SD of a difference on common splits as a multiple of that on separate ones.

    Parameters
    ----------
    pairs : ndarray of float, shape (n, 2)
        The scores of two systems on the same splits.

    Returns
    -------
    float
    """
    return spread(pairs[:, 0] - pairs[:, 1]) / np.sqrt(pairs.var(axis=0, ddof=1).sum())


@JUDGES.judge("same-splits-for-all", criterion="2026-11-23")
def _same_splits(record):
    found = {
        data: scale(common_over_separate, by_split(record, data, "naive_bayes", "linear"))
        for data in ("docstrings", "sst2", "tweets", *TABLES)
    }
    return Finding(
        either(sum(x.high < 1 for x in found.values()) >= 4, sum(x.low >= 1 for x in found.values()) >= 2),
        "own run",
        f"SD of the difference of naive Bayes and the linear model on common splits over that on separate "
        f"ones: {by_data(found)}. The intervals vary the splits, which are stratified.",
        intervals=len(found),
    )


@JUDGES.judge("locked-split-for-large-data")
def _locked(record):
    size = 20_000
    table = record.table("sizes", SIZES["all_docstrings", size], data="all_docstrings", size=size)
    off = (100 * (table.tuned - table.tuned.mean())).abs().round(4)
    within, n = int((off <= 1).sum()), len(off)
    low, high = proportion_interval(within, n)
    return Finding(
        either(within / n >= 0.95, within / n < 0.9),
        "own run",
        f"With {size:,} lines the tuned linear model lies within 1 point of its mean on {within} of {n} "
        f"splits ({100 * low:.0f} to {100 * high:.0f} %), and nowhere more than {off.max():.2f} points off; "
        f"the mean is {100 * table.tuned.mean():.2f} %. The criterion asks for the share, not for its "
        f"interval.",
    )


# ---------------------------------------------------------------------------------------------
# Random splits
# ---------------------------------------------------------------------------------------------


@JUDGES.judge("stratify", criterion="2026-11-23")
def _stratify(record):
    found, off = {}, {"stratified": 0.0, "random": 0.0}
    for data in UNSTRATIFIED:
        f1 = []
        for scheme in off:
            table = record.table("splits", SPLITS, data=data, scheme=scheme, system="linear")
            f1.append(table.macro_f1)
            off[scheme] = max(off[scheme], table.off_share.max())
        found[data] = scale(lambda stratified, plain: spread(stratified) / spread(plain), *f1)
    less = sum(x.high < 1 for x in found.values())
    return Finding(
        either(off["stratified"] <= 1 and less >= 3, sum(x.low > 0.95 for x in found.values()) >= 4),
        "own run",
        f"A class is at most {off['stratified']:.1f} items off its share in stratified test parts, and up to "
        f"{off['random']:.0f} in plain ones. SD of the linear model's macro F1 over stratified splits as a "
        f"multiple of that over plain ones: {by_data(found)}. The intervals vary the splits.",
        intervals=len(found),
    )


SEEDS = 100


@JUDGES.judge("split-default-not-stratified")
def _default(record):
    labels = load("wine").labels
    items, same, counts = np.arange(len(labels)), [], []
    for seed in range(SEEDS):
        plain = train_test_split(items, random_state=seed)
        stratified = train_test_split(items, random_state=seed, stratify=labels)
        wrapped = ShuffleSplit(1, test_size=0.25, random_state=seed)
        wrapped_stratified = StratifiedShuffleSplit(1, test_size=0.25, random_state=seed)
        for parts, splitter in ((plain, wrapped), (stratified, wrapped_stratified)):
            expected = next(splitter.split(items, labels))
            same.append(all(map(np.array_equal, parts, expected)))
        counts.append(np.bincount(labels[plain[1]], minlength=labels.max() + 1))
    low, high = np.min(counts, axis=0), np.max(counts, axis=0)
    ranges = ", ".join(f"{a} to {b}" for a, b in zip(low, high, strict=True))
    return Finding(
        held(all(same) and (high - low).max() > 1),
        "own run",
        f"train_test_split gave the items of ShuffleSplit, or with stratify= of StratifiedShuffleSplit, in "
        f"{sum(same)} of {len(same)} comparisons. By default the three wines had, over {SEEDS} seeds, "
        f"{ranges} items in the test part.",
    )


def chance_of_repeat(items, tested, splits):
    """Return the chance that some two of so many random splits are the same.

    Parameters
    ----------
    items, tested, splits : int
        How many items there are, how many of them are tested, and how many splits are drawn.

    Returns
    -------
    float
    """
    possible = math.comb(items, tested)
    if splits > possible:
        return 1.0
    return -math.expm1(math.fsum(math.log1p(-drawn / possible) for drawn in range(splits)))


@JUDGES.judge("random-splits-use-items-unevenly")
def _unevenly(record):
    splits = [test for _, test in ShuffleSplit(50, test_size=0.2, random_state=0).split(np.zeros(569))]
    sizes = {len(test) for test in splits}
    times = np.bincount(np.concatenate(splits), minlength=569)
    chance = chance_of_repeat(100, 20, 1000)
    most, least = times.max(), times.min()
    return Finding(
        either(
            len(sizes) == 1 and most >= 3 * least and chance < 1e-6,
            most < 1.5 * least or chance > 1e-6,
        ),
        "own run",
        f"Over 50 splits of 569 items, all with {sorted(sizes)[0]} tested, one item was tested {most} times "
        f"and another {least} times. The chance that two of 1,000 splits of 100 items coincide is "
        f"{chance:.1g}.",
    )


# ---------------------------------------------------------------------------------------------
# Folds
# ---------------------------------------------------------------------------------------------

FOLDS = (2, 3, 5, 10)


def _labels(data):
    """Return the classes; those of the docstrings without counting their words."""
    return draw_lines().package.to_numpy() if data == "docstrings" else load(data).labels


@JUDGES.judge("kfold-uses-items-evenly")
def _evenly(record):
    good, uneven = [], 0
    for data, k in itertools.product(("docstrings", *TABLES), FOLDS):
        labels = _labels(data)
        for kind, shuffle in itertools.product((KFold, StratifiedKFold), (False, True)):
            splitter = kind(k, shuffle=shuffle, random_state=0 if shuffle else None)
            parts = list(splitter.split(labels, labels))
            trained, tested = (
                np.bincount(np.concatenate(part), minlength=len(labels)) for part in zip(*parts, strict=True)
            )
            sizes = np.ptp([len(test) for _, test in parts])
            fair = (tested == 1).all() and (trained == k - 1).all()
            good.append(fair and (kind is StratifiedKFold or sizes <= 1))
            uneven = max(uneven, sizes)
    return Finding(
        held(all(good)),
        "exact",
        f"In {sum(good)} of {len(good)} cases (KFold and StratifiedKFold, shuffled and not, K = 2, 3, 5 and "
        f"10, four data sets) every item is tested once and trained on K - 1 times, and the sizes of "
        f"KFold's folds differ by at most one. The largest difference of sizes is {uneven}.",
    )


SPLITTERS = {
    "integer": "cv=5",
    "plain": "KFold(5)",
    "shuffled": "KFold(5, shuffle=True)",
    "stratified": "StratifiedKFold(5, shuffle=True)",
}


@JUDGES.judge("pass-a-splitter")
def _splitter(record):
    apart, lines = {}, []
    for data in ("wine", "docstrings", "tweets"):
        scores = 100 * record.table("splitters", data=data)[list(SPLITTERS)].iloc[0]
        apart[data] = round(float(np.ptp(scores)), 4)
        lines.append(f"{NAMES[data]} {', '.join(f'{score:.1f}' for score in scores)}")
    asked = [apart["wine"], apart["docstrings"]]
    return Finding(
        either(min(asked) > 1, max(asked) <= 1),
        "own run",
        f"Mean accuracy of the linear model in percent, items in stored order, by "
        f"{', '.join(SPLITTERS.values())}: {'; '.join(lines)}. The tweets, which the criterion does not ask "
        f"for, stand beside it; the shuffled ones have one seed.",
    )


CLASSIFIERS = (
    LogisticRegression(),
    LinearSVC(random_state=0),
    SVC(),
    GaussianNB(),
    KNeighborsClassifier(),
    DecisionTreeClassifier(random_state=0),
    DummyClassifier(),
)


@JUDGES.judge("check-scoring")
def _scoring(record):
    row = record.table("splitters", data="docstrings").iloc[0]
    difference = round(100 * abs(row.integer - row.f1_macro), 4)
    wine, same = load("wine"), {}
    for classifier in CLASSIFIERS:
        model = make_pipeline(StandardScaler(), classifier)
        unset, accuracy = (
            cross_val_score(model, wine.features, wine.labels, cv=StratifiedKFold(5), scoring=scoring)
            for scoring in (None, "accuracy")
        )
        same[type(classifier).__name__] = np.array_equal(unset, accuracy)
    return Finding(
        either(all(same.values()) and difference > 1, not all(same.values()) or difference < 1),
        "own run",
        f"On the wine data scoring=None gave the accuracy of every fold for {sum(same.values())} of "
        f"{len(same)} classifiers ({', '.join(same)}). On the docstrings the linear model's mean accuracy "
        f"over five folds is {100 * row.integer:.1f} % and its macro F1 {100 * row.f1_macro:.1f} %.",
    )


@JUDGES.judge("groups-in-folds")
def _groups(record):
    table = recorded.load_recorded("resplits", "splits")
    table = table[table.system == "linear"]
    lines, modules = (100 * table[table.scheme == scheme].accuracy for scheme in ("stratified", "grouped"))
    low, high = difference_interval(lines, modules, paired=False, rng=2020)
    return Finding(
        beyond(low, high, 1),
        "own run",
        f"Accuracy of the linear model on {len(lines)} splits by lines minus that on {len(modules)} by "
        f"whole modules: {lines.mean() - modules.mean():.2f} points ({low:.2f} to {high:.2f}); both are "
        f"stratified. The interval varies the splits, of the same 4,000 docstrings and their modules.",
        intervals=1,
    )
