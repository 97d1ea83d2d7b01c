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
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.model_selection import (
    GridSearchCV,
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


def test_scikit_learn_s_search_sees_the_partitions_in_their_order():
    search = GridSearchCV(KNN, GRID, scoring="accuracy", cv=ek.jk_fold(3, 5, rng=0))
    results = search.fit(X, Y).cv_results_
    folds = np.reshape([results[f"split{i}_test_score"] for i in range(15)], (3, 5, -1))
    for p in range(3):
        parts = list(ek.jk_fold(3, 5, rng=0).split(X, Y))[5 * p :][:5]
        assert sorted(np.concatenate([test for _, test in parts])) == list(
            range(len(X))
        )
        alone = [
            cross_val_score(KNeighborsClassifier(n), X, Y, cv=parts)
            for n in GRID["n_neighbors"]
        ]
        assert pytest.approx(np.array(alone)) == folds[p].T


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
    assert row.settings_chosen == (found.shares.loc[j] > 0).sum()
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
    seen = set()
    for ties, shares in exact.items():
        found = ek.choice_variability(FEW_STEPS, j, n_groups=20_000, ties=ties, rng=0)
        assert found.shares.loc[j].to_numpy() == pytest.approx(shares, abs=0.015)
        assert found.table.tied[j] == pytest.approx(
            (equal.sum(axis=1) > 1).mean(), abs=0.015
        )
        seen.add((found.table.tied[j], round(found.table.estimate[j], 12)))
    assert len(seen) == 1  # the same groups, whatever is done with ties


def test_equal_settings_always_tie_and_others_never():
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


def test_a_setting_that_diverged_hides_no_difference():
    scores = np.array([[0.8, 0.9, -1e20], [0.8, 0.9, 0.1]])
    assert ek.choice_variability(scores, 2, n_groups=4, rng=0).shares.loc[
        2
    ].tolist() == [0, 1, 0]


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
