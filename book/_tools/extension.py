"""What the book needs of Sphinx and no library gives; loaded by _config.yml.

- The cache of executed pages is keyed by evalkit, the data, the requirements, Python and the upstream
  files at hand, not by the cells alone: a changed estimator changes the numbers of a page that was not
  touched.
- Formulas become MathML, which browsers draw without a script.
- The address of the repository comes from one setting, EVALKIT_REPOSITORY.
- Each page with cells can be downloaded as a notebook.
- Addresses at doi.org are checked at the Handle System, not at the publisher's.
- A page with an explorer gets its two scripts, and other pages do not; the one that draws is made from
  vl-convert's copy of Vega-Lite.
- The icons keep those that the pages use, 1 % of them, as script and as font.
"""

import hashlib
import os
import re
import sys
from html import escape
from importlib import metadata
from pathlib import Path
from urllib.parse import quote, urlencode

import jupytext
import nbformat
from docutils import nodes
from latex2mathml.converter import convert
from sphinx.util.math import get_node_equation_number

ROOT = Path(__file__).resolve().parents[2]


# ---------------------------------------------------------------------------------------------
# The cache
# ---------------------------------------------------------------------------------------------


def fingerprint(root=ROOT):
    """Return a hash of all that the cells of a page can see, besides the cells."""
    files = [root / "requirements.txt", root / "constraints.txt"]
    for folder, pattern in (("evalkit", "*.py"), ("data", "*"), ("book", "*.bib")):
        files += (root / folder).rglob(pattern)
    return _hash_of(files, root, sys.version + " ".join(_upstream_here(root)))


def _upstream_here(root):
    """Name the upstream files that are on this machine: a page shows more where it has them."""
    if not (root / "data" / "registry.csv").is_file():
        return []
    from evalkit import sources

    return [key for key in sources.registry().key if sources.place(key)]


def _hash_of(files, root, start=""):
    digest = hashlib.sha256(start.encode())
    for file in sorted(f for f in files if f.is_file() and "__pycache__" not in f.parts):
        digest.update(file.relative_to(root).as_posix().encode() + b"\0")
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]


def _key_the_cache(app, config):
    # A new value also makes Sphinx read every page again: myst-nb declares it as part of the environment.
    config.nb_execution_cache_path = str(ROOT / "_build" / "jupyter_cache" / fingerprint())


def _notice_assets(app, config):
    # Sphinx copies a changed style sheet only if it writes a page; a new value makes it write them all.
    config.book_assets = _hash_of((ROOT / "book" / "_assets").rglob("*"), ROOT)


def _drop_old_caches(app, exception):
    if exception is None:
        current = Path(app.config.nb_execution_cache_path)
        for other in current.parent.iterdir():
            if other != current:
                for file in sorted(other.rglob("*"), reverse=True):
                    file.rmdir() if file.is_dir() else file.unlink()
                other.rmdir()


# ---------------------------------------------------------------------------------------------
# Formulas
# ---------------------------------------------------------------------------------------------


def _mathml(latex, display):
    # Alignment marks and line breaks outside an environment need one.
    if display and ("\\\\" in latex or "&" in latex) and "\\begin" not in latex:
        latex = r"\begin{aligned}" + latex + r"\end{aligned}"
    latex = re.sub(r"\\(begin|end)\{(align|gather|equation)\*?\}", r"\\\1{aligned}", latex)
    mathml = convert(latex, display="block" if display else "inline")
    # The source as an annotation: what a reader copies, and what a test can search for.
    annotation = f'<annotation encoding="application/x-tex">{escape(latex.strip())}</annotation>'
    opening, content = re.match(r"(<math[^>]*>)(.*)</math>$", mathml, re.DOTALL).groups()
    return f"{opening}<semantics>{content}{annotation}</semantics></math>"


def _visit_inline_math(self, node):
    self.body.append(f'<span class="math">{_mathml(node.astext(), display=False)}</span>')
    raise nodes.SkipNode


