"""Runs of several sizes, of a model or of its data: whether scores rise with size."""

import math
from dataclasses import replace

from evalkit.reports._bench import ALPHA, Evidence
from evalkit.reports._checks import _choices, _common, _means, _twice
from evalkit.reports._checks._failed import failed
from evalkit.reports._faults import argument, count, examples, shown
from evalkit.reports._pages import _prose


def prepare(table, _, bench):
    """Examine runs of several sizes."""
    higher = _common.direction(table, bench) == "higher"
    frame, metric = _common.tidy(table), table.roles["score"]
    for role in ("fold", "dataset"):
        if role in frame and (n := frame[role].nunique()) > 1:
            name = shown(table.roles.get(role, table.roles.get("split", role)))
            why = (
                "The test of a trend takes the runs to be independent; those that share"
                " one are not."
            )
            way = (
                f"--where {argument(f'{name}=VALUE')} looks at the runs of one of them."
            )
            bench.refuse("few", f"The runs have {n:,} values of {name}.", why, way)
    _common.names(frame, bench)
    frame = _means.without_summaries(frame, table, bench)
    _common.scale(frame, metric, higher, bench)
    keys = [name for name in ("system", "size", "seed") if name in frame]
    if "seed" in keys:
        frame = _twice.duplicates(frame, keys, bench, what="run", raw=table.own())
    else:
        bench.unchecked(
            "duplicates", "No column tells runs of one size apart (a seed, say)."
        )
    _twice.copies(frame, "seed", bench)
    frame = failed(frame, higher, bench)
    _choices.chosen_by_test(frame, table, bench, search=False)
    _enough(frame, bench)
    _choices.never_in_a_file(bench)
    found = Evidence.of(bench, frame, metric, higher, {})
    # Each is compared with itself.
    return replace(found, systems=tuple(frame.system.unique()))


def _enough(frame, bench):
    """Refuse so few sizes and runs that no order of the scores would show a trend."""
    words = []
    for name, part in frame.groupby("system", sort=False):
        runs = part["size"].value_counts()
        # Of all orders in which the scores may lie, two are the clearest: up
        # throughout, and down.
        least = min(
            1.0, 2 * math.prod(map(math.factorial, runs)) / math.factorial(len(part))
        )
        of = (
            f"{shown(name)} has {count(len(part), 'run')} of {count(len(runs), 'size')}"
        )
        ends = sorted(runs.index)
        half = len(ends) // 2
        if len(runs) < 2:
            words.append(f"{of}: {examples(runs.index)}")
        elif least > ALPHA:
            words.append(f"{of}: no p-value can be below {least:.2g}")
        elif min(runs[ends[:half]].sum(), runs[ends[-half:]].sum()) < 2:
            words.append(f"{of}, and one of the smaller or of the larger ones")
    if words:
        why = "So few runs cannot show whether scores rise with size."
        ways = "train each size again with other seeds, or more sizes."
        bench.refuse("few", f"{'; '.join(words)}.", why, ways)
    own = [
        f"{shown(n)} {len(p)} of {p.nunique()} sizes"
        for n, p in frame.groupby("system")["size"]
    ]
    bench.fine("few", f"Runs: {', '.join(own)}.")


def answer(one, evidence, n_family):
    """Return what was found of one system, and what follows from it."""
    name, metric = shown(one.system), shown(evidence.metric)
    _, runs, tau, *_, ends, _ = row(one)
    gap = _prose.number(abs(one.difference), one.high - one.low)
    p = _prose.p_is(one.pvalue)
    p += f", adjusted for {n_family} trends {_prose.p_is(one.adjusted)}" * (
        n_family > 1
    )
    (_, large), (_, small) = one.more["ends"]
    lead = (
        f"{name}: over {runs}, Kendall's tau of {metric} on size is {tau} ({p}). Sizes"
        " from"
    )
    lead += (
        f" {large:g} up score {gap} {'higher' if one.difference > 0 else 'lower'} than"
        " those up to"
    )
    lead += f" {small:g} (95 % interval {ends}, Welch's t)."
    if one.verdict == "undecided":
        no = f"This does not show that {metric} of {name} changes with size."
        return lead, f"{no} That does not prove that it does not."
    good = (one.verdict == "rises") == (evidence.sign > 0)
    return (
        lead,
        (
            f"{metric} of {name} {one.verdict} with size: larger is"
            f" {'better' if good else 'worse'}."
        ),
    )


HEAD = (
    "system",
    "runs",
    "tau",
    "p",
    "p, Holm",
    "large minus small",
    "95 % interval",
    "with size",
)


def row(one):
    """Return a system's row of the table."""
    gap = _prose.number(one.difference, one.high - one.low)
    p = _prose.pvalue(one.pvalue), _prose.pvalue(one.adjusted)
    tau = f"{one.more['tau']:+.2f}".replace("-", "\u2212")
    return shown(one.system), one.sizes, tau, *p, gap, _prose.interval(one), one.verdict
