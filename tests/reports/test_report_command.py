"""The command: what it prints and writes, the settings that it keeps, the check, a
laboratory's folder.
"""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import generated
import numpy as np
import pandas as pd
import pytest

from evalkit import _arguments, cli, reports
from evalkit.reports import _folder, _options


def run(*arguments):
    return cli.main(["report", *map(str, arguments)])


@pytest.fixture
def case(tmp_path, monkeypatch):
    """Runs of three systems in the current folder."""
    monkeypatch.chdir(tmp_path)
    case = generated.runs(np.random.default_rng(1))
    case.write(tmp_path)
    return case


def test_a_page_and_the_settings_are_written(case, capsys):
    assert run(*case.given, "--baseline", case.systems[0]) == 0
    out = capsys.readouterr().out
    assert "higher is better" in out
    assert f"system      {case.names['system']}" in out
    assert Path("report.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    settings = tomllib.loads(Path("evalkit.toml").read_text(encoding="utf-8"))
    assert settings["files"] == list(case.given)
    assert settings["baseline"] == case.systems[0]
    assert settings["metric"] == case.names["test"]
    assert settings["direction"] == "higher"
    assert settings["columns"]["seed"] == case.names["seed"]


def test_the_settings_alone_give_the_same_page(case):
    run(
        *case.given, "--baseline", case.systems[0], "--margin", "0.01", "-o", "first.md"
    )
    settings = Path("evalkit.toml").read_bytes()
    assert run("-o", "second.md") == 0
    first, second = (
        Path(f"{name}.md").read_text(encoding="utf-8") for name in ("first", "second")
    )
    tables = [
        text.partition("## The comparison")[2].partition("## ")[0]
        for text in (first, second)
    ]
    assert tables[0] == tables[1] != ""
    assert "margin of 0.01" in second
    assert Path("evalkit.toml").read_bytes() == settings


def test_what_was_said_of_other_files_is_forgotten(case, capsys):
    run(*case.given, "--baseline", case.systems[0], "--margin", "0.01")
    other = generated.datasets(np.random.default_rng(0))
    Path("others.csv").write_text(other.files[other.given[0]], encoding="utf-8")
    before = Path("evalkit.toml").read_bytes()
    capsys.readouterr()
    asked = (
        "others.csv",
        "--baseline",
        other.systems[0],
        "--unit",
        "dataset",
        *said(other),
    )
    assert run(*asked, "--direction", "higher") == 0
    told = capsys.readouterr().out
    assert f"evalkit.toml is about {case.given[0]}: it is left as it is." in told
    assert "wrote evalkit-others.toml" in told
    assert Path("evalkit.toml").read_bytes() == before
    assert "margin" not in tomllib.loads(
        Path("evalkit-others.toml").read_text(encoding="utf-8")
    )
    # What was said of these files is found there the next time.
    assert run(*asked) == 0
    assert Path("evalkit.toml").read_bytes() == before
    # A third file of this name takes the place of neither.
    Path("sub").mkdir()
    Path("others.csv").rename("sub/others.csv")
    kept = Path("evalkit-others.toml").read_bytes()
    assert run("sub/others.csv", *asked[1:]) == 2
    assert "has to be named: --config FILE" in capsys.readouterr().err
    assert Path("evalkit-others.toml").read_bytes() == kept


def said(other):
    """What the columns of another table are, as the command takes it."""
    ((role, names),) = other.options["columns"].items()
    return [word for name in names for word in ("--map", f"{role}={name}")]


def test_settings_that_are_named_are_replaced_and_that_is_said(case, capsys):
    run(*case.given, "--baseline", case.systems[0], "--config", "mine.toml")
    other = generated.datasets(np.random.default_rng(0))
    Path("others.csv").write_text(other.files[other.given[0]], encoding="utf-8")
    asked = (
        "--baseline",
        other.systems[0],
        "--direction",
        "higher",
        "--config",
        "mine.toml",
    )
    assert run("others.csv", *asked, "--unit", "dataset", *said(other)) == 0
    assert (
        f"mine.toml was about {case.given[0]}, and will be about what you gave now."
        in capsys.readouterr().out
    )


def test_what_is_known_stands_in_the_settings_and_is_read_again(case, capsys):
    asked = (*case.given, "--baseline", case.systems[0])
    run(*asked)
    settings = tomllib.loads(Path("evalkit.toml").read_text(encoding="utf-8"))
    assert settings["columns"]["seed"] == case.names["seed"]
    assert settings["metric"] == case.names["test"]
    assert settings["direction"] == "higher"
    page = Path("report.html").read_bytes()
    capsys.readouterr()
    assert run() == 0
    assert "as evalkit.toml says" in capsys.readouterr().out
    assert len(Path("report.html").read_bytes()) == pytest.approx(len(page), rel=0.1)


@pytest.fixture
def unknown(case):
    """The same table with names that are in no schema."""
    names = {
        case.names["system"]: "Verfahren",
        case.names["test"]: "Treffer",
        case.names["validation"]: "val_acc",
    }
    case.table.rename(columns=names).to_csv(case.given[0], index=False)
    return case


def test_nothing_is_written_on_a_proposal(unknown, capsys):
    asked = (*unknown.given, "--baseline", unknown.systems[0])
    assert run(*asked) == 2
    told = capsys.readouterr().out
    assert "--map system=Verfahren" in told
    assert "Or in evalkit.toml" in told
    assert not Path("report.html").exists()
    assert not Path("evalkit.toml").exists()
    # What has no proposal must be said.
    assert run(*asked, "--metric", "Treffer", "--as-proposed") == 2
    assert "Is a higher or a lower Treffer better?" in capsys.readouterr().out
    assert (
        run(*asked, "--as-proposed", "--metric", "Treffer", "--direction", "higher")
        == 0
    )
    kept = tomllib.loads(Path("evalkit.toml").read_text(encoding="utf-8"))
    assert kept["columns"]["system"] == "Verfahren"
    assert "as_proposed" not in kept
    assert run() == 0


def test_an_answer_confirms_the_systems_that_are_proposed_beside_it(unknown, capsys):
    asked = (*unknown.given, "--baseline", unknown.systems[0])
    assert run(*asked, "--map", "system=Verfahren") == 2
    assert "Proposed" not in capsys.readouterr().out
    assert run(*asked, "--metric", "Treffer", "--direction", "higher") == 0


def test_what_is_said_holds_over_a_documented_name(case, capsys):
    asked = (*case.given, "--baseline", case.systems[0])
    run(*asked)
    assert run(*asked, "--map", "setting=gpu", "--unit", "seed") == 1
    assert "Settings vary within a system: gpu" in capsys.readouterr().err
    assert (
        run(*asked, "--map", "setting=gpu", "--unit", "seed", "--accept", "settings")
        == 0
    )
    assert (
        "gpu"
        in tomllib.loads(Path("evalkit.toml").read_text(encoding="utf-8"))["columns"][
            "setting"
        ]
    )


def test_a_column_that_the_settings_name_and_that_is_gone_is_an_error(case, capsys):
    asked = (*case.given, "--baseline", case.systems[0])
    assert run(*asked) == 0
    case.table.rename(columns={case.names["seed"]: "number"}).to_csv(
        case.given[0], index=False
    )
    assert run(*asked) == 1
    assert f"no column is called {case.names['seed']}" in capsys.readouterr().err


@pytest.mark.parametrize("ending", ["html", "md", "py"])
def test_each_ending_has_its_form(case, ending):
    assert run(*case.given, "--baseline", case.systems[0], "-o", f"page.{ending}") == 0
    assert Path(f"page.{ending}").stat().st_size > 100


def test_an_unknown_ending_is_refused(case, capsys):
    assert run(*case.given, "--baseline", case.systems[0], "-o", "page.docx") == 1
    assert "path must end in .html" in capsys.readouterr().err


def test_a_refusal_shows_the_columns_and_the_options(case, capsys):
    table = case.table.copy()
    table.loc[0, case.names["test"]] = np.nan
    table.to_csv(case.given[0], index=False)
    assert run(*case.given, "--baseline", case.systems[0]) == 1
    told = capsys.readouterr()
    assert "--map ROLE=COLUMN says otherwise" in told.out
    assert "--failed worst" in told.err
    assert not Path("report.html").exists()
    assert not Path("evalkit.toml").exists()
    assert run(*case.given, "--baseline", case.systems[0], "--failed", "worst") == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name a FILE or a folder"),
        (["x.csv"], "--baseline NAME is needed"),
        (["x.csv", "--baseline", "a", "--direction", "up"], "'up' is unknown"),
        (
            ["x.csv", "--baseline", "a", "--n-train", "0"],
            "must be a whole number from 1",
        ),
        (["x.csv", "--baseline", "a", "--margin", "many"], "must be a number"),
        (["x.csv", "--baseline", "a", "--map", "seed"], "must be NAME=VALUE"),
        (["x.csv", "--baseline", "a", "--basline", "b"], "did you mean --baseline"),
    ],
)
def test_wrong_usage_ends_with_two(case, capsys, arguments, message):
    with pytest.raises(SystemExit) as ended:
        run(*arguments)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_nothing_of_a_file_moves_the_cursor(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    case = generated.runs(np.random.default_rng(0))
    names = {case.systems[1]: "evil\x1b[2J\x1b]0;title\x07", case.systems[0]: "base"}
    table = case.table.replace({case.names["system"]: names})
    table.to_csv("runs.csv", index=False)
    assert run("runs.csv", "--baseline", "base") == 0
    run("runs.csv", "--baseline", "evil")
    told = capsys.readouterr()
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f]", told.out + told.err)


