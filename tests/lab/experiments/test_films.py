"""Known and new films: what sets them apart, and what is recorded."""

import numpy as np
import pytest

from lab.data import sources
from lab.experiments import films
from lab.record import tables


@pytest.mark.slow
@pytest.mark.skipif(
    not sources.available("imdb/aclImdb_labeled.tar.xz"),
    reason="the reviews of IMDb are not on this machine",
)
def test_the_two_tests_differ_in_their_half_alone(monkeypatch):
    reviews = films.corpora.imdb_reviews()
    # With both halves from the same mixture, nothing sets known and new reviews apart.
    mixed = reviews.assign(
        split=np.random.default_rng(0).permutation(reviews.split.to_numpy())
    )
    found = films.EXPERIMENT.run({"table": "draws", "draw": 0})
    monkeypatch.setattr(films.corpora, "imdb_reviews", lambda: mixed)
    control = films.EXPERIMENT.run({"table": "draws", "draw": 0})
    gap, none = (
        result["known_naive_bayes"] - result["new_naive_bayes"]
        for result in (found, control)
    )
    assert gap > 0.03
    assert abs(none) < 4 * np.sqrt(2 * 0.2 * 0.8 / films.TEST)


def test_each_recorded_share_is_that_of_a_model_that_learned():
    table = tables.load_recorded("films", "draws")
    assert table.filter(regex="known|new").stack().between(0.7, 0.95).all()
