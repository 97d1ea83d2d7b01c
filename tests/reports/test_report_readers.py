"""Readers: each format as its tool writes it, and what a broken file is told.

The files here are made by hand, to the form that the tools' own exports had
(`real_exports.py` makes those).
"""

import json
import os
import sqlite3
import zipfile
from pathlib import Path

import generated
import numpy as np
import pandas as pd
import pytest
from generated import read_places

import evalkit as ek
from evalkit.reports import RefusedError
from evalkit.reports._formats import READERS, _values


def read(path):
    """The one reading of a file."""
    (reading,), _ = read_places([(None, str(path))])
    return reading


@pytest.mark.parametrize(
    "reader", READERS, ids=lambda reader: reader.__name__.rpartition(".")[2]
)
def test_a_reader_names_its_format(reader):
    assert reader.FORMAT


# --------------------------------------------------------------------------------------
# Cells
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "expected", "is_noted"),
    [
        (["1", "2.5", ""], [1, 2.5, np.nan], False),
        (["91,3", "90,1", "88,0"], [91.3, 90.1, 88.0], True),
        (["**91.3**", "\\textbf{90.1}", "88.0*"], [91.3, 90.1, 88.0], True),
        (["91.3 ± 0.4", "90.1 (0.2)", "88.0 +- 1"], [91.3, 90.1, 88.0], True),
        (["91.3%", "90.1 %", "-"], [91.3, 90.1, np.nan], True),
        (["\u22120.5", "1e-3", "inf"], [-0.5, 0.001, np.inf], True),
        (["007", "008", "009"], ["007", "008", "009"], False),  # names, not numbers
        (
            ["9007199254740993", "9007199254740992"],
            ["9007199254740993", "9007199254740992"],
            False,
        ),
        (["nan", "NA", "None"], [np.nan] * 3, False),
        (["cat", "", "1"], ["cat", None, "1"], False),
        ([True, False, None], [1.0, 0.0, np.nan], False),
        ([1, None, "x"], ["1", None, "x"], False),
    ],
)
def test_cells_are_numbers_or_words(cells, expected, is_noted):
    frame, facts = _values.columns(pd.DataFrame({"c": pd.Series(cells, dtype=object)}))
    got = frame.c.tolist()
    assert all(
        a == b or (a != a and b != b) for a, b in zip(got, expected, strict=True)
    ), got
    assert bool(facts["notes"]) == is_noted


# --------------------------------------------------------------------------------------
# Tables
# --------------------------------------------------------------------------------------

TABLE = pd.DataFrame(
    {
        "model": ["a", "a", "b"],
        "acc": [0.5, 0.25, np.nan],
        "note": ["x,y", 'say "hi"', "two\nlines"],
    }
)


@pytest.mark.parametrize(
    "write",
    [
        lambda path: TABLE.to_csv(path, index=False),
        lambda path: TABLE.to_csv(path, index=False, sep="\t"),
        lambda path: TABLE.to_csv(path, index=False, sep=";"),
        lambda path: TABLE.to_csv(path, index=False, encoding="utf-8-sig"),
        lambda path: TABLE.to_csv(path, index=False, encoding="utf-16"),
        lambda path: TABLE.to_csv(path, index=False, lineterminator="\r\n"),
        lambda path: TABLE.to_json(path, orient="records", lines=True),
        lambda path: TABLE.to_json(path, orient="records"),
        lambda path: TABLE.to_json(path, orient="records", indent=1),
        lambda path: path.write_text(
            json.dumps(TABLE.astype(object).where(TABLE.notna(), None).to_dict("list"))
        ),
    ],
)
def test_a_table_is_read_in_all_its_forms(write, tmp_path):
    write(tmp_path / "table.txt")
    frame = read(tmp_path / "table.txt").frame
    assert frame.acc.tolist()[:2] == [0.5, 0.25]
    assert np.isnan(frame.acc[2])
    assert [n.replace("\r\n", "\n") for n in frame.note] == TABLE.note.tolist()


