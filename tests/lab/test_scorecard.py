"""The scorecard: when a computed value is the printed one, and what becomes of files
that do not fit.
"""

import io
import math
import re
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

import pandas as pd
import pytest
from faults.toy import reseal
from grids import grid
from hypothesis import given
from hypothesis import strategies as st

from lab import cli, scorecard
from lab.data import DATA, DataError
from lab.data.files import read_csv
from lab.papers import published
from lab.papers.judging import COPY
from lab.record import environment, runs
from lab.record.experiment import Experiment

# --------------------------------------------------------------------------------------
# A folder of data
# --------------------------------------------------------------------------------------

PUBLISHED = """\
id,where,quantity,unit,printed,note,copy
mean,Table 1,mean accuracy,percent,0.550,,
runs,Section 2,runs,runs,"5,000",6000 in a caption,
sd,Table 1,SD,percent,0.67,,
ordering,Figure 1,A is above B,,qualitative,,
lost,Table 2,accuracy on the lost set,percent,68,,
later,Table 2,"accuracy, later",percent,-1.5,,
"""
CLAIMS = """\
id,paper,where,claim,short,confirms,refutes,counts_as,main,lacks,copy
doe2020/varies,doe2020,Section 1,"It varies, a lot.",,SD above 1.,SD below 1.,experiments,1a 2,,
doe2020/helps,doe2020,Section 2,A <b>helps</b>.,,A above B.,B above A.,advice,,,
doe2020/fast,doe2020,Section 3,It is fast.,,Under a second.,Over a minute.,itself,1b,,
"""
MAIN = """\
paper,n,where,opening,says,testable,kind,reason
doe2020,1a,abstract,It varies,It varies.,yes,experiments,So.
doe2020,1b,abstract,and it is,It is fast.,yes,experiments,So.
doe2020,2,abstract,We show,They show it.,yes,experiments,So.
doe2020,3,abstract,Our code,There is code.,no,experiments,So.
"""
ANALYSES = """\
id,analysis,quantity,estimate,low,high,verdict
doe2020/varies,as judged,SD,2.1,1.8,2.6,replicated
doe2020/varies,other text,SD,0.5,0.4,0.6,not replicated
"""
COMPUTED = [
    {"id": "mean", "value": 0.5496},
    {"id": "runs", "value": 4999, "note": "one run was lost"},
    {"id": "sd", "value": 0.71, "note": "ddof"},
    {"id": "ordering", "value": 1},
    {"id": "lost", "note": "the set was never released"},
]
VERDICTS = """\
id,verdict,data,evidence,monte_carlo,intervals,criterion,first_verdict
doe2020/varies,replicated,own run,"The SD is 2.1, 95 % interval 1.8 to 2.6.",300 draws,2,,replicated
doe2020/helps,cannot say,released data,The interval of the difference holds 0.,,1,,cannot say
"""


PAPER = Experiment("doe2020", compared={}, plan=lambda scale, rows: [], tables={})


def record(data, rows, table="computed", keys=("id",)):
    rows = [
        {
            "unit": {"table": table, **{k: r[k] for k in keys}},
            "result": {**{k: v for k, v in r.items() if k not in keys}, "seconds": 0.0},
            "environment": environment.environment(),
            "finished": "2026-01-01T00:00:00+00:00",
        }
        for r in rows
    ]
    runs.export(PAPER, rows, data / "recorded" / "doe2020")


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    if (path.parent / "provenance.json").exists():
        reseal(path.parent)


def made(tmp_path):
    """Return a folder with a paper that has been looked at, and one that has not."""
    write(tmp_path / "published/doe2020.csv", PUBLISHED)
    write(
        tmp_path / "published/roe2021.csv",
        "id,where,quantity,unit,printed,note,copy\nall,Table 1,all,,1,,\n",
    )
    write(tmp_path / "published/claims.csv", CLAIMS)
    write(tmp_path / "published/amendments.csv", AMENDMENTS.splitlines()[0] + "\n")
    write(tmp_path / "published/limits.csv", f"{','.join(published.LIMIT)}\n")
    record(tmp_path, COMPUTED)
    write(tmp_path / "published/main_claims.csv", MAIN)
    write(tmp_path / "recorded/doe2020/verdicts.csv", VERDICTS)
    write(tmp_path / "recorded/doe2020/analyses.csv", ANALYSES)
    return tmp_path


