"""What real text, searches, seeds and draws say of the claims of Potts (2020).

The claims, with what would confirm and what would refute each, stand in
`data/published/claims.csv`, the limits in `limits.csv`, and what was amended, in
`amendments.csv`. A claim whose runs are not there yet has no evidence.
"""

from lab.papers.potts2020.claims import compared, divided, trained

__all__ = ["JUDGES"]

JUDGES = divided.JUDGES | compared.JUDGES | trained.JUDGES
