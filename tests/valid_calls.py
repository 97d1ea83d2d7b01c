"""One valid call of every public function, for the tests that go through all of
them.
"""

import inspect

import numpy as np
import pandas as pd
from sklearn.neighbors import KNeighborsClassifier

import evalkit
from evalkit import baselines, jkfold, tuning

SCORES = [0.61, 0.70, 0.70, 0.92, 0.85]
OTHERS = [0.55, 0.71, 0.64, 0.90, 0.90]
DRAWN = {"n_resamples": 99, "rng": 0}
LABELS = [0, 1, 0, 1, 0, 1]
MANY = (np.arange(31) * 7 % 31 / 31).tolist()
CROSSED = np.arange(36).reshape(2, 3, 6) * 5 % 7 / 7
CROSSED.flags.writeable = False
SUMMARIES = (0.8, 0.02, 5), (0.7, 0.03, 3)

# Partitions x settings.
MATRIX = [
    [0.8, 0.9, 0.7],
    [0.8, 0.7, 0.9],
    [0.6, 0.9, 0.8],
    [0.7, 0.9, 0.7],
]


def objective(setting):
    """A score that has its best at x = 2."""
    return -((setting["x"] - 2) ** 2)


VALID = {
    evalkit.boo: {"validation": SCORES, "test": OTHERS, "n": 2},
    evalkit.boo_gaussian: {"validation": SCORES, "test": OTHERS, "n": 2},
    evalkit.bootstrap_interval: {"scores": SCORES, **DRAWN},
    evalkit.budget_difference: {
        "validation_a": MANY,
        "test_a": MANY[::-1],
        "validation_b": MANY[1:],
        "test_b": None,
        "n": 2,
    },
    evalkit.choice_variability: {
        "scores": MATRIX,
        "j": 2,
        "values": {"C": [1, 2, 3]},
        "n_groups": 9,
        "rng": 0,
    },
    evalkit.compare_systems: {
        "scores": ((0.6, 0.5, 0.4), (0.7, 0.7, 0.5), (0.9, 0.6, 0.8))
    },
    evalkit.contingency: {
        "y_true": ["a", "b", "b", "c", "a"],
        "predictions_a": ["a", "b", "c", "c", "a"],
        "predictions_b": ["a", "a", "b", "c", "c"],
    },
    evalkit.corrected_t: {
        "scores_a": SCORES,
        "scores_b": OTHERS,
        "n_train": 90,
        "n_test": 10,
    },
    evalkit.crossed_difference: {
        "a": CROSSED[0],
        "b": CROSSED[1],
        "groups": [0, 1, 2, 3, 4, 4],
    },
    evalkit.difference_interval: {
        "scores_a": SCORES,
        "scores_b": OTHERS,
        "paired": True,
        **DRAWN,
    },
    evalkit.dummy_table: {
        "y_train": LABELS,
        "y_test": [1, 0, 0],
        "n_repeats": 3,
        "rng": 0,
    },
    baselines.duplicate_ceiling: {
        "inputs": ["a", "a", "b", "c", "c", "d"],
        "y": LABELS,
    },
    evalkit.equivalence: {
        "difference": evalkit.from_summary(*SUMMARIES, spread="sd"),
        "margin": 0.1,
    },
    evalkit.from_summary: {"a": SUMMARIES[0], "b": SUMMARIES[1], "spread": "sd"},
    evalkit.expected_max: {"scores": SCORES, "n": 2},
    evalkit.expected_max_band: {"scores": SCORES, "n": 2, "bounds": (0, 1)},
    evalkit.expected_max_interval: {"scores": MANY, "n": 2, "test": MANY[::-1]},
    evalkit.failure_rate: {"scores": SCORES, "threshold": 0.7},
    evalkit.gaussian_expected_max: {"n": 2},
    evalkit.group_interval: {
        "scores": SCORES,
        "groups": [0, 0, 1, 2, 2],
        "method": "bca",
        **DRAWN,
    },
    jkfold.jk_cost: {"j": 2, "k": 5, "n_items": 100},
    evalkit.jk_fold: {"j": 2, "k": 5, "rng": 0},
    evalkit.holm: {"pvalues": [0.01, 0.04, 0.03]},
    baselines.partial_inputs: {
        "estimator": KNeighborsClassifier(1),
        "inputs": {"all": ([[0], [1], [0], [1], [0], [1]], [[1], [0], [0]])},
        "y_train": LABELS,
        "y_test": [1, 0, 0],
        "full": "all",
    },
    evalkit.mcnemar: {"n10": 15, "n01": 5},
    evalkit.mcnemar_range: {"correct_a": 3, "correct_b": "0.8", "n": 5},
    evalkit.agreement: {
        "a": list("abbca"),
        "b": list("abcca"),
        "groups": [0, 1, 2, 3, 4],
    },
    evalkit.judged_difference: {
        "judge_a": MANY * 2,
        "judge_b": MANY[::-1] * 2,
        "people_a": MANY * 2,
        "people_b": MANY[1:] * 2 + MANY[:2],
        "groups": [*range(31)] * 2,
    },
    evalkit.detectable_difference: {"n": 200, "rate": 0.7, "icc": 0.1, "group_size": 5},
    evalkit.ratio_difference: {
        "numerators_a": [1, 0, 2, 1, 3],
        "denominators_a": [5, 6, 9, 4, 8],
        "numerators_b": [2, 1, 1, 2, 3],
        "denominators_b": [5, 6, 8, 4, 8],
        "groups": [0, 1, 2, 3, 4],
    },
    evalkit.possible_counts: {"printed": "0.6", "n": 5},
    evalkit.paired_proportion_interval: {"n11": 3, "n10": 2, "n01": 0, "n00": 1},
    evalkit.pass_at_k: {
        "right": [0, 3, 1, 2, 3],
        "answers": 3,
        "k": 2,
        "groups": [0, 1, 2, 3, 4],
    },
    evalkit.pass_hat_k: {
        "right": [0, 3, 1, 2, 3],
        "answers": 3,
        "k": 2,
        "groups": [0, 1, 2, 3, 4],
    },
    evalkit.prediction_interval: {"scores": SCORES},
    evalkit.power: {
        "procedure": lambda p: p,
        "draw": lambda rng: rng.uniform(),
        "n_simulations": 5,
        "rng": 0,
    },
    evalkit.proportion_difference: {
        "successes_a": 3,
        "trials_a": 5,
        "successes_b": 4,
        "trials_b": 9,
    },
    evalkit.proportion_interval: {"successes": 3, "trials": 5},
    evalkit.spending_bounds: {"fractions": [0.2, 0.5, 1.0]},
    evalkit.split_report: {
        "split": ((0, 1, 2), (3,), (4, 5)),
        "y": LABELS,
        "groups": [0, 0, 1, 2, 2, 3],
        "texts": ["a b", "b", "a b", "c", "b a", "d"],
    },
    evalkit.train_dev_test: {
        "y": LABELS,
        "dev": 0,
        "test": 0.4,
        "groups": [0, 1, 2, 3, 4, 4],
        "rng": 0,
    },
    evalkit.rank_intervals: {
        "scores": (
            (0.6, 0.5, 0.4),
            (0.7, 0.7, 0.5),
            (0.9, 0.6, 0.8),
            (0.9, 0.6, 0.7),
            (0.8, 0.6, 0.8),
        ),
        "groups": [0, 1, 2, 3, 4],
    },
    evalkit.report: {
        "table": pd.DataFrame(
            {
                "system": ["a"] * len(SCORES) + ["b"] * len(OTHERS),
                "seed": [*range(len(SCORES)), *range(len(OTHERS))],
                "accuracy": [*SCORES, *OTHERS],
            }
        ),
        "baseline": "b",
        "metric": "accuracy",
    },
    evalkit.search: {
        "objective": objective,
        "space": {"x": [1, 2, 3]},
        "method": "grid",
        "rng": 0,
    },
    evalkit.t_interval: {"scores": SCORES},
    evalkit.time_blocks: {"differences": MANY * 2},
    tuning.winner_by_budget: {"pools": {"a": SCORES, "b": OTHERS}, "budgets": [1, 2]},
    evalkit.seeded: {"seed": 3},
    evalkit.seeds_needed: {"difference": 0.5, "sd": 1.0},
    evalkit.variance_components: {
        "scores": [*SCORES, 0.77],
        "seeds": [0, 0, 0, 1, 1, 1],
        "splits": [0, 1, 2, 0, 1, 2],
    },
    evalkit.sign_flip: {"scores_a": SCORES, "scores_b": OTHERS, **DRAWN},
    evalkit.which_test: {"names": "answers paired"},
    evalkit.wilcoxon: {"scores_a": SCORES, "scores_b": OTHERS},
}


# Those that a chapter needs, and few of its readers: in the chapter's module, and as
# careful.
BESIDE = [
    baselines.duplicate_ceiling,
    baselines.partial_inputs,
    jkfold.jk_cost,
    tuning.winner_by_budget,
]


def public_functions():
    """Return every function that `evalkit` itself offers, and those beside."""
    own = (getattr(evalkit, name) for name in evalkit.__all__)
    return [*filter(inspect.isfunction, own), *BESIDE]
