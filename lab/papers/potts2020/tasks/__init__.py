"""What is run for Potts (2020): divisions, settings, seeds and draws, on real text and
on tables.

`data` and `systems` say on what and with what; a vector in a cell is `pack`ed.
"""

import itertools

from lab.papers.potts2020.tasks import divided, simulated, trained, tuned
from lab.papers.potts2020.tasks.data import STANDARD, TABLES, TEXTS
from lab.papers.potts2020.tasks.systems import SYSTEMS

__all__ = ["FUNCTIONS", "plan"]

FUNCTIONS = {
    function.__name__: function
    for function in (
        divided.splits,
        divided.over_splits,
        divided.over_folds,
        divided.dummies,
        tuned.settings,
        trained.curves,
        trained.reseeded,
        trained.convergence,
        simulated.coverage,
        simulated.xor,
    )
}

SPLITS, STANDARD_SEEDS = 100, 20
# The data on which plain splits stand beside stratified ones.
UNSTRATIFIED = ("wine", "breast-cancer", "digits", "docstrings", "tweets", "reuters")
TESTED, FOLDED = {"docstrings": 500, "sst2": 500}, 200
RANDOM_SEEDS = 50


def plan(times=1):
    """Return the units, those that most claims wait for first.

    Parameters
    ----------
    times : int, default 1
        How many times as many splits, samples and seeds.

    Returns
    -------
    list of dict
    """
    return [
        *_crossed("convergence", data=trained.CONVERGENCE, system=trained.LINEAR_KINDS),
        *_crossed(
            "convergence",
            division=range(1, times * trained.DIVISIONS + 1),
            data=trained.CONVERGENCE_TABLES,
            system=("linear",),
        ),
        *_crossed("coverage", population=simulated.POPULATIONS, n=simulated.SIZES),
        *_crossed(
            "curves", seed=range(times * trained.CURVE_SEEDS), data=trained.CURVES
        ),
        *(
            {**unit, **tuned.drawn(unit["number"])}
            for unit in _crossed(
                "settings",
                split=range(tuned.SETTINGS_SPLITS),
                space=("wide",),
                number=range(times * tuned.WIDE),
                data=tuned.SETTINGS_DATA,
            )
        ),
        *_crossed(
            "reseeded",
            seed=range(times * RANDOM_SEEDS),
            data=tuned.SETTINGS_DATA,
            system=("shallow",),
        ),
        *_crossed(
            "splits",
            scheme=("standard",),
            split=(0,),
            data=STANDARD,
            system=SYSTEMS[:-1],
        ),
        *_crossed(
            "splits",
            scheme=("standard",),
            split=range(STANDARD_SEEDS),
            data=STANDARD,
            system=SYSTEMS[-1:],
        ),
        *_crossed(
            "splits",
            scheme=("stratified",),
            split=range(times * SPLITS),
            data=(*TEXTS, *TABLES),
            system=SYSTEMS,
        ),
        *_crossed(
            "splits",
            scheme=("random",),
            split=range(times * SPLITS),
            data=UNSTRATIFIED,
            system=("linear",),
        ),
        *_crossed("dummies", split=range(20 * times), data=(*TEXTS, *TABLES)),
        *(
            {"table": "over_splits", "data": data, "sample": sample}
            for data, count in TESTED.items()
            for sample in range(times * count)
        ),
        *_crossed("over_folds", data=("docstrings",), sample=range(times * FOLDED)),
        *(
            {
                "table": "xor",
                "activation": activation,
                "hidden": hidden,
                "learning_rate": rate,
            }
            for rate, hidden in simulated.XOR
            for activation in ("tanh", "relu")
        ),
    ]


def _crossed(table, **values):
    """Return the units of a table: every combination of values, the first name changing
    slowest.
    """
    return [
        {"table": table, **dict(zip(values, chosen, strict=True))}
        for chosen in itertools.product(*values.values())
    ]
