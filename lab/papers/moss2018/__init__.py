"""Moss, Leslie and Rayson (2018), Using J-K-fold Cross Validation to Reduce Variance
When Tuning NLP Models.

`audit` computes what they print from what they released, `tasks` trains their four
tasks again, `claims` judges, and `experiment` says what is run and recorded.
"""

from lab.papers.moss2018.experiment import EXPERIMENT

__all__ = ["EXPERIMENT"]
