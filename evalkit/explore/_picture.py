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
_DASHED = {"color": INK, "linewidth": 1.1, "linestyle": (0, (4, 3))}
_RC = {
    "font.size": 9.4,  # 13 pixels
    "font.family": "sans-serif",
    "svg.fonttype": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.edgecolor": "#777777",
    "figure.dpi": 100,
}


def picture_of(play, drawn, *, svg=False):
    """Return the picture of what was drawn, as an SVG or a PNG image."""
    draw = _piles if drawn.cells is None else _on_grid
    return _image(SIZE, draw, play, drawn, svg=svg, name=play.name)


def chart_of(play, points, curves=(), *, svg=False):
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
    name = f"{play.name}-law"
    return _image(CHART, _tries, play, points, curves, svg=svg, name=name)


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
    text = re.sub(r"(?s)<metadata>.*?</metadata>|<!--.*?-->", "", text)
    head, rest = text[text.index("<svg") + 4 :].split(">", 1)
    head = re.sub(r' (?:width|height)="[^"]*"', "", head)
    return re.sub(r"\s+", " ", f'<svg aria-hidden="true"{head}>{rest}')


def _axes(fig, left, top, width, height):
    """Return axes by their pixels from the left upper corner."""
    across, down = 100 * fig.get_size_inches()
    place = (left / across, 1 - (top + height) / down, width / across, height / down)
    axes = fig.add_axes(place)
    axes.set(yticks=[])
    return axes


def _named(template, drawn):
    return re.sub(r"{(\w+)}", lambda found: str(drawn.words[found[1]]), template)


def _piles(fig, play, drawn):
    across, height = 100 * fig.get_size_inches()
    words, top, strip = play.words, 0, drawn.words.get("strip")

    def write(text):
        fig.text(10 / across, 1 - (top + 14) / height, _named(text, drawn))

    for row in drawn.rows:
        write(words["strip"][row.key])
        axes = _axes(fig, 10, top + 18, across - 20, 16)
        axes.set(xlim=strip or drawn.axis, ylim=(-1, 1), frame_on=bool(strip))
        axes.set_xticks(axes.get_xticks() if strip and row is drawn.rows[-1] else [])
        _dots(axes, row)
        top += 36
    top += 26 if strip and drawn.rows else 0
    bottom = height - 24 - 16 * len(words["axis"])
    shown = [key for key in words["lanes"] if key in drawn.piles]
    named = 20 if words["lanes"][shown[0]] else 0
    room = (bottom - top) / len(shown) - named - 6
    for key in shown:
        write(words["lanes"][key])
        axes = _axes(fig, 10, top + named + 6, across - 20, room)
        axes.set_xlim(drawn.axis)
        (_pile if drawn.ends is None else _stacked)(axes, play, drawn, key)
        if drawn.mark is not None:
            axes.axvline(drawn.mark, **_DASHED)
        if key != shown[-1]:
            axes.set_xticks([])
        top += named + 6 + room
    axes.set_xlabel(_named("\n".join(words["axis"]), drawn), loc="right")


def _dots(axes, row):
    filled = np.zeros(len(row.values), bool) if row.filled is None else row.filled
    faces = np.where(filled, INK, "none")
    size = 4 if len(filled) > 60 else 30
    axes.scatter(row.values, 0 * filled, size, facecolor=faces, edgecolor=INK, lw=1)
    if row.ringed is not None:
        axes.plot(row.values[row.ringed], 0, "o", ms=11, mfc="none", mec=INK)


def _pile(axes, play, drawn, key):
    (values, kinds), (low, high) = drawn.piles[key], drawn.axis
    width = (high - low) / drawn.bins
    places = np.clip(np.round((values - low) / width, 9), 0, drawn.bins - 1).astype(int)
    base = np.zeros(drawn.bins)
    edges = low + width * np.arange(drawn.bins)
    for kind, key in play.colours.items():
        counts = np.bincount(places[kinds == kind], minlength=drawn.bins)
        if not counts.any():
            continue
        axes.bar(edges, counts, 0.9 * width, base, align="edge", color=COLOURS[key])
        base += counts
    axes.set_ylim(0, max(8, base.max()))


