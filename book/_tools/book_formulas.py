"""Formulas become MathML, which browsers draw without a script; without it each page
fetches MathJax from another host.
"""

import re
from html import escape

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.util.math import get_node_equation_number


def _mathml(latex, display):
    # Alignment marks and line breaks outside an environment need one.
    if display and ("\\\\" in latex or "&" in latex) and "\\begin" not in latex:
        latex = r"\begin{aligned}" + latex + r"\end{aligned}"
    latex = re.sub(
        r"\\(begin|end)\{(align|gather|equation)\*?\}", r"\\\1{aligned}", latex
    )
    mathml = convert(latex, display="block" if display else "inline")
    # The source as an annotation: what a reader copies, and what a test can search for.
    annotation = (
        f'<annotation encoding="application/x-tex">{escape(latex.strip())}</annotation>'
    )
    opening, content = re.match(
        r"(<math[^>]*>)(.*)</math>$", mathml, re.DOTALL
    ).groups()
    return f"{opening}<semantics>{content}{annotation}</semantics></math>"


def _visit_inline_math(self, node):
    self.body.append(
        f'<span class="math">{_mathml(node.astext(), display=False)}</span>'
    )
    raise nodes.SkipNode


def _visit_display_math(self, node):
    # It scrolls sideways on a phone, so the keyboard must reach it.
    self.body.append(
        self.starttag(
            node, "div", "", CLASS="math math-display", tabindex="0", role="math"
        )
    )
    if node["number"]:
        number = get_node_equation_number(self, node)
        self.body.append(f'<span class="eqno">({number})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    self.body.append(_mathml(node.astext(), display=True) + "</div>\n")
    raise nodes.SkipNode


def setup(app):
    """Register with Sphinx."""
    app.add_html_math_renderer(
        "mathml",
        inline_renderers=(_visit_inline_math, None),
        block_renderers=(_visit_display_math, None),
    )
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
