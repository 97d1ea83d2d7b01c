"""Tables in shapes that a guess once read wrongly: what is asked of each; no option
leads to a wrong page.
"""

import shlex
import time
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pytest
from test_report_ways import offered

import evalkit as ek
from evalkit import cli
from evalkit.reports import RefusedError

RNG = np.random.default_rng(2026)
SETS = [f"d{k}" for k in range(9)]
LEVEL = np.sort(RNG.uniform(0.55, 0.85, 9))


def scores(shift=0.0, by=0.005):
    """Scores of a system on the data sets."""
    return (LEVEL + shift + RNG.normal(0, by, 9)).round(3)


def sets(**columns):
    return pd.DataFrame({"dataset": SETS, **columns})


def one_row(names, low=0.6, high=0.8, by=3):
    """One row a system, a column for each name."""
    values = RNG.uniform(low, high, (2, len(names))).round(by)
    return pd.DataFrame(values, columns=names).assign(model=["base", "ours"])[
        ["model", *names]
    ]


def with_row(table, name, *values):
    return pd.concat(
        [table, pd.DataFrame([[name, *values]], columns=table.columns)],
        ignore_index=True,
    )


def answers(n=30, **more):
    table = pd.DataFrame(
        {"model": ["base"] * n + ["ours"] * n, "item": [*range(n)] * 2}
    )
    return table.assign(correct=RNG.integers(0, 2, 2 * n), **more)


@dataclass(frozen=True)
class Shape:
    """A file, what the command says of it, and what is true of it."""

    table: object
    command: str
    says: str
    status: int = 2
    true: tuple = ()  # options that answer what its columns are
    right: float | None = None  # the difference on a page, if one may come out
    more: dict = field(default_factory=dict)  # other files by name


def mean_difference(table, a="ours", b="base"):
    return float((table[a] - table[b]).mean())


BASE, OURS = scores(), scores(0.03)
TWO = sets(base=BASE, ours=OURS)
GAP = mean_difference(TWO)
BESIDE = TWO.assign(third=scores(0.01))
SEEDED = sets(
    **{
        f"{name}_{k}": scores(0.03 * (name == "ours"))
        for name in ("base", "ours")
        for k in (1, 2, 3)
    }
)
UNNAMED = with_row(TWO, "Average", *TWO[["base", "ours"]].mean().round(3)).rename(
    columns={"dataset": ""}
)
RANKED = with_row(BESIDE, "Average rank", 2.9, 1.2, 1.9)
AVERAGED = with_row(
    BESIDE, "Average", *BESIDE[["base", "ours", "third"]].mean().round(3)
)
BOTH = with_row(AVERAGED, "Average rank", 2.9, 1.2, 1.9)
WORDS = pd.DataFrame({
    "model": ["base"] * 60 + ["ours"] * 60, "utterance": [f"utt{k:03}" for k in range(60)] * 2,
    "errors": RNG.integers(0, 5, 120), "words": RNG.integers(8, 30, 120),
}).assign(wer=lambda t: (t.errors / t.words).round(4))  # fmt: skip
PASSED = pd.DataFrame(
    [
        (s, f"HumanEval/{i}", k)
        for s in ("base", "ours")
        for i in range(60)
        for k in range(5)
    ],
    columns=["model", "task_id", "attempt"],
).assign(passed=RNG.integers(0, 2, 600))
ROBOTS = pd.DataFrame(
    [(s, e, k, t) for s in ("ppo", "ours") for e in ("Hopper", "Ant", "Walker", "Swimmer", "Hound", "Arm")
     for k in range(3) for t in (1000, 2000, 3000)],
    columns=["algo", "env", "seed", "timestep"],
).assign(**{"return": RNG.normal(90, 9, 108).round(2)})  # fmt: skip
LAST = ROBOTS[ROBOTS.timestep == 3000].groupby("algo")["return"].mean()
EMPTY_ITEM = answers().astype({"item": object})
EMPTY_ITEM.loc[[4, 34], "item"] = None
EMPTY_SEED = pd.DataFrame({
    "model": ["base"] * 6 + ["ours"] * 6, "seed": [0, 1, 2, 3, 4, None] * 2,
    "accuracy": RNG.normal(0.8, 0.01, 12).round(4),
})  # fmt: skip
KEPT = {
    "items": float(EMPTY_ITEM.dropna().groupby("model").correct.mean().diff().iloc[-1]),
    "seeds": float(
        EMPTY_SEED.dropna().groupby("model").accuracy.mean().diff().iloc[-1]
    ),
}
LABELLED = answers(60, label=RNG.integers(0, 2, 120)).sort_values(
    ["item"], ignore_index=True
)
LABELLED["label"] = LABELLED["item"] % 2
LABELLED["prediction"] = np.where(
    RNG.random(120) < 0.7, LABELLED.label, 1 - LABELLED.label
)
LABELLED["correct"] = (LABELLED.label != LABELLED.prediction).astype(int)
WRONG = LABELLED.groupby("model").correct.mean()
TIMES = pd.DataFrame(
    [(s, r, t) for s in ("base", "ours") for t in range(8) for r in range(3)],
    columns=["model", "run", "task"],
).assign(accuracy=RNG.normal(0.8, 0.01, 48).round(4))
RUNS = pd.DataFrame({
    "model": ["base"] * 10 + ["ours"] * 10, "seed": [*range(10)] * 2,
    "accuracy": RNG.normal(0.8, 0.002, 20).round(4),
})  # fmt: skip
CURVES = pd.DataFrame({"epoch": range(1, 10), "base": BASE, "ours": OURS})
HIGHER = "--baseline base --direction higher"
Q = [f"q{k}" for k in range(1, 31)]
D = [f"ds{k}" for k in range(1, 9)]
A = [f"acc_seed{k}" for k in range(5)]
ITEMS, ON_SETS, SEEDS = one_row(Q, 0, 1, 0), one_row(D), one_row(A)


