"""Formats that are tables or JSON with exact names: which they are, and what of them is
read and left out.
"""

import itertools
import json

import numpy as np
import pandas as pd
import pytest
from generated import read_places

import evalkit as ek
from evalkit.reports import RefusedError
from evalkit.reports._formats import _values
from evalkit.reports._recognition import _cells, _results


def read(path):
    """The one reading of a file."""
    (reading,), _ = read_places([(None, str(path))])
    return reading


def written(tmp_path, text, name="a.csv"):
    (tmp_path / name).write_text(text, encoding="utf-8")
    return read(tmp_path / name)


# --------------------------------------------------------------------------------------
# One decimal mark a file
# --------------------------------------------------------------------------------------

TWO = "two ways"


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        # What the first column says about the mark holds for the second one, where it
        # has that mark.
        (["85,62", "86,04"], ["987", "1.003"], TWO),
        (["85,62", "86,04"], ["987", "1.003.250"], [987, 1003250]),
        (["85,62", "86,04"], ["987", "1.003,5"], [987, 1003.5]),
        (["85,62", "86,04"], ["1,003", "2,500"], [1.003, 2.5]),
        # Can be read in one way alone.
        (
            ["85,62", "86,04"],
            ["0.853", "0.861"],
            [0.853, 0.861],
        ),
        (["85,62", "86,04"], ["1.003", "1.011"], TWO),  # no number without a mark
        (["85.62", "86.04"], ["987", "1,003"], TWO),
        (["85.62", "86.04"], ["1,003", "2,500"], TWO),
        # What is below a thousand has three digits: the mark may part thousands,
        # whatever others say.
        (["85.62", "86.04"], ["987", "1.003"], TWO),
        (["85", "86"], ["987", "1.003"], TWO),
        (["85.62", "86.04"], ["1.003", "987"], TWO),
        (["85.62", "86.04"], ["0.812", "0.790"], [0.812, 0.79]),
        (["85.62", "86.04"], ["1.003", "1.120"], [1.003, 1.12]),
        (["85.62", "86.04"], ["98", "1.003"], [98, 1.003]),
        (["85.62", "86.04"], ["987", "0.812"], [987, 0.812]),
        (["85.62", "86.04"], ["987", "1.0035"], [987, 1.0035]),
        (["85.62", "86.04"], ["1987", "1.003"], [1987, 1.003]),
        (["85", "86"], ["987", "1,003"], TWO),
        (["85", "86"], ["1,003", "1.003"], TWO),
        # The first column is read in no way.
        (
            ["85,62", "86.04"],
            ["987", "1,003"],
            TWO,
        ),
    ],
)
def test_one_decimal_mark_holds_for_a_file(first, second, expected, tmp_path):
    lines = [f"{a}\t{b}" for a, b in zip(first, second, strict=True)]
    reading = written(tmp_path, "\n".join(["one\tother", *lines]), "a.tsv")
    if expected is TWO:
        assert reading.frame.other.tolist() == second
        marked = next(text for text in second if "," in text or "." in text)
        assert reading.facts["two_ways"] == {"other": f"{marked} is 1003 or 1.003"}
        with pytest.raises(RefusedError, match=r"column other: .* is 1003 or 1.003"):
            _cells.one_reading(reading.facts, ["other"])
        _cells.one_reading(reading.facts, ["one"])
    else:
        assert reading.frame.other.tolist() == expected
        assert "two_ways" not in reading.facts


def test_semicolons_are_no_proof_of_a_decimal_comma(tmp_path):
    text = "model;ppl\na;987\nb;1.003\n"
    assert written(tmp_path, text).facts["two_ways"] == {
        "ppl": "1.003 is 1003 or 1.003"
    }
    assert written(tmp_path, text.replace(".", ",")).facts["two_ways"] == {
        "ppl": "1,003 is 1003 or 1.003"
    }
    assert written(
        tmp_path, text.replace("1.003", "1,003\nc;1,5")
    ).frame.ppl.tolist() == [987, 1.003, 1.5]
    assert written(tmp_path, text + "c;0.5\n").frame.ppl.tolist() == [987, 1.003, 0.5]


