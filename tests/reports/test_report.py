"""A report on one long table: honest tables get the right page, faults their refusal,
and what a refusal prints leads to a page.
"""

import json
import shlex
from pathlib import Path

import faulty
import numpy as np
import pandas as pd
import pytest

import evalkit as ek
from evalkit import cli
from evalkit.reports import RefusedError, schema
from evalkit.reports._refused import Say

HERE = Path(__file__).parent
KEPT = json.loads((HERE / "honest/expected.json").read_text(encoding="utf-8"))
# What the refusals of these tests were, by code.
SEEN = set()


def asked(table, **options):
    """Return the report, or the refusal; suspicions are confirmed."""
    confirmed = ()
    while True:
        try:
            return ek.report(table, confirm=confirmed, **options)
        except RefusedError as error:
            SEEN.update(fault.code for fault in error.faults)
            codes = tuple(fault.code for fault in error.faults)
            if not {*codes} <= {*schema.SUSPICIONS} or {*codes} <= {*confirmed}:
                return error
            confirmed += codes


def refused(table, **options):
    with pytest.raises(RefusedError) as caught:
        ek.report(table, **options)
    SEEN.update(fault.code for fault in caught.value.faults)
    return caught.value


def runs(n=5, systems=("base", "ours"), **columns):
    """A table of runs whose second system is better."""
    rng = np.random.default_rng(n)
    rows = [
        {"system": name, "seed": seed, "accuracy": rng.normal(0.8 + 0.05 * k, 0.01)}
        for k, name in enumerate(systems)
        for seed in range(n)
    ]
    return pd.DataFrame(rows).assign(**columns)


# --------------------------------------------------------------------------------------
# Honest tables
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["frame", "csv", "jsonl", "tsv"])
def test_honest_tables_get_the_numbers_of_the_report_before(tmp_path, kind):
    """What the third edition's report computed of the same scores."""
    wrong = []
    for case in KEPT:
        name, path = case["name"], HERE / f"honest/{case['name']}.csv"
        source = path if kind == "csv" else pd.read_csv(path)
        if kind == "jsonl":
            lines = [json.dumps(row) for row in source.to_dict("records")]
            source = tmp_path / f"{name}.jsonl"
            source.write_text("\n".join(lines), encoding="utf-8")
        elif kind == "tsv":
            source.to_csv(source := tmp_path / f"{name}.tsv", sep="\t", index=False)
        found = asked(source, **case["arguments"])
        if isinstance(found, RefusedError):
            wrong.append((name, str(found)))
            continue
        of = {one.system: one for one in found.findings.contrasts}
        for wanted in case["expected"]:
            one = of[wanted["system"]]
            for key in ("difference", "low", "high", "pvalue", "verdict"):
                value = wanted[key]
                value = np.nan if value is None else value  # JSON has no NaN
                if key == "verdict":
                    good = getattr(one, key) == value
                else:
                    good = getattr(one, key) == pytest.approx(value, 1e-9, nan_ok=True)
                wrong += [(name, key, value, getattr(one, key))] * (not good)
    assert not wrong
    assert {case["kind"] for case in KEPT} == {*schema.KINDS.values()}


def test_the_order_of_rows_and_columns_says_nothing():
    different = []
    for name, (plant, more) in faulty.HONEST.items():
        table = plant(np.random.default_rng(3))
        mixed = table.sample(frac=1, random_state=0)[sorted(table)]
        mixed = pd.concat([part for _, part in mixed.groupby("system", sort=True)])
        pages = [
            str(
                asked(one.sort_values("system", kind="stable"), baseline="base", **more)
            )
            for one in (table, mixed)
        ]
        if pages[0] != pages[1]:
            different.append(name)
    assert not different


def test_keys_are_the_same_as_numbers_and_as_words():
    table = runs()
    words = table.assign(seed=table["seed"].astype(str))
    floats = table.assign(seed=table["seed"].astype(float))
    mixed = table.assign(seed=[*table["seed"][:5], *map(str, table["seed"][5:])])
    kinds = table.assign(system=table["system"].astype("category"))
    pages = {
        str(ek.report(t, baseline="base")) for t in (table, words, floats, mixed, kinds)
    }
    assert len(pages) == 1


