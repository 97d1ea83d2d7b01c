"""What walks of fresh files found: sentences that were not true, and ways that were not
offered.
"""

import json

import numpy as np
import pandas as pd
import pytest

import evalkit as ek
from evalkit.cli import main
from evalkit.reports import RefusedError, UnconfirmedError
from evalkit.reports._checks import _means

NAMES = ["base", "ours"]
UP = {"baseline": "base", "direction": "higher"}


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def pupils(rng):
    """Pupils of schools, each school taught in one way; some have no score."""
    rows = [
        (NAMES[k % 2], f"S{k}", f"no {30 * k + j}", round(rng.normal(60, 10)))
        for k in range(12)
        for j in range(30)
    ]
    table = pd.DataFrame(rows, columns=["system", "okul", "pupil", "puan"]).astype(
        {"puan": float}
    )
    table.loc[::40, "puan"] = np.nan
    return table


def check(found, name):
    return next(check for check in found.bench.checks if check.code == name)


def ways_of(refused):
    return [way for fault in refused.value.faults for way in fault.ways]


def test_rows_without_a_score_are_decided_before_a_mean_is_taken(pupils):
    """They vanished in it, and --failed changed nothing."""
    options = {
        **UP,
        "metric": "puan",
        "columns": {"run": "okul", "note": "pupil"},
        "duplicates": "mean",
    }
    with pytest.raises(
        RefusedError, match="9 rows have no score: base 6 of 180, ours 3 of 180"
    ):
        ek.report(pupils, **options)
    found = ek.report(pupils, failed="drop", **options)
    assert (9, "rows without a score") in found.bench.left_out
    means = pupils.groupby(["system", "okul"]).puan.mean().groupby("system").mean()
    assert found.findings.contrasts[0].difference == pytest.approx(
        means.ours - means.base
    )
    worst = ek.report(pupils, failed="worst", **options)
    assert worst.findings.contrasts[0].difference != pytest.approx(
        means.ours - means.base
    )


def test_rows_that_a_note_tells_apart_are_no_copies(pupils):
    """Two pupils of one school may have one score."""
    table = pupils.dropna().assign(vor=lambda t: (t.puan / 5).round())
    assert table.drop(columns="pupil").duplicated().any()
    options = {
        **UP,
        "metric": "puan",
        "columns": {"note": ["pupil", "okul", "vor"]},
        "unit": "seed",
    }
    assert check(ek.report(table, **options), "duplicates").outcome == "unchecked"
    with pytest.raises(
        RefusedError,
        match="360 rows are copies|rows are copies of another, in every column",
    ):
        ek.report(pd.concat([table, table]), **options)


@pytest.mark.parametrize(("role", "of"), [("dataset", "data set"), ("item", "item")])
def test_errors_on_scales_of_their_own_are_asked_about(rng, role, of):
    """The last was called a mean of the others, though it lies 35 % below."""
    levels = [0.6, 1.1, 0.7, 75.0, 2.0, 9.4]
    rows = [
        (s, f"d{k}{'ab'[k % 2]}", v * rng.uniform(0.95, 1.05))
        for s in NAMES
        for k, v in enumerate(levels)
    ]
    table = pd.DataFrame(rows, columns=["system", role, "rmse"])
    with pytest.raises(RefusedError) as refused:
        ek.report(table, baseline="base")
    (fault,) = refused.value.faults
    assert fault.what.startswith(f"Medians of the {of}s go from d0a 0.")


def test_one_kind_of_score_on_few_items_is_on_one_scale(rng):
    rows = [(s, f"q{k}", float(rng.integers(0, 2))) for s in NAMES for k in range(20)]
    assert (
        check(
            ek.report(pd.DataFrame(rows, columns=["system", "item", "accuracy"]), **UP),
            "scale",
        ).outcome
        == "fine"
    )


def test_items_that_count_by_themselves_are_said_to(rng):
    rows = [
        (s, f"q{k}", f"topic{k // 4}", rng.random()) for s in NAMES for k in range(40)
    ]
    table = pd.DataFrame(rows, columns=["system", "item", "thema", "bleu"])
    said = check(ek.report(table, **UP, unit="item"), "groups")
    assert (said.outcome, said.words) == (
        "decided",
        "You said --unit item: each item counts by itself.",
    )


