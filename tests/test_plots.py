"""The tables of a page: what is a name stays a name."""

import pandas as pd

from evalkit import plots

HOSTILE = "<!--<script>"


def test_a_table_shows_words_as_they_are_written():
    frame = pd.DataFrame({HOSTILE: [HOSTILE, None], "x": [0.5, 0.25]}, index=[HOSTILE, "b"])
    for shown in (frame, frame[HOSTILE]):
        page = plots.table(shown).to_html()
        assert "<!--" not in page
        assert "<script" not in page
        assert page.count("&lt;!--&lt;script&gt;") == 3


def test_a_table_shows_the_columns_that_are_html_as_such():
    frame = pd.DataFrame({"said": ["<b>yes</b>"], "name": ["<b>no</b>"], "x": [0.5]})
    page = plots.table(frame, html=["said"], x="{:.0%}").to_html()
    assert "<b>yes</b>" in page
    assert "<b>no</b>" not in page
    assert "50%" in page
