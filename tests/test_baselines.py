"""Dummies against scikit-learn's scores and exact expectations, ceilings against brute
force.
"""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from grids import grid
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn import metrics
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from evalkit import baselines, dummy_table, proportion_interval
from evalkit.baselines import duplicate_ceiling, partial_inputs
from evalkit.results import Ceiling

RNG = np.random.default_rng(2020)
TRAIN = RNG.permutation(np.repeat(list("abc"), [70, 20, 10]))
TEST = RNG.permutation(np.repeat(list("abc"), [120, 50, 30]))
TARGETS = RNG.exponential(size=60)

# --------------------------------------------------------------------------------------
# The metrics, against scikit-learn's
# --------------------------------------------------------------------------------------

OF_LABELS = {
    "accuracy": metrics.accuracy_score,
    "balanced_accuracy": metrics.balanced_accuracy_score,
    "f1_macro": lambda true, guess: metrics.f1_score(
        true, guess, average="macro", zero_division=0
    ),
}
OF_TARGETS = {
    "r2": metrics.r2_score,
    "mean_absolute_error": metrics.mean_absolute_error,
    "root_mean_squared_error": metrics.root_mean_squared_error,
}


@pytest.mark.filterwarnings(
    "ignore:y_pred contains classes not in y_true", "ignore:A single label was found"
)
@grid("name", OF_LABELS)
@given(
    pairs=st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12
    )
)
def test_metrics_of_counts_are_those_of_scikit_learn(name, pairs):
    true, guess = np.array(pairs).T
    counts = np.bincount(4 * true + guess, minlength=16)[None]
    assert baselines._LABEL_METRICS[name](
        *baselines._count_by_class(np.arange(16), 4)(counts)
    )[0] == pytest.approx(OF_LABELS[name](true, guess), abs=1e-12)


@grid("name", OF_TARGETS)
@given(
    true=st.lists(st.integers(-5, 5).map(float), min_size=2, max_size=9),
    guess=st.integers(-5, 5).map(float),
)
def test_metrics_of_targets_are_those_of_scikit_learn(name, true, guess):
    ours = baselines._TARGET_METRICS[name](np.array([true]), guess)[0]
    assert ours == pytest.approx(OF_TARGETS[name](true, [guess] * len(true)), abs=1e-9)


# --------------------------------------------------------------------------------------
# The table of dummies
# --------------------------------------------------------------------------------------


def scores(table, strategy):
    return table[table.strategy == strategy].set_index("metric").score


@grid(
    ("strategy", "label"),
    [("most_frequent", "a"), ("constant: b", "b"), ("constant: c", "c")],
)
def test_a_dummy_without_chance_is_exact(strategy, label):
    found = scores(dummy_table(TRAIN, TEST, rng=0), strategy)
    guess = np.full(len(TEST), label)
    assert found.to_dict() == pytest.approx(
        {name: f(TEST, guess) for name, f in OF_LABELS.items()}
    )


@grid(
    ("strategy", "chances"), [("uniform", [1 / 3] * 3), ("stratified", [0.7, 0.2, 0.1])]
)
def test_a_guessing_dummy_scores_its_expectation(strategy, chances):
    found = scores(dummy_table(TRAIN, TEST, n_repeats=2000, rng=0), strategy)
    shares = np.array([120, 50, 30]) / 200
    # One run scatters by less than 0.04, 2,000 runs by less than 0.001.
    assert found["accuracy"] == pytest.approx(shares @ chances, abs=0.004)
    assert found["balanced_accuracy"] == pytest.approx(1 / 3, abs=0.004)


def test_accuracy_of_a_constant_has_the_exact_interval():
    row = dummy_table(
        TRAIN, TEST, scoring="accuracy", confidence_level=0.9, rng=0
    ).iloc[0]
    assert (row.strategy, row.score, row.varies) == ("most_frequent", 0.6, "test items")
    assert (row.low, row.high) == (
        *proportion_interval(120, 200, confidence_level=0.9),
    )


def naive_bootstrap(true, guess_of, f, seed):
    rng = np.random.default_rng(seed)
    drawn = [
        f(true[i], guess_of(rng)[i])
        for i in rng.integers(len(true), size=(500, len(true)))
    ]
    return np.quantile(drawn, [0.025, 0.975])


@grid(
    ("strategy", "guess_of"),
    [
        ("most_frequent", lambda rng: np.full(200, "a")),
        ("stratified", lambda rng: rng.choice(list("abc"), 200, p=[0.7, 0.2, 0.1])),
    ],
)
def test_intervals_equal_a_naive_bootstrap(strategy, guess_of):
    table = dummy_table(TRAIN, TEST, scoring="f1_macro", rng=0)
    row = table[table.strategy == strategy].iloc[0]
    naive = naive_bootstrap(TEST, guess_of, OF_LABELS["f1_macro"], 1)
    assert [row.low, row.high] == pytest.approx(naive, abs=0.015)


