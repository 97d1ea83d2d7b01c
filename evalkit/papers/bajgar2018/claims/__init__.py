"""What the released pools, and draws from them, say of each claim of Bajgar et al. (2018).

The claims, with what would confirm and what would refute each, stand in `data/published/claims.csv`,
and what was amended before anything was computed, in `data/published/amendments.csv`. A claim whose runs
are not there yet has no finding.
"""

from evalkit.papers.bajgar2018.claims import (
    choosing,
    estimators,
    exact,
    figures,
    intervals,
    own_runs,
    variation,
)
from evalkit.papers.bajgar2018.claims.figures import computed

__all__ = ["JUDGES", "computed"]

# In the order in which the verdicts are recorded.
JUDGES = (
    variation.JUDGES
    | choosing.JUDGES
    | exact.JUDGES
    | estimators.JUDGES
    | intervals.JUDGES
    | figures.JUDGES
    | own_runs.JUDGES
)
