"""Whom to cite: the sources of what a report calls, as BibTeX; the book reads the same file."""

import functools
import re
from importlib import resources

_ENTRY = re.compile(r"^@\w+\{(\w+),.*?^\}", re.DOTALL | re.MULTILINE)


@functools.cache
def entries():
    """Return the entries of `sources.bib` by key."""
    text = resources.files(__package__).joinpath("sources.bib").read_text(encoding="utf-8")
    return {entry[1]: entry[0] for entry in _ENTRY.finditer(text)}


def bibtex(keys, version):
    """Return the entries of some sources, and that of evalkit."""
    own = (
        "@software{evalkit,\n  author = {{The evalkit authors}},\n"
        "  title = {evalkit: Statistics for Showing that One System Beats Another},\n"
        f"  version = {{{version}}},\n  year = {{2026}}\n}}"
    )
    return "\n\n".join([*(entries()[key] for key in dict.fromkeys(keys)), own])
