"""What is computed: every comparison, and what it speaks of."""

from dataclasses import dataclass

import numpy as np

from evalkit.reports._checks._failed import DROPPED
from evalkit.reports._contrasts import contrasts
from evalkit.reports._faults import refusal
from evalkit.reports._pages import _speaks


@dataclass(frozen=True)
class Findings:
    """What came of a comparison."""

    contrasts: tuple  # of Contrast
    way: object  # where "Which test do I need?" leads
    quantity: str  # of what is compared: "mean over items"
    varies: str  # what the answer speaks of: "other seeds, on these test items"
    cannot: tuple  # what it does not speak of


def analyse(evidence, bench):
    """Compute everything that the page says."""
    try:
        found = contrasts(evidence, bench.options.margin)
    except ValueError as error:
        why = "No interval is known to hold for data such as these."
        rounded = "write scores that were rounded with more digits."
        if "nothing varies" in str(error):
            rounded = (
                "--where 'system!=NAME' leaves out a system that must score as the"
                " baseline does; or " + rounded
            )
        ways = "collect more, or take another unit (--unit).", rounded
        raise refusal("few", f"{str(error).rstrip('.')}.", why, *ways) from None
    if (
        bench.options.margin
        and evidence.kind != "agreement"
        and np.isnan([one.low for one in found]).any()
    ):
        what, why = (
            "A margin was given, and there is no interval to hold against it.",
            _NO_INTERVAL,
        )
        answers = (
            "or give each system's answers to the items: for them there is an interval."
        )
        raise refusal("margin", what, why, "leave --margin away.", answers)
    varies, cannot = _speaks.scope(evidence)
    if any(why.endswith(DROPPED) for _, why in bench.left_out):
        cannot = ("what failed, or has no score: it is left out.", *cannot)
    way, quantity = _speaks.way_to_test(evidence), _speaks.quantity(evidence)
    return Findings(
        contrasts=found, way=way, quantity=quantity, varies=varies, cannot=cannot
    )


_NO_INTERVAL = (
    "No interval is known to hold for such scores, and a large p-value does not prove"
    " equality."
)
