"""The report: nothing found in honest files, every planted fault found, its numbers
those of direct calls.
"""

import contextlib
import io
import re

import faulty
import generated
import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from scipy import stats

import evalkit as ek
from evalkit import which_test
from evalkit.reports import RefusedError, _bench, _options
from evalkit.reports._pages import _page

SEEDS = range(3)
FORMS = ("html", "markdown", "code")


def rng_of(make, seed):
    """A generator that differs from file to file, and is the same in every run."""
    return np.random.default_rng([seed, *make.__name__.encode()])


def ask(case, folder, **more):
    return ek.report(case.write(folder), **{**case.options, **more})


def rows(report):
    """The comparisons, to the digits that the order of a sum leaves."""
    table = report.table.sort_values("system")
    return [
        (
            r.system,
            r.test,
            r.verdict,
            *np.round([r.difference, r.low, r.high, r.adjusted], 10),
        )
        for r in table.itertuples()
    ]


# --------------------------------------------------------------------------------------
# Honest files
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("make", generated.HONEST, ids=lambda make: make.__name__)
def test_nothing_is_found_in_an_honest_file(make, seed, tmp_path):
    case = make(rng_of(make, seed))
    found = ask(case, tmp_path)
    assert found.evidence.kind == case.kind
    assert set(found.evidence.systems) == set(case.systems[1:])
    outcomes = {check.code: check.outcome for check in found.bench.checks}
    told = {"sizes"} if case.kind == "folds" else set()
    assert {code for code, outcome in outcomes.items() if outcome == "decided"} == told
    # Each question that such a file raises is answered once: passed, or listed as not
    # checked.
    assert set(outcomes) == {
        code for code, (kinds, _) in _bench.QUESTIONS.items() if case.kind in kinds
    }
    assert all(
        outcomes[code] == "unchecked" for code in ("tuned", "told", "train-items")
    )
    for form in FORMS:
        assert found.write(form)


def test_there_are_enough_honest_files():
    assert len(generated.HONEST) * len(SEEDS) >= 20


@pytest.mark.parametrize(
    "make",
    [generated.runs, generated.predictions, generated.side_by_side, generated.datasets],
    ids=lambda make: make.__name__,
)
def test_the_order_of_rows_and_columns_does_not_matter(make, tmp_path):
    case = make(rng_of(make, 0))
    table = case.table.sample(frac=1, random_state=3)
    shuffled = case.with_table(
        table[table.columns[::-1]] if make is not generated.datasets else table
    )
    assert rows(ask(case, tmp_path)) == rows(ask(shuffled, tmp_path))


@pytest.mark.parametrize("seed", SEEDS)
def test_data_sets_may_stand_either_way_round(seed, tmp_path):
    case = generated.datasets(rng_of(generated.datasets, seed))
    assert rows(ask(case, tmp_path)) == rows(ask(generated.turned(case), tmp_path))


@pytest.mark.parametrize("mark", [";", "\t"])
def test_marks_of_spreadsheets_are_read(mark, tmp_path):
    case = generated.runs(rng_of(generated.runs, 1))
    text = case.table.to_csv(index=False, sep=mark, decimal="," if mark == ";" else ".")
    (tmp_path / "results.csv").write_text(text, encoding="utf-8-sig")
    assert rows(ek.report(tmp_path / "results.csv", **case.options)) == rows(
        ask(case, tmp_path)
    )


# --------------------------------------------------------------------------------------
# Faults
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("make", faulty.FAULTS, ids=lambda make: make.__name__)
def test_a_planted_fault_is_found(make, seed, tmp_path):
    planted = make(rng_of(make, seed))
    if planted.is_open:
        found = ask(planted.case, tmp_path)
        outcomes = {check.code: check.outcome for check in found.bench.checks}
        assert any(outcomes[code] != "fine" for code in planted.codes)
        return
    with pytest.raises(RefusedError) as refused:
        ask(planted.case, tmp_path)
    codes = {fault.code for fault in refused.value.faults}
    assert codes & planted.codes
    for fault in refused.value.faults:
        assert fault.what.rstrip(")").endswith((".", "?"))
        assert fault.why.rstrip(")").endswith((".", "?"))
        assert fault.ways
        assert fault.what in str(refused.value)


def test_there_are_enough_faulty_files():
    assert len(faulty.FAULTS) >= 40


