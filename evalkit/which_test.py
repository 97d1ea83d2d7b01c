"""Which test do I need? The decision as one value: from what someone has to the call that answers.

The page of the book is made from it (`book/_tools/which_page.py`), a report may ask it, and the tests walk
every way and run each call. Nothing of it is written twice.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from evalkit import _ways as to
from evalkit._ways import SETUP, Way

__all__ = ["AFTERWARDS", "DECISION", "SETUP", "Question", "Way"]


@dataclass(frozen=True)
class Question:
    """A fork of the decision.

    Attributes
    ----------
    text : str
    answers : dict of str to Question or Way
    """

    text: str
    answers: dict

    def ways(self) -> Iterator:
        """Yield each way with the answers that lead to it.

        Yields
        ------
        answers : tuple of str
        way : Way
        """
        for answer, following in self.answers.items():
            if isinstance(following, Way):
                yield (answer,), following
            else:
                yield from (((answer, *rest), way) for rest, way in following.ways())


ONE_OF_EACH = Question(
    "What does each item have?",
    {
        "right or wrong, items independent": to.MODELS,
        "right or wrong, or a score; items in groups (documents, speakers, modules)": to.GROUPS,
        "a score (an error, a sentence's BLEU), items independent": to.SCORES,
        "only together a score: F1, RMSE, a correlation": to.WHOLE,
        "several sampled answers of each model": to.ANSWERS,
        "a preference between the two": to.PREFERENCES,
        "points from the same few raters": to.RATERS,
    },
)
DECISION = Question(
    "What do you have?",
    {
        "nothing yet": to.POWER,
        "only printed numbers": Question(
            "Which?",
            {
                "a mean, a spread and a number of runs of each": to.PUBLISHED,
                "two accuracies on the same items": to.PUBLISHED_ACCURACIES,
                "one number, and your own runs": to.AGAINST_PRINTED,
            },
        ),
        "what each system said on each item, or its score there": Question(
            "How many trained models of each?",
            {
                "one": ONE_OF_EACH,
                "several (seeds)": to.SEEDS_AND_ITEMS,
                "one, of three systems or more": to.SEVERAL_MODELS,
            },
        ),
        "one score for each run": Question(
            "What differs from run to run?",
            {
                "nothing: there is one run of each": to.ONE_RUN,
                "the seed": to.SEEDS,
                "the split, or the fold (and perhaps the seed)": to.SPLITS,
                "the settings": to.SETTINGS,
                "the data set or benchmark; two systems": to.TWO_ON_DATA_SETS,
                "the data set or benchmark; three systems or more": to.MANY_ON_DATA_SETS,
            },
        ),
    },
)
# What may follow each of them.
AFTERWARDS = {
    "more than one comparison was made": to.MANY,
    "you want to claim that they are as good": to.EQUAL,
}
