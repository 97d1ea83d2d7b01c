"""What tells rows apart, where names of the schema meet: folds of data sets, users,
words of a split.
"""

import numpy as np
import pandas as pd
import pytest

import evalkit as ek
from evalkit.reports import RefusedError, UnconfirmedError


def table(**levels):
    """Scores of two systems in every combination of what is named, the second a little
    better.
    """
    rng = np.random.default_rng(0)
    rows = pd.MultiIndex.from_product(
        [["base", "ours"], *levels.values()], names=["system", *levels]
    )
    rows = rows.to_frame(index=False)
    level = rng.normal(0.6, 0.05, len(rows) // 2).tolist() * 2
    return rows.assign(
        f1=np.add(level, 0.02 * (rows.system == "ours"))
        + rng.normal(0, 0.01, len(rows))
    )


def asked(rows, **options):
    with pytest.raises(UnconfirmedError) as error:
        ek.report(rows, baseline="base", **options)
    return str(error.value)


def test_folds_of_several_data_sets_are_one_score_of_each():
    rows = table(dataset=[*"abcdefgh"], fold=range(5))
    found = ek.report(rows, baseline="base")
    assert found.evidence.kind == "datasets"
    assert len(found.evidence.used) == 16
    means = rows.groupby("system").f1.mean()
    assert found.findings.contrasts[0].difference == pytest.approx(
        means.ours - means.base
    )
    with pytest.raises(RefusedError, match="come again"):
        ek.report(pd.concat([rows, rows[:3]]), baseline="base")


def test_words_are_no_random_splits():
    told = asked(table(split=["easy", "hard"], seed=range(5)))
    assert "What does split (easy, hard) name?" in told
    assert "--map dataset=split" in told
    numbered = table(split=[f"split {k}" for k in range(6)])
    assert (
        ek.report(numbered, baseline="base", n_train=80, n_test=20).evidence.kind
        == "folds"
    )


def visits(n_users=60, n=4):
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(
        {
            "system": ["base", "ours"] * (n_users * n // 2),
            "click": rng.random(n_users * n),
        }
    )
    return rows.assign(user_id=np.arange(n_users * n) % n_users + 1000)


def test_rows_of_one_user_are_no_independent_runs():
    rows, options = visits(), {"metric": "click", "direction": "higher"}
    for unit in ("seed", "user_id"):
        with pytest.raises(
            RefusedError, match="240 rows come from 60 values of user_id"
        ):
            ek.report(rows, baseline="base", unit=unit, **options)
    once = rows.groupby(["system", "user_id"]).click.mean().reset_index()
    for one in ({"unit": "seed"}, {"columns": {"note": "user_id"}, "unit": "seed"}):
        assert (
            ek.report(once, baseline="base", **one, **options).evidence.kind == "seeds"
        )
    # Who started runs that have names.
    seeds = table(seed=range(6)).assign(user=["ann", "bob"] * 6)
    assert ek.report(seeds, baseline="base").evidence.kind == "seeds"


def test_raters_are_offered_where_two_columns_tell_rows_apart():
    rows = table(
        listener=[f"l{k}" for k in range(6)], utterance=[f"u{k}" for k in range(9)]
    )
    assert "--map rater=listener" in asked(rows)


def test_the_text_of_an_item_may_name_it_and_what_it_lies_in_is_asked_about():
    rows = table(question=[f"What is {k}?" for k in range(40)])
    rows["title"] = "title " + (rows.index % 40 // 4).astype(str)
    assert "--map item=question" in asked(rows)
    for item in ("question", "question,title", "title,question"):
        told = asked(rows, columns={"item": item.split(",")})
        assert "Several items share a value of title" in told


@pytest.mark.parametrize("below", ["", ",s1,s2,s1,s2\n"])
def test_two_lines_of_names_are_refused_for_what_they_are(below, tmp_path):
    path = tmp_path / "sheet.csv"
    path.write_text(
        f"model,accuracy,,f1,\n{below}base,0.7,0.8,0.6,0.7\nours,0.8,0.9,0.7,0.8\n",
        encoding="utf-8",
    )
    with pytest.raises(
        RefusedError, match="2 columns have values, and no name in the first line"
    ):
        ek.report(path, baseline="base")


def test_a_system_without_seeds_is_compared_with_runs_of_another():
    rows = table(seed=range(3), item=[f"q{k}" for k in range(40)])
    rows = rows[(rows.system == "ours") | (rows.seed == 0)]
    named = ek.report(rows, baseline="base").findings.contrasts[0]
    rows["seed"] = rows.seed.where(rows.system == "ours")
    found = ek.report(rows, baseline="base").findings.contrasts[0]
    assert (found.difference, found.low, found.high) == (
        named.difference,
        named.low,
        named.high,
    )


def test_counts_on_data_sets_are_compared_by_their_rates():
    rows = table(dataset=[*"abcdefgh"])
    rows = rows.assign(total=np.tile([50, 900] * 4, 2)).assign(
        right=lambda t: (t.f1 * t.total).round()
    )
    columns = {"numerator": "right", "denominator": "total"}
    rows, options = (
        rows.drop(columns="f1"),
        {
            "baseline": "base",
            "direction": "higher",
            "columns": columns,
        },
    )
    found = ek.report(rows, **options)
    rates = (rows.right / rows.total).groupby(rows.system).mean()
    assert found.findings.contrasts[0].difference == pytest.approx(
        rates.ours - rates.base
    )


def test_a_column_of_parts_may_be_called_otherwise():
    rows = table(dataset=[*"abcdefgh"], phase=["dev", "test"])
    assert "--map part=phase" in asked(rows)
    assert (
        len(ek.report(rows, baseline="base", columns={"part": "phase"}).evidence.used)
        == 16
    )


def test_a_number_within_parts_is_no_group_of_items():
    rows = table(subset=["a", "b"], item=[*range(30)]).rename(
        columns={"item": "number"}
    )
    for item in (("subset", "number"), ("subset,number",)):
        found = ek.report(rows, baseline="base", columns={"item": item})
        assert found.evidence.used["item"].nunique() == 60
