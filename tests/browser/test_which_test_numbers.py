"""What the page "Which test do I need?" computes, by keyboard: held to evalkit's
numbers and a report's words.
"""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from conftest import AXE, HTML, asked_for, set_width
from scipy import optimize, stats
from test_pages import OF_THE_THEME, RUN_AXE

import evalkit as ek
from evalkit.decision import AFTERWARDS
from evalkit.reports import _sentences

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "book" / "_tools"))
import book_which_form

PAGE = "book/which_test.html"
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

    def __init__(self, chromium, base):
        self.chromium, self.base = chromium, base

    def at(self, **wanted):
        """Open the page at an end that computes this."""
        ends = book_which_form.ENDS.items()
        key = next(k for k, end in ends if wanted.items() <= end.items())
        return self.open(f"?answer={key}")

    def open(self, query=""):
        self.chromium.get("about:blank")
        self.chromium.get(f"{self.base}/{PAGE}{query}")
        return self

    def one(self, selector):
        return self.chromium.find_element("css selector", selector)

    def type(self, name, text):
        field = self.one(f"form.which-test [name={name}]")
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
                "css selector", ".which-test-fields legend"
            )
            if field.is_displayed()
        ]

    @property
    def said(self):
        return self.one(".which-test-result").text

    @property
    def lines(self):
        return [
            p.text
            for p in self.chromium.find_elements(
                "css selector", ".which-test-result > p"
            )
        ]

    @property
    def code(self):
        return self.one(".which-test-result pre").text

    @property
    def read(self):
        return self.one(".which-test-read").text

    @property
    def copied(self):
        return self.one(".which-test-copy textarea").get_attribute("value")


@pytest.fixture
def visit(chromium, address):
    if "which-test-fields" not in (HTML / PAGE).read_text(encoding="utf-8"):
        pytest.skip(f"{PAGE} is not built")
    set_width(chromium, 1280)
    chromium.get_log("browser")  # reading a log empties it
    yield Visit(chromium, address)
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


SEEDS = {"kind": "columns", "row": "seed", "isPaired": False}
ITEMS = {"kind": "columns", "row": "item", "isPaired": True}


@pytest.mark.parametrize("direction", ["higher", "lower"])
@pytest.mark.parametrize("case", TEN)
def test_it_says_what_a_report_says(visit, case, direction):
    unit, a, b = TEN[case]
    visit.at(**(ITEMS if unit == "item" else SEEDS)).type("pasted", columns(a, b))
    # Right answers are better, and no direction is asked.
    if set(np.ravel([a, b])) == {0, 1}:
        assert not any("better" in legend for legend in visit.asked())
        assert visit.read.endswith(": 1 is right and 0 is wrong.")
        direction = "higher"
    else:
        visit.choose(better=direction).type("metric", METRIC[direction])
    assert visit.copied == reported(a, b, unit, direction)
    assert visit.lines[0] + f" {visit.copied.rpartition('. ')[2]}" == visit.copied


def run(code):
    """Run what the page shows as a call in Python: nothing else is set."""
    names = {}
    exec(compile(code, "the page", "exec"), names)
    return names


def test_one_column_of_runs_has_evalkit_s_interval_and_best(visit, capsys):
    scores = [0.81, 0.79, 0.84, 0.80, 0.83, 0.78, 0.82, 0.80]
    visit.at(**SEEDS).type("pasted", "\n".join(map(str, scores)))
    visit.choose(better="higher")
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
    run(visit.code)
    shown = capsys.readouterr().out.splitlines()
    assert float(shown[-1]) == ek.expected_max(scores, 7, minimize=True)


def test_one_column_of_right_and_wrong_is_a_share(visit):
    right = "1\n" * 18 + "0\n" * 2
    visit.at(**ITEMS).type("pasted", right)
    ends = _sentences.ends(ek.proportion_interval(18, 20))
    assert (
        visit.lines[0]
        == f"A has 18 of 20 items right: 95 % interval of the share {ends}"
        " (Clopper-Pearson)."
    )
    assert "ek.proportion_interval(18, 20)" in visit.said


def test_four_counts(visit):
    visit.at(hasCounts=True)
    for name, count in zip(("n11", "n10", "n01", "n00"), (80, 15, 5, 100), strict=True):
        visit.type(name, str(count))
    wanted = reported(*answers(80, 15, 5, 100), "item", "higher")
    assert visit.copied == wanted.replace("ours", "A").replace("base", "B")
    shares = [_sentences.ends(ek.proportion_interval(n, 200)) for n in (95, 85)]
    assert all(f"95 % interval of the share {ends} " in visit.said for ends in shares)
    assert "ek.mcnemar(15, 5)" in visit.said
    run(visit.code)