def test_parquet_is_read_or_its_package_named(tmp_path):
    path = tmp_path / "table.parquet"
    path.write_bytes(b"PAR1 and so on PAR1")
    with pytest.raises(
        RefusedError, match="pip install pyarrow|not a whole Parquet file"
    ):
        read(path)
    pytest.importorskip("pyarrow")
    TABLE.to_parquet(path)
    assert read(path).frame.acc.tolist()[:2] == [0.5, 0.25]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"", "the file is empty"),
        ("a.csv", b"  \n", "the file is empty"),
        ("a.csv", b"model,acc\n", "has no rows"),
        ("a.csv", b"model,acc\na,1\nb\n", "line 3 has 1 values, and the header 2"),
        ("a.csv", b"model,acc\na,1,2\n", "line 2 has 3 values"),
        ("a.csv", b'model,acc\na,"1\nb,2\n', "a quotation mark that opens in line 2"),
        ("a.csv", b"model,model\na,1\n", "more than one column is called model"),
        ("a.csv", b"mod\xe9l,acc\na,1\n", "is not UTF-8"),
        ("a.csv", b"just words\n", "it has one column at most"),
        ("a.csv", b"a,b\0\n1,2\n", "there is a zero byte in line 1"),
        ("a.jsonl", b'{"a": 1}\n{"a": \n', "line 2 is not JSON"),
        ("a.jsonl", b'{"a": 1}\n[1]\n', "line 2 is a list, and no object"),
        ("a.json", b'{"a": [1, 2], "b": [1]}', "different lengths"),
        ("a.json", b"[1, 2]", "no list of objects"),
        (
            "log.json",
            b'{"eval": {"run_id": 1}, "status": "success", "samples": [{"id": 1}, {}]}',
            "sample 2 has no id",
        ),
        ("a.json", b"[" * 100_000, "nested deeper|not whole JSON"),
        ("a.pkl", b"\x80\x04.", "runs or needs a program"),
        ("a.joblib", b"\x80\x04.", "runs or needs a program"),
        ("a.xlsx", b"PK\x03\x04", "it is a spreadsheet"),
        ("a.eval", b"PK\x03\x04", "not a whole .eval archive"),
        (
            "a.db",
            b"SQLite format 3\0" + b"\0" * 84,
            "not a whole SQLite|none of the formats",
        ),
        (
            "a.wandb",
            b":W&B\xe1\xbe\x00\x01\x02",
            "none of the formats that a report reads",
        ),
    ],
)
def test_a_broken_file_is_told_what_and_where(name, content, message, tmp_path):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(RefusedError, match=message) as refused:
        read(path)
    assert str(path.name) in str(refused.value)


def test_a_folder_without_results_says_what_is_in_it(tmp_path):
    (tmp_path / "notes.txt").write_text("nothing")
    with pytest.raises(RefusedError, match="no file of a known kind .*notes.txt"):
        read_places([(None, str(tmp_path))])


def test_what_is_not_read_in_a_folder_is_said(tmp_path):
    case = generated.runs(np.random.default_rng(0))
    case.write(tmp_path)
    (tmp_path / "thesis.docx").write_bytes(b"PK")
    (tmp_path / ".hidden.csv").write_bytes(b"x")
    found = ek.report(tmp_path, **case.options)
    assert [os.path.basename(place) for place in found.ignored] == ["thesis.docx"]
    assert "thesis.docx" in found.write("html")


# --------------------------------------------------------------------------------------
# Trackers of experiments
# --------------------------------------------------------------------------------------


def test_an_export_of_the_web_page_of_wandb_is_read(tmp_path):
    """After its documentation: one row a run, name and state first, then config and
    summary.
    """
    rows = [
        {
            "Name": f"{m}-{s}",
            "State": "crashed" if (m, s) == ("ours", 1) else "finished",
            "Notes": "-",
            "User": "me",
            "Tags": "",
            "Created": "2026-11-23T09:40:24.000Z",
            "Runtime": 12,
            "Sweep": "",
            "model": m,
            "seed": s,
            "lr": 0.001,
            "test/acc": 0.8 + 0.01 * s + 0.02 * (m == "ours"),
            "val/acc": 0.79,
            "train/loss": 0.2,
        }
        for m in ("base", "ours")
        for s in range(4)
    ]
    pd.DataFrame(rows).to_csv(tmp_path / "wandb_export.csv", index=False)
    found = ek.report(tmp_path / "wandb_export.csv", baseline="base", failed="worst")
    assert found.evidence.metric == "test/acc"
    assert found.evidence.kind == "seeds"


