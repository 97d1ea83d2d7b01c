"""Rows that are computed from the others: totals of pivot tables, averages below the
items.
"""

import numpy as np
import pandas as pd
import pytest

import evalkit as ek
from evalkit.reports import RefusedError


def scored(names, last, of="mean", n_systems=2):
    """Scores of systems on what is named, below them a row that sums them up."""
    rng = np.random.default_rng(0)
    level = rng.uniform(0.2, 0.6, len(names))
    wide = pd.DataFrame(
        {
            f"s{k}": level + rng.normal(0.01 * k, 0.05, len(names))
            for k in range(n_systems)
        }
    )
    wide = wide.round(4).set_axis(list(names))
    wide.loc[last] = wide.agg(of).round(4)
    return (
        wide.rename_axis("item")
        .reset_index()
        .melt("item", var_name="system", value_name="ndcg")
    )


@pytest.mark.parametrize(
    ("names", "last"),
    [
        ([*map(str, range(301, 351))], "all"),
        ([f"q{k}" for k in range(50)], "all"),
        (["arc", "copa", "piqa", "race", "siqa", "wic", "boolq"], "Grand Total"),
        (["arc", "copa", "piqa", "race", "siqa", "wic", "boolq"], "zusammen"),
    ],
)
def test_the_mean_below_the_items_is_asked_about(names, last):
    table = scored(names, last)
    with pytest.raises(RefusedError, match=f"This may be no item: {last} is "):
        ek.report(table, baseline="s0")
    found = ek.report(table, baseline="s0", where={"item!": last})
    assert found.evidence.used["item"].nunique() == len(names)


@pytest.mark.parametrize("last", ["overall", "all"])
@pytest.mark.parametrize("place", [0, 5])
def test_the_mean_is_asked_about_wherever_it_stands(place, last):
    table = scored([f"q{k}" for k in range(12)], last)
    wide = table.pivot_table(index="item", columns="system", values="ndcg")
    order = [
        *[f"q{k}" for k in range(12)][:place],
        last,
        *[f"q{k}" for k in range(12)][place:],
    ]
    table = (
        wide.loc[order].reset_index().melt("item", var_name="system", value_name="ndcg")
    )
    with pytest.raises(
        RefusedError, match=f"This may be no item: {last} is the mean of the others"
    ):
        ek.report(table, baseline="s0")


@pytest.mark.parametrize("role", ["item", "dataset"])
def test_the_sum_of_the_others_is_asked_about(role):
    names = ["news", "web", "chat", "law", "med", "code", "forum"]
    table = (
        scored(names, "zusammen", of="sum")
        .rename(columns={"item": role})
        .assign(ndcg=lambda t: t.ndcg * 100)
    )
    with pytest.raises(RefusedError, match="zusammen is the sum of the others"):
        ek.report(table, baseline="s0")


def test_averages_of_a_report_on_classes_are_asked_about_one_and_all():
    table = scored(["joy", "anger", "fear", "love", "sad", "calm"], "macro avg")
    weighted = table[table["item"] == "macro avg"].assign(
        item="weighted avg", ndcg=lambda t: t.ndcg + 0.013
    )
    with pytest.raises(
        RefusedError,
        match=r"These may be no items: macro avg is called so; weighted avg is",
    ):
        ek.report(pd.concat([table, weighted]), baseline="s0")


def test_items_that_are_words_or_near_the_mean_are_items():
    names = [f"q{k}" for k in range(400)]
    table = scored(names, "q400")
    table.loc[table["item"] == "q400", "ndcg"] += [0.01, -0.01]
    assert ek.report(table, baseline="s0").evidence.used["item"].nunique() == 401
    parts = scored(["1", "2", "3a", "3b", "4", "5", "6", "7"], "8a")
    parts.loc[parts["item"] == "8a", "ndcg"] += [0.1, 0.02]
    assert ek.report(parts, baseline="s0").evidence.used["item"].nunique() == 9
    words = scored(["mean", "total", "average", "cat", "dog", "tree"], "house")
    words.loc[words["item"] == "house", "ndcg"] += [0.1, 0.02]
    assert ek.report(words, baseline="s0").evidence.used["item"].nunique() == 7


def test_a_word_below_the_scores_names_no_systems(tmp_path):
    rng = np.random.default_rng(0)
    for name in ("bm25", "dense"):
        lines = [
            f"map\t{k}\t{value:.4f}" for k, value in enumerate(rng.random(30), 301)
        ]
        text = "\n".join(["metric\titem\tscore", *lines, f"runid\t300\t{name}"])
        (tmp_path / f"{name}.tsv").write_text(text, encoding="utf-8")
    files = [tmp_path / "bm25.tsv", tmp_path / "dense.tsv"]
    found = ek.report(files, baseline="bm25", where={"metric": "map"})
    assert found.evidence.systems == ("dense",)
    assert found.evidence.used["item"].nunique() == 30
