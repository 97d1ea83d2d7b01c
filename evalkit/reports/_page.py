"""The page: what was found first, then in what it holds, then everything that a strict reader asks for."""

import json
import math

from evalkit.reports import _agreement, _card, _paper, _prose, _sizes, _sources
from evalkit.reports._document import block
from evalkit.reports._faults import count, shown
from evalkit.reports._figure import draw
from evalkit.reports._prose import interval, number, pvalue


def title(evidence):
    """Return the title of a page.

    Parameters
    ----------
    evidence : Evidence

    Returns
    -------
    str
    """
    what = "rater" if evidence.kind == "agreement" else "system"
    n = len(evidence.systems)
    others = shown(evidence.systems[0]) if n == 1 else count(n, what)
    if evidence.kind == "sizes":
        return f"{shown(evidence.metric)} of {others} over sizes"
    return f"{others} against {shown(evidence.baseline)}"


def blocks(report):
    """Return the parts of the page.

    Parameters
    ----------
    report : Report

    Returns
    -------
    list of Block
    """
    evidence, findings, bench = report.evidence, report.findings, report.bench
    margin = bench.options.margin
    out = [block("title", title(evidence)), *_answers(report)]
    out.append(block("paragraph", f"This speaks of {findings.varies}."))
    asked = "; ".join(findings.answers)
    out.append(block("paragraph", f"Which test? You have {asked}: \u201c{findings.way.title}\u201d."))
    if words := _prose.unpaired(evidence):
        out.append(block("paragraph", words))
    out += [
        block("note", f"{_card.TOP[place]}: {check.words}")
        for check, place in _card.placed_checks(bench)
        if place in _card.TOP
    ]
    out += [block("heading", _card.CANNOT), _card.cannot(findings, bench)]
    svg, words = draw(evidence, findings, margin)
    out += [block("heading", "The figure"), block("figure", words, body=svg), block("paragraph", words)]
    out += [block("heading", "The comparison"), table(report)]
    if findings.sensitivity:
        out += [block("heading", "If it were done otherwise"), _sensitivity(findings, bench)]
    if findings.detectable:
        out += [
            block("heading", "What this design could have found"),
            block("list", rows=findings.detectable),
        ]
    out += [block("heading", "The data"), *_card.data(report)]
    out += [block("heading", _card.SEEN), _card.checks(bench)]
    out += [block("heading", "For the checklist"), block("ticks", rows=_card.checklist(report))]
    out += [block("heading", "For the paper"), *(block("paragraph", words) for words in report.paper)]
    out += [block("code", body=_sources.bibtex(findings.cites, report.version))]
    out += [block("heading", "The same in Python"), block("code", body=report.code)]
    return out


def _answers(report):
    """Return what was found of each system, or of many in one paragraph."""
    evidence, findings, bench = report.evidence, report.findings, report.bench
    found, margin = findings.contrasts, bench.options.margin
    is_many = len(found) > _paper.MOST
    out = [block("lead", _paper.summary(evidence, findings, bench))] if is_many else []
    pairs = [] if is_many else zip(found, _paper.answers(evidence, findings, bench), strict=True)
    for one, (lead, words) in pairs:
        out += [block("lead", lead), block("paragraph", words)]
        if chances := one.equivalence:
            better, worse = (chances.better, chances.worse)[:: evidence.sign]
            parts = f"within it: {chances.same:.0%}; worse by more: {worse:.0%}"
            words = f"Better by more than {margin:g}: {better:.0%}; {parts}"
            out.append(block("paragraph", f"{words} (chances, if nothing was known before)."))
    if evidence.kind == "search":
        out += [block("paragraph", words) for words in _card.costs(report)]
    return out


_OWN = {"agreement": _agreement, "sizes": _sizes}  # have rows of their own


def table(report):
    """Return the table of all comparisons.

    Parameters
    ----------
    report : Report

    Returns
    -------
    Block
    """
    found, evidence, ranks = report.findings.contrasts, report.evidence, report.findings.ranks
    if evidence.kind in _OWN:
        own = _OWN[evidence.kind]
        caption = f"{shown(evidence.metric)}: {report.findings.quantity}"
        return block("table", caption, [own.row(one) for one in found], own.HEAD)
    several, first = len(found) > 1, found[0]
    widths = [one.high - one.low for one in found]
    methods, tests = {one.method for one in found}, {(one.test, one.sizes) for one in found}
    # Of a search no mean is compared, but what the best of so many trials is expected to score.
    mean = "expected best" if evidence.kind == "search" else "mean"
    columns = {"system": [shown(one.system) for one in found]}
    columns[mean] = [number(one.means[0], width) for one, width in zip(found, widths, strict=True)]
    if ranks:
        columns["mean rank"] = [f"{ranks[one.system]:.2f}" for one in found]
    columns["difference"] = [number(one.difference, width) for one, width in zip(found, widths, strict=True)]
    by = [f" ({one.method})" * (len(methods) > 1) for one in found]
    columns["95 % interval"] = [f"{interval(one)}{words}" for one, words in zip(found, by, strict=True)]
    if len(tests) > 1:
        columns["test"] = [f"{one.test}, {one.sizes}" for one in found]
    columns["p"] = [pvalue(one.pvalue) for one in found]
    if several:
        columns["p, Holm"] = [pvalue(one.adjusted) for one in found]
    if any(one.equivalence for one in found):
        columns["90 % interval"], columns["p, equivalence"] = zip(*map(_equal, found), strict=True)
    columns["verdict"] = [one.verdict for one in found]
    base = number(first.means[1], widths[0])
    base += f", mean rank {ranks[evidence.baseline]:.2f} of {len(ranks)}" if ranks else ""
    metric = f"{shown(evidence.metric)} ({report.findings.quantity}; {evidence.direction} is better)"
    parts = [
        f"{metric}, difference from {shown(evidence.baseline)} ({base})",
        *_by(first, methods, tests),
        *([f"a family of {len(found)} comparisons: p-values adjusted, intervals not"] if several else []),
        *(["rank 1 is the best"] if ranks else []),
    ]
    return block("table", "; ".join(parts), list(zip(*columns.values(), strict=True)), columns)


