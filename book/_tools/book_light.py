"""What a page loads before it can be read: one style sheet, and no script that it would
have to wait for. Without it a page is late on a phone, and moves while it loads.

The theme and the extensions bring ten style sheets, one of which imports another, and
as many scripts that hold a page up. Here the sheets become one, without the rules for
classes that nothing in the book has; scripts wait until the page is there; what no page
uses is not asked for. Icons are drawn by a font, which is in the sheet, and not by the
script that would replace each of them. Images come when a reader nears them, and say how large
they are, so that nothing moves then.

Leans on the names of the theme's scripts and style sheets.
"""

import base64
import hashlib
import json
import re
import struct
from pathlib import Path
from posixpath import dirname, join, normpath, relpath

from book_pages import settle_cut

_SHEET = re.compile(
    r'<link\b(?=[^>]*rel="stylesheet")[^>]*href="([^":?]+)[^"]*"[^>]*>\s*'
)
_SCRIPT = re.compile(
    r'<script\b((?:(?!\bdefer\b|\basync\b)[^>])*?\ssrc="[^"]+"[^>]*)></script>'
)
_IMAGE = re.compile(r'<img\b(?![^>]*\b(?:width|height)=)([^>]*\bsrc="([^":]+)")')
# What theme and extensions ask for on every page. The search has its own page, and it
# alone needs the index: _config.yml does not let the field search while somebody types.
_SEARCH = re.compile(
    r'<script[^>]*src="[^"]*/(?:searchtools|language_data|searchindex)\.js[^>]*></script>\s*'
)
_UNUSED = re.compile(
    r'<script[^>]*src="[^"]*/fontawesome\.js[^>]*></script>\s*|<link rel="preload"'
    r' as="script"[^>]*>\s*'
)
_TABS = re.compile(r'<script[^>]*src="[^"]*/design-tabs\.js[^>]*></script>\s*')
_INLINE = re.compile(
    r'<script src="([^"]*_static/(?:storage|documentation_options)\.js)[^"]*"></script>'
)
# The theme asks each block whether it scrolls, which lays the whole page out at once.
# Here one after the other is asked, when the browser has time.
_BLOCKS = re.compile(r"forEach\((\w+)=>\{(\1\.tabIndex=\1\.scrollWidth>[^}]*)\}\)")
_FONTS = ("literata", "public-sans")  # of the text that a page begins with
# By a script, for a page that is opened as a file may not ask for a font before its
# sheet does.
_PRELOAD = """
if (location.protocol !== "file:") {
  for (const href of %s) {
    const font = { rel: "preload", as: "font", type: "font/woff2", crossOrigin: "", href };
    document.head.append(Object.assign(document.createElement("link"), font));
  }
}
"""
_SMALL = 4096  # bytes of a file that a sheet rather holds than asks for


def lighten_page(text, path, out, sheet):
    """Return a page that waits for nothing but its sheet.

    Parameters
    ----------
    text : str
        HTML.
    path : str
        Of the page, in the book.
    out : Path
        The folder of the book.
    sheet : str
        The path of the one sheet.

    Returns
    -------
    str
        The same, if it was light before.
    """
    here = dirname(path)
    head, body = text[: text.index("</head>")], text[text.index("</head>") :]
    head = _UNUSED.sub("", head)
    if path != "search.html":
        head = _SEARCH.sub("", head)
        if "sd-tab-" not in body:
            head = _TABS.sub("", head)
        head = _INLINE.sub(
            lambda m: (
                f"<script>\n{(out / _resolve(here, m[1])).read_text('utf-8')}</script>"
            ),
            head,
        )
        head = _SCRIPT.sub(r"<script defer\1></script>", head)
    sheets = _SHEET.findall(head)
    if len(sheets) > 1:
        root = relpath("_static", here)
        fonts = json.dumps([f"{root}/fonts/{font}.woff2" for font in _FONTS])
        links = (
            f'<script>{_PRELOAD % fonts}</script>\n<link rel="stylesheet"'
            f' href="{relpath(sheet, here)}" />\n'
        )
        start = _SHEET.search(head).start()
        head = head[:start] + links + _SHEET.sub("", head[start:])
    return head + _IMAGE.sub(
        lambda m: f'<img loading="lazy"{_size(out / _resolve(here, m[2]))}{m[1]}', body
    )


