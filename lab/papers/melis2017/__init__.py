"""Melis et al. (2017), On the State of the Art of Evaluation in Neural Language Models:
asked again, small.

`tasks` trains, `audit` reads the printed tables, `claims` judges, and `experiment` says
what is run and recorded.
"""

from lab.papers.melis2017.experiment import EXPERIMENT

__all__ = ["EXPERIMENT"]
