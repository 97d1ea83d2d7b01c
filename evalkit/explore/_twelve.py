"""Twelve language models: two of them under every way to ask."""

import functools

from evalkit._checks import _show
from evalkit.explore._bits import pack_bits, unpack_bits
from evalkit.explore._controls import Control
from evalkit.explore._drawn import Drawn, ahead
from evalkit.explore._play import Guess, Law, Play, Series

__all__ = ["templates"]

ITEMS = (5, 10, 20, 50, 100, 200, 500, 1000)


def templates(correct=None, *, start=None):
    """Explore templates: two language models answer the same inputs, asked in several
    ways.

    Parameters
    ----------
    correct : dict of str to DataFrame
        By the name of a model: whether it is right, a row for each input and a column
        for each way to ask. The same inputs and ways for all.
    start : tuple of str, optional
        The two models that the figure begins with; otherwise the first two.

    Returns
    -------
    Play
    """
    if not isinstance(correct, dict) or len(correct) < 2:
        raise ValueError(
            "correct must be a dict of two tables or more, by the name of a model, got"
            f" {_show(correct)}"
        )
    first = next(iter(correct.values()))
    for name, table in correct.items():
        if list(table.columns) != list(first.columns) or len(table) != len(first):
            raise ValueError(
                f"correct[{name!r}] must have the rows and columns of the others"
            )
    names = [str(column) for column in first.columns]
    short = names[0].partition(":")[0]
    data = {
        "models": {m: pack_bits(t.to_numpy(bool).T) for m, t in correct.items()},
        "names": names,
    }
    if start is not None and (len(start) != 2 or not {*start} <= {*correct}):
        raise ValueError(
            f"start must be two of the models {', '.join(correct)}, got {start!r}"
        )
    a, b = start or list(correct)[:2]
    controls = (
        Control(
            "items",
            "Answers judged",
            ITEMS,
            20,
            live=(5, 2000, 5),
            text="{:,}".format,
            short="answers",
        ),
        Control("a", "Model A", tuple(correct), a, short="A"),
        Control("b", "Model B", tuple(correct), b, short="B"),
    )
    # A name is short up to its colon.
    series = tuple(Series(n, n, "a", n.partition(":")[0]) for n in names)
    return Play(
        "templates",
        "Two language models, asked in several ways",
        "Let them judge more answers. Who wins? Does it depend on how one asks?",
        "templates",
        controls,
        data,
        {
            "axis": ["accuracy, A minus B, points (ends: and beyond)"],
            "digits": 1,
            "unit": " points",
            "lanes": {name: name for name in names},
            "kinds": {"a": "A ahead", "b": "B ahead", "tie": "neither ahead"},
            "strip": {},
            "tally": ["a"],
            "told": len(names),
            "sentence": (
                "A is {a}, B is {b}. Each test draws {items} answers (with replacement,"
                f" from {len(first):,}), the same for both models and all templates."
                " Ties count for neither."
            ),
        },
        {
            **{"a": "mlp", "b": "lstm", "tie": "dummy"},
            **dict(zip(names, ("one", "two", "four", "three", "dummy"), strict=False)),
        },
        Law(
            "items",
            ("A is ahead, tests in 100",),
            "answers judged",
            ITEMS,
            (0, 100),
            series,
            log=True,
            line=50,
        ),
        Guess(
            f"Guess: with 1,000 answers, how often is A ahead with {short}?",
            1000,
            says=f"With {short} and 1,000 answers {{a}} is ahead in {{truth}} of 100.",
        ),
        functools.partial(_draw, data),
        draws={"Test once": 1, "100 times": 100},
    )


def _draw(data, setting, luck):
    one, other = (
        unpack_bits(data["models"][setting[side]]).astype(int) for side in "ab"
    )
    n = int(setting["items"])
    drawn = luck.places(n, one.shape[1])
    piles = {}
    for name, gaps in zip(data["names"], one - other, strict=True):
        value = 100 * gaps[drawn].sum(axis=1) / n
        piles[name] = (value, ahead(value, kinds=("b", "a")))
    words = {"a": setting["a"], "b": setting["b"]}
    return Drawn(piles, (-41, 41), bins=41, mark=0, words=words)
