"""Columns and names whose values say otherwise than the word that they are called
by.
"""

import json

import numpy as np
import pandas as pd
import pytest

import evalkit as ek
from evalkit.reports import UnconfirmedError
from evalkit.reports._formats import _values


def runs(n=6, **columns):
    """Scores of two systems, a row a run."""
    score = np.random.default_rng(0).normal(np.repeat([0.80, 0.82], n), 0.01)
    table = pd.DataFrame(
        {"system": np.repeat(["base", "ours"], n), "seed": [*range(n)] * 2}
    )
    return table.assign(accuracy=score, **columns)


def test_the_form_of_the_names_of_folders_says_which_data_set_they_are_of(tmp_path):
    rng = np.random.default_rng(0)
    for task in ("boolq", "gsm", "law", "med"):
        for system, mean in (("gpt", 0.6), ("llama", 0.5)):
            folder = tmp_path / f"{task},model={system}"
            folder.mkdir()
            stats = [
                {"name": name, "mean": mean + rng.normal(0, 0.02)}
                for name in ("match", "f1")
            ]
            (folder / "stats.json").write_text(json.dumps(stats), encoding="utf-8")
            (folder / "run_spec.json").write_text(
                json.dumps([{"name": task}]), encoding="utf-8"
            )
    found = ek.report(
        tmp_path,
        baseline="llama",
        names="{dataset},model={system}",
        metric="mean",
        direction="higher",
        where={"name": "match"},
    )
    assert found.evidence.kind == "datasets"
    assert found.evidence.used["dataset"].nunique() == 4


def test_training_and_test_are_parts_and_no_data_sets():
    test = runs(dataset="test")
    both = pd.concat(
        [test, runs(dataset="train").assign(accuracy=lambda t: t.accuracy + 0.1)]
    )
    found = ek.report(both, baseline="base")
    assert found.evidence.kind == "seeds"
    means = test.groupby("system").accuracy.mean()
    assert found.findings.contrasts[0].difference == pytest.approx(
        means["ours"] - means["base"]
    )


@pytest.mark.parametrize("name", ["test_set", "test_file", "val_fold"])
def test_a_column_of_words_is_no_score_whatever_it_is_called(name):
    table = runs(**{name: [f"part{k}.csv" for k in range(6)] * 2})
    with pytest.raises(
        UnconfirmedError, match=f"In the runs of one system {name} varies"
    ) as asked:
        ek.report(table, baseline="base")
    assert f"--map fold={name}, if each is a fold of a cross-validation." in str(
        asked.value
    )
    found = ek.report(
        table, baseline="base", columns={"fold": name}, n_train=500, n_test=100
    )
    assert found.evidence.kind == "folds"


def test_the_columns_of_a_table_may_come_as_a_dict_of_arrays():
    table = runs()
    for results in (
        table.to_dict("list"),
        {name: table[name].to_numpy() for name in table},
    ):
        (found,) = ek.report(results, baseline="base").findings.contrasts
        (same,) = ek.report(table, baseline="base").findings.contrasts
        assert (found.low, found.high, found.pvalue) == (
            same.low,
            same.high,
            same.pvalue,
        )
    masked = np.ma.masked_array(table.accuracy, mask=[True] + [False] * 11)
    with pytest.raises(ValueError, match="1 run has no score"):
        ek.report({**table.to_dict("list"), "accuracy": masked}, baseline="base")


def test_an_index_that_is_called_as_a_column_is_refused_by_name():
    with pytest.raises(ValueError, match="results must name each column once"):
        ek.report(runs().set_index("seed", drop=False), baseline="base")


@pytest.mark.parametrize("classes", [False, True])
def test_whole_numbers_that_are_nearly_right_are_no_classes(classes):
    rng = np.random.default_rng(0)
    right = np.tile(rng.integers(20, 80, 60), 2)
    off = (
        rng.integers(0, 60, 120) * (rng.random(120) < 0.3)
        if classes
        else rng.integers(-3, 4, 120)
    )
    table = pd.DataFrame(
        {"system": np.repeat(["base", "ours"], 60), "item": [*range(60)] * 2}
    )
    table = table.assign(label=right, prediction=right + off)
    if classes:
        assert ek.report(table, baseline="base").evidence.metric == "accuracy"
        return
    with pytest.raises(
        ValueError, match="are numbers, and the wrong ones lie near the right answers"
    ):
        ek.report(table, baseline="base")
    assert ek.report(table, baseline="base", accept="key").evidence.metric == "accuracy"


