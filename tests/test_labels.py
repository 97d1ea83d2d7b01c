"""What has labels is paired by them or refused, by every function that pairs item by
item.
"""

import inspect
import itertools
import re

import numpy as np
import pandas as pd
import pytest
from grids import grid
from valid_calls import (
    CROSSED,
    LABELS,
    MANY,
    OTHERS,
    SCORES,
    VALID,
)

import evalkit
from evalkit import baselines, jkfold, splits

SIX = [*SCORES, 0.77]
SIX_OTHERS = [*OTHERS, 0.60]
FAMILIES = [0, 1, 2, 3, 4, 4]
RIGHT = (np.arange(60).reshape(2, 30) * 7 % 11 < 6).astype(float)
WORDS = [9, 4, 12, 7, 15, 6]
X = np.arange(12.0).reshape(6, 2)


def series(values, labels):
    """A value for each item."""
    values = list(values)
    return pd.Series(values, index=labels)


def columns(values, labels):
    """A table whose columns are items."""
    return pd.DataFrame(np.array(values), columns=labels)


def rows(values, labels):
    """A table whose rows are items."""
    return (
        values.set_axis(labels)
        if isinstance(values, pd.DataFrame)
        else pd.DataFrame(values, index=labels)
    )


def data_sets(values, labels):
    """A table whose rows are data sets, and whose columns are systems."""
    return pd.DataFrame(
        values,
        index=labels,
        columns=[f"system {i}" for i in range(np.shape(values)[1])],
    )


def list_of_rows(values, labels):
    """A table as a list of rows, each of which has labels."""
    return [pd.Series(row, index=labels) for row in np.array(values)]


def of_settings(values, labels):
    return {name: pd.Series(value, index=labels) for name, value in values.items()}


def of_train(values, labels):
    return {
        name: (pd.DataFrame(train, index=labels), test)
        for name, (train, test) in values.items()
    }


def of_test(values, labels):
    return {
        name: (train, pd.DataFrame(test, index=labels))
        for name, (train, test) in values.items()
    }


def split_folds(X, y):
    return list(evalkit.jk_fold(2, 2, rng=0).split(X, y))


# For each function that pairs arguments item by item: the arguments of a call, and
# those that are paired, with what gives each its labels. Several ways of giving labels
# are several entries.
SCORED = {"scores_a": series, "scores_b": series}
PAIRED = [
    (evalkit.agreement, {"a": LABELS * 2, "b": [0, 1, 0, 1, 1, 1] * 2, "groups": [0, 1, 2, 3, 4, 5] * 2},
     {"a": series, "b": series, "groups": series}),
    (evalkit.boo, {}, {"validation": series, "test": series}),
    (evalkit.boo_gaussian, {}, {"validation": series, "test": series}),
    (evalkit.budget_difference, {}, {"validation_a": series, "test_a": series}),
    (evalkit.budget_difference, {"test_b": MANY[:-1]}, {"validation_b": series, "test_b": series}),
    (evalkit.choice_variability, {}, {"scores": columns, "values": of_settings}),
    (evalkit.choice_variability, {}, {"scores": list_of_rows, "values": of_settings}),
    (evalkit.compare_systems,
     {"scores": np.transpose([SIX, SIX_OTHERS, SIX]), "direction": ["higher", "lower"] * 3},
     {"scores": data_sets, "direction": series}),
    (evalkit.contingency, {}, {"y_true": series, "predictions_a": series, "predictions_b": series}),
    (evalkit.corrected_t, {}, SCORED),
    (evalkit.crossed_difference, {"a": RIGHT[0, :6], "b": RIGHT[1, :6], "groups": FAMILIES},
     {"a": series, "b": series, "groups": series}),
    (evalkit.crossed_difference, {}, {"a": columns, "b": columns, "groups": series}),
    (evalkit.crossed_difference, {"groups": None}, {"a": list_of_rows, "b": list_of_rows}),
    (evalkit.crossed_difference, {"rows": "paired"}, {"a": rows, "b": rows}),
    (evalkit.difference_interval, {}, SCORED),
    (evalkit.expected_max_interval, {}, {"scores": series, "test": series}),
    (evalkit.group_interval, {}, {"scores": series, "groups": series}),
    (evalkit.group_interval,
     {"scores": [*SIX, *OTHERS], "groups": [*"aabbccddeef"], "strata": [*"xxxxxxyyyyy"], "method": "t"},
     {"scores": series, "strata": series}),
    (evalkit.ratio_difference,
     {"numerators_a": [1, 0, 2, 1, 1, 0], "denominators_a": WORDS, "numerators_b": [2, 1, 2, 1, 4, 1],
      "denominators_b": WORDS, "groups": FAMILIES},
     {"numerators_a": series, "denominators_a": series, "numerators_b": series, "denominators_b": series,
      "groups": series}),
    (evalkit.judged_difference, {},
     {"judge_a": series, "judge_b": series, "people_a": series, "people_b": series, "groups": series}),
    (evalkit.pass_at_k, {"right": [0, 3, 1, 2, 3, 1], "answers": [3, 3, 2, 3, 4, 3], "groups": FAMILIES},
     {"right": series, "answers": series, "groups": series}),
    (evalkit.pass_hat_k, {"right": [0, 3, 1, 2, 3, 1], "answers": [3, 3, 2, 3, 4, 3], "groups": FAMILIES},
     {"right": series, "answers": series, "groups": series}),
    (evalkit.rank_intervals, {"scores": np.transpose([SIX, SIX_OTHERS, SIX]), "groups": FAMILIES},
     {"scores": data_sets, "groups": series}),
    (evalkit.sign_flip, {}, SCORED),
    (evalkit.split_report, {}, {"y": series, "groups": series, "texts": series}),
    (evalkit.train_dev_test, {}, {"y": series, "groups": series}),
    (evalkit.variance_components, {}, {"scores": series, "seeds": series, "splits": series}),
    (evalkit.wilcoxon, {}, SCORED),
    (baselines.duplicate_ceiling, {}, {"inputs": series, "y": series}),
    (baselines.partial_inputs, {}, {"y_train": series, "inputs": of_train}),
    (baselines.partial_inputs, {}, {"y_test": series, "inputs": of_test}),
    (splits.near_duplicate_groups, {"texts": ["a b", "a b", "c", "d", "e", "f"], "groups": FAMILIES},
     {"texts": series, "groups": series}),
    (split_folds, {"X": X, "y": LABELS}, {"X": rows, "y": series}),
]  # fmt: skip
STANDS_FOR = {
    jkfold.JKFold: split_folds,
}


