"""Traps that real files hold: what each is asked about, or refused for, instead of a
wrong page.
"""

import sys

import numpy as np
import pandas as pd
import pytest

import evalkit as ek
from evalkit.reports import RefusedError

RNG = np.random.default_rng(0)
NAMES, N = np.repeat(["base", "ours"], 12), 40
SEEDS, ITEMS = [*range(12)] * 2, [f"q{k}" for k in range(N)]
RUNS = pd.DataFrame({"system": NAMES, "seed": SEEDS, "dice": RNG.normal(0.8, 0.01, 24)})
SCORES = pd.DataFrame({"system": np.repeat(["base", "ours"], N), "item": ITEMS * 2})
TIMES = SCORES.assign(ms=RNG.uniform(400, 900, 2 * N).round(1))
RATED = SCORES.assign(rating=RNG.integers(1, 6, 2 * N))
UP, DOWN = {"direction": "higher"}, {"direction": "lower"}


@pytest.fixture(autouse=True)
def _drawn_anew(monkeypatch):
    """Each test draws from the start, in whatever order they run."""
    monkeypatch.setattr(sys.modules[__name__], "RNG", np.random.default_rng(0))


def put(table, name, places, values):
    """A table with other values in some rows of a column."""
    column = table[name].astype(object)
    column.iloc[places] = values
    return table.assign(**{name: column.infer_objects()})


def logs(n_before):
    """Trainings of ten epochs; before one of them stands another."""
    rows = [
        (name, seed, step, RNG.random())
        for name in ("base", "ours")
        for seed in range(3)
        for step in range(10)
    ]
    rows = [("base", 0, step, RNG.random()) for step in range(n_before)] + rows
    return pd.DataFrame(rows, columns=["system", "seed", "step", "accuracy"])


SETS = pd.DataFrame(
    {"base": RNG.uniform(60, 90, 8).round(2)}, index=[f"C{k}" for k in range(8)]
)
SETS["ours"] = (SETS.base + RNG.uniform(0, 2, 8)).round(2)
ENDS = pd.DataFrame([SETS.median(), SETS.std()], index=["中位数", "标准差"]).round(2)
MIXED = SETS.where(
    pd.Series([*range(8)], SETS.index) < 5, SETS[["ours", "base"]].to_numpy()
)
RANKS = pd.DataFrame({"base": [1.38], "ours": [1.62]}, index=["Rang"])
ACROSS = {
    "direction": "higher",
    "columns": {"system": ["base", "ours"], "dataset": "set"},
}


@pytest.mark.parametrize(
    ("table", "options", "reason"),
    [
        (
            put(RUNS, "dice", [3, 4, 14], [81.2, 79.9, 80.5]),
            UP,
            "Shares and per cents in one column",
        ),
        (
            RUNS.assign(dice=np.tile(RUNS.dice[:6], 4)[:24]).assign(x=1),
            UP,
            "scores again, in the same order",
        ),
        (
            put(
                put(
                    RUNS.assign(run=[f"r{k}" for k in range(24)]),
                    "dice",
                    [4],
                    RUNS.dice[3],
                ),
                "seed",
                [4],
                3,
            ),
            UP,
            "base has runs with the same seed and the same score",
        ),
        (
            put(TIMES, "ms", [*range(0, 80, 9)], 0.0),
            {**DOWN, "metric": "ms"},
            "9 scores are 0, far from all others",
        ),
        (
            put(RATED, "rating", [5], -1),
            {**UP, "metric": "rating"},
            "1 score is -1, far from all others",
        ),
        (
            put(RATED, "rating", [5, 6], -99),
            {**UP, "metric": "rating"},
            "2 scores are -99",
        ),
        (
            TIMES.assign(ms=TIMES.ms / 1000).pipe(put, "ms", [5], -1.0),
            {**UP, "metric": "ms"},
            "1 score is -1, far",
        ),
        (
            pd.concat([SETS, ENDS]).rename_axis("set").reset_index(),
            ACROSS,
            "标准差 is a mean, a median or a spread",
        ),
        (
            pd.concat([(MIXED / 40).round(3), RANKS]).rename_axis("set").reset_index(),
            ACROSS,
            "Rang is the mean rank of each system among the others",
        ),
        (
            logs(12),
            {"where": {"step": "last"}},
            "In 1 run step begins again, and ends below where it was before",
        ),
        (
            RUNS.assign(system=[*["base"] * 6, *["b\u0430se"] * 6, *["ours"] * 12]),
            UP,
            "or the alphabet alone",
        ),
        (
            RUNS.assign(system=[*["base"] * 8, *["BERT"] * 8, *["\u0392\u0395RT"] * 8]),
            UP,
            "or the alphabet alone",
        ),
        (
            TIMES.assign(item=[f"P{k // 4:02}_{k % 4}.png" for k in range(N)] * 2),
            {**DOWN, "metric": "ms"},
            "begin with one of 10 parts",
        ),
        (
            pd.DataFrame(
                {
                    "model_a": ["base", "ours"] * 9,
                    "model_b": ["ours", "base"] * 9,
                    "winner": ["a", "b", "a"] * 6,
                }
            ),
            {},
            "Each row compares two systems, those of model_a and model_b",
        ),
        (
            TIMES.assign(status=["sat", "unsat", "timeout", "sat"] * 20),
            {**DOWN, "metric": "ms"},
            "20 answers did not end",
        ),
        (
            RUNS.assign(
                dice=RUNS.dice.mask(RUNS.seed > 3),
                main_score=RNG.random(24),
                accuracy=RNG.random(24),
            ),
            {"columns": {"note": "dice"}},
            "2 columns are scores by their names: accuracy, main_score",
        ),
    ],
)
def test_a_trap_is_asked_about(table, options, reason):
    with pytest.raises(RefusedError, match=reason):
        ek.report(table, baseline="base", **options)


