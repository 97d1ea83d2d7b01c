"""What git shows of the claims: the derived history agrees with the files of each
commit, read one by one.
"""

import csv
import io
import itertools
import subprocess
from datetime import UTC, datetime

import pytest

from lab import claim_pages, cli, history, scorecard
from lab.data import DATA, DataError
from lab.papers import published
from lab.papers.judging import COPY, OUT_OF_REACH

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


def test_the_account_of_the_page_is_what_the_versions_show():
    told = claim_pages.account()
    (listed, *_) = git(
        *("log", "--reverse", "--format=%cI", "--", "data/published/main_claims.csv")
    ).splitlines()
    listed = f"{datetime.fromisoformat(listed).astimezone(UTC):%Y-%m-%d %H:%M:%S}"
    older = after = gone = 0
    for row in scorecard.main_claims().itertuples():
        versions = history.versions(row.id)
        stood = [v for v in versions if v.criterion]
        older += bool(stood[0].commit) and stood[0].time < listed
        written = [stood[0]] + [
            b for a, b in itertools.pairwise(stood) if a.criterion != b.criterion
        ]
        _, rows = history.first_rows(row.paper)
        after += any(not v.commit or v.time > rows for v in written)
        names = set().union(*(v.listed for v in versions[:-1]))
        left_away = row.verdict in (COPY, OUT_OF_REACH)
        gone += len(names - (set() if left_away else versions[-1].analyses))
    assert (told["h_older"], told["h_after"], told["h_gone"]) == (older, after, gone)


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
