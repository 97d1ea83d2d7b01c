"""Bad input gets an error that begins with the name of the argument at fault."""

import inspect
import re
from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from valid_calls import MANY, MATRIX, OTHERS, SCORES, VALID, public_functions

import evalkit
from evalkit import jkfold, splits, tuning
from lab import models
from lab.data import datasets
from lab.experiments import crossed, pools, xor
from lab.record import tables

NAN, INF = float("nan"), float("inf")
RAGGED = [[1], [1, 2], [3], [4], [5]]
TOO_BIG = 10**400  # an int that no float can hold


def returning(value):
    """A statistic that ignores its sample."""

    def statistic(sample):
        return value

    statistic.__name__ = f"returning {value!r}"
    return statistic


class Unreadable:
    """What another library's conversion fails on, in its own words, as a tensor that
    wants a gradient.
    """

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("Can't call numpy() on Tensor that requires grad")


# What is no sequence of numbers or labels, for whatever it stands. Iterators are used
# up by their first use, so the test makes them anew.
NO_SEQUENCE = [
    (Unreadable(), ValueError),
    (np.ma.array([0, 1, 0, 1, 0], mask=[0, 1, 0, 0, 0]), ValueError),
    (iter([0, 1, 0, 1, 0]), TypeError),
    ({0: 0, 1: 1, 2: 0, 3: 1, 4: 0}, TypeError),
    ({0, 1, 2, 3, 4}, TypeError),
    (np.zeros(5, dtype=[("a", int)]), TypeError),
    (range(10**9), ValueError),
]
SCORE_LIKE = [
    *NO_SEQUENCE,
    ([], ValueError),
    ([0.5, NAN, 0.7, 0.8, 0.9], ValueError),
    ([0.5, INF, 0.7, 0.8, 0.9], ValueError),
    ([0.5, -INF, 0.7, 0.8, 0.9], ValueError),
    ([[0.5, 0.6], [0.7, 0.8]], ValueError),
    (0.5, ValueError),
    (RAGGED, ValueError),
    ([0.5, TOO_BIG, 0.7, 0.8, 0.9], (TypeError, ValueError)),
    ("0.5", TypeError),
    (["0.5", "0.6", "0.7", "0.8", "0.9"], TypeError),
    ([0.5, None, 0.7, 0.8, 0.9], TypeError),
    ([0.5, 1j, 0.7, 0.8, 0.9], TypeError),
    ([0.5, {}, 0.7, 0.8, 0.9], TypeError),
]
COUNT = [
    (0, ValueError),
    (-1, ValueError),
    (10.0, TypeError),
    (NAN, TypeError),
    (True, TypeError),
    ("10", TypeError),
    (None, TypeError),
]
BUDGET = [
    *COUNT[:-1],
    ([], ValueError),
    ([1, 0], ValueError),
    ([2, -2], ValueError),
    ([1.0, 2.0], TypeError),
    ([True, False], TypeError),
    (["1"], TypeError),
    ([None], TypeError),
    ([[1, 2]], ValueError),
    (RAGGED, (TypeError, ValueError)),
    (2j, TypeError),
]
LEVEL = [
    *[(level, ValueError) for level in (0, 1, 0.0, 1.0, -0.1, 1.5, NAN, INF)],
    *[(level, TypeError) for level in ("0.95", None, True, [0.95], 0.5j)],
]
FLAG = [(value, TypeError) for value in (1, 0.0, "yes", None, [True])]
CHOICE = [("unknown", ValueError), ("", ValueError), (None, TypeError), (1, TypeError)]
LABEL_LIKE = [
    *NO_SEQUENCE,
    ([], ValueError),
    (None, ValueError),
    ("label", ValueError),
    ([0, 1, NAN, 1, 0, 1], ValueError),
    ([0, 1, INF, 1, 0, 1], ValueError),
    (["a", "b", None, "b", "a", "b"], (TypeError, ValueError)),
    ([[0], [1], [0], [1], [0], [1]], ValueError),
    ([0, 1, 1j, 1, 0, 1], TypeError),
    (RAGGED, (TypeError, ValueError)),
    ([0, 1, 0, 1], ValueError),  # too short beside other arguments
]
FAR = [
    *[([size, 2 * size, 0.0, 1.0, 3.0, 2.0], ValueError) for size in (1e200, 1e-200)]
]
FUNCTION = [("mean", TypeError), (None, TypeError), (3, TypeError)]
NUMBER = [
    *[(value, ValueError) for value in (NAN, INF, -INF)],
    *[(value, TypeError) for value in ("0.5", None, True, [0.5], 0.5j)],
]
# What is wrong for a list of seeds is wrong for a column of them.
LEVELS = [
    *((value, (TypeError, ValueError)) for value, _ in NO_SEQUENCE),
    *[
        (value, (TypeError, ValueError))
        for value in (None, 1, "abc", RAGGED, [0, 0, 0, NAN, 1, 1])
    ],
    *[(value, ValueError) for value in ([], [0, 0, 0, 1, 1], [0, 0, 0, 0, 0, 0])],
]
LABELS = [
    ([], ValueError),
    (None, ValueError),
    (1, ValueError),
    ("abbca", ValueError),
    ([["a"], ["b"], ["b"], ["c"], ["a"]], ValueError),
    (["a", "b", "b", "c"], ValueError),
    (["a", "b", None, "c", "a"], ValueError),
    (["a", "b", NAN, "c", "a"], ValueError),
    ([0.0, 1.0, NAN, 2.0, 0.0], ValueError),
    (RAGGED, ValueError),
    ([b"a", b"b", b"b", b"c", b"a"], TypeError),
    (["a", 1, "b", "c", "a"], TypeError),
    ([0, 1, 1, 2, 0], TypeError),  # next to strings
]
FROM_ZERO = [*COUNT[1:], (0.5, TypeError), (2**53 + 1, ValueError)]

