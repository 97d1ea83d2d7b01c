"""The column that is compared, and which way it is better: said, known by its name, proposed or asked."""

import re
from dataclasses import replace

import pandas as pd

from evalkit.reports import schema
from evalkit.reports._checks._choices import best_of_several
from evalkit.reports._faults import Fault, RefusedError, argument, examples, listed, shown
from evalkit.reports._recognition import _metrics, _wide
from evalkit.reports._recognition._cells import one_reading
from evalkit.reports._recognition._seen import belongs_to_system, no_answers
from evalkit.reports._recognition._wide import option


def find(table, options):
    """Return a table with the role "score", where it is known or proposed."""
    table = _predictions(_of_one_metric(table), options)
    table = _right_words(_score(table, options), options)
    _check_every_file(table)
    compared = ("score", "validation", "numerator", "denominator", "size")
    one_reading(table.facts, [table.roles[role] for role in compared if role in table.roles])
    return table


def _check_every_file(table):
    """Refuse a score that one system lacks throughout, if another number is there in its place alone."""
    frame, score = table.frame, table.column("score")
    systems = frame[table.roles["system"]]
    there = score.notna().groupby(systems, sort=False).any() if score is not None else pd.Series([True])
    for system in there.index[~there]:
        own = systems == system
        free = [name for name in table.free() if _wide.numbers_in(frame, name)]
        instead = [n for n in free if frame[n][own].notna().all() and frame[n][~own].isna().all()]
        if instead:
            name = shown(table.roles["score"])
            what = f"{shown(system)} has no {name}; it has {examples(instead)}, which the others have not."
            why = (
                "Nothing says that they are one metric, and a column that is not there is no run that failed."
            )
            ways = (f"give the scores of {shown(system)} the name {name}, if they are that.",)
            raise RefusedError(Fault("metric", what, why, ways))


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
        # Scores without a heading: what is said names them.
        if options.metric and options.metric not in frame:
            frame = frame.rename(columns={roles["score"]: options.metric})
            table = replace(table, frame=frame).having("score", options.metric, options.said("metric"))
        return table
    if options.metric is not None:
        if options.metric not in frame and (fault := best_of_several(options.metric)):
            raise RefusedError(fault)
        return _validation(_said_score(table, options.metric, options.said("metric")))
    if "correct" in roles:
        return table.having("score", roles["correct"], table.why["correct"])
    free = [name for name in table.free() if name not in table.facts["spreads"]]
    numeric = [name for name in free if _wide.numbers_in(frame, name) and frame[name].notna().any()]
    names = table.facts.get("metrics") or [name for name in numeric if _may_be_score(table, name)]
    names = [name for name in names if name in frame and frame[name].notna().any()]
    if twins := _of_training(names):
        return _asked_part(table, names, twins)
    known = [name for name in names if _metrics.split_name(name)[1] != "train"]
    tested = [name for name in known if _metrics.split_name(name)[1] == "test"]
    others = [name for name in known if _metrics.split_name(name)[1] is None]
    is_known = table.facts.get("metrics") or any(map(_metrics.direction, tested))
    chosen = (tested if is_known else [*tested, *others]) or known
    if table.facts.get("trials") and not chosen and "value" in numeric:
        return table.having("score", "value", "the objective of the search")
    if len(chosen) == 1:
        why = "the only score" if len(names) == 1 else "the only one of a test set" if tested else "its name"
        return _validation(table.having("score", chosen[0], why))
    if chosen:
        chosen = sorted(chosen, key=lambda name: _metrics.direction(name) is None)  # documented ones first
        what = f"The file has {len(chosen)} scores: {examples(chosen, 8)}. Which is compared?"
        more = [n for n in numeric if n not in names and (_metrics.tokens(n) or [""])[-1] in _SCORES]
        ways = [f"--metric {argument(name)}" for name in [*chosen[:6], *more[:3]]]
        return table.ask("metric", what, ways, [*chosen, *more])
    if "prediction" in roles:
        if "label" not in roles:
            raise RefusedError(no_answers(frame[roles["prediction"]]))
        return table
    if "label" in roles:  # judges that label the same items
        return table
    return _proposed_score(table, numeric, [name for name in names if name not in known])


_SCORES = ("score", "result")  # last words of columns that are offered beside documented metrics


def _may_be_score(table, name):
    """Tell whether a column has the name of a metric, or that of a part of the data above shares that vary.

    `test_size` and `test_time` are measured on a part as well, and are no scores.
    """
    if _metrics.direction(name):
        return True
    if not _metrics.is_measured(name) or schema.role_of(_metrics.split_name(name)[0]) == "cost":
        return False
    values = _wide.as_numbers(table.frame[name])
    one_a_system = not table.frame[table.roles["system"]].duplicated().any()
    is_share = values.between(0, 1).all() and bool((values % 1 != 0).any())
    return is_share and (one_a_system or not belongs_to_system(table, name))


