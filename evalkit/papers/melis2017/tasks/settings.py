"""The hyperparameters, and how settings are drawn.

A setting is a place in the unit cube, one axis for each range, so that random draws, grids, neighbourhoods
and the guided search all mean the same ranges. It is written as its numbers in the order of the ranges, with
four digits, so that a recorded one can be run again to the bit.
"""

import numpy as np

from evalkit.recorded import pack, unpack

# As the paper tunes them. A ratio of the widths from 1 on means no down-projection, so that the search may
# leave it out.
RANGES = {
    "learning_rate": ("log", 1e-3, 5e-2),
    "input_embedding_ratio": ("linear", 0.2, 1.3),
    "input_dropout": ("linear", 0.0, 0.8),
    "state_dropout": ("linear", 0.0, 0.8),
    "output_dropout": ("linear", 0.0, 0.8),
    "weight_decay": ("log", 1e-7, 1e-3),
}
# One more for stacked layers.
DEEP = {**RANGES, "intra_layer_dropout": ("linear", 0.0, 0.8)}

# What the tuner chose for the word-level models, as released: of the deep ones all seven.
RELEASED = {
    "ptb_10m_lstm_d1": (0.00417865626514, 0.224374398589, 0.579891622066, 0.215256482363, 0.327008873224,
                        0.000124350262922, 0.873659133911),
    "ptb_24m_lstm_d4": (0.00396024715155, 1.0, 0.633642196655, 0.64275187254, 0.700856506824,
                        7.44869103073e-05, 0.309127420187),
    "wikitext-2_24m_lstm_d2": (0.00246041407809, 0.121501773596, 0.484243571758, 0.453888505697,
                               0.391492575407, 3.77565629606e-05, 0.0920244976878),
}  # fmt: skip
RELEASED_DEPTHS = {"ptb_10m_lstm_d1": 1, "ptb_24m_lstm_d4": 4, "wikitext-2_24m_lstm_d2": 2}

GRID = 5
_DIGITS = ".4g"


def generator(*key):
    """Return a generator for a unit: its words as numbers, so that no two share their draws.

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


def setting_at(place, ranges=RANGES):
    """Return the setting at a place of the unit cube.

    Parameters
    ----------
    place : array_like of float, shape (ranges,)
    ranges : dict, optional

    Returns
    -------
    dict of str to float
        Each with four digits.
    """
    setting = {}
    for (name, (scale, low, high)), share in zip(ranges.items(), place, strict=True):
        value = low * (high / low) ** share if scale == "log" else low + share * (high - low)
        setting[name] = float(format(value, _DIGITS))
    return setting


def place_of(setting, ranges=RANGES):
    """Return where in the unit cube a setting lies.

    Parameters
    ----------
    setting : dict of str to float
    ranges : dict, optional

    Returns
    -------
    ndarray of float, shape (ranges,)
        Outside [0, 1] where a value lies outside its range.
    """
    place = []
    for name, (scale, low, high) in ranges.items():
        if scale == "log":
            place.append(np.log(setting[name] / low) / np.log(high / low))
        else:
            place.append((setting[name] - low) / (high - low))
    return np.array(place)


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
    values = [float(value) for value in unpack(cell)]
    ranges = RANGES if len(values) == len(RANGES) else DEEP
    return dict(zip(ranges, values, strict=True))


def drawn(trial):
    """Return a random setting; the same for every cell and text, so that they can be compared in pairs.

    Parameters
    ----------
    trial : int

    Returns
    -------
    dict of str to float
        Uniform over the cube.
    """
    return setting_at(generator("pool", trial).random(len(RANGES)))


def gridded(place, levels=GRID):
    """Return a setting of a grid that is visited in random order.

    Parameters
    ----------
    place : int
        Its number in that order.
    levels : int, default 5
        Values of each hyperparameter, in the middle of as many equal parts of its range.

    Returns
    -------
    dict of str to float
    """
    number = generator("grid").permutation(levels ** len(RANGES))[place]
    cell = np.unravel_index(number, [levels] * len(RANGES))
    return setting_at((np.array(cell) + 0.5) / levels)


def near(around, share, draw, ranges=RANGES):
    """Return a random setting from a part of each range, centred on another setting.

    Parameters
    ----------
    around : dict of str to float
        With a value for each of `RANGES`.
    share : float
        Of each range; what lies beyond its ends is cut off.
    draw : int
    ranges : dict, optional
        One that `around` has no value for is drawn from whole.

    Returns
    -------
    dict of str to float
    """
    centre = place_of(around)
    low, high = np.clip(centre - share / 2, 0, 1), np.clip(centre + share / 2, 0, 1)
    shares = generator("near", share, draw).random(len(ranges))
    place = low + shares[: len(RANGES)] * (high - low)
    return setting_at(np.append(place, shares[len(RANGES) :]), ranges)


def two_of(names, trial):
    """Return a setting of which two hyperparameters are drawn, the rest as released.

    Parameters
    ----------
    names : iterable of str
    trial : int
        The draw is that of the pool's trial.

    Returns
    -------
    dict of str to float
    """
    fixed = dict(zip(RANGES, RELEASED["ptb_10m_lstm_d1"], strict=False))
    tuned = drawn(trial)
    return fixed | {name: tuned[name] for name in names}
