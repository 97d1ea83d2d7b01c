"""The page that takes a reader's scores, by keyboard: held to evalkit's numbers and a
report's words.
"""

import re

import numpy as np
import pandas as pd
import pytest
from conftest import AXE, HTML, set_width
from test_pages import OF_THE_THEME, RUN_AXE

import evalkit as ek
from evalkit.reports import _sentences

PAGE = "book/your_scores.html"
SPACE, ENTER, RIGHT, LEFT, CLEAR = (
    " ",
    "\ue007",
    "\ue014",
    "\ue012",
    "\ue009a\ue000\ue003",
)
METRIC = {"higher": "accuracy", "lower": "loss"}
FIVE = "ours;base\n0.81;0.79\n0.84;0.80\n0.80;0.78\n0.83;0.81\n0.79;0.80"


class Visit:
    """What a reader does on the page, by keyboard."""

    def __init__(self, chromium):
        self.chromium = chromium

    def one(self, selector):
        return self.chromium.find_element("css selector", selector)

    def type(self, name, text):
        field = self.one(f"form.your-scores [name={name}]")
        field.send_keys(CLEAR + text)
        return self.settle()

    def paste(self, text):
        """Put a text in as a spreadsheet's is: a tab that is typed leaves the field."""
        script = (
            "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new"
            " Event('input', arguments[2]))"
        )
        self.chromium.execute_script(
            script, self.one("[name=pasted]"), text, {"bubbles": True}
        )
        return self.settle()

    def choose(self, **answers):
        for name, value in answers.items():
            self.one(f"input[name={name}][value={value}]").send_keys(SPACE)
            self.settle()
        return self

    def settle(self):
        self.chromium.execute_async_script("setTimeout(arguments[0], 260)")
        return self

    def asked(self):
        return [
            field.text
            for field in self.chromium.find_elements(
                "css selector", "form.your-scores legend"
            )
            if field.is_displayed()
        ]

    @property
    def said(self):
        return self.one(".your-scores-result").text

    @property
    def lines(self):
        return [
            p.text
            for p in self.chromium.find_elements(
                "css selector", ".your-scores-result > p"
            )
        ]

    @property
    def read(self):
        return self.one(".your-scores-read").text

    @property
    def copied(self):
        return self.one(".your-scores-copy textarea").get_attribute("value")


@pytest.fixture
def visit(chromium, address):
    if not (HTML / PAGE).exists():
        pytest.skip(f"{PAGE} is not built")
    set_width(chromium, 1280)
    chromium.get_log("browser")  # reading a log empties it
    chromium.get(f"{address}/{PAGE}")
    yield Visit(chromium)
    severe = [
        entry["message"]
        for entry in chromium.get_log("browser")
        if entry["level"] == "SEVERE"
    ]
    assert [message for message in severe if "invalid theme mode" not in message] == []


def columns(a, b):
    """Two columns as they are typed."""
    return "ours;base\n" + "\n".join(
        f"{x:.10g};{y:.10g}" for x, y in zip(a, b, strict=True)
    )


def answers(n11, n10, n01, n00):
    return np.repeat([[1, 1, 0, 0], [1, 0, 1, 0]], [n11, n10, n01, n00], axis=1)


def reported(a, b, unit, direction):
    """What a report says of the same scores, and what it says that varies."""
    rows = [
        (name, i, x)
        for name, of in (("ours", a), ("base", b))
        for i, x in enumerate(of)
    ]
    frame = pd.DataFrame(rows, columns=["system", unit, METRIC[direction]])
    found = ek.report(frame, baseline="base")
    (words,) = _sentences.answers(found.evidence, found.findings)
    return f"{' '.join(words)} The answer is about {found.findings.varies}."


