"""Splits keep together what belongs together, and reports name what leaks."""

import re
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalkit import splits

# ---------------------------------------------------------------------------------------------
# Tokens and near-duplicates
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
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


@given(st.text())
def test_tokens_lose_nothing_but_space_and_case(text):
    assert "".join(splits.tokenize(text)) == re.sub(r"\s", "", text.lower())


def groups_by_brute_force(texts, threshold):
    """Every pair is compared; whoever is alike shares the lowest number of either."""
    sets = [set(text.split()) for text in texts]
    group = list(range(len(texts)))
    for a, b in combinations(range(len(texts)), 2):
        union = sets[a] | sets[b]
        if union and len(sets[a] & sets[b]) / len(union) >= threshold:
            joined = {group[a], group[b]}
            group = [min(joined) if g in joined else g for g in group]
    return pd.factorize(np.array(group, dtype=int))[0].tolist()


def as_text(numbers):
    return " ".join(f"w{n}" for n in numbers)


# Few words for many overlaps; simple fractions, for similarities that hit the threshold exactly.
token_texts = st.lists(st.lists(st.integers(0, 9), max_size=9).map(as_text), max_size=12)
fractions = st.integers(1, 12).flatmap(lambda b: st.integers(1, b).map(lambda a: a / b))


@given(texts=token_texts, threshold=fractions)
@example(texts=["", "w0", ""], threshold=1.0)
def test_near_duplicates_equal_brute_force(texts, threshold):
    found = splits.near_duplicate_groups(texts, threshold=threshold)
    assert found.tolist() == groups_by_brute_force(texts, threshold)


@pytest.mark.parametrize(("shared", "union"), [(4, 5), (9, 10), (11, 20), (7, 25)])
def test_a_similarity_equal_to_the_threshold_is_enough(shared, union):
    texts = [as_text(range(shared)), as_text(range(union))]
    assert splits.near_duplicate_groups(texts, threshold=shared / union).tolist() == [0, 0]


def test_near_duplicates_are_connected_components():
    # Each is like its neighbour only: 4 shared words of 5.
    chain = [as_text(range(9 - i)) for i in range(5)]
    assert splits.near_duplicate_groups(chain).tolist() == [0, 0, 0, 0, 0]
    assert splits.near_duplicate_groups([chain[0], chain[4]]).tolist() == [0, 1]
