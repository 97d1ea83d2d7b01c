"""Random draws that a page and a kernel share: whole numbers of 32 bits, which every language has.

The number of a draw follows from the seed and from its place, not from those before it, so that NumPy makes
them all at once, and a sample of 50 begins with the sample of 20. `explorer.js` does the same.
"""

import numpy as np


def _mix(numbers):
    """Scramble 32 bits: every bit of the result depends on every bit of the number."""
    numbers = (numbers ^ (numbers >> 15)) * np.uint32(0xD168AAAD)
    numbers = (numbers ^ (numbers >> 15)) * np.uint32(0xAF723597)
    return numbers ^ (numbers >> 15)


def draw_places(seed, draws, size, count):
    """Draw samples with replacement.

    Parameters
    ----------
    seed : int
        From 0 to 2**32 - 1.
    draws : int
        Number of samples.
    size : int
        Of each.
    count : int
        How many there are to draw from, at most 2**21.

    Returns
    -------
    ndarray of int, shape (draws, size)
        Places from 0 to `count` - 1. The first samples are the same for any number of draws, and their
        first members for any size.

    References
    ----------
    Wellons (2018), Prospecting for Hash Functions: the kind of function, and the pair of constants with the
    smallest bias in its list of those with two rounds.
    """
    start = _mix(np.array([seed], dtype=np.uint32))
    samples = _mix(start + np.arange(1, draws + 1, dtype=np.uint32))
    members = _mix(np.arange(1, size + 1, dtype=np.uint32))
    numbers = _mix(samples[:, np.newaxis] + members)
    return ((numbers.astype(np.uint64) * np.uint64(count)) >> np.uint64(32)).astype(int)
