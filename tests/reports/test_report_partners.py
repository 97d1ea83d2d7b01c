"""What forty more fresh files found: partners that are gone, marks, groups of two
columns, searches.
"""

import json
import shlex

import numpy as np
import pandas as pd
import pytest
from told import NAMES, UP, check, ways_of

import evalkit as ek
from evalkit import cli
from evalkit.reports import RefusedError


@pytest.fixture
def rng():
    return np.random.default_rng(11)


@pytest.mark.parametrize("role", ["rater", "repeat"])
def test_of_an_answer_that_is_left_out_the_partner_goes_as_well(role, rng):
    """Means over different raters, or moments, were compared: the hard ones of one
    system were missing.
    """
    at = pd.MultiIndex.from_product(
        [NAMES, range(40), [*"abc"]], names=["system", "item", role]
    )
    table = at.to_frame(index=False).assign(points=rng.normal(50, 9, 240))
    table.loc[[3, 120, 200], "points"] = np.nan
    found = ek.report(table, **UP, metric="points", unit="item", failed="drop")
    wide = table.pivot_table("points", ["item", role], "system").dropna()
    by_item = (wide.ours - wide.base).groupby("item").mean()
    assert found.findings.contrasts[0].difference == pytest.approx(by_item.mean())
    why = f"answers whose {role} has no score of another system on that item"
    assert found.bench.left_out[-2:] == [(3, "answers without a score"), (3, why)]


def test_raters_that_each_system_has_of_its_own_lose_none(rng):
    rows = [
        (s, k, f"{s}{r}", rng.normal())
        for s in NAMES
        for k in range(40)
        for r in range(3)
    ]
    table = pd.DataFrame(rows, columns=["system", "item", "repeat", "points"])
    table.loc[3, "points"] = np.nan
    found = ek.report(table, **UP, metric="points", unit="item", failed="drop")
    assert found.bench.left_out[-1] == (1, "answers without a score")
    assert check(found, "repeats").words.startswith("Answers are missing: base lacks 1")


def test_numbers_of_trials_that_come_again_are_of_several_searches(rng):
    names = ["system", "haku", "trial"]
    at = pd.MultiIndex.from_product([NAMES, range(8), range(25)], names=names).to_frame(
        index=False
    )
    table = at.assign(
        setting_lr=rng.random(400), val_f1=rng.random(400), test_f1=rng.random(400)
    )
    said = {"baseline": "base", "metric": "test_f1"}
    with pytest.raises(
        RefusedError, match="Numbers of trials come again in a system, in 350 of 400"
    ) as refused:
        ek.report(table, **said)
    drawn = (
        "--search random, if each trial was drawn by itself: then those of all searches"
        " are pooled."
    )
    assert ways_of(refused)[-1] == drawn
    assert ek.report(table, **said, search="random").evidence.kind == "search"
    # Settings of which each was run with several seeds.
    once = table.drop_duplicates(["system", "trial"])
    seeds = pd.concat([once.assign(seed=k, test_f1=rng.random(50)) for k in range(3)])
    with pytest.raises(RefusedError, match="Fewer than 30 trials"):
        ek.report(seeds, **said, search="guided")


def test_a_pruned_trial_is_no_run(rng):
    table = pd.DataFrame(
        {
            "system": np.repeat(NAMES, 10),
            "seed": [*range(10)] * 2,
            "accuracy": rng.random(20),
        }
    )
    status = ["PRUNED", *["COMPLETE"] * 19]
    with pytest.raises(
        RefusedError, match="1 run did not end with a score: base 1 of 10, ours 0 of 10"
    ):
        ek.report(table.assign(state=status), **UP)


@pytest.mark.parametrize("status", ["running", "crashed"])
def test_what_had_not_ended_is_said_so(status, rng):
    table = pd.DataFrame(
        {
            "system": np.repeat(NAMES, 10),
            "seed": [*range(10)] * 2,
            "accuracy": rng.random(20),
        }
    )
    found = ek.report(table.assign(status=[status, *["ok"] * 19]), **UP, failed="drop")
    why = {
        "running": "runs that failed or had not ended",
        "crashed": "runs that failed",
    }[status]
    assert found.bench.left_out == [(1, why)]
    gone = ek.report(
        table.assign(status=[status, *["ok"] * 19]), **UP, where={"status": "ok"}
    )
    assert check(gone, "seeds").words.endswith(
        "Did it crash, was it never started, or is it left out?"
    )


