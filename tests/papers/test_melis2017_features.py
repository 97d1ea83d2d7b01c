"""Every judge of Melis et al. that reads variants of a model, on made-up rows, for each word it can say."""

import itertools

import numpy as np
import pytest
from melis_rows import CELLS, normal, places, row, trials

from evalkit.papers import judging
from evalkit.papers.judging import MissingRunsError, Resampled
from evalkit.papers.melis2017 import audit
from evalkit.papers.melis2017.claims import features
from evalkit.papers.melis2017.claims.features import JUDGES
from evalkit.papers.rows import Rows

REPLICATED, NOT, OPEN = "replicated", "not replicated", "inconclusive"
CASES = []


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    """Each verdict is a clear one: three hundred draws say it, and an open one stays open with more."""
    monkeypatch.setitem(Resampled.__init__.__kwdefaults__, "draws", 300)
    monkeypatch.setattr(judging, "MOST_DRAWS", 1)


@pytest.fixture
def printed(monkeypatch):
    """A function that puts other numbers in the place of printed ones."""

    def put(changed):
        table = audit.published().copy()
        assert set(changed) <= set(table.index)
        table.update(changed)
        monkeypatch.setattr(audit, "published", lambda: table)

    return put


def add(claim, verdict, shown, rows, **changed):
    ids = {name.replace("__", "/"): str(value) for name, value in changed.pop("printed", {}).items()}
    CASES.append(pytest.param(claim, verdict, shown, rows, ids, id=f"{claim}-{verdict}-{len(CASES)}"))


# ---------------------------------------------------------------------------------------------
# One feature changed, tuned alike
# ---------------------------------------------------------------------------------------------

ALL = {
    ("lstm", 1): ("base", "untied embeddings", "untied gates", "tied gates"),
    ("rhn", 5): ("base", "untied embeddings"),
    ("lstm", 4): ("base", "untied gates", "tied gates", "no state dropout", "none between layers"),
}


def variants(changed=None, own=()):
    """Variants with the same settings, each worse by a number; some have an order of settings of their own.

    Keys are a cell with its depth, and a variant.
    """
    rows, changed = [], changed or {}
    for (cell, depth), names in ALL.items():
        for i, name in enumerate(names):
            key = (cell, depth, name)
            losses = 5 + changed.get(key, 0.0) + places(20, seed=i + 1 if key in own else 0)
            if key == ("lstm", 1, "base"):
                # More neighbours than variants have trials: the first ones are the base.
                losses = np.append(losses, np.full(40, 1.0))
                rows += trials("neighbours", losses, number="draw", share=0.6, setting="0.01")
                rows += trials("neighbours", np.full(60, 1.0), number="draw", share=0.2, setting="0.01")
            else:
                unit = {"cell": cell, "depth": depth, "variant": name, "setting": "0.01"}
                rows += trials("ablations", losses, number="draw", **unit)
    return rows


UNFAIR = "rhn-unfair-dropout"
BETWEEN = ("lstm", 4, "none between layers")
add(UNFAIR, REPLICATED, "the deep LSTM has 7 hyperparameters, the RHN 6", variants({BETWEEN: 0.005}))
add(UNFAIR, NOT, "changes by 0.050", variants({BETWEEN: 0.05}))
add(UNFAIR, OPEN, "", variants(own=[BETWEEN]))
# That it helps to leave it out decides nothing against the cell.
add(UNFAIR, OPEN, "", variants({BETWEEN: -0.05}))

WORSE = {("lstm", 1, "untied embeddings"): 0.1, ("rhn", 5, "untied embeddings"): 0.1}
PRINTED = {
    "ablation/LSTM, untied embeddings/24M/test": "64.3",
    "ablation/RHN, untied embeddings/24M/test": "68.2",
}
add("untied-costs-six", NOT, "LSTM 10M 5.6; LSTM 24M 4.9; RHN 10M 6.0; RHN 24M 2.4", variants(WORSE))
add("untied-costs-six", REPLICATED, "RHN 0.100", variants(WORSE), printed=PRINTED)
add("untied-costs-six", OPEN, "", variants({**WORSE, ("rhn", 5, "untied embeddings"): 0}), printed=PRINTED)

