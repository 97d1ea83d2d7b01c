"""The judges on small data and on tests over splits, on made-up rows whose verdict is known."""

import numpy as np
import pytest
from made_up import spread

from evalkit import wilcoxon
from evalkit.papers.judging import MissingRunsError
from evalkit.papers.potts2020.claims import repeated
from evalkit.papers.potts2020.claims.repeated import JUDGES
from evalkit.papers.potts2020.tasks import FOLD_DATA, FOLDED, SAMPLES, divided, simulated
from evalkit.papers.rows import Rows
from evalkit.recorded import pack

REPLICATED, NOT, OPEN = "replicated", "not replicated", "inconclusive"


def row(table, result, **unit):
    return {"unit": {"table": table, **unit}, "result": result}


def found(claim, rows=()):
    return JUDGES[claim](Rows(list(rows)))


# ---------------------------------------------------------------------------------------------
# Estimates on small data
# ---------------------------------------------------------------------------------------------


def small(*kinds):
    """Scores on few items, and on many where so much of the SD remains."""
    rows = []
    for data, (width, remains) in zip(("docstrings", "sst2"), kinds, strict=True):
        few = spread(0.6, width, SAMPLES) if width else np.full(SAMPLES, 0.6)
        rows += [
            row("small", {"few": a, "many": 0.6 + remains * (a - 0.6), "n_many": 8000}, data=data, draw=i)
            for i, a in enumerate(few)
        ]
    return rows


@pytest.mark.parametrize(
    ("docstrings", "sst2", "verdict"),
    [
        ((0.05, 0.8), (0.05, 0.75), REPLICATED),
        ((0.05, 0.8), (0.05, 0.5), NOT),
        ((0.01, 0.8), (0.05, 0.8), OPEN),
        ((0.02, 0.8), (0.05, 0.8), OPEN),
        ((0.0, 0.0), (0.05, 0.8), OPEN),
    ],
    ids=["both", "a quarter of one", "below 2 points", "at 2 points", "constant"],
)
def test_small_data_vary(docstrings, sst2, verdict):
    judged = found("small-data-vary", small(docstrings, sst2))
    assert judged.verdict == verdict
    assert judged.intervals == 4


def alternating(size, count=SAMPLES):
    """Errors of one size, to either side: their root mean square is it."""
    return np.resize([size, -size], count)


def estimated(*sizes):
    """Errors of one split of 0.1, and of five folds of these sizes."""
    rows = []
    for data, five in zip(("docstrings", "digits", "sst2", "tweets"), sizes, strict=True):
        errors = zip(alternating(0.1), five, strict=True)
        rows += [
            row(
                "estimated",
                {"one_split": 0.7 + a, "five_folds": 0.7 + b, "truth": 0.7},
                data=data,
                sample=i,
            )
            for i, (a, b) in enumerate(errors)
        ]
    return rows


# Half as large; a little larger; as large, but a few errors make it all.
HALF, MORE, FEW = alternating(0.05), alternating(0.101), np.r_[[0.8] * 4, [0.0] * 196]


@pytest.mark.parametrize(
    ("sizes", "verdict"),
    [
        ((HALF, HALF, HALF, MORE), REPLICATED),
        ((HALF, HALF, FEW, MORE), OPEN),
        ((HALF, HALF, MORE, MORE), NOT),
        ((HALF, HALF, alternating(0.1), alternating(0.1)), NOT),
        ((HALF, HALF, HALF, np.zeros(SAMPLES)), REPLICATED),
    ],
    ids=["three of four", "unsure", "larger on two", "as large on two", "no error at all"],
)
def test_cross_validation_averages(sizes, verdict):
    assert found("cross-validation-averages", estimated(*sizes)).verdict == verdict


