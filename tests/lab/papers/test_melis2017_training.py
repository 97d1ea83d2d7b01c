"""Trials: what is trained on, what is scored, what is kept."""

import dataclasses
import itertools

import numpy as np
import pytest
from grids import grid

from lab.record.tables import unpack

torch = pytest.importorskip("torch")

from lab.papers.melis2017.tasks import (  # noqa: E402
    networks,
    runs,
    settings,
    text,
    training,
)

pytestmark = pytest.mark.slow  # it trains

VOCABULARY = 20
SETTING = settings.setting_at([0.7, 0.5, 0.2, 0.2, 0.2, 0.3])


def made_up(count, length, rng):
    """Documents of a text in which one token mostly follows another."""
    found = []
    for _ in range(count):
        tokens = [int(rng.integers(VOCABULARY))]
        for _ in range(length - 1):
            tokens.append(
                (3 * tokens[-1] + 1) % VOCABULARY
                if rng.random() < 0.8
                else int(rng.integers(VOCABULARY))
            )
        found.append(np.array(tokens))
    return found


@pytest.fixture
def small(monkeypatch):
    """A plan of seconds, on a text that is made up."""
    rng = np.random.default_rng(0)
    documents = {part: made_up(6, 40 + part, rng) for part in range(3)}
    made = text.Text(VOCABULARY, documents[0] * 4, documents[1], documents[2])
    monkeypatch.setattr(training, "encoded", lambda name, vocabulary: made)
    plan = training.Plan(tokens=900, parameters=1500, updates=40, sequences=4, steps=10)
    monkeypatch.setattr(
        runs, "Plan", lambda **changed: dataclasses.replace(plan, **changed)
    )
    monkeypatch.setattr(runs, "LARGER", 3000)
    return plan


def model_of(cell="lstm", **changed):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return networks.LanguageModel(
            networks.Architecture(cell, **changed), VOCABULARY, 8, 6
        )


# --------------------------------------------------------------------------------------
# Losses
# --------------------------------------------------------------------------------------


@grid("cell", runs.CELLS)
def test_a_loss_does_not_depend_on_how_a_text_is_batched(cell):
    """Nor on how long the documents beside are, nor on where a batch of steps ends."""
    rng = np.random.default_rng(1)
    documents = [made_up(1, length, rng)[0] for length in (2, 31, 17, 30, 5)]
    model = model_of(cell)
    alone = [
        training.losses(model, [document], at_once=len(document))[0]
        for document in documents
    ]
    assert [len(part) for part in alone] == [1, 30, 16, 29, 4]
    for at_once, together in itertools.product((1, 7, 10, 30, 100), (1, 2, 5)):
        found = training.losses(model, documents, at_once=at_once, together=together)
        for one, other in zip(found, alone, strict=True):
            assert one == pytest.approx(other, abs=1e-5)


def test_a_loss_is_that_of_a_token_after_those_before():
    model, (document,) = model_of(), made_up(1, 12, np.random.default_rng(2))
    (found,) = training.losses(model, [document])
    for i in range(1, 12):
        predicted, _ = model(torch.as_tensor(document[:i, None]), model.start(1))
        assert found[i - 1] == pytest.approx(
            -predicted[-1, 0, document[i]].item(), abs=1e-5
        )


@grid("count", [1, 2, 7, 29])
def test_pieces_predict_each_token_once(count):
    tokens = np.arange(30)
    pieces = training.cut(tokens, count)
    assert len(pieces) == count
    assert np.concatenate([piece[1:] for piece in pieces]).tolist() == list(
        range(1, 30)
    )
    assert [piece[0] for piece in pieces[1:]] == [piece[-1] for piece in pieces[:-1]]
    assert np.ptp([len(piece) for piece in pieces]) <= 1


def test_streams_go_on_from_batch_to_batch():
    found = training.streams(np.arange(23), 4)
    assert found.tolist() == [[k, 5 + k, 10 + k, 15 + k] for k in range(5)]


# --------------------------------------------------------------------------------------
# A trial
# --------------------------------------------------------------------------------------


def run(plan, setting=SETTING, seed=0, **more):
    return training.run(plan, runs.CELLS["lstm"], setting, seed, **more)


@pytest.mark.parametrize("cell", runs.CELLS)
def test_a_trial_learns_and_is_decided_by_its_seed(small, cell):
    _, result = training.run(small, runs.CELLS[cell], SETTING, 0)
    assert result["validation"] < 0.95 * np.log(VOCABULARY)
    assert result["test"] < 0.95 * np.log(VOCABULARY)
    assert result["updates"] == 40
    assert result["diverged"] == 0
    assert networks.parameters_of(
        networks.Architecture(**runs.CELLS[cell]), VOCABULARY, result["hidden"], result["embedding"]
    ) <= small.parameters  # fmt: skip
    again, other = (
        training.run(small, runs.CELLS[cell], SETTING, seed)[1] for seed in (0, 1)
    )
    assert 0 < result.pop("learning") < result.pop("processor")
    assert {name: again[name] for name in result} == result
    assert other["validation"] != result["validation"]