STATE = ("lstm", 4, "no state dropout")
LIKEWISE = "deep-lstm-loses-likewise"
add(LIKEWISE, REPLICATED, "the deep LSTM loses 6.2, the RHNs 8.9", variants({STATE: 0.1}))
add(
    LIKEWISE,
    NOT,
    "the deep LSTM loses 1.0",
    variants({STATE: 0.1}),
    printed={"ablation/LSTM, no variational dropout/24M/test": "59.3"},
)
add(
    LIKEWISE,
    NOT,
    "",
    variants({STATE: 0.1}),
    printed={"ablation/LSTM, no variational dropout/24M/test": "78.3"},
)
add(LIKEWISE, OPEN, "", variants(own=[STATE]))

GATES = "gates-do-not-matter"
SHALLOW = [("lstm", 1, name) for name in ("untied gates", "tied gates")]
CLOSE = {
    "ablation/LSTM, untied gates/24M/test": "59.0",
    "ablation/LSTM, untied gates/24M/validation": "61.4",
}
add(GATES, NOT, "24M test 3.3", variants())
add(GATES, REPLICATED, "tied gates minus untied gates 0.000", variants(), printed=CLOSE)
add(GATES, OPEN, "", variants({SHALLOW[0]: 0.05}), printed=CLOSE)
add(GATES, OPEN, "", variants(), printed={**CLOSE, "ablation/LSTM, untied gates/24M/test": "59.5"})
# Only the test refutes.
add(GATES, OPEN, "", variants(), printed={**CLOSE, "ablation/LSTM, untied gates/24M/validation": "70.0"})

BOUNDED = "deep-lstms-like-bounded-states"
DEEP = {("lstm", 4, "untied gates"): 0.1}
add(BOUNDED, REPLICATED, "3.0 to 3.6 at depth 4, -0.7 to -0.3 at depth 1", variants(DEEP))
add(BOUNDED, OPEN, "difference 0.000", variants())
add(BOUNDED, OPEN, "difference -0.100", variants({("lstm", 1, "untied gates"): 0.1}))
UNTIED = "ablation/LSTM, untied gates"
add(BOUNDED, NOT, "", variants(DEEP), printed={f"{UNTIED}/24M/test": "58.2"})
add(
    BOUNDED,
    NOT,
    "",
    variants(DEEP),
    printed={f"{UNTIED}/10M/test": "63.0", f"{UNTIED}/10M/validation": "65.0"},
)
# At depth 1 one variant is better on one part: neither confirmed nor refuted.
add(BOUNDED, OPEN, "", variants(DEEP), printed={f"{UNTIED}/10M/test": "61.0"})


# ---------------------------------------------------------------------------------------------
# Several features at once
# ---------------------------------------------------------------------------------------------


def factorial(alone=(0.1, 0.2, 0.3), together=0.0, sd=0.01):
    """Losses from three effects and what the first two features add when both or neither are there."""
    rows = []
    for i, (tied, state, capped) in enumerate(itertools.product((0, 1), repeat=3)):
        signs = [1 if on else -1 for on in (tied, state, capped)]
        middle = 5 + np.dot(alone, signs) / 2 + together * signs[0] * signs[1] / 2
        for seed, loss in enumerate(normal(6, middle, sd, seed=i)):
            unit = {"setting": "0.01", "tied": tied, "state": state, "capped": capped, "seed": seed}
            rows.append(row("factorial", {"validation": loss, "test": loss}, **unit))
    return rows


ONE = "one-feature-at-a-time"
add(ONE, REPLICATED, "tied embeddings and dropout on states 0.060", factorial(together=0.06))
add(ONE, REPLICATED, "dropout on states 0.200", factorial(together=-0.06))
add(ONE, NOT, "", factorial(sd=0.001))
add(ONE, OPEN, "", factorial(together=0.03))
add(ONE, OPEN, "", factorial(together=0.06, sd=0.2))
add(
    ONE,
    NOT,
    "is at depth 2 at 10M",
    factorial(together=0.06),
    printed={"ptb/LSTM/10M/depth2/validation": "61.0"},
)


# ---------------------------------------------------------------------------------------------
# Vocabulary, and length of the text
# ---------------------------------------------------------------------------------------------


