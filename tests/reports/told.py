"""What tests of reports ask of a page or a refusal."""

NAMES = ["base", "ours"]
UP = {"baseline": "base", "direction": "higher"}


def check(found, code):
    """Return what became of one check."""
    return next(check for check in found.bench.checks if check.code == code)


def ways_of(refused):
    """Return all ways that a refusal names."""
    return [way for fault in refused.value.faults for way in fault.ways]