def _visit_display_math(self, node):
    # It scrolls sideways on a phone, so the keyboard must reach it.
    self.body.append(self.starttag(node, "div", "", CLASS="math math-display", tabindex="0", role="math"))
    if node["number"]:
        number = get_node_equation_number(self, node)
        self.body.append(f'<span class="eqno">({number})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    self.body.append(_mathml(node.astext(), display=True) + "</div>\n")
    raise nodes.SkipNode


# ---------------------------------------------------------------------------------------------
# The repository's address
# ---------------------------------------------------------------------------------------------


NOTEBOOKS_BRANCH = "notebooks"  # the workflow book.yml puts the notebooks of _sources there


def _repository():
    """Return the address and the branch, or None where no address is set."""
    address = os.environ.get("EVALKIT_REPOSITORY", "").rstrip("/")
    return (address, os.environ.get("EVALKIT_BRANCH", "main")) if address else None


def _set_repository(app, config):
    if not _repository():
        return  # a link that leads nowhere is worse than none
    address, branch = _repository()
    launch = {"binderhub_url": "https://mybinder.org", "notebook_interface": "classic"}
    if "github.com" in address:  # Colab knows no other host
        launch["colab_url"] = "https://colab.research.google.com"
    config.html_theme_options = {
        **config.html_theme_options,
        "repository_url": address,
        "repository_branch": branch,
        "use_source_button": True,
        "use_repository_button": True,
        "use_issues_button": True,
        "launch_buttons": launch,
    }


def _mend_buttons(app, pagename, templatename, context, doctree):
    """Make the theme's links open a page where it runs, and a report say which page it is about."""
    chapter = context.get("sourcename", "").endswith(".md")
    for group in context.get("header_buttons", []):
        if chapter and "buttons" in group:
            # Colab opens no .md file; and the chapters read the docstrings of the pinned packages.
            group["buttons"] = [button for button in group["buttons"] if button["text"] != "Colab"]
        for button in group.get("buttons", []):
            if button["text"] == "Binder":
                # By default Jupyter shows a .md file as text.
                start, _, path = button["url"].partition("?urlpath=tree/")
                button["url"] = f"{start}?urlpath=" + quote(f"notebooks/{path}?factory=Notebook", safe="")
            elif button["text"] == "Colab":
                # Colab has no evalkit: the notebook that _write_notebooks wrote fetches it.
                start = button["url"].partition("/blob/")[0]
                button["url"] = f"{start}/blob/{NOTEBOOKS_BRANCH}/{pagename}.ipynb"
            elif button.get("label") == "source-issues-button":
                title = context.get("pagetitle", pagename)
                page = context.get("pageurl") or f"{pagename}.html"
                start, _, asked = button["url"].partition("?")
                # The fields have other names on GitLab than on GitHub.
                fields = ("issue[title]", "issue[description]") if "issue[" in asked else ("title", "body")
                said = (f"{title}: ", f"Page: {title} ({page})\n\nWhat I found:\n")
                button["url"] = start + "?" + urlencode(dict(zip(fields, said, strict=True)), quote_via=quote)
                button["text"] = "Report a problem"
                button["tooltip"] = "Report a problem with this page"


# ---------------------------------------------------------------------------------------------
# Pages as notebooks
# ---------------------------------------------------------------------------------------------


def _with_cells(app):
    return [page for page, given in app.env.metadata.items() if "kernelspec" in given]


def _offer_notebook(app, pagename, templatename, context, doctree):
    """Put .ipynb into the theme's menu of downloads, which has only the source, .md, of a chapter."""
    if pagename in _with_cells(app) and context["sourcename"].endswith(".md"):
        context["ipynb_source"] = f"{pagename}.ipynb"


def _setup_cell():
    address, branch = _repository()
    needs = " ".join(
        f"{name}=={metadata.version(name)}" for name in ("myst-nb", "optuna", "vl-convert-python")
    )
    return f"""\
# Where evalkit is not installed, on Colab say, fetch it with its recorded runs.
import importlib.util
import sys
from pathlib import Path

if importlib.util.find_spec("evalkit") is None:
    !git clone --quiet --depth 1 --branch {branch} {address} evalkit-book
    %pip install --quiet {needs}
    sys.path.insert(0, str(Path("evalkit-book").resolve()))"""


def notebook_of(source):
    """Return a page as a notebook without outputs; those for Colab begin by fetching evalkit."""
    notebook = jupytext.read(source)
    notebook.metadata.pop("jupytext", None)
    if _repository() and Path(source).suffix == ".ipynb":
        notebook.cells.insert(0, nbformat.v4.new_code_cell(_setup_cell()))
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"  # else random: each build would differ
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    nbformat.validate(notebook)
    return notebook


def _write_notebooks(app, exception):
    if exception is None and app.builder.name == "html":
        for page in _with_cells(app):
            target = Path(app.outdir, "_sources", f"{page}.ipynb")
            nbformat.write(notebook_of(app.env.doc2path(page)), target)


# ---------------------------------------------------------------------------------------------
# Addresses on other hosts
# ---------------------------------------------------------------------------------------------


def _ask_the_handle_system(app, address):
    # Publishers answer 403 to robots. Whether a DOI exists, and leads on, is what the Handle System knows.
    prefix = "https://doi.org/"
    return address.replace(prefix, f"{prefix}api/handles/") if address.startswith(prefix) else None


# ---------------------------------------------------------------------------------------------
# What a search engine shows
# ---------------------------------------------------------------------------------------------


def _describe_index(app, pagename, templatename, context, doctree):
    # Sphinx writes this page itself, and the front matter of genindex.md with it is lost.
    if pagename == "genindex":
        text = (
            "The index of the book: its terms and signs, and the functions of evalkit, each with the places "
            "that explain it."
        )
        context["metatags"] = f'<meta name="description" content="{text}" />'


# ---------------------------------------------------------------------------------------------
# Scripts that no page uses
# ---------------------------------------------------------------------------------------------


def _drop_thebe(app, pagename, templatename, context, doctree):
    """Leave out Thebe, which Jupyter Book puts on every page, twice, with an error in the console."""
    context["script_files"] = [
        script
        for script in context.get("script_files", [])
        if "thebe" not in f"{getattr(script, 'filename', script)} {getattr(script, 'attributes', '')}".lower()
    ]


# ---------------------------------------------------------------------------------------------
# Explorers
# ---------------------------------------------------------------------------------------------


def _show_static_explorers(app, config):
    os.environ["EVALKIT_BOOK"] = "1"  # the kernels inherit it


def _add_explorer_scripts(app, pagename, templatename, context, doctree):
    has_one = doctree is not None and any(
        'class="explorer"' in node.astext() for node in doctree.findall(nodes.raw)
    )
    if has_one:
        for script in ("vega.js", "explorer.js"):
            app.add_js_file(script, defer="defer")


def _write_vega(app, exception):
    if exception is None and app.builder.format == "html":
        import vl_convert

        from evalkit.explore import VEGALITE

        bundle = vl_convert.javascript_bundle(vl_version=VEGALITE)
        # A function of its own: its names are not for the page. And no module, which file:// refuses.
        script = f"(() => {{{bundle}}})();"
        (Path(app.outdir) / "_static" / "vega.js").write_text(script, encoding="utf-8")


# ---------------------------------------------------------------------------------------------
# What a reader, or a screen reader, would stumble over
# ---------------------------------------------------------------------------------------------

_MENDED = [
    # A line may break between a formula and the comma after it, or the bracket before it.
    (
        re.compile(r'(\(?)(<span class="math"><math(?:(?!</math>).)*</math></span>)([,.;:!?)’]*)', re.DOTALL),
        lambda m: m[0] if not m[1] + m[3] else f'<span class="together">{m[0]}</span>',
    ),
    # The first page has the name of the book, and would say it twice.
    (re.compile(r"<title>(.+) &#8212; \1</title>"), r"<title>\1</title>"),
    # Pandas heads the corner of a table with nothing.
    (re.compile(r"<th\b([^>]*)>(?:&nbsp;|\s)*</th>"), r"<td\1></td>"),
    # A role that the elements of HTML's own lists may have, and these are others.
    (re.compile(r' role="doc-biblioentry"'), ' role="listitem"'),
    # A label that hides what is written on the button.
    (re.compile(r'<summary aria-label="Toggle hidden content">'), "<summary>"),
    (re.compile(r'(<button class="btn search-button[^>]*?) aria-label="Search"'), r"\1"),
    # A box to tick on paper, not in the browser.
    (
        re.compile(r'<input class="task-list-item-checkbox" disabled="disabled" type="checkbox">'),
        '<span class="task-list-item-checkbox" aria-hidden="true">\u2610</span>',
    ),
]


def _mend_html(app, exception):
    if exception is not None or app.builder.format != "html":
        return
    for page in Path(app.outdir).rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        mended = text
        for pattern, replacement in _MENDED:
            mended = pattern.sub(replacement, mended)
        if mended != text:
            page.write_text(mended, encoding="utf-8")


# ---------------------------------------------------------------------------------------------
# Icons
# ---------------------------------------------------------------------------------------------

_ICON = re.compile(r'"?([a-z0-9-]+)"?:\[\d+,\d+,\[[^\]]*\],"[0-9a-f]+",(?:"[^"]*"|\[[^\]]*\])\],?')


def _keep_used_icons(app, exception):
    script = Path(app.outdir) / "_static" / "scripts" / "fontawesome.js"
    if exception is not None or not script.exists():
        return
    sources = [*Path(app.outdir).rglob("*.html"), *Path(app.outdir).rglob("_static/**/*.js")]
    used = {
        name
        for source in sources
        if source != script
        for name in re.findall(r"\bfa-([a-z0-9-]+)", source.read_text(encoding="utf-8"))
    }
    full = script.read_text(encoding="utf-8")
    kept = _ICON.sub(lambda m: m.group(0) if m.group(1) in used else "", full)
    script.write_text(kept, encoding="utf-8")
    _keep_used_glyphs(Path(app.outdir) / "_static")


def _keep_used_glyphs(static):
    """Cut the icon fonts to what style sheets draw; the icons in the pages themselves are the script's."""
    from fontTools import subset

    # Of the icons' own classes no page makes use: they are for pages without the script.
    rules = [
        rule
        for sheet in static.rglob("*.css")
        for selector, rule in re.findall(r"([^{}]*)\{([^{}]*)\}", sheet.read_text(encoding="utf-8"))
        if ".fa-" not in selector
    ]
    # They stand there as escapes or as themselves, in the area of Unicode that has no letters.
    codes = {int(code, 16) for rule in rules for code in re.findall(r'"\\(f[0-9a-f]{3})', rule)}
    codes |= {ord(sign) for rule in rules for sign in rule if "\ue000" <= sign <= "\uf8ff"}
    for path in (static / "vendor" / "fontawesome" / "webfonts").glob("*.woff2"):
        options = subset.Options(flavor="woff2", notdef_outline=True)
        font = subset.load_font(path, options)
        subsetter = subset.Subsetter(options)
        subsetter.populate(unicodes=codes)
        subsetter.subset(font)
        subset.save_font(font, path, options)


def setup(app):
    """Register with Sphinx."""
    app.add_config_value("book_assets", "", "html", str)
    app.connect("config-inited", _key_the_cache)
    app.connect("config-inited", _notice_assets)
    app.connect("config-inited", _set_repository)
    app.connect("config-inited", _show_static_explorers)
    app.connect("html-page-context", _add_explorer_scripts)
    app.connect("html-page-context", _drop_thebe, priority=900)
    app.connect("html-page-context", _offer_notebook, priority=400)  # before the theme makes its menus
    app.connect("html-page-context", _mend_buttons, priority=900)
    app.connect("html-page-context", _describe_index)
    app.connect("linkcheck-process-uri", _ask_the_handle_system)
    app.connect("build-finished", _drop_old_caches)
    app.connect("build-finished", _write_vega)
    app.connect("build-finished", _write_notebooks)
    app.connect("build-finished", _mend_html)
    app.connect("build-finished", _keep_used_icons)
    app.add_html_math_renderer(
        "mathml",
        inline_renderers=(_visit_inline_math, None),
        block_renderers=(_visit_display_math, None),
    )
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