def test_of_three_marks_one_counts_as_right_and_the_others_are_named(rng):
    """--right was not heard where systems stand side by side."""
    marks = pd.DataFrame({name: rng.choice([*"○△×"], 60) for name in NAMES}).assign(
        id=range(60)
    )
    said = {**UP, "columns": {"system": NAMES}, "unit": "item"}
    with pytest.raises(RefusedError) as refused:
        ek.report(marks, **said)
    assert (
        "--right WORD: the word, or the mark, of a right answer; every other counts as"
        " wrong." in ways_of(refused)
    )
    found = ek.report(marks, **said, right="○")
    assert "score: ○ counts as 1, and × and △ as 0" in found.notes
    assert found.findings.contrasts[0].difference == pytest.approx(
        (marks == "○").mean().diff().iloc[1]
    )
    long = marks.melt("id", var_name="system", value_name="mark")
    with pytest.raises(RefusedError) as refused:
        ek.report(long, **UP, metric="mark")
    assert any(way.startswith("--right WORD, if it is") for way in ways_of(refused))
    # What a person says of the same items, in the same words, may be the right answer.
    with pytest.raises(
        RefusedError, match="What the systems say goes with judge: do they predict it"
    ) as refused:
        ek.report(marks.assign(judge=rng.choice([*"○△×"], 60)), **said, right="○")
    assert ways_of(refused) == ["--map label=judge", "--map note=judge"]


def test_a_column_is_no_setting_and_a_validation_score_at_once(rng):
    table = pd.DataFrame(
        {"system": np.repeat(NAMES, 40), "nr": [*range(40)] * 2, "lr": rng.random(80)}
    )
    table = table.assign(quality=rng.random(80), test_accuracy=rng.random(80))
    said = {"baseline": "base", "metric": "test_accuracy", "unit": "trial"}
    columns = {"setting": ["lr", "quality"], "validation": "quality"}
    with pytest.raises(ValueError, match="quality: a setting, and something else"):
        ek.report(table, **said, columns=columns)


def test_the_validation_score_is_offered_beside_the_settings(rng):
    table = pd.DataFrame(
        {"system": np.repeat(NAMES, 40), "seed": [*range(40)] * 2, "lr": rng.random(80)}
    )
    with pytest.raises(
        RefusedError, match="Which were set, as a learning rate is, and which may be"
    ) as refused:
        ek.report(
            table.assign(quality=rng.random(80), test_accuracy=rng.random(80)), **UP
        )
    assert (
        "--map validation=COLUMN, if it is the score by which settings were chosen."
        in ways_of(refused)
    )


def test_two_metrics_are_not_compared_as_the_first_of_them(rng):
    table = pd.DataFrame({"system": np.repeat(NAMES, 9), "seed": [*range(9)] * 2})
    table = table.assign(dice=rng.random(18), iou=rng.random(18))
    with pytest.raises(RefusedError, match="No one column is called 'dice,iou'"):
        ek.report(table, **UP, metric="dice,iou")


def test_names_of_systems_with_commas_are_offered_one_by_one(rng):
    wide = pd.DataFrame(
        {"a, b": rng.random(9), "c, d": rng.random(9), "seed": range(9)}
    )
    with pytest.raises(RefusedError) as refused:
        ek.report(wide, baseline="a, b")
    assert any(
        "--map 'system=a, b' --map system=COLUMN" in way for way in ways_of(refused)
    )


def test_a_row_of_means_hides_no_column_that_numbers_rows(rng):
    at = pd.MultiIndex.from_product(
        [range(1, 6), range(1, 11)], names=["Wiederholung", "Faltung"]
    )
    wide = pd.DataFrame(rng.random((50, 2)), at, columns=NAMES).reset_index()
    mean = {"Wiederholung": "Mittelwert", "Faltung": None, **wide[NAMES].mean()}
    wide = pd.concat(
        [wide.astype({"Wiederholung": object}), pd.DataFrame([mean])], ignore_index=True
    )
    said = {**UP, "columns": {"system": NAMES}}
    with pytest.raises(
        RefusedError, match="Wiederholung holds numbers, and Mittelwert"
    ) as refused:
        ek.report(wide, **said)
    assert ways_of(refused)[0] == "--where 'Wiederholung!=Mittelwert' leaves it out."
    with pytest.raises(RefusedError) as refused:
        ek.report(wide, **said, where={"Wiederholung!": "Mittelwert"})
    assert any(way.startswith("--map repeat=Wiederholung") for way in ways_of(refused))


