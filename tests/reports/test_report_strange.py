"""Files in shapes that no reader was written for: what is asked leads to a page, or to
a true refusal.
"""

import json
import os

import numpy as np
import pandas as pd
import pytest
from generated import read_places

import evalkit as ek
from evalkit.reports import RefusedError, UnconfirmedError, _claims
from evalkit.reports._formats import _limits
from evalkit.reports._recognition import _gather
from evalkit.reports._recognition._reading import Reading

RNG = np.random.default_rng(5)


def refused(results, kind=RefusedError, **options):
    """The refusal of results."""
    with pytest.raises(kind) as error:
        ek.report(results, **options)
    return error.value


def predictions(**names):
    """What two systems say of 60 items, in columns that are called otherwise than the
    schema has them.
    """
    right = RNG.choice(["pos", "neg", "neu"], 60)
    rows = [
        {"sistema": system, "ejemplo": f"{k:03d}", "etiqueta": right[k], "dice": said}
        for system, rate in (("viejo", 0.6), ("nuevo", 0.8))
        for k, said in enumerate(np.where(RNG.random(60) < rate, right, "neu"))
    ]
    return pd.DataFrame(rows).rename(columns=names)


SAID = {"item": "ejemplo", "label": "etiqueta", "prediction": "dice"}


def test_right_answers_and_predictions_under_other_names_are_offered_and_not_proposed():
    table = predictions()
    asked = refused(table, UnconfirmedError, baseline="viejo").table
    assert [line.option for line in asked.proposed] == ["--map system=sistema"]
    said = (
        "--map label=etiqueta --map prediction=dice, if these are the right answers and"
        " what the systems say."
    )
    assert said in asked.asked[0].ways
    found = ek.report(table, baseline="viejo", columns=SAID)
    rates = (table.etiqueta == table.dice).groupby(table.sistema).mean()
    assert found.findings.contrasts[0].difference == pytest.approx(
        rates.nuevo - rates.viejo
    )


def test_a_score_of_fractions_beside_words_is_asked_and_no_accuracy_is_proposed():
    table = predictions().assign(nota=RNG.random(120))
    asked = refused(table, UnconfirmedError, baseline="viejo").table
    assert [line.role for line in asked.proposed] == ["system"]
    assert "--metric nota --direction higher" in asked.asked[0].ways


def test_of_words_alone_the_answers_and_the_predictions_are_asked():
    table = predictions()
    table["dice"] = [f"text {k}" for k in range(120)]
    asked = refused(table, UnconfirmedError, baseline="viejo").table
    assert (
        asked.asked[0].what
        == "No column holds numbers, and none is called label or prediction."
    )
    assert (
        asked.asked[0].ways[0].startswith("--map label=COLUMN --map prediction=COLUMN")
    )


def test_the_direction_is_asked_together_with_the_metric():
    table = pd.DataFrame(
        {"system": ["a", "b"] * 5, "seed": np.repeat(range(5), 2), "x": RNG.random(10)}
    )
    ways = {
        question.about: question.ways
        for question in refused(table, baseline="a").table.asked
    }
    assert ways == {
        "metric": ("--metric x --direction higher", "--metric x --direction lower")
    }
    assert "direction" not in {
        q.about for q in refused(table, baseline="a", direction="lower").table.asked
    }


def test_what_runs_share_is_asked_where_their_ids_alone_tell_rows_apart():
    table = pd.DataFrame(
        {"run_id": range(20), "flow": ["svc", "rf"] * 10, "accuracy": RNG.random(20)}
    ).assign(data_name=[f"ds-{k // 2}" for k in range(20)])
    ways = refused(table, UnconfirmedError, baseline="svc").table.asked[0].ways
    assert any(way.startswith("--map dataset=data_name") for way in ways)
    found = ek.report(
        table, baseline="svc", as_proposed=True, columns={"dataset": "data_name"}
    )
    assert found.evidence.kind == "datasets"


def test_columns_are_named_with_commas_as_often_as_one_likes():
    table = pd.DataFrame(
        {
            "system": ["a", "b"] * 5,
            "seed": np.repeat(range(5), 2),
            "acc": RNG.random(10),
        }
    )
    table = table.assign(**{name: RNG.random(10) for name in ("p", "q", "r", "s, t")})
    found = ek.report(table, baseline="a", columns={"note": ["p,q", "r", "s, t"]})
    assert found.roles["note"] == ("p", "q", "r", "s, t")


def test_rows_without_a_system_are_refused_before_anything_is_proposed(tmp_path):
    for number, name in enumerate(["a2c", "ppo"]):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "config.json").write_text(
            json.dumps({"algo": name, "seed": 1})
        )
        (tmp_path / str(number) / "run.json").write_text(json.dumps({"result": 3.5}))
    error = refused([tmp_path], baseline="a2c")
    assert not isinstance(error, UnconfirmedError)
    assert (
        error.faults[0].what
        == "Folders hold files with different columns: config.json in 2 folders,"
        " run.json in 2 folders."
    )
    assert (
        error.faults[0].ways[1]
        == f"give {tmp_path}/*/run.json, if these hold the scores."
    )
    # One of its name.
    (tmp_path / "0" / "run.json").rename(tmp_path / "0" / "other.json")
    (tmp_path / "1" / "run.json").unlink()
    assert (
        refused([tmp_path], baseline="a2c").faults[0].what
        == "1 row of 3 names no system."
    )


