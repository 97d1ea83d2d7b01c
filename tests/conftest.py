"""What every test file shares."""

import dataclasses

import pytest
from hypothesis import settings

# The same examples in every run: a red test speaks of the code, never of the draw.
settings.register_profile("evalkit", deadline=None, derandomize=True, max_examples=30)
settings.load_profile("evalkit")


@pytest.fixture(scope="session")
def task():
    # Not above: the statistics are tested without the laboratory too.
    from lab.data import (
        datasets,
    )

    return datasets.package_task()


@pytest.fixture(scope="session")
def small_task(task):
    """A corner of the task that a network learns in a second."""
    return dataclasses.replace(
        task,
        train=task.train[:300],
        validation=task.validation[:60],
        test=task.test[:60],
    )
