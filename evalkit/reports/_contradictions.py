"""What cannot be true of a table whose rows are scores: each is refused with the reason,
and with lines that mend it, or with what to collect.
"""

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
        way = "table = table.reset_index()"
        raise refusal("columns", what, "Every role is a column.", way)
    if odd := [name for name in table.columns if not isinstance(name, str) or not name]:
        what = f"A column is called {shown(repr(odd[0]))}, which is no word."
        way = "table = table.rename(columns=str)"
        raise refusal("columns", what, "Columns have roles by their names.", way)
    if table.columns.has_duplicates:
        twice = table.columns[table.columns.duplicated()][0]
        what = f"Two columns are called {shown(twice)}."
        way = (
            "table = table.loc[:, ~table.columns.duplicated()]  # if they are the same"
        )
        raise refusal("columns", what, "Only one of them can be meant.", way)
    if table.empty:
        raise refusal("few", "The table is empty.", "", "collect scores.")


def no_system(table, baseline):
    """Return the refusal of a table that does not say whose its scores are."""
    ways = [Say({"columns": {"system": c}}, "if it is that") for c in [*table][:12]]
    if baseline in table:
        ways = [
            "others = ['item']  # all columns but those of the systems\n"
            "table = table.melt(id_vars=others, var_name='system',"
            " value_name='accuracy')"
        ]
    files = (
        "# if each system has a file of its own:\n"
        "table = pd.concat([pd.read_csv(file).assign(system=name)\n"
        "                   for name, file in files.items()])"
    )
    what = "No column is called system."
    why = "In a long table a row is one score, and says whose it is."
    return refusal("columns", what, why, *ways, files)


def elsewhere(role, column):
    """Return the refusal of a column that another call is for."""
    way = schema.ELSEWHERE[role]
    what = (
        f"{shown(column)} is {role}: that is {way.title!r}, and no report compares it."
    )
    calls = " and ".join(f"ek.{name}" for name in way.calls) or "scipy.stats"
    by = f"call {calls}: see {way.title!r} in 'Which test do I need?'."
    return refusal("unit", what, "", by, Say({"ignore": [column]}, "if it is none"))


def unexplained(table, names, keys, asked):
    """Return the refusal that asks for all columns that vary within a system."""
    lines = [
        f"  {shown(c)}: {count(keys[c].nunique(), 'value')}, such as"
        f" {examples(keys[c].unique(), 2)}"
        for c in asked
    ]
    what = "Within a system these vary, and have no role:\n" + "\n".join(lines)
    why = (
        "A step, a setting, a split, a filter or a repeat changes what a row is; a"
        " document or a speaker what is independent."
    )
    first = asked[0]
    run = [names[role] for role in ("system", *schema.KEYS) if role in names]
    rest = "after reading: they have nothing to do with the scores"
    return refusal(
        "columns",
        what,
        why,
        Say({"columns": {"ROLE": first}}, f"ROLE: {', '.join(schema.ROLES)}"),
        Say({"ignore": asked if len(asked) < 4 else "rest"}, rest),
        f"table = table[table[{first!r}] == {_first(table[first])!r}]  # one value of it",
        f"table = table.loc[table.groupby({run!r})[{first!r}].idxmax()]"
        "  # the last step of each run",
    )


def _first(column):
    value = column.dropna().iloc[0] if column.notna().any() else ""
    return value.item() if hasattr(value, "item") else value


# --------------------------------------------------------------------------------------
# Cells
# --------------------------------------------------------------------------------------


def numbers(column, name):
    """Return scores as floats, gaps as NaN; words are refused."""
    if pd.api.types.is_bool_dtype(column) or pd.api.types.is_numeric_dtype(column):
        found = column.astype(float)
        return found.where(np.isfinite(found))
    text = column.map(str, na_action="ignore")
    is_gap = text.isna() | text.str.strip().str.lower().isin(schema.GAPS)
    is_good = is_gap | text.isin(_TRUTH) | text.str.fullmatch(_NUMBER).fillna(False)
    if not is_good.all():
        words = text[~is_good]
        what = f"{shown(name)} holds words in {count(len(words), 'row')}: "
        why = (
            "A word is no score: another column may hold them, or these rows are none."
        )
        ways = [*_read_as(words, name), "name the column of the scores, by metric."]
        raise refusal("words", f"{what}{examples(words.unique())}.", why, *ways)
    return text.where(~is_gap).replace(_TRUTH).astype(float)


