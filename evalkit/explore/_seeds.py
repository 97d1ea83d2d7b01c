"""Chapter 6: two systems are compared again and again, with new seeds and with new test
items.
"""

import base64

import numpy as np

from evalkit._checks import check_scores, check_work
from evalkit._limits import MOST_PLAYED
from evalkit._ties import levels, rounding
from evalkit.explore._controls import Control
from evalkit.explore._play import Guess, Play
from evalkit.explore._tables import NETWORKS, check_recorded, runs_of_networks
from evalkit.explore._words import decimals

__all__ = ["seeds"]

COUNTS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 25, 30)
GAINS = (0.0, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)
ITEMS = {
    "": "the same each time",
    "100": "100 new ones",
    "300": "300 new ones",
    "1000": "1,000 new ones",
}


def seeds(scores=None, *, recorded=None, correct=None):
    """Explore seeds: compare two systems again and again, and see how often the worse
    one is ahead.

    Parameters
    ----------
    scores : array_like of float, shape (n_seeds,), optional
        Of many seeds of one of your own systems: from few, the figure knows little.
    recorded : DataFrame, optional
        The chapter's table instead: `test`, a share, of each seed of each network, its
        `system`.
    correct : dict of str to array_like of bool, shape (n_seeds, n_items), optional
        With `recorded`: which test items each seed of each system gets right, so that
        items are drawn, too.

    Returns
    -------
    Play

    Notes
    -----
    Size: up to 5,000 seeds of your own, a page of them in 1 s and 100 MB.
    """
    count = Control("count", "Seeds of each system", COUNTS, 3)
    recorded = check_recorded(recorded, ("system", "test"), scores, "scores")
    if recorded is None and correct is not None:
        raise ValueError(
            "correct goes with recorded: of your own seeds, items are not drawn"
        )
    if recorded is not None:
        networks = {
            name: {
                "scores": (100 * runs.test).round(6).tolist(),
                "axis": [-4, 4],
                "strip": [55, 70],
            }
            for name, runs in runs_of_networks(recorded).items()
        }
        controls = (
            Control("network", "Whose seeds", tuple(NETWORKS), "LSTM"),
            count,
            Control("gain", "True difference, points", GAINS, 0.5),
        )
        if correct is not None:
            _add_items(networks, correct)
            items = Control("items", "Test items", tuple(ITEMS), "", text=ITEMS.get)
            controls = (*controls, items)
        digits, unit = 2, " points"
    else:
        own = levels(
            check_scores(scores, "scores", min_size=2, squared=True), rounding(scores)
        )
        check_work(
            len(own),
            MOST_PLAYED,
            f"scores has {len(own):,} values",
            "take a random part of them",
        )
        if not np.ptp(own):
            raise ValueError(
                f"scores must differ from seed to seed, got {len(own)} times {own[0]:g}"
            )
        spread = float(np.std(own, ddof=1))
        # Draws from n scores scatter less than new seeds do; stretched, their SD is the
        # right one.
        stretched = own.mean() + (own - own.mean()) * np.sqrt(len(own) / (len(own) - 1))
        strip = [float(own.mean()) - 4 * spread, float(own.mean()) + 5 * spread]
        networks = {
            "": {
                "scores": stretched.tolist(),
                "axis": [-4 * spread, 4 * spread],
                "strip": strip,
            }
        }
        gains = tuple(
            float(f"{share * spread:.3g}")
            for share in (0, 0.1, 0.25, 0.5, 0.75, 1, 1.5, 2)
        )
        controls = (count, Control("gain", "True difference", gains, gains[3]))
        digits, unit = decimals(spread), ""
    return Play(
        "seeds",
        "Measured difference of two systems",
        "seeds",
        controls,
        {"networks": networks},
        {
            "axis": [
                f"measured difference, B minus A{unit and ','}{unit}",
                "(the ends hold the rest)",
            ],
            "digits": digits,
            "lanes": {"difference": ""},
            "kinds": {"a": "A ahead", "b": "B ahead", "tie": "neither ahead"},
            "strip": {
                "a": "seeds of A, drawn last",
                "b": "seeds of B, the true difference added",
            },
            "strip_axis": ["test score of a seed"],
            "tally": ["a", "b", "tie"],
            "sentence": (
                "New seeds in each comparison: {count} of A and {count} of B, from the"
                " same pool. True difference: {gain}, in favour of B."
            ),
            "later": "In brackets: 95 %, for more such comparisons.",
        },
        {"a": "two", "b": "one", "tie": "dummy"},
        Guess("Guess first: of 100 such comparisons, in how many is A ahead?", "a"),
        {"Compare once": 1, "100 times": 100},
    )


def _add_items(networks, correct):
    """Add which items each seed has right, a bit each: 100 seeds and 3,000 items are 50
    kB of text.
    """
    for name, key in NETWORKS.items():
        right = np.asarray(correct[key], bool)
        if right.ndim != 2 or len(right) != len(networks[name]["scores"]):
            raise ValueError(
                f"correct[{key!r}] must have a row for each of the"
                f" {len(networks[name]['scores'])} seeds and a column for each item,"
                f" got shape {right.shape}"
            )
        packed = base64.b64encode(np.packbits(right).tobytes()).decode()
        networks[name] |= {"correct": packed, "n_items": right.shape[1]}
