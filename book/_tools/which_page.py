"""Write the page "Which test do I need?" from `evalkit.which_test`: `python book/_tools/which_page.py`.

The page is committed, so that it can be read and searched like any other; a test says when it is out of date.
"""

from pathlib import Path

from evalkit.which_test import AFTERWARDS, DECISION, SETUP, Way

PAGE = Path(__file__).resolve().parents[1] / "which_test.md"

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
      Which test do I need? Two or three questions lead from what you have (answers, one score per run,
      printed numbers) to a call that runs, with what it says and what it cannot say.
---

% Made by book/_tools/which_page.py from evalkit/which_test.py: change those.

(which-test)=
# Which test do I need?

```{epigraph}
What do you have, and what varies in it?
```

Answer two or three questions, and follow the link. It leads to a call that runs, with what it says, what it
cannot say, and a sentence for your paper. If two answers to the first question apply to you, take the upper
one. In particular, if you have each system's *answers*, begin there, however few the runs: they say more than
any score that was computed from them.

"""

INTRO = """
Whichever way you take, report the difference with its interval first, and then p. A large p means "we cannot
tell", never "they are equal".

(which-data)=
## What the examples run on

Every example runs on this book's own results, which the set-up cell loads: the answers of five MLPs and five
LSTMs that were trained to say which package a summary line comes from; random searches for both networks; and
small systems on nine data sets, and on random splits of one. Where an example uses made-up data, it says so.
In the sentences for your paper, capital letters stand for your numbers.

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
    lines = []
    for answer, following in question.answers.items():
        if isinstance(following, Way):
            lines.append(f"{'  ' * depth}- {{ref}}`{answer} <which-{following.key}>`")
        else:
            lines.append(f"{'  ' * depth}- **{answer}**. {following.text}")
            lines += tree(following, depth + 1)
    return lines


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
    answers, cannot = linked(way.answers), linked(way.cannot)
    return f"""
(which-{way.key})=
## {way.title}

**What varies:** {way.varies}. **Call:** {calls}.

```{{code-cell}} ipython3
{way.example.rstrip()}
```

**It says:** {answers}

**It cannot say:** {cannot}

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
    for way in (*(way for _, way in DECISION.ways()), *AFTERWARDS.values()):
        text = text.replace(f'"{way.title}"', f"{{ref}}`which-{way.key}`")
    return text


def page():
    """Return the page.

    Returns
    -------
    str
    """
    ways = [way for _, way in DECISION.ways()]
    after = [f"- {{ref}}`if {condition} <which-{way.key}>`" for condition, way in AFTERWARDS.items()]
    rows = [
        f"| {way.title[0].lower()}{way.title[1:]} | {way.varies} | "
        f"{{ref}}`{way.calls[0]} <which-{way.key}>`{''.join(f', `{name}`' for name in way.calls[1:])} |"
        for way in (*ways, *AFTERWARDS.values())
    ]
    return "".join(
        [
            HEAD,
            f"**{DECISION.text}**\n\n",
            "\n".join(tree(DECISION)),
            "\n\n**And then?**\n\n",
            "\n".join(after),
            "\n",
            INTRO,
            f"```{{code-cell}} ipython3\n:tags: [hide-input, setup]\n\n{SETUP.rstrip()}\n```\n",
            *map(section, (*ways, *AFTERWARDS.values())),
            TABLE,
            "\n".join(rows),
            "\n",
        ]
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
