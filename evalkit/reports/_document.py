"""A page as a list of blocks of plain text, and how they are written: HTML, Markdown, LaTeX.

Every word of a file comes through here and is escaped here, and nowhere else. No block
holds markup, but for the figure, which is drawn by `evalkit.reports._figure` and
escapes its own words.
"""

import re
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True)
class Block:
    """A part of a page: a title, heading, lead, paragraph, note, list, ticks, table,
    code or figure.
    """

    kind: str
    # of a table its caption; of a figure what it shows, for those who do not see it
    text: str = ""
    # strings; of ticks pairs of (whether it is ticked, string); of a table its rows
    rows: tuple = ()
    head: tuple = ()  # the names of a table's columns
    body: str = ""  # code, or an SVG image


def block(kind, text="", rows=(), head=(), body=""):
    """Return a block, its rows as tuples."""
    return Block(
        kind,
        text,
        tuple(tuple(r) if isinstance(r, list) else r for r in rows),
        tuple(head),
        body,
    )


# --------------------------------------------------------------------------------------
# HTML
# --------------------------------------------------------------------------------------

# No script runs and nothing is loaded, whatever stands in a file.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_STYLE = """
.evalkit-report{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:0 auto;padding:1rem;overflow-wrap:anywhere}
.evalkit-report h1,.evalkit-report h3{font-size:1.5rem;line-height:1.25}
.evalkit-report h2,.evalkit-report h4{font-size:1.15rem;margin-top:2.2rem;border-bottom:1px solid #8888;padding-bottom:.2rem}
.evalkit-report .lead{font-size:1.15rem}
.evalkit-report .note{border-left:.3rem solid #b35900;padding:.2rem .8rem;margin-left:0}
.evalkit-report .wide{overflow-x:auto}
.evalkit-report table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}
.evalkit-report th,.evalkit-report td{text-align:left;overflow-wrap:normal;padding:.25rem .8rem .25rem 0;vertical-align:top;border-bottom:1px solid #8884}
.evalkit-report td:first-child{overflow-wrap:anywhere;min-width:9rem}
.evalkit-report caption{text-align:left;max-width:min(44rem,calc(100vw - 3.5rem));font-size:.9rem;padding-bottom:.3rem}
.evalkit-report pre{overflow-x:auto;padding:.7rem;border:1px solid #8886;font-size:.85rem}
.evalkit-report figure{margin:1rem 0;overflow-x:auto}.evalkit-report figure svg{max-width:100%;min-width:30rem;height:auto;background:#fff}
.evalkit-report .option{white-space:nowrap}
@media screen and (max-width:40rem){
.evalkit-report thead{display:none}.evalkit-report table,.evalkit-report caption,.evalkit-report tbody,.evalkit-report tr{display:block}
.evalkit-report tr{border-bottom:1px solid #8888;padding:.4rem 0}
.evalkit-report td{display:grid;grid-template-columns:8rem 1fr;gap:.6rem;border:0;padding:.1rem 0;overflow-wrap:anywhere}
.evalkit-report td:empty{display:none}.evalkit-report td::before{content:attr(data-head);font-weight:600}}
@media print{.evalkit-report{max-width:none}}
"""


def to_html(blocks, title, *, whole=True):
    """Write blocks as HTML."""
    parts = "".join(_html(part, 1 if whole else 3) for part in blocks)
    body = f'<article class="evalkit-report"><style>{_STYLE}</style>{parts}</article>'
    if not whole:
        return body
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title></head><body>{body}</body></html>\n"
    )


_NAMED_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
_BREAKABLE = re.compile(r"(?<=\d) (?=%)|(?<=&lt;) (?=\d)")


def _escaped(text):
    """Escape text for HTML; no name of an option is broken at its hyphens, nor 95 % or
    < 0.05 at a space.
    """
    return _BREAKABLE.sub(
        "\xa0", _NAMED_OPTION.sub(r'<span class="option">\g<0></span>', escape(text))
    )


def _html(part, top):
    text = _escaped(part.text)
    if part.kind in ("title", "heading"):
        tag = f"h{top + (part.kind == 'heading')}"
        return f"<{tag}>{text}</{tag}>\n"
    if part.kind in ("lead", "paragraph", "note"):
        return f'<p class="{part.kind}">{text}</p>\n'
    if part.kind == "list":
        return (
            "<ul>"
            + "".join(f"<li>{_escaped(row)}</li>" for row in part.rows)
            + "</ul>\n"
        )
    if part.kind == "code":
        return f'<pre tabindex="0"><code>{escape(part.body)}</code></pre>\n'
    if part.kind == "figure":
        return (
            f'<figure role="img" aria-label="{escape(part.text)}"'
            f' tabindex="0">{part.body}</figure>\n'
        )
    head = "".join(f'<th scope="col">{_escaped(name)}</th>' for name in part.head)
    named = [f'<td data-head="{escape(name)}">' for name in part.head]
    cells = [
        [f"{td}{_escaped(str(c))}</td>" for td, c in zip(named, row, strict=True)]
        for row in part.rows
    ]
    rows = "".join(f"<tr>{''.join(row)}</tr>" for row in cells)
    region = (
        '<div class="wide" tabindex="0" role="region"'
        f' aria-label="{escape(part.text)}">'
    )
    body = f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody>"
    return f"{region}<table><caption>{text}</caption>{body}</table></div>\n"


# --------------------------------------------------------------------------------------
# Markdown
# --------------------------------------------------------------------------------------

_TICKS = re.compile("`+")
_MARKS = re.compile(r"([\\`*_\[\]<>|#~$!&@])")


def _escaped_markdown(text):
    """Escape what Markdown, and HTML within it, would take for markup; a @ would call
    somebody.
    """
    entities = {"<": "&lt;", ">": "&gt;", "&": "&amp;", "@": "&#64;"}
    return _MARKS.sub(lambda m: entities.get(m[1], "\\" + m[1]), text)


def to_markdown(blocks):
    """Write blocks as Markdown, without the figure."""
    return "\n".join(filter(None, map(_markdown, blocks))) + "\n"


_MARKDOWN = {
    "title": "# {}\n",
    "heading": "## {}\n",
    "lead": "**{}**\n",
    "paragraph": "{}\n",
    "note": "> {}\n",
}


def _markdown(part):
    text = _escaped_markdown(part.text)
    if part.kind in _MARKDOWN:
        return _MARKDOWN[part.kind].format(text)
    if part.kind == "list":
        return "".join(f"- {_escaped_markdown(row)}\n" for row in part.rows)
    if part.kind == "ticks":
        return "".join(
            f"- [{'x' if done else ' '}] {_escaped_markdown(row)}\n"
            for done, row in part.rows
        )
    if part.kind == "code":
        fence = "`" * max(3, 1 + max(map(len, _TICKS.findall(part.body)), default=0))
        return f"{fence}\n{part.body}\n{fence}\n"
    if part.kind == "figure":
        return ""
    lines = [
        "| " + " | ".join(map(_escaped_markdown, part.head)) + " |",
        "|" + " --- |" * len(part.head),
    ]
    lines += [
        "| " + " | ".join(_escaped_markdown(str(cell)) for cell in row) + " |"
        for row in part.rows
    ]
    return "\n".join([f"{text}\n", *lines, ""])


# --------------------------------------------------------------------------------------
# LaTeX
# --------------------------------------------------------------------------------------

_LATEX = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "\u2212": "$-$",
    # At the beginning of a row they would be an argument.
    "[": "{[}",
    "*": "{*}",
}


def _escaped_latex(text):
    return "".join(_LATEX.get(sign, sign) for sign in str(text))


def to_latex(paragraphs, table):
    """Write what goes into a paper as LaTeX: paragraphs, and a table (booktabs)."""
    rows = [
        " & ".join(map(_escaped_latex, row)) + r" \\"
        for row in (table.head, *table.rows)
    ]
    words = [_escaped_latex(words) + "\n" for words in paragraphs]
    top = ["% Needs \\usepackage{booktabs}.", *words]
    begin = [
        r"\begin{table}",
        f"\\begin{{tabular}}{{{'l' * len(table.head)}}}",
        r"\toprule",
    ]
    end = [
        r"\bottomrule",
        r"\end{tabular}",
        f"\\caption{{{_escaped_latex(table.text)}.}}",
    ]
    lines = [*top, *begin, rows[0], r"\midrule", *rows[1:], *end, r"\end{table}"]
    return "\n".join(lines) + "\n"
