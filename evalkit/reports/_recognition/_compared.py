"""The column that is compared, and which way it is better: said, known by its name, or
asked.
"""

import itertools
from dataclasses import replace

from evalkit.reports import schema
from evalkit.reports._checks._choices import PASSES, best_of_several
from evalkit.reports._faults import (
    RefusedError,
    argument,
    count,
    examples,
    listed,
    refusal,
    shown,
)
from evalkit.reports._recognition import _metrics, _wide
from evalkit.reports._recognition._cells import one_reading
from evalkit.reports._recognition._seen import (
    belongs_to_system,
    counted_of,
    is_index,
    no_answers,
)
from evalkit.reports._recognition._table import as_tuple


def find(table, options):
    """Return a table with the role "score", where it is known; else it is asked which
    it is.
    """
    table = _right_words(_score(_of_one_metric(table), options), options)
    _check_every_file(table)
    compared = ("score", "validation", "numerator", "denominator", "size")
    one_reading(
        table.facts, [table.roles[role] for role in compared if role in table.roles]
    )
    return table


def _check_every_file(table):
    """Refuse a score that one system lacks throughout, if another number is there in
    its place alone.
    """
    frame, score = table.frame, table.column("score")
    systems = frame[table.roles["system"]]
    there = (
        score.notna().groupby(systems, sort=False).any() if score is not None else None
    )
    for system in there.index[~there] if score is not None else ():
        own = systems == system
        free = [n for n in (*table.free(), table.roles.get("validation")) if n in frame]
        free = [
            n
            for n in free
            if _wide.numbers_in(frame, n) and n not in table.facts["spreads"]
        ]
        instead = [
            n
            for n in free
            if frame[n][own].notna().all() and frame[n][~own].isna().all()
        ]
        if instead:
            name = shown(table.roles["score"])
            what = (
                f"{shown(system)} has no {name}; it has {examples(instead)}, which the"
                " others have not."
            )
            why = (
                "Nothing says that they are one metric; and no run failed, for the"
                " column is not there."
            )
            ways = (
                (
                    f"give the scores of {shown(system)} the name {name}, if they are"
                    " that."
                ),
            )
            raise refusal("metric", what, why, *ways)


def _of_one_metric(table):
    """Return a table whose scores have the name that a column of metrics gives them."""
    frame = table.frame
    words = [
        n for n in table.free() if frame[n].dtype.kind == "O" and frame[n].notna().any()
    ]
    named = [
        n
        for n in words
        if schema.plain(n).strip(".") in ("metric", "metric_name", "measure")
    ]
    named += [
        n for n in words if n not in named and _are_metrics(frame[n].dropna().unique())
    ]
    values = frame[named[0]].dropna().unique() if named else ()
    if len(values) > 1:
        ways = [f"--where {argument(f'{named[0]}={value}')}" for value in values[:4]]
        ways += [f"--where {argument(named[0])}=VALUE, if another is compared."] * (
            len(values) > 4
        )
        what = f"{shown(named[0])} names {len(values)} metrics: {examples(values, 6)}."
        raise refusal("metric", what, _metrics.ONE_METRIC, *ways)
    bare = [
        n
        for n in table.free()
        if schema.plain(n).strip(".") in ("value", "score", "result", "estimate")
    ]
    if len(values) != 1 or len(bare) != 1 or values[0] in frame:
        return table
    return replace(table, frame=frame.rename(columns={bare[0]: values[0]}))


def _are_metrics(values):
    """Tell whether words are the names of several metrics."""
    return (
        all(map(_metrics.direction, values))
        and len({_metrics.split_name(v)[0] for v in values}) > 1
    )


_TRUTH = schema.TRUTH | {"correct", "incorrect", "wrong", "right", "0.0", "1.0"}