def _read_as(words, name):
    column = f"table[{name!r}]"
    if words.str.fullmatch(r"\s*-?\d+,\d+\s*").all():
        yield f"{column} = {column}.str.replace(',', '.').astype(float)"
    elif words.str.fullmatch(_NUMBER + r"%\s*").all():
        yield f"{column} = {column}.str.rstrip('% ').astype(float)"
    else:
        right = str(words.iloc[0])
        yield f"{column} = ({column} == {right!r}).astype(float)  # if it means right"


def check_answers(frame, names):
    """Refuse predictions that are missing, and labels that are not one for an item."""
    prediction, label = names["prediction"], names["label"]
    if n := int(frame["label"].isna().sum()):
        what = f"{count(n, 'row')} of {len(frame):,} have no {shown(label)}."
        why = "What is right there nobody can say."
        raise refusal("key", what, why, f"fill in {shown(label)}.")
    if n := int((empty := frame["prediction"].isna()).sum()):
        of = each(empty.groupby(frame["system"], sort=False).sum())
        what = f"{count(n, 'row')} have no {shown(prediction)}, by system: {of}."
        way = f"table[{prediction!r}] = table[{prediction!r}].fillna('no answer')"
        why = "Left out, a missing answer flatters the system that did not give it."
        raise refusal("gaps", what, why, f"{way}  # counts as wrong")
    if "item" in frame:
        n_labels = frame.groupby("item")["label"].nunique()
        if (several := n_labels[n_labels > 1]).size:
            what = f"{count(several.size, 'item')} have two right answers:"
            why = "Two systems would be held to two answers: one key is wrong."
            raise refusal(
                "key", f"{what} {examples(several.index)}.", why, "mend the key."
            )
    known = frame["prediction"].isin(frame["label"])
    plain = {c: _plain(frame[c]) for c in ("prediction", "label")}
    odd = ~known & plain["prediction"].isin(plain["label"])
    if odd.any():
        found = examples(frame.loc[odd, "prediction"].unique())
        what = f"In {count(int(odd.sum()), 'row')} a {shown(prediction)} is written"
        why = "It would count as wrong for its spelling."
        lines = [f"table[{c!r}] = {_plainly(c)}" for c in (prediction, label)]
        what = f"{what} as no {shown(label)} is: {found}."
        raise refusal("spelling", what, why, "\n".join(lines))
    if not known.any():
        pairs = {c: examples(frame[c].unique()) for c in ("prediction", "label")}
        what = f"Not one {shown(prediction)} ({pairs['prediction']}) is among"
        what = f"{what} the values of {shown(label)} ({pairs['label']})."
        why = "They are written in two ways, and every answer would be wrong."
        raise refusal("key", what, why, "write both in one way.")


_ENDING = r"\.0$|^0+(?=\d)"  # 7.0 and 007 are 7


def _plain(words):
    """Return words without case, spaces around them, and forms of numbers."""
    words = words.str.strip().str.lower()
    return words.str.replace(_ENDING, "", regex=True)


def _plainly(column):
    """Return the Python that does so."""
    words = f"table[{column!r}].astype(str).str.strip().str.lower()"
    return f"{words}.str.replace({_ENDING!r}, '', regex=True)"


def check_cells(evidence):
    """Refuse rows without a score, or without what says which they are."""
    frame, names = evidence.used, evidence.names
    _check_named(evidence, "system", *schema.KEYS, "group")
    for role in (role for role in ("validation", "score") if role in frame):
        empty = frame[role].isna()
        if n := int(empty.sum()):
            column = names["validation"] if role == "validation" else evidence.metric
            of = each(empty.groupby(frame["system"], sort=False).sum())
            what = f"{count(n, 'row')} have no {shown(column)}, by system: {of}."
            why = "Left out in silence, a run that failed flatters its system."
            cells = f"table[{column!r}]"
            end = "min" if evidence.direction == "higher" else "max"
            worst = f"{cells} = {cells}.fillna({cells}.{end}())"
            raise refusal(
                "gaps",
                what,
                why,
                f"{worst}  # a failure scores the worst; say so",
                f"table = table.dropna(subset=[{column!r}])  # leave them out; say so",
            )


