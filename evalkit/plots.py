"""One look for all figures: readable on a phone, in grey and by the colour-blind.

matplotlib is imported where it is used, so that `import evalkit.plots` costs nothing.
"""

import functools
import os
import re

import numpy as np

from evalkit import _extras
from evalkit._checks import check_choice
from evalkit._numbers import has_words, set_cells

# A colour and a line belong to a system or to an estimator, through the whole book, and
# "one" to "four" to what is neither. Those of the systems are Okabe and Ito's, but for
# the indigo (Paul Tol's): distinct under every common colour-blindness. No other comes
# near them, nor has U or V the hue of a network.
COLOURS = {
    "mlp": "#0072B2",
    "lstm": "#D55E00",
    "linear": "#009E73",
    "naive_bayes": "#CC79A7",
    "svm": "#332288",
    "dummy": "#666666",
    "truth": "#000000",
    "u": "#8C005E",
    "v": "#4A5A00",
    "one": "#0C8296",
    "two": "#734C2E",
    "three": "#6FA03A",
    "four": "#8E7CC3",
}
LINES = {
    "mlp": "-",
    "lstm": "--",
    "linear": ":",
    "naive_bayes": (0, (5, 1, 1, 1, 1, 1)),
    "svm": "-",
    "dummy": "-.",
    "truth": "-",
    "u": "--",
    "v": ":",
    "one": "-",
    "two": "--",
    "three": ":",
    "four": "-.",
}
# What is neither a system nor an estimator has the name that its figure gives it.
NAMES = {
    "mlp": "bag-of-words MLP",
    "lstm": "LSTM",
    "linear": "linear model",
    "naive_bayes": "naive Bayes",
    "svm": "linear SVM",
    "dummy": "best dummy",
    "truth": "truth",
    "u": "U, unbiased",
    "v": "V, biased",
}
INK = "#222222"  # of marks that are no series: a reference, a cursor, a mean
FONTS = (  # of explorers: the page's, or the reader's own
    "Book Sans, system-ui, sans-serif"
)


def use_style():
    """Set matplotlib to the book's style: small vector figures with large type.

    The type is matplotlib's own, or of the file that EVALKIT_FONT names, as it does
    while the book is built.
    """
    _extras.need("plots", "a figure")
    import matplotlib as mpl
    from matplotlib import font_manager
    from matplotlib_inline.backend_inline import set_matplotlib_formats

    families = ["DejaVu Sans"]
    if file := os.environ.get("EVALKIT_FONT"):
        font_manager.fontManager.addfont(file)
        # The other has the signs that it lacks.
        families.insert(0, font_manager.get_font(file).family_name)
    set_matplotlib_formats("svg")
    mpl.rcParams.update(
        {
            "font.family": families,
            # 5.2 inches shrink to 350 pixels on a phone: type of 12 points is 11 pixels
            # there.
            "figure.figsize": (5.2, 3.5),
            "figure.constrained_layout.use": True,
            "font.size": 12,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "axes.axisbelow": True,
            "grid.color": "#e4e4e4",
            "grid.linewidth": 0.8,
            "lines.linewidth": 2,
            "legend.frameon": False,
            "legend.fontsize": 12,
            "svg.hashsalt": "evalkit",  # the same figure gives the same file
            "savefig.facecolor": "white",
        }
    )


def line_style(system):
    """Return the colour, line style and label of a system or an estimator.

    Parameters
    ----------
    system : str
        A key of `COLOURS`; "one" to "four" have no label of their own.

    Returns
    -------
    dict
        Keyword arguments for matplotlib's `plot`.
    """
    check_choice(system, "system", tuple(COLOURS))
    return {
        "color": COLOURS[system],
        "linestyle": LINES[system],
        "label": NAMES.get(system),
    }


def plot_curve(axes, x, y, system, *, band=None, **style):
    """Draw a curve, and its band if there is one, in the style of its system.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
    x, y : array_like of float, shape (m,)
    system : str
        A key of `COLOURS`.
    band : Interval or Band, optional
        Anything that unpacks into low and high.
    **style
        For matplotlib's `plot`, over that of the system.
    """
    style = {**line_style(system), **style}
    axes.plot(x, y, **style)
    if band is not None:
        low, high = band
        axes.fill_between(x, low, high, color=style["color"], alpha=0.12, linewidth=0)
        for edge in (low, high):  # where two bands overlap, their edges tell them apart
            axes.plot(
                x,
                edge,
                color=style["color"],
                linestyle=style["linestyle"],
                linewidth=0.8,
            )


def plot_reference(axes, value, system):
    """Draw a level that does not depend on the budget, with its name above its left
    end.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        With its x limits set.
    value : float
    system : str
        A key of `COLOURS`.
    """
    style = line_style(system)
    label = style.pop("label")
    axes.axhline(value, **style, linewidth=1.5)
    axes.annotate(
        label,
        (0.01, value),
        xycoords=("axes fraction", "data"),
        xytext=(0, 2),
        textcoords="offset points",
        color=_readable(style["color"]),
        va="bottom",
        fontsize=12,
    )


