"""Extracts from boards: they are what the registered files hold, and their traps are
known.
"""

import io
import json
import runpy
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from grids import grid

from evalkit import possible_counts
from lab.data import DATA, boards, sources
from lab.data.boards import _files, _systems, _trained
from lab.data.sources import available, opened

FROM = ("leaderboards/", "realmistake/", "openqa/", "xstest/", "gpqa/")
KEYS = [key for key in sources.registry().key if key.startswith(FROM)]
GENERATION = "leaderboards/livecodebench.github.io/performances_generation.json"
SWEBENCH = "leaderboards/swe-bench.github.io/leaderboards.json"
there = pytest.mark.skipif(
    not available(*KEYS), reason="the boards' files are not on this machine"
)


@there
def test_extracts_are_made_again_to_the_byte(tmp_path, monkeypatch):
    monkeypatch.setattr(_files, "FOLDER", tmp_path)
    runpy.run_path(
        str(Path(boards.__file__).with_name("__main__.py")), run_name="__main__"
    )
    for name in boards.EXTRACTS:
        assert (tmp_path / f"{name}.csv").read_bytes() == (
            DATA / "boards" / f"{name}.csv"
        ).read_bytes()


def test_extracts_are_small_and_have_their_licences():
    files = sorted((DATA / "boards").glob("*.csv"))
    assert [file.stem for file in files] == sorted(boards.EXTRACTS)
    assert max(file.stat().st_size for file in files) < 150_000
    licences = {
        file.name: file.read_text(encoding="utf-8")
        for file in (DATA / "boards").glob("LICENSE*")
    }
    for file in files:  # by its name, or by the first part of it
        some = f"{file.stem.split('_')[0]}_*.csv"
        named = [n for n, text in licences.items() if file.name in text or some in text]
        assert len(named) == 1, file.name
    assert "CC BY-SA 4.0" in licences["LICENSE"]
    assert "CC BY 4.0" in licences["LICENSE-CC-BY"]
    assert "Copyright (c) 2018 OpenML" in licences["LICENSE-MIT"]
    assert "Version 2.0, January 2004" in licences["LICENSE-APACHE"]


@grid("call", [boards.livecodebench, boards.automl, boards.opda, boards.swebench])
def test_an_unknown_table_is_refused(call):
    with pytest.raises(ValueError, match="must be one of"):
        call("testgen")


def test_what_is_there_twice_is_refused():
    with pytest.raises(ValueError, match=r"3 names, of which 2 are different"):
        _files.unique_json('{"a": true, "b": false, "a": false}')
    with pytest.raises(ValueError, match="a row is there twice: {'task': 1}"):
        _files.no_doubles(pd.DataFrame({"task": [1, 2, 1]}), ["task"])


# --------------------------------------------------------------------------------------
# LiveCodeBench
# --------------------------------------------------------------------------------------


@there
def test_a_share_is_that_of_the_board():
    """One by one, for a hundred answers drawn at random."""
    with opened(GENERATION) as path:
        rows = json.loads(path.read_text(encoding="utf-8"))["performances"]
    items, shares = boards.livecodebench("generation")
    shares = shares.set_index(items.question_id)
    for i in np.random.default_rng(0).choice(len(rows), 100, replace=False):
        row = rows[i]
        assert shares.loc[row["question_id"], row["model"]] == pytest.approx(
            row["pass@1"] / 100
        )


@grid(
    ("table", "shape", "problems"),
    [
        ("generation", (400, 45), 400),
        ("execution", (479, 37), 92),
        ("execution_cot", (479, 31), 92),
    ],
)
def test_every_model_answered_every_item(table, shape, problems):
    items, shares = boards.livecodebench(table)
    assert shares.shape == shape
    assert shares.ge(0).all(axis=None)
    assert shares.le(1).all(axis=None)
    assert items.question_id.nunique() == problems
    assert items.date.between(
        pd.Timestamp("2023-05-01"), pd.Timestamp("2024-03-31")
    ).all()
    assert not items.duplicated(
        [c for c in ("question_id", "sample_id") if c in items]
    ).any()


# --------------------------------------------------------------------------------------
# Aider
# --------------------------------------------------------------------------------------


def test_aider_divides_now_by_225_and_now_by_what_was_run():
    runs = boards.aider()
    assert len(runs) == 69
    assert sorted(runs.cases)[:7] == [223, 224, 224, 224, 224, 224, 225]
    assert all(
        r.right_1 in possible_counts(r.printed_1, r.cases) for r in runs.itertuples()
    )
    fits = [r.right_2 in possible_counts(r.printed_2, 225) for r in runs.itertuples()]
    cut, of_cases = runs[np.invert(fits)].sort_values("cases").itertuples()
    # 139 of 225 are 61.8 %, and the board has 61.7: cut off, not rounded.
    assert (cut.system, cut.right_2) == ("o1-2024-12-17 (high)", 139)
    assert of_cases.system == "DeepSeek R1 (0528)"
    assert of_cases.right_2 in possible_counts(of_cases.printed_2, of_cases.cases)
    assert runs.cost.isna().sum() == 18
    assert runs.cost.min() > 0