def _check_named(evidence, *roles):
    """Refuse rows that do not say which they are."""
    for role in (role for role in roles if role in evidence.used):
        empty, column = evidence.used[role].isna(), evidence.names[role]
        if n := int(empty.sum()):
            what = f"{count(n, 'row')} of {len(empty):,} have no {shown(column)}."
            way = f"table = table.dropna(subset=[{column!r}])  # if they are no scores"
            why = f"Nobody can say which {role} they are."
            raise refusal("gaps", what, why, f"fill in {shown(column)}.", way)


def check_parts(evidence):
    """Refuse parts by other names, and test items that stand in another part."""
    _check_named(evidence, "part", "system", "item")
    frame, column = evidence.used, evidence.names["part"]
    if other := sorted({*frame["part"]} - {*schema.PARTS}):
        what = f"{shown(column)} is {listed(other)}; known are {listed(schema.PARTS)}."
        line = f"table[{column!r}] = table[{column!r}].replace({{{other[0]!r}: 'validation'}})"
        why = "Only rows of test are compared, and the others show what was seen."
        raise refusal("words", what, why, line)
    is_test = frame["part"] == "test"
    if not is_test.any():
        what = f"{shown(column)} has no test among {examples(frame['part'].unique())}."
        way = Say({"ignore": [column]}, "if this part is compared; say so")
        raise refusal("unit", what, "Only rows of test are compared.", way)
    if "item" not in frame:
        return
    item, seen = evidence.names["item"], {*frame["item"][~is_test]}
    both = sorted({*frame["item"][is_test]} & seen)
    if both:
        what = f"{count(len(both), 'test item')} stand in another part as well: "
        raise refusal(
            "train-items",
            f"{what}{examples(both)}.",
            "Whoever has seen the answer shows memory, and no skill.",
            f"seen = table.loc[table[{column!r}] != 'test', {item!r}]\n"
            f"table = table[(table[{column!r}] == 'test') & ~table[{item!r}].isin(seen)]",
        )


# --------------------------------------------------------------------------------------
# What a row is
# --------------------------------------------------------------------------------------


def check_systems(evidence):
    """Refuse a baseline that is not there, or is alone."""
    there = [*evidence.used["system"].unique()]
    if evidence.baseline not in there:
        what = f"No system is called {shown(evidence.baseline)}."
        ways = [Say({"baseline": name}) for name in there[:8]]
        raise refusal("baseline", what, f"There are {examples(there, 8)}.", *ways)
    if len(there) < 2:
        what = f"There is no system but {shown(there[0])}."
        raise refusal(
            "baseline", what, "A comparison needs two.", "add the other's rows."
        )


def apart(evidence, key):
    """Return the refusal of systems that were scored on different things."""
    of = evidence.used.groupby("system", sort=False)[key].first()
    what = f"Each system has a {key} of its own: {examples(f'{s} {v}' for s, v in of.items())}."
    why = "Nobody can tell whether the systems make the difference, or what they met."
    return refusal("unmatched", what, why, f"score all systems on the same {key}s.")


def no_unit(evidence, keys):
    """Return the refusal of rows that no kind of results has."""
    names, system = evidence.names, evidence.names["system"]
    n = evidence.used["system"].value_counts(sort=False)
    if not keys and (n == 1).all():
        return refusal(
            "one-run",
            f"There is one score of each system ({each(n)}).",
            "One run does not show how far another would lie, so nothing can be said of"
            " the difference.",
            "train each again with other seeds: five are few, twenty are better.",
            "or give the answers to the test items: they compare these fitted models.",
            "or, of printed numbers, call ek.from_summary (means with their spread) or"
            " ek.mcnemar_range (accuracies on the same items).",
        )
    if not keys:
        line = f"table['seed'] = table.groupby({system!r}).cumcount()"
        return refusal(
            "unit",
            f"Nothing tells the rows of a system apart ({each(n)}).",
            "What is a row: a run, an answer to an item, a fold, a data set?",
            f"{line}  # if each row is a training run",
            Say({"columns": {"item": "COLUMN"}}, "the column that names what was met"),
        )
    own = [names[key] for key in keys]
    what = f"Rows are told apart by {listed(own)} together."
    why = "A row has to be one of these: " + "; ".join(
        " and ".join(names) for names in schema.KINDS
    )
    return refusal("unit", what, f"{why}.", *_to_kinds(evidence, keys))


