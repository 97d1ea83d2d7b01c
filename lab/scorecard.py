"""What the papers print and claim, held against what was computed, each with its
verdict.

Only files under `data/` are read; those of `published/` by `lab.papers.published`::

    published/<paper>.csv  + recorded/<paper>/computed.csv -> printed()      figures
    published/claims.csv   + recorded/<paper>/verdicts.csv -> verdicts()     claims
    published/main_claims.csv + verdicts()                 -> main_claims()  the first
                             recorded/<paper>/analyses.csv -> analyses()

A row of the left that has none on the right waits, and says so. A row of the right that
has none on the left, or stands there twice, is an error that names it.

`computed.csv` is a table that `runs.export` wrote, of units or of what follows from
them, with `id`, `value` (absent if it is out of reach) and `note` (what is missing, or
why a value differs). `verdicts.csv` and `analyses.csv` are what
`lab.papers.judging.Judges.findings` returns.
"""

import math
import re
from decimal import Decimal
from numbers import Real
from pathlib import Path

import pandas as pd

from lab.data import DATA, DataError
from lab.data.files import read_csv
from lab.papers import published
from lab.papers.judging import ANALYSED, COPY, FOUND, OUT_OF_REACH, WORDS
from lab.papers.published import AMENDED, CLAIM, SET_ASIDE, known, one_of
from lab.record import tables

WAITING = "not yet computed"
UNJUDGED = "not yet judged"
PRINTED_VERDICTS = (
    *("reproduced", "last digit", "differs", "out of reach", COPY, WAITING),
)
# What each kind of claim is counted under.
KINDS = {
    "experiments": "claims on experiments",
    "itself": "consistency with itself",
    "advice": "advice",
}
CLAIM_VERDICTS = {
    kind: (*dict.fromkeys(words), OUT_OF_REACH, COPY, UNJUDGED)
    for kind, words in WORDS.items()
}
# What a claim can be judged on.
JUDGED_ON = ("own run", "released data", "exact", "printed figures")

# Units of numbers that were counted: one off is another count, not another rounding.
_COUNTED = (
    "bins",
    "documents",
    "draws",
    "papers",
    "partitions",
    "runs",
    "samples",
    "settings",
)
# What else than a word a paper can print; the commas part thousands.
_NUMBER = re.compile(r"-?(\d+|\d{1,3}(,\d{3})+)(\.\d+)?(e[+-]?\d+)?", re.IGNORECASE)
# Of the last printed digit: sums in binary end in noise, which must not decide at the
# edge.
_NOISE = Decimal("1e-6")


def _number(printed):
    return Decimal(printed.replace(",", "")) if _NUMBER.fullmatch(printed) else None


def _unit(number):
    return Decimal(1).scaleb(number.as_tuple().exponent)


def judge(printed, computed, *, counted=False):
    """Return the verdict of a computed value on what a paper prints.

    Parameters
    ----------
    printed : str
        As it is printed: trailing zeros count. A word ("qualitative", "exact") stands
        for a statement.
    computed : float or None
        In the unit of the printed number; for a word, 1 if the statement holds and 0 if
        it does not.
    counted : bool, default False
        Whether the number was counted: such a one is the same or differs.

    Returns
    -------
    {"reproduced", "last digit", "differs", "out of reach"}

    Notes
    -----
    A number is reproduced if the computed value, rounded to the printed digits, is the
    printed one. Half a unit of the last digit may be rounded to either side: papers
    round half up, half to even, or as the binary fraction falls. One unit off, after
    rounding, is the last digit.

    Examples
    --------
    >>> judge("0.550", 0.5499), judge("0.550", 0.5488), judge("0.55", 0.53)
    ('reproduced', 'last digit', 'differs')
    """
    if computed is None:
        return "out of reach"
    if not isinstance(computed, Real) or not math.isfinite(computed):
        raise ValueError(
            f"computed must be a finite number or absent, got {computed!r}"
        )
    number = _number(printed)
    if number is None:
        if computed not in (0, 1):
            raise ValueError(
                f"computed must be 1 (holds) or 0 (does not), for {printed!r} is no"
                f" number; got {computed!r}"
            )
        return "reproduced" if computed else "differs"
    # repr: the shortest decimal that reads back as the same double.
    value = Decimal(
        repr(float(computed)) if isinstance(computed, float) else int(computed)
    )
    off = abs(value - number) / _unit(number) - _NOISE
    if off <= Decimal("0.5"):
        return "reproduced"
    return "last digit" if off <= Decimal("1.5") and not counted else "differs"


