"""What a refusal offers: each option goes on, or meets another refusal, and none
decides by mistake.
"""

import re
import shlex

import faulty
import generated
import numpy as np
import pandas as pd
import pytest
from test_report import rng_of

import evalkit as ek
from evalkit import _arguments, cli
from evalkit.reports import RefusedError, UnconfirmedError


def searches(*, loss=False, n=40, n_failed=8):
    """Two random searches, of which the second crashed on every fifth trial, without
    any score.
    """
    rng = np.random.default_rng(3)
    rows = []
    for model, level in (("base", 0.80), ("ours", 0.82)):
        for trial in range(n):
            quality = level + rng.normal(0, 0.02)
            score = 1 - quality if loss else quality
            crashed = model == "ours" and trial < n_failed
            row = {
                "model": model,
                "state": "crashed" if crashed else "finished",
                "params_lr": rng.uniform(),
            }
            names = ("val_loss", "test_loss") if loss else ("val_acc", "test_acc")
            noise = rng.normal(0, 0.003, 2)
            rows.append(
                row
                | dict(
                    zip(names, [np.nan] * 2 if crashed else score + noise, strict=True)
                )
            )
    return pd.DataFrame(rows)


# --------------------------------------------------------------------------------------
# Trials that failed
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", [False, True])
@pytest.mark.parametrize("failed", ["worst", 0.5])
def test_a_trial_that_failed_on_validation_too_is_chosen_last(loss, failed):
    table = searches(loss=loss)
    found = ek.report(table, baseline="base", failed=failed)
    val, test = found.scores("ours", "validation"), found.scores("ours")
    good = table[(table.model == "ours") & (table.state == "finished")]
    kept = np.isin(test, good.iloc[:, -1])
    assert kept.sum() == len(good) == len(test) - 8
    behind = (
        val[~kept].min() > val[kept].max()
        if loss
        else val[~kept].max() < val[kept].min()
    )
    assert behind
    # By hand: a search of n finds the best test score by validation, and the failure
    # only if all n failed.
    worst = table.iloc[:, -1].max() if loss else table.iloc[:, -1].min()
    score = worst if failed == "worst" else failed
    own = table[table.model == "ours"].iloc[:, -2:].fillna({table.columns[-1]: score})
    own = own.fillna({table.columns[-2]: np.inf if loss else -np.inf}).to_numpy()
    draws = np.random.default_rng(0).permuted(
        np.tile(np.arange(40), (20_000, 1)), axis=1
    )[:, :8]
    best = (own[:, 0][draws].argmin if loss else own[:, 0][draws].argmax)(axis=1)
    by_hand = own[:, 1][draws[np.arange(len(draws)), best]].mean()
    assert found.findings.contrasts[0].means[0] == pytest.approx(by_hand, abs=5e-4)


def test_the_score_that_chooses_may_be_better_the_other_way():
    table = searches(n_failed=0).rename(columns={"val_acc": "val_loss"})
    turned = table.assign(val_loss=1 - table.val_loss)
    (one,) = ek.report(turned, baseline="base").findings.contrasts
    (other,) = ek.report(
        table.rename(columns={"val_loss": "val_acc"}), baseline="base"
    ).findings.contrasts
    assert (one.difference, one.low, one.pvalue) == pytest.approx(
        (other.difference, other.low, other.pvalue)
    )
    chose = next(
        c
        for c in ek.report(turned, baseline="base").bench.checks
        if c.code == "test-chose"
    )
    assert "Of val_loss the lower is the better, by its name." in chose.words


def test_a_trial_without_a_validation_score_is_asked_about():
    table = searches(n_failed=0)
    table.loc[5, "val_acc"] = np.nan
    with pytest.raises(RefusedError, match="1 run did not end with a score"):
        ek.report(table, baseline="base")
    assert ek.report(table, baseline="base", failed="worst").write("html")


def test_failed_trials_are_not_dropped_where_too_few_are_left():
    table = searches(n=32)
    with pytest.raises(RefusedError) as refused:
        ek.report(table, baseline="base")
    assert not any("drop" in way for way in refused.value.faults[0].ways)
    with pytest.raises(
        RefusedError, match="Fewer than 30 trials: ours 24, without the 8 that"
    ) as no:
        ek.report(table, baseline="base", failed="drop")
    assert no.value.faults[0].ways[0].startswith("--failed worst")
    assert ek.report(table, baseline="base", failed="worst").write("html")


