"""Every judge of Melis et al., for each word it can say, and what several of them
compute.
"""

import itertools

import numpy as np
import pytest
from grids import grid
from melis_rows import (
    SIZES,
    again,
    normal,
    places,
    pools,
    searched,
    seeds,
    trials,
)
from scipy import stats

from evalkit import boo
from lab import scorecard
from lab.papers import judging, published
from lab.papers.judging import MissingRunsError, Resampled
from lab.papers.melis2017 import EXPERIMENT, audit
from lab.papers.melis2017.claims import JUDGES, computed, printed
from lab.papers.melis2017.claims import statistics as some
from lab.papers.rows import Rows
from lab.samples import counted

YES, NO, OPEN = "replicated", "not replicated", "inconclusive"


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    """Each verdict is a clear one: sixty draws say it, and an open one stays open with
    more.
    """
    monkeypatch.setitem(Resampled.__init__.__kwdefaults__, "draws", 60)
    monkeypatch.setattr(judging, "MOST_DRAWS", 1)


@pytest.fixture
def put(monkeypatch):
    """A function that puts other numbers in the place of printed ones."""

    figures = audit.published()

    def change(changed):
        table = figures.copy()
        assert set(changed) <= set(table.index), changed
        table.update({name: str(value) for name, value in changed.items()})
        monkeypatch.setattr(audit, "published", lambda: table)

    return change


def judged(claim, rows=()):
    """The verdict on a claim, and the quantities of each analysis."""
    name = f"melis2017/{claim}"
    rules = published.limits().get(name, {})
    evidence = JUDGES[claim](Rows(list(rows)))
    return judging.judged(published.claims()[name], rules, evidence)


def answers(claim, rows=()):
    """The verdict on a claim, and what each analysis says of it."""
    found, lines = judged(claim, rows)
    return found, {line["analysis"]: line["verdict"] for line in lines}


def test_what_asks_for_runs_waits_for_them():
    asked_for_none = {"one-perplexity-rule"} ^ set(printed.JUDGES)
    assert set(EXPERIMENT.extras([])["verdicts"].id) == {
        f"melis2017/{claim}" for claim in asked_for_none
    }


# --------------------------------------------------------------------------------------
# Own runs
# --------------------------------------------------------------------------------------


def everything(**shift):
    """Rows of all that the main claim reads, in which cells are shifted against each
    other.
    """
    return pools(*SIZES, **shift) + searched(**shift) + again(**shift)


def test_all_analyses_ask_the_same():
    """A lead that is everywhere confirms by each of them, and that of a newer cell
    refutes by each.
    """
    found, words = answers("plain-cell-holds-up", everything(rhn=0.1, nas=0.3))
    assert found["verdict"] == YES
    assert "from 0.100 to 0.302. The least certain: lead on RHN" in found["evidence"]
    assert found["first_verdict"] == ""
    # Which knows nothing of the shared settings.
    apart = words.pop("other settings for each cell")
    assert apart in (YES, OPEN)
    assert len(words) == 16
    assert set(words.values()) == {YES}
    found, words = answers("plain-cell-holds-up", everything(rhn=-0.3, nas=0.1))
    assert found["verdict"] == NO
    assert set(words.values()) == {NO}


@grid(("elsewhere", "word"), [(0.1, YES), (0.0, OPEN), (-0.1, NO)])
def test_one_of_six_leads_is_enough(elsewhere, word):
    rows = pools("pool", "budget", "widths", rhn=0.1, nas=0.1)
    rows += pools("elsewhere", rhn=elsewhere, nas=0.1) + searched() + again()
    found, words = answers("plain-cell-holds-up", rows)
    assert found["verdict"] == word
    assert words["best of 10"] == YES
    assert words["guided searches"] == OPEN


@grid(
    ("rhn", "nas", "word", "shown"),
    [
        (0.03, 0.06, YES, "LSTM before RHN"),
        (-0.03, 0.03, YES, "RHN before LSTM"),
        (2, 4, NO, "in 0% to 0% of draws, the best of five in 0% to 0%"),
        (0, 0, OPEN, "settled: none. Whether"),
        # Single settings mislead, five of each do not, or hardly.
        (0.2, 0.4, NO, "in 18% to 32% of draws, the best of five in 3% to 14%"),
        (0.172, 0.344, OPEN, "in 22% to 34% of draws, the best of five in 5% to 17%"),
    ],
)
def test_how_often_little_tuning_misleads(rhn, nas, word, shown):
    noise = 0 if (rhn, nas) == (0, 0) else 0.001
    found, words = answers(
        "poor-control-misleads", pools(*SIZES, rhn=rhn, nas=nas, noise=noise)
    )
    assert (words["as judged"], found["verdict"]) == (word, "out of reach")
    assert shown in found["evidence"]
    assert words["docstrings"] in (word, OPEN)
    assert found["first_verdict"] == ""  # it does not say which of the two tries more


