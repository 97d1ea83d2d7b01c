"""What two models answer on the same items: practical differences, and McNemar's test."""

import itertools

import numpy as np
from scipy import stats
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from evalkit import recorded
from evalkit.datasets import PACKAGES
from evalkit.experiments import nine_datasets
from evalkit.experiments.pools import unpack_predictions
from evalkit.papers.judging import Finding, Judges, MissingRunsError, Resampled, Trials, either, held
from evalkit.papers.potts2020.claims.statistics import NAMES, by_data
from evalkit.papers.potts2020.claims.tests import NETWORKS, NOISE, span
from evalkit.proportions import proportion_interval
from evalkit.significance import contingency, mcnemar

JUDGES = Judges("potts2020")


# ---------------------------------------------------------------------------------------------
# Practical differences
# ---------------------------------------------------------------------------------------------


def lines_asked():
    """Return the test lines of the docstrings, in the order of the recorded predictions.

    Returns
    -------
    classes, modules : ndarray of int, shape (items,)
    """
    items = recorded.load_recorded("pools", "test_items")
    return items.package.map(PACKAGES.index).to_numpy(), np.unique(items.module, return_inverse=True)[1]


def answers(system):
    """Return what the recorded seeds of a network answer on the test lines.

    Parameters
    ----------
    system : {"mlp", "lstm"}

    Returns
    -------
    ndarray of int, shape (seeds, items)
        In the order of the seeds.
    """
    seeds, n = recorded.load_recorded("pools", "seeds"), len(lines_asked()[0])
    seeds = seeds[seeds.system == system].sort_values("seed")
    return np.array([unpack_predictions(packed, n) for packed in seeds.test_predictions])


def linear_answers():
    """Return what the linear model that does best on validation answers on the test lines.

    Returns
    -------
    ndarray of int, shape (items,)
    """
    table = recorded.load_recorded("pools", "baselines")
    best = table[table.system == "linear"].sort_values(["validation", "C"], ascending=[False, True])
    return unpack_predictions(best.test_predictions.iloc[0], len(lines_asked()[0]))


def _predicted(data):
    """Return the classes of the items, from 0, and what the linear model answers."""
    if data == "docstrings":
        return lines_asked()[0], linear_answers()
    X, y, _ = nine_datasets.load(data)
    true = np.unique(y, return_inverse=True)[1]
    folds = StratifiedKFold(nine_datasets.FOLDS, shuffle=True, random_state=0)
    return true, cross_val_predict(nine_datasets.build("linear", text=False), X, true, cv=folds)


def answers_needed(true, predicted, drop=0.01):
    """Count how many right answers of one class must become another one for each score to fall.

    Parameters
    ----------
    true, predicted : ndarray of int, shape (items,)
        Classes from 0.
    drop : float, default 0.01

    Returns
    -------
    dict of str to list of float
        Under "accuracy", "macro F1" and "F1 of a class", for each class that the answers come from and each
        that they become (for the F1 of a class, if it is one of these two), how many of 1,000 items it takes;
        infinite where the score does not fall so far.
    """
    n, classes = len(true), int(max(true.max(), predicted.max())) + 1
    table = np.zeros((classes, classes))
    np.add.at(table, (true, predicted), 1)
    needed = {"accuracy": [], "macro F1": [], "F1 of a class": []}
    for source, target in itertools.permutations(range(classes), 2):
        wrong = np.arange(table[source, source] + 1)[:, None]
        leaves, enters = np.eye(classes)[[source, target]]
        right = np.diag(table) - wrong * leaves
        f1 = 2 * right / (table.sum(axis=0) + table.sum(axis=1) + wrong * (enters - leaves))
        scores = [("accuracy", right.sum(axis=1) / n), ("macro F1", f1.mean(axis=1))]
        for name, score in [*scores, *(("F1 of a class", f1[:, c]) for c in (source, target))]:
            fallen = score[0] - score >= drop - NOISE
            needed[name].append(1000 / n * fallen.argmax() if fallen.any() else np.inf)
    return needed


@JUDGES.judge("one-percent-f1")
def _one_percent_f1(record):
    lines, outside = [], set()
    for data in ("docstrings", "breast-cancer", "wine"):
        needed = answers_needed(*_predicted(data))
        lines.append(f"{NAMES[data]} " + ", ".join(f"{span(x)} for {name}" for name, x in needed.items()))
        outside |= {name for name, counts in needed.items() if min(counts) < 8 or max(counts) > 12}
    return Finding(
        either(not outside, bool(outside - {"accuracy"})),
        "own run",
        f"Answers of the linear model, per 1,000 items, that must turn wrong for a score to fall by 0.01, "
        f"over the classes that they come from and turn into: {'; '.join(lines)}. For the F1 of a class only "
        f"answers that come from it or turn into it count: others leave it as it is.",
    )