SHARE = [
    *[(value, ValueError) for value in (-0.1, 1, 1.5, NAN, INF)],
    *[(value, TypeError) for value in ("0.2", None, True, [0.2])],
]
TEXTS = [
    *((value, TypeError) for value, _ in NO_SEQUENCE[2:5]),
    ("a text", TypeError),
    ([1, 2, 3, 4, 5, 6], TypeError),
    (["a", "b"], ValueError),
    (3, TypeError),
]
OF_SIX = [([0, 1], ValueError), (3, ValueError), ([0, 1, None, 1, 0, 1], ValueError)]

# What is wrong for each argument, by its name. None is right where it stands for a
# default.
NEEDED_SCORES, NEEDED_BUDGET = (
    [*SCORE_LIKE, (None, TypeError)],
    [
        *BUDGET,
        (None, TypeError),
    ],
)
BAD = {
    **dict.fromkeys(("scores", "scores_a", "scores_b", "validation"), NEEDED_SCORES),
    "test": SCORE_LIKE,
    "n": NEEDED_BUDGET,
    **dict.fromkeys(("n_repeats", "n_resamples", "trials"), COUNT),
    **dict.fromkeys(("y_train", "y_test"), LABEL_LIKE[:-1]),
    "full": [("unknown", ValueError), ("", ValueError), (None, ValueError)],
    "dummy_table.scoring": [
        *[(value, ValueError) for value in ("unknown", [], ["accuracy", "r2"])],
        (3, TypeError),
    ],
    **dict.fromkeys(
        ("n_simulations", "n_test", "n_train"),
        COUNT,
    ),
    **dict.fromkeys(("n11", "n10", "n01", "n00"), FROM_ZERO),
    "successes": [*COUNT[1:], (6, ValueError), (0.5, TypeError)],
    **dict.fromkeys(("alpha", "confidence_level"), LEVEL),
    **dict.fromkeys(("minimize", "paired"), FLAG),
    "nan_fails": FLAG,
    "names": [("x", ValueError), ("paired", ValueError), (0, TypeError)],
    "threshold": NUMBER,
    "function": FUNCTION,
    "variance_components.splits": LEVELS,
    "variance_components.seeds": LEVELS,
    "seed": [(-1, ValueError), (2**32, ValueError), *COUNT[2:]],
    "difference": [*NUMBER, (0, ValueError)],
    "sd": [*NUMBER, (0, ValueError), (-1.0, ValueError)],
    "power": LEVEL,
    **dict.fromkeys(("alternative", "estimator", "method", "zero_method"), CHOICE),
    "rng": [("seed", TypeError), (1.5, TypeError), (True, TypeError), (-1, ValueError)],
    **dict.fromkeys(("draw", "procedure"), FUNCTION),
    **dict.fromkeys(("y_true", "predictions_a", "predictions_b"), LABELS),
    "pvalues": [*NEEDED_SCORES, ([0.1, 1.1], ValueError), ([-0.1, 0.5], ValueError)],
    "statistic": [
        *FUNCTION,
        (np.sort, ValueError),
        (returning(NAN), ValueError),
        (returning(INF), ValueError),
        *[(returning(value), (TypeError, ValueError)) for value in (None, "high", 1j)],
    ],
    "groups": [
        (None, ValueError),
        (1, ValueError),
        ([], ValueError),
        ([0, 0, 1, 2], ValueError),
        ([0, 0, 0, 0, 0], ValueError),
        (["a"] * 5, ValueError),
        ([[0], [0], [1], [2], [2]], ValueError),
        ([0, 0, 1, NAN, 2], ValueError),
        ([0, 0, 1, INF, 2], ValueError),
        (["a", "a", None, "b", "b"], (TypeError, ValueError)),
        (np.array(["2020", "2020", "NaT", "2021", "2021"], dtype="M8[Y]"), ValueError),
        (RAGGED, (TypeError, ValueError)),
    ],
    "bounds": [
        ((1, 0), ValueError),
        ((1, 1), ValueError),
        ((INF, -INF), ValueError),
        ((NAN, 1), ValueError),
        ((0, NAN), ValueError),
        ((0.65, 1), ValueError),
        ((0, 0.9), ValueError),
        ((0, 1, 2), TypeError),
        (1, TypeError),
        (None, TypeError),
        (("0", "1"), TypeError),
        ((False, True), TypeError),
        ((0, 1j), TypeError),
    ],
}