def tiny(changed=None):
    """Errors of leave-one-out of 0.05 and of five folds of 0.1; of some settings, others."""
    rows = []
    for data in ("docstrings", "digits"):
        for size in divided.TINY:
            one, five = (changed or {}).get((data, size), (0.05, 0.1))
            rows += [
                row(
                    "tiny",
                    {"leave_one_out": 0.5 + a, "five_folds": 0.5 + b, "truth": 0.5, "dummy": 0.4},
                    data=data,
                    size=size,
                    sample=i,
                )
                for i, (a, b) in enumerate(zip(alternating(one), alternating(five), strict=True))
            ]
    return rows


@pytest.mark.parametrize(
    ("changed", "verdict"),
    [
        ({}, REPLICATED),
        ({("digits", 30): (0.1, 0.05)}, OPEN),
        ({("digits", 20): (0.1, 0.05), ("docstrings", 20): (0.1, 0.05)}, OPEN),
        ({("digits", size): (0.1, 0.05) for size in divided.TINY}, NOT),
        ({("digits", size): (0.0, 0.0) for size in divided.TINY}, OPEN),
    ],
    ids=["everywhere", "one setting", "a size", "a data set", "no error at all"],
)
def test_leave_one_out_for_tiny_data(changed, verdict):
    judged = found("leave-one-out-for-tiny-data", tiny(changed))
    assert judged.verdict == verdict
    assert "model 50.0 %, dummy 40.0 %" in judged.evidence
    assert "LeaveOneOut makes the folds" in judged.evidence


def test_leave_one_out_that_makes_other_folds_confirms_nothing(monkeypatch):
    class Backwards(repeated.LeaveOneOut):
        def split(self, items):
            return list(super().split(items))[::-1]

    monkeypatch.setattr(repeated, "LeaveOneOut", Backwards)
    judged = found("leave-one-out-for-tiny-data", tiny())
    assert judged.verdict == OPEN
    assert "does not make" in judged.evidence


# ---------------------------------------------------------------------------------------------
# How many folds
# ---------------------------------------------------------------------------------------------


def folds(*gains, noise=0.002):
    """Ten folds better than three by these points; a partition that is easy is so for both."""
    rows = []
    easy = np.random.default_rng(0).permutation(spread(0, 0.02, 20))
    for (data, size), gain in zip(FOLD_DATA, gains, strict=True):
        scores = {3: 0.7 + easy, 10: 0.7 + easy + spread(gain / 100, noise, 20)}
        rows += [
            row("folds", {"items": 300, "accuracy": a}, data=data, size=size, k=k, partition=i)
            for k, values in scores.items()
            for i, a in list(enumerate(values))[:: 1 if k == 3 else -1]
        ]
    return rows


@pytest.mark.parametrize(
    ("gains", "verdict"),
    [
        ((2, 2, 2, 0, 0, 0, 0), REPLICATED),
        ((2, 2, 0, 0, 0, 0, 0), OPEN),
        ((2, 2, 1, 1, 1, 1, 1), OPEN),
        ((2, 0, 0, 0, 0, 0, 0), NOT),
        ((1, 0, 0, 0, 0, 0, 0), NOT),
    ],
)
def test_k_sets_the_scenario(gains, verdict):
    judged = found("k-sets-the-scenario", folds(*gains))
    assert judged.verdict == verdict
    assert judged.intervals == 7
    assert "docstrings (300) 2.00 (1.91 to 2.09)" in judged.evidence or gains[0] != 2


def over_folds(counts):
    """Differences by which three folds tell apart and ten do not, and so on, on so many samples."""
    wins, draws, losses, ties = (
        np.full(30, 0.02),
        np.resize([0.02, -0.02], 30),
        np.full(30, -0.02),
        np.zeros(30),
    )
    kinds = {
        "three": (wins, draws),
        "ten": (ties, wins),
        "opposed": (wins, losses),
        "both": (wins, wins),
        "neither": (ties, draws),
    }
    pairs = [kinds[kind] for kind, count in counts.items() for _ in range(count)]
    return [
        row(
            "over_folds", {"folds_3": pack(a, ".6f"), "folds_10": pack(b, ".6f")}, data="docstrings", sample=i
        )
        for i, (a, b) in enumerate(pairs)
    ]


