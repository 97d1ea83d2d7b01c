"""The quantity has a name: a rate over all is another number than the mean of the
items' own rates.
"""

import numpy as np
import pandas as pd
import pytest

import evalkit as ek
from evalkit import _ways as to
from evalkit.reports import RefusedError

POOLED = {"columns": {"numerator": "errors", "denominator": "words"}}


def speech(n=120, decimals=4, seed=0):
    """Utterances of twelve speakers: short ones got better, and long ones worse."""
    rng = np.random.default_rng(seed)
    words = rng.integers(2, 40, n)
    rows = []
    for name, rate in (
        ("base", np.full(n, 0.2)),
        ("new", np.where(words < 12, 0.1, 0.25)),
    ):
        errors = rng.binomial(words, rate)
        rows += [
            {"system": name, "item": f"u{i}", "speaker": f"s{i % 12}", "words": float(words[i]),
             "errors": float(errors[i]), "wer": round(errors[i] / words[i], decimals)}
            for i in range(n)
        ]  # fmt: skip
    return pd.DataFrame(rows)


def ask(table, **more):
    return ek.report(
        table, baseline="base", metric="wer", unit=more.pop("unit", "speaker"), **more
    )


def sums(table, name):
    own = table[table.system == name].sort_values("item")
    return own.errors.to_numpy(), own.words.to_numpy(), own.speaker.to_numpy()


def test_a_rate_over_all_is_a_ratio_of_sums():
    table = speech()
    found = ask(table, **POOLED)
    (one,) = found.findings.contrasts
    (errors, words, speakers), (of_base, _, _) = sums(table, "new"), sums(table, "base")
    direct = ek.ratio_difference(errors, words, of_base, words, speakers)
    assert (one.low, one.high, one.pvalue) == pytest.approx(
        (direct.low, direct.high, direct.pvalue)
    )
    assert one.means == pytest.approx(
        (errors.sum() / words.sum(), of_base.sum() / words.sum())
    )
    assert one.difference == pytest.approx(one.means[0] - one.means[1])
    assert found.findings.way is to.SUMS
    named = "wer (sum of errors over sum of words"
    assert named in str(found).split(":")[0]
    assert named in found.paper[0]
    assert found.evidence.direction == "lower"


@pytest.mark.parametrize(
    ("column", "words"),
    [("utt_id", "120 utterances in 12"), ("item", "120 items in 12")],
)
def test_items_are_called_what_their_column_calls_them(column, words):
    found = ask(speech().rename(columns={"item": column}), **POOLED)
    assert found.findings.contrasts[0].sizes.startswith(words)


def test_several_answers_to_an_item_add_their_mean_to_both_sums():
    first, second = speech(), speech(seed=5)
    second["words"] = first["words"]
    second["errors"] = second[["errors", "words"]].min(axis=1)
    both = pd.concat([first.assign(repeat="1"), second.assign(repeat="2")])
    both["wer"] = both.errors / both.words
    (one,) = ask(both, **POOLED).findings.contrasts
    total = both.groupby("system")[["errors", "words"]].sum()
    assert one.means == pytest.approx(
        tuple((total.errors / total.words)[["new", "base"]])
    )


def test_items_may_be_drawn_on_their_own():
    table = speech()
    (one,) = ask(table, unit="item", **POOLED).findings.contrasts
    (errors, words, _), (of_base, _, _) = sums(table, "new"), sums(table, "base")
    direct = ek.ratio_difference(errors, words, of_base, words, None)
    assert (one.low, one.high) == pytest.approx((direct.low, direct.high))


@pytest.mark.parametrize("decimals", [3, 4, 15])
def test_a_length_beside_a_rate_is_asked_about_by_its_values(decimals):
    table = speech(decimals=decimals).rename(
        columns={"words": "anzahl", "errors": "fehler"}
    )
    with pytest.raises(RefusedError) as refused:
        ask(table)
    (fault,) = [fault for fault in refused.value.faults if fault.code == "quantity"]
    assert fault.ways[0].startswith("--map numerator=fehler --map denominator=anzahl: ")
    assert fault.ways[1].startswith("--map note=anzahl: ")
    pooled = ask(table, columns={"numerator": "fehler", "denominator": "anzahl"})
    mean = ask(table, columns={"note": "anzahl"})
    assert (
        pooled.findings.contrasts[0].difference
        > 0
        > mean.findings.contrasts[0].difference
    )
    assert "(mean over items)" in str(mean)


def test_errors_are_made_of_rate_and_length_where_no_column_counts_them():
    table = speech()
    with pytest.raises(
        RefusedError, match="--map denominator=words: the rate over all"
    ):
        ask(table.drop(columns="errors"))
    (one,) = ask(
        table.drop(columns="errors"), columns={"denominator": "words"}
    ).findings.contrasts
    (whole,) = ask(table, **POOLED).findings.contrasts
    assert (one.low, one.high) == pytest.approx((whole.low, whole.high))


@pytest.mark.parametrize("column", ["year", "quarters", "varying"])
def test_other_numbers_beside_a_score_are_not_asked_about(column):
    rng = np.random.default_rng(1)
    table = speech().drop(columns=["errors", "words"])
    n = len(table) // 2
    if column == "year":
        table["note_year"] = np.tile(rng.integers(1990, 2024, n), 2).astype(float)
    elif column == "quarters":  # every product is whole, with any item's number
        table["wer"] = rng.integers(0, 5, 2 * n) / 4
        table["note_options"] = np.tile(rng.integers(1, 5, n) * 4.0, 2)
    else:
        table["note_tokens"] = rng.integers(1, 9, 2 * n).astype(float)
    assert ask(table).findings.quantity == "mean over items"


def test_an_answer_that_failed_adds_what_its_score_says():
    table = speech()
    crashed = (table.system == "new") & (table["item"] == "u7")
    table.loc[crashed, ["wer", "errors"]] = np.nan
    with pytest.raises(RefusedError, match="1 answer has no score"):
        ask(table, **POOLED)
    (one,) = ask(table, failed="1", **POOLED).findings.contrasts
    table.loc[crashed, "errors"] = table.loc[crashed, "words"]
    (errors, words, speakers), (of_base, _, _) = sums(table, "new"), sums(table, "base")
    direct = ek.ratio_difference(errors, words, of_base, words, speakers)
    assert (one.low, one.high) == pytest.approx((direct.low, direct.high))


@pytest.mark.parametrize(("column", "value"), [("words", np.nan), ("errors", -1.0)])
def test_sums_of_what_is_no_count_are_refused(column, value):
    table = speech()
    table.loc[3, column] = value
    with pytest.raises((RefusedError, ValueError)):
        ask(table, **POOLED)
