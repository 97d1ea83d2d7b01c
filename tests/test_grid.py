"""A grid fails with each of its offenders, and has cases."""

import pytest
from grids import grid


def test_a_grid_runs_every_case_and_names_those_that_fail():
    seen = []

    @grid("size", [1, 2])
    @grid(("a", "b"), [(1, 1), (2, 3), (4, 5)])
    def equal(a, b, size, log):
        log.append((a, b, size))
        assert a == b

    with pytest.raises(AssertionError) as failed:
        equal(log=seen)
    assert len(seen) == 6
    assert str(failed.value).count("(2, 3)") == str(failed.value).count("(4, 5)") == 2
    assert "(1, 1)" not in str(failed.value)


def test_a_case_that_raises_nothing_where_an_error_is_due_is_an_offender():
    @grid("value", ["1", "x"])
    def refused(value):
        with pytest.raises(ValueError, match="invalid literal"):
            int(value)

    with pytest.raises(AssertionError, match="DID NOT RAISE"):
        refused()


def test_a_grid_without_cases_is_refused():
    with pytest.raises(AssertionError, match="tests nothing"):
        grid("a", [])