@grid(("name", "f"), OF_TARGETS.items())
def test_dummies_of_targets(name, f):
    train, test = TARGETS[:40], TARGETS[40:]
    table = dummy_table(train, test, scoring=name, rng=0).set_index("strategy")
    guesses = {
        "mean": train.mean(),
        "median": np.median(train),
        "quantile 0.25": np.quantile(train, 0.25),
    }
    for strategy, guess in guesses.items():
        assert table.score[strategy] == pytest.approx(f(test, np.full(20, guess)))
        naive = naive_bootstrap(test, lambda rng, guess=guess: np.full(20, guess), f, 1)
        row = table.loc[strategy]
        assert [row.low, row.high] == pytest.approx(
            naive, abs=0.15 * (naive[1] - naive[0]) + 1e-9
        )


def test_an_interval_holds_its_score_and_says_what_varies():
    table = dummy_table(TRAIN, TEST, rng=0)
    assert ((table.low <= table.score) & (table.score <= table.high)).all()
    guessing = table.strategy.isin(["stratified", "uniform"])
    assert (table.varies[guessing] == "test items and guesses").all()
    assert (table.varies[~guessing] == "test items").all()
    assert len(table) == 3 * 5


def test_a_class_that_train_lacks_is_never_guessed():
    table = dummy_table(
        ["a", "a", "b"], ["a", "b", "z", "z"], scoring=["accuracy"], rng=0
    )
    assert "constant: z" not in set(table.strategy)
    assert scores(table, "most_frequent")["accuracy"] == 0.25


def test_one_class_alone():
    table = dummy_table([1, 1], [1, 1, 1], rng=0)
    # Three strategies, none of which has a choice.
    assert table.score.tolist() == [1.0] * 9


def test_large_tables_are_resampled_in_parts():
    targets = RNG.normal(size=20_000)
    row = dummy_table(
        targets[:10_000], targets[10_000:], scoring="mean_absolute_error", rng=0
    ).iloc[0]
    # The mean absolute deviation of a normal variable is sqrt(2 / pi).
    assert row.low < np.sqrt(2 / np.pi) < row.high
    assert row.high - row.low == pytest.approx(
        2 * 1.96 * np.sqrt((1 - 2 / np.pi) / 10_000), rel=0.1
    )


# --------------------------------------------------------------------------------------
# Parts of the input
# --------------------------------------------------------------------------------------

PARTS_X = RNG.normal(size=(300, 2))
PARTS_Y = np.where(
    2 * PARTS_X[:, 0] + PARTS_X[:, 1] + 0.5 * RNG.normal(size=300) > 0.3, "yes", "no"
)


def part(columns):
    return PARTS_X[:200, columns], PARTS_X[200:, columns]


def test_partial_inputs_are_separate_fits():
    estimator = LogisticRegression()
    inputs = {"both": part([0, 1]), "first": part([0]), "second": part([1])}
    table = partial_inputs(estimator, inputs, PARTS_Y[:200], PARTS_Y[200:], full="both")
    assert not hasattr(estimator, "coef_")
    for name, (train, test) in inputs.items():
        accuracy = (
            LogisticRegression().fit(train, PARTS_Y[:200]).score(test, PARTS_Y[200:])
        )
        assert table.accuracy[name] == accuracy
        interval = proportion_interval(round(100 * accuracy), 100)
        assert (table.low[name], table.high[name]) == (*interval,)
    floor = np.mean(PARTS_Y[200:] == pd.Series(PARTS_Y[:200]).mode()[0])
    assert table.accuracy["best dummy"] == floor
    right = (100 * table.accuracy).round()
    gain = right - right["best dummy"]
    assert table.gain.tolist() == (gain / 100).tolist()
    assert table.share_of_gain.tolist() == (gain / gain["both"]).tolist()
    assert table.accuracy["both"] > table.accuracy["first"] > table.accuracy["second"]


def test_partial_inputs_take_sparse_matrices_and_lists():
    rows = sparse.csr_array(PARTS_X)
    inputs = {
        "sparse": (rows[:200], rows[200:]),
        "list": tuple(p.tolist() for p in part([0, 1])),
    }
    table = partial_inputs(
        LogisticRegression(), inputs, PARTS_Y[:200], PARTS_Y[200:], full="list"
    )
    assert table.accuracy["sparse"] == table.accuracy["list"]


def test_no_gain_has_no_shares():
    same = np.zeros((6, 1)), np.zeros((4, 1))
    table = partial_inputs(
        KNeighborsClassifier(1),
        {"all": same},
        [0, 0, 0, 0, 1, 1],
        [0, 0, 1, 1],
        full="all",
    )
    assert table.share_of_gain.isna().all()


