"""What packages beside SciPy answer; each is imported where it is called, for none is
needed elsewhere.
"""

import contextlib
import io

import numpy as np
import pandas as pd
from scipy import stats

from evalkit.expected_maximum import budget_difference
from evalkit.intervals import (
    difference_interval,
    equivalence,
    from_summary,
    group_interval,
)
from evalkit.leaderboards import pass_at_k
from evalkit.proportions import ratio_difference
from evalkit.seeds import crossed_difference
from evalkit.significance import compare_systems, corrected_t
from lab.experiments.peers._people import (
    ALPHA,
    MARGIN,
    by_interval,
    counts,
    pairs,
    rates,
    with_error,
)

ITERATIONS = 5000  # that evaluatio's documentation recommends


def statsmodels_welch(s, rng):
    from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

    comparison = CompareMeans(DescrStatsW(s["a"]), DescrStatsW(s["b"]))
    return comparison.ttest_ind(usevar="unequal")[1], comparison.tconfint_diff(
        usevar="unequal"
    )


def statsmodels_mcnemar(s, rng):
    from statsmodels.stats.contingency_tables import mcnemar

    n10, n01 = counts(s)
    both = int(np.sum((s["a"] == 1) & (s["b"] == 1)))
    return mcnemar([[both, n10], [n01, len(s["a"]) - both - n10 - n01]]).pvalue, None


def _clustered(differences, groups):
    from statsmodels.regression.linear_model import OLS

    fit = OLS(differences, np.ones(len(differences))).fit(
        cov_type="cluster", cov_kwds={"groups": groups}
    )
    return fit.pvalues[0], tuple(fit.conf_int()[0])


def statsmodels_clusters(s, rng):
    return _clustered(s["a"] - s["b"], s["groups"])


def statsmodels_score(s, rng):
    return by_interval(*_clustered(s["a"], s["groups"])[1], s["truth"])


def statsmodels_several(s, rng):
    items = np.broadcast_to(np.arange(s["a"].shape[1]), s["a"].shape)
    return by_interval(*_clustered(s["a"].ravel(), items.ravel())[1], s["truth"])


def statsmodels_answers(s, rng):
    differences = s["a"] - s["b"]
    items = np.broadcast_to(np.arange(differences.shape[1]), differences.shape)
    return _clustered(differences.ravel(), items.ravel())


def statsmodels_holm(s, rng):
    from statsmodels.stats.multitest import multipletests

    table = s["table"]
    pvalues = [stats.wilcoxon(table[:, i], table[:, j]).pvalue for i, j in pairs(table)]
    return multipletests(pvalues, method="holm")[1].min(), None


def statsmodels_tost(s, rng):
    from statsmodels.stats.weightstats import ttost_ind

    return ttost_ind(s["a"], s["b"], -MARGIN, MARGIN, usevar="unequal")[0], None


def autorank_systems(s, rng):
    from autorank import autorank

    # It prints its table even if it is not to be verbose.
    with contextlib.redirect_stdout(io.StringIO()):
        return (
            autorank(
                pd.DataFrame(s["table"], columns=list("abcd")), verbose=False
            ).pvalue,
            None,
        )


# --------------------------------------------------------------------------------------
# evalstats, evalsig
# --------------------------------------------------------------------------------------


def _evalstats(frame, **options):
    import evalstats

    pairs = evalstats.compare(
        evalstats.load_from(frame), factors="model", **options
    ).to_dict()["pairwise"]
    if len(pairs) == 1:
        (pair,) = pairs
        return pair["p_value"], (pair["ci_low"], pair["ci_high"])
    return min(pair["p_value"] for pair in pairs), None


def _long(a, b, items, **more):
    frame = {
        "model": ["A"] * len(a) + ["B"] * len(b),
        "item": items,
        "score": np.concatenate([a, b]),
    }
    return pd.DataFrame(frame | more)


def evalstats_runs(s, rng):
    a, b = s["a"], s["b"]
    return _evalstats(_long(a, b, range(len(a) + len(b))), design="unpaired")


