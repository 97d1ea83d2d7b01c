"""The table of the pages on the status page: a title and a time each, and what the page
took in Binder.

myst-nb's own adds when and how, and a tick; but a page that failed is in no book.
"""

from book_launch import in_binder
from docutils import nodes
from myst_nb.ext.execution_tables import ExecutionStatsNode
from myst_nb.sphinx_ import NbMetadataCollector
from sphinx.transforms.post_transforms import SphinxPostTransform


class PageTimes(SphinxPostTransform):
    """Write the table in the place of `nb-exec-table`."""

    default_priority = 7  # before myst-nb's own

    def run(self, **kwargs):
        """Replace each of them."""
        for node in list(self.document.findall(ExecutionStatsNode)):
            node.replace_self(self._table())

    def _table(self):
        found = NbMetadataCollector.get_doc_data(self.env)
        times = {
            page: found.get(page, {}).get("exec_data", {}).get("runtime")
            for page in self._in_order()
        }
        binder = in_binder()
        rows = []
        for page, time in times.items():
            if time:
                there = binder.get(
                    page, dict.fromkeys(("mib", "kernel_seconds", "fault"), "")
                )
                took = (there["fault"] or there["kernel_seconds"], there["mib"])
                rows.append(
                    (self._link(page), *map(nodes.Text, (f"{time:.1f}", *took)))
                )
        heads = ("page", "seconds", "seconds in Binder", "MiB in Binder")
        group = nodes.tgroup(
            "", *(nodes.colspec(colwidth=1) for _ in heads), cols=len(heads)
        )
        group += nodes.thead("", _row(map(nodes.Text, heads)))
        group += nodes.tbody("", *map(_row, rows))
        return nodes.table("", group, classes=["colwidths-auto", "times"])

    def _in_order(self):
        """List the pages as the contents do."""
        pages = [self.config.root_doc]
        for page in pages:  # grows by those below
            pages += [
                below
                for below in self.env.toctree_includes.get(page, ())
                if below not in pages
            ]
        return pages

    def _link(self, page):
        address = self.app.builder.get_relative_uri(self.env.docname, page)
        return nodes.reference(
            "", self.env.titles[page].astext(), internal=True, refuri=address
        )


def _row(cells):
    return nodes.row(
        "", *(nodes.entry("", nodes.paragraph("", "", cell)) for cell in cells)
    )


def setup(app):
    """Register with Sphinx."""
    app.add_post_transform(PageTimes)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
