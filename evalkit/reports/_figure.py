"""The figure of a report: an SVG image of its own, for the four dependencies draw none.

What is drawn depends on the data: the scores of each run, the differences on each data set, the curves of
searches; beneath, always, each difference from the baseline with its interval.
"""

from html import escape
from itertools import pairwise

import numpy as np

from evalkit.reports._faults import shown

_WIDTH, _LEFT, _RIGHT, _ROW = 640, 170, 20, 26
_INK, _MARK, _GREY = "#222222", "#0072B2", "#767676"
_LINES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#332288", "#734C2E")
_DASHES = ("", "6 3", "2 2", "8 3 2 3", "1 3", "10 4")


class _Canvas:
    def __init__(self, left=_LEFT):
        self.parts, self.y, self.left = [], 10, left

    def text(self, x, y, words, anchor="start", colour=_INK):
        # A name that does not fit would run into the marks.
        words = words if len(words) <= 24 or anchor != "end" else words[:23] + "\u2026"
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{escape(words)}</text>'
        )

    def line(self, x1, y1, x2, y2, colour=_INK, width=1, dash=""):
        more = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
            f'stroke-width="{width}"{more}/>'
        )

    def dot(self, x, y, colour=_MARK, size=3.5, opacity=1.0):
        self.parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size}" fill="{colour}" opacity="{opacity}"/>'
        )

    def svg(self):
        size = f'viewBox="0 0 {_WIDTH} {self.y + 10:.0f}" width="{_WIDTH}" height="{self.y + 10:.0f}"'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="13" '
            f'aria-hidden="true">{"".join(self.parts)}</svg>'
        )


def _scale(canvas, low, high):
    spread = (high - low) or abs(high) or 1.0
    low, high = low - 0.04 * spread, high + 0.04 * spread
    return lambda value: canvas.left + (value - low) / (high - low) * (_WIDTH - canvas.left - _RIGHT)


def ticks(low, high, n=5):
    """Return round numbers between two ends.

    Parameters
    ----------
    low, high : float
    n : int, default 5

    Returns
    -------
    list of float
    """
    spread = (high - low) or abs(high) or 1.0
    step = 10 ** np.floor(np.log10(spread / n))
    step = min((m * step for m in (1, 2, 5, 10)), key=lambda s: abs(spread / s - n))
    first = np.ceil(low / step - 1e-9)
    return [float(k * step) + 0.0 for k in np.arange(first, np.floor(high / step + 1e-9) + 1)][:12]


def _axis(canvas, place, low, high, words):
    y = canvas.y
    canvas.line(canvas.left, y, _WIDTH - _RIGHT, y, _GREY)
    for value in ticks(low, high):
        canvas.line(place(value), y, place(value), y + 4, _GREY)
        canvas.text(place(value), y + 18, f"{value:.6g}", "middle")
    canvas.text(canvas.left, y + 36, words, colour=_GREY)
    canvas.y = y + 44


def _strips(canvas, rows, words, zero=None):
    values = np.concatenate([v for _, v in rows])
    low, high = float(values.min()), float(values.max())
    low, high = (min(low, zero), max(high, zero)) if zero is not None else (low, high)
    place = _scale(canvas, low, high)
    top = canvas.y
    for name, scores in rows:
        y = canvas.y + _ROW / 2
        canvas.text(canvas.left - 10, y + 4, shown(name), "end")
        # Spread a little up and down, always the same way, so that equal scores show.
        for k, score in enumerate(scores[:400]):
            canvas.dot(place(score), y + ((k * 7) % 11 - 5) * 0.8, opacity=0.55)
        mean = float(np.mean(scores))
        canvas.line(place(mean), y - 9, place(mean), y + 9, _INK, 2.5)
        canvas.y += _ROW
    if zero is not None:
        canvas.line(place(zero), top, place(zero), canvas.y, _GREY, dash="3 3")
    _axis(canvas, place, low, high, words)


def _forest(canvas, rows, words, margin=None):
    ends = [end for _, one in rows for end in (one.low, one.high) if np.isfinite(end)] or [0.0]
    low, high = min(*ends, 0.0, -(margin or 0)), max(*ends, 0.0, margin or 0)
    place, top = _scale(canvas, low, high), canvas.y
    for name, one in rows:
        y = canvas.y + _ROW / 2
        canvas.text(canvas.left - 10, y + 4, shown(name), "end")
        if np.isfinite(one.low):
            canvas.line(place(one.low), y, place(one.high), y, _MARK, 2.5)
            canvas.dot(place(one.difference), y, _INK, 4.5)
        canvas.y += _ROW
    for at in [0.0, *([-margin, margin] if margin else [])]:
        canvas.line(place(at), top, place(at), canvas.y, _GREY, dash="3 3" if at == 0 else "1 3")
    _axis(canvas, place, low, high, words)


