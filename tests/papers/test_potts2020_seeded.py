"""The judges of seeds, XOR and single runs on made-up rows and pools whose verdict is known."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from evalkit import datasets, mcnemar
from evalkit.experiments.pools import pack_predictions
from evalkit.papers import judging
from evalkit.papers.judging import INCONCLUSIVE, NOT_REPLICATED, REPLICATED, MissingRunsError
from evalkit.papers.potts2020 import tasks
from evalkit.papers.potts2020.claims import seeded as judges
from evalkit.papers.potts2020.tasks import simulated, trained, tuned
from evalkit.papers.rows import Rows

CASES = []


def add(claim, verdict, shown, *tables, **recorded):
    """Add what a judge says of rows and shows; the first case of a claim has as few as there may be."""
    CASES.append((claim, verdict, shown, [line for table in tables for line in table], recorded))


def row(table, result, **unit):
    return {"unit": {"table": table, **unit}, "result": result}


def normal(sd=1.0, count=100, seed=0):
    """Numbers like those of a normal distribution around 0, with this SD to the digit."""
    values = stats.norm.ppf((np.arange(count) + 0.5) / count)
    return np.random.default_rng(seed).permutation(sd * values / values.std(ddof=1))


# ---------------------------------------------------------------------------------------------
# Which seeds matter, and what initialisation does
# ---------------------------------------------------------------------------------------------


def notebook(**different):
    """How many splits, errors and dev curves come out with some sources fixed; by default one of each."""
    rows = []
    for count in range(4):
        for fixed in itertools.combinations(trained.SOURCES, count):
            found = different.get("_".join(fixed), (1, 1, 1))
            result = dict(zip(("splits", "errors", "dev_curves"), found, strict=True))
            rows.append(row("notebook", result, fixed="+".join(fixed), times=5))
    return rows


NEEDED = {"python_torch": (5, 5, 5), "python_numpy": (1, 5, 5)}
ALL = "python_numpy_torch"
add(
    "seeds-that-matter",
    REPLICATED,
    "NumPy's 5, 5, 5; torch's 1, 5, 5. The splits come",
    notebook(**NEEDED)[4:],
)
add("seeds-that-matter", REPLICATED, "read as Python's alone, the claim fails", notebook(**NEEDED))
add("seeds-that-matter", REPLICATED, "The splits do not depend on NumPy's global state", notebook())
add("seeds-that-matter", REPLICATED, "read as Python's alone, the claim holds, too", notebook())
add("seeds-that-matter", NOT_REPLICATED, "none 1, 1, 2", notebook(**{ALL: (1, 1, 2)}))


def pools(mlp=1.0, lstm=1.0, scale=normal):
    """Seeds of the two networks whose test accuracies have these SDs, in points."""
    rows = []
    for i, (system, sd) in enumerate((("mlp", mlp), ("lstm", lstm))):
        test = 0.6 + scale(sd, seed=i) / 100
        rows += [{"system": system, "seed": s, "test": value} for s, value in enumerate(test)]
    return {"pools_seeds": pd.DataFrame(rows[::-1])}


def crossed(seed=1.0, split=1.0, rest=0.0, shape=(12, 8), by="split"):
    """Crossed runs in which each factor has this SD, in points; and the rest beside them."""
    cells = normal(seed, shape[0])[:, None] + normal(split, shape[1], seed=1)
    cells = 0.6 + (cells + normal(rest, cells.size, seed=2).reshape(shape)) / 100
    return pd.DataFrame([{"seed": i, by: j, "test": cells[i, j]} for i, j in np.ndindex(shape)][::-1])


ORDERS = {"crossed_orders": crossed(0.3, 0.1, shape=(12, 12), by="order_seed")}
INITIAL = "initialisation-matters"
add(INITIAL, REPLICATED, "MLP an SD of 0.30, the order 0.10", **pools(2, 2), **ORDERS)
add(INITIAL, NOT_REPLICATED, "MLP 1.2", **pools(0.4, 0.4), **ORDERS)
add(INITIAL, NOT_REPLICATED, "MLP 0.00 (0.00 to 0.00)", **pools(0, 0), **ORDERS)
add(INITIAL, INCONCLUSIVE, "Reimers and Gurevych", **pools(0.4, 2), **ORDERS)
add(INITIAL, INCONCLUSIVE, "Reimers and Gurevych", **pools(0.61, 0.61), **ORDERS)


def starts(differ=0.01, separated=50, wide=None):
    """Linear classifiers from random starts; those from wide ones may differ otherwise."""
    rows = []
    for data, scale in itertools.product(trained.START_DATA, trained.SCALES):
        share = differ if wide is None or scale < 1 else wide
        result = {"separated": separated, "differ": share, "differ_most": 2 * share}
        rows.append(row("starts", result, data=data, scale=scale))
    return rows


SIMPLE = "initialisation-of-simple-models"
add(SIMPLE, REPLICATED, "breast cancer (0.01) 50 of 50, 1.00 %", starts())
add(SIMPLE, REPLICATED, "docstrings (1) 50 of 50, 0.50 %", starts(0.005))
add(SIMPLE, NOT_REPLICATED, "docstrings (1) 50 of 50, 0.00 %", starts(0.0))
add(SIMPLE, INCONCLUSIVE, "docstrings (1) 49 of 50", starts(separated=49))
add(SIMPLE, INCONCLUSIVE, "breast cancer (1) 50 of 50, 0.10 %", starts(wide=0.001))
add(SIMPLE, INCONCLUSIVE, "docstrings (0.01) 50 of 50, 0.00 %", starts(0.0, wide=0.01))


# ---------------------------------------------------------------------------------------------
# XOR
# ---------------------------------------------------------------------------------------------


def learned(tanh=0.625, other=0.3, same=None, hidden=(2, 3, 4, 8)):
    """Shares of 1,000 networks that have learned a labelling, those with two tanh units and the others."""
    rows = []
    for labels, activation, units in itertools.product(("same", "xor"), ("tanh", "relu"), hidden):
        share = tanh if (activation, units) == ("tanh", 2) else other
        if labels == "same" and same is not None:
            share = same
        result = dict.fromkeys(judges.STEPS, share)
        rows.append({"labels": labels, "activation": activation, "hidden": units, "seeds": 1000, **result})
    return {"xor_learned": pd.DataFrame(rows[::-1])}


def search(shape):
    """Random searches of two networks, by how their scores lie."""
    scores = {
        "torn": np.repeat([0.2, 0.6], [50, 150]),
        "even": np.linspace(0.2, 0.6, 200),
        "equal": np.full(200, 0.5),
        "few": np.repeat([0.2, 0.4, 0.6], [95, 10, 95]),
    }[shape]
    rows = [{"system": system, "test": score} for system in ("mlp", "lstm") for score in scores]
    return {"pools_search": pd.DataFrame(rows)}


FAILURE = "report-failure-rate"
add(
    FAILURE,
    REPLICATED,
    "MLP 0.0 % of 200 (mean 50.0 %, 25.0 % (19.2 to 31.6) fail)",
    **learned(),
    **search("torn"),
)
add(FAILURE, NOT_REPLICATED, "XOR 95.0 % of 1,000 (mean 95.0 %)", **learned(0.95), **search("few"))
add(FAILURE, NOT_REPLICATED, "MLP 100.0 % of 200 (mean 50.0 %)", **learned(1.0), **search("equal"))
add(FAILURE, INCONCLUSIVE, "LSTM 20.0 % of 200 (mean 40.0 %)", **learned(), **search("even"))
# Five in a hundred are too many.
add(FAILURE, INCONCLUSIVE, "LSTM 5.0 % of 200", **learned(), **search("few"))

DEFINITION = "xor-definition"
add(
    DEFINITION,
    NOT_REPLICATED,
    "on 4 of 4 rows the cell says the opposite. Of 1,000 seeds 62.5 %",
    **learned(),
)
add(DEFINITION, NOT_REPLICATED, "adjusted by Holm, is 1.00", **learned())
add(DEFINITION, NOT_REPLICATED, "adjusted by Holm, is 0.00", **learned(same=0.5))

add(
    "xor-not-linear",
    REPLICATED,
    "16 ways to label the four points a line makes 14; the best of them labels 3",
)

HIDDEN = "xor-one-hidden-layer"
add(
    HIDDEN,
    REPLICATED,
    "label 4 of 4 points rightly, and of 1,000 seeds of the cell's network 62.5 % (59.4",
    **learned(),
)
add(HIDDEN, NOT_REPLICATED, "network 0.0 % (0.0 to 0.4) learn it", **learned(same=0.0))


def cells(usual=300, **changed):
    """How many of 1,000 networks with other sizes and learning rates have learned XOR."""
    rows = []
    for (rate, hidden), activation in itertools.product(simulated.XOR, ("tanh", "relu")):
        found = changed.get(f"{activation}_{hidden}", usual)
        counts = np.broadcast_to(found, len(judges.STEPS))
        result = dict(zip(judges.STEPS, map(int, counts), strict=True))
        rows.append(row("xor", result, activation=activation, hidden=hidden, learning_rate=rate))
    return rows


RARELY = "xor-rarely-perfect"
# 0.933 to the power ten is a half; of 1,000 seeds the interval reaches 0.016 farther down.
add(RARELY, REPLICATED, "In 96 of 96 cells", cells(930), **learned(0.93, 0.93))
add(
    RARELY,
    NOT_REPLICATED,
    "relu, learning rate 0.01: 32 units; relu, learning rate 0.1: 32 units.",
    cells(relu_32=1000),
    **learned(),
)
add(
    RARELY,
    NOT_REPLICATED,
    "tanh, learning rate 0.1: 3 (2000, 5000 steps) units",
    cells(tanh_3=(900, 940, 990, 990)),
    **learned(),
)
add(RARELY, NOT_REPLICATED, "tanh, learning rate 0.01: 2 units", cells(), **learned(tanh=1.0))
add(RARELY, INCONCLUSIVE, "In 92 of 96 cells", cells(tanh_3=940), **learned())


def test_lines_divide_three_points_in_every_way():
    assert len(judges.linear_labellings([(0, 0), (1, 0), (0, 1)])) == 8
    # On one line the middle point cannot be alone.
    assert len(judges.linear_labellings([(0, 0), (1, 1), (2, 2)])) == 6


def test_a_definition_that_is_right(monkeypatch):
    tables = learned()
    monkeypatch.setattr(judges, "load_recorded", lambda *name: tables["_".join(name)])
    monkeypatch.setattr(judges, "CELL", {a: int(a[0] != a[1]) for a in judges.CELL})
    assert judges.JUDGES[DEFINITION](Rows([])).verdict == REPLICATED
    monkeypatch.setattr(judges, "CELL", {**judges.CELL, (0, 0): 1})
    assert judges.JUDGES[DEFINITION](Rows([])).verdict == INCONCLUSIVE


def test_labels_that_a_line_makes(monkeypatch):
    monkeypatch.setattr(judges, "CELL", {(1, 1): 1, (1, 0): 0, (0, 1): 0, (0, 0): 0})
    assert judges.JUDGES["xor-not-linear"](Rows([])).verdict == NOT_REPLICATED


# ---------------------------------------------------------------------------------------------
# One run, several runs
# ---------------------------------------------------------------------------------------------

N_ITEMS = 100


def answers(mlp=0, lstm=0):
    """Seeds of two kinds, half of each, that get so many items right which the other kind gets wrong.

    The second kind gets nothing in exchange, so it is worse; otherwise each seed has two items of its own.
    """
    true = np.arange(N_ITEMS) % len(datasets.PACKAGES)
    rows = []
    for system, lost in (("mlp", mlp), ("lstm", lstm)):
        for seed in range(100):
            right = np.ones(N_ITEMS, dtype=bool)
            right[[90 + seed % 10, 80 + seed // 10]] = False
            right[: lost * (seed % 2)] = False
            says = np.where(right, true, (true + 1) % len(datasets.PACKAGES))
            rows.append(
                {
                    "system": system,
                    "seed": seed,
                    "test": right.mean(),
                    "test_predictions": pack_predictions(says),
                }
            )
    items = pd.DataFrame({"package": [datasets.PACKAGES[label] for label in true]})
    return {"pools_seeds": pd.DataFrame(rows[::-1]), "pools_test_items": items}


# Half of the seeds are 20 items worse: half of the pairs are told apart, and means of ten hardly ever.
SINGLES = "several-complete-runs"
add(SINGLES, REPLICATED, "MLP, exact 0.505 (", **answers(20, 20))
add(SINGLES, NOT_REPLICATED, "LSTM, printed 0.000 (0.000 to 0.000)", **answers())
add(SINGLES, INCONCLUSIVE, "MLP, exact 0.000 (0.000 to 0.000)", **answers(0, 20))

AGAINST = "mcnemar-against-seeds"
add(AGAINST, REPLICATED, "LSTM, printed 0.505 (", **answers(20, 20))
add(AGAINST, NOT_REPLICATED, "MLP, exact 0.000 (", **answers())
add(AGAINST, INCONCLUSIVE, "MLP, exact 0.000 (", **answers(0, 20))


@pytest.mark.parametrize("lost", [0, 5, 9])
def test_called_different_is_mcnemars_test(lost):
    rng = np.random.default_rng(lost)
    right = (rng.random((7, 40)) < 0.8).astype(float)
    right[1] = right[0]  # nothing to tell apart
    right[2, :lost] = 0
    found = judges.called_different(right)
    for i, j in itertools.product(range(7), repeat=2):
        n10, n01 = (int(np.sum(right[a] > right[b])) for a, b in ((i, j), (j, i)))
        for name, method in (("exact", "exact"), ("printed", "chi2-corrected")):
            assert found[name][i, j] == (mcnemar(n10, n01, method=method).pvalue <= 0.05)


def test_share_of_pairs_leaves_out_a_run_beside_itself():
    marked = np.ones((20, 20), dtype=bool)
    assert tuple(judges.share_of_pairs(marked)) == (1, 1, 1)
    marked[:10, :10] = marked[10:, 10:] = False
    share = judges.share_of_pairs(marked)
    assert share.estimate == pytest.approx(100 / 190)
    assert share.low < share.estimate < share.high


def test_welch_alarms_are_welchs_and_ties_are_none():
    rng, scores = np.random.default_rng(8), normal(1.0)
    groups = np.array([rng.permutation(scores)[:20] for _ in range(4000)])
    p = stats.ttest_ind(groups[:, :10], groups[:, 10:], axis=1, equal_var=False).pvalue
    found = judges.welch_alarms(scores, np.random.default_rng(9))
    assert found.cases / found.count == pytest.approx(np.mean(p <= 0.05), abs=0.015)
    assert judges.welch_alarms(np.full(100, 0.1), rng).cases == 0
    # Twenty runs of two levels alone: without scatter in the groups, other means are other.
    assert judges.welch_alarms(np.repeat([0.0, 1.0], [10, 10]), rng).cases > 0


def test_welch_alarms_are_those_of_scipy(monkeypatch):
    monkeypatch.setattr(judges, "DRAWS", 500)
    scores = np.random.default_rng(1).choice([1.0, 2.0, 3.0, 7.0], 60)
    groups = np.random.default_rng(2).permuted(np.tile(scores, (500, 1)), axis=1)[:, :20]
    p = stats.ttest_ind(groups[:, :10], groups[:, 10:], axis=1, equal_var=False).pvalue
    assert judges.welch_alarms(scores, np.random.default_rng(2)).cases == np.sum(p <= 0.05)


HEURISTIC = "heuristic-argument"
add(HEURISTIC, REPLICATED, "(2.80 points for the MLP and 2.80 points for the LSTM)", **pools())
add(HEURISTIC, NOT_REPLICATED, "MLP 0.000 (", **pools(0.5, 1))
add(HEURISTIC, REPLICATED, "LSTM 0.000 (0.000 to 0.000)", **pools(0, 0))


def shallow(seed=0.5, split=1.0, rest=0.5, **changed):
    rows = []
    for data in trained.CROSSED:
        shape = (trained.CROSSED_SEEDS, trained.CROSSED_SPLITS)
        made = crossed(**{"seed": seed, "split": split, "rest": rest, **changed.get(data, {})}, shape=shape)
        rows += [
            row("crossed", {"test": r.test}, data=data, seed=r.seed, split=r.split) for r in made.itertuples()
        ]
    return rows


def sawtooth(shape, size=1.0):
    """Runs whose splits are more alike in the mean than chance would have them."""
    cells = size * np.array([[(-1) ** (i + j) for j in range(shape[1])] for i in range(shape[0])])
    return 0.6 + cells / 100


def alike(cells):
    return [
        row("crossed", {"test": cells[i, j]}, data=data, seed=i, split=j)
        for data in trained.CROSSED
        for i, j in np.ndindex(cells.shape)
    ]


NEW = "new-seed-per-split"
MLP = {"crossed_splits": crossed(0.5, 1.0, 0.5)}
add(NEW, REPLICATED, "MLP, docstrings -0.1", shallow(), **MLP)
add(
    NEW,
    REPLICATED,
    "shallow, SST-2 0.00 (0.00 to 0.00)",
    shallow(sst2={"seed": 0, "split": 0, "rest": 0}),
    **MLP,
)
add(NEW, NOT_REPLICATED, "shallow, docstrings 0.0", alike(sawtooth((10, 10))), **MLP)


FAILED = {"crossed_splits": crossed(0, 0, 0)}
FAILED["crossed_splits"].loc[40, "test"] -= 0.2  # one run: most sets miss it, and few hold nothing else
add(NEW, INCONCLUSIVE, "MLP, docstrings 0.", shallow(), **FAILED)


def test_runs_share_of_the_variance_components():
    """What the judge takes the SDs from: seeds and splits whose components are known."""
    cells = judges._cells(crossed(0.6, 1.2, 0.0, (10, 10)))
    total, seed, split = 0.6**2 + 1.2**2, 0.6**2, 1.2**2
    expected = np.sqrt(total / 10) - np.sqrt(seed / 10 + split / 5)
    assert judges.more_by_splits(cells, 10) == pytest.approx(expected)
    ratios = judges.single_runs(cells)
    # The variance is unbiased, its root a little too small.
    assert np.mean(ratios**2) == pytest.approx(1, abs=0.01)
    assert 0.9 < ratios.mean() < 1


def test_sets_of_single_runs_share_no_seed_and_no_split():
    cells = np.arange(3)[:, None] * 10.0 + np.arange(5)
    sds = {
        round(np.std([cells[s, p] for s, p in enumerate(chosen)], ddof=1), 9)
        for chosen in itertools.permutations(range(5), 3)
    }
    parts = judges._parts(cells)
    found = judges.single_runs(cells) * np.sqrt(parts.seed + parts.split + parts.rest)
    assert set(found.round(9)) == sds


def test_leaving_out_each_seed_and_each_split():
    cells = crossed(1.0, 2.0, 0.5)
    square = judges._cells(cells)
    found = judges.over_both(np.mean, square)
    errors = [square.mean(axis=axis).var(ddof=1) / square.shape[1 - axis] for axis in (0, 1)]
    assert found.estimate == pytest.approx(square.mean())
    assert found.error == pytest.approx(np.sqrt(sum(errors)))
    assert found.high - found.estimate == pytest.approx(stats.t.ppf(0.975, 7) * found.error)


def reseeded(shallow=3.0, perceptron=1.0, sgd=1.0, **changed):
    """Test accuracies over seeds of three systems with these SDs, in points."""
    rows = []
    for data in tuned.SETTINGS_DATA:
        sds = {"shallow": shallow, "perceptron": perceptron, "sgd": sgd, **changed.get(data, {})}
        for system, sd in sds.items():
            test = 0.6 + normal(sd, tasks.RANDOM_SEEDS, seed=len(system)) / 100
            rows += [
                row("reseeded", {"test": t}, data=data, system=system, seed=s) for s, t in enumerate(test)
            ]
    return rows


MOST = "runs-matter-most-for-networks"
add(MOST, REPLICATED, "SST-2, sgd 3.00 (", reseeded())
add(MOST, REPLICATED, "SST-2, sgd 0.60 (", reseeded(sst2={"sgd": 5.0}))
add(MOST, REPLICATED, "SST-2, perceptron inf (inf to inf)", reseeded(perceptron=0.0))
add(MOST, NOT_REPLICATED, "SST-2, sgd 0.60 (", reseeded(sst2={"sgd": 5.0}, tweets={"sgd": 5.0}))
add(MOST, NOT_REPLICATED, "SST-2, sgd 0.00 (0.00 to 0.00)", reseeded(shallow=0.0))
add(MOST, NOT_REPLICATED, "SST-2, sgd 1.00 (1.00 to 1.00)", reseeded(0.0, 0.0, 0.0))
add(MOST, INCONCLUSIVE, "SST-2, sgd 1.00 (", reseeded(shallow=1.0))


def test_ratio_of_sds_covers_that_of_normal_samples():
    rng = np.random.default_rng(7)
    held = 0
    for _ in range(300):
        ratio = judges.ratio_of_sds(2 * rng.normal(size=50), rng.normal(size=50))
        held += ratio.low <= 2 <= ratio.high
    assert 0.91 <= held / 300 <= 0.98


# ---------------------------------------------------------------------------------------------
# All of them
# ---------------------------------------------------------------------------------------------

EXACT = (DEFINITION, "xor-not-linear")


@pytest.mark.parametrize(("claim", "verdict", "shown", "rows", "tables"), CASES)
def test_each_word_of_a_judge(monkeypatch, claim, verdict, shown, rows, tables):
    monkeypatch.setattr(judges, "load_recorded", lambda *name: tables["_".join(name)])
    # Where a limit is near, twice as many draws show what sixteen times as many would.
    monkeypatch.setattr(judging, "MOST_DRAWS", 2)
    found = judges.JUDGES[claim](Rows(rows))
    assert (found.verdict, found.data) == (verdict, "exact" if claim in EXACT else "own run"), found.evidence
    assert shown in found.evidence
    assert "nan" not in found.evidence


OWN_ROWS = ("seeds-that-matter", SIMPLE, RARELY, NEW, MOST)


@pytest.mark.parametrize("claim", OWN_ROWS)
def test_a_judge_without_all_rows_waits(monkeypatch, claim):
    rows, tables = next((rows, tables) for name, _, _, rows, tables in CASES if name == claim)
    monkeypatch.setattr(judges, "load_recorded", lambda *name: tables["_".join(name)])
    for left in (rows[1:], rows[:-1], []):
        with pytest.raises(MissingRunsError):
            judges.JUDGES[claim](Rows(left))


def test_the_order_of_rows_does_not_matter(monkeypatch):
    for claim in (RARELY, NEW, MOST):
        rows, tables = next((rows, tables) for name, _, _, rows, tables in CASES if name == claim)
        monkeypatch.setattr(judges, "load_recorded", lambda *name, t=tables: t["_".join(name)])
        there = judges.JUDGES[claim](Rows(rows)).evidence
        turned = {name: table[::-1] for name, table in tables.items()}
        monkeypatch.setattr(judges, "load_recorded", lambda *name, t=turned: t["_".join(name)])
        assert judges.JUDGES[claim](Rows(rows[::-1])).evidence == there


def test_every_judge_has_its_words():
    said = {claim: {verdict for name, verdict, *_ in CASES if name == claim} for claim in judges.JUDGES}
    assert said.pop(DEFINITION) == {NOT_REPLICATED}  # the others have tests of their own
    assert said.pop("xor-not-linear") == {REPLICATED}
    for claim in ("seeds-that-matter", HIDDEN, HEURISTIC):
        assert said.pop(claim) == {REPLICATED, NOT_REPLICATED}
    assert all(found == {REPLICATED, NOT_REPLICATED, INCONCLUSIVE} for found in said.values())