def test_thousands_beside_a_word_for_no_score_are_not_read(tmp_path):
    text = "m;acc;ppl\na;85,62;987\nb;86,04;1.003\nc;86,1;"
    reading = written(tmp_path, text + "OOM\n")
    with pytest.raises(RefusedError, match=r"1 cell is not a number: 'OOM' \(c, ppl\)"):
        _cells.check_scores(reading.frame, ["ppl"], reading.frame.m)
    said = {
        "baseline": "a",
        "metric": "ppl",
        "direction": "lower",
        "columns": {"system": "m"},
    }
    with pytest.raises(RefusedError, match="not numbers in 1 row: OOM"):
        ek.report(tmp_path / "a.csv", **said, unit="seed")
    assert written(tmp_path, text + "-\n").facts["two_ways"] == {
        "ppl": "1.003 is 1003 or 1.003"
    }


def test_numbers_of_python_and_of_parquet_are_numbers():
    from decimal import Decimal

    frame = pd.DataFrame(
        {
            "decimal": [Decimal("0.5"), None],
            "nullable": pd.array([1, None], dtype="Int64"),
            "flag": pd.array([True, None], dtype="boolean"),
            "category": pd.Categorical(["a", "b"]),
            "time": pd.to_datetime(["2026-01-01", "2026-01-02"]),
            "large": [2**60 + 1, 1],
            "list": [[1, 2], None],
        }
    )
    found, _ = _values.columns(frame)
    for name, value in (("decimal", 0.5), ("nullable", 1.0), ("flag", 1.0)):
        assert found[name][0] == value
        assert np.isnan(found[name][1])
    assert found.category.tolist() == ["a", "b"]
    assert found.time[0] == "2026-01-01 00:00:00"
    assert found.large.tolist() == [str(2**60 + 1), "1"]
    assert found.list.tolist() == ["[1, 2]", None]


# --------------------------------------------------------------------------------------
# Text with columns
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("a;b;c,acc\nx,1\ny,2\n", ["a;b;c", "acc"]),
        ("a,b\tacc\nx\t1\ny,z\t2\n", ["a,b", "acc"]),
        ("model;acc\nbase;0,81\nours;0,83\n", ["model", "acc"]),
        ("model|acc\nbase|0.81\n", ["model", "acc"]),
    ],
)
def test_the_mark_is_what_gives_every_line_the_same_columns(text, columns, tmp_path):
    frame = written(tmp_path, text).frame
    assert list(frame.columns) == columns
    assert frame.iloc[:, -1].dtype.kind == "f"


@pytest.mark.parametrize(
    "title", ["Results of March,,\n", "Results of March\n", "\nResults of March,,\n"]
)
def test_a_title_above_the_header_is_refused_for_what_it_is(title, tmp_path):
    line = title.count("\n")
    message = rf"line {line} has one filled cell, line {line + 1} looks like the header"
    with pytest.raises(RefusedError, match=message) as refused:
        written(tmp_path, f"{title}model,seed,acc\nbase,1,0.8\nours,1,0.9\n")
    assert refused.value.faults[0].ways == (f"take line {line} out.",)
    taken_out = written(tmp_path, "model,seed,acc\nbase,1,0.8\nours,1,0.9\n")
    assert list(taken_out.frame.columns) == ["model", "seed", "acc"]


def test_two_titles_are_one_refusal(tmp_path):
    with pytest.raises(
        RefusedError,
        match=r"lines 1 to 2 have one filled cell, line 3 looks like the header",
    ):
        written(tmp_path, "Results,,\nof March,,\nmodel,seed,acc\nbase,1,0.8\n")


@pytest.mark.parametrize(
    "text", [",prediction\ni1,cat\ni2,dog\n", "name,acc\n,0.5\nb,0.6\n"]
)
def test_a_header_with_an_empty_name_is_no_title(text, tmp_path):
    assert len(written(tmp_path, text).frame) == 2