def test_a_search_has_its_best_and_no_test(visit):
    visit.at(kind="columns", row="search").type("pasted", FIVE).choose(better="higher")
    assert "The best of 3 trials of ours" in visit.said
    assert "p = " not in visit.said
    assert "95 % interval" not in visit.said
    assert "other searches in these ranges" in visit.said


# --------------------------------------------------------------------------------------
# What is typed
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize("spread", ["sd", "se"])
def test_printed_means(visit, spread):
    visit.at(kind="means").type("a", "91.3 ± 0.4 (5)").type("b", "90.5 +- 0.5")
    waits = "The result appears here when all that is asked for above is filled in."
    assert visit.said == waits
    visit.choose(spread=spread, better="higher")
    assert visit.said == waits  # of how many runs is B?
    visit.type("n_b", "5")
    given = (91.3, 0.4, 5), (90.5, 0.5, 5)
    found = ek.from_summary(*given, spread=spread, decimals=(1, 1))
    assert (
        f"A scores {_sentences.number(0.8, found.width)} higher than B in the mean over"
        f" runs: 95 % interval of the difference {_sentences.ends(found)};"
        f" {_sentences.p_is(found.pvalue)} (both by Welch's t, 5 and 5 runs, from"
    ) in visit.copied
    assert ("A is better than B." in visit.copied) == (found.pvalue < 0.05)
    run(visit.code)
    visit.type("b", "90.5 ± 0.5 (5)").type("n_b", "3")
    assert visit.said.startswith("B has 5 after its mean, and another number")
    visit.type("b", "90.5").type("n_b", "5")
    assert visit.said.startswith("B is 90.5, without a spread.")
    assert visit.copied == ""


def test_printed_accuracies(visit):
    visit.at(kind="accuracies").type("a", "91.3").type("n_a", "1,000")
    ends = _sentences.ends(ek.proportion_interval(913, 1000))
    alone = f"A has 913 of 1,000 items right: 95 % interval of the share {ends} "
    assert visit.lines[0].startswith(alone)
    found = ek.mcnemar_range("91.3", "90.8", 1000)
    line = (
        "From the two accuracies on 1,000 items, the exact McNemar test lies between"
        f" {_sentences.p_is(found.low)} and {_sentences.p_is(found.high)}."
    )
    assert visit.type("b", "90.8").lines[0].startswith(line)
    assert "does not tell A and B apart" in visit.lines[0]
    for n10, n01 in (found.counts_low, found.counts_high):
        four = 1000 - n10 - n01, n10, n01, 0
        low, high = (100 * end for end in ek.paired_proportion_interval(*four))
        ends = [_sentences.number(end, high - low) for end in (low, high)]
        assert " to ".join(ends) in visit.lines[0]
    run(visit.code)
    visit.type("a", "913/1000")
    assert visit.lines[0].startswith(line)
    visit.type("a", "913/999")
    assert visit.said.startswith("A has 999 after its mean")
    visit.type("a", "91.37").type("n_a", "300")
    assert visit.lines[0].startswith("For A, no count of 300 items rounds to 91.37.")
    run(visit.code)


def test_two_separate_shares_are_compared_and_not_set_side_by_side(visit, capsys):
    visit.at(kind="shares").type("a", "33/2,000").type("b", "53 of 2000")
    visit.choose(better="lower")
    found = ek.proportion_difference(33, 2000, 53, 2000)
    assert visit.copied.startswith(
        f"A scores {_sentences.number(0.01, found.width)} lower than B in the mean over"
        f" items: 95 % interval of the difference {_sentences.ends(found)};"
        f" {_sentences.p_is(found.pvalue)} (both by Newcombe's score, 2,000 and 2,000"
        " items). A is better than B."
    )
    assert visit.lines[1].startswith("A has 33 of 2,000 items: 95 % interval of the")
    run(visit.code)
    assert str(found) in capsys.readouterr().out
    # Shares as they are printed, where one count alone rounds to them.
    visit.type("a", "91.3 %").type("n_a", "300").type("b", "90.40%").type("n_b", "500")
    assert "ek.proportion_difference(274, 300, 452, 500)" in visit.said
    assert visit.type("n_a", "3000").said.startswith(
        "91.3% of 3,000 items may be any count from 2738 to 2740: write the count"
    )
    # Above 100 a whole number is a count; else it may be a percentage.
    visit.type("a", "2739").type("b", "452")
    assert "ek.proportion_difference(2739, 3000, 452, 500)" in visit.said
    said = visit.type("a", "33").type("b", "53").said
    assert said.startswith("Whether 33 is a count or a percentage is not certain")


