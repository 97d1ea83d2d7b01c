"""Searches for settings: by what to choose, on which data, and what the choice is worth elsewhere."""

from dataclasses import dataclass

import numpy as np
from scipy import stats

from evalkit import recorded
from evalkit.experiments import grids
from evalkit.papers.judging import REPLICATED, Finding, Judges, Resampled, either
from evalkit.papers.potts2020.claims.statistics import NAMES, by_data, mean, words
from evalkit.papers.potts2020.tasks.tuned import (
    GRID_SAMPLES,
    GRID_SPLITS,
    MODULE_SPLITS,
    SETTINGS_DATA,
    SETTINGS_SPLITS,
    WIDE,
)
from evalkit.recorded import unpack

JUDGES = Judges("potts2020")

SVM, SHALLOW = "SVM", "shallow classifier"
# So that the SD of what other settings would give is known to 1 %.
DRAWS = 10_000
SAME_ITEMS = "t over samples; they share the held-out items, whose luck is not in the interval"


# ---------------------------------------------------------------------------------------------
# Intervals of few groups
# ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Interval:
    """A mean and its 95 % interval.

    Attributes
    ----------
    estimate, low, high : float
    drawn : tuple of Resampled
        What a part of the error was found by.
    """

    estimate: float
    low: float
    high: float
    drawn: tuple = ()


def interval(values, searched=None):
    """Return the mean of values with an interval over their rows, their columns and what was searched.

    Parameters
    ----------
    values : array_like of float, shape (rows,) or (rows, columns)
        Rows, such as samples or splits, and columns are drawn on their own.
    searched : Resampled, optional
        The mean among other settings that might have been drawn for the search.

    Returns
    -------
    Interval
        t with Welch and Satterthwaite's degrees of freedom. The errors of rows, columns and settings are
        added up, so that what two of them do together counts twice: too wide rather than too narrow.
    """
    values = np.asarray(values, dtype=float)
    parts = [
        (means.var(ddof=1) / len(means), len(means) - 1)
        for means in ([values] if values.ndim == 1 else [values.mean(axis=1), values.mean(axis=0)])
    ]
    if searched is not None:
        parts.append((searched.values.var(), WIDE - 1))
    variance, freedom = np.array(parts).T
    reach = 0.0
    if variance.any():
        reach = stats.t.ppf(0.975, variance.sum() ** 2 / (variance**2 / freedom).sum())
        reach *= np.sqrt(variance.sum())
    estimate = float(values.mean())
    return Interval(estimate, estimate - reach, estimate + reach, () if searched is None else (searched,))


def _draws(found):
    return tuple(drawn for x in found.values() for drawn in x.drawn)


# ---------------------------------------------------------------------------------------------
# The grid of support vector machines
# ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Grid:
    """A grid on every split of one sample.

    Attributes
    ----------
    train, folds, dev : ndarray of float, shape (splits, settings)
        How many answers are right, as `tasks.tuned.grid` records them.
    held_out : ndarray of float, shape (splits, settings)
        In percent.
    """

    train: np.ndarray
    folds: np.ndarray
    dev: np.ndarray
    held_out: np.ndarray

    def worth(self, by):
        """Return what the choice of each split is worth there.

        Parameters
        ----------
        by : {"train", "folds", "dev"}
            Which answers choose; the first of equal settings is taken.

        Returns
        -------
        ndarray of float, shape (splits,)
        """
        return np.diag(self.held_out[:, getattr(self, by).argmax(axis=1)])

    @property
    def loss(self):
        """What the settings of the other splits lose on average, split by split."""
        moved = self.held_out[:, self.folds.argmax(axis=1)]  # by where it is used, then where it was chosen
        own, n = np.diag(moved), len(moved)
        return own - (moved.sum(axis=1) - own) / (n - 1)


def samples(record, task, scheme="items"):
    """Return the grid on each sample of a task.

    Parameters
    ----------
    record : evalkit.papers.rows.Rows
    task : {"docstrings", "digits", "sst2"}
    scheme : {"items", "modules"}, default "items"

    Returns
    -------
    list of Grid
    """
    n_splits = GRID_SPLITS if scheme == "items" else MODULE_SPLITS
    table = record.table("grid", GRID_SAMPLES[task] * n_splits, task=task, scheme=scheme)
    found = []
    for _, rows in table.sort_values(["sample", "split"]).groupby("sample"):
        counts = {name: np.array([unpack(c) for c in rows[name]]) for name in Grid.__annotations__}
        share = 100 / rows.n_held_out.to_numpy()[:, None]
        found.append(Grid(**{**counts, "held_out": counts["held_out"] * share}))
    return found


def _over_samples(record, statistic, tasks=tuple(GRID_SAMPLES), scheme="items"):
    """Return a statistic of the splits, its mean over those of a sample, with the interval over samples."""
    return {task: interval([np.mean(statistic(g)) for g in samples(record, task, scheme)]) for task in tasks}


def _sizes(tasks):
    return ", ".join(f"{GRID_SAMPLES[task]} of {NAMES[task]}" for task in tasks)


