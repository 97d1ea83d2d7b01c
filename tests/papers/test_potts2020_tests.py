"""Potts's judges of intervals, Wilcoxon's test and two models' answers, on rows whose verdict is known."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import f1_score

from evalkit import mcnemar as mcnemar_test
from evalkit import recorded
from evalkit.datasets import PACKAGES
from evalkit.experiments.pools import pack_predictions
from evalkit.papers.judging import MissingRunsError
from evalkit.papers.potts2020 import tasks
from evalkit.papers.potts2020.claims import mcnemar, tests
from evalkit.papers.potts2020.tasks import TABLES, TEXTS, divided, simulated
from evalkit.papers.rows import Rows
from evalkit.recorded import pack

REPLICATED, NOT, OPEN = "replicated", "not replicated", "inconclusive"
JUDGES = tests.JUDGES | mcnemar.JUDGES


def judged(claim, *rows):
    return JUDGES[claim](Rows(list(itertools.chain(*rows))))


def quantiles(mean=60.0, sd=1.0, count=100, law=stats.norm):
    """Numbers like those of a distribution, with this mean and SD to the digit."""
    values = law.ppf((np.arange(count) + 0.5) / count)
    return mean + sd * (values - values.mean()) / values.std(ddof=1)


def too_few(rows):
    """Every table that lacks one of these rows."""
    return [rows[:i] + rows[i + 1 :] for i in (0, len(rows) // 2, len(rows) - 1)]


@pytest.fixture
def loaded(monkeypatch):
    """Set what the recorded tables of the book hold."""
    tables = {}
    monkeypatch.setattr(recorded, "load_recorded", lambda *name: tables["/".join(name)])
    return tables


@pytest.fixture
def populations(monkeypatch):
    """Set the recorded scores of the two networks, in percent."""
    scores = {"mlp": quantiles(), "lstm": quantiles()}
    monkeypatch.setattr(simulated, "population", scores.get)
    return scores


def test_a_share_knows_the_error_of_its_simulation():
    share = tests.Share(20_000, 1000, (0.05,))
    assert share.estimate == 5
    assert share.low < 5 < share.high
    assert share.beyond(5) == OPEN
    assert (share.beyond(4), share.beyond(6), share.beyond(6, above=False)) == (REPLICATED, NOT, REPLICATED)
    assert share.within(4, 6)
    assert not share.within(4.9, 6)
    assert not share.within(4, 5.1)
    assert share.undecided


def test_a_span_of_equal_numbers_is_one_number():
    assert tests.span([3, 1, 2]) == "1.0 to 3.0"
    assert tests.span([0.62, 0.621], 2) == "0.62"


# ---------------------------------------------------------------------------------------------
# Intervals
# ---------------------------------------------------------------------------------------------


def test_intervals_suffice(populations, monkeypatch):
    found = judged("intervals-suffice")
    assert found.verdict == REPLICATED
    assert len(found.draws) == 8
    populations["lstm"] = np.full(100, 60.0)  # no SD: two SDs are no difference
    assert judged("intervals-suffice").verdict == NOT
    populations["lstm"] = quantiles()
    monkeypatch.setattr(tests, "DRAWS", 100)
    assert judged("intervals-suffice").verdict == OPEN


def test_half_a_width_is_that_of_the_t_interval():
    scores = quantiles(count=10)
    low, high = stats.t.interval(0.95, 9, loc=scores.mean(), scale=scores.std(ddof=0) / np.sqrt(10))
    assert tests._half_width(scores[None], ddof=0) == pytest.approx((high - low) / 2)


def coverage(changed=(), **everywhere):
    """Intervals that cover as they should, bootstrap ones shorter; but at some populations and sizes."""
    usual = {
        "draws": 100_000,
        "get_ci": 95_000,
        "t": 95_000,
        "width": 2.0,
        "interquartile": 1.0,
        "range": 3.0,
        "bootstrap_draws": 20_000,
        "percentile": 19_000,
        "bca": 19_000,
        "percentile_width": 0.9,
        "bca_width": 0.8,
        "width_there": 1.0,
    } | everywhere
    changed = dict(changed)
    return [
        {
            "unit": {"table": "coverage", "population": population, "n": n},
            "result": usual | changed.get((population, n), {}),
        }
        for population in simulated.POPULATIONS
        for n in simulated.SIZES
    ]


@pytest.mark.parametrize(
    ("changed", "verdict"),
    [
        ({}, REPLICATED),
        ({("normal", 3): {"get_ci": 92_700}}, NOT),
        ({("normal", 20): {"get_ci": 96_000}}, NOT),
        ({("normal", 20): {"get_ci": 94_500}}, OPEN),
        ({("mlp", 3): {"get_ci": 90_000}}, REPLICATED),
    ],
)
def test_get_ci_is_95(changed, verdict):
    assert judged("get-ci-is-95", coverage(changed)).verdict == verdict


def test_get_ci_waits_for_every_size():
    for rows in too_few([row for row in coverage() if row["unit"]["population"] == "normal"]):
        with pytest.raises(MissingRunsError):
            judged("get-ci-is-95", rows)


def resplits(values):
    rows = [("stratified", i, "linear", value / 100) for i, value in enumerate(values)]
    rows += [("random", i, "linear", 0.5) for i in range(len(values))]
    return pd.DataFrame(rows, columns=["scheme", "split", "system", "accuracy"])


# Quartiles that coincide, and ends far apart; or all at the ends.
FEW_HIGH, HALF_HIGH = np.arange(100) < 20, np.arange(100) < 50


@pytest.mark.parametrize(
    ("widths", "splits", "verdict"),
    [
        ({}, FEW_HIGH, REPLICATED),
        ({"width": 0.9}, HALF_HIGH, NOT),
        ({"width": 0.9}, FEW_HIGH, OPEN),
        ({"width": 1.04}, FEW_HIGH, OPEN),  # with ddof=0 it is 0.987 at 10 runs
        ({"range": 4.0}, FEW_HIGH, OPEN),
        ({}, quantiles(), OPEN),
        ({}, np.full(100, 60.0), OPEN),  # no width and no range
        ({"width": 0.0, "interquartile": 0.0, "range": 0.0}, FEW_HIGH, OPEN),
    ],
)
def test_t_intervals_look_wide(loaded, widths, splits, verdict):
    loaded["resplits/splits"] = resplits(splits)
    assert judged("t-intervals-look-wide", coverage(**widths)).verdict == verdict


def test_looking_wide_needs_the_networks(loaded):
    loaded["resplits/splits"] = resplits(FEW_HIGH)
    rows = [row for row in coverage() if row["unit"] != {"table": "coverage", "population": "lstm", "n": 20}]
    with pytest.raises(MissingRunsError):
        judged("t-intervals-look-wide", rows)


def many_splits(sds, count=100):
    return [
        {
            "unit": {
                "table": "splits",
                "data": data,
                "scheme": "stratified",
                "system": "linear",
                "split": split,
            },
            "result": {"accuracy": value / 100},
        }
        for data, sd in zip((*TEXTS, *TABLES), sds, strict=True)
        for split, value in enumerate(quantiles(80, sd, count))
    ]


@pytest.mark.parametrize(
    ("sds", "lstm", "verdict"),
    [
        ([0.5] * 8, 0.5, REPLICATED),
        ([0] * 6 + [3, 3], 0.5, REPLICATED),
        ([0.5] * 5 + [3] * 3, 0.5, OPEN),
        ([0.5] * 4 + [3] * 4, 0.5, NOT),
        ([0.5] * 8, 3, NOT),
        ([0.5] * 8, 1, OPEN),
        ([0.5] * 5 + [1] * 3, 0.5, OPEN),
    ],
)
def test_runs_predictable(populations, sds, lstm, verdict):
    populations["mlp"], populations["lstm"] = quantiles(sd=0.5), quantiles(sd=lstm)
    found = judged("runs-predictable", many_splits(sds))
    assert found.verdict == verdict
    assert len(found.draws) == 10


def test_predictable_runs_need_every_split(populations):
    for rows in too_few(many_splits([0.5] * 8)):
        with pytest.raises(MissingRunsError):
            judged("runs-predictable", rows)


@pytest.mark.parametrize(
    ("changed", "verdict"),
    [
        ({}, REPLICATED),
        ({("lstm", 10): {"bca": 18_000}}, NOT),
        ({("lstm", 10): {"bca": 18_000, "bca_width": 1.1}}, OPEN),  # not narrower
        ({("normal", 3): {"percentile_width": 1.0}}, OPEN),
        ({("normal", 3): {"percentile": 15_000}}, REPLICATED),  # asked at 10 and 20 alone
        ({("as_reader", 10): {"percentile": 18_600}}, OPEN),
        ({("as_reader", 20): {"percentile": 18_000}}, OPEN),  # refuted at 10 alone
    ],
)
def test_bootstrap_instead_of_t(changed, verdict):
    found = judged("bootstrap-instead-of-t", coverage(changed))
    assert found.verdict == verdict
    assert len(found.draws) == 16


def test_the_bootstrap_waits_for_every_population():
    for rows in too_few(coverage()):
        with pytest.raises(MissingRunsError):
            judged("bootstrap-instead-of-t", rows)


# ---------------------------------------------------------------------------------------------
# Wilcoxon's test
# ---------------------------------------------------------------------------------------------


def nine(values, datasets=9):
    """Five systems on some data sets, their scores that far above a common one."""
    rows = [
        (f"data set {i}", f"system {j}", 0.5 + 0.01 * i + value * (1 + 0.01 * i))
        for i in range(datasets)
        for j, value in enumerate(values)
    ]
    return pd.DataFrame(rows, columns=["dataset", "system", "accuracy"])


@pytest.mark.parametrize(
    ("table", "verdict"),
    [
        (nine([0, 0.01, 0.02, 0.04, 0.08]), NOT),
        (nine([0, 0.01, 0.02, 0.04, 0.08], datasets=1), REPLICATED),  # of one pair the sign tells nothing
        (nine([0] * 5), OPEN),  # nothing to change
    ],
)
def test_wilcoxon_absolute_differences(loaded, table, verdict):
    loaded["nine_datasets/scores"] = table
    assert judged("wilcoxon-absolute-differences").verdict == verdict


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        ([0, 0.01, 0.02, 0.04, 0.08], REPLICATED),  # 1 to 8 points
        ([0, 0, 0, 0, 0.08], NOT),
        ([0, 0, 0.03, 0.03, 0.04], OPEN),  # 1 to 4
    ],
)
def test_p_needs_argument(loaded, values, verdict):
    loaded["nine_datasets/scores"] = nine(values)
    assert judged("p-needs-argument").verdict == verdict


def test_p_needs_two_differences(loaded):
    loaded["nine_datasets/scores"] = nine([0] * 5)
    with pytest.raises(MissingRunsError):
        judged("p-needs-argument")


def rejections(changed=()):
    """Draws of which 5 % reject without a difference and 60 % with one, but for some."""
    changed = dict(changed)
    rows = []
    for law, n, shift in itertools.product(simulated.LAWS, simulated.PAIRS, simulated.SHIFTS):
        usual = {"wilcoxon": 1000, "t": 1000} if not shift else {"wilcoxon": 12_000, "t": 12_200}
        result = {"draws": 20_000, **usual, **changed.get((law, n, shift), {})}
        rows.append({"unit": {"table": "rejections", "law": law, "n": n, "shift": shift}, "result": result})
    return rows


@pytest.mark.parametrize(
    ("changed", "verdict"),
    [
        ({}, REPLICATED),
        ({("exponential", 20, 0.0): {"wilcoxon": 1700}}, NOT),
        ({("median_zero", 50, 0.0): {"wilcoxon": 1300}}, OPEN),
        ({("normal", 10, 0.0): {"wilcoxon": 600}}, OPEN),
        ({("exponential", 20, 0.0): {"wilcoxon": 1500}}, OPEN),  # 7.5 %
        ({("docstrings", 20, 0.0): {"wilcoxon": 1700}}, REPLICATED),  # not asked about
    ],
)
def test_wilcoxon_assumption_free(changed, verdict):
    found = judged("wilcoxon-assumption-free", rejections(changed))
    assert found.verdict == verdict
    assert len(found.draws) == 9


def without(rows, **unit):
    return [row for row in rows if not unit.items() <= row["unit"].items()]


@pytest.mark.parametrize(
    ("claim", "unit"),
    [
        ("wilcoxon-assumption-free", {"law": "median_zero", "n": 50, "shift": 0.0}),
        ("large-p-not-equal", {"law": "docstrings", "n": 10, "shift": 0.5}),
        ("wilcoxon-conservative", {"law": "t3", "n": 20, "shift": 0.8}),
    ],
)
def test_tests_wait_for_their_draws(claim, unit):
    with pytest.raises(MissingRunsError):
        judged(claim, without(rejections(), **unit), over_splits())


def test_ranksums_is_mann_whitney(monkeypatch):
    assert judged("ranksums-is-mann-whitney").verdict == REPLICATED
    real = stats.ranksums
    with monkeypatch.context() as patch:
        patch.setattr(stats, "wilcoxon", real)
        assert judged("ranksums-is-mann-whitney").verdict == OPEN
    monkeypatch.setattr(stats, "ranksums", stats.ttest_rel)
    assert judged("ranksums-is-mann-whitney").verdict == NOT


def over_splits(bayes=None, linear=None, sizes=tasks.TESTED):
    """Right answers of both systems of 60, the same on every split of a sample; by default by chance."""
    rows, rng = [], np.random.default_rng(0)
    for data, count in sizes.items():
        first, second = rng.binomial(60, 0.7, size=(2, count, divided.TEST_SPLITS))
        if bayes is not None:
            first, second = (np.repeat(x[:count, None], divided.TEST_SPLITS, axis=1) for x in (bayes, linear))
        rows += [
            {
                "unit": {"table": "over_splits", "data": data, "sample": sample},
                "result": {"naive_bayes": pack(a / 60, ".6f"), "linear": pack(b / 60, ".6f")},
            }
            for sample, (a, b) in enumerate(zip(first, second, strict=True))
        ]
    return rows


def shared(extra):
    """Samples that differ much, and two systems that follow them, one a little better."""
    rng = np.random.default_rng(1)
    sample = rng.integers(15, 45, 500)
    return sample, sample + rng.integers(-2, 3, 500) + extra


def skewed(extra):
    """Two systems that go their own ways, mostly near one score: differences lose that shape."""
    rng = np.random.default_rng(1)
    bayes, linear = np.minimum(rng.exponential(6, (2, 500)), 45).astype(int)
    return bayes, linear + extra


@pytest.mark.parametrize(
    ("scores", "verdict"),
    [
        (shared(1), REPLICATED),
        (skewed(3), NOT),
        ((np.full(500, 40), np.full(500, 40)), NOT),  # nothing to find
        (shared(0)[:1] * 2, NOT),  # all differences 0
    ],
)
def test_signed_rank_fits_better(scores, verdict):
    assert judged("signed-rank-fits-better", over_splits(*scores)).verdict == verdict


def test_signed_rank_fits_no_better_where_nothing_differs():
    found = judged("signed-rank-fits-better", over_splits())
    assert found.verdict == OPEN
    low, high = found.draws[0].low, found.draws[0].high
    assert low < 0 < high


def test_signed_rank_waits_for_every_sample():
    for rows in too_few(over_splits(sizes={"docstrings": tasks.TESTED["docstrings"]})):
        with pytest.raises(MissingRunsError):
            judged("signed-rank-fits-better", rows)


def test_pvalues_are_those_of_scipy_row_by_row():
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 8, (2, 5, 20))
    a[-1] = b[-1]
    signed, summed = (
        tests._pvalues(test, *x) for test, x in ((stats.wilcoxon, [a - b]), (stats.mannwhitneyu, (a, b)))
    )
    for i in range(4):
        assert signed[i] == pytest.approx(stats.wilcoxon(a[i], b[i], method="asymptotic").pvalue)
        assert summed[i] == pytest.approx(
            stats.mannwhitneyu(a[i], b[i], method="asymptotic", use_continuity=False).pvalue
        )
    assert signed[-1] == 1


@pytest.mark.parametrize(
    ("apart", "sd", "verdict"),
    [
        (0.3, 0.5, REPLICATED),
        (0.6, 0.5, OPEN),  # no difference below half a point
        (0.0, 0.5, OPEN),
        (0.3, 0.0, REPLICATED),
        (0.3, 20.0, OPEN),  # found too seldom, and estimated with too large an error
    ],
)
def test_p_reflects_sample_size(populations, apart, sd, verdict):
    populations["mlp"], populations["lstm"] = quantiles(60, sd), quantiles(60 + apart, sd)
    assert judged("p-reflects-sample-size").verdict == verdict


def test_p_that_rises_with_the_number_of_pairs_refutes(populations, monkeypatch):
    populations["lstm"] = quantiles(60.3, 0.5)
    monkeypatch.setattr(tests, "NUMBERS", (1000, 10))
    assert judged("p-reflects-sample-size").verdict == NOT


@pytest.mark.parametrize(("found", "verdict"), [(6000, REPLICATED), (17_000, NOT), (16_000, OPEN)])
def test_large_p_not_equal(found, verdict):
    changed = {("docstrings", 10, 0.5): {"wilcoxon": found}}
    assert judged("large-p-not-equal", rejections(changed)).verdict == verdict


ASKED = list(itertools.product(("normal", "t3", "docstrings"), (10, 20)))


@pytest.mark.parametrize(
    ("changed", "verdict"),
    [
        ({}, NOT),
        ({(*place, 0.0): {"wilcoxon": 600} for place in ASKED}, REPLICATED),
        ({(*place, 0.8): {"t": 14_000} for place in ASKED}, REPLICATED),
        ({("normal", 10, 0.8): {"t": 13_000}}, OPEN),  # 5 points
        ({("docstrings", 20, 0.0): {"wilcoxon": 600}}, OPEN),
        ({("docstrings", 20, 0.0): {"wilcoxon": 1800}}, OPEN),
        ({("t3", 20, 0.8): {"wilcoxon": 16_000}}, NOT),  # heavy tails are not in what refutes
    ],
)
def test_wilcoxon_conservative(changed, verdict):
    assert judged("wilcoxon-conservative", rejections(changed), over_splits()).verdict == verdict


def test_false_alarms_over_splits_are_counted_with_ties():
    """Splits that differ by one item from the mean of all samples always, and so reject always."""
    up = np.arange(500) % 2 * 2 - 1
    rows = over_splits(np.full(500, 30), 30 + up)
    assert tests._over_splits(Rows(rows), "docstrings", 10) == 100
    assert tests._over_splits(Rows(over_splits(np.full(500, 30), np.full(500, 35))), "sst2", 20) == 0
    with pytest.raises(MissingRunsError):
        judged("wilcoxon-conservative", rejections(), without(rows, data="sst2", sample=0))


# ---------------------------------------------------------------------------------------------
# Answers of two models
# ---------------------------------------------------------------------------------------------


def pools(loaded, mlp, lstm=None, linear=None, truth=None, modules=None):
    """Record predictions, as classes, of seeds of both networks and of the linear model."""
    mlp = np.asarray(mlp)
    lstm = mlp if lstm is None else np.asarray(lstm)
    truth = np.zeros(mlp.shape[1], int) if truth is None else truth
    modules = np.arange(len(truth)) if modules is None else modules
    loaded["pools/test_items"] = pd.DataFrame(
        {"package": [PACKAGES[i] for i in truth], "module": [f"m{m}" for m in modules]}
    )
    loaded["pools/seeds"] = pd.DataFrame(
        [
            {"system": system, "seed": seed, "test_predictions": pack_predictions(one)}
            for system, seeds in (("mlp", mlp), ("lstm", lstm))
            for seed, one in reversed(list(enumerate(seeds)))  # rows may come in any order
        ]
    )
    linear = mlp[0] if linear is None else linear
    loaded["pools/baselines"] = pd.DataFrame(
        [
            {"system": "dummy", "C": None, "validation": 0.9, "test_predictions": pack_predictions(mlp[0])},
            {"system": "linear", "C": 1.0, "validation": 0.5, "test_predictions": pack_predictions(mlp[0])},
            {"system": "linear", "C": 3.0, "validation": 0.6, "test_predictions": pack_predictions(linear)},
        ]
    )


def wrong(n, *blocks):
    """Seeds that answer 1 instead of 0 on a block of items each."""
    return np.array([[first <= i < last for i in range(n)] for first, last in blocks]).astype(int)


def test_predictions_come_in_the_order_of_the_seeds(loaded):
    pools(loaded, wrong(100, (0, 5), (0, 10)), linear=wrong(100, (0, 7))[0])
    assert mcnemar.answers("mlp").sum(axis=1).tolist() == [5, 10]
    assert mcnemar.linear_answers().sum() == 7  # the best on validation


def test_answers_needed_are_those_that_scikit_learn_sees():
    rng = np.random.default_rng(3)
    true = np.repeat([0, 1, 2], [500, 300, 200])
    predicted = np.where(rng.random(1000) < 0.2, rng.integers(0, 3, 1000), true)
    needed = mcnemar.answers_needed(true, predicted)
    assert needed["accuracy"] == [10.0] * 6
    place = 2  # from class 1 to class 0
    right = np.flatnonzero((true == 1) & (predicted == 1))

    def scores(k):
        answers = predicted.copy()
        answers[right[:k]] = 0
        return f1_score(true, answers, average=None), f1_score(true, answers, average="macro")

    (by_class, macro), k = scores(0), int(needed["macro F1"][place])
    assert macro - scores(k)[1] >= 0.01 > macro - scores(k - 1)[1]
    for which, k in zip((1, 0), needed["F1 of a class"][2 * place : 2 * place + 2], strict=True):
        assert (
            by_class[which] - scores(int(k))[0][which]
            >= 0.01
            > by_class[which] - scores(int(k) - 1)[0][which]
        )


def test_a_score_that_cannot_fall_so_far_needs_endless_answers():
    needed = mcnemar.answers_needed(np.array([0, 0, 1, 1]), np.array([1, 1, 1, 1]))
    assert needed["accuracy"] == [np.inf, 250.0]


BALANCED = np.repeat([0, 1], 500)


@pytest.mark.parametrize(
    ("true", "verdict"),
    [(BALANCED, REPLICATED), (np.repeat([0, 1], [900, 100]), NOT), (np.repeat([0, 1, 2], 300), NOT)],
)
def test_one_percent_f1(monkeypatch, true, verdict):
    monkeypatch.setattr(mcnemar, "_predicted", lambda data: (true, true))
    assert judged("one-percent-f1").verdict == verdict


def test_one_percent_of_accuracy_alone_decides_nothing(monkeypatch):
    monkeypatch.setattr(mcnemar, "_predicted", lambda data: (BALANCED, BALANCED))
    needed = {"accuracy": [13.0], "macro F1": [10.0], "F1 of a class": [10.0]}
    monkeypatch.setattr(mcnemar, "answers_needed", lambda true, predicted: needed)
    assert judged("one-percent-f1").verdict == OPEN


def test_tables_have_every_class_predicted(loaded):
    pools(loaded, wrong(100, (0, 5)))
    for data, n, classes in (("docstrings", 100, 1), ("breast-cancer", 569, 2), ("wine", 178, 3)):
        true, predicted = mcnemar._predicted(data)
        assert len(true) == len(predicted) == n
        assert true.max() == classes - 1
        assert np.mean(true == predicted) > 0.9


@pytest.mark.parametrize(
    ("blocks", "verdict"),
    [
        ([(0, 100), (100, 200), (150, 250)], REPLICATED),
        ([(0, 4), (2, 6), (0, 4)], NOT),
        ([(0, 15), (15, 30), (30, 45)], OPEN),  # 3 %
        ([(0, 100), (100, 200), (0, 101)], OPEN),  # a pair alike, and two that are not
        ([(0, 100), (100, 200), (300, 305)], REPLICATED),  # half a point and more: no pair
    ],
)
def test_count_differing_items(loaded, blocks, verdict):
    pools(loaded, wrong(1000, *blocks))
    assert judged("count-differing-items").verdict == verdict


def test_items_are_counted_where_accuracies_are_near(loaded):
    pools(loaded, wrong(1000, (0, 100), (100, 200)), wrong(1000, (0, 100), (0, 105)))
    with pytest.raises(MissingRunsError, match="LSTM"):  # half a point is not less than half a point
        judged("count-differing-items")


def seeds(spread, count=40, n=3000):
    """Networks whose true accuracies scatter by so many points, on items that are independent."""
    rng = np.random.default_rng(5)
    chances = np.clip(quantiles(60, max(spread, 1e-9), count) / 100, 0, 1)
    return (rng.random((count, n)) > chances[:, None]).astype(int)


@pytest.mark.parametrize(("spread", "verdict"), [(0, REPLICATED), (3, NOT), (0.45, OPEN)])
def test_one_percent_of_a_million(loaded, spread, verdict):
    pools(loaded, seeds(spread))
    assert judged("one-percent-of-a-million").verdict == verdict


def test_equal_seeds_never_differ(loaded):
    pools(loaded, np.repeat(seeds(0)[:1], 10, axis=0))
    found = judged("one-percent-of-a-million")
    assert found.verdict == REPLICATED
    assert found.draws[0].high == 0


def test_the_noise_of_a_difference_is_that_of_its_modules():
    rng = np.random.default_rng(6)
    right, modules = rng.random((3, 60)) < 0.6, np.sort(rng.integers(0, 12, 60))
    difference = right[0].astype(float) - right[2]
    sums = [(difference - difference.mean())[modules == m].sum() for m in range(12)]
    noise = mcnemar._noise(right, modules)
    assert noise[0, 2] == noise[2, 0] == pytest.approx(12 / 11 * np.square(sums).sum() / 60**2)
    assert np.diag(noise).tolist() == [0, 0, 0]


def test_mcnemar_needs_one_run(loaded, monkeypatch):
    pools(loaded, wrong(1000, (0, 90), (0, 100)), wrong(1000, (0, 95), (100, 200)))
    found = judged("mcnemar-needs-one-run")
    assert found.verdict == REPLICATED
    assert "on 900 of 1,000 lines" in found.evidence  # the second seed of each
    assert "on 200 lines only one is" in found.evidence
    p_of = {"value": itertools.repeat(0.0)}

    def made_up(n10, n01, *, method):
        return type("Found", (), {"pvalue": next(p_of["value"])})

    monkeypatch.setattr(mcnemar, "mcnemar", made_up)
    assert judged("mcnemar-needs-one-run").verdict == NOT
    p_of["value"] = itertools.cycle([0.0] + [1.0] * 16)  # 5.9 %: its interval holds 6 %
    assert judged("mcnemar-needs-one-run").verdict == OPEN


def test_mcnemar_needs_two_models_that_are_right_equally_often(loaded):
    pools(loaded, wrong(1000, (0, 90)), wrong(1000, (0, 95)))
    with pytest.raises(MissingRunsError):
        judged("mcnemar-needs-one-run")


def test_mcnemar_table(loaded, monkeypatch):
    # B is wrong on 40 items that A gets right, A on 10 that B does.
    pools(loaded, wrong(1000, (0, 40)), linear=wrong(1000, (40, 50))[0])
    found = judged("mcnemar-table")
    meant = mcnemar_test(40, 10, method="chi2-corrected")
    assert found.verdict == NOT
    assert "n10 = 40 and n01 = 10" in found.evidence
    assert mcnemar._printed(40, 10) == pytest.approx(tuple(meant))
    assert f"{meant.statistic:.2f}" in found.evidence
    assert f"{1 / 80:.4f}" in found.evidence  # 1 over twice as many
    monkeypatch.setitem(mcnemar.CAPTIONS, "n01", (False, True))
    assert judged("mcnemar-table").verdict == REPLICATED


def test_chances_to_reject_are_enumerated():
    assert mcnemar.rejection_chances(5, "chi2") == pytest.approx(2 / 32)
    assert mcnemar.rejection_chances(5, "exact") == 0
    assert mcnemar.rejection_chances(50, "exact") == pytest.approx(2 * stats.binom.cdf(17, 50, 0.5))


@pytest.mark.parametrize(("instead", "verdict"), [("chi2-corrected", REPLICATED), ("chi2", NOT)])
def test_mcnemar_chi_squared(monkeypatch, instead, verdict):
    def renamed(n10, n01, *, method):
        return mcnemar_test(n10, n01, method=instead if method == "chi2-corrected" else method)

    monkeypatch.setattr(mcnemar, "mcnemar", renamed)
    assert judged("mcnemar-chi-squared").verdict == verdict