@pytest.fixture
def data(tmp_path):
    return made(tmp_path)


# --------------------------------------------------------------------------------------
# The schema of what is published
# --------------------------------------------------------------------------------------

AMENDED, MORE = "doe2020/varies,2026-01-0", "amended,yes,Above 1.,Below 1.,So.\n"


def test_what_is_published_fits_its_schema():
    published.check()
    for name, columns in published.SCHEMA.items():
        for path in (DATA / "published").glob(name.replace("PAPER", "*20??")):
            head = path.read_text(encoding="utf-8").partition("\n")[0]
            assert head == ",".join(columns), path.name


@grid(
    ("name", "old", "new", "says"),
    [
        ("main_claims", "testable", "tested", "main_claims.csv.*testable"),
        ("main_claims", "doe2020", "poe2020", "poe2020"),
        ("doe2020", "unit", "units", "doe2020.csv.*unit"),
        ("limits", "", "doe2020/nothing,,q,low > 1,,0,the book\n", "doe2020/nothing"),
        ("limits", "", "doe2020/varies,2026-01-01,q,low > 1,,0,\n", "2026-01-01"),
        ("limits", "", "doe2020/varies,,q,low is 1,,0,\n", "low is 1"),
        ("limits", "", "doe2020/varies,26.11.2026,q,low > 1,,0,\n", "26.11.2026"),
        ("limits", "", "doe2020/varies,,q,low > 1,,none,\n", "no_effect .*'none'"),
        ("limits", "", "doe2020/varies,,q,low > 1,,0,me\n", "chosen_by .*'me'"),
        ("limits", "", "doe2020/varies,,q\n", "line 2: a field is missing"),
        ("amendments", "", f"{AMENDED}5,{MORE}{AMENDED}4,{MORE}", "and in order"),
    ],
)
def test_a_published_file_that_does_not_fit_is_named(name, old, new, says, tmp_path):
    data = made(tmp_path / str(len([*tmp_path.iterdir()])))
    published.check(data)
    path = data / f"published/{name}.csv"
    text = path.read_text(encoding="utf-8")
    write(path, text.replace(old, new) if old else text + new)
    published.limits.cache_clear()
    with pytest.raises(DataError, match=says):
        published.check(data)


def test_the_page_follows_a_claim_through_the_files_as_they_are():
    text = (DATA.parent / "book/record.md").read_text(encoding="utf-8")
    part = text.partition("## From a sentence")[2].partition("\n## ")[0]
    tables = re.findall(r"`(\w+\.csv)`[^|]*?:\n\n((?:\|.*\n)+)", part)
    assert {"PAPER.csv", *(name for name, _ in tables)} == {*published.SCHEMA}
    for name, table in tables:
        rows = [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]
        told = {}
        for columns, values in rows:
            names = columns.split(", ")
            of = values.split(", ") if len(names) > 1 else [values]
            told |= dict(zip(names, of, strict=True))
        assert {*told} <= {*published.SCHEMA[name]}
        there = read_csv(DATA / "published" / name, []).to_dict("records")
        assert any(told.items() <= row.items() for row in there), name


# --------------------------------------------------------------------------------------
# The verdict of one number
# --------------------------------------------------------------------------------------


