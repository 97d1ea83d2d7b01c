"""What the printed tables say of the text, and what nothing at hand can decide."""

import numpy as np
import pandas as pd
from scipy import stats

from lab.papers.judging import OUT_OF_REACH, Evidence, Judges, Quantity
from lab.papers.melis2017 import audit
from lab.papers.melis2017.audit import BUDGETS
from lab.papers.melis2017.claims.statistics import CELLS, pooled_sd, searches

JUDGES = Judges("melis2017")
PRINTED = "printed figures"
SECOND_HAND = "The table is a transcription; no score by run was released."

for _claim, _missing in {
    "state-of-the-art": (
        "The perplexities of earlier papers are not among the figures at hand."
    ),
    "enwik8-strong-baselines": (
        "No result on Enwik8, theirs or an earlier one, is among the figures at hand."
    ),
}.items():
    JUDGES.judge(_claim, _missing)(
        lambda record, missing: Evidence(PRINTED, missing, verdict=OUT_OF_REACH)
    )


@JUDGES.judge("one-perplexity-rule")
def _one_perplexity(record):
    def chances(sets):
        probabilities = audit.chances_of_a_gap(sets).values()
        return {
            "smallest chance": Quantity.exact(min(probabilities)),
            "largest chance": Quantity.exact(max(probabilities)),
        }

    sd = pooled_sd([searches(record, cell).test.to_numpy(float) for cell in CELLS])
    of_two = stats.norm.ppf(0.975) * np.sqrt(2)
    own = Quantity(
        *(100 * np.expm1(of_two * end) for end in (sd.estimate, sd.low, sd.high))
    )
    phrases = "; ".join(
        f"{name} {chance:.1%}" for name, chance in audit.chances_of_a_gap().items()
    )
    return Evidence(
        PRINTED,
        f"Chance that equal models differ by more than {audit.ROBUST:.1f}, by the"
        f" printed noise: {phrases}. Of our small models, tuned by other searches, 95 %"
        f" of differences are below {own:.2f} % of perplexity; 1.0 is 1.7 % of 60.",
        chances(2) | {"own 95 % quantile": own},
        {
            "noise of the sets counted once": chances(1),
            "noise of the sets left out": chances(0),
        },
    )


@JUDGES.judge("effects-are-small-now")
def _effects_are_small(record):
    near = audit.printed("tuner/neighbourhood")
    within, pairs = audit.pairs_within(near)
    return Evidence(
        PRINTED,
        f"{within} of {pairs} pairs of models at one budget differ by less than {near}"
        f" in test perplexity. {SECOND_HAND}",
        {"share of close pairs": Quantity.exact(within / pairs)},
    )


# --------------------------------------------------------------------------------------
# What is printed
# --------------------------------------------------------------------------------------

TRANSCRIBED = (
    "a transcription of a result of theirs; no score was released, and our runs are of"
    " other data"
)
# Printed statements about their own runs, of which nothing at hand can give the number
# again.
NOT_AT_HAND = "measured on runs of theirs that were not released"
CHOSEN = ("noise/robust_gap", "tuner/trials", "enwik8/epochs", "enwik8/vocabulary")


def computed():
    """Compute what the paper prints, where anything follows from anything.

    Returns
    -------
    pandas.DataFrame
        Columns `id`, `value` (absent for what is out of reach) and `note`. What the
        authors chose is not among them.
    """
    rises = [
        audit.rise(cell, "untied embeddings", budget)
        for cell in ("LSTM", "RHN")
        for budget in BUDGETS
    ]
    cells = audit.GRID_VALUES**audit.GRID_HYPERPARAMETERS
    figures = {
        "tuner/grid": (float(7500 <= cells <= 8000), f"5 to the power 6 is {cells:,}"),
        "features/untied_embeddings": (
            float(np.mean(rises)),
            (
                "the mean of the four gaps of Table 4,"
                f" {', '.join(f'{rise:.1f}' for rise in rises)}"
            ),
        ),
    }
    for data, model in (
        ("ptb", "ptb/LSTM/24M/depth4/test"),
        ("wikitext2", "wikitext2/LSTM/24M/depth2/test"),
    ):
        words = audit.published()[f"headline/{data}"]
        value = float(np.exp(float(words.removeprefix("exp(").removesuffix(")"))))
        # The text and a transcription of its table agree: no result comes out again by
        # that.
        note = f"{words} is {value:.2f}; the table has {audit.published()[model]}"
        figures[f"headline/{data}"] = (None, note)
    table = audit.models()
    for end in ("low", "high"):
        note = (
            "over the ten models of Table 1 the variance of the gap is"
            f" {(table.validation - table.test).var():.3f}"
        )
        figures[f"noise/gap_{end}"] = (None, f"{NOT_AT_HAND}; {note}")
    rows = []
    for name in audit.published().index.drop(list(CHOSEN)):
        table = name.split("/")[0] in ("ptb", "ablation", "wikitext2")
        rows.append(
            (name, *figures.get(name, (None, TRANSCRIBED if table else NOT_AT_HAND)))
        )
    return pd.DataFrame(rows, columns=["id", "value", "note"]).astype({"value": float})