def show(printed, computed):
    """Write a computed value with two digits more than the paper prints: enough to see
    its verdict.

    Parameters
    ----------
    printed : str
    computed : float or None

    Returns
    -------
    str
        Empty without a value; for a word "holds" or "does not hold".
    """
    if computed is None or math.isnan(computed):
        return ""
    number = _number(printed)
    if number is None:
        return "holds" if computed else "does not hold"
    if float(computed).is_integer() and number == number.to_integral_value():
        return f"{int(computed)}"
    # A printout of a computer has more than it knows.
    digits = min(max(2 - number.as_tuple().exponent, 0), 8)
    return f"{computed:.{digits}f}"


# --------------------------------------------------------------------------------------
# What is recorded
# --------------------------------------------------------------------------------------


def _recorded(name, data):
    """Yield the path of a table of each paper that has it, the paper and its content; a
    paper of which nothing is published is refused.
    """
    there = published.papers(data)
    for path in sorted(Path(data).glob(f"recorded/*/{name}.csv")):
        paper = path.parent.name
        known([paper], there, path, Path(data) / "published")
        if (content := tables.recorded_content(path.parent, name)) is not None:
            yield path, paper, content


def _computed(path, paper, content):
    """Return {id: (value or None, note)}."""
    if rows := tables.recorded_rows(paper, folder=path.parent, table=path.stem):
        rows = [{**row["unit"], **row["result"]} for row in rows]
        published.once([str(row.get("id")) for row in rows], path)
        return {
            str(row.get("id")): (row.get("value"), str(row.get("note") or ""))
            for row in rows
        }
    table = published.read(path, ["id", "value", "note"], content)
    try:
        values = [float(value) if value else None for value in table.value]
    except ValueError as error:
        raise DataError(f"{path} must have numbers as values: {error}") from None
    return dict(zip(table.id, zip(values, table.note, strict=True), strict=True))


# --------------------------------------------------------------------------------------
# Tables
# --------------------------------------------------------------------------------------


def printed(data=DATA):
    """Return what the papers print, beside what was computed for it.

    Parameters
    ----------
    data : path-like, optional
        The folder with `published/` and `recorded/`.

    Returns
    -------
    pandas.DataFrame
        One row for each printed figure: `paper`, `id`, `quantity`, `where`, `unit`,
        `printed` (text), `computed` (NaN if absent), `verdict` (or the status of what
        is set aside) and `note`, on what is printed and on what was computed.
    """
    computed = {
        paper: (path, _computed(path, paper, content))
        for path, paper, content in _recorded("computed", data)
    }
    amended, rows = published.in_force(data), []
    for paper in published.papers(data):
        path = Path(data) / "published" / f"{paper}.csv"
        figures = published.read(path, published.FIGURE)
        file, found = computed.get(paper, (None, {}))
        known(found, figures.id, file, path.name)
        for row in figures.itertuples():
            value, note = found.get(row.id, (None, ""))
            verdict = WAITING
            if row.id in found:
                verdict = _judged(f"{file}, {row.id}", row, value, note)
            if row.copy:
                verdict = COPY
            if amendment := amended.get(f"{paper}/{row.id}"):
                verdict = amendment.status
                note = f"{amendment.why} {note}".strip()
            rows.append(
                {
                    "paper": paper,
                    "id": row.id,
                    "quantity": row.quantity,
                    "where": row.where,
                    "unit": row.unit,
                    "printed": row.printed,
                    "computed": math.nan if value is None else value,
                    "verdict": verdict,
                    "note": "; ".join(filter(None, [row.copy, row.note, note])),
                }
            )
    return pd.DataFrame(rows).astype({"computed": float})