def test_items_of_one_patient_are_seen_before_two_endings(rng):
    names = [f"patient{k // 2:03}_frame{k % 2:02}.nii.gz" for k in range(60)]
    table = pd.DataFrame(
        {"system": np.repeat(NAMES, 60), "item": names * 2, "dice": rng.random(120)}
    )
    with pytest.raises(RefusedError, match="begin with one of 30 parts") as refused:
        ek.report(table, **UP)
    assert (
        ways_of(refused)[0]
        == "--unit beginning: items that begin alike belong together."
    )
    found = ek.report(table, **UP, unit="beginning")
    assert found.findings.contrasts[0].sizes.startswith("60 items in 30 groups")
    assert (
        found.findings.varies
        == "other groups of items that begin alike, answered by these models"
    )
    said = (
        "You said --unit beginning: the 30 beginnings of their names are the unit, as"
        " patient000, patient001"
    )
    assert check(found, "groups").words.startswith(said)
    assert any(
        words.startswith("groups of equal weight") for words in found.findings.cannot
    )
    own = ek.report(
        table.assign(patient=table.item.str[:10]), **UP, unit="patient"
    ).findings.contrasts[0]
    assert found.findings.contrasts[0].pvalue == own.pvalue
    assert ek.report(
        table.assign(beginning="a" + table.item.str[8:10]), **UP, unit="beginning"
    )
    with pytest.raises(RefusedError, match="60 items have no beginning"):
        ek.report(table.assign(item=[*range(60)] * 2), **UP, unit="beginning")


def test_errors_that_may_be_more_than_the_words_are_asked_about(rng):
    words = rng.integers(4, 40, 200)
    table = pd.DataFrame(
        {
            "utt": [*range(200)] * 2,
            "system": np.repeat(NAMES, 200),
            "maneno": [*words] * 2,
        }
    )
    table = table.assign(
        makosa=rng.binomial(table.maneno, 0.2), badala=rng.integers(0, 3, 400)
    )
    table.loc[7, "makosa"] = table.maneno[7] + 1
    with pytest.raises(RefusedError) as refused:
        ek.report(table.assign(nyingine=rng.integers(0, 3, 400)), baseline="base")
    rate = (
        "--map numerator=COLUMN --map denominator=maneno --direction lower, if COLUMN"
        " counts the errors among"
    )
    assert any(way.startswith(rate) for way in ways_of(refused))
    with pytest.raises(
        RefusedError, match="makosa: whole numbers, and maneno is hardly ever smaller"
    ):
        ek.report(
            table,
            baseline="base",
            metric="makosa",
            direction="lower",
            columns={"item": "utt"},
        )


def test_runs_on_data_sets_and_units_that_may_differ_are_said(rng):
    rows = [
        (s, f"d{d}", k, rng.random()) for s in NAMES for d in range(8) for k in range(3)
    ]
    table = pd.DataFrame(rows, columns=["system", "dataset", "seed", "rmse"])
    found = ek.report(table, baseline="base")
    assert (
        "other runs, or folds: of several scores on a data set the mean counts."
        in found.findings.cannot
    )
    scale = check(found, "scale")
    assert (scale.outcome, scale.words[-51:]) == (
        "unchecked", " Whether all data sets have one unit, nothing says."
    )  # fmt: skip
    shares = ek.report(table.rename(columns={"rmse": "accuracy"}), baseline="base")
    assert check(shares, "scale").outcome == "fine"
    at_once = ek.report(table.assign(rmse=table.seed + 1.0), baseline="base", unit="seed", duplicates="mean",
                        accept=("copies", "steps"))  # fmt: skip
    assert "scores 1 with" not in check(at_once, "copies").words


def test_pupils_of_classes_that_met_one_system_have_a_way_to_their_means(rng):
    table = pd.DataFrame(
        {
            "system": np.repeat(NAMES, 100),
            "punkte": rng.random(200),
            "pupil": range(200),
        }
    )
    table = table.assign(class_name=[f"K{k // 10}" for k in range(200)]).drop(
        columns="pupil"
    )
    with pytest.raises(RefusedError) as refused:
        ek.report(table, **UP, metric="punkte")
    way = (
        "--map run=class_name --duplicates mean, if each is a person, a class or the"
        " like, with several rows."
    )
    assert way in ways_of(refused)
    found = ek.report(
        table, **UP, metric="punkte", columns={"run": "class_name"}, duplicates="mean"
    )
    assert found.findings.contrasts[0].sizes == "10 and 10 values of class_name"