VERDICT_OF = [
    ("0.550", 0.5499, "reproduced"),
    ("0.550", 0.55, "reproduced"),
    ("0.550", 0.5494, "last digit"),
    ("0.550", 0.5516, "differs"),
    ("0.55", 0.5516, "reproduced"),  # the zero is what decides
    ("0.55", 0.547, "reproduced"),
    ("0.0396", 0.03964, "reproduced"),
    ("0.0396", 0.0397, "last digit"),
    ("0.000500", 0.0005, "reproduced"),
    ("0.000500", 0.00051, "differs"),
    ("34.6", 34.649, "reproduced"),
    ("34.6", 34.7, "last digit"),
    ("68", 67.6, "reproduced"),
    ("68", 67.4, "last digit"),
    ("68", 66.4, "differs"),
    ("5000", 5000, "reproduced"),
    ("5000", 4999, "last digit"),
    ("5000", 4990, "differs"),
    ("5,000", 5000.4, "reproduced"),
    ("1,234,567.8", 1234567.84, "reproduced"),
    ("1000000", 1_000_001, "last digit"),
    ("-1.5", -1.46, "reproduced"),
    ("-1.5", -1.44, "last digit"),
    ("-1.5", 1.5, "differs"),
    ("0", -0.0, "reproduced"),
    ("1e-3", 0.0014, "reproduced"),
    ("1.0e-3", 0.0014, "differs"),
    ("5.0e3", 5049, "reproduced"),
    ("0.05354957003146416", 0.05354957003146416, "reproduced"),
    ("0.05354957003146416", 0.0535495700314642, "differs"),
    ("J", 1, "reproduced"),
    ("exact", 0, "differs"),
    ("not rejected", True, "reproduced"),
    ("exp(4.065)", 1.0, "reproduced"),
    ("0.550", None, "out of reach"),
    ("qualitative", None, "out of reach"),
]


def test_verdict():
    wrong = [
        case for case in VERDICT_OF if scorecard.judge(case[0], case[1]) != case[2]
    ]
    assert not wrong


@pytest.mark.parametrize("printed", ["0.550", "0.551"])
@pytest.mark.parametrize("computed", [0.5505, 0.1 + 0.4505, 0.5505000000000003])
def test_a_value_on_the_edge_goes_either_way(printed, computed):
    assert scorecard.judge(printed, computed) == "reproduced"
    assert (
        scorecard.judge("0.549", computed)
        == scorecard.judge("0.552", computed)
        == "last digit"
    )


@given(st.decimals(-1000, 1000, places=6), st.integers(0, 4))
def test_verdict_agrees_with_rounding_as_people_do_it(value, places):
    unit = Decimal(1).scaleb(-places)
    for how in (ROUND_HALF_EVEN, ROUND_HALF_UP):
        rounded = value.quantize(unit, how)
        assert scorecard.judge(f"{rounded:f}", float(value)) == "reproduced"
        assert scorecard.judge(f"{rounded + 3 * unit:f}", float(value)) == "differs"
        edge = (value / unit) % 1 == Decimal("0.5")
        for off in (-unit, unit):
            found = scorecard.judge(f"{rounded + off:f}", float(value))
            assert found == "last digit" or (
                edge and found in ("reproduced", "differs")
            )


@grid("computed", [math.nan, math.inf, "0.55", [0.55]])
def test_what_is_no_number_is_refused(computed):
    with pytest.raises(
        ValueError, match="computed must be a finite number or absent, got"
    ):
        scorecard.judge("0.55", computed)


def test_a_word_holds_or_does_not():
    with pytest.raises(
        ValueError,
        match=r"1 \(holds\) or 0 \(does not\), for 'exp.*' is no number; got 58.3",
    ):
        scorecard.judge("exp(4.065)", 58.3)


SHOWN = [
    ("0.0396", 0.039621234, "0.039621"),
    ("0.550", 0.55, "0.55000"),
    ("68", 67.6, "67.60"),
    ("194", 193.0, "193"),
    ("5,000", 5000, "5000"),
    ("-1.5", -1.4, "-1.400"),
    ("5.0e3", 5049.26, "5049"),
    ("J", 1.0, "holds"),
    ("exact", 0.0, "does not hold"),
    ("0.55", math.nan, ""),
    ("exact", None, ""),
]


