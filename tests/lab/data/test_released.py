"""The released runs have the shapes and counts that the papers and their files
state.
"""

import io
import json
import pickle
import tarfile
import zipfile

import numpy as np
import pytest
from grids import grid
from upstream import damaged, needs

from lab.data import corpora, released, sources

MOSS = "moss2018/"
SHAPES = {
    ("rf", 5): (999, 49),
    ("rf", 10): (999, 49),
    ("rf", 20): (499, 49),
    ("pos", 5): (999, 11),
    ("pos", 10): (999, 11),
    ("reuters", 5): (999, 81),
    ("reuters", 10): (999, 81),
    ("lstm", 5): (514, 9),
    ("lstm", 10): (284, 9),
    ("lstm-reg", 5): (1200, 9),
    ("lstm-reg", 10): (566, 9),
}


@needs("tang2020/hedwig.tsv")
def test_tang():
    table = released.tang2020()
    assert table.groupby("system").size().to_dict() == {"reg_lstm": 152, "mlp": 145}
    assert table.seed.is_unique
    assert table.f1.between(0, 1).all()
    assert table.iloc[0].tolist() == ["reg_lstm", 5444045, 0.36217183770883055]


def needs_moss(task, folds):
    return pytest.param(
        task, folds, marks=needs(MOSS + released._MOSS_FILES[task][folds])
    )


@pytest.mark.parametrize(("task", "folds"), [needs_moss(*pair) for pair in SHAPES])
def test_moss_matrix(task, folds):
    matrix = released.moss2018_accuracy(task, folds)
    assert matrix.shape == SHAPES[task, folds]
    assert matrix.dtype == float
    assert ((matrix > 0) & (matrix < 1)).all()
    assert matrix.shape[1] == len(released.moss2018_grid(task))


def test_every_released_matrix_has_a_name():
    named = {
        MOSS + file
        for files in released._MOSS_FILES.values()
        for file in files.values()
    }
    keys = sources.registry().key
    assert named == set(keys[keys.str.contains("differentpartitions")])


def test_moss_grids():
    assert released.moss2018_grid("rf").max_features.tolist() == pytest.approx(
        np.arange(1, 50) / 100
    )
    grid = released.moss2018_grid("reuters")
    assert grid.iloc[9 * 4 + 2].tolist() == [100, 0.15]
    assert released.moss2018_grid("lstm").width.tolist() == [*range(10, 100, 10)]
    assert released.moss2018_grid("lstm-reg").iloc[[1, 8]].to_numpy().tolist() == [
        [1e-5, 1e-3],
        [0.1, 0.1],
    ]
    as_run = released.moss2018_grid("lstm-reg", as_run=True)
    assert as_run.iloc[8].tolist() == as_run.iloc[7].tolist() == [0.1, 1e-3]


@needs(MOSS + "IMDB/MoviesRF_Truth")
def test_moss_truth():
    truth = released.moss2018_truth()
    assert truth.shape == (49,)
    # Of 49,000 reviews, each counts once.
    assert truth * 49_000 == pytest.approx(np.round(truth * 49_000), abs=1e-6)


@grid(
    ("function", "arguments", "message"),
    [
        (released.moss2018_accuracy, ("svm", 5), "task must be one of 'rf', 'pos'"),
        (
            released.moss2018_accuracy,
            ("pos", 20),
            "folds must be one of 5, 10 for pos, got 20",
        ),
        (released.moss2018_grid, ("svm",), "task must be one of"),
        (released.bajgar2018, ("as-reader",), "pool must be one of"),
        (released.bajgar2018_rows, ("as-reader",), "pool must be one of"),
        (released.opda_deberta, ("deberta",), "model must be one of"),
    ],
)
def test_unknown_names(function, arguments, message):
    with pytest.raises(ValueError, match=message):
        function(*arguments)


@pytest.mark.parametrize(
    ("pool", "runs", "best"),
    [
        pytest.param(
            "as-reader-fixed",
            370,
            0.6920,
            marks=needs("bajgar2018/cbt_fixed_hyppar.csv"),
        ),
        pytest.param(
            "as-reader-search", 197, 0.6925, marks=needs("bajgar2018/cbtrs_results.csv")
        ),
        pytest.param(
            "resnet", 74, 0.6926, marks=needs("bajgar2018/cifar100-resnet-oct17.csv")
        ),
    ],
)
def test_bajgar(pool, runs, best):
    table = released.bajgar2018(pool)
    assert list(table) == ["run", "validation", "test"]
    assert len(table) == runs
    assert table.run.is_unique
    assert table.validation.max() == pytest.approx(best, abs=5e-5)
    assert table[["validation", "test"]].stack().between(0.1, 0.8).all()


@pytest.mark.parametrize(
    "model",
    [
        pytest.param(name, marks=needs(f"opda_deberta/{name}.results.jsonl"))
        for name in ("deberta-base", "deberta-v3-base")
    ],
)
def test_deberta(model):
    table = released.opda_deberta(model)
    assert table.iteration.tolist() == list(range(1, 1025))
    scores = table[["matched", "mismatched", "best_matched", "best_mismatched"]]
    assert scores.stack().between(0.3, 1).all()
    assert (scores.best_matched >= scores.matched).all()
    assert (scores.best_mismatched >= scores.mismatched).all()


