"""The hyperparameters, and how settings are drawn.

A setting is a place in the unit cube, one axis for each range, so that random draws and
the guided search mean the same ranges. It is written as its numbers in the order of the
ranges, with four digits, so that a recorded one can be run again to the bit.
"""

import numpy as np

from lab.record.tables import pack, unpack

# As the paper tunes them. A ratio of the widths from 1 on means no down-projection, so
# that the search may leave it out.
RANGES = {
    "learning_rate": ("log", 1e-3, 5e-2),
    "input_embedding_ratio": ("linear", 0.2, 1.3),
    "input_dropout": ("linear", 0.0, 0.8),
    "state_dropout": ("linear", 0.0, 0.8),
    "output_dropout": ("linear", 0.0, 0.8),
    "weight_decay": ("log", 1e-7, 1e-3),
}
# One more for stacked layers.
DEEP = (*RANGES, "intra_layer_dropout")

# What the tuner chose for the word-level models, as released: of the deep ones all
# seven.
RELEASED = {
    "ptb_10m_lstm_d1": (0.00417865626514, 0.224374398589, 0.579891622066, 0.215256482363, 0.327008873224,
                        0.000124350262922, 0.873659133911),
    "ptb_24m_lstm_d4": (0.00396024715155, 1.0, 0.633642196655, 0.64275187254, 0.700856506824,
                        7.44869103073e-05, 0.309127420187),
    "wikitext-2_24m_lstm_d2": (0.00246041407809, 0.121501773596, 0.484243571758, 0.453888505697,
                               0.391492575407, 3.77565629606e-05, 0.0920244976878),
}  # fmt: skip
RELEASED_DEPTHS = {
    "ptb_10m_lstm_d1": 1,
    "ptb_24m_lstm_d4": 4,
    "wikitext-2_24m_lstm_d2": 2,
}

_DIGITS = ".4g"


def generator(*key):
    """Return a generator for a unit: its words as numbers, so that no two share their
    draws.

    Parameters
    ----------
    *key : object

    Returns
    -------
    numpy.random.Generator
    """
    return np.random.default_rng([2017, *" ".join(map(str, key)).encode()])


def seed_of(*key):
    """Return a seed for a unit.

    Parameters
    ----------
    *key : object

    Returns
    -------
    int
    """
    return int(generator("seed", *key).integers(2**31))


def setting_at(place):
    """Return the setting at a place of the unit cube.

    Parameters
    ----------
    place : array_like of float, shape (ranges,)

    Returns
    -------
    dict of str to float
        Each with four digits.
    """
    setting = {}
    for (name, (scale, low, high)), share in zip(RANGES.items(), place, strict=True):
        value = (
            low * (high / low) ** share
            if scale == "log"
            else low + share * (high - low)
        )
        setting[name] = float(format(value, _DIGITS))
    return setting


def write(setting):
    """Write a setting into a cell.

    Parameters
    ----------
    setting : dict of str to float

    Returns
    -------
    str
    """
    return pack(setting.values(), _DIGITS)


def read(cell):
    """Read a setting.

    Parameters
    ----------
    cell : str
        As `write` gives it.

    Returns
    -------
    dict of str to float
    """
    return dict(zip(RANGES, map(float, unpack(cell)), strict=True))


def drawn(trial):
    """Return a random setting; the same for every cell and text, so that they can be
    compared in pairs.

    Parameters
    ----------
    trial : int

    Returns
    -------
    dict of str to float
        Uniform over the cube.
    """
    return setting_at(generator("pool", trial).random(len(RANGES)))
