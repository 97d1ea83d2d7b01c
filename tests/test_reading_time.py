"""The reading time that a chapter claims: its prose without the exercises, at 200 words a minute."""

import re

import pytest
from test_style import ROOT, prose

CLAIM = re.compile(r"\*\*Reading\s+time\*\*\s+is\s+about\s+(\d+)\s+minutes\s+without\s+the\s+exercises")
CHAPTERS = [page for page in sorted(ROOT.glob("book/*.md")) if "**Reading time**" in page.read_text("utf-8")]


@pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.stem)
def test_a_chapter_takes_as_long_as_it_says(page):
    text = page.read_text(encoding="utf-8")
    (claimed,) = map(int, CLAIM.findall(text))
    before, exercises, _ = prose(text).partition("\n## Exercises\n")
    assert exercises
    minutes = len(before.split()) / 200
    assert abs(claimed - minutes) <= minutes / 8, f"{minutes:.1f} minutes"