@pytest.mark.parametrize(
    ("table", "options"),
    [
        (logs(5), {"where": {"step": "last"}}),  # a run that was taken up again
        (put(RATED, "rating", [5], 0), {**UP, "metric": "rating"}),
        # What failed scores nothing.
        (
            put(TIMES, "ms", [*range(0, 80, 9)], 0.0),
            {**UP, "metric": "ms"},
        ),
        (
            TIMES.assign(item=[f"doc-{k}" for k in range(N)] * 2),
            {**DOWN, "metric": "ms"},
        ),
        (RUNS.assign(dice=100 * RUNS.dice), UP),
        (SETS.rename_axis("set").reset_index(), ACROSS),
        (MIXED.rename_axis("set").reset_index(), ACROSS),
        (SETS.rename(index={"C7": "CoNLL03"}).rename_axis("set").reset_index(), ACROSS),
    ],
)
def test_what_only_looks_like_a_trap_is_read(table, options):
    assert ek.report(table, baseline="base", **options).findings.contrasts


@pytest.mark.parametrize("name", ["runtime", "note"])
def test_numbers_whose_column_has_another_name_are_offered(name):
    with pytest.raises(RefusedError, match=f"numbers are in: {name}") as error:
        ek.report(TIMES.rename(columns={"ms": name}), baseline="base")
    assert f"--metric {name} --direction lower" in error.value.faults[0].ways
    found = ek.report(
        TIMES.rename(columns={"ms": name}),
        baseline="base",
        metric=name,
        direction="lower",
    )
    assert found.evidence.kind == "items"


def ratings():
    """Two of six raters score each of eight segments of twelve documents."""
    rows = [
        (name, doc, segment, rater, RNG.integers(40, 90) + effect)
        for doc, effect in zip(
            [f"news{k}" for k in range(12)], RNG.normal(0, 9, 12), strict=True
        )
        for segment in range(8)
        for name in ("base", "ours")
        for rater in RNG.choice([*"uvwxyz"], 2, replace=False)
    ]
    return pd.DataFrame(
        rows, columns=["system", "doc_id", "segment", "rater", "points"]
    ).round(3)


@pytest.mark.parametrize("item", [["doc_id", "segment"], ["segment", "doc_id"]])
def test_documents_that_different_raters_scored_are_the_unit(item):
    asked = {
        "baseline": "base",
        "metric": "points",
        "direction": "higher",
        "columns": {"item": item},
    }
    table = ratings()
    with pytest.raises(
        RefusedError, match="Several items share a value of doc_id, for every system"
    ) as error:
        ek.report(table, **asked)
    assert [way.partition(":")[0] for way in error.value.faults[-1].ways] == [
        "--unit doc_id",
        "--unit item",
    ]
    found = ek.report(table, unit="doc_id", **asked)
    (one,) = found.findings.contrasts
    assert "12 groups" in one.sizes
    assert "judged by these 6 raters alone" in found.findings.varies
    with pytest.raises(
        RefusedError, match="--unit COLUMN: the same, if items of one document"
    ):
        ek.report(
            table.rename(columns={"doc_id": "doc"}),
            **asked | {"columns": {"item": ["doc", "segment"]}},
        )
    asked["columns"] = {"item": item, "repeat": "rater"}
    (same,) = ek.report(table, unit="doc_id", **asked).findings.contrasts
    assert (one.difference, one.pvalue) == pytest.approx((same.difference, same.pvalue))


