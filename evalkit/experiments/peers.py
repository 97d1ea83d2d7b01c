"""How often ways to compare systems go wrong: what people do, what other packages do, and evalkit.

Each unit is a comparison, a design of it (how many runs, items or groups), and a method. It counts, over many
samples for which the truth is known, how often the method claims what is not so, and how often its interval
holds the truth. The samples are drawn from recorded runs:

- two systems that are alike are two samples from one pool of runs, or answers of which each item's (or each
  group's) are exchanged between the two at random;
- two that differ are two recorded systems, whose difference over the whole pool is the truth, or one pool of
  runs moved by a known amount;
- only for `splits` data sets are drawn anew, from scikit-learn's digits; there the mean over all of them is
  the truth, and the scores of the first system are moved by it, so that no difference is left.

The other packages are no part of evalkit: requirements-bench.txt pins them.
"""

import contextlib
import functools
import io
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from evalkit import datasets
from evalkit.expected_maximum import budget_difference
from evalkit.experiment import Experiment
from evalkit.experiments.pools import unpack_predictions
from evalkit.intervals import difference_interval, equivalence, from_summary
from evalkit.proportions import ratio_difference
from evalkit.recorded import load_recorded
from evalkit.seeds import crossed_difference
from evalkit.significance import compare_systems, corrected_t

ALPHA = 0.05
MARGIN = 0.015  # of accuracy, within which two systems count as equally good
ITERATIONS = 5000  # that evaluatio's documentation recommends
FREQUENT = 0.95  # an item is easy if so many runs are right about it
DRAWN = 400  # data sets of `splits`
DIGITS = 300  # items of each

# Samples of a method whose call takes milliseconds, tens of them, hundreds of them, or seconds.
QUICK, USUAL, SLOW, SLOWEST = 2000, 400, 200, 100


# ---------------------------------------------------------------------------------------------
# What a method answers
# ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Method:
    """One way to compare two systems, or several.

    Attributes
    ----------
    call : str
        As a reader would write it.
    decide : callable
        From a sample and a generator to a verdict, which is a p-value or whether a claim is made, and an
        interval of the difference, or None.
    needs : tuple of str
        Packages beyond evalkit's own.
    samples : int
    unseeded : bool
        Whether the package draws by a generator that takes no seed.
    designs : tuple of str
        Those that it is tried on, if not on all of them: where one sample takes seconds.
    """

    call: str
    decide: Callable
    needs: tuple = ()
    samples: int = QUICK
    unseeded: bool = False
    designs: tuple = ()


@dataclass(frozen=True)
class Comparison:
    """What people want to know, the data that they have, and ways to answer.

    Attributes
    ----------
    words : str
        As the table of the page calls it.
    draw : callable
        From the number of a sample, a generator and the parameters of a design to the sample: a dict, with
        the true difference as `truth`.
    designs : dict of str to tuple
        The parameters of each.
    methods : dict of str to Method
        Those of "usual" are what people do; every other name begins with a package's.
    real : tuple of str
        The designs in which the systems do differ, where a claim is right.
    """

    words: str
    draw: Callable
    designs: dict
    methods: dict = field(default_factory=dict)
    real: tuple = ()


def _by_interval(low, high, null=0.0):
    return not low <= null <= high, (low, high)


# ---------------------------------------------------------------------------------------------
# Recorded answers and runs
# ---------------------------------------------------------------------------------------------


@functools.cache
def _answers():
    """Return which recorded answers are right, a row per run and system, and the module of each item."""
    items = load_recorded("pools", "test_items")
    truth = items.package.map({name: i for i, name in enumerate(datasets.PACKAGES)}).to_numpy()
    runs = load_recorded("pools", "seeds")
    linear = load_recorded("pools", "baselines")
    linear = linear[(linear.system == "linear") & (linear.C == 0.1)].assign(system="linear")
    right = {
        system: np.array([unpack_predictions(text, len(truth)) == truth for text in rows.test_predictions])
        for system, rows in pd.concat([runs, linear]).groupby("system")
    }
    return right, items.module.astype("category").cat.codes.to_numpy()


@functools.cache
def _modules():
    """Return the items of each module."""
    _, module = _answers()
    return [np.flatnonzero(module == number) for number in range(module.max() + 1)]


@functools.cache
def _easy():
    """Return the items that nearly all runs get right."""
    right, _ = _answers()
    return np.flatnonzero((right["mlp"].mean(axis=0) + right["lstm"].mean(axis=0)) / 2 >= FREQUENT)


def _centred_runs(system):
    right, _ = _answers()
    accuracies = right[system].mean(axis=1)
    return accuracies - accuracies.mean() + 0.6


def _draw_runs(number, rng, systems, sizes, shift):
    a, b = (rng.choice(_centred_runs(system), size) for system, size in zip(systems, sizes, strict=True))
    return {"a": a + shift, "b": b, "truth": shift}


def _two_models(rng, systems):
    """Choose a fitted model of each system, and return its right answers on all items."""
    right, _ = _answers()
    return [right[system][rng.integers(len(right[system]))] for system in systems]