@JUDGES.judge("count-differing-items")
def _count_differing(record):
    true, shares, lines = lines_asked()[0], [], []
    for system, name in NETWORKS.items():
        predicted = answers(system)
        right = (predicted == true).sum(axis=1)
        near = np.triu(200 * abs(right[:, None] - right) < len(true), 1)  # less than half a point
        if not near.any():
            raise MissingRunsError(f"two seeds of the {name} less than half a point apart")
        shares.append(100 * np.array([(predicted != one).mean(axis=1) for one in predicted])[near])
        lines.append(f"{name} {shares[-1].mean():.1f} % ({span(shares[-1])}; {near.sum():,} pairs)")
    return Finding(
        either(min(map(min, shares)) > 5, max(map(max, shares)) < 1),
        "own run",
        f"Share of the {len(true):,} test lines of the docstrings that two seeds of one network answer "
        f"differently, on average and from the lowest to the highest of all pairs of seeds less than half a "
        f"point apart: {'; '.join(lines)}.",
    )


def _noise(right, modules):
    """Return the variance of each difference of two seeds' accuracies that the luck of the modules makes."""
    sizes, n = np.bincount(modules), right.shape[1]
    sums = np.zeros((len(right), len(sizes)))
    np.add.at(sums.T, modules, right.T.astype(float))
    apart = (right.mean(axis=1)[:, None] - right.mean(axis=1))[..., None]
    squares = [((one - sums - d * sizes) ** 2).sum(axis=1) for one, d in zip(sums, apart, strict=True)]
    return np.array(squares) * len(sizes) / (len(sizes) - 1) / n**2


@JUDGES.judge("one-percent-of-a-million")
def _one_percent_of_a_million(record):
    true, modules = lines_asked()
    shares, seen = {}, []
    for system, name in NETWORKS.items():
        right = answers(system) == true
        accuracy = right.mean(axis=1)
        apart, noise = abs(accuracy[:, None] - accuracy), _noise(right, modules)

        def share(index, apart=apart, squares=apart**2, noise=noise):
            counts = np.bincount(index, minlength=len(apart)).astype(float)
            total = counts @ squares @ counts
            true_part = max(0, 1 - counts @ noise @ counts / total) if total else 0
            above = counts @ (apart * np.sqrt(true_part) >= 0.01 - NOISE) @ counts
            return 100 * above / (counts.sum() ** 2 - counts @ counts)  # two copies of a seed are no pair

        shares[name] = Resampled(share, np.arange(len(apart)))
        shares[name].settle(5)
        above = apart[np.triu_indices(len(apart), 1)] >= 0.01 - NOISE
        seen.append(f"{name} {100 * above.mean():.1f} %")
    return Finding(
        either(all(x.high < 5 for x in shares.values()), any(x.low > 5 for x in shares.values())),
        "own run",
        f"Percentage of pairs of seeds of one network that differ by 1 point or more once the noise of the "
        f"test lines is taken out: {by_data(shares, 1)}; with it {', '.join(seen)}. (Intervals over seeds. "
        f"The noise is estimated over {modules.max() + 1} modules, and its share of the variance of the "
        f"differences taken off; its own error is not in the intervals.) What matters in practice is out of "
        f"reach.",
        tuple(shares.values()),
    )


# ---------------------------------------------------------------------------------------------
# McNemar's test
# ---------------------------------------------------------------------------------------------

METHODS = {
    "chi2-corrected": "with 1 subtracted",
    "chi2": "uncorrected",
    "exact": "exact",
    "mid-p": "mid-p",
}
SAMPLES, LINES = 1000, 500
DISCORDANT = (5, 10, 25, 50, 100, 400)
# Whether A and B are right in each cell, as the course captions it.
CAPTIONS = {"n11": (True, True), "n10": (True, False), "n01": (True, False), "n00": (False, False)}


def _equal_pair(true):
    """Return on which lines an MLP and an LSTM are right: the first two seeds that are so equally often."""
    mlp, lstm = (answers(system) == true for system in NETWORKS)
    same = mlp.sum(axis=1)[:, None] == lstm.sum(axis=1)
    if not same.any():
        raise MissingRunsError("two networks that are right on as many test lines")
    first, second = np.unravel_index(same.argmax(), same.shape)
    return mlp[first], lstm[second]


