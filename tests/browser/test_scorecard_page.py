"""The scorecard in a browser: what its form shows is what `evalkit.scorecard` counts."""

import re
from urllib.parse import quote

import pytest
from conftest import HTML

from evalkit import scorecard

PAGE = "book/scorecard.html"
SHOWN = """
return [...document.querySelectorAll('table.scorecard')].map(
    table => [...table.tBodies[0].rows].filter(row => row.checkVisibility()).length)
"""
SETTLED = 0.6  # seconds; the script waits for a pause in typing before it speaks


@pytest.fixture
def page(chromium, address):
    """Return a function that opens the page afresh, with what stands after its address."""
    if not (HTML / PAGE).exists():
        pytest.skip(f"{PAGE} is not built")

    chromium.get_log("browser")  # reading a log empties it

    def visit(after="", base=address):
        chromium.get("about:blank")  # else a new hash alone would not load the page
        chromium.get(f"{base}/{PAGE}{after}")
        return chromium

    yield visit
    severe = [entry["message"] for entry in chromium.get_log("browser") if entry["level"] == "SEVERE"]
    # The theme says this of a reader's first visit, on every page.
    assert [message for message in severe if "invalid theme mode" not in message] == []


def expected(paper="", verdict="", *words):
    """How many claims and printed figures fit, by a fresh call of the package."""
    counts = []
    for table in (scorecard.claims(), scorecard.printed()):
        said = table.apply(lambda row: " ".join(map(str, row)).lower(), axis=1)
        fits = (table.paper == paper) if paper else table.paper.notna()
        fits &= (table.verdict == verdict) if verdict else True
        for word in words:
            fits &= said.str.contains(word, regex=False)
        counts.append(int(fits.sum()))
    return counts


def field(chromium, name):
    return chromium.find_element("name", name)


def settle(chromium):
    chromium.execute_async_script(f"setTimeout(arguments[0], {1000 * SETTLED})")


def announced(chromium):
    settle(chromium)
    said = chromium.find_element("css selector", ".scorecard-filter output").text
    return [int(n) for n in re.findall(r"(\d+) of", said)]


def test_every_row_is_on_the_page(page):
    chromium = page()
    assert chromium.execute_script(SHOWN) == announced(chromium) == expected()


def test_every_row_is_there_without_a_script(page):
    chromium = page()
    chromium.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        page()
        # Nothing of the page runs; the driver still may ask.
        rows = chromium.find_elements("css selector", "table.scorecard tbody tr")
        assert len(rows) == sum(expected())
        assert all(row.is_displayed() for row in (rows[0], rows[-1]))
        assert not chromium.find_element("css selector", ".scorecard-filter").is_displayed()
    finally:
        chromium.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_the_keyboard_chooses_a_paper_and_words(page):
    chromium = page()
    select = field(chromium, "paper")
    select.send_keys("Tang")  # as a keyboard does it: the first option that begins so
    assert select.get_attribute("value") == "tang2020"
    assert chromium.execute_script(SHOWN) == announced(chromium) == expected("tang2020")
    assert chromium.current_url.endswith("#paper=tang2020")
    select.send_keys("\ue004\ue004")  # Tab, over the verdict to the words
    words = chromium.switch_to.active_element
    assert words.get_attribute("name") == "text"
    words.send_keys("Section THEOREM")
    assert chromium.execute_script(SHOWN) == announced(chromium)
    words.send_keys("\ue009a\ue009", "coverage")  # Ctrl+A, and another word
    found = expected("tang2020", "", "coverage")
    assert sum(found) > 0
    assert chromium.execute_script(SHOWN) == announced(chromium) == found
    assert chromium.current_url.endswith("#paper=tang2020&text=coverage")
    words.send_keys("\ue004", " ")  # Tab to the button, and press it
    assert chromium.execute_script(SHOWN) == announced(chromium) == expected()
    assert "#" not in chromium.current_url


@pytest.mark.parametrize("kind", [0, 1, 2])
def test_each_verdict_on_the_list_finds_its_rows(page, kind):
    chromium = page()
    options = chromium.find_elements("css selector", "select[name=verdict] optgroup")[kind]
    words = [option.get_attribute("value") for option in options.find_elements("tag name", "option")]
    said = [set(table.verdict) for table in (scorecard.claims(), scorecard.printed())]
    aside = set(scorecard.SET_ASIDE)
    assert set(words) == (said[0] - aside, said[1] - aside, (said[0] | said[1]) & aside)[kind]
    for word in words:
        chromium = page(f"#verdict={quote(word)}")
        assert chromium.execute_script(SHOWN) == announced(chromium) == expected("", word)


def test_the_address_restores_a_choice(page):
    chromium = page("#paper=moss2018&text=1-10+table")
    assert field(chromium, "paper").get_attribute("value") == "moss2018"
    assert field(chromium, "text").get_attribute("value") == "1-10 table"
    assert chromium.execute_script(SHOWN) == expected("moss2018", "", "1-10", "table")
    chromium.execute_script("location.hash = 'paper=potts2020'")
    assert announced(chromium) == chromium.execute_script(SHOWN) == expected("potts2020")
    assert field(chromium, "text").get_attribute("value") == ""


@pytest.mark.parametrize("after", ["#paper=poe2022&verdict=maybe", "#%", "#%E0%A4%A"])
def test_an_address_that_fits_nothing_shows_all(page, after):
    chromium = page(after)
    assert chromium.execute_script(SHOWN) == announced(chromium) == expected()


def test_a_percent_sign_is_a_word_like_any_other(page):
    chromium = page("#text=%")
    assert field(chromium, "text").get_attribute("value") == "%"
    assert 0 < sum(chromium.execute_script(SHOWN)) < sum(expected())


def test_a_link_to_a_claim_shows_it(page):
    claim = scorecard.claims().id.iloc[-1].replace("/", "-")
    chromium = page("#paper=potts2020")
    chromium.execute_script("location.hash = arguments[0]", claim)
    settle(chromium)
    assert chromium.find_element("id", claim).is_displayed()
    assert chromium.execute_script(SHOWN) == expected()


def test_it_works_from_a_file(page):
    chromium = page("#paper=bajgar2018", base=HTML.as_uri())
    assert chromium.execute_script(SHOWN) == announced(chromium) == expected("bajgar2018")


def test_a_claim_unfolds_what_would_judge_it(page):
    chromium = page()
    first = scorecard.claims().iloc[0]
    row = chromium.find_element("id", first.id.replace("/", "-"))
    assert first.confirms not in row.text
    row.find_element("tag name", "summary").send_keys("\ue007")  # Enter
    assert first.confirms in row.text
    assert first.refutes in row.text


def test_each_control_has_a_name(page):
    chromium = page()
    names = [e.accessible_name for e in chromium.find_elements("css selector", ".scorecard-filter [name]")]
    assert names == ["Paper", "Verdict", "Words"]