def _draw_items(number, rng, systems, size, exchanged, easy):
    pool = _easy() if easy else np.arange(len(_answers()[1]))
    a, b = (model[pool] for model in _two_models(rng, systems))
    truth = 0.0 if exchanged else a.mean() - b.mean()
    drawn = rng.integers(len(pool), size=size)
    a, b = a[drawn], b[drawn]
    if exchanged:
        other = rng.random(size) < 0.5
        a, b = np.where(other, b, a), np.where(other, a, b)
    return {"a": a.astype(float), "b": b.astype(float), "truth": truth}


def _draw_groups(number, rng, systems, size, exchanged, smallest):
    pool = [items for items in _modules() if len(items) >= smallest]
    a, b = _two_models(rng, systems)
    every = np.concatenate(pool)
    truth = 0.0 if exchanged else a[every].mean() - b[every].mean()
    parts = []
    for group, which in enumerate(rng.integers(len(pool), size=size)):
        pair = (a[pool[which]], b[pool[which]])
        if exchanged and rng.random() < 0.5:
            pair = pair[::-1]
        parts.append((*pair, np.full(len(pool[which]), group)))
    a, b, groups = (np.concatenate(part) for part in zip(*parts, strict=True))
    return {"a": a.astype(float), "b": b.astype(float), "groups": groups, "truth": truth}


def _draw_answers(number, rng, size, answers):
    right, module = _answers()
    items = rng.integers(len(module), size=size)
    # Each item's answers are of one system or the other: as if two models were equally good on all of them.
    other = rng.random(size) < 0.5
    drawn = {
        system: right[system][rng.integers(len(right[system]), size=(answers, size)), items]
        for system in ("mlp", "lstm")
    }
    a, b = np.where(other, drawn["lstm"], drawn["mlp"]), np.where(other, drawn["mlp"], drawn["lstm"])
    return {"a": a.astype(float), "b": b.astype(float), "truth": 0.0}


def _draw_utterances(number, rng, systems, size, exchanged, silent):
    pool = _modules()
    a, b = _two_models(rng, systems)
    truth = 0.0 if exchanged else b.mean() - a.mean()  # of error rates
    drawn = rng.integers(len(pool), size=size)
    words = np.array([len(pool[which]) for which in drawn])
    errors = np.array([[np.sum(~model[pool[which]]) for which in drawn] for model in (a, b)])
    if exchanged:
        other = rng.random(size) < 0.5
        errors = np.where(other, errors[::-1], errors)
    if silent:  # no word was said, and one of the two heard one
        words = np.append(words, 0)
        errors = np.column_stack([errors, rng.permutation([1, 0])])
    return {"errors_a": errors[0], "errors_b": errors[1], "words": words, "truth": truth}


@functools.cache
def _trials(system):
    runs = load_recorded("pools", "search")
    runs = runs[runs.system == system]
    return runs.validation.to_numpy(), runs.test.to_numpy()


def _draw_trials(number, rng, system, sizes):
    validation, test = _trials(system)
    sample = {"truth": 0.0, "items": 3000}
    for name, size in zip("ab", sizes, strict=True):
        drawn = rng.integers(len(test), size=size)
        sample[f"validation_{name}"], sample[f"test_{name}"] = validation[drawn], test[drawn]
    return sample


@functools.cache
def _scores():
    """Return the recorded scores: data sets, systems, shuffles; the dummy is left out."""
    rows = load_recorded("nine_datasets", "scores")
    rows = rows[rows.system != "dummy"].sort_values(["dataset", "system", "seed"])
    return rows.accuracy.to_numpy().reshape(rows.dataset.nunique(), rows.system.nunique(), -1)


def _draw_datasets(number, rng, size):
    scores = _scores()
    drawn = np.arange(len(scores)) if size == len(scores) else rng.integers(len(scores), size=size)
    shuffles = rng.integers(scores.shape[2], size=(size, scores.shape[1]))
    table = scores[drawn[:, None], np.arange(scores.shape[1]), shuffles]
    # The systems' names are exchanged on each data set: none of them is better than another.
    return {"table": rng.permuted(table, axis=1), "truth": 0.0}


def _draw_summaries(number, rng, systems, sizes):
    sample = _draw_runs(number, rng, systems, sizes, 0.0)
    for name in "ab":
        scores = 100 * sample.pop(name)
        sample[name] = (round(scores.mean(), 1), round(scores.std(ddof=1), 1), len(scores))
    return sample


# ---------------------------------------------------------------------------------------------
# Splits and folds of one data set
# ---------------------------------------------------------------------------------------------

SPLITTERS = {
    "10 folds": KFold(10),  # of items in random order
    "20 random splits": ShuffleSplit(20, test_size=0.2, random_state=0),
}


@functools.cache
def _split_scores(splits):
    """Return, for each data set drawn, the scores of two systems on its splits."""
    digits, names = datasets.load_bundled("digits")
    digits, names = digits.to_numpy(), names.to_numpy()
    rng = np.random.default_rng([33, list(SPLITTERS).index(splits)])
    systems = (GaussianNB(var_smoothing=1e-2), DecisionTreeClassifier(random_state=0))
    found = []
    for _ in range(DRAWN):
        drawn = rng.permutation(len(digits))[:DIGITS]
        X, y = digits[drawn], names[drawn]
        found.append(
            [
                [system.fit(X[train], y[train]).score(X[test], y[test]) for system in systems]
                for train, test in SPLITTERS[splits].split(X)
            ]
        )
    return np.array(found)


