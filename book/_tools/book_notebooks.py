"""Each page as a notebook of one's own, beside the page: its code, and its prose with
the numbers in it. Without it there is none to download, in Binder, or for students.

Jupyter knows no glue, no terms and no citations. So what the book's roles stand for is
written out, as it stands on the page: a number as it was computed for it, "Fig. 3.1",
"Potts [2020]", a link to another page as a link to its notebook.

These are a student's notebooks: in the place of a solution is an empty cell, of words
or of code, and after it the check of the answer, where there is one. The teacher's
edition has the solutions. The book-keeping of the pages is in neither.

Leans on the `nb_element` and `cell_index` of myst-nb's nodes.
"""

import ast
import json
import os
import posixpath
import re
from base64 import b64encode
from importlib import metadata
from pathlib import Path

import jupytext
import nbformat
from docutils import nodes
from sphinx import addnodes
from sphinx.util import logging

logger = logging.getLogger(__name__)

_ROLE = re.compile(r"\{([\w:]+)\}`([^`]+)`")
_EXPLICIT = re.compile(r"^(.*\S)\s*<([^<>]+)>$", re.DOTALL)
_FENCE = re.compile(
    r"^(`{3,}|:{3,})\{([\w-]+)\} *([^\n]*)\n(.*?)^\1[ \t]*$\n?",
    re.DOTALL | re.MULTILINE,
)
_LINK = re.compile(r"\[([^\[\]]*)\]\(([\w/.]+)\.md(?:#([\w-]+))?\)")
_ATTRIBUTES = re.compile(r"\[([^\[\]]+)\]\{[#.][^{}]*\}")
_INLINE_MATH = re.compile(r"(?<!\$)\$(?!\$)[^$]+\$")
_OPTIONS = re.compile(r"\A(?:---\n.*?\n---\n|(?::[\w-]+:[^\n]*\n)*)", re.DOTALL)
_DOMAINS = {"cite:t": ("cite", "t"), "cite:p": ("cite", "p"), "eq": ("math", "eq")}


def repository():
    """Return the address and the branch of the project, or None where no address is
    set.
    """
    address = os.environ.get("EVALKIT_REPOSITORY", "").rstrip("/")
    return (address, os.environ.get("EVALKIT_BRANCH", "main")) if address else None


# --------------------------------------------------------------------------------------
# What the roles of a page say
# --------------------------------------------------------------------------------------


class Roles:
    """What each role of one page says in words.

    Parameters
    ----------
    app : sphinx.application.Sphinx
        After the build: the numbers of figures and the citations are known.
    page : str
        Its name in the book.
    values : dict of str to str
        What the page's cells kept for its sentences.
    """

    def __init__(self, app, page, values):
        self.app, self.page, self.values = app, page, values

    def __call__(self, text):
        """Return Markdown whose roles, and links to places in the book, are written
        out.
        """
        text = _LINK.sub(lambda found: self._linked(*found.groups()), text)
        return _ROLE.sub(lambda found: self._said(*found.groups()), text)

    def _linked(self, words, other, anchor):
        env = self.app.env
        place = posixpath.normpath(posixpath.join(posixpath.dirname(self.page), other))
        if anchor and not words:
            words = env.metadata[place]["myst_slugs"][anchor][2]
        return self._to_notebook(words or env.titles[place].astext(), other)

    def _to_notebook(self, words, other):
        place = posixpath.normpath(posixpath.join(posixpath.dirname(self.page), other))
        return (
            f"[{words}]({other}.ipynb)"
            if place in pages_with_cells(self.app.env)
            else words
        )

    def _said(self, role, content):
        if role == "glue:text":
            return self._number(content)
        explicit = _EXPLICIT.match(content)
        words, target = explicit.groups() if explicit else (content, content)
        if role == "term":
            return " ".join(words.split())
        if role not in ("doc", "ref", "numref", *_DOMAINS):
            return f"`{words}`"  # a function
        return self._reference(
            role, words, " ".join(target.split()), explicit is not None
        )

    def _number(self, content):
        name, _, form = content.partition(":")
        value = ast.literal_eval(self.values[name])
        return format(value, form) if form else str(value)

    def _reference(self, role, words, target, explicit):
        env = self.app.env
        domain, kind = _DOMAINS.get(role, ("std", role))
        shown = nodes.inline(words, words)
        asked = addnodes.pending_xref(
            "",
            shown,
            reftype=kind,
            reftarget=target,
            refdomain=domain,
            refexplicit=explicit,
        )
        asked["refdoc"] = self.page
        found = env.get_domain(domain).resolve_xref(
            env, self.page, self.app.builder, kind, target, asked, shown
        )
        if found is None:
            raise ValueError(
                f"{self.page}: the notebook has no words for {{{role}}}`{target}`"
            )
        said = " ".join(found.astext().split())
        address = found.get("refuri", "") if isinstance(found, nodes.reference) else ""
        other = address.partition("#")[0]
        if not other or other == posixpath.basename(self.page) + ".html":
            return said
        return self._to_notebook(said, other.removesuffix(".html"))