def _equal(one):
    """Return the 90 % interval of a difference, and the p of the two one-sided tests that it belongs to."""
    if one.equivalence is None:
        return "none", ""
    low, high = one.equivalence.interval
    return f"{number(low, high - low)} to {number(high, high - low)}", pvalue(one.equivalence.pvalue)


def _by(one, methods, tests):
    """Say by what intervals and p-values are, as far as all of them are by one."""
    if len(tests) == 1 and methods == {one.test}:
        return [f"intervals and p-values by {one.test}, {one.sizes}"]
    by = [f"intervals by {one.method}"] * (len(methods) == 1 and methods != {"none"})
    return by + [f"p-values by {one.test}, {one.sizes}"] * (len(tests) == 1)


def _sensitivity(findings, bench):
    rows, main = [], {one.system: one.verdict for one in findings.contrasts}
    is_open = _paper.is_open(bench)  # then both ways are shown whole
    for what, found in findings.sensitivity:
        if not found:
            rows.append((what, "", "", "", "", "too little is left for an interval"))
        elif _paper.is_as_done(what, found, findings):
            what = f"{what} (as above)"
        is_whole = len(found) <= _paper.MOST or (is_open and not what.startswith("a margin"))
        turned = [one for one in found if one.verdict != main[one.system]]
        if found and not is_whole and not turned:
            rows.append((what, f"all {len(found):,}", "", "", "", "the same"))
        for one in found if is_whole else turned:
            p = pvalue(one.adjusted)
            width = one.high - one.low
            rows.append(
                (what, shown(one.system), number(one.difference, width), interval(one), p, one.verdict)
            )
            what = ""
    head = ("what", "system", "difference", "95 % interval", "p (adjusted)", "verdict")
    head = tuple("p" if word.startswith("p ") and len(findings.contrasts) == 1 else word for word in head)
    caption = "The verdict under other decisions"
    caption += ", where it is another" * (len(main) > _paper.MOST and not is_open)
    return block("table", caption, rows, head)


def as_json(report):
    """Return the report as JSON.

    Parameters
    ----------
    report : Report

    Returns
    -------
    str
    """
    evidence, findings, bench = report.evidence, report.findings, report.bench
    whole = {
        "evalkit": report.version,
        "kind": evidence.kind,
        "metric": evidence.metric,
        "quantity": findings.quantity,
        "direction": evidence.direction,
        "baseline": evidence.baseline,
        "contrasts": [_as_dict(one, evidence.kind) for one in findings.contrasts],
        "which test": findings.way.key,
        "speaks of": findings.varies,
        "not of": list(findings.cannot),
        "for the paper": report.paper,
        "mean ranks": findings.ranks,
        "sensitivity": [
            {"what": what, "contrasts": [_as_dict(one, evidence.kind) for one in found]}
            for what, found in findings.sensitivity
        ],
        "rows": {
            "read": evidence.n_read,
            "used": len(evidence.used),
            "left out": [*map(list, bench.left_out)],
        },
        "files": [
            {"file": r.place, "format": r.format, "rows": len(r.frame), "sha256": r.sha256}
            for r in report.readings
        ],
        "checks": [{"code": c.code, "outcome": c.outcome, "words": c.words} for c in bench.checks],
        "options": bench.options.given(),
    }
    return json.dumps(whole, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _as_dict(one, kind):
    keys = [
        "system",
        "difference",
        "low",
        "high",
        "se",
        "df",
        "test",
        "method",
        "pvalue",
        "adjusted",
        "sizes",
        "verdict",
    ]
    whole = {k: getattr(one, k) for k in keys} | {"mean": one.means[0], "baseline_mean": one.means[1]}
    if (equal := one.equivalence) is not None:
        ends = {"low": equal.interval.low, "high": equal.interval.high, "equivalent": equal.equivalent}
        whole["equivalence"] = {"margin": equal.margin, "pvalue": equal.pvalue, **ends}
    if kind == "agreement":
        ends = one.more.kappa_interval or (None, None)
        whole["kappa"] = dict(zip(("value", "low", "high"), (one.more.kappa, *ends), strict=True))
    if kind == "sizes":
        whole["tau"] = one.more["tau"]
    return {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in whole.items()}
