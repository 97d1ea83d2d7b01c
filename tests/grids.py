"""A grid of cases is one test that lists its offenders."""

import functools
import inspect

import pytest


def grid(names, cases):
    """Call a test with each case, as `pytest.mark.parametrize` would, in one test.

    It fails once, with each case that fails and why; from the first of them comes the
    trace. A test that needs a fixture of its own for each case is parametrised.

    Parameters
    ----------
    names : str or tuple of str
    cases : iterable
        Values, or tuples of them for several names.
    """
    names = [n.strip() for n in names.split(",")] if isinstance(names, str) else names
    cases = [(case,) if len(names) == 1 else tuple(case) for case in cases]
    assert cases, "a grid without cases tests nothing"

    def decorate(test):
        parameters = inspect.signature(test).parameters
        fixtures = [p for name, p in parameters.items() if name not in names]

        @functools.wraps(test)
        def run(**given):
            offenders, first = [], None
            for case in cases:
                try:
                    test(**dict(zip(names, case, strict=True)), **given)
                except (Exception, pytest.fail.Exception) as error:
                    first = first or error
                    offenders.append(f"{case}: {str(error)[:500] or type(error)}")
            if offenders:
                raise AssertionError("\n".join(offenders)) from first

        # pytest reads fixtures from the signature, and would ask for the names of the
        # cases; what Hypothesis keeps on a test is not of this one.
        vars(run).clear()
        run.__signature__ = inspect.Signature(fixtures)
        run.pytestmark = getattr(test, "pytestmark", [])
        return run

    return decorate
