"""A report on one long table: honest tables get the right page, faults their refusal,
and what a refusal prints leads to a page.
"""

import functools
import json
import shlex
from pathlib import Path

import faulty
import numpy as np
import pandas as pd
import pytest
from faulty import refused
from grids import grid

import evalkit as ek
from evalkit import cli
from evalkit.reports import (
    RefusedError,
    _refused,
    schema,
)
from evalkit.reports._refused import Say

HERE = Path(__file__).parent
KEPT = json.loads((HERE / "honest/expected.json").read_text(encoding="utf-8"))


def asked(table, **options):
    """Return the report, or the refusal; suspicions are confirmed."""
    confirmed = ()
    while True:
        try:
            return ek.report(table, confirm=confirmed, **options)
        except RefusedError as error:
            codes = tuple(fault.code for fault in error.faults)
            if not {*codes} <= {*schema.SUSPICIONS} or {*codes} <= {*confirmed}:
                return error
            confirmed += codes


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


@grid("kind", ["frame", "csv"])
def test_honest_tables_get_the_numbers_of_the_report_before(kind):
    """What the third edition's report computed of the same scores; of right and wrong
    by Tango's score since the fourth.
    """
    wrong = []
    for case in KEPT:
        name, path = case["name"], HERE / f"honest/{case['name']}.csv"
        source = path if kind == "csv" else pd.read_csv(path)
        found = asked(source, **case["arguments"])
        if isinstance(found, RefusedError):
            wrong.append((name, str(found)))
            continue
        of = {one.system: one for one in found.findings.contrasts}
        for wanted in case["expected"]:
            one = of[wanted["system"]]
            wrong += [(name, one)] * (one.verdict != wanted["verdict"])
            for key in ("difference", "low", "high", "pvalue"):
                value = (
                    np.nan if wanted[key] is None else wanted[key]
                )  # JSON has no NaN
                good = getattr(one, key) == pytest.approx(value, 1e-9, nan_ok=True)
                wrong += [(name, key, value, getattr(one, key))] * (not good)
    assert not wrong
    assert {case["kind"] for case in KEPT} == {*schema.KINDS.values()}


def test_the_order_of_rows_and_columns_says_nothing():
    different = []
    for name, (plant, more) in faulty.HONEST.items():
        table, options = plant(np.random.default_rng(3)), {"baseline": "base", **more}
        mixed = table.sample(frac=1, random_state=0)[sorted(table)]
        pages = {
            str(asked(one.sort_values("system", kind="stable"), **options))
            for one in (table, mixed)
        }
        different += [name] * (len(pages) > 1)
    assert not different


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


def test_planted_faults_are_refused_with_a_true_reason(tmp_path):
    missed = []
    for name, fault in faulty.FAULTS.items():
        for seed in range(3):
            source = fault.plant(np.random.default_rng(seed))
            if isinstance(source, str):
                (tmp_path / fault.file).write_text(source, encoding="utf-8")
                source = tmp_path / fault.file
            found = outcome(source, {"baseline": "base", **fault.more}) or ["open"]
            if not {*found} & {*fault.codes.split()}:
                missed.append((name, seed, found, fault.codes))
    assert not missed


@functools.cache
def met():
    """Return every refusal of these tests as (name, table, options, error)."""
    cases = {}
    for name, fault in faulty.FAULTS.items():
        source = fault.plant(np.random.default_rng(0))
        if isinstance(source, pd.DataFrame):
            cases[name] = source, {"baseline": "base", **fault.more}
    for name, (_, plant, more) in ALSO.items():
        cases[name] = plant(), {"baseline": "base", **more}
    for name, table in HONEST_SUSPECTS.items():
        cases[name] = table, {"baseline": table["system"].iloc[0]}
    found = [(name, *case, met_by(*case)) for name, case in cases.items()]
    return [one for one in found if one[-1]]


def met_by(table, options):
    """Return the refusal of a table, or None."""
    try:
        ek.report(table, **options)
    except RefusedError as error:
        return error
    return None


def outcome(table, options):
    """Return the codes of a refusal, or none."""
    error = met_by(table, options)
    return [fault.code for fault in error.faults] if error else []


