"""What people paste and type, in a blank page of Chromium: read rightly, or refused in
words that say what to do.
"""

import json
import sys
import time
from pathlib import Path

import pytest
from test_statistics_script import ASSETS

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "book" / "_tools"))
import book_which_form

READER = Path(book_which_form.__file__).parents[1] / "_assets" / "read_scores.js"

CALL = """
    const reader = scoreReader(arguments[0]);
    return JSON.stringify(arguments[1].map(([name, ...given]) => {
        try { return reader[name](...given); }
        catch (error) { if (error instanceof RangeError) return error.message; throw error; }
    }));
"""


@pytest.fixture(scope="module")
def reader(chromium):
    """Return a function that makes calls of the reader, and gives what each returns, or
    the words of its refusal.
    """
    chromium.get("about:blank")
    for script in (ASSETS / "statistics.js", READER):
        chromium.execute_script(script.read_text(encoding="utf-8"))
    return lambda *calls: json.loads(
        chromium.execute_script(CALL, book_which_form.FAULTS, list(calls))
    )


def columns(found):
    """What was read, as one line; or the refusal, be it one of the page alone."""
    if isinstance(found, str):
        return found
    found = found["columns"]
    doubts = [column["doubt"] for column in found if column["doubt"]]
    sizes = [f"{column['name']} {column['scores']}" for column in found]
    return doubts[0] if doubts else "; ".join(sizes)


READ = {
    "tabs from a spreadsheet": (
        "ours\tbase\n0.81\t0.79\n0.84\t0.8",
        "ours [0.81, 0.84]; base [0.79, 0.8]",
    ),
    "a shorter column": (
        "ours\tbase\n0.81\t0.79\n0.84\t",
        "ours [0.81, 0.84]; base [0.79]",
    ),
    "decimal commas": ("0,81;0,79\n0,84;0,8", "A [0.81, 0.84]; B [0.79, 0.8]"),
    "one decimal comma": ("91,3", "A [91.3]"),
    "thousands that are clear": (
        "1.234,5;7\n2.000,25;8,5",
        "A [1234.5, 2000.25]; B [7, 8.5]",
    ),
    "spaces between thousands": (
        "1 234,5;7\n1\u202f250,0;8",
        "A [1234.5, 1250]; B [7, 8]",
    ),
    "commas between columns": ("0.81,0.79\n0.84,0.8", "A [0.81, 0.84]; B [0.79, 0.8]"),
    "a comma and a space": (
        "ours, base\n0.81, 0.79\n0.84, 0.8",
        "ours [0.81, 0.84]; base [0.79, 0.8]",
    ),
    "spaces": ("0.81  0.79\n 0.84 0.8", "A [0.81, 0.84]; B [0.79, 0.8]"),
    "names before scores": (
        "system\tscore\na\t0.81\nb\t0.79\na\t0.84",
        "a [0.81, 0.84]; b [0.79]",
    ),
    "a name of two words": ("my model\n0.81\n0.79", "my model [0.81, 0.79]"),
    "a name with a number in brackets": (
        "ResNet50 (3 seeds)\n0.81\n0.79",
        "ResNet50 (3 seeds) [0.81, 0.79]",
    ),
    "per cent": ("91.3 %\n92%", "A [91.3, 92]"),
    "a minus sign and an exponent": ("\u22120.5\n1e-3\n-2E+1", "A [-0.5, 0.001, -20]"),
    "empty lines": ("\n0.81\n\n0.79\n\n", "A [0.81, 0.79]"),
    "one value": ("0.9", "A [0.9]"),
    "constants": ("0.9\n0.9\n0.9", "A [0.9, 0.9, 0.9]"),
    "a list of Python": ("[0.81, 0.79]", "A [0.81, 0.79]"),
    "two lists": (
        "ours = [0.81, 0.79, 0.8]\nbase = np.array([0.8, 0.7])",
        "ours [0.81, 0.79, 0.8]; base [0.8, 0.7]",
    ),
    "a dictionary": (
        "{'ours': [0.81,0.79],\n \"base\": [0.8,0.7]}",
        "ours [0.81, 0.79]; base [0.8, 0.7]",
    ),
    "an array as NumPy prints it": ("[0.81 0.79\n 0.84]", "A [0.81, 0.79, 0.84]"),
    "one line": ("0.81,0.79,0.84", "A [0.81, 0.79, 0.84]"),
    "one line of decimal commas": ("0,81 0,79 0,84", "A [0.81, 0.79, 0.84]"),
    "two lines with names": (
        "ours: 0.81, 0.79, 0.84\nbase: 0.8, 0.7, 0.75",
        "ours [0.81, 0.79, 0.84]; base [0.8, 0.7, 0.75]",
    ),
    "labels of runs": ("seed1 0.81\nseed2 0.79\nseed3 0.8", "A [0.81, 0.79, 0.8]"),
    "Markdown": (
        "| ours | base |\n|:---|---:|\n| **0.8** | 0.7 |\n| 0.9 | 0.8 |",
        "ours [0.8, 0.9]; base [0.7, 0.8]",
    ),
    "LaTeX": (
        "ours & base \\\\ \\midrule\n$0.81$ & \\textbf{0.85} \\\\\n0.8 & 0.9 \\\\\n\\bottomrule",
        "ours [0.81, 0.8]; base [0.85, 0.9]",
    ),
    "rows of LaTeX": (
        "ours & 81\\% & 79\\% & 84\\% \\\\\nbase & 70\\% & 75\\% & 72\\% \\\\",
        "ours [81, 79, 84]; base [70, 75, 72]",
    ),
    "quoted heads and numbers": (
        '"ours","base"\n"0.81","0.79"\n"0.8","0.7"',
        "ours [0.81, 0.8]; base [0.79, 0.7]",
    ),
}


