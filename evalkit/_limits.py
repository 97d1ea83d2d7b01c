"""Limits and choices that several modules hold to, each written once.

Without an import, so that the command line may name them before anything slow is
loaded.
"""

# Training runs of each system: two do not show how much runs differ.
FEWEST_SEEDS = 3

# Groups, or independent items, and how many equal ones unequal groups must count as:
# what the simulations of `lab.experiments.error_rates` reach down to. Below, no
# interval is given.
FEWEST_GROUPS, FEWEST_EFFECTIVE = 5, 3

# Positions in time, blocks of them, and how many correlation times a block holds: where
# the intervals of `lab.experiments.ends` hold. So short a time as the third is never
# refused, for independent values look so too.
FEWEST_POSITIONS, FEWEST_BLOCKS, LONGEST_IGNORED = 40, 8, 2.5
MOST_BLOCKS, TIMES_PER_BLOCK = 12, 3.5

# Trials of a search, in all and for each one of a budget: where the jackknife's
# interval of U holds, as `lab.experiments.error_rates` found on six pools.
FEWEST_TRIALS, TRIALS_PER_RUN = 30, 5
# Values, counted as equally likely ones, the best of a budget may have: with
# ties the interval covers 83 % or less below, and nearly its level from here on.
FEWEST_VALUES = 2

MAX_COUNT = 2**53  # beyond it floats cannot tell a whole number from the next
MAX_RESAMPLES = 10_000_000  # of a bootstrap, and of exchanges
DRAWN_AT_ONCE = 2_000_000  # numbers of resamples, so that memory stays bounded
MOST_PLAYED = 5000  # scores of one's own in an explorer: the page holds each of them

# Words that options take: those of SciPy and scikit-learn where they have them.
ALTERNATIVES = ("two-sided", "less", "greater")
DIRECTIONS = ("higher", "lower")
SEARCHES = ("random", "grid", "guided")
SPREADS = ("sd", "se")