def test_checkpoints_of_one_run_have_a_way_to_the_last_of_them():
    table = runs().rename(columns={"seed": "checkpoint"})
    table = table.assign(checkpoint="step-" + table.checkpoint.astype(str))
    with pytest.raises(
        UnconfirmedError,
        match="--where COLUMN=VALUE keeps one value, if it is a checkpoint",
    ):
        ek.report(table, baseline="base")
    with pytest.raises(ValueError, match="There is only one run of base and ours"):
        ek.report(table, baseline="base", where={"checkpoint": "step-5"})


def test_a_factor_that_nothing_chose_is_kept_at_one_of_its_values():
    table = pd.concat([runs(augmented=word) for word in ("no", "yes")])
    with pytest.raises(ValueError, match="--where COLUMN=VALUE keeps one setting"):
        ek.report(table, baseline="base", columns={"setting": "augmented"})
    found = ek.report(table, baseline="base", where={"augmented": "no"})
    assert found.evidence.kind == "seeds"


def test_trials_of_subjects_that_met_both_conditions_are_compared_by_subject():
    rng = np.random.default_rng(0)
    rows = [
        (s, c, t, 500 + 9 * s - 20 * (c == "b") + rng.normal(0, 30))
        for s in range(12)
        for c in "ab"
        for t in range(8)
    ]
    table = pd.DataFrame(rows, columns=["subject", "system", "trial", "rt"])
    said = {"baseline": "a", "metric": "rt", "direction": "lower"}
    with pytest.raises(
        ValueError, match="--map item=subject, if every system met the same ones"
    ):
        ek.report(table, **said)
    found = ek.report(table, **said, columns={"item": "subject"}, duplicates="mean")
    means = table.groupby(["system", "subject"]).rt.mean()
    (one,) = found.findings.contrasts
    assert one.difference == pytest.approx((means["b"] - means["a"]).mean())
    assert one.sizes == "12 items"


def test_a_benchmark_of_many_numbers_is_not_asked_about_shares():
    table = (
        runs()
        .drop(columns="accuracy")
        .assign(
            cpus=8, repetitions=12, iterations=40, threads=2, real_time=runs().accuracy
        )
    )
    with pytest.raises(UnconfirmedError) as asked:
        ek.report(table, baseline="base")
    assert "--metric real_time" in str(asked.value)
    assert "pass@1" not in str(asked.value)


def test_files_of_folds_are_no_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for k, row in enumerate(runs(5).itertuples()):
        table = pd.DataFrame({"accuracy": [row.accuracy], "n_test": [100]})
        table.to_csv(f"{row.system}_fold{k % 5}.csv", index=False)
    with pytest.raises(
        ValueError,
        match=(
            "--names '{system}_fold{fold}', if the number in these names is that of a"
            " fold"
        ),
    ):
        ek.report(".", baseline="base")
    found = ek.report(
        ".", baseline="base", names="{system}_fold{fold}", n_train=400, n_test=100
    )
    assert found.evidence.kind == "folds"
    assert np.isnan(found.findings.contrasts[0].low)


def test_labels_in_another_order_are_not_wrong():
    table = pd.DataFrame(
        {"system": np.repeat(["base", "ours"], 30), "item": [*range(30)] * 2}
    )
    table = table.assign(label="cat;dog", prediction=["cat;dog", "cat", "dog"] * 20)
    ek.report(table, baseline="base", accept="copies")
    table.loc[table.index >= 40, "prediction"] = "dog; cat"
    with pytest.raises(ValueError, match="in case, a full stop or the order of parts"):
        ek.report(table, baseline="base", accept="copies")


def test_what_is_nested_is_named_by_its_path_down_to_the_fourth_object():
    nested = {"a": {"b": {"c": {"d": 1, "e": {"f": 2}}}}, "g": 3}
    assert _values.flat(nested) == {"a.b.c.d": 1, "a.b.c.e": {"f": 2}, "g": 3}
