"""What may be right and is seldom: refused once, with a look at the rows and never a
change to them. Whoever has looked says so, and the page says it above the verdict.
"""

from dataclasses import replace

import numpy as np

from evalkit.reports import schema
from evalkit.reports._cells import having
from evalkit.reports._refused import (
    RefusedError,
    Say,
    count,
    each,
    examples,
    fault,
    listed,
    shown,
)


def refused(faults):
    """Return the refusal of what nobody has confirmed."""
    right = "it is right as it stands"
    ways = [(*one.ways, Say({"confirm": one.code}, right)) for one in faults]
    pairs = zip(faults, ways, strict=True)
    return RefusedError(*(replace(one, ways=way) for one, way in pairs))


def _names(evidence):
    alike, system = {}, evidence.names["system"]
    for name in evidence.used["system"].unique():
        alike.setdefault("".join(filter(str.isalnum, name.casefold())), []).append(name)
    for names in (names for names in alike.values() if len(names) > 1):
        names = sorted(names, key=lambda name: name != evidence.baseline)
        what = f"{listed(map(repr, names))} differ in case, spaces or signs alone."
        column = f"table[{system!r}]"
        line = f"{column} = {column}.replace({names[1]!r}, {names[0]!r})"
        yield fault("names", what, f"{line}  # if they are one")


def _alike(evidence):
    """Look for systems that score the same throughout, and for runs without effect."""
    seen = {}
    for name in (evidence.baseline, *evidence.systems):
        scores, key = evidence.scores(name), evidence.keys[-1]
        is_run = len(scores) >= schema.FEWEST_ALIKE and key not in ("item", "attempt")
        if is_run and (scores == scores[0]).all():
            runs = count(len(scores), key)
            what = f"All {runs} of {shown(name)} score {scores.mean():.6g}."
            yield fault("constant", what, "look at two of its runs.")
        other = seen.setdefault(scores.tobytes(), name)
        if scores.size >= schema.FEWEST_ALIKE and other != name:
            what = f"{shown(name)} and {shown(other)} have the same scores throughout."
            yield fault("copies", what, "look at where both come from.")
        first, second = np.array_split(scores.ravel(), 2)
        is_again = np.array_equal(first, second) and len({*first}) == len(first) > 2
        if is_again and key != "item":
            what = f"The scores of {shown(name)} are there twice, one after the other."
            yield fault("copies", what, "look whether one file was read twice.")


def _scale(evidence):
    frame, metric = evidence.used, evidence.metric
    scores = frame["score"][frame["score"] > 0]
    small, large = scores[scores <= 1], scores[scores > 1]
    is_mixed = large.min() > schema.FAR * small.max()  # with nothing in between
    in_one = {*frame["system"][small.index]} & {*frame["system"][large.index]}
    is_share = metric.removeprefix("test_") in schema.SHARES
    if is_share and evidence.kind != "items" and is_mixed and in_one:
        row, key = frame.loc[min(small, large, key=len).index[0]], evidence.keys[0]
        what = (
            f"{small.size:,} scores lie between 0 and 1, {large.size:,} above"
            f" {large.min():.6g}; one of the fewer: {shown(row['system'])},"
            f" {key} {shown(row[key])}, {row['score']:.6g}."
        )
        yield fault("scale", what, "mend these rows.")
        return
    for by in ("system", "dataset") if evidence.kind == "datasets" else ("system",):
        level = frame["score"].abs().groupby(frame[by], sort=False).mean()
        if 0 < schema.FAR * level.min() < level.max():
            ends = [
                f"{shown(k)} {level[k]:.4g}" for k in (level.idxmin(), level.idxmax())
            ]
            rows, own = having(evidence.names[by], level.idxmax()), f"table[{metric!r}]"
            line = f"{own} = {own}.where(~({rows}), {own} / 100)"
            line += "  # if these are per cents"
            if by == "dataset":
                line = "divide the scores of each data set by those of one reference."
            yield fault("scale", f"Typical scores: {' and '.join(ends)}.", line)
            return


def _summaries(evidence):
    for key in evidence.keys:
        own, column = evidence.used[key], evidence.names[key]
        is_word = own.str.strip().str.lower().isin(schema.SUMMARIES)
        if is_word.any():
            word, rows = own[is_word].iloc[0], count(int(is_word.sum()), "row")
            what = f"A {key} is called {shown(word)}, in {rows}."
            line = f"table = table[table[{column!r}] != {word!r}]"
            yield fault("mean-row", what, f"{line}  # if it is no {key}")


def _means(evidence):
    """Look for a data set that is the mean of all others, for every system."""
    if evidence.kind == "datasets":
        wide = evidence.used.pivot_table("score", "dataset", "system")
        others = (wide.sum() - wide) / (len(wide) - 1)
        is_mean = np.isclose(wide, others, rtol=1e-5, atol=0).all(axis=1)
        if len(wide) >= schema.FEWEST_ALIKE and is_mean.any() and not is_mean.all():
            name = wide.index[is_mean][0]
            what = f"{shown(name)} is the mean of all others, for every system."
            column = f"table[{evidence.names['dataset']!r}].astype(str)"
            line = f"table = table[{column} != {name!r}]"
            yield fault("mean-row", what, f"{line}  # if it is no data set")


def _validation(evidence):
    """Look for a validation score that is read the other way than the test score."""
    frame = evidence.used
    if evidence.kind == "search":
        column = evidence.names["validation"]
        other = schema.direction(column) not in (None, evidence.direction)
        ranks = frame.groupby("system")[["validation", "score"]].rank(pct=True)
        r = ranks["validation"].corr(ranks["score"])
        if r < schema.BACKWARDS or (other and r < 0):
            what = f"{shown(column)} and {shown(evidence.metric)} correlate by {r:.2f}."
            line = (
                f"table[{column!r}] = -table[{column!r}]  # if it is read the other way"
            )
            yield fault("validation", what, line)


def _missing_runs(evidence):
    """Look for seeds of which a system lacks a few that others have."""
    if evidence.keys[-1] != "seed":
        return
    sets = evidence.used.groupby("system", sort=False)["seed"].agg(frozenset)
    every = frozenset().union(*sets)
    lacking = {
        name: len(every - own)
        for name, own in sets.items()
        if own != every and any(own & other for other in sets.drop(name))
    }
    if lacking:
        some = examples(sorted(every - frozenset.intersection(*sets)), 4)
        what = f"Of {len(every):,} seeds some are missing: {each(lacking)} ({some})."
        way = "add the runs that failed, with the score that a failure has."
        yield fault("missing-runs", what, way)


def _swapped(evidence):
    n_train, n_test = evidence.options.n_train, evidence.options.n_test
    if evidence.kind == "folds" and n_test > n_train:
        what = f"Each fold trains on {n_train:,} items and tests on {n_test:,}."
        way = Say({"n_train": n_test, "n_test": n_train}, "if they were swapped")
        yield fault("swapped", what, way)


LOOKS = (
    _names, _alike, _scale, _summaries, _means, _missing_runs, _swapped, _validation,
)  # fmt: skip