def vocabularies(small, large, sd=0.01):
    """Losses per word without projection above those with the better ratio, for two vocabularies."""
    rows = []
    for i, (vocabulary, gain) in enumerate(((500, small), (2000, large))):
        tokens = {500: 3000, 2000: 2000}[vocabulary]
        for j, (ratio, more) in enumerate(((0.25, 0.4), (0.5, 0.0), (1.0, gain))):
            for seed, loss in enumerate(normal(6, 8 + more, sd, seed=3 * i + j)):
                per_token = loss * 1000 / tokens
                result = {"validation": per_token, "test": per_token, "tokens": tokens, "words": 1000}
                unit = {"setting": "", "vocabulary": vocabulary, "ratio": ratio, "seed": seed}
                rows.append(row("vocabularies", result, **unit))
    return rows


DOWN = "down-projection-vocabulary"
add(DOWN, REPLICATED, "500 subwords 0.100", vocabularies(0.1, 0.2))
add(DOWN, NOT, "2,000 subwords 0.100", vocabularies(0.2, 0.1))
add(DOWN, NOT, "", vocabularies(-0.2, -0.1))
add(DOWN, OPEN, "", vocabularies(0.1, 0.2, sd=0.2))


def lengths(gains, spreads, sd=0.005):
    """What dropout gains, and the spread between cells, at three lengths."""
    rows = []
    for i, (tokens, gain, wide) in enumerate(zip((15_000, 60_000, 240_000), gains, spreads, strict=True)):
        for j, cell in enumerate(CELLS):
            for dropout in (0, 1):
                middle = 5 + j * wide / 2 + (0 if dropout else gain)
                for seed, loss in enumerate(normal(3, middle, sd, seed=6 * i + 2 * j + dropout)):
                    unit = {"cell": cell, "setting": "", "tokens": tokens, "dropout": dropout, "seed": seed}
                    rows.append(row("lengths", {"validation": loss, "test": loss}, **unit))
    return rows


LARGE = "regularisation-matters-least-on-large-text"
add(LARGE, REPLICATED, "they grow by 0.300 (", lengths((0.4, 0.2, 0.1), (0.2, 0.1, 0.05)))
add(LARGE, NOT, "", lengths((0.1, 0.2, 0.4), (0.2, 0.1, 0.05)))
add(LARGE, NOT, "", lengths((0.4, 0.2, 0.1), (0.05, 0.1, 0.2)))
add(LARGE, OPEN, "", lengths((0.4, 0.2, 0.1), (0.1, 0.1, 0.1)))


@pytest.mark.parametrize(("claim", "verdict", "shown", "rows", "changed"), CASES)
def test_each_word_of_a_judge(printed, claim, verdict, shown, rows, changed):
    printed(changed)
    finding = JUDGES[claim](Rows(rows))
    assert finding.verdict == verdict, finding.evidence
    assert shown in finding.evidence, finding.evidence
    assert finding.evidence.endswith((".", ")"))


def test_every_judge_has_its_words():
    said = {claim: {case.values[1] for case in CASES if case.values[0] == claim} for claim in JUDGES}
    assert all(words == {REPLICATED, NOT, OPEN} for words in said.values())


def test_a_judge_without_all_of_its_rows_waits():
    for claim in (UNFAIR, "untied-costs-six", LIKEWISE, GATES, BOUNDED, ONE, DOWN, LARGE):
        rows = next(case.values[3] for case in CASES if case.values[0] == claim)
        JUDGES[claim](Rows(rows))
        waits = 0
        for i in range(0, len(rows), 1 if claim in (ONE, DOWN) else 9):
            try:
                JUDGES[claim](Rows(rows[:i] + rows[i + 1 :]))
            except MissingRunsError:
                waits += 1
        # Some judges read a few of the variants.
        assert waits > 0
        if claim in (ONE, DOWN):
            assert waits == len(rows)


def test_effects_are_differences_of_means():
    found = features.effects(Rows(factorial((0.1, -0.2, 0.3), together=0.06)))
    tied, state, both = found[("tied",)], found[("state",)], found[("tied", "state")]
    assert (tied.estimate, state.estimate, both.estimate) == pytest.approx((0.1, -0.2, 0.06))
    assert found[("state", "capped")].estimate == pytest.approx(0)
    # Eight groups of six with the same SD: forty degrees of freedom.
    reach = 2.0210754 * 0.01 * 2 / np.sqrt(48)
    assert tied.high - tied.estimate == pytest.approx(reach)