@pytest.mark.parametrize(("name", "words"), _arguments.REPORT_CHOICES.items())
def test_the_command_and_python_take_the_same_words(name, words, case, capsys):
    asked = *case.given, "--baseline", case.systems[0]
    for word in words:
        assert getattr(_options.Options(**{name: word}), name) == word
        assert run(*asked, f"--{name}", word) == 0
        assert (
            tomllib.loads(Path("evalkit.toml").read_text(encoding="utf-8"))[name]
            == word
        )
    with pytest.raises(ValueError, match=f"{name} must be one of") as refused:
        _options.Options(**{name: "nonsense"})
    assert all(word in str(refused.value) for word in words)
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        run(*asked, f"--{name}", "nonsense")
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert f"argument --{name}: 'nonsense' is unknown" in told
    assert all(word in told for word in words)


# --------------------------------------------------------------------------------------
# --check
# --------------------------------------------------------------------------------------


@pytest.fixture
def checked(case):
    """Settings with a claim that stands."""
    run(*case.given, "--baseline", case.systems[0])
    return tomllib.loads(Path("evalkit.toml").read_text(encoding="utf-8"))


def check(settings, name="claim.toml"):
    Path(name).write_text(_options.dump(settings), encoding="utf-8")
    return run("--check", name)


def test_a_claim_that_stands_gives_zero(checked, capsys):
    assert checked["claim"]["better"]
    capsys.readouterr()
    assert check(checked) == 0
    assert capsys.readouterr().out.startswith("# The claim stands\n\n- [x] ")


