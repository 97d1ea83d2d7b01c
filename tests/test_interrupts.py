"""Workers that are stopped early."""

import time
import warnings

import joblib
import pytest

from evalkit import _interrupts


def at_work():
    """Return what arrives from two workers that are never idle."""
    work = joblib.Parallel(n_jobs=2, batch_size=1, return_as="generator_unordered")
    return work(joblib.delayed(time.sleep)(0.05) for _ in range(1000))


def test_what_is_closed_early_ends_at_once_and_without_a_warning(monkeypatch):
    said = []
    # The call itself: whether a warning is shown depends on filters, too.
    monkeypatch.setattr(warnings, "warn", lambda message, *_, **__: said.append(message))
    arriving = at_work()
    next(arriving)
    begun = time.perf_counter()
    _interrupts.close(arriving)
    assert time.perf_counter() - begun < 5
    assert list(arriving) == said == []


def test_what_was_used_up_or_failed_is_closed_without_a_word():
    arriving = joblib.Parallel(n_jobs=1, return_as="generator")([joblib.delayed(abs)(-1)])
    assert list(arriving) == [1]
    _interrupts.close(arriving)
    failing = joblib.Parallel(n_jobs=1, return_as="generator")([joblib.delayed(abs)("x")])
    with pytest.raises(TypeError, match="bad operand"):
        next(failing)
    _interrupts.close(failing)


def test_within_a_watch_an_abandoned_generator_warns_of_nothing(recwarn):
    with warnings.catch_warnings(), _interrupts.Watch(leave=pytest.fail):
        arriving = at_work()
        next(arriving)
        arriving.close()  # as Python does with what nobody holds any more
        warnings.warn("another one", UserWarning, stacklevel=1)
    assert [str(warning.message) for warning in recwarn] == ["another one"]
