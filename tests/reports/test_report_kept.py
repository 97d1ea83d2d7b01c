"""Every word of pages and refusals, kept beside the tests: whoever changes one sees what it changes.

After a change that is meant `python tests/reports/test_report_kept.py` writes them anew: read the difference.
"""

import os
import re
import tempfile
from pathlib import Path

import faulty
import generated
import numpy as np
import pandas as pd
import pytest

import evalkit as ek
from evalkit.reports import RefusedError

KEPT = Path(__file__).parent / "kept"
HASH = re.compile(r"\b[0-9a-f]{16}\b")
N = 40  # items


def others(rng):
    """Tables of the kinds that are rarer, and of options, as (columns, options)."""
    names, two = np.repeat(["base", "ours"], N), [f"q{k:02}" for k in range(N)] * 2
    words = rng.choice(["good", "bad"], 3 * N, p=[0.7, 0.3])
    sizes, seeds = np.tile(np.repeat([10, 20, 40, 80], 10), 2), [*range(10)] * 8
    ours = np.repeat([0.0, 0.02], N)
    runs = {"system": names, "seed": [*range(N)] * 2, "accuracy": rng.normal(0.8, 0.02, 2 * N) + ours}
    items = {"system": names, "item": two, "points": rng.normal(50, 9, 2 * N) + 100 * ours}
    ways = {"metric": "points", "direction": "higher"}
    few = dict(zip(("system", "seed"), ([*names[:6], *names[-7:]], [*range(6), *range(7)]), strict=True))
    sets = {"system": np.tile(names[::5], 8), "dataset": np.repeat([*"abcdefgh"], 16)}
    sets |= {"seed": [*range(8)] * 16, "accuracy": rng.normal(0.8, 0.01, 128)}
    raters = {"system": np.tile(names, 3), "item": two * 3, "rater": np.repeat(["x", "y", "z"], 2 * N)}
    return {
        "agreement": (
            {"rater": np.repeat(["ann", "bob", "eve"], N), "item": two[:N] * 3, "label": words},
            {"baseline": "ann"},
        ),
        "sizes": ({**runs, "size": sizes, "seed": seeds}, {}),
        "raters": ({**raters, "points": rng.integers(1, 6, 6 * N)}, ways),
        "ratio": (
            {**items, "errors": rng.integers(0, 4, 2 * N), "words": np.tile(rng.integers(5, 20, N), 2)},
            {
                "metric": "errors",
                "direction": "lower",
                "columns": {"numerator": "errors", "denominator": "words", "note": "points"},
            },
        ),
        "groups": ({**items, "speaker": [f"s{k // 2}" for k in range(N)] * 2}, {**ways, "unit": "speaker"}),
        "a_margin": (items, {**ways, "margin": 5.0}),
        "unequal_numbers_of_runs": ({**few, "loss": rng.normal(2, 0.1, 13)}, {}),
        "cost": ({**runs, "cost": rng.integers(10, 99, 2 * N), "lr": 0.1}, {}),
        "one_setting": ({**runs, "lr": np.tile([0.1, 0.2], N)}, {"where": {"lr": "0.1"}, "margin": 0.02}),
        "runs_on_data_sets": (sets, {}),
        "repeats": (
            {"system": names, "item": [k // 4 for k in range(N)] * 2, "repeat": [*range(4)] * 20,
             "correct": rng.integers(0, 2, 2 * N)},
            {},
        ),
        "nobody_knows": ({"name": names, "id": two, "x": items["points"], "y": [*range(N)] * 2}, {}),
    }  # fmt: skip


def other(name):
    """A maker of a file of one of these kinds."""

    def make(rng):
        columns, options = others(rng)[name]
        text = pd.DataFrame(columns).to_csv(index=False, float_format="%.6g")
        return generated.Case(name, {"results.csv": text}, {"baseline": "base", **options}, ("results.csv",))

    return make


CASES = {make.__name__: make for make in (*generated.HONEST, *faulty.FAULTS)}
CASES |= {name: other(name) for name in others(np.random.default_rng(0))}


def told(name):
    """The page, or the refusal, of a file in the working directory; and the page if one goes on."""
    made = CASES[name](np.random.default_rng([0, *name.encode()]))
    planted = made if isinstance(made, faulty.Planted) else faulty.Planted(made, frozenset(), is_open=True)
    given = [os.path.relpath(path) for path in planted.case.write(Path.cwd())]

    def page(**more):
        try:
            found = ek.report(given, **{**planted.case.options, **more})
        except RefusedError as error:
            return f"{error}\n"
        # A last digit of what is drawn, and with it a file's hash, may be another on another processor.
        return HASH.sub("HASH", found.write("markdown")).replace(f"evalkit {ek.__version__}", "evalkit")

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
