"""The checklist in a browser: ticks that stay, a count, a copy to paste."""

import re

import pytest
from conftest import HTML, set_width

PAGE = "book/checklist.html"
KEY = "evalkit-checklist"
BOXES = "div.checklist input"
TICKED = (
    f"return [...document.querySelectorAll('{BOXES}')].filter(b => b.checked).map(b =>"
    " b.id)"
)
FORBID = """for (const name of ["localStorage", "sessionStorage"])
    Object.defineProperty(window, name, {configurable: true, get() { throw new DOMException(name); }});"""


@pytest.fixture
def page(chromium, address):
    """Return a function that opens the page; before the first time nothing is
    ticked.
    """
    if not (HTML / PAGE).exists():
        pytest.skip(f"{PAGE} is not built")
    set_width(chromium, 1280)

    def visit(base=address):
        chromium.get("about:blank")
        chromium.get(f"{base}/{PAGE}")
        return chromium

    for base in (address, HTML.as_uri()):
        visit(base).execute_script("localStorage.removeItem(arguments[0])", KEY)
    chromium.get_log("browser")  # reading a log empties it
    yield visit
    severe = [
        entry["message"]
        for entry in chromium.get_log("browser")
        if entry["level"] == "SEVERE"
    ]
    assert [message for message in severe if "invalid theme mode" not in message] == []


def box(chromium, name):
    return chromium.find_element("id", f"tick-check-{name}")


def press(chromium, name):
    """Press a button of the bar by the keyboard."""
    chromium.find_element("xpath", f"//button[text()='{name}']").send_keys("\ue007")


def said(chromium):
    return chromium.find_element("css selector", ".checklist-bar output").text


def note(chromium):
    return chromium.find_element("css selector", ".checklist-note").text


@pytest.mark.parametrize("where", ["server", "file"])
def test_ticks_stay(page, address, where):
    base = address if where == "server" else HTML.as_uri()
    chromium = page(base)
    n = len(chromium.find_elements("css selector", BOXES))
    must = len(chromium.find_elements("css selector", ".checklist .must"))
    assert said(chromium) == f"0 of {must} must-haves, 0 of {n} in all."
    box(chromium, "floor").send_keys(" ")
    box(chromium, "looks").send_keys(" ")
    assert said(chromium) == f"1 of {must} must-haves, 2 of {n} in all."
    assert (
        chromium.find_element("css selector", "#must-haves .checklist-count").text
        == f"1 of {must}"
    )
    assert "stay in this browser" in note(chromium)
    page(base)
    assert chromium.execute_script(TICKED) == ["tick-check-floor", "tick-check-looks"]
    assert said(chromium) == f"1 of {must} must-haves, 2 of {n} in all."


def test_a_tick_survives_an_edition_that_does_not_have_its_line(page):
    chromium = page()
    chromium.execute_script(
        "localStorage.setItem(arguments[0], 'check-gone check-floor')", KEY
    )
    page()
    assert chromium.execute_script(TICKED) == ["tick-check-floor"]
    box(chromium, "runs").send_keys(" ")
    kept = chromium.execute_script("return localStorage.getItem(arguments[0])", KEY)
    assert set(kept.split()) == {"check-gone", "check-floor", "check-runs"}


def test_each_box_is_named_by_its_title(page):
    chromium = page()
    names = []
    for item in chromium.find_elements("css selector", ".checklist li"):
        ticked = item.find_element("css selector", "input")
        assert (
            ticked.accessible_name == item.find_element("css selector", "strong").text
        )
        names.append(ticked.accessible_name)
    assert len(set(names)) == len(names)
    chromium.find_element("css selector", "#check-floor label").click()
    assert chromium.execute_script(TICKED) == ["tick-check-floor"]


def test_clearing_can_be_undone(page):
    chromium = page()
    for name in ("new", "prompts"):
        box(chromium, name).send_keys(" ")
    press(chromium, "Clear")
    assert chromium.execute_script(TICKED) == []
    assert said(chromium).endswith("Ticks removed: 2.")
    press(chromium, "Undo")
    assert chromium.execute_script(TICKED) == ["tick-check-new", "tick-check-prompts"]
    # The focus is not lost with the button.
    assert chromium.switch_to.active_element.text == "Clear"


def check_markdown(text, chromium):
    titles = [
        item.text
        for item in chromium.find_elements(
            "css selector", ".checklist li strong:first-of-type"
        )
    ]
    lines = re.findall(r"^- \[([ x])\] \*\*(.+?)\*\*", text, re.MULTILINE)
    assert len(lines) == len(chromium.find_elements("css selector", BOXES))
    assert [title for mark, title in lines if mark == "x"] == ["The floor"]
    assert {title for _, title in lines} <= set(titles)
    assert text.startswith(
        "### Must-haves\n\n- [ ] **What is new in the test set**: items"
    )
    assert "`split_report`" in text
    assert "### Language models\n" in text
    assert "[](" not in text


def test_the_list_is_copied_with_its_ticks(page):
    chromium = page()
    box(chromium, "floor").send_keys(" ")
    chromium.execute_script(
        "navigator.clipboard.writeText = async (text) => { window.copied = text; }"
    )
    press(chromium, "Copy as Markdown")
    chromium.execute_async_script("setTimeout(arguments[0], 50)")
    assert said(chromium).endswith("Copied.")
    check_markdown(chromium.execute_script("return window.copied"), chromium)


def test_where_the_clipboard_is_refused_the_text_is_selected(page):
    chromium = page()
    box(chromium, "floor").send_keys(" ")
    chromium.execute_script(
        "navigator.clipboard.writeText = () => Promise.reject(new DOMException('no'))"
    )
    press(chromium, "Copy as Markdown")
    chromium.execute_async_script("setTimeout(arguments[0], 50)")
    area = chromium.switch_to.active_element
    assert area.accessible_name == "The list as Markdown"
    assert area.is_displayed()
    selected = (
        "const a = document.activeElement; return a.value.slice(a.selectionStart,"
        " a.selectionEnd)"
    )
    check_markdown(chromium.execute_script(selected), chromium)


def test_where_storage_is_forbidden_the_page_says_so(page):
    chromium = page()
    script = chromium.execute_cdp_cmd(
        "Page.addScriptToEvaluateOnNewDocument", {"source": FORBID}
    )
    try:
        page()
        assert "ticks are lost" in note(chromium)
        box(chromium, "floor").send_keys(" ")
        assert chromium.execute_script(TICKED) == ["tick-check-floor"]
        assert "ticks are lost" in note(chromium)
    finally:
        chromium.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)


def test_without_scripts_it_is_a_plain_list(page):
    chromium = page()
    chromium.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        page()
        rows = chromium.find_elements("css selector", ".checklist li")
        assert len(rows) > 40
        assert all(row.text.startswith("\u2610") for row in rows)
        assert (
            chromium.find_elements("css selector", ".checklist-bar, .checklist input")
            == []
        )
    finally:
        chromium.execute_cdp_cmd(
            "Emulation.setScriptExecutionDisabled", {"value": False}
        )


def test_on_paper_there_are_boxes_and_no_buttons(page):
    chromium = page()
    box(chromium, "floor").send_keys(" ")
    chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        shown = (
            "return [...document.querySelectorAll(arguments[0])].map(e =>"
            " e.checkVisibility())"
        )
        assert all(chromium.execute_script(shown, BOXES))
        assert not any(
            chromium.execute_script(
                shown, ".checklist-bar, .checklist-note, .checklist-text"
            )
        )
    finally:
        chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