_RNG = np.random.default_rng(0)
GRADED = _RNG.normal(0.7, 0.1, 30).round(3)
LOWER, TIED = (GRADED - _RNG.normal(0.03, 0.05, 30)).round(3), GRADED.copy()
TIED[:4] -= 0.1
TEN = {
    "five seeds": (
        "seed",
        [0.81, 0.84, 0.80, 0.83, 0.79],
        [0.79, 0.80, 0.78, 0.81, 0.80],
    ),
    "seeds that differ": (
        "seed",
        [0.913, 0.908, 0.911, 0.915],
        [0.884, 0.879, 0.891, 0.887],
    ),
    "seeds in per cent": ("seed", [91.2, 91.4, 90.9], [91.3, 91.0, 91.1]),
    "rounded seeds": (
        "seed",
        [0.91, 0.92, 0.91, 0.91, 0.91],
        [0.9, 0.9, 0.9, 0.9, 0.91],
    ),
    "scored items": ("item", GRADED, LOWER),
    "scored items, mostly tied": ("item", GRADED, TIED),
    "few items apart": ("item", *answers(30, 3, 1, 4)),
    "a dozen items apart": ("item", *answers(60, 8, 4, 30)),
    "many items apart": ("item", *answers(80, 45, 21, 50)),
    "interval and test disagree": ("item", *answers(100, 14, 5, 30)),
}


@pytest.mark.parametrize("direction", ["higher", "lower"])
@pytest.mark.parametrize("case", TEN)
def test_it_says_what_a_report_says(visit, case, direction):
    unit, a, b = TEN[case]
    visit.choose(have="scores").type("pasted", columns(a, b))
    visit.choose(row=unit, paired="yes" if unit == "item" else "no")
    # Right answers are better, and no direction is asked.
    if set(np.ravel([a, b])) == {
        0,
        1,
    }:
        assert "Which score is better?" not in visit.asked()
        assert visit.read.endswith(": 1 is right and 0 is wrong.")
        direction = "higher"
    else:
        visit.choose(better=direction)
    visit.type("metric", METRIC[direction])
    assert visit.copied == reported(a, b, unit, direction)
    assert visit.lines[0] + f" {visit.copied.rpartition('. ')[2]}" == visit.copied


def test_one_column_of_runs_has_evalkit_s_interval_and_best(visit):
    scores = [0.81, 0.79, 0.84, 0.80, 0.83, 0.78, 0.82, 0.80]
    visit.choose(have="scores").type("pasted", "\n".join(map(str, scores))).choose(
        row="seed", better="higher"
    )
    interval = ek.t_interval(scores)
    mean, ends = (
        _sentences.number(np.mean(scores), interval.width),
        _sentences.ends(interval),
    )
    line = (
        f"A scores {mean} in the mean over runs: 95 % interval {ends} (Student's t, 8"
        " runs)."
    )
    assert visit.lines[0] == line

    def best(n, **how):
        runs = "1 run" if n == 1 else f"{n} runs"
        value = _sentences.number(ek.expected_max(scores, n, **how), interval.width)
        return (
            f"The best of {runs} of A is expected to score {value} (unbiased estimate"
            " U, from 8 runs)."
        )

    assert visit.lines[1] == best(3)
    slider = visit.one("[name=n]")
    assert slider.accessible_name.startswith(
        "Best of so many runs, if they are independent draws"
    )
    assert slider.get_attribute("max") == "8"
    for _ in range(9):
        slider.send_keys(RIGHT)
    assert visit.settle().lines[1] == best(8)
    visit.choose(better="lower")
    slider.send_keys(LEFT)
    assert visit.settle().lines[1] == best(7, minimize=True)
    assert "ek.expected_max(a, 7, minimize=True)" in visit.said
    assert visit.copied.startswith(line)


def test_one_column_of_right_and_wrong_is_a_share(visit):
    right = "1\n" * 18 + "0\n" * 2
    visit.choose(have="scores").type("pasted", right).choose(row="item")
    ends = _sentences.ends(ek.proportion_interval(18, 20))
    assert (
        visit.lines[0]
        == f"A has 18 of 20 items right: 95 % interval of the share {ends}"
        " (Clopper-Pearson)."
    )
    assert "ek.proportion_interval(18, 20)" in visit.said