def _draw_splits(number, rng, splits):
    scores = _split_scores(splits)
    a, b = scores[number].T
    n_test = DIGITS // (10 if splits == "10 folds" else 5)
    gap = np.subtract(*scores.mean(axis=(0, 1)))
    return {"a": a - gap, "b": b, "n_train": DIGITS - n_test, "n_test": n_test, "truth": 0.0}


# ---------------------------------------------------------------------------------------------
# What people do
# ---------------------------------------------------------------------------------------------


def _bars_apart(s, rng):
    a, b = s["a"], s["b"]
    return bool(abs(a.mean() - b.mean()) > a.std(ddof=1) + b.std(ddof=1)), None


def _student(s, rng):
    found = stats.ttest_ind(s["a"].ravel(), s["b"].ravel())
    return found.pvalue, tuple(found.confidence_interval())


def _item_bootstrap(s, rng):
    d = s["a"] - s["b"]
    means = d[rng.integers(len(d), size=(1000, len(d)))].mean(axis=1)
    return _by_interval(*np.quantile(means, [0.025, 0.975]))


def _intervals_apart(s, rng):
    (low_a, high_a), (low_b, high_b) = (
        x.mean() + 1.96 * np.sqrt(x.mean() * (1 - x.mean()) / x.size) * np.array([-1, 1])
        for x in (s["a"], s["b"])
    )
    return bool(high_a < low_b or high_b < low_a), None


def _every_answer(s, rng):
    found = stats.ttest_rel(s["a"].ravel(), s["b"].ravel())
    return found.pvalue, tuple(found.confidence_interval())


def _samples_of_all(s, rng):
    found = stats.ttest_ind(s["a"].mean(axis=1), s["b"].mean(axis=1))
    return found.pvalue, tuple(found.confidence_interval())


def _chosen(s, name):
    return s[f"test_{name}"][np.argmax(s[f"validation_{name}"])]


def _higher_best(s, rng):
    return bool(_chosen(s, "a") != _chosen(s, "b")), None


def _best_two(s, rng):
    a, b, n = _chosen(s, "a"), _chosen(s, "b"), s["items"]
    half = 1.96 * np.sqrt((a * (1 - a) + b * (1 - b)) / n)
    return _by_interval(a - b - half, a - b + half)


def _every_pair(s, rng):
    table = s["table"]
    pvalues = [stats.ttest_rel(table[:, i], table[:, j]).pvalue for i, j in _pairs(table)]
    return min(pvalues), None


def _pairs(table):
    return [(i, j) for i in range(table.shape[1]) for j in range(i)]


def _printed_bars_apart(s, rng):
    (mean_a, sd_a, _), (mean_b, sd_b, _) = s["a"], s["b"]
    return bool(abs(mean_a - mean_b) > sd_a + sd_b), None


def _printed_student(s, rng):
    return stats.ttest_ind_from_stats(*s["a"], *s["b"]).pvalue, None


def _not_significant(s, rng):
    return bool(stats.ttest_ind(s["a"], s["b"], equal_var=False).pvalue > ALPHA), None


def _bars_touch(s, rng):
    return not _bars_apart(s, rng)[0], None


def _rates(s):
    with np.errstate(divide="ignore", invalid="ignore"):
        return s["errors_a"] / s["words"], s["errors_b"] / s["words"]


def _mean_rate(s, rng):
    found = stats.ttest_rel(*_rates(s))
    return found.pvalue, tuple(found.confidence_interval())


def _words_as_items(s, rng):
    n = s["words"].sum()
    a, b = s["errors_a"].sum() / n, s["errors_b"].sum() / n
    half = 1.96 * np.sqrt((a * (1 - a) + b * (1 - b)) / n)
    return _by_interval(a - b - half, a - b + half)


# ---------------------------------------------------------------------------------------------
# SciPy
# ---------------------------------------------------------------------------------------------


def _scipy_welch(s, rng):
    found = stats.ttest_ind(s["a"], s["b"], equal_var=False)
    return found.pvalue, tuple(found.confidence_interval())


def _mean_gap(x, y, axis):
    return x.mean(axis=axis) - y.mean(axis=axis)


def _scipy_bootstrap(s, rng):
    return _by_interval(*stats.bootstrap((s["a"], s["b"]), _mean_gap, rng=rng).confidence_interval)


def _scipy_ranks(s, rng):
    return stats.mannwhitneyu(s["a"], s["b"]).pvalue, None


def _scipy_paired(s, rng):
    found = stats.ttest_rel(s["a"], s["b"])
    return found.pvalue, tuple(found.confidence_interval())


def _counts(s):
    return int(np.sum(s["a"] > s["b"])), int(np.sum(s["a"] < s["b"]))


def _scipy_binomial(s, rng):
    n10, n01 = _counts(s)
    return stats.binomtest(n10, n10 + n01).pvalue, None


def _scipy_group_means(s, rng):
    sizes = np.bincount(s["groups"])
    a, b = (np.bincount(s["groups"], weights=s[name]) / sizes for name in "ab")
    found = stats.ttest_rel(a, b)
    return found.pvalue, tuple(found.confidence_interval())


def _scipy_item_means(s, rng):
    found = stats.ttest_rel(s["a"].mean(axis=0), s["b"].mean(axis=0))
    return found.pvalue, tuple(found.confidence_interval())


