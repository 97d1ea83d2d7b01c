"""How pages show verdicts: each main claim as a fold, whose summary is its row of the
picture, and the printed figures as data that a script lays out.
"""

import itertools
import json
import math
from html import escape

import numpy as np
import pandas as pd

from lab import effects, scorecard
from lab.data import DATA
from lab.data.files import read_csv
from lab.history import COLUMNS
from lab.papers import published
from lab.papers.judging import AS_JUDGED, COPY, OUT_OF_REACH, WORDS


def name_of(paper):
    """Turn moss2018 into Moss 2018.

    Parameters
    ----------
    paper : str

    Returns
    -------
    str
    """
    return f"{paper[:-4].capitalize()} {paper[-4:]}"


def _word(word):
    """Lay out a verdict: its word, and a mark in its colour."""
    return f'<span class="verdict" data-word="{escape(word)}">{escape(word)}</span>'


def _number(value):
    """Write a limit, with a minus sign."""
    return f"{value:.3g}".replace("-", "−")


def _day(time):
    """Write the day of 2026-11-25 22:19."""
    day = pd.Timestamp(time)
    return f"{day.day} {day:%b}"


# Where a word stands among those of its kind; another word is a verdict of its own.
_PLACE = {word: i for words in WORDS.values() for i, word in enumerate(words)}
_PLACE |= {word: word for word in (COPY, OUT_OF_REACH)}

# --------------------------------------------------------------------------------------
# A main claim
# --------------------------------------------------------------------------------------


def picture(paper=None):
    """Return the main claims, to be displayed on a page: a row each.

    Parameters
    ----------
    paper : str, optional
        Then its claims alone, whose rows lead to the folds of the scorecard; by default
        all of them, each a fold.

    Returns
    -------
    IPython.display.HTML
    """
    from IPython.display import HTML

    mains, judged = scorecard.main_claims(), scorecard.verdicts().set_index("id")
    analyses, before = scorecard.analyses(), earlier()
    parts = []
    for name, claims in mains.groupby("paper", sort=False):
        if paper not in (None, name):
            continue
        parts.append(_scale() if paper else f'<p class="paper">{name_of(name)}</p>')
        for row in claims.itertuples():
            claim, of_claim = judged.loc[row.id], analyses[analyses.id == row.id]
            found = _found(claim, of_claim)
            line, place = _line(row, claim, found), row.id.replace("/", "-")
            if paper:
                page = "../book/scorecard.html"
                parts.append(f'<a href="{page}#{place}">{line}</a>')
            else:
                own = before[before.id == row.id]
                body = _body(row, claim, found, own, of_claim.analysis)
                parts.append(
                    f'<details id="{place}"><summary>{line}</summary>'
                    f"<div>{body}</div></details>"
                )
    above = "" if paper else _KEY + _scale()
    return HTML(f'<div class="claims">{above}{"".join(parts)}</div>')


_KEY = (
    '<p class="key">The line is the limit, the bar the 95 % interval of the effect. The'
    " dotted line marks no effect; right of the limit, that the claim would hold to the"
    " letter. Small marks are other analyses, coloured by what they say; an arrow"
    " points beyond the edge.</p>"
)


def _scale():
    """Say what the two sides of a limit are, above the strips."""
    return (
        '<p class="scale" aria-hidden="true"><span></span><span></span>'
        f'<svg class="strip" viewBox="0 0 {effects.WIDTH} 16">'
        f'<text x="{effects.x(-0.2)}" y="12">fails</text>'
        f'<text x="{effects.x(1)}" y="12">limit</text>'
        f'<text x="{effects.x(2.2)}" y="12">holds</text></svg></p>'
    )


def earlier():
    """Return what every version of each claim was, before the one at hand.

    Returns
    -------
    pandas.DataFrame
        As `lab.history.table` makes it.
    """
    return read_csv(DATA / "published" / "history.csv", COLUMNS)


def _found(claim, analyses):
    """Return the effects of a claim, analysis by analysis; none where nothing is
    judged.
    """
    if analyses.empty or claim.verdict in (COPY, OUT_OF_REACH):
        return {}
    return effects.effects(claim.criterion, published.limits()[claim.name], analyses)


def _line(row, claim, found):
    """Lay out the row of a claim: number, name, effect and word."""
    others = [shown[0] for shown in list(found.values())[1:]]
    strip = effects.strip(found[AS_JUDGED][0], others) if found else "<span></span>"
    return (
        f'<span class="n">{row.n}</span> <span class="short">{escape(claim.short)}'
        f"</span> {strip} {_word(claim.verdict)}"
    )


def _body(row, claim, found, before, listed):
    """Lay out what a fold holds."""
    return "".join(
        [
            f"<p>{escape(row.says)} <small>({escape(row.where)})</small></p>",
            _rule(claim),
            _limits(found.get(AS_JUDGED, []), claim),
            f"<p><b>Found:</b> {escape(claim.evidence)}</p>",
            _others(found),
            _history(claim, before, listed),
        ]
    )