BAD |= {
    "rng": [*BAD["rng"], (range(10**9), TypeError)],
    "variance_components.scores": [*NEEDED_SCORES, *FAR],
    **dict.fromkeys(("j", "k", "n_groups", "n_items", "n_settings"), COUNT),
    "stratify": FLAG,
    **dict.fromkeys(("n_trials", "prune_after"), COUNT[:-1]),
    "objective": FUNCTION,
    "space": [
        *[(value, TypeError) for value in (None, {}, [], "x")],
        *[({"x": values}, ValueError) for values in ([], "abc", 3, None)],
        *[
            ({"x": values}, ValueError)
            for values in ({"a": 1}, {1}, iter([1]), range(10**9))
        ],
        ({"x": stats.norm(NAN)}, ValueError),
        ({"score": [1]}, ValueError),
    ],
    "choice_variability.scores": [
        *[
            (value, ValueError)
            for value in ([], [[]], [0.5, 0.6], [[0.5, NAN], [0.5, 0.6]], RAGGED)
        ],
        *[(value, ValueError) for value in (0.5, 3)],
        *[
            (value, TypeError)
            for value in (None, "0.5", [["a"], ["b"]], [[0.5, None], [0.5, 0.6]])
        ],
    ],
    "pools": [
        *[
            (value, TypeError)
            for value in (None, SCORES, {}, {"a": SCORES}, {"a": SCORES, "b": ["0.5"]})
        ],
        *[
            ({"a": SCORES, "b": value}, ValueError)
            for value in ([], [NAN], [[0.5]], [1e200, 1])
        ],
        ({1: SCORES, "1": SCORES}, ValueError),
    ],
    "y": LABEL_LIKE,
    "values": [
        ([1, 2, 3], TypeError),
        ({"C": [1, 2]}, ValueError),
        ({"C": [1, 2, NAN]}, ValueError),
        ({"C": ["a", "b", "c"]}, TypeError),
    ],
    "budgets": [
        *[(value, ValueError) for value in ([], [0], [-1], [1.5], [NAN], 1, [[1]])],
        *[(value, TypeError) for value in (["1"], None)],
    ],
    "seconds": [
        *[
            (value, ValueError)
            for value in ({"a": 1}, 1.0, {"a": 1, "b": 0}, {"a": 1, "b": -1})
        ],
        ({"a": 1, "b": NAN}, ValueError),
        ({"a": 1, "b": "1"}, TypeError),
    ],
    "right": [
        *NEEDED_SCORES,
        ([0.5, 1, 2, 1, 0], ValueError),
        ([4, 1, 2, 1, 0], ValueError),
    ],
    "answers": [
        *[(value, (TypeError, ValueError)) for value, _ in NEEDED_SCORES],
        (0, ValueError),
        (True, TypeError),
    ],
    **{f"{name}.k": [*COUNT, (4, ValueError)] for name in ("pass_at_k", "pass_hat_k")},
    "rank_intervals.scores": [
        *[
            (value, ValueError)
            for value in ([], [[]], [0.5, 0.6], [[0.5, NAN], [0.5, 0.6]], RAGGED)
        ],
        *[
            (value, ValueError)
            for value in (0.5, 3, [[0.5, 0.6, 0.7], [0.1, 0.2, 0.3]])
        ],
        *[
            (value, (TypeError, ValueError))
            for value in (None, "0.5", [["a", "b"]] * 5)
        ],
        ([[0.5, None], [0.5, 0.6]], TypeError),
    ],
    "train_dev_test.y": LABEL_LIKE,
    "train_dev_test.dev": SHARE,
    "train_dev_test.test": [*SHARE, (0, ValueError)],
    "train_dev_test.stratify": [value for value in FLAG if value[0] is not None],
    "train_dev_test.groups": [*OF_SIX, ([0] * 6, ValueError)],
    "split_report.y": LABEL_LIKE[:-1],
    "split_report.split": [
        *[(value, (TypeError, ValueError)) for value in (None, 3, [], [[0]], "ab")],
        (([0, 1], [1, 2]), ValueError),
        (([0, 1], [6]), ValueError),
        (([0, 1], []), ValueError),
        (([0.0], [1.0]), TypeError),
        *[
            (value, TypeError)
            for value in ({"train": [0], "test": [1]}, iter([[0], [1]]))
        ],
    ],
    "split_report.groups": OF_SIX,
    "split_report.texts": TEXTS,
    "split_report.threshold": [
        *[(value, ValueError) for value in (0, 1.1, NAN)],
        *[(value, TypeError) for value in ("0.8", None, True)],
    ],
    "duplicate_ceiling.y": LABEL_LIKE,
    "duplicate_ceiling.inputs": [
        *[(value, TypeError) for value in (None, 3, "abcdef", [[1]] * 6)],
        *[(value, TypeError) for value in (set("abcdef"), dict.fromkeys("abcdef"))],
        (iter("abcdef"), TypeError),
        (["a"], ValueError),
        ([NAN] * 6, ValueError),
    ],
    "partial_inputs.inputs": [
        *[(value, TypeError) for value in (None, {}, [1], {"all": 3})],
        ({"all": ([[0]] * 6, 3)}, TypeError),
        ({"all": ([[0]] * 5, [[0]] * 3)}, ValueError),
    ],
    "partial_inputs.estimator": [(None, TypeError), ("svm", TypeError)],
}


