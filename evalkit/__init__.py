"""evalkit: the statistics behind the book on comparing machine-learning systems.

Importing it loads the statistics and nothing else: no torch, no matplotlib, no data.
"""

from importlib.metadata import PackageNotFoundError, version

from evalkit._results import Band, Coverage, Interval
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
from evalkit.seeds import (
    FailureRate,
    VarianceComponents,
    failure_rate,
    run_over_seeds,
    seeded,
    seeds_needed,
    variance_components,
)

try:
    __version__ = version("evalkit-book")
except PackageNotFoundError:  # run from a checkout that was not installed
    __version__ = "unknown"

__all__ = [
    "Band",
    "Coverage",
    "FailureRate",
    "Interval",
    "VarianceComponents",
    "boo",
    "boo_gaussian",
    "bootstrap_interval",
    "coverage",
    "difference_interval",
    "expected_max",
    "expected_max_band",
    "expected_max_bootstrap",
    "failure_rate",
    "gaussian_expected_max",
    "group_interval",
    "max_quantile",
    "max_quantile_band",
    "probability_best",
    "proportion_interval",
    "run_over_seeds",
    "seeded",
    "seeds_needed",
    "t_interval",
    "variance_components",
]