@pytest.mark.parametrize("empty", [",,\n", "\n", " , ,\n", '"",,""\n', ",,,,\n"])
def test_empty_lines_are_left_out_and_counted(empty, tmp_path):
    reading = written(
        tmp_path, f"model,seed,acc\nbase,1,0.8\n{empty}ours,1,0.9\n{empty}"
    )
    assert reading.frame.model.tolist() == ["base", "ours"]
    assert reading.left_out == ((2, "empty lines"),)
    assert not written(tmp_path, "model,seed,acc\nbase,1,0.8\nours,1,0.9\n").left_out


# --------------------------------------------------------------------------------------
# scikit-learn's halving searches
# --------------------------------------------------------------------------------------


def halving(candidates, *, param="C"):
    """cv_results_ of (iteration, resources, value, three scores)."""
    rows = [
        {
            "iter": i,
            "n_resources": n,
            f"param_{param}": value,
            "params": str({param: value}),
        }
        | {f"split{k}_test_score": score for k, score in enumerate(scores)}
        | {"mean_test_score": np.mean(scores)}
        for i, n, value, scores in candidates
    ]
    return pd.DataFrame(rows)


SEARCH = [
    (0, 40, 1, [0.9, 0.9, 0.9]),
    (0, 40, 2, [0.8, 0.8, 0.8]),
    (0, 40, 3, [0.1, 0.2, 0.3]),
]
SEARCH += [(1, 80, 1, [0.7, 0.7, 0.7]), (1, 80, 2, [0.8, 0.7, 0.7])]


@pytest.mark.parametrize("form", ["file", "frame", "dict", "two"])
def test_only_the_last_iteration_of_halving_is_read(form, tmp_path):
    table = halving(SEARCH)
    table.to_csv(tmp_path / "svm.csv")
    one = table.to_dict("list") | {"params": [{"C": value} for value in table.param_C]}
    reading = {
        "file": lambda: read(tmp_path / "svm.csv"),
        "frame": lambda: _results.readings(table)[0],
        "dict": lambda: _results.readings(one)[0],
        "two": lambda: _results.readings({"svm": table, "knn": table})[0],
    }[form]()
    # The places that scikit-learn has them in.
    assert sorted(set(reading.frame.candidate)) == [
        3,
        4,
    ]
    assert set(reading.frame.n_resources) == {80}
    assert reading.facts["n_resources"] == [80]
    assert reading.left_out[-1] == (
        3,
        "candidates of earlier iterations of halving, with 40 resources",
    )
    assert reading.roles == {"fold": "fold", "setting": "candidate"}
    assert reading.frame[reading.frame.candidate == 4].score.tolist() == [0.8, 0.7, 0.7]


def test_cv_results_have_folds_without_a_score_and_no_words(tmp_path):
    table = halving([(0, 80, value, [0.9, np.nan, 0.8]) for value in (1, 2)])
    reading = written(tmp_path, table.to_csv(index=False))
    assert reading.facts["higher"] == {"score": True}
    assert reading.frame.score.isna().tolist() == [False, True, False] * 2
    with pytest.raises(
        RefusedError, match="split1_test_score holds numbers in this format, and has x"
    ):
        written(tmp_path, table.assign(split1_test_score="x").to_csv(index=False))
    alone = table[["param_C", "mean_test_score"]].to_csv(index=False)
    assert written(tmp_path, alone).format == "a table (CSV)"


def test_what_scikit_learn_chose_is_the_best_of_what_is_read(tmp_path):
    pytest.importorskip("sklearn")
    from sklearn.datasets import load_iris
    from sklearn.experimental import enable_halving_search_cv  # noqa: F401
    from sklearn.model_selection import HalvingGridSearchCV
    from sklearn.tree import DecisionTreeClassifier

    grid = {"max_depth": [1, 2, 3, 4], "min_samples_leaf": [1, 20]}
    search = HalvingGridSearchCV(
        DecisionTreeClassifier(random_state=0),
        grid,
        factor=2,
        min_resources=30,
        random_state=1,
    ).fit(*load_iris(return_X_y=True))
    pd.DataFrame(search.cv_results_).to_csv(tmp_path / "tree.csv")
    for reading in (
        read(tmp_path / "tree.csv"),
        _results.readings(search.cv_results_)[0],
    ):
        means = reading.frame.groupby("candidate").score.mean()
        assert means.idxmax() == search.best_index_
        assert means.max() == pytest.approx(search.best_score_)


