"""What a page prints of a bootstrap is no luck of its seed: benchmarks/ends.py has
computed it again under twenty others.
"""

import json
import re
from pathlib import Path

import pandas as pd
from grids import grid

ROOT = Path(__file__).resolve().parents[1]
MOVES = pd.read_csv(ROOT / "data/measured/ends.csv", keep_default_na=False)
PRINTED = MOVES[MOVES.name != ""].astype({"moves": float})
RESAMPLES = re.compile(
    r"\b(?:bootstrap_interval|sign_flip)\(|quantile\(.{0,120}?\[0\.025,\s*0\.975\]",
    re.DOTALL,
)
PAGES = [
    page
    for page in sorted([*ROOT.glob("book/**/*.md"), *ROOT.glob("notebooks/*.ipynb")])
    if "lab.pages import" in page.read_text(encoding="utf-8")
]


def text_of(name):
    """Return the source of a page, a notebook's cells one after the other."""
    page = ROOT / f"{name}.md"
    if page.exists():
        return page.read_text(encoding="utf-8")
    cells = json.loads(page.with_suffix(".ipynb").read_text(encoding="utf-8"))["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells)


def test_other_seeds_move_a_printed_number_by_one_unit_at_most():
    far = PRINTED[PRINTED.moves > 1]
    assert far.empty, f"print fewer digits, draw more, or use a formula:\n{far}"


def test_what_was_computed_again_is_what_is_printed():
    gone = [
        (page, name)
        for page, name, form in PRINTED[["page", "name", "form"]].to_numpy()
        if f"{{glue:text}}`{name}{':' + form if form else ''}`" not in text_of(page)
    ]
    assert gone == [], "run benchmarks/ends.py with these pages"


@grid("page", PAGES)
def test_each_page_that_resamples_was_computed_again(page):
    name = str(page.relative_to(ROOT).with_suffix(""))
    if RESAMPLES.search(text_of(name)):
        assert name in set(MOVES.page), f"run: python benchmarks/ends.py {name}"