def has_pairs(arguments):
    """Tell whether two arguments of a call have a value for each item."""
    lengths = [
        len(value)
        for value in arguments.values()
        if isinstance(value, (list, np.ndarray))
    ]
    return any(lengths.count(length) > 1 for length in lengths if length > 1)


def test_every_function_that_pairs_is_held_against_labels():
    paired = {function for function, _, _ in PAIRED}
    assert set(STANDS_FOR.values()) <= paired
    missing = {
        function.__qualname__
        for function, arguments in VALID.items()
        if has_pairs(arguments) and function not in paired
    }
    assert not missing, (
        "give PAIRED an entry for each: what of a call of it gets labels, and how"
    )


def names(n):
    """Labels as of items."""
    return [f"q{i}" for i in range(n)]


def size(label, value):
    """How many items an argument has."""
    if isinstance(value, dict):
        first = next(iter(value.values()))
        value = (
            first[0] if label is of_train else first[1] if label is of_test else first
        )
    return np.shape(value)[-1] if label in (columns, list_of_rows) else len(value)


def labelled(function, arguments, paired, moved=None, move=list):
    """Return the arguments of a call with the same labels for all that is paired, but
    for one.
    """
    arguments = {**VALID.get(function, {}), **arguments}
    for name, label in paired.items():
        own = names(size(label, arguments[name]))
        arguments[name] = label(arguments[name], move(own) if name == moved else own)
    return arguments


def shown(function, arguments):
    found = function(**arguments)
    return repr(found({})) if inspect.isfunction(found) else repr(found)


every_pair = grid(("function", "arguments", "paired"), PAIRED)


@every_pair
def test_the_same_labels_in_the_same_order_are_as_none(function, arguments, paired):
    plain = shown(function, {**VALID.get(function, {}), **arguments})
    assert shown(function, labelled(function, arguments, paired)) == plain


@every_pair
def test_row_numbers_are_paired_by_position(function, arguments, paired):
    """Those of one part of a table name no item of another part."""
    plain = shown(function, {**VALID.get(function, {}), **arguments})
    for name in paired:
        apart = labelled(
            function, arguments, paired, name, lambda own: range(9, 9 + len(own))
        )
        assert shown(function, apart) == plain


# What another thing's labels may be, and what is said of them.
OTHER_LABELS = {
    "same labels, but have none in common": lambda own: [f"{x} of B" for x in own],
    "must have the same labels, but 1 of": lambda own: [*own[:-1], "another"],
    "in another order: give .* to pair them by label": lambda own: [*own[1:], own[0]],
}


