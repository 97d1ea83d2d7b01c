"""Faults as they happen to people, planted into honest files; each with the checks that
may find it.
"""

import io
import json
from dataclasses import dataclass, replace

import generated
import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Planted:
    """A file with a fault.

    Attributes
    ----------
    case : Case
    codes : frozenset of str
        Checks of which one must have found it; or, if `is_open`, must not say that all
        is fine.
    is_open : bool
        Whether the page is written all the same, with the fault on it.
    on : dict
        Options that go on.
    """

    case: object
    codes: frozenset
    is_open: bool = False
    on: dict | None = None


def _planted(case, codes, on=None, *, is_open=False):
    return Planted(case, frozenset(codes.split()), is_open, on)


def _of(case, role):
    return case.names[role]


def _rows_of(case, system):
    return case.table[_of(case, "system")] == system


def crashed_on_one_side(rng):
    case = generated.runs(rng)
    table = case.table.assign(state="finished")
    gone = table.index[_rows_of(case, case.systems[1])][:2]
    table.loc[gone, "state"] = str(rng.choice(["crashed", "failed", "killed"]))
    table.loc[gone, _of(case, "test")] = np.nan
    return _planted(case.with_table(table), "failed", {"failed": "worst"})


def no_score(rng):
    case = generated.runs(rng)
    table = case.table.copy()
    table.loc[int(rng.integers(len(table))), _of(case, "test")] = np.nan
    return _planted(case.with_table(table), "failed", {"failed": "drop"})


def infinite_score(rng):
    case = generated.runs(rng)
    table = case.table.astype({_of(case, "test"): object})
    table.loc[3, _of(case, "test")] = "inf"
    return _planted(case.with_table(table), "failed", {"failed": 0.1})


def row_twice(rng):
    case = generated.runs(rng)
    table = pd.concat([case.table, case.table.iloc[[1]]])
    return _planted(case.with_table(table), "duplicates", {"duplicates": "mean"})


def row_twice_without_seed(rng):
    case = generated.runs(rng)
    table = case.table.drop(columns=_of(case, "seed"))
    table = pd.concat([table, table.iloc[[1]]])
    return _planted(
        case.with_table(table, options={**case.options, "unit": "seed"}), "duplicates"
    )


def seed_twice(rng):
    case = generated.runs(rng)
    table = case.table.copy()
    own = table.index[_rows_of(case, case.systems[0])]
    table.loc[own[1], _of(case, "seed")] = table.loc[own[0], _of(case, "seed")]
    return _planted(case.with_table(table), "duplicates", {"duplicates": "mean"})


def seed_without_effect(rng):
    case = generated.runs(rng)
    table = case.table.copy()
    table.loc[
        _rows_of(case, case.systems[1]), [_of(case, "test"), _of(case, "validation")]
    ] = 0.8312, 0.84
    return _planted(case.with_table(table), "copies")


def system_read_twice(rng):
    case = generated.runs(rng)
    copy = case.table[_rows_of(case, case.systems[0])].assign(
        **{_of(case, "system"): "another"}
    )
    return _planted(case.with_table(pd.concat([case.table, copy])), "copies")


def percent_in_one_system(rng):
    case = generated.runs(rng)
    table = case.table.copy()
    table.loc[_rows_of(case, case.systems[1]), _of(case, "test")] *= 100
    return _planted(case.with_table(table), "scale")


def impossible_share(rng):
    case = generated.runs(rng)
    table = case.table.copy()
    table.loc[0, _of(case, "test")] = -0.4
    return _planted(case.with_table(table), "scale")


def words_among_scores(rng):
    case = generated.runs(rng)
    table = case.table.astype({_of(case, "test"): object})
    table.loc[2, _of(case, "test")] = "see notes"
    return _planted(case.with_table(table), "scale metric")


