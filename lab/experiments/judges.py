"""A judge with errors: the difference of two systems as people see it, as a judge does,
and corrected for how often the judge errs.

- `pairs`: each pair of systems by each judge, on all items that people labelled too;
- `coverage`: how often intervals of five kinds hold the difference as people see it,
  where they looked at some items only. Items are drawn with replacement from those of a
  pair, which stand for all that there are;
- `made_up`: the same for two of these kinds, at the edges: items are drawn from a
  hundred thousand that are made up.

A verdict of the judge that is missing counts as 0: not right, no refusal, no error.
"""

import functools
import itertools

import numpy as np
from scipy import stats

from evalkit.intervals import difference_interval
from evalkit.raters import judged_difference
from lab.data import boards
from lab.record.experiment import Experiment

SAMPLES = 2000
LABELLED = (50, 100)
POOL, SIZE = 100_000, 1000  # items that are made up, and how many are drawn
METHODS = ("judge", "people", "pooled", "by_system", "line")
JUDGES = {
    "openqa": ("exact", "bem", "instructgpt", "gpt4"),
    "xstest": ("gpt4", "strings"),
}
_WRITERS = ("gpt-4-0613", "Llama-2-70b-chat-hf")
_FEW, _ZERO = "InstructGPT (few-shot)", "InstructGPT (zero-shot)"
# Data, judge and both systems.
SITUATIONS = (
    ("openqa", "instructgpt", _FEW, _ZERO),
    ("openqa", "gpt4", _FEW, _ZERO),
    ("openqa", "bem", "FiD-KD", "FiD"),
    ("openqa", "exact", _ZERO, "FiD-KD"),
    ("xstest", "gpt4", "GPT-4", "Mistral"),
    ("xstest", "gpt4", "Llama 2", "GPT-4"),
    ("xstest", "strings", "Llama 2, system prompt", "Llama 2"),
    ("xstest", "strings", "Mistral, system prompt", "GPT-4"),
    ("realmistake", "gpt-4-0125-preview 1", *_WRITERS),
    ("realmistake", "claude-3-opus-20240229 1", *_WRITERS),
    ("realmistake", "Qwen1.5-72B-Chat cot", *_WRITERS),
    ("realmistake", "gemma-7b-it 1", *_WRITERS),
)


@functools.cache
def _table(data):
    """Return the rows of a data set: item, system, people and judges as 0 and 1."""
    if data == "openqa":
        return boards.openqa().rename(columns={"question": "item"})
    if data == "xstest":
        rows = boards.xstest().rename(columns={"prompt": "item"})
        kinds = ["people", "gpt4", "strings"]
        return rows.assign(**{kind: rows[kind] > 1 for kind in kinds})
    rows = boards.realmistake()
    judge = rows.model + " " + rows.template
    keys = [rows.input.rename("item"), rows.system, rows.label.rename("people")]
    return rows.pivot_table("verdict", keys, judge).reset_index()


def of_pair(data, judge, first, second):
    """Return both verdicts on each item that both systems have.

    Parameters
    ----------
    data : {"openqa", "xstest", "realmistake"}
    judge : str
        A judge of `boards.openqa` or `boards.xstest`, or a model and a template.
    first, second : str
        Systems.

    Returns
    -------
    ndarray of float, shape (n_items, 4)
        The judge of the first and the second, people of the first and the second.
    """
    wide = _table(data).pivot_table([judge, "people"], "item", "system", dropna=False)
    columns = [(who, s) for who in (judge, "people") for s in (first, second)]
    both = wide[columns].astype(float)
    return both[both.people.notna().all(axis=1)].fillna(0.0).to_numpy()


