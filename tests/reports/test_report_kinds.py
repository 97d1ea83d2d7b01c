"""Kinds of their own, and what a page must say as "Which test do I need?" says it."""

import math
from dataclasses import fields

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import evalkit as ek
from evalkit import _ways as to
from evalkit import _ways_of_runs as of_runs
from evalkit.reports import RefusedError, Report, _analysis
from evalkit.reports._bench import Bench
from evalkit.reports._kinds import _agreement, _sizes
from evalkit.reports._options import Options
from evalkit.reports._recognition._table import Table

FORMS = ("html", "markdown", "code")


def made(module, kind, frame, roles, facts=None, **options):
    """Make a report of a table whose columns are known."""
    options = Options(**options)
    bench = Bench(options, kind)
    evidence = module.prepare(
        Table(frame, roles, {}, facts or {}), frame.iloc[:0], bench
    )
    bench.stop_if_faulty()
    findings = _analysis.analyse(evidence, bench)
    known = {
        "evidence": evidence,
        "findings": findings,
        "bench": bench,
        "roles": {},
        "version": "0",
    }
    known["source"] = "ek.report(table)"
    report = Report(
        **{field.name: known.get(field.name, ()) for field in fields(Report)}
    )
    for form in FORMS:
        assert "nan" not in report.write(form).replace("ek.holm([nan, nan])", "")
    return report


# --------------------------------------------------------------------------------------
# Do two judges agree?
# --------------------------------------------------------------------------------------

LABELS = {"rater": "who", "item": "id", "label": "label", "group": ("doc",)}


def labels(seed=0, n=90):
    rng = np.random.default_rng(seed)
    truth = rng.choice(["good", "bad", "ugly"], n)
    said = {"person": truth}
    for name, chance in (("judge", 0.8), ("coin", 0.0)):
        said[name] = np.where(
            rng.random(n) < chance, truth, rng.choice(["good", "bad", "ugly"], n)
        )
    rows = [
        {"who": name, "id": f"q{i}", "label": own[i], "doc": f"d{i % 15}"}
        for name, own in said.items()
        for i in range(n)
    ]
    return pd.DataFrame(rows).sample(frac=1, random_state=2), said


@pytest.mark.parametrize("unit", ["item", "doc"])
def test_raters_are_held_against_the_one_who_is_named(unit):
    table, said = labels()
    found = made(_agreement, "agreement", table, LABELS, baseline="person", unit=unit)
    groups = None if unit == "item" else [f"d{i % 15}" for i in range(90)]
    assert {one.system for one in found.findings.contrasts} == {"judge", "coin"}
    for one in found.findings.contrasts:
        direct = ek.agreement(said[one.system], said["person"], groups)
        assert one.more.kappa == pytest.approx(direct.kappa)
        assert tuple(one.more.kappa_interval) == pytest.approx(
            tuple(direct.kappa_interval)
        )
        assert (one.difference, one.low, one.high) == pytest.approx(
            (direct.share, *direct.share_interval)
        )
        assert one.difference == pytest.approx(
            np.mean(said[one.system] == said["person"])
        )
    assert found.findings.way is to.JUDGES
    text = str(found)
    assert "judge and person gave the same label to" in text
    assert "better than" not in found.write("markdown")
    kappa = found.findings.contrasts[0].more
    assert kappa.kappa_interval.low < kappa.kappa < kappa.kappa_interval.high


def test_groups_of_labels_are_asked_about():
    table, _ = labels()
    with pytest.raises(RefusedError, match="--unit doc: whole groups are the unit"):
        made(_agreement, "agreement", table, LABELS, baseline="person")


def test_a_rater_with_two_labels_for_an_item_is_refused():
    table, _ = labels()
    with pytest.raises(
        RefusedError, match="1 label comes again of the same rater and item"
    ):
        made(
            _agreement,
            "agreement",
            pd.concat([table, table[:1]]),
            LABELS,
            baseline="person",
            unit="item",
        )


# --------------------------------------------------------------------------------------
# Is bigger better?
# --------------------------------------------------------------------------------------

SIZES = {"system": "system", "size": "hidden", "seed": "seed", "score": "accuracy"}


