"""What people say, name or number in a way that a report could take for something
else.
"""

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import evalkit as ek
from evalkit import cli
from evalkit.reports import RefusedError


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(*arguments):
    return cli.main(["report", *map(str, arguments)])


def runs(names=("base", "ours"), n=8, **columns):
    """Scores of systems, a row a run, the second a little better."""
    rng = np.random.default_rng(0)
    score = rng.normal(np.repeat([0.80, 0.82], n), 0.01).round(4)
    table = pd.DataFrame(
        {"system": np.repeat(names, n), "seed": [*range(n)] * 2, "accuracy": score}
    )
    return table.assign(**columns)


def write(table, name="results.csv"):
    table.to_csv(name, index=False)
    return name


# --------------------------------------------------------------------------------------
# Names that are numbers
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize("column", ["system", "version"])
@pytest.mark.parametrize(
    "names", [("7.1", "7.10"), ("1.0", "10"), ("1.0", "2.0"), ("7.10", "007.1")]
)
def test_a_system_is_called_as_the_file_calls_it(names, column):
    table = runs(names).rename(columns={"system": column})
    for results in (write(table), table):
        found = ek.report(results, baseline=names[0], columns={"system": column})
        assert found.evidence.systems == (names[1],)
        of = dict(zip(names, np.split(table.accuracy.to_numpy(), 2), strict=True))
        assert found.findings.contrasts[0].difference == pytest.approx(
            of[names[1]].mean() - of[names[0]].mean()
        )


def test_a_column_with_the_number_of_the_baseline_is_proposed_with_its_own_text(capsys):
    write(runs(("7.1", "7.10")).rename(columns={"system": "version"}))
    assert run("results.csv", "--baseline", "7.10") == 2
    assert (
        "--map system=version   ('7.10' occurs in it, among 7.1, 7.10; any"
        in capsys.readouterr().out
    )


def test_other_numbers_stay_numbers():
    table = runs(accuracy=[f"{k % 7 / 10:.2f}" for k in range(16)])
    assert ek.report(table, baseline="base").used.score.dtype.kind == "f"


# --------------------------------------------------------------------------------------
# What a failed run scores
# --------------------------------------------------------------------------------------


# --------------------------------------------------------------------------------------
# Items that are numbered anew
# --------------------------------------------------------------------------------------


def answers(within, n_within=40, n=5):
    rng = np.random.default_rng(1)
    rows = [
        (name, f"{within[0]}{k}", i, int(rng.random() < chance))
        for name, chance in (("base", 0.6), ("ours", 0.8))
        for k in range(n_within)
        for i in range(n - k % 2)
    ]
    return pd.DataFrame(rows, columns=["system", within, "item", "correct"])


@pytest.mark.parametrize("within", ["fold", "chunk", "Document"])
def test_items_numbered_anew_are_named_by_both_columns(within, capsys):
    table = answers(within)
    write(table)
    # What a fold is, is known.
    assert run("results.csv", "--baseline", "base") == (1 if within == "fold" else 2)
    way = re.search(r"--map item=\S+,item", "".join(capsys.readouterr()))[0].replace(
        "COLUMN", within
    )
    said = ["results.csv", "--baseline", "base", *shlex.split(way)]
    assert run(*said) != 0  # items of one chunk may belong together
    assert f"--unit {within}" in "".join(capsys.readouterr())
    assert run(*said, "--unit", within if within == "Document" else "item") == 0
    assert f"{len(table) // 2} items" in capsys.readouterr().out
    assert f'"item" = "{within},item"' in Path("evalkit.toml").read_text(
        encoding="utf-8"
    )
    assert run() == 0


def test_items_of_a_document_that_names_them_are_still_its_items():
    with pytest.raises(RefusedError, match="180 items come from 40 values of document"):
        ek.report(
            answers("document"), baseline="base", columns={"item": ["document", "item"]}
        )


