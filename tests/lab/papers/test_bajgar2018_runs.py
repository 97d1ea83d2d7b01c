"""Our own runs for Bajgar et al.: the questions, the two networks, and what they have
to beat.
"""

import itertools
import json
from collections import Counter

import numpy as np
import pytest
from grids import grid

from lab.papers.bajgar2018.tasks import cloze, training
from lab.papers.bajgar2018.tasks.cloze import Questions
from lab.record import tables

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.slow  # it trains

LETTERS = "abcdefghijklmnopqrstuvwxyz"
COMMON = [a + b for a, b in itertools.product("xyz", LETTERS)] + [
    a * 3 for a in LETTERS[:22]
]
RARE = ["w" + a + b for a, b in itertools.product(LETTERS[:15], LETTERS[:20])]


def texts(modules=40, seed=0, each=3):
    """Texts of a hundred common and three hundred rare words, some of which come again
    soon.
    """
    rng = np.random.default_rng(seed)
    for module in range(modules):
        for _ in range(rng.integers(1, each + 1)):
            topic = rng.choice(RARE, 25)
            words = np.where(
                rng.random(140) < 0.35, rng.choice(topic, 140), rng.choice(COMMON, 140)
            )
            yield f"package.m{module}", " ".join(words)


@pytest.fixture(scope="module")
def questions():
    return cloze.ask(texts(), np.random.default_rng(1))


# --------------------------------------------------------------------------------------
# Questions
# --------------------------------------------------------------------------------------


def test_a_question_is_what_follows_its_passage(questions):
    every = {
        tuple(words)
        for module, text in texts()
        for words in (text.split()[:62], text.split()[62:124])
    }
    for i in range(len(questions)):
        question = questions.questions[i].tolist()
        answer = questions.offered[i, questions.answer[i]]
        whole = [
            *questions.passages[i],
            *(answer if word == cloze.MISSING else word for word in question),
        ]
        assert question.count(cloze.MISSING) == 1
        assert tuple(whole) in every
        offered = questions.offered[i].tolist()
        assert len(set(offered)) == cloze.OFFERED
        assert set(offered) <= set(questions.passages[i]) & set(RARE)  # nothing common
    assert set(questions.answer) == set(range(cloze.OFFERED))  # anywhere among the ten


def test_places_of_what_is_offered(questions):
    for passage, offered, places in zip(
        questions.passages, questions.offered, questions.places, strict=True
    ):
        found = [offered[place] if place < cloze.OFFERED else None for place in places]
        assert found == [word if word in offered else None for word in passage]


def test_parts_share_no_module(questions):
    parts = cloze.divide(questions, np.random.default_rng(2), sizes=(20, 15, 30))
    assert [len(parts[name]) for name in ("test", "validation", "train")] == [
        20,
        15,
        30,
    ]
    for a, b in itertools.combinations(parts.values(), 2):
        assert not set(a.modules) & set(b.modules)
    starts = [module for module, _ in itertools.groupby(parts["test"].modules)]
    assert len(starts) == len(set(starts))  # together, as `families` has them
    with pytest.raises(ValueError, match="fill the train part with 3000"):
        cloze.divide(questions, np.random.default_rng(2), sizes=(20, 15, 3000))


def test_one_module_cannot_fill_a_part(monkeypatch, questions):
    monkeypatch.setattr(cloze, "MOST", {"test": 2, "validation": 1})
    parts = cloze.divide(questions, np.random.default_rng(2), sizes=(20, 8, 20))
    for name, most in cloze.MOST.items():
        assert max(np.unique(parts[name].modules, return_counts=True)[1]) == most


def test_dummies_by_hand():
    """Two questions with passages whose words are known; the first ten are offered."""
    names = [f"n{a}" for a in LETTERS[:10]]
    one = [*names, "nc", *["to"] * 38, "nb"]
    other = ["to", *names[::-1], *["nd", "to"] * 10, *["to"] * 19]
    asked = [
        ["to"] * 4 + [cloze.MISSING] + ["to"] * 7,
        [cloze.MISSING] + ["nd"] + ["to"] * 10,
    ]
    parts = [[one, other], asked, [names, names], [2, 3], ["a", "b"]]
    found = cloze.dummies(Questions(*map(np.array, parts)))
    assert found["first offered"].tolist() == [0, 0]
    assert found["first to stand"].tolist() == [0, 9]
    # Two stand twice: the one that comes last.
    assert found["most frequent"].tolist() == [1, 3]
    assert found["last to stand"].tolist() == [1, 3]


