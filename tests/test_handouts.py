"""The hand-outs with planted mistakes: each number is computed, and the keys lead into
the book.
"""

import re
import sys
from pathlib import Path

from grids import grid

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "book" / "_tools"))
import handout_files  # noqa: E402

NAMES = sorted(
    folder.name for folder in handout_files.FOLDER.iterdir() if folder.is_dir()
)
CHAPTERS = (
    "splits",
    "baselines",
    "tuning",
    "intervals",
    "significance",
    "seeds",
    "expected_maximum",
    "jkfold",
    "leaderboards",
)
NUMBER = re.compile(r"(?<![\w.])\d(?:[\d,]*\d)?(?:\.\d+)?(?![\w%])")
WORDS = ("four", "five", "six")
# Of the page and not of its results: levels, minutes, the 500 lines of a class, and
# what is made up.
SAID = {"95", "90", "25", "30", "500", "9,999"}
MADE_UP = {"items": {"53.9"}, "search": {"0.03"}}


def text(name, page):
    return (handout_files.FOLDER / name / f"{page}.md").read_text(encoding="utf-8")


def split(key):
    """Return the code, the output and the words of a key."""
    code = "\n".join(
        re.findall(r"^```python\n(.*?)^```", key, re.DOTALL | re.MULTILINE)
    )
    output = "\n".join(
        re.findall(r"^```text\n(.*?)^```", key, re.DOTALL | re.MULTILINE)
    )
    return (
        code,
        output,
        re.sub(
            r"^```(?:python|text)\n.*?^```", "", key, flags=re.DOTALL | re.MULTILINE
        ),
    )


def test_there_are_five():
    assert len(NAMES) == 5


@grid("name", sorted(handout_files.MADE))
def test_the_data_are_those_of_the_record(name):
    assert (handout_files.FOLDER / name / "data.csv").read_text(
        encoding="utf-8"
    ) == handout_files.data(name)


@grid("name", NAMES)
def test_the_code_of_a_key_prints_what_the_key_says(name):
    assert handout_files.run(handout_files.FOLDER / name / "key.md") == text(
        name, "key"
    )


@grid("name", NAMES)
def test_a_key_prints_each_number_of_its_page(name):
    """Of the results; what stands in the heading and the task is counted below."""
    results = text(name, "handout").split("---\n", 1)[1]
    results = re.sub(r"\*\*\d\.\d ", "", results)  # the number of a section
    code, output, _ = split(text(name, "key"))
    printed = {*NUMBER.findall(output), *NUMBER.findall(code)}
    assert {*NUMBER.findall(results)} - printed - SAID <= MADE_UP.get(name, set())


@grid("name", NAMES)
def test_a_key_prints_each_number_of_its_own_words(name):
    code, output, words = split(text(name, "key"))
    printed = {*NUMBER.findall(output), *NUMBER.findall(code)}
    rounded = {f"{abs(100 * float(n)):.1f}" for n in re.findall(r"0\.\d+", output)}
    rounded |= {
        f"{float(n):.{d}f}" for n in re.findall(r"\d+\.\d+", output) for d in (0, 2)
    }
    words = re.sub(
        r"[Cc]hapters? \d(?: and \d)?|^## Mistake \d|^# Key to hand-out \d",
        "",
        words,
        flags=re.MULTILINE,
    )
    assert {*NUMBER.findall(words)} - printed - rounded - SAID <= MADE_UP.get(
        name, set()
    )


@grid("name", NAMES)
def test_each_mistake_is_shown_by_code_and_explained_by_the_book(name):
    parts = re.split(r"^## Mistake (\d): ", text(name, "key"), flags=re.MULTILINE)
    numbers, mistakes = parts[1::2], parts[2::2]
    assert numbers == [str(i + 1) for i in range(len(mistakes))]
    assert f"{WORDS[len(mistakes) - 4]} mistakes" in text(name, "handout")
    for mistake in mistakes:
        mistake = mistake.split("\n## ")[0]
        assert "```python" in mistake
        cited = re.findall(
            r"[Cc]hapter\s(\d),\s((?:\*[^*]+\*(?:\s+and\s+)?)+)", mistake
        )
        assert cited
        for chapter, sections in cited:
            page = (ROOT / "book" / f"{CHAPTERS[int(chapter) - 1]}.md").read_text(
                encoding="utf-8"
            )
            for section in re.findall(r"\*([^*]+)\*", sections):
                assert re.search(
                    rf"^##+ {re.escape(' '.join(section.split()))}$", page, re.MULTILINE
                ), section


def test_no_page_of_the_book_is_a_hand_out():
    assert "handouts" not in (ROOT / "_toc.yml").read_text(encoding="utf-8")
    for page in ROOT.glob("book/*.md"):
        assert (
            "handouts/" not in page.read_text(encoding="utf-8")
            or page.name == "teaching.md"
        )
