"""Files that were made to do harm, or broken: each is read, or refused by a sentence
that names it.
"""

import itertools
import json
import random
import sqlite3
import struct
import time
import zipfile

import pandas as pd
import pytest
import test_report_formats as formats
from generated import read_places
from test_report_readers import mlflow_database

from evalkit.reports import RefusedError
from evalkit.reports._formats import _limits, _sqlite, _text, _values

LOG = {
    "version": 2,
    "status": "success",
    "eval": {"task": "sums", "model": "base", "run_id": "r"},
    "samples": [
        {
            "id": k,
            "epoch": 1,
            "input": "1+1",
            "target": "2",
            "metadata": {"level": {"of": 1}},
        }
        | {"scores": {"match": {"value": "C"}, "how": {"value": {"x": 0.5}}}}
        for k in range(3)
    ],
}
SAMPLES = [
    {
        "doc_id": k,
        "doc": {"question": "?", "level": 1},
        "filter": "none",
        "filtered_resps": ["2"],
    }
    | {"metrics": ["exact_match"], "exact_match": 1.0, "doc_hash": f"h{k}"}
    for k in range(3)
]


def archive(path, log=LOG):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(
            "header.json", json.dumps({k: v for k, v in log.items() if k != "samples"})
        )
        for k, sample in enumerate(log["samples"]):
            file.writestr(f"samples/{k}_epoch_1.json", json.dumps(sample))


def optuna_database(path):
    base = sqlite3.connect(path)
    base.executescript(
        "create table studies (study_id, study_name);create table trials (trial_id,"
        " study_id, number, state, datetime_start, datetime_complete);create table"
        " trial_values (trial_id, objective, value, value_type);create table"
        " trial_params (trial_id, param_name, param_value, distribution_json);create"
        " table trial_user_attributes (trial_id, key, value_json);create table"
        " trial_system_attributes (trial_id, key, value_json);create table"
        " study_directions (study_id, direction, objective);insert into studies values"
        " (1, 'base'); insert into study_directions values (1, 'MAXIMIZE', 0);"
    )
    choice = json.dumps(
        {"name": "CategoricalDistribution", "attributes": {"choices": ["relu", "tanh"]}}
    )
    for k in range(4):
        base.execute(
            "insert into trials values (?, 1, ?, 'COMPLETE', '2026-01-01',"
            " '2026-01-02')",
            (k, k),
        )
        base.execute(
            "insert into trial_values values (?, 0, ?, 'FINITE')", (k, 0.5 + k)
        )
        base.execute(
            "insert into trial_params values (?, 'act', ?, ?)", (k, k % 2, choice)
        )
        base.execute(
            "insert into trial_user_attributes values (?, 'test', ?)",
            (k, json.dumps(k)),
        )
    base.commit()
    base.close()


def write(text):
    return lambda path: path.write_text(text, encoding="utf-8")


VALID = {
    "a.csv": write('model,seed,acc\nbase,1,"0.8"\nbase,2,0.9 ± 0.1\nours,1,"1,003"\n'),
    "b.csv": write("model;seed;acc\nbase;1;0,8\nbase;2;1.003\n;;\n"),
    "a.jsonl": write(
        "\n".join(json.dumps({"m": "a", "acc": 0.5, "x": {"y": [1]}}) for _ in range(3))
    ),
    "a.json": write(json.dumps({"m": ["a", "b"], "acc": [0.5, 1]})),
    "b.json": write(json.dumps([{"m": "a", "acc": 0.5}, {"m": "b", "acc": None}])),
    "cv.csv": lambda path: formats.halving(formats.SEARCH).to_csv(path),
    "chart.csv": (
        lambda path: formats.chart(["a-1", "a-2", "b-1", "b-2"]).to_csv(
            path, index=False
        )
    ),
    "ray.csv": lambda path: formats.RAY.to_csv(path, index=False),
    "scalar.csv": write("Wall time,Step,Value\n1.5,0,0.5\n2.5,10,0.75\n"),
    "metrics.csv": write(formats.LIGHTNING),
    "results.json": write(json.dumps(formats.RESULTS)),
    "samples_sums.jsonl": write("\n".join(map(json.dumps, SAMPLES))),
    "trainer_state.json": write(json.dumps(formats.state([0.5, 0.8]))),
    "bleu.json": write(json.dumps(formats.bleu({"BLEU": 27.1, "TER": 61.2}))),
    "per_instance_stats.json": write(json.dumps(formats.helm([1, 0]))),
    "log.json": write(json.dumps(LOG)),
    "log.eval": archive,
    "mlflow.db": mlflow_database,
    "study.db": optuna_database,
}


