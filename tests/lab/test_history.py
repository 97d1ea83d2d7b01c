"""What git shows of the claims: the derived history agrees with the files of each
commit, read one by one.
"""

import csv
import io
import itertools
import subprocess

import pytest

from lab import cli, history, scorecard
from lab.data import DATA, DataError
from lab.papers import published

pytestmark = pytest.mark.skipif(
    not history.is_whole(), reason="the history is in a clone with all commits"
)
COUNTED = "potts2020/count-differing-items"


def kept():
    with open(DATA / "published" / "history.csv", newline="") as file:
        return list(csv.DictReader(file))


def git(*arguments):
    command = ["git", "-C", str(DATA.parent), *arguments]
    return subprocess.run(command, capture_output=True, check=True).stdout.decode()


def test_the_table_is_what_git_gives():
    rows = [
        {name: row.get(name, "") for name in history.COLUMNS} for row in history.table()
    ]
    assert kept() == rows, "`lab scorecard --history` writes it anew"


def test_each_listed_commit_is_an_ancestor_and_has_the_verdict_that_is_told():
    ancestors = {name[:10] for name in git("rev-list", "HEAD").split()}
    wrong = []
    for row in kept():
        if row["commit"] not in ancestors:
            wrong.append(row)
        if row["changed"] in ("rows", "listed"):
            continue
        paper, path = row["id"].split("/")[0], "data/recorded/{}/verdicts.csv"
        try:
            content = git("show", f"{row['commit']}:{path.format(paper)}")
        except subprocess.CalledProcessError:
            content = "id,verdict\n"
        found = {r["id"]: r["verdict"] for r in csv.DictReader(io.StringIO(content))}
        if found.get(row["id"], "") != row["verdict"]:
            wrong.append(row)
    assert not wrong


def test_a_claim_that_went_to_and_fro_says_so():
    versions = history.versions(COUNTED)
    words = [version.verdict[0] for version in versions]
    assert words[:5] == ["", "replicated", "not supported", "cannot say", "supported"]
    # Three names of analyses went within the hour, and the rule stood in no file.
    hour = [v for v in versions if "2026-11-25 22:42" < v.time < "2026-11-25 23:42"]
    assert ["no file" in version.followed for version in hour] == [True, True, False]
    back = hour[-1]
    before = versions[versions.index(back) - 1]
    assert len(before.listed - back.listed) == 3
    assert not before.limits  # they stood in no commit then
    assert back.criterion == versions[0].criterion


def test_first_criteria_stay_and_three_amendments_were_written_over():
    edited, over = [], []
    for claim in scorecard.main_claims().id:
        versions = [v for v in history.versions(claim) if v.criterion]
        edited += [
            claim for v in versions if v.criterion[0] != versions[0].criterion[0]
        ]
        held = [set(version.criterion) for version in versions]
        over += [
            (claim, a - b <= held[-1]) for a, b in itertools.pairwise(held) if a - b
        ]
    assert not edited
    assert over == [
        ("tang2020/theorem-2", False),
        ("moss2018/recommendation-jk", True),
        ("moss2018/variance-first", True),
    ]


def test_an_analysis_that_is_announced_is_told_apart():
    limits = frozenset({("later", "effect", "low > 1", ""), ("", "effect", "", "")})
    version = history.Version("", "", (), limits, frozenset({"now"}), ("", ""))
    assert version.listed == {"now", "later"}


def test_what_no_claim_is_called_is_refused(capsys):
    with pytest.raises(DataError, match=r"claims.csv has no moss2018/nothing"):
        history.versions("moss2018/nothing")
    assert cli.main(["scorecard", "--history", COUNTED]) == 0
    said = capsys.readouterr().out
    assert "2026-11-25 23:32" in said
    assert "refuted by: They differ on less than 1 % of the items." in said


def test_every_claim_has_a_history():
    listed = {row["id"] for row in kept()}
    assert listed == {"main claims", *published.claims(), *published.papers()}
