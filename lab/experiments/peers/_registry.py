"""Which method answers which comparison, on which designs."""

from collections.abc import Callable
from dataclasses import dataclass, field

from lab.experiments.peers import _packages, _people, _samples
from lab.experiments.peers._methods import (
    _BUDGETS,
    _GROUPS,
    _ITEMS,
    _NEIGHBOURS,
    _SCORES,
    _UNPAIRED,
    SLOW,
    USUAL,
    Method,
)


@dataclass(frozen=True)
class Comparison:
    """What people want to know, the data that they have, and ways to answer.

    Attributes
    ----------
    words : str
        As the table of the page calls it.
    draw : callable
        From the number of a sample, a generator and the parameters of a design to the
        sample: a dict, with the true difference as `truth`.
    designs : dict of str to tuple
        The parameters of each.
    methods : dict of str to Method
        Those of "usual" are what people do; every other name begins with a package's.
    real : tuple of str
        The designs in which a claim is right.
    """

    words: str
    draw: Callable
    designs: dict
    methods: dict = field(default_factory=dict)
    real: tuple = ()


_MANY = {f"92 problems, ICC {icc}": ("LiveCodeBench", icc) for icc in (0, 0.3)}
_FEW = {f"12 repositories, ICC {icc}": ("SWE-bench", icc) for icc in (0.02, 0.05, 0.1)}

