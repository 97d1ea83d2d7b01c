"""The page: what was found first, then in what it holds, then everything that a strict reader asks for."""

import json
import math

from evalkit.reports import _prose, _sources
from evalkit.reports._document import block
from evalkit.reports._faults import count, placed, shown
from evalkit.reports._figure import draw
from evalkit.reports._prose import interval, number, pvalue

_OUTCOMES = {
    "fine": "nothing found",
    "decided": "found, decided",
    "note": "note",
    "open": "open",
    "unchecked": "not checked",
}


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
    margin, open_words = bench.options.margin, [c.words for c in bench.checks if c.outcome == "open"]
    out = [block("title", title(evidence))]
    for one in findings.contrasts:
        out.append(block("lead", _prose.finding(one, evidence, len(findings.contrasts))))
        out.append(block("paragraph", _prose.verdict(one, evidence, margin, open_words)))
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
    out.append(block("paragraph", f"This speaks of {findings.varies}."))
    asked = "; ".join(findings.answers)
    out.append(block("paragraph", f"Which test? You have {asked}: \u201c{findings.way.title}\u201d."))
    decided = [c for c in bench.checks if c.outcome == "decided" and "--accept" in c.words]
    out += [block("note", f"Read this first: {c.words}") for c in decided]
    out += [block("note", f"Note: {c.words}") for c in bench.checks if c.outcome == "note"]
    out += [block("note", f"Open: {words}") for words in open_words]
    out.append(block("heading", "What cannot be said"))
    unchecked = [c for c in bench.checks if c.outcome == "unchecked"]
    out.append(
        block(
            "list",
            rows=[f"Nothing about {words}" for words in findings.cannot]
            + [f"{c.question} Not checked: {c.words}" for c in unchecked],
        )
    )
    svg, words = draw(evidence, findings, margin)
    out += [block("heading", "The figure"), block("figure", words, body=svg), block("paragraph", words)]
    out += [block("heading", "The comparison"), table(report)]
    if findings.sensitivity:
        out += [block("heading", "If it were done otherwise"), _sensitivity(findings)]
    if findings.detectable:
        out += [
            block("heading", "What this design could have found"),
            block("list", rows=findings.detectable),
        ]
    out += [block("heading", "The data"), *_card(report)]
    out += [block("heading", "What was checked"), _checks(bench)]
    out += [block("heading", "For the checklist"), block("ticks", rows=checklist(report))]
    out += [block("heading", "For the paper"), block("paragraph", report.methods)]
    out += [block("code", body=_sources.bibtex(findings.cites, report.version))]
    out += [block("heading", "The same in Python"), block("code", body=report.code)]
    return out


def table(report):
    """Return the table of all comparisons.

    Parameters
    ----------
    report : Report

    Returns
    -------
    Block
    """
    found, evidence = report.findings.contrasts, report.evidence
    several = len(found) > 1
    head = ["system", "mean", "difference", "95 % interval", "test", "p"]
    head += ["p, Holm"] * several + ["verdict"]
    rows = []
    for one in found:
        width = one.high - one.low
        p = [pvalue(one.pvalue), *([pvalue(one.adjusted)] if several else [])]
        ends = "not known" if math.isnan(one.low) else interval(one)
        rows.append(
            (
                shown(one.system),
                number(one.means[0], width),
                number(one.difference, width),
                ends,
                f"{one.test}, {one.sizes}",
                *p,
                one.verdict,
            )
        )
    base = number(found[0].means[1], found[0].high - found[0].low)
    family = f"; a family of {len(found)} comparisons" if several else ""
    caption = (
        f"{shown(evidence.metric)} ({evidence.direction} is better), difference from "
        f"{shown(evidence.baseline)} ({base}){family}"
    )
    return block("table", caption, rows, head)


def _sensitivity(findings):
    rows = []
    for what, found in findings.sensitivity:
        if not found:
            rows.append((what, "", "", "", "", "not defined"))
        for one in found:
            p = pvalue(one.adjusted)
            width = one.high - one.low
            rows.append(
                (what, shown(one.system), number(one.difference, width), interval(one), p, one.verdict)
            )
    head = ("what", "system", "difference", "95 % interval", "p (adjusted)", "verdict")
    return block("table", "The verdict under other decisions", rows, head)


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
    lines += [f"Not read, for no reader knows it: {shown(place)}." for place in report.ignored[:10]]
    lines += report.notes
    parts.append(block("list", rows=lines))
    if report.columns:
        parts.append(
            block("table", "How the columns were understood", report.columns, ("for", "column", "because"))
        )
    return parts


def _checks(bench):
    rows = [(c.question, _OUTCOMES[c.outcome], c.words) for c in bench.checks]
    return block(
        "table", "Found, decided, or not to be seen in a file", rows, ("question", "outcome", "what was seen")
    )


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
    ended = seen.get("failed")
    settled = ("fine", "decided")
    lines = [
        (
            True,
            f"How many runs a number rests on, and what varies between them: {first.sizes}; "
            f"{findings.varies}.",
        ),
        (
            ended is not None and ended.outcome in settled,
            f"Failures: {ended.words if ended else 'nothing is known of them.'}",
        ),
        (
            True,
            f"The metric, defined: {shown(evidence.metric)}, {evidence.direction} is better. Averaged how, "
            "by which program?",
        ),
        (not math.isnan(first.low), "The difference with its interval: above."),
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
            bench.options.margin is not None,
            "How large a difference matters, said before the result is known: "
            + (f"{bench.options.margin:g}." if bench.options.margin else "--margin says it."),
        ),
        (
            seen["train-items"].outcome == "fine",
            f"What keeps the parts of the data apart: {seen['train-items'].words}",
        ),
        (
            seen["test-chose"].outcome == "fine",
            f"How often the test set was looked at: {seen['test-chose'].words}",
        ),
        (False, f"What was tuned, for the baseline as well: {seen['tuned'].words}"),
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
