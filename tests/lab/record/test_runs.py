"""The runner: nothing is lost, nothing is counted twice, and what was recorded can be
read back.
"""

import contextlib
import copy
import csv
import dataclasses
import itertools
import json
import os
import queue
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import warnings
from datetime import UTC, datetime

import joblib
import pandas as pd
import pytest
from faults.toy import TABLES, UNITS, reseal, toy
from grids import grid
from hypothesis import example, given
from hypothesis import strategies as st

from evalkit import _files
from lab import clusters
from lab.data import DATA, docstrings, sources
from lab.record import environment, hashes, runs
from lab.record import store as store_module
from lab.record import tables as record
from lab.record.experiment import Experiment, unit_key

NOW = "2020-02-02T20:20:20+00:00"
ALONE = runs.Work(jobs=1, progress=False)
# Each of these would read back as something else if it were written as it is.
AWKWARD = [
    "1",
    "007",
    "-1e5",
    "NaN",
    "Infinity",
    "null",
    "true",
    "[1]",
    "{}",
    '"',
    '"a"',
    '""',
    " 1",
    "1 ",
    " ",
    "",
    "None",
    "nan",
    "a,b",
    "a\nb",
    "a\rb",
    "a\r\nb",
    "\ufeff",
    "é ü 中 🦊",
    "it's",
    "\t",
    "\x00",
    "=1+1",
    None,
    True,
    False,
    0,
    1,
    -1,
    2**70,
    0.0,
    -0.0,
    1.0,
    0.1 + 0.2,
    1e-320,
    1.7e308,
    1 / 3,
    [],
    [1, "a"],
    {},
    {"a": None},
]
JSON_VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(),
)


def row(unit, result, finished=NOW):
    return {
        "unit": unit,
        "result": result,
        "environment": environment.environment(),
        "finished": finished,
    }


def exactly(rows):
    """Return rows as text in which 1, 1.0 and True differ, and the order of keys does
    not matter.
    """
    return [json.dumps(r, sort_keys=True) for r in rows]


def fill(store, rows):
    for r in rows:
        store.add(r["unit"], r["result"], r["environment"], r["finished"])


@pytest.fixture
def store(tmp_path):
    with runs.Store(tmp_path / "toy.sqlite") as opened:
        yield opened


@pytest.fixture
def recorded(tmp_path, monkeypatch):
    """Return the folder of a recorded toy experiment, in a `data/recorded` of its
    own.
    """
    monkeypatch.setattr(record, "RECORDED", tmp_path / "recorded")
    experiment = toy()
    rows = [row(unit, experiment.run(unit)) for unit in UNITS]
    runs.export(experiment, rows, record.RECORDED / "toy")
    return record.RECORDED / "toy"


def edit_csv(path, edit):
    """Let `edit` change the rows of a CSV before they are recorded; the header
    stays.
    """
    with open(path, newline="", encoding="utf-8") as file:
        header, *lines = csv.reader(file)
    edit(lines, header)
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *lines])
    reseal(path.parent)


# --------------------------------------------------------------------------------------
# The store
# --------------------------------------------------------------------------------------


def test_store_keeps_the_first_of_two_equal_units(store):
    assert store.add({"table": "t", "seed": 1}, {"score": 0.1}, {}, "first")
    assert not store.add({"seed": 1, "table": "t"}, {"score": 0.9}, {}, "second")
    assert len(store) == 1
    assert store.rows() == [
        {
            "unit": {"table": "t", "seed": 1},
            "result": {"score": 0.1},
            "environment": {},
            "finished": "first",
        }
    ]


def test_rows_do_not_depend_on_the_order_they_came_in(tmp_path):
    made = [row(unit, {"score": i}) for i, unit in enumerate(UNITS)]
    with runs.Store(tmp_path / "a.sqlite") as a, runs.Store(tmp_path / "b.sqlite") as b:
        fill(a, made)
        fill(b, made[::-1])
        assert a.rows() == b.rows()


@pytest.mark.parametrize(
    "name", [":memory:", "file:toy.sqlite?mode=memory", "new folder/toy.sqlite"]
)
def test_store_outlives_its_process_in_a_file_whatever_its_name(
    tmp_path, monkeypatch, name
):
    monkeypatch.chdir(tmp_path)
    with runs.Store(name) as store:
        fill(store, [row(UNITS[0], {"score": 0.1})])
    with runs.Store(name) as store:
        assert len(store) == 1


def test_store_has_one_writer(store):
    # The lock must also hold against another process.
    program = f"from lab.record import runs; runs.Store({str(store.path)!r})"
    other = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True
    )
    assert other.returncode == 1
    assert f"RuntimeError: another run is writing {store.path}" in other.stderr