def test_what_is_kept_is_the_best_checkpoint(small):
    """The learning rate is so high that validation gets worse again."""
    trained, result = run(small, {**SETTING, "learning_rate": 0.3})
    curve = trained.curves[1]
    best = int(np.argmin(curve))
    assert best < len(curve) - 1
    assert result["validation"] == pytest.approx(min(curve), abs=1e-6)
    assert result["passes"] == pytest.approx((best + 1) * 4 * 40 / 900, abs=1e-3)
    for part, name in (
        (small.encoded.validation, "validation"),
        (small.encoded.test, "test"),
    ):
        loss = np.concatenate(training.losses(trained.model, part)).mean()
        assert result[name] == pytest.approx(loss, abs=1e-6)


def test_the_learning_rate_falls_twice_and_then_the_trial_ends(small, monkeypatch):
    rates = []

    class Adam(torch.optim.Adam):
        def step(self):
            rates.append(self.param_groups[0]["lr"])
            # Nothing is learnt, so that validation never improves.

    monkeypatch.setattr(torch.optim, "Adam", Adam)
    _, result = run(small, {**SETTING, "learning_rate": 0.01})
    # A checkpoint every 4 updates, and two of them until a fall.
    assert rates == pytest.approx([0.01] * 8 + [0.001] * 8 + [0.0001] * 8)
    assert (result["updates"], result["passes"]) == (24, 0)


def test_a_trial_that_diverges_is_a_row(small):
    _, result = run(small, {**SETTING, "learning_rate": 1e4})
    assert result["diverged"] == 1
    assert result["validation"] <= np.log(VOCABULARY) + 1
    assert np.isfinite(result["test"])


def test_a_training_loss_that_is_no_number_ends_the_trial(small, monkeypatch):
    from torch.nn import functional

    real, calls = functional.nll_loss, []

    def failing(*arguments):
        calls.append(0)
        return real(*arguments) * (float("nan") if len(calls) == 10 else 1)

    monkeypatch.setattr(functional, "nll_loss", failing)
    _, result = run(small)
    assert (result["updates"], result["diverged"]) == (9, 1)
    assert 0 < result["validation"] < np.log(VOCABULARY) + 1


