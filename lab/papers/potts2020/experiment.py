"""The experiment: what is run for Potts (2020), and what follows from it.

Divided anew:

- `splits`: four systems on five corpora and three tables, 100 divisions of each and the
  standard ones;
- `over_splits`, `over_folds`: what a test over them sees;
- `dummies`: what guessing gets.

Trained again:

- `settings`: the same random settings of the shallow classifier on every split of three
  corpora;
- `curves`: training error, dev and test scores by epoch, over seeds; `reseeded`: the
  last word of the same;
- `convergence`: linear models with as many iterations as they have by default, and with
  more.

Drawn:

- `coverage`: intervals on known populations; `xor`: 1,000 networks each.

And from all of these:

- `computed`, `verdicts` and `analyses`: what follows for each printed figure and each
  claim.
"""

from lab.papers.potts2020 import audit, claims, tasks
from lab.papers.rows import Rows
from lab.record.experiment import Experiment


def _plan(scale, rows):
    """Return the units; "full" has ten times as many splits, samples and seeds."""
    return tasks.plan(10 if scale == "full" else 1)


def _extras(rows):
    """Return what the rows say of the printed figures and of the claims."""
    record = Rows(rows)
    verdicts, analyses = claims.JUDGES.findings(record)
    return {
        "computed": audit.computed(record),
        "verdicts": verdicts,
        "analyses": analyses,
    }


EXPERIMENT = Experiment(
    name="potts2020",
    # On another kind of machine a network may part from the recorded run at the first
    # rounding, and a solver of a linear model stop a step earlier: a few items of a
    # test part.
    compared={
        "accuracy": 0.03,
        "test": 0.1,
        "first": 0.15,
        "final": 0.1,
        "get_ci": 50,
        "default": 0.05,
        "learned_5000": 20,
        # Vectors, of which each element counts.
        "most_frequent": 1e-6,
        "linear": 0.05,
        "folds_10": 0.1,
    },
    plan=_plan,
    tables=tasks.FUNCTIONS,
    extras=_extras,
)