@pytest.mark.parametrize(
    ("counts", "verdict", "differ"),
    [
        ({"three": 11, "ten": 10, "both": 100, "neither": 79}, REPLICATED, 21),
        ({"opposed": 21, "both": 179}, REPLICATED, 21),
        ({"three": 20, "both": 180}, OPEN, 20),
        ({"three": 10, "both": 190}, OPEN, 10),
        ({"three": 9, "neither": 191}, NOT, 9),
        ({"neither": 200}, NOT, 0),
    ],
)
def test_k_changes_tests(counts, verdict, differ):
    judged = found("k-changes-tests", over_folds(counts))
    assert judged.verdict == verdict
    assert judged.evidence.startswith(f"On {differ} of 200 samples")


# ---------------------------------------------------------------------------------------------
# A test over splits
# ---------------------------------------------------------------------------------------------

COUNT = 40
EVEN = np.resize([1, -1], 20)
# Later splits that all go one way, and those of a sample that all do.
LATE, ALL = np.r_[np.zeros(10), np.full(10, 4)], np.full(20, 3)


@pytest.fixture(autouse=True)
def few_samples(monkeypatch):
    """Forty samples of either corpus: each takes ten tests and as many corrected ones."""
    monkeypatch.setattr(repeated, "TESTED", {"docstrings": COUNT, "sst2": COUNT})


def over_splits(docstrings, sst2, off=2):
    """Differences of so many items: even ones, but on so many samples they go one way or the other."""
    rows = []
    for data, (way, count) in {"docstrings": docstrings, "sst2": sst2}.items():
        for sample in range(COUNT):
            sign = 0 if sample >= count else 1 - 2 * (sample % 2)
            differences = EVEN + sign * way + off
            result = {
                "naive_bayes": pack(np.full(20, 30 / 60), ".6f"),
                "linear": pack((30 + differences) / 60, ".6f"),
            }
            rows.append(row("over_splits", result, data=data, sample=sample))
    return rows


@pytest.mark.parametrize(
    ("docstrings", "sst2", "verdict"),
    [
        ((ALL, 0), (ALL, 0), REPLICATED),
        ((ALL, 0), (ALL, 4), OPEN),
        ((ALL, 0), (ALL, 30), NOT),
        ((ALL, 0), (LATE, 30), NOT),
    ],
    ids=["never", "sometimes", "often on one", "often with twenty"],
)
def test_the_signed_rank_test_over_splits(docstrings, sst2, verdict):
    judged = found("wilcoxon-valid-over-splits", over_splits(docstrings, sst2))
    assert judged.verdict == verdict
    assert len(judged.draws) == 4
    # Of the samples, this many differ from the centre in enough splits.
    assert f"SST-2, 20 splits {100 * sst2[1] / COUNT:.1f} (" in judged.evidence


def test_differences_that_are_the_same_everywhere_are_no_alarm():
    rows = over_splits((ALL, 0), (ALL, 0))
    for r in rows:
        r["result"]["linear"] = pack(np.full(20, 0.6), ".6f")
    judged = found("wilcoxon-valid-over-splits", rows)
    assert judged.verdict == REPLICATED
    assert "docstrings, 10 splits 0.0 (0.0 to 0.0)" in judged.evidence
    assert "corrected resampled t test rejects 0.0, 0.0, 0.0, 0.0." in judged.evidence


