"""What a page says: sentences by their meaning, and nothing that a file smuggles in."""

import collections
import itertools
import re

import faulty
import numpy as np
import pandas as pd
import pytest
from grids import grid

import evalkit as ek
from evalkit.reports import RefusedError, _sentences, schema

FORMS = ("html", "markdown", "latex")
CONFIRMED = ("missing-runs", "names", "copies", "scale")


def table_of(difference, sd=0.05, n=8, systems=("base", "ours"), metric="accuracy"):
    """Runs whose second system is higher by exactly a difference."""
    noise = np.random.default_rng(n).normal(0, sd, n)
    noise -= noise.mean()
    rows = [
        {
            "system": name,
            "seed": k,
            metric: 0.5 + difference * place + noise[(k + place) % n],
        }
        for place, name in enumerate(systems)
        for k in range(n)
    ]
    return pd.DataFrame(rows)


def number(text):
    return float(text.replace("\u2212", "-").replace("< ", ""))


ENDS = re.compile(r"difference (\S+) to (\S+?)(?:;| \()")
P = re.compile(r"p (?:= )?((?:< )?\d(?:[\d.]*\d)?(?:e-\d+)?)")


def contradictions(page):
    """Return what the sentences on a page say of a contrast that is not so."""
    found, wrong = page.findings.contrasts, []
    margin, base = page.evidence.options.margin or 0, page.evidence.baseline
    lines = str(page).splitlines()[len(page.evidence.confirmed) :][: len(found)]
    for one, line in zip(found, lines, strict=True):
        lead, low, high = line.split(":")[0], one.low, one.high
        ends = ENDS.search(line)
        of_test = [
            number(p)
            for p in P.findall(
                line.split("Equivalence up to")[0].split("up to the margin")[0]
            )
        ]
        good, bad = one.benefit(page.evidence.sign)
        if np.isnan(good):
            good = bad = one.difference * page.evidence.sign
        is_sure, holds_0 = one.adjusted <= 0.05, low <= 0 <= high
        by = " by more than the margin" if margin else r"\."
        says = {
            w: bool(re.search(f"{re.escape(one.system)} is {w} than {base}{by}", line))
            for w in ("better", "worse")
        }
        facts = {
            "direction": not one.difference or ("higher" in lead) == (one.difference > 0),
            "ends": ends is None or [*map(np.sign, map(number, ends.groups()))] == [np.sign(low), np.sign(high)],
            "no ends": (ends is None) == bool(np.isnan(low)),
            "p": (of_test[-1] <= 0.05) == is_sure and (of_test[0] <= 0.05) == (one.pvalue <= 0.05),
            "better": says["better"] == (one.verdict == "better") == (is_sure and good > margin),
            "worse": says["worse"] == (one.verdict == "worse") == (is_sure and bad < -margin),
            "undecided": ("not tell" in line or "and not shown to be so" in line) == (one.verdict == "undecided"),
            "equal": (f"as good as {base}" in line) == (one.verdict == "equivalent"),
            "either way": "may be better" not in line or holds_0 or np.isnan(low),
            "rejects": "the test rejects" not in line or (is_sure and holds_0),
            "excludes": "excludes 0" not in line or (not is_sure and not holds_0),
        }  # fmt: skip
        wrong += [
            (what, line, one.low, one.high, one.adjusted, one.verdict)
            for what, ok in facts.items()
            if not ok
        ]
    return wrong


def counted(n, won, lost):
    """Answers to n items, of which some are right by one system alone."""
    both = (n - won - lost) // 2
    right = {"base": [0] * won + [1] * lost, "ours": [1] * won + [0] * lost}
    rest = [1] * both + [0] * (n - won - lost - both)
    return pd.concat(
        pd.DataFrame({"system": s, "item": range(n), "correct": r + rest})
        for s, r in right.items()
    )


def pages():
    """Yield reports of every kind, in both directions, many of them near a limit."""
    for metric in ("accuracy", "loss"):
        for difference in np.linspace(-0.12, 0.12, 25):
            for more in ({}, {"margin": 0.03}):
                systems = ("base", "ours", "theirs")[: 3 if difference > 0.05 else 2]
                yield table_of(difference, metric=metric, systems=systems), more
    for won, lost in itertools.product((0, 1, 5, 6, 9, 16, 22), (0, 1, 2, 5, 10)):
        if won + lost:
            for more in ({}, {"margin": 0.05}):
                yield counted(200, won, lost), more
    for seed in range(40):
        rng = np.random.default_rng(seed)
        table = faulty.datasets(rng, 5 + seed % 6)
        move = table["system"].map({"base": 0, "ours": seed % 5 - 2, "theirs": 0.1})
        yield (
            table.assign(accuracy=table["accuracy"] + move),
            {"margin": 0.5} if seed % 2 else {},
        )
        yield faulty.folds(rng), faulty.FOLDS
        yield faulty.items(rng, 3 * (seed % 2)), {"margin": 0.02} if seed % 3 else {}
        if seed < 4:
            yield faulty.trials(rng), faulty.SEARCH