def _of_training(names):
    """Return scores that Keras writes of the training part: all beside those of validation, the loss too."""
    if any(_metrics.split_name(name)[1] == "test" for name in names):
        return []
    twins = [name for name in names if f"val_{name}" in names]
    return twins if "loss" in twins else []


def _asked_part(table, names, twins):
    """Return a table with the question which score is compared, those that may be of training last."""
    rest = [name for name in names if name not in twins and _metrics.split_name(name)[1] != "train"]
    what = f"{listed(twins)}: beside {listed(f'val_{name}' for name in twins)}, and a training program calls "
    what += "the scores on its training part so. Which score is compared?"
    ways = [f"--metric {argument(name)}" for name in rest[:6]]
    ways += [f"--metric {argument(name)}, if it is of the test part." for name in twins[:3]]
    return table.ask("metric", what, ways, [*rest, *twins])


def _proposed_score(table, numeric, of_training):
    """Propose the one column of measured numbers, or ask which it is."""
    frame = table.frame
    measured = [n for n in numeric if n not in of_training and not belongs_to_system(table, n)]
    measured = [n for n in measured if not _is_index(table, n)]
    called = [n for n in numeric if schema.plain(n) == "score"]
    _refuse_preferences(table)
    varied = [n for n in table.free() if not belongs_to_system(table, n)]
    _refuse_units(frame, [] if numeric else varied)
    # Whole numbers alone may be lengths or counts: they are asked about.
    fractions = [n for n in measured if frame[n].dtype.kind != "f" or (frame[n].dropna() % 1 != 0).any()]
    if len(called) == 1 or (not called and len(fractions) == len(measured) == 1):
        (name,) = called or measured
        why = "it is called so" if called else "it is the only column of numbers with fractions"
        return table.propose("score", name, why, f"--metric {argument(name)}")
    nested = [n for n in table.free() if frame[n].map(lambda v: str(v).startswith("[{")).all()]
    if nested and not measured:
        what = f"No score is in a column of its own; {examples(nested)} holds lists of objects."
        ways = ('write an object a row: {"system": ..., "item": ..., "score": ...}.',)
        raise RefusedError(Fault("metric", what, "What is in a list within a row is not compared.", ways))
    ways = [f"--metric {argument(name)}" for name in (measured or numeric)[:6]] or ["--metric COLUMN"]
    if of_training:
        seen = f"The only scores are of the training part: {examples(of_training)}."
        what = f"{seen} Which column is of the test part?"
        ways = [f"--metric {argument(name)}" for name in numeric if name not in of_training][:6] or ways
    else:
        what = f"No column has the name of a metric; numbers are in: {examples(numeric, 12) or 'none'}."
    return table.ask("metric", what, ways, measured or numeric)


def _is_index(table, name):
    """Tell whether whole numbers tell rows apart: none is twice in a system, or all have the same."""
    frame, system = table.frame, table.roles["system"]
    values = frame[name].dropna()
    if values.dtype.kind != "f" or (values % 1 != 0).any():
        return False
    counts = pd.crosstab(frame[name], frame[system])
    is_apart = len(frame) > 4 and not frame.duplicated([system, name]).any()
    return is_apart or bool(counts.eq(counts.iloc[:, 0], axis=0).all(axis=None))


def _refuse_preferences(table):
    """Refuse a table that says of each item who won, and holds no scores."""
    pair = [n for n in table.frame if schema.plain(n) in ("generator_1", "generator_2")]  # AlpacaEval
    for name in table.frame:
        if table.frame[name].dtype.kind == "f" and not (len(pair) == 2 and schema.plain(name) in _WINNERS):
            continue
        words = {str(word).strip().lower() for word in table.frame[name].dropna().unique()}
        is_winner = schema.plain(name) in _WINNERS or bool(words & _TIES)
        if (
            is_winner
            and (len(pair) == 2 or 1 < len(words) <= 5)
            and schema.role_of(name) not in ("label", "prediction")
        ):
            what = f"{shown(name)} says {examples(sorted(words), 5)}: who won, and no score of a system."
            why = "A report compares a score of each system on each item."
            way = "write a row for each item and system, with a column `wins`: 1, or 0.5 for a tie, or 0; "
            ways = (f"{way}then --metric wins --direction higher.",)
            raise RefusedError(Fault("metric", what, why, ways))


_TIES = frozenset(["tie", "tied", "draw", "both", "neither", "same"])
_WINNERS = frozenset(["winner", "preference", "preferred", "choice", "chosen", "better", "wins"])