@every_pair
def test_other_labels_are_refused(function, arguments, paired):
    for name, (said, move) in itertools.product(paired, OTHER_LABELS.items()):
        with pytest.raises(ValueError, match=said) as caught:
            function(**labelled(function, arguments, paired, name, move))
        assert name in str(caught.value)


@every_pair
def test_what_the_refusal_says_pairs_them(function, arguments, paired):
    moved = labelled(function, arguments, paired)
    plain, (*_, last) = shown(function, moved), paired
    if not isinstance(moved[last], (pd.Series, pd.DataFrame)):
        return  # in a dict or a list, where the argument's name does not stand alone
    axis = "columns" if paired[last] is columns else "index"
    moved[last] = moved[last].reindex(**{axis: getattr(moved[last], axis)[::-1]})
    with pytest.raises(ValueError, match=rf"^{last} has the labels of ") as caught:
        function(**moved)
    remedy = re.search(r"give (.*) to pair them by label", str(caught.value))[1]
    if remedy == "ids=":
        labels = [names(size(label, moved[name])) for name, label in paired.items()]
        labels = labels[:-1] if last == "groups" else labels
        by_label = {**moved, "ids": [*labels[:-1], labels[-1][::-1]]}
    else:
        by_label = {**moved, last: eval(remedy, {}, moved)}
    assert shown(function, by_label) == plain


# --------------------------------------------------------------------------------------
# What labels can be
# --------------------------------------------------------------------------------------


def of_labels(labels_a, labels_b):
    """A test of two Series, which pairs or refuses."""
    a, b = pd.Series(SCORES, labels_a), pd.Series(OTHERS, labels_b)
    return evalkit.corrected_t(a, b, n_train=9, n_test=1)


PLAIN = evalkit.corrected_t(SCORES, OTHERS, n_train=9, n_test=1)


@grid(
    ("labels_a", "labels_b"),
    [
        (range(5), [0, 1, 2, 3, 4]),
        (
            pd.Index(list("abcde"), dtype=object),
            pd.Index(list("abcde"), dtype="string"),
        ),
        ([0, 1, np.nan, 3, 4], [0.0, 1.0, np.nan, 3.0, 4.0]),
        (list("aabbc"), list("aabbc")),
        (range(10, 15), range(5)),
        ([(1, 2)] * 5, [(1, 3)] * 5),
        ([[1], [2], [3], [4], [5]], [[5], [4], [3], [2], [1]]),  # nor do lists
    ],
)
def test_labels_that_agree(labels_a, labels_b):
    labels_a, labels_b = (
        pd.Index([*labels], dtype=object) if isinstance(labels[0], list) else labels
        for labels in (labels_a, labels_b)
    )
    assert of_labels(labels_a, labels_b) == PLAIN


@grid(
    ("labels_a", "labels_b", "message"),
    [
        (range(5), range(1, 6), "1 of 5 are in scores_b alone \\(5\\)"),
        (range(5), [4, 3, 2, 1, 0], "in another order: give scores_b.loc"),
        (range(5), [4.0, 3, 2, 1, 0], "in another order: give scores_b.loc"),
        (list("aabbc"), list("aabbd"), "1 of 5 are in scores_b alone"),
        (list("aabbc"), list("abbcc"), "some come more often in one of them"),
        (list("aabbc"), list("ddeef"), "have none in common"),
        (list("aabbc"), list("abbca"), "in another order, and some of them twice: bring both"),
        (pd.MultiIndex.from_product([[0], list("abcde")]), pd.MultiIndex.from_product([[0], list("edcba")]),
         "in another order: give scores_b.loc"),
        (pd.date_range("2025-01-01", periods=5), pd.date_range("2025-01-03", periods=5), "2 of 5"),
        (pd.RangeIndex(5, name="seed"), pd.RangeIndex(10, 15, name="seed"), "have none in common"),
    ],
)  # fmt: skip
def test_labels_that_do_not(labels_a, labels_b, message):
    with pytest.raises(ValueError, match=f"^scores_b .*{message}"):
        of_labels(labels_a, labels_b)


def test_an_array_beside_a_series_is_paired_by_position():
    assert (
        evalkit.corrected_t(pd.Series(SCORES, names(5)), OTHERS, n_train=9, n_test=1)
        == PLAIN
    )


def test_the_second_and_the_third_are_held_against_each_other_too():
    y, a, b = VALID[evalkit.contingency].values()
    a, b = pd.Series(a, list("vwxyz")), pd.Series(b, list("zyxwv"))
    with pytest.raises(
        ValueError, match="^predictions_b has the labels of predictions_a in its index"
    ):
        evalkit.contingency(pd.Series(y), a, b)


