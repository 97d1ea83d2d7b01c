"""Extracts from boards: they are what the registered files hold, and nothing else."""

import json

import numpy as np
import pandas as pd
import pytest

from lab.data import DATA, boards
from lab.data.sources import available, opened

FILES = [f"leaderboards/livecodebench.github.io/performances_{t}.json" for t in ("generation", "execution")]


@pytest.mark.skipif(not available(*FILES), reason="the boards' files are not on this machine")
@pytest.mark.parametrize("table", [*boards.TABLES, "models"])
def test_an_extract_is_made_again_to_the_byte(table):
    assert (DATA / "boards" / f"livecodebench_{table}.csv").read_text(encoding="utf-8") == boards.extract(
        table
    )


@pytest.mark.skipif(not available(*FILES), reason="the boards' files are not on this machine")
def test_a_share_is_that_of_the_board():
    """One by one, for a hundred answers drawn at random."""
    with opened(FILES[0]) as path:
        rows = json.loads(path.read_text(encoding="utf-8"))["performances"]
    items, shares = boards.livecodebench("generation")
    shares = shares.set_index(items.question_id)
    for i in np.random.default_rng(0).choice(len(rows), 100, replace=False):
        row = rows[i]
        assert shares.loc[row["question_id"], row["model"]] == pytest.approx(row["pass@1"] / 100)


@pytest.mark.parametrize(
    ("table", "shape", "problems"),
    [("generation", (400, 45), 400), ("execution", (479, 37), 92), ("execution_cot", (479, 31), 92)],
)
def test_every_model_answered_every_item(table, shape, problems):
    items, shares = boards.livecodebench(table)
    assert shares.shape == shape
    assert shares.ge(0).all(axis=None)
    assert shares.le(1).all(axis=None)
    assert items.question_id.nunique() == problems
    assert items.date.between(pd.Timestamp("2023-05-01"), pd.Timestamp("2024-03-31")).all()
    assert not items.duplicated([c for c in ("question_id", "sample_id") if c in items]).any()


def test_every_model_has_a_cutoff():
    _, shares = boards.livecodebench("generation")
    assert set(shares) == set(boards.cutoffs().index)


def test_extracts_are_small_and_have_their_licence():
    files = list((DATA / "boards").glob("*.csv"))
    assert len(files) == 4
    assert max(file.stat().st_size for file in files) < 150_000
    assert "CC BY-SA 4.0" in (DATA / "boards" / "LICENSE").read_text(encoding="utf-8")


def test_an_unknown_table_is_refused():
    with pytest.raises(ValueError, match="table must be"):
        boards.livecodebench("testgen")
