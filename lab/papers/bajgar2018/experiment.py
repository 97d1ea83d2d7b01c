"""The experiment: what is run for Bajgar et al. (2018), and what follows from it.

From the released pools, and DeBERTa's as a second, larger one:

- `pools`: each pool described, with what Figure 1 draws;
- `aggregates`: three ways of aggregating runs, by their number, with and without
  smoothing: Figure 2;
- `estimators`: the variance of the nonparametric and of the Gaussian estimate: Figure
  3;
- `spreads`: how much less Boo_5 varies than the best run and than the mean, over runs
  of the pool;
- `errors`: how far the estimate is off, by the number of runs;
- `intervals`: what bootstrap intervals hold;
- `deployed`: what predicts the run that is deployed;
- `orders`: two systems compared by ten runs each;
- `normality`: the null of Anderson and Darling's test;

Trained here:

- `trained`: a residual network on digits and an attention-sum reader of docstrings,
  each with fixed and with random hyperparameters; `baselines`: what they have to beat.

And from all of these:

- `computed`, `verdicts` and `analyses`: what follows for each printed figure and each
  claim.
"""

from lab.papers.bajgar2018 import audit, tasks
from lab.papers.bajgar2018.claims import JUDGES, coverage
from lab.papers.rows import Rows
from lab.record.experiment import Experiment


def _plan(scale, rows):
    """Return the units; "full" has ten times as many samples for the intervals, and as
    many runs.
    """
    return tasks.plan(10 if scale == "full" else 1)


def _extras(rows):
    """Return what the pools and the draws say of the printed figures and of the
    claims.
    """
    record = Rows(rows)
    verdicts, analyses = JUDGES.findings(record)
    return {
        "computed": audit.computed(record, verdicts),
        "verdicts": verdicts,
        "analyses": analyses,
        "coverage": coverage(),
    }


EXPERIMENT = Experiment(
    name="bajgar2018",
    # A tie in the last bit may turn a draw on another kind of machine.
    compared={
        "skewness": 1e-9,
        "spearman": 1e-9,
        "variance_rank": 1e-3,
        "truth": 1e-9,
        "held_boo": 5,
        "draws": 0,
        "estimate": 0.05,
        "statistic": 1e-6,
        "dummy": 0,
        "linear": 0.01,
        # On another kind of machine a run may part from the recorded one at the first
        # rounding.
        "test": 0.2,
    },
    plan=_plan,
    tables=tasks.TABLES,
    extras=_extras,
    derived=("pools",),
)
