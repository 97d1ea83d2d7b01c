"""Files: what is read, what is refused, and where a page may go."""

import contextlib
import decimal
import io
import json
import os
import re
import textwrap

import faulty
import numpy as np
import pandas as pd
import pytest
from faulty import refused
from grids import grid

import evalkit as ek
from evalkit import cli
from evalkit.reports import from_cv_results, from_lm_eval, schema

TABLE = faulty.seeds(np.random.default_rng(1))[["system", "seed", "accuracy"]]
TEXT = TABLE.to_csv(index=False)

BROKEN = {
    "latin.csv": TEXT.replace("ours", "\u00fcber").encode("latin-1"),
    "zero.csv": TEXT.replace("ours", "o\0urs").encode(),
    "cut.csv": TEXT.replace("ours", '"ours').encode(),
    "ragged.csv": TEXT.encode() + b"ours,99\n",
    "wider.csv": TEXT.encode() + b"ours,99,0.5,0.6\n",
    "semicolons.csv": TEXT.replace(",", ";").encode(),
    "tabs.csv": TEXT.replace(",", "\t").encode(),
    "words.jsonl": b"system: base\n",
    "list.jsonl": b"[1, 2]\n",
    "nested.jsonl": b'{"system": "a", "seed": {"a": 1}, "accuracy": 1}\n',
    "twice.jsonl": b'{"system": "a", "system": "b", "seed": 1, "accuracy": 1}\n',
    "deep.jsonl": b"[" * 200_000 + b"\n",
    "large.jsonl": b'{"system": "a", "seed": 1, "accuracy": ' + b"9" * 5000 + b"}\n",
    "cell.csv": TEXT.encode() + b"ours,99," + b"9" * 200_000 + b"\n",
    "utf-16.csv": TEXT.encode("utf-16"),
    "utf-16.tsv": TEXT.replace(",", "\t").encode("utf-16"),
    "latin.jsonl": TABLE.replace("ours", "\u00fcber")
    .to_json(orient="records", lines=True, force_ascii=False)
    .encode("latin-1"),
    "mixed.jsonl": b'{"system": "a", "seed": 1}\n[]\n',
    "scores.xlsx": b"PK\x03\x04",
    "scores": TEXT.encode(),
}


# What is read, and is no table.
NO_TABLE = {
    "empty.csv": (b"", "few"),
    "header.csv": (b"\n\n", "few"),
    "none.jsonl": (b"\n\n", "few"),
    "twice.csv": (TEXT.replace("seed,accuracy", "seed,seed", 1).encode(), "columns"),
    "index.csv": (TABLE.to_csv().encode(), "columns"),
}


@pytest.mark.parametrize("name", NO_TABLE)
def test_a_file_without_a_table_is_refused_as_a_table_is(tmp_path, name):
    content, code = NO_TABLE[name]
    (tmp_path / name).write_bytes(content)
    assert refused(tmp_path / name).code == code


@pytest.mark.parametrize("name", BROKEN)
def test_a_file_that_cannot_be_read_whole_is_not_read(tmp_path, name):
    place = tmp_path / name
    place.write_bytes(BROKEN[name])
    error = refused(place)
    assert error.code == "unreadable"
    assert name in str(error)


READ_OTHERWISE = (
    "latin.csv", "latin.jsonl", "utf-16.csv", "utf-16.tsv", "semicolons.csv", "tabs.csv",
)  # fmt: skip


@pytest.mark.parametrize("name", READ_OTHERWISE)
def test_the_line_that_reads_a_file_otherwise_leads_to_its_page(tmp_path, name):
    (tmp_path / name).write_bytes(BROKEN[name])
    scope = {"pd": pd}
    exec(refused(tmp_path / name).faults[0].lines[0], scope)
    found = ek.report(scope["table"], baseline="base")
    assert found.table["pvalue"].tolist() == pytest.approx(
        ek.report(TABLE, baseline="base").table["pvalue"].tolist()
    )


GAPS = {
    "null.jsonl": '{"system": "%s", "seed": %d, "accuracy": null}',
    "nan.jsonl": '{"system": "%s", "seed": %d, "accuracy": NaN}',
    "endless.jsonl": '{"system": "%s", "seed": %d, "accuracy": Infinity}',
    "beyond.jsonl": '{"system": "%s", "seed": %d, "accuracy": 1e999}',
    "long.jsonl": '{"system": "%s", "seed": %d, "accuracy": ' + "9" * 400 + "}",
    "absent.jsonl": '{"system": "%s", "seed": %d, "accuracy": "n/a"}',
}


