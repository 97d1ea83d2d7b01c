"""Chapter 9: a benchmark is drawn again and again, and different systems come first."""

import base64

import numpy as np

from evalkit._checks import check_table, check_work
from evalkit.explore._controls import Control
from evalkit.explore._play import Guess, Play

__all__ = ["leaderboards"]

SYSTEMS = (2, 5, 10, 25, 50)
ITEMS = (50, 200, 500, 2000)
GAPS = (0.0, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0)
SHARED = (0, 20, 50, 70, 90)  # per cent: whole numbers of 50 items, too
# its first benchmark is as most are: another is first, 1.5 points too high (1.3 on
# average)
_TYPICAL = 6
HIGHEST, LOWEST = 80, 5  # of the true scores, in points
_MOST_ANSWERS = 200_000


def leaderboards(correct=None):
    """Explore leaderboards: draw the benchmark again, and see how often the truly best
    system comes first.

    Parameters
    ----------
    correct : array_like of bool, shape (n_items, n_systems), optional
        Which items each of your own systems gets right. Otherwise systems and items are
        made up.

    Returns
    -------
    Play

    Notes
    -----
    The systems that are made up: the best has a true score of 80 points, and each of
    the others a step less than the one before it, but none less than 5. On a given
    share of the items, one random number decides for all systems, so that a better one
    is right wherever a worse one is; on each other item, every system has luck of its
    own. The share is then the correlation of the answers of two equal systems.

    Your own items are drawn with replacement, each with the answers of all systems. Of
    systems that are equal in your table, the earlier column counts as ahead. Of equal
    scores on a benchmark that is drawn, a lot decides.

    Size: up to 200,000 answers of your own, a page of them in 1 s and 100 MB.
    """
    data, controls, question, words = _made_up() if correct is None else _own(correct)
    return Play(
        "leaderboards",
        "The number one of a benchmark that is drawn again",
        "boards",
        controls,
        data,
        {
            "digits": 2,
            "unit": " points",
            "signed": True,
            "lanes": {"rank": ""},
            "strip_axis": ["score, in points"],
            "tally": ["best", "over"],
            "later": (
                "Systems that have come first so far: {crowned}. In brackets: 95 %, for"
                " more such benchmarks."
            ),
            **words,
        },
        {"best": "one", "other": "dummy"},
        Guess(f"Guess first: of 100 benchmarks, in how many is {question}?", "best"),
        {"Draw a benchmark": 1, "100 more": 100},
        seed=_TYPICAL if correct is None else 0,
    )


def _made_up():
    controls = (
        Control("systems", "Systems on the board", SYSTEMS, 10),
        Control("items", "Items of a benchmark", ITEMS, 500, text="{:,}".format),
        Control("gap", "Points between neighbours", GAPS, 0.5, text="{:g}".format),
        Control("shared", "Items on which luck is shared, %", SHARED, 50),
    )
    words = {
        "kinds": {
            "best": "the truly best system is first",
            "other": "another is first",
            "over": "score of number one minus its true score, on average",
        },
        "axis": ["true rank of number one, from 1 on"],
        "strip": {
            "true": "true scores (filled: the best)",
            "measured": "the last benchmark (ringed: number one)",
        },
        "sentence": (
            f"True scores: {HIGHEST} points for the best system, and {{gap}} lower from"
            f" each to the next, none below {LOWEST}. Each benchmark has new items. On"
            " {shared}\u00a0% of them all systems share their luck: where one is"
            " right, every better one is, too. On the others each has its own."
        ),
        "notes": {
            "equal": "So all are equally good, and the filled one is best in name only."
        },
    }
    return (
        {"highest": HIGHEST, "lowest": LOWEST},
        controls,
        "the truly best system first",
        words,
    )


def _own(correct):
    table = _check_answers(correct)
    n_items = len(table)
    # The best is last.
    table = table[:, np.argsort(-table.sum(axis=0), kind="stable")[::-1]]
    sizes = sorted(
        {max(1, n_items // 4), max(1, n_items // 2), n_items, 2 * n_items, 4 * n_items}
    )
    words = {
        "kinds": {
            "best": "the number one of your table is first again",
            "other": "another is first",
            "over": "score of number one minus its score in your table, on average",
        },
        "axis": ["rank in your table of number one, from 1 on"],
        "strip": {
            "true": "your table (filled: number one)",
            "measured": "the last benchmark (ringed: number one)",
        },
        "sentence": (
            f"Each benchmark draws from your {n_items:,} items, as if those were all"
            " there are."
        ),
    }
    own = {
        "truths": (100 * table.mean(axis=0)).tolist(),
        "correct": base64.b64encode(np.packbits(table).tobytes()).decode(),
        "n_items": n_items,
    }
    controls = (
        Control(
            "items", "Items of a benchmark", tuple(sizes), n_items, text="{:,}".format
        ),
    )
    return {"own": own}, controls, "the number one of your table first again", words


def _check_answers(correct):
    table = check_table(correct, "correct")
    check_work(
        table.size,
        _MOST_ANSWERS,
        f"correct has {table.size:,} answers",
        "take a random part of the items",
    )
    if table.ndim != 2 or table.shape[1] < 2:
        raise ValueError(
            "correct must have a row for each item and a column for each of two"
            f" systems or more, got shape {table.shape}"
        )
    if not np.isin(table, (0, 1)).all():
        raise ValueError(
            "correct must hold True and False, or 1 and 0, and nothing between"
        )
    return table.astype(bool)
