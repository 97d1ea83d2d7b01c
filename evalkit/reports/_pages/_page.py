"""The page: what was found first, then in what it holds, then everything that a strict
reader asks for.
"""

from evalkit.reports._contrasts import NO_METHOD
from evalkit.reports._faults import count, shown
from evalkit.reports._kinds import _agreement, _sizes
from evalkit.reports._pages import _card, _paper, _prose
from evalkit.reports._pages._document import block
from evalkit.reports._pages._figure import draw
from evalkit.reports._pages._prose import ends, interval, number, pvalue


def title(evidence):
    """Return the title of a page."""
    what = "rater" if evidence.kind == "agreement" else "system"
    n = len(evidence.systems)
    others = shown(evidence.systems[0]) if n == 1 else count(n, what)
    if evidence.kind == "sizes":
        return f"{shown(evidence.metric)} of {others} over sizes"
    return f"{others} against {shown(evidence.baseline)}"


def blocks(report):
    """Return the parts of the page."""
    evidence, findings, bench = report.evidence, report.findings, report.bench
    each = evidence.kind == "seeds" and evidence.facts["each"]
    taken = f", each value of {shown(each)} taken for a run" if each else ""
    top = [
        f"The answer is about {findings.varies}.",
        (
            "In \u201cWhich test do I need?\u201d this is"
            f" \u201c{findings.way.title}\u201d{taken}."
        ),
        _prose.unpaired(evidence),
    ]
    out = [block("title", title(evidence)), *_answers(report)]
    out += [block("paragraph", words) for words in top if words]
    out += [block("note", words) for words in _card.top(bench)]
    svg, words = draw(evidence, findings, bench.options.margin)
    parts = {
        _card.CANNOT: [_card.cannot(findings, bench)],
        "The figure": [block("figure", words, body=svg), block("paragraph", words)],
        "The comparison": [table(report)],
        "The data": _card.data(report),
        _card.SEEN: [_card.checks(bench)],
        "For the paper": [block("paragraph", words) for words in report.paper],
        "The same in Python": [block("code", body=report.code)],
    }
    for heading, of in parts.items():
        out += [block("heading", heading), *of]
    return out


def _answers(report):
    """Return what was found of each system, or of many in one paragraph."""
    of = report.evidence, report.findings
    if len(report.findings.contrasts) > _paper.MOST:
        out = [block("lead", _paper.summary(*of))]
    else:
        pairs = _paper.answers(*of, report.bench.options.margin)
        out = [
            block(*part)
            for pair in pairs
            for part in zip(("lead", "paragraph"), pair, strict=True)
        ]
    if report.evidence.kind == "search":
        out += [block("paragraph", words) for words in _card.costs(report)]
    return out


_OWN = {"agreement": _agreement, "sizes": _sizes}  # have rows of their own


def table(report):
    """Return the table of all comparisons."""
    found, evidence = report.findings.contrasts, report.evidence
    if evidence.kind in _OWN:
        own = _OWN[evidence.kind]
        caption = f"{shown(evidence.metric)}: {report.findings.quantity}"
        return block("table", caption, [own.row(one) for one in found], own.HEAD)
    several, first, equal = (
        len(found) > 1,
        found[0],
        any(one.equivalence for one in found),
    )
    methods, tests = (
        {one.method for one in found},
        {(one.test, one.sizes) for one in found},
    )
    # Of a search no mean is compared, but what the best of so many trials is expected
    # to score.
    mean = "expected best" if evidence.kind == "search" else "mean"
    columns = {
        "system": lambda one: shown(one.system),
        mean: lambda one: number(one.means[0], one.high - one.low),
        "difference": lambda one: number(one.difference, one.high - one.low),
        "95 % interval": (
            lambda one: interval(one) + f" ({one.method})" * (len(methods) > 1)
        ),
        "test": len(tests) > 1 and (lambda one: f"{one.test}, {one.sizes}"),
        "p": lambda one: pvalue(one.pvalue),
        "p, Holm": several and (lambda one: pvalue(one.adjusted)),
        "90 % interval": (
            equal
            and (
                lambda one: (
                    ends(one.equivalence.interval) if one.equivalence else "none"
                )
            )
        ),
        "p, equivalence": (
            equal
            and (lambda one: pvalue(one.equivalence.pvalue) if one.equivalence else "")
        ),
        "verdict": lambda one: one.verdict,
    }
    columns = {name: of for name, of in columns.items() if of}
    base = number(first.means[1], first.high - first.low)
    unadjusted = ", intervals not" * (methods != {NO_METHOD})
    metric = (
        f"{shown(evidence.metric)} ({report.findings.quantity}; {evidence.direction} is"
        " better)"
    )
    parts = [
        f"{metric}, difference from {shown(evidence.baseline)} ({base})",
        *_methods(first, methods, tests),
        *[f"a family of {len(found)} comparisons: p-values adjusted{unadjusted}"]
        * several,
    ]
    return block(
        "table",
        "; ".join(parts),
        [[of(one) for of in columns.values()] for one in found],
        columns,
    )


def _methods(one, methods, tests):
    """Say by what intervals and p-values are, as far as all of them are by one."""
    if len(tests) == 1 and methods == {one.test}:
        return [f"intervals and p-values by {one.test}, {one.sizes}"]
    by = [f"intervals by {one.method}"] * (len(methods) == 1 and methods != {NO_METHOD})
    return by + [f"p-values by {one.test}, {one.sizes}"] * (len(tests) == 1)