@pytest.mark.parametrize("name", GAPS)
def test_scores_that_are_no_numbers_are_gaps(tmp_path, name):
    rows = [GAPS[name] % (s, k) for s in ("base", "ours") for k in range(3)]
    (tmp_path / name).write_text("\n".join(rows))
    error = refused(tmp_path / name)
    assert error.code == "gaps"
    assert "is no number in 6 rows" in str(error)


def test_every_dtype_of_pandas_gives_the_page_of_the_table():
    wanted = str(ek.report(TABLE, baseline="base"))
    words = TABLE.astype(str)
    tables = {
        "nullable": TABLE.convert_dtypes(),
        "words": words,
        "objects": TABLE.astype(object),
        "categories": words.astype("category"),
        "sparse": TABLE.astype({"accuracy": pd.SparseDtype(float)}),
        "decimal keys": TABLE.astype({"seed": float}),
        "keys of two kinds": TABLE.assign(
            seed=[*TABLE["seed"][:5], *words["seed"][5:]]
        ),
        "decimals": words.assign(accuracy=words["accuracy"].map(decimal.Decimal)),
        "one index": TABLE.set_axis([0] * len(TABLE)),
    }
    assert not [
        n for n, t in tables.items() if str(ek.report(t, baseline="base")) != wanted
    ]


def test_what_is_no_file_is_not_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "device.csv").symlink_to("/dev/zero")
    for name in ("pipe.csv", "folder.csv", "device.csv", "nothing.csv"):
        assert refused(tmp_path / name).code == "unreadable"


@pytest.mark.parametrize(("limit", "value"), [("MOST_BYTES", 100), ("MOST_CELLS", 10)])
def test_more_than_the_limits_is_refused(tmp_path, monkeypatch, limit, value):
    (tmp_path / "a.csv").write_text(TEXT)
    monkeypatch.setattr(schema, limit, value)
    assert f"{value:,}" in str(refused(tmp_path / "a.csv"))


def test_marks_of_bytes_and_ends_of_lines_say_nothing(tmp_path):
    wanted = str(ek.report(TABLE, baseline="base"))
    for name, content in {
        "bom.csv": b"\xef\xbb\xbf" + TEXT.encode(),
        "crlf.csv": TEXT.replace("\n", "\r\n").encode(),
        "lines.csv": (TEXT + "\n\n").encode(),
        "quoted.csv": TABLE.to_csv(index=False, quoting=1).encode(),
        "spaces.csv": TEXT.replace("seed,", " seed ,", 1).encode(),
    }.items():
        (tmp_path / name).write_bytes(content)
        assert str(ek.report(tmp_path / name, baseline="base")) == wanted


def test_files_with_one_header_are_one_table(tmp_path):
    parts = []
    for name, own in TABLE.groupby("system"):
        parts.append(tmp_path / f"{name}.csv")
        own.to_csv(parts[-1], index=False)
    found = ek.report(parts, baseline="base")
    assert found.findings.contrasts[0].difference == pytest.approx(
        ek.report(TABLE, baseline="base").findings.contrasts[0].difference
    )
    assert [reading.n_rows for reading in found.readings] == [
        len(own) for _, own in TABLE.groupby("system")
    ]
    assert found.source.startswith(f"ek.report({[*map(str, parts)]!r}, baseline=")
    TABLE.assign(more=1).to_csv(parts[0], index=False)
    assert "other columns" in str(refused(parts))
    assert refused([parts[1], parts[1]], baseline="ours").code == "baseline"


def test_true_and_false_are_right_and_wrong(tmp_path):
    table = faulty.items(np.random.default_rng(3))
    (score,) = (c for c in table if schema.direction(c))
    right = table.assign(**{score: table[score] > 0.5})
    numbers = right.assign(**{score: right[score].astype(int)})
    right.to_csv(tmp_path / "right.csv", index=False)
    json_s = right.assign(**{score: right[score].map({True: "true", False: "false"})})
    pages = {
        str(ek.report(t, baseline="base"))
        for t in (right, numbers, tmp_path / "right.csv", json_s)
    }
    assert len(pages) == 1


