"""The explorers live, in a JupyterLab that is really started: a kernel shows what a
fresh call returns.
"""

import functools
import importlib.util
import itertools
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest
from chapter_explorers import NEEDS, chapter_call, chapter_explorer
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

import evalkit
from evalkit import explore
from evalkit.explore._core import Explorer

SCORES = [0.71, 0.74, 0.69, 0.8, 0.77, 0.73, 0.75, 0.72, 0.78, 0.7]
LOOKED_UP = [
    name for name in explore.__all__ if isinstance(chapter_explorer(name), Explorer)
]
CALLS = {
    chapter_call(name): functools.partial(chapter_explorer, name) for name in LOOKED_UP
}
DRAWING = {
    **{
        chapter_call(name): chapter_explorer(name)
        for name in explore.__all__
        if name not in LOOKED_UP
    },
    f"explore.expected_maximum({SCORES})": explore.expected_maximum(SCORES),
    "explore.mcnemar(9, 3)": explore.mcnemar(9, 3),
}
PATIENCE = 60  # seconds, for what takes two or three
SETTINGS = {
    "themes": {"theme": "JupyterLab Light"},
    # Else it asks, over the page.
    "notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
    },
}
SAME_DRAWING = """
const template = document.createElement('template');
template.innerHTML = arguments[1];
return template.content.firstChild.innerHTML === arguments[0].innerHTML;
"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """Start JupyterLab on a notebook of explorers, with no settings of the user; give
    its address.
    """
    for name in ("jupyterlab", "ipywidgets"):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{name} is not installed")
    folder = tmp_path_factory.mktemp("lab")
    (folder / "root").mkdir()
    cells = [nbformat.v4.new_code_cell(code) for code in [NEEDS, *CALLS, *DRAWING]]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    nbformat.write(
        nbformat.v4.new_notebook(cells=cells, metadata=kernel),
        folder / "root" / "live.ipynb",
    )
    settings = (
        folder
        / "config"
        / "lab"
        / "user-settings"
        / "@jupyterlab"
        / "apputils-extension"
    )
    settings.mkdir(parents=True)
    for name, setting in SETTINGS.items():
        (settings / f"{name}.jupyterlab-settings").write_text(json.dumps(setting))
    inherited = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("JUPYTER", "EVALKIT"))
    }
    own = {
        f"JUPYTER_{kind.upper()}_DIR": str(folder / kind)
        for kind in ("config", "data", "runtime")
    }
    own |= {
        "IPYTHONDIR": str(folder / "ipython"),
        "PYTHONPATH": str(Path(evalkit.__file__).parents[1]),
    }
    command = (
        sys.executable,
        "-m",
        "jupyterlab",
        "--no-browser",
        "--allow-root",
        "--ServerApp.ip=127.0.0.1",
        "--ServerApp.port=0",
        f"--ServerApp.root_dir={folder / 'root'}",
        "--IdentityProvider.token=",
    )
    log = folder / "log"
    with (
        log.open("wb") as out,
        subprocess.Popen(
            command, env=inherited | own, stdout=out, stderr=subprocess.STDOUT
        ) as server,
    ):
        try:
            yield _address(server, folder / "runtime", log)
        finally:
            server.terminate()  # it ends its kernels
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                server.kill()


def _address(server, runtime, log):
    end = time.monotonic() + PATIENCE
    while server.poll() is None and time.monotonic() < end:
        # The server writes its file once it listens.
        for file in runtime.glob(f"jpserver-{server.pid}.json"):
            if file.stat().st_size:
                return json.loads(file.read_text())["url"]
        time.sleep(0.1)
    pytest.fail(f"JupyterLab does not come up:\n{log.read_text()}")


def until(chromium, condition):
    """Wait for the first true answer; what is looked at may be replaced meanwhile."""
    wait = WebDriverWait(
        chromium, PATIENCE, 0.05, ignored_exceptions=[StaleElementReferenceException]
    )
    return wait.until(lambda _: condition())


@pytest.fixture(scope="module")
def notebook(chromium, lab):
    """Run all cells; give the widgets of each."""
    size = {"width": 1280, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    chromium.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    chromium.get_log("browser")  # reading a log empties it
    chromium.get(f"{lab}doc/tree/live.ipynb")
    find = functools.partial(chromium.find_elements, "css selector")
    # The notebook's own sign says idle before there is a kernel, and cells run then are
    # lost.
    until(
        chromium,
        lambda: any("| Idle" in bar.text for bar in find("#jp-main-statusbar")),
    )
    choose(chromium, "Run", "Run All Cells")
    wrong = "[data-mime-type$='.stderr'], [data-mime-type$='.error']"
    until(chromium, lambda: len(find(".widget-html svg")) == len(CALLS) or find(wrong))
    assert [output.text for output in find(wrong)] == []
    yield dict(zip(CALLS, find(".jp-OutputArea-output .widget-vbox"), strict=True))
    chromium.get("about:blank")  # nobody asks for the server after its end


def choose(chromium, menu, *labels):
    """Click through a menu of JupyterLab."""
    find = functools.partial(chromium.find_elements, "css selector")
    classes = [".lm-MenuBar-itemLabel", *(".lm-Menu-itemLabel" for _ in labels)]
    for label, of in zip((menu, *labels), classes, strict=True):
        until(
            chromium,
            lambda label=label, of=of: [e for e in find(of) if e.text == label],
        )[0].click()


@pytest.fixture(autouse=True)
def quiet(chromium):
    """Hold that the browser has nothing to complain of, from the first page of
    JupyterLab on.
    """
    yield
    assert [
        entry["message"]
        for entry in chromium.get_log("browser")
        if entry["level"] == "SEVERE"
    ] == []


@pytest.fixture(params=CALLS, ids=LOOKED_UP)
def live(request, notebook):
    """Give the widgets of one explorer, beside the explorer of a fresh call."""
    return notebook[request.param], CALLS[request.param]()


def fields(box, explorer):
    """Pair each control with its widget."""
    widgets = box.find_elements("css selector", ":scope > :not(.widget-html)")
    return list(zip(explorer.controls, widgets, strict=True))


def setting_of(box, explorer):
    """Read the setting as a reader does."""
    setting = {}
    for control, field in fields(box, explorer):
        if control.is_slider:
            text = field.find_element("class name", "widget-readout").text
        else:
            text = field.find_element("css selector", "label:has(:checked)").text
        if control.live:
            setting[control.name] = type(control.start)(text)
        else:
            (setting[control.name],) = (
                value for value in control.values if control.text(value) == text
            )
    return setting


def sentence_of(box):
    return box.find_element("css selector", ".widget-html p").text


def check(chromium, box, explorer):
    """Compare what is shown with a fresh call, and return its setting."""
    setting = setting_of(box, explorer)
    assert sentence_of(box) == " ".join(explorer.show(**setting).sentence.split())
    drawing = box.find_element("css selector", ".widget-html svg")
    assert chromium.execute_script(SAME_DRAWING, drawing, explorer.svg(**setting))
    return setting


def changed(chromium, box, act):
    """Wait for the kernel's answer to an act."""
    before = sentence_of(box)
    act()
    until(chromium, lambda: sentence_of(box) != before)


