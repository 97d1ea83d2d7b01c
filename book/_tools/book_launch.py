"""Ways out of a page: to its source, to Binder and Colab, to a report.

The address of the repository comes from one setting, EVALKIT_REPOSITORY; without it there are no links to it.
"""

import csv
from pathlib import Path
from urllib.parse import quote, urlencode

from book_notebooks import repository

IN_BINDER = Path(__file__).resolve().parents[2] / "data" / "measured" / "binder.csv"
NOTEBOOKS_BRANCH = "notebooks"  # the project with the notebooks of _sources, by the workflow book.yml


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


def _promise(row):
    """Say on the link, and in its tooltip, what a reader may expect of a page in Binder."""
    if row is None:
        return "Binder", "Launch on Binder, where nobody has run this page yet"
    if row["fault"]:
        return "Binder: does not run", f"Binder opens this page but cannot run it: {row['fault']}"
    took = f"{float(row['kernel_seconds']):.0f} s on one core and {row['mib']} MiB of memory"
    return "Binder", f"Launch on Binder, where all cells together take {took}"


def _mend_buttons(app, pagename, templatename, context, doctree):
    """Make the theme's links open a page where it runs, and a report say which page it is about."""
    chapter = context.get("sourcename", "").endswith(".md")
    for group in context.get("header_buttons", []):
        if chapter and "buttons" in group:
            # Colab opens no .md file; and the chapters read the docstrings of the pinned packages.
            group["buttons"] = [button for button in group["buttons"] if button["text"] != "Colab"]
        for button in group.get("buttons", []):
            if button["text"] == "Binder":
                # On that branch a chapter is a notebook whose sentences have their numbers.
                start = button["url"].partition("?")[0].removesuffix("/" + repository()[1])
                path = quote(f"notebooks/{pagename}.ipynb", safe="")
                button["url"] = f"{start}/{NOTEBOOKS_BRANCH}?urlpath={path}"
                button["text"], button["tooltip"] = _promise(in_binder().get(pagename))
            elif button["text"] == "Colab":
                # Colab has no evalkit: the notebook on that branch fetches it.
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


def _ask_the_handle_system(app, address):
    # Publishers answer 403 to robots. Whether a DOI exists, and leads on, is what the Handle System knows.
    prefix = "https://doi.org/"
    return address.replace(prefix, f"{prefix}api/handles/") if address.startswith(prefix) else None


def setup(app):
    """Register with Sphinx."""
    app.connect("config-inited", _set_repository)
    app.connect("html-page-context", _mend_buttons, priority=900)
    app.connect("linkcheck-process-uri", _ask_the_handle_system)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
