"""axe-core on every page, light and dark, wide and on a phone."""

import pytest
from conftest import HTML, PAGES

AXE = HTML.parents[1] / "_build" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
RUN = """
const done = arguments[arguments.length - 1];
axe.run(document, {resultTypes: ['violations']}).then((result) => done(
    result.violations.flatMap((v) => v.nodes.map((n) => [v.id, n.target.join(' '), n.html.slice(0, 200)]))));
"""
# The theme's own, by rule and place, each with the reason why it stands.
OF_THE_THEME = {
    # The name of the book above the navigation is in no landmark; it leads to the first page.
    ("region", ".sidebar-primary-item"),
    # The button shows an icon and has a fitting label; axe takes the hidden names of its icons for text.
    ("label-content-name-mismatch", ".theme-switch-button"),
}


@pytest.fixture(scope="session")
def axe():
    if not AXE.exists():
        pytest.skip("axe-core is not there: npm install --prefix _build/axe axe-core@4.14.1")
    return AXE.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_axe_finds_nothing_of_our_making(chromium, address, axe, page, theme, width):
    chromium.get(f"{address}/{page}")
    chromium.execute_script(axe)
    found = chromium.execute_async_script(RUN)
    ours = [
        (rule, target, html)
        for rule, target, html in found
        if not any(rule == known and place in target for known, place in OF_THE_THEME)
    ]
    assert ours == []
