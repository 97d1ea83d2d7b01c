"""What cannot be true of rows that are scores: each is refused with the reason, and
with lines that mend it, or with what to collect.
"""

from evalkit.reports import schema
from evalkit.reports._cells import only, plain, plainly
from evalkit.reports._refused import Say, count, each, examples, listed, refusal, shown

# --------------------------------------------------------------------------------------
# What a row is
# --------------------------------------------------------------------------------------


def check_systems(evidence):
    """Refuse a baseline that is not there, or is alone."""
    there = [*evidence.used["system"].unique()]
    if evidence.baseline not in there:
        what = f"No system is called {shown(evidence.baseline)}; there are"
        ways = [Say({"baseline": name}) for name in there[:8]]
        raise refusal("baseline", f"{what} {examples(there, 8)}.", *ways)
    if len(there) < 2:
        what = f"There is no system but {shown(there[0])}."
        raise refusal("baseline", what, "add the other's rows.")


def apart(evidence, key):
    """Return the refusal of systems that were scored on different things."""
    of = evidence.used.groupby("system", sort=False)[key].first()
    own = examples(f"{name} {value}" for name, value in of.items())
    what = f"Each system has a {key} of its own: {own}."
    return refusal("unmatched", what, f"score all systems on the same {key}s.")


def no_unit(evidence, keys):
    """Return the refusal of rows that no kind of results has."""
    names, system = evidence.names, evidence.names["system"]
    n = evidence.used["system"].value_counts(sort=False)
    if not keys and (n == 1).all():
        return refusal(
            "one-run",
            f"There is one score of each system ({each(n)}).",
            "train each again with other seeds: five are few, twenty are better.",
            "or give the answers to the test items: they compare these fitted models.",
            "or, of printed numbers, call ek.from_summary (means with their spread) or"
            " ek.mcnemar_range (accuracies on the same items).",
        )
    if not keys:
        seed = names.get("seed", "seed")
        line = f"table[{seed!r}] = table.groupby({system!r}).cumcount()"
        return refusal(
            "unit",
            f"Nothing tells the rows of a system apart ({each(n)}).",
            f"{line}  # if each row is a training run",
            Say({"columns": {"item": "COLUMN"}}, "the column that names what was met"),
        )
    kinds = "; ".join(" and ".join(kind) for kind in schema.KINDS)
    what = f"Rows are told apart by {listed([names[key] for key in keys])} together; a"
    return refusal(
        "unit", f"{what} row is of one of: {kinds}.", *_to_kinds(evidence, keys)
    )


def _to_kinds(evidence, keys):
    """Yield ways to a table of a kind from one with more keys."""
    names, frame = evidence.names, evidence.used
    for kind in (kind for kind in schema.KINDS if {*kind} < {*keys}):
        rest = [names[key] for key in keys if key not in kind]
        if not frame.duplicated(["system", *kind]).any():
            alone = f"{kind[-1]} alone tells the rows apart"
            yield Say({"ignore": rest}, alone)
            if kind == ("item",) and len(rest) == 1:
                yield Say({"columns": {"group": rest[0]}}, alone)
        elif kind != ("item",) or "dataset" not in keys:
            over = listed(rest)
            yield f"{_mean(evidence, kind)}  # for each {kind[-1]} the mean over {over}"
        else:  # another item bears the same name on another data set
            yield _joined(names["item"], names["dataset"])
    for key in keys:
        yield f"{only(names[key], frame[key])}  # on one {key} alone"


def _joined(item, column):
    """Return the Python that names items by another column as well."""
    words = f"table[{column!r}].astype(str) + '/' + table[{item!r}].astype(str)"
    return f"table[{item!r}] = {words}  # if {column} tells them apart"


def _mean(evidence, keys):
    """Return the Python that averages the scores of rows with the same keys."""
    more = [role for role in ("group", "part") if role in evidence.used]
    names, metric, lines = evidence.names, evidence.metric, ""
    means = [metric, *(names[r] for r in ("validation",) if r in evidence.used)]
    if evidence.of_answers:  # answers are held to labels
        pair = [f"table[{names[c]!r}].astype(str)" for c in ("prediction", "label")]
        lines = f"table['accuracy'] = ({' == '.join(pair)}).astype(float)\n"
        means = ["accuracy"]
    by = [names[role] for role in ("system", *keys, *more)]
    varying = _varying(evidence, *keys)
    by += [column for column in names.get("setting", ()) if column not in varying]
    return f"{lines}table = table.groupby({by!r}, as_index=False)[{means!r}].mean()"


