"""What a search engine and a list of tabs show of each page, and where links lead."""

import posixpath
from urllib.parse import unquote, urlsplit

import pytest
from bs4 import BeautifulSoup
from conftest import HTML, PAGES, settle

each_page = pytest.mark.parametrize("page", PAGES)
MENUS = ".article-header-buttons .dropdown-toggle"


@pytest.fixture(scope="module")
def heads():
    """The language, title and descriptions of each page."""
    if not (HTML / "index.html").exists():
        pytest.skip("the book is not built: run `make book` first")
    found = {}
    for page in PAGES:
        head = (HTML / page).read_text(encoding="utf-8").partition("</head>")[0]
        soup = BeautifulSoup(head, "html.parser")
        descriptions = [
            meta["content"]
            for meta in soup.find_all("meta", attrs={"name": "description"})
        ]
        found[page] = soup.html["lang"], soup.title.get_text(), descriptions
    return found


@each_page
def test_a_page_has_a_description_of_one_or_two_lines(heads, page):
    language, title, (description,) = heads[page]
    assert language == "en"
    assert title.count("Showing that one system beats another") == 1
    assert 50 <= len(description) <= 200


def test_no_two_pages_share_a_title_or_a_description(heads):
    _, titles, descriptions = zip(*heads.values(), strict=True)
    assert len(set(titles)) == len(set(map(str, descriptions))) == len(PAGES)


# A page with cells, a notebook, a page without cells, and one without a source.
@pytest.mark.parametrize(
    "page", ["book/splits", "notebooks/tang2020", "book/glossary", "genindex"]
)
def test_the_menus_above_a_page_open_by_keyboard_and_have_names(
    chromium, address, page
):
    chromium.get(f"{address}/{page}.html")
    for menu in chromium.find_elements("css selector", MENUS):
        assert len(menu.accessible_name.split()) > 1
        menu.send_keys("\ue007")  # Enter
        assert menu.get_attribute("aria-expanded") == "true"
        items = menu.parent.execute_script(
            "return [...arguments[0].nextElementSibling.querySelectorAll('a, button')]",
            menu,
        )
        for item in items:
            # Down, to the next item.
            menu.parent.switch_to.active_element.send_keys("\ue015")
            assert chromium.switch_to.active_element == item
            assert item.accessible_name
        chromium.switch_to.active_element.send_keys("\ue00c")  # Escape
        assert menu.get_attribute("aria-expanded") == "false"


def test_what_the_menus_offer_is_there(chromium, address):
    chromium.get(f"{address}/book/splits.html")
    texts = [
        e.get_attribute("textContent").strip()
        for e in chromium.find_elements("css selector", f"{MENUS} + ul a")
    ]
    assert texts[-2:] == [".ipynb", ".md"]
    chromium.get(f"{address}/book/glossary.html")
    texts = [
        e.get_attribute("textContent").strip()
        for e in chromium.find_elements("css selector", f"{MENUS} + ul a")
    ]
    assert ".ipynb" not in texts


def test_every_link_inside_the_book_leads_to_a_place_that_is_there():
    """Sphinx checks those that it wrote itself; some are written by hand, in HTML."""
    if not (HTML / "index.html").exists():
        pytest.skip("the book is not built: run `make book` first")
    pages = {
        page: BeautifulSoup((HTML / page).read_text("utf-8"), "html.parser")
        for page in PAGES
    }
    places = {
        page: {tag.get("id") or tag.get("name") for tag in soup.find_all(True)}
        for page, soup in pages.items()
    }
    broken = []
    for page, soup in pages.items():
        for link in {tag["href"] for tag in soup.find_all("a", href=True)}:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            path = posixpath.normpath(
                posixpath.join(posixpath.dirname(page), unquote(parts.path))
            )
            target = path if parts.path else page
            is_there = (HTML / target).is_file()
            known = {"", "top", *places.get(target, {unquote(parts.fragment)})}
            # A choice among the printed figures is no place, and is tested there.
            chosen = target == "book/scorecard.html" and "=" in parts.fragment
            if not is_there or not (chosen or unquote(parts.fragment) in known):
                broken.append(f"{page}: {link}")
    assert broken == []


@pytest.mark.parametrize(
    "place",
    ["recipes.html#what-a-report-refuses", "significance.html#many-comparisons"],
)
def test_a_link_to_a_section_leads_there_and_stays(chromium, address, width, place):
    """What is above it, and far from the screen, is not laid out later."""
    for _ in range(3):
        chromium.get("about:blank")
        chromium.get(f"{address}/book/{place}")
        settle(chromium, 500)
        top = "return document.querySelector(location.hash).getBoundingClientRect().top"
        assert -20 <= chromium.execute_script(top) <= 300