def test_every_kind_leads_where_the_decision_leads():
    titles = {}
    for name, (plant, more) in faulty.HONEST.items():
        found = asked(plant(np.random.default_rng(3)), baseline="base", **more)
        titles[name] = found.findings.way.key
    assert titles == {
        "seeds": "seeds",
        "answers": "several-models",
        "several answers": "answers",
        "items": "models",
        "items and seeds": "seeds-items",
        "datasets": "systems",
        "folds": "splits",
        "trials": "settings",
    }


# --------------------------------------------------------------------------------------
# Faults
# --------------------------------------------------------------------------------------

# The true reason has another name than the fault had when it was planted.
OTHER = {
    "settings_vary_that_are_named": "search",
    "saved_with_its_index": "unreadable",
    "no_test_part": "unit",
}


def planted(fault, seed, folder):
    """Return what a fault was planted into: a table, or the place of a file."""
    source = fault.plant(np.random.default_rng(seed))
    if isinstance(source, str):
        place = folder / f"{seed}_{fault.file}"
        place.write_text(source, encoding="utf-8")
        return place
    return source


def test_planted_faults_are_refused_with_a_true_reason(tmp_path):
    missed = []
    for name, fault in faulty.FAULTS.items():
        codes = {*fault.codes.split(), OTHER.get(name)}
        for seed in range(3):
            source = planted(fault, seed, tmp_path)
            try:
                ek.report(source, **{"baseline": "base", **fault.more})
                found = {"open"}
            except RefusedError as error:
                found = {fault.code for fault in error.faults}
                SEEN.update(found)
            if not found & codes:
                missed.append((name, seed, found, codes))
    assert not missed
    assert len(faulty.FAULTS) > 100


# Lines that need something which only the reader has, or that cure another fault.
NEEDS = ("files.items()", "others = ['item']", "pd.concat([pd.read_csv")


def mended(table, code, options):
    """Run a line and return what is asked next, up to a page."""
    scope = {"pd": pd, "table": table.copy()}
    exec(code, scope)
    found = asked(scope["table"], **options)
    for _ in range(3):
        if not isinstance(found, RefusedError):
            break
        says = [w for f in found.faults for w in f.ways if isinstance(w, Say)]
        known = [s for s in says if "ignore" in s.said or "n_train" in s.said]
        if known:
            options = {**options, **known[0].said}
            found = asked(scope["table"], **options)
        else:
            break
    return found


def test_the_lines_that_refusals_print_mend_the_table(tmp_path):
    """Each by itself; a line that leaves too few rows may say so, and nothing else."""
    failed, run = [], set()
    for name, fault in faulty.FAULTS.items():
        source = planted(fault, 0, tmp_path)
        if not isinstance(source, pd.DataFrame):
            continue
        # Under other names as well: the lines have the file's own.
        odd = {
            c: f"{c} 'x\""
            for c in source.columns
            if c in schema.ROLES and c != "setting"
        }
        columns = {**fault.more.get("columns", {}), **odd}
        for table, more in (
            (source, fault.more),
            (source.rename(columns=odd), {**fault.more, "columns": columns}),
        ):
            options = {"baseline": "base", **more}
            found = asked(table, **options)
            for one in found.faults if isinstance(found, RefusedError) else ():
                for line in one.lines:
                    if any(words in line for words in NEEDS):
                        continue
                    run.add((one.code, line.partition("#")[2]))
                    try:
                        after = mended(table, line, options)
                    except Exception as error:
                        after = error
                    if isinstance(after, RefusedError) and after.code not in (
                        "few", "one-run", "baseline", "unit", "unmatched", "duplicates",
                        "metric", "gaps", "columns",
                    ):  # fmt: skip
                        failed.append((name, line, after.code))
                    elif not isinstance(after, RefusedError | ek.reports.Report):
                        failed.append((name, line, repr(after)))
    assert not failed
    assert len(run) > 20