def test_a_setting_that_is_the_resource_leaves_the_folds_whole(tmp_path):
    table = halving(SEARCH)
    table["param_trees"] = table.n_resources
    table.to_csv(tmp_path / "a.csv")
    assert "n_resources" not in read(tmp_path / "a.csv").facts


# --------------------------------------------------------------------------------------
# lm-evaluation-harness
# --------------------------------------------------------------------------------------

RESULTS = {
    "results": {
        "mmlu": {"acc,none": 0.5, "acc_stderr,none": 0.01, "alias": "mmlu"},
        "mmlu_stem": {"acc,none": 0.4, "acc_stderr,none": 0.01, "alias": " - stem"},
        "mmlu_algebra": {
            "acc,none": 0.3,
            "acc_stderr,none": 0.01,
            "alias": "  - algebra",
        },
        "mmlu_law": {"acc,none": 0.6, "acc_stderr,none": 0.01, "alias": " - law"},
        "gsm8k": {
            "exact_match,strict-match": 0.2,
            "exact_match_stderr,strict-match": "N/A",
            "exact_match,flexible-extract": 0.3,
            "alias": "gsm8k",
        },
        "wikitext": {
            "word_perplexity,none": 9.5,
            "word_perplexity_stderr,none": "N/A",
            "alias": "wikitext",
        },
    },
    "groups": {"mmlu": {"acc,none": 0.5}, "mmlu_stem": {"acc,none": 0.4}},
    "group_subtasks": {
        "mmlu_stem": ["mmlu_algebra"],
        "mmlu": ["mmlu_law", "mmlu_stem"],
        "gsm8k": [],
    },
    "higher_is_better": {
        "mmlu": {"acc": True},
        "gsm8k": {"exact_match": True},
        "wikitext": {"word_perplexity": False},
        "mmlu_law": {"acc": None},
    },
    "model_name": "org/small",
}


def test_tasks_of_the_harness_are_data_sets_and_no_group_is_counted_beside_its_tasks(
    tmp_path,
):
    reading = written(
        tmp_path,
        json.dumps(RESULTS, indent=2),
        "results_2026-11-23T09-42-23.538539.json",
    )
    rows = reading.frame[["task", "filter"]].apply(tuple, axis=1).tolist()
    assert rows == [
        ("mmlu_algebra", "none"),
        ("mmlu_law", "none"),
        ("gsm8k", "strict-match"),
        ("gsm8k", "flexible-extract"),
        ("wikitext", "none"),
    ]
    assert reading.left_out == (
        (2, "groups whose tasks stand beside them: mmlu, mmlu_stem"),
    )
    assert reading.facts["metrics"] == ["acc", "exact_match", "word_perplexity"]
    assert reading.facts["higher"] == {
        "acc": True,
        "exact_match": True,
        "word_perplexity": False,
    }
    assert reading.roles == {"dataset": "task", "filter": "filter"}
    assert reading.names["model"] == "org/small"
    assert reading.frame.acc.dropna().tolist() == [0.3, 0.6]


def test_a_group_whose_tasks_are_not_there_is_kept(tmp_path):
    few = {**RESULTS, "results": {"mmlu": RESULTS["results"]["mmlu"]}}
    assert written(tmp_path, json.dumps(few), "a.json").frame.task.tolist() == ["mmlu"]


def test_a_metric_that_tasks_have_two_ways_has_no_direction(tmp_path):
    ways = {"gsm8k": {"exact_match": True}, "mmlu": {"exact_match": False, "acc": True}}
    facts = written(
        tmp_path, json.dumps({**RESULTS, "higher_is_better": ways}), "a.json"
    ).facts
    assert facts["higher"] == {"acc": True}
    assert any(
        "exact_match: of some tasks higher is better" in note for note in facts["notes"]
    )


def test_results_of_the_harness_before_filters_are_read(tmp_path):
    old = {
        "results": {"piqa": {"acc": 0.7, "acc_stderr": 0.01}},
        "versions": {"piqa": 0},
    }
    reading = written(tmp_path, json.dumps(old), "a.json")
    assert reading.format == "results of lm-evaluation-harness"
    assert reading.frame.to_dict("records") == [
        {"task": "piqa", "filter": "none", "acc": 0.7}
    ]


