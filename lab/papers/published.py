"""What is published of the papers: what they print, what they claim, by which rules a
claim is judged, and what was amended.

Here alone these files of `data/published/` are read. What would confirm and refute a
claim is never edited. An amendment stands beside it, with its date and whether results
were known by then: another criterion; a claim that was added; or the reason why a line
is set aside and not counted. The last of a claim is in force.
"""

import csv
import functools
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from lab.data import DATA, DataError
from lab.data.files import read_csv

FIRST = ""  # the name of the criterion as it was first written
# Not verdicts, and not counted among them: the paper does not say so; the rule decides
# nothing; a printed number is what the authors chose, not what they found.
SET_ASIDE = ("not claimed", "rule unfit", "setting")
_STATUSES = ("amended", "added", *SET_ASIDE)

# What stands in each file, by its columns: `check` holds the files to it, and the page
# "The record" follows one claim through them.
SCHEMA = {
    "PAPER.csv": {
        "id": "of a printed figure: its table, row and column",
        "where": "in the paper",
        "quantity": "what is measured",
        "unit": "of it",
        "printed": "as it stands there",
        "note": "what a reader has to know",
        "copy": "whether our copy of it is second hand",
    },
    "claims.csv": {
        "id": "paper/claim",
        "paper": "a file PAPER.csv",
        "where": "in the paper",
        "claim": "what it says, in our words",
        "short": "the same on the scorecard, of main claims alone",
        "confirms": "the criterion as it was first written, and is never edited",
        "refutes": "the same",
        "counts_as": "experiments, itself, a choice or advice: whose verdicts it has",
        "main": "the sentences of main_claims.csv that it is judged for",
        "lacks": "what is missing, of what is out of reach",
        "copy": "what our copy of the text has lost",
    },
    "amendments.csv": {
        "id": "of the claim, or the printed figure",
        "date": "of the amendment: the name of its criterion",
        "status": "amended, added, or why it is not counted",
        "known": "whether results were known by then",
        "confirms": "the criterion that is in force from then on",
        "refutes": "the same",
        "why": "the reason",
    },
    "limits.csv": {
        "id": "of the claim",
        "rule": "empty for the first criterion, the date of an amendment, an analysis",
        "quantity": "as the paper's code names it; a star stands for any end",
        "confirms": "low, high or estimate, a sign, a number",
        "refutes": "the same",
        "no_effect": "what the quantity is where there is none",
        "chosen_by": "whose number the limit is",
    },
    "main_claims.csv": {
        "paper": "a file PAPER.csv",
        "n": "of the sentence; 2a and 2b are two claims of one",
        "where": "in the paper",
        "opening": "its first words",
        "says": "what it claims, by a reader who knew no verdict",
        "testable": "yes, no, or dropped",
        "kind": "experiments, internal or advice",
        "reason": "why it can be tested, or not",
    },
}
FIGURE, CLAIM, _AMENDMENT, LIMIT, MAIN = map(list, SCHEMA.values())
# Of the amendment in force; what it asks for has another name than what was first
# written.
AMENDED = {name: name for name in ("status", "date", "known", "why")} | {
    "confirms": "confirms_now",
    "refutes": "refutes_now",
}
# Files that are no paper's.
_SHARED = ("claims", "amendments", "main_claims", "limits", "history")

_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_DATED = re.compile(r", \d{1,4}[./-]\d{1,2}[./-]\d{1,4}$")  # however it is written
_CHOSEN_BY = ("", "the paper", "the book", "no effect")
_CONDITION = re.compile(r"(low|high|estimate) (<|>|<=|>=) (-?\d+(?:\.\d+)?(?:e-?\d+)?)")


