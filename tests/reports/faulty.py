"""Faults as they happen to people, planted into honest long tables; each with the codes
of which one must be the refusal.

A table is made by a random generator and has nothing but its one fault: without it a
page is written (`HONEST`).
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pytest

from evalkit.reports import RefusedError, report

SYSTEMS = ("base", "ours", "theirs")
WORDS = ("cat", "dog", "bird")
NEXT = dict(zip(WORDS, (*WORDS[1:], *WORDS[:1]), strict=True))
NUMBERS = dict(zip(WORDS, "012", strict=True))
FOLDS = {"n_train": 900, "n_test": 100}
SETTINGS = {"columns": {"setting": ["lr", "width"]}}
SEARCH = {**SETTINGS, "random": True}


@dataclass(frozen=True)
class Fault:
    """A fault that can be planted.

    Attributes
    ----------
    codes : str
        With spaces between them: one must be the refusal; of "open" a page is written.
    plant : callable
        Takes a generator; returns a table, or the text of a file.
    more : dict
        For `evalkit.report`, beside the baseline.
    note : str
        What an open page must show; or what a long table cannot hold of the fault.
    file : str
        What a text is called.
    """

    codes: str
    plant: Callable
    more: dict = field(default_factory=dict)
    note: str = ""
    file: str = "scores.csv"


def refused(source, **options):
    """Return the refusal of a table or a file, which there must be."""
    with pytest.raises(RefusedError) as caught:
        report(source, **{"baseline": "base", **options})
    return caught.value


# --------------------------------------------------------------------------------------
# Honest tables
# --------------------------------------------------------------------------------------


def seeds(rng):
    """Several runs of each system, with settings of its own."""
    n = int(rng.integers(5, 12))
    rows = [
        {
            "system": system,
            "seed": seed,
            "lr": [0.001, 0.01, 0.003][k],
            "accuracy": 0.8 + 0.02 * k + rng.normal(0, 0.01),
        }
        for k, system in enumerate(SYSTEMS)
        for seed in range(n)
    ]
    return pd.DataFrame(rows).sample(frac=1, random_state=1, ignore_index=True)


def answers(rng, n_attempts=0):
    """What each system says of each item, once or several times."""
    n = int(rng.integers(80, 200))
    labels, hard = rng.choice(WORDS, n), rng.uniform(0, 1, n)
    parts = []
    for k, system in enumerate(SYSTEMS):
        for attempt in range(1, 1 + (n_attempts or 1)):
            is_right = rng.uniform(0, 1, n) < 0.95 - 0.5 * hard + 0.03 * k
            said = np.where(is_right, labels, rng.choice(WORDS, n))
            part = {"item": [f"q{i:03d}" for i in range(n)], "label": labels}
            part |= {"system": system, "prediction": said, "attempt": attempt}
            parts.append(pd.DataFrame(part))
    table = pd.concat(parts).sample(frac=1, random_state=1, ignore_index=True)
    return table if n_attempts else table.drop(columns="attempt")


def items(rng, n_seeds=0):
    """A score of each answer, of one run or several of each system."""
    n = int(rng.integers(60, 150))
    ease = rng.uniform(0.2, 0.9, n)
    rows = [
        {
            "system": system,
            "item": f"q{i:03d}",
            "seed": seed,
            "accuracy": float(rng.random() < ease[i] + 0.05 * k),
        }
        for k, system in enumerate(SYSTEMS[:2])
        for seed in range(n_seeds or 1)
        for i in range(n)
    ]
    table = pd.DataFrame(rows)
    return table if n_seeds else table.drop(columns="seed")


def datasets(rng, n=None):
    """Systems on data sets, in per cents."""
    n = n or int(rng.integers(7, 12))
    level = rng.uniform(60, 90, n)
    rows = [
        {
            "system": system,
            "dataset": f"set {'ABCDEFGHIJKL'[i]}",
            "accuracy": round(level[i] + 1.5 * k + rng.normal(0, 1), 1),
        }
        for k, system in enumerate(SYSTEMS)
        for i in range(n)
    ]
    return pd.DataFrame(rows)


def folds(rng):
    """Two systems on the same ten folds."""
    level = rng.normal(0.8, 0.02, 10)
    rows = [
        {
            "system": system,
            "fold": fold,
            "accuracy": level[fold] + 0.01 * k + rng.normal(0, 0.005),
        }
        for k, system in enumerate(SYSTEMS[:2])
        for fold in range(10)
    ]
    return pd.DataFrame(rows)


def trials(rng):
    """A random search of each of two systems."""
    rows = []
    for k, system in enumerate(SYSTEMS[:2]):
        for trial in range(int(rng.integers(50, 80))):
            lr, width = 10 ** rng.uniform(-4, -1), int(rng.choice([64, 128, 256, 512]))
            quality = 0.7 + 0.03 * k - 0.04 * abs(np.log10(lr) + 2.5)
            scores = quality + rng.normal(0, 0.01) + rng.normal(0, 0.005, 2)
            row = {"system": system, "trial": trial, "lr": lr, "width": width}
            rows.append(row | {"validation": scores[0], "accuracy": scores[1]})
    return pd.DataFrame(rows)


HONEST = {
    "seeds": (seeds, {}),
    "answers": (answers, {}),
    "several answers": (lambda rng: answers(rng, 3), {}),
    "items": (items, {}),
    "items and seeds": (lambda rng: items(rng, 5), {}),
    "datasets": (datasets, {}),
    "folds": (folds, FOLDS),
    "trials": (trials, SEARCH),
}


# --------------------------------------------------------------------------------------
# What is done to them
# --------------------------------------------------------------------------------------


def _put(table, column, value, first=None, system="ours"):
    """Put a value into the first rows of a system, or what a function makes of them."""
    rows = table.index[table["system"] == system][:first]
    table = table.astype({column: object})
    table.loc[rows, column] = (
        table.loc[rows, column].map(value) if callable(value) else value
    )
    return table.infer_objects()


def _without(table, rows):
    """Drop some of the rows of a system."""
    return table.drop(index=table.index[table["system"] == "ours"][rows])


def _with_copy(table, system):
    """Add a system that has the rows of the baseline."""
    copy = table[table["system"] == "base"].assign(system=system)
    return pd.concat([table, copy], ignore_index=True)


def _again(table, rows):
    """Add some rows once more."""
    return pd.concat([table, table.iloc[rows]], ignore_index=True)


def _each(table, column, values, by=0):
    """Repeat a table for each of some values; its scores rise by a step each time."""
    parts = [
        table.assign(**{column: value, "accuracy": table["accuracy"] + by * k})
        for k, value in enumerate(values)
    ]
    return pd.concat(parts, ignore_index=True)


def _with_means(table, key, name, by=0):
    """Add a row with the mean of each system."""
    means = table.groupby("system", as_index=False)["accuracy"].mean()
    means = means.assign(**{key: name, "accuracy": means["accuracy"] + by})
    return pd.concat([table.astype({key: str}), means], ignore_index=True)


def _cut(text, line, change):
    """Change a line of a text."""
    lines = text.splitlines()
    lines[line] = change(lines[line])
    return "\n".join(lines) + "\n"


def _renamed(table, name):
    return table.rename(columns={"accuracy": name})


def _in_words(table, form):
    return table.assign(accuracy=table["accuracy"].map(form))


# --------------------------------------------------------------------------------------
# Runs
# --------------------------------------------------------------------------------------


def spread_among_runs(rng):
    """Plant rows of a pivot table: the spread is no run."""
    table = _with_means(seeds(rng).drop(columns="lr"), "seed", "mean")
    spread = seeds(rng).groupby("system", as_index=False)["accuracy"].std()
    return pd.concat([table, spread.assign(seed="std")], ignore_index=True)


def two_metrics_below_each_other(rng):
    """Plant the long form of several metrics."""
    table = seeds(rng).rename(columns={"accuracy": "value"})
    loss = table.assign(metric="loss", value=1 - table["value"])
    return pd.concat([table.assign(metric="accuracy"), loss], ignore_index=True)


RUNS = {
    "no_score": Fault("gaps", lambda rng: _put(seeds(rng), "accuracy", np.nan, 1)),
    "infinite_score": Fault(
        "gaps", lambda rng: _put(seeds(rng), "accuracy", np.inf, 1)
    ),
    "no_score_in_words": Fault(
        "gaps words", lambda rng: _put(seeds(rng), "accuracy", "n/a", 1)
    ),
    "crashed_run_has_no_row": Fault(
        "missing-runs", lambda rng: _without(seeds(rng), [0])
    ),
    "row_twice": Fault("duplicates", lambda rng: _again(seeds(rng), [1])),
    "seed_twice": Fault("duplicates", lambda rng: _put(seeds(rng), "seed", 1, 2)),
    "seed_without_effect": Fault(
        "constant", lambda rng: _put(seeds(rng), "accuracy", 0.8312)
    ),
    "system_read_twice": Fault("copies", lambda rng: _with_copy(seeds(rng), "another")),
    "per_cent_in_one_system": Fault(
        "scale range", lambda rng: _put(seeds(rng), "accuracy", lambda s: 100 * s)
    ),
    "per_cent_in_one_row": Fault(
        "scale range", lambda rng: _put(seeds(rng), "accuracy", lambda s: 100 * s, 1)
    ),
    "per_cent_of_an_unknown_metric": Fault(
        "scale",
        lambda rng: _renamed(
            _put(seeds(rng), "accuracy", lambda s: 100 * s), "quality"
        ),
        {"metric": "quality", "direction": "higher"},
    ),
    "share_below_zero": Fault(
        "range", lambda rng: _put(seeds(rng), "accuracy", -0.4, 1)
    ),
    "words_among_scores": Fault(
        "words", lambda rng: _put(seeds(rng), "accuracy", "see notes", 1)
    ),
    "per_cent_signs": Fault(
        "words", lambda rng: _in_words(seeds(rng), "{:.1%}".format)
    ),
    "thousands_or_a_bit": Fault(
        "words",
        lambda rng: _in_words(seeds(rng), lambda s: f"1,{1000 * s:.0f}"),
        note="1,823 is 1823 or 1.823.",
    ),
    "decimal_commas": Fault(
        "words",
        lambda rng: _in_words(seeds(rng), lambda s: f"{s:.4f}".replace(".", ",")),
    ),
    "two_spellings": Fault(
        "names",
        lambda rng: _put(
            _with_copy(seeds(rng), " BASE"), "accuracy", lambda s: s - 0.001, 3, " BASE"
        ),
    ),
    "two_spellings_share_the_seeds": Fault(
        "names missing-runs", lambda rng: _put(seeds(rng), "system", "Ours", 2)
    ),
    "row_without_a_system": Fault(
        "columns gaps baseline", lambda rng: _put(seeds(rng), "system", None, 1)
    ),
    "one_run": Fault("one-run few", lambda rng: seeds(rng).query("seed == 0")),
    "one_system": Fault("baseline", lambda rng: seeds(rng).query("system == 'base'")),
    "another_baseline": Fault(
        "baseline", lambda rng: seeds(rng).replace({"system": {"base": "base-v2"}})
    ),
    "direction_unknown": Fault(
        "direction",
        lambda rng: _renamed(seeds(rng), "test_quantity"),
        {"metric": "test_quantity"},
    ),
    "metric_unknown": Fault("metric", lambda rng: _renamed(seeds(rng), "score")),
    "two_metrics": Fault(
        "metric", lambda rng: seeds(rng).assign(test_auc=lambda t: t["accuracy"] ** 2)
    ),
    "metrics_in_one_column": Fault(
        "metric columns duplicates", two_metrics_below_each_other
    ),
    "metrics_in_one_column_that_is_named": Fault(
        "columns duplicates",
        two_metrics_below_each_other,
        {"metric": "value", "direction": "higher"},
    ),
    "steps_for_runs": Fault(
        "columns", lambda rng: _each(seeds(rng), "epoch", [1, 2, 3], 0.01)
    ),
    "steps_that_are_ignored": Fault(
        "duplicates",
        lambda rng: _each(seeds(rng), "epoch", [1, 2, 3], 0.01),
        {"ignore": ["epoch"]},
    ),
    "best_on_test": Fault(
        "metric direction test-chose",
        lambda rng: _renamed(seeds(rng), "best_test_accuracy"),
    ),
    "best_on_test_that_is_named": Fault(
        "test-chose open",
        lambda rng: _renamed(seeds(rng), "best_test_accuracy"),
        {"metric": "best_test_accuracy", "direction": "higher"},
        note="best_test_accuracy must stand on the page as what is compared.",
    ),
    "test_is_validation": Fault(
        "test-chose columns",
        lambda rng: seeds(rng).assign(validation=lambda t: t["accuracy"]),
    ),
    "settings_vary": Fault(
        "columns", lambda rng: seeds(rng).assign(lr=lambda t: 0.1 / (1 + t["seed"] % 2))
    ),
    "settings_vary_that_are_named": Fault(
        "search columns duplicates",
        lambda rng: seeds(rng).assign(lr=lambda t: 0.1 / (1 + t["seed"] % 2)),
        {"columns": {"setting": ["lr"]}},
    ),
    "mean_among_runs": Fault(
        "mean-row",
        lambda rng: _with_means(seeds(rng), "seed", "mean").drop(columns="lr"),
    ),
    "mean_and_spread_among_runs": Fault("mean-row", spread_among_runs),
    "seeds_in_folds": Fault(
        "unit sizes",
        lambda rng: _each(seeds(rng), "fold", [0, 1, 2]).assign(
            accuracy=lambda t: t["accuracy"] + rng.normal(0, 0.01, len(t))
        ),
        FOLDS,
    ),
    "a_column_for_each_system": Fault(
        "columns",
        lambda rng: (
            seeds(rng).pivot_table(index="seed", columns="system", values="accuracy")
        ).reset_index(),
    ),
    "two_columns_of_one_name": Fault(
        "columns metric",
        lambda rng: seeds(rng).rename(columns={"lr": "accuracy"}),
        note="pandas numbers such columns as it reads a file: only a DataFrame has it.",
    ),
    "a_column_that_is_not_there": Fault(
        "columns", seeds, {"columns": {"seed": "random_seed"}}
    ),
    "semicolons_between_cells": Fault(
        "columns unreadable", lambda rng: seeds(rng).to_csv(index=False, sep=";")
    ),
    "saved_with_its_index": Fault("columns", lambda rng: seeds(rng).to_csv()),
    "line_too_short": Fault(
        "unreadable gaps",
        lambda rng: _cut(
            seeds(rng).to_csv(index=False), 3, lambda line: line.rsplit(",", 1)[0]
        ),
    ),
    "line_too_long": Fault(
        "unreadable",
        lambda rng: _cut(seeds(rng).to_csv(index=False), 3, lambda line: line + ",0.9"),
    ),
    "file_cut_off": Fault(
        "unreadable",
        lambda rng: items(rng).to_json(orient="records", lines=True)[:-9],
        file="scores.jsonl",
    ),
}


# --------------------------------------------------------------------------------------
# Items
# --------------------------------------------------------------------------------------


def wrong_answers_missing(rng):
    """Plant a third answer of which only what was right was kept."""
    table = answers(rng, 3)
    is_wrong = table["prediction"] != table["label"]
    is_third = (table["system"] == "ours") & (table["attempt"] == 3)
    return table[~(is_wrong & is_third)]


def trained_on_the_test(rng):
    """Plant test items in the training part."""
    table = answers(rng).assign(part="test")
    leaked = table[table["item"] < "q006"].assign(part="train")
    return pd.concat([table, leaked], ignore_index=True)


def two_answers_to_an_item(rng):
    """Plant a second answer, another one."""
    table = answers(rng)
    again = table[table["item"] == "q007"]
    again = again.assign(prediction=again["prediction"].map(NEXT))
    return pd.concat([table, again], ignore_index=True)


def numbered(rng):
    """Return answers whose words are numbers, as text."""
    table = answers(rng)
    columns = ["label", "prediction"]
    return table.assign(**{name: table[name].map(NUMBERS) for name in columns})


def by_document(rng, name):
    """Return answers to items that belong together."""
    return answers(rng).assign(**{name: lambda t: "d" + t["item"].str[:3]})


ITEMS = {
    "items_missing": Fault("unmatched", lambda rng: _without(answers(rng), range(5))),
    "ids_of_two_kinds": Fault(
        "unmatched", lambda rng: _put(answers(rng), "item", lambda i: f"dev-{i}")
    ),
    "ids_that_count_from_one": Fault(
        "unmatched key",
        lambda rng: _put(answers(rng), "item", lambda i: f"q{int(i[1:]) + 1:03d}"),
    ),
    "one_seed_lacks_items": Fault(
        "unmatched", lambda rng: _without(items(rng, 5), slice(-7, None))
    ),
    "no_ids": Fault("unit columns", lambda rng: answers(rng).drop(columns="item")),
    "item_without_a_name": Fault(
        "columns gaps words unmatched", lambda rng: _put(answers(rng), "item", None, 2)
    ),
    "answers_twice": Fault("duplicates", lambda rng: _again(answers(rng), range(5))),
    "two_answers_to_an_item": Fault("duplicates", two_answers_to_an_item),
    "keys_differ": Fault("key", lambda rng: _put(answers(rng), "label", "horse", 3)),
    "labels_in_two_ways": Fault(
        "key",
        lambda rng: answers(rng).assign(label=lambda t: t["label"].map(NUMBERS)),
    ),
    "labels_missing": Fault(
        "key gaps",
        lambda rng: answers(rng).assign(
            label=lambda t: t["label"].where(t["item"] > "q020")
        ),
    ),
    "another_case": Fault(
        "spelling", lambda rng: _put(answers(rng), "prediction", str.title)
    ),
    "spaces_around_answers": Fault(
        "spelling", lambda rng: _put(answers(rng), "prediction", "{} ".format, 30)
    ),
    "answers_as_decimals": Fault(
        "spelling key", lambda rng: _put(numbered(rng), "prediction", "{}.0".format)
    ),
    "no_answer": Fault("gaps", lambda rng: _put(answers(rng), "prediction", None, 4)),
    "grouped_items": Fault("columns", lambda rng: by_document(rng, "document")),
    "groups_that_differ": Fault(
        "groups", lambda rng: _put(by_document(rng, "group"), "group", "other", 3)
    ),
    "few_groups": Fault(
        "few",
        lambda rng: answers(rng).assign(group=lambda t: (t["item"] > "q040").map(str)),
    ),
    "four_items": Fault(
        "few", lambda rng: datasets(rng, 4).rename(columns={"dataset": "item"})
    ),
    "wrong_answers_missing": Fault("unmatched", wrong_answers_missing),
    "two_filters": Fault(
        "columns duplicates",
        lambda rng: _each(items(rng), "filter", ["none", "strict"]),
    ),
    "several_raters": Fault(
        "columns unit", lambda rng: _each(items(rng), "rater", ["r1", "r2", "r3"])
    ),
    "prompts_differ": Fault(
        "open",
        lambda rng: items(rng).assign(prompt=lambda t: "v1 of " + t["system"]),
        note="Not asked, as a prompt is the same within a system; no page may say that"
        " the prompts are the same.",
    ),
    "trained_on_the_test": Fault("train-items", trained_on_the_test),
    "another_word_for_a_part": Fault(
        "words columns",
        lambda rng: answers(rng).assign(
            part=lambda t: np.where(t["item"] < "q040", "holdout", "test")
        ),
    ),
    "no_test_part": Fault(
        "unit columns baseline few words", lambda rng: answers(rng).assign(part="train")
    ),
    "mean_among_items": Fault(
        "mean-row", lambda rng: _with_means(items(rng), "item", "Average")
    ),
}


# --------------------------------------------------------------------------------------
# Data sets, folds and searches
# --------------------------------------------------------------------------------------


def grid(rng):
    """Plant a grid where random draws were said."""
    places = np.arange(36)
    lr = np.array([0.0003, 0.001, 0.003, 0.01, 0.03, 0.1])[places // 6]
    parts = [
        part.head(36).assign(lr=lr, width=64 * 2 ** (places % 6))
        for _, part in trials(rng).groupby("system")
    ]
    return pd.concat(parts, ignore_index=True)


DATASETS = {
    "empty_cell_has_no_row": Fault(
        "unmatched", lambda rng: _without(datasets(rng), [1])
    ),
    "system_without_a_score": Fault(
        "gaps", lambda rng: _put(datasets(rng), "accuracy", np.nan)
    ),
    "share_above_a_hundred": Fault(
        "range", lambda rng: _put(datasets(rng), "accuracy", 830, 1)
    ),
    "true_mean_among_data_sets": Fault(
        "mean-row", lambda rng: _with_means(datasets(rng), "dataset", "average")
    ),
    "wrong_mean_among_data_sets": Fault(
        "mean-row", lambda rng: _with_means(datasets(rng), "dataset", "average", 2)
    ),
    "five_data_sets": Fault(
        "open",
        lambda rng: datasets(rng, 5),
        note="Of 5 data sets no difference can be shown: p is at least 0.0625.",
    ),
    "one_data_set": Fault("few unit one-run", lambda rng: datasets(rng, 1)),
    "data_set_twice": Fault("duplicates", lambda rng: _again(datasets(rng), [2])),
    "data_sets_and_seeds": Fault(
        "unit columns", lambda rng: _each(datasets(rng), "seed", [0, 1, 2], 0.1)
    ),
}
FOLDED = {
    "no_fold_sizes": Fault("sizes", folds),
    "fold_sizes_swapped": Fault(
        "swapped sizes", folds, {"n_train": 100, "n_test": 900}
    ),
    "fold_missing": Fault("unmatched", lambda rng: _without(folds(rng), [1]), FOLDS),
    "two_folds": Fault(
        "few",
        lambda rng: folds(rng).query("fold < 2"),
        {"n_train": 500, "n_test": 500},
    ),
}
SEARCHES = {
    "search_by_test": Fault(
        "test-chose", lambda rng: trials(rng).drop(columns="validation"), SEARCH
    ),
    "search_of_an_unknown_kind": Fault("search", trials, SETTINGS),
    "grid": Fault("grid search", grid, SEARCH),
    "few_trials": Fault("few", lambda rng: trials(rng).query("trial < 20"), SEARCH),
    "pruned": Fault(
        "columns",
        lambda rng: _put(trials(rng).assign(state="COMPLETE"), "state", "PRUNED", 9),
        SEARCH,
    ),
    "settings_that_are_not_named": Fault("columns", trials, {"random": True}),
    "no_validation_score": Fault(
        "gaps", lambda rng: _put(trials(rng), "validation", np.nan, 2), SEARCH
    ),
}
FAULTS = {**RUNS, **ITEMS, **DATASETS, **FOLDED, **SEARCHES}