@pytest.mark.parametrize("claim", [{"equivalent": None}, {"better": ["who"]}])
def test_a_claim_that_does_not_stand_gives_one(checked, capsys, claim):
    systems = checked["claim"]["better"]
    claim = {name: value or systems for name, value in claim.items()}
    capsys.readouterr()
    assert check({**checked, "claim": claim}) == 1
    assert capsys.readouterr().out.startswith("# The claim does not stand\n\n- [ ] ")


def test_what_was_accepted_stands_in_the_check(case, checked, capsys):
    """Whoever reads the pull request must see what was waved through."""
    capsys.readouterr()
    name = case.given[0]
    table = case.table.rename(
        columns={case.names["test"]: "best_" + case.names["test"]}
    )
    Path(name).write_text(table.to_csv(index=False), encoding="utf-8")
    settings = {"files": [name], "baseline": case.systems[0], "claim": checked["claim"]}
    assert check({**settings, "accepted": ["test-chose"]}) in (0, 1)
    said = capsys.readouterr().out
    assert (
        said.index("Read this first")
        < said.index("accept test-chose")
        < said.index("What cannot be said")
    )


def test_a_claim_of_not_worse_is_about_the_margin(checked):
    worse = {
        **checked,
        "baseline": checked["claim"]["better"][0],
        "claim": {"not_worse": checked["baseline"]},
    }
    assert check(worse) == 1
    assert check({**worse, "margin": 0.5}) == 0


