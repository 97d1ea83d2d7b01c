"""What neither a format nor the schema knows of a table: it is proposed where values speak, and else asked.

Nothing is compared on a proposal: it is shown with the values, and with the option that confirms each line.
"""

from dataclasses import replace
from itertools import combinations

import numpy as np

from evalkit.reports import _columns, _wide, metrics, schema
from evalkit.reports._cells import one_reading
from evalkit.reports._choices import best_of_several
from evalkit.reports._faults import Fault, RefusedError, argument, examples, listed, shown
from evalkit.reports._seen import as_datasets, no_answers, numbers_rows
from evalkit.reports._table import BY_NAME, SAID
from evalkit.reports._wide import option

_KEYS = ("seed", "split", "fold", "run", "trial", "item", "dataset", "repeat", "size")
_ITEMS = 100  # so many names, each once in every system, are items; fewer may be data sets
_COUNTS = 1000  # whole numbers beyond it are no counts: seeds are drawn so


class UnconfirmedError(RefusedError):
    """Columns that are not known by their names, with what is proposed and what is asked.

    Parameters
    ----------
    table : Table
    """

    def __init__(self, table):
        self.table, self.places = table, ()
        faults = [
            Fault(
                "columns",
                f"{listed(line.columns or (line.option,))}: taken for "
                f"{'the ' + line.role if line.role else line.option}, for {line.why}.",
                "It is a proposal, and no page is written on one.",
                (f"{line.option} confirms it.", "--as-proposed confirms all that is proposed."),
            )
            for line in table.proposed
        ]
        faults += [
            Fault(question.about, question.what, "Nothing in the file says it.", question.ways)
            for question in table.asked
        ]
        super().__init__(*faults)


def complete(table, options):
    """Propose a role for each column that has none, and list what must be asked.

    Parameters
    ----------
    table : Table
    options : Options

    Returns
    -------
    Table
    """
    table = _right_words(_score(_predictions(_of_one_metric(table), options), options), options)
    compared = ("score", "validation", "numerator", "denominator", "size")
    one_reading(table.facts, [table.roles[role] for role in compared if role in table.roles])
    table = _key(table, options)
    table = _rest(table, options)
    way, _ = _columns.score_direction(table, options)
    is_asked = any(question.about in ("metric", "direction") for question in table.asked)
    if way is None and not is_asked and not table.facts.get("metric_by_dataset"):
        name = shown(table.roles["score"])
        table = table.ask("direction", f"Is a higher or a lower {name} better?", _DIRECTIONS)
    return table


_DIRECTIONS = ("--direction higher", "--direction lower")


def confirm(table, options):
    """Raise what is not confirmed.

    Parameters
    ----------
    table : Table
    options : Options
    """
    open_lines = () if options.as_proposed else table.proposed
    if open_lines or table.asked:
        raise UnconfirmedError(replace(table, proposed=open_lines))


# ---------------------------------------------------------------------------------------------
# The score
# ---------------------------------------------------------------------------------------------


def _of_one_metric(table):
    """Return a table whose scores have the name that a column of metrics gives them."""
    frame = table.frame
    named = [n for n in table.free() if schema.plain(n) in ("metric", "metric_name", "measure")]
    named = [name for name in named if frame[name].dtype.kind == "O"]
    values = frame[named[0]].dropna().unique() if named else ()
    if len(values) > 1:
        ways = tuple(f"--where {argument(f'{named[0]}={value}')}" for value in values[:4])
        what = f"{shown(named[0])} names {len(values)} metrics: {examples(values, 6)}."
        why = "One metric is compared, and chosen before its results are seen."
        raise RefusedError(Fault("metric", what, why, ways))
    bare = [n for n in table.free() if schema.plain(n) in ("value", "score", "result")]
    if len(values) != 1 or len(bare) != 1 or values[0] in frame:
        return table
    return replace(table, frame=frame.rename(columns={bare[0]: values[0]}))