def read_or_refused(path):
    """Read a file; what is refused names it."""
    try:
        readings, _ = read_places([(None, str(path))])
    except RefusedError as error:
        readings, words = [None], str(error)
    else:
        words = path.name
    assert path.name in words, words
    return readings[0]


def mutated(data, rng):
    """Change, take out, double or add a few bytes."""
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        place, size = rng.randrange(len(data) + 1), rng.choice((1, 1, 4, 40))
        kind = rng.randrange(5)
        if kind == 0:
            data[place : place + size] = rng.randbytes(size)
        elif kind == 1:
            del data[place : place + size]
        elif kind == 2:
            data[place:place] = data[place : place + size]
        elif kind == 3:
            data[place:place] = rng.choice(
                (b"\0", b"\xff", b'"', b",", b"\n", b"[", b"{", b"}", b"null", b"1e999")
            )
        elif len(data) > 1:
            del data[rng.randrange(1, len(data)) :]
    return bytes(data) or b"x"


@pytest.mark.parametrize("name", VALID)
def test_any_bytes_are_read_or_refused_by_name(name, tmp_path):
    path = tmp_path / name
    VALID[name](path)
    assert read_or_refused(path) is not None
    valid, rng, n_read = path.read_bytes(), random.Random(name), 0
    for _ in range(60):
        path.write_bytes(mutated(valid, rng))
        n_read += read_or_refused(path) is not None
    assert n_read < 60


ODD = [
    None,
    [],
    ["a"],
    "text",
    3,
    -1.5,
    True,
    {},
    {"a": []},
    [[1]],
    [None],
    {"choices": 3},
    10**400,
    "\ud800",
]


def replaced(value, new):
    """Yield a JSON value with each of its parts replaced by a new one."""
    yield new
    if isinstance(value, dict):
        for key, part in value.items():
            yield from ({**value, key: other} for other in replaced(part, new))
            yield {k: v for k, v in value.items() if k != key}
    elif isinstance(value, list):
        for k, part in enumerate(value):
            yield from (
                [*value[:k], other, *value[k + 1 :]] for other in replaced(part, new)
            )


@pytest.mark.parametrize(
    "name",
    [
        "log.eval", "log.json", "results.json", "samples_sums.jsonl", "a.json", "b.json", "bleu.json",
        "trainer_state.json", "per_instance_stats.json",
    ],
)  # fmt: skip
def test_every_shape_of_json_is_read_or_refused(name, tmp_path):
    """In each place of a valid file stands something else."""
    path = tmp_path / name
    samples = LOG["samples"][:1]
    whole = {
        "log.eval": {**LOG, "samples": samples},
        "log.json": {**LOG, "samples": samples},
        "results.json": {
            **formats.RESULTS,
            "results": {"mmlu": formats.RESULTS["results"]["mmlu"]},
        },
        "samples_sums.jsonl": SAMPLES[0],
        "bleu.json": formats.bleu({"BLEU": 27.1}),
        "per_instance_stats.json": formats.helm([1]),
        "trainer_state.json": formats.state([0.5]),
        "a.json": {"m": ["a", "b"], "acc": [0.5, 1]},
        "b.json": [{"m": "a", "acc": 0.5, "x": {"y": 1}}],
    }[name]
    n = 0
    for j, new in enumerate(ODD):
        # Each place meets some of them.
        for other in itertools.islice(replaced(whole, new), j % 4, None, 4):
            if name == "log.eval":
                if isinstance(other, dict) and isinstance(other.get("samples"), list):
                    archive(path, other)
            else:
                path.write_text(json.dumps(other), encoding="utf-8")
            n += read_or_refused(path) is not None if path.exists() else 0
    assert n > 20


@pytest.mark.parametrize("part", ["header.json", "samples/0_epoch_1.json"])
@pytest.mark.parametrize("odd", [[], None, "text", 3], ids=repr)
def test_an_archive_with_something_else_for_an_object_is_refused_by_its_part(
    part, odd, tmp_path
):
    archive(tmp_path / "whole.eval")
    with (
        zipfile.ZipFile(tmp_path / "whole.eval") as whole,
        zipfile.ZipFile(tmp_path / "a.eval", "w") as file,
    ):
        for name in whole.namelist():
            file.writestr(name, json.dumps(odd) if name == part else whole.read(name))
    with pytest.raises(RefusedError, match=r"a\.eval: .* no object with named values"):
        read_places([(None, str(tmp_path / "a.eval"))])


