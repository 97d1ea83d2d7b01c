"""Write the page "Which test do I need?" from `evalkit.decision`: `python
book/_tools/which_page.py`.

Without it the page and the program give different advice. The page is committed, so
that it can be read and searched like any other; a test says when it is out of date.
"""

import re
import sys
from pathlib import Path
from pprint import pformat

from evalkit.decision import AFTERWARDS, DECISION, Question

sys.path.insert(0, str(Path(__file__).parent))
from book_which_form import ENDS

PAGE = Path(__file__).resolve().parents[1] / "which_test.md"

# The examples run on what the laboratory recorded.
SETUP = '''\
import numpy as np
import pandas as pd

import evalkit as ek
from lab.data import boards, datasets
from lab.experiments.pools import unpack_predictions
from lab.record import tables

items = tables.load_recorded("pools", "test_items")
seeds = tables.load_recorded("pools", "seeds")
search = tables.load_recorded("pools", "search")
splits = tables.load_recorded("resplits", "splits")
nine = tables.load_recorded("nine_datasets", "scores")
nine = nine.pivot_table("accuracy", "dataset", "system")  # mean of ten runs
gold = items.package.map(datasets.PACKAGES.index).to_numpy()
mistakes = boards.realmistake()
problems, solved = boards.livecodebench("generation")


def predictions(system):
    """The answers of the networks of one kind: a row for each."""
    packed = seeds.test_predictions[seeds.system == system]
    return np.array([unpack_predictions(p, len(gold)) for p in packed])


says_mlp, says_lstm = predictions("mlp"), predictions("lstm")
right_mlp, right_lstm = says_mlp == gold, says_lstm == gold
'''

# How often an end errs, in `lab.experiments.ends`: the situations there, its way, and
# the usual one with its words.
TRIED = {
    "separate": (
        ["separate answers"],
        "proportion_difference",
        {"standard error": "The usual standard error"},
    ),
    "separate-scores": (
        ["separate scores"],
        "difference_interval",
        {"t of equal spread": "A t-test that takes the spreads for equal"},
    ),
    "separate-groups": (
        ["separate groups"],
        "difference_interval of group means",
        {"items as independent": "Items that were taken for independent"},
    ),
    "separate-sums": (["separate groups"], "ratio_difference", {}),
    **dict.fromkeys(
        ("ordered", "times-ordered"),
        (
            ["in time"],
            "group_interval of time_blocks",
            {"as independent": "Scores that were taken for independent"},
        ),
    ),
    "related": (
        ["families"],
        "crossed_difference with groups",
        {"without": "Without the families it"},
    ),
    "times": (["quantiles, separate"], "difference_interval", {}),
    "times-paired": (["quantiles, paired"], "difference_interval", {}),
    "game-pairs": (
        ["games"],
        "group_interval of openings",
        {"games as independent": "Games that were counted one by one"},
    ),
    "metrics": (
        ["several metrics"],
        "holm",
        {"the best of them": "The metric that came out best"},
    ),
    "early": (
        ["looks at answers", "looks at runs"],
        "spending_bounds",
        {"p <= 0.05 at each look": "Stopping as soon as p was below 0.05"},
    ),
}
COUNTED = f"""
```{{code-cell}} ipython3
:tags: [remove-cell]

from lab.pages import keep

# Where most samples were refused there is too little to count.
missed = tables.load_recorded("ends", "missed").query("2 * refused <= samples")
tried = {pformat(TRIED, width=76, sort_dicts=False)}
for key, (situations, way, usual) in tried.items():
    of = missed[missed.situation.isin(situations)].groupby("way").share
    low, high = 100 * of.min(), 100 * of.max()
    keep(**{{f"tried_{{key}}": f"{{low[way]:.1f}} to {{high[way]:.1f}}"}})
    keep(**{{f"usual_{{key}}": float(high[name]) for name in usual}})
```
"""

# Words that the glossary explains, each with its entry there.
TERMS = {
    word: word
    for word in (
        "bootstrap",
        "budget",
        "CR2",
        "fold",
        "module",
        "p-value",
        "power",
        "seed",
    )
}
TERMS |= {
    "Welch's t": "Welch's t",
    "Holm": "Holm's method",
    "interval": "confidence interval",
}

# Words that people search by, where they stand in no title.
INDEX = {
    "bar": "rule of three, no failures, zero failures",
    "early": "peeking, SPRT",
    "preferences": "votes, win rate, side by side",
    "separate": "A/B test, conversion rate",
    "separate-sums": "click-through rate, delta method, ratio metric",
    "times": "latency, p95, p99",
}

HEAD = """\
---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
    format_version: 0.13
    jupytext_version: 1.19.6
kernelspec:
  display_name: Python 3
  language: python
  name: python3
myst:
  html_meta:
    description: >-
      Which test do I need? A few questions lead from what you have (answers, runs, counts, printed numbers) to a
      test. Type or paste your numbers: an interval, a sentence to copy, and what it cannot say.
---

% Made by book/_tools/which_page.py from evalkit/decision.py: change those.

(which-test)=
# Which test do I need?

```{epigraph}
What do you have, and what varies in it?
```

Say what you have. At most four questions lead to a test, and one more asks how many looks were taken. You get
the call in Python, what it says, what it cannot say, and a sentence for your paper. Where printed numbers, counts
or scores are enough, this page computes the answer from what you type or paste, and nothing of it leaves the page.

If two answers apply to you, take the upper one. In particular, if you have each system's *answers* to one set of
test items, begin there, however few the runs: they say more than any score that was computed from them. For the
folds of a cross-validation, whose models are tested on different items, take *one score for each run*; and where
scores follow each other in time, *ordered in time*.

"""

