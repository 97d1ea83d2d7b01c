"""What pages share: the book-keeping of their sentences, checks of answers, the look of
verdicts.
"""

import hashlib
import textwrap
from html import escape

import numpy as np


def keep(values=None, /, **named):
    """Keep values for the sentences of a page, under the names by which the text asks
    for them.

    Where nothing glues them into a text, in a plain notebook, there is nothing to do.

    Parameters
    ----------
    values : dict of str to object, optional
        For names that are computed.
    **named
        Numbers, or words that are laid out already.
    """
    try:
        from myst_nb import glue
    except ModuleNotFoundError:
        return
    for name, value in {**(values or {}), **named}.items():
        # NumPy writes its numbers with their type, which is nothing for a sentence.
        glue(
            name,
            value.item() if isinstance(value, np.generic) else value,
            display=False,
        )


def check_answer(answer, sealed, *, hint, within=None):
    """Say whether an answer is right, and not which answer would be.

    The seal keeps an answer from being read. It is not a lock: numbers can be tried
    until one fits.

    Parameters
    ----------
    answer : float or str
    sealed : str
        What `seal` makes of the right one.
    hint : str
        A sentence that helps after a wrong answer.
    within : float, optional
        How far off a number may be: up to this it passes, from twice as far on it does
        not.

    Raises
    ------
    AssertionError
        With the hint.
    """
    near = (
        [answer] if within is None else [answer + step * within for step in (-1, 0, 1)]
    )
    if sealed not in [seal(one, within) for one in near]:
        raise AssertionError(f"Not yet. {hint}")
    print("Right.")


def seal(answer, within=None):
    """Return what a page may show of an answer, for `check_answer`.

    Parameters
    ----------
    answer : float or str
    within : float, optional
        As `check_answer` has it.

    Returns
    -------
    str
    """
    # No "-0".
    steps = (
        answer if within is None else f"{np.round(float(answer) / within) + 0.0:.0f}"
    )
    return hashlib.sha256(f"{steps} {within}".encode()).hexdigest()[:8]


def right_of_seeds():
    """Return which test items each recorded seed of the two networks has right.

    Returns
    -------
    dict of str to ndarray of bool, shape (n_seeds, n_items)
        By network, "mlp" and "lstm"; items as in the recorded table `test_items`.
    """
    from lab.data import datasets  # other pages need none of this
    from lab.experiments import pools
    from lab.record import tables

    runs, items = (
        tables.load_recorded("pools", table) for table in ("seeds", "test_items")
    )
    labels = items.package.map(datasets.PACKAGES.index).to_numpy()
    return {
        system: (
            np.array(
                [
                    pools.unpack_predictions(p, len(labels))
                    for p in of_system.test_predictions
                ]
            )
            == labels
        )
        for system, of_system in runs.groupby("system")
    }


# --------------------------------------------------------------------------------------
# Verdicts
# --------------------------------------------------------------------------------------

# How a verdict is drawn: fill and sign, so that no reader needs its colour.
_YES, _SMALLER, _NO, _OPEN, _AWAY = (
    ("#0C8296", "✓"),
    ("#9FD3E0", "✓"),
    ("#D55E00", "✗"),
    ("#F0E442", "?"),
    ("#999999", "–"),
)
LOOKS = {
    **dict.fromkeys(("reproduced", "replicated", "consistent", "supported"), _YES),
    **dict.fromkeys(("last digit", "replicated, smaller"), _SMALLER),
    **dict.fromkeys(
        ("differs", "not replicated", "not consistent", "not supported"), _NO
    ),
    **dict.fromkeys(("inconclusive", "cannot say"), _OPEN),
    "out of reach": _AWAY,
}


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


def _verdict(word):
    """Lay out a verdict: its word, and a mark in its colour."""
    return f'<span class="verdict" data-word="{escape(word)}">{escape(word)}</span>'


def card(rows, columns, kind):
    """Lay out rows as a table that becomes a list of cards on a phone.

    Parameters
    ----------
    rows : list of (object, dict, str)
        What a row is of, with `paper` and `verdict`; for each column its HTML; and an
        id, or "".
    columns : list of str
    kind : str
        What a row is, in the plural.

    Returns
    -------
    str
        HTML.
    """
    head = "".join(f'<th scope="col">{column}</th>' for column in columns)
    html_rows = []
    for source, cells, identity in rows:
        laid = "".join(f'<td data-label="{c}">{cells[c]}</td>' for c in columns)
        mark = f' id="{escape(identity)}"' if identity else ""
        html_rows.append(
            f'<tr data-paper="{escape(source.paper)}"'
            f' data-verdict="{escape(source.verdict)}"{mark}>{laid}</tr>'
        )
    return (
        f'<table class="scorecard" data-kind="{kind}"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(html_rows)}</tbody></table>"
    )