@pytest.mark.parametrize(
    ("share", "updates_from_zero"),
    # By default at the beginning of each pass; one more stands before the first.
    [(training.ZERO_STATE, np.ceil(40 / np.ceil((900 // 4 - 1) / 10))), (1.0, 40)],
)
def test_where_a_batch_begins_with_the_zero_state(
    small, monkeypatch, share, updates_from_zero
):
    """At the beginning of the text, and at random one time in a hundred."""
    starts, model = [], model_of()
    real = model.start
    model.start = lambda sequences: starts.append(sequences) or real(sequences)
    monkeypatch.setattr(training, "ZERO_STATE", share)
    with training._one_seeded_thread(0):
        training.fit(model, small, SETTING)
    # Those of scoring have as many sequences as documents.
    assert starts.count(4) == 1 + updates_from_zero


def test_rates_are_those_of_the_setting():
    deep = SETTING | {"intra_layer_dropout": 0.4}
    assert training.rates_of(deep) == {
        "input": deep["input_dropout"],
        "state": deep["state_dropout"],
        "output": deep["output_dropout"],
        "between": deep["intra_layer_dropout"],
    }
    assert training.rates_of(SETTING)["between"] == 0


# --------------------------------------------------------------------------------------
# The units
# --------------------------------------------------------------------------------------

CHOSEN = settings.write(SETTING)


def test_a_trial_of_a_pool_has_the_setting_of_its_number(small):
    for table in (runs.pool, runs.elsewhere, runs.budget):
        found = table("lstm", 3)
        assert found["validation"] > 0
    found = runs.pool("lstm", 3)
    assert {name: found[name] for name in settings.RANGES} == settings.drawn(3)
    assert runs.budget("lstm", 3)["hidden"] > found["hidden"]


def test_as_wide_as_the_lstm(small):
    for cell in ("rhn", "nas"):
        found, narrow = runs.widths(cell, 3), runs.pool("lstm", 3)
        assert (found["hidden"], found["embedding"]) == (
            narrow["hidden"],
            narrow["embedding"],
        )
        assert found["parameters"] > small.parameters


def test_a_rerun_is_the_same_whoever_chose_it(small):
    one, other = (
        runs.seeds("lstm", "brown", of, CHOSEN, 0) for of in ("pool", "pool again")
    )
    assert one["validation"] == other["validation"]
    assert one["documents"] == other["documents"]
    assert (
        runs.seeds("lstm", "brown", "pool", CHOSEN, 1)["validation"]
        != one["validation"]
    )
    # The mean over tokens is that of documents, for the made-up ones are equally long.
    assert np.mean(list(map(float, unpack(one["documents"])))) == pytest.approx(
        one["test"], abs=1e-4
    )


def test_more_text_is_passed_over_as_often(small, monkeypatch):
    monkeypatch.setattr(runs, "TOKENS", 900)
    monkeypatch.setattr(runs, "UPDATES", 40)
    monkeypatch.setattr(
        runs,
        "run",
        lambda plan, architecture, setting, seed: (None, {"plan": plan, **setting}),
    )
    short, long = (
        runs.lengths("nas", CHOSEN, tokens, 0, 0)["plan"] for tokens in (450, 900)
    )
    assert short.passes(short.updates) == pytest.approx(
        long.passes(long.updates), rel=0.05
    )
    bare, whole = (runs.lengths("nas", CHOSEN, 450, dropout, 0) for dropout in (0, 1))
    assert [bare[name] for name in runs.DROPOUTS] == [0, 0, 0]
    assert {name: whole[name] for name in SETTING} == SETTING
    assert bare["learning_rate"] == SETTING["learning_rate"]


def test_a_guided_search_keeps_its_best_trial(small, monkeypatch):
    found = runs.guided("lstm", 0, 12)
    validations, tests = unpack(found["validations"]), unpack(found["tests"])
    assert len(validations) == len(tests) == len(unpack(found["processors"])) == 12
    best = int(np.argmin(validations))
    assert (found["validation"], found["test"]) == pytest.approx(
        (validations[best], tests[best]), rel=1e-5
    )
    assert set(settings.read(found["best"])) == set(settings.RANGES)


def test_overfitting_shows_in_both_curves(small):
    found = runs.overfits("lstm", 0)
    assert (
        len(unpack(found["training"]))
        == len(unpack(found["curve"]))
        == small.checkpoints
    )


def test_released_settings_are_run_as_deep_as_they_are(small, monkeypatch):
    monkeypatch.setattr(
        runs,
        "run",
        lambda plan, architecture, setting, seed: (None, architecture | setting),
    )
    for model, values in settings.RELEASED.items():
        found = runs.released(model, 0)
        assert found["depth"] == settings.RELEASED_DEPTHS[model]
        assert [found[name] for name in settings.DEEP] == list(values)


def test_a_cache_by_hand():
    document = np.array([5, 6, 5, 5, 7])
    assert runs.remembered(document) == pytest.approx([0, 1 / 2, 2 / 3, 0])
    chances = np.array([0.1, 0.2, 0.3, 0.4])
    mixed = 0.75 * chances + 0.25 * np.array([0, 1 / 2, 2 / 3, 0])
    assert runs.with_cache([-np.log(chances)], [document], 0.25) == pytest.approx(
        -np.log(mixed).mean()
    )
    assert runs.with_cache([-np.log(chances)], [document], 0.0) == pytest.approx(
        -np.log(chances).mean()
    )


def test_a_cache_forgets(monkeypatch):
    monkeypatch.setattr(runs, "REMEMBERED", 2)
    assert runs.remembered(np.array([5, 6, 7, 5, 7])) == pytest.approx([0, 0, 0, 1 / 2])


def test_evaluated_otherwise(small, monkeypatch):
    monkeypatch.setattr(runs, "SEQUENCES", 8)
    found = runs.evaluated("lstm", CHOSEN, 0)
    trained, _ = training.run(
        small, runs.CELLS["lstm"], SETTING, settings.seed_of("evaluated", "lstm", 0)
    )
    whole = np.concatenate(small.encoded.test)
    (one,) = training.losses(trained.model, [whole])
    assert found["one"] == pytest.approx(one.mean(), abs=1e-5)
    many = np.concatenate(training.losses(trained.model, training.cut(whole, 8)))
    assert found["many"] == pytest.approx(many.mean(), abs=1e-5)
    (tenth,) = training.losses(trained.model, [whole[: len(whole) // 10]])
    assert found["one_tenth"] == pytest.approx(tenth.mean(), abs=1e-5)
    assert found["many_tenth"] != found["one_tenth"]
    assert found["weight"] in runs.WEIGHTS


def test_the_whole_text_in_as_many_passes(small, monkeypatch):
    plans = []
    trained = training.Trained(model_of(), 0.0, 0.0, 0, False, ([], []), 0.0)
    monkeypatch.setattr(
        runs,
        "run",
        lambda plan, architecture, setting, seed: plans.append(plan) or (trained, {}),
    )
    runs.final("lstm", CHOSEN, 0)
    (plan,) = plans
    assert len(plan.slice) == 24 * 40
    assert plan.passes(plan.updates) == pytest.approx(runs.PASSES_WHOLE, abs=0.05)
    assert plan.parameters == 3000


def test_baselines_beat_nothing_and_are_chosen_on_validation(small):
    found = runs.baselines("brown", 900)
    assert found["ngram"] < found["unigram"] < np.log(VOCABULARY) + 0.1
    assert found["order"] in runs.ngrams.ORDERS
    assert unpack(found["tokens_scored"]).tolist() == [41] * 6
    for name in ("ngram", "unigram"):
        assert np.mean([float(v) for v in unpack(found[f"{name}s"])]) == pytest.approx(
            found[name], abs=1e-4
        )