# --------------------------------------------------------------------------------------
# What is said twice, and where it was said
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("--where step=30 --where step=20", "--where step=30,20 for both"),
        ("--where step!=10 --where step!=20", "--where 'step!=10,20' for both"),
        (
            "--where step=last --where step=20",
            "twice, with last and with 20: say one of them (",
        ),
        (
            "--map seed=seed --map seed=step",
            "--map seed names seed and step: say one of them",
        ),
        (
            "--map seed=seed --map note=seed",
            "--map seed=seed and note=seed: a column is one of them",
        ),
    ],
)
def test_what_is_said_twice_is_refused(said, reason, capsys):
    steps = pd.concat([runs().assign(step=step) for step in (10, 20, 30)])
    with pytest.raises(SystemExit) as ended:
        run(write(steps), "--baseline", "base", *shlex.split(said))
    assert ended.value.code == 2
    assert reason in capsys.readouterr().err
    assert not Path("evalkit.toml").exists()


def test_conditions_on_different_columns_all_hold(capsys):
    steps = pd.concat([runs().assign(step=step) for step in (10, 20, 30)])
    wanted = "--where step=20 --where seed=0,1,2,3 --where accuracy!=0.5"
    assert run(write(steps), "--baseline", "base", *shlex.split(wanted)) == 0
    assert "8 scores compared" in capsys.readouterr().out


def test_seeds_are_no_scores_side_by_side():
    with pytest.raises(ValueError, match="seed, step hold what their names say"):
        ek.report(
            runs(step=1),
            baseline="base",
            direction="higher",
            columns={"seed": ["seed", "step"]},
        )


def test_a_column_has_the_role_that_was_said_last():
    assert run(write(runs(gpu="a")), "--baseline", "base", "--map", "setting=gpu") == 0
    assert run("--map", "note=gpu") == 0
    assert '"setting"' not in Path("evalkit.toml").read_text(encoding="utf-8")


# --------------------------------------------------------------------------------------
# Settings that somebody has written
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "lines",
    [
        "columns = 3", "columns = []", "[[columns]]\nseed = 'seed'", "[columns.seed]\na = 'seed'",
        "[columns]\nseed = [['seed']]", "[columns]\nseed = [1]", "[columns]\nseed = []",
        "[columns]\nseed = ''", "[columns]\nsede = 'seed'", "where = 'seed=1'", "[where]\nseed = [1, 2]",
        "[where]\nseed = true", "[where.seed]\na = 1", "[where]\nseed = ''", "metric = 3",
        "metric = ['accuracy']", "[metric]\na = 1", "direction = ['higher']", "unit = 3",
        "margin = 'large'", "margin = [1]", "margin = true", "margin = nan", "[n_train]\na = 1",
        "failed = [0.5]", "failed = true", "failed = 2020-01-01", "unmatched = 1", "search = ['grid']",
        "accepted = 1", "accepted = [1]",
        "names = ['{system}']", "right = 1", 'gold = "a\\u0000b"', "as_proposed = 1",
        "bogus = 1", "[bogus]\na = 1", "claim = 3", "[claim]\nbetter = 3", "[claim]\nbetter = [['ours']]",
        "[claim]\nbetter = []", "[claim.better]\na = 1", "[claim]\nkind = 3", "[claim]\nsystems = 'ours'",
        "[claim]\nbest = ['ours']",
    ],
)  # fmt: skip
def test_settings_in_another_shape_are_refused_in_a_sentence(lines, capsys):
    write(runs())
    head = "files = ['results.csv']\nbaseline = 'base'\n"
    Path("evalkit.toml").write_text(head + lines + "\n", encoding="utf-8")
    assert run() == 2
    told = capsys.readouterr()
    assert re.fullmatch(r"evalkit: evalkit\.toml: .+\n", told.err)
    assert not told.out
    assert run("--check", "evalkit.toml") == 2
    assert "Nothing was checked" in capsys.readouterr().out
    assert not Path("report.html").exists()