# --------------------------------------------------------------------------------------
# Every option
# --------------------------------------------------------------------------------------

_OPTION = re.compile(r"--([a-z-]+) ((?:'[^']*'|\"[^\"]*\"|[^\s'\"])+) ?")


def offered(fault):
    """The options that a fault offers, as arguments of the report, but for those with a
    name to fill in.
    """
    for way in fault.ways:
        pairs, end = [], 0
        while found := _OPTION.match(way, end):
            pairs.append((found[1], shlex.split(found[2].rstrip(",:;."))[0]))
            end = found.end()
        if not pairs or re.search(r"NAME|COLUMN|VALUE|DATASET|NUMBER", way[:end]):
            continue
        more = {}
        for name, value in pairs:
            if name == "as-proposed":
                more["as_proposed"] = True
            elif name == "map":
                role, _, column = value.partition("=")
                more.setdefault("columns", {}).setdefault(role, []).append(column)
            elif name == "where":
                column, _, of = value.partition("=")
                more["where"] = {column: of}
            elif name in ("n-train", "n-test"):
                more[name.replace("-", "_")] = 90
            else:
                more[name] = {"SCORE": "0.5"}.get(value, value)
        yield f"--{pairs[0][0]}", more


def known_options():
    parser = _arguments.command_line(None, None)
    report = parser._subparsers._group_actions[0].choices["report"]
    return {name for action in report._actions for name in action.option_strings}


def refusal(places, options):
    try:
        ek.report(places, **options)
    except RefusedError as refused:
        return refused.faults
    return ()


@pytest.mark.parametrize("make", faulty.FAULTS, ids=lambda make: make.__name__)
def test_no_option_that_is_offered_is_a_dead_end(make, tmp_path):
    """It goes on, or what it meets is another refusal: never the same again, and never
    a bare error.
    """
    planted = make(rng_of(make, 0))
    places, todo, known = planted.case.write(tmp_path), [({}, None)], known_options()
    for given, answered in todo:
        faults = refusal(places, {**planted.case.options, **given})
        assert answered not in [(fault.code, fault.what) for fault in faults], given
        for fault in faults:
            for words, more in offered(fault):
                assert words in known
                new = given | more, (fault.code, fault.what)
                if len(given) < 2 and not set(more) <= set(given) and new not in todo:
                    todo.append(new)


# --------------------------------------------------------------------------------------
# Columns that are no systems, no settings and no items
# --------------------------------------------------------------------------------------


def table_of_sets(n=9):
    rng = np.random.default_rng(11)
    scores = rng.uniform(60, 90, (n, 1)) + np.arange(3) + rng.normal(0, 1, (n, 3))
    sets = pd.Index([f"set {letter}" for letter in "ABCDEFGHIJKL"[:n]], name="Dataset")
    return pd.DataFrame(scores.round(1), index=sets, columns=["base", "ours", "theirs"])


@pytest.mark.parametrize("name", ["accuracy_std", "Accuracy SE", "std(accuracy)"])
def test_a_spread_beside_scores_of_runs_is_no_metric_and_no_setting(name):
    rng = np.random.default_rng(0)
    runs = pd.DataFrame({
        "model": ["base"] * 6 + ["ours"] * 6,
        "seed": [*range(6)] * 2,
        "accuracy": rng.uniform(0.7, 0.8, 12),
        name: rng.uniform(0, 0.01, 12),
    })  # fmt: skip
    found = ek.report(runs, baseline="base")
    assert (found.evidence.kind, found.evidence.metric) == ("seeds", "accuracy")
    assert found.roles["note"] == (name,)
    assert f"column {name}: a spread by its name" in found.notes
    # Which may have been set.
    with pytest.raises(UnconfirmedError, match="init_std varies"):
        ek.report(runs.rename(columns={name: "init_std"}), baseline="base")


def test_a_setting_whose_name_has_a_word_of_spreads_stays_one():
    table = searches(n_failed=0).rename(columns={"params_lr": "params_init_std"})
    checks = {
        one.code: one.words for one in ek.report(table, baseline="base").bench.checks
    }
    assert checks["settings"].startswith(
        "What varies is taken for settings (params_init_std)"
    )


SIDE = {"columns": {"system": ["base", "ours", "theirs"]}}


