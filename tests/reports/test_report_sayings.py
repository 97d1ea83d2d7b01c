"""What a report says to who asks for what it cannot give: the true reason, and the call
that would do.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import evalkit as ek
from evalkit import cli
from evalkit.reports import RefusedError


def answers(n=60, **columns):
    """Two systems, a row an item of each."""
    items = [f"item {k}" for k in range(n)]
    return pd.DataFrame(
        {"system": ["base"] * n + ["ours"] * n, "item": items * 2, **columns}
    )


def refusal(table, **options):
    with pytest.raises(RefusedError) as refused:
        ek.report(table, **{"baseline": "base", **options})
    return refused.value


@pytest.fixture
def counted():
    """How many of twenty answers to an item are right."""
    rng = np.random.default_rng(0)
    return answers(n_answers=20, c=rng.binomial(20, np.repeat([0.3, 0.5], 60)))


def test_a_mean_of_counts_is_asked_about_and_pass_at_k_is_named(counted):
    told = str(refusal(counted, metric="c", direction="higher"))
    assert "`evalkit.leaderboards.pass_at_k` and `pass_hat_k`" in told
    assert "pass_at_k" in str(refusal(counted))
    rate = {"numerator": "c", "denominator": "n_answers"}
    found = ek.report(
        counted, baseline="base", metric="c", columns=rate, direction="higher"
    )
    (one,) = found.findings.contrasts
    means = counted.groupby("system").c.mean() / 20
    assert one.difference == pytest.approx(means["ours"] - means["base"])
    counts = ek.report(
        counted,
        baseline="base",
        metric="c",
        columns={"note": "n_answers"},
        direction="higher",
    )
    assert counts.findings.contrasts[0].difference == pytest.approx(20 * one.difference)


@pytest.mark.parametrize("year", [2026, 0])
def test_a_column_that_bounds_nothing_is_no_total(counted, year):
    table = counted.assign(n_answers=float(year))
    assert ek.report(
        table, baseline="base", metric="c", direction="higher"
    ).findings.contrasts


def test_raters_side_by_side_are_shown_the_way_and_none_of_them_is_r_squared():
    rng = np.random.default_rng(1)
    table = answers(**{f"r{k}": rng.integers(1, 6, 120) for k in (1, 2, 3, 4)})
    told = str(refusal(table))
    assert "--map rater=r1,r2,r3,r4" in told
    raters = {"rater": ["r1", "r2", "r3", "r4"]}
    found = ek.report(table, baseline="base", columns=raters, direction="higher")
    assert found.findings.quantity == "mean over 4 raters and items"
    alone = table[["system", "item"]].assign(r2=rng.random(120))
    assert ek.report(alone, baseline="base").evidence.metric == "r2"


@pytest.mark.parametrize(
    "columns",
    [
        {"accuracy": ["91.3±0.4", "92.0±0.3"]},
        {"accuracy": ["91.3 (0.4)", "92.0 (0.3)"]},
        {"mean": [91.3, 92.0], "std": [0.4, 0.3]},
        {"mean": [91.3, 92.0], "std": [0.4, 0.3], "n": [5, 5]},
        {"accuracy": [91.3, 92.0], "accuracy_std": [0.4, 0.3]},
        {"accuracy_mean": [91.3, 92.0], "accuracy_std": [0.4, 0.3]},
    ],
)
def test_means_with_their_spreads_are_no_runs_and_lead_to_from_summary(columns):
    (fault,) = refusal(pd.DataFrame({"system": ["base", "ours"], **columns})).faults
    assert fault.ways[0].startswith("evalkit.from_summary(")
    assert "only one run" not in str(fault)


@pytest.mark.parametrize("name", ["text", "sentence"])
def test_predictions_side_by_side_are_told_which_column_names_the_items(name):
    rng = np.random.default_rng(2)
    label = rng.choice(["yes", "no"], 60)
    said = {
        who: np.where(rng.random(60) < 0.7, label, "no") for who in ("base", "ours")
    }
    table = pd.DataFrame(
        {name: [f"sentence {k}" for k in range(60)], "label": label, **said}
    )
    beside = {"system": ["base", "ours"]}
    assert f"--map item={name}" in str(refusal(table, columns=beside))
    by_name = ek.report(
        table, baseline="base", columns={**beside, "item": name}, unit="item"
    )
    by_row = ek.report(
        table.drop(columns=name), baseline="base", columns=beside, unit="item"
    )
    assert str(by_name) == str(by_row)
    assert "--unit item" in str(refusal(table.drop(columns=name), columns=beside))


def test_codes_that_known_items_share_are_asked_about_and_lengths_are_not():
    school, score = np.tile(np.arange(60) % 10, 2), np.random.default_rng(3).random(120)
    assert "--unit school: whole groups" in str(
        refusal(answers(school=school, accuracy=score))
    )
    lengths = np.tile(np.random.default_rng(4).poisson(12, 60), 2)
    assert ek.report(
        answers(n_chars=lengths, accuracy=score), baseline="base"
    ).findings.contrasts


def test_rows_of_shops_are_no_runs_of_their_own():
    shops = np.repeat([f"shop {k}" for k in range(20)], 6)
    arms = np.repeat(["base", "ours"], 60)
    rate = np.random.default_rng(5).random(120)
    table = pd.DataFrame({"shop": shops, "arm": arms, "accuracy": rate})
    said = {"system": "arm"}
    for unit in ("seed", "shop"):
        assert "--map run=shop" in str(refusal(table, columns=said, unit=unit))
    found = ek.report(
        table, baseline="base", columns={**said, "run": "shop"}, duplicates="mean"
    )
    means = table.groupby(["arm", "shop"]).accuracy.mean()
    welch = ek.difference_interval(means["ours"], means["base"], paired=False)
    assert found.findings.contrasts[0].pvalue == pytest.approx(welch.pvalue)
    with pytest.raises(
        ValueError, match="'shop' is called a note or a setting as well"
    ):
        ek.report(table, baseline="base", columns={**said, "note": "shop"}, unit="shop")


def test_two_hundred_numbered_rows_may_be_resamples():
    table = pd.DataFrame(
        {"system": np.repeat(["base", "ours"], 200), "draw": [*range(200)] * 2}
    )
    told = str(refusal(table.assign(accuracy=np.random.default_rng(6).random(400))))
    assert "resamples of one test set are none of these" in told
    few = table[table.draw < 20].assign(accuracy=np.random.default_rng(6).random(40))
    assert "resamples" not in str(refusal(few))


def test_repeats_without_items_may_be_runs():
    table = pd.DataFrame(
        {"system": np.repeat(["base", "ours"], 9), "repeat": [*range(9)] * 2}
    )
    table = table.assign(latency=np.random.default_rng(7).random(18))
    said = {"metric": "latency", "direction": "lower"}
    assert "--map seed=repeat, if each is a run of its own." in str(
        refusal(table, **said)
    )
    found = ek.report(table, baseline="base", columns={"seed": "repeat"}, **said)
    assert found.findings.quantity == "mean over runs"


@pytest.mark.parametrize("each", [5, 2, 1])
def test_texts_that_items_share_are_asked_about_whatever_their_name(each):
    of = np.tile([f"k{k}" for k in np.arange(60) // each], 2)
    table = answers(kullanici=of, accuracy=np.random.default_rng(3).random(120))
    if each == 1:
        assert ek.report(table, baseline="base").findings.contrasts
    else:
        told = str(refusal(table))
        assert "Several items share a value of kullanici, for every system." in told
        assert "--unit item: they are independent all the same." in told
        assert ek.report(table, baseline="base", unit="kullanici").findings.contrasts
        assert ek.report(table, baseline="base", unit="item").findings.contrasts


def test_groups_that_are_numbers_are_asked_about():
    rng = np.random.default_rng(3)
    table = answers(talker=np.tile(np.arange(60) // 5, 2), wer=rng.random(120)).rename(
        columns={"item": "clip"}
    )
    assert "--unit talker" in str(refusal(table, columns={"item": "clip"}))
    # No codes that count from 0.
    by_number = table.assign(talker=100 + 7 * table.talker)
    assert "--unit talker" in str(refusal(by_number, columns={"item": "clip"}))
    known = table.rename(columns={"clip": "item", "talker": "speaker"})
    assert "such as 0, 1, 2 and 9 more" in str(refusal(known))


# --------------------------------------------------------------------------------------
# What an earlier call left in evalkit.toml
# --------------------------------------------------------------------------------------


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """Runs of two systems under two settings, in a file in the folder."""
    rng = np.random.default_rng(4)
    rows = [
        {
            "system": name,
            "seed": seed,
            "lr": lr,
            "accuracy": 0.8 + 0.02 * k + rng.normal(0, 0.004),
        }
        for k, name in enumerate(("base", "ours"))
        for seed in range(8)
        for lr in (1, 2)
    ]
    monkeypatch.chdir(tmp_path)
    pd.DataFrame(rows).to_csv("runs.csv", index=False)
    return pd.DataFrame(rows)


def test_it_is_said_which_words_are_those_of_the_settings(runs, capsys):
    assert (
        cli.main(["report", "runs.csv", "--baseline", "base", "--where", "lr=1"]) == 0
    )
    assert "lr is not 1, as you said" in capsys.readouterr().out
    assert cli.main(["report", "runs.csv", "--metric", "accuracy"]) == 0
    told = capsys.readouterr().out
    assert "lr is not 1, as evalkit.toml says" in told
    assert "lr is not 1, as evalkit.toml says" in Path("report.html").read_text(
        encoding="utf-8"
    )
    assert "seed  (as evalkit.toml says)" in told
    assert "accuracy  (as you said)" in told


def test_a_claim_that_a_margin_undoes_is_told(runs, capsys):
    assert (
        cli.main(["report", "runs.csv", "--baseline", "base", "--where", "lr=1"]) == 0
    )
    capsys.readouterr()
    assert cli.main(["report", "runs.csv", "--margin", "0.1"]) == 0
    assert (
        "evalkit.toml claims more than this page shows: ours is better"
        in capsys.readouterr().out
    )


def test_a_third_file_of_one_stem_is_told_what_is_in_its_way(runs, capsys):
    for k in range(3):
        Path(f"d{k}").mkdir()
        runs.to_csv(f"d{k}/runs.csv", index=False)
        code = cli.main(
            ["report", f"d{k}/runs.csv", "--baseline", "base", "--where", "lr=1"]
        )
    assert code == 2
    told = capsys.readouterr().err
    for name in (
        "evalkit.toml is about d0/runs.csv",
        "evalkit-runs.toml is about d1/runs.csv",
    ):
        assert name in told


def test_the_settings_of_a_page_give_it_again(tmp_path, monkeypatch):
    rng = np.random.default_rng(5)
    table = answers(talker=np.tile(np.arange(60) // 5, 2), wer=rng.random(120))
    monkeypatch.chdir(tmp_path)
    table.to_csv("wer.csv", index=False)
    assert cli.main(["report", "wer.csv", "--baseline", "base", "--unit", "item"]) == 0
    assert cli.main(["report"]) == 0


# --------------------------------------------------------------------------------------
# Tables in the shapes of other packages' examples
# --------------------------------------------------------------------------------------


def test_populations_side_by_side_are_data_sets_once_that_is_said():
    """A column for each population, as autorank takes them."""
    rng = np.random.default_rng(6)
    table = pd.DataFrame(
        {f"pop_{k}": rng.normal(0.2 + 0.1 * k, 0.3, 50).clip(0, 1) for k in range(4)}
    )
    beside = {"system": list(table)}
    told = str(refusal(table, baseline="pop_0"))
    assert "--map system=pop_0,COLUMN" in told
    assert "--unit dataset" in str(refusal(table, baseline="pop_0", columns=beside))
    found = ek.report(
        table, baseline="pop_0", columns=beside, unit="dataset", direction="higher"
    )
    own = [ek.wilcoxon(table[name], table.pop_0).pvalue for name in list(table)[1:]]
    assert [one.pvalue for one in found.findings.contrasts] == pytest.approx(own)


def test_groups_of_an_experiment_are_systems_if_the_baseline_is_one():
    """A row a subject, as for an analysis of variance, and counts, as for two
    proportions.
    """
    rng = np.random.default_rng(7)
    table = pd.DataFrame(
        {"group": ["control"] * 10 + ["treated"] * 10, "relief": rng.integers(0, 6, 20)}
    )
    assert "--map system=group" in str(refusal(table, baseline="control"))
    said = {
        "columns": {"system": "group"},
        "metric": "relief",
        "direction": "higher",
        "unit": "seed",
    }
    (one,) = ek.report(table, baseline="control", **said).findings.contrasts
    a, b = (table.relief[table.group == name] for name in ("treated", "control"))
    assert one.pvalue == pytest.approx(
        ek.difference_interval(a, b, paired=False).pvalue
    )
    counts = pd.DataFrame(
        {"group": ["control", "treated"], "count": [5, 12], "nobs": [83, 99]}
    )
    assert "What do the columns of numbers name: count, nobs" in str(
        refusal(counts, baseline="control")
    )


def test_measures_of_one_subject_are_pairs():
    rng = np.random.default_rng(8)
    table = pd.DataFrame(
        {"sub_id": np.tile(np.arange(20), 2), "cond": np.repeat(["noise", "quiet"], 20)}
    )
    table = table.assign(rt=500 + rng.normal(0, 30, 40))
    assert "--map item=sub_id" in str(refusal(table, baseline="quiet"))
    said = {
        "columns": {"system": "cond", "item": "sub_id"},
        "metric": "rt",
        "direction": "lower",
    }
    (one,) = ek.report(table, baseline="quiet", **said).findings.contrasts
    noise, quiet = (
        table.rt[table.cond == name].to_numpy() for name in ("noise", "quiet")
    )
    assert one.pvalue == pytest.approx(
        ek.difference_interval(noise, quiet, paired=True).pvalue
    )


# --------------------------------------------------------------------------------------
# What cannot be compared, and why
# --------------------------------------------------------------------------------------

DRAWN = np.random.default_rng(2)
SHARES, LABELS = DRAWN.random(120), np.tile(["a", "b", "c"], 40)
SAID, OTHER_LABELS = (
    DRAWN.permutation(LABELS),
    np.where(np.arange(120) == 70, "z", LABELS),
)
SIX = pd.DataFrame({"system": ["base", "ours"] * 6, "accuracy": DRAWN.random(12)})
HOLES = SIX.assign(dataset=np.repeat([*"uvwxyz"], 2))
HOLES.loc[[0, 3, 5, 7, 9], "accuracy"] = np.nan
LOSSES = pd.DataFrame(
    {
        "system": np.repeat(["base", "ours"], 10),
        "fold": [*range(10)] * 2,
        "loss": np.r_[DRAWN.normal(1, 0.05, 10), DRAWN.normal(0.5, 0.05, 10)],
    }
)
RUNS = LOSSES.rename(columns={"fold": "seed"})
FAILED = RUNS.assign(
    status=["ok"] * 10 + ["failed"] * 10, loss=RUNS.loss.where(RUNS.index < 10)
)
JUDGED = pd.DataFrame(
    {"rater": ["base"] * 60 + ["ours"] * 60, "item": [*range(60)] * 2, "label": SAID}
)


@pytest.mark.parametrize(
    ("table", "options", "words"),
    [
        (
            answers(accuracy=SHARES, group=[f"g{k % 7}" for k in range(120)]),
            {"unit": "group"},
            (
                "60 items have more than one value of group: item 0, item 1, item 2 and"
                " 57 more."
            ),
        ),
        (
            answers(
                accuracy=SHARES,
                group=[f"g{k % 6}" if k % 60 else None for k in range(120)],
            ),
            {"unit": "group"},
            "1 item has no group: item 0.",
        ),
        (
            answers(label=OTHER_LABELS, prediction=SAID),
            {},
            "The right answer of 1 item differs from system to system: item 10.",
        ),
        (
            answers(label=np.where(np.arange(120) == 3, None, LABELS), prediction=SAID),
            {},
            "1 row has no right answer.",
        ),
        (
            JUDGED.replace({"item": {7: 8}}),
            {},
            "2 labels come again of the same rater and item.",
        ),
        (
            SIX,
            {"unit": "dataset"},
            "No column names the data sets; there are: system, accuracy.",
        ),
        (
            SIX,
            {"unit": "fold"},
            "No column names the folds; there are: system, accuracy.",
        ),
        (HOLES, {"missing": "drop"}, "Only 1 data set has a score of every system."),
        (
            LOSSES[LOSSES.fold < 2],
            {"n_train": 500, "n_test": 500},
            "There are 2 folds.",
        ),
        (
            LOSSES,
            {"n_train": 100, "n_test": 900},
            (
                "You said training to test items as 100 to 900; of 10 equal folds, 9"
                " train and 1 tests."
            ),
        ),
        (
            RUNS.assign(loss=RUNS.loss.where(RUNS.index != 4, 1e300)),
            {},
            "1 score is beyond 1e+100: 1e+300.",
        ),
        (FAILED, {"failed": "drop"}, "No run of ours ended with a score."),
        (
            answers(label=LABELS, prediction=SAID),
            {"metric": "f1"},
            (
                "No column is called 'f1', and of predictions a report computes the"
                " accuracy."
            ),
        ),
    ],
)
def test_what_cannot_be_compared_is_refused_with_its_reason(table, options, words):
    assert words in str(refusal(table, **options)).split("\n")


@pytest.mark.parametrize(
    ("table", "options", "words"),
    [
        (
            answers(accuracy=SHARES),
            {"unit": "accuracy"},
            "accuracy holds the systems, or the scores",
        ),
        (answers(accuracy=SHARES), {"unit": "sead"}, "'sead' is none of item, seed"),
        (
            RUNS,
            {"columns": {"system": ["loss", "seed"]}},
            "'base' must be one of them; got loss, seed",
        ),
    ],
)
def test_what_names_nothing_there_is_an_error(table, options, words):
    with pytest.raises(ValueError, match="^(unit|columns)") as told:
        ek.report(table, **{"baseline": "base", **options})
    assert words in str(told.value)


@pytest.mark.parametrize(("sign", "verdict"), [(1, "better"), (-1, "worse")])
def test_of_folds_a_lower_loss_is_better(sign, verdict):
    table = LOSSES.assign(loss=2 + sign * LOSSES.loss)
    found = ek.report(table, baseline="base", n_train=900, n_test=100)
    assert found.findings.contrasts[0].verdict == verdict


@pytest.mark.parametrize(
    ("direction", "is_noted"), [("lower", True), ("higher", False)]
)
def test_a_direction_against_the_name_is_noted(direction, is_noted):
    table = RUNS.rename(columns={"loss": "accuracy"})
    found = ek.report(table, baseline="base", direction=direction)
    words = (
        "accuracy: lower is better, as you said; by its name one would think that"
        " higher is."
    )
    assert (words in [check.words for check in found.bench.checks]) == is_noted


def test_raters_may_agree_with_a_margin_given():
    assert (
        ek.report(JUDGED, baseline="base", margin=0.1).findings.contrasts[0].verdict
        == ""
    )


def test_words_that_judge_an_answer_are_offered_as_the_metric():
    table = answers(verdict=np.where(SHARES > 0.5, "pass", "fail"))
    assert (
        "--metric verdict --right pass, if that is the word for right answers."
        in str(refusal(table))
    )
    assert ek.report(
        table, baseline="base", metric="verdict", right="pass"
    ).findings.contrasts


def test_a_baseline_among_the_runs_is_not_said_to_be_nowhere():
    ends = ("", "__MIN", "__MAX")
    chart = pd.DataFrame(
        {f"{run} - acc{end}": [0.5, 0.6] for run in ("first", "second") for end in ends}
    )
    chart.insert(0, "Step", [1, 2])
    told = str(refusal(chart, baseline="first"))
    assert (
        "'first' stands in the column run, and nothing says that it names systems."
        in told
    )


@pytest.mark.parametrize("unmatched", [None, "drop"])
def test_arrays_of_other_lengths_have_no_places_in_common(unmatched):
    results = {"base": SHARES[:40], "ours": SHARES[:30]}
    with pytest.raises(
        ValueError, match="by place, and there are fewer than 40 of ours"
    ):
        ek.report(
            results,
            baseline="base",
            metric="accuracy",
            unit="item",
            unmatched=unmatched,
        )
    assert ek.report(
        results, baseline="base", metric="accuracy", unit="seed"
    ).findings.contrasts


@pytest.mark.parametrize(
    ("code", "is_asked"), [(999, True), (-1, True), (0, True), (7, False), (54, False)]
)
def test_one_score_that_is_a_code_is_asked_about(code, is_asked):
    scores = [55.0, 61, 72, 87, 80, 66, 70, code, 56, 60, 73, 86, 81, 65, 71, 68]
    table = pd.DataFrame({"system": np.repeat(["base", "ours"], 8), "points": scores})
    said = {"metric": "points", "direction": "higher", "unit": "seed"}
    if is_asked:
        (fault,) = refusal(table, **said).faults
        assert fault.what.startswith(
            f"1 score is {code}, far from all others (55 to 87)"
        )
        assert fault.ways[0].startswith(
            f"--where 'points!={code}' leaves it out, if it has nothing"
        )
    else:
        assert ek.report(table, baseline="base", **said).findings.contrasts


@pytest.mark.parametrize("values", [[0, 1], [0, 4, 5], [-1, 1], [-1, 0, 1]])
def test_answers_that_are_0_or_minus_1_are_scores(values):
    table = answers(points=np.random.default_rng(9).choice(values, 120))
    assert ek.report(
        table, baseline="base", metric="points", direction="higher"
    ).findings.contrasts


def test_the_call_on_a_page_names_each_column_that_was_given():
    table = answers(accuracy=SHARES, part=np.tile(["x", "y"], 60), text="a")
    found = ek.report(
        table, baseline="base", columns={"item": ["part", "item"], "note": "text"}
    )
    assert "columns={'item': ['part', 'item'], 'note': 'text'}" in found.source


def test_a_word_among_data_sets_with_numbers_is_asked_about():
    names = [*"1234567", "weird"]
    table = pd.DataFrame(
        {
            "system": np.repeat(["base", "ours"], 8),
            "dataset": names * 2,
            "accuracy": SHARES[:16],
        }
    )
    (fault,) = refusal(table).faults
    assert fault.what == "This may be no data set: weird is a word among numbers."
    assert ek.report(
        table, baseline="base", where={"dataset!": "weird"}
    ).findings.contrasts


def test_one_answer_that_is_missing_is_counted_as_one():
    rows = [
        (s, f"i{k}", r) for s in ("base", "ours") for k in range(15) for r in range(4)
    ]
    table = pd.DataFrame(rows, columns=["system", "item", "repeat"]).assign(
        correct=SHARES > 0.5
    )
    (fault,) = refusal(table[1:]).faults
    assert "base lacks 1, and has fewer than 4 answers to 1 item (i0)" in fault.what


def test_of_texts_that_differ_two_are_shown():
    texts = np.array([f"What is {k}?" for k in range(40)] * 3, dtype=object)
    texts[[1, 41, 81]], texts[5] = ("Who?", "When?", "Where?"), "Why?"
    table = pd.DataFrame(
        {"system": np.repeat(["base", "ours", "new"], 40), "item": [*range(40)] * 3}
    )
    table = table.assign(question=texts, accuracy=SHARES)
    (fault,) = refusal(table, columns={"item": "item"}).faults
    assert fault.what.endswith("Of 1: 'Who?', 'When?' and 1 more.")


def test_a_claim_about_a_system_without_results_hides_no_other(runs, capsys):
    more = ["--where", "lr=1"]
    assert cli.main(["report", "runs.csv", "--baseline", "base", *more]) == 0
    settings = Path("evalkit.toml").read_text(encoding="utf-8").partition("[claim]")[0]
    Path("evalkit.toml").write_text(
        f'{settings}\n[claim]\nbetter = ["ghost", "ours"]\n', encoding="utf-8"
    )
    capsys.readouterr()
    assert cli.main(["report", "--check", "evalkit.toml"]) == 1
    told = capsys.readouterr().out
    assert "- [ ] ghost is better: there are no results of it." in told
    assert "- [x] ours is better: 95" in told