def test_a_computed_value_shows_why_it_has_its_verdict():
    assert [scorecard.show(*case[:2]) for case in SHOWN] == [case[2] for case in SHOWN]


# --------------------------------------------------------------------------------------
# Tables
# --------------------------------------------------------------------------------------


def test_printed_figures_stand_beside_computed_ones(data):
    table = scorecard.printed(data)
    columns = [
        "paper",
        "id",
        "quantity",
        "where",
        "unit",
        "printed",
        "computed",
        "verdict",
        "note",
    ]
    assert list(table.columns) == columns
    assert table.verdict.tolist() == [
        "reproduced",
        "differs",  # a count
        "differs",
        "reproduced",
        "out of reach",
        "not yet computed",
        "not yet computed",
    ]
    assert table.printed.tolist() == [
        "0.550",
        "5,000",
        "0.67",
        "qualitative",
        "68",
        "-1.5",
        "1",
    ]
    assert table.computed.tolist()[:4] == [0.5496, 4999, 0.71, 1]
    assert table.computed[4:].isna().all()
    assert table.note[1] == "6000 in a caption; one run was lost"
    assert table.paper.tolist() == ["doe2020"] * 6 + ["roe2021"]


def test_claims_stand_beside_their_evidence(data):
    table = scorecard.verdicts(data)
    assert table.verdict.tolist() == ["replicated", "cannot say", "not yet judged"]
    assert table.data.tolist() == ["own run", "released data", ""]
    assert table.evidence[0] == "The SD is 2.1, 95 % interval 1.8 to 2.6."
    assert table.monte_carlo.tolist() == ["300 draws", "", ""]
    assert table.first_verdict.tolist() == ["replicated", "cannot say", ""]
    assert table.claim.tolist() == [
        "It varies, a lot.",
        "A <b>helps</b>.",
        "It is fast.",
    ]


def test_each_kind_is_counted_apart(data):
    table = scorecard.counts(data)
    assert table.index.tolist() == ["doe2020", "roe2021"]
    assert tuple(table["printed figures"].columns) == scorecard.PRINTED_VERDICTS
    assert table["printed figures"].to_numpy().tolist() == [
        [2, 0, 2, 1, 0, 1],
        [0, 0, 0, 0, 0, 1],
    ]
    found = {}
    for kind, name in scorecard.KINDS.items():
        assert tuple(table[name].columns) == scorecard.CLAIM_VERDICTS[kind]
        row = table.loc["doe2020", name]
        found[kind] = row[row > 0].to_dict()
    assert found == {
        "experiments": {"replicated": 1},
        "itself": {"not yet judged": 1},
        "advice": {"cannot say": 1},
    }
    assert table["set aside"].to_numpy().tolist() == [[0, 0, 0], [0, 0, 0]]


def test_each_main_sentence_has_the_answers_of_its_claim(data):
    table = scorecard.main_claims(data)
    assert table.n.tolist() == ["1a", "1b", "2"]
    assert table.id.tolist() == ["doe2020/varies", "doe2020/fast", "doe2020/varies"]
    assert table.verdict.tolist() == ["replicated", "not yet judged", "replicated"]
    assert table.first_verdict.tolist() == ["replicated", "", "replicated"]


@grid("main", ["1a", "1a 2 3", "1a 1b 2"])
def test_a_main_sentence_has_one_claim(data, main):
    write(data / "published/claims.csv", CLAIMS.replace("1a 2", main))
    with pytest.raises(
        ValueError, match="each sentence must be the main claim of one claim"
    ):
        scorecard.main_claims(data)


def test_other_analyses_stand_beside_the_one_that_judges(data):
    table = scorecard.analyses(data)
    assert table.analysis.tolist() == ["as judged", "other text"]
    assert table.low.tolist() == [1.8, 0.4]
    assert [*table] == [
        "id",
        "analysis",
        "quantity",
        "estimate",
        "low",
        "high",
        "verdict",
    ]
    write(
        data / "recorded/doe2020/analyses.csv",
        ANALYSES.replace("doe2020/varies", "doe2020/gone"),
    )
    with pytest.raises(
        ValueError, match=r"analyses.csv: claims.csv has no doe2020/gone"
    ):
        scorecard.analyses(data)


