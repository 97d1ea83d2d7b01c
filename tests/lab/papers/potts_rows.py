"""Made-up rows of Potts (2020), and what its judges make of them."""

import numpy as np
import pandas as pd
from scipy import stats

from lab.data.datasets import PACKAGES
from lab.experiments.pools import pack_predictions
from lab.papers import judging, published
from lab.papers.potts2020.claims import JUDGES
from lab.papers.rows import Rows


def row(table, result, **unit):
    return {"unit": {"table": table, **unit}, "result": result}


def analysed(claim, rows=()):
    """What is recorded of a claim, and the word of each analysis; rows come in any
    order.
    """
    claim = f"potts2020/{claim}"
    evidence = JUDGES[claim.removeprefix("potts2020/")](Rows(list(rows)[::-1]))
    found, lines = judging.judged(
        published.claims()[claim], published.limits()[claim], evidence
    )
    words = {line["analysis"]: line["verdict"] for line in lines}
    assert "nan" not in found["evidence"]
    assert set(words) == {judging.AS_JUDGED, *evidence.analyses}
    return found, words


def judged(claim, rows=()):
    """The verdict on a claim, its evidence, and the verdict by the first rule."""
    found, _ = analysed(claim, rows)
    return found["verdict"], found["evidence"], found["first_verdict"]


def put(monkeypatch, frames):
    """Put tables, by "experiment/table", in the place of the recorded ones."""
    monkeypatch.setattr(
        "lab.record.tables.load_recorded", lambda *name: frames["/".join(name)]
    )


def normal(sd=1.0, count=100, seed=0):
    """Numbers like those of a normal distribution around 0, with this SD to the
    digit.
    """
    values = stats.norm.ppf((np.arange(count) + 0.5) / count)
    return np.random.default_rng(seed).permutation(sd * values / values.std(ddof=1))


def pools(mlp, lstm, linear=None, truth=None):
    """Recorded predictions, as classes, of seeds of both networks and of the linear
    model.
    """
    truth = np.zeros(mlp.shape[1], int) if truth is None else truth
    seeds = [
        {"system": system, "seed": seed, "test_predictions": pack_predictions(says)}
        | {"validation": 0.5, "test": np.mean(says == truth)}
        for system, runs in (("mlp", mlp), ("lstm", lstm))
        for seed, says in enumerate(runs)
    ]
    baselines = [
        {
            "system": system,
            "C": c,
            "validation": score,
            "test": 0.5,
            "test_predictions": pack_predictions(says),
        }
        for system, c, score, says in (
            ("dummy", None, 0.9, mlp[0]),
            ("linear", 1.0, 0.5, mlp[0]),
            ("linear", 3.0, 0.6, mlp[0] if linear is None else linear),
        )
    ]
    return {
        "pools/test_items": pd.DataFrame({"package": [PACKAGES[i] for i in truth]}),
        "pools/seeds": pd.DataFrame(seeds[::-1]),
        "pools/baselines": pd.DataFrame(baselines),
    }
