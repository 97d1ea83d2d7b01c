"""The same folds for every system, and the variability of a choice against plain
loops.
"""

import copy
from itertools import combinations

import numpy as np
import pytest
from grids import grid
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_wine
from sklearn.model_selection import (
    GridSearchCV,
    RepeatedStratifiedKFold,
    cross_val_score,
)
from sklearn.neighbors import KNeighborsClassifier
from whole import reported

import evalkit as ek
from evalkit import jkfold

X, Y = load_wine(return_X_y=True)
KNN = KNeighborsClassifier()
GRID = {"n_neighbors": [1, 5, 15, 40]}


def folds(splitter, n=30, classes=3):
    return [
        (tuple(train), tuple(test))
        for train, test in splitter.split(np.zeros((n, 1)), np.arange(n) % classes)
    ]


# --------------------------------------------------------------------------------------
# The splitter
# --------------------------------------------------------------------------------------


@given(
    j=st.integers(1, 4),
    k=st.integers(2, 6),
    stratify=st.booleans(),
    seed=st.integers(0, 99),
)
def test_each_partition_tests_every_item_once(j, k, stratify, seed):
    made = folds(ek.jk_fold(j, k, stratify=stratify, rng=seed))
    assert len(made) == j * k
    for p in range(j):
        partition = made[p * k : (p + 1) * k]
        assert sorted(i for _, test in partition for i in test) == list(range(30))
        assert all(
            set(train) | set(test) == set(range(30)) and not set(train) & set(test)
            for train, test in partition
        )


@settings(max_examples=20)
@given(names=st.permutations("wxyz"), stratify=st.booleans(), seed=st.integers(0, 99))
def test_names_of_classes_do_not_matter(names, stratify, seed):
    y, X = np.arange(30) % 4, np.zeros((30, 1))
    splitter = ek.jk_fold(2, 5, stratify=stratify, rng=seed)
    for (_, test), (_, again) in zip(
        splitter.split(X, y), splitter.split(X, np.array(names)[y]), strict=True
    ):
        assert test.tolist() == again.tolist()


@settings(max_examples=20)
@given(
    sizes=st.lists(st.integers(4, 15), min_size=1, max_size=4), seed=st.integers(0, 99)
)
def test_no_two_folds_differ_by_more_than_one_item_of_a_class(sizes, seed):
    y = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(sizes)), sizes))
    for _, test in ek.jk_fold(2, 4, rng=seed).split(np.zeros((len(y), 1)), y):
        counts = np.bincount(y[test], minlength=len(sizes))
        assert (np.abs(counts - np.array(sizes) / 4) < 1).all()


def test_every_split_of_it_gives_the_same_folds():
    splitter = ek.jk_fold(3, 5)  # no seed given: drawn once all the same
    first = folds(splitter)
    assert folds(splitter) == first
    assert folds(copy.deepcopy(splitter)) == first
    assert folds(clone(GridSearchCV(KNN, GRID, cv=splitter)).cv) == first


def test_partitions_differ_and_so_do_seeds():
    made = folds(ek.jk_fold(2, 5, rng=0))
    assert made[:5] != made[5:]
    assert made == folds(ek.jk_fold(2, 5, rng=0)) != folds(ek.jk_fold(2, 5, rng=1))


def test_stratified_folds_keep_the_shares():
    y = np.repeat([0, 1], [80, 20])
    tests = [test for _, test in ek.jk_fold(3, 5, rng=0).split(y.reshape(-1, 1), y)]
    assert all(y[test].sum() == 4 for test in tests)
    loose = [
        y[test].sum()
        for _, test in ek.jk_fold(3, 5, stratify=False, rng=0).split(
            y.reshape(-1, 1), y
        )
    ]
    assert len(set(loose)) > 1


def test_scikit_learn_takes_it():
    scores = cross_val_score(KNN, X, Y, cv=ek.jk_fold(2, 5, rng=0), scoring="accuracy")
    assert scores.shape == (10,)
    many = cross_val_score(
        KNN, X, Y, cv=ek.jk_fold(60, 5, rng=0), scoring="accuracy"
    ).mean()
    theirs = cross_val_score(
        KNN, X, Y, cv=RepeatedStratifiedKFold(n_splits=5, n_repeats=60, random_state=1)
    )
    # SD of either mean is below 0.001.
    assert many == pytest.approx(theirs.mean(), abs=0.003)


