"""Chapter 1: how data is divided, and what leaks across the division."""

import math
import re
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Set

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import DisjointSet
from sklearn.model_selection import train_test_split
from sklearn.utils.multiclass import type_of_target

from evalkit._checks import (
    _show,
    as_array,
    check_aligned,
    check_bool,
    check_labels,
    check_number,
    check_rng,
    check_same_length,
    check_work,
)
from evalkit.results import PARTS, Split, SplitReport

_TOKEN = re.compile(r"[a-z0-9]+|[^\sa-z0-9]")
_SLACK = 1e-9  # 0.28 * 25 is a little more than 7
_MOST_PAIRS = 20_000_000  # of texts that are compared
_MOST_COUNTS = 20_000_000  # of groups by classes


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


def _check_threshold(threshold):
    threshold = check_number(threshold, "threshold")
    if not 0 < threshold <= 1:
        raise ValueError(f"threshold must lie in (0, 1], got {threshold}")
    return threshold


def near_duplicate_groups(texts, *, threshold=0.8, groups=None):
    """Give each text a group number that its near-duplicates share.

    Two texts are near-duplicates if the Jaccard similarity of their sets of tokens
    (shared tokens over all tokens) is at least `threshold`; groups are the connected
    components of that relation.

    Parameters
    ----------
    texts : sequence of str
    threshold : float, default 0.8
        In (0, 1].
    groups : array_like, shape (len(texts),), optional
        Groups that must stay whole too, such as modules: those with near-duplicates in
        common become one.

    Returns
    -------
    ndarray of int, shape (len(texts),)
        Group numbers, from 0 in order of first appearance.

    Raises
    ------
    ValueError
        If `texts` are not strings, `threshold` is not in (0, 1], or `groups` are not
        one for each text.

    Notes
    -----
    Exact, not sampled: two sets that are similar enough must share one of their few
    rarest tokens (prefix filtering), so only such pairs are compared.

    Series are paired by position only where their labels agree.

    Size: 100,000 short texts take 15 s and 500 MB; up to 20 million pairs that share a
    rare token, 60 s.

    References
    ----------
    Bayardo, Ma and Srikant (2007), Scaling Up All Pairs Similarity Search, WWW.
    """
    threshold = _check_threshold(threshold)
    check_aligned(texts=texts, groups=groups)
    of_text = [frozenset(tokenize(text)) for text in _check_texts(texts)]
    if groups is not None:
        groups = check_labels(groups, "groups")
        check_same_length(of_text, groups, "texts", "groups")
    # What is the same is compared once.
    sets = sorted({tokens for tokens in of_text if tokens}, key=len)
    frequency = Counter(token for tokens in sets for token in tokens)
    rarest = []
    for tokens in sets:
        # One of these many is shared by any two sets that are alike enough.
        n_rare = len(tokens) - int(np.ceil(threshold * len(tokens) - _SLACK)) + 1
        rarest.append(
            sorted(tokens, key=lambda token: (frequency[token], token))[:n_rare]
        )
    # A pair is looked up once for each rare token that it shares, and compared once,
    # which takes longer.
    # Of each rare token.
    n_sets = Counter(token for tokens in rarest for token in tokens)
    n_looked_up = sum(math.comb(n, 2) for n in n_sets.values())
    n_pairs = min(n_looked_up, math.comb(len(sets), 2)) + n_looked_up // 20
    what = f"texts share rare tokens in about {n_pairs:,} pairs"
    check_work(
        n_pairs, _MOST_PAIRS, what, "raise the threshold, or compare the texts in parts"
    )
    of_set = {tokens: i for i, tokens in enumerate(sets)}
    # A text without a token is like no other.
    alike = [of_set.get(tokens, -1 - i) for i, tokens in enumerate(of_text)]
    joined = DisjointSet(alike)
    index = defaultdict(list)
    for i, tokens in enumerate(sets):
        candidates = {j for token in rarest[i] for j in index[token]}
        for token in rarest[i]:
            index[token].append(i)
        for j in candidates:
            if len(sets[j]) < threshold * len(tokens) - _SLACK or joined.connected(
                i, j
            ):
                continue
            shared = len(tokens & sets[j])
            if shared >= threshold * (len(tokens) + len(sets[j]) - shared) - _SLACK:
                joined.merge(i, j)
    if groups is not None:
        first = {}
        for i, group in zip(alike, groups.tolist(), strict=True):
            joined.merge(first.setdefault(group, i), i)
    return pd.factorize(np.array([joined[i] for i in alike], dtype=int))[0]


