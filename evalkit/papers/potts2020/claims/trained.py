"""Claims about convergence, scores on the way, early stopping and learning curves."""

import itertools

import numpy as np
from scipy import stats

from evalkit.intervals import t_interval
from evalkit.papers.judging import SMALLER, Finding, Jackknifed, Judges, Resampled, either, held
from evalkit.papers.potts2020.claims.statistics import NAMES, by_data, mean, words
from evalkit.papers.potts2020.tasks import trained, tuned
from evalkit.recorded import load_recorded, unpack

JUDGES = Judges("potts2020")

STEP = 5  # the cells look at the dev part after every fifth epoch
EPOCHS = 100


def curves(record, data):
    """Return what the shallow classifier scored after each epoch, with each seed.

    Parameters
    ----------
    record : evalkit.papers.rows.Rows
    data : {"artificial", "sst2", "docstrings"}

    Returns
    -------
    dict of str to ndarray of float, shape (seeds, epochs)
        `error` in nats; `dev` and `test_f1`, macro F1; `test`, accuracy.
    """
    table = record.table("curves", trained.CURVE_SEEDS, data=data).sort_values("seed")
    names = ("error", "dev", "test_f1", "test")
    return {name: np.array([unpack(cell) for cell in table[name]]) for name in names}


def correlation(x, y):
    """Return Pearson's correlation along the last axis, 0 where one of the two is constant.

    Parameters
    ----------
    x, y : ndarray of float, shape (..., n)

    Returns
    -------
    ndarray of float, shape (...)
    """
    vary = (np.ptp(x, axis=-1) > 0) & (np.ptp(y, axis=-1) > 0)
    x, y = (values - values.mean(axis=-1, keepdims=True) for values in (x, y))
    scale = np.sqrt((x**2).sum(axis=-1) * (y**2).sum(axis=-1))
    return np.where(vary, (x * y).sum(axis=-1) / np.where(vary, scale, 1), 0.0)


def two_of_three(confirmed, refuted):
    """Return the verdict on a claim that two of three data sets confirm or refute.

    Parameters
    ----------
    confirmed, refuted : list of bool

    Returns
    -------
    {"replicated", "replicated, smaller", "not replicated", "inconclusive"}
        "replicated, smaller" where both hold: an effect that is there and smaller than one that matters.
    """
    confirmed, refuted = sum(confirmed) >= 2, sum(refuted) >= 2
    return SMALLER if confirmed and refuted else either(confirmed, refuted)


def _listed(values, digits=2):
    """Write one number for each data set."""
    return "; ".join(f"{NAMES[data]} {value:.{digits}f}" for data, value in values.items())


# ---------------------------------------------------------------------------------------------
# Convergence
# ---------------------------------------------------------------------------------------------


@JUDGES.judge("linear-models-converge", criterion="2026-11-23")
def _linear_converge(record):
    n_fits = len(trained.CONVERGENCE) * len(trained.LINEAR_KINDS)
    table = record.table("convergence", n_fits)
    warned, still = (table[f"warned_{name}"].astype(bool) for name in ("default", "tenfold"))
    # Half a point is a limit: rounded to what is recorded, so that 0.5 is not 0.4999.
    change = (100 * (table.tenfold - table.default)).abs().round(4)
    where = [f"{system} on {NAMES[data]}" for data, system in zip(table.data, table.system, strict=True)]
    named = ", ".join(sorted(itertools.compress(where, warned))) or "none"
    return Finding(
        either(warned.sum() < 4 and (change < 0.5).all(), warned.sum() >= 7 or (change > 1).any()),
        "own run",
        f"{warned.sum()} of {len(table)} default fits warn that they have not converged ({named}); with ten "
        f"times as many iterations {still.sum()} do. That changes test accuracy in {(change > 0).sum()} "
        f"fits, by at most {change.max():.2f} points, on one split of each.",
    )


def first_below(error, share=0.2):
    """Return the epoch, from 1, after which the error is first below a share of that of the first epoch.

    Parameters
    ----------
    error : ndarray of float, shape (runs, epochs)
    share : float, default 0.2

    Returns
    -------
    ndarray of float, shape (runs,)
        Infinite for a run whose error never falls so far.
    """
    below = error < share * error[:, :1]
    return np.where(below.any(axis=1), below.argmax(axis=1) + 1.0, np.inf)


