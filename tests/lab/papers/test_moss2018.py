"""The runs of Moss et al.: shortcuts against the plain way, printed figures from the
released runs.
"""

import functools

import numpy as np
import pytest
from upstream import needs

from lab import scorecard
from lab.data import corpora, released, sources
from lab.papers.moss2018 import audit, groups, tasks
from lab.record import tables


@pytest.fixture(scope="module", autouse=True)
def documents_are_read_once():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            corpora, "reuters_documents", functools.cache(corpora.reuters_documents)
        )
        yield


def test_random_groups_obey_the_law_of_one_over_j():
    rows = np.random.default_rng(0).normal(size=(30, 2)) * [1, 3]
    for j in (1, 4, 16):
        means = groups.random_groups(rows, j, n_groups=20_000)
        # With replacement, so that no factor for a finite pool comes in.
        assert means.var(axis=0, ddof=0) * j == pytest.approx(
            rows.var(axis=0, ddof=0), rel=0.04
        )


def test_partitions_with_one_seed_are_drawn_together():
    rng = np.random.default_rng(0)
    luck = rng.normal(size=(200, 1))
    five, ten = (luck + rng.normal(scale=0.1, size=(200, 1)) for _ in range(2))

    def length(shared, before=five, after=ten):
        found = groups.resampled_ratio(
            lambda means: means[:, 0], before, 1, after, 2, shared=shared, draws=200
        )
        assert found.estimate == pytest.approx(
            after.std() / before.std() / np.sqrt(2), rel=0.02
        )
        return found.high - found.low

    # Drawn together, the luck that both share cancels; also where one has more
    # partitions than the other.
    together, half, apart = (length(shared) for shared in (200, 100, 0))
    assert 1.2 * together < half < 0.95 * apart
    assert length(150, after=ten[:150]) < 0.9 * length(0, after=ten[:150])


def test_a_setting_that_never_varies_says_nothing_on_the_law():
    rows = np.random.default_rng(0).normal(size=(960, 40))
    constant = np.c_[rows, np.full(960, 0.7)]
    assert audit.law_of(constant) == audit.law_of(rows)


def test_the_smoother_predicts_other_forests_as_it_says():
    fits = 100 * tasks.recorded_truth("imdb")
    others = [np.delete(fits, f, axis=0).mean(axis=0) for f in range(len(fits))]
    misses = [
        other - audit.smoothed(fit) for other, fit in zip(others, fits, strict=True)
    ]
    assert np.sqrt(np.mean(np.square(misses))) < 0.25
    assert np.abs(np.mean(misses, axis=0)).max() < 0.205
    unsmoothed = np.subtract(others, fits)
    assert round(np.sqrt(np.mean(unsmoothed**2)), 2) == 0.34


def test_orderings_that_the_matrices_cannot_bear_are_left_out():
    table = tasks.recorded_orderings()
    assert {"rf", "pos", "lstm-reg"} == set(table.task)
    assert not set(table.quantity) & {"sd_chosen_input"}
    assert set(zip(table.a, table.b, strict=True)) == set(audit.PAIRS)


@pytest.mark.slow
@needs("treebank/treebank.zip", "moss2018/POS/POSLR_differentpartitions_1000_5_folds")
def test_our_first_sample_is_the_authors_own(monkeypatch):
    monkeypatch.setattr(
        tasks.Treebank, "grid", tasks.Treebank.grid[tasks.Treebank.grid.C == 0.01]
    )
    tagger = tasks.Treebank(0)
    right = sum(
        tagger.right(train, test, 0).sum()
        for train, test in tasks.folds_of(tagger.items, 5, 1)
    )
    setting = tasks.GRIDS["treebank"].index[tasks.GRIDS["treebank"].C == 0.01].item()
    # Seeds count from 1 in the released script.
    assert right / tagger.TRAINED == pytest.approx(
        released.moss2018_accuracy("pos", 5)[0, setting], abs=1e-9
    )


RELEASED = [key for key in sources.registry().key if key.startswith("moss2018/")]


@pytest.mark.slow
@needs(*RELEASED, "reuters/reuters21578.tar.xz")
def test_every_value_in_the_record_comes_out_of_the_released_files(monkeypatch):
    # Other groupings are in the note, not in the value.
    monkeypatch.setattr(audit, "DRAWS", 2)
    values = tables.load_recorded("moss2018", "computed").set_index("id").value
    printed = scorecard.printed().set_index("id")
    reproduced = printed[
        (printed.paper == "moss2018") & (printed.verdict == "reproduced")
    ]
    assert len(reproduced) > 70
    for name, row in reproduced.iterrows():
        value = audit.computed(name)["value"]
        assert value == pytest.approx(values[name], rel=1e-12)
        assert scorecard.judge(row.printed, value) == "reproduced"


@needs("moss2018/LSTM/LSTM_differentpartitions_reg_566_10_folds.txt")
def test_the_ninth_column_made_the_printed_spread():
    found = audit.as_run(1, 10)
    assert found["sd_printed"] > 30 * found["sd_as_run"]
    assert 0 < found["ninth"] < 0.05
    assert found["same"] > 0.5
    assert found["apart"] < 0.001 < found["cost"]
