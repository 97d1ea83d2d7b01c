"""Which test do I need? The decision as one value: from what someone has to the call
that answers.

The page of the book is made from it (`book/_tools/which_page.py`), a report may ask it,
and the tests walk every way and run each call. Nothing in it is written twice. What
says more comes first: someone to whom two answers apply takes the first.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from evalkit import _ways as to
from evalkit import _ways_of_runs as of_runs
from evalkit._ways import Way

__all__ = ["AFTERWARDS", "DECISION", "Question", "Way"]


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
        "its part of two sums: errors and words, or the counts of F1 (one class, or micro)": (
            to.SUMS
        ),
        "one answer from each model, right or wrong; items independent": to.MODELS,
        "the same, or a score, but items in groups (documents, speakers, modules)": (
            to.GROUPS
        ),
        "a score (an error, a sentence's BLEU); items independent": to.SCORES,
        "no score of its own: macro F1, RMSE or a correlation is computed over the whole set": (
            to.WHOLE
        ),
        "several sampled answers from each model": to.ANSWERS,
        "a preference for one of the two": to.PREFERENCES,
        "points from the same few raters": to.RATERS,
    },
)
DECISION = Question(
    "What do you have?",
    {
        "each system's answer to every item, or its score there, all on the same test items": Question(
            "How many trained models of each system?",
            {
                "three or more (training seeds, or prompts)": to.SEEDS_AND_ITEMS,
                "one, and two systems (two models of each: take their mean on each item)": (
                    ONE_OF_EACH
                ),
                "one, and three systems or more": to.SEVERAL_MODELS,
            },
        ),
        "one score for each run": Question(
            "What differs from run to run?",
            {
                "the seed": of_runs.SEEDS,
                "the size (of the model, of the training data): is bigger better?": (
                    of_runs.SIZES
                ),
                "the split or the fold (and perhaps the seed)": of_runs.SPLITS,
                "the settings": of_runs.SETTINGS,
                "the data set or benchmark; two systems": of_runs.TWO_ON_DATA_SETS,
                "the data set or benchmark; three systems or more": (
                    of_runs.MANY_ON_DATA_SETS
                ),
                "nothing: there is one run of each": of_runs.ONE_RUN,
            },
        ),
        "only printed numbers": Question(
            "Which?",
            {
                "a mean, a spread and a number of runs of each": of_runs.PUBLISHED,
                "two accuracies on the same items": of_runs.PUBLISHED_ACCURACIES,
                "one number, and runs of your own": of_runs.AGAINST_PRINTED,
            },
        ),
        "labels from two judges, or from a judge and a person, for the same items": (
            to.JUDGES
        ),
        "nothing yet": of_runs.POWER,
    },
)
# What may follow each of them.
AFTERWARDS = {
    "you made more than one comparison": of_runs.MANY,
    "you want to claim that two systems are as good as each other": of_runs.EQUAL,
}