def _rule(claim):
    """Say what makes a claim hold or fail, and what the text at hand has lost."""
    if claim["copy"] or claim.lacks:
        lost = f"Lost in our copy: {claim['copy']}" if claim["copy"] else ""
        lost = lost or f"Lacking: {claim.lacks}"
        return f"<p>{escape(lost)}.</p>"
    first = ""
    if claim.criterion and claim.first_verdict != claim.verdict:
        word = claim.first_verdict or "cannot be computed"
        first = f" <small>By the rule as first written: {word}.</small>"
    asked = escape(claim.confirms_now or claim.confirms)
    rule = published.limits()[claim.name][claim.criterion]
    if any(limit.refutes and not limit.confirms for limit in rule):
        asked += f" Fails if: {escape(claim.refutes_now or claim.refutes)}"
    return f"<p><b>Asked:</b> {asked}{first}</p>"


def _limits(shown, claim):
    """Lay out the limits of a claim as sliders, with what a script needs to say the
    word and to draw the effect that decides.
    """
    if not shown:
        return ""
    rules = published.limits()[claim.name]
    rule = rules[claim.criterion]
    data, sliders = [], []
    for i, limit in enumerate(rule):
        held = [effect for effect in shown if effect.limit is limit]
        data.append(
            {
                "confirms": limit.confirms,
                "refutes": limit.refutes,
                "zero": limit.no_effect,
                "of": [[e.estimate, e.low, e.high, e.slope] for e in held],
            }
        )
        at = (limit.confirms or limit.refutes)[2]
        # From below what was found to above it, with every limit of another analysis.
        reached = [at, limit.no_effect, *(end for e in held for end in (e.low, e.high))]
        reached += [
            number
            for other in itertools.chain(*rules.values())
            if other.name == limit.name
            for number in other.numbers
        ]
        step = 10 ** math.floor(math.log10(np.ptp(reached) or 1)) / 50
        least = (at - min(reached)) // step + 3 * (min(reached) < 0)
        most = (max(reached) - at) // step + 3
        if not limit.confirms:
            continue  # what it refutes alone, the text says
        side = "above" if ">" in limit.confirms[1] else "below"
        name = f"{limit.name.rstrip('*, ') or 'each'} {side}"
        who = f"chosen by {limit.chosen_by}"
        if limit.chosen_by == "no effect":
            who = "no effect"
        sliders.append(
            f'<label>{escape(name)} <input type="range" data-limit="{i}"'
            f' min="{at - least * step:.10g}" max="{at + most * step:.10g}"'
            f' step="{step:.10g}" value="{at:.10g}"> <output>{_number(at)}</output>'
            f" <small>{who}</small></label>"
        )
    scale = {"from": effects.FROM, "perUnit": effects.PER_UNIT, "width": effects.WIDTH}
    told = {"words": WORDS[claim.counts_as], "limits": data, "scale": scale}
    return (
        '<form class="limits" autocomplete="off"'
        f" data-rule='{escape(json.dumps(told), quote=True)}'>Move the limit:"
        f" {''.join(sliders)} <output>{_word(claim.verdict)}</output>"
        '<button type="reset" hidden>as it was</button></form>'
    )


def _others(found):
    """Lay out what other analyses say, a row each."""
    rows = [
        f"<tr><th>{escape(name)}</th><td>{effects.strip(shown[0])}</td>"
        f"<td>{_word(shown[0].verdict)}</td></tr>"
        for name, shown in found.items()
        if name != AS_JUDGED
    ]
    return f'<table class="analyses">{"".join(rows)}</table>' * bool(rows)


def _names(cells):
    """Return the names in cells of the table that git gives."""
    return {name for cell in cells for name in cell.split("; ") if name}


def _history(claim, before, listed):
    """Tell in a line how a claim came to its word, from the table that git gives."""
    written, verdicts, last = {False: [], True: []}, [], ""
    for row in before.itertuples():
        if "criterion" in row.changed.split():
            written[bool(last)].append(_day(row.time))
        # A word of another kind is the same verdict: replicated, consistent, supported.
        if row.verdict and _PLACE.get(row.verdict) != _PLACE.get(last, last):
            lost = ", rule in no file" * ("no file" in row.criterion)
            verdicts.append(f"{row.verdict} ({_day(row.time)}{lost})")
            last = row.verdict
    # The version at hand is in no table.
    if claim.date and (before.empty or claim.date not in before.criterion.iloc[-1]):
        written[bool(last)].append(_day(claim.date))
    if _PLACE.get(claim.verdict) != _PLACE.get(last, last):
        verdicts.append(f"{claim.verdict} (this version)")
    first, after = (", ".join(dict.fromkeys(days)) for days in written.values())
    gone = len(_names(before.new) - set(listed))
    if verdicts and last != claim.verdict and "this version" not in verdicts[-1]:
        verdicts[-1] += f", now called {claim.verdict}"
    said = [
        f"Criterion written on {first}" * bool(first),
        f"Criterion changed after a verdict on {after}" * bool(after),
        f"Verdicts: {', '.join(verdicts)}",
        f"Analyses dropped or renamed: {gone}" * bool(gone),
    ]
    return f"<p><small>{'. '.join(filter(None, said))}.</small></p>"


