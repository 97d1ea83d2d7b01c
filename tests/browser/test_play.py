"""Explorers played: by keyboard, mouse and finger, from a file and on their pages."""

import pytest
from chapter_explorers import NAMES, OTHERS, chapter_of, document, plays
from conftest import HTML, set_width
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

played = pytest.mark.parametrize("name", NAMES)


@pytest.fixture
def opened(chromium, tmp_path):
    """Return a function that opens a play from a file, in a document of its own."""

    def visit(name, query=""):
        target = tmp_path / f"{name}.html"
        target.write_text(document(plays(name)), encoding="utf-8")
        chromium.get(target.as_uri() + query)
        rest(chromium)
        return chromium.find_element("class name", "play")

    chromium.get_log("browser")
    set_width(chromium, 1280)
    yield visit
    chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    chromium.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})
    assert [
        entry["message"]
        for entry in chromium.get_log("browser")
        if entry["level"] == "SEVERE"
    ] == []


def rest(chromium, name=""):
    """Wait until nothing is drawn any more, in the only figure or that of a name."""
    chromium.execute_async_script(
        "const [name, done] = arguments;const figure = document.querySelector(name ?"
        " `figure.play[data-name='${name}']` : 'figure.play');const wait = () =>"
        " figure.play?.().done ? done() : setTimeout(wait, 20); wait()",
        name,
    )


def wait(chromium, milliseconds):
    chromium.execute_async_script(f"setTimeout(arguments[0], {milliseconds})")


def press(chromium, element, label):
    (button,) = (
        b for b in element.find_elements("tag name", "button") if b.text == label
    )
    button.send_keys(Keys.ENTER)
    rest(chromium)


def part(element, name):
    return element.find_element("class name", f"play-{name}")


def seen(element):
    """The tally, the sentence and both pictures."""
    texts = [part(element, name).text for name in ("tally", "sentence")]
    images = [
        part(element, name).get_attribute("innerHTML") for name in ("picture", "law")
    ]
    return [*texts, *images]


def drawn_so_far(element):
    return int(element.get_attribute("data-drawn"))


def tried(element):
    return int(element.get_attribute("data-points"))


def forward(control):
    """The key that moves a control, from its start."""
    if control.typed:
        return Keys.ARROW_UP
    if control.start == control.values[-1]:
        return Keys.ARROW_LEFT if control.is_slider else Keys.ARROW_UP
    return Keys.ARROW_RIGHT if control.is_slider else Keys.ARROW_DOWN


@played
def test_it_begins_with_its_picture_and_one_point_and_piles_up(name, chromium, opened):
    element, play = opened(name), plays(name)
    assert (drawn_so_far(element), tried(element)) == (play.begin, 1)
    for line in part(element, "tally").text.splitlines():
        label = part(element, "picture").get_attribute("aria-label")
        assert line.replace("\N{NO-BREAK SPACE}", " ") in label.replace(
            "\N{NO-BREAK SPACE}", " "
        )
    (one, _), (many, n) = play.draws.items()
    press(chromium, element, one)
    assert drawn_so_far(element) == play.begin + 1
    press(chromium, element, many)
    assert drawn_so_far(element) == play.begin + 1 + n
    before = seen(element)
    press(chromium, element, "New luck")
    assert drawn_so_far(element) == play.begin + 1 + n
    assert seen(element) != before
    assert tried(element) == 1


@played
def test_no_press_is_lost_however_fast_they_come(name, chromium, opened):
    element, play = opened(name), plays(name)
    _, (_, n) = play.draws.items()
    chromium.execute_script(
        "const button = document.querySelectorAll('button[data-draws]')[1];"
        "for (let i = 0; i < 5; i++) setTimeout(() => button.click(), 70 * i)"
    )
    wait(chromium, 400)
    rest(chromium)
    assert drawn_so_far(element) == play.begin + 5 * n


@played
def test_each_control_moves_the_tally_by_keyboard_and_leaves_a_point(
    name, chromium, opened
):
    element = opened(name)
    for count, control in enumerate(plays(name).controls, start=1):
        before = seen(element)
        element.find_element("name", control.name).send_keys(forward(control))
        rest(chromium)
        assert seen(element) != before, control.name
        assert tried(element) == count + 1
        assert drawn_so_far(element) == plays(name).begin
    press(chromium, element, "Clear points")
    assert tried(element) == 1  # where it stands


