"""Every public name but `report`, from the module that makes it: `evalkit` hands them
on, and has no other list of them.
"""

# ruff: noqa: F401

from evalkit.baselines import dummy_table
from evalkit.expected_maximum import (
    boo,
    boo_gaussian,
    budget_difference,
    expected_max,
    expected_max_band,
    expected_max_interval,
    gaussian_expected_max,
)
from evalkit.intervals import (
    bootstrap_interval,
    difference_interval,
    equivalence,
    from_summary,
    group_interval,
    prediction_interval,
    t_interval,
    time_blocks,
)
from evalkit.jkfold import choice_variability, jk_fold
from evalkit.leaderboards import pass_at_k, pass_hat_k, rank_intervals
from evalkit.proportions import (
    detectable_difference,
    paired_proportion_interval,
    possible_counts,
    proportion_difference,
    proportion_interval,
    ratio_difference,
)
from evalkit.raters import agreement, judged_difference
from evalkit.seeds import (
    crossed_difference,
    failure_rate,
    seeded,
    seeds_needed,
    variance_components,
)
from evalkit.significance import (
    compare_systems,
    contingency,
    corrected_t,
    holm,
    mcnemar,
    mcnemar_range,
    power,
    sign_flip,
    spending_bounds,
    wilcoxon,
)
from evalkit.splits import split_report, train_dev_test
from evalkit.tuning import search
