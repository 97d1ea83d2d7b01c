"""Texts to model, cut into documents and subwords.

Brown is the stand-in of the Penn Treebank's size, the docstrings are a second text that
needs no download. Each is divided into whole documents, files or modules, drawn at
random and the same on every machine: what is held out is always another document. Of
the held-out ones the first words alone are taken, so that all weigh about the same:
what varies from document to document is then seen of many.

A text of lower-case words becomes subwords by byte-pair encoding (Sennrich et al.,
2016), learnt from all training documents: whatever the length that is trained on, a
loss is per the same token.
"""

import functools
import heapq
import itertools
from collections import Counter, defaultdict
from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import train_test_split

from evalkit.splits import tokenize
from lab.data import corpora, datasets

# Documents held out for validation and for the test, and how many words of each are
# scored.
HELD_OUT = {"validation": 50, "test": 50}
SCORED = {"validation": 200, "test": 600}
# A module with less than that is no document, and of a longer one that much is taken:
# as long as Brown's.
LONG, LONGEST = 1000, 2300
# Of the docstrings as many modules as Brown has files.
DOCUMENTS = 500
END_OF_SENTENCE, END_OF_WORD = "\n", "_"
UNKNOWN = 0


@dataclass(frozen=True, eq=False)
class Text:
    """A text as numbers of subwords.

    Attributes
    ----------
    vocabulary : int
        How many different tokens there are, the unknown one among them.
    train, validation, test : list of ndarray of int
        The tokens of each document.
    """

    vocabulary: int
    train: list
    validation: list
    test: list


@functools.cache
def documents(text):
    """Return the documents of a text in three parts, the same on every machine.

    Parameters
    ----------
    text : {"brown", "docstrings"}

    Returns
    -------
    dict of str to list of list of str
        For "train", "validation" and "test" the words of each document, whole; a
        sentence of Brown, or a docstring, ends with a line break.
    """
    if text == "brown":
        table = corpora.brown_words()
        table["word"] = table.word.str.lower()
        kinds = table.groupby("file").category.first()
        lines = table.groupby(["file", "sentence"]).word.agg(list)
    else:
        table = datasets.load_docstrings().drop_duplicates("near_duplicate")
        table["words"] = [tokenize(line) for line in table.text]
        size = table.groupby("module").words.agg(lambda words: sum(map(len, words)))
        table = table[table.module.map(size) >= LONG]
        kinds = table.groupby("module").package.first()
        if len(kinds) > DOCUMENTS:
            kinds, _ = train_test_split(
                kinds, train_size=DOCUMENTS, stratify=kinds, random_state=2017
            )
        lines = table.reset_index().set_index(["module", "index"]).words
    whole = {
        name: [word for words in lines[name] for word in (*words, END_OF_SENTENCE)][
            :LONGEST
        ]
        for name in sorted(kinds.index)
    }
    left, parts = sorted(whole), {}
    for part, size in HELD_OUT.items():
        left, chosen = train_test_split(
            left, test_size=size, stratify=kinds[left], random_state=2017
        )
        parts[part] = [whole[name] for name in chosen]
    return {"train": [whole[name] for name in left], **parts}


def merges(counts, n_merges):
    """Learn byte-pair encoding: which two neighbouring pieces become one, again and
    again.

    Parameters
    ----------
    counts : dict of tuple of str to int
        How often each word occurs; a word is its pieces.
    n_merges : int

    Returns
    -------
    list of tuple of str
        The commonest pair of each round, the first by name of equally common ones;
        fewer where no two pieces are left.
    """
    words, frequency = [list(word) for word in counts], list(counts.values())
    pairs, places = Counter(), defaultdict(set)
    for i, word in enumerate(words):
        for pair in itertools.pairwise(word):
            pairs[pair] += frequency[i]
            places[pair].add(i)
    queue = [(-count, pair) for pair, count in pairs.items()]
    heapq.heapify(queue)
    learnt = []
    while len(learnt) < n_merges and queue:
        count, pair = heapq.heappop(queue)
        if -count != pairs[pair]:
            continue  # an entry that a later one has replaced
        learnt.append(pair)
        changed = set()
        for i in sorted(places.pop(pair)):
            word = words[i]
            found = [
                k for k, here in enumerate(itertools.pairwise(word)) if here == pair
            ]
            if not found:
                continue  # a merge since has taken it apart
            # Only the neighbours of what is merged change: the other pairs need not be
            # counted anew.
            begin, end = max(found[0] - 1, 0), found[-1] + 3
            merged = _merged(word[begin:end], pair)
            for old in itertools.pairwise(word[begin:end]):
                pairs[old] -= frequency[i]
                changed.add(old)
            words[i] = word[:begin] + merged + word[end:]
            for new in itertools.pairwise(merged):
                pairs[new] += frequency[i]
                places[new].add(i)
                changed.add(new)
        for old in changed - {pair}:
            if pairs[old] > 0:
                heapq.heappush(queue, (-pairs[old], old))
    return learnt