def _curves(canvas, curves, words):
    height, values = 200, [v for points in curves.values() for _, v in points]
    longest = max(n for points in curves.values() for n, _ in points)
    low, high = min(values), max(values)
    spread = (high - low) or 1.0

    def across(n):
        return canvas.left + np.log(n) / np.log(max(longest, 2)) * (_WIDTH - canvas.left - _RIGHT)

    def up(v):
        return canvas.y + height - (v - low) / spread * (height - 10)

    for value in ticks(low, high, 4):
        canvas.line(canvas.left - 4, up(value), canvas.left, up(value), _GREY)
        canvas.text(canvas.left - 8, up(value) + 4, f"{value:.6g}", "end")
    for k, (name, points) in enumerate(curves.items()):
        colour, dash = _LINES[k % len(_LINES)], _DASHES[k % len(_DASHES)]
        for (n, v), (m, w) in pairwise(points):
            canvas.line(across(n), up(v), across(m), up(w), colour, 2.5, dash)
        key = canvas.y + 14 + 18 * k
        canvas.line(12, key - 4, 36, key - 4, colour, 2.5, dash)
        canvas.text(42, key, shown(name)[:12])
    canvas.y += height + 4
    canvas.line(canvas.left, canvas.y, _WIDTH - _RIGHT, canvas.y, _GREY)
    for n in sorted({1, *(10**k for k in range(1, 6) if 10**k < longest), longest}):
        canvas.text(across(n), canvas.y + 16, f"{n:,}", "middle")
    canvas.text(canvas.left, canvas.y + 34, words, colour=_GREY)
    canvas.y += 46


def draw(evidence, findings, margin):
    """Draw the figure of a report.

    Parameters
    ----------
    evidence : Evidence
    findings : Findings
    margin : float or None

    Returns
    -------
    svg : str
    words : str
        What it shows.
    """
    metric, base, seen = shown(evidence.metric), shown(evidence.baseline), []
    # No wider than the names: on a telephone a part of the figure is seen at once.
    longest = max(len(shown(name)) for name in (evidence.baseline, *evidence.systems))
    canvas = _Canvas(_LEFT if findings.curves else min(_LEFT, 24 + 8 * longest))
    if evidence.kind in ("seeds", "folds"):
        rows = [(name, evidence.scores(name)) for name in (evidence.baseline, *evidence.systems)]
        what = "run" if evidence.kind == "seeds" else "split"
        _strips(canvas, rows, f"{metric}; a dot is a {what}, a bar the mean")
        seen.append(f"The {metric} of each {what} as a dot, a row for each system.")
    elif evidence.kind == "datasets" and evidence.facts["metrics"]:
        rows = [
            (name, np.sign(evidence.scores(name) - evidence.scores(evidence.baseline)))
            for name in evidence.systems
        ]
        _strips(canvas, rows, f"a dot is a data set: won against {base} (1), lost (-1) or equal", zero=0.0)
        seen.append(f"Each data set as a dot, by whether it was won against {base}.")
    elif evidence.kind == "datasets":
        rows = [
            (name, evidence.scores(name) - evidence.scores(evidence.baseline)) for name in evidence.systems
        ]
        _strips(canvas, rows, f"{metric} minus that of {base}; a dot is a data set", zero=0.0)
        seen.append(f"The difference from {base} on each data set as a dot.")
    elif findings.curves:
        _curves(canvas, findings.curves, f"trials; {metric} of the one that validation chooses")
        seen.append(
            f"The expected {metric} of the chosen trial over the number of trials, a line for each system."
        )
    rows = [(one.system, one) for one in findings.contrasts if np.isfinite(one.low)]
    if not rows:
        return canvas.svg(), " ".join([*seen, "No interval is drawn, for none is known to hold."])
    if evidence.kind == "agreement":
        _forest(canvas, rows, f"share of items with the label of {base}, 95 % interval")
        return canvas.svg(), f"The share of items with the same label as {base}, with its interval."
    if evidence.kind == "sizes":
        _forest(canvas, rows, f"{metric} of larger sizes minus that of smaller ones, 95 % interval")
        return canvas.svg(), f"The difference in {metric} of larger and smaller sizes, with its interval."
    _forest(canvas, rows, f"difference in {metric} from {base}, 95 % interval", margin)
    better = "right" if evidence.direction == "higher" else "left"
    what = "Beneath, the differences" if seen else "The differences"
    seen.append(f"{what} from {base} with their intervals; {better} of the dashed line is better.")
    return canvas.svg(), " ".join(seen)
