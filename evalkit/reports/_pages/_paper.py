"""What goes into a paper: what was compared and how, what came of it, and what was
decided on the way.
"""

import re

from evalkit.reports._bench import ALPHA
from evalkit.reports._checks import _choices
from evalkit.reports._contrasts import NO_METHOD
from evalkit.reports._faults import count, listed, shown
from evalkit.reports._kinds import _agreement, _sizes
from evalkit.reports._pages import _prose

MOST = 3  # comparisons that have a sentence each
_OPTION = re.compile(r"You said --[^:]{1,200}: (\w)")


def paragraphs(evidence, findings, bench, version):
    """Return the paragraphs for a paper."""
    found = findings.contrasts
    words = [methods(evidence, findings, bench.options.margin, version)]
    if len(found) > MOST:
        words.append(f"{summary(evidence, findings)} The table has each difference.")
    else:
        words.append(
            " ".join(
                " ".join(pair)
                for pair in answers(evidence, findings, bench.options.margin)
            )
        )
    return [*words, *filter(None, [decisions(bench)])]


def methods(evidence, findings, margin, version):
    """Say what was compared and how."""
    found = findings.contrasts
    names, base = listed([one.system for one in found], 12), shown(evidence.baseline)
    metric, better = shown(evidence.metric), f"{evidence.direction} is better"
    if evidence.kind == "agreement":
        first = (
            f"We compared the labels ({metric}) of {names} with those of {base} on"
            f" {sizes(found)}."
        )
    elif evidence.kind == "sizes":
        first = (
            f"We asked of {names} whether {metric} ({better}) changes with size"
            f" ({sizes(found)})."
        )
    else:
        of = f"{metric} ({findings.quantity}; {better})"
        first = f"We compared {names} with {base} in {of}: {sizes(found)}."
    parts = [first, _statistics(evidence, found)]
    if margin:
        parts.append(f"A difference of up to {margin:g} was taken not to matter.")
    parts.append(
        f"The answer is about {findings.varies}. Computed with evalkit {version}."
    )
    return " ".join(parts)


def sizes(found):
    """Say how much the comparisons rest on, of each system if it is not the same for
    all.
    """
    of = {}
    for one in found:
        of.setdefault(one.sizes, []).append(one.system)
    return "; ".join(
        f"{listed(names, 12)}: {size}" if len(of) > 1 else size
        for size, names in of.items()
    )


def _statistics(evidence, found):
    tests, ways = (
        list(dict.fromkeys(getattr(one, of) for one in found))
        for of in ("test", "method")
    )
    if evidence.kind == "agreement":
        return (
            f"Intervals (95 %) are by {listed(ways)}, those of Cohen's kappa by the"
            " profile variance."
        )
    by, none = listed(tests), _prose.NO_INTERVAL
    intervals = "Confidence intervals of the difference (95 %)"
    if ways == [NO_METHOD]:
        out = f"{none[0].upper()}{none[1:]}; p-values are two-sided, by {by}."
    elif ways == tests:
        out = f"{intervals} and two-sided p-values are by {by}."
    else:
        out = f"{intervals} are by {listed(ways)}, two-sided p-values by {by}."
    if len(found) == 1:
        return out
    family = count(len(found), "comparison") + "; the intervals are not" * (
        ways != [NO_METHOD]
    )
    return f"{out} The p-values are adjusted by Holm's method for {family}."


_VERDICTS = {
    "better": "better than {}",
    "worse": "worse than {}",
    "equivalent": "as good as {}, up to the margin",
    "undecided": "not told apart from {}",
}


def summary(evidence, findings):
    """Return in one paragraph what was found of many systems."""
    if evidence.kind in ("agreement", "sizes"):  # have words of their own
        return " ".join(" ".join(pair) for pair in answers(evidence, findings))
    of, parts = {}, []
    for one in findings.contrasts:
        of.setdefault(one.verdict, []).append(one.system)
    for verdict, words in _VERDICTS.items():
        if names := of.get(verdict):
            are = f"{len(names):,} {'is' if len(names) == 1 else 'are'}"
            parts.append(
                f"{are} {words.format(shown(evidence.baseline))} ({listed(names, 12)})"
            )
    lead = f"Of {count(len(findings.contrasts), 'system')}, in {shown(evidence.metric)}"
    equal = " Not to tell two systems apart does not prove that they are equal." * (
        "undecided" in of
    )
    split = [
        c.system
        for c in findings.contrasts
        if c.verdict == "undecided" and c.adjusted <= ALPHA
    ]
    both = (
        f" For {listed(split)} the test rejects, but the interval holds 0; a verdict"
        " needs both."
    )
    return (
        f"{lead} ({findings.quantity}), {'; '.join(parts)}.{equal}{both * bool(split)}"
    )


def answers(evidence, findings, margin=None):
    """Return what was found of each system, and what follows from it."""
    found, out, said = findings.contrasts, [], None
    if evidence.kind == "agreement":
        return [_agreement.answer(one, evidence) for one in found]
    if evidence.kind == "sizes":
        return [_sizes.answer(one, evidence, len(found)) for one in found]
    for one in found:
        how = one.method, one.test, one.sizes
        lead = _prose.finding(
            one, evidence, len(found), findings.quantity, is_whole=how != said
        )
        out.append((lead, _prose.verdict(one, evidence, margin)))
        said = how
    return out


def without_options(words):
    """Return what was decided without the option that said it."""
    return _OPTION.sub(lambda found: found[1].upper(), words)


def decisions(bench):
    """Say what was decided on the way."""
    decided = [
        c.words
        for c in bench.checks
        if c.outcome == "decided" and c.words != _choices.BY_FOLDS
    ]
    out = [without_options(words) for words in decided]
    out += [f"Averaged: {words}." for words in bench.merged]
    out += [f"Left out: {rows}, {why}." for rows, why in bench.without()]
    return " ".join(out)