def test_each_code_is_met_and_has_a_reason():
    codes = {fault.code for *_, error in met() for fault in error.faults}
    known = {**schema.CONTRADICTIONS, **schema.SUSPICIONS}
    assert codes == {*known} - {"unreadable"}  # of files
    assert all(why.endswith(".") for why in known.values())
    with pytest.raises(KeyError):
        _refused.fault("nothing", "a code that the schema does not know")


# --------------------------------------------------------------------------------------
# What refusals print
# --------------------------------------------------------------------------------------


def executed(line, table):
    scope = {"pd": pd, "table": table.copy()}
    exec(line, scope)
    return scope["table"]


def all_of(names):
    return [names] if isinstance(names, str) else [*names]


def beside(options, said, table):
    """Return options with another beside them, less what a table no longer has."""
    roles, ignore = said.get("columns", {}), all_of(said.get("ignore", ()))
    has = {*table, "rest"} - {*roles.values(), *ignore}
    columns = options.get("columns", {}).items()
    columns = {r: c for r, c in columns if {*all_of(c)} <= has} | roles
    if "rest" not in ignore:
        ignore += [c for c in all_of(options.get("ignore", ())) if c in has]
    return {**options, **said, "columns": columns, "ignore": ignore}


def onward(table, options, depth=3):
    """Return the page to which one leads of the ways that are asked for, or the
    refusal.
    """
    options = beside(options, {}, table)
    found = asked(table, **options)
    for fault in found.faults if depth and isinstance(found, RefusedError) else ():
        for way in fault.lines:
            after = onward(executed(way, table), options, depth - 1)
            if not isinstance(after, RefusedError):
                return after
        for way in says_of(fault):
            after = onward(table, beside(options, way.said, table), depth - 1)
            if not isinstance(after, RefusedError):
                return after
    return found


def says_of(fault):
    """Return the options that a refusal names, but for those with a placeholder."""
    says = [way for way in fault.ways if isinstance(way, Say)]
    return [
        s
        for s in says
        if not {"ROLE", "COLUMN"}
        & {*map(str, s.said.get("columns", {}).values()), *s.said.get("columns", {})}
    ]


# Each line leads to a page, but for what it is not true of.
NO_PAGE = {
    ("words_among_scores", "words"),  # "see notes" does not mean right
    ("two_columns_of_one_name", "columns"),  # they are not the same
    ("names", "names"),  # BERT and BERT+ are two
    ("answers_twice", "duplicates"),  # they are no other answers
}


def odd(table, options, mark='\'s "x"'):
    """Return a table whose columns have other names than the roles and the metric, with
    a mark in them, and its options.
    """
    options = beside(options, {}, table)
    named = {c: c + mark for c in table if c in {*schema.ROLES, "accuracy"}}
    new = lambda names: [named.get(c, c) for c in all_of(names)]  # noqa: E731
    columns = {
        r: new(c) if r == "setting" else new(c)[0]
        for r, c in options["columns"].items()
    }
    columns |= {
        c: n
        for c, n in named.items()
        if c in schema.ROLES and n not in columns.values()
    }
    more = {"columns": columns, "ignore": new(options["ignore"])}
    if "accuracy" in named and "metric" not in options:
        more |= {"metric": named["accuracy"], "direction": "higher"}
    return table.rename(columns=named), {**options, **more}


@grid("names", ["of roles", "others"])
def test_every_line_that_a_refusal_prints_leads_to_a_page(names):
    """Each by itself, after what is asked next was answered."""
    failed, run = [], set()
    for name, table, options, error in met():
        faults = error.faults
        if names == "others":
            table, options = odd(table, options)
            found = met_by(table, options)
            faults = found.faults if found else ()
        for fault, line in ((one, line) for one in faults for line in one.lines):
            run.add((fault.code, line.partition("#")[2]))
            try:
                found = onward(executed(line, table), options)
            except Exception as broken:
                found = broken
            if not isinstance(found, ek.reports.Report):
                failed.append((name, fault.code, line, repr(found)))
    assert {one[:2] for one in failed} <= NO_PAGE, failed
    assert len(run) > 25


