"""Splits keep together what belongs together, and reports name what leaks."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from grids import grid
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.model_selection import train_test_split

from evalkit import split_report, splits, train_dev_test

# --------------------------------------------------------------------------------------
# Tokens and near-duplicates
# --------------------------------------------------------------------------------------


@grid(
    ("text", "tokens"),
    [
        ("", []),
        (" \n\t", []),
        ("Return the DataFrame.", ["return", "the", "dataframe", "."]),
        ("x_1 = 3.5", ["x", "_", "1", "=", "3", ".", "5"]),
        ("don't...", ["don", "'", "t", ".", ".", "."]),
        ("L\u00e9vy", ["l", "\u00e9", "vy"]),
    ],
)
def test_tokenize(text, tokens):
    assert splits.tokenize(text) == tokens


def groups_by_brute_force(texts, groups, threshold):
    """Every pair is compared; whoever is alike shares the lowest number of either."""
    sets = [set(text.split()) for text in texts]
    joined = list(range(len(texts)))
    for a, b in combinations(range(len(texts)), 2):
        union = sets[a] | sets[b]
        alike = union and len(sets[a] & sets[b]) / len(union) >= threshold
        if alike or groups[a] == groups[b]:
            both = {joined[a], joined[b]}
            joined = [min(both) if g in both else g for g in joined]
    return pd.factorize(np.array(joined, dtype=int))[0].tolist()


def as_text(numbers):
    return " ".join(f"w{n}" for n in numbers)


# Few words for many overlaps; simple fractions, for similarities that hit the threshold
# exactly.
token_texts = st.lists(
    st.lists(st.integers(0, 9), max_size=9).map(as_text), max_size=12
)
fractions = st.integers(1, 12).flatmap(lambda b: st.integers(1, b).map(lambda a: a / b))


@given(texts=token_texts, threshold=fractions)
@example(texts=["", "w0", ""], threshold=1.0)
def test_near_duplicates_equal_brute_force(texts, threshold):
    found = splits.near_duplicate_groups(texts, threshold=threshold)
    assert found.tolist() == groups_by_brute_force(texts, range(12), threshold)


@given(texts=token_texts.filter(len), groups=st.text("abcd", min_size=12, max_size=12))
def test_groups_with_near_duplicates_in_common_become_one(texts, groups):
    groups = list(groups)[: len(texts)]
    found = splits.near_duplicate_groups(texts, groups=groups)
    assert found.tolist() == groups_by_brute_force(texts, groups, 0.8)


@grid(("shared", "union"), [(4, 5), (9, 10), (11, 20), (7, 25)])
def test_a_similarity_equal_to_the_threshold_is_enough(shared, union):
    texts, threshold = [as_text(range(shared)), as_text(range(union))], shared / union
    found = splits.near_duplicate_groups(texts, threshold=threshold)
    assert found.tolist() == [0, 0]
    report = split_report(([0], [1]), [0.5, 0.7], texts=texts, threshold=threshold)
    assert len(report.pairs) == 1


def test_a_group_for_each_text():
    with pytest.raises(ValueError, match="texts and groups must be paired"):
        splits.near_duplicate_groups(["a b", "a"], groups=["x"])


# --------------------------------------------------------------------------------------
# Train, dev and test
# --------------------------------------------------------------------------------------

RNG = np.random.default_rng(2020)
LABELS = RNG.permutation(np.repeat(list("abc"), [600, 300, 100]))
GROUPS = np.repeat(np.arange(250), 4)

label_lists = st.lists(st.sampled_from([3, 4, 5, 8, 13]), min_size=2, max_size=4).map(
    lambda sizes: np.repeat(np.arange(len(sizes)), sizes)
)


def parts_of(split):
    return np.sort(np.concatenate([*split])).tolist()


@given(
    y=label_lists,
    dev=st.sampled_from([0, 0.1, 0.25]),
    test=st.sampled_from([0.2, 0.3]),
    seed=st.integers(0, 99),
)
def test_every_item_is_in_one_part(y, dev, test, seed):
    try:
        split = train_dev_test(y, dev=dev, test=test, rng=seed)
    except ValueError as error:  # too few items for these shares
        if not str(error).startswith("y must have"):
            raise
        return
    assert parts_of(split) == list(range(len(y)))
    assert all((np.diff(part) > 0).all() for part in split)
    assert len(split.test) == max(1, round(test * len(y)))
    assert len(split.dev) == (max(1, round(dev * len(y))) if dev else 0)


def test_stratified_parts_have_the_shares_of_the_whole():
    split = train_dev_test(LABELS, dev=0.1, test=0.2, rng=0)
    for part, size in zip(split, (700, 100, 200), strict=True):
        assert len(part) == size
        assert [np.sum(LABELS[part] == label) for label in "abc"] == [
            0.6 * size,
            0.3 * size,
            0.1 * size,
        ]


@grid(("seed", "stratify"), [(0, True), (1, True), (0, False), (1, False)])
def test_items_without_groups_are_divided_by_scikit_learn(seed, stratify):
    y = list("zzyyxzxyzz" * 4)
    split = train_dev_test(y, dev=0, test=0.25, stratify=stratify, rng=seed)
    theirs = train_test_split(
        range(40),
        test_size=10,
        stratify=y if stratify else None,
        random_state=int(np.random.default_rng(seed).integers(2**32)),
    )
    assert [split.train.tolist(), split.test.tolist()] == list(map(sorted, theirs))


def test_labels_are_stratified_by_default_and_targets_are_not():
    defaults = [
        train_dev_test(y, rng=3).test.tolist() for y in (LABELS, np.arange(1000) / 7)
    ]
    assert defaults[0] == train_dev_test(LABELS, stratify=True, rng=3).test.tolist()
    assert defaults[1] == train_dev_test(LABELS, stratify=False, rng=3).test.tolist()
    assert defaults[0] != defaults[1]


@given(
    sizes=st.lists(st.integers(1, 9), min_size=3, max_size=30),
    seed=st.integers(0, 99),
    dev=st.sampled_from([0, 0.1]),
)
def test_groups_stay_together_and_no_part_is_empty(sizes, seed, dev):
    groups = np.random.default_rng(seed).permutation(
        np.repeat(np.arange(len(sizes)), sizes)
    )
    y = np.arange(len(groups)) + 0.5
    split = train_dev_test(y, dev=dev, groups=groups, rng=seed)
    assert parts_of(split) == list(range(len(y)))
    members = [set(groups[part]) for part in split]
    assert sum(map(len, members)) == len(set.union(*members))
    assert len(split.train)
    assert len(split.test)
    assert bool(len(split.dev)) == bool(dev)


@grid("stratify", [None, False])
def test_groups_give_sizes_and_class_shares_as_near_as_they_can(stratify):
    split = train_dev_test(LABELS, groups=GROUPS, stratify=stratify, rng=0)
    assert [len(part) for part in split] == pytest.approx([700, 100, 200], abs=4)
    report = split_report(split, LABELS, groups=GROUPS)
    assert report.shared_groups == ()
    if stratify is None:
        assert report.largest_difference < 0.02


@grid(
    ("y", "options", "message"),
    [
        (
            "aaaabb",
            {},
            r"^y must have at least 3 members of each class.* class b has 2",
        ),
        ("aaaaaa", {}, "^y must hold at least two classes"),
        (
            "aaabbb",
            {"dev": 0.5, "test": 0.5},
            r"^dev and test must leave a share for train, got 0.5 \+ 0.5$",
        ),
        (
            "aaabbb",
            {"dev": -0.1},
            "^dev must be a share of at least 0 and below 1, got -0.1$",
        ),
        (
            "aaabbb",
            {"dev": 1},
            "^dev must be a share of at least 0 and below 1, got 1$",
        ),
        ("aaabbb", {"test": 0}, "^test must be a share above 0 and below 1, got 0$"),
        *[
            ("aaabbb", {name: 1e-320}, f"^{name} must be a share")
            for name in ("dev", "test")
        ],
        *[  # in floats, most of these leave a little
            ("aaabbb", {"dev": d / 100, "test": 1 - d / 100}, "must leave a share")
            for d in (10, 35, 58, 70)
        ],
        (
            "aaabbbcccddd",
            {"dev": 0.1},
            "in every part: 12 items give a part of 1, and there are 4 classes$",
        ),
        (
            "aabbccab",
            {"groups": [0, 0, 0, 0, 1, 1, 1, 1], "stratify": False},
            "^groups must hold at least 3",
        ),
        (
            "aabbccab",
            {"groups": [0] * 8, "stratify": False},
            "^groups must hold at least 3 groups",
        ),
        (
            "aabbaabb",
            {"groups": [0, 0, 1, 1, 2, 2, 3, 3]},
            "^y must have at least 3 groups of each class",
        ),
        ([0.5, 1.5, 2.5], {"stratify": True}, "^stratify must be False"),
        ("ab", {"groups": [1, 2, 3]}, "^y and groups"),
    ],
)
def test_impossible_splits_are_refused(y, options, message):
    with pytest.raises(ValueError, match=message):
        train_dev_test(list(y), **options)


# --------------------------------------------------------------------------------------
# Reports
# --------------------------------------------------------------------------------------

TEXTS = [
    "the cat sat on a mat",
    "The cat  sat on a mat",
    "on a mat sat the cat",
    "the cat sat on a red mat",
    "dogs bark",
    "",
]


def test_a_report_names_what_leaks():
    y, groups = list("xxyyxy"), ["g", "h", "g", "i", "h", "j"]
    report = split_report(([0, 4], [1], [2, 3, 5]), y, groups=groups, texts=TEXTS)
    assert report.sizes["items"].tolist() == [2, 1, 3]
    assert report.class_shares.loc["x"].tolist() == [1, 1, 0]
    assert report.largest_difference == 1
    assert report.shared_groups == ("g", "h")
    assert report.leaks["items"].to_dict() == {
        ("dev", "same group"): 1,
        ("test", "same group"): 1,
        ("dev", "duplicate"): 1,
        ("dev", "near-duplicate"): 0,
        ("test", "duplicate"): 0,
        ("test", "near-duplicate"): 2,
    }
    assert report.leaks.share["test", "near-duplicate"] == pytest.approx(2 / 3)
    assert report.pairs.drop(columns="similarity").to_numpy().tolist() == [
        ["dev", "duplicate", 1, 0],
        ["test", "near-duplicate", 2, 0],
        ["test", "near-duplicate", 3, 0],
    ]
    assert report.pairs.similarity.tolist() == pytest.approx([1, 1, 6 / 7])


@given(
    texts=token_texts.filter(lambda t: len(t) > 1), threshold=fractions, data=st.data()
)
def test_relatives_equal_brute_force(texts, threshold, data):
    cut = data.draw(st.integers(1, len(texts) - 1))
    report = split_report(
        (range(cut), range(cut, len(texts))),
        [0.5] * len(texts),
        texts=texts,
        threshold=threshold,
    )
    expected = {}
    for i in range(cut, len(texts)):
        own = set(texts[i].split())
        for j in range(cut):
            union = own | set(texts[j].split())
            if texts[i] == texts[j]:
                expected[i] = "duplicate"
            elif union and len(own & set(texts[j].split())) / len(union) >= threshold:
                expected.setdefault(i, "near-duplicate")
    assert dict(zip(report.pairs["item"], report.pairs.kind, strict=True)) == expected


def test_a_report_of_a_pair_prints_well():
    report = split_report(([0, 1], [2, 3]), list("xyxy"), groups=[0, 1, 1, 2])
    assert (
        str(report)
        == "train 2 (50.0\xa0%), test 2 (50.0\xa0%)\nclass shares differ by at most 0.0"
        " points\ntest: 1 item (50.0\xa0%) has its group in train"
    )


def test_a_report_of_targets_has_no_classes():
    report = split_report(
        train_dev_test(np.arange(50) / 7, dev=0, rng=0), np.arange(50) / 7
    )
    assert report.class_shares is None
    assert report.leaks.empty
    assert str(report) == "train 40 (80.0\xa0%), dev 0 (0.0\xa0%), test 10 (20.0\xa0%)"


@grid(
    ("split", "message"),
    [
        (3, "two or three index arrays, got 3"),
        ([], "got 0 parts"),
        (([0],), "got 1 parts"),
        (([0], [1], [2], [3]), "got 4 parts"),
        (([0], []), "items in train and in test$"),
        (([], [0]), "items in train and in test$"),
        (([0, 1], [1]), "no item twice, but 1 are; the first is 1$"),
        (([0, 0], [1]), "no item twice, but 1 are; the first is 0$"),
        (([3, 2], [0], [2, 3]), "no item twice, but 2 are; the first is 2$"),
        (([0], [4]), "indices from 0 to 3, got 0 to 4$"),
        (([-1], [0]), "indices from 0 to 3, got -1 to 0$"),
        (([0.0], [1.0]), r"one-dimensional arrays of indices, got float64 \(1,\)$"),
        ((["a"], ["b"]), "one-dimensional arrays of indices"),
        (([[0]], [[1]]), r"one-dimensional arrays of indices, got int64 \(1, 1\)$"),
        (([True, False], [False, True]), r"got bool \(2,\)$"),
    ],
)
def test_what_is_no_split_is_refused(split, message):
    with pytest.raises((TypeError, ValueError), match=f"^split must .*{message}"):
        split_report(split, list("xyxy"))


# --------------------------------------------------------------------------------------
# What labels, groups and texts may be
# --------------------------------------------------------------------------------------


MASKED = np.ma.array([0, 1] * 3, mask=[0, 0, 0, 0, 0, 1])


@grid(
    ("name", "wrong"),
    [
        ("groups", MASKED),
        ("groups", iter([0, 1] * 3)),
        ("groups", dict.fromkeys(range(6), 1)),
        ("texts", np.ma.array(TEXTS, mask=1)),
        ("split", ([0], MASKED)),
    ],
)
def test_what_is_no_sequence_or_masked_is_refused(name, wrong):
    arguments = {"split": ([0, 1], [2, 3]), "y": list("xyxyxy"), name: wrong}
    with pytest.raises((TypeError, ValueError), match=f"^{name} must"):
        split_report(**arguments)


def test_targets_beyond_all_whole_numbers_are_targets_without_a_warning():
    assert len(train_dev_test([1e300, 2e300, 3e300] * 5, rng=0).test) == 3


def test_texts_that_would_take_for_ever_are_refused_at_once():
    rng = np.random.default_rng(0)
    texts = [
        " ".join(f"w{i}" for i in rng.choice(60, 25, replace=False))
        for _ in range(12_000)
    ]
    with pytest.raises(
        ValueError, match="^texts share rare tokens in .* pairs, more than"
    ):
        splits.near_duplicate_groups(texts)


def test_groups_times_classes_are_bounded():
    n = 5000
    with pytest.raises(ValueError, match="^groups are 5,000, for 5,000 classes"):
        train_dev_test(np.tile(np.arange(n), 3), groups=np.repeat(np.arange(n), 3))