def mlflow_database(path):
    base = sqlite3.connect(path)
    base.executescript(
        "create table experiments (experiment_id, name); create table params (key,"
        " value, run_uuid);create table runs (run_uuid, name, status, start_time,"
        " lifecycle_stage, experiment_id);create table latest_metrics (key, value,"
        " is_nan, run_uuid);insert into experiments values (1, 'exp');"
    )
    for k, (model, seed) in enumerate(
        (m, s) for m in ("base", "ours") for s in range(4)
    ):
        failed = (model, seed) == ("ours", 3)
        stage = "deleted" if (model, seed) == ("base", 3) else "active"
        state = "FAILED" if failed else "FINISHED"
        base.execute(
            "insert into runs values (?, ?, ?, ?, ?, 1)",
            (f"r{k}", f"{model}-{seed}", state, k, stage),
        )
        base.executemany(
            "insert into params values (?, ?, ?)",
            [("model", model, f"r{k}"), ("seed", str(seed), f"r{k}")],
        )
        if not failed:
            base.execute(
                "insert into latest_metrics values ('test_acc', ?, 0, ?)",
                (0.8 + 0.01 * k, f"r{k}"),
            )
    base.commit()
    base.close()


def mlflow_folder(path):
    (path / "1").mkdir(parents=True)
    (path / "1" / "meta.yaml").write_text(
        "experiment_id: '1'\nlifecycle_stage: active\nname: exp\n"
    )
    for k, (model, seed) in enumerate(
        (m, s) for m in ("base", "ours") for s in range(4)
    ):
        run = path / "1" / f"r{k}"
        for part in ("metrics", "params"):
            (run / part).mkdir(parents=True)
        failed = (model, seed) == ("ours", 3)
        stage = "deleted" if (model, seed) == ("base", 3) else "active"
        meta = {
            "run_id": f"r{k}",
            "run_name": f"{model}-{seed}",
            "status": 4 if failed else 3,
        }
        lines = [
            f"{key}: {value}\n"
            for key, value in (meta | {"lifecycle_stage": stage}).items()
        ]
        (run / "meta.yaml").write_text("".join(lines))
        (run / "params" / "model").write_text(model)
        (run / "params" / "seed").write_text(str(seed))
        if not failed:
            (run / "metrics" / "test_acc").write_text(
                f"1795426837491 0.5 0\n1795426837492 {0.8 + 0.01 * k} 1\n"
            )


@pytest.mark.parametrize("make", [mlflow_database, mlflow_folder])
def test_local_stores_of_mlflow_are_read(make, tmp_path):
    is_base = make is mlflow_database
    make(tmp_path / ("mlflow.db" if is_base else "mlruns"))
    with pytest.raises(RefusedError, match="ours 1 of 4"):
        ek.report(tmp_path, baseline="base")
    found = ek.report(tmp_path, baseline="base", failed="drop")
    assert found.findings.contrasts[0].sizes == "3 and 3 runs"
    assert found.scores("base")[1] == pytest.approx(0.81)
    assert ((1, "runs that were deleted in MLflow") in found.bench.left_out) == is_base
    assert {"exp" if is_base else 1} == {*found.readings[0].frame.experiment}


def test_a_folder_of_one_experiment_of_mlflow_is_read(tmp_path, monkeypatch):
    mlflow_folder(tmp_path)
    monkeypatch.chdir(tmp_path / "1")
    assert (
        ek.report(".", baseline="base", failed="drop").findings.contrasts[0].sizes
        == "3 and 3 runs"
    )
    (tmp_path / "1" / "r0" / "metrics" / "test_acc").write_text("1795426837491\n")
    with pytest.raises(
        RefusedError, match="a metric of MLflow has a time and a value on each line"
    ):
        ek.report(".", baseline="base", failed="drop")