def test_one_system_against_a_limit(visit, capsys):
    visit.at(kind="bar").type("a", "0/300")
    both, one = (
        ek.proportion_interval(0, 300, confidence_level=level) for level in (0.95, 0.9)
    )
    assert f"95 % interval of the share {_sentences.ends(both)} " in visit.lines[0]
    assert f"at most {_sentences.number(one.high, one.width)};" in visit.lines[1]
    run(visit.code)
    assert capsys.readouterr().out.splitlines() == [str(both), str(one)]
    assert visit.type("a", "300").said.startswith("300 is not a count of so many")


def test_votes(visit, capsys):
    visit.at(kind="votes").type("a", "462").type("b", "418").type("n_a", "120")
    found = ek.paired_proportion_interval(0, 462, 418, 120)
    assert visit.copied.startswith(
        f"A scores {_sentences.number(0.044, found.width)} higher than B in votes (mean"
        f" over items): 95 % interval of the difference {_sentences.ends(found)} (Tango"
    )
    assert _sentences.p_is(ek.mcnemar(462, 418).pvalue) in visit.copied
    assert "This does not tell A and B apart" in visit.copied
    run(visit.code)
    assert str(found) in capsys.readouterr().out


@pytest.mark.parametrize("looks", ["systems", "many", "metrics", "early"])
def test_what_more_looks_do_to_a_verdict_is_copied_with_it(visit, looks):
    visit.at(kind="shares").type("a", "460/5020").type("b", "361/4980")
    visit.choose(better="higher")
    plain = visit.copied
    assert "A is better than B." in plain
    visit.one(f"input[value={looks}]").send_keys(SPACE)
    key = AFTERWARDS.answers[looks][1].key
    warned = book_which_form.OWN["looks"][key]
    assert warned in visit.settle().copied
    assert visit.copied.replace(f" {warned}", "") == plain


def _of_best(best, sd, n):
    """The means under which 2.5 % of bests are higher, or lower."""

    def off(mean, share):
        return stats.norm.cdf(best, mean, sd) ** n - share

    return [
        optimize.brentq(off, best - 9 * sd, best + 9 * sd, args=(share,), xtol=1e-12)
        for share in (0.975, 0.025)
    ]


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        (
            {"a": "72.1 ± 0.8 (5)", "b": "72.4 ± 0.7 (5)"},
            ek.from_summary(
                (72.1, 0.8, 5), (72.4, 0.7, 5), spread="sd", decimals=(1, 1)
            ),
        ),
        (
            {"a": "430/500", "b": "440/500"},
            ek.proportion_difference(430, 500, 440, 500),
        ),
        (
            {"n11": "800", "n10": "30", "n01": "25", "n00": "145"},
            ek.paired_proportion_interval(800, 30, 25, 145),
        ),
    ],
)
def test_as_good_as_within_a_margin(visit, typed, found):
    is_mean = "±" in typed.get("a", "")
    visit.at(kind="counts" if "n11" in typed else "means" if is_mean else "shares")
    for name, text in typed.items():
        visit.type(name, text)
    if "a" in typed:
        visit.choose(better="higher")
    if is_mean:
        visit.choose(spread="sd")
    plain = visit.copied
    visit.one("input[value=equal]").send_keys(SPACE)
    assert visit.settle().copied == plain
    ends = _sentences.ends(found.at(0.9))
    reach = max(abs(found.at(0.9).low), abs(found.at(0.9).high))
    for margin, says in [
        (1.01 * reach, "are as good as each other up to"),
        (0.99 * reach, "is not shown"),
    ]:
        visit.type("margin", f"{margin:.6g}")
        assert ek.equivalence(found, margin).equivalent == ("are as" in says)
        assert says in visit.lines[1]
        assert ends in visit.lines[1]
        assert visit.lines[1] in visit.copied
    run(visit.code)
    assert visit.type("margin", "-1").said == "The margin is a number above 0."


