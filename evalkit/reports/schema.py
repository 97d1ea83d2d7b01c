"""The schema: the names by which columns are known, and what must be in them for the
names to count.

A table in this shape is read without a question:

- one row a run, an answer to an item, or a score on a fold or a data set, of one
  system;
- a column `system`, or one file a system;
- the scores in a column that is called as its metric (`accuracy`, `test_loss`, ...),
  with `val_...` and `test_...` for the parts of the data; or `prediction` and `label`;
- what tells the rows of a system apart: `seed`, `split`, `fold`, `trial`, `item`,
  `dataset`, `rater` or `repeat`;
- `setting` or `setting_...` for what was set, `note` or `note_...` for what may be
  overlooked.

`ROLES` has the rest. A name counts in any case, with spaces or hyphens for underscores.
What it does not name is asked.
"""

import re

from evalkit.reports._recognition._metrics import PARTS

SEVERAL = ("group", "setting", "note")  # roles that more than one column may have
_DOCUMENTS = (
    "doc", "article", "passage", "paragraph", "context", "story", "source", "topic", "cluster", "module",
    "session", "conversation", "dialogue", "dialog",
)  # fmt: skip
# By role: its names, the documented one first, and what is said of it.
ROLES = {
    "system": (("system", "model", "method"), "what is compared: one spelling each"),
    "seed": (("seed", "random_seed", "random_state"), "of a training run: a whole number, or a word"),
    "split": (("split",), "the number of a random split; or train, validation and test"),
    "fold": (("fold",), "of a cross-validation"),
    "trial": (("trial", "trial_number", "trial_id"), "the number of a trial of a search"),
    "run": (("run", "run_id", "run_uuid"), "the name of a training run"),
    "item": (
        (
            "item", "item_id", "id", "idx", "doc_id", "example_id", "question_id", "utt_id", "sample_id",
            "guid",
        ),
        "what every system answers: never the number of a row",
    ),
    "label": (("label", "gold", "target", "y_true"), "the right answer to an item"),
    "prediction": (("prediction", "pred", "predicted", "y_pred"), "what a system says of an item"),
    "correct": (("correct", "is_correct"), "whether it is right: 0 or 1"),
    "rater": (("rater", "annotator", "judge"), "who scored an answer"),
    "repeat": (("repeat", "attempt"), "the number of an answer to one item"),
    "dataset": (("dataset", "data_set", "task"), "on which a system was scored"),
    "group": (
        ("group", "document", "speaker", "author", "family", "patient", "user", "subject", *_DOCUMENTS),
        "items that belong together",
    ),
    "numerator": (("numerator",), "of a rate over all items: errors"),
    "denominator": (("denominator",), "of that rate: words"),
    "size": (("size",), "of a model or of its data, where sizes are compared in their order"),
    "status": (("status", "state"), "how a run ended: finished, crashed, pruned, running"),
    "step": (("step", "epoch", "global_step"), "of a run that wrote several rows"),
    "part": (("part",), "train, validation or test"),
    "text": (("text", "prompt", "input", "question"), "of an item"),
    "cost": (("seconds", "cost", "runtime", "duration"), "of a run"),
    "filter": (("filter",), "by which an answer was read"),
    "validation": ((), "the score that chose"),
    "setting": (("setting",), "what was set"),
    "note": (
        (
            "note", "notes", "comment", "date", "timestamp", "created", "host", "hostname", "commit",
            "code", "gpu", "device", "url", "path", "notebook",
        ),
        "what may be overlooked",
    ),
}  # fmt: skip
_PREFIXES = {
    "setting": ("setting_", "param_", "params_", "params.", "config/", "config."),
    "note": ("note_", "tags.mlflow."),
}
_ROLE_OF = {
    name + end: "group"
    for name in ROLES["group"][0]
    for end in ("", "_id", "id", "_no", "no")
}
_ROLE_OF |= {name: role for role, (names, _) in ROLES.items() for name in names}

ENDED = frozenset(
    ["finished", "done", "complete", "completed", "success", "succeeded", "ok"]
)
FAILED = frozenset(
    [
        "crashed",
        "failed",
        "fail",
        "failure",
        "error",
        "killed",
        "preempted",
        "diverged",
        "oom",
        "timeout",
    ]
) | {"pruned"}
UNFINISHED = frozenset(
    ["running", "pending", "scheduled", "waiting", "queued", "unfinished", "started"]
)
_PARTS = frozenset().union(*PARTS.values())
_WHOLE = frozenset(
    [
        "seed",
        "split",
        "fold",
        "trial",
        "run",
        "item",
        "repeat",
        "step",
        "system",
        "rater",
        "dataset",
        "group",
    ]
)
_TASKS = 50  # of more, each is an item: a problem that is solved or not
_PART = r"(fold|split|seed|run|rep|repeat|resample|bootstrap)[ _-]?\d+"
RESAMPLE = re.compile(rf"{_PART}([ ._-]{_PART})?", re.IGNORECASE)  # Fold01, Fold01.Rep1
TRUTH = frozenset(["true", "false", "yes", "no", "0", "1"])
_WORDS = {"correct": TRUTH, "status": ENDED | FAILED | UNFINISHED, "part": _PARTS}


