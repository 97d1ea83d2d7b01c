"""How many decimals numbers of an explorer have."""

import math


def decimals(spread):
    """Return how many decimals show three digits of a spread.

    Scores near 12,000 that differ by 0.01 must not all read 1.2e+04.

    Parameters
    ----------
    spread : float
        How far apart the numbers are that are to be told apart.

    Returns
    -------
    int
        From 0 to 15; of a spread that is none, 6.
    """
    if not spread > 0 or math.isinf(spread):
        return 6
    return min(max(2 - math.floor(math.log10(spread)), 0), 15)
