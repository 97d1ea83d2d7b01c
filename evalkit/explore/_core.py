"""What all explorers share: one specification, shown on a static page and in a live kernel.

An explorer is a few controls, a function from their values to rows and a sentence, and a chart of the
rows. On a page every setting is computed while the book is built, and a script looks it up: no kernel,
no network. In a kernel the same function is called for any setting, and for the reader's own scores.

The chart is Vega-Lite, made with Altair; vl-convert draws it without a browser. Both, and ipywidgets,
are imported where they are used.
"""

import itertools
import json
import os
from dataclasses import dataclass
from html import escape
from typing import Any

import pandas as pd

DATA = "shown"  # the name of the rows in a chart
_DIGITS = 4


@dataclass(frozen=True)
class Control:
    """One thing that a reader sets.

    Attributes
    ----------
    name : str
        The argument it sets.
    label : str
    values : tuple
        In order; numbers make a slider, words a list.
    start : object
        One of the values.
    """

    name: str
    label: str
    values: tuple
    start: Any

    def __post_init__(self):
        if self.start not in self.values:
            raise ValueError(f"start of {self.name} must be one of {self.values}, got {self.start!r}")

    @property
    def is_slider(self):
        """Whether the values are numbers."""
        return not any(isinstance(value, str) for value in self.values)


@dataclass(frozen=True)
class Shown:
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
        From a value for each control to `Shown`.
    chart : callable
        Returns an Altair chart of the data named `DATA`.
    """

    name: str
    title: str
    controls: tuple
    show: Any
    chart: Any

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
        spec = self.chart().configure(**_LOOK).to_dict(validate=False)
        spec.pop("datasets", None)
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
        import vl_convert

        return vl_convert.vegalite_to_svg(self.spec(self.show(**setting).rows), vl_version=VEGALITE)

    def page(self):
        """Return the explorer as HTML that works without a kernel and without a network.

        Returns
        -------
        str
            The starting figure, for print and where no script runs; the controls; all other settings
            as data for `explorer.js`.
        """
        shown = self.show(**self.start)
        data = json.dumps(
            {"spec": self.spec(), "data": DATA, **_packed([self.show(**s) for s in self.settings()])},
            separators=(",", ":"),
        ).replace("</", "<\\/")
        return (
            f'<figure class="explorer" id="explorer-{self.name}" data-name="{self.name}">'
            f'<form class="explorer-controls" hidden>{"".join(map(self._field, self.controls))}'
            '<button type="reset">Reset</button></form>'
            f'<div class="explorer-chart" role="img" aria-label="{escape(self.title)}" hidden></div>'
            '<p class="explorer-sentence" aria-live="polite" hidden></p>'
            f'<div class="explorer-start"><div role="img" aria-label="{escape(self.title)}">'
            f"{self.svg(**self.start)}</div><p>{escape(shown.sentence)}</p></div>"
            f'<script type="application/json">{data}</script></figure>'
        )

    def _field(self, control):
        name = f"explorer-{self.name}-{control.name}"
        start = control.values.index(control.start)
        if control.is_slider:
            texts = escape(json.dumps([str(value) for value in control.values]))
            field = (
                f'<input type="range" id="{name}" name="{control.name}" min="0" max="{len(control.values) - 1}" '
                f'value="{start}" aria-valuetext="{control.start}" data-texts="{texts}">'
                f'<output for="{name}">{control.start}</output>'
            )
        else:
            options = "".join(
                f"<option value={i}{' selected' * (i == start)}>{escape(str(value))}</option>"
                for i, value in enumerate(control.values)
            )
            field = f'<select id="{name}" name="{control.name}">{options}</select>'
        return f'<div><label for="{name}">{escape(control.label)}</label>{field}</div>'

    def live(self):
        """Return the explorer as widgets of this kernel.

        Returns
        -------
        ipywidgets.VBox
        """
        import ipywidgets

        style = {"description_width": "initial"}
        fields = {}
        for control in self.controls:
            kind = ipywidgets.SelectionSlider if control.is_slider else ipywidgets.Dropdown
            fields[control.name] = kind(
                options=[(str(value), value) for value in control.values], value=control.start,
                description=control.label, style=style, layout={"width": "30rem", "max_width": "100%"},
            )  # fmt: skip
        figure = ipywidgets.HTML()

        def draw(_=None):
            setting = {name: field.value for name, field in fields.items()}
            sentence = escape(self.show(**setting).sentence)
            figure.value = f'<div style="background:#fff">{self.svg(**setting)}</div><p>{sentence}</p>'

        for field in fields.values():
            field.observe(draw, names="value")
        draw()
        return ipywidgets.VBox([*fields.values(), figure])

    def _ipython_display_(self):
        from IPython.display import HTML, display

        display(HTML(self.page()) if os.environ.get("EVALKIT_BOOK") else self.live())


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

    return alt.layer(*charts).properties(width=440, height=260)


VEGALITE = "6.4"  # that Altair's charts are made for

_LOOK = {
    "background": "transparent",
    "font": "sans-serif",
    "aria": False,  # the figure has one name; a reader of the screen is not led through every mark
    "view": {"stroke": None},
    "axis": {"labelFontSize": 13, "titleFontSize": 13, "titleFontWeight": "normal", "gridColor": "#dddddd"},
    "legend": {"labelFontSize": 13, "titleFontSize": 13, "orient": "top", "title": None},
}


def _packed(states):
    """Store each different column of numbers once."""
    columns = list(states[0].rows.columns)
    arrays, places, rows = [], {}, []
    for state in states:
        if list(state.rows.columns) != columns:
            raise ValueError(f"every setting must have the columns {columns}, one has {list(state.rows.columns)}")
        row = []
        for column in columns:
            values = [rounded(value) for value in state.rows[column]]
            key = json.dumps(values)
            if key not in places:
                places[key] = len(arrays)
                arrays.append(values)
            row.append(places[key])
        rows.append(row)
    sentences = [state.sentence for state in states]
    return {"columns": columns, "arrays": arrays, "states": rows, "sentences": sentences}


def rounded(value):
    """Round a number as a page stores it: to four digits.

    Parameters
    ----------
    value : float, int, bool or str

    Returns
    -------
    float, int, bool or str
    """
    if isinstance(value, str) or value is None:
        return value
    if isinstance(value, (bool, int)) or float(value).is_integer():
        return int(value)
    return float(f"{value:.{_DIGITS}g}")