@grid(
    ("stratify", "k", "y", "name"),
    [
        (True, 2, [0.5, 0.25, 0.1, 0.7], "y"),
        (True, 2, None, "y"),
        (True, 2, [[0, 1], [1, 0], [0, 1], [1, 0]], "y"),
        (True, 3, [0, 0, 1, 1], "k"),
        (True, 2, [0, 0, 0, 1], "k"),
        (True, 5, [0, 0, 1, 1], "k"),
        (False, 5, [0, 0, 1, 1], "k"),
    ],
)
def test_data_that_cannot_be_split(stratify, k, y, name):
    splitter = ek.jk_fold(2, k, stratify=stratify)
    with pytest.raises(ValueError, match=rf"^{name} must"):
        next(splitter.split(np.zeros((4, 1)), y))


def test_groups_are_refused():
    with pytest.raises(ValueError, match="^groups must be None"):
        next(
            ek.jk_fold(2, 2).split(np.zeros((4, 1)), [0, 0, 1, 1], groups=[0, 0, 1, 1])
        )


def test_one_class_can_be_split():
    assert len(list(ek.jk_fold(2, 2).split(np.zeros((4, 1)), ["a"] * 4))) == 4


# --------------------------------------------------------------------------------------
# The search
# --------------------------------------------------------------------------------------


def test_search_is_a_grid_search_over_the_same_folds():
    ours = ek.JKFoldSearchCV(KNN, GRID, j=3, k=5, scoring="accuracy", rng=0).fit(X, Y)
    theirs = GridSearchCV(
        KNN, GRID, scoring="accuracy", cv=ek.jk_fold(3, 5, rng=0)
    ).fit(X, Y)
    assert ours.best_params_ == theirs.best_params_
    assert ours.best_score_ == theirs.best_score_
    assert ours.partition_scores_.shape == (3, 4)
    assert ours.partition_scores_.mean(axis=0) == pytest.approx(
        theirs.cv_results_["mean_test_score"]
    )
    for p in range(3):
        alone = [
            cross_val_score(
                KNeighborsClassifier(n),
                X,
                Y,
                cv=list(ek.jk_fold(3, 5, rng=0).split(X, Y))[5 * p :][:5],
            )
            for n in GRID["n_neighbors"]
        ]
        assert ours.partition_scores_[p] == pytest.approx(np.mean(alone, axis=1))
        assert ours.choices_[p] == np.argmax(np.round(np.mean(alone, axis=1), 12))
    assert ours.predict(X[:3]).shape == (3,)


def test_search_can_be_cloned_and_keeps_its_parameters():
    search = ek.JKFoldSearchCV(KNN, GRID, j=2, k=3, scoring="f1_macro", rng=7)
    again = clone(search)
    assert {
        k: again.get_params(deep=False)[k]
        for k in ("j", "k", "scoring", "rng", "stratify")
    } == {
        "j": 2,
        "k": 3,
        "scoring": "f1_macro",
        "rng": 7,
        "stratify": True,
    }
    assert (
        search.fit(X, Y).partition_scores_ == again.fit(X, Y).partition_scores_
    ).all()


def test_search_must_say_what_it_searches_for():
    with pytest.raises(TypeError, match="scoring"):
        ek.JKFoldSearchCV(KNN, GRID, j=2, k=3)
    with pytest.raises(ValueError, match="^scoring must be named"):
        ek.JKFoldSearchCV(KNN, GRID, j=2, k=3, scoring=None).fit(X, Y)


class Half(BaseEstimator, ClassifierMixin):
    """Says the class `answer`, and cannot be fitted where it `fails`."""

    def __init__(self, answer=0, fails=False):
        self.answer = answer
        self.fails = fails

    def fit(self, X, y):
        if self.fails and (self.fails == "always" or 0 not in X):
            raise RuntimeError("diverged")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.answer)


TWENTY, HALVES = np.arange(20)[:, None], np.arange(20) % 2
failing = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.FitFailedWarning", "ignore:One or more:UserWarning"
)