@pytest.mark.parametrize(
    "change",
    [
        {"files": ["gone.csv"]},
        {"baseline": "who"},
        {"claim": {}},
        {"claim": {"best": "a"}},
        {"colour": "red"},
        {"files": 3},
        {"direction": "up"},
        {"columns": 7},
        {"claim": {"better": 3}},
        {"margin": "wide"},
    ],
)
def test_what_cannot_be_read_gives_two(checked, capsys, change):
    assert check({**checked, **change}) == 2
    assert capsys.readouterr().out


def test_a_metric_that_is_gone_is_never_exchanged(checked, case, capsys):
    """A loss would pass for a gain: another column is not the metric of the claim."""
    table = case.table.rename(columns={case.names["test"]: "test_loss"})
    table.to_csv(case.given[0], index=False)
    capsys.readouterr()
    assert check(checked) == 2
    assert (
        f"No one column is called {case.names['test']!r}"
        in capsys.readouterr().out.replace("\\", "")
    )


def test_another_kind_of_results_is_not_held_to_the_claim(checked, capsys):
    capsys.readouterr()
    assert check({**checked, "claim": {**checked["claim"], "kind": "folds"}}) == 2
    assert (
        "The claim is about folds, and the files hold seeds now"
        in capsys.readouterr().out
    )


def test_a_system_that_is_new_is_told(checked, case, capsys):
    table = case.table
    more = table[table[case.names["system"]] == case.systems[1]].assign(
        **{case.names["system"]: "new"}
    )
    for name in (case.names["test"], case.names["validation"]):
        more[name] += np.random.default_rng(0).normal(0, 0.01, len(more))
    pd.concat([table, more]).to_csv(case.given[0], index=False)
    capsys.readouterr()
    assert check(checked) in (0, 1)
    assert "new: not there when the claim was made" in capsys.readouterr().out.replace(
        "\\", ""
    )


def test_what_varies_now_and_did_not_is_asked_about(checked, case, capsys):
    table = case.table.copy()
    table.loc[0, "learning_rate"] = 17.0
    table.to_csv(case.given[0], index=False)
    capsys.readouterr()
    assert check(checked) == 2
    assert "learning_rate varies" in capsys.readouterr().out.replace("\\", "")


def test_a_check_shows_the_notes_that_a_report_shows(checked, case, capsys):
    table = case.table.drop(
        index=case.table.index[case.table[case.names["system"]] == case.systems[0]][0]
    )
    table.to_csv(case.given[0], index=False)
    run(*case.given, "--baseline", case.systems[0])
    (note,) = [
        line
        for line in capsys.readouterr().out.splitlines()
        if line.startswith("Note: ")
    ]
    check(checked)
    assert note.removeprefix("Note: ") in capsys.readouterr().out.replace("\\", "")


