"""What a search tried: the one result that checks what it is given, for a reader may
make one of a table.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from evalkit._checks import check_bool, check_choice, check_scores
from evalkit._limits import SEARCHES
from evalkit._numbers import number
from evalkit._ties import first_best, rounding

# Of the table of a search; a hyperparameter cannot have such a name.
TRIAL_COLUMNS = ("score", "seconds", "stages", "pruned")


@dataclass(frozen=True, eq=False)
class Trials:
    """What a search tried, in the order in which it did.

    Attributes
    ----------
    table : pandas.DataFrame
        One row for each trial: the setting, then `score`, `seconds` (by the clock),
        `stages` (scores that the objective reported) and `pruned`.
    method : str
        "random", "grid" or "guided".
    minimize : bool

    Raises
    ------
    ValueError
        If the table lacks a column, has no row, or a trial that was not pruned has no
        finite score: what a failed trial scores is yours to decide.
    """

    table: pd.DataFrame
    method: str
    minimize: bool

    def __post_init__(self):
        check_choice(self.method, "method", SEARCHES)
        check_bool(self.minimize, "minimize")
        if not isinstance(self.table, pd.DataFrame):
            raise TypeError(
                f"table must be a DataFrame, got {type(self.table).__name__}"
            )
        if missing := [name for name in TRIAL_COLUMNS if name not in self.table]:
            raise ValueError(
                f"table must have the columns {', '.join(TRIAL_COLUMNS)};"
                f" {', '.join(missing)} is not there"
            )
        if not len(self.table) or self.table.columns.has_duplicates:
            raise ValueError(
                "table must have a row for each trial, at least one, and no column"
                " twice"
            )
        if self.table.pruned.dtype != bool:
            raise TypeError(
                "table must say True or False under pruned, got"
                f" {self.table.pruned.dtype}"
            )
        finished = self.table.score[~self.table.pruned]
        if len(finished):
            try:
                check_scores(finished, "score")
            except (TypeError, ValueError) as error:
                raise type(error)(
                    "table must have a finite score for each trial that was not"
                    f" pruned: {error}"
                ) from None

    @property
    def independent(self):
        """Whether the trials are independent draws, as `evalkit.expected_max` needs
        them.
        """
        return self.method == "random" and not self.table.pruned.any()

    @property
    def best(self):
        """The row of the best trial that was not pruned; the first of equals."""
        if self.table.pruned.all():
            raise ValueError(
                "table must hold a trial that was not pruned, for one of them to be the"
                " best"
            )
        finished = self.table[~self.table.pruned]
        scores = finished.score.to_numpy(float)[None]
        scores = -scores if self.minimize else scores
        return finished.iloc[
            first_best(scores, np.abs(scores), rounding(finished.score)).item()
        ]

    @property
    def best_so_far(self):
        """The best score up to each trial; a pruned trial adds nothing."""
        worst = np.inf if self.minimize else -np.inf
        scores = self.table.score.where(~self.table.pruned, worst).to_numpy(float)
        return (np.minimum if self.minimize else np.maximum).accumulate(scores)

    def __len__(self):
        return len(self.table)

    def __array__(self, dtype=None, copy=None):
        # What takes an array takes its scores for independent draws.
        if not self.independent:
            kind = "pruned" if self.method == "random" else self.method
            raise ValueError(
                f"these are trials of a {kind} search, and no independent draws;"
                " compare the best so far (best_so_far) over several restarts of it"
            )
        return np.array(self.table.score, dtype=dtype)

    def __str__(self):
        if self.table.pruned.all():
            return f"{len(self)} trials of a {self.method} search, all pruned"
        setting = self.best.drop([*TRIAL_COLUMNS])
        shown = ", ".join(
            f"{k}={v:.4g}" if isinstance(v, float) else f"{k}={v}"
            for k, v in setting.items()
        )
        return (
            f"{len(self)} trials of a {self.method} search ({self.table.pruned.sum()}"
            f" pruned); best {number(self.best.score, '.4g')} at {shown}"
        )
