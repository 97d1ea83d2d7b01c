"""Right and wrong answers as a page holds them: a bit each, so that 100 runs of 3,000
items are 50 kB of text.
"""

import base64

import numpy as np


def pack_bits(right):
    """Return a table of right and wrong as `games.js` unpacks it."""
    packed = base64.b64encode(np.packbits(np.asarray(right, bool)).tobytes()).decode()
    return {"correct": packed, "rows": len(right), "n_items": right.shape[1]}


def unpack_bits(packed):
    """Return the table again, shape (rows, items)."""
    bits = np.frombuffer(base64.b64decode(packed["correct"]), np.uint8)
    shape = packed["rows"], packed["n_items"]
    return np.unpackbits(bits)[: shape[0] * shape[1]].reshape(shape)
