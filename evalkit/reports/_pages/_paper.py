"""What goes into a paper: what was compared and how, what came of it, and what was decided on the way."""

import re

import numpy as np

from evalkit.reports._checks import _choices
from evalkit.reports._contrasts import NO_METHOD
from evalkit.reports._faults import count, each, listed, shown
from evalkit.reports._kinds import _agreement, _sizes
from evalkit.reports._pages import _prose

MOST = 3  # comparisons that have a sentence each
# What these paragraphs, or the result itself, say anyway.
_SAID = {"decided": {"sizes", "mean-row"}, "note": {"settings", "few", "direction"}, "open": set()}
_SAID_OPTION = "You said --"
_NEXT = re.compile(r"(?:: |\. )(\w)")  # where what follows an option begins
_BOTH_WAYS = "The page shows both ways, and both must hold: --"


def paragraphs(evidence, findings, bench, version):
    """Return the paragraphs for a paper."""
    found = findings.contrasts
    words = [methods(evidence, findings, bench.options.margin, version)]
    if len(found) > MOST:
        whole = summary(evidence, findings, bench)
        words.append(f"{whole} The table has each difference with its interval.")
    else:
        words.append(" ".join(" ".join(pair) for pair in answers(evidence, findings, bench)))
    return [*words, *filter(None, [decisions(findings, bench)])]


def methods(evidence, findings, margin, version):
    """Say what was compared and how."""
    found = findings.contrasts
    names, base = listed([one.system for one in found], 12), shown(evidence.baseline)
    metric, better = shown(evidence.metric), f"{evidence.direction} is better"
    if evidence.kind == "agreement":
        of = f"the labels ({metric}) of {names} with those of {base}"
        first = f"We compared {of} {_sample(evidence, found)}."
    elif evidence.kind == "sizes":
        first = f"We asked of {names} whether {metric} ({better}) changes with size ({sizes(found)})."
    else:
        of = f"{metric} ({findings.quantity}; {better})"
        first = f"We compared {names} with {base} in {of} {_sample(evidence, found)}."
    parts = [first, _statistics(evidence, found)]
    if margin:
        parts.append(f"A difference of up to {margin:g} was taken not to matter.")
    parts.append(f"The answer is about {findings.varies}. Computed with evalkit {version}.")
    return " ".join(parts)


def sizes(found):
    """Say how much the comparisons rest on, of each system if it is not the same for all."""
    of = {}
    for one in found:
        of.setdefault(one.sizes, []).append(one.system)
    return "; ".join(f"{listed(names, 12)}: {size}" if len(of) > 1 else size for size, names in of.items())


def _sample(evidence, found):
    if evidence.kind == "seeds":
        runs = {name: len(evidence.scores(name)) for name in (*evidence.systems, evidence.baseline)}
        if len(set(runs.values())) == 1:
            return f"over {count(runs[evidence.baseline], 'training run')} of each"
        return f"over training runs ({each(runs)})"
    if evidence.kind == "search":
        return f"at equal budgets, by the test score of the trial that validation chose ({sizes(found)})"
    if evidence.kind == "summary":
        return f"by what was printed ({sizes(found)})"
    if n := evidence.facts.get("other texts"):
        return f"on {sizes(found)} (of {n:,} the systems had different texts)"
    if evidence.kind == "items" and len({one.sizes for one in found}) > 1:  # other numbers of runs
        runs = f" (runs: {each(evidence.facts['runs'])})" if evidence.facts["runs"] else ""
        return f"on the same {count(evidence.used['item'].nunique(), 'item')}{runs}"
    return f"on the same {sizes(found)}"


def _statistics(evidence, found):
    tests, ways = (list(dict.fromkeys(getattr(one, of) for one in found)) for of in ("test", "method"))
    if evidence.kind == "agreement":
        return f"Intervals (95 %) are by {listed(ways)}, those of Cohen's kappa by the profile variance."
    exact = " (exact)" * (evidence.kind == "datasets" and len(evidence.scores(evidence.baseline)) <= 1000)
    by, none = f"{listed(tests)}{exact}", _prose.NO_INTERVAL.get(evidence.kind, "")
    intervals = "Confidence intervals of the difference (95 %)"
    if ways == [NO_METHOD]:
        out = f"{none[0].upper()}{none[1:]}; p-values are two-sided, by {by}."
    elif ways == tests:
        out = f"{intervals} and two-sided p-values are by {by}."
    else:
        out = f"{intervals} are by {listed(ways)}, two-sided p-values by {by}."
    if len(found) == 1:
        return out
    family = count(len(found), "comparison") + "; the intervals are not" * (ways != [NO_METHOD])
    return f"{out} The p-values are adjusted by Holm's method for {family}."