_ANSWERS = ["What the text says", "First rule", "Rule in force", "Other analyses"]


def main_claims(paper=None):
    """Return the main claims with their three answers, to be displayed on a page.

    Parameters
    ----------
    paper : str, optional
        By default all of them.

    Returns
    -------
    IPython.display.HTML
    """
    from IPython.display import HTML

    from lab import scorecard

    table = scorecard.main_claims()
    rows = []
    for row in (
        table[table.paper == paper].itertuples() if paper else table.itertuples()
    ):
        where = f"{row.n}. {row.where}" if paper else f"{name_of(row.paper)}, {row.n}"
        # A page stands in notebooks/, the scorecard in book/.
        link = f"{'../book/scorecard.html' if paper else ''}#{row.id.replace('/', '-')}"
        cells = [
            (
                f'{escape(row.says)}<small>{escape(where)}: <a href="{link}">the'
                " evidence</a></small>"
            ),
            _verdict(row.first_verdict) if row.first_verdict else "cannot be computed",
            (
                _verdict(row.verdict)
                if row.criterion or row.verdict != row.first_verdict
                else _same(row.status)
            ),
            escape(row.other_analyses or "none")
            + (f"<small>{escape(row.power)}</small>" * bool(row.power)),
        ]
        rows.append((row, dict(zip(_ANSWERS, cells, strict=True)), ""))
    return HTML(card(rows, _ANSWERS, "main claims"))


def _same(status):
    """Say that there is one rule, and whether it was written when results were
    known.
    """
    return "the same rule" + ", <small>added with results known</small>" * (
        status == "added"
    )


def draw_main_claims():
    """Draw every main claim as a square in the look of its verdict: one picture of the
    scorecard.

    Returns
    -------
    matplotlib.figure.Figure
        For each paper three rows: by the first rule, by the rule in force, and under
        other analyses, where the coloured part of a square is the share of them that
        say the same.
    """
    from matplotlib import pyplot as plt

    from lab import scorecard

    table, others = scorecard.main_claims(), _agreeing()
    papers = list(dict.fromkeys(table.paper))
    most = table.groupby("paper").size().max()
    figure, axes = plt.subplots(len(papers), figsize=(5.2, 1.45 * len(papers)))
    for ax, paper in zip(axes, papers, strict=True):
        for x, row in enumerate(table[table.paper == paper].itertuples()):
            for y, word in enumerate((row.first_verdict, row.verdict)):
                _square(ax, x, 2 - y, word)
            _square(
                ax,
                x,
                0,
                row.verdict if row.id in others else "",
                share=others.get(row.id, 0),
            )
            ax.annotate(row.n, (x + 0.5, 3.1), ha="center")
        ax.set(xlim=(0, most), ylim=(0, 3.5), xticks=[], yticks=[0.5, 1.5, 2.5])
        ax.set_yticklabels(["other analyses", "rule in force", "first rule"])
        ax.set_title(name_of(paper), loc="left")
        ax.tick_params(left=False)
        ax.spines[:].set_visible(False)
        ax.grid(visible=False)
    return figure


def _square(ax, x, y, word, share=1.0):
    """Draw one verdict; of what has none, an empty square."""
    from matplotlib.patches import Rectangle

    fill, sign = LOOKS.get(word, ("#ffffff", ""))
    ax.add_patch(
        Rectangle((x + 0.05, y + 0.05), 0.9, 0.9, facecolor="none", edgecolor="#777777")
    )
    ax.add_patch(
        Rectangle(
            (x + 0.05, y + 0.05), 0.9 * share, 0.9, facecolor=fill, edgecolor="none"
        )
    )
    if share == 1 and sign:
        dark = fill in ("#0C8296", "#D55E00")
        ax.annotate(
            sign,
            (x + 0.5, y + 0.5),
            ha="center",
            va="center",
            color="white" if dark else "black",
        )


def _agreeing():
    """Return, for each claim that has other analyses, the share of them that say the
    same.
    """
    from lab import scorecard
    from lab.papers.judging import AS_JUDGED

    shares = {}
    for claim, table in scorecard.analyses().groupby("id"):
        words = table.groupby("analysis").verdict.first()
        if len(words) > 1:
            shares[claim] = float((words.drop(AS_JUDGED) == words[AS_JUDGED]).mean())
    return shares