@pytest.mark.parametrize(
    "claim", [{"better": [1, ["a"]]}, {"better": {}}, {"better": ["a"], "systems": 3}]
)
def test_a_claim_that_cannot_be_read_gives_two(checked, claim, capsys):
    capsys.readouterr()
    assert check({**checked, "claim": claim}) == 2
    assert capsys.readouterr().out.startswith("# Nothing was checked\n")


def test_settings_without_a_claim_say_what_to_write(checked, capsys):
    capsys.readouterr()
    assert (
        check({name: value for name, value in checked.items() if name != "claim"}) == 2
    )
    said = capsys.readouterr().out
    assert said.startswith("# Nothing was checked\n")
    assert '[claim]\nnot_worse = ["NAME"]' in said
    assert "\\" not in said


@pytest.mark.parametrize("content", [None, b"files = [", b"\xff\xfe"])
def test_settings_that_are_none_give_two(case, content):
    if content is not None:
        Path("claim.toml").write_bytes(content)
    assert run("--check", "claim.toml") == 2


def test_results_that_are_refused_give_one(checked, case, capsys):
    case.table.assign(**{case.names["test"]: np.nan}).to_csv(case.given[0], index=False)
    assert check(checked) == 1
    assert "cannot be compared" in capsys.readouterr().out


def test_files_are_looked_for_beside_the_settings(checked, tmp_path, monkeypatch):
    check(checked)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert run("--check", tmp_path / "claim.toml") == 0


def test_settings_survive_being_written_and_read(tmp_path):
    odd = 'a "b"\n\\c\x7f\u20ac = [x]'
    options = _options.Options(
        baseline=odd,
        metric=odd,
        columns={"note": (odd, "b"), "seed": ("s",)},
        where={odd: "1"},
        margin=0.1,
        n_train=5,
        failed="0.5",
        accepted=("scale",),
    )
    places = [(None, "a.csv"), ("Ours", str(tmp_path / "b.csv"))]
    written = _options.dump(
        _options.to_settings(places, options, {"better": [odd]}, tmp_path)
    )
    files, again, claim = _options.from_settings(tomllib.loads(written), tmp_path)
    assert again == options
    assert claim == {"better": [odd]}
    assert files == [
        (None, os.path.abspath("a.csv")),
        ("Ours", str(tmp_path / "b.csv")),
    ]


# --------------------------------------------------------------------------------------
# evalkit init
# --------------------------------------------------------------------------------------


