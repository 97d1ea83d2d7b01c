"""Tables as papers print them, and text in any encoding: nothing is taken away or
guessed in silence.
"""

import numpy as np
import pandas as pd
import pytest

import evalkit as ek
from evalkit.reports import RefusedError
from evalkit.reports._recognition import _cells, _places

SETS, SYSTEMS = [f"set-{k}" for k in range(9)], ("base", "ours", "theirs", "other")


def printed(cell, place, *, across, tmp_path):
    """Write a table of systems and data sets, either way round, with one cell as
    given.
    """
    rng = np.random.default_rng(4)
    scores = rng.uniform(60, 90, (4, 9)).round(1)
    words = pd.DataFrame([[f"{v} ± 0.4" for v in row] for row in scores], SYSTEMS, SETS)
    words.iloc[place] = cell
    table = words.rename_axis("model") if across else words.T.rename_axis("dataset")
    path = tmp_path / "paper.csv"
    table.to_csv(path)
    return path, scores


def said(across):
    """What the columns are: data sets, or systems side by side."""
    return {"dataset": SETS} if across else {"system": [*SYSTEMS]}


@pytest.mark.parametrize("across", [True, False])
@pytest.mark.parametrize(
    "cell", ["77.1 ± 0.4", "**77.1**", "\\textbf{77.1}", "77.1*", "77.1 (0.4)"]
)
def test_spreads_and_bold_of_a_score_are_left_out_and_said(cell, across, tmp_path):
    path, scores = printed(cell, (2, 3), across=across, tmp_path=tmp_path)
    found = ek.report(
        path, baseline="base", direction="higher", unit="dataset", columns=said(across)
    )
    scores[2, 3] = 77.1
    assert len(found.used) == 36
    for name, row in zip(SYSTEMS, scores, strict=True):
        assert sorted(found.scores(name)) == sorted(row)
    assert any("as 77.1" in note or "as 7" in note for note in found.notes)


@pytest.mark.parametrize("across", [True, False])
@pytest.mark.parametrize("place", [(0, 0), (2, 3)])
@pytest.mark.parametrize("cell", ["n/a", "-", ""])
def test_a_word_for_no_score_is_an_empty_cell(cell, place, across, tmp_path):
    path, _ = printed(cell, place, across=across, tmp_path=tmp_path)
    asked = {
        "baseline": "base",
        "direction": "higher",
        "unit": "dataset",
        "columns": said(across),
    }
    with pytest.raises(
        RefusedError, match=f"{SYSTEMS[place[0]]} on {SETS[place[1]]}"
    ) as refused:
        ek.report(path, **asked)
    assert [fault.code for fault in refused.value.faults] == ["missing"]
    for said_, n_sets in (("drop", 8), ("worst", 9)):
        assert ek.report(path, **asked, missing=said_).used.dataset.nunique() == n_sets


@pytest.mark.parametrize("across", [True, False])
@pytest.mark.parametrize("place", [(0, 0), (2, 3)])
@pytest.mark.parametrize(
    "cell", ["77,1 ± 0,4", "10^2", "see text", "OOM", "77.1^{*}", "77.1 (3 seeds)"]
)
def test_any_other_cell_among_scores_is_refused_by_its_place(
    cell, place, across, tmp_path
):
    path, _ = printed(cell, place, across=across, tmp_path=tmp_path)
    with pytest.raises(RefusedError) as refused:
        ek.report(
            path,
            baseline="base",
            direction="higher",
            unit="dataset",
            columns=said(across),
        )
    (fault,) = refused.value.faults
    column, row = (
        (SETS[place[1]], SYSTEMS[place[0]])
        if across
        else (SYSTEMS[place[0]], SETS[place[1]])
    )
    assert (
        fault.what
        == f"Among the scores 1 cell is not a number: {cell!r} ({row}, {column})."
    )


