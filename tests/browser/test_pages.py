"""What a reader's browser says of each built page."""

import json
import re

import pytest
from conftest import PAGES

pytestmark = pytest.mark.parametrize("page", PAGES)


def visit(chromium, address, page):
    """Open a page to its end and return (addresses asked for, severe messages)."""
    for kind in ("performance", "browser"):
        chromium.get_log(kind)  # reading a log empties it
    chromium.get(f"{address}/{page}")
    chromium.execute_script("window.scrollTo(0, document.body.scrollHeight)")
    chromium.execute_async_script("requestAnimationFrame(() => setTimeout(arguments[0], 300))")
    events = [json.loads(entry["message"])["message"] for entry in chromium.get_log("performance")]
    asked = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
    severe = [e["message"] for e in chromium.get_log("browser") if e["level"] == "SEVERE"]
    return [url for url in asked if url.startswith("http")], severe


def test_page_is_whole_in_both_themes_and_widths(chromium, address, page, theme, width):
    asked, severe = visit(chromium, address, page)
    assert chromium.execute_script("return document.documentElement.dataset.theme") == theme
    assert [url for url in asked if not url.startswith(address)] == [], "a page asks no other host"
    assert severe == []
    assert chromium.execute_script("return document.documentElement.scrollWidth") <= width


def test_figures_say_what_is_seen(chromium, address, page):
    visit(chromium, address, page)
    script = (
        "return [...document.querySelectorAll('main img')].map(i => [i.alt, i.naturalWidth, i.currentSrc])"
    )
    for alt, natural_width, source in chromium.execute_script(script):
        assert natural_width > 0, f"{source} does not load"
        # myst-nb's default is the name of the file; a sentence has words.
        assert len(alt.split()) > 8, f"alt text of {source}: {alt!r}"
        assert not re.search(r"\.(svg|png)\b|[0-9a-f]{20}", alt)


def test_formulas_are_drawn(chromium, address, page):
    visit(chromium, address, page)
    assert not chromium.execute_script("return document.querySelector('merror') !== null")
    sizes = "return [...document.querySelectorAll('main math')].map(m => m.getBoundingClientRect().height)"
    assert all(height > 0 for height in chromium.execute_script(sizes))