@pytest.mark.parametrize("said", [{"unit": "user"}, {"columns": {"run": "user"}}])
def test_people_who_met_one_system_each_are_no_runs_with_seeds(said):
    table = pd.DataFrame(
        {
            "system": NAMES,
            "user": [f"u{k}" for k in range(24)],
            "accuracy": RNG.random(24),
        }
    )
    found = ek.report(table, baseline="base", **said)
    assert found.findings.contrasts[0].sizes == "12 and 12 values of user"
    assert found.findings.varies == "other values of user"
    assert found.findings.quantity == "mean over values of user"
    text = found.write("markdown")
    assert "seeds, on these" not in text
    assert "same ones" not in text


def test_accuracies_of_one_run_may_be_those_of_another():
    """On few items validation and test agree by chance, and so may a rounded time."""
    table = RUNS.assign(val_dice=RUNS.dice - 0.01, seconds=1.13)
    for name in ("dice", "val_dice"):
        table = put(table, name, [4], table[name][3])
    assert ek.report(table, baseline="base", **UP).findings.contrasts


def test_seeds_of_another_name_are_seeds():
    table = RUNS.rename(columns={"seed": "Startwert"})
    found = ek.report(
        table, baseline="base", unit="Startwert", columns={"seed": "Startwert"}, **UP
    )
    assert found.findings.contrasts[0].sizes == "12 and 12 runs"


def test_what_every_system_met_may_be_an_item_beside_runs():
    rows = [
        (p, name, run, RNG.random())
        for p in "abcdefgh"
        for name in ("base", "ours")
        for run in range(3)
    ]
    table = pd.DataFrame(rows, columns=["program", "system", "run", "loss"])
    with pytest.raises(
        RefusedError, match="--map item=program, if each is what every system answered"
    ):
        ek.report(table, baseline="base")
    found = ek.report(
        table, baseline="base", columns={"item": "program"}, duplicates="mean"
    )
    assert found.findings.contrasts[0].sizes.endswith("8 items")


def test_lines_of_orange_that_say_the_kinds_of_columns_are_no_items(tmp_path):
    rows = [
        f"{RNG.choice([*'xy'])}\t{RNG.choice([*'xy'])}\tx\t{k % 5}" for k in range(60)
    ]
    head, kinds = (
        "base\tours\ttruth\tFold",
        [
            "x y\tx y\tx y\t0 1 2 3 4",
            "meta\tmeta\tclass\tmeta",
        ],
    )
    path = tmp_path / "predictions.tab"
    said = {
        "columns": {"system": ["base", "ours"], "label": "truth"},
        "unit": "item",
        "baseline": "base",
    }
    path.write_text("\n".join([head, *kinds, *rows]))
    with pytest.raises(
        RefusedError, match="lines 2 and 3, from Orange, say what each column is"
    ):
        ek.report(path, **said)
    path.write_text("\n".join([head, *rows]))
    assert ek.report(path, **said).findings.contrasts[0].sizes == "60 items"


def test_lines_of_qualtrics_that_say_what_columns_are_are_no_answers(tmp_path):
    kinds = [
        ["Response ID", "Model", "How good?"],
        ['{"ImportId":"_id"}', '{"ImportId":"m"}', '{"ImportId":"Q1"}'],
    ]
    rows = [[f"R_{k}", "ab"[k % 2], k % 7 + 1] for k in range(40)]
    pd.DataFrame([*kinds, *rows], columns=["ResponseId", "model", "Q1"]).to_csv(
        tmp_path / "q.csv", index=False
    )
    with pytest.raises(
        RefusedError, match="lines 2 and 3, from Qualtrics, say what each column is"
    ):
        ek.report(tmp_path / "q.csv", baseline="a")


def test_a_form_is_offered_for_names_with_something_before_and_behind_the_system(
    tmp_path,
):
    for name in ("base", "ours"):
        pd.DataFrame({"seed": range(5), "loss": RNG.random(5)}).to_csv(
            tmp_path / f"2401_{name}_arith.csv", index=False
        )
    with pytest.raises(
        RefusedError, match=r"--names '2401_\{system\}_arith', if the rest"
    ):
        ek.report(tmp_path, baseline="base")
    assert ek.report(
        tmp_path, baseline="base", names="2401_{system}_arith"
    ).evidence.systems == ("ours",)