AMENDMENTS = """\
id,date,status,known,confirms,refutes,why
doe2020/varies,2026-01-01,amended,no,SD above 3.,SD below 3.,So.
doe2020/varies,2026-01-02,amended,no,SD above 2.,SD below 2.,One was too few.
doe2020/helps,2026-01-03,not claimed,yes,,,They do not say so.
doe2020/sd,2026-01-03,setting,yes,,,They chose it.
"""
AGAIN = VERDICTS.replace("300 draws,2,,", "300 draws,2,2026-01-02,")


def amend(data, amendments=AMENDMENTS, verdicts=AGAIN):
    """Amend the criteria, and judge again by them."""
    write(data / "published/amendments.csv", amendments)
    write(data / "recorded/doe2020/verdicts.csv", verdicts)


def test_amendments_stand_beside_what_was_first_written(data):
    amend(data)
    varies, helps, fast = scorecard.verdicts(data).itertuples()
    assert (varies.verdict, varies.confirms, varies.refutes) == (
        "replicated",
        "SD above 1.",
        "SD below 1.",
    )
    assert (varies.status, varies.date, varies.known) == ("amended", "2026-01-02", "no")
    assert (varies.confirms_now, varies.refutes_now) == ("SD above 2.", "SD below 2.")
    # None is written over.
    assert published.amendments(data).why.tolist()[:2] == ["So.", "One was too few."]
    assert (varies.why, varies.criterion, varies.intervals) == (
        "One was too few.",
        "2026-01-02",
        2,
    )
    assert (helps.verdict, helps.intervals) == ("not claimed", 0)
    assert (helps.why, helps.evidence) == (
        "They do not say so.",
        "The interval of the difference holds 0.",
    )
    assert (fast.status, fast.date, fast.why) == ("", "", "")
    sd = scorecard.printed(data).set_index("id").loc["sd"]
    assert (sd.verdict, sd.note) == ("setting", "They chose it. ddof")


def test_what_is_set_aside_is_counted_apart(data):
    amend(data)
    table = scorecard.counts(data).loc["doe2020"]
    assert table["set aside"].to_dict() == {
        "not claimed": 1,
        "rule unfit": 0,
        "setting": 1,
    }
    assert (
        sum(table[name].sum() for name in scorecard.KINDS.values()),
        table["printed figures"].sum(),
    ) == (
        2,
        5,
    )


@grid(
    "old, new, message",
    [
        (
            "doe2020/helps",
            "doe2020/hinders",
            "amendments.csv: .* has no doe2020/hinders",
        ),
        (
            "not claimed",
            "unclaimed",
            (
                "helps: status must be one of 'amended', 'added', 'not claimed', 'rule"
                " unfit'"
            ),
        ),
        ("2026-01-03,not", ",not", "doe2020/helps: date must not be empty"),
        (",yes,,,They do", ",,,,They do", "doe2020/helps: known must not be empty"),
        ("They do not say so.", "", "doe2020/helps: why must not be empty"),
        ("SD below 2.", "", "doe2020/varies: refutes must not be empty"),
        (",why", ",reason", "must have the columns id, date, .*; it lacks why"),
    ],
)
def test_amendment_that_does_not_fit_is_named(data, old, new, message):
    amend(data, AMENDMENTS.replace(old, new, 1))
    with pytest.raises(ValueError, match=message):
        scorecard.verdicts(data)


