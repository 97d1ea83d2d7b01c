"""Every judge of Tang et al. on made-up simulations whose verdict is known, for each
word that it can say.
"""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from grids import grid
from scipy import stats

from evalkit import expected_max
from lab.papers import judging, published
from lab.papers.tang2020 import claims, experiment, tasks
from lab.record import tables

SAMPLES, N = 400, np.arange(1, 51)
YES, NO, OPEN = "replicated", "not replicated", "inconclusive"


def at(rest, **other):
    """One value for each n: the same everywhere, but for some n, as n5=220."""
    values = np.full(50, rest)
    for n, value in other.items():
        values[int(n[1:]) - 1] = value
    return values


RISING, FALLING = (
    at(200, n5=220, n10=320, n25=320, n30=320, n50=320),
    at(380, n10=200, n25=200, n30=200, n50=200),
)
COLUMNS = {
    "samples": {
        "below_v": RISING,
        "held_boot_v": FALLING,
        "held_boot_u": FALLING,
        "below_u": at(200),
    },
    "shares": {
        "below_v": RISING,
        "below_u": at(200),
        # Of 400, 40 tie with a fresh best.
        **{f"below_fresh_{e}": at(180) if e == "u" else RISING - 20 for e in "uv"},
        **{f"tied_fresh_{e}": at(40) for e in "uv"},
    },
}
POOLS = {"samples": experiment.SAMPLED, "shares": experiment.COUNTED}
GAP = {"truth": 0.02 * N, "expected_v": 0.01 * N}


