"""The explorers in a browser, moved by keyboard: what a page shows is what a fresh call returns."""

import numpy as np
import pytest
from chapter_explorers import chapter_explorer
from conftest import HTML
from selenium.webdriver.common.keys import Keys

from evalkit import explore
from evalkit.explore._core import Explorer, round_value

LOOKED_UP = [name for name in sorted(explore.__all__) if isinstance(chapter_explorer(name), Explorer)]
explorers = pytest.mark.parametrize("name", LOOKED_UP)
STEPS = 22
ANSWER = """
const [id, done] = arguments;
const figure = document.getElementById(id), field = figure.querySelector('input, select');
const before = performance.now();
field.value = field.value === '0' ? '1' : '0';
field.dispatchEvent(new Event('input', {bubbles: true}));
figure.shown.then(() => done(performance.now() - before));
"""


def explorer_of(name):
    return chapter_explorer(name)


def chapter_of(name):
    return getattr(explore, name).__module__.rpartition("._")[2]


@pytest.fixture
def figure(chromium, address):
    """Return a function that opens the page of an explorer, and waits until it is alive."""

    def visit(name, query="", base=address):
        page = f"book/{chapter_of(name)}.html"
        if not (HTML / page).exists():
            pytest.skip(f"{page} is not built")
        chromium.get(f"{base}/{page}{query}")
        element = chromium.find_element("id", f"explorer-{explorer_of(name).name}")
        chromium.execute_async_script(
            "const [f, done] = arguments;"
            "const wait = () => f.shown ? f.shown.then(done) : setTimeout(wait, 20); wait()",
            element,
        )
        return element

    chromium.get_log("browser")
    yield visit
    severe = [entry["message"] for entry in chromium.get_log("browser") if entry["level"] == "SEVERE"]
    assert [message for message in severe if "invalid theme mode" not in message] == []


def settle(chromium, element):
    chromium.execute_async_script("arguments[0].shown.then(arguments[1])", element)


def setting_of(element, explorer):
    """Read the setting off the page: what stands beside each slider, or is chosen in each list."""
    setting = {}
    for control in explorer.controls:
        if control.is_slider:
            field = element.find_element("name", control.name)
            text = element.find_element("css selector", f"output[for='{field.get_attribute('id')}']").text
            assert text == field.get_attribute("aria-valuetext")
        else:
            text = element.find_element("css selector", f"select[name={control.name}] option:checked").text
        (setting[control.name],) = (value for value in control.values if control.text(value) == text)
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
    drawn = chromium.execute_script("return arguments[0].view.data('shown')", element)
    assert len(drawn) == len(shown.rows)
    for column in shown.rows:
        assert [row[column] for row in drawn] == [round_value(value) for value in shown.rows[column]]
    return setting


@explorers
def test_numbers_are_those_of_a_fresh_call(name, chromium, figure):
    element, explorer = figure(name), explorer_of(name)
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
    assert len(fields) > len(explorer_of(name).controls)  # Reset, too
    assert min(field.size["height"] for field in fields) >= 44
    assert chromium.execute_script("return document.documentElement.scrollWidth <= innerWidth")
    assert element.find_element("class name", "explorer-sentence").get_attribute("aria-live") == "polite"


@explorers
def test_a_link_opens_at_its_setting(name, chromium, figure):
    element, explorer = figure(name), explorer_of(name)
    for control in explorer.controls:
        element.find_element("name", control.name).send_keys(keys_of(control)[0])
    chromium.execute_async_script("setTimeout(arguments[0], 600)")
    query = chromium.execute_script("return location.search")
    wanted = setting_of(element, explorer)
    chromium.get("about:blank")
    assert setting_of(figure(name, query), explorer) == wanted
    chromium.find_element("css selector", f"#explorer-{explorer.name} button[type=reset]").send_keys(
        Keys.ENTER
    )
    chromium.execute_async_script("setTimeout(arguments[0], 600)")
    assert chromium.execute_script("return location.search") == ""


@explorers
def test_an_answer_comes_within_a_tenth_of_a_second(name, chromium, figure):
    figure(name)
    id = f"explorer-{explorer_of(name).name}"
    times = [chromium.execute_async_script(ANSWER, id) for _ in range(5)]
    assert np.median(times) < 100


@explorers
def test_it_prints_as_its_starting_figure(name, chromium, figure):
    element = figure(name)
    chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        seen = {
            part: element.find_element("class name", f"explorer-{part}").is_displayed()
            for part in ("controls", "chart", "sentence", "start")
        }
    finally:
        chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert seen == {"controls": False, "chart": False, "sentence": False, "start": True}


def test_it_works_from_a_file(chromium, figure):
    element = figure("jkfold", base=HTML.as_uri())
    before = element.find_element("class name", "explorer-sentence").text
    element.find_element("name", "j").send_keys(Keys.ARROW_RIGHT * 3)
    settle(chromium, element)
    assert element.find_element("class name", "explorer-sentence").text != before


def test_a_name_does_not_swallow_the_rest_of_the_page(chromium, tmp_path):
    name = "<!--<script>"
    explorer = explore.tuning({name: np.linspace(0, 1, 30), "B": np.linspace(0, 1, 20)})
    (tmp_path / "page.html").write_text(f"{explorer.page()}<p id='after'>the rest</p>")
    chromium.get((tmp_path / "page.html").as_uri())
    assert chromium.find_element("id", "after").text == "the rest"
    data = chromium.execute_script("return JSON.parse(document.querySelector('figure > script').textContent)")
    assert name in str(data["arrays"])