def _right_words(table, options):
    """Read two words as right and wrong, if somebody said which is which."""
    values = table.column("score")
    if (
        values is None
        or values.dtype.kind == "f"
        or _wide.numbers_in(table.frame, table.roles["score"])
    ):
        return table
    name, words = table.roles["score"], sorted(map(str, values.dropna().unique()))
    # As a row of means has.
    if any(map(_wide.is_number, words)) and not all(map(_wide.is_number, words)):
        what = (
            f"{shown(name)} holds words, and numbers:"
            f" {examples(filter(_wide.is_number, words), 4)}."
        )
        ways = (
            (
                "--where COLUMN!=VALUE leaves the rows with the numbers out, by another"
                " column."
            ),
            "mend them.",
        )
        raise refusal("scale", what, "A mean of marks is not one of them.", *ways)
    if options.right is not None:
        if options.right not in words:
            raise ValueError(
                f"right: {shown(name)} never says {shown(options.right)!r}; it says"
                f" {examples(words)}"
            )
        new = f"{name} = {options.right}"
        is_right = (values == options.right).astype(float).mask(values.isna())
        frame = table.frame.assign(**{name: is_right}).rename(columns={name: new})
        wrong = listed([word for word in words if word != options.right]) or "nothing"
        note = f"{shown(name)}: {shown(options.right)} counts as 1, and {wrong} as 0"
        facts = {**table.facts, "higher": {**table.facts.get("higher", {}), new: True}}
        facts["notes"] = [*facts.get("notes", ()), note]
        roles = {
            role: new if column == name else column
            for role, column in table.roles.items()
        }
        return replace(table, frame=frame, facts=facts, roles=roles)
    if len(words) != 2 or {word.lower() for word in words} <= _TRUTH:
        return table
    what = (
        f"{shown(name)} says {' or '.join(map(shown, words))}: which of them is right?"
    )
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
            table = replace(table, frame=frame).having(
                "score", options.metric, options.whose("metric")
            )
        return table if table.facts.get("melted") else _asked_counts(table, options)
    if options.metric is not None:
        if options.metric not in frame and (fault := best_of_several(options.metric)):
            raise RefusedError(fault)
        return _asked_counts(_validation(_said_score(table, options)), options)
    if "correct" in roles:
        return table.having("score", roles["correct"], table.why["correct"])
    free = [name for name in table.free() if name not in table.facts["spreads"]]
    numeric = [
        name
        for name in free
        if _wide.numbers_in(frame, name) and frame[name].notna().any()
    ]
    scores = [n for n in numeric if _may_be_score(n) and not _is_one_of(n, numeric)]
    names = [
        n
        for n in table.facts.get("metrics") or scores
        if n in frame and frame[n].notna().any()
    ]
    known = [name for name in names if _metrics.split_name(name)[1] != "train"]
    # The same whole number in every row, as val_n_images has, is no score.
    known = [n for n in known if frame[n].nunique() > 1 or not _are_whole(frame[n])]
    tested = [name for name in known if _metrics.split_name(name)[1] == "test"]
    others = [name for name in known if _metrics.split_name(name)[1] is None]
    is_known = table.facts.get("metrics") or any(map(_metrics.direction, tested))
    chosen = (tested if is_known else [*tested, *others]) or known
    if table.facts.get("trials") and not chosen and "value" in numeric:
        return table.having("score", "value", "the objective of the search")
    # Of Keras: the bare names are of the training part.
    if not tested and {"loss", "val_loss"} <= {*names}:
        chosen = known
    if len(chosen) == 1 and (
        table.facts.get("metrics") or _metrics.direction(chosen[0])
    ):
        is_alone = len(numeric) == 1 and not table.roles.get("note")
        why = (
            "the only numbers"
            if is_alone
            else (
                "the only one that is known to be of a test set"
                if tested
                else "its name"
            )
        )
        return _validation(table.having("score", chosen[0], why))
    if chosen:
        order = {
            name: (frame[name].isna().mean() > 0.5, not _metrics.direction(name))
            for name in chosen
        }
        # Those of most rows first, and of them the documented ones.
        chosen = sorted(chosen, key=order.get)
        are = "column is a score by its name", "columns are scores by their names"
        what = f"{count(len(chosen), *are)}: {examples(chosen, 8)}. "
        what += "Beside val_loss a bare name may be of the training part. " * (
            "val_loss" in chosen
        )
        ways, both = _which(chosen[:8], options)
        what += ("Which is compared?" if len(chosen) > 1 else "Is it compared?") + both
        ways += ["--metric COLUMN, if another is compared."] * any(
            map(_metrics.direction, chosen)
        )
        return table.ask("metric", what, ways, chosen, with_direction=bool(both))
    if "prediction" in roles and "label" not in roles:
        raise RefusedError(no_answers(frame[roles["prediction"]]))
    if "label" in roles:
        is_rated = "rater" in (options.unit, schema.role_of(roles["system"]), *roles)
        return table if is_rated or "prediction" in roles else _asked_prediction(table)
    return _asked_metric(table, numeric, names, options)


