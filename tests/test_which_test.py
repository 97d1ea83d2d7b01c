"""The decision which test someone needs: every way leads to a call that runs, and says
what its words say.
"""

import contextlib
import functools
import importlib.util
import io
import re
from pathlib import Path

import pytest
from grids import grid

import evalkit
from evalkit.which_test import AFTERWARDS, DECISION, Question, Way

ROOT = Path(__file__).resolve().parents[1]
WAYS = [way for _, way in DECISION.ways()] + list(AFTERWARDS.values())
_SPEC = importlib.util.spec_from_file_location(
    "which_page", ROOT / "book" / "_tools" / "which_page.py"
)
which_page = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(which_page)
every_way = grid("way", WAYS)

ANSWERS = (
    "each system's answer to every item, or its score there, all on the same test items"
)
SEVERAL = "three or more (training seeds, or prompts)"
OWN = "one number, and runs of your own"
AS_GOOD = "you want to claim that two systems are as good as each other"
TWO = "one, and two systems (two models of each: take their mean on each item)"
SCORES = "one score for each run"
PRINTED = "only printed numbers"
WHOLE = (
    "no score of its own: macro F1, RMSE or a correlation is computed over the"
    " whole set"
)
SUMMED = (
    "its part of two sums: errors and words, or the counts of F1 (one class, or micro)"
)
JUDGED = "labels from two judges, or from a judge and a person, for the same items"
BIGGER = "the size (of the model, of the training data): is bigger better?"
FEW_RATERS = "points from the same few raters"
GROUPED = "the same, or a score, but items in groups (documents, speakers, modules)"

# What people have, the answers that they give on the page, and the call that they
# should end with. In the first twelve the first edition led somewhere that could not be
# defended.
SITUATIONS = {
    "a language model on several benchmarks": (
        [SCORES, "the data set or benchmark; two systems"],
        "wilcoxon",
    ),
    "five samples to each of 500 questions": (
        [ANSWERS, TWO, "several sampled answers from each model"],
        "crossed_difference",
    ),
    "questions about the same documents": (
        [ANSWERS, TWO, GROUPED],
        "crossed_difference",
    ),
    "macro-F1 of two taggers": (
        [ANSWERS, TWO, WHOLE],
        "sign_flip",
    ),
    "three seeds on each of ten splits": (
        [SCORES, "the split or the fold (and perhaps the seed)"],
        "corrected_t",
    ),
    "one run was affordable": (
        [SCORES, "nothing: there is one run of each"],
        "mcnemar_range",
    ),
    "annotators preferred one or neither": (
        [ANSWERS, TWO, "a preference for one of the two"],
        "mcnemar",
    ),
    "thirty systems on a dozen tasks": (
        [SCORES, "the data set or benchmark; three systems or more"],
        "compare_systems",
    ),
    "RMSE and correlation of two regressors": (
        [ANSWERS, TWO, WHOLE],
        "bootstrap_interval",
    ),
    "ordinal ratings by several raters": (
        [ANSWERS, TWO, FEW_RATERS],
        "crossed_difference",
    ),
    "own seeds against a printed score": ([PRINTED, OWN], "prediction_interval"),
    "an export of a random search": ([SCORES, "the settings"], "budget_difference"),
    # Ten more.
    "two fine-tuned classifiers on one test set": (
        [ANSWERS, TWO, "one answer from each model, right or wrong; items independent"],
        "mcnemar",
    ),
    "sentence BLEU of two translators": (
        [ANSWERS, TWO, "a score (an error, a sentence's BLEU); items independent"],
        "sign_flip",
    ),
    "five seeds of each, predictions saved": ([ANSWERS, SEVERAL], "crossed_difference"),
    "five seeds of each, only accuracies": (
        [SCORES, "the seed"],
        "difference_interval",
    ),
    "ten-fold cross-validation": (
        [SCORES, "the split or the fold (and perhaps the seed)"],
        "corrected_t",
    ),
    "a table with plus and minus": (
        [PRINTED, "a mean, a spread and a number of runs of each"],
        "from_summary",
    ),
    "a leaderboard with two accuracies": (
        [PRINTED, "two accuracies on the same items"],
        "mcnemar_range",
    ),
    "six language models on one test set": (
        [ANSWERS, "one, and three systems or more"],
        "holm",
    ),
    "a smaller model that should be as good": ([AS_GOOD], "equivalence"),
    "a study that is being planned": (["nothing yet"], "power"),
    "word errors of two recognisers": ([ANSWERS, TWO, SUMMED], "ratio_difference"),
    "a language model judges, and a person checks it": ([JUDGED], "agreement"),
    "three seeds at each of five model sizes": (
        [SCORES, BIGGER],
        "difference_interval",
    ),
    "twenty variants of one system": (["you made more than one comparison"], "holm"),
}


