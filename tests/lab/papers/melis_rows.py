"""Made-up rows of Melis et al.: losses whose order, gaps and noise are known by
construction.
"""

import numpy as np
from scipy import stats

from lab.record.tables import pack

CELLS = ("lstm", "rhn", "nas")
SIZES = {"pool": 600, "elsewhere": 60, "budget": 96, "widths": 40}


def row(table, result, **unit):
    return {"unit": {"table": table, **unit}, "result": result}


def places(size, seed=0):
    """A place between 0 and 1 for each setting, evenly spread and in a random order."""
    return (np.random.default_rng(seed).permutation(size) + 0.5) / size


def normal(size, middle=5.0, sd=0.01, seed=0):
    """Numbers like those of a normal distribution, with this SD to the digit."""
    values = stats.norm.ppf((np.arange(size) + 0.5) / size)
    return middle + sd * np.random.default_rng(seed).permutation(values) / values.std(
        ddof=1
    )


def trials(table, validation, test=None, diverged=(), **unit):
    """The rows of a pool, the last one first; by default the test loss is that of
    validation.
    """
    test = validation if test is None else test
    return [
        row(
            table,
            {
                "validation": v,
                "test": t,
                "processor": 8.0,
                "diverged": int(i in diverged),
            },
            **unit,
            trial=i,
        )
        for i, (v, t) in enumerate(zip(validation, test, strict=True))
    ][::-1]


def pools(*tables, noise=0.001, **shift):
    """Pools of the three cells with the same settings, each cell's losses shifted by so
    much.
    """
    return [
        found
        for table in tables
        for i, cell in enumerate(CELLS)
        if table != "widths" or cell != "lstm"
        for found in trials(
            table,
            5
            + shift.get(cell, 0)
            + places(600)[: SIZES[table]]
            + normal(SIZES[table], 0, noise, seed=i),
            cell=cell,
        )
    ]


def seeds(losses, of="pool", cell="lstm"):
    """Reruns of a chosen setting, with the losses of five documents that are harder and
    easier.
    """
    documents = np.array([-0.2, -0.1, 0, 0.1, 0.2])
    return [
        row(
            "seeds",
            {
                "validation": x,
                "test": x,
                "documents": pack(x + documents + normal(5, 0, 0.001, i), ".6f"),
            },
            cell=cell,
            of=of,
            seed=i,
        )
        for i, x in enumerate(losses)
    ][::-1]


def searched(luck=0.01, sd=0.01, of_searches=0.005, **shift):
    """Six guided searches of each cell, whose chosen run is so much better than the
    mean of its reruns.
    """
    rows = []
    for c, cell in enumerate(CELLS):
        means = normal(6, 5.0 + shift.get(cell, 0), of_searches, seed=c)
        for i, (mean, better) in enumerate(
            zip(means, normal(6, luck, sd / 4, seed=c + 10), strict=True)
        ):
            best = {"validation": mean - better, "test": mean - better}
            rows.append(row("guided", best, cell=cell, search_number=i))
            rows += seeds(normal(3, mean, sd, seed=6 * c + i), f"search {i}", cell)
    return rows


def again(sd=0.01, **shift):
    """The best settings of both texts, trained again, scored with a cache, and on other
    lengths of text.
    """
    rows = []
    for c, cell in enumerate(CELLS):
        losses = normal(20, 5.0 + shift.get(cell, 0), sd, seed=c)
        rows += seeds(losses, "pool", cell) + seeds(losses, "docstrings", cell)
        rows += [
            row("evaluated", {"cached": x}, cell=cell, seed=i)
            for i, x in enumerate(losses[:10])
        ]
        rows += [
            row("lengths", {"test": x}, cell=cell, tokens=n, dropout=1, seed=i)
            for n in (15_000, 60_000, 240_000)
            for i, x in enumerate(normal(3, losses.mean(), 0.001))
        ]
        rows += [
            row("final", {"test": x}, cell=cell, seed=i)
            for i, x in enumerate(normal(2, losses.mean(), 0.001))
        ]
    return rows
