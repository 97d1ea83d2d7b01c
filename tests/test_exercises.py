"""The checks of the chapters' exercises take each defensible answer, and refuse the
obvious slips.
"""

import ast
import re
from itertools import combinations, product
from pathlib import Path

import numpy as np
from grids import grid

import evalkit as ek
from lab.data import boards
from lab.pages import check_answer
from lab.record import tables

BOOK = Path(__file__).resolve().parents[1] / "book"
CELL = re.compile(
    r"^:tags: \[remove-cell, check\]\n(.*?)^```", re.DOTALL | re.MULTILINE
)
SEAL = re.compile(r'"?(\w+)"?, "([0-9a-f]{8})".*?within=([\d.]+)', re.DOTALL)


def checks(chapter):
    """Return the seal and the tolerance of each answer that a chapter checks."""
    text = (BOOK / f"{chapter}.md").read_text(encoding="utf-8")
    found = {}
    for cell in CELL.findall(text):
        within = re.search(r"within=([\d.]+)", cell)
        seals = re.findall(r'"([0-9a-f]{8})"', cell)
        if "[place]" in cell:  # one after the other
            found["adjusted"] = seals, ast.literal_eval(within[1])
            continue
        for place in re.finditer(r'"?(\w+)"?, "[0-9a-f]{8}"', cell):
            name, seal, within = SEAL.match(cell, place.start()).groups()
            found[name] = seal, ast.literal_eval(within)  # 200 is not sealed as 200.0
    return found


def takes(answer, sealed, within):
    """Return whether a check takes an answer."""
    try:
        check_answer(answer, sealed, within=within, hint="Again.")
    except AssertionError:
        return False
    return True


# Of baselines: macro F1 when guessing by shares is of each class its share.
BY_SHARES = (0.8 + 0.2) / 2

# Of seeds: standard errors of the first twenty runs of each, and what comes of it.
RUNS, LINES, BOTH_VARY = 0.0021301, 0.0033666, 0.0036987

# Of significance.
TANGO = ek.paired_proportion_interval(367, 35, 40, 58, confidence_level=0.9)
WALD = (75 / 500**2 - 25 / 500**3) ** 0.5  # a standard error

# Of the expected maximum.
VALIDATION, TEST = [0.8, 0.8, 0.7, 0.6], [0.70, 0.76, 0.74, 0.62]


def mean_of_best(pairs, best):
    return np.mean([best(pair) for pair in pairs])


DIFFERENT = list(combinations(range(4), 2))
REPEATED = list(product(range(4), repeat=2))


def first(pair):
    return TEST[max(pair, key=lambda i: (VALIDATION[i], -i))]


def last(pair):
    return TEST[max(pair, key=lambda i: (VALIDATION[i], i))]


def validation(pair):
    return max(VALIDATION[i] for i in pair)


NANO = boards.gpqa().query("model == 'gpt-5-nano-2025-08-07'")
SHARE = NANO.groupby("item").right.mean()
POOLED = 1 - (1 - SHARE.mean()) ** 5


# Of tuning.
POOL = tables.load_recorded("pools", "search")
MLP, LSTM = (POOL[POOL.system == s].reset_index(drop=True) for s in ("mlp", "lstm"))
BOTH = MLP.validation, MLP.test, LSTM.validation, LSTM.test
COSTS = MLP.seconds.mean(), LSTM.seconds.mean()
P = np.array([ek.budget_difference(*BOTH, n).pvalue for n in (1, 3, 5, 10, 40)])
ADJUSTED = ek.holm(P)
# By hand, from the smallest on.
BY_HAND = np.maximum.accumulate(np.sort(P) * np.arange(5, 0, -1))[P.argsort().argsort()]


def lead(*, cost, seconds):
    return 100 * ek.budget_difference(*BOTH, seconds, seconds=cost).difference


FAST = COSTS[0], COSTS[1] / 2
MLPS = int(3 * FAST[1] / COSTS[0])