def test_an_export_of_mlflow_is_read(tmp_path):
    rows = [
        {
            "run_id": f"r{m}{s}",
            "experiment_id": 1,
            "status": "FINISHED",
            "artifact_uri": "/x",
            "start_time": "2026-11-23",
            "metrics.test_acc": 0.8 + 0.01 * s + 0.02 * (m == "ours"),
            "params.model": m,
            "params.seed": str(s),
            "tags.mlflow.runName": f"{m}-{s}",
        }
        for m in ("base", "ours")
        for s in range(4)
    ]
    pd.DataFrame(rows).to_csv(tmp_path / "runs.csv", index=False)
    found = ek.report(tmp_path / "runs.csv", baseline="base")
    assert found.findings.contrasts[0].difference == pytest.approx(0.02)
    assert found.roles["seed"] == ("params.seed",)


def test_a_database_of_optuna_is_read(tmp_path):
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    storage = f"sqlite:///{tmp_path / 'study.db'}"
    for k, name in enumerate(("base", "ours")):
        sampler = optuna.samplers.RandomSampler(seed=k)
        study = optuna.create_study(
            study_name=name, storage=storage, sampler=sampler, direction="maximize"
        )

        def objective(trial, k=k):
            lr = trial.suggest_float("lr", 1e-4, 1e-1, log=True)
            trial.suggest_categorical("act", ["relu", "tanh"])
            score = 0.8 + 0.02 * k - 0.01 * abs(np.log10(lr) + 2)
            trial.set_user_attr("test_acc", score - 0.005)
            return score

        study.optimize(objective, n_trials=30)
    reading = read(tmp_path / "study.db")
    assert set(reading.frame.params_act) == {"relu", "tanh"}
    with pytest.raises(RefusedError, match="does not say which sampler"):
        ek.report(tmp_path / "study.db", baseline="base")
    found = ek.report(tmp_path / "study.db", baseline="base", search="random")
    assert found.evidence.metric == "user_attrs_test_acc"
    assert found.roles["validation"] == ("value",)
    assert found.evidence.direction == "higher"
    frame = optuna.load_study(study_name="ours", storage=storage).trials_dataframe()
    assert sorted(found.scores("ours")) == pytest.approx(
        sorted(frame.user_attrs_test_acc)
    )


# --------------------------------------------------------------------------------------
# Logs of evaluations
# --------------------------------------------------------------------------------------


def test_an_archive_of_inspect_is_its_json(tmp_path):
    case = generated.inspect(np.random.default_rng(0))
    case.write(tmp_path / "json")
    for name, text in case.files.items():
        log = json.loads(text)
        path = tmp_path / "eval" / Path(name).with_suffix(".eval")
        path.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(
                "header.json",
                json.dumps({k: v for k, v in log.items() if k != "samples"}),
            )
            archive.writestr("summaries.json", "[]")
            for sample in log["samples"]:
                archive.writestr(
                    f"samples/{sample['id']}_epoch_{sample['epoch']}.json",
                    json.dumps(sample),
                )
    tables = [
        ek.report(tmp_path / kind, baseline="base").table for kind in ("json", "eval")
    ]
    pd.testing.assert_frame_equal(*tables)


def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    from evalkit.reports._formats import _archive

    monkeypatch.setattr(_archive, "_MOST", 1000)
    with zipfile.ZipFile(tmp_path / "a.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", "{}" + " " * 2000)
    with pytest.raises(RefusedError, match="unpacked it has more than"):
        read(tmp_path / "a.eval")


def test_the_results_beside_the_samples_name_the_model_and_the_direction(tmp_path):
    case = generated.lm_eval(np.random.default_rng(0))
    case.write(tmp_path)
    for name, system in (("base", "org/small"), ("ours", "org/large")):
        results = {
            "model_name": system,
            "higher_is_better": {"sums": {"exact_match": False}},
        }
        (tmp_path / name / "results_2026-11-23T09-42-23.538539.json").write_text(
            json.dumps(results)
        )
    found = ek.report(tmp_path, baseline="org/small")
    assert found.evidence.systems == ("org/large",)
    assert found.evidence.direction == "lower"
    assert ek.report(tmp_path, baseline="base").evidence.systems == ("ours",)
