"""The texts of items: the same for every system, and no item under two names."""

import pandas as pd

from evalkit.reports._faults import count, examples, listed, shown
from evalkit.reports._recognition._metrics import tokens

_PROMPTS = frozenset({"prompt", "input"})  # so called, a text may have the system's own words around it


def prompts(frame, table, bench):
    """Check that every system got the same prompts."""
    name = table.roles.get("text", "")
    item, prompt = table.column("item"), table.column("prompt")
    if prompt is not None:
        pairs = pd.DataFrame({"item": item, "prompt": prompt}).drop_duplicates()
        differ = pairs["item"][pairs["item"].duplicated()].nunique()
        same = "The hashes of the prompts are the same for every system."
    elif _PROMPTS & {*tokens(name)}:
        differ, same = len(_differ(frame)), f"{shown(name)} is the same for every system."
    else:
        bench.unchecked("prompt", "The prompts are not in the file.")
        return
    if differ:
        words = f"The prompts of {count(differ, 'item')} differ: what is compared is a model with its prompt."
        bench.say("prompt", "note", words)
    else:
        bench.fine("prompt", same)


def other_text(frame, table, bench):
    """Check that an item is the same for every system; return how many are not."""
    name = table.roles.get("text", "")
    if "text" not in frame or _PROMPTS & {*tokens(name)}:
        words = "No text of an item shows whether one name stands for one item in every system's answers."
        bench.unchecked("other-text", words)
        return 0
    differ = _differ(frame)
    if not differ:
        bench.fine("other-text", f"{shown(name)} is the same for every system.")
        return 0
    texts = frame.text[frame["item"] == differ[0]].unique()
    has = f"{count(len(differ), 'item has', 'items have')} another {shown(name)} from system to system"
    bench.found(
        "other-text",
        f"{has}: {examples(differ)}. Of {shown(differ[0])}: {listed(map(repr, texts), 2)}.",
        "They are different items under one name: one system may have had the easier ones.",
        "evaluate all systems on the same items.",
        "--map note=COLUMN, if the column does not hold texts of items.",
    )
    return len(differ)


def _differ(frame):
    """Return the items of which the systems have different texts."""
    own = frame[["system", "item", "text"]].dropna().drop_duplicates()
    systems = own.groupby("item").system.transform("nunique")
    return own["item"][own.groupby(["item", "text"]).system.transform("nunique") < systems].unique().tolist()


def same_text(frame, bench):
    """Check that no item stands there under two names."""
    if "text" not in frame:
        bench.unchecked("same-text", "The texts of the items are not in the file.")
        return
    pairs = frame[["item", "text"]].dropna().drop_duplicates()
    twice = pairs[pairs.text.duplicated(keep=False)]
    if twice.empty:
        bench.fine("same-text", f"{count(pairs['item'].nunique(), 'item')}, no text twice.")
        return
    first = twice.groupby("text", sort=False)["item"].agg(lambda names: " = ".join(map(shown, names)))
    alike = count(twice["item"].nunique(), "item")
    said = "You said --unit text: copies count as one group." if bench.options.unit == "text" else None
    bench.found(
        "same-text",
        f"{alike} share their text with another: {examples(first)}.",
        "A copy adds no evidence, and makes the interval too short.",
        "--unit text lets the copies of a text count as one.",
        "or take the copies out.",
        decided=said,
    )
