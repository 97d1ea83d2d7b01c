"""Explorers that draw, played: by keyboard, mouse and finger, from a file and on their
pages.
"""

import re

import pytest
from chapter_explorers import NAMES, OTHERS, chapter_of, plays
from conftest import HTML, set_width
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

played = pytest.mark.parametrize("name", NAMES)


@pytest.fixture
def opened(chromium, tmp_path):
    """Return a function that opens a play from a file, in a document of its own, as in
    a notebook.
    """

    def visit(name, query=""):
        target = tmp_path / f"{name}.html"
        target.write_text(plays(name).document(), encoding="utf-8")
        chromium.get(target.as_uri() + query)
        rest(chromium)
        return chromium.find_element("class name", "play")

    chromium.get_log("browser")
    yield visit
    chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
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


def press(chromium, element, label):
    (button,) = (
        b for b in element.find_elements("tag name", "button") if b.text == label
    )
    button.send_keys(Keys.ENTER)
    rest(chromium)


def seen(element):
    """The tally, the sentence and the picture."""
    tally, sentence, picture = (
        element.find_element("class name", f"play-{part}")
        for part in ("tally", "sentence", "picture")
    )
    return tally.text, sentence.text, picture.get_attribute("innerHTML")


def drawn_so_far(element):
    return int(element.get_attribute("data-draws"))


@played
def test_it_begins_with_one_draw_and_piles_up(name, chromium, opened):
    element, labels = opened(name), [*plays(name).draws.items()]
    assert drawn_so_far(element) == 1
    one, many = (label for label, _ in labels)
    press(chromium, element, one)
    assert drawn_so_far(element) == 2
    press(chromium, element, many)
    assert drawn_so_far(element) == 2 + labels[1][1]
    before = seen(element)
    press(chromium, element, "Start again")
    assert drawn_so_far(element) == 1
    assert seen(element) != before


@pytest.mark.parametrize("name", [*NAMES, *OTHERS])
def test_the_picture_is_as_high_as_the_room_that_is_kept_for_it(name, opened):
    picture = opened(name).find_element("class name", "play-picture")
    reserved = re.search(r"min-height: (\d+)px", picture.get_attribute("style"))[1]
    assert picture.find_element("tag name", "svg").size["height"] == int(reserved)


@played
def test_every_control_moves_the_tally_by_keyboard(name, chromium, opened):
    element = opened(name, f"?{plays(name).name}.draws=30")
    for control in plays(name).controls:
        field = element.find_element("name", control.name)
        before = seen(element)
        field.send_keys(
            Keys.ARROW_UP if control.typed or control.is_slider else Keys.ARROW_DOWN
        )
        rest(chromium)
        assert seen(element) != before, control.name
        assert drawn_so_far(element) == 30


@played
def test_an_address_brings_back_the_setting_the_seed_and_the_draws(
    name, chromium, opened
):
    element = opened(name)
    press(chromium, element, "Start again")
    press(chromium, element, [*plays(name).draws][1])
    control = plays(name).controls[0]
    element.find_element("name", control.name).send_keys(
        Keys.ARROW_UP if control.typed or control.is_slider else Keys.ARROW_DOWN
    )
    rest(chromium)
    chromium.execute_async_script("setTimeout(arguments[0], 600)")
    query, wanted = chromium.execute_script("return location.search"), seen(element)
    assert f".seed={plays(name).seed + 1}" in query
    chromium.get("about:blank")
    assert seen(opened(name, query)) == wanted


@played
def test_keep_going_goes_on_and_pauses(name, chromium, opened):
    element = opened(name)
    (go,) = (
        b for b in element.find_elements("tag name", "button") if b.text == "Keep going"
    )
    go.send_keys(Keys.ENTER)
    assert go.text == "Pause"
    chromium.execute_async_script("setTimeout(arguments[0], 1500)")
    go.send_keys(Keys.ENTER)
    rest(chromium)
    draws = drawn_so_far(element)
    assert draws > 3
    chromium.execute_async_script("setTimeout(arguments[0], 400)")
    assert drawn_so_far(element) == draws


def test_who_wants_no_motion_gets_the_end_at_once(chromium, opened):
    chromium.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]},
    )
    element = opened("seeds")
    (go,) = (
        b for b in element.find_elements("tag name", "button") if b.text == "Keep going"
    )
    go.send_keys(Keys.ENTER)
    rest(chromium)
    assert drawn_so_far(element) == 10_000


@played
def test_numbers_are_read_off_by_keyboard_and_mouse(name, chromium, opened):
    # The last rank is the third.
    element = opened(name, f"?{plays(name).name}.draws=35")
    picture, readout = (
        element.find_element("class name", f"play-{part}")
        for part in ("picture", "readout")
    )
    hint = readout.text
    picture.send_keys(Keys.ARROW_LEFT)  # it begins at the last draw
    first = readout.text
    picture.send_keys(Keys.ARROW_LEFT)
    second = readout.text
    picture.send_keys(Keys.HOME)
    assert len({hint, first, second, readout.text}) == 4
    width, height = picture.size["width"], picture.size["height"]
    ActionChains(chromium).move_to_element_with_offset(
        picture, -width // 5, height // 5
    ).perform()
    assert readout.text not in (hint, second)


