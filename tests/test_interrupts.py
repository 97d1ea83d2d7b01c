"""Workers that are stopped early."""

import os
import signal
import sys
import threading
import time
import warnings
from types import SimpleNamespace

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
    monkeypatch.setattr(
        warnings, "warn", lambda message, *_, **__: said.append(message)
    )
    arriving = at_work()
    next(arriving)
    begun = time.perf_counter()
    _interrupts.close(arriving)
    assert time.perf_counter() - begun < 5
    assert list(arriving) == said == []


def test_what_was_used_up_or_failed_is_closed_without_a_word():
    arriving = joblib.Parallel(n_jobs=1, return_as="generator")(
        [joblib.delayed(abs)(-1)]
    )
    assert list(arriving) == [1]
    _interrupts.close(arriving)
    failing = joblib.Parallel(n_jobs=1, return_as="generator")(
        [joblib.delayed(abs)("x")]
    )
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


@pytest.fixture
def by_default():
    """Ctrl-C as Python has it, for a shell's background job has none."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("by_default")
@pytest.mark.parametrize("begun", [True, False])
def test_an_interrupt_is_noticed_and_ends_what_has_not_begun(begun):
    left = []
    with _interrupts.Watch(leave=lambda: left.append(1)) as watch:
        watch.begun = begun
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert watch.pressed
    assert len(left) == (not begun)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("by_default")
def test_an_interrupt_that_a_callback_swallowed_comes_again_and_nothing_else_does(
    monkeypatch,
):
    again, others = [], []
    monkeypatch.setattr(_interrupts._thread, "interrupt_main", lambda: again.append(1))
    monkeypatch.setattr(sys, "unraisablehook", others.append)
    with _interrupts.Watch(leave=pytest.fail):
        for error in (KeyboardInterrupt(), ValueError()):
            sys.unraisablehook(SimpleNamespace(exc_value=error))
    assert again == [1]
    assert [type(told.exc_value) for told in others] == [ValueError]
    assert sys.unraisablehook == others.append


@pytest.mark.usefixtures("by_default")
def test_outside_the_main_thread_nothing_is_watched():
    seen = []

    def enter():
        with _interrupts.Watch(leave=pytest.fail):
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]


@pytest.mark.skipif(
    not hasattr(signal, "pthread_sigmask"), reason="Windows blocks no signals"
)
@pytest.mark.parametrize("given", [None, "error"])
def test_what_is_started_in_between_is_spared_and_nothing_after_it(monkeypatch, given):
    if given is None:
        monkeypatch.delenv("PYTHONWARNINGS", raising=False)
    else:
        monkeypatch.setenv("PYTHONWARNINGS", given)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    with _interrupts.spared():
        assert signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])
        warned = os.environ["PYTHONWARNINGS"].split(",")
    assert warned == [*([given] if given else []), "ignore:resource_tracker"]
    assert os.environ.get("PYTHONWARNINGS") == given
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == before