def test_an_index_of_pandas_names_no_items(tmp_path):
    table = table_of_sets().reset_index(drop=True).rename_axis("index")
    table.to_csv(tmp_path / "table.csv")
    with pytest.raises(RefusedError) as refused:
        ek.report(tmp_path / "table.csv", baseline="base", direction="higher", **SIDE)
    assert [fault.code for fault in refused.value.faults] == ["unit"]
    table_of_sets().rename_axis("index").to_csv(tmp_path / "named.csv")
    with pytest.raises(
        RefusedError, match="--map dataset=index, if each is a data set"
    ):
        ek.report(tmp_path / "named.csv", baseline="base", direction="higher", **SIDE)
    said = {"columns": {"dataset": "index", **SIDE["columns"]}, "direction": "higher"}
    found = ek.report(tmp_path / "named.csv", baseline="base", **said)
    assert found.evidence.kind == "datasets"
    rng = np.random.default_rng(0)
    for name in ("base", "ours"):
        frame = pd.DataFrame(
            {"label": rng.integers(0, 2, 50), "prediction": rng.integers(0, 2, 50)}
        )
        frame.rename_axis("index").to_csv(tmp_path / f"{name}.csv")
    places = [tmp_path / "base.csv", tmp_path / "ours.csv"]
    with pytest.raises(RefusedError, match="No column names the items"):
        ek.report(places, baseline="base")


# --------------------------------------------------------------------------------------
# Names of systems, and right answers that are lacking
# --------------------------------------------------------------------------------------


def cv_results(levels, name="C"):
    """The cv_results_ of one search."""
    rng = np.random.default_rng([int(1000 * level) for level in levels])
    rows = []
    for k, level in enumerate(levels):
        row = {
            "mean_fit_time": 0.1,
            f"param_{name}": 10.0**k,
            "params": f"{{'{name}': {10.0**k}}}",
        }
        scores = level + rng.normal(0, 0.01, 8)
        row |= {f"split{i}_test_score": score for i, score in enumerate(scores)}
        rows.append(row | {"mean_test_score": scores.mean(), "rank_test_score": 1})
    return pd.DataFrame(rows)


@pytest.mark.parametrize("name", ["0", "svm", "C", "no such"])
def test_of_one_search_the_settings_can_be_compared(name, tmp_path):
    cv_results([0.8, 0.82, 0.85]).to_csv(tmp_path / "svm.csv")
    with pytest.raises(RefusedError, match="there is one search") as refused:
        ek.report(tmp_path / "svm.csv", baseline=name)
    assert (
        refused.value.faults[0]
        .ways[1]
        .startswith("--map system=candidate takes each setting")
    )
    more = {"columns": {"system": "candidate"}, "n_train": 70, "n_test": 10}
    found = ek.report(tmp_path / "svm.csv", baseline="0", **more)
    assert found.evidence.systems == ("1", "2")
    with pytest.raises(RefusedError, match="called '7': there are: 0, 1, 2"):
        ek.report(tmp_path / "svm.csv", baseline="7", **more)


def run(*arguments):
    return cli.main(["report", *map(str, arguments)])