def test_columns_are_read(reader):
    found = reader(*(["read", text, "decimal"] for text, _ in READ.values()))
    for case, one in zip(READ, found, strict=True):
        assert columns(one).replace("'", "") == READ[case][1], case


def test_ten_thousand_lines_are_read_at_once(reader):
    scores = [round(0.5 + i % 7 / 100, 2) for i in range(10_000)]
    began = time.monotonic()
    (found,) = reader(["read", "\n".join(f"{x};{x}" for x in scores)])
    assert [column["scores"] for column in found["columns"]] == [scores, scores]
    assert time.monotonic() - began < 2


REFUSED = {
    "1,234\n1,250": "column A: 1,234 is 1234 or 1.234. Nothing says whether",
    "987\n1.003": "column A: 1.003 is 1003 or 1.003.",
    "0.81;0,79\n0.8;0,7": "0.81 has a decimal point and 0,79 a decimal comma",
    "0.81\nn/a\n0.83": "Line 2 has n/a where a score should be.",
    "ours\tbase\n0.81\t\n0.8\t0.7": (
        "Line 2 has no score of base, but later lines have one."
    ),
    "0.81 0.79\n0.83": "Line 2 has 1 cell, and the first line of scores has 2 cells.",
    "91.3%\n0.92": "Some scores have a percent sign and some have none",
    "a;score\n1;0.8\n2;0.7\n3;0.9": "The column a counts up by one from line to line.",
    "1 234\n1 250": (
        "1 250 can be read in two ways: as two scores, or as one with a space"
    ),
    "a;a\n0.8;0.7": "Both columns have the name a",
    "0.8\ninf\n0.7": "Line 2 has inf where a score should be.",
    "nan\n0.5\n0.6": (
        "Line 1 has nan where a name would be, and it looks like a failed run."
    ),
    "nan,nan\n0,5\n0,6": "Line 1 has nan where a name would be",
    "\n\u2212\n0.5": "Line 2 has - where a name would be",
    "ours;N/A\nours;0.5\nbase;0.6": "Line 1 has N/A where a name would be",
    "ours;0.5\nnull;0.6": "Line 2 has null where a name would be",
    "abc": "There is no score below the first line",
    "seed, ours, base\n42, 0.8, 0.7\n7, 0.9, 0.8": "paste ours and base without it.",
    "seed,acc\n42,81\n7,79": "The column seed has the number of a run",
    # a frame as pandas prints and writes it
    "     acc\n3   81.2\n10  79.4\n7   84.1": (
        "The first line has 1 name and the lines below it have 2 cells, so which name"
        " belongs to which column is not certain. Paste only the columns of scores,"
    ),
    "acc\n3 81,2\n10 79,4": "The first line has 1 name and the lines below it have 2",
    "  ours base\n3 81.2 79.4\n10 79 80": "has 2 names and the lines below it have 3",
    ",acc\n3,81.2\n10,79.4": "Column 1 has no name on the first line, and other columns",
    "\tours\tbase\nr1\t0.8\t0.7\nr2\t0.9\t0.8": "paste ours and base without it",
    "acc\n3,81.2\n10,79.4": "has 1 name and the lines below it have 2 cells",
    "ours\tbase\n0.8\n0.9": "has 2 names and the lines below it have 1 cell,",
    "a;b;c\n0.8;0.9\n0.7;0.6": "has 3 names and the lines below it have 2 cells",
    "system;seed;acc\nours;42\nbase;7": "has 3 names and the lines below it have 2",
    "0.83\n0.81\n84.2": (
        "The column A has 0.83 on line 1 and 84.2 on line 3: they look like a fraction"
        " and a percentage, and a mean over two scales says nothing. Write all of them"
        " as fractions, or all in per cent."
    ),
    "a;b\n81;0,605\n80;84,2\n79;0": "The column b has 0,605 on line 2 and 84,2 on line",
    "0.98\n1\n0.97\n99": "The column A has 0.98 on line 1 and 99 on line 4",
    # what else Python, papers and logs look like
    "[[0.8, 0.7], [0.7, 0.6]]": "There are brackets in brackets",
    "[0.8, nan]": "Line 1 has nan where a score should be.",
    "a = [0.8]\na = [0.7]": "Both columns have the name a",
    "0.81,0.79": "Line 1 has two numbers, and there is no other",
    "0,81 0,79": "Line 1 has two numbers, and there is no other",
    "r1 0.8 0.7\nr2 0.9 0.8\nr3 0.8 0.9": "Each line begins with a name, r1 on line 1",
    "system;seed;acc\nours;1;0.8\nbase;1;0.7": (
        "Each line begins with a name, ours on line 2, and more than one number follows"
    ),
    "| seed | ours |\n|---|---|\n| 42 | 0.8 |\n| 7 | 0.9 |": (
        "The column seed has the number of a run"
    ),
    "91.3 ± 0.4": "These are printed means with their spread",
    "91.3 (0.4)\n90.5 (0.5)": "These are printed means with their spread",
    "$91.3 \\pm 0.4$": "These are printed means with their spread",
    "1 234.5\n1 250.0": "1 250.0 can be read in two ways",
}