@grid(
    "content",
    [
        b"number,score\n" + b"1,0.5\n" * 500,
        b"short",
        b"SQLite format 3\0" + b"?" * 2000,
    ],
)
def test_store_leaves_a_file_that_is_not_its_own_alone(tmp_path, content):
    path = tmp_path / "results.csv"
    path.write_bytes(content)
    for _ in range(2):  # the second time shows that the first did not keep the lock
        with pytest.raises(RuntimeError, match=r"results\.csv is not a store"):
            runs.Store(path)
    assert path.read_bytes() == content


def test_store_refuses_other_tables_and_leaves_them(tmp_path):
    path = tmp_path / "other.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE people (name TEXT)")
    before = path.read_bytes()
    with pytest.raises(RuntimeError, match=r"other\.sqlite is not a store.*people"):
        runs.Store(path)
    assert path.read_bytes() == before


def test_store_whose_making_was_cut_off_is_made_whole(tmp_path):
    path = tmp_path / "half.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute(store_module._SCHEMA[0])
    with runs.Store(path) as store:
        fill(store, [row(UNITS[0], {"score": 0.5})])
        assert len(store) == 1


def test_store_goes_on_after_a_full_disk(store):
    big = row({**UNITS[0], "text": "x" * 10**5}, {})
    store._database.execute("PRAGMA max_page_count = 10")
    with pytest.raises(
        RuntimeError, match=r"toy\.sqlite cannot be used .*full.*make room"
    ):
        fill(store, [big])
    fill(store, [row(UNITS[1], {"score": 0.5})])  # it is not left in a transaction
    store._database.execute("PRAGMA max_page_count = 1000")
    fill(store, [big])
    assert len(store) == 2


@pytest.mark.parametrize(
    "damage",
    ["UPDATE rows SET result = '{'", "DELETE FROM environments", "DROP TABLE rows"],
)
def test_damaged_store_is_named(store, damage):
    fill(store, [row(UNITS[0], {"score": 0.5})])
    store._database.execute(damage)
    with pytest.raises(
        RuntimeError, match=r"toy\.sqlite is not a store of runs, or damaged"
    ):
        store.rows()


def test_store_that_may_not_be_written_says_so(store):
    store._database.execute("PRAGMA query_only = 1")
    with pytest.raises(
        RuntimeError,
        match=r"toy\.sqlite cannot be used .*: allow writing there, or give",
    ):
        fill(store, [row(UNITS[0], {"score": 0.5})])


def test_store_that_another_program_has_open_says_so(store):
    store._database.execute("PRAGMA busy_timeout = 0")
    with contextlib.closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(
            RuntimeError,
            match=r"toy\.sqlite cannot be used .*: close the other program",
        ):
            fill(store, [row(UNITS[0], {"score": 0.5})])
    fill(store, [row(UNITS[0], {"score": 0.5})])


# --------------------------------------------------------------------------------------
# Recorded rows
# --------------------------------------------------------------------------------------


def round_trip(rows, folder):
    runs.export(toy(), rows, folder)
    back = record.recorded_rows("toy", folder=folder)
    assert sorted(exactly(back)) == sorted(exactly(rows))
    return back


@example([(value, value) for value in AWKWARD])
@given(st.lists(st.tuples(JSON_VALUES, JSON_VALUES), min_size=1, max_size=6))
def test_recorded_rows_read_back_as_they_were(tmp_path_factory, values):
    rows = [
        row({"table": f"t{i % 2}", "i": i, "parameter": p}, {"result": r})
        for i, (p, r) in enumerate(values)
    ]
    round_trip(rows, tmp_path_factory.mktemp("recorded"))


def test_an_environment_is_recorded_once_whatever_the_order_of_its_keys(tmp_path):
    turned = dict(reversed(environment.environment().items()))
    rows = [
        row(UNITS[0], {"score": 0.1}),
        {**row(UNITS[1], {"score": 0.2}), "environment": turned},
    ]
    runs.export(toy(), rows, tmp_path)
    assert list(
        record.load_provenance("toy", folder=tmp_path)["environments"].values()
    ) == [turned]


@grid("name", ["number", "finished", "environment"])
def test_export_refuses_two_columns_of_one_name(tmp_path, name):
    # Of two such columns a reader would see one.
    rows = [row({"table": "t", "number": 1}, {name: 2.0})]
    with pytest.raises(ValueError, match=name):
        runs.export(toy(), rows, tmp_path)