def draw_analyses(paper):
    """Draw the main claims of a paper under other analyses: the effect, its interval
    and the limits.

    Parameters
    ----------
    paper : str

    Returns
    -------
    matplotlib.figure.Figure
        One panel for each claim with other analyses, one row for each analysis, with
        the quantities that the rule asks for first; a colour is the verdict, a broken
        line the limit that confirms. An analysis that measures something else in their
        place has a square at the side.
    """
    from matplotlib import pyplot as plt

    from lab import scorecard
    from lab.papers.published import claims, limits

    mains = scorecard.main_claims()
    mains = (
        mains[mains.paper == paper]
        .groupby("id", sort=False)
        .agg({"n": ", ".join, "says": "first"})
    )
    tables = {
        claim: table
        for claim, table in scorecard.analyses().groupby("id")
        if claim in mains.index and table.analysis.nunique() > 1
    }
    tables = {claim: tables[claim] for claim in mains.index if claim in tables}
    heights = [table.analysis.nunique() + 1.6 for table in tables.values()]
    figure, axes = plt.subplots(
        len(tables),
        figsize=(5.2, 0.36 * sum(heights)),
        height_ratios=heights,
        squeeze=False,
    )
    published = claims()
    for ax, (claim, table) in zip(axes.flat, tables.items(), strict=True):
        rule = limits()[claim].get(published[claim].amended, [])
        # The first that the rule asks for.
        effect = next(limit for limit in rule if limit.confirms)
        names = list(dict.fromkeys(table.analysis))
        for y, name in enumerate(reversed(names)):
            rows = table[table.analysis == name]
            colour = LOOKS[rows.verdict.iloc[0]][0]
            rows = rows[[effect.fits(quantity) for quantity in rows["quantity"]]]
            if rows.empty:  # what it measures is no place on this axis
                side = ax.get_yaxis_transform()
                ax.plot(
                    0.01,
                    y,
                    "s",
                    color=colour,
                    markeredgecolor="#333333",
                    transform=side,
                )
            places = y + (np.arange(len(rows)) - (len(rows) - 1) / 2) * 0.6 / max(
                len(rows), 2
            )
            for place, row in zip(places[::-1], rows.itertuples(), strict=True):
                ax.plot(
                    [row.low, row.high], [place, place], color="#333333", linewidth=1
                )
                size = 5 if len(rows) < 8 else 3
                ax.plot(
                    row.estimate,
                    place,
                    "o",
                    color=colour,
                    markeredgecolor="#333333",
                    markersize=size,
                )
        ax.axvline(effect.confirms[2], color="#333333", linestyle="--", linewidth=1)
        ax.set_ylim(-0.6, len(names) - 0.4)
        ax.set_yticks(
            range(len(names)),
            [textwrap.fill(n, 24, max_lines=2, placeholder="…") for n in names[::-1]],
        )
        plt.setp(ax.get_yticklabels(), linespacing=0.85)
        ax.set_title(
            f"{mains.n[claim]}. {claim.split('/')[1].replace('-', ' ')}", loc="left"
        )
        ax.grid(axis="y", visible=False)
    return figure


def audit(paper):
    """Return all verdicts of a paper, folded: on its claims and its printed figures.

    Parameters
    ----------
    paper : str

    Returns
    -------
    IPython.display.HTML
    """
    from IPython.display import HTML

    from lab import scorecard

    claims, figures = (
        table[table.paper == paper]
        for table in (scorecard.verdicts(), scorecard.printed())
    )
    return HTML(folds(claims, figures))


def folds(claims, figures):
    """Lay out all rows of the scorecard, or of a paper, in two folds.

    Parameters
    ----------
    claims, figures : pandas.DataFrame
        Rows of `lab.scorecard.verdicts` and `printed`.

    Returns
    -------
    str
        HTML.
    """
    laid = {
        f"The {len(claims)} claims that are judged": claims_card(claims),
        f"The {len(figures)} printed figures": figures_card(figures),
    }
    return "".join(
        f'<details class="fold"><summary>{name}</summary>{html}</details>'
        for name, html in laid.items()
    )


