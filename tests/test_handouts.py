"""The hand-outs with planted mistakes: each number is computed, and the keys lead into
the book.
"""

import math
import re
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from grids import grid
from scipy import integrate, special, stats

import evalkit as ek

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "book" / "_tools"))
import handout_files  # noqa: E402
import handout_pages  # noqa: E402

NAMES = sorted(path.parent.name for path in handout_files.FOLDER.glob("*/handout.md"))
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


def test_the_pages_to_print_are_those_of_the_hand_outs():
    assert sorted(handout_pages.NAMES) == NAMES
    there = set((handout_files.FOLDER / "print").rglob("*.html"))
    written = handout_pages.pages()
    assert there == {*written}
    for path, text in written.items():
        assert path.read_text(encoding="utf-8") == text, (
            "write them anew: book/_tools/handout_files.py"
        )
        is_key = path.parent.name == "keys"
        assert ("<h2>Mistake 1" in text) == is_key
        assert "import evalkit" not in text  # a key has what its code prints


def numbers(table):
    """Return the cells of a table in Markdown, without its head."""
    rows = [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]
    return [[cell.strip("*") for cell in row] for row in rows]


def within(half, df):
    """Integrate the density of Student's t from -half to half."""
    scale = math.exp(special.gammaln((df + 1) / 2) - special.gammaln(df / 2))
    area, _ = integrate.quad(lambda x: (1 + x * x / df) ** (-(df + 1) / 2), 0, half)
    return 2 * area * scale / math.sqrt(df * math.pi)


def test_the_quantiles_are_those_of_the_density():
    cells = [cell for row in numbers(handout_pages.quantiles()) for cell in row]
    assert len(cells) == 3 * 36
    for df, narrow, wide in zip(cells[::3], cells[1::3], cells[2::3], strict=True):
        df = float(df.replace("∞", "1e9"))
        for half, level in ((narrow, 0.95), (wide, 0.99)):
            low, high = (within(float(half) + off, df) for off in (-5e-4, 5e-4))
            assert low < level < high


def test_the_counts_are_those_of_exact_arithmetic():
    row = [cell for row in numbers(handout_pages.counts()) for cell in row]
    found = dict(zip(map(int, row[::2]), map(int, row[1::2]), strict=True))
    assert len(found) == 24
    for n, most in found.items():
        tails = [
            Fraction(2 * sum(math.comb(n, i) for i in range(k + 1)), 2**n)
            for k in (most, most + 1)
        ]
        assert tails[0] <= Fraction(1, 20) < tails[1]


def test_the_formulas_are_those_of_evalkit():
    x, y = [0.81, 0.79, 0.84, 0.80, 0.83], [0.78, 0.80, 0.77, 0.79]
    n, m, sx, sy = len(x), len(y), np.std(x, ddof=1), np.std(y, ddof=1)
    t = stats.t.isf(0.025, n - 1)
    mean, low = np.mean(x), ek.t_interval(x).low
    assert low == pytest.approx(mean - t * sx / n**0.5)
    low = ek.prediction_interval(x).low
    assert low == pytest.approx(mean - t * sx * (1 + 1 / n) ** 0.5)
    p, k, z = 0.3, 40, stats.norm.isf(0.025)
    root = z * (p * (1 - p) / k + z**2 / (4 * k**2)) ** 0.5
    wilson = ek.proportion_interval(12, k, method="wilson")
    top = p + z**2 / (2 * k)
    assert [wilson.low, wilson.high] == pytest.approx(
        [(top - root) / (1 + z**2 / k), (top + root) / (1 + z**2 / k)]
    )
    assert ek.proportion_interval(0, k).high == pytest.approx(1 - 0.025 ** (1 / k))
    u, v = sx**2 / n, sy**2 / m
    df = (u + v) ** 2 / (u**2 / (n - 1) + v**2 / (m - 1))
    half = stats.t.isf(0.025, df) * (u + v) ** 0.5
    welch = ek.difference_interval(x, y, paired=False, decimals=None)
    assert welch.low == pytest.approx(mean - np.mean(y) - half)
    d = np.subtract(x[:4], y)
    corrected = ek.corrected_t(x[:4], y, n_train=90, n_test=10)
    assert corrected.statistic == pytest.approx(
        d.mean() / (d.std(ddof=1) * (1 / 4 + 10 / 90) ** 0.5)
    )
    ordered = sorted(x)
    best = sum(ordered[i - 1] * math.comb(i - 1, 2) for i in range(3, n + 1))
    assert ek.expected_max(x, 3) == pytest.approx(best / math.comb(n, 3))
    assert ek.pass_at_k([3] * 9, 10, 4).rate == pytest.approx(
        1 - math.comb(7, 4) / math.comb(10, 4)
    )
    assert ek.holm([0.04, 0.01, 0.03]).tolist() == pytest.approx([0.06, 0.03, 0.06])
    runs = 2 * (stats.norm.isf(0.025) + stats.norm.isf(0.2)) ** 2
    assert f"n = {runs:.1f}" in text("../handouts", "formulas")
    assert ek.seeds_needed(0.1, 1) == pytest.approx(100 * runs, rel=0.01)
    assert ek.gaussian_expected_max(2) == pytest.approx(math.pi**-0.5)


def test_no_page_of_the_book_is_a_hand_out():
    assert "handouts" not in (ROOT / "_toc.yml").read_text(encoding="utf-8")
    for page in ROOT.glob("book/*.md"):
        assert (
            "handouts/" not in page.read_text(encoding="utf-8")
            or page.name == "teaching.md"
        )
