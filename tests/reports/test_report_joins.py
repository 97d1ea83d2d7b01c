"""Items that one file counts from 0 and another from 1 are not joined as they are."""

import numpy as np
import pandas as pd
import pytest

import evalkit as ek
from evalkit.reports import RefusedError
from evalkit.reports._checks._joined import are_shifted

N = 200


def answers(first_old=0, first_new=0, kept=slice(None), seed=0):
    """Predictions of two systems with the right answers, the items numbered from
    these.
    """
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 3, N)
    parts = []
    for name, first, chance in (("old", first_old, 0.7), ("new", first_new, 0.75)):
        said = np.where(rng.random(N) < chance, gold, rng.integers(0, 3, N))
        ids = [str(k + first) for k in range(N)]
        # The answers were joined by the number of the item, which is right for those
        # from 0 alone.
        right = [str(gold[k + first]) if k + first < N else None for k in range(N)]
        parts.append(
            pd.DataFrame(
                {
                    "system": name,
                    "item": ids,
                    "prediction": said.astype(str),
                    "label": right,
                }
            )[kept]
        )
    return pd.concat(parts).dropna()


@pytest.mark.parametrize("unmatched", [None, "drop"])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("form", ["{}", "q_{:0>4}"])
def test_numbers_moved_by_one_are_refused(unmatched, seed, form):
    table = answers(first_old=1, seed=seed).assign(
        item=lambda table: table["item"].map(form.format)
    )
    with pytest.raises(
        RefusedError, match="One file counts from 0 and the other from 1"
    ):
        ek.report(table, baseline="old", unmatched=unmatched)


@pytest.mark.parametrize("baseline", ["old", "new"])
@pytest.mark.parametrize("unmatched", [None, "drop"])
def test_scores_of_numbers_moved_by_one_are_refused(unmatched, baseline):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        [
            {"system": name, "item": str(k + first), "score": rng.random()}
            for name, first in (("old", 1), ("new", 0))
            for k in range(N)
        ]
    )
    ends = {"old": "1 to 200", "new": "0 to 199"}
    other = ends.pop(baseline)
    told = (
        f"numbered {ends.popitem()[1]}, those of {baseline} {other}: the same, moved"
        " by 1"
    )
    with pytest.raises(RefusedError, match=told):
        ek.report(
            table,
            baseline=baseline,
            metric="score",
            direction="higher",
            unmatched=unmatched,
        )


@pytest.mark.parametrize("seed", range(10))
def test_numbers_that_fit_are_joined(seed):
    found = ek.report(answers(seed=seed), baseline="old")
    assert found.evidence.used["item"].nunique() == N


def test_a_part_of_the_items_is_no_shift():
    table = answers()
    fewer = table[(table.system == "old") | (table["item"] != "0")]
    with pytest.raises(RefusedError, match="--unmatched drop"):
        ek.report(fewer, baseline="old")
    assert (
        ek.report(fewer, baseline="old", unmatched="drop")
        .evidence.used["item"]
        .nunique()
        == N - 1
    )


@pytest.mark.parametrize(
    ("ids", "others", "answer"),
    [
        ("123", "012", True),
        ("012", "123", True),
        ("012", "012", False),
        ("12", "012", False),
        ("013", "124", True),
        ("ab", "bc", False),
        ("1", "2", False),
        ("", "", False),
        (["q1", "q2"], ["q0", "q1"], True),
        (["a1", "b2"], ["a0", "b1"], False),
        (["a1", "a"], ["a0", "a"], False),
        (["9" * 5000, "1"], ["9" * 5000, "0"], False),
        ("135", "246", False),
        (["q1", "q2"], ["item0", "item1"], False),
    ],
)
def test_what_counts_as_moved(ids, others, answer):
    assert are_shifted(set(ids), set(others)) is answer


def test_two_ids_of_one_number_are_two():
    table = answers()
    table.loc[table["item"] == "7", "item"] = "07"
    table.loc[table["item"] == "8", "item"] = "7"
    assert ek.report(table, baseline="old").evidence.used["item"].nunique() == N


@pytest.mark.parametrize(("by", "side"), [(1, "smaller"), (-1, "larger")])
def test_predictions_of_a_file_that_counts_apart_are_refused(by, side):
    table = answers().assign(item=lambda table: table["item"].map("q_{:0>4}".format))
    new = (table.system == "new").to_numpy()
    said, right = table.prediction[new].to_numpy(), table.label[new].to_numpy()
    table.loc[new, "prediction"] = np.roll(said, by)
    as_it_is = 100 * np.mean(np.roll(said, by) == right)
    with pytest.raises(RefusedError) as refused:
        ek.report(table, baseline="old")
    told = str(refused.value).replace("\u00a0", " ")
    assert f"right on {as_it_is:.1f} % of the items" in told
    assert f"of those whose number is {side} by 1" in told


@pytest.mark.parametrize(
    ("written", "told"),
    [
        (lambda word: f"{word}.", "in case, a full stop or the order of parts"),
        (
            lambda word: f"**{word}**",
            "No prediction of new is one of the right answers",
        ),
        (lambda word: f"({word})", "No prediction of new is one of the right answers"),
    ],
)
def test_a_system_that_writes_all_answers_in_its_own_way_is_not_called_worse(
    written, told
):
    table = answers()
    table["prediction"] = table.prediction.map(
        {"0": "yes", "1": "no", "2": "neither"}.get
    )
    table["label"] = table.label.map({"0": "yes", "1": "no", "2": "neither"}.get)
    is_new = table.system == "new"
    table.loc[is_new, "prediction"] = table.prediction[is_new].map(written)
    with pytest.raises(RefusedError, match=told):
        ek.report(table, baseline="old")
    assert (
        ek.report(table, baseline="old", accept="key").findings.contrasts[0].verdict
        == "worse"
    )


def test_scores_beside_predictions_in_their_own_words_are_compared():
    table = answers().assign(
        score=lambda table: (table.prediction == table.label).astype(float)
    )
    table.loc[table.system == "new", "prediction"] = "(so)"
    found = ek.report(table, baseline="old", metric="score", direction="higher")
    assert found.findings.contrasts[0].verdict == "undecided"


def test_where_no_system_gives_a_right_answer_nothing_is_accepted():
    table = answers()
    table["label"] = table.label.map({"0": "yes", "1": "no", "2": "neither"}.get)
    for accept in ((), "key"):
        with pytest.raises(
            RefusedError, match="No prediction is one of the right answers"
        ):
            ek.report(table, baseline="old", accept=accept)


def test_scores_that_go_far_are_no_shares_beside_per_cents():
    score = [0.5, 0.9, 1.0, 3.0, 40.0, 90.0, 110.0, 120.0] * 5
    table = pd.DataFrame(
        {"system": "a", "item": [*map(str, range(40))], "reaction": score}
    )
    table = pd.concat(
        [
            table,
            table.assign(
                system="b", reaction=[value + k for k, value in enumerate(score)]
            ),
        ]
    )
    assert (
        ek.report(
            table, baseline="a", metric="reaction", direction="lower"
        ).used.score.max()
        > 100
    )
