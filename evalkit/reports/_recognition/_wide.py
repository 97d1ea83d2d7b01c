"""Tables that are not long: systems side by side, or the scores of a system in one row.

What the columns are is never taken from their names: systems are proposed where every other reading is
excluded, by values and by the shape of the names, and all else is asked.
"""

import re
from dataclasses import replace

import numpy as np
import pandas as pd

from evalkit._spread import decimals_of
from evalkit.reports import schema
from evalkit.reports._faults import Fault, RefusedError, argument, count, examples, shown
from evalkit.reports._formats._values import printed
from evalkit.reports._recognition import _named, _printed
from evalkit.reports._recognition._cells import are_scores, one_reading, read_scores
from evalkit.reports._recognition._metrics import direction, hinted, is_measured, split_name, tokens
from evalkit.reports._recognition._seen import as_shown, is_weighted_mean, numbers_rows

_NUMBERED = re.compile(r"(seed|fold|split|run)[ _-]?\d+", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_ALIKE = 5  # medians of scores on one metric are within this factor of each other
_FAR = 4  # systems differ by no more than the data sets do, or than a quarter of the score
_TWIN = "the same as another column"
_TOGETHER = 0.5  # systems do well and badly on the same data sets: their scores correlate by so much


def numbers_in(frame, name):
    """Tell whether a column holds scores: numbers, or words that are printed numbers."""
    return frame[name].dtype.kind == "f" or are_scores(frame[name])


def is_alike(frame, name, other):
    """Tell whether two columns may be scores on one metric, by their size and whether they have fractions."""
    pairs = [as_numbers(frame[column]) for column in (name, other)]
    if any(values.empty for values in pairs):
        return False
    has_fractions = [bool((values % 1 != 0).any()) for values in pairs]
    if has_fractions[1] and not has_fractions[0] and len(pairs[0]) > 2 and not set(pairs[0]) <= {0.0, 1.0}:
        return False
    if all(values.between(0, 1).all() for values in pairs):
        return True
    one, reference = (float(np.median(np.abs(values))) for values in pairs)
    return reference / _ALIKE <= one <= reference * _ALIKE


def as_numbers(values):
    words = values.dropna()
    return words if words.dtype.kind == "f" else printed(words.astype(str)).dropna()


# ---------------------------------------------------------------------------------------------
# Systems side by side
# ---------------------------------------------------------------------------------------------


def systems_beside(table, options):
    """Return a table as a long one, where the baseline is a column; which others are systems is confirmed."""
    frame, baseline = table.frame, options.baseline
    label = _label_of(table)
    if label is None and frame[baseline].dtype.kind == "O" and not are_scores(frame[baseline]):
        raise _asked_label(table, baseline)
    names = _candidates(table, baseline) if label is None else _predictions(table, baseline, label)
    if len(names) < 2:
        kind = "numbers" if label is None else "predictions"
        what = f"The column {shown(baseline)!r} stands alone: no other column holds {kind} as it does."
        way = "--map system=COLUMN,COLUMN names the columns that are systems."
        raise RefusedError(Fault("baseline", what, "A comparison needs two systems.", (way,)))
    doubts = {} if label is not None else _doubts(frame, names, baseline)
    clear, form = [name for name in names if name not in doubts], _named.of_runs(names, baseline)
    # Which of two columns that are alike is computed nobody can say.
    is_plain = not form and not _share_a_word(clear) and not any(_TWIN in why for why in doubts.values())
    if is_plain and not doubts:
        why = f"columns of one kind, beside each other: {examples(names, 8)}"
        says = {"columns": {"system": tuple(names)}}
        return side_by_side(table, names).propose(None, names, why, option("system", names), says)
    what = f"Which columns are systems beside {shown(baseline)}: "
    what += f"{examples([name for name in names if name != baseline], 12)}?"
    what += "".join(f" {shown(name)} is {why}." for name, why in [*doubts.items()][:6])
    ways = [f"{form}, if the numbers count runs."] if form else []
    ways += [option("system", clear)] if is_plain and len(clear) > 1 else []
    ways.append(f"--map {argument(f'system={baseline},COLUMN')} names them, with commas between.")
    melted_ones = clear if len(clear) > 1 else names
    return side_by_side(table, melted_ones).ask("columns", what, ways, [n for n in names if n != baseline])


def _predictions(table, baseline, label):
    """Return the columns that say the same words as the baseline and the right answers."""
    frame = table.frame
    words = {*frame[label].dropna().unique(), *frame[baseline].dropna().unique()}
    free = [n for n in table.free() if n != label and frame[n].dtype.kind == frame[baseline].dtype.kind]
    return [n for n in free if n == baseline or (not _is_known(frame, n) and words & {*frame[n].dropna()})]


def _candidates(table, baseline):
    """Return the columns of numbers, or of no cell, beside the baseline."""
    frame, spreads = table.frame, table.facts["spreads"]
    free = [name for name in table.free() if name not in spreads and not numbers_rows(frame[name])]
    return [n for n in free if n == baseline or numbers_in(frame, n) or frame[n].isna().all()]


def _is_known(frame, name):
    """Tell whether a documented name says that a column is no system."""
    role = schema.role_of(name)
    return role not in (None, "system") and schema.fits(role, frame[name])


def _doubts(frame, names, baseline):
    """Return the columns that may be no systems, each with the reason: a documented name, or its values."""
    scores = pd.DataFrame({name: as_numbers(frame[name]) for name in names}).astype(float)
    base, parts, out = scores[baseline], _documented_parts(names), {}
    for name in names:
        if name == baseline or scores[name].isna().all():
            continue
        if parts[name] != parts[baseline]:
            out[name] = f"by its name another metric or part than {shown(baseline)}"
        elif _is_known(frame, name):
            out[name] = f"documented as {schema.role_of(name)}"
        elif abs(scores[name].median() - base.median()) > max(
            np.ptp(base.dropna()), abs(base.median()) / _FAR
        ):
            out[name] = "on another scale"
    left = scores[[name for name in names if name not in out]]
    twins = left.columns[left.T.duplicated(keep=False)]
    out |= {name: f"{_TWIN} in every row" for name in twins if name != baseline}
    left = left.drop(columns=[name for name in twins if name != baseline])
    # Before it is seen which columns go together: a mean goes with everything of which it is one.
    while computed := next((n for n in left if n != baseline and _is_computed(left, n)), None):
        out[computed] = "the mean, the best or the worst of the others"
        left = left.drop(columns=computed)
    apart = [n for n in left if n != baseline and not _go_together(left[n], base)]
    if len(apart) + len(out) + 1 < len(names):  # where no two go together, that tells nothing of any
        out |= dict.fromkeys(apart, f"not high where {shown(baseline)} is")
    return out


def _documented_parts(names):
    """Return the documented metric or part with which each name ends, or, if no name does, begins."""

    def of(name, at):
        words = _WORD.findall(str(name))
        known = len(words) > 1 and (direction(words[at]) or split_name(words[at])[1])
        return words[at] if known else ""

    ends = {name: of(name, -1) for name in names}
    return ends if any(ends.values()) else {name: of(name, 0) for name in names}


def _go_together(scores, base):
    """Tell whether scores are high where others are; of right and wrong, or of two rows, nobody can say."""
    both = pd.DataFrame({"one": scores, "other": base}).dropna()
    if len(both) < 3 or set(both.one) <= {0.0, 1.0}:
        return True
    is_constant = np.ptp(both.to_numpy(), axis=0) == 0
    return not is_constant.any() and bool(both.one.corr(both.other) > _TOGETHER)


def _is_computed(scores, name):
    """Tell whether a column is the mean, the maximum or the minimum of the others, to its digits."""
    others = scores.drop(columns=name)
    if others.shape[1] < 2 or len(scores) < 3:
        return False
    near = 1.01 * 10.0 ** -(decimals_of([scores[name].dropna()]) or 9)
    computed = (others.mean(axis=1), others.max(axis=1), others.min(axis=1))
    is_one = any(bool(((scores[name] - found).abs() <= near).all()) for found in computed)
    return is_one or is_weighted_mean(scores[name].to_numpy(), others.to_numpy())


def _share_a_word(names):
    """Tell whether names begin with one word, as base_acc and base_f1, or base_1 and base_2."""
    first = [(_WORD.findall(str(name)) or [str(name)])[0].lower() for name in names]
    stems = [word.rstrip("0123456789") or word for word in first]
    return len({*stems}) < len(stems)


_NO_PREDICTIONS = (
    (
        ("[PASS]", "[FAIL]", "[ERROR]"),
        "answers behind [PASS] or [FAIL], as promptfoo writes them into a table",
        "give the results as JSON: promptfoo export, or promptfoo eval --output results.json.",
    ),
    (
        ("{", "["),
        "objects or lists, one for each system below its name",
        'write a row for each score: {"system": ..., "item": ..., "score": ...}.',
    ),
)


def _asked_label(table, baseline):
    """Return the refusal of predictions side by side, where no column is known to hold the right answers."""
    said = set(table.frame[baseline].dropna().unique())
    for marks, kind, way in _NO_PREDICTIONS:
        if all(str(word).startswith(marks) for word in said):
            what = f"{shown(baseline)!r} holds {kind}."
            return RefusedError(
                Fault("key", what, "A report compares scores, or predictions with the right answers.", (way,))
            )
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
    if any("," in name for name in names):
        return " ".join(f"--map {argument(f'{role}={name}')}" for name in names)
    return f"--map {argument(role + '=' + ','.join(names))}"


def _label_of(table):
    if "label" in table.roles:
        return table.roles["label"]
    found = schema.known_columns(table.frame, table.used(), table.roles).get("label", [])
    return found[0] if found else None


def side_by_side(table, systems):
    """Return a table with a column for each system as a long one."""
    _printed.refuse_counts(table, systems)
    frame, facts = table.frame, table.facts
    labels = [name for name in frame.columns if name not in systems]
    is_label = _label_of(table) is not None
    value, notes = "prediction" if is_label else "score", []
    if not is_label:
        rows = frame[labels[0]].map(as_shown) if labels else pd.Series(range(1, len(frame) + 1), frame.index)
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


# ---------------------------------------------------------------------------------------------
# One row a system
# ---------------------------------------------------------------------------------------------


def spread_out(table, options):
    """Return a table with one row a system as a long one; any other as it is.

    What its columns name is known where they are called seed 0, fold 1 and so on, and is asked elsewhere.
    """
    frame, system = table.frame, table.roles["system"]
    if frame[system].duplicated().any() or len(frame) < 2:
        return table
    free = [name for name in table.free() if numbers_in(frame, name) and not _is_known(frame, name)]
    columns = [name for name in free if name not in table.facts["spreads"]]
    numbered = [name for name in columns if _NUMBERED.fullmatch(str(name))]
    if len(numbered) > 1:
        role = _NUMBERED.fullmatch(numbered[0])[1].lower()
        return melted(table, numbered, "seed" if role == "run" else role, "numbered columns")
    scores = pd.DataFrame({name: as_numbers(frame[name]) for name in columns}).astype(float)
    _printed.refuse_confusion(table, columns)
    _printed.refuse_summaries(table, scores, options.baseline)
    parts = {split_name(word)[1] for name in columns for word in _WORD.findall(str(name))[1:][-1:]}
    is_score = len(parts - {None}) > 1 or any(schema.plain(name) == "score" for name in columns)
    if options.metric in columns or is_score or any(map(is_measured, columns)):  # metrics of one run each
        return table
    alike = {*_on_one_scale(scores), *table.facts.get("two_ways", ())}
    kept = [name for name in columns if name in alike]
    if len(kept) < 2:
        return table
    _refuse_several_metrics(kept)
    left = [
        f"column {name}: on another scale than most, and not compared" for name in columns if name not in kept
    ]
    long = melted(table, kept, COLUMN, "one row a system")
    return replace(long, facts={**long.facts, "beside": kept, "notes": [*long.facts["notes"], *left]})


def _refuse_several_metrics(names):
    """Refuse columns of several metrics by their names, `MMLU - EM` and `XSUM - ROUGE-2`, as data sets."""
    of = {name: "".join(tokens(str(name).rpartition(" - ")[2])) for name in names}
    metrics = {metric for metric in of.values() if direction(metric)}
    groups = [[name for name in names if of[name] == metric] for metric in sorted(metrics)]
    if not groups or len(groups[0]) == len(names):
        return
    rest = [name for name in names if of[name] not in metrics]
    what = f"By their names these columns are of {count(len(groups), 'metric')}: {examples(names, 8)}."
    what += f" Of none that is known: {examples(rest)}." if rest else ""
    ways = [option("dataset", group) for group in groups if len(group) > 1]
    ways.append("--metric COLUMN compares one of them.")
    raise RefusedError(Fault("metric", what, "Scores of several metrics have no mean.", tuple(ways)))


COLUMN = "column"  # what the columns of one row a system name is not known yet


def _on_one_scale(scores):
    """Return the columns on the scale of most: all shares, or medians alike."""
    shares = [name for name in scores if scores[name].dropna().between(0, 1).all()]
    if 2 * len(shares) > scores.shape[1]:
        return shares
    middle = scores.abs().median()
    is_near = middle.between(middle.median() / _ALIKE, middle.median() * _ALIKE)
    has_fractions = (scores.fillna(0) % 1 != 0).any()
    is_whole = ~has_fractions if 2 * has_fractions.sum() > len(has_fractions) else False
    return [*scores.columns[is_near & ~is_whole]]


def melted(table, columns, role, why):
    """Return a table with a row for each of some columns, their names as the values of a role.

    Where the role is not known yet, none is given.
    """
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
        table,
        frame=long,
        facts={**table.facts, "wide": True, "melted": True, "notes": [*table.facts["notes"], *notes]},
    )
    table = (
        replace(table, facts={**table.facts, "column": var_name})
        if role == COLUMN
        else table.having(role, var_name, why)
    )
    return table.having("score", value_name, "the numbers below them")


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