# --------------------------------------------------------------------------------------
# Logs of training
# --------------------------------------------------------------------------------------


def chart(names, *, step="Step", metric="val/acc", spread=0.0):
    table = {step: [0, 100, 200]}
    for k, name in enumerate(names):
        values = np.array([0.5, 0.6, np.nan if k == 1 else 0.7])
        table |= {f"{name} - _step": [0, 100, 200]} if step != "Step" else {}
        table |= (
            {f"{name} - _step{end}": [0, 100, 200] for end in ("__MIN", "__MAX")}
            if step != "Step"
            else {}
        )
        table[f"{name} - {metric}"] = values
        table |= {
            f"{name} - {metric}__MIN": values - spread,
            f"{name} - {metric}__MAX": values + spread,
        }
    return pd.DataFrame(table)


@pytest.mark.parametrize("step", ["Step", "epoch", "Relative Time (Process)"])
def test_a_chart_of_wandb_has_a_run_in_three_columns(step, tmp_path):
    names = ["base-0", "base-1", "ours-a-0", "ours-a-1"]
    chart(names, step=step).to_csv(tmp_path / "a.csv", index=False)
    reading = read(tmp_path / "a.csv")
    assert reading.roles == {"run": "run", "step": step, "score": "val/acc"}
    assert reading.frame.groupby("run").size().to_dict() == {
        **dict.fromkeys(names, 3),
        "base-1": 2,
    }
    assert "columns that end in __MIN or __MAX are not read" in reading.facts["notes"]
    assert not any("may be the mean" in note for note in reading.facts["notes"])
    same = _results.readings(chart(names, step=step))[0]
    pd.testing.assert_frame_equal(same.frame, reading.frame)


def test_a_chart_of_means_says_that_it_may_be_one(tmp_path):
    chart(["Group: base", "Group: ours"], spread=0.1).to_csv(
        tmp_path / "a.csv", index=False
    )
    assert any(
        "each may be the mean of several runs" in note
        for note in read(tmp_path / "a.csv").facts["notes"]
    )


@pytest.mark.parametrize(
    "name", [f"a-run-with-a-{'very-' * k}long-name" for k in range(6)]
)
@pytest.mark.parametrize("n", [1, 2, 3, 100])
def test_a_chart_is_known_by_its_first_line_or_the_beginning_of_it(n, name, tmp_path):
    chart([f"{name}-{k}" for k in range(n)]).to_csv(tmp_path / "a.csv", index=False)
    reading = read(tmp_path / "a.csv")
    assert (reading.format, reading.frame.run.nunique()) == (
        "a chart of Weights & Biases",
        n,
    )


RAY = pd.DataFrame(
    {
        "valid_accuracy": [0.6, 0.7, 0.5, 0.6],
        "test_accuracy": [0.61, 0.71, 0.51, 0.61],
        "training_iteration": [1, 2, 1, 2],
        "trial_id": ["00001", "00001", "00002", "00002"],
        "time_total_s": [1.0, 2.0, 1.5, 3.0],
        "done": [False, True, False, True],
        "config/lr": [0.1, 0.1, 0.2, 0.2],
        "config/model": ["base", "base", "ours", "ours"],
    }
)


def test_ray_tune_names_its_runs_steps_costs_and_settings(tmp_path):
    RAY.to_csv(tmp_path / "a.csv", index=False)
    for reading in (read(tmp_path / "a.csv"), _results.readings(RAY)[0]):
        assert reading.roles == {
            "run": "trial_id",
            "step": "training_iteration",
            "cost": "time_total_s",
            "system": "config/model",
            "setting": ("config/lr",),
            "note": ("done",),
        }
        assert reading.facts["settings"] == ["config/lr"]
        assert reading.facts["metrics"] == ["valid_accuracy", "test_accuracy"]
        assert reading.frame.trial_id.tolist() == ["00001", "00001", "00002", "00002"]


