"""What the released matrices and our own runs say of each claim of Moss et al. (2018).

The claims, with what would confirm and what would refute each, stand in
`data/published/claims.csv`, and the limits in `limits.csv`. A claim whose runs are not
there yet has no finding.
"""

from lab.papers.moss2018.claims import spread, worth

__all__ = ["JUDGES"]

# In the order in which the verdicts are recorded.
JUDGES = spread.JUDGES | worth.JUDGES
