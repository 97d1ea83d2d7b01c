"""The check of links finds what is dead, and only that."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

PAGE = """<!DOCTYPE html>
<html lang="en"><head><title>A</title><link rel="stylesheet" href="../_static/book.css?v=1">
<style>body { background: url(../_static/figure.svg) }</style></head>
<body id="top-of-page">
<p>Code: <code>&lt;a href="not-a-link.html"&gt;</code>, and <!-- <a href="nor-this.html"> --> </p>
<a href="../index.html#start">home</a> <a href="..">home</a> <a href="#top-of-page">up</a> <a href="#">top</a>
<a href="#%C3%BCber">about</a> <i id="\u00fcber"></i> <a name="old"></a> <a href="#old">old</a>
<img src="../_static/figure.svg" srcset="../_static/figure.svg 1x, ../_static/a%20b.svg 2x">
<a href="https://elsewhere.invalid/x#y">out</a> <a href="mailto:a@b.invalid">mail</a>
HERE
</body></html>
"""
DEAD = [
    ('<a href="missing.html">x</a>', "missing.html", "no file book/missing.html"),
    (
        '<a href="../index.html#nowhere">x</a>',
        "../index.html#nowhere",
        "no anchor nowhere in index.html",
    ),
    ('<a href="#nowhere">x</a>', "#nowhere", "no anchor nowhere in book/a.html"),
    (
        '<meta name="start"><a href="#start">x</a>',
        "#start",
        "no anchor start in book/a.html",
    ),
    (
        '<img src="../_images/gone.png">',
        "../_images/gone.png",
        "no file _images/gone.png",
    ),
    (
        (
            '<img src="../_static/figure.svg" srcset="../_static/figure.svg 1x, big.svg'
            ' 2x">'
        ),
        "big.svg",
        "no file book/big.svg",
    ),
    (
        '<a href="../_sources/a.ipynb" download>x</a>',
        "../_sources/a.ipynb",
        "no file _sources/a.ipynb",
    ),
    (
        '<script src="../_static/gone.js?v=2"></script>',
        "../_static/gone.js?v=2",
        "no file _static/gone.js",
    ),
    (
        "<p style=\"background: url('gone.svg')\">x</p>",
        "gone.svg",
        "no file book/gone.svg",
    ),
    ('<style>@import "gone.css";</style>', "gone.css", "no file book/gone.css"),
    (
        '<meta http-equiv="refresh" content="0; url=gone.html">',
        "gone.html",
        "no file book/gone.html",
    ),
    ('<a href="../_static/">x</a>', "../_static/", "no file _static/index.html"),
    ('<a href="../../README.md">x</a>', "../../README.md", "it leads out of the book"),
    (
        '<a href="/index.html">x</a>',
        "/index.html",
        "it begins with /, and the book may stand in a subfolder",
    ),
]


def load_links():
    spec = importlib.util.spec_from_file_location(
        "book_links", ROOT / "book/_tools/links.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


links = load_links()


@pytest.fixture
def site(tmp_path):
    """A small book; the README beside it is there, but no part of it."""
    folder = tmp_path / "html"
    for name, text in {
        "index.html": (
            '<meta http-equiv="refresh" content="0; url=book/a.html"><h1'
            ' id="start">Home</h1>'
        ),
        "book/a.html": PAGE,
        "_static/book.css": (
            "/* url(gone.png) */ p { background: url(figure.svg) } b { cursor:"
            " url(data:x) }"
        ),
        "_static/figure.svg": "<svg/>",
        "_static/a b.svg": "<svg/>",
        "_static/template.html": '<link href="{{ pathto(x) }}">',
        "../README.md": "",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_a_whole_book_has_none(site, capsys):
    assert links.dead_links(site) == []
    assert links.main(site) == 0
    assert "leads somewhere" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("markup", "address", "missing"), DEAD, ids=[missing for _, _, missing in DEAD]
)
def test_each_kind_of_dead_link_is_found(site, capsys, markup, address, missing):
    (site / "book/a.html").write_text(PAGE.replace("HERE", markup), encoding="utf-8")
    assert links.dead_links(site) == [("book/a.html", address, missing)]
    assert links.main(site) == 1
    assert f"book/a.html: {address}\n    {missing}" in capsys.readouterr().err


def test_a_style_sheet_is_read_too(site):
    (site / "_static/book.css").write_text(
        "p { background: url( 'gone.png' ) }", encoding="utf-8"
    )
    assert links.dead_links(site) == [
        ("_static/book.css", "gone.png", "no file _static/gone.png")
    ]


def test_without_a_book_it_says_so(tmp_path, capsys):
    assert links.main(tmp_path) == 1
    assert "make book" in capsys.readouterr().err
