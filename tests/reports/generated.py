"""Files of results as people have them, honest ones and ones with a fault, made from a
random generator.

Names of systems are drawn as well, and those of columns among the names of the schema.
"""

import json
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from evalkit.reports._recognition import _places

SYSTEMS = (
    "vanilla",
    "BERT-base",
    "ours",
    "Ours + aug (large)",
    "<b>bold</b>",
    "résumé-Net",
    "a,b",
    "model_3",
    "X|Y",
    "7",
    "none of it",
    "日本",
    "${HOME}",
    "=1+1",
    "random forest",
    "svm'; --",
)
NAMES = {
    "system": ("model", "method", "System"),
    "seed": ("seed", "random_seed", "Seed", "params.seed"),
    "test": (
        "test_acc",
        "test/accuracy",
        "Test F1",
        "metrics.test_accuracy",
        "testAcc",
    ),
    "validation": (
        "val_acc",
        "val/accuracy",
        "Validation F1",
        "metrics.val_accuracy",
        "valAcc",
    ),
    "item": ("id", "item_id", "question_id", "Item", "doc_id"),
    "label": ("label", "gold", "target", "y_true"),
    "prediction": ("prediction", "pred", "y_pred", "predicted"),
    "dataset": ("dataset", "task", "Data set"),
}


@dataclass(frozen=True)
class Case:
    """Files by name, and how the report is asked of them.

    Attributes
    ----------
    kind : str
    files : dict of str to str
    options : dict
        For `evalkit.report`.
    given : tuple of str
        What is given to it: files, or "" for their folder.
    table : pandas.DataFrame or None
        The one table, where there is one.
    names : dict of str to str
        Its columns by role.
    systems : tuple of str
        The baseline first.
    """

    kind: str
    files: dict
    options: dict
    given: tuple
    table: object = None
    names: dict = field(default_factory=dict)
    systems: tuple = ()

    def with_table(self, table, **more):
        """Return the case with another table in its one file."""
        (name,) = self.given
        text = table.to_csv(index=False)
        options = more.pop("options", self.options)
        # Each row a system: the other columns are data sets.
        if "dataset" in options.get("columns", {}):
            options = {**options, "columns": {"dataset": [*table.columns[1:]]}}
        return replace(
            self, table=table, files={**self.files, name: text}, options=options, **more
        )

    def write(self, folder):
        """Write the files, and return what is to be given to the report."""
        for name, text in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return [str(folder / name) if name else str(folder) for name in self.given]


def draw_names(rng):
    """Return a column for each role, of one style where a metric has two parts."""
    style = int(rng.integers(len(NAMES["test"])))
    drawn = {role: str(rng.choice(names)) for role, names in NAMES.items()}
    return {
        **drawn,
        "test": NAMES["test"][style],
        "validation": NAMES["validation"][style],
    }


def draw_systems(rng, n=None):
    """Return a few names of systems, the baseline first."""
    n = int(rng.integers(2, 5)) if n is None else n
    return tuple(str(name) for name in rng.choice(SYSTEMS, n, replace=False))


def _case(kind, table, names, systems, rng, **options):
    name = str(rng.choice(["results.csv", "export 2.csv", "runs.csv"]))
    options = {"baseline": systems[0], **options}
    return Case(
        kind, {name: table.to_csv(index=False)}, options, (name,), table, names, systems
    )


def _shuffled(table, rng):
    columns = list(rng.permutation(table.columns))
    return table.sample(frac=1, random_state=int(rng.integers(2**31)))[
        columns
    ].reset_index(drop=True)


def runs(rng):
    """Several seeds of each system, one setting each."""
    names, systems = draw_names(rng), draw_systems(rng)
    rows = [
        {
            names["system"]: system,
            names["seed"]: seed,
            names["validation"]: 0.8 + 0.02 * k + rng.normal(0, 0.01),
            names["test"]: 0.8 + 0.02 * k + rng.normal(0, 0.01),
            "gpu": str(rng.choice(["A100", "H100"])),
            "learning_rate": [0.001, 0.01, 0.003, 0.1][k],
        }
        for k, system in enumerate(systems)
        for seed in range(int(rng.integers(5, 12)))
    ]
    return _case("seeds", _shuffled(pd.DataFrame(rows), rng), names, systems, rng)