@pytest.mark.parametrize(
    ("names", "form"),
    [
        (["base_seed0", "base_seed1", "big_seed0"], "{system}_seed{seed}"),
        (["base-0", "base-1", "big-0"], "{system}-{seed}"),
        (
            ["base_s0-tag-acc", "base_s1-tag-acc", "big_s0-tag-acc"],
            "{system}_s{seed}-tag-acc",
        ),
        (["base_0", "base_1", "big"], None),
        (["base_0", "big_base_0"], None),  # big, and "base_0" for a seed?
    ],
)
def test_the_form_that_all_names_have_is_printed_as_an_option(names, form, tmp_path):
    for name in names:
        (tmp_path / f"{name}.csv").write_text("item,correct\ni1,1\ni2,0\n")
    ways = refused([tmp_path], baseline="base").faults[0].ways
    said = (
        "or say the form of the names"
        if form is None
        else f"--names '{form}', if the number"
    )
    assert ways[-1].startswith(said)


def test_the_settings_of_lightning_name_system_and_seed(tmp_path):
    scores = {}
    for number in range(8):
        folder = tmp_path / f"version_{number}"
        folder.mkdir()
        model, score = "resnet" if number < 4 else "vit", round(RNG.random(), 4)
        scores.setdefault(model, []).append(score)
        text = (
            f"# what was set\nlr: 0.1\nmodel: '{model}'\nseed: {number % 4}\nlayers:\n-"
            " 3\nopt: !!a b\n"
        )
        (folder / "hparams.yaml").write_text(text)
        (folder / "metrics.csv").write_text(
            f"epoch,step,val_acc,test_acc\n0,9,0.5,\n1,19,,{score}\n"
        )
    found = ek.report(
        [tmp_path], baseline="resnet", metric="test_acc", where={"epoch": "last"}
    )
    assert sorted(found.scores("vit")) == sorted(scores["vit"])
    assert found.roles["seed"] == ("params.seed",)
    assert found.roles["setting"] == ("params.lr",)


def test_runs_in_a_chart_are_listed_where_no_system_is_known(tmp_path):
    names = [
        f"{name} - acc{end}"
        for name in ("base-s0", "big-s0")
        for end in ("", "__MIN", "__MAX")
    ]
    pd.DataFrame({"Step": [0, 1], **{name: [0.5, 0.6] for name in names}}).to_csv(
        tmp_path / "c.csv", index=False
    )
    what = refused([tmp_path / "c.csv"], baseline="base").faults[0].what
    assert "in the column run: base-s0, big-s0" in what


def test_rows_left_out_of_many_files_for_one_reason_are_one_line(tmp_path):
    for number in range(3):
        (tmp_path / f"base-{number}").mkdir()
        log = [{"step": 1, "loss": 0.1}, {"step": 1, "eval_acc": 0.5 + number / 9}]
        state = json.dumps({"log_history": log, "global_step": 1})
        (tmp_path / f"base-{number}" / "trainer_state.json").write_text(state)
        (tmp_path / f"ours-{number}").mkdir()
        (tmp_path / f"ours-{number}" / "trainer_state.json").write_text(state)
    found = ek.report(
        [tmp_path], baseline="base", names="{system}-{seed}", accept="copies"
    )
    assert found.bench.left_out == [(6, "entries of the log that are not evaluations")]


def test_a_folder_of_too_many_files_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(_limits, "FILES", 3)
    for number in range(4):
        (tmp_path / f"base_{number}.csv").write_text("item,correct\ni1,1\n")
    what = refused([tmp_path], baseline="base").faults[0].what
    assert what.endswith(
        "the folder holds 4 files that would be read, and at most 3 are."
    )


def test_an_empty_folder_is_said_to_be_empty(tmp_path):
    what = refused([tmp_path], baseline="base").faults[0].what
    assert what.endswith("the folder holds no file of a known kind (it is empty).")


def test_a_baseline_that_is_the_only_column_has_no_others_beside_it():
    what = refused(pd.DataFrame({"a": [0.1, 0.2]}), baseline="a").faults[0].what
    assert what.endswith("side by side, it seems, among no others.")


def test_half_a_sign_is_refused_or_shown_and_never_a_word_of_pandas(tmp_path):
    path = tmp_path / "half.jsonl"
    path.write_text(
        '{"system": "a", "acc": 0.5, "text": "\\ud800"}\n{"system": "b", "acc": 0.5,'
        ' "text": "x"}\n'
    )
    what = refused([path], baseline="a").faults[0].what
    assert "codec" not in what
    # The second without pyarrow.
    assert "half of a sign, \\ud800" in what or "only one run" in what


