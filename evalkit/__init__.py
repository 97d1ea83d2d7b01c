"""evalkit: the statistics behind the book on comparing machine-learning systems.

Importing it loads the statistics and nothing else: no torch, no matplotlib, no data.
"""

from importlib.metadata import PackageNotFoundError, version

from evalkit._results import Band, Coverage, Interval
from evalkit.baselines import Ceiling, dummy_table, duplicate_ceiling, partial_inputs
from evalkit.expected_maximum import (
    boo,
    boo_gaussian,
    expected_max,
    expected_max_band,
    expected_max_bootstrap,
    gaussian_expected_max,
    max_quantile,
    max_quantile_band,
    probability_best,
)
from evalkit.intervals import (
    bootstrap_interval,
    coverage,
    difference_interval,
    group_interval,
    proportion_interval,
    t_interval,
)
from evalkit.jkfold import ChoiceVariability, Cost, JKFoldSearchCV, choice_variability, jk_cost, jk_fold
from evalkit.seeds import (
    FailureRate,
    VarianceComponents,
    failure_rate,
    run_over_seeds,
    seeded,
    seeds_needed,
    variance_components,
)
from evalkit.significance import (
    Comparison,
    Contingency,
    EffectSize,
    Power,
    Significance,
    compare_systems,
    contingency,
    corrected_t,
    effect_size,
    five_by_two,
    holm,
    mcnemar,
    power,
    sign_flip,
    wilcoxon,
)
from evalkit.splits import HeldOut, Split, SplitReport, split_report, train_dev_test
from evalkit.tuning import (
    SearchCost,
    Trials,
    cv_objective,
    early_scores,
    main_effects,
    search,
    search_cost,
    winner_by_budget,
)

try:
    __version__ = version("evalkit-book")
except PackageNotFoundError:  # run from a checkout that was not installed
    __version__ = "unknown"

__all__ = [
    "Band",
    "Ceiling",
    "ChoiceVariability",
    "Comparison",
    "Contingency",
    "Cost",
    "Coverage",
    "EffectSize",
    "FailureRate",
    "HeldOut",
    "Interval",
    "JKFoldSearchCV",
    "Power",
    "SearchCost",
    "Significance",
    "Split",
    "SplitReport",
    "Trials",
    "VarianceComponents",
    "boo",
    "boo_gaussian",
    "bootstrap_interval",
    "choice_variability",
    "compare_systems",
    "contingency",
    "corrected_t",
    "coverage",
    "cv_objective",
    "difference_interval",
    "dummy_table",
    "duplicate_ceiling",
    "early_scores",
    "effect_size",
    "expected_max",
    "expected_max_band",
    "expected_max_bootstrap",
    "failure_rate",
    "five_by_two",
    "gaussian_expected_max",
    "group_interval",
    "holm",
    "jk_cost",
    "jk_fold",
    "main_effects",
    "max_quantile",
    "max_quantile_band",
    "mcnemar",
    "partial_inputs",
    "power",
    "probability_best",
    "proportion_interval",
    "run_over_seeds",
    "search",
    "search_cost",
    "seeded",
    "seeds_needed",
    "sign_flip",
    "split_report",
    "t_interval",
    "train_dev_test",
    "variance_components",
    "wilcoxon",
    "winner_by_budget",
]
