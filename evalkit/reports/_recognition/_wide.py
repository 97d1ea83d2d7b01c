"""Tables that are not long: systems side by side, or the scores of a system in one row."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd

from evalkit.reports import schema
from evalkit.reports._faults import Fault, RefusedError, argument, examples, shown
from evalkit.reports._formats._values import printed
from evalkit.reports._recognition._cells import are_scores, one_reading, read_scores
from evalkit.reports._recognition._metrics import hinted, is_metric, tokens
from evalkit.reports._recognition._seen import numbers_rows

_NUMBERED = re.compile(r"(seed|fold|split|run)[ _-]?\d+", re.IGNORECASE)
_FEWEST_SETS = 5  # columns of one row a system: fewer may be two metrics and a size
_SUMMARIES = "mean average avg overall total macro micro median rank score sum wins winrate"
SUMMARY = frozenset(_SUMMARIES.split())
# Words of columns that are rather set or counted than scored: they are asked about.
_COUNTED = (
    "lr rate time threshold dropout p value delta temperature util memory cutoff n num count params size "
)
_SET = frozenset(f"{_COUNTED} step epoch year seconds steps flops".split())
_OF_PEOPLE = frozenset(
    ["annotator", "rater", "human", "gold", "label", "reference", "truth", "key", "answer", "judge"]
)
_ALIKE = 5  # medians of systems on one metric are within this factor of each other


def numbers_in(frame, name):
    """Tell whether a column holds scores: numbers, or words that are printed numbers."""
    return frame[name].dtype.kind == "f" or are_scores(frame[name])


def is_alike(frame, name, other):
    """Tell whether two columns may be scores on one metric, by their size and whether they have fractions."""
    pairs = [_as_numbers(frame[column]) for column in (name, other)]
    if any(values.empty for values in pairs):
        return False
    has_fractions = [bool((values % 1 != 0).any()) for values in pairs]
    if has_fractions[1] and not has_fractions[0] and len(pairs[0]) > 2 and not set(pairs[0]) <= {0.0, 1.0}:
        return False
    if all(values.between(0, 1).all() for values in pairs):
        return True
    one, reference = (float(np.median(np.abs(values))) for values in pairs)
    return reference / _ALIKE <= one <= reference * _ALIKE


def _as_numbers(values):
    words = values.dropna()
    return words if words.dtype.kind == "f" else printed(words.astype(str)).dropna()


def systems_beside(table, options):
    """Return a table as a long one, where the baseline is a column.

    Parameters
    ----------
    table : Table
    options : Options

    Returns
    -------
    Table
    """
    frame, baseline = table.frame, options.baseline
    label = _label_of(table)
    if label is None and frame[baseline].dtype.kind == "O" and not are_scores(frame[baseline]):
        raise _asked_label(table, baseline)
    if label is not None:
        words = set(frame[label].dropna().unique()) | set(frame[baseline].dropna().unique())
    systems, doubtful = [], []
    for name in table.free():
        values, role = frame[name], schema.role_of(name)
        fits = role is not None and role != "system" and schema.fits(role, values)
        if name == baseline:
            systems.append(name)
        elif label is not None:
            same_kind = values.dtype.kind == frame[baseline].dtype.kind
            if name != label and not fits and same_kind and words & set(values.dropna().unique()):
                (doubtful if _OF_PEOPLE & {*tokens(name)} else systems).append(name)
        elif values.isna().all() or (are_scores(values) and _as_numbers(values).empty):
            systems += [name] * (role is None)
        elif numbers_rows(values) or not numbers_in(frame, name) or name in table.facts["spreads"]:
            continue
        elif is_alike(frame, name, baseline):
            (doubtful if fits else systems).append(name)
        elif not fits:
            doubtful.append(name)
    if len(systems) < 2 and not doubtful:
        raise RefusedError(
            Fault(
                "baseline",
                f"The column {shown(baseline)!r} stands alone: no other column looks like a system.",
                "A comparison needs two systems.",
                ("--map system=COLUMN,COLUMN names the columns that are systems.",),
            )
        )
    if doubtful:
        both = [name for name in table.free() if name in (*systems, *doubtful)]
        said = f"Which columns are systems beside {shown(baseline)}? {examples(doubtful, 6)} may be none."
        ways = (option("system", systems), option("system", both))
        return side_by_side(table, systems, options).ask("columns", said, dict.fromkeys(ways), doubtful)
    aside = {*systems, *table.facts["spreads"]}
    odd = [name for name in systems if name != baseline and _SET & {*tokens(name)}]
    others = [name for name in table.free() if name not in aside and not numbers_rows(frame[name])]
    known = [n for n in others if schema.role_of(n) and schema.fits(schema.role_of(n), frame[n])]
    long = side_by_side(table, systems, options)
    if not odd and (len(others) == len(known) or (len(others) == 1 and label is None)):
        return long
    why = f"columns of one kind, beside each other: {examples(systems, 8)}"
    says = {"columns": {"system": tuple(systems)}}
    return long.propose(None, systems, why, option("system", systems), says)


def _asked_label(table, baseline):
    """Return the refusal of predictions side by side, where no column is known to hold the right answers."""
    said = set(table.frame[baseline].dropna().unique())
    alike = [n for n in table.free() if n != baseline and said & set(table.frame[n].dropna().unique())]
    ways = tuple(f"--map {argument(f'label={name}')}" for name in alike[:8]) or ("--map label=COLUMN",)
    what = (
        f"{shown(baseline)!r} holds words, such as {examples(sorted(map(str, said)))}: predictions, it seems."
    )
    why = (
        "Without the right answers nobody knows which of them are right; one of these columns may hold them."
    )
    return RefusedError(Fault("key", what, why, ways))


def option(role, names):
    """Return the option that gives columns a role."""
    return f"--map {argument(role + '=' + ','.join(names))}"


def _label_of(table):
    if "label" in table.roles:
        return table.roles["label"]
    found = schema.known_columns(table.frame, table.used(), table.roles).get("label", [])
    return found[0] if found else None


def side_by_side(table, systems, options):
    """Return a table with a column for each system as a long one.

    Parameters
    ----------
    table : Table
    systems : list of str
    options : Options

    Returns
    -------
    Table
    """
    frame, facts = table.frame, table.facts
    labels = [name for name in frame.columns if name not in systems]
    is_label = _label_of(table) is not None
    value, notes = "prediction" if is_label else "score", []
    if not is_label:
        rows = frame[labels[0]] if labels else pd.Series(range(1, len(frame) + 1), frame.index)
        one_reading(facts, systems)
        frame, notes = read_scores(frame, systems, rows)
    names = {"system": "system", value: value, "row": "row"}
    names = {role: name + "_" * (name in labels) for role, name in names.items()}
    numbered = frame.assign(**{names["row"]: [str(k) for k in range(len(frame))]})
    long = numbered.melt([*labels, names["row"]], systems, var_name=names["system"], value_name=names[value])
    roles = {role: name for role, name in table.roles.items() if role != "system"}
    why = {
        **table.why,
        "system": f"they stand side by side: {examples(systems, 6)}",
        value: "the numbers below the systems",
    }
    facts = {**facts, "wide": True, "row": names["row"], "notes": [*facts["notes"], *notes]}
    return replace(
        table,
        frame=long,
        roles={**roles, "system": names["system"], value: names[value]},
        why=why,
        facts=facts,
    )


def spread_out(table, options):
    """Return a table with one row a system as a long one; any other as it is.

    Parameters
    ----------
    table : Table
    options : Options

    Returns
    -------
    Table
    """
    frame, system = table.frame, table.roles["system"]
    if frame[system].duplicated().any() or len(frame) < 2:
        return table
    columns = [name for name in table.free() if numbers_in(frame, name) and not numbers_rows(frame[name])]
    columns = [n for n in columns if not (schema.role_of(n) and schema.fits(schema.role_of(n), frame[n]))]
    numbered = [name for name in columns if _NUMBERED.fullmatch(str(name))]
    if len(numbered) > 1:
        role = _NUMBERED.fullmatch(numbered[0])[1].lower()
        return melted(table, numbered, "seed" if role == "run" else role, "numbered columns")
    columns = [name for name in columns if name not in table.facts["spreads"]]
    if options.unit in ("dataset", "seed", "fold"):
        return melted(table, columns, options.unit, options.said("unit")) if len(columns) > 1 else table
    if any(map(is_metric, columns)):  # several metrics of one run each
        return table
    columns = [
        n for n in columns if _is_of_most(frame, n, columns) and not (_SET & {*tokens(n)} or _is_digits(n))
    ]
    if len(columns) < _FEWEST_SETS:
        return replace(table, facts={**table.facts, "beside": columns})
    summaries = [name for name in columns if SUMMARY & {*tokens(name)}]
    columns = [name for name in columns if name not in summaries]
    why = f"one row a system, and {len(columns)} columns on one scale"
    why += f"; left out, for they are called as summaries: {examples(summaries)}" * bool(summaries)
    says = {"columns": {"dataset": tuple(columns)}}
    long = melted(table, columns, "dataset", why)
    return long.propose(None, columns, why, option("dataset", columns), says)


def _is_digits(name):
    return not any(word.isalpha() for word in tokens(name))


def _is_of_most(frame, name, columns):
    """Tell whether a column is on the scale of most others."""
    return sum(is_alike(frame, name, other) for other in columns) > len(columns) / 2


def melted(table, columns, role, why):
    """Return a table with a row for each of some columns, their names as the values of a role."""
    frame, columns = table.frame, list(columns)
    if role == "dataset":
        one_direction(columns, table.facts.get("said_direction"))
    rest = [name for name in frame.columns if name not in columns]
    rows = frame[table.roles["system"]] if "system" in table.roles else pd.Series(frame.index, frame.index)
    one_reading(table.facts, columns)
    frame, notes = read_scores(frame, columns, rows)
    long = frame.melt(
        rest, columns, var_name=role + "_" * (role in rest), value_name="score" + "_" * ("score" in rest)
    )
    *_, var_name, value_name = long.columns
    table = replace(
        table, frame=long, facts={**table.facts, "wide": True, "notes": [*table.facts["notes"], *notes]}
    )
    return table.having(role, var_name, why).having("score", value_name, "the numbers below them")


def one_direction(names, way):
    """Refuse data sets of which one is better the other way, by its name.

    Parameters
    ----------
    names : list of str
    way : str or None
        Which way all of them are said to be better.
    """
    against = [name for name in names if way and hinted(name) not in (None, way)]
    if not against:
        return
    other = "lower" if way == "higher" else "higher"
    raise RefusedError(
        Fault(
            "direction",
            f"Of {len(names)} columns a {way} score is to be better, and by its name of "
            f"{examples(against)} a {other} one.",
            "Scores that are better in different ways cannot be counted as one metric on several data sets.",
            (
                f"{option('note', against)} leaves that column out.",
                "give each column the name of its data set alone.",
            ),
        )
    )
