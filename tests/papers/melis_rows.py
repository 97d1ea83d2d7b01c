"""Made-up rows of Melis et al.: losses whose order, gaps and noise are known by construction."""

import numpy as np
from scipy import stats

from evalkit.recorded import pack

CELLS = ("lstm", "rhn", "nas")
SIZES = {"pool": 600, "elsewhere": 60, "budget": 96}


def row(table, result, **unit):
    return {"unit": {"table": table, **unit}, "result": result}


def places(size, seed=0):
    """A place between 0 and 1 for each setting, evenly spread and in a random order."""
    return (np.random.default_rng(seed).permutation(size) + 0.5) / size


def normal(size, middle=5.0, sd=0.01, seed=0):
    """Numbers like those of a normal distribution, with this SD to the digit."""
    values = stats.norm.ppf((np.arange(size) + 0.5) / size)
    return middle + sd * np.random.default_rng(seed).permutation(values) / values.std(ddof=1)


def trials(table, validation, test=None, seconds=8.0, diverged=(), number="trial", **unit):
    """The rows of a pool, the last one first; by default the test loss is that of validation."""
    test = validation if test is None else test
    seconds = np.broadcast_to(seconds, len(test))
    return [
        row(
            table,
            {"validation": v, "test": t, "processor": s, "diverged": int(i in diverged)},
            **unit,
            **{number: i},
        )
        for i, (v, t, s) in enumerate(zip(validation, test, seconds, strict=True))
    ][::-1]


def as_it_is(place):
    return place


def cells(table="pool", seconds=8.0, noise=0.0, **change):
    """Pools of the three cells with the same settings: of each cell a function from places to losses above 5.

    `noise` is the SD of what each trial has of its own.
    """
    size, rows = SIZES[table], []
    for i, cell in enumerate(CELLS):
        losses = 5 + change.get(cell, as_it_is)(places(size))
        losses = losses + normal(size, 0, noise, seed=i + 1) if noise else losses
        took = seconds[cell] if isinstance(seconds, dict) else seconds
        rows += trials(table, losses, seconds=took, cell=cell)
    return rows


def shifted(by):
    return lambda place: place + by


def seeds(validation=None, of="pool", cell="lstm", test=None):
    """Reruns of a chosen setting."""
    validation = normal(20, 5.0) if validation is None else validation
    test = validation if test is None else test
    text = "docstrings" if of == "docstrings" else "brown"
    return [
        row(
            "seeds",
            {"validation": v, "test": t},
            cell=cell,
            text=text,
            of=of,
            setting="0.01",
            seed=i,
        )
        for i, (v, t) in enumerate(zip(validation, test, strict=True))
    ][::-1]


def of_each_cell(make):
    return [row for cell in CELLS for row in make(cell)]


def search(number, validations, cell="lstm", test=None):
    """A guided search; by default the test losses are those of validation."""
    best = float(np.min(validations))
    return row(
        "guided",
        {
            "validations": pack(validations, ".6g"),
            "tests": pack(validations, ".6g"),
            "best": "0.01",
            "validation": best,
            "test": best if test is None else test,
        },
        cell=cell,
        search_number=number,
        trials=len(validations),
    )


def reaching(at, best=5.0, start=7.0, trials=30):
    """The losses of a search that comes to its best in one step, at a given trial; never if that is 0."""
    losses = np.full(trials, start)
    if at:
        losses[at - 1 :] = best
    return losses