def runs(n_seeds=3, sizes=(16, 32, 64, 128), seed=0):
    rng = np.random.default_rng(seed)
    rows = [
        {"system": name, "hidden": float(size), "seed": str(k),
         "accuracy": 0.7 + rise * math.log2(size) + rng.normal(0, 0.01)}
        for name, rise in (("flat", 0), ("rising", 0.02))
        for size in sizes
        for k in range(n_seeds)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_trends_over_sizes_are_kendalls():
    table = runs()
    found = made(_sizes, "sizes", table, SIZES, baseline="flat")
    assert found.findings.way is of_runs.SIZES
    pvalues = []
    for one in found.findings.contrasts:
        own = table[table.system == one.system]
        tau, p = stats.kendalltau(own.hidden, own.accuracy)
        small, large = own.accuracy[own.hidden <= 32], own.accuracy[own.hidden >= 64]
        direct = ek.difference_interval(large, small, paired=False)
        assert (one.more["tau"], one.pvalue) == pytest.approx((tau, p))
        assert (one.low, one.high, one.difference) == pytest.approx(
            (*direct, direct.difference)
        )
        assert one.difference == pytest.approx(large.mean() - small.mean())
        pvalues.append(p)
    assert [one.adjusted for one in found.findings.contrasts] == pytest.approx(
        ek.holm(pvalues).tolist()
    )
    assert {one.system: one.verdict for one in found.findings.contrasts} == {
        "flat": "undecided",
        "rising": "rises",
    }
    assert "larger is better" in str(found)
    assert (
        "stats.kendalltau(found.scores('rising', 'size'), found.scores('rising'))"
        in found.code
    )
    assert "found.scores('rising')[found.scores('rising', 'size') >= 64]" in found.code


def test_of_a_loss_larger_is_better_where_it_falls():
    table = runs().assign(accuracy=lambda t: -t.accuracy)
    found = made(_sizes, "sizes", table, SIZES, baseline="flat", direction="lower")
    assert "accuracy of rising falls with size: larger is better" in str(found)


def test_a_middle_size_is_neither_large_nor_small():
    table = runs(sizes=(16, 32, 64))
    one = made(_sizes, "sizes", table, SIZES, baseline="flat").findings.contrasts[1]
    own = table[table.system == "rising"]
    ends = own.accuracy[own.hidden == 64].mean() - own.accuracy[own.hidden == 16].mean()
    assert one.difference == pytest.approx(ends)


@pytest.mark.parametrize(
    ("n_seeds", "sizes", "words"),
    [
        (1, (16, 32, 64, 128), "no p-value can be below 0.083"),
        (2, (16, 32), "no p-value can be below 0.33"),
        (5, (16,), "5 runs of 1 size"),
        (1, (16, 32, 64), "no p-value can be below 0.33"),
    ],
)
def test_few_sizes_or_runs_are_refused(n_seeds, sizes, words):
    with pytest.raises(RefusedError, match=words):
        made(_sizes, "sizes", runs(n_seeds, sizes), SIZES, baseline="flat")


def test_runs_that_share_a_fold_are_refused():
    table = runs().assign(fold=lambda t: t.seed)
    with pytest.raises(RefusedError, match="those that share one are not"):
        made(_sizes, "sizes", table, {**SIZES, "fold": "fold"}, baseline="flat")


# --------------------------------------------------------------------------------------
# Splits, margins, costs
# --------------------------------------------------------------------------------------


def splits(n=10, gap=0.02):
    rng = np.random.default_rng(0)
    base = rng.normal(0.8, 0.02, n)
    rows = [("svm", k, base[k]) for k in range(n)]
    rows += [("forest", k, base[k] + gap + rng.normal(0, 0.005)) for k in range(n)]
    return pd.DataFrame(rows, columns=["system", "split", "accuracy"])


SIZE = {"n_train": 900, "n_test": 100}


@pytest.mark.parametrize("column", ["split", "fold"])
def test_splits_get_a_heuristic_p_and_no_interval(column):
    table = splits().rename(columns={"split": column})
    found = ek.report(table, baseline="svm", **SIZE)
    (one,) = found.findings.contrasts
    wide = table.pivot_table(index=column, columns="system", values="accuracy")
    direct = ek.corrected_t(wide.forest, wide.svm, **SIZE)
    assert one.pvalue == pytest.approx(direct.pvalue)
    page = found.write("markdown")
    for text in (page, str(found), *found.paper[:2]):
        assert "other random splits" not in text
        assert "95 % interval of" not in text
    assert all(
        "heuristic" in text
        for text in (page, str(found), found.paper[0], found.paper[1])
    )
    said = of_runs.SPLITS.answers.removeprefix(
        "Whether the systems would differ on "
    ).split(". ")[0]
    assert said in found.findings.varies
    assert of_runs.SPLITS.cannot[1:] in " ".join(found.findings.cannot)
    assert np.isnan(
        [found.findings.contrasts[0].low, found.findings.contrasts[0].high]
    ).all()
    assert found.write("html").count("<circle") == 20
    assert "No interval is drawn, for none is known to hold." in page


def test_a_margin_needs_an_interval():
    with pytest.raises(RefusedError, match="there is no interval to hold against it"):
        ek.report(splits(gap=0.0), baseline="svm", margin=0.05, **SIZE)


@pytest.mark.parametrize(("spread", "is_equal"), [(0.004, True), (0.03, False)])
def test_a_margin_shows_its_own_test_and_interval(spread, is_equal):
    rng = np.random.default_rng(0)
    scores = {name: rng.normal(0.8, spread, 8) for name in ("base", "new")}
    found = ek.report(
        scores, baseline="base", metric="accuracy", unit="seed", margin=0.01
    )
    (one,) = found.findings.contrasts
    direct = ek.equivalence(
        ek.difference_interval(scores["new"], scores["base"], paired=False), 0.01
    )
    assert (one.verdict == "equivalent") is direct.equivalent is is_equal
    low, high = ek.difference_interval(
        scores["new"], scores["base"], paired=False, confidence_level=0.9
    )
    assert tuple(direct.interval) == pytest.approx((low, high))
    for text in (str(found), found.write("markdown"), found.paper[1]):
        assert "two one-sided tests, p" in text
        assert "90 % interval" in text
    line = next(line for line in found.code.splitlines() if "ek.equivalence" in line)
    names = {"found": found, "ek": ek}
    assert str(eval(line.removeprefix("print(")[:-1], names)).startswith(
        "equivalent" if is_equal else "not shown to be equivalent"
    )


def test_costs_are_told_where_they_are_known():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        [
            {
                "system": name,
                "seed": k,
                "accuracy": rng.normal(0.8, 0.01),
                "seconds": cost + k,
            }
            for name, cost in (("base", 10.0), ("new", 40.0))
            for k in range(5)
        ]
    )
    page = ek.report(table, baseline="base").write("markdown")
    assert "Mean seconds of a run: base 12, new 42." in page.split("## The data")[1]


