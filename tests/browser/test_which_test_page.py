"""Which test do I need? The page asks, and ends in the call and the sentence of the
decision.
"""

import re

import pytest
from conftest import HTML, set_width
from selenium.webdriver.support.wait import WebDriverWait

from evalkit.decision import AFTERWARDS, DECISION

PAGE = "book/which_test.html"
SPACE, DOWN, TAB = " ", "\ue015", "\ue004"
WAYS = list(DECISION.ways())
ASKED = (
    "return [...document.querySelectorAll('.which-test-questions legend')].map(e =>"
    " e.textContent)"
)
OFFERED = (
    "return [...document.querySelectorAll('.which-test-questions"
    " fieldset:last-of-type label')].map(e => e.innerText)"
)
CHOSEN = (
    "return [...document.querySelectorAll('.which-test-questions :checked')].map(e =>"
    " e.value)"
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


def choose(chromium, name):
    """Choose an answer of the last question by keyboard."""
    field = chromium.find_elements("css selector", ".which-test-questions fieldset")[-1]
    field.find_element("css selector", f"input[value={name}]").send_keys(SPACE)


def check_end(chromium, way):
    box = chromium.find_element("css selector", ".which-test-answer")
    found = plain(box.text)
    assert found.startswith(
        plain(f"Your case: {way.title} What varies: {way.varies}. Call: ")
    )
    says, cannot = found.index("It says: "), found.index("It cannot say: ")
    assert plain(f'Write: "{way.write}" More: ') in found[max(says, cannot) :]
    # The call names all that it needs, and the page sets none of it elsewhere.
    code = box.find_element("css selector", "pre").get_attribute("textContent")
    assert code == way.code.rstrip()
    link = box.find_element("css selector", "a").get_attribute("href")
    assert link.endswith(f"#which-{way.key}")


@pytest.mark.parametrize(
    ("names", "way"), WAYS, ids=["-".join(names) for names, _ in WAYS]
)
def test_each_way_is_asked_for_and_ends_in_its_call_and_its_sentence(visit, names, way):
    chromium, question = visit(), DECISION
    for depth, name in enumerate(names):
        asked = chromium.execute_script(ASKED)
        assert (len(asked), asked[-1]) == (depth + 1, question.text)
        assert [plain(said) for said in chromium.execute_script(OFFERED)] == [
            plain(said) for said, _ in question.answers.values()
        ]
        assert chromium.find_element("css selector", ".which-test-answer").text == ""
        choose(chromium, name)
        question = question.answers[name][1]
    check_end(chromium, way)
    assert len(names) <= 4
    assert chromium.execute_script(ASKED)[-1] == AFTERWARDS.text
    address = chromium.current_url
    assert address.endswith(f"?answer={'+'.join(names)}")
    # Somebody else opens the link; and one that has the end alone.
    visit(f"?answer={'+'.join(names)}")
    assert chromium.execute_script(CHOSEN) == list(names)
    check_end(chromium, way)
    if way.key not in DECISION.answers:
        visit(f"?answer={way.key}")
        check_end(chromium, way)


def test_the_last_question_adds_what_more_looks_ask_for(visit):
    chromium = visit("?answer=answers+paired+items+right")
    choose(chromium, "early")
    found = chromium.find_element("css selector", ".which-test-answer").text
    assert "Your case: Two fitted models, right or wrong" in found
    assert plain(found).index("And then: You looked before all was in") > 0
    assert chromium.current_url.endswith("?answer=answers+paired+items+right+early")
    # What can be computed still can, and one look takes back what was added.
    assert chromium.find_element("css selector", ".which-test-fields").is_displayed()
    choose(chromium, "once")
    found = chromium.find_element("css selector", ".which-test-answer").text
    assert "And then" not in found
    visit("?answer=answers+paired+items+right+metrics")
    assert "And then: " in chromium.find_element("css selector", "main").text


def test_another_answer_takes_back_what_followed(visit):
    chromium = visit("?answer=models")
    assert len(chromium.execute_script(ASKED)) == 5
    first = chromium.find_element("css selector", ".which-test-questions [value=runs]")
    first.send_keys(SPACE)
    question = DECISION.answers["runs"][1]
    assert chromium.execute_script(ASKED) == [DECISION.text, question.text]
    assert chromium.find_element("css selector", ".which-test-answer").text == ""
    # Half of a way is kept too.
    assert chromium.current_url.endswith("?answer=runs")
    visit("?answer=runs")
    assert chromium.execute_script(ASKED)[-1] == question.text
    assert chromium.execute_script(CHOSEN) == ["runs"]


@pytest.mark.parametrize("wrong", ["?answer=nonsense", "?answer=%22%5D", "?answer="])
def test_an_address_that_fits_nothing_asks_the_first_question(visit, wrong):
    chromium = visit(wrong)
    assert chromium.execute_script(ASKED) == ["What do you have?"]
    assert chromium.execute_script(CHOSEN) == []


def test_tab_and_arrows_lead_through_it_from_a_file(visit):
    chromium = visit(base=HTML.as_uri())
    chromium.find_element("css selector", "form.which-test input").send_keys(SPACE)
    chromium.switch_to.active_element.send_keys(DOWN)  # the next answer
    assert chromium.execute_script(CHOSEN) == ["runs"]
    for _ in range(2):
        chromium.switch_to.active_element.send_keys(TAB)  # the next question
        chromium.switch_to.active_element.send_keys(SPACE)
    assert (
        "difference_interval"
        in chromium.find_element("css selector", ".which-test-answer").text
    )


def test_a_link_to_a_section_still_leads_there(visit):
    chromium = visit("?answer=models#which-splits")
    top = "return document.getElementById('which-splits').getBoundingClientRect().top"
    WebDriverWait(chromium, 5, 0.05).until(lambda c: -5 < c.execute_script(top) < 300)
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
        said = [said for said, _ in DECISION.answers.values()]
        assert all(plain(said) in text for said in (*said, AFTERWARDS.text))
        titles = (way.title for _, way in WAYS)
        assert all(plain(title) in text for title in titles)
        assert not chromium.find_element(
            "css selector", "form.which-test"
        ).is_displayed()
    finally:
        chromium.execute_cdp_cmd(
            "Emulation.setScriptExecutionDisabled", {"value": False}
        )