@failing
@grid("refit", [True, False])
def test_a_setting_that_failed_is_not_chosen(refit):
    grid = {"answer": [0, 1], "fails": ["always", False]}
    found = ek.JKFoldSearchCV(
        Half(), grid, j=2, k=5, scoring="accuracy", refit=refit, rng=0
    ).fit(TWENTY, HALVES)
    # The first that can be fitted; all others tie with it.
    assert found.choices_.tolist() == [
        1,
        1,
    ]
    assert (found.best_index_, found.best_params_) == (1, {"answer": 0, "fails": False})
    assert found.best_score_ == 0.5
    assert hasattr(found, "best_estimator_") == refit


@failing
def test_a_setting_that_fails_on_one_fold_is_not_chosen_by_its_partition():
    # It fails where item 0 is left out: in one fold of each partition.
    grid = {"fails": ["once", False]}
    found = ek.JKFoldSearchCV(Half(), grid, j=2, k=5, scoring="accuracy", rng=0).fit(
        TWENTY, HALVES
    )
    assert np.isnan(found.partition_scores_[:, 0]).all()
    assert found.choices_.tolist() == [1, 1]


@failing
def test_where_every_setting_fails_none_is_named():
    search = ek.JKFoldSearchCV(
        Half(), {"fails": ["once"]}, j=2, k=5, scoring="accuracy", rng=0
    )
    with pytest.raises(
        ValueError, match="^param_grid must hold a setting that can be fitted"
    ):
        search.fit(TWENTY, HALVES)


def two_metrics(estimator, X, y):
    return {"one": 0.5, "two": 0.7}


@grid("refit", [True, False])
@grid("scoring", [["accuracy", "f1"], ("accuracy",), {"a": "accuracy"}, two_metrics])
def test_several_metrics_are_refused(scoring, refit):
    search = ek.JKFoldSearchCV(
        Half(), {"answer": [0, 1]}, j=2, k=5, scoring=scoring, refit=refit
    )
    with pytest.raises(ValueError, match="^scoring must be one metric"):
        search.fit(TWENTY, HALVES)


@grid(
    ("X", "y", "message"),
    [
        (TWENTY, HALVES[:, None], "^y must be one-dimensional"),
        (TWENTY, HALVES[:9], "^X and y"),
        (None, HALVES, "^X must"),
        (TWENTY, np.ma.array(HALVES, mask=HALVES == 1), "^y must not be masked"),
        (TWENTY, iter(HALVES), "^y must"),
    ],
)
def test_data_that_do_not_fit_are_named(X, y, message):
    with pytest.raises((TypeError, ValueError), match=message):
        ek.JKFoldSearchCV(KNN, GRID, j=2, k=2, scoring="accuracy").fit(X, y)


def test_fitting_sets_only_names_that_end_in_an_underscore():
    search = ek.JKFoldSearchCV(KNN, GRID, j=2, k=3, scoring="accuracy", rng=0)
    before = dict(vars(search))
    search.fit(X, Y)
    assert {
        name: value for name, value in vars(search).items() if not name.endswith("_")
    } == before


def test_classes_in_an_array_of_objects_are_stratified():
    y = np.array([0, 1] * 10, dtype=object)
    assert all(
        y[test].sum() == 2 for _, test in ek.jk_fold(3, 5, rng=0).split(TWENTY, y)
    )
    truth = np.array([True, False] * 10, dtype=object)
    assert ek.JKFoldSearchCV(
        KNN, {"n_neighbors": [1]}, j=2, k=5, scoring="accuracy", rng=0
    ).fit(TWENTY, truth)


# --------------------------------------------------------------------------------------
# The variability of a choice
# --------------------------------------------------------------------------------------


def by_enumeration(scores, j):
    """Exact shares of choices and mean estimate over all groups of j partitions."""
    groups = [
        scores[list(group)].mean(axis=0)
        for group in combinations(range(len(scores)), j)
    ]
    chosen = np.array([np.argmax(np.round(g, 12)) for g in groups])
    best = np.array([np.max(g) for g in groups])
    shares = np.bincount(chosen, minlength=scores.shape[1]) / len(groups)
    return shares, best.mean(), best.std()


