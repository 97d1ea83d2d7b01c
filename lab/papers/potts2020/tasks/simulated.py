"""Draws from populations that are known: what intervals cover, and how often tests
reject.
"""

import numpy as np
from scipy import stats

from lab.experiments import xor as xor_networks
from lab.papers.potts2020.tasks.data import generator
from lab.record.tables import load_recorded

# --------------------------------------------------------------------------------------
# Intervals
# --------------------------------------------------------------------------------------

SIZES = (3, 5, 10, 20)
POPULATIONS = ("normal", "mlp", "lstm", "as_reader")
DRAWS, RESAMPLES, BLOCK = 100_000, 2000, 500
# The bootstrap takes a sort a draw.
BOOTSTRAP_DRAWS = 20_000
LEVEL = 0.95


def population(name):
    """Return scores that are drawn from with replacement, in percent; None for the
    normal distribution.

    Parameters
    ----------
    name : {"normal", "mlp", "lstm", "as_reader"}

    Returns
    -------
    ndarray of float or None
    """
    if name == "normal":
        return None
    if name == "as_reader":
        from lab.papers.bajgar2018 import audit

        return audit.runs("asreader_fixed").test
    seeds = load_recorded("pools", "seeds")
    return 100 * seeds[seeds.system == name].test.to_numpy()


def _drawn(name, shape, rng):
    values = population(name)
    if values is None:
        return rng.standard_normal(shape), 0.0
    return rng.choice(values, shape), float(values.mean())


def coverage(population, n):
    """Draw samples, and count how often intervals for the mean hold the truth.

    Parameters
    ----------
    population : str
        One of `POPULATIONS`.
    n : int

    Returns
    -------
    dict
        Counts among `draws` for the t interval with ddof=0 (the course's `get_ci`) and
        1, and the median of latter's width, of the interquartile range and of the range
        of the scores; among `bootstrap_draws` for percentile and BCa, with their median
        widths and that of the t interval on the same samples.
    """
    rng = generator("coverage", population, n)
    scores, truth = _drawn(population, (DRAWS, n), rng)
    mean, reach = scores.mean(axis=1), stats.t.ppf((1 + LEVEL) / 2, n - 1) / np.sqrt(n)
    results = {"draws": DRAWS}
    for name, ddof in (("get_ci", 0), ("t", 1)):
        half = reach * scores.std(axis=1, ddof=ddof)
        results[name] = int(np.sum(np.abs(mean - truth) <= half))
    quartiles = np.quantile(scores, (0.25, 0.75), axis=1)
    results |= {
        "width": _figure(2 * half),
        "interquartile": _figure(quartiles[1] - quartiles[0]),
        "range": _figure(np.ptp(scores, axis=1)),
    }
    held, widths = {"percentile": 0, "bca": 0}, {"percentile": [], "bca": []}
    for start in range(0, BOOTSTRAP_DRAWS, BLOCK):
        block = scores[start : start + BLOCK]
        for name, (low, high) in _bootstrap(block, rng).items():
            held[name] += int(np.sum((low <= truth) & (truth <= high)))
            widths[name].append(high - low)
    results["bootstrap_draws"] = BOOTSTRAP_DRAWS
    for name in held:
        results |= {
            name: held[name],
            f"{name}_width": _figure(np.concatenate(widths[name])),
        }
    return results | {"width_there": _figure(2 * half[:BOOTSTRAP_DRAWS])}


def _figure(values):
    return round(float(np.median(values)), 6)


def _bootstrap(block, rng):
    """Return the ends of percentile and BCa intervals of the mean for a block of
    samples.

    All samples of a block share their resamples, which makes this fast: how a sample is
    resampled does not depend on its scores.
    """
    n = block.shape[1]
    weights = rng.multinomial(n, np.full(n, 1 / n), size=RESAMPLES) / n
    means = np.sort(block @ weights.T, axis=1)
    mean = block.mean(axis=1)
    tails = np.array([(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    ends = {"percentile": np.quantile(means, tails, axis=1)}
    below = (
        (means < mean[:, None]).mean(axis=1) + (means <= mean[:, None]).mean(axis=1)
    ) / 2
    bias = stats.norm.ppf(np.clip(below, 1 / RESAMPLES, 1 - 1 / RESAMPLES))
    off = mean[:, None] - block
    squares = (off**2).sum(axis=1)
    # Equal scores: no acceleration.
    with np.errstate(invalid="ignore", divide="ignore"):
        skew = np.nan_to_num((off**3).sum(axis=1) / (6 * squares**1.5))
    z = bias + stats.norm.ppf(tails)[:, None]
    shares = stats.norm.cdf(bias + z / (1 - skew * z))
    places = np.clip(np.round(shares * (RESAMPLES - 1)).astype(int), 0, RESAMPLES - 1)
    ends["bca"] = np.array([means[np.arange(len(block)), p] for p in places])
    return ends


# --------------------------------------------------------------------------------------
# Tests
# --------------------------------------------------------------------------------------


# --------------------------------------------------------------------------------------
# XOR
# --------------------------------------------------------------------------------------

# Hidden units and learning rates; the recorded experiment `xor` has the lower rate up
# to 8 units.
XOR = [(0.1, hidden) for hidden in (2, 3, 4, 8, 16, 32)] + [
    (0.01, hidden) for hidden in (16, 32)
]
XOR_SEEDS = 1000


def xor(activation, hidden, learning_rate):
    """Train a thousand networks on XOR, from different first weights.

    Parameters
    ----------
    activation : {"tanh", "relu"}
    hidden : int
    learning_rate : float

    Returns
    -------
    dict
        How many have learned it after each number of iterations.
    """
    weights = xor_networks.initial_weights(hidden, range(XOR_SEEDS))
    learned = xor_networks.train(
        weights,
        activation,
        "xor",
        xor_networks.CHECKPOINTS,
        learning_rate=learning_rate,
    )
    return {f"learned_{step}": int(solved.sum()) for step, solved in learned.items()}
