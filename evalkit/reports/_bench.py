"""Where the checks of a report are written down: what each asked, and what became of
it.
"""

import functools
from dataclasses import dataclass, field

import pandas as pd

from evalkit.reports._faults import Checked, Fault, RefusedError, count
from evalkit.reports._options import ACCEPTABLE, Options

ALPHA = 0.05
RUNS, ITEMS = ("seeds", "search"), ("items",)
TABLES = (*RUNS, *ITEMS, "folds", "datasets", "sizes", "agreement")
SCORES = tuple(kind for kind in TABLES if kind != "agreement")
# What is asked of every file of a kind, in the order of the page. Each check answers
# exactly once.
QUESTIONS = {
    "direction": (SCORES, "Is it known which way the metric is better?"),
    "names": (TABLES, "Is each system written in one way?"),
    "scale": (SCORES, "Are all scores on one scale?"),
    "steps": (RUNS, "Is a row a whole run, and not a step of one?"),
    "failed": (SCORES, "Did every run end with a score?"),
    "seeds": (("seeds", "items"), "Does every system have a run with every seed?"),
    "duplicates": (TABLES, "Is nothing there twice?"),
    "copies": (SCORES, "Is nothing a copy of something else?"),
    "one-run": (RUNS, "Is there more than one run of each system?"),
    "settings": (RUNS, "Do the runs of a system share their settings?"),
    "search": (("search",), "Were the settings drawn at random?"),
    "pruned": (("search",), "Were all trials allowed to finish?"),
    "filters": (ITEMS, "Is each answer scored in one way?"),
    "repeats": (ITEMS, "Did a system answer each item as often?"),
    "unmatched": (
        (*ITEMS, "folds", "agreement"),
        "Does every system have the same items, or folds?",
    ),
    "quantity": (
        ITEMS,
        "Is it known what the score is: a mean over items, or a rate over all?",
    ),
    "raters": (ITEMS, "Did the same raters judge every system?"),
    "key": (ITEMS, "Are the right answers the same for every system?"),
    "texts": (ITEMS, "Is each item the same for every system?"),
    "groups": ((*ITEMS, "agreement"), "Is each item a unit of its own?"),
    "missing": (("datasets",), "Does every system have a score on every data set?"),
    "mean-row": (
        (*RUNS, *ITEMS, "folds", "datasets", "sizes"),
        "Are all rows scores, none a mean or a spread?",
    ),
    "sizes": (("folds",), "Is it known how large the folds are?"),
    "chosen": (("folds",), "Did other data choose the settings?"),
    "few": (TABLES, "Is there enough for the test to find anything?"),
    "train-items": (SCORES, "Are the test items not in the training data?"),
    "test-chose": (SCORES, "Was nothing chosen by the test scores?"),
    "tuned": (SCORES, "Was the baseline tuned as much as the others?"),
    "told": (TABLES, "Is everything that was tried in the file?"),
}