def label_lines(axes):
    """Write the name of each line at its right end, in its colour: call it last, in
    place of a legend.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        With its limits set. A line without a label gets none.
    """
    to_axes = axes.transData + axes.transAxes.inverted()
    height = 72 * axes.figure.get_figheight() * axes.get_position().height
    ends = []
    for line in axes.get_lines():
        if not line.get_label().startswith("_"):
            points = np.asarray(line.get_xydata(), dtype=float)
            end = points[np.isfinite(points).all(axis=1)][-1]
            ends.append((height * to_axes.transform(end)[1], *end, line))
    above = -np.inf
    for at, x, y, line in sorted(ends, key=lambda end: end[0]):
        above = max(at, above + 15)  # points: the height of a name
        axes.annotate(
            line.get_label(),
            (x, y),
            xytext=(6, above - at),
            textcoords="offset points",
            color=_readable(line.get_color()),
            va="center",
            fontsize=12,
            annotation_clip=False,
        )


def _readable(colour):
    """Darken a colour until words in it can be read on white, by WCAG's level AA."""
    from matplotlib.colors import to_hex, to_rgb

    def luminance(channels):
        linear = np.where(
            channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4
        )
        return linear @ (0.2126, 0.7152, 0.0722)

    channels = np.array(to_rgb(colour))
    while luminance(channels) > 1.05 / 4.5 - 0.05:  # a contrast of 4.5 with white
        channels *= 0.97
    return to_hex(channels)


def turns(options, reference):
    """Say of each choice whether it turns what the text says.

    Parameters
    ----------
    options : pandas.DataFrame
        One row for each choice that could have been made, as `choices` takes it.
    reference : float
        The value that separates one answer from the other, such as no difference.

    Returns
    -------
    pandas.Series of str
        "told" for the row of the text; "open" for an interval that includes the
        reference, on whichever side its value is; else "same" for a value on the side
        of the text, and "turned" on the other side or at the reference.
    """
    import pandas as pd

    told = np.flatnonzero(options["told"])
    if len(told) != 1:
        raise ValueError(
            f"options: one row is the one of the text (told), got {len(told)}"
        )
    if not np.isfinite(options["value"]).all():
        raise ValueError(
            "options: a value is missing; a choice that has none is told in words"
        )
    side = np.sign(options["value"].to_numpy(dtype=float) - reference)
    words = np.where(side == side[told[0]], "same", "turned").astype(object)
    if "low" in options:
        holds = (options["low"] <= reference) & (reference <= options["high"])
        words[holds.to_numpy()] = "open"
    words[told[0]] = "told"
    return pd.Series(words, index=options.index)


# Marks that differ without colour: a diamond, filled, ringed, a cross.
_TURNS = {
    "told": ("in the text", "D", "one", True),
    "same": ("same answer", "o", "one", True),
    "open": ("interval includes the line", "o", "truth", False),
    "turned": ("other answer", "X", "two", True),
}
MOST_KINDS = 8  # a figure of more is read by nobody


def choices(options, *, reference, label):
    """Draw one number under every choice that could have been made, a row for each kind
    of choice: a specification curve, folded up.

    A bar reaches from the least to the greatest value of a kind, and a mark stands for
    each option.

    Parameters
    ----------
    options : pandas.DataFrame
        One row for each choice, in the order in which they are drawn: `choice`, what
        was to be chosen (eight kinds at most); `option`, what was taken; `value`;
        `told`, True in the one row that the text tells; and `low` and `high` of an
        interval, missing where it has none.
    reference : float
        The value that separates one answer from the other, such as no difference.
    label : str
        What the number is, with its unit.

    Returns
    -------
    matplotlib.figure.Figure

    References
    ----------
    Simonsohn, Simmons and Nelson (2020), "Specification curve analysis".
    """
    from matplotlib import pyplot as plt

    words = turns(options, reference)
    kinds = list(dict.fromkeys(options["choice"]))
    if len(kinds) > MOST_KINDS:
        raise ValueError(
            f"options: a figure has {MOST_KINDS} kinds of choice at most, got"
            f" {len(kinds)}; join kinds, or leave one to the list"
        )
    figure, axes = plt.subplots(figsize=(5.2, 1.4 + 0.42 * len(kinds)))
    axes.axvline(reference, color=INK, linewidth=1, linestyle="--")
    for y, kind in enumerate(kinds):
        values = options["value"][options["choice"] == kind]
        span = [values.min(), values.max()]
        axes.plot(span, [y, y], color=COLOURS["dummy"], linewidth=12, alpha=0.25)
    rows = options["choice"].map(kinds.index) + _dodge(options, reference)
    for word, (name, marker, colour, filled) in _TURNS.items():
        mine = words == word
        if mine.any():
            axes.plot(
                options["value"][mine],
                rows[mine],
                marker,
                color=COLOURS[colour],
                markerfacecolor=COLOURS[colour] if filled else "white",
                markersize=8 if word == "told" else 6,
                label=name,
                zorder=4 if word == "told" else 3,
            )
    axes.set_yticks(range(len(kinds)), kinds)
    axes.set(ylim=(len(kinds) - 0.4, -0.6), xlabel=label)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", visible=False)
    figure.legend(loc="outside upper right", ncols=2)
    return figure


