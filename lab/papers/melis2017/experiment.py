"""The experiment: what is run for Melis et al. (2017), and what follows from it.

Three cells, the LSTM, a recurrent highway network and the NAS cell, model 25,000
subwords of Brown with 150,000 parameters each:

- `overfits`: that without regularisation the slice is overfitted within a trial;
- `pool`: 600 random settings, the same for each cell; most questions are answered by
  resampling it;
- `elsewhere`, `budget`: some of them on docstrings, and with 2.4 times the parameters;
- `widths`: all cells as wide as the LSTM;
- `guided`: searches by a Gaussian process with expected improvement;
- `released`: settings that the authors' tuner chose;
- `baselines`: a unigram and a Kneser-Ney n-gram.

And around what was chosen on validation:

- `seeds`: trained again; `evaluated`: scored in other ways; `lengths`: on more or less
  text;
- `final`: the larger models on the whole of Brown's training part.

From all of these:

- `computed`, `verdicts` and `analyses`: what follows for each printed figure and each
  claim, and what other analyses say;
- `coverage`: how often the intervals of the best of n hold the truth.
"""

from lab.papers.melis2017 import claims, tasks
from lab.papers.rows import Rows
from lab.record.experiment import Experiment

# Another kind of machine rounds otherwise, and what trains on a rounding parts from the
# recorded run. One of nine trials lay 1.4 off on a second kind of processor, for at its
# learning rate it diverges there.
_ANOTHER_MACHINE = 2.0


def _of_a_trial(result):
    """Return how far a loss may be off: no distance is too far where a trial has
    diverged.
    """
    return 10.0 if result.get("diverged") else _ANOTHER_MACHINE


def _extras(rows):
    """Return what the printed tables and the runs say of the printed figures and of the
    claims.
    """
    record = Rows(rows)
    verdicts, analyses = claims.JUDGES.findings(record)
    return {
        "computed": claims.computed(),
        "verdicts": verdicts,
        "analyses": analyses,
        "coverage": claims.coverage(record),
    }


EXPERIMENT = Experiment(
    name="melis2017",
    compared={
        "validation": _of_a_trial,
        "test": _of_a_trial,
        "unigram": 1e-6,
        "ngram": 1e-6,
    },
    plan=tasks.plan,
    tables=tasks.TABLES,
    extras=_extras,
)