def test_a_smallest_p_value_of_several_comparisons_is_an_adjusted_one(rng):
    rows = [(s, f"d{k}x", rng.random()) for s in (*NAMES, "third") for k in range(12)]
    found = ek.report(
        pd.DataFrame(rows, columns=["system", "dataset", "accuracy"]), **UP
    )
    assert (
        check(found, "few").words
        == "12 data sets; the smallest possible adjusted p-value is 0.00098."
    )


def test_the_raters_of_systems_are_no_systems(rng):
    """It ended in a traceback: agreement was asked of raters, and there were
    systems.
    """
    rows = [
        (s, f"r{j}", f"q{k}", float(rng.integers(1, 6)))
        for s in NAMES
        for j in range(6)
        for k in range(20)
        if (j + k) % 2
    ]
    table = pd.DataFrame(rows, columns=["system", "rater", "item", "mos"])
    with pytest.raises(RefusedError) as refused:
        ek.report(table, **UP, metric="mos", unit="rater")
    assert "--unit item" in " ".join(ways_of(refused))
    found = ek.report(table, **UP, metric="mos", unit="item")
    assert "the scores of 3 of 6 raters on an item, by their mean" in found.bench.merged


def test_what_goes_with_all_predictions_is_asked_about(rng):
    """Forgotten, the right answers left a page on whose predictions are higher."""
    right = rng.uniform(2000, 4000, 60)
    table = pd.DataFrame(
        {
            "feld": [f"f{k}" for k in range(60)],
            "ertrag": right,
            "flaeche": rng.uniform(1, 9, 60),
        }
    )
    table[NAMES] = right[:, None] + rng.normal(0, 300, (60, 2))
    options = {**UP, "columns": {"system": NAMES, "item": "feld"}}
    with pytest.raises(UnconfirmedError) as refused:
        ek.report(table, **options)
    assert ways_of(refused) == ["--map label=ertrag", "--map note=ertrag"]
    options["columns"] = {**options["columns"], "note": ["ertrag", "flaeche"]}
    assert ek.report(table, **options).findings.contrasts


def test_a_score_behind_a_word_in_other_letters_is_no_test_part(pupils):
    """Of Ön Test and Son Test the first was "the only score"."""
    table = pupils.rename(columns={"puan": "Son Test"}).assign(
        **{"Ön Test": pupils.puan.fillna(50) - 3}
    )
    with pytest.raises(UnconfirmedError) as refused:
        ek.report(table, baseline="base")
    offered = {
        way.partition(" --direction")[0]
        for way in ways_of(refused)
        if way.startswith("--metric")
    }
    assert offered == {"--metric 'Son Test'", "--metric 'Ön Test'"}


def test_runs_that_we_numbered_lack_no_seed(tmp_path, rng):
    for system, n in (("base", 8), ("ours", 7)):
        for k in range(n):
            place = tmp_path / system / f"run_{k + 3 * (system == 'ours')}.json"
            place.parent.mkdir(exist_ok=True)
            place.write_text(json.dumps({"accuracy": rng.random()}))
    assert check(ek.report(tmp_path, baseline="base"), "seeds").outcome == "unchecked"


def test_two_columns_that_tell_rows_apart_are_asked_alone(rng):
    rows = [
        (s, r, f, 83 - f % 2, rng.random())
        for s in NAMES
        for r in range(5)
        for f in range(5)
    ]
    table = pd.DataFrame(
        rows, columns=["system", "epanalepsi", "ptychi", "n", "accuracy"]
    )
    with pytest.raises(UnconfirmedError) as refused:
        ek.report(table, baseline="base")
    assert refused.value.table.asked[0].columns == ("epanalepsi", "ptychi")


def test_many_runs_may_be_trials(rng):
    rows = [
        (s, t, rng.random(), 10 ** rng.uniform(-5, -1))
        for s in NAMES
        for t in range(40)
    ]
    table = pd.DataFrame(rows, columns=["system", "proba", "accuracy", "lr"])
    with pytest.raises(UnconfirmedError) as refused:
        ek.report(table, baseline="base")
    assert "--map trial=proba, if each is a trial of a search for settings." in ways_of(
        refused
    )
    with pytest.raises(UnconfirmedError) as refused:
        ek.report(table[table.proba < 20], baseline="base")
    assert not [way for way in ways_of(refused) if "trial" in way]