def agreement_by_enumeration(scores, j):
    """Exactly how often two groups of j partitions choose the same, over all pairs that
    share none.
    """
    chosen = {
        group: np.argmax(np.round(scores[list(group)].mean(axis=0), 12))
        for group in combinations(range(len(scores)), j)
    }
    pairs = [
        (one, other)
        for one, other in combinations(chosen, 2)
        if not set(one) & set(other)
    ]
    return (
        np.mean([chosen[one] == chosen[other] for one, other in pairs])
        if pairs
        else np.nan
    )


@grid("j", [1, 2, 3, 4, 5])
def test_variability_against_all_groups(j):
    scores = np.random.default_rng(1).normal(size=(9, 4)) * 0.02 + [
        0.80,
        0.81,
        0.79,
        0.805,
    ]
    found = ek.choice_variability(
        scores, j, values={"C": [1, 2, 3, 4]}, n_groups=40_000, rng=0
    )
    shares, mean, sd = by_enumeration(scores, j)
    row = found.table.loc[j]
    # 4 standard errors.
    assert found.shares.loc[j].to_numpy() == pytest.approx(shares, abs=0.01)
    exact = agreement_by_enumeration(scores, j)
    assert row.agreement == pytest.approx(
        exact, abs=1e-12 if j == 1 else 0.01, nan_ok=True
    )
    assert np.isnan(row.agreement) == (j == 5)
    assert row.most_frequent == pytest.approx(shares.max(), abs=0.01)
    assert row.estimate == pytest.approx(mean, abs=4e-4)
    assert row.sd_estimate == pytest.approx(sd, rel=0.03)
    expected_c = shares @ np.arange(1, 5)
    assert row.sd_C == pytest.approx(
        np.sqrt(shares @ (np.arange(1, 5) - expected_c) ** 2), rel=0.03
    )


def test_sd_of_a_fixed_setting_follows_one_over_j_less_the_finite_pool():
    scores = np.random.default_rng(2).normal(size=(400, 3)) * 0.02 + [0.9, 0.8, 0.7]
    sizes = [1, 2, 4, 8, 100]
    found = ek.choice_variability(scores, sizes, n_groups=20_000, rng=0).table
    exact = [scores[:, 0].std(ddof=1) * np.sqrt((1 / j) * (1 - j / 400)) for j in sizes]
    assert found.sd_fixed.to_numpy() == pytest.approx(exact, rel=0.03)


def test_all_partitions_choose_once_and_for_all():
    scores = np.random.default_rng(3).normal(size=(20, 5))
    found = ek.choice_variability(scores, 20, rng=0)
    row = found.table.loc[20]
    assert (row.settings_chosen, row.most_frequent) == (1, 1)
    assert np.isnan(row.agreement)  # there is no second group
    assert row.sd_estimate == pytest.approx(0, abs=1e-15)
    assert found.shares.loc[20].idxmax() == scores.mean(axis=0).argmax()


@settings(max_examples=20)
@given(
    seed=st.integers(0, 99),
    order=st.permutations(range(4)),
    scale=st.sampled_from([0.01, 1.0, 8.0]),
)
def test_choices_know_neither_the_unit_nor_the_order_of_the_settings(
    seed, order, scale
):
    scores = np.random.default_rng(seed).normal(0, 0.1, (12, 4))
    options = {"n_groups": 50, "rng": 0}
    found = ek.choice_variability(
        scores, [1, 2, 7], values={"C": [1, 2, 3, 4]}, **options
    )
    turned = ek.choice_variability(
        scale * scores[:, order] + 5,
        [1, 2, 7],
        values={"C": np.arange(1, 5)[order]},
        **options,
    )
    assert turned.shares.to_numpy() == pytest.approx(found.shares.to_numpy()[:, order])
    kept = ["settings_chosen", "most_frequent", "agreement", "sd_C"]
    assert turned.table[kept].to_numpy() == pytest.approx(
        found.table[kept].to_numpy(), nan_ok=True
    )
    assert turned.table.estimate.to_numpy() == pytest.approx(
        scale * found.table.estimate.to_numpy() + 5
    )
    sds = ["sd_estimate", "sd_fixed"]
    assert turned.table[sds].to_numpy() == pytest.approx(
        scale * found.table[sds].to_numpy()
    )


