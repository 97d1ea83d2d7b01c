"""Cloze questions from docstrings, in the form of the Children's Book Test.

Fifty words of running text are the passage, the twelve that follow are the question;
one of these is missing, which stands in the passage too, and ten words of the passage
are offered. Whole modules are kept in one part, so that nobody is asked about a text
whose other half was trained on.
"""

import functools
import itertools
from collections import Counter
from dataclasses import dataclass

import numpy as np
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression

from evalkit.splits import tokenize
from lab.data import datasets

PASSAGE, QUESTION, OFFERED = 50, 12, 10
# The commonest words are never asked for, nor are those of one or two letters.
COMMON, SHORT = 100, 2
TRAIN, VALIDATION, TEST = 8000, 4000, 2000
# Of one module at most so many: a test set that one module fills says little about
# others.
MOST = {"test": 8, "validation": 30}
# The nested validation sets, each within the next.
NESTED = (250, 500, 1000, 2000, 4000)
UNKNOWN, BLANK = 0, 1
MISSING = "____"


@dataclass(frozen=True, eq=False)
class Questions:
    """One part of the questions.

    Attributes
    ----------
    passages : ndarray of object, shape (N, 50)
        Words.
    questions : ndarray of object, shape (N, 12)
        Words, one of them missing.
    offered : ndarray of object, shape (N, 10)
        Different words of the passage, one of which is missing.
    answer : ndarray of int, shape (N,)
        Which one it is.
    modules : ndarray of object, shape (N,)
        Where each text stands.
    """

    passages: np.ndarray
    questions: np.ndarray
    offered: np.ndarray
    answer: np.ndarray
    modules: np.ndarray

    def __len__(self):
        return len(self.answer)

    def __getitem__(self, chosen):
        """Return some of the questions."""
        return Questions(
            *(
                getattr(self, name)[chosen]
                for name in ("passages", "questions", "offered", "answer", "modules")
            )
        )

    @functools.cached_property
    def places(self):
        """Which offered word stands at each place of the passage; 10 where none does,
        shape (N, 50).
        """
        places = np.full(self.passages.shape, OFFERED)
        for k in range(OFFERED):
            places[self.passages == self.offered[:, [k]]] = k
        return places


def ask(texts, rng):
    """Ask a question about each sixty-two words of some texts.

    Parameters
    ----------
    texts : iterable of (str, str)
        A module, and a text of it.
    rng : numpy.random.Generator
        Chooses which word is missing, and which others are offered.

    Returns
    -------
    Questions
        In the order of the texts; passages that were there before, and those with too
        few words to offer or nothing to ask for, are left out.
    """
    texts = [
        (module, [word for word in tokenize(text) if word.isalpha()])
        for module, text in texts
    ]
    counts = Counter(word for _, words in texts for word in words)
    common = set(sorted(counts, key=lambda word: (-counts[word], word))[:COMMON])
    items, seen = [], set()
    for module, words in texts:
        for first in range(0, len(words) - PASSAGE - QUESTION + 1, PASSAGE + QUESTION):
            passage = words[first : first + PASSAGE]
            question = words[first + PASSAGE : first + PASSAGE + QUESTION]
            names = sorted({word for word in passage if len(word) > SHORT} - common)
            askable = [place for place, word in enumerate(question) if word in names]
            if not askable or len(names) < OFFERED or tuple(passage) in seen:
                continue
            seen.add(tuple(passage))
            missing = askable[rng.integers(len(askable))]
            answer = question[missing]
            others = rng.choice(
                [word for word in names if word != answer], OFFERED - 1, replace=False
            )
            offered = rng.permutation([answer, *others.tolist()]).tolist()
            question[missing] = MISSING
            items.append((passage, question, offered, offered.index(answer), module))
    passages, questions, offered, answer, modules = zip(*items, strict=True)
    words = (np.array(part, dtype=object) for part in (passages, questions, offered))
    return Questions(*words, np.array(answer), np.array(modules, dtype=object))


def _nth_of_module(modules):
    """Return how many of the same module came before each."""
    seen, numbers = Counter(), []
    for module in modules:
        numbers.append(seen[module])
        seen[module] += 1
    return np.array(numbers)


def divide(questions, rng, sizes=(TEST, VALIDATION, TRAIN)):
    """Divide questions into parts that share no module.

    Parameters
    ----------
    questions : Questions
    rng : numpy.random.Generator
        Puts the modules in order; the first fill the test set, the next the validation
        set.
    sizes : tuple of int
        Of test, validation and training part.

    Returns
    -------
    dict of str to Questions
        "test" has the questions of a module together; the others are in random order.
    """
    order = {
        module: i
        for i, module in enumerate(rng.permutation(sorted(set(questions.modules))))
    }
    left = questions[
        np.argsort([order[module] for module in questions.modules], kind="stable")
    ]
    parts = {}
    for part, size in zip(("test", "validation", "train"), sizes, strict=True):
        few = left[_nth_of_module(left.modules) < MOST.get(part, len(left))]
        if len(few) < size:
            raise ValueError(
                f"questions must fill the {part} part with {size}, {len(few)} are left"
            )
        parts[part] = few[:size]
        left = left[~np.isin(left.modules, parts[part].modules)]
    for part in ("validation", "train"):
        parts[part] = parts[part][rng.permutation(len(parts[part]))]
    return parts