def test_one_table_is_read_without_the_others(recorded):
    (recorded / "first.csv").unlink()
    rows = record.recorded_rows("toy", table="second")
    assert [row["unit"]["table"] for row in rows] == ["second"] * 4
    assert record.recorded_rows("toy", table="fourth") == []


def test_no_cut_and_no_edit_of_a_table_is_read(recorded):
    path = recorded / "second.csv"
    whole = path.read_bytes()
    cut = [whole[:length] for length in range(len(whole))]
    edited = [
        whole[:i] + bytes([whole[i] ^ bit]) + whole[i + 1 :]
        for i in range(len(whole))
        for bit in (1, 32)
    ]
    for content in [*cut, *edited, whole.replace(b"\n", b"\r\n"), whole + b"\n"]:
        path.write_bytes(content)
        for read in (
            lambda: record.recorded_rows("toy"),
            lambda: record.load_recorded("toy", "second"),
        ):
            with pytest.raises(
                ValueError, match=r"second\.csv is not the table .*restore it"
            ):
                read()
    path.unlink()
    with pytest.raises(ValueError, match=r"second\.csv .* is missing"):
        record.load_recorded("toy", "second")


def test_table_that_nobody_recorded_is_refused(recorded):
    (recorded / "fourth.csv").write_text("number,score\n1,0.5\n")
    with pytest.raises(ValueError, match=r"fourth\.csv is not in provenance\.json"):
        record.load_recorded("toy", "fourth")
    (recorded / "provenance.json").unlink()
    for read in (
        record.recorded_rows,
        record.load_provenance,
        lambda name: record.load_recorded(name, "first"),
    ):
        with pytest.raises(
            ValueError,
            match=r"provenance\.json is missing, which belongs to first\.csv",
        ):
            read("toy")


def test_broken_provenance_is_named(recorded):
    path = recorded / "provenance.json"
    whole = path.read_bytes()
    keys = json.loads(whole)
    broken = [whole[:length] for length in range(len(whole) - 2)]
    broken += [
        b"[" * 100_000,
        b"\xff",
        b"[]",
        b"null",
        *(json.dumps({**keys, k: 1}).encode() for k in keys),
    ]
    made_in = {next(iter(keys["environments"])): {"python": "3.11.2"}}
    layout = keys["tables"]["first"]
    for odd in (
        {"tables": {"first": {"rows": "4"}}},
        {
            "tables": {
                **keys["tables"],
                "first": {**layout, "parameters": [["number"], "label"]},
            }
        },
        {"tables": {**keys["tables"], "first": {**layout, "results": [1]}}},
        {"environments": made_in},
        {"environments": dict.fromkeys(made_in, "x")},
        {"sha256": dict.fromkeys(keys["sha256"], 5)},
    ):
        broken.append(json.dumps({**keys, **odd}).encode())
    for content in broken:
        path.write_bytes(content)
        for read in (
            record.recorded_rows,
            record.load_provenance,
            lambda name: record.load_recorded(name, "first"),
        ):
            with pytest.raises(ValueError, match=r"provenance\.json .*; restore it"):
                read("toy")
    path.unlink()
    path.mkdir()
    with pytest.raises(
        ValueError, match=r"provenance\.json cannot be read .*; restore it"
    ):
        record.recorded_rows("toy")


class Cut(BaseException):
    """The process is killed: nothing is cleaned up."""


def stopping(call, left, error):
    def stop_or_call(*args):
        if next(left, None) is None:
            raise error
        return call(*args)

    return stop_or_call


def state(folder):
    extra = record.recorded_content(folder, "items")
    return exactly(record.recorded_rows("toy", folder=folder)), extra