@pytest.mark.parametrize(
    "files",
    ["3", "[['results.csv']]", "['']", "[3]", "{a = 'results.csv'}", '["a\\u0000"]'],
)
def test_files_in_another_shape_are_refused_in_a_sentence(files, capsys):
    Path("evalkit.toml").write_text(
        f"files = {files}\nbaseline = 'base'\n", encoding="utf-8"
    )
    assert run() == 2
    assert "evalkit.toml: files must be a list of names" in capsys.readouterr().err


@pytest.mark.parametrize("value", [1234567, "1234567", 0.0123456789])
def test_a_condition_may_be_a_number(value):
    table = pd.concat([runs().assign(step=step) for step in (value, 1)])
    Path("evalkit.toml").write_text(
        f"files = ['{write(table)}']\nbaseline = 'base'\n[where]\nstep = {value!r}\n",
        encoding="utf-8",
    )
    assert run() == 0
    assert len(ek.report(table, baseline="base", where={"step": value}).used) == 16


# --------------------------------------------------------------------------------------
# A setting that was changed between runs
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize("has_seed", [True, False])
def test_a_setting_changed_half_way_is_named_first(has_seed):
    table = runs(n=10, setting_lr=[0.1] * 15 + [0.01] * 5).drop(
        columns=[] if has_seed else "seed"
    )
    with pytest.raises(RefusedError) as refused:
        ek.report(table, baseline="base")
    fault, *others = refused.value.faults
    assert fault.what == "Settings vary within a system: setting_lr."
    if not has_seed:
        return
    assert not others
    for said in (
        {"where": {"setting_lr": 0.1}},
        {"columns": {"note": "setting_lr"}},
        {"accept": "settings"},
    ):
        assert ek.report(table, baseline="base", **said).evidence.kind == "seeds"


def test_settings_that_were_drawn_are_a_search():
    rng = np.random.default_rng(0)
    table = runs(
        n=40, setting_lr=rng.uniform(size=80), val_accuracy=rng.normal(0.8, 0.01, 80)
    )
    assert ek.report(table, baseline="base").evidence.kind == "search"


# --------------------------------------------------------------------------------------
# A file of predictions without its predictions
# --------------------------------------------------------------------------------------


def predictions():
    """Two files of predictions and one of right answers; in the second place one that
    may be either.
    """
    rng = np.random.default_rng(0)
    right = rng.integers(0, 3, 100)
    said = {
        name: np.where(rng.random(100) < share, right, (right + 1) % 3)
        for name, share in (("a", 0.7), ("b", 0.8))
    }
    for name, values in said.items():
        write(pd.DataFrame({"id": range(100), "prediction": values}), f"{name}.csv")
    for name in ("c", "gold"):
        write(pd.DataFrame({"id": range(100), "label": right}), f"{name}.csv")


def test_a_file_without_predictions_is_asked_about_unless_it_is_called_a_key(capsys):
    predictions()
    assert run("a.csv", "b.csv", "c.csv", "--baseline", "a") == 1
    assert (
        "--gold FILE names the one of these files that holds" in capsys.readouterr().err
    )
    assert run("a.csv", "b.csv", "c.csv", "--baseline", "a", "--gold", "c.csv") == 0
    Path("evalkit.toml").unlink()
    assert run("a.csv", "b.csv", "gold.csv", "--baseline", "a") == 0


def test_what_was_proposed_and_confirmed_is_not_asked_again():
    write(runs().rename(columns={"system": "Verfahren"}))
    Path("kept").mkdir()
    more = ["results.csv", "--baseline", "base", "--config", "kept/mine.toml"]
    assert run(*more) == 2
    assert run(*more, "--as-proposed") == 0
    assert run("--config", "kept/mine.toml") == 0


# --------------------------------------------------------------------------------------
# Another column of scores, whose name says nothing
# --------------------------------------------------------------------------------------