def _stacked(axes, play, drawn, key):
    kinds = drawn.piles[key][1][-LATEST:]
    colours = [COLOURS[play.colours[kind]] for kind in kinds]
    low, high = drawn.ends[-LATEST:].T
    axes.hlines(range(len(kinds)), low, high, colours, linewidth=2)
    axes.scatter((low + high) / 2, range(len(kinds)), 8, colours)


def _on_grid(fig, play, drawn):
    task, (one, other) = drawn.words["grid"], drawn.words["last"]
    x, y = np.array(task["x"]), np.array(task["y"])
    axes = _axes(fig, 58, 24, 360, 218)
    axes.plot(x, y, ".", color="#777777", markersize=3)
    size = 1440 * drawn.cells / drawn.cells.sum()
    chosen, colour = size > 0, COLOURS[play.colours["chosen"]]
    axes.scatter(x[chosen], y[chosen], size[chosen], colour, alpha=0.6, linewidth=0)
    if worth := task.get("worth"):
        best = np.array(worth) == max(worth)
        axes.scatter(x[best], y[best], 80, INK, marker="*")
    axes.plot(x[one], y[one], "-", color=INK, linewidth=1)
    for way, marker, size in ((one, "o", 13), (other, "s", 9)):
        axes.plot(x[way[-1]], y[way[-1]], marker, ms=size, mfc="none", mec=INK)
    axes.margins(0.06)
    for name, values in (("x", x), ("y", y)):
        shown = sorted(set(values)) if len(set(values)) > 1 else []
        if min(values) > 0:
            axes.set(**{f"{name}scale": "log"})
        labels = [f"{value:g}" for value in shown]
        axes.set(**{f"{name}ticks": shown, f"{name}ticklabels": labels})
    axes.minorticks_off()
    axes.set_xlabel(play.words["grid"][0], loc="right")
    axes.set_title(play.words["grid"][1], loc="left", fontsize=9.4, x=-0.13)


def _tries(fig, play, points, curves):
    law, several = play.law, len(play.law.series) > 1
    names = [one.label for one in law.series] if several else law.by_names
    rows = [*law.title, *([""] * -(-len(names) // 2))]
    for i, row in enumerate(rows):
        fig.text(4 / 300, 1 - (14 + 16 * i) / 300, row)
    for i, name in enumerate(names):
        place = (
            (10 + 145 * (i % 2)) / 300,
            1 - (16 * (len(law.title) + i // 2) + 14) / 300,
        )
        fig.text(*place, f"{'●■▲◆▼'[i]} {name}", color=COLOURS[law.colours[i]])
    axes = _axes(fig, 46, 16 * len(rows) + 12, 236, 300 - 16 * len(rows) - 56)
    low, high = law.stops[0], law.stops[-1]
    ends = (low / 1.15, high * 1.15) if law.log else (low - 0.5, high + 0.5)
    axes.set(xlim=ends, ylim=law.range, xscale="log" if law.log else "linear")
    ticks = law.stops if len(law.stops) < 8 else law.stops[::2]
    axes.set_xticks(ticks, [f"{stop:,g}" for stop in ticks])
    axes.minorticks_off()
    axes.set_yticks(np.linspace(*law.range, 5))
    axes.set_xlabel(law.x_title, loc="right")
    axes.grid(axis="y", color="#dddddd", linewidth=0.8)
    if law.line is not None:
        axes.axhline(law.line, **_DASHED)
    known = next((c.values for c in play.controls if c.name == law.by), ())
    for setting, *found in (*curves, *points):
        of = known.index(setting[law.by]) if setting.get(law.by) in known else 0
        for i, one in enumerate(law.series):
            which = i if several else of
            _mark(axes, one.key, MARKERS[which], COLOURS[law.colours[which]], *found)


def _mark(axes, key, marker, colour, place, ends=None):
    """Draw a point with its ends, or a curve."""
    if ends is None:
        found = [(x, come_to[key]) for x, come_to in place if key in come_to]
        axes.plot(*np.transpose(found), color=colour, linewidth=1.5)
    elif key in ends:
        y, low, high = ends[key]
        axes.vlines(place, low, high, colour, linewidth=2)
        axes.plot(place, y, marker, color=colour, markersize=7)