def rogan_gladen(items, n, *, pooled):
    """Correct a judge's difference for how often it errs, as people on the first n
    items show it.

    Parameters
    ----------
    items : ndarray of float, shape (n_items, 4)
        As `of_pair` returns them.
    n : int
    pooled : bool
        Whether the judge is taken to err as often on both systems.

    Returns
    -------
    difference, se : float
        The share of each system is (share by the judge - false alarms) / (hits - false
        alarms); the standard error is by the delta method.

    References
    ----------
    Rogan and Gladen (1978), Estimating prevalence from the results of a screening test.
    """
    size, shares, parts = len(items), [], []
    for system in (0, 1):
        judge = items[:, system]
        own = [0, 1] if pooled else [system]
        seen, truth = items[:n, own], items[:n, [2 + s for s in own]]
        hits = (seen * truth).sum() / truth.sum()
        alarms = (seen * (1 - truth)).sum() / (1 - truth).sum()
        gap = hits - alarms
        share = (judge.mean() - alarms) / gap
        # How each item moves the share.
        part = (judge - judge.mean()) / size / gap
        of_hits = (truth * (seen - hits)).sum(axis=1) / truth.sum()
        of_alarms = ((1 - truth) * (seen - alarms)).sum(axis=1) / (1 - truth).sum()
        part[:n] -= (share * of_hits + (1 - share) * of_alarms) / gap
        shares.append(share)
        parts.append(part)
    return shares[0] - shares[1], np.sqrt(((parts[0] - parts[1]) ** 2).sum())


def _answers(rng, rates, errs):
    """Draw right and wrong answers that have half of their luck in common, and a judge
    who errs on so many of each system's.
    """
    luck = np.sqrt(0.5) * (rng.normal(size=(POOL, 1)) + rng.normal(size=(POOL, 2)))
    people = luck < stats.norm.ppf(rates)
    return people ^ (rng.random((POOL, 2)) < errs), people


def _ratings(rng, failed=0.0):
    """Draw ratings of 1 to 5; so many of the judge's of A failed, and are coded as
    -100.
    """
    luck = rng.normal(size=(POOL, 1)) + rng.normal(size=(POOL, 2)) + [3.3, 3.1]
    people = np.clip(np.round(luck), 1, 5)
    judge = np.clip(np.round(luck + 0.7 * rng.normal(size=(POOL, 2))), 1, 5)
    judge[rng.random(POOL) < failed, 0] = -100
    return judge, people


def _preferences(rng):
    people = rng.choice([1, 0, -1], size=POOL, p=[0.3, 0.5, 0.2])
    other = rng.choice([1, 0, -1], size=POOL)
    judge = np.where(rng.random(POOL) < 0.7, people, other)
    zeros = np.zeros(POOL)
    return np.c_[judge, zeros], np.c_[people, zeros]


def _seldom(rng):
    """Draw a judge who finds a difference in a twentieth of the items, always the same
    way, and people who disagree most there.
    """
    judge = rng.random(POOL) < 0.05
    people = rng.choice([-1, 0, 1], size=POOL, p=[0.1, 0.8, 0.1])
    people = np.where(judge, rng.choice([-4, 4], size=POOL), people)
    return np.c_[judge, 0 * judge], np.c_[people, 0 * people]


def _losses(rng):
    """Draw losses of A that are far from normal, none of B, and a judge who knows
    nothing.
    """
    losses = rng.lognormal(sigma=1.5, size=POOL)
    return rng.normal(size=(POOL, 2)), np.c_[losses, 0 * losses]


MADE_UP = {
    "right and wrong": functools.partial(_answers, rates=(0.7, 0.6), errs=(0.1, 0.3)),
    "near one": functools.partial(_answers, rates=(0.97, 0.93), errs=(0.02, 0.1)),
    "a judge who knows nothing": functools.partial(
        _answers, rates=(0.7, 0.6), errs=(0.5, 0.5)
    ),
    "ratings": _ratings,
    "preferences": _preferences,
    "failures coded as -100": functools.partial(_ratings, failed=0.01),
    "a judge who seldom differs": _seldom,
    "skewed losses": _losses,
}


def _pairs(data, judge, first, second):
    items = of_pair(data, judge, first, second)
    judges, people = items[:, :2], items[:, 2:]
    hits = (judges * people).sum(axis=0) / people.sum(axis=0)
    alarms = (judges * (1 - people)).sum(axis=0) / (1 - people).sum(axis=0)
    by_people, by_judge = -np.diff(people.mean(axis=0)), -np.diff(judges.mean(axis=0))
    pooled, _ = rogan_gladen(items, len(items), pooled=True)
    slope = stats.linregress(*(-np.diff(part)[:, 0] for part in (judges, people)))
    found = {"by_people": by_people[0], "by_judge": by_judge[0], "pooled": pooled}
    found |= {"hits_first": hits[0], "hits_second": hits[1], "alarms_first": alarms[0]}
    found |= {"alarms_second": alarms[1], "correlation": slope.rvalue}
    return {"items": len(items)} | {k: round(float(v), 6) for k, v in found.items()}