# What a line takes out again, by the table into which it was planted.
UNDONE = {
    "row_twice": faulty.seeds,
    "mean_among_runs": lambda rng: faulty.seeds(rng).drop(columns="lr"),
    "mean_and_spread_among_runs": lambda rng: faulty.seeds(rng).drop(columns="lr"),
    "per_cent_in_one_system": faulty.seeds,
    "decimal_commas": lambda rng: faulty.seeds(rng).round(4),
    "answers_twice": faulty.answers,
    "another_case": faulty.answers,
    "spaces_around_answers": faulty.answers,
    "answers_as_decimals": faulty.numbered,
    "mean_among_items": faulty.items,
    "data_set_twice": faulty.datasets,
    "two_spellings_share_the_seeds": lambda rng: faulty.seeds(rng).replace(
        "ours", "Ours"
    ),
    "trained_on_the_test": lambda rng: faulty.answers(rng).query("item >= 'q006'"),
    "a loss that chose": lambda _: TRIALS.rename(columns={"validation": "val_loss"}),
    "infinite_score": lambda rng: faulty._put(
        faulty.seeds(rng), "accuracy", np.nan, 1
    ).pipe(lambda table: table.fillna(table["accuracy"].min())),
    "true_mean_among_data_sets": faulty.datasets,
    "wrong_mean_among_data_sets": faulty.datasets,
}


def test_lines_that_undo_a_fault_lead_to_the_numbers_of_the_table_without_it():
    wrong = []
    for name, table, options, _ in met():
        if name in UNDONE:
            whole = UNDONE[name](np.random.default_rng(0))
            while error := met_by(table, options):
                table = executed(error.faults[0].lines[0], table)
            found, right = (ek.report(t, **options).table for t in (table, whole))
            right = right.set_index("system").loc[found["system"]]
            wrong += [
                (name, column)
                for column in ("difference", "low", "high", "pvalue")
                if not np.allclose(found[column], right[column], 1e-9, equal_nan=True)
            ]
    assert not wrong


def test_an_ignored_column_that_tells_rows_apart_is_named():
    steps = pd.concat([runs().assign(epoch=k, note="x") for k in range(3)])
    found = refused(steps, ignore="rest")
    assert found.code == "duplicates"
    assert "epoch, ignored, tells them apart" in str(found)
    assert "note" not in str(found)


def test_what_every_system_lacks_is_counted_in_the_reason():
    table = faulty.items(np.random.default_rng(1))
    gone = table[~((table["system"] == "ours") & table["item"].isin(table["item"][:4]))]
    found = refused(gone)
    assert found.code == "unmatched"
    assert "ours 4" in str(found)
    for line, n in zip(found.faults[0].lines, (-4, 0), strict=True):
        page = ek.report(executed(line, gone), baseline="base")
        assert page.evidence.used["item"].nunique() == table["item"].nunique() + n


def test_all_columns_are_asked_about_at_once_with_values_and_examples():
    table = runs().assign(lr=[0.1, 0.2] * 5, step=range(10), note="the same")
    found = refused(table)
    assert "lr: 2 values, such as 0.1 and 0.2" in str(found)
    assert "step: 10 values" in str(found)
    assert "note" not in str(found)
    page = ek.report(table, baseline="base", ignore="rest")
    assert page.evidence.options.ignore == ("lr", "step")
    assert ("ignored", "lr and step") in page.understood
    assert refused(table, ignore=["lr"]).code == "columns"


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
    "mean-row": faulty.items(np.random.default_rng(2)).replace(
        {"item": {"q000": "all"}}
    ),
    "missing-runs": runs(20).query("system == 'ours' or seed < 5"),
    "copies": pd.concat(
        [runs(), runs().query("system == 'ours'").replace("ours", "too")]
    ),
}


@grid("code", HONEST_SUSPECTS)
def test_an_honest_table_of_each_suspicion_gets_a_page_that_says_so_first(code):
    table = HONEST_SUSPECTS[code]
    baseline = table["system"].iloc[0]
    found = refused(table, baseline=baseline)
    assert [fault.code for fault in found.faults] == [code]
    assert f"confirm={code!r}" in str(found)
    page = ek.report(table, baseline=baseline, confirm=code)
    assert str(page).startswith("Read this first: ")
    text = page.write("markdown")
    assert text.index("Read this first") < text.index("\n**")
    assert found.faults[0].what in page.paper[-1]