@grid(
    ("rhn", "nas", "pairs"),
    [
        (0, 0, [""]),
        (0, 0.1, [", LSTM before NAS", ", RHN before NAS"]),
        (0.1, 0, [", LSTM before RHN", ", NAS before RHN"]),
    ],
)
def test_pairs_are_those_that_are_settled_there(rhn, nas, pairs):
    """On Brown all three are, on docstrings some: none of the others is held there."""
    rows = pools("pool", "budget", "widths", rhn=0.03, nas=0.06)
    rows += pools("elsewhere", rhn=rhn, nas=nas, noise=0)
    _, lines = judged("poor-control-misleads", rows)
    held = [line["quantity"] for line in lines if line["analysis"] == "docstrings"]
    assert sorted(held) == sorted(
        f"{searched}{pair}"
        for searched in ("one setting of each", "best of five of each")
        for pair in pairs
    )


@grid(
    ("luck", "word"),
    [(0.01, "supported"), (-0.1, "not supported"), (0.001, "cannot say")],
)
def test_the_luck_of_the_chosen_run(luck, word):
    found, words = answers("retrain-the-chosen-setting", searched(luck))
    assert found["verdict"] == word
    assert f"{luck:.4f}" in found["evidence"]
    assert words["test loss"] == word


@grid(("of_searches", "word"), [(0.05, YES), (0.0, NO), (0.008, OPEN)])
def test_searches_against_seeds(of_searches, word):
    found, words = answers(
        "tuner-uncertainty-left-out", searched(of_searches=of_searches)
    )
    assert found["verdict"] == word
    # The variance of means of three is that of searches and a third of that of seeds,
    # which goes.
    expected = np.sqrt(max(of_searches**2 - 0.01**2 / 3, 0)) / 0.01
    assert f"seed SD: {expected:.2f}" in found["evidence"]
    assert words["validation loss"] == word


# --------------------------------------------------------------------------------------
# Printed tables
# --------------------------------------------------------------------------------------


# What is seen all the same, of other figures too.
LOST = [
    ("one-perplexity-rule", {}, "0.5 as SD, 0.3 as variance 34.0%"),
    (
        "one-perplexity-rule",
        {"noise/ptb_seed": 0.1, "noise/gap_low": 0.01},
        "0.1 as SD, 0.01 as variance 0.0%",
    ),
    ("effects-are-small-now", {"tuner/neighbourhood": 1.0}, "6 of 20 pairs of models"),
    ("state-of-the-art", {}, "perplexities of earlier papers are not among"),
    ("enwik8-strong-baselines", {}, "No result on Enwik8"),
]


@grid("claim, changed, shown", LOST)
def test_what_our_copy_lost_is_no_verdict_and_is_observed(put, claim, changed, shown):
    put(changed)
    found, _ = answers(claim, pools(*SIZES) + searched())
    assert (found["verdict"], found["data"]) == (judging.COPY, "printed figures")
    assert shown in found["evidence"]


def test_all_claims_that_our_copy_lost_are_among_these():
    lost = {name for name, claim in published.claims().items() if claim.copy}
    assert {f"melis2017/{claim}" for claim, *_ in LOST} == {
        name for name in lost if name.startswith("melis2017/")
    }


@grid("sets", [0, 1, 2])
def test_chances_of_a_gap_are_those_of_a_normal_difference(sets):
    chances = audit.chances_of_a_gap(sets)
    sd = np.sqrt(2 * 0.5**2 + sets * 0.3)
    exact = 2 * stats.norm.sf(1 / sd)
    assert chances["0.5 as SD, 0.3 as variance"] == pytest.approx(exact)
    # A mean absolute difference of 0.5 of two runs is a smaller SD.
    assert chances["0.5 as difference, 0.3 as variance"] < exact


def test_what_is_printed_and_what_follows_from_it():
    table = computed().set_index("id")
    # All but what the authors chose.
    amended = scorecard.printed().query("paper == 'melis2017'")
    assert set(table.index) == set(amended.id[amended.verdict != "setting"])
    assert (table.note != "").all()
    assert table.value.dropna().to_dict() == {
        "tuner/grid": 0,
        "features/untied_embeddings": pytest.approx((5.6 + 4.9 + 6.0 + 2.4) / 4),
    }
    assert table.note["headline/ptb"] == "exp(4.065) is 58.26; the table has 58.3"
    assert "variance of the gap is 0.077" in table.note["noise/gap_low"]


