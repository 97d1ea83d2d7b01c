"""Ctrl-C: noticed wherever it falls, and kept from processes that only their parent
should stop.
"""

import _thread
import contextlib
import os
import signal
import sys
import threading
import warnings


class Watch:
    """Notice an interrupt within a `with` block.

    KeyboardInterrupt alone is not enough: an import that it falls into may raise
    something else instead or go on without a word, and so does Python where it falls
    into a callback.

    Parameters
    ----------
    leave : callable
        Ends the process; called at once while there is nothing to clean up.

    Attributes
    ----------
    begun : bool
        Set it to True when there is something to clean up: from then on
        KeyboardInterrupt is raised.
    pressed : bool
        Whether there was an interrupt.
    """

    def __init__(self, leave):
        self._leave = leave
        self.begun = self.pressed = False

    def __enter__(self):
        # Of joblib's, when its generator ends early, wherever the interrupt falls: it
        # advises against what an interrupt means to do. From here on, and not for a
        # moment: a filter that is put in later is lost where another thread restores an
        # older list.
        warnings.filterwarnings(
            "ignore", category=UserWarning, module=r"joblib\.parallel$"
        )
        # A shell starts its background jobs with the signal ignored; elsewhere than in
        # the main thread Python lets nobody set it.
        self._here = (
            threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        )
        if self._here:
            self._hook, sys.unraisablehook = sys.unraisablehook, self._raise_again
            signal.signal(signal.SIGINT, self._press)
        return self

    def __exit__(self, *_):
        if self._here:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            sys.unraisablehook = self._hook

    def _press(self, *_):
        self.pressed = True
        if not self.begun:
            self._leave()
        raise KeyboardInterrupt

    def _raise_again(self, unraisable):
        if isinstance(unraisable.exc_value, KeyboardInterrupt):
            _thread.interrupt_main()
        else:
            self._hook(unraisable)


@contextlib.contextmanager
def spared():
    """Let the processes that are started in this block ignore Ctrl-C; one that comes
    meanwhile waits.
    """
    from multiprocessing import resource_tracker  # not needed, and slow, for --help

    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    # multiprocessing starts this process beside the first others, and would then
    # unblock the signal.
    resource_tracker.ensure_running()
    # Processes and threads inherit what is blocked; here it stays pending.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    # loky's process that removes what an interrupt left behind would warn that it did.
    given = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = ",".join(
        filter(None, [given, "ignore:resource_tracker"])
    )
    try:
        yield
    finally:
        if given is None:
            del os.environ["PYTHONWARNINGS"]
        else:
            os.environ["PYTHONWARNINGS"] = given
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


class _Enough(Exception):  # noqa: N818 - it is none
    """What is thrown into a generator to end it."""


def close(arriving):
    """Close a generator of joblib's, whose workers may still be at it.

    Parameters
    ----------
    arriving : generator
    """
    # Its own `close` lets joblib warn of what an interrupt means to do.
    with contextlib.suppress(_Enough):
        arriving.throw(_Enough)
