"""The experiment: what is run for Potts (2020), and what follows from it.

Divided anew:

- `splits`: four systems on five corpora and three tables, 100 divisions of each and the standard ones;
- `sizes`, `small`: the linear model with few items and with many;
- `estimated`, `tiny`: one split, five folds and leave-one-out against what is true;
- `folds`: three folds against ten; `over_splits`, `over_folds`: what a test over them sees;
- `splitters`, `dummies`, `partial`: what cv= may mean, what guessing gets, what part of a line gets.

Searched:

- `grid`: a grid of support vector machines on many splits of many samples, searched in three ways;
- `settings`: the same random settings of the shallow classifier on every split of three corpora;
- `guided`: a guided search over the two hyperparameters of the MLP that matter most.

Trained again with other seeds:

- `curves`: training error, dev and test scores by epoch; `crossed`: seeds x splits; `reseeded`: linear ones;
- `shuffled`: labels that mean nothing; `starts`: linear classifiers from random starts; `convergence`;
- `notebook`: which sources of random numbers the course's cells depend on.

Drawn:

- `coverage`, `rejections`: intervals and tests on known populations; `xor`: 1,000 networks each.

And from all of these:

- `computed` and `verdicts`: what follows for each printed figure and each claim.
"""

from evalkit.experiment import Experiment
from evalkit.papers.potts2020 import claims, tasks
from evalkit.papers.rows import Rows


def _plan(scale, rows):
    """Return the units; "full" has ten times as many splits, samples and seeds."""
    return tasks.plan(10 if scale == "full" else 1)


def _extras(rows):
    """Return what the rows say of the printed figures and of the claims."""
    record = Rows(rows)
    verdicts = claims.JUDGES.findings(record)
    return {"computed": claims.computed(record, verdicts), "verdicts": verdicts}


EXPERIMENT = Experiment(
    name="potts2020",
    # On another kind of machine a network may part from the recorded run at the first rounding, and a
    # solver of a linear model stop a step earlier: a few items of a test part.
    compared={
        "accuracy": 0.03,
        "tuned": 0.03,
        "few": 0.05,
        "many": 0.02,
        "one_split": 0.1,
        "five_folds": 0.05,
        "leave_one_out": 0.1,
        "truth": 0.02,
        "dummy": 1e-6,
        "test": 0.1,
        "first": 0.15,
        "final": 0.1,
        "best": 0.05,
        "n_train": 0,
        "get_ci": 50,
        "wilcoxon": 50,
        "separated": 0,
        "default": 0.05,
        "splits": 0,
        "learned_5000": 20,
        "f1_macro": 0.02,
        "items": 0,
    },
    plan=_plan,
    tables=tasks.FUNCTIONS,
    extras=_extras,
)