def test_a_title_above_columns_without_names_at_their_end_is_seen(tmp_path):
    rows = ["Auswertung;;;;", "Stand: Juni;;;;", "seed;base;ours;Bemerkung;"]
    rows += [f"{k};0.{70 + k};0.{80 + k};;" for k in range(8)]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(rows))
    with pytest.raises(
        RefusedError,
        match="lines 1 to 2 have one filled cell, line 3 looks like the header",
    ):
        ek.report(path, baseline="base")


def test_last_steps_are_not_called_steps_again(rng):
    rows = [(s, f, e, rng.random()) for s in NAMES for f in range(5) for e in range(3)]
    table = pd.DataFrame(
        [*rows, ("base", 1, 2, 0.5)], columns=["system", "fold", "epoch", "accuracy"]
    )
    with pytest.raises(
        RefusedError, match="1 row comes again with the same system and fold"
    ):
        ek.report(table, **UP, where={"epoch": "last"}, n_train=4, n_test=1)


def test_where_the_runs_ended_is_printed_as_it_can_be_typed(rng):
    rows = [
        (s, k, e, rng.random())
        for s in NAMES
        for k in range(10)
        for e in (500_000, 1_000_000)
    ]
    table = pd.DataFrame(rows, columns=["system", "seed", "step", "reward"]).drop(
        index=3
    )
    with pytest.raises(
        RefusedError, match="--where step=1000000 compares those that came there"
    ):
        ek.report(table, **UP, where={"step": "last"})


def test_groups_are_of_what_the_item_is_said_to_be(rng):
    """Columns were offered as the unit of which each item has its own, and its
    documents were not.
    """
    rows = [(s, f"d{k // 5}", k, rng.random()) for s in NAMES for k in range(100)]
    table = pd.DataFrame(rows, columns=["system", "doc_id", "seg", "comet"])
    with pytest.raises(RefusedError) as refused:
        ek.report(table, baseline="base")
    assert any(
        way.startswith("--map item=seg --unit doc_id,") for way in ways_of(refused)
    )


def test_an_item_of_two_columns_frees_both_of_their_roles(
    tmp_path, monkeypatch, capsys, rng
):
    from evalkit.cli import main

    monkeypatch.chdir(tmp_path)
    rows = [
        (s, t, k, rng.integers(0, 2))
        for s in NAMES
        for t in ("a", "b", "c")
        for k in range(40)
    ]
    pd.DataFrame(rows, columns=["system", "task", "item", "correct"]).to_csv(
        "a.csv", index=False
    )
    assert main(["report", "a.csv", "--baseline", "base", "--unit", "task"]) == 0
    assert (
        main(
            [
                "report",
                "a.csv",
                "--baseline",
                "base",
                "--map",
                "item=task,item",
                "--unit",
                "item",
            ]
        )
        == 0
    )
    assert "120 items" in capsys.readouterr().out


def test_answers_that_a_column_counts_have_no_mean_of_those_that_are_left(rng):
    at = pd.MultiIndex.from_product(
        [NAMES, range(30), [*"abcd"]], names=["system", "item", "cutoff"]
    )
    table = at.to_frame(index=False).assign(points=rng.normal(50, 9, 240))
    table.loc[[3, 9], "points"] = np.nan
    said = {**UP, "metric": "points", "unit": "item", "failed": "drop"}
    with pytest.raises(
        RefusedError, match="Answers are missing: base lacks 2"
    ) as refused:
        ek.report(table, **said, columns={"note": "cutoff"}, duplicates="mean")
    way = (
        "--map repeat=cutoff: then the answers of the others with that number go as"
        " well."
    )
    assert way in ways_of(refused)
    found = ek.report(table, **said, columns={"repeat": "cutoff"})
    assert (
        2,
        "answers whose repeat has no score of another system on that item",
    ) in found.bench.left_out