def _predictions(table, options):
    """Propose the column of predictions, where the right answers stand beside them."""
    frame, roles = table.frame, table.roles
    if "label" not in roles or {"prediction", "score", "correct", "rater"} & {*roles}:
        return table
    words = set(frame[roles["label"]].dropna().unique())
    alike = [name for name in table.free() if _says_mostly(frame[name].dropna(), words)]
    if not alike and table.facts.get("files", 1) > 1 and "system" in roles:
        what = f"Each file has {shown(roles['label'])}, and none a prediction. What are they?"
        name = argument(f"prediction={roles['label']}")
        ways = (
            f"--map {name} --gold FILE: what systems say, and the file of the right answers.",
            "--unit rater: they are judges, and the question is whether they agree.",
        )
        return table if options.unit == "rater" else table.ask("columns", what, ways)
    if len(alike) != 1:
        return table
    why = f"its values are those of {shown(roles['label'])}"
    return table.propose("prediction", alike[0], why, option("prediction", alike))


def _says_mostly(values, words):
    return len(values) > 0 and bool(values.isin(words).mean() > 0.5)


_TRUTH = frozenset(
    ["true", "false", "yes", "no", "correct", "incorrect", "wrong", "right", "0", "1", "0.0", "1.0"]
)


def _right_words(table, options):
    """Read two words as right and wrong, if somebody said which is which."""
    values = table.column("score")
    if values is None or values.dtype.kind == "f" or _wide.numbers_in(table.frame, table.roles["score"]):
        return table
    name, words = table.roles["score"], sorted(map(str, values.dropna().unique()))
    if options.right is not None:
        if options.right not in words:
            raise ValueError(
                f"right: {shown(name)} never says {shown(options.right)!r}; it says {examples(words)}"
            )
        is_right = (values == options.right).astype(float).mask(values.isna())
        higher = {**table.facts.get("higher", {}), name: True}
        return replace(
            table, frame=table.frame.assign(**{name: is_right}), facts={**table.facts, "higher": higher}
        )
    if len(words) != 2 or {word.lower() for word in words} <= _TRUTH:
        return table
    what = f"{shown(name)} says {' or '.join(map(shown, words))}: which of them is right?"
    return table.ask("metric", what, [f"--right {argument(word)}" for word in words])


def _score(table, options):
    """Find the column that is compared, and the validation score that belongs to it."""
    frame, roles = table.frame, table.roles
    if "numerator" in roles and "denominator" in roles:
        return table
    if "score" in roles:
        if (
            options.metric and options.metric not in frame
        ):  # scores without a heading: what is said names them
            frame = frame.rename(columns={roles["score"]: options.metric})
            table = replace(table, frame=frame).having("score", options.metric, SAID)
        return table
    if options.metric is not None:
        if options.metric not in frame and (fault := best_of_several(options.metric)):
            raise RefusedError(fault)
        return _validation(_said_score(table, options.metric))
    if "correct" in roles:
        return table.having("score", roles["correct"], table.why["correct"])
    free = [name for name in table.free() if name not in table.facts["spreads"]]
    numeric = [name for name in free if _wide.numbers_in(frame, name) and frame[name].notna().any()]
    names = table.facts.get("metrics") or [name for name in numeric if metrics.is_metric(name)]
    names = [name for name in names if name in frame and frame[name].notna().any()]
    known = [name for name in names if metrics.split_name(name)[1] != "train"]
    tested = [name for name in known if metrics.split_name(name)[1] == "test"]
    others = [name for name in known if metrics.split_name(name)[1] is None]
    chosen = tested or others or known
    if table.facts.get("trials") and not chosen and "value" in numeric:
        return table.having("score", "value", "the objective of the search")
    if len(chosen) == 1:
        why = "the only score" if len(names) == 1 else "the only one of a test set" if tested else "its name"
        return _validation(table.having("score", chosen[0], why))
    if chosen:
        what = f"The file has {len(chosen)} scores: {examples(chosen, 8)}. Which is compared?"
        return table.ask("metric", what, [f"--metric {argument(name)}" for name in chosen[:6]], chosen)
    if "prediction" in roles:
        if "label" not in roles:
            raise RefusedError(no_answers(frame[roles["prediction"]]))
        return table
    if "label" in roles:  # judges that label the same items
        return table
    return _proposed_score(table, numeric, [name for name in names if name not in known])