def _plain(text, say):
    """Return the Markdown of a cell without what only the book understands."""

    def unfenced(found):
        kind, title, body = (
            found[2],
            found[3].strip(),
            _OPTIONS.sub("", found[4], count=1),
        )
        if kind in ("index", "raw"):
            return ""
        if kind == "math":
            return f"$$\n{body}$$\n"
        body = _plain(body.strip("\n"), lambda inner: inner)
        if kind == "div":
            return f"{body}\n"
        if kind == "admonition":
            body = f"**{title}**\n\n{body}"
        elif kind == "grid-item-card":
            return f"- **{title}.** {' '.join(body.split())}\n"
        elif kind == "grid":
            return f"{body}\n"
        elif kind != "epigraph":
            return found[0]
        # No "> " within.
        body = _INLINE_MATH.sub(lambda formula: " ".join(formula[0].split()), body)
        return "\n".join(f"> {line}".rstrip() for line in body.splitlines()) + "\n"

    # What is fenced by more signs holds what is fenced by fewer.
    text = _FENCE.sub(unfenced, text)
    text = re.sub(r"^(?:\([\w-]+\)=|% .*)\n", "", text, flags=re.MULTILINE)
    text = _ATTRIBUTES.sub(r"\1", text)
    text = re.sub(r"^(\$\$) \([\w-]+\)$", r"\1", text, flags=re.MULTILINE)
    return say(text).strip("\n")


# --------------------------------------------------------------------------------------
# The notebooks
# --------------------------------------------------------------------------------------

# What the page folds, JupyterLab folds: it opens at a click, and runs all the same.
_FOLDED = {"hide-input", "hide-cell", "remove-input", "setup"}
# A check of an answer that is still to be written fails, and the cells after it run.
_CHECK = {"tags": ["check", "raises-exception"]}


def pages_with_cells(env):
    """List the pages that are notebooks."""
    return [page for page, given in env.metadata.items() if "kernelspec" in given]


# This folder is looked into last: a file lab.py beside a notebook is not taken for lab.
_IMPORT = """\
import os
import sys

here = ["", os.getcwd()]
sys.path = [place for place in sys.path if place not in here]
try:
    import evalkit
    import lab
except ModuleNotFoundError as missing:
{otherwise}
finally:
    sys.path += here"""
_SAY = """\
    raise ModuleNotFoundError(
        f"{missing.name} is not installed here. Get the book's folder; in it:"
        "\\n    python -m pip install -r requirements-light.txt -e . -e ./lab"
    ) from None"""


def _first_cell(fetches):
    """Return the cell that imports what comes with the book, or says how to get it."""
    if not fetches:
        does = "# What this notebook needs comes with the book."
        return f"{does}{_where()}\n{_IMPORT.format(otherwise=_SAY)}"
    address, branch = repository()
    needs = " ".join(
        f"{name}=={metadata.version(name)}"
        for name in ("myst-nb", "optuna", "ipywidgets")
    )
    fetch = f"""\
    !git clone --quiet --depth 1 --branch {branch} {address} evalkit-book
    %pip install --quiet {needs} -e evalkit-book -e evalkit-book/lab
    sys.path.insert(0, os.path.abspath("evalkit-book"))  # for this kernel, which runs already"""
    does = "# Where the book is not installed, on Colab say, fetch it with what ran for it."
    return f"{does}\n{_IMPORT.format(otherwise=fetch)}"


def _where():
    address = repository()
    return f" Its folder: git clone {address[0]}" if address else ""


def notebook_of(source, say=None, number=None, *, solved=False, outputs=None):
    """Return a page as a notebook, which begins by importing evalkit and lab, or, for
    Colab, by fetching them.

    Parameters
    ----------
    source : path
        The page, MyST Markdown or a notebook.
    say : callable, optional
        Writes out the roles of a Markdown text; without it the prose stays as it is.
    number : callable, optional
        Maps the name of a figure to "Fig. 3.1".
    solved : bool
        Whether it has the solutions, or empty cells.
    outputs : dict of int to list, optional
        What cells show, by their place on the page.

    Returns
    -------
    nbformat.NotebookNode
    """
    notebook = jupytext.read(source)
    notebook.metadata.pop("jupytext", None)
    notebook.metadata.pop("myst", None)
    cells, outputs = [], outputs or {}
    for place, cell in enumerate(notebook.cells):
        tags = cell.metadata.get("tags", ())
        if "check" in tags:
            cells.append(nbformat.v4.new_code_cell(cell.source, metadata=_CHECK))
        elif "solution" in tags and not solved:
            cells[-1] = nbformat.v4.new_code_cell()  # of the words, or of code already
        elif "remove-cell" in tags:
            continue
        elif cell.cell_type == "code":
            cell.outputs, cell.execution_count = outputs.get(place, []), None
            options = cell.metadata.pop("mystnb", {})
            if _FOLDED.intersection(tags):
                cell.metadata["jupyter"] = {"source_hidden": True}
            cells.append(cell)
            figure = options.get("figure")
            if figure and say:
                name = number(figure["name"]) + ". " if "name" in figure else ""
                cells.append(
                    nbformat.v4.new_markdown_cell(
                        f"*{name}{say(figure['caption']).strip()}*"
                    )
                )
        else:
            for words, is_solution in _parts(cell.source):
                if is_solution and not solved:
                    cells.append(nbformat.v4.new_markdown_cell())
                elif text := _plain(words, say) if say else words.strip("\n"):
                    cells.append(nbformat.v4.new_markdown_cell(text))
    fetches = repository() and Path(source).suffix == ".ipynb"
    cells.insert(0, nbformat.v4.new_code_cell(_first_cell(fetches)))
    for place, cell in enumerate(cells):
        cell.id = f"cell-{place}"  # else random: each build would differ
    notebook.cells = cells
    nbformat.validate(notebook)
    return notebook


