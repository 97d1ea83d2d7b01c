"""Looking early: how far out a result must be at each look, if the looks together may
err no more often than one would.
"""

import math

import numpy as np
from scipy import optimize, special

# Nodes of a panel that is as wide as one step of the process; further out than so many
# standard deviations nobody is left.
_NODES, _FURTHEST = 8, 9.0
# Between them lies every bound whose chance a double can hold.
_LOWEST, _HIGHEST = 0.0, 40.0


def spent_by(spending, fractions, alpha):
    """Return how much of a two-sided level is used up when so much of the information
    is there.

    Parameters
    ----------
    spending : {"obrien-fleming", "pocock"}
    fractions : ndarray of float, shape (n_looks,)
    alpha : float

    Returns
    -------
    ndarray of float, shape (n_looks,)
    """
    if spending == "pocock":
        return alpha * np.log1p((math.e - 1) * fractions)
    return 4 * special.ndtr(special.ndtri(alpha / 4) / np.sqrt(fractions))


def stopping_bounds(fractions, spent):
    """Return the |z| beyond which each look stops, so that by then so much is spent.

    The sum of what was seen is a Brownian motion in the information. Those that went on
    are a density between the last bounds, which one normal step carries to the next
    look (Armitage, McPherson and Rowe's recursion), by Gauss and Legendre's rule on
    panels as narrow as the steps.

    Parameters
    ----------
    fractions, spent : ndarray of float, shape (n_looks,)

    Returns
    -------
    ndarray of float, shape (n_looks,)
        Infinite where a look has nothing to spend.
    """
    steps = np.sqrt(np.diff(fractions, prepend=0.0))
    chances = np.diff(spent, prepend=0.0)
    on_panel, of_panel = special.roots_legendre(_NODES)
    at, weights, bounds = np.zeros(1), np.ones(1), []  # before the first look
    for look, (step, chance) in enumerate(zip(steps, chances, strict=True)):
        root, far = math.sqrt(fractions[look]), math.inf

        def excess(z, at=at, weights=weights, step=step, root=root, chance=chance):
            tails = special.log_ndtr((at - z * root) / step)
            return special.logsumexp(tails, b=2 * weights) - math.log(chance)

        if chance > 0:
            far = optimize.brentq(excess, _LOWEST, _HIGHEST, xtol=1e-12)
        bounds.append(far)

        # Those that go on, at nodes between the bounds.
        end = min(far, _FURTHEST) * root
        narrow = min(steps[look : look + 2])
        edges = np.linspace(-end, end, math.ceil(2 * end / narrow) + 1)
        half = (edges[1] - edges[0]) / 2
        nodes = (edges[:-1, None] + half * (1 + on_panel)).ravel()
        kernel = np.exp(-(((nodes[:, None] - at) / step) ** 2) / 2)
        density = kernel @ weights / (step * math.sqrt(2 * math.pi))
        at, weights = nodes, density * np.tile(half * of_panel, len(edges) - 1)
    return np.array(bounds)