def test_what_is_doubtful_is_refused_with_its_reason(reader):
    found = reader(*(["read", text, "decimal"] for text in REFUSED))
    for text, one in zip(REFUSED, found, strict=True):
        assert REFUSED[text] in columns(one), text


# What is on one scale, and may look as if it were not.
ORDINARY = {
    "ratings": "1 5 2 3 4 4",
    "half points": "0.5 5 3.5 4 1",
    "counts": "0 1 84 5000 12 2",
    "small counts": "1 0 84 92 100",
    "right and wrong": "1 0 0 1",
    "percentages": "84.2 100 0 91.3 20.5",
    "a run in per cent at chance": "0.5 62.1 63.4 61.9",
    "percentages with a sign": "0.83% 84.2% 81.3%",
    "shares": "0.83 1 0 0.05 0.9",
    "losses": "0.02 0.9 2.3 11.3",
    "a loss that diverged": "0.0231 0.0228 2.303",
    "perplexities": "1.02 8.4 84.2 312.5",
    "negative log-likelihoods": "0.051 3.21 0.87 12.6 25.4",
    "milliseconds": "3 20000 84.2 310",
    "seconds": "0.83 1.2 84.2",
    "differences": "-0.83 84.2 0.84",
}


def test_ordinary_scores_are_read(reader):
    calls, wanted = [], []
    for case, written in ORDINARY.items():
        scores = written.split()
        for names in ([], ["ours", "base"]):
            calls.append(["read", "\n".join([*names[:1], *scores]), "columns"])
            wanted.append([(names or "AB")[:1], len(scores), case])
            for mark in "\t;, ":
                rows = [names] * bool(names) + [[score, score] for score in scores]
                text = "\n".join(mark.join(row) for row in rows)
                for pasted in {text, text.replace(".", ",") if mark != "," else text}:
                    calls.append(["read", pasted, "columns"])
                    wanted.append([names or "AB", len(scores), case])
    for (names, size, case), found in zip(wanted, reader(*calls), strict=True):
        assert not isinstance(found, str), (case, found)
        sizes = {c["name"]: len(c["scores"]) for c in found["columns"]}
        assert sizes == dict.fromkeys(names, size), case
        assert not any(column["doubt"] for column in found["columns"]), case