def _parts(text):
    """Yield the Markdown between solutions, and the solutions, with whether they
    are.
    """
    start = 0
    for fence in _FENCE.finditer(text):
        if (fence[2], fence[3].strip()) == ("admonition", "Solution"):
            yield text[start : fence.start()], False
            yield fence[0], True
            start = fence.end()
    yield text[start:], False


def _kept(app, page):
    """Return what the cells of a page kept for its sentences, by name, as Python writes
    it.
    """
    # The cache has no page that each build runs anew, and a build of every page has no
    # cache.
    file = Path(app.env.mystnb_config.output_folder, f"{page}.glue.json")
    kept = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    return {name: output["data"]["text/plain"] for name, output in kept.items()}


def outputs_of(app, page):
    """Return what the cells of a page show, for who only reads the notebook.

    Parameters
    ----------
    app : sphinx.application.Sphinx
        After the build.
    page : str

    Returns
    -------
    dict of int to list of nbformat.NotebookNode
        By the place of the cell on the page; of an explorer its picture.
    """
    shown = {}
    for cell in app.env.get_doctree(page).findall(nodes.container):
        if cell.get("nb_element") == "cell_code":
            parts = list(cell.findall(_is_shown))
            shown[cell["cell_index"]] = [_output(app, part) for part in parts]
    return shown


def _is_shown(node):
    is_stream = isinstance(node, nodes.literal_block) and "stream" in node["classes"]
    return is_stream or (
        isinstance(node, nodes.container) and node.get("nb_element") == "mime_bundle"
    )


def _output(app, part):
    if isinstance(part, nodes.literal_block):
        return nbformat.v4.new_output("stream", text=part.astext())
    data = {}
    for of_kind in part.children:
        kind, node = of_kind["mime_type"], of_kind.children[0]
        if isinstance(node, nodes.image):
            content = Path(app.srcdir, node["uri"]).read_bytes()
            is_text = kind == "image/svg+xml"
            data[kind] = (content if is_text else b64encode(content)).decode()
        else:
            data[kind] = node.astext()
    if 'class="play"' in data.get("text/html", ""):
        picture = re.search(r"<svg.*?</svg>", data["text/html"], re.DOTALL)[0]
        data = {"image/svg+xml": picture}
    return nbformat.v4.new_output("display_data", data)


def _write_notebooks(app, exception):
    if exception is not None or app.builder.name != "html":
        return
    alone, edition = (os.environ.get(f"EVALKIT_{name}") for name in ("PAGE", "EDITION"))
    for page in pages_with_cells(app.env):
        if alone not in ("", None, page):
            continue
        source = Path(app.env.doc2path(page))
        say = Roles(app, page, _kept(app, page))
        words = say, lambda name, say=say: say(f"{{numref}}`{name}`")
        target = Path(app.outdir, "_sources", f"{page}.ipynb")
        # Those to hand out are to be run.
        outputs = None if edition else outputs_of(app, page)
        solved = edition == "teacher"
        written = notebook_of(source, *words, solved=solved, outputs=outputs)
        nbformat.write(written, target)
        if edition == "student" and source.suffix == ".md":
            jupytext.write(
                notebook_of(source), target.with_suffix(".md"), fmt="md:myst"
            )


def _offer_notebook(app, pagename, templatename, context, doctree):
    """Put .ipynb into the theme's menu of downloads, which has only the source, .md, of
    a chapter.
    """
    if pagename in pages_with_cells(app.env) and context["sourcename"].endswith(".md"):
        context["ipynb_source"] = f"{pagename}.ipynb"


def setup(app):
    """Register with Sphinx."""
    # Before the theme makes its menus.
    app.connect("html-page-context", _offer_notebook, priority=400)
    app.connect("build-finished", _write_notebooks)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