def _refuse_units(frame, names):
    """Refuse scores that are written with their unit, as 33 ms."""
    for name in names:
        words = frame[name].dropna().astype(str).str.strip()
        found = words.str.extract(_WITH_UNIT.pattern, expand=False)
        if len(words) and found.notna().all() and found.nunique() < 5:
            units = examples(sorted(found.unique()))
            what = f"{shown(name)} has numbers with a unit, such as {examples(words.unique(), 2)}."
            why = "A report compares numbers, and does not turn one unit into another."
            ways = (f"write them without {units}, all in one unit: {shown(name)}_{found.iloc[0]}, say.",)
            raise RefusedError(Fault("scale", what, why, ways))


_WITH_UNIT = re.compile(r"^[-+]?[\d.,]+ ?([A-Za-z\u00b5][A-Za-z/]{0,6})$")


def _said_score(table, metric, how):
    if table.facts.get("folds"):  # scikit-learn's name of the mean over folds
        metric = metric.removeprefix("mean_test_")
    if metric not in table.frame:  # lm-evaluation-harness writes the filter behind it
        metric = metric.partition(",")[0]
    free = [*table.free(), *table.used(but=tuple(r for r in table.roles if r not in ("note", "correct")))]
    found = [metric] if metric in free else [n for n in free if str(n).endswith(("/" + metric, "." + metric))]
    if not found and {"prediction", "label"} <= {*table.roles}:
        if _metrics.split_name(metric)[0] in ("accuracy", "acc"):
            return table
        what = f"No column is called {shown(metric)!r}, and of predictions a report computes the accuracy."
        ways = (
            "leave --metric away: then accuracies are compared.",
            "--metric COLUMN, a score of each item.",
        )
        raise RefusedError(
            Fault("metric", what, "One metric is compared, and chosen before its results are seen.", ways)
        )
    if len(found) != 1:
        _refuse_preferences(table)
        numeric = [name for name in table.free() if _wide.numbers_in(table.frame, name)]
        fault = Fault(
            "metric",
            f"No one column is called {shown(metric)!r}; numbers are in: {examples(numeric, 12)}.",
            "One metric is compared, and chosen before its results are seen.",
            tuple(f"--metric {argument(name)}" for name in numeric[:6]) or ("--metric COLUMN",),
        )
        raise RefusedError(fault)
    if _metrics.split_name(found[0])[1] == "train":
        what = f"{shown(found[0])} is the score on the training part, by its name."
        why = "It shows what was learned by heart, and of two systems not which is better."
        raise RefusedError(Fault("metric", what, why, ("--metric COLUMN, a score on the test part.",)))
    _refuse_units(table.frame, found)
    notes = tuple(name for name in table.roles.get("note", ()) if name != found[0])
    return replace(table, roles={**table.roles, "note": notes}).having("score", found[0], how)


def _validation(table):
    """Find the validation score of the same metric, by its documented name."""
    if "validation" in table.roles or "score" not in table.roles:
        return table
    metric, part = _metrics.split_name(table.roles["score"])
    others = [n for n in table.free() if table.frame[n].dtype.kind == "f"]
    of_validation = [
        n for n in others if _metrics.is_measured(n) and _metrics.split_name(n)[1] == "validation"
    ]
    alike = [name for name in of_validation if _metrics.split_name(name)[0] == metric]
    if not alike and part != "validation":
        alike = of_validation
    if table.facts.get("trials") and not alike and table.roles["score"] != "value" and "value" in table.frame:
        alike = ["value"]  # the objective of the search chose
    return table.having("validation", alike[0], "its name") if len(alike) == 1 else table


def is_nameless(table, options):
    """Tell whether "score" is our own word, for numbers without a heading: it says nothing of them."""
    return bool(table.facts.get("wide") or table.facts.get("arrays")) and options.metric is None


def score_direction(table, options):
    """Return which way the score is better, and how that is known; None where nothing says it."""
    if options.direction:
        return options.direction, options.said("direction")
    name = table.roles.get("score")
    if name is None:
        return "higher", "right answers are counted"
    higher = table.facts.get("higher", {})
    if name in higher:
        return ("higher" if higher[name] else "lower"), "the format says it"
    if name == table.roles.get("correct"):
        return "higher", "1 is right and 0 wrong"
    if is_nameless(table, options):
        is_right = set(table.frame[name].dropna()) <= {0.0, 1.0}
        return ("higher", "1 is right and 0 wrong") if is_right else (None, "")
    if table.facts.get("trials") and _metrics.direction(name) is None and "value" in higher:
        return ("higher" if higher["value"] else "lower"), "as the objective of the search"
    return _metrics.direction(name), "by its name"


def unknown_direction(table):
    """Return the fault that nothing says which way the score is better."""
    return Fault(
        "direction",
        f"Nothing says whether a higher or a lower {shown(table.roles['score'])} is better.",
        "With losses the better system has the lower score, and every sentence would say the opposite.",
        ("--direction higher", "--direction lower"),
    )