def _merged(pieces, pair):
    first, second = pair
    merged, i, last = [], 0, len(pieces) - 1
    while i <= last:
        if pieces[i] == first and i < last and pieces[i + 1] == second:
            merged.append(first + second)
            i += 2
        else:
            merged.append(pieces[i])
            i += 1
    return merged


def _pieces(word):
    return (word,) if word == END_OF_SENTENCE else (*word, END_OF_WORD)


class Subwords:
    """Byte-pair encoding of a given size.

    Parameters
    ----------
    words : iterable of str
        What it is learnt from. A character that is not in it becomes the unknown token.
    vocabulary : int
        How many different tokens at most, the unknown one among them.
    """

    def __init__(self, words, vocabulary):
        counts = Counter(_pieces(word) for word in words)
        pieces = sorted({piece for word in counts for piece in word})
        if vocabulary <= len(pieces):
            raise ValueError(
                f"vocabulary must exceed {len(pieces)}, one a character; got"
                f" {vocabulary}"
            )
        learnt = merges(counts, vocabulary - len(pieces) - 1)
        self._ranks = {pair: i for i, pair in enumerate(learnt)}
        # Two ways of merging can make the same token.
        tokens = list(dict.fromkeys([*pieces, *(a + b for a, b in learnt)]))
        self.numbers = {token: i for i, token in enumerate(tokens, start=UNKNOWN + 1)}
        self._known = {}

    def __len__(self):
        return len(self.numbers) + 1

    def split(self, word):
        """Return the tokens of a word.

        Parameters
        ----------
        word : str

        Returns
        -------
        list of str
        """
        pieces = list(_pieces(word))
        while len(pieces) > 1:
            ranked = [
                (self._ranks.get(pair, np.inf), pair)
                for pair in itertools.pairwise(pieces)
            ]
            rank, pair = min(ranked)
            if rank == np.inf:
                break
            pieces = _merged(pieces, pair)
        return pieces

    def encode(self, words):
        """Return the numbers of the tokens of some words.

        Parameters
        ----------
        words : iterable of str

        Returns
        -------
        ndarray of int
        """
        for word in words:
            if word not in self._known:
                self._known[word] = [
                    self.numbers.get(piece, UNKNOWN) for piece in self.split(word)
                ]
        return np.array([number for word in words for number in self._known[word]])


@functools.cache
def encoded(text, vocabulary):
    """Return a text as numbers, held-out documents cut to what is scored.

    Parameters
    ----------
    text : {"brown", "docstrings"}
    vocabulary : int

    Returns
    -------
    Text
    """
    parts = documents(text)
    subwords = Subwords(
        (word for words in parts["train"] for word in words), vocabulary
    )
    scored = {
        part: [words[:length] for words in parts[part]]
        for part, length in SCORED.items()
    }
    texts = {"train": parts["train"], **scored}
    return Text(
        len(subwords),
        **{
            part: [subwords.encode(words) for words in text]
            for part, text in texts.items()
        },
    )


def slice_of(documents, tokens):
    """Return the first documents as one text of a given length.

    Parameters
    ----------
    documents : list of ndarray of int
    tokens : int or None
        None for all of them.

    Returns
    -------
    ndarray of int, shape (tokens,)
    """
    whole = np.concatenate(documents)
    if tokens is not None and tokens > len(whole):
        raise ValueError(
            f"tokens must be at most {len(whole)}, which the text has; got {tokens}"
        )
    return whole[:tokens]
