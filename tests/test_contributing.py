"""The pages for contributors name files and targets that are there."""

import re
from pathlib import Path

from grids import grid

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("CONTRIBUTING.md", "WRITING.md", "README.md", "evalkit/README.md")
TARGETS = set(
    re.findall(
        r"^([\w./]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )
)


@grid("page", PAGES)
def test_every_path_and_target_is_there(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    paths = set(
        re.findall(r"`((?:[\w.-]+/)+[\w.-]*|[\w-]+\.(?:md|yml|toml|cff))`", text)
    )
    missing = {
        path
        for path in paths
        if not {"NAME", "CHAPTER"} & set(re.findall("[A-Z]+", path))
        and not (ROOT / path).exists()
    }
    assert missing - {"evalkit.toml"} == set()  # what commands write
    assert set(re.findall(r"\bmake ([a-z.][\w./]*)", text)) - {"and"} <= TARGETS
