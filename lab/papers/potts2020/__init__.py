"""Potts (2020), Evaluation methods in NLP: every recommendation of the course notebook
run and judged.

`tasks` divides, searches, trains and draws, `claims` judges, and `experiment` says what
is run and recorded.
"""

from lab.papers.potts2020.experiment import EXPERIMENT

__all__ = ["EXPERIMENT"]