# --------------------------------------------------------------------------------------
# Dividing
# --------------------------------------------------------------------------------------


def train_dev_test(y, *, dev=0.1, test=0.2, stratify=None, groups=None, rng=None):
    """Divide items at random into train, dev and test.

    Parameters
    ----------
    y : array_like, shape (n,)
        The label or the target of each item.
    dev, test : float, default 0.1 and 0.2
        Their shares of the items; train gets the rest. `dev=0` leaves dev empty.
    stratify : bool, optional
        Whether every part is to have the same share of each class. By default yes for
        labels and no for continuous targets (as scikit-learn's `type_of_target` tells
        them apart).
    groups : array_like, shape (n,), optional
        The group of each item. Whole groups are kept together.
    rng : None, int or numpy.random.Generator

    Returns
    -------
    Split

    Raises
    ------
    ValueError
        Also if a class has fewer members (or stands in fewer groups) than there are
        parts.

    Notes
    -----
    Without groups, scikit-learn's `train_test_split` does the work, twice. With groups
    and classes scikit-learn has a splitter for K folds but none for shares of one's
    choice. Here the groups come in random order, and each goes to the part where it
    adds least to the sum over parts and classes of (count - wanted)^2 / wanted. That is
    greedy: sizes and class shares are near those wanted, as far as the groups allow.
    `split_report` shows how near. A large group seldom fits into a small part: there,
    items of small groups are tested more often, which may be harder or easier than
    others. Folds of `sklearn.model_selection.StratifiedGroupKFold` test each item once.

    Series are paired by position only where their labels agree; the parts hold
    positions, not labels.

    Size: linear; 1 million items take 10 s and 1 GB, 100,000 groups of them 10 s more.
    Groups times classes are at most 20 million.

    Examples
    --------
    >>> from evalkit import train_dev_test
    >>> print(train_dev_test(["yes", "no"] * 50, rng=0))
    train 70 (70.0 %), dev 10 (10.0 %), test 20 (20.0 %)
    """
    check_aligned(y=y, groups=groups)
    y = check_labels(y, "y")
    dev, test = _check_share(dev, "dev", allow_zero=True), _check_share(test, "test")
    if dev + test > 1 - _SLACK:
        raise ValueError(
            f"dev and test must leave a share for train, got {dev:g} + {test:g}"
        )
    if stratify is not None:
        check_bool(stratify, "stratify")
    if groups is not None:
        groups = check_labels(groups, "groups")
        check_same_length(y, groups, "y", "groups")
    rng = check_rng(rng)
    shares = (
        np.array([1 - dev - test, dev, test]) if dev else np.array([1 - test, test])
    )
    if groups is not None and len(set(groups.tolist())) < len(shares):
        raise ValueError(
            f"groups must hold at least {len(shares)} groups, one for each part"
        )
    classes = _classes(y, stratify, groups, len(shares))
    parts = (
        _draw_items(classes, shares, rng)
        if groups is None
        else _assign_groups(classes, groups, shares, rng)
    )
    if not dev:
        parts.insert(1, np.array([], dtype=np.intp))
    return Split(*map(np.sort, parts))


def _check_share(value, name, *, allow_zero=False):
    value = check_number(value, name)
    if not (_SLACK <= value < 1 or (allow_zero and value == 0)):
        least = "of at least" if allow_zero else "above"
        raise ValueError(f"{name} must be a share {least} 0 and below 1, got {value:g}")
    return value


