"""The page: what was found first, then in what it holds, then everything that a strict reader asks for."""

import json
import math

from evalkit.reports import _paper, _prose, _sources
from evalkit.reports._document import block
from evalkit.reports._faults import count, placed, shown
from evalkit.reports._figure import draw
from evalkit.reports._prose import interval, number, pvalue

_OUTCOMES = {"fine": "nothing found", "decided": "found, decided"}


def title(evidence):
    """Return the title of a page.

    Parameters
    ----------
    evidence : Evidence

    Returns
    -------
    str
    """
    others = (
        shown(evidence.systems[0]) if len(evidence.systems) == 1 else count(len(evidence.systems), "system")
    )
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
        block("note", f"{_TOP[place]}: {check.words}") for check, place in _placed(bench) if place in _TOP
    ]
    out += [block("heading", _CANNOT), _cannot(findings, bench)]
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
    out += [block("heading", "The data"), *_card(report)]
    out += [block("heading", _SEEN), _checks(bench)]
    out += [block("heading", "For the checklist"), block("ticks", rows=checklist(report))]
    out += [block("heading", "For the paper"), *(block("paragraph", words) for words in report.paper)]
    out += [block("code", body=_sources.bibtex(findings.cites, report.version))]
    out += [block("heading", "The same in Python"), block("code", body=report.code)]
    return out


def _answers(report):
    """Return what was found of each system, or of many in one paragraph."""
    evidence, findings, bench = report.evidence, report.findings, report.bench
    found, margin = findings.contrasts, bench.options.margin
    if len(found) > _paper.MOST:
        return [block("lead", _paper.summary(evidence, findings, bench))]
    out = []
    for one, (lead, words) in zip(found, _paper.answers(evidence, findings, bench), strict=True):
        out += [block("lead", lead), block("paragraph", words)]
        if one.system in findings.margins:
            chances = findings.margins[one.system]
            better, worse = (chances.better, chances.worse)[:: evidence.sign]
            out.append(
                block(
                    "paragraph",
                    f"Better by more than {margin:g}: {better:.0%}; within it: {chances.same:.0%}; worse by "
                    f"more: {worse:.0%} (chances, if nothing was known before).",
                )
            )
    return out


# Each check stands in one place of the page: at its top, among what cannot be said, or among what was seen.
_CANNOT, _SEEN = "What cannot be said", "What was checked"
_TOP = {"accepted": "Read this first", "note": "Note", "open": "Open"}
_WHERE = {"unchecked": _CANNOT, **_TOP}


def _placed(bench):
    """Return each check with its place, those of the top of the page in their order."""
    places = [
        "accepted" if check.outcome == "decided" and "--accept" in check.words else check.outcome
        for check in bench.checks
    ]
    order = [*_TOP]
    pairs = zip(bench.checks, places, strict=True)
    return sorted(pairs, key=lambda pair: order.index(pair[1]) if pair[1] in order else len(order))


def _cannot(findings, bench):
    rows = [f"Nothing about {words}" for words in findings.cannot]
    rows += [f"{c.question} Not checked: {c.words}" for c in bench.checks if c.outcome == "unchecked"]
    return block("list", rows=rows)


def _checks(bench):
    rows = [
        (check.question, _OUTCOMES[place], check.words)
        for check, place in _placed(bench)
        if place in _OUTCOMES
    ]
    caption = (
        f"What was found and decided, or looked for and not found; the notes at the top, and "
        f"\u201c{_CANNOT}\u201d, have the rest"
    )
    return block("table", caption, rows, ("question", "outcome", "what was seen"))


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
    several = len(found) > 1
    methods, tests = {one.method for one in found}, {(one.test, one.sizes) for one in found}
    # Of a search no mean is compared, but what the best of so many trials is expected to score.
    mean = "expected best" if evidence.kind == "search" else "mean"
    head = ["system", mean, *["mean rank"] * bool(ranks), "difference", "95 % interval"]
    head += ["test"] * (len(tests) > 1) + ["p"] + ["p, Holm"] * several + ["verdict"]
    rows = []
    for one in found:
        width = one.high - one.low
        p = [pvalue(one.pvalue), *([pvalue(one.adjusted)] if several else [])]
        ends = "not known" if math.isnan(one.low) else interval(one)
        rows.append(
            (
                shown(one.system),
                number(one.means[0], width),
                *([f"{ranks[one.system]:.2f}"] if ranks else []),
                number(one.difference, width),
                ends if len(methods) == 1 else f"{ends} ({one.method})",
                *([f"{one.test}, {one.sizes}"] if len(tests) > 1 else []),
                *p,
                one.verdict,
            )
        )
    base = number(found[0].means[1], found[0].high - found[0].low)
    base += f", mean rank {ranks[evidence.baseline]:.2f} of {len(ranks)}" if ranks else ""
    parts = [
        f"{shown(evidence.metric)} ({evidence.direction} is better), difference from "
        f"{shown(evidence.baseline)} ({base})",
        *_by(found[0], methods, tests),
        *([f"a family of {len(found)} comparisons: p-values adjusted, intervals not"] if several else []),
        *(["rank 1 is the best"] if ranks else []),
    ]
    return block("table", "; ".join(parts), rows, head)


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


