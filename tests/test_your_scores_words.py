"""The words of the page that takes a reader's scores are those of a report."""

import sys
from pathlib import Path

from evalkit.reports import _sentences

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "book" / "_tools"))
import book_your_scores


def test_its_words_are_those_of_a_report():
    words = book_your_scores.words()
    assert words["said"].items() <= _sentences.SAID.items()
    of = words["tests"]
    assert words["why"] == {
        "shorter": _sentences.WHY_SHORTER[of["mcnemar"]],
        "shares": _sentences.WHY_WIDER[of["shares"]],
        "items": _sentences.WHY_WIDER[of["items"]],
    }
    assert words["scopes"]["run"]["cannot"][0].endswith(book_your_scores.OF_PAGE)
