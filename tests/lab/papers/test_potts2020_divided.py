"""What is judged of divisions, of scores alone, and of estimates over splits."""

import numpy as np
import pandas as pd
import pytest
from grids import grid
from potts_rows import analysed, judged, row

from evalkit import wilcoxon
from lab.papers.judging import MissingRunsError, Quantity, Resampled, pooled
from lab.papers.potts2020.claims import divided
from lab.papers.potts2020.claims.common import ratio, sd
from lab.papers.potts2020.tasks import UNSTRATIFIED
from lab.papers.rows import Rows
from lab.record.tables import pack

YES, NO, OPEN = "supported", "not supported", "cannot say"


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    monkeypatch.setitem(Resampled.__init__.__kwdefaults__, "draws", 60)
    monkeypatch.setattr("lab.papers.judging.MOST_DRAWS", 1)


def test_an_interval_of_a_ratio_takes_in_what_both_samples_vary():
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((2, 60))
    alone, both = ratio(sd, a), ratio(lambda x, y: sd(x) / sd(y), a, 2 * b)
    assert both.estimate == pytest.approx(sd(a) / sd(b) / 2)
    widths = [np.log(x.high / x.low) for x in (alone, ratio(sd, b))]
    assert np.log(both.high / both.low) == pytest.approx(np.hypot(*widths))


def stratified(ratios, off=0.5):
    """The SD on stratified splits as a multiple of that on plain ones, by data set."""
    values = np.linspace(-1, 1, 100)
    return [
        row(
            "splits",
            {
                "accuracy": 0.8 + width * v,
                "macro_f1": 0.8 + width * v,
                "off_share": away,
            },
            **{"data": data, "scheme": scheme, "split": i, "system": "linear"},
        )
        for data, multiple in zip(UNSTRATIFIED, ratios, strict=True)
        for scheme, width, away in (
            ("stratified", 0.01 * multiple, off),
            ("random", 0.01, 20.0),
        )
        for i, v in enumerate(values)
    ]


def test_like_ratios_pooled_are_one_known_better():
    """Of four independent ones the interval is half as long, on its scale."""
    one = Quantity(0.8, 0.8 / 1.44, 0.8 * 1.44)
    found = pooled(dict.fromkeys("abcd", one))
    ends = found.estimate, found.low, found.high
    assert ends == pytest.approx((0.8, 0.8 / 1.2, 0.8 * 1.2))
    # Of one search they may depend on each other, and two searches do not.
    found = pooled(dict.fromkeys(["a1", "a2", "b1", "b2"], one), lambda name: name[0])
    assert found.high == pytest.approx(0.8 * 1.44 ** (1 / np.sqrt(2)))


@grid(
    ("ratios", "off", "verdict", "each", "first"),
    [
        ((0.5,) * 6, 1.5, YES, YES, OPEN),
        ((0.5,) * 2 + (1,) * 4, 1.0, YES, OPEN, YES),
        ((1,) * 6, 1.0, OPEN, OPEN, OPEN),
        ((0.5, 2) * 3, 1.0, OPEN, NO, YES),
        ((2,) * 4 + (0.5,) * 2, 0.5, NO, NO, NO),
    ],
)
def test_stratify(ratios, off, verdict, each, first):
    found, words = analysed("stratify", stratified(ratios, off))
    assert (found["verdict"], found["first_verdict"]) == (verdict, first)
    assert words["each of the six"] == each
    mean = np.prod(ratios) ** (1 / 6)
    assert f"over stratified splits, over plain ones: {mean:.2f} (" in found["evidence"]
    assert f"within {off} items (plain splits: 20)" in found["evidence"]


def nine(*scores, n_classes=10):
    """Scores of the best system and of the dummy, a pair for each data set."""
    return pd.DataFrame(
        [
            {
                "dataset": f"data {i}",
                "system": system,
                "accuracy": score,
                "classes": n_classes,
            }
            for i, (best, dummy) in enumerate(scores)
            for system, score in (
                ("dummy", dummy),
                ("linear", best),
                ("tree", best / 2),
            )
        ]
    )


# The higher the score, the larger or the smaller the gain.
MORE, LESS = ([(0.7 + 0.03 * i, 0.2 + s * i) for i in range(8)] for s in (0, 0.06))
HARD = (0.59, 0.2, 10)  # the best system, the dummy, and how many classes


@grid(
    ("easy", "hard", "others", "verdict", "by_the_course", "shown"),
    [
        (0.9, HARD, LESS, YES, OPEN, "reaches 0.900 (accuracy; its macro F1 is 0.47)"),
        (0.95, HARD, LESS, YES, YES, "; on 1 of the book's nine"),
        (0.95, (0.61, 0.2, 10), LESS, YES, OPEN, "on 1 of the book's nine"),
        # Examples there are, though scores and gains rise together.
        (0.9, HARD, MORE, YES, NO, "Rank correlation of score and gain 1.00"),
        (0.89, HARD, LESS, OPEN, OPEN, "reaches 0.890"),
        (0.95, (0.59, 0.45, 10), LESS, OPEN, OPEN, "on 0 of the book's nine"),
        # Who guesses among two classes gets one half.
        (0.95, (0.59, 0.2, 2), LESS, OPEN, OPEN, "on 0 of the book's nine"),
    ],
)
def test_a_number_alone(monkeypatch, easy, hard, others, verdict, by_the_course, shown):
    *scores, n_classes = hard
    table = nine(scores, *others, n_classes=n_classes)
    monkeypatch.setattr("lab.record.tables.load_recorded", lambda *name: table)
    digits = pd.Series([0] * round(1000 * easy) + [8] * round(1000 * (1 - easy)))
    monkeypatch.setattr(divided.datasets, "load_bundled", lambda name: (None, digits))
    found, words = analysed("numbers-need-context")
    assert found["verdict"] == verdict, found["evidence"]
    assert shown in found["evidence"]
    assert words["the course's own numbers, 0.95 and 0.60"] == by_the_course