def test_five_items_are_enough_to_ask_the_test():
    """It may still say that they are too few; the gate lets them through."""
    five = ITEMS[ITEMS["item"].isin(ITEMS["item"].unique()[:5])]
    found = asked(five, baseline="base")
    assert "are the fewest" not in str(found)


def test_ordinary_scores_of_every_kind_are_seldom_asked_about():
    """Ratings, counts, right and wrong, per cents high and low, losses, few digits."""
    rng = np.random.default_rng(11)
    kinds = {
        "accuracy": lambda n: rng.normal(0.85, 0.01, n).round(3),
        "acc": lambda n: np.abs(rng.normal(3, 2, n)).round(2),
        "f1": lambda n: rng.normal(85, 1, n).round(1),
        "exact_match": lambda n: rng.binomial(100, 0.8, n) / 100,
        "loss": lambda n: rng.lognormal(0, 0.5, n),
        "perplexity": lambda n: rng.normal(20, 2, n),
        "reward": lambda n: rng.poisson(3, n).astype(float),
        "rating": lambda n: rng.integers(1, 6, n).astype(float),
        "correct": lambda n: rng.integers(0, 2, n).astype(float),
    }
    asked_about = []
    for metric, draw in kinds.items():
        for key, n in {"seed": 5, "dataset": 10, "item": 40}.items():
            if metric == "correct" and key != "item":
                continue
            for _ in range(8):
                of = [
                    pd.DataFrame({"system": name, key: range(n), metric: draw(n)})
                    for name in ("base", "ours")
                ]
                try:
                    ek.report(
                        pd.concat(of), baseline="base", metric=metric,
                        direction=schema.direction(metric) or "higher",
                    )  # fmt: skip
                except RefusedError as error:
                    asked_about.append((metric, key, error.code))
    assert len(asked_about) <= 4, asked_about  # of 200


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
    "a margin of splits": (
        "margin", lambda: faulty.folds(np.random.default_rng(0)), {"margin": 0.01, **faulty.FOLDS}),
    "items in two ways": (
        "spelling", lambda: ITEMS.assign(item=ITEMS["item"].where(ITEMS["system"] == "base", ITEMS["item"].str.upper())), {}),
    "one run of one": ("one-run", lambda: runs().query("system == 'base' or seed == 0"), {}),
    "a metric that is not there": ("metric", runs, {"metric": "f1"}),
    "a loss that chose": (
        "validation", lambda: TRIALS.assign(val_loss=1 - TRIALS["validation"]).drop(columns="validation"),
        {**faulty.SEARCH, "columns": {"setting": ["lr", "width"], "validation": "val_loss"}}),
    "a file read twice": (
        "copies", lambda: pd.concat([runs(), runs()[5:].assign(seed=range(5, 10))]), {}),
    "settings of many digits": (
        "search", lambda: runs().assign(lr=[0.1 / 3, 0.2 / 3] * 5), {"columns": {"setting": "lr"}}),
    "a mean among seeds of data sets": (
        "unit",
        lambda: faulty._with_means(
            faulty._each(faulty.datasets(np.random.default_rng(0)), "seed", [0, 1, 2], 0.1), "seed", "mean"
        ).assign(dataset=lambda t: t["dataset"].fillna("set A")), {}),
    "per cents in whole numbers": (
        "scale", lambda: runs().assign(accuracy=[1, 2, 1, 3, 2, 90, 95, 93, 99, 97]).rename(columns={"accuracy": "reward"}), {}),
    "systems that are numbers": (
        "scale", lambda: runs(systems=(1, 2)).assign(reward=[1, 2, 1, 3, 2, 90, 95, 93, 99, 97.5]).drop(columns="accuracy"),
        {"baseline": "1"}),
    "the baseline in another case": (
        "names", lambda: runs(systems=("Base", "ours")).replace({"system": {"Base": "base"}}).assign(
            system=lambda t: t["system"].where(t.index > 2, "Base")), {}),
    "decimal commas and a gap": (
        "words", lambda: runs().assign(accuracy=lambda t: [*t["accuracy"].map("{:.4f}".format).str.replace(".", ",")[:9], "n/a"]), {}),
    "seeds of trials": (
        "unit",
        lambda: pd.concat([
            TRIALS.assign(seed=k, validation=TRIALS["validation"] + k / 100, accuracy=TRIALS["accuracy"] + k / 90)
            for k in (0, 1, 2)]), faulty.SEARCH),
    "a mean by another name": (
        "mean-row", lambda: faulty._with_means(faulty.datasets(np.random.default_rng(0)), "dataset", "GLUE"), {}),
    "one seed by another name": (
        "unit", lambda: runs().assign(s=42).drop(columns="seed"), {"columns": {"seed": "s"}}),
    "a name with a dash": ("columns", lambda: runs().assign(**{"-x": range(10)}), {}),
    "a name that is empty": ("columns", lambda: runs().assign(**{"": 1}), {}),
    "some items more often": (
        "unmatched",
        lambda: pd.concat([ITEMS.assign(attempt=1), ITEMS.assign(attempt=2)[:-9]]), {}),
}  # fmt: skip


