"""What the tests of explorers share: the record read as plain CSV, and a figure read
off as a reader does.
"""

import csv
import functools
import math
from pathlib import Path

import numpy as np
import vl_convert

from evalkit import plots
from evalkit.explore import VEGALITE

ROOT = Path(__file__).resolve().parents[2]
INK = "#222222"


@functools.cache
def _table(path):
    with (ROOT / "data" / "recorded" / path).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def recorded(path, **wanted):
    """The rows of a recorded table whose cells are the wanted ones, as text."""
    rows = [
        r
        for r in _table(path)
        if all(r[name] == str(value) for name, value in wanted.items())
    ]
    assert rows, (path, wanted)
    return rows


def expected_best(scores, n, *, replace=False):
    """The expected maximum of n draws, from the probability that each score in order is
    the highest.
    """
    scores, total = sorted(scores), len(scores)
    if replace:
        chances = [((i + 1) / total) ** n - (i / total) ** n for i in range(total)]
    else:
        chances = [math.comb(i, n - 1) / math.comb(total, n) for i in range(total)]
    assert math.isclose(sum(chances), 1)
    return sum(chance * score for chance, score in zip(chances, scores, strict=True))


def number(text):
    """A number as an axis writes it."""
    text = text.replace("\N{MINUS SIGN}", "-").replace(",", "")
    return float(text[:-1]) / 100 if text.endswith("%") else float(text)


class Figure:
    """A chart at a setting, as wide as it is or as a page makes it: its marks in
    pixels, and its axes.
    """

    def __init__(self, explorer, *, wide=None, **setting):
        rows = explorer.show(**(explorer.start | setting)).rows
        spec = explorer.spec(rows) | ({} if wide is None else {"width": wide})
        scene = vl_convert.vegalite_to_scenegraph(spec, vl_version=VEGALITE)
        self.size = (
            scene["scenegraph"]["items"][0]["width"],
            scene["scenegraph"]["items"][0]["height"],
        )
        self._marks, self._texts = {}, {}
        self._walk(scene["scenegraph"], None)

    def _walk(self, node, side):
        role = node.get("role", "")
        for item in node["items"]:
            side = item.get("orient", side) if role == "axis" else side
            if role == "mark" and node["marktype"] != "group":
                self._marks.setdefault(node["marktype"], []).append(item)
            elif node["marktype"] == "text" or role == "legend-symbol":
                self._texts.setdefault((role, side), []).append(item)
            for child in item.get("items", ()):
                self._walk(child, side)

    def marks(self, kind):
        """The marks of a kind: rect, rule, symbol, text, area; of lines and areas,
        their points.
        """
        return self._marks.get(kind, [])

    def title(self, side):
        """The title of an axis, in one line."""
        (item,) = self._texts["axis-title", side]
        return item["text"] if isinstance(item["text"], str) else " ".join(item["text"])

    def labels(self, side):
        """The texts along an axis."""
        return [
            item["text"] for item in self._texts["axis-label", side] if item["text"]
        ]

    def values(self, side, pixels, *, log=False):
        """The values at some pixels, from two labels of the axis."""
        where = "x" if side == "bottom" else "y"
        labels = [item for item in self._texts["axis-label", side] if item["text"]]
        (at, low), (end, high) = (
            (item[where], number(item["text"])) for item in (labels[0], labels[-1])
        )
        low, high = (math.log(low), math.log(high)) if log else (low, high)
        found = low + (np.asarray(pixels) - at) * (high - low) / (end - at)
        return np.exp(found) if log else found

    def categories(self, side, pixels):
        """The label that is nearest to each pixel."""
        where = "x" if side == "bottom" else "y"
        labels = self._texts["axis-label", side]
        return [
            min(labels, key=lambda item: abs(item[where] - pixel))["text"]
            for pixel in pixels
        ]

    def bars(self):
        """Horizontal bars: from what stands left of each to the value at its end, from
        0.
        """
        bars = self.marks("rect")
        names = self.categories("left", [bar["y"] + bar["height"] / 2 for bar in bars])
        assert np.allclose(
            self.values("bottom", [bar["x"] for bar in bars]), 0, atol=1e-9
        )
        ends = self.values("bottom", [bar["x"] + bar["width"] for bar in bars])
        return dict(zip(names, ends, strict=True))

    def rules(self):
        """The values at which vertical reference lines stand, each once."""
        return sorted(
            {
                round(float(v), 4)
                for v in self.values("bottom", [r["x"] for r in self.marks("rule")])
            }
        )

    def legend(self):
        """From what the legend says to the colour and the dashes beside it."""
        symbols = [
            item
            for (role, _), items in self._texts.items()
            if role == "legend-symbol"
            for item in items
        ]
        labels = [
            item
            for (role, _), items in self._texts.items()
            if role == "legend-label"
            for item in items
        ]
        return {
            label["text"]: (symbol["stroke"], symbol.get("strokeDash"))
            for label, symbol in zip(labels, symbols, strict=True)
        }

    def colours(self):
        """The keys of the book's colours that the marks wear; ink, white and figures in
        a bar are none.
        """
        keys = {colour.lower(): key for key, colour in plots.COLOURS.items()}
        marks = [
            mark
            for kind, items in self._marks.items()
            if kind != "text"
            for mark in items
        ]
        found = {mark.get(part) for mark in marks for part in ("fill", "stroke")}
        return {
            keys[colour.lower()]
            for colour in found - {None, "transparent", INK, "#ffffff"}
        }
