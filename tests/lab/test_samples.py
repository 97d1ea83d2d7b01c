"""The best of n in many samples, against each sample alone and against leaving out run
after run.
"""

import numpy as np
import pytest

import evalkit as ek
from lab.samples import boo_of_samples

RNG = np.random.default_rng(0)
VALIDATION, TEST = RNG.permutation(40) / 40, RNG.random(40)
DRAWN = RNG.integers(40, size=(6, 40))
BUDGETS = [1, 2, 7, 30]


@pytest.mark.parametrize("validation", [VALIDATION, np.round(VALIDATION, 1)])
def test_every_sample_has_the_curve_that_it_has_alone(validation):
    found = boo_of_samples(validation, TEST, DRAWN, BUDGETS)
    assert found.shape == (6, 4)
    for sample, curve in zip(DRAWN, found, strict=True):
        np.testing.assert_allclose(
            curve, ek.boo(validation[sample], TEST[sample], n=BUDGETS)
        )


def test_the_variance_is_the_jackknifes():
    whole = np.arange(40)
    (best,), (variance,) = boo_of_samples(
        VALIDATION, TEST, whole[np.newaxis], BUDGETS, variance=True
    )
    rest = [np.delete(whole, i) for i in whole]
    left = np.array([ek.boo(VALIDATION[part], TEST[part], n=BUDGETS) for part in rest])
    np.testing.assert_allclose(best, ek.boo(VALIDATION, TEST, n=BUDGETS))
    np.testing.assert_allclose(
        variance, 39 / 40 * ((left - left.mean(axis=0)) ** 2).sum(axis=0)
    )
    assert variance.min() > 0