MENDED = {
    "words": (
        lambda t: t.assign(
            accuracy=t["accuracy"].map("{:.4f}".format).str.replace(".", ",")
        ),
        lambda t: t.assign(accuracy=t["accuracy"].round(4)),
    ),
    "gaps": (
        lambda t: t.assign(accuracy=t["accuracy"].where(t.index != 7)),
        lambda t: t.assign(
            accuracy=t["accuracy"].where(t.index != 7, t["accuracy"].drop(7).min())
        ),
    ),
    "duplicates": (lambda t: pd.concat([t, t.iloc[[2]]]), lambda t: t),
    "mean-row": (
        lambda t: pd.concat(
            [
                t.assign(seed=t["seed"].astype(str)),
                t.groupby("system", as_index=False)["accuracy"]
                .mean()
                .assign(seed="mean"),
            ]
        ),
        lambda t: t,
    ),
    "scale": (
        lambda t: t.assign(
            accuracy=t["accuracy"].where(t["system"] == "base", 100 * t["accuracy"])
        ),
        lambda t: t,
    ),
    "names": (
        lambda t: t.assign(system=t["system"].where(~t.index.isin((3, 4)), "Base")),
        lambda t: t,
    ),
    "unit": (lambda t: t.drop(columns="seed"), lambda t: t),
}


@pytest.mark.parametrize("code", MENDED)
def test_a_mended_table_gives_the_page_of_the_table_without_the_fault(code):
    plant, right = MENDED[code]
    found = refused(plant(runs()), baseline="base")
    fault = next(fault for fault in found.faults if fault.code == code)
    scope = {"pd": pd, "table": plant(runs())}
    exec(fault.lines[0], scope)
    page = asked(scope["table"], baseline="base")
    assert (
        str(page).splitlines()[-2:]
        == str(ek.report(right(runs()), baseline="base")).splitlines()[-2:]
    )


def test_a_leak_between_parts_is_mended_by_the_printed_line():
    table = faulty.answers(np.random.default_rng(0))
    seen = table[table["item"].isin(table["item"].unique()[:20])].assign(part="train")
    whole = pd.concat([table.assign(part="test"), seen])
    found = refused(whole, baseline="base")
    assert found.code == "train-items"
    scope = {"table": whole}
    exec(found.faults[0].lines[0], scope)
    page = ek.report(scope["table"], baseline="base")
    n = table["item"].nunique() - 20
    assert page.evidence.used["item"].nunique() == n


def test_what_every_system_lacks_is_counted_in_the_reason():
    table = faulty.items(np.random.default_rng(1))
    gone = table[~((table["system"] == "ours") & table["item"].isin(table["item"][:4]))]
    found = refused(gone, baseline="base")
    assert found.code == "unmatched"
    assert "ours 4" in str(found)
    for line, n in zip(found.faults[0].lines, (-4, 0), strict=True):
        scope = {"pd": pd, "table": gone.copy()}
        exec(line, scope)
        page = ek.report(scope["table"], baseline="base")
        assert page.evidence.used["item"].nunique() == table["item"].nunique() + n


def test_all_columns_are_asked_about_at_once_with_values_and_examples():
    table = runs().assign(lr=[0.1, 0.2] * 5, step=range(10), note="the same")
    found = refused(table, baseline="base")
    assert "lr: 2 values, such as 0.1 and 0.2" in str(found)
    assert "step: 10 values" in str(found)
    assert "note" not in str(found)
    page = ek.report(table, baseline="base", ignore="rest")
    assert page.evidence.ignored == ("lr", "step")
    assert ("ignored", "lr and step") in page.understood
    assert refused(table, baseline="base", ignore=["lr"]).code == "columns"


def test_what_was_understood_names_systems_keys_and_ends():
    table = runs().assign(lr=lambda t: t["system"].map({"base": 0.1, "ours": 0.2}))
    rows = dict(ek.report(table, baseline="base").understood)
    own = table[table["system"] == "ours"]["accuracy"]
    assert rows["system ours"] == f"5 rows, scores {own.min():.6g} to {own.max():.6g}"
    assert rows["seed: seed"] == "5, 0 to 4"
    assert rows["score"] == "accuracy, higher is better"
    assert "lr (base 0.1 and ours 0.2)" in rows["differs between systems"]


