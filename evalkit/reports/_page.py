"""The page: what was found first, then in what it holds, then everything that a strict
reader asks for.
"""

from evalkit.reports import _figure, _scope, _sentences
from evalkit.reports._compare import NO_METHOD
from evalkit.reports._document import block
from evalkit.reports._refused import count, placed, shown
from evalkit.reports._sentences import ends, interval, number, pvalue


def title(evidence):
    """Return the title of a page."""
    n = len(evidence.systems)
    others = shown(evidence.systems[0]) if n == 1 else count(n, "system")
    return f"{others} against {shown(evidence.baseline)}"


def notes(evidence):
    """Return what stands above the verdict, in lines."""
    return [
        f"Read this first: {fault.what} {fault.why} It was confirmed ({fault.code})."
        for fault in evidence.confirmed
    ]


def blocks(report):
    """Return the parts of the page."""
    evidence, findings = report.evidence, report.findings
    out = [block("title", title(evidence))]
    out += [block("note", words) for words in notes(evidence)]
    out += _answers(report)
    head = "of the table", "is taken for"
    out.append(block("table", "What was understood", report.understood, head))
    way = findings.way.title
    out.append(
        block(
            "paragraph",
            f"The answer is about {findings.varies}. In \u201cWhich test do I"
            f" need?\u201d this is \u201c{way}\u201d.{_budget(evidence)}",
        )
    )
    svg, words = _figure.draw(evidence, findings)
    cannot = [f"Nothing about {words}" for words in findings.cannot]
    cannot += _scope.cannot_see(evidence)
    parts = {
        "What cannot be said": [block("list", rows=cannot)],
        "The figure": [block("figure", words, body=svg), block("paragraph", words)],
        "The comparison": [table(report)],
        "For the paper": [block("paragraph", words) for words in report.paper],
        "The same in Python": [block("code", body=report.code)],
    }
    if report.readings:
        files = [
            (placed(r.place), f"{r.n_rows:,}", r.sha256[:16]) for r in report.readings
        ]
        head = "file", "rows", "SHA-256, its beginning"
        parts["The files"] = [block("table", "Files", files, head)]
    for heading, of in parts.items():
        out += [block("heading", heading), *of]
    return out


def _budget(evidence):
    """Say what n of a search is, where there is one."""
    if evidence.kind != "search":
        return ""
    n = _scope.budget(evidence)
    return (
        f" Compared is what the best of {n:,} trials is expected to score, if its"
        " validation score chooses it: take n as large as the search that a reader can"
        " afford, up to a fifth of yours."
    )


def _answers(report):
    """Return what was found of each system, or of many in one paragraph."""
    of = report.evidence, report.findings
    if len(report.findings.contrasts) > _sentences.MOST:
        return [block("lead", _sentences.summary(*of))]
    return [
        block(*part)
        for pair in _sentences.answers(*of)
        for part in zip(("lead", "paragraph"), pair, strict=True)
    ]


def table(report):
    """Return the table of all comparisons."""
    found, evidence = report.findings.contrasts, report.evidence
    first, several = found[0], len(found) > 1
    equal = any(one.equivalence for one in found)
    methods = {one.method for one in found}
    tests = {(one.test, one.sizes) for one in found}
    has_spread = evidence.kind in ("seeds", "folds") or "seed" in evidence.keys

    def sd(system):
        scores = evidence.scores(system)
        runs = scores.reshape(len(scores), -1).mean(axis=1)
        spread = (runs - runs[0]).std(ddof=1)  # of equal floats exactly 0
        return number(spread, 2 * spread)

    # Of a search no mean is compared, but what the best of so many trials is expected
    # to score.
    mean = "expected best" if evidence.kind == "search" else "mean"
    columns = {
        "system": lambda one: shown(one.system),
        mean: lambda one: number(one.means[0], one.high - one.low),
        "SD of runs": has_spread and (lambda one: sd(one.system)),
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
    base += f", SD {sd(evidence.baseline)}" * has_spread
    unadjusted = ", intervals not" * (methods != {NO_METHOD})
    parts = [
        f"{shown(evidence.metric)} ({report.findings.quantity};"
        f" {evidence.direction} is better), difference from"
        f" {shown(evidence.baseline)} ({base})",
        *_methods(first, methods, tests),
        *[f"a family of {len(found)} comparisons: p-values adjusted{unadjusted}"]
        * several,
    ]
    rows = [[of(one) for of in columns.values()] for one in found]
    return block("table", "; ".join(parts), rows, columns)


def _methods(one, methods, tests):
    """Say by what intervals and p-values are, as far as all of them are by one."""
    if len(tests) == 1 and methods == {one.test}:
        return [f"intervals and p-values by {one.test}, {one.sizes}"]
    by = [f"intervals by {one.method}"] * (len(methods) == 1 and methods != {NO_METHOD})
    return by + [f"p-values by {one.test}, {one.sizes}"] * (len(tests) == 1)