def _scipy_best(s, rng):
    # Trials are drawn by their places, so that validation and test stay together.
    def chosen(name, k, axis):
        best = s[f"validation_{name}"][k].argmax(axis, keepdims=True)
        return np.take_along_axis(s[f"test_{name}"][k], best, axis).squeeze(axis)

    def gap(i, j, axis):
        return chosen("a", i, axis) - chosen("b", j, axis)

    places = tuple(np.arange(len(s[f"test_{name}"])) for name in "ab")
    return _by_interval(*stats.bootstrap(places, gap, rng=rng).confidence_interval)


def _scipy_friedman(s, rng):
    return stats.friedmanchisquare(*s["table"].T).pvalue, None


def _scipy_summaries(s, rng):
    return stats.ttest_ind_from_stats(*s["a"], *s["b"], equal_var=False).pvalue, None


def _scipy_equivalence(s, rng):
    low, high = stats.ttest_ind(s["a"], s["b"], equal_var=False).confidence_interval(1 - 2 * ALPHA)
    return bool(max(-low, high) < MARGIN), None


def _rate_gap(errors_a, errors_b, words, axis):
    return (errors_a.sum(axis=axis) - errors_b.sum(axis=axis)) / words.sum(axis=axis)


def _scipy_rates(s, rng):
    data = (s["errors_a"], s["errors_b"], s["words"])
    return _by_interval(*stats.bootstrap(data, _rate_gap, paired=True, rng=rng).confidence_interval)


# ---------------------------------------------------------------------------------------------
# statsmodels, and what stands on it
# ---------------------------------------------------------------------------------------------


def _statsmodels_welch(s, rng):
    from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

    found = CompareMeans(DescrStatsW(s["a"]), DescrStatsW(s["b"]))
    return found.ttest_ind(usevar="unequal")[1], found.tconfint_diff(usevar="unequal")


def _statsmodels_mcnemar(s, rng):
    from statsmodels.stats.contingency_tables import mcnemar

    n10, n01 = _counts(s)
    both = int(np.sum((s["a"] == 1) & (s["b"] == 1)))
    return mcnemar([[both, n10], [n01, len(s["a"]) - both - n10 - n01]]).pvalue, None


def _clustered(differences, groups):
    from statsmodels.regression.linear_model import OLS

    found = OLS(differences, np.ones(len(differences))).fit(cov_type="cluster", cov_kwds={"groups": groups})
    return found.pvalues[0], tuple(found.conf_int()[0])


def _statsmodels_clusters(s, rng):
    return _clustered(s["a"] - s["b"], s["groups"])


def _statsmodels_answers(s, rng):
    differences = s["a"] - s["b"]
    items = np.broadcast_to(np.arange(differences.shape[1]), differences.shape)
    return _clustered(differences.ravel(), items.ravel())


def _statsmodels_holm(s, rng):
    from statsmodels.stats.multitest import multipletests

    table = s["table"]
    pvalues = [stats.wilcoxon(table[:, i], table[:, j]).pvalue for i, j in _pairs(table)]
    return multipletests(pvalues, method="holm")[1].min(), None


def _statsmodels_tost(s, rng):
    from statsmodels.stats.weightstats import ttost_ind

    return ttost_ind(s["a"], s["b"], -MARGIN, MARGIN, usevar="unequal")[0], None


def _autorank(s, rng):
    from autorank import autorank

    with contextlib.redirect_stdout(io.StringIO()):  # it prints its table even if it is not to be verbose
        return autorank(pd.DataFrame(s["table"], columns=list("abcd")), verbose=False).pvalue, None


# ---------------------------------------------------------------------------------------------
# evalstats, evalsig, evaluatio, rliable, opda
# ---------------------------------------------------------------------------------------------


def _evalstats(frame, **options):
    import evalstats

    pairs = evalstats.compare(evalstats.load_from(frame), factors="model", **options).to_dict()["pairwise"]
    if len(pairs) == 1:
        (pair,) = pairs
        return pair["p_value"], (pair["ci_low"], pair["ci_high"])
    return min(pair["p_value"] for pair in pairs), None


def _long(a, b, items, **more):
    frame = {"model": ["A"] * len(a) + ["B"] * len(b), "item": items, "score": np.concatenate([a, b])}
    return pd.DataFrame(frame | more)


def _evalstats_runs(s, rng):
    a, b = s["a"], s["b"]
    return _evalstats(_long(a, b, range(len(a) + len(b))), design="unpaired")


def _evalstats_items(s, rng):
    return _evalstats(_long(s["a"], s["b"], [*range(len(s["a"]))] * 2))


def _evalstats_answers(s, rng):
    answers, items = s["a"].shape
    run, item = (np.tile(part.ravel(), 2) for part in np.indices((answers, items)))
    return _evalstats(_long(s["a"].ravel(), s["b"].ravel(), item, run=run))


def _evalstats_systems(s, rng):
    table = pd.DataFrame(s["table"], columns=list("abcd")).rename_axis("item").reset_index()
    return _evalstats(table.melt("item", var_name="model", value_name="score"))


def _evalstats_rates(s, rng):
    return _evalstats_items(dict(zip("ab", _rates(s), strict=True)), rng)