@played
def test_points_are_those_of_a_fresh_call(name, chromium, opened):
    element, play = opened(name), plays(name)
    control = play.controls[0]
    for _ in range(2):
        element.find_element("name", control.name).send_keys(forward(control))
        rest(chromium)
    found = chromium.execute_script(
        "return [...document.querySelector('figure.play').play().points.values()]"
    )
    assert len(found) == 3
    for point in found:
        wanted = play.point(point["of"], seed=point["seed"], draws=point["draws"])
        assert point["x"] == play.place(point["of"])
        assert {
            key: [one[end] for end in ("y", "low", "high")]
            for key, one in point["results"].items()
        } == {key: pytest.approx(ends, abs=1e-7) for key, ends in wanted.items()}


@played
def test_the_curve_comes_when_it_is_asked_for_and_the_guess_is_held_against_it(
    name, chromium, opened
):
    element, play = opened(name), plays(name)
    assert element.find_elements("class name", "play-curve") == []
    assert part(element, "verdict").text == ""
    guess = element.find_element("css selector", ".play-guess input")
    guess.send_keys(Keys.END)
    assert element.find_elements("class name", "play-guessed")
    assert element.find_elements("class name", "play-curve") == []
    press(chromium, element, "Show the curve")
    assert element.find_elements("class name", "play-curve")
    ends = dict(play.curve(play.start))[play.guess.at]
    truth = ends[play.guess.series or play.law.series[0].key]
    said = part(element, "verdict").text
    digits = play.guess.digits
    assert said.startswith("You guessed ")
    assert " Curve: " in said
    shown = f"{abs(truth):.{digits}f}"
    sign = "\N{MINUS SIGN}" if truth < 0 and float(shown) else ""
    assert f"{sign}{shown}" in said
    press(chromium, element, "Hide the curve")
    assert element.find_elements("class name", "play-curve") == []
    # The guess was of another setting.
    for control in play.controls:
        if control.name != play.law.x:
            press(chromium, element, "Show the curve")
            element.find_element("name", control.name).send_keys(forward(control))
            rest(chromium)
            assert not part(element, "verdict").text.startswith("You guessed")
            break


@played
def test_an_address_brings_back_all_that_was_tried(name, chromium, opened):
    element = opened(name)
    press(chromium, element, "New luck")
    press(chromium, element, [*plays(name).draws][1])
    control = plays(name).controls[0]
    element.find_element("name", control.name).send_keys(forward(control))
    rest(chromium)
    guess = element.find_element("css selector", ".play-guess input")
    guess.send_keys(Keys.ARROW_LEFT)
    press(chromium, element, "Show the curve")
    wait(chromium, 600)
    query, wanted = chromium.execute_script("return location.search"), seen(element)
    assert f".seed={plays(name).seed + 1}" in query
    assert ".tried=" in query
    assert tried(element) == 2
    said = part(element, "verdict").text
    chromium.get("about:blank")
    again = opened(name, query)
    assert tried(again) == 2
    assert part(again, "verdict").text == said
    assert seen(again)[:3] == wanted[:3]


@pytest.mark.parametrize(
    "tried_before", ["x", "1.2", "9.9.9.9.9.9", "0.0.0.0.0.5", "-1.0.1.100", "1e9", ""]
)
def test_an_address_that_says_nothing_is_left_aside(tried_before, chromium, opened):
    element = opened("intervals", f"?intervals.tried={tried_before}&intervals.guess=x")
    assert tried(element) == 1


def test_who_wants_no_motion_gets_the_end_at_once(chromium, opened):
    chromium.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]},
    )
    element = opened("mcnemar")
    chromium.execute_script(
        "window.seen = []; const figure = document.querySelector('figure.play');"
        "new MutationObserver(() => window.seen.push(figure.dataset.drawn))"
        ".observe(figure, { attributeFilter: ['data-drawn'] });"
        "document.querySelectorAll('button[data-draws]')[1].click()"
    )
    rest(chromium)
    assert drawn_so_far(element) == 200
    assert set(chromium.execute_script("return window.seen")) == {"200"}


@played
def test_numbers_are_read_off_by_keyboard_and_mouse(name, chromium, opened):
    element = opened(name)
    for box in ("picture", "law"):
        picture, readout = part(element, box), part(element, "readout")
        hint = readout.text
        assert readout.get_attribute("aria-live") == "polite"
        picture.send_keys(Keys.ARROW_LEFT)
        told = readout.text
        assert told != hint
        ends = set()
        for key in (Keys.HOME, Keys.END):
            picture.send_keys(key)
            ends.add(readout.text)
        assert box == "law" or ends - {hint, told}
        picture.send_keys(Keys.TAB)
    picture = part(element, "picture")
    width, height = picture.size["width"], picture.size["height"]
    middle = ActionChains(chromium).move_to_element_with_offset(
        picture, width // 4, height // 5
    )
    middle.perform()
    assert part(element, "readout").text != hint


