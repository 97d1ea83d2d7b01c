"""The hand-outs as pages to print: a sheet, its key, and a sheet of formulas and
quantiles, each on one side of A4.

`python book/_tools/handout_files.py` writes them. Without this a lecturer prints
Markdown, or builds the book.
"""

import re
from html import escape
from pathlib import Path

import book_formulas
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin
from scipy import stats

import evalkit as ek

FOLDER = Path(__file__).resolve().parents[1] / "handouts"
# As they are numbered, and what the file of a sheet begins with.
NAMES = ("seeds", "splits", "items", "board", "search")
_CODE = re.compile(r"^```python\n.*?^```\n", re.DOTALL | re.MULTILINE)
_STYLE = """
@page { size: A4; margin: 15mm 17mm; }
body { font: 11pt/1.45 Georgia, "Times New Roman", serif; color: #000; }
h1 { font-size: 1.5em; margin: 0 0 .5em; }
h2 { font-size: 1.08em; margin: .8em 0 .25em; break-after: avoid; }
p { margin: 0 0 .5em; }
hr { border: 0; border-top: .5pt solid; margin: 1em 0; }
table { border-collapse: collapse; margin: .5em 0; break-inside: avoid; }
th, td { padding: .12em .7em .12em 0; text-align: left; vertical-align: top; }
tr { border-bottom: .25pt solid #888; }
pre { font: .86em/1.35 monospace; margin: .3em 0 .6em; white-space: pre-wrap; }
footer { font-size: .8em; margin-top: 1em; }
math { font-family: "Latin Modern Math", "STIX Two Math", "Cambria Math", math; }
math[display="block"] { margin: .5em 0; }
.key { font-size: 9.6pt; line-height: 1.3; }
.formulas { font-size: 10pt; line-height: 1.3; }
.formulas main { columns: 2; column-gap: 8mm; }
.formulas h1 { column-span: all; }
.formulas table { font-size: .9em; }
@media screen { body { max-width: 176mm; margin: 2em auto; padding: 0 1em; } }
"""


def _page(text, kind, says):
    """Return Markdown as a page to print."""
    parser = MarkdownIt("commonmark").enable("table").use(dollarmath_plugin)
    for rule, display in (("math_inline", False), ("math_block", True)):

        def draw(self, tokens, index, options, env, display=display):
            return book_formulas._mathml(tokens[index].content, display)

        parser.add_render_rule(rule, draw)
    title = re.match("# (.*)", text)[1]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n"
        f'<body class="{kind}">\n<main>\n{parser.render(text)}</main>\n'
        f"<footer>{says} From <em>Showing that one system beats another</em>, under CC"
        " BY 4.0.</footer>\n</body>\n</html>\n"
    )


def quantiles():
    """Return the two-sided quantiles of Student's t, as Markdown."""
    degrees = [*range(1, 31), 40, 50, 60, 80, 100, float("inf")]
    rows = [
        [
            f"{'∞' if d == float('inf') else d}",
            *(f"{stats.t.isf(a / 2, d):.3f}" for a in (0.05, 0.01)),
        ]
        for d in degrees
    ]
    return _beside(["df", "95 %", "99 %"], rows, 3)


def counts():
    """Return for how many items that one of two systems alone has right the fewer are
    few enough, as Markdown.
    """
    rows = []
    for together in [*range(6, 26), 30, 40, 50, 100]:
        few = [
            k
            for k in range(together // 2)
            if ek.mcnemar(together - k, k).pvalue <= 0.05
        ]
        rows.append([str(together), str(max(few))])
    return _beside(["$a + b$", "≤"], rows, 4)


def best_of():
    """Return the expected best of n standard normal draws, as Markdown."""
    sizes = (2, 3, 4, 5, 10, 20, 50, 100)
    cells = [f"{ek.gaussian_expected_max(n):.2f}" for n in sizes]
    return _table(["$n$", *map(str, sizes)], [["$c_n$", *cells]])


def _beside(head, rows, blocks):
    """Return a long table as several blocks side by side."""
    rows = [[f"**{first}**", *others] for first, *others in rows]
    length = -(-len(rows) // blocks)
    side_by_side = [
        [cell for row in rows[start::length] for cell in row] for start in range(length)
    ]
    return _table(head * blocks, side_by_side)


def _table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def pages():
    """Return the text of each page to print, by its path.

    Returns
    -------
    dict of pathlib.Path to str
        A sheet and a key for each hand-out, and `formulas.html`.
    """
    folder, found = FOLDER / "print", {}
    for name in NAMES:
        sheet, key = (
            (FOLDER / name / f"{kind}.md").read_text("utf-8")
            for kind in ("handout", "key")
        )
        found[folder / f"{name}.html"] = _page(sheet, "sheet", "")
        calls = (
            f"The calls that print these numbers are in <code>{name}/key.md</code>, in"
            " the folder of the hand-outs."
        )
        found[folder / "keys" / f"{name}-key.html"] = _page(
            _CODE.sub("", key), "key", calls
        )
    formulas = (FOLDER / "formulas.md").read_text("utf-8")
    for mark, table in (
        ("QUANTILES", quantiles),
        ("COUNTS", counts),
        ("BEST", best_of),
    ):
        formulas = formulas.replace(mark, table())
    found[folder / "formulas.html"] = _page(formulas, "formulas", "")
    return found


def write():
    """Write the pages."""
    for path, text in pages().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