def test_patients_are_asked_about_whatever_was_left_out_before(rng):
    """124 scans of 60 patients, and 114 of 59: the question went away with the rows."""
    names = [f"PAT{k // 2:03}_v{k % 2}.nii.gz" for k in range(60)]
    table = pd.DataFrame(
        {"system": np.repeat(NAMES, 60), "item": names * 2, "dice": rng.random(120)}
    )
    table.loc[[*range(0, 24, 2)], "dice"] = np.nan
    with pytest.raises(RefusedError, match="begin with one of 30 parts"):
        ek.report(table, **UP, failed="drop", unmatched="drop")


def test_trials_that_ended_in_their_own_time_are_no_steps(rng):
    table = pd.DataFrame(
        {"model": np.repeat(NAMES, 30), "run_id": [f"t{k}" for k in range(60)]}
    )
    table = table.assign(
        training_iteration=rng.integers(1, 41, 60),
        note_lr=rng.random(60),
        accuracy=rng.random(60),
    )
    found = ek.report(table, **UP, columns={"step": "training_iteration"}, unit="seed")
    assert (
        check(found, "steps").words
        == "training_iteration does not repeat within a run."
    )
    assert found.findings.varies == "other runs, made and scored as these were"


def test_a_setting_that_all_systems_have_alike_is_asked_about(rng):
    """The windows of a backtest are logged among the parameters: they were taken for a
    search.
    """
    windows = [f"2024-{month:02}-01" for month in range(1, 13)]
    at = pd.MultiIndex.from_product(
        [NAMES, windows], names=["params.model", "params.cutoff"]
    )
    table = at.to_frame(index=False).assign(run_id=[f"r{k}" for k in range(24)])
    table["metrics.smape"], table["metrics.seconds"] = (
        rng.normal(14, 1, 24),
        rng.random(24),
    )
    said = {"baseline": "base", "metric": "metrics.smape", "direction": "lower"}
    with pytest.raises(
        RefusedError, match=r"What does params.cutoff .* name\?"
    ) as refused:
        ek.report(table, **said)
    ways = ways_of(refused)
    assert ways[0].startswith("--map item=params.cutoff")
    assert ways[4].startswith("--map setting=params.")
    found = ek.report(table, **said, columns={"item": "params.cutoff"})
    assert "if neighbours in time resemble each other" in check(found, "groups").words
    drawn = table.assign(**{"params.cutoff": rng.random(24)})
    with pytest.raises(
        RefusedError, match="The settings vary, and no other score is known"
    ):
        ek.report(drawn, **said)


FOLDS = pd.MultiIndex.from_product(
    [NAMES, [*"abcdefg"], range(5)], names=["system", "dataset", "fold"]
)


@pytest.mark.parametrize("is_there", [True, False])
def test_a_fold_that_one_system_lacks_goes_from_the_mean_of_the_others(is_there, rng):
    """A mean over four folds stood against one over five, and the page said that no
    cell was empty.
    """
    table = FOLDS.to_frame(index=False).assign(auc=rng.random(70))
    table.loc[38, "auc"] = np.nan
    table = table if is_there else table.drop(index=38)
    with pytest.raises(
        RefusedError,
        match="score" if is_there else "Not every system has a score of a 3",
    ):
        ek.report(table, baseline="base")
    with pytest.raises(
        RefusedError, match="Not every system has a score of a 3"
    ) as refused:
        ek.report(table, baseline="base", failed="drop")
    assert ways_of(refused) == [
        "--unmatched drop: of each data set the folds are compared that all systems"
        " have."
    ]
    with pytest.raises(RefusedError, match="There are folds of 7 data sets"):
        ek.report(table, baseline="base", unit="fold")
    found = ek.report(table, baseline="base", failed="drop", unmatched="drop")
    wide = table.pivot_table("auc", ["dataset", "fold"], "system").dropna()
    means = (wide.ours - wide.base).groupby("dataset").mean()
    assert found.findings.contrasts[0].difference == pytest.approx(means.mean())
    assert found.bench.left_out[-1] == (1, "scores of a fold that another system lacks")
    seeds = ek.report(
        table.rename(columns={"fold": "seed"}), baseline="base", failed="drop"
    )
    # Runs are not paired.
    assert not [code for code in seeds.bench.checks if code.code == "unmatched"]


def test_rows_of_a_data_set_that_a_note_tells_apart_have_no_mean_of_some(rng):
    table = (
        FOLDS.to_frame(index=False)
        .assign(auc=rng.random(70))
        .rename(columns={"fold": "horizon"})
    )
    table.loc[38, "auc"] = np.nan
    said = {
        "baseline": "base",
        "columns": {"note": "horizon"},
        "failed": "drop",
        "duplicates": "mean",
    }
    with pytest.raises(
        RefusedError, match="On a one system has more scores than another, and horizon"
    ) as no:
        ek.report(table, **said)
    assert ways_of(no) == [
        "--map item=horizon: then those that all systems have are compared."
    ]