# ---------------------------------------------------------------------------------------------
# Random settings of the shallow classifier
# ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Tried:
    """The same random settings on every split of a corpus.

    Attributes
    ----------
    train, dev : ndarray of float, shape (splits, settings)
        Training accuracy and macro F1 on the dev part.
    halves : ndarray of float, shape (2, splits, settings)
        Accuracy on either half of the test part, in percent.
    """

    train: np.ndarray
    dev: np.ndarray
    halves: np.ndarray

    @property
    def test(self):
        """Accuracy on the whole test part, whose halves are equally large."""
        return self.halves.mean(axis=0)


def tried(record, data):
    """Return the random settings, all hyperparameters searched, on the splits of a corpus.

    Parameters
    ----------
    record : evalkit.papers.rows.Rows
    data : {"docstrings", "sst2", "tweets"}

    Returns
    -------
    Tried
    """
    table = record.table("settings", WIDE * SETTINGS_SPLITS, data=data, space="wide")
    train, dev, *halves = (
        table.pivot_table(index="split", columns="number", values=name).to_numpy()
        for name in ("train_accuracy", "dev", "first", "second")
    )
    return Tried(train, dev, 100 * np.array(halves))


def chosen(scores, among):
    """Return the best setting of each split; of equal ones the one that was drawn first.

    Parameters
    ----------
    scores : ndarray of float, shape (splits, settings)
    among : ndarray of int
        The settings that a search tries, in order.

    Returns
    -------
    ndarray of int, shape (splits,)
    """
    return among[scores[:, among].argmax(axis=1)]


def _at(scores, settings):
    """Return the score of one setting for each split."""
    return np.take_along_axis(scores, settings[:, None], axis=1)[:, 0]


def _over_settings(statistic):
    """Return a statistic of searches, split by split, with the interval over splits and settings.

    Parameters
    ----------
    statistic : callable
        From the settings that are searched to an array, as `interval` takes it.
    """
    settings = np.arange(WIDE)
    among_others = Resampled(lambda drawn: statistic(np.sort(drawn)).mean(), settings, draws=DRAWS)
    return interval(statistic(settings), among_others)


# ---------------------------------------------------------------------------------------------
# The judges
# ---------------------------------------------------------------------------------------------


@JUDGES.judge("choose-on-train-or-dev", criterion="2026-11-23")
def _train_or_dev(record):
    found = {
        f"{SVM}, {NAMES[task]}": loss
        for task, loss in _over_samples(record, lambda g: g.worth("folds") - g.worth("train")).items()
    }
    for data in SETTINGS_DATA:
        runs = tried(record, data)

        def loss(among, runs=runs):
            by_dev, by_train = (_at(runs.test, chosen(x, among)) for x in (runs.dev, runs.train))
            return by_dev - by_train

        found[f"{SHALLOW}, {NAMES[data]}"] = _over_settings(loss)
    within = [x.low > -1 and x.high < 1 for x in found.values()]
    return Finding(
        either(all(within), any(x.low > 1 for x in found.values())),
        "own run",
        "What the setting with the best training score loses on other items, in points, against the one "
        f"chosen by cross-validation (SVM) or on the dev part: {by_data(found)}. t over samples, each the "
        f"mean of its splits, or over {SETTINGS_SPLITS} splits and {WIDE} settings. The samples share their "
        "held-out items, and every network is taken at the epoch that is best on the dev part.",
        _draws(found),
        intervals=len(found),
    )


@JUDGES.judge("ideal-regime", criterion="2026-11-23")
def _ideal(record):
    found = _over_samples(record, lambda g: g.worth("folds") - g.worth("dev"))
    above = sum(x.low > 0 for x in found.values())
    below = sum(x.high < 0 for x in found.values())
    none = sum(x.high < 0 or (x.low >= -0.1 and x.high <= 0.1) for x in found.values())
    return Finding(
        either(above >= 2 and not below, none >= 2),
        "own run",
        "Held-out accuracy of the setting chosen by 5-fold cross-validation minus that of the one chosen on "
        f"one fifth of the same training part, in points: {by_data(found)}. Samples: {_sizes(found)} "
        f"({SAME_ITEMS}).",
        intervals=len(found),
    )


@JUDGES.judge("optimum-differs-by-split", criterion="2026-11-23")
def _optimum_differs(record):
    found = _over_samples(record, lambda g: g.loss)
    differ, lines = {}, []
    for task in found:
        by_sample = [g.folds for g in samples(record, task)]
        differ[task] = np.mean([len(set(folds.argmax(axis=1))) > 1 for folds in by_sample])
        # Of equals the first is chosen; a setting may yet be among the best of every split.
        never = sum(not (f == f.max(axis=1, keepdims=True)).all(axis=0).any() for f in by_sample)
        lines.append(
            f"{NAMES[task]} {differ[task]:.0%} of samples (none is among the best of all splits in "
            f"{never / len(by_sample):.0%})"
        )
    gains = sum(x.low > 0 for x in found.values())
    return Finding(
        either(
            all(share > 0.5 for share in differ.values()) and gains >= 2,
            sum(share < 0.5 for share in differ.values()) >= 2,
        ),
        "own run",
        f"Over {GRID_SPLITS} splits different settings are chosen in: {'; '.join(lines)}. Choosing for each "
        f"split gains, in points on held-out items, against the setting of another split: {by_data(found)}. "
        f"Samples: {_sizes(found)} ({SAME_ITEMS}).",
        intervals=len(found),
    )