COUNT = 40
EVEN = np.resize([1, -1], 20)
# Later splits that all go one way, and those of a sample that all do.
LATE, ALL = np.r_[np.zeros(10), np.full(10, 4)], np.full(20, 3)


@pytest.fixture
def few_samples(monkeypatch):
    monkeypatch.setattr(divided, "TESTED", {"docstrings": COUNT, "sst2": COUNT})


def over_splits(docstrings, sst2):
    """Differences of so many items: even ones, but on so many samples they go one way
    or the other.
    """
    return [
        row(
            "over_splits",
            {
                "naive_bayes": pack(np.full(20, 0.5), ".6f"),
                "linear": pack(
                    (32 + EVEN + way * (sample < count) * (1 - 2 * (sample % 2))) / 60,
                    ".6f",
                ),
            },
            **{"data": data, "sample": sample},
        )
        for data, (way, count) in {"docstrings": docstrings, "sst2": sst2}.items()
        for sample in range(COUNT)
    ]


@pytest.mark.parametrize(
    ("docstrings", "sst2", "verdict", "first"),
    [
        ((ALL, 0), (ALL, 0), YES, YES),
        ((ALL, 0), (ALL, 4), OPEN, YES),
        ((ALL, 0), (ALL, 30), NO, YES),
        ((LATE, 30), (ALL, 0), NO, NO),
    ],
    ids=["never", "sometimes", "often on one", "often with twenty"],
)
def test_the_signed_rank_test_over_splits(
    few_samples, docstrings, sst2, verdict, first
):
    said, evidence, by_first = judged(
        "wilcoxon-valid-over-splits", over_splits(docstrings, sst2)
    )
    assert (said, by_first) == (verdict, first)
    # Of the samples, this many differ from the centre in enough splits.
    assert f"SST-2, 20 splits {100 * sst2[1] / COUNT:.1f}" in evidence


def test_an_alarm_is_that_of_the_book_s_own_test_at_the_mean_over_all_samples(
    monkeypatch,
):
    monkeypatch.setattr(divided, "TESTED", {"sst2": COUNT})
    rng = np.random.default_rng(3)
    items = rng.integers(-6, 7, size=(COUNT, 20)) + rng.integers(-2, 3, size=(COUNT, 1))
    bayes = pack(np.full(20, 0.5), ".6f")
    rows = [
        row(
            "over_splits",
            {"naive_bayes": bayes, "linear": pack(0.5 + d / 60, ".6f")},
            data="sst2",
            sample=i,
        )
        for i, d in enumerate(items)
    ]
    alarms = divided._alarms(Rows(rows), centres=divided.CENTRES)
    for n in (10, 20):
        expected = [
            wilcoxon(d[:n] - items.mean(), np.zeros(n)).pvalue <= 0.05 for d in items
        ]
        assert alarms[f"SST-2, {n} splits"].estimate == pytest.approx(
            100 * np.mean(expected)
        )


@pytest.mark.parametrize(
    ("nested", "plain", "noise", "verdict"),
    [
        (0.0, 0.03, 0.01, "replicated"),
        (-0.005, 0.0, 0.001, "replicated"),
        (0.03, 0.05, 0.01, "not replicated"),
        (-0.03, 0.05, 0.01, "not replicated"),
        (0.0, 0.03, 0.2, "inconclusive"),  # the interval holds a point and more
        (0.0, 0.0, 0.0, "inconclusive"),  # no optimism at all
        (0.0, -0.03, 0.001, "not replicated"),
    ],
)
def test_the_lock_is_simulated(monkeypatch, nested, plain, noise, verdict):
    errors = noise * np.random.default_rng(0).permutation(np.linspace(-1, 1, 60))
    table = {
        "sample": range(60),
        "truth": 0.3,
        "nested": 0.3 + nested + errors,
        "plain": 0.3 + plain + errors,
    }
    monkeypatch.setattr(
        "lab.record.tables.load_recorded", lambda *names: pd.DataFrame(table)[::-1]
    )
    said, evidence, _ = judged("cross-validation-simulates-lock")
    assert said == verdict, evidence


@pytest.mark.parametrize("claim", ["stratify", "wilcoxon-valid-over-splits"])
def test_with_one_row_too_few_nothing_is_said(few_samples, claim):
    rows = (
        stratified((0.5,) * 6)
        if claim == "stratify"
        else over_splits((ALL, 0), (ALL, 0))
    )
    with pytest.raises(MissingRunsError):
        judged(claim, rows[:-1])