def test_a_name_can_be_pasted_as_it_is_printed(rng):
    """Joiners are spelling in Persian; what else is unseen is printed as an escape, and
    taken back as one.
    """
    names = "واژه\u200cها", "words\u200b"
    for name in names:
        table = pd.DataFrame(
            {
                "system": np.repeat(NAMES, 8),
                "seed": [*range(8)] * 2,
                name: rng.random(16),
            }
        )
        with pytest.raises(RefusedError) as refused:
            ek.report(table, baseline="base")
        way = next(way for way in ways_of(refused) if name in way or "200b" in way)
        assert ("\u200c" in way) == (name == names[0])
        pasted = shlex.split(way)[1]
        found = ek.report(table, **UP, metric=pasted)
        assert found.evidence.metric == name


def test_a_metric_is_not_another_role_as_well():
    with pytest.raises(
        ValueError,
        match="'val_f1' is called the validation as well: say one; if there is no",
    ):
        ek.report(
            {"base": [1.0]},
            baseline="base",
            metric="val_f1",
            columns={"validation": "val_f1"},
        )


def test_how_a_trial_ended_is_no_setting(rng):
    table = pd.DataFrame(
        {
            "system": np.repeat(NAMES, 40),
            "trial": [*range(40)] * 2,
            "rate": rng.random(80),
        }
    )
    table["val_f1"], table["test_f1"], table["stare"] = (
        rng.random(80),
        rng.random(80),
        "gata",
    )
    table.loc[[3, 50], "val_f1"] = table.loc[[3, 50], "test_f1"] = np.nan
    table.loc[[3, 50], "stare"] = "oprit"
    found = ek.report(table, baseline="base", metric="test_f1", failed="worst")
    assert "stare" not in check(found, "settings").words
    assert check(found, "pruned").question == "Were all trials allowed to finish?"
    assert found.bench.compared(found.used) == "80 scores (an option filled in 2)"


def test_the_same_seeds_again_and_again_are_no_runs_of_their_own(rng):
    """Each seed came with four sizes of the data: thirty-two runs, said a page, and
    nothing of the sizes.
    """
    at = pd.MultiIndex.from_product(
        [NAMES, (16, 64, 256, 1024), range(8)], names=["system", "n_train", "seed"]
    )
    table = at.to_frame(index=False).assign(
        run_id=[f"r{k}" for k in range(64)], test_acc=rng.random(64)
    )
    table["took"] = rng.random(64)
    with pytest.raises(RefusedError) as asked:
        ek.report(table, baseline="base")
    assert "--map setting=n_train --map note=took" in ways_of(asked)
    with pytest.raises(
        RefusedError, match="48 rows come again .* apart is n_train"
    ) as refused:
        ek.report(table, baseline="base", columns={"note": ("n_train", "took")})
    assert ways_of(refused)[0] == "--where n_train=VALUE keeps one value of it."
    # What is empty is no value.
    empty = table.assign(n_train=table.n_train.where(table.index % 8 > 1))
    part = ek.report(
        empty, baseline="base", columns={"note": "took"}, where={"n_train": 16}
    )
    assert "n_train has 4: each" in check(part, "told").words
    one = ek.report(
        table, baseline="base", columns={"note": "took"}, where={"n_train": 16}
    )
    assert (
        "in the file n_train has 4: each that was looked at counts"
        in check(one, "told").words
    )


def test_raters_who_lack_the_same_items_are_no_fault(rng):
    at = pd.MultiIndex.from_product(
        [NAMES, range(30), [*"ABC"]], names=["system", "item", "rater"]
    )
    table = at.to_frame(index=False).assign(points=rng.integers(1, 6, 180))
    both = table[~((table.item == 4) & (table.rater == "B"))]
    found = ek.report(both, **UP, metric="points", unit="item")
    assert found.bench.merged == [
        "the scores of 2 to 3 raters on an item, by their mean"
    ]
    with pytest.raises(RefusedError) as refused:
        ek.report(both, **UP, metric="points")
    assert "--unit item: whoever scored an item, for these raters only." in ways_of(
        refused
    )
    alone = table.drop(index=13)  # base, item 4, B
    found = ek.report(alone, **UP, metric="points", unit="item")
    assert found.bench.left_out[-1][0] == 1
    repeats = ek.report(
        both.rename(columns={"rater": "repeat"}), **UP, metric="points", unit="item"
    )
    assert check(repeats, "repeats").outcome == "fine"


