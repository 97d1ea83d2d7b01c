"""Chapter 9: a benchmark is drawn again and again, and different systems come first."""

import functools

import numpy as np
from scipy import stats

from evalkit._checks import check_table, check_work
from evalkit.explore._bits import pack_bits, unpack_bits
from evalkit.explore._controls import Control
from evalkit.explore._drawn import Drawn, Row
from evalkit.explore._play import Guess, Law, Play, Series

__all__ = ["leaderboards"]

SYSTEMS = (2, 5, 10, 25, 50)
ITEMS = (50, 100, 200, 500, 1000, 2000)
GAPS = (0.0, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0)
SHARED = (0, 20, 50, 70, 90)  # per cent: whole numbers of 50 items, too
# of the seeds below 60 the one whose points lie nearest to the curve
_TYPICAL = 16
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
    data, controls, first, words = _made_up() if correct is None else _own(correct)
    (items,) = (control for control in controls if control.name == "items")
    most = f"{items.values[-1]:,}"
    return Play(
        "leaderboards",
        "The number one of a benchmark that is drawn again",
        f"Give the benchmark more items. How often is {first}?",
        "boards",
        controls,
        data,
        {
            "digits": 2,
            "unit": " points",
            "signed": True,
            "lanes": {"rank": ""},
            "strip_axis": "score",
            "tally": ["best"],
            "told": 2,
            **words,
        },
        {"best": "one", "other": "dummy"},
        Law(
            "items",
            ("The best is first,", "benchmarks in 100"),
            "items of a benchmark",
            items.values,
            (0, 100),
            (Series("best", "rank", "best"),),
            log=True,
        ),
        Guess(
            f"Guess: with {most} items, in how many benchmarks of 100 is {first}?",
            items.values[-1],
            says=f"With {most} items it is first in {{truth}} of 100.",
        ),
        functools.partial(_draw, data),
        draws={"Draw a benchmark": 1, "100 more": 100},
        seed=_TYPICAL if correct is None else 0,
    )


def _made_up():
    controls = (
        Control(
            "items",
            "Items of a benchmark",
            ITEMS,
            500,
            live=(10, 5000, 10),
            text="{:,}".format,
            short="items",
        ),
        Control(
            "gap",
            "Points between neighbours",
            GAPS,
            0.5,
            live=(0.0, 5.0, 0.05),
            text="{:g}".format,
            short="gap",
        ),
        Control(
            "systems",
            "Systems on the board",
            SYSTEMS,
            10,
            live=(2, 50, 1),
            short="systems",
        ),
        Control(
            "shared",
            "Luck that is shared, %",
            SHARED,
            50,
            live=(0, 100, 1),
            short="shared",
        ),
    )
    words = {
        "kinds": {
            "best": "the truly best system is first",
            "other": "another is first",
            "over": "number one is flattered, on average, by",
        },
        "axis": ["true rank of number one"],
        "strip": {
            "true": "true scores (filled: best)",
            "measured": "last benchmark (ring: number one)",
        },
        "sentence": (
            f"Each benchmark has {{items}} new items. True scores go from {HIGHEST}"
            f" down in steps of {{gap}}, none below {LOWEST}. On {{shared}}\u00a0% of"
            " the items luck is shared: where a system is right, every better one is."
            " Number of systems that have come first so far: {crowned}."
        ),
        "notes": {
            "equal": "Here all are equally good; the filled one is best in name only."
        },
    }
    return (
        {"highest": HIGHEST, "lowest": LOWEST},
        controls,
        "the best system first",
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
            "best": "your number one is first again",
            "other": "another is first",
            "over": "number one is flattered, on average, by",
        },
        "axis": ["rank in your table of number one"],
        "strip": {
            "true": "your table (filled: best)",
            "measured": "last benchmark (ring: number one)",
        },
        "sentence": (
            f"Each benchmark draws from your {n_items:,} items, as if those were all"
            " there are."
        ),
    }
    own = {"truths": (100 * table.mean(axis=0)).tolist(), **pack_bits(table)}
    controls = (
        Control(
            "items",
            "Items of a benchmark",
            tuple(sizes),
            n_items,
            live=(1, 4 * n_items, 1),
            text="{:,}".format,
            short="items",
        ),
    )
    return {"own": own}, controls, "your number one first again", words


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


def _draw(data, setting, luck):
    items = int(setting["items"])
    if own := data.get("own"):
        truths = np.array(own["truths"])
        table = unpack_bits(own).astype(int)
        right = np.array(
            [table[at].sum(axis=0) for at in luck.places(items, len(table))]
        )
    else:
        steps = np.arange(int(setting["systems"]) - 1, -1, -1)
        truths = np.maximum(data["lowest"], data["highest"] - setting["gap"] * steps)
        right = _answers(
            truths, items, int(items * setting["shared"] / 100 + 0.5), luck
        )
    scores = 100 * right / items
    top = scores.max(axis=1)
    tied = scores == top[:, None]
    # Of equals a lot decides.
    lot = np.floor(luck.take(1)[:, 0] * tied.sum(axis=1)) + 1
    first = np.argmax(np.cumsum(tied, axis=1) == lot[:, None], axis=1)
    n = len(truths)
    best = np.where(first == n - 1, "best", "other").astype(object)
    flat = np.full(luck.draws, "over", object)
    reach = 150 / np.sqrt(items)  # three standard deviations of a score, or more
    return Drawn(
        {"rank": (n - first, best), "over": (top - truths[first], flat)},
        (0.5, n + 0.5),
        bins=n,
        rows=tuple(
            Row(key, values, np.arange(n) == n - 1, first[-1])
            for key, values in (("true", truths), ("measured", scores[-1]))
        ),
        words={
            "strip": (max(0, truths[0] - reach), min(100, truths[-1] + reach)),
            "crowned": str(len(set(first))),
        },
        note="equal" if setting.get("gap") == 0 else None,
    )


def _answers(truths, items, shared, luck):
    """Draw how many items each system has right, from the last system to the best.

    Where luck is shared, one number decides for all.
    """
    alone = items - shared
    up_to = stats.binom.cdf(np.arange(alone + 1), alone, truths[:, None] / 100)
    chosen = luck.take(len(truths))
    right = np.array(
        [
            np.searchsorted(of, u, side="right")
            for of, u in zip(up_to, chosen.T, strict=True)
        ]
    ).T
    common = 100 * luck.take(shared)
    together = [np.sum(common < truth, axis=1) for truth in truths]
    return np.minimum(right, alone) + np.array(together).T