def evalstats_items(s, rng):
    return _evalstats(_long(s["a"], s["b"], [*range(len(s["a"]))] * 2))


def evalstats_answers(s, rng):
    answers, items = s["a"].shape
    run, item = (np.tile(part.ravel(), 2) for part in np.indices((answers, items)))
    return _evalstats(_long(s["a"].ravel(), s["b"].ravel(), item, run=run))


def evalstats_systems(s, rng):
    table = (
        pd.DataFrame(s["table"], columns=list("abcd")).rename_axis("item").reset_index()
    )
    return _evalstats(table.melt("item", var_name="model", value_name="score"))


def evalstats_rates(s, rng):
    return evalstats_items(dict(zip("ab", rates(s), strict=True)), rng)


def _evalstats_mean(s, scores, rng):
    import evalstats

    _, low, high, *_ = evalstats.mean_ci(scores, rng=rng)
    return by_interval(low, high, s["truth"])


def evalstats_score(s, rng):
    return _evalstats_mean(s, s["a"], rng)


def evalstats_several(s, rng):
    return _evalstats_mean(s, s["a"].mean(axis=0), rng)


def bayes_score(s, rng):
    import evalstats

    return by_interval(
        *evalstats.bayes_evals.independent_intervals(pd.DataFrame({"a": s["a"]})).a,
        s["truth"],
    )


def bayes_difference(s, rng):
    import evalstats

    np.random.seed(rng.integers(2**32))  # noqa: NPY002
    table = evalstats.bayes_evals.paired_comparisons(
        pd.DataFrame({"a": s["a"], "b": s["b"]})
    )
    better = table.loc["a", "b"]
    return 2 * min(better, 1 - better), None


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
    comparison = evalsig.compare(
        frame(b), frame(a), cluster=None if groups is None else "module"
    )
    return comparison.p_value, comparison.ci


def evalsig_runs(s, rng):
    from evalsig.inference.unpaired import unpaired_t_test

    test = unpaired_t_test(s["b"], s["a"])
    return test.p_value, test.ci


def evalsig_items(s, rng):
    return _evalsig(s["a"], s["b"])


def evalsig_clusters(s, rng):
    return _evalsig(s["a"], s["b"], groups=s["groups"])


def evalsig_answers(s, rng):
    epoch, item = np.indices(s["a"].shape)
    return _evalsig(s["a"].ravel(), s["b"].ravel(), item.ravel(), epoch.ravel())


def evalsig_rates(s, rng):
    return _evalsig(*rates(s))


# --------------------------------------------------------------------------------------
# inspect-ai, lm-eval
# --------------------------------------------------------------------------------------


def _inspected(scores, families):
    from inspect_ai.scorer import SampleScore, Score

    return [
        SampleScore(score=Score(value=score), sample_metadata={"family": family})
        for score, family in zip(scores.tolist(), families.tolist(), strict=True)
    ]


def inspect_score(s, rng):
    from inspect_ai.scorer import stderr

    return with_error(
        s, s["a"], stderr(cluster="family")(_inspected(s["a"], s["groups"]))
    )


def inspect_interval(s, rng):
    from inspect_ai.scorer import ci

    found = ci(cluster="family")(_inspected(s["a"], s["groups"]))
    return by_interval(found["lower"], found["upper"], s["truth"])


def inspect_several(s, rng):
    from inspect_ai.scorer import Score, mean_score, stderr

    reduce = mean_score()
    scores = np.array(
        [
            reduce([Score(value=v) for v in answers]).value
            for answers in s["a"].T.tolist()
        ]
    )
    return with_error(s, scores, stderr()(_inspected(scores, np.arange(scores.size))))


def lm_eval_score(s, rng):
    from lm_eval.api.metrics import mean_stderr

    return with_error(s, s["a"], mean_stderr(s["a"].tolist()))


def lm_eval_several(s, rng):
    return lm_eval_score({**s, "a": s["a"][0]}, rng)