COMPARISONS = {
    "seeds": Comparison(
        "two systems, a few training runs each",
        _samples.draw_runs,
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
        _samples.draw_items,
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
        _samples.draw_groups,
        {
            "60 groups": (("mlp", "lstm"), 60, True, 1),
            "60 groups, a difference": (("lstm", "linear"), 60, False, 1),
        },
        _GROUPS,
        ("60 groups, a difference",),
    ),
    "few_groups": Comparison(
        "items in few groups of unequal size",
        _samples.draw_groups,
        {f"{n} groups": (("mlp", "lstm"), n, True, 5) for n in (5, 8, 12)},
        _GROUPS,
    ),
    "many_families": Comparison(
        "a board's system: items in 92 families (LiveCodeBench)",
        _samples.draw_score,
        _MANY,
        _SCORES,
    ),
    "many_families_of_two": Comparison(
        "two systems: items in 92 families",
        _samples.draw_neighbours,
        _MANY,
        _NEIGHBOURS,
    ),
    "few_families": Comparison(
        "a board's system: items in 12 unequal families (SWE-bench)",
        _samples.draw_score,
        _FEW,
        _SCORES,
    ),
    "few_families_of_two": Comparison(
        "two systems: items in 12 unequal families",
        _samples.draw_neighbours,
        _FEW,
        _NEIGHBOURS,
    ),
    "near_one": Comparison(
        "accuracies near 1, with few disagreements",
        _samples.draw_items,
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
        _samples.draw_answers,
        {"100 items, 5 answers": (100, 5), "300 items, 3 answers": (300, 3)},
        {
            "usual": Method(
                "scipy.stats.ttest_rel(a.ravel(), b.ravel()): each answer an item",
                _people.every_answer,
            ),
            "usual, samples": Method(
                "scipy.stats.ttest_ind(a.mean(1), b.mean(1))", _people.samples_of_all
            ),
            "SciPy": Method(
                "scipy.stats.ttest_rel(a.mean(0), b.mean(0))", _people.scipy_item_means
            ),
            "statsmodels": Method(
                "OLS(a - b, ones).fit(cov_type='cluster', cov_kwds={'groups': items})",
                _packages.statsmodels_answers,
                ("statsmodels",),
                USUAL,
            ),
            "evalstats": Method(
                "evalstats.compare(evalstats.load_from(answers), factors='model'), with"
                " a column `run`",
                _packages.evalstats_answers,
                ("evalstats",),
                USUAL,
            ),
            "evalsig": Method(
                "evalsig.compare(b, a), which keeps the first answer (epoch 0)",
                _packages.evalsig_answers,
                ("evalsig",),
                USUAL,
            ),
            "evaluatio": Method(
                "paired_permutation_test(a.mean(0), b.mean(0), 5000),"
                " bootstrap_confidence_interval(...)",
                _packages.evaluatio_answers,
                ("evaluatio",),
                USUAL,
                unseeded=True,
            ),
            "evalkit": Method(
                "ek.crossed_difference(a, b, rows='answers')", _packages.evalkit_answers
            ),
        },
    ),
    "ten_answers": Comparison(
        "a board's system: ten answers to each problem",
        _samples.draw_several,
        {"100 problems": (100,), "400 problems": (400,)},
        {
            "usual": Method(
                "accuracy ± 1.96 SE, each answer an item", _people.share_alone
            ),
            "SciPy": Method(
                "scipy.stats.ttest_1samp(a.mean(0), 0).confidence_interval()",
                _people.scipy_problems,
            ),
            "statsmodels": Method(
                "OLS(a, ones).fit(cov_type='cluster', cov_kwds={'groups':"
                " problems}).conf_int()",
                _packages.statsmodels_several,
                ("statsmodels",),
                USUAL,
            ),
            "evalstats": Method(
                "evalstats.mean_ci(a.mean(0))",
                _packages.evalstats_several,
                ("evalstats",),
                USUAL,
            ),
            "inspect-ai": Method(
                "mean ± 1.96 stderr(), after the reducer mean_score() of epochs",
                _packages.inspect_several,
                ("inspect-ai",),
                USUAL,
            ),
            "lm-eval": Method(
                "mean ± 1.96 mean_stderr(first), of the first answers: its filter"
                " take_first",
                _packages.lm_eval_several,
                ("lm-eval",),
                USUAL,
            ),
            "evalkit": Method("ek.pass_at_k(right, 10, 1)", _packages.evalkit_several),
        },
    ),
    "splits": Comparison(
        "folds or random splits of one data set",
        _samples.draw_splits,
        {splits: (splits,) for splits in _samples.SPLITTERS},
        {
            "usual": Method(
                "mean ± SD over the splits: the bars do not touch",
                _people.bars_apart,
                samples=_samples.DRAWN,
            ),
            "scikit-learn": Method(
                "scipy.stats.ttest_rel(cross_val_score(one, ...),"
                " cross_val_score(other, ...))",
                _people.scipy_paired,
                samples=_samples.DRAWN,
            ),
            "evalkit": Method(
                "ek.corrected_t(a, b, n_train=..., n_test=...)",
                _packages.evalkit_splits,
                samples=_samples.DRAWN,
            ),
        },
    ),
    "budgets": Comparison(
        "the best of a search, at equal budgets",
        _samples.draw_trials,
        {
            "30 trials": ("mlp", (30, 30)),
            "100 trials": ("mlp", (100, 100)),
        },
        _BUDGETS,
    ),
    "unequal_budgets": Comparison(
        "the best of a search, at unequal budgets",
        _samples.draw_trials,
        {"100 and 30 trials": ("mlp", (100, 30))},
        _BUDGETS,
    ),
    "datasets": Comparison(
        "four systems on several data sets",
        _samples.draw_datasets,
        {"9 data sets": (9,), "20 data sets": (20,)},
        {
            "usual": Method(
                "scipy.stats.ttest_rel of each pair, unadjusted", _people.every_pair
            ),
            "SciPy": Method(
                "scipy.stats.friedmanchisquare(*columns)", _people.scipy_friedman
            ),
            "statsmodels": Method(
                "statsmodels.stats.multitest.multipletests(pvalues_of_wilcoxon,"
                " method='holm')",
                _packages.statsmodels_holm,
                ("statsmodels",),
                USUAL,
            ),
            "autorank": Method(
                "autorank.autorank(table, verbose=False)",
                _packages.autorank_systems,
                ("autorank",),
                SLOW,
            ),
            "evalstats": Method(
                "evalstats.compare(evalstats.load_from(scores), factors='model')",
                _packages.evalstats_systems,
                ("evalstats",),
                SLOW,
            ),
            "evalkit": Method(
                "ek.compare_systems(table)", _packages.evalkit_systems, samples=USUAL
            ),
        },
    ),
    "summaries": Comparison(
        "a printed mean, SD and number of runs",
        _samples.draw_summaries,
        {
            "3 runs": (("lstm", "lstm"), (3, 3)),
            "5 runs": (("lstm", "lstm"), (5, 5)),
            "20 and 5 runs, unlike spreads": (("mlp", "lstm"), (20, 5)),
        },
        {
            "usual": Method(
                "mean ± SD of each: the bars do not touch", _people.printed_bars_apart
            ),
            "usual, Student": Method(
                "scipy.stats.ttest_ind_from_stats(*a, *b)", _people.printed_student
            ),
            "SciPy": Method(
                "scipy.stats.ttest_ind_from_stats(*a, *b, equal_var=False)",
                _people.scipy_summaries,
            ),
            "evalkit": Method(
                "ek.from_summary(a, b, spread='sd')", _packages.evalkit_summaries
            ),
        },
    ),
    "equivalence": Comparison(
        "as good as: two systems that differ by the margin",
        _samples.draw_runs,
        {
            "3 runs": (("lstm", "lstm"), (3, 3), _people.MARGIN),
            "5 runs": (("lstm", "lstm"), (5, 5), _people.MARGIN),
            "10 runs": (("lstm", "lstm"), (10, 10), _people.MARGIN),
            "20 and 5 runs, unlike spreads": (("mlp", "lstm"), (20, 5), _people.MARGIN),
            "10 runs, no difference": (("lstm", "lstm"), (10, 10), 0.0),
        },
        {
            "usual": Method(
                "a p-value above 0.05: no significant difference, so as good",
                _people.not_significant,
            ),
            "usual, bars": Method(
                "mean ± SD of each: the bars touch", _people.bars_touch
            ),
            "SciPy": Method(
                "scipy.stats.ttest_ind(a, b, equal_var=False).confidence_interval(0.9),"
                " inside the margin",
                _people.scipy_equivalence,
            ),
            "statsmodels": Method(
                "statsmodels.stats.weightstats.ttost_ind(a, b, -margin, margin,"
                " usevar='unequal')",
                _packages.statsmodels_tost,
                ("statsmodels",),
            ),
            "evalkit": Method(
                "ek.equivalence(ek.difference_interval(a, b, paired=False), margin)",
                _packages.evalkit_equivalence,
            ),
        },
        ("10 runs, no difference",),
    ),
    "error_rate": Comparison(
        "a word error rate over a corpus",
        _samples.draw_utterances,
        {
            "100 utterances": (("mlp", "lstm"), 100, True, False),
            "100 utterances, one silent": (("mlp", "lstm"), 100, True, True),
            "100 utterances, a difference": (("lstm", "linear"), 100, False, False),
        },
        {
            "usual": Method(
                "rate ± 1.96 SE of the difference, words as independent items",
                _people.words_as_items,
            ),
            "usual, means": Method(
                "scipy.stats.ttest_rel(rates_a, rates_b) of the utterances",
                _people.mean_rate,
            ),
            "SciPy": Method(
                "scipy.stats.bootstrap((errors_a, errors_b, words), difference,"
                " paired=True)",
                _people.scipy_rates,
                samples=USUAL,
            ),
            "evalstats": Method(
                "evalstats.compare(evalstats.load_from(rates), factors='model')",
                _packages.evalstats_rates,
                ("evalstats",),
                USUAL,
            ),
            "evalsig": Method(
                "evalsig.compare(rates_b, rates_a)",
                _packages.evalsig_rates,
                ("evalsig",),
                USUAL,
            ),
            "evaluatio": Method(
                "evaluatio.inference.hypothesis.paired_bootstrap_test(rates_a, rates_b,"
                " 5000)",
                _packages.evaluatio_rates,
                ("evaluatio",),
                USUAL,
                unseeded=True,
            ),
            "evalkit": Method(
                "ek.ratio_difference(errors_a, words, errors_b, words, utterances)",
                _packages.evalkit_rates,
            ),
        },
        ("100 utterances, a difference",),
    ),
}
