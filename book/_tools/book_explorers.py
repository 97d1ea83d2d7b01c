"""A page gets the scripts of what is on it; without it no figure plays."""

import itertools
from pathlib import Path

import vl_convert
from docutils import nodes
from keep import write_kept

from evalkit.explore import VEGALITE
from evalkit.explore._play import SCRIPTS as PLAY_SCRIPTS

# By what a page's own HTML has, in the order in which they are run. Vega is loaded by
# the first touch.
SCRIPTS = {
    'class="explorer"': ("controls.js", "explorer.js"),
    'class="play"': PLAY_SCRIPTS,
    'class="your-scores"': (
        "statistics.js",
        "score.js",
        "read_scores.js",
        "your_scores.js",
    ),
    'class="which-test"': ("which_test.js",),
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


def _write_vega(app, exception):
    if exception is None and app.builder.format == "html":
        parts = [
            VEGALITE.encode(),
            vl_convert.__version__.encode(),
            Path(__file__).read_bytes(),
        ]
        write_kept(Path(app.outdir) / "_static" / "vega.js", parts, _bundle_vega)


def _bundle_vega(target):
    # vl-convert's own copy of Vega-Lite, so that the page draws as the starting figure
    # was drawn.
    bundle = vl_convert.javascript_bundle(vl_version=VEGALITE)
    # A function of its own: its names are not for the page. And no module, which
    # file:// refuses.
    target.write_text(f"(() => {{{bundle}}})();", encoding="utf-8")


def setup(app):
    """Register with Sphinx."""
    app.connect("html-page-context", _add_scripts)
    app.connect("build-finished", _write_vega)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
