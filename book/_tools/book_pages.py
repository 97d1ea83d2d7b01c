"""What is mended in the pages that Sphinx and the theme wrote. Without it axe finds
faults on every page, and numbers are torn from their per cent signs.

Labels and roles that a screen reader would stumble over, scripts that no page uses,
contents that do not show where one is, a page without a description; and letters that
no page uses.

Leans on the classes of the theme's HTML.
"""

import re
import unicodedata
from html import unescape
from pathlib import Path

from fontTools import subset
from keep import write_kept

_MENDED = [
    # A line may break between a formula and the comma after it, or the bracket before
    # it.
    (
        re.compile(
            r'(<span class="together">)?'  # it is mended already
            r"(\(?)(<span"
            r' class="math"><math(?:(?!</math>).)*</math></span>)([,.;:!?)’]*)',
            re.DOTALL,
        ),
        lambda m: (
            m[0] if m[1] or not m[2] + m[4] else f'<span class="together">{m[0]}</span>'
        ),
    ),
    # The first page has the name of the book, and would say it twice.
    (re.compile(r"<title>(.+) &#8212; \1</title>"), r"<title>\1</title>"),
    # Pandas heads the corner of a table with nothing.
    (re.compile(r"<th\b([^>]*)>(?:&nbsp;|\s|<p></p>)*</th>"), r"<td\1></td>"),
    # A role that the elements of HTML's own lists may have, and these are others.
    (re.compile(r' role="doc-biblioentry"'), ' role="listitem"'),
    # A label that hides what is written on the button.
    (re.compile(r'<summary aria-label="Toggle hidden content">'), "<summary>"),
    (
        re.compile(r'(<button class="btn search-button[^>]*?) aria-label="Search"'),
        r"\1",
    ),
    # The theme's arrow beside a chapter, which opens the list of its further pages, has
    # no name.
    (
        re.compile(
            r'(>([^<]*)</a><details[^>]*>)<summary>(?=<span class="toctree-toggle")'
        ),
        r'\1<summary aria-label="Further pages: \2">',
    ),
    # A box to tick on paper, not in the browser.
    (
        re.compile(
            r'<input class="task-list-item-checkbox" disabled="disabled"'
            r' type="checkbox">'
        ),
        '<span class="task-list-item-checkbox" aria-hidden="true">\u2610</span>',
    ),
    # Scrolled as soon as it is read.
    (
        re.compile(
            r'(data-content_root="([./]*)".*?<nav class="bd-links'
            r' bd-docs-nav".*?</nav>)(?!<script)',
            re.DOTALL,
        ),
        r'\1<script src="\2_static/sidebar.js"></script>',
    ),
    # The scripts of the search, and its index of all pages, which only the page of the
    # search reads.
    (
        re.compile(
            r'(?<=<meta name="docsearch:version" content="" />)(\s*<script'
            r' src="[^"]*"></script>){3}'
        ),
        "",
    ),
]


# Code, formulas and signatures are left as they are; then tags; then what is read.
_PARTS = re.compile(
    r"<(script|style|pre|code|math|svg|textarea|head)\b.*?</\1>|<dt"
    r' class="sig.*?</dt>|<[^>]*>|[^<]+',
    re.DOTALL,
)
_TYPE = [
    # 95 % and 76% alike, and neither breaks.
    (
        re.compile(r"(?:(?<=\d)\s?|^\s)%(?!\w)"),
        "\N{NO-BREAK SPACE}%",
    ),
    (re.compile(r"(?<![\w.,;:/)\]%-])-(?=\.?\d)"), "\N{MINUS SIGN}"),
    (
        re.compile(r"\b([^\W\d_]|\d+) - (?=(?:[^\W\d_]|\d+)\b)"),
        "\\1\N{NO-BREAK SPACE}\N{MINUS SIGN}\N{NO-BREAK SPACE}",
    ),
    (
        re.compile(r"\b(Figs?\.|Table|Chapter|Eq\.)\s(?=\d|[A-Z][a-z]?\.\d)"),
        "\\1\N{NO-BREAK SPACE}",
    ),
]
_INLINE = re.compile(r"</(?:span|a|em|strong|cite|code|math)>$")