def test_four_counts(visit):
    visit.choose(have="counts")
    for name, count in zip(("n11", "n10", "n01", "n00"), (80, 15, 5, 100), strict=True):
        visit.type(name, str(count))
    visit.choose(row="item")
    assert "Which score is better?" not in visit.asked()
    wanted = reported(*answers(80, 15, 5, 100), "item", "higher")
    assert visit.copied == wanted.replace("ours", "A").replace("base", "B")
    shares = [_sentences.ends(ek.proportion_interval(n, 200)) for n in (95, 85)]
    assert all(f"95 % interval of the share {ends} " in visit.said for ends in shares)
    assert "ek.mcnemar(15, 5)" in visit.said


def test_paired_runs_and_unpaired_items(visit):
    a, b = [0.81, 0.84, 0.80, 0.83, 0.79], [0.79, 0.80, 0.78, 0.81, 0.80]
    visit.choose(have="scores").type("pasted", columns(a, b)).choose(
        row="seed", paired="yes", better="higher"
    )
    found = ek.difference_interval(a, b, paired=True)
    assert (
        f"95 % interval of the difference {_sentences.ends(found)}; p ="
        f" {_sentences.pvalue(found.pvalue)} " in visit.said
    )
    assert "(both by the paired t, 5 pairs of runs)" in visit.said
    visit.choose(row="item", paired="no")
    found = ek.difference_interval(a, b, paired=False)
    assert (
        f"{_sentences.ends(found)}; p = {_sentences.pvalue(found.pvalue)} (both by Welch's t, 5"
        " and 5 items)" in visit.said
    )
    visit.type("pasted", columns(*answers(8, 3, 2, 1)))
    assert (
        "Right and wrong answers to different items are not compared here" in visit.said
    )
    assert "difference" not in visit.copied


def test_a_search_has_its_best_and_no_test(visit):
    visit.choose(have="scores").type("pasted", FIVE).choose(
        row="search", better="higher"
    )
    assert "The best of 3 trials of ours" in visit.said
    assert "p = " not in visit.said
    assert "95 % interval" not in visit.said
    assert "evalkit report results.csv" in visit.said
    assert "other ranges of the settings." in visit.said


# --------------------------------------------------------------------------------------
# Reading
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0.81\nn/a\n0.83", "Line 2 has n/a where a score should be."),
        ("acc\n3 81,2\n10 79,4", "The first line has 1 name and the lines below it"),
        ("91.3 ± 0.4", "These are printed means with their spread"),
    ],
)
def test_what_is_doubtful_is_refused_with_its_reason(visit, text, said):
    visit.choose(have="scores").paste(text)
    assert visit.said.startswith(said)
    assert (visit.read, visit.copied) == ("", "")


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


@pytest.mark.parametrize("case", ORDINARY)
def test_ordinary_scores_are_read(visit, case):
    scores = ORDINARY[case].split()
    visit.choose(have="scores")
    for names in ([], ["ours", "base"]):
        of = [f"{name}, {len(scores)} scores" for name in names or "AB"]
        visit.paste("\n".join([*names[:1], *scores]))
        assert visit.read.startswith(f"Read: {of[0]}"), visit.said
        for mark in "\t;, ":
            rows = [names] * bool(names) + [[score, score] for score in scores]
            text = "\n".join(mark.join(row) for row in rows)
            for pasted in {text, text.replace(".", ",") if mark != "," else text}:
                if "What is the comma?" in visit.paste(pasted).asked():
                    visit.choose(comma="columns")
                assert visit.read.startswith(f"Read: {of[0]}; {of[1]}"), visit.said


def test_what_is_doubtful_with_one_comma_is_refused_with_that_one(visit):
    visit.choose(have="scores").paste("0,83\n84,2")
    assert visit.asked()[1] == "What is the comma?"
    visit.choose(comma="decimal")
    assert visit.said.startswith("The column A has 0,83 on line 1 and 84,2 on line 2")
    assert visit.choose(comma="columns").read == "Read: A, 2 scores; B, 2 scores."
    visit.paste("acc\n3,81\n10,79")
    assert visit.said.startswith("The first line has 1 name and the lines below it")
    read = "Read: acc, 2 scores, with decimal commas."
    assert visit.choose(comma="decimal").read == read
    assert "What is the comma?" not in visit.paste("0.1\n0.2").asked()