IDS = [
    *[(value, TypeError) for value in ("abcde", 3, iter("ab"), {"a": 1})],
    *[
        (value, ValueError)
        for value in ([], [range(5)], [range(5)] * 4, [range(5), range(4)])
    ],
    *[
        ([list("abcde"), other], ValueError)
        for other in (list("abcdd"), list("abcdf"), [*"abcd", None])
    ],
]
TABLES = [
    *((value, (TypeError, ValueError)) for value, _ in NO_SEQUENCE),
    *[
        (value, (TypeError, ValueError))
        for value in (None, 0.5, "ab", RAGGED, [[["a"]]], np.ones((2, 2, 2)))
    ],
    *[(np.full((3, 6), value), ValueError) for value in (NAN, 1e200)],
    *[(value, ValueError) for value in (np.ones((2, 6)), np.ones((3, 5)), np.ones(6))],
]
SUMMARY = [
    *[
        (value, TypeError)
        for value in (None, 3, "abc", (0.8, 0.1), (0.8, 0.1, 5.5), (0.8, "0.1", 5))
    ],
    *[
        (value, ValueError)
        for value in ((NAN, 0.1, 5), (0.8, INF, 5), (0.8, -0.1, 5), (0.8, 0.1, 1))
    ],
]
PRINTED = [
    *[
        (value, ValueError)
        for value in ("", "a", "-1", "1e3", "101", "101%", ".", "nan")
    ],
    *[(value, TypeError) for value in (0.9, None, ["0.9"])],
]
LARGE = [*NEEDED_SCORES, ([0.1, 0.2] * 14, ValueError), ([1e200] * 31, ValueError)]
REPORTED = [*SCORE_LIKE, ([0.1] * 5, ValueError)]
OF_FIVE = [
    (value, ValueError) for value in (1, [], [0, 0, 1, 2], [0] * 5, [0, 1, 2, 3, NAN])
]
SUMMED = [*NEEDED_SCORES, ([1, 0, 2, 1, -3], ValueError), ([1, 2, 3, 4], ValueError)]
RIGHT = [
    *FROM_ZERO[:3],
    (6, ValueError),
    ("0.7", ValueError),
    ("x", ValueError),
    (0.8, TypeError),
]
BAD |= {
    **dict.fromkeys(
        (
            "wilcoxon.ids",
            "sign_flip.ids",
            "difference_interval.ids",
            "contingency.ids",
        ),
        IDS,
    ),
    "contingency.ids": [*IDS, ([list("abcde")] * 2, ValueError)],
    "crossed_difference.ids": IDS,
    **dict.fromkeys(("crossed_difference.a", "crossed_difference.b"), TABLES),
    "crossed_difference.groups": [
        *[
            (value, ValueError)
            for value in (
                1,
                [],
                [0, 0, 1, 2],
                [0] * 6,
                [0, 0, 1, 2, 3, 3],
                [0, 1, 2, 3, 4, NAN],
            )
        ],
    ],
    "crossed_difference.rows": CHOICE,
    "decimals": [
        *[(value, TypeError) for value in (1.5, "2", True, (1.5, None))],
        *[(value, ValueError) for value in (-1, 16, [2], (2, 2, 2), (None, -1))],
    ],
    "strata": [
        *[
            (value, ValueError)
            for value in (1, [], [0, 0, 1, 1], [0, 0, 1, 1, NAN], [0, 1, 2, 3, 4])
        ],
        ({0: 0}, TypeError),
    ],
    **dict.fromkeys(("from_summary.a", "from_summary.b"), SUMMARY),
    **dict.fromkeys(("spread", "missing", "ties"), CHOICE),
    "equivalence.difference": [
        (value, TypeError) for value in (None, 0.1, (0, 1), evalkit.t_interval(SCORES))
    ],
    "margin": [*NUMBER, (0, ValueError), (-0.1, ValueError)],
    "equivalence.alpha": [*LEVEL, (0.5, ValueError)],
    "fractions": [
        *NEEDED_SCORES,
        *[
            (value, ValueError)
            for value in (
                [0, 1],
                [0.5, 0.5],
                [1, 0.5],
                [0.5, 1.1],
                [-0.5, 1],
                [0.5, 0.5001],
            )
        ],
        ((np.arange(101) + 1) / 101, ValueError),
    ],
    "spending": CHOICE,
    **dict.fromkeys(("trials_a", "trials_b"), COUNT),
    "successes_a": [*COUNT[1:], (6, ValueError), (0.5, TypeError)],
    "successes_b": [*COUNT[1:], (10, ValueError), (0.5, TypeError)],
    "differences": [
        *NEEDED_SCORES,
        (MANY, ValueError),
        ([0.1] * 62, ValueError),
        (list(range(62)), ValueError),
        ([1e200, 1] * 31, ValueError),
        (pd.Series(MANY * 2, pd.date_range("2026", periods=62)[::-1]), ValueError),
    ],
    "n_blocks": [(7, ValueError), (40, ValueError), *COUNT[2:-1]],
    "printed": PRINTED,
    "possible_counts.n": COUNT,
    **dict.fromkeys(("agreement.a", "agreement.b"), LABELS),
    **{name: [*NEEDED_SCORES, *FAR] for name in ("judge_a", "judge_b")},
    # NaN is an answer that nobody looked at.
    **{
        name: [
            *[(value, ValueError) for value in ([], 0.5, [[0.5]], [NAN] * 62, None)],
            (["a"] * 62, TypeError),
        ]
        for name in ("people_a", "people_b")
    },
    "agreement.ids": IDS,
    **{
        f"{name}.groups": [*OF_FIVE, ([0, 0, 1, 2, 3], ValueError)]
        for name in ("pass_at_k", "pass_hat_k", "rank_intervals", "judged_difference")
    },
    "rank_intervals.direction": CHOICE,
    "agreement.groups": [*OF_FIVE, ([0, 0, 1, 2, 3], ValueError)],
    "ratio_difference.groups": OF_FIVE,
    **dict.fromkeys(
        ("numerators_a", "denominators_a", "numerators_b", "denominators_b"), SUMMED
    ),
    "detectable_difference.n": [*COUNT, (19, ValueError), ([200], TypeError)],
    "rate": LEVEL,
    "correlation": [*NUMBER, (1, ValueError), (-0.5, ValueError)],
    "icc": [*NUMBER, (-0.1, ValueError), (1.1, ValueError)],
    "group_size": [*NUMBER, (0.5, ValueError), (41, ValueError)],
    "mcnemar_range.n": COUNT,
    **dict.fromkeys(
        ("correct_a", "correct_b"),
        RIGHT,
    ),
    "compare_systems.control": [("nobody", ValueError), (3.5, ValueError)],
    "direction": [
        *[
            (value, ValueError)
            for value in ("up", "", [], ["higher"], ["higher", "up", "lower"])
        ],
        *[(value, TypeError) for value in (["higher", 1, "lower"],)],
    ],
    **dict.fromkeys(
        ("validation_a", "validation_b", "expected_max_interval.scores"), LARGE
    ),
    **dict.fromkeys(("test_a", "test_b", "expected_max_interval.test"), REPORTED),
    "budget_difference.n": COUNT,
    "budget_difference.seconds": [
        *[
            (value, ValueError)
            for value in (
                [],
                [1.0],
                [1.0, 2.0, 3.0],
                [1.0, 0.0],
                [1.0, NAN],
                [1.0, 3.0],
            )
        ],
        *[(value, TypeError) for value in ("12", ["1", "2"])],
    ],
}