# What a printed number is: value, spread, runs, decimals, and its text for a count.
PRINTED = {
    "91.3": (91.3, None, None, 1, "91.3"),
    "91.30": (91.3, None, None, 2, "91.30"),
    "91,3": (91.3, None, None, 1, "91.3"),
    "91.3%": (91.3, None, None, 1, "91.3%"),
    "0.913": (0.913, None, None, 3, "0.913"),
    "91.3 ± 0.4": (91.3, 0.4, None, 1, "91.3"),
    "91.3 +- 0.4 (5)": (91.3, 0.4, 5, 1, "91.3"),
    "91.3 +/- 0.4, n = 5": (91.3, 0.4, 5, 1, "91.3"),
    "91.3±.4 (5 runs)": (91.3, 0.4, 5, 1, "91.3"),
    "91.3 (0.4)": (91.3, 0.4, None, 1, "91.3"),
    "91.3 (0.4) (5)": (91.3, 0.4, 5, 1, "91.3"),
    "91,3 ± 0,4 (5)": (91.3, 0.4, 5, 1, "91.3"),
    "91.3 ± 0.4%": (91.3, 0.4, None, 1, "91.3%"),
    "$91.3 \\pm 0.4$": (91.3, 0.4, None, 1, "91.3"),
    "\\textbf{91.3}$_{\\pm 0.4}$": (91.3, 0.4, None, 1, "91.3"),
    "91 ± 2": (91, 2, None, 0, "91"),
    "−0.5 ± 0.1": (-0.5, 0.1, None, 1, "-0.5"),
    "2.3e-4 ± 1e-5": (0.00023, 0.00001, None, 5, "2.3e-4"),
    "1.234,5 ± 2,5 (1.000)": (1234.5, 2.5, 1000, 1, "1234.5"),
}
COUNTED = {"33/2,000": (33, 2000), "913 of 1000": (913, 1000)}
UNREAD = {
    "": "is not read as a printed number. Write it as 91.3, as 91.3 ± 0.4,",
    "good": "good is not read as a printed number.",
    "91.3 ± -0.4": "is not read as a printed number.",
    "91.3 ± 0.4 (2.5)": "is not read as a printed number.",
    "91.3 (5)": "the whole number in brackets may be a spread, a number of runs",
    "91.3 [90.9, 91.7]": "seems to have the ends of an interval.",
    "1,234": "column A: 1,234 is 1234 or 1.234.",
    "91.3 ± 0,4": "91.3 has a decimal point and 0,4 a decimal comma",
    "0.1234567890123456": "has more than 15 digits after the point",
}


def test_printed_numbers_are_read_or_refused(reader):
    texts = [*PRINTED, *COUNTED, *UNREAD]
    for text, one in zip(
        texts, reader(*(["readPrinted", t, "A"] for t in texts)), strict=True
    ):
        if text in UNREAD:
            assert UNREAD[text] in one, text
        elif text in COUNTED:
            assert (one["right"], one["n"]) == COUNTED[text]
        else:
            parts = ("value", "spread", "n", "decimals", "text")
            assert tuple(map(one.get, parts)) == PRINTED[text]


def test_two_printed_numbers_are_on_one_scale(reader):
    pairs = {
        ("91.3%", "0.905"): "Some scores have a percent sign and some have none",
        ("91.3", "0.905"): "Scores on two scales cannot be compared",
        ("91.3", "90.5"): "",
        ("0.9", "1.1"): "",
        ("33/2,000", "53/2,000"): "",
    }
    found = reader(*(["readBoth", pair, ["A", "B"]] for pair in pairs))
    for (pair, words), one in zip(pairs.items(), found, strict=True):
        assert one.startswith(words) if words else len(one) == 2, pair


def test_no_word_is_of_a_command_line():
    said = " ".join(book_which_form.FAULTS.values())
    assert "--" not in said
    assert "ValueError" not in said