def test_ties_go_to_the_first_setting_whatever_the_rounding():
    # The second column is the first in another order: every group of all partitions
    # ties.
    column = np.random.default_rng(4).random(64)
    scores = np.column_stack([column, column[::-1]])
    assert ek.choice_variability(scores, 64, n_groups=50, rng=0).shares.loc[
        64
    ].tolist() == [1, 0]
    constant = ek.choice_variability(np.full((10, 3), 0.7), [1, 5], rng=0)
    assert (constant.table.settings_chosen == 1).all()
    assert constant.table.sd_estimate.to_numpy() == pytest.approx(0, abs=1e-15)
    assert (constant.shares[0] == 1).all()


# Accuracies on ten items: many are equal.
FEW_STEPS = np.random.default_rng(5).integers(7, 10, (8, 4)) / 10


@grid("j", [1, 2, 3])
def test_ties_are_counted_and_broken_as_one_asks(j):
    sums = np.array(
        [
            np.rint(10 * FEW_STEPS[list(g)]).sum(axis=0)
            for g in combinations(range(8), j)
        ]
    )
    equal = sums == sums.max(axis=1, keepdims=True)
    exact = {
        "first": np.bincount(equal.argmax(axis=1), minlength=4) / len(sums),
        "last": np.bincount(3 - equal[:, ::-1].argmax(axis=1), minlength=4) / len(sums),
        "random": (equal / equal.sum(axis=1, keepdims=True)).mean(axis=0),
    }
    for ties, shares in exact.items():
        found = ek.choice_variability(FEW_STEPS, j, n_groups=20_000, ties=ties, rng=0)
        assert found.shares.loc[j].to_numpy() == pytest.approx(shares, abs=0.015)
        assert found.table.tied[j] == pytest.approx(
            (equal.sum(axis=1) > 1).mean(), abs=0.015
        )
    assert 0.2 < found.table.tied[j] < 1


@settings(max_examples=20)
@given(seed=st.integers(0, 99), shift=st.sampled_from([0.0, -0.8, -2.0]))
def test_the_last_of_equals_is_the_first_in_the_other_order(seed, shift):
    scores = np.random.default_rng(seed).integers(-2, 3, (9, 4)) / 10 + shift
    first = ek.choice_variability(scores, [1, 3, 4], n_groups=60, rng=0)
    last = ek.choice_variability(
        scores[:, ::-1], [1, 3, 4], n_groups=60, ties="last", rng=0
    )
    assert last.shares.to_numpy()[:, ::-1].tolist() == first.shares.to_numpy().tolist()
    assert last.table.agreement.equals(first.table.agreement)
    assert last.table.tied.equals(first.table.tied)


def test_whatever_is_done_with_ties_the_groups_are_the_same():
    first, *others = (
        ek.choice_variability(FEW_STEPS, [1, 3], ties=ties, rng=0).table
        for ties in ("first", "last", "random")
    )
    for table in others:
        assert table.tied.equals(first.tied)
        assert table.estimate.to_numpy() == pytest.approx(
            first.estimate.to_numpy(), abs=1e-12
        )
    # Of settings that are all equal, a random one agrees with another one time in
    # three.
    constant = ek.choice_variability(
        np.full((90, 3), 0.7), [1, 2], ties="random", n_groups=9000, rng=0
    )
    assert constant.table.tied.tolist() == [1, 1]
    assert constant.table.agreement.to_numpy() == pytest.approx(1 / 3, abs=0.03)
    # Scores of any value never tie.
    smooth = np.random.default_rng(0).normal(size=(30, 5))
    assert (ek.choice_variability(smooth, [1, 4], rng=0).table.tied == 0).all()


def test_groups_that_share_partitions_agree_more_often():
    # Of ten partitions, two groups of five that share none are each other's complement;
    # the winner of one half is the loser of the other, as both settings are equally
    # good on all ten.
    scores = np.c_[np.linspace(-1, 1, 10), np.linspace(1, -1, 10)] * [1, 1.001]
    found = ek.choice_variability(scores, 5, n_groups=2000, rng=0)
    shared = (found.shares.loc[5] ** 2).sum()
    assert found.table.agreement[5] == pytest.approx(
        agreement_by_enumeration(scores, 5), abs=0.03
    )
    assert found.table.agreement[5] < shared - 0.3


