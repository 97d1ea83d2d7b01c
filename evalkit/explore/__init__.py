"""One figure for each chapter whose numbers a reader can turn: on a static page, and in a live kernel.

In a notebook, `explore.expected_max()` shows the figure of the chapter, and `explore.expected_max(scores)`
the same figure of your own runs.
"""

from evalkit.explore._baselines import baselines
from evalkit.explore._core import VEGALITE
from evalkit.explore._expected_maximum import expected_max
from evalkit.explore._intervals import intervals
from evalkit.explore._jkfold import jk_fold
from evalkit.explore._seeds import seeds
from evalkit.explore._significance import mcnemar, repeated_splits
from evalkit.explore._splits import splits
from evalkit.explore._tuning import tuning

__all__ = [
    "VEGALITE", "baselines", "expected_max", "intervals", "jk_fold", "mcnemar", "repeated_splits", "seeds",
    "splits", "tuning",
]  # fmt: skip
