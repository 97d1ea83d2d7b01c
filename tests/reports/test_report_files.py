"""Files that a report opens and writes: it destroys nothing that it reads, and a check
stays in its folder.

No device is ever named as a place to write to: root would replace it.
"""

import contextlib
import json
import os
import signal
import socket
import sqlite3
import sys
import tomllib
from pathlib import Path

import generated
import numpy as np
import pandas as pd
import pytest

import evalkit as ek
from evalkit import cli, reports
from evalkit.reports import RefusedError, _options

pytestmark = pytest.mark.skipif(
    os.name == "nt", reason="links, pipes and sockets of Unix"
)


def run(*arguments):
    return cli.main(["report", *map(str, arguments)])


@contextlib.contextmanager
def at_most(seconds):
    """Fail where a block takes longer: a pipe would keep it waiting for ever."""

    def stop(*_):
        pytest.fail(f"not done after {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def tree(folder):
    """All that is in a folder: where links lead, and what files hold."""
    found = {}
    for path in sorted(Path(folder).rglob("*")):
        if path.is_symlink():
            found[str(path)] = os.readlink(path)
        elif path.is_file():
            found[str(path)] = path.read_bytes()
    return found


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A current folder with results of two systems in r.md, and a folder elsewhere."""
    folder = tmp_path / "here"
    for path in (folder / "sub", tmp_path / "elsewhere"):
        path.mkdir(parents=True)
    monkeypatch.chdir(folder)
    rng = np.random.default_rng(0)
    rows = [
        {
            "model": name,
            "seed": seed,
            "accuracy": round(0.8 + shift + rng.normal(0, 0.01), 4),
        }
        for name, shift in (("base", 0), ("ours", 0.05))
        for seed in range(5)
    ]
    Path("r.md").write_text(json.dumps(rows), encoding="utf-8")
    return folder


@pytest.fixture
def uncomputed(monkeypatch):
    """A report that would compute anything fails."""
    monkeypatch.setattr(reports, "examine", lambda *_: pytest.fail("it was computed"))


# --------------------------------------------------------------------------------------
# What is written
# --------------------------------------------------------------------------------------


def by_link(folder):
    Path("link.md").symlink_to("r.md")
    return "link.md"


def by_hard_link(folder):
    os.link("r.md", "hard.md")
    return "hard.md"


def by_linked_folder(folder):
    Path("again").symlink_to(".")
    return "again/r.md"


OUTPUTS = {
    "its name": lambda folder: "r.md",
    "a point before it": lambda folder: "./r.md",
    "through a folder": lambda folder: "sub/../r.md",
    "absolute": lambda folder: folder / "r.md",
    "a link": by_link,
    "a hard link": by_hard_link,
    "a linked folder": by_linked_folder,
}


@pytest.mark.parametrize("spelling", OUTPUTS)
def test_results_are_not_written_over(here, uncomputed, capsys, spelling):
    place = OUTPUTS[spelling](here)
    before = tree(here)
    assert run("r.md", "--baseline", "base", "-o", "page.html", "-o", place) == 1
    assert "which the report reads; name another place" in capsys.readouterr().err
    assert tree(here) == before


@pytest.mark.parametrize("spelling", OUTPUTS)
def test_results_are_not_saved_over_in_python(here, spelling):
    found = ek.report("r.md", baseline="base")
    place = OUTPUTS[spelling](here)
    before = tree(here)
    with pytest.raises(ValueError, match="which the report reads"):
        found.save(place)
    assert tree(here) == before


@pytest.mark.parametrize("spelling", ["its name", "a link", "a hard link"])
def test_a_linked_input_is_one_as_well(here, uncomputed, spelling):
    """The link is what is read, and the file behind it what is written."""
    place = OUTPUTS[spelling](here)
    before = tree(here)
    assert run(place, "--baseline", "base", "-o", "r.md") == 1
    assert run(f"ours={place}", "--baseline", "ours", "-o", "r.md") == 1
    assert tree(here) == before


def test_a_page_in_the_folder_that_is_read_can_be_written_again(here):
    case = generated.runs(np.random.default_rng(1))
    case.write(here / "sub")
    for _ in range(2):
        assert (
            run(
                "sub",
                "--baseline",
                case.systems[0],
                "-o",
                "sub/page.html",
                "-o",
                "sub/page.md",
            )
            == 0
        )


def test_what_a_reader_opens_beside_a_file_is_not_written_over(
    here, uncomputed, capsys
):
    run_folder = here / "mlruns" / "1" / "r0"
    for part in ("metrics", "params"):
        (run_folder / part).mkdir(parents=True)
    (run_folder / "meta.yaml").write_text("run_id: r0\nrun_name: base\nstatus: 3\n")
    (run_folder / "metrics" / "test_acc").write_text("1 0.5 0\n")
    (run_folder / "params" / "notes.md").write_text("x")
    before = tree(here)
    assert (
        run("mlruns", "--baseline", "base", "-o", run_folder / "params" / "notes.md")
        == 1
    )
    assert "which the report reads" in capsys.readouterr().err
    assert tree(here) == before


def test_settings_and_pages_are_files_of_their_own(here, uncomputed, capsys):
    asked = "r.md", "--baseline", "base"
    before = tree(here)
    assert run(*asked, "--config", "both.html", "-o", "sub/../both.html") == 1
    assert run(*asked, "-o", "a.html", "-o", "./a.html") == 1
    assert (
        capsys.readouterr().err.count(
            "which is to be written as well; name another place"
        )
        == 2
    )
    assert tree(here) == before
    Path("mine.md").write_text('files = ["r.md"]\nbaseline = "base"\n')
    before = tree(here)
    assert run("--config", "mine.md", "-o", "mine.md") == 1
    # Both TOML and CSV.
    Path("results.toml").write_text("# model,accuracy\n# base,1\n# base,2\n# ours,1\n")
    before = tree(here)
    assert run("results.toml", "--baseline", "# base", "--config", "results.toml") == 1
    assert "which the report reads" in capsys.readouterr().err
    assert tree(here) == before


def test_an_ending_that_is_none_stops_it_before_the_first_page(here, uncomputed):
    before = tree(here)
    assert run("r.md", "--baseline", "base", "-o", "page.html", "-o", "page.docx") == 1
    assert tree(here) == before


@pytest.mark.parametrize("is_there", [True, False])
@pytest.mark.parametrize("name", ["report.html", "evalkit.toml"])
def test_a_default_that_is_a_link_is_not_written_through(
    here, uncomputed, capsys, name, is_there
):
    victim = here.parent / "elsewhere" / "victim"
    if is_there:
        victim.write_text('files = ["r.md"]\n')
    Path(name).symlink_to(victim)
    before = tree(here.parent)
    assert run("r.md", "--baseline", "base") == 1
    assert (
        f"{name} is a link, and nothing is written through a link"
        in capsys.readouterr().err
    )
    assert tree(here.parent) == before


def test_a_link_that_is_named_is_written_through(here):
    target = here.parent / "elsewhere" / "page.html"
    Path("page.html").symlink_to(target)
    assert run("r.md", "--baseline", "base", "-o", "page.html") == 0
    assert target.is_file()
    assert Path("page.html").is_symlink()


def test_nothing_is_written_over_what_is_no_file(here, uncomputed, capsys):
    os.mkfifo("pipe.html")
    Path("link.html").symlink_to("pipe.html")
    socket_of(Path("socket.html"))
    Path("folder.html").mkdir()
    kinds = {
        "pipe": "a pipe",
        "link": "a pipe",
        "socket": "a socket",
        "folder": "a folder",
    }
    for place, what in kinds.items():
        with at_most(10):
            assert run("r.md", "--baseline", "base", "-o", f"{place}.html") == 1
        assert f"is {what}, where a file should be" in capsys.readouterr().err
    with at_most(10):
        assert run("r.md", "--baseline", "base", "--config", "pipe.html") == 1
    assert not Path("report.html").exists()


def link_to_folder(folder, elsewhere):
    folder.symlink_to(elsewhere)


def link_to_nothing(folder, elsewhere):
    folder.symlink_to(elsewhere / "gone")


def link_inside(folder, elsewhere):
    folder.mkdir()
    (folder / ".github").symlink_to(elsewhere)


def link_deep_inside(folder, elsewhere):
    (folder / ".github").mkdir(parents=True)
    (folder / ".github" / "workflows").symlink_to(elsewhere / "gone")


def file_inside(folder, elsewhere):
    folder.mkdir()
    (folder / ".github").write_text("ours")


@pytest.mark.parametrize(
    "make",
    [link_to_folder, link_to_nothing, link_inside, link_deep_inside, file_inside],
    ids=lambda m: m.__name__,
)
def test_a_new_folder_is_not_made_elsewhere_nor_by_halves(here, capsys, make):
    make(here / "lab", here.parent / "elsewhere")
    before = tree(here.parent)
    assert cli.main(["init", "lab"]) == 1
    assert "FOLDER must be" in capsys.readouterr().err
    assert tree(here.parent) == before


def test_a_new_folder_leaves_a_link_to_nothing_as_it_is(here, capsys):
    Path("lab").mkdir()
    Path("lab/README.md").symlink_to(here.parent / "elsewhere" / "gone.md")
    assert cli.main(["init", "lab"]) == 0
    assert "left as it is: lab/README.md" in capsys.readouterr().out
    assert not list((here.parent / "elsewhere").iterdir())


# --------------------------------------------------------------------------------------
# What is read
# --------------------------------------------------------------------------------------

SECRET = "hunter2"
_WATCH = []


def _audit(event, arguments):
    if _WATCH and event in ("open", "sqlite3.connect"):
        _WATCH[0].append(str(arguments[0]))


@pytest.fixture
def opened():
    """The names of the files that are opened meanwhile."""
    if not getattr(_audit, "is_added", False):
        sys.addaudithook(_audit)
        _audit.is_added = True
    _WATCH.append([])
    yield _WATCH[0]
    _WATCH.clear()


@pytest.fixture
def outside(here):
    """A file of somebody else with a secret, as a table with a claim that would
    stand.
    """
    case = generated.runs(np.random.default_rng(1))
    case.write(here.parent / "elsewhere")
    place = here.parent / "elsewhere" / case.given[0]
    table = pd.read_csv(place).rename(
        columns=lambda name: name if name in case.names.values() else SECRET
    )
    table.to_csv(place, index=False)
    (here.parent / "elsewhere" / "words.txt").write_text(f"{SECRET}\n")
    return place


def check(*files, **more):
    settings = {
        "files": list(map(str, files)),
        "baseline": "base",
        "claim": {"better": ["ours"]},
        **more,
    }
    Path("evalkit.toml").write_text(_options.dump(settings), encoding="utf-8")
    return run("--check", "evalkit.toml")


def linked(place):
    Path("inside.csv").symlink_to(place)
    return "inside.csv"


def linked_folder(place):
    Path("data").symlink_to(place.parent)
    return "data"


def in_linked_folder(place):
    return f"{linked_folder(place)}/{place.name}"


def link_in_folder(place):
    Path("sub/inside.csv").symlink_to(place)
    return "sub"


def json_in_folder(place):
    log = place.with_name("log.json")
    log.write_text(json.dumps({"eval": 1, "status": SECRET, "run_id": 1}))
    Path("sub/log.json").symlink_to(log)
    return "sub"


def log_in_folder(place):
    Path("sub/log.eval").symlink_to(place)
    return "sub"


def results_beside_samples(place):
    results = place.with_name("results.json")
    results.write_text(json.dumps({"model_name": SECRET}))
    Path("samples_a.jsonl").write_text(
        '{"doc_id": 1, "filtered_resps": [], "acc": 1}\n'
    )
    Path("results.json").symlink_to(results)
    return "samples_a.jsonl"


def metrics_of_a_run(place, *, is_folder=False):
    folder = Path("sub/1/r0")
    (folder / "params").mkdir(parents=True)
    (folder / "meta.yaml").write_text("run_id: r0\n")
    theirs = place.parent / "metrics"
    theirs.mkdir()
    (theirs / "acc").write_text(SECRET)
    if is_folder:
        (folder / "metrics").symlink_to(theirs)
    else:
        (folder / "metrics").mkdir()
        (folder / "metrics" / "acc").symlink_to(theirs / "acc")
    return "sub"


def folder_of_metrics_of_a_run(place):
    return metrics_of_a_run(place, is_folder=True)


def database(path):
    with contextlib.closing(sqlite3.connect(path)) as base:
        base.execute("create table runs (a)")


def journal_of_a_database(place):
    database("study.db")
    Path("study.db-wal").symlink_to(place)
    return "study.db"


OUTSIDE = [
    str,
    lambda place: f"../elsewhere/{place.name}",
    lambda place: f"sub/../../elsewhere/{place.name}",
    lambda place: f"ours={place}",
    lambda place: place.parent,
    lambda place: "..",
    lambda place: "/",
    lambda place: "/etc/passwd",
    lambda place: place.with_name("gone.csv"),
    lambda place: place.with_name("words.txt"),
    linked,
    linked_folder,
    in_linked_folder,
    link_in_folder,
    json_in_folder,
    log_in_folder,
    results_beside_samples,
    metrics_of_a_run,
    folder_of_metrics_of_a_run,
    journal_of_a_database,
]


@pytest.mark.parametrize("make", OUTSIDE)
def test_a_check_opens_nothing_outside_its_folder(here, outside, opened, capsys, make):
    place = make(outside)
    opened.clear()
    with at_most(20):
        assert check(place) == 2
    said = capsys.readouterr().out
    assert said.startswith("# The results cannot be compared as they are")
    assert "outside the folder of the settings" in said or "may lead anywhere" in said
    assert SECRET not in said
    # Nor does it list what is there.
    assert outside.name not in said or outside.name in str(place)
    theirs = [
        name
        for name in opened
        if os.path.realpath(name).startswith(str(outside.parent))
    ]
    assert not theirs
    assert "/etc/passwd" not in opened


def test_settings_that_lead_elsewhere_are_not_opened(here, outside, opened, capsys):
    Path("evalkit.toml").symlink_to(outside)
    opened.clear()
    assert run("--check", "evalkit.toml") == 2
    assert SECRET not in capsys.readouterr().out
    assert not [name for name in opened if os.path.realpath(name) == str(outside)]


def test_a_check_reads_what_is_inside_by_any_name(here):
    run("r.md", "--baseline", "base")
    claim = tomllib.loads(Path("evalkit.toml").read_text())["claim"]
    assert claim == {"better": ["ours"], "kind": "seeds", "systems": ["ours"]}
    Path("link.md").symlink_to("sub/../r.md")
    Path("linked").symlink_to(".")
    for place in ("r.md", here / "r.md", "link.md", "linked/r.md", "sub/../r.md"):
        assert check(place) == 0


@pytest.mark.parametrize(
    "content", [f"{SECRET}\n", f"[{SECRET}\n", f"{SECRET} = 1\n{SECRET}", f"<{SECRET}>"]
)
@pytest.mark.parametrize("ending", ["txt", "tsv", "json", "eval", "db", "csv"])
def test_what_is_not_recognised_is_not_quoted(here, capsys, content, ending):
    place = Path(f"file.{ending}")
    place.write_text(content)
    assert check(place) == 2
    assert SECRET not in capsys.readouterr().out
    with pytest.raises(RefusedError) as refused:
        ek.report(place, baseline="base")
    assert SECRET not in str(refused.value)


def pipe(place):
    os.mkfifo(place)


def socket_of(place):
    with socket.socket(socket.AF_UNIX) as one:  # its file stays
        one.bind(str(place))


def device(place):
    place.symlink_to("/dev/zero")


@pytest.mark.parametrize(
    ("make", "what"), [(pipe, "a pipe"), (socket_of, "a socket"), (device, "a device")]
)
def test_what_is_no_file_is_refused_at_once(here, capsys, make, what):
    make(Path("x.csv"))
    with at_most(10):
        assert run("x.csv", "--baseline", "base") == 1
        assert f"x.csv: it is {what}, and no file." in capsys.readouterr().err
        assert check("x.csv") == 2
        assert SECRET not in capsys.readouterr().out
        # In a folder, among others.
        Path("x.csv").rename("sub/x.csv")
        generated.runs(np.random.default_rng(1)).write(here / "sub")
        assert run("sub", "--baseline", "base") == 1
        assert f"sub/x.csv: it is {what}, and no file." in capsys.readouterr().err


@pytest.mark.parametrize("make", [pipe, socket_of, device])
@pytest.mark.parametrize("name", ["x.json", "x.eval", "samples_x.jsonl", "mlflow.db"])
def test_what_is_no_file_keeps_no_reader_waiting(here, make, name):
    make(Path("sub", name))
    with at_most(10):
        assert run("sub", "--baseline", "base") == 1
        assert run(f"sub/{name}", "--baseline", "base") == 1


@pytest.mark.parametrize("make", [pipe, socket_of])
def test_settings_that_are_no_file_are_refused_at_once(here, capsys, make):
    make(Path("evalkit.toml"))
    with at_most(20):
        assert run("--check", "evalkit.toml") == 2
        assert run("r.md", "--baseline", "base") == 1
        assert run("r.md", "--baseline", "base", "--config", "evalkit.toml") == 1
    assert not Path("report.html").exists()


@pytest.mark.parametrize("make", [pipe, socket_of])
def test_what_stands_beside_a_file_and_is_none_is_refused_at_once(here, capsys, make):
    Path("samples_a.jsonl").write_text(
        '{"doc_id": 1, "filtered_resps": [], "acc": 1}\n'
    )
    make(Path("results.json"))
    database("study.db")
    make(Path("study.db-wal"))
    with at_most(20):
        for name in ("samples_a.jsonl", "study.db"):
            assert run(name, "--baseline", "base") == 1
            assert "and no file" in capsys.readouterr().err


def test_what_belongs_to_a_run_counts_towards_the_largest_size(here, capsys):
    folder = Path("sub/1/r0")
    for part in ("metrics", "params"):
        (folder / part).mkdir(parents=True)
    (folder / "meta.yaml").write_text("run_id: r0\n")
    with open(folder / "metrics" / "acc", "wb") as file:
        file.truncate(2**31)
    with at_most(20):
        assert run("sub", "--baseline", "base") == 1
    assert "a report reads at most 1,024" in capsys.readouterr().err
