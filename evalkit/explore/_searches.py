"""Two searches, compared again and again: the game of the cover and of Chapter 3."""

import numpy as np

from evalkit.expected_maximum import boo
from evalkit.explore._drawn import Drawn, Row, ahead


def budgets_of(data, setting):
    """Return how many settings each side tries."""
    if "trials" not in setting:
        return {side: int(setting[side]) for side in "ab"}
    n = int(setting["trials"])
    if setting.get("unit") == "seconds":
        return {"a": n, "b": int(np.floor(n * data["ratio"] + 1e-9))}
    return {"a": n, "b": n}


def draw_searches(data, setting, luck):
    """Draw papers: of each side the run that is best on validation is reported."""
    sign, budgets = data.get("sign", 1), budgets_of(data, setting)
    reported, rows = [], []
    for side, budget in budgets.items():
        validation, test = (
            np.asarray(data["pools"][side][part]) for part in ("validation", "test")
        )
        tried = luck.places(budget, len(test))
        best = np.argmax(sign * validation[tried], axis=1)
        reported.append(test[tried[np.arange(luck.draws), best]])
        rows.append(Row(side, test[tried[-1]], np.arange(budget) == best[-1]))
    value = sign * (reported[1] - reported[0])
    return Drawn(
        {"difference": (value, ahead(value, data["axis"][1]))},
        tuple(data["axis"]),
        bins=41,
        mark=0,
        rows=tuple(rows),
        words={"strip": data["strip"], "n_a": budgets["a"], "n_b": budgets["b"]},
    )


def _chances(validation, budget):
    """Return how probable each run is to be chosen, if so many are drawn."""
    _, level, counts = np.unique(validation, return_inverse=True, return_counts=True)
    up_to = np.append(0, np.cumsum(counts)) / len(validation)
    return (np.diff(up_to**budget) / counts)[level]


def searches_in_the_end(data, setting):
    """Return how often B wins, in 100, and by how much it leads on average."""
    sign, expected, tests, chances = data.get("sign", 1), [], [], []
    for side, budget in budgets_of(data, setting).items():
        validation, test = (
            sign * np.asarray(data["pools"][side][part])
            for part in ("validation", "test")
        )
        order = np.argsort(test)
        tests.append(test[order])
        chances.append(_chances(validation, budget)[order])
        expected.append(boo(validation, test, n=budget, estimator="v"))
    # How often A is below each of B's scores, by more than rounding.
    below = np.append(0, np.cumsum(chances[0]))
    least = tests[1] - 1e-9 * data["axis"][1]
    first = chances[1] @ below[np.searchsorted(tests[0], least)]
    return {"wins": float(100 * first), "lead": float(expected[1] - expected[0])}
