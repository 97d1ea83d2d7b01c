"""The corpora have the sizes that their makers and NLTK state, and no markup is left in
them.
"""

import pytest
from upstream import needs

from lab.data import corpora


@needs("treebank/treebank.zip")
def test_treebank():
    words = corpora.treebank_words()
    assert len(words) == 100_676
    assert words.sentence.nunique() == words.sentence.iloc[-1] + 1 == 3914
    assert words.file.nunique() == 199
    assert words.groupby("sentence").file.nunique().max() == 1
    first = words[words.sentence == 0]
    assert (
        " ".join(first.word + "/" + first.tag)
        == "Pierre/NNP Vinken/NNP ,/, 61/CD years/NNS old/JJ ,/, will/MD join/VB the/DT"
        " board/NN as/IN a/DT nonexecutive/JJ director/NN Nov./NNP 29/CD ./."
    )
    assert (words.tag == "-NONE-").any()


@pytest.mark.slow
@needs("brown/brown.zip")
def test_brown():
    words = corpora.brown_words()
    assert len(words) == 1_161_192
    assert words.sentence.nunique() == words.sentence.iloc[-1] + 1 == 57_340
    assert words.file.nunique() == 500
    assert words.category.nunique() == 15
    assert words.iloc[:3, 3:].to_numpy().tolist() == [
        ["The", "AT"],
        ["Fulton", "NP-TL"],
        ["County", "NN-TL"],
    ]
    assert not words[["word", "tag"]].eq("").any(axis=None)


@pytest.mark.slow
@needs("reuters/reuters21578.tar.xz")
def test_reuters():
    reuters = corpora.reuters_documents()
    assert reuters.newid.tolist() == list(range(1, 21_579))
    assert reuters.split.value_counts().to_dict() == {
        "train": 9603,
        "test": 3299,
        "unused": 8676,
    }
    used = reuters[reuters.split != "unused"]
    corn = used.topics.map(lambda topics: "corn" in topics)
    wheat = used.topics.map(lambda topics: "wheat" in topics)
    assert (corn.sum(), wheat.sum(), (corn | wheat).sum()) == (237, 283, 439)
    assert reuters.title.iloc[0] == "BAHIA COCOA REVIEW"
    assert reuters.body.iloc[0].startswith(
        "Showers continued throughout the week in\nthe Bahia cocoa zone"
    )
    marks = r"&lt;|&#\d+;|</?(?:TITLE|BODY|TEXT|REUTERS)\b"
    assert not (reuters.title + "\n" + reuters.body).str.contains(marks).any()


@pytest.mark.slow
@needs("imdb/aclImdb_labeled.tar.xz")
def test_imdb():
    reviews = corpora.imdb_reviews()
    assert reviews.groupby(["split", "label"]).size().to_dict() == {
        (split, label): 12_500 for split in ("train", "test") for label in (0, 1)
    }
    assert not reviews.duplicated(["split", "label", "id"]).any()
    assert set(reviews.rating[reviews.label == 0]) == {1, 2, 3, 4}
    assert set(reviews.rating[reviews.label == 1]) == {7, 8, 9, 10}
    assert (reviews.text.str.len() > 0).all()


@needs(
    "dong2014/target.train.raw.raw",
    "dong2014/target.test.raw.raw",
    "dong2014/acl-14-short-data/train.raw",
    "dong2014/acl-14-short-data/test.raw",
)
def test_dong():
    raw, tokenised = (
        corpora.dong2014_tweets("raw"),
        corpora.dong2014_tweets("tokenised"),
    )
    for table in (raw, tokenised):
        assert table.split.value_counts().to_dict() == {"train": 6248, "test": 692}
        assert table.label.value_counts().to_dict() == {0: 3473, 1: 1734, -1: 1733}
    assert (raw.label == tokenised.label).all()
    assert tokenised.sentence.str.contains("$T$", regex=False).all()
    assert raw.target.iloc[0] == "jimmy carter"


@needs("sst2/stsa.binary.train", "sst2/stsa.binary.dev", "sst2/stsa.binary.test")
def test_sst2():
    table = corpora.sst2_sentences()
    assert table.split.value_counts().to_dict() == {
        "train": 6920,
        "test": 1821,
        "validation": 872,
    }
    assert set(table.label) == {0, 1}
    assert (table.sentence.str.len() > 0).all()


# Counts of tokens with one end of line each, as the makers state them.
@pytest.mark.parametrize(
    ("split", "tokens"),
    [
        pytest.param("validation", 217_646, marks=needs("wikitext2/valid.txt")),
        pytest.param("test", 245_569, marks=needs("wikitext2/test.txt")),
    ],
)
def test_wikitext2(split, tokens):
    text = corpora.wikitext2(split)
    assert len(text.split()) + text.count("\n") == tokens


def test_unknown_names():
    with pytest.raises(
        ValueError, match="split must be one of 'validation', 'test', got 'train'"
    ):
        corpora.wikitext2("train")
    with pytest.raises(ValueError, match="version must be one of"):
        corpora.dong2014_tweets("clean")
