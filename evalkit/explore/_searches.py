"""Two searches, compared again and again: the game of the cover and of Chapter 3."""

import numpy as np

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
    sign = data.get("sign", 1)
    reported, rows = [], []
    for side, budget in budgets_of(data, setting).items():
        validation, test = (
            np.asarray(data["pools"][side][part]) for part in ("validation", "test")
        )
        tried = luck.places(budget, len(test))
        best = np.argmax(sign * validation[tried], axis=1)
        reported.append(test[tried[np.arange(luck.draws), best]])
        rows.append(Row(side, test[tried[-1]], np.arange(budget) == best[-1]))
    value = sign * (reported[1] - reported[0])
    budgets = budgets_of(data, setting)
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
    sign = data.get("sign", 1)
    tests, chances = [], []
    for side, budget in budgets_of(data, setting).items():
        pool = data["pools"][side]
        tests.append(sign * np.asarray(pool["test"]))
        chances.append(_chances(sign * np.asarray(pool["validation"]), budget))
    first = ahead(np.subtract.outer(tests[1], tests[0]), data["axis"][1]) == "b"
    return {
        "wins": float(100 * chances[1] @ first @ chances[0]),
        "lead": float(tests[1] @ chances[1] - tests[0] @ chances[0]),
    }