# --------------------------------------------------------------------------------------
# The command
# --------------------------------------------------------------------------------------


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs.csv").write_text(TEXT)
    return tmp_path


def command(*words):
    return cli.main(["report", *words])


def test_the_settings_make_the_same_page_again(here):
    assert command("runs.csv", "--baseline", "base", "--margin", "0.001") == 0
    page, settings = (
        (here / "report.html").read_bytes(),
        (here / "evalkit.toml").read_bytes(),
    )
    (here / "report.html").unlink()
    assert command() == 0
    assert (here / "report.html").read_bytes() == page
    assert (here / "evalkit.toml").read_bytes() == settings
    (here / "evalkit.toml").unlink()
    assert command(str(here / "runs.csv"), "--baseline", "base") == 0
    assert f'"{here}/runs.csv"' in (here / "evalkit.toml").read_text()
    assert command("--margin", "0.5") == 0
    assert b"margin = 0.5" in (here / "evalkit.toml").read_bytes()


def test_settings_of_other_files_are_left_alone(here, capsys):
    command("runs.csv", "--baseline", "base")
    settings = (here / "evalkit.toml").read_bytes()
    (here / "other.csv").write_text(TEXT)
    assert command("other.csv", "--baseline", "ours", "-o", "other.html") == 0
    assert (here / "evalkit.toml").read_bytes() == settings
    assert "neither read nor written" in capsys.readouterr().out


def test_each_form_is_written_and_the_code_prints_the_same_numbers(here):
    outputs = ["page.html", "page.md", "page.tex", "page.py"]
    words = [part for page in outputs for part in ("-o", page)]
    assert command("runs.csv", "--baseline", "base", *words) == 0
    assert "\\toprule" in (here / "page.tex").read_text()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec((here / "page.py").read_text(), scope := {})
    right = ek.report("runs.csv", baseline="base")
    assert right.source == scope["found"].source
    assert right.source.startswith("ek.report('runs.csv', baseline='base', metric=")
    assert scope["found"].table.equals(right.table)
    for one in right.findings.contrasts:
        held = f"{one.difference:+.3f} [{one.low:.3f}, {one.high:.3f}]"
        assert held in printed.getvalue()
        assert f"{one.adjusted:.8e}" in printed.getvalue()


def test_a_page_is_never_written_over_what_is_read(here, capsys):
    content = (here / "runs.csv").read_bytes()
    os.link("runs.csv", "hard.md")
    os.symlink("runs.csv", "soft.md")
    (here / "runs.md").write_text(TEXT)
    for page in ("hard.md", "soft.md"):
        assert command("runs.csv", "--baseline", "base", "-o", page) == 1
        assert "would be written over" in capsys.readouterr().err
    assert (here / "runs.csv").read_bytes() == content
    os.symlink("runs.csv", "report.html")
    assert command("runs.csv", "--baseline", "base") == 1
    assert "nobody named" in capsys.readouterr().err


CLAIMS = {
    "as it is": (lambda text: text, lambda table: table, 0),
    "another metric": (lambda text: text, lambda table: table.rename(columns={"accuracy": "f1"}), 2),
    "a system is gone": (
        lambda text: text, lambda table: table[table["system"] != "theirs"], 2),
    "another kind": (lambda text: text, lambda table: table.rename(columns={"seed": "item"}), 2),
    "no better": (
        lambda text: text,
        lambda table: table.assign(accuracy=np.tile(np.linspace(0, 1, 7), len(table))[: len(table)]), 1),
    "no worse": (lambda text: text.replace("better = ", "not_worse = "), lambda table: table, 0),
    "a wide margin": (lambda text: "margin = 0.5\n" + text, lambda table: table, 1),
    "another direction": (
        lambda text: text.replace('"higher"', '"lower"'), lambda table: table, 2),
    "a system is new": (
        lambda text: text,
        lambda table: pd.concat([table, table[table["system"] == "ours"].assign(
            system="new", accuracy=lambda t: t["accuracy"] + 0.001 * t["seed"])]), 0),
    "no claim": (lambda text: text.partition("[claim]")[0], lambda table: table, 2),
    "not TOML": (lambda text: text + "\n[", lambda table: table, 2),
    "an unknown word": (lambda text: "where = 'x'\n" + text, lambda table: table, 2),
    "a file outside": (lambda text: text.replace("runs.csv", "../runs.csv"), lambda table: table, 2),
    "a fault": (lambda text: text, lambda table: pd.concat([table, table[:1]]), 1),
}  # fmt: skip