@JUDGES.judge("mcnemar-needs-one-run")
def _needs_one_run(record):
    a, b = _equal_pair(lines_asked()[0])
    # The lines are the population: a sample with replacement has these two counts, and the rest.
    chances = [np.mean(a & ~b), np.mean(b & ~a), np.mean(a == b)]
    counts = np.random.default_rng(2020).multinomial(LINES, chances, size=SAMPLES)
    rejected = {
        method: sum(mcnemar(n10, n01, method=method).pvalue <= 0.05 for n10, n01, _ in counts.tolist())
        for method in ("chi2-corrected", "exact")
    }
    cases = rejected["chi2-corrected"]
    low, high = 100 * np.array([*proportion_interval(cases, SAMPLES)])
    return Finding(
        either(high <= 6, low > 6),
        "own run",
        f"An MLP and an LSTM, the first two seeds that are right equally often, on {a.sum():,} of {len(a):,} "
        f"lines of docstrings; on {np.sum(a != b)} lines only one is. On {SAMPLES:,} samples of {LINES} of "
        f"these lines the printed test rejects in {100 * cases / SAMPLES:.1f} % ({low:.1f} to {high:.1f}, "
        f"over samples), the exact one in {100 * rejected['exact'] / SAMPLES:.1f} %. This is about these two "
        f"fitted models, not about other seeds.",
        (Trials(SAMPLES, cases, (0.06,)),),
    )


def _printed(n10, n01):
    """Return the statistic as printed, and its p-value."""
    statistic = (abs(n01 - n10) - 1) ** 2 / (n01 + n10)
    return statistic, float(stats.chi2.sf(statistic, 1))


@JUDGES.judge("mcnemar-table")
def _table(record):
    true = lines_asked()[0]
    table = contingency(true, linear_answers(), answers("mlp")[0])
    counts = dict(zip([(True, True), (True, False), (False, True), (False, False)], table, strict=True))
    captioned = _printed(counts[CAPTIONS["n10"]], counts[CAPTIONS["n01"]])
    meant = _printed(table.n10, table.n01)
    return Finding(
        held(CAPTIONS["n10"] != CAPTIONS["n01"]),
        "printed figures",
        f"Both cells off the diagonal are captioned as the items where A is correct and B incorrect. Of the "
        f"linear model (A) and an MLP (B) on the docstrings, n10 = {table.n10} and n01 = {table.n01}: the "
        f"statistic is {meant[0]:.2f} (p = {meant[1]:.2g}) as meant, and {captioned[0]:.4f} (p = "
        f"{captioned[1]:.2f}) as captioned, where n10 minus itself is always 0.",
    )


def rejection_chances(n, method):
    """Return with what chance McNemar's test rejects at 5 % when two models are right equally often.

    Parameters
    ----------
    n : int
        On how many items one of the two is right.
    method : str
        As `evalkit.mcnemar` takes it.

    Returns
    -------
    float
    """
    rejects = [mcnemar(k, n - k, method=method).pvalue <= 0.05 for k in range(n + 1)]
    return float(stats.binom.pmf(np.arange(n + 1), n, 0.5) @ rejects)


@JUDGES.judge("mcnemar-chi-squared", criterion="2026-11-23")
def _chi_squared(record):
    chances = {
        method: 100 * np.array([rejection_chances(n, method) for n in DISCORDANT]) for method in METHODS
    }
    corrected = chances["chi2-corrected"]
    off = abs(corrected - chances["exact"])[np.array(DISCORDANT) >= 25]
    lines = [f"{name} {', '.join(f'{x:.2f}' for x in chances[method])} %" for method, name in METHODS.items()]
    # Beside the criterion, which names six numbers: all of them.
    numbers = range(25, DISCORDANT[-1] + 1)
    gaps = [100 * (rejection_chances(n, "exact") - rejection_chances(n, "chi2-corrected")) for n in numbers]
    others = [str(n) for n, gap in zip(numbers, gaps, strict=True) if abs(gap) > 1e-6]
    return Finding(
        held(corrected.max() <= 5 and off.max() <= 0.5),
        "exact",
        f"Chance to reject at 5 % when both models are right equally often, with "
        f"{', '.join(map(str, DISCORDANT))} items on which one is: {'; '.join(lines)}. At those from 25 "
        f"up the statistic with 1 subtracted is at most {off.max():.2f} points from the exact test. At "
        f"{len(others)} of the other numbers up to {DISCORDANT[-1]} ({', '.join(others)}) it rejects less "
        f"often, by up to {max(gaps):.1f} points.",
    )
