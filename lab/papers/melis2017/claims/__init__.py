"""What the printed tables, and runs of our own, say of each claim of Melis et al.
(2017).

The claims, and what would confirm and what would refute each, stand in
`data/published/claims.csv`, what was amended in `amendments.csv` and the limits of each
rule in `limits.csv`. A claim whose runs are not there yet has no finding.
"""

from lab.papers.melis2017.claims import own, printed
from lab.papers.melis2017.claims.own import coverage
from lab.papers.melis2017.claims.printed import computed

__all__ = ["JUDGES", "computed", "coverage"]

# In the order in which the verdicts are recorded.
JUDGES = own.JUDGES | printed.JUDGES
