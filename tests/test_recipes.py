"""The small exports of "Make it long" are what the script writes of the recorded runs."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "book" / "_tools"))
import recipe_samples  # noqa: E402


def test_the_samples_are_what_their_script_writes():
    there = {
        str(path.relative_to(recipe_samples.FOLDER)): path.read_text(encoding="utf-8")
        for path in recipe_samples.FOLDER.rglob("*")
        if path.is_file()
    }
    assert there == recipe_samples.contents()
    assert max(map(len, there.values())) < 6_000