def answers_with(**columns):
    rng = np.random.default_rng(3)
    items = [f"q{k}" for k in range(60)] * 2
    table = pd.DataFrame({"system": np.repeat(["base", "ours"], 60), "item": items})
    table["f1"] = rng.uniform(0.2, 1, 120).round(3)
    more = {name: make(rng) for name, make in columns.items()}
    return table.assign(**more)


# --------------------------------------------------------------------------------------
# Cells that hold something else than a number
# --------------------------------------------------------------------------------------


def test_words_for_right_and_wrong_beside_a_length():
    table = answers_with(tokens=lambda rng: rng.integers(5, 200, 120)).drop(
        columns="f1"
    )
    right = np.random.default_rng(5).choice(["TRUE", "FALSE"], 120)
    found = ek.report(table.assign(correct=right), baseline="base")
    assert found.evidence.metric == "correct"


def test_lists_of_answers_are_neither_right_nor_wrong(capsys):
    table = answers_with(label=lambda rng: ['["Paris", "Lutetia"]'] * 120).drop(
        columns="f1"
    )
    write(table.assign(prediction=["Paris", "London"] * 60))
    assert run("results.csv", "--baseline", "base") == 1
    assert "Predictions or right answers are lists" in capsys.readouterr().err


def test_submissions_and_their_solution_are_asked_for_two_columns(capsys):
    rng = np.random.default_rng(0)
    right = rng.integers(0, 2, 80)
    for name, share in (("a", 0.2), ("b", 0.3), ("solution", 0)):
        said = np.where(rng.random(80) < share, 1 - right, right)
        write(
            pd.DataFrame({"PassengerId": range(892, 972), "Survived": said}),
            f"{name}.csv",
        )
    more = ["a.csv", "b.csv", "--gold", "solution.csv", "--baseline", "a"]
    assert run(*more) == 1
    assert "--map item=PassengerId, if it names the items." in capsys.readouterr().err
    assert run(*more, "--map", "item=PassengerId") == 1
    assert "--map prediction=Survived, if that is so." in capsys.readouterr().err
    assert run(*more, "--map", "item=PassengerId", "--map", "prediction=Survived") == 0
    assert "McNemar's exact test, 80 items" in capsys.readouterr().out


def test_right_answers_in_one_file_alone_do_not_differ(capsys):
    predictions()
    write(pd.read_csv("a.csv").assign(label=pd.read_csv("gold.csv").label), "a.csv")
    assert run("a.csv", "b.csv", "--baseline", "a") == 1
    told = capsys.readouterr().err
    assert "100 rows have no right answer" in told
    assert "differs from system to system" not in told


def test_trials_of_a_tuner_keep_their_settings(capsys):
    for name in ("base", "ours"):
        for k in range(4):
            Path("kt", name, f"trial_{k}").mkdir(parents=True)
            observed = {
                "val_accuracy": {
                    "observations": [{"value": [0.7 + k / 100], "step": 3}]
                }
            }
            trial = {
                "trial_id": f"{k}",
                "hyperparameters": {"values": {"units": 32 * k}},
                "metrics": observed,
            }
            Path("kt", name, f"trial_{k}", "trial.json").write_text(
                json.dumps(trial), encoding="utf-8"
            )
    assert (
        run("kt", "--baseline", "base", "--as-proposed", "--direction", "higher") != 0
    )
    told = capsys.readouterr()
    assert "hyperparameters.values.units" in told.out + told.err


def test_metrics_of_a_leaderboard_are_no_data_sets(capsys):
    rng = np.random.default_rng(0)
    names = ["score_test", "score_val", "fit_time", "fit_order"]
    write(
        pd.DataFrame(rng.uniform(0.7, 0.9, (5, 4)).round(3), columns=names).assign(
            model=list("abcde")
        )
    )
    assert (
        run("results.csv", "--baseline", "a", "--as-proposed", "--direction", "higher")
        == 2
    )
    told = capsys.readouterr().out
    assert "--metric score_test" in told
    assert "dataset=" not in told


