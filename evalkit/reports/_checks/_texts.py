"""The texts of items: the same for every system, or different items under one name."""

from evalkit.reports._faults import count, examples, listed, shown
from evalkit.reports._recognition._metrics import tokens

# So called, a text may have the system's own words around it.
_PROMPTS = frozenset({"prompt", "input"})


def check(frame, table, bench):
    """Check that an item is the same for every system."""
    text, name = table.column("text"), table.roles.get("text", "")
    is_prompt = bool(_PROMPTS & {*tokens(name)})
    prompts = text if is_prompt else table.column("prompt")
    if text is not None and not is_prompt and (differ := _differ(frame, text)):
        texts = text[frame["item"] == differ[0]].unique()
        has = (
            f"{count(len(differ), 'item has', 'items have')} another {shown(name)} from"
            " system to system"
        )
        bench.found(
            "texts",
            f"{has}: {examples(differ)}. Of {shown(differ[0])}:"
            f" {listed(map(repr, texts), 2)}.",
            "They are different items under one name: one system may have had the"
            " easier ones.",
            "evaluate all systems on the same items.",
            "--map note=COLUMN, if the column does not hold texts of items.",
        )
        return
    if prompts is not None and (differ := _differ(frame, prompts)):
        of = f"The prompts of {count(len(differ), 'item')} differ"
        bench.say(
            "texts", "note", f"{of}: what is compared is a model with its prompt."
        )
    elif text is None and prompts is None:
        bench.unchecked(
            "texts",
            "No text shows whether a name stands for one item in all systems' answers.",
        )
    else:
        which = [
            name
            for name, own in (("Texts", text), ("prompts", prompts))
            if own is not None
        ]
        bench.fine(
            "texts",
            f"{' and '.join(which).capitalize()} are the same for every system.",
        )


def _differ(frame, texts):
    """Return the items of which the systems have different texts."""
    own = frame[["system", "item"]].assign(text=texts).dropna().drop_duplicates()
    systems = own.groupby("item").system.transform("nunique")
    return (
        own["item"][own.groupby(["item", "text"]).system.transform("nunique") < systems]
        .unique()
        .tolist()
    )
