"""Scores as people report them, with the whole numbers that they stand for: the oracle
counts in those.
"""

import numpy as np
from hypothesis import strategies as st

TYPES = (np.float64, np.float32)


@st.composite
def reported(draw, shape, *, signed=False):
    """Return (scores of one to four digits in one of `TYPES`, the same in the last of
    these digits).

    `shape` is the shape of both, or a strategy for it.
    """
    shape = shape if isinstance(shape, tuple) else draw(shape)
    unit = 10 ** draw(st.integers(1, 4))
    top = draw(st.sampled_from([3, unit]))  # few values, for many ties, or all
    size = int(np.prod(shape))
    numbers = draw(
        st.lists(st.integers(-top if signed else 0, top), min_size=size, max_size=size)
    )
    whole = np.array(numbers, dtype=object).reshape(shape)
    return (whole / unit).astype(draw(st.sampled_from(TYPES))), whole, unit
