"""Chapter 1: how data is divided, and what leaks across the division."""

import re
from collections import Counter, defaultdict

import numpy as np
import pandas as pd
from scipy import sparse

from evalkit._checks import check_number

_TOKEN = re.compile(r"[a-z0-9]+|[^\sa-z0-9]")


def tokenize(text):
    """Split a text into lower-case words, numbers and single punctuation marks.

    Parameters
    ----------
    text : str

    Returns
    -------
    list of str
    """
    return _TOKEN.findall(text.lower())


def near_duplicate_groups(texts, *, threshold=0.8):
    """Give each text a group number that its near-duplicates share.

    Two texts are near-duplicates if the Jaccard similarity of their sets of tokens (shared tokens
    over all tokens) is at least `threshold`; groups are the connected components of that relation.

    Parameters
    ----------
    texts : sequence of str
    threshold : float, default 0.8
        In (0, 1].

    Returns
    -------
    ndarray of int, shape (len(texts),)
        Group numbers, from 0 in order of first appearance.

    Notes
    -----
    Exact, not sampled: two sets that are similar enough must share one of their few rarest tokens
    (prefix filtering, Bayardo, Ma and Srikant 2007), so only such pairs are compared.
    """
    threshold = check_number(threshold, "threshold")
    if not 0 < threshold <= 1:
        raise ValueError(f"threshold must lie in (0, 1], got {threshold}")
    slack = 1e-9  # 0.28 * 25 is a little more than 7
    sets = [frozenset(tokenize(text)) for text in texts]
    frequency = Counter(token for tokens in sets for token in tokens)
    by_size = sorted(range(len(sets)), key=lambda i: len(sets[i]))
    index, edges = defaultdict(list), []
    for i in by_size:
        tokens = sets[i]
        if not tokens:
            continue
        rare_first = sorted(tokens, key=lambda t: (frequency[t], t))
        candidates = set()
        for token in rare_first[: len(tokens) - int(np.ceil(threshold * len(tokens) - slack)) + 1]:
            candidates.update(index[token])
            index[token].append(i)
        for j in candidates:
            shared = len(tokens & sets[j])
            if shared >= threshold * (len(tokens) + len(sets[j]) - shared) - slack:
                edges.append((i, j))
    rows, columns = zip(*edges, strict=True) if edges else ((), ())
    graph = sparse.coo_array((np.ones(len(rows)), (rows, columns)), shape=(len(sets), len(sets)))
    labels = sparse.csgraph.connected_components(graph, directed=False)[1]
    return pd.factorize(labels)[0]
