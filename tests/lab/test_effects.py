"""The picture of the main claims: each effect stands where its limit says, and its word
is that of the rule.
"""

import math
import re

import pytest
from bs4 import BeautifulSoup
from grids import grid

from lab import claim_pages, cli, effects, scorecard
from lab.papers import published
from lab.papers.judging import AS_JUDGED, COPY, OUT_OF_REACH, WORDS

# Opposite ends, and the signs that may stand with each.
CONFIRMS = {"low": (">", ">="), "high": ("<", "<=")}


def of(ends, confirms, refutes, zero):
    limit = published.Limit("x", confirms, refutes, zero)
    return effects.Effect("replicated", limit, *ends)


@grid(
    "ends, confirms, refutes, zero, places",
    [
        # More than 2, held against 0: half of it lies midway.
        ((3, 2.5, 4), ("low", ">", 2.0), ("high", "<", 2.0), 0.0, (1.25, 2.0)),
        # Less than 0.1: none of it lies one unit beyond the limit.
        ((0.05, 0, 0.1), ("high", "<", 0.1), ("low", ">", 0.1), 0.0, (1.0, 2.0)),
        # A ratio below 1, which is no effect: half the interval is the unit.
        ((0.8, 0.7, 0.9), ("high", "<", 1.0), ("low", ">", 1.0), 1.0, (2.0, 4.0)),
        ((0.2, -0.1, 0.5), ("low", ">", 0.0), ("high", "<", 0.0), 0.0, (2 / 3, 8 / 3)),
    ],
)
def test_the_limit_is_at_one_and_the_claimed_side_beyond(
    ends, confirms, refutes, zero, places
):
    effect = of(ends, confirms, refutes, zero)
    assert effect.ends == pytest.approx(places)
    assert effect.place(confirms[2]) == 1
    assert effect.margin == pytest.approx(places[0] - 1)


def test_what_is_short_of_failing_is_held_against_the_line_that_refutes():
    # 9a of Potts: more than 5 % confirms, and less than 1 % refutes.
    limits = ("low", ">", 0.05), ("high", "<", 0.01)
    assert of((0.5, 0.1, 0.8), *limits, 0.0).short_of_failing == pytest.approx(15.8)
    assert of((0.6, 0.1, 0.85), *limits, 0.0).short_of_failing == pytest.approx(16.8)
    few = of((0.005, 0.001, 0.008), *limits, 0.0)
    assert few.short_of_failing == pytest.approx(-0.04)
    assert of((0.5, 0.1, 0.8), limits[0], None, 0.0).short_of_failing == math.inf


def shown():
    """Yield each main claim that is judged, its limits and its effects as judged."""
    judged, analyses = scorecard.verdicts().set_index("id"), scorecard.analyses()
    for row in scorecard.main_claims().itertuples():
        claim, rules = judged.loc[row.id], published.limits().get(row.id, {})
        if claim.verdict not in (COPY, OUT_OF_REACH):
            of_claim = analyses[analyses.id == row.id]
            yield claim, rules, effects.effects(claim.criterion, rules, of_claim)


def test_every_limit_asks_for_a_whole_interval():
    odd = []
    for claim, rules, found in shown():
        for name in {claim.criterion, *found} & set(rules):
            for limit in rules[name]:
                confirms, refutes = limit.confirms, limit.refutes
                end = (
                    confirms[0] if confirms else {"low": "high"}.get(refutes[0], "low")
                )
                signs = CONFIRMS.get(end, ())
                if confirms and confirms[1] not in signs:
                    odd.append((claim.name, name, confirms))
                against = {"low": "high", "high": "low"}.get(end)
                if refutes and refutes[0] != against:
                    odd.append((claim.name, name, refutes))
                # Two limits, or one that refutes nothing, where the page says so.
                one = confirms and refutes and confirms[2] == refutes[2]
                if not one and claim.name not in (
                    "potts2020/count-differing-items",
                    "potts2020/numbers-need-context",
                ):
                    odd.append((claim.name, name, "two limits"))
                if limit.no_effect is None:
                    odd.append((claim.name, name, "no effect"))
    assert not odd


def test_who_chose_each_limit_is_said_and_those_of_the_book_are_varied():
    who, unvaried = set(), []
    for claim, rules, found in shown():
        rule = rules[claim.criterion]
        who |= {limit.chosen_by for limit in rule}
        others = [
            limit
            for name in set(found) & set(rules) - {AS_JUDGED}
            for limit in rules[name]
        ]
        unvaried += [
            (claim.name, limit.name)
            for limit in rule
            if limit.chosen_by == "the book"
            and all(
                other.name != limit.name or other.numbers == limit.numbers
                for other in others
            )
        ]
    assert who == {"the paper", "the book", "no effect"}
    assert not unvaried


def test_the_effect_that_is_drawn_decides():
    wrong = []
    for claim, _, found in shown():
        for name, of_analysis in found.items():
            yes, smaller, no, open_ = WORDS[claim.counts_as]
            first = of_analysis[0]
            # The nearest to failing is beyond its limit only if all are.
            held = first.margin >= 0 and first.limit.confirms is not None
            if first.verdict in (yes, smaller) and not held:
                wrong.append((claim.name, name))
            if first.verdict in (no, open_) and first.margin > 0:
                wrong.append((claim.name, name))
    assert not wrong


@grid("paper", [None, *sorted(cli.PAPERS)])
def test_each_main_claim_is_a_row_with_its_word(paper):
    table = scorecard.main_claims()
    table = table[table.paper == paper] if paper else table
    html = BeautifulSoup(claim_pages.picture(paper).data, "html.parser")
    rows = html.select("a" if paper else "details")
    assert [row.select_one(".n").text for row in rows] == table.n.tolist()
    assert [row.select_one(".verdict").text for row in rows] == table.verdict.tolist()
    drawn = ~table.verdict.isin([COPY, OUT_OF_REACH])
    assert [bool(row.select(".strip")) for row in rows] == drawn.tolist()
    if not paper:
        for row, claim in zip(rows, table.itertuples(), strict=True):
            assert claim.says in row.text
            listed = scorecard.analyses().query("id == @claim.id").analysis.nunique()
            assert len(row.select("table tr")) == max(0, listed - 1) * bool(
                row.select(".strip")
            )


def test_what_is_shown_is_escaped(monkeypatch):
    figures = scorecard.printed()[:1].assign(quantity="a </script>", note="<b>")
    monkeypatch.setattr(scorecard, "printed", lambda: figures)
    html = claim_pages.printed_figures().data
    assert html.count("</script>") == 1
    assert r"a <\/script>" in html


def test_the_account_counts_what_the_history_has():
    told = claim_pages.account()
    before = claim_pages.earlier()
    assert told["h_claims"] == len(scorecard.main_claims())
    assert told["h_listed"] <= told["h_analyses"]
    assert told["h_listed"] == told["h_analyses"] - sum(
        name in set(re.split("; ", cell))
        for row in scorecard.analyses()[["id", "analysis"]]
        .drop_duplicates()
        .itertuples()
        if row.id in set(scorecard.main_claims().id) and row.analysis != AS_JUDGED
        for cell in ["; ".join(before[before.id == row.id].announced)]
        for name in [row.analysis]
    )