def _evalsig(a, b, items=None, epochs=None, groups=None):
    import evalsig

    def frame(scores):
        columns = (
            range(len(a)) if items is None else items,
            scores,
            [None] * len(a) if groups is None else map(str, groups),
            [0] * len(a) if epochs is None else epochs,
        )
        rows = [
            evalsig.ItemResult(str(item), float(score), group, int(epoch))
            for item, score, group, epoch in zip(*columns, strict=True)
        ]
        return evalsig.RunFrame("run", "model", "task", "score", rows)

    # It takes the second minus the first.
    found = evalsig.compare(frame(b), frame(a), cluster=None if groups is None else "module")
    return found.p_value, found.ci


def _evalsig_runs(s, rng):
    from evalsig.inference.unpaired import unpaired_t_test

    found = unpaired_t_test(s["b"], s["a"])
    return found.p_value, found.ci


def _evalsig_items(s, rng):
    return _evalsig(s["a"], s["b"])


def _evalsig_clusters(s, rng):
    return _evalsig(s["a"], s["b"], groups=s["groups"])


def _evalsig_answers(s, rng):
    epoch, item = np.indices(s["a"].shape)
    return _evalsig(s["a"].ravel(), s["b"].ravel(), item.ravel(), epoch.ravel())


def _evalsig_rates(s, rng):
    return _evalsig(*_rates(s))


def _evaluatio(a, b):
    from evaluatio.inference.ci import bootstrap_confidence_interval
    from evaluatio.inference.hypothesis import paired_permutation_test

    interval = bootstrap_confidence_interval(a - b, ITERATIONS, ALPHA)
    return paired_permutation_test(a, b, ITERATIONS), (interval.lower, interval.upper)


def _evaluatio_items(s, rng):
    return _evaluatio(s["a"], s["b"])


def _evaluatio_answers(s, rng):
    return _evaluatio(s["a"].mean(axis=0), s["b"].mean(axis=0))


def _evaluatio_rates(s, rng):
    from evaluatio.inference.hypothesis import paired_bootstrap_test

    return paired_bootstrap_test(*_rates(s), ITERATIONS), None


def _rliable(s, rng):
    from rliable import library, metrics

    # It draws by NumPy's global generator.
    np.random.seed(rng.integers(2**32))  # noqa: NPY002
    pair = {"a,b": (s["a"][:, None], s["b"][:, None])}
    _, found = library.get_interval_estimates(pair, metrics.probability_of_improvement, reps=2000)
    low, high = found["a,b"].ravel()
    return bool(not low <= 0.5 <= high), None


def _opda(s, rng):
    from opda.nonparametric import EmpiricalDistribution

    n = min(len(s["test_a"]), len(s["test_b"])) // 5
    (low_a, high_a), (low_b, high_b) = (
        # An upper band for the distribution is a lower one for the best of n.
        (upper.average_tuning_curve(n), lower.average_tuning_curve(n))
        for name in "ab"
        for lower, _, upper in [
            EmpiricalDistribution.confidence_bands(s[f"validation_{name}"], 0.95, a=0.0, b=1.0, method="ks")
        ]
    )
    return bool(high_a < low_b or high_b < low_a), (low_a - high_b, high_a - low_b)


# ---------------------------------------------------------------------------------------------
# evalkit
# ---------------------------------------------------------------------------------------------


def _both(found):
    return found.pvalue, (found.low, found.high)


def _evalkit_runs(s, rng):
    return _both(difference_interval(s["a"], s["b"], paired=False))


def _evalkit_items(s, rng):
    return _both(crossed_difference(s["a"], s["b"]))


def _evalkit_groups(s, rng):
    return _both(crossed_difference(s["a"], s["b"], s["groups"]))


def _evalkit_answers(s, rng):
    return _both(crossed_difference(s["a"], s["b"], rows="answers"))


def _evalkit_splits(s, rng):
    return corrected_t(s["a"], s["b"], n_train=s["n_train"], n_test=s["n_test"]).pvalue, None


def _evalkit_budgets(s, rng):
    n = min(len(s["test_a"]), len(s["test_b"])) // 5
    parts = (s[f"{kind}_{name}"] for name in "ab" for kind in ("validation", "test"))
    return _both(budget_difference(*parts, n))


def _evalkit_systems(s, rng):
    return compare_systems(s["table"]).pairs.adjusted.min(), None


def _evalkit_summaries(s, rng):
    found = from_summary(s["a"], s["b"], spread="sd")
    return found.pvalue, (found.low, found.high)


def _evalkit_equivalence(s, rng):
    return equivalence(difference_interval(s["a"], s["b"], paired=False), MARGIN).equivalent, None


def _evalkit_rates(s, rng):
    words = s["words"]
    return _both(ratio_difference(s["errors_a"], words, s["errors_b"], words, np.arange(len(words))))


# ---------------------------------------------------------------------------------------------
# Which of them answers what
# ---------------------------------------------------------------------------------------------

