"""What an explorer shows changes on purpose only: choices of sizes, ends and words that
no formula gives.

After a change, look at the explorer, and write `shown.json` anew, with the root and
`tests` in PYTHONPATH: `python tests/explore/test_explore_shown.py`.
"""

import hashlib
import json
import re
from pathlib import Path

from chapter_explorers import OTHERS, chapter_explorer, plays
from grids import grid

from evalkit import explore

SHOWN = Path(__file__).with_name("shown.json")
KEPT = json.loads(SHOWN.read_text(encoding="utf-8")) if SHOWN.exists() else {}
DATA = re.compile(r'(?s)<script type="application/json">(.*?)</script>')
# The renderer's, of the data and the specification; as wide as it is told.
PICTURE = re.compile(r'(?s)<svg[^>]*? width="(\d+)".*?</svg>')


def shown(name):
    """Digests of the form with its words, and of each part of the data for the
    script.
    """
    explorer = (
        MORE[name]()
        if name in MORE
        else plays(name)
        if name in OTHERS
        else chapter_explorer(name)
    )
    page = explorer.page()
    parts = {
        "form": PICTURE.sub(r"\1", DATA.sub("", page)),
        **json.loads(DATA.search(page)[1]),
    }
    return {
        part: (
            hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:8]
        )
        for part, content in parts.items()
    }


MORE = {
    "expected_maximum of one score": lambda: explore.expected_maximum([5.0] * 4),
    "own baselines": lambda: explore.baselines(["b"] * 3 + ["a"] * 2 + ["c"] * 7),
    "own jkfold": lambda: explore.jkfold([[0.7, 0.5], [0.5, 0.7], [0.7, 0.4]]),
    "own tuning": lambda: explore.tuning({"a": [0.1, 0.3], "b": [0.2]}),
}
NAMES = [*explore.__all__, *OTHERS, *MORE]


@grid("name", NAMES)
def test_an_explorer_shows_what_it_showed(name):
    assert shown(name) == KEPT[name]


def test_no_other_is_kept():
    assert set(KEPT) == set(NAMES)


if __name__ == "__main__":
    SHOWN.write_text(
        json.dumps({name: shown(name) for name in NAMES}, indent=1) + "\n",
        encoding="utf-8",
    )
