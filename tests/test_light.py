"""What a page loads before it can be read."""

import struct
import sys
from pathlib import Path

import pydata_sphinx_theme
import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "book" / "_tools"))

import book_light  # noqa: E402

PAGE = """<html><head>
<script src="../_static/storage.js"></script>
<link href="../_static/styles/theme.css?digest=1" rel="stylesheet" />
<link rel="stylesheet" type="text/css" href="../_static/book.css?v=2" />
<script defer src="../_static/scripts/fontawesome.js?digest=1"></script>
<link rel="preload" as="script" href="../_static/scripts/bootstrap.js" />
<script src="../_static/documentation_options.js?v=3"></script>
<script src="../_static/doctools.js?v=4"></script>
<script>let toggleHintShow = 'Show';</script>
<script data-prefix="x" src="../_static/design-tabs.js?v=5"></script>
<script defer="defer" src="../_static/play.js"></script>
<script src="../searchindex.js"></script>
</head><body class="used"><img alt="" src="../_images/a.svg"><img src="../_images/b.png" alt="">
<img width="7" src="../_images/a.svg"><img src="https://elsewhere.org/a.svg"></body></html>"""


@pytest.fixture
def out(tmp_path):
    """Return the folder of a small book."""
    png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 30, 20)
    files = {
        "_static/storage.js": b"stored();",
        "_static/documentation_options.js": b"const DOCUMENTATION_OPTIONS = {};",
        "_static/basic.css": b".basic, .used { a: url(file.png) }",
        "_static/styles/theme.css": (
            b'/* } */ @import "../basic.css";\n.used{b:url("../vendor/f.woff2?x")}'
        ),
        "_static/book.css": (
            b"@media print { .unused { d: 1 } } @media screen { .used { e: '}' } }"
        ),
        "_static/vendor/f.woff2": b"font",
        "_images/a.svg": (
            b'<?xml version="1.0"?><svg xmlns="x" width="10pt" viewBox="0 0 374.4 216">'
        ),
        "_images/b.png": png,
    }
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    return tmp_path


def light(out, path="book/page.html", page=PAGE):
    return book_light.lighten_page(page, path, out, "_static/one.css")


def test_a_page_waits_for_one_sheet_and_for_no_script(out):
    page = light(out)
    assert page.count('rel="stylesheet"') == 1
    assert '<link rel="stylesheet" href="../_static/one.css" />' in page
    assert "<script>\nstored();</script>" in page
    assert "<script>\nconst DOCUMENTATION_OPTIONS = {};</script>" in page
    assert '<script defer src="../_static/doctools.js?v=4"></script>' in page
    assert '<script defer="defer" src="../_static/play.js"></script>' in page
    assert "let toggleHintShow" in page
    for unused in ("fontawesome", "bootstrap", "design-tabs", "searchindex"):
        assert unused not in page


def test_what_a_page_needs_of_this_it_keeps(out):
    assert "searchindex.js" in light(out, "search.html", PAGE.replace("../", ""))
    assert "design-tabs.js" in light(
        out, page=PAGE.replace('class="used"', 'class="sd-tab-set"')
    )


def test_images_say_how_large_they_are(out):
    page = light(out)
    assert (
        '<img loading="lazy" width="374" height="216" alt="" src="../_images/a.svg">'
        in page
    )
    assert (
        '<img loading="lazy" width="30" height="20" src="../_images/b.png" alt="">'
        in page
    )
    assert '<img width="7" src="../_images/a.svg">' in page
    assert '<img src="https://elsewhere.org/a.svg">' in page


def test_a_light_page_stays_as_it_is(out):
    assert light(out, page=light(out)) == light(out)


def test_sheets_become_one_without_what_nothing_uses(out):
    paths = ["_static/styles/theme.css", "_static/book.css"]
    css = book_light.join_sheets(paths, out, "_static/one.css", {"used"})
    assert css.split("\n") == [
        '.used{a: url("file.png")}',
        '.used{b:url("vendor/f.woff2")}',
        "@media screen{.used{e: '}'}}",
    ]


@pytest.mark.parametrize(
    ("rule", "kept"),
    [
        (".a>.b::after{x:1}", True),
        (".a .c{x:1}", False),
        ("p,.c{x:1}", "p{x:1}"),
        (".b:not(.c){x:1}", True),  # it fits, for nothing is a .c
        (":is(.c, .a) p{x:1}", True),
        (".c:is(.a) p{x:1}", False),
        (".a:not(:is(.c, .d)) p{x:1}", True),
        ('[title="of.c"]{x:1}', True),
        (r".a\/2{x:1}", True),
        ("@font-face{src:url(data:font/woff2;base64,AA)}", True),
        ("@keyframes k{0%{x:1}12.5%{x:2}}", True),
        ("@supports (x:1){@media print{.c{x:1}}}", False),
        ("@supports (x:1){\n.a{x:1}}", "@supports (x:1){.a{x:1}}"),
        ('a::before{content:"{/*}"}', True),
        ("/* .c { */p{x:1}", "p{x:1}"),
    ],
)
def test_a_rule_stays_if_it_can_fit(tmp_path, rule, kept):
    (tmp_path / "a.css").write_text(rule)
    css = book_light.join_sheets(["a.css"], tmp_path, "b.css", {"a", "b"})
    assert css == {True: rule, False: ""}.get(kept, kept)


def test_a_property_that_nothing_asks_for_goes_and_one_that_is_stays():
    css = (
        ":root{--a:1;--b: url(\"data:image/svg+xml;utf8,<a x='{}'/>\");--c:var(--a);"
        "--d:var(--e);--e:2}p{color:var(--c)}q{--f:3}"
    )
    assert book_light._drop_unused(css) == (
        ":root{--a:1;--c:var(--a);}p{color:var(--c)}q{}"
    )


def test_small_fonts_are_held_by_the_sheet(out):
    css = book_light._hold_small(
        'a{b:url("vendor/f.woff2")}c{d:url("none.woff2")}', out, "_static/one.css"
    )
    assert css == 'a{b:url(data:font/woff2;base64,Zm9udA==)}c{d:url("none.woff2")}'


def test_the_script_of_the_theme_is_the_one_that_is_calmed():
    theme = Path(pydata_sphinx_theme.__file__).parent / "theme" / "pydata_sphinx_theme"
    script = theme / "static" / "scripts" / "pydata-sphinx-theme.js"
    assert len(book_light._BLOCKS.findall(script.read_text(encoding="utf-8"))) == 1
