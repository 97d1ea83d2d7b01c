"""What fresh files found wrong: pages with a false number or sentence, and refusals for
the wrong reason.
"""

import json

import numpy as np
import pandas as pd
import pytest
from told import NAMES, UP, check, ways_of

import evalkit as ek
from evalkit.reports import RefusedError
from evalkit.reports._bench import Bench
from evalkit.reports._checks import _failed
from evalkit.reports._options import Options


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def test_rows_of_means_and_of_mean_ranks_are_no_items_either(rng):
    """Called items and not data sets, they were counted, and the page said that they
    were not there.
    """
    wide = pd.DataFrame(
        rng.uniform(60, 90, (18, 3)).round(1), columns=["base", "ours", "theirs"]
    )
    ranks = wide.rank(axis=1, ascending=False).mean().round(2)
    wide = pd.concat(
        [wide, wide.mean().round(1).to_frame().T, ranks.to_frame().T], ignore_index=True
    )
    wide.insert(
        0,
        "veri",
        [*[f"küme {c}" for c in "abcdefghijklmnopqr"], "Ortalama", "Ortalama sıra"],
    )
    said = {**UP, "columns": {"system": ["base", "ours", "theirs"], "item": "veri"}}
    with pytest.raises(
        RefusedError, match="no items: Ortalama sıra is .*; Ortalama is the mean of the"
    ):
        ek.report(wide, **said)
    found = ek.report(wide, **said, where={"veri!": "Ortalama,Ortalama sıra"})
    assert found.bench.came(found.evidence.n_read) == "20 rows with 60 cells of scores"
    assert found.bench.without()[0][0] == "6 cells"


def test_the_sum_of_counts_is_no_item(rng):
    total = rng.integers(40, 70, 12)
    rows = [
        (s, f"{k}ο μ", int(n * rng.uniform(0.3, 0.8)), n)
        for s in NAMES
        for k, n in enumerate(total)
    ]
    table = pd.DataFrame(rows, columns=["system", "subject", "right", "n"])
    sums = (
        table.groupby("system", sort=False)[["right", "n"]]
        .sum()
        .reset_index()
        .assign(subject="ΣΥΝΟΛΟ")
    )
    columns = {"numerator": "right", "denominator": "n", "item": "subject"}
    with pytest.raises(RefusedError, match="ΣΥΝΟΛΟ is the sum of the others"):
        ek.report(pd.concat([table, sums]), **UP, columns=columns)
    found = ek.report(
        table, **UP, columns={**dict([*columns.items()][:2]), "dataset": "subject"}
    )
    rates = (table.right / table.n).groupby(table.system).mean()
    assert found.evidence.kind == "datasets"
    assert found.findings.contrasts[0].difference == pytest.approx(
        rates.ours - rates.base
    )


def test_a_trial_is_offered_as_what_a_row_is_and_a_date_as_no_person(rng):
    table = pd.DataFrame({"system": np.repeat(NAMES, 40), "accuracy": rng.random(80)})
    table["data"] = [f"2024-03-{k % 28 + 1:02d} {k:02d}:15" for k in range(80)]
    with pytest.raises(RefusedError) as refused:
        ek.report(table, baseline="base")
    ways = ways_of(refused)
    assert "--unit trial, if each is a trial of a search for settings." in ways
    assert not any("data" in way and "person" in way for way in ways)
    people = table.assign(data=[f"P{k}" for k in range(80)])
    with pytest.raises(RefusedError, match="--unit data, if each is a person"):
        ek.report(people, baseline="base")


def test_grades_that_are_predicted_are_no_classes(rng):
    """Exact hits were counted, and with --direction lower the better system was called
    worse.
    """
    grades = rng.integers(0, 50, 400) * 20.0
    table = pd.DataFrame(
        {"item": np.tile(np.arange(400), 2), "label": np.tile(grades, 2)}
    )
    table["system"] = np.repeat(NAMES, 400)
    table["prediction"] = (table.label + rng.normal(0, 150, 800)).round().clip(0, 1000)
    table.loc[400:, "prediction"] = (
        table.label[400:] + 20 * rng.integers(-12, 13, 400)
    ).clip(0, 1000)
    with pytest.raises(
        RefusedError, match="are numbers, and the wrong ones lie near the right answers"
    ):
        ek.report(table, baseline="base")
    words = table.assign(
        label="x", prediction=np.where(rng.random(800) < 0.6, "x", "y")
    )
    with pytest.raises(
        RefusedError, match="the right ones are counted, and --direction lower says"
    ):
        ek.report(words, baseline="base", direction="lower")


@pytest.fixture
def patients(rng):
    """Patients of two hospitals, of which each tried one system."""
    table = pd.DataFrame(
        {"system": np.repeat(NAMES, 90), "potilas": [f"H{k}" for k in range(180)]}
    )
    return table.assign(
        sairaala=np.repeat(["HUS", "TAYS"], 90),
        oikein=(rng.random(180) < 0.8).astype(float),
    )


def test_what_goes_with_the_system_may_be_what_makes_the_difference(patients, rng):
    said = {**UP, "metric": "oikein", "unit": "potilas"}
    for more in ({}, {"columns": {"group": "sairaala"}}):
        with pytest.raises(
            RefusedError, match="sairaala goes with the system: base HUS, ours TAYS"
        ):
            ek.report(patients, **said, **more)
    assert (
        check(ek.report(patients, **said, accept="settings"), "settings").outcome
        == "decided"
    )
    mixed = patients.assign(sairaala=rng.choice(["HUS", "TAYS"], 180))
    said["columns"] = {"note": "sairaala"}
    assert (
        ek.report(mixed, **said).findings.contrasts[0].sizes
        == "90 and 90 values of potilas"
    )


def test_one_hospital_each_is_not_a_sample_of_hospitals(patients):
    said = {**UP, "metric": "oikein", "columns": {"note": "potilas"}}
    with pytest.raises(RefusedError, match="180 rows come from 2 values of sairaala"):
        ek.report(patients, **said, unit="sairaala")
    with pytest.raises(
        RefusedError, match="All scores are 0 or 1, as of single answers"
    ):
        ek.report(patients, **said, unit="seed")


def test_counts_side_by_side_are_no_rates(rng):
    words = rng.integers(5, 25, 60)
    table = pd.DataFrame({"id": [f"u{k}" for k in range(60)], "words": words})
    table["base"], table["ours"] = rng.poisson(0.3 * words), rng.poisson(0.2 * words)
    said = {"baseline": "base", "direction": "lower"}
    with pytest.raises(
        RefusedError, match="score holds whole numbers, as words does: counts, it seems"
    ):
        ek.report(
            table,
            **said,
            columns={"system": NAMES, "item": "id", "denominator": "words"},
        )
    columns = {
        "system": NAMES,
        "numerator": NAMES,
        "denominator": "words",
        "item": "id",
    }
    (one,) = ek.report(table, **said, columns=columns).findings.contrasts
    assert one.difference == pytest.approx(
        (table.ours.sum() - table.base.sum()) / words.sum()
    )
    with pytest.raises(
        RefusedError, match="--map numerator=base,COLUMN --map denominator=COLUMN, if"
    ):
        ek.report(table, baseline="base")


def test_a_row_of_means_below_marks_is_said_to_be_one(rng):
    """1,600 marks were called no numbers, and below each other the mean counted as a
    wrong answer.
    """
    marks = pd.DataFrame(rng.choice(["○", "×"], (80, 2)), columns=NAMES)
    marks.insert(0, "問題", [f"A{k}" for k in range(80)])
    marks.loc[80] = ["正答率", "49.2%", "54.2%"]
    said = {"baseline": "base", "columns": {"system": NAMES, "item": "問題"}}
    with pytest.raises(RefusedError) as refused:
        ek.report(marks, **said)
    assert "holds words, and numbers: 49.2%, 54.2%." in str(refused.value)
    found = ek.report(marks, **said, right="○", where={"問題!": "正答率"}, unit="item")
    share = (marks[NAMES][:80] == "○").mean()
    assert found.findings.contrasts[0].difference == pytest.approx(
        share.ours - share.base
    )
    assert "○ is right, as you said" in check(found, "direction").words
    long = marks.melt("問題", NAMES, "system", "score")
    with pytest.raises(RefusedError, match="words, and numbers: 49.2%, 54.2%"):
        ek.report(
            long, baseline="base", metric="score", right="○", columns={"item": "問題"}
        )


