"""What may be right and is seldom: refused once, with a look at the rows and never a
change to them. Whoever has looked says so, and the page says it above the verdict.
"""

from evalkit.reports import schema
from evalkit.reports._refused import (
    Fault,
    RefusedError,
    Say,
    count,
    each,
    examples,
    listed,
    shown,
)


def refused(faults):
    """Return the refusal of what nobody has confirmed."""
    return RefusedError(
        *(
            Fault(
                f.code,
                f.what,
                f.why,
                (*f.ways, Say({"confirm": f.code}, "it is right as it stands")),
            )
            for f in faults
        )
    )


def _names(evidence):
    alike = {}
    for name in evidence.used["system"].unique():
        alike.setdefault("".join(filter(str.isalnum, name.casefold())), []).append(name)
    for names in (names for names in alike.values() if len(names) > 1):
        what = f"Names that differ in case, spaces or signs alone: {listed(map(repr, names))}."
        why = "If they are one system, it is compared with itself."
        system = evidence.names["system"]
        line = (
            f"table[{system!r}] = table[{system!r}].replace({names[1]!r}, {names[0]!r})"
        )
        yield Fault("names", what, why, (f"{line}  # if they are one",))


def _alike(evidence):
    """Look for systems that score the same throughout, and for runs without effect."""
    seen = {}
    for name in (evidence.baseline, *evidence.systems):
        scores = evidence.scores(name)
        if scores.size < schema.FEWEST_ALIKE:
            continue
        rows = (
            scores
            if scores.ndim == 2
            else scores[None]
            if evidence.kind == "items"
            else scores[:, None]
        )
        if (
            len(rows) >= schema.FEWEST_ALIKE
            and (rows == rows[0]).all()
            and "attempt" not in evidence.keys
        ):
            what = f"All {count(len(rows), evidence.keys[-1])}s of {shown(name)} score the same: {rows.mean():.6g}."
            why = "A baseline without chance does; a network whose seed is not used does as well."
            yield Fault("constant", what, why, ("look at two of its runs.",))
        other = seen.setdefault(scores.tobytes(), name)
        if other != name:
            what = f"{shown(name)} and {shown(other)} have the same scores throughout."
            why = "A file may have been read twice under two names."
            yield Fault("copies", what, why, ("look at where both come from.",))


def _scale(evidence):
    frame = evidence.used
    size = frame["score"].abs()
    key = "dataset" if evidence.kind == "datasets" else "system"
    for by in dict.fromkeys(("system", key)):
        level = size.groupby(frame[by], sort=False).mean()
        if 0 < schema.FAR * level.min() < level.max():
            low, high = level.idxmin(), level.idxmax()
            what = f"Typical scores: {shown(low)} {level[low]:.4g}, {shown(high)} {level[high]:.4g}."
            why = "Shares beside per cents, or two metrics? The largest decides every mean."
            column, metric = evidence.names[by], evidence.metric
            line = f"table.loc[table[{column!r}] == {high!r}, {metric!r}] /= 100"
            yield Fault("scale", what, why, (f"{line}  # if these are per cents",))
            return
    is_share = evidence.metric.removeprefix("test_") in schema.SHARES
    small, large = frame["score"].between(0, 1), frame["score"] > 1
    if is_share and evidence.kind != "items" and small.any() and large.any():
        what = f"{count(int(small.sum()), 'score')} lie between 0 and 1, {int(large.sum()):,} above."
        row = frame[small if small.sum() < large.sum() else large].iloc[0]
        look = f"{shown(row['system'])}, {evidence.keys[0]} {shown(row[evidence.keys[0]])}: {row['score']:.6g}."
        yield Fault(
            "scale",
            f"{what} The first of the rarer: {look}",
            "Shares beside per cents?",
            ("mend these rows.",),
        )


def _summaries(evidence):
    for key in evidence.keys:
        own = evidence.used[key]
        if (is_word := own.str.strip().str.lower().isin(schema.SUMMARIES)).any():
            word, column = own[is_word].iloc[0], evidence.names[key]
            what = f"A {key} is called {shown(word)}, in {count(int(is_word.sum()), 'row')}."
            why = "A mean of the others counts every score twice."
            line = f"table = table[table[{column!r}] != {word!r}]"
            yield Fault("mean-row", what, why, (f"{line}  # if it is no {key}",))


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
        what = (
            f"Of {len(every):,} seeds some are missing: {each(lacking)} (seeds {some})."
        )
        why = "A run that failed and left no row flatters its system."
        yield Fault(
            "missing-runs",
            what,
            why,
            ("add the runs that failed, with the score that a failure has.",),
        )


def _swapped(evidence):
    options = evidence.options
    if evidence.kind == "folds" and options.n_test > options.n_train:
        what = f"Each fold trains on {options.n_train:,} items and tests on {options.n_test:,}."
        way = Say(
            {"n_train": options.n_test, "n_test": options.n_train},
            "if they were swapped",
        )
        yield Fault(
            "swapped", what, "Nearly all splits test on the smaller part.", (way,)
        )


LOOKS = _names, _alike, _scale, _summaries, _missing_runs, _swapped
