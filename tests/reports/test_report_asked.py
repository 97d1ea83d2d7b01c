"""What is known, proposed and asked of tables in shapes of their own: reasons come from
values first.
"""

import numpy as np
import pandas as pd
import pytest

import evalkit as ek
from evalkit.reports import RefusedError, UnconfirmedError, schema
from evalkit.reports._recognition import _metrics, _named


def asked(table, **options):
    """The refusal of a table, whose `table` has what was proposed and asked."""
    with pytest.raises(UnconfirmedError) as refused:
        ek.report(table, **{"baseline": "base", **options})
    return refused.value.table


def runs(n=6, **columns):
    """Scores of two systems, a row a run."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "system": ["base"] * n + ["ours"] * n,
            "accuracy": rng.normal(0.8, 0.01, 2 * n),
        }
    )
    return table.assign(**columns)


@pytest.mark.parametrize(
    ("name", "way"),
    [
        ("test_acc", "higher"), ("Test F1", "higher"), ("valAcc", "higher"),
        ("metrics.test_accuracy", "higher"),
        ("acc,none", "higher"), ("recall@10", "higher"), ("neg_log_loss", "higher"),
        ("log_loss", "lower"),
        ("WER%", "lower"), ("best_test_loss", "lower"), ("test", None), ("score", None), ("group", None),
        ("f1", "higher"), ("r2", "higher"), ("macro avg", None), ("time_map_x", None),
    ],
)  # fmt: skip
def test_a_direction_is_known_by_a_whole_name_and_by_no_part_of_it(name, way):
    assert _metrics.direction(name) == way


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("test_acc", "test"),
        ("valAcc", "validation"),
        ("acc", None),
        ("train_loss", "train"),
        ("acc_of_test_time_votes", None),
    ],
)
def test_the_part_of_the_data_is_in_the_name(name, part):
    assert _metrics.split_name(name)[1] == part


@pytest.mark.parametrize(
    ("role", "values", "fits"),
    [
        ("seed", [0.0, 1.0, 2.0], True), ("seed", [0.1, 0.2, 0.3], False), ("step", ["a", "b", "c"], False),
        ("correct", ["yes", "no", "no"], True), ("correct", ["good", "bad", "bad"], False),
        ("status", ["finished", "crashed", "running"], True), ("status", ["Bavaria", "Ohio", "Texas"], False),
        ("part", ["train", "test", "dev"], True), ("cost", [1.0, -2.0, 3.0], False),
        ("text", [1.0, 2.0, 3.0], False), ("dataset", [0.81, 0.73, 0.9], False),
        ("denominator", [0.0, 3.0, 9.0], True), ("item", [np.nan] * 3, False),
    ],
)  # fmt: skip
def test_a_name_counts_only_if_its_values_fit(role, values, fits):
    assert schema.fits(role, pd.Series(values)) == fits


def test_systems_side_by_side_are_said_and_never_guessed():
    rng = np.random.default_rng(1)
    table = pd.DataFrame(
        rng.uniform(0.6, 0.9, (9, 3)), columns=["base", "step", "mean"]
    )
    table.insert(0, "dataset", [f"set {k}" for k in range(9)])
    with pytest.raises(
        RefusedError, match="side by side, it seems, among dataset, step, mean"
    ) as refused:
        ek.report(table, baseline="base", direction="higher", as_proposed=True)
    assert (
        refused.value.faults[0]
        .ways[0]
        .startswith("--map system=base,COLUMN names the systems")
    )
    with pytest.raises(
        RefusedError,
        match="--map system=base,COLUMN --direction higher .or lower. names",
    ):
        ek.report(table, baseline="base")
    found = ek.report(
        table, baseline="base", direction="higher", columns={"system": ["base", "step"]}
    )
    assert found.evidence.systems == ("step",)


@pytest.mark.parametrize(
    ("values", "role"),
    [
        ([13, 42, 1337, 2024, 7, 99], "seed"),
        ([0, 1, 2, 3, 4, 5], "seed"),
        (["mnli", "rte", "cola", "sst", "qnli", "wnli"], "dataset"),
    ],
)
def test_what_a_column_names_is_asked_whatever_its_values(values, role):
    table = runs(nummer=values * 2)
    found = asked(table)
    assert not found.proposed
    (question,) = found.asked
    ways = [way.partition(",")[0] for way in question.ways]
    assert {
        f"--map {role}=nummer"
        for role in ("seed", "fold", "item", "dataset", "setting")
    } <= {*ways}
    assert ek.report(table, baseline="base", columns={role: "nummer"})


def test_right_and_wrong_beside_names_may_be_items_and_are_asked_about():
    rng = np.random.default_rng(0)
    table = runs(40, frage=[f"f{k}" for k in range(40)] * 2).assign(
        accuracy=rng.integers(0, 2, 80)
    )
    assert (
        asked(table)
        .asked[0]
        .ways[0]
        .startswith("--map item=frage, if each is what every system answered")
    )
    found = ek.report(table, baseline="base", columns={"item": "frage"})
    assert found.evidence.kind == "items"


def test_steps_are_no_seeds():
    table = runs(zeit=[1000, 2000, 3000, 4000, 5000, 6000] * 2)
    assert not asked(table).proposed


def test_columns_that_vary_are_asked_about_and_both_answers_lead_on():
    table = runs(40, trial=[*range(40)] * 2).drop(columns="trial")
    table = table.assign(
        seed=[*range(40)] * 2, rate=np.random.default_rng(0).uniform(size=80)
    )
    (question,) = asked(table).asked
    assert question.ways == ("--map setting=rate", "--map note=rate")
    assert (
        ek.report(table, baseline="base", columns={"note": "rate"}).evidence.kind
        == "seeds"
    )
    found = asked_search(table)
    assert "search" in found


def asked_search(table):
    """The kind of results once the column is a setting, or what it is refused for."""
    try:
        said = {"setting": "rate"}
        return ek.report(
            table, baseline="base", columns=said, accept="test-chose", search="random"
        ).evidence.kind
    except ValueError as error:
        return str(error)


def test_two_columns_that_tell_rows_apart_together_are_asked_about():
    rng = np.random.default_rng(0)
    rows = [
        {
            "system": name,
            "aufgabe": f"a{i}",
            "versuch": k,
            "accuracy": float(rng.random() < 0.6),
        }
        for name in ("base", "ours")
        for i in range(30)
        for k in range(4)
    ]
    table = pd.DataFrame(rows)
    (question,) = asked(table).asked
    assert question.columns == ("aufgabe", "versuch")
    assert question.ways[0].startswith("--map item=aufgabe, if each")
    (then,) = asked(table, columns={"item": "aufgabe"}).asked
    assert "--map repeat=versuch, if they number the answers to one item" in "; ".join(
        then.ways
    )
    said = {"item": "aufgabe", "repeat": "versuch"}
    found = ek.report(table, baseline="base", columns=said)
    means = table.groupby(["system", "aufgabe"]).accuracy.mean()
    assert found.findings.contrasts[0].difference == pytest.approx(
        (means["ours"] - means["base"]).mean()
    )


@pytest.mark.parametrize(
    "form", ["{seed}", "{system}{system}", "{what}_{system}", "{system}*{seed}*"]
)
def test_a_form_that_is_none_is_an_error(form):
    with pytest.raises(ValueError, match="^names"):
        _named.compiled(form)


def test_systems_and_seeds_are_read_from_names_of_files(tmp_path):
    rng = np.random.default_rng(0)
    scores = {}
    for name in ("ppo", "ppo_rnd"):
        for seed in range(5):
            steps = pd.DataFrame({"step": [1, 2, 3], "reward": rng.normal(10, 1, 3)})
            # A last row without a score.
            steps.loc[2, "reward"] = np.nan if seed == 4 else steps.reward[2]
            steps.to_csv(tmp_path / f"{name}_seed{seed}.csv", index=False)
            scores[name, seed] = steps.reward.dropna().iloc[-1]
    places = sorted(tmp_path.iterdir())
    with pytest.raises(
        RefusedError, match=r"--names .{system}_seed{seed}., if the number"
    ):
        ek.report(places, baseline="ppo")
    options = {
        "baseline": "ppo",
        "names": "{system}_seed{seed}",
        "where": {"step": "last"},
    }
    with pytest.raises(
        RefusedError,
        match="The last score of 2 runs stands before those of all others, at 3",
    ):
        ek.report(places, **options)
    found = ek.report(places, **options, accept="steps")
    assert sorted(found.scores("ppo_rnd")) == sorted(
        scores["ppo_rnd", seed] for seed in range(5)
    )
    assert len(found.used) == 10


def test_several_columns_of_raters_stand_side_by_side():
    rng = np.random.default_rng(0)
    rows = [
        {"system": name, "item": f"i{k}"}
        for name in ("base", "ours")
        for k in range(30)
    ]
    table = pd.DataFrame(rows).assign(
        **{f"Urteil {k}": rng.integers(1, 6, 60) for k in range(4)}
    )
    said = {"rater": "Urteil 0,Urteil 1,Urteil 2,Urteil 3"}
    found = ek.report(table, baseline="base", columns=said, direction="higher")
    by_item = table.sort_values("item").filter(like="Urteil")
    ours, base = (
        by_item[table.sort_values("item").system == name].T for name in ("ours", "base")
    )
    direct = ek.crossed_difference(ours.to_numpy(), base.to_numpy(), rows="paired")
    assert found.findings.contrasts[0].pvalue == pytest.approx(direct.pvalue)


def test_several_columns_for_the_item_are_its_name_together():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        [
            {
                "system": name,
                "kapitel": f"t{d}",
                "satz": s,
                "correct": int(rng.integers(0, 2)),
            }
            for name in ("base", "ours")
            for d in range(20)
            for s in range(5)
        ]
    )
    found = ek.report(
        table, baseline="base", columns={"item": "kapitel,satz"}, unit="item"
    )
    assert found.evidence.used["item"].nunique() == 100


def test_the_word_that_counts_as_right_is_said():
    table = runs(30, item=[*range(30)] * 2).assign(accuracy=["ja", "nein", "ja"] * 20)
    table.loc[45:, "accuracy"] = "ja"
    (question,) = asked(table, metric="accuracy").asked
    assert question.ways == ("--right ja", "--right nein")
    (one,) = ek.report(
        table, baseline="base", metric="accuracy", right="ja"
    ).findings.contrasts
    (other,) = ek.report(
        table, baseline="base", metric="accuracy", right="nein"
    ).findings.contrasts
    assert one.difference == pytest.approx(-other.difference)
    assert one.difference > 0
    with pytest.raises(ValueError, match="right: accuracy never says 'oui'"):
        ek.report(table, baseline="base", metric="accuracy", right="oui")


def test_rows_can_be_left_out_by_a_value_or_by_several():
    table = runs(
        6, seed=[*range(6)] * 2, part_of=["a", "b", "Avg., all", "a", "b", "c"] * 2
    )
    said = {"baseline": "base", "columns": {"note": "part_of"}}
    for value, n in (("a", 8), ("a,b", 4), ("Avg., all", 10)):
        assert len(ek.report(table, **said, where={"part_of!": value}).used) == n
    table.loc[3:5, "part_of"] = np.nan
    assert len(ek.report(table, **said, where={"part_of!": "empty"}).used) == 9


@pytest.mark.parametrize(
    "name",
    ["1-accuracy", "-loss", "1/ppl", "accuracy \u2193", "100-acc", "\u0394 BLEU"],
)
def test_a_name_that_is_turned_says_no_direction(name):
    assert _metrics.direction(name) is None


@pytest.mark.parametrize(
    "name", ["F1-score", "top-1 accuracy", "rouge_l", "Accuracy (%)"]
)
def test_a_name_with_a_hyphen_is_not_turned(name):
    assert not _metrics._TURNED.search(name.lower())


def test_parts_of_the_data_are_not_mixed():
    table = runs(seed=[*range(6)] * 2)
    for part, reason in (
        (["train"] * 12, "base, ours: all rows are of the training part"),
        (["test"] * 6 + ["val"] * 6, "ours: no row of the test part"),
        (["val"] * 6 + ["test"] * 6, "base: no row of the test part"),
    ):
        with pytest.raises(RefusedError, match=reason):
            ek.report(table.assign(split=part), baseline="base")


def test_rows_of_one_run_are_no_runs():
    table = runs(run_id=["b1"] * 6 + ["o1"] * 6)
    with pytest.raises(
        RefusedError, match="10 rows come again with the same system and run"
    ):
        ek.report(table, baseline="base")


def test_last_is_of_steps_alone():
    table = runs(seed=[0, 0, 1, 1, 2, 2] * 2, note_of=["last", "best"] * 6)
    said = {"baseline": "base", "columns": {"note": "note_of"}}
    found = ek.report(table, **said, where={"note_of": "last"})
    assert sorted(found.scores("ours")) == sorted(table.accuracy[6::2])
    with pytest.raises(ValueError, match="accuracy is a score"):
        ek.report(table, **said, where={"accuracy": "last"})
    with pytest.raises(ValueError, match="holds words, of which none is the last"):
        ek.report(table.replace({"last": "end"}), **said, where={"note_of": "last"})


def test_files_of_tasks_are_no_runs(tmp_path):
    rng = np.random.default_rng(0)
    for system in ("base", "ours"):
        (tmp_path / system).mkdir()
        for task in ("arc", "mmlu"):
            answers = pd.DataFrame(
                {"item": range(30), "correct": rng.integers(0, 2, 30)}
            )
            answers.to_csv(tmp_path / system / f"{task}.csv", index=False)
    places = [tmp_path / "base", tmp_path / "ours"]
    with pytest.raises(
        RefusedError, match="What does name .by its file. .arc, mmlu. name"
    ):
        ek.report(places, baseline="base")
    with pytest.raises(RefusedError, match="There are items of 2 tasks: arc, mmlu"):
        ek.report(places, baseline="base", columns={"dataset": "name (by its file)"})


def test_an_experiment_that_divides_one_system_is_asked_about():
    table = runs(8, seed=[*range(8)] * 2, experiment=["ablation"] * 4 + ["full"] * 12)
    (question,) = asked(table).asked
    assert question.columns == ("experiment",)


def test_runs_of_a_method_on_items_that_are_missing_are_told():
    rng = np.random.default_rng(0)
    rows = [
        {
            "system": name,
            "seed": seed,
            "id": f"q{i}",
            "correct": int(rng.random() < 0.7),
        }
        for name in ("base", "ours")
        for seed in range(5)
        for i in range(40)
        if (name, seed) != ("ours", 3)
    ]
    assert "ours has no compared run with seed 3, which others have" in str(
        ek.report(pd.DataFrame(rows), baseline="base")
    )


def test_the_score_of_the_test_part_is_compared_and_that_of_validation_chose():
    table = runs(seed=[*range(6)] * 2)
    table = table.assign(
        test_accuracy=table.accuracy[::-1].to_numpy(),
        val_accuracy=table.accuracy + 0.01,
    )
    found = ek.report(table, baseline="base")
    assert found.evidence.metric == "test_accuracy"
    assert found.roles["validation"] == ("val_accuracy",)


def test_systems_with_other_numbers_of_runs_share_their_items_in_the_paper():
    rng = np.random.default_rng(0)
    rows = [
        {
            "system": name,
            "seed": seed,
            "id": f"q{i}",
            "correct": int(rng.random() < 0.7),
        }
        for name, n in (("base", 5), ("ours", 5), ("theirs", 4))
        for seed in range(n)
        for i in range(40)
    ]
    found = ek.report(pd.DataFrame(rows), baseline="base")
    assert (
        "ours: 40 items, 5 and 5 runs; theirs: 40 items, 4 and 5 runs" in found.paper[0]
    )


def test_folds_of_other_sizes_than_their_number_says_are_asked_about():
    table = runs(5, fold=[*range(5)] * 2)
    with pytest.raises(RefusedError, match="of 5 equal folds, 4 train and 1 tests"):
        ek.report(table, baseline="base", n_train=960, n_test=40)
    assert ek.report(table, baseline="base", n_train=800, n_test=200)


def test_a_hundred_numbers_beside_measured_scores_may_be_seeds_and_are_asked_about():
    found = asked(runs(120, nummer=[*range(10_000, 10_120)] * 2))
    assert not found.proposed
    assert "--map seed=nummer, if each is a training run." in found.asked[0].ways
