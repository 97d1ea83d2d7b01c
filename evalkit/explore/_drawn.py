"""What a figure shows after some draws, and what a setting has come to."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from evalkit.proportions import proportion_interval


@dataclass(frozen=True, eq=False)
class Row:
    """Values of the last draw, in a row above the piles.

    Attributes
    ----------
    key : str
        Of its name.
    values : ndarray of float
    filled : ndarray of bool, optional
        Those that are filled.
    ringed : int, optional
        The one that has a ring.
    """

    key: str
    values: np.ndarray
    filled: np.ndarray | None = None
    ringed: int | None = None


@dataclass(frozen=True, eq=False)
class Drawn:
    """Draws of an explorer at one setting.

    Attributes
    ----------
    piles : dict of str to tuple
        For each lane the value of each draw, and its kind.
    axis : tuple of float
        What lies beyond is piled up at the ends.
    bins : int
    mark : float, optional
        What all piles are held against.
    rows : tuple of Row
        The last draw.
    ends : ndarray of float, shape (draws, 2), optional
        Intervals, instead of piles.
    cells : ndarray of int, optional
        How often each setting of a grid was chosen, instead of piles.
    words : dict of str to str
        What the sentence says besides the setting.
    note : str, optional
        The key of what must be said of the setting.
    """

    piles: dict
    axis: tuple
    bins: int = 0
    mark: float | None = None
    rows: tuple = ()
    ends: np.ndarray | None = None
    cells: np.ndarray | None = None
    words: Mapping = field(default_factory=dict)
    note: str | None = None


def ahead(differences, scale=1.0, kinds=("a", "b")):
    """Return which of two each difference favours; what rounding alone tells from a tie
    is one.
    """
    below, above = kinds
    found = np.where(np.asarray(differences) < 0, below, above).astype(object)
    found[np.abs(differences) <= 1e-9 * scale] = "tie"
    return found


def come_to(drawn, series):
    """Return what each series of the chart of tries has come to.

    Parameters
    ----------
    drawn : Drawn
    series : sequence of Series

    Returns
    -------
    dict of str to tuple of float
        A share in 100 or a mean, and the ends of 95 % for more such draws.
    """
    found = {}
    for one in series:
        if one.lane not in drawn.piles:
            continue
        values, kinds = drawn.piles[one.lane]
        n = len(values)
        if one.kind:
            count = int(np.sum(kinds == one.kind))
            low, high = proportion_interval(count, n, method="wilson")
            found[one.key] = (100 * count / n, 100 * low, 100 * high)
        else:
            half = 1.96 * float(np.std(values, ddof=1)) / np.sqrt(n)
            mean = float(np.mean(values))
            found[one.key] = (mean, mean - half, mean + half)
    return found