@dataclass(frozen=True)
class Limit:
    """Which end of an interval must lie on which side of a limit.

    Attributes
    ----------
    name : str
        Of the quantity; with a star at its end, of all quantities whose names begin so.
    confirms, refutes : tuple of (str, str, float), or None
        An end ("low", "high" or "estimate"), a sign and a number.
    no_effect : float, or None
        What the quantity is where there is no effect; None where nothing is drawn.
    chosen_by : str
        Whose number the limit is: "the paper" or "the book".
    """

    name: str
    confirms: tuple | None
    refutes: tuple | None
    no_effect: float | None = None
    chosen_by: str = ""

    def fits(self, name):
        """Tell whether a quantity of that name is meant.

        Parameters
        ----------
        name : str

        Returns
        -------
        bool
        """
        return (
            name.startswith(self.name[:-1])
            if self.name.endswith("*")
            else name == self.name
        )

    @property
    def numbers(self):
        """The limits, as numbers."""
        return [
            condition[2] for condition in (self.confirms, self.refutes) if condition
        ]


@dataclass(frozen=True)
class Claim:
    """What is published of a claim.

    Attributes
    ----------
    kind : str
        A key of `lab.papers.judging.WORDS`.
    lacks : str
        What is missing of what is out of reach; empty for all others.
    copy : str
        What our copy of the text has lost and the claim needs; empty for all others.
    amended : str
        The name of the criterion in force: the date of its amendment, or `FIRST`.
    said : dict of str to str
        The columns of `claims.csv`, and those of `AMENDED`, empty without an amendment.
    """

    kind: str
    lacks: str = ""
    copy: str = ""
    amended: str = FIRST
    said: dict = field(default_factory=dict)


def read(path, columns, content=None):
    """Read a table whose rows have an id each.

    Parameters
    ----------
    path : path-like
    columns : list of str
    content : bytes, optional
        As `lab.data.files.read_csv` takes them.

    Returns
    -------
    pandas.DataFrame
    """
    table = read_csv(path, columns, content)
    once(table.id, path)
    return table


def once(ids, path):
    """Refuse ids that stand in a file twice.

    Parameters
    ----------
    ids : iterable of str
    path : path-like
    """
    if twice := sorted(i for i, count in Counter(ids).items() if count > 1):
        raise DataError(f"{path} must have each id once; it repeats {', '.join(twice)}")


def known(ids, there, path, where):
    """Refuse ids that nothing is published of.

    Parameters
    ----------
    ids, there : iterable of str
    path, where : path-like
        The file that has them, and the one that should.
    """
    if unknown := sorted(set(ids) - set(there)):
        raise DataError(f"{path}: {where} has no {', '.join(unknown)}")


def one_of(word, words, name):
    """Refuse a word that is none of those that a column may have.

    Parameters
    ----------
    word : str
    words : iterable of str
    name : str
        Of the file, the row and the column.
    """
    if word not in words:
        raise DataError(
            f"{name} must be one of {', '.join(map(repr, words))}; it is {word!r}"
        )


def papers(data=DATA):
    """Return the names of the papers of which something is published.

    Parameters
    ----------
    data : path-like, optional
        The folder with `published/`.

    Returns
    -------
    list of str
    """
    folder = Path(data) / "published"
    if found := sorted(p.stem for p in folder.glob("*.csv") if p.stem not in _SHARED):
        return found
    raise DataError(f"{folder} must hold a CSV file for each paper; it has none")


def amendments(data=DATA):
    """Return every amendment that was ever made, the one in force last.

    Parameters
    ----------
    data : path-like, optional
        The folder with `published/`.

    Returns
    -------
    pandas.DataFrame
        `id`, of a claim, or of a printed figure with its paper before it; `date`,
        `status`, `known` (whether results were known by then), `confirms`, `refutes`
        and `why`.
    """
    folder = Path(data) / "published"
    path, ids = folder / "amendments.csv", set(read(folder / "claims.csv", ["id"]).id)
    for paper in papers(data):
        ids |= {f"{paper}/{i}" for i in read(folder / f"{paper}.csv", ["id"]).id}
    table = read_csv(path, _AMENDMENT)
    known(table.id, ids, path, folder)
    for row in table.itertuples():
        one_of(row.status, _STATUSES, f"{path}, {row.id}: status")
        asked = ("confirms", "refutes") if row.status == "amended" else ()
        for name in ("date", "known", "why", *asked):
            if not getattr(row, name).strip():
                raise DataError(f"{path}, {row.id}: {name} must not be empty")
    return table