def touch(chromium, kind, *points):
    touches = [{"x": x, "y": y} for x, y in points]
    chromium.execute_cdp_cmd(
        "Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches}
    )


def swipe(chromium, x, y, across=0, down=0):
    """A finger that goes from a place, in the window, in ten steps."""
    touch(chromium, "touchStart", (x, y))
    for step in range(1, 11):
        wait(chromium, 16)
        touch(chromium, "touchMove", (x + across * step / 10, y + down * step / 10))
    touch(chromium, "touchEnd")
    wait(chromium, 60)


def values_of(chromium):
    return chromium.execute_script(
        "return [...document.querySelectorAll('figure.play :is(input, select)')]"
        ".map((field) => field.value)"
    )


def centre(chromium, element):
    """Bring an element into the middle of the window; where it is there."""
    return chromium.execute_script(
        "arguments[0].scrollIntoView({ block: 'center' });"
        "const b = arguments[0].getBoundingClientRect();"
        "return [b.left + b.width / 2, b.top + b.height / 2, b.width]",
        element,
    )


def on_a_phone(chromium):
    set_width(chromium, 390)
    chromium.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})


# Between them they have each kind of control; a finger meets one script everywhere.
@pytest.mark.parametrize("name", ["seeds", "mcnemar"])
def test_a_swipe_that_scrolls_changes_nothing_and_one_along_a_slider_does(
    name, chromium, opened
):
    on_a_phone(chromium)
    element = opened(name)
    chromium.execute_script("document.body.style.padding = '800px 0'")
    before = values_of(chromium)
    fields = element.find_elements("css selector", "input, select")
    for place in [part(element, "picture"), part(element, "law"), *fields]:
        for down in (-150, 150):
            x, y, width = centre(chromium, place)
            # Not where the slider stands.
            swipe(chromium, x + width / 3, y, down=down)
            assert values_of(chromium) == before
    sliders = element.find_elements("css selector", "input[type=range]")
    for slider in sliders:
        was = slider.get_attribute("value")
        x, y, width = centre(chromium, slider)
        low, high = (float(slider.get_attribute(end)) for end in ("min", "max"))
        towards = -1 if float(was) > (low + high) / 2 else 1
        swipe(chromium, x, y, across=0.46 * towards * width)
        assert slider.get_attribute("value") != was


def test_the_dashed_line_is_dragged_by_its_handle_alone(chromium, opened):
    on_a_phone(chromium)
    element = opened("mcnemar")

    def counts():
        return [
            int(element.find_element("name", name).get_attribute("value"))
            for name in ("a_only", "b_only")
        ]

    x, y, width = centre(chromium, part(element, "picture"))
    swipe(chromium, x, y, across=width / 4)
    assert counts() == [15, 6]
    x, y, _ = centre(chromium, part(element, "reach"))
    swipe(chromium, x, y, across=-width / 5)
    a, b = counts()
    assert a < 15
    assert a + b == 21
    rest(chromium)
    assert tried(element) > 1


@played
def test_a_tap_reads_a_number_and_it_stays(name, chromium, opened):
    on_a_phone(chromium)
    element = opened(name)
    hint = part(element, "readout").text
    x, y, width = centre(chromium, part(element, "picture"))
    swipe(chromium, x + width / 5, y + 40)
    told = part(element, "readout").text
    assert told != hint
    wait(chromium, 300)
    assert part(element, "readout").text == told


def test_a_count_that_cannot_be_is_shown_as_what_is_taken_for_it(chromium, opened):
    field = opened("mcnemar").find_element("name", "a_only")
    field.send_keys(Keys.CONTROL, "a", Keys.NULL, "1000000", Keys.TAB)
    assert field.get_attribute("value") == "1000"


