"""Tang et al. (2020), Showing Your Work Doesn't Always Work: re-computed, simulated
again, judged.

`audit` makes distributions of what was released, `tasks` simulates with them, `claims`
judges, and `experiment` says what is run and recorded.
"""

from lab.papers.tang2020.experiment import EXPERIMENT

__all__ = ["EXPERIMENT"]
