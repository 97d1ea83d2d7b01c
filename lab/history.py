"""What git shows of a claim: each version of its criterion, limits, analyses and
verdict, with the commit that brought it.

Nothing here is told. A version is a commit after which one of the four is not what it
was after any of its parents. `data/published/history.csv` keeps all versions but the
last, which is the one at hand, for a page that is built where git is not.
"""

import csv
import functools
import io
import os
import subprocess
from dataclasses import dataclass

from evalkit._files import write_atomically
from lab.data import DATA, DataError
from lab.papers import published
from lab.papers.judging import AS_JUDGED

_FILES = {
    "claims": "published/claims.csv",
    "amendments": "published/amendments.csv",
    "limits": "published/limits.csv",
    "verdicts": "recorded/{paper}/verdicts.csv",
    "analyses": "recorded/{paper}/analyses.csv",
}
# What follows from rows, and is none of them.
_FOLLOWS = ("verdicts.csv", "analyses.csv", "computed.csv")
PARTS = ("criterion", "limits", "analyses", "verdict")
COLUMNS = [
    *("id", "commit", "time", "changed", "criterion", "verdict"),
    *("new", "gone", "announced"),
]


@dataclass(frozen=True)
class Version:
    """What stood in the files of a claim after a commit.

    Attributes
    ----------
    commit, time : str
        Empty for what is not committed yet; the time is that of the commit, UTC.
    criterion : tuple of (str, str, str)
        A name ("first", or the date and status of an amendment), what confirms the
        claim and what refutes it; the last is in force.
    limits, analyses : frozenset
        Rules, quantities and conditions of `limits.csv`; names of analyses with a
        result.
    verdict : (str, str)
        The word, and the criterion that it says it follows: "first", or the date of an
        amendment. Empty before the first.
    """

    commit: str
    time: str
    criterion: tuple
    limits: frozenset
    analyses: frozenset
    verdict: tuple

    def parts(self):
        """Return what makes a version: the four that may change.

        Returns
        -------
        tuple
        """
        return tuple(getattr(self, part) for part in PARTS)

    @property
    def followed(self):
        """The criterion that decided, and whether it is in the files of the commit."""
        names = {name.split()[0]: name for name, *_ in self.criterion}
        word, criterion = self.verdict
        if word and criterion not in names:
            return f"{criterion}, which stands in no file"
        return names.get(criterion) or (self.criterion[-1][0] if self.criterion else "")

    @property
    def listed(self):
        """The analyses that are named, with a result or in a limit of their own."""
        criteria = {name.split()[0] for name, *_ in self.criterion}
        own = {rule for rule, *_ in self.limits if rule} - criteria
        return self.analyses | own


def _git(*arguments, text=None):
    """Run git in the repository that holds the data, and return what it prints."""
    command = ["git", "-C", str(DATA.parent), *arguments]
    try:
        done = subprocess.run(
            command,
            input=text,
            capture_output=True,
            check=True,
            env=os.environ | {"TZ": "UTC"},
        )
    except (OSError, subprocess.CalledProcessError) as error:
        said = getattr(error, "stderr", b"").decode().strip() or error
        raise DataError(f"the history is in a clone with git: {said}") from None
    return done.stdout


def is_whole():
    """Tell whether a repository with its whole history is at hand.

    Returns
    -------
    bool
    """
    try:
        return _git("rev-parse", "--is-shallow-repository").strip() == b"false"
    except DataError:
        return False


@functools.cache
def _commits(paths):
    """Return {commit: (parents, time)} of what touches paths, parents first."""
    log = _git(
        *("log", "--full-history", "--topo-order", "--reverse"),
        *("--date=format-local:%Y-%m-%d %H:%M:%S", "--format=%H|%P|%cd", "HEAD", "--"),
        *paths,
    )
    lines = [line.split("|") for line in log.decode().splitlines()]
    return {commit: (parents.split(), time) for commit, parents, time in lines}


@functools.cache
def _contents(paths, commits):
    """Return {(commit, path): content} of files as commits left them, by one call of
    git.
    """
    asked = [(commit, path) for commit in commits for path in paths]
    text = "".join(f"{commit}:{path}\n" for commit, path in asked)
    out, found = io.BytesIO(_git("cat-file", "--batch", text=text.encode())), {}
    for name in asked:
        said = out.readline().split()
        if said[-1] != b"missing":
            found[name] = out.read(int(said[2]))
            out.read(1)
    return found


@functools.cache
def _rows(content):
    """Read a table, by claim."""
    by_claim = {}
    for row in csv.DictReader(io.StringIO(content.decode(), newline="")):
        by_claim.setdefault(row["id"], []).append(row)
    return by_claim


def _version(claim, contents, commit="", time=""):
    """Read what the files of a claim say of it."""
    found = {
        name: _rows(content).get(claim, []) if content else []
        for name, content in contents.items()
    }
    criterion = [
        ("first", f"{row['claim']} {row['confirms']}", row["refutes"])
        for row in found["claims"]
    ]
    criterion += [
        (f"{row['date']} {row['status']}", row["confirms"], row["refutes"])
        for row in found["amendments"]
    ]
    limits = {
        tuple(row[name] for name in ("rule", "quantity", "confirms", "refutes"))
        for row in found["limits"]
    }
    analyses = {row["analysis"] for row in found["analyses"]} - {AS_JUDGED}
    verdict = ("", "")
    for row in found["verdicts"]:
        verdict = row["verdict"], row.get("criterion") or "first"
    return Version(
        commit, time, tuple(criterion), frozenset(limits), frozenset(analyses), verdict
    )


