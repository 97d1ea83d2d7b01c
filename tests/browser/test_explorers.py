"""The explorers in a browser, moved by keyboard: what a page shows is what a fresh call
returns.
"""

import numpy as np
import pytest
from chapter_explorers import chapter_explorer, chapter_of
from conftest import HTML
from selenium.webdriver.common.keys import Keys

from evalkit import explore
from evalkit.explore._core import Explorer, round_value

LOOKED_UP = [
    name
    for name in sorted(explore.__all__)
    if isinstance(chapter_explorer(name), Explorer)
]
explorers = pytest.mark.parametrize("name", LOOKED_UP)
STEPS = 22


@pytest.fixture
def figure(chromium, address):
    """Return a function that opens the page of an explorer, and waits until it is
    alive.
    """

    def visit(name, query="", base=address):
        page = f"book/{chapter_of(name)}.html"
        if not (HTML / page).exists():
            pytest.skip(f"{page} is not built")
        chromium.get(f"{base}/{page}{query}")
        element = chromium.find_element("id", f"explorer-{chapter_explorer(name).name}")
        chromium.execute_async_script(
            "const [f, done] = arguments;const wait = () => f.shown ?"
            " f.shown.then(done) : setTimeout(wait, 20); wait()",
            element,
        )
        return element

    chromium.get_log("browser")
    yield visit
    severe = [
        entry["message"]
        for entry in chromium.get_log("browser")
        if entry["level"] == "SEVERE"
    ]
    assert [message for message in severe if "invalid theme mode" not in message] == []


def settle(chromium, element):
    chromium.execute_async_script("arguments[0].shown.then(arguments[1])", element)


def typed_as_plain(text):
    """A text as Selenium reads it: every space is one."""
    return text.replace("\N{NO-BREAK SPACE}", " ")


def setting_of(element, explorer):
    """Read the setting off the page: what stands beside each slider, or is chosen in
    each list.
    """
    setting = {}
    for control in explorer.controls:
        if control.is_slider:
            field = element.find_element("name", control.name)
            text = element.find_element(
                "css selector", f"output[for='{field.get_attribute('id')}']"
            ).text
            assert text == typed_as_plain(field.get_attribute("aria-valuetext"))
        else:
            text = element.find_element(
                "css selector", f"select[name={control.name}] option:checked"
            ).text
        found = (
            value
            for value in control.values
            if typed_as_plain(control.text(value)) == text
        )
        (setting[control.name],) = found
    return setting


def keys_of(control):
    """The keys that go on and back."""
    if control.is_slider:
        return [Keys.ARROW_RIGHT, Keys.ARROW_LEFT]
    return [Keys.ARROW_DOWN, Keys.ARROW_UP]


def check(chromium, element, explorer):
    """Compare what a page shows with a fresh call, and return its setting."""
    settle(chromium, element)
    setting = setting_of(element, explorer)
    shown = explorer.show(**setting)
    sentence = element.find_element("class name", "explorer-sentence").text
    assert sentence == " ".join(shown.sentence.split())
    drawn = chromium.execute_script("return arguments[0].view?.data('shown')", element)
    if drawn is None:  # nothing was touched: there is the picture
        assert element.find_element("class name", "explorer-start").is_displayed()
        assert setting == explorer.start
        return setting
    assert len(drawn) == len(shown.rows)
    for column in shown.rows:
        assert [row[column] for row in drawn] == [
            round_value(value) for value in shown.rows[column]
        ]
    return setting


@explorers
def test_numbers_are_those_of_a_fresh_call(name, chromium, figure):
    element, explorer = figure(name), chapter_explorer(name)
    rng, seen = np.random.default_rng(len(name)), []
    for step in range(STEPS):
        control = explorer.controls[step % len(explorer.controls)]
        times = int(rng.integers(1, 4)) if control.is_slider else 1
        key = str(rng.choice(keys_of(control), p=[0.7, 0.3]))
        element.find_element("name", control.name).send_keys(key * times)
        seen.append(check(chromium, element, explorer))
    assert sum(setting != explorer.start for setting in seen) >= 20