def test_settings_of_a_trial_of_ray_stand_beside_it(tmp_path):
    columns = [name for name in RAY if not name.startswith("config/")]
    RAY[columns].head(2).to_csv(tmp_path / "progress.csv", index=False)
    (tmp_path / "params.json").write_text(
        json.dumps({"lr": 0.1, "seed": 3, "opt": {"name": "adam"}})
    )
    reading = read(tmp_path / "progress.csv")
    assert str(tmp_path / "params.json") in reading.inputs
    assert reading.roles["seed"] == "config/seed"
    assert reading.facts["settings"] == ["config/lr", "config/opt/name"]
    assert reading.frame["config/lr"].tolist() == [0.1, 0.1]
    assert (
        set(columns)
        < set(reading.frame)
        == {*columns, *(f"config/{n}" for n in ("lr", "seed", "opt/name"))}
    )
    lines = [
        {
            **{k: v for k, v in row.items() if "/" not in k},
            "config": {"lr": row["config/lr"]},
        }
        for row in RAY.to_dict("records")
    ]
    (tmp_path / "result.json").write_text("\n".join(map(json.dumps, lines)))
    assert (
        read(tmp_path / "result.json").frame["config/lr"].tolist()
        == RAY["config/lr"].tolist()
    )


def test_a_scalar_of_tensorboard_is_a_run(tmp_path):
    text = "Wall time,Step,Value\n1654943296.21,0,0.5\n1654943313.77,10,0.75\n"
    reading = written(tmp_path, text, "run-base_0-tag-val_acc.csv")
    assert reading.roles == {"step": "Step", "score": "val_acc", "note": ("Wall time",)}
    assert reading.frame.val_acc.tolist() == [0.5, 0.75]
    assert reading.names["run"] == "base_0"
    for name in (
        "base.csv",
        "base-tag-acc.csv",
        "run-base-tag-.csv",
        "run--tag-acc.csv",
    ):
        assert written(tmp_path, text, name).roles["score"] == "Value"
    assert (
        written(tmp_path, text.replace("\n", ",x\n"), "b.csv").format == "a table (CSV)"
    )


LIGHTNING = "epoch,step,train_loss,val_acc\n0,49,0.9,\n0,49,,0.5\n1,99,0.7,\n1,99,0.6,\n1,99,,0.6\n,120,0.5,\n"


@pytest.mark.parametrize("name", ["metrics.csv", "base.csv"])
def test_rows_of_an_epoch_of_lightning_are_one(name, tmp_path):
    reading = written(tmp_path, LIGHTNING, name)
    assert reading.frame.epoch.tolist() == [0, 1]
    assert reading.frame.train_loss.tolist() == [0.9, 0.6]
    assert reading.frame.val_acc.tolist() == [0.5, 0.6]
    assert reading.roles == {
        "step": "epoch",
        "note": ("step",),
        "run": "run (by its folder)",
    }
    assert reading.left_out == ((1, "rows without an epoch"),)
    assert reading.facts["notes"] == [
        "of each epoch the last value of a metric is read"
    ]
    assert reading.facts["metrics"] == ["train_loss", "val_acc"]


def test_a_full_table_of_epochs_is_none_of_lightning(tmp_path):
    assert (
        written(tmp_path, "epoch,step,acc\n0,1,0.5\n1,2,0.6\n", "runs.csv").format
        == "a table (CSV)"
    )


def state(accuracies, *, every=2):
    """The state of a trainer: entries of training and of evaluation in turn."""
    log = []
    for k, accuracy in enumerate(accuracies, start=1):
        log += [
            {"epoch": float(k), "loss": 1 / k, "learning_rate": 0.1, "step": 100 * k}
        ] * (every - 1)
        log += [
            {
                "epoch": float(k),
                "eval_acc": accuracy,
                "eval_runtime": 2.5,
                "step": 100 * k,
            }
        ]
        log += [
            {
                "epoch": float(k),
                "eval_hard_loss": 0.5,
                "eval_hard_runtime": 1,
                "step": 100 * k,
            }
        ]
    log += [{"epoch": 9.0, "step": 900, "train_runtime": 20.0}]
    return {
        "best_metric": max(accuracies),
        "epoch": 9.0,
        "global_step": 900,
        "log_history": log,
    }