DIRECTIONS = ("--direction higher", "--direction lower")
_BOTH = " Is a higher or a lower one better?"


def _which(names, options):
    """Return options for scores, with directions for up to six whose names have none,
    and the question.
    """
    plain = {name: [f"--metric {argument(name)}"] for name in names}
    new = [name for name in names if not _metrics.direction(name)]
    is_both = 0 < len(new) < 7 and not options.direction
    plain |= {
        name: [f"{way} {d}" for way in plain[name] for d in DIRECTIONS]
        for name in new * is_both
    }
    return [way for ways in plain.values() for way in ways], _BOTH * is_both


def _are_whole(values):
    return values.dtype.kind == "f" and not (values.dropna() % 1).any()


def _asked_metric(table, numeric, names, options):
    """Return a table with the question what is compared: no name says it, or those of
    training alone.
    """
    frame, roles = table.frame, table.roles
    cost, notes = (as_tuple(roles.get(role, ())) for role in ("cost", "note"))
    numeric = [*numeric, *cost] or [
        name for name in notes if _wide.numbers_in(frame, name)
    ]
    # The number of a system is no score of its rows.
    if frame[roles["system"]].duplicated().any():
        numeric = [
            n
            for n in numeric
            if frame[n].nunique() < 2 or not belongs_to_system(table, n)
        ] or numeric
    totals = numeric  # which are the same for every system
    numeric = [name for name in numeric if not _numbers_alike(table, name)] or numeric
    numeric = [
        name
        for name in numeric
        if frame[name].nunique() > 1 and not is_index(frame[name])
    ] or numeric
    likely = {
        name: (not _metrics.hinted(name), _are_whole(frame[name])) for name in numeric
    }
    first = sorted(numeric, key=likely.get) if len(numeric) > 6 else numeric
    ways, both = _which([name for name in first[:6] if name not in names], options)
    ways += ["--metric COLUMN, if another is compared."] * (len(first) > 6)
    what = (
        "No column has the name of a metric; numbers are in:"
        f" {examples(numeric, 12) or 'none'}."
    )
    words = [n for n in table.free() if frame[n].dtype.kind == "O"]
    if nested := [
        n for n in words if frame[n].str.startswith(("[{", "{"), na=False).any()
    ]:
        what += f" Lists and objects are not read: {examples(nested)}."
        ways.append(
            "write a row for each score, with its system, its seed or item, and the"
            " score."
        )
    what += f" Which is compared?{both}"
    ways += _together(table, numeric, totals)
    if not numeric and not nested:
        what = "No column holds numbers, and none is called label or prediction."
        ways = [
            "--map label=COLUMN --map prediction=COLUMN: the right answers, and what"
            " the systems say."
        ]
    ways += _marks(table)
    alike = [
        (a, b)
        for a, b in itertools.permutations(words, 2)
        if _say_the_same(frame[a], frame[b])
    ]
    said = [
        _wide.option("label", [right]) + " " + _wide.option("prediction", [own])
        for right, own in alike
    ]
    ways += [
        f"{pair}, if these are the right answers and what the systems say."
        for pair in said[:4]
    ]
    if names:
        what = (
            f"The only scores are of the training part: {examples(names)}. Which is of"
            f" the test part?{both}"
        )
    return table.ask("metric", what, ways, numeric, with_direction=bool(both))


