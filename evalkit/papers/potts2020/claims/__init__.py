"""What real text, searches, seeds and draws say of each claim of Potts (2020).

The claims, with what would confirm and what would refute each, stand in `data/published/claims.csv`, and
what was amended, in `data/published/amendments.csv`. A claim whose runs are not there yet has no finding.
"""

from evalkit.papers.potts2020.claims import (
    baselines,
    budgets,
    divided,
    figures,
    mcnemar,
    repeated,
    searched,
    seeded,
    tests,
    trained,
)
from evalkit.papers.potts2020.claims.figures import computed

__all__ = ["JUDGES", "computed"]

# In the order in which the course has them.
JUDGES = (
    divided.JUDGES
    | repeated.JUDGES
    | baselines.JUDGES
    | searched.JUDGES
    | budgets.JUDGES
    | tests.JUDGES
    | mcnemar.JUDGES
    | figures.JUDGES
    | trained.JUDGES
    | seeded.JUDGES
)