@grid("name", ALSO)
def test_what_is_refused_besides(name):
    code, make, more = ALSO[name]
    assert refused(make(), **more).code == code


def test_every_design_that_is_elsewhere_is_named_with_its_call():
    missing = []
    for role, way in schema.ELSEWHERE.items():
        text = str(refused(runs().assign(**{role: range(10)})))
        missing += [role for name in way.calls if f"ek.{name}" not in text]
        missing += [role] * (way.title not in text)
    assert not missing


# --------------------------------------------------------------------------------------
# From the shell
# --------------------------------------------------------------------------------------


def test_every_option_of_a_refusal_goes_on_in_python_and_from_the_shell(
    tmp_path, monkeypatch, capsys
):
    """It is taken for what it is, so that another thing is asked next, or nothing."""
    monkeypatch.chdir(tmp_path)
    failed, run = [], set()
    for name, table, options, _ in met():
        table, options = odd(table, options)
        table.to_csv(f"{name}.csv", index=False)
        error = met_by(f"{name}.csv", options)
        for fault in error.faults if error else ():
            for way in says_of(fault):
                more = beside(options, way.said, table)
                columns = more.pop("columns").items()
                words = shlex.split(Say(more).in_shell())
                words += [
                    w
                    for r, c in columns
                    for one in all_of(c)
                    for w in ("--map", f"{r}={one}")
                ]
                printed = shlex.split(way.in_shell())
                status = cli.main(["report", f"{name}.csv", *words, "-o", "page.md"])
                said = capsys.readouterr().err
                codes = outcome(f"{name}.csv", more | {"columns": dict(columns)})
                good = (status == 0) == (codes == []) and all(
                    f"({c})" in said for c in codes
                )
                goes_on = fault.what not in said
                if not (good and goes_on and {*printed} <= {*words}):
                    failed.append((name, words, printed, codes, said))
                run.add((fault.code, *way.said))
                Path("evalkit.toml").unlink(missing_ok=True)
    assert not failed
    assert len(run) > 15


def test_nothing_unseen_in_a_name_gets_into_a_refusal():
    """Names of columns, systems and keys: in what is printed in Python or a shell."""
    found, mark = [], "\x1b[31m\u202e\x9b\n\u2028"
    for name, table, options, _ in met():
        table, options = odd(table, options, mark)
        is_number = pd.api.types.is_numeric_dtype
        words = [c for c, dtype in table.dtypes.items() if not is_number(dtype)]
        table = table.assign(
            **{
                c: table[c].where(table[c] == "base", table[c].map("{}\x1b]\r".format))
                for c in words
            }
        )
        error = met_by(table, options)
        for text in (str(error), error.in_shell()) if error else ():
            found += [name] * (not all(map(str.isprintable, text.split("\n"))))
    assert not found


def test_equal_runs_have_no_spread():
    scores = [46 / 450] * 10
    assert np.std(scores, ddof=1) > 0  # a float's, of equal numbers
    table = pd.DataFrame(
        {"system": "dummy", "seed": range(10), "test_accuracy": scores}
    )
    ours = table.assign(system="ours", test_accuracy=np.linspace(0.9, 0.95, 10))
    both = pd.concat([table, ours])
    page = ek.report(both, baseline="dummy", confirm=["constant"]).write("markdown")
    assert "SD 0)" in page