_UNPAIRED = {
    "usual": Method("mean ± SD of each: the bars do not touch", _bars_apart),
    "usual, Student": Method("scipy.stats.ttest_ind(a, b)", _student),
    "SciPy": Method("scipy.stats.ttest_ind(a, b, equal_var=False)", _scipy_welch),
    "SciPy, ranks": Method("scipy.stats.mannwhitneyu(a, b)", _scipy_ranks),
    "SciPy, bootstrap": Method("scipy.stats.bootstrap((a, b), difference_of_means)", _scipy_bootstrap),
    "statsmodels": Method(
        "CompareMeans(DescrStatsW(a), DescrStatsW(b)).ttest_ind(usevar='unequal'), .tconfint_diff(...)",
        _statsmodels_welch,
        ("statsmodels",),
    ),
    "evalstats": Method(
        "evalstats.compare(evalstats.load_from(runs), factors='model', design='unpaired')",
        _evalstats_runs,
        ("evalstats",),
        USUAL,
    ),
    "evalsig": Method("evalsig.inference.unpaired.unpaired_t_test(b, a)", _evalsig_runs, ("evalsig",)),
    "rliable": Method(
        "rliable.library.get_interval_estimates({'a,b': (a, b)}, probability_of_improvement, reps=2000)",
        _rliable,
        ("rliable",),
        SLOWEST,
        designs=("5 runs", "10 runs"),
    ),
    "evalkit": Method("ek.difference_interval(a, b, paired=False)", _evalkit_runs),
}

_ITEMS = {
    "usual": Method("scipy.stats.ttest_ind(a, b), as if the items were not the same", _student),
    "usual, intervals": Method("accuracy ± 1.96 SE of each: the intervals do not touch", _intervals_apart),
    "SciPy": Method("scipy.stats.ttest_rel(a, b)", _scipy_paired),
    "SciPy, binomial": Method("scipy.stats.binomtest(n10, n10 + n01)", _scipy_binomial),
    "statsmodels": Method(
        "statsmodels.stats.contingency_tables.mcnemar(table)", _statsmodels_mcnemar, ("statsmodels",)
    ),
    "evalstats": Method(
        "evalstats.compare(evalstats.load_from(items), factors='model')",
        _evalstats_items,
        ("evalstats",),
        USUAL,
    ),
    "evalsig": Method("evalsig.compare(b, a)", _evalsig_items, ("evalsig",)),
    "evaluatio": Method(
        "paired_permutation_test(a, b, 5000), bootstrap_confidence_interval(a - b, 5000, 0.05)",
        _evaluatio_items,
        ("evaluatio",),
        USUAL,
        unseeded=True,
    ),
    "evalkit": Method("ek.crossed_difference(a, b)", _evalkit_items),
}

_GROUPS = {
    "usual": Method("scipy.stats.ttest_rel(a, b), as if items were independent", _scipy_paired),
    "usual, bootstrap": Method("1,000 resamples of the items: the 2.5 and 97.5 % points", _item_bootstrap),
    "SciPy": Method("scipy.stats.ttest_rel(means_of_groups_a, means_of_groups_b)", _scipy_group_means),
    "statsmodels": Method(
        "OLS(a - b, ones).fit(cov_type='cluster', cov_kwds={'groups': groups})",
        _statsmodels_clusters,
        ("statsmodels",),
        USUAL,
    ),
    "evalstats": Method(
        "evalstats.compare(evalstats.load_from(items), factors='model'), which knows no groups",
        _evalstats_items,
        ("evalstats",),
        USUAL,
    ),
    "evalsig": Method("evalsig.compare(b, a, cluster='module')", _evalsig_clusters, ("evalsig",), SLOW),
    "evalkit": Method("ek.crossed_difference(a, b, groups)", _evalkit_groups),
}

_BUDGETS = {
    "usual": Method("the higher best score", _higher_best),
    "usual, two models": Method("a z test of the two best models on 3,000 items", _best_two),
    "SciPy": Method("scipy.stats.bootstrap((a, b), difference_of_the_best)", _scipy_best, (), USUAL),
    "opda": Method(
        "EmpiricalDistribution.confidence_bands(scores, 0.95, method='ks'): bands that do not touch",
        _opda,
        ("opda",),
        USUAL,
    ),
    "evalkit": Method(
        "ek.budget_difference(validation_a, test_a, validation_b, test_b, n)", _evalkit_budgets
    ),
}

