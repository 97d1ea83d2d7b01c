"""What is looked up: one specification, shown on a static page and in a live kernel.

An explorer is a few controls, a function from their values to rows and a sentence, and
a chart of the rows. On a page every setting is computed while the book is built, and a
script looks it up: no kernel, no network. In a kernel the function is called for any
setting, and for the reader's own scores. Where a reader draws samples, the settings are
too many: that is a `Play` (_play.py).

The chart is Vega-Lite, made with Altair; vl-convert draws it without a browser. Both,
and ipywidgets, are imported where they are used.
"""

import importlib
import itertools
import json
import os
import re
import sys
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from evalkit import _extras
from evalkit.explore._controls import field as field_of
from evalkit.plots import COLOURS, FONTS, INK, LINES

DATA = "shown"  # the name of the rows in a chart
REFERENCE = {"color": INK, "strokeDash": [3, 3]}
# Matplotlib's line styles in Vega-Lite.
DASHES = {
    "-": [1, 0],
    "--": [6, 3],
    ":": [2, 2],
}
_DIGITS = 4  # of a number in a page
# Control characters, halves of a pair and two that are none: an SVG image is XML.
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MOST_STOPS = (
    60  # of a slider over somebody's own numbers: a page holds every one of them
)


def check_drawable(text, name):
    """Raise a ValueError if a text has characters that no image can hold.

    vl-convert ends the process on them.

    Parameters
    ----------
    text : str
    name : str
        The caller's name for it.
    """
    if bad := _NOT_IN_XML.search(text):
        raise ValueError(
            f"{name} must have characters that can be drawn, got {text!a}: leave"
            f" {bad[0]!a} out"
        )


def stops(end):
    """Return where a slider from 1 to `end` stops on a page: everywhere, or ever
    further apart.

    Parameters
    ----------
    end : int

    Returns
    -------
    tuple of int
    """
    if end <= _MOST_STOPS:
        return tuple(range(1, end + 1))
    return tuple(
        np.unique(np.rint(np.geomspace(1, end, _MOST_STOPS)).astype(int)).tolist()
    )


@dataclass(frozen=True)
class View:
    """What an explorer shows at one setting.

    Attributes
    ----------
    rows : pandas.DataFrame
        What the chart draws.
    sentence : str
        What is seen, in words.
    """

    rows: pd.DataFrame
    sentence: str