def test_evaluations_of_a_trainer_are_the_steps_of_a_run(tmp_path):
    reading = written(
        tmp_path, json.dumps(state([0.5, 0.8, 0.7]), indent=2), "trainer_state.json"
    )
    assert reading.format == "a trainer_state.json of Hugging Face"
    assert reading.frame.step.tolist() == [100, 200, 300]
    assert reading.frame.eval_acc.tolist() == [0.5, 0.8, 0.7]
    assert reading.frame.eval_hard_loss.tolist() == [0.5] * 3
    assert "best_metric" not in reading.frame
    assert reading.roles == {
        "step": "step",
        "note": ("epoch", "eval_runtime", "eval_hard_runtime"),
    }
    assert reading.facts["metrics"] == ["eval_acc", "eval_hard_loss"]
    assert reading.left_out == ((4, "entries of the log that are not evaluations"),)


def test_a_trainer_that_never_evaluated_is_refused(tmp_path):
    log = [{"epoch": 1.0, "loss": 0.5, "step": 1}]
    with pytest.raises(RefusedError, match="no entry of its log is an evaluation"):
        written(
            tmp_path,
            json.dumps({"global_step": 1, "log_history": log}),
            "trainer_state.json",
        )


def test_of_the_checkpoints_of_a_run_the_last_is_read(tmp_path):
    for run in ("base_seed0", "base_seed1"):
        for checkpoint in ("checkpoint-900", "checkpoint-1000"):
            (tmp_path / run / checkpoint).mkdir(parents=True)
            text = json.dumps(
                state([0.5, 0.8] if "900" in checkpoint else [0.5, 0.8, 0.7])
            )
            (tmp_path / run / checkpoint / "trainer_state.json").write_text(text)
    (tmp_path / "base_seed1" / "trainer_state.json").write_text(
        json.dumps(state([0.5, 0.8, 0.7, 0.6]))
    )
    readings, _ = read_places([(None, str(tmp_path))])
    assert [len(reading.frame) for reading in readings] == [3, 4]
    paths = [
        (None, str(path))
        for path in sorted(tmp_path.glob("*/checkpoint-1000/trainer_state.json"))
    ]
    # The folder that differs, and not the one above the file.
    readings, _ = read_places(paths)
    assert [reading.names["folder 0"] for reading in readings] == [
        "base_seed0",
        "base_seed1",
    ]


def bleu(scores):
    return [
        {
            "name": name,
            "score": score,
            "signature": f"nrefs:1|tok:{name}|version:2.3.1",
            "nrefs": "1",
        }
        for name, score in scores.items()
    ]


def test_scores_of_sacrebleu_are_a_row_with_a_column_a_metric(tmp_path):
    scores = {"BLEU": 27.16, "chrF2": 55.7, "TER": 61.22}
    reading = written(tmp_path, json.dumps(bleu(scores), indent=1), "base.s1.json")
    assert reading.format == "scores of sacreBLEU"
    assert reading.frame.to_dict("records") == [scores]
    assert reading.facts["higher"] == {"BLEU": True, "chrF2": True, "TER": False}
    assert reading.facts["metrics"] == ["BLEU", "chrF2", "TER"]
    assert reading.facts["notes"][0] == "BLEU: nrefs:1|tok:BLEU|version:2.3.1"
    # As it writes one metric.
    alone = written(tmp_path, json.dumps(bleu(scores)[0]), "base.s2.json")
    assert alone.frame.to_dict("records") == [{"BLEU": 27.16}]
    with pytest.raises(RefusedError, match="BLEU is in it without a score, or twice"):
        written(tmp_path, json.dumps(bleu(scores) + bleu({"BLEU": 1})), "base.s3.json")


def helm(scores, split="test", first=0):
    """Return what HELM writes of each item: a list of statistics."""
    return [
        {"instance_id": f"id{first + k}", "train_trial_index": 0,
         "stats": [{"name": {"name": name, "split": split}, "count": 1, "sum": value, "mean": value}
                   for name, value in (("exact_match", score), ("num_prompt_tokens", 90 + k))]}
        for k, score in enumerate(scores)
    ]  # fmt: skip


