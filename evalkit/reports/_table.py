"""From one long table to what is compared: each column has a role or is ignored, and
what the rows are follows from the keys that tell them apart.

Nothing is dropped, filled, averaged or guessed here: what does not fit is refused.
"""

import functools
from dataclasses import dataclass, replace

import pandas as pd

from evalkit.reports import _cells, _contradictions, _suspicions, schema
from evalkit.reports._refused import Say, examples, listed, refusal, shown

_CHOOSERS = ("val", "dev_")  # what chose is never compared unless it is said


@dataclass(frozen=True, eq=False)
class Evidence:
    """What is compared."""

    kind: str  # of schema.KINDS
    # a row for each score: `system`, `score`, and the other roles, sorted
    used: pd.DataFrame
    baseline: str
    metric: str
    direction: str  # "higher" or "lower"
    names: dict  # by role its column; of `setting` a tuple of them
    options: object
    table: pd.DataFrame  # as it came
    of_answers: bool = False  # predictions are held to labels
    keys: tuple = ()  # the roles that tell the rows of a system apart
    facts: tuple = ()  # what was seen, in sentences
    confirmed: tuple = ()  # suspicions that somebody has looked at: of Fault

    @functools.cached_property
    def systems(self):
        """The others, in the order of the table."""
        return tuple(n for n in self.used["system"].unique() if n != self.baseline)

    @property
    def sign(self):
        """1 where a higher score is better, otherwise -1."""
        return 1 if self.direction == "higher" else -1

    @property
    def group(self):
        """The name of the column of groups, or None."""
        return self.names.get("group") if "group" in self.used else None

    @functools.cached_property
    def n_rows(self):
        """How many runs, or attempts, each system has."""
        rows = [key for key in self.keys if key in ("seed", "attempt")]
        return self.used.groupby("system", sort=False)[
            rows[0] if rows else "system"
        ].nunique()

    @functools.cached_property
    def is_binary(self):
        """Whether every score is 0 or 1."""
        return bool(self.used["score"].isin((0, 1)).all())

    @functools.cached_property
    def _by_system(self):
        return dict(list(self.used.groupby("system", sort=False)))

    def scores(self, system, column="score"):
        """Return the scores of a system; of items a row for each run or attempt, where
        there are several.
        """
        own = self._by_system[system]
        scores = own[column].to_numpy()
        if self.kind == "items" and len(self.keys) == 2:
            return scores.reshape(self.n_rows[system], -1)
        return scores

    def groups(self):
        """Return the group of each item, in the order of the scores."""
        own = self._by_system[self.baseline]
        return own.drop_duplicates("item")["group"].tolist()


def evidence_of(table, options):
    """Return what is compared; what does not fit is refused.

    Parameters
    ----------
    table : DataFrame
    options : Options

    Returns
    -------
    Evidence
    """
    _cells.check_header(table)
    names = _roles(table, options)
    metric = _metric(table, names, options)
    ignored = _ignored(table, names, metric, options)
    way = _direction(metric, options)
    # What is kept for the next time: nothing else may take its place then.
    options = replace(options, metric=metric, direction=way, ignore=ignored)
    frame = _frame(table, names, metric)
    evidence = Evidence(
        kind="",
        used=frame,
        baseline=options.baseline,
        metric=metric or f"accuracy of {names['prediction']}",
        direction=way,
        names=names,
        options=options,
        table=table,
        of_answers=metric is None,
        facts=_between(table, names, metric),
    )
    evidence = _test_part(evidence)
    _cells.check_cells(evidence)
    evidence = _with_kind(_scored(evidence))
    for check in _contradictions.CHECKS:
        check(evidence)
    faults = [fault for look in _suspicions.LOOKS for fault in look(evidence)]
    confirmed = [fault for fault in faults if fault.code in options.confirm]
    if len(confirmed) < len(faults):
        raise _suspicions.refused([f for f in faults if f not in confirmed])
    return replace(evidence, confirmed=tuple(confirmed))