@pytest.mark.parametrize("name", CLAIMS)
def test_a_claim_stands_or_does_not_and_is_never_exchanged(here, name, capsys):
    change, results, status = CLAIMS[name]
    table = TABLE.assign(
        accuracy=TABLE["accuracy"]
        + TABLE["system"].map({"base": -0.2, "ours": 0, "theirs": 0})
    )
    table.to_csv("runs.csv", index=False)
    assert command("runs.csv", "--baseline", "base") == 0
    settings = here / "evalkit.toml"
    assert "better" in settings.read_text()
    settings.write_text(change(settings.read_text()))
    results(table).to_csv("runs.csv", index=False)
    capsys.readouterr()
    assert command("--check", "evalkit.toml") == status
    out = capsys.readouterr().out
    assert out.startswith("# ")
    assert ("The claim stands" in out) == (status == 0)
    assert ("drop_duplicates" in out) == (name == "a fault")


def test_a_link_out_of_the_folder_is_not_opened_for_a_claim(here, capsys):
    (here / "lab").mkdir()
    assert command("runs.csv", "--baseline", "base") == 0
    text = (here / "evalkit.toml").read_text()
    (here / "lab/evalkit.toml").write_text(text)
    (here / "lab/runs.csv").symlink_to(here / "runs.csv")
    (here / "lab/linked.toml").symlink_to(here / "evalkit.toml")
    for name in ("evalkit.toml", "linked.toml"):
        capsys.readouterr()
        assert command("--check", f"lab/{name}") == 2
        assert "lies outside of lab" in capsys.readouterr().out


HOSTILE = "\x1b[31m<b>x</b>|**y**](http://e.org)\u202e@all\x9b"


def test_no_name_gets_through_the_command_as_markup(here, capsys):
    """To a terminal, and in what a check says in public."""
    table = TABLE.replace({"system": {"ours": HOSTILE}}).assign(
        accuracy=TABLE["accuracy"]
        + TABLE["system"].map({"base": -0.2, "ours": 0, "theirs": 0})
    )
    table = table.assign(**{HOSTILE: range(len(table))})
    table.to_csv(f"{HOSTILE[:4]}.csv", index=False)
    words = [f"{HOSTILE[:4]}.csv", "--baseline", "base"]
    assert command(*words) == 2
    assert command(*words, "--ignore", "rest") == 0
    assert command("--check", "evalkit.toml") == 0
    said = capsys.readouterr()
    assert all(map(str.isprintable, (said.out + said.err).split("\n")))
    public = said.out.partition("# The claim stands")[2].partition(
        "The same in Python"
    )[0]
    assert "x" in public
    assert not re.search(
        r"<b>|(?<!\\)\*\*y|(?<!\\)\]\(http|@all|(?<!\\)\|\\?\*", public
    )


NO_TRACEBACK = {
    "no name": ("runs.csv", "--baseline", ""),
    "no metric": ("runs.csv", "--baseline", "base", "--metric", ""),
    "no such file": ("nothing.csv", "--baseline", "base"),
    "a zero byte": ("a\0b.csv", "--baseline", "base"),
    "a long name": ("x" * 5000 + ".csv", "--baseline", "base"),
    "half a sign": ("runs.csv", "--baseline", "b\udc80"),
    "another ending": ("runs.csv", "--baseline", "base", "-o", "page.pdf"),
    "one page twice": ("runs.csv", "--baseline", "base", "-o", "a.md", "-o", "./a.md"),
    "a page that is a folder": ("runs.csv", "--baseline", "base", "-o", "folder.md"),
    "a page in a file": ("runs.csv", "--baseline", "base", "-o", "runs.csv/a.md"),
    "no role": ("runs.csv", "--baseline", "base", "--map", "sed=seed"),
    "a margin below 0": ("runs.csv", "--baseline", "base", "--margin", "-1"),
    "a contradiction confirmed": ("runs.csv", "--baseline", "base", "--confirm", "gaps"),
    "a large number": ("runs.csv", "--baseline", "base", "--n-test", "9" * 400),
    "no settings": ("--check", "nothing.toml"),
    "a folder of settings": ("--check", "."),
}  # fmt: skip