@JUDGES.judge("networks-rarely-converge", criterion="2026-11-23")
def _networks_converge(record):
    confirmed, refuted, correlations, lines = [], [], {}, []
    for data in trained.CURVES:
        found = curves(record, data)
        epochs = first_below(found["error"])
        pairs = np.c_[found["error"][:, -1], found["test"][:, -1]]
        r = correlations[data] = Resampled(lambda drawn: correlation(*drawn.T), pairs)
        r.settle(-0.5, 0.5)
        spread = np.nan  # where a run never falls so far, the SD is not known and decides nothing
        if np.isfinite(epochs).all():
            jackknifed = Jackknifed(lambda x: np.std(x, ddof=1) / np.mean(x), list(epochs), least=0.0)
            spread = jackknifed.estimate
            lines.append(f"{NAMES[data]} {words(jackknifed)}")
        else:
            lines.append(f"{NAMES[data]} not known, {np.isinf(epochs).sum()} runs never do")
        confirmed.append(spread > 0.1 and r.low > -0.5 and r.high < 0.5)
        refuted.append(spread < 0.1 or r.high < -0.5)
    return Finding(
        two_of_three(confirmed, refuted),
        "own run",
        f"SD over seeds of the epoch at which training error falls below a fifth of its first value, as a "
        f"share of its mean: {'; '.join(lines)}. Correlation of final training error with test accuracy: "
        f"{by_data(correlations)}. The intervals are over seeds, on one split of each.",
        tuple(correlations.values()),
    )


# ---------------------------------------------------------------------------------------------
# Scores on the way
# ---------------------------------------------------------------------------------------------


def dev_lead(error, dev, test):
    """Return by how much the dev score correlates with test more than minus the training error does.

    Parameters
    ----------
    error, dev, test : ndarray of float, shape (..., n)

    Returns
    -------
    ndarray of float, shape (...)
    """
    # Equal on paper is equal here: what rounding leaves has a sign.
    return np.round(correlation(dev, test) - correlation(-error, test), 12) + 0.0


def _ranked_lead(*columns):
    return dev_lead(*(stats.rankdata(values, axis=-1) for values in columns))


def _settings(record, data):
    """Return final training error, dev and test macro F1 of random settings, each (splits, settings)."""
    table = record.table("settings", tuned.WIDE * tuned.SETTINGS_SPLITS, data=data, space="wide")
    table = table.assign(last_dev=[unpack(cell)[-1] for cell in table.dev_curve])
    names = ("error", "last_dev", "last_f1")
    return [table.pivot(index="split", columns="number", values=name).to_numpy() for name in names]


def _over_settings(record, data):
    parts = _settings(record, data)
    n_splits, n_settings = parts[0].shape
    lead = Resampled(
        lambda splits, numbers: dev_lead(*(part[np.ix_(splits, numbers)] for part in parts)).mean(),
        np.arange(n_splits),
        np.arange(n_settings),
    )
    return lead, _ranked_lead(*parts).mean()


@JUDGES.judge("dev-scores-beat-error", criterion="2026-11-23")
def _dev_beats_error(record):
    by_run, by_setting, ranks = {}, {}, ([], [])
    for data in trained.CURVES:
        found = curves(record, data)
        columns = [found[name] for name in ("error", "dev", "test_f1")]
        by_run[data] = mean(dev_lead(*columns))
        ranks[0].append(_ranked_lead(*columns).mean())
    for data in tuned.SETTINGS_DATA:
        by_setting[data], by_ranks = _over_settings(record, data)
        ranks[1].append(by_ranks)
    drawn = (*by_run.values(), *by_setting.values())
    for lead in drawn:
        lead.settle(0)
    parts = [list(leads.values()) for leads in (by_run, by_setting)]
    above, below = ([sum(end(x) for x in part) >= 2 for part in parts] for end in (_above, _not_above))
    in_ranks = " and ".join(", ".join(f"{lead:+.2f}" for lead in part) for part in ranks)
    return Finding(
        either(all(above), any(below)),
        "own run",
        f"Correlation with test macro F1, dev macro F1 minus (negative) training error. Over the epochs of a "
        f"run, mean over seeds: {by_data(by_run)}. Over random settings at their last epoch, interval over "
        f"settings and splits: {by_data(by_setting)}; in ranks {in_ranks}. Seeds share one split.",
        drawn,
    )


def _above(found):
    return found.low > 0


def _not_above(found):
    return found.high <= 0