def test_the_best_of_several_runs(visit, capsys):
    visit.at(kind="best").type("a", "91.3").type("b", "0.4").type("n_a", "10")
    visit.choose(better="higher")
    luck = 0.4 * ek.gaussian_expected_max(10)
    assert f"to score {luck:.2f} above the mean" in visit.lines[0]
    mean, *ends = 91.3 - luck, *_of_best(91.3, 0.4, 10)
    text = f"typical run scores about {mean:.2f} (95 % interval {{:.2f}} to {{:.2f}})."
    assert text.format(*ends) in visit.said
    run(visit.code)
    printed = re.findall(r"[\d.]+", capsys.readouterr().out)
    assert [float(x) for x in printed] == pytest.approx([mean, *ends], abs=1e-6)
    assert f"scores about {91.3 + luck:.2f} " in visit.choose(better="lower").lines[0]
    assert visit.type("b", "0").said == "A standard deviation is above 0, and 0 is not."


ANSWERS = """
    const words = JSON.parse(document.querySelector(".which-test-words").textContent);
    const answers = scoreAnswers(words, scoreReader(words.faults));
    return JSON.stringify(answers[arguments[0]](...arguments[1]));
"""


def test_what_no_end_of_today_s_decision_reaches(visit):
    """Called as the form calls it, wherever the decision leads."""
    visit.open()

    def said(name, *given):
        return json.loads(visit.chromium.execute_script(ANSWERS, name, list(given)))

    setting = {"sign": 1, "metric": "", "n": 3}
    two = [
        {"name": name, "scores": scores}
        for name, scores in zip(("ours", "base"), TEN["five seeds"][1:], strict=True)
    ]
    found = ek.difference_interval(*TEN["five seeds"][1:], paired=True)
    of_pairs = said("ofColumns", two, setting | {"unit": "run", "isPaired": True})
    assert (
        f"{_sentences.ends(found)}; {_sentences.p_is(found.pvalue)} (both by the paired"
        " t, 5 pairs of runs)"
    ) in of_pairs["lines"][0]
    of_items = said("ofColumns", two, setting | {"unit": "item", "isPaired": False})
    found = ek.difference_interval(*TEN["five seeds"][1:], paired=False)
    assert f"{_sentences.ends(found)}; " in of_items["lines"][0]
    assert "(both by Welch's t, 5 and 5 items)" in of_items["lines"][0]
    right = [{"name": c["name"], "scores": [1] * 8 + [0] * 2} for c in two]
    unpaired = said("ofColumns", right, setting | {"unit": "item", "isPaired": False})
    assert "Newcombe's score, 10 and 10 items" in unpaired["lines"][0]


# --------------------------------------------------------------------------------------
# Reading
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0.81\nn/a\n0.83", "Line 2 has n/a where a score should be."),
        ("acc\n3 81,2\n10 79,4", "The first line has 1 name and the lines below it"),
        ("91.3 ± 0.4", "These are printed means with their spread"),
        ("a;b;c\n1;2;4\n2;1;5", "There are 3 columns or names, a, b, c, and this page"),
    ],
)
def test_what_is_doubtful_is_refused_with_its_reason(visit, text, said):
    visit.at(**SEEDS).paste(text)
    assert visit.said.startswith(said)
    assert visit.copied == ""


def test_what_is_doubtful_with_one_comma_is_refused_with_that_one(visit):
    visit.at(**SEEDS).paste("0,83\n84,2")
    assert visit.asked() == ["What is the comma?"]
    visit.choose(comma="decimal")
    assert visit.said.startswith("The column A has 0,83 on line 1 and 84,2 on line 2")
    assert visit.choose(comma="columns").read == "Read: A, 2 scores; B, 2 scores."
    visit.paste("acc\n3,81\n10,79")
    assert visit.said.startswith("The first line has 1 name and the lines below it")
    read = "Read: acc, 2 scores, with decimal commas."
    assert visit.choose(comma="decimal").read == read
    assert "What is the comma?" not in visit.paste("0.1\n0.2").asked()


def test_no_word_is_of_a_command_line(visit):
    words = visit.open().one(".which-test-words").get_attribute("textContent")
    assert re.findall(r"--\w+|\bsay -", words) == []


@pytest.mark.parametrize("text", ["81.2;0.79\n84;0.80", "0.79 81.2\n0.80 82\n0.81 83"])
def test_fractions_beside_percentages_are_asked_about(visit, text):
    visit.at(**SEEDS).paste(text).choose(better="higher")
    assert visit.asked()[0].startswith("Are both columns on one scale?")
    assert visit.said.startswith("The result appears here when all that is asked")
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
    ],
)
def test_counts_that_answer_nothing_are_refused_with_one_reason(visit, counts, said):
    visit.at(hasCounts=True)
    for name, count in zip(("n11", "n10", "n01", "n00"), counts.split(), strict=True):
        visit.type(name, count)
    assert visit.said.startswith(said)


