"""Tables as papers print them: no odd cell takes a column away in silence."""

import numpy as np
import pandas as pd
import pytest

import evalkit as ek
from evalkit.reports import RefusedError, UnconfirmedError, _cells

SETS, SYSTEMS = [f"set-{k}" for k in range(9)], ("base", "ours", "theirs", "other")


def printed(cell, place, *, across, tmp_path):
    """Write a table of systems and data sets, either way round, with one cell as given."""
    rng = np.random.default_rng(4)
    scores = rng.uniform(60, 90, (4, 9)).round(1)
    words = pd.DataFrame([[f"{v} ± 0.4" for v in row] for row in scores], SYSTEMS, SETS)
    words.iloc[place] = cell
    table = words.rename_axis("model") if across else words.T.rename_axis("dataset")
    path = tmp_path / "paper.csv"
    table.to_csv(path)
    return path, scores


@pytest.mark.parametrize("across", [True, False])
@pytest.mark.parametrize("place", [(0, 0), (2, 3)])
@pytest.mark.parametrize(
    "cell",
    [
        "77.1 ± 0.4$^\\dagger$",
        "77.1^{*}",
        "77.1 (3 seeds)",
        "†77.1",
        "77.1 ± 0.4 [ours]",
        "77.1$_{\\pm 0.4}$",
    ],
)
def test_marks_and_notes_beside_a_score_are_left_out_and_said(cell, place, across, tmp_path):
    path, scores = printed(cell, place, across=across, tmp_path=tmp_path)
    found = ek.report(path, baseline="base", direction="higher", unit="dataset")
    scores[place] = 77.1
    assert len(found.used) == 36
    for name, row in zip(SYSTEMS, scores, strict=True):
        assert sorted(found.scores(name)) == sorted(row)
    assert any("as 77.1" in note for note in found.notes)


@pytest.mark.parametrize("across", [True, False])
@pytest.mark.parametrize("place", [(0, 0), (2, 3)])
@pytest.mark.parametrize("cell", ["OOM", "n/a", "failed", "--", "-"])
def test_a_word_for_no_score_is_an_empty_cell(cell, place, across, tmp_path):
    path, _ = printed(cell, place, across=across, tmp_path=tmp_path)
    found = ek.report(path, baseline="base", direction="higher", unit="dataset")
    (check,) = (check for check in found.bench.checks if check.code == "missing")
    assert check.outcome == "open"
    assert f"{SYSTEMS[place[0]]} on {SETS[place[1]]}" in check.words


@pytest.mark.parametrize("across", [True, False])
@pytest.mark.parametrize("place", [(0, 0), (2, 3)])
@pytest.mark.parametrize("cell", ["77,1 ± 0,4", "10^2", "see text", ">77", "77.1/80.2"])
def test_any_other_cell_among_scores_is_refused_by_its_place(cell, place, across, tmp_path):
    path, _ = printed(cell, place, across=across, tmp_path=tmp_path)
    with pytest.raises(RefusedError) as refused:
        ek.report(path, baseline="base", direction="higher", unit="dataset")
    (fault,) = refused.value.faults
    column, row = (SETS[place[1]], SYSTEMS[place[0]]) if across else (SYSTEMS[place[0]], SETS[place[1]])
    assert fault.what == f"Among the scores 1 cell is no number: {cell!r} ({row}, {column})."


def test_a_column_of_words_stays_one():
    for words in (["7B", "13B", "70B"], ["a", "b", "1"], ["007", "012", "013"], ["-", None, "OOM"]):
        assert not _cells.are_scores(pd.Series(words, dtype=object))


@pytest.mark.parametrize("across", [True, False])
def test_a_column_that_may_be_read_in_two_ways_is_refused(across, tmp_path):
    path, _ = printed("77.1", (0, 0), across=across, tmp_path=tmp_path)
    table = pd.read_csv(path, index_col=0)
    table.iloc[:, 1] = [f"{k},{100 + k}" for k in range(1, len(table) + 1)]
    table.to_csv(path)
    with pytest.raises(RefusedError, match="can be read in two ways: column"):
        ek.report(path, baseline="base", direction="higher", unit="dataset")


def beside(heads):
    """One row a system, a column for each of the heads."""
    rng = np.random.default_rng(9)
    scores = rng.uniform(60, 90, (4, len(heads))).round(1)
    return pd.DataFrame(scores, SYSTEMS, heads).rename_axis("model").reset_index()


def test_data_sets_that_are_called_as_a_metric_are_offered_as_data_sets():
    heads = ["WER clean", "WER noisy", "WER far", "WER tel", "WER kid", "WER law", "WER med"]
    with pytest.raises(UnconfirmedError) as refused:
        ek.report(beside(heads), baseline="base")
    assert refused.value.faults[0].ways[0].startswith("--map 'dataset=WER clean,WER noisy,")
    found = ek.report(beside(heads), baseline="base", unit="dataset", direction="lower")
    assert found.used.dataset.nunique() == 7


def test_a_column_that_is_better_the_other_way_is_not_counted_in():
    heads = [*SETS, "WikiText ppl"]
    with pytest.raises(RefusedError, match="WikiText ppl a lower one") as refused:
        ek.report(beside(heads), baseline="base", direction="higher", unit="dataset")
    assert refused.value.faults[0].ways[0].startswith("--map 'note=WikiText ppl'")
    said = {"columns": {"note": "WikiText ppl"}, "unit": "dataset"}
    left = ek.report(beside(heads), baseline="base", direction="higher", **said)
    assert set(left.used.dataset) == set(SETS)
