"""The decision which test someone needs: every way leads to a call that runs, and says
what its words say.
"""

import ast
import builtins
import contextlib
import functools
import importlib.util
import io
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from grids import grid

import evalkit
from evalkit.decision import AFTERWARDS, DECISION, Question, Way, which_test

ROOT = Path(__file__).resolve().parents[1]
_SPEC = importlib.util.spec_from_file_location(
    "which_page", ROOT / "book" / "_tools" / "which_page.py"
)
which_page = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(which_page)
WAYS = which_page.WAYS
every_way = grid("way", WAYS)

# What people have, the answers that they give, and the call that they should end with.
# In the first twelve the first edition led somewhere that could not be defended.
SITUATIONS = {
    "a language model on several benchmarks": ("runs paired two", "wilcoxon"),
    "five samples to each of 500 questions": (
        "answers paired items samples",
        "crossed_difference",
    ),
    "questions about the same documents": (
        "answers paired groups right",
        "crossed_difference",
    ),
    "macro-F1 of two taggers": ("answers paired groups whole", "sign_flip"),
    "three seeds on each of ten splits": ("runs paired split", "corrected_t"),
    "one run was affordable": ("runs separate nothing", "mcnemar_range"),
    "annotators preferred one or neither": (
        "answers paired items preference",
        "mcnemar",
    ),
    "thirty systems on a dozen tasks": ("runs paired many", "compare_systems"),
    "RMSE and correlation of two regressors": (
        "answers paired items whole",
        "bootstrap_interval",
    ),
    "ordinal ratings by several raters": (
        "answers paired raters",
        "crossed_difference",
    ),
    "own seeds against a printed score": ("printed own", "prediction_interval"),
    "an export of a random search": ("runs separate settings", "budget_difference"),
    # Fourteen of the second and the third edition.
    "two fine-tuned classifiers on one test set": (
        "answers paired items right",
        "mcnemar",
    ),
    "sentence BLEU of two translators": ("answers paired items score", "sign_flip"),
    "five seeds of each, predictions saved": (
        "answers paired runs",
        "crossed_difference",
    ),
    "five seeds of each, only accuracies": (
        "runs separate seed",
        "difference_interval",
    ),
    "ten-fold cross-validation": ("runs paired split", "corrected_t"),
    "a table with plus and minus": ("printed means", "from_summary"),
    "a leaderboard with two accuracies": ("printed accuracies", "mcnemar_range"),
    "six language models on one test set": (
        "answers paired groups right systems",
        "holm",
    ),
    "a smaller model that should be as good": (
        "answers paired runs equal",
        "equivalence",
    ),
    "a study that is being planned": ("nothing", "detectable_difference"),
    "word errors of two recognisers": (
        "answers paired groups sums",
        "ratio_difference",
    ),
    "a language model judges, and a person checks it": ("labels", "agreement"),
    "three seeds at each of five model sizes": (
        "runs separate size",
        "difference_interval",
    ),
    "twenty variants of one system": ("runs separate seed many", "holm"),
    # And what had no exit before the fourth.
    "an A/B test of two assistants, solved or not": (
        "answers separate right",
        "proportion_difference",
    ),
    "an A/B test, minutes until solved": (
        "answers separate score",
        "difference_interval",
    ),
    "an A/B test by user, several sessions each": (
        "answers separate groups",
        "difference_interval",
    ),
    "an A/B test by user, clicks over views": (
        "answers separate sums",
        "ratio_difference",
    ),
    "daily forecast errors of two models for a year": (
        "answers ordered",
        "time_blocks",
    ),
    "monthly scores of a rolling window": ("runs ordered", "time_blocks"),
    "p95 latency of two servers": ("times separate", "difference_interval"),
    "one log of requests, replayed to both": ("times paired", "difference_interval"),
    "a queue in front of each server": ("times ordered", "time_blocks"),
    "two engines, draws, random openings": ("games games", "crossed_difference"),
    "each opening played with both colours": ("games pairs", "crossed_difference"),
    "votes between two assistants": ("games votes", "mcnemar"),
    "an arena of a dozen chatbots": ("games many", "bootstrap_interval"),
    "twelve judges, five from one maker": (
        "answers paired related",
        "crossed_difference",
    ),
    "benchmarks in several languages": ("runs paired related", "crossed_difference"),
    "BLEU, chrF and COMET of the same outputs": (
        "answers paired items score metrics",
        "holm",
    ),
    "we stopped when it was significant": (
        "answers separate right early",
        "spending_bounds",
    ),
    "33 of 2,000 clicked, and 53 of 2,000 others": (
        "printed separate",
        "proportion_difference",
    ),
    "a confusion table of two classifiers": ("printed counts", "mcnemar"),
    "no failure in 300 prompts: below one per cent?": (
        "printed bar",
        "proportion_interval",
    ),
    "five starts of a benchmark, p99 of each": ("times runs", "difference_interval"),
    "the best of forty runs": ("printed best", "gaussian_expected_max"),
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
            exec(way.data + way.call, dict(names))
        return output.getvalue()

    return run


@grid(("answers", "call"), SITUATIONS.values())
def test_each_situation_ends_in_a_call_that_runs(answers, call, printed):
    way = which_test(answers)
    assert isinstance(way, Way)
    assert call in (way.then or way).calls
    assert printed(way)


def test_every_way_is_some_situation_s():
    reached = [which_test(answers) for answers, _ in SITUATIONS.values()]
    assert {(way.then or way).key for way in reached} == {way.key for way in WAYS}


def test_asked_without_an_answer_it_asks_and_at_the_end_it_says():
    assert which_test() is DECISION
    assert '"games": games or votes' in str(which_test())
    way = which_test("answers ordered")
    said = str(way)
    for part in (way.title, way.varies, way.call.splitlines()[-1].strip()):
        assert part in said
    assert " ".join(way.cannot.split()) in " ".join(said.split())
    assert which_test("answers ordered once") == way
    assert AFTERWARDS.answers["early"][1].title in str(
        which_test("answers ordered early")
    )


@grid("answers", ["scores", "runs seed", "nothing x"])
def test_an_answer_that_there_is_not_is_refused_with_those_that_there_are(answers):
    asked = which_test(" ".join(answers.split()[:-1]))
    text = asked.text if isinstance(asked, Question) else AFTERWARDS.text
    with pytest.raises(ValueError, match=re.escape(text)):
        which_test(answers)


def test_nothing_is_asked_after_the_looks():
    with pytest.raises(ValueError, match="must end before 'once'"):
        which_test("nothing many once")


def names_in(code, kind):
    """Return the names that a piece of code loads, or stores."""
    return {
        node.id
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Name) and isinstance(node.ctx, kind)
    }