def test_the_linear_model_learns_what_stands_beside_the_blank():
    """The missing word stands once more after the same rare word."""
    rng, lines = np.random.default_rng(0), []
    for _ in range(600):
        passage = [*rng.permutation(RARE)[:40], *rng.choice(COMMON, 10)]
        place = rng.integers(1, 40)
        offered = rng.permutation(
            [
                passage[place],
                *rng.choice(
                    passage[:place] + passage[place + 1 : 40], 9, replace=False
                ),
            ]
        )
        question = ["xx"] * 5 + [passage[place - 1], cloze.MISSING] + ["xx"] * 5
        lines.append(
            (passage, question, offered, offered.tolist().index(passage[place]))
        )
    passages, asked, offered, answer = (list(part) for part in zip(*lines, strict=True))
    words = (np.array(part, dtype=object) for part in (passages, asked, offered))
    whole = Questions(*words, np.array(answer), np.array(["a"] * 600, dtype=object))
    (found,) = cloze.linear(whole[:400], [whole[400:]])
    assert (found == whole.answer[400:]).mean() > 0.95
    assert (
        max(
            (a == whole.answer[400:]).mean()
            for a in cloze.dummies(whole[400:]).values()
        )
        < 0.3
    )


@pytest.fixture
def small(monkeypatch, questions):
    """Few questions and few epochs."""
    parts = cloze.divide(questions, np.random.default_rng(2), sizes=(16, 20, 30))
    monkeypatch.setattr(cloze, "parts", lambda: parts)
    cloze.encoded.cache_clear()
    monkeypatch.setattr(cloze, "NESTED", (5, 10, 20))
    monkeypatch.setattr(training, "EPOCHS", {"digits": 2, "reader": 2})
    yield parts
    cloze.encoded.cache_clear()


def test_numbers_of_words_come_from_the_training_part(small):
    size, parts = cloze.encoded()
    train = small["train"]
    seen = Counter(np.r_[train.passages.ravel(), train.questions.ravel()])
    for name, (numbers, gaps, places, answer) in parts.items():
        part = small[name]
        assert (places == part.places).all()
        assert (answer == part.answer).all()
        whole = np.hstack([part.passages, part.questions])
        is_blank, of_word = whole == cloze.MISSING, np.vectorize(seen.get)
        assert (is_blank.argmax(axis=1) == gaps).all()
        assert (is_blank == (numbers == cloze.BLANK)).all()
        is_rare = (of_word(whole, 0) < 2) & ~is_blank
        assert (is_rare == (numbers == cloze.UNKNOWN)).all()
        assert numbers.max() < size


# --------------------------------------------------------------------------------------
# Networks
# --------------------------------------------------------------------------------------


def test_an_image_moves_by_a_pixel():
    images = torch.rand(40, 1, 8, 8)
    padded = torch.nn.functional.pad(images, (1, 1, 1, 1))
    torch.manual_seed(0)
    moved, seen = training._moved(images), set()
    for i in range(40):
        fits = [
            (r, c)
            for r, c in itertools.product(range(3), repeat=2)
            if torch.equal(moved[i, 0], padded[i, 0, r : r + 8, c : c + 8])
        ]
        seen |= set(fits)
        assert fits
    assert len(seen) == 9


def reader():
    torch.manual_seed(0)
    return training._attention_sum_reader(vocabulary=30, embedding=4, hidden=3)


def test_the_chance_of_a_word_is_the_sum_over_its_places():
    network = reader()
    whole = torch.randint(30, (2, cloze.PASSAGE + cloze.QUESTION))
    places = torch.randint(cloze.OFFERED + 1, (2, cloze.PASSAGE))
    gaps = torch.tensor([50, 57])
    chances = network(whole, gaps, places)
    for i in range(2):
        vectors = network.words(whole[i])
        # Read the words before a place from the left, and those after it from the
        # right.
        left = [network.read(vectors[None, :k])[0][0, -1, :3] for k in range(1, 62)]
        right = [network.read(vectors[None, k:])[0][0, 0, 3:] for k in range(1, 62)]
        around = torch.stack(
            [
                torch.cat([a, b])
                for a, b in zip(
                    [torch.zeros(3), *left], [*right, torch.zeros(3)], strict=True
                )
            ]
        )
        # `match` begins as one to one.
        attention = (around[: cloze.PASSAGE] @ around[gaps[i]]).softmax(dim=0)
        expected = [
            attention[places[i] == k].sum().item() for k in range(cloze.OFFERED + 1)
        ]
        assert chances[i].tolist() == pytest.approx(expected, abs=1e-6)
    assert chances.sum(dim=1).tolist() == pytest.approx([1, 1])