def _to_kinds(evidence, keys):
    """Yield lines that make a table of a kind from one with more keys."""
    names, metric = evidence.names, evidence.metric
    more = [names[r] for r in ("group", "part", "validation") if r in evidence.used]
    for kind in (kind for kind in schema.KINDS if {*kind} < {*keys}):
        own = [names[key] for key in (*kind,)]
        over = listed([names[key] for key in keys if key not in kind])
        by = [names["system"], *own, *more]
        yield (
            f"table = table.groupby({by!r}, as_index=False)[{metric!r}].mean()"
            f"  # for each {kind[-1]} the mean over {over}"
        )
    if {"item", "dataset"} <= {*keys}:
        item, dataset = names["item"], names["dataset"]
        yield (
            f"table[{item!r}] = table[{dataset!r}].astype(str) + '/'"
            f" + table[{item!r}].astype(str)\n"
            f"table = table.rename(columns={{{dataset!r}: 'group'}})"
            "  # other data sets like these are asked about"
        )
    for key in (key for key in keys if keys != (key,)):
        value = evidence.used[key].iloc[0]
        column = names[key]
        yield (
            f"table = table[table[{column!r}].astype(str) == {value!r}]"
            f"  # on one {key} alone"
        )


# --------------------------------------------------------------------------------------
# Rows, once it is known what they are
# --------------------------------------------------------------------------------------


def _unique(evidence):
    frame, keys = evidence.used, [*evidence.keys]
    twice = frame.duplicated(["system", *keys], keep=False)
    if not twice.any():
        return
    first = frame[twice].iloc[0]
    named = ", ".join(f"{k} {shown(first[k])}" for k in ("system", *keys))
    what = f"{count(int(twice.sum()), 'row')} have the same {listed(keys)} as another"
    by = [evidence.names[role] for role in ("system", *keys)]
    more = [evidence.names[r] for r in ("group", "part", "validation") if r in frame]
    ways = []
    if (
        frame[twice].duplicated().sum()
        == frame[twice].duplicated(["system", *keys]).sum()
    ):
        ways.append(
            "table = table.drop_duplicates()  # if they are the same rows again"
        )
    if evidence.keys == ("item",):
        line = f"table['attempt'] = table.groupby({by!r}).cumcount()"
        ways.append(f"{line}  # if each is another answer of the same model")
    mean = (
        f"table.groupby({[*by, *more]!r}, as_index=False)[{evidence.metric!r}].mean()"
    )
    if "prediction" not in frame:
        ways.append(f"table = {mean}  # if they are repeats of one measurement")
    ways.append("map the column that tells them apart, and was ignored.")
    why = "Counted twice, a row makes the interval too short."
    raise refusal("duplicates", f"{what}: {named}.", why, *ways)


