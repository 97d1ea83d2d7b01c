"""What a page says: sentences by their meaning, and nothing that a file smuggles in."""

import re

import faulty
import numpy as np
import pandas as pd
import pytest

import evalkit as ek

FORMS = ("html", "markdown", "latex", "code")


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


@pytest.mark.parametrize("metric", ["accuracy", "loss"])
def test_no_sentence_contradicts_its_numbers(metric):
    """Directions, signs, levels and ends, around p of .05 and with a margin."""
    wrong = []
    for difference in np.linspace(-0.12, 0.12, 81):
        for margin in (None, 0.03):
            page = ek.report(
                table_of(difference, metric=metric), baseline="base", margin=margin
            )
            (one,) = page.findings.contrasts
            text = str(page)
            low, high = map(
                number, re.search(r"difference (\S+) to (\S+?);", text).groups()
            )
            p = number(re.search(r"p (?:= )?((?:< )?[\d.e-]+)", text)[1].rstrip("."))
            good = difference * (1 if metric == "accuracy" else -1)
            facts = [
                ("higher" in text.split(":")[0]) == (difference > 0)
                or abs(difference) < 1e-12,
                (p <= 0.05) == (one.pvalue <= 0.05),
                (low > 0 or high < 0) == (p < 0.05),
                bool(re.search(r"ours is better than base(\.| by more)", text))
                == (one.verdict == "better"),
                bool(re.search(r"ours is worse than base(\.| by more)", text))
                == (one.verdict == "worse"),
                one.verdict != "better" or (good > (margin or 0) and p < 0.05),
                one.verdict != "worse" or (good < -(margin or 0) and p < 0.05),
                ("not tell" in text) <= (one.verdict == "undecided"),
                ("as good as base" in text) == (one.verdict == "equivalent"),
            ]
            if not all(facts):
                wrong.append((difference, margin, facts, text))
    assert not wrong


def test_several_comparisons_are_adjusted_and_counted():
    table = table_of(0.02, systems=("base", "a", "b", "c", "d", "e"))
    page = ek.report(table, baseline="base")
    pvalues = [one.pvalue for one in page.findings.contrasts]
    adjusted = ek.holm(pvalues)
    assert [one.adjusted for one in page.findings.contrasts] == pytest.approx(
        list(adjusted)
    )
    assert "5 comparisons" in page.paper[0]
    verdicts = [one.verdict for one in page.findings.contrasts]
    assert f"{verdicts.count('better')} " in str(page)
    assert str(page).count("adjusted p") == 5


def test_each_mean_stands_beside_its_spread():
    table = table_of(0.1)
    text = ek.report(table, baseline="base").write("markdown")
    for name in ("base", "ours"):
        sd = table[table["system"] == name]["accuracy"].std()
        assert f"{sd:#.2g}" in text


def test_a_second_call_gives_the_same_page():
    different = []
    for name, (plant, more) in faulty.HONEST.items():
        table = plant(np.random.default_rng(7))
        pages = [
            [
                ek.report(
                    table.copy(), baseline="base", confirm=CONFIRMED, **more
                ).write(f)
                for f in FORMS
            ]
            for _ in range(2)
        ]
        different += [name] * (pages[0] != pages[1])
    assert not different


CONFIRMED = ("missing-runs", "names", "copies", "scale")


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
        found = [getattr(result, "difference", None) for result in printed]
        if name != "folds" and not any(
            value is not None and np.isclose(value, one.difference) for value in found
        ):
            wrong.append((name, one.difference, found))
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


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_no_name_gets_through_as_markup(name):
    table = table_of(0.1, systems=("base", name)).assign(**{name + "?": range(16)})
    page = ek.report(table, baseline="base", ignore="rest")
    html, markdown, latex = (page.write(form) for form in FORMS[:3])
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


def test_what_varies_and_what_cannot_be_said_is_on_every_page():
    missing = []
    for name, (plant, more) in faulty.HONEST.items():
        page = ek.report(
            plant(np.random.default_rng(7)), baseline="base", confirm=CONFIRMED, **more
        )
        text = page.write("markdown")
        missing += [name] * (page.findings.varies.split(",")[0] not in text)
        missing += [name] * ("Was the baseline tuned as much" not in text)
        missing += [name] * (page.findings.way.title not in text)
        missing += [name] * (text.index("What was understood") > text.index("## "))
    assert not missing


def test_few_data_sets_say_that_nothing_can_be_shown():
    table = faulty.datasets(np.random.default_rng(0))
    few = table[table["dataset"].isin(table["dataset"].unique()[:4])]
    two = few[few["system"].isin(["base", few["system"].unique()[-1]])]
    text = ek.report(two, baseline="base").write("markdown")
    assert "no p-value can be below 0.125" in text


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


def test_in_a_notebook_headings_stand_below_those_of_the_page():
    page = ek.report(table_of(0.1), baseline="base")
    assert "<h3>ours against base</h3>" in page._repr_html_()
    assert "<h4>" in page._repr_html_()
    assert "<h1>ours against base</h1>" in page.write("html")