def test_an_odd_run_of_aider_is_refused():
    run = {
        "model": "a",
        "edit_format": "diff",
        "dirname": "2025",
        "command": "aider --model a",
        "date": "2025",
    }
    run |= {"test_cases": 225, "total_tests": 225, "pass_num_1": 3, "pass_num_2": 2}
    with pytest.raises(ValueError, match="lost some at the second attempt"):
        _systems._aider([run])
    with pytest.raises(ValueError, match="a row is there twice"):
        _systems._aider([run, run])


# --------------------------------------------------------------------------------------
# SWE-bench and SWE-bench Pro
# --------------------------------------------------------------------------------------


def test_a_system_lacks_instances_of_swebench_pro():
    items, resolved = boards.swebench_pro()
    assert (len(items), items.repository.nunique()) == (730, 11)
    assert resolved.count().to_dict() == {
        "claude-45sonnet": 730,
        "claude-4sonnet": 562,
        "gpt-5-250-turns": 729,
        "kimi-k2-instruct": 729,
    }
    assert resolved.isin([0, 1]).sum().equals(resolved.count())


def test_a_missing_instance_is_no_failure():
    text = _systems._swebench_pro({"a": {"x": True, "y": False}, "b": {"y": True}})
    table = pd.read_csv(io.StringIO(text), index_col="instance")
    assert table.loc["y"].to_dict() == {"a": 0, "b": 1}
    assert pd.isna(table.loc["x", "b"])


def test_printed_scores_of_swebench_are_held_against_records():
    record = {
        "django__django-1": {"resolved": True},
        "pallets__flask-2": {"resolved": False},
    }
    row = {"name": "A", "date": "2025-01-01", "cost": None, "resolved": 52.8}
    results = [
        row | {"folder": "1", "per_instance_details": record},
        row | {"folder": "2"},
    ]
    runs, items, resolved = _systems._swebench(results)
    assert list(runs.printed) == ["52.80 %"] * 2
    assert runs[["records", "resolved"]].to_numpy().tolist() == [[2, 1], [0, 0]]
    assert list(items.repository) == ["django/django", "pallets/flask"]
    assert resolved.to_dict("list") == {"1": [1, 0]}
    with pytest.raises(ValueError, match="a row is there twice"):
        _systems._swebench([results[0], results[0]])


@there
@grid(("board", "n"), [("bash-only", 31), ("Verified", 162)])
def test_what_swebench_prints_and_what_it_recorded(board, n):
    runs, items, resolved = boards.swebench(board)
    assert (len(runs), resolved.shape, items.repository.nunique()) == (n, (500, 25), 12)
    assert runs.system.is_unique == (board == "bash-only")
    known = runs[runs.records > 0]
    assert (known.records == 500).all()
    assert (resolved.sum() == known.set_index("run").resolved).all()
    off = [
        k
        for k in known.index
        if known.resolved[k] not in possible_counts(known.printed[k], 500)
    ]
    # One printed score is five times its records; two are of 499 instances.
    assert len(off) == 3
    assert (
        sum(known.resolved[k] in possible_counts(known.printed[k], 499) for k in off)
        == 2
    )
    assert sum(not possible_counts(printed, 500) for printed in runs.printed) == 8


# --------------------------------------------------------------------------------------
# tau-bench
# --------------------------------------------------------------------------------------


def test_taubench_prints_what_it_recorded_and_idleness_solves_19_tasks():
    items, rewards = boards.taubench()
    assert rewards.shape == (50, 4)
    succeeded = rewards.sum(axis=1)
    passed = [
        np.mean([np.prod([(s - i) / (4 - i) for i in range(k)]) for s in succeeded])
        for k in (1, 2, 3, 4)
    ]
    assert np.round(passed, 3).tolist() == [0.42, 0.273, 0.22, 0.2]
    assert ((items.writes == 0) & (items.outputs == 0)).sum() == 19
    assert (items.cut.sum(), items.user.nunique()) == (5, 34)


