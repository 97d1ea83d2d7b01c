"""Corpora that the papers train on, as tables, read straight from the upstream files.

The files come through `lab.data.sources`; what each holds, and its licence, is in
`data/registry.csv`. Lines are split at line feeds alone: some of these texts hold other
characters that Python takes for the end of a line.
"""

import html
import re

import pandas as pd

from evalkit._checks import check_choice
from lab.data.sources import SourceError, archive_members, opened


def _lines(path):
    return path.read_bytes().decode("utf-8").rstrip("\n").split("\n")


# --------------------------------------------------------------------------------------
# Tagged words
# --------------------------------------------------------------------------------------


def treebank_words():
    """Return the tagged words of NLTK's sample of the Penn Treebank.

    They are the leaves of the trees in `combined/`, the files that NLTK's own reader of
    this corpus takes its tagged sentences from; so traces such as "*T*-1" are among
    them, with the tag "-NONE-".

    Returns
    -------
    pandas.DataFrame
        One row per word: `file`, `sentence` (counted through the corpus, from 0),
        `word`, `tag`. 3,914 sentences, 100,676 words.
    """
    rows, sentence = [], 0
    token = re.compile(r"\(([^\s()]+) ([^\s()]+)\)|([()])")
    with opened("treebank/treebank.zip") as path:
        for name, content in sorted(archive_members(path, _is_tree)):
            file, depth = name.rsplit("/")[-1].removesuffix(".mrg"), 0
            for tag, word, bracket in token.findall(content.decode("ascii")):
                if word:
                    rows.append((file, sentence, word, tag))
                else:
                    depth += 1 if bracket == "(" else -1
                    sentence += depth == 0
            if depth:
                raise SourceError(
                    f"{name} in {path} has {depth} brackets that are not closed"
                )
    return pd.DataFrame(rows, columns=["file", "sentence", "word", "tag"])


def _is_tree(name):
    return name.startswith("treebank/combined/") and name.endswith(".mrg")


def brown_words():
    """Return the tagged words of the Brown corpus.

    Returns
    -------
    pandas.DataFrame
        One row per word: `file`, `category`, `sentence` (counted through the corpus,
        from 0), `word`, `tag` (in capitals). 500 files, 57,340 sentences, 1,161,192
        words.
    """
    rows, sentence = [], -1
    is_text = re.compile(r"brown/(c[a-r]\d\d|cats\.txt)").fullmatch
    with opened("brown/brown.zip") as path:
        files = dict(archive_members(path, is_text))
        names = files.pop("brown/cats.txt").decode("ascii").split("\n")
        categories = dict(name.split() for name in names if name)
        for name, content in sorted(files.items()):
            file = name.removeprefix("brown/")
            for line in content.decode("ascii").split("\n"):
                if tokens := line.split():
                    sentence += 1
                    pairs = (token.rpartition("/") for token in tokens)
                    rows += [
                        (file, categories[file], sentence, word, tag.upper())
                        for word, _, tag in pairs
                    ]
    return pd.DataFrame(rows, columns=["file", "category", "sentence", "word", "tag"])


# --------------------------------------------------------------------------------------
# Reuters-21578
# --------------------------------------------------------------------------------------

_DOCUMENT = re.compile(r"<REUTERS (.*?)>(.*?)</REUTERS>", re.DOTALL)


def _inside(tag, text):
    match = re.search(rf"<{tag}\b[^>]*>(.*?)</{tag}>", text, re.DOTALL)
    return match[1] if match else ""