def _same_keys(evidence):
    """Refuse items, folds and data sets that not every system has."""
    if evidence.kind in ("seeds", "search"):
        return
    frame, (key, *rows) = evidence.used, evidence.keys
    runs = frame["system"].str.cat([frame[row] for row in rows], sep="\0")
    sets = frame.groupby(runs, sort=False)[key].agg(frozenset)
    every = frozenset().union(*sets)
    lacking = {
        run.replace("\0", " "): len(every - own)
        for run, own in sets.items()
        if own != every
    }
    if not lacking:
        return
    column, system = evidence.names[key], evidence.names["system"]
    plain = _plain(frame[key])
    alike = frame.groupby(runs, sort=False)[key].agg(
        lambda own: frozenset(plain[own.index])
    )
    if len({*alike}) == 1 and len(alike.iloc[0]) == max(map(len, sets)):
        odd = sorted(every - frozenset.intersection(*sets))
        way = f"table[{column!r}] = {_plainly(column)}"
        what = f"The {key}s are written in two ways: {examples(odd, 4)}."
        raise refusal(
            "spelling", what, "Written in one way, all systems have them.", way
        )
    common = frozenset.intersection(*sets)
    few = examples([f"{name} {n:,}" for name, n in lacking.items()], 5)
    what = f"Of {len(every):,} {key}s some are missing ({few}), such as {examples(sorted(every - common), 2)}."
    if not common:
        what = f"Not one {key} is there for every system: {examples([f'{run} on {examples(sorted(own), 2)}'.replace(chr(0), ' ') for run, own in sets.items()], 4)}."
        why = "Scores are compared pair by pair; what was scored on others cannot take their place."
        raise refusal(
            "unmatched",
            what,
            why,
            f"name each {key} in one way, or run the systems on the same.",
        )
    by = [system, *(evidence.names[row] for row in rows)]
    joined = " + '/' + ".join(f"table[{name!r}].astype(str)" for name in by)
    ways = [
        f"runs = {joined}\n"
        f"n_runs = runs.groupby(table[{column!r}]).transform('nunique')\n"
        f"table = table[n_runs == runs.nunique()]  # what all have; say how many were left out"
    ]
    if (
        "group" not in frame
        and "prediction" not in frame
        and evidence.direction == "higher"
    ):
        metric, index = evidence.metric, [*by, column]
        ways.append(
            f"full = pd.MultiIndex.from_product([table[c].unique() for c in {index!r}], names={index!r})\n"
            f"table = table.set_index({index!r})[[{metric!r}]].reindex(full, fill_value=0).reset_index()"
            "  # what is missing counts as 0"
        )
    why = "Left out in silence, the hard ones may be gone."
    raise refusal("unmatched", what, why, *ways)


def _attempts(evidence):
    if "attempt" not in evidence.keys:
        return
    n = evidence.used.groupby(["system", "item"]).size().groupby("system").nunique()
    if (n > 1).any():
        names = evidence.names
        by = [names["system"], names["item"]]
        mean = f"table.groupby({by!r}, as_index=False)[{evidence.metric!r}].mean()"
        what = f"{listed(n.index[n > 1])} answered some items more often than others."
        why = (
            "Answers are averaged per item; of one item there are more than of another."
        )
        raise refusal(
            "unmatched", what, why, f"table = {mean}  # the mean answer to each"
        )


def _groups(evidence):
    frame, column = evidence.used, evidence.names.get("group")
    if "group" not in frame:
        return
    if evidence.kind != "items":
        what = f"{shown(column)} is the group, and a row is a {evidence.keys[0]}."
        ways = (Say({"columns": {"item": column}}, "if systems met each once"),)
        raise refusal(
            "groups", what, "Groups are of items.", *ways, Say({"ignore": [column]})
        )
    n = frame.groupby("item")["group"].nunique()
    if (n > 1).any():
        what = f"{count(int((n > 1).sum()), 'item')} lie in two groups: {examples(n.index[n > 1])}."
        item = evidence.names["item"]
        way = f"table[{item!r}] = table[{column!r}].astype(str) + '/' + table[{item!r}].astype(str)"
        why = "An item that is in two groups is two items by one name, or the column is wrong."
        raise refusal("groups", what, why, f"{way}  # if they are two items")


def _range(evidence):
    """Refuse shares that are none."""
    scores, name = evidence.used["score"], evidence.metric.removeprefix("test_")
    if name not in schema.SHARES:
        return
    beyond = scores[(scores < 0) | (scores > 100)]
    if beyond.size:
        what = f"{count(beyond.size, 'score')} of {shown(evidence.metric)} lie outside 0 to 100: "
        way = "mend them; a code for what failed is no score."
        raise refusal(
            "range", f"{what}{examples(beyond.unique())}.", "No share does.", way
        )


