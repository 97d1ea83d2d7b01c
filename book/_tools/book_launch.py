"""Without it the theme's links to Binder and Colab lead to pages that neither can open;
with it, to notebooks that run there.

The address of the repository comes from one setting, EVALKIT_REPOSITORY; without it
there are no links to it.

Leans on the `header_buttons` that the theme gives to its templates.
"""

import csv
import os
from pathlib import Path
from urllib.parse import quote

import nbformat
from book_notebooks import pages_with_cells, repository

IN_BINDER = Path(__file__).resolve().parents[2] / "data" / "measured" / "binder.csv"
# the project with the notebooks of _sources, by the workflow book.yml
NOTEBOOKS_BRANCH = "notebooks"
LIST = "index.ipynb"  # leads to them


def _set_repository(app, config):
    if not repository():
        return  # a link that leads nowhere is worse than none
    address, branch = repository()
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


def in_binder(recorded=IN_BINDER):
    """Return what each page took when `benchmarks/binder.py` ran it, by its name."""
    if not recorded.is_file():
        return {}
    with recorded.open(encoding="utf-8", newline="") as file:
        return {row["page"]: row for row in csv.DictReader(file)}


def _in_colab(file):
    start = repository()[0].replace(
        "https://github.com/", "https://colab.research.google.com/github/"
    )
    return f"{start}/blob/{NOTEBOOKS_BRANCH}/{file}"


def _mend_buttons(app, pagename, templatename, context, doctree):
    """Make the theme's links open a page where it runs."""
    chapter = context.get("sourcename", "").endswith(".md")
    for group in context.get("header_buttons", []):
        if chapter and "buttons" in group:
            # Colab opens no .md file; and the chapters read the docstrings of the
            # pinned packages.
            group["buttons"] = [
                button for button in group["buttons"] if button["text"] != "Colab"
            ]
        for button in group.get("buttons", []):
            if button["text"] == "Binder":
                # On that branch a chapter is a notebook whose sentences have their
                # numbers.
                start = (
                    button["url"].partition("?")[0].removesuffix("/" + repository()[1])
                )
                path = quote(f"notebooks/{pagename}.ipynb", safe="")
                button["url"] = f"{start}/{NOTEBOOKS_BRANCH}?urlpath={path}"
            elif button["text"] == "Colab":
                # Colab has no evalkit: the notebook on that branch fetches it.
                button["url"] = _in_colab(f"{pagename}.ipynb")


def _write_list(app, exception):
    """Write the notebook that leads to the others."""
    if (
        exception is not None
        or app.builder.name != "html"
        or os.environ.get("EVALKIT_PAGE")
    ):
        return
    env, lines = app.env, []

    def add(page, depth):
        if page in pages_with_cells(env):
            title = env.titles[page].astext()
            lines.append(f"{'  ' * depth}- [{title}]({page}.ipynb)")
        for below in env.toctree_includes.get(page, ()):
            add(below, depth + (page != app.config.root_doc))

    add(app.config.root_doc, 0)
    said = "# All pages as notebooks\n\n" + "\n".join(lines)
    cell = nbformat.v4.new_markdown_cell(said, id="list")
    # Else Jupyter asks for one.
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    listed = nbformat.v4.new_notebook(cells=[cell], metadata=kernel)
    nbformat.write(listed, Path(app.outdir, "_sources", LIST))


def _ask_the_handle_system(app, address):
    # Publishers answer 403 to robots. Whether a DOI exists, and leads on, is what the
    # Handle System knows.
    prefix = "https://doi.org/"
    return (
        address.replace(prefix, f"{prefix}api/handles/")
        if address.startswith(prefix)
        else None
    )


def setup(app):
    """Register with Sphinx."""
    app.connect("config-inited", _set_repository)
    app.connect("html-page-context", _mend_buttons, priority=900)
    app.connect("linkcheck-process-uri", _ask_the_handle_system)
    app.connect("build-finished", _write_list, priority=600)  # after the notebooks
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
