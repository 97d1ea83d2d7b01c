"""Does it help to know a film? Reviews of IMDb, of films that a model has read about
and of others.

A model is trained on reviews from the half of IMDb that is meant for training, and
tested on reviews of the same half, whose films it often knows, and of the other half,
whose films are all new to it.
"""

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

from evalkit.splits import tokenize
from lab.data import corpora
from lab.record.experiment import Experiment

TRAIN, TEST = 4000, 2000  # reviews
DRAWS = 40
SYSTEMS = ("naive_bayes", "linear")


def build(system):
    """Return an untrained system, with the settings of the page on Potts' notebook.

    Parameters
    ----------
    system : {"naive_bayes", "linear"}

    Returns
    -------
    scikit-learn estimator
    """
    if system == "naive_bayes":
        return MultinomialNB(alpha=0.1)
    return make_pipeline(
        TfidfTransformer(sublinear_tf=True), LogisticRegression(C=10.0, max_iter=2000)
    )


def _draws(draw):
    reviews = corpora.imdb_reviews()
    rng = np.random.default_rng([18, draw])
    old, other = (
        rng.permutation(np.flatnonzero(reviews.split == half))
        for half in ("train", "test")
    )
    train, *tests = old[:TRAIN], old[TRAIN : TRAIN + TEST], other[:TEST]
    words = CountVectorizer(analyzer=tokenize)
    seen, labels = (
        words.fit_transform(reviews.text.iloc[train]),
        reviews.label.to_numpy(),
    )
    accuracies = {}
    for system in SYSTEMS:
        model = build(system).fit(seen, labels[train])
        for name, part in zip(("known", "new"), tests, strict=True):
            right = model.score(words.transform(reviews.text.iloc[part]), labels[part])
            accuracies[f"{name}_{system}"] = round(float(right), 6)
    return accuracies


def _plan(scale, rows):
    """Return the draws; none depends on another."""
    return [{"table": "draws", "draw": draw} for draw in range(DRAWS)]


EXPERIMENT = Experiment(
    name="films",
    # Another CPU may turn a review or two.
    compared={
        f"{name}_{system}": 0.002 for name in ("known", "new") for system in SYSTEMS
    },
    plan=_plan,
    tables={"draws": _draws},
)