ANSWERS = {
    "splits": [
        ("related", 1 - 0.2**3, True),
        ("related", 0.9920958, True),  # drawn without putting back
        ("related", 0.99, True),  # "about 99 %"
        ("related", 1.0, False),  # one split without a patient that is only in test
        ("related", 1 - 0.2**4, False),  # that the item itself is in test is given
        ("related", 1 - 0.2**2, False),
        ("related", 1 - 0.8**3, False),
        ("n_tested", 500 * (1 - 0.8**4), True),
        ("n_tested", 295.35, True),  # drawn without putting back
        ("n_tested", 295, True),
        ("n_tested", 100, False),  # held out by patient
        ("n_tested", 400, False),  # X-rays
        ("n_tested", 500 * (1 - 0.8**3), False),
        ("n_tested", 500 * 4 * 0.2 * 0.8, False),
        ("n_alone", 500 * 0.2**4, True),
        ("n_alone", 0.79, True),
        ("n_alone", 1, True),  # rounded
        ("n_alone", 0, False),
        ("n_alone", 0.2**4, False),  # a share, not a number
        ("n_alone", 500 * 0.2**3, False),
        ("n_alone", 4 * 500 * 0.2**4, False),  # X-rays
    ],
    "baselines": [
        ("always", (2 * 0.8 / 1.8) / 2, True),
        ("always", 0.44, True),
        ("always", 2 * 0.8 / 1.8, False),  # F1 of the positive class alone
        ("always", 0.5, False),  # balanced accuracy
        ("always", 0.8, False),
        ("always", 0.4, False),  # half of the accuracy
        ("always", (2 * 0.4 / 1.3 + 2 * 0.1 / 0.7) / 2, False),  # guessing evenly
        ("always", 0.451, False),  # the same, simulated
        ("guessing", 0.8**2 + 0.2**2, True),
        ("guessing", 0.8, False),  # the majority's
        ("guessing", 0.8**2, False),  # the positive items alone
        ("guessing", 0.5, False),  # guessing evenly
        ("floor", BY_SHARES, True),
        ("floor", 0.497, True),  # simulated on a hundred items
        ("floor", (2 * 0.8 / 1.8) / 2, False),  # always positive
        ("floor", (2 * 0.4 / 1.3 + 2 * 0.1 / 0.7) / 2, False),  # guessing evenly
        ("floor", 2 * 0.8 / 1.8, False),
    ],
    "tuning": [
        ("lead_fast", lead(cost=FAST, seconds=3 * FAST[1]), True),  # budget_difference
        (
            "lead_fast",
            100 * (ek.boo(*BOTH[:2], n=MLPS) - ek.boo(*BOTH[2:], n=3)),
            True,
        ),
        (
            "lead_fast",
            round(lead(cost=FAST, seconds=3 * FAST[1]), 1),
            True,
        ),  # to one digit
        (
            "lead_fast",
            lead(cost=FAST, seconds=3 * FAST[1]) / 100,
            False,
        ),  # not in points
        (
            "lead_fast",
            lead(cost=COSTS, seconds=3 * COSTS[1]),
            False,
        ),  # as slow as before
        ("lead_fast", lead(cost=FAST, seconds=3 * COSTS[1]), False),  # twice the trials
        (
            "lead_fast",
            lead(cost=COSTS, seconds=1.5 * COSTS[1]),
            False,
        ),  # half of the time
        (
            "lead_fast",
            100 * ek.budget_difference(*BOTH, 3).difference,
            False,
        ),  # three trials each
        (
            "lead_fast",
            -lead(cost=FAST, seconds=3 * FAST[1]),
            False,
        ),  # the wrong way round
    ],
    "intervals": [
        ("items_a", 1.96**2 * 0.16 / 0.01**2, True),  # by the formula
        ("items_a", 4 * 0.16 / 0.01**2, True),  # with 2 for 1.96
        ("items_a", 1.96**2 * 0.25 / 0.01**2, False),  # one half for 0.8
        ("items_a", 1.645**2 * 0.16 / 0.01**2, False),  # one side alone
        ("items_a", 1.96**2 * 0.16 / 0.005**2, False),  # one point from end to end
        ("items_b", 1.8**2 * 6147, True),  # the square of 1.8
        ("items_b", 1.8**2 * 6400, True),  # the same with 2 for 1.96
        ("items_b", 1.8 * 6147, False),  # 1.8 and not its square
        ("items_b", 6147, False),  # no groups
        ("lead_1", -7.0, True),  # GPT-4 minus Llama 2
        ("lead_1", -7.079, True),  # unread verdicts dropped from each
        ("lead_1", 7.0, False),  # the other way round
        ("lead_1", -0.07, False),  # a share and no points
        ("lead_4", -7.0, False),  # the first template for the fourth
        ("lead_4", 18.556, True),  # GPT-4 minus Llama 2 under the fourth
        ("lead_4", -18.556, False),  # the other way round under the fourth
    ],
    "significance": [
        # McNemar's exact test of 34 against 20, and of 57 against 43.
        ("out", ek.mcnemar(34, 20).pvalue, True),
        ("out", 0.08, True),
        ("out", ek.mcnemar(34, 20, method="mid-p").pvalue, False),  # not what is asked
        ("out", ek.mcnemar(34, 20).pvalue / 2, False),  # one-sided
        ("out", ek.mcnemar(34, 66).pvalue, False),  # ties to the other side
        ("out", ek.mcnemar(57, 43).pvalue, False),
        ("half", ek.mcnemar(57, 43).pvalue, True),
        ("half", 0.19, True),
        ("half", ek.mcnemar(34, 20).pvalue, False),
        ("half", ek.mcnemar(57, 43).pvalue / 2, False),
        # The 90 % interval of small minus large: by t, the normal distribution, scores.
        ("low", -0.01 - 1.648 * WALD, True),
        ("low", -0.01 - 1.645 * WALD, True),
        ("low", TANGO.low, True),
        ("low", -0.01 - 1.96 * WALD, False),  # 95 %
        ("low", -3.9, False),  # in points
        ("low", 0.01 - 1.645 * WALD, False),  # large minus small
        ("high", -0.01 + 1.648 * WALD, True),
        ("high", -0.01 + 1.645 * WALD, True),
        ("high", TANGO.high, True),
        ("high", -0.01 + 1.96 * WALD, False),
        ("high", 0.01 + 1.645 * WALD, False),
        ("high", 1.9, False),
    ],
    "seeds": [
        ("over_runs", RUNS, True),
        ("over_runs", RUNS * 0.95**0.5, True),  # dividing by n
        ("over_runs", 0.0021, True),
        ("over_runs", 0.0018677, False),  # of one network
        ("over_runs", 0.0028919, False),  # errors added up, not their squares
        ("over_runs", RUNS * 20**0.5, False),  # of a run, not of a mean
        ("over_lines", LINES, True),
        ("over_lines", 0.0034, True),
        ("over_lines", 0.0109074, False),  # lines not paired
        ("over_lines", 0.0126716, False),  # as one run's shares
        ("over_lines", 0.0016316, False),  # 60,000 answers taken as independent
        ("over_both", BOTH_VARY, True),
        ("over_both", 0.0037220, True),  # run i with run i
        ("over_both", np.hypot(RUNS, LINES), False),  # the rest counted twice
        ("over_both", RUNS + LINES, False),
        ("over_both", LINES, False),  # as answers of one model
        ("over_both", 0.0045337, False),  # lines in modules
        ("needed", 41, True),  # by hand, and what the rule says
        ("needed", 40.96, True),
        ("needed", 42, True),
        ("needed", 16 * 0.8 / 0.5, False),  # not squared
        ("needed", 23, False),  # for pairs
        ("needed", 84, False),  # of both systems
        ("power_of_three", 0.0921, True),  # exact
        ("power_of_three", 0.099, True),
        ("power_of_three", 0.08, True),
        ("power_of_three", 0.1582, False),  # one-sided
        ("power_of_three", 0.05, False),  # the level
        ("power_of_three", 0.8, False),  # the power that was wanted
        ("power_of_three", 1 - 0.0921, False),
    ],
    "expected_maximum": [
        ("u_2", mean_of_best(DIFFERENT, validation), True),
        ("u_2", 0.783, True),
        ("u_2", mean_of_best(REPEATED, validation), False),
        ("u_2", 0.8, False),
        ("v_2", mean_of_best(REPEATED, validation), True),
        ("v_2", 0.769, True),
        ("v_2", mean_of_best(DIFFERENT, validation), False),
        ("first", mean_of_best(DIFFERENT, first), True),
        ("first", mean_of_best(DIFFERENT, last), False),
        ("first", mean_of_best(REPEATED, first), False),
        ("last", mean_of_best(DIFFERENT, last), True),
        ("last", mean_of_best(DIFFERENT, first), False),
        ("shared", ek.boo(VALIDATION, TEST, n=2), True),
        ("shared", ek.boo(VALIDATION, TEST, n=2, estimator="v"), False),
        ("shared", 0.75, False),  # the better half of the tests
        ("by_u", (SHARE > 0).mean(), True),
        ("by_u", round((SHARE > 0).mean(), 3), True),
        ("by_u", (1 - (1 - SHARE) ** 5).mean(), False),
        ("by_u", POOLED, False),
        ("by_u", SHARE.mean(), False),
        ("by_v", (1 - (1 - SHARE) ** 5).mean(), True),
        ("by_v", (SHARE > 0).mean(), False),
        ("by_v", POOLED, False),
    ],
    "jkfold": [
        ("first", 1, True),
        ("first", 0.5, False),  # how often A is alone
        ("first", 5 / 6, False),
        ("last", 1 / 2, True),
        ("last", 0.503, True),  # simulated
        ("last", 1 / 4, False),  # both take A; both may take C
        ("last", 1, False),
        ("random", 1 / 2, True),
        ("random", 0.48, True),  # simulated
        ("random", 0.52, True),
        ("random", (2 / 3) ** 2, False),  # both take A; B and C are forgotten
        ("random", 2 / 3, False),  # how often A is taken
        ("random", 1 / 3, False),
        ("random", 1 / 4 + 1 / 4 / 3, False),  # ties of both only
    ],
    "leaderboards": [
        ("at_least_one", 4, True),
        ("at_least_one", 3, False),  # who is first, and not who may be
        ("at_least_one", 2, False),  # template 1 alone, or balanced accuracy
        ("at_least_one", 5, False),  # templates
        ("at_least_one", 10, False),  # a model once for each template
        ("under_all", 0, True),
        ("under_all", 1, False),
        ("under_all", 3, False),
        ("lowest", 2 * 0.5**10, True),
        ("lowest", 0.002, True),
        ("lowest", 0.001, False),  # one-sided, as 0.5**10
        ("lowest", 2 * 0.5**8, False),  # counts 174 and 166 alone
        ("lowest", 0.0, False),
        ("highest", 0.518959, True),
        ("highest", 0.52, True),
        ("highest", 0.366, False),  # counts 174 and 166 alone
        ("highest", 1.0, False),
        ("needed", 628, True),
        ("needed", 630, True),  # in steps of ten
        ("needed", 650, True),  # in steps of fifty
        ("needed", 625, True),  # by the formula with the share that differ
        ("needed", 700, False),  # rate .83
        ("needed", 560, False),  # rate .87
        ("needed", 200, False),
        ("outcomes", 562, True),
        ("outcomes", 561, False),  # of all four
        ("outcomes", 730, False),
        ("on_common", 240 / 561, True),
        ("on_common", 0.428, True),
        ("on_common", 240 / 562, False),  # its own items
        ("on_common", 0.328767, False),
        ("as_failed", 240 / 730, True),
        ("as_failed", 0.329, True),
        ("as_failed", 240 / 562, False),
        ("as_failed", 240 / 561, False),
    ],
}
CASES = [(chapter, *case) for chapter, cases in ANSWERS.items() for case in cases]


@grid("chapter, name, answer, taken", CASES)
def test_a_check_takes_what_is_defensible_and_refuses_slips(
    chapter, name, answer, taken
):
    assert takes(answer, *checks(chapter)[name]) == taken


@grid("chapter", ANSWERS)
def test_every_check_of_a_chapter_is_tried(chapter):
    assert {name for name, *_ in ANSWERS[chapter]} == set(checks(chapter)) - {
        "adjusted"
    }


@grid(
    "name, adjusted, taken",
    [
        ("Holm's method", ADJUSTED, True),
        ("by hand", BY_HAND, True),
        ("to three digits", ADJUSTED.round(3), True),
        ("not corrected", P, False),
        ("Bonferroni", np.minimum(1, 5 * P), False),
        ("eleven budgets", np.minimum(1, 11 * P), False),
        ("the first three alone", ek.holm(P[:3]), False),
        ("sorted", np.sort(ADJUSTED), False),
    ],
)
def test_five_p_values(name, adjusted, taken):
    seals, within = checks("tuning")["adjusted"]
    found = [takes(p, s, within) for p, s in zip(adjusted, seals, strict=False)]
    assert all(found) == taken