@pytest.mark.parametrize("make", faulty.FAULTS, ids=lambda make: make.__name__)
def test_the_option_that_is_named_goes_on(make, tmp_path):
    planted = make(rng_of(make, 0))
    if planted.on is None:
        pytest.skip("other data are needed, not an option")
    found = ask(planted.case, tmp_path, **planted.on)
    assert found.write("html")
    assert "unmatched" in planted.codes or not {
        c.outcome for c in found.bench.checks if c.code in planted.codes
    } - {"decided", "fine"}


@pytest.mark.parametrize("code", _options.ACCEPTABLE)
def test_what_is_accepted_stands_at_the_top_of_the_page(code, tmp_path):
    planted = {make: make(rng_of(make, 1)) for make in faulty.FAULTS}
    made = [
        make for make, one in planted.items() if code in one.codes and not one.is_open
    ]
    # Faults only of what somebody said of seeds.
    assert made or code in (
        "settings",
        "seeds",
    )
    for place, make in enumerate(made):
        folder = tmp_path / str(place)
        folder.mkdir()
        try:
            found = ask(make(rng_of(make, 1)).case, folder, accept=code)
        except RefusedError as refused:  # what cannot be left as it is
            ways = [way for fault in refused.faults for way in fault.ways]
            assert not any(f"--accept {code}" in way for way in ways)
            continue
        notes = [part.text for part in _page.blocks(found) if part.kind == "note"]
        assert not notes or any(f"--accept {code}" in words for words in notes)


def test_two_faults_are_found_at_once(tmp_path):
    planted = faulty.crashed_on_one_side(rng_of(faulty.crashed_on_one_side, 0))
    table = planted.case.table
    copies = table[table[planted.case.names["system"]] == planted.case.systems[0]].head(
        2
    )
    with pytest.raises(RefusedError) as refused:
        ask(planted.case.with_table(pd.concat([table, copies])), tmp_path)
    assert {fault.code for fault in refused.value.faults} == {"failed", "duplicates"}


def test_without_the_shared_items_there_is_no_answer_by_row(tmp_path):
    """The trap that the command is there for: two files in different order, compared
    row by row.
    """
    case = generated.files_by_id(rng_of(generated.files_by_id, 0))
    found = ask(case, tmp_path)
    frames = {name: pd.read_csv(io.StringIO(text)) for name, text in case.files.items()}
    item, label, said = (case.names[role] for role in ("item", "label", "prediction"))
    key = frames["gold.csv"].set_index(item)[label]
    right = {
        s: (f := frames[f"{s}.csv"].set_index(item)[said]) == key.reindex(f.index)
        for s in case.systems
    }
    one = found.findings.contrasts[0]
    a, b = right[one.system].reindex(key.index), right["base"].reindex(key.index)
    assert one.pvalue == ek.mcnemar(int((a & ~b).sum()), int((b & ~a).sum())).pvalue
    assert one.difference == pytest.approx(a.mean() - b.mean())


# --------------------------------------------------------------------------------------
# The numbers
# --------------------------------------------------------------------------------------


def of_contrast(one):
    return one.difference, one.low, one.high, one.pvalue


def test_seeds_equal_welch(tmp_path):
    case = generated.runs(rng_of(generated.runs, 2))
    found = ask(case, tmp_path)
    groups = case.table.groupby(case.names["system"])[case.names["test"]]
    scores = {name: group.to_numpy() for name, group in groups}
    pvalues = []
    for one in found.findings.contrasts:
        direct = ek.difference_interval(
            scores[one.system], scores[case.systems[0]], paired=False
        )
        assert of_contrast(one) == pytest.approx(
            (direct.difference, direct.low, direct.high, direct.pvalue), rel=1e-12
        )
        pvalues.append(
            stats.ttest_ind(
                scores[one.system], scores[case.systems[0]], equal_var=False
            ).pvalue
        )
    assert [one.adjusted for one in found.findings.contrasts] == pytest.approx(
        ek.holm(pvalues).tolist(), rel=1e-9
    )