def simulated(samples=(), shares=(), truths=(), failures=()):
    """What all pools have in common, but for some columns of some: {(pool, column):
    counts of 400}.
    """
    rows = []
    for table, changed in (("samples", dict(samples)), ("shares", dict(shares))):
        for pool in POOLS[table]:
            columns = {
                name: changed.get((pool, name), counts)
                for name, counts in COLUMNS[table].items()
            }
            for block in (0, 1):
                cells = {
                    name: tables.pack((c + block) // 2) for name, c in columns.items()
                }
                unit = {"table": table, "pool": pool, "block": block}
                rows.append(
                    {"unit": unit, "result": {"samples": SAMPLES // 2, **cells}}
                )
    for pool in experiment.SAMPLED:
        curves = {
            name: tables.pack(v, ".17g")
            for name, v in {**GAP, **dict(truths).get(pool, {})}.items()
        }
        rows.append({"unit": {"table": "truths", "pool": pool}, "result": curves})
    for (first, second), size in (
        (pair, size) for pair in experiment.PAIRS for size in experiment.FAILURE_SIZES
    ):
        wrong, start = dict(failures).get((first, size), (3, 20))
        result = {
            "wrong": wrong,
            "wrong_from": start,
            "wrong_to": start + max(wrong - 1, 0),
        }
        unit = {"table": "failures", "first": first, "second": second, "size": size}
        rows.append({"unit": unit, "result": result})
    return tasks.Simulated(rows)


def judge(claim, record):
    """The verdict as it is recorded, and {analysis: word}."""
    name = f"tang2020/{claim}"
    found, lines = judging.judged(
        published.claims()[name], published.limits()[name], claims.JUDGES[claim](record)
    )
    return found, {line["analysis"]: line["verdict"] for line in lines}


def ends(counts, level=0.95):
    """The interval of Clopper and Pearson, for counts strictly between none and all."""
    tail = (1 - level) / 2
    low = stats.beta.ppf(tail, counts, SAMPLES + 1 - counts)
    return low, stats.beta.isf(tail, counts + 1, SAMPLES - counts)


# The counts of 400 where the interval just leaves a share, on either side.
def above(limit, level=0.95):
    counts = np.arange(1, SAMPLES)
    return int(counts[ends(counts, level)[0] > limit].min())


def below(limit, level=0.95):
    counts = np.arange(1, SAMPLES)
    return int(counts[ends(counts, level)[1] < limit].max())


def lstm(column, early, late):
    return {"samples": {("lstm", column): at(200, n5=early, n50=late)}}


def u(count, first=200):
    """Among the many samples, and among the 5,000 of the first rule."""
    return {
        "shares": {("lstm", "below_u"): at(200, n7=count)},
        "samples": {("mlp", "below_u"): at(200, n3=first)},
    }


WIDE, NARROW = above(ends(220)[1]), below(ends(360)[0])
LOOKS = 1 - 0.05 / 50
FLAT = {"expected_v": GAP["truth"] - 0.01 * np.minimum(N, 40)}

CASES = [
    # The claim, what is made up, the verdict by the first rule and now, a part of the
    # evidence.
    (
        "estimator-negative",
        lstm("below_v", 220, WIDE),
        YES,
        YES,
        "MLP: 55.0% at n = 5, 80.0% at n = 50; LSTM",
    ),
    (
        "estimator-negative",
        lstm("below_v", 220, WIDE - 1),
        NO,
        OPEN,
        f"{(WIDE - 1) / 4:.1f}% at n = 50.",
    ),
    (
        "estimator-negative",
        lstm("below_v", 100, above(0.5)),
        YES,
        YES,
        "LSTM: 25.0% at n = 5",
    ),
    ("estimator-negative", lstm("below_v", 100, above(0.5) - 1), NO, OPEN, ""),
    ("estimator-negative", lstm("below_v", 100, below(0.5)), NO, NO, ""),
    ("estimator-negative", lstm("below_v", 320, 240), NO, NO, ""),
    (
        "coverage-fails",
        lstm("held_boot_v", 360, NARROW),
        YES,
        YES,
        "mlp: 95% at n = 5, 95% at n = 20, 50% at n = 50",
    ),
    (
        "coverage-fails",
        lstm("held_boot_v", 360, NARROW + 1),
        NO,
        OPEN,
        "lstm: 90% at n = 5",
    ),
    (
        "coverage-fails",
        lstm("held_boot_v", 399, below(0.95)),
        YES,
        YES,
        "lstm: 100% at n = 5",
    ),
    ("coverage-fails", lstm("held_boot_v", 399, below(0.95) + 1), NO, OPEN, ""),
    ("coverage-fails", lstm("held_boot_v", 399, above(0.95)), NO, NO, ""),
    ("coverage-fails", lstm("held_boot_v", 200, 320), NO, NO, ""),
    (
        "unbiased-neither",
        u(above(0.5, LOOKS) - 1),
        YES,
        OPEN,
        "furthest from a half: MLP 50.0% (",
    ),
    ("unbiased-neither", u(above(0.5, LOOKS)), YES, NO, ""),
    ("unbiased-neither", u(below(0.5, LOOKS) + 1), YES, OPEN, ""),
    ("unbiased-neither", u(below(0.5, LOOKS)), YES, NO, ""),
    ("unbiased-neither", u(200, above(0.5) - 1), YES, OPEN, ""),
    ("unbiased-neither", u(200, above(0.5)), NO, OPEN, ""),
    ("unbiased-neither", u(200, below(0.5)), NO, OPEN, ""),
    (
        "failure-case",
        {"failures": {("mlp", 20): (1, 9)}},
        YES,
        YES,
        "samples of 20: n = 9, samples of 25: n = 20 to 22",
    ),
    (
        "failure-case",
        {"failures": {("mlp", 50): (0, 0)}},
        NO,
        NO,
        "30: n = 20 to 22, samples of 75",
    ),
    ("u-v-gap", {}, YES, YES, "largest at n = 50 (mlp), 50 (lstm), 50 (deberta)"),
    ("u-v-gap", {"truths": {"lstm": FLAT}}, NO, NO, "40 (lstm), 50 (deberta)"),
    (
        "u-v-gap",
        {"truths": {"own lstm": FLAT}},
        YES,
        NO,
        "It falls somewhere on 1 of 7 pools.",
    ),
]


@grid(("claim", "made_up", "first", "now", "shown"), CASES)
def test_each_word_of_a_judge(claim, made_up, first, now, shown):
    found, _ = judge(claim, simulated(**made_up))
    assert (found["first_verdict"], found["verdict"], found["data"]) == (
        first,
        now,
        "released data",
    )
    assert shown in found["evidence"]


# As high at n = 10 as at n = 5, or hardly higher at n = 50.
EARLY = {
    "below_v": at(200, n5=220, n10=220, n25=320, n30=320, n50=320),
    "held_boot_v": at(380, n25=200, n30=200, n50=200),
}
FLAT_SHARE, ODD_SHARE = at(200, n5=220, n50=220), at(300)
TEN, HALF_OF_THE_RUNS = claims.EARLIER
README = "VAMPIRE, the README's normal"
TURNS = {
    "estimator-negative": [
        ("shares", "mlp", "below_fresh_v", FLAT_SHARE, {claims.FRESH}),
        ("shares", "mlp", "below_u", FLAT_SHARE, {"U in place of V"}),
        (
            *("shares", "lstm", "below_v", FLAT_SHARE),
            {"400,000 samples", TEN, HALF_OF_THE_RUNS},
        ),
        ("shares", "lstm", "below_v", EARLY["below_v"], {TEN}),
        ("shares", "lstm runs", "below_v", FLAT_SHARE, {claims.NO_KERNEL}),
        ("samples", "deberta-v3", "below_v", FLAT_SHARE, {"DeBERTa and DeBERTa v3"}),
        ("samples", "truncated normal", "below_v", FLAT_SHARE, {README}),
    ],
    "coverage-fails": [
        ("samples", "mlp", "held_boot_u", FLAT_SHARE, {"U in place of V"}),
        ("samples", "lstm", "held_boot_v", EARLY["held_boot_v"], {TEN}),
        # 85 %, which is surely more than 80 and less than 90.
        (
            *("samples", "lstm", "held_boot_v", at(200, n5=399, n50=340)),
            {"0.8 in place of 0.95"},
        ),
        ("samples", "own mlp", "held_boot_v", FLAT_SHARE, {"our MLP and our LSTM"}),
    ],
    "unbiased-neither": [
        ("shares", "lstm", "below_fresh_u", ODD_SHARE, {claims.FRESH}),
        ("shares", "mlp runs", "below_u", ODD_SHARE, {claims.NO_KERNEL}),
        ("samples", "vampire", "below_u", ODD_SHARE, {README}),
    ],
}


@grid(
    ("claim", "table", "pool", "column", "odd", "turned"),
    [(claim, *case) for claim, cases in TURNS.items() for case in cases],
)
def test_an_analysis_reads_what_it_names(claim, table, pool, column, odd, turned):
    # So that each analysis says what the judge says: U rises with n as V does.
    rising = {(of, "below_u"): RISING for of in ("mlp", "lstm")}
    changed = {"shares": rising if claim == "estimator-negative" else {}, "samples": {}}
    changed[table] |= {(pool, column): odd}
    _, words = judge(claim, simulated(**changed))
    assert {
        name for name, word in words.items() if word != words[judging.AS_JUDGED]
    } == turned


def test_failures_of_other_sizes_and_pairs_are_other_analyses():
    none = {
        ("mlp", 20),
        ("mlp runs", 50),
        ("own mlp", 50),
        ("mlp", 10),
        ("deberta", 75),
    }
    _, words = judge("failure-case", simulated(failures=dict.fromkeys(none, (0, 0))))
    turned = {name for name, word in words.items() if word == NO}
    assert turned == {"samples of 20", claims.NO_KERNEL, "our MLP and our LSTM"}
    assert len(words) == 10


# --------------------------------------------------------------------------------------
# The theorems: what is enumerated is made up
# --------------------------------------------------------------------------------------

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
SURE, SPREAD = (Fraction(1), Fraction(0), Fraction(0)), (THIRD, THIRD, THIRD)
GOOD = (SPREAD, 2, (HALF, THIRD, HALF))  # E[U], E[V] and the truth
CONSISTENT, NOT_CONSISTENT = "consistent", "not consistent"


def test_expectations_are_means_over_every_sample():
    chances = (Fraction(1, 6), THIRD, HALF)
    u, v, truth = claims._expectations(chances, 3, 2)
    grades = np.indices((3, 3, 3)).reshape(3, -1).T
    weights = np.prod(np.array(chances, dtype=float)[grades], axis=1)
    for value, estimator in ((u, "u"), (v, "v")):
        every = [expected_max(sample, 2, estimator=estimator) for sample in grades]
        assert float(value) == pytest.approx(weights @ every)
    pairs = np.outer(*[np.array(chances, dtype=float)] * 2)
    assert float(truth) == pytest.approx(
        (pairs * np.maximum(*np.indices((3, 3)))).sum()
    )


@pytest.mark.parametrize(
    ("case", "first", "biased", "unbiased"),
    [
        (GOOD, True, True, True),
        ((SPREAD, 2, (HALF, THIRD, THIRD)), False, False, False),  # U misses the truth
        ((SPREAD, 2, (THIRD, HALF, THIRD)), False, False, True),  # V is above it
        # V is on it without a reason.
        ((SPREAD, 2, (HALF, HALF, HALF)), True, False, True),
        ((SPREAD, 1, (HALF, HALF, HALF)), True, True, True),  # n is 1
        ((SURE, 2, (HALF, HALF, HALF)), True, True, True),  # all scores are equal
        # And V is biased all the same.
        ((SURE, 2, (HALF, THIRD, HALF)), True, False, True),
    ],
)
def test_each_word_on_the_first_theorem(monkeypatch, case, first, biased, unbiased):
    monkeypatch.setattr(claims, "_small_cases", lambda: [GOOD, case])
    words = {True: CONSISTENT, False: NOT_CONSISTENT}
    found, _ = judge("theorem-1", None)
    assert (found["first_verdict"], found["verdict"]) == (words[first], words[biased])
    assert f"In {1 + first} of 2 cases" in found["evidence"]
    assert judge("u-unbiased", None)[0]["verdict"] == words[unbiased]


def test_every_small_case_is_enumerated():
    # 28 ways to share six sixths among three grades; for each, n up to sizes of 1 to 5.
    every = 28 * (1 + 2 + 3 + 4 + 5)
    # n = 1 once a size, and the three sure distributions with n from 2 on.
    equal = 28 * 5 + 3 * (0 + 1 + 2 + 3 + 4)
    # Ten have all grades, and 2, 4, 8 or 16 samples without the highest; ten lack one
    # of the lower two.
    unseen = 10 * (2 + 4 + 8 + 16) + 10 * 4
    found = [
        judge(claim, None)[0] for claim in ("theorem-1", "u-unbiased", "theorem-2")
    ]
    assert [f["verdict"] for f in found] == [CONSISTENT, CONSISTENT, judging.COPY]
    assert {(f["first_verdict"], f["data"]) for f in found} == {(CONSISTENT, "exact")}
    assert f"In {every} of {every} cases" in found[0]["evidence"]
    assert (
        f"in {equal} of {every} cases; in {equal} of the {equal}, n"
        in found[0]["evidence"]
    )
    assert f"In {every} of {every} cases" in found[1]["evidence"]
    assert f"In {unseen} of {unseen} small" in found[2]["evidence"]


def test_the_second_theorem_is_observed_as_it_was_first_read(monkeypatch):
    # No distribution can refute that: this is none, and its powers rise.
    none = (HALF, Fraction(2, 3), -Fraction(1, 6))
    monkeypatch.setattr(
        claims, "_small_distributions", lambda: [(HALF, Fraction(0), HALF), none]
    )
    found, _ = judge("theorem-2", None)
    assert found["verdict"] == judging.COPY
    assert found["first_verdict"] == NOT_CONSISTENT
    # Four samples of the first; of the other, with which 1 is the best seen in all but
    # four, 30.
    assert "In 8 of 34 small samples" in found["evidence"]


# --------------------------------------------------------------------------------------
# The printed figures
# --------------------------------------------------------------------------------------


def test_computed_figures_follow_from_simulations_and_verdicts():
    # Of 400 samples 20 are tied, 247 of the others are below: 65 %, at all n but the
    # last.
    readme = {
        "below_v": at(300),
        "below_fresh_v": at(247, n30=304),
        "below_fresh_u": at(209),
    }
    readme |= {"tied_fresh_v": at(20), "tied_fresh_u": at(20)}
    record = simulated(
        shares={("truncated normal", name): counts for name, counts in readme.items()}
    )
    words = {
        "theorem-1": CONSISTENT,
        "theorem-2": judging.COPY,
        "coverage-fails": "not replicated",
    }
    verdicts = pd.DataFrame(
        [
            (f"tang2020/{claim}", words.get(claim, YES), f"{claim} is so.")
            for claim in claims.JUDGES
        ],
        columns=["id", "verdict", "evidence"],
    )
    table = claims.computed(record, verdicts).set_index("id")
    expected = {
        "readme/biased": 80,
        "readme/unbiased": 55,
        "fig2": 1,
        "fig3": 1,
        "fig4": 0,
    }
    assert math.isnan(table.value["theorem2"])
    assert table.value.drop("theorem2").to_dict() == pytest.approx(
        {**expected, "theorem1": 1}
    )
    assert (
        "at n = 30; from n = 25 on 65.0 to 80.0: below the best"
        in table.note["readme/biased"]
    )
    assert table.note["readme/biased"].endswith("below the truth: 75.0 to 75.0")
    assert table.note["readme/unbiased"].endswith("below the truth: 50.0 to 50.0")
    assert table.note["theorem1"] == "theorem-1 is so."