def test_answers_and_predictions_in_other_languages_are_offered_beside_numbers(rng):
    right = rng.choice(["mzima", "batobato", "utitiri"], 90)
    parts = []
    for name, n in zip(NAMES, (90, 84), strict=True):
        said = np.where(rng.random(90) < 0.7, right, rng.choice(right, 90))
        part = pd.DataFrame(
            {"picha": [f"p{k}" for k in range(90)], "halisi": right, "utabiri": said}
        )
        parts.append(part[:n].assign(system=name, uhakika=rng.random(n)))
    with pytest.raises(RefusedError) as refused:
        ek.report(pd.concat(parts), baseline="base")
    offered = (
        "--map label=halisi --map prediction=utabiri, if these are the right answers"
        " and what the "
    )
    assert offered + "systems say." in ways_of(refused)


def test_objects_within_objects_are_said_not_to_be_read(tmp_path):
    runs = {
        name: {"params": 31.0, "runs": [{"seed": k, "dice": 0.9} for k in range(5)]}
        for name in NAMES
    }
    (tmp_path / "all.json").write_text(json.dumps({"date": "2024", "results": runs}))
    with pytest.raises(
        RefusedError,
        match="'base' is the name of an object within an object: results.base",
    ):
        ek.report(tmp_path / "all.json", baseline="base")


def test_lists_of_parts_are_read_all_and_those_of_validation_left_out(tmp_path, rng):
    """Of MTEB's tasks with several subsets none was compared, for they had no score,
    the page said.
    """
    scores = rng.uniform(0.4, 0.8, (2, 8, 3))
    for name, own in zip(NAMES, scores, strict=True):
        (tmp_path / name).mkdir()
        for k, task in enumerate(own):
            subsets = [
                {"hf_subset": f"s{j}", "main_score": s}
                for j, s in enumerate(task[: 3 if k else 1])
            ]
            parts = {"test": subsets} | (
                {"validation": [{"hf_subset": "s0", "main_score": 0.1}]}
                if k > 4
                else {}
            )
            whole = {"task_name": f"Task{k}x", "scores": parts}
            (tmp_path / name / f"Task{k}x.json").write_text(json.dumps(whole))
    said = {**UP, "metric": "main_score", "columns": {"dataset": "name (by its file)"}}
    said["columns"]["note"] = ["hf_subset", "task_name"]
    with pytest.raises(
        RefusedError, match="28 rows come again with the same system and dataset"
    ):
        ek.report(tmp_path, **said)
    found = ek.report(tmp_path, **said, duplicates="mean")
    means = np.concatenate([scores[:, :1, 0], scores[:, 1:].mean(axis=2)], axis=1).mean(
        axis=1
    )
    assert found.findings.contrasts[0].difference == pytest.approx(means[1] - means[0])
    assert (6, "rows of a training or validation part") in found.bench.left_out


def test_what_a_task_lacks_in_every_system_did_not_fail(rng):
    at = pd.MultiIndex.from_product(
        [NAMES, [f"t{c}" for c in "abcdefgh"], range(3)]
    ).to_frame(index=False)
    table = at.set_axis(["system", "dataset", "seed"], axis=1).assign(
        accuracy=rng.random(48)
    )
    table.loc[table.dataset == "tc", "accuracy"] = np.nan
    found = ek.report(table, baseline="base")
    assert found.bench.left_out == [(6, "no system has accuracy on tc")]
    assert found.evidence.used.dataset.nunique() == 7