def test_pairs_need_one_length_and_evalkit_s_refusals_are_the_page_s(visit):
    visit.at(**ITEMS).paste("ours\tbase\n0.81\t0.79\n0.84\t0.8\n0.83\t")
    visit.choose(better="higher")
    assert (
        visit.said
        == "Pairs need as many scores of ours as of base, and there are 3 and 2."
    )
    five = "0.8\t0.8\n0.7\t0.7\n0.9\t0.9\n0.6\t0.6\n0.5\t0.5"
    assert visit.paste(five).said.startswith("A and B differ by 0 in each of 5 pairs")
    shifted = "0.8\t0.7\n0.7\t0.6\n0.9\t0.8\n0.6\t0.5\n0.5\t0.4"
    assert visit.paste(shifted).said.startswith("A and B differ by 0.1 in each of 5")
    visit.at(**SEEDS).paste("0.9\t0.8\n0.9\t0.8").choose(better="higher")
    assert visit.said.startswith("The scores do not vary, to the digits written")
    assert "one does not show how far another" in visit.paste("0.9").said


# --------------------------------------------------------------------------------------
# What is asked
# --------------------------------------------------------------------------------------


def test_it_asks_what_must_be_asked_and_guesses_nothing(visit):
    assert not visit.open().one(".which-test-fields").is_displayed()
    assert visit.said == ""
    waits = "The result appears here when all that is asked for above is filled in."
    assert (visit.at(**SEEDS).asked(), visit.said) == ([], waits)
    visit.type("pasted", FIVE)
    assert (visit.asked(), visit.said) == (["Which score is better?"], waits)
    assert "Welch's t" in visit.choose(better="higher").said
    visit.at(kind="means")
    assert len(visit.asked()) == 2  # which is better, and what is behind the sign
    # Another end takes its fields back, and what was computed.
    visit.chromium.find_element(
        "css selector", ".which-test-questions fieldset input"
    ).send_keys(SPACE)
    assert not visit.settle().one(".which-test-fields").is_displayed()
    assert (visit.said, visit.copied) == ("", "")


def test_the_sentence_is_copied(visit):
    visit.at(**SEEDS).type("pasted", FIVE).choose(better="higher")
    visit.chromium.execute_script(
        "navigator.clipboard.writeText = async (text) => { window.copied = text; }"
    )
    button = visit.one(".which-test-copy button")
    button.send_keys(ENTER)
    assert visit.settle().one(".which-test-copy output").text == "Copied."
    assert visit.chromium.execute_script("return window.copied") == visit.copied
    visit.chromium.execute_script(
        "navigator.clipboard.writeText = () => Promise.reject(new DOMException('no'))"
    )
    button.send_keys(ENTER)
    assert "the text is selected" in visit.settle().one(".which-test-copy output").text


# --------------------------------------------------------------------------------------
# How it is shown
# --------------------------------------------------------------------------------------


def whole(visit):
    """Bring every kind of part onto the page."""
    visit.at(**SEEDS).type("pasted", FIVE).choose(better="higher")


def test_it_works_from_a_file_and_asks_no_other_host(visit):
    visit.base = HTML.as_uri()
    whole(visit)
    assert "Welch's t" in visit.said
    before = asked_for(visit.chromium)
    visit.type("metric", "F1")
    # Nothing leaves the page: the address has the end alone.
    assert asked_for(visit.chromium) == before
    query = visit.chromium.execute_script("return location.search + location.hash")
    assert re.fullmatch(r"\?answer=[a-z+]+", query)


# How much the page moved below a reader's eyes while it loaded.
SHIFT = """
    const done = arguments[0];
    new PerformanceObserver((list) => {}).observe({type: "layout-shift", buffered: true});
    let total = 0;
    new PerformanceObserver((list) => { for (const one of list.getEntries()) total += one.value; })
        .observe({type: "layout-shift", buffered: true});
    setTimeout(() => done(total), 300);
"""


def test_nothing_moves_while_it_loads(visit, width):
    visit.open()
    assert visit.chromium.execute_async_script(SHIFT) < 0.02


def test_it_fits_a_phone_and_a_finger(visit, theme, width):
    whole(visit)
    assert (
        visit.chromium.execute_script("return document.documentElement.scrollWidth")
        <= width
    )
    small = """
        const parts = "label:has(input[type=radio]), button, input:not([type=radio]), textarea";
        return [...document.querySelectorAll("form.which-test, .which-test-copy")]
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
    assert visit.one(".which-test-result").get_attribute("aria-live") == "polite"