def _say_the_same(values, others):
    """Tell whether two columns of words have most of their words in common, and are no
    marks.
    """
    words = {*values.dropna()}
    is_one = (
        others.isin(words).mean() >= 0.5
        and values.isin({*others.dropna()}).mean() >= 0.5
    )
    return (
        is_one
        and len(words) > 1
        and not {str(word).lower() for word in words} <= _TRUTH
    )


def _numbers_alike(table, name):
    """Tell whether a column has the same whole numbers for every system, each once, as
    those of seeds are.
    """
    own = [
        frozenset(values)
        for _, values in table.frame.groupby(table.roles["system"])[name]
    ]
    is_once = len({*own}) == 1 and len(own) * len(own[0]) == len(table.frame)
    return is_once and _are_whole(table.frame[name])


def _marks(table):
    """Return the options for columns of two words that vary within systems: whether an
    answer is right.
    """
    frame, system = table.frame, table.roles["system"]
    two = [
        n
        for n in table.free()
        if frame[n].dtype.kind == "O" and frame[n].nunique() == 2
    ]
    counts = {
        name: frame.groupby([system, name]).size().unstack(fill_value=0) for name in two
    }
    two = [
        n
        for n in two
        if (counts[n] > 0).all(axis=1).any() and counts[n].nunique().max() > 1
    ]
    words = {name: sorted(frame[name].dropna().map(str).unique()) for name in two[:3]}
    known = [name for name in words if {word.lower() for word in words[name]} <= _TRUTH]
    ways = [
        f"--metric {argument(name)}, if it says whether an answer is right."
        for name in known
    ]
    said = [(name, word) for name in words if name not in known for word in words[name]]
    said = [
        f"--metric {argument(name)} --right {argument(word)}" for name, word in said
    ]
    return ways + [f"{both}, if that is the word for right answers." for both in said]


def _is_one_of(name, names):
    """Tell whether a name is one of several with a number each, of which others name no
    metric: r2, r3.
    """
    stem = str(name).rstrip("0123456789")
    others = [
        n
        for n in names
        if n != name and str(n).rstrip("0123456789") == stem != str(name)
    ]
    return not all(map(_metrics.direction, others))


def _together(table, numeric, totals):
    """Return what columns of numbers may be together: counts of right answers, or
    scores of raters.
    """
    frame = table.frame
    pairs = [
        (name, total) for name in numeric for total in counted_of(frame, name, totals)
    ]
    # Right and wrong are of a total.
    wholes = {total for _, total in pairs} - {part for part, _ in pairs}
    counted = [(part, total) for part, total in pairs if total in wholes]
    ways = [
        way for part, total in counted for way in _ways_of_counts([part], total, frame)
    ]
    if len(pairs) > 2 and len({name for pair in pairs for name in pair}) > 3:
        # In the order of the file.
        total = next(name for name in totals if name in wholes)
        rate = f"if COLUMN counts the errors among {shown(total)}: their rate."
        ways = [
            f"--map numerator=COLUMN {_wide.option('denominator', [total])} --direction"
            f" lower, {rate}"
        ]
    graded = [
        n
        for n in numeric
        if frame[n].dtype.kind == "f" and (2 * frame[n].dropna() % 1 == 0).all()
    ]
    levels = [set(frame[name].dropna()) for name in graded]
    is_graded = len(numeric) == len(graded) > 1
    if (
        not ways
        and is_graded
        and all(2 * len(own) > len(set().union(*levels)) > 1 for own in levels)
    ):
        ways = [
            f"{_wide.option('rater', numeric)}, if each is somebody who scored the"
            " answers."
        ]
    stems = [str(name).rstrip("0123456789") for name in numeric]
    numbered = [
        n
        for n, stem in zip(numeric, stems, strict=True)
        if stem != n and stems.count(stem) > 2
    ]
    return ways + [
        f"{_wide.option('seed', numbered)}, if each is a training run."
    ] * bool(numbered)