def test_costs_of_a_search_stand_beside_its_comparison():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        [
            {"system": name, "trial": float(k), "setting_lr": rng.random(),
             "val_accuracy": (v := rng.uniform(0.3, 0.7)), "test_accuracy": v + rng.normal(0, 0.02),
             "seconds": cost}
            for name, cost in (("base", 10.0), ("new", 40.0))
            for k in range(40)
        ]
    )  # fmt: skip
    found = ek.report(table, baseline="base", search="random")
    top = found.write("markdown").split("## What cannot be said")[0]
    assert "Mean seconds of a trial: base 10, new 40." in top
    assert (
        found.findings.quantity == "expected best of 8 trials, chosen by val_accuracy"
    )


# --------------------------------------------------------------------------------------
# Means among the data sets of a benchmark, the best of several answers
# --------------------------------------------------------------------------------------

SETS = [f"set {k}" for k in range(9)]


@pytest.mark.parametrize(
    ("digits", "part", "is_mean"),
    [(9, 9, True), (3, 9, True), (2, 9, True), (3, 5, False)],
)
def test_a_mean_among_the_data_sets_is_asked_about_whether_or_not_it_is_one(
    digits, part, is_mean
):
    levels = np.linspace(0.5, 0.9, 9) ** 2
    wide = pd.DataFrame({"dataset": SETS, "base": levels, "new": levels + 0.04})
    wide = wide.round(3)
    mean = {name: round(wide[name][:part].mean(), digits) for name in ("base", "new")}
    table = pd.concat([wide, pd.DataFrame([{"dataset": "average", **mean}])]).melt(
        "dataset", var_name="system", value_name="accuracy"
    )
    why = "the mean of the others" if is_mean else "called so"
    with pytest.raises(
        RefusedError, match=f"This may be no data set: average is {why}"
    ):
        ek.report(table, baseline="base")
    found = ek.report(table, baseline="base", where={"dataset!": "average"})
    assert found.evidence.used.dataset.nunique() == 9


@pytest.mark.parametrize(
    ("metric", "is_refused"),
    [("pass@5", True), ("pass^8", True), ("pass_at_10", True), ("pass@1", False)],
)
def test_the_best_of_several_answers_is_refused(metric, is_refused):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        [
            {
                "system": name,
                "item": f"q{i}",
                "repeat": k,
                metric: float(rng.random() < 0.5),
            }
            for name in ("base", "new")
            for i in range(30)
            for k in range(4)
        ]
    )
    ask = {"baseline": "base", "metric": metric, "direction": "higher"}
    if is_refused:
        with pytest.raises(RefusedError, match="chapter 9"):
            ek.report(table, **ask)
    else:
        assert ek.report(table, **ask).findings.way is to.ANSWERS
    single = table.groupby(["system", "item"], as_index=False)[metric].mean()
    assert ek.report(single, **ask).findings.way is to.SCORES
