"""What a report says of what it saw: whatever it claims to show must stand on the
page.
"""

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup

import evalkit as ek
from evalkit.reports import RefusedError, UnconfirmedError

SETS = [f"set-{k}" for k in range(9)]


def check_of(found, code):
    return next(check for check in found.bench.checks if check.code == code)


@pytest.fixture
def gapped():
    """Six systems on nine data sets, one cell empty."""
    rng = np.random.default_rng(2)
    ease = rng.uniform(60, 90, len(SETS))
    shift = {
        "bert": 0,
        "bilstm": -6,
        "roberta": 3,
        "electra": 2,
        "xlnet": 0.8,
        "ours": 3,
    }
    table = pd.DataFrame(
        {name: ease + by + rng.normal(0, 0.6, len(SETS)) for name, by in shift.items()}
    )
    table.insert(0, "dataset", SETS)
    table.loc[7, "xlnet"] = np.nan
    return table


BESIDE = {"system": ["bert", "bilstm", "roberta", "electra", "xlnet", "ours"]}


@pytest.mark.parametrize("failed", ["worst", "drop", "0.5"])
def test_a_seed_that_is_missing_is_told_where_another_run_crashed(failed):
    rng = np.random.default_rng(4)
    rows = [
        {
            "system": name,
            "seed": seed,
            "status": "finished",
            "f1": 0.8 + shift + rng.normal(0, 0.01),
        }
        for name, shift in {"bert": 0, "electra": 0.02, "deberta": 0.03}.items()
        for seed in (13, 42, 87, 100, 2024)
        if (name, seed) != ("electra", 2024)
    ]
    table = pd.DataFrame(rows)
    crashed = (table.system == "bert") & (table.seed == 100)
    table.loc[crashed, ["status", "f1"]] = "crashed", np.nan
    found = ek.report(table, baseline="bert", failed=failed)
    running = pd.DataFrame(
        [{"system": "electra", "seed": 7, "status": "running", "f1": np.nan}]
    )
    more = check_of(
        ek.report(pd.concat([table, running]), baseline="bert", failed=failed), "seeds"
    ).words
    # Which no compared run has if it is left out.
    assert ("seed 7" in more) == (failed != "drop")
    told = check_of(found, "seeds")
    assert told.outcome == "note"
    assert "electra has no compared run with seed 2024, which others have" in told.words
    assert "bert" not in told.words  # its run was there, and crashed
    assert told.words in str(found)
    assert f"electra: 4 and {4 if failed == 'drop' else 5} runs" in found.paper[0]


def splits(n_settings=1, best=0.9):
    """Ten splits of two systems, of each the best setting last."""
    rng = np.random.default_rng(5)
    rows = [
        {
            "system": name,
            "param_C": c,
            "split": fold,
            "accuracy": best - 0.2 * (n_settings - 1 - c) + rng.normal(0, 0.01),
        }
        for name in ("svm", "forest")
        for c in range(n_settings)
        for fold in range(10)
    ]
    return pd.DataFrame(rows)


def test_the_scale_is_that_of_the_scores_that_are_compared():
    found = ek.report(
        splits(3), baseline="svm", n_train=480, n_test=120, accept="chosen"
    )
    scores = found.used.score
    assert (
        check_of(found, "scale").words
        == f"From {scores.min():.4g} to {scores.max():.4g}."
    )


def test_test_parts_that_are_the_larger_ones_are_asked_about():
    table = splits().drop(columns="param_C")
    with pytest.raises(
        RefusedError, match="--n-train 480 --n-test 120, if they were swapped"
    ):
        ek.report(table, baseline="svm", n_train=120, n_test=480)
    swapped = ek.report(table, baseline="svm", n_train=120, n_test=480, accept="sizes")
    assert "--accept sizes" in check_of(swapped, "sizes").words
    with pytest.raises(RefusedError) as refused:
        # What is not known cannot be left as it is.
        ek.report(table, baseline="svm", accept="sizes")
    assert [fault.code for fault in refused.value.faults] == ["sizes"]


