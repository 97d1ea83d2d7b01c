"""What columns and cells must be before it is known what a row is; the rest is refused,
with lines that mend it.
"""

import re

import numpy as np
import pandas as pd

from evalkit.reports import schema
from evalkit.reports._refused import (
    Say,
    count,
    each,
    examples,
    listed,
    refusal,
    shown,
)

_NUMBER = r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*"
_TRUTH = {"True": 1.0, "true": 1.0, "False": 0.0, "false": 0.0}


# --------------------------------------------------------------------------------------
# Columns
# --------------------------------------------------------------------------------------


def check_header(table):
    """Refuse names that are no words, come twice, or stand in the index."""
    if any(name is not None for name in table.index.names):
        what = f"The index is called {examples(table.index.names)}."
        raise refusal("columns", what, "table = table.reset_index()")
    if odd := [name for name in table.columns if not isinstance(name, str) or not name]:
        what = f"A column is called {shown(repr(odd[0]))}, which is no word."
        line = "table.columns = [str(name) or 'unnamed' for name in table.columns]"
        raise refusal("columns", what, line)
    if table.columns.has_duplicates:
        twice = table.columns[table.columns.duplicated()][0]
        way = (
            "table = table.loc[:, ~table.columns.duplicated()]  # if they are the same"
        )
        raise refusal("columns", f"Two columns are called {shown(twice)}.", way)
    if table.empty:
        raise refusal("few", "The table is empty.", "collect scores.")


def no_system(table, baseline):
    """Return the refusal of a table that does not say whose its scores are."""
    ways = [Say({"columns": {"system": c}}, "if it is that") for c in [*table][:12]]
    if baseline in table:
        ways = [
            "# KEYS: all columns but those of the systems\n"
            "table = table.melt(id_vars=KEYS, var_name='system', value_name='accuracy')"
        ]
    files = (
        "# if each system has a file of its own:\n"
        "table = pd.concat([pd.read_csv(file).assign(system=name)\n"
        "                   for name, file in files.items()])"
    )
    return refusal("columns", "No column is called system.", *ways, files)


def elsewhere(role, column):
    """Return the refusal of a column that another call is for."""
    way = schema.ELSEWHERE[role]
    calls = " and ".join(f"ek.{name}" for name in way.calls) or "scipy.stats"
    by = f"call {calls}: see {way.title!r} in 'Which test do I need?'."
    what = f"{shown(column)} is a {role}: that is {way.title!r}, and no report."
    return refusal("unit", what, by, Say({"ignore": [column]}, "if it is none"))


def unexplained(table, names, keys, asked):
    """Return the refusal that asks for all columns that vary within a system."""
    lines = [
        f"  {shown(c)}: {count(keys[c].nunique(), 'value')}, such as"
        f" {examples(keys[c].unique(), 2)}"
        for c in asked
    ]
    roles = ", ".join((*schema.ROLES, *schema.ELSEWHERE))
    rest = "after reading: they do not change what a row is"
    return refusal(
        "columns",
        "Within a system these vary, and have no role:\n" + "\n".join(lines),
        Say({"columns": {"ROLE": asked[0]}}, f"ROLE: {roles}"),
        Say({"ignore": asked if len(asked) < 4 else "rest"}, rest),
        "or make each row one score in lines of your own: 'Make it long' has them.",
    )


def only(name, column):
    """Return the Python that keeps the rows with the commonest value of a column."""
    words = column.dropna().astype(str).mode()
    return f"table = table[{having(name, words.iloc[0] if words.size else '')}]"


def having(name, value):
    """Return the Python that is true of the rows with a value, be it word or number."""
    if not re.fullmatch(_NUMBER, value):
        return f"table[{name!r}].astype(str) == {value!r}"
    number = int(value) if re.fullmatch(r"[+-]?\d+", value) else float(value)
    return f"pd.to_numeric(table[{name!r}], errors='coerce') == {number!r}"


# --------------------------------------------------------------------------------------
# Cells
# --------------------------------------------------------------------------------------


def numbers(column, name):
    """Return scores as floats, gaps as NaN; words are refused."""
    types = pd.api.types
    if types.is_any_real_numeric_dtype(column) or types.is_bool_dtype(column):
        return _finite(column.astype(float))
    text = column.map(str, na_action="ignore").astype(object)
    is_gap = text.isna() | text.str.strip().str.lower().isin(schema.GAPS)
    is_good = is_gap | text.isin(_TRUTH) | text.str.fullmatch(_NUMBER).fillna(False)
    if not is_good.all():
        words = text[~is_good]
        what = f"{shown(name)} holds words in {count(len(words), 'row')}: "
        ways = *_read_as(words, f"table[{name!r}]"), "name the column of the scores."
        raise refusal("words", f"{what}{examples(words.unique())}.", *ways)
    return _finite(text.where(~is_gap).replace(_TRUTH).astype(float))


def _finite(scores):
    return scores.where(np.isfinite(scores))


def _read_as(words, column):
    if words.str.fullmatch(r"\s*-?\d+,\d+\s*").all():
        points = f"{column}.astype(str).str.replace(',', '.')"
        return [f"{column} = pd.to_numeric({points}, errors='coerce')"]
    if words.str.fullmatch(_NUMBER + r"%\s*").all():
        shares = f"{column}.astype(str).str.rstrip('% ')"
        return [f"{column} = pd.to_numeric({shares}, errors='coerce')"]
    marks = words.unique() if words.nunique() < 3 else ()
    return [
        f"{column} = ({column} == {w!r}).astype(float)  # {w} is right" for w in marks
    ]