def move(control, field):
    """Go to another value: the next one, where there is one."""
    if control.is_slider:
        handle = field.find_element("class name", "noUi-handle")
        at_end = handle.get_attribute("aria-valuenow") == handle.get_attribute(
            "aria-valuemax"
        )
        handle.send_keys(Keys.ARROW_LEFT if at_end else Keys.ARROW_RIGHT)
    else:
        radios = field.find_elements("tag name", "input")
        (chosen,) = (i for i, radio in enumerate(radios) if radio.is_selected())
        radios[(chosen + 1) % len(radios)].send_keys(Keys.SPACE)


def test_the_keyboard_moves_it(chromium, live):
    box, explorer = live
    assert check(chromium, box, explorer) == explorer.start
    seen = [explorer.start]
    for control, field in itertools.islice(itertools.cycle(fields(box, explorer)), 3):
        changed(chromium, box, functools.partial(move, control, field))
        seen.append(check(chromium, box, explorer))
        assert {name for name in seen[-1] if seen[-1][name] != seen[-2][name]} == {
            control.name
        }


@pytest.mark.parametrize("place", range(len(DRAWING)), ids=DRAWING)
def test_what_draws_stands_in_a_frame_and_draws(chromium, notebook, place):
    play = [*DRAWING.values()][place]
    frame = chromium.find_elements("css selector", ".jp-OutputArea-output iframe")[
        place
    ]
    assert frame.get_attribute("title") == play.title
    chromium.execute_script("arguments[0].scrollIntoView()", frame)
    chromium.switch_to.frame(frame)
    try:
        figure = chromium.find_element("class name", "play")
        # It begins when it comes near.
        until(chromium, lambda: figure.get_attribute("data-draws") == "1")
        button = figure.find_elements("css selector", "button[data-draws]")[1]
        button.send_keys(Keys.ENTER)
        wanted = str(1 + int(button.get_attribute("data-draws")))
        until(chromium, lambda: figure.get_attribute("data-draws") == wanted)
        height = chromium.execute_script("return document.documentElement.scrollHeight")
    finally:
        chromium.switch_to.default_content()
    assert frame.size["height"] >= height  # nothing to scroll within


def test_any_number_can_be_typed(chromium, notebook):
    call = "explore.baselines()"
    box, explorer = notebook[call], CALLS[call]()
    control, field = fields(box, explorer)[0]
    assert 0.777 not in control.values, "the page has it too"
    readout = field.find_element("class name", "widget-readout")
    keys = Keys.CONTROL, "a", Keys.NULL, "0.777", Keys.ENTER
    changed(chromium, box, functools.partial(readout.send_keys, *keys))
    assert check(chromium, box, explorer)[control.name] == 0.777