@grid(
    "amendments, verdicts, message",
    [
        (
            AMENDMENTS,
            VERDICTS,
            "criterion amended on 2026-01-02, its verdict follows the one first written",
        ),
        (
            AMENDMENTS.replace("2026-01-02", "2026-01-09"),
            AGAIN,
            "amended on 2026-01-09, its verdict follows the one amended on 2026-01-02",
        ),
        (
            AMENDMENTS.replace("amended", "added"),
            AGAIN,
            "doe2020/varies must be judged by the criterion first written, its",
        ),
    ],
)
def test_a_verdict_by_another_criterion_is_refused(data, amendments, verdicts, message):
    amend(data, amendments, verdicts)
    with pytest.raises(ValueError, match=message):
        scorecard.verdicts(data)


def test_csv_reads_back(data):
    text = io.StringIO()
    scorecard.to_csv(text, data)
    table = pd.read_csv(io.StringIO(text.getvalue()), dtype=str, keep_default_na=False)
    assert list(table.columns) == [
        *("paper", "id", "quantity", "printed", "computed", "verdict", "note"),
        *("counts_as", "main", "first_verdict"),
    ]
    assert table.counts_as.tolist() == ["printed figure"] * 7 + [
        "experiments",
        "advice",
        "itself",
    ]
    assert table.computed[:5].tolist() == ["0.5496", "4999", "0.71", "1", ""]
    first = table.iloc[7]
    assert first.quantity == "It varies, a lot."
    assert first.printed == ""
    assert first.computed == "The SD is 2.1, 95 % interval 1.8 to 2.6."
    assert first.note == "own run; 300 draws"
    assert table.note[8] == "released data"


def test_nothing_computed_yet_says_so(data):
    for file in (data / "recorded/doe2020").iterdir():
        file.unlink()
    assert set(scorecard.printed(data).verdict) == {"not yet computed"}
    assert set(scorecard.verdicts(data).verdict) == {"not yet judged"}


def test_the_book_has_a_scorecard():
    table = scorecard.printed()
    assert set(table.paper) == set(scorecard.verdicts().paper) >= set(cli.PAPERS)
    assert scorecard.counts().to_numpy().sum() == len(table) + len(scorecard.verdicts())
    assert len(scorecard.main_claims()) >= 5 * len(cli.PAPERS)
    for verdict in ("differs", "out of reach", COPY):
        assert (table[table.verdict == verdict].note != "").all(), (
            "a difference needs its reason"
        )


# --------------------------------------------------------------------------------------
# Files that do not fit
# --------------------------------------------------------------------------------------


@grid(
    "row, message",
    [
        ({"id": "median", "value": 1.0}, "computed.csv: doe2020.csv has no median"),
        (
            {"id": "later", "value": "many"},
            "computed.csv, later: computed must be a finite number or absent, got",
        ),
        (
            {"id": "later"},
            "computed.csv, later: without a value, the note must say what is missing",
        ),
        (
            {"id": "ordering", "value": 0.3},
            "computed.csv, ordering: computed must be 1",
        ),
    ],
)
def test_computed_row_that_does_not_fit_is_named(data, row, message):
    record(data, [row])
    with pytest.raises(ValueError, match=message):
        scorecard.printed(data)


def test_two_values_for_one_figure_are_refused(data):
    record(
        data,
        [
            {"id": "mean", "of": "a", "value": 0.5},
            {"id": "mean", "of": "b", "value": 0.6},
        ],
        keys=("id", "of"),
    )
    with pytest.raises(
        ValueError, match="computed.csv must have each id once; it repeats mean"
    ):
        scorecard.printed(data)


def test_values_that_follow_from_units_are_a_plain_file(data):
    record(data, COMPUTED, table="other")  # the units of the folder have another name
    path = data / "recorded/doe2020/computed.csv"
    write(path, "id,value,note\nmean,0.55,\nordering,,the runs were not released\n")
    table = scorecard.printed(data).set_index("id")
    assert table.verdict["ordering"] == "out of reach"
    assert table.computed["mean"] == 0.55
    write(path, "id,value,note\nmean,much,\n")
    with pytest.raises(ValueError, match="must have numbers as values"):
        scorecard.printed(data)