@needs("dodge2019/results.jsonl")
def test_dodge():
    table = released.dodge2019()
    assert len(table) == 97
    assert table.isna().sum().to_dict() == {
        "loss": 4,
        "nll": 0,
        "nkld": 4,
        "npmi": 0,
        "epoch": 0,
    }


# --------------------------------------------------------------------------------------
# Damage that verification did not see: a file that changed since, or a program that did
# --------------------------------------------------------------------------------------


def json_lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def text_of(*rows):
    return "".join(f"{row}\n" for row in rows).encode()


def tar_xz(name, text):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:xz") as archive:
        member = tarfile.TarInfo(name)
        member.size = len(text)
        archive.addfile(member, io.BytesIO(text))
    return buffer.getvalue()


def zip_of(**files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), text)
    return buffer.getvalue()


CURVES = {"matched": [[1, 0.5], [2, 0.6]], "mismatched": [[1, 0.4], [2, 0.5]]}
DOCUMENT = (
    b'<REUTERS TOPICS="YES" LEWISSPLIT="TRAIN" NEWID="1"><TOPICS><D>corn</D></TOPICS>'
    b"<TEXT><TITLE>A</TITLE><BODY>b</BODY></TEXT></REUTERS>"
)
# A small file of each format, and who reads it.
SMALL = {
    lambda: released.tang2020(): (
        b"set_type\tdataset_name\tmodel_name\t--seed\tf1\ndev\tReuters\tmlp\t1\t0.5\n"
    ),
    lambda: released.moss2018_accuracy("pos", 5): pickle.dumps(
        [[np.float64(0.5)] * 11] * 3
    ),
    lambda: released.moss2018_truth(): pickle.dumps([np.float64(0.5)] * 4),
    lambda: released.moss2018_accuracy("lstm", 5): text_of([0.5] * 9, [0.25] * 9),
    lambda: released.bajgar2018(
        "as-reader-fixed"
    ): b"log_path,epoch,valid.accuracy,accuracy\n/cbt-dist/1,2,0.5,0.25\n",
    lambda: released.bajgar2018("as-reader-search"): (
        b"log,valid_accuracy,cbtest_CN_test_2500ex.txt_accuracy,iterations_done\na,0.5,0.25,3\n"
    ),
    lambda: released.bajgar2018(
        "resnet"
    ): b"step,path,Precision_valid,Precision_test\n40000,a,0.5,0.25\n",
    lambda: released.bajgar2018_rows(
        "as-reader-fixed"
    ): b"log_path,epoch,valid.accuracy,accuracy\n/cbt-dist/1,2,0.5,0.25\n",
    lambda: released.bajgar2018_rows("as-reader-search"): (
        b"log,valid_accuracy,cbtest_CN_test_2500ex.txt_accuracy,iterations_done,time_initialization,"
        b"time_read_data_total,time_train_total\na,0.5,0.25,3,1.5,2.5,3.5\n"
    ),
    lambda: released.bajgar2018_rows("resnet"): (
        b"step,path,Precision_valid,Precision_test,Best Precision_valid,Best"
        b" Precision_test\n40000,a,0.5,0.25,0.5,0.5\n"
    ),
    lambda: released.opda_deberta(): json_lines(
        {"iteration": 1, "learning_curves": CURVES}
    ),
    lambda: released.dodge2019(): json_lines(
        {
            "best_epoch": 1,
            **{
                f"best_validation_{name}": 0.5
                for name in ("loss", "nll", "nkld", "npmi")
            },
        }
    ),
    corpora.treebank_words: zip_of(
        treebank__combined__wsj_mrg=b"( (S (NN a) (VB b)) )\n"
    ),
    corpora.brown_words: zip_of(
        **{"brown__cats_txt": b"ca01 news\n", "brown__ca01": b"the/at a/nn\n"}
    ),
    corpora.reuters_documents: tar_xz("reut2-000.sgm", DOCUMENT),
    corpora.imdb_reviews: tar_xz("aclImdb/train/neg/1_4.txt", "schön".encode()),
    corpora.dong2014_tweets: text_of("a $T$ c", "b", 1),
    corpora.sst2_sentences: text_of("1 good", "0 bad"),
    lambda: corpora.wikitext2("test"): "schön\n".encode(),
}


@pytest.fixture
def unverified(tmp_path, monkeypatch):
    """Put the same content at every place of the mirror, verified or not."""
    path = tmp_path / "file"
    monkeypatch.setattr(sources, "_places", lambda facts: [("mirror", path)])
    monkeypatch.setattr(sources, "_verify", lambda *_: None)
    return path


@pytest.mark.parametrize("read", SMALL)
def test_reader_of_a_damaged_file_names_it(unverified, read):
    unverified.write_bytes(SMALL[read])
    assert len(read()) > 0
    rng = np.random.default_rng(2020)
    refusals = named = 0
    for _ in range(25):
        unverified.write_bytes(damaged(SMALL[read], rng))
        try:
            read()
        except sources.SourceError as error:
            refusals += 1
            named += str(unverified) in str(error)
    assert named == refusals > 0
