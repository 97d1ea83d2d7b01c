"""A page gets the scripts of what is on it; without it no figure plays."""

import itertools

from docutils import nodes

from evalkit.explore._play import SCRIPTS as PLAY_SCRIPTS

# By what a page's own HTML has, in the order in which they are run.
SCRIPTS = {
    'class="play"': PLAY_SCRIPTS,
    'class="which-test"': (
        "statistics.js",
        "score.js",
        "printed.js",
        "read_scores.js",
        "answers.js",
        "which_test.js",
    ),
}


def _add_scripts(app, pagename, templatename, context, doctree):
    if doctree is None:
        return
    own = [node.astext() for node in doctree.findall(nodes.raw)]
    wanted = [
        scripts
        for mark, scripts in SCRIPTS.items()
        if any(mark in html for html in own)
    ]
    if PLAY_SCRIPTS in wanted:
        app.add_css_file("play.css")
    for script in dict.fromkeys(itertools.chain(*wanted)):
        app.add_js_file(script, defer="defer")


def setup(app):
    """Register with Sphinx."""
    app.connect("html-page-context", _add_scripts)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