def gap_of_rows(table):
    return float(table.drop(columns="model").mean(axis=1).diff().iloc[-1])


SIDE = "--map system=base,ours"
DEMSAR = "--map system=base,ours,third"
SHAPES = {
    # systems side by side
    "two": Shape(TWO, HIGHER, "--map system=base,COLUMN names the systems", 1),
    "two that are said": Shape(TWO, HIGHER + " --map system=base,ours", "ours scores", 0, right=GAP),
    "seeds in names": Shape(
        SEEDED, "--baseline base --direction higher --names '{system}_{seed}'", "ours scores", 0,
        right=float(np.diff([SEEDED.filter(like=name).to_numpy().mean() for name in ("base", "ours")])[0]),
    ),
    "metrics as systems": Shape(
        sets(accuracy=BASE, loss=1 - BASE), "--baseline accuracy --map system=accuracy,loss",
        "accuracy and loss are metrics by their names", 1,
    ),
    "curves": Shape(
        CURVES, f"{HIGHER} {SIDE} --unit item", "No column names the items", 1,
    ),
    "curves of runs": Shape(
        CURVES, f"{HIGHER} {SIDE}", "a row is a step, not a run", 1,
    ),
    "trailing comma": Shape(
        TWO.assign(**{"": ""}), f"{HIGHER} {SIDE}", "ours scores", 0, right=GAP,
    ),
    "classes": Shape(
        TWO.rename(columns={"dataset": "class"}), f"{HIGHER} {SIDE}",
        "What does class (d0, d1, d2, d3 and 5 more) name?",
        true=("--map item=class",), right=GAP,
    ),
    # rows that are none
    "wins": Shape(
        with_row(BESIDE, "Wins", 0, 7, 2), f"{HIGHER} {DEMSAR}", "Wins is a word among", 1, right=GAP,
    ),
    "mean rank": Shape(RANKED, f"{HIGHER} {DEMSAR}", "--where 'dataset!=Average rank' leaves", 1, right=GAP),
    "mean": Shape(AVERAGED, f"{HIGHER} {DEMSAR}", "Average is the mean of the others", 1, right=GAP),
    "means of both": Shape(BOTH, f"{HIGHER} {DEMSAR}", "Average is called so", 1, right=GAP),
    "p-value": Shape(
        with_row(BESIDE, "p-value", None, 0.007, 0.878), f"{HIGHER} {DEMSAR}", "p-value is a word", 1,
        right=GAP,
    ),
    "unnamed": Shape(
        UNNAMED, f"{HIGHER} {SIDE} --unit dataset", "--where 'unnamed 0!=Average' leaves it out", 1,
        right=GAP,
    ),
    # empty cells in what tells rows apart
    "empty items": Shape(EMPTY_ITEM, "--baseline base", "2 rows of 60 have no item", 1, right=KEPT["items"]),
    "empty seeds": Shape(EMPTY_SEED, "--baseline base", "2 rows of 12 have no seed", 1, right=KEPT["seeds"]),
    "opposite": Shape(
        LABELLED, "--baseline base", "In 100\xa0% of the rows correct says the opposite", 1,
        right=float(WRONG["ours"] - WRONG["base"]),
    ),
    # one row a system
    "columns of metrics": Shape(
        one_row(["accuracy", "f1", "precision", "auc"]), "--baseline base --metric accuracy --unit seed",
        "There is only one run of base and ours", 1,
    ),
    "columns of metrics as data sets": Shape(
        one_row(["accuracy", "f1", "precision"]), "--baseline base --metric accuracy --unit dataset",
        "No column names the data sets", 1,
    ),
    "columns of epochs": Shape(
        one_row([f"epoch{k}" for k in range(6)]), HIGHER + " --metric epoch1 --unit seed", "only one run", 1,
    ),
    "numbers as names": Shape(
        one_row([str(k) for k in range(5)]), HIGHER + " --metric 0 --unit seed", "only one run", 1,
    ),
    "seeds in columns": Shape(SEEDS, HIGHER, "What do the columns of numbers name: acc_seed0, acc_seed1", 1),
    "eight data sets": Shape(
        ON_SETS, f"{HIGHER} --map dataset={','.join(D)}", "ours scores", 0, right=gap_of_rows(ON_SETS)
    ),
    "questions": Shape(
        ITEMS, f"--baseline base --map item={','.join(Q)}", "ours scores", 0, right=gap_of_rows(ITEMS)
    ),
    "a confusion matrix": Shape(
        pd.DataFrame({"true": ["cat", "dog"], "cat": [80, 15], "dog": [20, 85]}),
        "--baseline cat --direction higher --as-proposed", "What do the columns of numbers name: cat, dog", 1,
    ),
    "a classification report": Shape(
        pd.DataFrame({"": ["cat", "dog", "macro avg"], "precision": [.8, .7, .75], "recall": [.7, .8, .75]}),
        "--baseline precision --map system=precision,recall --unit dataset --direction higher",
        "precision and recall are metrics by their names", 1,
    ),
    "means and deviations": Shape(
        pd.DataFrame({"model": ["base", "ours"], "acc_mean": [.905, .913], "acc_std": [.004, .005], "n": 5}),
        "--baseline base", "evalkit.from_summary((MEAN, SPREAD, RUNS), (MEAN, SPREAD, RUNS)", 1,
    ),
    # what a row is
    "utterances": Shape(
        WORDS, "--baseline base --as-proposed", "--map item=utterance, if each is what every system answered",
        true=("--map item=utterance",), right=float(WORDS.groupby("model").wer.mean().diff().iloc[-1]),
    ),
    "attempts": Shape(
        PASSED, HIGHER + " --metric passed", "--map item=task_id, if each is what every system answered",
        true=("--map item=task_id",), right=float(PASSED.groupby("model").passed.mean().diff().iloc[-1]),
    ),
    "attempts at nothing": Shape(
        PASSED, HIGHER + " --metric passed --map note=task_id", "no column names the items",
    ),
    "environments and steps": Shape(
        ROBOTS, "--baseline ppo --direction higher --as-proposed", "What do these name: env (Hopper",
        true=("--map dataset=env", "--map step=timestep"), right=float(LAST["ours"] - LAST["ppo"]),
    ),
    "runs by a name": Shape(
        TIMES, "--baseline base", "ours scores", 0,
        right=float(TIMES.groupby("model").accuracy.mean().diff().iloc[-1]),
    ),
    "a margin beyond the scale": Shape(RUNS, "--baseline base --margin 10", "and the margin is 10", 1),
    "lost zeros": Shape(
        None, "--baseline base", "leading zeros are all that keeps more of them apart", 1,
        more={
            "base.csv": "id,correct\n" + "".join(f"{k:04},{k % 2}\n" for k in range(40)),
            "ours.csv": "id,correct\n" + "".join(f"{k},{k % 3 % 2}\n" for k in range(40)),
        },
    ),
    "two names of a score": Shape(
        None, "--baseline a --metric accuracy", "b has no accuracy; it has acc, which the others have not", 1,
        more={
            "a.csv": "seed,accuracy\n" + "".join(f"{k},0.8{k}\n" for k in range(5)),
            "b.csv": "seed,acc\n" + "".join(f"{k},0.7{k}\n" for k in range(5)),
        },
    ),
    # JSON
    "lists below names": Shape(
        None, "--baseline base", "nothing says what they number", 1,
        more={"f.json": '{"base": {"accuracy": [0.8, 0.7]}, "ours": {"accuracy": [0.9, 0.8]}}'},
    ),
    "names of rows": Shape(
        None, f"{HIGHER} {SIDE}", "What does index (sst2, mnli) name?",
        more={"f.json": '{"base": {"sst2": 0.9, "mnli": 0.8}, "ours": {"sst2": 0.91, "mnli": 0.82}}'},
    ),
}  # fmt: skip


