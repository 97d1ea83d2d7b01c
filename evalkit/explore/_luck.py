"""The twin of the generator in `games.js`: from the same seed, the same draws."""

import numpy as np


def _mix(numbers):
    # Wellons (2018), Prospecting for Hash Functions.
    mixed = np.atleast_1d(np.asarray(numbers, np.uint64)).astype(np.uint32)
    for factor in (0xD168AAAD, 0xAF723597):
        mixed = (mixed ^ (mixed >> np.uint32(15))) * np.uint32(factor)
    return mixed ^ (mixed >> np.uint32(15))


class Luck:
    """Numbers between 0 and 1 for each of some draws, taken from left to right.

    Parameters
    ----------
    seed : int
    draws : int
    first : int, default 1
        The number of the first draw.
    """

    def __init__(self, seed, draws, first=1):
        self.draws = draws
        starts = int(_mix(seed)[0]) + np.arange(first, first + draws, dtype=np.uint64)
        self._starts = _mix(starts).astype(np.uint64)
        self._taken = 0

    def take(self, count):
        """Return so many numbers of each draw, shape (draws, count)."""
        members = _mix(np.arange(self._taken + 1, self._taken + count + 1))
        self._taken += count
        mixed = _mix(self._starts[:, None] + members.astype(np.uint64))
        return (mixed + 0.5) / 2**32

    def places(self, count, among):
        """Return so many whole numbers of each draw, from 0 and below `among`."""
        return (self.take(count) * among).astype(np.int64)

    def normals(self, count):
        """Return so many standard normal numbers of each draw."""
        pairs = self.take(2 * count)
        return np.sqrt(-2 * np.log(pairs[:, ::2])) * np.cos(2 * np.pi * pairs[:, 1::2])