def is_open(bench):
    """Tell whether a question is open, so that a verdict must hold whichever way it is decided."""
    return any(check.outcome == "open" for check in bench.checks)


_VERDICTS = {
    "better": "better than {}",
    "worse": "worse than {}",
    "equivalent": "as good as {}, up to the margin",
    "undecided": "not told apart from {}",
}


def summary(evidence, findings, bench):
    """Return in one paragraph what was found of many systems."""
    if evidence.kind in ("agreement", "sizes"):  # have words of their own
        return " ".join(" ".join(pair) for pair in answers(evidence, findings, bench))
    found, of, whys = findings.contrasts, {}, {}
    for one in found:
        of.setdefault(one.verdict, []).append(one.system)
        if one.verdict == "undecided":
            why = _prose.why_undecided(one, evidence, bench.options.margin, is_open(bench))
            whys.setdefault(why, []).append(one.system)
    parts = []
    for verdict, words in _VERDICTS.items():
        if names := of.get(verdict):
            are = f"{len(names):,} {'is' if len(names) == 1 else 'are'}"
            parts.append(f"{are} {words.format(shown(evidence.baseline))} ({listed(names, 12)})")
    lead = f"Of {count(len(found), 'system')}, in {shown(evidence.metric)} ({findings.quantity}), "
    out = [f"{lead}{'; '.join(parts)}."]
    out += ["Not to tell two systems apart does not prove that they are equal."] * ("undecided" in of)
    return " ".join([*out, *(f"{listed(names, 12)}: {why}" for why, names in whys.items() if why)])


def answers(evidence, findings, bench):
    """Return what was found of each system, and what follows from it."""
    found, out, said = findings.contrasts, [], None
    if evidence.kind == "agreement":
        return [_agreement.answer(one, evidence) for one in found]
    if evidence.kind == "sizes":
        return [_sizes.answer(one, evidence, len(found)) for one in found]
    for one in found:
        how = one.method, one.test, one.sizes
        lead = _prose.finding(one, evidence, len(found), findings.quantity, is_whole=how != said)
        out.append((lead, _prose.verdict(one, evidence, bench.options.margin, is_open(bench))))
        said = how
    return out


def decisions(findings, bench):
    """Say what was decided on the way, and whether the verdict hangs on it."""
    said = {_choices.BY_FOLDS, *(c.words for c in bench.checks if c.code in _SAID.get(c.outcome, {c.code}))}
    out = [for_paper(check.words) for check in bench.checks if check.words not in said]
    out += [f"Averaged: {words}." for words in bench.merged]
    out += [f"Left out: {count(n, 'row')}, {why}." for n, why in bench.left_out]
    return " ".join([*out, *_done_otherwise(findings)])


def for_paper(words):
    """Return what was said of a check without the options of the command, or a question to its reader."""
    words = words.replace("it is left as it is.", "this was known, and left as it is.")
    start = words.find(" ", 1 + max(words.rfind(mark, 0, -1) for mark in ".?"))
    if words.endswith("?") and start >= 0:
        words = words[:start]
    out, *parts = words.split(_SAID_OPTION)
    for part in parts:
        begun = _NEXT.search(part)
        out += begun[1].upper() + part[begun.end() :] if begun else _SAID_OPTION + part
    both = "The result was computed both ways; a verdict is given only where they agree."
    return out.partition(_BOTH_WAYS)[0] + both * (_BOTH_WAYS in out)


def _done_otherwise(findings):
    """Return sentences on what would come out if it were done otherwise."""
    turned, same, not_known = [], [], []
    was = {one.system: one.verdict for one in findings.contrasts}
    for what, found in findings.sensitivity:
        others = [f"{shown(one.system)} {one.verdict}, not {was[one.system]}" for one in changed(found, was)]
        if others:
            turned.append(f"{what} ({listed(others, 12)})")
        elif not is_as_done(found, findings):
            (same if found else not_known).append(what)
    are = "verdicts are" if len(findings.contrasts) > 1 else "verdict is"
    lines = {
        "the verdict is another": turned,
        f"the {are} the same": same,
        "too little is left for an interval": not_known,
    }
    return [f"Done otherwise, {words}: {'; '.join(of)}." for words, of in lines.items() if of]


def changed(found, was):
    """Return the contrasts whose verdict is not what it was."""
    return [one for one in found if one.verdict != was[one.system]]


def is_as_done(found, findings):
    """Tell whether what might be done otherwise is what was done."""
    keys = "difference", "low", "high", "pvalue"
    new, old = ([[getattr(one, key) for key in keys] for one in of] for of in (found, findings.contrasts))
    return np.array_equal(np.array(new), np.array(old), equal_nan=True)
