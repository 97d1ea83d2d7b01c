"""What an experiment is, how its units are run, and how their rows are kept and
checked.
"""
