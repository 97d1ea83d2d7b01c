"""What is trained for Melis et al. (2017): a pool of random trials of each cell, and
what goes with it.

`text` and `networks` are what is modelled and what models it, `settings` are the
hyperparameters, `training` makes a trial, `search` guides one by another, `ngrams` are
what it has to beat, `runs` are the units, and `stages` says which.
"""

from lab.papers.melis2017.tasks import runs
from lab.papers.melis2017.tasks.stages import plan

TABLES = {
    name: getattr(runs, name)
    for name in (
        "overfits",
        "baselines",
        "pool",
        "guided",
        "elsewhere",
        "budget",
        "widths",
        "seeds",
        "lengths",
        "released",
        "evaluated",
        "final",
    )
}

__all__ = ["TABLES", "plan"]
