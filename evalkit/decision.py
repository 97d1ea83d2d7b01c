"""Which test do I need? The decision as one value: from what someone has to the call
that answers.

`which_test` walks it, the page of the book is made from it
(`book/_tools/which_page.py`) and the kinds of a report end in it; the tests walk every
way and run each call. Nothing in it is written twice.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from evalkit import _ways as to
from evalkit import _ways_of_order as in_order
from evalkit import _ways_of_runs as of_runs
from evalkit._checks import _show, check_choice
from evalkit._ways import Way

__all__ = ["AFTERWARDS", "DECISION", "Question", "Way", "which_test"]


@dataclass(frozen=True)
class Question:
    """A fork of the decision.

    Attributes
    ----------
    text : str
    answers : dict of str to tuple
        For each answer, by its short name: its words, and the Question or the Way that
        follows. (Of `AFTERWARDS`, "once" has no way.)
    """

    text: str
    answers: dict

    def __str__(self):
        lines = [f'  "{name}": {said}' for name, (said, _) in self.answers.items()]
        return "\n".join([self.text, *lines])

    def ways(self) -> Iterator:
        """Yield each way with the answers that lead to it.

        Yields
        ------
        answers : tuple of str
        way : Way
        """
        for name, (_, following) in self.answers.items():
            if isinstance(following, Question):
                yield from (((name, *rest), way) for rest, way in following.ways())
            elif following:
                yield (name,), following


_HAS = {
    "right": ("one answer from each model, right or wrong", to.MODELS),
    "score": (
        "a score: an error, a log loss, a Brier score, a sentence's own BLEU, points",
        to.SCORES,
    ),
    "samples": ("several sampled answers from each model", to.ANSWERS),
    "sums": (
        "its part of two sums: errors and words, or the counts of F1 (one class, or"
        " micro)",
        to.SUMS,
    ),
    "whole": (
        "no score of its own: macro F1, corpus BLEU, AUC, RMSE or a correlation is"
        " computed over the whole set",
        to.WHOLE,
    ),
    "preference": ("a preference for one of the two", to.PREFERENCES),
}
_IN_GROUPS = {
    "right": ("right or wrong", to.GROUPS),
    "score": ("a score, or several answers whose mean is its score", to.GROUPS),
    "sums": _HAS["sums"],
    "whole": _HAS["whole"],
}
_PAIRED = Question(
    "What is independent?",
    {
        "items": (
            "each item, or each person who rated both, of all others",
            Question("What does each item have?", _HAS),
        ),
        "groups": (
            "groups of items: documents, speakers, users, modules",
            Question("What does each item have?", _IN_GROUPS),
        ),
        "runs": (
            "the training runs as well: three models or more of each (seeds, prompts)",
            to.SEEDS_AND_ITEMS,
        ),
        "raters": ("a few raters, who score the answers of both", to.RATERS),
        "related": (
            "families: tasks, templates or judges, of which some are alike",
            in_order.RELATED,
        ),
    },
)
_SEPARATE = Question(
    "What is independent?",
    {
        "right": ("each item; it is right or wrong", in_order.TWO_SHARES),
        "score": ("each item; it has a score", in_order.TWO_MEANS),
        "groups": (
            "groups of items: documents, speakers, users who come back",
            in_order.SEPARATE_GROUPS,
        ),
        "sums": (
            "users or documents, and the number is a ratio: clicks over views",
            in_order.SEPARATE_SUMS,
        ),
    },
)
_RUNS = Question(
    "Are the runs paired, separate, or ordered in time?",
    {
        "separate": (
            "separate: each run stands alone, and the same number of a seed makes no"
            " pair",
            Question(
                "What differs from run to run?",
                {
                    "seed": ("the seed, or the start alone", of_runs.SEEDS),
                    "settings": (
                        "the settings, as a random search draws them",
                        of_runs.SETTINGS,
                    ),
                    "size": (
                        "the size (of the model, of the training data): is bigger"
                        " better?",
                        of_runs.SIZES,
                    ),
                    "nothing": (
                        "nothing: there is one run of each, or one model was run twice",
                        of_runs.ONE_RUN,
                    ),
                },
            ),
        ),
        "paired": (
            "paired: a run of each system belongs to the same split, fold or data set",
            Question(
                "What do the runs of a pair share?",
                {
                    "split": (
                        "a split or a fold, the part that is tested on too (and perhaps"
                        " the seed)",
                        of_runs.SPLITS,
                    ),
                    "two": (
                        "a data set or benchmark; two systems",
                        of_runs.TWO_ON_DATA_SETS,
                    ),
                    "many": (
                        "a data set or benchmark; three systems or more",
                        of_runs.MANY_ON_DATA_SETS,
                    ),
                    "related": (
                        "a data set, and some data sets are alike: versions, languages,"
                        " one source",
                        in_order.RELATED,
                    ),
                },
            ),
        ),
        "ordered": (
            "ordered: each score is of a period, a window, a day",
            in_order.ORDERED,
        ),
    },
)
DECISION = Question(
    "What do you have?",
    {
        "answers": (
            "each system's answers to test items or users, or a score of each answer",
            Question(
                "Are the items of the systems paired, separate, or ordered in time?",
                {
                    "paired": ("paired: all systems answered the same items", _PAIRED),
                    "separate": (
                        "separate: each system had items of its own, as in an A/B test",
                        _SEPARATE,
                    ),
                    "ordered": (
                        "ordered: items follow each other in time, and neighbours may"
                        " be alike",
                        in_order.ORDERED,
                    ),
                },
            ),
        ),
        "runs": ("one score for each run, data set or period", _RUNS),
        "times": (
            "how long requests, or programs, took",
            Question(
                "Are the requests paired, separate, or ordered in time?",
                {
                    "paired": (
                        "paired: the same requests to both",
                        in_order.TIMES_PAIRED,
                    ),
                    "separate": ("separate: each system had its own", in_order.TIMES),
                    "runs": (
                        "several starts, or repetitions, of each; one time of each is"
                        " its score",
                        of_runs.SEEDS,
                    ),
                    "ordered": (
                        "ordered: one after the other, and a slow one slows the next",
                        in_order.TIMES_ORDERED,
                    ),
                },
            ),
        ),
        "games": (
            "games or votes: which of two won, each time",
            Question(
                "Who met, and what is independent?",
                {
                    "games": ("two players; each game of all others", in_order.GAMES),
                    "pairs": (
                        "two players; games in pairs, with one opening or prompt and"
                        " sides changed",
                        in_order.GAME_PAIRS,
                    ),
                    "votes": (
                        "two models; items that one judge or several voted on",
                        to.PREFERENCES,
                    ),
                    "many": ("three players or more", in_order.RATINGS),
                },
            ),
        ),
        "printed": (
            "only printed numbers, counts or sums",
            Question(
                "Which?",
                {
                    "means": (
                        "a mean or a rating, its spread, and of how many runs or calls",
                        of_runs.PUBLISHED,
                    ),
                    "accuracies": (
                        "two accuracies on the same items",
                        of_runs.PUBLISHED_ACCURACIES,
                    ),
                    "counts": (
                        "on how many items both are right, one alone, neither",
                        of_runs.FOUR_COUNTS,
                    ),
                    "separate": (
                        "two accuracies, each on items of its own",
                        of_runs.PUBLISHED_SHARES,
                    ),
                    "best": ("the best of several runs", of_runs.BEST_OF),
                    "bar": ("a count of one system, and a fixed limit", of_runs.BAR),
                    "own": (
                        "one number, and runs of your own",
                        of_runs.AGAINST_PRINTED,
                    ),
                },
            ),
        ),
        "labels": (
            "labels from two judges, or from a judge and a person, for the same items",
            to.JUDGES,
        ),
        "nothing": ("nothing yet", of_runs.POWER),
    },
)
# What may follow each of them.
AFTERWARDS = Question(
    "How many looks were taken?",
    {
        "once": ("one comparison, and its size was fixed beforehand", None),
        "systems": (
            "three systems or more, with a score of each for the same items",
            to.SEVERAL_MODELS,
        ),
        "many": (
            "several comparisons: variants, segments, data sets, a leaderboard",
            of_runs.MANY,
        ),
        "metrics": ("several metrics of the same answers", in_order.METRICS),
        "early": (
            "you looked while data came in, and might have stopped",
            in_order.EARLY,
        ),
        "equal": (
            "one, to claim that two systems are as good as each other, or that one is"
            " not worse",
            of_runs.EQUAL,
        ),
    },
)


def which_test(names=""):
    """Say which test someone needs, from what they have: one answer after another, to a
    call that runs.

    Parameters
    ----------
    names : str, default ""
        The short names of answers, from the first question on, with spaces between
        them. Without any, the first question is returned, which names its answers.

    Returns
    -------
    Question or Way
        What to answer next; or where it ends: what varies, the call, what it says and
        what it cannot say. Print either. An end takes one more answer, how many looks
        were taken, and then has what this adds in `.then`.

    Raises
    ------
    ValueError
        If a question has no such answer; the message names those that it has.

    Notes
    -----
    Size: takes any names, which are a handful.

    Examples
    --------
    >>> import evalkit as ek
    >>> print(ek.which_test("answers separate"))
    What is independent?
      "right": each item; it is right or wrong
      "score": each item; it has a score
      "groups": groups of items: documents, speakers, users who come back
      "sums": users or documents, and the number is a ratio: clicks over views
    >>> ek.which_test("answers paired items right").calls
    ('contingency', 'paired_proportion_interval', 'mcnemar')
    """
    if not isinstance(names, str):
        raise TypeError(
            f"names must be answers with spaces between them, got {_show(names)}"
        )
    reached, is_open = DECISION, True
    for answer in names.split():
        if not is_open:
            raise ValueError(
                f"names must end before {answer!r}: nothing is asked there"
            )
        question = reached if isinstance(reached, Question) else AFTERWARDS
        name = f"names, asked {question.text!r},"
        _, following = question.answers[check_choice(answer, name, question.answers)]
        is_open = question is not AFTERWARDS
        reached = following if is_open else replace(reached, then=following)
    return reached