def runs_without_seed(rng):
    """The same without a column of seeds."""
    case = runs(rng)
    table = case.table.drop(columns=case.names["seed"])
    return case.with_table(table, options={**case.options, "unit": "seed"})


def search(rng):
    """A random search of each system: settings, validation and test scores."""
    names, systems = draw_names(rng), draw_systems(rng, 2)
    rows = []
    for k, system in enumerate(systems):
        for trial in range(int(rng.integers(50, 80))):
            rate, size = 10 ** rng.uniform(-4, -1), int(rng.choice([64, 128, 256, 512]))
            quality = (
                0.7 + 0.03 * k - 0.04 * abs(np.log10(rate) + 2.5) + rng.normal(0, 0.01)
            )
            row = {names["system"]: system, "trial_number": trial}
            row |= {"params_lr": rate, "setting_hidden": size}
            scores = quality + rng.normal(0, 0.005, 2)
            rows.append(
                row | {names["validation"]: scores[0], names["test"]: scores[1]}
            )
    return _case("search", pd.DataFrame(rows), names, systems, rng)


def _answers(rng, systems, n):
    labels = rng.choice(["cat", "dog", "bird"], n)
    hard = rng.uniform(0, 1, n)
    said = {}
    for k, system in enumerate(systems):
        right = rng.uniform(0, 1, n) < 0.95 - 0.4 * hard + 0.03 * k
        said[system] = np.where(
            right, labels, rng.choice(["cat", "dog", "bird", "fish"], n)
        )
    ids = [f"q{i:04d}" for i in rng.permutation(9999)[:n]]
    return ids, labels, said


def predictions(rng):
    """Predictions of each system in one long table."""
    names, systems = draw_names(rng), draw_systems(rng)
    ids, labels, said = _answers(rng, systems, int(rng.integers(80, 200)))
    rows = [
        {
            names["system"]: system,
            names["item"]: i,
            names["label"]: label,
            names["prediction"]: word,
        }
        for system in systems
        for i, label, word in zip(ids, labels, said[system], strict=True)
    ]
    return _case("items", _shuffled(pd.DataFrame(rows), rng), names, systems, rng)


def side_by_side(rng):
    """Predictions of each system as a column of one table."""
    names, systems = draw_names(rng), draw_systems(rng)
    ids, labels, said = _answers(rng, systems, int(rng.integers(80, 200)))
    table = pd.DataFrame({names["item"]: ids, names["label"]: labels, **said})
    return _case(
        "items",
        _shuffled(table, rng),
        names,
        systems,
        rng,
        columns={"system": [*systems]},
    )


def files_by_id(rng):
    """A file of predictions for each system, and one with the right answers."""
    names, systems = (
        draw_names(rng),
        ("base", "ours", "theirs")[: int(rng.integers(2, 4))],
    )
    ids, labels, said = _answers(rng, systems, int(rng.integers(80, 200)))
    files = {
        "gold.csv": (
            pd.DataFrame({names["item"]: ids, names["label"]: labels}).to_csv(
                index=False
            )
        )
    }
    for system in systems:
        table = pd.DataFrame({names["item"]: ids, names["prediction"]: said[system]})
        files[f"{system}.csv"] = _shuffled(table, rng).to_csv(index=False)
    return Case(
        "items", files, {"baseline": "base"}, tuple(files), None, names, systems
    )


def datasets(rng):
    """Systems on data sets, the systems as columns or as rows."""
    systems = draw_systems(rng)
    sets = [f"set {letter}" for letter in "ABCDEFGHIJKL"][: int(rng.integers(7, 12))]
    level = rng.uniform(60, 90, (len(sets), 1))
    scores = np.round(
        level
        + 1.5 * np.arange(len(systems))
        + rng.normal(0, 1, (len(sets), len(systems))),
        1,
    )
    wide = pd.DataFrame(
        scores,
        index=pd.Index(sets, name=str(rng.choice(NAMES["dataset"]))),
        columns=systems,
    )
    if rng.random() < 0.5:
        wide = wide.T.rename_axis(str(rng.choice(NAMES["system"])))
    names = {"wide": "rows" if wide.columns[0] in sets else "columns"}
    said = {"unit": "dataset", "direction": "higher"}
    said["columns"] = (
        {"system": [*systems]} if names["wide"] == "columns" else {"dataset": sets}
    )
    return _case("datasets", wide.reset_index(), names, systems, rng, **said)


