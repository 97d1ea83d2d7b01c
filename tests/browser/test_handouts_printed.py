"""Each hand-out, key and sheet of formulas is one side of A4."""

import base64
import re
from pathlib import Path

import pytest

PRINT = Path(__file__).resolve().parents[2] / "book" / "handouts" / "print"
SHEETS = sorted(path.relative_to(PRINT).as_posix() for path in PRINT.rglob("*.html"))


@pytest.mark.parametrize("sheet", SHEETS)
def test_a_sheet_is_one_side_of_a4(chromium, sheet):
    chromium.get((PRINT / sheet).as_uri())
    made = chromium.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})
    pdf = base64.b64decode(made["data"])
    assert re.findall(rb"/Count (\d+)", pdf) == [b"1"]
    width, height = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf).groups()
    assert (float(width), float(height)) == pytest.approx((595.3, 841.9), abs=1)


@pytest.mark.parametrize("sheet", SHEETS)
def test_a_sheet_is_not_wider_than_its_page(chromium, sheet):
    chromium.get((PRINT / sheet).as_uri())
    wide = "return document.documentElement.scrollWidth <= innerWidth"
    assert chromium.execute_script(wide)