RIGHT = RNG.integers(20, 36, (22, 2))
COUNTS = pd.DataFrame(RIGHT, columns=["base", "ours"]).assign(
    speaker=[f"s{k}" for k in range(22)], sentences=RNG.integers(36, 60, 22)
)
BESIDE = {"system": ["base", "ours"], "item": "speaker"}


def test_counts_side_by_side_are_asked_about_and_divided_by_their_total():
    """As they are their mean is of those who say most, and times their totals it is of
    nothing.
    """
    asked = {"baseline": "base", **UP, "columns": BESIDE}
    with pytest.raises(
        RefusedError, match="base and ours: whole numbers, and sentences is hardly ever"
    ):
        ek.report(COUNTS, **asked)
    with pytest.raises(RefusedError, match="as sentences does: counts, it seems"):
        ek.report(
            COUNTS, **{**asked, "columns": {**BESIDE, "denominator": "sentences"}}
        )
    both = {**BESIDE, "numerator": ["base", "ours"], "denominator": "sentences"}
    (found,) = ek.report(COUNTS, **{**asked, "columns": both}).findings.contrasts
    assert found.difference == pytest.approx(
        (COUNTS.ours.sum() - COUNTS.base.sum()) / COUNTS.sentences.sum()
    )


def test_a_rate_in_per_cent_is_asked_about_as_a_share_is():
    words, errors = RNG.integers(300, 900, (2, 40)) // [[1], [4]]
    table = SCORES.assign(
        words=[*words] * 2, wer=np.tile((100 * errors / words).round(2), 2)
    )
    table.loc[:39, "wer"] = (100 * (errors + RNG.integers(0, 9, 40)) / words).round(2)
    with pytest.raises(
        RefusedError, match="wer is a rate of each item, and words beside it"
    ):
        ek.report(table, baseline="base", metric="wer")


def test_data_sets_on_scales_of_their_own_are_asked_about():
    returns = {
        "Ant": 4200,
        "Pendulum": -160,
        "CartPole": 480,
        "Hopper": 2700,
        "Acrobot": -85,
        "Walker": 3900,
    }
    rows = [
        (a, env, level + RNG.normal())
        for a in ("base", "ours")
        for env, level in returns.items()
    ]
    table = pd.DataFrame(rows, columns=["system", "dataset", "reward"])
    with pytest.raises(
        RefusedError,
        match=r"Medians of the data sets go from Acrobot -8\d\.?\d* to Ant 4\d+",
    ):
        ek.report(table, baseline="base")
    assert ek.report(table, baseline="base", accept="scale").findings.contrasts
    near = table[table.reward > 2000]
    assert ek.report(near, baseline="base").findings.contrasts


@pytest.mark.parametrize(
    ("validation", "test", "is_known"),
    [
        ("validációs_pontosság", "teszt_pontosság", True),
        ("验证损失", "测试准确率", False),
        ("zz_5", "yy_5", False),
        ("dev_dist", "test_gain", False),
    ],
)
def test_the_score_that_chooses_has_the_direction_of_the_other_if_it_is_the_same(
    validation, test, is_known
):
    """Of two names without a letter of ours nothing is known: a loss would have chosen
    the worst.
    """
    table = pd.DataFrame(
        {"system": np.repeat(["base", "ours"], 40), "param_lr": RNG.uniform(0, 1, 80)}
    )
    table[[validation, test]] = RNG.uniform(0.5, 0.9, (80, 2))
    options = {
        "metric": test,
        **UP,
        "search": "random",
        "columns": {"validation": validation},
    }
    if is_known:
        assert ek.report(table, baseline="base", **options).findings.contrasts
        return
    with pytest.raises(
        RefusedError, match=f"whether a higher or a lower {validation} is better"
    ):
        ek.report(table, baseline="base", **options)


def test_a_metric_without_a_known_name_is_asked_with_its_direction():
    table = RUNS.rename(columns={"dice": "przetrwanie"})
    with pytest.raises(RefusedError) as refused:
        ek.report(table, baseline="base")
    (fault,) = refused.value.faults
    assert fault.ways == tuple(
        f"--metric przetrwanie --direction {way}" for way in ("higher", "lower")
    )