def test_a_file_given_twice_is_refused(capsys):
    write(runs())
    assert run("results.csv", Path("results.csv").resolve(), "--baseline", "base") == 1
    assert (
        "is given twice.\nWhat it holds would be counted twice."
        in capsys.readouterr().err
    )


@pytest.mark.parametrize("role", ["item", "dataset", "seed"])
def test_means_and_spreads_beside_numbered_columns_are_none_of_them(role, capsys):
    table = pd.DataFrame({"modelo": ["base", "novo"]})
    scores = np.random.default_rng(0).normal([[0.70], [0.72]], 0.01, (2, 5)).round(3)
    table[[f"semente {k}" for k in range(1, 6)]] = scores
    write(
        table.assign(
            média=scores.mean(axis=1).round(3),
            desvio=scores.std(axis=1, ddof=1).round(3),
        )
    )
    names = ",".join([f"semente {k}" for k in range(1, 6)] + ["média", "desvio"])
    more = ["--map", f"{role}={names}", "--as-proposed", "--direction", "higher"]
    assert run("results.csv", "--baseline", "base", *more) == 1
    assert f"--where '{role}!=média,desvio' leaves them out." in capsys.readouterr().err
    assert (
        run(
            "results.csv",
            "--baseline",
            "base",
            *more,
            "--where",
            f"{role}!=média,desvio",
        )
        == 0
    )
    assert "5 and 5 runs" in capsys.readouterr().out or role != "seed"


def test_a_second_header_is_refused(capsys):
    Path("results.csv").write_text(
        "Model,CIFAR-10,SVHN\n,Acc,Acc\nbase,0.71,0.82\nours,0.73,0.81\n",
        encoding="utf-8",
    )
    more = ["--map", "dataset=CIFAR-10,SVHN", "--direction", "higher"]
    assert run("results.csv", "--baseline", "base", *more) == 1
    assert "2 cells are not numbers: 'Acc'" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["C", "setting_C"])
def test_a_setting_of_each_fold_was_chosen_inside_it(name):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"model": np.repeat(["rf", "gb"], 10), "fold": [*range(10)] * 2}
    )
    table["accuracy"], table[name] = (
        rng.uniform(0.7, 0.8, 20).round(4),
        rng.uniform(size=20),
    )
    more = {} if name == "setting_C" else {"columns": {"setting": name}}
    found = ek.report(table, baseline="rf", n_train=900, n_test=100, **more)
    assert len(found.used) == 20
    assert "nested cross-validation" in str(found)


def test_a_point_is_an_empty_cell_as_statistical_packages_write_it():
    table = runs(n=9).astype({"accuracy": object})
    table.loc[3, "accuracy"] = "."
    with pytest.raises(RefusedError, match="1 run has no score"):
        ek.report(table, baseline="base")


def test_steps_are_numbers(capsys):
    write(
        pd.DataFrame({"model": ["base", "ours"], "one": [0.7, 0.8], "two": [0.8, 0.9]})
    )
    assert (
        run(
            "results.csv",
            "--baseline",
            "base",
            "--map",
            "step=one,two",
            "--direction",
            "higher",
        )
        == 1
    )
    assert "step must be one column of numbers; got one, two" in capsys.readouterr().err


def test_a_sign_of_per_cent_may_stand_before_its_number(capsys):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"dataset": [f"küme{k}" for k in range(9)]})
    table["Temel"], table["Yeni"] = (
        [f"%{x:.1f}" for x in rng.uniform(60, 90, 9)] for _ in range(2)
    )
    write(table)
    more = ["--map", "system=Temel,Yeni", "--direction", "higher"]
    assert run("results.csv", "--baseline", "Temel", *more) == 0
    assert "9 data sets" in capsys.readouterr().out


