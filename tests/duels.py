"""Who wins, counted from the shares of draws that stay below each score."""

import math

import numpy as np


def chance_ahead(a, b, n, n_b):
    """How probable it is that the best of n of `a` beats the best of n_b of `b`, drawn
    without replacement; a tie is half a win.
    """
    scores = np.unique([*a, *b])

    def at_most(pool, size):
        below = [sum(score <= best for score in pool) for best in scores]
        return np.array(
            [math.comb(k, size) / math.comb(len(pool), size) for k in below]
        )

    ours, theirs = at_most(a, n), at_most(b, n_b)
    before = np.r_[0, theirs[:-1]]
    return float(np.diff(ours, prepend=0) @ (before + theirs) / 2)