def helm_runs(folder, models, tasks, n=40):
    """Write a run of each model on each task, and return its scores."""
    rng, scores = np.random.default_rng(3), {}
    for model, task in itertools.product(models, tasks):
        name = f"mmlu:subject={task},model={model.replace('/', '_')}"
        place = folder / "runs" / "v1" / name
        place.mkdir(parents=True)
        scores[model, task] = rng.integers(0, 2, n)
        spec = {"name": name, "adapter_spec": {"model": model}}
        (place / "run_spec.json").write_text(json.dumps(spec))
        stats = [*helm(scores[model, task].tolist()), *helm([1.0] * 5, "valid", n)]
        (place / "per_instance_stats.json").write_text(json.dumps(stats))
        (place / "stats.json").write_text(
            json.dumps([{"name": {"name": "exact_match"}, "mean": 0.5}])
        )
    return scores


def test_items_of_helm_are_those_of_the_test_part_of_one_task(tmp_path):
    scores = helm_runs(tmp_path, ["meta/llama", "openai/gpt"], ["law", "algebra"])
    readings, _ = read_places([(None, str(tmp_path))])
    assert {reading.format for reading in readings} == {"statistics of items by HELM"}
    assert {reading.names["model"] for reading in readings} == {
        "meta/llama",
        "openai/gpt",
    }
    assert {*pd.concat([reading.frame for reading in readings]).task} == {
        "mmlu:subject=law",
        "mmlu:subject=algebra",
    }
    with pytest.raises(RefusedError, match="items of 2 tasks"):
        ek.report(tmp_path, baseline="meta/llama")
    found = ek.report(
        tmp_path, baseline="meta/llama", where={"task": "mmlu:subject=law"}, unit="item"
    )
    (one,) = found.findings.contrasts
    assert one.sizes.startswith("40 items")
    apart = scores["openai/gpt", "law"].mean() - scores["meta/llama", "law"].mean()
    assert one.difference == pytest.approx(apart)


@pytest.mark.parametrize(
    "odd", [{"instance_id": "id0"}, {"stats": []}, {"instance_id": "id0", "stats": 3}]
)
def test_entries_of_helm_without_an_item_or_its_statistics_are_refused(odd, tmp_path):
    with pytest.raises(
        RefusedError, match="entry 2 has no `instance_id`, or no list `stats`"
    ):
        written(tmp_path, json.dumps([*helm([1]), odd]), "per_instance_stats.json")


def test_what_was_changed_on_purpose_is_another_kind_of_row(tmp_path):
    typos = [{**entry, "perturbation": {"name": "typos"}} for entry in helm([0, 1])]
    reading = written(
        tmp_path, json.dumps([*helm([1, 1]), *typos]), "per_instance_stats.json"
    )
    assert reading.frame.perturbation.fillna("none").tolist() == [
        "none",
        "none",
        "typos",
        "typos",
    ]
    assert reading.roles["filter"] == "perturbation"


def test_a_file_that_two_formats_know_is_read_as_neither(tmp_path):
    both = RAY.assign(split0_test_score=0.5, mean_test_score=0.5)
    both.to_csv(tmp_path / "a.csv", index=False)
    with pytest.raises(
        RefusedError, match=r"cv_results_ of scikit-learn and results of Ray Tune"
    ) as refused:
        read(tmp_path / "a.csv")
    assert "a.csv" in str(refused.value)
    with pytest.raises(
        RefusedError, match=r"cv_results_ of scikit-learn and results of Ray Tune"
    ):
        _results.readings(both)
    (way,) = refused.value.faults[0].ways
    assert way == "keep the columns or the tables of one tool in it."
    read_as = written(
        tmp_path, both.drop(columns=["split0_test_score"]).to_csv(index=False)
    )
    assert read_as.format == "results of Ray Tune"


def test_what_is_read_beside_a_file_is_not_called_unread(tmp_path):
    columns = [name for name in RAY if not name.startswith("config/")]
    RAY[columns].head(2).to_csv(tmp_path / "progress.csv", index=False)
    (tmp_path / "params.json").write_text('{"lr": 0.1}')
    (tmp_path / "other.json").write_text("{}")
    (reading,), ignored = read_places([(None, str(tmp_path))])
    assert "config/lr" in reading.frame
    assert not ignored
