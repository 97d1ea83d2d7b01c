"""Bajgar et al. (2018), A Boo(n) for Evaluating Architecture Performance: re-computed
and judged.

`audit` reads the released pools and computes what is printed, `tasks` draws from them,
`claims` judges, and `experiment` says what is run and recorded.
"""

from lab.papers.bajgar2018.experiment import EXPERIMENT

__all__ = ["EXPERIMENT"]