@pytest.mark.parametrize(
    "error", [OSError("no space left on device"), Cut()], ids=["full disk", "killed"]
)
@pytest.mark.parametrize("first", [True, False], ids=["first export", "next export"])
def test_export_that_is_cut_off_anywhere_leaves_the_old_rows_or_the_new(
    tmp_path, monkeypatch, error, first
):
    def extras(rows):
        return {"items": pd.DataFrame({"score": [r["result"]["score"] for r in rows]})}

    experiment = toy(extras=extras)
    old = [row(unit, experiment.run(unit)) for unit in UNITS]
    new = [row(unit, {"score": 9.0, "seconds": 1.0}) for unit in UNITS]
    if isinstance(error, Cut):  # then nobody removes anything either
        monkeypatch.setattr(_files.Path, "unlink", lambda *_, **__: None)
        monkeypatch.setattr(os, "unlink", lambda *_, **__: None)

    def cut_off(folder, after):
        left = iter(range(after))
        with monkeypatch.context() as patch:
            for name in ("fsync", "chmod", "replace"):
                patch.setattr(os, name, stopping(getattr(os, name), left, error))
            try:
                runs.export(experiment, new, folder)
            except (OSError, Cut):
                return True
        return False

    seen, step = set(), 0
    while True:
        folder = tmp_path / f"{step}"
        if not first:
            runs.export(experiment, old, folder)
        before = state(folder)
        was_cut = cut_off(folder, step)
        left = sorted(p.name for p in folder.iterdir())
        after = state(folder)
        runs.export(experiment, new, tmp_path / "whole")
        whole = state(tmp_path / "whole")
        assert after in (before, whole)
        seen.add(after == whole)
        if after == before and isinstance(error, OSError):
            assert not [name for name in left if name.endswith((".new", ".part"))]
        # A second export, cut off as well, and one that is not: each state is a good
        # one to start from.
        cut_off(folder, step + 1)
        assert state(folder) in (before, whole)
        runs.export(experiment, new, folder)
        assert state(folder) == whole
        assert not list(folder.glob("*.new"))
        if not was_cut:
            break
        step += 1
    assert seen == {True, False}
    assert step > 15


def test_load_recorded_is_exact_and_takes_no_hash_for_a_number(tmp_path, monkeypatch):
    monkeypatch.setattr(record, "RECORDED", tmp_path)
    scores = [0.1 + 0.2, 1 / 3, 1e-320]
    rows = [row({"table": "t", "i": i}, {"score": s}) for i, s in enumerate(scores)]
    runs.export(toy(), rows, tmp_path / "toy")
    path = tmp_path / "toy" / "t.csv"
    path.write_text(re.sub(r"(?m),\w{8}$", ",12e45678", path.read_text()))
    reseal(path.parent)
    table = record.load_recorded("toy", "t")
    assert table.score.tolist() == scores
    assert table.environment.tolist() == ["12e45678"] * 3


def test_load_recorded_names_the_tables_there_are(recorded):
    with pytest.raises(
        ValueError,
        match=r"no recorded table toy/forth; there are: toy/first, toy/second",
    ):
        record.load_recorded("toy", "forth")


@pytest.mark.parametrize(
    "folder", sorted(record.RECORDED.iterdir()), ids=lambda folder: folder.name
)
def test_every_table_of_the_book_is_as_it_was_recorded(folder):
    provenance = record.load_provenance(folder.name)
    assert set(provenance["sha256"]) == {path.name for path in folder.glob("*.csv")}
    assert {f"{table}.csv" for table in provenance["tables"]} <= set(
        provenance["sha256"]
    )
    for made_in, described in provenance["environments"].items():
        assert made_in == store_module.short_hash(json.dumps(described, sort_keys=True))
    for name in provenance["sha256"]:
        assert record.recorded_content(folder, name.removesuffix(".csv"))


# --------------------------------------------------------------------------------------
# Running
# --------------------------------------------------------------------------------------


def run_toy(experiment, store, folder):
    where = {"work": ALONE, "recorded": folder}
    return runs.run_experiment(experiment, "recorded", store=store, **where)


def test_what_is_done_is_not_run_again(store):
    ran = []
    experiment = toy(ran=ran)
    # A unit that a plan holds twice is run once.
    assert runs.execute(experiment, UNITS[:5] * 2, store, work=ALONE) == 5
    assert runs.execute(experiment, UNITS, store, work=ALONE) == len(UNITS) - 5
    assert runs.execute(experiment, UNITS, store, work=ALONE) == 0
    assert ran == UNITS


def fail_at_third(unit):
    if unit["number"] == 2:
        raise ZeroDivisionError("on purpose")


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_failing_unit_is_named_and_finished_rows_stay(store, n_jobs):
    units = UNITS[:4]
    with pytest.raises(
        RuntimeError, match=r'"number": 2.*ZeroDivisionError.*on purpose'
    ):
        runs.execute(
            toy(spoil=fail_at_third),
            units,
            store,
            work=runs.Work(jobs=n_jobs, progress=False),
        )
    keys = [unit_key(unit) for unit in units]
    there = store.keys()
    assert keys[2] not in there
    if n_jobs == 1:
        assert there == set(keys[:2])
    left = len(units) - len(store)
    assert runs.execute(toy(), units, store, work=ALONE) == left
    assert len(store) == len(units)


