"""Ways to compare two systems, by what the data are; several comparisons share them."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from lab.experiments.peers import _packages, _people

# Samples of a method whose call takes milliseconds, tens of them, hundreds of them, or
# seconds.
QUICK, USUAL, SLOW, SLOWEST = 2000, 400, 200, 100


@dataclass(frozen=True)
class Method:
    """One way to compare two systems, or several.

    Attributes
    ----------
    call : str
        As a reader would write it.
    decide : callable
        From a sample and a generator to a verdict, which is a p-value or whether a
        claim is made, and an interval of the difference, or None.
    needs : tuple of str
        Packages beyond those of evalkit and lab.
    samples : int
    unseeded : bool
        Whether the package draws by a generator that takes no seed.
    designs : tuple of str
        Those that it is tried on, if not on all of them: where one sample takes
        seconds.
    """

    call: str
    decide: Callable
    needs: tuple = ()
    samples: int = QUICK
    unseeded: bool = False
    designs: tuple = ()


_UNPAIRED = {
    "usual": Method("mean ± SD of each: the bars do not touch", _people.bars_apart),
    "usual, Student": Method("scipy.stats.ttest_ind(a, b)", _people.student),
    "SciPy": Method(
        "scipy.stats.ttest_ind(a, b, equal_var=False)", _people.scipy_welch
    ),
    "SciPy, ranks": Method("scipy.stats.mannwhitneyu(a, b)", _people.scipy_ranks),
    "SciPy, bootstrap": Method(
        "scipy.stats.bootstrap((a, b), difference_of_means)", _people.scipy_bootstrap
    ),
    "statsmodels": Method(
        "CompareMeans(DescrStatsW(a), DescrStatsW(b)).ttest_ind(usevar='unequal'),"
        " .tconfint_diff(...)",
        _packages.statsmodels_welch,
        ("statsmodels",),
    ),
    "evalstats": Method(
        "evalstats.compare(evalstats.load_from(runs), factors='model',"
        " design='unpaired')",
        _packages.evalstats_runs,
        ("evalstats",),
        USUAL,
    ),
    "evalsig": Method(
        "evalsig.inference.unpaired.unpaired_t_test(b, a)",
        _packages.evalsig_runs,
        ("evalsig",),
    ),
    "rliable": Method(
        "rliable.library.get_interval_estimates({'a,b': (a, b)},"
        " probability_of_improvement, reps=2000)",
        _packages.rliable_runs,
        ("rliable",),
        SLOWEST,
        designs=("5 runs", "10 runs"),
    ),
    "evalkit": Method(
        "ek.difference_interval(a, b, paired=False)", _packages.evalkit_runs
    ),
}

_ITEMS = {
    "usual": Method(
        "scipy.stats.ttest_ind(a, b), as if the items were not the same",
        _people.student,
    ),
    "usual, intervals": Method(
        "accuracy ± 1.96 SE of each: the intervals do not touch",
        _people.intervals_apart,
    ),
    "SciPy": Method("scipy.stats.ttest_rel(a, b)", _people.scipy_paired),
    "SciPy, binomial": Method(
        "scipy.stats.binomtest(n10, n10 + n01)", _people.scipy_binomial
    ),
    "statsmodels": Method(
        "statsmodels.stats.contingency_tables.mcnemar(table)",
        _packages.statsmodels_mcnemar,
        ("statsmodels",),
    ),
    "evalstats": Method(
        "evalstats.compare(evalstats.load_from(items), factors='model')",
        _packages.evalstats_items,
        ("evalstats",),
        USUAL,
    ),
    "evalsig": Method("evalsig.compare(b, a)", _packages.evalsig_items, ("evalsig",)),
    "evaluatio": Method(
        "paired_permutation_test(a, b, 5000), bootstrap_confidence_interval(a - b,"
        " 5000, 0.05)",
        _packages.evaluatio_items,
        ("evaluatio",),
        USUAL,
        unseeded=True,
    ),
    "evalkit": Method("ek.crossed_difference(a, b)", _packages.evalkit_items),
}

_GROUPS = {
    "usual": Method(
        "scipy.stats.ttest_rel(a, b), as if items were independent",
        _people.scipy_paired,
    ),
    "usual, bootstrap": Method(
        "1,000 resamples of the items: the 2.5 and 97.5 % points",
        _people.item_bootstrap,
    ),
    "SciPy": Method(
        "scipy.stats.ttest_rel(means_of_groups_a, means_of_groups_b)",
        _people.scipy_group_means,
    ),
    "statsmodels": Method(
        "OLS(a - b, ones).fit(cov_type='cluster', cov_kwds={'groups': groups})",
        _packages.statsmodels_clusters,
        ("statsmodels",),
        USUAL,
    ),
    "evalstats": Method(
        "evalstats.compare(evalstats.load_from(items), factors='model'), which knows no"
        " groups",
        _packages.evalstats_items,
        ("evalstats",),
        USUAL,
    ),
    "evalsig": Method(
        "evalsig.compare(b, a, cluster='module')",
        _packages.evalsig_clusters,
        ("evalsig",),
        SLOW,
    ),
    "evalkit": Method("ek.crossed_difference(a, b, groups)", _packages.evalkit_groups),
}

_BUDGETS = {
    "usual": Method("the higher best score", _people.higher_best),
    "usual, two models": Method(
        "a z test of the two best models on 3,000 items", _people.best_two
    ),
    "SciPy": Method(
        "scipy.stats.bootstrap((a, b), difference_of_the_best)",
        _people.scipy_best,
        (),
        USUAL,
    ),
    "opda": Method(
        "EmpiricalDistribution.confidence_bands(scores, 0.95, method='ks'): bands that"
        " do not touch",
        _packages.opda_bands,
        ("opda",),
        USUAL,
    ),
    "evalkit": Method(
        "ek.budget_difference(validation_a, test_a, validation_b, test_b, n)",
        _packages.evalkit_budgets,
    ),
}

_SCORES = {
    "usual": Method(
        "accuracy ± 1.96 SE, as if items were independent", _people.share_alone
    ),
    "SciPy": Method(
        "scipy.stats.ttest_1samp(means_of_families, 0).confidence_interval()",
        _people.scipy_score,
    ),
    "statsmodels": Method(
        "OLS(right, ones).fit(cov_type='cluster', cov_kwds={'groups':"
        " families}).conf_int()",
        _packages.statsmodels_score,
        ("statsmodels",),
        USUAL,
    ),
    "evalstats": Method(
        "evalstats.mean_ci(right), which knows no families",
        _packages.evalstats_score,
        ("evalstats",),
        USUAL,
    ),
    "evalstats, bayes_evals": Method(
        "evalstats.bayes_evals.independent_intervals(table): bayes_evals, of which"
        " evalstats holds a copy",
        _packages.bayes_score,
        ("evalstats",),
        USUAL,
    ),
    "inspect-ai": Method(
        "accuracy ± 1.96 stderr(cluster='family')",
        _packages.inspect_score,
        ("inspect-ai",),
        USUAL,
    ),
    "inspect-ai, t": Method(
        "ci(cluster='family')", _packages.inspect_interval, ("inspect-ai",), USUAL
    ),
    "lm-eval": Method(
        "accuracy ± 1.96 mean_stderr(right), which knows no families",
        _packages.lm_eval_score,
        ("lm-eval",),
        USUAL,
    ),
    "evalkit": Method("ek.group_interval(right, families)", _packages.evalkit_score),
}

_NEIGHBOURS = _GROUPS | {
    "evalsig": replace(_GROUPS["evalsig"], samples=SLOWEST),
    "evalstats, bayes_evals": Method(
        "evalstats.bayes_evals.paired_comparisons(table): bayes_evals, of which"
        " evalstats holds a copy",
        _packages.bayes_difference,
        ("evalstats",),
        SLOW,
    ),
}
