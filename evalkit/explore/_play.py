"""Explorers that draw: in the reader's browser, by the same script on a page and in a
notebook.

`games.js` draws and counts, `play.js` shows it. What they say is written here and in
the chapter's module, so that a limit or a sentence stands in one place. A page needs
nothing else: no kernel, no network, no chart library.
"""

import functools
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from evalkit.explore._controls import field as field_of
from evalkit.plots import COLOURS

ASSETS = Path(__file__).with_name("assets")
# In the order in which they are run.
SCRIPTS = (
    "statistics.js",
    "controls.js",
    "games.js",
    "play.js",
)
_HINT = "\u25c7 last draw. Point or use arrows for numbers."
_ALL = "Here it ends, after {draws} draws."
# pixels of the frame in a notebook, until the script makes it as high as what is in it
_HEIGHT = 700
# Of a share: what is said of a guess, by where it lies in the 95 % interval of what was
# drawn.
_JUDGED = {
    "early": "You guessed {guess} in 100: go on to see.",
    "below": "You guessed {guess} in 100: that is too few.",
    "above": "You guessed {guess} in 100: that is too many.",
    "inside": "You guessed {guess} in 100: so far nothing speaks against it.",
}


@dataclass(frozen=True)
class Guess:
    """What a reader is asked before drawing.

    Attributes
    ----------
    question : str
    of : str
        The kind of draw whose share is guessed, in 100; or "mark", for the value that
        the piles are held against.
    ends : tuple of int
        Of the slider.
    says : dict of str to str
        What is said of a guess.
    """

    question: str
    of: str
    ends: tuple = (0, 100)
    says: Mapping = field(default_factory=lambda: _JUDGED)


@dataclass(frozen=True, eq=False)
class Play:
    """An explorer that draws.

    Attributes
    ----------
    name : str
        Unique on a page; the address of the page keeps the setting under it, and the
        seed.
    title : str
        The accessible name of the figure.
    game : str
        Of `games.js`.
    controls : tuple of Control
    data : dict
        What the game draws from.
    words : dict
        `axis`, its title in lines that a phone has room for; `digits` and `unit` of its
        numbers; names of the `lanes`, of the `kinds` of draw and of the rows of the
        `strip`; kinds in the `tally`; a `sentence`.
    colours : dict of str to str
        From a kind of draw that has a colour in the picture to a key of
        `evalkit.plots.COLOURS`.
    guess : Guess, optional
    draws : dict of str to int
        Buttons, and how often each draws.
    seed : int
        Of the draws that a reader sees first.
    """

    name: str
    title: str
    game: str
    controls: tuple
    data: dict
    words: dict
    colours: dict
    guess: Guess | None = None
    draws: Mapping = field(default_factory=lambda: {"Draw one": 1, "Draw 100": 100})
    seed: int = 0

    @property
    def start(self):
        """The setting that it begins with."""
        return {control.name: control.start for control in self.controls}

    def page(self):
        """Return the explorer as HTML that needs the scripts of `SCRIPTS`, and nothing
        else.

        Returns
        -------
        str
        """
        words = {
            "unit": "",
            "hint": _HINT,
            "go": ["Keep going", "Pause"],
            "strip": {},
            "all": _ALL,
            "tally": [],
            **self.words,
        }
        if self.guess:
            words["guess"] = {"of": self.guess.of, **self.guess.says}
        colours = {kind: COLOURS[key] for kind, key in self.colours.items()}
        content = {
            "game": self.game,
            "data": self.data,
            "words": words,
            "colours": colours,
        }
        data = (
            json.dumps(content, separators=(",", ":"))
            .replace("<", "\\u003c")
            .replace(" %", "\\u00a0%")
        )
        draws = "".join(
            '<button type="button" data-act="more"'
            f' data-draws="{n}">{escape(label)}</button>'
            for label, n in self.draws.items()
        )
        title = escape(self.title)
        n_lines = max(1, sum(kind != "tie" for kind in words["tally"])) * len(
            words["lanes"]
        )
        return (
            f'<figure class="play" id="explorer-{self.name}" data-name="{self.name}"'
            f' data-seed="{self.seed}">'
            f'<form class="explorer-controls" aria-label="{title}: settings">'
            f"{''.join(field_of(self.name, control) for control in self.controls)}"
            f"{self._guess_field()}</form>"
            f'<p class="explorer-buttons">{draws}'
            f'<button type="button" data-act="go">{words["go"][0]}</button>'
            '<button type="button" data-act="again">Start again</button></p>'
            f'<div class="play-picture" tabindex="0" role="img" aria-label="{title}" '
            f'style="min-height: {self._height(words)}px"></div>'
            f'<p class="play-readout">{_HINT}</p>'
            f'<ul class="play-tally">{"<li>…</li>" * n_lines}</ul>'
            '<p class="play-sentence"'
            f' aria-live="polite">{escape(self._sentence())}</p>'
            '<p class="play-paper">On its page, with JavaScript, this figure draws'
            " samples.</p>"
            f'<script type="application/json">{data}</script></figure>'
        )

    def _height(self, words):
        """Return how high `play.js` draws the picture, so that nothing moves then (a
        test compares).
        """
        lanes = words["lanes"].values()
        height = 4 + 36 * len(words["strip"]) + 24 + 16 * len(words["axis"])
        if "strip_axis" in words:
            height += 24 + 16 * len(words["strip_axis"])
        if self.game == "intervals":
            return height + 190
        return height + sum(
            (22 if name else 6) + {1: 150, 2: 92, 3: 58}[len(lanes)] for name in lanes
        )

    def _sentence(self):
        """Return the first sentence, without what the script computes."""
        words = {name: str(value) for name, value in self.start.items()}
        return re.sub(
            r"{([\w-]+)}",
            lambda found: words.get(found[1], "…"),
            self.words["sentence"],
        )

    def _guess_field(self):
        if not self.guess:
            return ""
        low, high = self.guess.ends
        name = f"explorer-{self.name}-guess"
        return (
            '<div class="play-guess"><label'
            f' for="{name}">{escape(self.guess.question)}</label><input type="range"'
            f' id="{name}" min="{low}" max="{high}" value="{(low + high) // 2}"><output'
            f' for="{name}">?</output></div>'
        )

    def document(self):
        """Return the explorer as a whole HTML document, for a frame or a file of its
        own.

        Returns
        -------
        str
        """
        scripts = "".join(f"<script>{_asset(name)}</script>" for name in SCRIPTS)
        return (
            '<!doctype html><html lang="en"><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width">'
            f"<title>{escape(self.title)}</title><style>{_asset('play.css')}</style>"
            f"<body>{self.page()}{scripts}</body></html>"
        )

    def live(self):
        """Return the explorer for a notebook: the page's own script, in a frame.

        Returns
        -------
        IPython.display.HTML
        """
        from IPython.display import HTML

        return HTML(
            f'<div style="max-width:48rem"><iframe srcdoc="{escape(self.document())}"'
            f' title="{escape(self.title)}"'
            f' style="width:100%;height:{_HEIGHT}px;border:0"></iframe></div>'
        )

    def _ipython_display_(self):
        from IPython.display import HTML, display

        display(HTML(self.page()) if os.environ.get("EVALKIT_BOOK") else self.live())


@functools.cache
def _asset(name):
    """Return a script or a style that can stand within a document."""
    return (ASSETS / name).read_text(encoding="utf-8").replace("</", "<\\/")