SAID = [(7, TypeError), (["copies", 7], TypeError), ({"a": "b"}, TypeError)]
SAID_CHOICE = [case for case in CHOICE if case[0] is not None]  # None: nothing is said
SIZE = [(0, ValueError), (1.5, TypeError), (True, TypeError), ("x", TypeError)]
BAD |= {
    f"report.{name}": values
    for name, values in {
        "table": [
            (7, TypeError),
            (None, TypeError),
            ({}, TypeError),
            ([], TypeError),
        ],
        "baseline": [(1, TypeError), (None, TypeError), (["b"], TypeError)],
        "metric": [(7, TypeError), (["accuracy"], TypeError)],
        "direction": SAID_CHOICE,
        "columns": [
            (7, TypeError),
            ({"sistem": "seed"}, ValueError),
            ({"seed": 7}, TypeError),
            ({"seed": ["seed"]}, TypeError),
            ({"item": "x"}, ValueError),
        ],
        "ignore": SAID,
        "margin": [
            (0, ValueError),
            (-1, ValueError),
            (NAN, ValueError),
            ("x", TypeError),
            (True, TypeError),
        ],
        **dict.fromkeys(("n_train", "n_test", "n"), SIZE),
        "random": [("yes", TypeError), (1, TypeError)],
        "confirm": [*SAID, ("everything", ValueError)],
    }.items()
}


def bad_values(function, name):
    """What is wrong for an argument: of this function, or of every function with such
    an argument.
    """
    return BAD.get(f"{function.__name__}.{name}", BAD.get(name))