def _dodge(options, reference):
    """Return how far each mark stands above or below its row, so that none hides
    another.
    """
    near = 0.03 * np.ptp([*options["value"], reference])
    up = np.zeros(len(options))
    for _, places in options.reset_index(drop=True).groupby("choice").groups.items():
        values = options["value"].to_numpy()[places]
        order = places[np.argsort(values, kind="stable")]
        alike = np.cumsum(np.diff(np.sort(values), prepend=-np.inf) > near)
        for group in np.unique(alike):
            of_group = order[alike == group]
            step = min(0.28, 0.75 / len(of_group))
            up[of_group] = step * (np.arange(len(of_group)) - (len(of_group) - 1) / 2)
    return up


def all_choices(options, *, reference, precision=1):
    """Lay out what `choices` draws, a row for each option: the list to be folded below
    the figure.

    Parameters
    ----------
    options : pandas.DataFrame
    reference : float
        Both as for `choices`.
    precision : int, default 1
        Digits after the point.

    Returns
    -------
    pandas.io.formats.style.Styler
    """
    ends = [
        f"{low:.{precision}f} to {high:.{precision}f}" if np.isfinite(low) else ""
        for low, high in zip(
            options.get("low", np.full(len(options), np.nan)),
            options.get("high", np.full(len(options), np.nan)),
            strict=True,
        )
    ]
    shown = options[["choice", "option"]].assign(
        value=options["value"].round(precision) + 0.0,  # no "-0"
        interval=ends,
        answer=[_TURNS[word][0] for word in turns(options, reference)],
    )
    if not any(ends):
        del shown["interval"]
    return table(shown.set_index("choice"), precision=precision)


def table(frame, *, precision=3, html=(), **formats):
    """Lay out a table for a page: words on the left, numbers on the right, and one
    head.

    Parameters
    ----------
    frame : pandas.DataFrame or pandas.Series
    precision : int, default 3
        Digits after the point, for columns without a format. A missing value is a dash.
    html : sequence of str, default ()
        Columns whose words are HTML; all others are shown as they are written.
    **formats
        A format string for each column that needs another, by name; spaces as
        underscores.

    Returns
    -------
    pandas.io.formats.style.Styler
    """
    frame = frame.to_frame() if frame.ndim == 1 else frame
    by_column = {
        c: formats[c.replace(" ", "_")]
        for c in frame.columns
        if c.replace(" ", "_") in formats
    }
    if unknown := set(formats) - {c.replace(" ", "_") for c in by_column}:
        raise ValueError(f"formats: no column is called {', '.join(sorted(unknown))}")
    style = _styler()(frame).format(
        by_column, precision=precision, na_rep="\N{EN DASH}", escape="html"
    )
    style = style.format(na_rep="\N{EN DASH}", subset=list(html))
    style = style.format_index(axis=0, escape="html").format_index(
        axis=1, escape="html"
    )
    of_words = [i for i in range(frame.shape[1]) if not _has_numbers(frame.iloc[:, i])]
    style = style.set_table_styles(
        [{"selector": f".col{i}", "props": "text-align: left"} for i in of_words],
        overwrite=False,
    )
    # The theme draws tables of this class in the colours of the page, light or dark.
    return style.set_table_attributes('class="dataframe"')


def _has_numbers(column):
    """Whether a column is numbers, though they be written out: 63%, 0.61 (0.02), 3 to
    5.
    """
    if column.dtype.kind in "iuf":
        return True
    cells = column.dropna().astype(str)
    return cells.str.contains(r"\d").any() and not cells.map(has_words).any()


@functools.cache
def _styler():
    """Return pandas's Styler, with the book's signs, and no row of the head for the
    index's names alone.
    """
    from pandas.io.formats.style import Styler

    class OneHead(Styler):
        def to_html(self, *args, **options):
            page = set_cells(super().to_html(*args, **options))
            return re.sub(
                r"(?s)(?<=<thead>).*?(?=</thead>)",
                lambda head: _merge(head[0]),
                page,
                count=1,
            )

    return OneHead


def _merge(head):
    """Put the names of the index before those of the columns, and what the columns are
    above them.
    """
    rows = [
        re.findall(r"(?s)<th\b.*?</th>", row)
        for row in re.findall(r"(?s)<tr>.*?</tr>", head)
    ]
    if len(rows) == 1:
        return head
    columns, names = rows[0], [cell for cell in rows[1] if "index_name" in cell]
    over, rows = columns[len(names) - 1], [names + columns[len(names) :]]
    if "index_name" in over:
        over = over.replace(
            "<th", f'<th colspan="{len(columns) - len(names)}"'
        ).replace("index_name", "over")
        rows.insert(0, ["<td></td>"] * len(names) + [over])
    return "".join(f"<tr>{''.join(row)}</tr>" for row in rows)