def test_a_score_whose_name_says_no_direction_is_asked_about():
    table = splits().drop(columns="param_C").rename(columns={"accuracy": "test_score"})
    sizes = {"n_train": 480, "n_test": 120, "metric": "test_score"}
    with pytest.raises(
        UnconfirmedError, match="Is a higher or a lower test_score better"
    ):
        ek.report(table, baseline="svm", **sizes)
    said = ek.report(table, baseline="svm", direction="higher", **sizes)
    assert check_of(said, "direction").outcome == "fine"
    named = table.rename(columns={"test_score": "f1_score"})
    found = ek.report(named, baseline="svm", n_train=480, n_test=120)
    assert check_of(found, "direction").outcome == "fine"


def test_a_page_can_be_read_on_a_telephone(gapped):
    page = BeautifulSoup(
        ek.report(
            gapped, baseline="bert", metric="accuracy", columns=BESIDE, missing="drop"
        ).write("html"),
        "html.parser",
    )
    for table in page.find_all("table"):
        head = [
            cell.text.replace("\N{NO-BREAK SPACE}", " ")
            for cell in table.thead.find_all("th")
        ]
        for row in table.tbody.find_all("tr"):
            assert [cell["data-head"] for cell in row.find_all("td")] == head
    style = page.style.text
    assert "@media screen and (max-width:40rem)" in style
    assert "content:attr(data-head)" in style
    whole = {span.text for span in page.find_all("span", "option")}
    assert "--missing" in whole
    assert ".option{white-space:nowrap}" in style
    assert not page.find_all(attrs={"aria-label": lambda label: label and "<" in label})


def test_of_a_score_of_scikit_learn_the_greater_is_the_better():
    rng = np.random.default_rng(6)

    def search():
        scores = {f"split{k}_test_score": rng.normal(0.8, 0.02, 1) for k in range(5)}
        return {
            "params": [{"C": 1}],
            "param_C": [1],
            "mean_test_score": [0.8],
            **scores,
        }

    results = {"svm": search(), "forest": search()}
    told = check_of(
        ek.report(results, baseline="svm", n_train=480, n_test=120), "direction"
    )
    assert told.outcome == "fine"
    assert "the format says it" in told.words


@pytest.mark.parametrize("step", ["1", ""])
@pytest.mark.parametrize("value", ["1", "last"])
def test_a_row_without_a_system_is_refused_with_a_condition_as_well(
    tmp_path, step, value
):
    path = tmp_path / "tail.csv"
    path.write_text(
        f"model,seed,accuracy,step\na,0,.8,1\na,1,.81,1\nb,0,.7,1\nb,1,.72,1\n,,.4,{step}\n"
    )
    with pytest.raises(RefusedError, match="1 row of 5 names no system"):
        ek.report(path, baseline="a", where={"step": value})


def test_a_row_without_a_system_that_a_condition_leaves_out_is_counted(tmp_path):
    path = tmp_path / "tail.csv"
    path.write_text(
        "model,seed,accuracy,step\na,0,.8,1\na,1,.81,1\nb,0,.7,1\nb,1,.72,1\n,,.4,2\n"
    )
    found = ek.report(path, baseline="a", where={"step": 1})
    assert found.bench.left_out == [(1, "step is not 1, as you said")]


def test_rows_without_a_system_are_left_out_as_the_refusal_says(tmp_path):
    """A sweep has a row of its own above its runs, in MLflow say."""
    path = tmp_path / "runs.csv"
    path.write_text(
        "name,model,seed,test_acc\nsweep,,,\na0,a,0,.8\na1,a,1,.81\nb0,b,0,.7\nb1,b,1,.72\n"
    )
    with pytest.raises(RefusedError, match="--where 'model!=empty' leaves it out"):
        ek.report(path, baseline="a")
    for name in ("model", "test_acc", "seed"):
        found = ek.report(path, baseline="a", where={f"{name}!": "empty"})
        assert found.bench.left_out == [(1, f"{name} is empty, as you said")]