def _judged(where, figure, value, note):
    """Return the verdict of a computed value on a printed figure."""
    if value is None and not note:
        raise DataError(f"{where}: without a value, the note must say what is missing")
    try:
        return judge(figure.printed, value, counted=figure.unit in _COUNTED)
    except ValueError as error:
        raise DataError(f"{where}: {error}") from None


def verdicts(data=DATA):
    """Return what the papers claim, with what was found.

    Parameters
    ----------
    data : path-like, optional
        The folder with `published/` and `recorded/`.

    Returns
    -------
    pandas.DataFrame
        One row for each claim: `id`, `paper`, `where`, `claim`, `confirms`, `refutes`,
        as they were first written; `counts_as`, a key of `KINDS`; `main`, the numbers
        of the main claims that it stands for; `lacks`, what is missing of what is out
        of reach; `verdict`, or the status of a claim that is set aside; `data` (what it
        was judged on), `evidence` and `monte_carlo` (the error of what was drawn, if
        anything was), all three empty while nobody has judged it; `intervals`, how many
        were held against a limit; `criterion`, the date of the amendment that was
        followed; `first_verdict`, by the criterion as first written, empty where that
        cannot be computed; and of the amendment in force, all empty without one,
        `status`, `date`, `known`, `confirms_now`, `refutes_now` and `why`.
    """
    of_claims, found = published.claims(data), {}
    for i, claim in of_claims.items():
        one_of(claim.kind, KINDS, f"published/claims.csv, {i}: counts_as")
    for path, paper, content in _recorded("verdicts", data):
        table = published.read(path, ["id", *FOUND], content)
        own = {i: c for i, c in of_claims.items() if c.said["paper"] == paper}
        known(table.id, own, path, f"claims.csv, of {paper},")
        for row in table.to_dict("records"):
            _check_verdict(row, own[row["id"]], f"{path}, {row['id']}")
            found[row["id"]] = {column: row[column] for column in FOUND}
    waiting = {**dict.fromkeys(FOUND, ""), "verdict": UNJUDGED, "intervals": "0"}
    rows = []
    for i, claim in of_claims.items():
        row = claim.said | found.get(i, waiting)
        if row["status"] in SET_ASIDE:
            row |= {"verdict": row["status"], "intervals": "0"}
        rows.append(row)
    table = pd.DataFrame(rows, columns=[*CLAIM, *FOUND, *AMENDED.values()])
    return table.astype({"intervals": int})


def _check_verdict(row, claim, where):
    """Refuse a recorded verdict that is none, or follows another criterion than the one
    that holds.
    """
    words = CLAIM_VERDICTS[claim.kind][:-1]
    one_of(row["verdict"], words, f"{where}: verdict")
    one_of(row["first_verdict"], ("", *words), f"{where}: first_verdict")
    if row["verdict"] not in (OUT_OF_REACH, COPY):  # which may lack the data itself
        one_of(row["data"], JUDGED_ON, f"{where}: data")
    if not row["evidence"].strip():
        raise DataError(f"{where}: evidence must be a sentence, it is empty")
    if row["criterion"] != claim.amended:
        holds, followed = (
            f"amended on {date}" if date else "first written"
            for date in (claim.amended, row["criterion"])
        )
        raise DataError(
            f"{where} must be judged by the criterion {holds}, its verdict follows the"
            f" one {followed}; judge it again"
        )