def test_few_items_that_tell_systems_apart_have_an_interval_that_holds():
    """A t over all items would be too short: of 50 samples with 3 expected, all but a
    few hold the truth.
    """
    rng = np.random.default_rng(0)
    held, n_held = [], 50
    for _ in range(n_held):
        cases = rng.choice(3, 80, p=[0.95, 0.04, 0.01])
        scores = {
            "base": np.where(cases == 2, 1.0, 0.0),
            "ours": np.where(cases == 1, 1.0, 0.0),
        }
        (one,) = ek.report(
            scores, baseline="base", unit="item", metric="accuracy"
        ).findings.contrasts
        held.append(one.low <= 0.03 <= one.high)
        alone = [
            ek.proportion_interval(n, 80, confidence_level=0.975)
            for n in (sum(cases == 1), sum(cases == 2))
        ]
        if 1 <= np.sum(cases > 0) < 10:
            assert (one.low, one.high) == (
                alone[0].low - alone[1].high,
                alone[0].high - alone[1].low,
            )
    assert np.mean(held) >= 0.95
    same = {name: np.ones(50) for name in scores}
    (one,) = ek.report(
        same, baseline="base", unit="item", metric="accuracy", margin=0.1
    ).findings.contrasts
    assert one.low < 0 < one.high
    assert one.verdict == "equivalent"


@pytest.mark.parametrize("make", generated.HONEST, ids=lambda make: make.__name__)
def test_the_way_is_one_of_which_test_do_i_need(make, tmp_path):
    """What is called is what the page of the book calls, where the answers of the file
    lead.
    """
    found = ask(make(rng_of(make, 2)), tmp_path).findings
    way = found.way
    assert way in [reached for _, reached in which_test.DECISION.ways()]
    # compare_systems with a control is Wilcoxon's test of each pair, by Holm; the test
    # below says so.
    calls = (
        {"wilcoxon", *way.calls}
        if "compare_systems" in way.calls
        else {*way.calls, "crossed_difference"}
    )
    for one in found.contrasts:
        called = {asked.function.removeprefix("ek.") for asked in one.calls}
        assert called - {"difference_interval"} <= calls | {"proportion_interval"}


def test_searches_equal_budget_difference(tmp_path):
    case = generated.search(rng_of(generated.search, 0))
    (one,) = ask(case, tmp_path).findings.contrasts
    pools = dict(list(case.table.groupby(case.names["system"])))
    columns = case.names["validation"], case.names["test"]
    arrays = [
        pools[name][column].to_numpy()
        for name in (one.system, case.systems[0])
        for column in columns
    ]
    n = min(map(len, arrays)) // 5
    direct = ek.budget_difference(*arrays, n)
    assert of_contrast(one) == (
        direct.difference,
        direct.low,
        direct.high,
        direct.pvalue,
    )


def test_data_sets_equal_compare_systems(tmp_path):
    case = generated.datasets(np.random.default_rng(5))
    assert len(case.systems) > 2
    wide = case.table.set_index(case.table.columns[0])
    wide = wide if case.names["wide"] == "columns" else wide.T
    direct = ek.compare_systems(
        wide.rename_axis(index="data set"), control=case.systems[0]
    ).pairs.set_index("b")
    for one in ask(case, tmp_path).findings.contrasts:
        line = direct.loc[one.system]
        assert (one.difference, one.pvalue, one.adjusted) == pytest.approx(
            (-line.difference, line.pvalue, line.adjusted)
        )


@pytest.mark.parametrize("index", [None, "row", "index"])
def test_the_numbers_of_rows_are_no_system(index, tmp_path):
    """pandas writes the index beside the scores, with a name or without."""
    rng = np.random.default_rng(8)
    table = pd.DataFrame(
        rng.uniform(0.6, 0.9, (9, 3)), columns=["base", "ours", "theirs"]
    )
    table.rename_axis(index).to_csv(tmp_path / "numbered.csv")
    table.to_csv(tmp_path / "bare.csv", index=False)
    for unit in ("dataset", "seed"):
        asked = {
            "baseline": "base",
            "unit": unit,
            "metric": "accuracy",
            "columns": {"system": [*table]},
        }
        numbered, bare = (
            ek.report(tmp_path / f"{n}.csv", **asked) for n in ("numbered", "bare")
        )
        assert numbered.evidence.systems == ("ours", "theirs")
        assert rows(numbered) == rows(bare)
    direct = ek.wilcoxon(table.ours, table.base)
    one = ek.report(
        tmp_path / "bare.csv", **asked | {"unit": "dataset"}
    ).findings.contrasts[0]
    assert one.pvalue == pytest.approx(direct.pvalue)