def test_no_sentence_contradicts_its_numbers():
    """Directions, signs, levels and ends, around p of .05 and with a margin."""
    wrong, verdicts, n = [], collections.Counter(), 0
    for table, more in pages():
        try:
            page = ek.report(
                table, baseline="base", confirm=[*schema.SUSPICIONS], **more
            )
        except RefusedError as error:
            wrong += [str(error)] * (error.code != "few")
            continue
        wrong += contradictions(page)
        verdicts.update((page.kind, one.verdict) for one in page.findings.contrasts)
        n += 1
    assert not wrong, wrong[:5]
    assert n > 200
    assert len(verdicts) > 12


def test_p_is_never_read_on_the_other_side_of_a_level():
    near = 0.05 + np.array([0, *np.outer((-1, 1), 10.0 ** -np.arange(3, 12)).flat])
    for p in near.tolist():
        assert (float(_sentences.pvalue(p)) <= 0.05) == (p <= 0.05), p


def test_several_comparisons_are_adjusted_and_counted():
    table = table_of(0.02, systems=("base", "a", "b", "c", "d", "e"))
    page = ek.report(table, baseline="base")
    pvalues = [one.pvalue for one in page.findings.contrasts]
    adjusted = ek.holm(pvalues)
    assert [one.adjusted for one in page.findings.contrasts] == pytest.approx(
        list(adjusted)
    )
    assert "5 comparisons" in page.paper[0]
    assert str(page).count("adjusted p") == 5


def test_the_page_shows_the_calls_that_were_made():
    """The printed code gives the printed difference."""
    wrong = []
    for name, (plant, more) in faulty.HONEST.items():
        table = plant(np.random.default_rng(7))
        page = ek.report(table, baseline="base", confirm=CONFIRMED, **more)
        printed = []
        scope = {"table": table, "print": printed.append}
        exec(page.code, scope)
        one = page.findings.contrasts[0]
        found = [getattr(result, "difference", np.nan) for result in printed]
        good = name == "folds" or np.isclose(found, one.difference).any()
        wrong += [(name, one.difference, found)] * (not good)
    assert not wrong


HOSTILE = (
    "<script>alert(1)</script>",
    "a|b",
    "**x**",
    "[x](http://e.org)",
    "\x1b[31mred",
    "a\u202eb",
    "@somebody",
    r"\input{secret}",
    "$x_1$ & 5 % #1",
    "x" * 3000,
)


@grid("name", HOSTILE)
def test_no_name_gets_through_as_markup(name):
    table = table_of(0.1, systems=("base", name)).assign(**{name + "?": range(16)})
    page = ek.report(table, baseline="base", ignore="rest")
    html, markdown, latex = (page.write(form) for form in FORMS)
    html, markdown = (t.partition("The same in Python")[0] for t in (html, markdown))
    assert "<script" not in html
    assert "<script" not in markdown
    assert not re.search(r"(?<!\\)\|b|\*\*x\*\*|(?<!\\)\]\(http|@somebody", markdown)
    assert r"\input{" not in latex
    assert not re.search(r"(?<!\\)[&%#]1", latex)
    for text in (html, markdown, str(page)):
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert "x" * 200 not in text


def test_the_budget_of_a_search_is_what_was_said():
    table = faulty.trials(np.random.default_rng(0))
    page = ek.report(table, baseline="base", n=3, **faulty.SEARCH)
    assert page.findings.quantity.startswith("expected best of 3 trials")
    assert ", 3, minimize=False" in page.code
    assert "best of 3 trials" in page.write("markdown")


def test_parts_of_a_report_are_given_back():
    table = faulty.items(np.random.default_rng(5)).assign(
        group=lambda t: t["item"].str[-1]
    )
    page = ek.report(table, baseline="base")
    assert len(page.groups()) == table["item"].nunique()
    assert page.scores("base").shape == (table["item"].nunique(),)
    assert [*page.table["system"]] == [*page.evidence.systems]
    assert page._repr_html_().startswith("<article")
    assert "<h3>ours against base</h3>" in page._repr_html_()  # below those of the page
    with pytest.raises(ValueError, match="system must be"):
        page.scores("nobody")
    with pytest.raises(ValueError, match="form must be"):
        page.write("pdf")
    with pytest.raises(ValueError, match="no column of groups"):
        ek.report(table.drop(columns="group"), baseline="base").groups()


def test_one_of_many_is_counted_as_one():
    table = table_of(0.0, systems=("base", "a", "b", "c", "d", "e"))
    table.loc[table["system"] == "a", "accuracy"] += 0.3
    text = str(ek.report(table, baseline="base", confirm=CONFIRMED))
    assert "1 is better than base (a)" in text
    assert "4 are not told apart from base" in text
