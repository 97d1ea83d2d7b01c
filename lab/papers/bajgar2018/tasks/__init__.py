"""What is drawn from the pools of Bajgar et al. (2018), and what we train.

A vector in a cell is `pack`ed. What is known with an interval over the runs of a pool
stands in a cell as `kept.read` reads it.
"""

from lab.papers.bajgar2018.audit import PAPERS, POOLS, SEARCH
from lab.papers.bajgar2018.tasks.coverage import intervals, orders
from lab.papers.bajgar2018.tasks.deployment import deployed
from lab.papers.bajgar2018.tasks.described import describe
from lab.papers.bajgar2018.tasks.gaussianity import normality
from lab.papers.bajgar2018.tasks.samples import aggregates, errors, estimators, spreads
from lab.papers.bajgar2018.tasks.training import RUNS, baselines, trained

__all__ = ["TABLES", "plan"]

TABLES = {
    "pools": describe,
    "aggregates": aggregates,
    "spreads": spreads,
    "estimators": estimators,
    "errors": errors,
    "intervals": intervals,
    "deployed": deployed,
    "normality": normality,
    "orders": orders,
    "trained": trained,
    "baselines": baselines,
}

# What the figures and claims ask for.
SPREADS = [
    *(
        (pool, m, kind)
        for pool in ("resnet", SEARCH)
        for m in (10, 20, 50)
        for kind in ("plain", "smoothed")
    ),
    *((SEARCH, m, "plain") for m in (100, 197)),
]
FIGURE_2 = (5, 10, 15, 20, 30, 40, 50, 75, 100, 150, 200)
FIGURE_3 = (5, 10, 20, 40, 80)
# One pool lies at the very edge, where only many draws can tell.
NULL_BLOCKS = {"resnet": 1, "asreader_fixed": 12, "asreader_random": 1}
# Of 500 pairs of samples each.
INTERVALS, BLOCKS = (5, 10, 20, 40, 50), 4


def plan(times=1):
    """Return the units: the pools, the simulations and our own runs.

    Parameters
    ----------
    times : int, default 1
        How many times as many samples for the intervals, and as many runs.

    Returns
    -------
    list of dict
    """
    return [
        *({"table": "pools", "pool": pool} for pool in POOLS),
        *(
            {"table": "aggregates", "pool": pool, "m": m, "sampling": sampling}
            for pool in POOLS
            for m in FIGURE_2
            for sampling in (("smoothed", "plain") if pool in PAPERS else ("plain",))
        ),
        *(
            {"table": "spreads", "pool": pool, "m": m, "kind": kind}
            for pool, m, kind in SPREADS
        ),
        *({"table": "estimators", "pool": "asreader_fixed", "m": m} for m in FIGURE_3),
        *(
            {"table": "errors", "pool": pool, "m": m, "kind": kind}
            for pool in PAPERS
            for kind, sizes in (
                ("plain", (5, 20)),
                ("normal", (5, 20)),
                ("subsets", (5, 10, 20, 40)),
            )
            for m in sizes
        ),
        *(
            {"table": "intervals", "pool": pool, "m": m, "block": block}
            for pool in PAPERS
            for m in INTERVALS
            for block in range(BLOCKS * times)
        ),
        *({"table": "deployed", "pool": pool} for pool in POOLS),
        *(
            {"table": "normality", "pool": pool, "block": block}
            for pool, count in NULL_BLOCKS.items()
            for block in range(count)
        ),
        {"table": "orders", "pool": "asreader_fixed"},
        *(
            {
                "table": "trained",
                "network": network,
                "hyperparameters": kind,
                "run": run,
            }
            for (network, kind), count in RUNS.items()
            for run in range(times * count)
        ),
        *(
            {"table": "baselines", "network": network}
            for network in dict.fromkeys(n for n, _ in RUNS)
        ),
    ]