def turned(case):
    """Return systems on data sets with rows and columns changed."""
    table = case.table.set_index(case.table.columns[0]).T
    is_beside = case.names["wide"] == "rows"
    table = table.rename_axis("dataset" if is_beside else "model").reset_index()
    columns = {"system": [*case.systems]} if is_beside else {"dataset": []}
    said = {**case.options, "columns": columns}
    return replace(
        case.with_table(table, options=said),
        names={"wide": "columns" if is_beside else "rows"},
    )


def folds(rng):
    """cv_results_ of one setting for each system, in a file each."""
    systems, n_folds = ("base", "ours"), int(rng.integers(5, 11))
    of_fold = rng.normal(0.8, 0.02, n_folds)
    files = {}
    for k, system in enumerate(systems):
        scores = of_fold + 0.01 * k + rng.normal(0, 0.005, n_folds)
        row = {"mean_fit_time": 0.1, "param_C": 1.0, "params": "{'C': 1.0}"}
        row |= {f"split{i}_test_score": score for i, score in enumerate(scores)}
        files[f"{system}.csv"] = pd.DataFrame(
            [row | {"mean_test_score": scores.mean(), "rank_test_score": 1}]
        ).to_csv()
    options = {"baseline": "base", "n_train": 900, "n_test": 100}
    return Case("folds", files, options, tuple(files), None, {}, systems)


def lm_eval(rng):
    """Samples of lm-evaluation-harness, a folder for each model."""
    systems, n = ("base", "ours"), int(rng.integers(60, 150))
    files = {}
    for k, system in enumerate(systems):
        lines = []
        for i in range(n):
            sample = {
                "doc_id": i,
                "doc": {"question": f"What is {i} + {i}?"},
                "target": str(2 * i),
                "arguments": {},
                "resps": [["x"]],
                "filtered_resps": ["x"],
                "filter": "none",
                "metrics": ["exact_match"],
                "doc_hash": f"d{i}",
                "prompt_hash": f"p{i}",
                "target_hash": f"t{i}",
                "exact_match": float(rng.random() < 0.6 + 0.1 * k),
            }
            lines.append(json.dumps(sample))
        files[f"{system}/samples_sums_2026-11-23T09-42-23.538539.jsonl"] = (
            "\n".join(lines) + "\n"
        )
    return Case(
        "items", files, {"baseline": "base"}, ("",), None, {"file": "filter"}, systems
    )


def inspect(rng):
    """Logs of inspect in JSON, a folder for each model, several epochs an item."""
    systems, n, epochs = (
        ("base", "ours"),
        int(rng.integers(40, 80)),
        int(rng.integers(1, 4)),
    )
    files = {}
    for k, system in enumerate(systems):
        samples = [
            {
                "id": f"q{i}",
                "epoch": epoch + 1,
                "input": f"What is {i} + {i}?",
                "target": str(2 * i),
                "scores": {
                    "match": {"value": "C" if rng.random() < 0.55 + 0.1 * k else "I"}
                },
                "metadata": {},
            }
            for epoch in range(epochs)
            for i in range(n)
        ]
        head = {
            "version": 2,
            "status": "success",
            "eval": {"run_id": "r", "task": "sums", "model": "mock/model"},
        }
        files[f"{system}/2026_sums_{system}.json"] = json.dumps(
            {**head, "samples": samples}
        )
    return Case("items", files, {"baseline": "base"}, ("",), None, {}, systems)


HONEST = (
    runs,
    runs_without_seed,
    search,
    predictions,
    side_by_side,
    files_by_id,
    datasets,
    folds,
    lm_eval,
    inspect,
)


def read_places(places):
    """Return what is read at some places, and the files of folders that no reader
    knows.
    """
    sources, ignored = _places.find(places)
    return [_places.read(source) for source in sources], ignored
