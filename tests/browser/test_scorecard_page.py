"""The scorecard in a browser: what its form shows is what `lab.scorecard` counts."""

import re
from urllib.parse import quote

import pytest
from conftest import HTML

from lab import scorecard

PAGE = "book/scorecard.html"
# Rows that the choice leaves, in whatever fold they are; and those that a reader sees.
FITTING = """
return [...document.querySelectorAll('table.scorecard')].map(
    table => [...table.tBodies[0].rows].filter(row => !row.hidden && !table.hidden).length)
"""
SEEN = """
return [...document.querySelectorAll('table.scorecard')].map(
    table => [...table.tBodies[0].rows].filter(row => row.checkVisibility()).length)
"""
SETTLED = 0.6  # seconds; the script waits for a pause in typing before it speaks


@pytest.fixture
def page(chromium, address):
    """Return a function that opens the page afresh, with what stands after its
    address.
    """
    if not (HTML / PAGE).exists():
        pytest.skip(f"{PAGE} is not built")

    chromium.get_log("browser")  # reading a log empties it

    def visit(after="", base=address):
        chromium.get("about:blank")  # else a new hash alone would not load the page
        chromium.get(f"{base}/{PAGE}{after}")
        return chromium

    yield visit
    severe = [
        entry["message"]
        for entry in chromium.get_log("browser")
        if entry["level"] == "SEVERE"
    ]
    # The theme says this of a reader's first visit, on every page.
    assert [message for message in severe if "invalid theme mode" not in message] == []


def tables():
    """Return what the page shows: main claims, claims and printed figures."""
    return (
        scorecard.main_claims(),
        scorecard.verdicts(),
        scorecard.printed(),
    )


def expected(paper="", verdict=""):
    """How many rows of each table fit, by a fresh call of the package."""
    counts = []
    for table in tables():
        fits = (table.paper == paper) if paper else table.paper.notna()
        counts.append(
            int((fits & ((table.verdict == verdict) if verdict else True)).sum())
        )
    return counts


def field(chromium, name):
    return chromium.find_element("name", name)


def settle(chromium):
    chromium.execute_async_script(f"setTimeout(arguments[0], {1000 * SETTLED})")


def announced(chromium):
    settle(chromium)
    said = chromium.find_element("css selector", ".scorecard-filter output").text
    return [int(n) for n in re.findall(r"(\d+) of", said)]


def test_every_row_is_on_the_page_and_the_long_lists_are_folded(page):
    chromium = page()
    assert chromium.execute_script(FITTING) == announced(chromium) == expected()
    assert chromium.execute_script(SEEN) == [expected()[0], 0, 0]


def test_every_row_is_there_without_a_script(page):
    chromium = page()
    chromium.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        page()
        # Nothing of the page runs; the driver still may ask.
        assert len(
            chromium.find_elements("css selector", "table.scorecard tbody tr")
        ) == sum(expected())
        fold = chromium.find_element("css selector", "details.fold")
        row = fold.find_element("css selector", "tbody tr")
        assert not row.is_displayed()
        fold.find_element("tag name", "summary").click()
        assert row.is_displayed()
        assert not chromium.find_element(
            "css selector", ".scorecard-filter"
        ).is_displayed()
    finally:
        chromium.execute_cdp_cmd(
            "Emulation.setScriptExecutionDisabled", {"value": False}
        )


def test_the_keyboard_chooses_a_paper_and_words(page):
    chromium = page()
    select = field(chromium, "paper")
    select.send_keys("Tang")  # as a keyboard does it: the first option that begins so
    assert select.get_attribute("value") == "tang2020"
    assert chromium.execute_script(SEEN) == announced(chromium) == expected("tang2020")
    assert chromium.current_url.endswith("#paper=tang2020")
    select.send_keys("\ue004\ue004")  # Tab, over the verdict to the words
    words = chromium.switch_to.active_element
    assert words.get_attribute("name") == "text"
    words.send_keys("COVERAGE")
    found = announced(chromium)
    assert chromium.execute_script(SEEN) == found
    assert 0 < sum(found) < sum(expected("tang2020"))
    assert chromium.current_url.endswith("#paper=tang2020&text=COVERAGE")
    words.send_keys("\ue004", " ")  # Tab to the button, and press it
    assert chromium.execute_script(FITTING) == announced(chromium) == expected()
    assert "#" not in chromium.current_url


def test_each_verdict_on_the_list_finds_its_rows(page):
    chromium = page()
    options = chromium.find_elements("css selector", "select[name=verdict] option")
    words = {option.get_attribute("value") for option in options} - {""}
    _, claims, figures = tables()
    assert words == set(claims.verdict) | set(figures.verdict)
    for word in sorted(words):
        chromium = page(f"#verdict={quote(word)}")
        assert (
            chromium.execute_script(SEEN) == announced(chromium) == expected("", word)
        )


def test_the_address_restores_a_choice(page):
    chromium = page("#paper=moss2018&text=1-10+table")
    assert field(chromium, "paper").get_attribute("value") == "moss2018"
    assert field(chromium, "text").get_attribute("value") == "1-10 table"
    assert 0 < sum(chromium.execute_script(SEEN)) < sum(expected("moss2018"))
    chromium.execute_script("location.hash = 'paper=potts2020'")
    assert announced(chromium) == chromium.execute_script(SEEN) == expected("potts2020")
    assert field(chromium, "text").get_attribute("value") == ""


@pytest.mark.parametrize("after", ["#paper=poe2022&verdict=maybe", "#%", "#%E0%A4%A"])
def test_an_address_that_fits_nothing_shows_all(page, after):
    chromium = page(after)
    assert chromium.execute_script(FITTING) == announced(chromium) == expected()


def test_a_percent_sign_is_a_word_like_any_other(page):
    chromium = page("#text=%")
    assert field(chromium, "text").get_attribute("value") == "%"
    assert 0 < sum(chromium.execute_script(FITTING)) < sum(expected())


def test_a_link_to_a_claim_shows_it(page):
    claim = scorecard.verdicts().id.iloc[-1].replace("/", "-")
    chromium = page("#paper=potts2020")
    chromium.execute_script("location.hash = arguments[0]", claim)
    settle(chromium)
    assert chromium.find_element("id", claim).is_displayed()
    assert chromium.execute_script(FITTING) == expected()


def test_it_works_from_a_file(page):
    chromium = page("#paper=bajgar2018", base=HTML.as_uri())
    assert (
        chromium.execute_script(FITTING)
        == announced(chromium)
        == expected("bajgar2018")
    )


def test_a_claim_unfolds_what_would_judge_it(page):
    first = scorecard.verdicts().iloc[0]
    chromium = page(f"#{first.id.replace('/', '-')}")
    row = chromium.find_element("id", first.id.replace("/", "-"))
    assert row.is_displayed()
    assert first.confirms not in row.text
    row.find_element("tag name", "summary").send_keys("\ue007")  # Enter
    assert first.confirms in row.text
    assert first.refutes in row.text


def test_each_control_has_a_name(page):
    chromium = page()
    fields = chromium.find_elements("css selector", ".scorecard-filter [name]")
    # What is far away is laid out, and named, when it comes near.
    chromium.execute_script("arguments[0].scrollIntoView()", fields[0])
    chromium.execute_async_script(
        "requestAnimationFrame(() => setTimeout(arguments[0], 100))"
    )
    names = [field.accessible_name for field in fields]
    assert names == ["Paper", "Verdict", "Words"]
