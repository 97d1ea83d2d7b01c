"""The experiment: what is run for Tang et al. (2020), and what follows from it.

- `truths`: the expected maximum of each pool, exactly and by Monte Carlo, and the
  expectation of V;
- `shares`: 400,000 samples, with estimates alone: how often U and V are below the
  truth;
- `samples`: 5,000 samples in ten blocks, with every estimate and interval;
- `failures`: for samples of several sizes, where the averaged V ranks two systems
  wrongly;
- `computed`, `verdicts` and `analyses`: what follows for each printed figure and each
  claim.
"""

from lab.papers.tang2020 import audit, claims, tasks
from lab.record.experiment import Experiment

FAILURE_SIZES = (10, 20, 25, 30, 50, 75, 100, 145)
# The paper's pair, with and without the kernel, and what stands in for its other one.
PAIRS = (
    ("mlp", "lstm"),
    ("mlp runs", "lstm runs"),
    ("deberta", "deberta-v3"),
    ("own mlp", "own lstm"),
)
SAMPLED = [pool for pool in audit.POOLS if pool not in audit.UNSMOOTHED]
COUNTED = [*audit.PAPERS, "truncated normal", *audit.UNSMOOTHED]


def _plan(scale, rows):
    """Return the units; the paper's own scale is the recorded one, "full" has ten times
    as many samples.
    """
    blocks = tasks.BLOCKS * (10 if scale == "full" else 1)
    return [
        *({"table": "truths", "pool": pool} for pool in SAMPLED),
        *(
            {"table": "failures", "first": first, "second": second, "size": size}
            for first, second in PAIRS
            for size in FAILURE_SIZES
        ),
        *(
            {"table": "shares", "pool": pool, "block": block}
            for pool in COUNTED
            for block in range(tasks.MANY_BLOCKS)
        ),
        *(
            {"table": "samples", "pool": pool, "block": block}
            for pool in SAMPLED
            for block in range(blocks)
        ),
    ]


def _extras(rows):
    """Return what the simulations say of the printed figures and of the claims."""
    simulated = tasks.Simulated(rows)
    verdicts, analyses = claims.JUDGES.findings(simulated)
    computed = claims.computed(simulated, verdicts)
    return {"computed": computed, "verdicts": verdicts, "analyses": analyses}


EXPERIMENT = Experiment(
    name="tang2020",
    compared={
        "wrong_from": 0,
        "wrong_to": 0,
        "truth_1": 1e-12,
        "held_one": 3,
        "below_u": 3,
    },
    plan=_plan,
    tables={
        "truths": tasks.truths,
        "failures": tasks.failures,
        "shares": tasks.shares,
        "samples": tasks.samples,
    },
    extras=_extras,
    derived=("failures",),
)