def test_a_note_that_is_said_leaves_the_documented_ones():
    table = runs(
        duration=[f"{k}h" for k in range(16)],
        date=[f"2026-01-{k:02}" for k in range(1, 17)],
    )
    found = ek.report(table, baseline="base", columns={"note": "duration"})
    assert found.evidence.kind == "seeds"


# --------------------------------------------------------------------------------------
# Columns that a part of a name, or a number with fractions, does not make the score
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("test_size", [0.2] * 16),
        ("test_runtime", np.linspace(0.1, 0.6, 16)),
        ("predict_duration", np.linspace(0.1, 0.6, 16)),
        ("test_accuracy_std", np.linspace(0.011, 0.02, 16)),
    ],
)
def test_what_is_measured_on_a_part_is_not_its_score(name, values):
    assert (
        ek.report(runs(**{name: values}), baseline="base").evidence.metric == "accuracy"
    )


def asked(capsys, *arguments):
    """What is proposed and asked of the files in the way."""
    assert run(*arguments) == 2
    return capsys.readouterr().out


def test_shares_of_a_test_set_are_asked_about_beside_a_metric(capsys):
    for name, values in (
        ("test_threshold", np.linspace(0.4, 0.6, 16)),
        ("test_samples", [100, 200] * 8),
    ):
        write(runs(**{name: values}))
        told = asked(capsys, "results.csv", "--baseline", "base")
        assert re.findall("--metric (.*)", told)[:2] == [
            "accuracy",
            f"{name} --direction higher",
        ]


def test_losses_of_validation_are_not_taken_where_a_tracker_names_metrics(capsys):
    table = runs().rename(columns={"accuracy": "metrics/mAP50(B)"})
    table["metrics/mAP50-95(B)"] = table["metrics/mAP50(B)"] / 2
    write(table.assign(**{"val/box_loss": np.linspace(0.3, 0.9, 16)}))
    told = asked(capsys, "results.csv", "--baseline", "base")
    assert "--metric 'metrics/mAP50-95(B)'" in told
    assert "Is a higher or a lower val/box_loss better?" not in told


def test_scores_beside_those_of_validation_may_be_of_training(capsys):
    table = runs().rename(columns={"accuracy": "val_accuracy"})
    write(
        table.assign(
            accuracy=0.95 - table.seed / 1000, loss=1 - table.seed / 100, val_loss=1.3
        )
    )
    told = asked(capsys, "results.csv", "--baseline", "base")
    offered = re.findall("--metric (.*)", told)
    assert {*offered[:-1]} == {"val_accuracy", "val_loss", "accuracy", "loss"}
    assert "Beside val_loss a bare name may be of the training part." in told
    assert run("results.csv", "--baseline", "base", "--metric", "val_accuracy") == 1
    assert "are of a validation set" in capsys.readouterr().err


def test_whole_numbers_are_offered_beside_numbers_with_fractions(capsys):
    write(
        runs(points=[7, 8, 7, 9, 6, 8, 8, 7, 9, 9, 8, 9, 7, 9, 8, 9]).rename(
            columns={"accuracy": "hours"}
        )
    )
    told = asked(capsys, "results.csv", "--baseline", "base")
    assert set(re.findall(r"--metric (\w+)", told)) == {"hours", "points"}


def test_whole_numbers_alone_are_not_proposed(capsys):
    write(
        runs(tokens=[7, 8, 7, 9, 6, 8, 8, 7, 9, 9, 8, 9, 7, 9, 8, 9]).drop(
            columns="accuracy"
        )
    )
    told = asked(capsys, "results.csv", "--baseline", "base", "--as-proposed")
    assert set(re.findall(r"--metric (\w+)", told)) == {"tokens"}


# --------------------------------------------------------------------------------------
# Means among data sets, systems and columns
# --------------------------------------------------------------------------------------

SETS = {
    "base": [0.597, 0.684, 0.822, 0.751, 0.605, 0.703, 0.713, 0.624],
    "ours": [0.626, 0.671, 0.840, 0.775, 0.628, 0.730, 0.744, 0.648],
}