def _paths(claim):
    paper, folder = claim.split("/")[0], DATA.name
    return {k: f"{folder}/{name}".format(paper=paper) for k, name in _FILES.items()}


def versions(claim):
    """Return every version of a claim, oldest first, and last the one at hand.

    Parameters
    ----------
    claim : str

    Returns
    -------
    list of Version
        The last has no commit if the files at hand are not committed.

    Raises
    ------
    DataError
        Without git, or a repository; for an id that no claim has.
    """
    published.known([claim], published.claims(), "claims", "published/claims.csv")
    paths = _paths(claim)
    commits = _commits(tuple(paths.values()))
    every = dict.fromkeys([*commits, *(p for ps, _ in commits.values() for p in ps)])
    contents = _contents(tuple(paths.values()), tuple(every))

    def after(commit, time=""):
        at = {name: contents.get((commit, path)) for name, path in paths.items()}
        return _version(claim, at, commit, time)

    found = []
    for commit, (parents, time) in commits.items():
        version = after(commit, time)
        before = [after(parent).parts() for parent in parents]
        # Two branches may bring the same; it is told once.
        before += [found[-1].parts()] if found else []
        if version.parts() not in before and (before or version.criterion):
            found.append(version)
    root = DATA.parent
    at_hand = {
        name: (root / path).read_bytes() if (root / path).exists() else None
        for name, path in paths.items()
    }
    now = _version(claim, at_hand)
    if not found or now.parts() != found[-1].parts():
        found.append(now)
    return found


def first_rows(paper):
    """Return the first commit with rows of a paper's runs, and its time.

    Parameters
    ----------
    paper : str

    Returns
    -------
    commit, time : str
    """
    folder = f"{DATA.name}/recorded/{paper}"
    but = tuple(f":(exclude){folder}/{name}" for name in _FOLLOWS)
    commits = _commits((f":(glob){folder}/*.csv", *but))
    commit = min(commits, key=lambda commit: commits[commit][1])
    return commit, commits[commit][1]


def table():
    """Return the history of all claims as rows: every version but the one at hand.

    Returns
    -------
    list of dict
        By the names of `COLUMNS`: what `changed`; the `criterion` that the `verdict`
        follows; analyses that are `new`, those that are `gone`, and those that are
        `announced`: named, and without a result. First a row for each paper: when the
        first rows of its runs came; and one for the list of main claims.
    """
    rows = []
    for paper in published.papers():
        commit, time = first_rows(paper)
        rows.append(
            {"id": paper, "commit": commit[:10], "time": time, "changed": "rows"}
        )
    (commit, (_, time)), *_ = _commits(
        (f"{DATA.name}/published/main_claims.csv",)
    ).items()
    listed = {"id": "main claims", "commit": commit[:10], "time": time}
    rows.append(listed | {"changed": "listed"})
    for claim in published.claims():
        before = None
        for version in versions(claim)[:-1]:
            rows.append(_row(claim, version, before))
            before = version
    return rows


def _row(claim, version, before):
    listed = before.listed if before else frozenset()
    return {
        "id": claim,
        "commit": version.commit[:10],
        "time": version.time,
        "changed": " ".join(
            part
            for part in PARTS
            if any(getattr(version, part))
            and (before is None or getattr(version, part) != getattr(before, part))
        ),
        "criterion": version.followed,
        "verdict": version.verdict[0],
        "new": "; ".join(sorted(version.listed - listed)),
        "gone": "; ".join(sorted(listed - version.listed)),
        "announced": "; ".join(sorted(version.listed - version.analyses)),
    }


def told(claim):
    """Write the history of a claim, a paragraph for each version.

    Parameters
    ----------
    claim : str

    Returns
    -------
    str
    """
    commit, time = first_rows(claim.split("/")[0])
    blocks, before = [f"{claim}\nfirst rows of its paper: {time} {commit[:10]}"], None
    for version in versions(claim):
        row = _row(claim, version, before)
        lines = [
            f"{row['time']} {row['commit']}" if row["commit"] else "not committed",
            f"  changed: {row['changed']}",
        ]
        if before is None or version.criterion != before.criterion:
            lines += [
                f"  criterion, {name}: {confirms}\n    refuted by: {refutes}"
                for name, confirms, refutes in version.criterion
                if before is None or (name, confirms, refutes) not in before.criterion
            ]
        if before is None or version.limits != before.limits:
            lines += [
                f"  limit of {rule or 'the first rule'}: {quantity}: {confirms or '-'};"
                f" refuted by {refutes or '-'}"
                for rule, quantity, confirms, refutes in sorted(version.limits)
            ]
        if row["verdict"]:
            lines += [f"  verdict: {row['verdict']} (by {row['criterion']})"]
        lines += [f"  {key}: {row[key]}" for key in ("new", "gone")]
        blocks.append("\n".join(line for line in lines if line.split(": ")[-1]))
        before = version
    return "\n\n".join(blocks)


def write():
    """Write the table that the scorecard's page reads."""
    content = io.StringIO(newline="")
    writer = csv.DictWriter(content, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(table())
    write_atomically(DATA / "published" / "history.csv", content.getvalue().encode())
