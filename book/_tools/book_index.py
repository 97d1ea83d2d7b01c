"""The index of the reference names what its pages have. Without it `book/api.md` keeps
each name a second time.
"""

import importlib
import re
from pathlib import Path

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


def setup(app):
    """Register with Sphinx."""
    app.connect("source-read", _list_names)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