def test_runs_side_by_side_on_data_sets_are_offered_as_such(rng):
    """The first of them alone was offered as the score."""
    table = pd.DataFrame(
        [(s, f"d{k}x") for s in NAMES for k in range(8)], columns=["system", "dataset"]
    )
    table[[f"сид_{k}" for k in range(5)]] = rng.random((16, 5))
    with pytest.raises(UnconfirmedError) as refused:
        ek.report(table, **UP)
    assert "--map seed=сид_0,сид_1,сид_2,сид_3,сид_4, if each is a training run." in [
        way.replace("'", "") for way in ways_of(refused)
    ]
    columns = {"seed": [f"сид_{k}" for k in range(5)]}
    assert ek.report(table, **UP, columns=columns).evidence.kind == "datasets"


def test_a_trial_that_failed_is_known_by_the_file_that_ray_writes(tmp_path, rng):
    """Its last row, of the seventh of twenty iterations, was averaged with whole
    ones.
    """
    for system in NAMES:
        for seed in range(5):
            place = tmp_path / f"train_{system}_{seed}"
            place.mkdir()
            n = 3 if (system, seed) == ("ours", 4) else 10
            trial = {
                "trial_id": place.name,
                "time_total_s": 9.0,
                "config": {"model": system, "seed": seed},
            }
            rows = [
                {**trial, "accuracy": rng.random(), "training_iteration": k}
                for k in range(1, n + 1)
            ]
            (place / "result.json").write_text("\n".join(map(json.dumps, rows)))
    options = {"baseline": "base", "where": {"training_iteration": "last"}}
    with pytest.raises(
        RefusedError,
        match=(
            "The last score of 1 run stands before those of all others, at 10: ours"
            " at 3"
        ),
    ):
        ek.report(tmp_path, **options)
    (tmp_path / "train_ours_4" / "error.txt").write_text("Traceback")
    with pytest.raises(
        RefusedError, match="^1 run did not end with a score: base 0 of 5, ours 1 of 5"
    ):
        ek.report(tmp_path, **options)
    assert len(ek.report(tmp_path, **options, failed="drop").scores("ours")) == 4


def test_what_is_a_third_below_the_mean_of_the_others_is_no_mean():
    """By how far the others scatter it was near."""
    wide = np.array(
        [
            [0.2, 0.21],
            [0.9, 0.88],
            [0.3, 0.33],
            [0.8, 0.79],
            [0.1, 0.12],
            [0.95, 0.96],
            [0.36, 0.365],
        ]
    )
    assert not _means._is_central(wide)
    wide[-1] = wide[:-1].mean(axis=0) + 0.004
    assert _means._is_central(wide)


def test_scores_of_tidymodels_are_of_one_metric(rng):
    """Its columns begin with a point; three metrics were one score."""
    rows = [
        (s, f"Repeat{r}", f"Fold{f:02d}", m, rng.random())
        for s in NAMES
        for r in range(5)
        for f in range(10)
        for m in ("accuracy", "brier_class", "roc_auc")
    ]
    table = pd.DataFrame(
        rows, columns=["wflow_id", "id", "id2", ".metric", ".estimate"]
    )
    with pytest.raises(
        RefusedError, match="metric names 3 metrics: accuracy, brier_class, roc_auc"
    ):
        ek.report(table, baseline="base")
    options = {
        "columns": {"system": "wflow_id", "repeat": "id", "fold": "id2"},
        "n_train": 900,
        "n_test": 100,
    }
    found = ek.report(
        table, baseline="base", where={".metric": "roc_auc"}, **options
    ).findings.contrasts[0]
    of = table[table[".metric"] == "roc_auc"].groupby("wflow_id")[".estimate"].mean()
    assert found.difference == pytest.approx(of.ours - of.base)


@pytest.fixture
def resamples(rng):
    """As caret writes them."""
    metrics = [
        f"{system}~{metric}" for system in NAMES for metric in ("ROC", "Sens", "Spec")
    ]
    table = pd.DataFrame(rng.random((30, 6)), columns=metrics)
    table.insert(
        0, "Resample", [f"Fold{f:02d}.Rep{r}" for r in range(3) for f in range(10)]
    )
    return table


def test_columns_of_systems_and_metrics_have_a_form_that_is_printed(resamples):
    with pytest.raises(RefusedError) as refused:
        ek.report(resamples, baseline="base")
    forms = " or ".join(
        f"--names '{{system}}~{metric}'" for metric in ("ROC", "Sens", "Spec")
    )
    assert f"{forms}, if the rest of these names is that of a system." in ways_of(
        refused
    )
    options = {
        **UP,
        "metric": "ROC",
        "columns": {"fold": "Resample"},
        "n_train": 900,
        "n_test": 100,
    }
    found = ek.report(resamples, names="{system}~ROC", **options)
    expected = resamples["ours~ROC"].mean() - resamples["base~ROC"].mean()
    assert found.findings.contrasts[0].difference == pytest.approx(expected)


