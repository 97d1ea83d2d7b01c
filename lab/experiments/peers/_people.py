"""What people do, and what SciPy offers: from a sample and a generator to a verdict and
an interval.
"""

import numpy as np
from scipy import stats

ALPHA = 0.05
MARGIN = 0.015  # of accuracy, within which two systems count as equally good


def by_interval(low, high, null=0.0):
    return not low <= null <= high, (low, high)


def bars_apart(s, rng):
    a, b = s["a"], s["b"]
    return bool(abs(a.mean() - b.mean()) > a.std(ddof=1) + b.std(ddof=1)), None


def student(s, rng):
    test = stats.ttest_ind(s["a"].ravel(), s["b"].ravel())
    return test.pvalue, tuple(test.confidence_interval())


def item_bootstrap(s, rng):
    d = s["a"] - s["b"]
    means = d[rng.integers(len(d), size=(1000, len(d)))].mean(axis=1)
    return by_interval(*np.quantile(means, [0.025, 0.975]))


def intervals_apart(s, rng):
    (low_a, high_a), (low_b, high_b) = (
        x.mean()
        + 1.96 * np.sqrt(x.mean() * (1 - x.mean()) / x.size) * np.array([-1, 1])
        for x in (s["a"], s["b"])
    )
    return bool(high_a < low_b or high_b < low_a), None


def with_error(s, scores, error):
    """Return the interval of 1.96 standard errors either way, and whether it misses the
    true score.
    """
    mean = np.mean(scores)
    return by_interval(mean - 1.96 * error, mean + 1.96 * error, s["truth"])


def share_alone(s, rng):
    a = s["a"]
    return with_error(s, a, np.sqrt(a.mean() * (1 - a.mean()) / a.size))


def every_answer(s, rng):
    test = stats.ttest_rel(s["a"].ravel(), s["b"].ravel())
    return test.pvalue, tuple(test.confidence_interval())


def samples_of_all(s, rng):
    test = stats.ttest_ind(s["a"].mean(axis=1), s["b"].mean(axis=1))
    return test.pvalue, tuple(test.confidence_interval())


def _chosen(s, name):
    return s[f"test_{name}"][np.argmax(s[f"validation_{name}"])]


def higher_best(s, rng):
    return bool(_chosen(s, "a") != _chosen(s, "b")), None


def best_two(s, rng):
    a, b, n = _chosen(s, "a"), _chosen(s, "b"), s["items"]
    half = 1.96 * np.sqrt((a * (1 - a) + b * (1 - b)) / n)
    return by_interval(a - b - half, a - b + half)


def every_pair(s, rng):
    table = s["table"]
    pvalues = [
        stats.ttest_rel(table[:, i], table[:, j]).pvalue for i, j in pairs(table)
    ]
    return min(pvalues), None


def pairs(table):
    return [(i, j) for i in range(table.shape[1]) for j in range(i)]


def printed_bars_apart(s, rng):
    (mean_a, sd_a, _), (mean_b, sd_b, _) = s["a"], s["b"]
    return bool(abs(mean_a - mean_b) > sd_a + sd_b), None


def printed_student(s, rng):
    return stats.ttest_ind_from_stats(*s["a"], *s["b"]).pvalue, None


def not_significant(s, rng):
    return bool(stats.ttest_ind(s["a"], s["b"], equal_var=False).pvalue > ALPHA), None


def bars_touch(s, rng):
    return not bars_apart(s, rng)[0], None


def rates(s):
    with np.errstate(divide="ignore", invalid="ignore"):
        return s["errors_a"] / s["words"], s["errors_b"] / s["words"]


def mean_rate(s, rng):
    test = stats.ttest_rel(*rates(s))
    return test.pvalue, tuple(test.confidence_interval())


def words_as_items(s, rng):
    n = s["words"].sum()
    a, b = s["errors_a"].sum() / n, s["errors_b"].sum() / n
    half = 1.96 * np.sqrt((a * (1 - a) + b * (1 - b)) / n)
    return by_interval(a - b - half, a - b + half)


# --------------------------------------------------------------------------------------
# SciPy
# --------------------------------------------------------------------------------------


def scipy_welch(s, rng):
    test = stats.ttest_ind(s["a"], s["b"], equal_var=False)
    return test.pvalue, tuple(test.confidence_interval())


def _mean_gap(x, y, axis):
    return x.mean(axis=axis) - y.mean(axis=axis)


def scipy_bootstrap(s, rng):
    return by_interval(
        *stats.bootstrap((s["a"], s["b"]), _mean_gap, rng=rng).confidence_interval
    )


def scipy_ranks(s, rng):
    return stats.mannwhitneyu(s["a"], s["b"]).pvalue, None


def scipy_paired(s, rng):
    test = stats.ttest_rel(s["a"], s["b"])
    return test.pvalue, tuple(test.confidence_interval())


def counts(s):
    return int(np.sum(s["a"] > s["b"])), int(np.sum(s["a"] < s["b"]))


def scipy_binomial(s, rng):
    n10, n01 = counts(s)
    return stats.binomtest(n10, n10 + n01).pvalue, None


def scipy_group_means(s, rng):
    sizes = np.bincount(s["groups"])
    a, b = (np.bincount(s["groups"], weights=s[name]) / sizes for name in "ab")
    test = stats.ttest_rel(a, b)
    return test.pvalue, tuple(test.confidence_interval())


def scipy_score(s, rng):
    sizes = np.bincount(s["groups"])
    means = np.bincount(s["groups"], weights=s["a"]) / sizes
    return by_interval(*stats.ttest_1samp(means, 0).confidence_interval(), s["truth"])


def scipy_problems(s, rng):
    return by_interval(
        *stats.ttest_1samp(s["a"].mean(axis=0), 0).confidence_interval(), s["truth"]
    )


def scipy_item_means(s, rng):
    test = stats.ttest_rel(s["a"].mean(axis=0), s["b"].mean(axis=0))
    return test.pvalue, tuple(test.confidence_interval())


def scipy_best(s, rng):
    # Trials are drawn by their places, so that validation and test stay together.
    def chosen(name, k, axis):
        best = s[f"validation_{name}"][k].argmax(axis, keepdims=True)
        return np.take_along_axis(s[f"test_{name}"][k], best, axis).squeeze(axis)

    def gap(i, j, axis):
        return chosen("a", i, axis) - chosen("b", j, axis)

    places = tuple(np.arange(len(s[f"test_{name}"])) for name in "ab")
    return by_interval(*stats.bootstrap(places, gap, rng=rng).confidence_interval)


def scipy_friedman(s, rng):
    return stats.friedmanchisquare(*s["table"].T).pvalue, None


def scipy_summaries(s, rng):
    return stats.ttest_ind_from_stats(*s["a"], *s["b"], equal_var=False).pvalue, None


def scipy_equivalence(s, rng):
    low, high = stats.ttest_ind(s["a"], s["b"], equal_var=False).confidence_interval(
        1 - 2 * ALPHA
    )
    return bool(max(-low, high) < MARGIN), None


def _rate_gap(errors_a, errors_b, words, axis):
    return (errors_a.sum(axis=axis) - errors_b.sum(axis=axis)) / words.sum(axis=axis)


def scipy_rates(s, rng):
    data = (s["errors_a"], s["errors_b"], s["words"])
    return by_interval(
        *stats.bootstrap(data, _rate_gap, paired=True, rng=rng).confidence_interval
    )
