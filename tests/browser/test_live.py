"""The explorers live, in a JupyterLab that is really started: the form of a kernel says
what a fresh call returns, for any value and for a reader's own scores.
"""

import functools
import importlib.util
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest
from chapter_explorers import NAMES, NEEDS, chapter_call, chapter_explorer
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

import evalkit
from evalkit import explore

SCORES = [0.71, 0.74, 0.69, 0.8, 0.77, 0.73, 0.75, 0.72, 0.78, 0.7]
OWN = {
    f"explore.expected_maximum({SCORES})": explore.expected_maximum,
    f"explore.intervals({SCORES})": explore.intervals,
    f"explore.seeds({SCORES})": explore.seeds,
}
CALLS = {
    **{chapter_call(name): functools.partial(chapter_explorer, name) for name in NAMES},
    **{call: functools.partial(make, SCORES) for call, make in OWN.items()},
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
    cells = [nbformat.v4.new_code_cell(code) for code in [NEEDS, *CALLS]]
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
    until(
        chromium, lambda: len(find(".widget-html img")) == 2 * len(CALLS) or find(wrong)
    )
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


@pytest.fixture(params=CALLS, ids=[*NAMES, *(f"own {n}" for n in range(len(OWN)))])
def live(request, notebook):
    """Give the widgets of one explorer, beside the explorer of a fresh call."""
    return notebook[request.param], CALLS[request.param]()


def fields(box, explorer):
    """Pair each control with its widget."""
    widgets = box.find_elements("css selector", ":scope > *")
    return list(zip(explorer.controls, widgets[:-2], strict=True))


def setting_of(box, explorer):
    """Read the setting as a reader does."""
    setting = {}
    for control, field in fields(box, explorer):
        if control.typed:
            setting[control.name] = int(
                field.find_element("tag name", "input").get_attribute("value")
            )
        elif control.is_slider:
            text = field.find_element("class name", "widget-readout").text
            setting[control.name] = type(control.start)(text.replace(",", ""))
        else:
            text = field.find_element("css selector", "label:has(:checked)").text
            (setting[control.name],) = (
                value for value in control.values if control.text(value) == text
            )
    return setting


def sentence_of(box):
    return box.find_element("css selector", ".widget-html p").text


def check(box, explorer, draws=None):
    """Compare what is said with a fresh call, and return the setting."""
    setting = setting_of(box, explorer)
    draws = draws or explorer.begin
    drawn = explorer.drawn(setting, draws=draws)
    said = sentence_of(box).replace("\N{NO-BREAK SPACE}", " ")
    wanted = explorer.sentence(setting, drawn).replace("\N{NO-BREAK SPACE}", " ")
    assert said.endswith(" ".join(wanted.split()))
    assert said.startswith(f"{draws:,} draws.")
    for ends in explorer.point(setting, draws=draws).values():
        assert "{:.4g} ({:.4g} to {:.4g})".format(*ends) in said
    return setting


def changed(chromium, box, act):
    """Wait for the kernel's answer to an act."""
    before = sentence_of(box)
    act()
    until(chromium, lambda: sentence_of(box) != before)


def move(control, field):
    """Go to another value: the next one, where there is one."""
    if control.typed:
        field.find_element("tag name", "input").send_keys(Keys.ARROW_UP, Keys.ENTER)
    elif control.is_slider:
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
    assert check(box, explorer) == explorer.start
    seen = [explorer.start]
    for control, field in fields(box, explorer):
        changed(chromium, box, functools.partial(move, control, field))
        seen.append(check(box, explorer))
        assert {name for name in seen[-1] if seen[-1][name] != seen[-2][name]} == {
            control.name
        }
    (more,) = (
        button
        for button in box.find_elements("tag name", "button")
        if button.text == "Draw 100"
    )
    changed(chromium, box, functools.partial(more.send_keys, Keys.ENTER))
    check(box, explorer, explorer.begin + 100)


def test_any_number_can_be_typed(chromium, notebook):
    call = f"explore.expected_maximum({SCORES})"
    box, explorer = notebook[call], CALLS[call]()
    control, field = fields(box, explorer)[0]
    assert 77 not in control.values, "the page has it too"
    readout = field.find_element("class name", "widget-readout")
    keys = Keys.CONTROL, "a", Keys.NULL, "77", Keys.ENTER
    changed(chromium, box, functools.partial(readout.send_keys, *keys))
    drawn = explorer.drawn(setting_of(box, explorer), draws=200)
    assert setting_of(box, explorer)["n"] == 77
    assert drawn.words["truth"] in sentence_of(box)
