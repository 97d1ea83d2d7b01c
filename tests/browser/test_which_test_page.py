"""Which test do I need? The page asks, and ends in the call and the sentence of the
decision.
"""

import re

import pytest
from conftest import HTML, set_width
from selenium.webdriver.support.wait import WebDriverWait

from evalkit.decision import DECISION

PAGE = "book/which_test.html"
SPACE, DOWN, TAB = " ", "\ue015", "\ue004"
WAYS = list(DECISION.ways())
ASKED = (
    "return [...document.querySelectorAll('.which-test-questions legend')].map(e =>"
    " e.textContent)"
)
CHOSEN = (
    "return [...document.querySelectorAll('.which-test-questions :checked')].map(e =>"
    " e.parentElement.textContent)"
)


@pytest.fixture
def visit(chromium, address):
    """Return a function that opens the page, at an answer perhaps."""
    if not (HTML / PAGE).exists() or "which-test-answer" not in (HTML / PAGE).read_text(
        encoding="utf-8"
    ):
        pytest.skip(f"{PAGE} is not built")
    set_width(chromium, 1280)
    chromium.get_log("browser")  # reading a log empties it

    def go(query="", base=address):
        chromium.get("about:blank")
        chromium.get(f"{base}/{PAGE}{query}")
        return chromium

    yield go
    severe = [
        entry["message"]
        for entry in chromium.get_log("browser")
        if entry["level"] == "SEVERE"
    ]
    assert [message for message in severe if "invalid theme mode" not in message] == []


def plain(text):
    """Return a text as it is without what typesetting makes of it."""
    for set_, typed in (
        ("\u2019", "'"),
        ("\u201c", '"'),
        ("\u201d", '"'),
        ("\u00a0", " "),
    ):
        text = text.replace(set_, typed)
    return re.sub(r"(?<=\d) %", "%", " ".join(text.split()))


def answer(chromium, text):
    """Choose an answer by keyboard."""
    labels = chromium.find_elements("css selector", ".which-test-questions label")
    (label,) = [label for label in labels if plain(label.text) == plain(text)]
    label.find_element("css selector", "input").send_keys(SPACE)


def check_end(chromium, way):
    found = plain(chromium.find_element("css selector", ".which-test-answer").text)
    assert found.startswith(
        plain(f"Your case: {way.title} What varies: {way.varies}. Call: ")
    )
    assert plain(f'Write: "{way.write}" More: ') in found
    code = chromium.find_element("css selector", ".which-test-answer pre").text
    assert plain(code) == plain(way.example)  # the call that the page has run
    link = chromium.find_element("css selector", ".which-test-answer a").get_attribute(
        "href"
    )
    assert link.endswith(f"#which-{way.key}")


@pytest.mark.parametrize(("answers", "way"), WAYS, ids=[way.key for _, way in WAYS])
def test_each_way_is_asked_for_and_ends_in_its_call_and_its_sentence(
    visit, answers, way
):
    chromium, question = visit(), DECISION
    for depth, said in enumerate(answers):
        asked = chromium.execute_script(ASKED)
        assert (len(asked), asked[-1]) == (depth + 1, question.text)
        offered = chromium.find_elements(
            "css selector", ".which-test-questions fieldset:last-of-type label"
        )
        assert [plain(label.text) for label in offered] == [
            plain(text) for text in question.answers
        ]
        assert chromium.find_element("css selector", ".which-test-answer").text == ""
        answer(chromium, said)
        question = question.answers[said]
    check_end(chromium, way)
    address = chromium.current_url
    assert address.endswith(f"?answer={way.key}")
    # Somebody else opens the link.
    visit(f"?answer={way.key}")
    assert [plain(text) for text in chromium.execute_script(CHOSEN)] == [
        plain(text) for text in answers
    ]
    check_end(chromium, way)


def test_another_answer_takes_back_what_followed(visit):
    chromium = visit("?answer=models")
    assert len(chromium.execute_script(ASKED)) == 3
    answer(chromium, "one score for each run")
    assert chromium.execute_script(ASKED) == [
        "What do you have?",
        "What differs from run to run?",
    ]
    assert chromium.find_element("css selector", ".which-test-answer").text == ""
    # Half of a way is kept too.
    assert chromium.current_url.endswith("?answer=one-score-for-each-run")
    visit("?answer=one-score-for-each-run")
    assert chromium.execute_script(ASKED)[-1] == "What differs from run to run?"
    assert len(chromium.execute_script(CHOSEN)) == 1


@pytest.mark.parametrize("wrong", ["?answer=nonsense", "?answer=%22%5D", "?answer="])
def test_an_address_that_fits_nothing_asks_the_first_question(visit, wrong):
    chromium = visit(wrong)
    assert chromium.execute_script(ASKED) == ["What do you have?"]
    assert chromium.execute_script(CHOSEN) == []


def test_tab_and_arrows_lead_through_it_from_a_file(visit):
    chromium = visit(base=HTML.as_uri())
    chromium.find_element("css selector", "form.which-test input").send_keys(SPACE)
    chromium.switch_to.active_element.send_keys(DOWN)  # the next answer
    assert chromium.execute_script(CHOSEN) == [" one score for each run"]
    chromium.switch_to.active_element.send_keys(TAB)  # the next question
    chromium.switch_to.active_element.send_keys(SPACE)
    assert (
        "difference_interval"
        in chromium.find_element("css selector", ".which-test-answer").text
    )


def test_a_link_to_a_section_still_leads_there(visit):
    chromium = visit("?answer=models#which-splits")
    top = "return document.getElementById('which-splits').getBoundingClientRect().top"
    WebDriverWait(chromium, 5).until(lambda c: -5 < c.execute_script(top) < 300)
    ids = "return [...document.querySelectorAll('[id]')].map(e => e.id)"
    found = chromium.execute_script(ids)
    assert len(set(found)) == len(found)  # what is shown twice has its name once


@pytest.mark.parametrize("wide", [1280, 390])
def test_answers_are_as_high_as_a_finger(visit, chromium, wide):
    visit("?answer=models")
    set_width(chromium, wide)
    labels = chromium.find_elements("css selector", ".which-test-questions label")
    assert min(label.rect["height"] for label in labels) >= 44
    assert (
        chromium.execute_script("return document.documentElement.scrollWidth") <= wide
    )


def test_without_a_script_the_page_is_its_list(visit, chromium):
    chromium.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        visit()
        text = plain(chromium.find_element("css selector", "main").text)
        assert all(plain(said) in text for answers, _ in WAYS for said in answers)
        assert not chromium.find_element(
            "css selector", "form.which-test"
        ).is_displayed()
    finally:
        chromium.execute_cdp_cmd(
            "Emulation.setScriptExecutionDisabled", {"value": False}
        )
