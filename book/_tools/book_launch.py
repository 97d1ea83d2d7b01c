"""Ways out of a page: to its source, to Binder and Colab, to a notebook of one's own, to a report.

The address of the repository comes from one setting, EVALKIT_REPOSITORY; without it there are no links to it.
"""

import os
from importlib import metadata
from pathlib import Path
from urllib.parse import quote, urlencode

import jupytext
import nbformat

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


def _ask_the_handle_system(app, address):
    # Publishers answer 403 to robots. Whether a DOI exists, and leads on, is what the Handle System knows.
    prefix = "https://doi.org/"
    return address.replace(prefix, f"{prefix}api/handles/") if address.startswith(prefix) else None


def setup(app):
    """Register with Sphinx."""
    app.connect("config-inited", _set_repository)
    app.connect("html-page-context", _offer_notebook, priority=400)  # before the theme makes its menus
    app.connect("html-page-context", _mend_buttons, priority=900)
    app.connect("linkcheck-process-uri", _ask_the_handle_system)
    app.connect("build-finished", _write_notebooks)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