def test_long_numbers_of_items_are_shown_whole():
    table = SCORES.assign(
        item=[20210000 + k for k in range(N)] * 2, marks=RNG.uniform(0, 9, 2 * N)
    )
    table = table.rename(columns={"item": "uczen"})
    with pytest.raises(
        RefusedError,
        match=r"uczen \(20210000, 20210001, 20210002, 20210003 and 36 more\)",
    ):
        ek.report(table, baseline="base", metric="marks", direction="higher")


def test_folds_that_are_called_id_are_no_items():
    """As R's rsample writes them."""
    table = RUNS.assign(id=[f"Fold{k:02}" for k in SEEDS]).drop(columns="seed")
    with pytest.raises(RefusedError, match="What does id .* name"):
        ek.report(table, baseline="base", metric="dice", direction="higher")


def test_a_name_of_a_file_may_have_points(tmp_path):
    """They were cut at the first one, and two models became runs of one."""
    for name in ("llama-3.1-8b", "llama-3.2-3b", "qwen-2-7b"):
        table = pd.DataFrame({"item": ITEMS, "correct": RNG.integers(0, 2, N)})
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    found = ek.report(tmp_path, baseline="qwen-2-7b")
    assert found.evidence.systems == ("llama-3.1-8b", "llama-3.2-3b")


def test_a_run_that_failed_and_was_started_again_is_the_one_that_ended():
    table = RUNS.assign(status="finished")
    table = pd.concat(
        [table, table.iloc[[14]].assign(status="crashed", dice=0.4)], ignore_index=True
    )
    # Of what was started again nothing failed in the end.
    for failed in (
        None,
        "worst",
    ):
        found = ek.report(table, baseline="base", direction="higher", failed=failed)
        assert len(found.used) == 24
        assert found.bench.left_out == [
            (1, "rows that did not end with a score, as another try of them did")
        ]
    with pytest.raises(
        RefusedError, match="1 run did not end with a score: base 0 of 12, ours 1 of 13"
    ):
        ek.report(
            table.drop(columns="seed"), baseline="base", direction="higher", unit="seed"
        )


def test_one_total_of_each_system_is_one_run():
    """Asked of what it is a part it went in a circle: of each number beside it."""
    table = pd.DataFrame(
        {"system": ["base", "ours"], "resolved": [81, 119], "total": [300, 300]}
    )
    with pytest.raises(RefusedError, match="There is only one run of base and ours"):
        ek.report(table, baseline="base", metric="resolved", direction="higher")
    both = {"numerator": "resolved", "denominator": "total"}
    with pytest.raises(RefusedError, match="No column names the items"):
        ek.report(table, baseline="base", columns=both, direction="higher")


def test_a_column_that_stands_twice_names_the_systems_once():
    table = RUNS.assign(engine=RUNS.system, engine_id=RUNS.system).drop(
        columns="system"
    )
    with pytest.raises(RefusedError, match="engine: taken for the system"):
        ek.report(table, baseline="base")
    assert ek.report(table, baseline="base", metric="dice", direction="higher").roles[
        "system"
    ] == ("engine",)


def test_of_files_with_a_metric_each_one_is_compared(tmp_path):
    """As TensorBoard writes them: the last one was, and nobody had been asked."""
    for name in ("base", "ours"):
        for seed in range(4):
            for tag in ("eval_accuracy", "eval_loss"):
                table = pd.DataFrame(
                    {"Wall time": [1.0, 2.0], "Step": [1, 2], "Value": RNG.random(2)}
                )
                table.to_csv(
                    tmp_path / f"run-{name}_seed{seed}-tag-{tag}.csv", index=False
                )
    options = {"names": "run-{system}_seed{seed}-tag-*", "where": {"Step": "last"}}
    with pytest.raises(
        RefusedError, match="one of 2 metrics: eval_accuracy, eval_loss"
    ):
        ek.report(tmp_path, baseline="base", **options)
    found = ek.report(tmp_path, baseline="base", metric="eval_accuracy", **options)
    assert (found.evidence.metric, len(found.used)) == ("eval_accuracy", 8)
    assert (16, "files of other metrics") in found.bench.left_out


def test_right_answers_may_lie_among_the_predictions(tmp_path):
    ids = {"question_id": ITEMS}
    pd.DataFrame({**ids, "answer": RNG.choice([*"ABCD"], N)}).to_csv(
        tmp_path / "gold.csv", index=False
    )
    for name in ("gpt-3.5", "gpt-4"):
        table = pd.DataFrame({**ids, "answer": RNG.choice([*"ABCD"], N)})
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    columns = {"prediction": "answer"}
    found = ek.report(
        tmp_path, baseline="gpt-3.5", gold=tmp_path / "gold.csv", columns=columns
    )
    assert (found.evidence.systems, len(found.used)) == (("gpt-4",), 2 * N)