def test_a_data_set_without_any_score_is_left_out_and_counted(tmp_path):
    rng = np.random.default_rng(4)
    sets = pd.Index([f"set {k}" for k in range(9)], name="dataset")
    table = pd.DataFrame(
        rng.uniform(0.6, 0.9, (9, 3)), index=sets, columns=["base", "ours", "theirs"]
    )
    table.drop(index="set 4").to_csv(tmp_path / "without.csv")
    table.loc["set 4"] = np.nan
    table.to_csv(tmp_path / "empty.csv")
    empty, without = (
        ek.report(
            tmp_path / f"{name}.csv",
            baseline="base",
            direction="higher",
            columns={"system": [*table]},
        )
        for name in ("empty", "without")
    )
    assert rows(empty) == rows(without)
    assert empty.bench.left_out == [(3, "no system has score on set 4")]


def test_what_nothing_says_of_bare_numbers_is_asked_at_once(tmp_path):
    pd.DataFrame({"a": [0.1, 0.2, 0.4], "b": [0.2, 0.3, 0.1]}).to_csv(
        tmp_path / "bare.csv"
    )
    with pytest.raises(RefusedError) as refused:
        ek.report(tmp_path / "bare.csv", baseline="a")
    assert [fault.code for fault in refused.value.faults] == ["baseline"]


@pytest.mark.parametrize(
    ("n_sets", "n_others"), [(5, 1), (6, 1), (6, 2), (7, 2), (8, 9), (9, 9)]
)
def test_too_few_data_sets_for_a_family_are_called_so(n_sets, n_others):
    """One system wins everywhere: where not even that is significant, the page says
    why.
    """
    sets = [f"set {k}" for k in range(n_sets)]
    rng = np.random.default_rng(n_sets)
    scores = {
        f"s{k}": 0.4 + 0.05 * k + rng.uniform(0, 0.01, n_sets)
        for k in range(n_others + 1)
    }
    table = pd.DataFrame(scores, index=pd.Index(sets, name="dataset"))
    found = ek.report(
        table, baseline="s0", direction="higher", columns={"system": [*scores]}
    )
    few = next(check for check in found.bench.checks if check.code == "few")
    smallest = found.table.adjusted.min()
    assert smallest == pytest.approx(n_others * 2 / 2**n_sets)
    assert (few.outcome == "note") == (smallest > 0.05)
    assert n_others > 3 or (f"can be below {smallest:.3g}" in str(found)) == (
        smallest > 0.05
    )
    assert (few.words in str(found)) == (smallest > 0.05)


def test_folds_equal_the_corrected_t(tmp_path):
    case = generated.folds(rng_of(generated.folds, 0))
    (one,) = ask(case, tmp_path).findings.contrasts
    frames = [
        pd.read_csv(io.StringIO(case.files[f"{name}.csv"])) for name in ("ours", "base")
    ]
    a, b = (
        frame.filter(regex=r"^split\d+_test").iloc[0].to_numpy(float)
        for frame in frames
    )
    direct = ek.corrected_t(a, b, n_train=900, n_test=100)
    assert one.pvalue == pytest.approx(direct.pvalue, rel=1e-12)


def test_seeds_and_items_equal_crossed_difference(tmp_path):
    rng = np.random.default_rng(0)
    right = {
        name: rng.random((4, 60)) < 0.7 + shift
        for name, shift in (("base", 0), ("ours", 0.1))
    }
    table = pd.DataFrame(
        [
            {
                "model": name,
                "seed": s,
                "id": f"q{i}",
                "correct": bool(scores[s, i]),
                "author": i // 6,
            }
            for name, scores in right.items()
            for s in range(4)
            for i in range(60)
        ]
    ).sample(frac=1, random_state=0)
    found = ek.report(table, baseline="base", unit="item")
    direct = ek.crossed_difference(right["ours"], right["base"])
    assert of_contrast(found.findings.contrasts[0]) == pytest.approx(
        (direct.difference, *direct, direct.pvalue)
    )
    assert "seeds and items" in found.findings.contrasts[0].test
    found = ek.report(table, baseline="base", unit="author")
    direct = ek.crossed_difference(
        right["ours"], right["base"], groups=np.arange(60) // 6
    )
    assert of_contrast(found.findings.contrasts[0]) == pytest.approx(
        (direct.difference, *direct, direct.pvalue)
    )