def _varying(evidence, *keys):
    """Return the settings that vary within a system, or in rows with the same keys."""
    columns = evidence.names.get("setting", ())
    n = evidence.used.groupby(["system", *keys])[_settings(evidence.used)].nunique()
    return [c for c, most in zip(columns, n.max(), strict=True) if most > 1]


# --------------------------------------------------------------------------------------
# Rows, once it is known what they are
# --------------------------------------------------------------------------------------


def _unique(evidence):
    frame, keys = evidence.used, ["system", *evidence.keys]
    twice = frame[frame.duplicated(keys, keep=False)]
    if twice.empty:
        return
    named = ", ".join(f"{key} {shown(twice.iloc[0][key])}" for key in keys)
    by, told = [evidence.names[role] for role in keys], "give each row once."
    apart = [
        column
        for column in evidence.options.ignore
        if not evidence.table.duplicated([*by, column]).any()
    ]
    if apart:
        told = (
            f"{listed(apart)}, ignored, tells them apart: a step, an item, a repeat?"
            " 'Make it long' has lines for each."
        )
    ways = []
    if twice.duplicated().sum() == twice.duplicated(keys).sum():
        own = [evidence.names[c] for c in frame if c in evidence.names]
        own += [evidence.metric] * (not evidence.of_answers)
        line = f"table = table.drop_duplicates(subset={own!r})"
        ways.append(f"{line}  # the same rows again")
    if evidence.keys == ("item",):
        others = [*apart, *filter(None, [evidence.group])]
        ways += [_joined(by[1], column) for column in others]
        attempt = evidence.names.get("attempt", "attempt")
        line = f"table[{attempt!r}] = table.groupby({by!r}).cumcount()"
        ways.append(f"{line}  # if each is another answer of the same model")
    if not evidence.of_answers:
        line = _mean(evidence, keys[1:])
        ways.append(f"{line}  # if they are repeats of one measurement")
    what = f"The same {listed(keys)} in {count(len(twice), 'row')}: {named}."
    raise refusal("duplicates", what, told, *ways)


def _same_keys(evidence):
    """Refuse items, folds and data sets that not every system has."""
    if evidence.kind in ("seeds", "search"):
        return
    frame, (key, *rows) = evidence.used, evidence.keys
    run = frame["system"].str.cat([frame[row] for row in rows], sep=" ")
    sets = frame.groupby(run, sort=False)[key].agg(frozenset)
    every, common = frozenset().union(*sets), frozenset.intersection(*sets)
    if every == common:
        return
    column = evidence.names[key]
    written = frame.assign(written=plain(frame[key])).groupby(run, sort=False)
    alike = {*written["written"].agg(frozenset)}
    if len(alike) == 1 and len(next(iter(alike))) == sets.map(len).max():
        what = f"{key}s are written in two ways: {examples(sorted(every - common), 4)}."
        line = f"table[{column!r}] = {plainly(column)}"
        raise refusal("spelling", what, line)
    lacking = {name: len(every - own) for name, own in sets.items() if own != every}
    what = (
        f"Of {len(every):,} {key}s {len(every - common):,} are not everywhere"
        f" ({examples(sorted(every - common))}); missing: {each(lacking)}."
    )
    if not common:
        way = f"name each {key} in one way, or run the systems on the same."
        raise refusal("unmatched", what, way)
    if rows == ["attempt"]:
        way = f"{_mean(evidence, ['item'])}  # the mean answer to each"
        raise refusal("unmatched", what, way)
    by = [evidence.names[role] for role in ("system", *rows)]
    joined = " + '/' + ".join(f"table[{name!r}].astype(str)" for name in by)
    ways = [
        f"runs = {joined}\n"
        f"n_runs = runs.groupby(table[{column!r}]).transform('nunique')\n"
        "table = table[n_runs == runs.nunique()]  # what all have; say how many"
    ]
    if not (evidence.group or evidence.of_answers) and evidence.sign > 0:
        names = [*by, column]
        ways.append(
            f"full = pd.MultiIndex.from_product([table[c].unique() for c in {names!r}],"
            f" names={names!r})\n"
            f"table = table.set_index({names!r})[[{evidence.metric!r}]]\n"
            "table = table.reindex(full, fill_value=0).reset_index()"
            "  # what is missing counts as 0"
        )
    raise refusal("unmatched", what, *ways)


