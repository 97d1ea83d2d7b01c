"""The figure of a report: an SVG image of its own, for the four dependencies draw none.

Above, where there are any, the score of each run, or the difference on each data set;
beneath, always, each difference from the baseline with its interval.
"""

from html import escape

import numpy as np

from evalkit.reports._refused import shown

_WIDTH, _RIGHT, _ROW = 640, 20, 26
_LONGEST = 20  # signs of a name
_INK, _MARK, _GREY = "#222222", "#0072B2", "#767676"


def _short(words):
    """Return words that fit beside the marks: of long ones the two ends, for the last
    may tell them apart.
    """
    half = _LONGEST // 2
    return (
        words if len(words) <= _LONGEST else f"{words[:half]}\u2026{words[1 - half :]}"
    )


class _Canvas:
    def __init__(self, left):
        self.parts, self.y, self.left = [], 10, left

    def text(self, x, y, words, anchor="start", colour=_INK):
        place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
        self.parts.append(f'<text {place} fill="{colour}">{escape(words)}</text>')

    def line(self, x1, y1, x2, y2, colour=_INK, width=1, dash=""):
        more = f' stroke-dasharray="{dash}"' if dash else ""
        ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
        self.parts.append(
            f'<line {ends} stroke="{colour}" stroke-width="{width}"{more}/>'
        )

    def dot(self, x, y, colour=_MARK, size=3.5, opacity=1.0):
        place = f'cx="{x:.1f}" cy="{y:.1f}" r="{size}"'
        self.parts.append(f'<circle {place} fill="{colour}" opacity="{opacity}"/>')

    def svg(self):
        size = (
            f'viewBox="0 0 {_WIDTH} {self.y + 10:.0f}" width="{_WIDTH}"'
            f' height="{self.y + 10:.0f}"'
        )
        font = 'font-family="sans-serif" font-size="13"'
        body = "".join(self.parts)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} {font}'
            f' aria-hidden="true">{body}</svg>'
        )


def ticks(low, high):
    """Return round numbers between two ends."""
    spread = (high - low) or abs(high) or 1.0
    step = 10 ** np.floor(np.log10(spread / 5))
    step = min((m * step for m in (1, 2, 5, 10)), key=lambda s: abs(spread / s - 5))
    first = np.ceil(low / step - 1e-9)
    return [
        float(k * step) + 0.0
        for k in np.arange(first, np.floor(high / step + 1e-9) + 1)
    ][:12]


def _rows(canvas, rows, words, marks=()):
    """Draw a row for each name: scores as dots with their mean, or an interval with its
    middle.

    `rows` are pairs of a name and an array of scores, or a contrast; at `marks` stand
    dashed lines.
    """
    ends = [
        (one.low, one.high) if hasattr(one, "low") else (min(one), max(one))
        for _, one in rows
    ]
    low, high = (float(f([*np.ravel(ends), *marks])) for f in (min, max))
    spread = 0.04 * ((high - low) or abs(high) or 1.0)

    def place(value):
        part = (value - low + spread) / (high - low + 2 * spread)
        return canvas.left + part * (_WIDTH - canvas.left - _RIGHT)

    top = canvas.y
    for name, one in rows:
        y = canvas.y + _ROW / 2
        canvas.text(canvas.left - 10, y + 4, name, "end")
        if hasattr(one, "low"):
            canvas.line(place(one.low), y, place(one.high), y, _MARK, 2.5)
            canvas.dot(place(one.difference), y, _INK, 4.5)
        else:
            # Spread a little up and down, always the same way, so that equal scores
            # show.
            for k, score in enumerate(one[:400]):
                canvas.dot(place(score), y + ((k * 7) % 11 - 5) * 0.8, opacity=0.55)
            canvas.line(
                place(np.mean(one)), y - 9, place(np.mean(one)), y + 9, _INK, 2.5
            )
        canvas.y += _ROW
    for at in marks:
        canvas.line(
            place(at), top, place(at), canvas.y, _GREY, dash="1 3" if at else "3 3"
        )
    y = canvas.y
    canvas.line(canvas.left, y, _WIDTH - _RIGHT, y, _GREY)
    for value in ticks(low, high):
        canvas.line(place(value), y, place(value), y + 4, _GREY)
        canvas.text(place(value), y + 18, f"{value:.6g}", "middle")
    canvas.text(
        max(10, min(canvas.left, _WIDTH - 7 * len(words))), y + 36, words, colour=_GREY
    )
    canvas.y = y + 44


def draw(evidence, findings):
    """Return the figure of a report, as SVG, and what it shows, in words."""
    metric, base, seen = shown(evidence.metric), shown(evidence.baseline), []
    names, of = dict.fromkeys((evidence.baseline, *evidence.systems)), _short(metric)
    label = {name: _short(shown(name)) for name in names}
    than, margin = label[evidence.baseline], evidence.options.margin
    # No wider than the names: on a telephone a part of the figure is seen at once.
    canvas = _Canvas(min(170, 24 + 8 * max(len(shown(name)) for name in names)))
    what = {"seeds": "run", "folds": "split"}.get(evidence.kind)
    if what:
        rows = [(label[name], evidence.scores(name)) for name in names]
        _rows(canvas, rows, f"{of}; a dot is a {what}, a bar the mean")
        seen.append(f"The {metric} of each {what} as a dot, a row for each system.")
    elif evidence.kind == "datasets":
        own = evidence.scores(evidence.baseline)
        rows = [(label[name], evidence.scores(name) - own) for name in evidence.systems]
        _rows(canvas, rows, f"{of} minus that of {than}; a dot is a data set", (0.0,))
        seen.append(f"The difference from {base} on each data set as a dot.")
    rows = [
        (label[one.system], one) for one in findings.contrasts if np.isfinite(one.low)
    ]
    if not rows:
        return canvas.svg(), " ".join(
            [*seen, "No interval is drawn, for none is known to hold."]
        )
    best = "expected best " * (evidence.kind == "search")
    marks = (0.0, -margin, margin) if margin else (0.0,)
    _rows(canvas, rows, f"difference in {best}{of} from {than}, 95 % interval", marks)
    better = "right" if evidence.direction == "higher" else "left"
    what = "Beneath, the differences" if seen else f"The differences in {best}{metric}"
    seen.append(
        f"{what} from {base} with their intervals; {better} of the dashed line is"
        " better."
    )
    return canvas.svg(), " ".join(seen)
