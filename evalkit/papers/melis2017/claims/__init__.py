"""What the printed tables, and runs of our own, say of each claim of Melis et al. (2017).

The claims, with what would confirm and what would refute each, stand in `data/published/claims.csv`,
and what was amended before anything was run, in `data/published/amendments.csv`. A claim whose runs are
not there yet has no finding.
"""

from evalkit.papers.melis2017.claims import evaluation, features, noise, pools, printed, tuner
from evalkit.papers.melis2017.claims.printed import computed

__all__ = ["JUDGES", "computed"]

# In the order in which the verdicts are recorded.
JUDGES = printed.JUDGES | pools.JUDGES | tuner.JUDGES | noise.JUDGES | evaluation.JUDGES | features.JUDGES