@dataclass(frozen=True, eq=False)
class Explorer:
    """A figure with controls.

    Attributes
    ----------
    name : str
        Unique on a page; the address of the page keeps the setting under it.
    title : str
        The accessible name of the figure.
    controls : tuple of Control
    show : callable
        From a value for each control to a `View`.
    chart : callable
        Returns an Altair chart of the data named `DATA`.
    """

    name: str
    title: str
    controls: tuple
    show: Any
    chart: Any

    def __post_init__(self):
        _extras.need("explore", "an explorer")

    @property
    def start(self):
        """The setting that it begins with."""
        return {control.name: control.start for control in self.controls}

    def settings(self):
        """Yield every setting of the page, in the order of its data."""
        for values in itertools.product(*(control.values for control in self.controls)):
            yield dict(zip((c.name for c in self.controls), values, strict=True))

    def spec(self, rows=None):
        """Return the Vega-Lite specification, with rows or without.

        Parameters
        ----------
        rows : pandas.DataFrame, optional

        Returns
        -------
        dict
        """
        _load_altair()
        spec = self.chart().configure(**_LOOK).to_dict(validate=False)
        for column in () if rows is None else rows.select_dtypes(exclude="number"):
            for value in rows[column].unique():
                check_drawable(str(value), column)
        records = [] if rows is None else json.loads(rows.to_json(orient="records"))
        return {**spec, "datasets": {DATA: records}}

    def svg(self, **setting):
        """Draw the chart at a setting.

        Parameters
        ----------
        **setting
            A value for each control.

        Returns
        -------
        str
            An SVG image.
        """
        return _draw(self.spec(self.show(**setting).rows))

    def page(self):
        """Return the explorer as HTML that works without a kernel and without a
        network.

        Returns
        -------
        str
            The controls; the starting figure, as wide as a page and as a phone, until a
            control is touched, in print and where no script runs; all other settings as
            data for `explorer.js`.
        """
        view = self.show(**self.start)
        shown = _pack_views([self.show(**setting) for setting in self.settings()])
        spec = _fitted(self.spec(), "container")
        data = json.dumps({"spec": spec, "data": DATA, **shown}, separators=(",", ":"))
        # Else a name may end the script, or open a comment in it.
        data = data.replace("<", "\\u003c")
        image = f'role="img" aria-label="{escape(self.title)}"'
        sentence_id = f"explorer-{self.name}-sentence"
        pictures = "".join(
            self._picture(view.rows, *where) for where in _WIDTHS.items()
        )
        return (
            f'<figure class="explorer" id="explorer-{self.name}"'
            f' data-name="{self.name}">'
            f'<form class="explorer-controls" aria-label="{escape(self.title)}:'
            ' settings" autocomplete="off">'
            f"{''.join(field_of(self.name, control) for control in self.controls)}"
            f'<p class="explorer-buttons"><button'
            f' type="reset">Reset</button></p></form>'
            f'<div {image} aria-describedby="{sentence_id}" hidden>'
            '<div class="explorer-chart" aria-hidden="true"></div></div>'
            '<div class="explorer-start"><div'
            f" {image}>{pictures}</div><p>{escape(view.sentence)}</p></div>"
            f'<p class="explorer-sentence" id="{sentence_id}"'
            f' aria-live="polite">{escape(view.sentence)}</p>'
            f'<script type="application/json">{data}</script></figure>'
        )

    def _picture(self, rows, place, width):
        svg = _draw(_fitted(self.spec(rows), width))
        # The chart's, in a figure of any width.
        height = re.search(r'height="(\d+)"', svg)[1]
        return (
            f'<div class="explorer-{place}" aria-hidden="true" style="min-height:'
            f' {height}px">{svg}</div>'
        )

    def live(self):
        """Return the explorer as widgets of this kernel.

        Returns
        -------
        ipywidgets.VBox
        """
        import ipywidgets

        fields = {control.name: _widget(control) for control in self.controls}
        figure = ipywidgets.HTML()

        def draw(_=None):
            setting = {name: field.value for name, field in fields.items()}
            view = self.show(**setting)
            image = _draw(self.spec(view.rows)).replace(
                "<svg", '<svg style="max-width:100%;height:auto"', 1
            )
            figure.value = (
                f'<div style="max-width:{_WIDTH}"><div role="img"'
                f' aria-label="{escape(self.title)}" '
                f'style="background:#fff;padding:0.5rem">{image}</div><p>{escape(view.sentence)}</p></div>'
            )

        for field in fields.values():
            field.observe(draw, names="value")
        draw()
        return ipywidgets.VBox([*fields.values(), figure])

    def _ipython_display_(self):
        from IPython.display import HTML, display

        display(HTML(self.page()) if os.environ.get("EVALKIT_BOOK") else self.live())


def _fitted(spec, width):
    """Return a specification of a chart that is so wide, with all that is around it."""
    return {
        **spec,
        "width": width,
        "autosize": {"type": "fit-x", "contains": "padding"},
    }


def _draw(spec):
    import vl_convert

    return vl_convert.vegalite_to_svg(spec, vl_version=VEGALITE)


def _widget(control):
    import ipywidgets

    common = {
        "description": control.label,
        "value": control.start,
        "style": {"description_width": "initial"},
        "layout": {"width": _WIDTH, "max_width": "100%"},
    }
    options = [(control.text(value), value) for value in control.values]
    if not control.is_slider:
        # Not a list: JupyterLab takes its arrow keys, and goes to another cell. Here
        # Tab and Space choose.
        # In one line, more are cut off.
        orientation = "horizontal" if len(options) < 4 else "vertical"
        return ipywidgets.RadioButtons(
            options=options, orientation=orientation, **common
        )
    common["continuous_update"] = False
    if isinstance(control.live, range):
        return ipywidgets.IntSlider(min=control.live[0], max=control.live[-1], **common)
    if control.live:
        low, high, step = control.live
        return ipywidgets.FloatSlider(
            min=low, max=high, step=step, readout_format=".3g", **common
        )
    return ipywidgets.SelectionSlider(options=options, **common)


def _load_altair():
    """Import Altair without the grammars of web addresses that its validator compiles
    where it finds them.
    """
    # Two seconds, and no chart needs them.
    known = sys.modules.setdefault("rfc3987_syntax", None)
    importlib.import_module("altair")
    if known is None:
        sys.modules.pop("rfc3987_syntax", None)