@pytest.mark.parametrize("name", NO_TRACEBACK)
def test_what_cannot_be_done_is_said_in_words_and_nothing_is_written(
    here, name, capsys
):
    (here / "folder.md").mkdir()
    assert command(*NO_TRACEBACK[name]) in (1, 2)
    said = capsys.readouterr()
    assert (said.out + said.err).strip()
    assert {path.name for path in here.iterdir()} == {"runs.csv", "folder.md"}
    assert (here / "runs.csv").read_text() == TEXT


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl"])
def test_lines_that_the_command_prints_run_between_those_around_them(
    here, ending, capsys
):
    table = pd.concat([TABLE, TABLE[:1]])
    write = {
        "csv": lambda t: t.to_csv(index=False),
        "tsv": lambda t: t.to_csv(index=False, sep="\t"),
        "jsonl": lambda t: t.to_json(orient="records", lines=True),
    }[ending]
    for name, part in (("a", table[:9]), ("b's", table[9:])):
        (here / f"{name}.{ending}").write_text(write(part))
    assert command(f"a.{ending}", f"b's.{ending}", "--baseline", "base") == 1
    said = capsys.readouterr().err
    around = said.partition("between these:")[2].replace("    ...", "    LINE")
    (line,) = (text for text in said.splitlines() if "drop_duplicates" in text)
    exec(textwrap.dedent(around).replace("LINE", line.strip()), {})
    assert command("mended.csv", "--baseline", "base") == 0
    found = ek.report("mended.csv", baseline="base").table["pvalue"]
    assert found.tolist() == pytest.approx(
        ek.report(TABLE, baseline="base").table["pvalue"].tolist()
    )


def test_wrong_words_of_the_command_end_with_2(here):
    for words in (
        ["runs.csv"],
        ["--baseline", "base"],
        ["runs.csv", "--baseline", "base", "--map", "seed=a", "--map", "seed=b"],
        ["runs.csv", "--baseline", "base", "--margin", "x"],
        ["--check", "evalkit.toml", "runs.csv"],
    ):
        with pytest.raises(SystemExit) as ended:
            command(*words)
        assert ended.value.code == 2


# --------------------------------------------------------------------------------------
# Two doors for tools
# --------------------------------------------------------------------------------------


def test_folds_of_searches_are_one_long_table():
    from sklearn.datasets import load_wine
    from sklearn.model_selection import GridSearchCV
    from sklearn.tree import DecisionTreeClassifier

    X, y = load_wine(return_X_y=True)
    settings, model = {"max_depth": [1, 2]}, DecisionTreeClassifier(random_state=0)
    one = GridSearchCV(model, {"max_depth": [5]}, cv=4).fit(X, y)
    scorers = ["accuracy", "f1_macro"]
    both = GridSearchCV(model, settings, cv=3, scoring=scorers, refit=False).fit(X, y)
    table = from_cv_results({"shallow": both.cv_results_, "deep": one})
    assert len(table) == 6 + 4
    for system, wide, name in (
        ("shallow", both, "accuracy"),
        ("shallow", both, "f1_macro"),
        ("deep", one, "score"),
    ):
        own = table[table["system"] == system]
        assert own[name].tolist() == [
            wide.cv_results_[f"split{fold}_test_{name}"][trial]
            for trial, fold in zip(own["trial"], own["fold"], strict=True)
        ]
        assert own["param_max_depth"].tolist() == [
            wide.cv_results_["param_max_depth"][trial] for trial in own["trial"]
        ]
    twice = from_cv_results({"base": one, "ours": one}).assign(
        score=np.random.default_rng(0).random(8)
    )
    options = {"baseline": "base", "metric": "score", "direction": "higher"}
    assert ek.report(twice, **options, n_train=3, n_test=1).kind == "folds"
    failed = {"split0_test_score": [0.5, np.nan], "split1_test_score": [0.6, np.nan]}
    gaps = from_cv_results({"a": failed | {"param_C": [1, 2]}})
    assert gaps["score"].isna().tolist() == [False, False, True, True]
    assert gaps["param_C"].tolist() == [1, 1, 2, 2]
    with pytest.raises(ValueError, match="halving"):
        from_cv_results({"a": {"n_resources": [1, 2], "split0_test_score": [0, 1]}})
    with pytest.raises(ValueError, match="split0_test_score"):
        from_cv_results({"a": {"mean_test_score": [1]}})