def test_files_may_be_named_by_a_pattern(tmp_path):
    for name in NAMES:
        for seed in range(4):
            (tmp_path / name / f"seed_{seed}").mkdir(parents=True)
            (tmp_path / name / f"seed_{seed}" / "m.json").write_text(
                f'{{"accuracy": 0.{seed + ord(name[0])}}}'
            )
    found = ek.report(f"{tmp_path}/*/*/m.json", baseline="base")
    assert len(found.used) == 8


def test_a_header_of_several_lines_is_said_to_be_one(tmp_path):
    (tmp_path / "cv.csv").write_text(
        "metric,auc,auc\nmodel,base,ours\nfold,,\n0,0.1,0.2\n1,0.3,0.4\n"
    )
    with pytest.raises(
        RefusedError,
        match="more than one column is called auc: the header has several lines",
    ):
        ek.report(str(tmp_path / "cv.csv"), baseline="base")


def test_rows_without_a_data_set_are_refused(rng):
    table = pd.DataFrame(
        {
            "task": ["a", None] * 20,
            "item": [*range(20)] * 2,
            "system": np.repeat(NAMES, 20),
        }
    )
    with pytest.raises(RefusedError, match="20 rows of 40 have no task"):
        ek.report(table.assign(f1=rng.random(40)), baseline="base", unit="item")


def test_rows_without_a_fold_are_refused(rng):
    """Rows of means that a tracker logs above the folds: all that was left made a
    traceback.
    """
    table = pd.DataFrame(
        {
            "system": NAMES,
            "fold": [None, None],
            "setting_lr": [0.1, 0.2],
            "auc": [0.8, 0.9],
        }
    )
    with pytest.raises(RefusedError, match="No column names the folds"):
        ek.report(table.assign(fold=np.nan), baseline="base", unit="fold")
    folds = pd.DataFrame(
        {
            "system": np.repeat(NAMES, 6),
            "fold": [*range(5), None] * 2,
            "auc": rng.random(12),
        }
    )
    folds.loc[folds.fold.isna(), "auc"] = np.nan
    with pytest.raises(
        RefusedError, match="2 rows of 12 have no fold. Nor have they a score"
    ) as refused:
        ek.report(folds, baseline="base")
    assert len(ways_of(refused)) == 1


def test_all_rows_of_means_among_items_are_found(rng):
    """Of a table of speakers the last row alone was seen, and a sum, a mean and a
    spread were speakers.
    """
    for n in (24, 60):
        wide = pd.DataFrame({name: rng.uniform(5, 30, n) for name in NAMES})
        more = [wide.sum() / n * 1.1, wide.mean(), wide.std(), wide.median()]
        ends = ["Sum/Avg", "Mean", "S.D.", "Median"]
        wide = pd.concat([wide, pd.DataFrame(more)]).round(1)
        wide.insert(
            0, "speaker", [*[f"s{chr(97 + k // 10)}_{k % 10}" for k in range(n)], *ends]
        )
        table = wide.melt("speaker", var_name="system", value_name="Err")
        said = {
            "baseline": "base",
            "direction": "lower",
            "metric": "Err",
            "columns": {"item": "speaker"},
        }
        with pytest.raises(RefusedError, match="may be no items") as refused:
            ek.report(table, **said)
        assert "speaker!=Sum/Avg,Mean,S.D.,Median" in ways_of(refused)[0]


def test_systems_that_must_be_alike_can_be_left_out(rng):
    items = pd.DataFrame(
        {"item": range(40), "base": rng.random(40), "new": rng.random(40)}
    )
    table = items.assign(again=items.base).melt(
        "item", var_name="system", value_name="score"
    )
    said = {**UP, "metric": "score", "unit": "item"}
    with pytest.raises(
        RefusedError, match="again and base have the same scores throughout"
    ) as refused:
        ek.report(table, **said)
    assert (
        "--where 'system!=again' leaves out what must have the same scores."
        in ways_of(refused)
    )
    assert ek.report(table, **said, where={"system!": "again"}).evidence.systems == (
        "new",
    )