# --------------------------------------------------------------------------------------
# Searches drawn from a pool
# --------------------------------------------------------------------------------------


def pool_of(validation, test):
    return some.Pool(
        np.array(validation), np.array(test), np.full(5, 4.0), np.zeros(5, dtype=bool)
    )


@pytest.fixture
def small():
    return pool_of([3.0, 1.0, 2.0, 2.0, 5.0], [2.0, 4.0, 1.0, 3.0, 6.0])


def searches(pool, n):
    """The test loss that each search of n finds, of all that there are."""
    rank = np.lexsort((pool.test, pool.validation)).argsort()
    drawn = itertools.product(range(len(pool)), repeat=n)
    return np.array([pool.test[min(some, key=lambda i: rank[i])] for some in drawn])


@pytest.mark.parametrize("n", [1, 2, 4])
def test_a_pool_is_asked_for_all_searches_at_once(small, n):
    found, evenly = searches(small, n), np.ones(5)
    assert small.chosen(evenly, n) == pytest.approx(found.mean())
    lowest = searches(pool_of(small.validation, small.validation), n).mean()
    assert small.by_validation().chosen(evenly, n) == pytest.approx(lowest)
    other = pool_of(small.validation[::-1], small.test + 0.5)
    for m in (n, 2):
        against = searches(other, m)
        worse = (found[:, None] > against).mean() + (
            found[:, None] == against
        ).mean() / 2
        assert small.beaten(evenly, n, other, m) == pytest.approx(worse)
    assert small.beaten(evenly, n, small) == pytest.approx(0.5)


def test_counts_stand_for_trials_that_were_drawn_again(small):
    index = np.array([1, 1, 4, 0, 0])
    drawn, counts = (
        pool_of(small.validation[index], small.test[index]),
        counted(index[None], 5)[0],
    )
    for n in (1, 3, 2.5):
        assert small.chosen(counts, n) == pytest.approx(drawn.chosen(np.ones(5), n))
    assert small.chosen(counts, small.bought(counts, 10)) == pytest.approx(
        small.chosen(counts, 2.5)
    )
    assert small.bought(counts, 1) == 1  # at least one trial
    both = np.array([counts, np.ones(5)])
    assert small.chosen(both, 3) == pytest.approx([small.chosen(of, 3) for of in both])


def test_a_pool_has_the_first_trials_in_their_order():
    rows = Rows(trials("pool", np.arange(10.0), cell="lstm", diverged={1}))
    found = some.pool(rows, "pool", 4, cell="lstm")
    assert found.validation.tolist() == [0, 1, 2, 3]
    assert found.only(~found.diverged).test.tolist() == [0, 2, 3]
    some_missing = Rows([r for r in rows.rows if r["unit"]["trial"] != 2])
    with pytest.raises(MissingRunsError, match="3 of the first 4 rows of pool"):
        some.pool(some_missing, "pool", 4, cell="lstm")


def test_settings_are_left_out_together():
    one = 5 + places(50)
    rows = trials("pool", one, cell="lstm") + trials("pool", one + 0.5, cell="rhn")
    found = some.pools(Rows(rows), "pool", 50, ("lstm", "rhn"))
    x = some.differences(found, 10, (("lstm", "rhn"),))["lstm", "rhn"]
    assert (x.low, x.high) == pytest.approx((0.5, 0.5))
    assert some.listed({("lstm", "rhn"): x}, ".1f").startswith("RHN minus LSTM 0.5")


def test_a_lead_is_that_of_draws_without_replacement():
    cells = {
        cell: normal(50, 5, 0.3, seed) for seed, cell in enumerate(("lstm", "rhn"))
    }
    rows = [row for cell in cells for row in trials("pool", cells[cell], cell=cell)]
    lead = some.ahead(some.pools(Rows(rows), "pool", 50, cells), "rhn", "lstm", 10)
    rhn, lstm = (
        boo(-cells[c], -cells[c], n=10, estimator="u") for c in ("rhn", "lstm")
    )
    assert lead.estimate == pytest.approx(rhn - lstm)
    assert lead.low < lead.estimate < lead.high


def test_an_interval_of_a_spread_covers():
    rng = np.random.default_rng(0)
    found = [some.pooled_sd(rng.normal(0, 2, (2, 4))) for _ in range(1500)]
    assert np.mean([x.low <= 2 <= x.high for x in found]) == pytest.approx(
        0.95, abs=0.02
    )


def test_reruns_are_those_of_who_chose_the_setting():
    rows = Rows(seeds(normal(20, 5.0)) + seeds(normal(20, 6.0), "docstrings"))
    assert some.reruns(rows, "lstm", "docstrings").test.mean() == pytest.approx(6)
