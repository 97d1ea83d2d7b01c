"""Which units are run, stage by stage: what stands around a chosen setting comes when the choice is made."""

import itertools

import pandas as pd

from evalkit.papers.melis2017.tasks import settings
from evalkit.papers.melis2017.tasks.runs import CELLS
from evalkit.tuning import main_effects

# How many of each: what judges ask for.
TRIALS, SHARED, LARGER_TRIALS, WIDTHS_TRIALS = 600, 60, 96, 40
SEARCHES, SEARCH_TRIALS, RERUNS = 6, 30, 3
SEEDS, GRID_PLACES, NEIGHBOURS, ABLATED = 20, 100, 60, 20
SHARES = (0.2, 0.6)
LENGTHS, LENGTH_SEEDS = (15_000, 60_000, 240_000), 3
RATIOS, VOCABULARIES, SIX = (0.25, 0.5, 1.0), (500, 2000), 6
EVALUATED, MASKED, UNSEEN, WHOLE, OTHER_SEEDS, OVERFITTED = 10, 5, 3, 2, 3, 2
# Cells and depths that are taken apart; the LSTM's own base is among its neighbours.
ABLATIONS = {
    ("lstm", 1): (
        "untied embeddings",
        "no projection",
        "no state dropout",
        "recurrent dropout",
        "untied gates",
        "tied gates",
    ),
    ("rhn", 5): ("base", "untied embeddings", "no state dropout", "recurrent dropout"),
    ("lstm", 4): ("base", "untied gates", "tied gates", "no state dropout", "none between layers"),
}
# At full scale so many times as many trials and searches.
FULL = 3


def _results(rows, table, **where):
    """Return parameters and results of the rows of a table."""
    found = [{**row["unit"], **row["result"]} for row in rows if row["unit"]["table"] == table]
    return [row for row in found if all(row[name] == value for name, value in where.items())]


def best(rows, table, cell, trials):
    """Return the setting with the best validation loss among the first trials of a pool.

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
    found = [row for row in _results(rows, table, cell=cell) if row["trial"] < trials]
    if len(found) < trials:
        return None
    first = min(found, key=lambda row: (row["validation"], row["trial"]))
    return settings.write(settings.drawn(first["trial"]))


def most_important(rows):
    """Return the two hyperparameters with the largest main effects on the LSTM's validation loss.

    Parameters
    ----------
    rows : list of dict
        With the whole pool of the LSTM.

    Returns
    -------
    str
        Their names.
    """
    found = [row for row in _results(rows, "pool", cell="lstm") if row["trial"] < TRIALS]
    found = pd.DataFrame(found).sort_values("trial")
    effects = main_effects(found[list(settings.RANGES)], found.validation)
    return " ".join(effects.index[:2])


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
        *({"table": "overfits", "cell": cell, "seed": s} for cell in CELLS for s in range(OVERFITTED)),
        *(
            {"table": "baselines", "text": text, "tokens": tokens}
            for text, tokens in (("brown", 25_000), ("docstrings", 25_000), ("brown", 0))
        ),
        *({"table": "pool", "cell": cell, "trial": t} for t in range(times * TRIALS) for cell in CELLS),
        *({"table": "elsewhere", "cell": cell, "trial": t} for t in range(SHARED) for cell in CELLS),
        *({"table": "budget", "cell": cell, "trial": t} for t in range(LARGER_TRIALS) for cell in CELLS),
        *({"table": "widths", "cell": c, "trial": t} for t in range(WIDTHS_TRIALS) for c in ("rhn", "nas")),
        *({"table": "grid", "place": place} for place in range(GRID_PLACES)),
        *(
            {"table": "guided", "cell": cell, "search_number": number, "trials": SEARCH_TRIALS}
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
                {"table": "final", "cell": cell, "setting": chosen, "seed": seed} for seed in range(WHOLE)
            ]
        if chosen := best(rows, "pool", cell, TRIALS):
            units += _around(cell, chosen)
            if cell == "lstm":
                names = most_important(rows)
                units += [{"table": "two", "names": names, "trial": trial} for trial in range(SHARED)]
    return units


def _seeds(cell, text, of, setting, count):
    return [
        {"table": "seeds", "cell": cell, "text": text, "of": of, "setting": setting, "seed": seed}
        for seed in range(count)
    ]


def _of_searches(rows, cell):
    """Return the reruns of what the guided searches chose."""
    return [
        unit
        for row in _results(rows, "guided", cell=cell)
        if row["search_number"] < SEARCHES
        for unit in _seeds(cell, "brown", f"search {row['search_number']}", row["best"], RERUNS)
    ]


def _around(cell, chosen):
    """Return what stands around the best setting of a cell's pool."""
    common = {"cell": cell, "setting": chosen}
    units = [
        *_seeds(cell, "brown", "pool", chosen, SEEDS),
        *_seeds(cell, "brown", "pool again", chosen, 1),
        *(
            {"table": "lengths", **common, "tokens": tokens, "dropout": dropout, "seed": seed}
            for tokens, dropout, seed in itertools.product(LENGTHS, (0, 1), range(LENGTH_SEEDS))
        ),
        *({"table": "evaluated", **common, "seed": seed} for seed in range(EVALUATED)),
        *({"table": "unseen", **common, "seed": seed} for seed in range(UNSEEN)),
    ]
    for (ablated, depth), variants in ABLATIONS.items():
        if ablated == cell:
            units += [
                {"table": "ablations", **common, "depth": depth, "variant": v, "draw": d}
                for v, d in itertools.product(variants, range(ABLATED))
            ]
    if cell == "lstm":
        units += _of_the_lstm(chosen)
    return units


def _of_the_lstm(chosen):
    alone = {"setting": chosen}
    return [
        *({"table": "arithmetic", **alone, "order": order} for order in range(SEEDS + 1)),
        *(
            {"table": "neighbours", **alone, "share": share, "draw": draw}
            for share, draw in itertools.product(SHARES, range(NEIGHBOURS))
        ),
        *(
            {"table": "factorial", **alone, "tied": tied, "state": state, "capped": capped, "seed": seed}
            for tied, state, capped, seed in itertools.product((0, 1), (0, 1), (0, 1), range(SIX))
        ),
        *(
            {"table": "vocabularies", **alone, "vocabulary": vocabulary, "ratio": ratio, "seed": seed}
            for vocabulary, ratio, seed in itertools.product(VOCABULARIES, RATIOS, range(SIX))
        ),
        *({"table": "masks", **alone, "seed": seed} for seed in range(MASKED)),
    ]