def test_an_alarm_is_that_of_the_book_s_own_test_at_the_mean_over_all_samples():
    rng = np.random.default_rng(3)
    items = rng.integers(-6, 7, size=(COUNT, 20)) + rng.integers(-2, 3, size=(COUNT, 1))
    rows = [
        row(
            "over_splits",
            {"naive_bayes": pack(np.full(20, 0.5), ".6f"), "linear": pack(0.5 + d / 60, ".6f")},
            data="sst2",
            sample=i,
        )
        for i, d in enumerate(items)
    ]
    means, centres, alarms, _ = repeated._alarms(Rows(rows), "sst2")
    np.testing.assert_allclose(means, items.mean(axis=1))
    np.testing.assert_allclose(centres[2], items.mean())
    for n in (10, 20):
        expected = [wilcoxon(d[:n] - items.mean(), np.zeros(n)).pvalue <= 0.05 for d in items]
        np.testing.assert_array_equal(alarms[n][:, 2], expected)
        assert alarms[n].shape == (COUNT, 5)


def test_the_error_of_the_centre_is_in_the_interval():
    means = spread(0, 1, 100)
    centres = np.arange(-2, 3) / 10
    # Alarms everywhere, but only if the centre is off by a standard error.
    alarms = np.resize([1, 0, 0, 0, 0], (100, 5)).astype(float)
    off = repeated._over_samples(means, centres, alarms)
    assert (off.estimate, off.low, off.high) == (0, 0, 100)
    alarms = np.resize([1, 1, 0, 1, 1], (100, 5)).astype(float)
    known = repeated._over_samples(means * 1e-6, centres, alarms)
    assert (known.estimate, known.low, known.high) == (0, 0, 0)


def rejections(ten=0.85, twenty=0.97):
    """Power of the test on the normal law; on the others it is full."""
    rows = []
    for law in simulated.LAWS:
        for n, share in ((10, ten), (20, twenty)):
            rejected = round(20_000 * (share if law == "normal" else 1))
            result = {"draws": 20_000, "wilcoxon": rejected, "t": 0}
            rows.append(row("rejections", result, law=law, n=n, shift=1.0))
    return rows


NONE, RISING = (ALL, 0), (LATE, 30)


@pytest.mark.parametrize(
    ("powers", "docstrings", "sst2", "verdict"),
    [
        ((0.85, 0.97), NONE, NONE, REPLICATED),
        ((0.85, 0.97), (ALL, 30), (ALL, 30), REPLICATED),
        ((0.78, 0.97), NONE, NONE, NOT),
        ((0.801, 0.97), NONE, NONE, OPEN),
        ((0.85, 0.90), NONE, NONE, OPEN),
        ((0.85, 0.97), RISING, NONE, OPEN),
        ((0.85, 0.97), RISING, RISING, NOT),
    ],
    ids=["enough", "as many alarms", "too little", "near", "too little at 20", "rising on one", "rising"],
)
def test_ten_splits_or_better_twenty(powers, docstrings, sst2, verdict):
    judged = found("ten-better-twenty", rejections(*powers) + over_splits(docstrings, sst2))
    assert judged.verdict == verdict
    assert len(judged.draws) == 4
    assert f"normal {100 * powers[0]:.1f} and {100 * powers[1]:.1f}" in judged.evidence


# ---------------------------------------------------------------------------------------------
# What is not there yet
# ---------------------------------------------------------------------------------------------

COMPLETE = {
    "small-data-vary": small((0.05, 0.8), (0.05, 0.8)),
    "cross-validation-averages": estimated(HALF, HALF, HALF, HALF),
    "leave-one-out-for-tiny-data": tiny(),
    "k-sets-the-scenario": folds(*[2] * 7),
    "k-changes-tests": over_folds({"both": FOLDED}),
    "wilcoxon-valid-over-splits": over_splits(NONE, NONE),
    "ten-better-twenty": over_splits(NONE, NONE) + rejections(),
}


@pytest.mark.parametrize("claim", list(JUDGES))
def test_with_one_row_too_few_nothing_is_said(claim):
    with pytest.raises(MissingRunsError):
        found(claim, COMPLETE[claim][:-1])
