"""Chromium over the built book; every test here skips, saying why, where one of the two
is missing.
"""

import functools
import http.server
import os
import shutil
import threading
from pathlib import Path

import pytest

HTML = Path(__file__).resolve().parents[2] / "_build" / "html"
_FILES = [
    *HTML.glob("book/**/*.html"),
    *HTML.glob("notebooks/*.html"),
    *HTML.glob("genindex.html"),
]
PAGES = sorted(p.relative_to(HTML).as_posix() for p in _FILES) or ["no page is built"]

AXE = HTML.parent / "axe" / "node_modules" / "axe-core" / "axe.min.js"

_FLAGS = (
    "--headless=new",
    "--disable-gpu",
    "--no-first-run",
    "--hide-scrollbars",
    "--disable-sync",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
)


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="session")
def address():
    if not (HTML / "index.html").exists():
        pytest.skip("the book is not built: run `make book` first")
    handler = functools.partial(_Quiet, directory=str(HTML))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def chromium(tmp_path_factory):
    webdriver = pytest.importorskip("selenium.webdriver")
    browser, driver = (
        shutil.which("chromium") or shutil.which("chromium-browser"),
        shutil.which("chromedriver"),
    )
    if not (browser and driver):
        pytest.skip("no chromium with its chromedriver on this machine")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for flag in _FLAGS:
        options.add_argument(flag)
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.add_argument("--no-sandbox")  # Chromium has no sandbox for root
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('chromium')}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    with webdriver.Chrome(
        options=options, service=webdriver.ChromeService(driver)
    ) as session:
        yield session


def set_theme(chromium, address, theme):
    """Choose a theme as a reader does, for the pages that are opened next."""
    if not chromium.current_url.startswith(address):
        chromium.get(f"{address}/book/about.html")
    chromium.execute_script(
        "localStorage.setItem('mode', arguments[0]); localStorage.setItem('theme',"
        " arguments[0])",
        theme,
    )


def set_width(chromium, width):
    """Give the window a width; a narrow one is a phone's."""
    size = {
        "width": width,
        "height": 900,
        "deviceScaleFactor": 1,
        "mobile": width < 500,
    }
    chromium.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def asked_for(chromium):
    """Return the addresses that the page in the browser asked for: its own, then each
    file, script and call.
    """
    return chromium.execute_script(
        "return ['navigation', 'resource'].flatMap((kind) =>"
        " performance.getEntriesByType(kind)).map((entry) => entry.name)"
    )


def settle(chromium, milliseconds):
    """Wait until the page has time, and then a while."""
    chromium.execute_async_script(
        "requestIdleCallback(() => setTimeout(arguments[1], arguments[0]))",
        milliseconds,
    )


@pytest.fixture(params=["light", "dark"])
def theme(request, chromium, address):
    set_theme(chromium, address, request.param)
    return request.param


@pytest.fixture(params=[1280, 390], ids=["wide", "phone"])
def width(request, chromium):
    set_width(chromium, request.param)
    return request.param