def _chosen(evidence):
    """Refuse test scores that chose, and settings that vary where nothing was chosen."""
    frame, options = evidence.used, evidence.options
    if "validation" in frame and (frame["validation"] == frame["score"]).all():
        what = f"{shown(evidence.names['validation'])} and {shown(evidence.metric)} are equal in every row."
        why = "What chose among runs is too good: the best of several is compared."
        raise refusal("test-chose", what, why, "give the scores of the test part.")
    settings = [c for c in frame if c.startswith("setting ")]
    own = evidence.names.get("setting", ())
    n_settings = frame.groupby("system", sort=False)[settings].nunique()
    varying = [own[int(c.split()[1])] for c in settings if (n_settings[c] > 1).any()]
    if evidence.kind != "search":
        if varying:
            what = f"{listed(varying)} vary within a system: these rows are a search."
            why = "The scatter of a search is not that of seeds, and its best score was chosen."
            first = varying[0]
            one = f"table = table[table[{first!r}] == {_first(frame[settings[own.index(first)]])!r}]"
            trial = Say(
                {
                    "columns": {
                        "trial": evidence.names[evidence.keys[0]],
                        "validation": "COLUMN",
                    },
                    "random": True,
                }
            )
            raise refusal("search", what, why, f"{one}  # one setting", trial)
        return
    if "validation" not in frame:
        what, why = (
            "No column is called validation.",
            "The test score would choose, and judge as well.",
        )
        raise refusal(
            "test-chose", what, why, Say({"columns": {"validation": "COLUMN"}})
        )
    if not options.random:
        what, why = (
            "Were the settings drawn at random?",
            (
                "The expected best of n needs independent draws: a guided search learns from"
                " its trials, and a grid is the same each time."
            ),
        )
        ways = (
            Say({"random": True}, "if they were"),
            "or compare restarts of the search, one row a restart, as seeds.",
        )
        raise refusal("search", what, why, *ways)
    for system, part in frame.groupby("system", sort=False):
        levels, n = part[settings].nunique(), len(part[settings].drop_duplicates())
        if (levels > 1).sum() > 1 and n == levels.prod():
            what = f"The settings of {shown(system)} are a grid: all {n:,} combinations are there."
            raise refusal(
                "grid", what, "A grid is no random draw.", "search again, at random."
            )


def _sizes(evidence):
    options = evidence.options
    if evidence.kind != "folds" or (options.n_train and options.n_test):
        return
    k = evidence.used["fold"].nunique()
    what = "How many items did each fold train on, and how many did it test on?"
    why = (
        "By how much training parts overlap decides the p-value. Only the ratio counts."
    )
    example = Say(
        {"n_train": 100 * (k - 1), "n_test": 100}, f"if they are {k} equal folds"
    )
    raise refusal(
        "sizes",
        what,
        why,
        example,
        Say({"n_train": 80, "n_test": 20}, "if each split is 80 to 20"),
    )


def _enough(evidence):
    frame, kind = evidence.used, evidence.kind
    n = frame.groupby("system", sort=False)[evidence.keys[0]].nunique()
    fewest = schema.FEWEST[kind]
    if kind == "seeds" and n.min() < fewest:
        only = listed(n.index[n < 2])
        why = "One run does not show how far another seed would lie."
        raise refusal(
            "one-run",
            f"There is one run of {only}.",
            why,
            "train it again with other seeds.",
        )
    if n.min() < fewest:
        what = f"There are {each(n)} {evidence.keys[0]}s, and {fewest} are the fewest."
        why = "Of so few nobody can say how far another would lie."
        raise refusal("few", what, why, f"collect more {evidence.keys[0]}s.")
    if (
        "seed" in evidence.keys
        and kind == "items"
        and evidence.n_rows.min() < schema.FEWEST_RUNS
    ):
        names = evidence.names
        by = [
            names["system"],
            names["item"],
            *([names["group"]] if "group" in frame else []),
        ]
        what = f"Runs: {each(evidence.n_rows)}; {schema.FEWEST_RUNS} of each are the fewest."
        way = (
            f"table = table.groupby({by!r}, as_index=False)[{evidence.metric!r}].mean()"
        )
        why = "Fewer do not show how far another seed would lie."
        raise refusal("few", what, why, "train more.", f"{way}  # these models alone")


CHECKS = _unique, _attempts, _same_keys, _groups, _range, _chosen, _sizes, _enough
