"""The index of the reference names what its pages have, and an entry of the general
index leads to a section. Without it `book/api.md` keeps each name a second time, and
the search cannot say of which section an entry is.
"""

import importlib
import re
from pathlib import Path

from docutils import nodes
from sphinx import addnodes

_PAGE = re.compile(r"(?m)^\{doc\}`evalkit\.\w+ <(api/\w+)>`.*$")
_BLOCK = """

```{{eval-rst}}
.. currentmodule:: {module}
.. autosummary::
   :nosignatures:

   {names}
```"""


def names_on(page):
    """Return the names that a page has, in its order, below `evalkit` or its module.

    Parameters
    ----------
    page : str
        Its source.
    """
    (base,) = re.findall(r"currentmodule:: (\S+)", page) or ["evalkit"]
    found = re.findall(r"(?m)^\.\. auto(?:function|class):: (\S+)", page)
    for module, names in re.findall(r"automodule:: (\S+)\n   :members: ?(.*)", page):
        own = names.split(", ") if names else importlib.import_module(module).__all__
        found += [f"{module}.{name}" for name in own]
    return base, [name.removeprefix(f"{base}.") for name in found]


def _list_names(app, docname, source):
    """Put below each line of a page of evalkit what the page has."""
    if docname != "book/api":
        return

    def listed(line):
        file = Path(app.srcdir, "book", f"{line[1]}.md")
        app.env.note_dependency(str(file))
        module, names = names_on(file.read_text("utf-8"))
        return line[0] + _BLOCK.format(module=module, names="\n   ".join(names))

    source[0] = _PAGE.sub(listed, source[0])


def _lead_to_sections(app, doctree):
    """Let the entries of a page lead to the section that they are before, or within."""

    def counts(node):
        return not isinstance(node, (addnodes.index, nodes.target, nodes.comment))

    section_of = {}
    for mark in doctree.findall(addnodes.index):
        after = mark.next_node(counts, descend=False, siblings=True, ascend=True)
        section = after if isinstance(after, nodes.section) else mark.parent
        while section and not isinstance(section, nodes.section):
            section = section.parent
        for _, _, target, *_ in mark["entries"]:
            section_of[target] = section["ids"][0] if section else target
        # The search takes them from here, the printed index from below.
        mark["entries"] = [
            (kind, words, section_of[target], *rest)
            for kind, words, target, *rest in mark["entries"]
        ]
    entries = app.env.get_domain("index").entries
    entries[app.env.docname] = [
        (kind, words, section_of.get(target, target), *rest)
        for kind, words, target, *rest in entries.get(app.env.docname, [])
    ]


def setup(app):
    """Register with Sphinx."""
    app.connect("source-read", _list_names)
    app.connect("doctree-read", _lead_to_sections)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