def python(*arguments, cwd):
    return subprocess.run(
        [sys.executable, *arguments], cwd=cwd, capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lab") / "ours"
    assert cli.main(["init", str(folder)]) == 0
    done = python("train.py", "--seeds", "3", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


def test_the_folder_works_from_its_first_command(lab, monkeypatch, capsys):
    done = python("check_runs.py", cwd=lab)
    assert (done.returncode, done.stdout) == (0, "runs.csv: nothing found\n")
    monkeypatch.chdir(lab)
    assert run("predictions", "--baseline", "linear") == 0
    assert "seeds and items" in capsys.readouterr().out
    assert run("--check", "evalkit.toml") in (0, 1)
    of_runs = ("--where", "system!=dummy", "--config", "runs.toml", "-o", "runs.html")
    assert run("runs.csv", "--baseline", "linear", *of_runs) == 0
    assert "dummy" not in capsys.readouterr().out.split("as you said")[1]


def test_a_run_is_not_made_twice(lab):
    before = (lab / "runs.csv").read_text(encoding="utf-8")
    python("train.py", "--seeds", "3", cwd=lab)
    assert (lab / "runs.csv").read_text(encoding="utf-8") == before


def test_nothing_that_is_there_is_overwritten(lab, capsys):
    (lab / "README.md").write_text("ours", encoding="utf-8")
    assert cli.main(["init", str(lab)]) == 0
    assert "left as it is" in capsys.readouterr().out
    assert (lab / "README.md").read_text(encoding="utf-8") == "ours"


def test_a_file_is_no_folder(tmp_path, capsys):
    (tmp_path / "there").touch()
    assert cli.main(["init", str(tmp_path / "there")]) == 1
    assert "is a file; name another place" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("network,", "Network ,"), "system"),
        (("finished", "done"), "status must be one of finished, crashed"),
        (("hidden=32,0", "hidden=64,0"), "has another setting"),
        (("network,hidden=32,1,", "network,hidden=32,0,"), "has the seed 0 in line"),
        (
            ("network,hidden=32,1,finished,0.", "network,hidden=32,1,finished,1."),
            "must lie between 0 and 1",
        ),
        (
            ("network,hidden=32,1,finished,0.", "network,hidden=32,1,finished,nan0."),
            "must lie between",
        ),
        (
            ("network,hidden=32,2,", "network,hidden=32,1.5,"),
            "seed must be a whole number",
        ),
        (
            ("network,hidden=32,1,", "network,hidden=32,00,"),
            "seed must be a whole number from 0, as 4 or 10",
        ),
        (
            ("network,hidden=32,1,finished", "network,hidden=32,1,crashed"),
            "or be empty if the run crashed",
        ),
        (("seed,status", "seed"), "the columns must be"),
    ],
)
def test_the_validator_names_line_and_fault(lab, tmp_path, change, message):
    for name in ("runs_schema.toml", "check_runs.py"):
        (tmp_path / name).write_bytes((lab / name).read_bytes())
    text = (lab / "runs.csv").read_text(encoding="utf-8")
    assert change[0] in text
    (tmp_path / "runs.csv").write_text(text.replace(*change), encoding="utf-8")
    done = python("check_runs.py", cwd=tmp_path)
    assert done.returncode == 1
    assert message in done.stdout


@pytest.mark.parametrize("gone", ["runs.csv", "runs_schema.toml"])
def test_the_validator_says_what_is_not_there(lab, tmp_path, gone):
    for name in {"runs.csv", "runs_schema.toml", "check_runs.py"} - {gone}:
        (tmp_path / name).write_bytes((lab / name).read_bytes())
    done = python("check_runs.py", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith(f"{gone}: cannot be read")


def test_a_run_that_crashed_is_held_to_its_seed_and_passes_without_scores(
    lab, tmp_path
):
    for name in ("runs_schema.toml", "check_runs.py"):
        (tmp_path / name).write_bytes((lab / name).read_bytes())
    text = (lab / "runs.csv").read_text(encoding="utf-8")
    for seed, status in (("9", 0), ("", 1)):
        row = f"network,hidden=32,{seed},crashed,,,,unknown\n"
        (tmp_path / "runs.csv").write_text(text + row, encoding="utf-8")
        assert python("check_runs.py", cwd=tmp_path).returncode == status


def test_the_templates_go_with_the_package():
    project = tomllib.loads(
        (Path(reports.__file__).parents[2] / "pyproject.toml").read_text(
            encoding="utf-8"
        )
    )
    assert project["tool"]["setuptools"]["package-data"] == {
        "evalkit": ["explore/assets/*", "reports/folder/**/*"]
    }
    places = {str(place) for place, _ in _folder._templates()}
    assert {
        "README.md",
        "runs.csv",
        "train.py",
        str(Path(".github/workflows/results.yml")),
    } <= places
    assert not any("__pycache__" in place for place in places)


def test_the_pull_request_asks_what_the_checklist_asks():
    root = Path(reports.__file__).parents[2]
    checklist = (root / "book" / "checklist.md").read_text(encoding="utf-8").lower()
    template = {str(place): text for place, text in _folder._templates()}
    asked = re.findall(
        r"\*\*(.+?)\*\*",
        template[str(Path(".github/pull_request_template.md"))].decode(),
    )
    assert len(asked) > 8
    missing = [
        words
        for words in asked[1:]
        if words.lower().removeprefix("the ") not in checklist
    ]
    assert not missing