@JUDGES.judge("dev-curve-differs", criterion="2026-11-23")
def _dev_curve_differs(record):
    found = curves(record, "artificial")
    error, dev = (found[name][:, STEP - 1 : EPOCHS : STEP] for name in ("error", "dev"))
    lowest = error[:, -1] == error.min(axis=1)
    below = (100 * (dev.max(axis=1) - dev[:, -1])).round(4)
    falls = below > 1  # then the peak comes before the last epoch, too
    n, needed = len(dev), 38 / 50
    return Finding(
        either(lowest.all() and falls.mean() >= needed, (~falls).mean() >= needed),
        "own run",
        f"Training error is lowest at epoch {EPOCHS} in {lowest.sum()} of {n} runs, while dev macro F1 ends "
        f"more than a point below its peak in {falls.sum()}, by a median of {np.median(below):.1f} points. "
        f"(A peak is the best of {dev.shape[1]} looks, so some of that is noise.)",
    )


# ---------------------------------------------------------------------------------------------
# Early stopping
# ---------------------------------------------------------------------------------------------


class Stopped:
    """Test scores of runs that stop at the dev peak of one of them, in points.

    Parameters
    ----------
    dev, test : ndarray of float, shape (runs, epochs)

    Attributes
    ----------
    at_peak : ndarray of float, shape (runs, runs)
        In row i and column j the score of run j after as many epochs as run i peaked at; a run is kept on the
        diagonal, and another seed trained beside it.
    at_limit : ndarray of float, shape (runs,)
    """

    def __init__(self, dev, test):
        self.at_peak = 100 * test[:, dev.argmax(axis=1)].T
        self.at_limit = 100 * test[:, -1]

    def _jackknifed(self, statistic):
        # A seed that is left out goes from both roles: that of the first run and that of the other.
        def of(runs):
            # In billionths of a point: what rounding leaves of no difference has a sign.
            return round(statistic(self.at_peak[np.ix_(runs, runs)], self.at_limit[runs]), 9)

        return Jackknifed(of, list(range(len(self.at_limit))))

    @property
    def gain(self):
        """By how much another seed scores higher at the peak than at the limit."""
        return self._jackknifed(lambda peak, limit: np.mean(_others(peak - limit)))

    @property
    def kept_lead(self):
        """By how much the kept run scores higher than another seed at the same epoch."""
        return self._jackknifed(lambda peak, _: np.diag(peak).mean() - _others(peak).mean())

    @property
    def steadier(self):
        """By how much the SD of other seeds exceeds that of kept runs."""
        return self._jackknifed(lambda peak, _: _sd_of_others(peak) - np.diag(peak).std(ddof=1))


def _others(square):
    return square[~np.eye(len(square), dtype=bool)]


def _sd_of_others(square):
    # Rows and columns are seeds, and n of them miss about 1/n of the variance between them.
    return _others(square).std() * np.sqrt(len(square) / (len(square) - 1))


def _stopped(record, name="test_f1"):
    found = {data: curves(record, data) for data in trained.CURVES}
    return {data: Stopped(curve["dev"], curve[name]) for data, curve in found.items()}


@JUDGES.judge("early-stopping", criterion="2026-11-23")
def _early_stopping(record):
    gains = {data: stopped.gain for data, stopped in _stopped(record).items()}
    accuracy = {data: stopped.gain.estimate for data, stopped in _stopped(record, "test").items()}
    return Finding(
        two_of_three(
            [x.low > 0 for x in gains.values()],
            [x.high < 0 or (x.low > -0.25 and x.high < 0.25) for x in gains.values()],
        ),
        "own run",
        f"Test macro F1 of another seed at the first one's dev peak minus that at the limit, in points, over "
        f"seeds: {by_data(gains)}. In accuracy: {_listed(accuracy)}. One split of each.",
        intervals=len(gains),
    )


@JUDGES.judge("rewinding-safest", criterion="2026-11-23")
def _rewinding(record):
    stopped = _stopped(record)
    leads = {data: found.kept_lead for data, found in stopped.items()}
    steadier = {data: found.steadier for data, found in stopped.items()}
    accuracy = {data: found.kept_lead.estimate for data, found in _stopped(record, "test").items()}
    pairs = list(zip(leads.values(), steadier.values(), strict=True))
    return Finding(
        two_of_three(
            [any(x.low > 0 for x in pair) and all(x.high >= 0 for x in pair) for pair in pairs],
            [x.high < 0 for x in leads.values()],
        ),
        "own run",
        f"Test macro F1 of the kept run minus that of another seed after as many epochs, in points, over "
        f"seeds: {by_data(leads)}; in accuracy: {_listed(accuracy)}. The other's SD minus that of the kept "
        f"run: {by_data(steadier)}. One split of each.",
        intervals=2 * len(pairs),
    )


