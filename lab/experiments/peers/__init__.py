"""How often ways to compare systems go wrong: what people do, what other packages do,
and evalkit.

Each unit is a comparison, a design of it (how many runs, items or groups), and a
method. It counts, over many samples for which the truth is known, how often the method
claims what is not so, and how often its interval holds the truth. The samples are drawn
from recorded runs:

- two systems that are alike are two samples from one pool of runs, or answers of which
  each item's (or each group's) are exchanged between the two at random;
- two that differ are two recorded systems, whose difference over the whole pool is the
  truth, or one pool of runs moved by a known amount;
- for `splits` data sets are drawn anew, from scikit-learn's digits; there the mean over
  all of them is the truth, and the scores of the first system are moved by it, so that
  no difference is left;
- systems of a board are as good as we make them, and items as alike in families of the
  board's sizes. Of one system the claim is that its true score is none of those in the
  interval.

The other packages are no part of evalkit: requirements-bench.txt pins them.
"""

import warnings

import numpy as np

from lab.experiments.peers._people import ALPHA
from lab.experiments.peers._registry import COMPARISONS
from lab.record.experiment import Experiment

# What seeds the samples of a comparison: a new one gets a number of its own, wherever
# it stands in the list. (Five stand between those that were there before, and share a
# number with one: they draw in other ways.)
PLACES = {
    "seeds": 0,
    "items": 1,
    "groups": 2,
    "few_groups": 3,
    "near_one": 4,
    "answers": 5,
    "splits": 6,
    "budgets": 7,
    "unequal_budgets": 8,
    "datasets": 9,
    "summaries": 10,
    "equivalence": 11,
    "error_rate": 12,
    "many_families": 4,
    "many_families_of_two": 5,
    "few_families": 6,
    "few_families_of_two": 7,
    "ten_answers": 10,
}


def _answer(decide, sample, rng):
    """Return whether a method claims a difference, and its interval; None if what it
    gives is no answer.
    """
    verdict, interval = decide(sample, rng)
    if not np.all(np.isfinite([verdict, *(interval or ())])):
        return None
    return (
        verdict if isinstance(verdict, (bool, np.bool_)) else verdict <= ALPHA
    ), interval


def _rates_of(comparison, design, method):
    asked, how = COMPARISONS[comparison], COMPARISONS[comparison].methods[method]
    place = [PLACES[comparison], list(asked.designs).index(design)]
    # Every method sees the same samples.
    draws, own = (np.random.default_rng([purpose, *place]) for purpose in (31, 32))
    counts = dict.fromkeys(("rejected", "held", "refused", "failed"), 0)
    widths, truths = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is counted is what they return
        for number in range(how.samples):
            sample = asked.draw(number, draws, *asked.designs[design])
            truths.append(sample["truth"])
            try:
                answer = _answer(how.decide, sample, own)
            except np.linalg.LinAlgError:  # a kind of ValueError, but no refusal
                answer = None
            except ValueError:
                counts["refused"] += 1
                continue
            except (
                ArithmeticError,
                LookupError,
                TypeError,
                RuntimeError,
                AttributeError,
            ):
                answer = None
            if answer is None:
                counts["failed"] += 1
                continue
            claimed, interval = answer
            counts["rejected"] += bool(claimed)
            if interval is not None:
                low, high = interval
                counts["held"] += bool(low <= sample["truth"] <= high)
                widths.append(high - low)
    return {
        "samples": how.samples,
        **{name: int(count) for name, count in counts.items()},
        "held": counts["held"] if widths else None,
        "mean_width": round(float(np.mean(widths)), 6) if widths else None,
        "truth": round(float(np.mean(truths)), 6),
        "call": how.call,
    }


def _plan(scale, rows):
    """Return the units; none depends on another."""
    units = [
        {"table": "rates", "comparison": comparison, "design": design, "method": method}
        for comparison, asked in COMPARISONS.items()
        for design in asked.designs
        for method, how in asked.methods.items()
        if design in (how.designs or asked.designs)
    ]
    return sorted(units, key=lambda unit: unit["method"] == "evalkit")


def _needs(unit):
    return COMPARISONS[unit["comparison"]].methods[unit["method"]].needs


def _unseeded(unit):
    return COMPARISONS[unit["comparison"]].methods[unit["method"]].unseeded


EXPERIMENT = Experiment(
    name="peers",
    # Another machine's last bits may turn a decision or two; a generator without a
    # seed, one in fifty.
    compared={"rejected": 8, "held": 8, "refused": 3, "failed": 3},
    plan=_plan,
    tables={"rates": _rates_of},
    needs=_needs,
    unseeded=_unseeded,
)
