"""What is compared must be shared: data sets, folds, tasks, texts, and as many answers
to each item.
"""

import json

import numpy as np
import pandas as pd
import pytest

import evalkit as ek
from evalkit.reports import RefusedError


def samples(path, *, level, n=60, repeats=3, joined=False):
    """Write samples in the form of lm-evaluation-harness, each item answered several
    times.
    """
    rng, lines = np.random.default_rng(round(100 * level)), []
    for item in range(n):
        for repeat in range(repeats):
            sample = {
                "doc_id": item,
                "filtered_resps": ["x"],
                "filter": "none",
                "repeat": repeat,
            }
            sample["exact_match"] = float(rng.random() < level)
            if joined:
                sample |= {"model": path.stem, "task": "sums"}
            else:
                sample |= {"doc": {"question": f"q{item}"}, "metrics": ["exact_match"]}
            lines.append(json.dumps(sample))
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("joined", [False, True])
@pytest.mark.parametrize("named", [False, True])
def test_files_of_samples_are_systems_by_their_names(named, joined, tmp_path):
    places = [
        samples(tmp_path / f"{name}.jsonl", level=level, joined=joined)
        for name, level in (("base", 0.5), ("tuned", 0.7))
    ]
    places = dict(zip(("base", "tuned"), places, strict=True)) if named else places
    found = ek.report(places, baseline="base")
    assert found.evidence.kind == "items"
    assert found.evidence.systems == ("tuned",)
    assert found.roles["repeat"] == ("repeat",)
    assert len(found.used) == 2 * 60


def test_tasks_are_offered_only_where_all_systems_have_them():
    rng = np.random.default_rng(0)
    own = {"base": ("a", "b", "c"), "ours": ("b", "c", "d")}
    rows = [
        {"model": name, "task": task, "item": k, "accuracy": rng.integers(2)}
        for name, tasks in own.items()
        for task in tasks
        for k in range(20)
    ]
    table = pd.DataFrame(rows)
    with pytest.raises(RefusedError) as refused:
        ek.report(table, baseline="base")
    (fault,) = refused.value.faults
    assert fault.code == "tasks"
    assert fault.ways[0].startswith("--where task=b ")
    apart = table[(table.model == "base") & (table.task == "a") | (table.task == "d")]
    for unit in (None, "task"):
        with pytest.raises(
            RefusedError,
            match="ours and base share no (task|data set): ours on d; base on a",
        ):
            ek.report(apart, baseline="base", unit=unit, missing="worst")


@pytest.mark.parametrize("missing", [None, "drop", "worst"])
def test_systems_without_a_common_data_set_are_refused(missing):
    rng = np.random.default_rng(1)
    rows = [
        {
            "model": name,
            "dataset": f"{name}-{k}" if name == "ours" else f"set-{k}",
            "accuracy": rng.uniform(),
        }
        for name in ("base", "ours", "theirs")
        for k in range(8)
    ]
    with pytest.raises(RefusedError, match="ours and base share no data set"):
        ek.report(pd.DataFrame(rows), baseline="base", missing=missing)


def test_systems_without_a_common_fold_are_refused():
    rng = np.random.default_rng(2)
    rows = [
        {"model": name, "fold": k + 10 * (name == "ours"), "accuracy": rng.uniform()}
        for name in ("base", "ours")
        for k in range(10)
    ]
    with pytest.raises(RefusedError, match="share no fold"):
        ek.report(
            pd.DataFrame(rows),
            baseline="base",
            n_train=900,
            n_test=100,
            unmatched="drop",
        )


def of_texts(heading, *, changed=0):
    """Predictions with the text of each item; some texts of a system may differ."""
    rng, rows = np.random.default_rng(5), []
    for name in ("base", "ours"):
        for k in range(60):
            text = f"text {k}" + " (new)" * (name == "ours" and k < changed)
            rows.append(
                {
                    "model": name,
                    "id": f"i{k}",
                    heading: text,
                    "label": "a",
                    "prediction": rng.choice(list("ab")),
                }
            )
    return pd.DataFrame(rows)


def test_different_texts_under_one_name_are_refused():
    with pytest.raises(RefusedError) as refused:
        ek.report(of_texts("text", changed=12), baseline="base")
    (fault,) = refused.value.faults
    assert fault.code == "texts"
    assert fault.what.startswith(
        "12 items have another text from system to system: i0, i1, i2 and 9 more."
    )
    found = ek.report(of_texts("text", changed=12), baseline="base", accept="texts")
    page, said = (
        found.write("markdown"),
        {check.code: check for check in found.bench.checks},
    )
    assert "the same 60 items" not in page
    assert (
        "12 items have another text from system to system"
        in page.split("## For the paper")[1]
    )
    assert said["texts"].outcome == "decided"


def test_different_prompts_are_remarked_on_and_equal_texts_said_to_be_equal():
    def outcome(table):
        checks = ek.report(table, baseline="base").bench.checks
        return next(check.outcome for check in checks if check.code == "texts")

    assert outcome(of_texts("prompt", changed=12)) == "note"
    assert outcome(of_texts("prompt")) == outcome(of_texts("text")) == "fine"
    assert outcome(of_texts("text").drop(columns="text")) == "unchecked"


def answers(*, gone, repeat=True):
    """Three answers to each item; of one system those of one repeat that are wrong may
    be missing.
    """
    rng = np.random.default_rng(6)
    rows = [
        {
            "model": name,
            "id": f"i{item}",
            "repeat": k,
            "correct": float(rng.random() < level),
        }
        for name, level in (("base", 0.5), ("ours", 0.55))
        for item in range(80)
        for k in range(3)
    ]
    table = pd.DataFrame(rows)
    is_gone = (
        (table.model == "ours") & (table["repeat"] == 2) & (table.correct == 0) & gone
    )
    return table[~is_gone].drop(columns=[] if repeat else "repeat")


@pytest.mark.parametrize("repeat", [True, False])
def test_answers_that_are_missing_are_asked_about(repeat):
    def contrast(gone, **more):
        given = {} if repeat else {"duplicates": "mean"}
        return ek.report(
            answers(gone=gone, repeat=repeat), baseline="base", **given, **more
        )

    with pytest.raises(RefusedError) as refused:
        contrast(True)
    n = len(answers(gone=False)) - len(answers(gone=True))
    (fault,) = refused.value.faults
    assert fault.what.startswith(
        f"Answers are missing: ours lacks {n}, and has fewer than 3 answers to {n}"
        " items"
    )
    drop = contrast(True, failed="drop")
    assert drop.scores("ours").mean() > contrast(False).scores("ours").mean() + 0.05
    assert "the mean of an item is of the answers that are left" in drop.write(
        "markdown"
    )


def test_systems_may_have_been_asked_differently_often():
    table = answers(gone=False)
    once = table[(table.model == "ours") | (table["repeat"] == 0)]
    found = ek.report(once, baseline="base")
    assert "Answers to an item, at most: base 1, ours 3." in {
        check.words for check in found.bench.checks
    }