@pytest.mark.parametrize("place", ["step", "b:step"])
def test_the_last_of_nothing_but_empty_cells_is_refused_in_words(tmp_path, place):
    path = tmp_path / "empty.csv"
    path.write_text("model,seed,accuracy,step\na,0,.8,\na,1,.81,\nb,0,.7,\nb,1,.72,\n")
    with pytest.raises(ValueError, match="there are: nothing but empty cells"):
        ek.report(path, baseline="a", where={place: "last"})


GERMAN = {"baseline": "Baum", "metric": "Treffer (%)", "direction": "higher"}


def german(path):
    """Runs whose number and time have names that say nothing to the program."""
    rng = np.random.default_rng(1)
    rows = [
        f"{name};{6 * k + seed};{seed};{at + rng.uniform(0, 3):.1f};{rng.uniform(10, 99):.2f}".replace(
            ".", ","
        )
        for k, (name, at) in enumerate([("Baum", 80), ("Wald", 84)])
        for seed in range(6)
    ]
    path.write_text(
        "\n".join(["Verfahren;Lauf;Zufallszahl;Treffer (%);Dauer", *rows]) + "\n"
    )
    return path


def test_columns_of_no_known_use_are_asked_about(tmp_path):
    path = german(tmp_path / "de.csv")
    with pytest.raises(UnconfirmedError) as refused:
        ek.report(path, **GERMAN, columns={"seed": "Zufallszahl"}, as_proposed=True)
    (fault,) = refused.value.faults
    # Lauf numbers the rows.
    assert fault.what.startswith("In the runs of one system Dauer varies")
    assert fault.ways == ("--map setting=Dauer", "--map note=Dauer")
    said = {"system": "Verfahren", "seed": "Zufallszahl", "note": ["Lauf", "Dauer"]}
    assert ek.report(path, **GERMAN, columns=said).evidence.kind == "seeds"


@pytest.mark.parametrize(
    "said", [{"unit": "trial"}, {"columns": {"setting": ["Lauf", "Dauer"]}}]
)
def test_settings_that_somebody_named_are_not_doubted(tmp_path, said):
    with pytest.raises(RefusedError) as refused:
        ek.report(german(tmp_path / "de.csv"), **GERMAN, **said)
    assert not any("taken for settings" in fault.what for fault in refused.value.faults)


def test_runs_that_are_left_out_and_a_margin_are_told_where_it_counts():
    rng = np.random.default_rng(5)
    rows = [
        {
            "system": name,
            "seed": seed,
            "status": "finished",
            "f1": 0.8 + shift + rng.normal(0, 0.01),
        }
        for name, shift in {"bert": 0, "deberta": 0.03}.items()
        for seed in range(8)
    ]
    rows[-1] |= {"status": "crashed", "f1": np.nan}
    found = ek.report(
        pd.DataFrame(rows), baseline="bert", metric="f1", failed="drop", margin=0.005
    )
    assert "what failed, or has no score" in found.findings.cannot[0]


def test_a_difference_that_is_shown_and_smaller_than_a_margin_perhaps_is_said_to_be_both():
    scores = np.random.default_rng(0).normal(0.8, 0.01, 10)
    frame = pd.DataFrame(
        {
            "system": ["a"] * 10 + ["b"] * 10,
            "seed": [*range(10)] * 2,
            "test_accuracy": [
                *scores,
                *(scores.mean() - (scores - scores.mean()) + 0.012),
            ],
        }
    )
    page = ek.report(frame, baseline="a", margin=0.01).write("markdown")
    assert (
        "b is better than a, and not shown to be so by more than the margin of 0.01."
        in page
    )
    assert "does not tell" not in page