def test_no_word_is_of_a_command_line(visit):
    words = visit.one(".your-scores-words").get_attribute("textContent")
    assert "anew, answer that one score is a split or a fold." in words
    assert re.findall(r"--\w+|\bsay -", words) == []


@pytest.mark.parametrize("text", ["81.2;0.79\n84;0.80", "0.79 81.2\n0.80 82\n0.81 83"])
def test_fractions_beside_percentages_are_asked_about(visit, text):
    visit.choose(have="scores").paste(text).choose(
        row="seed", paired="no", better="higher"
    )
    assert visit.asked()[2].startswith("Are both columns on one scale?")
    assert visit.said.startswith("The result appears here when every question")
    assert visit.choose(scale="two").said.startswith(
        "Scores on two scales cannot be compared"
    )
    assert visit.copied == ""
    assert "Welch's t" in visit.choose(scale="one").said  # losses, say
    visit.paste(FIVE)
    assert not any("one scale" in legend for legend in visit.asked())


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ("0 0 0 0", "All four counts are 0: none of the items was answered"),
        ("1.5 0 0 0", "A count is a whole number, 0 or more, and 1.5 is none."),
        ("3 -1 0 0", "A count is a whole number, 0 or more, and -1 is none."),
        ("1000000 1 0 0", "The four counts are 1,000,001 items together"),
    ],
)
def test_counts_that_answer_nothing_are_refused_with_one_reason(visit, counts, said):
    visit.choose(have="counts")
    for name, count in zip(("n11", "n10", "n01", "n00"), counts.split(), strict=True):
        visit.type(name, count)
    assert visit.choose(row="item").said.startswith(said)


def test_pairs_need_one_length_and_evalkit_s_refusals_are_the_page_s(visit):
    visit.choose(have="scores").paste("ours\tbase\n0.81\t0.79\n0.84\t0.8\n0.83\t")
    visit.choose(row="seed", paired="yes", better="higher")
    assert (
        visit.said
        == "Pairs need as many scores of ours as of base, and there are 3 and 2."
    )
    assert "Welch's t, 3 and 2 runs" in visit.choose(paired="no").said
    visit.paste("0.8\t0.8\n0.7\t0.7\n0.9\t0.9").choose(paired="yes")
    assert visit.said.startswith("A and B differ by 0 in each of 3 pairs, to the")
    visit.paste("0.8\t0.7\n0.7\t0.6\n0.9\t0.8")
    assert visit.said.startswith("A and B differ by 0.1 in each of 3 pairs, to the")
    assert "the paired t, 2 pairs" in visit.paste("0.8\t0.8\n0.7\t0.6").said
    visit.paste("0.9\t0.8\n0.9\t0.8").choose(paired="no")
    assert visit.said.startswith("The scores do not vary, to the digits written")
    assert "one does not show how far another" in visit.paste("0.9").said


# --------------------------------------------------------------------------------------
# What is asked
# --------------------------------------------------------------------------------------


def test_it_asks_what_must_be_asked_and_guesses_nothing(visit):
    waits = "The result appears here when every question above has its answer."
    assert (visit.asked(), visit.said) == (["What do you have?"], waits)
    visit.choose(have="scores").type("pasted", FIVE)
    assert (visit.asked()[1:], visit.said) == (
        ["What is one score (or one item that was counted)?"],
        waits,
    )
    visit.choose(row="seed")
    pairs, better = (
        "Do the two scores of a line belong together?",
        "Which score is better?",
    )
    assert (visit.asked()[2:], visit.said) == ([pairs, better], waits)
    assert visit.choose(better="higher").said == waits
    assert "Welch's t" in visit.choose(paired="no").said
    visit.type("pasted", "0.8\n0.9\n0.7")
    assert pairs not in visit.asked()
    visit.one("form.your-scores button[type=reset]").send_keys(ENTER)
    assert (visit.settle().asked(), visit.said) == (["What do you have?"], waits)