# --------------------------------------------------------------------------------------
# Ceilings
# --------------------------------------------------------------------------------------


@given(
    st.lists(
        st.tuples(st.sampled_from("xyz"), st.integers(0, 2)), min_size=1, max_size=9
    )
)
def test_the_ceiling_is_the_best_of_all_functions(items):
    inputs, labels = zip(*items, strict=True)
    best = max(
        np.mean([dict(zip("xyz", answers, strict=True))[x] == y for x, y in items])
        for answers in product(range(3), repeat=3)
    )
    found = duplicate_ceiling(inputs, labels)
    assert found.accuracy == pytest.approx(best)
    assert found.n_lost == round((1 - best) * len(items))
    assert found.n_contested == sum(
        any(other == x and label != y for other, label in items) for x, y in items
    )
    assert found.n_repeated == sum(inputs.count(x) > 1 for x in inputs)


@grid(
    "inputs",
    [
        np.array([[0, 1], [0, 1], [2, 2]]),
        [(0, 1), (0, 1), (2, 2)],
        pd.Series(["a", "a", "b"], index=[5, 6, 7]),
        [None, None, "b"],
    ],
)
def test_kinds_of_input(inputs):
    assert duplicate_ceiling(inputs, ["p", "q", "q"]) == Ceiling(2 / 3, 3, 2, 2, 1)


def test_a_ceiling_prints_well():
    text = (
        "at most 0.6667: of 3 items 2 repeat an input, 2 of them with another label,"
        " and 1 must be wrong"
    )
    assert str(duplicate_ceiling(["x", "x", "z"], [0, 1, 1])) == text


# --------------------------------------------------------------------------------------
# Against whole numbers, and what is refused
# --------------------------------------------------------------------------------------


@grid("kind", [int, bool])
def test_numbers_among_objects_are_labels(kind):
    plain = [kind(i % 2) for i in range(9)]
    found = dummy_table(np.array(plain, dtype=object), plain, n_repeats=3, rng=0)
    assert set(found.metric) == {"accuracy", "balanced_accuracy", "f1_macro"}
    assert found.equals(dummy_table(plain, plain, n_repeats=3, rng=0))


def test_a_constant_truth_is_met_or_missed_whatever_the_rounding():
    for n in range(1, 40):  # the mean of equal numbers is not always the number
        true = np.full((1, n), 0.1)
        assert baselines._r2(true, sum([0.1] * n) / n).tolist() == [1.0]
        assert baselines._r2(true, 0.2).tolist() == [0.0]


class Names(KNeighborsClassifier):
    """Predicts names, whatever it was fitted to."""

    def predict(self, X):
        return super().predict(X).astype(str)


@grid(
    ("estimator", "inputs", "y_test", "message"),
    [
        (
            KNeighborsClassifier(1),
            [[0]] * 6,
            ["0", "1"] * 3,
            "^y_test must hold numbers or names as y_train does",
        ),
        (
            Names(1),
            [[0]] * 6,
            [0, 1] * 3,
            "^estimator must predict labels as in y_train",
        ),
        (
            KNeighborsClassifier(1),
            list("abcabc"),
            [0, 1] * 3,
            r"^inputs must be what .* can be fitted to, but inputs\['all'\]",
        ),
    ],
)
def test_what_cannot_be_fitted_or_compared_is_named(estimator, inputs, y_test, message):
    both = {"all": (inputs, inputs)}
    with pytest.raises(ValueError, match=message):
        partial_inputs(estimator, both, [0, 1] * 3, y_test, full="all")


@grid(
    ("y", "options", "message"),
    [
        (range(151), {}, "^y_train and y_test have 151 classes"),
        (
            [0, 1] * 50_000,
            {"n_repeats": 10_000},
            "^n_repeats is 10,000 for y_test of 100,000 items",
        ),
        (np.arange(50_001) / 7, {}, "^y_test has 50,001 targets"),
        (np.arange(9) * 1e200 + 0.5, {}, "^y_train must be 0 or between"),
        (np.ma.array([0, 1] * 3, mask=[1, 0] * 3), {}, "^y_train must not be masked"),
        (iter([0, 1]), {}, "^y_train must be"),
        ([0, 1] * 3, {"scoring": {"accuracy": 1}}, "^scoring must be"),
        ([0, 1] * 3, {"scoring": iter(["accuracy"])}, "^scoring must be"),
    ],
)
def test_what_is_too_large_or_no_sequence_is_refused_at_once(y, options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        dummy_table(y, y, **options)


@grid(
    "inputs",
    [np.ma.array([1, 2], mask=[0, 1]), np.array([[1.0], [np.nan]]), ["a", ["b"]]],
)
def test_inputs_that_are_masked_or_cannot_be_compared_are_refused(inputs):
    with pytest.raises((TypeError, ValueError), match="^inputs must"):
        duplicate_ceiling(inputs, [0, 1])