def account():
    """Count what the history shows of the main claims, for the sentences of a page.

    Returns
    -------
    dict of str to int
        How many `h_claims` there are; how many have a first criterion that is
        `h_older` than their list; how many had one written or changed `h_after` rows of
        the paper were in the repository; how many `h_analyses` are listed, `h_listed`
        with their result and never before; and how many are `h_gone`.
    """
    mains, before = scorecard.main_claims(), earlier()
    rows_since = before[before.changed == "rows"].set_index("id").time
    dates = scorecard.verdicts().set_index("id").date
    listed = scorecard.analyses().groupby("id").analysis.agg(set)
    told = {"h_claims": len(mains), "h_after": 0, "h_analyses": 0, "h_listed": 0}
    told |= {"h_gone": 0, "h_older": 0}
    (since,) = before[before.changed == "listed"].time
    for row in mains.itertuples():
        own = before[before.id == row.id]
        unjudged = row.verdict in (COPY, OUT_OF_REACH)
        written = own.time[own.changed.str.contains("criterion")].tolist()
        told["h_older"] += bool(written) and written[0] < since
        # An amendment of the version at hand is in no table; its day is.
        last = max([*written, dates[row.id]])
        told["h_after"] += last > rows_since[row.paper]
        names = set() if unjudged else listed[row.id] - {AS_JUDGED}
        told["h_analyses"] += len(names)
        told["h_listed"] += len(names - _names(own.announced))
        told["h_gone"] += len(_names(own.new) - names)
    return {name: int(count) for name, count in told.items()}


def rule_drawing():
    """Draw what makes each word, to be displayed: three intervals and their limit.

    Returns
    -------
    IPython.display.HTML
    """
    from IPython.display import HTML

    limit = published.Limit("", ("low", ">", 1.0), ("high", "<", 1.0), 0.0)
    rows = "".join(
        f"<tr><td>{effects.strip(effects.Effect(word, limit, *ends))}</td>"
        f"<td>{said}</td></tr>"
        for word, said, ends in (
            (
                "replicated",
                "<b>held</b>: <i>ℓ</i> &gt; <i>c</i> for every effect",
                (1.9, 1.4, 2.4),
            ),
            (
                "not replicated",
                "<b>failed</b>: <i>u</i> &lt; <i>c</i> for some effect",
                (0.3, -0.2, 0.8),
            ),
            ("inconclusive", "<b>open</b>: everything else", (1.2, 0.6, 1.8)),
        )
    )
    return HTML(f'<table class="analyses">{rows}</table>')


# --------------------------------------------------------------------------------------
# What else is judged, and what is printed
# --------------------------------------------------------------------------------------


def other_claims(paper):
    """Return the claims of a paper that are no main claims, to be displayed.

    Parameters
    ----------
    paper : str

    Returns
    -------
    IPython.display.HTML
    """
    from IPython.display import HTML

    claims = scorecard.verdicts()
    claims = claims[(claims.paper == paper) & (claims.main == "")]
    rows = "".join(
        f'<tr id="{row.id.replace("/", "-")}"><td>{escape(row.claim)}'
        f' <small>({escape(row.where)})</small></td><td data-label="Word">'
        f'{_word(row.verdict)}</td><td data-label="What we found">'
        f"{escape(row.evidence)}</td></tr>"
        for row in claims.itertuples()
    )
    head = "<tr><th>What it says</th><th>Word</th><th>What we found</th></tr>"
    return HTML(
        f'<details class="fold"><summary>{len(claims)} more claims that this page'
        f' needs</summary><table class="scorecard">{head}{rows}</table></details>'
    )


def printed_figures():
    """Return the printed figures, to be displayed: a script lays them out when the fold
    is opened.

    Returns
    -------
    IPython.display.HTML
    """
    from IPython.display import HTML

    figures = scorecard.printed()
    rows = [
        [
            name_of(row.paper),
            row.id,
            row.quantity,
            row.where,
            f"{row.printed} {row.unit}".strip().replace("percent", "%"),
            scorecard.show(row.printed, row.computed),
            row.verdict,
            row.note,
        ]
        for row in figures.itertuples()
    ]

    def options(words):
        return "".join(f"<option>{escape(word)}</option>" for word in words)

    data = json.dumps(rows).replace("</", "<\\/")
    return HTML(
        '<details class="fold figures"><summary>All'
        f" {len(figures)} printed figures</summary><form"
        ' class="scorecard-filter" aria-label="Choose what is shown"'
        ' autocomplete="off"><label>Paper <select name="paper"><option'
        f' value="">all</option>{options(map(name_of, figures.paper.unique()))}'
        '</select></label><label>Verdict <select name="verdict"><option'
        f' value="">all</option>{options(figures.verdict.unique())}</select></label>'
        '<label>Words <input type="search" name="text" placeholder="forest, Table'
        ' 1, ..."></label><button type="reset">Show all</button><output></output>'
        f'</form><script type="application/json">{data}</script><noscript>The command'
        " <code>lab scorecard --csv</code> prints them.</noscript></details>"
    )