def test_trials_have_the_labels_of_their_table():
    trials = evalkit.search(
        lambda setting: setting["x"], {"x": SCORES * 8}, n_trials=40, rng=0
    )
    test = pd.Series(np.arange(40.0))
    assert evalkit.boo(trials, test, n=3) == evalkit.boo(trials, np.arange(40.0), n=3)
    with pytest.raises(
        ValueError, match=r"give test.loc\[validation.table.index\] to pair"
    ):
        evalkit.boo(trials, test[::-1], n=3)


# --------------------------------------------------------------------------------------
# Seeds x items
# --------------------------------------------------------------------------------------

RUNS_A, RUNS_B = (pd.DataFrame(table, columns=names(6)) for table in CROSSED)
GROUPS = pd.Series(FAMILIES, names(6))
CROSSED_FOUND = evalkit.crossed_difference(*CROSSED, FAMILIES)


def test_groups_are_those_of_the_items_in_the_order_of_the_first_table():
    assert evalkit.crossed_difference(RUNS_A, RUNS_B, GROUPS) == CROSSED_FOUND
    moved = [3, 1, 2, 0, 5, 4]
    by_id = names(6), [f"q{i}" for i in moved]
    for groups in (GROUPS, GROUPS.reset_index(drop=True), FAMILIES):
        assert (
            evalkit.crossed_difference(
                CROSSED[0], CROSSED[1][:, moved], groups, ids=by_id
            )
            == CROSSED_FOUND
        )
    with pytest.raises(
        ValueError,
        match=r"^groups has the labels of ids of a in .* give groups.loc\[ids\[0\]\]",
    ):
        evalkit.crossed_difference(
            CROSSED[0], CROSSED[1][:, moved], GROUPS[::-1], ids=by_id
        )
    # Row numbers that are those of the table are its own, whatever the ids are.
    numbered = pd.DataFrame(CROSSED[0], columns=[9, 8, 7, 6, 5, 4])
    groups = pd.Series(FAMILIES, numbered.columns)
    ids = [4, 5, 6, 7, 8, 9], [4 + i for i in moved]
    assert (
        evalkit.crossed_difference(numbered, CROSSED[1][:, moved], groups, ids=ids)
        == CROSSED_FOUND
    )


def test_the_rows_of_pairs_are_pairs_too():
    a, b = (table.set_axis(["s0", "s1", "s2"]) for table in (RUNS_A, RUNS_B))
    paired = evalkit.crossed_difference(a, b, rows="paired")
    assert paired == evalkit.crossed_difference(*CROSSED, rows="paired")
    with pytest.raises(
        ValueError,
        match="^b has the labels of a in its index, in another order: give b.loc",
    ):
        evalkit.crossed_difference(a, b[::-1], rows="paired")
    assert evalkit.crossed_difference(a, b[::-1]).difference == pytest.approx(
        paired.difference
    )


@grid(
    ("a", "b", "groups"),
    [
        (RUNS_A.T, RUNS_B.T, None),
        (RUNS_A.T, RUNS_B.T, GROUPS),
        (RUNS_A.T, CROSSED[1].T, GROUPS),
        (CROSSED[0].T, CROSSED[1].T, FAMILIES),
        (RUNS_A.T, RUNS_B.T.set_axis([7, 8, 9], axis=1), None),
        (CROSSED[0].T, np.c_[CROSSED[1].T, CROSSED[1].T][:, :5], None),
    ],
)
def test_items_in_rows_are_refused_where_it_shows(a, b, groups):
    with pytest.raises(
        ValueError, match="^a and b must have a row for each run .* give a.T and b.T"
    ):
        evalkit.crossed_difference(a, b, groups)


def test_rows_that_are_numbered_alike_are_runs():
    a, b = RUNS_A, RUNS_B.set_axis(range(10, 16), axis=1)
    assert evalkit.crossed_difference(a, b, FAMILIES) == CROSSED_FOUND
    square = pd.DataFrame(np.arange(36).reshape(6, 6) * 5 % 7 / 7)
    assert (
        evalkit.crossed_difference(square, square * 0.9, pd.Series(FAMILIES)).difference
        > 0
    )


@grid(
    ("one", "other"),
    [(["q1", "q2"], ["Q2", "Q1"]), ([1, 2], ["2", " 1"]), ([7, 8], ["008", "007"])],
)
def test_row_numbers_that_differ_in_writing_alone_are_labels(one, other):
    a, b = pd.Series([0.1, 0.2], index=one), pd.Series([0.3, 0.5], index=other)
    with pytest.raises(ValueError, match="have none in common .*: write them in one"):
        evalkit.wilcoxon(a, b)