def is_classification(y):
    """Tell labels from continuous targets, as scikit-learn's `type_of_target` does.

    Parameters
    ----------
    y : ndarray, shape (n,)

    Returns
    -------
    bool
    """
    with warnings.catch_warnings():
        # Many classes: what follows counts them. And floats that no int can hold are no
        # labels.
        warnings.simplefilter("ignore")
        return type_of_target(y) in ("binary", "multiclass")


def _classes(y, stratify, groups, n_parts):
    """Return the number of each item's class from 0, or zeros if classes do not
    matter.
    """
    classification = is_classification(y)
    if stratify and not classification:
        raise ValueError("stratify must be False for a continuous y: it has no classes")
    if not (classification if stratify is None else stratify):
        return np.zeros(len(y), dtype=np.intp)
    classes, names = pd.factorize(y, sort=True)
    if len(names) == 1:
        raise ValueError(
            f"y must hold at least two classes, got {names[0]} alone; or stratify=False"
        )
    held = pd.Series(classes if groups is None else groups).groupby(classes)
    counts = held.size() if groups is None else held.nunique()
    if counts.min() < n_parts:
        what = "members" if groups is None else "groups"
        raise ValueError(
            f"y must have at least {n_parts} {what} of each class, one for each part;"
            f" class {names[counts.idxmin()]} has {counts.min()}. Merge it, drop it, or"
            " take stratify=False"
        )
    return classes


def _draw_items(classes, shares, rng):
    """Return index arrays for the shares, by scikit-learn."""
    n_classes = classes.max() + 1
    sizes = np.maximum(1, np.rint(shares * len(classes)).astype(int))
    sizes[0] = len(classes) - sizes[1:].sum()
    if sizes.min() < n_classes:
        raise ValueError(
            f"y must have items for every class in every part: {len(classes)} items"
            f" give a part of {sizes.min()}, and there are {n_classes} classes"
        )
    rest, parts = np.arange(len(classes)), []
    for size in sizes[:0:-1]:
        of_rest = classes[rest]
        if n_classes > 1 and np.bincount(of_rest).min() < 2:
            raise ValueError(
                "y must have more members of its rarest class for these shares, or"
                " stratify=False"
            )
        rest, part = train_test_split(
            rest,
            test_size=int(size),
            stratify=of_rest if n_classes > 1 else None,
            random_state=int(rng.integers(2**32)),
        )
        parts.append(part)
    return [rest, *parts[::-1]]


def _assign_groups(classes, groups, shares, rng):
    """Return index arrays for the shares, whole groups in each, by a greedy
    assignment.
    """
    members = pd.factorize(groups, sort=True)[0]
    n_groups, n_parts = members.max() + 1, len(shares)
    n_classes = classes.max() + 1
    what = f"groups are {n_groups:,}, for {n_classes:,} classes in y"
    check_work(n_groups * n_classes, _MOST_COUNTS, what, "take stratify=False")
    held = np.zeros((n_groups, classes.max() + 1))
    np.add.at(held, (members, classes), 1)
    wanted = shares[:, None] * held.sum(axis=0)
    counts, part_of = np.zeros_like(wanted), np.empty(n_groups, dtype=np.intp)
    for left, group in zip(
        range(n_groups, 0, -1), rng.permutation(n_groups), strict=True
    ):
        added = ((2 * (counts - wanted) + held[group]) * held[group] / wanted).sum(
            axis=1
        )
        empty = counts.sum(axis=1) == 0
        if left <= empty.sum():  # no part may stay without a group
            added[~empty] = np.inf
        part_of[group] = added.argmin()
        counts[part_of[group]] += held[group]
    return [np.flatnonzero(part_of[members] == part) for part in range(n_parts)]