COMPARISONS = {
    "seeds": Comparison(
        "two systems, a few training runs each",
        _draw_runs,
        {
            "3 runs": (("lstm", "lstm"), (3, 3), 0.0),
            "5 runs": (("lstm", "lstm"), (5, 5), 0.0),
            "10 runs": (("lstm", "lstm"), (10, 10), 0.0),
            "20 and 5 runs, unlike spreads": (("mlp", "lstm"), (20, 5), 0.0),
            "5 runs, a difference": (("lstm", "lstm"), (5, 5), 0.02),
        },
        _UNPAIRED,
        ("5 runs, a difference",),
    ),
    "items": Comparison(
        "two models on one test set, right or wrong",
        _draw_items,
        {
            "100 items": (("mlp", "lstm"), 100, True, False),
            "500 items": (("mlp", "lstm"), 500, True, False),
            "500 items, a difference": (("lstm", "linear"), 500, False, False),
        },
        _ITEMS,
        ("500 items, a difference",),
    ),
    "groups": Comparison(
        "items in many groups (questions of a text, lines of a module)",
        _draw_groups,
        {
            "60 groups": (("mlp", "lstm"), 60, True, 1),
            "60 groups, a difference": (("lstm", "linear"), 60, False, 1),
        },
        _GROUPS,
        ("60 groups, a difference",),
    ),
    "few_groups": Comparison(
        "items in few groups of unequal size",
        _draw_groups,
        {f"{n} groups": (("mlp", "lstm"), n, True, 5) for n in (5, 8, 12)},
        _GROUPS,
    ),
    "near_one": Comparison(
        "accuracies near 1, with few disagreements",
        _draw_items,
        {
            "100 items": (("mlp", "lstm"), 100, True, True),
            "300 items": (("mlp", "lstm"), 300, True, True),
            "300 items, a difference": (("mlp", "lstm"), 300, False, True),
        },
        _ITEMS,
        ("300 items, a difference",),
    ),
    "answers": Comparison(
        "several answers to each item",
        _draw_answers,
        {"100 items, 5 answers": (100, 5), "300 items, 3 answers": (300, 3)},
        {
            "usual": Method(
                "scipy.stats.ttest_rel(a.ravel(), b.ravel()): each answer an item", _every_answer
            ),
            "usual, samples": Method("scipy.stats.ttest_ind(a.mean(1), b.mean(1))", _samples_of_all),
            "SciPy": Method("scipy.stats.ttest_rel(a.mean(0), b.mean(0))", _scipy_item_means),
            "statsmodels": Method(
                "OLS(a - b, ones).fit(cov_type='cluster', cov_kwds={'groups': items})",
                _statsmodels_answers,
                ("statsmodels",),
                USUAL,
            ),
            "evalstats": Method(
                "evalstats.compare(evalstats.load_from(answers), factors='model'), with a column `run`",
                _evalstats_answers,
                ("evalstats",),
                USUAL,
            ),
            "evalsig": Method(
                "evalsig.compare(b, a), which keeps the first answer (epoch 0)",
                _evalsig_answers,
                ("evalsig",),
                USUAL,
            ),
            "evaluatio": Method(
                "paired_permutation_test(a.mean(0), b.mean(0), 5000), bootstrap_confidence_interval(...)",
                _evaluatio_answers,
                ("evaluatio",),
                USUAL,
                unseeded=True,
            ),
            "evalkit": Method("ek.crossed_difference(a, b, rows='answers')", _evalkit_answers),
        },
    ),
    "splits": Comparison(
        "folds or random splits of one data set",
        _draw_splits,
        {splits: (splits,) for splits in SPLITTERS},
        {
            "usual": Method("mean ± SD over the splits: the bars do not touch", _bars_apart, samples=DRAWN),
            "scikit-learn": Method(
                "scipy.stats.ttest_rel(cross_val_score(one, ...), cross_val_score(other, ...))",
                _scipy_paired,
                samples=DRAWN,
            ),
            "evalkit": Method(
                "ek.corrected_t(a, b, n_train=..., n_test=...)", _evalkit_splits, samples=DRAWN
            ),
        },
    ),
    "budgets": Comparison(
        "the best of a search, at equal budgets",
        _draw_trials,
        {
            "30 trials": ("mlp", (30, 30)),
            "100 trials": ("mlp", (100, 100)),
        },
        _BUDGETS,
    ),
    "unequal_budgets": Comparison(
        "the best of a search, at unequal budgets",
        _draw_trials,
        {"100 and 30 trials": ("mlp", (100, 30))},
        _BUDGETS,
    ),
    "datasets": Comparison(
        "four systems on several data sets",
        _draw_datasets,
        {"9 data sets": (9,), "20 data sets": (20,)},
        {
            "usual": Method("scipy.stats.ttest_rel of each pair, unadjusted", _every_pair),
            "SciPy": Method("scipy.stats.friedmanchisquare(*columns)", _scipy_friedman),
            "statsmodels": Method(
                "statsmodels.stats.multitest.multipletests(pvalues_of_wilcoxon, method='holm')",
                _statsmodels_holm,
                ("statsmodels",),
                USUAL,
            ),
            "autorank": Method("autorank.autorank(table, verbose=False)", _autorank, ("autorank",), SLOW),
            "evalstats": Method(
                "evalstats.compare(evalstats.load_from(scores), factors='model')",
                _evalstats_systems,
                ("evalstats",),
                SLOW,
            ),
            "evalkit": Method("ek.compare_systems(table)", _evalkit_systems, samples=USUAL),
        },
    ),
    "summaries": Comparison(
        "a printed mean, SD and number of runs",
        _draw_summaries,
        {
            "3 runs": (("lstm", "lstm"), (3, 3)),
            "5 runs": (("lstm", "lstm"), (5, 5)),
            "20 and 5 runs, unlike spreads": (("mlp", "lstm"), (20, 5)),
        },
        {
            "usual": Method("mean ± SD of each: the bars do not touch", _printed_bars_apart),
            "usual, Student": Method("scipy.stats.ttest_ind_from_stats(*a, *b)", _printed_student),
            "SciPy": Method("scipy.stats.ttest_ind_from_stats(*a, *b, equal_var=False)", _scipy_summaries),
            "evalkit": Method("ek.from_summary(a, b, spread='sd')", _evalkit_summaries),
        },
    ),
    "equivalence": Comparison(
        "as good as: two systems that differ by the margin",
        _draw_runs,
        {
            "3 runs": (("lstm", "lstm"), (3, 3), MARGIN),
            "5 runs": (("lstm", "lstm"), (5, 5), MARGIN),
            "10 runs": (("lstm", "lstm"), (10, 10), MARGIN),
            "20 and 5 runs, unlike spreads": (("mlp", "lstm"), (20, 5), MARGIN),
            "10 runs, no difference": (("lstm", "lstm"), (10, 10), 0.0),
        },
        {
            "usual": Method("a p-value above 0.05: no significant difference, so as good", _not_significant),
            "usual, bars": Method("mean ± SD of each: the bars touch", _bars_touch),
            "SciPy": Method(
                "scipy.stats.ttest_ind(a, b, equal_var=False).confidence_interval(0.9), inside the margin",
                _scipy_equivalence,
            ),
            "statsmodels": Method(
                "statsmodels.stats.weightstats.ttost_ind(a, b, -margin, margin, usevar='unequal')",
                _statsmodels_tost,
                ("statsmodels",),
            ),
            "evalkit": Method(
                "ek.equivalence(ek.difference_interval(a, b, paired=False), margin)", _evalkit_equivalence
            ),
        },
        ("10 runs, no difference",),
    ),
    "error_rate": Comparison(
        "a word error rate over a corpus",
        _draw_utterances,
        {
            "100 utterances": (("mlp", "lstm"), 100, True, False),
            "100 utterances, one silent": (("mlp", "lstm"), 100, True, True),
            "100 utterances, a difference": (("lstm", "linear"), 100, False, False),
        },
        {
            "usual": Method("rate ± 1.96 SE of the difference, words as independent items", _words_as_items),
            "usual, means": Method("scipy.stats.ttest_rel(rates_a, rates_b) of the utterances", _mean_rate),
            "SciPy": Method(
                "scipy.stats.bootstrap((errors_a, errors_b, words), difference, paired=True)",
                _scipy_rates,
                samples=USUAL,
            ),
            "evalstats": Method(
                "evalstats.compare(evalstats.load_from(rates), factors='model')",
                _evalstats_rates,
                ("evalstats",),
                USUAL,
            ),
            "evalsig": Method("evalsig.compare(rates_b, rates_a)", _evalsig_rates, ("evalsig",), USUAL),
            "evaluatio": Method(
                "evaluatio.inference.hypothesis.paired_bootstrap_test(rates_a, rates_b, 5000)",
                _evaluatio_rates,
                ("evaluatio",),
                USUAL,
                unseeded=True,
            ),
            "evalkit": Method(
                "ek.ratio_difference(errors_a, words, errors_b, words, utterances)", _evalkit_rates
            ),
        },
        ("100 utterances, a difference",),
    ),
}


