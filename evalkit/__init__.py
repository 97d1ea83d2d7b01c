"""evalkit: the statistics behind the book on comparing machine-learning systems.

Importing it loads nothing; the first public name that is used loads the statistics, and nothing else:
no torch, no matplotlib, no data.
"""
# ruff: noqa: F405 (the names of __all__ are not here until they are used)

TYPE_CHECKING = False
if TYPE_CHECKING:  # editors complete the names and show their docstrings
    from evalkit._api import *  # noqa: F403

__all__ = [
    "Band",
    "Ceiling",
    "ChoiceVariability",
    "Comparison",
    "Contingency",
    "Cost",
    "Coverage",
    "Difference",
    "EffectSize",
    "Equivalence",
    "FailureRate",
    "HeldOut",
    "Interval",
    "JKFoldSearchCV",
    "PValueRange",
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
    "budget_difference",
    "choice_variability",
    "compare_systems",
    "contingency",
    "corrected_t",
    "coverage",
    "crossed_difference",
    "cv_objective",
    "difference_interval",
    "dummy_table",
    "duplicate_ceiling",
    "early_scores",
    "effect_size",
    "equivalence",
    "expected_max",
    "expected_max_band",
    "expected_max_bootstrap",
    "expected_max_interval",
    "failure_rate",
    "five_by_two",
    "from_summary",
    "gaussian_expected_max",
    "group_interval",
    "holm",
    "jk_cost",
    "jk_fold",
    "main_effects",
    "max_quantile",
    "max_quantile_band",
    "mcnemar",
    "mcnemar_range",
    "partial_inputs",
    "possible_counts",
    "power",
    "prediction_interval",
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


def __getattr__(name):
    # The command line must answer --help at once, and NumPy, SciPy, pandas and scikit-learn take a second.
    from importlib import import_module, metadata

    if name == "__version__":
        try:
            value = metadata.version("evalkit-book")
        except metadata.PackageNotFoundError:  # run from a checkout that was not installed
            value = "unknown"
    elif name in __all__:
        value = getattr(import_module("evalkit._api"), name)
    else:
        raise AttributeError(f"module 'evalkit' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *__all__})
