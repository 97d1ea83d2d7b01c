"""What a reader sets, and its field in the form of a page."""

import json
from dataclasses import dataclass
from html import escape
from typing import Any


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
    live : tuple of float, optional
        In a kernel: the lowest, the highest and the step of what can be set.
    text : callable, default str
        What stands beside the slider at a value.
    typed : bool, default False
        A field for a whole number of a range, instead of a slider.
    short : str, optional
        What it is called beside a value.
    """

    name: str
    label: str
    values: tuple
    start: Any
    live: Any = None
    text: Any = str
    typed: bool = False
    short: str = ""

    def __post_init__(self):
        if self.start not in self.values:
            raise ValueError(
                f"start of {self.name} must be one of {self.values}, got {self.start!r}"
            )

    @property
    def is_slider(self):
        """Whether the values are numbers along a line."""
        return not (self.typed or any(isinstance(value, str) for value in self.values))


def field(figure, control):
    """Return the form's field of a control, as `controls.js` reads it.

    Parameters
    ----------
    figure : str
        The name of the figure that it belongs to.
    control : Control

    Returns
    -------
    str
    """
    name = f"explorer-{figure}-{control.name}"
    label = f'<label for="{name}">{escape(control.label)}</label>'
    if control.typed:
        ends = (
            f'min="{control.values[0]}" max="{control.values[-1]}"'
            f' value="{control.start}"'
        )
        return (
            f'<div>{label}<input type="number" id="{name}" name="{control.name}"'
            f" {ends}></div>"
        )
    start = control.values.index(control.start)
    texts = [control.text(value) for value in control.values]
    if control.is_slider:
        set_by = (
            f'<input type="range" id="{name}" name="{control.name}" min="0"'
            f' max="{len(texts) - 1}" value="{start}"'
            f' aria-valuetext="{escape(texts[start])}"'
            f' data-texts="{escape(json.dumps(texts))}"><output'
            f' for="{name}">{escape(texts[start])}</output>'
        )
    else:
        selected = {start: " selected"}
        options = "".join(
            f"<option value={i}{selected.get(i, '')}>{escape(text)}</option>"
            for i, text in enumerate(texts)
        )
        set_by = f'<select id="{name}" name="{control.name}">{options}</select>'
    values = escape(json.dumps([str(value) for value in control.values]))
    return f'<div data-values="{values}">{label}{set_by}</div>'