def test_result_that_json_cannot_hold_names_its_unit(store):
    experiment = toy(
        tables=dict.fromkeys(TABLES, lambda **parameters: {"score": float("nan")})
    )
    with pytest.raises(RuntimeError, match='"number": 0'):
        runs.execute(experiment, UNITS, store, work=ALONE)


def kill_at_third(unit):
    if unit["number"] == 2:
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.filterwarnings("ignore:A worker stopped while some jobs")
def test_killed_worker_is_an_error_and_not_a_hang(store):
    # What the system does to the worker that asks for too much memory.
    with pytest.raises(RuntimeError):
        runs.execute(
            toy(spoil=kill_at_third),
            UNITS,
            store,
            work=runs.Work(jobs=2, progress=False),
        )
    assert runs.execute(toy(), UNITS, store, work=runs.Work(jobs=2, progress=False)) > 0
    assert store.keys() == {unit_key(unit) for unit in UNITS}


def test_the_bar_counts_what_was_there_before(store, capsys):
    runs.execute(toy(), UNITS[:4], store, ALONE)
    assert capsys.readouterr().err == ""
    runs.execute(toy(), UNITS, store, runs.Work(jobs=1))
    assert re.search(r"(?s)toy:.* 4/12 .* 12/12 ", capsys.readouterr().err)


def test_a_worker_of_other_versions_is_named(monkeypatch):
    monkeypatch.setattr(clusters, "check_worker", lambda: None)
    monkeypatch.setattr(clusters, "worker_address", lambda: "tcp://there:1")
    software = runs._software()
    assert software["Python"] == f"{sys.version_info.major}.{sys.version_info.minor}"
    unit, result, made_in, _ = runs._run_on_worker(
        UNITS[1], experiment=toy(), software=software
    )
    assert (unit, result["score"], made_in) == (
        UNITS[1],
        0.1,
        environment.environment(),
    )
    numpy = software["numpy"]
    with pytest.raises(RuntimeError) as stopped:
        runs._run_on_worker(
            UNITS[1], experiment=toy(), software={**software, "numpy": "1.0"}
        )
    assert str(stopped.value).startswith(
        f"the worker tcp://there:1 has other versions than the submitter (numpy {numpy}"
        " there, 1.0 here); "
    )


def test_a_worker_ends_once_and_soon_after_its_parent(monkeypatch):
    parent = -7  # no process has this number
    ended, slept, parents = (
        queue.SimpleQueue(),
        [],
        itertools.chain([parent] * 2, itertools.repeat(1)),
    )
    monkeypatch.setattr(os, "getppid", lambda: next(parents))
    monkeypatch.setattr(os, "_exit", ended.put)
    monkeypatch.setattr(runs.time, "sleep", slept.append)
    for _ in range(3):  # as many units
        runs._end_with(parent)
    assert ended.get(timeout=10) != 0
    assert slept == [1, 1]
    with pytest.raises(queue.Empty):
        ended.get(timeout=0.2)


def test_what_is_closed_early_ends_at_once_and_without_a_warning(monkeypatch):
    said = []
    # The call itself: whether a warning is shown depends on filters, too.
    monkeypatch.setattr(
        warnings, "warn", lambda message, *_, **__: said.append(message)
    )
    workers = joblib.Parallel(n_jobs=2, batch_size=1, return_as="generator_unordered")
    arriving = workers(joblib.delayed(time.sleep)(0.05) for _ in range(1000))
    next(arriving)
    begun = time.perf_counter()
    runs.close(arriving)
    assert time.perf_counter() - begun < 5
    assert list(arriving) == said == []


@pytest.mark.skipif(
    not hasattr(signal, "pthread_sigmask"), reason="Windows blocks no signals"
)
@pytest.mark.parametrize("given", [None, "error"])
def test_what_is_started_in_between_is_spared_and_nothing_after_it(monkeypatch, given):
    if given is None:
        monkeypatch.delenv("PYTHONWARNINGS", raising=False)
    else:
        monkeypatch.setenv("PYTHONWARNINGS", given)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    with runs.spared():
        assert signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])
        warned = os.environ["PYTHONWARNINGS"].split(",")
    assert warned == [*([given] if given else []), "ignore:resource_tracker"]
    assert os.environ.get("PYTHONWARNINGS") == given
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == before


@pytest.mark.skipif(
    not hasattr(signal, "pthread_sigmask"), reason="Windows blocks no signals"
)
def test_an_interrupt_handed_to_an_older_thread_waits_for_the_end():
    older = threading.Thread(target=time.sleep, args=(0.3,))  # as BLAS's: not blocked
    older.start()
    ended = []

    def start():
        with runs.spared():
            signal.pthread_kill(older.ident, signal.SIGINT)
            time.sleep(0.1)
            ended.append(True)

    # A shell that starts this in the background lets it ignore SIGINT.
    given = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            start()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, given)
    assert ended
    older.join()


