"""Tables that are not long: systems side by side, or the scores of a system in one row.

What the columns are is never taken from their names or values: whoever asks says it.
"""

import re
from dataclasses import replace

import pandas as pd

from evalkit.reports import schema
from evalkit.reports._faults import argument, examples, listed, refusal, shown
from evalkit.reports._recognition import _named
from evalkit.reports._recognition._cells import (
    are_scores,
    check_scores,
    is_number,
    one_reading,
)
from evalkit.reports._recognition._metrics import direction, hinted, split_name
from evalkit.reports._recognition._seen import as_shown

_NUMBERED = re.compile(r"(seed|fold|split|run)[ _-]?\d+", re.IGNORECASE)
_MARKS = 0.95  # of the cells: two words that nearly all say
_MANY = 30  # rows: of data sets there are fewer
_ACROSS = ("dataset", "item", "seed", "fold")  # what columns side by side may name
MEANINGS = {
    "item": "if each is what every system answered: a question, an utterance, an image",
    "dataset": "if each is a data set, and its scores are means over its items",
    "seed": "if each is a training run",
    "fold": "if each is a fold of a cross-validation",
    "trial": "if each is a trial of a search for settings",
    "repeat": (
        "if they number the answers to one item, or the times that folds were drawn"
    ),
    "rater": "if each is somebody who scored the answers",
    "step": "if each is a step or an epoch of a run, and the last one counts",
    "setting": "if it was chosen, as a learning rate is",
    "note": "if it tells nothing apart, as the words of an answer do",
}


def numbers_in(frame, name):
    """Tell whether a column holds scores: numbers, or words that are printed
    numbers.
    """
    return frame[name].dtype.kind == "f" or are_scores(frame[name])


def side_by_side_unsaid(table, options):
    """Return the refusal of systems side by side, where nobody has said which columns
    they are.
    """
    baseline = options.baseline
    others = [name for name in table.free() if name != baseline]
    what = (
        f"{shown(baseline)!r} is the name of a column: systems stand side by side, it"
        " seems, among "
    )
    what += f"{examples(others, 8) or 'no others'}."
    why = (
        "Which columns are systems, and which are data sets, means or settings, nothing"
        " in the file says."
    )
    named = option("system", [baseline, "COLUMN"])
    better = "" if options.direction else " --direction higher (or lower)"
    names = (
        "names the systems, with commas between"
        + ", and which score is better" * bool(better)
    )
    ways = (
        f"{named}{better} {names}.",
        (
            f"{named} --map label=COLUMN, if they predict, and a column holds the right"
            " answers."
        ),
        (
            f"{named} --map {argument(f'numerator={baseline},COLUMN')} --map"
            " denominator=COLUMN, if they count (errors, right answers) out of a"
            " total."
        ),
        (
            "or write a row for each score, with the columns system and score:"
            " DataFrame.melt does it."
        ),
    )
    return refusal("baseline", what, why, *ways)


def option(role, names):
    """Return the option that gives columns a role."""
    if any("," in name for name in names):
        return " ".join(f"--map {argument(f'{role}={name}')}" for name in names)
    return f"--map {argument(role + '=' + ','.join(names))}"


def _label_of(table):
    if "label" in table.roles:
        return table.roles["label"]
    found = schema.known_columns(table.frame, table.used(), table.roles).get(
        "label", []
    )
    return found[0] if found else None


def side_by_side(table, systems, right=None):
    """Return a table with a column for each system as a long one; `right` is the word
    that counts as 1.
    """
    frame, facts = table.frame, table.facts
    if all(direction(name) for name in systems):
        what = f"{listed(systems)} are metrics by their names, and no systems."
        why = (
            "Two metrics of one system measure different things: none is better than"
            " the other."
        )
        way = "--baseline NAME, a system of the file, with --metric COLUMN."
        raise refusal("baseline", what, why, way)
    labels = [name for name in frame.columns if name not in systems]
    is_label = _label_of(table) is not None
    value = "prediction" if is_label else "score"
    if not is_label:
        rows = pd.Series([f"row {k}" for k in range(1, len(frame) + 1)], frame.index)
        rows = (
            frame[labels[0]].map(as_shown, na_action="ignore").fillna(rows)
            if labels
            else rows
        )
        one_reading(facts, systems)
        words = pd.concat([frame[name] for name in systems]).value_counts(
            normalize=True
        )
        are_marks = right in words.index or words[:2].sum() >= _MARKS
        # No words for right and wrong.
        if not are_marks or is_number(str(words.index[0])):
            check_scores(frame, systems, rows)
        table = _asked_label(table, labels, systems)
    names = {"system": "system", value: value, "row": "row"}
    names = {role: name + "_" * (name in labels) for role, name in names.items()}
    numbered = frame.assign(**{names["row"]: [str(k) for k in range(len(frame))]})
    long = numbered.melt(
        [*labels, names["row"]],
        systems,
        var_name=names["system"],
        value_name=names[value],
    )
    roles = {role: name for role, name in table.roles.items() if role != "system"}
    role = "numerator" if facts.get("counts") and not is_label else value
    roles |= {"system": names["system"], role: names[value]}
    beside = f"they stand side by side: {examples(systems, 6)}"
    why = {**table.why, "system": beside, role: "what is written below the systems"}
    facts = {
        **facts,
        "wide": True,
        "row": names["row"],
        "rows": len(frame),
        "beside": systems,
    }
    return replace(table, frame=long, roles=roles, why=why, facts=facts)