def filter_form():
    """Lay out the form of the scorecard; a script shows it and makes it work.

    Returns
    -------
    IPython.display.HTML
    """
    from IPython.display import HTML

    from lab import scorecard

    counts = scorecard.counts()

    def options(words, names):
        return "".join(
            f'<option value="{escape(word)}">{escape(text)}</option>'
            for word, text in zip(words, names, strict=True)
        )

    groups = ""
    for kind in counts.columns.unique(0):
        words = [word for word in counts[kind] if counts[kind][word].any()]
        groups += (
            f'<optgroup label="{kind}">{options(words, words)}</optgroup>'
            if words
            else ""
        )
    return HTML(
        '<form class="scorecard-filter" aria-label="Choose what is shown"'
        ' autocomplete="off" hidden><label>Paper <select name="paper"><option'
        f' value="">all</option>{options(counts.index, map(name_of, counts.index))}'
        "</select></label><label>Verdict"
        ' <select name="verdict"><option'
        f' value="">all</option>{groups}</select></label><label>Words <input'
        ' type="search" name="text" placeholder="forest, Table 1, ..."></label><button'
        ' type="reset">Show all</button><output></output></form>'
    )


def claims_card(claims):
    """Lay out claims: what they say, the verdict, the evidence.

    Parameters
    ----------
    claims : pandas.DataFrame
        Rows of `lab.scorecard.verdicts`.

    Returns
    -------
    str
        HTML.
    """
    rows = []
    for row in claims.itertuples():
        changed = ", amended" * (row.status == "amended")
        claim = (
            f"{escape(row.claim)}<small>{escape(name_of(row.paper))},"
            f" {escape(row.where)}</small><details><summary>what would confirm it, what"
            f" refute it{changed}</summary>{_criteria(row)}</details>"
        )
        notes = [
            row.why if row.status == "rule unfit" else "",
            row.data,
            row.monte_carlo,
        ]
        notes += [
            row.lacks and f"Lacking: {row.lacks}",
            row.other_analyses and f"Other analyses: {row.other_analyses}",
        ]
        notes += [row.power and f"Would have shown four times in five: {row.power}"]
        small = "".join(f"<small>{escape(line)}</small>" for line in notes if line)
        cells = {
            "Claim": claim,
            "Verdict": _verdict(row.verdict),
            "Evidence": escape(row.evidence) + small,
        }
        rows.append((row, cells, row.id.replace("/", "-")))
    return card(rows, ["Claim", "Verdict", "Evidence"], "claims")


def _criteria(row):
    """Show what would confirm and refute a claim, and what changed since."""
    lines = [f"Confirmed by: {row.confirms}", f"Refuted by: {row.refutes}"]
    known = f"Were results known by then? {row.known.capitalize()}."
    if row.status == "amended":
        first = row.first_verdict or "it cannot be computed"
        lines += [
            f"By this first rule: {first}. Amended on {row.date}. {row.why} {known}",
            f"Since then confirmed by: {row.confirms_now}",
            f"Refuted by: {row.refutes_now}",
        ]
    elif row.status:
        lines.append(
            f"{'Added' if row.status == 'added' else 'Set aside'} on {row.date}."
            f" {row.why} {known}"
        )
    return "".join(f"<p>{escape(line)}</p>" for line in lines)


def figures_card(figures):
    """Lay out printed figures beside what was computed.

    Parameters
    ----------
    figures : pandas.DataFrame
        Rows of `lab.scorecard.printed`.

    Returns
    -------
    str
        HTML.
    """
    from lab import scorecard

    rows = []
    for row in figures.itertuples():
        where = (
            f"{escape(name_of(row.paper))}, {escape(row.where)}"
            f" <code>{escape(row.id)}</code>"
        )
        cells = {
            "Quantity": f"{escape(row.quantity)}<small>{where}</small>",
            "Printed": escape(
                f"{row.printed} {row.unit}".strip().replace("percent", "%")
            ),
            "Computed": escape(scorecard.show(row.printed, row.computed)),
            "Verdict": _verdict(row.verdict),
            "Note": escape(row.note),
        }
        rows.append((row, cells, ""))
    return card(
        rows, ["Quantity", "Printed", "Computed", "Verdict", "Note"], "printed figures"
    )


# What runs the whole of an experiment, on every page that shows a slice of it.
RUN = "lab run {} --export --folder again"
CHECK = "lab scorecard --check --paper {}"


def command(paper):
    """Return the commands that run a whole experiment again and check its record, to be
    displayed.

    Parameters
    ----------
    paper : str

    Returns
    -------
    IPython.display.Markdown
    """
    from IPython.display import Markdown

    return Markdown(f"```bash\n{RUN.format(paper)}\n{CHECK.format(paper)}\n```")
