"""What a figure shows before its script runs, on paper and in a kernel: drawn with
Matplotlib, laid out as `picture.js` does.
"""

import io
import re

import numpy as np

from evalkit.plots import COLOURS, INK

SIZE, CHART = (4.4, 3.0), (3.0, 3.0)  # inches of a hundred pixels
LATEST = 40  # intervals that are shown
MARKERS = "os^Dv"
_RC = {
    "font.size": 9.4,  # 13 pixels
    "font.family": "sans-serif",
    "svg.fonttype": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.linewidth": 0.8,
    "axes.edgecolor": "#777777",
    "figure.dpi": 100,
}


def picture_of(play, drawn, *, svg=False):
    """Return the picture of what was drawn, as an SVG or a PNG image."""
    if drawn.cells is not None:
        return _image(SIZE, _on_grid, play, drawn, svg=svg, name=play.name)
    return _image(SIZE, _piles, play, drawn, svg=svg, name=play.name)


def chart_of(play, points, curves, *, svg=False):
    """Return the chart of what was tried.

    Parameters
    ----------
    play : Play
    points : sequence of tuple
        Settings that were tried, each with its place and what it came to.
    curves : sequence of tuple
        Settings, each with its curve.
    svg : bool, default False

    Returns
    -------
    str or bytes
    """
    return _image(
        CHART, _tries, play, points, curves, svg=svg, name=f"{play.name}-law"
    )


def _image(size, draw, *what, svg, name):
    from matplotlib import style
    from matplotlib.figure import Figure

    with style.context(["default", {**_RC, "svg.hashsalt": name}]):
        fig = Figure(figsize=size, layout="none")
        draw(fig, *what)
        target = io.BytesIO()
        if not svg:
            fig.savefig(target, format="png", dpi=150)
            return target.getvalue()
        fig.savefig(target, format="svg", metadata={"Date": None, "Creator": None})
    text = target.getvalue().decode()
    text = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r'(<svg[^>]*?) (?:width|height)="[^"]*"', r"\1", text)
    text = re.sub(r'(<svg[^>]*?) (?:width|height)="[^"]*"', r"\1", text)
    text = re.sub(r"\s+", " ", text[text.index("<svg") + 4 :])
    return f'<svg aria-hidden="true"{text}'


def _pixels(fig, left, top, width, height):
    """Return axes by their pixels from the left upper corner."""
    across, down = 100 * fig.get_size_inches()
    place = (left / across, 1 - (top + height) / down, width / across, height / down)
    axes = fig.add_axes(place)
    axes.set(yticks=[])
    axes.margins(0)
    return axes


def _piles(fig, play, drawn):
    width, height = 100 * fig.get_size_inches()
    words, top = play.words, 0
    for row in drawn.rows:
        axes = _pixels(fig, 10, top + 18, width - 20, 16)
        ends = drawn.words.get("strip", drawn.axis)
        axes.set(xlim=ends, ylim=(-1, 1))
        axes.axis("off")
        name = _named(words["strip"][row.key], drawn)
        fig.text(10 / width, 1 - (top + 13) / height, name)
        _dots(axes, row)
        top += 36
    if "strip" in drawn.words and drawn.rows:
        axes.axis("on")
        axes.tick_params(labelsize=8.6)
        top += 26
    bottom = height - 24 - 16 * len(words["axis"])
    names = [_named(words["lanes"][key], drawn) for key in _shown(play, drawn)]
    room = (bottom - top - 20 * sum(map(bool, names)) - 6 * len(names)) / len(names)
    for key, name in zip(_shown(play, drawn), names, strict=True):
        if name:
            fig.text(10 / width, 1 - (top + 15) / height, name)
            top += 20
        axes = _pixels(fig, 10, top + 6, width - 20, room)
        top += 6 + room
        axes.set_xlim(drawn.axis)
        if drawn.ends is not None:
            _stacked(axes, play, drawn)
        else:
            _pile(axes, play, drawn, *drawn.piles[key])
        if drawn.mark is not None:
            axes.axvline(drawn.mark, color=INK, linewidth=1.2, linestyle=(0, (4, 3)))
        if top < bottom - 1:
            axes.set_xticks([])
    axes.set_xlabel("\n".join(words["axis"]), loc="right")


def _shown(play, drawn):
    return [key for key in play.words["lanes"] if key in drawn.piles]


def _named(template, drawn):
    return re.sub(r"{(\w+)}", lambda found: str(drawn.words[found[1]]), template)


def _dots(axes, row):
    values = np.asarray(row.values, float)
    filled = np.zeros(len(values), bool) if row.filled is None else row.filled
    size = 4 if len(values) > 60 else 30
    for part, face in ((~filled, "none"), (filled, INK)):
        axes.scatter(
            values[part], 0 * values[part], size, facecolor=face, edgecolor=INK, lw=1
        )
    if row.ringed is not None:
        axes.plot(values[row.ringed], 0, "o", ms=11, mfc="none", mec=INK)