# --------------------------------------------------------------------------------------
# evaluatio, rliable, opda
# --------------------------------------------------------------------------------------


def _evaluatio(a, b):
    from evaluatio.inference.ci import bootstrap_confidence_interval
    from evaluatio.inference.hypothesis import paired_permutation_test

    interval = bootstrap_confidence_interval(a - b, ITERATIONS, ALPHA)
    return paired_permutation_test(a, b, ITERATIONS), (interval.lower, interval.upper)


def evaluatio_items(s, rng):
    return _evaluatio(s["a"], s["b"])


def evaluatio_answers(s, rng):
    return _evaluatio(s["a"].mean(axis=0), s["b"].mean(axis=0))


def evaluatio_rates(s, rng):
    from evaluatio.inference.hypothesis import paired_bootstrap_test

    return paired_bootstrap_test(*rates(s), ITERATIONS), None


def rliable_runs(s, rng):
    from rliable import library, metrics

    # It takes a random_state, and yet draws its rows by NumPy's global generator: no
    # other seed decides them.
    np.random.seed(rng.integers(2**32))  # noqa: NPY002
    pair = {"a,b": (s["a"][:, None], s["b"][:, None])}
    _, intervals = library.get_interval_estimates(
        pair, metrics.probability_of_improvement, reps=2000
    )
    low, high = intervals["a,b"].ravel()
    return bool(not low <= 0.5 <= high), None


def opda_bands(s, rng):
    from opda.nonparametric import EmpiricalDistribution

    n = min(len(s["test_a"]), len(s["test_b"])) // 5
    (low_a, high_a), (low_b, high_b) = (
        # An upper band for the distribution is a lower one for the best of n.
        (upper.average_tuning_curve(n), lower.average_tuning_curve(n))
        for name in "ab"
        for lower, _, upper in [
            EmpiricalDistribution.confidence_bands(
                s[f"validation_{name}"], 0.95, a=0.0, b=1.0, method="ks"
            )
        ]
    )
    return bool(high_a < low_b or high_b < low_a), (low_a - high_b, high_a - low_b)


# --------------------------------------------------------------------------------------
# evalkit
# --------------------------------------------------------------------------------------


def _both(result):
    return result.pvalue, (result.low, result.high)


def evalkit_runs(s, rng):
    return _both(difference_interval(s["a"], s["b"], paired=False))


def evalkit_items(s, rng):
    return _both(crossed_difference(s["a"], s["b"]))


def evalkit_groups(s, rng):
    return _both(crossed_difference(s["a"], s["b"], s["groups"]))


def evalkit_score(s, rng):
    return by_interval(*group_interval(s["a"], s["groups"]), s["truth"])


def evalkit_several(s, rng):
    right = s["a"].sum(axis=0).astype(int)
    return by_interval(*pass_at_k(right, len(s["a"]), 1), s["truth"])


def evalkit_answers(s, rng):
    return _both(crossed_difference(s["a"], s["b"], rows="answers"))


def evalkit_splits(s, rng):
    return (
        corrected_t(s["a"], s["b"], n_train=s["n_train"], n_test=s["n_test"]).pvalue,
        None,
    )


def evalkit_budgets(s, rng):
    n = min(len(s["test_a"]), len(s["test_b"])) // 5
    parts = (s[f"{kind}_{name}"] for name in "ab" for kind in ("validation", "test"))
    return _both(budget_difference(*parts, n))


def evalkit_systems(s, rng):
    return compare_systems(s["table"]).pairs.adjusted.min(), None


def evalkit_summaries(s, rng):
    difference = from_summary(s["a"], s["b"], spread="sd")
    return difference.pvalue, (difference.low, difference.high)


def evalkit_equivalence(s, rng):
    return (
        equivalence(
            difference_interval(s["a"], s["b"], paired=False), MARGIN
        ).equivalent,
        None,
    )


def evalkit_rates(s, rng):
    words = s["words"]
    return _both(
        ratio_difference(
            s["errors_a"], words, s["errors_b"], words, np.arange(len(words))
        )
    )
