"""Explorers: a figure that draws, and keeps what was tried.

On a page the reader's browser draws: `games.js` draws and counts, `picture.js` and
`play.js` show it. In a live kernel a form of ipywidgets does, by evalkit, at any value
and with a reader's own scores. Both draw the same from the same seed, and both take
their words from here. What a page shows before its script runs, and on paper, is the
picture of the setting that it begins with.
"""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from evalkit import _extras
from evalkit.explore._controls import field as field_of
from evalkit.explore._drawn import come_to
from evalkit.explore._luck import Luck
from evalkit.plots import COLOURS

ASSETS = Path(__file__).with_name("assets")
# In the order in which they are run.
SCRIPTS = ("statistics.js", "controls.js", "games.js", "picture.js", "play.js")
LONG = 2000  # draws at each place of a curve that has no formula
LONG_SEED = 1_000_001
_AT_ONCE = 200  # draws whose numbers are held in memory
_HINT = (
    "\N{WHITE DIAMOND} last draw. {mean}Pale: other settings. In brackets: 95 %, for"
    " more such draws. Point, tap or use arrow keys for numbers."
)
_DRAWN = "The curve is of 2,000 draws at each place."


@dataclass(frozen=True)
class Series:
    """One thing that the chart of tries shows of each setting.

    Attributes
    ----------
    key : str
    lane : str
        The pile that it is counted in.
    kind : str, optional
        The kind of draw whose share it is, in 100; without one it is the pile's mean.
    label : str
    """

    key: str
    lane: str
    kind: str | None = None
    label: str = ""


@dataclass(frozen=True)
class Law:
    """The chart of what was tried: the result against what the chapter turns on.

    Attributes
    ----------
    x : str, optional
        The control along the chart. Without one the game says where a setting stands.
    title : list of str
        What is shown, in lines that a phone has room for.
    x_title : str
    stops : tuple of float
        Where the curve is computed.
    range : tuple of float
        Of the axis upwards.
    series : tuple of Series
    by : str, optional
        A control whose values have a colour each.
    by_names : tuple of str
        What these are called here.
    log : bool
        Whether the axis along is logarithmic.
    line : float, optional
        What was promised.
    free : tuple of str
        Without `x`: the controls that the chart runs along.
    colours : tuple of str
        Of what the chart tells apart, keys of `evalkit.plots.COLOURS`.
    """

    x: str | None
    title: tuple
    x_title: str
    stops: tuple
    range: tuple
    series: tuple
    by: str | None = None
    by_names: tuple = ()
    log: bool = False
    line: float | None = None
    free: tuple = ()
    colours: tuple = ("one", "two", "four", "three", "dummy")


@dataclass(frozen=True)
class Guess:
    """What a reader is asked before the curve is shown.

    Attributes
    ----------
    question : str
    at : float
        Where on the chart.
    ends : tuple of float
        Of the slider.
    series : str
    step : float
    says : str
        What the curve comes to there, with a place for `truth`.
    group : int, optional
        Of a game without a control along the chart: of what the guess is.
    elsewhere : str
        What is said of another.
    """

    question: str
    at: float
    ends: tuple = (0, 100)
    series: str = ""
    step: float = 1
    says: str = "It comes to {truth}."
    group: int | None = None
    elsewhere: str = ""

    @property
    def digits(self):
        """Decimals of what is said."""
        return 0 if self.step >= 1 else 1 if self.step >= 0.1 else 2