def test_repeated_answers_are_averaged_and_add_nothing():
    rng = np.random.default_rng(1)
    right = {
        name: (rng.random((40, 5)) < 0.6).astype(float) for name in ("base", "ours")
    }
    table = pd.DataFrame(
        [
            {"model": name, "id": f"q{i}", "repeat": k, "correct": scores[i, k]}
            for name, scores in right.items()
            for i in range(40)
            for k in range(5)
        ]
    )
    (one,) = ek.report(table, baseline="base").findings.contrasts
    direct = ek.crossed_difference(
        right["ours"].mean(axis=1), right["base"].mean(axis=1)
    )
    assert of_contrast(one) == pytest.approx(
        (direct.difference, *direct, direct.pvalue)
    )


def test_losses_turn_the_verdict():
    scores = {"ours": [0.3, 0.32, 0.31, 0.29], "base": [0.4, 0.41, 0.39, 0.42]}
    (one,) = ek.report(
        scores, baseline="base", metric="loss", unit="seed"
    ).findings.contrasts
    assert one.difference < 0
    assert one.verdict == "better"
    (other,) = ek.report(
        scores, baseline="ours", metric="loss", unit="seed"
    ).findings.contrasts
    assert other.verdict == "worse"


def test_a_margin_gives_equivalence():
    rng = np.random.default_rng(0)
    scores = {
        name: (0.8 + rng.normal(0, 0.004, 20)).tolist() for name in ("ours", "base")
    }
    found = ek.report(
        scores, baseline="base", metric="accuracy", unit="seed", margin=0.01
    )
    (one,) = found.findings.contrasts
    direct = ek.equivalence(
        ek.difference_interval(scores["ours"], scores["base"], paired=False), 0.01
    )
    assert direct.equivalent
    assert one.verdict == "equivalent"
    assert one.equivalence.same == pytest.approx(direct.same)


@pytest.mark.parametrize("make", generated.HONEST, ids=lambda make: make.__name__)
def test_the_python_on_the_page_gives_the_numbers_on_the_page(
    make, tmp_path, monkeypatch
):
    case = make(rng_of(make, 1))
    found = ask(case, tmp_path)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(found.code, {})
    for one in found.findings.contrasts:
        p = f"p = {one.pvalue:.3g}" if one.pvalue >= 0.001 else "p < 0.001"
        assert p in printed.getvalue()


# --------------------------------------------------------------------------------------
# From Python
# --------------------------------------------------------------------------------------


def test_results_in_python_are_taken():
    rng = np.random.default_rng(0)
    scores = {
        name: rng.normal(0.8 + 0.02 * k, 0.01, 6)
        for k, name in enumerate(("base", "ours"))
    }
    expected = ek.difference_interval(scores["ours"], scores["base"], paired=False)
    long = pd.DataFrame(
        [(n, i, v) for n, values in scores.items() for i, v in enumerate(values)],
        columns=["system", "seed", "accuracy"],
    )
    frames = {
        name: part.drop(columns="system") for name, part in long.groupby("system")
    }
    for results, more in (
        (long, {}),
        (frames, {}),
        (scores, {"unit": "seed", "metric": "accuracy"}),
    ):
        (one,) = ek.report(results, baseline="base", **more).findings.contrasts
        assert (one.low, one.high) == pytest.approx(tuple(expected))


def test_arrays_must_say_what_varies():
    with pytest.raises(RefusedError, match="--unit seed"):
        ek.report(
            {"a": [0.1, 0.2, 0.3], "b": [0.2, 0.3, 0.4]},
            baseline="a",
            metric="accuracy",
        )


def test_a_search_of_scikit_learn_and_trials_of_optuna():
    optuna = pytest.importorskip("optuna")
    from sklearn.datasets import load_iris
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV
    from sklearn.tree import DecisionTreeClassifier

    X, y = load_iris(return_X_y=True)
    searches = {
        "linear": (
            GridSearchCV(LogisticRegression(max_iter=500), {"C": [1.0]}, cv=5)
            .fit(X, y)
            .cv_results_
        ),
        "tree": (
            GridSearchCV(
                DecisionTreeClassifier(random_state=0), {"max_depth": [2]}, cv=5
            )
            .fit(X, y)
            .cv_results_
        ),
    }
    found = ek.report(searches, baseline="linear", n_train=120, n_test=30)
    a, b = (
        [searches[name][f"split{i}_test_score"][0] for i in range(5)]
        for name in ("tree", "linear")
    )
    assert found.findings.contrasts[0].pvalue == pytest.approx(
        ek.corrected_t(a, b, n_train=120, n_test=30).pvalue
    )
    grid = (
        GridSearchCV(LogisticRegression(max_iter=500), {"C": [0.1, 1.0]}, cv=5)
        .fit(X, y)
        .cv_results_
    )
    with pytest.raises(RefusedError, match="The folds were used to choose"):
        ek.report(
            {**searches, "linear": grid}, baseline="linear", n_train=120, n_test=30
        )
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(
        study_name="ours", sampler=optuna.samplers.RandomSampler(seed=0)
    )
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=40)
    trials = study.trials_dataframe()
    with pytest.raises(RefusedError, match="does not say which sampler"):
        ek.report({"ours": trials, "base": trials}, baseline="base", direction="higher")