# --------------------------------------------------------------------------------------
# Suspicions
# --------------------------------------------------------------------------------------

HONEST_SUSPECTS = {
    "names": runs(systems=("BERT", "BERT+")).assign(),
    "constant": runs().assign(
        accuracy=lambda t: t["accuracy"].where(t["system"] == "ours", 0.5)
    ),
    "scale": runs().assign(
        accuracy=lambda t: t["accuracy"].where(
            t["system"] == "ours", t["accuracy"] / 160
        )
    ),
    "mean-row": faulty.items(np.random.default_rng(2)).replace({"item": {"q0": "all"}}),
    "missing-runs": runs(20).query("system == 'ours' or seed < 5"),
    "copies": pd.concat(
        [runs(), runs().query("system == 'ours'").replace("ours", "too")]
    ),
}


@pytest.mark.parametrize("code", HONEST_SUSPECTS)
def test_an_honest_table_of_each_suspicion_gets_a_page_that_says_so_first(code):
    table = HONEST_SUSPECTS[code]
    baseline = table["system"].iloc[0]
    if code == "mean-row":
        table = table.assign(item=table["item"].replace(table["item"].iloc[0], "all"))
    found = refused(table, baseline=baseline)
    assert [fault.code for fault in found.faults] == [code]
    assert f"confirm={code!r}" in str(found)
    page = ek.report(table, baseline=baseline, confirm=code)
    assert str(page).startswith("Read this first: ")
    text = page.write("markdown")
    assert text.index("Read this first") < text.index("\n**")
    assert found.faults[0].what in page.paper[-1]


def test_a_validation_loss_beside_an_accuracy_is_asked_about():
    """Read as an accuracy it would choose the worst trial."""
    rng = np.random.default_rng(9)
    table = pd.DataFrame(
        [
            {"system": name, "trial": k, "accuracy": score, "val_loss": 1 - score}
            for name, mean, sd in (("wide", 0.78, 0.05), ("narrow", 0.8, 0.005))
            for k, score in enumerate(rng.normal(mean, sd, 40))
        ]
    )
    options = {
        "baseline": "narrow",
        "columns": {"validation": "val_loss"},
        "random": True,
    }
    fault = refused(table, **options).faults[0]
    assert fault.code == "validation"
    scope = {"table": table}
    exec(fault.lines[0], scope)
    one = ek.report(scope["table"], **options).findings.contrasts[0]
    assert one.difference > 0.04


def test_slips_that_the_scores_show_are_asked_about():
    """A mean row by another name, a file read twice with seeds that go on, and one row
    in per cent.
    """
    table = faulty.datasets(np.random.default_rng(2))
    metric = next(c for c in table if schema.direction(c))
    means = table.groupby("system", as_index=False)[metric].mean()
    found = refused(pd.concat([table, means.assign(dataset="GLUE")]), baseline="base")
    assert "GLUE is the mean of all others" in str(found)
    once = runs()
    more = once[once["system"] == "ours"].assign(seed=lambda t: t["seed"] + 5)
    found = refused(pd.concat([once, more]), baseline="base")
    assert "copies" in {fault.code for fault in found.faults}
    odd = once.assign(accuracy=once["accuracy"].where(once.index != 3, 80.5))
    found = refused(odd, baseline="base")
    assert "80.5" in str(found)
    assert not found.faults[0].lines


def test_five_items_are_enough_to_ask_the_test():
    """It may still say that they are too few; the gate lets them through."""
    five = ITEMS[ITEMS["item"].isin(ITEMS["item"].unique()[:5])]
    found = asked(five, baseline="base")
    assert "are the fewest" not in str(found)


def test_swapped_sizes_are_asked_about():
    table = faulty.folds(np.random.default_rng(0))
    found = refused(table, baseline="base", n_train=100, n_test=900)
    assert found.code == "swapped"
    right = found.faults[0].ways[0].said
    assert ek.report(table, baseline="base", **right).kind == "folds"