def _roles(table, options):
    """Return the column of each role: its documented name, unless another was said."""
    said = dict(options.columns)
    taken = _columns_of(said)
    free = {*table} - {*taken, options.metric, *options.ignore}
    for role in (role for role in schema.ELSEWHERE if role in {*said} | free):
        raise _cells.elsewhere(role, said.get(role, role))
    if unknown := sorted({*said} - {*schema.ROLES}):
        what = f"columns says {shown(unknown[0])}, which is no role."
        raise refusal("columns", what, f"roles: {', '.join(schema.ROLES)}")
    if absent := sorted({*taken} - {*table}):
        what = f"columns says {shown(absent[0])}, and no column is called so."
        raise refusal("columns", what, f"columns: {examples(table.columns, 20)}")
    ignored = {options.metric, *options.ignore}
    if twice := {c for c in taken if taken.count(c) > 1 or c in ignored}:
        what = (
            f"{shown(min(twice))} is said to be two things (in evalkit.toml, perhaps)."
        )
        raise refusal(
            "columns", what, "a role, the metric, or ignored: say one of them."
        )
    names = {r: said.get(r, r) for r in schema.ROLES if r in said or r in free}
    if isinstance(names.get("setting"), str):
        names["setting"] = (names["setting"],)
    if "system" not in names:
        raise _cells.no_system(table, options.baseline)
    return names


def _columns_of(names):
    return [c for v in names.values() for c in ([v] if isinstance(v, str) else v)]


def _metric(table, names, options):
    """Return the column of the scores, or None where predictions are held to labels."""
    if options.metric is not None:
        if options.metric in table:
            return options.metric
        what = f"No column is called {shown(options.metric)}."
        raise refusal("metric", what, f"columns: {examples(table.columns, 20)}")
    if {"prediction", "label"} <= {*names}:
        return None
    free = [c for c in table if c not in (*_columns_of(names), *options.ignore)]
    known = [c for c in free if schema.direction(c) and not c.startswith(_CHOOSERS)]
    if len(known) == 1:
        return known[0]
    what = "No column has the exact name of a listed metric."
    if known:
        what = f"{len(known)} columns are metrics: {listed(known)}."
    is_number = {c: pd.to_numeric(table[c], errors="coerce").notna() for c in free}
    free = [c for c in free if is_number[c].all()]
    ways = [Say({"metric": name}) for name in (known or free)[:8]]
    raise refusal("metric", what, *ways or ["add the scores: no column has numbers."])


def _direction(metric, options):
    known = "higher" if metric is None else schema.direction(metric)
    said = options.direction
    if known and said and known != said:
        what = f"Of {shown(metric or 'predictions')} the {known} is better."
        way = "rename the column, if it is another metric that is called so."
        raise refusal("direction", what, way)
    if not known and not said:
        what = f"Is a higher or a lower {shown(metric)} better?"
        ways = [Say({"direction": way}) for way in ("higher", "lower")]
        raise refusal("direction", what, *ways)
    return known or said


def _ignored(table, names, metric, options):
    """Ask of every column that varies within a system what it is for, all at once."""
    roles = {*_columns_of(names)}
    if metric is not None:  # then they are not what is scored
        roles -= {names.get("prediction"), names.get("label")} - {None}
        roles |= {options.columns.get(r) for r in ("prediction", "label")}
    rest = [c for c in table if c not in (*roles, metric)]
    keys = table[rest].astype(str).where(table[rest].notna(), "")
    n_values = keys.groupby(table[names["system"]].astype(str)).nunique()
    varying = [c for c in rest if (n_values[c] > 1).any()]
    said = {*varying} if options.ignore == ("rest",) else {*options.ignore}
    if asked := [column for column in varying if column not in said]:
        raise _cells.unexplained(table, names, keys, asked)
    return tuple(c for c in table if c in said)