# --------------------------------------------------------------------------------------
# What crosses the division
# --------------------------------------------------------------------------------------


def split_report(split, y, *, groups=None, texts=None, threshold=0.8):
    """Show the parts of a split, and find what leaks from train into dev and test.

    Parameters
    ----------
    split : Split or tuple of array_like of int
        Index arrays (train, dev, test), or (train, test).
    y : array_like, shape (n,)
        The label or the target of each item.
    groups : array_like, shape (n,), optional
    texts : sequence of str, shape (n,), optional
        To look for duplicates and near-duplicates.
    threshold : float, default 0.8
        Near-duplicates share at least this much of their tokens, as in
        `near_duplicate_groups`.

    Returns
    -------
    SplitReport

    Notes
    -----
    Series are paired by position only where their labels agree; a split holds
    positions, not labels.

    Size: linear in items and groups; 1 million items take 10 s and 1 GB. With texts as
    `near_duplicate_groups`, and up to 20 million pairs of a held-out text and one of
    train that other texts may connect it with.

    Examples
    --------
    >>> from evalkit import split_report
    >>> y, texts = [0, 1, 0, 1], ["a b c", "d e f", "a b c", "g h i"]
    >>> print(split_report(([0, 1], [2, 3]), y, texts=texts))
    train 2 (50.0 %), test 2 (50.0 %)
    class shares differ by at most 0.0 points
    test: 1 item (50.0 %) has a duplicate in train
    test: 0 items (0.0 %) have a near-duplicate in train
    """
    check_aligned(y=y, groups=groups, texts=texts)
    y = check_labels(y, "y")
    parts = _check_split(split, len(y))
    if groups is not None:
        groups = check_labels(groups, "groups")
        check_same_length(y, groups, "y", "groups")
    if texts is not None:
        texts = _check_texts(texts)
        check_same_length(y, texts, "y", "texts")
    threshold = _check_threshold(threshold)

    held_out = {
        name: part for name, part in parts.items() if name != "train" and len(part)
    }
    counts_of_leaks, shared, pairs = {}, (), []
    if groups is not None:
        of_part = [set(groups[part].tolist()) for part in parts.values()]
        counts = Counter(group for members in of_part for group in members)
        shared = tuple(
            group for group in dict.fromkeys(groups.tolist()) if counts[group] > 1
        )
        for name, part in held_out.items():
            counts_of_leaks[name, "same group"] = sum(
                group in of_part[0] for group in groups[part].tolist()
            )
    if texts is not None:
        pairs = _relatives(parts["train"], held_out, texts, threshold)
        for name in held_out:
            for kind in ("duplicate", "near-duplicate"):
                counts_of_leaks[name, kind] = sum(
                    pair[:2] == (name, kind) for pair in pairs
                )
    items = [len(part) for part in parts.values()]
    shares_of_leaks = [
        count / len(held_out[name]) for (name, _), count in counts_of_leaks.items()
    ]
    kinds = (
        pd.MultiIndex.from_tuples(counts_of_leaks, names=["part", "leak"])
        if counts_of_leaks
        else None
    )
    shares = largest = None
    if is_classification(y):
        labels = {name: pd.Series(y[part]) for name, part in parts.items() if len(part)}
        shares = pd.DataFrame(
            {name: part.value_counts(normalize=True) for name, part in labels.items()}
        )
        shares = shares.fillna(0.0).sort_index()
        largest = float((shares.max(axis=1) - shares.min(axis=1)).max())
    leaks = pd.DataFrame(
        {"items": counts_of_leaks.values(), "share": shares_of_leaks}, index=kinds
    )
    return SplitReport(
        sizes=pd.DataFrame(
            {"items": items, "share": np.array(items) / len(y)}, index=list(parts)
        ),
        class_shares=shares,
        largest_difference=largest,
        leaks=leaks,
        shared_groups=shared,
        pairs=pd.DataFrame(
            pairs, columns=["part", "kind", "item", "train_item", "similarity"]
        ),
    )