@functools.cache
def parts():
    """Return the questions of the reader, the same on every machine.

    Returns
    -------
    dict of str to Questions
    """
    lines = datasets.load_docstrings().drop_duplicates("near_duplicate")
    rng = np.random.default_rng(2018)
    return divide(ask(zip(lines.module, lines.text, strict=True), rng), rng)


@functools.cache
def encoded():
    """Return the questions as numbers: words that the training part has only once are
    one unknown word.

    Returns
    -------
    size : int
        Of the vocabulary.
    parts : dict of str to tuple of ndarray of int
        Of each part the texts, passage and question together; where the gap is in them;
        the places of the offered words in the passage; and the answers.
    """
    questions = parts()
    texts = {
        name: np.hstack([part.passages, part.questions])
        for name, part in questions.items()
    }
    counts = Counter(texts["train"].ravel().tolist())
    counts.pop(MISSING)
    kept = sorted(word for word, count in counts.items() if count > 1)
    numbers = {
        MISSING: BLANK,
        **{word: i for i, word in enumerate(kept, start=BLANK + 1)},
    }

    def encode(words):
        return np.array(
            [[numbers.get(word, UNKNOWN) for word in line] for line in words]
        )

    return len(kept) + 2, {
        name: (
            encode(texts[name]),
            (texts[name] == MISSING).argmax(axis=1),
            part.places,
            part.answer,
        )
        for name, part in questions.items()
    }


# --------------------------------------------------------------------------------------
# What a network has to beat
# --------------------------------------------------------------------------------------


def _counted(questions):
    """Return how often each offered word stands in the passage, and where it stands
    first and last.
    """
    at = questions.places[:, None, :] == np.arange(OFFERED)[:, None]  # (N, 10, 50)
    return (
        at.sum(axis=2),
        at.argmax(axis=2),
        PASSAGE - 1 - at[:, :, ::-1].argmax(axis=2),
    )


def dummies(questions):
    """Answer without reading: by where and how often the offered words stand in the
    passage.

    Parameters
    ----------
    questions : Questions

    Returns
    -------
    dict of str to ndarray of int
        The answers of each rule: always the first one offered; the word that stands
        most often in the passage (the one that stands last, of several); the one that
        comes first; the one that stands last.
    """
    often, first, last = _counted(questions)
    return {
        "first offered": np.zeros(len(questions), dtype=int),
        "most frequent": (often * PASSAGE + last).argmax(axis=1),
        "first to stand": first.argmin(axis=1),
        "last to stand": last.argmax(axis=1),
    }


def _described(questions):
    """Yield the features of each offered word of each question, in order."""
    often, first, last = _counted(questions)
    for i, (passage, question) in enumerate(
        zip(questions.passages, questions.questions, strict=True)
    ):
        blank = question.tolist().index(MISSING)
        beside = {
            "before": question[blank - 1] if blank else passage[-1],
            "after": question[blank + 1] if blank + 1 < QUESTION else None,
        }
        pairs = {"before": set(itertools.pairwise(passage))}
        pairs["after"] = {(b, a) for a, b in pairs["before"]}
        for k, word in enumerate(questions.offered[i]):
            yield {
                "often": np.log(often[i, k]),
                "first": first[i, k] / PASSAGE,
                "last": last[i, k] / PASSAGE,
                "asked": word in question,
                **{
                    f"{side} in passage": (other, word) in pairs[side]
                    for side, other in beside.items()
                },
                f"word {word}": True,
                **{f"{side} {other} {word}": True for side, other in beside.items()},
            }


def linear(train, others):
    """Answer by logistic regression on what stands around the blank and around the
    offered word.

    Parameters
    ----------
    train : Questions
    others : list of Questions

    Returns
    -------
    list of ndarray of int
        The answers to the questions of each part.
    """
    vectors = DictVectorizer()
    known = vectors.fit_transform(_described(train))
    right = (train.answer[:, None] == np.arange(OFFERED)).ravel()
    model = LogisticRegression(max_iter=1000).fit(known, right)
    scores = [
        model.decision_function(vectors.transform(_described(part))) for part in others
    ]
    return [score.reshape(-1, OFFERED).argmax(axis=1) for score in scores]