def _proposed_score(table, numeric, of_training):
    """Propose the one column of measured numbers, or ask which it is."""
    frame = table.frame
    measured = [n for n in numeric if frame[n].dtype.kind != "f" or (frame[n].dropna() % 1 != 0).any()]
    measured = [n for n in measured if n not in of_training and not _belongs_to_system(table, n)]
    if len(measured) == 1:
        why = "it is the only column of numbers with fractions"
        return table.propose("score", measured[0], why, f"--metric {argument(measured[0])}")
    ways = [f"--metric {argument(name)}" for name in (measured or numeric)[:6]] or ["--metric COLUMN"]
    if of_training:
        seen = f"The only scores are of the training part: {examples(of_training)}."
        what = f"{seen} Which column is of the test part?"
        ways = [f"--metric {argument(name)}" for name in numeric if name not in of_training][:6] or ways
    else:
        what = f"No column is called as a metric; numbers are in: {examples(numeric, 12) or 'none'}."
    return table.ask("metric", what, (*ways, *as_datasets(table.facts)), measured or numeric)


def _said_score(table, metric):
    if table.facts.get("folds"):  # scikit-learn's name of the mean over folds
        metric = metric.removeprefix("mean_test_")
    if metric not in table.frame:  # lm-evaluation-harness writes the filter behind it
        metric = metric.partition(",")[0]
    free = [*table.free(), *table.used(but=tuple(r for r in table.roles if r not in ("note", "correct")))]
    found = [metric] if metric in free else [n for n in free if str(n).endswith(("/" + metric, "." + metric))]
    if len(found) != 1:
        numeric = [name for name in table.free() if _wide.numbers_in(table.frame, name)]
        fault = Fault(
            "metric",
            f"No one column is called {shown(metric)!r}; numbers are in: {examples(numeric, 12)}.",
            "One metric is compared, and chosen before its results are seen: the best of several is no finding.",
            tuple(f"--metric {argument(name)}" for name in numeric[:6]) or ("--metric COLUMN",),
        )
        raise RefusedError(fault)
    notes = tuple(name for name in table.roles.get("note", ()) if name != found[0])
    return replace(table, roles={**table.roles, "note": notes}).having("score", found[0], SAID)


def _validation(table):
    """Find the validation score of the same metric, by its documented name."""
    if "validation" in table.roles:
        return table
    metric, part = metrics.split_name(table.roles["score"])
    others = [n for n in table.free() if table.frame[n].dtype.kind == "f"]
    of_validation = [n for n in others if metrics.is_metric(n) and metrics.split_name(n)[1] == "validation"]
    alike = [name for name in of_validation if metrics.split_name(name)[0] == metric]
    if not alike and part != "validation":
        alike = of_validation
    if table.facts.get("trials") and not alike and table.roles["score"] != "value" and "value" in table.frame:
        alike = ["value"]  # the objective of the search chose
    return table.having("validation", alike[0], "its name") if len(alike) == 1 else table


# ---------------------------------------------------------------------------------------------
# What tells the rows of a system apart
# ---------------------------------------------------------------------------------------------