def _intervals(items, n, methods):
    """Return the ends of each kind of interval; NaN where it has none."""
    judge_a, judge_b, people_a, people_b = items.T
    seen = [np.where(np.arange(len(items)) < n, x, np.nan) for x in items.T[2:]]
    ends = {}
    for name, call in (
        ("judge", lambda: difference_interval(judge_a, judge_b, paired=True)),
        (
            "people",
            lambda: difference_interval(people_a[:n], people_b[:n], paired=True),
        ),
        ("line", lambda: judged_difference(judge_a, judge_b, *seen)),
    ):
        if name in methods:
            try:
                ends[name] = (*call(),)
            except ValueError:  # nothing varies
                ends[name] = (np.nan, np.nan)
    for name in {"pooled", "by_system"} & set(methods):
        with np.errstate(all="ignore"):
            found, se = rogan_gladen(items, n, pooled=name == "pooled")
        half = stats.norm.isf(0.025) * se
        ends[name] = (found - half, found + half)
    return ends


def _covered(items, n, size, rng, methods):
    """Draw samples, and count how often each kind of interval holds people's difference
    over all items.
    """
    truth = float(-np.diff(items[:, 2:].mean(axis=0))[0])
    ends = {name: [] for name in methods}
    for _ in range(SAMPLES):
        drawn = items[rng.integers(len(items), size=size)]
        for name, found in _intervals(drawn, n, methods).items():
            ends[name].append(found)
    found = {"samples": SAMPLES, "truth": round(truth, 6)}
    for name, (low, high) in ((m, np.transpose(e)) for m, e in ends.items()):
        found[f"held_{name}"] = int(np.sum((low <= truth) & (truth <= high)))
        found[f"answers_{name}"] = int(np.isfinite(high - low).sum())
        found[f"width_{name}"] = round(float(np.nanmedian(high - low)), 5)
    return found


def _coverage(data, judge, first, second, n):
    items = of_pair(data, judge, first, second)
    situation = SITUATIONS.index((data, judge, first, second))
    rng = np.random.default_rng([57, situation])
    return _covered(items, n, len(items), rng, METHODS)


def _made_up(kind, n):
    rng = np.random.default_rng([58, list(MADE_UP).index(kind)])
    items = np.hstack(MADE_UP[kind](rng)).astype(float)
    return _covered(items, n, SIZE, rng, ("people", "line"))


def _every_pair():
    for data, judges in JUDGES.items():
        pairs = list(itertools.combinations(sorted(set(_table(data).system)), 2))
        yield from ((data, judge, *pair) for judge in judges for pair in pairs)
    cells = [name for name in _table("realmistake") if name[-1] in "1234t"]
    yield from (("realmistake", cell, *_WRITERS) for cell in cells if " " in cell)


def _plan(scale, rows):
    """Return the units; none depends on another."""
    names = ("data", "judge", "first", "second")
    return [
        *({"table": "pairs"} | dict(zip(names, p, strict=True)) for p in _every_pair()),
        *(
            {"table": "coverage"} | dict(zip(names, situation, strict=True)) | {"n": n}
            for situation in SITUATIONS
            for n in LABELLED
        ),
        *(
            {"table": "made_up", "kind": kind, "n": n}
            for kind in MADE_UP
            for n in (*LABELLED, 300)
        ),
    ]


EXPERIMENT = Experiment(
    name="judges",
    compared={
        **dict.fromkeys(("by_people", "by_judge", "pooled", "correlation"), 1e-5),
        # Another machine's last bits may turn a decision or two.
        **{f"held_{name}": 3 for name in METHODS},
    },
    plan=_plan,
    tables={"pairs": _pairs, "coverage": _coverage, "made_up": _made_up},
    derived=("pairs",),
)