def reuters_documents():
    """Return the documents of Reuters-21578.

    Returns
    -------
    pandas.DataFrame
        One row per document: `newid`; `split`, its part under the ModApte split
        ("train", 9,603 documents, "test", 3,299, or "unused"); `lewissplit`, as the
        file has it; `topics`, a tuple; `title` and `body`, with character references
        resolved. A document of the type UNPROC has no title, and all its text as
        `body`.
    """
    rows = []
    is_sgml = re.compile(r"reut2-\d{3}\.sgm").fullmatch
    with opened("reuters/reuters21578.tar.xz") as path:
        for _, content in sorted(archive_members(path, is_sgml)):
            for head, document in _DOCUMENT.findall(content.decode("latin-1")):
                attributes = dict(re.findall(r'([\w-]+)="(.*?)"', head))
                lewis = attributes["LEWISSPLIT"]
                modapte = lewis in ("TRAIN", "TEST") and attributes["TOPICS"] == "YES"
                text = re.search(r"<TEXT\b[^>]*>.*</TEXT>", document, re.DOTALL)[0]
                body = (
                    _inside("TEXT", text)
                    if 'TYPE="UNPROC"' in text
                    else _inside("BODY", text)
                )
                rows.append(
                    {
                        "newid": int(attributes["NEWID"]),
                        "split": lewis.lower() if modapte else "unused",
                        "lewissplit": lewis,
                        "topics": tuple(
                            re.findall(r"<D>(.*?)</D>", _inside("TOPICS", document))
                        ),
                        "title": html.unescape(_inside("TITLE", text)),
                        "body": html.unescape(body),
                    }
                )
    return pd.DataFrame(rows)


# --------------------------------------------------------------------------------------
# Sentiment
# --------------------------------------------------------------------------------------


def imdb_reviews():
    """Return the labelled reviews of the Large Movie Review Dataset.

    Returns
    -------
    pandas.DataFrame
        One row per review, 25,000 in each part: `split` ("train" or "test"), `label` (1
        for a rating of 7 or more, 0 for one of 4 or less), `rating`, `id` (unique with
        split and label), `text`.
    """
    name_of_review = re.compile(r"aclImdb/(train|test)/(neg|pos)/(\d+)_(\d+)\.txt")
    rows = []
    with opened("imdb/aclImdb_labeled.tar.xz") as path:
        for name, content in archive_members(path, name_of_review.fullmatch):
            split, label, number, rating = name_of_review.fullmatch(name).groups()
            rows.append(
                (
                    split,
                    int(label == "pos"),
                    int(rating),
                    int(number),
                    content.decode("utf-8"),
                )
            )
    table = pd.DataFrame(rows, columns=["split", "label", "rating", "id", "text"])
    # One order, however the archive is packed.
    return table.sort_values(
        ["split", "label", "id"], ascending=[False, True, True], ignore_index=True
    )


def dong2014_tweets(version="raw"):
    """Return the tweets of Dong et al. (2014), with the sentiment towards a target.

    Parameters
    ----------
    version : {"raw", "tokenised"}
        As written, or tokenised, normalised and with the target replaced by "$T$".

    Returns
    -------
    pandas.DataFrame
        One row per tweet: `split` ("train", 6,248, or "test", 692), `sentence`,
        `target`, `label` (-1, 0 or 1).
    """
    check_choice(version, "version", ("raw", "tokenised"))
    key = (
        "dong2014/target.{}.raw.raw"
        if version == "raw"
        else "dong2014/acl-14-short-data/{}.raw"
    )
    rows = []
    for split in ("train", "test"):
        with opened(key.format(split)) as path:
            lines = _lines(path)
            for sentence, target, label in zip(
                lines[::3], lines[1::3], lines[2::3], strict=True
            ):
                rows.append((split, sentence.strip(), target.strip(), int(label)))
    return pd.DataFrame(rows, columns=["split", "sentence", "target", "label"])


def sst2_sentences():
    """Return the sentences of the binary Stanford Sentiment Treebank.

    Returns
    -------
    pandas.DataFrame
        One row per sentence: `split` ("train", 6,920, "validation", 872, or "test",
        1,821), `label` (0 or 1), `sentence`.
    """
    rows = []
    for split, part in {"train": "train", "validation": "dev", "test": "test"}.items():
        with opened(f"sst2/stsa.binary.{part}") as path:
            for line in _lines(path):
                label, _, sentence = line.partition(" ")
                rows.append((split, int(label), sentence))
    return pd.DataFrame(rows, columns=["split", "label", "sentence"])


def wikitext2(split):
    """Return a part of WikiText-2 as one text.

    Parameters
    ----------
    split : {"validation", "test"}

    Returns
    -------
    str
        One paragraph a line, words separated by spaces, rare ones as "<unk>".
    """
    check_choice(split, "split", ("validation", "test"))
    with opened(
        f"wikitext2/{'valid' if split == 'validation' else 'test'}.txt"
    ) as path:
        return path.read_bytes().decode("utf-8")