def test_counts_of_a_total_are_asked_with_every_way_on():
    """Beside a metric whose direction is not known the ways of counts were lost."""
    table = SCORES.assign(
        n=RNG.integers(20, 30, 2 * N), seen=RNG.integers(5, 20, 2 * N)
    )
    with pytest.raises(RefusedError) as refused:
        ek.report(table, baseline="base", metric="seen")
    ways = [way for fault in refused.value.faults for way in fault.ways]
    counted = (
        "--map numerator=seen --map denominator=n --direction higher, if seen counts"
        " how many"
    )
    assert any(way.startswith(counted) for way in ways)
    assert {"--direction higher", "--direction lower"} <= {*ways}


def test_what_chose_has_the_direction_of_the_score_if_somebody_says_so():
    """Of Optuna's `value` no option did."""
    table = pd.DataFrame(
        {"system": np.repeat(["base", "ours"], 40), "param_lr": RNG.uniform(0, 1, 80)}
    )
    table[["value", "test_accuracy"]] = RNG.uniform(0.5, 0.9, (80, 2))
    options = {"search": "random", "columns": {"validation": "value"}}
    with pytest.raises(
        RefusedError,
        match="--accept direction, if the higher is better, as of the score",
    ):
        ek.report(table, baseline="base", **options)
    said = ek.report(table, baseline="base", accept="direction", **options)
    named = ek.report(
        table.rename(columns={"value": "val_accuracy"}),
        baseline="base",
        search="random",
    )
    assert (
        said.findings.contrasts[0].difference == named.findings.contrasts[0].difference
    )
    assert "A higher value is better too, as you said." in said.write("markdown")


def test_words_that_mark_answers_are_offered_beside_numbers():
    table = SCORES.assign(
        length=RNG.integers(5, 90, 2 * N), ok=RNG.choice(["ja", "nee"], 2 * N)
    )
    with pytest.raises(RefusedError) as refused:
        ek.report(table, baseline="base")
    assert (
        "--metric ok --right ja, if that is the word for right answers."
        in refused.value.faults[0].ways
    )
    table["ok"] = table.ok.map({"ja": "yes", "nee": "no"})
    with pytest.raises(
        RefusedError, match="--metric ok, if it says whether an answer is right"
    ):
        ek.report(table, baseline="base")


def test_talks_that_met_one_system_each_are_offered_as_the_unit():
    table = pd.DataFrame(
        {"system": NAMES, "talk": [f"t{k}" for k in range(24)], "dice": RUNS.dice}
    )
    with pytest.raises(RefusedError) as refused:
        ek.report(table, baseline="base", metric="dice", direction="higher")
    alone = "--unit talk, if each is a person, a shop or the like, with one system."
    assert alone in refused.value.faults[0].ways
    found = ek.report(
        table, baseline="base", metric="dice", direction="higher", unit="talk"
    )
    assert found.findings.contrasts[0].sizes == "12 and 12 values of talk"


@pytest.mark.parametrize("more", [{}, {"unit": "who"}])
def test_people_who_rated_each_system_several_times_are_no_runs(more):
    people = {"system": NAMES, "who": [f"e{k // 3}" for k in range(12)] * 2}
    table = pd.DataFrame({**people, "mos": RNG.integers(1, 6, 24).astype(float)})
    options = {"metric": "mos", **UP, "columns": {"rater": "who"}}
    with pytest.raises(RefusedError, match="24 rows come from 4 values of who"):
        ek.report(table, baseline="base", **options, **more)


def test_a_code_of_one_system_alone_may_be_a_failure():
    """Left out, that would flatter the system."""
    with pytest.raises(RefusedError, match="By system: base 2, ours 0") as refused:
        ek.report(
            put(RATED, "rating", [5, 6], -1), baseline="base", metric="rating", **UP
        )
    leave, empty, *_ = refused.value.faults[0].ways
    assert (
        leave
        == "--where 'rating!=-1' leaves them out, if it has nothing to do with the"
        " system."
    )
    assert (
        empty
        == "empty such cells, if a system failed there: --failed then says what that"
        " scores."
    )
    found = ek.report(
        put(RATED, "rating", [5, 6], np.nan),
        baseline="base",
        metric="rating",
        failed=0,
        **UP,
    )
    assert len(found.used) == 2 * N