# What is wrong only next to another argument, or in one function: what is changed, and
# the name.
TOGETHER = [
    (evalkit.expected_max, {"n": 6}, "n", ValueError),
    (evalkit.expected_max, {"n": [1, 6]}, "n", ValueError),
    (evalkit.boo, {"n": 6}, "n", ValueError),
    (evalkit.boo, {"test": None, "n": [[1]]}, "n", ValueError),
    (evalkit.boo, {"test": OTHERS[:-1]}, "test", ValueError),
    (evalkit.boo_gaussian, {"test": OTHERS[:-1]}, "test", ValueError),
    (evalkit.difference_interval, {"scores_b": OTHERS[:-1]}, "scores_b", ValueError),
    (evalkit.t_interval, {"scores": [0.5]}, "scores", ValueError),
    (evalkit.bootstrap_interval, {"scores": [0.5]}, "scores", ValueError),
    (evalkit.group_interval, {"scores": [0.5], "groups": [0]}, "scores", ValueError),
    (
        evalkit.difference_interval,
        {"scores_a": [0.5], "scores_b": [0.5]},
        "scores_a",
        ValueError,
    ),
    (
        evalkit.difference_interval,
        {"scores_b": [0.5], "paired": False},
        "scores_b",
        ValueError,
    ),
    (
        evalkit.boo_gaussian,
        {"validation": [0.5], "test": [0.5]},
        "validation",
        ValueError,
    ),
    *(
        # SciPy wants their standard deviation.
        (
            function,
            {"n_resamples": 1},
            "n_resamples",
            ValueError,
        )
        for function in (
            evalkit.bootstrap_interval,
            evalkit.difference_interval,
            evalkit.group_interval,
        )
    ),
    (evalkit.wilcoxon, {"scores_b": OTHERS[:-1]}, "scores_b", ValueError),
    (
        evalkit.wilcoxon,
        {"scores_a": [1e300], "scores_b": [-1e308]},
        "scores_b",
        ValueError,
    ),
    (evalkit.sign_flip, {"scores_b": OTHERS[:-1]}, "scores_b", ValueError),
    (
        evalkit.corrected_t,
        {"scores_a": [0.5], "scores_b": [0.5]},
        "scores_a",
        ValueError,
    ),
    *(
        (evalkit.compare_systems, {"scores": bad}, "scores", ValueError)
        for bad in (
            np.ones((1, 3)),
            np.ones((3, 2)),
            [[0.1, 0.2, NAN], [0.1, 0.2, 0.3]],
        )
    ),
    (
        evalkit.power,
        {"procedure": lambda p: None},
        "procedure",
        (TypeError, ValueError),
    ),
    (evalkit.power, {"procedure": lambda p: "0.5 or so"}, "procedure", TypeError),
    (
        evalkit.proportion_interval,
        {"successes": 3, "trials": 2},
        "successes",
        ValueError,
    ),
    (evalkit.choice_variability, {"j": 5}, "j", ValueError),
    (evalkit.choice_variability, {"j": []}, "j", ValueError),
    (evalkit.choice_variability, {"scores": MATRIX[:1]}, "scores", ValueError),
    (evalkit.choice_variability, {"n_groups": 1}, "n_groups", ValueError),
    (evalkit.jk_fold, {"k": 1}, "k", ValueError),
    (evalkit.jk_fold, {"j": 10**9}, "j", ValueError),
    (evalkit.choice_variability, {"n_groups": 10**9}, "n_groups", ValueError),
    (
        evalkit.choice_variability,
        {"scores": np.full((4, 3), 1e200)},
        "scores",
        ValueError,
    ),
    (evalkit.search, {"n_trials": 10**9, "method": "random"}, "n_trials", ValueError),
    (evalkit.dummy_table, {"n_repeats": 10**9}, "n_repeats", ValueError),
    (
        tuning.winner_by_budget,
        {"budgets": [1e300], "seconds": {"a": 1e-9, "b": 1.0}},
        "budgets",
        ValueError,
    ),
    (evalkit.seeds_needed, {"alpha": 1e-300}, "alpha", ValueError),
    (evalkit.seeds_needed, {"difference": TOO_BIG}, "difference", ValueError),
    (evalkit.failure_rate, {"threshold": TOO_BIG}, "threshold", ValueError),
    (jkfold.jk_cost, {"n_items": 4}, "n_items", ValueError),
    (evalkit.search, {"method": "random"}, "n_trials", TypeError),
    (evalkit.search, {"space": {"x": stats.uniform(0, 1)}}, "space", ValueError),
    (evalkit.search, {"objective": lambda setting: NAN}, "objective", ValueError),
    (evalkit.seeds_needed, {"power": 0.05}, "power", ValueError),
    *(
        (evalkit.detectable_difference, {"alpha": bad}, "alpha", ValueError)
        for bad in (1e-300, 0.9)
    ),
    (evalkit.detectable_difference, {"correlation": 0.9}, "n", ValueError),
    (
        evalkit.ratio_difference,
        {"denominators_a": [0] * 5},
        "denominators_a",
        ValueError,
    ),
    (
        evalkit.ratio_difference,
        {"denominators_b": [0, 0, 0, 9, 9]},
        "denominators_b",
        ValueError,
    ),
    (evalkit.seeds_needed, {"difference": 1e-9}, "difference", ValueError),
    (evalkit.variance_components, {"scores": SCORES}, "seeds", ValueError),
    (evalkit.variance_components, {"seeds": [0, 0, 0, 1, 1, 0]}, "scores", ValueError),
]