@pytest.mark.skipif(os.name != "posix", reason="there is no parent to ask for")
def test_a_worker_watches_its_parent_and_the_parent_does_not_watch_itself(monkeypatch):
    watched = []
    monkeypatch.setattr(runs, "_end_with", watched.append)
    for parent in (os.getpid(), -7):
        assert runs._run_here(toy(), UNITS[1], parent)[0] == UNITS[1]
    assert watched == [-7]


def test_fresh_store_goes_on_from_the_recorded_rows(recorded, store):
    more = [{"table": "first", "number": i, "label": f"first {i}"} for i in range(4, 7)]
    ran = []
    experiment = toy(plan=lambda scale, rows: UNITS + more, ran=ran)
    counts = run_toy(experiment, store, recorded)
    assert counts == {"before": 0, "recorded": len(UNITS), "run": 3}
    assert ran == more
    assert run_toy(experiment, store, recorded) == {
        "before": len(UNITS) + 3,
        "recorded": 0,
        "run": 0,
    }
    assert ran == more


def test_rows_of_changed_code_are_not_mixed_without_a_word(
    store, tmp_path, monkeypatch, capsys
):
    folder = tmp_path / "recorded"

    def run(units):
        ran = []
        experiment = toy(plan=lambda scale, rows: units, ran=ran)
        runs.run_experiment(
            experiment, "recorded", store=store, work=ALONE, recorded=folder
        )
        return len(ran)

    assert run(UNITS[:2]) == 2
    before = store.rows()
    assert {r["environment"]["source"] for r in before} == {hashes.code_hash(toy())}
    assert run(UNITS[:4]) == 2
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(hashes, "code_hash", lambda experiment: "another")
    assert run(UNITS[:5]) == 1
    code = environment.environment()["code"]
    assert re.match(
        rf"4 of the 4 rows of toy come from another version of its code \(commits {code}\); "
        rf"`lab check toy --settle` .* move {store.path} and {folder} away",
        capsys.readouterr().err,
    )
    assert [r for r in store.rows() if r in before] == before


def test_own_row_comes_before_the_recorded_one(recorded, store):
    fill(store, [row(UNITS[0], {"score": 0.75, "seconds": 0.0})])
    assert run_toy(toy(), store, recorded) == {
        "before": 1,
        "recorded": len(UNITS) - 1,
        "run": 0,
    }
    own = [r["result"]["score"] for r in store.rows() if r["unit"] == UNITS[0]]
    assert own == [0.75]


def test_second_stage_waits_for_the_first(store, tmp_path):
    def plan(scale, rows):
        if len(rows) < 4:
            return UNITS[:4]
        best = max(
            (r for r in rows if r["unit"]["table"] == "first"),
            key=lambda r: r["result"]["score"],
        )
        return UNITS[:4] + [
            {**best["unit"], "table": "second", "seed": i} for i in range(3)
        ]

    ran = []
    assert run_toy(toy(plan=plan, ran=ran), store, tmp_path / "missing")["run"] == 7
    assert [unit["number"] for unit in ran] == [0, 1, 2, 3, 3, 3, 3]


@pytest.mark.parametrize("scale", ["slice", "small", None])
def test_run_experiment_takes_two_scales(store, scale):
    with pytest.raises(
        (TypeError, ValueError), match=r"^scale must be one of 'recorded', 'full'"
    ):
        runs.run_experiment(toy(), scale, store=store)


# --------------------------------------------------------------------------------------
# The slice
# --------------------------------------------------------------------------------------


def check(experiment, store, n_units=1000, seed=0):
    return runs.check_slice(experiment, store, n_units=n_units, rng=seed, work=ALONE)


def other_cpu(recorded):
    """Make the record one of another kind of machine."""
    path = recorded / "provenance.json"
    provenance = json.loads(path.read_text())
    for described in provenance["environments"].values():
        described["cpu"] = "another"
    path.write_text(json.dumps(provenance))


def tamper(recorded, by):
    """Add a little to one recorded score."""

    def edit(lines, header):
        column = header.index("score")
        lines[1][column] = repr(float(lines[1][column]) + by)

    edit_csv(recorded / "second.csv", edit)