def test_a_trial_that_is_there_twice_or_not_at_all_is_refused():
    task = {
        "user_id": "u",
        "outputs": [],
        "actions": [{"name": "think"}, {"name": "send_certificate"}],
    }
    record = {
        "task_id": 0,
        "trial": 0,
        "reward": 1.0,
        "info": {"task": task, "reward_info": None},
    }
    table = pd.read_csv(io.StringIO(_systems._taubench([record])))
    assert table.to_dict("records") == [
        {
            "task": 0,
            "user": "u",
            "actions": 2,
            "writes": 1,
            "outputs": 0,
            "cut": 1,
            "trial_0": 1,
        }
    ]
    with pytest.raises(ValueError, match="a row is there twice"):
        _systems._taubench([record, record])
    with pytest.raises(ValueError, match="has no result in some trial"):
        _systems._taubench([record, record | {"task_id": 1, "trial": 1}])


# --------------------------------------------------------------------------------------
# The AutoML benchmark
# --------------------------------------------------------------------------------------


@grid(("budget", "tasks", "crashes", "late"), [("1h", 35, 34, 43), ("4h", 39, 47, 19)])
def test_automl_points_up_and_crashes_are_missing(budget, tasks, crashes, late):
    items, scores, seconds = boards.automl(budget)
    assert scores.shape == seconds.shape == (10 * tasks, 7)
    assert scores.isna().sum().sum() == crashes
    assert (
        scores[["constantpredictor", "randomforest", "tunedrandomforest"]]
        .notna()
        .all(axis=None)
    )
    binary = items.type == "binary"
    assert scores[binary].min().min() > 0.49
    assert scores[~binary].max().max() <= 0
    assert (seconds > 1.5 * 3600 * int(budget[0])).sum().sum() == late


def row(**other):
    facts = {
        "task": "t",
        "type": "multiclass",
        "fold": 0,
        "framework": "a",
        "duration": 1.0,
        "info": None,
    }
    return facts | {"result": 0.2, "score": -0.2} | other


def test_a_log_loss_without_its_minus_gets_it():
    rows = [
        row(),
        row(framework="b", score=0.2),
        row(framework="c", type="multiclass", result=0, score=0),
    ]
    table = pd.read_csv(io.StringIO(_trained._automl(pd.DataFrame(rows))))
    assert table[["a", "b", "c"]].to_numpy().tolist() == [[-0.2, -0.2, 0]]


@grid(
    ("rows", "message"),
    [
        ([row(score=-0.3)], "a score is not its result"),
        ([row(result=np.nan, score=np.nan)], "missing without a reason"),
        ([row(), row()], "a row is there twice"),
    ],
)
def test_an_odd_row_of_automl_is_refused(rows, message):
    with pytest.raises(ValueError, match=message):
        _trained._automl(pd.DataFrame(rows))


# --------------------------------------------------------------------------------------
# HANS
# --------------------------------------------------------------------------------------


def test_the_two_files_of_hans_count_the_same_answers():
    runs, items = boards.hans()
    assert (runs.shape, items.shape) == ((100, 31), (9815, 2))
    assert round((runs.mnli * 9815).sum()) == items.right.sum() == 827_790
    assert items.premise.nunique() == 3334


def test_what_sums_up_the_runs_of_hans_is_no_run():
    cases = [
        f"{kind}_{i}" for kind in ("ln", "le", "sn", "se", "cn", "ce") for i in range(5)
    ]
    table = pd.DataFrame(
        {"Run": ["Run 0", "Minimum", None], "MNLI dev acc.": [8300 / 9815, 0.8, None]}
    )
    table = table.assign(**{case: [0.25, 0.5, None] for case in cases})
    text = _trained._hans_runs(table)
    assert text.splitlines()[1:] == ["0,8300," + ",".join(["250"] * 30)]
    with pytest.raises(ValueError, match="not a count of its items"):
        _trained._hans_runs(table.assign(ln_0=[0.2505, 0.5, None]))
    with pytest.raises(ValueError, match="the file has 29"):
        _trained._hans_runs(table.drop(columns="ln_0"))


def test_quotation_marks_are_text():
    name = "number of correct responses (out of 100)"
    text = f'index\tpremise\t{name}\n0\t"a\t7\n1\tb\t8\n2\tc"\t9\n'
    found = _trained._hans_items(_files.tabs(text))
    assert found == "premise,right\n0,7\n1,8\n2,9\n"


# --------------------------------------------------------------------------------------
# Random searches
# --------------------------------------------------------------------------------------


@grid(
    ("pool", "diverged", "without", "guessing"),
    [("alexnet", 147, 49, 171), ("convnext-tiny", 224, 71, 0)],
)
def test_diverged_runs_are_kept_and_marked(pool, diverged, without, guessing):
    runs = boards.opda(pool)
    assert runs.iteration.tolist() == list(range(1, 513))
    assert runs.diverged.sum() == diverged
    assert runs["last"].isna().sum() == (runs.finished == 0).sum() == without
    assert (runs.finished[~runs.diverged] == runs.epochs[~runs.diverged]).all()
    assert (runs["last"] <= runs.best).sum() == 512 - without
    assert (runs["last"][~runs.diverged] < 0.0011).sum() == guessing