def _pile(axes, play, drawn, values, kinds):
    low, high = drawn.axis
    places = np.floor(np.round((values - low) / (high - low) * drawn.bins, 9))
    places = np.clip(places, 0, drawn.bins - 1).astype(int)
    base = np.zeros(drawn.bins)
    width = (high - low) / drawn.bins
    edges = low + width * np.arange(drawn.bins)
    for kind in play.colours:
        counts = np.bincount(places[kinds == kind], minlength=drawn.bins)
        colour = COLOURS[play.colours[kind]]
        axes.bar(edges, counts, 0.9 * width, base, align="edge", color=colour)
        base += counts
    axes.set_ylim(0, max(8, base.max()))


def _stacked(axes, play, drawn):
    kinds = next(iter(drawn.piles.values()))[1][-LATEST:]
    for y, ((low, high), kind) in enumerate(
        zip(drawn.ends[-LATEST:], kinds, strict=True)
    ):
        colour = COLOURS[play.colours[kind]]
        axes.plot([low, high], [y, y], color=colour, linewidth=2)
        axes.plot((low + high) / 2, y, "o", color=colour, markersize=3)


def _log(axes, name, values):
    if min(values) > 0:
        axes.set(**{f"{name}scale": "log"})
    shown = sorted(set(values))
    axes.set(**{f"{name}ticks": shown, f"{name}ticklabels": [f"{v:g}" for v in shown]})
    axes.minorticks_off()


def _on_grid(fig, play, drawn):
    task = drawn.words["grid"]
    axes = _pixels(fig, 58, 24, 360, 218)
    x, y = np.array(task["x"]), np.array(task["y"])
    axes.scatter(x, y, 3, color="#777777")
    share = drawn.cells / drawn.cells.sum()
    size = np.where(share > 0, np.maximum(2.5, 30 * np.sqrt(share)) ** 2 * 1.6, 0)
    colour = COLOURS[play.colours["chosen"]]
    axes.scatter(x, y, size, color=colour, alpha=0.6, linewidth=0)
    if task.get("worth"):
        best = np.array(task["worth"]) == max(task["worth"])
        axes.plot(x[best], y[best], "*", color=INK, markersize=9, linestyle="")
    one, other = drawn.words["last"]
    axes.plot(x[one], y[one], "-", color=INK, linewidth=1)
    axes.plot(x[one[-1]], y[one[-1]], "o", ms=13, mfc="none", mec=INK)
    axes.plot(x[other[-1]], y[other[-1]], "s", ms=9, mfc="none", mec=INK)
    axes.margins(0.06)
    _log(axes, "x", x)
    if len(set(y)) > 1:
        _log(axes, "y", y)
    axes.set_xlabel(play.words["grid"][0], loc="right")
    axes.set_title(play.words["grid"][1], loc="left", fontsize=9.4, x=-0.13)


def _tries(fig, play, points, curves):
    law = play.law
    lines = len(law.title)
    several = len(law.series) > 1
    names = [one.label for one in law.series] if several else list(law.by_names)
    top = 16 * lines + 16 * -(-len(names) // 2) + 12
    axes = _pixels(fig, 46, top, 236, 300 - top - 44)
    for i, title in enumerate(law.title):
        fig.text(4 / 300, 1 - (14 + 16 * i) / 300, title)
    axes.set(xlim=_wide(law), ylim=law.range)
    if law.log:
        axes.set_xscale("log")
    ticks = [stop for stop in law.stops if not law.log or len(law.stops) < 9] or (
        law.stops[::2]
    )
    axes.set_xticks(ticks, [f"{stop:,g}" for stop in ticks])
    axes.minorticks_off()
    axes.set_xlabel(law.x_title, loc="right")
    axes.yaxis.set_major_locator(_fives())
    axes.grid(axis="y", color="#dddddd", linewidth=0.8)
    if law.line is not None:
        axes.axhline(law.line, color=INK, linewidth=1, linestyle=(0, (4, 3)))
    for i, name in enumerate(names):
        place = ((50 + 125 * (i % 2)) / 300, 1 - (16 * (lines + i // 2) + 12) / 300)
        fig.text(*place, f"{_SIGNS[i]} {name}", color=_colour(i))
    for setting, curve in curves:
        for i, one in enumerate(law.series):
            which = _which(play, i, setting)
            found = [(x, ends[one.key]) for x, ends in curve if one.key in ends]
            axes.plot(*zip(*found, strict=True), color=_colour(which), linewidth=1.5)
    for setting, x, ends in points:
        for i, one in enumerate(law.series):
            if one.key not in ends:
                continue
            y, low, high = ends[one.key]
            which = _which(play, i, setting)
            colour = _colour(which)
            axes.plot([x, x], [low, high], color=colour, linewidth=2)
            axes.plot(x, y, MARKERS[which], color=colour, markersize=7)


_SIGNS = "●■▲◆▼"


def _colour(which):
    from evalkit.explore._play import PALETTE

    return COLOURS[PALETTE[which]]


def _which(play, i, setting):
    law = play.law
    if len(law.series) > 1 or not law.by:
        return i
    (control,) = (control for control in play.controls if control.name == law.by)
    known = [*control.values]
    return known.index(setting[law.by]) if setting[law.by] in known else 0


def _wide(law):
    low, high = law.stops[0], law.stops[-1]
    return (low / 1.15, high * 1.15) if law.log else (low - 0.5, high + 0.5)


def _fives():
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(5)