def test_a_contradiction_cannot_be_confirmed():
    with pytest.raises(ValueError, match="confirm must be one of"):
        ek.report(runs(), baseline="base", confirm="gaps")


# --------------------------------------------------------------------------------------
# What is refused besides
# --------------------------------------------------------------------------------------

ITEMS = faulty.items(np.random.default_rng(5))
TRIALS = faulty.trials(np.random.default_rng(5))
ALSO = {
    "a named index": ("columns", lambda: runs().set_index("seed"), {}),
    "a number for a name": ("columns", lambda: runs().rename(columns={"seed": 7}), {}),
    "no rows": ("few", lambda: runs()[:0], {}),
    "an unknown role": ("columns", runs, {"columns": {"sistem": "seed"}}),
    "two roles": ("columns", runs, {"columns": {"seed": "seed", "item": "seed"}}),
    "a role that is ignored": ("columns", runs, {"columns": {"item": "seed"}, "ignore": "seed"}),
    "raters": ("unit", lambda: ITEMS.assign(rater=list("ab") * (len(ITEMS) // 2)), {}),
    "another direction": ("direction", runs, {"direction": "lower"}),
    "systems on data sets of their own": (
        "unmatched", lambda: runs().assign(dataset=lambda t: t["system"] + "-data"), {}),
    "groups of runs": ("groups", lambda: runs().assign(group=["a", "b"] * 5), {}),
    "a margin beyond the scores": ("margin", runs, {"margin": 2.0}),
    "a budget beyond a fifth": ("few", lambda: TRIALS, {**faulty.SEARCH, "n": 500}),
    "an unknown part": ("words", lambda: ITEMS.assign(part="holdout"), {}),
    "two seeds of items": (
        "few", lambda: pd.concat([ITEMS.assign(seed=k, accuracy=ITEMS.iloc[:, -1]) for k in (0, 1)])
        if "accuracy" in ITEMS else pd.concat([ITEMS.assign(seed=k) for k in (0, 1)]), {}),
    "some items more often": (
        "unmatched",
        lambda: pd.concat([ITEMS.assign(attempt=1), ITEMS.assign(attempt=2)[:-9]]), {}),
}  # fmt: skip


@pytest.mark.parametrize("name", ALSO)
def test_what_is_refused_besides(name):
    code, make, more = ALSO[name]
    assert refused(make(), baseline="base", **more).code == code


def test_a_margin_needs_an_interval():
    table = faulty.folds(np.random.default_rng(0))
    found = refused(table, baseline="base", margin=0.01, **faulty.FOLDS)
    assert found.code == "margin"


def test_every_design_that_is_elsewhere_is_named_with_its_call():
    missing = []
    for role, way in schema.ELSEWHERE.items():
        text = str(refused(runs().assign(**{role: range(10)}), baseline="base"))
        missing += [role for name in way.calls if f"ek.{name}" not in text]
        missing += [role] * (way.title not in text)
    assert not missing


# --------------------------------------------------------------------------------------
# From the shell
# --------------------------------------------------------------------------------------


def test_options_of_refusals_work_in_the_shell(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    table = runs(5).assign(**{"a note": range(10), "lr's": range(10)})
    table = table.rename(columns={"accuracy": "my score"})
    table.to_csv("runs.csv", index=False)
    words = ["--baseline", "base"]
    for _ in range(4):
        if cli.main(["report", "runs.csv", *words]) == 0:
            break
        said = capsys.readouterr().err
        options = [
            line.strip() for line in said.splitlines() if line.startswith("    --")
        ]
        (way,) = [o for o in options if o.startswith(
            ("--ignore", "--metric 'my", "--direction higher"))]  # fmt: skip
        words += shlex.split(way, comments=True)
    out = capsys.readouterr().out
    assert "ours scores" in out
    assert Path("report.html").exists()


def test_each_code_was_raised_and_has_a_reason():
    """Last: what the tests of this file met."""
    known = {**schema.CONTRADICTIONS, **schema.SUSPICIONS}
    assert not {*known} - SEEN - {"unreadable"}
    assert not SEEN - {*known}
    assert all(why.endswith(".") for why in known.values())
