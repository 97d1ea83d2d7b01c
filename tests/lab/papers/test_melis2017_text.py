"""Texts, subwords, settings, n-grams, and the guided search."""

import itertools
import re
from collections import Counter

import numpy as np
import pytest
from grids import grid
from upstream import needs

from lab.papers.melis2017.tasks import ngrams, search, settings, text

pytestmark = pytest.mark.slow  # it trains

# --------------------------------------------------------------------------------------
# Subwords
# --------------------------------------------------------------------------------------


def slow_merges(counts, n_merges):
    """Count all pairs anew each time."""
    words, learnt = dict(counts), []
    for _ in range(n_merges):
        pairs = Counter()
        for word, count in words.items():
            for pair in itertools.pairwise(word):
                pairs[pair] += count
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        learnt.append(best)
        merged = Counter()
        for word, count in words.items():
            pieces, i = [], 0
            while i < len(word):
                if word[i : i + 2] == best:
                    pieces.append(best[0] + best[1])
                    i += 2
                else:
                    pieces.append(word[i])
                    i += 1
            merged[tuple(pieces)] += count
        words = merged
    return learnt


@grid("seed", range(5))
def test_merges_are_those_of_counting_anew(seed):
    rng = np.random.default_rng(seed)
    words = Counter(
        "".join(rng.choice(list("aab"), rng.integers(1, 8))) for _ in range(40)
    )
    counts = {(*word, "_"): count for word, count in words.items()}
    assert text.merges(counts, 60) == slow_merges(counts, 60)


WORDS = [
    *("the cat sat on the mat . " * 3 + "the hat . ").split(),
    text.END_OF_SENTENCE,
]


def test_subwords_read_back():
    subwords = text.Subwords(WORDS, 30)
    assert len(subwords) <= 30
    assert subwords.split("the") == ["the_"]
    for word in WORDS[:-1]:
        assert "".join(subwords.split(word)) == word + "_"
    assert subwords.split(text.END_OF_SENTENCE) == [text.END_OF_SENTENCE]
    names = {number: token for token, number in subwords.numbers.items()}
    numbers = subwords.encode(["that", "hat", "\n", "he?"])
    assert "".join(names.get(number, "*") for number in numbers) == "that_hat_\nhe*_"
    assert sorted(names) == list(range(1, len(subwords)))


def test_a_vocabulary_smaller_than_the_alphabet():
    with pytest.raises(
        ValueError, match="vocabulary must exceed 12, one a character; got 5"
    ):
        text.Subwords(WORDS, 5)


def check_parts(name):
    parts = text.documents(name)
    sizes = {"train": 400, "validation": 50, "test": 50}
    assert {part: len(documents) for part, documents in parts.items()} == sizes
    whole = [tuple(document) for part in parts.values() for document in part]
    assert len(set(whole)) == 500
    encoded = text.encoded(name, 500)
    assert encoded.vocabulary == 500
    assert (np.concatenate(encoded.train) != text.UNKNOWN).all()
    assert np.mean(np.concatenate(encoded.test) == text.UNKNOWN) < 1e-3
    return parts


def test_docstrings_in_whole_modules():
    parts = check_parts("docstrings")
    lengths = [len(document) for part in parts.values() for document in part]
    assert min(lengths) >= text.LONG
    assert max(lengths) == text.LONGEST


@pytest.mark.slow
@needs("brown/brown.zip")
def test_brown_in_whole_files():
    check_parts("brown")


def test_a_slice_is_the_first_tokens():
    documents = [np.arange(5), np.arange(5, 8)]
    assert text.slice_of(documents, 6).tolist() == [0, 1, 2, 3, 4, 5]
    assert len(text.slice_of(documents, None)) == 8
    with pytest.raises(
        ValueError, match="tokens must be at most 8, which the text has; got 9"
    ):
        text.slice_of(documents, 9)


# --------------------------------------------------------------------------------------
# Settings
# --------------------------------------------------------------------------------------


def test_settings_read_back_to_the_bit():
    for trial in range(20):
        setting = settings.drawn(trial)
        assert settings.read(settings.write(setting)) == setting
    assert settings.drawn(0) != settings.drawn(1)


