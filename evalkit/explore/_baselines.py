"""Chapter 2: the mix of classes against what a system gains over the best dummy."""

import functools

import numpy as np

from evalkit._checks import check_labels
from evalkit.explore._controls import Control
from evalkit.explore._drawn import Drawn, Row
from evalkit.explore._play import Guess, Law, Play, Series

__all__ = ["baselines"]

SHARES = (50, 60, 70, 75, 80, 85, 90, 93, 95, 97, 99)
RIGHT = tuple(range(0, 101, 5))
ITEMS = 100  # of a test set
_PER_CENT = "{}\u00a0%".format


def baselines(labels=None):
    """Explore dummies: what a system gains over the best of them, in accuracy and in
    balanced accuracy, as one class grows.

    Parameters
    ----------
    labels : array_like, shape (n_items,), optional
        The classes of your own items, whose mix the figure begins with. Otherwise two
        classes, of which one has 90 % of the items.

    Returns
    -------
    Play

    Notes
    -----
    The best dummy in accuracy always answers the common class; in balanced accuracy no
    dummy has more than 1 over the number of classes. A system has the same share right
    in each class but the common one.

    Size: linear in your items; 1 million take 5 s and 500 MB.
    """
    share, classes = 90, 2
    if labels is not None:
        counts = np.unique(check_labels(labels, "labels"), return_counts=True)[1]
        if len(counts) < 2:
            raise ValueError(
                "labels must hold at least two classes; with one there is nothing to"
                " tell apart"
            )
        classes = len(counts)
        share = round(100 * counts.max() / counts.sum())
        share = min(max(share, 1), ITEMS - 1)  # an item of each kind
    data = {"items": ITEMS, "classes": classes, "axis": [-51.25, 51.25]}
    stops = tuple(sorted({*SHARES, share}))
    controls = (
        Control(
            "share",
            "Items of the common class",
            stops,
            share,
            text=_PER_CENT,
            live=(1, ITEMS - 1, 1),
            short="common class",
        ),
        Control(
            "common",
            "Correct in the common class",
            RIGHT,
            95,
            text=_PER_CENT,
            live=(0, 100, 1),
            short="right there",
        ),
        Control(
            "rare",
            "Correct in the rest",
            RIGHT,
            45,
            text=_PER_CENT,
            live=(0, 100, 1),
            short="right elsewhere",
        ),
    )
    return Play(
        "baselines",
        "What a system gains over the best dummy",
        "Make the common class more common. What becomes of the system's lead?",
        "classes",
        controls,
        data,
        {
            "axis": ["points above the best dummy"],
            "digits": 1,
            "unit": " points",
            "signed": True,
            "means": True,
            "lanes": {
                "accuracy": "accuracy (best dummy {floor})",
                "balanced": "balanced accuracy (best dummy {half})",
            },
            "kinds": {"above": "above the dummy", "below": "no better"},
            "strip": {"items": "the last test set (filled: right)"},
            "strip_axis": "common | rest",
            "told": 2,
            "sentence": (
                f"Each test set has {ITEMS} items, {{share}} of them of the common"
                " class. On average the system is right on {common} of these, and on"
                " {rare} of the rest."
            ),
        },
        {
            "above": "mlp",
            "below": "dummy",
            "accuracy": "one",
            "balanced": "two",
        },
        Law(
            "share",
            ("Lead over the best dummy,", "in points"),
            "% of the common class",
            stops,
            (-100, 50),
            (
                Series("accuracy", "accuracy", label="accuracy"),
                Series("balanced", "balanced", label="balanced"),
            ),
            line=0,
        ),
        Guess(
            "Guess: its lead in accuracy, if 99 % are of the common class, in points?",
            99,
            (-100, 50),
            "accuracy",
            0.5,
            says="With 99 % of the common class the lead in accuracy is {truth}.",
        ),
        functools.partial(_draw, data),
        functools.partial(_in_the_end, data),
        draws={"One test set": 1, "100 more": 100},
    )


def _leads(data, n, common, rare):
    items, classes = data["items"], data["classes"]
    return {
        "accuracy": (common * n + rare * (items - n)) / items - 100 * n / items,
        "balanced": (common + (classes - 1) * rare) / classes - 100 / classes,
    }


def _in_the_end(data, setting):
    n = round(data["items"] * setting["share"] / 100)
    return _leads(data, n, setting["common"], setting["rare"])


def _draw(data, setting, luck):
    items = data["items"]
    n = round(items * setting["share"] / 100)
    chance = np.where(np.arange(items) < n, setting["common"], setting["rare"])
    right = 100 * luck.take(items) < chance
    of = (100 * right[:, part].mean(axis=1) for part in (slice(n), slice(n, None)))
    piles = {
        key: (lead, np.where(lead > 1e-9, "above", "below").astype(object))
        for key, lead in _leads(data, n, *of).items()
    }
    row = Row("items", np.arange(items) + 0.5, right[-1])
    words = {
        "floor": f"{100 * n / items:.0f}",
        "half": f"{100 / data['classes']:.0f}",
        "strip": (0, items),
    }
    return Drawn(piles, tuple(data["axis"]), bins=41, mark=0, rows=(row,), words=words)