def _check_split(split, n):
    """Return a dict of index arrays by part: in range, no index twice."""
    if isinstance(split, (str, bytes, Mapping, Set, Iterator)) or not np.iterable(
        split
    ):
        raise TypeError(
            f"split must hold two or three index arrays, got {_show(split)}"
        )
    arrays = [
        as_array(part, "split", "two or three one-dimensional arrays of indices")
        for part in split
    ]
    if len(arrays) not in (2, 3):
        raise ValueError(
            f"split must be (train, dev, test) or (train, test), got {len(arrays)}"
            " parts"
        )
    for array in arrays:
        if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
            raise TypeError(
                f"split must hold one-dimensional arrays of indices, got {array.dtype}"
                f" {array.shape}"
            )
    if not (arrays[0].size and arrays[-1].size):
        raise ValueError("split must have items in train and in test")
    every = np.concatenate([array.astype(np.intp) for array in arrays])
    if every.min() < 0 or every.max() >= n:
        raise ValueError(
            f"split must hold indices from 0 to {n - 1}, got {every.min()} to"
            f" {every.max()}"
        )
    values, counts = np.unique(every, return_counts=True)
    if counts.max() > 1:
        raise ValueError(
            f"split must hold no item twice, but {np.sum(counts > 1)} are; "
            f"the first is {values[counts.argmax()]}"
        )
    names = PARTS if len(arrays) == 3 else ("train", "test")
    return {
        name: array.astype(np.intp) for name, array in zip(names, arrays, strict=True)
    }


def _check_texts(texts):
    if isinstance(texts, (str, Mapping, Set, Iterator)) or not np.iterable(texts):
        raise TypeError(
            "texts must be a sequence of strings, one for each item, got"
            f" {_show(texts)}"
        )
    if np.ma.is_masked(texts) or not all(isinstance(text, str) for text in texts):
        raise TypeError(
            "texts must hold strings only, one for each item, and none missing or"
            " masked"
        )
    return list(texts)


def _relatives(train, held_out, texts, threshold):
    """Return (part, kind, item, train item, similarity) for each held-out item with one
    in train.
    """
    used = np.concatenate([train, *held_out.values()])
    tokens = {i: tokenize(texts[i]) for i in used.tolist()}
    component = dict(
        zip(
            used.tolist(),
            near_duplicate_groups([texts[i] for i in used], threshold=threshold),
            strict=True,
        )
    )
    same, alike = {}, defaultdict(dict)
    for i in train.tolist():
        same.setdefault(tuple(tokens[i]), i)
        alike[component[i]].setdefault(frozenset(tokens[i]), i)
    new = [
        i
        for part in held_out.values()
        for i in part.tolist()
        if tuple(tokens[i]) not in same
    ]
    n_pairs = sum(len(alike.get(component[i], ())) for i in new)
    check_work(
        n_pairs,
        _MOST_PAIRS,
        f"texts are connected in {n_pairs:,} pairs",
        "raise the threshold, or report on parts",
    )
    pairs = []
    for name, part in held_out.items():
        for i in part.tolist():
            if (twin := same.get(tuple(tokens[i]))) is not None:
                pairs.append((name, "duplicate", i, twin, 1.0))
            elif alike[component[i]]:
                # A component may join two texts by way of a third: only direct likeness
                # counts.
                own = frozenset(tokens[i])
                similarities = {
                    j: _similarity(own, other)
                    for other, j in alike[component[i]].items()
                }
                best = max(similarities.values())
                if best >= threshold - _SLACK:
                    first = min(
                        j
                        for j, similarity in similarities.items()
                        if similarity == best
                    )
                    pairs.append((name, "near-duplicate", i, first, best))
    return pairs


def _similarity(tokens, others):
    """Return the Jaccard similarity of two sets of tokens."""
    shared = len(tokens & others)
    return shared / max(1, len(tokens) + len(others) - shared)