def test_slice_agrees_with_itself(recorded, store):
    compared = check(toy(), store)
    assert list(compared.columns) == [
        "unit",
        "column",
        "recorded",
        "fresh",
        "allowed",
        "agrees",
    ]
    assert len(compared) == len(UNITS)  # asked for more than there are
    assert compared.agrees.all()
    assert (compared.allowed == 0).all()  # the same machine: not a bit may differ


def test_slice_detects_a_changed_record(recorded, store):
    tamper(recorded, 1e-12)
    compared = check(toy(), store)
    differing = compared[~compared.agrees]
    assert len(differing) == 1
    assert "table=second number=1" in differing.unit.iloc[0]
    assert differing.recorded.iloc[0] != differing.fresh.iloc[0] == 1.1


@pytest.mark.parametrize(
    ("by", "agrees"), [(0.04, True), (-0.04, True), (0.06, False), (-0.06, False)]
)
def test_slice_allows_another_machine_its_tolerance(recorded, store, by, agrees):
    other_cpu(recorded)
    tamper(recorded, by)
    compared = check(toy(), store)
    assert (compared.allowed == 0.05).all()
    assert compared.agrees.sum() == len(UNITS) - (not agrees)


def test_slice_allows_a_row_what_follows_from_it(recorded, store):
    other_cpu(recorded)
    by_row = toy(compared={"score": lambda result: result["score"] / 100})
    compared = check(by_row, store)
    assert compared.allowed.tolist() == pytest.approx(compared.recorded / 100)
    assert compared.allowed.nunique() == len(UNITS)


def test_what_comes_out_the_same_settles_rows_of_other_code(
    recorded, store, monkeypatch, tmp_path
):
    monkeypatch.setattr(hashes, "SAME_CODE", tmp_path / "same_code.csv")
    here, day = hashes.code_hash(toy()), datetime.now(UTC).date()
    head = [
        "experiment,table,recorded,now,units,equal,date",
        "films,draws,,1,1,1 of 1,2020-02-02",
    ]
    stale = [
        f"toy,gone,,{here},1,1 of 1,2020-02-02",
        "toy,first,,before,1,1 of 1,2020-02-02",
    ]
    hashes.SAME_CODE.write_text("\n".join([*head, *stale, ""]))

    def settled(experiment):
        compared = runs.check_slice(
            experiment, store, n_units=12, rng=0, work=ALONE, settles=True
        )
        rows = record.recorded_rows("toy")  # they say no hash
        left = [row["unit"]["table"] for row in hashes.of_other_code(toy(), rows)]
        return compared, left, hashes.SAME_CODE.read_text().splitlines()

    tamper(recorded, 0.04)
    # A result need not be compared to count: on the same kind of machine all do.
    compared, left, lines = settled(toy(compared={}))
    assert (len(compared), len(left), lines) == (0, 12, [*head, *stale])
    other_cpu(recorded)
    compared, left, lines = settled(toy())
    assert (len(compared), left) == (12, [])
    equal = {"first": 4, "second": 3, "third": 4}
    assert lines == [
        *head,
        *(f"toy,{t},,{here},4,{n} of 4,{day}" for t, n in equal.items()),
    ]
    assert hashes.other_code(toy(), record.recorded_rows("toy")) == ""


@pytest.mark.parametrize(
    ("seconds", "n_compared"), [("60.0", len(UNITS)), ("60.1", 8), (None, len(UNITS))]
)
def test_slice_takes_what_is_slow_only_where_all_is(
    recorded, store, seconds, n_compared
):
    def make_slow(lines, header):
        for line in lines:
            line[header.index("seconds")] = seconds or "61.0"

    for table in TABLES[: 1 if seconds else 3]:
        edit_csv(recorded / f"{table}.csv", make_slow)
    assert len(check(toy(), store)) == n_compared


@grid("seed", range(5))
def test_slice_touches_every_table(recorded, store, seed):
    compared = check(toy(), store, n_units=5, seed=seed)
    tables = compared.unit.str.extract("table=(\\w+)")[0]
    assert set(tables[:3]) == set(TABLES)
    assert tables.value_counts().max() == 2
    assert compared.unit.is_unique


def test_slice_is_random_and_its_seed_repeats_it(recorded, tmp_path):
    def chosen(name, seed):
        with runs.Store(tmp_path / name) as store:
            return tuple(check(toy(), store, n_units=3, seed=seed).unit)

    assert chosen("a", 1) == chosen("b", 1)
    assert len({chosen(f"{i}", i) for i in range(5)}) > 1


def test_second_slice_runs_its_units_again(recorded, store):
    assert check(toy(), store, seed=1).agrees.all()
    broken = toy(tables=dict.fromkeys(TABLES, lambda **parameters: {"score": -1.0}))
    assert not check(broken, store, seed=1).agrees.any()


