"""What the papers print and claim, held against what was computed, each with its
verdict.

Only files under `data/` are read::

    published/<paper>.csv      + recorded/<paper>/computed.csv -> printed()
    figures, against numbers published/claims.csv       + recorded/<paper>/verdicts.csv
    -> claims()       sentences, against evidence published/main_claims.csv  + claims()
    -> main_claims()  what each text says first
                                 recorded/<paper>/analyses.csv -> analyses()     the
                                 same under other choices
    published/amendments.csv                                   -> amendments()   what
    changed, and when published/retired.csv                                      ->
    retired()      what is judged no more

What would confirm and refute a claim is never edited. An amendment stands beside it,
with its date and whether results were known by then: another criterion; a claim that
was added; or the reason why a line is set aside and not counted. The last of a claim is
in force. A row of the left that has none on the right waits, and says so. A row of the
right that has none on the left, or stands there twice, is an error that names it.

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
from lab.papers.judging import (
    ANALYSED,
    FOUND,
    OUT_OF_REACH,
    WORDS,
    criterion_of,
    in_force,
)
from lab.record import tables

WAITING = "not yet computed"
UNJUDGED = "not yet judged"
PRINTED_VERDICTS = ("reproduced", "last digit", "differs", "out of reach", WAITING)
# What each kind of claim is counted under.
KINDS = {
    "experiments": "claims on experiments",
    "itself": "consistency with itself",
    "advice": "advice",
}
CLAIM_VERDICTS = {
    kind: (*dict.fromkeys(words), OUT_OF_REACH, UNJUDGED)
    for kind, words in WORDS.items()
}
# Not verdicts, and not counted among them: the paper does not say so; the rule decides
# nothing; a printed number is what the authors chose, not what they found.
SET_ASIDE = ("not claimed", "rule unfit", "setting")
AMENDMENTS = ("amended", "added", *SET_ASIDE)
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


_CLAIM = [
    "id",
    "paper",
    "where",
    "claim",
    "confirms",
    "refutes",
    "counts_as",
    "main",
    "lacks",
]
_AMENDMENT = [
    "id",
    "date",
    "status",
    "known",
    "confirms",
    "refutes",
    "why",
    "before",
    "after",
    "rows_first",
]
# What is said of the amendment in force, and what is recorded of a claim.
_AMENDED = ["status", "date", "known", "confirms_now", "refutes_now", "why"]
_FOUND, _ANALYSED = ["id", *FOUND], ["id", *ANALYSED]
_RETIRED = [
    "id",
    "paper",
    "where",
    "claim",
    "confirms",
    "refutes",
    "verdict",
    "data",
    "evidence",
    "version",
]

# --------------------------------------------------------------------------------------
# Files
# --------------------------------------------------------------------------------------


def _read(path, columns, content=None):
    table = read_csv(path, columns, content)
    _once(table.id, path)
    return table


def _once(ids, path):
    if twice := sorted({i for i in ids if list(ids).count(i) > 1}):
        raise DataError(f"{path} must have each id once; it repeats {', '.join(twice)}")


def _known(ids, there, path, where):
    if unknown := sorted(set(ids) - set(there)):
        raise DataError(f"{path}: {where} has no {', '.join(unknown)}")


def _known_papers(data, name, papers):
    """Refuse a file of results in the folder of a paper that nobody published anything
    of.
    """
    for path in sorted(Path(data).glob(f"recorded/*/{name}")):
        _known([path.parent.name], papers, path, Path(data) / "published")


# Files of `published/` that are no paper's.
_SHARED = (
    "claims",
    "amendments",
    "main_claims",
    "retired",
    "limits",
    "first_written",
    "second_edition",
)


def amendments(data=DATA):
    """Return every amendment that was ever made, the one in force last.

    Parameters
    ----------
    data : path-like, optional
        The folder with `published/` and `recorded/`.

    Returns
    -------
    pandas.DataFrame
        `id`, of a claim, kept or retired, or of a printed figure with its paper before
        it; `date`, `status`, `known` (whether results were known by then), `confirms`,
        `refutes`, `why`; and `before` and `after`, the verdicts that stood before the
        amendment and after it, where the history of the repository has them.
    """
    path = Path(data) / "published" / "amendments.csv"
    if not path.exists():
        return pd.DataFrame(columns=_AMENDMENT)
    table = read_csv(path, _AMENDMENT)
    _known(table.id, _ids(data), path, path.parent)
    for row in table.itertuples():
        _word(row.status, AMENDMENTS, f"{path}, {row.id}: status")
        for name in (
            "date",
            "known",
            "why",
            *(("confirms", "refutes") if row.status == "amended" else ()),
        ):
            if not getattr(row, name).strip():
                raise DataError(f"{path}, {row.id}: {name} must not be empty")
    return table


def _ids(data):
    """Return the ids of all claims, and of all printed figures with their paper before
    them.
    """
    folder = Path(data) / "published"
    ids = {
        f"{paper}/{i}"
        for paper in _papers(data)
        for i in _read(folder / f"{paper}.csv", ["id"]).id
    }
    return ids | set(_read(folder / "claims.csv", ["id"]).id) | set(retired(data).id)


def _papers(data):
    papers = sorted(
        p.stem for p in Path(data).glob("published/*.csv") if p.stem not in _SHARED
    )
    if not papers:
        raise DataError(
            f"{Path(data) / 'published'} must hold a CSV file for each paper; it has"
            " none"
        )
    return papers


def _computed(paper, data):
    """Return {id: (value or None, note)}."""
    path = Path(data) / "recorded" / paper / "computed.csv"
    if rows := tables.recorded_rows(paper, folder=path.parent, table=path.stem):
        rows = [{**row["unit"], **row["result"]} for row in rows]
        _once([str(row.get("id")) for row in rows], path)
        return {
            str(row.get("id")): (row.get("value"), str(row.get("note") or ""))
            for row in rows
        }
    content = tables.recorded_content(path.parent, path.stem)
    if content is None:
        return {}
    table = _read(path, ["id", "value", "note"], content)
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
    papers = _papers(data)
    _known_papers(data, "computed.csv", papers)
    amended = in_force(amendments(data))
    rows = []
    for paper in papers:
        path = Path(data) / "published" / f"{paper}.csv"
        published = _read(path, ["id", "where", "quantity", "unit", "printed", "note"])
        computed = _computed(paper, data)
        file = Path(data) / "recorded" / paper / "computed.csv"
        _known(computed, published.id, file, path.name)
        for row in published.itertuples():
            value, note, verdict = None, "", WAITING
            if row.id in computed:
                value, note = computed[row.id]
                try:
                    verdict = judge(row.printed, value, counted=row.unit in _COUNTED)
                except ValueError as error:
                    raise DataError(f"{file}, {row.id}: {error}") from None
                if value is None and not note:
                    raise DataError(
                        f"{file}, {row.id}: without a value, the note must say what is"
                        " missing"
                    )
            amendment = amended.get(f"{paper}/{row.id}")
            if amendment:
                verdict, note = (
                    amendment.status,
                    " ".join(filter(None, [amendment.why, note])),
                )
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
                    "note": "; ".join(filter(None, [row.note, note])),
                }
            )
    return pd.DataFrame(rows).astype({"computed": float})


def claims(data=DATA):
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
        cannot be computed; `other_analyses`, what other analyses say; `power`, what the
        data could have shown where nothing is decided; and of the amendment in force,
        all empty without one, `status`, `date`, `known`, `confirms_now`, `refutes_now`
        and `why`.
    """
    path = Path(data) / "published" / "claims.csv"
    table = _read(path, _CLAIM)[_CLAIM]
    _known(table.paper, _papers(data), path, path.parent)
    _known_papers(data, "verdicts.csv", set(table.paper))
    for row in table.itertuples():
        _word(row.counts_as, KINDS, f"{path}, {row.id}: counts_as")
    verdicts = {}
    for paper, own in table.groupby("paper"):
        file = Path(data) / "recorded" / paper / "verdicts.csv"
        content = tables.recorded_content(file.parent, file.stem)
        if content is not None:
            verdicts |= _verdicts(file, content, own.set_index("id").counts_as, path)
    unjudged = (UNJUDGED, "", "", "", "0", "", "", "", "")
    judged = pd.DataFrame(
        [verdicts.get(i, unjudged) for i in table.id], columns=_FOUND[1:]
    )
    judged = judged.astype({"intervals": int})
    last = in_force(amendments(data))
    for i, row in verdicts.items():
        _bound(i, row[_FOUND.index("criterion") - 1], last.get(i))
    amended = pd.DataFrame([_amended(last.get(i)) for i in table.id], columns=_AMENDED)
    set_aside = amended.status.isin(SET_ASIDE)
    judged.loc[set_aside, "verdict"] = amended.status[set_aside]
    judged.loc[set_aside, "intervals"] = 0
    return table.join(judged).join(amended)