@every_way
def test_what_a_reader_fills_in_is_all_that_a_call_needs(way):
    tree = ast.parse(way.call)
    made = names_in(way.call, ast.Store) | {"ek"} | set(dir(builtins))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            made |= {node.name, *(arg.arg for arg in node.args.args)}
        if isinstance(node, ast.Import | ast.ImportFrom):
            made |= {alias.asname or alias.name for alias in node.names}
    assert names_in(way.call, ast.Load) - made == set(way.needs)
    assert max(map(len, way.code.splitlines())) <= 78


@every_way
def test_a_way_calls_what_evalkit_offers_and_runs_without_warning(way, printed):
    assert way.calls
    assert set(way.calls) <= set(evalkit.__all__)
    assert "nan" not in printed(way).lower()
    assert max(map(len, way.data.splitlines())) <= 78  # the width of a cell


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


def _long(scores, *keys):
    """Return a table of a report: an array for each system, a row for each score."""
    parts = []
    for system, array in scores.items():
        at = np.indices(array.shape).reshape(array.ndim, -1)
        columns = dict(zip(keys, at, strict=True))
        parts.append(
            pd.DataFrame({"system": system, **columns, "points": array.ravel()})
        )
    return pd.concat(parts, ignore_index=True)


_RNG = np.random.default_rng(4)
_OF = {"a": _RNG.normal(9.2, 1, (5, 40)), "b": _RNG.normal(9, 1, (5, 40))}
_ROW = {name: scores[0] for name, scores in _OF.items()}
_SIGNS = {name: (scores > 9) * 1.0 for name, scores in _ROW.items()}
_TRIALS = {name: scores.ravel() for name, scores in _OF.items()}
# A table of each kind, and where someone with such scores is led.
KINDS = {
    "seeds": (_long(_ROW, "seed"), "runs separate seed", _ROW),
    "right or wrong": (
        _long(_SIGNS, "item"),
        "answers paired items right",
        {"correct": np.ones(40), **_SIGNS},
    ),
    "scores": (_long(_ROW, "item"), "answers paired items score", _ROW),
    "groups": (
        _long(_ROW, "item").assign(group=lambda table: table.item // 4),
        "answers paired groups score",
        {**_ROW, "groups": np.arange(40) // 4},
    ),
    "runs and items": (
        _long(_OF, "seed", "item").assign(group=lambda table: table.item // 4),
        "answers paired runs",
        {**_OF, "groups": np.arange(40) // 4},
    ),
    "several answers": (
        _long(_OF, "attempt", "item"),
        "answers paired items samples",
        _OF,
    ),
    "splits": (
        _long(_ROW, "fold"),
        "runs paired split",
        {**_ROW, "n_train": 90, "n_test": 10},
    ),
    "data sets": (_long(_ROW, "dataset"), "runs paired two", _ROW),
    "a search": (
        _long(_TRIALS, "trial").assign(validation=lambda table: table.points + 1),
        "runs separate settings",
        {
            **{
                f"of_{name}": pd.DataFrame({"validation": trials + 1, "test": trials})
                for name, trials in _TRIALS.items()
            },
            "budgets": [40],
        },
    ),
}


@grid(("table", "answers", "given"), KINDS.values())
def test_a_report_and_the_decision_end_in_the_same_numbers(table, answers, given):
    said = {"n_train": 90, "n_test": 10} if "fold" in table else {}
    said |= {"random": True, "n": 40} if "trial" in table else {}
    found = evalkit.report(
        table, baseline="b", metric="points", direction="higher", **said
    )
    (contrast,) = found.findings.contrasts
    results = []
    names = {"ek": evalkit, "print": results.append, **given}
    exec(which_test(answers).call, names)
    results += names.get("gaps", {}).values()
    assert contrast.pvalue in [getattr(one, "pvalue", None) for one in results]
    low, high = contrast.interval.low, contrast.interval.high
    assert np.isnan(low) or any(  # of splits none is known to hold
        abs(one.low - low) <= 1e-12 and abs(one.high - high) <= 1e-12
        for one in results
        if hasattr(one, "low")
    )
