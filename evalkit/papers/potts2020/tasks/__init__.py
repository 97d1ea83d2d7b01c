"""What is run for Potts (2020): divisions, searches, seeds and draws, on real text and on tables.

`data` and `systems` say on what and with what; a vector in a cell is `pack`ed.
"""

import itertools

from evalkit.papers.potts2020.tasks import divided, simulated, trained, tuned
from evalkit.papers.potts2020.tasks.data import STANDARD, TABLES, TEXTS
from evalkit.papers.potts2020.tasks.systems import SYSTEMS

__all__ = ["FUNCTIONS", "plan"]

FUNCTIONS = {
    function.__name__: function
    for function in (
        divided.splits,
        divided.sizes,
        divided.small,
        divided.estimated,
        divided.tiny,
        divided.folds,
        divided.over_splits,
        divided.over_folds,
        divided.splitters,
        divided.dummies,
        divided.partial,
        tuned.grid,
        tuned.settings,
        tuned.guided,
        trained.curves,
        trained.crossed,
        trained.reseeded,
        trained.shuffled,
        trained.starts,
        trained.convergence,
        trained.notebook,
        simulated.coverage,
        simulated.rejections,
        simulated.xor,
    )
}

SPLITS, STANDARD_SEEDS = 100, 20
# The data on which plain splits stand beside stratified ones.
UNSTRATIFIED = ("wine", "breast-cancer", "digits", "docstrings", "tweets", "reuters")
SIZES = {
    ("docstrings", 300): 100,
    ("all_docstrings", 20_000): 50,
    ("sst2", 300): 100,
    ("sst2", 9600): 50,
    ("imdb", 300): 100,
    ("imdb", 10_000): 50,
}
FOLD_DATA = [("docstrings", 300), *((data, 0) for data in ("docstrings", "sst2", "tweets", *TABLES))]
SAMPLES, TESTED, FOLDED = 200, {"docstrings": 500, "sst2": 500}, 200
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

    def table(name, *units):
        return [{"table": name, **unit} for unit in units]

    return [
        *table("notebook", *({"fixed": fixed, "times": 5} for fixed in _combinations())),
        *table("convergence", *_crossed(data=trained.CONVERGENCE, system=trained.LINEAR_KINDS)),
        *table("splitters", *_crossed(data=("wine", "docstrings", "tweets"))),
        *table("partial", *_crossed(part=divided.PARTS)),
        *table("starts", *_crossed(data=trained.START_DATA, scale=trained.SCALES)),
        *table("rejections", *_crossed(law=simulated.LAWS, n=simulated.PAIRS, shift=simulated.SHIFTS)),
        *table("coverage", *_crossed(population=simulated.POPULATIONS, n=simulated.SIZES)),
        *table("curves", *_crossed(seed=range(times * trained.CURVE_SEEDS), data=trained.CURVES)),
        *table("shuffled", *_crossed(seed=range(10 * times), data=trained.SHUFFLED)),
        *table(
            "settings",
            *(
                {"data": data, "split": split, "space": space, "number": number, **tuned.drawn(space, number)}
                for split in range(tuned.SETTINGS_SPLITS)
                for space, count in (("wide", tuned.WIDE), ("narrow", tuned.NARROW))
                for number in range(times * count)
                for data in tuned.SETTINGS_DATA
            ),
        ),
        *table(
            "crossed",
            *_crossed(
                split=range(times * trained.CROSSED_SPLITS),
                seed=range(trained.CROSSED_SEEDS),
                data=trained.CROSSED,
            ),
        ),
        *table(
            "reseeded",
            *_crossed(
                seed=range(times * RANDOM_SEEDS),
                data=tuned.SETTINGS_DATA,
                system=("perceptron", "sgd", "shallow"),
            ),
        ),
        *table("splits", *_crossed(scheme=("standard",), split=(0,), data=STANDARD, system=SYSTEMS[:-1])),
        *table(
            "splits",
            *_crossed(scheme=("standard",), split=range(STANDARD_SEEDS), data=STANDARD, system=SYSTEMS[-1:]),
        ),
        *table(
            "splits",
            *_crossed(
                scheme=("stratified",),
                split=range(times * SPLITS),
                data=(*TEXTS, *TABLES),
                system=SYSTEMS,
            ),
        ),
        *table(
            "splits",
            *_crossed(scheme=("random",), split=range(times * SPLITS), data=UNSTRATIFIED, system=("linear",)),
        ),
        *table("small", *_crossed(draw=range(times * SAMPLES), data=("docstrings", "sst2"))),
        *table(
            "estimated",
            *_crossed(sample=range(times * SAMPLES), data=("docstrings", "digits", "sst2", "tweets")),
        ),
        *table(
            "tiny",
            *_crossed(sample=range(times * SAMPLES), data=("docstrings", "digits"), size=divided.TINY),
        ),
        *table(
            "folds",
            *(
                {"data": data, "size": size, "k": k, "partition": partition}
                for partition in range(20 * times)
                for data, size in FOLD_DATA
                for k in (3, 10)
            ),
        ),
        *table("dummies", *_crossed(split=range(20 * times), data=(*TEXTS, *TABLES))),
        *table(
            "grid",
            *(
                {"task": task, "sample": sample, "scheme": scheme, "split": split}
                for task, samples in tuned.GRID_SAMPLES.items()
                for sample in range(samples)
                for scheme, count in (("items", tuned.GRID_SPLITS), ("modules", tuned.MODULE_SPLITS))
                for split in range(times * count)
                if scheme == "items" or task == "docstrings"
            ),
        ),
        *table(
            "over_splits",
            *(
                {"data": data, "sample": sample}
                for data, count in TESTED.items()
                for sample in range(times * count)
            ),
        ),
        *table("over_folds", *({"data": "docstrings", "sample": sample} for sample in range(times * FOLDED))),
        *table(
            "sizes",
            *(
                {"data": data, "size": size, "split": split}
                for (data, size), count in SIZES.items()
                for split in range(times * count)
            ),
        ),
        *table(
            "xor",
            *(
                {"activation": activation, "hidden": hidden, "learning_rate": rate}
                for rate, hidden in simulated.XOR
                for activation in ("tanh", "relu")
            ),
        ),
        *table("guided", *({"restart": i, "trials": 30} for i in range(times * tuned.RESTARTS))),
    ]


def _crossed(**values):
    """Return every combination of values, the first name changing slowest."""
    return [dict(zip(values, chosen, strict=True)) for chosen in itertools.product(*values.values())]


def _combinations():
    """Return every set of sources of random numbers that may be fixed, as `trained.notebook` takes it."""
    return ["+".join(chosen) for n in range(4) for chosen in itertools.combinations(trained.SOURCES, n)]