@explorers
def test_controls_are_as_high_as_a_finger(name, chromium, figure, width):
    element = figure(name)
    fields = element.find_elements("css selector", "form :is(input, select, button)")
    assert len(fields) > len(chapter_explorer(name).controls)  # Reset, too
    assert min(field.size["height"] for field in fields) >= 44
    assert chromium.execute_script(
        "return document.documentElement.scrollWidth <= innerWidth"
    )
    assert (
        element.find_element("class name", "explorer-sentence").get_attribute(
            "aria-live"
        )
        == "polite"
    )


@explorers
def test_a_link_opens_at_its_setting(name, chromium, figure):
    element, explorer = figure(name), chapter_explorer(name)
    for control in explorer.controls:
        element.find_element("name", control.name).send_keys(keys_of(control)[0])
    chromium.execute_async_script("setTimeout(arguments[0], 600)")
    query = chromium.execute_script("return location.search")
    wanted = setting_of(element, explorer)
    chromium.get("about:blank")
    assert setting_of(figure(name, query), explorer) == wanted
    chromium.find_element(
        "css selector", f"#explorer-{explorer.name} button[type=reset]"
    ).send_keys(Keys.ENTER)
    chromium.execute_async_script("setTimeout(arguments[0], 600)")
    assert chromium.execute_script("return location.search") == ""


LOADED = (
    "return performance.getEntriesByType('resource').map((file) =>"
    " file.name.split('/').pop())"
)


def shown_parts(element):
    names = ("controls", "chart", "sentence", "start", "start > p")
    return {
        name
        for name in names
        if element.find_element("css selector", f".explorer-{name}").is_displayed()
    }


@explorers
def test_a_chart_is_a_picture_until_it_is_touched(name, chromium, figure, width):
    element, explorer = figure(name), chapter_explorer(name)
    assert shown_parts(element) == {"controls", "sentence", "start"}
    pictures = element.find_elements("css selector", ".explorer-wide, .explorer-narrow")
    (picture,) = (picture for picture in pictures if picture.is_displayed())
    assert "vega.js" not in chromium.execute_script(LOADED)
    before = (
        picture.rect["x"],
        picture.rect["y"] - element.rect["y"],
        picture.rect["width"],
    )
    height = picture.rect["height"]
    element.find_element("name", explorer.controls[0].name).send_keys(
        keys_of(explorer.controls[0])[0]
    )
    check(chromium, element, explorer)
    assert "vega.js" in chromium.execute_script(LOADED)
    assert shown_parts(element) == {"controls", "sentence", "chart"}
    # The chart takes the place of its picture; what stands on its axes may take a line
    # more elsewhere.
    chart = element.find_element("class name", "explorer-chart").rect
    after = chart["x"], chart["y"] - element.rect["y"], chart["width"]
    assert after == pytest.approx(before, abs=1)
    assert chart["height"] == pytest.approx(height, abs=20)


@explorers
def test_without_scripts_there_are_no_controls(name, chromium, address):
    page = f"book/{chapter_of(name)}.html"
    if not (HTML / page).exists():
        pytest.skip(f"{page} is not built")
    chromium.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        chromium.get(f"{address}/{page}")
        element = chromium.find_element("id", f"explorer-{chapter_explorer(name).name}")
        assert shown_parts(element) == {"start", "start > p"}
    finally:
        chromium.execute_cdp_cmd(
            "Emulation.setScriptExecutionDisabled", {"value": False}
        )


@explorers
def test_it_prints_as_its_starting_figure(name, chromium, figure):
    element, explorer = figure(name), chapter_explorer(name)
    for touch in (False, True):
        if touch:
            element.find_element("name", explorer.controls[0].name).send_keys(
                keys_of(explorer.controls[0])[0]
            )
            settle(chromium, element)
        chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        try:
            seen = shown_parts(element)
        finally:
            chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
        assert seen == {"start", "start > p"}


def test_it_works_from_a_file(chromium, figure):
    element = figure("jkfold", base=HTML.as_uri())
    before = element.find_element("class name", "explorer-sentence").text
    element.find_element("name", "j").send_keys(Keys.ARROW_RIGHT * 3)
    settle(chromium, element)
    assert element.find_element("class name", "explorer-sentence").text != before