@pytest.mark.parametrize(
    "distribution",
    ["[]", "null", "x", "3", '{"name": "CategoricalDistribution"}', None, b"\xff"],
)
def test_what_optuna_stores_of_a_choice_is_an_object_or_refused(distribution, tmp_path):
    optuna_database(tmp_path / "study.db")
    with sqlite3.connect(tmp_path / "study.db") as base:
        base.execute("update trial_params set distribution_json = ?", (distribution,))
    base.close()
    with pytest.raises(RefusedError, match=r"study\.db: .*distribution of act"):
        read_places([(None, str(tmp_path / "study.db"))])


@pytest.mark.parametrize("value", [2, -1, 0.5, "x", None])
def test_a_choice_that_is_none_is_refused(value, tmp_path):
    optuna_database(tmp_path / "study.db")
    with sqlite3.connect(tmp_path / "study.db") as base:
        base.execute("update trial_params set param_value = ?", (value,))
    base.close()
    with pytest.raises(RefusedError, match="has no choice number"):
        read_places([(None, str(tmp_path / "study.db"))])


def test_an_old_database_is_told_that_it_is_old(tmp_path):
    optuna_database(tmp_path / "study.db")
    with sqlite3.connect(tmp_path / "study.db") as base:
        base.execute("drop table study_directions")
    base.close()
    with pytest.raises(
        RefusedError,
        match=r"no such table: study_directions.*\n.*\n.*optuna storage upgrade",
    ):
        read_places([(None, str(tmp_path / "study.db"))])


# --------------------------------------------------------------------------------------
# Time and memory
# --------------------------------------------------------------------------------------


def soon(path, message, seconds=10):
    start = time.process_time()
    with pytest.raises(RefusedError, match=message) as refused:
        read_places([(None, str(path))])
    assert path.name in str(refused.value)
    assert time.process_time() - start < seconds


def test_a_query_that_never_ends_is_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(_limits, "STEPS", 2_000_000)
    optuna_database(tmp_path / "study.db")
    with sqlite3.connect(tmp_path / "study.db") as base:
        base.execute("drop table trial_system_attributes")
        base.execute(
            "create view trial_system_attributes as with recursive r(key) as "
            "(select 1 union all select key + 1 from r) select * from r where key < 0"
        )
    base.close()
    soon(tmp_path / "study.db", "its queries take longer than any results do")


def test_a_query_of_endless_rows_is_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(_limits, "CELLS", 1_000_000)
    monkeypatch.setattr(_sqlite, "_AT_ONCE", 10_000)
    optuna_database(tmp_path / "study.db")
    with sqlite3.connect(tmp_path / "study.db") as base:
        base.execute("drop table trial_user_attributes")
        base.execute(
            "create view trial_user_attributes as with recursive r(trial_id, key,"
            " value_json) as (select 1, 1, 1 union all select 1, key + 1, 1 from r)"
            " select * from r"
        )
    base.close()
    soon(tmp_path / "study.db", "at most 1,000,000 cells are read")


def test_a_table_is_read_up_to_its_bounds(tmp_path, monkeypatch):
    wide = pd.DataFrame(
        [[f"r{k}", *range(20)] for k in range(3)], columns=[f"c{k}" for k in range(21)]
    )
    for columns, cells in ((20, 10**6), (10**6, 60)):
        monkeypatch.setattr(_limits, "COLUMNS", columns)
        monkeypatch.setattr(_limits, "CELLS", cells)
        for name, save in (
            ("a.csv", lambda path: wide.to_csv(path, index=False)),
            ("a.jsonl", lambda path: wide.to_json(path, orient="records", lines=True)),
            ("b.json", lambda path: wide.to_json(path, orient="records")),
            ("c.json", lambda path: wide.to_json(path)),
            ("d.json", lambda path: path.write_text(json.dumps(wide.to_dict("list")))),
        ):
            save(tmp_path / name)
            bound = (
                f"at most {columns:,} are read"
                if columns == 20
                else "at most 60 cells are read"
            )
            soon(tmp_path / name, f"21 columns, and {bound}")
        monkeypatch.setattr(_limits, "COLUMNS", 21)
        monkeypatch.setattr(_limits, "CELLS", 63)
        assert read_or_refused(tmp_path / "a.csv").frame.shape == (3, 21)