@pytest.fixture(scope="module")
def printed():
    """Return a function that runs the example of a way, once, and gives what it
    prints.
    """
    names = {}
    exec(which_page.SETUP, names)

    @functools.cache
    def run(way):
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(way.example, dict(names))
        return output.getvalue()

    return run


def walk(answers):
    """Answer one question after the other."""
    reached = Question("", {**DECISION.answers, **AFTERWARDS})
    for answer in answers:
        reached = reached.answers[answer]
    return reached


@grid(("answers", "call"), SITUATIONS.values())
def test_each_situation_ends_in_a_call_that_runs(answers, call, printed):
    way = walk(answers)
    assert isinstance(way, Way)
    assert call in way.calls
    assert printed(way)


def test_every_way_is_some_situation_s():
    assert {walk(answers).key for answers, _ in SITUATIONS.values()} == {
        way.key for way in WAYS
    }
    assert len({way.key for way in WAYS}) == len(WAYS)


@every_way
def test_a_way_calls_what_evalkit_offers_and_runs_without_warning(way, printed):
    assert way.calls
    assert set(way.calls) <= set(evalkit.__all__)
    assert "nan" not in printed(way).lower()
    assert max(map(len, way.example.splitlines())) <= 78  # the width of a cell


@every_way
def test_its_words_are_whole_sentences_and_its_section_exists(way):
    for text in (way.answers, way.cannot, way.write):
        assert re.fullmatch(r"[A-Z].*[.!]", text), text
    chapters = "".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "book").rglob("*.md")
    )
    assert f"({way.section})=" in chapters


def test_what_the_ways_say_of_their_examples_is_so(printed):
    at = {way.key: printed(way).replace("\N{MINUS SIGN}", "-") for way in WAYS}
    pvalues = {
        key: [float(p) for p in re.findall(r"p = ([\d.e-]+)", text)]
        for key, text in at.items()
    }
    # One spread, two readings, and the verdict turns.
    assert pvalues["published"][0] < 0.05 < pvalues["published"][1]
    # The more that varies, the less is shown.
    assert pvalues["seeds"][0] < pvalues["seeds-items"][0]
    # The same items, once as if independent.
    assert pvalues["models"][0] < pvalues["groups"][0]
    assert pvalues["scores"][0] < pvalues["seeds-items"][0]
    # The same pair of systems, alone and adjusted among all pairs with the control.
    row = next(
        line
        for line in at["systems"].splitlines()
        if re.search(r"\blinear +tree\b", line)
    )
    assert pvalues["datasets"][0] < float(row.split()[-1])
    # The interval and the test are about one difference of macro F1.
    low, high, gap = map(
        float,
        re.search(
            r"\[(\S+), (\S+)\].*statistic (\S+),", at["whole"], re.DOTALL
        ).groups(),
    )
    assert low < gap < high
    assert "no count of 300" in at["accuracies"]
    assert at["equal"].startswith("equivalent up to")


def test_no_example_says_what_the_whole_record_does_not(printed):
    """The two networks have one difference: no part of their runs may decide it where
    all of them do not.
    """
    names = {}
    exec(which_page.SETUP, names)
    assert len(names["says_mlp"]) == len(names["says_lstm"]) == 100  # as the page says
    whole = evalkit.crossed_difference(
        names["right_mlp"], names["right_lstm"], names["items"].module
    )
    assert whole.pvalue > 0.05
    of_networks = {
        "models",
        "groups",
        "scores",
        "sums",
        "whole",
        "seeds",
        "seeds-items",
        "several-models",
    }
    for way in WAYS:
        if way.key in of_networks:
            assert (
                min(float(p) for p in re.findall(r"p = ([\d.e-]+)", printed(way)))
                > 0.05
            ), way.key


def test_the_page_is_made_from_the_decision():
    text = which_page.PAGE.read_text(encoding="utf-8")
    assert text == which_page.page(), "run python book/_tools/which_page.py"


def test_a_way_that_refers_to_another_names_it():
    titles = {way.title for way in WAYS}
    named = re.findall(r'"(.*?)"', " ".join(way.answers + way.cannot for way in WAYS))
    assert len(named) >= 4
    assert set(named) <= titles
