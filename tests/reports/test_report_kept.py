"""Every word of pages and refusals, kept beside the tests: whoever changes one sees
what it changes.

After a change that is meant `python tests/reports/test_report_kept.py` writes them
anew: read the difference.
"""

import json
import os
import re
import tempfile
from pathlib import Path

import faulty
import generated
import numpy as np
import pandas as pd
import pytest
from test_report_cases import ASKED, GOLD
from test_report_cases import CASES as SMALL

import evalkit as ek
from evalkit.reports import RefusedError, UnconfirmedError
from evalkit.reports._recognition import _proposal

KEPT = Path(__file__).parent / "kept"
HASH = re.compile(r"\b[0-9a-f]{16}\b")
N = 40  # items


def others(rng):
    """Tables of the kinds that are rarer, and of options, as (columns, options)."""
    names, two = np.repeat(["base", "ours"], N), [f"q{k:02}" for k in range(N)] * 2
    words = rng.choice(["good", "bad"], 3 * N, p=[0.7, 0.3])
    sizes, seeds = np.tile(np.repeat([10, 20, 40, 80], 10), 2), [*range(10)] * 8
    ours = np.repeat([0.0, 0.02], N)
    runs = {
        "system": names,
        "seed": [*range(N)] * 2,
        "accuracy": rng.normal(0.8, 0.02, 2 * N) + ours,
    }
    items = {
        "system": names,
        "item": two,
        "points": rng.normal(50, 9, 2 * N) + 100 * ours,
    }
    ways = {"metric": "points", "direction": "higher"}
    few = dict(
        zip(
            ("system", "seed"),
            ([*names[:6], *names[-7:]], [*range(6), *range(7)]),
            strict=True,
        )
    )
    sets = {"system": np.tile(names[::5], 8), "dataset": np.repeat([*"abcdefgh"], 16)}
    sets |= {"seed": [*range(8)] * 16, "accuracy": rng.normal(0.8, 0.01, 128)}
    whole = np.tile(rng.integers(20, 80, N), 2)
    lengths = np.r_[0, rng.integers(4, 20, N - 1)]
    rates = np.minimum(rng.integers(0, 4, (2, N)), lengths) / np.maximum(lengths, 1)
    guesses = {"system": names, "item": two, "label": whole}
    two_digits = rng.choice(np.arange(30, 90) / 100, 2 * N + 10)
    raters = {
        "system": np.tile(names, 3),
        "item": two * 3,
        "rater": np.repeat(["x", "y", "z"], 2 * N),
    }
    return {
        "agreement": (
            {
                "rater": np.repeat(["ann", "bob", "eve"], N),
                "item": two[:N] * 3,
                "label": words,
            },
            {"baseline": "ann"},
        ),
        "sizes": ({**runs, "size": sizes, "seed": seeds}, {}),
        "raters": ({**raters, "points": rng.integers(1, 6, 6 * N)}, ways),
        "ratio": (
            {
                **items,
                "errors": rng.integers(0, 4, 2 * N),
                "words": np.tile(rng.integers(5, 20, N), 2),
            },
            {
                "metric": "errors",
                "direction": "lower",
                "columns": {
                    "numerator": "errors",
                    "denominator": "words",
                    "note": "points",
                },
            },
        ),
        "groups": (
            {**items, "speaker": [f"s{k // 2}" for k in range(N)] * 2},
            {**ways, "unit": "speaker"},
        ),
        "a_margin": (items, {**ways, "margin": 5.0}),
        "unequal_numbers_of_runs": ({**few, "loss": rng.normal(2, 0.1, 13)}, {}),
        "cost": ({**runs, "cost": rng.integers(10, 99, 2 * N), "lr": 0.1}, {}),
        "one_setting": (
            {**runs, "lr": np.tile([0.1, 0.2], N)},
            {"where": {"lr": "0.1"}, "margin": 0.02},
        ),
        "runs_on_data_sets": (sets, {}),
        "repeats": (
            {
                "system": names,
                "item": [k // 4 for k in range(N)] * 2,
                "repeat": [*range(4)] * 20,
                "correct": rng.integers(0, 2, 2 * N),
            },
            {},
        ),
        "a_loss_that_falls_with_size": (
            {
                "system": names,
                "size": sizes,
                "loss": 3 - np.log10(sizes) * [*[1] * N, *[0] * N] + runs["accuracy"],
            },
            {},
        ),
        "sizes_with_one_run": (
            {
                "system": [*["ours"] * 13, *["base"] * 13, *["new"] * 4],
                "size": [
                    *[10] * 6,
                    *[20] * 6,
                    40,
                    10,
                    *[20] * 6,
                    *[40] * 6,
                    10,
                    10,
                    20,
                    20,
                ],
                "accuracy": two_digits[:30],
            },
            {},
        ),
        "two_runs": (
            {
                "system": ["base", "base", "ours", "ours", "ours"],
                "seed": [0, 1, 0, 1, 2],
                "loss": two_digits[:5],
            },
            {},
        ),
        "eight_settings": (
            {**runs, **{f"p{k}": rng.integers(0, 2, 2 * N) for k in range(8)}},
            {"unit": "seed", "columns": {"setting": [f"p{k}" for k in range(8)]}},
        ),
        "a_grid": (
            {
                "system": np.repeat(["base", "alt"], N),
                "lr": np.tile(np.repeat([1, 2, 3, 4], 10), 2),
                "act": [*range(10)] * 8,
                "val_accuracy": two_digits[: 2 * N],
                "test_accuracy": two_digits[-2 * N :],
            },
            {"unit": "trial"},
        ),
        "one_setting_is_no_grid": (
            {
                "system": names,
                "lr": [*range(N)] * 2,
                "act": "relu",
                "val_accuracy": two_digits[: 2 * N],
                "test_accuracy": two_digits[-2 * N :],
            },
            {"unit": "trial"},
        ),
        **{
            f"{n}_runs_on_three_data_sets": (
                {
                    "system": np.repeat(["base", "ours"], 3 * n),
                    "dataset": [*np.repeat([*"xyz"], n)] * 2,
                    "seed": [*range(n)] * 6,
                    "accuracy": two_digits[: 6 * n],
                },
                {},
            )
            for n in (2, 3)
        },
        "systems_without_a_score": (
            {
                "system": np.tile(["ours", "base", "alt"], 7),
                "dataset": np.repeat([*"tuvwxyz"], 3),
                "accuracy": [None, 0.5, None] * 7,
            },
            {},
        ),
        "worst_of_a_loss": (
            {
                "system": np.tile(["base", "ours"], 8),
                "dataset": np.repeat([*"stuvwxyz"], 2),
                "loss": [*two_digits[:5], None, *two_digits[6:16]],
            },
            {"missing": "worst"},
        ),
        "equal_settings_of_folds": (
            {
                "system": np.repeat(["base", "ours"], 10),
                "fold": [*range(5)] * 4,
                "lr": np.tile(np.repeat([0.2, 0.1], 5), 2),
                "accuracy": (
                    np.array(
                        [3, 1, 2, 5, 4, 1, 2, 3, 4, 5, 6, 7, 5, 8, 4, 8, 4, 6, 7, 5]
                    )
                    / 10
                ),
            },
            {
                "columns": {"setting": "lr"},
                "accept": "chosen",
                "n_train": 80,
                "n_test": 20,
            },
        ),
        "numbers_near_the_right_ones": (
            {**guesses, "prediction": whole + rng.integers(-2, 3, 2 * N)},
            {},
        ),
        "numbers_that_are_no_classes": (
            {
                **guesses,
                "label": whole + 0.5,
                "prediction": whole + rng.normal(0, 1, 2 * N),
            },
            {},
        ),
        "two_columns_of_systems": ({"method": names, **runs}, {}),
        "items_of_two_columns": (
            {
                "system": names[:-1],
                "doc": ([*np.repeat([*"abcd"], 10)] * 2)[:-1],
                "sentence": ([*range(10)] * 8)[:-1],
                "points": items["points"][:-1],
            },
            {**ways, "columns": {"item": ["doc", "sentence"]}},
        ),
        "no_baseline": (
            {
                "candidate": np.repeat(["alpha", "beta"], N),
                "year": [2025, 2026] * N,
                "accuracy": runs["accuracy"],
            },
            {},
        ),
        "right_or_wrong_and_a_length": (
            {
                "system": names,
                "item": two,
                "correct": rng.integers(0, 2, 2 * N),
                "length": np.tile(rng.integers(5, 90, N), 2),
            },
            {},
        ),
        "errors_beside_words": (
            {
                "system": names,
                "item": two,
                "errors": rng.integers(0, 4, 2 * N),
                "words": np.tile(rng.integers(5, 20, N), 2),
            },
            {},
        ),
        "settings_without_seeds": (
            {
                "system": names,
                "accuracy": runs["accuracy"],
                "dropout": rng.choice([0.1, 0.2, 0.3], 2 * N),
            },
            {"unit": "seed"},
        ),
        "frames_of_clips": (
            {**items, "clip": [f"c{k // 5}" for k in range(N)] * 2},
            ways,
        ),
        "few_that_share": (
            {**items, "clip": [f"c{min(k, 29)}" for k in range(N)] * 2},
            ways,
        ),
        "a_filtered_frame": (
            {
                "Unnamed: 0": rng.permutation(200)[: 2 * N],
                "nr": [*range(1, 2 * N + 1)],
                **runs,
            },
            {},
        ),
        "worse_and_perhaps_within_a_margin": (
            {**runs, "accuracy": runs["accuracy"] - 3 * ours},
            {"margin": 0.05},
        ),
        "an_interval_with_0_and_a_small_p": (
            {
                "system": np.tile(["base", "ours"], 9),
                "dataset": np.repeat([*"rstuvwxyz"], 2),
                "accuracy": (
                    np.array(
                        [[20 + 2 * k, 21 + 2 * k + k**6 // 5000] for k in range(9)]
                    ).ravel()
                    / 100
                ),
            },
            {"margin": 0.02},
        ),
        "two_speakers": ({**items, "speaker": [*["s1"] * 9, *["s2"] * 31] * 2}, ways),
        "a_rate_beside_lengths": (
            {
                "system": names,
                "item": two,
                "wer": rates.ravel(),
                "words": [*lengths] * 2,
            },
            {},
        ),
        "systems_called_by_numbers": (
            {**runs, "system": np.repeat([1, 2.5], N)},
            {"baseline": "1"},
        ),
        "means_and_spreads": (
            {"model": ["base", "ours"]}
            | {
                f"{metric}_{of}": two_digits[k : k + 2]
                for k, metric in enumerate(["acc", "f1", "mcc", "auc"])
                for of in ("mean", "std")
            },
            {},
        ),
        "two_columns_of_seeds": ({"random_seed": [*range(9, N + 9)] * 2, **runs}, {}),
        "one_metric_in_a_column": (
            {
                "system": names,
                "seed": runs["seed"],
                "metric": "accuracy",
                "value": runs["accuracy"],
            },
            {},
        ),
        "hits_beside_a_length": (
            {
                "system": names,
                "item": two,
                "hit": rng.integers(0, 2, 2 * N),
                "length": [*lengths + 2] * 2,
            },
            {},
        ),
        "missed_reactions": (
            {
                "system": names,
                "item": two,
                "ms": np.where(np.arange(2 * N) % 7, rng.uniform(400, 900, 2 * N), 0),
            },
            {"metric": "ms", "direction": "lower"},
        ),
        "a_row_beyond_one": (
            {
                "system": np.tile(["base", "ours"], 8),
                "dataset": np.repeat([*"stuvwxyz"], 2),
                "accuracy": [*two_digits[:14], 1.31, 1.32],
            },
            {},
        ),
        "raters_and_documents": (
            {
                **raters,
                "doc": [f"d{k // 4}" for k in range(N)] * 6,
                "points": rng.integers(1, 6, 6 * N),
            },
            {**ways, "unit": "doc"},
        ),
        "nobody_knows": (
            {"name": names, "id": two, "x": items["points"], "y": [*range(N)] * 2},
            {},
        ),
    }


def other(name):
    """A maker of a file of one of these kinds."""

    def make(rng):
        columns, options = others(rng)[name]
        text = pd.DataFrame(columns).to_csv(index=False, float_format="%.6g")
        return generated.Case(
            name,
            {"results.csv": text},
            {"baseline": "base", **options},
            ("results.csv",),
        )

    return make


def many_files(rng):
    """A file for each of more runs than a page lists files."""
    runs = [(name, seed) for name in ("base", "ours") for seed in range(7)]
    text = {
        f"{n}_{s}.csv": f"system,seed,accuracy\n{n},{s},{rng.choice(99) / 100}\n"
        for n, s in runs
    }
    return generated.Case("many_files", text, {"baseline": "base"}, (".",))


def answers_beside(rng, column="label", key="label", **options):
    """Predictions in a file for each system, and the right answers in a third."""
    right = rng.choice([*"xyz"], N)
    files = {
        f"{name}.csv": (
            f"id,{column}\n"
            + "".join(f"q{k},{rng.choice([a, 'x'])}\n" for k, a in enumerate(right))
        )
        for name in ("base", "ours")
    }
    files["gold.csv"] = f"id,{key}\n" + "".join(
        f"q{k},{a}\n" for k, a in enumerate(right)
    )
    return generated.Case("answers", files, {"baseline": "base", **options}, (*files,))


def a_file_of_answers(rng):
    return answers_beside(rng, "prediction")


def answers_called_as_predictions(rng):
    return answers_beside(
        rng, "class", "class", columns={"prediction": "class"}, gold="gold.csv"
    )


def files_without_the_baseline(rng):
    text = "model,seed,accuracy\n" + "".join(
        f"alpha,{k},0.{k}\nbeta,{k},0.{k + 1}\n" for k in range(4)
    )
    return generated.Case(
        "files",
        {"a.csv": text, "b.csv": text},
        {"baseline": "base"},
        ("a.csv", "b.csv"),
    )


def json_runs(rng):
    """A JSON file for each run, with two objects in it."""
    files = {
        f"{name}_{k}.json": json.dumps(
            {
                "run_id": f"{name}{k}",
                "config": {"lr": 0.1, "layers": 2},
                "test": {"accuracy": rng.choice(99) / 100},
            }
        )
        for name in ("base", "ours")
        for k in range(4)
    }
    return generated.Case(
        "json_runs", files, {"baseline": "base", "names": "{system}_{seed}"}, (".",)
    )


def answered(files, options):
    """A maker of one of the small inputs that were once read wrongly, with the answers
    to what is asked.
    """

    def make(_):
        places = {
            str(Path(name)): (SMALL / name).read_text(encoding="utf-8")
            for name in files.split()
        }
        gold = {"gold": str(GOLD.relative_to(SMALL))} if options.get("gold") else {}
        return generated.Case(files, places, {**options, **gold}, (*places,))

    return make


FILES = (
    json_runs,
    many_files,
    a_file_of_answers,
    answers_called_as_predictions,
    files_without_the_baseline,
)
CASES = {make.__name__: make for make in (*generated.HONEST, *faulty.FAULTS, *FILES)}
CASES |= {
    f"case_{k:02}": answered(files, options)
    for k, (files, options, *_) in enumerate(ASKED)
}
CASES |= {name: other(name) for name in others(np.random.default_rng(0))}


def told(name):
    """The page, or the refusal, of a file in the working directory; and the page if one
    goes on.
    """
    made = CASES[name](np.random.default_rng([0, *name.encode()]))
    planted = (
        made
        if isinstance(made, faulty.Planted)
        else faulty.Planted(made, frozenset(), is_open=True)
    )
    given = [os.path.relpath(path) for path in planted.case.write(Path.cwd())]

    def page(**more):
        try:
            found = ek.report(given, **{**planted.case.options, **more})
        except UnconfirmedError as error:
            return "\n".join([str(error), "", *_proposal.lines(error.table, ()), ""])
        except RefusedError as error:
            return f"{error}\n"
        # A last digit of what is drawn, and with it a file's hash, may be another on
        # another processor.
        return HASH.sub("HASH", found.write("markdown")).replace(
            f"evalkit {ek.__version__}", "evalkit"
        )

    return page() + (f"\n---\n\n{page(**planted.on)}" if planted.on else "")


@pytest.mark.parametrize("name", CASES)
def test_every_word_is_as_it_was(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert told(name) == (KEPT / f"{name}.md").read_text(encoding="utf-8")


def test_nothing_is_kept_that_no_file_makes():
    assert {path.stem for path in KEPT.iterdir()} == {*CASES}


if __name__ == "__main__":
    KEPT.mkdir(exist_ok=True)
    for name in CASES:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            text = told(name)
            os.chdir(KEPT)
        (KEPT / f"{name}.md").write_text(text, encoding="utf-8")