def test_objects_that_share_no_name_fill_no_memory(tmp_path):
    lines = (json.dumps({f"k{k}": k}) for k in range(200_000))
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    soon(tmp_path / "a.jsonl", "2,001 columns, and at most 2,000 are read")
    (tmp_path / "b.json").write_text(json.dumps([{f"k{k}": k for k in range(200_000)}]))
    soon(tmp_path / "b.json", "columns, and at most 2,000 are read")


@pytest.mark.parametrize("name", ["a.csv", "a.json"])
def test_what_is_held_whole_is_not_too_long(name, tmp_path, monkeypatch):
    monkeypatch.setattr(_limits, "BYTES", 2**20)
    begins = {"a.csv": b"a,b\n", "a.json": b"["}[name]
    (tmp_path / name).write_bytes(begins + b"1" * 2**21)
    soon(tmp_path / name, "it has 2 MiB, and of its format at most 1 are read")


def test_a_member_of_an_archive_is_not_too_long(tmp_path, monkeypatch):
    monkeypatch.setattr(_limits, "BYTES", 2**20)
    archive(tmp_path / "a.eval", {**LOG, "more": "x" * 2**21})
    soon(
        tmp_path / "a.eval",
        "unpacked it has 2 MiB, and of its format at most 1 are read",
    )


def test_a_list_of_members_is_not_read_where_it_is_too_long(tmp_path):
    end = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 65535, 65535, 2**31, 0, 0)
    (tmp_path / "a.eval").write_bytes(b"x" * 100 + end)
    soon(tmp_path / "a.eval", "more than 65,534 members")


def test_what_is_broken_says_why(tmp_path):
    """The cause that was there, and no other."""
    (tmp_path / "a.csv").write_bytes(b'a,b\n"1,2\n')
    soon(tmp_path / "a.csv", "unexpected end of data")
    (tmp_path / "a.jsonl").write_bytes(b'{"a": 1}\n{"a"\n')
    soon(tmp_path / "a.jsonl", "line 2 is not JSON .*delimiter")
    archive(tmp_path / "a.eval")
    data = (tmp_path / "a.eval").read_bytes()
    (tmp_path / "a.eval").write_bytes(data.replace(b"PK\x03\x04", b"PK\x03\x05", 1))
    soon(tmp_path / "a.eval", r"Bad magic number|header\.json in it cannot be unpacked")


def test_lines_that_are_tried_for_the_mark_are_few():
    text = "a,b\n" + '"' * 100_000 + "\n1,2" * 100_000
    start = time.process_time()
    _text._mark(text)
    assert time.process_time() - start < 2


def test_one_odd_value_costs_nothing_in_a_large_column():
    values = list(itertools.chain(map(str, range(100_000)), ["1,5" * 60]))
    start = time.process_time()
    _values.columns(pd.DataFrame({"a": values}))
    assert time.process_time() - start < 4


def test_parquet_has_the_same_bounds(tmp_path):
    arrow, parquet = (
        pytest.importorskip("pyarrow"),
        pytest.importorskip("pyarrow.parquet"),
    )
    columns = {"model": arrow.array(["a", "b"]).dictionary_encode(), "acc": [0.5, None]}
    path = tmp_path / "a.parquet"
    parquet.write_table(arrow.table({**columns, "raw": [b"\xff", b""]}), path)
    reading = read_or_refused(path)
    assert reading.frame.model.tolist() == ["a", "b"]
    assert reading.facts["notes"] == ["columns of bytes are not read: raw"]
    valid, rng = path.read_bytes(), random.Random(0)
    for _ in range(60):
        path.write_bytes(mutated(valid, rng))
        read_or_refused(path)
    parquet.write_table(arrow.table({"a": ["x" * 10**6] * 2000}), path)  # some kB
    soon(path, "unpacked it has 1,907 MiB")
    parquet.write_table(arrow.table({f"c{k}": [1.0] for k in range(3000)}), path)
    soon(path, "it has 3,000 columns")
    parquet.write_table(arrow.table({"a": arrow.array([0.0] * 11_000_000)}), path)
    soon(path, "at most 5,000,000 cells are read")