def _verdicts(file, content, kinds, published):
    """Return what is recorded of one paper's claims, by id."""
    table = _read(file, _FOUND, content)
    _known(table.id, kinds.index, file, f"{published.name}, of {file.parent.name},")
    for row in table.itertuples():
        words = CLAIM_VERDICTS[kinds[row.id]][:-1]
        _word(row.verdict, words, f"{file}, {row.id}: verdict")
        _word(row.first_verdict, ("", *words), f"{file}, {row.id}: first_verdict")
        if row.verdict != OUT_OF_REACH:  # which may lack the data itself
            _word(row.data, JUDGED_ON, f"{file}, {row.id}: data")
        if not row.evidence.strip():
            raise DataError(
                f"{file}, {row.id}: evidence must be a sentence, it is empty"
            )
    return {
        row.id: tuple(getattr(row, name) for name in _FOUND[1:])
        for row in table.itertuples()
    }


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
        `first_verdict`, `criterion`, `status`, `other_analyses` and `power`.
    """
    path = Path(data) / "published" / "main_claims.csv"
    table = read_csv(path, ["paper", "n", "where", "opening", "says", "testable"])
    table = table[table.testable == "yes"][["paper", "n", "where", "opening", "says"]]
    judged = claims(data)
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
    "other_analyses",
    "power",
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
    ids, analysed = set(_read(Path(data) / "published" / "claims.csv", ["id"]).id), []
    for paper in _papers(data):
        file = Path(data) / "recorded" / paper / "analyses.csv"
        content = tables.recorded_content(file.parent, file.stem)
        if content is not None:
            analysed.append(read_csv(file, _ANALYSED, content))
            _known(analysed[-1].id, ids, file, "claims.csv")
    table = pd.concat(analysed) if analysed else pd.DataFrame(columns=_ANALYSED)
    return table.astype(dict.fromkeys(("estimate", "low", "high"), float)).reset_index(
        drop=True
    )


def retired(data=DATA):
    """Return the claims that are judged no more, with the last verdict that they had.

    Parameters
    ----------
    data : path-like, optional
        The folder with `published/` and `recorded/`.

    Returns
    -------
    pandas.DataFrame
        `id`, `paper`, `where`, `claim`, `confirms`, `refutes`, `verdict`, `data`,
        `evidence` and `version`, the commit whose code judged it. None of them is
        counted.
    """
    path = Path(data) / "published" / "retired.csv"
    return (
        _read(path, _RETIRED)[_RETIRED]
        if path.exists()
        else pd.DataFrame(columns=_RETIRED)
    )


def _bound(claim, criterion, amendment):
    """Refuse a verdict by another criterion than the one that holds."""
    holds = criterion_of(amendment)
    if criterion != holds:
        raise DataError(
            f"{claim} must be judged by the criterion"
            f" {f'amended on {holds}' if holds else 'first written'}, its verdict"
            f" follows {f'that of {criterion}' if criterion else 'the first one'};"
            " judge it again"
        )


def _amended(amendment):
    """Return the columns of an amendment, empty where there is none."""
    return [
        getattr(amendment, name.removesuffix("_now")) if amendment else ""
        for name in _AMENDED
    ]


def _word(word, words, name):
    if word not in words:
        raise DataError(
            f"{name} must be one of {', '.join(map(repr, words))}; it is {word!r}"
        )


def second_edition(data=DATA):
    """Return the verdict of every claim in the second edition and today, and why it is
    another one.

    Parameters
    ----------
    data : path-like, optional
        The folder with `published/` and `recorded/`.

    Returns
    -------
    pandas.DataFrame
        `id`; `then`; `now`, or "retired"; and `why`, empty where nothing but the word
        of its kind changed.
    """
    path = Path(data) / "published" / "second_edition.csv"
    now, gone, rows = claims(data).set_index("id"), set(retired(data).id), []
    for row in _read(path, ["id", "verdict"]).itertuples():
        if row.id in gone:
            rows.append((row.id, row.verdict, "retired", ""))
            continue
        claim = now.loc[row.id]
        same = dict(zip(WORDS["experiments"], WORDS[claim.counts_as], strict=True)).get(
            row.verdict, row.verdict
        )
        why = ""
        if same != claim.verdict:
            why = f"Lacking: {claim.lacks}" if claim.lacks else claim.why
        rows.append((row.id, row.verdict, claim.verdict, why))
    return pd.DataFrame(rows, columns=["id", "then", "now", "why"])


def first_written(data=DATA):
    """Return what the history of the repository shows of when criteria were written,
    and of the first runs.

    Parameters
    ----------
    data : path-like, optional
        The folder with `published/`.

    Returns
    -------
    pandas.DataFrame
        `paper`, `criteria` and `first_row` (times, UTC) and what is `shown`.
    """
    path = Path(data) / "published" / "first_written.csv"
    return read_csv(path, ["paper", "criteria", "first_row", "shown"])


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
    papers = _papers(data)

    def count(table, words):
        return pd.crosstab(table.paper, table.verdict).reindex(
            index=papers, columns=words, fill_value=0
        )

    figures, sentences = printed(data), claims(data)
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
    sentences = claims(data)
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
    answers = ["main", "first_verdict", "other_analyses", "power"]
    table = pd.concat([figures[columns], sentences[[*columns, *answers]]])
    table.to_csv(file, index=False, lineterminator="\n")