def test_items_that_each_file_has_alone_are_of_one_run(tmp_path):
    """As the folds of nnU-Net, which were taken for seeds."""
    for name in ("flat", "full"):
        for fold in range(5):
            cases = {
                "case": [f"c{8 * fold + k}" for k in range(8)],
                "dice": RNG.uniform(0.6, 0.9, 8),
            }
            (tmp_path / name / f"fold_{fold}").mkdir(parents=True)
            pd.DataFrame(cases).to_csv(
                tmp_path / name / f"fold_{fold}" / "summary.csv", index=False
            )
    options = {"baseline": "flat", "metric": "dice", **UP, "columns": {"item": "case"}}
    found = ek.report(tmp_path, **options)
    assert (found.evidence.kind, found.findings.contrasts[0].sizes) == (
        "items",
        "40 items",
    )


def test_marks_that_are_called_predictions_are_asked_about():
    """C and I beside answers from A to D: one C in four would have been right."""
    table = SCORES.assign(
        target=[*RNG.choice([*"ABCD"], N)] * 2, mark=RNG.choice([*"CI"], 2 * N)
    )
    columns = {"label": "target", "prediction": "mark"}
    with pytest.raises(
        RefusedError, match="mark says C, I, and the right answers are"
    ) as refused:
        ek.report(table, baseline="base", columns=columns)
    assert (
        refused.value.faults[0].ways[0]
        == "--metric mark, if it says whether an answer is right."
    )


def test_errors_in_units_of_their_own_are_no_per_cents():
    errors = np.r_[RNG.uniform(0, 1, 6), RNG.uniform(50, 900, 2 * N - 6)]
    table = SCORES.assign(abs_error=errors)
    assert ek.report(
        table, baseline="base", metric="abs_error", **DOWN
    ).findings.contrasts


SESSIONS = pd.DataFrame(
    {"variant": NAMES, "user_id": [f"u{k // 3}" for k in range(24)]}
)
SESSIONS["bought"] = RNG.random(24)


def test_people_with_several_rows_are_averaged_first():
    """And they are not both: what is independent, and beside other runs."""
    options = {"baseline": "base", "metric": "bought", **UP}
    system = {"system": "variant"}
    way = (
        "--map run=user_id --duplicates mean, if each is a person, a class or the like,"
        " with several rows."
    )
    with pytest.raises(RefusedError) as refused:
        ek.report(SESSIONS, columns=system, **options)
    assert way in refused.value.faults[0].ways
    with pytest.raises(
        RefusedError,
        match="run=user_id --duplicates mean: the rows of each are averaged",
    ):
        ek.report(SESSIONS, columns=system, unit="user_id", **options)
    found = ek.report(
        SESSIONS, columns={**system, "run": "user_id"}, duplicates="mean", **options
    )
    assert found.findings.contrasts[0].sizes == "4 and 4 values of user_id"
    alone = SESSIONS.assign(pupil=[f"p{k}" for k in range(24)])
    with pytest.raises(
        ValueError, match="pupil is said to be it, and user_id to be the run"
    ):
        ek.report(
            alone,
            columns={**system, "run": "user_id"},
            unit="pupil",
            duplicates="mean",
            **options,
        )


def test_words_for_right_and_wrong_may_stand_side_by_side():
    table = pd.DataFrame(
        RNG.choice(["ja", "nee"], (N, 2)), columns=["base", "ours"]
    ).assign(item=ITEMS)
    options = {"baseline": "base", "columns": {"system": ["base", "ours"]}}
    with pytest.raises(
        RefusedError, match="score says ja or nee: which of them is right"
    ):
        ek.report(table, **options)
    (found,) = ek.report(table, right="ja", **options).findings.contrasts
    assert found.difference == pytest.approx(
        (table.ours == "ja").mean() - (table.base == "ja").mean()
    )


def test_a_few_scores_far_beyond_all_others_are_asked_about():
    """Errors of predictions of which some were -999, a code."""
    errors = put(
        SCORES.assign(abs_error=RNG.uniform(0.1, 3, 2 * N)),
        "abs_error",
        [50, 60],
        [997.5, 1001.2],
    )
    with pytest.raises(
        RefusedError,
        match="2 scores are more than 50 times all others, which go to 2.9",
    ):
        ek.report(errors, baseline="base", metric="abs_error", **DOWN)
    heavy = SCORES.assign(ms=np.exp(RNG.normal(0, 2.5, 2 * N)))
    assert ek.report(heavy, baseline="base", metric="ms", **DOWN).findings.contrasts