def plain(name):
    """Return a name as the schema writes it.

    Parameters
    ----------
    name : str

    Returns
    -------
    str
    """
    return "_".join(
        str(name).strip().lower().replace("-", " ").replace("_", " ").split()
    )


def role_of(name):
    """Return the role of a column by its documented name, whatever is in it.

    Parameters
    ----------
    name : str

    Returns
    -------
    str or None
    """
    for role, starts in _PREFIXES.items():
        for start in starts:
            if str(name).lower().startswith(start):
                # Trackers log the seed, the system and the data set among the settings.
                rest = str(name)[len(start) :]
                # params.yaml:train.seed.
                last = rest.replace(":", ".").rpartition(".")[2]
                logged = _ROLE_OF.get(plain(last if plain(last) == "seed" else rest))
                return (
                    logged
                    if logged in ("system", "seed", "fold", "split", "dataset")
                    else role
                )
    return _ROLE_OF.get(plain(name))


def fits(role, values, systems=None):
    """Tell whether a column can have a role, by its values.

    Parameters
    ----------
    role : str
    values : pandas.Series
        Numbers as floats, everything else as str or None.
    systems : pandas.Series, optional
        The system of each row, where it is known.

    Returns
    -------
    bool
    """
    there = values.drop_duplicates().dropna()
    if there.empty:
        return False
    if values.dtype.kind == "f":
        lowest = {"denominator": (there >= 0).all(), "cost": (there >= 0).all()}.get(
            role, True
        )
        is_good = (
            role != "text" and lowest and (role not in _WHOLE or (there % 1 == 0).all())
        )
    else:
        is_good = role not in (
            "step",
            "numerator",
            "denominator",
            "size",
            "cost",
            "trial",
        )
        # Easy and hard are none.
        is_good &= role != "split" or there.astype(str).str.contains(r"\d").all()
    if role == "item":
        # `id` of R's rsample.
        is_good &= not there.astype(str).str.fullmatch(RESAMPLE).all()
    if role == "dataset":
        is_good &= plain(values.name) != "task" or len(there) <= _TASKS
    if role in _WORDS:
        words = set(there.astype(str).str.strip().str.lower().str.removesuffix(".0"))
        # Sat, unsat, timeout.
        is_good &= words <= _WORDS[role] or (role == "status" and bool(words & FAILED))
    return bool(is_good) and (
        role != "item" or systems is None or is_shared(values, systems)
    )


def is_shared(values, systems):
    """Tell whether values stand beside more than one system each.

    Parameters
    ----------
    values, systems : pandas.Series

    Returns
    -------
    bool
    """
    pairs = values.to_frame("value").assign(system=systems).dropna().drop_duplicates()
    counts = pairs.groupby("value").size()
    return len(counts) > 0 and bool((counts > 1).mean() > 0.1)


def known_columns(frame, columns, roles, systems=None):
    """Return the roles of the columns that have documented names, and values that fit.

    Parameters
    ----------
    frame : pandas.DataFrame
    columns : collection of str
        Those that are known otherwise.
    roles : dict of str to str, or to tuple of str
        Their roles.
    systems : pandas.Series, optional

    Returns
    -------
    dict of str to list of str
        By role its columns, in the order of the documented names; several where the
        table has several.
    """
    found = {}
    for name in frame.columns:
        role = role_of(name)
        if (
            role == "item"
            and isinstance(of := roles.get("item"), str)
            and name not in columns
        ):
            # A coarser one holds several of them.
            role = "group" if frame[name].nunique() < frame[of].nunique() else None
        if (
            role is None
            or name in columns
            or (role in roles and role not in ("setting", "note"))
        ):
            continue
        if role in ("split", "dataset") and fits("part", frame[name]):
            role = "part"
        if fits(role, frame[name], systems):
            found.setdefault(role, []).append(name)
    # The finest names items; a coarser one holds several.
    if len(names := found.get("item", [])) > 1:
        found["item"] = [max(names, key=lambda name: frame[name].nunique())]
        coarse = [
            n for n in names if n not in found["item"] and fits("group", frame[n])
        ]
        found["group"] = [*found.get("group", []), *coarse]
    for role, names in found.items():
        order = ROLES[role][0]
        names.sort(
            key=lambda name: (
                order.index(plain(name)) if plain(name) in order else len(order)
            )
        )
    return found