def _groups(evidence):
    frame, column = evidence.used, evidence.names.get("group")
    if "group" not in frame:
        return
    if evidence.kind != "items":
        what = f"{shown(column)} is the group, and a row is a {evidence.keys[0]}."
        item = Say({"columns": {"item": column}}, "if systems met each once")
        raise refusal("groups", what, item, Say({"ignore": [column]}))
    n = frame.groupby("item")["group"].nunique()
    if (several := n.index[n > 1]).size:
        what = f"In two groups: {count(several.size, 'item')}, {examples(several)}."
        item, group = (f"table[{evidence.names[r]!r}]" for r in ("item", "group"))
        line = f"{item} = {group}.astype(str) + '/' + {item}.astype(str)"
        raise refusal("groups", what, f"{line}  # if they are two items")


def _range(evidence):
    """Refuse shares that are none."""
    scores, name = evidence.used["score"], evidence.metric.removeprefix("test_")
    beyond = scores[(scores < 0) | (scores > 100)]
    if name in schema.SHARES and beyond.size:
        what = f"{shown(evidence.metric)} lies in {count(beyond.size, 'row')} outside"
        way = "mend them; a code for what failed is no score."
        raise refusal("range", f"{what} 0 to 100: {examples(beyond.unique())}.", way)


def _chosen(evidence):
    """Refuse test scores that chose, and settings that vary among runs."""
    frame, names = evidence.used, evidence.names
    if "validation" in frame and (frame["validation"] == frame["score"]).all():
        what = f"{shown(names['validation'])} and {shown(evidence.metric)} are equal"
        way = "give the scores of the test part."
        raise refusal("test-chose", f"{what} in every row.", way)
    if evidence.kind == "search":
        return _check_search(evidence)
    if own := _varying(evidence):
        column = frame[f"setting {names['setting'].index(own[0])}"]
        trial = {"trial": names[evidence.keys[0]], "validation": "COLUMN"}
        what = f"{listed(own)} vary within a system: these rows are a search."
        line = f"{only(own[0], column)}  # one setting"
        raise refusal("search", what, line, Say({"columns": trial, "random": True}))
    return None


def _settings(frame):
    return [column for column in frame if column.startswith("setting ")]


def _check_search(evidence):
    frame = evidence.used
    if "validation" not in frame:
        way = Say({"columns": {"validation": "COLUMN"}})
        raise refusal("test-chose", "No column is called validation.", way)
    if not evidence.options.random:
        restarts = "or compare restarts of the search, one row a restart, as seeds."
        drawn = Say({"random": True}, "if they were")
        raise refusal("search", "Were the settings drawn at random?", drawn, restarts)
    for system, part in frame.groupby("system", sort=False)[_settings(frame)]:
        levels, n = part.nunique(), len(part.drop_duplicates())
        if (levels > 1).sum() > 1 and n == levels.prod():
            what = (
                f"The settings of {shown(system)} are a grid: all {n:,} combinations."
            )
            raise refusal("grid", what, "search again, at random.")


def _sizes(evidence):
    options = evidence.options
    if evidence.kind == "folds" and not (options.n_train and options.n_test):
        k = evidence.used["fold"].nunique()
        equal = Say({"n_train": 100 * (k - 1), "n_test": 100}, f"of {k} equal folds")
        split = Say({"n_train": 80, "n_test": 20}, "if each split is 80 to 20")
        what = "How many items did each fold train on, and how many did it test on?"
        raise refusal("sizes", what, equal, split)


def _enough(evidence):
    kind, key, runs = evidence.kind, evidence.keys[0], evidence.n_rows
    n = evidence.used.groupby("system", sort=False)[key].nunique()
    if kind == "seeds" and n.min() < schema.FEWEST[kind]:
        what = f"There is one run of {listed(n.index[n < 2])}."
        raise refusal("one-run", what, "train it again with other seeds.")
    if n.min() < schema.FEWEST[kind]:
        what = f"{key}s: {each(n)}; {schema.FEWEST[kind]} are the fewest."
        raise refusal("few", what, f"collect more {key}s.")
    if evidence.keys == ("item", "seed") and runs.min() < schema.FEWEST_RUNS:
        what = f"Runs: {each(runs)}; {schema.FEWEST_RUNS} of each are the fewest."
        line = f"{_mean(evidence, ['item'])}  # these models alone"
        raise refusal("few", what, "train more.", line)


CHECKS = _unique, _same_keys, _groups, _range, _chosen, _sizes, _enough