def test_seconds_may_be_what_is_compared():
    table = RUNS.rename(columns={"dice": "seconds"}).assign(rep=1.0)
    with pytest.raises(RefusedError) as refused:
        ek.report(table, baseline="base")
    assert "--metric seconds --direction lower" in refused.value.faults[0].ways


@pytest.mark.parametrize(
    ("names", "kind", "roles"),
    [
        ([f"fold_{k}" for k in range(5)], "folds", []),
        (
            ["mnist", "svhn", "cifar10", "stl10", "usps", "emnist"],
            "datasets",
            ["dataset"],
        ),
        ([f"s{k:02d}" for k in range(40)], "items", ["item"]),
        (["0", "1", "2", "3"], "seeds", ["seed"]),
        ([f"seed{k}" for k in range(5)], "seeds", []),
        (["run1", "run2", "run10"], "seeds", []),
    ],
)
@pytest.mark.parametrize("is_folder", [True, False])
def test_what_the_files_of_a_system_are_their_names_or_folders_say(
    tmp_path, names, kind, roles, is_folder
):
    """Other names than those of folds and runs say nothing, and are asked about: all
    were seeds.
    """
    for system in ("base", "ours"):
        for name in names:
            place = (
                tmp_path
                / system
                / (f"{name}/metrics.json" if is_folder else f"{name}.json")
            )
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(f'{{"accuracy": {RNG.uniform(0.7, 0.9):.4f}}}')
    sizes = {"n_train": 800, "n_test": 200} if kind == "folds" else {}
    for role in roles:
        with pytest.raises(RefusedError, match=f"--map '{role}=name .by its file.'"):
            ek.report(tmp_path, baseline="base")
    columns = dict.fromkeys(roles, "name (by its file)")
    assert (
        ek.report(tmp_path, baseline="base", columns=columns, **sizes).evidence.kind
        == kind
    )


def test_a_score_of_a_whole_file_is_none_of_its_items(tmp_path):
    """As the mean that nnU-Net writes above its cases."""
    for name in ("base", "ours"):
        for fold in range(4):
            rows = pd.DataFrame(
                {"case": [f"c{10 * fold + k}" for k in range(10)], "mean": RNG.random()}
            )
            (tmp_path / name).mkdir(exist_ok=True)
            rows.to_csv(tmp_path / name / f"fold_{fold}.csv", index=False)
    options = {"baseline": "base", "metric": "mean", **UP, "columns": {"item": "case"}}
    with pytest.raises(RefusedError, match="mean is the same in all rows of each file"):
        ek.report(tmp_path, **options)


def test_people_who_met_both_systems_are_no_runs_of_each():
    people = [f"s{k}" for k in SEEDS]
    table = pd.DataFrame(
        {"system": NAMES, "subject": people, "rt": RNG.uniform(400, 900, 24)}
    )
    options = {"baseline": "base", "metric": "rt", **DOWN}
    with pytest.raises(
        RefusedError,
        match="Several systems have the same values of subject: s0, s1, s2",
    ):
        ek.report(table, columns={"run": "subject"}, **options)
    assert (
        ek.report(table, columns={"item": "subject"}, **options).evidence.kind
        == "items"
    )


def test_no_more_than_three_marks_are_offered():
    words = {f"Merkmal{k}": RNG.choice(["ja", "nein"], 2 * N) for k in range(5)}
    with pytest.raises(RefusedError) as refused:
        ek.report(SCORES.assign(**words), baseline="base")
    ways = [way for fault in refused.value.faults for way in fault.ways]
    assert sum("if that is the word for right answers" in way for way in ways) == 6


def test_right_answers_in_two_places_are_asked_about(tmp_path):
    """They may differ; and the file of answers was a third system, whose answers had
    all failed.
    """
    for name in ("base", "ours"):
        said = pd.DataFrame({"item": ITEMS, "prediction": RNG.choice(["a", "b"], N)})
        said.assign(label="b").to_csv(tmp_path / f"{name}.csv", index=False)
    said.rename(columns={"prediction": "label"}).to_csv(
        tmp_path / "gold.csv", index=False
    )
    with pytest.raises(
        RefusedError, match="are in .*gold.*, and beside the predictions"
    ):
        ek.report(tmp_path, baseline="base")
    found = ek.report(tmp_path, baseline="base", gold=tmp_path / "gold.csv")
    assert found.scores("ours").mean() == 1