@pytest.mark.parametrize(
    ("row", "key"),
    [("group", "groups"), ("fold", "splits"), ("set", "datasets"), ("other", "test")],
)
def test_for_all_else_there_is_the_report(visit, row, key):
    visit.choose(have="scores").type("pasted", FIVE).choose(row=row)
    assert "evalkit report results.csv --baseline NAME" in visit.said
    assert visit.copied == ""
    target = visit.one(".your-scores-result a").get_attribute("href")
    assert target.endswith(
        "which_test.html" if row == "other" else f"which_test.html#which-{key}"
    )
    if row != "other":
        assert f'id="which-{key}"' in (HTML / "book/which_test.html").read_text(
            encoding="utf-8"
        )


def test_three_systems_are_for_the_report(visit):
    visit.choose(have="scores").type("pasted", "a;b;c\n1;2;4\n2;1;5").choose(row="seed")
    assert visit.said.startswith(
        "There are 3 columns or names, a, b, c, and this page compares two: paste"
    )


def test_the_sentence_is_copied(visit):
    visit.choose(have="scores").type("pasted", FIVE).choose(
        row="seed", paired="no", better="higher"
    )
    visit.chromium.execute_script(
        "navigator.clipboard.writeText = async (text) => { window.copied = text; }"
    )
    button = visit.one(".your-scores-copy button")
    button.send_keys(ENTER)
    assert visit.settle().one(".your-scores-copy output").text == "Copied."
    assert visit.chromium.execute_script("return window.copied") == visit.copied
    visit.chromium.execute_script(
        "navigator.clipboard.writeText = () => Promise.reject(new DOMException('no'))"
    )
    button.send_keys(ENTER)
    assert "the text is selected" in visit.settle().one(".your-scores-copy output").text


# --------------------------------------------------------------------------------------
# How it is shown
# --------------------------------------------------------------------------------------


def whole(visit):
    """Bring every kind of part onto the page."""
    visit.choose(have="scores").type("pasted", FIVE).choose(
        row="seed", paired="no", better="higher"
    )


def test_it_works_from_a_file_and_asks_no_other_host(visit, address):
    visit.chromium.get(f"{HTML.as_uri()}/{PAGE}")
    whole(visit)
    assert "Welch's t" in visit.said
    visit.chromium.get_log("performance")
    visit.type("metric", "F1")
    sent = [
        e
        for e in visit.chromium.get_log("performance")
        if "Network.requestWillBeSent" in e["message"]
    ]
    assert sent == []  # nothing leaves the page
    assert visit.chromium.execute_script("return location.search + location.hash") == ""


def test_it_fits_a_phone_and_a_finger(visit, theme, width, address):
    visit.chromium.get(f"{address}/{PAGE}")
    whole(visit)
    assert (
        visit.chromium.execute_script("return document.documentElement.scrollWidth")
        <= width
    )
    small = """
        const parts = "label:has(input[type=radio]), button, input:not([type=radio]), textarea";
        return [...document.querySelectorAll("form.your-scores, .your-scores-copy")]
            .flatMap((part) => [...part.querySelectorAll(parts)]).filter((part) => part.checkVisibility())
            .filter((part) => part.getBoundingClientRect().height < 44).map((part) => part.outerHTML);
    """
    assert visit.chromium.execute_script(small) == []
    if AXE.exists():
        visit.chromium.execute_script(AXE.read_text(encoding="utf-8"))
        found = visit.chromium.execute_async_script(RUN_AXE)
        ours = [
            (rule, target, html)
            for rule, target, html in found
            if not any(
                rule == known and mark in target + html for known, mark in OF_THE_THEME
            )
        ]
        assert ours == []
    assert visit.one(".your-scores-result").get_attribute("aria-live") == "polite"


def test_without_a_script_it_says_what_to_run(visit, address):
    visit.chromium.execute_cdp_cmd(
        "Emulation.setScriptExecutionDisabled", {"value": True}
    )
    try:
        visit.chromium.get(f"{address}/{PAGE}")
        text = visit.one("main").text
        assert "What do you have?" not in text
        assert "evalkit report results.csv --baseline base" in text
        for call in re.findall(r"ek\.(\w+)\(", text):
            assert call in ek.__all__
        assert len(re.findall(r"ek\.(\w+)\(", text)) >= 5
    finally:
        visit.chromium.execute_cdp_cmd(
            "Emulation.setScriptExecutionDisabled", {"value": False}
        )