def test_files_whose_names_are_no_text_name_systems_all_the_same(tmp_path):
    for name, right in ((b"base", 0), (b"b\xff", 1)):
        with open(os.path.join(os.fsencode(tmp_path), name + b".csv"), "w") as file:
            file.write(
                "item,correct\n"
                + "".join(f"i{k},{int(k % 3 == right)}\n" for k in range(40))
            )
    assert ek.report([tmp_path], baseline="base").evidence.systems == ("b\\udcff",)


@pytest.mark.parametrize("kind", ["time64", "date32"])
def test_a_value_of_parquet_that_no_table_has_is_not_called_a_broken_file(
    kind, tmp_path
):
    arrow, parquet = (
        pytest.importorskip("pyarrow"),
        pytest.importorskip("pyarrow.parquet"),
    )
    of, number = (
        (arrow.time64("ns"), 1) if kind == "time64" else (arrow.date32(), 2**31 - 1)
    )
    parquet.write_table(
        arrow.table({"a": arrow.array([number], of)}), tmp_path / "a.parquet"
    )
    with pytest.raises(
        RefusedError, match=r"a\.parquet: it holds a value that is none in a table"
    ):
        read_places([(None, str(tmp_path / "a.parquet"))])


def test_parquet_that_unpacks_to_much_is_refused_by_what_it_says_of_itself(tmp_path):
    arrow, parquet = (
        pytest.importorskip("pyarrow"),
        pytest.importorskip("pyarrow.parquet"),
    )
    parquet.write_table(
        arrow.table({"a": ["x" * 2**28]}), tmp_path / "a.parquet", compression="zstd"
    )
    with pytest.raises(RefusedError, match=r"unpacked it has more than 256 MiB"):
        read_places([(None, str(tmp_path / "a.parquet"))])


def test_the_last_step_is_the_last_with_a_score_in_the_metric_that_was_said():
    rows = [
        {
            "system": name,
            "seed": seed,
            "step": step,
            "val_acc": RNG.random(),
            "test_acc": score,
        }
        for name in ("a", "b")
        for seed in range(4)
        for step, score in ((1, np.nan), (2, RNG.random()), (3, np.nan))
    ]
    table = pd.DataFrame(rows)
    found = ek.report(table, baseline="a", metric="test_acc", where={"step": "last"})
    assert sorted(found.scores("b")) == sorted(
        table.test_acc[table.system == "b"].dropna()
    )


def test_words_that_several_items_share_are_asked_where_somebody_said_what_items_are():
    table = predictions().assign(documento=[f"d{k % 60 // 3}" for k in range(120)])
    said = {"baseline": "viejo", "columns": SAID}
    question = refused(table, UnconfirmedError, **said).table.asked[0]
    assert question.ways == (
        "--unit documento: whole groups are the unit.", "--unit item: they are independent all the same.",
    )  # fmt: skip
    grouped, single = (
        ek.report(table, unit=unit, **said) for unit in ("documento", "item")
    )
    assert grouped.evidence.facts["group"] is not None
    assert single.evidence.facts["group"] is None
    noted = {**SAID, "note": "documento"}
    assert (
        ek.report(table, **{**said, "columns": noted}).evidence.facts["group"] is None
    )


@pytest.mark.parametrize(("ours", "status"), [(0.40, 0), (0.51, 0), (0.60, 1)])
def test_not_worse_by_a_loss_is_not_higher_by_more_than_the_margin(
    ours, status, tmp_path, capsys
):
    rows = [
        f"{name},{k},{at + k / 1000}"
        for name, at in (("base", 0.5), ("ours", ours))
        for k in range(6)
    ]
    (tmp_path / "runs.csv").write_text("\n".join(["system,seed,test_loss", *rows]))
    text = (
        'files = ["runs.csv"]\nbaseline = "base"\nmargin = 0.05\n[claim]\nnot_worse ='
        ' ["ours"]\n'
    )
    (tmp_path / "evalkit.toml").write_text(text)
    assert _claims.check(str(tmp_path / "evalkit.toml")) == status
    assert ("The claim stands" in capsys.readouterr().out) == (status == 0)


@pytest.mark.parametrize("samplers", [["TPE", ""], ["", "TPE"], ["TPE", "TPE"]])
def test_one_guided_search_among_others_is_not_forgotten(samplers):
    readings = [
        Reading("trials", pd.DataFrame(), facts={"guided": name}) for name in samplers
    ]
    _, facts, _ = _gather._merged(readings)
    assert facts["guided"] == "TPE"


def test_a_trial_of_ray_is_read_once_though_its_reports_stand_in_two_files(tmp_path):
    row = {"training_iteration": 1, "trial_id": "a_1", "time_total_s": 2.0, "acc": 0.5}
    pd.DataFrame([row]).to_csv(tmp_path / "progress.csv", index=False)
    (tmp_path / "result.json").write_text(
        json.dumps({**row, "config": {"model": "cnn"}})
    )
    (tmp_path / "params.json").write_text(json.dumps({"model": "cnn"}))
    readings, _ = read_places([(None, str(tmp_path))])
    assert [reading.frame["config/model"].tolist() for reading in readings] == [["cnn"]]