# ---------------------------------------------------------------------------------------------
# Learning curves
# ---------------------------------------------------------------------------------------------


def _by_epoch():
    """Return for two networks their validation curves, in points, as far as all go, and then their ends."""
    table = load_recorded("pools", "seeds").sort_values("seed")
    runs = {s: [100 * unpack(c) for c in rows.validation_curve] for s, rows in table.groupby("system")}
    shortest = min(len(run) for found in runs.values() for run in found)
    return {s: np.array([[*run[:shortest], run[-1]] for run in found]) for s, found in runs.items()}


def _by_size():
    """Return for each system its accuracies by split and training share, in points."""
    table = load_recorded("resplits", "curve")
    wide = table.pivot(index=["system", "split"], columns="train_share", values="accuracy")
    return {system: 100 * rows.to_numpy() for system, rows in wide.groupby("system")}


def reversals(first, second, *, paired):
    """Return where two systems are surely in another order than they surely are in at the end.

    Parameters
    ----------
    first, second : ndarray of float, shape (runs, points)
        The last point is the end.
    paired : bool
        Whether row i of both shares what varies.

    Returns
    -------
    list of (int, tuple of float, tuple of float)
        Each such point, with the 95 % intervals of the difference there and at the end.
    """
    *early, end = (_difference(a, b, paired) for a, b in zip(first.T, second.T, strict=True))
    return [
        (point, (low, high), end)
        for point, (low, high) in enumerate(early)
        if low > 0 > end[1] or high < 0 < end[0]
    ]


def _name(system):
    return {"mlp": "MLP", "lstm": "LSTM", "svm": "SVM"}.get(system, system.replace("_", " "))


def _difference(a, b, paired):
    if paired:
        return tuple(t_interval(a - b))
    if np.ptp(a) == np.ptp(b) == 0:
        return a[0] - b[0], a[0] - b[0]
    return tuple(stats.ttest_ind(a, b, equal_var=False).confidence_interval())


@JUDGES.judge("report-learning-curves")
def _report_learning_curves(record):
    lines, looked, intervals = [], 0, 0
    for scores, paired, over in ((_by_epoch(), False, "epochs"), (_by_size(), True, "training size")):
        for a, b in itertools.combinations(scores, 2):
            looked, intervals = looked + 1, intervals + scores[a].shape[1]
            if found := reversals(scores[a], scores[b], paired=paired):
                point, early, end = found[0]
                lines.append(
                    f"{_name(a)} minus {_name(b)} over {over}: {early[0]:+.1f} to {early[1]:+.1f} points at "
                    f"look {point + 1}, {end[0]:+.1f} to {end[1]:+.1f} at the end"
                )
    return Finding(
        held(bool(lines)),
        "own run",
        f"Of {looked} pairs of systems on the docstrings (MLP and LSTM over epochs, the others over training "
        f"size) {len(lines)} surely change their order{': ' if lines else ''}{'; '.join(lines)}. Intervals "
        f"are pointwise, over seeds or over splits of the same lines, which overlap.",
        intervals=intervals,
    )


@JUDGES.judge("networks-can-learn-anything", criterion="2026-11-23")
def _learn_anything(record):
    confirmed, refuted, lines = [], [], []
    for data in trained.SHUFFLED:
        table = record.table("shuffled", 10, data=data)
        learned, off = table.train > 0.99, (100 * (table.test - table.dummy)).round(4)
        confirmed.append(learned.mean() >= 0.9 and (off.abs() <= 5).all())
        refuted.append((table.train < 0.95).all())
        lines.append(
            f"{NAMES[data]} {learned.sum()} of {len(table)} seeds above 99 % (lowest "
            f"{100 * table.train.min():.1f} %), test accuracy minus the dummy's {off.min():+.1f} to "
            f"{off.max():+.1f} points"
        )
    return Finding(
        either(all(confirmed), any(refuted)),
        "own run",
        f"{trained.SHUFFLED_LINES:,} training items with shuffled labels, at most {trained.SHUFFLED_EPOCHS} "
        f"epochs: {'; '.join(lines)}. (A network that knows such labels by heart answers by the classes' "
        f"shares; the dummy always names the commonest class.)",
    )