def test_one_setting_is_always_chosen():
    row = ek.choice_variability(
        np.random.default_rng(0).random((5, 1)), 2, rng=0
    ).table.loc[2]
    assert row.agreement == 1
    assert row.sd_estimate == row.sd_fixed


def test_same_rng_same_table():
    scores = np.random.default_rng(0).random((30, 4))
    a, b = (ek.choice_variability(scores, [1, 4], rng=9).table for _ in range(2))
    assert a.equals(b)
    assert str(ek.choice_variability(scores, 1, rng=9)).startswith(" ")


def test_ten_thousand_partitions():
    scores = np.random.default_rng(0).random((10_000, 3))
    assert ek.choice_variability(scores, 8, n_groups=100, rng=0).table.sd_fixed.iloc[
        0
    ] == pytest.approx(np.sqrt(1 / 12 / 8), rel=0.3)


def partition_choice(folds):
    return int(np.argmax(folds.sum(axis=0)))


@settings(max_examples=50)
@given(
    reported(st.tuples(st.integers(2, 9), st.integers(1, 5)), signed=True),
    st.integers(0, 99),
    st.data(),
)
def test_choices_are_those_of_the_whole_numbers(scores, seed, data):
    scores, whole, _ = scores
    sizes = data.draw(st.lists(st.integers(1, len(scores)), min_size=1, max_size=3))
    found = ek.choice_variability(scores, sizes, n_groups=8, rng=seed)
    groups = jkfold._draw_partitions(
        len(scores), max(sizes), 8, np.random.default_rng(seed)
    )
    for row, size in enumerate(sizes):
        chosen = [partition_choice(whole[group[:size]]) for group in groups]
        assert (8 * found.shares.iloc[row]).tolist() == np.bincount(
            chosen, minlength=whole.shape[1]
        ).tolist()


@settings(max_examples=50)
@given(reported((3, 4, 5), signed=True))
def test_searches_choose_as_the_whole_numbers_do(scores):
    folds, whole, _ = scores
    results = {
        f"split{i}_test_score": of for i, of in enumerate(folds.reshape(12, 5))
    } | {"mean_test_score": None}
    search = ek.JKFoldSearchCV(KNN, GRID, j=3, k=4, scoring="accuracy")
    assert search._choose(results) == partition_choice(whole.reshape(12, 5))
    assert jkfold._choose_finished(folds, axis=1).tolist() == [
        partition_choice(part) for part in whole
    ]


def test_a_setting_that_diverged_hides_no_difference():
    scores = np.array([[0.8, 0.9, -1e20], [0.8, 0.9, 0.1]])
    assert ek.choice_variability(scores, 2, n_groups=4, rng=0).shares.loc[
        2
    ].tolist() == [0, 1, 0]


@grid(
    ("changed", "message"),
    [
        ({"j": 1000, "n_groups": 1_000_000}, "^n_groups"),
        ({"j": {2: 3}}, "^j"),
        ({"scores": np.full((9, 3), 1e200)}, "^scores"),
        ({"values": {"C": [1]}}, "^values"),
        ({"values": {"C": [1, 2, 3]}}, "^values"),
    ],
)
def test_what_is_too_large_or_no_number_is_refused(changed, message):
    arguments = {"scores": np.random.default_rng(0).random((1000, 2)), "j": 2} | changed
    with pytest.raises((TypeError, ValueError), match=message):
        ek.choice_variability(**arguments)


def test_a_thousand_million_partitions_are_refused_at_once():
    with pytest.raises(ValueError, match="^j is 1,000,000,000 partitions"):
        ek.jk_fold(10**9, 5)


# --------------------------------------------------------------------------------------
# Cost
# --------------------------------------------------------------------------------------


@given(
    j=st.integers(1, 5),
    k=st.integers(2, 7),
    n_items=st.integers(7, 60),
    n_settings=st.integers(1, 9),
)
def test_cost_counts_what_the_splitter_does(j, k, n_items, n_settings):
    made = list(ek.jk_fold(j, k, stratify=False, rng=0).split(np.zeros((n_items, 1))))
    cost = jkfold.jk_cost(j, k, n_items=n_items, n_settings=n_settings)
    assert cost.fits == len(made) * n_settings
    assert cost.items == sum(len(train) for train, _ in made) * n_settings