@pytest.mark.parametrize(
    ("name", "read"),
    [("computed", scorecard.printed), ("verdicts", scorecard.verdicts)],
)
def test_edited_value_is_refused(data, name, read):
    path = data / f"recorded/doe2020/{name}.csv"
    path.write_text(
        path.read_text().replace("0.5496", "0.5497").replace("cannot say", "supported")
    )
    with pytest.raises(ValueError, match=f"{name}.csv is not the table"):
        read(data)


@pytest.mark.parametrize(
    "content", [b"", b'id\n"', b"id\n\xff", b"id\n1,2,3\n1\n1,2,3,4"]
)
@pytest.mark.parametrize("name", ["doe2020", "claims"])
def test_published_file_that_is_no_csv_is_named(data, name, content):
    (data / f"published/{name}.csv").write_bytes(content)
    with pytest.raises(ValueError, match=f"published/{name}.csv"):
        scorecard.counts(data)


@grid(
    "old, new, message",
    [
        (
            "doe2020/varies,rep",
            "doe2020/vary,rep",
            "claims.csv, of doe2020, has no doe2020/vary",
        ),
        (
            "doe2020/helps,can",
            "doe2020/varies,can",
            "must have each id once; it repeats doe2020/varies",
        ),
        (
            ",replicated,",
            ",reproduced,",
            (
                "doe2020/varies: verdict must be one of 'replicated', 'replicated,"
                " smaller'"
            ),
        ),
        (",replicated,", ",not yet judged,", "doe2020/varies: verdict must be one of"),
        (
            "own run",
            "own runs",
            "doe2020/varies: data must be one of 'own run', 'released data'",
        ),
        (
            "The interval of the difference holds 0.",
            "",
            "doe2020/helps: evidence must be a sentence",
        ),
        (
            "evidence",
            "reason",
            "must have the columns id, verdict, data, .*; it lacks evidence",
        ),
        (
            "cannot say,re",
            "inconclusive,re",
            "doe2020/helps: verdict must be one of 'supported', 'not",
        ),
        (
            "cannot say\n",
            "open\n",
            "doe2020/helps: first_verdict must be one of '', 'supported'",
        ),
    ],
)
def test_verdict_that_does_not_fit_is_named(data, old, new, message):
    write(data / "recorded/doe2020/verdicts.csv", VERDICTS.replace(old, new))
    with pytest.raises(ValueError, match=message):
        scorecard.verdicts(data)


def test_claim_out_of_reach_may_lack_data(data):
    row = "doe2020/fast,out of reach,,Their machine is not named.,,0,,\n"
    write(data / "recorded/doe2020/verdicts.csv", VERDICTS + row)
    assert scorecard.verdicts(data).verdict[2] == "out of reach"


def test_what_our_copy_has_lost_is_no_verdict(data):
    figures = PUBLISHED.replace("percent,0.550,,", "percent,0.550,,at second hand")
    write(data / "published/doe2020.csv", figures)
    first = scorecard.printed(data).iloc[0]
    assert (first.verdict, first.note) == (COPY, "at second hand")
    assert scorecard.counts(data)["printed figures"][COPY].tolist() == [1, 0]


def test_claim_of_an_unknown_paper_is_refused(data):
    write(
        data / "published/claims.csv",
        CLAIMS + "poe/x,poe2022,Section 1,X.,,Y.,Z.,itself,,,\n",
    )
    with pytest.raises(ValueError, match="claims.csv: .* has no poe2022"):
        scorecard.verdicts(data)


@pytest.mark.parametrize(
    ("name", "read"),
    [("computed", scorecard.printed), ("verdicts", scorecard.verdicts)],
)
def test_results_of_an_unknown_paper_are_refused(data, name, read):
    write(data / f"recorded/poe2022/{name}.csv", "id\n")
    with pytest.raises(ValueError, match="poe2022.* has no poe2022"):
        read(data)


def test_empty_folder_is_refused(tmp_path):
    with pytest.raises(
        ValueError, match="must hold a CSV file for each paper; it has none"
    ):
        scorecard.printed(tmp_path)