@pytest.mark.parametrize(
    ("results", "more", "message"),
    [
        (7, {}, "results must be files, a table"),
        ({"a": ["x"], "b": ["y"]}, {}, "arrays of scores by system"),
        ([], {}, "results must name a file"),
        ("/nowhere/at/all.csv", {}, "there is no such file"),
        (
            {"a": [1.0, 2.0], "b": [1.0, 3.0]},
            {"margin": -0.5},
            "margin must be above 0",
        ),
        ({"a": [1.0, 2.0], "b": [1.0, 3.0]}, {"failed": "zero"}, "failed must be"),
        ({"a": [1.0, 2.0], "b": [1.0, 3.0]}, {"direction": "up"}, "direction must be"),
        (
            {"a": [1.0, 2.0], "b": [1.0, 3.0]},
            {"accept": "everything"},
            "accept: 'everything' is not a fault",
        ),
        (
            {"a": [1.0, 2.0], "b": [1.0, 3.0]},
            {"columns": {"sistem": "x"}},
            "did you mean system",
        ),
        (
            {"a": [1.0, 2.0], "b": [1.0, 3.0]},
            {"columns": {"seed": "x"}},
            "no column is called x",
        ),
        (
            {"a": [1.0, 2.0], "b": [1.0, 3.0]},
            {"where": {"lr": "1"}},
            "no column is called 'lr'",
        ),
        (
            {"a": [1.0, 2.0], "b": [1.0, 3.0]},
            {"n_train": 0},
            "n_train must be a whole number",
        ),
    ],
)
def test_wrong_arguments_are_named(results, more, message):
    with pytest.raises((TypeError, ValueError)) as raised:
        ek.report(results, baseline="a", **more)
    assert message in str(raised.value)


def test_a_condition_on_a_setting_spares_systems_without_it():
    rng = np.random.default_rng(0)
    runs = pd.DataFrame({
        "system": ["ours"] * 20 + ["base"] * 10,
        "seed": [*range(10)] * 3,
        "gamma": [0.1] * 10 + [0.5] * 10 + [np.nan] * 10,
        "accuracy": rng.uniform(0.7, 0.8, 30),
    })  # fmt: skip
    found = ek.report(runs, baseline="base", where={"gamma": "0.1"})
    (one,) = found.findings.contrasts
    direct = runs.accuracy[:10].mean() - runs.accuracy[20:].mean()
    assert one.difference == pytest.approx(direct)
    with pytest.raises(ValueError, match="where: gamma = 0.5 leaves no row of base"):
        ek.report(
            runs.assign(gamma=runs.gamma.fillna(0.9)),
            baseline="base",
            where={"gamma": "0.5"},
        )


def test_the_baseline_must_be_a_name():
    with pytest.raises(TypeError, match="baseline must be the name"):
        ek.report({"a": [1.0, 2.0]}, baseline=1)


# --------------------------------------------------------------------------------------
# What is written
# --------------------------------------------------------------------------------------

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "]]></svg><script>",
    "`rm -rf`",
    "{{7*7}}",
    "a\u202eb",
    "name\x1b[2Jx",
    "$(reboot)",
    "\\input{/etc/passwd}",
    "%s%n",
    "=cmd|' /C calc'!A0",
    "[x](javascript:alert(1))",
    "@everyone",
    "__proto__",
    "x" * 300,
)


def hostile_report(tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        [
            {
                "model": name,
                "seed": seed,
                "<b>test_acc</b>": rng.normal(0.8, 0.01),
                "n<i>": name,
            }
            for name in HOSTILE
            for seed in range(5)
        ]
    )
    path = tmp_path / "<img src=x>.csv"
    table.to_csv(path, index=False)
    return ek.report(
        path, baseline=HOSTILE[0], metric="<b>test_acc</b>", direction="higher"
    )