@JUDGES.judge("one-split-settings", criterion="2026-11-23")
def _one_split(record):
    found = _over_samples(record, lambda g: g.loss, ("docstrings", "sst2"))
    modules = _over_samples(record, lambda g: g.loss, ("docstrings",), "modules")["docstrings"]
    return Finding(
        either(all(x.high < 0.5 for x in found.values()), any(x.low > 0.5 for x in found.values())),
        "own run",
        "What the setting of another random split loses against a search for each, in points on held-out "
        f"items: {by_data(found)}. Where whole modules are held out, docstrings: {words(modules)}. Samples: "
        f"{_sizes(found)} ({SAME_ITEMS}).",
        intervals=len(found),
    )


def _borrowed_by_svm(source, target):
    """Return the loss by the partition of the target that chooses, then by that of the source."""
    theirs, _ = grids.recorded_scores(source)
    ours, truth = grids.recorded_scores(target)
    return 100 * (truth[ours.argmax(axis=1)][:, None] - truth[theirs.argmax(axis=1)])


@JUDGES.judge("borrowed-settings", criterion="2026-11-23")
def _borrowed(record):
    runs = {data: tried(record, data) for data in SETTINGS_DATA}
    found = {}
    for source in SETTINGS_DATA:
        for target in SETTINGS_DATA:
            if source != target:

                def loss(among, theirs=runs[source], ours=runs[target]):
                    own = _at(ours.test, chosen(ours.dev, among))
                    return own[:, None] - ours.test[:, chosen(theirs.dev, among)]

                found[f"{NAMES[source]} to {NAMES[target]}"] = _over_settings(loss)
    found["packages to scipy's parts"] = interval(_borrowed_by_svm("docstrings", "scipy"))
    found["scipy's parts to packages"] = interval(_borrowed_by_svm("scipy", "docstrings"))
    above, below = (sum(f(x) for x in found.values()) for f in (lambda x: x.low > 1, lambda x: x.high < 1))
    return Finding(
        either(above >= len(found) / 2, below > len(found) / 2),
        "own run",
        f"What a setting tuned elsewhere loses, in points on test items: {by_data(found)}. The interval lies "
        f"above 1 in {above} and below 1 in {below} of {len(found)}. t over the splits of both corpora and "
        f"{WIDE} settings, of the last two (SVM) over the partitions of one sample of each, on the same "
        "held-out items.",
        _draws(found),
        intervals=len(found),
    )


@JUDGES.judge("test-set-untouched", criterion="2026-11-23")
def _untouched(record):
    peeked, blind = {}, {}
    for data in SETTINGS_DATA:
        runs = tried(record, data)

        def surplus(among, halves=runs.halves):
            there = [chosen(half, among) for half in halves]
            ahead = halves[0] - halves[1]
            return (_at(ahead, there[0]) - _at(ahead, there[1])) / 2

        def by_dev(among, runs=runs):
            return _at(runs.halves[0] - runs.halves[1], chosen(runs.dev, among))

        peeked[data], blind[data] = _over_settings(surplus), _over_settings(by_dev)
    sure = sum(x.estimate > 0.5 and x.low > 0 for x in peeked.values())
    none = all(x.low <= 0 <= x.high for x in blind.values())
    return Finding(
        either(sure >= 2 and none, sum(x.high < 0.5 for x in peeked.values()) >= 2),
        "own run",
        "Accuracy of the setting that is best on one half of the test items, there minus on the other half, "
        f"in points: {by_data(peeked)}. Of the one chosen on the dev part, first half minus second: "
        f"{by_data(blind)}. t over {SETTINGS_SPLITS} splits, each with halves of its own, and {WIDE} "
        "settings.",
        _draws(peeked) + _draws(blind),
        intervals=len(peeked) + len(blind),
    )


@JUDGES.judge("cross-validation-simulates-lock")
def _simulates_lock(record):
    table = recorded.load_recorded("grids", "nested").sort_values("sample")
    table = 100 * table[["plain", "nested", "truth"]]
    off = mean(table.nested - table.truth)
    surplus = mean(table.plain - table.nested)
    off.settle(-1, 1)
    verdict = surplus.beyond(0)
    return Finding(
        either(off.low > -1 and off.high < 1 and verdict == REPLICATED, off.low > 1 or off.high < -1),
        "own run",
        f"{len(table)} samples of docstrings, {grids.NESTED_PER_CLASS} of each package, in points: the "
        f"nested estimate minus the truth {words(off)}, the best score of the plain search minus the nested "
        f"estimate {words(surplus)}. The interval is over samples, whose truths share most held-out items.",
        (off, surplus),
    )