def _ways_of_counts(names, total, frame):
    both, name = (
        f"{_wide.option('numerator', names)} {_wide.option('denominator', [total])}",
        shown(names[0]),
    )
    ways = (
        (
            f"{both} --direction higher, if {name} counts how many of {shown(total)}"
            " are right: pass@1, say."
        ),
        (
            f"{both} --direction lower, if {name} counts the errors among"
            f" {shown(total)}: their rate."
        ),
    )
    of_k = f"pass@k and pass^k of {name} and {shown(total)} are in {PASSES}."
    return (*ways, of_k) if frame[total].nunique() == 1 else ways


def _asked_counts(table, options):
    """Ask of a score that counts whether a column that is never smaller holds what it
    counts a part of.
    """
    if "score" not in table.roles or {"seed", "run", "fold", "split"} & {*table.roles}:
        return table  # predictions, or no counts of answers to an item
    name, frame = table.roles["score"], table.frame
    if not frame[table.roles["system"]].duplicated().any():
        return table  # nothing varies
    noted = options.named("note")
    free = [n for n in (*table.free(), *table.roles.get("note", ())) if n not in noted]
    is_known = _metrics.direction(name) and _metrics.split_name(name)[0] not in (
        "err",
        "error",
    )
    totals = [] if is_known else counted_of(frame, name, free)
    names = table.facts.get("beside", [name])
    for total in totals[:1]:
        what = (
            f"{listed(names)}: whole numbers, and {shown(total)} is hardly ever"
            " smaller. "
        )
        what += f"Were they counted out of {shown(total)}?"
        no = (
            f"{_wide.option('note', [total])}, if the two have nothing to do with each"
            " other."
        )
        no = (
            no,
            (
                "or first add up counts that belong together, such as substitutions,"
                " deletions and insertions."
            ),
        )
        table = table.ask(
            "metric", what, (*_ways_of_counts(names, total, frame), *no), [name]
        )
    return table


def _asked_prediction(table):
    """Return a table with the question what the systems say, where the right answers
    alone are known.
    """
    label = table.roles["label"]
    what = (
        f"{shown(label)} holds right answers, and no column is called prediction. Which"
        " one is it?"
    )
    judges = "--unit rater: they are judges, and the question is whether they agree."
    ways = ["--map prediction=COLUMN", *_marks(table), judges]
    if table.facts.get("files", 1) > 1:
        name = argument(f"prediction={label}")
        ways.append(
            f"--map {name} --gold FILE: what systems say, and the file of the right"
            " answers."
        )
    return table.ask("columns", what, ways)


def _may_be_score(name):
    """Tell whether a column has the name of a metric, of a part of the data (test_xyz)
    or of some score.
    """
    is_cost = schema.role_of(_metrics.split_name(name)[0]) in ("cost", "size")
    is_score = _metrics.tokens(name)[1:][-1:] == ["score"]  # main_score of MTEB
    return (_metrics.is_measured(name) or is_score) and not is_cost