def _between(table, names, metric):
    """Say which columns differ between systems and not within them."""
    rest = [c for c in table if c not in (*_columns_of(names), metric)]
    of = table[rest].astype(str).groupby(table[names["system"]].astype(str), sort=False)
    first, n_values = of.first(), of.nunique()
    differ = [c for c in rest if (n_values[c] <= 1).all() and len({*first[c]}) > 1]
    return tuple(
        f"differs between systems: {shown(c)} "
        f"({examples((f'{s} {v}' for s, v in first[c].items()), 3)})"
        for c in differ
    )


def _frame(table, names, metric):
    """Return the roles as columns: keys as words, scores as numbers."""
    out = {}
    for role, column in names.items():
        if role not in ("setting", "validation"):
            out[role] = _words(table[column])
    for k, column in enumerate(names.get("setting", ())):
        out[f"setting {k}"] = _words(table[column])
    scores = {"validation": names.get("validation"), "score": metric}
    for role, column in scores.items():
        if column is not None:
            out[role] = _cells.numbers(table[column], column)
    return pd.DataFrame(out, index=table.index)


def _scored(evidence):
    """Return what is compared with a score where there are answers alone."""
    frame = evidence.used
    if "score" in frame:
        return evidence
    _cells.check_answers(frame, evidence.names)
    right = (frame["prediction"] == frame["label"]).astype(float)
    return replace(evidence, used=frame.assign(score=right))


def _words(column):
    """Return a column as words; 7 and 7.0 are one, and an empty cell is None."""

    def word(value):
        whole = isinstance(value, float) and value.is_integer()
        return str(int(value)) if whole else str(value)

    text = column.astype(object).map(word, na_action="ignore")
    return text.where(text.notna() & (text != ""), None)


def _test_part(evidence):
    """Return the rows of the test part; the others show what was trained on."""
    frame, column = evidence.used, evidence.names.get("part")
    if "part" not in frame:
        return evidence
    _cells.check_parts(evidence)
    is_test = frame["part"] == "test"
    fact = (
        f"{shown(column)}: {int(is_test.sum()):,} rows of test are compared;"
        f" {int((~is_test).sum()):,} others were searched for test items"
    )
    return replace(evidence, used=frame[is_test], facts=(*evidence.facts, fact))


def _with_kind(evidence):
    """Return what is compared with what its rows are: by the keys that vary."""
    frame, names = evidence.used, evidence.names
    of = frame.groupby("system", sort=False)
    there = [key for key in schema.KEYS if key in frame]
    varying = [key for key in there if of[key].nunique(dropna=False).max() > 1]
    _contradictions.check_systems(evidence)
    facts = []
    for key in (key for key in there if key not in varying):
        values = frame[key].dropna().unique()
        if len(values) > 1 and key not in ("seed", "attempt"):
            raise _contradictions.apart(evidence, key)
        facts.append(
            f"{shown(names[key])} tells no rows of a system apart: {examples(values)}"
        )
    keys = tuple(key for key in schema.KEYS if key in varying)
    if keys not in schema.KINDS:
        raise _contradictions.no_unit(evidence, keys)
    dropped = [key for key in there if key not in keys]
    order = ["system", *reversed(keys)] if len(keys) == 2 else ["system", *keys]
    rank = {name: k for k, name in enumerate(frame["system"].unique())}
    by = frame.drop(columns=dropped).sort_values(
        order,
        key=lambda c: c.map(rank) if c.name == "system" else _by_size(c),
        kind="stable",
    )
    return replace(
        evidence,
        kind=schema.KINDS[keys],
        keys=keys,
        used=by.reset_index(drop=True),
        facts=(*evidence.facts, *facts),
    )


def _by_size(keys):
    """Return numbers for sorting, where all keys are some: 2 stands before 10."""
    numbers = pd.to_numeric(keys, errors="coerce")
    return keys if numbers.isna().any() else numbers