def bad_calls():
    """Yield (function, what is changed, name of the argument at fault, error)."""
    for function in VALID:
        for name in inspect.signature(function).parameters:
            for value, error in bad_values(function, name) or ():
                yield function, {name: value}, name, error
    yield from TOGETHER


def fault_of(call, argument, error):
    """Say what is wrong with how a call answers a bad argument; empty if nothing is."""
    try:
        call()
    except error as caught:
        named = re.match(rf"(\w+ and )?{argument}\b", str(caught))
        return "" if named else f"does not begin with {argument}: {caught}"
    except Exception as caught:
        return f"{type(caught).__name__}: {caught}"
    return "no error"


def test_errors_name_the_argument():
    faults = []
    for function, changed, name, error in bad_calls():
        # An iterator is used up by its first call.
        fresh = {
            key: iter([0, 1, 0, 1, 0]) if isinstance(value, Iterator) else value
            for key, value in changed.items()
        }
        arguments = {**VALID[function], **fresh}
        if fault := fault_of(lambda f=function, a=arguments: f(**a), name, error):
            faults.append(f"{function.__name__}, {changed!r:.60}: {fault}")
    assert not faults, (
        "each must raise the error of its line, which begins with the argument's name"
        " (the check_ functions of evalkit/_checks.py do):\n" + "\n".join(faults)
    )


def test_table_covers_every_public_function():
    assert set(VALID) == set(public_functions()), (
        "give tests/valid_calls.py a valid call of each public function"
    )


def test_table_covers_every_argument():
    uncovered = [
        f"{function.__name__}.{name}"
        for function in public_functions()
        for name in inspect.signature(function).parameters
        if bad_values(function, name) is None
    ]
    assert not uncovered, f"say in BAD what is wrong for {', '.join(uncovered)}"


def test_calls_are_valid_before_they_are_spoilt():
    for function, arguments in VALID.items():
        function(**arguments)


@pytest.mark.parametrize(
    ("function", "got", "needs"),
    [
        (
            lambda: evalkit.expected_max([0.5, NAN, 0.7], 2),
            r"scores\[1\] = nan",
            "finite",
        ),
        (lambda: evalkit.expected_max(SCORES, 6), "6", r"at most .* \(5\)"),
        (lambda: evalkit.expected_max([[0.5]], 1), r"\(1, 1\)", "one-dimensional"),
        (lambda: evalkit.t_interval([0.5]), "1", "at least 2"),
        (
            lambda: evalkit.t_interval(SCORES, confidence_level=95),
            "95",
            "between 0 and 1",
        ),
        (lambda: evalkit.boo(SCORES, OTHERS[:2], n=1), "5 and 2", "paired"),
        (lambda: evalkit.bootstrap_interval(SCORES, method="BCA"), "'BCA'", "'bca'"),
        (lambda: evalkit.proportion_interval(6, 5), "6", r"trials \(5\)"),
    ],
)
def test_error_says_what_it_got_and_what_it_needs(function, got, needs):
    with pytest.raises(ValueError, match=got) as caught:
        function()
    caught.match(needs)


HITS, TABLE_OF_TWO = np.array([1, 0, 1, 1, 0]), pd.DataFrame({"A": SCORES, "B": OTHERS})


@pytest.mark.parametrize(
    ("function", "right_call"),
    [
        (
            lambda: evalkit.proportion_interval(HITS),
            r"proportion_interval\(int\(sum\(hits\)\), len\(hits\)\)",
        ),
        (
            lambda: evalkit.proportion_interval(HITS.tolist(), 5),
            r"proportion_interval\(int\(sum\(hits\)\), ",
        ),
        (
            lambda: evalkit.proportion_interval(3),
            r"proportion_interval\(int\(sum\(hits\)\), len\(hits\)\)",
        ),
        (
            lambda: evalkit.mcnemar(HITS, HITS[::-1]),
            r"contingency\(y_true, .* mcnemar\(table.n10, table.n01\)",
        ),
        (
            lambda: evalkit.mcnemar(["a"], ["b"]),
            r"contingency\(y_true, predictions_a, predictions_b\)",
        ),
        (lambda: evalkit.wilcoxon(TABLE_OF_TWO), r"^scores_a .* table\['A'\]"),
        (lambda: evalkit.t_interval(TABLE_OF_TWO[["B"]]), r"^scores .* table\['B'\]"),
        (lambda: evalkit.t_interval(pd.DataFrame()), "^scores must be one-dimensional"),
        (
            lambda: evalkit.difference_interval(91.3, 90.8, paired=False),
            r"^scores_a .*from_summary\(\(mean",
        ),
        (
            lambda: evalkit.difference_interval(SCORES, 0.8, paired=False),
            r"^scores_b .*from_summary\(\(mean",
        ),
        (
            lambda: evalkit.difference_interval(SCORES, [0.8], paired=False),
            r"^scores_b .* prediction_interval\(several\).* mcnemar_range\(",
        ),
        (lambda: evalkit.wilcoxon(SCORES), "^scores_b .*: give the scores of both"),
        (lambda: evalkit.t_interval({"A": SCORES}), r"^scores .*: give table\['A'\]$"),
        (lambda: evalkit.t_interval({"q1": 0.8}), "^scores .* pandas.Series first$"),
        (
            lambda: evalkit.compare_systems({"A": SCORES}),
            "^scores .* pandas.DataFrame first$",
        ),
        (
            lambda: evalkit.t_interval(
                pd.DataFrame({"seed": [1, 2], "score": SCORES[:2]})
            ),
            r"^scores .*: give table\['score'\]$",
        ),
        (
            lambda: evalkit.agreement(TABLE_OF_TWO, TABLE_OF_TWO),
            r"^a .*: give table\['A'\]$",
        ),
        (
            lambda: evalkit.t_interval(evalkit.t_interval(SCORES)),
            "^scores .*: Interval is a result, with low, high,",
        ),
        (lambda: evalkit.group_interval(SCORES), r"^groups .* t_interval\(scores\)"),
    ],
)
def test_a_wrong_call_is_answered_with_the_right_one(function, right_call):
    with pytest.raises((TypeError, ValueError), match=right_call):
        function()