def test_a_number_for_each_system_and_data_set_is_no_setting(rng):
    """As `nr` of mlr3."""
    rows = [
        (s, f"d{k}x", 12 * j + k, f, rng.random())
        for j, s in enumerate(NAMES)
        for k in range(12)
        for f in range(5)
    ]
    table = pd.DataFrame(rows, columns=["system", "dataset", "nr", "fold", "error"])
    assert ek.report(table, baseline="base").evidence.kind == "datasets"


def test_lists_of_objects_are_rows_with_the_name_of_their_list(tmp_path, rng):
    """As `comet-score --to_json` writes them."""
    right = {
        name: [{"src": f"sentence {k}", "COMET": rng.random()} for k in range(40)]
        for name in NAMES
    }
    (tmp_path / "comet.json").write_text(json.dumps(right))
    columns = {"system": "name of the list", "item": "src"}
    found = ek.report(
        tmp_path / "comet.json", baseline="base", columns=columns
    ).findings.contrasts[0]
    means = [
        np.mean([row["COMET"] for row in right[name]]) for name in ("ours", "base")
    ]
    assert found.difference == pytest.approx(means[0] - means[1])


def test_the_name_of_the_system_in_that_of_a_folder_tells_no_runs_apart(tmp_path, rng):
    """As in the folders of HELM; their subjects were seeds."""
    for system in NAMES:
        for subject in ("algebra", "law", "chemistry"):
            place = tmp_path / f"mmlu:subject={subject},model={system}" / "scores.csv"
            place.parent.mkdir()
            rows = pd.DataFrame(
                {"item": [f"id{k}" for k in range(20)], "accuracy": rng.random(20)}
            )
            rows.to_csv(place, index=False)
    with pytest.raises(
        UnconfirmedError, match="name .by its file. .*subject=algebra,model="
    ):
        ek.report(tmp_path, baseline="base", names="*model={system}")


def test_rows_without_a_system_may_be_left_out_of_each_file(tmp_path, rng):
    """As instructions and fixations in an experiment's."""
    for person in range(6):
        rows = [("intro", "", "")] + [
            ("response", s, rng.random()) for s in NAMES for _ in range(5)
        ]
        table = pd.DataFrame(rows, columns=["task_type", "condition", "rt"]).assign(
            subject=f"p{person}"
        )
        table.to_csv(tmp_path / f"{person}.csv", index=False)
    with pytest.raises(RefusedError) as refused:
        ek.report(tmp_path, baseline="base", metric="rt")
    assert "--where 'condition!=empty' leaves them out." in ways_of(refused)


def test_a_count_beside_items_is_no_group_of_them(rng):
    """How often a benchmark was repeated was offered as the unit."""
    rows = [
        (s, f"test[{k}]", [400, 36, 61, 75, 90][k % 5], f"g{k % 5}", rng.random())
        for s in NAMES
        for k in range(25)
    ]
    table = pd.DataFrame(
        rows, columns=["system", "fullname", "rounds", "family_of", "ms"]
    )
    with pytest.raises(UnconfirmedError) as refused:
        ek.report(table, baseline="base", metric="ms", direction="lower")
    units = [way for way in ways_of(refused) if way.startswith("--map item=fullname")]
    assert [way.split()[3].rstrip(",") for way in units] == ["family_of", "item"]


def test_what_stands_in_lists_is_said_not_to_be_read(rng):
    """As the statistics of each instance in HELM's files."""
    stats = [
        f'[{{"name": "exact_match", "mean": {rng.integers(0, 2)}}}]' for _ in range(40)
    ]
    table = pd.DataFrame(
        {
            "system": np.repeat(NAMES, 20),
            "id": [*range(20)] * 2,
            "stats": stats,
            "trial_index": 0,
        }
    )
    with pytest.raises(UnconfirmedError, match="Lists and objects are not read: stats"):
        ek.report(table, baseline="base")


def test_event_files_of_tensorboard_have_a_way_out(tmp_path):
    (tmp_path / "PPO_1").mkdir()
    (tmp_path / "PPO_1" / "events.out.tfevents.1710155646.host.4101.0").write_bytes(
        b"\x18\0\0\0"
    )
    with pytest.raises(RefusedError) as refused:
        ek.report(tmp_path, baseline="PPO")
    assert ways_of(refused)[0].startswith("save each tag as CSV in TensorBoard")


