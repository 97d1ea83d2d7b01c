"""Twelve models: scores, their scatter, and what is recorded, against other ways."""

from dataclasses import replace

import numpy as np
import pytest
from grids import grid
from sklearn.metrics import balanced_accuracy_score

from lab.data import boards
from lab.experiments import twelve_models as tm
from lab.record.tables import load_recorded

BALANCED = tm.CHOICES["balanced accuracy"]
EVERY = tm.cells(tm.CHOICES[tm.BASE])


def row(table, choice=tm.BASE, **where):
    rows = load_recorded("twelve_models", table).query("choice == @choice")
    for name, value in where.items():
        rows = rows[rows[name] == value]
    return rows.squeeze()


# --------------------------------------------------------------------------------------
# Cells and scores
# --------------------------------------------------------------------------------------


def test_cells_are_verdicts_in_their_places():
    rows = boards.realmistake().sample(200, random_state=0)
    for one in rows.itertuples():
        place = (EVERY.models.index(one.model), boards.TEMPLATES.index(one.template))
        there = EVERY.verdicts[one.item][place]
        assert there == one.verdict or (np.isnan(there) and np.isnan(one.verdict))
    assert tm.cells(tm.Choice(shared=True)).verdicts.shape == (840, 12, 5)
    assert set(tm.cells(tm.Choice(task="facts")).task) == {"facts"}


def test_a_balanced_score_is_scikit_learn_s():
    scores = tm.scores(EVERY, replace(BALANCED, missing="left out"))
    for m, t in ((0, 0), (8, 0), (11, 4)):
        said = EVERY.verdicts[:, m, t]
        known = ~np.isnan(said)
        theirs = balanced_accuracy_score(EVERY.label[known], said[known])
        assert scores[m, t] == pytest.approx(theirs)


@grid("choice", [BALANCED, tm.Choice(missing="left out")])
def test_values_scatter_as_their_score_does_under_resampling(choice):
    rng, n = np.random.default_rng(0), len(EVERY.label)
    drawn = [
        tm.scores(EVERY.where(rng.integers(n, size=n)), choice)[8, 0]
        for _ in range(400)
    ]
    values = tm.values(EVERY, choice)[:, 8, 0]
    assert values.std(ddof=1) / n**0.5 == pytest.approx(np.std(drawn), rel=0.12)


def test_the_interval_of_a_mean_has_the_standard_error_of_whole_inputs():
    part = replace(EVERY, label=EVERY.input % 2)  # alike within an input
    found = tm.with_ends(lambda part: part.label.mean(), part)
    mean, sizes = part.label.mean(), np.bincount(part.input)
    off = np.bincount(part.input, part.label - mean)[sizes > 0]
    half = (found["high"] - found["low"]) / 2
    assert found["value"] == pytest.approx(mean)
    assert half / 1.96 == pytest.approx(np.sqrt((off**2).sum()) / 900, rel=0.08)


# --------------------------------------------------------------------------------------
# The nine
# --------------------------------------------------------------------------------------


def test_a_template_is_chosen_where_it_may_be_and_scored_elsewhere():
    on = EVERY.task == "maths"
    promised, got = tm.promised_and_got(EVERY, tm.Choice(), on, ~on)
    right = EVERY.verdicts == EVERY.label[:, None, None]
    for m in range(12):
        shares = right[on, m].mean(axis=0)
        assert promised[m] == shares.max()
        assert got[m] == right[~on, m].mean(axis=0)[shares.argmax()]


def test_writers_are_paired_by_input_and_llama_2_makes_more_errors():
    gaps, people = tm.writers_apart(tm.Choice())
    assert people == pytest.approx((385 - 262) / 420)
    rows = boards.realmistake()
    rows = rows[rows.model.eq("gpt-4-0613") & rows.template.eq("3")]
    wide = rows.pivot_table("verdict", "input", "system").dropna()
    gap = wide["Llama-2-70b-chat-hf"] - wide["gpt-4-0613"]
    cell = EVERY.models.index("gpt-4-0613") * 5 + 2
    assert gaps[:, cell].tolist() == gap.tolist()


def test_one_cell_in_sixty_beats_the_constant():
    right = (EVERY.verdicts == EVERY.label[:, None, None]).mean(axis=0)
    assert (right > EVERY.label.mean()).sum() == row("baselines").value == 1
    assert row("baselines").constant == pytest.approx(649 / 900, abs=1e-6)


def test_repeats_narrow_an_interval_as_two_variances_say():
    """Drawn from a model whose two parts are known."""
    rng = np.random.default_rng(0)
    level = rng.normal(size=(20_000, 1))
    scores = level + 2 * rng.normal(size=(20_000, 5))
    assert tm._narrower(scores) == pytest.approx(
        ((1 + 4 / 5) / (1 + 4)) ** 0.5, rel=0.01
    )


def test_a_panel_s_folds_keep_inputs_together_when_asked(monkeypatch):
    seen = []

    class Split(tm.StratifiedGroupKFold):
        def split(self, x, y, groups=None):
            for train, test in super().split(x, y, groups):
                seen.append(set(groups[train]) & set(groups[test]))
                yield train, test

    monkeypatch.setattr(tm, "StratifiedGroupKFold", Split)
    found = tm.panel_scores("maths", shuffles=2, together=True)
    assert found.shape == (2, 5)
    assert not any(seen)
    assert len(seen) == 2 * 5 * 5


def test_what_is_sure_is_sure_for_whole_groups():
    """Forty answers of one input are one observation, not forty."""
    rng = np.random.default_rng(0)
    apart = rng.normal([0.5, -0.5, 0.0], size=(400, 3))
    above, below = tm._surely(apart, np.arange(400))
    assert (above.tolist(), below.tolist()) == (
        [True, False, False],
        [False, True, False],
    )
    groups = np.repeat(np.arange(10), 40)
    alike = np.repeat(rng.normal(size=(10, 3)), 40, axis=0)
    assert not np.any(tm._surely(alike + 0.01 * apart, groups))


def test_a_pair_is_turned_or_keeps_its_order_or_is_open():
    table = load_recorded("twelve_models", "leaderboards")
    assert (table.high == table.of - table.same).all()
    assert (table.low <= table.value).all()
    assert (table.value <= table.high).all()
    scores = tm.scores(EVERY, tm.Choice())
    pairs = [np.sign(a - b) for i, a in enumerate(scores) for b in scores[:i]]
    turned = sum(set(signs) >= {1, -1} for signs in pairs)
    assert row("leaderboards").value == turned


def test_no_result_is_of_one_way_to_count():
    """Each that a page calls steady has its side under every choice."""
    splits = load_recorded("twelve_models", "splits")
    assert (splits.low > row("splits").same_tasks).all()
    assert (load_recorded("twelve_models", "tuning").value > 0).all()
    assert (load_recorded("twelve_models", "intervals").high < 0.95).all()
    seeds = load_recorded("twelve_models", "seeds")
    assert (seeds.low > seeds.as_if_items).all()
    assert (load_recorded("twelve_models", "expected_maximum").low > 0).all()