def in_force(data=DATA):
    """Return the amendment in force of each id: its last.

    Parameters
    ----------
    data : path-like, optional
        The folder with `published/`.

    Returns
    -------
    dict of str to named tuple
    """
    return {row.id: row for row in amendments(data).itertuples()}


def claims(data=DATA):
    """Read the claims, by id.

    Parameters
    ----------
    data : path-like, optional
        The folder with `published/`.

    Returns
    -------
    dict of str to Claim
    """
    path = Path(data) / "published" / "claims.csv"
    table, amended = read(path, CLAIM), in_force(data)
    known(table.paper, papers(data), path, path.parent)
    found = {}
    for row in table.itertuples():
        last = amended.get(row.id)
        said = {column: getattr(row, column) for column in CLAIM}
        said |= {to: getattr(last, name, "") for name, to in AMENDED.items()}
        criterion = last.date if last and last.status == "amended" else FIRST
        found[row.id] = Claim(row.counts_as, row.lacks, row.copy, criterion, said)
    return found


@functools.cache
def limits(data=DATA):
    """Read the limits of all claims.

    Parameters
    ----------
    data : path-like, optional
        The folder with `published/`.

    Returns
    -------
    dict of str to dict of str to list of Limit
        By claim and rule: `FIRST`, a date, which is that of an amendment; another name
        is that of an analysis which has limits of its own.
    """
    path = Path(data) / "published" / "limits.csv"
    by_claim = {}
    for row in read_csv(path, LIMIT).itertuples():
        where = f"{path}, {row.id}, {row.quantity}:"
        limit = Limit(
            row.quantity,
            *(_condition(text, where) for text in (row.confirms, row.refutes)),
            _number(row.no_effect, where),
            row.chosen_by,
        )
        by_claim.setdefault(row.id, {}).setdefault(row.rule, []).append(limit)
    return by_claim


def _number(text, where):
    try:
        return float(text) if text else None
    except ValueError:
        raise DataError(f"{where} no_effect must be a number; it is {text!r}") from None


def _condition(text, where):
    if not text:
        return None
    if not (parts := _CONDITION.fullmatch(text)):
        raise DataError(f'{where} must be like "low > 0.25"; it is {text!r}')
    return parts[1], parts[2], float(parts[3])


def check(data=DATA):
    """Hold the published files to `SCHEMA`, and to each other.

    Parameters
    ----------
    data : path-like, optional
        The folder with `published/`.

    Raises
    ------
    DataError
        That names the file and the row: a column or a word that there is not, an id
        that nothing is published of, a limit that belongs to no criterion.
    """
    folder, there = Path(data) / "published", claims(data)
    columns = dict.fromkeys((f"{paper}.csv" for paper in papers(data)), FIGURE)
    columns |= {name: [*of] for name, of in SCHEMA.items() if name != "PAPER.csv"}
    tables = {name: read_csv(folder / name, of) for name, of in columns.items()}
    for name, table in tables.items():
        lines = csv.reader((folder / name).read_text(encoding="utf-8").splitlines(True))
        for line in lines:
            if len(line) != len(table.columns):
                raise DataError(
                    f"{folder / name}, line {lines.line_num}: a field is missing"
                )
    path = folder / "main_claims.csv"
    known(tables[path.name].paper, papers(data), path, folder)
    path, amended = folder / "amendments.csv", tables["amendments.csv"]
    for name, of in amended.groupby("id"):
        if not (of.date.is_monotonic_increasing and of.date.map(_DATE.fullmatch).all()):
            raise DataError(f"{path}, {name}: dates are like 2026-11-29, and in order")
    dated, path = set(amended.id + ", " + amended.date), folder / "limits.csv"
    for row in tables["limits.csv"].itertuples():
        one_of(row.chosen_by, _CHOSEN_BY, f"{path}, {row.id}: chosen_by")
    known(limits(data), there, path, "claims.csv")
    rules = {f"{name}, {rule}" for name, of in limits(data).items() for rule in of}
    known(filter(_DATED.search, rules), dated, path, "amendments.csv")