def test_counts_right_and_wrong_of_a_total_are_offered_with_it(rng):
    """The total, the same for every system, was not offered; wrong answers for one
    right one were.
    """
    total = rng.integers(90, 400, 14)
    rows = [
        (s, f"d{k}x", int(n * rng.uniform(0.5, 0.9)), n)
        for s in NAMES
        for k, n in enumerate(total)
    ]
    table = pd.DataFrame(rows, columns=["sistem", "set", "corecte", "total"]).assign(
        gresite=lambda t: t.total - t.corecte
    )
    with pytest.raises(UnconfirmedError) as refused:
        ek.report(table, baseline="base")
    pairs = [
        way.split(" --direction higher, ")[0]
        for way in ways_of(refused)
        if "higher, if" in way
    ]
    assert pairs == [
        f"--map numerator={part} --map denominator=total"
        for part in ("corecte", "gresite")
    ]


def test_the_index_of_a_table_of_ray_is_no_metric(rng):
    table = pd.DataFrame(
        {"Unnamed: 0": range(16), "accuracy": rng.random(16), "loss": rng.random(16)}
    )
    table = table.assign(
        trial_id=[f"t{k}" for k in range(16)], training_iteration=10, time_total_s=1.0
    )
    table["config/model"] = np.repeat(NAMES, 8)
    with pytest.raises(
        UnconfirmedError, match="2 columns are scores by their names: accuracy, loss"
    ):
        ek.report(table, baseline="base")


def test_a_kept_direction_is_not_that_of_another_metric(
    tmp_path, rng, monkeypatch, capsys
):
    """A better system was called worse: the file that the report wrote said so of a
    loss.
    """
    monkeypatch.chdir(tmp_path)
    table = pd.DataFrame(
        {"system": np.repeat(NAMES, 9), "seed": [*range(9)] * 2, "loss": rng.random(18)}
    )
    table.assign(accuracy=1 - table.loss).to_csv("runs.csv", index=False)
    assert main(["report", "runs.csv", "--baseline", "base", "--metric", "loss"]) == 0
    assert "lower is better" in capsys.readouterr().out
    assert main(["report", "--metric", "accuracy"]) == 0
    assert "higher is better" in capsys.readouterr().out


@pytest.mark.parametrize("role", ["dataset", "fold"])
def test_rows_without_a_score_vanish_in_no_mean_of_another_kind(rng, role):
    """People, as data sets, who met both systems many times: answers that came too late
    were left out.
    """
    rows = [
        (s, f"p{k}x", rng.uniform(400, 900))
        for s in NAMES
        for k in range(8)
        for _ in range(10)
    ]
    table = pd.DataFrame(rows, columns=["system", role, "rt"])
    table.loc[::16, "rt"] = np.nan
    options = {
        "baseline": "base",
        "metric": "rt",
        "direction": "lower",
        "duplicates": "mean",
    }
    options |= {"n_train": 70, "n_test": 10} if role == "fold" else {}
    with pytest.raises(
        RefusedError, match="10 rows have no score: base 5 of 80, ours 5 of 80"
    ):
        ek.report(table, **options)
    found = ek.report(table, failed="drop", **options)
    assert (10, "rows without a score") in found.bench.left_out
    assert check(found, "failed").outcome == "decided"


def test_a_short_name_of_a_system_is_not_taken_out_of_the_names_of_files(tmp_path, rng):
    for system in ("a", "b"):
        for name in ("algebra", "biology", "law"):
            place = tmp_path / system / f"{name}.json"
            place.parent.mkdir(exist_ok=True)
            place.write_text(json.dumps({"accuracy": rng.random()}))
    with pytest.raises(UnconfirmedError, match="algebra, biology, law"):
        ek.report(tmp_path, baseline="a")


def test_a_kept_direction_is_not_that_of_another_metric_in_a_column_of_metrics(
    tmp_path, rng, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    rows = [
        (s, k, m, rng.random())
        for s in NAMES
        for k in range(9)
        for m in ("accuracy", "loss")
    ]
    pd.DataFrame(rows, columns=["system", "seed", "metric", "value"]).to_csv(
        "runs.csv", index=False
    )
    assert (
        main(["report", "runs.csv", "--baseline", "base", "--where", "metric=accuracy"])
        == 0
    )
    capsys.readouterr()
    status = main(["report", "--where", "metric=loss"])
    assert status != 0 or "lower is better" in capsys.readouterr().out