def test_long_texts_of_lm_evaluation_harness_are_told_apart(tmp_path, rng):
    for name in NAMES:
        (tmp_path / name).mkdir()
        lines = [
            {"doc_id": k, "filtered_resps": ["x"], "acc": float(rng.random() < 0.6), "metrics": ["acc"],
             "doc": {"context": "long " * 30 + str(k // 4), "question": f"q{k}"}}
            for k in range(120)
        ]  # fmt: skip
        text = "\n".join(map(json.dumps, lines))
        (tmp_path / name / "samples_arc_2024-01-01T00-00-00.000.jsonl").write_text(text)
    with pytest.raises(
        RefusedError, match="Several items share a value of doc.context"
    ):
        ek.report(tmp_path, baseline="base")
    found = ek.report(tmp_path, baseline="base", unit="doc.context")
    assert "30 groups" in found.findings.contrasts[0].sizes


def test_a_run_of_lightning_that_was_killed_does_not_vanish(tmp_path, rng):
    for name in NAMES:
        for seed in range(5):
            for version, n in {
                ("ours", 2): ((0, 3), (1, 6)),
                ("base", 4): ((1, 3),),
            }.get((name, seed), ((1, 6),)):
                folder = tmp_path / name / f"version_{2 * seed + version}"
                folder.mkdir(parents=True)
                (folder / "hparams.yaml").write_text(f"model: {name}\nseed: {seed}\n")
                rows = [f"{e},{10 * e},{rng.random():.4f}," for e in range(n)]
                end = [f"{n - 1},{10 * n},,{rng.random():.4f}"] if n == 6 else []
                (folder / "metrics.csv").write_text(
                    "\n".join(["epoch,step,val_dice,test_dice", *rows, *end])
                )
    said = {**UP, "metric": "test_dice", "where": {"epoch": "last"}}
    with pytest.raises(
        RefusedError, match="1 run has no score: base 1 of 5, ours 0 of 5"
    ):
        ek.report(tmp_path, **said)
    found = ek.report(tmp_path, **said, failed="drop")
    assert found.findings.contrasts[0].sizes == "5 and 4 runs"
    assert (
        1,
        "rows that did not end with a score, as another try of them did",
    ) in found.bench.left_out  # with the same seed


def test_a_direction_that_the_format_denies_is_refused(rng):
    results = {f"split{k}_test_score": rng.normal(-5, 1, 6) for k in range(5)}
    results |= {"mean_test_score": np.zeros(6), "params": [{"C": c} for c in range(6)]}
    found = {
        "svr": results,
        "gbr": {**results, "split0_test_score": rng.normal(-4, 1, 6)},
    }
    said = {"baseline": "svr", "n_train": 400, "n_test": 100, "accept": "chosen"}
    assert ek.report(found, **said).findings.contrasts
    with pytest.raises(
        RefusedError, match="the higher is better, as the format has it, and you say"
    ):
        ek.report(found, **said, direction="lower")


def test_two_columns_of_names_are_no_scores_side_by_side(rng):
    at = pd.MultiIndex.from_product(
        [NAMES, range(3), range(4)], names=["system", "round", "part"]
    )
    table = at.to_frame(index=False).assign(accuracy=rng.random(24))
    with pytest.raises(
        ValueError, match="for repeat are scores side by side, and 'accuracy' is none"
    ):
        ek.report(
            table,
            baseline="base",
            metric="accuracy",
            columns={"repeat": ["round", "part"]},
        )


def test_epochs_that_somebody_calls_seeds_are_said_to_be_called_so(rng):
    table = pd.DataFrame(
        {
            "system": np.repeat(NAMES, 20),
            "epoch": [*range(20)] * 2,
            "accuracy": rng.random(40),
        }
    )
    found = ek.report(table, baseline="base", columns={"seed": "epoch"})
    assert check(found, "steps").words.startswith(
        "epoch would count steps by name, and you said"
    )
    assert "Note: epoch would count steps" in str(found)


@pytest.fixture
def marks(rng):
    """Two systems side by side that say yes or no in Polish, the questions in texts."""
    table = pd.DataFrame(
        {"nr": range(120), "tekst": [f"t{k // 3:02d}" for k in range(120)]}
    )
    return table.assign(
        **{f"odp – {name}": rng.choice(["tak", "nie"], 120) for name in NAMES}
    )


def test_words_side_by_side_ask_which_is_right(marks):
    """A column of numbers beside them ended in a traceback."""
    with pytest.raises(
        RefusedError,
        match="--names 'odp – {system}', if the rest of these names is that of a",
    ):
        ek.report(marks, baseline="base")
    said = {"baseline": "base", "names": "odp – {system}"}
    with pytest.raises(
        RefusedError, match="odp says nie or tak: which of them is right"
    ) as refused:
        ek.report(marks, **said)
    assert (
        "--map item=nr --unit tekst, if each is what every system answered, and all"
        " of one" in str(refused.value)
    )
    found = ek.report(marks, **said, right="tak", columns={"item": "nr"}, unit="tekst")
    share = (marks.filter(like="odp") == "tak").mean()
    assert found.evidence.metric == "odp = tak"
    assert found.findings.contrasts[0].difference == pytest.approx(
        share.iloc[1] - share.iloc[0]
    )


def test_predictions_without_right_answers_are_said_to_be_that(rng):
    classes = ["delivery", "billing", "returns", "other"]
    table = pd.DataFrame(
        {f"{name}_prediction": rng.choice(classes, 60) for name in NAMES}
    )
    table = table.assign(
        ticket=[f"T{k}" for k in range(60)],
        base_confidence=rng.random(60),
        ours_confidence=0.5,
    )
    with pytest.raises(
        RefusedError, match="'{system}_prediction' or --names '{system}_confidence'"
    ):
        ek.report(table, baseline="base")
    with pytest.raises(
        RefusedError,
        match="hold words, and no scores: .*\n.*nothing but right answers tells",
    ):
        ek.report(table, baseline="base", names="{system}_prediction")
    systems = ["base_prediction", "ours_prediction"]
    with pytest.raises(
        ValueError, match="base_prediction cannot be a system and something else"
    ):
        ek.report(
            table, baseline=systems[0], columns={"system": systems, "label": systems[0]}
        )
    told = str(
        ek.report(
            table,
            **UP,
            names="{system}_confidence",
            columns={"item": "ticket"},
            unit="item",
        )
    )
    assert "in confidence (mean over items)" in told


def test_counts_that_a_form_names_are_divided_by_their_total(rng):
    words = rng.integers(20, 60, 50)
    table = pd.DataFrame({"id": [f"u{k}" for k in range(50)], "words": words})
    table["errors_base"], table["errors_ours"] = (
        rng.binomial(words, 0.3),
        rng.binomial(words, 0.2),
    )
    said = {"baseline": "base", "names": "errors_{system}"}
    with pytest.raises(RefusedError) as refused:
        ek.report(table, **said)
    both = (
        "--map numerator=errors_base,errors_ours --map denominator=words --direction"
        " lower, if"
    )
    assert any(way.startswith(both) for way in ways_of(refused))
    counts = {
        "numerator": ["errors_base", "errors_ours"],
        "denominator": "words",
        "item": "id",
    }
    (one,) = ek.report(
        table, **said, direction="lower", columns=counts, unit="item"
    ).findings.contrasts
    assert one.difference == pytest.approx(
        (table.errors_ours - table.errors_base).sum() / words.sum()
    )


def test_dates_are_neither_items_nor_numbers_nor_settings(rng):
    at = pd.MultiIndex.from_product(
        [NAMES, range(60)], names=["system", "문항"]
    ).to_frame(index=False)
    table = at.assign(
        시각=[f"2024-05-{k % 27 + 1:02d}T10:{k % 60:02d}" for k in range(120)],
        ok=rng.random(120),
    )
    with pytest.raises(RefusedError) as refused:
        ek.report(table, baseline="base", metric="ok")
    assert not any("시각" in way for way in ways_of(refused))
    runs = pd.DataFrame(
        {"system": np.repeat(NAMES, 9), "seed": [*range(9)] * 2, "ok": rng.random(18)}
    )
    runs["Datum"] = [f"{k % 5 + 11}.03.2024" for k in range(18)]
    assert ek.report(runs, **UP, metric="ok").findings.contrasts
    with pytest.raises(RefusedError) as refused:
        ek.report(runs, baseline="base")
    assert not any("Datum" in way for way in ways_of(refused))


@pytest.fixture
def studies(rng):
    """Twelve searches of each system, some of whose trials were pruned."""
    names = ["system", "seed", "trial"]
    at = pd.MultiIndex.from_product(
        [NAMES, range(12), range(30)], names=names
    ).to_frame(index=False)
    table = at.assign(
        lr=rng.random(720), val_loss=rng.random(720), test_loss=rng.random(720)
    )
    return table.assign(status=np.where(rng.random(720) < 0.1, "PRUNED", "COMPLETE"))


def test_trials_of_a_search_are_no_runs_of_its_seed(studies):
    said = {"baseline": "base", "columns": {"setting": "lr"}}
    with pytest.raises(
        RefusedError, match="696 trials share the system and the seed with another"
    ):
        ek.report(studies, **said, unit="seed", accept="settings")
    n = (studies.status == "PRUNED").sum()
    for where in ({}, {"status": "COMPLETE"}):  # the first words that say it, too
        with pytest.raises(RefusedError, match=f"{n} trials were pruned"):
            ek.report(studies, **said, where=where, search="random")
    found = ek.report(
        studies, **said, where={"status": "COMPLETE"}, search="random", accept="pruned"
    )
    assert f"Read this first: {n} trials were pruned" in str(found)


def test_folds_are_no_seeds_where_all_have_one(rng):
    table = pd.DataFrame(
        {"system": np.repeat(NAMES, 10), "fold": [*range(10)] * 2, "seed": 42.0}
    )
    with pytest.raises(
        RefusedError, match="fold tells the rows apart, and no seed does"
    ):
        ek.report(table.assign(accuracy=rng.random(20)), baseline="base", unit="seed")


def test_a_bare_name_beside_those_of_validation_may_be_of_training(rng):
    runs = pd.DataFrame({"system": np.repeat(NAMES, 9), "seed": [*range(9)] * 2})
    runs = runs.assign(
        **{
            name: rng.random(18)
            for name in ("accuracy", "loss", "val_accuracy", "val_loss")
        }
    )
    told = str(ek.report(runs, baseline="base", metric="accuracy"))
    assert (
        "Note: accuracy may be of the training part: val_accuracy stands beside it."
        in told
    )
    accepted = str(
        ek.report(runs, baseline="base", metric="val_accuracy", accept="test-chose")
    )
    assert "If they chose nothing, they are as good as those of a test set." in accepted


def test_many_tasks_are_asked_whether_they_are_items(rng):
    at = pd.MultiIndex.from_product(
        [NAMES, [f"HumanEval/{k}" for k in range(164)]], names=["system", "task"]
    )
    table = at.to_frame(index=False).assign(passed=rng.integers(0, 11, 328), samples=10)
    said = {**UP, "columns": {"numerator": "passed", "denominator": "samples"}}
    with pytest.raises(
        RefusedError, match="--map item=task, if each is what every system answered"
    ):
        ek.report(table, **said)
    said["columns"]["item"] = "task"
    found = ek.report(table, **said)
    assert "All 164 items, joined by their names." in check(found, "unmatched").words
    few = pd.DataFrame(
        {"system": np.repeat(NAMES, 30), "task": [f"t{c}" for c in "abcdefghij"] * 6}
    )
    assert (
        ek.report(
            few.assign(f1=rng.random(60)), baseline="base", duplicates="mean"
        ).evidence.kind
        == "datasets"
    )


def test_rows_that_are_items_are_joined_by_their_rows(rng):
    said = {f"{name}_pred": rng.choice(["a", "b"], 80) for name in NAMES}
    table = pd.DataFrame({"label": rng.choice(["a", "b"], 80), **said})
    found = ek.report(
        table, baseline="base_pred", columns={"system": [*said]}, unit="item"
    )
    assert check(found, "unmatched").words == "All 80 items, joined by their rows."


def test_files_that_hold_all_systems_each_are_asked_what_they_are(tmp_path, rng):
    """Of a file for each data set, or rater, nobody could say so: the names were not
    read.
    """
    scores = rng.uniform(0.6, 0.9, (9, 2))
    for k, own in enumerate(scores):
        board = pd.DataFrame(
            {"model": NAMES, "score_test": own, "fit_time": rng.random(2)}
        )
        board.to_csv(tmp_path / f"board_{k}.csv")
    with pytest.raises(RefusedError) as refused:
        ek.report(tmp_path, baseline="base")
    assert any(
        way.startswith("--map 'dataset=name (by its file)', if each is a data set")
        for way in ways_of(refused)
    )
    assert not any("unnamed" in way for way in ways_of(refused))
    found = ek.report(
        tmp_path, **UP, metric="score_test", columns={"dataset": "name (by its file)"}
    )
    assert found.findings.contrasts[0].difference == pytest.approx(
        np.diff(scores).mean()
    )


def test_files_of_raters_with_systems_side_by_side_are_crossed(tmp_path, rng):
    marks = rng.integers(1, 6, (5, 40, 2)).astype(float)
    for name, own in zip(
        ["Anna", "Boris", "Vera", "Gleb", "Darja"], marks, strict=True
    ):
        table = pd.DataFrame(own, columns=NAMES).assign(
            text=[f"t{k}" for k in range(40)]
        )
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    columns = {"system": NAMES, "item": "text", "rater": "name (by its file)"}
    found = ek.report(tmp_path, **UP, columns=columns)
    (one,) = found.findings.contrasts
    assert one.difference == pytest.approx(np.diff(marks.mean(axis=(0, 1)))[0])
    assert "5 raters" in one.sizes


def test_a_condition_that_leaves_a_system_out_is_told_as_it_was_said(rng):
    table = pd.DataFrame(
        {"system": np.repeat(NAMES, 9), "seed": [*range(9)] * 2, "f1": rng.random(18)}
    )
    table["auc"] = np.repeat([0.5, 0.7], 9)
    with pytest.raises(
        ValueError, match="where: auc != 0.5 leaves no row of base; name a value"
    ):
        ek.report(table, baseline="base", metric="f1", where={"auc!": "0.5"})


def test_names_of_files_that_tell_no_rows_apart_are_not_asked(tmp_path, rng):
    for k in range(2):
        rows = {
            "model": NAMES * 6,
            "Startwert": np.repeat(range(6 * k, 6 * k + 6), 2),
            "güte": rng.random(12),
        }
        pd.DataFrame(rows).to_csv(tmp_path / f"teil {'ab'[k]}.csv", index=False)
    found = ek.report(tmp_path, **UP, metric="güte", columns={"seed": "Startwert"})
    assert found.findings.contrasts[0].sizes == "12 and 12 runs"


def test_people_that_met_several_systems_are_one_fault(rng):
    table = pd.DataFrame(
        {"system": np.repeat(NAMES, 20), "person": [f"P{k}" for k in range(20)] * 2}
    )
    with pytest.raises(RefusedError) as refused:
        ek.report(
            table.assign(minutes=rng.random(40)), **UP, metric="minutes", unit="person"
        )
    assert [fault.what for fault in refused.value.faults].count(
        refused.value.faults[0].what
    ) == 1


def test_a_failed_run_without_the_name_of_a_seed_was_not_started_again(rng):
    table = pd.DataFrame(
        {"system": np.repeat(NAMES, 6), "seed": [*range(6)] + [np.nan] * 6}
    )
    table = table.assign(score=rng.random(12), status=["finished"] * 11 + ["crashed"])
    bench = Bench(Options(baseline="base"))
    assert len(_failed.before_means(table, ["system", "seed"], True, bench)) == 12
    named = table.assign(seed=[*range(6), *range(5), 4])
    assert len(_failed.before_means(named, ["system", "seed"], True, bench)) == 11


def test_the_last_of_rates_is_held_against_the_rates_and_not_the_counts(rng):
    """The counts of the last data set lay in the middle of the others' by chance."""
    n = np.array([100, 900, 100, 900, 100, 900, 100, 262])
    rates = np.array([0.5, 0.52, 0.55, 0.5, 0.53, 0.56, 0.52, 0.9])
    rows = []
    for name, most in zip(NAMES, (0, 0.04), strict=True):
        right = (n * (rates + rng.uniform(0, most, 8))).round()
        rows += [(name, f"{'abcdefgh'[k]} set", right[k], n[k]) for k in range(8)]
    table = pd.DataFrame(rows, columns=["system", "dataset", "right", "total"])
    found = ek.report(
        table, **UP, columns={"numerator": "right", "denominator": "total"}
    )
    assert check(found, "mean-row").outcome == "fine"


def test_files_that_several_folders_tell_apart_are_asked_for_the_form_of_their_names(
    rng, tmp_path
):
    """Six seeds on each of three data sets were one run, whose steps began again and
    again.
    """
    for task in ("mrpc", "rte", "stsb"):
        for name in NAMES:
            for seed in (13, 87, 100):
                place = tmp_path / task / name / f"seed_{seed}"
                place.mkdir(parents=True)
                table = pd.DataFrame(
                    {"epoch": [1, 2], "eval_accuracy": rng.uniform(0.8, 0.9, 2)}
                )
                table.to_csv(place / "log.csv", index=False)
    with pytest.raises(
        RefusedError,
        match=r"differ in more than one .*: mrpc, rte, stsb; seed_100, seed_13",
    ) as refused:
        ek.report(tmp_path, baseline="base")
    assert ways_of(refused)[0].startswith(
        "--names '{dataset}/{system}/seed_{seed}', if that is so"
    )
    said = {"names": "{dataset}/{system}/seed_{seed}", "where": {"epoch": "last"}}
    found = ek.report(tmp_path, baseline="base", **said)
    assert found.evidence.kind == "datasets"
    assert found.bench.merged == ["3 scores of a system on a data set, by their mean"]


def test_the_last_step_is_that_of_each_file(rng, tmp_path):
    """Whatever the files are: data sets here, of which nothing has been said yet."""
    for name in NAMES:
        (tmp_path / name).mkdir()
        for task, n in (("law", 3), ("med", 2), ("tax", 4)):
            table = pd.DataFrame({"epoch": range(n), "accuracy": rng.random(n)})
            table.to_csv(tmp_path / name / f"{task}.csv", index=False)
    said = {"baseline": "base", "where": {"epoch": "last"}}
    with pytest.raises(
        RefusedError, match=r"What does name \(by its file\) \(law, med, tax\) name"
    ):
        ek.report(tmp_path, **said)
    found = ek.report(tmp_path, **said, columns={"dataset": "name (by its file)"})
    assert found.evidence.used.dataset.nunique() == 3


def test_the_number_of_a_system_is_no_score_and_a_data_set_of_several_runs_is_offered(
    rng,
):
    """OpenML's list of evaluations: `flow_id` was offered as a metric, and as the total
    of others.
    """
    rows = [
        (8774 - 100 * f, flow, f"set {d}", rng.integers(1, 9), rng.random())
        for f, flow in enumerate(NAMES) for d in range(12) for _ in range(3)
    ]  # fmt: skip
    table = pd.DataFrame(
        rows, columns=["flow_id", "flow", "data_name", "votes", "value"]
    )
    table.insert(0, "run_id", range(len(table)))
    with pytest.raises(RefusedError) as refused:
        ek.report(table, baseline="base")
    assert not any("flow_id" in way for way in ways_of(refused))
    with pytest.raises(RefusedError) as refused:
        ek.report(table, **UP, metric="value")
    assert any("--map dataset=data_name" in way for way in ways_of(refused))
    found = ek.report(
        table, **UP, metric="value", columns={"dataset": "data_name", "note": "votes"}
    )
    assert found.findings.contrasts[0].sizes == "12 data sets"


def test_folders_are_listed_level_by_level(rng, tmp_path):
    for name, fold in [(n, f) for n in ("net__2d", "net__3d") for f in range(3)]:
        place = tmp_path / "Liver" / name / f"fold_{fold}"
        place.mkdir(parents=True)
        pd.DataFrame(
            {"item": [f"{fold}{k}" for k in range(9)], "dice": rng.random(9)}
        ).to_csv(place / "summary.csv", index=False)
    with pytest.raises(
        RefusedError,
        match="their folders: net__2d, net__3d; or, by the folders in these: fold_0",
    ):
        ek.report(tmp_path, baseline="2d")


def test_data_sets_of_several_metrics_are_asked_which_one_is_compared(rng):
    """AutoGluon's leaderboards: AUC and -log loss were averaged, though a column says
    which is which.
    """
    rows = [
        (f"set {d}", name, *(("roc_auc", rng.uniform(0.7, 0.9)) if d < 8 else ("log_loss", -rng.random())))
        for d in range(12) for name in NAMES
    ]  # fmt: skip
    table = pd.DataFrame(
        rows, columns=["dataset", "model", "eval_metric", "score_test"]
    )
    said = {**UP, "metric": "score_test"}
    with pytest.raises(
        RefusedError, match="eval_metric names 2 metrics: roc_auc, log_loss"
    ) as refused:
        ek.report(table, **said)
    assert ways_of(refused) == [
        "--where eval_metric=roc_auc",
        "--where eval_metric=log_loss",
    ]
    found = ek.report(table, **said, where={"eval_metric": "roc_auc"})
    assert found.evidence.used.dataset.nunique() == 8
    # One metric, or none.
    words = table.assign(eval_metric=[f"return {k % 3}" for k in range(24)])
    assert ek.report(words, **said, accept="scale").findings.contrasts


def test_a_ratio_of_negative_scores_is_not_advised(rng):
    level = np.repeat([-0.3, -3.0, -40.0, -200.0, -800.0, -9e3], 2)
    table = pd.DataFrame({"dataset": np.repeat([*"abcdef"], 2), "system": NAMES * 6})
    table = table.assign(points=level * rng.uniform(0.9, 1, 12))
    with pytest.raises(
        RefusedError, match="Medians of the data sets go from"
    ) as refused:
        ek.report(table, **UP, metric="points")
    assert not any("divide" in way for way in ways_of(refused))
    with pytest.raises(
        RefusedError, match="Medians of the data sets go from"
    ) as refused:
        ek.report(table.assign(points=-table.points), **UP, metric="points")
    assert any("divide" in way for way in ways_of(refused))


def test_conditions_on_systems_come_first_whatever_their_order(rng):
    rows = [(d, s, "auc" if d < 6 else "loss", rng.random()) for d in range(9) for s in (*NAMES, "only")
            if s != "only" or d > 5]  # fmt: skip
    table = pd.DataFrame(rows, columns=["dataset", "system", "kind", "accuracy"])
    with pytest.raises(
        ValueError,
        match="leaves no row of only; .* --where 'system!=only' leaves them out",
    ):
        ek.report(table, **UP, where={"kind": "auc"})
    for where in (
        {"kind": "auc", "system!": "only"},
        {"system!": "only", "kind": "auc"},
    ):
        assert ek.report(table, **UP, where=where).evidence.systems == ("ours",)


def test_where_test_and_interval_disagree_the_summary_of_many_systems_says_so():
    """Better on nearly every data set, and far worse on one: the ranks reject."""
    base = np.linspace(0.5, 0.8, 16)
    others = {
        f"s{k}": base + np.r_[np.full(15, 0.01), -0.5] + k * 1e-4 for k in range(4)
    }
    wide = pd.DataFrame(
        {"dataset": [f"d{k}" for k in range(16)], "base": base, **others}
    )
    found = ek.report(
        wide.melt("dataset", var_name="system", value_name="accuracy"),
        **UP,
        accept="mean-row",
    )
    assert {one.verdict for one in found.findings.contrasts} == {"undecided"}
    assert (
        "For s0, s1, s2 and s3 the test rejects, but the interval holds 0; a verdict"
        " needs both" in str(found)
    )


def test_settings_over_which_a_data_set_is_averaged_are_said(rng):
    rows = [
        (s, f"d{d}", lr, rng.random())
        for s in NAMES
        for d in range(8)
        for lr in (0.1, 0.2, 0.3)
    ]
    table = pd.DataFrame(rows, columns=["system", "dataset", "setting_lr", "accuracy"])
    found = ek.report(table, **UP, duplicates="mean")
    assert "whatever their settings (setting_lr)" in found.bench.merged[-1]
    assert (
        "Settings that are compared: base 3 and ours 3" in check(found, "tuned").words
    )


def test_seeds_of_a_few_settings_are_no_search(rng):
    """Draws of six sizes: the seed that was named was dropped, and the advice was to
    search again.
    """
    rows = [
        (s, n, seed, rng.random())
        for s in NAMES
        for n in (100, 300, 1000)
        for seed in range(8)
    ]
    table = pd.DataFrame(rows, columns=["system", "setting_n_train", "seed", "test_f1"])
    with pytest.raises(
        RefusedError, match="Settings vary within a system: setting_n_train"
    ) as refused:
        ek.report(table, **UP)
    assert any(
        way.startswith("--where COLUMN=VALUE keeps one setting")
        for way in ways_of(refused)
    )
    with pytest.raises(
        RefusedError, match=r"What tells them apart is setting_n_train\."
    ):
        ek.report(table, **UP, columns={"note": "setting_n_train"})


def test_groups_of_few_items_are_offered_and_two_columns_may_name_one(rng):
    """Patients of one or two records; classes that are named anew in each school."""
    n = 200
    record = {
        "Akte": np.arange(n) + 5000,
        "Kranke": 40 + np.arange(n) * 2 // 3,
        "Klage": np.arange(n) % 9,
    }
    table = pd.concat(
        [pd.DataFrame(record).assign(system=s, punkte=rng.random(n)) for s in NAMES]
    )
    said = {**UP, "metric": "punkte", "columns": {"item": "Akte"}}
    with pytest.raises(RefusedError) as refused:
        ek.report(table, **said)
    assert "--unit Kranke: whole groups are the unit." in ways_of(refused)
    # Each item would be alone.
    assert not any("Kranke,Klage" in way for way in ways_of(refused))
    with pytest.raises(
        RefusedError, match="No two items share a value of Klage,Kranke"
    ):
        ek.report(table, **said, unit="Klage,Kranke")
    school = {
        "Klasse": [f"{k % 10}a" for k in range(n)],
        "Schule": [f"S{k % 80 // 10}" for k in range(n)],
    }
    table = table.assign(**{name: values * 2 for name, values in school.items()}).drop(
        columns=["Kranke", "Klage"]
    )
    with pytest.raises(RefusedError) as refused:
        ek.report(table, **said)
    assert (
        "--unit Klasse,Schule: only items with the same of both belong together."
        in ways_of(refused)
    )
    found = ek.report(table, **said, unit="Klasse,Schule")
    assert found.findings.contrasts[0].sizes.startswith("200 items in 80 groups")


def test_rows_without_a_score_that_a_condition_leaves_out_are_counted(rng):
    rows = [
        (s, k, "ok" if k else "broken", rng.random() if k else np.nan)
        for s in NAMES
        for k in range(12)
    ]
    table = pd.DataFrame(rows, columns=["system", "seed", "how", "accuracy"])
    found = ek.report(table, **UP, metric="accuracy", where={"how": "ok"})
    assert (
        2,
        "how is not ok, as you said (2 of them without a score)",
    ) in found.bench.left_out
    assert check(found, "failed").words.startswith(
        "All 22 that are left have a score; 2 rows left out: how"
    )


def test_what_was_measured_is_no_setting_beside_those_that_were_named(rng):
    rows = [(s, k, rng.random(), rng.integers(5, 20), rng.random(), rng.random())
            for s in NAMES for k in range(40)]  # fmt: skip
    table = pd.DataFrame(
        rows,
        columns=["system", "nr", "lr", "epochs_run", "val_accuracy", "test_accuracy"],
    )
    said = {**UP, "metric": "test_accuracy", "unit": "trial", "search": "random"}
    found = ek.report(table, **said, columns={"setting": "lr"})
    assert check(found, "settings").words.startswith(
        "What varies is taken for settings (lr)"
    )


def test_counts_are_called_as_what_was_counted(rng):
    counts = rng.integers(0, 4, (60, 4))
    table = pd.DataFrame(
        counts, columns=["old_sub", "old_del", "new_sub", "new_del"]
    ).assign(n_ref=20)
    table.insert(0, "utt", [f"u{k}" for k in range(60)])
    said = {
        "baseline": "old",
        "names": "{system}_sub",
        "direction": "lower",
        "unit": "item",
    }
    roles = {"item": "utt", "numerator": ["old_sub", "new_sub"], "denominator": "n_ref"}
    found = ek.report(table, **said, columns=roles)
    assert found.evidence.metric == "sub / n_ref"
    with pytest.raises(RefusedError) as refused:
        ek.report(table, **said, columns={"item": "utt"})
    assert any(
        way.startswith("or first add up counts that belong together")
        for way in ways_of(refused)
    )


def test_the_word_for_right_answers_is_on_the_page(rng):
    table = pd.DataFrame({"item": [*range(60)] * 2, "system": np.repeat(NAMES, 60)})
    table = table.assign(urteil=rng.choice(["ja", "nein"], 120))
    found = ek.report(
        table, baseline="base", metric="urteil", right="nein", unit="item"
    )
    assert found.evidence.metric == "urteil = nein"
    assert "in urteil = nein (mean over items)" in str(found)


def test_continuous_predictions_have_no_option_that_leads_nowhere(rng):
    right = rng.uniform(0, 100, 80).round(1)
    table = pd.DataFrame(
        {
            "item": [*range(80)] * 2,
            "system": np.repeat(NAMES, 80),
            "label": [*right] * 2,
        }
    )
    table = table.assign(prediction=(table.label + rng.normal(0, 5, 160)).round(2))
    with pytest.raises(RefusedError, match="Of numbers that are predicted") as refused:
        ek.report(table, baseline="base")
    assert not any("--accept" in way for way in ways_of(refused))


def test_a_form_takes_apart_the_systems_of_a_column_that_was_named(rng):
    rows = [
        (f"{s}-{n}", k, rng.random())
        for s in NAMES
        for n in (100, 1000)
        for k in range(6)
    ]
    table = pd.DataFrame(rows, columns=["param", "seed", "loss"])
    said = {"baseline": "base", "columns": {"system": "param"}}
    with pytest.raises(RefusedError, match="--names '{system}-{seed}'"):
        ek.report(table, **said)
    found = ek.report(table, **said, names="{system}-{dataset}")
    assert found.evidence.used.dataset.nunique() == 2


def test_folds_that_are_called_data_sets_are_refused(rng):
    names = [f"Fold{k:02}.Rep{r}" for r in (1, 2) for k in range(1, 11)]
    wide = pd.DataFrame(
        {"Resample": names, **{n: rng.uniform(0.7, 0.9, 20) for n in NAMES}}
    )
    said = {**UP, "columns": {"system": NAMES, "dataset": "Resample"}}
    with pytest.raises(
        RefusedError, match=r"Resample names folds or splits: Fold01\.Rep1"
    ):
        ek.report(wide, **said)


def test_the_settings_of_one_search_may_be_systems(rng):
    results = {"params": [{"clf": c, "C": k} for c in ("svc", "knn") for k in range(4)]}
    results |= {
        "param_clf": np.repeat(["svc", "knn"], 4),
        "param_C": [0.0, 1, 2, 3] * 2,
    }
    results |= {f"split{k}_test_score": rng.uniform(0.7, 0.9, 8) for k in range(5)}
    results |= {
        "mean_test_score": np.mean(
            [results[f"split{k}_test_score"] for k in range(5)], axis=0
        )
    }
    with pytest.raises(
        RefusedError, match="--map system=param_clf compares the values set there"
    ):
        ek.report(results, baseline="svm")
    said = {
        "baseline": "svc",
        "columns": {"system": "param_clf"},
        "n_train": 80,
        "n_test": 20,
    }
    found = ek.report(results, **said, accept="chosen")
    best = 4 + int(np.argmax(results["mean_test_score"][4:]))
    assert f"knn param_C {best - 4}" in found.bench.left_out[0][1]


def test_an_interval_that_is_not_there_is_not_called_unadjusted(rng):
    rows = [
        (s, k, rng.uniform(0.7, 0.9))
        for s in ("base", "a", "b", "c", "d")
        for k in range(5)
    ]
    table = pd.DataFrame(rows, columns=["system", "fold", "accuracy"])
    page = ek.report(table, **UP, n_train=80, n_test=20).write("markdown")
    assert "p-values adjusted" in page
    assert "intervals not" not in page
    assert "difference with its interval" not in page


def test_trials_that_end_at_other_steps_may_have_been_stopped(rng):
    """Ray Tune with ASHA: sixty trials were compared as a random search, and a third of
    them had one step.
    """
    rows = [(s, k, lr, step, rng.random()) for s in NAMES for k in range(40)
            for lr in [rng.random()] for step in range(1, 2 + 9 * (k % 2))]  # fmt: skip
    table = pd.DataFrame(
        rows, columns=["system", "trial", "setting_lr", "epoch", "test_accuracy"]
    )
    said = {
        **UP,
        "where": {"epoch": "last"},
        "accept": ["test-chose"],
        "search": "random",
    }
    with pytest.raises(
        RefusedError, match="some runs ended early.*\nWere trials stopped"
    ):
        ek.report(table, **said)
    found = ek.report(table, **{**said, "accept": ["test-chose", "pruned"]})
    assert check(found, "pruned").outcome == "decided"


def test_rows_of_two_systems_each_are_said_to_be_pairs(rng):
    """A test of preference: each side was offered as the column of systems, and the
    order as the score.
    """
    left = rng.choice(NAMES, 60)
    table = pd.DataFrame(
        {
            "zin": np.arange(60) % 20,
            "links": left,
            "rechts": np.where(left == "base", "ours", "base"),
        }
    )
    table = table.assign(keuze=rng.choice(["links", "rechts"], 60), tijd=rng.random(60))
    with pytest.raises(
        RefusedError, match="Each row compares two systems, those of links and rechts"
    ):
        ek.report(table, baseline="base")


def test_runs_below_each_system_are_rows_of_their_own(rng, tmp_path):
    systems = [
        {
            "model": name,
            "params_m": 25.6,
            "runs": [{"seed": k, "metrics": {"f1": rng.random()}} for k in range(8)],
        }
        for name in NAMES
    ]
    (tmp_path / "all.json").write_text(json.dumps(systems))
    found = ek.report(tmp_path / "all.json", baseline="base")
    assert found.findings.contrasts[0].sizes == "8 and 8 runs"
    items = [
        {"model": name, "id": k, "f1": rng.random(), "messages": [{"role": "user"}]}
        for name in NAMES
        for k in range(40)
    ]
    # Of many objects each is a row.
    (tmp_path / "items.json").write_text(json.dumps(items))
    assert (
        ek.report(tmp_path / "items.json", baseline="base").findings.contrasts[0].sizes
        == "40 items"
    )


def test_what_is_the_same_for_every_system_is_not_what_a_system_costs(rng):
    table = pd.DataFrame(
        {"id": [f"u{k}" for k in range(30)] * 2, "system": np.repeat(NAMES, 30)}
    )
    table = table.assign(wer=rng.random(60), duration=[*rng.random(30)] * 2)
    assert "Mean duration" not in ek.report(table, baseline="base").write("markdown")
    table.loc[40:, "duration"] += 1
    assert "Mean duration" in ek.report(table, baseline="base").write("markdown")


def test_raters_who_met_some_systems_may_be_answers(rng):
    rows = [(s, f"t{k}", f"w{(7 * k + 3 * j + (s == 'ours')) % 23}", rng.integers(1, 6))
            for s in NAMES for k in range(40) for j in range(3)]  # fmt: skip
    table = pd.DataFrame(rows, columns=["system", "text", "worker", "grade"])
    table = table[~((table.worker == "w5") & (table.system == "ours"))]
    said = {**UP, "metric": "grade", "unit": "item"}
    with pytest.raises(
        RefusedError, match="Of 23 raters 22 scored every system"
    ) as refused:
        ek.report(table, **said, columns={"item": "text", "rater": "worker"})
    assert any(
        way.startswith("--map repeat=COLUMN in place of rater")
        for way in ways_of(refused)
    )
    found = ek.report(
        table, **said, columns={"item": "text", "repeat": "worker"}, failed="drop"
    )
    means = table.groupby(["system", "text"]).grade.mean().groupby("system").mean()
    assert found.findings.contrasts[0].difference == pytest.approx(
        means.ours - means.base
    )
    assert check(found, "repeats").words.startswith("Answers are missing")


def test_items_of_several_tasks_may_be_pooled_by_who_says_so(rng):
    rows = [
        (s, t, f"q{k}", rng.integers(0, 2))
        for s in NAMES
        for t in ("law", "med")
        for k in range(30)
    ]
    table = pd.DataFrame(rows, columns=["system", "task", "id", "correct"])
    with pytest.raises(RefusedError, match="items of 2 tasks") as refused:
        ek.report(table, baseline="base")
    assert "--map item=task,id --unit item pools them." in ways_of(refused)
    found = ek.report(
        table, baseline="base", columns={"item": ["task", "id"]}, unit="item"
    )
    assert found.findings.contrasts[0].sizes.startswith("60 items")


def test_folds_that_are_called_items_are_refused(rng):
    rows = [
        (s, f"Fold{k:02}", f"Repeat{r}", rng.random())
        for s in NAMES
        for k in range(10)
        for r in range(3)
    ]
    table = pd.DataFrame(rows, columns=["system", "id2", "id", "rmse"])
    with pytest.raises(RefusedError, match="id2 names folds or splits: Fold00"):
        ek.report(
            table, baseline="base", columns={"item": "id2", "repeat": "id"}, unit="item"
        )


def test_how_far_runs_went_is_said_of_folds_too(rng):
    rows = [
        (s, f, e, rng.random()) for s in NAMES for f in range(5) for e in range(3 + f)
    ]
    table = pd.DataFrame(rows, columns=["system", "fold", "epoch", "accuracy"])
    found = ek.report(table, **UP, where={"epoch": "last"}, n_train=4, n_test=1)
    assert "go from 2 to 6: some runs ended early" in check(found, "steps").words
    assert "Note: The last steps" in str(found)


def test_of_files_of_several_kinds_those_with_the_scores_are_to_be_given(rng, tmp_path):
    for name in NAMES:
        for seed in range(4):
            place = tmp_path / name / f"seed_{seed}"
            place.mkdir(parents=True)
            (place / "config.json").write_text(
                json.dumps({"lr": 0.1, "layers": 2, "random_seed": seed})
            )
            (place / "metrics.json").write_text(
                json.dumps({"best_epoch": 3, "test_f1": rng.random()})
            )
    with pytest.raises(
        RefusedError, match="config.json in 8 folders, metrics.json in 8"
    ) as refused:
        ek.report(tmp_path, baseline="base")
    assert (
        ways_of(refused)[1]
        == f"give {tmp_path}/*/*/metrics.json, if these hold the scores."
    )
    files = sorted(tmp_path.glob("*/*/metrics.json"))
    found = ek.report(
        files, baseline="base", metric="test_f1", columns={"note": "best_epoch"}
    )
    assert found.findings.contrasts[0].sizes == "4 and 4 runs"
    assert {*found.used.seed} == {f"seed_{k}" for k in range(4)}


def test_two_files_of_one_name_are_no_run_by_the_form(rng, tmp_path):
    for task in ("law", "med"):
        for name in NAMES:
            for seed in range(4):
                place = tmp_path / task / name / f"seed_{seed}"
                place.mkdir(parents=True)
                (place / "metrics.json").write_text(
                    json.dumps({"test_f1": rng.random()})
                )
    said = {"baseline": "base", "names": "{system}/seed_{seed}"}
    with pytest.raises(RefusedError, match="each is base 0 by the form") as refused:
        ek.report([tmp_path / "law", tmp_path / "med"], **said)
    assert ways_of(refused)[0].startswith("give the files that count alone")
    assert (
        ek.report(tmp_path / "law", **said).findings.contrasts[0].sizes
        == "4 and 4 runs"
    )


def test_right_and_wrong_as_1_and_0_may_stand_side_by_side(rng, tmp_path):
    """A traceback: two values were taken for two words."""
    wide = pd.DataFrame(rng.integers(0, 2, (60, 2)), columns=NAMES).assign(
        image=[f"i{k}" for k in range(60)]
    )
    wide.to_csv(tmp_path / "marks.csv", index=False)
    said = {**UP, "columns": {"system": NAMES, "item": "image"}, "unit": "item"}
    for given in (wide, tmp_path / "marks.csv"):
        found = ek.report(given, **said)
        assert found.findings.contrasts[0].difference == pytest.approx(
            wide.ours.mean() - wide.base.mean()
        )


def test_a_row_of_mean_ranks_below_one_of_means_with_an_empty_cell(rng):
    """Neither was seen: the mean stood among what was ranked, and the ranks among what
    was averaged.
    """
    wide = pd.DataFrame(
        rng.uniform(5, 20, (18, 4)).round(2), columns=["base", "ours", "c", "d"]
    )
    wide.loc[3, "ours"] = np.nan
    ranks = wide.dropna().rank(axis=1).mean().round(2)
    wide = pd.concat(
        [wide, wide.mean().round(2).to_frame().T, ranks.to_frame().T], ignore_index=True
    )
    wide.insert(
        0,
        "zbiór",
        [*[f"zbiór {c}" for c in "abcdefghijklmnopqr"], "Średnia", "Śr. ranga"],
    )
    said = {"baseline": "base", "direction": "lower", "missing": "drop"}
    with pytest.raises(
        RefusedError,
        match="Śr. ranga is the mean rank .*; Średnia is the mean of the others",
    ):
        ek.report(
            wide,
            **said,
            columns={"system": ["base", "ours", "c", "d"], "dataset": "zbiór"},
        )


def test_errors_where_there_is_no_word_add_to_the_rate(rng):
    table = pd.DataFrame(
        {"utt": [f"u{k}" for k in range(60)] * 2, "system": np.repeat(NAMES, 60)}
    )
    table = table.assign(errors=rng.integers(0, 4, 120), words=10)
    table.loc[[5, 65], ["errors", "words"]] = [[2, 0], [0, 0]]
    said = {
        "columns": {"item": "utt", "numerator": "errors", "denominator": "words"},
        "unit": "item",
    }
    found = ek.report(table, baseline="base", direction="lower", **said)
    sums = table.groupby("system")[["errors", "words"]].sum()
    rates = sums.errors / sums.words
    assert found.findings.contrasts[0].difference == pytest.approx(
        rates.ours - rates.base
    )


def test_what_chose_the_best_of_a_search_is_in_its_name(rng):
    rows = [
        (s, k, rng.random(), rng.random(), rng.random())
        for s in NAMES
        for k in range(40)
    ]
    table = pd.DataFrame(
        rows, columns=["system", "trial", "setting_lr", "val_accuracy", "test_accuracy"]
    )
    found = ek.report(table, **UP, search="random")
    assert (
        "test_accuracy at equal budgets (expected best of 8 trials, chosen by"
        " val_accuracy)" in str(found)
    )
    alone = ek.report(
        table.drop(columns="val_accuracy"), **UP, search="random", accept="test-chose"
    )
    assert "(expected best of 8 trials)" in str(alone)


def test_settings_with_spaces_in_their_names_can_be_pasted(rng):
    rows = [
        (s, n, k, rng.random()) for s in NAMES for n in (100, 300) for k in range(6)
    ]
    table = pd.DataFrame(
        rows, columns=["system", "setting_of the data", "seed", "test_f1"]
    )
    with pytest.raises(RefusedError) as refused:
        ek.report(table, **UP)
    assert "--map 'note=setting_of the data', if that is not a setting." in ways_of(
        refused
    )


def test_a_prediction_that_only_the_answers_have_is_read_from_there(rng, tmp_path):
    """A traceback: a printed option had the two columns the wrong way round."""
    right = pd.DataFrame({"nr": np.arange(40), "juist": rng.choice([*"abcd"], 40)})
    right.to_csv(tmp_path / "key.csv", index=False)
    for name in NAMES:
        given = np.where(rng.random(40) < 0.6, right.juist, "a")
        pd.DataFrame({"nr": right.nr, "gegeven": given}).to_csv(
            tmp_path / f"{name}.csv", index=False
        )
    files = [tmp_path / f"{name}.csv" for name in NAMES]
    said = {"baseline": "base", "gold": tmp_path / "key.csv", "unit": "item"}
    pairs = [
        {"label": a, "prediction": b, "item": "nr"}
        for a, b in (("juist", "gegeven"), ("gegeven", "juist"))
    ]
    assert ek.report(files, **said, columns=pairs[0]).findings.contrasts
    with pytest.raises(
        RefusedError, match="The right answer of .* differs from system to system"
    ):
        ek.report(files, **said, columns=pairs[1])


def test_fewer_runs_on_one_data_set_are_said(rng):
    rows = [
        (s, f"d{d}", k, rng.random()) for s in NAMES for d in range(8) for k in range(5)
    ]
    table = pd.DataFrame(rows, columns=["system", "dataset", "seed", "accuracy"])
    found = ek.report(table[1:], **UP)
    assert found.bench.merged == [
        "4 to 5 scores of a system on a data set, by their mean"
    ]


def test_files_of_several_kinds_may_be_given_by_paths_of_two_sorts(
    rng, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    for name in NAMES:
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text(json.dumps({"lr": 0.1}))
        (tmp_path / name / "run.json").write_text(json.dumps({"test_f1": rng.random()}))
    with pytest.raises(
        RefusedError, match=r"give .*/\*/run.json, if these hold the scores"
    ):
        ek.report(["base", tmp_path / "ours"], baseline="base")


def test_the_one_data_set_with_the_score_is_named(rng):
    """With --unit seed, as was advised, the rows of all others were runs that
    failed.
    """
    rows = [(s, d, k, rng.random() if d == "mrpc" else np.nan)
            for s in NAMES for d in ("cola", "mrpc") for k in range(5)]  # fmt: skip
    table = pd.DataFrame(rows, columns=["system", "dataset", "seed", "f1"])
    with pytest.raises(RefusedError, match="There is one data set") as refused:
        ek.report(table, baseline="base")
    assert ways_of(refused) == [
        "add data sets, or compare runs on this one: --where dataset=mrpc."
    ]
    assert (
        ek.report(table, baseline="base", where={"dataset": "mrpc"}).evidence.kind
        == "seeds"
    )


def test_each_data_set_has_a_last_step_of_its_own(rng):
    rows = [(s, d, k, e, rng.random()) for s in NAMES for n, d in enumerate("abcdefg") for k in range(3)
            for e in range(2 + n)]  # fmt: skip
    table = pd.DataFrame(
        rows, columns=["system", "dataset", "seed", "epoch", "accuracy"]
    )
    said = {**UP, "where": {"epoch": "last"}}
    assert "steps" not in {c.code for c in ek.report(table, **said).bench.checks}
    early = table[
        ~(
            (table.system == "ours")
            & (table.dataset == "g")
            & (table.seed == 1)
            & (table.epoch > 3)
        )
    ]
    words = (
        "The last score of 1 run stands before those of others on the same data set."
    )
    assert check(ek.report(early, **said), "steps").words == words


def test_errors_beside_words_are_asked_though_their_name_has_a_direction(rng):
    table = pd.DataFrame(
        rng.integers(0, 5, (60, 2)), columns=["old_err", "new_err"]
    ).assign(n_ref=20)
    table.insert(0, "utt", [f"u{k}" for k in range(60)])
    with pytest.raises(RefusedError, match=r"Were they counted out of n_ref\?"):
        ek.report(
            table,
            baseline="old",
            names="{system}_err",
            columns={"item": "utt"},
            unit="item",
        )


def test_what_was_measured_may_be_taken_back_as_a_setting(rng):
    rows = [(s, k, rng.random(), rng.random()) for s in NAMES for k in range(8)]
    table = pd.DataFrame(rows, columns=["system", "seed", "setting_minutes", "test_f1"])
    with pytest.raises(RefusedError, match="Fewer than 30 trials") as refused:
        ek.report(table, **UP, accept="test-chose")
    assert "--map note=setting_minutes, if these were measured and not set." in ways_of(
        refused
    )


def test_a_range_with_scores_of_failed_rows_says_so(rng):
    table = pd.DataFrame(
        {
            "system": np.repeat(NAMES, 6),
            "seed": [*range(6)] * 2,
            "points": rng.uniform(80, 90, 12),
        }
    )
    table = table.assign(status=["crashed", *["finished"] * 11])
    found = ek.report(table, **UP, metric="points", failed="drop")
    assert check(found, "scale").words.endswith(", with the scores of failed rows.")
    whole = ek.report(table.assign(status="finished"), **UP, metric="points")
    assert "failed" not in check(whole, "scale").words


def test_the_objective_of_a_search_is_not_asked_for_another_that_chose(rng):
    rows = [
        (s, k, rng.random(), "COMPLETE", rng.random()) for s in NAMES for k in range(40)
    ]
    table = pd.DataFrame(
        rows, columns=["system", "number", "value", "state", "params_lr"]
    )
    with pytest.raises(
        RefusedError, match="the one that is compared chose as well"
    ) as refused:
        ek.report(table, **UP, search="random")
    assert not any("--map validation" in way for way in ways_of(refused))


def test_a_run_that_ended_early_on_the_only_data_set_is_still_asked_about(rng):
    rows = [
        (s, "law", k, e, rng.random())
        for s in NAMES
        for k in range(6)
        for e in range(5)
    ]
    table = pd.DataFrame(
        rows, columns=["system", "dataset", "seed", "epoch", "accuracy"]
    )
    table = table[~((table.system == "ours") & (table.seed == 1) & (table.epoch > 2))]
    with pytest.raises(
        RefusedError, match="stands before those of all others, at 4: ours at 2"
    ):
        ek.report(table, **UP, unit="seed", where={"epoch": "last"})


def test_failed_runs_of_one_seed_for_all_were_not_started_again(rng):
    """Two of ten runs crashed; all have the seed 42, and which of eight they became
    nobody can say.
    """
    rows = [(s, f"{s}{k}", 42, np.nan if (s, k) in (("ours", 1), ("ours", 2)) else rng.random())
            for s in NAMES for k in range(10)]  # fmt: skip
    table = pd.DataFrame(rows, columns=["system", "run", "seed", "accuracy"])
    with pytest.raises(
        RefusedError, match="2 runs have no score: base 0 of 10, ours 2 of 10"
    ):
        ek.report(table, **UP, metric="accuracy")


def test_a_word_for_right_that_contradicts_the_answers_is_refused(rng):
    label = rng.choice([*"abcd"], 80)
    table = pd.DataFrame(
        {"id": [*range(80)] * 2, "system": np.repeat(NAMES, 80), "label": [*label] * 2}
    )
    table = table.assign(prediction=np.where(rng.random(160) < 0.6, table.label, "a"))
    table = table.assign(correct=np.where(table.prediction == table.label, "no", "yes"))
    said = {"baseline": "base", "unit": "item"}
    with pytest.raises(
        RefusedError,
        match="says the opposite of what the prediction and the right answer",
    ):
        ek.report(table, **said, right="yes")
    assert ek.report(table, **said, right="no").findings.contrasts


def test_failed_rows_without_a_score_are_not_in_the_range(rng):
    table = pd.DataFrame(
        {
            "system": np.repeat(NAMES, 6),
            "seed": [*range(6)] * 2,
            "points": rng.uniform(80, 90, 12),
        }
    )
    table.loc[0, "points"] = np.nan
    found = ek.report(
        table.assign(status=["crashed", *["ok"] * 11]),
        **UP,
        metric="points",
        failed="drop",
    )
    assert "failed" not in check(found, "scale").words


def test_settings_of_each_data_set_are_no_settings_of_its_runs(rng):
    rows = [
        (s, f"d{d}", k, d, rng.random())
        for s in NAMES
        for d in range(8)
        for k in range(3)
    ]
    table = pd.DataFrame(
        rows, columns=["system", "dataset", "seed", "setting_lr", "accuracy"]
    )
    assert ek.report(table, **UP).bench.merged == [
        "3 scores of a system on a data set, by their mean"
    ]


def test_data_sets_without_any_score_are_no_data_set(rng):
    table = pd.DataFrame(
        {"system": NAMES * 4, "dataset": np.repeat([*"abcd"], 2), "accuracy": np.nan}
    )
    # It was numpy's word on NaN.
    with pytest.raises(RefusedError, match="No row has accuracy"):
        ek.report(table, **UP, metric="accuracy")