def _key(table, options):
    """Propose what the rows of a system are, where no column is known to say it."""
    table = _finer_items(table)
    if any(role in table.roles for role in _KEYS) or table.facts.get("trials") or table.facts.get("folds"):
        return table
    if options.unit == "trial" or options.search or _settings_vary(table):
        return table
    groups = table.roles.get("group", ()) if "prediction" not in table.roles else ()
    columns = [name for name in (*table.free(), *groups) if _may_be_key(table, name)]
    if groups:
        table = replace(table, roles={**table.roles, "group": tuple(n for n in groups if n not in columns)})
    unit = options.unit if options.unit in ("seed", "fold", "item", "dataset") else None
    if unit and len(columns) == 1:
        return table.having(unit, columns[0], f"{SAID}, --unit {unit}")
    if unit in ("item", "fold", "dataset") and "row" in table.facts:
        return table.having(unit, table.facts["row"], "each row has one score of each system")
    if unit == "seed" or (unit and not columns):
        return table
    if not columns and "prediction" in table.roles:
        return table  # answers are joined by a name or not at all: refused where items are read
    if not columns and (pair := _pair_of_keys(table)):
        return table.ask("unit", *_asked_pair(table, pair), pair)
    if len(columns) != 1:
        what = "Nothing says what a row is: a seed, an item, a fold or a data set."
        if columns:
            what += f" Which of {examples(columns, 6)} tells the rows of a system apart?"
            ways = [f"--map {role}={argument(columns[0])}" for role in ("seed", "item", "fold", "dataset")]
            return table.ask("unit", what, (*ways, "--unit seed"), columns)
        return table.ask(
            "unit", what, tuple(f"--unit {unit}" for unit in ("seed", "item", "fold", "dataset"))
        )
    (name,) = columns
    role, why = _likely_role(table, name)
    if role:
        return table.propose(role, name, why, f"--map {role}={argument(name)}")
    roles = ("seed", "fold", "split", "item", "dataset")
    what = f"What does {shown(name)} name ({examples(table.frame[name].map(_text).unique(), 5)})?"
    return table.ask("unit", what, [f"--map {role}={argument(name)}" for role in roles], columns)


def _finer_items(table):
    """Propose another column for the items, where the one that is called so holds several, or a group is one."""
    frame, roles = table.frame, table.roles
    if "item" in roles and table.why["item"] == BY_NAME:
        known = [roles[role] for role in _KEYS + ("rater", "system") if role in roles]
        finer = [name for name in table.free() if _may_be_key(table, name)]
        if not frame.duplicated(known).any() or len(finer) != 1:
            return table
        (name,), coarse = finer, roles["item"]
        table = replace(table, roles={role: names for role, names in roles.items() if role != "item"})
        table = table.having("group", coarse, f"it holds several of {shown(name)}")
    elif {"prediction", "correct"} & {*roles} and not any(role in roles for role in _KEYS):
        whole = [n for n in roles.get("group", ()) if not frame.duplicated([roles["system"], n]).any()]
        if len(whole) != 1:
            return table
        (name,) = whole
        groups = tuple(group for group in roles["group"] if group != name)
        table = replace(table, roles={**roles, "group": groups})
    else:
        return table
    why = f"{frame[name].nunique()} values, each once in every system"
    return table.propose("item", name, why, option("item", [name]))


def _settings_vary(table):
    """Tell whether settings tell the rows of a system apart, as in a search."""
    names = [
        *table.roles.get("setting", ()),
        *(n for n in table.facts.get("settings", ()) if n in table.frame),
    ]
    return any(not _belongs_to_system(table, name) for name in names)


def _pair_of_keys(table):
    """Return two columns that tell the rows of a system apart together, if only two do."""
    frame, system = table.frame, table.roles["system"]
    names = [n for n in table.free() if n not in table.used() and frame[n].nunique() > 1]
    names = [n for n in names if n not in _own_rows(table) and not numbers_rows(frame[n])]
    names = [n for n in names if frame[n].dtype.kind == "O" or (frame[n].dropna() % 1 == 0).all()]
    names = [n for n in names if schema.is_shared(frame[n].fillna("nothing"), frame[system])]
    names = [n for n in names if not any(m != n and _hangs_on(frame, n, m) for m in names)]
    pairs = [pair for pair in combinations(names[:8], 2) if not frame.duplicated([system, *pair]).any()]
    return list(pairs[0]) if len(pairs) == 1 else None


def _hangs_on(frame, name, other):
    """Tell whether a column says nothing that another does not say."""

    def is_function(one, of):
        return bool((frame.groupby(of, dropna=False)[one].nunique(dropna=False) < 2).all())

    return is_function(name, other) and not is_function(other, name)