def layered(*charts):
    """Lay charts over each other, in the size of all explorers.

    Parameters
    ----------
    *charts : altair charts

    Returns
    -------
    altair.LayerChart
    """
    import altair as alt

    return alt.layer(*charts).properties(width=440, height=240)


def line_styles(column, styles, **channel):
    """Return the colour and the dashes of lines, as in all figures of the book.

    Parameters
    ----------
    column : str
        What tells the lines apart.
    styles : dict of str to str
        From a value of the column to a key of `evalkit.plots.COLOURS`, in the order of
        the legend.
    **channel
        For both of Altair's channels.

    Returns
    -------
    list of altair channels
        For `encode`.
    """
    import altair as alt

    return [
        kind(
            f"{column}:N", scale=alt.Scale(domain=list(styles), range=values), **channel
        )
        for kind, values in (
            (alt.Color, [COLOURS[key] for key in styles.values()]),
            (alt.StrokeDash, [DASHES[LINES[key]] for key in styles.values()]),
        )
    ]


def bars(category, value, title, *, style="one", format="%"):
    """Chart one bar for each row.

    Parameters
    ----------
    category, value : str
        Columns: what a bar stands for, and its length, a share of 1.
    title : str or list of str
        Of the axis of the values, in lines that a phone has room for.
    style : str, default "one"
        A key of `evalkit.plots.COLOURS`.
    format : str, default "%"
        Of the values.

    Returns
    -------
    altair.LayerChart
    """
    import altair as alt

    data = alt.Chart(alt.NamedData(DATA))
    # Tenths at most, however wide the page: of finer ticks the format would show two
    # alike.
    axis = alt.Axis(format=format, tickCount=10)
    length = alt.X(f"{value}:Q", scale=alt.Scale(domain=[0, 1]), title=title, axis=axis)
    place = alt.Y(f"{category}:N", sort=None, title=None, axis=alt.Axis(labelLimit=220))
    return layered(data.mark_bar(color=COLOURS[style]).encode(x=length, y=place))


_WIDTH = "36rem"  # of the live form
# Of the two pictures: what Vega fills on a screen, and on a phone.
_WIDTHS = {
    "wide": 752,
    "narrow": 342,
}

VEGALITE = "6.4"  # that Altair's charts are made for

_LOOK = {
    # As `evalkit._numbers` writes them: 95 % with a no-break space; minus is Vega's
    # own.
    "locale": {
        "number": {
            "decimal": ".",
            "thousands": ",",
            "grouping": [3],
            "currency": ["", ""],
            "percent": "\N{NO-BREAK SPACE}%",
        }
    },
    "background": "transparent",
    "font": FONTS,
    # The figure has one name; a reader of the screen is not led through every mark.
    "aria": (False),
    "view": {"stroke": None},
    "axis": {
        "labelFontSize": 13,
        "titleFontSize": 13,
        "titleFontWeight": "normal",
        "gridColor": "#dddddd",
    },
    "legend": {
        "labelFontSize": 13,
        "titleFontSize": 13,
        "orient": "top",
        "title": None,
    },
}


def _pack_views(views):
    """Store each different column of numbers once."""
    columns = list(views[0].rows.columns)
    arrays, places, rows = [], {}, []
    for view in views:
        if list(view.rows.columns) != columns:
            raise ValueError(
                f"every setting must have the columns {columns}, got"
                f" {list(view.rows.columns)}"
            )
        row = []
        for column in columns:
            values = [round_value(value) for value in view.rows[column]]
            key = json.dumps(values)
            if key not in places:
                places[key] = len(arrays)
                arrays.append(values)
            row.append(places[key])
        rows.append(row)
    sentences = [view.sentence for view in views]
    return {
        "columns": columns,
        "arrays": arrays,
        "states": rows,
        "sentences": sentences,
    }


def round_value(value):
    """Round a number as a page stores it: to four digits.

    Parameters
    ----------
    value : float, int, bool or str

    Returns
    -------
    float, int, bool, str or None
        None where there is no number (NaN).
    """
    if isinstance(value, str):
        return value
    if value != value:
        return None
    if isinstance(value, (bool, int)) or float(value).is_integer():
        return int(value)
    return float(f"{value:.{_DIGITS}g}")
