"""Which units are run, stage by stage: what stands around a chosen setting comes when
the choice is made.
"""

import itertools

from lab.papers.melis2017.tasks import settings
from lab.papers.melis2017.tasks.runs import CELLS

# How many of each: what judges ask for.
TRIALS, SHARED, LARGER_TRIALS, WIDTHS_TRIALS = 600, 60, 96, 40
SEARCHES, SEARCH_TRIALS, RERUNS, SEEDS = 6, 30, 3, 20
LENGTHS, LENGTH_SEEDS = (15_000, 60_000, 240_000), 3
EVALUATED, WHOLE, OTHER_SEEDS, OVERFITTED = 10, 2, 3, 2
# At full scale so many times as many trials and searches.
FULL = 3


def _results(rows, table, **where):
    """Return parameters and results of the rows of a table."""
    results = [
        {**row["unit"], **row["result"]}
        for row in rows
        if row["unit"]["table"] == table
    ]
    return [
        row
        for row in results
        if all(row[name] == value for name, value in where.items())
    ]


def best(rows, table, cell, trials):
    """Return the setting with the best validation loss among the first trials of a
    pool.

    Parameters
    ----------
    rows : list of dict
    table : {"pool", "budget", "elsewhere"}
    cell : str
    trials : int

    Returns
    -------
    str or None
        As `settings.write` gives it; None while not all of them are there.
    """
    candidates = [
        row for row in _results(rows, table, cell=cell) if row["trial"] < trials
    ]
    if len(candidates) < trials:
        return None
    first = min(candidates, key=lambda row: (row["validation"], row["trial"]))
    return settings.write(settings.drawn(first["trial"]))


def plan(scale, rows):
    """Return the units that can be run.

    Parameters
    ----------
    scale : {"recorded", "full"}
        The full one has three times as many random trials and guided searches.
    rows : list of dict
        Those there are; what depends on others comes when these are there.

    Returns
    -------
    list of dict
    """
    times = FULL if scale == "full" else 1
    units = [
        *(
            {"table": "overfits", "cell": cell, "seed": s}
            for cell in CELLS
            for s in range(OVERFITTED)
        ),
        *(
            {"table": "baselines", "text": text, "tokens": tokens}
            for text, tokens in (
                ("brown", 25_000),
                ("docstrings", 25_000),
                ("brown", 0),
            )
        ),
        *(
            {"table": "pool", "cell": cell, "trial": t}
            for t in range(times * TRIALS)
            for cell in CELLS
        ),
        *(
            {"table": "elsewhere", "cell": cell, "trial": t}
            for t in range(SHARED)
            for cell in CELLS
        ),
        *(
            {"table": "budget", "cell": cell, "trial": t}
            for t in range(LARGER_TRIALS)
            for cell in CELLS
        ),
        *(
            {"table": "widths", "cell": c, "trial": t}
            for t in range(WIDTHS_TRIALS)
            for c in ("rhn", "nas")
        ),
        *(
            {
                "table": "guided",
                "cell": cell,
                "search_number": number,
                "trials": SEARCH_TRIALS,
            }
            for number in range(times * SEARCHES)
            for cell in CELLS
        ),
        *(
            {"table": "released", "model": model, "seed": seed}
            for model in settings.RELEASED
            for seed in range(OTHER_SEEDS)
        ),
    ]
    for cell in CELLS:
        units += _of_searches(rows, cell)
        if chosen := best(rows, "elsewhere", cell, SHARED):
            units += _seeds(cell, "docstrings", "docstrings", chosen, SEEDS)
        if chosen := best(rows, "budget", cell, LARGER_TRIALS):
            units += [
                {"table": "final", "cell": cell, "setting": chosen, "seed": seed}
                for seed in range(WHOLE)
            ]
        if chosen := best(rows, "pool", cell, TRIALS):
            units += _around(cell, chosen)
    return units


def _seeds(cell, text, of, setting, count):
    return [
        {
            "table": "seeds",
            "cell": cell,
            "text": text,
            "of": of,
            "setting": setting,
            "seed": seed,
        }
        for seed in range(count)
    ]


def _of_searches(rows, cell):
    """Return the reruns of what the guided searches chose."""
    return [
        unit
        for row in _results(rows, "guided", cell=cell)
        if row["search_number"] < SEARCHES
        for unit in _seeds(
            cell, "brown", f"search {row['search_number']}", row["best"], RERUNS
        )
    ]


def _around(cell, chosen):
    """Return what stands around the best setting of a cell's pool."""
    common = {"cell": cell, "setting": chosen}
    return [
        *_seeds(cell, "brown", "pool", chosen, SEEDS),
        *_seeds(cell, "brown", "pool again", chosen, 1),
        *(
            {
                "table": "lengths",
                **common,
                "tokens": tokens,
                "dropout": dropout,
                "seed": seed,
            }
            for tokens, dropout, seed in itertools.product(
                LENGTHS, (0, 1), range(LENGTH_SEEDS)
            )
        ),
        *({"table": "evaluated", **common, "seed": seed} for seed in range(EVALUATED)),
    ]