def on_sets(name, base, ours):
    """Systems on eight data sets, and a last row."""
    rows = [
        (system, f"d{chr(97 + k)}", x)
        for system, own in SETS.items()
        for k, x in enumerate(own)
    ]
    rows += [("base", name, base), ("ours", name, ours)]
    return pd.DataFrame(rows, columns=["system", "dataset", "accuracy"])


@pytest.mark.parametrize(
    ("name", "means"), [("Gesamt", (0.690, 0.713)), ("GLUE", (0.687, 0.708))]
)
def test_a_weighted_or_rounded_mean_is_noted_or_asked_about(name, means):
    table = on_sets(name, *means)
    if name == "Gesamt":  # a data set may be so near by chance
        noted = next(
            c
            for c in ek.report(table, baseline="base").bench.checks
            if c.code == "mean-row"
        )
        assert noted.outcome == "note"
        assert "--where 'dataset!=Gesamt' leaves it out" in noted.words
    else:
        with pytest.raises(RefusedError, match="GLUE is the"):
            ek.report(table, baseline="base")
    found = ek.report(table, baseline="base", where={"dataset!": name})
    assert found.findings.contrasts[0].difference == pytest.approx(
        np.mean(np.subtract(SETS["ours"], SETS["base"]))
    )


def test_a_last_data_set_that_is_harder_than_the_others_is_one():
    assert len(ek.report(on_sets("last", 0.52, 0.55), baseline="base").used) == 18


def test_a_code_of_nines_is_asked_about(capsys):
    table = (
        runs()
        .rename(columns={"accuracy": "points"})
        .assign(
            points=[55, 61, 72, 87, 80, 66, 70, 999, 56, 60, 73, 86, 81, 65, 71, 999]
        )
    )
    more = ["--metric", "points", "--direction", "higher"]
    assert run(write(table), "--baseline", "base", *more) == 1
    told = capsys.readouterr().err
    assert "2 scores are 999, far from all others (55 to 87)" in told
    assert "--where 'points!=999' leaves them out" in told
    assert (
        run("results.csv", "--baseline", "base", *more, "--where", "points!=999") == 0
    )


# --------------------------------------------------------------------------------------
# One name in two forms, and two values under one name
# --------------------------------------------------------------------------------------


def test_a_name_in_two_unicode_forms_is_one_system():
    table = runs(("na\u00efve", "ours"))
    table.loc[:3, "system"] = "nai\u0308ve"
    for results in (write(table), table):
        for baseline in ("na\u00efve", "nai\u0308ve"):
            found = ek.report(results, baseline=baseline)
            assert found.evidence.systems == ("ours",)
            assert len(found.scores("na\u00efve")) == 8


@pytest.mark.parametrize("lines", [True, False])
def test_a_key_twice_in_an_object_is_refused(lines, capsys):
    rows = [
        f'{{"system": "{name}", "seed": {k}, "accuracy": 0.{k}5, "accuracy": 0.{k}7}}'
        for name in ("a", "b")
        for k in range(3)
    ]
    text = "\n".join(rows) if lines else f"[{','.join(rows)}]"
    Path("results.json").write_text(text, encoding="utf-8")
    assert run("results.json", "--baseline", "a") == 1
    assert "has the key accuracy twice" in capsys.readouterr().err


# --------------------------------------------------------------------------------------
# True reasons, and ways that lead on
# --------------------------------------------------------------------------------------