def _card(report):
    bench, evidence = report.bench, report.evidence
    files = [(placed(r.place), r.format, f"{len(r.frame):,}", r.sha256[:16]) for r in report.readings[:12]]
    if len(report.readings) > 12:
        rest = report.readings[12:]
        files.append((f"and {len(rest):,} more", "", f"{sum(len(r.frame) for r in rest):,}", ""))
    parts = (
        [block("table", "Files", files, ("file", "read as", "rows", "SHA-256, its beginning"))]
        if files
        else []
    )
    lines = [f"{count(evidence.n_read, 'row')} came in, {count(len(evidence.used), 'score')} are compared."]
    lines += [f"Averaged: {words}." for words in bench.merged]
    lines += [f"{count(n, 'row')} left out: {why}." for n, why in bench.left_out]
    lines += [f"Not read, for no reader knows it: {placed(place)}." for place in report.ignored[:10]]
    lines += report.notes
    parts.append(block("list", rows=lines))
    if report.columns:
        parts.append(
            block("table", "How the columns were understood", report.columns, ("for", "column", "because"))
        )
    return parts


def checklist(report):
    """Return the lines of the reporting checklist, ticked as far as the file tells.

    Parameters
    ----------
    report : Report

    Returns
    -------
    list of (bool, str)
    """
    evidence, findings, bench = report.evidence, report.findings, report.bench
    seen = {c.code: c for c in bench.checks}
    first = findings.contrasts[0]
    where = {check.code: _WHERE.get(place, _SEEN) for check, place in _placed(bench)}

    def refer(code):
        return f"see \u201c{where[code]}\u201d." if code in where else "nothing is known of them."

    ended, lacks = seen.get("failed"), "seeds" in seen and seen["seeds"].outcome == "note"
    lines = [
        (
            True,
            f"How many runs a number rests on, and what varies between them: "
            f"{_paper.sizes(findings.contrasts)}; "
            f"{findings.varies}.",
        ),
        (
            ended is not None and ended.outcome in ("fine", "decided") and not lacks,
            f"Failures: {refer('failed')}" + f" Runs that are missing: {refer('seeds')}" * lacks,
        ),
        (
            True,
            f"The metric, defined: {shown(evidence.metric)}, {evidence.direction} is better. Averaged how, "
            "by which program?",
        ),
        (not math.isnan(first.low), "The difference with its interval: in the table."),
        (True, f"The independent unit: {_unit(evidence)}."),
        (True, f"The test, its form, and why this one: {first.test}, for {findings.way.title.lower()}."),
        (
            True,
            f"How many comparisons were made, and the correction: {len(findings.contrasts)}"
            + (
                ", adjusted by Holm." if len(findings.contrasts) > 1 else "; more that were made belong here."
            ),
        ),
        (
            False,  # an earlier call may have shown the result: no page can tell
            "How large a difference matters, said before the result is known: "
            + (
                f"{bench.options.margin:g}; whether it was said before the result is for you to say."
                if bench.options.margin
                else "--margin says it."
            ),
        ),
        (
            seen["train-items"].outcome == "fine",
            f"What keeps the parts of the data apart: {refer('train-items')}",
        ),
        (
            seen["test-chose"].outcome == "fine",
            f"How often the test set was looked at: {refer('test-chose')}",
        ),
        (False, f"What was tuned, for the baseline as well: {refer('tuned')}"),
        (False, "The floor: the best dummy under this metric."),
        (
            False,
            "The environment: versions, machine, code; one command that makes a slice of the table again.",
        ),
    ]
    return lines


def _unit(evidence):
    units = {"seeds": "a training run", "search": "a search", "folds": "a split", "datasets": "a data set"}
    if evidence.kind == "items":
        group = evidence.facts["group"]
        return f"a value of {shown(group)}" if group else "a test item"
    return units.get(evidence.kind, "a run behind the printed numbers")


def as_json(report):
    """Return the report as JSON.

    Parameters
    ----------
    report : Report

    Returns
    -------
    str
    """

    def one_of(one):
        keys = (
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
        )
        whole = {k: getattr(one, k) for k in keys} | {"mean": one.means[0], "baseline_mean": one.means[1]}
        return {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in whole.items()}

    evidence, findings, bench = report.evidence, report.findings, report.bench
    whole = {
        "evalkit": report.version,
        "kind": evidence.kind,
        "metric": evidence.metric,
        "direction": evidence.direction,
        "baseline": evidence.baseline,
        "contrasts": [one_of(one) for one in findings.contrasts],
        "which test": findings.way.key,
        "speaks of": findings.varies,
        "not of": list(findings.cannot),
        "for the paper": report.paper,
        "mean ranks": findings.ranks,
        "sensitivity": [
            {"what": what, "contrasts": [*map(one_of, found)]} for what, found in findings.sensitivity
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
