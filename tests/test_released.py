"""The released runs have the shapes and counts that the papers and their files state."""

import numpy as np
import pytest
from upstream import needs

from evalkit import released, sources

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
    return pytest.param(task, folds, marks=needs(MOSS + released._MOSS_FILES[task][folds]))


@pytest.mark.parametrize(("task", "folds"), [needs_moss(*pair) for pair in SHAPES])
def test_moss_matrix(task, folds):
    matrix = released.moss2018_accuracy(task, folds)
    assert matrix.shape == SHAPES[task, folds]
    assert matrix.dtype == float
    assert ((matrix > 0) & (matrix < 1)).all()
    assert matrix.shape[1] == len(released.moss2018_grid(task))


def test_every_released_matrix_has_a_name():
    named = {MOSS + file for files in released._MOSS_FILES.values() for file in files.values()}
    keys = sources.registry().key
    assert named == set(keys[keys.str.contains("differentpartitions")])


def test_moss_grids():
    assert released.moss2018_grid("rf").max_features.tolist() == pytest.approx(np.arange(1, 50) / 100)
    grid = released.moss2018_grid("reuters")
    assert grid.iloc[9 * 4 + 2].tolist() == [100, 0.15]
    assert released.moss2018_grid("lstm").width.tolist() == [10, 20, 30, 40, 50, 60, 70, 80, 90]
    assert released.moss2018_grid("lstm-reg").iloc[[1, 8]].to_numpy().tolist() == [[1e-5, 1e-3], [0.1, 0.1]]


def test_moss_grid_as_it_was_run():
    grid = released.moss2018_grid("lstm-reg", as_run=True)
    assert grid.iloc[8].tolist() == grid.iloc[7].tolist() == [0.1, 1e-3]
    assert not released.moss2018_grid("lstm-reg").duplicated().any()
    assert not released.moss2018_grid("reuters", as_run=True).duplicated().any()


@needs(MOSS + "LSTM/LSTM_differentpartitions_reg_1200_5_folds.txt")
def test_moss_last_two_columns_are_one_setting():
    matrix = released.moss2018_accuracy("lstm-reg", 5)
    same = (matrix[:, 8:] == matrix).mean(axis=0)
    assert same[7] > 0.8
    assert same[:7].max() < 0.05


@needs(MOSS + "IMDB/MoviesRF_Truth")
def test_moss_truth():
    truth = released.moss2018_truth()
    assert truth.shape == (49,)
    # Of 49,000 reviews, each counts once.
    assert truth * 49_000 == pytest.approx(np.round(truth * 49_000), abs=1e-6)


@pytest.mark.parametrize(
    ("task", "folds", "size"),
    [
        pytest.param("pos", range(2, 15), 1000, marks=needs(MOSS + "POS/POS_K_VAR")),
        pytest.param("reuters", range(2, 15), 1000, marks=needs(MOSS + "REUTERS/REUTERS_K_VAR")),
        pytest.param(
            "lstm", range(2, 16), 105, marks=needs(*(f"{MOSS}LSTM/K_VAR_{k}" for k in range(2, 16)))
        ),
    ],
)
def test_moss_by_folds(task, folds, size):
    table = released.moss2018_by_folds(task)
    assert table.groupby("folds").size().to_dict() == dict.fromkeys(folds, size)
    assert table.accuracy.between(0, 1).all()


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (released.moss2018_accuracy, ("svm", 5), "task must be one of 'rf', 'pos'"),
        (released.moss2018_accuracy, ("pos", 20), "folds must be one of 5, 10 for pos, got 20"),
        (released.moss2018_grid, ("svm",), "task must be one of"),
        (released.moss2018_by_folds, ("rf",), "task must be one of 'pos', 'reuters', 'lstm'"),
        (released.bajgar2018, ("as-reader",), "pool must be one of"),
        (released.opda_deberta, ("deberta",), "model must be one of"),
    ],
)
def test_unknown_names(function, arguments, message):
    with pytest.raises(ValueError, match=message):
        function(*arguments)


@pytest.mark.parametrize(
    ("pool", "runs", "best"),
    [
        pytest.param("as-reader-fixed", 370, 0.6920, marks=needs("bajgar2018/cbt_fixed_hyppar.csv")),
        pytest.param("as-reader-search", 197, 0.6925, marks=needs("bajgar2018/cbtrs_results.csv")),
        pytest.param("resnet", 74, 0.6926, marks=needs("bajgar2018/cifar100-resnet-oct17.csv")),
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
    assert table.isna().sum().to_dict() == {"loss": 4, "nll": 0, "nkld": 4, "npmi": 0, "epoch": 0}