# ---------------------------------------------------------------------------------------------
# Counting
# ---------------------------------------------------------------------------------------------


def _answer(decide, sample, rng):
    """Return whether a method claims a difference, and its interval; None if what it gives is no answer."""
    verdict, interval = decide(sample, rng)
    if not np.all(np.isfinite([verdict, *(interval or ())])):
        return None
    return (verdict if isinstance(verdict, (bool, np.bool_)) else verdict <= ALPHA), interval


def _rates_of(comparison, design, method):
    asked, how = COMPARISONS[comparison], COMPARISONS[comparison].methods[method]
    place = [list(COMPARISONS).index(comparison), list(asked.designs).index(design)]
    # Every method sees the same samples.
    draws, own = (np.random.default_rng([purpose, *place]) for purpose in (31, 32))
    counts = dict.fromkeys(("rejected", "held", "refused", "failed"), 0)
    widths, truths = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is counted is what they return
        for number in range(how.samples):
            sample = asked.draw(number, draws, *asked.designs[design])
            truths.append(sample["truth"])
            try:
                found = _answer(how.decide, sample, own)
            except np.linalg.LinAlgError:  # a kind of ValueError, but no refusal
                found = None
            except ValueError:
                counts["refused"] += 1
                continue
            except (ArithmeticError, LookupError, TypeError, RuntimeError, AttributeError):
                found = None
            if found is None:
                counts["failed"] += 1
                continue
            claimed, interval = found
            counts["rejected"] += bool(claimed)
            if interval is not None:
                low, high = interval
                counts["held"] += bool(low <= sample["truth"] <= high)
                widths.append(high - low)
    return {
        "samples": how.samples,
        **{name: int(count) for name, count in counts.items()},
        "held": counts["held"] if widths else None,
        "mean_width": round(float(np.mean(widths)), 6) if widths else None,
        "truth": round(float(np.mean(truths)), 6),
        "call": how.call,
    }


def _plan(scale, rows):
    """Return the units; none depends on another."""
    units = [
        {"table": "rates", "comparison": comparison, "design": design, "method": method}
        for comparison, asked in COMPARISONS.items()
        for design in asked.designs
        for method, how in asked.methods.items()
        if design in (how.designs or asked.designs)
    ]
    return sorted(units, key=lambda unit: unit["method"] == "evalkit")


def _needs(unit):
    return COMPARISONS[unit["comparison"]].methods[unit["method"]].needs


def _unseeded(unit):
    return COMPARISONS[unit["comparison"]].methods[unit["method"]].unseeded


EXPERIMENT = Experiment(
    name="peers",
    # Another machine's last bits may turn a decision or two; a generator without a seed, one in fifty.
    compared={"rejected": 8, "held": 8, "refused": 3, "failed": 3},
    plan=_plan,
    tables={"rates": _rates_of},
    needs=_needs,
    unseeded=_unseeded,
)