@pytest.mark.parametrize("network", ["digits", "reader"])
@pytest.mark.parametrize("kind", ["fixed", "random"])
def test_the_number_of_a_run_decides_it(small, network, kind):
    torch.manual_seed(5)
    before = torch.get_rng_state()
    found, again, other = (training.trained(network, kind, run) for run in (3, 3, 4))
    assert torch.equal(torch.get_rng_state(), before)
    assert found == again
    assert found != other
    if kind == "random":
        assert {name: found[name] for name in training.FIXED[network]} != {
            name: other[name] for name in training.FIXED[network]
        }
    else:
        right = np.unpackbits(
            np.frombuffer(bytes.fromhex(found["right"][1:]), dtype=np.uint8)
        )
        assert right.mean() == found["test"]
    if network == "reader":
        *_, last = tables.unpack(found["nested"])
        assert last == pytest.approx(found["validation"])


def test_a_run_counts_where_it_is_best_and_first_so(monkeypatch):
    """The epoch is told by the test set."""
    done, validation = [], (3, 7, 5, 7, 6)

    def right(part):
        if part == "test":
            return np.arange(16) < len(done)
        return np.arange(10) < validation[len(done) - 1]

    made = lambda number: done.append(number) or 0.5, right
    monkeypatch.setattr(training, "_train_digits", lambda settings: made)
    monkeypatch.setattr(training, "EPOCHS", {"digits": 5})
    found = training.trained("digits", "fixed", 0)
    assert (found["validation"], found["test"]) == (0.7, 2 / 16)
    assert (found["epoch"], found["diverged"]) == (2, 0)


def test_a_run_that_diverges_is_a_row(small, monkeypatch):
    fixed = training.FIXED["digits"] | {"learning_rate": 1e30}
    monkeypatch.setattr(training, "FIXED", {"digits": fixed})
    found = training.trained("digits", "fixed", 0)
    assert found["diverged"] == 1
    assert 0 <= found["test"] < 0.3
    json.dumps(found, allow_nan=False)


def test_what_the_reader_has_to_beat(small):
    found = training.baselines("reader")
    answers = {name: cloze.dummies(small[name]) for name in ("validation", "test")}
    on_validation = {
        k: (v == small["validation"].answer).mean()
        for k, v in answers["validation"].items()
    }
    assert on_validation[found["rule"]] == max(on_validation.values())
    assert (
        found["dummy"]
        == (answers["test"][found["rule"]] == small["test"].answer).mean()
    )
    sizes = tables.unpack(found["families"]).astype(int)
    modules = [module for module, _ in itertools.groupby(small["test"].modules)]
    assert np.repeat(modules, sizes).tolist() == small["test"].modules.tolist()
    assert cloze.MISSING in found["questions"].split()
    assert found["answer"] in {*found["offered"].split()} & {*found["passages"].split()}


@grid("network", ["digits", "reader"])
def test_hyperparameters_are_drawn_from_what_is_stated(network):
    rng = np.random.default_rng(0)
    found = [training.drawn(network, rng) for _ in range(3000)]
    limits = {
        "width": (4, 20),
        "learning_rate": (10**-2.5, 10**-0.5),
        "weight_decay": (1e-5, 1e-2),
    }
    limits |= {"embedding": (8, 64), "hidden": (8, 64)}
    limits["batch_size"] = (8, 64) if network == "digits" else (16, 128)
    logarithmic = {"learning_rate", "weight_decay"} | (
        {"batch_size"} if network == "reader" else set()
    )
    for name, fixed in training.FIXED[network].items():
        values = np.array([one[name] for one in found])
        low, high = limits[name]
        assert low <= values.min() <= fixed <= values.max() <= high
        middle = np.sqrt(low * high) if name in logarithmic else (low + high) / 2
        assert np.median(values) == pytest.approx(middle, rel=0.15)
