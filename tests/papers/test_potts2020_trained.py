"""The judges of training, early stopping and learning curves on made-up rows whose verdict is known."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from evalkit.papers import judging
from evalkit.papers.judging import INCONCLUSIVE, NOT_REPLICATED, REPLICATED, SMALLER, MissingRunsError
from evalkit.papers.potts2020.claims import trained as judges
from evalkit.papers.potts2020.tasks import trained, tuned
from evalkit.papers.rows import Rows
from evalkit.recorded import pack

SEEDS, DATA = trained.CURVE_SEEDS, tuple(trained.CURVES)
CASES = []


def add(claim, verdict, shown, *tables, recorded=None):
    """Add what a judge says of rows and shows; the first case of a claim has as few as there may be."""
    CASES.append((claim, verdict, shown, [line for table in tables for line in table], recorded))


def row(table, result, **unit):
    return {"unit": {"table": table, **unit}, "result": result}


def normal(sd=1.0, count=SEEDS, seed=0):
    """Numbers like those of a normal distribution around 0, with this SD to the digit."""
    values = stats.norm.ppf((np.arange(count) + 0.5) / count)
    return np.random.default_rng(seed).permutation(sd * values / values.std(ddof=1))


# ---------------------------------------------------------------------------------------------
# Convergence
# ---------------------------------------------------------------------------------------------


def fits(warned=0, change=0.0):
    """Linear models, of which the first few warn and the last one changes with more iterations."""
    units = [(data, system) for data in trained.CONVERGENCE for system in trained.LINEAR_KINDS]
    rows = []
    for i, (data, system) in enumerate(units):
        tenfold = round(0.9 + (change if i == len(units) - 1 else 0), 6)
        result = {"warned_default": i < warned, "default": 0.9, "warned_tenfold": False, "tenfold": tenfold}
        rows.append(row("convergence", result, data=data, system=system))
    return rows


add("linear-models-converge", REPLICATED, "3 of 28 default fits warn", fits(3, -0.0049))
add(
    "linear-models-converge",
    REPLICATED,
    "0 of 28 default fits warn that they have not converged (none)",
    fits(),
)
add("linear-models-converge", NOT_REPLICATED, "linear on docstrings", fits(7))
add("linear-models-converge", NOT_REPLICATED, "in 1 fits, by at most 1.10 points", fits(0, -0.011))
add("linear-models-converge", INCONCLUSIVE, "4 of 28", fits(4))
add("linear-models-converge", INCONCLUSIVE, "at most 0.50 points", fits(0, 0.005))
add("linear-models-converge", INCONCLUSIVE, "at most 1.00 points", fits(0, 0.01))


def curves(data, error=None, dev=None, f1=None, accuracy=None, epochs=100):
    """Runs of the shallow classifier; their rows come in another order than they were run."""
    flat = np.full((SEEDS, epochs), 0.5)
    found = {"error": error, "dev": dev, "test_f1": f1, "test": accuracy}
    found = {name: flat if values is None else values for name, values in found.items()}
    return [
        row("curves", {name: pack(values[i], ".8f") for name, values in found.items()}, data=data, seed=i)
        for i in reversed(range(SEEDS))
    ]


def converging(data, spread=0.25, correlation=0.0, stuck=False, constant=False):
    """Runs that fall to a tenth at an epoch around 20; the final error goes with accuracy to some degree."""
    at = np.rint(20 + 20 * normal(spread)) if spread else np.full(SEEDS, 20)
    first, second = normal(seed=1), normal(seed=2)
    second -= first * (first @ second) / (first @ first)
    second /= second.std(ddof=1)
    error = np.where(np.arange(1, 61) < at[:, None], 1.0, 0.5 if stuck else 0.1)
    error[:, -1] += 0.01 * first
    accuracy = np.full((SEEDS, 60), 0.7)
    if not constant:
        accuracy[:, -1] += 0.01 * (correlation * first + np.sqrt(1 - correlation**2) * second)
    return curves(data, error=error, accuracy=accuracy, epochs=60)


def three(make, usual=None, **changed):
    """Rows of the three data sets, some of which are made otherwise."""
    return [line for data in DATA for line in make(data, **changed.get(data, usual or {}))]


TIGHT, RIGHT, WRONG = {"spread": 0.05}, {"correlation": -0.9}, {"correlation": 0.9}
add("networks-rarely-converge", REPLICATED, "share of its mean: artificial data 0.25 (", three(converging))
add("networks-rarely-converge", REPLICATED, "docstrings 0.05 (", three(converging, docstrings=TIGHT))
add(
    "networks-rarely-converge",
    REPLICATED,
    "accuracy: artificial data 0.00 (0.00",
    three(converging, {"constant": True}),
)
add(
    "networks-rarely-converge",
    NOT_REPLICATED,
    "SST-2 0.05 (",
    three(converging, sst2=TIGHT, docstrings=TIGHT),
)
add("networks-rarely-converge", NOT_REPLICATED, "SST-2 0.00 (0.00 to 0.00)", three(converging, {"spread": 0}))
add(
    "networks-rarely-converge",
    NOT_REPLICATED,
    "SST-2 -0.90 (",
    three(converging, sst2=RIGHT, docstrings=TIGHT),
)
add("networks-rarely-converge", INCONCLUSIVE, "SST-2 0.90 (", three(converging, WRONG))
add(
    "networks-rarely-converge",
    INCONCLUSIVE,
    "SST-2 not known, 50 runs never do",
    three(converging, sst2={"stuck": True}, docstrings={"stuck": True}),
)


def test_first_below_counts_from_one():
    error = np.array([[1.0, 0.5, 0.19, 0.3], [2.0, 0.39, 0.1, 0.1], [1.0, 0.5, 0.4, 0.2]])
    assert judges.first_below(error).tolist() == [3, 2, np.inf]


def test_correlation_is_numpys_and_0_for_constants():
    x, y = np.random.default_rng(0).normal(size=(2, 3, 9))
    assert judges.correlation(x, y) == pytest.approx(
        [np.corrcoef(a, b)[0, 1] for a, b in zip(x, y, strict=True)]
    )
    assert judges.correlation(np.full(9, 0.1), y[0]) == 0
    assert judges.correlation(y[0], np.full(9, 0.1)) == 0


# ---------------------------------------------------------------------------------------------
# Scores on the way
# ---------------------------------------------------------------------------------------------


def knowing(rng, shape, who):
    """Error, dev and test where the dev score, the error, both or neither knows the test score."""
    test, error, dev = rng.random((3, *shape))
    if who in ("dev", "both"):
        dev = test
    if who in ("error", "both"):
        error = 1 - test
    return error, dev, test


def on_the_way(data, who="dev"):
    error, dev, f1 = knowing(np.random.default_rng(3), (SEEDS, 20), who)
    return curves(data, error=error, dev=dev, f1=f1, epochs=20)


def random_settings(who="dev", **changed):
    rows = []
    for data in tuned.SETTINGS_DATA:
        shape = (tuned.SETTINGS_SPLITS, tuned.WIDE)
        found = np.array(knowing(np.random.default_rng(4), shape, changed.get(data, who)))
        for split, number in np.ndindex(shape):
            error, dev, f1 = found[:, split, number]
            result = {"error": error, "dev_curve": pack([0.1, dev], ".8f"), "last_f1": f1}
            rows.append(row("settings", result, data=data, space="wide", split=split, number=number))
    return rows


ERROR, NEITHER = {"who": "error"}, {"who": "neither"}
BEATS = "dev-scores-beat-error"
add(BEATS, REPLICATED, "in ranks +", three(on_the_way), random_settings())
add(BEATS, REPLICATED, "docstrings -", three(on_the_way, sst2=ERROR), random_settings(docstrings="error"))
add(BEATS, NOT_REPLICATED, "SST-2 -", three(on_the_way, sst2=ERROR, docstrings=ERROR), random_settings())
add(BEATS, NOT_REPLICATED, "SST-2 -", three(on_the_way), random_settings("error", tweets="dev"))
add(BEATS, NOT_REPLICATED, "SST-2 0.00 (0.00 to 0.00)", three(on_the_way, {"who": "both"}), random_settings())
add(BEATS, INCONCLUSIVE, "SST-2", three(on_the_way, sst2=NEITHER, docstrings=NEITHER), random_settings())
add(BEATS, INCONCLUSIVE, "SST-2", three(on_the_way), random_settings("neither"))


def falling(falls, below=0.02, rises=0, peak=5):
    """Runs on the artificial data of which some end so far below their peak, and some with more error."""
    error = np.tile(np.linspace(1, 0.1, 100), (SEEDS, 1))
    error[:rises, -1] = 0.5
    dev = np.full((SEEDS, 100), 0.7)
    dev[:falls, peak - 1] += below
    return curves("artificial", error=error, dev=dev)


add("dev-curve-differs", REPLICATED, "in 50 of 50 runs, while dev macro F1 ends", falling(38))
add("dev-curve-differs", NOT_REPLICATED, "below its peak in 12, by", falling(12))
add("dev-curve-differs", NOT_REPLICATED, "below its peak in 0, by a median of 1.0", falling(50, below=0.01))
# The cells look at every fifth epoch only.
add("dev-curve-differs", NOT_REPLICATED, "below its peak in 0, by a median of 0.0", falling(50, peak=6))
add("dev-curve-differs", INCONCLUSIVE, "below its peak in 37, by", falling(37))
add("dev-curve-differs", INCONCLUSIVE, "in 49 of 50 runs", falling(50, rises=1))


# ---------------------------------------------------------------------------------------------
# Early stopping
# ---------------------------------------------------------------------------------------------


def stopping(data, gain=0.0, noise=0.001):
    """Runs that all peak at the third of five epochs, where they score so many points more."""
    dev, f1 = np.full((2, SEEDS, 5), 0.6)
    dev[:, 2] = 0.7
    f1[:, 2] += gain / 100 + normal(noise / 100)
    return curves(data, dev=dev, f1=f1, accuracy=f1 - 0.1, epochs=5)


UP, DOWN, LITTLE = {"gain": 2.0}, {"gain": -2.0}, {"gain": 0.1}
add("early-stopping", REPLICATED, "SST-2 2.00 (2.00 to 2.00)", three(stopping, UP))
add("early-stopping", REPLICATED, "accuracy: artificial data -2.00", three(stopping, UP, artificial=DOWN))
add("early-stopping", SMALLER, "SST-2 0.10 (0.10 to 0.10)", three(stopping, LITTLE))
add("early-stopping", NOT_REPLICATED, "SST-2 -2.00 (", three(stopping, DOWN, artificial=UP))
add("early-stopping", NOT_REPLICATED, "to 0.00); SST-2", three(stopping))
add("early-stopping", NOT_REPLICATED, "SST-2 0.00 (0.00 to 0.00)", three(stopping, {"noise": 0.0}))
add("early-stopping", INCONCLUSIVE, "to 0.57); SST-2", three(stopping, {"noise": 2.0}))


def kept(data, lead=0.0, of_kept=0.01, of_others=0.01):
    """Runs that each peak at an epoch of their own: scores of kept runs and of others, with their SDs."""
    at_peak = 0.6 + normal(of_others / 100, SEEDS**2).reshape(SEEDS, SEEDS)
    at_peak[np.diag_indices(SEEDS)] = 0.6 + lead / 100 + normal(of_kept / 100)
    dev = 0.6 + 0.1 * np.eye(SEEDS)
    return curves(data, dev=dev, f1=at_peak.T, accuracy=at_peak.T, epochs=SEEDS)


AHEAD, BEHIND, STEADY = {"lead": 1.0}, {"lead": -1.0}, {"of_others": 1.0}
add("rewinding-safest", REPLICATED, "in accuracy: artificial data 1.00", three(kept, AHEAD, sst2=BEHIND))
add("rewinding-safest", REPLICATED, "of the kept run: artificial data 1.00 (", three(kept, STEADY))
add("rewinding-safest", REPLICATED, "SST-2 1.00 (", three(kept, {**AHEAD, "of_kept": 0.0, "of_others": 0.0}))
add("rewinding-safest", NOT_REPLICATED, "SST-2 -1.00 (", three(kept, BEHIND, docstrings=AHEAD))
add("rewinding-safest", INCONCLUSIVE, "to 0.00); SST-2", three(kept))
# Ahead, but less steady.
add("rewinding-safest", INCONCLUSIVE, "SST-2 -0.99 (", three(kept, {**AHEAD, "of_kept": 1.0}))


def test_what_stops_at_the_peak():
    dev, test = np.random.default_rng(5).random((2, 8, 6))
    stopped, others, own = judges.Stopped(dev, test), [], []
    for i in range(8):
        peak = int(np.argmax(dev[i]))
        own.append(100 * test[i, peak])
        others += [(100 * test[j, peak], 100 * test[j, -1]) for j in range(8) if j != i]
    score, limit = np.array(others).T
    assert stopped.gain.estimate == pytest.approx(np.mean(score - limit))
    assert stopped.kept_lead.estimate == pytest.approx(np.mean(own) - np.mean(score))
    assert stopped.steadier.estimate == pytest.approx(np.std(score) * np.sqrt(8 / 7) - np.std(own, ddof=1))


def test_sd_of_others_is_that_of_two_independent_seeds():
    """Rows and columns of one SD each: a run that two seeds make has both variances."""
    rng = np.random.default_rng(6)
    squares = [rng.normal(size=(12, 1)) + rng.normal(size=12) for _ in range(2000)]
    assert np.mean([judges._sd_of_others(x) ** 2 for x in squares]) == pytest.approx(2, abs=0.05)


# ---------------------------------------------------------------------------------------------
# Learning curves
# ---------------------------------------------------------------------------------------------


def recorded(by_epoch=((1, 0), (1, 0)), by_size=((1, 0), (1, 0)), scatter=0.5):
    """Two networks and two systems, with their scores in points at the first and the last look."""
    networks = [
        {"system": system, "seed": seed, "validation_curve": pack(np.r_[early, *extra, end] / 100, ".6f")}
        for system, (early, end) in zip(("mlp", "lstm"), np.add(by_epoch, 50), strict=True)
        for seed, e in enumerate(normal(scatter, 100))
        # Runs stop at different epochs, the shortest after three.
        for early, end, extra in [(early + e, end + e, [early + e] * (1 + seed % 3))]
    ]
    sizes = [
        {"system": system, "split": split, "train_share": share, "accuracy": (score + e) / 100}
        for system, scores in zip(("linear", "naive_bayes"), np.add(by_size, 50), strict=True)
        for share, score in zip((0.1, 0.9), scores, strict=True)
        # What splits have in common leaves the differences alone.
        for split, e in enumerate(normal(10, 20) + normal(scatter, 20, seed=len(system)))
    ]
    return {("pools", "seeds"): pd.DataFrame(networks), ("resplits", "curve"): pd.DataFrame(sizes)}


CROSS = ((0, 2), (2, 0))
REPORT = "report-learning-curves"
add(
    REPORT,
    REPLICATED,
    "1 surely change their order: LSTM minus MLP",
    recorded=recorded(CROSS),
)
add(REPORT, REPLICATED, "naive bayes over training size: -2", recorded=recorded(by_size=CROSS))
add(REPORT, REPLICATED, "2 surely change", recorded=recorded(CROSS, CROSS, scatter=0))
add(REPORT, NOT_REPLICATED, "Of 2 pairs of systems", recorded=recorded())
add(REPORT, NOT_REPLICATED, "0 surely change", recorded=recorded(scatter=0))
add(REPORT, NOT_REPLICATED, "0 surely change", recorded=recorded(CROSS, scatter=20))


def shuffled(data, learned=10, train=0.9, off=0.0):
    return [
        row(
            "shuffled",
            {"train": 0.995 if i < learned else train, "test": 0.5 + off, "dummy": 0.5},
            data=data,
            seed=i,
        )
        for i in range(10)
    ]


def two(**changed):
    return [line for data in trained.SHUFFLED for line in shuffled(data, **changed.get(data, {}))]


ANYTHING = "networks-can-learn-anything"
add(ANYTHING, REPLICATED, "SST-2 9 of 10 seeds above 99 %", two(sst2={"learned": 9, "off": -0.05}))
add(ANYTHING, NOT_REPLICATED, "lowest 90.0 %", two(docstrings={"learned": 0}))
add(ANYTHING, INCONCLUSIVE, "8 of 10", two(sst2={"learned": 8}))
add(ANYTHING, INCONCLUSIVE, "0 of 10", two(sst2={"learned": 0, "train": 0.95}))
add(ANYTHING, INCONCLUSIVE, "dummy's -6.0 to -6.0 points", two(docstrings={"off": -0.06}))


# ---------------------------------------------------------------------------------------------
# All of them
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("claim", "verdict", "shown", "rows", "tables"), CASES)
def test_each_word_of_a_judge(monkeypatch, claim, verdict, shown, rows, tables):
    monkeypatch.setattr(judges, "load_recorded", lambda *name: tables[name])
    # Where a limit is near, twice as many draws show what sixteen times as many would.
    monkeypatch.setattr(judging, "MOST_DRAWS", 2)
    found = judges.JUDGES[claim](Rows(rows))
    assert (found.verdict, found.data) == (verdict, "own run"), found.evidence
    assert shown in found.evidence
    assert "nan" not in found.evidence


@pytest.mark.parametrize("claim", [claim for claim in judges.JUDGES if claim != REPORT])
def test_a_judge_without_all_rows_waits(claim):
    first = next(rows for name, _, _, rows, _ in CASES if name == claim)
    for left in (first[1:], first[:-1], []):
        with pytest.raises(MissingRunsError):
            judges.JUDGES[claim](Rows(left))


def test_the_order_of_rows_does_not_matter():
    for claim in (BEATS, "networks-rarely-converge", "rewinding-safest"):
        rows = next(rows for name, _, _, rows, _ in CASES if name == claim)
        there, back = (judges.JUDGES[claim](Rows(lines)).evidence for lines in (rows, rows[::-1]))
        assert there == back


def test_every_judge_has_its_words():
    said = {claim: {verdict for name, verdict, *_ in CASES if name == claim} for claim in judges.JUDGES}
    words = {REPLICATED, NOT_REPLICATED, INCONCLUSIVE}
    assert said.pop(REPORT) == words - {INCONCLUSIVE}
    assert said.pop("early-stopping") == words | {SMALLER}
    assert all(found == words for found in said.values())