def called(table, options):
    """Return a table whose scores have the name that stands beside the systems: "f1" of
    "{system}_f1".
    """
    name = _named.beside(options.names)
    role = "score" if "score" in table.roles else "numerator"
    if options.metric or not name or name in table.frame or role not in table.roles:
        return table
    frame, facts = (
        table.frame.rename(columns={table.roles[role]: name}),
        {
            **table.facts,
            "called": True,
        },
    )
    return replace(table, frame=frame, roles={**table.roles, role: name}, facts=facts)


def _asked_label(table, names, systems):
    """Ask of a column with the words of the systems, or that goes with their numbers,
    if they predict it.
    """
    names = [name for name in names if name not in table.used()]
    frame = table.frame[[*names, *systems]]
    of = frame.select_dtypes("float")
    alike = [n for n in names if {n, *systems} <= {*of} and len(of) >= _MANY]
    alike = [
        n for n in alike if of[systems].corrwith(of[n]).min() > 0.5 and of[n].std() > 0
    ]
    alike = [
        n
        for n in alike
        if of[systems].median().between(of[n].median() / 2, of[n].median() * 2).all()
    ]
    words = {
        name: {*frame[name].dropna()} for name in frame if frame[name].dtype.kind == "O"
    }
    said = set().union(*(words.get(name, ()) for name in systems))
    alike += [n for n in names if len(words.get(n, ())) > 1 and words[n] <= said]
    if not alike:
        return table
    what = f"What the systems say goes with {listed(alike)}: do they predict it?"
    labels = [option("label", [name]) for name in alike]
    return table.ask("columns", what, [*labels, option("note", alike)], alike)


def spread_out(table, options):
    """Return a table with one row a system, and its scores in numbered columns, as a
    long one.

    What other columns are is asked, where none has the name of a metric.
    """
    frame, system = table.frame, table.roles["system"]
    if frame[system].duplicated().any() or len(frame) < 2 or "numerator" in table.roles:
        return table
    free = [
        n for n in table.free() if schema.role_of(n) is None and numbers_in(frame, n)
    ]
    numbered = [
        n for n in table.free() if _NUMBERED.fullmatch(str(n)) and numbers_in(frame, n)
    ]
    if len(numbered) > 1:
        role = _NUMBERED.fullmatch(numbered[0])[1].lower()
        return melted(
            table, numbered, "seed" if role == "run" else role, "numbered columns"
        )
    columns = [name for name in free if name not in table.facts["spreads"]]
    is_score = any(
        direction(n) or split_name(n)[1] or schema.plain(n) == "score" for n in columns
    )
    means = [name for name in table.facts.get("means", ()) if name in columns]
    if table.facts["spreads"] or (
        means and (is_score or len(columns) < 2 or options.metric in columns)
    ):
        what = (
            "Each system has one row, with a mean and its spread"
            f" ({examples(means or columns, 4)})."
        )
        why = (
            "A mean is not a run. Means, spreads over runs and their number are enough"
            " for Welch's interval."
        )
        way = (
            "evalkit.from_summary((MEAN, SPREAD, RUNS), (MEAN, SPREAD, RUNS),"
            ' spread="sd") in Python.'
        )
        runs = (
            "or give the runs themselves, a row each; or each system's scores of the"
            " test items."
        )
        raise refusal(
            "one-run", what, why, f"{way} (Not for resamples of one test set.)", runs
        )
    # Metrics of one run each.
    if len(columns) < 2 or options.metric in columns or is_score:
        return table
    what = (
        "Each system has one row. What do the columns of numbers name:"
        f" {examples(columns, 12)}?"
    )
    ways = [f"--map {role}=COLUMN,COLUMN, {MEANINGS[role]}." for role in _ACROSS]
    ways.append("--metric COLUMN, if one of them alone is the score.")
    raise refusal("columns", what, "Nothing in the file says it.", *ways)


def melted(table, columns, role, why):
    """Return a table with a row for each of some columns, their names as the values of
    a role.
    """
    frame, columns = table.frame, list(columns)
    rest = [name for name in frame.columns if name not in columns]
    rows = frame[table.roles.get("system", [*rest, *columns][0])].map(as_shown)
    one_reading(table.facts, columns)
    check_scores(frame, columns, rows)
    long = frame.melt(
        rest, columns, role + "_" * (role in rest), "score" + "_" * ("score" in rest)
    )
    *_, var_name, value_name = long.columns
    table = replace(
        table,
        frame=long,
        facts={"rows": len(frame), **table.facts, "wide": True, "melted": True},
    )
    return table.having(role, var_name, why).having(
        "score", value_name, "the numbers below them"
    )


def one_direction(names, way, column=None):
    """Refuse data sets of which one is better the other way, by its name.

    Parameters
    ----------
    names : list of str
    way : str or None
        Which way all of them are said to be better.
    column : str, optional
        In which they stand; without it each is a column.
    """
    against = [name for name in names if way and hinted(name) not in (None, way)]
    if not against:
        return
    other = "lower" if way == "higher" else "higher"
    raise refusal(
        "direction",
        f"Of {len(names)} data sets a {way} score is to be better, and by its name of "
        f"{examples(against)} a {other} one.",
        "Scores that are better in different ways cannot be counted as one metric on"
        " several data sets.",
        (
            f"--where {argument(f'{column}!=' + ','.join(against))} leaves it out."
            if column
            else f"{option('note', against)} leaves that column out."
        ),
        "give each data set its own name alone.",
    )