@dataclass(frozen=True, eq=False)
class Play:
    """An explorer.

    Attributes
    ----------
    name : str
        Unique on a page; the address of the page keeps under it the setting, the seed
        and what was tried.
    title : str
        The accessible name of the figure.
    ask : str
        What to do, in one line.
    game : str
        Of `games.js`.
    controls : tuple of Control
    data : dict
        What the game draws from.
    words : dict
        `axis`, its title in lines that a phone has room for; `digits` and `unit` of its
        numbers; names of the `lanes`, of the `kinds` of draw and of the rows of the
        `strip`; kinds in the `tally` and how many lines are `told`; a `sentence`. If
        need be `notes` on settings, counts to `drag`, and names of `cells`.
    colours : dict of str to str
        From a kind of draw that has a colour in the picture, and from a lane that has
        one in the tally, to a key of `evalkit.plots.COLOURS`.
    law : Law
    guess : Guess
    draw : callable
        The game in Python: from a setting and a `Luck` to a `Drawn`.
    exact : callable, optional
        From a setting to what more and more draws come to, by series; to None where no
        formula says.
    stands, path : callable, optional
        If no control is along the chart: from a setting to its place there, and to the
        settings of its curve, each with its place.
    draws : dict of str to int
        Buttons, and how often each draws.
    begin : int
        Draws that a reader sees first.
    seed : int
        Of these.
    """

    name: str
    title: str
    ask: str
    game: str
    controls: tuple
    data: dict
    words: dict
    colours: dict
    law: Law
    guess: Guess
    draw: Any
    exact: Any = None
    stands: Any = None
    path: Any = None
    draws: Mapping = field(default_factory=lambda: {"Draw one": 1, "Draw 100": 100})
    begin: int = 100
    seed: int = 0

    def __post_init__(self):
        _extras.need("explore", "an explorer")

    @property
    def start(self):
        """The setting that it begins with."""
        return {control.name: control.start for control in self.controls}

    def drawn(self, setting=None, *, seed=None, draws=None):
        """Return what is drawn at a setting.

        Parameters
        ----------
        setting : dict, optional
            A value for each control; otherwise that which it begins with.
        seed : int, optional
        draws : int, optional

        Returns
        -------
        Drawn
        """
        seed = self.seed if seed is None else seed
        return self.draw(setting or self.start, Luck(seed, draws or self.begin))

    def point(self, setting, *, seed=None, draws=None):
        """Return what a setting has come to after some draws.

        Returns
        -------
        dict of str to tuple of float
            By series: a share in 100 or a mean, and the ends of 95 % for more draws.
        """
        return come_to(self.drawn(setting, seed=seed, draws=draws), self.law.series)

    def place(self, setting):
        """Return where a setting stands along the chart."""
        if self.law.x:
            return setting[self.law.x]
        return self.stands(setting)

    def curve(self, setting):
        """Return what more and more draws come to along the chart.

        Parameters
        ----------
        setting : dict
            Of the other controls.

        Returns
        -------
        list of tuple
            Places, and what each comes to by series: by formula, or in 2,000 draws.
        """
        if self.law.x:
            along = [(x, {**setting, self.law.x: x}) for x in self.law.stops]
        else:
            along = self.path(setting)
        return [(x, self._in_the_end(of)) for x, of in along]

    def _in_the_end(self, setting):
        if self.exact and (found := self.exact(setting)):
            return found
        piles = {}
        for first in range(1, LONG + 1, _AT_ONCE):
            drawn = self.draw(setting, Luck(LONG_SEED, _AT_ONCE, first))
            for key, parts in drawn.piles.items():
                piles.setdefault(key, []).append(parts)
        joined = {
            key: tuple(np.concatenate(part) for part in zip(*parts, strict=True))
            for key, parts in piles.items()
        }
        ends = type(drawn)(joined, drawn.axis)
        return {key: found[0] for key, found in come_to(ends, self.law.series).items()}

    def told(self, ends):
        """Return what a setting has come to, in words.

        Parameters
        ----------
        ends : dict of str to tuple of float
            As `point` returns it.

        Returns
        -------
        str
        """
        form = "{} {:.4g} ({:.4g} to {:.4g})"
        shown = [one for one in self.law.series if one.key in ends]
        each = [form.format(one.label, *ends[one.key]).strip() for one in shown]
        return f"{' '.join(self.law.title)}: {'; '.join(each)}."

    def sentence(self, setting, drawn):
        """Return what is seen at a setting, in words.

        Parameters
        ----------
        setting : dict
        drawn : Drawn

        Returns
        -------
        str
        """
        texts = {c.name: c.text(setting[c.name]) for c in self.controls}
        words = {**texts, **drawn.words}
        parts = [_fill(self.words["sentence"], words)]
        if drawn.note:
            parts.append(self.words["notes"][drawn.note])
        return " ".join(parts)

    def page(self):
        """Return the explorer as HTML that needs the scripts of `SCRIPTS`, and nothing
        else.

        Returns
        -------
        str
        """
        from evalkit.explore._picture import chart_of, picture_of

        drawn = self.drawn()
        mean = "\N{BLACK CIRCLE} mean. " if self.words.get("means") else ""
        hint = self.words.get("hint", _HINT.format(mean=mean))
        title, law, guess = escape(self.title), self.law, self.guess
        marks = len(law.series) if len(law.series) > 1 else len(law.by_names) or 1
        content = {
            "game": self.game,
            "title": self.title,
            "data": self.data,
            "words": {
                "unit": "",
                "tally": [],
                "short": {c.name: c.short or c.label for c in self.controls},
                **self.words,
                "hint": hint,
            },
            "colours": {kind: COLOURS[key] for kind, key in self.colours.items()},
            "law": {
                **{name: getattr(law, name) for name in law.__dataclass_fields__},
                "series": [vars(one) for one in law.series],
                "colours": [COLOURS[key] for key in law.colours[:marks]],
                "ticks": law.stops,
            },
            "guess": {
                "at": guess.at,
                "series": guess.series or law.series[0].key,
                "digits": guess.digits,
                "says": guess.says,
                "group": guess.group,
                "elsewhere": guess.elsewhere,
                "drawn": _DRAWN,
            },
        }
        data = (
            json.dumps(content, separators=(",", ":"))
            .replace("<", "\\u003c")
            .replace(" %", "\\u00a0%")
        )
        point = (self.place(self.start), come_to(drawn, law.series))
        picture = picture_of(self, drawn, svg=True)
        chart = chart_of(self, [(self.start, *point)], svg=True)
        draws = "".join(
            f'<button type="button" data-act="more" data-draws="{n}">'
            f"{escape(label)}</button>"
            for label, n in self.draws.items()
        )
        fields = "".join(field_of(self.name, control) for control in self.controls)
        name = f"explorer-{self.name}-guess"
        low, high = guess.ends
        sentence, told = self.sentence(self.start, drawn), self.words.get("told", 1)
        seen = escape(f"{self.title}. {sentence}"), escape(self.told(point[1]))
        # Lines that are kept free, for the longest that may stand there.
        longest = len(sentence) + max(
            map(len, self.words.get("notes", {"": ""}).values())
        )
        wide, narrow = (-(-(longest + 20) // width) for width in (84, 36))
        names = [*self.words["lanes"].values(), *self.words["kinds"].values()]
        verdict = max(2, len(self.law.series))  # which names the curves, if several
        told_narrow = told * (2 if max(map(len, names)) > 14 else 1)
        return (
            f'<figure class="play" id="explorer-{self.name}" data-name="{self.name}"'
            f' data-seed="{self.seed}" data-draws="{self.begin}"'
            f' style="--lines: {told}; --narrow-lines: {told_narrow};'
            f' --wide: {wide}; --narrow: {narrow}; --verdict: {verdict}">'
            f'<p class="play-ask">{escape(self.ask)}</p>'
            f'<div class="play-picture" tabindex="0" role="img"'
            f' aria-label="{seen[0]}">{picture}</div>'
            '<div class="play-law" tabindex="0" role="img"'
            f' aria-label="{seen[1]}">{chart}</div>'
            f'<form class="play-controls" aria-label="{title}: settings">'
            f"{fields}</form>"
            f'<p class="play-buttons">{draws}'
            '<button type="button" data-act="again">New luck</button></p>'
            f'<div class="play-guess"><label for="{name}">{escape(guess.question)}'
            f'</label><input type="range" id="{name}" min="{low}" max="{high}"'
            f' step="{guess.step}" value="{(low + high) / 2:g}">'
            f'<output for="{name}">?</output>'
            '<p class="play-buttons"><button type="button" data-act="reveal"'
            ' aria-pressed="false">Show the curve</button>'
            '<button type="button" data-act="clear">Clear points</button></p></div>'
            f'<p class="play-readout" aria-live="polite">{hint}</p>'
            '<ul class="play-tally"></ul>'
            '<p class="play-verdict" aria-live="polite"></p>'
            f'<p class="play-sentence" aria-live="polite">{escape(sentence)}</p>'
            f'<script type="application/json">{data}</script></figure>'
        )

    def _repr_mimebundle_(self, **_):
        from evalkit.explore._picture import picture_of

        return {"image/png": picture_of(self, self.drawn()), "text/plain": self.title}

    def _ipython_display_(self):
        from IPython.display import HTML, display

        if os.environ.get("EVALKIT_BOOK"):
            display(HTML(self.page()))
            return
        from evalkit.explore._form import form

        # The picture is there for who only reads the notebook.
        view = form(self)._repr_mimebundle_()
        display({**self._repr_mimebundle_(), **view}, raw=True)


def _fill(template, words):
    return re.sub(r"{([\w-]+)}", lambda found: str(words[found[1]]), template)