def test_a_column_of_words_stays_one():
    for words in (
        ["7B", "13B", "70B"],
        ["a", "b", "1"],
        ["007", "012", "013"],
        ["-", None, "OOM"],
    ):
        assert not _cells.are_scores(pd.Series(words, dtype=object))


@pytest.mark.parametrize("across", [True, False])
def test_a_column_that_may_be_read_in_two_ways_is_refused(across, tmp_path):
    path, _ = printed("77.1", (0, 0), across=across, tmp_path=tmp_path)
    table = pd.read_csv(path, index_col=0)
    table.iloc[:, 1] = [f"{k},{100 + k}" for k in range(1, len(table) + 1)]
    table.to_csv(path)
    with pytest.raises(RefusedError, match="can be read in two ways: column"):
        ek.report(
            path,
            baseline="base",
            direction="higher",
            unit="dataset",
            columns=said(across),
        )


def beside(heads):
    """One row a system, a column for each of the heads."""
    rng = np.random.default_rng(9)
    scores = rng.uniform(60, 90, (4, len(heads))).round(1)
    return pd.DataFrame(scores, SYSTEMS, heads).rename_axis("model").reset_index()


def test_columns_of_one_row_a_system_are_asked_about_and_shown():
    heads = [
        "WER clean",
        "WER noisy",
        "WER far",
        "WER tel",
        "WER kid",
        "WER law",
        "WER med",
    ]
    with pytest.raises(
        RefusedError, match="What do the columns of numbers name: WER clean, WER noisy"
    ) as no:
        ek.report(beside(heads), baseline="base", unit="dataset", direction="lower")
    assert (
        no.value.faults[0]
        .ways[0]
        .startswith("--map dataset=COLUMN,COLUMN, if each is a data set")
    )
    found = ek.report(
        beside(heads), baseline="base", columns={"dataset": heads}, direction="lower"
    )
    assert found.used.dataset.nunique() == 7


def test_a_column_that_is_better_the_other_way_is_not_counted_in():
    heads = [*SETS, "WikiText ppl"]
    with pytest.raises(RefusedError, match="WikiText ppl a lower one") as refused:
        ek.report(
            beside(heads),
            baseline="base",
            direction="higher",
            columns={"dataset": heads},
        )
    assert refused.value.faults[0].ways[0].startswith("--map 'note=WikiText ppl'")
    said = {"columns": {"note": "WikiText ppl", "dataset": SETS}}
    left = ek.report(beside(heads), baseline="base", direction="higher", **said)
    assert set(left.used.dataset) == set(SETS)


# --------------------------------------------------------------------------------------
# Text that is not UTF-8
# --------------------------------------------------------------------------------------


def read(path):
    (source,), _ = _places.find([(None, str(path))])
    return _places.read(source)


GERMAN = "Modell;Güte\nÜbertragung;0,81\nohne Wörterbuch;0,79\n"


def test_what_says_its_own_encoding_is_read_by_it_and_all_else_is_utf8(tmp_path):
    for mark in ("utf-8-sig", "utf-16"):
        (tmp_path / "a.csv").write_text(GERMAN, encoding=mark)
        assert list(read(tmp_path / "a.csv").frame) == ["Modell", "Güte"]
    (tmp_path / "a.csv").write_bytes(GERMAN.encode("cp1252"))
    with pytest.raises(RefusedError, match="byte 8 is not UTF-8 text") as refused:
        read(tmp_path / "a.csv")
    assert refused.value.faults[0].ways == (
        "save it as UTF-8 (in a spreadsheet: CSV UTF-8).",
    )


@pytest.mark.parametrize("above", ["", "# Results\n\n"])
def test_a_table_in_markdown_is_told_so(above, tmp_path):
    (tmp_path / "a.md").write_text(
        f"{above}| model | f1 |\n|:---|---:|\n| base | 90.5 |\n", encoding="utf-8"
    )
    with pytest.raises(RefusedError, match="as Markdown has"):
        read(tmp_path / "a.md")