def write(shape):
    files = dict(shape.more)
    if shape.table is not None:
        files["f.csv"] = shape.table.to_csv(index=False)
    for name, text in files.items():
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
    return list(files)


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape_is_asked_about_or_refused_with_the_true_reason(
    name, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    shape = SHAPES[name]
    status = cli.main(["report", *write(shape), *shlex.split(shape.command)])
    out = "".join(capsys.readouterr())
    assert shape.says in out
    assert status == shape.status
    assert (tmp_path / "report.html").exists() == (status == 0)


def options_of(command):
    """The options of a command as Python takes them."""
    words, out = shlex.split(command), {}
    while words:
        name = words.pop(0).removeprefix("--").replace("-", "_")
        if name == "as_proposed":
            out[name] = True
            continue
        value = words.pop(0)
        if name == "map":
            role, _, column = value.partition("=")
            out.setdefault("columns", {})[role] = column
        else:
            out[name] = float(value) if name == "margin" else value
    return out


@pytest.mark.parametrize("name", SHAPES)
def test_no_option_that_is_offered_leads_to_a_wrong_page(name, tmp_path, monkeypatch):
    """What the columns are is answered truly; of every other question each answer is
    tried.
    """
    monkeypatch.chdir(tmp_path)
    shape = SHAPES[name]
    places, todo, n_pages = write(shape), [options_of(shape.command)], 0
    for options in todo:
        try:
            found = ek.report(places, **options)
        except RefusedError as refused:
            todo += [
                new for new in answered(refused, options, shape) if new not in todo
            ]
            assert len(todo) < 100
            continue
        n_pages += 1
        of = {one.system: one.difference for one in found.findings.contrasts}
        assert of.get("ours", next(iter(of.values()))) == pytest.approx(
            shape.right, abs=1e-9
        ), options
    assert (n_pages > 0) == (shape.right is not None)


def answered(refused, options, shape):
    """Return the options with each answer to each question; what the columns are is
    answered truly.
    """
    for fault in refused.faults:
        for way, more in offered(fault):
            said = {
                f"--map {role}={','.join(names)}"
                for role, names in more.get("columns", {}).items()
            }
            if way == "--accept" or (fault.code == "unit" and not said & {*shape.true}):
                continue
            merged = {
                key: {**options.get(key, {}), **more[key]}
                for key in ("columns", "where")
                if key in more
            }
            yield {**options, **more, **merged}


@pytest.mark.parametrize(("low", "high", "digits"), [(0, 1, 0), (0.6, 0.8, 3)])
def test_the_time_of_recognition_grows_as_the_table_does(low, high, digits, tmp_path):
    """Four times the columns take about four times as long: the square of it would be
    sixteen.
    """
    spent = {}
    for n in (20, 125, 500):  # the first alone imports what is needed
        one_row([f"q{k}" for k in range(n)], low, high, digits).to_csv(
            tmp_path / f"{n}.csv", index=False
        )
        began = time.process_time()
        with pytest.raises(RefusedError, match="Each system has one row"):
            ek.report(tmp_path / f"{n}.csv", baseline="base", direction="higher")
        spent[n] = time.process_time() - began
    assert spent[500] < 8 * spent[125]


def test_frames_as_pandas_makes_them_are_read():
    wide = RUNS.pivot_table(
        index=["model", "seed"], values="accuracy", aggfunc=["mean"]
    ).reset_index()
    assert wide.columns.nlevels == 2
    expected = ek.report(RUNS, baseline="base").findings.contrasts[0].difference
    found = ek.report(wide, baseline="base", metric="mean.accuracy", direction="higher")
    assert found.findings.contrasts[0].difference == pytest.approx(expected)
    named = one_row(D).set_index("model").rename_axis(None)
    found = ek.report(
        named,
        baseline="base",
        columns={"dataset": ",".join(D)},
        direction="higher",
        as_proposed=True,
    )
    assert found.evidence.systems == ("ours",)
    for results in (
        {"base": {"sst2": 0.9}},
        [{"model": "base"}],
    ):
        with pytest.raises(TypeError, match=r"pandas.DataFrame\(results\)"):
            ek.report(results, baseline="base")


def test_structs_and_lists_of_parquet_are_refused(tmp_path):
    pytest.importorskip("pyarrow")
    place = tmp_path / "f.parquet"
    for cell in ({"lr": 0.1, "wd": 0.0}, ["a"]):
        RUNS.assign(config=[cell] * 20).to_parquet(place)
        with pytest.raises(
            RefusedError, match="1 column holds lists or objects: config"
        ):
            ek.report(place, baseline="base")


def test_last_is_understood_by_the_role():
    table = pd.concat(
        [RUNS.assign(Step=k, accuracy=RUNS.accuracy + k / 100) for k in (1, 2, 3)]
    )
    expected = (
        ek.report(table, baseline="base", where={"Step": "last"})
        .findings.contrasts[0]
        .difference
    )
    found = ek.report(table, baseline="base", where={"step": "last"})
    assert found.findings.contrasts[0].difference == pytest.approx(expected)


def test_of_predictions_the_accuracy_is_computed_and_nothing_else():
    table = LABELLED.drop(columns="correct")
    found = ek.report(table, baseline="base", metric="accuracy")
    assert found.findings.contrasts[0].difference == pytest.approx(
        WRONG["base"] - WRONG["ours"]
    )
    with pytest.raises(
        RefusedError, match="of predictions a report computes the accuracy"
    ):
        ek.report(table, baseline="base", metric="macro_f1")


def test_the_folds_that_a_halving_search_chose_by_are_named():
    rows = [
        {"iter": k, "n_resources": 100 * (k + 1), "param_C": c, "param_kernel": kernel}
        | {"mean_test_score": 0.8}
        | {f"split{i}_test_score": 0.8 + i / 100 + c / 1000 for i in range(5)}
        for kernel in ("rbf", "linear") for k, values in enumerate(((1, 2, 3), (3,))) for c in values
    ]  # fmt: skip
    said = {"columns": {"system": "param_kernel"}, "n_train": 160, "n_test": 40}
    results = {name: [row[name] for row in rows] for name in rows[0]} | {
        "params": [{}] * len(rows)
    }
    with pytest.raises(RefusedError, match="halving tried 6 settings on parts of them"):
        ek.report(results, baseline="rbf", **said)
