"""The form of "Which test do I need?": its words are those of a report, and what it
computes are ends of the decision.
"""

import re
import sys
from pathlib import Path

from evalkit.decision import DECISION
from evalkit.reports import _sentences

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "book" / "_tools"))
import book_which_form


def test_its_words_are_those_of_a_report():
    words = book_which_form.words()
    assert words["said"].items() <= _sentences.SAID.items()
    of = words["tests"]
    assert words["why"] == {"shorter": _sentences.WHY_SHORTER[of["mcnemar"]]}


def test_what_it_computes_are_ends_of_the_decision():
    keys = {way.key for _, way in DECISION.ways()}
    for key, end in book_which_form.ENDS.items():
        assert key in keys
        assert end["kind"] in ("columns", "counts", *book_which_form.FIELDS)


def test_the_first_question_is_in_the_page():
    html = book_which_form.first_question()
    assert re.findall('name="which-0" value="([a-z]+)"', html) == [*DECISION.answers]
    assert f"<legend>{DECISION.text}</legend>" in html