@pytest.mark.parametrize(
    ("make", "there"),
    [
        (searches, "in the column model: base, ours"),
        (lambda: table_of_sets().reset_index(), "as columns: base, ours, theirs"),
        (
            lambda: table_of_sets().T.rename_axis("Method").reset_index(),
            "in the column Method: base, ours, theirs",
        ),
    ],
)
def test_without_a_baseline_the_systems_are_named(
    make, there, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    make().to_csv("results.csv", index=False)
    with pytest.raises(SystemExit) as ended:
        run("results.csv")
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert "--baseline NAME is needed" in told
    assert there in told
    assert run("results.csv", "--baseline", "who", "--direction", "higher") == 1
    assert there in capsys.readouterr().err


def test_without_a_baseline_files_are_named(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    case = generated.files_by_id(np.random.default_rng(0))
    case.write(tmp_path)
    with pytest.raises(SystemExit):
        run(*case.given)
    told = capsys.readouterr().err
    assert "by their files: base, ours" in told
    assert "gold" not in told


def test_without_a_baseline_one_search_is_said_to_be_one(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    cv_results([0.8, 0.82, 0.85]).to_csv("svm.csv")
    with pytest.raises(SystemExit):
        run("svm.csv")
    told = capsys.readouterr().err
    assert "--map system=candidate" in told
    assert "--baseline 0" in told
    asked = "--map", "system=candidate", "--baseline", "0"
    assert run("svm.csv", *asked, "--n-train", 70, "--n-test", 10) == 0


def test_predictions_without_right_answers_ask_for_them(tmp_path):
    case = generated.files_by_id(np.random.default_rng(0))
    places = dict(zip(case.given, case.write(tmp_path), strict=True))
    answers = places.pop("gold.csv")
    with pytest.raises(RefusedError) as refused:
        ek.report(list(places.values()), **case.options)
    (fault,) = refused.value.faults
    assert "no right answers" in fault.what
    assert "--gold FILE" in fault.ways[0]
    whole = ek.report([*places.values(), answers], **case.options)
    # The same in one file, with the answers beside it.
    item, said = case.names["item"], case.names["prediction"]
    frames = [
        pd.read_csv(path).assign(model=path.rpartition("/")[2][:-4])
        for path in places.values()
    ]
    long = pd.concat(frames)[["model", item, said]]
    long.to_csv(tmp_path / "long.csv", index=False)
    with pytest.raises(RefusedError, match="no right answers"):
        ek.report(tmp_path / "long.csv", **case.options)
    again = ek.report([tmp_path / "long.csv", answers], **case.options)
    pd.testing.assert_frame_equal(again.table, whole.table)


# --------------------------------------------------------------------------------------
# Conditions, and what is counted
# --------------------------------------------------------------------------------------


def test_each_system_may_have_a_setting_of_its_own(tmp_path):
    """Two searches over one setting: each keeps another value."""
    tables = {"base": cv_results([0.8, 0.82, 0.81]), "ours": cv_results([0.83, 0.86])}
    for name, table in tables.items():
        table.to_csv(tmp_path / f"{name}.csv")
    places = [tmp_path / "base.csv", tmp_path / "ours.csv"]
    sizes = {"baseline": "base", "n_train": 70, "n_test": 10}
    with pytest.raises(RefusedError, match="--where SYSTEM:COLUMN=VALUE") as refused:
        ek.report(places, **sizes)
    assert [fault.code for fault in refused.value.faults] == ["chosen"]
    found = ek.report(
        places, **sizes, where={"base:param_C": "10", "ours:param_C": "1"}
    )
    kept = [tables["ours"].iloc[0], tables["base"].iloc[1]]
    a, b = (row.filter(regex=r"^split").to_numpy(float) for row in kept)
    (one,) = found.findings.contrasts
    assert one.pvalue == pytest.approx(
        ek.corrected_t(a, b, n_train=70, n_test=10).pvalue
    )
    with pytest.raises(
        ValueError,
        match="where: param_C = 100 leaves no row of ours.*--where ours:param_C=VALUE",
    ):
        ek.report(places, **sizes, where={"param_C": "100"})
    with pytest.raises(
        ValueError, match="where: no row has ours:param_C = 100; there are: 1, 10"
    ):
        ek.report(places, **sizes, where={"ours:param_C": "100"})


@pytest.mark.parametrize("missing", ["drop", "worst"])
def test_each_cell_is_compared_or_left_out(missing):
    table = table_of_sets()
    table.iloc[3, 1] = np.nan
    table.iloc[5] = np.nan
    said = {"direction": "higher", "missing": missing, **SIDE}
    found = ek.report(table, baseline="base", **said)
    left = {why: n for n, why in found.bench.left_out}
    assert left.pop(f"no system has score on {table.index[5]}") == 3
    assert ("empty cells" in left) == (missing != "worst")
    used = (
        found.used
        if missing != "worst"
        else found.used.drop(index=found.used.index[:1])
    )
    assert (
        found.evidence.n_read
        == 27
        == len(used) + sum(left.values()) + 3 + (missing == "worst")
    )


@pytest.mark.parametrize(
    "make", [*generated.HONEST, *faulty.FAULTS], ids=lambda make: make.__name__
)
def test_every_row_is_counted(make, tmp_path):
    """Rows read are compared, merged with others, or left out with a reason."""
    made = make(rng_of(make, 0))
    case, on = (
        (made.case, made.on or {}) if isinstance(made, faulty.Planted) else (made, {})
    )
    try:
        found = ek.report(case.write(tmp_path), **{**case.options, **on})
    except RefusedError:
        return
    counted = len(found.used) + sum(n for n, _ in found.bench.left_out)
    assert counted <= found.evidence.n_read
    assert found.bench.merged or counted == found.evidence.n_read
