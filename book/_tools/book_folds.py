"""Where the code of a page stands: below what it makes, in the fold of its solution, or
at the page's end. Without it readers meet the set-up before the first sentence.

The order in which cells run is that of the source, in which the page can be downloaded,
too; only what is shown is rearranged. What keeps and checks the numbers of the
sentences is folded at the end, too. The student's edition has no solutions and no keys.
A page that was built without torch says once which of its results are recorded
(lab.light).

Leans on `myst_nb.sphinx_.HideCodeCellNode` and on the `nb_element` of myst-nb's nodes,
none of them documented.
"""

import json
import os
from importlib import util

import jupytext
from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

from lab import light

SET_UP = "Run this first if you copy code from this page."
KEPT = (
    "What the sentences say, from what the cells above have computed: their numbers are"
    " kept here, and a sentence that no longer holds fails the page."
)
RECORDED = "Built without torch: what has the mark ° needs it, and is recorded."
_KEYS = "handouts/print/keys/"
_log = logging.getLogger(__name__)


class Unsearched(nodes.General, nodes.Element):
    """HTML in which the search finds nothing: there, names of variables."""


class PlaceCode(SphinxPostTransform):
    """Move the code of solutions and of the set-up, and label what is folded."""

    default_priority = 200  # after myst-nb has folded what is hidden
    formats = ("html",)

    def run(self, **kwargs):
        """Rearrange one page."""
        cells = [
            n
            for n in self.document.findall(nodes.container)
            if n.get("nb_element") == "cell_code"
        ]
        if util.find_spec("torch") is None:
            _mark_recorded(self.document, self.env.docname, cells)
        set_up = []
        for cell in cells:
            tags = cell["cell_metadata"].get("tags", ())
            if "solution" in tags:
                _put_into_solution(cell)
            elif "setup" in tags:
                if _outputs(cell):
                    _log.warning(
                        "a cell tagged setup must show nothing: it is moved to the end",
                        location=cell,
                    )
                set_up.append(cell)
            else:
                _label(cell)
        student = os.environ.get("EVALKIT_EDITION") == "student"
        if set_up:
            for cell in set_up:
                cell.parent.remove(cell)
            _put_at_end(
                self.document,
                "Set-up",
                SET_UP,
                [node for cell in set_up for node in _sources(cell)],
            )
        kept = _kept(self.env.doc2path(self.env.docname))
        if kept and not student:
            highlight = self.app.builder.highlighter.highlight_block
            cells = [Unsearched(html=highlight(kept, "python"))]
            _put_at_end(self.document, "Numbers in the text", KEPT, cells)
        if student:
            for solution in list(
                filter(_is_solution, self.document.findall(nodes.Admonition))
            ):
                solution.parent.remove(solution)


def _sources(cell):
    return [
        n
        for n in cell.findall(nodes.container)
        if n.get("nb_element") == "cell_code_source"
    ]


def _outputs(cell):
    return [
        n
        for n in cell.findall(nodes.container)
        if n.get("nb_element") == "cell_code_output"
    ]


def _mark_recorded(document, page, cells):
    """Mark each cell that shows its record, and say at the top of the page what the
    mark means.
    """
    record = light.PAGES / f"{page.partition('/')[2]}.json"
    if not record.exists():
        return
    recorded = json.loads(record.read_text(encoding="utf-8"))["cells"]
    for cell in cells:
        sources = [light.cell_key(node.astext()) for node in _sources(cell)]
        if _outputs(cell) and recorded.keys() & {*sources}:
            cell["classes"].append("recorded")
    if any("recorded" in cell["classes"] for cell in cells):
        title = next(document.findall(nodes.title))
        note = nodes.paragraph(text=RECORDED, classes=["recorded-note"])
        title.parent.insert(title.parent.index(title) + 1, note)


def _put_into_solution(cell):
    """Move a cell into the solution just before it, unfolded: the solution is the
    fold.
    """
    siblings = cell.parent.children[: cell.parent.index(cell)]
    before = [node for node in siblings if not isinstance(node, nodes.comment)][-1:]
    cell.children = [*_sources(cell), *_outputs(cell)]
    for child in cell.children:
        child.parent = cell
    if before and _is_solution(before[0]):
        cell.parent.remove(cell)
        before[0].append(cell)
    else:
        _log.warning(
            "a cell tagged solution must follow an admonition 'Solution'", location=cell
        )


def _is_solution(node):
    return (
        isinstance(node, nodes.Admonition)
        and "dropdown" in node["classes"]
        and isinstance(node[0], nodes.title)
        and node[0].astext() in ("Solution", "Keys")
    )


def _kept(path):
    """Return the code of the cells that are on no page; checks are in the exercises."""
    cells = [(c.source, c.metadata.get("tags", ())) for c in jupytext.read(path).cells]
    return "\n\n".join(
        code for code, tags in cells if "remove-cell" in tags and "check" not in tags
    )


def _put_at_end(document, name, words, cells):
    """Fold code at the end of the page, in no section and with no number."""
    fold = HideCodeCellNode(prompt_show=name, prompt_hide=name, classes=["above-input"])
    fold += nodes.paragraph(text=words)
    fold += nodes.container("", *cells, classes=["cell"])
    page = next(document.findall(nodes.section), document)
    page += nodes.container("", fold, classes=["cell", "setup"])


def _label(cell):
    """Say what is folded, and put it after what it makes: the figure is what a reader
    came for.
    """
    for fold in list(cell.findall(HideCodeCellNode)):
        if not _sources(fold):
            continue
        label = cell["cell_metadata"].get("mystnb", {}).get("code_prompt_show")
        if not label and _outputs(fold):
            label = "Code and result"
        elif not label and next(cell.findall(nodes.image), None):
            label = "Code of this figure"
        label = label or "Code"
        fold["prompt_show"] = fold["prompt_hide"] = label
        cell.remove(fold)
        cell += fold


def _leave_out_keys(app, env):
    """Copy no key of a hand-out into the student's edition."""
    if os.environ.get("EVALKIT_EDITION") == "student":
        for file in [file for file in env.dlfiles if _KEYS in file]:
            del env.dlfiles[file]


def setup(app):
    """Register with Sphinx."""
    app.add_post_transform(PlaceCode)
    app.connect("env-check-consistency", _leave_out_keys)
    app.add_node(
        Unsearched,
        html=(
            lambda writer, node: writer.body.append(node["html"]),
            lambda writer, node: None,
        ),
    )
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