def _said_score(table, options):
    metric = options.metric
    if table.facts.get("folds"):  # scikit-learn's name of the mean over folds
        metric = metric.removeprefix("mean_test_")
    if metric not in table.frame and metric.partition(",")[2] not in table.frame:
        # Lm-evaluation-harness writes the filter behind it.
        metric = metric.partition(",")[0]
    free = [
        *table.free(),
        *table.used(but=tuple(r for r in table.roles if r not in ("note", "correct"))),
    ]
    found = (
        [metric]
        if metric in free
        else [n for n in free if str(n).endswith(("/" + metric, "." + metric))]
    )
    if not found and {"prediction", "label"} <= {*table.roles}:
        if _metrics.split_name(metric)[0] in ("accuracy", "acc"):
            return table
        what = (
            f"No column is called {shown(metric)!r}, and of predictions a report"
            " computes the accuracy."
        )
        without = "leave --metric away: then accuracies are compared."
        raise refusal(
            "metric",
            what,
            _metrics.ONE_METRIC,
            without,
            "--metric COLUMN, a score of each item.",
        )
    if len(found) != 1:
        numeric = [name for name in table.free() if _wide.numbers_in(table.frame, name)]
        what = (
            f"No one column is called {shown(metric)!r}; numbers are in:"
            f" {examples(numeric, 12)}."
        )
        if table.facts.get("folds"):
            what = (
                "Of cv_results_ the scores of the test folds are compared,"
                " split0_test_score and the like."
            )
        ways = [f"--metric {argument(name)}" for name in numeric[:6]] or [
            "--metric COLUMN"
        ]
        raise refusal("metric", what, _metrics.ONE_METRIC, *ways)
    if _metrics.split_name(found[0])[1] == "train":
        what = f"{shown(found[0])} is the score on the training part, by its name."
        why = (
            "It shows what was learned by heart, and of two systems not which is"
            " better."
        )
        raise refusal("metric", what, why, "--metric COLUMN, a score on the test part.")
    notes = tuple(name for name in table.roles.get("note", ()) if name != found[0])
    return replace(table, roles={**table.roles, "note": notes}).having(
        "score", found[0], options.whose("metric")
    )


def _validation(table):
    """Find the validation score of the same metric, by its documented name."""
    if "validation" in table.roles or "score" not in table.roles:
        return table
    metric, part = _metrics.split_name(table.roles["score"])
    others = [n for n in table.free() if table.frame[n].dtype.kind == "f"]
    of_validation = [
        n
        for n in others
        if _metrics.is_measured(n) and _metrics.split_name(n)[1] == "validation"
    ]
    alike = [name for name in of_validation if _metrics.split_name(name)[0] == metric]
    if not alike and part != "validation":
        alike = of_validation
    if (
        table.facts.get("trials")
        and not alike
        and table.roles["score"] != "value"
        and "value" in table.frame
    ):
        alike = ["value"]  # the objective of the search chose
    return (
        table.having("validation", alike[0], "its name") if len(alike) == 1 else table
    )


def is_nameless(table, options):
    """Tell whether "score" is our own word, for numbers without a heading: it says
    nothing of them.
    """
    is_ours = table.facts.get("wide") and not table.facts.get("called")
    return bool(is_ours or table.facts.get("arrays")) and options.metric is None


def score_direction(table, options):
    """Return which way the score is better, and how that is known; None where nothing
    says it.
    """
    if options.direction:
        return options.direction, options.whose("direction")
    name = table.roles.get(
        "score", options.metric if "numerator" in table.roles else None
    )
    if name is None:
        return (
            (None, "")
            if "numerator" in table.roles
            else ("higher", "right answers are counted")
        )
    higher = table.facts.get("higher", {})
    if name in higher:
        how = (
            f"{shown(options.right)} is right, as you said"
            if options.right
            else "the format says it"
        )
        return ("higher" if higher[name] else "lower"), how
    if name == table.roles.get("correct"):
        return "higher", "1 is right and 0 wrong"
    if is_nameless(table, options):
        is_right = set(table.frame[name].dropna()) <= {0.0, 1.0}
        return ("higher", "1 is right and 0 wrong") if is_right else (None, "")
    if (
        table.facts.get("trials")
        and _metrics.direction(name) is None
        and "value" in higher
    ):
        return (
            "higher" if higher["value"] else "lower"
        ), "as the objective of the search"
    return _metrics.direction(name), "by its name"