@dataclass
class Bench:
    """What is known while a file is examined."""

    options: Options
    kind: str = ""
    checks: list = field(default_factory=list)  # of Checked
    faults: list = field(default_factory=list)  # of Fault
    # Rows that are not compared, and why: of (int, str).
    left_out: list = field(default_factory=list)
    # Columns of which one value is compared, in words.
    looks: list = field(default_factory=list)
    merged: list = field(default_factory=list)  # which rows were averaged, in words
    n_filled: int = 0  # scores that an option gave to what had none
    n_first: int = (
        0  # of what is left out the first, which were left out as the files were read
    )
    n_wide: int = (
        0  # rows of a file with several scores in each, of which each was made a row
    )

    def say(self, code, outcome, words):
        """Write down what became of a check."""
        if any(check.code == code for check in self.checks):
            raise AssertionError(f"the check {code} has answered already")
        self.checks.append(Checked(code, QUESTIONS[code][1], outcome, words))

    def fine(self, code, words):
        """Write down that a check found nothing."""
        self.say(code, "fine", words)

    def unchecked(self, code, words):
        """Write down that the file cannot answer a check."""
        self.say(code, "unchecked", words)

    def found(self, code, what, why, *ways, decided=None):
        """Write down a fault; it stands in the way unless somebody has decided what to
        do about it.

        `ways` are options that go on; `decided` says what was done.
        """
        if decided:
            self.say(code, "decided", f"{what} {decided}")
        elif code in self.options.accepted:
            self.say(
                code,
                "decided",
                f"{what} You said --accept {code}: it is left as it is. {why}",
            )
        else:
            stays = [f"--accept {code} leaves it as it is, and says so on the page."]
            # Whose way says what is accepted.
            stays *= code in ACCEPTABLE and code != "direction"
            self.faults.append(Fault(code, what, why, (*ways, *stays)))

    def drop(self, rows, why):
        """Write down that rows are left out."""
        if rows:
            self.left_out.append((int(rows), why))

    def came(self, n_read):
        """Say how many rows the files have, and how many cells of scores, if that is
        more.
        """
        cells = f"{count(n_read, 'cell')} of scores"
        return (
            f"{count(self.n_wide, 'row')} with {cells}"
            if self.n_wide
            else count(n_read, "row")
        )

    def compared(self, used):
        """Say how many scores are compared, and how many, of answers perhaps, an option
        gave.
        """
        return count(
            len(used), "score"
        ) + f" (an option filled in {self.n_filled:,})" * bool(self.n_filled)

    def without(self):
        """Return how many rows are left out, in words, and why."""
        nouns = (
            "cell" if self.n_wide and k >= self.n_first else "row"
            for k in range(len(self.left_out))
        )
        return [
            (count(n, noun), why)
            for (n, why), noun in zip(self.left_out, nouns, strict=True)
        ]

    def stop_if_faulty(self):
        """Raise what stands in the way."""
        if self.faults:
            raise RefusedError(*self.faults)

    def refuse(self, code, what, why, *ways):
        """Raise a fault after which nothing more can be examined, with those found
        before.
        """
        raise RefusedError(*self.faults, Fault(code, what, why, ways))


@dataclass(frozen=True, eq=False)
class Evidence:
    """What is compared."""

    kind: str  # one of TABLES
    # a row for each score: `system`, `score`, and what tells the scores of a system
    # apart
    used: pd.DataFrame
    baseline: str
    systems: tuple  # the others, in the order of the file
    metric: str
    direction: str  # "higher" or "lower"
    n_read: int  # rows in the files
    # What the analysis needs to know beside the rows.
    facts: dict = field(default_factory=dict)

    @classmethod
    def of(cls, bench, frame, metric, higher, facts):
        """Return what is compared: every system with the baseline."""
        systems = tuple(
            name for name in frame.system.unique() if name != bench.options.baseline
        )
        way, of = (
            "higher" if higher else "lower",
            (
                bench.kind,
                frame,
                bench.options.baseline,
                systems,
            ),
        )
        return cls(*of, metric, way, len(frame), facts)

    @property
    def sign(self):
        """1 where a higher score is better, otherwise -1."""
        return 1 if self.direction == "higher" else -1

    @functools.cached_property
    def _by_system(self):
        return dict(list(self.used.groupby("system", sort=False)))

    def scores(self, system, column="score"):
        """Return the scores of a system."""
        own = self._by_system[system]
        rows = next((name for name in ("rater", "seed") if name in own), None)
        scores = own[column].to_numpy()
        return (
            scores.reshape(own[rows].nunique(), -1)
            if self.kind == "items" and rows
            else scores
        )

    def groups(self, column):
        """Return the group of each item, in the order of the scores."""
        return (
            self._by_system[self.baseline]
            .drop_duplicates("item")[column]
            .map(str)
            .tolist()
        )