def _asked_pair(table, pair):
    """Return the question what two columns are, and the options that answer it."""
    coarse, fine = sorted(pair, key=lambda name: table.frame[name].nunique())
    shown_values = "; ".join(f"{shown(n)}: {examples(table.frame[n].map(_text).unique(), 4)}" for n in pair)
    what = f"{shown(pair[0])} and {shown(pair[1])} tell the rows of a system apart together ({shown_values})."
    one, other = argument(f"item={fine}"), argument(f"repeat={coarse}")
    ways = [
        f"--map {one} --map {other}, if each item was answered several times.",
        f"--map {one} --map {argument(f'rater={coarse}')}, if each was scored by several raters.",
        f"--map {argument(f'item={coarse},{fine}')} --unit {argument(coarse)}, if items are numbered within it.",
        f"--map {argument(f'dataset={fine}')} --map {argument(f'seed={coarse}')}, or the other way round.",
        "--where COLUMN=VALUE keeps one value of a column that only repeats the rest.",
    ]
    return what + " What are they?", ways


def _text(value):
    return f"{value:g}" if isinstance(value, float) else shown(value)


def _may_be_key(table, name):
    """Tell whether a column tells the rows of a system apart, by values that the systems share."""
    frame, system = table.frame, table.roles["system"]
    values = frame[name]
    if (
        name in table.used(but=("group",))
        or name in _own_rows(table)
        or values.isna().any()
        or numbers_rows(values)
    ):
        return False
    if _is_index(frame[name]):
        return False
    if values.dtype.kind == "f" and (values % 1 != 0).any():
        return False
    is_unique = not frame.duplicated([system, name]).any()
    return is_unique and schema.is_shared(values, frame[system])


def _own_rows(table):
    """Return the columns that we numbered rows by ourselves."""
    return {table.facts.get("row"), "row" if table.facts.get("arrays") else None}


def _is_index(values):
    """Tell whether a column is called as pandas calls the numbers of the rows of a file, and holds numbers."""
    return values.dtype.kind == "f" and schema.plain(values.name).startswith(("unnamed", "index"))


def _likely_role(table, name):
    """Return the role that the values of a key suggest, and why; None where they may be several things."""
    values, words = table.frame[name], set(metrics.tokens(name))
    n, score = values.nunique(), table.column("score")
    is_number = values.dtype.kind == "f"
    called = next((role for role in ("seed", "fold", "split", "item", "dataset") if role in words), None)
    if called and schema.fits(called, values):
        return called, f"{n} values, each once in a system, and {called!r} in its name"
    steps = np.diff(np.sort(values.unique())) if is_number else ()
    if is_number and values.abs().max() >= _COUNTS and n < _ITEMS and len(set(steps)) > 1:
        return "seed", f"{n} whole numbers that count nothing, the same in each system"
    is_right = score is not None and set(score.dropna().unique()) <= {0.0, 1.0}
    if n >= _ITEMS or is_right or "prediction" in table.roles:
        return "item", f"{n} values, each once in every system" + ", beside right or wrong" * is_right
    if not is_number:
        return "dataset", f"{n} names, each once in every system: {examples(values.unique(), 4)}"
    return None, ""


# ---------------------------------------------------------------------------------------------
# The rest
# ---------------------------------------------------------------------------------------------


def _belongs_to_system(table, name):
    frame = table.frame
    return bool((frame.groupby(table.roles["system"], dropna=False)[name].nunique() < 2).all())


def _rest(table, options):
    """Set aside what cannot matter, and ask of the rest whether it was set."""
    facts = table.facts
    settings = [name for name in facts.get("settings", ()) if name in table.free()]
    table = table.having("setting", settings, "the format has it so")
    free = [n for n in table.free() if n not in ("row", facts.get("row")) and not metrics.is_metric(n)]
    spreads = [name for name in free if name in facts["spreads"]]
    is_items = facts.get("items") or (
        ("item" in table.roles or "label" in table.roles) and options.unit != "seed"
    )
    measured = _within_runs(table, free)
    quiet = [
        name
        for name in free
        if is_items or name in measured or name in spreads or _cannot_matter(table, name)
    ]
    table = table.having("note", quiet, "no score, and the same for a system, or naming rows")
    asked = {name for question in table.asked for name in question.columns}
    left = [name for name in free if name not in quiet and name not in asked]
    if not left or facts.get("folds"):
        return table.having("note", left, "no score")
    if facts.get("trials") or options.unit == "trial" or options.search or "trial" in table.roles:
        return table.having("setting", left, "the rest of a search")
    what = f"{listed(left)}: {'was it' if len(left) == 1 else 'were they'} set, or may "
    what += f"{'it' if len(left) == 1 else 'they'} be overlooked? In the runs of one system "
    what += f"{'it varies' if len(left) == 1 else 'they vary'}: {_varied(table, left)}."
    return table.ask("columns", what, (option("setting", left), option("note", left)), left)