def test_a_run_that_ended_early_has_a_reason():
    run = dict.fromkeys(_trained._SEARCHED, 1) | {
        "iteration": 1,
        "nan_train_loss": False,
        "epochs": 2,
    }
    curve = [{"top_1": 0.5}, {"top_1": 0.25}]
    text = _trained._opda(
        [
            run | {"learning_curve": curve},
            run | {"iteration": 2, "learning_curve": curve},
        ]
    )
    assert [line.rsplit(",", 4)[1:] for line in text.splitlines()[1:]] == [
        ["2", "False", "12500", "25000"]
    ] * 2
    with pytest.raises(ValueError, match="run 1 ended early without a reason"):
        _trained._opda([run | {"learning_curve": curve[:1]}])


# --------------------------------------------------------------------------------------
# Language models, judged
# --------------------------------------------------------------------------------------


def test_sixty_verdicts_on_each_of_900_answers_and_some_are_missing():
    rows = boards.realmistake()
    assert (len(rows), rows.verdict.isna().sum()) == (54_000, 854)
    assert not rows.duplicated(["item", "model", "template"]).any()
    assert rows.model.nunique() == 12
    assert set(rows.template) == set(boards.TEMPLATES)
    assert rows[rows.verdict.isna()].model.value_counts().iloc[:2].to_dict() == {
        "gemma-7b-it": 228,
        "Mixtral-8x7B-Instruct-v0.1": 219,
    }


def test_sixty_inputs_have_llama_s_answer_alone_and_are_nearly_all_right():
    answers = boards.realmistake().drop_duplicates("item")
    assert answers.label.sum() == 649
    systems = answers.groupby("input").system.agg(set)
    alone = answers[answers.input.map(systems.map(len)) == 1]
    assert (len(systems), len(alone), set(alone.system)) == (
        480,
        60,
        {"Llama-2-70b-chat-hf"},
    )
    assert (alone.label == 0).sum() == 58


def test_repeats_are_of_gpt_4_s_first_fifty_answers_to_each_task():
    repeats = boards.realmistake_repeats()
    assert len(set(repeats.groupby(["model", "repeat"]).item.agg(tuple))) == 1
    answers = boards.realmistake().drop_duplicates("item")
    gpt4 = answers[answers.system == "gpt-4-0613"]
    first = gpt4.groupby("task").item.head(50)
    assert sorted(set(repeats.item)) == sorted(first)
    same = repeats.merge(answers, on="item").eval("label_x == label_y")
    assert (len(repeats), same.all()) == (2250, True)


def test_openqa_s_answers_are_joined_over_what_spreadsheets_ate():
    rows = boards.openqa()
    assert rows.groupby("system").question.nunique().eq(301).all()
    # The authors' Table 1: people, in percent, of the two prompts of InstructGPT.
    shares = rows.groupby("system")[["people", "exact"]].mean().mul(100).round(1)
    assert shares.loc["InstructGPT (zero-shot)"].tolist() == [71.4, 12.6]
    # A third annotator speaks where two differ, and decides.
    differ = rows[rows.annotator_1 != rows.annotator_2]
    assert (differ.annotator_3 == differ.people)[differ.annotator_3.notna()].all()
    plain = boards._judged._plain
    assert plain('"007 Bond" ') == plain("7 bond")
    assert plain("60.0") == plain("60")
    assert plain("10.05") != plain("15")


def test_xstest_s_unusable_labels_are_one_system_s():
    rows = boards.xstest()
    assert rows.drop_duplicates("prompt").safe.sum() == 250
    assert rows[rows.gpt4.isna()].system.value_counts().to_dict() == {"Mistral": 11}
    assert rows[["people", "strings"]].isin([1, 2, 3]).all(axis=None)


def test_gpqa_was_answered_five_times_by_each():
    rows = boards.gpqa()
    assert rows.groupby(["model", "epoch"]).item.nunique().tolist() == [198] * 10
    assert rows.right.isin([0, 1]).all()


def test_no_extract_holds_a_text_or_an_id_of_its_source():
    names = set(boards.realmistake().model) | set(boards.gpqa().model)
    for file in ("realmistake", "realmistake_repeats", "gpqa"):
        texts = _files.recorded(file).select_dtypes(exclude="number")
        names |= {"maths", "facts", "answerability"}
        assert set(texts.to_numpy().ravel()) <= names, file
    assert set(_files.recorded("openqa").select_dtypes(exclude="number")) == {"system"}