def two_spellings(rng):
    case = generated.runs(rng)
    name, table = "Ours-large", case.table.copy()
    own = table.index[_rows_of(case, case.systems[1])]
    table.loc[own, _of(case, "system")] = name
    table.loc[own[: len(own) // 2], _of(case, "system")] = str(
        rng.choice(["ours-large", "Ours large", "OURS_LARGE "])
    )
    return _planted(case.with_table(table), "names")


def one_run(rng):
    case = generated.runs(rng)
    table = case.table.groupby(_of(case, "system")).head(1)
    return _planted(case.with_table(table), "one-run")


def direction_unknown(rng):
    case = generated.runs(rng)
    table = case.table.drop(columns=_of(case, "validation")).rename(
        columns={_of(case, "test"): "test_quantity"}
    )
    options = {**case.options, "metric": "test_quantity"}
    return _planted(
        case.with_table(table, options=options), "direction", {"direction": "lower"}
    )


def two_metrics(rng):
    case = generated.runs(rng)
    table = case.table.assign(test_auc=lambda t: t[_of(case, "test")] ** 2)
    return _planted(case.with_table(table), "metric", {"metric": _of(case, "test")})


def steps_for_runs(rng):
    case = generated.runs(rng)
    step = str(rng.choice(["epoch", "step", "global_step", "iteration"]))
    parts = [
        case.table.assign(
            **{step: k, _of(case, "test"): case.table[_of(case, "test")] - 0.1 / k}
        )
        for k in (1, 2, 3, 4)
    ]
    return _planted(
        case.with_table(pd.concat(parts)), "steps", {"where": {step: "last"}}
    )


def best_on_test(rng):
    case = generated.runs(rng)
    name = "best_" + _of(case, "test")
    table = case.table.rename(columns={_of(case, "test"): name})
    return _planted(case.with_table(table), "test-chose", {"accept": "test-chose"})


def test_is_validation(rng):
    case = generated.runs(rng)
    table = case.table.assign(
        **{_of(case, "validation"): case.table[_of(case, "test")]}
    )
    return _planted(case.with_table(table), "test-chose")


def search_by_test(rng):
    case = generated.search(rng)
    table = case.table.drop(columns=_of(case, "validation"))
    return _planted(case.with_table(table), "test-chose")


def grid(rng):
    case = generated.search(rng)
    rates, sizes = (
        [0.0003, 0.001, 0.003, 0.01, 0.03, 0.1],
        [
            64,
            128,
            256,
            512,
            1024,
            2048,
        ],
    )
    settings = [(lr, size) for lr in rates for size in sizes]
    table = pd.concat(
        [
            part.head(36).assign(
                params_lr=[s[0] for s in settings],
                setting_hidden=[s[1] for s in settings],
            )
            for _, part in case.table.groupby(_of(case, "system"))
        ]
    )
    return _planted(case.with_table(table), "search")


def few_trials(rng):
    case = generated.search(rng)
    table = case.table.groupby(_of(case, "system")).head(int(rng.integers(3, 29)))
    return _planted(case.with_table(table), "few")


def pruned(rng):
    case = generated.search(rng)
    state = rng.choice(["COMPLETE", "PRUNED"], len(case.table), p=[0.8, 0.2])
    return _planted(case.with_table(case.table.assign(state=state)), "pruned")


def crashed_in_a_search(rng):
    case = generated.search(rng)
    table = case.table.copy()
    table.loc[
        rng.choice(len(table), 4, replace=False),
        [_of(case, "validation"), _of(case, "test")],
    ] = np.nan
    return _planted(case.with_table(table), "failed")


def items_missing(rng):
    case = generated.predictions(rng)
    own = case.table.index[_rows_of(case, case.systems[1])]
    table = case.table.drop(index=own[: int(rng.integers(1, 9))])
    return _planted(case.with_table(table), "unmatched", {"unmatched": "drop"})


def ids_of_two_kinds(rng):
    case = generated.predictions(rng)
    table = case.table.copy()
    own = _rows_of(case, case.systems[1])
    table.loc[own, _of(case, "item")] = "dev-" + table[_of(case, "item")][own].astype(
        str
    )
    return _planted(case.with_table(table), "unmatched")


def answers_twice(rng):
    case = generated.predictions(rng)
    again = case.table.sample(5, random_state=1)
    return _planted(
        case.with_table(pd.concat([case.table, again])),
        "duplicates",
        {"duplicates": "mean"},
    )


def keys_differ(rng):
    case = generated.predictions(rng)
    table = case.table.copy()
    own = table.index[_rows_of(case, case.systems[1])][:3]
    table.loc[own, _of(case, "label")] = "horse"
    return _planted(case.with_table(table), "key")


def labels_in_two_ways(rng):
    case = generated.predictions(rng)
    codes = {"cat": "0", "dog": "1", "bird": "2"}
    table = case.table.assign(
        **{_of(case, "label"): case.table[_of(case, "label")].map(codes)}
    )
    return _planted(case.with_table(table), "key")


def labels_missing(rng):
    case = generated.predictions(rng)
    table = case.table.copy()
    table.loc[::7, _of(case, "label")] = None
    return _planted(case.with_table(table), "key")


def no_answer(rng):
    case = generated.predictions(rng)
    table = case.table.copy()
    table.loc[
        table.index[_rows_of(case, case.systems[1])][:4], _of(case, "prediction")
    ] = ""
    return _planted(case.with_table(table), "failed", {"failed": 0})


def grouped_items(rng):
    case = generated.predictions(rng)
    name = str(rng.choice(["document", "speaker", "author", "module", "patient_id"]))
    table = case.table.assign(**{name: "g" + case.table[_of(case, "item")].str[1:3]})
    return _planted(case.with_table(table), "groups", {"unit": name})


def wrong_answers_missing(rng):
    case = generated.predictions(rng)
    table = pd.concat(
        [case.table.assign(repeat=k) for k in range(3)], ignore_index=True
    )
    is_wrong = table[_of(case, "prediction")] != table[_of(case, "label")]
    gone = (
        is_wrong
        & _rows_of(replace(case, table=table), case.systems[1])
        & (table["repeat"] == 2)
    )
    return _planted(case.with_table(table[~gone]), "repeats", {"failed": "drop"})


def other_texts_under_one_name(rng):
    case = generated.predictions(rng)
    item, system = case.table[_of(case, "item")], case.table[_of(case, "system")]
    is_other = (system == case.systems[1]) & item.isin(item.unique()[:20])
    table = case.table.assign(
        text="text of " + item + is_other.map({True: ", new", False: ""})
    )
    return _planted(case.with_table(table), "texts")


def trained_on_the_test(rng):
    case = generated.predictions(rng)
    table = case.table.assign(split="test")
    leaked = table[
        table[_of(case, "item")].isin(table[_of(case, "item")].unique()[:6])
    ].assign(split="train")
    return _planted(case.with_table(pd.concat([table, leaked])), "train-items")


def predictions_read_twice(rng):
    case = generated.files_by_id(rng)
    return _planted(
        replace(case, files={**case.files, "ours.csv": case.files["base.csv"]}),
        "copies",
    )


def item_without_an_answer(rng):
    case = generated.files_by_id(rng)
    lines = case.files["gold.csv"].splitlines()
    return _planted(
        replace(case, files={**case.files, "gold.csv": "\n".join(lines[:-3]) + "\n"}),
        "key",
    )


def empty_cell(rng):
    case = generated.datasets(rng)
    table = case.table.copy()
    table.iloc[1, 2] = np.nan
    return _planted(case.with_table(table), "missing", {"missing": "drop"})


def system_without_a_score(rng):
    case = generated.datasets(rng)
    table = case.table.set_index(case.table.columns[0])
    cells = (slice(None), 1) if case.names["wide"] == "columns" else (1, slice(None))
    table.iloc[cells] = np.nan
    return _planted(case.with_table(table.reset_index()), "missing")


def table_without_a_direction(rng):
    case = generated.datasets(rng)
    said = {name: value for name, value in case.options.items() if name != "direction"}
    return _planted(replace(case, options=said), "direction", {"direction": "lower"})


def mean_among_data_sets(rng, *, wrong=True):
    case = generated.datasets(rng)
    table = case.table.set_index(case.table.columns[0])
    if case.names["wide"] == "columns":
        table.loc["average"] = table.mean() + 2 * wrong
    else:
        table["average"] = table.mean(axis=1) + 2 * wrong
    return _planted(case.with_table(table.reset_index()), "mean-row")


def true_mean_among_data_sets(rng):
    return mean_among_data_sets(rng, wrong=False)


def five_data_sets(rng):
    case = generated.datasets(rng)
    table = (
        case.table.head(5)
        if case.names["wide"] == "columns"
        else case.table.iloc[:, :6]
    )
    return _planted(case.with_table(table), "few", is_open=True)


def one_data_set(rng):
    case = generated.datasets(rng)
    table = (
        case.table.head(1)
        if case.names["wide"] == "columns"
        else case.table.iloc[:, :2]
    )
    options = {**case.options, "unit": "dataset"}
    return _planted(case.with_table(table, options=options), "few unit baseline metric")


def data_set_twice(rng):
    case = generated.datasets(rng)
    case = case if case.names["wide"] == "columns" else generated.turned(case)
    return _planted(
        case.with_table(pd.concat([case.table, case.table.iloc[[2]]])), "duplicates"
    )


def no_fold_sizes(rng):
    case = generated.folds(rng)
    return _planted(
        replace(case, options={"baseline": "base"}),
        "sizes",
        {"n_train": 80, "n_test": 20},
    )


def folds_chose(rng):
    case = generated.folds(rng)
    row = pd.read_csv(io.StringIO(case.files["ours.csv"]), index_col=0)
    more = [
        row.assign(param_C=c) + {"param_C": 0} if False else row.assign(param_C=c)
        for c in (1.0, 10.0, 100.0)
    ]
    for k, table in enumerate(more):
        table[[c for c in table if c.startswith("split")]] += 0.001 * k
    return _planted(
        replace(case, files={**case.files, "ours.csv": pd.concat(more).to_csv()}),
        "chosen",
    )


def fold_missing(rng):
    case = generated.folds(rng)
    text = case.files["ours.csv"]
    table = pd.read_csv(io.StringIO(text), index_col=0).drop(
        columns="split1_test_score"
    )
    return _planted(
        replace(case, files={**case.files, "ours.csv": table.to_csv()}),
        "unmatched failed",
    )


def two_filters(rng):
    case = generated.lm_eval(rng)
    files = {
        name: (
            text
            + "".join(
                line.replace('"filter": "none"', '"filter": "strict"') + "\n"
                for line in text.splitlines()
            )
        )
        for name, text in case.files.items()
    }
    return _planted(
        replace(case, files=files), "filters", {"where": {"filter": "none"}}
    )


def evaluated_on_a_part(rng):
    case = generated.lm_eval(rng)
    name = next(name for name in case.files if name.startswith("ours"))
    lines = case.files[name].splitlines()
    return _planted(
        replace(case, files={**case.files, name: "\n".join(lines[:40]) + "\n"}),
        "unmatched",
        {"unmatched": "drop"},
    )


def prompts_differ(rng):
    case = generated.lm_eval(rng)
    files = {
        n: (
            t.replace('"prompt_hash": "p', '"prompt_hash": "x')
            if n.startswith("ours")
            else t
        )
        for n, t in case.files.items()
    }
    return _planted(replace(case, files=files), "texts", is_open=True)


def two_tasks(rng):
    case = generated.lm_eval(rng)
    more = {
        name.replace("_sums_", "_products_"): text for name, text in case.files.items()
    }
    return _planted(
        replace(case, files={**case.files, **more}),
        "tasks",
        {"where": {"task": "sums"}},
    )


def errors_in_a_log(rng):
    case = generated.inspect(rng)
    name = next(name for name in case.files if name.startswith("ours"))
    log = json.loads(case.files[name])
    for sample in log["samples"][:3]:
        sample.update(scores={}, error={"message": "timeout"})
    return _planted(
        replace(case, files={**case.files, name: json.dumps(log)}),
        "failed",
        {"failed": "worst"},
    )


def _cut(rng, make, name=None):
    case = make(rng)
    name = name or next(iter(case.files))
    text = case.files[name]
    return replace(
        case,
        files={
            **case.files,
            name: text[: int(len(text) * rng.uniform(0.3, 0.9))].rstrip("\n")[:-2],
        },
    )


def file_cut_off(rng):
    case = _cut(rng, generated.inspect)
    return _planted(case, "unreadable")


def line_too_short(rng):
    case = generated.runs(rng)
    name = case.given[0]
    lines = case.files[name].splitlines()
    lines[3] = lines[3].rsplit(",", 1)[0]
    return _planted(replace(case, files={name: "\n".join(lines)}), "unreadable")


def mean_and_spread_among_runs(rng):
    """Rows of a pivot table: the spread is not one of the runs, and this mean is of
    other runs.
    """
    case = generated.runs(rng)
    table = case.table.astype({_of(case, "seed"): str})
    rows = [
        {_of(case, "system"): s, _of(case, "seed"): "mean", _of(case, "test"): 0.5}
        for s in case.systems
    ]
    return _planted(case.with_table(pd.concat([table, pd.DataFrame(rows)])), "mean-row")


def metrics_in_one_column(rng):
    case = generated.runs(rng)
    columns = [_of(case, "system"), _of(case, "seed")]
    table = case.table[[*columns, _of(case, "test")]].rename(
        columns={_of(case, "test"): "value"}
    )
    both = [
        table.assign(metric="accuracy"),
        table.assign(metric="loss", value=1 - table.value),
    ]
    return _planted(
        case.with_table(pd.concat(both)), "metric", {"where": {"metric": "accuracy"}}
    )


def seeds_of_settings(rng):
    case = generated.search(rng)
    table = pd.concat([case.table.assign(seed=k) for k in range(3)]).drop(
        columns="trial_number"
    )
    for name in ("validation", "test"):
        table[_of(case, name)] += rng.normal(0, 0.003, len(table))
    return _planted(case.with_table(table), "duplicates", {"duplicates": "mean"})


def per_cent_of_an_unknown_metric(rng):
    case = generated.runs(rng)
    table = case.table.drop(columns=_of(case, "validation")).rename(
        columns={_of(case, "test"): "quality"}
    )
    table.loc[_rows_of(case, case.systems[1]), "quality"] *= 100
    options = {**case.options, "metric": "quality", "direction": "higher"}
    return _planted(
        case.with_table(table, options=options), "scale", {"accept": "scale"}
    )


def thousands_or_a_bit(rng):
    case = generated.runs(rng)
    table = case.table.astype({_of(case, "test"): object})
    table[_of(case, "test")] = [f"{1 + k % 7},{100 + k}" for k in range(len(table))]
    return _planted(case.with_table(table), "scale metric")


def another_case(rng):
    case = generated.predictions(rng)
    table, own = case.table.copy(), _rows_of(case, case.systems[1])
    table.loc[own, _of(case, "prediction")] = table[_of(case, "prediction")][
        own
    ].str.title()
    return _planted(case.with_table(table), "key")


def no_ids(rng):
    case = generated.predictions(rng)
    return _planted(case.with_table(case.table.drop(columns=_of(case, "item"))), "unit")


def groups_that_differ(rng):
    case = generated.predictions(rng)
    table = case.table.assign(document="g" + case.table[_of(case, "item")].str[1:3])
    table.loc[table.index[_rows_of(case, case.systems[1])][:3], "document"] = "g-other"
    options = {**case.options, "unit": "document"}
    return _planted(case.with_table(table, options=options), "groups", {"unit": "item"})


def seeds_in_folds(rng):
    case = generated.runs(rng)
    parts = [
        case.table.assign(
            fold=k, **{_of(case, "test"): case.table[_of(case, "test")] + 0.01 * k}
        )
        for k in range(5)
    ]
    return _planted(case.with_table(pd.concat(parts)), "duplicates unmatched sizes")


def another_baseline(rng):
    case = generated.runs(rng)
    return _planted(
        replace(case, options={"baseline": case.systems[0] + "-v2"}), "baseline"
    )


FAULTS = (
    *(
        value
        for name, value in list(globals().items())
        if callable(value)
        and not name.startswith("_")
        and getattr(value, "__module__", "") == __name__
        and name not in ("Planted", "dataclass", "replace", "mean_among_data_sets")
    ),
    mean_among_data_sets,
)