CSV = "system,seed,accuracy\n" + "".join(
    f"{s},{k},0.7{k}\n" for s in ("a", "b") for k in range(5)
)


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        (
            "r.eval",
            "ndcg\t301\t0.31\nndcg\t302\t0.35\nndcg\t303\t0.36\n",
            "it names no columns",
        ),
        (
            "r.csv",
            CSV + "* best run,,\nn = 5,,\n",
            "lines 12 to 13 have one filled cell, '\\* best run'",
        ),
        ("r.csv", CSV.replace("0.73", "0.7\x003", 1), "there is a zero byte in line 5"),
        ("r.csv", "accuracy\n0.7\n0.8\n", "it has one column at most"),
        (
            "r.csv",
            CSV.replace("a,1", '"a,1') + "c,1,0.7",
            "a quotation mark that opens in line 3",
        ),
        (
            "r.csv",
            CSV + f"c,{'9' * 200_000},0.7\n",
            "line 12 has a cell of more than 131,072 characters",
        ),
        (
            "r.csv",
            '#{"start": 1.5, "env": "x"}\nr,l,t\n1,2,3\n',
            "its first line is a comment",
        ),
        ("r.html", "<table><tr><td>a</td></tr></table>", "it is HTML or XML"),
        ("r.log", "a | b | c\na | 1\na | b | 2\na | 2\n" * 2, "a log or a text"),
        (
            "r.json",
            f'[{{"system": "a", "accuracy": {"9" * 6000}}}]',
            "a whole number of thousands of digits",
        ),
    ],
)
def test_a_file_that_is_not_read_is_refused_for_what_it_is(name, text, reason):
    Path(name).write_text(text, encoding="utf-8")
    with pytest.raises(RefusedError, match=reason):
        ek.report(name, baseline="a")


def test_what_a_tracker_calls_a_seed_is_one():
    table = runs().rename(
        columns={
            "seed": "params.yaml:train.seed",
            "accuracy": "metrics.json:test.accuracy",
        }
    )
    found = ek.report(table, baseline="base")
    assert found.evidence.kind == "seeds"
    assert "seed" in found.used


def test_digits_of_arabic_are_numbers():
    table = runs()
    digits = {ord(str(k)): chr(0x660 + k) for k in range(10)} | {ord("."): "\u066b"}
    written = table.assign(
        accuracy=[f"{x:.4f}".translate(digits) for x in table.accuracy]
    )
    found = ek.report(written, baseline="base")
    assert found.used.score.tolist() == table.accuracy.tolist()


def test_words_of_answers_may_be_said_not_to_matter(capsys):
    rows = [
        (s, f"q{k}", f"return {r}", k * r % 3 == 1)
        for s in "ab"
        for k in range(9)
        for r in range(3)
    ]
    write(pd.DataFrame(rows, columns=["system", "task_name", "completion", "passed"]))
    assert "--map note=completion" in asked(capsys, "results.csv", "--baseline", "a")


def test_rows_of_other_files_of_a_run_are_named(capsys):
    for name, table in runs(n=2).groupby("system"):
        Path(f"{name}.json").write_text(json.dumps([{"config": "x"}]), encoding="utf-8")
        table.to_json(f"{name}_runs.json", orient="records")
    files = sorted(map(str, Path().glob("*.json")))
    assert run(*files, "--baseline", "base") == 1
    assert "Files of one folder are not joined" in capsys.readouterr().err


# --------------------------------------------------------------------------------------
# Words
# --------------------------------------------------------------------------------------


def test_a_check_prints_options_as_they_are_typed(capsys):
    write(
        pd.DataFrame(
            {"system": ["a", "b"], "item": "q", "y_true_x": 1.5, "y_pred_x": 2.5}
        )
    )
    settings = "files = ['results.csv']\nbaseline = 'a'\n[claim]\nbetter = 'b'\n"
    Path("evalkit.toml").write_text(settings, encoding="utf-8")
    assert run("--check", "evalkit.toml") != 0
    assert (
        "\n--map dataset=COLUMN,COLUMN, if each is a data set"
        in capsys.readouterr().out
    )


def test_what_an_answer_is_about_is_said_with_what_it_is_not():
    told = str(ek.report(runs(), baseline="base"))
    assert (
        "The answer is about other runs with other seeds, trained and scored as these"
        " were." in told
    )
    assert (
        "It says nothing about other test items, if all runs were scored on the same"
        " ones; if" in told
    )