def mend_type(page):
    """Set percentages, minus signs and numbers of figures in the text of a page, typed
    or computed.

    Parameters
    ----------
    page : str
        HTML.

    Returns
    -------
    str
    """
    parts, before = [], ""
    for found in _PARTS.finditer(page):
        part = found[0]
        if not part.startswith("<"):
            # A hyphen that follows a number or a name in a tag of its own joins the
            # two.
            joined = part[0] == "-" and _INLINE.search(before)
            rest = part[1:] if joined else part
            for pattern, replacement in _TYPE:
                rest = pattern.sub(replacement, rest)
            part = "-" + rest if joined else rest
        parts.append(part)
        before = part
    return "".join(parts)


def _mend_html(app, exception):
    if exception is not None or app.builder.format != "html":
        return
    for page in Path(app.outdir).rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        mended = mend_type(text)
        for pattern, replacement in _MENDED:
            mended = pattern.sub(replacement, mended)
        if mended != text:
            page.write_text(mended, encoding="utf-8")


def _drop_thebe(app, pagename, templatename, context, doctree):
    """Leave out Thebe, which Jupyter Book puts on every page, twice, with an error in
    the console.
    """
    context["script_files"] = [
        script
        for script in context.get("script_files", [])
        if "thebe"
        not in f"{getattr(script, 'filename', script)}"
        f" {getattr(script, 'attributes', '')}".lower()
    ]


def _describe_index(app, pagename, templatename, context, doctree):
    # Sphinx writes this page itself, and the front matter of genindex.md with it is
    # lost.
    if pagename == "genindex":
        text = (
            "The index of the book: its terms and signs, and the functions of evalkit,"
            " each with the places that explain it."
        )
        context["metatags"] = f'<meta name="description" content="{text}" />'


def _allow_storage(app, pagename, templatename, context, doctree):
    # Before the theme's own scripts, and they are the first thing but these tags.
    script = (
        "<script"
        f' src="{context["pathto"]("_static/storage.js", resource=True)}"></script>'
    )
    context["metatags"] = script + context.get("metatags", "")


# --------------------------------------------------------------------------------------
# The fonts, cut to what the pages need
# --------------------------------------------------------------------------------------

_FORMULA = re.compile(r"<math.*?</math>", re.DOTALL)
_TAG = re.compile(r"<annotation.*?</annotation>|<[^>]+>", re.DOTALL)
# What scripts write into a page, besides ASCII.
_WRITTEN = "\u00a0\u2013\u2014\u2018\u2019\u201c\u201d\u2026\u2212\u00b1\u00d7\u00b7\u2264\u2265"


def _keep_used_letters(app, exception):
    """Cut each font to the characters that the pages have in it; what stretches comes
    along.
    """
    if exception is not None or app.builder.format != "html":
        return
    words = {*map(chr, range(0x20, 0x7F)), *_WRITTEN}
    used = {"\u221a"}  # a root is drawn without its sign being in the text
    for page in Path(app.outdir).rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        words |= set(unescape(_TAG.sub("", text)))
        for formula in _FORMULA.findall(text):
            used |= set(unescape(_TAG.sub("", formula)))
    # A browser draws a letter that stands alone from the italics of the mathematical
    # alphabets.
    italics = {0x210E, *range(0x1D434, 0x1D468), *range(0x1D6E2, 0x1D71C)}
    codes = {ord(sign) for sign in used}
    codes |= {
        code for code in italics if unicodedata.normalize("NFKC", chr(code)) in used
    }
    for whole in Path(app.srcdir, "book", "_assets", "fonts").glob("*.woff2"):
        of_formulas = whole.name.startswith("latinmodern")
        target = Path(app.outdir, "_static", "fonts", whole.name)
        settle_cut(
            whole, target, codes if of_formulas else {ord(sign) for sign in words}
        )


def settle_cut(source, target, codes):
    """Write the font of a file with these characters alone."""
    parts = [
        source.read_bytes(),
        repr(sorted(codes)).encode(),
        Path(__file__).read_bytes(),
    ]
    write_kept(target, parts, lambda path: _cut_font(source, path, codes))


def _cut_font(source, target, codes):
    options = subset.Options(flavor="woff2", layout_features=["*"], notdef_outline=True)
    font = subset.load_font(source, options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=codes)
    subsetter.subset(font)
    subset.save_font(font, target, options)


def setup(app):
    """Register with Sphinx."""
    app.connect("html-page-context", _drop_thebe, priority=900)
    app.connect("html-page-context", _describe_index)
    app.connect("html-page-context", _allow_storage, priority=600)
    app.connect("build-finished", _mend_html)
    app.connect("build-finished", _keep_used_letters)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
