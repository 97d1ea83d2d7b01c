"""What an explorer shows changes on purpose only: choices of sizes, ends and words that
no formula gives.

After a change, look at the explorer, and write `shown.json` anew, with the root and
`tests` in PYTHONPATH: `python tests/explore/test_explore_shown.py`.
"""

import hashlib
import json
import re
from pathlib import Path

from chapter_explorers import OTHERS, plays
from grids import grid

from evalkit import explore

SHOWN = Path(__file__).with_name("shown.json")
KEPT = json.loads(SHOWN.read_text(encoding="utf-8")) if SHOWN.exists() else {}
DATA = re.compile(r'(?s)<script type="application/json">(.*?)</script>')
# The renderer's, of what is drawn: other tests hold that.
PICTURE = re.compile(r"(?s)<svg.*?</svg>")


def shown(name):
    """Digests of the form with its words, and of each part of the data for the
    script.
    """
    page = plays(name).page()
    parts = {
        "form": PICTURE.sub("", DATA.sub("", page)),
        **json.loads(DATA.search(page)[1]),
    }
    return {
        part: (
            hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:8]
        )
        for part, content in parts.items()
    }


NAMES = [*explore.__all__, *OTHERS]


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