def _within_runs(table, names):
    """Return the columns that vary within a run, by all its steps: what was set is the same for a run."""
    whole = table.facts.get("whole", table.frame)
    keys = [table.roles[role] for role in ("system", "run", "seed", "fold", "trial") if role in table.roles]
    if "step" not in table.roles or len(keys) < 2 or not whole.duplicated(keys).any():
        return []
    runs = whole.groupby(keys, dropna=False)
    return [name for name in names if (runs[name].nunique() > 1).mean() > 0.5]


def _varied(table, names):
    values = [
        f"{shown(name)} {examples(table.frame[name].dropna().map(_text).unique(), 3)}" for name in names
    ]
    return "; ".join(values[:4]) + (f" and {len(values) - 4} more" if len(values) > 4 else "")


def _cannot_matter(table, name):
    """Tell whether a column is no setting that varies: by system or data set, a name of each row, a flag of steps."""
    frame = table.frame
    values = frame[name].dropna()
    if values.empty or _is_index(frame[name]) or numbers_rows(frame[name]) or _belongs_to_system(table, name):
        return True
    if "dataset" in table.roles:
        by_set = frame.groupby(table.roles["dataset"], dropna=False)[name].nunique(dropna=False)
        if (by_set < 2).all():
            return True
    is_word = values.dtype.kind == "O"
    if is_word and len(values) > 3 and values.is_unique:
        return True
    is_flag = set(values.astype(str).str.lower()) <= {"true", "false"} or set(values) <= {0.0, 1.0}
    return is_flag and ("step" in table.roles or "run" in table.roles)


# ---------------------------------------------------------------------------------------------
# As it is printed
# ---------------------------------------------------------------------------------------------


def lines(table, places):
    """Return what is known, proposed and asked, as lines to print.

    Parameters
    ----------
    table : Table
    places : sequence of str
        What was read, in words.

    Returns
    -------
    list of str
    """
    by_column = {name: role for role in table.roles for name in _names(table, role)}
    open_columns = {name for line in table.proposed for name in line.columns}
    asked = {name for question in table.asked for name in question.columns}
    rows = []
    for name in table.frame.columns:
        values = table.frame[name].dropna()
        taken = "?" if name in asked else by_column.get(name, "")
        rows.append(
            (
                shown(name),
                examples(values.map(_text).unique(), 3),
                f"{values.nunique():,}",
                taken + " ?" * (name in open_columns and name not in asked),
            )
        )
    head = ("column", "values", "different", "taken for")
    widths = [min(38, max(len(row[k]) for row in (head, *rows))) for k in range(4)]
    out = [*places, ""]
    for row in (head, *rows):
        cells = [
            cell if len(cell) <= width else cell[: width - 1] + "\u2026"
            for cell, width in zip(row, widths, strict=True)
        ]
        out.append(
            "  " + "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
        )
    if table.proposed:
        out += ["", "Proposed, and to be confirmed: each by its option, or all by --as-proposed"]
        out += [f"  {line.option}   ({line.why})" for line in table.proposed]
    if table.asked:
        out += ["", "To be said, for nothing in the file says it"]
        for question in table.asked:
            out += [f"  {question.what}", *(f"    {way}" for way in question.ways)]
    return out


def _names(table, role):
    names = table.roles[role]
    return (names,) if isinstance(names, str) else names