def test_steps_that_somebody_takes_for_items_are_noted(rng):
    table = pd.DataFrame(
        {
            "system": np.repeat(NAMES, 30),
            "epoch": [*range(30)] * 2,
            "acc": rng.random(60),
        }
    )
    found = ek.report(table, **UP, metric="acc", columns={"item": "epoch"})
    assert (
        check(found, "steps").words
        == "epoch would count steps by name, and you said otherwise."
    )


def test_of_files_of_many_tasks_the_one_that_is_none_is_named(rng, tmp_path):
    """Files of tasks beside one about the model: each task was said to be a kind of its
    own.
    """
    for name in NAMES:
        (tmp_path / name).mkdir()
        (tmp_path / name / "model_meta.json").write_text(
            '{"name": "x", "revision": "y", "licence": "z"}'
        )
        for k, task in enumerate("ABCDEFG"):
            each = [{"accuracy": float(f)} for f in rng.random(3)]
            score = {
                "main_score": rng.random(),
                "accuracy": rng.random(),
                f"f{k}": 0.5,
                "hf_subset": "default",
                "each": each,
            }
            told = {"task_name": task, "version": "1", "scores": {"test": [score]}}
            (tmp_path / name / f"{task}.json").write_text(json.dumps(told))
    with pytest.raises(
        RefusedError, match="Folders hold files with different columns"
    ) as refused:
        ek.report(tmp_path, baseline="base")
    pattern = f"{tmp_path}/*/[!m]*.json"
    assert ways_of(refused) == [
        f"give '{pattern}': that leaves out model_meta.json, which has hardly a column"
        " of the others."
    ]
    found = ek.report(
        pattern, **UP, metric="main_score", columns={"dataset": "task_name"}
    )
    assert len(found.used) == 14  # the lists of three below each score are no rows


def test_folds_that_are_called_seeds_are_no_runs(rng):
    names = [f"Fold{k:02}.Rep1" for k in range(1, 11)]
    table = pd.DataFrame(
        {"system": np.repeat(NAMES, 10), "Resample": names * 2, "auc": rng.random(20)}
    )
    with pytest.raises(RefusedError, match="Resample names folds or splits"):
        ek.report(table, baseline="base", columns={"seed": "Resample"})


def test_sizes_of_folds_that_columns_count_are_offered(rng):
    at = pd.MultiIndex.from_product(
        [NAMES, range(5)], names=["system", "fold"]
    ).to_frame(index=False)
    table = at.assign(
        auc=rng.random(10), antrenare=[80, 80, 80, 81, 81] * 2, epoci=4, lot=16
    )
    table["probe"] = 101 - table.antrenare
    table["pasi"] = [
        15,
        16,
        17,
        16,
        16,
    ] * 2  # four times as many as epochs, and of no one total
    with pytest.raises(
        RefusedError, match="No column is known to say how many items each fold"
    ) as refused:
        ek.report(table, baseline="base", metric="auc")
    offers = [way for way in ways_of(refused) if "count these items" in way]
    assert offers == [
        "--n-train 80 --n-test 21, if antrenare and probe count these items.",
        "--n-train 16 --n-test 4, if lot and epoci count these items.",
    ]


def test_a_claim_is_not_turned_to_other_rows(rng, tmp_path, monkeypatch, capsys):
    """A page for each environment: the claim of the first stood beside the condition of
    the second.
    """
    monkeypatch.chdir(tmp_path)
    at = pd.MultiIndex.from_product(
        [["cheetah", "hopper"], NAMES, range(8)], names=["env", "system", "seed"]
    )
    table = at.to_frame(index=False).assign(accuracy=rng.normal(0.8, 0.01, 32))
    table.loc[(table.env == "cheetah") & (table.system == "ours"), "accuracy"] += 0.1
    table.to_csv("runs.csv", index=False)
    said = ["report", "runs.csv", "--baseline", "base", "--where"]
    assert cli.main([*said, "env=cheetah"]) == 0
    kept = (tmp_path / "evalkit.toml").read_text()
    assert 'better = ["ours"]' in kept.replace('"better"', "better")
    assert cli.main([*said, "env=hopper"]) == 0
    assert (
        "The claim in evalkit.toml is about other rows: it is left as it is"
        in capsys.readouterr().out
    )
    assert (tmp_path / "evalkit.toml").read_text() == kept