def check_answers(frame, names):
    """Refuse predictions that are missing, and labels that are not one for an item."""
    prediction, label = names["prediction"], names["label"]
    if n := int(frame["label"].isna().sum()):
        what = f"{shown(label)} is empty in {count(n, 'row')} of {len(frame):,}."
        raise refusal("key", what, f"fill in {shown(label)}.")
    if n := int((empty := frame["prediction"].isna()).sum()):
        of = each(empty.groupby(frame["system"], sort=False).sum())
        column = f"table[{prediction!r}]"
        there = f"{column}.notna() & ({column} != '')"
        way = f"{column} = {column}.where({there}, 'no answer')  # counts as wrong"
        what = f"{shown(prediction)} is empty in {count(n, 'row')}, by system: {of}."
        raise refusal("gaps", what, way)
    if "item" in frame:
        n_labels = frame.groupby("item")["label"].nunique()
        if (several := n_labels[n_labels > 1]).size:
            what = f"Two right answers to {count(several.size, 'item')}:"
            raise refusal("key", f"{what} {examples(several.index)}.", "mend the key.")
    known = frame["prediction"].isin(frame["label"])
    as_plain = {c: plain(frame[c]) for c in ("prediction", "label")}
    odd = ~known & as_plain["prediction"].isin(as_plain["label"])
    if odd.any():
        found = examples(frame.loc[odd, "prediction"].unique())
        what = (
            f"In {count(int(odd.sum()), 'row')} a {shown(prediction)} is written as no"
            f" {shown(label)} is: {found}."
        )
        lines = [f"table[{c!r}] = {plainly(c)}" for c in (prediction, label)]
        raise refusal("spelling", what, "\n".join(lines))
    ever = known.groupby(frame["system"], sort=False).any()
    if not ever.all():
        own = frame[frame["system"] == ever.idxmin()]
        pairs = {c: examples(own[c].unique()) for c in ("prediction", "label")}
        what = (
            f"Not one {shown(prediction)} of {shown(ever.idxmin())}"
            f" ({pairs['prediction']}) is a {shown(label)} ({pairs['label']})."
        )
        raise refusal("key", what, "write both in one way.")


_ENDING = r"\.0$|^0+(?=\d)"  # 7.0 and 007 are 7


def plain(words):
    """Return words without case, spaces around them, and forms of numbers."""
    words = words.str.strip().str.lower()
    return words.str.replace(_ENDING, "", regex=True)


def plainly(column):
    """Return the Python that does so."""
    words = f"table[{column!r}].astype(str).str.strip().str.lower()"
    return f"{words}.str.replace({_ENDING!r}, '', regex=True)"


def check_cells(evidence):
    """Refuse rows without a score, or without what says which they are."""
    frame, names = evidence.used, evidence.names | {"score": evidence.metric}
    _check_named(evidence, "system", *schema.KEYS, "group")
    for role in (role for role in ("validation", "score") if role in frame):
        empty, column = frame[role].isna(), names[role]
        if n := int(empty.sum()):
            of = each(empty.groupby(frame["system"], sort=False).sum())
            what = (
                f"{shown(column)} is no number in {count(n, 'row')}, by system: {of}."
            )
            end = "min" if evidence.direction == "higher" else "max"
            lines = (
                f"scores = pd.to_numeric(table[{column!r}], errors='coerce')\n"
                "scores = scores.where(scores.abs() < float('inf'))\n"
            )
            worst = f"table[{column!r}] = scores.fillna(scores.{end}())"
            raise refusal(
                "gaps",
                what,
                f"{lines}{worst}  # a failure scores the worst; say so",
                f"{lines}table = table[scores.notna()]  # leave them out; say so",
            )


def _check_named(evidence, *roles):
    """Refuse rows that do not say which they are."""
    for role in (role for role in roles if role in evidence.used):
        empty, column = evidence.used[role].isna(), evidence.names[role]
        if n := int(empty.sum()):
            what = f"{shown(column)} is empty in {count(n, 'row')} of {len(empty):,}."
            cells = f"table[{column!r}]"
            there = f"{cells}.notna() & ({cells} != '')"
            way = f"table = table[{there}]  # if they are no scores"
            way = Say({"ignore": [column]}) if empty.all() else way
            raise refusal("gaps", what, f"fill in {shown(column)}.", way)


def check_parts(evidence):
    """Refuse parts by other names, and test items that stand in another part."""
    _check_named(evidence, "part", "system", "item")
    frame, column = evidence.used, evidence.names["part"]
    if other := sorted({*frame["part"]} - {*schema.PARTS}):
        what = f"{shown(column)} is {listed(other)}; known are {listed(schema.PARTS)}."
        cells = f"table[{column!r}]"
        line = f"name each part {listed(schema.PARTS)}."
        if {str(part).strip().lower() for part in other} <= {*schema.PARTS}:
            line = f"{cells} = {cells}.str.strip().str.lower()"
        raise refusal("words", what, line)
    is_test = frame["part"] == "test"
    if not is_test.any():
        what = f"{shown(column)} has no test among {examples(frame['part'].unique())}."
        way = Say({"ignore": [column]}, "if this part is compared; say so")
        raise refusal("unit", what, way)
    if "item" in frame:
        item, seen = evidence.names["item"], {*frame["item"][~is_test]}
        if both := sorted({*frame["item"][is_test]} & seen):
            what = f"In another part as well: {count(len(both), 'test item')},"
            raise refusal(
                "train-items",
                f"{what} {examples(both)}.",
                f"seen = table.loc[table[{column!r}] != 'test', {item!r}]\n"
                f"is_seen = table[{item!r}].isin(seen)\n"
                f"table = table[(table[{column!r}] == 'test') & ~is_seen]",
            )