WIDTHS = [1280, 390]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", [*NAMES, *OTHERS])
def test_playing_moves_nothing_below(name, width, chromium, opened):
    element, play = opened(name), plays(name)
    set_width(chromium, width)
    wait(chromium, 100)
    place = "return document.getElementById('after').getBoundingClientRect().top"
    chromium.execute_script("window.scrollTo(0, 0)")
    before = chromium.execute_script(place)
    for control in play.controls:
        field = element.find_element("name", control.name)
        keys = (Keys.HOME, Keys.END) if control.is_slider else (Keys.ARROW_DOWN,) * 4
        for key in keys:
            field.send_keys(key)
            chromium.execute_script("window.scrollTo(0, 0)")
            assert chromium.execute_script(place) == before, control.name
    element.find_element("css selector", ".play-guess input").send_keys(Keys.HOME)
    press(chromium, element, "Show the curve")
    press(chromium, element, [*play.draws][1])
    part(element, "picture").send_keys(Keys.HOME)
    part(element, "law").send_keys(Keys.HOME)
    chromium.execute_script("window.scrollTo(0, 0)")
    assert chromium.execute_script(place) == before


CUT = """
const cut = [];
for (const svg of document.querySelectorAll('.play-picture svg, .play-law svg')) {
  const box = svg.getBoundingClientRect();
  for (const text of svg.querySelectorAll('text')) {
    const b = text.getBoundingClientRect();
    if (b.left < box.left - 1 || b.right > box.right + 1 || b.bottom > box.bottom + 2) cut.push(text.textContent);
  }
}
const context = document.createElement('canvas').getContext('2d');
for (const list of document.querySelectorAll('figure.play select')) {
  const style = getComputedStyle(list);
  context.font = `${style.fontSize} ${style.fontFamily}`;
  for (const option of list.options) {
    if (context.measureText(option.text).width > list.clientWidth - 30) cut.push(option.text);
  }
}
return cut;
"""


@played
def test_a_telephone_has_room_for_controls_and_picture_and_cuts_no_word(
    name, chromium, opened
):
    set_width(chromium, 390)
    element = opened(name)
    top, bottom = part(element, "picture"), part(element, "controls")
    assert bottom.rect["y"] + bottom.rect["height"] - top.rect["y"] <= 664 - 64
    fields = element.find_elements("css selector", ":is(input, select, button)")
    assert min(field.size["height"] for field in fields) >= 44
    assert chromium.execute_script(
        "return document.documentElement.scrollWidth <= innerWidth"
    )
    assert chromium.execute_script(CUT) == []


@played
@pytest.mark.parametrize("base", ["served", "file"])
def test_it_is_played_on_its_page(name, base, chromium, address):
    page = f"book/{chapter_of(name)}.html"
    if not (HTML / page).exists():
        pytest.skip(f"{page} is not built")
    set_width(chromium, 1280)
    start = address if base == "served" else HTML.as_uri()
    chromium.get(f"{start}/{page}?{plays(name).name}.draws=20")
    element = chromium.find_element("id", f"explorer-{plays(name).name}")
    chromium.execute_script("arguments[0].scrollIntoView()", element)
    rest(chromium, plays(name).name)
    assert drawn_so_far(element) == 20
    button = element.find_elements("css selector", "button[data-draws]")[0]
    button.send_keys(Keys.ENTER)
    rest(chromium, plays(name).name)
    assert drawn_so_far(element) == 21


@played
def test_it_is_the_first_figure_and_on_the_first_screen(name, chromium, address):
    page = f"book/{chapter_of(name)}.html"
    if (
        not (HTML / page).exists() or name == "repeated_splits"
    ):  # the second of its page
        pytest.skip(f"{page} is not built, or shows another first")
    size = {"width": 1280, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    chromium.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    chromium.get(f"{address}/{page}")
    first = chromium.find_element("css selector", ".bd-article figure")
    assert first.get_attribute("id") == f"explorer-{plays(name).name}"
    rest(chromium, plays(name).name)
    for box in ("picture", "law", "controls"):
        rect = part(first, box).rect
        assert rect["y"] + rect["height"] <= 800


@played
def test_without_scripts_and_on_paper_there_is_its_picture(name, chromium, address):
    page = f"book/{chapter_of(name)}.html"
    if not (HTML / page).exists():
        pytest.skip(f"{page} is not built")
    chromium.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        chromium.get(f"{address}/{page}")
        element = chromium.find_element("id", f"explorer-{plays(name).name}")
        for box in ("picture", "law"):
            image = part(element, box).find_element("tag name", "svg")
            assert image.is_displayed()
            assert image.size["height"] > 100
        for box in ("controls", "buttons", "guess"):
            assert not part(element, box).is_displayed()
        assert part(element, "sentence").text
    finally:
        chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
        chromium.execute_cdp_cmd(
            "Emulation.setScriptExecutionDisabled", {"value": False}
        )