def test_nothing_in_a_file_runs_in_the_page(tmp_path):
    found = hostile_report(tmp_path)
    page = BeautifulSoup(found.write("html"), "html.parser")
    allowed = {
        "html",
        "head",
        "meta",
        "title",
        "body",
        "article",
        "style",
        "h1",
        "h2",
        "p",
        "ul",
        "li",
        "div",
        "table",
        "caption",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "pre",
        "code",
        "figure",
        "svg",
        "text",
        "line",
        "circle",
        "span",
    }
    assert {tag.name for tag in page.find_all(True)} <= allowed
    for tag in page.find_all(True):
        assert not [
            name
            for name in tag.attrs
            if name.startswith("on") or name in ("src", "href", "xlink:href")
        ]
    policy = page.find("meta", {"http-equiv": "Content-Security-Policy"})["content"]
    assert "default-src 'none'" in policy
    assert "script" not in policy
    assert HOSTILE[0] in page.get_text()
    assert not re.search("[\x00-\x08\x0b-\x1f\u202e]", found.write("html"))
    assert "<script" not in found._repr_html_()


def test_markdown_takes_names_for_words(tmp_path):
    found = hostile_report(tmp_path)
    markdown = found.write("markdown")
    outside = re.sub(r"(?s)^(`{3,})\n.*?\n\1$", "", markdown, flags=re.MULTILINE)
    assert "<script" not in outside
    assert not re.search(r"(?<!\\)\]\(javascript", outside)
    assert "@everyone" not in outside


def test_the_page_has_its_parts_in_order(tmp_path):
    planted = faulty.crashed_on_one_side(rng_of(faulty.crashed_on_one_side, 0))
    found = ask(planted.case, tmp_path, failed="worst", margin=0.01)
    kinds = [part.kind for part in _page.blocks(found)]
    assert kinds[:2] == ["title", "lead"]
    headings = [part.text for part in _page.blocks(found) if part.kind == "heading"]
    assert headings == [
        "What cannot be said",
        "The figure",
        "The comparison",
        "The data",
        "What was checked",
        "For the paper",
        "The same in Python",
    ]


def test_nothing_is_dropped_in_silence(tmp_path):
    """Rows read are rows used, averaged or left out with a reason, on the page."""
    planted = faulty.crashed_on_one_side(rng_of(faulty.crashed_on_one_side, 0))
    found = ask(planted.case, tmp_path, failed="drop")
    assert found.evidence.n_read == len(found.used) + sum(
        n for n, _ in found.bench.left_out
    )
    assert "2 rows left out: runs that failed." in found.write("html")


def many_predictions(rng, n):
    n //= 2
    labels = np.tile(rng.integers(0, 10, n), 2)
    systems, ids = np.repeat(["a", "b"], n), np.tile([f"q{i}" for i in range(n)], 2)
    said = np.where(rng.random(2 * n) < 0.8, labels, rng.integers(0, 10, 2 * n))
    table = pd.DataFrame(
        {"model": systems, "id": ids, "label": labels, "prediction": said}
    )
    return table.sample(frac=1, random_state=0)


def many_runs(rng, n):
    table = pd.DataFrame({"model": rng.choice(["a", "b", "c", "d"], n), "lr": 0.1})
    scores = {f"{part}_acc": rng.normal(0.8, 0.01, n) for part in ("val", "test")}
    return table.assign(seed=table.groupby("model").cumcount(), **scores)


@pytest.mark.slow
@pytest.mark.parametrize("make", [many_predictions, many_runs])
def test_a_hundred_thousand_rows_take_little_more_than_a_thousand(make, tmp_path):
    """Half of the time is the start; a factor holds on a slow or busy machine, where
    seconds do not.
    """
    import os
    import subprocess
    import sys

    def seconds(n):
        make(np.random.default_rng(0), n).to_csv(tmp_path / "many.csv", index=False)
        before = os.times()
        command = [
            sys.executable,
            "-m",
            "evalkit",
            "report",
            "many.csv",
            "--baseline",
            "a",
        ]
        subprocess.run(command, cwd=tmp_path, check=True)
        (tmp_path / "evalkit.toml").unlink()
        after = os.times()
        return (
            after.children_user
            + after.children_system
            - before.children_user
            - before.children_system
        )

    assert any(seconds(100_000) < 3 * seconds(1_000) for _ in range(3))