def test_samples_of_lm_eval_are_one_long_table(tmp_path):
    rng = np.random.default_rng(0)
    for model in ("base", "ours"):
        folder = tmp_path / model
        folder.mkdir()
        for task in ("arc", "boolq"):
            lines = [
                {"doc_id": k, "filter": "none", "metrics": ["acc", "acc_norm"],
                 "acc": int(rng.integers(0, 2)), "acc_norm": 0.5, "doc": {}}
                for k in range(20)
            ]  # fmt: skip
            text = "\n".join(map(json.dumps, lines))
            (folder / f"samples_{task}_2025-01-01T00-00-00.1.jsonl").write_text(text)
    table = from_lm_eval(tmp_path)
    assert len(table) == 80
    assert table["item"].nunique() == 40
    for (system, task), own in table.groupby(["system", "task"]):
        (path,) = (tmp_path / system).glob(f"samples_{task}_*")
        logged = [json.loads(line) for line in path.read_text().splitlines()]
        assert own["acc"].tolist() == [line["acc"] for line in logged]
        assert own["item"].tolist() == [f"{task}/{k}" for k in range(20)]
    page = ek.report(table, baseline="base", metric="acc", ignore=["task"])
    assert page.evidence.used["item"].nunique() == 40
    (tmp_path / "ours/samples_arc_2025-02-01T00-00-00.1.jsonl").write_text(text)
    with pytest.raises(ValueError, match="two runs of one task"):
        from_lm_eval(tmp_path)
    with pytest.raises(ValueError, match="samples_TASK"):
        from_lm_eval(tmp_path / "ours")


@pytest.mark.parametrize(("loss", "status"), [(0.1, 0), (0.9, 1)])
def test_not_worse_is_read_in_the_direction_of_the_metric(here, loss, status):
    level = TABLE["system"].map({"base": 0.5, "ours": loss, "theirs": 1})
    table = TABLE.drop(columns="accuracy").assign(loss=level + TABLE["accuracy"] / 100)
    table.to_csv("runs.csv", index=False)
    assert command("runs.csv", "--baseline", "base") == 0
    settings = (here / "evalkit.toml").read_text().partition("[claim]")[0]
    (here / "evalkit.toml").write_text(settings + '[claim]\nnot_worse = ["ours"]\n')
    assert command("--check", "evalkit.toml") == status


def test_a_table_without_systems_is_told_how_to_have_them():
    wide = pd.DataFrame({"item": ["x", "y"], "base": [0, 1], "ours": [1, 1]})
    assert "melt" in str(refused(wide))
    named = str(refused(TABLE.rename(columns={"system": "model"})))
    assert "columns={'system': 'model'}" in named
    assert "melt" not in named


def test_a_word_is_offered_as_right_only_where_there_are_two():
    for words, n in ((["yes", "no"], 2), (["good", "fair", "bad"], 0)):
        table = TABLE.assign(accuracy=np.resize(words, len(TABLE)))
        assert len(refused(table).faults[0].lines) == n


@grid("wrong", [{"ignore": ["a", 7]}, {"ignore": 7}, {"confirm": [7]}, {"metric": ""}])
def test_what_is_no_name_is_refused(wrong):
    with pytest.raises(TypeError):
        ek.report(TABLE, baseline="base", **wrong)


def test_another_metric_asks_anew_which_way_is_better(here):
    """The direction that was kept is that of the metric before."""
    table = TABLE.rename(columns={"accuracy": "points"}).assign(cost=range(len(TABLE)))
    table.to_csv("runs.csv", index=False)
    words = ["--baseline", "base", "--metric", "points", "--direction", "higher"]
    assert command("runs.csv", *words, "--ignore", "cost") == 0
    assert command("--metric", "points") == 0
    assert 'direction = "higher"' in (here / "evalkit.toml").read_text()
    table[["system", "seed", "cost"]].to_csv("runs.csv", index=False)
    settings = (here / "evalkit.toml").read_text().replace('ignore = ["cost"]', "")
    (here / "evalkit.toml").write_text(settings)
    assert command("--metric", "cost") == 1


def test_a_column_that_is_all_empty_may_be_ignored_and_one_in_part_may_not():
    for n_empty, has_option in ((len(TABLE), True), (1, False)):
        group = [None] * n_empty + ["x"] * (len(TABLE) - n_empty)
        error = refused(TABLE.assign(group=group))
        assert error.code == "gaps"
        assert ("ignore=['group']" in str(error)) == has_option
