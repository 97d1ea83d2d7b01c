"""Chapter 6: two systems are compared again and again, with new seeds and with new test
items.
"""

import functools

import numpy as np

from evalkit._checks import check_scores, check_work
from evalkit._limits import MOST_PLAYED
from evalkit._ties import levels, rounding
from evalkit.explore._bits import pack_bits, unpack_bits
from evalkit.explore._controls import Control
from evalkit.explore._drawn import Drawn, Row, ahead
from evalkit.explore._play import Guess, Law, Play, Series
from evalkit.explore._tables import NETWORKS, check_recorded, runs_of_networks
from evalkit.explore._words import decimals

__all__ = ["seeds"]

COUNTS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30)
GAINS = (0.0, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)
ITEMS = {
    "": "always the same",
    "100": "100 new ones",
    "300": "300 new ones",
    "1000": "1,000 new ones",
}


def seeds(scores=None, *, recorded=None, correct=None):
    """Explore seeds: compare two systems again and again, and see how often which of
    them is ahead.

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
    recorded = check_recorded(recorded, ("system", "test"), scores, "scores")
    if recorded is None:
        if correct is not None:
            raise ValueError(
                "correct goes with recorded: of your own seeds, items are not drawn"
            )
        return _own(scores)
    pools = {
        name: {"scores": (100 * runs.test).round(6).tolist()}
        for name, runs in runs_of_networks(recorded).items()
    }
    lstm, mlp = pools
    pairs = {
        "LSTM and MLP": [mlp, lstm],
        "LSTM and LSTM": [lstm, lstm],
        "MLP and MLP": [mlp, mlp],
    }
    controls = (
        _count(1),
        Control("pair", "Networks (B, A)", tuple(pairs), next(iter(pairs))),
        _gain(GAINS, "points added to B"),
    )
    by, by_names = None, ()
    if correct is not None:
        _add_items(pools, correct)
        items = Control("items", "Test items", tuple(ITEMS), "", text=ITEMS.get)
        controls = (*controls, items)
        by, by_names = "items", ("same items", "100 new", "300 new", "1,000 new")
    data = {"pools": pools, "pairs": pairs, "axis": [-4.1, 4.1], "strip": [55, 70]}
    return _play(data, controls, 2, " points", by, by_names)


def _own(scores):
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
    gains = tuple(
        float(f"{share * spread:.3g}") for share in (0, 0.1, 0.25, 0.5, 0.75, 1, 1.5, 2)
    )
    data = {
        "pools": {"your system": {"scores": stretched.tolist()}},
        "pairs": {"": ["your system", "your system"]},
        "axis": [-4 * spread, 4 * spread],
        "strip": [float(own.mean()) - 4 * spread, float(own.mean()) + 5 * spread],
    }
    controls = (_count(3), _gain(gains, "added to B", gains[3]))
    return _play(data, controls, decimals(spread), "", None, ())


def _count(start):
    return Control(
        "count", "n, seeds of each", COUNTS, start, live=(1, 100, 1), short="n"
    )


def _gain(gains, words, start=0.0):
    step = gains[1] / 2
    return Control(
        "gain",
        words[0].upper() + words[1:],
        gains,
        start,
        live=(0.0, gains[-1], float(f"{step:.2g}")),
        text="{:g}".format,
        short="added",
    )


def _play(data, controls, digits, unit, by, by_names):
    told = " Test items: {items}." if by else ""
    return Play(
        "seeds",
        "Measured difference of two systems",
        "Raise n. How often is B ahead? Then let the test items change, too.",
        "seeds",
        controls,
        data,
        {
            "axis": [f"B minus A{unit and ','}{unit} (ends: and beyond)"],
            "digits": digits,
            "unit": unit,
            "lanes": {"difference": ""},
            "kinds": {"b": "B ahead", "a": "A ahead", "tie": "neither ahead"},
            "strip": {"a": "last seeds of A", "b": "last seeds of B"},
            "strip_axis": "test score",
            "tally": ["a", "b", "tie"],
            "told": 3,
            "sentence": (
                "Each comparison draws new seeds, {count} of A ({first}) and {count} of"
                f" B ({{second}}), and compares the means; {{gain}} added to B.{told}"
                " Ties count for neither."
            ),
        },
        {"b": "lstm", "a": "mlp", "tie": "dummy"},
        Law(
            "count",
            ("B is ahead,", "comparisons in 100"),
            "n, seeds of each",
            COUNTS,
            (0, 100),
            (Series("ahead", "difference", "b"),),
            by=by,
            by_names=by_names,
            log=True,
            line=50,
        ),
        Guess(
            "Guess: with 30 seeds of each, in how many of 100 is B ahead?",
            30,
            says="With 30 seeds of each, B is ahead in {truth} of 100.",
        ),
        functools.partial(_draw, data),
        draws={"Compare once": 1, "100 times": 100},
    )


def _draw(data, setting, luck):
    sides = data["pairs"][setting.get("pair", "")]
    pools = [data["pools"][name] for name in sides]
    count, items = int(setting["count"]), setting.get("items", "")
    members = [luck.places(count, len(pool["scores"])) for pool in pools]
    if items:
        n_items = pools[0]["n_items"]
        drawn = luck.places(int(items), n_items)
        bits = [unpack_bits(pool) for pool in pools]
        measured = [
            np.array(
                [
                    100 * right[np.ix_(of, at)].mean(axis=1)
                    for of, at in zip(member, drawn, strict=True)
                ]
            )
            for right, member in zip(bits, members, strict=True)
        ]
    else:
        measured = [
            np.array(pool["scores"])[member]
            for pool, member in zip(pools, members, strict=True)
        ]
    measured[1] = measured[1] + setting["gain"]
    value = measured[1].mean(axis=1) - measured[0].mean(axis=1)
    axis = tuple((3 if items else 1) * end for end in data["axis"])
    return Drawn(
        {"difference": (value, ahead(value, axis[1]))},
        axis,
        bins=41,
        mark=0,
        rows=(Row("a", measured[0][-1]), Row("b", measured[1][-1])),
        words={
            "first": sides[0],
            "second": sides[1],
            "strip": (30, 90) if items else tuple(data["strip"]),
        },
    )


def _add_items(pools, correct):
    """Add which items each seed has right."""
    for name, key in NETWORKS.items():
        right = np.asarray(correct[key], bool)
        if right.ndim != 2 or len(right) != len(pools[name]["scores"]):
            raise ValueError(
                f"correct[{key!r}] must have a row for each of the"
                f" {len(pools[name]['scores'])} seeds and a column for each item,"
                f" got shape {right.shape}"
            )
        pools[name] |= pack_bits(right)