# Each end once, in the order in which it is first come to.
WAYS = list(
    {
        way.key: way for asked in (DECISION, AFTERWARDS) for _, way in asked.ways()
    }.values()
)

# Where a script asks the questions one after another (book_which_form.py), and the list
# of all of them.
ASKED = """\
```{raw} html
THE-FORM-OF-THIS-PAGE
<details class="fold which-test-list" open><summary>All questions and answers at once</summary>
```

"""

LISTED = """

```{raw} html
</details>
```
"""

INTRO = """
Whichever way you take, report the difference with its {term}`interval <confidence interval>` first, and then
the {term}`p-value`, here called p. A large p means "we cannot tell", never "they are equal".

(which-data)=
## What the examples run on

Every example runs on this book's own results, which the set-up cell loads: the answers of a hundred
{term}`MLPs <MLP>` and a hundred {term}`LSTMs <LSTM>` that were trained to say which package a summary line
comes from (the {term}`docstring task`); random searches for both networks; and small systems on nine data
sets, and on random splits of one. Others use what {doc}`twelve_models` said of answers, and problems of
LiveCodeBench and GPQA. In the sentences for your paper, A, B and C are systems, and other capital letters stand
for your numbers.

"""

IN_PYTHON = """
(which-in-python)=
## The same in Python

`which_test` asks the same questions, and says the same at each end. Its answers have short names:

```{code-cell} ipython3
print(ek.which_test("answers separate"))
```

`ek.which_test("answers separate right")` prints the end, and one more name says how many looks were taken.

"""

TABLE = """
(which-table)=
## All of it in one table

| you have | what varies | call |
|---|---|---|
"""


def tree(question, depth=0):
    """Return the question as lines of a nested list.

    Parameters
    ----------
    question : Question
    depth : int, default 0

    Returns
    -------
    list of str
    """
    branches = []
    for said, following in question.answers.values():
        if isinstance(following, Question):
            branches.append(f"{'  ' * depth}- **{said}**. {following.text}")
            branches += tree(following, depth + 1)
        elif following:
            branches.append(f"{'  ' * depth}- {{ref}}`{said} <which-{following.key}>`")
    return branches


def section(way):
    """Return the section of one way.

    Parameters
    ----------
    way : Way

    Returns
    -------
    str
    """
    calls = ", ".join(f"`{name}`" for name in way.calls)
    said = f"**It says:** {way.answers}\n\n**It cannot say:** {way.cannot}"
    if way.key in TRIED:
        said += (
            "\n\n**Tried:** with a known truth, it was wrong in"
            f" {{glue:text}}`tried_{way.key}` % of samples, where 5 % is meant."
        )
        for words in TRIED[way.key][2].values():
            said += f" {words} was wrong in up to {{glue:text}}`usual_{way.key}:.0f` %."
    # A block that is no paragraph: the form shows the paragraphs of this section.
    here = f"""
```{{raw}} html
<div class="which-test-here"><a href="?answer={way.key}">Type or paste your numbers</a></div>
```
"""
    words = (
        f"""
```{{index}} {INDEX[way.key]}
```
"""
        if way.key in INDEX
        else ""
    )
    return f"""{words}
(which-{way.key})=
## {way.title}
{here if way.key in ENDS else ""}
**What varies:** {way.varies}. **Call:** {calls}.

```{{code-cell}} ipython3
{way.data}
{way.call.rstrip()}
```

{explained(linked(said))}

**Write:** "{way.write}" More: {{ref}}`{way.section}`.
"""


def linked(text):
    """Return a text in which the titles of other ways are links.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
    """
    for way in WAYS:
        text = text.replace(f'"{way.title}"', f"{{ref}}`which-{way.key}`")
    return text


def explained(text):
    """Return a text in which the first of each word that the glossary explains is a
    link to it.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
    """
    seen = set()

    def link(match):
        word = match["word"]
        if word is None or word in seen:  # code, or explained before
            return match[0]
        seen.add(word)
        shown, entry = word + match["plural"], TERMS[word]
        return (
            f"{{term}}`{entry}`" if shown == entry else f"{{term}}`{shown} <{entry}>`"
        )

    return re.sub(rf"`[^`]*`|\b(?P<word>{'|'.join(TERMS)})(?P<plural>s?)\b", link, text)


def page():
    """Return the page.

    Returns
    -------
    str
    """
    rows = [
        f"| {way.title[0].lower()}{way.title[1:]} | {way.varies} |"
        f" {{ref}}`{way.calls[0]}"
        f" <which-{way.key}>`{''.join(f', `{name}`' for name in way.calls[1:])} |"
        for way in WAYS
    ]
    return "".join(
        [
            HEAD,
            ASKED,
            f"**{DECISION.text}**\n\n",
            "\n".join(tree(DECISION)),
            f"\n\n**{AFTERWARDS.text}**\n\n",
            "\n".join(tree(AFTERWARDS)),
            LISTED,
            INTRO,
            (
                "```{code-cell} ipython3\n:tags: [hide-input,"
                f" setup]\n\n{SETUP.rstrip()}\n```\n"
            ),
            *map(section, WAYS),
            COUNTED,
            IN_PYTHON,
            TABLE,
            "\n".join(rows),
            "\n",
        ]
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
