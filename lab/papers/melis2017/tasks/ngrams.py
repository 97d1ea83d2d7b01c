"""What a language model has to beat: a unigram, and an interpolated n-gram of Kneser
and Ney.

The n-gram stands here for the linear model of other tasks: it counts, and nothing in it
is learnt by descending a gradient.
"""

from collections import Counter, defaultdict

import numpy as np

ORDERS = (2, 3, 4, 5)


def unigram(train, documents, vocabulary):
    """Return the loss of each token but the first of each document, from counts, plus
    one for each token.

    Parameters
    ----------
    train : ndarray of int
    documents : list of ndarray of int
    vocabulary : int

    Returns
    -------
    list of ndarray of float
    """
    counts = np.bincount(train, minlength=vocabulary) + 1
    loss = -np.log(counts / counts.sum())
    return [loss[document[1:]] for document in documents]


class KneserNey:
    """Interpolated Kneser-Ney smoothing with one discount for each order (Kneser and
    Ney, 1995).

    The highest order counts how often a token follows its context, each lower one how
    many different tokens stand before; what is discounted goes to the next lower order,
    at last to an even one.

    Parameters
    ----------
    train : ndarray of int
    vocabulary : int
    order : int
        Tokens of an n-gram.
    """

    def __init__(self, train, vocabulary, order):
        self.vocabulary, self.order = vocabulary, order
        tokens = train.tolist()
        grams = Counter(
            tuple(tokens[i : i + order]) for i in range(len(tokens) - order + 1)
        )
        self._levels = {}
        for n in range(order, 0, -1):
            if n < order:
                # How many different tokens stand before each.
                grams = Counter(gram[1:] for gram in grams)
            once, twice = (
                sum(1 for count in grams.values() if count == k) for k in (1, 2)
            )
            # With no n-gram that is there once, or with few, the estimate fails: half a
            # count then.
            discount = once / (once + 2 * twice) if once and twice else 0.5
            totals, kinds = defaultdict(int), defaultdict(int)
            for gram, count in grams.items():
                totals[gram[:-1]] += count
                kinds[gram[:-1]] += 1
            self._levels[n] = grams, totals, kinds, discount

    def probability(self, token, context):
        """Return the probability of a token after some others.

        Parameters
        ----------
        token : int
        context : tuple of int
            Of which the last ones count, as many as the order says.

        Returns
        -------
        float
        """
        chance = 1 / self.vocabulary
        for n in range(1, min(self.order, len(context) + 1) + 1):
            grams, totals, kinds, discount = self._levels[n]
            given = tuple(context[len(context) - n + 1 :])
            if total := totals.get(given):
                count = max(grams.get((*given, token), 0) - discount, 0)
                chance = (count + discount * kinds[given] * chance) / total
        return chance

    def losses(self, documents):
        """Return the loss of each token but the first of each document.

        Parameters
        ----------
        documents : list of ndarray of int

        Returns
        -------
        list of ndarray of float
        """
        by_document = []
        for document in documents:
            tokens = tuple(document.tolist())
            reach = self.order - 1
            chances = [
                self.probability(tokens[i], tokens[max(0, i - reach) : i])
                for i in range(1, len(tokens))
            ]
            by_document.append(-np.log(chances))
        return by_document