def main_claims(data=DATA):
    """Return what each text says first, as a reader listed it who had not seen a
    verdict.

    Parameters
    ----------
    data : path-like, optional
        The folder with `published/` and `recorded/`.

    Returns
    -------
    pandas.DataFrame
        One row for each sentence of the list that can be tested: `paper`, its number
        `n`, `where` it stands, its `opening` words, what it `says`, the `id` of the
        claim that is judged for it, and of that claim `counts_as`, `verdict`,
        `first_verdict`, `criterion` and `status`.
    """
    path = Path(data) / "published" / "main_claims.csv"
    table = read_csv(path, ["paper", "n", "where", "opening", "says", "testable"])
    table = table[table.testable == "yes"][["paper", "n", "where", "opening", "says"]]
    judged = verdicts(data)
    named = [
        (row.paper, n, row.id, *(getattr(row, column) for column in _ANSWERS))
        for row in judged.itertuples()
        for n in row.main.split()
    ]
    named = pd.DataFrame(named, columns=["paper", "n", "id", *_ANSWERS])
    listed, mapped = (set(zip(t.paper, t.n, strict=True)) for t in (table, named))
    if odd := sorted(listed ^ mapped) or sorted(
        named[named.duplicated(["paper", "n"])].n
    ):
        raise DataError(
            f"{path}: each sentence must be the main claim of one claim; see {odd}"
        )
    return table.merge(named, on=["paper", "n"], how="left")


_ANSWERS = [
    "counts_as",
    "verdict",
    "first_verdict",
    "criterion",
    "status",
]


def analyses(data=DATA):
    """Return what each claim looks like under other analyses that one could defend.

    Parameters
    ----------
    data : path-like, optional
        The folder with `published/` and `recorded/`.

    Returns
    -------
    pandas.DataFrame
        `id` of the claim; `analysis`, first the one that judges; `quantity`, its
        `estimate`, `low` and `high`, and the `verdict` of that analysis.
    """
    analysed = [pd.DataFrame(columns=["id", *ANALYSED])]
    for path, _, content in _recorded("analyses", data):
        analysed.append(read_csv(path, ["id", *ANALYSED], content))
        known(analysed[-1].id, published.claims(data), path, "claims.csv")
    ends = dict.fromkeys(("estimate", "low", "high"), float)
    return pd.concat(analysed).astype(ends).reset_index(drop=True)


def counts(data=DATA):
    """Count the verdicts of each paper, each kind of thing apart.

    Parameters
    ----------
    data : path-like, optional
        The folder with `published/` and `recorded/`.

    Returns
    -------
    pandas.DataFrame
        One row for each paper. The columns have two levels: a value of `KINDS`, or
        "printed figures", and the verdict, also one that nothing has; under "set aside"
        stands what is not counted there.
    """
    papers = published.papers(data)

    def count(table, words):
        return pd.crosstab(table.paper, table.verdict).reindex(
            index=papers, columns=words, fill_value=0
        )

    figures, sentences = printed(data), verdicts(data)
    kinds = {
        name: count(sentences[sentences.counts_as == kind], CLAIM_VERDICTS[kind])
        for kind, name in KINDS.items()
    }
    both = pd.concat([figures[["paper", "verdict"]], sentences[["paper", "verdict"]]])
    return pd.concat(
        {
            **kinds,
            "printed figures": count(figures, PRINTED_VERDICTS),
            "set aside": count(both, SET_ASIDE),
        },
        axis=1,
    )


def to_csv(file, data=DATA):
    """Write the whole scorecard as CSV: the printed figures, then the claims.

    Parameters
    ----------
    file : path-like or text file
    data : path-like, optional
        The folder with `published/` and `recorded/`.

    Notes
    -----
    A claim stands under `quantity`, its evidence under `computed`, and under `note`
    what it was judged on and how well what was drawn is known.
    """
    columns = [
        "paper",
        "id",
        "quantity",
        "printed",
        "computed",
        "verdict",
        "note",
        "counts_as",
    ]
    figures = printed(data).assign(counts_as="printed figure")
    # As text, so that a number stands in the file with all its digits beside a
    # sentence.
    figures["computed"] = [
        "" if math.isnan(v) else repr(int(v) if v.is_integer() else v)
        for v in figures.computed
    ]
    sentences = verdicts(data)
    sentences = sentences.assign(
        quantity=sentences.claim,
        printed="",
        computed=sentences.evidence,
        note=[
            "; ".join(filter(None, notes))
            for notes in zip(
                sentences.lacks, sentences.data, sentences.monte_carlo, strict=True
            )
        ],
    )
    answers = ["main", "first_verdict"]
    table = pd.concat([figures[columns], sentences[[*columns, *answers]]])
    table.to_csv(file, index=False, lineterminator="\n")