def guess(element, key, times=1):
    element.find_element("css selector", ".play-guess input").send_keys(key * times)


def test_the_truth_stays_hidden_until_a_guess(chromium, opened):
    element = opened("splits")
    assert element.find_elements("class name", "play-mark") == []
    guess(element, Keys.ARROW_RIGHT)
    assert len(element.find_elements("class name", "play-mark")) == 1
    assert (
        "You guessed 66; a model of all these lines gets 68.6 of 100 other lines right."
        in seen(element)[1]
    )


def test_a_guess_is_held_against_what_was_drawn(chromium, opened):
    element = opened("intervals")
    assert "guessed" not in seen(element)[1]
    guess(element, Keys.END)
    assert "You guessed 100 in 100: go on to see." in seen(element)[1]
    press(chromium, element, "Draw 100")
    assert "too many" in seen(element)[1]
    guess(element, Keys.HOME)
    assert "too few" in seen(element)[1]
    guess(element, Keys.ARROW_RIGHT, 5)
    assert "nothing speaks against it" in seen(element)[1]
    element.find_element("name", "size").send_keys(Keys.ARROW_RIGHT)  # another question
    rest(chromium)
    assert "guessed" not in seen(element)[1]


def test_what_would_give_the_answer_away_comes_after_the_guess(chromium, opened):
    element = opened("mcnemar")
    assert "by the exact test" not in seen(element)[1]
    guess(element, Keys.ARROW_RIGHT)
    assert "p is 0.0784 by the exact test" in seen(element)[1]


def test_a_count_that_cannot_be_is_shown_as_what_is_taken_for_it(chromium, opened):
    field = opened("mcnemar").find_element("name", "a_only")
    field.send_keys(Keys.CONTROL, "a", Keys.NULL, "1000000", Keys.TAB)
    assert field.get_attribute("value") == "1000"


def test_the_table_is_dragged_over_its_bars(chromium, opened):
    element = opened("mcnemar")
    picture = element.find_element("class name", "play-picture")
    ActionChains(chromium).move_to_element(picture).click().perform()
    press(chromium, element, "100 times")
    a, b = (
        int(element.find_element("name", name).get_attribute("value"))
        for name in ("a_only", "b_only")
    )
    assert (a + b, abs(a - b)) == (21, 1)
    assert "p is 1 by the exact test" in seen(element)[1]


def test_a_board_says_how_often_the_best_is_first_and_by_how_much_number_one_flatters(
    chromium, opened
):
    element = opened("leaderboards", "?leaderboards.draws=200")
    (ranks, over), bins = chromium.execute_script(
        "const { lanes } = document.querySelector('figure.play').play().tally;"
        "return [lanes.map(({ kinds, mean }) => ({ ...kinds, mean })), lanes[0].bins]"
    )
    tally, sentence, _ = seen(element)
    assert (
        f"the truly best system is first: {ranks['best']} of 200,"
        f" {ranks['best'] / 2:.1f} % (" in tally
    )
    assert f"minus its true score, on average: +{over['mean']:.2f} points (+" in tally
    n_first = sum(bin["best"] + bin["other"] > 0 for bin in bins)
    assert f"Systems that have come first so far: {n_first}." in sentence
    assert bins[0]["best"] == ranks["best"] > 0 == bins[0]["other"]
    element.find_element("name", "gap").send_keys(Keys.HOME)
    rest(chromium)
    assert (
        "all are equally good, and the filled one is best in name only"
        in seen(element)[1]
    )


@played
def test_a_telephone_has_room_for_control_and_picture(name, chromium, opened):
    set_width(chromium, 390)
    element = opened(name, f"?{plays(name).name}.draws=30")
    top, bottom = (
        element.find_element("css selector", part) for part in ("form", ".play-picture")
    )
    assert bottom.rect["y"] + bottom.rect["height"] - top.rect["y"] <= 844
    fields = element.find_elements("css selector", ":is(input, select, button)")
    assert min(field.size["height"] for field in fields) >= 44
    assert chromium.execute_script(
        "return document.documentElement.scrollWidth <= innerWidth"
    )
    words = chromium.execute_script(
        "const box = document.querySelector('.play-picture"
        " svg').getBoundingClientRect();return"
        " [...document.querySelectorAll('.play-picture text')].filter((t) => {const b ="
        " t.getBoundingClientRect(); return b.left < box.left - 1 || b.right >"
        " box.right + 1;}).map((t) => t.textContent)"
    )
    assert words == []


@played
@pytest.mark.parametrize("base", ["served", "file"])
def test_it_is_played_on_its_page(name, base, chromium, address):
    page = f"book/{chapter_of(name)}.html"
    if not (HTML / page).exists():
        pytest.skip(f"{page} is not built")
    set_width(chromium, 390)
    chromium.get(
        f"{address if base == 'served' else HTML.as_uri()}/{page}?{plays(name).name}.draws=20"
    )
    element = chromium.find_element("id", f"explorer-{plays(name).name}")
    chromium.execute_script("arguments[0].scrollIntoView()", element)
    rest(chromium, plays(name).name)
    assert drawn_so_far(element) == 20
    button = element.find_elements("css selector", "button[data-draws]")[0]
    button.send_keys(Keys.ENTER)
    rest(chromium, plays(name).name)
    assert drawn_so_far(element) == 21
