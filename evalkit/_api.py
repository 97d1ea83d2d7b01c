"""Every public name, from the module that makes it; `evalkit` hands them on."""
# ruff: noqa: F401

from evalkit._results import (
    Band,
    Comparison,
    Contingency,
    Coverage,
    Difference,
    EffectSize,
    Equivalence,
    Interval,
    Power,
    PValueRange,
    SearchCost,
    Significance,
)
from evalkit.baselines import Ceiling, dummy_table, duplicate_ceiling, partial_inputs
from evalkit.expected_maximum import (
    boo,
    boo_gaussian,
    budget_difference,
    expected_max,
    expected_max_band,
    expected_max_bootstrap,
    expected_max_interval,
    gaussian_expected_max,
    max_quantile,
    max_quantile_band,
    probability_best,
)
from evalkit.intervals import (
    bootstrap_interval,
    coverage,
    difference_interval,
    equivalence,
    from_summary,
    group_interval,
    possible_counts,
    prediction_interval,
    proportion_interval,
    t_interval,
)
from evalkit.jkfold import ChoiceVariability, Cost, JKFoldSearchCV, choice_variability, jk_cost, jk_fold
from evalkit.seeds import (
    FailureRate,
    VarianceComponents,
    crossed_difference,
    failure_rate,
    run_over_seeds,
    seeded,
    seeds_needed,
    variance_components,
)
from evalkit.significance import (
    compare_systems,
    contingency,
    corrected_t,
    effect_size,
    five_by_two,
    holm,
    mcnemar,
    mcnemar_range,
    power,
    sign_flip,
    wilcoxon,
)
from evalkit.splits import HeldOut, Split, SplitReport, split_report, train_dev_test
from evalkit.tuning import (
    Trials,
    cv_objective,
    early_scores,
    main_effects,
    search,
    search_cost,
    winner_by_budget,
)