def _resolve(folder, address):
    return normpath(join(folder, address))


def _size(file):
    """Return the attributes for the size of an image, where it says one."""
    if file.suffix == ".png":
        width, height = struct.unpack(">II", file.read_bytes()[16:24])
        return f' width="{width}" height="{height}"'
    sizes = (
        re.search(
            r'<svg\b[^>]*?\bviewBox="0 0 ([\d.]+) ([\d.]+)"', file.read_text("utf-8")
        )
        if file.suffix == ".svg"
        else None
    )
    return (
        f' width="{float(sizes[1]):.0f}" height="{float(sizes[2]):.0f}"'
        if sizes
        else ""
    )


# --------------------------------------------------------------------------------------
# The one sheet
# --------------------------------------------------------------------------------------

_COMMENT = re.compile(
    r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|url\([^"')]*\))|/\*.*?\*/""", re.DOTALL
)
_URL = re.compile(r"""url\(\s*["']?(?!data:|#|[a-z]+:)([^"')?#]+)[^"')]*["']?\s*\)""")
_IMPORT = re.compile(r"""@import\s+(?:url\()?["']([^"']+)["']\)?\s*;""")
_PIECE = re.compile(
    r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\\.|[^{}"'\\;])+|[{};]""", re.DOTALL
)
_CLASS = re.compile(r"\.(-?[A-Za-z_][\w-]*)")
# A value may hold a semicolon or a bracket within quotes, as the address of a picture.
_DEFINITION = re.compile(
    r"""(?<=[{;\s])(--[\w-]+)\s*:(?:"[^"]*"|'[^']*'|[^;{}"'])*(?:;\s*|(?=}))"""
)
_DEFINED = re.compile(r"(?<=[{;\s])(--[\w-]+)\s*:")
_ASKED = re.compile(r"var\(\s*(--[\w-]+)")


def join_sheets(paths, out, target, used):
    """Return sheets as one, without the rules for classes that are not used.

    Parameters
    ----------
    paths : list of str
        In the order of a page.
    out : Path
        The folder of the book.
    target : str
        The path of the one sheet, to which addresses are relative.
    used : set of str
        Every word in the pages and scripts.

    Returns
    -------
    str
    """
    joined = "\n".join(_read(path, out, target) for path in paths)
    return _prune(iter(_PIECE.findall(joined.replace('@charset "UTF-8";', ""))), used)


def _read(path, out, target):
    """Return a sheet without comments, with what it imports, and with addresses as the
    target has them.
    """
    text = _COMMENT.sub(lambda m: m[1] or "", (out / path).read_text("utf-8"))

    def address(found):
        file = _resolve(dirname(path), found[1])
        return f'url("{relpath(file, dirname(target))}")'

    text = _URL.sub(address, text)
    return _IMPORT.sub(
        lambda m: _read(_resolve(dirname(path), m[1]), out, target), text
    )


def _prune(pieces, used):
    """Return the rules of a block, up to its end, without those that can fit
    nothing.
    """
    kept = []
    before = ""
    for piece in pieces:
        if piece == "}":
            break
        if piece != "{":
            if piece == ";":  # ends an @rule that has no block
                kept.append(before + ";")
            before = "" if piece == ";" else piece.strip()
            continue
        if re.match(r"@(media|supports|layer|container)\b", before):
            inside = _prune(pieces, used)
            kept += [f"{before}{{{inside}}}"] * bool(inside)
        elif before.startswith("@"):
            kept.append(f"{before}{{{_whole(pieces)}}}")
        else:
            block = _whole(pieces)
            selectors = [s for s in _split(before) if _may_fit(s, used)]
            kept += [f"{','.join(selectors)}{{{block}}}"] * bool(selectors)
        before = ""
    return "\n".join(kept)


def _whole(pieces):
    """Return a block as it is, up to its end."""
    depth, taken = 1, []
    for piece in pieces:
        depth += (piece == "{") - (piece == "}")
        if not depth:
            break
        taken.append(
            re.sub(r"\s+", " ", piece)
            if '"' not in piece and "'" not in piece
            else piece
        )
    return "".join(taken).strip()


def _split(selectors):
    """Split at the commas that are in no bracket."""
    return [part.strip() for part in re.split(r",(?![^(]*\))", selectors)]


def _may_fit(selector, used):
    """Whether each class that a selector asks for is somewhere; what stands in brackets
    or is hard to read may fit.
    """
    plain = re.sub(r"\[[^]]*\]|\([^()]*(?:\([^()]*\)[^()]*)*\)", "", selector)
    return "\\" in selector or used.issuperset(_CLASS.findall(plain))


def _hold_small(css, out, target):
    """Put small files that a sheet asks for into it."""

    def held(found):
        file = out / _resolve(dirname(target), found[1])
        if file.suffix != ".woff2" or not file.exists() or file.stat().st_size > _SMALL:
            return found[0]
        return f"url(data:font/woff2;base64,{base64.b64encode(file.read_bytes()).decode()})"

    return _URL.sub(held, css)


# Scripts whose words say nothing of classes; of Bootstrap's parts the theme uses these.
_OTHER = {"bootstrap.js", "fontawesome.js", "searchindex.js", "language_data.js"}
_BOOTSTRAP = (
    "bs-tooltip-auto bs-tooltip-end bs-tooltip-start collapse collapsing dropdown-menu"
    " fade show tooltip tooltip-arrow tooltip-inner"
)


def _used_words(out):
    """Return the classes of the pages, and what scripts may make one of."""
    words = set(_BOOTSTRAP.split())
    for page in out.rglob("*.html"):
        for classes in re.findall(r'\bclass="([^"]*)"', page.read_text("utf-8")):
            words.update(classes.split())
    for script in out.rglob("*.js"):
        if script.name not in _OTHER:
            words.update(re.findall(r"[\w-]+", script.read_text("utf-8")))
    return words


def _drop_unused(css):
    """Return a sheet without the custom properties that nothing in it asks for."""
    while unused := {*_DEFINED.findall(css)} - {*_ASKED.findall(css)}:
        css = _DEFINITION.sub(lambda m: "" if m[1] in unused else m[0], css)
    return css


def _lighten(app, exception):
    if exception is not None or app.builder.format != "html":
        return
    out = Path(app.outdir)
    pages = [
        path for path in sorted(out.rglob("*.html")) if "_static" not in path.parts
    ]
    used, written = _used_words(out), {}
    script = out / "_static" / "scripts" / "pydata-sphinx-theme.js"
    if script.exists():
        calm = r"forEach(\1=>(window.requestIdleCallback||setTimeout)(()=>{\2}))"
        script.write_text(
            _BLOCKS.sub(calm, script.read_text(encoding="utf-8")), encoding="utf-8"
        )
    for page in pages:
        name, text = page.relative_to(out).as_posix(), page.read_text(encoding="utf-8")
        sheets = tuple(
            _resolve(dirname(name), s)
            for s in _SHEET.findall(text[: text.find("</head>")])
        )
        if len(sheets) < 2:  # it is light, or leads elsewhere
            continue
        if sheets not in written:
            written[sheets] = _write_sheet(sheets, out, used)
        page.write_text(
            lighten_page(text, name, out, written[sheets]), encoding="utf-8"
        )


def _write_sheet(sheets, out, used):
    """Write the one sheet of some pages, and return its path."""
    target = "_static/book.all.css"
    css = _drop_unused(join_sheets(sheets, out, target, used))
    codes = {int(code, 16) for code in re.findall(r'"\\(f[0-9a-f]{3})', css)}
    codes |= {ord(sign) for sign in css if "\ue000" <= sign <= "\uf8ff"}
    for path in (out / "_static" / "vendor" / "fontawesome" / "webfonts").glob(
        "*.woff2"
    ):
        settle_cut(path, path, codes)
    css = _hold_small(css, out, target)
    target = f"_static/book.{hashlib.sha256(css.encode()).hexdigest()[:8]}.css"
    (out / target).write_text(css, encoding="utf-8")
    return target


def setup(app):
    """Register with Sphinx."""
    # What else is mended has been.
    app.connect("build-finished", _lighten, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