def test_slice_takes_no_row_that_other_code_left(recorded, store):
    old = {
        **row(UNITS[0], {"score": -1.0, "seconds": 0.0}),
        "environment": changed(code="old"),
    }
    fill(store.of_slice(), [old])
    assert check(toy(), store).agrees.all()


def test_slice_never_touches_the_rows_of_runs(recorded, store):
    # Wrong ones, so that they would differ if the slice took them for its own.
    fill(store, [row(unit, {"score": -1.0, "seconds": 0.0}) for unit in UNITS[:6]])
    before = exactly(store.rows())

    def fail(unit):
        raise OSError("power cut")

    for experiment in (toy(), toy(spoil=fail), toy()):
        with contextlib.suppress(RuntimeError):
            assert check(experiment, store).agrees.all()
        assert exactly(store.rows()) == before
    assert len(store.of_slice()) == 0


def test_run_takes_no_row_of_an_unfinished_slice(recorded, store, tmp_path):
    fill(store.of_slice(), [row(UNITS[0], {"score": -1.0, "seconds": 0.0})])
    assert run_toy(toy(), store, tmp_path / "missing")["run"] == len(UNITS)
    assert len(store.of_slice()) == 1


def test_slice_of_nothing_is_an_error(store, tmp_path, monkeypatch):
    monkeypatch.setattr(record, "RECORDED", tmp_path / "missing")
    with pytest.raises(ValueError, match="nothing is recorded for toy"):
        check(toy(), store)


# --------------------------------------------------------------------------------------
# Where and with what
# --------------------------------------------------------------------------------------


def test_environment_says_what_a_number_depends_on():
    found = environment.environment()
    assert set(found) == {"python", "packages", "cpu", "system", "code", "seconds"}
    assert {"numpy", "scipy", "pandas", "scikit-learn", "torch", "joblib"} == set(
        found["packages"]
    )
    assert all(found.values())


def changed(**what):
    return {**copy.deepcopy(environment.environment()), **what}


def test_run_again_needs_a_row(recorded):
    with pytest.raises(ValueError, match=r"^fits"):
        record.run_again(toy(), rng=0, fits=lambda row: False)


@pytest.mark.parametrize("error", [docstrings.CorpusError, sources.SourceError])
def test_run_again_without_the_data_says_so(recorded, error):
    def spoil(unit):
        raise error("the data differ.")

    assert "Not run here: the data differ. The page" in record.run_again(
        toy(spoil=spoil), rng=0
    )


@grid("score, n_lines", [(0.5, 1), (None, 0)])
def test_a_table_may_lack_a_compared_result_and_a_unit_may_refuse_it(score, n_lines):
    experiment = toy(compared={"score": 0.05, "elsewhere": 0.0})
    made = row(UNITS[0], {"score": score})
    assert len(list(runs.compare_results(experiment, made, made))) == n_lines


def test_default_store_can_be_moved(tmp_path, monkeypatch):
    monkeypatch.setenv("EVALKIT_RUNS", str(tmp_path))
    assert runs.default_store("pools") == tmp_path / "pools.sqlite"
    assert runs.default_store("pools", of_slice=True) == tmp_path / "pools.slice.sqlite"
    monkeypatch.setenv("EVALKIT_RUNS", "")  # as if it were not set
    assert runs.default_store("pools") == DATA.parent / "runs" / "pools.sqlite"


@grid(
    "fresh, agrees",
    [
        ("0.5 0.6 0.7", True),
        ("0.5 0.65 0.7", True),
        ("0.5 0.6 0.95", False),
        ("0.5 0.6", False),
    ],
)
def test_a_vector_agrees_where_each_of_its_elements_does(fresh, agrees):
    experiment = Experiment("toy", {"curve": 0.1}, None, {})
    recorded, again = (
        {
            "unit": {"table": "curves"},
            "result": {"curve": curve},
            "environment": {"cpu": cpu},
        }
        for curve, cpu in (("0.5 0.6 0.7", "this"), (fresh, "that"))
    )
    (line,) = runs.compare_results(experiment, recorded, again)
    assert line["agrees"] is agrees
    if "0.95" in fresh:
        assert (line["recorded"], line["fresh"]) == (0.7, 0.95)


def test_a_slice_that_has_nothing_to_compare_is_empty(store, recorded):
    experiment = dataclasses.replace(toy(), compared={})
    compared = runs.check_slice(experiment, store, n_units=2, rng=0, work=ALONE)
    assert len(compared) == 0
    assert compared.agrees.all()