def test_ends_of_the_ranges():
    low, high = (settings.setting_at([end] * 6) for end in (0, 1))
    assert (low["learning_rate"], high["learning_rate"]) == (0.001, 0.05)
    assert (low["input_dropout"], high["input_dropout"]) == (0, 0.8)
    middle = settings.setting_at([0.5] * 6)
    assert middle["learning_rate"] == pytest.approx(np.sqrt(0.001 * 0.05), rel=1e-3)


@grid("model", settings.RELEASED)
@needs("melis2017/lamb/ptb_10m_lstm_d1/hps_proto")
def test_released_settings_are_those_of_the_files(model):
    from lab.data.sources import opened

    with opened(f"melis2017/lamb/{model}/hps_proto") as path:
        content = path.read_text(encoding="utf-8")
    found = dict(re.findall(r'key: "(\w+)"\s+value \{\s+\w+: (\S+)', content))
    assert [float(found[name]) for name in settings.DEEP] == list(
        settings.RELEASED[model]
    )
    assert int(found["num_layers"]) == settings.RELEASED_DEPTHS[model]


# --------------------------------------------------------------------------------------
# n-grams
# --------------------------------------------------------------------------------------


def test_a_unigram_by_hand():
    (found,) = ngrams.unigram(np.array([0, 0, 1]), [np.array([2, 0, 1, 2])], 3)
    assert np.exp(-found) == pytest.approx([3 / 6, 2 / 6, 1 / 6])


def test_kneser_ney_by_hand():
    # Bigrams 0 1 (twice), 1 0, 1 2, 2 2: three are there once and one twice, so the
    # discount is 3 / 5. Before 0 stands one token, before 1 one, before 2 two: of
    # these, two stand once and one twice, so 2 / 4.
    model = ngrams.KneserNey(np.array([0, 1, 0, 1, 2, 2]), 3, 2)
    lower = (2 - 1 / 2 + 3 * (1 / 2) * (1 / 3)) / 4
    assert model.probability(2, (1,)) == pytest.approx(
        (1 - 3 / 5 + 2 * (3 / 5) * lower) / 2
    )
    assert model.probability(2, ()) == pytest.approx(lower)


@grid("order", ngrams.ORDERS)
def test_kneser_ney_is_a_distribution_in_any_context(order):
    rng = np.random.default_rng(0)
    model = ngrams.KneserNey(
        rng.choice(6, size=300, p=[0.4, 0.3, 0.1, 0.1, 0.05, 0.05]), 7, order
    )
    for _ in range(20):
        context = tuple(rng.integers(7, size=rng.integers(0, 6)).tolist())
        chances = [model.probability(token, context) for token in range(7)]
        assert min(chances) > 0
        assert sum(chances) == pytest.approx(1)


def test_a_document_is_scored_from_its_second_token():
    train = np.tile([0, 1, 2], 50)
    model = ngrams.KneserNey(train, 3, 3)
    (found,) = model.losses([np.array([1, 2, 0, 1])])
    expected = [
        model.probability(2, (1,)),
        model.probability(0, (1, 2)),
        model.probability(1, (2, 0)),
    ]
    assert np.exp(-found) == pytest.approx(expected)


# --------------------------------------------------------------------------------------
# The guided search
# --------------------------------------------------------------------------------------


def test_the_search_ends_nearer_than_it_begins_and_is_decided_by_its_seed():
    def far(setting):
        return sum(
            (setting[name] - 0.3) ** 2
            for name in ("input_dropout", "state_dropout", "output_dropout")
        )

    tried, values = search.guided(far, 17, seed=1)
    assert [far(setting) for setting in tried] == values.tolist()
    assert values[10:].min() < values[:10].min() / 2
    again, _ = search.guided(far, 11, seed=1)
    assert again == tried[:11]
    other, _ = search.guided(far, 11, seed=2)
    assert other[0] != tried[0]


def test_a_batch_is_asked_for_before_any_of_it_is_told(monkeypatch):
    """The settings of a batch do not depend on the values of the same batch, but on
    those before.
    """

    def path(change_from):
        values = iter(np.sin(np.arange(13) + (np.arange(13) >= change_from)))
        return search.guided(lambda setting: float(next(values)), 13, seed=3)[0]

    monkeypatch.setattr(search, "BATCH", 2)
    one, other = path(13), path(11)  # within the first batch after those at random
    assert one[:12] == other[:12]
    assert one[12:] != other[12:]