def room(call, name, bad):
    """Return a case for each bad value of an argument outside the public functions."""
    return [(call, value, name, error) for value, error in bad]


ROOMS = [
    *room(datasets.load_bundled, "name", CHOICE),
    *room(
        lambda threshold: splits.near_duplicate_groups(
            ["a b", "a"], threshold=threshold
        ),
        "threshold",
        [
            *[(value, ValueError) for value in (0, -0.1, 1.5, NAN, INF)],
            *[(value, (TypeError, ValueError)) for value in ("0.8", None, [0.8])],
        ],
    ),
    *room(
        pools.pack_predictions,
        "predictions",
        [
            *[(value, ValueError) for value in ([], 3, [[1, 2]], [1, -1], [1, 8])],
            *[(value, TypeError) for value in ([1.0], [True], ["1"], [1, None])],
            (RAGGED, (TypeError, ValueError)),
        ],
    ),
    *room(crossed.split_task, "split", COUNT[1:]),
    *room(lambda hidden: xor.initial_weights(hidden, [0]), "hidden", COUNT),
    *room(lambda name: xor.train([], name, "xor", [1]), "activation", CHOICE),
    *room(lambda name: xor.train([], "tanh", name, [1]), "labels", CHOICE),
    *room(
        lambda packed: pools.unpack_predictions(packed, 3),
        "packed",
        [
            *[(value, TypeError) for value in (None, b"AAA=")],
            *[(value, ValueError) for value in ("", "!!!!", "\u00e9", "AA", "AAAA")],
        ],
    ),
    *room(lambda n: pools.unpack_predictions("AAA=", n), "n", COUNT),
    *room(
        lambda system: pools.draw_settings(system, np.random.default_rng(0)),
        "system",
        CHOICE,
    ),
    *room(
        lambda system: models.train_network(None, system, {}, 0),
        "system",
        [*CHOICE, ("linear", ValueError)],
    ),
    *room(
        lambda system: models.train_baseline(None, system, {}, 0),
        "system",
        [*CHOICE, ("mlp", ValueError)],
    ),
    *room(lambda seed: models.train_network(None, "mlp", {}, seed), "seed", COUNT[1:]),
    *room(
        lambda seed: models.train_network(None, "mlp", {}, 0, order_seed=seed),
        "order_seed",
        COUNT[1:-1],
    ),
    *room(
        lambda seed: models.train_baseline(None, "dummy", {}, seed), "seed", COUNT[1:]
    ),
    *room(
        lambda settings: models.train_baseline(None, "linear", settings, 0),
        "settings",
        [
            (value, (TypeError, ValueError))
            for value in (None, {}, {"c": 1.0}, {"C": 1.0, "strategy": "uniform"})
        ],
    ),
    *room(
        lambda table: tables.load_recorded("pools", table),
        ".*pools/nowhere",
        [("nowhere", ValueError)],
    ),
    *room(
        lambda name: tables.load_recorded(name, "search"),
        ".*nobody/search",
        [("nobody", ValueError)],
    ),
]


def test_errors_name_the_argument_in_other_rooms():
    faults = []
    for call, value, name, error in ROOMS:
        if fault := fault_of(lambda c=call, v=value: c(v), name, error):
            faults.append(f"{name}, {value!r:.60}: {fault}")
    assert not faults, (
        "each must raise the error of its line, which begins with the argument's"
        " name:\n" + "\n".join(faults)
    )


def test_unknown_table_lists_what_there_is():
    with pytest.raises(ValueError, match="pools/baselines, "):
        tables.load_recorded("pools", "nowhere")


def test_a_long_value_is_shown_by_its_beginning():
    with pytest.raises(TypeError, match=r"got 'x{50,60}\.\.\. "):
        evalkit.t_interval("x" * 300)
